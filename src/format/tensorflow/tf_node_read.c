/*
 * tf_node_read.c - one NodeDef: its inputs, its type, the tensors it holds
 *
 *   NodeDef      1 name  2 op  3 input  4 device  5 attr
 *
 * Without the graph nothing is kept of a node but its type, counted, and the
 * tensors in its attributes.
 */
#include "format/tensorflow/tf_reader.h"

#include "base/byte_find.h"

/* ---- references --------------------------------------------------------- */

static bool is_digits(struct tn_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.size > 0;
}

/* Output numbers are small; past that they name nothing that exists. */
static uint32_t parse_output(struct tn_bytes digits)
{
    uint32_t number = 0;

    for (size_t i = 0; i < digits.size; i++) {
        if (number > 100000000)
            return UINT32_MAX;
        number = number * 10 + (uint32_t)(digits.data[i] - '0');
    }
    return number;
}

static struct tn_bytes after(struct tn_bytes text, const uint8_t *colon)
{
    const uint8_t *begin = colon + 1;

    return tn_bytes(begin, (size_t)(text.data + text.size - begin));
}

static const uint8_t *last_colon(struct tn_bytes text)
{
    for (size_t i = text.size; i-- > 0;)
        if (text.data[i] == ':')
            return text.data + i;
    return NULL;
}

struct tn_tf_ref tn_tf_ref_parse(struct tn_bytes text, bool in_function)
{
    struct tn_tf_ref ref = { .is_control = text.size && *text.data == '^' };

    if (ref.is_control)
        text = tn_bytes(text.data + 1, text.size - 1);
    ref.node = ref.value = text;
    if (ref.is_control || text.size < 2)
        return ref;
    const uint8_t *last = last_colon(text);
    if (!last)
        return ref;
    struct tn_bytes tail = after(text, last);
    if (is_digits(tail))
        ref.output = parse_output(tail);
    else if (!in_function)
        return ref;
    const uint8_t *cut = in_function ? tn_bytes_find(text, ':') : last;
    ref.node           = tn_bytes(text.data, (size_t)(cut - text.data));
    if (!in_function && ref.output == 0)
        ref.value = ref.node;
    return ref;
}

uint32_t tn_tf_value_named(struct tn_tf_reader *reader, struct tn_bytes text)
{
    uint32_t name =
        tn_intern_borrow(&reader->model->names, text, reader->error);

    return tn_model_value(reader->model, reader->graph, name, reader->error);
}

static uint64_t tail_of(struct tn_bytes name)
{
    uint64_t tail = 0;
    size_t   size = name.size < 8 ? name.size : 8;

    if (size)
        memcpy(&tail, name.data + name.size - size, size);
    return tail ^ (uint64_t)name.size << 56;
}

static void near_add(struct tn_tf_near *near, struct tn_bytes name,
                     uint32_t value)
{
    unsigned slot = near->next++ % TN_TF_NEAR;

    near->tails[slot]  = tail_of(name);
    near->names[slot]  = name;
    near->values[slot] = value;
}

static uint32_t near_find(const struct tn_tf_near *near, struct tn_bytes name)
{
    uint64_t tail = tail_of(name);

    for (unsigned i = 0; i < TN_TF_NEAR; i++)
        if (near->tails[i] == tail && near->names[i].size &&
            tn_bytes_equal(near->names[i], name))
            return near->values[i];
    return TN_NONE;
}

/* What an input names. */
static uint32_t value_used(struct tn_tf_reader *reader, struct tn_bytes text)
{
    uint32_t value = near_find(&reader->near, text);

    return value == TN_NONE ? tn_tf_value_named(reader, text) : value;
}

/* ---- one node ----------------------------------------------------------- */

struct node {
    struct tn_bytes name;
    struct tn_bytes type;
    struct tn_span  wire;
    uint32_t        ordinal;
    uint32_t        op; /* id, when the graph is wanted               */
    uint32_t        attr_count;
    bool            in_function;
    uint64_t        first_tensor;
    struct tn_bytes tensor_key; /* of the attribute that gave the last tensor */
};

/* Most nodes are of a few types: compare before hashing. */
static uint32_t intern_type(struct tn_tf_reader *reader, struct tn_bytes type)
{
    for (unsigned i = 0; i < 4; i++)
        if (reader->recent[i] != TN_NO_NAME &&
            tn_bytes_equal(reader->recent_text[i], type))
            return reader->recent[i];
    uint32_t id = tn_intern_borrow(&reader->model->names, type, reader->error);
    unsigned slot             = reader->recent_next++ & 3;
    reader->recent[slot]      = id;
    reader->recent_text[slot] = type;
    return id;
}

static struct tn_tensor *tensor_slot(struct tn_tf_reader *reader,
                                     struct node *node, struct tn_bytes key,
                                     uint32_t part)
{
    struct tn_model *model = reader->model;

    /* The same key again replaces what it said before. */
    if (part == TN_NONE && model->tensors.count > node->first_tensor &&
        tn_bytes_equal(node->tensor_key, key))
        return tn_list_at(&model->tensors, struct tn_tensor,
                          model->tensors.count - 1);
    node->tensor_key = key;
    return tn_model_add_tensor(model, reader->error);
}

static void add_tensor(struct tn_tf_reader *reader, struct node *node,
                       struct tn_cursor *body, struct tn_bytes key,
                       uint32_t part)
{
    struct tn_tf_tensor read;
    struct tn_tensor   *tensor = tensor_slot(reader, node, key, part);

    if (!tensor)
        return;
    tn_tf_tensor_read(body, &read);
    tensor->graph = reader->graph;
    tensor->node  = node->ordinal;
    tensor->slot  = node->attr_count;
    tensor->part  = part;
    tensor->role  = TN_ROLE_ATTRIBUTE;
    tensor->wire  = read.wire;
    tn_tf_tensor_elements(&read, &reader->model->arena, &tensor->elements,
                          reader->error);
}

/* AttrValue's list: its tensors. */
static void add_tensors(struct tn_tf_reader *reader, struct node *node,
                        struct tn_cursor *list, struct tn_bytes key)
{
    struct tn_pb_field field;
    uint32_t           part = 0;

    while (tn_pb_next(list, &field))
        if (field.number == 8 && tn_pb_expect(list, &field, TN_WIRE_LEN))
            add_tensor(reader, node, &field.body, key, part++);
}

/* Short fields of bytes up to the end, none of them a tensor. */
static bool is_list_of_others(const uint8_t *at, size_t left)
{
    while (left >= 2 && at[0] < 0x80 && (at[0] & 7) == TN_WIRE_LEN &&
           at[0] != 0x42 && at[1] < 0x80 && at[1] + 2u <= left) {
        left -= at[1] + 2u;
        at += at[1] + 2u;
    }
    return left == 0;
}

/* One short field and nothing behind it, which would count instead. */
static bool is_one_field(const uint8_t *at, size_t size)
{
    switch (at[0] & 7) {
    case TN_WIRE_VARINT: return size == 2 && at[1] < 0x80;
    case TN_WIRE_LEN: return at[1] < 0x80 && at[1] + 2u == size;
    case TN_WIRE_FIXED32: return size == 5;
    default: return false;
    }
}

/* Most attributes hold no tensor, and a few bytes say so: 0a key, 12 value,
 * where the value is neither a tensor (42) nor a list (0a) with one.  Short
 * ones are told from that without being taken apart. */
static bool is_plainly_no_tensor(const struct tn_cursor *body)
{
    size_t         left = (size_t)(body->end - body->at);
    const uint8_t *at   = body->at;

    if (body->beyond || left < 6 || at[0] != 0x0a || at[1] >= 0x80 ||
        left < 6 + (size_t)at[1])
        return false;
    at += 2 + at[1];
    left = (size_t)(body->end - at) - 2;
    if (at[0] != 0x12 || at[1] >= 0x80 || at[1] != left ||
        !is_one_field(at + 2, left))
        return false;
    if (at[2] == 0x0a)
        return is_list_of_others(at + 4, left - 2);
    return at[2] < 0x80 && at[2] != 0x42;
}

static void read_attr(struct tn_tf_reader *reader, struct node *node,
                      struct tn_cursor *body)
{
    struct tn_tf_entry entry;
    struct tn_pb_field field;

    if (is_plainly_no_tensor(body))
        return;
    tn_tf_entry_read(body, &entry);
    uint32_t kind = tn_tf_attr_kind(entry.value, &field);
    if (kind == 8 && tn_pb_expect(body, &field, TN_WIRE_LEN))
        add_tensor(reader, node, &field.body, entry.key, TN_NONE);
    else if (kind == 1 && tn_pb_expect(body, &field, TN_WIRE_LEN))
        add_tensors(reader, node, &field.body, entry.key);
}

static void read_input(struct tn_tf_reader *reader, struct node *node,
                       struct tn_bytes text)
{
    struct tn_tf_ref ref = tn_tf_ref_parse(text, node->in_function);

    if (reader->uses)
        tn_tf_uses_use(reader->uses, ref.node, reader->error);
    if (!reader->model->wants_graph)
        return;
    tn_model_add_input(reader->model, value_used(reader, ref.value),
                       reader->error);
    struct tn_op *op = tn_model_op_at(reader->model, node->op);
    /* A data input after a control one is against the rules, which a check
     * says; only the last ones count as control inputs. */
    op->control_count = ref.is_control ? op->control_count + 1 : 0;
}

static void read_node_field(struct tn_tf_reader *reader, struct node *node,
                            struct tn_cursor *c, struct tn_pb_field *field)
{
    switch (field->number) {
    case 1:
        if (tn_pb_expect(c, field, TN_WIRE_LEN))
            node->name = tn_pb_text(field);
        break;
    case 2:
        if (tn_pb_expect(c, field, TN_WIRE_LEN))
            node->type = tn_pb_text(field);
        break;
    case 3:
        if (tn_pb_expect(c, field, TN_WIRE_LEN) &&
            (reader->uses || reader->model->wants_graph))
            read_input(reader, node, tn_pb_text(field));
        break;
    case 5:
        if (tn_pb_expect(c, field, TN_WIRE_LEN)) {
            read_attr(reader, node, &field->body);
            node->attr_count++;
        }
        break;
    default: break;
    }
}

static void note_placeholder(struct tn_tf_reader *reader,
                             const struct node   *node)
{
    if (reader->ends.count >= TN_TF_IO_LIMIT || node->in_function ||
        (!tn_bytes_is(node->type, "Placeholder") &&
         !tn_bytes_is(node->type, "PlaceholderV2")))
        return;
    struct tn_tf_placeholder *end =
        tn_list_push(&reader->ends, struct tn_tf_placeholder, reader->error);
    if (end)
        *end = (struct tn_tf_placeholder){ node->name, node->wire };
}

static void finish_op(struct tn_tf_reader *reader, const struct node *node,
                      uint32_t type)
{
    struct tn_model *model = reader->model;
    uint32_t         value = tn_tf_value_named(reader, node->name);

    tn_model_add_output(model, value, reader->error);
    if (tn_failed(reader->error))
        return;
    tn_model_define(model, value, TN_VALUE_OUTPUT, node->op, 0);
    near_add(&reader->near, node->name, value);
    struct tn_op *op = tn_model_op_at(model, node->op);
    op->name         = tn_model_value_at(model, value)->name;
    op->type         = type;
    op->source       = reader->source;
    op->wire_offset  = node->wire.offset;
    op->wire_length  = node->wire.length;
}

static void name_tensors(struct tn_tf_reader *reader, const struct node *node)
{
    struct tn_model *model = reader->model;

    if (model->tensors.count == node->first_tensor)
        return;
    uint32_t name =
        model->wants_graph
            ? tn_model_op_at(model, node->op)->name
            : tn_intern_append(&model->names, node->name, reader->error);
    for (uint64_t i = node->first_tensor; i < model->tensors.count; i++)
        tn_list_at(&model->tensors, struct tn_tensor, i)->name = name;
}

void tn_tf_node_read(struct tn_tf_reader *reader, struct tn_cursor *c)
{
    struct tn_model   *model = reader->model;
    struct tn_graph   *graph = tn_model_graph_at(model, reader->graph);
    struct tn_pb_field field;
    struct node        node = {
               .wire         = { c->source, c->offset, tn_left(c) },
               .ordinal      = (uint32_t)graph->op_count,
               .in_function  = graph->kind == TN_GRAPH_FUNCTION,
               .first_tensor = model->tensors.count,
    };

    graph->op_count++;
    if (model->wants_graph) {
        node.op = tn_model_add_op(model, reader->graph, reader->error);
        if (node.op == TN_NONE)
            return;
    }
    while (tn_pb_next(c, &field))
        read_node_field(reader, &node, c, &field);
    uint32_t type = intern_type(reader, node.type);
    tn_model_count_op(model, TN_NO_NAME, type, reader->error);
    note_placeholder(reader, &node);
    if (reader->uses && !node.in_function)
        tn_tf_uses_node(&reader->uses, node.name, reader->error);
    if (model->wants_graph && !tn_failed(reader->error))
        finish_op(reader, &node, type);
    if (!tn_failed(reader->error))
        name_tensors(reader, &node);
    if (tn_failed(reader->error))
        tn_error_where(reader->error, "%s[%" PRIu32 "]",
                       tn_model_graph_at(model, reader->graph)->node_word,
                       node.ordinal);
}
