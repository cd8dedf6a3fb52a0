/* onnx_forms.c - writes operators in forms that more readers accept */
#include "map/tidy/onnx_forms.h"

#include "map/net/net_build.h"

static bool is_op(const struct tn_net_node *node, const char *type)
{
    return !node->is_removed && !node->op->domain.size &&
           tn_bytes_is(node->op->type, type);
}

/* Weights begin with their channels, of outputs and of inputs. */
enum { CHANNEL_AXES = 2, KERNEL_MAX = 8 };

/* How many axes a kernel has; 0: not all of their sizes are known. */
static uint32_t read_kernel(const struct tn_net_type *weights, int64_t *sizes)
{
    if (!weights->has_rank || weights->rank <= CHANNEL_AXES ||
        weights->rank > CHANNEL_AXES + KERNEL_MAX)
        return 0;
    for (uint32_t i = CHANNEL_AXES; i < weights->rank; i++) {
        if (weights->dims[i] < 0)
            return 0;
        sizes[i - CHANNEL_AXES] = weights->dims[i];
    }
    return weights->rank - CHANNEL_AXES;
}

static void tell_kernel(struct tn_net *net, uint32_t id,
                        const struct tn_net_node *node)
{
    int64_t sizes[KERNEL_MAX];

    if (!tn_net_has_input(node, 1) || tn_net_attr(node, "kernel_shape"))
        return;
    uint32_t count =
        read_kernel(tn_net_value(net, node->inputs[1]).type, sizes);
    if (count)
        tn_net_set_ints(net, id, "kernel_shape", sizes, count, true);
}

/* ---- weights of Gemm ------------------------------------------------------
 */

/* A matrix with its axes exchanged, without loading it: a view of it, or the
 * matrix that it is a view of. */
static bool turn(struct tn_net *net, const struct tn_elements *from,
                 struct tn_elements *to)
{
    static const uint32_t turned[] = { 1, 0 };
    const struct tn_view *was      = from->payload.view;

    if (from->payload.encoding == TN_ENCODING_VIEW &&
        was->kind == TN_VIEW_PERMUTE && was->inputs[0].shape.rank == 2 &&
        was->axes[0] == 1) {
        *to = was->inputs[0];
        return true;
    }
    struct tn_view *view = tn_new(net->arena, struct tn_view, 1, net->error);
    struct tn_elements *input =
        tn_new(net->arena, struct tn_elements, 1, net->error);
    uint64_t *dims = tn_new(net->arena, uint64_t, 2, net->error);
    if (!view || !input || !dims)
        return false;
    *input  = *from;
    *view   = (struct tn_view){ .kind        = TN_VIEW_PERMUTE,
                                .inputs      = input,
                                .input_count = 1,
                                .axes        = turned };
    dims[0] = from->shape.dims[1];
    dims[1] = from->shape.dims[0];
    *to     = (struct tn_elements){
            .shape   = { from->shape.dtype, 2, dims },
            .payload = { .encoding = TN_ENCODING_VIEW, .view = view },
    };
    return true;
}

static bool is_turned(const struct tn_net_node *gemm)
{
    return tn_net_int_attr(gemm, "transB", 0) != 0;
}

static void turn_weights(struct tn_net *net, uint32_t id,
                         const struct tn_net_node *node, const uint32_t *uses)
{
    static const int64_t yes = 1;
    struct tn_elements   turned;

    if (!tn_net_has_input(node, 1) || is_turned(node) ||
        uses[node->inputs[1]] != 1)
        return;
    uint32_t                  weights = node->inputs[1];
    const struct tn_net_value value   = tn_net_value(net, weights);
    if (!value.constant || value.constant->shape.rank != 2 ||
        tn_dtype_bits(value.constant->shape.dtype) < 8 ||
        !turn(net, value.constant, &turned))
        return;
    tn_net_set_constant(net, weights, &turned, value.origin);
    tn_net_set_ints(net, id, "transB", &yes, 1, false);
}

/* ---- axes of Squeeze ------------------------------------------------------
 */

enum { RANK_MAX = 8 };

/* The new shape, with -1 for a size that is not known: at most one. */
static uint32_t read_shape(const struct tn_net_type *type, int64_t *shape)
{
    uint32_t open = 0;

    if (!type->has_rank || type->rank > RANK_MAX || type->wrap != TN_NET_TENSOR)
        return 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        shape[i] = type->dims[i];
        open += type->dims[i] < 0;
        if (type->dims[i] == 0)
            return 0;
    }
    return open <= 1 ? type->rank : 0;
}

static void reshape(struct tn_net *net, uint32_t id,
                    const struct tn_net_node *node)
{
    struct tn_bytes nameless = { NULL, 0 };
    int64_t         shape[RANK_MAX];
    uint32_t        inputs[2];

    if (!tn_net_has_input(node, 0) || !tn_net_has_input(node, 1) ||
        node->outputs[0] == TN_NONE)
        return;
    uint64_t rank = read_shape(tn_net_value(net, node->outputs[0]).type, shape);
    if (!rank)
        return;
    inputs[0] = node->inputs[0];
    inputs[1] =
        tn_net_add_ints(net, node->graph, nameless, TN_INT64, shape, 1, &rank);
    if (inputs[1] == TN_NONE)
        return;
    tn_net_set_inputs(net, id, inputs, 2);
    tn_net_set_op(net, id, tn_net_own_op(net, "Reshape"));
}

/* ---- all of them ----------------------------------------------------------
 */

static void change(struct tn_net *net, uint32_t id, const uint32_t *uses)
{
    const struct tn_net_node node = tn_net_node(net, id);

    if (is_op(&node, "Conv") || is_op(&node, "ConvTranspose"))
        tell_kernel(net, id, &node);
    else if (is_op(&node, "Gemm"))
        turn_weights(net, id, &node, uses);
    else if (is_op(&node, "Squeeze"))
        reshape(net, id, &node);
}

enum tn_status tn_onnx_forms(struct tn_net *net)
{
    struct tn_arena arena;

    tn_arena_init(&arena, net->arena->memory);
    const uint32_t *uses = tn_net_count_uses(net, &arena);
    for (uint32_t i = 0; uses && i < net->nodes.count && tn_net_goes_on(net);
         i++)
        change(net, i, uses);
    tn_arena_done(&arena);
    return net->error->status;
}
