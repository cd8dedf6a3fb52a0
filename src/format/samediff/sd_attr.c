/*
 * sd_attr.c - the dialect nd4j: arguments of an operation as attributes
 *
 * A FlatBuffer table is not contiguous: its vectors are anywhere after it.  So
 * the wire of an op is the four bytes that begin its table, and an attribute's
 * wire begins there too; its length says which one it is, counted from 1 in the
 * order of `attrs` below.  A cursor over an op that was stepped is over no
 * bytes and has its number in `beyond`.
 */
#include "format/samediff/sd_node.h"

#include "base/nd4j_hash.h"

enum { NO_SLOT = 255, TABLE_SIZE = 4 };

static const struct attr {
    const char       *name;
    enum tn_attr_kind kind;
    bool              is_list;
    uint8_t           classic, tagged; /* slots                               */
    uint8_t           element;         /* bytes of one in a vector            */
    const char       *word;
} attrs[] = {
    { "opType", TN_ATTR_STRING, false, 2, 2, 0, "string" },
    { "opNum", TN_ATTR_INT, false, 3, 3, 0, "int" },
    { "iArgs", TN_ATTR_INT, true, 9, 7, 8, "list(int)" },
    { "iArgNames", TN_ATTR_STRING, true, NO_SLOT, 6, 4, "list(string)" },
    { "tArgs", TN_ATTR_DOUBLE, true, 8, 9, 8, "list(double)" },
    { "tArgNames", TN_ATTR_STRING, true, NO_SLOT, 8, 4, "list(string)" },
    { "bArgs", TN_ATTR_BOOL, true, 10, 11, 1, "list(bool)" },
    { "bArgNames", TN_ATTR_STRING, true, NO_SLOT, 10, 4, "list(string)" },
    { "dArgs", TN_ATTR_DTYPE, true, 22, 13, 1, "list(type)" },
    { "dArgNames", TN_ATTR_STRING, true, NO_SLOT, 12, 4, "list(string)" },
    { "sArgs", TN_ATTR_STRING, true, 23, 15, 4, "list(string)" },
    { "sArgNames", TN_ATTR_STRING, true, NO_SLOT, 14, 4, "list(string)" },
    { "dimensions", TN_ATTR_INT, true, 11, 16, 8, "list(int)" },
    { "scalar", TN_ATTR_TENSOR, false, 18, 17, 0, "tensor" },
    { "outputTypes", TN_ATTR_DTYPE, true, 17, 18, 1, "list(type)" },
    { "properties", TN_ATTR_OTHER, true, 4, 22, 4, "" },
};

enum { ATTR_COUNT = sizeof attrs / sizeof attrs[0] };

static uint8_t slot_of(const struct attr *attr, bool is_tagged)
{
    return is_tagged ? attr->tagged : attr->classic;
}

/* Dimensions are int32 in classic files. */
static uint32_t element_of(const struct attr *attr, bool is_tagged)
{
    return attr->classic == TN_SD_NODE_DIMENSIONS && !is_tagged ? 4
                                                                : attr->element;
}

static bool is_given(const struct tn_fb_table *table, const struct attr *attr,
                     bool is_tagged)
{
    uint8_t slot = slot_of(attr, is_tagged);

    if (attr->classic == TN_SD_NODE_OP_TYPE ||
        attr->classic == TN_SD_NODE_OP_NUM)
        return true; /* zero is not written */
    if (slot == NO_SLOT || !tn_fb_has(table, slot))
        return false;
    return !attr->is_list ||
           tn_fb_vector(table, slot, element_of(attr, is_tagged)).count > 0;
}

static bool next_attr(struct tn_cursor *op, struct tn_bytes *name,
                      struct tn_span *wire, bool is_tagged)
{
    uint64_t left = tn_left(op);
    uint64_t next = left > TABLE_SIZE ? left - TABLE_SIZE - 1 : 0;

    if (left < TABLE_SIZE || tn_failed(op->error))
        return false;
    struct tn_fb fb;
    tn_fb_view(&fb, op->source, op->error);
    struct tn_fb_table table = tn_fb_table_at(&fb, op->offset);
    while (next < ATTR_COUNT && !is_given(&table, &attrs[next], is_tagged))
        next++;
    op->at     = op->end;
    op->beyond = TABLE_SIZE + 1 + next + 1;
    if (next >= ATTR_COUNT || tn_failed(op->error))
        return false;
    *name = tn_text(attrs[next].name);
    *wire = (struct tn_span){ op->source, op->offset, next + 1 };
    return true;
}

static bool next_classic(struct tn_cursor *op, struct tn_bytes *name,
                         struct tn_span *wire)
{
    return next_attr(op, name, wire, false);
}

static bool next_tagged(struct tn_cursor *op, struct tn_bytes *name,
                        struct tn_span *wire)
{
    return next_attr(op, name, wire, true);
}

static const char *attr_word(struct tn_span wire)
{
    return wire.length && wire.length <= ATTR_COUNT
               ? attrs[wire.length - 1].word
               : "";
}

/* ---- decoding ----------------------------------------------------------- */

struct decoding {
    const struct tn_model *model;
    uint32_t               op;
    const struct attr     *attr;
    bool                   is_tagged;
    struct tn_fb_table     table;
    struct tn_arena       *arena;
    struct tn_attr_value  *value;
    struct tn_error       *error;
};

static int64_t number_at(const struct tn_fb_vector *vector,
                         const struct attr *attr, uint32_t index)
{
    if (attr->kind == TN_ATTR_DTYPE)
        return tn_sd_dtype(tn_fb_vector_i8(vector, index));
    if (attr->kind == TN_ATTR_BOOL)
        return tn_fb_vector_u8(vector, index) != 0;
    return vector->element == 4 ? tn_fb_vector_i32(vector, index)
                                : tn_fb_vector_i64(vector, index);
}

static void decode_numbers(struct decoding *d, const struct tn_fb_vector *from)
{
    int64_t *to = tn_new(d->arena, int64_t, from->count, d->error);

    for (uint32_t i = 0; to && i < from->count; i++)
        to[i] = number_at(from, d->attr, i);
    d->value->of.ints = to;
}

static void decode_doubles(struct decoding *d, const struct tn_fb_vector *from)
{
    double *to = tn_new(d->arena, double, from->count, d->error);

    for (uint32_t i = 0; to && i < from->count; i++)
        to[i] = tn_fb_vector_f64(from, i);
    d->value->of.doubles = to;
}

static void decode_strings(struct decoding *d, const struct tn_fb_vector *from)
{
    struct tn_bytes *to =
        tn_new(d->arena, struct tn_bytes, from->count, d->error);

    for (uint32_t i = 0; to && i < from->count; i++) {
        if (d->attr->kind == TN_ATTR_STRING) {
            to[i] = tn_fb_vector_string(from, i);
            continue;
        }
        struct tn_fb_table property = tn_fb_vector_table(from, i);
        to[i] = tn_sd_property_pack(&property, tn_sd_is_plain(d->model),
                                    d->arena, d->model->memory, d->error);
    }
    d->value->of.strings = to;
}

static void decode_list(struct decoding *d)
{
    struct tn_fb_vector from =
        tn_fb_vector(&d->table, slot_of(d->attr, d->is_tagged),
                     element_of(d->attr, d->is_tagged));

    d->value->count = from.count;
    switch (d->attr->kind) {
    case TN_ATTR_DOUBLE: decode_doubles(d, &from); break;
    case TN_ATTR_STRING:
    case TN_ATTR_OTHER: decode_strings(d, &from); break;
    default: decode_numbers(d, &from);
    }
}

static void decode_op_type(struct decoding *d)
{
    int              number = tn_fb_i8(&d->table, TN_SD_NODE_OP_TYPE, 0);
    const char      *name   = tn_sd_op_type_name(number);
    struct tn_bytes *to     = tn_new(d->arena, struct tn_bytes, 1, d->error);

    if (!name)
        name = tn_text_format(d->arena, d->error, "%d", number);
    if (to && name)
        *to = tn_text(name);
    d->value->of.strings = to;
}

static void decode_op_num(struct decoding *d)
{
    int64_t *to = tn_new(d->arena, int64_t, 1, d->error);

    if (to)
        *to = tn_fb_i64(&d->table, TN_SD_NODE_OP_NUM, 0);
    d->value->of.ints = to;
}

static void decode_scalar(struct decoding *d)
{
    const struct tn_op *op   = tn_model_op_at(d->model, d->op);
    struct tn_tensor *tensor = tn_new(d->arena, struct tn_tensor, 1, d->error);
    const struct tn_tensor **list =
        tn_new(d->arena, const struct tn_tensor *, 1, d->error);
    struct tn_fb_table array =
        tn_fb_child(&d->table, slot_of(d->attr, d->is_tagged));
    struct tn_sd_array read;

    if (!tensor || !list || !array.fb ||
        tn_sd_array_read(&array, tn_sd_is_plain(d->model), d->arena, &read) !=
            TN_OK)
        return;
    *tensor = (struct tn_tensor){
        .model    = d->model,
        .name     = TN_NO_NAME,
        .graph    = op->graph,
        .node     = d->op - tn_model_graph_at(d->model, op->graph)->first_op,
        .slot     = TN_NONE,
        .part     = TN_NONE,
        .role     = TN_ROLE_ATTRIBUTE,
        .elements = read.elements,
    };
    *list                = tensor;
    d->value->of.tensors = list;
}

static enum tn_status decode(struct decoding *d, struct tn_span wire)
{
    struct tn_fb fb;

    *d->value = (struct tn_attr_value){ .kind = TN_ATTR_NONE };
    if (wire.length == 0 || wire.length > ATTR_COUNT)
        return TN_OK;
    tn_fb_view(&fb, wire.source, d->error);
    d->attr           = &attrs[wire.length - 1];
    d->table          = tn_fb_table_at(&fb, wire.offset);
    d->value->kind    = d->attr->kind;
    d->value->is_list = d->attr->is_list;
    d->value->count   = 1;
    if (d->attr->is_list)
        decode_list(d);
    else if (d->attr->kind == TN_ATTR_TENSOR)
        decode_scalar(d);
    else if (d->attr->kind == TN_ATTR_STRING)
        decode_op_type(d);
    else
        decode_op_num(d);
    return d->error->status;
}

static enum tn_status decode_classic(const struct tn_model *model, uint32_t op,
                                     struct tn_span        wire,
                                     struct tn_arena      *arena,
                                     struct tn_attr_value *value,
                                     struct tn_error      *error)
{
    struct decoding d = {
        .model = model, .op = op, .arena = arena, .value = value, .error = error
    };

    return decode(&d, wire);
}

static enum tn_status decode_tagged(const struct tn_model *model, uint32_t op,
                                    struct tn_span wire, struct tn_arena *arena,
                                    struct tn_attr_value *value,
                                    struct tn_error      *error)
{
    struct decoding d = { .model     = model,
                          .op        = op,
                          .is_tagged = true,
                          .arena     = arena,
                          .value     = value,
                          .error     = error };

    return decode(&d, wire);
}

/* ---- what is written of any op ------------------------------------------ */

/* The type that the graph says an output of it has. */
static enum tn_dtype listed_type(const struct tn_model *model, uint32_t value)
{
    struct tn_bytes   name = tn_model_value_name(model, value);
    struct tn_io_list outputs =
        tn_model_graph_at(model, tn_model_value_at(model, value)->graph)
            ->outputs;

    for (uint32_t i = 0; i < outputs.count; i++)
        if (tn_bytes_equal(outputs.items[i].name, name))
            return outputs.items[i].dtype;
    return TN_UNDEFINED;
}

/* Types of results are those that there were before, or of variables. */
static bool has_types_of_variables(const struct tn_model      *model,
                                   const struct tn_op         *op,
                                   const struct tn_attr_value *types,
                                   const struct tn_attr_value *old)
{
    if (types->count != op->output_count)
        return false;
    for (uint32_t i = 0; i < types->count; i++) {
        uint32_t value = tn_model_ref_at(model, (uint64_t)op->first_output + i);
        if (old && i < old->count
                ? types->of.ints[i] != old->of.ints[i]
                : types->of.ints[i] != TN_UNDEFINED || value == TN_NONE ||
                      listed_type(model, value) != TN_UNDEFINED)
            return false;
    }
    return true;
}

/* The list whose arguments an attribute names; TN_VOCAB_NAMED: none. */
static enum tn_vocab_list named_list(struct tn_bytes attr)
{
    static const char *const names[] = {
        [TN_VOCAB_IARGS] = "iArgNames", [TN_VOCAB_TARGS] = "tArgNames",
        [TN_VOCAB_BARGS] = "bArgNames", [TN_VOCAB_DARGS] = "dArgNames",
        [TN_VOCAB_SARGS] = "sArgNames",
    };

    for (unsigned i = TN_VOCAB_IARGS; i < sizeof names / sizeof *names; i++)
        if (tn_bytes_is(attr, names[i]))
            return (enum tn_vocab_list)i;
    return TN_VOCAB_NAMED;
}

/* The names that writers give to arguments in the order of the kernel. */
static bool are_usual_names(const struct tn_model *model, uint32_t op,
                            enum tn_vocab_list          list,
                            const struct tn_attr_value *names,
                            struct tn_arena *arena, struct tn_error *error)
{
    struct tn_sd_calls        calls = { .arena = arena };
    struct tn_sd_args         args;
    const struct tn_vocab_op *known = NULL;

    if (tn_sd_args_read(model, op, &calls, arena, &args, error) == TN_OK)
        known = tn_sd_args_op(
            &calls, tn_model_name(model, tn_model_op_at(model, op)->type),
            &args, error);
    for (uint32_t i = 0; known && i < names->count; i++)
        if (names->of.strings[i].size &&
            !tn_bytes_equal(names->of.strings[i], tn_arg_name(known, list, i)))
            return false;
    return known != NULL;
}

static bool is_usual_number(const struct tn_model *model, uint32_t op,
                            const struct tn_attr_named *attr,
                            struct tn_arena *arena, struct tn_error *error)
{
    struct tn_nd4j_book book;
    struct tn_sd_args   args = { .op_num = 0 };

    if (tn_nd4j_book_init(&book, arena, error) != TN_OK)
        return false;
    tn_sd_args_by_name(&args, &book,
                       tn_model_name(model, tn_model_op_at(model, op)->type));
    const char *word = tn_sd_op_type_name(args.op_type);
    if (!tn_bytes_is(attr->name, "opType"))
        return attr->value.of.ints[0] == args.op_num;
    return word && attr->value.kind == TN_ATTR_STRING &&
           tn_bytes_is(attr->value.of.strings[0], word);
}

static bool is_implied_tagged(const struct tn_model *model, uint32_t op,
                              const struct tn_attr_named *attr,
                              const struct tn_attr_value *old)
{
    enum tn_vocab_list list  = named_list(attr->name);
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_arena    arena;
    bool               is_answer = false;

    if (old)
        return false;
    tn_arena_init(&arena, model->memory);
    if (list != TN_VOCAB_NAMED && attr->value.kind == TN_ATTR_STRING)
        is_answer =
            are_usual_names(model, op, list, &attr->value, &arena, &error);
    else if (tn_bytes_is(attr->name, "opType") ||
             tn_bytes_is(attr->name, "opNum"))
        is_answer = is_usual_number(model, op, attr, &arena, &error);
    tn_arena_done(&arena);
    return is_answer && !tn_failed(&error);
}

static bool is_implied(const struct tn_model *model, uint32_t op,
                       const struct tn_attr_named *attr,
                       const struct tn_attr_value *old)
{
    if (tn_bytes_is(attr->name, "outputTypes"))
        return has_types_of_variables(model, tn_model_op_at(model, op),
                                      &attr->value, old);
    return is_implied_tagged(model, op, attr, old);
}

/* ---- paths -------------------------------------------------------------- */

static const char *tensor_word(const struct tn_tensor *tensor)
{
    if (tensor->node != TN_NONE)
        return tensor->slot == TN_NONE ? "scalar" : "properties";
    return tensor->role == TN_ROLE_STATE ? "updaterState" : "variables";
}

static const char *tensor_tail(const struct tn_tensor *tensor)
{
    if (tensor->node != TN_NONE)
        return ".a";
    return tensor->role == TN_ROLE_STATE ? ".updaterStateValues" : ".ndarray";
}

/* Loops go back over these; files of M2 have a merge that feeds itself. */
static const char *const loop_ops[] = { "next_iteration", "merge", NULL };
static const char *const operator_attrs[] = { "opType", "opNum", NULL };

const struct tn_dialect tn_dialect_nd4j = {
    .name            = "nd4j",
    .next_attr       = next_classic,
    .decode          = decode_classic,
    .refers_to_attrs = true,
    .attr_type       = attr_word,
    .is_implied      = is_implied,
    .operator_attrs  = operator_attrs,
    .tensor_word     = tensor_word,
    .tensor_tail     = tensor_tail,
    .loop_ops        = loop_ops,
    .closes_gaps     = true,
    .names_outputs   = true,
};

const struct tn_dialect tn_dialect_nd4j_tagged = {
    .name            = "nd4j",
    .next_attr       = next_tagged,
    .decode          = decode_tagged,
    .refers_to_attrs = true,
    .attr_type       = attr_word,
    .is_implied      = is_implied_tagged,
    .operator_attrs  = operator_attrs,
    .tensor_word     = tensor_word,
    .tensor_tail     = tensor_tail,
    .loop_ops        = loop_ops,
    .closes_gaps     = true,
    .names_outputs   = true,
};
