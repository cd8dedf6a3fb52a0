/*
 * lang_shape.c - functions over shapes, as lists of dims
 *
 * A dim that is not known is an unknown item, and so is what follows from it.
 */
#include <inttypes.h>

#include "map/lang/lang_shape.h"

bool tn_shape_broadcast_dim(struct tn_item a, struct tn_item b,
                            struct tn_item *out)
{
    bool has_a = a.kind == TN_ITEM_INT, has_b = b.kind == TN_ITEM_INT;

    if (has_a && a.of.number == 1)
        *out = b;
    else if (has_b && b.of.number == 1)
        *out = a;
    else if (has_a)
        *out = a;
    else
        *out = b;
    return !has_a || !has_b || a.of.number == 1 || b.of.number == 1 ||
           a.of.number == b.of.number;
}

struct tn_item tn_shape_broadcast(const struct tn_call *call, struct tn_item a,
                                  struct tn_item b)
{
    uint32_t        rank  = a.count > b.count ? a.count : b.count;
    struct tn_item *items = tn_builtin_new_list(call, rank);

    for (uint32_t i = 0; items && i < rank; i++) {
        struct tn_item one = tn_item_int(1);
        struct tn_item x =
            i < rank - a.count ? one : a.of.items[i - (rank - a.count)];
        struct tn_item y =
            i < rank - b.count ? one : b.of.items[i - (rank - b.count)];
        if (!tn_shape_broadcast_dim(x, y, &items[i]))
            return tn_builtin_refuse(call, "the shapes do not fit");
    }
    return tn_builtin_made(items, rank);
}

static struct tn_item run_broadcast(const struct tn_call *call)
{
    struct tn_item shape, next;

    if (!tn_builtin_list_arg(call, 0, &shape))
        return tn_item_none();
    for (uint32_t i = 1; i < call->count; i++) {
        if (!tn_builtin_list_arg(call, i, &next))
            return tn_item_none();
        shape = tn_shape_broadcast(call, shape, next);
        if (tn_eval_stopped(call->eval))
            return tn_item_none();
    }
    return shape;
}

/* The same of a list of shapes. */
static struct tn_item run_broadcast_all(const struct tn_call *call)
{
    struct tn_item shapes;

    if (!tn_builtin_known_list_arg(call, 0, &shapes))
        return shapes;
    if (!tn_eval_steps(call->eval, call->expr, shapes.count))
        return tn_item_none();
    if (!shapes.count)
        return tn_item_list(NULL, 0);
    struct tn_call inner = *call;
    inner.args           = shapes.of.items;
    inner.count          = shapes.count;
    return run_broadcast(&inner);
}

static struct tn_item axis_of(const struct tn_call *call, struct tn_item axis,
                              struct tn_item rank)
{
    int64_t at, count;

    if (axis.kind == TN_ITEM_UNKNOWN)
        return axis;
    if (!tn_item_to_int(axis, &at))
        return tn_builtin_refuse(call, "axes are ints");
    if (rank.kind == TN_ITEM_UNKNOWN)
        return at < 0 ? rank : axis;
    if (!tn_item_to_int(rank, &count))
        return tn_builtin_refuse(call, "the rank is an int");
    if (at < -count || at >= count)
        return tn_eval_refuse(call->eval, call->expr,
                              "axis %" PRId64 " of rank %" PRId64, at, count);
    return tn_item_int(at < 0 ? at + count : at);
}

static struct tn_item run_axes(const struct tn_call *call)
{
    struct tn_item xs;

    if (call->args[0].kind == TN_ITEM_UNKNOWN)
        return call->args[0];
    if (call->args[0].kind != TN_ITEM_LIST)
        return axis_of(call, call->args[0], call->args[1]);
    if (!tn_builtin_list_arg(call, 0, &xs))
        return tn_item_none();
    struct tn_item *items = tn_builtin_new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++)
        items[i] = axis_of(call, xs.of.items[i], call->args[1]);
    return tn_builtin_made(items, xs.count);
}

static struct tn_item run_perm_inverse(const struct tn_call *call)
{
    struct tn_item xs;

    if (!tn_builtin_known_list_arg(call, 0, &xs))
        return xs;
    struct tn_item *items = tn_builtin_new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++) {
        int64_t at;
        if (!tn_item_to_int(xs.of.items[i], &at) || at < 0 || at >= xs.count ||
            items[at].kind != TN_ITEM_UNSET)
            return tn_builtin_refuse(call, "this is not a permutation");
        items[at] = tn_item_int(i);
    }
    return tn_builtin_made(items, xs.count);
}

/* Product of what is known, and how many dims are not. */
static bool known_product(struct tn_item dims, uint32_t skip, int64_t *product)
{
    *product = 1;
    for (uint32_t i = 0; i < dims.count; i++) {
        int64_t n;
        if (i == skip)
            continue;
        if (!tn_item_to_int(dims.of.items[i], &n) ||
            __builtin_mul_overflow(*product, n, product))
            return false;
    }
    return true;
}

/* What stands for -1: the rest of the elements. */
static struct tn_item rest_dim(const struct tn_call *call, struct tn_item shape,
                               struct tn_item dims, uint32_t at)
{
    int64_t all, others;

    if (shape.kind != TN_ITEM_LIST || !known_product(shape, TN_NONE, &all) ||
        !known_product(dims, at, &others))
        return tn_builtin_unknown(call);
    if (others == 0)
        return tn_item_int(0);
    if (all % others)
        return tn_builtin_refuse(call, "the elements do not fit that shape");
    return tn_item_int(all / others);
}

static struct tn_item zero_dim(const struct tn_call *call, struct tn_item shape,
                               uint32_t at)
{
    if (shape.kind != TN_ITEM_LIST)
        return tn_builtin_unknown(call);
    return at < shape.count ? shape.of.items[at] : tn_item_int(0);
}

/* reshaped(shape, dims, zero_copies): dims with -1, and 0 if it means "as it
 * was", replaced. */
static struct tn_item run_reshaped(const struct tn_call *call)
{
    struct tn_item shape  = call->args[0], xs;
    int64_t        copies = 0, n;
    uint32_t       rest   = TN_NONE;

    if (call->args[1].kind == TN_ITEM_UNKNOWN)
        return call->args[1];
    if (!tn_builtin_list_arg(call, 1, &xs) ||
        (call->count > 2 && !tn_builtin_int_arg(call, 2, &copies)))
        return tn_item_none();
    struct tn_item *items = tn_builtin_new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++) {
        items[i] = xs.of.items[i];
        if (!tn_item_to_int(items[i], &n))
            continue;
        if (n == -1)
            rest = i;
        else if (n == 0 && copies)
            items[i] = zero_dim(call, shape, i);
    }
    if (items && rest != TN_NONE)
        items[rest] =
            rest_dim(call, shape, tn_item_list(items, xs.count), rest);
    return tn_builtin_made(items, xs.count);
}

/* What all shapes of a list have in common. */
static struct tn_item run_merged(const struct tn_call *call)
{
    struct tn_item shapes;

    if (!tn_builtin_list_arg(call, 0, &shapes))
        return tn_item_none();
    if (!shapes.count || shapes.of.items[0].kind != TN_ITEM_LIST)
        return tn_builtin_unknown(call);
    uint32_t        rank = shapes.of.items[0].count;
    struct tn_item *dims = tn_builtin_new_list(call, rank);
    if (!tn_eval_steps(call->eval, call->expr,
                       (uint64_t)shapes.count * (rank + 1)))
        return tn_item_none();
    for (uint32_t i = 0; dims && i < rank; i++)
        dims[i] = shapes.of.items[0].of.items[i];
    for (uint32_t k = 1; dims && k < shapes.count; k++) {
        struct tn_item next = shapes.of.items[k];
        if (next.kind != TN_ITEM_LIST || next.count != rank)
            return tn_builtin_unknown(call);
        for (uint32_t i = 0; i < rank; i++)
            if (tn_eval_equal(call->eval, call->expr, dims[i],
                              next.of.items[i]) <= 0)
                dims[i] = tn_builtin_unknown(call);
    }
    return tn_builtin_made(dims, rank);
}

/* slice_count(n, begin, end, step): how many of n a slice takes. */
static struct tn_item run_slice_count(const struct tn_call *call)
{
    int64_t at[4] = { 0, 0, 0, 1 };
    bool    has[4];

    for (uint32_t i = 0; i < 4; i++) {
        has[i] = call->args[i].kind != TN_ITEM_NONE;
        if (has[i] && !tn_builtin_int_arg(call, i, &at[i]))
            return tn_item_none();
    }
    if (at[0] < 0 || at[3] == 0)
        return tn_builtin_refuse(call, "expected a count and a step");
    return tn_item_int(tn_item_slice(at[0], has[1] ? &at[1] : NULL,
                                     has[2] ? &at[2] : NULL, at[3])
                           .count);
}

const struct tn_builtin tn_builtins_of_shapes[] = {
    { "axes", 2, 2, .run = run_axes, .takes_unknown = true },
    { "broadcast", 1, TN_BUILTIN_MANY, .run = run_broadcast },
    { "broadcast_all", 1, 1, .run = run_broadcast_all },
    { "einsum_dims", 2, 2, .run = tn_shape_einsum },
    { "merged", 1, 1, .run = run_merged },
    { "perm_inverse", 1, 1, .run = run_perm_inverse },
    { "reshaped", 2, 3, .run = run_reshaped, .takes_unknown = true },
    { "slice_count", 4, 4, .run = run_slice_count },
    { "strided", 5, 5, .run = tn_shape_strided },
    { NULL, 0, 0, .run = NULL },
};
