/*
 * onnx_sides.c - side files: what a model may name, and which bytes of it
 *
 *   external_data = 13   location  a path below the folder of the model
 *                        offset    decimal, 0 when not given
 *                        length    decimal; what type and shape need when not
 *                                  given
 *
 * The names and numbers are not trusted.  If one breaks a rule, the tensor gets
 * a source without bytes whose error names the rule: such a file is never
 * opened, and the rest of the model can still be read.
 */
#include "format/onnx/onnx.h"

#include "base/arith.h"

void tn_onnx_sides_init(struct tn_onnx_sides *sides, struct tn_bundle *bundle,
                        struct tn_arena *arena)
{
    *sides = (struct tn_onnx_sides){ .bundle = bundle, .arena = arena };
    tn_intern_init(&sides->names, arena);
    tn_list_init(&sides->sources, arena->memory, sizeof(struct tn_source *));
}

void tn_onnx_sides_done(struct tn_onnx_sides *sides)
{
    tn_intern_done(&sides->names);
    tn_list_done(&sides->sources);
}

static const char *rule_of(enum tn_status status)
{
    if (status == TN_NOT_FOUND)
        return "missing-file";
    return status == TN_INVALID ? "unsafe-location" : "unreadable-file";
}

/* Out of memory ends the reading; everything else is a fact about the file. */
static bool is_ours(enum tn_status status)
{
    return status == TN_NO_MEMORY || status == TN_LIMIT;
}

static struct tn_source *open_side(struct tn_onnx_sides *sides,
                                   struct tn_bytes       location,
                                   struct tn_error      *error)
{
    struct tn_source *source;
    struct tn_error   refusal = TN_ERROR_INIT;
    enum tn_status    status =
        tn_bundle_sibling(sides->bundle, location, &source, &refusal);

    if (status == TN_OK)
        return source;
    if (is_ours(status)) {
        *error = refusal;
        return NULL;
    }
    struct tn_bytes name = tn_bytes_dup(sides->arena, location, error);
    if (!name.data)
        return NULL;
    return tn_onnx_absent_new(
        sides->arena, (const char *)name.data, status, refusal.reason,
        rule_of(status), tn_text_dup(sides->arena, refusal.what, error), error);
}

/* The source of a location, real or absent; NULL on failure. */
static struct tn_source *find_side(struct tn_onnx_sides *sides,
                                   struct tn_bytes       location,
                                   struct tn_error      *error)
{
    uint32_t id = tn_intern_borrow(&sides->names, location, error);

    if (id == TN_NO_NAME)
        return NULL;
    if (id == sides->sources.count &&
        !tn_list_push(&sides->sources, struct tn_source *, error))
        return NULL;
    struct tn_source **slot =
        tn_list_at(&sides->sources, struct tn_source *, id);
    if (!*slot)
        *slot = open_side(sides, location, error);
    return *slot;
}

static bool read_decimal(struct tn_bytes text, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' ||
            !tn_mul(*value, 10, value) ||
            !tn_add(*value, (uint64_t)(text.data[i] - '0'), value))
            return false;
    }
    return text.size > 0;
}

/* Why the range is none of the file's, or NULL; *span is the range then. */
static const char *read_range(struct tn_onnx_sides        *sides,
                              const struct tn_onnx_tensor *tensor,
                              const struct tn_elements    *elements,
                              struct tn_source *source, struct tn_span *span,
                              struct tn_error *error)
{
    uint64_t offset = 0, length = 0;

    if (!tensor->length.data)
        tn_onnx_raw_size(elements, &length); /* as ONNX Runtime does */
    if (tensor->offset.data && !read_decimal(tensor->offset, &offset))
        return tn_text_format(
            sides->arena, error, "offset \"%.40s\" is no byte number",
            (const char *)tn_bytes_dup(sides->arena, tensor->offset, error)
                .data);
    if (tensor->length.data && !read_decimal(tensor->length, &length))
        return tn_text_format(
            sides->arena, error, "length \"%.40s\" is no number of bytes",
            (const char *)tn_bytes_dup(sides->arena, tensor->length, error)
                .data);
    if (!tn_inside(offset, length, source->size))
        return tn_text_format(sides->arena, error,
                              "bytes %" PRIu64 " + %" PRIu64
                              " are beyond the file's %" PRIu64,
                              offset, length, source->size);
    *span = (struct tn_span){ source, offset, length };
    return NULL;
}

static struct tn_source *refuse(struct tn_onnx_sides *sides, const char *file,
                                const char *rule, const char *what,
                                struct tn_error *error)
{
    return tn_onnx_absent_new(sides->arena, file, TN_MALFORMED, TN_REASON_NONE,
                              rule, what, error);
}

/* The range of a side file that the tensor names, or an absent source. */
static struct tn_span side_span(struct tn_onnx_sides        *sides,
                                const struct tn_onnx_tensor *tensor,
                                const struct tn_elements    *elements,
                                struct tn_error             *error)
{
    struct tn_span span = { NULL, 0, 0 };

    if (elements->shape.dtype == TN_STRING) {
        span.source = refuse(sides, "", "wrong-field",
                             "strings cannot be in a side file", error);
        return span;
    }
    if (!tensor->location.data) {
        span.source = refuse(sides, "", "missing-location",
                             "external data without a location", error);
        return span;
    }
    span.source = find_side(sides, tensor->location, error);
    if (!span.source || tn_onnx_absent_of(span.source))
        return span;
    struct tn_source *source = span.source;
    const char       *what =
        read_range(sides, tensor, elements, source, &span, error);
    if (what)
        span.source =
            refuse(sides, source->name, "bad-external-range", what, error);
    return span;
}

void tn_onnx_sides_locate(struct tn_onnx_sides        *sides,
                          const struct tn_onnx_tensor *tensor,
                          struct tn_elements *elements, struct tn_error *error)
{
    uint64_t count;

    if (!tn_shape_count(&elements->shape, &count))
        return; /* the tensor itself is wrong: tn_onnx_tensor_locate() said so
                 */
    struct tn_span span = side_span(sides, tensor, elements, error);
    if (tn_onnx_absent_of(span.source))
        tn_onnx_raw_size(elements, &span.length);
    elements->payload =
        tn_payload_raw(&elements->shape, span, elements->payload.per_byte);
}
