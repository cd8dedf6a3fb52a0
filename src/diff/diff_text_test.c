/* diff_text_test.c - attributes, types and shapes as short text */
#include "diff/diff_text.h"

#include "support/hostile.h"

static struct tn_memory memory;
static struct tn_error  error;

static void is_text(struct tn_buffer *made, const char *text)
{
    assert_int_equal(error.status, TN_OK);
    assert_string_equal(tn_buffer_string(made), text);
    tn_buffer_clear(made);
}

static void values_are_short(void **state)
{
    static const int64_t  many[20] = { 1, -2, 3 }, one[] = { 1 };
    static const int64_t  kernel[] = { 3, -1 };
    static const float    half[]   = { 0.5f };
    struct tn_bytes       words[]  = { tn_text("SAME"), tn_text("VALID") };
    struct tn_attr_shape  shapes[] = { { true, 2, kernel }, { false, 0, NULL } };
    struct tn_buffer      made;
    const struct {
        struct tn_attr_value value;
        const char          *text;
    } cases[] = {
        { { TN_ATTR_INT, false, 1, { .ints = kernel } }, "3" },
        { { TN_ATTR_INT, true, 1, { .ints = kernel } }, "[3]" },
        { { TN_ATTR_INT, true, 2, { .ints = kernel } }, "[3,-1]" },
        { { TN_ATTR_INT, true, 0, { .ints = kernel } }, "[]" },
        { { TN_ATTR_INT, true, 20, { .ints = many } },
          "[1,-2,3,0,0,0,0,0,0,0,0,0,0,0,0,0,... (20)]" },
        { { TN_ATTR_BOOL, false, 1, { .ints = one } }, "true" },
        { { TN_ATTR_DTYPE, false, 1, { .ints = one } }, "float32" },
        { { TN_ATTR_FLOAT, false, 1, { .floats = half } }, "0.5" },
        { { TN_ATTR_STRING, true, 2, { .strings = words } }, "[SAME,VALID]" },
        { { TN_ATTR_OTHER, false, 1, { .strings = words } }, "4 bytes" },
        { { TN_ATTR_SHAPE, true, 2, { .shapes = shapes } }, "[[3,?],[...]]" },
        { { TN_ATTR_GRAPH, false, 1, { .ints = one } }, "graph" },
    };

    (void)state;
    tn_buffer_init(&made, &memory, &error);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tn_diff_value_text(&made, &cases[i].value);
        is_text(&made, cases[i].text);
    }
    tn_buffer_done(&made);
}

static void shapes_and_ends_are_named(void **state)
{
    static const uint64_t dims[] = { 64, 3 };
    struct tn_shape       shape  = { TN_FLOAT16, 2, dims };
    struct tn_dim         open[] = { { .symbol = tn_text("batch") },
                                     { .value = 3 },
                                     { .value = -1 } };
    struct tn_io          io = { .dtype = TN_INT64, .has_rank = true, .rank = 3,
                                 .dims = open };
    struct tn_buffer      made;

    (void)state;
    tn_buffer_init(&made, &memory, &error);
    tn_diff_shape_text(&made, &shape);
    is_text(&made, "float16 [64,3]");
    tn_diff_io_text(&made, &io);
    is_text(&made, "int64 [batch,3,?]");
    io.has_rank = false;
    io.note     = "sequence";
    tn_diff_io_text(&made, &io);
    is_text(&made, "sequence of int64 [...]");
    tn_diff_plain_text(&made, tn_text("0123456789abcdef"), 8);
    is_text(&made, "0123...ef");
    tn_diff_plain_text(&made, tn_text("01234567"), 8);
    is_text(&made, "01234567");
    tn_buffer_done(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_short),
        cmocka_unit_test(shapes_and_ends_are_named),
    };

    tn_memory_init(&memory, NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
