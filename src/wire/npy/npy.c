/* npy.c - the header of numpy's array files; npy.h has the map */
#include "wire/npy/npy.h"

#include <stdio.h>

#include "base/arith.h"

#define MAGIC      "\x93NUMPY"
#define MAGIC_SIZE 6
#define ALIGNMENT  64

/* If two rows have the same descr, it is read as the first. */
static const struct {
    const char   *descr;
    enum tn_dtype dtype;
} types[] = {
    { "|b1", TN_BOOL },           { "|i1", TN_INT8 },
    { "|i1", TN_INT4 },           { "|i1", TN_INT2 },
    { "|i1", TN_QINT8 },          { "|u1", TN_UINT8 },
    { "|u1", TN_UINT4 },          { "|u1", TN_UINT2 },
    { "|u1", TN_QUINT8 },         { "|u1", TN_FLOAT8E4M3FN },
    { "|u1", TN_FLOAT8E4M3FNUZ }, { "|u1", TN_FLOAT8E4M3B11FNUZ },
    { "|u1", TN_FLOAT8E5M2 },     { "|u1", TN_FLOAT8E5M2FNUZ },
    { "|u1", TN_FLOAT8E8M0 },     { "|u1", TN_FLOAT4E2M1 },
    { "<i2", TN_INT16 },          { "<i2", TN_QINT16 },
    { "<u2", TN_UINT16 },         { "<u2", TN_QUINT16 },
    { "<i4", TN_INT32 },          { "<i4", TN_QINT32 },
    { "<u4", TN_UINT32 },         { "<i8", TN_INT64 },
    { "<u8", TN_UINT64 },         { "<f2", TN_FLOAT16 },
    { "<f4", TN_FLOAT32 },        { "<f8", TN_FLOAT64 },
    { "<c8", TN_COMPLEX64 },      { "<c16", TN_COMPLEX128 },
    { "<V2", TN_BFLOAT16 },
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

const char *tn_npy_descr(enum tn_dtype dtype)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].dtype == dtype)
            return types[i].descr;
    }
    return NULL;
}

static uint8_t peek(const struct tn_cursor *h)
{
    return h->at < h->end ? *h->at : 0;
}

static void skip_space(struct tn_cursor *h)
{
    while (h->at < h->end && memchr(" \t\r\n", *h->at, 4))
        tn_skip(h, 1);
}

/* The next byte after space, if it is this one. */
static bool try_byte(struct tn_cursor *h, char byte)
{
    skip_space(h);
    if (peek(h) != (uint8_t)byte)
        return false;
    tn_skip(h, 1);
    return true;
}

static void expect_byte(struct tn_cursor *h, char byte)
{
    if (!try_byte(h, byte) && !tn_failed(h->error))
        tn_fail(h, TN_MALFORMED, "'%c' was expected in the header", byte);
}

/* 'text' or "text"; escapes do not occur in what numpy writes here. */
static struct tn_bytes read_string(struct tn_cursor *h)
{
    struct tn_bytes text;

    skip_space(h);
    uint8_t quote = peek(h);
    if (quote != '\'' && quote != '"') {
        tn_fail(h, TN_MALFORMED, "a string was expected in the header");
        return tn_bytes(NULL, 0);
    }
    tn_skip(h, 1);
    text = tn_bytes(h->at, 0);
    while (h->at < h->end && *h->at != quote) {
        if (*h->at == '\\' || *h->at == '\n')
            tn_fail(h, TN_MALFORMED, "an escape in the header");
        else
            tn_skip(h, 1);
    }
    if (tn_failed(h->error))
        return tn_bytes(NULL, 0);
    text.size = (size_t)(h->at - text.data);
    expect_byte(h, (char)quote);
    return text;
}

static bool read_word(struct tn_cursor *h, const char *word)
{
    size_t size = strlen(word);

    if ((uint64_t)(h->end - h->at) < size || memcmp(h->at, word, size) != 0)
        return false;
    tn_skip(h, size);
    return true;
}

static bool read_bool(struct tn_cursor *h)
{
    skip_space(h);
    if (read_word(h, "True"))
        return true;
    if (!read_word(h, "False"))
        tn_fail(h, TN_MALFORMED, "True or False was expected in the header");
    return false;
}

static uint64_t read_number(struct tn_cursor *h)
{
    uint64_t value = 0, begin = h->offset;

    while (peek(h) >= '0' && peek(h) <= '9') {
        uint64_t digit = tn_u8(h) - (uint64_t)'0';
        if (!tn_mul(value, 10, &value) || !tn_add(value, digit, &value))
            value = UINT64_MAX;
    }
    if (value > INT64_MAX)
        tn_fail_at(h, begin, TN_MALFORMED, "a dimension past 2^63 - 1");
    if (h->offset == begin)
        tn_fail(h, TN_MALFORMED, "a number was expected in the header");
    if (peek(h) == 'L') /* longs, as Python 2 wrote them */
        tn_skip(h, 1);
    return value;
}

/* (), (2,), (2, 3), (2, 3, ) */
static void read_shape(struct tn_cursor *h, struct tn_npy *npy)
{
    expect_byte(h, '(');
    npy->rank = 0;
    while (!tn_failed(h->error) && !try_byte(h, ')')) {
        if (npy->rank == TN_NPY_RANK_LIMIT) {
            tn_fail(h, TN_LIMIT, "rank past the limit of %d",
                    TN_NPY_RANK_LIMIT);
            return;
        }
        npy->dims[npy->rank++] = read_number(h);
        skip_space(h);
        if (peek(h) != ')' || npy->rank == 1) /* (2) is not a tuple */
            expect_byte(h, ',');
    }
}

/* The number at the end of a descr; false when there is none. */
static bool descr_number(struct tn_bytes text, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = text.data[i] - (unsigned)'0';
        if (digit > 9 || *number > UINT32_MAX)
            return false;
        *number = *number * 10 + digit;
    }
    return text.size > 0;
}

static bool find_type(char kind, uint64_t number, struct tn_npy *npy)
{
    if (kind == 'S' || kind == 'a' || kind == 'U') {
        npy->dtype     = TN_STRING;
        npy->is_utf32  = kind == 'U';
        npy->item_size = npy->is_utf32 ? number * 4 : number;
        return true;
    }
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        const char *descr = types[i].descr;
        uint64_t    size;
        descr_number(tn_text(descr + 2), &size);
        if (descr[1] == kind && size == number) {
            npy->dtype     = types[i].dtype;
            npy->item_size = number;
            return true;
        }
    }
    return false;
}

static void read_descr(struct tn_cursor *h, struct tn_npy *npy)
{
    skip_space(h);
    uint64_t begin = h->offset, number;
    if (peek(h) == '[' || peek(h) == '(') {
        tn_fail(h, TN_UNSUPPORTED, "an array of structures");
        return;
    }
    struct tn_bytes text = read_string(h);
    if (tn_failed(h->error))
        return;
    bool has_order     = text.size > 0 && memchr("<>|", text.data[0], 3);
    npy->is_big_endian = has_order && text.data[0] == '>';
    if (has_order)
        text = tn_bytes(text.data + 1, text.size - 1);
    bool is_whole =
        text.size > 0 &&
        descr_number(tn_bytes(text.data + 1, text.size - 1), &number);
    if (tn_bytes_is(text, "O"))
        tn_fail_at(h, begin, TN_UNSUPPORTED,
                   "elements of type 'O': Python objects are a pickle, which "
                   "is never opened");
    else if (!is_whole || !find_type((char)text.data[0], number, npy))
        tn_fail_at(h, begin, TN_UNSUPPORTED, "elements of type '%.*s'",
                   TN_FMT(text));
}

enum key { KEY_DESCR = 1, KEY_FORTRAN = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

static unsigned read_item(struct tn_cursor *h, struct tn_npy *npy)
{
    skip_space(h);
    uint64_t        begin = h->offset;
    struct tn_bytes key   = read_string(h);

    expect_byte(h, ':');
    if (tn_failed(h->error))
        return 0;
    if (tn_bytes_is(key, "descr")) {
        read_descr(h, npy);
        return KEY_DESCR;
    }
    if (tn_bytes_is(key, "fortran_order")) {
        npy->is_fortran = read_bool(h);
        return KEY_FORTRAN;
    }
    if (tn_bytes_is(key, "shape")) {
        read_shape(h, npy);
        return KEY_SHAPE;
    }
    tn_fail_at(h, begin, TN_MALFORMED, "the key '%.*s' in the header",
               TN_FMT(key));
    return 0;
}

static void read_dict(struct tn_cursor *h, struct tn_npy *npy)
{
    unsigned seen = 0;

    expect_byte(h, '{');
    while (!tn_failed(h->error) && !try_byte(h, '}')) {
        uint64_t begin = h->offset;
        unsigned key   = read_item(h, npy);
        if (seen & key)
            tn_fail_at(h, begin, TN_MALFORMED, "a key twice in the header");
        seen |= key;
        skip_space(h);
        if (peek(h) != '}')
            expect_byte(h, ',');
    }
    if (!tn_failed(h->error) && seen != KEY_ALL)
        tn_fail(h, TN_MALFORMED,
                "the header lacks descr, fortran_order or shape");
    skip_space(h);
    if (tn_more(h))
        tn_fail(h, TN_MALFORMED, "something after the header's dict");
}

/* The header as plain memory, which the parser can peek into. */
static struct tn_cursor open_header(struct tn_cursor *c, struct tn_npy *npy)
{
    uint64_t        begin = c->offset;
    struct tn_bytes magic = tn_take_bytes(c, MAGIC_SIZE);

    if (magic.data && memcmp(magic.data, MAGIC, MAGIC_SIZE) != 0)
        tn_fail_at(c, begin, TN_MALFORMED, "not an NPY file");
    npy->major    = tn_u8(c);
    uint8_t minor = tn_u8(c);
    if (!tn_failed(c->error) && (npy->major < 1 || npy->major > 3 || minor))
        tn_fail_at(c, begin + MAGIC_SIZE, TN_UNSUPPORTED, "NPY version %u.%u",
                   npy->major, minor);
    uint32_t length = tn_u8(c);
    length |= (uint32_t)tn_u8(c) << 8;
    if (npy->major > 1) {
        length |= (uint32_t)tn_u8(c) << 16;
        length |= (uint32_t)tn_u8(c) << 24;
    }
    if (!tn_failed(c->error) && length > TN_NPY_HEADER_LIMIT)
        tn_fail_at(c, begin + 8, TN_LIMIT, "a header of %u bytes, limit %u",
                   length, TN_NPY_HEADER_LIMIT);
    uint64_t         offset = c->offset;
    struct tn_cursor h =
        tn_cursor_bytes(tn_take_bytes(c, length), offset, c->error);
    h.source = c->source;
    return h;
}

static void find_data(struct tn_cursor *c, struct tn_npy *npy)
{
    uint64_t size = npy->item_size;
    bool     fits = true, is_empty = false;

    for (uint32_t i = 0; i < npy->rank; i++) {
        is_empty = is_empty || npy->dims[i] == 0;
        fits     = fits && tn_mul(size, npy->dims[i], &size);
    }
    if (!fits && !is_empty)
        tn_fail(c, TN_MALFORMED, "a shape of more than 2^64 bytes");
    npy->data = tn_span(c, is_empty ? 0 : size);
}

enum tn_status tn_npy_read(struct tn_cursor *c, struct tn_npy *npy)
{
    memset(npy, 0, sizeof *npy);
    struct tn_cursor h = open_header(c, npy);
    if (tn_failed(c->error))
        return c->error->status;
    read_dict(&h, npy);
    if (tn_failed(c->error))
        tn_fail(c, c->error->status, "no header");
    else
        find_data(c, npy);
    return c->error->status;
}

static enum tn_status write_header(struct tn_buffer *to, const char *descr,
                                   uint32_t rank, const uint64_t *dims)
{
    struct tn_buffer dict;

    tn_buffer_init(&dict, to->memory, to->error);
    tn_buffer_format(
        &dict, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (uint32_t i = 0; i < rank; i++)
        tn_buffer_format(&dict, "%s%" PRIu64, i ? ", " : "", dims[i]);
    tn_buffer_text(&dict, rank == 1 ? ",), }" : "), }");
    /* Spaces and a newline up to the next multiple; version 1.0 if its u16 is
     * large enough. */
    bool     is_short = dict.size < UINT16_MAX - ALIGNMENT;
    uint64_t prefix   = MAGIC_SIZE + 2 + (is_short ? 2 : 4), total;
    tn_align(prefix + dict.size + 1, ALIGNMENT, &total);
    while (dict.size < total - prefix - 1 && !tn_failed(to->error))
        tn_buffer_byte(&dict, ' ');
    tn_buffer_byte(&dict, '\n');
    tn_buffer_text(to, MAGIC);
    tn_buffer_byte(to, is_short ? 1 : 2);
    tn_buffer_byte(to, 0);
    for (unsigned i = 0; i < prefix - MAGIC_SIZE - 2; i++)
        tn_buffer_byte(to, (uint8_t)(dict.size >> 8 * i));
    tn_buffer_add(to, tn_buffer_bytes(&dict));
    tn_buffer_done(&dict);
    return to->error->status;
}

enum tn_status tn_npy_write(struct tn_buffer *to, enum tn_dtype dtype,
                            uint32_t rank, const uint64_t *dims)
{
    const char *descr = tn_npy_descr(dtype);

    if (!descr)
        return tn_error_set(to->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "NPY has no elements of type %s",
                            tn_dtype_name(dtype));
    return write_header(to, descr, rank, dims);
}

enum tn_status tn_npy_write_strings(struct tn_buffer *to, uint64_t width,
                                    uint32_t rank, const uint64_t *dims)
{
    char descr[32];

    snprintf(descr, sizeof descr, "|S%" PRIu64, width);
    return write_header(to, descr, rank, dims);
}
