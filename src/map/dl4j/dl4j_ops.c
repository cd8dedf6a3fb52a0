/* dl4j_ops.c - nd4j's ops, read from an OpDescriptorList */
#include "map/dl4j/dl4j_ops.h"

#include "base/bisect.h"
#include "base/sort.h"
#include "map/dl4j/ir_types.h"

void tn_dl4j_ops_init(struct tn_dl4j_ops *ops, struct tn_arena *arena)
{
    *ops = (struct tn_dl4j_ops){ .arena = arena };
    tn_list_init(&ops->list, arena->memory, sizeof(struct tn_op_descriptor));
}

void tn_dl4j_ops_done(struct tn_dl4j_ops *ops)
{
    tn_list_done(&ops->list);
}

/* ---- words -------------------------------------------------------------- */

/* clang-format off */
static const struct {
    enum tn_declaration declaration;
    const char         *name;
} declarations[] = {
    { TN_CUSTOM_OP_IMPL,             "CUSTOM_OP_IMPL" },
    { TN_BOOLEAN_OP_IMPL,            "BOOLEAN_OP_IMPL" },
    { TN_LIST_OP_IMPL,               "LIST_OP_IMPL" },
    { TN_LOGIC_OP_IMPL,              "LOGIC_OP_IMPL" },
    { TN_OP_IMPL,                    "OP_IMPL" },
    { TN_DIVERGENT_OP_IMPL,          "DIVERGENT_OP_IMPL" },
    { TN_CONFIGURABLE_OP_IMPL,       "CONFIGURABLE_OP_IMPL" },
    { TN_REDUCTION_OP_IMPL,          "REDUCTION_OP_IMPL" },
    { TN_BROADCASTABLE_OP_IMPL,      "BROADCASTABLE_OP_IMPL" },
    { TN_BROADCASTABLE_BOOL_OP_IMPL, "BROADCASTABLE_BOOL_OP_IMPL" },
    { TN_LEGACY_XYZ,                 "LEGACY_XYZ" },
    { TN_PLATFORM_IMPL,              "PLATFORM_IMPL" },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *tn_declaration_name(enum tn_declaration declaration)
{
    for (size_t i = 0; i < COUNT(declarations); i++)
        if (declarations[i].declaration == declaration)
            return declarations[i].name;
    return "UNKNOWN";
}

static const char *const type_names[TN_ARG_TYPE_COUNT] = {
    "FLOAT",     "DOUBLE",       "INT32",         "INT64",  "BOOL",
    "DATA_TYPE", "INPUT_TENSOR", "OUTPUT_TENSOR", "STRING",
};

const char *tn_arg_type_name(enum tn_arg_type type)
{
    return (unsigned)type < TN_ARG_TYPE_COUNT ? type_names[type] : "UNKNOWN";
}

const char *tn_arg_list_name(enum tn_arg_list list)
{
    static const char *const names[TN_LIST_COUNT] = {
        "in", "out", "t", "i", "b", "d", "s", "axis"
    };

    return (unsigned)list < TN_LIST_COUNT ? names[list] : "unknown";
}

static enum tn_status read_type(const struct tn_text_field *field,
                                enum tn_arg_type *type, struct tn_error *error)
{
    for (unsigned i = 0; i < TN_ARG_TYPE_COUNT; i++)
        if (field->kind == TN_TEXT_WORD &&
            tn_bytes_is(field->text, type_names[i])) {
            *type = (enum tn_arg_type)i;
            return TN_OK;
        }
    return tn_text_fail(error, field, TN_MALFORMED, "unknown argType '%.*s'",
                        TN_FMT(field->text));
}

static enum tn_status read_declaration(const struct tn_text_field *field,
                                       enum tn_declaration        *declaration,
                                       struct tn_error            *error)
{
    for (size_t i = 0; i < COUNT(declarations); i++)
        if (field->kind == TN_TEXT_WORD &&
            tn_bytes_is(field->text, declarations[i].name)) {
            *declaration = declarations[i].declaration;
            return TN_OK;
        }
    return tn_text_fail(error, field, TN_MALFORMED,
                        "unknown opDeclarationType '%.*s'",
                        TN_FMT(field->text));
}

/* ---- arguments ---------------------------------------------------------- */

static enum tn_status read_index(const struct tn_text_field *field,
                                 int32_t *index, struct tn_error *error)
{
    int64_t value;

    TN_TRY(tn_text_int(field, &value, error));
    if (value < -1 || value > 0xffff)
        return tn_text_fail(error, field, TN_MALFORMED,
                            "argIndex is from -1 to 65535");
    *index = (int32_t)value;
    return TN_OK;
}

static enum tn_status read_data_type(const struct tn_text_field *field,
                                     int64_t *number, struct tn_error *error)
{
    if (field->kind == TN_TEXT_WORD && tn_ir_type_named(field->text, number))
        return TN_OK;
    return tn_text_fail(error, field, TN_MALFORMED, "unknown DataType '%.*s'",
                        TN_FMT(field->text));
}

/* The field that holds the value of the argument. */
static enum tn_status read_value(struct tn_arg              *arg,
                                 const struct tn_text_field *field,
                                 struct tn_error            *error)
{
    bool truth;

    arg->has_value = true;
    if (tn_text_is(field, "int64Value") || tn_text_is(field, "int32Value"))
        return tn_text_int(field, &arg->number, error);
    if (tn_text_is(field, "doubleValue") || tn_text_is(field, "floatValue"))
        return tn_text_double(field, &arg->real, error);
    if (tn_text_is(field, "stringValue"))
        return tn_text_string(field, &arg->text, error);
    if (tn_text_is(field, "dataTypeValue"))
        return read_data_type(field, &arg->number, error);
    if (tn_text_is(field, "boolValue")) {
        TN_TRY(tn_text_bool(field, &truth, error));
        arg->number = truth;
        return TN_OK;
    }
    return tn_text_fail(error, field, TN_MALFORMED,
                        "an argument has no field '%.*s'", TN_FMT(field->name));
}

static enum tn_status read_arg_field(struct tn_arg              *arg,
                                     const struct tn_text_field *field,
                                     struct tn_error            *error)
{
    if (tn_text_is(field, "name"))
        return tn_text_string(field, &arg->name, error);
    if (tn_text_is(field, "argType"))
        return read_type(field, &arg->type, error);
    if (tn_text_is(field, "argIndex"))
        return read_index(field, &arg->index, error);
    if (tn_text_is(field, "argOptional"))
        return tn_text_bool(field, &arg->is_optional, error);
    if (tn_text_is(field, "convertBoolToInt"))
        return tn_text_bool(field, &arg->converts_bool, error);
    if (tn_text_is(field, "isArray"))
        return tn_text_bool(field, &arg->is_array, error);
    if (tn_text_is(field, "inputValue") || tn_text_is(field, "outputValue"))
        return tn_text_message(field, error);
    return read_value(arg, field, error);
}

enum tn_status tn_dl4j_arg_read(struct tn_arg              *arg,
                                const struct tn_text_field *message,
                                struct tn_error            *error)
{
    *arg = (struct tn_arg){ .type = TN_ARG_FLOAT };
    TN_TRY(tn_text_message(message, error));
    for (const struct tn_text_field *f = message->fields; f; f = f->next)
        TN_TRY(read_arg_field(arg, f, error));
    return TN_OK;
}

/* ---- lists -------------------------------------------------------------- */

static enum tn_arg_list list_of(const struct tn_op_descriptor *op,
                                const struct tn_arg           *arg)
{
    static const enum tn_arg_list lists[TN_ARG_TYPE_COUNT] = {
        TN_LIST_T, TN_LIST_T,  TN_LIST_I,   TN_LIST_I, TN_LIST_B,
        TN_LIST_D, TN_LIST_IN, TN_LIST_OUT, TN_LIST_S,
    };
    enum tn_arg_list list = lists[arg->type];

    if (op->declaration == TN_LEGACY_XYZ && list == TN_LIST_I &&
        tn_bytes_is(arg->name, "dimensions"))
        return TN_LIST_AXIS;
    return list;
}

/* Lists are short, and mostly in order already. */
static void insert(struct tn_arg *items, uint32_t count,
                   const struct tn_arg *arg)
{
    uint32_t at = count;

    for (; at > 0 && items[at - 1].index > arg->index; at--)
        items[at] = items[at - 1];
    items[at] = *arg;
}

enum tn_status tn_dl4j_fill_lists(struct tn_op_descriptor *op,
                                  struct tn_arena         *arena,
                                  struct tn_error         *error)
{
    struct tn_arg *lists[TN_LIST_COUNT];

    memset(op->lists, 0, sizeof op->lists);
    for (uint32_t i = 0; i < op->args.count; i++)
        op->lists[list_of(op, &op->args.items[i])].count++;
    for (unsigned k = 0; k < TN_LIST_COUNT; k++) {
        lists[k] = tn_new(arena, struct tn_arg, op->lists[k].count, error);
        if (!lists[k])
            return error->status;
        op->lists[k] = (struct tn_args){ 0, lists[k] };
    }
    for (uint32_t i = 0; i < op->args.count; i++) {
        enum tn_arg_list k = list_of(op, &op->args.items[i]);
        insert(lists[k], op->lists[k].count++, &op->args.items[i]);
    }
    return TN_OK;
}

/* ---- ops ---------------------------------------------------------------- */

/* What libnd4j declares for ops that take or give any number of arrays. */
static const struct {
    const char *name;
    int32_t     in_count, out_count; /* 0: as many as are named               */
} variadic[] = {
    { "concat", TN_ANY_NUMBER, 1 },
    { "stack", TN_ANY_NUMBER, 1 },
    { "merge", TN_ANY_NUMBER, 1 },
    { "mergeadd", TN_ANY_NUMBER, 1 },
    { "mergesum", TN_ANY_NUMBER, 1 },
    { "mergeavg", TN_ANY_NUMBER, 1 },
    { "mergemax", TN_ANY_NUMBER, 1 },
    { "mergemaxindex", TN_ANY_NUMBER, 1 },
    { "dynamic_stitch", TN_ANY_NUMBER, 1 },
    { "identity_n", TN_ANY_NUMBER, TN_ANY_NUMBER },
    { "shapes_of", TN_ANY_NUMBER, TN_ANY_NUMBER },
    { "broadcastgradientargs", 2, 2 },
    { "meshgrid", TN_ANY_NUMBER, TN_ANY_NUMBER },
    { "unstack", 1, TN_ANY_NUMBER },
    { "split", 1, TN_ANY_NUMBER },
    { "split_v", 2, TN_ANY_NUMBER },
    { "dynamic_partition", 2, TN_ANY_NUMBER },
    { "create_list", TN_ANY_OR_NONE, 1 },
    { "noop", TN_ANY_OR_NONE, TN_ANY_OR_NONE },
    { "While", TN_ANY_NUMBER, TN_ANY_OR_NONE },
    { "Conditional", TN_ANY_NUMBER, TN_ANY_OR_NONE },
    { "Return", TN_ANY_OR_NONE, TN_ANY_OR_NONE },
};

static void fill_counts(struct tn_op_descriptor *op)
{
    op->in_count  = (int32_t)op->lists[TN_LIST_IN].count;
    op->out_count = (int32_t)op->lists[TN_LIST_OUT].count;
    op->t_count   = (int32_t)op->lists[TN_LIST_T].count;
    op->i_count   = (int32_t)op->lists[TN_LIST_I].count;
    for (size_t i = 0; i < COUNT(variadic); i++)
        if (tn_bytes_is(op->name, variadic[i].name)) {
            op->in_count  = variadic[i].in_count;
            op->out_count = variadic[i].out_count;
        }
}

enum tn_status tn_dl4j_ops_add(struct tn_dl4j_ops            *ops,
                               const struct tn_op_descriptor *op,
                               struct tn_error               *error)
{
    struct tn_op_descriptor *added =
        tn_list_push(&ops->list, struct tn_op_descriptor, error);

    if (!added)
        return error->status;
    *added = *op;
    return tn_dl4j_fill_lists(added, ops->arena, error);
}

static enum tn_status read_count(const struct tn_text_field *field,
                                 int32_t *count, struct tn_error *error)
{
    int64_t value;

    TN_TRY(tn_text_int(field, &value, error));
    if (value < TN_ANY_OR_NONE || value > 0xffff)
        return tn_text_fail(error, field, TN_MALFORMED,
                            "'%.*s' is from -2 to 65535", TN_FMT(field->name));
    *count = (int32_t)value;
    return TN_OK;
}

/* Fills in what is not declared and follows from the arguments. */
static enum tn_status read_declared(struct tn_op_descriptor    *op,
                                    const struct tn_text_field *message,
                                    struct tn_error            *error)
{
    TN_TRY(tn_text_message(message, error));
    op->is_counted = true;
    for (const struct tn_text_field *f = message->fields; f; f = f->next) {
        if (tn_text_is(f, "nIn"))
            TN_TRY(read_count(f, &op->in_count, error));
        else if (tn_text_is(f, "nOut"))
            TN_TRY(read_count(f, &op->out_count, error));
        else if (tn_text_is(f, "tArgs"))
            TN_TRY(read_count(f, &op->t_count, error));
        else if (tn_text_is(f, "iArgs"))
            TN_TRY(read_count(f, &op->i_count, error));
        else if (tn_text_is(f, "inplaceAble"))
            TN_TRY(tn_text_bool(f, &op->is_inplaceable, error));
        else
            return tn_text_fail(error, f, TN_MALFORMED,
                                "a declaration has no field '%.*s'",
                                TN_FMT(f->name));
    }
    return TN_OK;
}

static enum tn_status read_op_field(struct tn_op_descriptor    *op,
                                    struct tn_arg              *args,
                                    const struct tn_text_field *field,
                                    struct tn_error            *error)
{
    if (tn_text_is(field, "name"))
        return tn_text_string(field, &op->name, error);
    if (tn_text_is(field, "argDescriptor"))
        return tn_dl4j_arg_read(&args[op->args.count++], field, error);
    if (tn_text_is(field, "opDeclarationType"))
        return read_declaration(field, &op->declaration, error);
    if (tn_text_is(field, "declared"))
        return read_declared(op, field, error);
    if (tn_text_is(field, "assumed"))
        return tn_text_string(field, &op->assumed, error);
    return tn_text_fail(error, field, TN_MALFORMED, "an op has no field '%.*s'",
                        TN_FMT(field->name));
}

/* Within a list, places are 0, 1, 2 ... and each is taken once. */
static enum tn_status check_places(const struct tn_op_descriptor *op,
                                   const struct tn_text_field    *at,
                                   struct tn_error               *error)
{
    for (unsigned k = 0; k < TN_LIST_AXIS; k++)
        for (uint32_t i = 0; i < op->lists[k].count; i++)
            if (op->lists[k].items[i].index != (int32_t)i &&
                op->declaration != TN_LEGACY_XYZ)
                return tn_text_fail(
                    error, at, TN_MALFORMED,
                    "op '%.*s': argument '%.*s' has index %d, %u comes next",
                    TN_FMT(op->name), TN_FMT(op->lists[k].items[i].name),
                    (int)op->lists[k].items[i].index, (unsigned)i);
    return TN_OK;
}

static enum tn_status read_op(struct tn_dl4j_ops         *ops,
                              const struct tn_text_field *field,
                              struct tn_error            *error)
{
    struct tn_op_descriptor op   = { .declaration = TN_CUSTOM_OP_IMPL };
    struct tn_arg          *args = NULL;

    TN_TRY(tn_text_message(field, error));
    args = tn_new(ops->arena, struct tn_arg,
                  tn_text_count(field, "argDescriptor"), error);
    if (!args)
        return error->status;
    op.args.items = args;
    for (const struct tn_text_field *f = field->fields; f; f = f->next)
        TN_TRY(read_op_field(&op, args, f, error));
    if (op.name.size == 0)
        return tn_text_fail(error, field, TN_MALFORMED, "an op without a name");
    TN_TRY(tn_dl4j_ops_add(ops, &op, error));
    struct tn_op_descriptor *added =
        tn_list_at(&ops->list, struct tn_op_descriptor, ops->list.count - 1);
    if (!added->is_counted) {
        fill_counts(added);
        added->is_inplaceable =
            tn_dl4j_types(added, tn_text("inPlace")) != 0 ||
            (added->declaration == TN_OP_IMPL && added->in_count == 1);
    }
    return check_places(added, field, error);
}

enum tn_status tn_dl4j_ops_read(struct tn_dl4j_ops         *ops,
                                const struct tn_text_field *root,
                                struct tn_error            *error)
{
    for (const struct tn_text_field *f = root->fields; f; f = f->next) {
        if (!tn_text_is(f, "opList"))
            return tn_text_fail(error, f, TN_MALFORMED,
                                "expected 'opList', not '%.*s'",
                                TN_FMT(f->name));
        TN_TRY(read_op(ops, f, error));
    }
    return TN_OK;
}

/* ---- finding ------------------------------------------------------------ */

static bool is_before(const void *left, const void *right)
{
    const struct tn_op_descriptor *a = left, *b = right;

    return tn_bytes_compare(a->name, b->name) < 0;
}

enum tn_status tn_dl4j_ops_commit(struct tn_dl4j_ops *ops,
                                  struct tn_error    *error)
{
    uint64_t     count = ops->list.count;
    const void **order = tn_new(ops->arena, const void *, count, error);
    struct tn_op_descriptor *all =
        tn_new(ops->arena, struct tn_op_descriptor, count, error);

    if (!order || !all)
        return error->status;
    for (uint64_t i = 0; i < count; i++)
        order[i] = tn_list_at(&ops->list, struct tn_op_descriptor, i);
    tn_sort(order, count, is_before);
    for (uint64_t i = 0; i < count; i++) {
        all[i] = *(const struct tn_op_descriptor *)order[i];
        if (i > 0 && tn_bytes_equal(all[i].name, all[i - 1].name))
            return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                                "op '%.*s' is declared twice",
                                TN_FMT(all[i].name));
    }
    if (count > 0)
        memcpy(ops->list.items, all, (size_t)count * sizeof *all);
    return TN_OK;
}

const struct tn_op_descriptor *tn_dl4j_ops_find(const struct tn_dl4j_ops *ops,
                                                struct tn_bytes           name)
{
    const struct tn_op_descriptor *rows = ops->list.items;
    uint64_t                       at;

    TN_BISECT(at, 0, ops->list.count,
              tn_bytes_compare(rows[at].name, name) < 0);
    return at < ops->list.count && tn_bytes_equal(rows[at].name, name)
               ? &rows[at]
               : NULL;
}

int32_t tn_dl4j_index(const struct tn_op_descriptor *op, struct tn_bytes name,
                      enum tn_arg_type type)
{
    for (uint32_t i = 0; i < op->args.count; i++)
        if (op->args.items[i].type == type &&
            tn_bytes_equal(op->args.items[i].name, name))
            return op->args.items[i].index;
    return -1;
}

unsigned tn_dl4j_types(const struct tn_op_descriptor *op, struct tn_bytes name)
{
    unsigned types = 0;

    for (uint32_t i = 0; i < op->args.count; i++)
        if (tn_bytes_equal(op->args.items[i].name, name))
            types |= 1u << op->args.items[i].type;
    return types;
}
