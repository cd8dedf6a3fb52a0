/*
 * flow_arrays_fuzz.c - loops that fill arrays, nearly as they should
 *
 * The bytes are choices (support/net_choices.h); the seeds are loops that write
 * one place of an array a round, and rows of tensors that arrays hand on.
 *
 * Claims: nothing is refused, and every value that is used is still made.
 */
#include "map/flow/flow.h"
#include "support/net_choices.h"

#define MEMORY (UINT64_C(64) << 20)

static const struct net_choice palette[] = {
    { "TensorArrayV3", 1, 2, NULL },
    { "TensorArrayScatterV3", 4, 1, NULL },
    { "TensorArrayReadV3", 3, 1, NULL },
    { "TensorArrayWriteV3", 4, 1, NULL },
    { "TensorArrayGatherV3", 3, 1, NULL },
    { "TensorArraySizeV3", 2, 1, NULL },
    { "Range", 3, 1, NULL },
    { "Less", 2, 1, NULL },
    { "LogicalAnd", 2, 1, NULL },
    { "AddV2", 2, 1, NULL },
    { "Minimum", 2, 1, NULL },
    { "Maximum", 2, 1, NULL },
    { "Shape", 1, 1, NULL },
    { "StridedSlice", 4, 1, "shrink_axis_mask" },
    { "Cast", 1, 1, NULL },
    { "Identity", 1, 1, NULL },
    { "F", 1, 1, NULL },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool ran_out(const struct tn_net *net)
{
    return net->error->status == TN_LIMIT || net->error->status == TN_NO_MEMORY;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t dims[] = { -1, 3 };
    struct tn_error      error  = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_net        net;
    struct net_choices   m = { .net     = &net,
                               .choices = { data, data + size },
                               .palette = palette,
                               .palette_count =
                                   sizeof palette / sizeof *palette };

    tn_memory_init(&memory, NULL, MEMORY);
    tn_arena_init(&arena, &memory);
    tn_net_init(&net, &arena, "tensorflow", &error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    net_choices_input(&m, "x", TN_FLOAT32, 2, dims);
    net_choices_input(&m, "n", TN_INT32, 0, NULL);
    net_choices_fill(&m, 0);
    net_choices_end(&m);
    if (tn_net_order(&net, NULL) == TN_OK) {
        assert(tn_flow_arrays(&net) == TN_OK || ran_out(&net));
        if (!ran_out(&net))
            net_choices_check(&net);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
