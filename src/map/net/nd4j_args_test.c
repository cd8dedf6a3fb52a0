/* nd4j_args_test.c - arguments by name and by place, there and back */
#include "map/net/nd4j_args.h"
#include "map/net/net_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
    uint32_t         x;
};

static void set_up(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "nd4j", &b->error);
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    b->x = tn_net_add_value(&b->net, 0, tn_text("x"));
    tn_net_set_dtype(&b->net, b->x, TN_FLOAT64);
}

static void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static uint32_t add(struct bench *b, const char *type)
{
    uint32_t y = tn_net_add_value(&b->net, 0, tn_text("y"));

    tn_net_set_dtype(&b->net, y, TN_FLOAT32);
    return tn_net_add_node(
        &b->net, &(struct tn_net_node){ .name   = tn_text("n"),
                                        .op     = tn_net_own_op(&b->net, type),
                                        .inputs = &b->x,
                                        .input_count  = 1,
                                        .outputs      = &y,
                                        .output_count = 1 });
}

static void set_int(struct bench *b, uint32_t node, const char *name,
                    enum tn_attr_kind kind, int64_t number)
{
    int64_t *kept = tn_new(&b->arena, int64_t, 1, &b->error);

    *kept = number;
    tn_net_set_attr(
        &b->net, node, name,
        &(struct tn_attr_value){ kind, false, 1, { .ints = kept } });
}

static void set_ints(struct bench *b, uint32_t node, const char *name,
                     enum tn_attr_kind kind, uint32_t count,
                     const int64_t *numbers)
{
    int64_t *kept = tn_new(&b->arena, int64_t, count, &b->error);

    memcpy(kept, numbers, count * sizeof *kept);
    tn_net_set_attr(
        &b->net, node, name,
        &(struct tn_attr_value){ kind, true, count, { .ints = kept } });
}

static void set_double(struct bench *b, uint32_t node, const char *name,
                       double number)
{
    double *kept = tn_new(&b->arena, double, 1, &b->error);

    *kept = number;
    tn_net_set_attr(&b->net, node, name,
                    &(struct tn_attr_value){
                        TN_ATTR_DOUBLE, false, 1, { .doubles = kept } });
}

static const struct tn_attr_value *attr(struct bench *b, uint32_t node,
                                        const char *name)
{
    return tn_net_attr_of(&b->net, node, name);
}

static void ints_are(struct bench *b, uint32_t node, const char *name,
                     uint32_t count, const int64_t *expected)
{
    const struct tn_attr_value *value = attr(b, node, name);

    assert_non_null(value);
    assert_int_equal(value->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(value->of.ints[i], expected[i]);
}

static void custom_ops_go_by_hash(void **state)
{
    static const int64_t expected[] = { 1, 0, 0, 0, 0, 7, 8 };
    static const int64_t rest[]     = { 7, 8 };
    struct bench         b;

    (void)state;
    set_up(&b);
    uint32_t n = add(&b, "strided_slice");
    set_int(&b, n, "begin_mask", TN_ATTR_INT, 1);
    set_ints(&b, n, "e", TN_ATTR_INT, 2, rest);
    assert_int_equal(tn_nd4j_pack(&b.net), TN_OK);
    ints_are(&b, n, "iArgs", 7, expected); /* holes have defaults */
    assert_true(tn_bytes_is(attr(&b, n, "opType")->of.strings[0], "CUSTOM"));
    assert_int_equal(attr(&b, n, "outputTypes")->of.ints[0], TN_FLOAT32);
    assert_null(attr(&b, n, "begin_mask"));
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_OK);
    ints_are(&b, n, "e", 2, rest);
    ints_are(&b, n, "begin_mask", 1, expected);
    assert_null(attr(&b, n, "iArgs"));
    tear_down(&b);
}

static void reductions_have_a_number_and_dimensions(void **state)
{
    static const int64_t dims[] = { 1, -1 }, yes[] = { 1 };
    struct bench         b;

    (void)state;
    set_up(&b);
    uint32_t n = add(&b, "reduce_sum");
    set_int(&b, n, "keepDims", TN_ATTR_INT, 5);
    set_ints(&b, n, "dimensions", TN_ATTR_INT, 2, dims);
    assert_int_equal(tn_nd4j_pack(&b.net), TN_OK);
    assert_true(
        tn_bytes_is(attr(&b, n, "opType")->of.strings[0], "REDUCE_SAME"));
    assert_int_equal(attr(&b, n, "opNum")->of.ints[0], 0);
    ints_are(&b, n, "dimensions", 2, dims);
    ints_are(&b, n, "bArgs", 1, yes);
    tear_down(&b);
}

static void a_scalar_has_the_type_of_its_input(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    uint32_t n = add(&b, "leakyrelu");
    set_double(&b, n, "alpha", 0.25);
    assert_int_equal(tn_nd4j_pack(&b.net), TN_OK);
    const struct tn_attr_value *scalar = attr(&b, n, "scalar");
    assert_int_equal(scalar->of.tensors[0]->elements.shape.dtype, TN_FLOAT64);
    assert_int_equal(scalar->of.tensors[0]->elements.shape.rank, 0);
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_OK);
    assert_true(attr(&b, n, "alpha")->of.doubles[0] == 0.25);
    tear_down(&b);
}

static void set_names(struct bench *b, uint32_t node, const char *one,
                      const char *two)
{
    struct tn_bytes *names = tn_new(&b->arena, struct tn_bytes, 2, &b->error);

    names[0] = tn_text(one);
    names[1] = tn_text(two);
    tn_net_set_attr(&b->net, node, "iArgNames",
                    &(struct tn_attr_value){
                        TN_ATTR_STRING, true, 2, { .strings = names } });
}

static void names_say_more_than_places(void **state)
{
    static const int64_t one_zero[] = { 1, 0 };
    struct bench         b;

    (void)state;
    set_up(&b);
    uint32_t n = add(&b, "matmul");
    set_ints(&b, n, "iArgs", TN_ATTR_INT, 2, one_zero);
    set_names(&b, n, "transY", "transX");
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_OK);
    assert_int_equal(attr(&b, n, "transX")->of.ints[0], 0);
    assert_int_equal(attr(&b, n, "transY")->of.ints[0], 1);
    assert_null(attr(&b, n, "iArgNames"));
    tear_down(&b);

    set_up(&b);
    n = add(&b, "matmul");
    set_ints(&b, n, "iArgs", TN_ATTR_INT, 2, one_zero);
    set_names(&b, n, "transY", "");
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_MALFORMED);
    assert_string_equal(b.error.where, "'n' (matmul).iArgs");
    assert_string_equal(b.error.what, "'transY' belongs where an argument "
                                      "without a name stands");
    tear_down(&b);
}

static void a_name_that_is_an_alias_yields_to_the_number(void **state)
{
    static const int64_t one[] = { 1, 0, 0 };
    struct bench         b;

    (void)state;
    set_up(&b);
    uint32_t         n    = add(&b, "someThingElse");
    struct tn_bytes *text = tn_new(&b.arena, struct tn_bytes, 1, &b.error);
    *text                 = tn_text("CUSTOM");
    tn_net_set_attr(&b.net, n, "opType",
                    &(struct tn_attr_value){
                        TN_ATTR_STRING, false, 1, { .strings = text } });
    set_int(&b, n, "opNum", TN_ATTR_INT, -273014250715117663);
    set_ints(&b, n, "iArgs", TN_ATTR_INT, 3, one);
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_OK);
    assert_true(tn_bytes_is(tn_net_node(&b.net, n).op->type, "matmul"));
    tear_down(&b);
}

static void every_result_of_a_kernel_exists(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    uint32_t n = add(&b, "switch");
    assert_int_equal(tn_nd4j_pack(&b.net), TN_OK);
    assert_int_equal(tn_net_node(&b.net, n).output_count, 2);
    uint32_t second = tn_net_node(&b.net, n).outputs[1];
    assert_int_equal(tn_net_value(&b.net, second).producer, n);
    assert_int_equal(tn_net_value(&b.net, second).output, 1);
    tear_down(&b);
}

static void what_java_adds_to_reductions_is_nothing(void **state)
{
    static const int64_t all[] = { INT32_MAX }, bools[] = { 1, 1 };
    struct bench         b;

    (void)state;
    set_up(&b);
    uint32_t n = add(&b, "reduce_sum");
    set_ints(&b, n, "dimensions", TN_ATTR_INT, 1, all);
    set_ints(&b, n, "bArgs", TN_ATTR_BOOL, 2, bools);
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_OK);
    assert_null(attr(&b, n, "dimensions"));
    ints_are(&b, n, "keepDims", 1, bools);
    assert_int_equal(tn_net_node(&b.net, n).attr_count, 1);
    tear_down(&b);
}

struct refusal {
    const char *op, *name, *what;
};

static void what_has_no_place_is_refused(void **state)
{
    static const struct refusal rows[] = {
        { "add", "speed", "nd4j op add 'n': speed has no place in a call" },
        { "conv2d", "kW",
          "nd4j op conv2d 'n': kH is not given, and what follows it is" },
        { "cast", "dtype", "nd4j op cast 'n': dtype is of another kind" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        set_up(&b);
        uint32_t n = add(&b, rows[i].op);
        set_int(&b, n, rows[i].name, TN_ATTR_INT, 3);
        assert_int_equal(tn_nd4j_pack(&b.net), TN_UNSUPPORTED);
        assert_string_equal(b.error.what, rows[i].what);
        tear_down(&b);
    }
}

static void an_argument_without_a_name_is_refused(void **state)
{
    static const int64_t zero[] = { 0 }, three[] = { 3 };
    struct bench         b;

    (void)state;
    set_up(&b);
    uint32_t n = add(&b, "identity");
    set_ints(&b, n, "iArgs", TN_ATTR_INT, 1, zero);
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_OK);
    n = add(&b, "identity");
    set_ints(&b, n, "iArgs", TN_ATTR_INT, 1, three);
    assert_int_equal(tn_nd4j_unpack(&b.net), TN_UNSUPPORTED);
    assert_string_equal(b.error.what,
                        "nd4j op identity 'n': iArgs[0] has no name in the "
                        "vocabulary");
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(custom_ops_go_by_hash),
        cmocka_unit_test(reductions_have_a_number_and_dimensions),
        cmocka_unit_test(a_scalar_has_the_type_of_its_input),
        cmocka_unit_test(names_say_more_than_places),
        cmocka_unit_test(a_name_that_is_an_alias_yields_to_the_number),
        cmocka_unit_test(every_result_of_a_kernel_exists),
        cmocka_unit_test(what_java_adds_to_reductions_is_nothing),
        cmocka_unit_test(what_has_no_place_is_refused),
        cmocka_unit_test(an_argument_without_a_name_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
