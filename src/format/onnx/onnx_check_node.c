/* onnx_check_node.c - nodes, their attributes, and types */
#include <stdio.h>

#include "base/buffer.h"
#include "base/mix.h"
#include "format/onnx/onnx_check.h"
#include "ir/vocab_check.h"

/* ---- nodes against the operators of the imported versions --------------- */

struct lexicon {
    struct tn_onnx_checker *ch;
    struct tn_pairs         functions; /* (domain, name) -> any               */
};

/* The two spellings of the default domain have one number. */
static uint32_t domain_id(const struct tn_model *model, uint32_t domain)
{
    return tn_intern_find(&model->names,
                          tn_onnx_domain(tn_model_name(model, domain)));
}

static void index_functions(struct lexicon *x)
{
    const struct tn_model *model = x->ch->model;

    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind == TN_GRAPH_FUNCTION)
            tn_pairs_add(&x->functions, domain_id(model, graph->domain),
                         graph->name, i, x->ch->error);
    }
}

static uint32_t scope_of(void *context, uint32_t graph)
{
    return ((struct lexicon *)context)->ch->roots[graph];
}

static bool is_call(void *context, uint32_t scope, const struct tn_op *op)
{
    struct lexicon *x = context;

    (void)scope;
    return tn_pairs_find(&x->functions, domain_id(x->ch->model, op->domain),
                         op->type) != UINT32_MAX;
}

static int64_t version_of(void *context, uint32_t scope, struct tn_bytes domain)
{
    const struct tn_onnx_checker *ch = ((struct lexicon *)context)->ch;
    uint32_t                      id =
        domain.size ? tn_intern_find(&ch->model->names, domain) : TN_NO_NAME;
    int64_t version;

    if ((domain.size && id == TN_NO_NAME) ||
        !tn_onnx_imported(ch, scope, id, &version) || version < 0 ||
        version > INT32_MAX)
        return -1;
    return version;
}

/* ---- types -------------------------------------------------------------- */

/* The value that a tensor of the model is: of the graph's own list, or what a
 * Constant gives.  TN_NONE if it is not one. */
static uint32_t value_of(const struct tn_model  *model,
                         const struct tn_tensor *row)
{
    const struct tn_graph *graph;
    const struct tn_op    *op;

    if (row->graph == TN_NONE)
        return TN_NONE;
    if (row->node == TN_NONE)
        return row->role != TN_ROLE_INITIALIZER || row->name == TN_NO_NAME
                   ? TN_NONE
                   : tn_model_find_value(model, row->graph, row->name);
    graph = tn_model_graph_at(model, row->graph);
    if (row->role != TN_ROLE_ATTRIBUTE || row->part != TN_NONE ||
        row->node >= graph->op_count)
        return TN_NONE;
    op = tn_model_op_at(model, graph->first_op + row->node);
    return op->output_count == 1 &&
                   tn_bytes_is(tn_model_name(model, op->type), "Constant") &&
                   tn_onnx_domain(tn_model_name(model, op->domain)).size == 0
               ? tn_model_ref_at(model, op->first_output)
               : TN_NONE;
}

/* For constants from the tensor, for other values from the graph. */
static void declare(void *context, uint8_t *types)
{
    const struct tn_onnx_checker *ch    = ((struct lexicon *)context)->ch;
    const struct tn_model        *model = ch->model;

    for (uint64_t i = 0; i < ch->declared.count; i++) {
        const struct tn_onnx_declared *row =
            tn_list_at(&ch->declared, struct tn_onnx_declared, i);
        if (!types[row->value]) /* that it comes twice is reported elsewhere */
            types[row->value] = row->type;
    }
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        uint32_t value = row->node == TN_NONE ? value_of(model, row) : TN_NONE;
        if (value != TN_NONE)
            types[value] = TN_TYPE(row->elements.shape.dtype, TN_WRAP_NONE);
    }
}

static void declare_ranks(void *context, uint8_t *ranks)
{
    const struct tn_onnx_checker *ch    = ((struct lexicon *)context)->ch;
    const struct tn_model        *model = ch->model;

    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        uint32_t value = value_of(model, row);
        if (value != TN_NONE)
            ranks[value] = TN_RANK(row->elements.shape.rank);
    }
    for (uint64_t i = 0; i < ch->declared.count; i++) {
        const struct tn_onnx_declared *row =
            tn_list_at(&ch->declared, struct tn_onnx_declared, i);
        if (!ranks[row->value])
            ranks[row->value] = row->rank;
    }
}

/* An initializer that is an input, too, may be another when the model runs:
 * before version 4 of the format all were inputs, and none was. */
static bool is_overridable(const struct tn_onnx_checker *ch, uint32_t value)
{
    return ch->detail->ir_version >= 4 &&
           tn_model_value_at(ch->model, value)->kind == TN_VALUE_INPUT;
}

/* What other graphs declare of sizes holds for the round or the call that their
 * author had in mind. */
static bool is_in_main(const struct tn_onnx_checker  *ch,
                       const struct tn_onnx_declared *row)
{
    uint32_t graph = tn_model_value_at(ch->model, row->value)->graph;

    return tn_model_graph_at(ch->model, graph)->kind == TN_GRAPH_MAIN;
}

static void declare_sizes(void *context, struct tn_sizing *to)
{
    const struct tn_onnx_checker *ch    = ((struct lexicon *)context)->ch;
    const struct tn_model        *model = ch->model;

    for (uint64_t i = 0; i < ch->declared.count; i++) {
        const struct tn_onnx_declared *row =
            tn_list_at(&ch->declared, struct tn_onnx_declared, i);
        if (row->dims && is_in_main(ch, row))
            tn_sizing_tell(to, row->value, row->dims);
    }
    for (uint32_t i = 0; i < model->tensors.count; i++) {
        uint32_t value =
            value_of(model, tn_list_at(&model->tensors, struct tn_tensor, i));
        if (value != TN_NONE && !is_overridable(ch, value))
            tn_sizing_tell_constant(to, value, i);
    }
}

/* ---- graphs that nodes run, and repeated declarations -------------------- */

static uint32_t callee(void *context, uint32_t op, uint32_t number)
{
    return tn_onnx_callee(((struct lexicon *)context)->ch, op, number);
}

static bool pass(void *context, const struct tn_crossing *c,
                 struct tn_passing *to)
{
    return tn_onnx_pass(((struct lexicon *)context)->ch, c, to);
}

/* Inputs, outputs and value_info, which may speak of one value. */
static bool claim(void *context, uint64_t index, struct tn_value_claim *to)
{
    const struct tn_onnx_checker  *ch = ((struct lexicon *)context)->ch;
    const struct tn_onnx_declared *row;

    if (index >= ch->declared.count)
        return false;
    row = tn_list_at(&ch->declared, struct tn_onnx_declared, index);
    *to = (struct tn_value_claim){ row->value, row->type, row->rank,
                                   is_in_main(ch, row) ? row->dims : NULL,
                                   row->offset };
    return true;
}

static void claim_path(void *context, uint64_t index, char *to, size_t size)
{
    const struct tn_onnx_checker  *ch = ((struct lexicon *)context)->ch;
    const struct tn_onnx_declared *row =
        tn_list_at(&ch->declared, struct tn_onnx_declared, index);
    uint32_t graph = tn_model_value_at(ch->model, row->value)->graph;

    snprintf(to, size, "%s.%s[%" PRIu32 "]",
             tn_model_graph_at(ch->model, graph)->path,
             row->field == GRAPH_INPUT    ? "input"
             : row->field == GRAPH_OUTPUT ? "output"
                                          : "value_info",
             row->index);
}

/* ---- types that attributes give ------------------------------------------ */

/* Operators with an attribute that says what they make. */
static const struct maker {
    const char *op, *attr;
    bool        is_sequence;
} makers[] = {
    { "Cast", "to", false },
    { "Constant", "value", false },
    { "Constant", "value_float", false },
    { "Constant", "value_floats", false },
    { "Constant", "value_int", false },
    { "Constant", "value_ints", false },
    { "Constant", "value_string", false },
    { "Constant", "value_strings", false },
    { "ConstantOfShape", "value", false },
    { "EyeLike", "dtype", false },
    { "RandomNormal", "dtype", false },
    { "RandomNormalLike", "dtype", false },
    { "RandomUniform", "dtype", false },
    { "RandomUniformLike", "dtype", false },
    { "Multinomial", "dtype", false },
    { "Bernoulli", "dtype", false },
    { "SequenceEmpty", "dtype", true },
};

static uint8_t type_in(const struct maker *m, const struct tn_attr_value *value)
{
    const struct tn_onnx_type *type;

    switch (value->kind) {
    case TN_ATTR_TENSOR:
        return TN_TYPE(value->of.tensors[0]->elements.shape.dtype,
                       TN_WRAP_NONE);
    case TN_ATTR_FLOAT: return TN_TYPE(TN_FLOAT32, TN_WRAP_NONE);
    case TN_ATTR_STRING: /* the first Cast says its type by name */
        return strncmp(m->attr, "value", 5) ? 0
                                            : TN_TYPE(TN_STRING, TN_WRAP_NONE);
    case TN_ATTR_INT: break;
    default: return 0;
    }
    if (value->is_list || !strncmp(m->attr, "value", 5))
        return TN_TYPE(TN_INT64, TN_WRAP_NONE);
    type = value->count ? tn_onnx_type((uint64_t)value->of.ints[0]) : NULL;
    return type ? TN_TYPE(type->dtype,
                          m->is_sequence ? TN_WRAP_SEQUENCE : TN_WRAP_NONE)
                : 0;
}

static uint8_t made(void *context, uint32_t op, const struct tn_vocab_op *kind,
                    uint32_t output)
{
    struct lexicon *x    = context;
    uint8_t         type = 0;

    (void)output;
    for (size_t i = 0; !type && i < sizeof makers / sizeof *makers; i++) {
        struct tn_error failure = TN_ERROR_INIT;
        struct tn_attr *attr    = NULL;
        if (!tn_bytes_is(kind->name, makers[i].op))
            continue;
        if (tn_attr_find(&attr, x->ch->model, op, makers[i].attr, &failure) ==
            TN_OK)
            type = type_in(&makers[i], tn_attr_get(attr));
        tn_attr_close(attr);
    }
    return type;
}

void tn_onnx_check_vocab(struct tn_onnx_checker *ch, enum tn_vocab_half half)
{
    struct lexicon      x   = { .ch = ch };
    struct tn_vocab_use use = {
        .context        = &x,
        .scope          = scope_of,
        .version        = version_of,
        .is_call        = is_call,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .declare_sizes  = declare_sizes,
        .made           = made,
        .callee         = ch->callees.count ? callee : NULL,
        .pass           = pass,
        .claim          = claim,
        .claim_path     = claim_path,
        .compares_types = true,
        .half           = half,
        .file           = "",
        .free_prefix    = "__",
        .attr_word      = "attribute",
        .unknown        = TN_LEVEL_ERROR,
        .deprecated     = TN_LEVEL_ERROR,
    };

    tn_pairs_init(&x.functions, ch->model->memory);
    index_functions(&x);
    if (half != TN_VOCAB_VALUES)
        tn_onnx_check_arity(ch);
    if (!tn_failed(ch->error))
        tn_vocab_check_builtin(ch->model, &use, "onnx", ch->report, ch->error);
    tn_pairs_done(&x.functions);
}

/* ---- types -------------------------------------------------------------- */

/* The requirements for a type. */
struct type_check {
    struct tn_onnx_checker     *ch;
    const struct tn_onnx_place *where;
    bool                        is_graph_io;
    uint8_t                     dtype; /* of the innermost tensor            */
    uint8_t                     rank;  /* likewise, as TN_RANK()             */
    int64_t                     sizes[TN_VOCAB_RANK_LIMIT];
};

static void complain(struct type_check *t, enum tn_finding_level level,
                     const char *rule, uint64_t offset, const char *what)
{
    tn_onnx_complain(t->ch, level, rule, offset, t->where, "%s", what);
}

static void check_elem_type(struct type_check *t, struct tn_pb_field *field)
{
    const struct tn_onnx_type *type = tn_onnx_type(field->value);

    if (field->type != TN_WIRE_VARINT || (!type && field->value))
        tn_onnx_complain(t->ch, TN_LEVEL_ERROR, "unknown-enum", field->offset,
                         t->where, "unknown element type %" PRId64,
                         (int64_t)field->value);
    else if (type)
        tn_onnx_expect_ir(t->ch, type->since, field->offset, t->where,
                          type->name);
}

static void check_dims(struct type_check *t, struct tn_cursor shape)
{
    struct tn_pb_field dim, field;
    uint32_t           rank = 0;

    while (tn_pb_next(&shape, &dim)) {
        if (dim.number != SHAPE_DIM || dim.type != TN_WIRE_LEN)
            continue;
        struct tn_cursor c    = dim.body;
        int64_t          size = 0;
        while (tn_pb_next(&c, &field)) {
            if (field.number == DIM_VALUE || field.number == DIM_PARAM)
                size = field.number == DIM_VALUE ? (int64_t)field.value : 0;
            if (field.number == DIM_VALUE && (int64_t)field.value < 0)
                tn_onnx_complain(t->ch, TN_LEVEL_WARNING, "negative-dimension",
                                 field.offset, t->where,
                                 "a dimension of %" PRId64
                                 "; an unknown one says nothing",
                                 (int64_t)field.value);
        }
        if (rank < TN_VOCAB_RANK_LIMIT)
            t->sizes[rank] = size;
        rank++;
    }
    t->rank = TN_RANK(rank);
}

static void check_tensor_type(struct type_check *t, struct tn_cursor c)
{
    uint64_t           begin     = c.offset;
    bool               has_shape = false;
    uint64_t           elem      = 0;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number == TENSOR_TYPE_ELEM) {
            const struct tn_onnx_type *type = tn_onnx_type(field.value);
            elem                            = field.value;
            t->dtype = type ? (uint8_t)type->dtype : TN_UNDEFINED;
            check_elem_type(t, &field);
        } else if (field.number == TENSOR_TYPE_SHAPE &&
                   field.type == TN_WIRE_LEN) {
            has_shape = true;
            check_dims(t, field.body);
        }
    }
    if (!t->is_graph_io)
        return;
    if (elem == 0)
        complain(t, TN_LEVEL_ERROR, "missing-type", begin,
                 "a tensor without an element type");
    if (!has_shape)
        complain(t, TN_LEVEL_ERROR, "missing-shape", begin,
                 "a tensor without a shape");
}

/* Map, sequence and optional: the type inside becomes *type. */
static bool enter_type(struct type_check *t, const struct tn_pb_field *kind,
                       struct tn_cursor *type)
{
    struct tn_cursor   c     = kind->body;
    bool               found = false, has_key = kind->number != TYPE_MAP;
    uint32_t           inner = kind->number == TYPE_MAP ? MAP_VALUE_TYPE : 1;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (kind->number == TYPE_MAP && field.number == MAP_KEY_TYPE) {
            has_key = true;
            check_elem_type(t, &field);
        } else if (field.number == inner && field.type == TN_WIRE_LEN) {
            *type = field.body;
            found = true;
        }
    }
    if (!has_key)
        complain(t, TN_LEVEL_ERROR, "missing-type", kind->offset,
                 "a map without a key type");
    if (!found)
        complain(t, TN_LEVEL_ERROR, "missing-type", kind->offset,
                 "a type without a description of its contents");
    return found;
}

static bool is_kind(uint32_t number)
{
    return number == TYPE_TENSOR || number == TYPE_SEQUENCE ||
           number == TYPE_MAP || number == TYPE_OPAQUE ||
           number == TYPE_SPARSE || number == TYPE_OPTIONAL;
}

/* The kind of a type; of several on the wire the last counts. */
static bool find_kind(struct tn_cursor c, struct tn_pb_field *kind)
{
    struct tn_pb_field field;
    bool               found = false;

    while (tn_pb_next(&c, &field))
        if (is_kind(field.number) && field.type == TN_WIRE_LEN) {
            *kind = field;
            found = true;
        }
    return found;
}

static void expect_kind_ir(struct type_check *t, const struct tn_pb_field *kind)
{
    if (kind->number == TYPE_SPARSE || kind->number == TYPE_OPTIONAL)
        tn_onnx_expect_ir(t->ch, 8, kind->offset, t->where,
                          "sparse and optional types");
    else if (kind->number == TYPE_SEQUENCE || kind->number == TYPE_MAP)
        tn_onnx_expect_ir(t->ch, 6, kind->offset, t->where,
                          "sequences and maps");
}

/* What is around a tensor, from the outside in; types that no operator has are
 * `others`. */
enum around { TENSOR, SEQUENCE, OPTIONAL, OPTIONAL_SEQUENCE, OTHERS };

static enum around enter(enum around outer, uint32_t kind)
{
    if (kind == TYPE_SEQUENCE && outer == TENSOR)
        return SEQUENCE;
    if (kind == TYPE_SEQUENCE && outer == OPTIONAL)
        return OPTIONAL_SEQUENCE;
    return kind == TYPE_OPTIONAL && outer == TENSOR ? OPTIONAL : OTHERS;
}

/* Values that come after each other are often alike. */
const struct tn_dims *tn_onnx_dims(struct tn_onnx_checker *ch, uint32_t rank,
                                   const int64_t *sizes)
{
    const struct tn_dims *last = ch->last_dims;
    uint32_t              i    = 0;

    while (i < rank && sizes[i] <= 0)
        i++;
    if (i == rank)
        return NULL;
    for (i = 0; last && rank == last->rank && i < rank; i++)
        if (last->sizes[i] != (sizes[i] > 0 ? sizes[i] : TN_SIZE_UNKNOWN))
            break;
    if (!last || rank != last->rank || i < rank)
        ch->last_dims = tn_dims_new(&ch->arena, rank, sizes, ch->error);
    return ch->last_dims;
}

static struct tn_onnx_declared found(const struct type_check *t,
                                     enum around              around)
{
    struct tn_onnx_declared told = { .value = TN_NONE };

    if (around == TENSOR)
        told.rank = t->rank;
    if (told.rank && told.rank <= TN_VOCAB_RANK_LIMIT)
        told.dims = tn_onnx_dims(t->ch, told.rank - 1U, t->sizes);
    if (t->dtype != TN_UNDEFINED && around != OTHERS)
        told.type = TN_TYPE(t->dtype, (unsigned)around);
    return told;
}

struct tn_onnx_declared tn_onnx_check_type(struct tn_onnx_checker     *ch,
                                           struct tn_cursor            type,
                                           const struct tn_onnx_place *where,
                                           bool is_graph_io)
{
    struct tn_error    failure = TN_ERROR_INIT;
    struct type_check  t;
    enum around        around = TENSOR;
    struct tn_pb_field kind;

    t.ch          = ch;
    t.where       = where;
    t.is_graph_io = is_graph_io;
    t.dtype       = TN_UNDEFINED;
    t.rank        = 0; /* sizes: as many as it says */

    type.error = &failure;
    for (;;) {
        uint64_t begin = type.offset;
        if (!find_kind(type, &kind)) {
            if (is_graph_io && !tn_failed(&failure))
                complain(&t, TN_LEVEL_ERROR, "missing-type", begin,
                         "a type of no kind");
            break;
        }
        expect_kind_ir(&t, &kind);
        if (kind.number == TYPE_OPAQUE)
            break;
        if (kind.number == TYPE_SPARSE)
            around = OTHERS;
        if (kind.number == TYPE_TENSOR || kind.number == TYPE_SPARSE) {
            check_tensor_type(&t, kind.body);
            break;
        }
        around        = enter(around, kind.number);
        t.is_graph_io = false; /* only the outermost must be complete */
        if (!enter_type(&t, &kind, &type))
            break;
    }
    tn_onnx_complain_error(ch, &failure, where);
    return found(&t, around);
}

/* ---- attributes --------------------------------------------------------- */

#define VALUE_FIELDS                                                           \
    (1u << ATTR_F | 1u << ATTR_I | 1u << ATTR_S | 1u << ATTR_T |               \
     1u << ATTR_G | 1u << ATTR_FLOATS | 1u << ATTR_INTS | 1u << ATTR_STRINGS | \
     1u << ATTR_TENSORS | 1u << ATTR_GRAPHS | 1u << ATTR_TP |                  \
     1u << ATTR_TYPE_PROTOS | 1u << ATTR_SPARSE_TENSOR |                       \
     1u << ATTR_SPARSE_TENSORS)

/* Their values may be in other files, too. */
#define SPARSE_FIELDS (1u << ATTR_SPARSE_TENSOR | 1u << ATTR_SPARSE_TENSORS)

struct attr_seen {
    uint32_t fields; /* bits                                                 */
    bool     has_name, has_type, is_reference;
    uint64_t type;
};

static void see_field(struct attr_seen *seen, const struct tn_pb_field *field)
{
    if (field->number < 32)
        seen->fields |= 1u << field->number;
    if (field->number == ATTR_NAME)
        seen->has_name = field->type == TN_WIRE_LEN && tn_more(&field->body);
    else if (field->number == ATTR_REF)
        seen->is_reference =
            field->type == TN_WIRE_LEN && tn_more(&field->body);
    else if (field->number == ATTR_TYPE) {
        seen->type     = field->value;
        seen->has_type = field->value != 0;
    }
}

static bool needs_field(uint32_t field)
{
    return field == ATTR_T || field == ATTR_G || field == ATTR_TP ||
           field == ATTR_SPARSE_TENSOR;
}

/* Whether the type and the value fields agree. */
static void check_value(struct tn_onnx_checker *ch,
                        const struct attr_seen *seen, uint64_t begin,
                        const struct tn_onnx_place *where)
{
    uint32_t used  = seen->fields & VALUE_FIELDS;
    uint32_t meant = tn_onnx_attr_field(seen->type);

    if (used & (used - 1) || (seen->is_reference && used))
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "several-values", begin, where,
                         "the attribute has more than one value");
    else if (seen->has_type && !meant)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "unknown-enum", begin, where,
                         "unknown attribute type %" PRId64,
                         (int64_t)seen->type);
    else if (seen->has_type && used && used != 1u << meant)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "wrong-field", begin, where,
                         "type %" PRIu64 " means field %" PRIu32
                         ", the value is elsewhere",
                         seen->type, meant);
    else if (seen->has_type && !used && !seen->is_reference &&
             needs_field(meant))
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-value", begin, where,
                         "type %" PRIu64 " means field %" PRIu32
                         ", which is missing",
                         seen->type, meant);
    if (!seen->has_type && ch->detail->ir_version >= 2)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-type", begin, where,
                         "the attribute does not say its type");
}

static uint64_t findings(const struct tn_onnx_checker *ch)
{
    const uint64_t *counts = ch->report->counts;

    return counts[TN_LEVEL_NOTE] + counts[TN_LEVEL_WARNING] +
           counts[TN_LEVEL_ERROR];
}

bool tn_onnx_check_attribute(struct tn_onnx_checker     *ch,
                             struct tn_cursor            attribute,
                             const struct tn_onnx_place *where,
                             bool                        is_in_function)
{
    uint64_t           begin = attribute.offset, before = findings(ch);
    struct attr_seen   seen = { 0 };
    struct tn_pb_field field;

    while (tn_pb_next(&attribute, &field)) {
        see_field(&seen, &field);
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == ATTR_TP || field.number == ATTR_TYPE_PROTOS)
            tn_onnx_check_type(ch, field.body, where, false);
        else if (field.number == ATTR_SPARSE_TENSOR ||
                 field.number == ATTR_SPARSE_TENSORS)
            tn_onnx_check_sparse(ch, field.body, where);
    }
    if (tn_failed(attribute.error))
        return false;
    if (!seen.has_name)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-name", begin, where,
                         "an attribute without a name");
    if (seen.is_reference && !is_in_function)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "stray-reference", begin, where,
                         "it refers to a caller's attribute, but is in no "
                         "function");
    check_value(ch, &seen, begin, where);
    return findings(ch) == before && !(seen.fields & SPARSE_FIELDS);
}

/* ---- nodes -------------------------------------------------------------- */

/* Fewer are compared one by one. */
#define MANY_ATTRIBUTES 12

enum { LOOK_AHEAD = 8 }; /* nodes */

struct node {
    struct tn_onnx_checker *ch;
    uint32_t                graph, op;
    uint64_t                begin;
    struct tn_onnx_place    where;
    struct tn_bytes         type, domain, overload;
    bool                    has_io; /* an input or an output               */
    bool                    is_odd; /* not all attributes were good        */
    uint32_t                attributes;
    struct tn_bytes         names[MANY_ATTRIBUTES];
    bool                    has_table; /* once there are many                */
    struct tn_intern        table;
};

static struct tn_bytes attribute_name(struct tn_cursor c)
{
    struct tn_pb_field field;
    struct tn_bytes    name = { NULL, 0 };

    while (tn_pb_next(&c, &field))
        if (field.number == ATTR_NAME && field.type == TN_WIRE_LEN)
            name = tn_pb_text(&field);
    return name;
}

static bool is_new_in_table(struct node *node, struct tn_bytes name)
{
    if (!node->has_table) {
        node->has_table = true;
        tn_intern_init(&node->table, &node->ch->arena);
        for (uint32_t i = 0; i < MANY_ATTRIBUTES; i++)
            tn_onnx_is_new(node->ch, &node->table, node->names[i]);
    }
    return tn_onnx_is_new(node->ch, &node->table, name);
}

static bool is_new_name(struct node *node, struct tn_bytes name)
{
    uint32_t count = node->attributes;

    if (count >= MANY_ATTRIBUTES)
        return is_new_in_table(node, name);
    node->names[count] = name;
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(node->names[i], name))
            return false;
    return true;
}

static void check_attribute_name(struct node                *node,
                                 const struct tn_pb_field   *field,
                                 const struct tn_onnx_place *where,
                                 struct tn_bytes             name)
{
    if (!is_new_name(node, name) && name.size)
        tn_onnx_complain(node->ch, TN_LEVEL_ERROR, "duplicate-attribute",
                         field->offset, where, "'%.*s' is there twice",
                         TN_FMT(name));
    node->attributes++;
}

static void check_node_attribute(struct node              *node,
                                 const struct tn_pb_field *field,
                                 bool                      is_in_function)
{
    static const char           kinds[2];
    const void                 *kind  = &kinds[is_in_function];
    struct tn_onnx_known_attrs *known = node->ch->known;
    struct tn_onnx_place        where = { NULL, node->op, node->attributes };
    struct tn_bytes bytes = tn_pb_short_body(field, TN_MEMO_LONGEST);
    uint32_t        place = tn_memo_slot(bytes);

    if (tn_memo_has(&known->memo, place, bytes, kind)) {
        check_attribute_name(node, field, &where, known->names[place]);
        return;
    }
    struct tn_bytes name = attribute_name(field->body);
    check_attribute_name(node, field, &where, name);
    if (!tn_onnx_check_attribute(node->ch, field->body, &where,
                                 is_in_function)) {
        node->is_odd = true;
    } else if (bytes.size) {
        tn_memo_keep(&known->memo, place, bytes, kind);
        known->names[place] = name;
    }
}

static void see_node_field(struct node *node, struct tn_pb_field *field,
                           bool is_in_function)
{
    switch (field->number) {
    case NODE_INPUT:
    case NODE_OUTPUT: node->has_io = true; break;
    case NODE_OP_TYPE: node->type = tn_pb_text(field); break;
    case NODE_DOMAIN: node->domain = tn_pb_text(field); break;
    case NODE_OVERLOAD:
        node->overload = tn_pb_text(field);
        tn_onnx_expect_ir(node->ch, 10, field->offset, &node->where,
                          "overloads");
        break;
    case NODE_ATTRIBUTE:
        check_node_attribute(node, field, is_in_function);
        break;
    case NODE_DEVICES:
        tn_onnx_expect_ir(node->ch, 11, field->offset, &node->where,
                          "device configurations");
        break;
    default: break;
    }
}

/* ---- domains, and calls of functions ------------------------------------ */

/* The ordinal of the function that a node calls, or TN_NONE. */
static uint32_t find_callee(struct node *node)
{
    struct tn_onnx_checker *ch = node->ch;
    struct tn_buffer        key;

    if (tn_intern_count(&ch->functions) == 0)
        return TN_NONE;
    tn_buffer_init(&key, ch->model->memory, ch->error);
    tn_buffer_add(&key, tn_onnx_domain(node->domain));
    tn_buffer_byte(&key, 0);
    tn_buffer_add(&key, node->type);
    tn_buffer_byte(&key, 0);
    tn_buffer_add(&key, node->overload);
    uint32_t callee = tn_intern_find(&ch->functions, tn_buffer_bytes(&key));
    tn_buffer_done(&key);
    return callee == TN_NO_NAME ? TN_NONE : callee;
}

static void note_call(struct tn_onnx_checker *ch, uint32_t root,
                      uint32_t callee)
{
    struct tn_onnx_call *call =
        tn_list_push(&ch->calls, struct tn_onnx_call, ch->error);

    if (call)
        *call = (struct tn_onnx_call){ ch->ordinals[root], callee };
}

static void check_domain(struct node *node)
{
    struct tn_onnx_checker *ch   = node->ch;
    uint32_t                root = ch->roots[node->graph];
    uint32_t domain              = tn_model_op_at(ch->model, node->op)->domain;
    uint32_t callee              = find_callee(node);
    int64_t  version;

    if (callee != TN_NONE)
        tn_pairs_add(&ch->callees, node->op, 0,
                     *tn_list_at(&ch->function_graphs, uint32_t, callee),
                     ch->error);
    if (callee != TN_NONE && ch->ordinals[root] != TN_NONE)
        note_call(ch, root, callee);
    if (!tn_onnx_imported(ch, root, domain, &version))
        tn_onnx_complain(
            ch, TN_LEVEL_ERROR, "unknown-domain", node->begin, &node->where,
            "operator set '%.*s' is used and not imported",
            TN_FMT(node->domain.size ? node->domain : tn_text("ai.onnx")));
}

/* Without the names and their table, which attributes fill. */
static void node_init(struct node *node, struct tn_onnx_checker *ch,
                      uint32_t graph, uint32_t op)
{
    node->ch         = ch;
    node->graph      = graph;
    node->op         = op;
    node->begin      = tn_model_op_at(ch->model, op)->wire_offset;
    node->where      = (struct tn_onnx_place){ NULL, op, TN_NONE };
    node->type       = tn_bytes(NULL, 0);
    node->domain     = tn_bytes(NULL, 0);
    node->overload   = tn_bytes(NULL, 0);
    node->has_io     = false;
    node->is_odd     = false;
    node->attributes = 0;
    node->has_table  = false;
}

/* Nodes that are alike differ in their names, inputs and outputs, of which one
 * has to be there; what else there is to say about a node is then the same in
 * one graph.  Functions are called by more than that. */
static bool is_like_a_good_one(const struct tn_onnx_checker *ch, uint32_t graph,
                               const struct tn_op *row)
{
    const struct tn_onnx_known_attrs *known = ch->known;
    uint32_t                          alike = tn_op_alike(row);
    uint32_t                          slot  = alike % TN_ONNX_ALIKE_SLOTS;

    return alike && known->nodes[slot].alike == alike &&
           known->nodes[slot].source == row->source &&
           known->nodes[slot].graph == graph &&
           (row->input_count || row->output_count);
}

static void keep_good_one(const struct tn_onnx_checker *ch, uint32_t graph,
                          const struct tn_op *row)
{
    struct tn_onnx_known_attrs *known = ch->known;
    uint32_t                    alike = tn_op_alike(row);
    uint32_t                    slot  = alike % TN_ONNX_ALIKE_SLOTS;

    if (tn_intern_count(&ch->functions))
        return;
    known->nodes[slot].alike  = alike;
    known->nodes[slot].source = row->source;
    known->nodes[slot].graph  = graph;
}

static void check_node(struct tn_onnx_checker *ch, uint32_t graph, uint32_t op)
{
    const struct tn_op *row  = tn_model_op_at(ch->model, op);
    struct tn_span      wire = tn_model_op_wire(ch->model, row);
    struct tn_cursor    c;
    struct node         node;
    uint64_t            before = findings(ch);
    bool                is_in_function =
        tn_model_graph_at(ch->model, ch->roots[graph])->kind ==
        TN_GRAPH_FUNCTION;
    struct tn_pb_field field;

    if (is_like_a_good_one(ch, graph, row))
        return;
    c = tn_cursor_span(wire, &ch->failure);
    node_init(&node, ch, graph, op);
    while (tn_pb_next(&c, &field))
        if (field.type == TN_WIRE_LEN)
            see_node_field(&node, &field, is_in_function);
    if (node.has_table)
        tn_intern_done(&node.table);
    if (tn_failed(&ch->failure)) {
        tn_onnx_complain_error(ch, &ch->failure, &node.where);
        ch->failure = (struct tn_error)TN_ERROR_INIT;
        return;
    }
    if (node.type.size == 0)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-op-type", node.begin,
                         &node.where, "the node does not say its operator");
    if (!node.has_io)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "no-ends", node.begin, &node.where,
                         "the node has neither inputs nor outputs");
    check_domain(&node);
    if (!node.is_odd && findings(ch) == before)
        keep_good_one(ch, graph, row);
}

/* ---- names of nodes -----------------------------------------------------  A
 * table of their hashes, and of the place where each was first seen, to find
 * names that occur twice.  */

struct named {
    uint32_t op;   /* of the graph, counted from 1; 0: a free slot            */
    uint32_t hash; /* of its name                                             */
};

struct node_names {
    const struct tn_onnx_checker *ch;
    uint32_t                      first; /* op of the model                   */
    uint64_t                      seed, slot_count;
    struct named                 *slots;
    uint32_t ahead[LOOK_AHEAD]; /* hashes of the next ones                    */
};

static struct tn_bytes name_of(const struct node_names *names, uint32_t ordinal)
{
    const struct tn_model *model = names->ch->model;

    return tn_model_name(model,
                         tn_model_op_at(model, names->first + ordinal)->name);
}

static bool names_init(struct node_names *names, struct tn_onnx_checker *ch,
                       const struct tn_graph *graph)
{
    uint64_t count = 64;

    while (count < graph->op_count * 2)
        count *= 2;
    *names       = (struct node_names){ .ch    = ch,
                                        .first = graph->first_op,
                                        .seed  = tn_mix_seed(names) };
    names->slots = tn_memory_resize(ch->model->memory, NULL, 0,
                                    count * sizeof *names->slots, ch->error);
    if (!names->slots)
        return false;
    memset(names->slots, 0, (size_t)count * sizeof *names->slots);
    names->slot_count = count;
    return true;
}

static void names_done(struct node_names *names)
{
    tn_memory_free(names->ch->model->memory, names->slots,
                   names->slot_count * sizeof *names->slots);
}

/* A million names are in no cache, and neither are their slots. */
static void fetch_name(struct node_names *names, uint32_t ordinal)
{
    uint32_t hash = tn_hash_bytes(name_of(names, ordinal), names->seed);

    names->ahead[ordinal % LOOK_AHEAD] = hash;
#if defined(__GNUC__)
    __builtin_prefetch(&names->slots[hash & (names->slot_count - 1)], 1);
#endif
}

/* True: it was there before. */
static bool is_repeated(struct node_names *names, struct tn_bytes name,
                        uint32_t ordinal)
{
    uint32_t hash = names->ahead[ordinal % LOOK_AHEAD];
    uint64_t mask = names->slot_count - 1;

    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        struct named *slot = &names->slots[i];
        if (!slot->op) {
            *slot = (struct named){ ordinal + 1, hash };
            return false;
        }
        if (slot->hash == hash &&
            tn_bytes_equal(name_of(names, slot->op - 1), name))
            return true;
    }
}

/* The definition does not forbid it, but ONNX Runtime refuses such a graph. */
static void check_node_name(struct tn_onnx_checker *ch,
                            struct node_names *names, uint32_t graph,
                            uint32_t ordinal)
{
    struct tn_bytes name = name_of(names, ordinal);
    char            where[TN_ONNX_WHERE];

    if (name.size == 0 || !is_repeated(names, name, ordinal))
        return;
    tn_model_path_of(ch->model, graph, ordinal, where, sizeof where);
    tn_onnx_complain(
        ch, TN_LEVEL_WARNING, "duplicate-node-name",
        tn_model_op_at(ch->model, names->first + ordinal)->wire_offset,
        TN_ONNX_AT(where),
        "two nodes are named '%.*s', which ONNX Runtime refuses", TN_FMT(name));
}

void tn_onnx_check_nodes(struct tn_onnx_checker *ch, uint32_t graph)
{
    const struct tn_graph *g = tn_model_graph_at(ch->model, graph);
    struct node_names      names;

    if (!names_init(&names, ch, g))
        return;
    for (uint32_t i = 0; i < LOOK_AHEAD && i < g->op_count; i++)
        fetch_name(&names, i);
    for (uint32_t i = 0; i < g->op_count; i++) {
        if (ch->report->is_stopped || tn_failed(ch->error))
            break;
        check_node(ch, graph, g->first_op + i);
        check_node_name(ch, &names, graph, i);
        if (g->op_count - i > LOOK_AHEAD)
            fetch_name(&names, i + LOOK_AHEAD);
    }
    names_done(&names);
}
