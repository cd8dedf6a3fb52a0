/* picture.c - a picture from its parts; its strings */
#include "view/picture.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "ir/blocks.h"

const char *tn_picture_type_name(const struct tn_tensor *tensor)
{
    const struct tn_payload *payload = &tensor->elements.payload;

    return tn_payload_is_blocks(payload)
               ? tn_block_type(payload->field)->name
               : tn_dtype_name(tensor->elements.shape.dtype);
}

uint64_t tn_picture_tensor_bytes(const struct tn_tensor *tensor)
{
    uint64_t size = tn_tensor_size(tensor);

    return size == 0 || tn_payload_is_blocks(&tensor->elements.payload)
               ? tn_tensor_stored_size(tensor)
               : size;
}

void tn_picture_init(struct tn_picture *picture, const struct tn_model *model,
                     struct tn_memory *memory, struct tn_error *error)
{
    *picture =
        (struct tn_picture){ .model = model, .memory = memory, .error = error };
    tn_arena_init(&picture->arena, memory);
    tn_pairs_init(&picture->domains, memory);
    tn_intern_init(&picture->strings, &picture->arena);
    tn_intern_init(&picture->texts, &picture->arena);
    tn_list_init(&picture->nodes, memory, sizeof(struct tn_view_node));
    tn_list_init(&picture->uses, memory, sizeof(struct tn_view_use));
    tn_list_init(&picture->lists, memory, sizeof(struct tn_view_attrs));
    tn_list_init(&picture->attr_texts, memory, sizeof(uint32_t));
    tn_list_init(&picture->calls, memory, sizeof(struct tn_view_call));
    tn_list_init(&picture->blocks, memory, sizeof(struct tn_view_block));
    tn_list_init(&picture->items, memory, sizeof(struct tn_view_item));
    tn_list_init(&picture->edges, memory, sizeof(struct tn_view_edge));
    tn_intern_copy(&picture->strings, tn_text(""), error);
    tn_intern_copy(&picture->texts, tn_text(""), error);
    tn_list_push(&picture->lists, struct tn_view_attrs, error);
}

void tn_picture_done(struct tn_picture *picture)
{
    tn_list_done(&picture->nodes);
    tn_list_done(&picture->uses);
    tn_list_done(&picture->lists);
    tn_list_done(&picture->attr_texts);
    tn_list_done(&picture->calls);
    tn_list_done(&picture->blocks);
    tn_list_done(&picture->items);
    tn_list_done(&picture->edges);
    tn_pairs_done(&picture->domains);
    tn_intern_done(&picture->strings);
    tn_intern_done(&picture->texts);
    tn_arena_done(&picture->arena);
}

uint64_t tn_view_hash_text(struct tn_bytes text)
{
    uint64_t hash = text.size;

    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ text.data[i]) * UINT64_C(0x100000001b3);
    return tn_view_mix(hash, text.size);
}

static struct tn_bytes replace_invalid(struct tn_bytes text, uint8_t *to)
{
    size_t size = 0;

    for (size_t at = 0; at < text.size;) {
        unsigned length = tn_utf8_check(text.data + at, text.data + text.size);
        if (length)
            memcpy(to + size, text.data + at, length);
        size += length ? length : tn_utf8_put(to + size, 0xfffd);
        at += length ? length : 1;
    }
    return tn_bytes(to, size);
}

struct tn_bytes tn_picture_clean(struct tn_bytes text, uint8_t *room)
{
    text = tn_utf8_cut(text, TN_VIEW_STRING_MOST);
    return tn_utf8_is_valid(text) ? text : replace_invalid(text, room);
}

uint32_t tn_picture_string(struct tn_picture *picture, struct tn_bytes text)
{
    uint8_t clean[3 * TN_VIEW_STRING_MOST];

    uint32_t id = tn_intern_copy(&picture->strings,
                                 tn_picture_clean(text, clean), picture->error);
    return id == TN_NO_NAME ? 0 : id;
}

uint32_t tn_picture_format(struct tn_picture *picture, const char *format, ...)
{
    char text[256];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tn_picture_string(picture, tn_text(text));
}

struct tn_bytes tn_picture_op_name(const struct tn_model *model, uint32_t op)
{
    const struct tn_op *row  = tn_model_op_at(model, op);
    struct tn_bytes     name = tn_model_name(model, row->name);

    for (uint32_t i = 0; i < row->output_count && !name.size; i++)
        name = tn_model_value_name(
            model, tn_model_ref_at(model, (uint64_t)row->first_output + i));
    return name;
}

void tn_picture_fetch_name(const struct tn_picture *picture,
                           const uint32_t *nodes, uint32_t left)
{
    enum { AHEAD = 12 };

    if (left > AHEAD)
        tn_view_fetch_text(tn_picture_node_name(picture, nodes[AHEAD]));
}

struct tn_bytes tn_picture_node_name(const struct tn_picture *picture,
                                     uint32_t                 node)
{
    const struct tn_view_node *row = tn_picture_node(picture, node);

    if (row->kind == TN_VIEW_OP)
        return tn_picture_op_name(picture->model, row->what);
    if (row->kind == TN_VIEW_TENSOR)
        return tn_tensor_name(tn_model_tensor(picture->model, row->what));
    return tn_model_value_name(picture->model, row->what);
}

uint32_t tn_picture_title(struct tn_picture *picture, uint32_t node)
{
    const struct tn_view_node *row = tn_picture_node(picture, node);

    if (row->title || row->op)
        return row->title ? row->title : row->op;
    return tn_picture_string(picture, tn_picture_node_name(picture, node));
}
