/* net_test.c - a graph in motion: names, ends, replacing, pruning, ordering */
#include "map/net/net_build.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/element.h"
#include "support/net_bench.h"

static uint32_t value(struct bench *b, uint32_t graph, const char *name)
{
    return tn_net_add_value(&b->net, graph, tn_text(name));
}

/* One output, called like the node. */
static uint32_t node(struct bench *b, uint32_t graph, const char *name,
                     const uint32_t *inputs, uint32_t count, uint32_t output)
{
    return tn_net_add_node(
        &b->net, &(struct tn_net_node){ .name   = tn_text(name),
                                        .op     = tn_net_own_op(&b->net, name),
                                        .graph  = graph,
                                        .inputs = inputs,
                                        .input_count  = count,
                                        .outputs      = &output,
                                        .output_count = 1,
                                        .source       = TN_NONE });
}

/* a = f(x, x); y = g(a); the output is y. */
struct little {
    uint32_t x, a, y, f, g;
};

static struct little fill(struct bench *b)
{
    struct little l = { value(b, 0, "x"), value(b, 0, "a"), value(b, 0, "y"), 0,
                        0 };

    tn_net_add_input(&b->net, 0, l.x, tn_text(""));
    l.f = node(b, 0, "f", (uint32_t[]){ l.x, l.x }, 2, l.a);
    l.g = node(b, 0, "g", &l.a, 1, l.y);
    tn_net_add_output(&b->net, 0, l.y, tn_text(""));
    return l;
}

static void names_are_unique_and_numbered(void **state)
{
    static const char *const wishes[][2] = {
        { "a", "a" },   { "a", "a_1" }, { "a", "a_2" }, { "a_3", "a_3" },
        { "a", "a_4" }, { "", "v" },    { "", "v_1" },  { "a_3", "a_3_1" },
    };
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        struct tn_bytes name = tn_net_name(&b.net, tn_text(wishes[i][0]));
        assert_true(tn_bytes_is(name, wishes[i][1]));
    }
    tear_down(&b);
}

static void equal_wishes_cost_no_more(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    for (uint32_t i = 0; i < 200000; i++) /* quadratic would take minutes */
        tn_net_name(&b.net, tn_text("const"));
    assert_true(
        tn_bytes_is(tn_net_name(&b.net, tn_text("const")), "const_200000"));
    tear_down(&b);
}

static void nodes_and_values_do_not_share_names(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    uint32_t v = value(&b, 0, "f");
    uint32_t n = node(&b, 0, "f", NULL, 0, v);
    uint32_t m = node(&b, 0, "f", NULL, 0, value(&b, 0, "f"));
    assert_true(tn_bytes_is(tn_net_node(&b.net, n).name, "f"));
    assert_true(tn_bytes_is(tn_net_node(&b.net, m).name, "f"));
    assert_int_equal(tn_net_value(&b.net, v).producer, n);
    tear_down(&b);
}

static void constants_know_their_type(void **state)
{
    struct bench   b;
    const int64_t  items[6] = { 1, -2, 3, 4, 5, 6 };
    const uint64_t dims[2]  = { 2, 3 };
    uint8_t        raw[6];

    (void)state;
    set_up(&b, "onnx");
    uint32_t v =
        tn_net_add_ints(&b.net, 0, tn_text("c"), TN_INT8, items, 2, dims);
    const struct tn_net_value c = tn_net_value(&b.net, v);
    assert_int_equal(c.type->dtype, TN_INT8);
    assert_int_equal(c.type->rank, 2);
    assert_int_equal(c.type->dims[1], 3);
    assert_int_equal(c.constant->payload.span.length, 6);
    assert_int_equal(
        tn_source_read(c.constant->payload.span.source, 0, raw, 6, &b.error),
        TN_OK);
    assert_int_equal(raw[1], 0xfe);
    tear_down(&b);
}

static void doubles_become_any_type(void **state)
{
    struct bench b;
    const double items[1] = { -1.5 };
    uint8_t      raw[2];

    (void)state;
    set_up(&b, "onnx");
    uint32_t v =
        tn_net_add_doubles(&b.net, 0, tn_text("c"), TN_FLOAT16, items, 0, NULL);
    assert_int_equal(tn_net_value(&b.net, v).type->rank, 0);
    tn_source_read(tn_net_value(&b.net, v).constant->payload.span.source, 0,
                   raw, 2, &b.error);
    assert_true(tn_element_double(TN_FLOAT16, raw) == -1.5);
    tear_down(&b);
}

static enum tn_status collect(void *context, uint64_t index,
                              struct tn_span text, struct tn_error *error)
{
    static const char *const expected[] = { "one", "", "three" };
    char                     got[8]     = "";

    (void)context;
    if (text.length)
        tn_source_read(text.source, text.offset, got, (size_t)text.length,
                       error);
    assert_string_equal(got, expected[index]);
    return TN_OK;
}

static void strings_are_constants_too(void **state)
{
    struct bench          b;
    const struct tn_bytes items[3] = { tn_text("one"), tn_text(""),
                                       tn_text("three") };
    const uint64_t        dims[1]  = { 3 };

    (void)state;
    set_up(&b, "onnx");
    uint32_t v = tn_net_add_strings(&b.net, 0, tn_text("c"), items, 1, dims);
    assert_int_equal(tn_payload_strings(tn_net_value(&b.net, v).constant, 0, 3,
                                        collect, NULL, &b.error),
                     TN_OK);
    tear_down(&b);
}

static void impossible_constants_are_refused(void **state)
{
    struct bench   b;
    const uint64_t dims[2] = { UINT64_MAX, 3 };

    (void)state;
    set_up(&b, "onnx");
    assert_int_equal(
        tn_net_add_ints(&b.net, 0, tn_text("c"), TN_INT8, NULL, 2, dims),
        TN_NONE);
    assert_int_equal(b.error.status, TN_LIMIT);
    b.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(
        tn_net_add_ints(&b.net, 0, tn_text("c"), TN_STRING, NULL, 0, NULL),
        TN_NONE);
    assert_int_equal(b.error.status, TN_INVALID);
    tear_down(&b);
}

static void replacing_reaches_every_user(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    struct little l   = fill(&b);
    uint32_t      two = value(&b, 0, "two"), three = value(&b, 0, "three");
    tn_net_replace(&b.net, l.x, two);
    uint32_t late = node(&b, 0, "late", &two, 1, value(&b, 0, "l"));
    tn_net_set_inputs(&b.net, l.g, &two, 1);
    tn_net_replace(&b.net, two, three);
    assert_int_equal(tn_net_node(&b.net, l.f).inputs[0], three);
    assert_int_equal(tn_net_node(&b.net, l.f).inputs[1], three);
    assert_int_equal(tn_net_node(&b.net, l.g).inputs[0], three);
    assert_int_equal(tn_net_node(&b.net, late).inputs[0], three);
    tear_down(&b);
}

/* v <- n <- v <- n ...: each node goes as its result is replaced by what it
 * took, as calls of functions do that give what they are given. */
static void a_chain_is_replaced_in_proportion(void **state)
{
    enum { LINKS = 2000 };
    static uint32_t links[LINKS + 1], nodes[LINKS];
    struct bench    b;

    (void)state;
    set_up(&b, "onnx");
    struct little l = fill(&b);
    links[0]        = l.x;
    for (int i = 0; i < LINKS; i++) {
        links[i + 1] = value(&b, 0, "link");
        nodes[i]     = node(&b, 0, "n", &links[i], 1, links[i + 1]);
    }
    uint32_t last = node(&b, 0, "last", &links[LINKS], 1, value(&b, 0, "l"));
    for (int i = LINKS; i-- > 0;) {
        tn_net_replace(&b.net, links[i + 1], links[i]);
        tn_net_remove(&b.net, nodes[i]);
    }
    assert_int_equal(b.error.status, TN_OK);
    assert_int_equal(tn_net_node(&b.net, last).inputs[0], l.x);
    assert_in_range(b.net.replaced, LINKS, 4 * LINKS);
    tear_down(&b);
}

/* An output that moved up, since one before it is gone, is found. */
static void an_output_that_moved_is_replaced(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    struct little l   = fill(&b);
    uint32_t      two = value(&b, 0, "two");
    tn_net_add_output(&b.net, 0, l.a, tn_text("a"));
    tn_net_replace(&b.net, l.x, two);
    struct tn_list *outputs           = &tn_net_graph(&b.net, 0)->outputs;
    *tn_list_at(outputs, uint32_t, 0) = l.a;
    outputs->count                    = 1;
    tn_net_replace(&b.net, l.a, two);
    assert_int_equal(*tn_list_at(outputs, uint32_t, 0), two);
    tear_down(&b);
}

static void an_output_keeps_its_name_when_replaced(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    struct little l = fill(&b);
    tn_net_add_output(&b.net, 0, l.a, tn_text("Add:0"));
    tn_net_replace(&b.net, l.y, l.a);
    tn_net_replace(&b.net, l.a, l.x);
    const struct tn_list *outputs = &tn_net_graph(&b.net, 0)->outputs;
    assert_int_equal(*tn_list_at(outputs, uint32_t, 0), l.x);
    assert_int_equal(*tn_list_at(outputs, uint32_t, 1), l.x);
    assert_true(tn_bytes_is(tn_net_output_name(&b.net, 0, 0), "y"));
    assert_true(tn_bytes_is(tn_net_output_name(&b.net, 0, 1), "Add:0"));
    assert_true(tn_bytes_is(tn_net_input_name(&b.net, 0, 0), "x"));
    tear_down(&b);
}

static void attributes_are_set_and_found(void **state)
{
    struct bench               b;
    const int64_t              one = 1, two = 2;
    const struct tn_attr_value v = { TN_ATTR_INT, false, 1, { .ints = &one } };
    const struct tn_attr_value w = { TN_ATTR_INT, false, 1, { .ints = &two } };

    (void)state;
    set_up(&b, "onnx");
    struct little l = fill(&b);
    assert_null(tn_net_attr_of(&b.net, l.f, "axis"));
    tn_net_set_attr(&b.net, l.f, "axis", &v);
    tn_net_set_attr(&b.net, l.f, "other", &v);
    tn_net_set_attr(&b.net, l.f, "axis", &w);
    assert_int_equal(tn_net_node(&b.net, l.f).attr_count, 2);
    assert_int_equal(tn_net_attr_of(&b.net, l.f, "axis")->of.ints[0], 2);
    tear_down(&b);
}

/* y = If(x) { inner: i = neg(a) }: a node inside uses a of outside. */
struct nested {
    struct little l;
    uint32_t      inner, neg, branch;
};

static struct nested fill_nested(struct bench *b)
{
    struct nested n  = { .l = fill(b) };
    int64_t      *id = tn_new(&b->arena, int64_t, 1, &b->error);

    n.inner = tn_net_add_graph(&b->net, TN_GRAPH_SUBGRAPH, tn_text("then"), 0);
    *id     = n.inner;
    uint32_t i = value(b, n.inner, "i"), z = value(b, 0, "z");
    n.neg = node(b, n.inner, "neg", &n.l.a, 1, i);
    tn_net_add_output(&b->net, n.inner, i, tn_text(""));
    n.branch = node(b, 0, "If", &n.l.x, 1, z);
    tn_net_set_attr(
        &b->net, n.branch, "then_branch",
        &(struct tn_attr_value){ TN_ATTR_GRAPH, false, 1, { .ints = id } });
    return n;
}

static void what_nobody_needs_is_pruned(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    struct nested n = fill_nested(&b);
    uint32_t      c = node(&b, 0, "c", NULL, 0, value(&b, 0, "c"));
    tn_net_set_controls(&b.net, n.l.g, &c, 1);
    tn_net_prune(&b.net);
    assert_false(tn_net_node(&b.net, n.l.f).is_removed);
    assert_false(tn_net_node(&b.net, c).is_removed);
    assert_true(tn_net_node(&b.net, n.branch).is_removed);
    assert_true(tn_net_node(&b.net, n.neg).is_removed);
    assert_int_equal(tn_net_graph(&b.net, 0)->nodes.count, 3);
    assert_int_equal(tn_net_graph(&b.net, n.inner)->nodes.count, 0);
    tear_down(&b);
}

static void what_a_needed_subgraph_uses_stays(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    struct nested n                        = fill_nested(&b);
    tn_net_graph(&b.net, 0)->outputs.count = 0;
    tn_net_add_output(&b.net, 0, tn_net_node(&b.net, n.branch).outputs[0],
                      tn_text("z"));
    tn_net_prune(&b.net);
    assert_false(tn_net_node(&b.net, n.neg).is_removed);
    assert_false(tn_net_node(&b.net, n.l.f).is_removed);
    assert_true(tn_net_node(&b.net, n.l.g).is_removed);
    tear_down(&b);
}

static void sorted_is(struct bench *b, uint32_t graph, const uint32_t *expected,
                      uint32_t count)
{
    const struct tn_list *nodes = &tn_net_graph(&b->net, graph)->nodes;

    assert_int_equal(nodes->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(*tn_list_at(nodes, uint32_t, i), expected[i]);
}

static void order_is_kept_where_it_can_be(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    struct little l    = fill(&b);
    uint32_t      late = value(&b, 0, "late");
    uint32_t      free = node(&b, 0, "free", NULL, 0, value(&b, 0, "free"));
    uint32_t      h    = node(&b, 0, "h", NULL, 0, late);
    tn_net_set_inputs(&b.net, l.f, &late, 1);
    assert_int_equal(tn_net_order(&b.net, NULL), TN_OK);
    sorted_is(&b, 0, (uint32_t[]){ h, l.f, l.g, free }, 4);
    tear_down(&b);
}

static void a_node_follows_what_its_subgraph_uses(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    struct nested n     = fill_nested(&b);
    uint32_t     *nodes = tn_net_graph(&b.net, 0)->nodes.items;
    nodes[0]            = n.branch;
    nodes[2]            = n.l.f;
    nodes[1]            = n.l.g;
    assert_int_equal(tn_net_order(&b.net, NULL), TN_OK);
    sorted_is(&b, 0, (uint32_t[]){ n.l.f, n.branch, n.l.g }, 3);
    sorted_is(&b, n.inner, &n.neg, 1);
    tear_down(&b);
}

static void a_cycle_is_refused_unless_an_op_closes_it(void **state)
{
    static const char *const loops[] = { "g", NULL };
    struct bench             b;

    (void)state;
    set_up(&b, "onnx");
    struct little l = fill(&b);
    tn_net_set_inputs(&b.net, l.f, &l.y, 1);
    assert_int_equal(tn_net_order(&b.net, loops), TN_OK);
    sorted_is(&b, 0, (uint32_t[]){ l.f, l.g }, 2);
    assert_int_equal(tn_net_order(&b.net, NULL), TN_UNSUPPORTED);
    assert_string_equal(b.error.what, "node 'f' (f) depends on its own result");
    tear_down(&b);
}

static void a_long_chain_needs_no_stack(void **state)
{
    struct bench b;
    uint32_t     last, count = 200000;

    (void)state;
    set_up(&b, "onnx");
    last = value(&b, 0, "x");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = value(&b, 0, "n");
        node(&b, 0, "n", &last, 1, next);
        last = next;
    }
    tn_net_add_output(&b.net, 0, last, tn_text("y"));
    uint32_t *nodes = tn_net_graph(&b.net, 0)->nodes.items;
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = count - 1 - i;
    tn_net_prune(&b.net);
    assert_int_equal(tn_net_order(&b.net, NULL), TN_OK);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(
            *tn_list_at(&tn_net_graph(&b.net, 0)->nodes, uint32_t, i), i);
    tear_down(&b);
}

static enum tn_status everything(struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_arena arena;
    struct tn_net   net;
    const int64_t   one = 1;

    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "onnx", error);
    uint32_t g = tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    uint32_t c = g == TN_NONE ? TN_NONE
                              : tn_net_add_ints(&net, g, tn_text("c"), TN_INT32,
                                                &one, 0, NULL);
    uint32_t v =
        c == TN_NONE ? TN_NONE : tn_net_add_value(&net, g, tn_text("c"));
    if (v != TN_NONE) {
        tn_net_add_node(&net,
                        &(struct tn_net_node){ .name = tn_text("n"),
                                               .op   = tn_net_own_op(&net, "n"),
                                               .inputs       = &c,
                                               .input_count  = 1,
                                               .outputs      = &v,
                                               .output_count = 1 });
        tn_net_add_output(&net, g, v, tn_text("y"));
    }
    if (!tn_failed(error))
        tn_net_replace(&net, c, v);
    if (!tn_failed(error))
        tn_net_prune(&net);
    if (!tn_failed(error))
        tn_net_order(&net, (const char *const[]){ "n", NULL });
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t limit = 0;; limit += 16) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        tn_memory_init(&memory, NULL, limit + 1);
        enum tn_status status = everything(&memory, &error);
        assert_int_equal(memory.used, 0);
        if (status == TN_OK)
            return;
        assert_int_equal(status, TN_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_numbered),
        cmocka_unit_test(equal_wishes_cost_no_more),
        cmocka_unit_test(nodes_and_values_do_not_share_names),
        cmocka_unit_test(constants_know_their_type),
        cmocka_unit_test(doubles_become_any_type),
        cmocka_unit_test(strings_are_constants_too),
        cmocka_unit_test(impossible_constants_are_refused),
        cmocka_unit_test(replacing_reaches_every_user),
        cmocka_unit_test(a_chain_is_replaced_in_proportion),
        cmocka_unit_test(an_output_that_moved_is_replaced),
        cmocka_unit_test(an_output_keeps_its_name_when_replaced),
        cmocka_unit_test(attributes_are_set_and_found),
        cmocka_unit_test(what_nobody_needs_is_pruned),
        cmocka_unit_test(what_a_needed_subgraph_uses_stays),
        cmocka_unit_test(order_is_kept_where_it_can_be),
        cmocka_unit_test(a_node_follows_what_its_subgraph_uses),
        cmocka_unit_test(a_cycle_is_refused_unless_an_op_closes_it),
        cmocka_unit_test(a_long_chain_needs_no_stack),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
