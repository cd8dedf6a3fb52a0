/*
 * payload_view.c - elements computed from other tensors' elements
 *
 *   CAST, RESHAPE           pass their input's stream on
 *   CONCAT                  pieces of its inputs in turn
 *   PERMUTE, SLICE, FORTRAN a start and a stride per axis over a leaf, the
 *                           first input below that is none of these; gathered
 *                           box by box, see payload_gather.c
 */
#include "ir/payload_view.h"

#include <assert.h>

#include "base/arith.h"
#include "ir/element.h"
#include "ir/payload_gather.h"
#include "ir/window.h"

static bool is_view(const struct tn_elements *e, enum tn_view_kind kind)
{
    return e->payload.encoding == TN_ENCODING_VIEW &&
           e->payload.view->kind == kind;
}

static bool is_strided(const struct tn_elements *e)
{
    return is_view(e, TN_VIEW_PERMUTE) || is_view(e, TN_VIEW_SLICE);
}

static enum tn_status refuse(struct tn_error *error, const char *what)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE, "%s", what);
}

static enum tn_status check_permute(const struct tn_elements *e,
                                    struct tn_error          *error)
{
    const struct tn_view  *view  = e->payload.view;
    const struct tn_shape *shape = &e->shape, *input = &view->inputs[0].shape;
    uint64_t               seen[TN_VIEW_RANK_LIMIT / 64] = { 0 };

    if (shape->rank != input->rank)
        return refuse(error, "a permutation of another rank");
    for (uint32_t i = 0; i < shape->rank; i++) {
        uint32_t axis = view->axes[i];
        if (axis >= shape->rank || (seen[axis / 64] >> axis % 64 & 1))
            return refuse(error, "the axes are not a permutation");
        seen[axis / 64] |= UINT64_C(1) << axis % 64;
        if (shape->dims[i] != input->dims[axis])
            return refuse(error, "a permutation with other dims");
    }
    return TN_OK;
}

/* begin, begin + step, ... `count` of them, all inside [0, size). */
static bool steps_inside(uint64_t begin, int64_t step, uint64_t count,
                         uint64_t size)
{
    uint64_t stride = step < 0 ? ~(uint64_t)step + 1 : (uint64_t)step;
    uint64_t far;

    if (count == 0)
        return true;
    if (begin >= size || !tn_mul(count - 1, stride, &far))
        return false;
    return step < 0 ? far <= begin : far < size - begin;
}

static enum tn_status check_slice(const struct tn_elements *e,
                                  struct tn_error          *error)
{
    const struct tn_view  *view  = e->payload.view;
    const struct tn_shape *shape = &e->shape, *input = &view->inputs[0].shape;

    if (shape->rank != input->rank)
        return refuse(error, "a slice of another rank");
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (!steps_inside(view->begin[i], view->step[i], shape->dims[i],
                          input->dims[i]))
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "a slice of %" PRIu64 " from %" PRIu64
                                " by %" PRId64 " on axis %u of size %" PRIu64,
                                shape->dims[i], view->begin[i], view->step[i],
                                i, input->dims[i]);
    }
    return TN_OK;
}

static bool same_but_for(const struct tn_shape *a, const struct tn_shape *b,
                         uint32_t axis)
{
    bool is_same = a->rank == b->rank && axis < a->rank;

    for (uint32_t i = 0; is_same && i < a->rank; i++)
        is_same = i == axis || a->dims[i] == b->dims[i];
    return is_same;
}

static enum tn_status check_concat(const struct tn_elements *e,
                                   struct tn_error          *error)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              sum  = 0;

    for (uint64_t i = 0; i < view->input_count; i++) {
        const struct tn_shape *input = &view->inputs[i].shape;
        if (input->dtype != e->shape.dtype ||
            !same_but_for(&e->shape, input, view->axis))
            return refuse(error, "a piece of another type or shape");
        if (!tn_add(sum, input->dims[view->axis], &sum))
            return refuse(error, "pieces longer than 2^64");
    }
    if (sum != e->shape.dims[view->axis])
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "pieces of %" PRIu64 " on axis %u of size %" PRIu64,
                            sum, view->axis, e->shape.dims[view->axis]);
    return TN_OK;
}

static enum tn_status check_reshape(const struct tn_elements *e,
                                    struct tn_error          *error)
{
    uint64_t to, from;

    if (!tn_shape_count(&e->shape, &to) ||
        !tn_shape_count(&e->payload.view->inputs[0].shape, &from) || to != from)
        return refuse(error, "a reshape to another number of elements");
    return TN_OK;
}

static enum tn_status check_cast(const struct tn_elements *e,
                                 struct tn_error          *error)
{
    const struct tn_shape *input = &e->payload.view->inputs[0].shape;

    if (tn_dtype_bits(e->shape.dtype) == 0 || tn_dtype_bits(input->dtype) == 0)
        return refuse(error, "a cast of elements of no fixed size");
    if (!tn_shape_same_dims(&e->shape, input))
        return refuse(error, "a cast with other dims");
    return TN_OK;
}

enum tn_status tn_view_check_one(const struct tn_elements *e,
                                 struct tn_error          *error)
{
    const struct tn_view *view = e->payload.view;

    if (!view || (view->input_count != 1 && view->kind != TN_VIEW_CONCAT) ||
        view->input_count == 0)
        return refuse(error, "a view without its input");
    if (e->shape.rank > TN_VIEW_RANK_LIMIT)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "a view of rank %u, limit %d", e->shape.rank,
                            TN_VIEW_RANK_LIMIT);
    if (view->kind != TN_VIEW_CAST &&
        view->inputs[0].shape.dtype != e->shape.dtype)
        return refuse(error, "a view of another type");
    switch (view->kind) {
    case TN_VIEW_PERMUTE: return check_permute(e, error);
    case TN_VIEW_CAST: return check_cast(e, error);
    case TN_VIEW_SLICE: return check_slice(e, error);
    case TN_VIEW_CONCAT: return check_concat(e, error);
    case TN_VIEW_RESHAPE: return check_reshape(e, error);
    }
    return refuse(error, "an unknown kind of view");
}

static enum tn_status too_deep(struct tn_error *error)
{
    return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                        "views nested deeper than %d", TN_VIEW_DEPTH_LIMIT);
}

static enum tn_status check_below(const struct tn_elements *e, unsigned depth,
                                  struct tn_error *error)
{
    const struct tn_view *view = e->payload.view;

    if (e->payload.encoding != TN_ENCODING_VIEW)
        return TN_OK;
    if (depth == TN_VIEW_DEPTH_LIMIT)
        return too_deep(error);
    TN_TRY(tn_view_check_one(e, error));
    for (uint64_t i = 0; i < view->input_count; i++)
        TN_TRY(check_below(&view->inputs[i], depth + 1, error));
    return TN_OK;
}

enum tn_status tn_view_check(const struct tn_elements *elements,
                             struct tn_error          *error)
{
    return check_below(elements, 0, error);
}

/* A sink that converts what passes through. */
struct caster {
    struct tn_sink  sink; /* first */
    struct tn_sink *to;
    enum tn_dtype   from_dtype, to_dtype;
};

static enum tn_status cast_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    struct caster *caster = (struct caster *)sink;
    size_t         size   = tn_dtype_size(caster->from_dtype);
    size_t         left   = bytes.size / size;
    const uint8_t *at     = bytes.data;
    uint8_t        out[4096];

    assert(bytes.size % size == 0); /* all our windows hold whole elements */
    while (left > 0) {
        size_t to_size = tn_dtype_size(caster->to_dtype);
        size_t n       = (size_t)tn_min(left, sizeof out / to_size);
        tn_element_convert(caster->to_dtype, out, caster->from_dtype, at, n);
        TN_TRY(tn_sink_write(caster->to, tn_bytes(out, n * to_size), error));
        at += n * size;
        left -= n;
    }
    return TN_OK;
}

static void caster_init(struct caster *caster, struct tn_sink *to,
                        enum tn_dtype from_dtype, enum tn_dtype to_dtype)
{
    static const struct tn_sink_ops ops = { .write = cast_write };

    *caster = (struct caster){ { .ops = &ops }, to, from_dtype, to_dtype };
}

static enum tn_status stream_cast(const struct tn_elements *input,
                                  enum tn_dtype             dtype,
                                  const struct tn_range    *range,
                                  struct tn_sink           *to)
{
    struct caster caster;

    caster_init(&caster, to, input->shape.dtype, dtype);
    return tn_view_input(input, range, &caster.sink);
}

/* Strides of elements side by side; Fortran's first axis is the dense one. */
static void dense_strides(struct tn_strided *s, bool is_fortran)
{
    int64_t stride = 1;

    for (uint32_t i = 0; i < s->rank; i++) {
        uint32_t axis    = is_fortran ? i : s->rank - 1 - i;
        s->strides[axis] = stride;
        stride *= (int64_t)s->dims[axis];
    }
}

static void apply_permute(struct tn_strided *s, const struct tn_view *view)
{
    struct tn_strided old = *s;

    for (uint32_t i = 0; i < s->rank; i++) {
        s->dims[i]    = old.dims[view->axes[i]];
        s->strides[i] = old.strides[view->axes[i]];
    }
}

static void apply_slice(struct tn_strided *s, const struct tn_elements *e)
{
    const struct tn_view *view = e->payload.view;

    for (uint32_t i = 0; i < s->rank; i++) {
        s->start += view->begin[i] * (uint64_t)s->strides[i];
        /* Any step will do where there is but one: unsigned, it may wrap. */
        s->strides[i] =
            (int64_t)((uint64_t)s->strides[i] * (uint64_t)view->step[i]);
        s->dims[i] = e->shape.dims[i];
    }
}

/* Below strided views and reshapes of what is dense anyway. */
static const struct tn_elements *find_dense(const struct tn_elements *e)
{
    while (is_view(e, TN_VIEW_RESHAPE) && e->payload.view->input_count == 1 &&
           !is_strided(&e->payload.view->inputs[0]) &&
           e->payload.view->inputs[0].payload.encoding != TN_ENCODING_FORTRAN)
        e = &e->payload.view->inputs[0];
    return e;
}

/* What lies below strided views, as one of them. */
static enum tn_status find_leaf(const struct tn_elements *e,
                                struct tn_strided *s, struct tn_elements *leaf,
                                struct tn_error *error)
{
    uint64_t count, below;

    if (e->shape.rank > TN_VIEW_RANK_LIMIT)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "a view of rank %u, limit %d", e->shape.rank,
                            TN_VIEW_RANK_LIMIT);
    *leaf = *find_dense(e);
    if (!tn_shape_count(&e->shape, &count) || count > INT64_MAX ||
        !tn_shape_count(&leaf->shape, &below) || below != count)
        return refuse(error, "a view of too many elements, or of others");
    s->rank  = e->shape.rank;
    s->start = 0;
    if (s->rank)
        memcpy(s->dims, e->shape.dims, s->rank * sizeof *s->dims);
    dense_strides(s, e->payload.encoding == TN_ENCODING_FORTRAN);
    if (leaf->payload.encoding == TN_ENCODING_FORTRAN)
        leaf->payload.encoding = TN_ENCODING_RAW;
    return TN_OK;
}

/* All views of the chain as one.  `leaf` gets what lies below them. */
static enum tn_status resolve(const struct tn_elements *e, unsigned depth,
                              struct tn_strided *s, struct tn_elements *leaf,
                              struct tn_error *error)
{
    const struct tn_elements *chain[TN_VIEW_DEPTH_LIMIT];
    unsigned                  length = 0;

    for (; is_strided(e); e = &e->payload.view->inputs[0]) {
        if (depth + length == TN_VIEW_DEPTH_LIMIT)
            return too_deep(error);
        TN_TRY(tn_view_check_one(e, error));
        chain[length++] = e;
    }
    TN_TRY(find_leaf(e, s, leaf, error));
    while (length > 0) {
        const struct tn_elements *outer = chain[--length];
        if (is_view(outer, TN_VIEW_PERMUTE))
            apply_permute(s, outer->payload.view);
        else
            apply_slice(s, outer);
    }
    return TN_OK;
}

/* A strided view of a cast is the cast of a strided view: convert what was
 * gathered, instead of gathering what would have to be converted first. */
static enum tn_status stream_leaf(const struct tn_strided  *strided,
                                  const struct tn_elements *leaf,
                                  const struct tn_range    *range,
                                  struct tn_sink           *to)
{
    struct tn_range           below = *range;
    const struct tn_elements *input;
    struct caster             caster;

    if (!is_view(leaf, TN_VIEW_CAST))
        return tn_strided_stream(strided, leaf, range, to);
    if (++below.depth > TN_VIEW_DEPTH_LIMIT)
        return too_deep(range->error);
    TN_TRY(tn_view_check_one(leaf, range->error));
    input = find_dense(&leaf->payload.view->inputs[0]);
    caster_init(&caster, to, input->shape.dtype, leaf->shape.dtype);
    return stream_leaf(strided, input, &below, &caster.sink);
}

static enum tn_status stream_strided(const struct tn_elements *e,
                                     const struct tn_range    *range,
                                     struct tn_sink           *to)
{
    struct tn_strided  strided;
    struct tn_elements leaf;

    TN_TRY(resolve(e, range->depth, &strided, &leaf, range->error));
    tn_strided_simplify(&strided);
    return stream_leaf(&strided, &leaf, range, to);
}

static uint64_t product(const uint64_t *dims, uint32_t begin, uint32_t end)
{
    uint64_t n = 1;

    for (uint32_t i = begin; i < end; i++)
        n *= dims[i];
    return n;
}

/* Where along the concatenation the range is. */
struct seam {
    uint64_t inner; /* elements below the axis           */
    uint64_t row;   /* elements of one row of all inputs */
    uint64_t at, end;
};

/* One run of one row's pieces, and on to the next. */
static enum tn_status stream_row(const struct tn_view *view, struct seam *seam,
                                 struct tn_access      *inputs,
                                 const struct tn_range *range,
                                 struct tn_sink        *to)
{
    uint64_t row = seam->at / seam->row, inside = seam->at % seam->row;

    for (uint64_t i = 0; i < view->input_count && seam->at < seam->end; i++) {
        uint64_t size = view->inputs[i].shape.dims[view->axis] * seam->inner;
        if (inside >= size) {
            inside -= size;
            continue;
        }
        uint64_t n = tn_min(size - inside, seam->end - seam->at);
        TN_TRY(tn_access_stream(&inputs[i], row * size + inside, n, to,
                                range->error));
        inside = 0;
        seam->at += n;
    }
    return TN_OK;
}

static enum tn_status stream_rows(const struct tn_view *view, struct seam *seam,
                                  struct tn_access      *inputs,
                                  const struct tn_range *range,
                                  struct tn_sink        *to)
{
    struct tn_batcher batcher;
    bool is_one_row = seam->at / seam->row == (seam->end - 1) / seam->row;

    for (uint64_t i = 0; i < view->input_count; i++)
        TN_TRY(tn_access_open(&inputs[i], &view->inputs[i],
                              is_one_row ? TN_ACCESS_FORWARD : TN_ACCESS_RUNS,
                              range));
    TN_TRY(tn_batcher_open(&batcher, to, range->memory, range->error));
    while (seam->at < seam->end) {
        if (stream_row(view, seam, inputs, range, &batcher.sink) != TN_OK)
            break;
    }
    return tn_batcher_close(&batcher, range->error);
}

static enum tn_status stream_concat(const struct tn_elements *e,
                                    const struct tn_range    *range,
                                    struct tn_sink           *to)
{
    const struct tn_view *view  = e->payload.view;
    const uint64_t       *dims  = e->shape.dims;
    uint64_t              inner = product(dims, view->axis + 1, e->shape.rank);
    struct seam           seam  = { .inner = inner,
                                    .row   = inner * dims[view->axis],
                                    .at    = range->first,
                                    .end   = range->first + range->count };
    uint64_t              size  = view->input_count * sizeof(struct tn_access);
    struct tn_access     *inputs =
        tn_memory_resize(range->memory, NULL, 0, size, range->error);

    if (!inputs)
        return range->error->status;
    memset(inputs, 0, (size_t)size);
    stream_rows(view, &seam, inputs, range, to);
    for (uint64_t i = 0; i < view->input_count; i++)
        tn_access_close(&inputs[i]);
    tn_memory_free(range->memory, inputs, size);
    return range->error->status;
}

static enum tn_status stream_view(const struct tn_elements *e,
                                  const struct tn_range    *range,
                                  struct tn_sink           *to)
{
    const struct tn_elements *input;

    if (range->depth >= TN_VIEW_DEPTH_LIMIT)
        return too_deep(range->error);
    if (e->payload.encoding == TN_ENCODING_FORTRAN)
        return stream_strided(e, range, to);
    TN_TRY(tn_view_check_one(e, range->error));
    input = &e->payload.view->inputs[0];
    switch (e->payload.view->kind) {
    case TN_VIEW_CAST: return stream_cast(input, e->shape.dtype, range, to);
    case TN_VIEW_RESHAPE: return tn_view_input(input, range, to);
    case TN_VIEW_CONCAT: return stream_concat(e, range, to);
    default: break;
    }
    return stream_strided(e, range, to);
}

enum tn_status tn_view_input(const struct tn_elements *input,
                             const struct tn_range *range, struct tn_sink *to)
{
    struct tn_range below = *range;

    below.depth++;
    if (range->count > 0 && (input->payload.encoding == TN_ENCODING_VIEW ||
                             input->payload.encoding == TN_ENCODING_FORTRAN))
        return stream_view(input, &below, to);
    return tn_payload_stream(input, range->first, range->count, range->memory,
                             to, range->error);
}

enum tn_status tn_view_stream(const struct tn_elements *elements,
                              uint64_t first, uint64_t count,
                              struct tn_memory *memory, struct tn_sink *to,
                              struct tn_error *error)
{
    struct tn_range range = { first, count, memory, 0, error };

    return stream_view(elements, &range, to);
}
