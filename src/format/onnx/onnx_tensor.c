/*
 * onnx_tensor.c - one TensorProto: type, shape, and where its elements are
 *
 *   dims = 1, data_type = 2, name = 8, and one holder of the elements:
 *   raw_data = 9          little-endian, side by side
 *   float_data = 4 ...    the typed field of the element type
 *   data_location = 14    1: in an external file, external_data = 13 says where
 *
 * A packed field in one piece is recorded as that piece: fixed-width numbers
 * are then the same as raw data.  Otherwise the whole message is recorded, and
 * the field is found when the elements are streamed.
 */
#include "base/arith.h"
#include "format/onnx/onnx.h"

/* ---- the message -------------------------------------------------------- */

/* Few tensors have more dimensions; those few grow in the arena. */
#define USUAL_RANK 8

struct dims {
    struct tn_arena *arena;
    uint64_t         usual[USUAL_RANK];
    uint64_t        *items;
    uint32_t         count;
    uint32_t         room;
};

static bool dims_grow(struct dims *dims, struct tn_error *error)
{
    uint64_t *items =
        tn_new(dims->arena, uint64_t, dims->room * UINT64_C(2), error);

    if (!items)
        return false;
    memcpy(items, dims->items, dims->count * sizeof *items);
    dims->items = items;
    dims->room *= 2;
    return true;
}

static void dims_add(struct tn_cursor *c, struct tn_pb_field *field,
                     struct dims *dims)
{
    uint64_t value;

    while (tn_pb_number(c, field, TN_WIRE_VARINT, &value)) {
        if (dims->count == UINT32_MAX / 2)
            tn_fail(c, TN_LIMIT, "more than 2^31 dimensions");
        else if (dims->count < dims->room || dims_grow(dims, c->error))
            dims->items[dims->count++] = value;
        if (tn_failed(c->error))
            return;
    }
}

static void dims_keep(struct dims *dims, struct tn_onnx_tensor *tensor,
                      struct tn_error *error)
{
    if (dims->items == dims->usual && dims->count) {
        dims->items = tn_new(dims->arena, uint64_t, dims->count, error);
        if (!dims->items)
            return;
        memcpy(dims->items, dims->usual, dims->count * sizeof *dims->items);
    }
    tensor->rank = dims->count;
    tensor->dims = dims->items;
}

void tn_onnx_entry_read(struct tn_cursor *body, struct tn_bytes *key,
                        struct tn_bytes *value)
{
    struct tn_pb_field field;

    *key = *value = tn_bytes("", 0);
    while (tn_pb_next(body, &field)) {
        if (field.number != ENTRY_KEY && field.number != ENTRY_VALUE)
            continue;
        if (tn_pb_expect(body, &field, TN_WIRE_LEN))
            *(field.number == ENTRY_KEY ? key : value) = tn_pb_text(&field);
    }
}

static void read_external(struct tn_cursor *body, struct tn_onnx_tensor *tensor)
{
    struct tn_bytes key, value;

    tn_onnx_entry_read(body, &key, &value);
    tensor->has_external = true;
    if (tn_bytes_is(key, "location"))
        tensor->location = value;
    else if (tn_bytes_is(key, "offset"))
        tensor->offset = value;
    else if (tn_bytes_is(key, "length"))
        tensor->length = value;
    else if (tn_bytes_is(key, "checksum"))
        tensor->checksum = value;
    else if (!tn_bytes_is(key, "basepath")) /* a loader's private note */
        tensor->has_strange_key = true;
}

static void read_holder(struct tn_pb_field    *field,
                        struct tn_onnx_holder *holder)
{
    holder->count++;
    holder->is_packed = field->type == TN_WIRE_LEN;
    if (holder->is_packed)
        holder->body = tn_pb_body_span(field);
}

static void read_scalar(struct tn_cursor *c, struct tn_pb_field *field,
                        struct tn_onnx_tensor *tensor)
{
    if (!tn_pb_expect(c, field, TN_WIRE_VARINT))
        return;
    if (field->number == TENSOR_DATA_TYPE) {
        tensor->has_type  = true;
        tensor->data_type = field->value;
    } else {
        tensor->location_kind = field->value;
        tensor->is_external   = field->value == 1;
    }
}

static void read_field(struct tn_cursor *c, struct tn_pb_field *field,
                       struct tn_onnx_tensor *tensor, struct dims *dims)
{
    switch (field->number) {
    case TENSOR_DIMS: dims_add(c, field, dims); break;
    case TENSOR_DATA_TYPE:
    case TENSOR_DATA_LOCATION: read_scalar(c, field, tensor); break;
    case TENSOR_SEGMENT: tensor->has_segment = true; break;
    case TENSOR_NAME:
        if (tn_pb_expect(c, field, TN_WIRE_LEN))
            tensor->name = tn_pb_text(field);
        break;
    case TENSOR_EXTERNAL_DATA:
        if (tn_pb_expect(c, field, TN_WIRE_LEN))
            read_external(&field->body, tensor);
        break;
    case TENSOR_STRING_DATA:
    case TENSOR_RAW_DATA:
        if (!tn_pb_expect(c, field, TN_WIRE_LEN))
            break;
        /* fall through */
    case TENSOR_FLOAT_DATA:
    case TENSOR_INT32_DATA:
    case TENSOR_INT64_DATA:
    case TENSOR_DOUBLE_DATA:
    case TENSOR_UINT64_DATA:
        read_holder(field, &tensor->holders[field->number]);
        break;
    default: break;
    }
}

void tn_onnx_tensor_read(struct tn_cursor *body, struct tn_arena *arena,
                         struct tn_onnx_tensor *tensor)
{
    struct tn_pb_field field;
    struct dims        dims = { .arena = arena, .room = USUAL_RANK };

    dims.items = dims.usual;
    *tensor    = (struct tn_onnx_tensor){ .wire = { body->source, body->offset,
                                                    tn_left(body) } };
    while (tn_pb_next(body, &field))
        read_field(body, &field, tensor, &dims);
    if (!tn_failed(body->error))
        dims_keep(&dims, tensor, body->error);
}

/* ---- elements that cannot be read ---------------------------------------- */

static enum tn_status absent_read(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size, struct tn_error *error)
{
    const struct tn_onnx_absent *absent = (const struct tn_onnx_absent *)source;

    (void)offset;
    (void)to;
    (void)size;
    tn_error_because(error, absent->status, absent->reason, TN_NOWHERE, "%s",
                     absent->what);
    tn_error_file(error, source->name);
    return error->status;
}

static void absent_close(struct tn_source *source)
{
    (void)source; /* it is in the arena of the model */
}

static const struct tn_source_ops absent_ops = { .read_at = absent_read,
                                                 .close   = absent_close };

/* NULL on failure. */
static struct tn_source *new_absent(struct tn_arena *arena, const char *file,
                                    enum tn_status status,
                                    enum tn_reason reason, const char *rule,
                                    const char *what, struct tn_error *error)
{
    struct tn_onnx_absent *absent =
        what ? tn_new(arena, struct tn_onnx_absent, 1, error) : NULL;

    if (!absent)
        return NULL;
    *absent = (struct tn_onnx_absent){
        .source = { .ops    = &absent_ops,
                    .size   = UINT64_MAX,
                    .name   = file,
                    .memory = arena->memory },
        .status = status,
        .reason = reason,
        .rule   = rule,
        .what   = what,
    };
    tn_arena_init(&absent->source.pins, arena->memory);
    return &absent->source;
}

const struct tn_onnx_absent *tn_onnx_absent_of(const struct tn_source *source)
{
    if (!source || source->ops != &absent_ops)
        return NULL;
    return (const struct tn_onnx_absent *)source;
}

/* ---- where the elements are --------------------------------------------- */

bool tn_onnx_raw_size(const struct tn_elements *elements, uint64_t *size)
{
    const struct tn_onnx_type *type =
        tn_onnx_type(tn_onnx_type_number(elements->shape.dtype));
    uint64_t count;

    if (!type || !tn_shape_count(&elements->shape, &count))
        return false;
    if (type->per_byte > 1) {
        *size = tn_payload_needed(&elements->shape, type->per_byte);
        return true;
    }
    return tn_shape_bytes(&elements->shape, size);
}

/* Reading must fail with the reason, so the span is as long as it should be. */
static void place_absent(struct tn_elements *elements, struct tn_arena *arena,
                         enum tn_status status, const char *rule,
                         const char *what, struct tn_error *error)
{
    uint64_t size = 0;

    tn_onnx_raw_size(elements, &size);
    elements->payload = tn_payload_raw(
        &elements->shape,
        (struct tn_span){
            new_absent(arena, "", status, TN_REASON_NONE, rule, what, error), 0,
            size },
        elements->payload.per_byte);
}

static void place_field(const struct tn_onnx_tensor *tensor,
                        const struct tn_onnx_type   *type,
                        struct tn_elements          *elements)
{
    const struct tn_onnx_holder *holder = &tensor->holders[type->field];
    struct tn_payload            payload =
        tn_payload_raw(&elements->shape, holder->body, type->per_byte);

    payload.field = type->field;
    if (holder->count > 1 || !holder->is_packed || type->dtype == TN_STRING) {
        payload.encoding = TN_ENCODING_FIELD;
        payload.span     = tensor->wire;
    } else if (type->wire == TN_WIRE_VARINT) {
        payload.encoding = TN_ENCODING_VARINTS;
    }
    elements->payload = payload;
}

/* A negative dimension, or too many elements: reading them fails, with the
 * place of the tensor. */
static bool refuses_shape(const struct tn_onnx_tensor *tensor,
                          struct tn_elements          *elements)
{
    uint64_t count;

    if (tn_shape_count(&elements->shape, &count))
        return false;
    elements->payload = tn_payload_raw(&elements->shape, tensor->wire,
                                       elements->payload.per_byte);
    return true;
}

/* The reason if no field can hold elements of this type. */
static void place_nothing(const struct tn_onnx_tensor *tensor,
                          const struct tn_onnx_type   *type,
                          struct tn_arena *arena, struct tn_elements *elements,
                          struct tn_error *error)
{
    uint64_t count;

    if (tn_shape_count(&elements->shape, &count) && count == 0) {
        elements->payload.encoding = TN_ENCODING_NONE;
        elements->payload.span =
            (struct tn_span){ tensor->wire.source, tensor->wire.offset, 0 };
        return;
    }
    place_absent(
        elements, arena, TN_MALFORMED, "missing-data",
        type && type->dtype == TN_STRING
            ? "the tensor has no string_data"
            : "the tensor has neither raw data nor a field of its type",
        error);
}

void tn_onnx_tensor_locate(const struct tn_onnx_tensor *tensor,
                           struct tn_arena *arena, struct tn_elements *elements,
                           struct tn_error *error)
{
    const struct tn_onnx_type   *type      = tn_onnx_type(tensor->data_type);
    const struct tn_onnx_holder *raw       = &tensor->holders[TENSOR_RAW_DATA];
    bool                         is_string = type && type->dtype == TN_STRING;

    elements->shape = (struct tn_shape){ type ? type->dtype : TN_UNDEFINED,
                                         tensor->rank, tensor->dims };
    elements->payload =
        (struct tn_payload){ .per_byte = type ? type->per_byte : 1 };
    if (refuses_shape(tensor, elements) || tensor->is_external)
        return; /* what is external is for tn_onnx_external_locate() */
    if (tensor->has_segment)
        place_absent(elements, arena, TN_UNSUPPORTED, "segment",
                     "a segment of a larger tensor, which no known tool writes",
                     error);
    else if (is_string && raw->count && raw->body.length)
        place_absent(elements, arena, TN_MALFORMED, "wrong-field",
                     "strings cannot be raw_data", error);
    else if (!is_string && raw->count)
        elements->payload = tn_payload_raw(&elements->shape, raw->body,
                                           elements->payload.per_byte);
    else if (type && tensor->holders[type->field].count)
        place_field(tensor, type, elements);
    else
        place_nothing(tensor, type, arena, elements, error);
}

/* ---- external files ----------------------------------------------------- */

/*
 *   external_data = 13   location  a path below the folder of the model
 *                        offset    decimal, 0 when not given
 *                        length    decimal; what type and shape need when not
 *                                  given
 *
 * The names and numbers are not trusted.  If one breaks a rule, the tensor gets
 * a source without bytes whose error names the rule: such a file is never
 * opened, and the rest of the model can still be read.
 */

void tn_onnx_external_init(struct tn_onnx_external *external,
                           struct tn_bundle *bundle, struct tn_arena *arena)
{
    *external = (struct tn_onnx_external){ .bundle = bundle, .arena = arena };
    tn_intern_init(&external->names, arena);
    tn_list_init(&external->sources, arena->memory, sizeof(struct tn_source *));
}

void tn_onnx_external_done(struct tn_onnx_external *external)
{
    tn_intern_done(&external->names);
    tn_list_done(&external->sources);
}

static const char *rule_of(enum tn_status status)
{
    if (status == TN_NOT_FOUND)
        return "missing-file";
    return status == TN_INVALID ? "unsafe-location" : "unreadable-file";
}

/* Running out of memory ends the reading; all other failures are about the
 * file. */
static bool is_ours(enum tn_status status)
{
    return status == TN_NO_MEMORY || status == TN_LIMIT ||
           status == TN_CANCELLED;
}

static struct tn_source *open_external(struct tn_onnx_external *external,
                                       struct tn_bytes          location,
                                       struct tn_error         *error)
{
    struct tn_source *source;
    struct tn_error   refusal = TN_ERROR_INIT;
    enum tn_status    status =
        tn_bundle_sibling(external->bundle, location, &source, &refusal);

    if (status == TN_OK)
        return source;
    if (is_ours(status)) {
        *error = refusal;
        return NULL;
    }
    struct tn_bytes name = tn_bytes_dup(external->arena, location, error);
    if (!name.data)
        return NULL;
    return new_absent(external->arena, (const char *)name.data, status,
                      refusal.reason, rule_of(status),
                      tn_text_dup(external->arena, refusal.what, error), error);
}

/* The source of a location, real or absent; NULL on failure. */
static struct tn_source *find_external(struct tn_onnx_external *external,
                                       struct tn_bytes          location,
                                       struct tn_error         *error)
{
    uint32_t id = tn_intern_borrow(&external->names, location, error);

    if (id == TN_NO_NAME)
        return NULL;
    if (id == external->sources.count &&
        !tn_list_push(&external->sources, struct tn_source *, error))
        return NULL;
    struct tn_source **slot =
        tn_list_at(&external->sources, struct tn_source *, id);
    if (!*slot)
        *slot = open_external(external, location, error);
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

/* Why the range is not inside the file; NULL if it is: then *span is the
 * range. */
static const char *read_range(struct tn_onnx_external     *external,
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
            external->arena, error, "offset \"%.40s\" is not a byte number",
            (const char *)tn_bytes_dup(external->arena, tensor->offset, error)
                .data);
    if (tensor->length.data && !read_decimal(tensor->length, &length))
        return tn_text_format(
            external->arena, error, "length \"%.40s\" is not a number of bytes",
            (const char *)tn_bytes_dup(external->arena, tensor->length, error)
                .data);
    if (!tn_inside(offset, length, source->size))
        return tn_text_format(external->arena, error,
                              "bytes %" PRIu64 " + %" PRIu64
                              " are beyond the file's %" PRIu64,
                              offset, length, source->size);
    *span = (struct tn_span){ source, offset, length };
    return NULL;
}

static struct tn_source *refuse(struct tn_onnx_external *external,
                                const char *file, const char *rule,
                                const char *what, struct tn_error *error)
{
    return new_absent(external->arena, file, TN_MALFORMED, TN_REASON_NONE, rule,
                      what, error);
}

/* The range of an external file that the tensor names, or an absent source. */
static struct tn_span external_span(struct tn_onnx_external     *external,
                                    const struct tn_onnx_tensor *tensor,
                                    const struct tn_elements    *elements,
                                    struct tn_error             *error)
{
    struct tn_span span = { NULL, 0, 0 };

    if (elements->shape.dtype == TN_STRING) {
        span.source = refuse(external, "", "wrong-field",
                             "strings cannot be in a side file", error);
        return span;
    }
    if (!tensor->location.data) {
        span.source = refuse(external, "", "missing-location",
                             "external data without a location", error);
        return span;
    }
    span.source = find_external(external, tensor->location, error);
    if (!span.source || tn_onnx_absent_of(span.source))
        return span;
    struct tn_source *source = span.source;
    const char       *what =
        read_range(external, tensor, elements, source, &span, error);
    if (what)
        span.source =
            refuse(external, source->name, "bad-external-range", what, error);
    return span;
}

void tn_onnx_external_locate(struct tn_onnx_external     *external,
                             const struct tn_onnx_tensor *tensor,
                             struct tn_elements          *elements,
                             struct tn_error             *error)
{
    uint64_t count;

    if (!tn_shape_count(&elements->shape, &count))
        return; /* the tensor itself is wrong: tn_onnx_tensor_locate() said so
                 */
    struct tn_span span = external_span(external, tensor, elements, error);
    if (tn_onnx_absent_of(span.source))
        tn_onnx_raw_size(elements, &span.length);
    elements->payload =
        tn_payload_raw(&elements->shape, span, elements->payload.per_byte);
}
