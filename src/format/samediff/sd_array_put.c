/*
 * sd_array_put.c - writing FlatArray: the mirror of sd_array.c
 *
 * Elements go by reference.  Column-major arrays stay column-major; any other
 * arrangement is written row-major.  Strings are written in layout S1.
 */
#include "base/arith.h"
#include "base/little.h"
#include "format/samediff/samediff.h"

#define EMPTY_FLAG   8
#define ORDER_C      99
#define ORDER_F      102
#define BUFFER_LIMIT (TN_FB_SIZE_LIMIT - 65536)

const char *tn_sd_array_refusal(const struct tn_elements *elements,
                                enum tn_sd_array_form     form)
{
    enum tn_dtype dtype = elements->shape.dtype;

    if (tn_sd_dtype_code(dtype) == TN_SD_INHERIT)
        return "SameDiff has no such elements";
    if (form == TN_SD_FORM_PLAIN && dtype == TN_STRING)
        return "SDNB has no strings";
    if (form != TN_SD_FORM_PLAIN && tn_sd_dtype_flags(dtype) == 0)
        return "a shape record cannot say this type";
    if (elements->shape.rank > TN_SD_RANK_LIMIT)
        return "it has more dimensions than nd4j's arrays";
    return NULL;
}

/* ---- elements ----------------------------------------------------------- */

static bool is_reversed(const struct tn_elements *elements)
{
    const struct tn_view *view = elements->payload.view;
    uint32_t              rank = elements->shape.rank;

    if (elements->payload.encoding != TN_ENCODING_VIEW || rank < 2 ||
        view->kind != TN_VIEW_PERMUTE)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (view->axes[i] != rank - 1 - i)
            return false;
    return view->inputs[0].payload.encoding == TN_ENCODING_RAW ||
           view->inputs[0].payload.encoding == TN_ENCODING_RAW_BIG;
}

/* The elements as they are in the file, first to last; the order says whether
 * the shape is reversed ('f') or as it is ('c'). */
static char stored_order(const struct tn_elements *elements,
                         struct tn_arena *arena, struct tn_elements *stored,
                         struct tn_error *error)
{
    uint32_t rank = elements->shape.rank;

    *stored = *elements;
    if (is_reversed(elements)) {
        *stored = elements->payload.view->inputs[0];
        return 'f';
    }
    if (elements->payload.encoding != TN_ENCODING_FORTRAN)
        return 'c';
    uint64_t *dims = tn_new(arena, uint64_t, rank, error);
    for (uint32_t i = 0; dims && i < rank; i++)
        dims[i] = elements->shape.dims[rank - 1 - i];
    stored->shape.dims       = dims;
    stored->payload.encoding = TN_ENCODING_RAW;
    return 'f';
}

/* Reverses the bytes of every element on its way to another sink. */
struct turning_sink {
    struct tn_sink  sink; /* first */
    struct tn_sink *to;
    unsigned        size;  /* of an element                                   */
    unsigned        begun; /* bytes of one that is cut by the end of a window */
    uint8_t         part[16];
};

static enum tn_status turn(struct tn_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    struct turning_sink *t = (struct turning_sink *)sink;
    uint8_t              out[4096];
    size_t               filled = 0;

    for (size_t i = 0; i < bytes.size; i++) {
        t->part[t->begun++] = bytes.data[i];
        if (t->begun < t->size)
            continue;
        for (unsigned k = 0; k < t->size; k++)
            out[filled++] = t->part[t->size - 1 - k];
        t->begun = 0;
        if (filled + t->size > sizeof out) {
            TN_TRY(tn_sink_write(t->to, tn_bytes(out, filled), error));
            filled = 0;
        }
    }
    return filled ? tn_sink_write(t->to, tn_bytes(out, filled), error) : TN_OK;
}

static const struct tn_sink_ops turning_ops = { .write = turn };

struct big_producer {
    struct tn_producer producer; /* first */
    struct tn_elements elements;
    struct tn_memory  *memory;
};

static enum tn_status produce_big(const struct tn_producer *producer,
                                  struct tn_sink *to, struct tn_error *error)
{
    const struct big_producer *p = (const struct big_producer *)producer;
    struct turning_sink        t = {
               .sink = { .ops = &turning_ops },
               .to   = to,
               .size = tn_dtype_size(p->elements.shape.dtype),
    };

    return tn_payload_stream(&p->elements, 0, p->producer.length / t.size,
                             p->memory, &t.sink, error);
}

/* A producer of all elements that lives as long as the arena. */
static const struct tn_producer *make_producer(
    const struct tn_elements *elements, bool is_big, struct tn_arena *arena,
    struct tn_memory *memory, struct tn_error *error)
{
    struct tn_elements *kept = tn_new(arena, struct tn_elements, 1, error);

    if (!kept)
        return NULL;
    *kept = *elements;
    if (is_big) {
        struct big_producer *p = tn_new(arena, struct big_producer, 1, error);
        if (!p)
            return NULL;
        *p = (struct big_producer){ .elements = *kept, .memory = memory };
        p->producer.produce = produce_big;
        tn_shape_bytes(&kept->shape, &p->producer.length);
        return &p->producer;
    }
    struct tn_payload_producer *p =
        tn_new(arena, struct tn_payload_producer, 1, error);
    if (!p || tn_payload_producer_init(p, kept, memory, false, error) != TN_OK)
        return NULL;
    return &p->producer;
}

/* Whether the bytes wanted are a span of the source. */
static bool is_plain_span(const struct tn_elements *elements, bool is_big,
                          struct tn_span *span)
{
    struct tn_elements as_little = *elements;

    if (!is_big || tn_dtype_size(elements->shape.dtype) == 1)
        return tn_payload_is_plain(elements, false, span);
    if (elements->payload.encoding != TN_ENCODING_RAW_BIG)
        return false;
    as_little.payload.encoding = TN_ENCODING_RAW;
    return tn_payload_is_plain(&as_little, false, span);
}

enum tn_status tn_sd_rope_elements(struct tn_rope           *rope,
                                   const struct tn_elements *elements,
                                   struct tn_memory         *memory)
{
    struct tn_span span;

    if (is_plain_span(elements, false, &span)) {
        tn_rope_span(rope, span);
        return rope->error->status;
    }
    const struct tn_producer *producer =
        make_producer(elements, false, rope->arena, memory, rope->error);
    if (producer)
        tn_rope_producer(rope, producer);
    return rope->error->status;
}

static uint32_t put_numbers(struct tn_fb_builder     *b,
                            const struct tn_elements *elements, bool is_big,
                            uint32_t align, struct tn_memory *memory)
{
    struct tn_span span;
    uint64_t       size = 0;

    if (!tn_shape_bytes(&elements->shape, &size) || size > BUFFER_LIMIT) {
        tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                     "an array of %" PRIu64 " bytes, a FlatBuffer has less "
                     "than 2 GiB",
                     size);
        return 0;
    }
    if (is_plain_span(elements, is_big, &span))
        return tn_fb_put_span(b, span, 1, align);
    const struct tn_producer *producer =
        make_producer(elements, is_big, b->arena, memory, b->error);
    return producer ? tn_fb_put_producer(b, producer, 1, align) : 0;
}

/* ---- strings ------------------------------------------------------------ */

struct string_list {
    struct tn_rope *chars;
    uint8_t        *offsets; /* int64, little-endian                          */
    uint64_t        at;
};

static enum tn_status add_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct string_list *list = context;

    (void)error;
    list->at += text.length;
    tn_store_little(list->offsets + 8 * (index + 1), list->at, 8);
    if (text.length)
        tn_rope_span(list->chars, text);
    return list->chars->error->status;
}

static uint32_t put_strings(struct tn_fb_builder     *b,
                            const struct tn_elements *elements, uint32_t align)
{
    struct string_list list  = { 0 };
    uint64_t           count = 0;
    uint32_t           ref   = 0;
    struct tn_rope     all, chars;

    tn_shape_count(&elements->shape, &count);
    if (count > BUFFER_LIMIT / 8) {
        tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                     "%" PRIu64 " strings in one array", count);
        return 0;
    }
    list.offsets = tn_new(b->arena, uint8_t, 8 * (count + 1), b->error);
    tn_rope_init(&all, b->arena, b->error);
    tn_rope_init(&chars, b->arena, b->error);
    list.chars = &chars;
    if (list.offsets && tn_payload_strings(elements, 0, count, add_string,
                                           &list, b->error) == TN_OK) {
        tn_rope_borrow(&all, tn_bytes(list.offsets, (size_t)(8 * (count + 1))));
        tn_rope_append(&all, &chars);
        ref = tn_fb_put_rope(b, &all, 1, align);
    }
    tn_rope_done(&chars);
    tn_rope_done(&all);
    return ref;
}

/* ---- the table ---------------------------------------------------------- */

static uint32_t put_record(struct tn_fb_builder  *b,
                           const struct tn_shape *shape, char order,
                           bool is_empty)
{
    uint32_t rank = shape->rank, count = 2 * rank + 4;
    int64_t *values = tn_new(b->arena, int64_t, count, b->error);
    int64_t  step   = 1;

    if (!values)
        return 0;
    values[0] = rank;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t axis           = order == 'f' ? i : rank - 1 - i;
        values[1 + axis]        = (int64_t)shape->dims[axis];
        values[1 + rank + axis] = step;
        step = (int64_t)((uint64_t)step * tn_max(shape->dims[axis], 1));
    }
    values[count - 3] =
        tn_sd_dtype_flags(shape->dtype) | (is_empty ? EMPTY_FLAG : 0);
    values[count - 2] = 1;
    values[count - 1] = order == 'f' ? ORDER_F : ORDER_C;
    return tn_fb_put_i64s(b, values, count);
}

static uint32_t put_dims(struct tn_fb_builder *b, const struct tn_shape *shape)
{
    int64_t *values = tn_new(b->arena, int64_t, shape->rank, b->error);

    for (uint32_t i = 0; values && i < shape->rank; i++)
        values[i] = (int64_t)shape->dims[i];
    return tn_fb_put_i64s(b, values, shape->rank);
}

static uint32_t put_buffer(struct tn_fb_builder         *b,
                           const struct tn_elements     *stored,
                           const struct tn_sd_array_how *how,
                           struct tn_memory             *memory)
{
    if (how->external)
        return tn_fb_put_vector(b, tn_bytes(NULL, 0), 1, how->align);
    if (stored->shape.dtype == TN_STRING)
        return put_strings(b, stored, how->align);
    return put_numbers(b, stored, how->form == TN_SD_FORM_BIG, how->align,
                       memory);
}

static void add_external(struct tn_fb_builder *b, uint32_t names,
                         const struct tn_shape *shape)
{
    uint64_t size = 0;

    tn_shape_bytes(shape, &size);
    tn_fb_add_i64(b, TN_SD_ARRAY_TOTAL, (int64_t)size, 0);
    tn_fb_add_ref(b, TN_SD_ARRAY_EXTERNAL, names);
    tn_fb_add_bool(b, TN_SD_ARRAY_IS_EXTERNAL, true, false);
}

uint32_t tn_sd_array_put(struct tn_fb_builder         *b,
                         const struct tn_elements     *elements,
                         const struct tn_sd_array_how *how,
                         struct tn_memory             *memory)
{
    const struct tn_shape *shape = &elements->shape;
    struct tn_elements     stored;
    uint64_t               count = 0;
    uint32_t               names = 0;
    char        order   = stored_order(elements, b->arena, &stored, b->error);
    const char *refusal = tn_sd_array_refusal(elements, how->form);

    if (refusal)
        tn_error_set(b->error, TN_INVALID, TN_NOWHERE, "%s", refusal);
    if (tn_failed(b->error))
        return 0;
    bool is_empty = tn_shape_count(shape, &count) && count == 0;
    if (how->external) /* where the bytes are, they are row-major */
        order = 'c';
    uint32_t data   = is_empty ? 0 : put_buffer(b, &stored, how, memory);
    uint32_t dims   = how->form == TN_SD_FORM_PLAIN
                          ? put_dims(b, shape)
                          : put_record(b, shape, order, is_empty);
    bool     is_one = how->form == TN_SD_FORM_PLAIN ? order == 'f'
                                                    : how->form == TN_SD_FORM_BIG;
    if (how->external) {
        uint32_t name = tn_fb_put_string(b, tn_text(how->external));
        names         = tn_fb_put_refs(b, &name, 1);
    }
    tn_fb_begin(b);
    tn_fb_add_ref(b, TN_SD_ARRAY_SHAPE, dims);
    tn_fb_add_ref(b, TN_SD_ARRAY_BUFFER, data);
    tn_fb_add_i8(b, TN_SD_ARRAY_DTYPE, tn_sd_dtype_code(shape->dtype), 0);
    tn_fb_add_i8(b, TN_SD_ARRAY_BYTE_ORDER, is_one, 0);
    if (how->external)
        add_external(b, names, shape);
    return tn_fb_end(b);
}
