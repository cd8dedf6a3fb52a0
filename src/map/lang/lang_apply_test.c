/* lang_apply_test.c - a net of one dialect becomes a net of another */
#include "map/lang/lang_apply.h"
#include "map/net/net_build.h"

#include <stdio.h>

#include "support/hostile.h"
#include "support/net_make.h"
#include "support/net_text.h"
#include "support/rule_bench.h"

#define ONNX_TO_ND4J "rules onnx -> nd4j 1\n"

/* The net: a = Relu(x); y = Split(a; axis 1) -> y, z; r = Sum(x, a, w), where w
 * is a constant; the outputs are y and r.  z is used by nobody. */
static const struct {
    const char *rules, *net; /* what comes of it; "!" and a reason, of Relu */
} cases[] = {
    { "Relu(X) => relu(X; cutoff: 0.0)\n"
      "Split(X; axis) -> (ys...) => split(X; numSplit: len(ys), axis)\n"
      "Sum(xs...) => mergeadd(xs...)",
      "a:relu(x) y,z:split(a) r:mergeadd(x,a,w) ->y,r" },
    /* several nodes for one: what lies between is named after the output */
    { "Relu(X) => relu(neg(neg(X)); cutoff: 0.0)\n"
      "Split(X; -axis) -> (y, z?) { y, z <- split(X; numSplit: 2, axis: 1) }\n"
      "Sum(xs...) -> (s) {\n"
      "    s <- xs[0]\n"
      "    for x in xs[1:] { s <- add(s, x) }\n"
      "}",
      "a/neg:neg(x) a/neg_1:neg(a/neg) a:relu(a/neg_1) y,z:split(a) "
      "r/add:add(x,a) r:add(r/add,w) ->y,r" },
    /* nodes that vanish; constants that are used by nobody do, too */
    { "Relu(X) -> (Y) { Y <- X }\n"
      "Split(X; -axis) -> (y, z?) { y <- identity(X) }\n"
      "Sum(xs...) -> (s) { s <- xs[1] }",
      "y:identity(x) ->y,x" },
    /* macros, defs, tables, branches, constants */
    { "table half { 1: 2 }\ndef twice(n) = n * 2\n"
      "macro biased(x; by) -> (y) {\n"
      "    if by == 4 { y <- add(x, const(by, float32)) } else { y <- x }\n"
      "}\n"
      "Relu(X) => biased(X; by: twice(half(1)))\n"
      "Split(X; -axis) -> (y, z?) when not wanted(z) { y <- identity(X) }\n"
      "Sum(xs...) => mergeadd([neg(x) for i, x in xs if i != 1]...)",
      "a:add(x,a/const) y:identity(a) r/neg:neg(x) r/neg_1:neg(w) "
      "r:mergeadd(r/neg,r/neg_1) ->y,r" },
    /* a rule that refuses half way leaves nothing */
    { "Relu(X) -> (Y) { Y <- neg(neg(X))\n refuse \"not today\" }\n"
      "Relu(X) => relu(X; cutoff: 0.0)\n"
      "Split(X; -axis) -> (y, z?) { y <- neg(add(X, X))\n"
      "    require len([1]) == 2, \"never\" }\n"
      "Split(X; axis) -> (y, z?) { y, _ <- split(X; numSplit: 2, axis) }\n"
      "Sum(xs...) => mergeadd(xs...)",
      "a:relu(x) y:split(a) r:mergeadd(x,a,w) ->y,r" },
    /* what no rule takes goes along */
    { "Relu(X) => relu(X; cutoff: 0.0)\nSum(xs...) => mergeadd(xs...)",
      "a:relu(x) y,z:Split(a) r:mergeadd(x,a,w) ->y,r" },
    /* patterns: what others use stays, what nobody uses is not made */
    { "Split(Relu(X); axis) -> (ys...) => split(X; numSplit: len(ys), axis)\n"
      "Relu(X) => relu(X; cutoff: 0.0)\nSum(xs...) => mergeadd(xs...)",
      "a:relu(x) y,z:split(x) r:mergeadd(x,a,w) ->y,r" },
    { "Split(once Relu(X); axis) -> (ys...) => split(X; numSplit: 1, axis)\n"
      "Split(X; axis) -> (ys...) => split(X; numSplit: len(ys), axis)\n"
      "Relu(X) => relu(X; cutoff: 0.0)\nSum(xs...) => mergeadd(xs...)",
      "a:relu(x) y,z:split(a) r:mergeadd(x,a,w) ->y,r" },
    /* reasons, with their places */
    { "Relu(X) when rank(X) == 7 => relu(X; cutoff: 0.0)",
      "!2:22 the rule's condition does not hold" },
    { "Relu(X) when rank(X) == 2 => relu(X; cutoff: dim(X, 1))",
      "!2:46 needs a dimension of 'x', which is unknown" },
    { "Relu(X, Y) => relu(X; cutoff: 0.0)", "!2:9 there is no input 'Y'" },
    { "Relu() => relu(none; cutoff: 0.0)",
      "!2:1 more inputs than the rule takes: 'Relu'" },
    { "Relu(X) -> (Y) { refuse \"no \" + \"way\" }", "!2:31 no way" },
    { "Relu(X) -> (Y) { if false { Y <- X } }",
      "!2:13 nothing is bound to output 'Y'" },
    { "Relu(X) => relu(X; cutoff: \"a\")",
      "!2:28 attribute 'cutoff' is to be of floats" },
    { "Relu(X) => relu(X; cutoff: [1.0])",
      "!2:28 attribute 'cutoff' is not to be a list" },
    { "Relu(X) => native nothing", "!2:1 unknown function 'nothing'" },
    { "Relu(X) -> (Y) { Y <- X\n for i in range(20000) { Y <- neg(Y) } }",
      "!3:31 more than 10000 nodes" },
    { "Relu(X) -> (Y) { Y <- X\n for i in range(100000) { for j in "
      "range(100000) { let k = i * j } } }",
      "!" },
    { "", "!0:0 the operator has no rule" },
    { "Relu@14..(X) => relu(X; cutoff: 0.0)",
      "!0:0 the operator has rules for other versions or domains only" },
    { "Relu(X; axis: 1) => relu(X; cutoff: 0.0)",
      "!2:9 the rule is for another 'axis'" },
};

static const int64_t one = 1;

static void make_net(struct tn_net *net)
{
    static const int64_t ones[] = { 1, 1 };

    if (tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) == TN_NONE)
        return;
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ 2, -1, -2 });
    uint32_t w = make_ints(net, "w", ones, 2);
    uint32_t a = make_node(net, "Relu", "a", &x, 1, NULL, 0);
    uint32_t outs[]         = { tn_net_add_value(net, 0, tn_text("y")),
                                tn_net_add_value(net, 0, tn_text("z")) };
    struct tn_net_attr axis = make_int("axis", &one);
    if (tn_failed(net->error))
        return;
    tn_net_add_node(net,
                    &(struct tn_net_node){ .op = tn_net_own_op(net, "Split"),
                                           .inputs       = &a,
                                           .input_count  = 1,
                                           .outputs      = outs,
                                           .output_count = 2,
                                           .attrs        = &axis,
                                           .attr_count   = 1,
                                           .source       = TN_NONE });
    uint32_t r =
        make_node(net, "Sum", "r", (uint32_t[]){ x, a, w }, 3, NULL, 0);
    if (tn_failed(net->error))
        return;
    tn_net_add_output(net, 0, outs[0], tn_text(""));
    tn_net_add_output(net, 0, r, tn_text(""));
}

static enum tn_status apply(struct bench *b, struct tn_bytes rules)
{
    return apply_rules(b, make_net, rules, NULL, 0);
}

/* "!line:column text" of the last reason for the first node. */
static void print_reason(const struct bench *b, char *to, size_t size)
{
    uint32_t                    count;
    const struct tn_map_reason *reason = tn_map_reasons(&b->report, 0, &count);

    assert_null(tn_map_rule(&b->report, 0));
    assert_true(count);
    reason += count - 1;
    snprintf(to, size, "!%u:%u %s", reason->place.line, reason->place.column,
             reason->text);
}

static void print_net(struct bench *b, const struct tn_net *net, char *to,
                      size_t size)
{
    struct tn_buffer text;

    tn_buffer_init(&text, &b->memory, &b->error);
    net_text_graph(&text, net, 0);
    snprintf(to, size, "%.*s", TN_FMT(tn_buffer_bytes(&text)));
    tn_buffer_done(&text);
}

static void test_nets(void **state)
{
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        char         rules[1000], result[1000];
        set_up(&b);
        snprintf(rules, sizeof rules, ONNX_TO_ND4J "%s", cases[i].rules);
        apply(&b, tn_text(rules));
        if (tn_failed(&b.error))
            fail_msg("%s: %s: %s", rules, b.error.where, b.error.what);
        bool is_refusal = cases[i].net[0] == '!';
        if (is_refusal)
            print_reason(&b, result, sizeof result);
        else
            print_net(&b, &b.to, result, sizeof result);
        size_t most = cases[i].net[1] ? sizeof result : 1;
        if (strncmp(result, cases[i].net, most)) {
            print_error("%s\n%s, not\n%s\n", cases[i].rules, result,
                        cases[i].net);
            wrong++;
        }
        tear_down(&b);
    }
    assert_int_equal(wrong, 0);
}

/* Names, types, sources and rows of the report. */
static void test_what_is_kept(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    apply(&b, tn_text(ONNX_TO_ND4J "Relu(X) => relu(X; cutoff: 0.0)\n"
                                   "Split(X; axis) -> (ys...) => "
                                   "split(X; numSplit: len(ys), axis)\n"
                                   "Sum(xs...) => mergeadd(xs...)"));
    const struct tn_net_node relu = tn_net_node(&b.to, 0);
    assert_string_equal((const char *)relu.name.data, "a");
    const struct tn_attr_value *cutoff = tn_net_attr(&relu, "cutoff");
    assert_int_equal(cutoff->kind, TN_ATTR_DOUBLE);
    assert_true(cutoff->of.doubles[0] == 0.0);
    assert_int_equal(*tn_net_attr_of(&b.to, 1, "numSplit")->of.ints, 2);
    assert_int_equal(tn_map_rule(&b.report, 2)->place.line, 4);
    assert_int_equal(b.report.unmapped_count, 0);
    assert_int_equal(b.report.reasons.count, 0);
    tear_down(&b);
}

/* What is of a type that the target does not have, no rule takes. */
static void make_complex(struct tn_net *net)
{
    if (tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) == TN_NONE)
        return;
    uint32_t x = make_input(net, "x", TN_COMPLEX64, (int64_t[]){ 2, -1, -2 });
    uint32_t a = make_node(net, "Relu", "a", &x, 1, NULL, 0);
    tn_net_add_output(net, 0, a, tn_text(""));
}

static void test_types_that_the_target_lacks(void **state)
{
    struct bench b;
    char         told[200];

    (void)state;
    set_up(&b);
    apply_rules(&b, make_complex,
                tn_text(ONNX_TO_ND4J "Relu(X) => relu(X; cutoff: 0.0)"), NULL,
                0);
    print_reason(&b, told, sizeof told);
    assert_string_equal(told, "!0:0 nd4j has no element type complex64");
    assert_int_equal(b.report.unmapped_count, 1);
    tear_down(&b);
}

static void make_unused_complex(struct tn_net *net)
{
    if (tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) == TN_NONE)
        return;
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ 2, -1, -2 });
    uint32_t a = make_node(net, "Relu", "a", &x, 1, NULL, 0);
    make_input(net, "c", TN_COMPLEX64, (int64_t[]){ 2, -1, -2 });
    tn_net_add_output(net, 0, a, tn_text(""));
}

static void make_complex_constant(struct tn_net *net)
{
    if (tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) == TN_NONE)
        return;
    uint32_t x = make_input(net, "x", TN_COMPLEX64, (int64_t[]){ 2, -1, -2 });
    tn_net_graph(net, 0)->inputs.count = 0;
    tn_net_add_output(net, 0, x, tn_text("c"));
}

/* Also where no node is that could be refused. */
static void test_ends_of_types_that_the_target_lacks(void **state)
{
    static const struct {
        void (*make)(struct tn_net *net);
        const char *what;
    } rows[] = {
        { make_unused_complex, "nd4j has no element type complex64, which 'c' "
                               "is of: --inputs can leave it out" },
        { make_complex_constant, "nd4j has no element type complex64, which "
                                 "'c' is of: --outputs can leave it out" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        set_up(&b);
        apply_rules(&b, rows[i].make,
                    tn_text(ONNX_TO_ND4J "Relu(X) => relu(X; cutoff: 0.0)"),
                    NULL, 0);
        assert_string_equal(b.error.what, rows[i].what);
        tear_down(&b);
    }
}

/* What one rule may, all rules for all nodes may not. */
static void test_all_together_are_bounded(void **state)
{
    static const struct {
        const char *rules;
        uint64_t    most_nodes, most_steps;
        const char *what;
    } rows[] = {
        { "Relu(X) => relu(neg(X); cutoff: 0.0)\nSum(xs...) => neg(xs[0])", 2,
          0, "a.rules:3: the rules make more than 2 nodes" },
        { "Relu(X) when len(range(900)) < 0 => neg(X)\n"
          "Relu(X) when len(range(900)) < 0 => neg(X)\n",
          0, 1000,
          "a.rules:3: the rules take more than 1000 steps for all "
          "nodes" },
        { "Relu(X) => neg(X)\nSum(xs...) => neg(xs[len(range(900)) * 0])", 0,
          900, "a.rules:3: the rules take more than 900 steps for all nodes" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        char         rules[1000];
        set_up(&b);
        b.most_nodes = rows[i].most_nodes;
        b.most_steps = rows[i].most_steps;
        snprintf(rules, sizeof rules, ONNX_TO_ND4J "%s", rows[i].rules);
        assert_int_equal(apply(&b, tn_text(rules)), TN_LIMIT);
        assert_string_equal(b.error.what, rows[i].what);
        tear_down(&b);
    }
}

static enum tn_status apply_any(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct bench b = { .error = TN_ERROR_INIT };

    tn_memory_init(&b.memory, &memory->allocator, memory->limit);
    tn_arena_init(&b.arena, &b.memory);
    apply(&b, input);
    *error = b.error;
    tear_down(&b);
    return error->status;
}

static void test_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(
        apply_any,
        tn_text(ONNX_TO_ND4J
                "macro m(x; k) -> (y) { y <- relu(neg(x); cutoff: k) }\n"
                "Relu(X) -> (Y) { Y <- m(X; k: 1.0)\n refuse \"no\" }\n"
                "Relu(X) => m(add(X, const([1, 2], float32)); k: 1.0)\n"
                "Split(X; axis) -> (ys...) => split(X; numSplit: 2, axis)\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nets),
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_types_that_the_target_lacks),
        cmocka_unit_test(test_ends_of_types_that_the_target_lacks),
        cmocka_unit_test(test_all_together_are_bounded),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
