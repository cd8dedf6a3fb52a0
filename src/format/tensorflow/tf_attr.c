/*
 * tf_attr.c - the attributes of TensorFlow nodes, decoded where they lie
 *
 *   NodeDef    5 attr        map entries {1 key, 2 AttrValue}
 *   AttrValue  1 list  2 s  3 i  4 f  5 b  6 type  7 shape  8 tensor
 *              9 placeholder  10 func {1 name, 2 attr}
 *   ListValue  2 s  3 i  4 f  5 b  6 type  7 shape  8 tensor  9 func
 *
 * A key that occurs twice counts the last time.  An empty list says nothing
 * about its kind.
 */
#include "base/number.h"
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_dtype.h"

enum {
    ATTR_LIST        = 1,
    ATTR_S           = 2,
    ATTR_I           = 3,
    ATTR_F           = 4,
    ATTR_B           = 5,
    ATTR_TYPE        = 6,
    ATTR_SHAPE       = 7,
    ATTR_TENSOR      = 8,
    ATTR_PLACEHOLDER = 9, /* in a list: func */
    ATTR_FUNC        = 10,
};

/* How far ahead we look whether a key occurs again.  Real nodes have a dozen
 * attributes; a hostile one must not make this quadratic. */
#define LOOK_AHEAD 256

/* ---- map entries -------------------------------------------------------- */

/* Nearly all entries are a short key, a value, and nothing else: 0a key, 12
 * value.  False: it is another kind, and nothing was read. */
static bool read_plain_entry(struct tn_cursor *body, struct tn_tf_entry *entry)
{
    const uint8_t *at   = body->at;
    size_t         left = (size_t)(body->end - at), size;
    unsigned       head;

    if (body->beyond || left < 4 || at[0] != 0x0a || at[1] >= 0x80 ||
        left < 4 + (size_t)at[1] || at[2 + at[1]] != 0x12)
        return false;
    left -= 3 + (size_t)at[1];
    size = tn_pb_short_varint(body->end - left, left, &head);
    if (head == 0 || size != left - head)
        return false;
    entry->key = tn_bytes(at + 2, at[1]);
    tn_skip(body, tn_left(body) - size);
    entry->value = tn_sub(body, size);
    return true;
}

void tn_tf_entry_read(struct tn_cursor *body, struct tn_tf_entry *entry)
{
    struct tn_pb_field field;

    if (read_plain_entry(body, entry))
        return;
    entry->key   = (struct tn_bytes){ NULL, 0 };
    entry->value = tn_sub(body, 0);
    while (tn_pb_next(body, &field)) {
        if (field.number == 1 && tn_pb_expect(body, &field, TN_WIRE_LEN))
            entry->key = tn_pb_text(&field);
        else if (field.number == 2 && tn_pb_expect(body, &field, TN_WIRE_LEN))
            entry->value = field.body;
    }
}

bool tn_tf_entry_next(struct tn_cursor *c, uint32_t number,
                      struct tn_tf_entry *entry)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number != number || !tn_pb_expect(c, &field, TN_WIRE_LEN))
            continue;
        entry->offset = field.offset;
        tn_tf_entry_read(&field.body, entry);
        return !tn_failed(c->error);
    }
    return false;
}

static bool occurs_again(struct tn_cursor rest, struct tn_bytes key)
{
    struct tn_tf_entry later;

    for (unsigned i = 0; i < LOOK_AHEAD; i++) {
        if (!tn_tf_entry_next(&rest, 5, &later))
            return false;
        if (tn_bytes_equal(later.key, key))
            return true;
    }
    return false;
}

static void split_entry(const struct tn_tf_entry *entry, struct tn_bytes *name,
                        struct tn_span *wire)
{
    *name = entry->key;
    *wire = (struct tn_span){ entry->value.source, entry->value.offset,
                              tn_left(&entry->value) };
}

static void find_attrs(struct tn_cursor *node)
{
    tn_pb_step_to(node, 5);
}

static bool next_entry(struct tn_cursor *node, struct tn_bytes *name,
                       struct tn_span *wire)
{
    struct tn_tf_entry entry;

    if (!tn_tf_entry_next(node, 5, &entry))
        return false;
    split_entry(&entry, name, wire);
    return true;
}

static bool next_attr(struct tn_cursor *node, struct tn_bytes *name,
                      struct tn_span *wire)
{
    struct tn_tf_entry entry;

    do {
        if (!tn_tf_entry_next(node, 5, &entry))
            return false;
    } while (occurs_again(*node, entry.key));
    split_entry(&entry, name, wire);
    return true;
}

uint32_t tn_tf_attr_kind(struct tn_cursor value, struct tn_pb_field *field)
{
    uint32_t           kind = 0;
    struct tn_pb_field next;

    while (tn_pb_next(&value, &next)) {
        if (next.number > ATTR_FUNC)
            continue;
        kind   = next.number;
        *field = next;
    }
    return kind;
}

/* ---- decoding ----------------------------------------------------------- */

/* What a list of values is decoded into. */
struct decoding {
    const struct tn_model *model;
    uint32_t               op;
    struct tn_arena       *arena;
    struct tn_error       *error;
    struct tn_attr_value  *value;
    void                  *items; /* what value->of points to, writable       */
};

static const enum tn_attr_kind kinds[] = {
    [ATTR_S] = TN_ATTR_STRING,      [ATTR_I] = TN_ATTR_INT,
    [ATTR_F] = TN_ATTR_FLOAT,       [ATTR_B] = TN_ATTR_BOOL,
    [ATTR_TYPE] = TN_ATTR_DTYPE,    [ATTR_SHAPE] = TN_ATTR_SHAPE,
    [ATTR_TENSOR] = TN_ATTR_TENSOR, [ATTR_PLACEHOLDER] = TN_ATTR_REFERENCE,
    [ATTR_FUNC] = TN_ATTR_FUNCTION,
};

static enum tn_wire_type number_type(uint32_t kind)
{
    return kind == ATTR_F ? TN_WIRE_FIXED32 : TN_WIRE_VARINT;
}

static bool is_number(uint32_t kind)
{
    return kind >= ATTR_I && kind <= ATTR_TYPE;
}

static void put_number(struct decoding *d, uint32_t kind, uint32_t index,
                       uint64_t bits)
{
    if (kind == ATTR_F) {
        ((float *)d->items)[index] = tn_float_of_bits((uint32_t)bits);
        return;
    }
    int64_t *to = (int64_t *)d->items + index;
    if (kind == ATTR_TYPE)
        *to = (int64_t)tn_tf_dtype(bits);
    else
        *to = kind == ATTR_B ? bits != 0 : (int64_t)bits;
}

static void decode_shape(struct decoding *d, struct tn_cursor *body,
                         struct tn_attr_shape *to)
{
    struct tn_tf_shape shape;
    int64_t           *dims;

    tn_tf_shape_init(&shape);
    tn_tf_shape_read(body, &shape);
    to->has_rank = !shape.unknown_rank;
    to->rank     = shape.unknown_rank ? 0 : shape.rank;
    if (to->rank == 0)
        return;
    to->dims = dims = tn_new(d->arena, int64_t, to->rank, d->error);
    if (dims)
        memcpy(dims, shape.dims, to->rank * sizeof *dims);
}

static struct tn_tensor *decode_tensor(struct decoding  *d,
                                       struct tn_cursor *body)
{
    struct tn_tensor *tensor = tn_new(d->arena, struct tn_tensor, 1, d->error);
    const struct tn_op *op   = tn_model_op_at(d->model, d->op);
    struct tn_tf_tensor read;

    if (!tensor)
        return NULL;
    tn_tf_tensor_read(body, &read);
    tensor->model = d->model;
    tensor->name  = op->name;
    tensor->graph = op->graph;
    tensor->node  = d->op - tn_model_graph_at(d->model, op->graph)->first_op;
    tensor->slot = tensor->part = TN_NONE;
    tensor->role                = TN_ROLE_ATTRIBUTE;
    tensor->wire                = read.wire;
    tn_tf_tensor_elements(&read, d->arena, &tensor->elements, d->error);
    return tensor;
}

struct tn_bytes tn_tf_first_text(struct tn_cursor *c)
{
    struct tn_bytes    name = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field))
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            name = tn_pb_text(&field);
    return name;
}

static void put_body(struct decoding *d, uint32_t kind, uint32_t index,
                     struct tn_pb_field *field)
{
    if (kind == ATTR_SHAPE)
        decode_shape(d, &field->body, (struct tn_attr_shape *)d->items + index);
    else if (kind == ATTR_TENSOR)
        ((const struct tn_tensor **)d->items)[index] =
            decode_tensor(d, &field->body);
    else
        ((struct tn_bytes *)d->items)[index] =
            kind == ATTR_FUNC ? tn_tf_first_text(&field->body)
                              : tn_pb_text(field);
}

static bool make_room(struct decoding *d, uint32_t kind, uint64_t count)
{
    struct tn_attr_value *value = d->value;

    if (count > UINT32_MAX) {
        tn_error_set(d->error, TN_LIMIT, TN_NOWHERE,
                     "a list of more than 2^32 values");
        return false;
    }
    value->kind  = kinds[kind];
    value->count = (uint32_t)count;
    if (count == 0)
        return true;
    if (kind == ATTR_F)
        value->of.floats = d->items = tn_new(d->arena, float, count, d->error);
    else if (is_number(kind))
        value->of.ints = d->items = tn_new(d->arena, int64_t, count, d->error);
    else if (kind == ATTR_SHAPE)
        value->of.shapes = d->items =
            tn_new(d->arena, struct tn_attr_shape, count, d->error);
    else if (kind == ATTR_TENSOR)
        value->of.tensors = d->items =
            tn_new(d->arena, struct tn_tensor *, count, d->error);
    else
        value->of.strings = d->items =
            tn_new(d->arena, struct tn_bytes, count, d->error);
    return !tn_failed(d->error);
}

/* In a list func is number 9, alone it is 10. */
static uint32_t list_kind(uint32_t number)
{
    return number == ATTR_PLACEHOLDER ? ATTR_FUNC : number;
}

/* How many values the list has, of the kind that comes first. */
static uint64_t count_list(struct tn_cursor list, uint32_t *number)
{
    struct tn_pb_field field;
    uint64_t           count = 0, bits;

    *number = 0;
    while (tn_pb_next(&list, &field)) {
        if (field.number < ATTR_S || field.number > ATTR_PLACEHOLDER)
            continue;
        if (*number == 0)
            *number = field.number;
        if (field.number != *number)
            continue;
        if (!is_number(field.number))
            count += tn_pb_expect(&list, &field, TN_WIRE_LEN);
        else
            while (
                tn_pb_number(&list, &field, number_type(field.number), &bits))
                count++;
    }
    return count;
}

static void decode_list(struct decoding *d, struct tn_cursor list)
{
    struct tn_pb_field field;
    uint32_t           number, index = 0;
    uint64_t           bits;
    uint64_t           count = count_list(list, &number);

    d->value->is_list = true;
    if (number == 0 || tn_failed(d->error) ||
        !make_room(d, list_kind(number), count))
        return;
    while (tn_pb_next(&list, &field)) {
        if (field.number != number)
            continue;
        if (!is_number(number))
            put_body(d, list_kind(number), index++, &field);
        else
            while (tn_pb_number(&list, &field, number_type(number), &bits))
                put_number(d, number, index++, bits);
    }
}

static void decode_one(struct decoding *d, struct tn_cursor *c, uint32_t kind,
                       struct tn_pb_field *field)
{
    enum tn_wire_type type = is_number(kind) ? number_type(kind) : TN_WIRE_LEN;

    if (!tn_pb_expect(c, field, type) || !make_room(d, kind, 1))
        return;
    if (is_number(kind))
        put_number(d, kind, 0, field->value);
    else
        put_body(d, kind, 0, field);
}

static enum tn_status decode(const struct tn_model *model, uint32_t op,
                             struct tn_span wire, struct tn_arena *arena,
                             struct tn_attr_value *value,
                             struct tn_error      *error)
{
    struct tn_cursor   c = tn_cursor_span(wire, error);
    struct decoding    d = { model, op, arena, error, value, NULL };
    struct tn_pb_field field;

    *value        = (struct tn_attr_value){ .kind = TN_ATTR_NONE };
    uint32_t kind = tn_tf_attr_kind(c, &field);
    if (kind == ATTR_LIST) {
        if (tn_pb_expect(&c, &field, TN_WIRE_LEN))
            decode_list(&d, field.body);
    } else if (kind) {
        decode_one(&d, &c, kind, &field);
    }
    return error->status;
}

/* In the words of a vocabulary. */
static const char *attr_word(struct tn_span wire)
{
    static const char *const words[] = {
        [0]                = "",
        [ATTR_S]           = "string",
        [ATTR_I]           = "int",
        [ATTR_F]           = "float",
        [ATTR_B]           = "bool",
        [ATTR_TYPE]        = "type",
        [ATTR_SHAPE]       = "shape",
        [ATTR_TENSOR]      = "tensor",
        [ATTR_PLACEHOLDER] = "reference",
        [ATTR_FUNC]        = "func",
    };
    static const char *const list_words[] = {
        [0]                = "list()",
        [ATTR_S]           = "list(string)",
        [ATTR_I]           = "list(int)",
        [ATTR_F]           = "list(float)",
        [ATTR_B]           = "list(bool)",
        [ATTR_TYPE]        = "list(type)",
        [ATTR_SHAPE]       = "list(shape)",
        [ATTR_TENSOR]      = "list(tensor)",
        [ATTR_PLACEHOLDER] = "list(func)",
    };
    struct tn_error    failure = TN_ERROR_INIT;
    struct tn_cursor   c       = tn_cursor_span(wire, &failure);
    struct tn_pb_field field, first;
    uint32_t           kind = tn_tf_attr_kind(c, &field);

    if (tn_failed(&failure) || (kind == ATTR_LIST && field.type != TN_WIRE_LEN))
        return "";
    if (kind != ATTR_LIST)
        return words[kind];
    while (tn_pb_next(&field.body, &first))
        if (first.number >= ATTR_S && first.number <= ATTR_PLACEHOLDER)
            return list_words[first.number];
    return tn_failed(&failure) ? "" : list_words[0];
}

/* ---- the dialect -------------------------------------------------------- */

static const char *tensor_word(const struct tn_tensor *tensor)
{
    return tensor->role == TN_ROLE_ATTRIBUTE ? "attr" : "entry";
}

static const char *tensor_tail(const struct tn_tensor *tensor)
{
    if (tensor->role != TN_ROLE_ATTRIBUTE)
        return "";
    return tensor->part == TN_NONE ? ".value.tensor" : ".value.list.tensor";
}

/* Names of nodes have no colon: "split:2", and "split:output:2" in functions.
 */
static struct tn_bytes producer_of(struct tn_bytes value, uint32_t *output)
{
    struct tn_tf_ref ref = tn_tf_ref_parse(value, true);

    *output = ref.output;
    return ref.node;
}

const struct tn_dialect tn_dialect_tensorflow = {
    .name        = "tensorflow",
    .find_attrs  = find_attrs,
    .next_attr   = next_attr,
    .next_entry  = next_entry,
    .decode      = decode,
    .attr_type   = attr_word,
    .tensor_word = tensor_word,
    .tensor_tail = tensor_tail,
    .producer_of = producer_of,
    .is_op_name  = tn_tf_is_node_name,
    .loop_ops =
        (const char *const[]){ "NextIteration", "RefNextIteration", NULL },
};
