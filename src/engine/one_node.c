/*
 * one_node.c - a model that has nothing but one node
 *
 *   GraphDef    1 node* { 1 name  2 op  3 input*  5 attr* { 1 key  2 value } }
 *               4 versions { 1 producer }
 *   ModelProto  1 ir_version  7 graph  8 opset_import* { 1 domain  2 version }
 *   GraphProto  1 node*  2 name  5 initializer*  11 input*  12 output*
 *
 * Programs of Paddle are in one_program.c.
 */
#include "engine/one_node.h"

#include <stdio.h>

#include "base/bisect.h"
#include "base/byte_view.h"
#include "base/sort.h"
#include "engine/assume.h"
#include "format/onnx/onnx.h"
#include "format/tensorflow/tf_dtype.h"
#include "wire/pb/pb_wire.h"
#include "wire/pb/pb_write.h"

enum { ONNX_IR_VERSION = 10, ONNX_OPSET_MIN = 7, TF_PRODUCER = 1882 };

struct writing {
    struct tn_one_node         *one;
    const struct tn_map_node   *node;
    const struct tn_node_input *inputs;
    struct tn_arena            *arena;
    struct tn_error            *error;
};

/* A message in a field of another one, which goes when it is put. */
static struct tn_rope begin(const struct writing *w)
{
    struct tn_rope rope;

    tn_rope_init(&rope, w->arena, w->error);
    return rope;
}

/* ---- inputs by name ----------------------------------------------------- */

/* A node may have as many inputs as a file has room for: each is found among
 * sorted ones. */
static bool is_before(const void *a, const void *b)
{
    const struct tn_bytes *x = a, *y = b;
    int                    order = tn_bytes_compare(*x, *y);

    return order < 0 || (order == 0 && x < y);
}

static const struct tn_bytes **sort_names(const struct writing  *w,
                                          const struct tn_bytes *names)
{
    uint32_t                count = w->node->input_count;
    const struct tn_bytes **to =
        tn_new(w->arena, const struct tn_bytes *, count, w->error);

    for (uint32_t i = 0; to && i < count; i++)
        to[i] = &names[i];
    if (to)
        tn_sort((const void **)to, count, is_before);
    return to;
}

/* The first of that name; NULL if there is none. */
static const struct tn_bytes *find_name(const struct tn_one_node     *one,
                                        const struct tn_bytes *const *sorted,
                                        struct tn_bytes               name)
{
    const uint32_t count = one->known.node->input_count;
    uint64_t       at;

    TN_BISECT(at, 0, count, tn_bytes_compare(*sorted[at], name) < 0);
    return at < count && tn_bytes_equal(*sorted[at], name) ? sorted[at] : NULL;
}

bool tn_one_node_is_first(const struct tn_one_node *one, uint32_t input)
{
    const struct tn_bytes *name = &one->known.node->inputs[input];

    return name->size > 0 && find_name(one, one->sorted, *name) == name;
}

bool tn_one_node_has_input(const struct tn_one_node *one, struct tn_bytes name)
{
    return find_name(one, one->sorted, name) != NULL;
}

/* ---- TensorFlow --------------------------------------------------------- */

static void put_tf_attr(const struct writing *w, struct tn_rope *node,
                        struct tn_bytes key, struct tn_rope *value)
{
    struct tn_rope attr = begin(w);

    tn_pb_put_bytes(&attr, 1, key);
    tn_pb_put_message(&attr, 2, value);
    tn_pb_put_message(node, 5, &attr);
}

static void put_tf_type(const struct writing *w, struct tn_rope *node,
                        struct tn_bytes key, enum tn_dtype dtype)
{
    struct tn_rope value = begin(w);

    tn_pb_put_varint(&value, 6, tn_tf_dtype_number(dtype));
    put_tf_attr(w, node, key, &value);
}

static void put_tf_int(const struct writing *w, struct tn_rope *node,
                       struct tn_bytes key, uint64_t number)
{
    struct tn_rope value = begin(w);

    tn_pb_put_varint(&value, 3, number);
    put_tf_attr(w, node, key, &value);
}

static void put_tf_shape(const struct writing *w, struct tn_rope *node,
                         struct tn_bytes key, const struct tn_native_type *type)
{
    struct tn_rope value = begin(w), shape = begin(w);

    for (uint32_t i = 0; type->has_rank && i < type->rank; i++) {
        struct tn_rope dim = begin(w);
        tn_pb_put_varint(&dim, 1, (uint64_t)type->dims[i]);
        tn_pb_put_message(&shape, 2, &dim);
    }
    if (!type->has_rank)
        tn_pb_put_varint(&shape, 3, 1);
    tn_pb_put_message(&value, 7, &shape);
    put_tf_attr(w, node, key, &value);
}

static void put_tf_tensor(const struct writing *w, struct tn_rope *node,
                          struct tn_bytes tensor)
{
    struct tn_rope value = begin(w);

    tn_pb_put_bytes(&value, 8, tensor);
    put_tf_attr(w, node, tn_text("value"), &value);
}

static void put_tf_input(const struct writing *w, struct tn_rope *graph,
                         uint32_t input)
{
    struct tn_rope node     = begin(w);
    bool           is_known = w->inputs[input].tensor.data != NULL;

    tn_pb_put_bytes(&node, 1, w->one->names[input]);
    tn_pb_put_text(&node, 2, is_known ? "Const" : "Placeholder");
    if (w->inputs[input].type.dtype != TN_UNDEFINED)
        put_tf_type(w, &node, tn_text("dtype"), w->inputs[input].type.dtype);
    if (is_known)
        put_tf_tensor(w, &node, w->inputs[input].tensor);
    else
        put_tf_shape(w, &node, tn_text("shape"), &w->inputs[input].type);
    tn_pb_put_message(graph, 1, &node);
}

/* A name that is not valid for a node, such as "x:1", is replaced by an unused
 * one. */
static void name_tf_inputs(struct writing *w)
{
    const struct tn_map_node *node = w->node;

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct tn_bytes *name  = &node->inputs[i];
        const struct tn_bytes *first = find_name(w->one, w->one->sorted, *name);
        const char            *made;
        w->one->names[i] = w->one->names[first - node->inputs];
        if (!name->size || !tn_bytes_find(*name, ':') || first != name)
            continue;
        made = tn_text_format(w->arena, w->error, "%.*s/of_node/%u/%u",
                              TN_FMT(node->name), (unsigned)i,
                              (unsigned)node->input_count);
        if (made)
            w->one->names[i] = tn_text(made);
    }
    w->one->sorted_names = sort_names(w, w->one->names);
}

/* Whether the input is the first one whose type an attribute names, and the
 * node lacks that attribute. */
static bool tells_type(const struct writing *w, uint32_t input)
{
    const struct tn_vocab_arg *arg = w->inputs[input].arg;

    if (!arg || !arg->variable.size || arg->arity == TN_VOCAB_BY_TYPES ||
        w->inputs[input].type.dtype == TN_UNDEFINED)
        return false;
    for (uint32_t i = 0; i < input; i++)
        if (w->inputs[i].arg &&
            tn_bytes_equal(w->inputs[i].arg->variable, arg->variable))
            return false;
    return !tn_map_node_attr(w->node, arg->variable);
}

static void put_tf_types(const struct writing *w, struct tn_rope *node,
                         struct tn_bytes key)
{
    struct tn_rope value = begin(w), list = begin(w);

    for (uint32_t i = 0; i < w->node->input_count; i++)
        if (w->inputs[i].arg && tn_bytes_equal(w->inputs[i].arg->list, key))
            tn_pb_put_varint(&list, 6,
                             tn_tf_dtype_number(w->inputs[i].type.dtype));
    tn_pb_put_message(&value, 1, &list);
    put_tf_attr(w, node, key, &value);
}

static bool is_by_types(const struct tn_vocab_op *op, struct tn_bytes attr)
{
    for (uint32_t i = 0; i < op->input_count; i++)
        if (op->inputs[i].arity == TN_VOCAB_BY_TYPES &&
            tn_bytes_equal(op->inputs[i].list, attr))
            return true;
    return false;
}

/* Adds an attribute to the text of assumptions. */
static void tell_assumed(const struct writing *w, struct tn_bytes attr,
                         const char *value)
{
    struct tn_bytes before = w->one->assumed;
    const char     *text =
        tn_text_format(w->arena, w->error, "%.*s%s%.*s=%s", TN_FMT(before),
                       before.size ? " " : "", TN_FMT(attr), value);

    if (text)
        w->one->assumed = tn_text(text);
}

/* Unknown types of outputs are float32 where that is allowed, unknown shapes
 * have unknown rank. */
static void assume_tf_attr(const struct writing *w, struct tn_rope *node,
                           const struct tn_vocab_attr *attr)
{
    static const struct tn_native_type unknown = { .dtype = TN_UNDEFINED };

    if (tn_bytes_is(attr->type, "shape")) {
        put_tf_shape(w, node, attr->name, &unknown);
        tell_assumed(w, attr->name, "?");
    } else if (tn_bytes_is(attr->type, "type")) {
        enum tn_dtype dtype = tn_assumed_type(attr->types, w->node->framework);
        put_tf_type(w, node, attr->name, dtype);
        tell_assumed(w, attr->name, tn_dtype_name(dtype));
    }
}

static bool is_of_input(const struct writing *w, struct tn_bytes attr)
{
    for (uint32_t i = 0; i < w->node->input_count; i++)
        if (w->inputs[i].arg &&
            tn_bytes_equal(w->inputs[i].arg->variable, attr))
            return true;
    return false;
}

/* Adds required attributes that the node lacks: the numbers and types of its
 * inputs, and attributes that are assumed. */
static void put_tf_missing(const struct writing *w, struct tn_rope *node)
{
    const struct tn_vocab_op *op = w->one->known.definition;

    for (uint32_t i = 0; i < w->node->input_count; i++)
        if (tells_type(w, i))
            put_tf_type(w, node, w->inputs[i].arg->variable,
                        w->inputs[i].type.dtype);
    for (uint32_t i = 0; op && i < op->attr_count; i++) {
        const struct tn_vocab_attr *attr = &op->attrs[i];
        uint32_t                    count;
        if (!attr->is_required || tn_map_node_attr(w->node, attr->name) ||
            is_of_input(w, attr->name))
            continue;
        if (is_by_types(op, attr->name))
            put_tf_types(w, node, attr->name);
        else if (tn_node_count(&w->one->known, attr->name, &count))
            put_tf_int(w, node, attr->name, count);
        else if (w->one->may_assume)
            assume_tf_attr(w, node, attr);
    }
}

/* The node as it was, but for its inputs; with a name. */
static void put_tf_node(const struct writing *w, struct tn_rope *graph)
{
    const struct tn_map_node *node = w->node;
    struct tn_cursor          c  = tn_cursor_bytes(w->one->bytes, 0, w->error);
    struct tn_rope            to = begin(w);
    struct tn_pb_field        f;

    tn_pb_put_bytes(&to, 1, node->name);
    for (uint32_t i = 0; i < node->input_count; i++)
        tn_pb_put_bytes(&to, 3, w->one->names[i]);
    while (tn_pb_next(&c, &f))
        if (f.type == TN_WIRE_LEN && (f.number == 2 || f.number == 5))
            tn_pb_put_bytes(&to, f.number, tn_pb_text(&f));
    put_tf_missing(w, &to);
    tn_pb_put_message(graph, 1, &to);
}

static void put_graph_def(struct writing *w, struct tn_rope *to)
{
    struct tn_rope versions = begin(w);

    name_tf_inputs(w);
    for (uint32_t i = 0; i < w->node->input_count; i++)
        if (tn_one_node_is_first(w->one, i))
            put_tf_input(w, to, i);
    put_tf_node(w, to);
    tn_pb_put_varint(&versions, 1, TF_PRODUCER);
    tn_pb_put_message(to, 4, &versions);
}

/* ---- ONNX --------------------------------------------------------------- */

/* Deeplearning4j keeps definitions of ops as nodes: attributes called X-types
 * tell the types of X, and a list whose value is a text only tells that there
 * is such a list.  Neither says anything of this node. */
static bool is_declaration(struct tn_cursor attribute)
{
    struct tn_pb_field f;
    bool               has_text = false, has_items = false, is_list = false;
    bool               tells_types = false;

    while (tn_pb_next(&attribute, &f)) {
        if (f.number == 1 && f.type == TN_WIRE_LEN)
            tells_types = tn_bytes_ends_with(tn_pb_text(&f), "-types");
        has_text |= f.number == 4;
        has_items |= f.number >= 7 && f.number <= 11;
        is_list |= f.number == 20 && f.value >= 6 && f.value <= 10;
    }
    return tells_types || (is_list && has_text && !has_items);
}

static void put_onnx_node(const struct writing *w, struct tn_rope *graph)
{
    const struct tn_map_node *node = w->node;
    struct tn_cursor          c  = tn_cursor_bytes(w->one->bytes, 0, w->error);
    struct tn_rope            to = begin(w);
    struct tn_pb_field        f;

    while (tn_pb_next(&c, &f)) {
        bool is_kept = f.type == TN_WIRE_LEN && f.number != 2 && f.number != 3;
        if (is_kept && (f.number != 5 || !is_declaration(f.body)))
            tn_pb_put_bytes(&to, f.number, tn_pb_text(&f));
    }
    tn_pb_put_bytes(&to, 3, node->name);
    for (uint32_t i = 0; i < node->output_count; i++)
        tn_pb_put_bytes(&to, 2, node->outputs[i]);
    tn_pb_put_message(graph, 1, &to);
}

static void put_onnx_shape(const struct writing *w, struct tn_rope *tensor,
                           const struct tn_native_type *type)
{
    struct tn_rope shape = begin(w);

    for (uint32_t i = 0; i < type->rank; i++) {
        struct tn_rope dim = begin(w);
        if (type->dims[i] >= 0)
            tn_pb_put_varint(&dim, 1, (uint64_t)type->dims[i]);
        tn_pb_put_message(&shape, 1, &dim);
    }
    tn_pb_put_message(tensor, 2, &shape);
}

/* The number of the field that wraps a sequence or an optional value. */
static uint32_t wrapped_in(const struct tn_vocab_op  *op,
                           const struct tn_vocab_arg *arg)
{
    const struct tn_vocab_types *types = &arg->types;

    for (uint32_t i = 0; arg->variable.size && i < op->variable_count; i++)
        if (tn_bytes_equal(op->variables[i].name, arg->variable))
            types = &op->variables[i].types;
    if (types->tensors || !(types->sequences | types->optionals))
        return 0;
    return types->sequences ? 4 : 9;
}

static void put_onnx_input(const struct writing *w, struct tn_rope *graph,
                           uint32_t input)
{
    const struct tn_native_type *known = &w->inputs[input].type;
    const struct tn_vocab_arg   *arg   = w->inputs[input].arg;
    struct tn_rope info = begin(w), type = begin(w), tensor = begin(w);

    tn_pb_put_bytes(&info, 1, w->node->inputs[input]);
    if (known->dtype != TN_UNDEFINED)
        tn_pb_put_varint(&tensor, 1, tn_onnx_type_number(known->dtype));
    if (known->has_rank)
        put_onnx_shape(w, &tensor, known);
    tn_pb_put_message(&type, 1, &tensor);
    uint32_t wrap = arg ? wrapped_in(w->one->known.definition, arg) : 0;
    if (wrap) {
        struct tn_rope elements = begin(w), outer = begin(w);
        tn_pb_put_message(&elements, 1, &type);
        tn_pb_put_message(&outer, wrap, &elements);
        type = outer;
    }
    tn_pb_put_message(&info, 2, &type);
    tn_pb_put_message(graph, 11, &info);
}

/* If a name occurs twice, the last one counts. */
static void put_onnx_constant(const struct writing *w, struct tn_rope *graph,
                              uint32_t input)
{
    struct tn_rope name = begin(w);

    tn_pb_put_bytes(&name, 8, w->node->inputs[input]);
    tn_pb_put_len(graph, 5, w->inputs[input].tensor.size + name.length);
    tn_rope_bytes(graph, w->inputs[input].tensor);
    tn_rope_append(graph, &name);
    tn_rope_done(&name);
}

static void put_opset(const struct writing *w, struct tn_rope *model,
                      struct tn_bytes domain, int64_t version)
{
    struct tn_rope opset = begin(w);

    if (domain.size)
        tn_pb_put_bytes(&opset, 1, domain);
    tn_pb_put_varint(&opset, 2, (uint64_t)version);
    tn_pb_put_message(model, 8, &opset);
}

/* The caller's opset; else the one that has the newest form of the op. */
static void put_opsets(const struct writing *w, struct tn_rope *model)
{
    const struct tn_interpret_context *context = w->one->known.context;
    struct tn_bytes                    domain  = w->node->domain;
    bool    is_own = domain.size == 0 || tn_bytes_is(domain, "ai.onnx");
    int64_t since =
        w->one->known.definition ? w->one->known.definition->since : 1;
    int64_t opset = context && context->opset > 0 ? context->opset
                    : is_own                      ? since
                                                  : ONNX_OPSET_MIN;

    put_opset(w, model, tn_bytes(NULL, 0),
              opset < ONNX_OPSET_MIN && !(context && context->opset > 0)
                  ? ONNX_OPSET_MIN
                  : opset);
    if (!is_own)
        put_opset(w, model, domain, since);
}

static void put_model_proto(struct writing *w, struct tn_rope *to)
{
    const struct tn_map_node *node  = w->node;
    struct tn_rope            graph = begin(w);

    tn_pb_put_varint(to, 1, ONNX_IR_VERSION);
    put_onnx_node(w, &graph);
    tn_pb_put_text(&graph, 2, "node");
    for (uint32_t i = 0; i < node->input_count; i++)
        if (tn_one_node_is_first(w->one, i) && w->inputs[i].tensor.data)
            put_onnx_constant(w, &graph, i);
    for (uint32_t i = 0; i < node->input_count; i++)
        if (tn_one_node_is_first(w->one, i) && !w->inputs[i].tensor.data)
            put_onnx_input(w, &graph, i);
    for (uint32_t i = 0; i < node->output_count; i++) {
        struct tn_rope info = begin(w);
        tn_pb_put_bytes(&info, 1, node->outputs[i]);
        if (node->outputs[i].size &&
            !tn_one_node_has_input(w->one, node->outputs[i]))
            tn_pb_put_message(&graph, 12, &info);
        tn_rope_done(&info);
    }
    tn_pb_put_message(to, 7, &graph);
    put_opsets(w, to);
}

/* ---- all ---------------------------------------------------------------- */

enum tn_status tn_one_node_write(struct tn_one_node *one,
                                 struct tn_arena *arena, struct tn_buffer *to,
                                 struct tn_error *error)
{
    struct writing w = { one, one->known.node, one->inputs, arena, error };
    struct tn_rope model;

    one->assumed = tn_bytes(NULL, 0);
    one->names   = tn_new(arena, struct tn_bytes, w.node->input_count, error);
    one->sorted_names = NULL;
    one->sorted       = sort_names(&w, w.node->inputs);
    if (!one->names || !one->sorted)
        return error->status;
    for (uint32_t i = 0; i < w.node->input_count; i++)
        one->names[i] = w.node->inputs[i];
    tn_rope_init(&model, arena, error);
    if (w.node->framework == TN_FRAMEWORK_ONNX)
        put_model_proto(&w, &model);
    else if (w.node->framework == TN_FRAMEWORK_PADDLE)
        tn_one_program(one, arena, &model, error);
    else
        put_graph_def(&w, &model);
    if (!tn_failed(error))
        tn_rope_write(&model, &to->sink, error);
    tn_rope_done(&model);
    return error->status;
}

struct tn_bytes tn_one_node_name(const struct tn_one_node *one,
                                 struct tn_bytes           name)
{
    const struct tn_bytes *found =
        one->sorted_names ? find_name(one, one->sorted_names, name) : NULL;

    return found ? one->known.node->inputs[found - one->names] : name;
}
