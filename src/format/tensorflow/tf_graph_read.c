/*
 * tf_graph_read.c - GraphDef: its nodes, its functions
 *
 *   GraphDef     1 node  2 library  3 version  4 versions {1, 2}  5 debug_info
 *   library      1 function
 *   FunctionDef  1 signature {1 name, 2 input_arg, 3 output_arg}  3 node_def
 *                4 ret {1 output_arg's name, 2 reference}
 *
 * One walk, in the order of the file; libraries are queued until their graph is
 * complete, so that the nodes of a graph are neighbours.  An op has one output
 * in the tables, with the name of the op: the value "node:K" is added when
 * something refers to it.
 */
#include "base/arith.h"
#include "base/byte_view.h"
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_dtype.h"
#include "ir/model_tables.h"
#include "ir/unused_ops.h"

struct tn_tf_uses;

/* A placeholder; its attributes are examined at the end. */
struct tn_tf_placeholder {
    struct tn_bytes name;
    struct tn_span  wire;
};

/* ---- unused nodes of a graph, found without keeping the graph ----------- */

#define NODE_LIMIT 32768

enum { IS_USED = 1 };

struct tn_tf_uses {
    struct tn_memory *memory;
    struct tn_arena   arena;
    struct tn_intern  names;
    struct tn_list    marks; /* uint8_t by name                               */
    struct tn_list    nodes; /* uint32_t: names of nodes, in order            */
};

/* NULL on failure. */
static struct tn_tf_uses *uses_open(struct tn_memory *memory,
                                    struct tn_error  *error)
{
    struct tn_tf_uses *uses =
        tn_memory_resize(memory, NULL, 0, sizeof *uses, error);

    if (!uses)
        return NULL;
    uses->memory = memory;
    tn_arena_init(&uses->arena, memory);
    tn_intern_init(&uses->names, &uses->arena);
    tn_list_init(&uses->marks, memory, sizeof(uint8_t));
    tn_list_init(&uses->nodes, memory, sizeof(uint32_t));
    return uses;
}

static void uses_close(struct tn_tf_uses *uses)
{
    if (!uses)
        return;
    tn_list_done(&uses->marks);
    tn_list_done(&uses->nodes);
    tn_intern_done(&uses->names);
    tn_arena_done(&uses->arena);
    tn_memory_free(uses->memory, uses, sizeof *uses);
}

/* The name's id; makes room for its mark. TN_NO_NAME on failure. */
static uint32_t mark_of(struct tn_tf_uses *uses, struct tn_bytes name,
                        struct tn_error *error)
{
    uint32_t id = tn_intern_borrow(&uses->names, name, error);

    if (id != TN_NO_NAME && id == uses->marks.count &&
        !tn_list_push(&uses->marks, uint8_t, error))
        return TN_NO_NAME;
    return id;
}

/* Records a node of that name; closes *uses and sets it to NULL when there are
 * too many.  `name` is borrowed. */
static void uses_node(struct tn_tf_uses **uses, struct tn_bytes name,
                      struct tn_error *error)
{
    if ((*uses)->nodes.count == NODE_LIMIT) {
        uses_close(*uses);
        *uses = NULL;
        return;
    }
    uint32_t  id   = mark_of(*uses, name, error);
    uint32_t *node = tn_list_push(&(*uses)->nodes, uint32_t, error);
    if (node)
        *node = id;
}

/* An output of that node is used, or an op waits for the node. */
static void uses_use(struct tn_tf_uses *uses, struct tn_bytes name,
                     struct tn_error *error)
{
    uint32_t id = mark_of(uses, name, error);

    if (id != TN_NO_NAME)
        *tn_list_at(&uses->marks, uint8_t, id) |= IS_USED;
}

static bool is_unused(const struct tn_tf_uses *uses, uint64_t node)
{
    uint32_t id = *tn_list_at(&uses->nodes, uint32_t, node);

    return !(*tn_list_at(&uses->marks, uint8_t, id) & IS_USED);
}

/* Unused nodes, in the order of the file, at most `limit`. */
static struct tn_io_list uses_io(const struct tn_tf_uses *uses,
                                 struct tn_arena *arena, uint64_t limit,
                                 struct tn_error *error)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < uses->nodes.count; i++)
        count += is_unused(uses, i);
    count                 = tn_min(count, limit);
    struct tn_io *io_list = tn_new(arena, struct tn_io, count, error);
    if (!io_list)
        return (struct tn_io_list){ 0, NULL };
    for (uint64_t i = 0, n = 0; n < count; i++)
        if (is_unused(uses, i))
            io_list[n++] = (struct tn_io){
                .name = tn_intern_text(&uses->names,
                                       *tn_list_at(&uses->nodes, uint32_t, i)),
                .note = "",
            };
    return (struct tn_io_list){ (uint32_t)count, io_list };
}

/* ---- what a GraphDef takes and gives ------------------------------------ */

/*
 * A graph does not list them: its inputs are its placeholders, and its outputs
 * are what no node uses.
 */

/* ---- inputs -------------------------------------------------------------- */

/* Up to this version of graphs a shape without dimensions means unknown. */
#define NO_SCALARS_UNTIL 21

static struct tn_io_list read_placeholders(struct tn_tf_reader *reader)
{
    uint64_t      count = reader->placeholders.count;
    struct tn_io *io_list =
        tn_new(&reader->model->arena, struct tn_io, count, reader->error);

    if (!io_list)
        return (struct tn_io_list){ 0, NULL };
    for (uint64_t i = 0; i < count && !tn_failed(reader->error); i++) {
        /* dtype and shape of a Placeholder, out of its attributes. */
        const struct tn_tf_placeholder *from =
            tn_list_at(&reader->placeholders, struct tn_tf_placeholder, i);
        struct tn_io      *to   = &io_list[i];
        struct tn_cursor   node = tn_cursor_span(from->wire, reader->error);
        struct tn_tf_entry entry;
        struct tn_pb_field field;
        *to = (struct tn_io){ .name = from->name, .note = "" };
        while (tn_tf_entry_next(&node, 5, &entry)) {
            uint32_t kind = tn_tf_attr_kind(entry.value, &field);
            if (kind == 6 && tn_bytes_is(entry.key, "dtype"))
                to->dtype = tn_tf_dtype(field.value);
            else if (kind == 7 && tn_bytes_is(entry.key, "shape") &&
                     tn_pb_expect(&node, &field, TN_WIRE_LEN))
                tn_tf_io_shape(to, &field.body, &reader->model->arena);
        }
        if (to->rank == 0 && reader->versions.producer <= NO_SCALARS_UNTIL)
            to->has_rank = false;
    }
    return (struct tn_io_list){ (uint32_t)count, io_list };
}

void tn_tf_io_shape(struct tn_io *io, struct tn_cursor *c,
                    struct tn_arena *arena)
{
    struct tn_tf_shape shape;

    tn_tf_shape_init(&shape);
    tn_tf_shape_read(c, &shape);
    io->has_rank = !shape.unknown_rank;
    io->rank     = shape.unknown_rank ? 0 : shape.rank;
    if (io->rank == 0 || tn_failed(c->error))
        return;
    struct tn_dim *dims = tn_new(arena, struct tn_dim, io->rank, c->error);
    for (uint32_t i = 0; dims && i < io->rank; i++)
        dims[i].value = shape.dims[i] < 0 ? -1 : shape.dims[i];
    io->dims = dims;
    if (!dims)
        io->rank = 0;
}

/* ---- both --------------------------------------------------------------- */

/* What the graph takes and gives, after its last node. */
static void find_io(struct tn_tf_reader *reader)
{
    struct tn_io_list inputs  = read_placeholders(reader);
    struct tn_io_list outputs = { 0, NULL };

    if (tn_failed(reader->error))
        return;
    if (reader->model->wants_graph)
        outputs = tn_unused_ops(reader->model, reader->graph, reader->error);
    else if (reader->uses)
        outputs = uses_io(reader->uses, &reader->model->arena,
                          TN_UNUSED_OPS_LIMIT, reader->error);
    struct tn_graph *graph = tn_model_graph_at(reader->model, reader->graph);
    graph->inputs          = inputs;
    graph->outputs         = outputs;
}

/* ---- one NodeDef: its inputs, its type, the tensors it holds ------------ */

/*
 *   NodeDef      1 name  2 op  3 input  4 device  5 attr
 *
 * Without the graph nothing is kept of a node but its type, counted, and the
 * tensors in its attributes.
 */

/* ---- references --------------------------------------------------------- */

static size_t digits_at_end(struct tn_bytes text)
{
    size_t count = 0;

    while (count < text.size && text.data[text.size - count - 1] >= '0' &&
           text.data[text.size - count - 1] <= '9')
        count++;
    return count;
}

/* Output numbers are small; no node has an output with a larger number. */
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

struct tn_tf_ref tn_tf_ref_parse(struct tn_bytes text, bool in_function)
{
    struct tn_tf_ref ref = { .is_control = text.size && *text.data == '^' };

    if (ref.is_control)
        text = tn_bytes(text.data + 1, text.size - 1);
    ref.node = ref.value = text;
    if (ref.is_control || text.size < 2)
        return ref;
    size_t         count = digits_at_end(text);
    const uint8_t *tail  = text.data + text.size - count;
    const uint8_t *cut =
        count && tail > text.data && tail[-1] == ':' ? tail - 1 : NULL;
    if (cut)
        ref.output = parse_output(tn_bytes(tail, count));
    if (in_function)
        cut = tn_bytes_find(text, ':');
    if (!cut)
        return ref;
    ref.node = tn_bytes(text.data, (size_t)(cut - text.data));
    if (!in_function && ref.output == 0)
        ref.value = ref.node;
    return ref;
}

/* The value of that name in the graph being filled, made when it is new. */
static uint32_t value_named(struct tn_tf_reader *reader, struct tn_bytes text)
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

/* The value that an input names. */
static uint32_t value_used(struct tn_tf_reader *reader, struct tn_bytes text)
{
    uint32_t value = near_find(&reader->near, text);

    return value == TN_NONE ? value_named(reader, text) : value;
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
    struct tn_bytes tail; /* from the first attribute on; empty: not worth it */
    bool            is_known; /* the tail                                     */
    uint32_t        alike;    /* its number; 0: it has none                   */
};

/* Counts the node and returns the name of its type.  Most nodes are of a few
 * types, which are compared before they are hashed. */
static uint32_t count_type(struct tn_tf_reader *reader, struct tn_bytes text)
{
    struct tn_model   *model = reader->model;
    struct tn_tf_type *type  = &reader->types[0];

    if (text.size)
        type = &reader->types[(text.size * 31 + text.data[0] +
                               text.data[text.size - 1] * 7u) %
                              TN_TF_TYPES];
    if (type->is_known && tn_bytes_equal(type->text, text)) {
        tn_model_count_kind(model, type->kind);
        return type->name;
    }
    type->text = text;
    type->name = tn_intern_borrow(&model->names, text, reader->error);
    type->kind =
        tn_model_count_op(model, TN_NO_NAME, type->name, reader->error);
    type->is_known = type->kind != TN_NONE;
    return type->name;
}

static struct tn_tensor *tensor_slot(struct tn_tf_reader *reader,
                                     struct node *node, struct tn_bytes key,
                                     uint32_t part)
{
    struct tn_model *model = reader->model;

    /* A repeated key replaces the earlier value. */
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

/* One short field with nothing after it: a later field would replace it. */
static bool is_one_field(const uint8_t *at, size_t size)
{
    switch (at[0] & 7) {
    case TN_WIRE_VARINT: return size == 2 && at[1] < 0x80;
    case TN_WIRE_LEN: return at[1] < 0x80 && at[1] + 2u == size;
    case TN_WIRE_FIXED32: return size == 5;
    default: return false;
    }
}

/* Most attributes hold no tensor, and a few bytes show it: 0a key, 12 value,
 * where the value is neither a tensor (42) nor a list (0a) with one.  Short
 * ones are recognized without being parsed. */
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
        uses_use(reader->uses, ref.node, reader->error);
    if (!reader->model->wants_graph)
        return;
    tn_model_add_input(reader->model, value_used(reader, ref.value),
                       reader->error);
    struct tn_op *op = tn_model_op_at(reader->model, node->op);
    /* A data input after a control input is an error, which the check reports;
     * only the inputs at the end count as control inputs. */
    op->control_count = ref.is_control ? op->control_count + 1 : 0;
}

static void read_node_field(struct tn_tf_reader *reader, struct node *node,
                            struct tn_cursor *c, struct tn_pb_field *field)
{
    if (field->number < 5)
        node->tail.size = 0; /* it is no tail */
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
    if (reader->placeholders.count >= TN_UNUSED_OPS_LIMIT ||
        node->in_function ||
        (!tn_bytes_is(node->type, "Placeholder") &&
         !tn_bytes_is(node->type, "PlaceholderV2")))
        return;
    struct tn_tf_placeholder *end = tn_list_push(
        &reader->placeholders, struct tn_tf_placeholder, reader->error);
    if (end)
        *end = (struct tn_tf_placeholder){ node->name, node->wire };
}

static void finish_op(struct tn_tf_reader *reader, const struct node *node,
                      uint32_t type)
{
    struct tn_model *model = reader->model;
    uint32_t         value = value_named(reader, node->name);

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
    op->wire_length  = node->wire.length & TN_WIRE_LENGTH_MAX;
    if (node->alike <= TN_ALIKE_MAX)
        op->alike = node->alike & TN_ALIKE_MAX;
    op->has_elements = model->tensors.count != node->first_tensor;
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

static struct tn_tf_constant *constant_slot(struct tn_tf_reader *reader,
                                            struct tn_bytes      tail)
{
    return &reader->constants[tail.size % TN_TF_CONSTANTS];
}

static bool is_same_constant(const struct tn_tf_constant *known,
                             struct tn_bytes              tail)
{
    return known->size == tail.size && known->head.size &&
           memcmp(tail.data, known->head.data, known->head.size) == 0 &&
           tn_bytes_equal(tn_bytes(tail.data + tail.size - known->rest.size,
                                   known->rest.size),
                          known->rest);
}

static void add_constant(struct tn_tf_reader *reader, const struct node *node,
                         const struct tn_tf_constant *known, uint64_t offset)
{
    struct tn_model  *model  = reader->model;
    struct tn_tensor *tensor = tn_model_add_tensor(model, reader->error);

    if (!tensor)
        return;
    *tensor = *tn_list_at(&model->tensors, struct tn_tensor, known->tensor);
    tensor->graph = reader->graph;
    tensor->node  = node->ordinal;
    tensor->wire.offset += offset - known->offset;
    tensor->elements.payload.span.offset += offset - known->offset;
}

/* Attributes of a node need not be read again when another node has the
 * same. */
static void look_at_tail(struct tn_tf_reader *reader, struct node *node,
                         const struct tn_cursor   *c,
                         const struct tn_pb_field *field)
{
    const struct tn_pb_tail     *slot;
    const struct tn_tf_constant *known;

    node->tail = tn_pb_tail_of(c, field);
    if (!node->tail.size)
        return;
    slot           = tn_pb_tail_slot(&reader->tails, node->tail);
    known          = constant_slot(reader, node->tail);
    node->is_known = tn_bytes_equal(slot->bytes, node->tail);
    if (node->is_known) {
        node->alike = slot->number;
    } else if (is_same_constant(known, node->tail)) {
        node->is_known = true;
        node->alike    = known->number;
        add_constant(reader, node, known, field->offset);
    }
}

/* The tensor of the node just read is the only one of its attributes.  Raw
 * elements are not looked at: what a tensor is depends on their size alone. */
static void keep_constant(struct tn_tf_reader *reader, struct node *node)
{
    const struct tn_tensor *tensor = tn_list_at(
        &reader->model->tensors, struct tn_tensor, node->first_tensor);
    const struct tn_payload *payload = &tensor->elements.payload;
    uint64_t                 end     = node->wire.offset + node->wire.length;
    uint64_t                 head = node->tail.size, rest = 0;

    if (payload->encoding == TN_ENCODING_RAW) {
        rest = end - payload->span.offset - payload->span.length;
        head -= rest + payload->span.length;
    }
    *constant_slot(reader, node->tail) = (struct tn_tf_constant){
        .head = tn_bytes(node->tail.data, (size_t)head),
        .rest =
            tn_bytes(node->tail.data + node->tail.size - rest, (size_t)rest),
        .size   = node->tail.size,
        .offset = end - node->tail.size,
        .tensor = node->first_tensor,
        .number = ++reader->tails.count,
    };
    node->alike = reader->tails.count;
}

static void keep_tail(struct tn_tf_reader *reader, struct node *node)
{
    uint64_t tensors = reader->model->tensors.count - node->first_tensor;

    if (!node->tail.size || tn_failed(reader->error) || tensors > 1)
        return;
    if (tensors == 1) {
        keep_constant(reader, node);
        return;
    }
    tn_pb_tail_keep(&reader->tails, tn_pb_tail_slot(&reader->tails, node->tail),
                    (struct tn_pb_tail){ .bytes = node->tail });
    node->alike = reader->tails.count;
}

/* The fields before the attributes, when they are short: a scan without the
 * graph steps over a million nodes, and this takes most of its time. */
static void skim(struct node *node, struct tn_cursor *c)
{
    const uint8_t *at = c->at;

    while (c->end - at >= 2 && at[0] >= 0x0a && at[0] <= 0x22 &&
           (at[0] & 7) == TN_WIRE_LEN && at[1] < 0x80 &&
           c->end - at >= 2 + at[1]) {
        struct tn_bytes text = tn_bytes(at + 2, at[1]);
        if (at[0] == 0x0a)
            node->name = text;
        else if (at[0] == 0x12)
            node->type = text;
        at += 2 + at[1];
    }
    tn_skip(c, (uint64_t)(at - c->at));
}

/* The next node of the graph being filled. */
static void node_read(struct tn_tf_reader *reader, struct tn_cursor *c)
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
    } else if (!reader->uses) {
        skim(&node, c);
    }
    while (!node.is_known && tn_pb_next(c, &field)) {
        if (field.number == 5 && node.attr_count == 0)
            look_at_tail(reader, &node, c, &field);
        if (!node.is_known)
            read_node_field(reader, &node, c, &field);
    }
    if (!node.is_known)
        keep_tail(reader, &node);
    uint32_t type = count_type(reader, node.type);
    note_placeholder(reader, &node);
    if (reader->uses && !node.in_function)
        uses_node(&reader->uses, node.name, reader->error);
    if (model->wants_graph && !tn_failed(reader->error))
        finish_op(reader, &node, type);
    if (!tn_failed(reader->error))
        name_tensors(reader, &node);
    if (tn_failed(reader->error))
        tn_error_where(reader->error, "%s[%" PRIu32 "]",
                       tn_model_graph_at(model, reader->graph)->node_word,
                       node.ordinal);
}

/* ---- references that are not names --------------------------------------- */

/* "node:3" is output 3 of the op "node". */
static void resolve_values(struct tn_tf_reader *reader)
{
    struct tn_model *model = reader->model;
    bool             is_body =
        tn_model_graph_at(model, reader->graph)->kind == TN_GRAPH_FUNCTION;

    for (uint64_t i = reader->first_value; i < model->values.count; i++) {
        struct tn_value *value = tn_list_at(&model->values, struct tn_value, i);
        if (value->kind != TN_VALUE_UNDEFINED)
            continue;
        struct tn_tf_ref ref =
            tn_tf_ref_parse(tn_model_name(model, value->name), is_body);
        uint32_t name = tn_intern_find(&model->names, ref.node);
        if (name == TN_NO_NAME || name == value->name)
            continue;
        uint32_t base = tn_model_find_value(model, reader->graph, name);
        if (base == TN_NONE)
            continue;
        const struct tn_value *of = tn_model_value_at(model, base);
        if (of->kind != TN_VALUE_UNDEFINED)
            tn_model_define(model, (uint32_t)i, (enum tn_value_kind)of->kind,
                            of->producer, ref.output);
    }
    reader->first_value = (uint32_t)model->values.count;
}

/* ---- functions ---------------------------------------------------------- */

struct function {
    struct tn_list   inputs;  /* struct tn_io                                */
    struct tn_list   outputs; /* struct tn_io: .key is the argument's name   */
    struct tn_intern keys;    /* of `ret`                                     */
    struct tn_list   returns; /* struct tn_bytes: its values, by key          */
};

static void read_arg(struct tn_tf_reader *reader, struct tn_list *to,
                     struct tn_cursor *c)
{
    struct tn_io      *io = tn_list_push(to, struct tn_io, reader->error);
    struct tn_pb_field field;

    if (!io)
        return;
    io->note = "";
    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            io->key = io->name = tn_pb_text(&field);
        else if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            io->dtype = tn_tf_dtype(field.value);
        else if (field.number == 5 || field.number == 6)
            io->note = "list"; /* number_attr, type_list_attr */
    }
}

static void read_signature(struct tn_tf_reader *reader, struct function *f,
                           struct tn_cursor *c)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number < 1 || field.number > 3 ||
            !tn_pb_expect(c, &field, TN_WIRE_LEN))
            continue;
        if (field.number == 1)
            tn_model_graph_at(reader->model, reader->graph)->name =
                tn_intern_borrow(&reader->model->names, tn_pb_text(&field),
                                 reader->error);
        else
            read_arg(reader, field.number == 2 ? &f->inputs : &f->outputs,
                     &field.body);
    }
}

/* Of entries with the same key the last one counts. */
static void read_return(struct tn_tf_reader *reader, struct function *f,
                        struct tn_cursor *c)
{
    struct tn_bytes    key = { NULL, 0 }, value = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            key = tn_pb_text(&field);
        else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            value = tn_pb_text(&field);
    }
    uint32_t id = tn_intern_borrow(&f->keys, key, reader->error);
    if (id == TN_NO_NAME ||
        (id == f->returns.count &&
         !tn_list_push(&f->returns, struct tn_bytes, reader->error)))
        return;
    *tn_list_at(&f->returns, struct tn_bytes, id) = value;
}

/* The reference that an output comes from. */
static struct tn_bytes return_of(const struct function *f, struct tn_bytes key)
{
    uint32_t id = tn_intern_find(&f->keys, key);

    if (id >= f->returns.count)
        return (struct tn_bytes){ NULL, 0 };
    return *tn_list_at(&f->returns, struct tn_bytes, id);
}

static void finish_function(struct tn_tf_reader *reader, struct function *f)
{
    struct tn_model *model = reader->model;

    for (uint64_t i = 0; i < f->outputs.count; i++) {
        struct tn_io *io = tn_list_at(&f->outputs, struct tn_io, i);
        io->name         = return_of(f, io->key);
        if (model->wants_graph && io->name.size)
            value_named(reader, io->name);
    }
    for (uint64_t i = 0; model->wants_graph && i < f->inputs.count; i++) {
        struct tn_io *io = tn_list_at(&f->inputs, struct tn_io, i);
        tn_model_define(model, value_named(reader, io->name), TN_VALUE_INPUT,
                        TN_NONE, 0);
    }
    struct tn_io_list inputs =
        tn_tf_keep_io(reader->model, &f->inputs, reader->error);
    struct tn_io_list outputs =
        tn_tf_keep_io(reader->model, &f->outputs, reader->error);
    struct tn_graph *graph = tn_model_graph_at(model, reader->graph);
    graph->inputs          = inputs;
    graph->outputs         = outputs;
    resolve_values(reader);
}

static void read_function_body(struct tn_tf_reader *reader, struct function *f,
                               struct tn_cursor *c)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if ((field.number != 1 && field.number != 3 && field.number != 4) ||
            !tn_pb_expect(c, &field, TN_WIRE_LEN))
            continue;
        if (field.number == 1)
            read_signature(reader, f, &field.body);
        else if (field.number == 3)
            node_read(reader, &field.body);
        else
            read_return(reader, f, &field.body);
    }
}

static void read_function(struct tn_tf_reader *reader, struct tn_cursor *c)
{
    struct tn_model *model = reader->model;
    struct function  f;
    const char      *path = tn_text_format(
             &model->arena, reader->error, "%s%slibrary.function[%" PRIu32 "]",
             reader->path, reader->path[0] ? "." : "", reader->function_count++);

    if (!path)
        return;
    reader->near  = (struct tn_tf_near){ .next = 0 };
    reader->graph = tn_model_add_graph(model, TN_GRAPH_FUNCTION, path,
                                       "node_def", reader->error);
    if (reader->graph == TN_NONE)
        return;
    tn_model_graph_at(model, reader->graph)->wire =
        (struct tn_span){ c->source, c->offset, tn_left(c) };
    tn_list_init(&f.inputs, model->memory, sizeof(struct tn_io));
    tn_list_init(&f.outputs, model->memory, sizeof(struct tn_io));
    tn_list_init(&f.returns, model->memory, sizeof(struct tn_bytes));
    tn_intern_init(&f.keys, &model->arena);
    read_function_body(reader, &f, c);
    if (!tn_failed(reader->error))
        finish_function(reader, &f);
    tn_error_where(reader->error, "%s", path);
    tn_list_done(&f.inputs);
    tn_list_done(&f.outputs);
    tn_list_done(&f.returns);
    tn_intern_done(&f.keys);
}

static void read_libraries(struct tn_tf_reader *reader)
{
    struct tn_pb_field field;

    for (uint64_t i = 0; i < reader->libraries.count; i++) {
        struct tn_cursor c =
            *tn_list_at(&reader->libraries, struct tn_cursor, i);
        while (tn_pb_next(&c, &field))
            if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
                read_function(reader, &field.body);
    }
}

/* ---- the whole ---------------------------------------------------------- */

static void read_versions(struct tn_tf_versions *versions, struct tn_cursor *c)
{
    struct tn_pb_field field;

    versions->is_present = true;
    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            versions->producer = (int32_t)field.value;
        else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            versions->min_consumer = (int32_t)field.value;
    }
}

void tn_tf_reader_begin(struct tn_tf_reader *reader, struct tn_model *model,
                        enum tn_graph_kind kind, const char *path,
                        struct tn_error *error)
{
    *reader =
        (struct tn_tf_reader){ .model       = model,
                               .error       = error,
                               .path        = path,
                               .source      = TN_NONE,
                               .first_value = (uint32_t)model->values.count };
    /* No number is used again by another graph: an op takes one at most. */
    reader->tails.count = (uint32_t)model->ops.count;
    tn_list_init(&reader->libraries, model->memory, sizeof(struct tn_cursor));
    tn_list_init(&reader->placeholders, model->memory,
                 sizeof(struct tn_tf_placeholder));
    reader->graph = tn_model_add_graph(model, kind, path, "node", error);
    if (!model->wants_graph && kind == TN_GRAPH_MAIN)
        reader->uses = uses_open(model->memory, error);
}

void tn_tf_reader_feed(struct tn_tf_reader *reader, struct tn_cursor c)
{
    struct tn_pb_field field;

    if (tn_failed(reader->error))
        return;
    struct tn_graph *graph = tn_model_graph_at(reader->model, reader->graph);
    graph->wire    = (struct tn_span){ c.source, c.offset, tn_left(&c) };
    reader->source = tn_model_source_id(reader->model, c.source, reader->error);
    while (tn_pb_next(&c, &field)) {
        if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_LEN)) {
            node_read(reader, &field.body);
        } else if (field.number == 2 && tn_pb_expect(&c, &field, TN_WIRE_LEN)) {
            struct tn_cursor *library = tn_list_push(
                &reader->libraries, struct tn_cursor, reader->error);
            if (library)
                *library = field.body;
        } else if (field.number == 4 && tn_pb_expect(&c, &field, TN_WIRE_LEN)) {
            read_versions(&reader->versions, &field.body);
        }
    }
    if (reader->path[0])
        tn_error_where(reader->error, "%s", reader->path);
}

void tn_tf_reader_end(struct tn_tf_reader *reader)
{
    uint32_t main = reader->graph;

    if (!tn_failed(reader->error)) {
        resolve_values(reader);
        if (tn_model_graph_at(reader->model, main)->kind == TN_GRAPH_MAIN)
            find_io(reader);
    }
    uses_close(reader->uses);
    reader->uses = NULL;
    if (!tn_failed(reader->error))
        read_libraries(reader);
    reader->graph = main;
    tn_list_done(&reader->libraries);
    tn_list_done(&reader->placeholders);
}
