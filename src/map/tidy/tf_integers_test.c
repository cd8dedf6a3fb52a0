/* tf_integers_test.c - quantised element types as the integers they are */
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

#include "support/hostile.h"
#include "support/net_make.h"

static const struct {
    enum tn_dtype quantised, plain;
} pairs[] = {
    { TN_QINT8, TN_INT8 },   { TN_QUINT8, TN_UINT8 },
    { TN_QINT16, TN_INT16 }, { TN_QUINT16, TN_UINT16 },
    { TN_QINT32, TN_INT32 }, { TN_FLOAT32, TN_FLOAT32 },
};

enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* Of each type an input and a constant, and a node that names it twice: alone
 * and in a list beside float32. */
struct made {
    uint32_t inputs[PAIRS], constants[PAIRS], nodes[PAIRS];
};

static uint32_t add_node(struct tn_net *net, uint32_t input, int64_t *types)
{
    struct tn_attr_value one = { TN_ATTR_DTYPE, false, 1, { .ints = types } };
    struct tn_attr_value two = { TN_ATTR_DTYPE, true, 2, { .ints = types } };
    struct tn_net_attr   attrs[] = { { tn_text("T"), one },
                                     { tn_text("Tin"), two } };
    uint32_t value = make_node(net, "Any", "n", &input, 1, attrs, 2);

    return value == TN_NONE ? TN_NONE : tn_net_value(net, value).producer;
}

static void fill(struct tn_net *net, struct made *m, int64_t (*types)[2])
{
    static const int64_t items[] = { -1, 3 };

    for (uint32_t i = 0; i < PAIRS && !tn_failed(net->error); i++) {
        struct tn_net_type type = { .dtype = pairs[i].quantised };
        m->inputs[i]            = tn_net_add_value(net, 0, tn_text("x"));
        if (tn_failed(net->error))
            return;
        tn_net_set_type(net, m->inputs[i], &type);
        m->constants[i] = tn_net_add_ints(net, 0, tn_text("c"), TN_INT32, items,
                                          1, (uint64_t[]){ 2 });
        if (tn_failed(net->error))
            return;
        struct tn_elements elements =
            *tn_net_value(net, m->constants[i]).constant;
        elements.shape.dtype =
            pairs[i].quantised == TN_QINT32 ? TN_QINT32 : TN_INT32;
        tn_net_set_constant(net, m->constants[i], &elements, NULL);
        types[i][0] = pairs[i].quantised;
        types[i][1] = TN_FLOAT32;
        m->nodes[i] = add_node(net, m->inputs[i], types[i]);
    }
}

static void look(const struct tn_net *net, const struct made *m)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        const struct tn_net_node    node = tn_net_node(net, m->nodes[i]);
        const struct tn_net_value   c    = tn_net_value(net, m->constants[i]);
        const struct tn_attr_value *t    = tn_net_attr(&node, "T");
        const struct tn_attr_value *list = tn_net_attr(&node, "Tin");
        assert_int_equal(tn_net_value(net, m->inputs[i]).type->dtype,
                         pairs[i].plain);
        assert_int_equal(c.type->dtype, TN_INT32);
        assert_int_equal(c.constant->shape.dtype, TN_INT32);
        assert_int_equal(t->of.ints[0], pairs[i].plain);
        assert_int_equal(list->of.ints[0], pairs[i].plain);
        assert_int_equal(list->of.ints[1], TN_FLOAT32);
    }
}

static enum tn_status change(struct tn_bytes input, struct tn_memory *memory,
                             struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_net   net;
    struct made     m = { 0 };
    int64_t         types[PAIRS][2];

    (void)input;
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "tensorflow", error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    if (!tn_failed(error))
        fill(&net, &m, types);
    if (!tn_failed(error)) {
        uint64_t count = tn_tf_integers(&net);
        if (!tn_failed(error)) {
            assert_int_equal(count, PAIRS - 1 + 1); /* and a constant */
            look(&net, &m);
            assert_int_equal(tn_tf_integers(&net), 0);
        }
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void quantised_types_go(void **state)
{
    (void)state;
    tn_survives_no_memory(change, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantised_types_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
