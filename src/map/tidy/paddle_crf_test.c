/* paddle_crf_test.c - a crf_decoding becomes two loops */
#define _GNU_SOURCE
#include "map/net/net_load.h"
#include "map/tidy/paddle_tidy.h"
#include "support/paddle_net.h"

static const char program[] =
    MAIN(TENSOR("e", "FP32", "dims: -1 dims: 3")
             TENSOR("t", "FP32", "dims: 5 dims: 3")
                 TENSOR("p", "FP32", "dims: 1") FEED("e", "0") FEED("t", "1")
                     OP("crf_decoding", SLOT("inputs", "Transition", ARG("t"))
                                            SLOT("inputs", "Emission", ARG("e"))
                                                SLOT("outputs", "ViterbiPath",
                                                     ARG("p"))) FETCH("p"));

static uint32_t count_nodes(const struct tn_net *net, const char *type)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++)
        count += !tn_net_node(net, i).is_removed &&
                 tn_bytes_is(tn_net_node(net, i).op->type, type);
    return count;
}

/* Each loop runs one step of its own, and gives all its states. */
static void assert_loops(const struct tn_net *net)
{
    assert_int_equal(count_nodes(net, "crf_decoding"), 0);
    assert_int_equal(count_nodes(net, "Loop"), 2);
    for (uint32_t i = 1; i <= 2; i++) {
        const struct tn_net_graph *body = tn_net_graph(net, i);
        assert_int_equal(body->nodes.count, 1);
        assert_int_equal(body->inputs.count, 3);
        assert_int_equal(body->outputs.count, 3);
    }
    uint32_t path = *tn_list_at(&tn_net_graph(net, 0)->outputs, uint32_t, 0);
    assert_true(tn_bytes_is(tn_net_value(net, path).name, "p"));
    assert_true(
        tn_bytes_is(tn_net_node(net, tn_net_value(net, path).producer).op->type,
                    "crf_path"));
}

static void test_two_loops(void **state)
{
    struct bench b;

    (void)state;
    open_program(&b, program);
    assert_int_equal(tn_net_load(&b.net, b.model, NULL), TN_OK);
    assert_int_equal(tn_paddle_tidy(&b.net, NULL), TN_OK);
    assert_loops(&b.net);
    survive_no_memory(&b, tn_paddle_tidy);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_loops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
