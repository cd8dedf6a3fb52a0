/* net_outputs_test.c - outputs that somebody or nobody uses keep their place */
#include "map/net/net_build.h"

#include "support/hostile.h"

/* Operators with the outputs that are used, and what they are afterwards: a
 * letter for each output, '-' for one that is left out. */
static const struct {
    const char *op, *used, *complete;
} cases[] = {
    { "TopK", "a", "aB" },        /* both are required                    */
    { "TopK", "-a", "Ba" },       /* the first, too                       */
    { "Split", "--a", "BCa" },    /* a list has no holes                  */
    { "Split", "a--", "aBC" },    /* nor does it end early                */
    { "MaxPool", "a", "a" },      /* the second is optional               */
    { "MaxPool", "a-", "a" },     /* so it need not be said               */
    { "LSTM", "--a", "--a" },     /* holes before one that is used stay   */
    { "Unique", "a--b", "a--b" }, /* some of them                         */
    { "Unique", "--a-", "B-a" },  /* the first is required                */
    { "NoSuchOp", "a--", "a--" }, /* as the file has it                   */
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void add_node(struct tn_net *net, const char *op, const char *used)
{
    uint32_t outputs[8], count = (uint32_t)strlen(used);

    for (uint32_t i = 0; i < count; i++)
        outputs[i] =
            used[i] == '-' ? TN_NONE : tn_net_add_value(net, 0, tn_text("v"));
    tn_net_add_node(net, &(struct tn_net_node){ .name = tn_text("n"),
                                                .op   = tn_net_own_op(net, op),
                                                .outputs      = outputs,
                                                .output_count = count });
}

static void expect(const struct tn_net *net, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(net, id);
    const char              *want = cases[id].complete;
    const char              *used = cases[id].used;

    assert_int_equal(node.output_count, strlen(want));
    for (uint32_t i = 0; i < node.output_count; i++) {
        assert_int_equal(node.outputs[i] == TN_NONE, want[i] == '-');
        if (want[i] == '-')
            continue;
        assert_int_equal(tn_net_value(net, node.outputs[i]).producer, id);
        assert_int_equal(tn_net_value(net, node.outputs[i]).output, i);
        const uint8_t *name    = tn_net_value(net, node.outputs[i]).name.data;
        bool           is_used = i < strlen(used) && used[i] == want[i];
        assert_int_equal(name[0], is_used ? 'v' : 'n');
    }
}

static enum tn_status complete_all(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    struct tn_arena arena;
    struct tn_net   net;

    (void)input;
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "onnx", error);
    net.version = 18;
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    for (uint32_t i = 0; i < CASES && !tn_failed(error); i++)
        add_node(&net, cases[i].op, cases[i].used);
    if (!tn_failed(error) && tn_net_complete_onnx(&net) == TN_OK)
        for (uint32_t i = 0; i < CASES; i++)
            expect(&net, i);
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void every_output_keeps_its_place(void **state)
{
    (void)state;
    tn_survives_no_memory(complete_all, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_output_keeps_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
