/* tflite_calls_test.c - subgraphs of TFLite where they are called */
#include "map/net/net_build.h"
#include "map/tidy/tflite_tidy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/net_bench.h"

static uint32_t add_node(struct tn_net *net, uint32_t graph, const char *type,
                         const uint32_t *inputs, uint32_t count,
                         const char *name)
{
    uint32_t value = tn_net_add_value(net, graph, tn_text(name));

    tn_net_add_node(net,
                    &(struct tn_net_node){ .op     = tn_net_own_op(net, type),
                                           .graph  = graph,
                                           .inputs = inputs,
                                           .input_count  = count,
                                           .outputs      = &value,
                                           .output_count = 1,
                                           .source       = TN_NONE });
    return value;
}

/* NAME(a) = OP(a) */
static uint32_t add_function(struct tn_net *net, const char *name,
                             const char *op)
{
    uint32_t graph =
        tn_net_add_graph(net, TN_GRAPH_FUNCTION, tn_text(name), TN_NONE);
    uint32_t a = tn_net_add_value(net, graph, tn_text("a"));

    tn_net_add_input(net, graph, a, tn_text(""));
    tn_net_add_output(net, graph, add_node(net, graph, op, &a, 1, "b"),
                      tn_text(""));
    return graph;
}

static void call(struct tn_net *net, uint32_t value, const char *attr,
                 const char *function)
{
    struct tn_bytes *name = tn_new(net->arena, struct tn_bytes, 1, net->error);

    if (!name)
        return;
    *name = tn_text(function);
    tn_net_set_attr(net, tn_net_value(net, value).producer, attr,
                    &(struct tn_attr_value){ .kind       = TN_ATTR_FUNCTION,
                                             .count      = 1,
                                             .of.strings = name });
}

static uint32_t add_input(struct tn_net *net, const char *name)
{
    uint32_t value = tn_net_add_value(net, 0, tn_text(name));

    tn_net_add_input(net, 0, value, tn_text(""));
    return value;
}

static enum tn_status tidy(struct tn_net *net)
{
    struct tn_tflite_tidied did = { 0 };

    TN_TRY(tn_tflite_tidy(net, NULL, &did));
    return tn_net_order(net, NULL);
}

static void fill_calls(struct tn_net *net)
{
    uint32_t x = add_input(net, "x");

    add_function(net, "f", "ABS");
    uint32_t inner = add_function(net, "g", "CALL");
    uint32_t y     = add_node(net, 0, "CALL", &x, 1, "y");
    call(net, y, "subgraph", "g");
    call(net, *tn_list_at(&tn_net_graph(net, inner)->outputs, uint32_t, 0),
         "subgraph", "f");
    tn_net_add_output(net, 0, y, tn_text(""));
}

static void a_call_is_its_body(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tflite");
    fill_calls(&b.net);
    assert_int_equal(tidy(&b.net), TN_OK);
    assert_net(&b, "y:ABS(x) ->y");
    tear_down(&b);
    survives_no_memory("tflite", fill_calls, tidy, "y:ABS(x) ->y");
}

static void what_calls_itself_is_refused(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tflite");
    uint32_t x     = add_input(&b.net, "x");
    uint32_t graph = add_function(&b.net, "f", "CALL");
    uint32_t y     = add_node(&b.net, 0, "CALL", &x, 1, "y");
    call(&b.net, y, "subgraph", "f");
    call(&b.net, *tn_list_at(&tn_net_graph(&b.net, graph)->outputs, uint32_t, 0),
         "subgraph", "f");
    tn_net_add_output(&b.net, 0, y, tn_text(""));
    assert_int_equal(tidy(&b.net), TN_LIMIT);
    tear_down(&b);
}

static void a_subgraph_that_is_not_there(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tflite");
    uint32_t x = add_input(&b.net, "x");
    uint32_t y = add_node(&b.net, 0, "CALL", &x, 1, "y");
    call(&b.net, y, "subgraph", "f");
    tn_net_add_output(&b.net, 0, y, tn_text(""));
    assert_int_equal(tidy(&b.net), TN_INVALID);
    assert_string_equal(b.error.what, "CALL: subgraph names no subgraph");
    tear_down(&b);
}

static void branches_and_rounds(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tflite");
    uint32_t c = add_input(&b.net, "c"), x = add_input(&b.net, "x");
    uint32_t both[2] = { c, x };
    add_function(&b.net, "f", "ABS");
    add_function(&b.net, "g", "NEG");
    uint32_t y = add_node(&b.net, 0, "IF", both, 2, "y");
    call(&b.net, y, "then_subgraph_index", "f");
    call(&b.net, y, "else_subgraph_index", "g");
    uint32_t z = add_node(&b.net, 0, "WHILE", &y, 1, "z");
    call(&b.net, z, "cond_subgraph_index", "f");
    call(&b.net, z, "body_subgraph_index", "g");
    tn_net_add_output(&b.net, 0, z, tn_text(""));
    assert_int_equal(tidy(&b.net), TN_OK);
    assert_int_equal(count_nodes(&b.net, "If"), 1);
    assert_int_equal(count_nodes(&b.net, "Loop"), 1);
    assert_int_equal(count_nodes(&b.net, "WHILE"), 0);
    /* the condition stands before the loop, and behind its body */
    assert_int_equal(count_nodes(&b.net, "ABS"), 3);
    assert_int_equal(count_nodes(&b.net, "NEG"), 2);
    tear_down(&b);
}

/* ---- variables ----------------------------------------------------------- */

static uint32_t handle(struct tn_net *net, const char *name)
{
    uint32_t         value = add_node(net, 0, "VAR_HANDLE", NULL, 0, name);
    struct tn_bytes *text  = tn_new(net->arena, struct tn_bytes, 1, net->error);

    if (!text)
        return value;
    *text = tn_text(name);
    tn_net_set_attr(net, tn_net_value(net, value).producer, "shared_name",
                    &(struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                             .count      = 1,
                                             .of.strings = text });
    return value;
}

/* y = v + x; v = y */
static void fill_state(struct tn_net *net)
{
    uint32_t x    = add_input(net, "x");
    uint32_t v    = handle(net, "v");
    uint32_t read = add_node(net, 0, "READ_VARIABLE", &v, 1, "r");
    uint32_t both[2] = { read, x };
    uint32_t y       = add_node(net, 0, "ADD", both, 2, "y");
    uint32_t put[2]  = { v, y };

    tn_net_add_node(net, &(struct tn_net_node){
                             .op = tn_net_own_op(net, "ASSIGN_VARIABLE"),
                             .inputs      = put,
                             .input_count = 2,
                             .source      = TN_NONE });
    tn_net_add_output(net, 0, y, tn_text(""));
}

static enum tn_status tidy_and_prune(struct tn_net *net)
{
    TN_TRY(tidy(net));
    tn_net_prune(net);
    return tn_net_order(net, NULL);
}

static void state_is_taken_and_given(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tflite");
    fill_state(&b.net);
    assert_int_equal(tidy_and_prune(&b.net), TN_OK);
    assert_int_equal(tn_net_graph(&b.net, 0)->inputs.count, 2);
    assert_int_equal(tn_net_graph(&b.net, 0)->outputs.count, 2);
    assert_true(tn_bytes_is(tn_net_input_name(&b.net, 0, 1), "v"));
    assert_true(tn_bytes_is(tn_net_output_name(&b.net, 0, 1), "v_next"));
    assert_int_equal(count_nodes(&b.net, "READ_VARIABLE"), 0);
    assert_int_equal(count_nodes(&b.net, "ADD"), 1);
    tear_down(&b);
}

static void a_variable_without_a_value(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tflite");
    uint32_t v    = handle(&b.net, "v");
    uint32_t read = add_node(&b.net, 0, "READ_VARIABLE", &v, 1, "r");
    tn_net_add_output(&b.net, 0, read, tn_text(""));
    assert_int_equal(tidy(&b.net), TN_UNSUPPORTED);
    assert_string_equal(b.error.what, "READ_VARIABLE 'r': reads a variable that "
                                      "has no value");
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_its_body),
        cmocka_unit_test(what_calls_itself_is_refused),
        cmocka_unit_test(a_subgraph_that_is_not_there),
        cmocka_unit_test(branches_and_rounds),
        cmocka_unit_test(state_is_taken_and_given),
        cmocka_unit_test(a_variable_without_a_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
