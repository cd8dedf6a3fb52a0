/* pb_schema.c - asking a loaded schema */
#include "wire/pb/pb_schema.h"

#include <math.h>

#include "base/number.h"

/* strcmp for a name that has no terminator. */
static int compare_name(struct tn_bytes wanted, const char *name)
{
    size_t size  = strlen(name);
    size_t least = wanted.size < size ? wanted.size : size;
    int    order = least ? memcmp(wanted.data, name, least) : 0;

    if (order)
        return order;
    return (wanted.size > size) - (wanted.size < size);
}

const struct tn_pb_message *tn_pb_schema_find(const struct tn_pb_schema *schema,
                                              const char *full_name)
{
    struct tn_bytes wanted = tn_text(full_name + (full_name[0] == '.'));
    uint32_t        low = 0, high = schema->message_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_name(wanted, schema->messages[middle].full_name);
        if (order == 0)
            return &schema->messages[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct tn_pb_field_type *tn_pb_message_field(
    const struct tn_pb_message *message, uint32_t number)
{
    uint32_t low = 0, high = message->field_count;

    if (number < message->by_number_size) {
        uint16_t place = message->by_number[number];
        return place ? &message->fields[place - 1] : NULL;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (message->fields[middle].number == number)
            return &message->fields[middle];
        if (number < message->fields[middle].number)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct tn_pb_field_type *tn_pb_message_field_named(
    const struct tn_pb_message *message, struct tn_bytes name)
{
    uint32_t low = 0, high = message->field_count;

    while (low < high) {
        uint32_t                       middle = low + (high - low) / 2;
        const struct tn_pb_field_type *field =
            &message->fields[message->by_name[middle]];
        int order = compare_name(name, field->name);
        if (order == 0)
            return field;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct tn_pb_field_type *tn_pb_message_field_json(
    const struct tn_pb_message *message, struct tn_bytes json_name)
{
    for (uint32_t i = 0; i < message->field_count; i++)
        if (compare_name(json_name, message->fields[i].json_name) == 0)
            return &message->fields[i];
    return NULL;
}

const char *tn_pb_enum_name(const struct tn_pb_enum *type, int32_t number)
{
    uint32_t low = 0, high = type->value_count;

    while (low < high) { /* the first that is not below: of aliases the first */
        uint32_t middle = low + (high - low) / 2;
        if (type->values[type->by_number[middle]].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == type->value_count)
        return NULL;
    const struct tn_pb_enum_value *value = &type->values[type->by_number[low]];
    return value->number == number ? value->name : NULL;
}

bool tn_pb_enum_number(const struct tn_pb_enum *type, struct tn_bytes name,
                       int32_t *number)
{
    uint32_t low = 0, high = type->value_count;

    while (low < high) {
        uint32_t                       middle = low + (high - low) / 2;
        const struct tn_pb_enum_value *value =
            &type->values[type->by_name[middle]];
        int order = compare_name(name, value->name);
        if (order == 0) {
            *number = value->number;
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

enum tn_wire_type tn_pb_wire_type(enum tn_pb_type type)
{
    switch (type) {
    case TN_PB_DOUBLE:
    case TN_PB_FIXED64:
    case TN_PB_SFIXED64: return TN_WIRE_FIXED64;
    case TN_PB_FLOAT:
    case TN_PB_FIXED32:
    case TN_PB_SFIXED32: return TN_WIRE_FIXED32;
    case TN_PB_STRING:
    case TN_PB_BYTES:
    case TN_PB_MESSAGE: return TN_WIRE_LEN;
    case TN_PB_GROUP: return TN_WIRE_GROUP_BEGIN;
    case TN_PB_INT64:
    case TN_PB_UINT64:
    case TN_PB_INT32:
    case TN_PB_BOOL:
    case TN_PB_UINT32:
    case TN_PB_ENUM:
    case TN_PB_SINT32:
    case TN_PB_SINT64: break;
    }
    return TN_WIRE_VARINT;
}

bool tn_pb_is_packable(enum tn_pb_type type)
{
    enum tn_wire_type wire = tn_pb_wire_type(type);

    return wire != TN_WIRE_LEN && wire != TN_WIRE_GROUP_BEGIN;
}

/* Decimal, the whole text, inside [-2^63, 2^64). */
static bool parse_integer(struct tn_bytes text, bool *is_negative,
                          uint64_t *size)
{
    *is_negative = text.data[0] == '-';
    *size        = 0;
    for (size_t i = *is_negative; i < text.size; i++) {
        uint8_t digit = (uint8_t)(text.data[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(*size, 10, size) ||
            __builtin_add_overflow(*size, digit, size))
            return false;
    }
    return text.size > *is_negative;
}

static bool default_integer(struct tn_bytes text, uint64_t below,
                            uint64_t above, uint64_t *bits)
{
    bool     is_negative;
    uint64_t size;

    if (!parse_integer(text, &is_negative, &size))
        return false;
    *bits = is_negative ? -size : size;
    return size <= (is_negative ? below : above);
}

/* protoc writes what is not finite as words. */
static bool parse_double(struct tn_bytes text, double *value)
{
    static const struct {
        const char *word;
        double      value;
    } words[] = { { "inf", INFINITY }, { "-inf", -INFINITY }, { "nan", NAN } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (tn_bytes_is(text, words[i].word)) {
            *value = words[i].value;
            return true;
        }
    }
    return tn_double_parse(text, value);
}

static bool default_double(struct tn_bytes text, uint64_t *bits)
{
    double value = 0;

    if (!parse_double(text, &value))
        return false;
    *bits = tn_double_bits(value);
    return true;
}

static bool default_float(struct tn_bytes text, uint64_t *bits)
{
    double value = 0;

    if (!parse_double(text, &value))
        return false;
    *bits = tn_float_bits(tn_double_to_float(value));
    return true;
}

static bool default_enum(const struct tn_pb_field_type *field, uint64_t *bits)
{
    int32_t number = field->enumeration->values[0].number;
    bool    is_value =
        field->default_text.size == 0 ||
        tn_pb_enum_number(field->enumeration, field->default_text, &number);

    *bits = (uint64_t)(int64_t)number;
    return is_value;
}

bool tn_pb_field_default(const struct tn_pb_field_type *field, uint64_t *bits)
{
    struct tn_bytes text = field->default_text;

    *bits = 0;
    if (field->type == TN_PB_ENUM)
        return default_enum(field, bits);
    if (text.size == 0)
        return true;
    switch (field->type) {
    case TN_PB_DOUBLE: return default_double(text, bits);
    case TN_PB_FLOAT: return default_float(text, bits);
    case TN_PB_INT64:
    case TN_PB_SINT64:
    case TN_PB_SFIXED64:
        return default_integer(text, UINT64_C(1) << 63, INT64_MAX, bits);
    case TN_PB_INT32:
    case TN_PB_SINT32:
    case TN_PB_SFIXED32:
        return default_integer(text, UINT64_C(1) << 31, INT32_MAX, bits);
    case TN_PB_UINT64:
    case TN_PB_FIXED64: return default_integer(text, 0, UINT64_MAX, bits);
    case TN_PB_UINT32:
    case TN_PB_FIXED32: return default_integer(text, 0, UINT32_MAX, bits);
    case TN_PB_BOOL:
        *bits = tn_bytes_is(text, "true");
        return *bits || tn_bytes_is(text, "false");
    case TN_PB_STRING:
    case TN_PB_BYTES:
    case TN_PB_ENUM:
    case TN_PB_GROUP:
    case TN_PB_MESSAGE: break;
    }
    return false;
}
