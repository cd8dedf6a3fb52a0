/*
 * tfl_attr.c - the dialect tflite: options of operators as attributes
 *
 * A table of a FlatBuffer is not contiguous, so the wire of an op is the four
 * bytes that begin its table.  An attribute's wire begins there, too, and its
 * length says which one it is, counted from 1: the fields of the options in
 * their order, then those of `extras`.  A cursor over an op that was stepped is
 * over no bytes and has its number in `beyond`.
 *
 * A scalar of the options is an attribute even if the file leaves it out: then
 * it has the default of the schema.
 */
#include <stdio.h>

#include "base/number.h"
#include "format/tflite/tflite.h"

enum { TABLE_SIZE = 4, EXTRA_COUNT = 3 };

/* Attributes of operators that are not in their options. */
enum extra { CUSTOM_OPTIONS, MUTATING, INTERMEDIATES };

static const struct {
    const char *name, *word;
} extras[EXTRA_COUNT] = {
    { "custom_options", "string" },
    { "mutating_variable_inputs", "list(bool)" },
    { "intermediates", "list(string)" },
};

/* An operator, found by the position of its table. */
struct operator
{
    struct tn_fb                 fb;
    struct tn_fb_table           table;
    struct tn_fb_table           given; /* its options; .fb NULL: none        */
    const struct tn_tfl_options *options;
};

static void find_operator(struct operator* op, struct tn_source *source,
                          uint64_t at, struct tn_error *error)
{
    tn_fb_view(&op->fb, source, error);
    op->table = tn_fb_table_at(&op->fb, at);

    struct tn_fb_table  root  = tn_fb_root(&op->fb);
    struct tn_fb_vector codes = tn_fb_vector(&root, TN_TFL_MODEL_CODES, 4);
    uint32_t            index = tn_fb_u32(&op->table, TN_TFL_OPERATOR_CODE, 0);
    struct tn_fb_table  code  = { 0 };
    if (index < codes.count)
        code = tn_fb_vector_table(&codes, index);
    op->options = tn_tfl_options_of(
        &op->table, code.fb ? tn_tfl_code(&code) : -1, &op->given);
}

static bool is_scalar(const struct tn_tfl_field *field)
{
    return field->kind <= TN_TFL_SUBGRAPH;
}

static bool has_custom_options(const struct operator* op)
{
    struct tn_error ignored = TN_ERROR_INIT;
    struct tn_span  data;

    return tn_tfl_custom_options(&op->table, &data, &ignored);
}

static bool is_given(const struct operator* op, uint64_t index)
{
    if (index < op->options->count) {
        const struct tn_tfl_field *field = &op->options->fields[index];
        return is_scalar(field) ||
               (op->given.fb && tn_fb_has(&op->given, field->slot));
    }
    switch (index - op->options->count) {
    case CUSTOM_OPTIONS: return has_custom_options(op);
    case MUTATING:
        return tn_fb_vector(&op->table, TN_TFL_OPERATOR_MUTATING, 1).count > 0;
    default:
        return tn_fb_vector(&op->table, TN_TFL_OPERATOR_INTERMEDIATES, 4)
                   .count > 0;
    }
}

static bool next_attr(struct tn_cursor *c, struct tn_bytes *name,
                      struct tn_span *wire)
{
    uint64_t left = tn_left(c);
    uint64_t next = left > TABLE_SIZE ? left - TABLE_SIZE - 1 : 0;
    struct   operator op;

    if (left < TABLE_SIZE || tn_failed(c->error))
        return false;
    find_operator(&op, c->source, c->offset, c->error);
    uint64_t count = (uint64_t)op.options->count + EXTRA_COUNT;
    while (next < count && !is_given(&op, next))
        next++;
    c->at     = c->end;
    c->beyond = TABLE_SIZE + 1 + next + 1;
    if (next >= count || tn_failed(c->error))
        return false;
    *name = tn_text(next < op.options->count
                        ? op.options->fields[next].name
                        : extras[next - op.options->count].name);
    *wire = (struct tn_span){ c->source, c->offset, next + 1 };
    return true;
}

static const char *attr_type(struct tn_span wire)
{
    static const char *const words[] = {
        [TN_TFL_BOOL]      = "bool",
        [TN_TFL_I8]        = "int",
        [TN_TFL_I32]       = "int",
        [TN_TFL_U32]       = "int",
        [TN_TFL_I64]       = "int",
        [TN_TFL_F32]       = "float",
        [TN_TFL_TYPE]      = "type",
        [TN_TFL_ENUM]      = "string",
        [TN_TFL_SUBGRAPH]  = "func",
        [TN_TFL_STRING]    = "string",
        [TN_TFL_BYTES]     = "string",
        [TN_TFL_I32S]      = "list(int)",
        [TN_TFL_I64S]      = "list(int)",
        [TN_TFL_F32S]      = "list(float)",
        [TN_TFL_BOOLS]     = "list(bool)",
        [TN_TFL_ENUMS]     = "list(string)",
        [TN_TFL_SUBGRAPHS] = "list(func)",
    };
    struct tn_error ignored = TN_ERROR_INIT;
    struct          operator op;

    find_operator(&op, wire.source, wire.offset, &ignored);
    if (wire.length && wire.length <= op.options->count)
        return words[op.options->fields[wire.length - 1].kind];
    uint64_t extra = wire.length - op.options->count - 1;
    return extra < EXTRA_COUNT ? extras[extra].word : "";
}

/* ---- decoding ----------------------------------------------------------- */

struct decoding {
    const struct tn_model     *model;
    uint32_t                   graph;
    struct                     operator op;
    const struct tn_tfl_field *field;
    struct tn_arena           *arena;
    struct tn_attr_value      *value;
    struct tn_error           *error;
};

static int64_t scalar(const struct decoding *d)
{
    const struct tn_fb_table  *t    = &d->op.given;
    const struct tn_tfl_field *f    = d->field;
    int8_t                     none = f->otherwise;

    if (!t->fb)
        return none;
    switch (f->kind) {
    case TN_TFL_BOOL: return tn_fb_bool(t, f->slot, none);
    case TN_TFL_I8:
    case TN_TFL_TYPE: return tn_fb_i8(t, f->slot, none);
    case TN_TFL_U32: return tn_fb_u32(t, f->slot, (uint32_t)none);
    case TN_TFL_I64: return tn_fb_i64(t, f->slot, none);
    case TN_TFL_ENUM:
        return tn_tfl_names[f->names].size == 1 ? tn_fb_i8(t, f->slot, none)
                                                : tn_fb_i32(t, f->slot, none);
    default: return tn_fb_i32(t, f->slot, none);
    }
}

static void set_ints(struct decoding *d, enum tn_attr_kind kind, int64_t value)
{
    int64_t *to = tn_new(d->arena, int64_t, 1, d->error);

    if (to)
        *to = value;
    d->value->kind    = kind;
    d->value->of.ints = to;
}

static void set_strings(struct decoding *d, enum tn_attr_kind kind,
                        struct tn_bytes value)
{
    struct tn_bytes *to = tn_new(d->arena, struct tn_bytes, 1, d->error);

    if (to)
        *to = value;
    d->value->kind       = kind;
    d->value->of.strings = to;
}

static struct tn_bytes enum_name(struct decoding *d, int64_t number)
{
    const struct tn_tfl_names *names = &tn_tfl_names[d->field->names];

    if (number >= 0 && number < names->count)
        return tn_text(names->names[number]);
    const char *text = tn_text_format(d->arena, d->error, "%" PRId64, number);
    return tn_text(text ? text : "");
}

/* The name of a subgraph; of one that does not exist, its number. */
static struct tn_bytes subgraph_name(struct decoding *d, int64_t index)
{
    const struct tn_tfl_detail *detail = tn_tfl_detail_of(d->model);

    if (detail && index >= 0 && index < detail->graph_count)
        return detail->graphs[index].name;
    const char *text =
        tn_text_format(d->arena, d->error, "subgraph_%" PRId64, index);
    return tn_text(text ? text : "");
}

static void decode_scalar(struct decoding *d)
{
    int64_t number = scalar(d);

    switch (d->field->kind) {
    case TN_TFL_BOOL: set_ints(d, TN_ATTR_BOOL, number != 0); break;
    case TN_TFL_TYPE:
        set_ints(d, TN_ATTR_DTYPE, tn_tfl_dtype((int)number));
        break;
    case TN_TFL_ENUM:
        set_strings(d, TN_ATTR_STRING, enum_name(d, number));
        break;
    case TN_TFL_SUBGRAPH:
        set_strings(d, TN_ATTR_FUNCTION, subgraph_name(d, number));
        break;
    case TN_TFL_F32: {
        float *to = tn_new(d->arena, float, 1, d->error);
        if (to) /* all defaults are zero */
            *to = tn_float_of_bits((uint32_t)number);
        d->value->kind      = TN_ATTR_FLOAT;
        d->value->of.floats = to;
        break;
    }
    default: set_ints(d, TN_ATTR_INT, number);
    }
}

static uint32_t element_size(uint8_t kind)
{
    return kind == TN_TFL_I64S ? 8 : kind == TN_TFL_BOOLS ? 1 : 4;
}

static int64_t element(const struct tn_fb_vector *from, uint32_t i)
{
    return from->element == 8   ? tn_fb_vector_i64(from, i)
           : from->element == 1 ? tn_fb_vector_u8(from, i) != 0
                                : tn_fb_vector_i32(from, i);
}

static void decode_ints(struct decoding *d, enum tn_attr_kind kind,
                        const struct tn_fb_vector *from)
{
    int64_t *to = tn_new(d->arena, int64_t, from->count, d->error);

    for (uint32_t i = 0; to && i < from->count; i++)
        to[i] = element(from, i);
    d->value->kind    = kind;
    d->value->of.ints = to;
}

static void decode_floats(struct decoding *d, const struct tn_fb_vector *from)
{
    float *to = tn_new(d->arena, float, from->count, d->error);

    for (uint32_t i = 0; to && i < from->count; i++)
        to[i] = tn_float_of_bits((uint32_t)tn_fb_vector_i32(from, i));
    d->value->kind      = TN_ATTR_FLOAT;
    d->value->of.floats = to;
}

static void decode_words(struct decoding *d, const struct tn_fb_vector *from)
{
    bool             is_enum = d->field->kind == TN_TFL_ENUMS;
    struct tn_bytes *to =
        tn_new(d->arena, struct tn_bytes, from->count, d->error);

    for (uint32_t i = 0; to && i < from->count; i++)
        to[i] = is_enum ? enum_name(d, element(from, i))
                        : subgraph_name(d, element(from, i));
    d->value->kind       = is_enum ? TN_ATTR_STRING : TN_ATTR_FUNCTION;
    d->value->of.strings = to;
}

static void decode_list(struct decoding *d)
{
    struct tn_fb_vector from = tn_fb_vector(&d->op.given, d->field->slot,
                                            element_size(d->field->kind));

    d->value->is_list = true;
    d->value->count   = from.count;
    switch (d->field->kind) {
    case TN_TFL_F32S: decode_floats(d, &from); break;
    case TN_TFL_BOOLS: decode_ints(d, TN_ATTR_BOOL, &from); break;
    case TN_TFL_ENUMS:
    case TN_TFL_SUBGRAPHS: decode_words(d, &from); break;
    default: decode_ints(d, TN_ATTR_INT, &from);
    }
}

/* The bytes of a span, borrowed if they are in memory. */
static void decode_bytes(struct decoding *d, struct tn_span span)
{
    struct tn_cursor c     = tn_cursor_span(span, d->error);
    const uint8_t   *bytes = tn_take(&c, span.length);

    set_strings(d, TN_ATTR_STRING,
                tn_bytes(bytes, bytes ? (size_t)span.length : 0));
}

static void decode_field(struct decoding *d)
{
    if (is_scalar(d->field)) {
        decode_scalar(d);
    } else if (d->field->kind == TN_TFL_STRING) {
        set_strings(d, TN_ATTR_STRING,
                    tn_fb_string(&d->op.given, d->field->slot));
    } else if (d->field->kind == TN_TFL_BYTES) {
        struct tn_fb_vector bytes =
            tn_fb_vector(&d->op.given, d->field->slot, 1);
        decode_bytes(d, tn_fb_vector_span(&bytes));
    } else {
        decode_list(d);
    }
}

static void decode_intermediates(struct decoding *d)
{
    const struct tn_tfl_detail *detail = tn_tfl_detail_of(d->model);
    struct tn_fb_vector         from =
        tn_fb_vector(&d->op.table, TN_TFL_OPERATOR_INTERMEDIATES, 4);
    struct tn_bytes *to =
        tn_new(d->arena, struct tn_bytes, from.count, d->error);

    for (uint32_t i = 0; to && i < from.count; i++) {
        int32_t index = tn_fb_vector_i32(&from, i);
        to[i]         = tn_text("");
        if (detail && d->graph < detail->graph_count && index >= 0 &&
            (uint32_t)index < detail->graphs[d->graph].count)
            to[i] = detail->graphs[d->graph].tensors[index].name;
    }
    d->value->kind       = TN_ATTR_STRING;
    d->value->is_list    = true;
    d->value->count      = from.count;
    d->value->of.strings = to;
}

static void decode_extra(struct decoding *d, uint64_t which)
{
    struct tn_span data = { 0 };

    if (which == CUSTOM_OPTIONS) {
        if (tn_tfl_custom_options(&d->op.table, &data, d->error))
            decode_bytes(d, data);
    } else if (which == MUTATING) {
        struct tn_fb_vector from =
            tn_fb_vector(&d->op.table, TN_TFL_OPERATOR_MUTATING, 1);
        d->value->is_list = true;
        d->value->count   = from.count;
        decode_ints(d, TN_ATTR_BOOL, &from);
    } else if (which == INTERMEDIATES) {
        decode_intermediates(d);
    }
}

static enum tn_status decode(const struct tn_model *model, uint32_t op,
                             struct tn_span wire, struct tn_arena *arena,
                             struct tn_attr_value *value,
                             struct tn_error      *error)
{
    struct decoding d = { .model = model,
                          .graph = op == TN_NONE
                                       ? 0
                                       : tn_model_op_at(model, op)->graph,
                          .arena = arena,
                          .value = value,
                          .error = error };

    *value = (struct tn_attr_value){ .kind = TN_ATTR_NONE, .count = 1 };
    find_operator(&d.op, wire.source, wire.offset, error);
    if (!wire.length || tn_failed(error))
        return error->status;
    if (wire.length <= d.op.options->count) {
        d.field = &d.op.options->fields[wire.length - 1];
        decode_field(&d);
    } else {
        decode_extra(&d, wire.length - d.op.options->count - 1);
    }
    return error->status;
}

/* ---- values ------------------------------------------------------------- */

static void describe_shape(const struct tn_fb_table *tensor, bool says_ranks,
                           struct tn_arena *arena, struct tn_value_about *to,
                           struct tn_error *error)
{
    struct tn_fb_vector from = tn_tfl_shape_of(tensor);
    int64_t            *dims = tn_new(arena, int64_t, from.count, error);

    for (uint32_t i = 0; dims && i < from.count; i++)
        dims[i] =
            tn_fb_vector_i32(&from, i) < 0 ? -1 : tn_fb_vector_i32(&from, i);
    to->has_rank = tn_tfl_has_rank(tensor, says_ranks);
    to->rank     = dims && to->has_rank ? from.count : 0;
    to->dims     = dims;
}

static void describe_blocks(const struct tn_fb_table  *q,
                            const struct tn_tfl_graph *graph,
                            struct tn_arena *arena, struct tn_value_about *to,
                            struct tn_error *error)
{
    uint8_t type = tn_fb_u8(q, TN_TFL_QUANTIZATION_DETAILS_TYPE, 0);

    if ((type != TN_TFL_DETAILS_BLOCKS && type != TN_TFL_DETAILS_AXES) ||
        !tn_fb_has(q, TN_TFL_QUANTIZATION_DETAILS))
        return;
    struct tn_fb_table details = tn_fb_child(q, TN_TFL_QUANTIZATION_DETAILS);
    int32_t            scales  = tn_fb_i32(&details, 0, 0);
    int32_t            zeros   = tn_fb_i32(&details, 1, 0);
    int32_t            size    = tn_fb_i32(&details, 2, 0);
    if (size <= 0 || scales < 0 || (uint32_t)scales >= graph->count)
        return;
    to->block_size   = (uint32_t)size;
    to->block_scales = graph->tensors[scales].name;
    /* 0 is not written, and the scales' own index means the same: none */
    if (zeros > 0 && (uint32_t)zeros < graph->count && zeros != scales)
        to->block_zero_points = graph->tensors[zeros].name;
    if (type != TN_TFL_DETAILS_AXES)
        return;
    struct tn_fb_vector axes = tn_fb_vector(&details, 3, 4);
    uint32_t           *list = tn_new(arena, uint32_t, axes.count, error);
    for (uint32_t i = 0; list && i < axes.count; i++)
        list[i] = (uint32_t)tn_fb_vector_i32(&axes, i);
    to->block_axes       = list;
    to->block_axis_count = list ? axes.count : 0;
}

static void describe_scales(const struct tn_fb_table *q, struct tn_arena *arena,
                            struct tn_value_about *to, struct tn_error *error)
{
    struct tn_fb_vector from = tn_fb_vector(q, TN_TFL_QUANTIZATION_SCALE, 4);
    struct tn_fb_vector zero =
        tn_fb_vector(q, TN_TFL_QUANTIZATION_ZERO_POINT, 8);
    float   *scales = tn_new(arena, float, from.count, error);
    int64_t *points = tn_new(arena, int64_t, from.count, error);
    int32_t  axis   = tn_fb_i32(q, TN_TFL_QUANTIZATION_DIMENSION, 0);

    if (!scales || !points || !from.count)
        return;
    for (uint32_t i = 0; i < from.count; i++) {
        scales[i] = tn_float_of_bits((uint32_t)tn_fb_vector_i32(&from, i));
        if (zero.count)
            points[i] = tn_fb_vector_i64(&zero, i < zero.count ? i : 0);
    }
    to->scale_count = from.count;
    to->scales      = scales;
    to->zero_points = points;
    to->axis        = axis < 0 ? 0 : (uint32_t)axis;
}

/* Reals may have scales left over from before they were dequantised. */
static bool is_real(enum tn_dtype dtype)
{
    return dtype == TN_FLOAT32 || dtype == TN_FLOAT16 || dtype == TN_FLOAT64 ||
           dtype == TN_BFLOAT16;
}

static bool describe_value(const struct tn_model *model, uint32_t graph,
                           struct tn_bytes name, struct tn_arena *arena,
                           struct tn_value_about *to, struct tn_error *error)
{
    const struct tn_tfl_detail *detail = tn_tfl_detail_of(model);
    uint32_t                    index  = TN_NONE;

    *to = (struct tn_value_about){ 0 };
    if (detail && graph < detail->graph_count)
        index = tn_tfl_find_tensor(&detail->graphs[graph], name);
    if (index == TN_NONE)
        return false;
    struct tn_fb fb;
    tn_fb_view(&fb, detail->source, error);
    struct tn_fb_table tensor =
        tn_fb_table_at(&fb, detail->graphs[graph].tensors[index].at);
    to->dtype       = tn_tfl_dtype(tn_fb_i8(&tensor, TN_TFL_TENSOR_TYPE, 0));
    to->is_variable = tn_fb_bool(&tensor, TN_TFL_TENSOR_IS_VARIABLE, false);
    to->is_sparse   = tn_fb_has(&tensor, TN_TFL_TENSOR_SPARSITY);
    describe_shape(&tensor, detail->says_ranks, arena, to, error);
    if (tn_fb_has(&tensor, TN_TFL_TENSOR_QUANTIZATION) && !is_real(to->dtype)) {
        struct tn_fb_table q = tn_fb_child(&tensor, TN_TFL_TENSOR_QUANTIZATION);
        describe_scales(&q, arena, to, error);
        describe_blocks(&q, &detail->graphs[graph], arena, to, error);
    }
    return !tn_failed(error);
}

/* ---- paths -------------------------------------------------------------- */

static const char *tensor_word(const struct tn_tensor *tensor)
{
    (void)tensor;
    return "tensors";
}

static const char *tensor_tail(const struct tn_tensor *tensor)
{
    (void)tensor;
    return "";
}

const struct tn_dialect tn_dialect_tflite = {
    .name            = "tflite",
    .next_attr       = next_attr,
    .decode          = decode,
    .describe_value  = describe_value,
    .refers_to_attrs = true,
    .attr_type       = attr_type,
    .tensor_word     = tensor_word,
    .tensor_tail     = tensor_tail,
    .is_ordered      = true,
    .names_outputs   = true,
};
