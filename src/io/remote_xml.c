/* remote_xml.c - the XML of object stores: elements and text, nothing else */
#define _GNU_SOURCE
#include "io/remote_xml.h"

#include <stdlib.h>

void tn_xml_init(struct tn_xml *xml, struct tn_memory *memory,
                 struct tn_bytes document, struct tn_error *error)
{
    *xml =
        (struct tn_xml){ .whole = document, .left = document, .error = error };
    tn_buffer_init(&xml->text, memory, error);
}

void tn_xml_done(struct tn_xml *xml)
{
    tn_buffer_done(&xml->text);
}

bool tn_xml_is_in(const struct tn_xml *xml, const char *name)
{
    return xml->depth && tn_bytes_is(xml->stack[xml->depth - 1], name);
}

/* ---- references ---------------------------------------------------------- */

static void add_character(struct tn_buffer *to, unsigned long c)
{
    if (c < 0x80)
        tn_buffer_byte(to, (uint8_t)c);
    else if (c < 0x800) {
        tn_buffer_byte(to, (uint8_t)(0xc0 | c >> 6));
        tn_buffer_byte(to, (uint8_t)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        tn_buffer_byte(to, (uint8_t)(0xe0 | c >> 12));
        tn_buffer_byte(to, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        tn_buffer_byte(to, (uint8_t)(0x80 | (c & 0x3f)));
    } else {
        tn_buffer_byte(to, (uint8_t)(0xf0 | c >> 18));
        tn_buffer_byte(to, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
        tn_buffer_byte(to, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        tn_buffer_byte(to, (uint8_t)(0x80 | (c & 0x3f)));
    }
}

/* `name` is what is between '&' and ';'. */
static bool add_reference(struct tn_buffer *to, struct tn_bytes name)
{
    static const struct {
        const char *name;
        char        byte;
    } known[]       = { { "amp", '&' },
                        { "lt", '<' },
                        { "gt", '>' },
                        { "quot", '"' },
                        { "apos", '\'' } };
    char  digits[9] = "";
    char *end;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (tn_bytes_is(name, known[i].name)) {
            tn_buffer_byte(to, (uint8_t)known[i].byte);
            return true;
        }
    if (name.size < 2 || name.data[0] != '#' || name.size > sizeof digits)
        return false;
    memcpy(digits, name.data + 1, name.size - 1);
    bool          is_hex = digits[0] == 'x';
    const char   *first  = digits + is_hex;
    unsigned long c      = strtoul(first, &end, is_hex ? 16 : 10);
    if (!strchr("0123456789abcdefABCDEF", first[0]) || end == first || *end ||
        c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return false;
    add_character(to, c);
    return true;
}

bool tn_xml_unescape(struct tn_buffer *to, struct tn_bytes text)
{
    for (;;) {
        const uint8_t *sign = tn_bytes_find(text, '&');
        size_t         size = sign ? (size_t)(sign - text.data) : text.size;
        tn_buffer_add(to, tn_bytes(text.data, size));
        if (!sign)
            return true;
        text               = tn_bytes(sign + 1, text.size - size - 1);
        const uint8_t *end = tn_bytes_find(text, ';');
        if (!end)
            return false;
        size = (size_t)(end - text.data);
        if (!add_reference(to, tn_bytes(text.data, size)))
            return false;
        text = tn_bytes(end + 1, text.size - size - 1);
    }
}

/* ---- events -------------------------------------------------------------- */

static enum tn_xml_event bad(struct tn_xml *xml, const char *what)
{
    tn_error_because(xml->error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                     "the answer is not the XML of a store: %s at byte %zu",
                     what, (size_t)(xml->left.data - xml->whole.data));
    xml->left = tn_bytes(xml->left.data, 0);
    return TN_XML_END;
}

static void skip(struct tn_xml *xml, size_t size)
{
    xml->left = tn_bytes(xml->left.data + size, xml->left.size - size);
}

/* "<?...?>" and "<!--...-->", which say nothing here. */
static bool skip_until(struct tn_xml *xml, const char *end)
{
    const uint8_t *at =
        memmem(xml->left.data, xml->left.size, end, strlen(end));

    if (!at)
        return bad(xml, "an unfinished part"), false;
    skip(xml, (size_t)(at - xml->left.data) + strlen(end));
    return true;
}

static bool take_name(struct tn_xml *xml)
{
    size_t size = 0;

    while (size < xml->left.size &&
           !memchr(" \t\r\n/>", xml->left.data[size], 6))
        size++;
    xml->name = tn_bytes(xml->left.data, size);
    skip(xml, size);
    return size > 0;
}

static enum tn_xml_event close_element(struct tn_xml *xml)
{
    xml->depth--;
    xml->name     = xml->stack[xml->depth];
    xml->is_empty = false;
    return TN_XML_CLOSE;
}

/* After "</". */
static enum tn_xml_event take_close(struct tn_xml *xml)
{
    if (!take_name(xml) || !xml->depth ||
        !tn_bytes_equal(xml->name, xml->stack[xml->depth - 1]) ||
        !skip_until(xml, ">"))
        return bad(xml, "an end tag that ends nothing");
    return close_element(xml);
}

/* After "<". */
static enum tn_xml_event take_open(struct tn_xml *xml)
{
    if (xml->depth == TN_XML_DEPTH || !take_name(xml))
        return bad(xml, "an element");
    struct tn_bytes name = xml->name;
    const uint8_t  *end  = tn_bytes_find(xml->left, '>');
    if (!end)
        return bad(xml, "an unfinished tag");
    xml->is_empty = end > xml->left.data ? end[-1] == '/' : false;
    skip(xml, (size_t)(end - xml->left.data) + 1);
    xml->stack[xml->depth++] = name;
    tn_buffer_clear(&xml->text);
    return TN_XML_OPEN;
}

enum tn_xml_event tn_xml_next(struct tn_xml *xml)
{
    if (tn_failed(xml->error))
        return TN_XML_END;
    if (xml->is_empty)
        return close_element(xml);
    tn_buffer_clear(&xml->text);
    while (xml->left.size) {
        const uint8_t *tag = tn_bytes_find(xml->left, '<');
        size_t size = tag ? (size_t)(tag - xml->left.data) : xml->left.size;
        if (xml->depth &&
            !tn_xml_unescape(&xml->text, tn_bytes(xml->left.data, size)))
            return bad(xml, "an unknown reference");
        skip(xml, size);
        if (!tag)
            break;
        if (tn_bytes_starts_with(xml->left, "<?")) {
            if (!skip_until(xml, "?>"))
                return TN_XML_END;
        } else if (tn_bytes_starts_with(xml->left, "<!--")) {
            if (!skip_until(xml, "-->"))
                return TN_XML_END;
        } else if (tn_bytes_starts_with(xml->left, "<!")) {
            return bad(xml, "a document type");
        } else {
            bool closes = tn_bytes_starts_with(xml->left, "</");
            skip(xml, closes ? 2 : 1);
            return closes ? take_close(xml) : take_open(xml);
        }
    }
    if (xml->depth)
        return bad(xml, "its end is missing");
    return TN_XML_END;
}
