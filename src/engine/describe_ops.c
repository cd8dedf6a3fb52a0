/* describe_ops.c - the operations of a model of nd4j, as op descriptors */
#include "engine/describe_ops.h"

#include "base/buffer.h"
#include "base/rope.h"
#include "ir/element.h"
#include "ir/model_tables.h"
#include "ir/nd4j_calls.h"
#include "map/dl4j/ir_types.h"
#include "wire/pb/pb_write.h"

/* Constants that rules make are axes and sizes; larger constants are given by
 * name. */
enum { CONSTANT_MAX = 1 << 20 };

struct describing {
    const struct tn_describing *how;
    struct tn_error            *error;
    struct tn_nd4j_book         book;
    struct tn_op_descriptor    *first, *last; /* NULL: none yet               */
    struct tn_list              args;         /* struct tn_arg: of one op     */
};

/* ---- values ------------------------------------------------------------- */

static struct tn_bytes name_of(struct describing *d, uint32_t value)
{
    struct tn_bytes name = tn_model_value_name(d->how->model, value);

    if (d->how->name)
        name = d->how->name(d->how->context, name);
    return tn_bytes_dup(d->how->arena, name, d->error);
}

struct strings {
    struct tn_rope *to;
};

static int put_string(void *context, uint64_t index, struct tn_bytes text)
{
    (void)index;
    tn_pb_put_bytes(((struct strings *)context)->to, 6, text);
    return 0;
}

static void put_elements(struct describing *d, const struct tn_tensor *tensor,
                         struct tn_rope *to)
{
    uint64_t size  = tn_tensor_size(tensor);
    uint64_t count = tn_tensor_count(tensor);

    if (tn_tensor_dtype(tensor) == TN_STRING) {
        struct strings strings = { to };
        tn_tensor_strings(tensor, 0, count, put_string, &strings, d->error);
        return;
    }
    uint8_t *bytes = tn_new(d->how->arena, uint8_t, size, d->error);
    if (bytes &&
        tn_tensor_read(tensor, 0, bytes, (size_t)size, d->error) == TN_OK)
        tn_pb_put_bytes(to, 9, tn_bytes(bytes, (size_t)size));
}

/* An org.nd4j.ir.TensorProto. */
static struct tn_bytes encode_tensor(struct describing      *d,
                                     const struct tn_tensor *tensor,
                                     struct tn_bytes         name)
{
    struct tn_bytes  kept = tn_bytes(NULL, 0);
    struct tn_rope   to;
    struct tn_buffer bytes;

    tn_rope_init(&to, d->how->arena, d->error);
    tn_buffer_init(&bytes, d->how->arena->memory, d->error);
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        tn_pb_put_varint(&to, 1, tn_tensor_dims(tensor)[i]);
    tn_pb_put_varint(&to, 2, (uint64_t)tn_ir_type(tn_tensor_dtype(tensor)));
    put_elements(d, tensor, &to);
    tn_pb_put_bytes(&to, 8, name);
    if (!tn_failed(d->error) &&
        tn_rope_write(&to, &bytes.sink, d->error) == TN_OK)
        kept = tn_bytes_dup(d->how->arena, tn_buffer_bytes(&bytes), d->error);
    tn_buffer_done(&bytes);
    tn_rope_done(&to);
    return kept;
}

/* The elements of a constant that the rules made. */
static struct tn_bytes tensor_of(struct describing *d, uint32_t value,
                                 struct tn_bytes name)
{
    struct tn_bytes own = tn_model_value_name(d->how->model, value);
    const char     *text =
        tn_text_format(d->how->arena, d->error, "%.*s", TN_FMT(own));
    const struct tn_tensor *tensor =
        text && value != TN_NONE &&
                tn_model_value_info(d->how->model, value).kind ==
                    TN_VALUE_INITIALIZER
            ? tn_model_find(d->how->model, text)
            : NULL;

    if (tensor && tn_tensor_dtype(tensor) == TN_UNDEFINED)
        tn_error_set(d->error, TN_MALFORMED, TN_NOWHERE,
                     "the element type of a constant is unknown");
    if (!tensor || tn_tensor_count(tensor) > CONSTANT_MAX ||
        tn_ir_type(tn_tensor_dtype(tensor)) == 0 ||
        (d->how->is_known && d->how->is_known(d->how->context, name)))
        return tn_bytes(NULL, 0);
    return encode_tensor(d, tensor, name);
}

/* ---- arguments ---------------------------------------------------------- */

static struct tn_arg *add_arg(struct describing *d, enum tn_arg_type type,
                              struct tn_bytes name, uint32_t index)
{
    struct tn_arg *arg = tn_list_push(&d->args, struct tn_arg, d->error);

    if (arg)
        *arg = (struct tn_arg){ .name      = name,
                                .type      = type,
                                .index     = (int32_t)index,
                                .has_value = true };
    return arg;
}

static void add_input(struct describing *d, uint32_t value, uint32_t index)
{
    struct tn_bytes name = name_of(d, value);
    struct tn_arg  *arg  = add_arg(d, TN_ARG_INPUT_TENSOR, name, index);

    if (!arg)
        return;
    arg->text   = name;
    arg->tensor = tensor_of(d, value, name);
}

/* The vocabulary's name for an output; the last one may stand for several. */
static struct tn_bytes output_name(const struct describing  *d,
                                   const struct tn_vocab_op *op, uint32_t index)
{
    if (!op || !op->output_count)
        return tn_text("output");
    uint32_t last = op->output_count - 1;
    return tn_bytes_dup(
        d->how->arena, op->outputs[index < last ? index : last].name, d->error);
}

static void add_output(struct describing *d, const struct tn_vocab_op *op,
                       uint32_t value, uint32_t index)
{
    struct tn_arg *arg =
        add_arg(d, TN_ARG_OUTPUT_TENSOR, output_name(d, op, index), index);

    if (arg)
        arg->text = name_of(d, value);
}

static const struct {
    const char        *attr;
    enum tn_vocab_list list;
    enum tn_arg_type   type;
} lists[] = {
    { "tArgs", TN_VOCAB_TARGS, TN_ARG_DOUBLE },
    { "iArgs", TN_VOCAB_IARGS, TN_ARG_INT64 },
    { "bArgs", TN_VOCAB_BARGS, TN_ARG_BOOL },
    { "dArgs", TN_VOCAB_DARGS, TN_ARG_DATA_TYPE },
    { "sArgs", TN_VOCAB_SARGS, TN_ARG_STRING },
    { "dimensions", TN_VOCAB_AXIS, TN_ARG_INT64 },
};

static void set_value(struct describing *d, struct tn_arg *arg,
                      const struct tn_attr_value *from, uint32_t index)
{
    switch (from->kind) {
    case TN_ATTR_FLOAT: arg->real = (double)from->of.floats[index]; break;
    case TN_ATTR_DOUBLE: arg->real = from->of.doubles[index]; break;
    case TN_ATTR_STRING:
        arg->text =
            tn_bytes_dup(d->how->arena, from->of.strings[index], d->error);
        break;
    case TN_ATTR_DTYPE:
        arg->number = tn_ir_type((enum tn_dtype)from->of.ints[index]);
        break;
    default: arg->number = from->of.ints[index]; break;
    }
}

/* In a descriptor the axes of a legacy op are integers of that name. */
static void add_list(struct describing *d, const struct tn_vocab_op *op,
                     unsigned which, const struct tn_attr_value *from,
                     uint32_t first)
{
    for (uint32_t i = 0; i < from->count; i++) {
        struct tn_bytes name = op && lists[which].list != TN_VOCAB_AXIS
                                   ? tn_arg_name(op, lists[which].list, i)
                                   : tn_text("dimensions");
        struct tn_arg  *arg =
            add_arg(d, lists[which].type,
                    tn_bytes_dup(d->how->arena, name, d->error), first + i);
        if (arg)
            set_value(d, arg, from, i);
    }
}

/* The operand of a scalar op, as the first of its numbers. */
static uint32_t add_scalar(struct describing *d, const struct tn_vocab_op *op,
                           const struct tn_attr_value *from)
{
    const struct tn_vocab_attr *attr =
        op ? tn_vocab_find_slot(op, TN_VOCAB_SCALAR, 0) : NULL;
    struct tn_arg *arg =
        add_arg(d, TN_ARG_DOUBLE,
                attr ? tn_bytes_dup(d->how->arena, attr->name, d->error)
                     : tn_text("scalar"),
                0);
    uint8_t bytes[16];

    if (arg && from->kind == TN_ATTR_TENSOR &&
        tn_tensor_size(from->of.tensors[0]) <= sizeof bytes &&
        tn_tensor_read(from->of.tensors[0], 0, bytes,
                       (size_t)tn_tensor_size(from->of.tensors[0]),
                       d->error) == TN_OK)
        arg->real =
            tn_element_double(tn_tensor_dtype(from->of.tensors[0]), bytes);
    return 1;
}

/* NULL: the op has none of that name. */
static struct tn_attr *attr_of(const struct describing *d, uint32_t id,
                               const char *name)
{
    struct tn_error unheard = TN_ERROR_INIT;
    struct tn_attr *attr    = NULL;

    tn_attr_find(&attr, d->how->model, id, name, &unheard);
    return attr;
}

static void add_numbers(struct describing *d, const struct tn_vocab_op *op,
                        uint32_t id)
{
    uint32_t        scalars = 0;
    struct tn_attr *attr;

    if ((attr = attr_of(d, id, "scalar"))) {
        scalars = add_scalar(d, op, tn_attr_get(attr));
        tn_attr_close(attr);
    }
    for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!(attr = attr_of(d, id, lists[i].attr)))
            continue;
        add_list(d, op, i, tn_attr_get(attr),
                 lists[i].type == TN_ARG_DOUBLE ? scalars : 0);
        tn_attr_close(attr);
    }
}

/* ---- ops ---------------------------------------------------------------- */

static struct tn_op_descriptor *next_descriptor(struct describing *d)
{
    struct tn_op_descriptor *next =
        d->last ? tn_new(d->how->arena, struct tn_op_descriptor, 1, d->error)
                : d->first;

    if (!next)
        return NULL;
    *next = (struct tn_op_descriptor){ 0 };
    if (d->last)
        d->last->next = next;
    d->last = next;
    return next;
}

static void fill_counts(struct tn_op_descriptor *op)
{
    op->in_count  = (int32_t)op->lists[TN_LIST_IN].count;
    op->out_count = (int32_t)op->lists[TN_LIST_OUT].count;
    op->t_count   = (int32_t)op->lists[TN_LIST_T].count;
    op->i_count   = (int32_t)op->lists[TN_LIST_I].count;
}

/* An op that is called by the number of a kernel has axes of its own. */
static void fill_declaration(const struct describing *d,
                             struct tn_op_descriptor *op, bool is_legacy)
{
    const struct tn_op_descriptor *declared =
        tn_dl4j_ops_find(&d->how->interpreter->ops, op->name);

    op->is_inplaceable = declared && declared->is_inplaceable;
    op->declaration    = is_legacy  ? TN_LEGACY_XYZ
                         : declared ? declared->declaration
                                    : TN_CUSTOM_OP_IMPL;
}

static void finish_op(struct describing *d, struct tn_bytes name,
                      bool is_legacy)
{
    struct tn_op_descriptor *op = next_descriptor(d);
    struct tn_arg           *args =
        tn_list_keep(&d->args, struct tn_arg, d->how->arena, d->error);

    if (!op || !args)
        return;
    op->name = tn_bytes_dup(d->how->arena, name, d->error);
    op->args = (struct tn_args){ (uint32_t)d->args.count, args };
    fill_declaration(d, op, is_legacy);
    if (tn_dl4j_fill_lists(op, d->how->arena, d->error) == TN_OK)
        fill_counts(op);
    d->args.count = 0;
}

static void describe_op(struct describing *d, uint32_t id)
{
    struct tn_op_info         info = tn_model_op(d->how->model, id);
    const struct tn_vocab_op *op   = tn_nd4j_named(&d->book, info.type);

    for (uint32_t i = 0; i < info.input_count; i++)
        add_input(d, tn_op_input(d->how->model, id, i), i);
    for (uint32_t i = 0; i < info.output_count; i++)
        add_output(d, op, tn_op_output(d->how->model, id, i), i);
    add_numbers(d, op, id);
    finish_op(d, info.type, op && op->kernel.size > 0);
}

static void describe_copy(struct describing *d, uint32_t value,
                          struct tn_bytes output)
{
    struct tn_arg *made;

    add_input(d, value, 0);
    made = add_arg(d, TN_ARG_OUTPUT_TENSOR, tn_text("output"), 0);
    if (made)
        made->text = tn_bytes_dup(d->how->arena, output, d->error);
    finish_op(d, tn_text("identity"),
              tn_nd4j_named(&d->book, tn_text("identity"))->kernel.size > 0);
}

/* Outputs that no operation makes. */
static void describe_rest(struct describing *d)
{
    const struct tn_model *model = d->how->model;
    struct tn_graph_info   graph = tn_model_graph(model, 0);

    for (uint32_t i = 0; i < graph.outputs.count; i++) {
        struct tn_bytes name = graph.outputs.items[i].name;
        uint32_t        value = tn_model_find_named(model, 0, name);
        if (value == TN_NONE ||
            tn_model_value_info(model, value).kind == TN_VALUE_OUTPUT)
            continue;
        describe_copy(d, value, name);
    }
}

enum tn_status tn_describe_ops(const struct tn_describing *how,
                               struct tn_op_descriptor    *first,
                               struct tn_error            *error)
{
    struct describing d = { .how = how, .error = error, .first = first };

    tn_list_init(&d.args, how->arena->memory, sizeof(struct tn_arg));
    if (tn_nd4j_book_init(&d.book, how->arena, error) == TN_OK) {
        for (uint32_t i = 0;
             i < tn_model_op_count(how->model) && !tn_failed(error); i++)
            describe_op(&d, i);
        if (!tn_failed(error))
            describe_rest(&d);
    }
    tn_list_done(&d.args);
    if (!tn_failed(error) && !d.last)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "nothing is left to compute");
    return error->status;
}
