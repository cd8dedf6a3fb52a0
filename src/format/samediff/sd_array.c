/*
 * sd_array.c - FlatArray, in both of its dialects
 *
 *   shape record  rank | dim * rank | stride * rank | flags | element stride |
 *                 order ('c' 99, 'f' 102)     all int64; strides in elements
 *                 buffer in memory order, byteOrder says 0 little, 1 big
 *   plain (SDNB)  dim * rank; buffer little-endian; byteOrder says 0 'c', 1 'f'
 *
 * Strings lie behind a table of offsets: S1 has n + 1 of them, little-endian
 * whatever byteOrder says; S0, until April 2019, the number n and then n + 1 of
 * them, big-endian.  The first eight bytes are zero in S1 alone.
 *
 * Strides of dimensions of size one mean nothing.  Since the buffer has exactly
 * as many elements as the shape, other strides either are a permutation of a
 * dense array or reach some element twice.
 */
#include "format/samediff/samediff.h"

#include "base/arith.h"

#define EMPTY_FLAG 8
#define ORDER_C    99
#define ORDER_F    102

struct reading {
    const struct tn_fb_table *table;
    struct tn_arena          *arena;
    struct tn_error          *error;
    struct tn_sd_array       *array;
    struct tn_fb_vector       shape;
    struct tn_fb_vector       buffer;
    uint32_t                  rank;
    uint64_t                 *dims;
    int64_t                  *strides; /* NULL: dense, as `order` says        */
    bool                      is_big;
};

static uint64_t place(const struct reading *r, uint16_t slot)
{
    uint64_t at = tn_fb_field(r->table, slot);

    return r->table->fb->span.offset + (at ? at : r->table->at);
}

#define FAIL(r, status, slot, ...)                                             \
    tn_error_set((r)->error, status, place(r, slot), __VA_ARGS__)

static int64_t shape_at(const struct reading *r, uint32_t index)
{
    return tn_fb_vector_i64(&r->shape, index);
}

/* ---- which dialect ------------------------------------------------------ */

static bool is_record(const struct reading *r)
{
    uint32_t count = r->shape.count;
    int64_t  rank  = shape_at(r, 0);

    if (count < 4 || rank < 0 || rank > TN_SD_RANK_LIMIT)
        return false;
    if (count != 2 * (uint32_t)rank + 4 && !(rank == 0 && count == 6))
        return false;
    int64_t order = shape_at(r, count - 1);
    int64_t flags = shape_at(r, count - 3);
    return (order == ORDER_C || order == ORDER_F) &&
           (flags & ~(int64_t)EMPTY_FLAG) != 0;
}

/* As dimensions, the values fit what is stored. */
static bool fits_as_dims(const struct reading *r)
{
    uint64_t size = tn_dtype_size(tn_sd_dtype(r->array->dtype));

    for (uint32_t i = 0; i < r->shape.count; i++) {
        int64_t dim = shape_at(r, i);
        if (dim < 0 || !tn_mul(size, (uint64_t)dim, &size))
            return false;
    }
    return size == r->buffer.count;
}

/* ---- the shape ---------------------------------------------------------- */

static bool read_dims(struct reading *r, uint32_t first)
{
    r->dims = tn_new(r->arena, uint64_t, r->rank, r->error);
    if (r->rank && !r->dims)
        return false;
    for (uint32_t i = 0; i < r->rank; i++) {
        int64_t dim = shape_at(r, first + i);
        if (dim < 0) {
            FAIL(r, TN_MALFORMED, TN_SD_ARRAY_SHAPE, "a dimension of %" PRId64,
                 dim);
            return false;
        }
        r->dims[i] = (uint64_t)dim;
    }
    return true;
}

static enum tn_dtype check_flags(struct reading *r, int64_t flags)
{
    enum tn_dtype said  = tn_sd_dtype(r->array->dtype);
    enum tn_dtype dtype = tn_sd_flags_dtype(flags);

    r->array->is_empty = (flags & EMPTY_FLAG) != 0;
    if (dtype != said && tn_sd_dtype_flags(said) != 0)
        r->array->doubt = "flags and dtype say different types";
    return r->array->is_empty && dtype != TN_UNDEFINED ? dtype : said;
}

static bool read_record(struct reading *r)
{
    uint32_t count = r->shape.count;

    r->rank = (uint32_t)shape_at(r, 0);
    if (!read_dims(r, 1))
        return false;
    r->strides = tn_new(r->arena, int64_t, r->rank, r->error);
    if (r->rank && !r->strides)
        return false;
    for (uint32_t i = 0; i < r->rank; i++)
        r->strides[i] = shape_at(r, 1 + r->rank + i);
    r->array->elements.shape.dtype = check_flags(r, shape_at(r, count - 3));
    r->array->order = shape_at(r, count - 1) == ORDER_F ? 'f' : 'c';
    r->is_big       = tn_fb_i8(r->table, TN_SD_ARRAY_BYTE_ORDER, 0) != 0;
    return true;
}

static bool read_plain(struct reading *r)
{
    if (r->shape.count > TN_SD_RANK_LIMIT) {
        FAIL(r, TN_LIMIT, TN_SD_ARRAY_SHAPE, "more than %d dimensions",
             TN_SD_RANK_LIMIT);
        return false;
    }
    r->rank            = r->shape.count;
    r->array->is_plain = true;
    r->array->order = tn_fb_i8(r->table, TN_SD_ARRAY_BYTE_ORDER, 0) ? 'f' : 'c';
    r->array->elements.shape.dtype = tn_sd_dtype(r->array->dtype);
    return read_dims(r, 0);
}

/* An empty array has no elements, whatever its record says beside the flag. */
static void empty_shape(struct reading *r)
{
    struct tn_shape *shape = &r->array->elements.shape;
    uint64_t         count;

    shape->rank = r->rank;
    shape->dims = r->dims;
    if (tn_shape_count(shape, &count) && count == 0)
        return;
    shape->dims = tn_new(r->arena, uint64_t, 1, r->error); /* zero */
    shape->rank = shape->dims ? 1 : 0;
}

/* ---- the elements ------------------------------------------------------- */

static bool is_dense(const struct reading *r, bool is_fortran)
{
    uint64_t step = 1;

    for (uint32_t i = 0; i < r->rank; i++) {
        uint32_t axis = is_fortran ? i : r->rank - 1 - i;
        if (r->dims[axis] != 1 && r->strides[axis] != (int64_t)step)
            return false;
        step *= r->dims[axis]; /* the product was checked */
    }
    return true;
}

/* axes[k] is the axis that varies k-th slowest; false: the strides are not
 * permutation of a dense array. */
static bool sort_axes(const struct reading *r, uint32_t axes[TN_SD_RANK_LIMIT])
{
    uint64_t step = 1;

    for (uint32_t i = 0; i < r->rank; i++) {
        uint32_t k = i;
        for (; k > 0; k--) {
            uint32_t other = axes[k - 1];
            bool     is_slower =
                r->dims[i] == 1 ||
                (r->dims[other] != 1 && r->strides[i] > r->strides[other]);
            if (!is_slower)
                break;
            axes[k] = other;
        }
        axes[k] = i;
    }
    for (uint32_t k = r->rank; k-- > 0;) {
        if (r->dims[axes[k]] != 1 && r->strides[axes[k]] != (int64_t)step)
            return false;
        step *= r->dims[axes[k]];
    }
    return true;
}

/* The stored dimensions, in the order of `axes`. */
static void permute(struct reading *r, const uint32_t axes[TN_SD_RANK_LIMIT])
{
    struct tn_elements *elements = &r->array->elements;
    struct tn_elements *stored =
        tn_new(r->arena, struct tn_elements, 1, r->error);
    struct tn_view *view = tn_new(r->arena, struct tn_view, 1, r->error);
    uint64_t       *dims = tn_new(r->arena, uint64_t, r->rank, r->error);
    uint32_t       *back = tn_new(r->arena, uint32_t, r->rank, r->error);

    if (!stored || !view || !dims || !back)
        return;
    for (uint32_t k = 0; k < r->rank; k++) {
        dims[k]       = r->dims[axes[k]];
        back[axes[k]] = k;
    }
    *stored                    = *elements;
    stored->shape.dims         = dims;
    *view                      = (struct tn_view){ .kind        = TN_VIEW_PERMUTE,
                                                   .inputs      = stored,
                                                   .input_count = 1,
                                                   .axes        = back };
    elements->payload.encoding = TN_ENCODING_VIEW;
    elements->payload.view     = view;
}

static void arrange(struct reading *r)
{
    struct tn_payload *payload = &r->array->elements.payload;
    uint32_t           axes[TN_SD_RANK_LIMIT];
    bool               is_fortran = r->array->order == 'f';

    if (r->strides) {
        is_fortran = !is_dense(r, false) && is_dense(r, true);
        if (is_dense(r, false))
            return;
    } else if (r->rank < 2 || !is_fortran) {
        return;
    }
    if (is_fortran && payload->encoding == TN_ENCODING_RAW) {
        payload->encoding = TN_ENCODING_FORTRAN;
        return;
    }
    if (!r->strides)
        for (uint32_t i = 0; i < r->rank; i++)
            axes[i] = r->rank - 1 - i;
    else if (!sort_axes(r, axes)) {
        FAIL(r, TN_MALFORMED, TN_SD_ARRAY_SHAPE,
             "strides that reach elements twice");
        return;
    }
    permute(r, axes);
}

static void read_strings(struct reading *r)
{
    struct tn_payload *payload = &r->array->elements.payload;
    struct tn_fb      *fb      = r->table->fb;
    const uint8_t     *head =
        r->buffer.count >= 8 ? tn_fb_take(fb, r->buffer.at, 8) : NULL;

    if (!head) {
        FAIL(r, TN_MALFORMED, TN_SD_ARRAY_BUFFER,
             "strings without a table of offsets");
        return;
    }
    payload->encoding = TN_ENCODING_OFFSETS;
    if (tn_load64(head) == 0)
        return;
    uint64_t count = 0, wanted = 0; /* S0: the number, big-endian */
    for (unsigned i = 0; i < 8; i++)
        count = count << 8 | head[i];
    tn_shape_count(&r->array->elements.shape, &wanted);
    if (count != wanted) {
        FAIL(r, TN_MALFORMED, TN_SD_ARRAY_BUFFER,
             "another number of strings than the shape has");
        return;
    }
    payload->encoding = TN_ENCODING_OFFSETS_BIG;
    payload->span.offset += 8;
    payload->span.length -= 8;
}

static void read_numbers(struct reading *r)
{
    struct tn_elements *elements = &r->array->elements;
    uint64_t            bytes    = 0;

    if (!tn_shape_bytes(&elements->shape, &bytes)) {
        FAIL(r, TN_MALFORMED, TN_SD_ARRAY_SHAPE,
             "a shape of more than 2^64 bytes");
        return;
    }
    if (bytes != r->buffer.count) {
        FAIL(r, TN_MALFORMED, TN_SD_ARRAY_BUFFER,
             "%" PRIu32 " bytes, the shape needs %" PRIu64, r->buffer.count,
             bytes);
        return;
    }
    elements->payload =
        tn_payload_raw(&elements->shape, tn_fb_vector_span(&r->buffer), 1);
    if (r->is_big && tn_dtype_size(elements->shape.dtype) > 1) {
        elements->payload.encoding = TN_ENCODING_RAW_BIG;
        r->array->is_big           = true;
    }
    if (bytes)
        arrange(r);
}

static void read_buffer(struct reading *r)
{
    struct tn_elements *elements = &r->array->elements;
    uint64_t            count    = 0;

    elements->shape.rank = r->rank;
    elements->shape.dims = r->dims;
    if (!tn_shape_count(&elements->shape, &count)) {
        FAIL(r, TN_MALFORMED, TN_SD_ARRAY_SHAPE,
             "a shape of more than 2^63 - 1 elements");
    } else if (elements->shape.dtype == TN_UNDEFINED) {
        FAIL(r, TN_UNSUPPORTED, TN_SD_ARRAY_DTYPE, "elements of type %d",
             r->array->dtype);
    } else if (elements->shape.dtype == TN_STRING) {
        elements->payload =
            (struct tn_payload){ .span   = tn_fb_vector_span(&r->buffer),
                                 .stored = count };
        if (count || r->buffer.count)
            read_strings(r);
        if (!tn_failed(r->error) && count)
            arrange(r);
    } else {
        read_numbers(r);
    }
}

static void read_external(struct reading *r)
{
    struct tn_elements *elements = &r->array->elements;
    struct tn_fb_vector names = tn_fb_vector(r->table, TN_SD_ARRAY_EXTERNAL, 4);

    r->array->is_external = true;
    r->array->external    = tn_fb_vector_string(&names, 0);
    r->array->total       = (uint64_t)tn_fb_i64(r->table, TN_SD_ARRAY_TOTAL, 0);
    elements->shape.rank  = r->rank;
    elements->shape.dims  = r->dims;
    if (names.count != 1 || r->array->external.size == 0)
        FAIL(r, TN_MALFORMED, TN_SD_ARRAY_IS_EXTERNAL,
             "an array elsewhere that does not name one file");
}

enum tn_status tn_sd_array_read(const struct tn_fb_table *table,
                                bool prefers_plain, struct tn_arena *arena,
                                struct tn_sd_array *array)
{
    struct reading r = { .table  = table,
                         .arena  = arena,
                         .error  = table->fb->error,
                         .array  = array,
                         .shape  = tn_fb_vector(table, TN_SD_ARRAY_SHAPE, 8),
                         .buffer = tn_fb_vector(table, TN_SD_ARRAY_BUFFER, 1) };

    *array = (struct tn_sd_array){
        .at    = table->fb->span.offset + table->at,
        .dtype = tn_fb_i8(table, TN_SD_ARRAY_DTYPE, 0),
        .order = 'c',
    };
    bool has_record = is_record(&r) && !(prefers_plain && fits_as_dims(&r));
    if (tn_failed(r.error) || !(has_record ? read_record(&r) : read_plain(&r)))
        return r.error->status;
    if (array->is_empty)
        empty_shape(&r);
    else if (tn_fb_bool(table, TN_SD_ARRAY_IS_EXTERNAL, false))
        read_external(&r);
    else if (!r.buffer.fb && tn_fb_has(table, TN_SD_ARRAY_CHUNKS))
        FAIL(&r, TN_UNSUPPORTED, TN_SD_ARRAY_CHUNKS,
             "an array in chunks, which no writer is known to make");
    else
        read_buffer(&r);
    return r.error->status;
}
