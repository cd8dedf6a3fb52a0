/* diff_elements.c - the elements of two tensors, compared in step */
#include "diff/diff_elements.h"

#include <math.h>

#include "base/length.h"
#include "base/little.h"
#include "base/watch.h"
#include "diff/diff_side.h"
#include "ir/element.h"

enum { WINDOW = 256 << 10, WINDOW_MOST = 64 << 20 };

/* ---- elements into memory ----------------------------------------------- */

struct landing {
    struct tn_sink sink;
    uint8_t       *at;
    size_t         left;
};

static enum tn_status land(struct tn_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    struct landing *landing = (struct landing *)sink;

    if (bytes.size > landing->left)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "more elements than the shape has");
    memcpy(landing->at, bytes.data, bytes.size);
    landing->at += bytes.size;
    landing->left -= bytes.size;
    return TN_OK;
}

static enum tn_status read_window(const struct tn_elements *elements,
                                  uint64_t first, uint64_t count,
                                  struct tn_memory *memory, uint8_t *to,
                                  size_t room, struct tn_error *error)
{
    static const struct tn_sink_ops ops     = { .write = land };
    struct landing                  landing = { .sink = { .ops = &ops },
                                                .at   = to,
                                                .left = room };

    return tn_payload_stream(elements, first, count, memory, &landing.sink,
                             error);
}

/* ---- one window --------------------------------------------------------- */

static void note_apart(struct tn_diff_values *v, double a, double b,
                       double apart, double tolerance)
{
    double most  = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    double scale = fabs(a) > 1 ? fabs(a) : 1;

    if (apart <= tolerance * scale)
        return;
    v->changed++;
    if (apart > v->max_absolute)
        v->max_absolute = apart;
    double relative = isinf(apart) ? INFINITY : apart / most;
    if (relative > v->max_relative)
        v->max_relative = relative;
}

static void note(struct tn_diff_values *v, double a, double b, double tolerance)
{
    double apart = fabs(a - b);

    if (a == b || (isnan(a) && isnan(b)))
        return;
    note_apart(v, a, b, isnan(apart) ? INFINITY : apart, tolerance);
}

static double number_at(enum tn_dtype dtype, const uint8_t *element)
{
    if (dtype == TN_FLOAT32) {
        uint32_t bits = tn_load32(element);
        float    value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    return tn_element_double(dtype, element);
}

/* Complex numbers: by the distance of the two. */
static void note_complex(struct tn_diff_values *v, enum tn_dtype dtype,
                         const uint8_t *a, const uint8_t *b, double tolerance)
{
    size_t        half = tn_dtype_size(dtype) / 2;
    enum tn_dtype part = half == 4 ? TN_FLOAT32 : TN_FLOAT64;
    double        real = number_at(part, a) - number_at(part, b);
    double imaginary   = number_at(part, a + half) - number_at(part, b + half);
    double size = tn_length(number_at(part, a), number_at(part, a + half));

    note(v, size, size + tn_length(real, imaginary), tolerance);
}

static bool is_whole(enum tn_dtype dtype)
{
    return tn_element_kind(dtype) == TN_ELEMENT_SIGNED ||
           tn_element_kind(dtype) == TN_ELEMENT_UNSIGNED;
}

static uint64_t whole_at(enum tn_dtype dtype, const uint8_t *element)
{
    return dtype == TN_UINT64 ? tn_load64(element)
                              : (uint64_t)tn_element_int64(dtype, element);
}

/* Beyond 2^53, whole numbers that differ may be the same double. */
static void note_whole(struct tn_diff_values *v, enum tn_dtype left,
                       const uint8_t *a, enum tn_dtype right, const uint8_t *b,
                       double tolerance)
{
    uint64_t x           = whole_at(left, a);
    uint64_t y           = whole_at(right, b);
    bool     is_negative = left != TN_UINT64 && x >> 63;
    bool     is_other    = right != TN_UINT64 && y >> 63;
    double   p = number_at(left, a), q = number_at(right, b);

    if (is_negative != is_other)
        note(v, p, q, tolerance);
    else if (x != y)
        note_apart(v, p, q, (double)(x < y ? y - x : x - y), tolerance);
}

static void compare_window(const struct tn_shape *left, const uint8_t *a,
                           const struct tn_shape *right, const uint8_t *b,
                           uint64_t count, double tolerance,
                           struct tn_diff_values *v)
{
    size_t x       = tn_dtype_size(left->dtype);
    size_t y       = tn_dtype_size(right->dtype);
    bool   is_same = left->dtype == right->dtype;

    if (is_same && memcmp(a, b, (size_t)count * x) == 0)
        return;
    for (uint64_t i = 0; i < count; i++, a += x, b += y) {
        uint64_t before = v->changed;
        if (is_same && memcmp(a, b, x) == 0)
            continue;
        if (is_same && tn_element_kind(left->dtype) == TN_ELEMENT_COMPLEX)
            note_complex(v, left->dtype, a, b, tolerance);
        else if (is_whole(left->dtype) && is_whole(right->dtype))
            note_whole(v, left->dtype, a, right->dtype, b, tolerance);
        else
            note(v, number_at(left->dtype, a), number_at(right->dtype, b),
                 tolerance);
        if (is_same && tolerance == 0 && v->changed == before)
            v->changed++; /* other bits, by which nothing is far: -0.0, NaN  */
    }
}

/* ---- whole tensors ------------------------------------------------------ */

static bool is_seekable(const struct tn_elements *elements)
{
    uint8_t encoding = elements->payload.encoding;

    return encoding == TN_ENCODING_NONE || encoding == TN_ENCODING_RAW ||
           encoding == TN_ENCODING_RAW_BIG || encoding == TN_ENCODING_VIEW ||
           encoding == TN_ENCODING_FORTRAN;
}

/* Payloads that cannot be read from the middle are read in few, large
 * windows. */
static uint64_t window_count(const struct tn_elements *left,
                             const struct tn_elements *right, uint64_t count)
{
    uint64_t wide = tn_dtype_size(left->shape.dtype);
    uint64_t size = WINDOW;

    if (tn_dtype_size(right->shape.dtype) > wide)
        wide = tn_dtype_size(right->shape.dtype);
    if (!is_seekable(left) || !is_seekable(right))
        size = count * wide / 16;
    size = size < WINDOW ? WINDOW : size > WINDOW_MOST ? WINDOW_MOST : size;
    return size / wide;
}

/* Whether both are stored as they are returned, at the same place of one
 * source. */
static bool is_one_place(const struct tn_elements *left,
                         const struct tn_elements *right)
{
    struct tn_span a, b;

    return left->shape.dtype == right->shape.dtype &&
           tn_payload_is_plain(left, false, &a) &&
           tn_payload_is_plain(right, false, &b) && a.source == b.source &&
           a.offset == b.offset && a.length == b.length;
}

/* Bytes in memory are compared where they are. */
static bool are_mapped_equal(const struct tn_elements *left,
                             const struct tn_elements *right)
{
    struct tn_span a, b;

    if (left->shape.dtype != right->shape.dtype ||
        !tn_payload_is_plain(left, false, &a) ||
        !tn_payload_is_plain(right, false, &b) || a.length != b.length ||
        a.length == 0 || !a.source->map || !b.source->map ||
        a.length > a.source->size || a.offset > a.source->size - a.length ||
        b.length > b.source->size || b.offset > b.source->size - b.length)
        return false;
    return memcmp(a.source->map + a.offset, b.source->map + b.offset,
                  (size_t)a.length) == 0;
}

enum tn_status tn_diff_elements(const struct tn_elements *left,
                                const struct tn_elements *right,
                                double tolerance, struct tn_memory *memory,
                                struct tn_diff_values *values,
                                struct tn_error       *error)
{
    *values = (struct tn_diff_values){ 0 };
    if (!tn_shape_count(&left->shape, &values->count))
        return tn_shape_refuse(&left->shape, TN_NOWHERE, error);
    if (values->count == 0 || is_one_place(left, right) ||
        are_mapped_equal(left, right))
        return TN_OK;
    uint64_t step    = window_count(left, right, values->count);
    size_t   x       = tn_dtype_size(left->shape.dtype);
    size_t   y       = tn_dtype_size(right->shape.dtype);
    step             = step < values->count ? step : values->count;
    uint64_t room[2] = { step * x, step * y };
    uint8_t *a       = tn_memory_resize(memory, NULL, 0, room[0], error);
    uint8_t *b = a ? tn_memory_resize(memory, NULL, 0, room[1], error) : NULL;
    for (uint64_t at = 0; b && at < values->count && !tn_failed(error);) {
        uint64_t n = values->count - at < step ? values->count - at : step;
        if (tn_watch_poll(memory, error) != TN_OK ||
            read_window(left, at, n, memory, a, (size_t)room[0], error) !=
                TN_OK ||
            read_window(right, at, n, memory, b, (size_t)room[1], error) !=
                TN_OK)
            break;
        compare_window(&left->shape, a, &right->shape, b, n, tolerance, values);
        at += n;
    }
    if (a)
        tn_memory_free(memory, a, room[0]);
    if (b)
        tn_memory_free(memory, b, room[1]);
    return error->status;
}

/* ---- sums --------------------------------------------------------------- */

struct summing {
    struct tn_sink sink;
    enum tn_dtype  from, to;
    uint64_t       sum;
    uint8_t        rest[TN_ELEMENT_MAX]; /* of an element that was cut        */
    size_t         rest_size;
};

static void add_element(struct summing *s, const uint8_t *element)
{
    uint8_t  converted[TN_ELEMENT_MAX];
    uint64_t low = 0, high = 0;
    size_t   size = tn_dtype_size(s->to);

    if (s->from != s->to) {
        tn_element_convert(s->to, converted, s->from, element, 1);
        element = converted;
    }
    memcpy(&low, element, size < 8 ? size : 8);
    if (size > 8)
        memcpy(&high, element + 8, size - 8);
    s->sum += tn_diff_join(low, high);
}

static enum tn_status add_bytes(struct tn_sink *sink, struct tn_bytes bytes,
                                struct tn_error *error)
{
    struct summing *s    = (struct summing *)sink;
    size_t          size = tn_dtype_size(s->from), at = 0;

    (void)error;
    while (s->rest_size && at < bytes.size) {
        s->rest[s->rest_size++] = bytes.data[at++];
        if (s->rest_size == size) {
            add_element(s, s->rest);
            s->rest_size = 0;
        }
    }
    for (; bytes.size - at >= size; at += size)
        add_element(s, bytes.data + at);
    for (; at < bytes.size; at++)
        s->rest[s->rest_size++] = bytes.data[at];
    return TN_OK;
}

enum tn_status tn_diff_element_sum(const struct tn_elements *elements,
                                   enum tn_dtype             dtype,
                                   struct tn_memory *memory, uint64_t *sum,
                                   struct tn_error *error)
{
    static const struct tn_sink_ops ops   = { .write = add_bytes };
    struct summing                  s     = { .sink = { .ops = &ops },
                                              .from = elements->shape.dtype,
                                              .to   = dtype };
    uint64_t                        count = 0;

    if (!tn_shape_count(&elements->shape, &count))
        return tn_shape_refuse(&elements->shape, TN_NOWHERE, error);
    TN_TRY(tn_payload_stream(elements, 0, count, memory, &s.sink, error));
    *sum = s.sum;
    return TN_OK;
}
