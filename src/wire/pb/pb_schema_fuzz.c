/* pb_schema_fuzz.c - a set that loads keeps every promise of pb_schema.h */
#undef NDEBUG
#include <assert.h>

#include "wire/pb/pb_schema.h"

/* A set may cost more than its bytes, but not without bound: every message
 * carries its full name, every field some fixed structures. */
#define COST_PER_BYTE   1200
#define COST_OF_NOTHING (UINT64_C(64) << 10)

static void check_field(const struct tn_pb_message    *message,
                        const struct tn_pb_field_type *field)
{
    uint64_t bits;
    bool is_nested = field->type == TN_PB_MESSAGE || field->type == TN_PB_GROUP;

    assert(field->number >= 1 && field->number < 1u << 29);
    assert(tn_pb_message_field(message, field->number) == field);
    assert(tn_pb_message_field_named(message, tn_text(field->name)) == field);
    assert(field->json_name[0]);
    assert(is_nested == (field->message != NULL));
    assert((field->type == TN_PB_ENUM) == (field->enumeration != NULL));
    assert(field->oneof < (int32_t)message->oneof_count);
    assert(!field->is_packed || tn_pb_is_packable(field->type));
    assert(!field->is_packed || field->label == TN_PB_REPEATED);
    assert(!field->is_map || field->message->field_count == 2);
    if (tn_pb_is_packable(field->type))
        assert(tn_pb_field_default(field, &bits));
}

static void check_enum(const struct tn_pb_enum *type)
{
    assert(type->value_count > 0);
    for (uint32_t i = 0; i < type->value_count; i++) {
        const struct tn_pb_enum_value *value  = &type->values[i];
        int32_t                        number = 0;
        assert(tn_pb_enum_number(type, tn_text(value->name), &number));
        assert(number == value->number);
        assert(tn_pb_enum_name(type, number));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_pb_schema schema;

    tn_memory_init(&memory, NULL, COST_OF_NOTHING + size * COST_PER_BYTE);
    tn_arena_init(&arena, &memory);
    if (tn_pb_schema_load(&schema, &arena, tn_bytes(data, size), &error)) {
        assert(error.what[0]);
        assert(error.offset == TN_NOWHERE || error.offset <= size);
        assert(error.offset != TN_NOWHERE); /* never for want of memory */
    }
    for (uint32_t i = 0; i < schema.message_count; i++) {
        const struct tn_pb_message *message = &schema.messages[i];
        assert(tn_pb_schema_find(&schema, message->full_name) == message);
        for (uint32_t j = 0; j < message->field_count; j++)
            check_field(message, &message->fields[j]);
    }
    for (uint32_t i = 0; i < schema.enum_count; i++)
        check_enum(&schema.enums[i]);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
