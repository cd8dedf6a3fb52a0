/* onnx_tidy_test.c - functions and Constant nodes that dissolve */
#include "map/tidy/onnx_tidy.h"
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
    uint32_t         x, y;
};

static void set_up(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "onnx", &b->error);
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    b->x = tn_net_add_value(&b->net, 0, tn_text("x"));
    b->y = tn_net_add_value(&b->net, 0, tn_text("y"));
    tn_net_add_input(&b->net, 0, b->x, tn_text("x"));
    tn_net_add_output(&b->net, 0, b->y, tn_text("y"));
}

static void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static uint32_t node(struct bench *b, uint32_t graph, const char *type,
                     const char *domain, const uint32_t *inputs, uint32_t count,
                     uint32_t output)
{
    return tn_net_add_node(
        &b->net, &(struct tn_net_node){
                     .op = tn_net_op(&b->net, tn_text(type), tn_text(domain)),
                     .graph        = graph,
                     .inputs       = inputs,
                     .input_count  = count,
                     .outputs      = &output,
                     .output_count = 1,
                     .source       = TN_NONE });
}

/* NAME(a) = TYPE(TYPE(a)), in the domain "own". */
static uint32_t function(struct bench *b, const char *name, const char *type,
                         const char *domain)
{
    uint32_t g =
        tn_net_add_graph(&b->net, TN_GRAPH_FUNCTION, tn_text(name), TN_NONE);
    uint32_t a = tn_net_add_value(&b->net, g, tn_text("a"));
    uint32_t t = tn_net_add_value(&b->net, g, tn_text("t"));
    uint32_t r = tn_net_add_value(&b->net, g, tn_text("r"));

    tn_net_graph(&b->net, g)->domain = tn_text("own");
    tn_net_add_input(&b->net, g, a, tn_text("a"));
    node(b, g, type, domain, &a, 1, t);
    node(b, g, type, domain, &t, 1, r);
    tn_net_add_output(&b->net, g, r, tn_text("r"));
    return g;
}

static uint64_t living(struct bench *b, const char *type)
{
    uint64_t count = 0;

    tn_net_prune(&b->net);
    for (uint32_t i = 0; i < b->net.nodes.count; i++)
        count += !tn_net_node(&b->net, i).is_removed &&
                 tn_bytes_is(tn_net_node(&b->net, i).op->type, type);
    return count;
}

static void bodies_take_the_place_of_calls(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    function(&b, "two", "Neg", "");
    function(&b, "four", "two", "own");
    node(&b, 0, "four", "own", &b.x, 1, b.y);
    assert_int_equal(tn_onnx_tidy(&b.net), TN_OK);
    assert_int_equal(living(&b, "Neg"), 4);
    assert_int_equal(living(&b, "two") + living(&b, "four"), 0);
    assert_true(tn_bytes_is(tn_net_output_name(&b.net, 0, 0), "y"));
    tear_down(&b);
}

static void the_same_name_elsewhere_is_no_call(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    function(&b, "Neg", "Abs", "");
    node(&b, 0, "Neg", "", &b.x, 1, b.y);
    assert_int_equal(tn_onnx_tidy(&b.net), TN_OK);
    assert_int_equal(living(&b, "Neg"), 1);
    tear_down(&b);
}

static void a_function_that_calls_itself_is_refused(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    function(&b, "self", "self", "own");
    node(&b, 0, "self", "own", &b.x, 1, b.y);
    assert_int_equal(tn_onnx_tidy(&b.net), TN_LIMIT);
    assert_true(strstr(b.error.what, "nest deeper than 64") ||
                strstr(b.error.what, "calls make more than"));
    tear_down(&b);
}

/* Forty functions would make 2^40 nodes. */
static void doubling_comes_to_an_end(void **state)
{
    struct bench b;
    char         names[40][16];

    (void)state;
    set_up(&b);
    function(&b, "f0", "Neg", "");
    for (int i = 0; i < 40; i++)
        snprintf(names[i], sizeof names[i], "f%d", i);
    for (int i = 1; i < 40; i++)
        function(&b, names[i], names[i - 1], "own");
    node(&b, 0, "f39", "own", &b.x, 1, b.y);
    assert_int_equal(tn_onnx_tidy(&b.net), TN_LIMIT);
    assert_true(b.net.nodes.count < 100000);
    tear_down(&b);
}

static void constants_of_every_kind_dissolve(void **state)
{
    static const int64_t     ints[]   = { 1, 2, 3 };
    static const float       floats[] = { 0.5F };
    const struct tn_bytes    texts[]  = { tn_text("a"), tn_text("b") };
    const struct tn_net_attr rows[]   = {
          { tn_text("value_ints"), { TN_ATTR_INT, true, 3, { .ints = ints } } },
          { tn_text("value_int"), { TN_ATTR_INT, false, 1, { .ints = ints } } },
          { tn_text("value_float"),
            { TN_ATTR_FLOAT, false, 1, { .floats = floats } } },
          { tn_text("value_strings"),
            { TN_ATTR_STRING, true, 2, { .strings = texts } } },
    };
    static const struct {
        enum tn_dtype dtype;
        uint32_t      rank;
    } expected[] = {
        { TN_INT64, 1 }, { TN_INT64, 0 }, { TN_FLOAT32, 0 }, { TN_STRING, 1 }
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        set_up(&b);
        uint32_t n = node(&b, 0, "Constant", "", NULL, 0, b.y);
        tn_net_set_attr(&b.net, n, (const char *)rows[i].name.data,
                        &rows[i].value);
        assert_int_equal(tn_onnx_tidy(&b.net), TN_OK);
        const struct tn_net_value y = tn_net_value(&b.net, b.y);
        assert_non_null(y.constant);
        assert_int_equal(y.type->dtype, expected[i].dtype);
        assert_int_equal(y.type->rank, expected[i].rank);
        assert_int_equal(living(&b, "Constant"), 0);
        tear_down(&b);
    }
}

/* y = Scan(x) { slice -> Neg(slice) }, over the first axis. */
static uint32_t add_scan(struct bench *b, const char *name, int64_t number)
{
    static const int64_t one = 1;
    int64_t             *ids = tn_new(&b->arena, int64_t, 2, &b->error);
    uint32_t             g =
        tn_net_add_graph(&b->net, TN_GRAPH_SUBGRAPH, tn_text("body"), 0);
    uint32_t slice = tn_net_add_value(&b->net, g, tn_text("slice"));
    uint32_t out   = tn_net_add_value(&b->net, g, tn_text("out"));

    b->net.version = 17;
    ids[0]         = g;
    ids[1]         = number;
    tn_net_add_input(&b->net, g, slice, tn_text(""));
    node(b, g, "Neg", "", &slice, 1, out);
    tn_net_add_output(&b->net, g, out, tn_text(""));
    uint32_t n = node(b, 0, "Scan", "", &b->x, 1, b->y);
    tn_net_set_attr(
        &b->net, n, "body",
        &(struct tn_attr_value){ TN_ATTR_GRAPH, false, 1, { .ints = ids } });
    tn_net_set_attr(
        &b->net, n, "num_scan_inputs",
        &(struct tn_attr_value){ TN_ATTR_INT, false, 1, { .ints = &one } });
    tn_net_set_attr(
        &b->net, n, name,
        &(struct tn_attr_value){ TN_ATTR_INT, true, 1, { .ints = ids + 1 } });
    return g;
}

static void give_rank_one(struct bench *b, uint32_t body)
{
    static const uint64_t dims[] = { 3 };
    uint32_t              out =
        *tn_list_at(&tn_net_graph(&b->net, body)->outputs, uint32_t, 0);

    tn_net_set_shape(&b->net, out, &(struct tn_shape){ TN_FLOAT32, 1, dims });
}

static void a_scan_is_a_loop(void **state)
{
    static const struct {
        const char *name;
        int64_t     number;
        uint64_t    loops, gathers, subs, transposes, slices;
        bool        is_list; /* what the body gives has one axis              */
    } rows[] = {
        { "scan_input_directions", 0, 1, 2, 0, 0, 0, false },
        { "scan_input_directions", 1, 1, 2, 2, 0, 0, false },
        { "scan_input_axes", 1, 1, 2, 0, 0, 0, false },
        { "scan_input_axes", -1, 0, 0, 0, 0, 0, false }, /* of no known rank */
        { "scan_output_axes", 1, 0, 0, 0, 0, 0, false },
        { "scan_output_axes", -1, 0, 0, 0, 0, 0, false },
        { "scan_output_axes", 1, 1, 2, 0, 1, 0, true },
        { "scan_output_axes", -1, 1, 2, 0, 1, 0, true },
        { "scan_output_axes", -2, 1, 2, 0, 0, 0, true }, /* in front */
        { "scan_output_axes", 2, 0, 0, 0, 0, 0, true },  /* there is none */
        { "scan_output_directions", 1, 1, 2, 0, 0, 1, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        set_up(&b);
        uint32_t body = add_scan(&b, rows[i].name, rows[i].number);
        if (rows[i].is_list)
            give_rank_one(&b, body);
        assert_int_equal(tn_onnx_tidy(&b.net), TN_OK);
        assert_int_equal(living(&b, "Loop"), rows[i].loops);
        assert_int_equal(living(&b, "Scan"), 1 - rows[i].loops);
        assert_int_equal(living(&b, "Transpose"), rows[i].transposes);
        assert_int_equal(living(&b, "Slice"), rows[i].slices);
        assert_int_equal(living(&b, "Gather"), rows[i].gathers);
        assert_int_equal(living(&b, "Sub"), rows[i].subs);
        assert_int_equal(tn_net_graph(&b.net, body)->inputs.count,
                         rows[i].loops ? 2 : 1);
        assert_int_equal(tn_net_graph(&b.net, body)->outputs.count,
                         rows[i].loops ? 2 : 1);
        assert_int_equal(tn_net_order(&b.net, NULL), TN_OK);
        tear_down(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_take_the_place_of_calls),
        cmocka_unit_test(the_same_name_elsewhere_is_no_call),
        cmocka_unit_test(a_function_that_calls_itself_is_refused),
        cmocka_unit_test(doubling_comes_to_an_end),
        cmocka_unit_test(constants_of_every_kind_dissolve),
        cmocka_unit_test(a_scan_is_a_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
