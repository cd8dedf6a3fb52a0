/*
 * edit_float16.c - the same model in 16-bit floats
 *
 * At the end, every float32 value of the graph has one type: that of the op
 * that makes it.  If a user needs the other type, a Cast is inserted before the
 * first such user in a graph, and serves all later ones there.
 *
 * The vocabulary for the model's opset says which operators take 16 bits,
 * argument by argument; a list has those that compute badly in 16 bits.
 */
#include "engine/edit_float16.h"

#include "engine/edit_float16_typed.h"
#include "engine/edit_known.h"
#include "format/onnx/onnx.h"
#include "ir/attr.h"
#include "ir/dialect_facts.h"
#include "ir/vocab.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Operators that stay float32 although the type is allowed: sums over many
 * elements, coordinates, comparisons and random numbers. */
/* clang-format off */
static const char *const stays[] = {
    "Bernoulli", "ConstantOfShape", "CumSum", "DequantizeLinear",
    "DynamicQuantizeLinear", "EyeLike", "GRU", "GridSample", "LSTM",
    "MaxRoiPool", "Multinomial", "NonMaxSuppression", "QuantizeLinear", "RNN",
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
    "Range", "Resize", "RoiAlign", "Upsample",
};
/* clang-format on */

/* They accept any type, and their results have another one. */
static const char *const indifferent[] = { "Shape", "Size", "Cast" };

/* Constants of at most this many elements are numbers of a formula, and not
 * weights. */
#define FEW 4

/* The type of a value in the end. */
enum width { NO_FLOAT, WIDE, NARROW };

struct narrowing {
    struct tn_draft        *draft;
    const struct tn_model  *model;
    const struct tn_narrow *how;
    struct tn_error        *error;
    struct tn_arena         arena;
    struct tn_known         known;
    struct tn_vocab         vocab;
    struct tn_fresh         fresh;
    uint32_t               *node_of; /* by op of the model; TN_NONE: none     */
    const struct tn_vocab_op **kind; /* by node: its definition, if converted */
    uint8_t     *width;              /* by value: enum width                  */
    const char **own;        /* by value: what it is called now, if not as
                                before                                   */
    const char **other_name; /* by value: its float32 of the same
                               graph, if an output asks for it     */
    uint8_t        *users;   /* by value: bits by enum width            */
    struct tn_pairs made;    /* (value * 2 + is narrow, graph) -> name  */
    struct tn_list  names;   /* const char *                            */
};

/* ---- which operators take the type --------------------------------------- */

static bool is_listed(const char *const *list, size_t count,
                      struct tn_bytes word)
{
    for (size_t i = 0; i < count; i++)
        if (tn_bytes_is(word, list[i]))
            return true;
    return false;
}

static uint64_t types_of(const struct tn_vocab_op  *op,
                         const struct tn_vocab_arg *arg)
{
    for (uint32_t i = 0; arg->variable.size && i < op->variable_count; i++)
        if (tn_bytes_equal(op->variables[i].name, arg->variable))
            return op->variables[i].types.tensors;
    return arg->types.tensors;
}

/* The last argument may stand for many values; NULL: there is none. */
static const struct tn_vocab_arg *argument(const struct tn_vocab_arg *args,
                                           uint32_t count, uint32_t index)
{
    return !count ? NULL : &args[index < count ? index : count - 1];
}

static bool allows(const struct narrowing *n, const struct tn_vocab_op *op,
                   const struct tn_vocab_arg *arg)
{
    return arg && types_of(op, arg) & TN_VOCAB_TYPE(n->how->dtype);
}

static bool is_float(const struct narrowing *n, uint32_t value)
{
    return value != TN_NONE && n->width[value] != NO_FLOAT;
}

static bool is_constant_op(const struct tn_net_node *node)
{
    return tn_bytes_is(node->op->type, "Constant") && !node->op->domain.size;
}

/* Whether an input of a converted node is taken in 16 bits. */
static bool takes_narrow(const struct narrowing *n, uint32_t id, uint32_t input)
{
    const struct tn_net_node node = tn_net_node(&n->known.net, id);

    return n->kind[id] && is_float(n, node.inputs[input]) &&
           allows(
               n, n->kind[id],
               argument(n->kind[id]->inputs, n->kind[id]->input_count, input));
}

/* Whether the type of an output follows from an input, or from an attribute
 * that is changed here. */
static bool gives_narrow(const struct narrowing *n, uint32_t id, uint32_t index)
{
    const struct tn_net_node   node = tn_net_node(&n->known.net, id);
    const struct tn_vocab_op  *op   = n->kind[id];
    const struct tn_vocab_arg *out;

    if (!op || !is_float(n, node.outputs[index]))
        return false;
    out = argument(op->outputs, op->output_count, index);
    if (!allows(n, op, out))
        return false;
    if (tn_bytes_is(node.op->type, "Cast") || is_constant_op(&node))
        return true;
    for (uint32_t i = 0; out->variable.size && i < node.input_count; i++) {
        const struct tn_vocab_arg *in =
            argument(op->inputs, op->input_count, i);
        if (in && tn_bytes_equal(in->variable, out->variable) &&
            is_float(n, node.inputs[i]))
            return true;
    }
    return false;
}

static bool has_tensor(const struct tn_net_node *node)
{
    const struct tn_attr_value *value = tn_net_attr(node, "value");

    return value && value->kind == TN_ATTR_TENSOR && value->count == 1;
}

static bool is_kept(const struct narrowing *n, const struct tn_net_node *node)
{
    return is_listed(stays, sizeof stays / sizeof *stays, node->op->type) ||
           is_listed(n->how->kept, n->how->kept_count, node->op->type) ||
           (node->name.size &&
            is_listed(n->how->kept, n->how->kept_count, node->name));
}

/* Whether the width of the value can be changed: its type must be known, and
 * sequences stay as they are. */
static bool is_clear(const struct narrowing *n, uint32_t value)
{
    const struct tn_net_type *type =
        value == TN_NONE ? NULL : tn_net_value(&n->known.net, value).type;

    return !type ||
           (type->dtype != TN_UNDEFINED && type->wrap == TN_NET_TENSOR);
}

static bool can_narrow(struct narrowing *n, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(&n->known.net, id);
    bool                     any  = false;

    for (uint32_t i = 0; i < node.input_count; i++)
        if (!is_clear(n, node.inputs[i]))
            return false;
    for (uint32_t i = 0; i < node.output_count; i++)
        if (!is_clear(n, node.outputs[i]))
            return false;

    for (uint32_t i = 0; i < node.input_count; i++)
        any |= takes_narrow(n, id, i);
    for (uint32_t i = 0; i < node.output_count; i++)
        any |= gives_narrow(n, id, i);
    return any;
}

/* Whether a few numbers, such as the 1e-10 in log(x + 1e-10), would become 0.
 */
static bool vanishes(struct narrowing *n, uint32_t value)
{
    struct tn_item items;

    if (!is_float(n, value) ||
        tn_fold(n->known.facts, value, &items) != TN_OK ||
        items.kind != TN_ITEM_LIST || items.count > FEW)
        return false;
    for (uint32_t i = 0; i < items.count; i++) {
        double size;
        if (tn_item_to_double(items.of.items[i], &size) && size != 0 &&
            fabs(size) <= (n->how->dtype == TN_FLOAT16 ? 0x1p-15 : 0x1p-127))
            return true;
    }
    return false;
}

static bool has_vanishing(struct narrowing *n, const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != TN_NONE && vanishes(n, node->inputs[i]))
            return true;
    return false;
}

static enum tn_status choose_ops(struct narrowing *n)
{
    const struct tn_net *net = &n->known.net;

    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(n->error); i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed || node.source == TN_NONE || node.op->domain.size ||
            is_kept(n, &node) || tn_net_holds_graphs(&node) ||
            (is_constant_op(&node) && !has_tensor(&node)) ||
            has_vanishing(n, &node))
            continue;
        n->node_of[node.source] = i;
        n->kind[i] = tn_vocab_find(&n->vocab, node.op->domain, node.op->type,
                                   net->version, n->error);
        if (n->kind[i] && !can_narrow(n, i))
            n->kind[i] = NULL;
    }
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (!node.is_removed && node.source != TN_NONE)
            n->node_of[node.source] = i;
    }
    return n->error->status;
}

/* ---- which type values have in the end ----------------------------------- */

static void find_floats(struct narrowing *n)
{
    const struct tn_net *net = &n->known.net;

    for (uint32_t i = 0; i < net->values.count; i++) {
        const struct tn_net_type *type = tn_net_value(net, i).type;
        n->width[i] = type->dtype == TN_FLOAT32 && type->wrap == TN_NET_TENSOR
                          ? WIDE
                          : NO_FLOAT;
    }
}

/* Narrow, wide, or whatever there is. */
static enum width wanted_by(const struct narrowing *n, uint32_t id,
                            uint32_t input)
{
    const struct tn_net_node node = tn_net_node(&n->known.net, id);

    if (!node.op->domain.size &&
        is_listed(indifferent, sizeof indifferent / sizeof *indifferent,
                  node.op->type))
        return NO_FLOAT;
    return takes_narrow(n, id, input) ? NARROW : WIDE;
}

static void find_users(struct narrowing *n)
{
    const struct tn_net *net = &n->known.net;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            if (is_float(n, node.inputs[k]))
                n->users[node.inputs[k]] |= (uint8_t)(1u << wanted_by(n, i, k));
    }
    for (uint32_t g = 0; g < net->graphs.count; g++) {
        const struct tn_list *outputs = &tn_net_graph(net, g)->outputs;
        for (uint64_t i = 0; i < outputs->count; i++) {
            uint32_t value = *tn_list_at(outputs, uint32_t, i);
            if (is_float(n, value))
                n->users[value] |=
                    (uint8_t)(1u
                              << (g == 0 && n->how->takes_io ? NARROW : WIDE));
        }
    }
}

/* ---- elements ------------------------------------------------------------ */

struct looking {
    struct tn_sink sink; /* first */
    float          most, least;
    uint64_t       over, under;
    uint8_t       *to; /* NULL: only count                                    */
    enum tn_dtype  dtype;
    uint8_t        part[4]; /* of an element that comes in pieces             */
    unsigned       part_size;
};

static uint16_t narrow_bits(uint32_t bits, enum tn_dtype dtype)
{
    /* bfloat16, to nearest even; float16 below */
    if (dtype == TN_BFLOAT16) {
        uint32_t odd = bits >> 16 & 1;
        return (uint16_t)((bits + 0x7fffu + odd) >> 16);
    }
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (magnitude < 0x33000001u)
        return (uint16_t)sign;
    int      exponent = (int)(magnitude >> 23) - 127;
    uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    int      shift    = exponent < -14 ? 13 + (-14 - exponent) : 13;
    uint32_t kept     = mantissa >> shift;
    uint32_t rest     = mantissa & ((1u << shift) - 1);
    uint32_t half     = 1u << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (exponent >= -14)
        kept += (uint32_t)(exponent + 14) << 10;
    return (uint16_t)(sign | kept);
}

static void look_at(struct looking *l, const uint8_t *bytes)
{
    uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                    (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    float value, size;

    memcpy(&value, &bits, sizeof value);
    size         = fabsf(value);
    bool is_over = size >= l->most && isfinite(value);
    l->over += is_over;
    l->under += size > 0 && size <= l->least;
    if (!l->to)
        return;
    uint16_t narrow = narrow_bits(bits, l->dtype);
    if (is_over)
        narrow = (uint16_t)((bits >> 16 & 0x8000u) |
                            (l->dtype == TN_FLOAT16 ? 0x7bffu : 0x7f7fu));
    *l->to++ = (uint8_t)narrow;
    *l->to++ = (uint8_t)(narrow >> 8);
}

static enum tn_status look(struct tn_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    struct looking *l = (struct looking *)sink;
    size_t          i = 0;

    (void)error;
    while (i < bytes.size) {
        if (l->part_size == 0 && bytes.size - i >= 4) {
            look_at(l, bytes.data + i);
            i += 4;
            continue;
        }
        l->part[l->part_size++] = bytes.data[i++];
        if (l->part_size == 4) {
            look_at(l, l->part);
            l->part_size = 0;
        }
    }
    return TN_OK;
}

static const struct tn_sink_ops look_ops = { .write = look };

/* Tensors of up to this many elements are clamped in memory. */
#define CLAMP_MOST (UINT64_C(1) << 19)

static struct tn_elements cast_view(struct narrowing         *n,
                                    const struct tn_elements *from)
{
    struct tn_elements *input =
        tn_new(n->draft->arena, struct tn_elements, 1, n->error);
    struct tn_view *view = tn_new(n->draft->arena, struct tn_view, 1, n->error);

    if (!input || !view)
        return *from;
    *input = *from;
    *view  = (struct tn_view){ .kind        = TN_VIEW_CAST,
                               .inputs      = input,
                               .input_count = 1 };
    return (struct tn_elements){
        .shape   = { n->how->dtype, from->shape.rank, from->shape.dims },
        .payload = { .encoding = TN_ENCODING_VIEW, .view = view },
    };
}

static void tell(struct narrowing *n, struct tn_bytes name,
                 const struct looking *l, bool is_clamped)
{
    char        text[400], over[80] = "", under[80] = "";
    const char *type = tn_dtype_name(n->how->dtype);

    if (!n->how->note || (!l->over && !l->under))
        return;
    if (l->over)
        snprintf(over, sizeof over,
                 "%" PRIu64 " element%s too large for %s, which become%s %s",
                 l->over, l->over == 1 ? " is" : "s are", type,
                 l->over == 1 ? "s" : "",
                 is_clamped ? "the largest one" : "infinite");
    if (l->under)
        snprintf(under, sizeof under,
                 "%" PRIu64 " element%s too small for %s, which become%s 0",
                 l->under, l->under == 1 ? " is" : "s are", type,
                 l->under == 1 ? "s" : "");
    snprintf(text, sizeof text, "%.*s: %s%s%s", TN_FMT(name), over,
             l->over && l->under ? "; " : "", under);
    n->how->note(n->how->context, text);
}

/* The elements in 16 bits: cast while they are written; or, if some do not fit
 * and it is small, clamped here. */
static struct tn_elements narrow(struct narrowing *n, struct tn_bytes name,
                                 const struct tn_elements *from)
{
    bool           is_half = n->how->dtype == TN_FLOAT16;
    struct looking l       = { .sink  = { &look_ops, 0 },
                               .most  = is_half ? 65520.0f : 0x1.ffp127f,
                               .least = is_half ? 0x1p-25f : 0x1p-134f,
                               .dtype = n->how->dtype };
    uint64_t       count;

    if (!tn_shape_count(&from->shape, &count)) {
        tn_shape_refuse(&from->shape, TN_NOWHERE, n->error);
        return *from;
    }
    if (tn_payload_stream(from, 0, count, n->draft->memory, &l.sink,
                          n->error) != TN_OK)
        return *from;
    bool is_clamped = l.over && count <= CLAMP_MOST;
    tell(n, name, &l, is_clamped);
    if (!is_clamped)
        return cast_view(n, from);
    struct tn_source *source =
        tn_new(n->draft->arena, struct tn_source, 1, n->error);
    uint8_t *bytes = tn_new(n->draft->arena, uint8_t, count * 2, n->error);
    if (!source || !bytes)
        return *from;
    l.to = bytes;
    if (tn_payload_stream(from, 0, count, n->draft->memory, &l.sink,
                          n->error) != TN_OK)
        return *from;
    tn_source_memory(source, n->draft->memory,
                     tn_bytes(bytes, (size_t)count * 2));
    struct tn_elements made = { .shape = { n->how->dtype, from->shape.rank,
                                           from->shape.dims } };
    made.payload            = tn_payload_raw(&made.shape,
                                             (struct tn_span){ source, 0, count * 2 }, 1);
    return made;
}

struct tn_elements tn_narrow_elements(struct tn_draft          *draft,
                                      const struct tn_narrow   *how,
                                      struct tn_bytes           name,
                                      const struct tn_elements *from,
                                      struct tn_error          *error)
{
    struct narrowing n = { .draft = draft, .how = how, .error = error };

    return narrow(&n, name, from);
}

/* ---- weights ------------------------------------------------------------- */

/* Initializers that only narrow users have become narrow; others get a second
 * one. */
static enum tn_status narrow_weights(struct narrowing *n)
{
    const struct tn_net *net = &n->known.net;

    for (uint32_t i = 0; i < net->values.count && !tn_failed(n->error); i++) {
        const struct tn_net_value v = tn_net_value(net, i);
        if (!is_float(n, i) || !v.constant || !v.origin ||
            v.origin->node != TN_NONE || v.origin->model != n->model ||
            !(n->users[i] & 1u << NARROW))
            continue;
        uint64_t row =
            (uint64_t)(v.origin -
                       (const struct tn_tensor *)n->model->tensors.items);
        struct tn_draft_tensor *tensor =
            tn_list_at(&n->draft->tensors, struct tn_draft_tensor, row);
        struct tn_elements made = narrow(n, tensor->name, v.constant);
        if (tn_failed(n->error))
            break;
        if (!(n->users[i] & 1u << WIDE)) {
            TN_TRY(tn_draft_touch_graph(n->draft, tensor->row.graph, n->error));
            tensor->row.elements    = made;
            tensor->row.wire        = (struct tn_span){ NULL, 0, 0 };
            tensor->row.is_external = false;
            n->width[i]             = NARROW;
            continue;
        }
        const char *name =
            tn_fresh_name(&n->fresh, tensor->name, "_narrow", n->error);
        TN_TRY(tn_draft_add_tensor(n->draft, tensor->row.graph, name, &made,
                                   n->error));
        n->own[i] = name; /* for narrow users; see version_for() */
    }
    return n->error->status;
}

/* ---- ops ----------------------------------------------------------------- */

static enum tn_status add_cast(struct narrowing *n, uint32_t graph,
                               uint32_t before, const char *from,
                               const char *to, bool is_narrow)
{
    int64_t dtype =
        (int64_t)tn_onnx_type_number(is_narrow ? n->how->dtype : TN_FLOAT32);
    const char *name = tn_fresh_name(&n->fresh, tn_text(to), "_cast", n->error);
    uint32_t    op;

    TN_TRY(tn_draft_add_op(n->draft, graph, before,
                           &(struct tn_op_spec){ .name         = name,
                                                 .type         = "Cast",
                                                 .inputs       = &from,
                                                 .input_count  = 1,
                                                 .outputs      = &to,
                                                 .output_count = 1 },
                           &op, n->error));
    return tn_draft_set_attr(n->draft, op, "to",
                             &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                                      .count   = 1,
                                                      .of.ints = &dtype },
                             n->error);
}

/* The name under which an op finds a value in the width that it wants; NULL:
 * as it is. */
static const char *version_for(struct narrowing *n, uint32_t op, uint32_t value,
                               struct tn_bytes seen, enum width want)
{
    uint32_t graph       = tn_model_op_at(n->model, op)->graph;
    bool     is_constant = tn_net_value(&n->known.net, value).constant != NULL;

    if (want == NO_FLOAT || n->width[value] == want)
        return is_constant ? NULL : n->own[value];
    if (is_constant && n->own[value])
        return n->own[value];
    if (n->other_name[value])
        return n->other_name[value];
    uint32_t key   = value * 2 + (want == NARROW);
    uint32_t known = tn_pairs_find(&n->made, key, graph);
    if (known != UINT32_MAX)
        return *tn_list_at(&n->names, const char *, known);
    struct tn_bytes from = tn_bytes_dup(&n->arena, seen, n->error);
    const char     *source =
        n->own[value] && !is_constant ? n->own[value] : (const char *)from.data;
    const char **slot = tn_list_push(&n->names, const char *, n->error);
    if (!slot || !source)
        return NULL;
    *slot = tn_fresh_name(&n->fresh, seen, want == NARROW ? "_narrow" : "_wide",
                          n->error);
    const char *name = *slot;
    tn_pairs_add(&n->made, key, graph, (uint32_t)n->names.count - 1, n->error);
    add_cast(n, graph, op, source, name, want == NARROW);
    return name;
}

static enum tn_status rewire(struct narrowing *n, uint32_t op, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(&n->known.net, id);

    for (uint32_t i = 0; i < node.input_count && !tn_failed(n->error); i++) {
        if (!is_float(n, node.inputs[i]))
            continue;
        struct tn_bytes seen =
            tn_model_value_name(n->model, tn_op_input(n->model, op, i));
        const char *name =
            version_for(n, op, node.inputs[i], seen, wanted_by(n, id, i));
        if (name)
            TN_TRY(tn_draft_set_input(n->draft, op, i, name, n->error));
    }
    return n->error->status;
}

/* Changes the attributes that name the type of a result. */
static enum tn_status change_attrs(struct narrowing *n, uint32_t op,
                                   uint32_t id)
{
    const struct tn_net_node node = tn_net_node(&n->known.net, id);
    int64_t dtype                 = (int64_t)tn_onnx_type_number(n->how->dtype);

    if (tn_bytes_is(node.op->type, "Cast"))
        return tn_draft_set_attr(n->draft, op, "to",
                                 &(struct tn_attr_value){ .kind  = TN_ATTR_INT,
                                                          .count = 1,
                                                          .of.ints = &dtype },
                                 n->error);
    if (!is_constant_op(&node))
        return TN_OK;
    const struct tn_attr_value *value  = tn_net_attr(&node, "value");
    struct tn_tensor            tensor = *value->of.tensors[0];
    tensor.elements                    = narrow(
                           n, node.name.size ? node.name : tn_text("Constant"), &tensor.elements);
    tensor.wire = (struct tn_span){ NULL, 0, 0 };
    if (tn_failed(n->error))
        return n->error->status;
    return tn_draft_set_attr(
        n->draft, op, "value",
        &(struct tn_attr_value){
            .kind       = TN_ATTR_TENSOR,
            .count      = 1,
            .of.tensors = (const struct tn_tensor *const[]){ &tensor } },
        n->error);
}

/* An output of a graph whose type is not that of the op: the op gives another
 * value, and a Cast makes the output of it. */
static enum tn_status cast_output(struct narrowing *n, uint32_t op,
                                  uint32_t output, uint32_t value)
{
    bool            is_narrow = n->width[value] == NARROW;
    struct tn_bytes name =
        tn_model_value_name(n->model, tn_op_output(n->model, op, output));
    struct tn_bytes kept = tn_bytes_dup(n->draft->arena, name, n->error);
    const char     *made = tn_fresh_name(&n->fresh, name,
                                     is_narrow ? "_narrow" : "_wide", n->error);
    struct tn_draft_change *change = tn_draft_touch_op(n->draft, op, n->error);

    if (!change || !kept.data || tn_failed(n->error))
        return n->error->status;
    change->outputs[output] = tn_text(made);
    n->own[value]           = made;
    n->other_name[value]    = (const char *)kept.data;
    return add_cast(n, tn_model_op_at(n->model, op)->graph,
                    tn_draft_op_at(n->draft, op)->next, made,
                    (const char *)kept.data, !is_narrow);
}

static enum tn_status give(struct narrowing *n, uint32_t op, uint32_t id,
                           const uint8_t *output_width)
{
    const struct tn_net_node node = tn_net_node(&n->known.net, id);
    bool                     any  = false;

    for (uint32_t i = 0; i < node.output_count && !tn_failed(n->error); i++) {
        uint32_t value = node.outputs[i];
        if (gives_narrow(n, id, i)) {
            any             = true;
            n->width[value] = NARROW;
        }
        if (is_float(n, value) && output_width[value] != NO_FLOAT &&
            output_width[value] != n->width[value])
            TN_TRY(cast_output(n, op, i, value));
    }
    return any ? change_attrs(n, op, id) : n->error->status;
}

/* By value: which width an output of a graph has, if it is one. */
static uint8_t *find_outputs(struct narrowing *n)
{
    const struct tn_net *net = &n->known.net;
    uint8_t *width = tn_new(&n->arena, uint8_t, net->values.count, n->error);

    for (uint32_t g = 0; width && g < net->graphs.count; g++) {
        const struct tn_list *outputs = &tn_net_graph(net, g)->outputs;
        for (uint64_t i = 0; i < outputs->count; i++)
            width[*tn_list_at(outputs, uint32_t, i)] =
                g == 0 && n->how->takes_io ? NARROW : WIDE;
    }
    return width;
}

/* The types of all results are decided before their users are changed, because
 * in files that are not in order an op may come after its users. */
static enum tn_status change_ops(struct narrowing *n)
{
    const uint8_t *output_width = find_outputs(n);

    if (!output_width)
        return n->error->status;
    for (uint32_t op = 0; op < n->model->ops.count && !tn_failed(n->error);
         op++)
        if (n->node_of[op] != TN_NONE)
            give(n, op, n->node_of[op], output_width);
    for (uint32_t op = 0; op < n->model->ops.count && !tn_failed(n->error);
         op++)
        if (n->node_of[op] != TN_NONE)
            rewire(n, op, n->node_of[op]);
    return n->error->status;
}

/* ---- what the file declares ---------------------------------------------- */

static struct tn_io_list retype(struct narrowing *n, struct tn_io_list was)
{
    struct tn_io *all = tn_new(&n->arena, struct tn_io, was.count, n->error);

    for (uint32_t i = 0; all && i < was.count; i++) {
        uint32_t value = tn_known_find(&n->known, was.items[i].name);
        all[i]         = was.items[i];
        bool is_narrow =
            value != TN_NONE &&
            n->width[value] == (n->other_name[value] ? WIDE : NARROW);
        if (is_narrow)
            all[i].dtype = n->how->dtype;
    }
    return (struct tn_io_list){ all ? was.count : 0, all };
}

static enum tn_status retype_values(struct narrowing *n)
{
    const struct tn_net *net = &n->known.net;
    struct tn_io        *all =
        tn_new(&n->arena, struct tn_io, net->values.count, n->error);
    uint32_t count = 0;

    for (uint32_t i = 0; all && i < net->values.count; i++) {
        const struct tn_net_value v = tn_net_value(net, i);
        if (v.graph != 0 || n->width[i] != NARROW || n->other_name[i])
            continue;
        all[count]       = tn_known_io_of(v.type, v.name, &n->arena, n->error);
        all[count].dtype = n->how->dtype;
        all[count++].is_guessed = true;
    }
    return all ? tn_draft_set_values(n->draft, 0,
                                     (struct tn_io_list){ count, all }, false,
                                     n->error)
               : n->error->status;
}

static enum tn_status retype_lists(struct narrowing *n)
{
    const struct tn_graph *main    = tn_model_graph_at(n->model, 0);
    struct tn_io_list      inputs  = retype(n, main->inputs);
    struct tn_io_list      outputs = retype(n, main->outputs);

    if (tn_failed(n->error))
        return n->error->status;
    TN_TRY(tn_draft_list_io(n->draft, 0, inputs, outputs, n->error));
    TN_TRY(retype_values(n));
    for (uint32_t i = 1; i < n->model->graphs.count; i++)
        if (tn_model_graph_at(n->model, i)->kind == TN_GRAPH_SUBGRAPH)
            TN_TRY(tn_draft_set_values(
                n->draft, i, (struct tn_io_list){ 0, NULL }, true, n->error));
    return TN_OK;
}

/* ---- the whole ----------------------------------------------------------- */

static void narrow_inputs(struct narrowing *n)
{
    const struct tn_list *inputs = &tn_net_graph(&n->known.net, 0)->inputs;

    for (uint64_t i = 0; n->how->takes_io && i < inputs->count; i++) {
        uint32_t value = *tn_list_at(inputs, uint32_t, i);
        if (is_float(n, value) && !tn_net_value(&n->known.net, value).constant)
            n->width[value] = NARROW;
    }
}

static enum tn_status run(struct narrowing *n)
{
    TN_TRY(tn_known_open(&n->known, n->draft->memory, n->model, n->error));
    TN_TRY(tn_known_infer(&n->known));
    TN_TRY(tn_vocab_open(&n->vocab, &n->arena, n->known.net.dialect, n->error));
    uint64_t values = n->known.net.values.count;
    n->node_of    = tn_new(&n->arena, uint32_t, n->model->ops.count, n->error);
    n->kind       = tn_new(&n->arena, const struct tn_vocab_op *,
                           n->known.net.nodes.count, n->error);
    n->width      = tn_new(&n->arena, uint8_t, values, n->error);
    n->users      = tn_new(&n->arena, uint8_t, values, n->error);
    n->own        = tn_new(&n->arena, const char *, values, n->error);
    n->other_name = tn_new(&n->arena, const char *, values, n->error);
    if (tn_failed(n->error))
        return n->error->status;
    memset(n->node_of, 0xff, (size_t)n->model->ops.count * sizeof *n->node_of);
    find_floats(n);
    TN_TRY(choose_ops(n));
    find_users(n);
    narrow_inputs(n);
    TN_TRY(narrow_weights(n));
    TN_TRY(change_ops(n));
    return retype_lists(n);
}

/* A set of tensors, such as a checkpoint: all that are float32. */
static enum tn_status narrow_bare(struct narrowing *n)
{
    for (uint64_t i = 0; i < n->draft->tensors.count; i++) {
        struct tn_draft_tensor *tensor =
            tn_list_at(&n->draft->tensors, struct tn_draft_tensor, i);
        if (tensor->is_removed ||
            tensor->row.elements.shape.dtype != TN_FLOAT32 ||
            is_listed(n->how->kept, n->how->kept_count, tensor->name))
            continue;
        struct tn_elements made =
            narrow(n, tensor->name, &tensor->row.elements);
        if (tn_failed(n->error))
            return n->error->status;
        tensor->row.elements    = made;
        tensor->row.wire        = (struct tn_span){ NULL, 0, 0 };
        tensor->row.is_external = false;
    }
    return TN_OK;
}

enum tn_status tn_draft_narrow(struct tn_draft        *draft,
                               const struct tn_narrow *how,
                               struct tn_error        *error)
{
    struct narrowing n = {
        .draft = draft, .model = draft->base, .how = how, .error = error
    };
    const struct tn_dialect_facts *facts =
        tn_dialect_facts(draft->dialect ? draft->dialect->name : "");

    if (facts->has_constant_ops)
        return tn_draft_narrow_typed(draft, how, error);
    if (draft->dialect && !facts->lists_io)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "this works on ONNX and TensorFlow models only, "
                            "not on %s: convert the model first, by 'tenon "
                            "convert'",
                            facts->title);
    tn_arena_init(&n.arena, draft->memory);
    tn_pairs_init(&n.made, draft->memory);
    tn_list_init(&n.names, draft->memory, sizeof(const char *));
    tn_fresh_init(&n.fresh, draft->base, draft->arena);
    if (draft->dialect)
        run(&n);
    else
        narrow_bare(&n);
    tn_known_close(&n.known);
    tn_fresh_done(&n.fresh);
    tn_list_done(&n.names);
    tn_pairs_done(&n.made);
    tn_arena_done(&n.arena);
    return error->status;
}
