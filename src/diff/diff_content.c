/*
 * diff_content.c - matches tensors by their content
 *
 * Only tensors that nothing else matched are read, and only if the other side
 * has such a tensor with as many elements:
 *
 *   1. the same type, shape and elements
 *   2. the same type and elements in another order, if a transposition explains
 *      it
 *   3. the same after conversion to the smaller type of the two, or both
 */
#include "diff/diff_match.h"

#include "base/watch.h"
#include "diff/diff_buckets.h"
#include "diff/diff_elements.h"
#include "diff/diff_transpose.h"
#include "ir/element.h"

struct content {
    struct tn_diff_match  *m;
    struct tn_error       *error;
    struct tn_diff_buckets counts[2]; /* free tensors by number of elements   */
    struct tn_diff_buckets buckets;
    enum tn_dtype          target; /* of a conversion                         */
};

static const struct tn_tensor *tensor_at(const struct content *c, int side,
                                         uint64_t i)
{
    const struct tn_diff_match *m = c->m;

    return tn_list_at(&(side ? m->right.model : m->left.model)->tensors,
                      struct tn_tensor, i);
}

static uint64_t tensor_count(const struct content *c, int side)
{
    return side ? c->m->right.tensor_count : c->m->left.tensor_count;
}

static uint64_t count_key(const struct tn_tensor *tensor)
{
    uint64_t count;

    if (!tn_shape_count(&tensor->elements.shape, &count))
        return 0;
    return tn_diff_join(count, 47) | 1;
}

static bool is_free(const struct content *c, int side, uint64_t i)
{
    return c->m->tensors[side][i] == TN_NONE;
}

/* Whether the other side has a free tensor with as many elements. */
static bool has_partner(struct content *c, int side, uint64_t i)
{
    uint64_t key = count_key(tensor_at(c, side, i));

    return key && tn_diff_buckets_first(&c->counts[!side], key,
                                        c->m->tensors[!side]) != TN_NONE;
}

static void join(struct content *c, uint64_t left, uint32_t right)
{
    c->m->tensors[0][left]  = right;
    c->m->tensors[1][right] = (uint32_t)left;
}

/* ---- 1. equal ----------------------------------------------------------- */

static uint64_t digest_key(struct content *c, int side, uint64_t i)
{
    uint8_t digest[32];

    if (c->m->host->digest(c->m->host->context, tensor_at(c, side, i), digest,
                           c->error) != TN_OK)
        return 0;
    return tn_diff_hash(tn_bytes(digest, sizeof digest), 53) | 1;
}

/* ---- 2. in another order, 3. in another type ---------------------------- */

static bool is_number(const struct tn_tensor *tensor)
{
    enum tn_element_kind kind  = tn_element_kind(tensor->elements.shape.dtype);
    uint64_t             count = 0;

    return kind != TN_ELEMENT_NONE && kind != TN_ELEMENT_COMPLEX &&
           tn_shape_count(&tensor->elements.shape, &count) && count > 1;
}

static uint64_t sum_key(struct content *c, int side, uint64_t i,
                        enum tn_dtype dtype)
{
    const struct tn_tensor *tensor = tensor_at(c, side, i);
    uint64_t                sum    = 0;

    if (tn_watch_poll(c->m->memory, c->error) != TN_OK ||
        tn_diff_element_sum(&tensor->elements, dtype, c->m->memory, &sum,
                            c->error) != TN_OK)
        return 0;
    return tn_diff_join(tn_diff_join(count_key(tensor), dtype), sum) | 1;
}

static uint64_t order_key(struct content *c, int side, uint64_t i)
{
    const struct tn_tensor *tensor = tensor_at(c, side, i);

    return is_number(tensor) ? sum_key(c, side, i, tensor->elements.shape.dtype)
                             : 0;
}

/* Left tensors of another type, and right ones of the target. */
static uint64_t narrowed_key(struct content *c, int side, uint64_t i)
{
    const struct tn_tensor *tensor = tensor_at(c, side, i);
    enum tn_dtype           dtype  = tensor->elements.shape.dtype;

    if (!is_number(tensor) || (dtype == c->target) != (side == 1) ||
        tn_dtype_bits(dtype) < tn_dtype_bits(c->target))
        return 0;
    return sum_key(c, side, i, c->target);
}

/* The other way round. */
static uint64_t widened_key(struct content *c, int side, uint64_t i)
{
    const struct tn_tensor *tensor = tensor_at(c, side, i);
    enum tn_dtype           dtype  = tensor->elements.shape.dtype;

    if (!is_number(tensor) || (dtype == c->target) != (side == 0) ||
        tn_dtype_bits(dtype) < tn_dtype_bits(c->target))
        return 0;
    return sum_key(c, side, i, c->target);
}

static void match_by(struct content *c,
                     uint64_t (*key)(struct content *c, int side, uint64_t i),
                     bool is_certain)
{
    tn_diff_buckets_clear(&c->buckets);
    for (uint64_t i = tensor_count(c, 1); i-- > 0 && !tn_failed(c->error);) {
        uint64_t k =
            is_free(c, 1, i) && has_partner(c, 1, i) ? key(c, 1, i) : 0;
        if (k)
            tn_diff_buckets_add(&c->buckets, k, (uint32_t)i);
    }
    if (c->buckets.link_count == 0)
        return;
    for (uint64_t i = 0; i < tensor_count(c, 0) && !tn_failed(c->error); i++) {
        uint64_t k =
            is_free(c, 0, i) && has_partner(c, 0, i) ? key(c, 0, i) : 0;
        uint32_t right =
            k ? tn_diff_buckets_first(&c->buckets, k, c->m->tensors[1])
              : TN_NONE;
        uint32_t axes[TN_DIFF_AXES];
        if (right != TN_NONE &&
            (is_certain || tn_diff_transposed(&tensor_at(c, 0, i)->elements,
                                              &tensor_at(c, 1, right)->elements,
                                              c->m->memory, axes, c->error)))
            join(c, i, right);
    }
}

/* Types that the free tensors of a side have. */
static void note_types(const struct content *c, int side,
                       bool has[TN_DTYPE_COUNT])
{
    for (uint64_t i = 0; i < tensor_count(c, side); i++) {
        enum tn_dtype dtype = tensor_at(c, side, i)->elements.shape.dtype;
        if (is_free(c, side, i) && dtype < TN_DTYPE_COUNT)
            has[dtype] = true;
    }
}

static void match_types(struct content *c)
{
    bool has[2][TN_DTYPE_COUNT] = { { false } };

    note_types(c, 0, has[0]);
    note_types(c, 1, has[1]);
    for (int type = 0; type < TN_DTYPE_COUNT && !tn_failed(c->error); type++) {
        c->target = (enum tn_dtype)type;
        if (has[1][type])
            match_by(c, narrowed_key, false);
        if (has[0][type] && !tn_failed(c->error))
            match_by(c, widened_key, false);
    }
}

enum tn_status tn_diff_match_contents(struct tn_diff_match *m,
                                      struct tn_error      *error)
{
    struct content c = { .m = m, .error = error };

    for (int side = 0; side < 2; side++) {
        tn_diff_buckets_init(&c.counts[side], m->memory, tensor_count(&c, side),
                             error);
        for (uint64_t i = tensor_count(&c, side);
             !tn_failed(error) && i-- > 0;) {
            uint64_t key =
                is_free(&c, side, i) ? count_key(tensor_at(&c, side, i)) : 0;
            if (key)
                tn_diff_buckets_add(&c.counts[side], key, (uint32_t)i);
        }
    }
    if (!tn_failed(error) && c.counts[0].link_count && c.counts[1].link_count &&
        tn_diff_buckets_init(&c.buckets, m->memory, tensor_count(&c, 1),
                             error) == TN_OK) {
        match_by(&c, digest_key, true);
        if (!tn_failed(error))
            match_by(&c, order_key, false);
        if (!tn_failed(error))
            match_types(&c);
    }
    tn_diff_buckets_done(&c.buckets);
    tn_diff_buckets_done(&c.counts[0]);
    tn_diff_buckets_done(&c.counts[1]);
    return error->status;
}
