/* tf_lists_test.c - lists that are values become lists that ops change */
#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

#include "support/hostile.h"
#include "support/net_make.h"

/* list = Reserve(dims, n); list = SetItem(list, i, x); GetItem(list, i, dims)
 */
static void fill(struct tn_net *net, uint32_t *result)
{
    uint32_t dims = tn_net_add_ints(net, 0, tn_text("dims"), TN_INT32,
                                    (int64_t[]){ 2 }, 1, (uint64_t[]){ 1 });
    uint32_t n    = tn_net_add_ints(net, 0, tn_text("n"), TN_INT32,
                                    (int64_t[]){ 3 }, 0, NULL);
    uint32_t i    = tn_net_add_ints(net, 0, tn_text("i"), TN_INT32,
                                    (int64_t[]){ 0 }, 0, NULL);
    uint32_t x    = tn_net_add_value(net, 0, tn_text("x"));

    if (tn_failed(net->error))
        return;
    tn_net_add_input(net, 0, x, tn_text("x"));
    uint32_t list = make_node(net, "TensorListReserve", "list",
                              (uint32_t[]){ dims, n }, 2, NULL, 0);
    uint32_t set  = make_node(net, "TensorListSetItem", "set",
                              (uint32_t[]){ list, i, x }, 3, NULL, 0);
    *result       = make_node(net, "TensorListGetItem", "y",
                              (uint32_t[]){ set, i, dims }, 3, NULL, 0);
    if (!tn_failed(net->error))
        tn_net_add_output(net, 0, *result, tn_text("y"));
}

static bool has(const struct tn_net *net, const char *type)
{
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed &&
            tn_bytes_is(tn_net_node(net, i).op->type, type))
            return true;
    return false;
}

static void assert_array(const struct tn_net *net, uint32_t result)
{
    const struct tn_net_node read =
        tn_net_node(net, tn_net_value(net, result).producer);

    assert_true(has(net, "TensorArrayV3"));
    assert_true(has(net, "TensorArrayWriteV3"));
    assert_false(has(net, "TensorListReserve"));
    assert_false(has(net, "TensorListSetItem"));
    assert_true(tn_bytes_is(read.op->type, "TensorArrayReadV3"));
    assert_int_equal(read.input_count, 3);
    uint32_t writes = tn_net_value(net, read.inputs[2]).producer;
    assert_true(
        tn_bytes_is(tn_net_node(net, writes).op->type, "TensorArrayWriteV3"));
}

static enum tn_status change(struct tn_bytes input, struct tn_memory *memory,
                             struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_net   net;
    uint32_t        result = TN_NONE;

    (void)input;
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "tensorflow", error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    if (!tn_failed(error))
        fill(&net, &result);
    if (!tn_failed(error) && tn_tf_lists(&net) == TN_OK)
        assert_array(&net, result);
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void a_list_becomes_an_array(void **state)
{
    (void)state;
    tn_survives_no_memory(change, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_becomes_an_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
