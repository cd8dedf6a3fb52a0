/*
 * fb_schema_fuzz.c - any bytes as a binary schema, and the rest by it
 *
 * The first two bytes say how long the schema is; what follows it is verified
 * and dumped as every table that the schema has, up to a few.
 */
#include <assert.h>

#include "support/fb_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct tn_fb_schema *schema, struct tn_bytes bytes,
                struct tn_memory *memory)
{
    for (uint32_t i = 0; i < schema->object_count && i < 8; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer out;
        if (schema->objects[i].is_struct)
            continue;
        tn_buffer_init(&out, memory, &error);
        fb_sample_print(&schema->objects[i], bytes, &out, &error);
        tn_buffer_done(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_fb_schema schema;
    struct tn_memory    memory;
    struct tn_arena     arena;

    if (size < 2)
        return 0;
    size_t length = (size_t)(data[0] | data[1] << 8);
    length        = length < size - 2 ? length : size - 2;
    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    tn_arena_init(&arena, &memory);
    if (tn_fb_schema_load(&schema, &arena, tn_bytes(data + 2, length),
                          &error) == TN_OK)
        use(&schema, tn_bytes(data + 2 + length, size - 2 - length), &memory);
    else
        assert(error.what[0]);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
