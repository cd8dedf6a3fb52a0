/* fold_items.c - the elements of a tensor as items of the rule language */
#include "map/lang/fold_items.h"

#include "base/buffer.h"
#include "ir/element.h"

static bool is_whole(enum tn_dtype d)
{
    return (d >= TN_INT8 && d <= TN_UINT2) || (d >= TN_QINT8 && d <= TN_QINT32);
}

static struct tn_item element_item(enum tn_dtype dtype, const uint8_t *at)
{
    if (dtype == TN_BOOL)
        return tn_item_bool(*at != 0);
    if (tn_item_is_real(dtype))
        return tn_item_float(tn_element_double(dtype, at));
    return tn_item_int(tn_element_int64(dtype, at));
}

/* Running out of memory is an error here; invalid bytes are reported
 * elsewhere. */
static bool is_ours(const struct tn_error *error)
{
    return tn_call_ended(error) || error->status == TN_LIMIT;
}

static enum tn_status read_numbers(const struct tn_elements *elements,
                                   struct tn_memory         *memory,
                                   struct tn_item *items, uint64_t count,
                                   struct tn_error *error)
{
    enum tn_dtype    dtype = elements->shape.dtype;
    unsigned         size  = tn_dtype_size(dtype);
    struct tn_buffer bytes;

    tn_buffer_init(&bytes, memory, error);
    tn_payload_stream(elements, 0, count, memory, &bytes.sink, error);
    if (!tn_failed(error) && bytes.size != count * size)
        tn_error_set(error, TN_TRUNCATED, TN_NOWHERE, "too few elements");
    for (uint64_t i = 0; !tn_failed(error) && i < count; i++)
        items[i] = element_item(dtype, bytes.data + i * size);
    tn_buffer_done(&bytes);
    return error->status;
}

/* Strings of all elements together. */
#define TEXT_MAX (UINT64_C(1) << 20)

struct strings {
    struct tn_arena *arena;
    struct tn_item  *items;
    uint64_t         size;
};

static enum tn_status read_string(void *context, uint64_t index,
                                  struct tn_span text, struct tn_error *error)
{
    struct strings *to = context;

    to->size += text.length;
    if (text.length > TEXT_MAX || to->size > TEXT_MAX)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE, "long strings");
    char *copy = tn_arena_alloc(to->arena, text.length + 1, 1, error);
    if (!copy)
        return error->status;
    if (text.length)
        TN_TRY(tn_source_read(text.source, text.offset, copy,
                              (size_t)text.length, error));
    to->items[index] = tn_item_text(tn_bytes(copy, (size_t)text.length));
    return TN_OK;
}

bool tn_fold_items(const struct tn_elements *elements, struct tn_arena *arena,
                   struct tn_item *out, struct tn_error *error)
{
    enum tn_dtype   dtype = elements->shape.dtype;
    struct tn_error local = { 0 };
    uint64_t        count;

    *out = tn_item_unknown(NULL);
    if (!tn_shape_count(&elements->shape, &count) || count > TN_FOLD_MAX)
        return true;
    if (dtype != TN_BOOL && dtype != TN_STRING && !tn_item_is_real(dtype) &&
        !is_whole(dtype))
        return true;
    struct tn_item *items = tn_new(arena, struct tn_item, count, error);
    if (!items)
        return false;
    struct strings strings = { .arena = arena, .items = items };
    if (dtype == TN_STRING)
        tn_payload_strings(elements, 0, count, read_string, &strings, &local);
    else
        read_numbers(elements, arena->memory, items, count, &local);
    if (local.status == TN_OK)
        *out = tn_item_list(items, (uint32_t)count);
    if (is_ours(&local))
        *error = local;
    return !is_ours(&local);
}
