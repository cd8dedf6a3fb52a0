/* onnx_check_tensor.c - tensors, sparse tensors, and ranges of external files
 */
#include "format/onnx/onnx_check.h"

#include <stdio.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "base/sort.h"

/* ---- one tensor --------------------------------------------------------- */

/* A row, its message read again, and where it is. */
struct tensor_check {
    struct tn_onnx_checker *ch;
    const struct tn_tensor *row;
    struct tn_onnx_tensor   wire;
    const char             *where;
};

static void complain(struct tensor_check *t, enum tn_finding_level level,
                     const char *rule, const char *what)
{
    tn_onnx_complain(t->ch, level, rule, t->row->wire.offset,
                     TN_ONNX_AT(t->where), "%s", what);
}

static void check_type(struct tensor_check *t)
{
    const struct tn_onnx_type *type = tn_onnx_type(t->wire.data_type);

    if (!t->wire.has_type || t->wire.data_type == 0)
        complain(t, TN_LEVEL_ERROR, "missing-type",
                 "the tensor does not say its element type");
    else if (!type)
        tn_onnx_complain(t->ch, TN_LEVEL_ERROR, "unknown-enum",
                         t->row->wire.offset, TN_ONNX_AT(t->where),
                         "unknown element type %" PRId64,
                         (int64_t)t->wire.data_type);
    else
        tn_onnx_expect_ir(t->ch, type->since, t->row->wire.offset,
                          TN_ONNX_AT(t->where), type->name);
}

/* Whether the dims make a number of elements. */
static bool check_dims(struct tensor_check *t)
{
    uint64_t count;

    for (uint32_t i = 0; i < t->wire.rank; i++)
        if ((int64_t)t->wire.dims[i] < 0) {
            tn_onnx_complain(t->ch, TN_LEVEL_ERROR, "negative-dimension",
                             t->row->wire.offset, TN_ONNX_AT(t->where),
                             "dimension %" PRIu32 " is %" PRId64, i,
                             (int64_t)t->wire.dims[i]);
            return false;
        }
    if (tn_shape_count(&t->row->elements.shape, &count))
        return true;
    complain(t, TN_LEVEL_ERROR, "wrong-size",
             "the dimensions make more than 2^63 elements");
    return false;
}

/* Data fields that are not empty; an empty raw_data is harmless. */
static uint32_t used_holders(const struct tn_onnx_tensor *wire)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i <= TENSOR_UINT64_DATA; i++) {
        const struct tn_onnx_holder *holder   = &wire->holders[i];
        bool                         is_empty = holder->count == 0 ||
                        (holder->count == 1 && holder->is_packed &&
                         holder->body.length == 0 && i != TENSOR_STRING_DATA);
        used |= is_empty ? 0 : 1u << i;
    }
    return used;
}

static void check_payload(struct tensor_check *t)
{
    const struct tn_onnx_absent *absent =
        tn_onnx_absent_of(t->row->elements.payload.span.source);
    struct tn_error failure = TN_ERROR_INIT;

    if (absent) {
        tn_report_format(
            t->ch->report, TN_LEVEL_ERROR, absent->rule, absent->source.name,
            absent->source.name[0] ? TN_NOWHERE : t->row->wire.offset, t->where,
            "%s", absent->what);
        return;
    }
    if (tn_payload_check(&t->row->elements, &failure) == TN_OK)
        return;
    if (tn_machine_failed(&failure) || failure.status == TN_LIMIT) {
        *t->ch->error = failure;
        return;
    }
    tn_error_where(&failure, "%s", t->where);
    tn_report_add(t->ch->report, TN_LEVEL_ERROR, "wrong-size", &failure);
}

static void check_external(struct tensor_check *t)
{
    if (used_holders(&t->wire))
        complain(t, TN_LEVEL_ERROR, "several-values",
                 "the tensor has data inside and outside");
    if (t->wire.has_strange_key)
        complain(t, TN_LEVEL_WARNING, "unknown-key",
                 "external data with an unknown key");
    if (t->wire.checksum.data)
        complain(t, TN_LEVEL_NOTE, "unverified-checksum",
                 "the SHA-1 of the side file was not verified");
    check_payload(t);
}

static void check_inside(struct tensor_check *t)
{
    const struct tn_onnx_type *type  = tn_onnx_type(t->wire.data_type);
    uint32_t                   used  = used_holders(&t->wire);
    uint64_t                   count = 0;

    if (t->wire.location_kind > 1)
        tn_onnx_complain(t->ch, TN_LEVEL_ERROR, "unknown-enum",
                         t->row->wire.offset, TN_ONNX_AT(t->where),
                         "unknown data location %" PRId64,
                         (int64_t)t->wire.location_kind);
    if (t->wire.has_external)
        complain(t, TN_LEVEL_WARNING, "stray-location",
                 "an external file is named, but the data location is inside");
    if (!type)
        return;
    tn_shape_count(&t->row->elements.shape, &count);
    if (used & (used - 1))
        complain(t, TN_LEVEL_ERROR, "several-values",
                 "the tensor has data in several fields");
    else if (count == 0 && used)
        complain(t, TN_LEVEL_ERROR, "wrong-size",
                 "the tensor has no elements, but data");
    else if (used && !(used & (1u << TENSOR_RAW_DATA | 1u << type->field)))
        tn_onnx_complain(t->ch, TN_LEVEL_ERROR, "wrong-field",
                         t->row->wire.offset, TN_ONNX_AT(t->where),
                         "%s is kept in field %" PRIu32 ", this is elsewhere",
                         type->name, type->field);
    else
        check_payload(t);
}

static void check_tensor(struct tn_onnx_checker *ch,
                         const struct tn_tensor *row)
{
    struct tn_error     failure = TN_ERROR_INIT;
    struct tn_cursor    c       = tn_cursor_span(row->wire, &failure);
    char                where[TN_ONNX_WHERE];
    struct tensor_check t = { .ch = ch, .row = row, .where = where };
    struct tn_arena     scratch;

    tn_tensor_path(row, where, sizeof where);
    tn_arena_init(&scratch, ch->model->memory);
    tn_onnx_tensor_read(&c, &scratch, &t.wire);
    tn_onnx_complain_error(ch, &failure, TN_ONNX_AT(where));
    if (!tn_failed(&failure)) {
        check_type(&t);
        if (check_dims(&t)) {
            if (t.wire.is_external)
                check_external(&t);
            else
                check_inside(&t);
        }
    }
    tn_arena_done(&scratch);
}

/* ---- names of initializers ---------------------------------------------- */

static bool is_named_constant(const struct tn_tensor *row)
{
    return row->graph != TN_NONE && row->node == TN_NONE &&
           (row->role == TN_ROLE_INITIALIZER ||
            row->role == TN_ROLE_SPARSE_VALUES);
}

static bool is_input(const struct tn_model *model, uint32_t graph,
                     uint32_t name)
{
    uint32_t value = tn_model_find_value(model, graph, name);

    return value != TN_NONE &&
           tn_model_value_at(model, value)->kind == TN_VALUE_INPUT;
}

/* `seen` holds (graph, name) of those before. */
static void check_name(struct tn_onnx_checker *ch, const struct tn_tensor *row,
                       uint32_t index, struct tn_pairs *seen)
{
    char path[TN_ONNX_WHERE];

    if (row->name == TN_NO_NAME) {
        tn_tensor_path(row, path, sizeof path);
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-name", row->wire.offset,
                         TN_ONNX_AT(path), "an initializer without a name");
        return;
    }
    uint32_t first =
        tn_pairs_add(seen, row->graph, row->name, index, ch->error);
    uint32_t value   = tn_model_find_value(ch->model, row->graph, row->name);
    bool     is_made = value != TN_NONE &&
                   tn_model_value_at(ch->model, value)->kind == TN_VALUE_OUTPUT;
    bool needs_input = ch->detail->has_ir_version &&
                       ch->detail->ir_version <= 3 &&
                       !is_input(ch->model, row->graph, row->name);
    if (first == index && !is_made && !needs_input)
        return;
    tn_tensor_path(row, path, sizeof path);
    if (first != index || is_made)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "duplicate-name", row->wire.offset,
                         TN_ONNX_AT(path), "'%.*s' is defined twice",
                         TN_FMT(tn_model_name(ch->model, row->name)));
    if (needs_input)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "initializer-not-input",
                         row->wire.offset, TN_ONNX_AT(path),
                         "'%.*s' must be listed as an input up to IR version 3",
                         TN_FMT(tn_model_name(ch->model, row->name)));
}

void tn_onnx_check_tensor_names(struct tn_onnx_checker *ch)
{
    struct tn_pairs seen;

    tn_pairs_init(&seen, ch->model->memory);
    for (uint64_t i = 0; i < ch->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&ch->model->tensors, struct tn_tensor, i);
        if (ch->report->is_stopped || tn_failed(ch->error))
            break;
        if (is_named_constant(row))
            check_name(ch, row, (uint32_t)i, &seen);
    }
    tn_pairs_done(&seen);
}

/* ---- ranges of external files ------------------------------------------- */

static int by_range(const void *left, const void *right, void *context)
{
    const struct tn_span a =
        (*(const struct tn_tensor *const *)left)->elements.payload.span;
    const struct tn_span b =
        (*(const struct tn_tensor *const *)right)->elements.payload.span;

    (void)context;
    if (a.source != b.source)
        return (uintptr_t)a.source < (uintptr_t)b.source ? -1 : 1;
    if (a.offset != b.offset)
        return a.offset < b.offset ? -1 : 1;
    return (a.length > b.length) - (a.length < b.length);
}

static bool is_same_span(struct tn_span a, struct tn_span b)
{
    return a.source == b.source && a.offset == b.offset && a.length == b.length;
}

static void report_overlap(struct tn_onnx_checker *ch,
                           const struct tn_tensor *row,
                           const struct tn_tensor *before)
{
    struct tn_span span = row->elements.payload.span;
    char           where[TN_ONNX_WHERE], other[TN_ONNX_WHERE];

    tn_tensor_path(row, where, sizeof where);
    tn_tensor_path(before, other, sizeof other);
    tn_report_format(ch->report, TN_LEVEL_WARNING, "overlapping-range",
                     span.source->name, span.offset, where,
                     "bytes %" PRIu64 " + %" PRIu64 " overlap those of %s",
                     span.offset, span.length, other);
}

/* Equal ranges are shared on purpose; other overlaps are probably a mistake,
 * although they are allowed. */
static void check_overlaps(struct tn_onnx_checker *ch)
{
    struct tn_list          rows;
    const struct tn_tensor *widest = NULL;

    tn_list_init(&rows, ch->model->memory, sizeof(struct tn_tensor *));
    for (uint64_t i = 0; i < ch->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&ch->model->tensors, struct tn_tensor, i);
        struct tn_source *source = row->elements.payload.span.source;
        if (!row->is_external || !source || tn_onnx_absent_of(source) ||
            row->elements.payload.span.length == 0)
            continue;
        const struct tn_tensor **slot =
            tn_list_push(&rows, const struct tn_tensor *, ch->error);
        if (slot)
            *slot = row;
    }
    if (rows.count)
        tn_sort_items(rows.items, rows.count, sizeof(struct tn_tensor *),
                      by_range, NULL);
    for (uint64_t i = 0; i < rows.count; i++) {
        const struct tn_tensor *row =
            *tn_list_at(&rows, const struct tn_tensor *, i);
        struct tn_span now = row->elements.payload.span;
        struct tn_span old = widest ? widest->elements.payload.span : now;
        if (widest && old.source == now.source &&
            now.offset - old.offset < old.length && !is_same_span(now, old))
            report_overlap(ch, row, widest);
        if (!widest || old.source != now.source ||
            now.offset + now.length > old.offset + old.length)
            widest = row;
    }
    tn_list_done(&rows);
}

/* ---- sparse tensors ----------------------------------------------------- */

struct sparse {
    struct tn_onnx_checker     *ch;
    const struct tn_onnx_place *where;
    uint64_t                    begin;
    const struct tn_tensor     *values, *indices;
    const uint64_t             *dims;
    uint32_t                    rank;
};

static void complain_sparse(struct sparse *s, const char *what)
{
    tn_onnx_complain(s->ch, TN_LEVEL_ERROR, "bad-sparse", s->begin, s->where,
                     "%s", what);
}

static const struct tn_tensor *row_at(const struct tn_model *model,
                                      uint64_t               offset)
{
    uint64_t at;

    TN_BISECT(at, 0, model->tensors.count,
              tn_list_at(&model->tensors, struct tn_tensor, at)->wire.offset <
                  offset);
    const struct tn_tensor *row =
        tn_list_at(&model->tensors, struct tn_tensor, at);
    return at < model->tensors.count && row->wire.offset == offset ? row : NULL;
}

/* The dims are few; they are read twice rather than kept in a list. */
static void read_sparse(struct sparse *s, struct tn_cursor c)
{
    struct tn_cursor   again = c;
    struct tn_pb_field field;
    uint64_t           value, *dims;

    while (tn_pb_next(&c, &field)) {
        if (field.number == SPARSE_VALUES && field.type == TN_WIRE_LEN)
            s->values = row_at(s->ch->model, field.body.offset);
        else if (field.number == SPARSE_INDICES && field.type == TN_WIRE_LEN)
            s->indices = row_at(s->ch->model, field.body.offset);
        else if (field.number == SPARSE_DIMS)
            while (tn_pb_number(&c, &field, TN_WIRE_VARINT, &value))
                s->rank++;
    }
    s->dims = dims = tn_new(&s->ch->arena, uint64_t, s->rank, s->ch->error);
    for (uint32_t i = 0; dims && tn_pb_next(&again, &field);)
        if (field.number == SPARSE_DIMS)
            while (tn_pb_number(&again, &field, TN_WIRE_VARINT, &value))
                dims[i++] = value;
}

/* A sink that looks at indices as they pass: ascending, and inside. */
struct index_sink {
    struct tn_sink sink; /* first */
    struct sparse *s;
    uint32_t       width; /* numbers that make one index                     */
    uint64_t       position;
    uint64_t       last, now; /* linear                                      */
    uint8_t        number[8];
    uint8_t        have; /* bytes of `number`                                */
    bool           is_wrong;
};

static void end_index(struct index_sink *to)
{
    uint64_t ordinal = to->position / to->width;

    if (ordinal > 0 && to->now <= to->last) {
        complain_sparse(to->s, "the indices are not strictly ascending");
        to->is_wrong = true;
    }
    to->last = to->now;
    to->now  = 0;
}

static void take_index(struct index_sink *to, uint64_t value)
{
    uint32_t axis  = (uint32_t)(to->position % to->width);
    uint64_t limit = to->width == 1 ? 1 : to->s->dims[axis];

    if (to->width == 1)
        for (uint32_t i = 0; i < to->s->rank; i++)
            limit *= to->s->dims[i]; /* fits: see check_sparse_dims() */
    if (value >= limit) {
        complain_sparse(to->s, "an index is outside the tensor");
        to->is_wrong = true;
        return;
    }
    to->now = to->now * limit + value;
    if (axis == to->width - 1)
        end_index(to);
    to->position++;
}

static enum tn_status index_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct index_sink *to = (struct index_sink *)sink;

    (void)error;
    for (size_t i = 0; i < bytes.size && !to->is_wrong; i++) {
        to->number[to->have++] = bytes.data[i];
        if (to->have < sizeof to->number)
            continue;
        to->have = 0;
        take_index(to, tn_load64(to->number));
    }
    return TN_OK;
}

static const struct tn_sink_ops index_ops = { .write = index_write };

static void check_index_data(struct sparse *s, uint32_t width)
{
    const struct tn_elements *elements = &s->indices->elements;
    struct tn_error           failure  = TN_ERROR_INIT;
    struct index_sink         to       = { .sink  = { .ops = &index_ops },
                                           .s     = s,
                                           .width = width };
    uint64_t                  count;

    /* Errors of the tensor itself are reported with the tensor. */
    if (s->ch->report->skip_data ||
        tn_onnx_absent_of(elements->payload.span.source) ||
        tn_payload_check(elements, &failure) != TN_OK ||
        !tn_shape_count(&elements->shape, &count))
        return;
    tn_payload_stream(elements, 0, count, s->ch->model->memory, &to.sink,
                      &failure);
    tn_onnx_complain_error(s->ch, &failure, s->where);
}

static bool check_sparse_dims(struct sparse *s)
{
    uint64_t product = 1;

    if (s->rank == 0)
        complain_sparse(s, "a sparse tensor without dimensions");
    for (uint32_t i = 0; i < s->rank; i++)
        if ((int64_t)s->dims[i] <= 0 ||
            !tn_mul(product, s->dims[i], &product) || product > INT64_MAX) {
            complain_sparse(s, "dimensions must be positive, and their product "
                               "a number");
            return false;
        }
    return s->rank > 0;
}

static void check_indices(struct sparse *s, uint64_t count)
{
    const struct tn_shape *shape = &s->indices->elements.shape;

    if (shape->dtype != TN_INT64)
        complain_sparse(s, "indices must be INT64");
    else if (shape->rank == 0 || shape->rank > 2 || shape->dims[0] != count)
        complain_sparse(s, "there must be one index for each value");
    else if (shape->rank == 2 && shape->dims[1] != s->rank)
        complain_sparse(s, "an index must have a number for each dimension");
    else
        check_index_data(s, shape->rank == 1 ? 1 : s->rank);
}

void tn_onnx_check_sparse(struct tn_onnx_checker *ch, struct tn_cursor sparse,
                          const struct tn_onnx_place *where)
{
    struct tn_error failure = TN_ERROR_INIT;
    struct sparse   s = { .ch = ch, .where = where, .begin = sparse.offset };

    sparse.error = &failure;
    read_sparse(&s, sparse);
    tn_onnx_complain_error(ch, &failure, where);
    if (tn_failed(&failure) || tn_failed(ch->error) || !check_sparse_dims(&s))
        return;
    if (!s.values) {
        complain_sparse(&s, "a sparse tensor without values");
        return;
    }
    if (s.values->elements.shape.rank != 1) {
        complain_sparse(&s, "the values must be a list");
        return;
    }
    uint64_t count = s.values->elements.shape.dims[0];
    if (s.indices && (count || s.indices->elements.shape.rank))
        check_indices(&s, count);
    else if (count)
        complain_sparse(&s, "values without indices");
}

/* ---- all of them -------------------------------------------------------- */

void tn_onnx_check_tensors(struct tn_onnx_checker *ch)
{
    tn_onnx_check_tensor_names(ch);
    for (uint64_t i = 0; i < ch->model->tensors.count; i++) {
        if (ch->report->is_stopped || tn_failed(ch->error))
            return;
        check_tensor(ch, tn_list_at(&ch->model->tensors, struct tn_tensor, i));
    }
    check_overlaps(ch);
}
