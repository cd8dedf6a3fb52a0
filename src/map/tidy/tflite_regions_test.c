/* tflite_regions_test.c - what subgraphs of StableHLO compute, as a word */
#include "map/net/net_build.h"
#include "map/tidy/tflite_tidy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/net_bench.h"

/* A subgraph of some arguments and operators: each takes two values, of the
 * arguments (0, 1, ...) and of what operators before it made, and the last
 * value that is not TN_NONE is what it gives. */
struct step {
    const char *op;
    uint32_t    a, b;
};

struct row {
    const char *op, *attr;
    uint32_t    inputs, arguments;
    struct step steps[3];
    uint32_t    gives;
    const char *becomes; /* the operator, and `by`                            */
    const char *by;
    int64_t     key; /* -1: none                                              */
};

#define REDUCE(...)                                                            \
    {                                                                          \
        "STABLEHLO_REDUCE", "body_subgraph_index", 2, 2, __VA_ARGS__           \
    }
#define SCATTER(...)                                                           \
    {                                                                          \
        "STABLEHLO_SCATTER", "update_computation_subgraph_index", 3, 2,        \
            __VA_ARGS__                                                        \
    }
#define SORT(inputs, ...)                                                      \
    {                                                                          \
        "STABLEHLO_SORT", "comparator_subgraph_index", inputs, 2 * (inputs),   \
            __VA_ARGS__                                                        \
    }

static const struct row rows[] = {
    REDUCE({ { "STABLEHLO_ADD", 0, 1 } }, 2, "Reduce", "add", -1),
    REDUCE({ { "STABLEHLO_ADD", 1, 0 } }, 2, "Reduce", "add", -1),
    REDUCE({ { "MUL", 0, 1 } }, 2, "Reduce", "multiply", -1),
    REDUCE({ { "MAXIMUM", 0, 1 } }, 2, "Reduce", "maximum", -1),
    REDUCE({ { "STABLEHLO_OR", 0, 1 } }, 2, "Reduce", "or", -1),
    REDUCE({ { 0 } }, 1, "Reduce", "second", -1),
    REDUCE({ { 0 } }, 0, "STABLEHLO_REDUCE", NULL, -1),
    REDUCE({ { "STABLEHLO_ADD", 0, 0 } }, 2, "STABLEHLO_REDUCE", NULL, -1),
    REDUCE({ { "STABLEHLO_ADD", 0, 1 } }, 0, "STABLEHLO_REDUCE", NULL, -1),
    REDUCE({ { "STABLEHLO_SUBTRACT", 0, 1 } }, 2, "STABLEHLO_REDUCE", NULL, -1),
    REDUCE({ { "STABLEHLO_ADD", 0, 1 }, { "STABLEHLO_ADD", 2, 1 } }, 3,
           "STABLEHLO_REDUCE", NULL, -1),
    { "STABLEHLO_REDUCE",
      "body_subgraph_index",
      4,
      4,
      { { "STABLEHLO_ADD", 0, 1 } },
      4,
      "STABLEHLO_REDUCE",
      NULL,
      -1 },
    SCATTER({ { 0 } }, 1, "Scatter", "second", -1),
    SCATTER({ { "STABLEHLO_MINIMUM", 0, 1 } }, 2, "Scatter", "minimum", -1),
    SORT(1, { { "LESS", 0, 1 } }, 2, "Sort", "ascending", 0),
    SORT(1, { { "LESS", 1, 0 } }, 2, "Sort", "descending", 0),
    SORT(2, { { "GREATER", 2, 3 } }, 4, "Sort", "descending", 1),
    SORT(2, { { "GREATER", 1, 2 } }, 4, "STABLEHLO_SORT", NULL, -1),
    SORT(1, { { "LESS_EQUAL", 0, 1 } }, 2, "STABLEHLO_SORT", NULL, -1),
};

static void add_function(struct tn_net *net, const struct row *row)
{
    uint32_t graph =
        tn_net_add_graph(net, TN_GRAPH_FUNCTION, tn_text("f"), TN_NONE);
    uint32_t values[8];
    uint32_t count = 0;

    for (; count < row->arguments; count++) {
        values[count] = tn_net_add_value(net, graph, tn_text("a"));
        tn_net_add_input(net, graph, values[count], tn_text(""));
    }
    for (const struct step *s = row->steps; s < row->steps + 3 && s->op; s++) {
        uint32_t both[2] = { values[s->a], values[s->b] };
        values[count++] =
            tn_net_add_call(net, graph, s->op, both, 2, tn_text("s"));
    }
    tn_net_add_output(net, graph, values[row->gives], tn_text(""));
}

static void fill(struct tn_net *net, const struct row *row)
{
    uint32_t         inputs[8];
    struct tn_bytes *name = tn_new(net->arena, struct tn_bytes, 1, net->error);

    for (uint32_t i = 0; i < row->inputs; i++)
        inputs[i] = tn_net_new_input(net, 0, "x");
    uint32_t y =
        tn_net_add_call(net, 0, row->op, inputs, row->inputs, tn_text("y"));
    add_function(net, row);
    tn_net_add_output(net, 0, y, tn_text(""));
    if (!name || y == TN_NONE)
        return;
    *name = tn_text("f");
    tn_net_set_attr(net, tn_net_value(net, y).producer, row->attr,
                    &(struct tn_attr_value){ .kind       = TN_ATTR_FUNCTION,
                                             .count      = 1,
                                             .of.strings = name });
}

static void subgraphs_become_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_tflite_tidied did = { 0 };
        struct bench            b;
        set_up(&b, "tflite");
        fill(&b.net, &rows[i]);
        uint32_t y =
            *tn_list_at(&tn_net_graph(&b.net, 0)->outputs, uint32_t, 0);
        assert_int_equal(tn_tflite_tidy(&b.net, NULL, &did), TN_OK);
        struct tn_net_node node =
            tn_net_node(&b.net, tn_net_value(&b.net, y).producer);
        const struct tn_attr_value *by  = tn_net_attr(&node, "by");
        const struct tn_attr_value *key = tn_net_attr(&node, "key");
        if (!tn_bytes_is(node.op->type, rows[i].becomes) ||
            (rows[i].by ? !by || !tn_bytes_is(by->of.strings[0], rows[i].by)
                        : by != NULL) ||
            (key ? key->of.ints[0] : -1) != rows[i].key)
            fail_msg("row %d is %.*s", (int)i, TN_FMT(node.op->type));
        tear_down(&b);
    }
}

static void fill_reduce(struct tn_net *net)
{
    fill(net, &rows[0]);
}

static enum tn_status tidy(struct tn_net *net)
{
    struct tn_tflite_tidied did = { 0 };

    return tn_tflite_tidy(net, NULL, &did);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    survives_no_memory("tflite", fill_reduce, tidy, "y:Reduce(x,x_1) ->y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subgraphs_become_words),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
