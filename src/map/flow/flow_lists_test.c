/*
 * flow_lists_test.c - lists as values, and structure that cannot be lowered
 *
 * Nets of nd4j in lines: "a,b = type x,y".  "_" is an input or output that is
 * not there; a name that nothing makes is an input of the graph.
 */
#include "map/flow/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/net_text.h"

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
};

static void set_up(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "nd4j", &b->error);
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
}

static void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static uint32_t find(const struct tn_net *net, const char *name, size_t size)
{
    for (uint32_t i = 0; i < net->values.count; i++)
        if (tn_bytes_equal(tn_net_value(net, i)->name, tn_bytes(name, size)))
            return i;
    return TN_NONE;
}

static uint32_t read_values(struct tn_net *net, uint32_t graph, const char **at,
                            uint32_t *to)
{
    uint32_t count = 0;

    while (**at && **at != ' ') {
        size_t size = strcspn(*at, ", ");
        to[count]   = TN_NONE;
        if (**at != '_') {
            to[count] = find(net, *at, size);
            if (to[count] == TN_NONE)
                to[count] = tn_net_add_value(net, graph, tn_bytes(*at, size));
        }
        count++;
        *at += size + ((*at)[size] == ',');
    }
    *at += **at == ' ';
    return count;
}

/* With graphs that are attributes of the node, when there are names of such. */
static uint32_t add_line(struct tn_net *net, uint32_t graph, const char *line,
                         const char *const *names, const int64_t *graphs)
{
    uint32_t           inputs[8], outputs[8];
    struct tn_net_attr attrs[2];
    struct tn_net_node node = { .graph   = graph,
                                .inputs  = inputs,
                                .outputs = outputs,
                                .attrs   = attrs,
                                .source  = TN_NONE };

    node.output_count = read_values(net, graph, &line, outputs);
    line += 2; /* "= " */
    size_t size = strcspn(line, " ");
    node.op     = tn_net_op(net, tn_bytes(line, size), tn_text(""));
    line += size + (line[size] == ' ');
    node.input_count = read_values(net, graph, &line, inputs);
    for (; names && names[node.attr_count]; node.attr_count++)
        attrs[node.attr_count] =
            (struct tn_net_attr){ tn_text(names[node.attr_count]),
                                  { .kind    = TN_ATTR_GRAPH,
                                    .count   = 1,
                                    .of.ints = &graphs[node.attr_count] } };
    return tn_net_add_node(net, &node);
}

static void add_lines(struct tn_net *net, uint32_t graph,
                      const char *const *lines)
{
    for (; *lines; lines++)
        add_line(net, graph, *lines, NULL, NULL);
}

/* Inputs and outputs of a graph: "i,go -> go,y". */
static void add_ends(struct tn_net *net, uint32_t graph, const char *line)
{
    uint32_t values[8];
    uint32_t count = read_values(net, graph, &line, values);

    for (uint32_t i = 0; i < count; i++)
        tn_net_add_input(net, graph, values[i], tn_text(""));
    line += 3; /* "-> " */
    count = read_values(net, graph, &line, values);
    for (uint32_t i = 0; i < count; i++)
        tn_net_add_output(net, graph, values[i], tn_text(""));
}

static uint32_t add_graph(struct tn_net *net, uint32_t parent)
{
    return tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("g"), parent);
}

static const struct tn_net_type *type_of(struct bench *b, const char *name)
{
    uint32_t id = find(&b->net, name, strlen(name));

    assert_int_not_equal(id, TN_NONE);
    return tn_net_value(&b->net, id)->type;
}

static void assert_list(struct bench *b, const char *name, enum tn_dtype dtype)
{
    if (type_of(b, name)->wrap != TN_NET_SEQUENCE)
        fail_msg("%s is no list", name);
    assert_int_equal(type_of(b, name)->dtype, dtype);
}

/* ---- the flow of a list is a list --------------------------------------- */

/* What a list holds is what is written to it, wherever its flow goes. */
static void flows_are_lists_of_what_is_written(void **state)
{
    static const struct {
        const char *line;
        uint32_t    at; /* which input is written                             */
    } writers[] = {
        { "f2 = write_list l,i,x,f1", 2 },
        { "f2 = scatter_list l,i,x,f1", 2 },
        { "f2 = split_list l,x,s,f1", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        const char *const lines[] = { "l,f = create_list n", "f1 = identity f",
                                      writers[i].line, "g = identity f2",
                                      NULL };
        struct bench      b;
        set_up(&b);
        tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                         TN_INT32);
        add_lines(&b.net, 0, lines);
        tn_flow_lists(&b.net);
        assert_list(&b, "f", TN_INT32);
        assert_list(&b, "f1", TN_INT32);
        assert_list(&b, "f2", TN_INT32);
        assert_list(&b, "g", TN_INT32);
        assert_int_equal(type_of(&b, "x")->wrap, TN_NET_TENSOR);
        tear_down(&b);
    }
}

/* A list that says what it holds is believed; one that nobody writes, or of
 * something unknown, holds floats as nd4j's do. */
static void lists_say_what_they_hold(void **state)
{
    static const int64_t halves = TN_FLOAT16, two[2] = { 1, 2 };
    static const struct {
        struct tn_attr_value held;
        enum tn_dtype        dtype;
    } rows[] = {
        { { .kind = TN_ATTR_DTYPE, .count = 1, .of.ints = &halves },
          TN_FLOAT16 },
        { { .kind = TN_ATTR_INT, .count = 2, .of.ints = two }, TN_FLOAT32 },
        { { .kind = TN_ATTR_DTYPE, .count = 0 }, TN_FLOAT32 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        set_up(&b);
        uint32_t node = add_line(&b.net, 0, "l,f = create_list n", NULL, NULL);
        tn_net_set_attr(&b.net, node, "importDataType", &rows[i].held);
        tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                         TN_INT32);
        add_line(&b.net, 0, "f1 = write_list l,i,x,f", NULL, NULL);
        tn_flow_lists(&b.net);
        assert_list(&b, "f", rows[i].dtype);
        tear_down(&b);
    }
}

/* Writers without a list, a value or a flow are left alone. */
static void odd_writers_are_left_alone(void **state)
{
    static const char *const lines[] = { "l,f = create_list n",
                                         "a = write_list l,i",
                                         "b = write_list _,i,x,_",
                                         "c = write_list l,i,_,f",
                                         "d = write_list m,i,x,f",
                                         "e = write_list y,i,x,f",
                                         "m = F n",
                                         "_ = identity f",
                                         "o = identity",
                                         NULL };
    struct bench             b;

    (void)state;
    set_up(&b);
    tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                     TN_INT32);
    add_lines(&b.net, 0, lines);
    tn_net_remove(&b.net,
                  add_line(&b.net, 0, "z = write_list l,i,x,f", NULL, NULL));
    tn_flow_lists(&b.net);
    assert_int_equal(b.error.status, TN_OK);
    assert_list(&b, "f", TN_FLOAT32);
    assert_list(&b, "c", TN_FLOAT32);
    assert_int_equal(type_of(&b, "a")->wrap, TN_NET_TENSOR);
    assert_int_equal(type_of(&b, "b")->wrap, TN_NET_TENSOR);
    assert_int_equal(type_of(&b, "z")->wrap, TN_NET_TENSOR);
    tear_down(&b);
}

/* Into the graph of a Loop and out of it, through an If inside. */
static void structure_hands_lists_on(void **state)
{
    static const char *const body_names[] = { "body", NULL };
    static const char *const if_names[]   = { "then_branch", "else_branch",
                                              NULL };
    static const char *const writes[]     = { "w = write_list l,i,x,v", NULL };
    static int64_t           body[1], branches[2];
    struct bench             b;

    (void)state;
    set_up(&b);
    tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                     TN_INT64);
    add_line(&b.net, 0, "l,f = create_list n", NULL, NULL);
    body[0]     = add_graph(&b.net, 0);
    branches[0] = add_graph(&b.net, (uint32_t)body[0]);
    branches[1] = add_graph(&b.net, (uint32_t)body[0]);
    add_ends(&b.net, (uint32_t)body[0], "i,go,v -> go,u");
    add_lines(&b.net, (uint32_t)branches[0], writes);
    tn_net_add_output(&b.net, (uint32_t)branches[0], find(&b.net, "w", 1),
                      tn_text(""));
    tn_net_add_output(&b.net, (uint32_t)branches[1], find(&b.net, "v", 1),
                      tn_text(""));
    add_line(&b.net, (uint32_t)body[0], "u = If go", if_names, branches);
    add_line(&b.net, 0, "y = Loop n,_,f", body_names, body);
    tn_flow_lists(&b.net);
    assert_list(&b, "v", TN_INT64);
    assert_list(&b, "w", TN_INT64);
    assert_list(&b, "u", TN_INT64);
    assert_list(&b, "y", TN_INT64);
    tear_down(&b);
}

/* ---- structure that has no dataflow ------------------------------------- */

static void broken_structure_is_refused(void **state)
{
    static const char *const if_names[]   = { "then_branch", "else_branch",
                                              NULL };
    static const char *const one_branch[] = { "then_branch", NULL };
    static const char *const body_names[] = { "body", NULL };
    static const int64_t     graphs[] = { 1, 2 }, nowhere[] = { 7, -1 };
    static const struct {
        const char        *line;
        const char *const *names;
        const int64_t     *graphs;
        const char        *ends[2], *what;
    } rows[] = {
        { "y = If c",
          one_branch,
          graphs,
          { " -> a", " -> a" },
          " (If): it has no branches" },
        { "y = If c",
          if_names,
          nowhere,
          { " -> a", " -> a" },
          " (If): it has no branches" },
        { "y = If c,d",
          if_names,
          graphs,
          { " -> a", " -> a" },
          " (If): it has no branches" },
        { "y = If c",
          if_names,
          graphs,
          { " -> a", " -> a,a" },
          " (If): its branches give different outputs" },
        { "y = Loop n",
          body_names,
          graphs,
          { "i -> i", " -> a" },
          " (Loop): its body does not take its variables" },
        { "y = Loop n,_,a",
          body_names,
          graphs,
          { "i,go -> go,a", " -> a" },
          " (Loop): its body does not take its variables" },
        { "y = Loop n,_,a",
          body_names,
          nowhere,
          { "i,go -> go,a", " -> a" },
          " (Loop): its body does not take its variables" },
        { "y = Loop n,_",
          body_names,
          graphs,
          { "i,go -> go,a", " -> a" },
          " (Loop): it stacks what its body gives" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        set_up(&b);
        for (int k = 0; k < 2; k++)
            add_ends(&b.net, add_graph(&b.net, 0), rows[i].ends[k]);
        add_line(&b.net, 0, rows[i].line, rows[i].names, rows[i].graphs);
        assert_int_equal(tn_flow_lower(&b.net), TN_UNSUPPORTED);
        assert_string_equal(b.error.what, rows[i].what);
        tear_down(&b);
    }
}

static void only_two_dialects_have_dataflow(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    b.net.dialect = "onnx";
    assert_int_equal(tn_flow_lower(&b.net), TN_UNSUPPORTED);
    assert_string_equal(b.error.what, "onnx has no dataflow control");
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_are_lists_of_what_is_written),
        cmocka_unit_test(lists_say_what_they_hold),
        cmocka_unit_test(odd_writers_are_left_alone),
        cmocka_unit_test(structure_hands_lists_on),
        cmocka_unit_test(broken_structure_is_refused),
        cmocka_unit_test(only_two_dialects_have_dataflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
