/*
 * pb_message_fuzz.c - a message and its normal form mean the same
 *
 * The input is a message and, unless it is of a type that the library knows,
 * the schema it is read by:
 *
 *   u8   which   0 onnx.ModelProto, 1 tensorflow.GraphDef, else own schema
 *   u16  size    own schema only, little-endian, of the descriptor set
 *        set     its message with the most fields is the type
 *        message
 */
#undef NDEBUG
#include <assert.h>

#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_merge.h"

#define MEMORY_LIMIT (UINT64_C(64) << 20)
#define LEVELS       4

static void same_values(const struct tn_pb_view *a, const struct tn_pb_view *b,
                        unsigned levels);

static uint64_t count_items(const struct tn_pb_view       *view,
                            const struct tn_pb_field_type *field)
{
    struct tn_pb_items items = tn_pb_view_items(view, field);
    struct tn_pb_value value;
    uint64_t           count = 0;

    while (tn_pb_items_next(&items, &value))
        count++;
    return count;
}

static void same_items(const struct tn_pb_view *a, const struct tn_pb_view *b,
                       const struct tn_pb_field_type *field, unsigned levels)
{
    struct tn_pb_items x = tn_pb_view_items(a, field);
    struct tn_pb_items y = tn_pb_view_items(b, field);
    struct tn_pb_value p, q;

    if (field->is_map) { /* what was overwritten is gone */
        assert(count_items(a, field) >= count_items(b, field));
        return;
    }
    while (tn_pb_items_next(&x, &p)) {
        assert(tn_pb_items_next(&y, &q));
        assert(p.bits == q.bits);
        if (field->message) {
            struct tn_pb_view m = tn_pb_item_message(a, field, &p);
            struct tn_pb_view n = tn_pb_item_message(b, field, &q);
            same_values(&m, &n, levels - 1);
        } else if (!tn_pb_is_packable(field->type)) {
            assert(tn_left(&p.body) == tn_left(&q.body));
        }
    }
    assert(!tn_pb_items_next(&y, &q));
}

static void same_single(const struct tn_pb_view *a, const struct tn_pb_view *b,
                        const struct tn_pb_field_type *field, unsigned levels)
{
    if (field->message) {
        struct tn_pb_view m = tn_pb_view_message(a, field);
        struct tn_pb_view n = tn_pb_view_message(b, field);
        same_values(&m, &n, levels - 1);
    } else if (tn_pb_is_packable(field->type)) {
        assert(tn_pb_view_bits(a, field) == tn_pb_view_bits(b, field));
    } else {
        assert(tn_bytes_equal(tn_pb_view_text(a, field),
                              tn_pb_view_text(b, field)));
    }
}

static void same_values(const struct tn_pb_view *a, const struct tn_pb_view *b,
                        unsigned levels)
{
    for (uint32_t i = 0; levels && i < a->type->field_count; i++) {
        const struct tn_pb_field_type *field = &a->type->fields[i];
        if (tn_failed(a->error))
            return;
        if (field->label == TN_PB_REPEATED)
            same_items(a, b, field, levels);
        else
            same_single(a, b, field, levels);
    }
}

/* What is normal stays as it is, by reference: one piece or none. */
static void stays_normal(const struct tn_pb_view *view)
{
    struct tn_rope rope;

    tn_rope_init(&rope, view->arena, view->error);
    if (tn_pb_normalize(view, &rope) == TN_OK)
        assert(rope.length == tn_left(&view->part) && rope.pieces.count <= 1);
    else
        assert(view->error->status == TN_LIMIT);
    tn_rope_done(&rope);
}

static void check(const struct tn_pb_message *type, struct tn_bytes message,
                  struct tn_arena *arena)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_rope   rope;
    struct tn_buffer normal;

    tn_rope_init(&rope, arena, &error);
    tn_buffer_init(&normal, arena->memory, &error);
    struct tn_pb_view view =
        tn_pb_view(type, tn_cursor_bytes(message, 0, &error), arena);
    if (tn_pb_normalize(&view, &rope) == TN_OK &&
        tn_rope_write(&rope, &normal.sink, &error) == TN_OK) {
        struct tn_pb_view again = tn_pb_view(
            type, tn_cursor_bytes(tn_buffer_bytes(&normal), 0, &error), arena);
        stays_normal(&again);
        same_values(&view, &again, LEVELS);
    }
    assert(error.status == TN_OK || error.offset == TN_NOWHERE ||
           error.offset <= message.size + normal.size);
    tn_buffer_done(&normal);
    tn_rope_done(&rope);
}

/* Our own schemas are loaded once: they do not change. */
static const struct tn_pb_message *known_type(uint8_t which)
{
    static const char *const   names[] = { "onnx.ModelProto",
                                           "tensorflow.GraphDef" };
    static struct tn_memory    memory;
    static struct tn_arena     arena;
    static struct tn_pb_schema schemas[2];
    struct tn_error            error = TN_ERROR_INIT;

    if (!schemas[0].arena) {
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
    }
    if (!schemas[which].arena)
        tn_pb_schema_load(&schemas[which], &arena,
                          tn_pb_builtin_set((enum tn_pb_builtin)which), &error);
    assert(!tn_failed(&error));
    return tn_pb_schema_find(&schemas[which], names[which]);
}

static const struct tn_pb_message *largest_type(
    const struct tn_pb_schema *schema)
{
    const struct tn_pb_message *largest = &schema->messages[0];

    for (uint32_t i = 1; i < schema->message_count; i++)
        if (schema->messages[i].field_count > largest->field_count)
            largest = &schema->messages[i];
    return largest;
}

static void check_own(const uint8_t *data, size_t size, struct tn_arena *arena)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_pb_schema schema;

    if (size < 2)
        return;
    size_t set_size = (size_t)data[0] | (size_t)data[1] << 8;
    if (set_size > size - 2)
        return;
    if (tn_pb_schema_load(&schema, arena, tn_bytes(data + 2, set_size),
                          &error) == TN_OK &&
        schema.message_count)
        check(largest_type(&schema),
              tn_bytes(data + 2 + set_size, size - 2 - set_size), arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory memory;
    struct tn_arena  arena;

    if (size == 0)
        return 0;
    tn_memory_init(&memory, NULL, MEMORY_LIMIT);
    tn_arena_init(&arena, &memory);
    if (data[0] <= 1)
        check(known_type(data[0]), tn_bytes(data + 1, size - 1), &arena);
    else
        check_own(data + 1, size - 1, &arena);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
