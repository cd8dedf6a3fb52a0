/*
 * payload_view.c - elements computed from other tensors' elements
 *
 *   CAST, RESHAPE, SCALE,
 *   SIGN                    pass their input's stream on
 *   CONCAT                  pieces of its inputs in turn
 *   SPARSE                  zeros, and an element of its input where the levels
 *                           of indices have one
 *   PERMUTE, SLICE, FORTRAN a start and a stride per axis over a leaf, the
 *                           first input below that is none of these; gathered
 *                           box by box
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "base/little.h"
#include "base/number.h"
#include "ir/element.h"
#include "ir/payload_stride.h"
#include "ir/payload_strings.h"
#include "ir/payload_units.h"
#include "ir/payload_view.h"
#include "ir/window.h"

/* The request: which elements, and the memory for it. */
struct tn_range {
    uint64_t          first, count; /* elements, in C order                   */
    struct tn_memory *memory;
    unsigned          depth; /* of views around this one                      */
    struct tn_error  *error;
};

/* How an input will be read. */
enum tn_access_kind {
    TN_ACCESS_FORWARD, /* once, from the front                                */
    TN_ACCESS_EXTENTS, /* in long extents, anywhere                           */
    TN_ACCESS_POINTS,  /* element by element, anywhere                        */
};

/* An input opened for that. */
struct tn_access {
    struct tn_elements elements;
    struct tn_range    range; /* whose memory and depth                       */
    unsigned           size;  /* of an element                                */
    unsigned           swap;  /* bytes to reverse after reading; 0: none      */
    const uint8_t     *bytes; /* all elements in memory, or NULL              */
    struct tn_span     span;  /* else: where they are unchanged, or 0         */
    uint8_t           *owned; /* decoded: to be freed                         */
    uint64_t           owned_size;
};

struct tn_strided {
    uint32_t rank;
    uint64_t start; /* of element 0, ... 0, in elements of the leaf           */
    uint64_t dims[TN_VIEW_RANK_LIMIT];
    int64_t  strides[TN_VIEW_RANK_LIMIT];
};

/* A sink that joins small writes and lets large splices through. */
struct tn_batcher {
    struct tn_sink    sink; /* first */
    struct tn_sink   *to;
    struct tn_memory *memory;
    uint8_t          *buffer;
    size_t            used;
};

static enum tn_status view_input(const struct tn_elements *input,
                                 const struct tn_range    *range,
                                 struct tn_sink           *to);

/* ---- a start and a stride per axis over another tensor's elements ------- */

/*
 * The output is cut into boxes: part of one axis, all of the axes below it.
 * Inside a box one axis has the smallest stride in the leaf.  In memory it is
 * walked in tiles together with the last axis, so that a cache line that was
 * fetched for one row of the output still is there for the next ones.  Out of
 * memory it is the axis along which the leaf is read, in stretches.
 */

#define BOX_SIZE (UINT64_C(1) << 20)
#define TILE     32

/* The shortest runs of a leaf that are decoded one by one. */
#define RUN_WORTH 512

/* How many bytes of memory a stored byte may take when it is decoded, apart
 * from a megabyte that is always allowed: varints of one byte take eight. */
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
    return view_input(&access->elements, &range, &landing.sink);
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

/* Stored bytes of everything below, as far as views may nest; saturates. */
static uint64_t stored_bytes(const struct tn_elements *e, unsigned depth)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              sum  = 0;

    if (e->payload.encoding != TN_ENCODING_VIEW)
        return e->payload.span.source ? e->payload.span.length : 0;
    for (uint64_t i = 0;
         view && depth < TN_VIEW_DEPTH_LIMIT && i < view->input_count; i++) {
        if (!tn_add(sum, stored_bytes(&view->inputs[i], depth + 1), &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* A few bytes that claim to be a terabyte stream well, but do not get the
 * memory to jump around in. */
static enum tn_status check_growth(struct tn_access *access, uint64_t bytes,
                                   struct tn_error *error)
{
    uint64_t stored = stored_bytes(&access->elements, access->range.depth);

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

/* Input that cannot be read in that way is decoded into memory. */
static enum tn_status access_open(struct tn_access         *access,
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
        (kind == TN_ACCESS_EXTENTS && is_seekable(elements, range->depth)))
        return TN_OK;
    return decode_all(access, range->error);
}

static void access_close(struct tn_access *access)
{
    if (access->owned)
        tn_memory_free(access->range.memory, access->owned, access->owned_size);
    access->owned = NULL;
}

/* Reads some elements, without swapping bytes. */
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

/* Reads some elements in the form in which they are returned. */
static enum tn_status access_stream(struct tn_access *access, uint64_t first,
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
    return view_input(&access->elements, &range, to);
}

/* Drops axes of one and joins neighbours that are one axis: the fewer axes,
 * the longer the runs. */
static void strided_simplify(struct tn_strided *s)
{
    uint32_t rank = 0;

    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] == 1)
            continue;
        /* Unsigned, because strides of axes of length 1 may wrap. */
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

/* Runs that are also runs in the output need no buffer in between. */
static enum tn_status gather_extent(struct gather *g)
{
    return access_read(&g->access, g->from, box_dim(g, g->last),
                       g->box + g->to * g->access.size, g->error);
}

static enum tn_status gather_by_reading(struct gather *g)
{
    bool is_extent = g->dense == g->last && g->s->strides[g->last] == 1;

    do
        TN_TRY(is_extent ? gather_extent(g) : gather_stretch(g));
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

    return s->strides[last] == 1 && is_long ? TN_ACCESS_EXTENTS
                                            : TN_ACCESS_POINTS;
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
    TN_TRY(access_open(&g->access, leaf, access_kind(s, size), range));
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

static enum tn_status strided_stream(const struct tn_strided  *s,
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
        return view_input(leaf, &all, to);
    }
    g = tn_memory_resize(range->memory, NULL, 0, sizeof *g, range->error);
    if (!g)
        return range->error->status;
    if (gather_open(g, s, leaf, range) == TN_OK)
        gather_range(g, range, to);
    access_close(&g->access);
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

/* Large pieces are written without the buffer, after what is in it. */
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

static enum tn_status batcher_open(struct tn_batcher *batcher,
                                   struct tn_sink *to, struct tn_memory *memory,
                                   struct tn_error *error)
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

/* Writes what is left; the status is the error's. */
static enum tn_status batcher_close(struct tn_batcher *batcher,
                                    struct tn_error   *error)
{
    if (!tn_failed(error))
        batch_flush(batcher, error);
    tn_memory_free(batcher->memory, batcher->buffer, TN_WINDOW_SIZE);
    return error->status;
}

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

static enum tn_status check_strides(const struct tn_elements *e,
                                    struct tn_error          *error)
{
    const struct tn_view  *view  = e->payload.view;
    const struct tn_shape *shape = &e->shape, *input = &view->inputs[0].shape;
    uint64_t               far      = view->begin[0];
    bool                   is_empty = false, fits = true;

    if (input->rank != 1)
        return refuse(error, "strides over more than one dimension");
    for (uint32_t i = 0; i < shape->rank; i++) {
        uint64_t length = 0;
        is_empty |= shape->dims[i] == 0;
        fits = fits && view->step[i] >= 0 &&
               (shape->dims[i] == 0 ||
                (tn_mul(shape->dims[i] - 1, (uint64_t)view->step[i], &length) &&
                 tn_add(far, length, &far)));
    }
    if (!is_empty && (!fits || far >= input->dims[0]))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "strides that leave a storage of %" PRIu64
                            " elements",
                            input->dims[0]);
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

/* Numbers along one axis. */
static enum tn_status check_numbers(const struct tn_elements *e,
                                    struct tn_error          *error)
{
    const struct tn_view *view = e->payload.view;

    if (!tn_shape_same_dims(&e->shape, &view->inputs[0].shape))
        return refuse(error, "factors for other dims");
    if ((view->axis >= e->shape.rank && view->axis != TN_VIEW_NO_AXIS) ||
        !view->factors)
        return refuse(error, "factors for no axis");
    return TN_OK;
}

static enum tn_status check_scale(const struct tn_elements *e,
                                  struct tn_error          *error)
{
    if (tn_element_kind(e->shape.dtype) != TN_ELEMENT_FLOAT)
        return refuse(error, "factors for elements that are not floats");
    return check_numbers(e, error);
}

static enum tn_status check_sign(const struct tn_elements *e,
                                 struct tn_error          *error)
{
    if (tn_element_kind(e->shape.dtype) != TN_ELEMENT_COMPLEX ||
        !e->payload.view->offsets)
        return refuse(error, "signs of parts that are not there");
    return check_numbers(e, error);
}

/* Integers that float64 has all of. */
static enum tn_status check_clamp(const struct tn_elements *e,
                                  struct tn_error          *error)
{
    enum tn_element_kind kind = tn_element_kind(e->shape.dtype);

    if (kind != TN_ELEMENT_FLOAT &&
        ((kind != TN_ELEMENT_SIGNED && kind != TN_ELEMENT_UNSIGNED) ||
         tn_dtype_bits(e->shape.dtype) > 32))
        return refuse(error, "bounds for elements that are not compared");
    if (!e->payload.view->offsets)
        return refuse(error, "bounds that are missing");
    return check_numbers(e, error);
}

static enum tn_status check_quantize(const struct tn_elements *e,
                                     struct tn_error          *error)
{
    const struct tn_shape *input = &e->payload.view->inputs[0].shape;
    enum tn_element_kind   kind  = tn_element_kind(e->shape.dtype);
    unsigned               bits  = tn_dtype_bits(e->shape.dtype);

    if (tn_element_kind(input->dtype) != TN_ELEMENT_FLOAT ||
        (kind != TN_ELEMENT_SIGNED && kind != TN_ELEMENT_UNSIGNED) ||
        (bits != 8 && bits != 16))
        return refuse(error, "steps of 8 or 16 bits for floats alone");
    return check_numbers(e, error);
}

/* Which level has a dimension; TN_NONE-like if none or several have it. */
static uint32_t level_of(const struct tn_sparse *sparse, uint32_t dimension)
{
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < sparse->level_count; i++) {
        if (sparse->order[i] != dimension)
            continue;
        if (found != UINT32_MAX)
            return UINT32_MAX;
        found = i;
    }
    return found;
}

/* The sizes of a dimension and of its blocks make up that of the shape. */
static bool has_dimension(const struct tn_elements *e, uint32_t axis)
{
    const struct tn_sparse *sparse = e->payload.view->sparse;
    uint32_t                level  = level_of(sparse, axis);
    uint64_t                size;

    if (level == UINT32_MAX)
        return false;
    size = sparse->levels[level].size;
    for (uint32_t i = 0; i < sparse->block_count; i++) {
        if (sparse->blocks[i] != axis)
            continue;
        level = level_of(sparse, e->shape.rank + i);
        if (level == UINT32_MAX || !sparse->levels[level].size ||
            !tn_mul(size, sparse->levels[level].size, &size))
            return false;
    }
    return size == e->shape.dims[axis];
}

static enum tn_status check_sparse(const struct tn_elements *e,
                                   struct tn_error          *error)
{
    const struct tn_view   *view   = e->payload.view;
    const struct tn_sparse *sparse = view->sparse;
    uint64_t                count  = 1;

    if (tn_dtype_bits(e->shape.dtype) == 0 || view->inputs[0].shape.rank != 1)
        return refuse(error, "a sparse tensor of elements of no fixed size");
    if (!sparse || sparse->block_count > TN_VIEW_RANK_LIMIT ||
        sparse->level_count != e->shape.rank + sparse->block_count)
        return refuse(error, "a sparse tensor with another number of levels");
    for (uint32_t i = 0; i < e->shape.rank; i++)
        if (!has_dimension(e, i))
            return refuse(error,
                          "levels of a sparse tensor that do not make up "
                          "its shape");
    for (uint32_t i = 0; i < sparse->block_count; i++)
        for (uint32_t k = 0; k <= i; k++)
            if (sparse->blocks[i] >= e->shape.rank ||
                (k < i && sparse->blocks[k] == sparse->blocks[i]))
                return refuse(error,
                              "blocks of a dimension that a sparse tensor "
                              "does not have, or has twice");
    for (uint32_t i = 0; i < sparse->level_count; i++) {
        const struct tn_sparse_level *level = &sparse->levels[i];
        if (level->is_sparse && level->segments.count != count + 1)
            return refuse(error,
                          "a level of a sparse tensor with another number "
                          "of segments");
        if (level->is_sparse)
            count = level->indices.count;
        else if (!tn_mul(count, level->size, &count))
            return refuse(error, "a sparse tensor of too many elements");
        if (count >= TN_SHAPE_MOST)
            return refuse(error, "a sparse tensor of too many elements");
    }
    if (count != view->inputs[0].shape.dims[0])
        return tn_error_set(
            error, TN_MALFORMED, view->inputs[0].payload.span.offset,
            "a sparse tensor needs %" PRIu64 " elements, has %" PRIu64, count,
            view->inputs[0].shape.dims[0]);
    return TN_OK;
}

/* One view against the shapes of its inputs. */
static enum tn_status view_check_one(const struct tn_elements *e,
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
    if (view->kind != TN_VIEW_CAST && view->kind != TN_VIEW_QUANTIZE &&
        view->inputs[0].shape.dtype != e->shape.dtype)
        return refuse(error, "a view of another type");
    switch (view->kind) {
    case TN_VIEW_PERMUTE: return check_permute(e, error);
    case TN_VIEW_CAST: return check_cast(e, error);
    case TN_VIEW_SLICE: return check_slice(e, error);
    case TN_VIEW_STRIDES: return check_strides(e, error);
    case TN_VIEW_CONCAT: return check_concat(e, error);
    case TN_VIEW_RESHAPE: return check_reshape(e, error);
    case TN_VIEW_SCALE: return check_scale(e, error);
    case TN_VIEW_SIGN: return check_sign(e, error);
    case TN_VIEW_CLAMP: return check_clamp(e, error);
    case TN_VIEW_QUANTIZE: return check_quantize(e, error);
    case TN_VIEW_SPARSE: return check_sparse(e, error);
    }
    return refuse(error, "an unknown kind of view");
}

/* A part of a row, in its order. */
static enum tn_status cut_row(const struct tn_elements *row, uint64_t start,
                              struct tn_elements *elements,
                              struct tn_error    *error)
{
    struct tn_span span = row->payload.span;
    unsigned       size = tn_dtype_size(elements->shape.dtype);
    uint64_t       count;

    if (!tn_shape_count(&elements->shape, &count) ||
        (count &&
         (start > row->shape.dims[0] || count > row->shape.dims[0] - start)))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a part that leaves a row of %" PRIu64 " elements",
                            row->shape.dims[0]);
    span.offset += count ? start * size : 0;
    span.length                = count * size;
    elements->payload          = tn_payload_raw(&elements->shape, span, 1);
    elements->payload.encoding = row->payload.encoding;
    return TN_OK;
}

enum tn_status tn_payload_stride(struct tn_arena          *arena,
                                 const struct tn_elements *row, uint64_t start,
                                 const int64_t      *strides,
                                 struct tn_elements *elements,
                                 struct tn_error    *error)
{
    if (!strides)
        return cut_row(row, start, elements, error);
    struct tn_elements *input = tn_new(arena, struct tn_elements, 1, error);
    struct tn_view     *view  = tn_new(arena, struct tn_view, 1, error);
    uint64_t           *begin = tn_new(arena, uint64_t, 1, error);
    if (!input || !view || !begin)
        return error->status;
    *input = *row;
    *begin = start;
    *view  = (struct tn_view){ .kind        = TN_VIEW_STRIDES,
                               .inputs      = input,
                               .input_count = 1,
                               .begin       = begin,
                               .step        = strides };
    elements->payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    return check_strides(elements, error);
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
    TN_TRY(view_check_one(e, error));
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
    return view_input(input, range, &caster.sink);
}

static uint64_t product(const uint64_t *dims, uint32_t begin, uint32_t end)
{
    uint64_t n = 1;

    for (uint32_t i = begin; i < end; i++)
        n *= dims[i];
    return n;
}

struct scaler;

/* So many elements that have the same two numbers. */
typedef void scale_run(const struct scaler *s, const uint8_t *from, uint8_t *to,
                       size_t count, double factor, double offset);

/* A sink that computes with what passes through, and numbers along an axis. */
struct scaler {
    struct tn_sink        sink; /* first */
    struct tn_sink       *to;
    const struct tn_view *view;
    scale_run            *run;
    enum tn_dtype         from, dtype; /* before it, behind it                */
    double                smallest;    /* of the normal numbers               */
    double                least, most; /* of the integers                     */
    uint64_t              inner;  /* elements below the axis                */
    uint64_t              length; /* of the axis                            */
    uint64_t              at;     /* the next element                       */
};

static double smallest_normal(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_FLOAT64: return 0x1p-1022;
    case TN_FLOAT32:
    case TN_BFLOAT16: return 0x1p-126;
    case TN_FLOAT16: return 0x1p-14;
    default: return 0;
    }
}

static bool is_below(double x, double bound)
{
    return x < bound && x > -bound;
}

/* Kernels take many times longer over subnormal numbers, so the product makes
 * none; those that were there before stay. */
static double scale_one(const struct scaler *s, double x, double factor,
                        double offset)
{
    double y = x * factor + offset;

    if (is_below(y, s->smallest) && !is_below(x, s->smallest))
        return y * 0; /* with its sign */
    return y;
}

/* As many elements as have one factor, of the type that weights are of. */
static void scale_floats(const struct scaler *s, const uint8_t *from,
                         uint8_t *to, size_t count, double factor,
                         double offset)
{
    for (size_t i = 0; i < count; i++) {
        double x = (double)tn_float_of_bits(tn_load32(from + 4 * i));
        float  y = (float)scale_one(s, x, factor, offset);
        tn_store_little(to + 4 * i, tn_float_bits(y), 4);
    }
}

static void scale_any(const struct scaler *s, const uint8_t *from, uint8_t *to,
                      size_t count, double factor, double offset)
{
    size_t size = tn_dtype_size(s->dtype);

    for (size_t i = 0; i < count; i++) {
        double x = tn_element_double(s->dtype, from + size * i);
        tn_element_from_double(s->dtype, scale_one(s, x, factor, offset),
                               to + size * i);
    }
}

static void clamp_run(const struct scaler *s, const uint8_t *from, uint8_t *to,
                      size_t count, double least, double most)
{
    size_t size = tn_dtype_size(s->dtype);

    for (size_t i = 0; i < count; i++) {
        double x = tn_element_double(s->dtype, from + size * i);
        double y = x < least ? least : x;
        tn_element_from_double(s->dtype, y > most ? most : y, to + size * i);
    }
}

/* As QuantizeLinear computes it; what is no number is the least. */
static void quantize_run(const struct scaler *s, const uint8_t *from,
                         uint8_t *to, size_t count, double scale, double zero)
{
    size_t size = tn_dtype_size(s->from), step = tn_dtype_size(s->dtype);

    for (size_t i = 0; i < count; i++) {
        float  x = (float)tn_element_double(s->from, from + size * i);
        float  q = x / (float)scale;
        double y = (double)rintf(q) + zero;
        y        = y > s->least ? y : s->least;
        tn_element_from_double(s->dtype, y < s->most ? y : s->most,
                               to + step * i);
    }
}

/* The sign is the highest bit, in the last byte of each part. */
static void sign_run(const struct scaler *s, const uint8_t *from, uint8_t *to,
                     size_t count, double real, double imaginary)
{
    size_t  size = tn_dtype_size(s->dtype), half = size / 2;
    uint8_t flip[2] = { real < 0 ? 0x80 : 0, imaginary < 0 ? 0x80 : 0 };

    memcpy(to, from, count * size);
    for (size_t i = 0; i < count; i++, to += size) {
        to[half - 1] ^= flip[0];
        to[size - 1] ^= flip[1];
    }
}

static enum tn_status scale_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct scaler *s    = (struct scaler *)sink;
    size_t         size = tn_dtype_size(s->from);
    size_t         step = tn_dtype_size(s->dtype);
    const uint8_t *at   = bytes.data;
    size_t         left = bytes.size / size;
    uint8_t        out[4096];
    size_t         used = 0;

    assert(bytes.size % size == 0); /* all our windows hold whole elements */
    while (left > 0) {
        uint64_t index  = s->at / s->inner % s->length;
        double   factor = s->view->factors[index];
        /* -0: what is added to changes no number, not even a zero's sign. */
        double offset = s->view->offsets ? s->view->offsets[index] : -0.0;
        /* As many elements as have the same factor. */
        uint64_t reach = s->inner - s->at % s->inner;
        size_t   n =
            (size_t)tn_min(tn_min(reach, left), (sizeof out - used) / step);
        s->run(s, at, out + used, n, factor, offset);
        at += n * size;
        used += n * step;
        s->at += n;
        left -= n;
        if (used + step > sizeof out || !left) {
            TN_TRY(tn_sink_write(s->to, tn_bytes(out, used), error));
            used = 0;
        }
    }
    return TN_OK;
}

static scale_run *find_run(const struct tn_elements *e)
{
    switch (e->payload.view->kind) {
    case TN_VIEW_CLAMP: return clamp_run;
    case TN_VIEW_SIGN: return sign_run;
    case TN_VIEW_QUANTIZE: return quantize_run;
    default: return e->shape.dtype == TN_FLOAT32 ? scale_floats : scale_any;
    }
}

static enum tn_status stream_scale(const struct tn_elements *e,
                                   const struct tn_range    *range,
                                   struct tn_sink           *to)
{
    static const struct tn_sink_ops ops    = { .write = scale_write };
    const struct tn_view           *view   = e->payload.view;
    bool                            is_one = view->axis == TN_VIEW_NO_AXIS;
    double values        = ldexp(1, (int)tn_dtype_bits(e->shape.dtype));
    bool   is_signed     = tn_element_kind(e->shape.dtype) == TN_ELEMENT_SIGNED;
    struct scaler scaler = {
        .sink     = { .ops = &ops },
        .to       = to,
        .view     = view,
        .run      = find_run(e),
        .from     = view->inputs[0].shape.dtype,
        .dtype    = e->shape.dtype,
        .smallest = smallest_normal(e->shape.dtype),
        .least    = is_signed ? -values / 2 : 0,
        .most     = (is_signed ? values / 2 : values) - 1,
        .inner =
            product(e->shape.dims, is_one ? 0 : view->axis + 1, e->shape.rank),
        .length = is_one ? 1 : e->shape.dims[view->axis],
        .at     = range->first,
    };

    return view_input(&view->inputs[0], range, &scaler.sink);
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
        /* Unsigned, because on an axis of length 1 any step is valid, and may
         * wrap. */
        s->strides[i] =
            (int64_t)((uint64_t)s->strides[i] * (uint64_t)view->step[i]);
        s->dims[i] = e->shape.dims[i];
    }
}

/* Looks below strided views, and reshapes of dense elements. */
static const struct tn_elements *find_dense(const struct tn_elements *e)
{
    while (is_view(e, TN_VIEW_RESHAPE) && e->payload.view->input_count == 1 &&
           !is_strided(&e->payload.view->inputs[0]) &&
           !is_view(&e->payload.view->inputs[0], TN_VIEW_STRIDES) &&
           e->payload.view->inputs[0].payload.encoding != TN_ENCODING_FORTRAN)
        e = &e->payload.view->inputs[0];
    return e;
}

/* What is below strided views, as one of them. */
static enum tn_status find_leaf(const struct tn_elements *e,
                                struct tn_strided *s, struct tn_elements *leaf,
                                struct tn_error *error)
{
    uint64_t count, below;

    if (e->shape.rank > TN_VIEW_RANK_LIMIT)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "a view of rank %u, limit %d", e->shape.rank,
                            TN_VIEW_RANK_LIMIT);
    s->rank  = e->shape.rank;
    s->start = 0;
    if (s->rank)
        memcpy(s->dims, e->shape.dims, s->rank * sizeof *s->dims);
    if (is_view(e, TN_VIEW_STRIDES)) {
        TN_TRY(view_check_one(e, error));
        *leaf    = e->payload.view->inputs[0];
        s->start = e->payload.view->begin[0];
        if (s->rank)
            memcpy(s->strides, e->payload.view->step,
                   s->rank * sizeof *s->strides);
        return TN_OK;
    }
    *leaf = *find_dense(e);
    if (!tn_shape_count(&e->shape, &count) || count > INT64_MAX ||
        !tn_shape_count(&leaf->shape, &below) || below != count)
        return refuse(error, "a view of too many elements, or of others");
    dense_strides(s, e->payload.encoding == TN_ENCODING_FORTRAN);
    if (leaf->payload.encoding == TN_ENCODING_FORTRAN)
        leaf->payload.encoding = TN_ENCODING_RAW;
    return TN_OK;
}

/* All views of the chain as one.  `leaf` gets what is below them. */
static enum tn_status resolve(const struct tn_elements *e, unsigned depth,
                              struct tn_strided *s, struct tn_elements *leaf,
                              struct tn_error *error)
{
    const struct tn_elements *chain[TN_VIEW_DEPTH_LIMIT];
    unsigned                  length = 0;

    for (; is_strided(e); e = &e->payload.view->inputs[0]) {
        if (depth + length == TN_VIEW_DEPTH_LIMIT)
            return too_deep(error);
        TN_TRY(view_check_one(e, error));
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
        return strided_stream(strided, leaf, range, to);
    if (++below.depth > TN_VIEW_DEPTH_LIMIT)
        return too_deep(range->error);
    TN_TRY(view_check_one(leaf, range->error));
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
    strided_simplify(&strided);
    return stream_leaf(&strided, &leaf, range, to);
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
        TN_TRY(access_stream(&inputs[i], row * size + inside, n, to,
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
        TN_TRY(access_open(&inputs[i], &view->inputs[i],
                           is_one_row ? TN_ACCESS_FORWARD : TN_ACCESS_EXTENTS,
                           range));
    TN_TRY(batcher_open(&batcher, to, range->memory, range->error));
    while (seam->at < seam->end) {
        if (stream_row(view, seam, inputs, range, &batcher.sink) != TN_OK)
            break;
    }
    return batcher_close(&batcher, range->error);
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
        access_close(&inputs[i]);
    tn_memory_free(range->memory, inputs, size);
    return range->error->status;
}

/* ---- a sparse tensor ---------------------------------------------------- */

struct sparse_stream {
    const struct tn_sparse *sparse;
    const uint8_t *segments[2 * TN_VIEW_RANK_LIMIT]; /* by level             */
    const uint8_t *indices[2 * TN_VIEW_RANK_LIMIT];
    uint64_t       block[TN_VIEW_RANK_LIMIT]; /* by dimension; 1: no blocks   */
    uint64_t       at[TN_VIEW_RANK_LIMIT];    /* coordinates                  */
    const struct tn_shape *shape;
    struct tn_access       values;
    struct tn_error       *error;
};

/* Structure, which stays in memory. */
static const uint8_t *take_indices(const struct tn_sparse_indices *from,
                                   struct tn_error                *error)
{
    struct tn_cursor c = tn_cursor_span(from->span, error);

    if (from->width != 1 && from->width != 2 && from->width != 4) {
        refuse(error, "indices of an odd size");
        return NULL;
    }
    return tn_take(&c, from->count * from->width);
}

static void open_levels(struct sparse_stream *s, const struct tn_elements *e)
{
    const struct tn_sparse *sparse = s->sparse;

    for (uint32_t i = 0; i < e->shape.rank; i++)
        s->block[i] = 1;
    for (uint32_t i = 0; i < sparse->block_count; i++)
        s->block[sparse->blocks[i]] =
            sparse->levels[level_of(sparse, e->shape.rank + i)].size;
    for (uint32_t i = 0; i < sparse->level_count && !tn_failed(s->error); i++) {
        const struct tn_sparse_level *level = &sparse->levels[i];
        if (!level->is_sparse)
            continue;
        s->segments[i] = take_indices(&level->segments, s->error);
        s->indices[i]  = take_indices(&level->indices, s->error);
    }
}

static uint64_t index_at(const uint8_t                  *from,
                         const struct tn_sparse_indices *how, uint64_t i)
{
    return tn_load_little(from + i * how->width, how->width);
}

/* Finds the index of an entry among those of entry *place above; false if it
 * is not stored. */
static bool find_entry(struct sparse_stream *s, uint32_t level, uint64_t wanted,
                       uint64_t *place)
{
    const struct tn_sparse_level *l = &s->sparse->levels[level];
    uint64_t low  = index_at(s->segments[level], &l->segments, *place);
    uint64_t high = index_at(s->segments[level], &l->segments, *place + 1);

    if (low > high || high > l->indices.count) {
        tn_error_set(s->error, TN_MALFORMED, l->segments.span.offset,
                     "a segment from %" PRIu64 " to %" PRIu64 " of %" PRIu64
                     " indices",
                     low, high, l->indices.count);
        return false;
    }
    TN_BISECT(*place, low, high,
              index_at(s->indices[level], &l->indices, *place) < wanted);
    return *place < high &&
           index_at(s->indices[level], &l->indices, *place) == wanted;
}

/* The element at the coordinates: its number among those that are stored. */
static bool find_stored(struct sparse_stream *s, uint64_t *place)
{
    const struct tn_sparse *sparse = s->sparse;

    *place = 0;
    for (uint32_t i = 0; i < sparse->level_count; i++) {
        uint32_t d = sparse->order[i];
        uint64_t wanted =
            d < s->shape->rank
                ? s->at[d] / s->block[d]
                : s->at[sparse->blocks[d - s->shape->rank]] %
                      s->block[sparse->blocks[d - s->shape->rank]];
        if (!sparse->levels[i].is_sparse)
            *place = *place * sparse->levels[i].size + wanted;
        else if (!find_entry(s, i, wanted, place))
            return false;
    }
    return true;
}

static void next_coordinates(struct sparse_stream *s)
{
    for (uint32_t i = s->shape->rank; i-- > 0;) {
        if (++s->at[i] < s->shape->dims[i])
            return;
        s->at[i] = 0;
    }
}

static enum tn_status write_sparse(struct sparse_stream *s, uint64_t count,
                                   struct tn_sink *to)
{
    uint8_t  out[4096];
    size_t   used = 0, size = s->values.size;
    uint64_t place;

    for (; count > 0 && !tn_failed(s->error); count--) {
        if (find_stored(s, &place))
            access_read(&s->values, place, 1, out + used, s->error);
        else
            memset(out + used, 0, size);
        used += size;
        next_coordinates(s);
        if (!tn_failed(s->error) && (used + size > sizeof out || count == 1)) {
            TN_TRY(tn_sink_write(to, tn_bytes(out, used), s->error));
            used = 0;
        }
    }
    return s->error->status;
}

static enum tn_status stream_sparse(const struct tn_elements *e,
                                    const struct tn_range    *range,
                                    struct tn_sink           *to)
{
    const struct tn_view *view  = e->payload.view;
    uint64_t              first = range->first;
    struct sparse_stream  s     = { .sparse = view->sparse,
                                    .shape  = &e->shape,
                                    .error  = range->error };

    open_levels(&s, e);
    for (uint32_t i = e->shape.rank; i-- > 0;) {
        s.at[i] = first % e->shape.dims[i];
        first /= e->shape.dims[i];
    }
    if (!tn_failed(s.error) && access_open(&s.values, &view->inputs[0],
                                           TN_ACCESS_POINTS, range) == TN_OK)
        write_sparse(&s, range->count, to);
    access_close(&s.values);
    return s.error->status;
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
    TN_TRY(view_check_one(e, range->error));
    input = &e->payload.view->inputs[0];
    switch (e->payload.view->kind) {
    case TN_VIEW_CAST: return stream_cast(input, e->shape.dtype, range, to);
    case TN_VIEW_RESHAPE: return view_input(input, range, to);
    case TN_VIEW_CONCAT: return stream_concat(e, range, to);
    case TN_VIEW_SCALE:
    case TN_VIEW_SIGN:
    case TN_VIEW_CLAMP:
    case TN_VIEW_QUANTIZE: return stream_scale(e, range, to);
    case TN_VIEW_SPARSE: return stream_sparse(e, range, to);
    default: break;
    }
    return stream_strided(e, range, to);
}

/* Elements of an input of a view, itself perhaps a view (payload_view.c).
 * first and count must be inside. */
static enum tn_status view_input(const struct tn_elements *input,
                                 const struct tn_range    *range,
                                 struct tn_sink           *to)
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

/* ---- the strings of views ----------------------------------------------- */

/*
 * Strings have no place that could be computed, so where they are is loaded
 * first, input by input, and then put into the view's order.
 */

/* Strings that a view may have without a stored byte each. */
#define FREE_STRINGS 65536

/* Where all strings of a tensor lie. */
struct places {
    struct tn_memory *memory;
    struct tn_span   *spans;
    uint64_t          count;
};

static enum tn_status load_places(const struct tn_elements *e, unsigned depth,
                                  struct tn_memory *memory,
                                  struct places    *places,
                                  struct tn_error  *error);

static void places_done(struct places *places)
{
    tn_memory_free(places->memory, places->spans,
                   places->count * sizeof *places->spans);
    places->spans = NULL;
    places->count = 0;
}

/* A budget to pay with: that of the first source below, or NULL. */
static struct tn_memory *find_memory(const struct tn_elements *e,
                                     unsigned                  depth)
{
    const struct tn_view *view   = e->payload.view;
    struct tn_memory     *memory = NULL;

    if (e->payload.encoding != TN_ENCODING_VIEW)
        return e->payload.span.source ? e->payload.span.source->memory : NULL;
    for (uint64_t i = 0; view && depth < TN_VIEW_DEPTH_LIMIT && !memory &&
                         i < view->input_count;
         i++)
        memory = find_memory(&view->inputs[i], depth + 1);
    return memory;
}

static enum tn_status places_init(struct places            *places,
                                  const struct tn_elements *e,
                                  struct tn_memory         *memory,
                                  struct tn_error          *error)
{
    uint64_t count, size;

    *places = (struct places){ .memory = memory };
    if (!tn_shape_count(&e->shape, &count) ||
        !tn_mul(count, sizeof *places->spans, &size))
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "a shape of more than 2^64 strings");
    if (count > FREE_STRINGS && count > stored_bytes(e, 0))
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "a view of %" PRIu64 " strings of which %" PRIu64
                            " bytes are stored",
                            count, stored_bytes(e, 0));
    if (count == 0)
        return TN_OK;
    places->spans = tn_memory_resize(memory, NULL, 0, size, error);
    if (!places->spans)
        return error->status;
    memset(places->spans, 0, (size_t)size);
    places->count = count;
    return TN_OK;
}

static enum tn_status note_place(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct places *places = context;

    (void)error;
    places->spans[index] = text;
    return TN_OK;
}

/* The strides of a permutation or slice over the dense input. */
static void view_strides(const struct tn_elements *e, uint64_t *strides,
                         uint64_t *start)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              dense[TN_VIEW_RANK_LIMIT], stride = 1;

    *start = 0;
    for (uint32_t i = e->shape.rank; i-- > 0;) {
        dense[i] = stride;
        stride *= view->inputs[0].shape.dims[i];
    }
    for (uint32_t i = 0; i < e->shape.rank; i++) {
        if (view->kind == TN_VIEW_PERMUTE) {
            strides[i] = dense[view->axes[i]];
        } else {
            strides[i] = dense[i] * (uint64_t)view->step[i];
            *start += dense[i] * view->begin[i];
        }
    }
}

/* to[] in the view's order out of from[], all of which exist: checked. */
static void reorder(const struct tn_elements *e, const struct places *from,
                    struct places *to)
{
    uint64_t strides[TN_VIEW_RANK_LIMIT], at[TN_VIEW_RANK_LIMIT] = { 0 };
    uint64_t index;

    view_strides(e, strides, &index);
    for (uint64_t k = 0; k < to->count; k++) {
        to->spans[k] = from->spans[index];
        for (uint32_t i = e->shape.rank; i-- > 0;) {
            index += strides[i];
            if (++at[i] < e->shape.dims[i])
                break;
            index -= strides[i] * e->shape.dims[i];
            at[i] = 0;
        }
    }
}

static enum tn_status load_reordered(const struct tn_elements *e,
                                     unsigned depth, struct places *places,
                                     struct tn_error *error)
{
    struct places input;

    if (load_places(&e->payload.view->inputs[0], depth + 1, places->memory,
                    &input, error) == TN_OK &&
        places->count > 0)
        reorder(e, &input, places);
    places_done(&input);
    return error->status;
}

static uint64_t row_size(const struct tn_shape *shape, uint32_t axis)
{
    uint64_t size = 1;

    for (uint32_t i = axis; i < shape->rank; i++)
        size *= shape->dims[i];
    return size;
}

static enum tn_status load_concat(const struct tn_elements *e, unsigned depth,
                                  struct places *places, struct tn_error *error)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              row = row_size(&e->shape, view->axis), begin = 0;

    for (uint64_t i = 0; i < view->input_count && places->count > 0; i++) {
        const struct tn_elements *input = &view->inputs[i];
        uint64_t                  size  = row_size(&input->shape, view->axis);
        struct places             piece;
        if (load_places(input, depth + 1, places->memory, &piece, error) ==
            TN_OK) {
            for (uint64_t k = 0; k < piece.count; k++)
                places->spans[k / size * row + begin + k % size] =
                    piece.spans[k];
        }
        places_done(&piece);
        TN_TRY(error->status);
        begin += size;
    }
    return TN_OK;
}

static enum tn_status load_view(const struct tn_elements *e, unsigned depth,
                                struct places *places, struct tn_error *error)
{
    switch (e->payload.view->kind) {
    case TN_VIEW_CONCAT: return load_concat(e, depth, places, error);
    case TN_VIEW_PERMUTE:
    case TN_VIEW_SLICE: return load_reordered(e, depth, places, error);
    default:
        places_done(places);
        return load_places(&e->payload.view->inputs[0], depth + 1,
                           places->memory, places, error);
    }
}

/* The caller frees the places whatever the status is. */
static enum tn_status load_places(const struct tn_elements *e, unsigned depth,
                                  struct tn_memory *memory,
                                  struct places *places, struct tn_error *error)
{
    bool is_view = e->payload.encoding == TN_ENCODING_VIEW;

    *places = (struct places){ .memory = memory };
    if (depth > TN_VIEW_DEPTH_LIMIT ||
        (is_view && depth == TN_VIEW_DEPTH_LIMIT))
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "views nested deeper than %d", TN_VIEW_DEPTH_LIMIT);
    if (is_view)
        TN_TRY(view_check_one(e, error));
    TN_TRY(places_init(places, e, memory, error));
    if (is_view)
        return load_view(e, depth, places, error);
    return tn_payload_strings(e, 0, places->count, note_place, places, error);
}

static enum tn_status visit(const struct tn_span *spans, uint64_t first,
                            uint64_t count, tn_string_visitor *each,
                            void *context, struct tn_error *error)
{
    static const struct tn_span nothing;

    for (uint64_t i = first; i < first + count; i++) {
        enum tn_status status =
            each(context, i, spans ? spans[i] : nothing, error);
        if (status != TN_OK)
            return tn_error_set(error, status, TN_NOWHERE, "stopped");
    }
    return TN_OK;
}

enum tn_status tn_string_view(const struct tn_elements *elements,
                              uint64_t first, uint64_t count,
                              tn_string_visitor *each, void *context,
                              struct tn_error *error)
{
    struct tn_memory *memory = find_memory(elements, 0);
    struct places     places = { .memory = memory };

    if (!memory) { /* nothing is stored anywhere: any order is the same */
        TN_TRY(tn_view_check(elements, error));
        return visit(NULL, first, count, each, context, error);
    }
    if (load_places(elements, 0, memory, &places, error) == TN_OK)
        visit(places.spans, first, count, each, context, error);
    places_done(&places);
    return error->status;
}
