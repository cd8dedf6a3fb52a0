/* slice_test.c - slices mean what they mean in Python */
#include "engine/slice.h"

#include <stdio.h>

#include "base/buffer.h"
#include "support/hostile.h"

/* A 3 x 4 matrix of bytes: 0 to 11. */
static const struct {
    const char *slice;
    const char *shape;    /* of the result */
    const char *elements; /* in order, or NULL when it is refused */
} cases[] = {
    { "0", "4", "0 1 2 3" },
    { "-1", "4", "8 9 10 11" },
    { "1,2", "", "6" },
    { ":", "3 4", "0 1 2 3 4 5 6 7 8 9 10 11" },
    { "1:", "2 4", "4 5 6 7 8 9 10 11" },
    { ":1", "1 4", "0 1 2 3" },
    { ":,1", "3", "1 5 9" },
    { "...,1", "3", "1 5 9" },
    { "1,...", "4", "4 5 6 7" },
    { "::2,::2", "2 2", "0 2 8 10" },
    { "::-1,0", "3", "8 4 0" },
    { "-2:,-2:", "2 2", "6 7 10 11" },
    { "2:0:-1,3", "2", "11 7" },
    { "0,3:0:-2", "2", "3 1" },
    { "1:1", "0 4", "" },
    { "5:", "0 4", "" },
    { ":99,-99:1", "3 1", "0 4 8" },
    { "3", NULL, NULL },
    { "-4", NULL, NULL },
    { "0,0,0", NULL, NULL },
    { "...,...", NULL, NULL },
    { "::0", NULL, NULL },
    { "", NULL, NULL },
    { "x", NULL, NULL },
    { "1;2", NULL, NULL },
    { "99999999999999999999", NULL, NULL },
};

static const char *join(const uint64_t *numbers, uint64_t count, char *to,
                        size_t size)
{
    size_t used = 0;

    to[0] = '\0';
    for (uint64_t i = 0; i < count; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%llu",
                                 i ? " " : "", (unsigned long long)numbers[i]);
    return to;
}

static void check_case(size_t i, const struct tn_elements *matrix,
                       struct tn_memory *memory)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_elements sliced;
    struct tn_arena    arena;
    struct tn_buffer   bytes;
    char               text[128];
    uint64_t           numbers[12], count = 0;

    tn_arena_init(&arena, memory);
    enum tn_status status =
        tn_slice_parse(cases[i].slice, matrix, &arena, &sliced, &error);
    if (!cases[i].elements) {
        assert_int_equal(status, TN_INVALID);
        tn_arena_done(&arena);
        return;
    }
    assert_int_equal(status, TN_OK);
    assert_string_equal(
        join(sliced.shape.dims, sliced.shape.rank, text, sizeof text),
        cases[i].shape);
    assert_true(tn_shape_count(&sliced.shape, &count));
    tn_buffer_init(&bytes, memory, &error);
    assert_int_equal(tn_payload_stream(&sliced, 0, count, memory, &bytes.sink,
                                       &error),
                     TN_OK);
    assert_int_equal(bytes.size, count);
    for (uint64_t k = 0; k < count; k++)
        numbers[k] = bytes.data[k];
    assert_string_equal(join(numbers, count, text, sizeof text),
                        cases[i].elements);
    tn_buffer_done(&bytes);
    tn_arena_done(&arena);
}

static void means_what_python_means(void **state)
{
    static const uint8_t  bytes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    static const uint64_t dims[]  = { 3, 4 };
    struct tn_memory      memory;
    struct tn_source      source;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(bytes, sizeof bytes));
    struct tn_elements matrix = {
        .shape   = { TN_UINT8, 2, dims },
        .payload = { .span     = { &source, 0, sizeof bytes },
                     .stored   = sizeof bytes,
                     .encoding = TN_ENCODING_RAW,
                     .per_byte = 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(i, &matrix, &memory);
    tn_source_close(&source);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_what_python_means),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
