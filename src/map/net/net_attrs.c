/*
 * net_attrs.c - lists of attributes, equal ones kept once
 *
 * Nodes have the same attributes again and again.  A list is looked up by its
 * bytes: for each attribute its name, what it is, and what it holds.  Lists
 * that hold tensors or graphs are never the same.
 */
#include "map/net/net_build.h"

/* Lists that are looked up; a net with more of them has no equal ones. */
#define LISTS_MAX (UINT64_C(1) << 16)

/* Bytes of a list that is worth looking up. */
enum { SIZE_MAX_KEPT = 1024 };

void tn_net_lists_init(struct tn_net_lists *lists, struct tn_arena *arena,
                       struct tn_error *error)
{
    tn_intern_init(&lists->table, arena);
    tn_list_init(&lists->lists, arena->memory, sizeof(struct tn_net_list));
    tn_buffer_init(&lists->key, arena->memory, error);
}

void tn_net_lists_done(struct tn_net_lists *lists)
{
    tn_intern_done(&lists->table);
    tn_list_done(&lists->lists);
    tn_buffer_done(&lists->key);
}

static void say_text(struct tn_buffer *key, struct tn_bytes text)
{
    tn_buffer_add(key, tn_bytes(&text.size, sizeof text.size));
    tn_buffer_add(key, text);
}

static void say_shape(struct tn_buffer *key, const struct tn_attr_shape *shape)
{
    uint32_t head[2] = { shape->has_rank, shape->has_rank ? shape->rank : 0 };

    tn_buffer_add(key, tn_bytes(head, sizeof head));
    tn_buffer_add(key, tn_bytes(shape->dims, head[1] * sizeof *shape->dims));
}

static size_t item_size(enum tn_attr_kind kind)
{
    switch (kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: return sizeof(int64_t);
    case TN_ATTR_FLOAT: return sizeof(float);
    case TN_ATTR_DOUBLE: return sizeof(double);
    default: return 0;
    }
}

/* False: it is like no other. */
static bool say_value(struct tn_buffer *key, const struct tn_attr_value *value)
{
    uint32_t head[3] = { value->kind, value->is_list, value->count };
    size_t   size    = item_size(value->kind);

    if (value->kind == TN_ATTR_TENSOR || value->kind == TN_ATTR_GRAPH ||
        value->count > SIZE_MAX_KEPT)
        return false;
    tn_buffer_add(key, tn_bytes(head, sizeof head));
    if (size)
        tn_buffer_add(key, tn_bytes(value->of.ints, size * value->count));
    for (uint32_t i = 0; !size && i < value->count; i++)
        if (value->kind == TN_ATTR_SHAPE)
            say_shape(key, &value->of.shapes[i]);
        else if (value->kind != TN_ATTR_NONE)
            say_text(key, value->of.strings[i]);
    return key->size <= SIZE_MAX_KEPT;
}

static bool say_list(struct tn_buffer *key, const struct tn_net_attr *attrs,
                     uint32_t count)
{
    tn_buffer_clear(key);
    for (uint32_t i = 0; i < count; i++) {
        say_text(key, attrs[i].name);
        if (!say_value(key, &attrs[i].value))
            return false;
    }
    return !tn_failed(key->error);
}

static const struct tn_net_attr *copy(struct tn_net            *net,
                                      const struct tn_net_attr *attrs,
                                      uint32_t                  count)
{
    struct tn_net_attr *kept =
        tn_new(net->arena, struct tn_net_attr, count, net->error);

    if (kept)
        memcpy(kept, attrs, count * sizeof *kept);
    return kept;
}

/* Adds an attribute; a list that can equal no other is not looked up. */
static uint32_t add(struct tn_net *net, const struct tn_net_attr *attrs,
                    uint32_t count, bool is_common)
{
    struct tn_net_lists      *lists = &net->pool->lists;
    const struct tn_net_attr *kept  = copy(net, attrs, count);
    struct tn_net_list       *list =
        tn_list_push(&lists->lists, struct tn_net_list, net->error);

    if (!kept || !list)
        return 0;
    *list = (struct tn_net_list){ kept, count, is_common };
    uint32_t id =
        is_common ? tn_intern_copy(&lists->table, tn_buffer_bytes(&lists->key),
                                   net->error)
                  : tn_intern_append(&lists->table, tn_text(""), net->error);
    if (id != TN_NO_NAME)
        return id + 1;
    lists->lists.count--;
    return 0;
}

uint32_t tn_net_keep_attrs(struct tn_net *net, const struct tn_net_attr *attrs,
                           uint32_t count)
{
    struct tn_net_lists *lists = &net->pool->lists;

    if (!count)
        return 0;
    bool is_common = say_list(&lists->key, attrs, count);
    if (is_common) {
        uint32_t id =
            tn_intern_find(&lists->table, tn_buffer_bytes(&lists->key));
        if (id != TN_NO_NAME)
            return id + 1;
        is_common = lists->table.used_count < LISTS_MAX;
    }
    return add(net, attrs, count, is_common);
}
