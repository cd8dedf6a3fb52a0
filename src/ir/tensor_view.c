/* tensor_view.c - what the public headers let a caller see of a tensor */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "ir/attr.h"
#include "ir/model_tables.h"

struct tn_bytes tn_tensor_name(const struct tn_tensor *tensor)
{
    return tn_model_name(tensor->model, tensor->name);
}

enum tn_dtype tn_tensor_dtype(const struct tn_tensor *tensor)
{
    return tensor->elements.shape.dtype;
}

uint32_t tn_tensor_rank(const struct tn_tensor *tensor)
{
    return tensor->elements.shape.rank;
}

const uint64_t *tn_tensor_dims(const struct tn_tensor *tensor)
{
    return tensor->elements.shape.dims;
}

enum tn_role tn_tensor_role(const struct tn_tensor *tensor)
{
    return (enum tn_role)tensor->role;
}

uint64_t tn_tensor_count(const struct tn_tensor *tensor)
{
    uint64_t count = 0;

    return tn_shape_count(&tensor->elements.shape, &count) ? count : 0;
}

uint64_t tn_tensor_size(const struct tn_tensor *tensor)
{
    uint64_t size = 0;

    return tn_shape_bytes(&tensor->elements.shape, &size) ? size : 0;
}

const char *tn_tensor_file(const struct tn_tensor *tensor)
{
    const struct tn_source *source = tensor->elements.payload.span.source;

    return source ? source->name : "";
}

uint64_t tn_tensor_offset(const struct tn_tensor *tensor)
{
    const struct tn_span *span = &tensor->elements.payload.span;

    return span->source ? span->offset : TN_NOWHERE;
}

uint64_t tn_tensor_stored_size(const struct tn_tensor *tensor)
{
    return tensor->elements.payload.span.length;
}

/* With fewer units than the shape needs, the last element is repeated. */
static bool is_splat(const struct tn_tensor *tensor)
{
    const struct tn_payload *payload = &tensor->elements.payload;

    if (payload->encoding != TN_ENCODING_VARINTS &&
        payload->encoding != TN_ENCODING_FIELD &&
        payload->encoding != TN_ENCODING_RAW)
        return false;
    return !payload->is_uncounted &&
           payload->stored <
               tn_payload_needed(&tensor->elements.shape, payload->per_byte);
}

const char *tn_tensor_storage(const struct tn_tensor *tensor)
{
    if (tensor->is_external)
        return tensor->role == TN_ROLE_VARIABLE || tensor->role == TN_ROLE_STATE
                   ? "shard"
                   : "external";
    switch ((enum tn_encoding)tensor->elements.payload.encoding) {
    case TN_ENCODING_NONE:
        return tn_tensor_count(tensor) ? "zeros" : "empty";
    case TN_ENCODING_RAW:
    case TN_ENCODING_RAW_BIG:
    case TN_ENCODING_FORTRAN:
        if (is_splat(tensor))
            return "splat";
        /* A packed field in one piece is raw bytes, of a typed field. */
        return tensor->elements.payload.field ? "typed" : "raw";
    case TN_ENCODING_VARINTS:
    case TN_ENCODING_FIELD:
        if (tensor->elements.shape.dtype == TN_STRING)
            return "strings";
        return is_splat(tensor) ? "splat" : "typed";
    case TN_ENCODING_LENGTHS:
    case TN_ENCODING_PADDED:
    case TN_ENCODING_OFFSETS:
    case TN_ENCODING_OFFSETS_BIG:
    case TN_ENCODING_PLACES:
    case TN_ENCODING_BUNDLE: return "strings";
    case TN_ENCODING_VIEW: return "view";
    case TN_ENCODING_BLOCKS:
    case TN_ENCODING_BLOCKS_BIG: return "blocks";
    }
    return "";
}

/* "initializer[3]", "attribute[0].t", "attribute[2].tensors[1]": what comes
 * after the graph or the node. */
static int list_path(const struct tn_tensor *tensor, char *to, size_t size)
{
    const struct tn_dialect *dialect = tensor->model->dialect;
    const char              *word    = dialect && dialect->tensor_word
                                           ? dialect->tensor_word(tensor)
                                           : "tensor";

    if (tensor->slot == TN_NONE)
        return snprintf(to, size, "%s", word);
    if (tensor->part == TN_NONE)
        return snprintf(to, size, "%s[%" PRIu32 "]%s", word, tensor->slot,
                        dialect && dialect->tensor_tail
                            ? dialect->tensor_tail(tensor)
                            : "");
    return snprintf(to, size, "%s[%" PRIu32 "]%s[%" PRIu32 "]", word,
                    tensor->slot,
                    dialect && dialect->tensor_tail
                        ? dialect->tensor_tail(tensor)
                        : "",
                    tensor->part);
}

size_t tn_tensor_path(const struct tn_tensor *tensor, char *to, size_t size)
{
    char   tail[160];
    char   head[400];
    size_t before = tn_model_path_of(tensor->model, tensor->graph, tensor->node,
                                     head, sizeof head);

    if (list_path(tensor, tail, sizeof tail) < 0)
        tail[0] = '\0';
    int length = snprintf(to, size, "%s%s%s", head, before ? "." : "", tail);
    return length > 0 ? (size_t)length : 0;
}

/* A sink over the caller's memory. */
struct fixed_sink {
    struct tn_sink sink;
    uint8_t       *to;
};

static enum tn_status fixed_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct fixed_sink *fixed = (struct fixed_sink *)sink;

    (void)error;
    memcpy(fixed->to + sink->offset, bytes.data, bytes.size);
    return TN_OK;
}

static enum tn_status fixed_splice(struct tn_sink *sink, struct tn_span span,
                                   struct tn_error *error)
{
    struct fixed_sink *fixed = (struct fixed_sink *)sink;

    return tn_source_read(span.source, span.offset, fixed->to + sink->offset,
                          (size_t)span.length, error);
}

static const struct tn_sink_ops fixed_ops = { .write  = fixed_write,
                                              .splice = fixed_splice };

enum tn_status tn_tensor_read(const struct tn_tensor *tensor, uint64_t offset,
                              void *to, size_t size, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TENSOR(tensor, error);
    struct fixed_sink fixed = { .sink = { .ops = &fixed_ops }, .to = to };
    unsigned          unit  = tn_dtype_size(tensor->elements.shape.dtype);

    if (unit == 0)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s elements have no fixed size",
                            tn_dtype_name(tensor->elements.shape.dtype));
    if (offset % unit || size % unit ||
        !tn_inside(offset, size, tn_tensor_size(tensor)))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "bytes %" PRIu64 " + %zu are not whole elements of "
                            "the tensor's %" PRIu64,
                            offset, size, tn_tensor_size(tensor));
    return tn_payload_stream(&tensor->elements, offset / unit, size / unit,
                             tensor->model->memory, &fixed.sink, error);
}

/* ---- strings ------------------------------------------------------------ */

struct listening {
    tn_on_string     *each;
    void             *context;
    struct tn_memory *memory;
    uint8_t          *room; /* for what is not in memory anyway               */
    uint64_t          size;
    bool              is_stopped;
};

static const uint8_t *fetch(struct listening *l, struct tn_span text,
                            struct tn_error *error)
{
    uint64_t       got = 0;
    const uint8_t *at  = tn_source_look(text.source, text.offset, &got);

    if (at && got >= text.length)
        return at;
    if (l->size < text.length) {
        uint8_t *room =
            tn_memory_resize(l->memory, l->room, l->size, text.length, error);
        if (!room)
            return NULL;
        l->room = room;
        l->size = text.length;
    }
    if (tn_source_read(text.source, text.offset, l->room, (size_t)text.length,
                       error) != TN_OK)
        return NULL;
    return l->room;
}

static enum tn_status tell_string(void *context, uint64_t index,
                                  struct tn_span text, struct tn_error *error)
{
    struct listening *l     = context;
    struct tn_bytes   bytes = { NULL, 0 };

    if (text.length) {
        bytes = tn_bytes(fetch(l, text, error), (size_t)text.length);
        if (!bytes.data)
            return error->status;
    }
    l->is_stopped = l->each(l->context, index, bytes) != 0;
    return l->is_stopped ? tn_error_set(error, TN_CANCELLED, TN_NOWHERE,
                                        "the listener has heard enough")
                         : TN_OK;
}

enum tn_status tn_tensor_strings(const struct tn_tensor *tensor, uint64_t first,
                                 uint64_t count, tn_on_string *each,
                                 void *context, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TENSOR(tensor, error);
    enum tn_dtype    dtype = tensor->elements.shape.dtype;
    struct tn_error  own   = TN_ERROR_INIT;
    struct listening l     = { .each    = each,
                               .context = context,
                               .memory  = tensor->model->memory };

    if (dtype == TN_UNDEFINED || tn_dtype_size(dtype) != 0)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s elements are not strings",
                            tn_dtype_name(dtype));
    if (!tn_inside(first, count, tn_tensor_count(tensor)))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "strings %" PRIu64 " + %" PRIu64 " of %" PRIu64,
                            first, count, tn_tensor_count(tensor));
    tn_payload_strings(&tensor->elements, first, count, tell_string, &l, &own);
    tn_memory_free(l.memory, l.room, l.size);
    if (tn_failed(&own) && !l.is_stopped)
        *error = own;
    return error->status;
}
