/* nd4j_args.c - arguments of nd4j ops: by name in a net, by position in a
 * file */
#include "map/net/nd4j_args.h"

#include <inttypes.h>
#include <stdio.h>

#include "ir/element.h"
#include "ir/nd4j_calls.h"
#include "map/net/net_build.h"

/* No kernel has more arguments of a kind; lists of sizes and axes are short. */
enum { SLOT_LIMIT = 4096 };

struct packing {
    struct tn_net            *net;
    struct tn_error          *error;
    struct tn_nd4j_book       book;
    uint32_t                  id; /* node at hand                             */
    const struct tn_vocab_op *op;
    struct tn_list            attrs; /* struct tn_net_attr: being made        */
    struct tn_intern          calls; /* what was packed, as words             */
    struct tn_list            packed; /* struct packed, by id of the call     */
};

/* The result for a call, which is used for all equal calls. */
struct packed {
    const struct tn_vocab_op *op;
    uint32_t                  node; /* that has its attributes by now         */
};

/* The lists of a call, in the order of enum tn_vocab_list. */
static const struct list {
    const char       *name;
    const char       *names; /* of its arguments                              */
    enum tn_attr_kind kind;
} lists[] = {
    [TN_VOCAB_NAMED] = { "", NULL, TN_ATTR_NONE },
    [TN_VOCAB_IARGS] = { "iArgs", "iArgNames", TN_ATTR_INT },
    [TN_VOCAB_TARGS] = { "tArgs", "tArgNames", TN_ATTR_DOUBLE },
    [TN_VOCAB_BARGS] = { "bArgs", "bArgNames", TN_ATTR_BOOL },
    [TN_VOCAB_DARGS] = { "dArgs", "dArgNames", TN_ATTR_DTYPE },
    [TN_VOCAB_SARGS] = { "sArgs", "sArgNames", TN_ATTR_STRING },
    [TN_VOCAB_AXIS]  = { "dimensions", NULL, TN_ATTR_INT },
};

static enum tn_status packing_init(struct packing *p, struct tn_net *net)
{
    *p = (struct packing){ .net = net, .error = net->error };
    tn_list_init(&p->attrs, net->arena->memory, sizeof(struct tn_net_attr));
    tn_intern_init(&p->calls, net->arena);
    tn_list_init(&p->packed, net->arena->memory, sizeof(struct packed));
    return tn_nd4j_book_init(&p->book, net->arena, net->error);
}

static void add_attr(struct packing *p, struct tn_bytes name,
                     struct tn_attr_value value)
{
    struct tn_net_attr *attr =
        tn_list_push(&p->attrs, struct tn_net_attr, p->error);

    if (attr)
        *attr = (struct tn_net_attr){ name, value };
}

/* The attributes that were made take the place of the old ones. */
static enum tn_status finish_node(struct packing *p)
{
    tn_net_set_attrs(p->net, p->id, p->attrs.items, (uint32_t)p->attrs.count);
    return p->error->status;
}

static struct tn_attr_value text_value(struct packing *p, struct tn_bytes text)
{
    struct tn_bytes *kept = tn_new(p->net->arena, struct tn_bytes, 1, p->error);

    if (kept)
        *kept = text;
    return (struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                   .count      = 1,
                                   .of.strings = kept };
}

static struct tn_attr_value int_value(struct packing *p, int64_t number)
{
    int64_t *kept = tn_new(p->net->arena, int64_t, 1, p->error);

    if (kept)
        *kept = number;
    return (struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                   .count   = 1,
                                   .of.ints = kept };
}

/* ---- one argument as the kind that its list has ------------------------- */

union argument {
    int64_t         whole; /* INT, BOOL, DTYPE */
    double          real;
    struct tn_bytes text;
};

static bool whole_at(const struct tn_attr_value *value, uint32_t index,
                     int64_t *to)
{
    double real;

    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL: *to = value->of.ints[index]; return true;
    case TN_ATTR_FLOAT: real = (double)value->of.floats[index]; break;
    case TN_ATTR_DOUBLE: real = value->of.doubles[index]; break;
    default: return false;
    }
    if (!(real >= -9e15 && real <= 9e15))
        return false;
    *to = (int64_t)real;
    return (double)*to == real;
}

static bool real_at(const struct tn_attr_value *value, uint32_t index,
                    double *to)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL: *to = (double)value->of.ints[index]; return true;
    case TN_ATTR_FLOAT: *to = (double)value->of.floats[index]; return true;
    case TN_ATTR_DOUBLE: *to = value->of.doubles[index]; return true;
    default: return false;
    }
}

/* False: it cannot be one of that kind. */
static bool argument_at(const struct tn_attr_value *value, uint32_t index,
                        enum tn_attr_kind kind, union argument *to)
{
    switch (kind) {
    case TN_ATTR_INT: return whole_at(value, index, &to->whole);
    case TN_ATTR_BOOL:
        if (!whole_at(value, index, &to->whole))
            return false;
        to->whole = to->whole != 0;
        return true;
    case TN_ATTR_DOUBLE: return real_at(value, index, &to->real);
    case TN_ATTR_DTYPE:
        if (value->kind != TN_ATTR_DTYPE)
            return false;
        to->whole = value->of.ints[index];
        return true;
    default:
        if (value->kind != TN_ATTR_STRING)
            return false;
        to->text = value->of.strings[index];
        return true;
    }
}

static struct tn_attr_value new_list(struct packing *p, enum tn_attr_kind kind,
                                     uint32_t count)
{
    struct tn_attr_value value = { .kind    = kind,
                                   .is_list = true,
                                   .count   = count };

    if (kind == TN_ATTR_DOUBLE)
        value.of.doubles = tn_new(p->net->arena, double, count, p->error);
    else if (kind == TN_ATTR_STRING)
        value.of.strings =
            tn_new(p->net->arena, struct tn_bytes, count, p->error);
    else
        value.of.ints = tn_new(p->net->arena, int64_t, count, p->error);
    return value;
}

/* The list is ours, fresh from new_list(). */
static void put_argument(struct tn_attr_value *list, uint32_t index,
                         const union argument *from)
{
    if (list->kind == TN_ATTR_DOUBLE)
        ((double *)(uintptr_t)list->of.doubles)[index] = from->real;
    else if (list->kind == TN_ATTR_STRING)
        ((struct tn_bytes *)(uintptr_t)list->of.strings)[index] = from->text;
    else
        ((int64_t *)(uintptr_t)list->of.ints)[index] = from->whole;
}

/* ---- packing ------------------------------------------------------------ */

static enum tn_status refuse(const struct packing *p, struct tn_bytes attr,
                             const char *why)
{
    const struct tn_net_node node = tn_net_node(p->net, p->id);

    return tn_error_set(p->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "nd4j op %.*s '%.*s': %.*s %s", TN_FMT(node.op->type),
                        TN_FMT(node.name), TN_FMT(attr), why);
}

static const struct tn_attr_value *value_of(const struct packing       *p,
                                            const struct tn_vocab_attr *attr)
{
    const struct tn_net_node node = tn_net_node(p->net, p->id);

    for (uint32_t i = 0; i < node.attr_count; i++)
        if (tn_bytes_equal(node.attrs[i].name, attr->name))
            return &node.attrs[i].value;
    return NULL;
}

/* How long a list is with what is given. */
static uint32_t list_length(const struct packing *p, enum tn_vocab_list list)
{
    uint64_t length = 0;

    for (uint32_t i = 0; i < p->op->attr_count; i++) {
        const struct tn_vocab_attr *attr  = &p->op->attrs[i];
        const struct tn_attr_value *value = value_of(p, attr);
        if (attr->list != list || !value)
            continue;
        uint64_t end =
            attr->slot + (uint64_t)(attr->is_rest || list == TN_VOCAB_AXIS
                                        ? value->count
                                        : 1);
        length = end > length ? end : length;
    }
    return length > SLOT_LIMIT ? SLOT_LIMIT + 1 : (uint32_t)length;
}

static enum tn_status put_value(struct packing             *p,
                                const struct tn_vocab_attr *attr,
                                const struct tn_attr_value *value,
                                struct tn_attr_value       *to)
{
    bool           is_many = attr->is_rest || attr->list == TN_VOCAB_AXIS;
    union argument argument;

    if (!is_many && value->count != 1)
        return refuse(p, attr->name, "is a list");
    for (uint32_t i = 0; i < value->count && attr->slot + i < to->count; i++) {
        if (!argument_at(value, i, to->kind, &argument))
            return refuse(p, attr->name, "is of another kind");
        put_argument(to, attr->slot + i, &argument);
    }
    return TN_OK;
}

static enum tn_status fill_slot(struct packing *p, enum tn_vocab_list list,
                                uint32_t slot, struct tn_attr_value *to)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_slot(p->op, list, slot);
    const struct tn_attr_value *value;

    if (!attr)
        return refuse(p, tn_text(lists[list].name),
                      "has a slot without a name");
    value = value_of(p, attr);
    if (!value && attr->has_default)
        value = &attr->value;
    if (!value)
        return refuse(p, attr->name, "is not given, and what follows it is");
    if (attr->is_rest && attr->slot < slot)
        return TN_OK; /* put with the first of them */
    return put_value(p, attr, value, to);
}

static enum tn_status pack_list(struct packing *p, enum tn_vocab_list list)
{
    uint32_t length = list_length(p, list);

    if (!length)
        return TN_OK;
    if (length > SLOT_LIMIT)
        return refuse(p, tn_text(lists[list].name), "is too long");
    struct tn_attr_value to = new_list(p, lists[list].kind, length);
    if (tn_failed(p->error))
        return p->error->status;
    if (list == TN_VOCAB_AXIS)
        TN_TRY(fill_slot(p, list, 0, &to));
    else
        for (uint32_t i = 0; i < length; i++)
            TN_TRY(fill_slot(p, list, i, &to));
    add_attr(p, tn_text(lists[list].name), to);
    return p->error->status;
}

/* The operand of a scalar op has the type of what it is applied to. */
static enum tn_dtype scalar_type(const struct packing *p)
{
    const struct tn_net_node node  = tn_net_node(p->net, p->id);
    enum tn_dtype            dtype = TN_UNDEFINED;

    if (node.input_count && node.inputs[0] != TN_NONE)
        dtype = tn_net_value(p->net, node.inputs[0]).type->dtype;
    return tn_dtype_size(dtype) ? dtype : TN_FLOAT32;
}

static struct tn_attr_value scalar_value(struct packing *p, double number)
{
    enum tn_dtype     dtype = scalar_type(p);
    struct tn_tensor *tensor =
        tn_new(p->net->arena, struct tn_tensor, 1, p->error);
    const struct tn_tensor **one =
        tn_new(p->net->arena, const struct tn_tensor *, 1, p->error);
    struct tn_source *source =
        tn_new(p->net->arena, struct tn_source, 1, p->error);
    uint8_t *bytes = tn_new(p->net->arena, uint8_t, TN_ELEMENT_MAX, p->error);

    if (!tensor || !one || !source || !bytes)
        return (struct tn_attr_value){ .kind = TN_ATTR_NONE };
    tn_element_from_double(dtype, number, bytes);
    tn_source_memory(source, p->net->arena->memory,
                     tn_bytes(bytes, tn_dtype_size(dtype)));
    tensor->name           = TN_NO_NAME;
    tensor->model          = p->net->source;
    tensor->graph          = TN_NONE;
    tensor->node           = TN_NONE;
    tensor->elements.shape = (struct tn_shape){ dtype, 0, NULL };
    tensor->elements.payload =
        tn_payload_raw(&tensor->elements.shape,
                       (struct tn_span){ source, 0, tn_dtype_size(dtype) }, 1);
    *one = tensor;
    return (struct tn_attr_value){ .kind       = TN_ATTR_TENSOR,
                                   .count      = 1,
                                   .of.tensors = one };
}

static enum tn_status pack_scalar(struct packing *p)
{
    for (uint32_t i = 0; i < p->op->attr_count; i++) {
        const struct tn_vocab_attr *attr  = &p->op->attrs[i];
        const struct tn_attr_value *value = value_of(p, attr);
        double                      number;
        if (attr->list != TN_VOCAB_SCALAR)
            continue;
        if (!value && attr->has_default)
            value = &attr->value;
        if (!value)
            continue;
        if (value->count != 1 || !real_at(value, 0, &number))
            return refuse(p, attr->name, "is not a number");
        add_attr(p, tn_text("scalar"), scalar_value(p, number));
    }
    return p->error->status;
}

static void pack_kernel(struct packing *p)
{
    bool is_custom = !p->op || !p->op->kernel.size;

    add_attr(p, tn_text("opType"),
             text_value(p, is_custom ? tn_text("CUSTOM") : p->op->kernel));
    add_attr(p, tn_text("opNum"),
             int_value(p, is_custom ? tn_nd4j_hash(
                                          &p->book.hasher,
                                          tn_net_node(p->net, p->id).op->type)
                                    : p->op->kernel_number));
}

/* What is known of the results; a file has it for all of them or for none. */
static void pack_types(struct packing *p)
{
    const struct tn_net_node node = tn_net_node(p->net, p->id);
    struct tn_attr_value types = new_list(p, TN_ATTR_DTYPE, node.output_count);

    for (uint32_t i = 0; i < node.output_count && !tn_failed(p->error); i++) {
        union argument type = { .whole = TN_UNDEFINED };
        if (node.outputs[i] != TN_NONE)
            type.whole =
                (int64_t)tn_net_value(p->net, node.outputs[i]).type->dtype;
        if (type.whole == TN_UNDEFINED)
            return;
        put_argument(&types, i, &type);
    }
    if (node.output_count)
        add_attr(p, tn_text("outputTypes"), types);
}

/* Every attribute must be one that the vocabulary has. */
static enum tn_status check_names(struct packing *p)
{
    const struct tn_net_node node = tn_net_node(p->net, p->id);

    for (uint32_t i = 0; i < node.attr_count; i++) {
        const struct tn_vocab_attr *attr =
            tn_vocab_find_attr(p->op, node.attrs[i].name);
        if (!attr || attr->list == TN_VOCAB_NAMED)
            return refuse(p, node.attrs[i].name, "has no place in a call");
    }
    return TN_OK;
}

static enum tn_status pack_anew(struct packing *p)
{
    p->attrs.count = 0;
    p->op = tn_nd4j_named(&p->book, tn_net_node(p->net, p->id).op->type);
    if (tn_failed(p->error))
        return p->error->status;
    pack_kernel(p);
    if (p->op) {
        TN_TRY(check_names(p));
        tn_net_complete_outputs(p->net, p->id, p->op, false);
        for (enum tn_vocab_list list = TN_VOCAB_IARGS; list <= TN_VOCAB_AXIS;
             list++)
            TN_TRY(pack_list(p, list));
        TN_TRY(pack_scalar(p));
    }
    pack_types(p);
    return finish_node(p);
}

/* ---- equal calls -------------------------------------------------------- */

enum { CALL_OUTPUTS = 8, CALL_HEAD = 4, CALL_WORDS = CALL_HEAD + CALL_OUTPUTS };
enum { CALLS_MAX = 1 << 16 };

static uint64_t dtype_of(const struct packing *p, uint32_t value)
{
    if (value == TN_NONE)
        return TN_DTYPE_COUNT;
    return (uint64_t)tn_net_value(p->net, value).type->dtype;
}

/* Everything that packing depends on; empty if no other call can be equal. */
static struct tn_bytes say_call(const struct packing *p, uint64_t *words)
{
    const struct tn_net_node node = tn_net_node(p->net, p->id);

    if (!node.has_common_attrs || node.output_count > CALL_OUTPUTS)
        return tn_bytes(NULL, 0);
    words[0] = (uintptr_t)node.op;
    words[1] = node.attr_count ? (uintptr_t)node.attrs : 0;
    words[2] = (uint64_t)node.input_count << 32 | node.output_count;
    words[3] = node.input_count ? dtype_of(p, node.inputs[0]) : 0;
    for (uint32_t i = 0; i < node.output_count; i++)
        words[CALL_HEAD + i] = dtype_of(p, node.outputs[i]);
    return tn_bytes(words,
                    (CALL_HEAD + (size_t)node.output_count) * sizeof *words);
}

static void note_call(struct packing *p, struct tn_bytes call)
{
    struct packed *packed =
        p->packed.count < CALLS_MAX
            ? tn_list_push(&p->packed, struct packed, p->error)
            : NULL;

    if (!packed)
        return;
    *packed = (struct packed){ p->op, p->id };
    if (tn_intern_copy(&p->calls, call, p->error) == TN_NO_NAME)
        p->packed.count--;
}

static enum tn_status pack_again(struct packing *p, uint32_t id)
{
    const struct packed *packed = tn_list_at(&p->packed, struct packed, id);

    p->op = packed->op;
    if (p->op)
        tn_net_complete_outputs(p->net, p->id, p->op, false);
    tn_net_copy_attrs(p->net, p->id, packed->node);
    return p->error->status;
}

static enum tn_status pack_node(struct packing *p)
{
    uint64_t        words[CALL_WORDS];
    struct tn_bytes call = say_call(p, words);
    uint32_t id = call.size ? tn_intern_find(&p->calls, call) : TN_NO_NAME;

    if (id != TN_NO_NAME)
        return pack_again(p, id);
    TN_TRY(pack_anew(p));
    if (call.size)
        note_call(p, call);
    return p->error->status;
}

/* ---- unpacking ---------------------------------------------------------- */

static const struct tn_attr_value *raw(const struct packing *p,
                                       const char           *name)
{
    return tn_net_attr_of(p->net, p->id, name);
}

static const struct tn_vocab_op *recognise(struct packing *p)
{
    struct tn_bytes             name   = tn_net_node(p->net, p->id).op->type;
    const struct tn_attr_value *type   = raw(p, "opType");
    const struct tn_attr_value *number = raw(p, "opNum");

    if (!type || type->kind != TN_ATTR_STRING || !number ||
        number->kind != TN_ATTR_INT)
        return tn_nd4j_named(&p->book, name);
    return tn_nd4j_meant(&p->book, name, type->of.strings[0],
                         number->of.ints[0]);
}

static bool is_nothing(const struct tn_attr_value *list, uint32_t index)
{
    switch (list->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: return list->of.ints[index] == 0;
    case TN_ATTR_DOUBLE: return list->of.doubles[index] == 0;
    case TN_ATTR_STRING: return list->of.strings[index].size == 0;
    default: return false;
    }
}

/* `count` arguments from `first` on; one that is not a list is single. */
static struct tn_attr_value cut(const struct tn_attr_value *list,
                                uint32_t first, uint32_t count, bool is_list)
{
    struct tn_attr_value part = *list;

    part.is_list = is_list;
    part.count   = count;
    if (list->kind == TN_ATTR_DOUBLE)
        part.of.doubles += first;
    else if (list->kind == TN_ATTR_STRING)
        part.of.strings += first;
    else
        part.of.ints += first;
    return part;
}

static enum tn_status unpack_slot(struct packing *p, enum tn_vocab_list list,
                                  const struct tn_attr_value *from,
                                  uint32_t                   *slot)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_slot(p->op, list, *slot);
    char                        place[32];

    if (attr && (attr->is_rest || list == TN_VOCAB_AXIS)) {
        add_attr(p, attr->name, cut(from, *slot, from->count - *slot, true));
        *slot = from->count;
        return p->error->status;
    }
    if (attr)
        add_attr(p, attr->name, cut(from, *slot, 1, false));
    else if (!is_nothing(from, *slot)) {
        snprintf(place, sizeof place, "%s[%" PRIu32 "]", lists[list].name,
                 *slot);
        return refuse(p, tn_text(place), "has no name in the vocabulary");
    }
    ++*slot;
    return p->error->status;
}

/* Deeplearning4j's Java writes more for reductions than their kernels read: in
 * bArgs[1], that the axes are of a new kind, and 2^31 - 1 for "all axes", which
 * is also the meaning of no axis. */
static uint32_t told_count(const struct packing       *p,
                           const struct tn_attr_value *from,
                           enum tn_vocab_list          list)
{
    static const char reduce[]     = "REDUCE_";
    bool              is_reduction = p->op->kernel.size > sizeof reduce &&
                        !memcmp(p->op->kernel.data, reduce, sizeof reduce - 1);

    if (is_reduction && list == TN_VOCAB_BARGS && from->count > 1)
        return 1;
    if (list == TN_VOCAB_AXIS && from->count == 1 &&
        from->of.ints[0] == INT32_MAX)
        return 0;
    return from->count;
}

/* Where the file names its arguments, their order means nothing. */
static enum tn_status put_in_order(struct packing *p, enum tn_vocab_list list,
                                   struct tn_attr_value *values)
{
    const struct tn_net_node    node = tn_net_node(p->net, p->id);
    const struct tn_attr_value *names =
        lists[list].names ? raw(p, lists[list].names) : NULL;

    if (!names || names->kind != TN_ATTR_STRING)
        return TN_OK;
    if (names->count != values->count)
        return refuse(p, tn_text(lists[list].names), "has another length");
    if (tn_args_in_order(p->op, list, names->of.strings, values, NULL,
                         p->net->arena, p->error) != TN_OK)
        tn_error_where(p->error, "'%.*s' (%.*s).%s", TN_FMT(node.name),
                       TN_FMT(node.op->type), lists[list].name);
    return p->error->status;
}

static enum tn_status unpack_list(struct packing *p, enum tn_vocab_list list)
{
    const struct tn_attr_value *from = raw(p, lists[list].name);
    uint32_t                    slot = 0;

    if (!from || from->kind != lists[list].kind || !from->is_list)
        return TN_OK;
    struct tn_attr_value told = *from;
    TN_TRY(put_in_order(p, list, &told));
    told.count = told_count(p, &told, list);
    while (slot < told.count)
        TN_TRY(unpack_slot(p, list, &told, &slot));
    return TN_OK;
}

static enum tn_status unpack_scalar(struct packing *p)
{
    const struct tn_attr_value *from = raw(p, "scalar");
    const struct tn_vocab_attr *attr =
        tn_vocab_find_slot(p->op, TN_VOCAB_SCALAR, 0);

    if (!from || from->kind != TN_ATTR_TENSOR || !attr)
        return TN_OK;
    const struct tn_elements *elements = &from->of.tensors[0]->elements;
    struct tn_buffer          buffer;
    double *number = tn_new(p->net->arena, double, 1, p->error);
    if (!number)
        return p->error->status;
    tn_buffer_init(&buffer, p->net->arena->memory, p->error);
    if (tn_dtype_size(elements->shape.dtype) &&
        tn_payload_stream(elements, 0, 1, p->net->arena->memory, &buffer.sink,
                          p->error) == TN_OK)
        *number = tn_element_double(elements->shape.dtype,
                                    tn_buffer_bytes(&buffer).data);
    tn_buffer_done(&buffer);
    add_attr(p, attr->name,
             (struct tn_attr_value){
                 .kind = TN_ATTR_DOUBLE, .count = 1, .of.doubles = number });
    return p->error->status;
}

/* Copies the types of results that the file declares to the values. */
static void unpack_types(struct packing *p)
{
    const struct tn_attr_value *types = raw(p, "outputTypes");
    const struct tn_net_node    node  = tn_net_node(p->net, p->id);

    if (!types || types->kind != TN_ATTR_DTYPE)
        return;
    for (uint32_t i = 0; i < types->count && i < node.output_count; i++)
        if (node.outputs[i] != TN_NONE)
            tn_net_set_dtype(p->net, node.outputs[i],
                             (enum tn_dtype)types->of.ints[i]);
}

static enum tn_status unpack_node(struct packing *p)
{
    p->attrs.count = 0;
    p->op          = recognise(p);
    if (tn_failed(p->error))
        return p->error->status;
    unpack_types(p);
    if (!p->op)
        return TN_OK; /* no rule has it either */
    for (enum tn_vocab_list list = TN_VOCAB_IARGS; list <= TN_VOCAB_AXIS;
         list++)
        TN_TRY(unpack_list(p, list));
    TN_TRY(unpack_scalar(p));
    tn_net_set_op(p->net, p->id, tn_net_op(p->net, p->op->name, tn_text("")));
    return finish_node(p);
}

/* ---- all of them -------------------------------------------------------- */

static enum tn_status each_node(struct tn_net *net,
                                enum tn_status (*visit)(struct packing *))
{
    struct packing p;

    if (packing_init(&p, net) == TN_OK)
        for (p.id = 0; p.id < net->nodes.count && !tn_failed(net->error);
             p.id++)
            if (!tn_net_node(net, p.id).is_removed)
                visit(&p);
    tn_list_done(&p.attrs);
    tn_list_done(&p.packed);
    tn_intern_done(&p.calls);
    return net->error->status;
}

enum tn_status tn_nd4j_pack(struct tn_net *net)
{
    return each_node(net, pack_node);
}

enum tn_status tn_nd4j_unpack(struct tn_net *net)
{
    return each_node(net, unpack_node);
}
