/*
 * tie_weights.c - stores equal weights once
 *
 * Two weights are compared by the SHA-256 of their elements.  It is computed
 * only if another weight begins with the same bytes.
 */
#include "map/simplify/tie_weights.h"

#include "base/buffer.h"
#include "base/intern.h"
#include "base/varint.h"
#include "codec/sha256.h"
#include "map/net/net_build.h"

/* Elements that a key is made of, and bytes below which two are not worth
 * comparing. */
enum { FIRST_ELEMENTS = 64, LEAST_BYTES = 128 };

struct weight {
    uint32_t value;
    bool     is_hashed;
    uint8_t  digest[TN_SHA256_SIZE];
};

struct tying {
    struct tn_net   *net;
    const bool      *is_output;
    struct tn_arena  arena;
    struct tn_intern keys;
    struct tn_list   first;   /* uint32_t by key: in `weights`                */
    struct tn_list   weights; /* struct weight                                */
    struct tn_list   next;    /* uint32_t by weight: of the same key          */
    struct tn_buffer key;
};

/* Type, shape and how it begins; false: it is too small, or cannot be read. */
static bool say(struct tying *t, const struct tn_net_value *value)
{
    const struct tn_elements *e = value->constant;
    uint64_t                  count, bytes;

    if (!tn_shape_count(&e->shape, &count) ||
        !tn_shape_bytes(&e->shape, &bytes) || bytes < LEAST_BYTES)
        return false;
    tn_buffer_clear(&t->key);
    tn_buffer_u32(&t->key, value->graph);
    tn_buffer_u32(&t->key, e->shape.dtype);
    tn_buffer_u32(&t->key, e->shape.rank);
    for (uint32_t i = 0; i < e->shape.rank; i++) {
        tn_buffer_u32(&t->key, (uint32_t)e->shape.dims[i]);
        tn_buffer_u32(&t->key, (uint32_t)(e->shape.dims[i] >> 32));
    }
    return tn_net_try_read(t->net, e,
                           count < FIRST_ELEMENTS ? count : FIRST_ELEMENTS,
                           &t->key.sink);
}

/* False: it cannot be read. */
static bool hash(struct tying *t, struct weight *w)
{
    const struct tn_elements *e = tn_net_value(t->net, w->value).constant;
    struct tn_sha256          sha;
    uint64_t                  count;

    if (w->is_hashed)
        return true;
    if (!tn_shape_count(&e->shape, &count))
        return false;
    tn_sha256_init(&sha);
    w->is_hashed = tn_net_try_read(t->net, e, count, &sha.sink);
    tn_sha256_finish(&sha, w->digest);
    return w->is_hashed;
}

/* Adds a weight to those of its key; where it is in the list. */
static uint32_t add_weight(struct tying *t, uint32_t value, uint32_t key,
                           bool is_known)
{
    struct tn_error *error = t->net->error;
    uint32_t         at    = (uint32_t)t->weights.count;
    struct weight   *w     = tn_list_push(&t->weights, struct weight, error);
    uint32_t        *next  = tn_list_push(&t->next, uint32_t, error);
    uint32_t        *first = NULL;

    if (!is_known)
        first = tn_list_push(&t->first, uint32_t, error);
    if (!w || !next || tn_failed(error))
        return TN_NONE;
    if (is_known)
        first = tn_list_at(&t->first, uint32_t, key);
    *w     = (struct weight){ .value = value };
    *next  = is_known ? *first : TN_NONE;
    *first = at;
    return at;
}

/* An earlier weight that is the same as the last; TN_NONE if there is none. */
static uint32_t find_same(struct tying *t, uint32_t at)
{
    struct weight *mine = tn_list_at(&t->weights, struct weight, at);

    for (uint32_t i = *tn_list_at(&t->next, uint32_t, at); i != TN_NONE;
         i          = *tn_list_at(&t->next, uint32_t, i)) {
        struct weight *other = tn_list_at(&t->weights, struct weight, i);
        if (hash(t, mine) && hash(t, other) &&
            memcmp(mine->digest, other->digest, TN_SHA256_SIZE) == 0)
            return other->value;
    }
    return TN_NONE;
}

static bool tie(struct tying *t, uint32_t id)
{
    const struct tn_net_value value = tn_net_value(t->net, id);
    uint32_t                  known = tn_intern_count(&t->keys);

    if (!value.constant || t->is_output[id] || !say(t, &value))
        return false;
    uint32_t key =
        tn_intern_copy(&t->keys, tn_buffer_bytes(&t->key), t->net->error);
    uint32_t at =
        key == TN_NO_NAME ? TN_NONE : add_weight(t, id, key, key < known);
    uint32_t same = at == TN_NONE ? TN_NONE : find_same(t, at);
    if (same == TN_NONE)
        return false;
    /* The next one need not be compared with both. */
    *tn_list_at(&t->first, uint32_t, key) = *tn_list_at(&t->next, uint32_t, at);
    tn_net_replace(t->net, id, same);
    return true;
}

uint64_t tn_tie_weights(struct tn_net *net)
{
    struct tying t     = { .net = net };
    uint64_t     count = 0;

    tn_arena_init(&t.arena, net->arena->memory);
    tn_intern_init(&t.keys, &t.arena);
    tn_list_init(&t.first, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&t.weights, net->arena->memory, sizeof(struct weight));
    tn_list_init(&t.next, net->arena->memory, sizeof(uint32_t));
    tn_buffer_init(&t.key, net->arena->memory, net->error);
    t.is_output   = tn_net_find_outputs(net, &t.arena);
    uint32_t last = (uint32_t)net->values.count;
    for (uint32_t i = 0; t.is_output && i < last && tn_net_goes_on(net); i++)
        count += tie(&t, i);
    tn_buffer_done(&t.key);
    tn_list_done(&t.next);
    tn_list_done(&t.weights);
    tn_list_done(&t.first);
    tn_intern_done(&t.keys);
    tn_arena_done(&t.arena);
    tn_net_forget_uses(net);
    return count;
}
