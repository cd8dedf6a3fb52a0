/*
 * lang_element.c - functions over elements: moved around
 *
 *   gathered(xs, dims, indices, axis)      slices along an axis
 *   sliced(xs, dims, starts, ends, steps)  of every axis
 *   joined(xss, dimss, axis)               one after the other along an axis
 *   transposed(xs, dims, perm)
 *   expanded(xs, dims, to)                 repeated to other dims
 */
#include "map/lang/lang_element.h"

struct tn_item *tn_dims_new_items(const struct tn_call *call, uint64_t count)
{
    if (count > TN_FOLD_MAX) {
        tn_builtin_refuse(call, "too many elements");
        return NULL;
    }
    return tn_eval_list(call->eval, call->expr, count);
}

bool tn_dims_set_strides(struct tn_dims *dims)
{
    uint64_t count = 1;

    for (uint32_t i = dims->rank; i-- > 0;) {
        dims->strides[i] = (int64_t)count;
        count *= (uint64_t)dims->at[i];
        if (count > TN_FOLD_MAX)
            return false;
    }
    dims->count = count;
    return true;
}

bool tn_dims_read(struct tn_item list, struct tn_dims *dims)
{
    dims->rank = list.count;
    if (list.kind != TN_ITEM_LIST || list.count > TN_DIMS_RANK_MAX)
        return false;
    for (uint32_t i = 0; i < list.count; i++)
        if (!tn_item_to_int(list.of.items[i], &dims->at[i]) ||
            dims->at[i] < 0 || dims->at[i] > TN_FOLD_MAX)
            return false;
    return tn_dims_set_strides(dims);
}

bool tn_dims_read_array(const struct tn_call *call, uint32_t index,
                        struct tn_dims *dims, struct tn_item *out)
{
    struct tn_item xs = call->args[index];

    *out = tn_builtin_unknown(call);
    if (!tn_dims_read(call->args[index + 1], dims))
        return false;
    if (xs.kind == TN_ITEM_LIST && xs.count == dims->count)
        return true;
    *out = tn_builtin_refuse(call, "elements that do not fill the dims");
    return false;
}

bool tn_dims_axis(struct tn_item item, uint32_t rank, uint32_t *axis)
{
    int64_t at;

    if (!tn_item_to_int(item, &at) || at < -(int64_t)rank || at >= rank)
        return false;
    *axis = (uint32_t)(at < 0 ? at + rank : at);
    return true;
}

/* Walks `out` in C order; elements come from `first` on by `strides`. */
static struct tn_item picked(const struct tn_call *call, struct tn_item xs,
                             struct tn_dims *out, int64_t first,
                             const int64_t *strides)
{
    int64_t         index[TN_DIMS_RANK_MAX] = { 0 };
    struct tn_item *items;

    if (!tn_dims_set_strides(out))
        return tn_builtin_unknown(call);
    items = tn_dims_new_items(call, out->count);
    for (uint64_t i = 0; items && i < out->count; i++) {
        items[i] =
            xs.of.items[first + tn_dims_offset(out->rank, index, strides)];
        tn_dims_step(out->rank, out->at, index);
    }
    return tn_builtin_made(items, out->count);
}

/* ---- moving ------------------------------------------------------------- */

static struct tn_item run_transposed(const struct tn_call *call)
{
    struct tn_dims dims, out;
    struct tn_item answer, perm = call->args[2];
    int64_t        strides[TN_DIMS_RANK_MAX];

    if (!tn_dims_read_array(call, 0, &dims, &answer))
        return answer;
    if (perm.kind != TN_ITEM_LIST || perm.count != dims.rank)
        return tn_builtin_refuse(call, "a permutation of another rank");
    out.rank = dims.rank;
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t axis;
        if (!tn_dims_axis(perm.of.items[i], dims.rank, &axis))
            return tn_builtin_refuse(call, "this is not a permutation");
        out.at[i]  = dims.at[axis];
        strides[i] = dims.strides[axis];
    }
    return picked(call, call->args[0], &out, 0, strides);
}

static struct tn_item run_expanded(const struct tn_call *call)
{
    struct tn_dims dims, out;
    struct tn_item answer;
    int64_t        strides[TN_DIMS_RANK_MAX] = { 0 };

    if (!tn_dims_read_array(call, 0, &dims, &answer))
        return answer;
    if (!tn_dims_read(call->args[2], &out))
        return tn_builtin_unknown(call);
    if (out.rank < dims.rank)
        return tn_builtin_refuse(call, "the shapes do not fit");
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t to = i + out.rank - dims.rank;
        strides[to] = dims.at[i] == 1 ? 0 : dims.strides[i];
        if (dims.at[i] != 1 && dims.at[i] != out.at[to])
            return tn_builtin_refuse(call, "the shapes do not fit");
    }
    return picked(call, call->args[0], &out, 0, strides);
}

/* An item of a list of bounds; `fallback` where the list ends or is none. */
static bool bound_of(struct tn_item list, uint32_t i, int64_t *bound, bool *has)
{
    *has = false;
    if (list.kind != TN_ITEM_LIST || i >= list.count ||
        list.of.items[i].kind == TN_ITEM_NONE)
        return true;
    *has = true;
    return tn_item_to_int(list.of.items[i], bound);
}

static struct tn_item run_sliced(const struct tn_call *call)
{
    struct tn_dims dims, out;
    struct tn_item answer;
    int64_t        strides[TN_DIMS_RANK_MAX], first = 0;

    if (!tn_dims_read_array(call, 0, &dims, &answer))
        return answer;
    out.rank = dims.rank;
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t bounds[3] = { 0, 0, 1 };
        bool    has[3];
        for (uint32_t k = 0; k < 3; k++)
            if (!bound_of(call->args[2 + k], i, &bounds[k], &has[k]))
                return tn_builtin_unknown(call);
        if (bounds[2] == 0)
            return tn_builtin_refuse(call, "a slice of step 0");
        struct tn_item_range range =
            tn_item_slice(dims.at[i], has[0] ? &bounds[0] : NULL,
                          has[1] ? &bounds[1] : NULL, bounds[2]);
        out.at[i]  = range.count;
        strides[i] = range.count > 1 ? range.step * dims.strides[i] : 0;
        first += range.count ? range.first * dims.strides[i] : 0;
    }
    return picked(call, call->args[0], &out, first, strides);
}

/* ---- blocks ------------------------------------------------------------- */

/* Blocks of `inner` elements, `outer` times. */
struct blocks {
    uint64_t outer, inner;
};

static struct blocks blocks_of(const struct tn_dims *dims, uint32_t axis)
{
    struct blocks blocks = { 1, 1 };

    for (uint32_t i = 0; i < dims->rank; i++)
        if (i < axis)
            blocks.outer *= (uint64_t)dims->at[i];
        else if (i > axis)
            blocks.inner *= (uint64_t)dims->at[i];
    return blocks;
}

static struct tn_item run_gathered(const struct tn_call *call)
{
    struct tn_dims dims;
    struct tn_item answer, xs = call->args[0], at = call->args[2];
    uint32_t       axis;

    if (!tn_dims_read_array(call, 0, &dims, &answer))
        return answer;
    if (at.kind != TN_ITEM_LIST ||
        !tn_dims_axis(call->args[3], dims.rank, &axis))
        return tn_builtin_refuse(call, "expected indices and an axis");
    struct blocks   b     = blocks_of(&dims, axis);
    uint64_t        count = b.outer * b.inner * at.count;
    struct tn_item *items = tn_dims_new_items(call, count), *to = items;
    for (uint64_t o = 0; items && o < b.outer; o++)
        for (uint32_t i = 0; i < at.count; i++) {
            int64_t index, width = dims.at[axis];
            bool    is_known = tn_item_to_int(at.of.items[i], &index);
            if (is_known && (index < -width || index >= width))
                return tn_builtin_refuse(call, "an index out of bounds");
            index = !is_known ? 0 : index < 0 ? index + width : index;
            for (uint64_t k = 0; k < b.inner; k++)
                *to++ =
                    is_known
                        ? xs.of.items[(o * (uint64_t)width + (uint64_t)index) *
                                          b.inner +
                                      k]
                        : tn_builtin_unknown(call);
        }
    return tn_builtin_made(items, count);
}

/* How much of each list comes at a time; false: they do not fit. */
static bool piece_sizes(const struct tn_call *call, uint32_t axis,
                        uint64_t *sizes, uint64_t *outer)
{
    struct tn_item xss = call->args[0], dimss = call->args[1];

    for (uint32_t i = 0; i < xss.count; i++) {
        struct tn_dims dims;
        if (!tn_dims_read(dimss.of.items[i], &dims) || axis >= dims.rank ||
            xss.of.items[i].kind != TN_ITEM_LIST ||
            xss.of.items[i].count != dims.count)
            return false;
        struct blocks b = blocks_of(&dims, axis);
        if (i && b.outer != *outer)
            return false;
        *outer   = b.outer;
        sizes[i] = b.inner * (uint64_t)dims.at[axis];
    }
    return true;
}

static struct tn_item join_pieces(const struct tn_call *call,
                                  const uint64_t *sizes, uint64_t outer)
{
    struct tn_item xss   = call->args[0];
    uint64_t       count = 0;

    for (uint32_t i = 0; i < xss.count; i++) {
        count += sizes[i] * outer;
        if (count > TN_FOLD_MAX)
            return tn_builtin_unknown(call);
    }
    struct tn_item *items = tn_dims_new_items(call, count), *to = items;
    for (uint64_t o = 0; items && o < outer; o++)
        for (uint32_t i = 0; i < xss.count; i++)
            for (uint64_t k = 0; k < sizes[i]; k++)
                *to++ = xss.of.items[i].of.items[o * sizes[i] + k];
    return tn_builtin_made(items, count);
}

static struct tn_item run_joined(const struct tn_call *call)
{
    struct tn_item xss = call->args[0], dimss = call->args[1];
    uint64_t       outer = 0;
    int64_t        axis;

    if (xss.kind != TN_ITEM_LIST || dimss.kind != TN_ITEM_LIST ||
        xss.count != dimss.count || !tn_item_to_int(call->args[2], &axis))
        return tn_builtin_refuse(call,
                                 "expected lists, their dims and an axis");
    uint64_t *sizes =
        tn_new(call->eval->scratch, uint64_t, xss.count, call->eval->error);
    if (!sizes || !tn_eval_steps(call->eval, call->expr, xss.count))
        return tn_item_none();
    if (axis < 0 && xss.count && dimss.of.items[0].kind == TN_ITEM_LIST)
        axis += dimss.of.items[0].count;
    if (axis < 0 || axis >= TN_DIMS_RANK_MAX ||
        !piece_sizes(call, (uint32_t)axis, sizes, &outer))
        return tn_builtin_unknown(call);
    return join_pieces(call, sizes, outer);
}

const struct tn_builtin tn_builtins_of_elements[] = {
    { "expanded", 3, 3, .run = run_expanded },
    { "gathered", 4, 4, .run = run_gathered },
    { "joined", 3, 3, .run = run_joined },
    { "sliced", 5, 5, .run = run_sliced },
    { "transposed", 3, 3, .run = run_transposed },
    { NULL, 0, 0, .run = NULL },
};
