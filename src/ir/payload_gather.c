/*
 * payload_gather.c - a start and a stride per axis over somebody's elements
 *
 * The output is cut into boxes: part of one axis, all of the axes below it.
 * Inside a box one axis has the smallest stride in the leaf.  In memory it is
 * walked in tiles together with the last axis, so that a cache line that was
 * fetched for one row of the output still is there for the next ones.  Out of
 * memory it is the axis along which the leaf is read, in stretches.
 */
#include "ir/payload_gather.h"

#include "base/arith.h"
#include "ir/payload_units.h"
#include "ir/window.h"

#define BOX_SIZE (UINT64_C(1) << 20)
#define TILE     32

/* Runs of a leaf that are worth decoding one by one. */
#define RUN_WORTH 512

/* How much a stored byte may grow when it is decoded into memory, besides a
 * megabyte that everybody may have: varints of one byte make eight. */
#define GROWTH_LIMIT 16
#define GROWTH_FREE  (UINT64_C(1) << 20)

/* A sink over memory of the right size. */
struct landing {
    struct tn_sink sink; /* first */
    uint8_t       *at;
};

static enum tn_status land(struct tn_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    struct landing *landing = (struct landing *)sink;

    (void)error;
    memcpy(landing->at, bytes.data, bytes.size);
    landing->at += bytes.size;
    return TN_OK;
}

static const struct tn_sink_ops landing_ops = { .write = land };

static enum tn_status read_input(struct tn_access *access, uint64_t first,
                                 uint64_t count, uint8_t *to,
                                 struct tn_error *error)
{
    struct landing  landing = { { .ops = &landing_ops }, to };
    struct tn_range range   = access->range;

    range.first = first;
    range.count = count;
    range.error = error;
    return tn_view_input(&access->elements, &range, &landing.sink);
}

/* Whether elements can be reached without passing all before them. */
static bool is_seekable(const struct tn_elements *e, unsigned depth)
{
    const struct tn_view *view = e->payload.view;

    if (e->payload.encoding != TN_ENCODING_VIEW)
        return e->payload.encoding != TN_ENCODING_VARINTS &&
               e->payload.encoding != TN_ENCODING_FIELD;
    if (depth >= TN_VIEW_DEPTH_LIMIT || !view)
        return false;
    for (uint64_t i = 0; i < view->input_count; i++) {
        if (!is_seekable(&view->inputs[i], depth + 1))
            return false;
    }
    return true;
}

uint64_t tn_stored_bytes(const struct tn_elements *e, unsigned depth)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              sum  = 0;

    if (e->payload.encoding != TN_ENCODING_VIEW)
        return e->payload.span.source ? e->payload.span.length : 0;
    for (uint64_t i = 0;
         view && depth < TN_VIEW_DEPTH_LIMIT && i < view->input_count; i++) {
        if (!tn_add(sum, tn_stored_bytes(&view->inputs[i], depth + 1), &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* A few bytes that claim to be a terabyte stream well, but do not get the
 * memory to jump around in. */
static enum tn_status check_growth(struct tn_access *access, uint64_t bytes,
                                   struct tn_error *error)
{
    uint64_t stored = tn_stored_bytes(&access->elements, access->range.depth);

    if (bytes <= GROWTH_FREE || (bytes - GROWTH_FREE) / GROWTH_LIMIT <= stored)
        return TN_OK;
    return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                        "a view needs %" PRIu64 " bytes of memory for %" PRIu64
                        " that are stored",
                        bytes, stored);
}

static enum tn_status decode_all(struct tn_access *access,
                                 struct tn_error  *error)
{
    uint64_t bytes, count;

    if (!tn_shape_bytes(&access->elements.shape, &bytes) ||
        !tn_shape_count(&access->elements.shape, &count))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "elements of no fixed size, or too many");
    if (bytes == 0)
        return TN_OK;
    TN_TRY(check_growth(access, bytes, error));
    access->owned =
        tn_memory_resize(access->range.memory, NULL, 0, bytes, error);
    if (!access->owned)
        return error->status;
    access->owned_size = bytes;
    access->bytes      = access->owned;
    return read_input(access, 0, count, access->owned, error);
}

/* Complete raw data, of either byte order. */
static bool find_span(struct tn_access *access)
{
    struct tn_elements raw    = access->elements;
    bool               is_big = raw.payload.encoding == TN_ENCODING_RAW_BIG;
    bool               is_complex =
        raw.shape.dtype == TN_COMPLEX64 || raw.shape.dtype == TN_COMPLEX128;

    if (is_big)
        raw.payload.encoding = TN_ENCODING_RAW;
    if (!tn_payload_is_plain(&raw, false, &access->span))
        return false;
    if (is_big)
        access->swap = is_complex ? access->size / 2 : access->size;
    return true;
}

enum tn_status tn_access_open(struct tn_access         *access,
                              const struct tn_elements *elements,
                              enum tn_access_kind       kind,
                              const struct tn_range    *range)
{
    *access =
        (struct tn_access){ .elements = *elements,
                            .range    = *range,
                            .size     = tn_dtype_size(elements->shape.dtype) };
    if (find_span(access)) {
        struct tn_cursor c = tn_cursor_span(access->span, range->error);
        TN_TRY(range->error->status);
        if (access->span.source && access->span.source->map)
            access->bytes = c.at;
        return TN_OK;
    }
    if (kind == TN_ACCESS_FORWARD ||
        (kind == TN_ACCESS_RUNS && is_seekable(elements, range->depth)))
        return TN_OK;
    return decode_all(access, range->error);
}

void tn_access_close(struct tn_access *access)
{
    if (access->owned)
        tn_memory_free(access->range.memory, access->owned, access->owned_size);
    access->owned = NULL;
}

/* Some elements, before any swapping. */
static enum tn_status access_read(struct tn_access *access, uint64_t first,
                                  uint64_t count, uint8_t *to,
                                  struct tn_error *error)
{
    size_t   size   = (size_t)(count * access->size);
    uint64_t offset = first * access->size;

    if (access->bytes) {
        memcpy(to, access->bytes + offset, size);
        return TN_OK;
    }
    if (access->span.source)
        return tn_source_read(access->span.source, access->span.offset + offset,
                              to, size, error);
    return read_input(access, first, count, to, error);
}

enum tn_status tn_access_stream(struct tn_access *access, uint64_t first,
                                uint64_t count, struct tn_sink *to,
                                struct tn_error *error)
{
    struct tn_range range = access->range;

    if (access->owned)
        return tn_sink_write(to,
                             tn_bytes(access->owned + first * access->size,
                                      (size_t)(count * access->size)),
                             error);
    range.first = first;
    range.count = count;
    range.error = error;
    return tn_view_input(&access->elements, &range, to);
}

void tn_strided_simplify(struct tn_strided *s)
{
    uint32_t rank = 0;

    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] == 1)
            continue;
        /* Strides may wrap only where there is nothing to step over. */
        uint64_t whole = (uint64_t)s->strides[i] * s->dims[i];
        if (rank > 0 && (uint64_t)s->strides[rank - 1] == whole) {
            s->dims[rank - 1] *= s->dims[i];
            s->strides[rank - 1] = s->strides[i];
            continue;
        }
        s->dims[rank]      = s->dims[i];
        s->strides[rank++] = s->strides[i];
    }
    if (rank == 0) {
        s->dims[0]    = 1;
        s->strides[0] = 1;
        rank          = 1;
    }
    s->rank = rank;
}

/* The box being gathered: `length` of axis `top`, all of the axes below. */
struct gather {
    const struct tn_strided *s;
    struct tn_access         access;
    struct tn_error         *error;
    uint32_t                 last;
    uint64_t
        below[TN_VIEW_RANK_LIMIT]; /* elements of one step, in the output */
    uint32_t top;
    uint64_t length;
    uint32_t dense; /* the axis of the smallest stride, in this box           */
    uint8_t *box;
    uint64_t box_size;
    uint8_t *stretch; /* of the leaf; only when it is not in memory          */
    uint64_t at[TN_VIEW_RANK_LIMIT]; /* coordinates inside the box           */
    uint64_t from; /* the element of the leaf at those coordinates           */
    uint64_t to;   /* and its place in the box                               */
};

static uint64_t box_dim(const struct gather *g, uint32_t axis)
{
    return axis == g->top ? g->length : g->s->dims[axis];
}

static uint64_t magnitude(int64_t stride)
{
    return stride < 0 ? ~(uint64_t)stride + 1 : (uint64_t)stride;
}

/* The largest box that begins at `position`; returns its elements. */
static uint64_t choose_box(struct gather *g, uint64_t position, uint64_t left)
{
    const struct tn_strided *s    = g->s;
    uint64_t                 room = g->box_size / g->access.size;

    left   = tn_min(left, room);
    g->top = 0;
    while (position % g->below[g->top] != 0 || g->below[g->top] > left)
        g->top++; /* below[last] is 1 */
    uint64_t step  = g->below[g->top];
    uint64_t index = position / step % s->dims[g->top];
    g->length      = tn_min(s->dims[g->top] - index, left / step);
    g->from        = s->start;
    for (uint32_t i = 0; i <= g->top; i++)
        g->from +=
            position / g->below[i] % s->dims[i] * (uint64_t)s->strides[i];
    g->to    = 0;
    g->dense = g->last;
    for (uint32_t i = g->top; i < g->last; i++) {
        if (box_dim(g, i) > 1 &&
            (box_dim(g, g->dense) == 1 ||
             magnitude(s->strides[i]) < magnitude(s->strides[g->dense])))
            g->dense = i;
    }
    memset(g->at + g->top, 0, (g->last - g->top + 1) * sizeof *g->at);
    return g->length * step;
}

/* On to the next coordinates, with the axes `skip` and `also` standing still.
 */
static bool advance(struct gather *g, uint32_t skip, uint32_t also)
{
    for (uint32_t i = g->last + 1; i-- > g->top;) {
        uint64_t stride = (uint64_t)g->s->strides[i];
        if (i == skip || i == also)
            continue;
        g->from += stride;
        g->to += g->below[i];
        if (++g->at[i] < box_dim(g, i))
            return true;
        g->from -= stride * box_dim(g, i);
        g->to -= g->below[i] * box_dim(g, i);
        g->at[i] = 0;
    }
    return false;
}

static inline void scatter_sized(uint8_t *to, uint64_t to_step,
                                 const uint8_t *from, int64_t from_step,
                                 uint64_t count, size_t size)
{
    for (; count > 0; count--) {
        memcpy(to, from, size);
        to += to_step;
        if (count > 1)
            from += from_step;
    }
}

/* Steps are in bytes. */
static void scatter(uint8_t *to, uint64_t to_step, const uint8_t *from,
                    int64_t from_step, uint64_t count, unsigned size)
{
    switch (size) {
    case 1: scatter_sized(to, to_step, from, from_step, count, 1); break;
    case 2: scatter_sized(to, to_step, from, from_step, count, 2); break;
    case 4: scatter_sized(to, to_step, from, from_step, count, 4); break;
    case 8: scatter_sized(to, to_step, from, from_step, count, 8); break;
    default: scatter_sized(to, to_step, from, from_step, count, size); break;
    }
}

/* The plane of the dense and the last axis, in tiles. */
static void gather_plane(struct gather *g)
{
    unsigned size = g->access.size;
    uint64_t rows = box_dim(g, g->dense), columns = box_dim(g, g->last);
    int64_t  step = g->s->strides[g->last] * (int64_t)size;
    uint64_t down = (uint64_t)g->s->strides[g->dense];

    for (uint64_t begin = 0; begin < columns; begin += TILE) {
        uint64_t n    = tn_min(TILE, columns - begin);
        uint64_t from = g->from + begin * (uint64_t)g->s->strides[g->last];
        uint64_t to   = g->to + begin;
        for (uint64_t i = 0; i < rows; i++) {
            scatter(g->box + to * size, size, g->access.bytes + from * size,
                    step, n, size);
            from += down;
            to += g->below[g->dense];
        }
    }
}

static void gather_row(struct gather *g)
{
    unsigned       size   = g->access.size;
    int64_t        stride = g->s->strides[g->last];
    uint64_t       count  = box_dim(g, g->last);
    uint8_t       *to     = g->box + g->to * size;
    const uint8_t *from   = g->access.bytes + g->from * size;

    if (stride == 1)
        memcpy(to, from, (size_t)(count * size));
    else
        scatter(to, size, from, stride * (int64_t)size, count, size);
}

static void gather_in_memory(struct gather *g)
{
    if (g->dense == g->last) {
        do
            gather_row(g);
        while (advance(g, g->last, g->last));
    } else {
        do
            gather_plane(g);
        while (advance(g, g->last, g->dense));
    }
}

/* Elements along the dense axis, out of a stretch of the leaf that holds them
 * all; as many at a time as a stretch has room for. */
static enum tn_status gather_stretch(struct gather *g)
{
    unsigned size   = g->access.size;
    int64_t  stride = g->s->strides[g->dense];
    uint64_t apart  = magnitude(stride);
    uint64_t left = box_dim(g, g->dense), from = g->from, to = g->to;
    uint64_t step = g->below[g->dense] * size;

    while (left > 0) {
        uint64_t fits = (TN_WINDOW_SIZE / size - 1) / tn_max(apart, 1) + 1;
        uint64_t n    = tn_min(left, fits);
        uint64_t span = (n - 1) * apart + 1;
        uint64_t low  = stride < 0 ? from - (span - 1) : from;
        TN_TRY(access_read(&g->access, low, span, g->stretch, g->error));
        scatter(g->box + to * size, step, g->stretch + (from - low) * size,
                stride * (int64_t)size, n, size);
        from += n * (uint64_t)stride;
        to += n * g->below[g->dense];
        left -= n;
    }
    return TN_OK;
}

/* Runs that are runs in the output too need no stretch between. */
static enum tn_status gather_run(struct gather *g)
{
    return access_read(&g->access, g->from, box_dim(g, g->last),
                       g->box + g->to * g->access.size, g->error);
}

static enum tn_status gather_by_reading(struct gather *g)
{
    bool is_run = g->dense == g->last && g->s->strides[g->last] == 1;

    do
        TN_TRY(is_run ? gather_run(g) : gather_stretch(g));
    while (advance(g, g->dense, g->dense));
    return TN_OK;
}

static enum tn_status gather_box(struct gather *g, uint64_t count,
                                 struct tn_sink *to)
{
    unsigned size = g->access.size, swap = g->access.swap;

    if (g->access.bytes)
        gather_in_memory(g);
    else
        TN_TRY(gather_by_reading(g));
    if (swap)
        tn_reverse_units(g->box, swap, count * size / swap);
    return tn_sink_write(to, tn_bytes(g->box, (size_t)(count * size)),
                         g->error);
}

static enum tn_status gather_range(struct gather         *g,
                                   const struct tn_range *range,
                                   struct tn_sink        *to)
{
    uint64_t position = range->first, left = range->count;

    while (left > 0) {
        uint64_t n = choose_box(g, position, left);
        TN_TRY(gather_box(g, n, to));
        position += n;
        left -= n;
    }
    return TN_OK;
}

static enum tn_access_kind access_kind(const struct tn_strided *s,
                                       unsigned                 size)
{
    uint32_t last    = s->rank - 1;
    bool     is_long = s->dims[last] >= RUN_WORTH / size;

    return s->strides[last] == 1 && is_long ? TN_ACCESS_RUNS : TN_ACCESS_POINTS;
}

static enum tn_status gather_open(struct gather *g, const struct tn_strided *s,
                                  const struct tn_elements *leaf,
                                  const struct tn_range    *range)
{
    unsigned size = tn_dtype_size(leaf->shape.dtype);

    *g = (struct gather){ .s = s, .error = range->error, .last = s->rank - 1 };
    g->below[g->last] = 1;
    for (uint32_t i = g->last; i > 0; i--)
        g->below[i - 1] = g->below[i] * s->dims[i];
    TN_TRY(tn_access_open(&g->access, leaf, access_kind(s, size), range));
    g->box_size = tn_min(range->count, BOX_SIZE / size) * size;
    g->box =
        tn_memory_resize(range->memory, NULL, 0, g->box_size, range->error);
    if (!g->box)
        return range->error->status;
    if (!g->access.bytes)
        g->stretch = tn_memory_resize(range->memory, NULL, 0, TN_WINDOW_SIZE,
                                      range->error);
    return range->error->status;
}

enum tn_status tn_strided_stream(const struct tn_strided  *s,
                                 const struct tn_elements *leaf,
                                 const struct tn_range    *range,
                                 struct tn_sink           *to)
{
    struct tn_range all  = *range;
    unsigned        size = tn_dtype_size(leaf->shape.dtype);
    struct gather  *g;

    if (leaf->payload.encoding == TN_ENCODING_NONE)
        return tn_sink_zeros(to, range->count * size, range->error);
    if (s->rank == 1 && s->strides[0] == 1) {
        all.first += s->start;
        return tn_view_input(leaf, &all, to);
    }
    g = tn_memory_resize(range->memory, NULL, 0, sizeof *g, range->error);
    if (!g)
        return range->error->status;
    if (gather_open(g, s, leaf, range) == TN_OK)
        gather_range(g, range, to);
    tn_access_close(&g->access);
    if (g->box)
        tn_memory_free(range->memory, g->box, g->box_size);
    if (g->stretch)
        tn_memory_free(range->memory, g->stretch, TN_WINDOW_SIZE);
    tn_memory_free(range->memory, g, sizeof *g);
    return range->error->status;
}

static enum tn_status batch_flush(struct tn_batcher *batcher,
                                  struct tn_error   *error)
{
    size_t used = batcher->used;

    batcher->used = 0;
    return tn_sink_write(batcher->to, tn_bytes(batcher->buffer, used), error);
}

/* What is large goes past the buffer, but never before what is in it. */
static bool is_large(uint64_t size)
{
    return size > TN_WINDOW_SIZE / 2;
}

static enum tn_status batch_ready(struct tn_batcher *batcher, uint64_t size,
                                  struct tn_error *error)
{
    if (is_large(size) || size > TN_WINDOW_SIZE - batcher->used)
        return batch_flush(batcher, error);
    return TN_OK;
}

static enum tn_status batch_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct tn_batcher *batcher = (struct tn_batcher *)sink;

    TN_TRY(batch_ready(batcher, bytes.size, error));
    if (is_large(bytes.size))
        return tn_sink_write(batcher->to, bytes, error);
    memcpy(batcher->buffer + batcher->used, bytes.data, bytes.size);
    batcher->used += bytes.size;
    return TN_OK;
}

static enum tn_status batch_splice(struct tn_sink *sink, struct tn_span span,
                                   struct tn_error *error)
{
    struct tn_batcher *batcher = (struct tn_batcher *)sink;

    TN_TRY(batch_ready(batcher, span.length, error));
    if (is_large(span.length))
        return tn_sink_splice(batcher->to, span, error);
    TN_TRY(tn_source_read(span.source, span.offset,
                          batcher->buffer + batcher->used, (size_t)span.length,
                          error));
    batcher->used += (size_t)span.length;
    return TN_OK;
}

static enum tn_status batch_zeros(struct tn_sink *sink, uint64_t count,
                                  struct tn_error *error)
{
    struct tn_batcher *batcher = (struct tn_batcher *)sink;

    TN_TRY(batch_ready(batcher, count, error));
    if (is_large(count))
        return tn_sink_zeros(batcher->to, count, error);
    memset(batcher->buffer + batcher->used, 0, (size_t)count);
    batcher->used += (size_t)count;
    return TN_OK;
}

enum tn_status tn_batcher_open(struct tn_batcher *batcher, struct tn_sink *to,
                               struct tn_memory *memory, struct tn_error *error)
{
    static const struct tn_sink_ops ops = { .write  = batch_write,
                                            .splice = batch_splice,
                                            .zeros  = batch_zeros };

    *batcher        = (struct tn_batcher){ .sink   = { .ops = &ops },
                                           .to     = to,
                                           .memory = memory };
    batcher->buffer = tn_memory_resize(memory, NULL, 0, TN_WINDOW_SIZE, error);
    return error->status;
}

enum tn_status tn_batcher_close(struct tn_batcher *batcher,
                                struct tn_error   *error)
{
    if (!tn_failed(error))
        batch_flush(batcher, error);
    tn_memory_free(batcher->memory, batcher->buffer, TN_WINDOW_SIZE);
    return error->status;
}
