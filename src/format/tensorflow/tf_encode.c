/*
 * tf_encode.c - nodes, functions and graphs as bytes
 *
 *   NodeDef      1 name  2 op  3 input  4 device  5 attr  6, 7 others
 *   FunctionDef  1 signature  3 node_def  4 ret  5.. others
 *   GraphDef     1 node  2 library {1 function, 2, 3 gradients}  4 versions
 */
#include "base/number.h"
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_encode.h"
#include "format/tensorflow/tf_rename.h"

/* ---- constants and attributes as bytes ---------------------------------- */

/*
 *   TensorProto  1 dtype  2 tensor_shape {2 dim {1 size}}  4 tensor_content
 *                or 8 string_val; resources and variants have 14 and 15
 *   AttrValue    as in tf_attr.c
 */

static void put_dims(struct tn_tf_encoder *encoder, struct tn_rope *shape,
                     const struct tn_shape *of)
{
    for (uint32_t i = 0; i < of->rank; i++) {
        struct tn_rope dim;
        tn_rope_init(&dim, encoder->arena, encoder->error);
        if (of->dims[i])
            tn_pb_put_varint(&dim, 1, of->dims[i]);
        tn_pb_put_message(shape, 2, &dim);
    }
}

struct string_context {
    struct tn_rope *to;
    uint32_t        field;
};

static enum tn_status put_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct string_context *c = context;

    (void)index;
    tn_pb_put_span(c->to, c->field, text);
    return error->status;
}

static void put_content(struct tn_tf_encoder     *encoder,
                        const struct tn_elements *elements, struct tn_rope *to)
{
    struct tn_span              span;
    struct tn_payload_producer *producer;

    if (tn_payload_is_plain(elements, false, &span)) {
        tn_pb_put_span(to, TN_TF_TENSOR_CONTENT, span);
        return;
    }
    producer =
        tn_new(encoder->arena, struct tn_payload_producer, 1, encoder->error);
    if (producer &&
        tn_payload_producer_init(producer, elements, encoder->arena->memory,
                                 false, encoder->error) == TN_OK)
        tn_pb_put_producer(to, TN_TF_TENSOR_CONTENT, &producer->producer);
}

/* A TensorProto. */
static void encode_tensor(struct tn_tf_encoder     *encoder,
                          const struct tn_elements *elements,
                          struct tn_rope           *to)
{
    enum tn_dtype  dtype  = elements->shape.dtype;
    uint32_t       number = tn_tf_dtype_number(dtype);
    uint64_t       count;
    struct tn_rope shape;

    if (number == 0 || !tn_shape_count(&elements->shape, &count)) {
        tn_error_set(encoder->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "TensorFlow has no elements of type %s",
                     tn_dtype_name(dtype));
        return;
    }
    tn_pb_put_varint(to, 1, number);
    tn_rope_init(&shape, encoder->arena, encoder->error);
    put_dims(encoder, &shape, &elements->shape);
    tn_pb_put_message(to, 2, &shape);
    if (count == 0 || elements->payload.encoding == TN_ENCODING_NONE)
        return; /* nothing stored means zeros, or empty strings */
    if (tn_dtype_size(dtype)) {
        put_content(encoder, elements, to);
    } else {
        struct string_context strings = { to, tn_tf_value_field(dtype) };
        tn_payload_strings(elements, 0, count, put_string, &strings,
                           encoder->error);
    }
}

/* ---- attributes --------------------------------------------------------- */

static void put_shape(struct tn_tf_encoder *encoder, struct tn_rope *to,
                      uint32_t number, const struct tn_attr_shape *of)
{
    struct tn_rope shape, dim;

    tn_rope_init(&shape, encoder->arena, encoder->error);
    for (uint32_t i = 0; of->has_rank && i < of->rank; i++) {
        tn_rope_init(&dim, encoder->arena, encoder->error);
        if (of->dims[i])
            tn_pb_put_varint(&dim, 1, (uint64_t)of->dims[i]);
        tn_pb_put_message(&shape, 2, &dim);
    }
    if (!of->has_rank)
        tn_pb_put_varint(&shape, 3, 1);
    tn_pb_put_message(to, number, &shape);
}

static void put_tensor(struct tn_tf_encoder *encoder, struct tn_rope *to,
                       uint32_t number, const struct tn_tensor *tensor)
{
    struct tn_rope message;

    /* A tensor that comes from a TensorProto is written as that TensorProto. */
    if (tensor->wire.length && tensor->role == TN_ROLE_ATTRIBUTE &&
        tensor->model && tensor->model->dialect == &tn_dialect_tensorflow) {
        tn_pb_put_span(to, number, tensor->wire);
        return;
    }
    tn_rope_init(&message, encoder->arena, encoder->error);
    encode_tensor(encoder, &tensor->elements, &message);
    tn_pb_put_message(to, number, &message);
}

static void put_function_name(struct tn_tf_encoder *encoder, struct tn_rope *to,
                              uint32_t number, struct tn_bytes name)
{
    struct tn_rope function;

    tn_rope_init(&function, encoder->arena, encoder->error);
    tn_pb_put_bytes(&function, 1, name);
    tn_pb_put_message(to, number, &function);
}

/* Field numbers of a kind in AttrValue and, if it differs, in its list. */
static uint32_t kind_number(enum tn_attr_kind kind, bool is_list)
{
    switch (kind) {
    case TN_ATTR_STRING: return 2;
    case TN_ATTR_INT: return 3;
    case TN_ATTR_FLOAT: return 4;
    case TN_ATTR_BOOL: return 5;
    case TN_ATTR_DTYPE: return 6;
    case TN_ATTR_SHAPE: return 7;
    case TN_ATTR_TENSOR: return 8;
    case TN_ATTR_REFERENCE: return is_list ? 0 : 9;
    case TN_ATTR_FUNCTION: return is_list ? 9 : 10;
    case TN_ATTR_NONE:
    case TN_ATTR_GRAPH:
    case TN_ATTR_OTHER:
    case TN_ATTR_DOUBLE: return 0;
    }
    return 0;
}

static uint64_t number_bits(const struct tn_attr_value *value, uint32_t index)
{
    if (value->kind == TN_ATTR_DTYPE)
        return tn_tf_dtype_number((enum tn_dtype)value->of.ints[index]);
    return (uint64_t)value->of.ints[index];
}

static void put_one(struct tn_tf_encoder *encoder, struct tn_rope *to,
                    uint32_t number, const struct tn_attr_value *value,
                    uint32_t i)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE:
        tn_pb_put_varint(to, number, number_bits(value, i));
        break;
    case TN_ATTR_FLOAT:
        tn_pb_put_fixed32(to, number, tn_float_bits(value->of.floats[i]));
        break;
    case TN_ATTR_SHAPE:
        put_shape(encoder, to, number, &value->of.shapes[i]);
        break;
    case TN_ATTR_TENSOR:
        put_tensor(encoder, to, number, value->of.tensors[i]);
        break;
    case TN_ATTR_FUNCTION:
        put_function_name(encoder, to, number, value->of.strings[i]);
        break;
    default: tn_pb_put_bytes(to, number, value->of.strings[i]); break;
    }
}

/* Numbers in a list are packed, as TensorFlow writes them. */
static void put_packed(struct tn_tf_encoder *encoder, struct tn_rope *to,
                       uint32_t number, const struct tn_attr_value *value)
{
    struct tn_buffer packed;

    tn_buffer_init(&packed, encoder->arena->memory, encoder->error);
    for (uint32_t i = 0; i < value->count; i++)
        if (value->kind == TN_ATTR_FLOAT)
            tn_buffer_u32(&packed, tn_float_bits(value->of.floats[i]));
        else
            tn_buffer_varint(&packed, number_bits(value, i));
    tn_pb_put_bytes(to, number, tn_buffer_bytes(&packed));
    tn_buffer_done(&packed);
}

static void put_list(struct tn_tf_encoder *encoder, struct tn_rope *to,
                     uint32_t number, const struct tn_attr_value *value)
{
    struct tn_rope list;

    tn_rope_init(&list, encoder->arena, encoder->error);
    if (value->count && number >= 3 && number <= 6)
        put_packed(encoder, &list, number, value);
    else
        for (uint32_t i = 0; i < value->count; i++)
            put_one(encoder, &list, number, value, i);
    tn_pb_put_message(to, 1, &list);
}

/* An AttrValue. */
static void encode_attr(struct tn_tf_encoder       *encoder,
                        const struct tn_attr_value *value, struct tn_rope *to)
{
    uint32_t number = kind_number(value->kind, value->is_list);

    if (number == 0 && value->count) {
        tn_error_set(encoder->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "TensorFlow has no attributes of kind %d",
                     (int)value->kind);
        return;
    }
    if (value->is_list)
        put_list(encoder, to, number, value);
    else if (value->count)
        put_one(encoder, to, number, value, 0);
}

/* The versions written for a new graph: all releases in use today read it. */
#define NEW_PRODUCER     1087
#define NEW_MIN_CONSUMER 12

static void rope_init(struct tn_tf_encoder *encoder, struct tn_rope *rope)
{
    tn_rope_init(rope, encoder->arena, encoder->error);
}

/* Fields of an old message that `skip` does not name (bits by number), as they
 * are. */
static void put_rest(struct tn_tf_encoder *encoder, struct tn_span old,
                     uint64_t skip, struct tn_rope *to)
{
    struct tn_cursor   c = tn_cursor_span(old, encoder->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number >= 64 || !(skip >> field.number & 1))
            tn_rope_span(to, tn_pb_field_span(&c, &field));
}

#define BIT(number) (UINT64_C(1) << (number))

/* A LEN field whose body is in a file.  Most often the tag and the length in
 * the file are those that would be written: then they are copied together with
 * the body. */
static void put_old(struct tn_tf_encoder *encoder, struct tn_rope *to,
                    uint32_t number, struct tn_span body)
{
    struct tn_error quiet = TN_ERROR_INIT;
    uint8_t         want[TN_VARINT_MAX * 2], have[TN_VARINT_MAX * 2];
    unsigned        size = tn_varint_put(want, tn_tag(number, TN_WIRE_LEN));

    size += tn_varint_put(want + size, body.length);
    if (body.offset >= size &&
        tn_source_read(body.source, body.offset - size, have, size, &quiet) ==
            TN_OK &&
        memcmp(want, have, size) == 0)
        tn_rope_span(to, (struct tn_span){ body.source, body.offset - size,
                                           body.length + size });
    else
        tn_pb_put_span(to, number, body);
    (void)encoder;
}

/* ---- nodes -------------------------------------------------------------- */

static void put_input(struct tn_tf_encoder *encoder, struct tn_rope *node,
                      struct tn_bytes name, bool is_control)
{
    struct tn_buffer text;

    if (!is_control) {
        tn_pb_put_bytes(node, 3, name);
        return;
    }
    tn_buffer_init(&text, encoder->arena->memory, encoder->error);
    tn_buffer_byte(&text, '^');
    tn_buffer_add(&text, name);
    tn_pb_put_bytes(node, 3, tn_buffer_bytes(&text));
    tn_buffer_done(&text);
}

static void put_inputs(struct tn_tf_encoder *encoder, struct tn_rope *node,
                       uint32_t op)
{
    const struct tn_model *model = encoder->model;
    const struct tn_op    *row   = tn_model_op_at(model, op);

    for (uint32_t i = 0; i < row->input_count; i++) {
        uint32_t value = tn_op_input(model, op, i);
        if (value == TN_NONE)
            continue;
        put_input(encoder, node,
                  tn_model_name(model, tn_model_value_at(model, value)->name),
                  i >= row->input_count - row->control_count);
    }
}

static void put_slot(struct tn_tf_encoder *encoder, struct tn_rope *node,
                     const struct tn_attr_slot *slot)
{
    struct tn_rope entry, value;

    rope_init(encoder, &entry);
    tn_pb_put_bytes(&entry, 1, tn_model_name(encoder->model, slot->name));
    if (slot->value) {
        rope_init(encoder, &value);
        encode_attr(encoder, slot->value, &value);
        tn_pb_put_message(&entry, 2, &value);
    } else {
        tn_pb_put_span(&entry, 2, slot->wire);
    }
    tn_pb_put_message(node, 5, &entry);
}

static void put_changed_node(struct tn_tf_encoder *encoder, struct tn_rope *to,
                             uint32_t number, uint32_t op)
{
    const struct tn_model *model = encoder->model;
    const struct tn_op    *row   = tn_model_op_at(model, op);
    struct tn_rope         node;
    char                   where[120];

    rope_init(encoder, &node);
    tn_pb_put_bytes(&node, 1, tn_model_name(model, row->name));
    tn_pb_put_bytes(&node, 2, tn_model_name(model, row->type));
    put_inputs(encoder, &node, op);
    put_rest(encoder, tn_model_op_wire(model, row),
             BIT(1) | BIT(2) | BIT(3) |
                 (row->first_attr == TN_NONE ? 0 : BIT(5)),
             &node);
    for (uint32_t i = 0; row->first_attr != TN_NONE && i < row->attr_count; i++)
        put_slot(encoder, &node,
                 tn_list_at(&model->attrs, struct tn_attr_slot,
                            (uint64_t)row->first_attr + i));
    tn_pb_put_message(to, number, &node);
    tn_op_path(model, op, where, sizeof where);
    tn_error_where(encoder->error, "%s", where);
}

/* A constant that an edit added to the graph's list of constants: TensorFlow
 * has no such list, so it becomes a node. */
static void put_const(struct tn_tf_encoder *encoder, struct tn_rope *to,
                      uint32_t number, const struct tn_tensor *tensor)
{
    const struct tn_tensor *const one[]    = { tensor };
    const int64_t                 dtype[]  = { tensor->elements.shape.dtype };
    struct tn_attr_value          values[] = {
                 { .kind = TN_ATTR_DTYPE, .count = 1, .of.ints = dtype },
                 { .kind = TN_ATTR_TENSOR, .count = 1, .of.tensors = one },
    };
    static const char *const keys[] = { "dtype", "value" };
    struct tn_rope           node, entry, value;

    rope_init(encoder, &node);
    tn_pb_put_bytes(&node, 1, tn_tensor_name(tensor));
    tn_pb_put_text(&node, 2, "Const");
    for (unsigned i = 0; i < 2; i++) {
        rope_init(encoder, &entry);
        rope_init(encoder, &value);
        tn_pb_put_text(&entry, 1, keys[i]);
        encode_attr(encoder, &values[i], &value);
        tn_pb_put_message(&entry, 2, &value);
        tn_pb_put_message(&node, 5, &entry);
        tn_rope_done(&value);
        tn_rope_done(&entry);
    }
    tn_pb_put_message(to, number, &node);
}

/* All nodes of a graph: added constants, then its ops. */
static void put_nodes(struct tn_tf_encoder *encoder, struct tn_rope *to,
                      uint32_t number, uint32_t graph)
{
    const struct tn_model *model = encoder->model;
    const struct tn_graph *g     = tn_model_graph_at(model, graph);

    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tensor->graph == graph && tensor->node == TN_NONE)
            put_const(encoder, to, number, tensor);
    }
    for (uint64_t i = 0; i < g->op_count && !tn_failed(encoder->error); i++) {
        uint32_t            op  = g->first_op + (uint32_t)i;
        const struct tn_op *row = tn_model_op_at(model, op);
        if (row->first_attr == TN_NONE && row->wire_length)
            put_old(encoder, to, number, tn_model_op_wire(model, row));
        else
            put_changed_node(encoder, to, number, op);
    }
}

/* ---- functions ---------------------------------------------------------- */

/* ArgDef: 3 type  7 handle_data  17 experimental_full_type */
static enum tn_dtype arg_type(struct tn_cursor arg)
{
    struct tn_pb_field field;
    enum tn_dtype      dtype = TN_UNDEFINED;

    while (tn_pb_next(&arg, &field))
        if (field.number == 3 && tn_pb_expect(&arg, &field, TN_WIRE_VARINT))
            dtype = tn_tf_dtype(field.value);
    return dtype;
}

/* An edit gave the argument another type than its old bytes say. */
static bool is_retyped(struct tn_io_list io_list, uint32_t index,
                       enum tn_dtype old)
{
    return index < io_list.count &&
           io_list.items[index].dtype != TN_UNDEFINED &&
           io_list.items[index].dtype != old;
}

/* An argument as it was, or with another type: a tensor has no handle data. */
static void put_old_arg(struct tn_tf_encoder *encoder, struct tn_cursor *c,
                        const struct tn_pb_field *field,
                        struct tn_io_list io_list, uint32_t index,
                        struct tn_rope *to)
{
    bool           is_new = is_retyped(io_list, index, arg_type(field->body));
    uint64_t       skip   = is_new ? BIT(3) | BIT(7) | BIT(17) : 0;
    bool           is_other = field->number == 2 && index < io_list.count &&
                    io_list.items[index].key.size > 0;
    struct tn_rope arg;

    if (!is_new && !is_other) {
        tn_rope_span(to, tn_pb_field_span(c, field));
        return;
    }
    rope_init(encoder, &arg);
    if (is_other) /* an edit renamed it */
        tn_pb_put_bytes(&arg, 1, io_list.items[index].name);
    put_rest(encoder, tn_pb_body_span(field), skip | (is_other ? BIT(1) : 0),
             &arg);
    if (is_new)
        tn_pb_put_varint(&arg, 3,
                         tn_tf_dtype_number(io_list.items[index].dtype));
    tn_pb_put_message(to, field->number, &arg);
}

/* The old signature, with a name that may be new. */
static void put_old_signature(struct tn_tf_encoder  *encoder,
                              struct tn_rope        *function,
                              const struct tn_graph *g)
{
    struct tn_cursor   c = tn_cursor_span(g->wire, encoder->error);
    struct tn_pb_field field, part;
    struct tn_rope     signature;
    uint32_t           inputs = 0, outputs = 0;

    rope_init(encoder, &signature);
    tn_pb_put_bytes(&signature, 1, tn_model_name(encoder->model, g->name));
    while (tn_pb_next(&c, &field)) {
        if (field.number != 1 || !tn_pb_expect(&c, &field, TN_WIRE_LEN))
            continue;
        struct tn_cursor body = field.body;
        while (tn_pb_next(&body, &part)) {
            if (part.number == 2)
                put_old_arg(encoder, &body, &part, g->inputs, inputs++,
                            &signature);
            else if (part.number == 3)
                put_old_arg(encoder, &body, &part, g->outputs, outputs++,
                            &signature);
            else if (part.number != 1)
                tn_rope_span(&signature, tn_pb_field_span(&body, &part));
        }
    }
    tn_pb_put_message(function, 1, &signature);
}

/* What is needed of a function that an edit touched beyond the tables. */
struct old_function {
    const struct tn_graph *graph;
    struct tn_intern       outputs; /* their keys, in order                   */
    enum tn_dtype         *inputs; /* types in the old signature            */
};

static void old_function_init(struct tn_tf_encoder  *encoder,
                              struct old_function   *old,
                              const struct tn_graph *g)
{
    struct tn_cursor   c = tn_cursor_span(g->wire, encoder->error);
    struct tn_pb_field field, part;
    uint32_t           at = 0;

    *old = (struct old_function){ .graph = g };
    tn_intern_init(&old->outputs, encoder->arena);
    old->inputs =
        tn_new(encoder->arena, enum tn_dtype, g->inputs.count, encoder->error);
    for (uint32_t i = 0; i < g->outputs.count; i++)
        tn_intern_borrow(&old->outputs, g->outputs.items[i].key,
                         encoder->error);
    while (old->inputs && tn_pb_next(&c, &field)) {
        struct tn_cursor body = field.body;
        while (field.number == 1 && field.type == TN_WIRE_LEN &&
               tn_pb_next(&body, &part))
            if (part.number == 2 && at < g->inputs.count)
                old->inputs[at++] = arg_type(part.body);
    }
}

/* ret: where an output comes from, which an edit may have renamed. */
static void put_old_return(struct tn_tf_encoder *encoder, struct tn_cursor *c,
                           const struct tn_pb_field  *field,
                           const struct old_function *old, struct tn_rope *to)
{
    struct tn_cursor   body = field->body;
    struct tn_bytes    key = { NULL, 0 }, value = { NULL, 0 };
    struct tn_pb_field part;
    struct tn_rope     ret;

    while (tn_pb_next(&body, &part))
        if (part.number == 1)
            key = tn_pb_text(&part);
        else if (part.number == 2)
            value = tn_pb_text(&part);
    uint32_t        index = tn_intern_find(&old->outputs, key);
    struct tn_bytes now   = index < old->graph->outputs.count
                                ? old->graph->outputs.items[index].name
                                : value;
    if (!now.size || tn_bytes_equal(now, value)) {
        tn_rope_span(to, tn_pb_field_span(c, field));
        return;
    }
    rope_init(encoder, &ret);
    tn_pb_put_bytes(&ret, 1, key);
    tn_pb_put_bytes(&ret, 2, now);
    tn_pb_put_message(to, 4, &ret);
}

/* arg_attr, ArgAttrs: 1 attr {1 key, 2 value}.  The shape of a handle is not
 * the shape of the tensor that the argument is now. */
static void put_arg_attrs(struct tn_tf_encoder *encoder, struct tn_cursor attrs,
                          struct tn_rope *to)
{
    struct tn_pb_field field;
    struct tn_tf_entry entry;
    struct tn_rope     kept;

    rope_init(encoder, &kept);
    while (tn_pb_next(&attrs, &field)) {
        if (field.number == 1 && field.type == TN_WIRE_LEN) {
            struct tn_cursor body = field.body;
            tn_tf_entry_read(&body, &entry);
            if (tn_bytes_is(entry.key, "_output_shapes"))
                continue;
        }
        tn_rope_span(&kept, tn_pb_field_span(&attrs, &field));
    }
    tn_pb_put_message(to, 2, &kept);
}

static void put_old_arg_attr(struct tn_tf_encoder *encoder, struct tn_cursor *c,
                             const struct tn_pb_field  *field,
                             const struct old_function *old, struct tn_rope *to)
{
    struct tn_cursor   body = field->body, attrs = { 0 };
    uint64_t           index = 0;
    struct tn_pb_field part;
    struct tn_rope     entry;

    while (tn_pb_next(&body, &part))
        if (part.number == 1 && part.type == TN_WIRE_VARINT)
            index = part.value;
        else if (part.number == 2 && part.type == TN_WIRE_LEN)
            attrs = part.body;
    if (!old->inputs || index >= old->graph->inputs.count ||
        !is_retyped(old->graph->inputs, (uint32_t)index, old->inputs[index])) {
        tn_rope_span(to, tn_pb_field_span(c, field));
        return;
    }
    rope_init(encoder, &entry);
    tn_pb_put_varint(&entry, 1, index);
    if (attrs.error)
        put_arg_attrs(encoder, attrs, &entry);
    tn_pb_put_message(to, 7, &entry);
}

/* What the tables do not hold of a function. */
static void put_old_function(struct tn_tf_encoder *encoder, uint32_t graph,
                             struct tn_rope *to)
{
    const struct tn_graph *g = tn_model_graph_at(encoder->model, graph);
    struct tn_cursor    c = tn_cursor_span(g->wire, encoder->error);
    struct tn_pb_field  field;
    struct old_function old;

    old_function_init(encoder, &old, g);
    while (tn_pb_next(&c, &field)) {
        if (field.number == 1 || field.number == 3)
            continue;
        if (field.number == 4 && field.type == TN_WIRE_LEN)
            put_old_return(encoder, &c, &field, &old, to);
        else if (field.number == 7 && field.type == TN_WIRE_LEN)
            put_old_arg_attr(encoder, &c, &field, &old, to);
        else
            tn_tf_put_function_field(to, encoder->arena, encoder->model->changes,
                                     graph, &c, &field);
    }
    tn_intern_done(&old.outputs);
}

/* An argument's name: the letters, digits and '_' of the value's name. */
static void put_arg_name(struct tn_tf_encoder *encoder, struct tn_rope *to,
                         const struct tn_io *io)
{
    struct tn_bytes  from = io->key.size ? io->key : io->name;
    struct tn_buffer name;

    tn_buffer_init(&name, encoder->arena->memory, encoder->error);
    for (size_t i = 0; i < from.size; i++) {
        uint8_t c       = from.data[i];
        bool    is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9');
        tn_buffer_byte(&name, is_word ? c : '_');
    }
    tn_pb_put_bytes(to, 1, tn_buffer_bytes(&name));
    tn_buffer_done(&name);
}

static void put_args(struct tn_tf_encoder *encoder, struct tn_rope *signature,
                     uint32_t number, struct tn_io_list io_list)
{
    for (uint32_t i = 0; i < io_list.count; i++) {
        const struct tn_io *io = &io_list.items[i];
        struct tn_rope      arg;
        rope_init(encoder, &arg);
        if (number == 2)
            tn_pb_put_bytes(&arg, 1, io->name);
        else
            put_arg_name(encoder, &arg, io);
        if (io->dtype != TN_UNDEFINED)
            tn_pb_put_varint(&arg, 3, tn_tf_dtype_number(io->dtype));
        tn_pb_put_message(signature, number, &arg);
    }
}

static void put_new_signature(struct tn_tf_encoder  *encoder,
                              struct tn_rope        *function,
                              const struct tn_graph *g)
{
    struct tn_rope signature;

    rope_init(encoder, &signature);
    tn_pb_put_bytes(&signature, 1, tn_model_name(encoder->model, g->name));
    put_args(encoder, &signature, 2, g->inputs);
    put_args(encoder, &signature, 3, g->outputs);
    tn_pb_put_message(function, 1, &signature);
}

static void put_returns(struct tn_tf_encoder *encoder, struct tn_rope *function,
                        struct tn_io_list outputs)
{
    for (uint32_t i = 0; i < outputs.count; i++) {
        struct tn_rope ret;
        rope_init(encoder, &ret);
        put_arg_name(encoder, &ret, &outputs.items[i]);
        tn_pb_put_bytes(&ret, 2, outputs.items[i].name);
        tn_pb_put_message(function, 4, &ret);
    }
}

static void put_library(struct tn_tf_encoder *encoder, struct tn_rope *to,
                        uint32_t first, uint32_t end, struct tn_tf_pieces old)
{
    struct tn_rope library;

    rope_init(encoder, &library);
    for (uint32_t i = first; i < end && !tn_failed(encoder->error); i++) {
        const struct tn_graph *g = tn_model_graph_at(encoder->model, i);
        struct tn_rope         function;
        if (!g->is_touched && g->wire.length) {
            put_old(encoder, &library, 1, g->wire);
            continue;
        }
        rope_init(encoder, &function);
        if (g->wire.length)
            put_old_signature(encoder, &function, g);
        else
            put_new_signature(encoder, &function, g);
        put_nodes(encoder, &function, 3, i);
        if (g->wire.length)
            put_old_function(encoder, i, &function);
        else
            put_returns(encoder, &function, g->outputs);
        tn_pb_put_message(&library, 1, &function);
    }
    for (uint64_t i = 0; i < old.count; i++) {
        struct tn_span     graph = old.items[i];
        struct tn_cursor   c     = tn_cursor_span(graph, encoder->error);
        struct tn_pb_field field;
        while (tn_pb_next(&c, &field))
            if (field.number == 2 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
                put_rest(encoder, tn_pb_body_span(&field), BIT(1), &library);
    }
    if (library.length)
        tn_pb_put_message(to, 2, &library);
    tn_rope_done(&library);
}

/* ---- the graph ---------------------------------------------------------- */

static void put_new_versions(struct tn_tf_encoder *encoder, struct tn_rope *to)
{
    struct tn_rope versions;

    rope_init(encoder, &versions);
    tn_pb_put_varint(&versions, 1, NEW_PRODUCER);
    tn_pb_put_varint(&versions, 2, NEW_MIN_CONSUMER);
    tn_pb_put_message(to, 4, &versions);
}

void tn_tf_encode_graph(struct tn_tf_encoder *encoder, uint32_t main,
                        uint32_t end, struct tn_tf_pieces old,
                        struct tn_rope *to)
{
    bool is_edited = encoder->model->is_edited;
    bool is_new    = true;

    if (is_edited) {
        put_nodes(encoder, to, 1, main);
        put_library(encoder, to, main + 1, end, old);
    }
    for (uint64_t i = 0; i < old.count; i++) {
        if (is_edited)
            put_rest(encoder, old.items[i], BIT(1) | BIT(2), to);
        else
            tn_rope_span(to, old.items[i]);
        is_new = is_new && !old.items[i].length;
    }
    if (is_edited && is_new)
        put_new_versions(encoder, to);
}
