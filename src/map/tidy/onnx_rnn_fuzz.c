/*
 * onnx_rnn_fuzz.c - loops that are nearly cells, layers in nearly both
 * directions
 *
 * The bytes are choices (support/net_choices.h); the seeds are cells of all
 * kinds, layers and what reverses them.
 *
 * Claims: nothing is refused, every value that is used is still made, and what
 * was found once is not found again.
 */
#include "map/tidy/onnx_tidy.h"
#include "support/net_choices.h"

#define MEMORY (UINT64_C(64) << 20)

static const struct net_choice palette[] = {
    { "Gather", 2, 1, "axis" },
    { "Concat", 2, 1, "axis" },
    { "MatMul", 2, 1, NULL },
    { "Gemm", 3, 1, NULL },
    { "Add", 2, 1, NULL },
    { "Mul", 2, 1, NULL },
    { "Sub", 2, 1, NULL },
    { "Sigmoid", 1, 1, NULL },
    { "Tanh", 1, 1, NULL },
    { "Relu", 1, 1, NULL },
    { "Split", 2, 4, "axis" },
    { "Split", 1, 3, "axis" },
    { "Split", 1, 2, "axis" },
    { "Slice", 5, 1, NULL },
    { "Where", 3, 1, NULL },
    { "GreaterOrEqual", 2, 1, NULL },
    { "Unsqueeze", 2, 1, NULL },
    { "Squeeze", 2, 1, NULL },
    { "LSTM", 7, 3, NULL },
    { "GRU", 6, 2, NULL },
    { "RNN", 6, 2, NULL },
    { "Transpose", 1, 1, "perm" },
    { "ReverseSequence", 2, 1, "time_axis" },
    { "Shape", 1, 1, NULL },
    { "Identity", 1, 1, NULL },
    { "Expand", 2, 1, NULL },
    { "Cast", 1, 1, NULL },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_inputs(struct net_choices *m)
{
    static const int64_t x[] = { -1, -1, 3 }, h[] = { -1, 4 },
                         both[] = { 7, 16 }, row[] = { 3, 16 },
                         state[] = { 4, 16 }, bias[] = { 16 }, unit[] = { 4 },
                         one[] = { 7, 4 }, own[] = { 4, 4 },
                         narrow[] = { 3, 4 }, two[] = { 7, 8 }, any[] = { -1 };

    net_choices_input(m, "x", TN_FLOAT32, 3, x);
    net_choices_input(m, "h", TN_FLOAT32, 2, h);
    net_choices_input(m, "c", TN_FLOAT32, 2, h);
    net_choices_input(m, "both", TN_FLOAT32, 2, both);
    net_choices_input(m, "row", TN_FLOAT32, 2, row);
    net_choices_input(m, "state", TN_FLOAT32, 2, state);
    net_choices_input(m, "bias", TN_FLOAT32, 1, bias);
    net_choices_input(m, "unit", TN_FLOAT32, 1, unit);
    net_choices_input(m, "one", TN_FLOAT32, 2, one);
    net_choices_input(m, "own", TN_FLOAT32, 2, own);
    net_choices_input(m, "narrow", TN_FLOAT32, 2, narrow);
    net_choices_input(m, "two", TN_FLOAT32, 2, two);
    net_choices_input(m, "lengths", TN_INT32, 1, any);
    net_choices_input(m, "rounds", TN_INT64, 0, NULL);
}

static bool ran_out(const struct tn_net *net)
{
    return net->error->status == TN_LIMIT || net->error->status == TN_NO_MEMORY;
}

static void change(struct tn_net *net)
{
    uint64_t found = 0;

    assert(tn_onnx_rnn(net, &found, NULL) == TN_OK || ran_out(net));
    if (ran_out(net))
        return;
    net_choices_check(net);
    assert(tn_onnx_directions(net, &found) == TN_OK || ran_out(net));
    if (ran_out(net))
        return;
    net_choices_check(net);
    assert(tn_onnx_rnn(net, &found, NULL) == TN_OK || ran_out(net));
    assert(ran_out(net) || found == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_memory   memory;
    struct tn_arena    arena;
    struct tn_net      net;
    struct net_choices m = { .net     = &net,
                             .choices = { data, data + size },
                             .palette = palette,
                             .palette_count =
                                 sizeof palette / sizeof *palette };

    tn_memory_init(&memory, NULL, MEMORY);
    tn_arena_init(&arena, &memory);
    tn_net_init(&net, &arena, "onnx", &error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    add_inputs(&m);
    net_choices_fill(&m, 0);
    net_choices_end(&m);
    if (tn_net_order(&net, NULL) == TN_OK)
        change(&net);
    tn_net_done(&net);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
