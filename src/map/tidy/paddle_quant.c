/*
 * paddle_quant.c - quantised layers in the order that ONNX has them
 *
 * When Paddle freezes a model that was trained to be quantised, its layers
 * compute with whole numbers, and their results are scaled:
 *
 *     dequantize(layer(quantize(x), W))           W: whole numbers, as floats
 *
 * ONNX runtimes expect layers between reals, and fuse the rest themselves:
 *
 *     layer(dequantize(quantize(x)), dequantize(W))       W: int8
 */
#include <math.h>

#include "base/buffer.h"
#include "ir/attr.h"
#include "map/net/net_build.h"
#include "map/tidy/paddle_tidy.h"

/* Layers that are linear in both of their inputs, and where channels of outputs
 * are in their weights. */
static const struct layer {
    const char *type;
    uint32_t    axis;
    uint32_t    rank; /* of weights                                          */
} layers[] = {
    { "conv2d", 0, 4 },
    { "depthwise_conv2d", 0, 4 },
    { "conv2d_transpose", 1, 4 },
    { "depthwise_conv2d_transpose", 1, 4 },
    { "mul", 1, 2 },
    { "matmul", 1, 2 },
    { "matmul_v2", 1, 2 },
};

static const char *const quantizers[] = {
    "fake_quantize_range_abs_max",
    "fake_quantize_moving_average_abs_max",
};

#define ONE_SCALE      "fake_dequantize_max_abs"
#define CHANNEL_SCALES "fake_channel_wise_dequantize_max_abs"

enum { BITS = 8 };
#define HIGHEST 127.0

struct freezing {
    struct tn_net  *net;
    struct tn_arena arena;
    uint32_t       *uses;  /* by value                                      */
    uint32_t       *reals; /* by node that quantises: what it gives, as reals
                              again; TN_NONE: not made yet                  */
    uint64_t value_count, node_count;
};

/* One layer, with what is before and behind it. */
struct frozen {
    const struct layer *layer;
    uint32_t            id, quantizer, dequantizer;
    struct tn_net_node  node, before, behind;
    uint32_t            scale; /* of the input: a constant                    */
};

/* ---- reading ---------------------------------------------------------------
 */

static bool is_op(const struct tn_net_node *node, const char *type)
{
    return !node->is_removed && tn_bytes_is(node->op->type, type);
}

static int64_t int_of(const struct tn_net_node *node, const char *name,
                      int64_t otherwise)
{
    const struct tn_attr_value *value = tn_net_attr(node, name);

    if (!value || value->count < 1 ||
        (value->kind != TN_ATTR_INT && value->kind != TN_ATTR_BOOL))
        return otherwise;
    return value->of.ints[0];
}

/* The node that makes a value, if it is a node of the file. */
static bool find_maker(const struct freezing *f, uint32_t value, uint32_t *id,
                       struct tn_net_node *node)
{
    if (value == TN_NONE || value >= f->value_count)
        return false;
    *id = tn_net_value(f->net, value).producer;
    if (*id == TN_NONE || *id >= f->node_count)
        return false;
    *node = tn_net_node(f->net, *id);
    return !node->is_removed;
}

static uint32_t input_of(const struct tn_net_node *node, uint32_t index)
{
    return index < node->input_count ? node->inputs[index] : TN_NONE;
}

static bool is_single(const struct tn_net *net, uint32_t value)
{
    const struct tn_elements *constant =
        value == TN_NONE ? NULL : tn_net_value(net, value).constant;
    uint64_t count;

    return constant && constant->shape.dtype == TN_FLOAT32 &&
           tn_shape_count(&constant->shape, &count) && count == 1;
}

static bool find_quantizer(const struct freezing *f, struct frozen *z)
{
    bool is_known = false;

    if (!find_maker(f, input_of(&z->node, 0), &z->quantizer, &z->before))
        return false;
    for (size_t i = 0; i < sizeof quantizers / sizeof quantizers[0]; i++)
        is_known |= is_op(&z->before, quantizers[i]);
    z->scale = input_of(&z->before, 1);
    return is_known && z->node.inputs[0] == z->before.outputs[0] &&
           int_of(&z->before, "is_test", 0) &&
           int_of(&z->before, "bit_length", BITS) == BITS &&
           is_single(f->net, z->scale);
}

/* Whether a value is the scale that the input was quantised by. */
static bool is_its_scale(const struct frozen *z, uint32_t value)
{
    return value != TN_NONE &&
           (value == z->scale ||
            (z->before.output_count > 1 && value == z->before.outputs[1]));
}

static bool find_layer(const struct freezing *f, struct frozen *z)
{
    uint32_t between = input_of(&z->behind, 0);

    if (!find_maker(f, between, &z->id, &z->node) || f->uses[between] != 1)
        return false;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
        if (is_op(&z->node, layers[i].type))
            z->layer = &layers[i];
    for (uint32_t i = 2; i < z->node.input_count; i++)
        if (z->node.inputs[i] != TN_NONE)
            return false; /* what is added to it is scaled, too */
    return z->layer && !int_of(&z->node, "trans_y", 0) &&
           !int_of(&z->node, "transpose_Y", 0) &&
           int_of(&z->node, "y_num_col_dims", 1) == 1;
}

/* ---- weights ---------------------------------------------------------------
 */

static bool are_bytes(const struct tn_buffer *floats)
{
    for (size_t i = 0; i + sizeof(float) <= floats->size; i += sizeof(float)) {
        float x;
        memcpy(&x, floats->data + i, sizeof x);
        if (!(x >= -HIGHEST - 1 && x <= HIGHEST) || x != floorf(x))
            return false;
    }
    return true;
}

/* Whether each is a whole number in range; reads in portions. */
static bool fit(struct freezing *f, const struct tn_elements *weights)
{
    enum { PORTION = 1 << 14 };
    struct tn_error  own = TN_ERROR_INIT;
    struct tn_buffer floats;
    uint64_t         count, done = 0;
    bool             do_fit = tn_shape_count(&weights->shape, &count);

    tn_buffer_init(&floats, f->net->arena->memory, &own);
    while (do_fit && done < count) {
        uint64_t some = count - done < PORTION ? count - done : PORTION;
        tn_buffer_clear(&floats);
        tn_payload_stream(weights, done, some, f->net->arena->memory,
                          &floats.sink, &own);
        do_fit = !tn_failed(&own) && are_bytes(&floats);
        done += some;
    }
    tn_buffer_done(&floats);
    return do_fit;
}

/* The weights as int8: as they are, or by a view. */
static uint32_t as_bytes(struct freezing *f, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(f->net, value);
    struct tn_elements       *input =
        tn_new(f->net->arena, struct tn_elements, 1, f->net->error);
    struct tn_view *view =
        tn_new(f->net->arena, struct tn_view, 1, f->net->error);

    if (v.constant && v.constant->shape.dtype == TN_INT8)
        return value;
    if (!input || !view || !v.constant ||
        v.constant->shape.dtype != TN_FLOAT32 || !fit(f, v.constant))
        return TN_NONE;
    *input                  = *v.constant;
    *view                   = (struct tn_view){ .kind        = TN_VIEW_CAST,
                                                .inputs      = input,
                                                .input_count = 1 };
    struct tn_elements made = {
        .shape   = { TN_INT8, input->shape.rank, input->shape.dims },
        .payload = { .encoding = TN_ENCODING_VIEW, .view = view },
    };
    if (f->uses[value] > 1)
        return tn_net_add_constant(f->net, v.graph, v.name, &made, v.origin);
    tn_net_set_constant(f->net, value, &made, v.origin);
    return value;
}

/* ---- making ----------------------------------------------------------------
 */

static uint32_t add_node(struct freezing *f, const char *type, uint32_t x,
                         uint32_t scale, int64_t axis, int64_t round)
{
    struct tn_net *net  = f->net;
    int64_t       *ints = tn_new(net->arena, int64_t, 3, net->error);
    uint32_t       to   = tn_net_add_value(net, tn_net_value(net, x).graph,
                                           tn_net_value(net, x).name);
    static const char *const names[] = { "quant_axis", "bit_length",
                                         "round_type" };
    struct tn_net_attr       attrs[3];

    if (!ints || to == TN_NONE)
        return TN_NONE;
    ints[0] = axis;
    ints[1] = BITS;
    ints[2] = round;
    for (int i = 0; i < 3; i++)
        attrs[i] = (struct tn_net_attr){
            .name  = tn_text(names[i]),
            .value = { .kind = TN_ATTR_INT, .count = 1, .of.ints = &ints[i] },
        };
    struct tn_net_node node = {
        .op           = tn_net_own_op(net, type),
        .inputs       = (uint32_t[]){ x, scale, TN_NONE },
        .input_count  = 3,
        .outputs      = &to,
        .output_count = 1,
        .attrs        = attrs,
        .attr_count   = 3,
        .graph        = tn_net_value(net, x).graph,
        .source       = TN_NONE,
    };
    return tn_net_add_node(net, &node) == TN_NONE ? TN_NONE : to;
}

/* The input of the layer as reals, made once for all layers that take it. */
static uint32_t real_input(struct freezing *f, const struct frozen *z)
{
    int64_t  round = int_of(&z->before, "round_type", 1);
    uint32_t bytes;

    if (f->reals[z->quantizer] != TN_NONE)
        return f->reals[z->quantizer];
    bytes = add_node(f, "quantize_linear", z->before.inputs[0], z->scale, -1,
                     round);
    if (bytes == TN_NONE)
        return TN_NONE;
    f->reals[z->quantizer] =
        add_node(f, "dequantize_linear", bytes, z->scale, -1, round);
    return f->reals[z->quantizer];
}

/* The scale of the weights in the sense of dequantize_linear: that of 127. */
static uint32_t weight_scale(struct freezing *f, const struct frozen *z)
{
    const struct tn_attr_value *range    = tn_net_attr(&z->behind, "max_range");
    uint64_t                    one      = 1;
    struct tn_bytes             nameless = { NULL, 0 };

    if (is_op(&z->behind, CHANNEL_SCALES))
        return z->behind.inputs[1];
    if (!range || range->kind != TN_ATTR_FLOAT || range->count != 1 ||
        !(range->of.floats[0] > 0))
        return TN_NONE;
    double scale = HIGHEST * HIGHEST / range->of.floats[0];
    return tn_net_add_doubles(f->net, z->node.graph, nameless, TN_FLOAT32,
                              &scale, 1, &one);
}

/* ---- one layer -------------------------------------------------------------
 */

/* A scale for each channel of what the layer gives. */
static bool has_channel_scales(const struct freezing *f, const struct frozen *z,
                               const struct tn_elements *weights)
{
    const struct tn_attr_value *bits = tn_net_attr(&z->behind, "quant_bits");
    uint32_t                    by   = input_of(&z->behind, 1);
    const struct tn_elements   *scales =
        by == TN_NONE ? NULL : tn_net_value(f->net, by).constant;

    if (bits)
        for (uint64_t i = 0; i < bits->count; i++)
            if (bits->kind != TN_ATTR_INT || bits->of.ints[i] != BITS)
                return false;
    return z->behind.input_count == 3 && bits && bits->count == 2 && scales &&
           scales->shape.dtype == TN_FLOAT32 && scales->shape.rank == 1 &&
           scales->shape.dims[0] == weights->shape.dims[z->layer->axis] &&
           is_its_scale(z, z->behind.inputs[2]);
}

static bool can_turn(const struct freezing *f, struct frozen *z)
{
    if (!find_layer(f, z) || !find_quantizer(f, z) ||
        input_of(&z->node, 1) == TN_NONE)
        return false;
    const struct tn_elements *weights =
        tn_net_value(f->net, z->node.inputs[1]).constant;
    if (!weights || weights->shape.rank != z->layer->rank)
        return false;
    if (is_op(&z->behind, CHANNEL_SCALES))
        return has_channel_scales(f, z, weights);
    return is_its_scale(z, input_of(&z->behind, 1));
}

static void turn(struct freezing *f, struct frozen *z)
{
    struct tn_net *net   = f->net;
    uint32_t       bytes = as_bytes(f, z->node.inputs[1]);
    uint32_t       scale = bytes == TN_NONE ? TN_NONE : weight_scale(f, z);
    bool           is_by_channel = is_op(&z->behind, CHANNEL_SCALES);

    if (scale == TN_NONE || z->behind.outputs[0] == TN_NONE)
        return;
    uint32_t reals = real_input(f, z);
    uint32_t weights =
        add_node(f, "dequantize_linear", bytes, scale,
                 is_by_channel ? (int64_t)z->layer->axis : -1, 0);
    if (reals == TN_NONE || weights == TN_NONE)
        return;
    uint32_t output    = z->behind.outputs[0];
    uint32_t inputs[2] = { reals, weights };
    tn_net_remove(net, z->dequantizer);
    tn_net_set_inputs(net, z->id, inputs, 2);
    tn_net_set_outputs(net, z->id, &output, 1);
}

static bool open(struct freezing *f)
{
    f->value_count = f->net->values.count;
    f->node_count  = f->net->nodes.count;
    f->uses        = tn_net_count_uses(f->net, &f->arena);
    f->reals       = tn_new(&f->arena, uint32_t, f->node_count, f->net->error);
    for (uint64_t i = 0; f->reals && i < f->node_count; i++)
        f->reals[i] = TN_NONE;
    return f->uses && f->reals;
}

static bool has_any(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (is_op(&node, ONE_SCALE) || is_op(&node, CHANNEL_SCALES))
            return true;
    }
    return false;
}

enum tn_status tn_paddle_quant(struct tn_net *net)
{
    struct freezing f = { .net = net };

    if (!has_any(net))
        return net->error->status;
    tn_arena_init(&f.arena, net->arena->memory);
    for (uint32_t i = 0;
         (i > 0 || open(&f)) && i < f.node_count && !tn_failed(net->error);
         i++) {
        struct frozen z = { .dequantizer = i };
        z.behind        = tn_net_node(net, i);
        if ((is_op(&z.behind, ONE_SCALE) || is_op(&z.behind, CHANNEL_SCALES)) &&
            can_turn(&f, &z))
            turn(&f, &z);
    }
    tn_arena_done(&f.arena);
    return net->error->status;
}
