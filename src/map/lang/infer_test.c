/* infer_test.c - types by rules of shapes, elements on demand */
#include "map/lang/infer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/watch.h"
#include "map/lang/rule_sets.h"
#include "map/net/net_build.h"
#include "support/hostile.h"
#include "support/item_text.h"
#include "support/net_make.h"

struct bench {
    struct tn_error     error;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_net       net;
    struct tn_lang_file shapes;
};

static void set_up(struct bench *b, int64_t version)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "onnx", &b->error);
    b->net.version = version;
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    assert_int_equal(tn_shapes_read(&b->shapes, &b->arena, "onnx", &b->error),
                     TN_OK);
}

static void tear_down(struct bench *b)
{
    assert_string_equal(b->error.what, "");
    tn_lang_done(&b->shapes);
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static void assert_type(struct bench *b, uint32_t value, const char *expected)
{
    const struct tn_net_type *type = tn_net_value(&b->net, value).type;
    char                      text[200];
    int at = snprintf(text, sizeof text, "%s", tn_dtype_name(type->dtype));

    for (uint32_t i = 0; type->has_rank && i < type->rank; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %lld",
                       (long long)type->dims[i]);
    if (!type->has_rank)
        snprintf(text + at, sizeof text - (size_t)at, " ?");
    assert_string_equal(text, expected);
}

static void assert_folds(struct bench *b, struct tn_infer *facts,
                         uint32_t value, const char *expected)
{
    struct tn_item item;
    char           text[400];

    assert_int_equal(tn_fold(facts, value, &item), TN_OK);
    print_item(item, text, sizeof text);
    assert_string_equal(text, expected);
    assert_false(tn_failed(&b->error));
}

/* Flatten as exporters write it: Shape, Gather, Unsqueeze, Concat, Reshape. */
static void test_shape_arithmetic(void **state)
{
    struct bench     b;
    struct tn_infer *facts;
    int64_t          zero = 0, minus = -1;

    (void)state;
    set_up(&b, 13);
    uint32_t x =
        make_input(&b.net, "x", TN_FLOAT32, (int64_t[]){ -1, 3, 4, -2 });
    uint32_t at =
        tn_net_add_ints(&b.net, 0, tn_text("at"), TN_INT64, &zero, 0, NULL);
    uint32_t axes  = make_ints(&b.net, "axes", &zero, 1);
    uint32_t rest  = make_ints(&b.net, "rest", &minus, 1);
    uint32_t shape = make_node(&b.net, "Shape", "shape", &x, 1, NULL, 0);
    uint32_t first = make_node(&b.net, "Gather", "first",
                               (uint32_t[]){ shape, at }, 2, NULL, 0);
    uint32_t list  = make_node(&b.net, "Unsqueeze", "list",
                               (uint32_t[]){ first, axes }, 2, NULL, 0);
    struct tn_net_attr axis = make_int("axis", &zero);
    uint32_t to = make_node(&b.net, "Concat", "to", (uint32_t[]){ list, rest },
                            2, &axis, 1);
    uint32_t y =
        make_node(&b.net, "Reshape", "y", (uint32_t[]){ x, to }, 2, NULL, 0);
    assert_int_equal(tn_infer_open(&facts, &b.net, &b.shapes), TN_OK);
    assert_int_equal(tn_infer_run(facts), TN_OK);
    assert_folds(&b, facts, shape, "[?, 3, 4]");
    assert_folds(&b, facts, first, "[?]");
    assert_folds(&b, facts, to, "[?, -1]");
    assert_folds(&b, facts, y, "?");
    assert_folds(&b, facts, x, "?");
    assert_type(&b, shape, "int64 3");
    assert_type(&b, first, "int64");
    assert_type(&b, to, "int64 2");
    assert_type(&b, y, "float32 -1 -1");
    tn_infer_close(facts);
    tear_down(&b);
}

/* What a model declares stays, and is completed; a size that follows from the
 * node is right. */
static void test_declared_types_stay(void **state)
{
    static const int64_t dims[] = { 7, -1, 9 };
    struct bench         b;

    (void)state;
    set_up(&b, 13);
    uint32_t x =
        make_input(&b.net, "x", TN_FLOAT32, (int64_t[]){ -1, 3, 4, -2 });
    uint32_t y = make_node(&b.net, "Relu", "y", &x, 1, NULL, 0);
    tn_net_set_type(
        &b.net, y,
        &(struct tn_net_type){
            .dtype = TN_FLOAT16, .has_rank = true, .rank = 3, .dims = dims });
    assert_int_equal(tn_infer(&b.net, &b.shapes), TN_OK);
    assert_type(&b, y, "float16 7 3 4");
    tear_down(&b);
}

/* An op that nobody knows, and one with inputs that it cannot have. */
static void test_unknown_ops_are_unknown(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, 13);
    uint32_t x = make_input(&b.net, "x", TN_FLOAT32, (int64_t[]){ 2, 3, -2 });
    uint32_t y = make_node(&b.net, "Nonsense", "y", &x, 1, NULL, 0);
    uint32_t z = make_node(&b.net, "Add", "z", &y, 1, NULL, 0);
    uint32_t w =
        make_node(&b.net, "Add", "w", (uint32_t[]){ x, y }, 2, NULL, 0);
    assert_int_equal(tn_infer(&b.net, &b.shapes), TN_OK);
    assert_type(&b, y, "undefined ?");
    assert_type(&b, z, "undefined ?");
    assert_type(&b, w, "float32 ?");
    tear_down(&b);
}

/* A chain as long as it likes takes no stack. */
static void test_long_chains_fold(void **state)
{
    struct bench     b;
    struct tn_infer *facts;
    int64_t          one = 1;
    char             name[32];

    (void)state;
    set_up(&b, 13);
    uint32_t step = make_ints(&b.net, "step", &one, 1), at = step;
    for (unsigned i = 1; i < 50000; i++) {
        snprintf(name, sizeof name, "n%u", i);
        at = make_node(&b.net, "Add", name, (uint32_t[]){ at, step }, 2, NULL,
                       0);
        tn_net_copy_type(&b.net, at, step);
    }
    assert_int_equal(tn_infer_open(&facts, &b.net, &b.shapes), TN_OK);
    assert_folds(&b, facts, at, "[50000]");
    tn_infer_close(facts);
    tear_down(&b);
}

/* A value that is made of itself is not known, and that is all. */
static void test_cycles_end(void **state)
{
    struct bench     b;
    struct tn_infer *facts;
    int64_t          one = 1;

    (void)state;
    set_up(&b, 13);
    uint32_t step = make_ints(&b.net, "step", &one, 1);
    uint32_t a =
        make_node(&b.net, "Add", "a", (uint32_t[]){ step, step }, 2, NULL, 0);
    uint32_t c =
        make_node(&b.net, "Add", "c", (uint32_t[]){ a, step }, 2, NULL, 0);
    tn_net_set_inputs(&b.net, 0, (uint32_t[]){ c, step }, 2);
    assert_int_equal(tn_infer_open(&facts, &b.net, &b.shapes), TN_OK);
    assert_int_equal(tn_infer_run(facts), TN_OK);
    assert_folds(&b, facts, a, "?");
    assert_folds(&b, facts, c, "?");
    tn_infer_close(facts);
    tear_down(&b);
}

/* If: what both branches have in common; the branches are inferred first. */
static void test_subgraphs(void **state)
{
    struct bench b;
    int64_t      graphs[] = { 1, 2 };

    (void)state;
    set_up(&b, 13);
    uint32_t x = make_input(&b.net, "x", TN_FLOAT32, (int64_t[]){ 2, 3, -2 });
    uint32_t c = make_input(&b.net, "c", TN_BOOL, (int64_t[]){ -2 });
    struct tn_net_attr branches[] = { make_int("then_branch", &graphs[0]),
                                      make_int("else_branch", &graphs[1]) };
    branches[0].value.kind = branches[1].value.kind = TN_ATTR_GRAPH;
    uint32_t y = make_node(&b.net, "If", "y", &c, 1, branches, 2);
    for (uint32_t g = 1; g < 3; g++) {
        tn_net_add_graph(&b.net, TN_GRAPH_SUBGRAPH, tn_text("b"), 0);
        uint32_t out = tn_net_add_value(&b.net, g, tn_text("out"));
        tn_net_add_node(&b.net, &(struct tn_net_node){
                                    .op = tn_net_own_op(
                                        &b.net, g == 1 ? "Relu" : "Transpose"),
                                    .graph        = g,
                                    .inputs       = &x,
                                    .input_count  = 1,
                                    .outputs      = &out,
                                    .output_count = 1,
                                    .source       = TN_NONE });
        tn_net_add_output(&b.net, g, out, tn_text(""));
    }
    assert_int_equal(tn_infer(&b.net, &b.shapes), TN_OK);
    assert_type(&b, y, "float32 -1 -1");
    tear_down(&b);
}

/* Thirty loops, one in the other, of which each must be looked at again since
 * its variable, which begins as v, grows: 2 to the 30th turns, if nobody
 * counted. */
static void test_loops_in_loops_are_counted(void **state)
{
    struct bench b;
    char         name[32];
    int64_t      zero = 0;

    (void)state;
    set_up(&b, 0);
    b.net.dialect = "nd4j";
    tn_lang_done(&b.shapes);
    assert_int_equal(tn_shapes_read(&b.shapes, &b.arena, "nd4j", &b.error),
                     TN_OK);
    uint32_t values[3] = {
        make_input(&b.net, "m", TN_INT64, (int64_t[]){ -2 }),
        make_input(&b.net, "c", TN_BOOL, (int64_t[]){ -2 }),
        make_input(&b.net, "v", TN_FLOAT32, (int64_t[]){ 2, -2 }),
    };
    uint32_t v = values[2];
    for (uint32_t g = 0; g < 30; g++) {
        uint32_t inputs[] = { values[0], values[1], v };
        snprintf(name, sizeof name, "g%u", g + 1);
        assert_int_equal(
            tn_net_add_graph(&b.net, TN_GRAPH_SUBGRAPH, tn_text(name), g),
            g + 1);
        int64_t           *body  = tn_new(&b.arena, int64_t, 1, &b.error);
        uint32_t           out   = tn_net_add_value(&b.net, g, tn_text("w"));
        uint32_t           grown = tn_net_add_value(&b.net, g, tn_text("x"));
        struct tn_net_attr attr  = make_int("body", body);
        struct tn_net_attr axis  = make_int("dimensions", &zero);
        *body                    = g + 1;
        attr.value.kind          = TN_ATTR_GRAPH;
        tn_net_add_node(
            &b.net, &(struct tn_net_node){ .op = tn_net_own_op(&b.net, "Loop"),
                                           .graph        = g,
                                           .inputs       = inputs,
                                           .input_count  = 3,
                                           .outputs      = &out,
                                           .output_count = 1,
                                           .attrs        = &attr,
                                           .attr_count   = 1,
                                           .source       = TN_NONE });
        tn_net_add_node(&b.net, &(struct tn_net_node){
                                    .op = tn_net_own_op(&b.net, "expand_dims"),
                                    .graph        = g,
                                    .inputs       = &out,
                                    .input_count  = 1,
                                    .outputs      = &grown,
                                    .output_count = 1,
                                    .attrs        = &axis,
                                    .attr_count   = 1,
                                    .source       = TN_NONE });
        if (g)
            tn_net_add_output(&b.net, g, values[1], tn_text(""));
        tn_net_add_output(&b.net, g, grown, tn_text(""));
        for (uint32_t i = 0; i < 3; i++) {
            values[i] = tn_net_add_value(&b.net, g + 1, tn_text("in"));
            tn_net_add_input(&b.net, g + 1, values[i], tn_text(""));
        }
    }
    tn_net_add_output(&b.net, 30, values[1], tn_text(""));
    tn_net_add_output(&b.net, 30, values[2], tn_text(""));
    assert_int_equal(tn_infer(&b.net, &b.shapes), TN_OK);
    tear_down(&b);
}

/* What is asked for is folded at once, not after one rule run each. */
static void test_many_inputs_fold_together(void **state)
{
    enum { COUNT = 20000 };
    static uint32_t    parts[COUNT];
    int64_t            zero = 0, one = 1;
    struct tn_net_attr axis = make_int("axis", &zero);
    struct bench       b;
    struct tn_infer   *facts;
    struct tn_item     item;

    (void)state;
    set_up(&b, 13);
    uint32_t ones = make_ints(&b.net, "ones", &one, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        parts[i] = make_node(&b.net, "Add", "part", (uint32_t[]){ ones, ones },
                             2, NULL, 0);
    uint32_t all = make_node(&b.net, "Concat", "all", parts, COUNT, &axis, 1);
    b.net.most_steps = UINT64_C(400) * COUNT;
    assert_int_equal(tn_infer_open(&facts, &b.net, &b.shapes), TN_OK);
    assert_int_equal(tn_infer_run(facts), TN_OK);
    assert_int_equal(tn_fold(facts, all, &item), TN_OK);
    assert_int_equal(item.kind, TN_ITEM_LIST);
    assert_int_equal(item.count, COUNT);
    assert_int_equal(item.of.items[COUNT - 1].of.number, 2);
    tn_infer_close(facts);
    tear_down(&b);
}

/* Beyond its steps nothing is known any more, and nothing fails. */
static void test_steps_run_out(void **state)
{
    int64_t          one = 1;
    struct bench     b;
    struct tn_infer *facts;

    (void)state;
    set_up(&b, 13);
    uint32_t x = make_ints(&b.net, "x", &one, 1);
    uint32_t y =
        make_node(&b.net, "Add", "y", (uint32_t[]){ x, x }, 2, NULL, 0);
    uint32_t z =
        make_node(&b.net, "Add", "z", (uint32_t[]){ y, x }, 2, NULL, 0);
    assert_int_equal(tn_infer_open(&facts, &b.net, &b.shapes), TN_OK);
    assert_folds(&b, facts, y, "[2]");
    b.net.most_steps = 1;
    assert_folds(&b, facts, z, "?");
    assert_int_equal(tn_infer_run(facts), TN_OK);
    assert_type(&b, z, "undefined ?");
    tn_infer_close(facts);
    tear_down(&b);
}

/* One value of a huge rank must not make all that follow huge. */
static void test_huge_ranks_are_unknown(void **state)
{
    static int64_t axes[300];
    struct bench   b;

    (void)state;
    set_up(&b, 13);
    for (int i = 0; i < 300; i++)
        axes[i] = i;
    uint32_t x  = make_input(&b.net, "x", TN_FLOAT32, (int64_t[]){ 2, -2 });
    uint32_t to = make_ints(&b.net, "to", axes, 300);
    uint32_t y =
        make_node(&b.net, "Unsqueeze", "y", (uint32_t[]){ x, to }, 2, NULL, 0);
    assert_int_equal(tn_infer(&b.net, &b.shapes), TN_OK);
    assert_type(&b, y, "float32 ?");
    tear_down(&b);
}

static bool say_stop(void *context)
{
    return ++*(int *)context == 2;
}

static void test_stops_when_told(void **state)
{
    int             asked = 0;
    int64_t         one   = 1;
    struct tn_watch watch;
    struct bench    b;

    (void)state;
    set_up(&b, 13);
    uint32_t x = make_ints(&b.net, "x", &one, 1);
    for (uint32_t i = 0; i < 10000; i++)
        make_node(&b.net, "Add", "y", (uint32_t[]){ x, x }, 2, NULL, 0);
    tn_watch_begin(&watch, b.net.arena->memory, say_stop, &asked);
    assert_int_equal(tn_infer(&b.net, &b.shapes), TN_CANCELLED);
    assert_int_equal(asked, 2);
    tn_watch_end(&watch);
    b.error = (struct tn_error)TN_ERROR_INIT;
    tear_down(&b);
}

static enum tn_status infer_any(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct tn_arena     arena;
    struct tn_net       net;
    struct tn_lang_file shapes;
    struct tn_infer    *facts = NULL;
    struct tn_item      item;
    int64_t             two[] = { 6, 1 };

    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "onnx", error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    tn_lang_parse(&shapes, &arena, "a.shapes", input, error);
    uint32_t to = tn_failed(error) ? TN_NONE : make_ints(&net, "to", two, 2);
    uint32_t y =
        tn_failed(error)
            ? TN_NONE
            : make_node(&net, "Add", "y", (uint32_t[]){ to, to }, 2, NULL, 0);
    if (!tn_failed(error) && tn_infer_open(&facts, &net, &shapes) == TN_OK) {
        tn_infer_run(facts);
        tn_fold(facts, y, &item);
    }
    tn_infer_close(facts);
    tn_lang_done(&shapes);
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void test_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(
        infer_any,
        tn_text("shapes onnx 1\ndef two(x) = [x, [x for i in range(3)]]\n"
                "Add(A, B) : dtype(A) broadcast(shape(A), shape(B))\n"
                "    = calc(\"add\", A, B)[:len(two(1))]\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape_arithmetic),
        cmocka_unit_test(test_declared_types_stay),
        cmocka_unit_test(test_unknown_ops_are_unknown),
        cmocka_unit_test(test_long_chains_fold),
        cmocka_unit_test(test_cycles_end),
        cmocka_unit_test(test_subgraphs),
        cmocka_unit_test(test_loops_in_loops_are_counted),
        cmocka_unit_test(test_many_inputs_fold_together),
        cmocka_unit_test(test_steps_run_out),
        cmocka_unit_test(test_huge_ranks_are_unknown),
        cmocka_unit_test(test_stops_when_told),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
