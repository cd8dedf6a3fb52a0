/* element_text.c - single elements as text for people */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"
#include "ir/element.h"

/* Room for one float as text. */
#define FLOAT_TEXT 40

/* Digits that every number of the type survives, in decimal and back; numbers
 * below the normal ones have less precision, and may need but one. */
static int first_precision(enum tn_dtype dtype, double value)
{
    double magnitude = value < 0 ? -value : value;

    switch (dtype) {
    case TN_FLOAT64: return magnitude < DBL_MIN ? 1 : DBL_DIG;
    case TN_FLOAT32: return magnitude < (double)FLT_MIN ? 1 : FLT_DIG;
    default: return 1;
    }
}

/* Integers in full, unless that is longer: 448, not 4.5e+02. */
static void prefer_integer(double value, char *text)
{
    char   whole[FLOAT_TEXT];
    double magnitude = value < 0 ? -value : value;

    if (magnitude >= 1e17 || (double)(int64_t)value != value)
        return;
    snprintf(whole, sizeof whole, "%" PRId64, (int64_t)value);
    if (value != 0 && strlen(whole) <= strlen(text))
        strcpy(text, whole);
}

static void float_text(enum tn_dtype dtype, const uint8_t *element, char *text)
{
    uint8_t again[8];
    double  value = tn_element_double(dtype, element);

    if (value != value) {
        strcpy(text, "nan");
        return;
    }
    if (value - value != 0) {
        strcpy(text, value < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = first_precision(dtype, value); digits <= DBL_DECIMAL_DIG;
         digits++) {
        snprintf(text, FLOAT_TEXT, "%.*g", digits, value);
        tn_element_from_double(dtype, strtod(text, NULL), again);
        if (tn_element_double(dtype, again) == value)
            break;
    }
    tn_number_drop_locale(text);
    prefer_integer(value, text);
}

static void complex_text(enum tn_dtype dtype, const uint8_t *element,
                         char *text)
{
    enum tn_dtype part = dtype == TN_COMPLEX64 ? TN_FLOAT32 : TN_FLOAT64;
    char          real[FLOAT_TEXT], imaginary[FLOAT_TEXT];

    float_text(part, element, real);
    float_text(part, element + tn_dtype_size(part), imaginary);
    snprintf(text, TN_ELEMENT_TEXT, "(%s%s%sj)", real,
             imaginary[0] == '-' ? "" : "+", imaginary);
}

const char *tn_element_text(enum tn_dtype dtype, const uint8_t *element,
                            char text[TN_ELEMENT_TEXT])
{
    text[0] = '\0';
    switch (tn_element_kind(dtype)) {
    case TN_ELEMENT_NONE: break;
    case TN_ELEMENT_FLOAT: float_text(dtype, element, text); break;
    case TN_ELEMENT_COMPLEX: complex_text(dtype, element, text); break;
    case TN_ELEMENT_SIGNED:
        snprintf(text, TN_ELEMENT_TEXT, "%" PRId64,
                 tn_element_int64(dtype, element));
        break;
    case TN_ELEMENT_UNSIGNED:
        snprintf(text, TN_ELEMENT_TEXT, "%" PRIu64,
                 (uint64_t)tn_element_int64(dtype, element));
        break;
    case TN_ELEMENT_BOOL:
        strcpy(text, tn_element_int64(dtype, element) ? "true" : "false");
        break;
    }
    return text;
}

/* Bytes of the character that begins here if it may be shown as it is, or 0. */
static size_t shown_size(struct tn_bytes text, size_t at)
{
    const uint8_t *p    = text.data + at;
    size_t         size = tn_utf8_check(p, text.data + text.size);

    if (size == 0 || *p == '"' || *p == '\\')
        return 0;
    return tn_utf8_is_harmful(tn_utf8_code(p, (unsigned)size)) ? 0 : size;
}

static void put_escape(struct tn_buffer *to, uint8_t byte)
{
    switch (byte) {
    case '\n': tn_buffer_text(to, "\\n"); break;
    case '\r': tn_buffer_text(to, "\\r"); break;
    case '\t': tn_buffer_text(to, "\\t"); break;
    case '"': tn_buffer_text(to, "\\\""); break;
    case '\\': tn_buffer_text(to, "\\\\"); break;
    default: tn_buffer_format(to, "\\x%02x", byte); break;
    }
}

void tn_element_string(struct tn_buffer *to, struct tn_bytes text)
{
    tn_buffer_byte(to, '"');
    for (size_t at = 0; at < text.size;) {
        size_t size = shown_size(text, at);
        if (size)
            tn_buffer_add(to, tn_bytes(text.data + at, size));
        else
            put_escape(to, text.data[at]);
        at += size ? size : 1;
    }
    tn_buffer_byte(to, '"');
}
