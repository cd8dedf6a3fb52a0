/*
 * net_type.c - types of the values of a net, each kept once
 *
 * A type is looked up by these words:
 *
 *   dtype, wrap, has_rank, rank | symbols | dims...
 *
 * The words of a new type stay, and its dims are the last of them.
 */
#include "map/net/net_build.h"

enum { HEAD_WORDS = 2, FEW_DIMS = 14 };

const struct tn_net_type tn_net_unknown = { .dtype = TN_UNDEFINED };

void tn_net_types_init(struct tn_net_types *types, struct tn_arena *arena)
{
    tn_intern_init(&types->table, arena);
    tn_list_init(&types->types, arena->memory,
                 sizeof(const struct tn_net_type *));
}

void tn_net_types_done(struct tn_net_types *types)
{
    tn_intern_done(&types->table);
    tn_list_done(&types->types);
}

static uint32_t rank_of(const struct tn_net_type *type)
{
    return type->has_rank ? type->rank : 0;
}

static size_t say(const struct tn_net_type *type, uint64_t *words)
{
    uint32_t rank = rank_of(type);

    words[0] = (uint64_t)type->dtype | (uint64_t)type->wrap << 8 |
               (uint64_t)type->has_rank << 16 | (uint64_t)rank << 32;
    words[1] = type->has_rank ? (uintptr_t)type->symbols : 0;
    if (rank)
        memcpy(words + HEAD_WORDS, type->dims, rank * sizeof *words);
    return (HEAD_WORDS + (size_t)rank) * sizeof *words;
}

static const struct tn_net_type *add(struct tn_net            *net,
                                     const struct tn_net_type *type)
{
    uint32_t  rank = rank_of(type);
    uint64_t *words =
        tn_new(net->arena, uint64_t, (uint64_t)HEAD_WORDS + rank, net->error);
    struct tn_net_type *kept =
        tn_new(net->arena, struct tn_net_type, 1, net->error);
    if (!words || !kept)
        return NULL;
    *kept                           = *type;
    kept->rank                      = rank;
    kept->symbols                   = type->has_rank ? type->symbols : NULL;
    kept->dims                      = (const int64_t *)(words + HEAD_WORDS);
    struct tn_bytes            key  = tn_bytes(words, say(type, words));
    const struct tn_net_type **slot = tn_list_push(
        &net->pool->types.types, const struct tn_net_type *, net->error);
    if (!slot)
        return NULL;
    *slot    = kept;
    kept->id = (uint32_t)net->pool->types.types.count;
    if (tn_intern_borrow(&net->pool->types.table, key, net->error) !=
        TN_NO_NAME)
        return kept;
    net->pool->types.types.count--;
    return NULL;
}

static const struct tn_net_type *find(struct tn_net            *net,
                                      const struct tn_net_type *type,
                                      uint64_t                 *words)
{
    uint32_t id = tn_intern_find(&net->pool->types.table,
                                 tn_bytes(words, say(type, words)));

    if (id != TN_NO_NAME)
        return *tn_list_at(&net->pool->types.types, const struct tn_net_type *,
                           id);
    return add(net, type);
}

/* The type of the net that is equal to it, or NULL with the error set. */
static const struct tn_net_type *only_one(struct tn_net            *net,
                                          const struct tn_net_type *type)
{
    uint64_t few[HEAD_WORDS + FEW_DIMS];

    if (type->dtype == TN_UNDEFINED && type->wrap == TN_NET_TENSOR &&
        !type->has_rank)
        return &tn_net_unknown;
    if (rank_of(type) <= FEW_DIMS)
        return find(net, type, few);
    uint64_t *words = tn_new(net->arena, uint64_t,
                             (uint64_t)HEAD_WORDS + type->rank, net->error);
    return words ? find(net, type, words) : NULL;
}

const struct tn_net_type *tn_net_keep_type(struct tn_net            *net,
                                           const struct tn_net_type *type)
{
    return only_one(net, type);
}

void tn_net_set_type(struct tn_net *net, uint32_t value,
                     const struct tn_net_type *type)
{
    const struct tn_net_type *one = only_one(net, type);

    if (one)
        tn_net_set_own_type(net, value, one);
}

void tn_net_copy_type(struct tn_net *net, uint32_t value, uint32_t like)
{
    tn_net_value_row(net, value)->type = tn_net_value_row(net, like)->type;
}

void tn_net_set_dtype(struct tn_net *net, uint32_t value, enum tn_dtype dtype)
{
    struct tn_net_type type = *tn_net_value(net, value).type;

    type.dtype = dtype;
    tn_net_set_type(net, value, &type);
}

void tn_net_set_scalar(struct tn_net *net, uint32_t value, enum tn_dtype dtype)
{
    tn_net_set_type(net, value,
                    &(struct tn_net_type){ .dtype = dtype, .has_rank = true });
}

void tn_net_set_shape(struct tn_net *net, uint32_t value,
                      const struct tn_shape *shape)
{
    int64_t  few[FEW_DIMS];
    int64_t *dims = few;

    if (shape->rank > FEW_DIMS)
        dims = tn_new(net->arena, int64_t, shape->rank, net->error);
    for (uint32_t i = 0; dims && i < shape->rank; i++)
        dims[i] = shape->dims[i] > INT64_MAX ? -1 : (int64_t)shape->dims[i];
    if (dims)
        tn_net_set_type(net, value,
                        &(struct tn_net_type){ .dtype    = shape->dtype,
                                               .has_rank = true,
                                               .rank     = shape->rank,
                                               .dims     = dims });
}
