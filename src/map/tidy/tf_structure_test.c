/* tf_structure_test.c - functional If, Case and While become If and Loop */
#include "map/net/net_build.h"
#include "map/tidy/tf_testing.h"

#include <stdio.h>

#include "support/net_bench.h"

static uint32_t add_value(struct bench *b, uint32_t graph, const char *name)
{
    return tn_net_add_value(&b->net, graph, tn_text(name));
}

static uint32_t add_node(struct bench *b, uint32_t graph, const char *type,
                         const uint32_t *inputs, uint32_t input_count,
                         const char *output)
{
    uint32_t value = add_value(b, graph, output);

    return tn_net_add_node(
        &b->net, &(struct tn_net_node){ .name   = tn_text(output),
                                        .op     = tn_net_own_op(&b->net, type),
                                        .graph  = graph,
                                        .inputs = inputs,
                                        .input_count  = input_count,
                                        .outputs      = &value,
                                        .output_count = 1,
                                        .source       = TN_NONE });
}

static uint32_t output_of(struct bench *b, uint32_t node)
{
    return tn_net_node(&b->net, node).outputs[0];
}

/* A function of `count` arguments; its first output is OP(first argument), or
 * the argument itself, the others are handed round. */
static void add_function(struct bench *b, const char *name, const char *op,
                         uint32_t count, bool has_one_output)
{
    uint32_t graph =
        tn_net_add_graph(&b->net, TN_GRAPH_FUNCTION, tn_text(name), TN_NONE);
    uint32_t args[4];
    char     text[32];

    for (uint32_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%s_arg%u", name, (unsigned)i);
        args[i] = add_value(b, graph, text);
        tn_net_add_input(&b->net, graph, args[i], tn_text(""));
    }
    uint32_t first = args[0];
    if (op) {
        snprintf(text, sizeof text, "%s_%s", name, op);
        first = output_of(b, add_node(b, graph, op, args, 1, text));
    }
    tn_net_add_output(&b->net, graph, first, tn_text(""));
    for (uint32_t i = 1; i < count && !has_one_output; i++)
        tn_net_add_output(&b->net, graph, args[i], tn_text(""));
}

static void set_functions(struct bench *b, uint32_t node, const char *attr,
                          const char *const *names, uint32_t count)
{
    struct tn_bytes *kept =
        tn_new(&b->arena, struct tn_bytes, count, &b->error);

    for (uint32_t i = 0; i < count; i++)
        kept[i] = tn_text(names[i]);
    tn_net_set_attr(&b->net, node, attr,
                    &(struct tn_attr_value){ .kind       = TN_ATTR_FUNCTION,
                                             .count      = count,
                                             .is_list    = count > 1,
                                             .of.strings = kept });
}

static void expect(struct bench *b, const char *want)
{
    if (testing_tidy(&b->net, NULL) != TN_OK)
        fail_msg("%s", b->error.what);
    assert_net(b, want);
}

static void make_io_list(struct bench *b, uint32_t *values, uint32_t count)
{
    static const char *const names[] = { "c", "x", "y" };

    for (uint32_t i = 0; i < count; i++) {
        values[i] = add_value(b, 0, names[i]);
        tn_net_add_input(&b->net, 0, values[i], tn_text(""));
    }
}

static void an_if_has_two_graphs(void **state)
{
    struct bench b;
    uint32_t     in[2];

    (void)state;
    set_up(&b, "tensorflow");
    make_io_list(&b, in, 2);
    add_function(&b, "f", "F", 1, false);
    add_function(&b, "g", NULL, 1, false);
    uint32_t node = add_node(&b, 0, "StatelessIf", in, 2, "z");
    set_functions(&b, node, "then_branch", (const char *[]){ "f" }, 1);
    set_functions(&b, node, "else_branch", (const char *[]){ "g" }, 1);
    tn_net_add_output(&b.net, 0, output_of(&b, node), tn_text(""));
    expect(&b, "z:If(c)[z/then/f_F:F(x) ->z/then/f_F]"
               "[x_1:Identity(x) ->x_1] ->z");
    tear_down(&b);
}

static void a_case_is_a_ladder(void **state)
{
    struct bench b;
    uint32_t     in[2];

    (void)state;
    set_up(&b, "tensorflow");
    make_io_list(&b, in, 2);
    add_function(&b, "f", "F", 1, false);
    add_function(&b, "g", "G", 1, false);
    add_function(&b, "h", "H", 1, false);
    uint32_t node = add_node(&b, 0, "Case", in, 2, "z");
    set_functions(&b, node, "branches", (const char *[]){ "f", "g", "h" }, 3);
    tn_net_add_output(&b.net, 0, output_of(&b, node), tn_text(""));
    expect(&b, "z/is_1:Equal(c,z/is) z:If(z/is_1)"
               "[z/case/f_F:F(x) ->z/case/f_F]"
               "[z/is_3:Equal(c,z/is_2) z_1:If(z/is_3)"
               "[z/case/g_G:G(x) ->z/case/g_G]"
               "[z/default/h_H:H(x) ->z/default/h_H] ->z_1] ->z");
    tear_down(&b);
}

/* What goes round unchanged is used from outside. */
static void a_while_is_a_loop(void **state)
{
    struct bench b;
    uint32_t     in[3];

    (void)state;
    set_up(&b, "tensorflow");
    make_io_list(&b, in, 3);
    add_function(&b, "t", "T", 2, true);
    add_function(&b, "f", "F", 2, false);
    uint32_t node = add_node(&b, 0, "While", in + 1, 2, "z");
    set_functions(&b, node, "cond", (const char *[]){ "t" }, 1);
    set_functions(&b, node, "body", (const char *[]){ "f" }, 1);
    tn_net_add_output(&b.net, 0, output_of(&b, node), tn_text(""));
    expect(&b, "z/first/t_T:T(x) z:Loop(,z/first/t_T,x)"
               "[z/iteration,z/keep_going,z/variable| "
               "z/body/f_F:F(z/variable) z/again/t_T:T(z/body/f_F) "
               "->z/again/t_T,z/body/f_F] ->z");
    tear_down(&b);
}

static void calls_that_never_end_are_refused(void **state)
{
    struct bench b;
    uint32_t     in[2];

    (void)state;
    set_up(&b, "tensorflow");
    make_io_list(&b, in, 2);
    add_function(&b, "f", "f", 1, false); /* calls itself by name */
    uint32_t node = add_node(&b, 0, "f", in, 1, "z");
    tn_net_add_output(&b.net, 0, output_of(&b, node), tn_text(""));
    assert_int_equal(testing_tidy(&b.net, NULL), TN_UNSUPPORTED);
    assert_string_equal(b.error.what, "function f calls itself");
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_if_has_two_graphs),
        cmocka_unit_test(a_case_is_a_ladder),
        cmocka_unit_test(a_while_is_a_loop),
        cmocka_unit_test(calls_that_never_end_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
