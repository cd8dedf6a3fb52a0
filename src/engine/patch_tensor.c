/* patch_tensor.c - tensors that safetensors has no type for, as bytes */
#include "engine/patch_tensor.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/varint.h"
#include "ir/blocks.h"
#include "ir/element.h"

bool tn_patch_is_plain(const struct tn_elements *elements)
{
    if (tn_payload_is_blocks(&elements->payload))
        return false;
    switch (elements->shape.dtype) {
    case TN_FLOAT32:
    case TN_FLOAT64:
    case TN_FLOAT16:
    case TN_BFLOAT16:
    case TN_INT8:
    case TN_INT16:
    case TN_INT32:
    case TN_INT64:
    case TN_UINT8:
    case TN_UINT16:
    case TN_UINT32:
    case TN_UINT64:
    case TN_BOOL: return true;
    default: return false;
    }
}

/* ---- packing ------------------------------------------------------------ */

struct strings {
    struct tn_buffer lengths, bytes;
};

static enum tn_status add_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct strings *to = context;

    (void)index;
    tn_buffer_varint(&to->lengths, text.length);
    if (text.length) {
        uint8_t *room = tn_buffer_room(&to->bytes, (size_t)text.length);
        if (!room)
            return error->status;
        TN_TRY(tn_source_read(text.source, text.offset, room,
                              (size_t)text.length, error));
        to->bytes.size += (size_t)text.length;
    }
    return error->status;
}

static void pack_strings(const struct tn_elements *from, uint64_t count,
                         struct tn_buffer *to, struct tn_memory *memory,
                         struct tn_error *error)
{
    struct strings all;

    tn_buffer_init(&all.lengths, memory, error);
    tn_buffer_init(&all.bytes, memory, error);
    if (tn_payload_strings(from, 0, count, add_string, &all, error) == TN_OK) {
        tn_buffer_add(to, tn_buffer_bytes(&all.lengths));
        tn_buffer_add(to, tn_buffer_bytes(&all.bytes));
    }
    tn_buffer_done(&all.bytes);
    tn_buffer_done(&all.lengths);
}

static bool is_side_by_side(const struct tn_elements *from)
{
    const struct tn_payload *p = &from->payload;

    return p->encoding == TN_ENCODING_BLOCKS ||
           (p->encoding == TN_ENCODING_RAW && p->per_byte <= 1 &&
            !p->is_uncounted && p->stored == tn_payload_needed(&from->shape, 1));
}

/* A copy of the bytes, and a source of them. */
static struct tn_span copy_bytes(const struct tn_elements *from, uint64_t count,
                                 struct tn_arena *arena,
                                 struct tn_error *error)
{
    struct tn_source *source = tn_new(arena, struct tn_source, 1, error);
    struct tn_bytes   kept   = { NULL, 0 };
    struct tn_buffer  bytes;

    tn_buffer_init(&bytes, arena->memory, error);
    if (tn_payload_is_blocks(&from->payload))
        tn_payload_stream_blocks(from, arena->memory, &bytes.sink, error);
    else if (tn_dtype_size(from->shape.dtype) == 0)
        pack_strings(from, count, &bytes, arena->memory, error);
    else
        tn_payload_stream(from, 0, count, arena->memory, &bytes.sink, error);
    if (!tn_failed(error))
        kept = tn_bytes_dup(arena, tn_buffer_bytes(&bytes), error);
    tn_buffer_done(&bytes);
    if (!source || tn_failed(error))
        return (struct tn_span){ NULL, 0, 0 };
    tn_source_memory(source, arena->memory, kept);
    return (struct tn_span){ source, 0, kept.size };
}

enum tn_status tn_patch_pack(const struct tn_elements *from,
                             struct tn_arena          *arena,
                             struct tn_elements *to, struct tn_buffer *type,
                             struct tn_error *error)
{
    const struct tn_shape *shape = &from->shape;
    uint64_t              *size  = tn_new(arena, uint64_t, 1, error);
    uint64_t               count;

    if (!size)
        return error->status;
    if (!tn_shape_count(shape, &count))
        return tn_shape_refuse(shape, TN_NOWHERE, error);
    struct tn_span bytes = is_side_by_side(from)
                               ? from->payload.span
                               : copy_bytes(from, count, arena, error);
    *size                = bytes.length;
    to->shape            = (struct tn_shape){ TN_UINT8, 1, size };
    to->payload          = tn_payload_raw(&to->shape, bytes, 1);
    tn_buffer_text(type, tn_payload_is_blocks(&from->payload)
                             ? tn_block_type(from->payload.field)->name
                             : tn_dtype_name(shape->dtype));
    for (uint32_t i = 0; i < shape->rank; i++)
        tn_buffer_format(type, "%s%" PRIu64, i ? "," : "[", shape->dims[i]);
    tn_buffer_text(type, shape->rank ? "]" : "[]");
    return error->status;
}

/* ---- unpacking ---------------------------------------------------------- */

static enum tn_status refuse(const char *type, struct tn_error *error)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "'%s' is not a type and a shape, such as string[2,3], "
                        "or the tensor is not such bytes",
                        type);
}

/* "[2,3]" */
static enum tn_status read_dims(const char *word, struct tn_arena *arena,
                                struct tn_shape *shape, struct tn_error *error)
{
    const char *at    = word + 1;
    uint32_t    count = at[0] != ']';

    for (const char *c = at; *c; c++)
        count += *c == ',';
    uint64_t *dims = tn_new(arena, uint64_t, count, error);
    if (!dims)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        size_t  size = strcspn(at, ",]");
        int64_t dim;
        if (!tn_int64_parse(tn_bytes(at, size), &dim) || dim < 0)
            return refuse(word, error);
        dims[i] = (uint64_t)dim;
        at += size + (at[size] == ',');
    }
    shape->rank = count;
    shape->dims = dims;
    return strcmp(at, "]") == 0 ? TN_OK : refuse(word, error);
}

static bool fits(const struct tn_elements *to, unsigned block, uint64_t size)
{
    struct tn_error ignored = TN_ERROR_INIT;
    uint64_t        needed;

    if (block != TN_BLOCK_COUNT)
        return tn_payload_block_bytes(&to->shape, block, &needed) &&
               needed == size;
    if (tn_dtype_size(to->shape.dtype) != 0)
        return tn_shape_bytes(&to->shape, &needed) && needed == size;
    return tn_payload_check(to, &ignored) == TN_OK;
}

enum tn_status tn_patch_unpack(const struct tn_elements *from, const char *type,
                               struct tn_arena *arena, struct tn_elements *to,
                               struct tn_error *error)
{
    const char    *mark = strchr(type, '[');
    struct tn_span span = from->payload.span;
    char           name[32];
    uint64_t       count;

    if (!mark || (size_t)(mark - type) >= sizeof name ||
        from->shape.dtype != TN_UINT8 || from->shape.rank != 1 ||
        from->payload.encoding != TN_ENCODING_RAW)
        return refuse(type, error);
    memcpy(name, type, (size_t)(mark - type));
    name[mark - type] = '\0';
    unsigned block    = tn_block_find(name);
    *to               = (struct tn_elements){ 0 };
    to->shape.dtype =
        block != TN_BLOCK_COUNT ? TN_FLOAT32 : tn_dtype_find(name);
    TN_TRY(read_dims(mark, arena, &to->shape, error));
    if (to->shape.dtype == TN_UNDEFINED || !tn_shape_count(&to->shape, &count))
        return refuse(type, error);
    if (block != TN_BLOCK_COUNT)
        to->payload = tn_payload_blocks(&to->shape, span, block, false);
    else if (tn_dtype_size(to->shape.dtype) != 0)
        to->payload = tn_payload_raw(&to->shape, span, 1);
    else
        to->payload = (struct tn_payload){ .span     = span,
                                           .stored   = count,
                                           .encoding = TN_ENCODING_LENGTHS };
    return fits(to, block, span.length) ? TN_OK : refuse(type, error);
}
