/*
 * tflite_quant.c - quantisation as operators
 *
 *   y = CONV_2D(x, w, b), all quantised
 *
 *   Dequantize(x)  Dequantize(w)  Dequantize(b)
 *         \             |             /
 *                    CONV_2D
 *                       |
 *                   Quantize          -> y
 *
 * Runtimes fuse this to a kernel of integers: every operator has a Dequantize of
 * its own for each input.  Operators that only move elements are left as they
 * are where all parameters are the same.  Weights of operators that compute with
 * floats (dynamic range) get a Dequantize, too.
 */
#include "map/net/net_build.h"
#include "map/tidy/tflite_tidy.h"

/* Scales of one value, as constants of a graph. */
struct steps {
    uint32_t graph, scale, zero; /* TN_NONE: not made, or not needed          */
    bool     is_made;
};

struct quantizing {
    struct tn_tflite_work *work;
    struct tn_net         *net;
    struct steps          *steps; /* by value of the loaded net               */
};

/* ---- what operators do with integers ------------------------------------ */

/* Elements are moved, and none is computed. */
static const char *const moves[] = {
    "BATCH_TO_SPACE_ND", "BROADCAST_TO",  "CONCATENATION",
    "DEPTH_TO_SPACE",    "DYNAMIC_UPDATE_SLICE",
    "EMBEDDING_LOOKUP",  "EXPAND_DIMS",   "GATHER",
    "GATHER_ND",         "MAX_POOL_2D",   "MIRROR_PAD",
    "PACK",              "PAD",           "PADV2",
    "RESHAPE",           "RESIZE_NEAREST_NEIGHBOR",
    "REVERSE_SEQUENCE",  "REVERSE_V2",    "SLICE",
    "SPACE_TO_DEPTH",    "SPLIT",         "SPLIT_V",
    "SQUEEZE",           "STRIDED_SLICE", "TILE",
    "TRANSPOSE",         "UNPACK",        NULL,
};

/* The operator uses the integers themselves, whatever their scale, or it
 * computes nothing. */
static const char *const as_they_are[] = {
    "ARG_MAX",     "ARG_MIN",         "ASSIGN_VARIABLE", "BITCAST",
    "CALL",        "CALL_ONCE",       "CAST",            "DENSIFY",
    "FILL",        "IF",              "ONE_HOT",         "RANGE",
    "RANK",        "READ_VARIABLE",   "SCATTER_ND",      "SHAPE",
    "STABLEHLO_COMPOSITE", "STABLEHLO_WHILE",
    "UNIQUE",      "VAR_HANDLE",      "WHERE",           "WHILE",
    "ZEROS_LIKE",  NULL,
};

/* Layers whose bias counts in steps of input times weight. */
static const struct layer {
    const char *type;
    uint32_t    input, filter, bias;
} layers[] = {
    { "CONV_2D", 0, 1, 2 },          { "CONV_3D", 0, 1, 2 },
    { "CONV_3D_TRANSPOSE", 2, 1, 3 }, { "DEPTHWISE_CONV_2D", 0, 1, 2 },
    { "FULLY_CONNECTED", 0, 1, 2 },  { "TRANSPOSE_CONV", 2, 1, 3 },
};

static bool is_listed(const struct tn_net_node *node, const char *const *names)
{
    for (; !node->op->domain.size && *names; names++)
        if (tn_bytes_is(node->op->type, *names))
            return true;
    return false;
}

static bool is_quantized(const struct tn_value_about *about)
{
    return about && (about->scale_count || about->block_size);
}

static const struct tn_value_about *quantized_input(
    const struct quantizing *q, const struct tn_net_node *node, uint32_t k)
{
    const struct tn_value_about *about =
        k < node->input_count && node->inputs[k] != TN_NONE
            ? tn_tflite_about(q->work, node->inputs[k])
            : NULL;

    return is_quantized(about) ? about : NULL;
}

static const struct tn_value_about *quantized_output(
    const struct quantizing *q, const struct tn_net_node *node, uint32_t k)
{
    const struct tn_value_about *about =
        k < node->output_count && node->outputs[k] != TN_NONE
            ? tn_tflite_about(q->work, node->outputs[k])
            : NULL;

    return is_quantized(about) ? about : NULL;
}

static bool is_same_step(const struct tn_value_about *a,
                         const struct tn_value_about *b)
{
    return a->scale_count == 1 && b->scale_count == 1 && !a->block_size &&
           !b->block_size && a->dtype == b->dtype &&
           memcmp(a->scales, b->scales, sizeof *a->scales) == 0 &&
           a->zero_points[0] == b->zero_points[0];
}

static bool has_activation(const struct tn_net_node *node)
{
    const struct tn_attr_value *f =
        tn_net_attr(node, "fused_activation_function");

    return f && f->kind == TN_ATTR_STRING && f->count &&
           !tn_bytes_is(f->of.strings[0], "NONE");
}

/* Whether the operator can work on the integers themselves. */
static bool moves_integers(const struct quantizing *q,
                           const struct tn_net_node *node)
{
    const struct tn_value_about *first = NULL;

    if (!is_listed(node, moves) || has_activation(node))
        return false;
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        const struct tn_value_about *one =
            i < node->input_count
                ? quantized_input(q, node, i)
                : quantized_output(q, node, i - node->input_count);
        /* a mixture of integers and floats is never the same */
        if (!one && i >= node->input_count &&
            node->outputs[i - node->input_count] != TN_NONE)
            return false;
        if (!one)
            continue;
        if (first && !is_same_step(first, one))
            return false;
        first = one;
    }
    if (first && tn_bytes_is(node->op->type, "MAX_POOL_2D"))
        return first->dtype == TN_INT8 || first->dtype == TN_UINT8;
    return first != NULL;
}

/* ---- the operators ------------------------------------------------------- */

static struct tn_bytes name_beside(struct quantizing *q, uint32_t value,
                                   const char *word)
{
    return tn_text(tn_text_format(q->net->arena, q->net->error, "%.*s/%s",
                                  TN_FMT(tn_net_value(q->net, value).name),
                                  word));
}

/* ONNX has no zero points of integers of 32 bits or more. */
static bool has_zero(enum tn_dtype dtype)
{
    return dtype != TN_INT32 && dtype != TN_INT64;
}

/* Weights are symmetric: their zero is 0, which need not be said.  ONNX Runtime
 * also wants to change zero points, and cannot where layers share one. */
static bool is_symmetric(const struct quantizing *q, uint32_t value,
                         const struct tn_value_about *about)
{
    if (!tn_net_value(q->net, value).constant)
        return false;
    for (uint32_t i = 0; i < about->scale_count; i++)
        if (about->zero_points[i])
            return false;
    return true;
}

static struct steps add_steps(struct quantizing *q, uint32_t graph,
                              uint32_t                     value,
                              const struct tn_value_about *about)
{
    struct tn_net *net  = q->net;
    uint64_t       dims = about->scale_count;
    uint32_t       rank = about->scale_count > 1;
    struct steps   to = { .graph = graph, .zero = TN_NONE, .is_made = true };
    double *scales = tn_new(&q->work->arena, double, dims + 1, net->error);

    if (!scales)
        return to;
    for (uint64_t i = 0; i < dims; i++)
        scales[i] = about->scales[i];
    to.scale = tn_net_add_doubles(net, graph, name_beside(q, value, "scale"),
                                  TN_FLOAT32, scales, rank, &dims);
    if (has_zero(about->dtype) && !is_symmetric(q, value, about))
        to.zero =
            tn_net_add_ints(net, graph, name_beside(q, value, "zero_point"),
                            about->dtype, about->zero_points, rank, &dims);
    return to;
}

static struct steps steps_of(struct quantizing *q, uint32_t graph,
                             uint32_t                     value,
                             const struct tn_value_about *about)
{
    struct steps *kept = &q->steps[value];

    if (!kept->is_made || kept->graph != graph)
        *kept = add_steps(q, graph, value, about);
    return *kept;
}

/* The value of that name in the graph of another; TN_NONE: there is none. */
static uint32_t find_beside(const struct quantizing *q, uint32_t value,
                            struct tn_bytes name)
{
    uint32_t graph = tn_net_value(q->net, value).graph;

    for (uint32_t i = 0; name.size && i < q->work->values; i++) {
        const struct tn_net_value v = tn_net_value(q->net, i);
        if (v.graph == graph && tn_bytes_equal(v.name, name))
            return i;
    }
    return TN_NONE;
}

static bool find_blocks(struct quantizing *q, uint32_t value,
                        const struct tn_value_about *about, struct steps *to)
{
    *to = (struct steps){ .zero = TN_NONE, .is_made = true };
    to->scale = find_beside(q, value, about->block_scales);
    if (about->block_zero_points.size)
        to->zero = find_beside(q, value, about->block_zero_points);
    if (to->scale == TN_NONE ||
        (about->block_zero_points.size && to->zero == TN_NONE) ||
        about->block_axis_count) {
        tn_error_set(q->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "%.*s: scales of its blocks cannot be converted",
                     TN_FMT(tn_net_value(q->net, value).name));
        return false;
    }
    return true;
}

/* A node that is not in the file. */
static void add_step(struct quantizing *q, const struct tn_net_node *like,
                     const char *type, uint32_t from, uint32_t to,
                     struct steps steps, const struct tn_value_about *about)
{
    uint32_t           inputs[3] = { from, steps.scale, steps.zero };
    struct tn_net_node node      = {
             .name         = tn_net_value(q->net, to).name,
             .op           = tn_net_op(q->net, tn_text(type), tn_text("tenon")),
             .graph        = like->graph,
             .inputs       = inputs,
             .input_count  = steps.zero == TN_NONE ? 2 : 3,
             .outputs      = &to,
             .output_count = 1,
             .source       = like->source,
    };
    uint32_t id = tn_net_add_node(q->net, &node);

    if (id == TN_NONE)
        return;
    q->work->did->quantized++;
    if (about->block_size)
        tn_net_set_int(q->net, id, "block_size", TN_ATTR_INT,
                       about->block_size);
    else if (about->scale_count > 1)
        tn_net_set_int(q->net, id, "axis", TN_ATTR_INT, about->axis);
}

/* A value with the shape of another, of floats. */
static uint32_t add_real(struct quantizing *q, uint32_t graph, uint32_t like)
{
    struct tn_net_type type = *tn_net_value(q->net, like).type;
    uint32_t           value =
        tn_net_add_value(q->net, graph, name_beside(q, like, "real"));

    if (value == TN_NONE)
        return TN_NONE;
    type.dtype = TN_FLOAT32;
    tn_net_set_type(q->net, value, &type);
    return value;
}

/* State is zero at first, however it is quantised. */
static uint32_t real_state(struct quantizing *q, uint32_t value)
{
    struct tn_net            *net  = q->net;
    const struct tn_net_value from = tn_net_value(net, value);
    struct tn_elements        zeros;

    if (!from.constant)
        return value;
    zeros             = *from.constant;
    zeros.shape.dtype = TN_FLOAT32;
    zeros.payload     = (struct tn_payload){ .encoding = TN_ENCODING_NONE };
    uint32_t to =
        tn_net_add_constant(net, from.graph, from.name, &zeros, NULL);
    if (to == TN_NONE)
        return value;
    tn_net_set_trained(net, to, true);
    tn_net_swap_names(net, to, value);
    return to;
}

static uint32_t dequantized(struct quantizing *q, const struct tn_net_node *node,
                            uint32_t value, const struct tn_value_about *about)
{
    struct steps steps;

    if (about->is_variable)
        return real_state(q, value);
    if (about->block_size && !find_blocks(q, value, about, &steps))
        return value;
    if (!about->block_size)
        steps = steps_of(q, node->graph, value, about);
    uint32_t real = add_real(q, node->graph, value);
    if (real == TN_NONE)
        return value;
    add_step(q, node, "Dequantize", value, real, steps, about);
    return real;
}

/* The value before it is quantised, which the node now returns. */
static void quantize_output(struct quantizing *q, uint32_t id, uint32_t k,
                            const struct tn_value_about *about)
{
    const struct tn_net_node node  = tn_net_node(q->net, id);
    uint32_t                 value = node.outputs[k];

    if (about->block_size || !has_zero(about->dtype)) {
        tn_error_set(q->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "%.*s: values of %s that are computed cannot be quantised",
                     TN_FMT(tn_net_value(q->net, value).name),
                     tn_dtype_name(about->dtype));
        return;
    }
    struct steps steps = steps_of(q, node.graph, value, about);
    uint32_t     real  = add_real(q, node.graph, value);
    if (real == TN_NONE)
        return;
    tn_net_set_output(q->net, id, k, real);
    tn_net_set_producer(q->net, real, id, k);
    add_step(q, &node, "Quantize", real, value, steps, about);
}

/* ---- bias ----------------------------------------------------------------- */

/* The steps of a bias that has none in the file: input times weight. */
static const struct tn_value_about *bias_steps(struct quantizing        *q,
                                               const struct tn_net_node *node,
                                               uint32_t                  k)
{
    struct tn_error *error = q->net->error;

    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const struct layer *layer = &layers[i];
        if (layer->bias != k || node->op->domain.size ||
            !tn_bytes_is(node->op->type, layer->type))
            continue;
        const struct tn_value_about *x = quantized_input(q, node, layer->input);
        const struct tn_value_about *w =
            quantized_input(q, node, layer->filter);
        const struct tn_value_about *b = tn_tflite_about(q->work,
                                                         node->inputs[k]);
        if (!x || !w || !b || x->scale_count != 1 || !w->scale_count ||
            (b->dtype != TN_INT32 && b->dtype != TN_INT64))
            return NULL;
        struct tn_value_about *to =
            tn_new(&q->work->arena, struct tn_value_about, 1, error);
        float *scales = tn_new(&q->work->arena, float, w->scale_count, error);
        if (!to || !scales)
            return NULL;
        for (uint32_t c = 0; c < w->scale_count; c++)
            scales[c] = x->scales[0] * w->scales[c];
        *to = (struct tn_value_about){ .dtype       = b->dtype,
                                       .scale_count = w->scale_count,
                                       .scales      = scales,
                                       .zero_points = w->zero_points };
        return to;
    }
    return NULL;
}

/* ---- nodes ---------------------------------------------------------------- */

static void become(struct quantizing *q, uint32_t id, const char *type,
                   uint32_t from, struct steps steps,
                   const struct tn_value_about *about)
{
    uint32_t inputs[3] = { from, steps.scale, steps.zero };

    tn_net_set_op(q->net, id,
                  tn_net_op(q->net, tn_text(type), tn_text("tenon")));
    tn_net_set_attrs(q->net, id, NULL, 0);
    if (about->scale_count > 1)
        tn_net_set_int(q->net, id, "axis", TN_ATTR_INT, about->axis);
    tn_net_set_inputs(q->net, id, inputs, steps.zero == TN_NONE ? 2 : 3);
    q->work->did->quantized++;
}

/* QUANTIZE and DEQUANTIZE themselves; true if it was one of them. */
static bool replace_step(struct quantizing *q, uint32_t id)
{
    const struct tn_net_node     node = tn_net_node(q->net, id);
    const struct tn_value_about *in   = quantized_input(q, &node, 0);
    const struct tn_value_about *out  = quantized_output(q, &node, 0);
    bool is_there = !node.op->domain.size && node.input_count == 1 &&
                    node.inputs[0] != TN_NONE && node.output_count == 1 &&
                    node.outputs[0] != TN_NONE;

    if (is_there && tn_bytes_is(node.op->type, "QUANTIZE") && out &&
        !out->block_size) {
        uint32_t from =
            in ? dequantized(q, &node, node.inputs[0], in) : node.inputs[0];
        become(q, id, "Quantize", from,
               steps_of(q, node.graph, node.outputs[0], out), out);
        return true;
    }
    if (is_there && tn_bytes_is(node.op->type, "DEQUANTIZE") && in &&
        !in->block_size) {
        become(q, id, "Dequantize", node.inputs[0],
               steps_of(q, node.graph, node.inputs[0], in), in);
        return true;
    }
    return false;
}

/* Padding around integers is their zero point, which need not be 0. */
static void pad_with_zero(struct quantizing *q, uint32_t id)
{
    const struct tn_net_node     node = tn_net_node(q->net, id);
    const struct tn_value_about *in   = quantized_input(q, &node, 0);
    uint32_t                     inputs[3];

    if (!in || node.input_count != 2 || !tn_bytes_is(node.op->type, "PAD"))
        return;
    inputs[0] = node.inputs[0];
    inputs[1] = node.inputs[1];
    inputs[2] = steps_of(q, node.graph, node.inputs[0], in).zero;
    if (inputs[2] == TN_NONE)
        return;
    tn_net_set_op(q->net, id, tn_net_own_op(q->net, "PADV2"));
    tn_net_set_inputs(q->net, id, inputs, 3);
}

/* Rows are taken before they become floats: a table may be large. */
static bool look_up_first(struct quantizing *q, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(q->net, id);
    bool     is_gather = tn_bytes_is(node.op->type, "GATHER");
    uint32_t k = is_gather ? 0 : 1;

    if (node.op->domain.size ||
        (!is_gather && !tn_bytes_is(node.op->type, "EMBEDDING_LOOKUP")))
        return false;
    const struct tn_value_about *table = quantized_input(q, &node, k);
    if (!table || table->scale_count != 1 || node.output_count != 1 ||
        node.outputs[0] == TN_NONE || quantized_output(q, &node, 0))
        return false;
    uint32_t     out   = node.outputs[0];
    struct steps steps = steps_of(q, node.graph, node.inputs[k], table);
    uint32_t     rows =
        tn_net_add_value(q->net, node.graph, name_beside(q, out, "rows"));
    if (rows == TN_NONE)
        return true;
    tn_net_set_dtype(q->net, rows, table->dtype);
    tn_net_set_output(q->net, id, 0, rows);
    tn_net_set_producer(q->net, rows, id, 0);
    add_step(q, &node, "Dequantize", rows, out, steps, table);
    return true;
}

static void dequantize_inputs(struct quantizing *q, uint32_t id)
{
    struct tn_net           *net  = q->net;
    const struct tn_net_node node = tn_net_node(net, id);
    uint32_t                *inputs =
        tn_new(&q->work->arena, uint32_t, node.input_count, net->error);
    bool is_changed = false;

    for (uint32_t k = 0; inputs && k < node.input_count; k++) {
        const struct tn_value_about *about = quantized_input(q, &node, k);
        inputs[k]                          = node.inputs[k];
        if (!about && node.inputs[k] != TN_NONE)
            about = bias_steps(q, &node, k);
        if (!about)
            continue;
        inputs[k]  = dequantized(q, &node, node.inputs[k], about);
        is_changed = true;
    }
    if (inputs && is_changed)
        tn_net_set_inputs(net, id, inputs, node.input_count);
}

static void quantize_node(struct quantizing *q, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(q->net, id);

    if (is_listed(&node, as_they_are) || replace_step(q, id) ||
        look_up_first(q, id))
        return;
    if (moves_integers(q, &node)) {
        pad_with_zero(q, id);
        return;
    }
    dequantize_inputs(q, id);
    for (uint32_t k = 0; k < node.output_count && !tn_failed(q->net->error);
         k++) {
        const struct tn_value_about *about = quantized_output(q, &node, k);
        if (about)
            quantize_output(q, id, k, about);
    }
}

enum tn_status tn_tflite_quantize(struct tn_tflite_work *work)
{
    struct tn_net    *net = work->net;
    struct quantizing q   = { .work = work, .net = net };
    uint64_t          count = net->nodes.count; /* without those that are made */

    q.steps =
        tn_new(&work->arena, struct steps, (uint64_t)work->values + 1, net->error);
    for (uint32_t i = 0; q.steps && i < count && !tn_failed(net->error); i++)
        if (!tn_net_node(net, i).is_removed)
            quantize_node(&q, i);
    return net->error->status;
}
