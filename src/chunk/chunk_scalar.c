/* chunk_scalar.c - a number, an enum or a bool as a chunk of its own */
#include "chunk/chunk_scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "wire/pb/pb_rules.h"

/* ---- reading ------------------------------------------------------------- */

static bool parse_float(struct tn_bytes text, double *value)
{
    if (tn_bytes_is(text, "inf") || tn_bytes_is(text, "-inf"))
        *value = text.data[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    else if (tn_bytes_is(text, "nan") || tn_bytes_is(text, "-nan"))
        *value = (double)NAN;
    else
        return tn_double_parse(text, value);
    return true;
}

static bool parse_text(const struct tn_pb_field_type *field,
                       struct tn_bytes text, uint64_t *bits)
{
    int64_t number;
    int32_t value;
    double  real;

    switch (field->type) {
    case TN_PB_BOOL: *bits = tn_bytes_is(text, "true"); return true;
    case TN_PB_ENUM:
        if (!tn_pb_enum_number(field->enumeration, text, &value))
            return false;
        *bits = (uint64_t)(int64_t)value;
        return true;
    case TN_PB_DOUBLE:
    case TN_PB_FLOAT:
        if (!parse_float(text, &real))
            return false;
        *bits = field->type == TN_PB_DOUBLE
                    ? tn_double_bits(real)
                    : tn_float_bits(tn_double_to_float(real));
        return true;
    default: break;
    }
    if (!tn_pb_is_signed(field->type))
        return tn_uint64_parse(text, bits) &&
               (!tn_pb_is_32bit(field->type) || *bits <= UINT32_MAX);
    *bits = tn_int64_parse(text, &number) ? (uint64_t)number : 0;
    return tn_int64_parse(text, &number) &&
           (!tn_pb_is_32bit(field->type) ||
            (number >= INT32_MIN && number <= INT32_MAX));
}

static size_t binary_size(const struct tn_pb_field_type *field)
{
    if (field->type == TN_PB_BOOL)
        return 1;
    return field->type == TN_PB_FLOAT || tn_pb_is_32bit(field->type) ? 4 : 8;
}

static bool parse_binary(const struct tn_pb_field_type *field,
                         struct tn_bytes bytes, uint64_t *bits)
{
    uint64_t value = 0;

    if (bytes.size != binary_size(field))
        return false;
    for (size_t i = 0; i < bytes.size; i++)
        value |= (uint64_t)bytes.data[i] << (8 * i);
    if (field->type == TN_PB_BOOL)
        *bits = value != 0;
    else if (tn_pb_is_32bit(field->type) && tn_pb_is_signed(field->type))
        *bits = (uint64_t)(int32_t)(uint32_t)value;
    else
        *bits = value;
    return true;
}

static enum tn_status refuse_binary(const struct tn_pb_field_type *field,
                                    uint64_t size, enum tn_status status,
                                    uint64_t offset, struct tn_error *error)
{
    return tn_error_set(error, status, offset,
                        "%" PRIu64
                        " bytes for %s, which needs %zu in binary form",
                        size, field->name, binary_size(field));
}

enum tn_status tn_scalar_read(const struct tn_pb_field_type *field,
                              enum tn_scalar_form form, struct tn_span chunk,
                              uint64_t *bits, struct tn_error *error)
{
    uint8_t room[TN_SCALAR_LONGEST];

    if (form == TN_SCALARS_BINARY && chunk.length != binary_size(field))
        return refuse_binary(field, chunk.length, TN_MALFORMED, chunk.offset,
                             error);
    if (chunk.length > sizeof room)
        return tn_error_set(error, TN_MALFORMED, chunk.offset,
                            "%" PRIu64 " bytes of text for the number %s",
                            chunk.length, field->name);
    if (chunk.length)
        TN_TRY(tn_source_read(chunk.source, chunk.offset, room,
                              (size_t)chunk.length, error));
    struct tn_bytes bytes = tn_bytes(room, (size_t)chunk.length);
    if (form == TN_SCALARS_BINARY ? parse_binary(field, bytes, bits)
                                  : parse_text(field, bytes, bits))
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, chunk.offset,
                        "\"%.*s\" is not a value of %s", TN_FMT(bytes),
                        field->name);
}

/* ---- writing ------------------------------------------------------------- */

static const char *what_fits(const struct tn_pb_field_type *field)
{
    switch (field->type) {
    case TN_PB_BOOL: return "true or false";
    case TN_PB_ENUM: return "the name of one of its values";
    case TN_PB_FLOAT:
    case TN_PB_DOUBLE: return "a decimal number, inf, -inf or nan";
    default: return "a whole number in its range, in decimal digits";
    }
}

/* [-] digits: other readers know no exponents in whole numbers. */
static bool is_plain_integer(struct tn_bytes text)
{
    size_t i = text.size && text.data[0] == '-';

    if (i == text.size)
        return false;
    while (i < text.size && text.data[i] >= '0' && text.data[i] <= '9')
        i++;
    return i == text.size;
}

/* A number that became infinite without being written so does not fit the
 * type. */
static bool overflows(const struct tn_pb_field_type *field,
                      struct tn_bytes text, uint64_t bits)
{
    double value = field->type == TN_PB_FLOAT
                       ? (double)tn_float_of_bits((uint32_t)bits)
                       : tn_double_of_bits(bits);

    return isinf(value) && !tn_bytes_is(text, "inf") &&
           !tn_bytes_is(text, "-inf");
}

static bool is_good_text(const struct tn_pb_field_type *field,
                         struct tn_bytes                text)
{
    uint64_t bits;

    if (text.size > TN_SCALAR_LONGEST || !parse_text(field, text, &bits))
        return false;
    switch (field->type) {
    case TN_PB_BOOL: return bits || tn_bytes_is(text, "false");
    case TN_PB_ENUM: return true;
    case TN_PB_FLOAT:
    case TN_PB_DOUBLE: return !overflows(field, text, bits);
    default: return is_plain_integer(text);
    }
}

enum tn_status tn_scalar_check(const struct tn_pb_field_type *field,
                               enum tn_scalar_form form, struct tn_bytes chunk,
                               struct tn_error *error)
{
    uint64_t bits;

    if (form == TN_SCALARS_BINARY)
        return parse_binary(field, chunk, &bits)
                   ? TN_OK
                   : refuse_binary(field, chunk.size, TN_INVALID, TN_NOWHERE,
                                   error);
    if (is_good_text(field, chunk))
        return TN_OK;
    struct tn_bytes shown =
        tn_bytes(chunk.data, chunk.size > 40 ? 40 : chunk.size);
    return tn_error_set(
        error, TN_INVALID, TN_NOWHERE,
        "\"%.*s\" is not a value of %s: its chunk must be the text of %s",
        TN_FMT(shown), field->name, what_fits(field));
}

static size_t print_text(const struct tn_pb_field_type *field, uint64_t bits,
                         char to[TN_NUMBER_ROOM])
{
    if (field->type == TN_PB_DOUBLE)
        return tn_double_print(to, tn_double_of_bits(bits));
    if (field->type == TN_PB_FLOAT)
        return tn_float_print_short(to, tn_float_of_bits((uint32_t)bits));
    return (size_t)snprintf(
        to, TN_NUMBER_ROOM,
        tn_pb_is_signed(field->type) ? "%" PRId64 : "%" PRIu64, bits);
}

static const char *word_of(const struct tn_pb_field_type *field, uint64_t bits)
{
    if (field->type == TN_PB_BOOL)
        return bits ? "true" : "false";
    if (field->type == TN_PB_ENUM)
        return tn_pb_enum_name(field->enumeration, (int32_t)(uint32_t)bits);
    return NULL;
}

struct tn_bytes tn_scalar_make(const struct tn_pb_field_type *field,
                               enum tn_scalar_form form, uint64_t bits,
                               struct tn_arena *arena, struct tn_error *error)
{
    uint8_t *room = tn_new(arena, uint8_t, TN_NUMBER_ROOM, error);

    if (!room)
        return (struct tn_bytes){ NULL, 0 };
    if (form == TN_SCALARS_BINARY) {
        size_t size = binary_size(field);
        for (size_t i = 0; i < size; i++)
            room[i] = (uint8_t)(bits >> (8 * i));
        return tn_bytes(room, size);
    }
    const char *word = word_of(field, bits); /* lives in the schema */
    if (word)
        return tn_text(word);
    return tn_bytes(room, print_text(field, bits, (char *)room));
}
