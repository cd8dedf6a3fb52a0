/* flow_lists_test.c - lists as values: what flows between their ops */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

#include "support/net_bench.h"
#include "support/net_lines.h"

static const struct tn_net_type *type_of(struct bench *b, const char *name)
{
    uint32_t id = net_line_find(&b->net, name);

    assert_int_not_equal(id, TN_NONE);
    return tn_net_value(&b->net, id).type;
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
        set_up(&b, "nd4j");
        tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                         TN_INT32);
        net_add_lines(&b.net, 0, lines);
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
        set_up(&b, "nd4j");
        uint32_t node = net_add_line(&b.net, 0, "l,f = create_list n");
        tn_net_set_attr(&b.net, node, "importDataType", &rows[i].held);
        tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                         TN_INT32);
        net_add_line(&b.net, 0, "f1 = write_list l,i,x,f");
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
    set_up(&b, "nd4j");
    tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                     TN_INT32);
    net_add_lines(&b.net, 0, lines);
    tn_net_remove(&b.net, net_add_line(&b.net, 0, "z = write_list l,i,x,f"));
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
    static const char *const writes[] = { "w = write_list l,i,x,v", NULL };
    static const char *const inside[] = {
        "u = If go then_branch={2} else_branch={3}", NULL
    };
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    tn_net_set_dtype(&b.net, tn_net_add_value(&b.net, 0, tn_text("x")),
                     TN_INT64);
    net_add_line(&b.net, 0, "l,f = create_list n");
    net_add_subgraph(&b.net, 0, "i,go,v -> go,u", inside);
    net_add_subgraph(&b.net, 1, " -> w", writes);
    net_add_subgraph(&b.net, 1, " -> v", NULL);
    net_add_line(&b.net, 0, "y = Loop n,_,f body={1}");
    tn_flow_lists(&b.net);
    assert_list(&b, "v", TN_INT64);
    assert_list(&b, "w", TN_INT64);
    assert_list(&b, "u", TN_INT64);
    assert_list(&b, "y", TN_INT64);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_are_lists_of_what_is_written),
        cmocka_unit_test(lists_say_what_they_hold),
        cmocka_unit_test(odd_writers_are_left_alone),
        cmocka_unit_test(structure_hands_lists_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
