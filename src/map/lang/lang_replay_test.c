/* lang_replay_test.c - equal nodes are mapped once, others are not */
#include "map/lang/lang_replay.h"
#include "map/net/net_build.h"

#include <stdio.h>

#include "support/net_make.h"
#include "support/net_text.h"
#include "support/rule_bench.h"

#define SUM "Sum(X, s) => add(X, const(2, int64))\n"

/*
 * The net: a = Relu(x), b = Relu(x), c = Relu(p), of another shape; d = Sum(x,
 * s), e = Sum(x, t), constants with other elements; f = Sum(x, x).  Every rule
 * makes a constant for each: nodes that were made from the same plan share
 * what it holds, which is said by a letter.
 */
static const struct {
    const char *rules, *plans;
} cases[] = {
    /* x is not p, and an input twice is not two inputs */
    { "Relu(X) => add(X, const(1.0, float32))\n" SUM, "aabccd" },
    /* what a rule does not use may differ, what it looks at may not */
    { "Relu(X) => add(X, const(1.0, float32))\n"
      "Sum(X, s) when is_const(s) => add(X, const(value(s), int64))\n" SUM,
      "aabcde" },
    { "Relu(X) when name(X) != \"q\" => add(X, const(1.0, float32))\n" SUM,
      "abcdde" },
    /* a rule that asked and refused has asked */
    { "Relu(X) => add(X, const(1.0, float32))\n"
      "Sum(X, s) when value(s) == [8] => add(X, const(3, int64))\n" SUM,
      "aabcde" },
};

static void make_net(struct tn_net *net)
{
    static const int64_t seven = 7, eight = 8;

    tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ 2, 3, -2 });
    uint32_t p = make_input(net, "p", TN_FLOAT32, (int64_t[]){ 5, -2 });
    uint32_t s = make_ints(net, "s", &seven, 1);
    uint32_t t = make_ints(net, "t", &eight, 1);

    const struct {
        const char *type, *name;
        uint32_t    inputs[2], count;
    } nodes[] = {
        { "Relu", "a", { x }, 1 },   { "Relu", "b", { x }, 1 },
        { "Relu", "c", { p }, 1 },   { "Sum", "d", { x, s }, 2 },
        { "Sum", "e", { x, t }, 2 }, { "Sum", "f", { x, x }, 2 },
    };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        tn_net_add_output(net, 0,
                          make_node(net, nodes[i].type, nodes[i].name,
                                    nodes[i].inputs, nodes[i].count, NULL, 0),
                          tn_text(""));
}

static void apply(struct bench *b, const char *rules)
{
    set_up(b);
    if (apply_rules(b, make_net, tn_text(rules), NULL, 0) != TN_OK)
        fail_msg("%s: %s", rules, b->error.what);
}

/* A letter for each node's constant; the same for what is the same. */
static void print_plans(const struct tn_net *net, char *to)
{
    const struct tn_elements *held[26];
    size_t                    known = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        uint32_t value = tn_net_node(net, i).inputs[1];
        size_t   at    = 0;
        held[known]    = tn_net_value(net, value).constant;
        while (held[at] != held[known])
            at++;
        known += at == known;
        *to++ = (char)('a' + at);
    }
    *to = '\0';
}

static void test_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench     b;
        struct tn_buffer text;
        char             rules[1000], plans[32];
        snprintf(rules, sizeof rules, "rules onnx -> nd4j 1\n%s",
                 cases[i].rules);
        apply(&b, rules);
        tn_buffer_init(&text, &b.memory, &b.error);
        net_text_graph(&text, &b.to, 0);
        assert_string_equal(tn_buffer_string(&text),
                            "a:add(x,a/const) b:add(x,b/const) "
                            "c:add(p,c/const) d:add(x,d/const) "
                            "e:add(x,e/const) f:add(x,f/const) ->a,b,c,d,e,f");
        print_plans(&b.to, plans);
        assert_string_equal(plans, cases[i].plans);
        tn_buffer_done(&text);
        tear_down(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
