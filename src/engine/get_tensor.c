/* get_tensor.c - one tensor, or a slice of it, as .npy, raw bytes or text */
#include "base/expect.h"
#include "base/sized.h"
#include "engine/opened.h"
#include "engine/slice.h"
#include "engine/target.h"
#include "ir/element.h"
#include "wire/npy/npy.h"

/* ---- text: rows of the last axis, an empty line between matrices -------- */

struct text_sink {
    struct tn_sink         sink;
    struct tn_sink        *to;
    const struct tn_shape *shape;
    uint64_t               index; /* of the next element                      */
    size_t                 held;  /* bytes of an element cut by a window      */
    uint8_t                part[TN_ELEMENT_MAX];
    struct tn_buffer       line;
};

/* Writes the separator after element `index`: a space, a new line, or
 * several. */
static const char *after(const struct tn_shape *shape, uint64_t index)
{
    uint64_t next = index + 1;

    if (shape->rank == 0)
        return "\n";
    uint64_t row = shape->dims[shape->rank - 1];
    if (next % row)
        return " ";
    uint64_t rows = shape->rank > 1 ? shape->dims[shape->rank - 2] : 1;
    uint64_t all  = 0;
    tn_shape_count(shape, &all);
    return shape->rank > 2 && next / row % rows == 0 && next < all ? "\n\n"
                                                                   : "\n";
}

static void put_element(struct text_sink *text, const uint8_t *element)
{
    char number[TN_ELEMENT_TEXT];

    tn_buffer_text(&text->line,
                   tn_element_text(text->shape->dtype, element, number));
    tn_buffer_text(&text->line, after(text->shape, text->index++));
}

static enum tn_status flush_text(struct text_sink *text, struct tn_error *error)
{
    if (tn_failed(error))
        return error->status;
    TN_TRY(tn_sink_write(text->to, tn_buffer_bytes(&text->line), error));
    tn_buffer_clear(&text->line);
    return TN_OK;
}

static enum tn_status text_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    struct text_sink *text = (struct text_sink *)sink;
    size_t            unit = tn_dtype_size(text->shape->dtype);

    for (size_t at = 0; at < bytes.size;) {
        if (text->held == 0 && bytes.size - at >= unit) {
            put_element(text, bytes.data + at);
            at += unit;
        } else {
            text->part[text->held++] = bytes.data[at++];
            if (text->held == unit) {
                put_element(text, text->part);
                text->held = 0;
            }
        }
        if (text->line.size > 32768)
            TN_TRY(flush_text(text, error));
    }
    return flush_text(text, error);
}

static const struct tn_sink_ops text_ops = { .write = text_write };

static enum tn_status get_string(void *context, uint64_t index,
                                 struct tn_span string, struct tn_error *error)
{
    struct text_sink *text = context;
    struct tn_buffer  bytes;

    (void)index;
    tn_buffer_init(&bytes, text->line.memory, error);
    if (tn_sink_splice(&bytes.sink, string, error) == TN_OK)
        tn_element_string(&text->line, tn_buffer_bytes(&bytes));
    tn_buffer_text(&text->line, "\n");
    tn_buffer_done(&bytes);
    return flush_text(text, error);
}

static enum tn_status write_text(const struct tn_elements *elements,
                                 uint64_t count, struct tn_memory *memory,
                                 struct tn_sink *to, struct tn_error *error)
{
    struct text_sink text = { .sink  = { .ops = &text_ops },
                              .to    = to,
                              .shape = &elements->shape };

    tn_buffer_init(&text.line, memory, error);
    if (tn_dtype_bits(elements->shape.dtype) == 0)
        tn_payload_strings(elements, 0, count, get_string, &text, error);
    else
        tn_payload_stream(elements, 0, count, memory, &text.sink, error);
    tn_buffer_done(&text.line);
    return error->status;
}

/* ---- strings that are not text ------------------------------------------ */

static enum tn_status measure_string(void *context, uint64_t index,
                                     struct tn_span   string,
                                     struct tn_error *error)
{
    uint64_t *longest = context;

    (void)index;
    (void)error;
    if (string.length > *longest)
        *longest = string.length;
    return TN_OK;
}

struct padded {
    struct tn_sink *to;
    uint64_t        width;
};

static enum tn_status pad_string(void *context, uint64_t index,
                                 struct tn_span string, struct tn_error *error)
{
    struct padded *padded = context;

    (void)index;
    TN_TRY(tn_sink_splice(padded->to, string, error));
    return tn_sink_zeros(padded->to, padded->width - string.length, error);
}

/* A header, for strings of so many bytes each or (width 0) the elements. */
static enum tn_status write_npy_header(const struct tn_shape *shape,
                                       uint64_t width, struct tn_memory *memory,
                                       struct tn_sink  *to,
                                       struct tn_error *error)
{
    struct tn_buffer header;

    tn_buffer_init(&header, memory, error);
    if (width)
        tn_npy_write_strings(&header, width, shape->rank, shape->dims);
    else
        tn_npy_write(&header, shape->dtype, shape->rank, shape->dims);
    if (!tn_failed(error))
        tn_sink_write(to, tn_buffer_bytes(&header), error);
    tn_buffer_done(&header);
    return error->status;
}

/* NumPy's fixed-width bytes: '|S' and the longest. */
static enum tn_status write_string_npy(const struct tn_elements *elements,
                                       uint64_t count, struct tn_memory *memory,
                                       struct tn_sink  *to,
                                       struct tn_error *error)
{
    struct padded padded = { to, 1 };

    TN_TRY(tn_payload_strings(elements, 0, count, measure_string, &padded.width,
                              error));
    TN_TRY(write_npy_header(&elements->shape, padded.width, memory, to, error));
    return tn_payload_strings(elements, 0, count, pad_string, &padded, error);
}

/* ---- all forms ---------------------------------------------------------- */

static enum tn_status write_elements(const struct tn_elements *elements,
                                     enum tn_get_form          form,
                                     struct tn_memory         *memory,
                                     struct tn_sink *to, struct tn_error *error)
{
    uint64_t count    = 0;
    bool     is_fixed = tn_dtype_bits(elements->shape.dtype) != 0;

    if (!tn_shape_count(&elements->shape, &count))
        return tn_shape_refuse(&elements->shape, elements->payload.span.offset,
                               error);
    if (form == TN_GET_TEXT)
        return write_text(elements, count, memory, to, error);
    if (!is_fixed && form == TN_GET_RAW)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "%s elements cannot be written as raw bytes: use --text or .npy",
            tn_dtype_name(elements->shape.dtype));
    if (!is_fixed)
        return write_string_npy(elements, count, memory, to, error);
    if (form == TN_GET_NPY)
        TN_TRY(write_npy_header(&elements->shape, 0, memory, to, error));
    return tn_payload_stream(elements, 0, count, memory, to, error);
}

struct getting {
    struct tn_elements elements;
    enum tn_get_form   form;
    struct tn_memory  *memory;
    uint64_t           max_expand;
};

/* Checks the limit before the first element: each takes a byte at least, and
 * measuring first would take long without any output. */
static enum tn_status check_size(const struct getting *getting,
                                 struct tn_error      *error)
{
    const struct tn_shape *shape = &getting->elements.shape;
    uint64_t               size  = 0;

    if (!tn_shape_bytes(shape, &size) && !tn_shape_count(shape, &size))
        return tn_shape_refuse(shape, getting->elements.payload.span.offset,
                               error);
    return tn_expand_check(size, getting->max_expand, error);
}

static enum tn_status fill(void *context, struct tn_sink *to,
                           struct tn_error *error)
{
    const struct getting *getting = context;

    TN_TRY(check_size(getting, error));
    return write_elements(&getting->elements, getting->form, getting->memory,
                          to, error);
}

enum tn_status tn_get(const struct tn_tensor      *tensor,
                      const struct tn_get_options *get,
                      const struct tn_target      *target,
                      const struct tn_options *options, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TENSOR(tensor, error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_GET(get);
    TN_TAKE_OPTIONS(options);
    struct tn_memory *memory  = tensor->model->memory;
    struct getting    getting = {
           .elements = tensor->elements,
           .form     = get->form,
           .memory   = memory,
           .max_expand =
               tn_opened_may_expand(tn_opened_of(tensor->model), options),
    };
    struct tn_arena arena;

    TN_TRY(tn_target_check_bundle(target, &tn_opened_of(tensor->model)->bundle,
                                  memory, error));
    tn_arena_init(&arena, memory);
    if (tn_payload_check(&tensor->elements, error) == TN_OK &&
        (!get->slice || tn_slice_parse(get->slice, &tensor->elements, &arena,
                                       &getting.elements, error) == TN_OK))
        tn_target_write(target, options, getting.max_expand, memory, fill,
                        &getting, NULL, error);
    tn_arena_done(&arena);
    if (tn_failed(error))
        tn_error_where(error, "tensor '%.*s'", TN_FMT(tn_tensor_name(tensor)));
    return error->status;
}
