/*
 * one_node.c - a model that has nothing but one node
 *
 *   GraphDef    1 node* { 1 name  2 op  3 input*  5 attr* { 1 key  2 value } }
 *               4 versions { 1 producer }
 *   ModelProto  1 ir_version  7 graph  8 opset_import* { 1 domain  2 version }
 *   GraphProto  1 node*  2 name  5 initializer*  11 input*  12 output*
 */
#include "engine/one_node.h"

#include <stdio.h>

#include "base/byte_find.h"
#include "format/onnx/onnx.h"
#include "format/tensorflow/tf_dtype.h"
#include "wire/pb/pb_wire.h"
#include "wire/pb/pb_write.h"

enum { ONNX_IR_VERSION = 10, ONNX_OPSET_MIN = 7, TF_PRODUCER = 1882 };

struct writing {
    struct tn_one_node         *one;
    struct tn_arena            *arena;
    struct tn_error            *error;
    const struct tn_vocab_arg **args; /* by input: how it is declared; NULL:
                                         nobody says                          */
    struct tn_native_type *types; /* by input                                 */
    struct tn_bytes       *tensors; /* by input: its value; empty: not known  */
};

/* A message in a field of another one, which goes when it is put. */
static struct tn_rope begin(const struct writing *w)
{
    struct tn_rope rope;

    tn_rope_init(&rope, w->arena, w->error);
    return rope;
}

static void end(struct tn_rope *to, uint32_t number, struct tn_rope *message)
{
    tn_pb_put_message(to, number, message);
    tn_rope_done(message);
}

/* ---- which argument an input is ----------------------------------------- */

static const struct tn_attr_value *value_of(const struct writing *w,
                                            struct tn_bytes       name)
{
    const struct tn_map_attr *given = tn_map_node_attr(w->one->node, name);

    if (given)
        return &given->value;
    const struct tn_vocab_attr *attr =
        tn_vocab_find_attr(w->one->definition, name);
    return attr && attr->has_default ? &attr->value : NULL;
}

/* How many inputs an argument takes when `left` are left. */
static uint32_t count_inputs(const struct writing      *w,
                             const struct tn_vocab_arg *arg, uint32_t left)
{
    const struct tn_attr_value *list;

    switch (arg->arity) {
    case TN_VOCAB_MANY:
    case TN_VOCAB_SOME: return left;
    case TN_VOCAB_COUNTED:
        list = value_of(w, arg->list);
        if (!list || list->kind != TN_ATTR_INT || list->count != 1)
            return left;
        return list->of.ints[0] >= 0 && list->of.ints[0] < left
                   ? (uint32_t)list->of.ints[0]
                   : left;
    case TN_VOCAB_BY_TYPES:
        list = value_of(w, arg->list);
        return list && list->count < left ? list->count : left;
    default: return left ? 1 : 0;
    }
}

/* The type that an attribute of TensorFlow says of the `index`-th input of an
 * argument. */
static enum tn_dtype told_type(const struct writing      *w,
                               const struct tn_vocab_arg *arg, uint32_t index)
{
    bool                        is_list = arg->arity == TN_VOCAB_BY_TYPES;
    const struct tn_attr_value *told =
        value_of(w, is_list ? arg->list : arg->variable);

    if (!told || told->kind != TN_ATTR_DTYPE)
        return TN_UNDEFINED;
    if (is_list)
        return index < told->count ? (enum tn_dtype)told->of.ints[index]
                                   : TN_UNDEFINED;
    return told->count ? (enum tn_dtype)told->of.ints[0] : TN_UNDEFINED;
}

static uint64_t allowed_types(const struct writing      *w,
                              const struct tn_vocab_arg *arg)
{
    const struct tn_vocab_op *op = w->one->definition;

    for (uint32_t i = 0; arg->variable.size && i < op->variable_count; i++)
        if (tn_bytes_equal(op->variables[i].name, arg->variable)) {
            const struct tn_vocab_types *types = &op->variables[i].types;
            return types->tensors     ? types->tensors
                   : types->sequences ? types->sequences
                                      : types->optionals;
        }
    return arg->types.tensors     ? arg->types.tensors
           : arg->types.sequences ? arg->types.sequences
                                  : arg->types.optionals;
}

/* The only type of a set; TN_UNDEFINED: there are several. */
static enum tn_dtype only_type(uint64_t types)
{
    if (!types || (types & (types - 1)))
        return TN_UNDEFINED;
    enum tn_dtype dtype = TN_UNDEFINED;
    while (types >>= 1)
        dtype = (enum tn_dtype)(dtype + 1);
    return dtype;
}

static void declare_inputs(struct writing *w)
{
    const struct tn_vocab_op *op    = w->one->definition;
    uint32_t                  count = w->one->node->input_count, at = 0;

    for (uint32_t i = 0; op && i < op->input_count; i++) {
        uint32_t here = count_inputs(w, &op->inputs[i], count - at);
        for (uint32_t k = 0; k < here; k++, at++) {
            w->args[at] = &op->inputs[i];
            if (w->types[at].dtype == TN_UNDEFINED)
                w->types[at].dtype = told_type(w, &op->inputs[i], k);
            if (w->types[at].dtype == TN_UNDEFINED)
                w->types[at].dtype =
                    only_type(allowed_types(w, &op->inputs[i]));
        }
    }
}

/* ---- what is known of inputs -------------------------------------------- */

static enum tn_dtype tensor_type(const struct writing *w,
                                 struct tn_bytes       tensor)
{
    bool               is_onnx = w->one->node->framework == TN_FRAMEWORK_ONNX;
    struct tn_cursor   c       = tn_cursor_bytes(tensor, 0, w->error);
    struct tn_pb_field f;
    uint64_t           number = 0;

    while (tn_pb_next(&c, &f))
        if (f.number == (is_onnx ? 2u : 1u) && f.type == TN_WIRE_VARINT)
            number = f.value;
    if (!is_onnx)
        return tn_tf_dtype(number);
    const struct tn_onnx_type *type = tn_onnx_type(number);
    return type ? type->dtype : TN_UNDEFINED;
}

static void ask(struct writing *w)
{
    const struct tn_interpret_context *context = w->one->context;
    const struct tn_map_node          *node    = w->one->node;

    for (uint32_t i = 0; context && i < node->input_count; i++) {
        struct tn_bytes name = node->inputs[i];
        if (context->type &&
            !context->type(context->context, name, &w->types[i]))
            w->types[i] = (struct tn_native_type){ .dtype = TN_UNDEFINED };
        if (context->constant && name.size > 0 &&
            context->constant(context->context, name, &w->tensors[i]))
            w->types[i].dtype = tensor_type(w, w->tensors[i]);
    }
}

/* Arguments of one variable are of one type. */
static void share_types(struct writing *w)
{
    uint32_t count = w->one->node->input_count;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (w->types[i].dtype == TN_UNDEFINED && w->args[i] && w->args[k] &&
                w->types[k].dtype != TN_UNDEFINED && !w->args[i]->is_mixed &&
                w->args[i]->variable.size > 0 &&
                tn_bytes_equal(w->args[i]->variable, w->args[k]->variable))
                w->types[i].dtype = w->types[k].dtype;
}

static enum tn_dtype assumed_type(const struct writing *w, uint32_t input)
{
    uint64_t types = w->args[input] ? allowed_types(w, w->args[input]) : 0;

    if (!types || (types & TN_VOCAB_TYPE(TN_FLOAT32)))
        return TN_FLOAT32;
    if (types & TN_VOCAB_TYPE(TN_INT64))
        return TN_INT64;
    for (unsigned i = 1; i < TN_DTYPE_COUNT; i++)
        if (types & TN_VOCAB_TYPE(i))
            return (enum tn_dtype)i;
    return TN_FLOAT32;
}

static void assume_types(struct writing *w)
{
    for (uint32_t i = 0; i < w->one->node->input_count; i++) {
        if (w->types[i].dtype != TN_UNDEFINED || !w->one->node->inputs[i].size)
            continue;
        w->one->lacks_types = true;
        if (w->one->assumes_types) {
            w->types[i].dtype = assumed_type(w, i);
            share_types(w);
        }
    }
}

static bool prepare(struct writing *w)
{
    uint32_t count = w->one->node->input_count;

    w->types   = tn_new(w->arena, struct tn_native_type, count, w->error);
    w->tensors = tn_new(w->arena, struct tn_bytes, count, w->error);
    w->args    = tn_new(w->arena, const struct tn_vocab_arg *, count, w->error);
    w->one->names = tn_new(w->arena, struct tn_bytes, count, w->error);
    if (tn_failed(w->error))
        return false;
    ask(w);
    if (w->one->definition) {
        declare_inputs(w);
        share_types(w);
    }
    assume_types(w);
    return !tn_failed(w->error);
}

/* The first input of that name: the others are the same value. */
static bool is_first(const struct writing *w, uint32_t input)
{
    const struct tn_bytes *inputs = w->one->node->inputs;

    for (uint32_t i = 0; i < input; i++)
        if (tn_bytes_equal(inputs[i], inputs[input]))
            return false;
    return inputs[input].size > 0;
}

/* ---- TensorFlow --------------------------------------------------------- */

static void put_tf_attr(const struct writing *w, struct tn_rope *node,
                        struct tn_bytes key, struct tn_rope *value)
{
    struct tn_rope attr = begin(w);

    tn_pb_put_bytes(&attr, 1, key);
    end(&attr, 2, value);
    end(node, 5, &attr);
}

static void put_tf_type(const struct writing *w, struct tn_rope *node,
                        struct tn_bytes key, enum tn_dtype dtype)
{
    struct tn_rope value = begin(w);

    tn_pb_put_varint(&value, 6, tn_tf_dtype_number(dtype));
    put_tf_attr(w, node, key, &value);
}

static void put_tf_shape(const struct writing *w, struct tn_rope *node,
                         const struct tn_native_type *type)
{
    struct tn_rope value = begin(w), shape = begin(w);

    for (uint32_t i = 0; type->has_rank && i < type->rank; i++) {
        struct tn_rope dim = begin(w);
        tn_pb_put_varint(&dim, 1, (uint64_t)type->dims[i]);
        end(&shape, 2, &dim);
    }
    if (!type->has_rank)
        tn_pb_put_varint(&shape, 3, 1);
    end(&value, 7, &shape);
    put_tf_attr(w, node, tn_text("shape"), &value);
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
    bool           is_known = w->tensors[input].data != NULL;

    tn_pb_put_bytes(&node, 1, w->one->names[input]);
    tn_pb_put_text(&node, 2, is_known ? "Const" : "Placeholder");
    if (w->types[input].dtype != TN_UNDEFINED)
        put_tf_type(w, &node, tn_text("dtype"), w->types[input].dtype);
    if (is_known)
        put_tf_tensor(w, &node, w->tensors[input]);
    else
        put_tf_shape(w, &node, &w->types[input]);
    end(graph, 1, &node);
}

/* What is no name of a node, "x:1", gets one that nothing else has. */
static void name_tf_inputs(struct writing *w)
{
    const struct tn_map_node *node = w->one->node;

    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint8_t *colon = tn_bytes_find(node->inputs[i], ':');
        const char    *made;
        w->one->names[i] = node->inputs[i];
        for (uint32_t k = 0; k < i; k++)
            if (tn_bytes_equal(node->inputs[k], node->inputs[i]))
                w->one->names[i] = w->one->names[k];
        if (!colon || !is_first(w, i))
            continue;
        made = tn_text_format(w->arena, w->error, "%.*s/of_node/%u/%u",
                              TN_FMT(node->name), (unsigned)i,
                              (unsigned)node->input_count);
        if (made)
            w->one->names[i] = tn_text(made);
    }
}

/* The input is the first that is of the type an attribute says, and the node
 * lacks that attribute. */
static bool tells_type(const struct writing *w, uint32_t input)
{
    const struct tn_vocab_arg *arg = w->args[input];

    if (!arg || !arg->variable.size || arg->arity == TN_VOCAB_BY_TYPES ||
        w->types[input].dtype == TN_UNDEFINED || value_of(w, arg->variable))
        return false;
    for (uint32_t i = 0; i < input; i++)
        if (w->args[i] && tn_bytes_equal(w->args[i]->variable, arg->variable))
            return false;
    return true;
}

/* The node as it was, but for its inputs; with a name, and with the attributes
 * that say no more than which types its inputs have. */
static void put_tf_node(const struct writing *w, struct tn_rope *graph)
{
    const struct tn_map_node *node = w->one->node;
    struct tn_cursor          c  = tn_cursor_bytes(w->one->bytes, 0, w->error);
    struct tn_rope            to = begin(w);
    struct tn_pb_field        f;

    tn_pb_put_bytes(&to, 1, node->name);
    for (uint32_t i = 0; i < node->input_count; i++)
        tn_pb_put_bytes(&to, 3, w->one->names[i]);
    while (tn_pb_next(&c, &f))
        if (f.type == TN_WIRE_LEN && (f.number == 2 || f.number == 5))
            tn_pb_put_bytes(&to, f.number, tn_pb_text(&f));
    for (uint32_t i = 0; i < node->input_count; i++)
        if (tells_type(w, i))
            put_tf_type(w, &to, w->args[i]->variable, w->types[i].dtype);
    end(graph, 1, &to);
}

static void put_graph_def(struct writing *w, struct tn_rope *to)
{
    struct tn_rope versions = begin(w);

    name_tf_inputs(w);
    for (uint32_t i = 0; i < w->one->node->input_count; i++)
        if (is_first(w, i))
            put_tf_input(w, to, i);
    put_tf_node(w, to);
    tn_pb_put_varint(&versions, 1, TF_PRODUCER);
    end(to, 4, &versions);
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

static bool has_input(const struct writing *w, struct tn_bytes name)
{
    for (uint32_t i = 0; i < w->one->node->input_count; i++)
        if (tn_bytes_equal(w->one->node->inputs[i], name))
            return true;
    return false;
}

static void put_onnx_node(const struct writing *w, struct tn_rope *graph)
{
    const struct tn_map_node *node = w->one->node;
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
    end(graph, 1, &to);
}

static void put_onnx_shape(const struct writing *w, struct tn_rope *tensor,
                           const struct tn_native_type *type)
{
    struct tn_rope shape = begin(w);

    for (uint32_t i = 0; i < type->rank; i++) {
        struct tn_rope dim = begin(w);
        if (type->dims[i] >= 0)
            tn_pb_put_varint(&dim, 1, (uint64_t)type->dims[i]);
        end(&shape, 1, &dim);
    }
    end(tensor, 2, &shape);
}

/* Sequences and optional values are wrapped; the number of their field. */
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
    const struct tn_native_type *known = &w->types[input];
    const struct tn_vocab_arg   *arg   = w->args[input];
    struct tn_rope info = begin(w), type = begin(w), tensor = begin(w);

    tn_pb_put_bytes(&info, 1, w->one->node->inputs[input]);
    if (known->dtype != TN_UNDEFINED)
        tn_pb_put_varint(&tensor, 1, tn_onnx_type_number(known->dtype));
    if (known->has_rank)
        put_onnx_shape(w, &tensor, known);
    end(&type, 1, &tensor);
    uint32_t wrap = arg ? wrapped_in(w->one->definition, arg) : 0;
    if (wrap) {
        struct tn_rope elements = begin(w), outer = begin(w);
        end(&elements, 1, &type);
        end(&outer, wrap, &elements);
        type = outer;
    }
    end(&info, 2, &type);
    end(graph, 11, &info);
}

/* Of two names the last one counts. */
static void put_onnx_constant(const struct writing *w, struct tn_rope *graph,
                              uint32_t input)
{
    struct tn_rope name = begin(w);

    tn_pb_put_bytes(&name, 8, w->one->node->inputs[input]);
    tn_pb_put_len(graph, 5, w->tensors[input].size + name.length);
    tn_rope_bytes(graph, w->tensors[input]);
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
    end(model, 8, &opset);
}

/* The caller's opset; else the one that has the newest form of the op. */
static void put_opsets(const struct writing *w, struct tn_rope *model)
{
    const struct tn_interpret_context *context = w->one->context;
    struct tn_bytes                    domain  = w->one->node->domain;
    bool    is_own = domain.size == 0 || tn_bytes_is(domain, "ai.onnx");
    int64_t since  = w->one->definition ? w->one->definition->since : 1;
    int64_t opset  = context && context->opset > 0 ? context->opset
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
    const struct tn_map_node *node  = w->one->node;
    struct tn_rope            graph = begin(w);

    for (uint32_t i = 0; i < node->input_count; i++)
        w->one->names[i] = node->inputs[i];
    tn_pb_put_varint(to, 1, ONNX_IR_VERSION);
    put_onnx_node(w, &graph);
    tn_pb_put_text(&graph, 2, "node");
    for (uint32_t i = 0; i < node->input_count; i++)
        if (is_first(w, i) && w->tensors[i].data)
            put_onnx_constant(w, &graph, i);
    for (uint32_t i = 0; i < node->input_count; i++)
        if (is_first(w, i) && !w->tensors[i].data)
            put_onnx_input(w, &graph, i);
    for (uint32_t i = 0; i < node->output_count; i++) {
        struct tn_rope info = begin(w);
        tn_pb_put_bytes(&info, 1, node->outputs[i]);
        if (node->outputs[i].size && !has_input(w, node->outputs[i]))
            tn_pb_put_message(&graph, 12, &info);
        tn_rope_done(&info);
    }
    end(to, 7, &graph);
    put_opsets(w, to);
}

/* ---- both --------------------------------------------------------------- */

enum tn_status tn_one_node_write(struct tn_one_node *one,
                                 struct tn_arena *arena, struct tn_buffer *to,
                                 struct tn_error *error)
{
    struct writing w = { .one = one, .arena = arena, .error = error };
    struct tn_rope model;

    one->lacks_types = false;
    if (!prepare(&w))
        return error->status;
    tn_rope_init(&model, arena, error);
    if (one->node->framework == TN_FRAMEWORK_ONNX)
        put_model_proto(&w, &model);
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
    for (uint32_t i = 0; i < one->node->input_count; i++)
        if (tn_bytes_equal(one->names[i], name))
            return one->node->inputs[i];
    return name;
}
