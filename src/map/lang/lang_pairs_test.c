/* lang_pairs_test.c - complex numbers as pairs of reals */
#include "map/lang/lang_pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/net_make.h"

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
    struct tn_source source;
};

static void set_up(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "tensorflow", &b->error);
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
}

static void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static void assert_type(const struct tn_net_type *type, const char *expected)
{
    char text[200];
    int  at = snprintf(text, sizeof text, "%s", tn_dtype_name(type->dtype));

    for (uint32_t i = 0; type->has_rank && i < type->rank; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %lld",
                       (long long)type->dims[i]);
    assert_string_equal(text, expected);
}

static const struct {
    enum tn_dtype dtype;
    int64_t       dims[4]; /* end with -2 */
    const char   *pairs;
} types[] = {
    { TN_COMPLEX64, { 2, 3, -2 }, "float32 2 3 2" },
    { TN_COMPLEX128, { -1, -2 }, "float64 -1 2" },
    { TN_COMPLEX64, { -2 }, "float32 2" },
    /* what is not complex stays as it is */
    { TN_FLOAT32, { 2, -2 }, "float32 2" },
    { TN_INT64, { -2 }, "int64" },
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct bench b;
        set_up(&b);
        uint32_t x = make_input(&b.net, "x", types[i].dtype, types[i].dims);
        tn_pair_value(&b.net, x);
        assert_type(tn_net_value(&b.net, x).type, types[i].pairs);
        assert_string_equal(b.error.what, "");
        tear_down(&b);
    }
}

static void test_nodes(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    uint32_t x = make_input(&b.net, "x", TN_COMPLEX64, (int64_t[]){ 2, -2 });
    uint32_t y = make_input(&b.net, "y", TN_FLOAT32, (int64_t[]){ 2, -2 });
    make_node(&b.net, "Real", "re", &x, 1, NULL, 0);
    uint32_t           made = make_node(&b.net, "Cast", "c", &y, 1, NULL, 0);
    struct tn_net_node node = tn_net_node(&b.net, 0);
    assert_true(tn_pair_in(&b.net, &node));
    node = tn_net_node(&b.net, 1);
    assert_false(tn_pair_in(&b.net, &node));
    tn_net_set_dtype(&b.net, made, TN_COMPLEX128);
    assert_true(tn_pair_in(&b.net, &node));
    tear_down(&b);
}

/* (1+2j), and one that stands for several. */
static const uint64_t one = 1, three = 3;
static const uint8_t  number[] = { 0, 0, 128, 63, 0, 0, 0, 64 };

static uint32_t add_constant(struct bench *b, const uint64_t *count)
{
    struct tn_elements elements = {
        .shape   = { TN_COMPLEX64, 1, count },
        .payload = { .stored = 2, .encoding = TN_ENCODING_RAW },
    };

    tn_source_memory(&b->source, &b->memory, tn_bytes(number, sizeof number));
    elements.payload.span = (struct tn_span){ &b->source, 0, sizeof number };
    return tn_net_add_constant(&b->net, 0, tn_text("c"), &elements, NULL);
}

static void test_constants(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    uint32_t c = add_constant(&b, &one);
    tn_pair_value(&b.net, c);
    assert_string_equal(b.error.what, "");
    assert_type(tn_net_value(&b.net, c).type, "float32 1 2");
    const struct tn_shape *shape = &tn_net_value(&b.net, c).constant->shape;
    assert_int_equal(shape->dtype, TN_FLOAT32);
    assert_int_equal(shape->rank, 2);
    assert_int_equal(shape->dims[1], 2);
    tear_down(&b);
    set_up(&b);
    tn_pair_value(&b.net, add_constant(&b, &three));
    assert_string_equal(b.error.what,
                        "a constant of complex numbers leaves out equal "
                        "elements at its end");
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
