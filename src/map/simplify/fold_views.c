/* fold_views.c - moves, clips or quantises large constants as views of their
 * file */
#include "map/simplify/fold_views.h"

#include <math.h>

#include "map/net/net_build.h"
#include "map/simplify/node_ops.h"

/* The deepest nesting of views; readers have a limit, too. */
#define DEEPEST 12

static unsigned depth_of(const struct tn_elements *e)
{
    unsigned deepest = 0;

    if (e->payload.encoding != TN_ENCODING_VIEW)
        return 0;
    for (uint64_t i = 0; i < e->payload.view->input_count; i++) {
        unsigned depth = depth_of(&e->payload.view->inputs[i]);
        deepest        = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* What is being made. */
struct making {
    struct tn_net            *net;
    struct tn_infer          *facts;
    const struct tn_net_node *node;
    uint32_t                  output; /* which one of the node                */
    const struct tn_elements *input;  /* the first one                        */
    struct tn_elements        made; /* its shape is that of the output       */
    struct tn_view           *view;
};

static const struct tn_elements *constant_at(const struct making *m,
                                             uint32_t             index)
{
    if (index >= m->node->input_count || m->node->inputs[index] == TN_NONE)
        return NULL;
    return tn_net_value(m->net, m->node->inputs[index]).constant;
}

/* Whole elements that are side by side in memory. */
static bool is_simple(enum tn_dtype dtype)
{
    return tn_dtype_bits(dtype) >= 8;
}

/* ---- the operators ------------------------------------------------------ */

static bool make_reshape(struct making *m)
{
    m->view->kind = TN_VIEW_RESHAPE;
    return true;
}

/* Only between types whose conversion every runtime rounds in the same way:
 * values that are too large for an integer or for eight bits are not converted
 * alike. */
static bool make_cast(struct making *m)
{
    enum tn_dtype from = m->input->shape.dtype, to = m->made.shape.dtype;

    m->view->kind = TN_VIEW_CAST;
    return tn_item_is_real(to) && tn_dtype_bits(to) > 8 &&
           (tn_item_is_real(from) ? tn_dtype_bits(from) > 8 : from != TN_BOOL);
}

/* Whether it computes with numbers along an axis. */
static bool is_along(const struct tn_elements *e)
{
    return e->payload.encoding == TN_ENCODING_VIEW &&
           (e->payload.view->kind == TN_VIEW_SCALE ||
            e->payload.view->kind == TN_VIEW_CLAMP ||
            e->payload.view->kind == TN_VIEW_QUANTIZE);
}

/* Permutes before it scales: elements that are gathered from a file can be
 * scaled on the way. */
static bool scale_last(struct making *m)
{
    const struct tn_elements *scaled = m->input;
    struct tn_elements       *gathered =
        tn_new(m->net->arena, struct tn_elements, 1, m->net->error);
    struct tn_view *below =
        tn_new(m->net->arena, struct tn_view, 1, m->net->error);

    if (!gathered || !below)
        return false;
    *below        = *m->view;
    below->inputs = scaled->payload.view->inputs;
    *gathered     = (struct tn_elements){ m->made.shape, m->made.payload };
    gathered->shape.dtype  = below->inputs[0].shape.dtype;
    gathered->payload.view = below;
    *m->view               = *scaled->payload.view;
    m->view->inputs        = gathered;
    for (uint32_t i = 0; i < m->made.shape.rank; i++)
        if (below->axes[i] == scaled->payload.view->axis)
            m->view->axis = i;
    return true;
}

static bool make_permute(struct making *m)
{
    const struct tn_attr_value *perm = tn_net_attr(m->node, "perm");
    uint32_t                    rank = m->input->shape.rank;
    uint32_t *axes = tn_new(m->net->arena, uint32_t, rank, m->net->error);

    if (!axes || (perm && (perm->kind != TN_ATTR_INT || perm->count != rank)))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        axes[i] = perm ? (uint32_t)perm->of.ints[i] : rank - 1 - i;
    m->view->kind = TN_VIEW_PERMUTE;
    m->view->axes = axes;
    return !is_along(m->input) || scale_last(m);
}

/* Numbers of an input, all known; without it they stay as they are. */
static bool read_numbers(struct making *m, uint32_t index, uint32_t count,
                         int64_t *numbers)
{
    struct tn_item items;

    if (index >= m->node->input_count || m->node->inputs[index] == TN_NONE)
        return true;
    if (tn_fold(m->facts, m->node->inputs[index], &items) != TN_OK ||
        items.kind != TN_ITEM_LIST || items.count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!tn_item_to_int(items.of.items[i], &numbers[i]))
            return false;
    return true;
}

/* Where a slice begins on an axis of that size, as ONNX clamps it. */
static uint64_t slice_begin(int64_t start, int64_t step, uint64_t size)
{
    int64_t all = (int64_t)size, last = step < 0 ? all - 1 : all;

    start += start < 0 ? all : 0;
    if (start < 0)
        return 0;
    return (uint64_t)(start < last ? start : last);
}

enum { SLICED_MAX = 8 }; /* axes */

/* The shape of the output has their number. */
static bool make_slice(struct making *m)
{
    uint32_t rank = m->input->shape.rank, count = 0;
    int64_t  starts[SLICED_MAX] = { 0 }, axes[SLICED_MAX], steps[SLICED_MAX];
    struct tn_item items;
    uint64_t      *begin = tn_new(m->net->arena, uint64_t, rank, m->net->error);
    int64_t       *step  = tn_new(m->net->arena, int64_t, rank, m->net->error);

    if (!begin || !step || m->node->input_count < 3 ||
        tn_fold(m->facts, m->node->inputs[1], &items) != TN_OK ||
        items.kind != TN_ITEM_LIST || items.count > SLICED_MAX)
        return false;
    count = items.count;
    for (uint32_t i = 0; i < SLICED_MAX; i++) {
        axes[i]  = i;
        steps[i] = 1;
    }
    if (!read_numbers(m, 1, count, starts) ||
        !read_numbers(m, 3, count, axes) || !read_numbers(m, 4, count, steps))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        step[i] = 1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank || steps[i] == 0)
            return false;
        begin[axis] =
            slice_begin(starts[i], steps[i], m->input->shape.dims[axis]);
        step[axis] = steps[i];
    }
    m->view->kind  = TN_VIEW_SLICE;
    m->view->begin = begin;
    m->view->step  = step;
    return true;
}

static bool make_concat(struct making *m)
{
    const struct tn_attr_value *axis  = tn_net_attr(m->node, "axis");
    uint32_t                    count = m->node->input_count;
    struct tn_elements         *inputs =
        tn_new(m->net->arena, struct tn_elements, count, m->net->error);

    if (!inputs || !axis || axis->kind != TN_ATTR_INT || axis->count != 1)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_elements *piece = constant_at(m, i);
        if (!piece || depth_of(piece) >= DEEPEST)
            return false;
        inputs[i] = *piece;
    }
    int64_t at = axis->of.ints[0];
    at += at < 0 ? m->made.shape.rank : 0;
    m->view->kind        = TN_VIEW_CONCAT;
    m->view->inputs      = inputs;
    m->view->input_count = count;
    m->view->axis        = (uint32_t)at;
    return at >= 0 && at < m->made.shape.rank;
}

/* Numbers of a constant, `missing` if it is not given; NULL: not known, or not
 * as many. */
static double *read_reals(struct making *m, uint32_t index, uint32_t count,
                          double missing)
{
    struct tn_item items;
    double        *reals = tn_new(m->net->arena, double, count, m->net->error);

    if (!reals)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        reals[i] = missing;
    if (index >= m->node->input_count || m->node->inputs[index] == TN_NONE)
        return reals;
    if (tn_fold(m->facts, m->node->inputs[index], &items) != TN_OK ||
        items.kind != TN_ITEM_LIST || items.count != count)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!tn_item_to_double(items.of.items[i], &reals[i]) || isnan(reals[i]))
            return NULL;
    return reals;
}

/* Scales for all elements or for those of an axis, as the operator says. */
static bool find_scales(struct making *m, uint32_t *axis, uint32_t *count)
{
    const struct tn_net_type *type =
        tn_net_value(m->net, m->node->inputs[1]).type;
    int64_t rank = m->input->shape.rank;
    int64_t at   = tn_net_int_attr(m->node, "axis", 1);

    *axis  = TN_VIEW_NO_AXIS;
    *count = 1;
    if (!type->has_rank || type->rank > 1 ||
        tn_net_int_attr(m->node, "block_size", 0) != 0)
        return false;
    if (type->rank == 0 || type->dims[0] == 1)
        return true;
    at += at < 0 ? rank : 0;
    if (at < 0 || at >= rank || type->dims[0] < 0 ||
        (uint64_t)type->dims[0] != m->input->shape.dims[at])
        return false;
    *axis  = (uint32_t)at;
    *count = (uint32_t)type->dims[0];
    return true;
}

static bool is_positive(const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(numbers[i] > 0) || isinf(numbers[i]))
            return false;
    return true;
}

static bool is_quantized(enum tn_dtype dtype)
{
    return dtype == TN_INT8 || dtype == TN_UINT8 || dtype == TN_INT16 ||
           dtype == TN_UINT16;
}

/* Weights of a model that was trained to be quantised. */
static bool make_quantize(struct making *m)
{
    enum tn_dtype from  = m->input->shape.dtype;
    uint32_t      count = 0;

    if (m->node->input_count < 2 || m->node->inputs[1] == TN_NONE ||
        (from != TN_FLOAT32 && from != TN_FLOAT16) ||
        !is_quantized(m->made.shape.dtype) ||
        !find_scales(m, &m->view->axis, &count))
        return false;
    double *scales   = read_reals(m, 1, count, 1);
    m->view->kind    = TN_VIEW_QUANTIZE;
    m->view->factors = scales;
    m->view->offsets = read_reals(m, 2, count, 0);
    return scales && m->view->offsets && is_positive(scales, count);
}

static bool make_clip(struct making *m)
{
    m->view->kind    = TN_VIEW_CLAMP;
    m->view->axis    = TN_VIEW_NO_AXIS;
    m->view->factors = read_reals(m, 1, 1, -INFINITY);
    m->view->offsets = read_reals(m, 2, 1, INFINITY);
    return m->view->factors && m->view->offsets;
}

/* A bound for each place of one axis, or one for all; the bounds are the second
 * input. */
static bool make_bound(struct making *m, double other, double **bounds,
                       double **others)
{
    const struct tn_elements *by    = constant_at(m, 1);
    uint32_t                  rank  = m->made.shape.rank;
    uint64_t                  count = 1;

    if (m->node->input_count != 2 || !by || by->shape.rank > rank ||
        !tn_shape_same_dims(&m->made.shape, &m->input->shape))
        return false;
    m->view->kind = TN_VIEW_CLAMP;
    m->view->axis = TN_VIEW_NO_AXIS;
    for (uint32_t i = 0; i < by->shape.rank; i++) {
        if (by->shape.dims[i] == 1)
            continue;
        if (m->view->axis != TN_VIEW_NO_AXIS)
            return false;
        m->view->axis = rank - by->shape.rank + i;
        count         = by->shape.dims[i];
    }
    if (count > UINT32_MAX)
        return false;
    *bounds = read_reals(m, 1, (uint32_t)count, other);
    *others = read_reals(m, UINT32_MAX, (uint32_t)count, other);
    return *bounds && *others;
}

static bool make_max(struct making *m)
{
    double *least = NULL, *most = NULL;
    bool    is_made  = make_bound(m, INFINITY, &least, &most);
    m->view->factors = least;
    m->view->offsets = most;
    return is_made;
}

static bool make_min(struct making *m)
{
    double *least = NULL, *most = NULL;
    bool    is_made  = make_bound(m, -INFINITY, &most, &least);
    m->view->factors = least;
    m->view->offsets = most;
    return is_made;
}

static const struct {
    const char *op;
    bool (*make)(struct making *m);
} makers[] = {
    { "Transpose", make_permute }, { "Reshape", make_reshape },
    { "Flatten", make_reshape },   { "Squeeze", make_reshape },
    { "Unsqueeze", make_reshape }, { "Cast", make_cast },
    { "Slice", make_slice },       { "Concat", make_concat },
    { "Clip", make_clip },         { "Max", make_max },
    { "Min", make_min },           { "QuantizeLinear", make_quantize },
};

/* ---- the node ----------------------------------------------------------- */

/* Dims that are all known. */
static bool set_shape(struct making *m)
{
    const struct tn_net_type *type =
        tn_net_value(m->net, m->node->outputs[m->output]).type;
    uint64_t *dims = tn_new(m->net->arena, uint64_t, type->rank, m->net->error);

    if (!dims || !type->has_rank || !is_simple(type->dtype))
        return false;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0)
            return false;
        dims[i] = (uint64_t)type->dims[i];
    }
    m->made.shape = (struct tn_shape){ type->dtype, type->rank, dims };
    return true;
}

static bool prepare(struct making *m)
{
    struct tn_elements *input =
        tn_new(m->net->arena, struct tn_elements, 1, m->net->error);

    m->input = constant_at(m, 0);
    m->view  = tn_new(m->net->arena, struct tn_view, 1, m->net->error);
    if (!input || !m->view || !m->input || !is_simple(m->input->shape.dtype) ||
        depth_of(m->input) >= DEEPEST || !set_shape(m))
        return false;
    *input   = *m->input;
    *m->view = (struct tn_view){ .inputs = input, .input_count = 1 };
    m->made.payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = m->view };
    return true;
}

/* A part of a Split: it begins where the parts before it end. */
static bool make_part(struct making *m)
{
    const struct tn_attr_value *attr = tn_net_attr(m->node, "axis");
    uint32_t                    rank = m->input->shape.rank;
    int64_t   axis  = attr && attr->kind == TN_ATTR_INT ? attr->of.ints[0] : 0;
    uint64_t *begin = tn_new(m->net->arena, uint64_t, rank, m->net->error);
    int64_t  *step  = tn_new(m->net->arena, int64_t, rank, m->net->error);

    axis += axis < 0 ? rank : 0;
    if (!begin || !step || axis < 0 || axis >= rank ||
        m->made.shape.rank != rank)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        step[i] = 1;
    for (uint32_t i = 0; i < m->output; i++) {
        const struct tn_net_type *type =
            tn_net_value(m->net, m->node->outputs[i]).type;
        if (!type->has_rank || type->rank != rank || type->dims[axis] < 0)
            return false;
        begin[axis] += (uint64_t)type->dims[axis];
    }
    m->view->kind  = TN_VIEW_SLICE;
    m->view->begin = begin;
    m->view->step  = step;
    return true;
}

/* Contradictory operators stay, so that the checks report them. */
static bool is_made(struct making *m, bool (*make)(struct making *m))
{
    struct tn_error ignored = TN_ERROR_INIT;

    return prepare(m) && make(m) &&
           tn_payload_check(&m->made, &ignored) == TN_OK;
}

static void set_output(const struct making *m)
{
    tn_net_set_constant(m->net, m->node->outputs[m->output], &m->made,
                        tn_net_value(m->net, m->node->inputs[0]).origin);
}

enum { PARTS_MAX = 16 };

/* All parts of a Split, or none. */
static bool fold_split(struct tn_net *net, struct tn_infer *facts,
                       const struct tn_net_node *node)
{
    struct making parts[PARTS_MAX];

    if (node->output_count > PARTS_MAX)
        return false;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] == TN_NONE)
            return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        parts[i] = (struct making){
            .net = net, .facts = facts, .node = node, .output = i
        };
        if (!is_made(&parts[i], make_part))
            return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        set_output(&parts[i]);
    return !tn_failed(net->error);
}

bool tn_fold_as_view(struct tn_net *net, struct tn_infer *facts, uint32_t id)
{
    struct tn_net_node node = tn_net_node(net, id);
    struct making      m    = { .net = net, .facts = facts, .node = &node };

    if (!node.output_count || node.op->domain.size || !constant_at(&m, 0))
        return false;
    if (tn_bytes_is(node.op->type, "Split"))
        return fold_split(net, facts, &node);
    if (node.output_count != 1 || node.outputs[0] == TN_NONE)
        return false;
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (!tn_bytes_is(node.op->type, makers[i].op))
            continue;
        if (!is_made(&m, makers[i].make))
            return false;
        set_output(&m);
        return !tn_failed(net->error);
    }
    return false;
}

/* ---- behind a DequantizeLinear ------------------------------------------ */

/* A Transpose, and the DequantizeLinear before it. */
struct behind {
    struct tn_net_node        transpose, scaled;
    const struct tn_elements *weight;
    const int64_t            *perm;
    int64_t                   axis; /* after it; -1: one scale for all        */
};

/* The new index of the scales' axis; false if it is unknown. */
static bool find_axis(const struct tn_net *net, struct behind *b)
{
    const struct tn_net_type *scale =
        tn_net_value(net, b->scaled.inputs[1]).type;
    int64_t rank = b->weight->shape.rank;
    int64_t axis = tn_net_int_attr(&b->scaled, "axis", 1);

    b->axis = -1;
    if (!scale->has_rank || scale->rank > 1 ||
        tn_net_int_attr(&b->scaled, "block_size", 0) != 0)
        return false;
    if (scale->rank == 0)
        return true;
    axis += axis < 0 ? rank : 0;
    for (int64_t i = 0; i < rank; i++)
        if (b->perm[i] == axis)
            b->axis = i;
    return b->axis >= 0;
}

static bool take_behind(const struct tn_net *net, const uint32_t *uses,
                        uint32_t id, struct behind *b)
{
    b->transpose = tn_net_node(net, id);
    if (b->transpose.is_removed || b->transpose.control_count ||
        !tn_node_is(&b->transpose, "Transpose") ||
        b->transpose.input_count != 1 || b->transpose.output_count != 1 ||
        b->transpose.inputs[0] == TN_NONE || b->transpose.outputs[0] == TN_NONE)
        return false;
    const struct tn_net_value from = tn_net_value(net, b->transpose.inputs[0]);
    if (from.constant || from.producer == TN_NONE ||
        uses[b->transpose.inputs[0]] != 1)
        return false;
    b->scaled = tn_net_node(net, from.producer);
    if (!tn_node_is(&b->scaled, "DequantizeLinear") ||
        b->scaled.control_count || b->scaled.graph != b->transpose.graph ||
        b->scaled.input_count < 2 || b->scaled.inputs[0] == TN_NONE ||
        b->scaled.inputs[1] == TN_NONE)
        return false;
    b->weight = tn_net_value(net, b->scaled.inputs[0]).constant;
    const struct tn_attr_value *perm = tn_net_attr(&b->transpose, "perm");
    if (!b->weight || !perm || perm->kind != TN_ATTR_INT ||
        perm->count != b->weight->shape.rank)
        return false;
    b->perm = perm->of.ints;
    return find_axis(net, b);
}

/* The weight in the order of the Transpose; TN_NONE if that is not possible. */
static uint32_t transposed(struct tn_net *net, struct tn_infer *facts,
                           const struct behind *b)
{
    uint32_t           from = b->scaled.inputs[0];
    struct tn_net_type type = *tn_net_value(net, from).type;
    uint32_t           rank = b->weight->shape.rank;
    int64_t           *dims = tn_new(net->arena, int64_t, rank, net->error);
    uint32_t           to =
        tn_net_add_value(net, b->transpose.graph, tn_net_value(net, from).name);

    if (!dims || to == TN_NONE)
        return TN_NONE;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = (int64_t)b->weight->shape.dims[b->perm[i]];
    type.has_rank = true;
    type.rank     = rank;
    type.dims     = dims;
    type.symbols  = NULL;
    type.dtype    = b->weight->shape.dtype;
    tn_net_set_type(net, to, &type);
    struct tn_net_node node = b->transpose;
    node.name               = tn_text("");
    node.inputs             = &from;
    node.outputs            = &to;
    uint32_t made           = tn_net_add_node(net, &node);
    if (made == TN_NONE)
        return TN_NONE;
    bool is_made = tn_fold_as_view(net, facts, made);
    tn_net_remove(net, made);
    return is_made ? to : TN_NONE;
}

static bool fold_behind(struct tn_net *net, struct tn_infer *facts, uint32_t id,
                        const struct behind *b)
{
    uint32_t  old = tn_net_value(net, b->transpose.inputs[0]).producer;
    uint32_t *inputs =
        tn_new(net->arena, uint32_t, b->scaled.input_count, net->error);
    uint32_t weight = inputs ? transposed(net, facts, b) : TN_NONE;

    if (weight == TN_NONE)
        return false;
    struct tn_net_node node = b->scaled;
    for (uint32_t i = 0; i < node.input_count; i++)
        inputs[i] = i ? b->scaled.inputs[i] : weight;
    node.inputs  = inputs;
    node.outputs = b->transpose.outputs;
    tn_net_remove(net, id);
    tn_net_remove(net, old);
    uint32_t made = tn_net_add_node(net, &node);
    if (made != TN_NONE && b->axis >= 0)
        tn_net_set_int(net, made, "axis", TN_ATTR_INT, b->axis);
    return made != TN_NONE;
}

uint64_t tn_fold_quantized(struct tn_net *net, struct tn_infer *facts)
{
    uint64_t        count = 0, last = net->nodes.count;
    struct tn_arena arena;
    struct behind   b;

    tn_arena_init(&arena, net->arena->memory);
    const uint32_t *uses = tn_net_count_uses(net, &arena);
    for (uint32_t i = 0; uses && i < last && tn_net_goes_on(net); i++)
        if (take_behind(net, uses, i, &b))
            count += fold_behind(net, facts, i, &b);
    tn_arena_done(&arena);
    if (count && !tn_failed(net->error))
        tn_net_order(net, NULL);
    return count;
}

/* ---- weights that were quantised here ----------------------------------- */

static bool was_quantized(const struct tn_elements *e)
{
    while (e->payload.encoding == TN_ENCODING_VIEW) {
        if (e->payload.view->kind == TN_VIEW_QUANTIZE)
            return true;
        e = &e->payload.view->inputs[0];
    }
    return false;
}

/* Quantised values that are computed, converted to floats again, and perhaps
 * permuted. */
static bool is_dequantized(const struct tn_net *net, uint32_t value)
{
    enum { MOVES_MAX = 4 };

    for (int i = 0; i < MOVES_MAX; i++) {
        const struct tn_net_value from = tn_net_value(net, value);
        if (from.constant || from.producer == TN_NONE)
            return false;
        const struct tn_net_node node = tn_net_node(net, from.producer);
        if (!node.input_count || node.inputs[0] == TN_NONE)
            return false;
        value = node.inputs[0];
        if (tn_node_is(&node, "DequantizeLinear"))
            return !tn_net_value(net, value).constant;
        if (!tn_node_is(&node, "Transpose") && !tn_node_is(&node, "Reshape") &&
            !tn_node_is(&node, "Unsqueeze") && !tn_node_is(&node, "Squeeze"))
            return false;
    }
    return false;
}

/* Inputs of a node that also has computed quantised inputs: runtimes fuse it to
 * one operator of integers, and need the weights in few bits. */
static bool *find_integers(const struct tn_net *net, struct tn_arena *arena)
{
    bool *is_among = tn_new(arena, bool, net->values.count, net->error);

    for (uint32_t i = 0; is_among && i < net->nodes.count; i++) {
        const struct tn_net_node node   = tn_net_node(net, i);
        bool                     is_one = false;
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            is_one = is_one || (node.inputs[k] != TN_NONE &&
                                is_dequantized(net, node.inputs[k]));
        for (uint32_t k = 0; is_one && k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                is_among[node.inputs[k]] = true;
    }
    return is_among;
}

/* A view of what is being made, as another type. */
static bool put_view(struct making *m, enum tn_dtype dtype, struct tn_view as)
{
    struct tn_elements *input =
        tn_new(m->net->arena, struct tn_elements, 1, m->net->error);
    struct tn_view *view =
        tn_new(m->net->arena, struct tn_view, 1, m->net->error);

    if (!input || !view)
        return false;
    *input              = m->made;
    *view               = as;
    view->inputs        = input;
    view->input_count   = 1;
    m->made.shape.dtype = dtype;
    m->made.payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    return true;
}

/* (q - zero) * scale is exact but for the last rounding, and so is this. */
static bool make_dequantized(struct making *m)
{
    enum tn_dtype to = tn_net_value(m->net, m->node->outputs[0]).type->dtype;
    uint32_t      axis, count;

    m->input = constant_at(m, 0);
    if (!m->input || !was_quantized(m->input) || to != TN_FLOAT32 ||
        m->node->input_count < 2 || m->node->inputs[1] == TN_NONE ||
        depth_of(m->input) + 2 > DEEPEST || !find_scales(m, &axis, &count))
        return false;
    double *scales = read_reals(m, 1, count, 1);
    double *zeros  = read_reals(m, 2, count, 0);
    if (!scales || !zeros)
        return false;
    for (uint32_t i = 0; i < count; i++)
        zeros[i] = zeros[i] == 0 ? 0 : -zeros[i] * scales[i];
    m->made = *m->input;
    return put_view(m, to, (struct tn_view){ .kind = TN_VIEW_CAST }) &&
           put_view(m, to,
                    (struct tn_view){ .kind    = TN_VIEW_SCALE,
                                      .axis    = axis,
                                      .factors = scales,
                                      .offsets = zeros });
}

static bool has_scales_of_axis(const struct tn_net      *net,
                               const struct tn_net_node *node)
{
    return node->input_count > 1 && node->inputs[1] != TN_NONE &&
           tn_net_value(net, node->inputs[1]).type->rank > 0;
}

/* Those that may stay: with `scales`, also those with a scale for each
 * index. */
static uint64_t fold_trained(struct tn_net *net, struct tn_infer *facts,
                             bool scales)
{
    uint64_t        count = 0;
    struct tn_arena arena;

    tn_arena_init(&arena, net->arena->memory);
    const bool *is_among  = find_integers(net, &arena);
    const bool *is_output = tn_net_find_outputs(net, &arena);
    for (uint32_t i = 0; is_among && is_output && i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        struct making m = { .net = net, .facts = facts, .node = &node };
        if (node.is_removed || node.control_count || node.output_count != 1 ||
            !tn_node_is(&node, "DequantizeLinear") ||
            (is_among[node.outputs[0]] &&
             (scales || !has_scales_of_axis(net, &node))) ||
            is_output[node.outputs[0]] || !make_dequantized(&m))
            continue;
        set_output(&m);
        tn_net_remove(net, i);
        count++;
    }
    tn_arena_done(&arena);
    return count;
}

uint64_t tn_fold_trained(struct tn_net *net, struct tn_infer *facts)
{
    return fold_trained(net, facts, true);
}

uint64_t tn_fold_trained_scales(struct tn_net *net, struct tn_infer *facts)
{
    return fold_trained(net, facts, false);
}
