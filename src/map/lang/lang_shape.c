/*
 * lang_shape.c - functions over shapes, as lists of dims
 *
 * A dim that is not known is an unknown item, and so is what follows from it.
 */
#include <inttypes.h>

#include "map/lang/lang_builtin.h"

/* The dim of two that are broadcast; of an unknown one and one of 2 or more,
 * the latter.  False if they do not fit. */
static bool shape_broadcast_dim(struct tn_item a, struct tn_item b,
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

/* The shape of two that are broadcast; none after a refusal. */
static struct tn_item shape_broadcast(const struct tn_call *call,
                                      struct tn_item a, struct tn_item b)
{
    uint32_t        rank  = a.count > b.count ? a.count : b.count;
    struct tn_item *items = tn_builtin_new_list(call, rank);

    for (uint32_t i = 0; items && i < rank; i++) {
        struct tn_item one = tn_item_int(1);
        struct tn_item x =
            i < rank - a.count ? one : a.of.items[i - (rank - a.count)];
        struct tn_item y =
            i < rank - b.count ? one : b.of.items[i - (rank - b.count)];
        if (!shape_broadcast_dim(x, y, &items[i]))
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
        shape = shape_broadcast(call, shape, next);
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

/* ---- the dims that an equation of einsum gives -------------------------- */

/*
 *   einsum_dims("ij,jk->ik", [shape(A), shape(B)])
 *
 * Every letter is a dim, "..." are all that have no letter.  Without an arrow
 * the result has what "..." stands for, then the letters that occur once.
 */

/* Dims of the letters of an equation, and of what "..." stands for. */
struct letters {
    struct tn_item dims[256];
    bool           is_in[256];
    uint32_t       uses[256];
    struct tn_item rest; /* a list, or none */
};

static struct tn_item merge_dim(struct tn_item a, struct tn_item b)
{
    struct tn_item out;

    return shape_broadcast_dim(a, b, &out) ? out : a;
}

static uint32_t letter_count(struct tn_bytes term)
{
    uint32_t count = 0;

    for (size_t i = 0; i < term.size; i++)
        count += term.data[i] != ' ' && term.data[i] != '.';
    return count;
}

static bool read_term(const struct tn_call *call, struct letters *letters,
                      struct tn_bytes term, struct tn_item shape)
{
    uint32_t count = letter_count(term), at = 0;

    if (shape.kind != TN_ITEM_LIST || shape.count < count)
        return false;
    for (size_t i = 0; i < term.size; i++) {
        uint8_t c = term.data[i];
        if (c == ' ')
            continue;
        if (c == '.') {
            if (i + 2 >= term.size)
                return false;
            uint32_t       extra = shape.count - count;
            struct tn_item rest  = tn_item_list(shape.of.items + at, extra);
            letters->rest        = letters->rest.kind == TN_ITEM_LIST
                                       ? shape_broadcast(call, letters->rest, rest)
                                       : rest;
            at += extra;
            i += 2;
            continue;
        }
        struct tn_item dim = shape.of.items[at++];
        letters->dims[c] =
            letters->is_in[c] ? merge_dim(letters->dims[c], dim) : dim;
        letters->is_in[c] = true;
        letters->uses[c]++;
    }
    return !tn_eval_stopped(call->eval);
}

static struct tn_item write_term(const struct tn_call *call,
                                 const struct letters *letters,
                                 struct tn_bytes       term)
{
    uint32_t rest =
        letters->rest.kind == TN_ITEM_LIST ? letters->rest.count : 0;
    struct tn_item *items = tn_builtin_new_list(call, term.size + rest);
    uint32_t        count = 0;

    for (size_t i = 0; items && i < term.size; i++) {
        uint8_t c = term.data[i];
        if (c == '.' && i + 2 < term.size) {
            for (uint32_t k = 0; k < rest; k++)
                items[count++] = letters->rest.of.items[k];
            i += 2;
        } else if (c != ' ' && c != '.') {
            items[count++] = letters->dims[c].kind == TN_ITEM_UNSET
                                 ? tn_builtin_unknown(call)
                                 : letters->dims[c];
        }
    }
    return tn_builtin_made(items, count);
}

static struct tn_item implied_term(const struct tn_call *call,
                                   const struct letters *letters)
{
    char   term[300] = "...";
    size_t size      = letters->rest.kind == TN_ITEM_LIST ? 3 : 0;

    for (unsigned c = 0; c < 256; c++)
        if (letters->uses[c] == 1)
            term[size++] = (char)c;
    return write_term(call, letters, tn_bytes(term, size));
}

static size_t arrow_of(struct tn_bytes equation)
{
    for (size_t i = 0; i + 1 < equation.size; i++)
        if (equation.data[i] == '-' && equation.data[i + 1] == '>')
            return i;
    return equation.size;
}

/* einsum_dims() and strided(), of the table of lang_shape.c. */
static struct tn_item run_einsum(const struct tn_call *call)
{
    struct tn_bytes equation;
    struct tn_item  shapes;
    struct letters  letters = { .rest = tn_item_none() };

    if (!tn_builtin_text_arg(call, 0, &equation) ||
        !tn_builtin_list_arg(call, 1, &shapes))
        return tn_item_none();
    size_t arrow = arrow_of(equation), begin = 0;
    for (uint32_t i = 0; i < shapes.count; i++) {
        size_t end = begin;
        while (end < arrow && equation.data[end] != ',')
            end++;
        if (!read_term(call, &letters,
                       tn_bytes(equation.data + begin, end - begin),
                       shapes.of.items[i]))
            return tn_builtin_unknown(call);
        begin = end < arrow ? end + 1 : end;
    }
    if (arrow == equation.size)
        return implied_term(call, &letters);
    return write_term(
        call, &letters,
        tn_bytes(equation.data + arrow + 2, equation.size - arrow - 2));
}

/* ---- slices with masks, as TensorFlow has them -------------------------- */

/*
 *   strided(dims, begin, end, steps, masks)
 *
 * gives dims of the result, then starts, ends and steps of every axis, for
 * sliced().
 */

enum {
    MASK_BEGIN,
    MASK_ELLIPSIS,
    MASK_END,
    MASK_NEW,
    MASK_SHRINK,
    MASK_COUNT,
};

/* The results of strided(): four lists that grow together. */
struct strided {
    struct tn_item *dims, *starts, *ends, *steps;
    uint32_t        out_count, axis;
    int64_t         masks[MASK_COUNT];
    struct tn_item  shape, begin, end, stride;
};

static bool has_bit(const struct strided *s, int mask, uint32_t i)
{
    return s->masks[mask] >> i & 1;
}

/* An axis that is taken as a whole. */
static void whole_axis(struct strided *s)
{
    s->dims[s->out_count++] = s->shape.of.items[s->axis];
    s->starts[s->axis] = s->ends[s->axis] = tn_item_none();
    s->steps[s->axis++]                   = tn_item_int(1);
}

/* One index alone: the axis is gone. */
static void shrunk_axis(const struct tn_call *call, struct strided *s,
                        uint32_t i)
{
    struct tn_item first = s->begin.of.items[i];
    int64_t        at;

    s->starts[s->axis] = first;
    s->ends[s->axis]   = tn_builtin_unknown(call);
    if (tn_item_to_int(first, &at))
        s->ends[s->axis] = at == -1 ? tn_item_none() : tn_item_int(at + 1);
    s->steps[s->axis++] = tn_item_int(1);
}

static struct tn_item range_dim(const struct tn_call *call, struct tn_item dim,
                                struct tn_item start, struct tn_item end,
                                struct tn_item step_item)
{
    int64_t n, a = 0, b = 0, stride;
    bool has_a = start.kind != TN_ITEM_NONE, has_b = end.kind != TN_ITEM_NONE;

    if (!has_a && !has_b && tn_item_to_int(step_item, &stride) && stride == 1)
        return dim;
    if (!tn_item_to_int(dim, &n) || n < 0 ||
        (has_a && !tn_item_to_int(start, &a)) ||
        (has_b && !tn_item_to_int(end, &b)) ||
        !tn_item_to_int(step_item, &stride) || stride == 0)
        return tn_builtin_unknown(call);
    return tn_item_int(
        tn_item_slice(n, has_a ? &a : NULL, has_b ? &b : NULL, stride).count);
}

static void ranged_axis(const struct tn_call *call, struct strided *s,
                        uint32_t i)
{
    uint32_t       at    = s->axis++;
    bool           has_a = !has_bit(s, MASK_BEGIN, i);
    bool           has_b = !has_bit(s, MASK_END, i);
    struct tn_item one   = tn_item_int(1);

    s->starts[at]           = has_a ? s->begin.of.items[i] : tn_item_none();
    s->ends[at]             = has_b ? s->end.of.items[i] : tn_item_none();
    s->steps[at]            = i < s->stride.count ? s->stride.of.items[i] : one;
    s->dims[s->out_count++] = range_dim(
        call, s->shape.of.items[at], s->starts[at], s->ends[at], s->steps[at]);
}

/* Axes that "..." stands for: what the other entries do not take. */
static uint32_t ellipsis_axes(const struct strided *s)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < s->begin.count; i++)
        taken += !has_bit(s, MASK_ELLIPSIS, i) && !has_bit(s, MASK_NEW, i);
    return taken < s->shape.count ? s->shape.count - taken : 0;
}

static void strided_entry(const struct tn_call *call, struct strided *s,
                          uint32_t i)
{
    if (has_bit(s, MASK_ELLIPSIS, i)) {
        for (uint32_t left = ellipsis_axes(s); left; left--)
            if (s->axis < s->shape.count)
                whole_axis(s);
    } else if (has_bit(s, MASK_NEW, i)) {
        s->dims[s->out_count++] = tn_item_int(1);
    } else if (s->axis >= s->shape.count) {
        tn_builtin_refuse(call, "more entries than axes");
    } else if (has_bit(s, MASK_SHRINK, i)) {
        shrunk_axis(call, s, i);
    } else {
        ranged_axis(call, s, i);
    }
}

static bool read_strided(const struct tn_call *call, struct strided *s)
{
    struct tn_item masks = call->args[4];

    s->shape  = call->args[0];
    s->begin  = call->args[1];
    s->end    = call->args[2];
    s->stride = call->args[3];
    if (s->shape.kind != TN_ITEM_LIST || s->begin.kind != TN_ITEM_LIST ||
        s->end.kind != TN_ITEM_LIST || s->stride.kind != TN_ITEM_LIST ||
        masks.kind != TN_ITEM_LIST || masks.count != MASK_COUNT ||
        s->begin.count != s->end.count || s->begin.count > 32)
        return false;
    for (uint32_t i = 0; i < MASK_COUNT; i++)
        if (!tn_item_to_int(masks.of.items[i], &s->masks[i]))
            return false;
    uint64_t room = (uint64_t)s->shape.count + s->begin.count;
    s->dims       = tn_eval_list(call->eval, call->expr, room);
    s->starts     = tn_eval_list(call->eval, call->expr, s->shape.count);
    s->ends       = tn_eval_list(call->eval, call->expr, s->shape.count);
    s->steps      = tn_eval_list(call->eval, call->expr, s->shape.count);
    return s->dims && s->starts && s->ends && s->steps;
}

static struct tn_item run_strided(const struct tn_call *call)
{
    struct strided s = { 0 };

    if (!read_strided(call, &s))
        return tn_builtin_refuse(call,
                                 "expected dims, begin, end, steps and masks");
    for (uint32_t i = 0; i < s.begin.count; i++)
        strided_entry(call, &s, i);
    while (s.axis < s.shape.count)
        whole_axis(&s);
    struct tn_item *lists = tn_eval_list(call->eval, call->expr, 4);
    if (!lists || tn_eval_stopped(call->eval))
        return tn_item_none();
    lists[0] = tn_item_list(s.dims, s.out_count);
    lists[1] = tn_item_list(s.starts, s.shape.count);
    lists[2] = tn_item_list(s.ends, s.shape.count);
    lists[3] = tn_item_list(s.steps, s.shape.count);
    return tn_item_list(lists, 4);
}

const struct tn_builtin tn_builtins_of_shapes[] = {
    { "axes", 2, 2, .run = run_axes, .takes_unknown = true },
    { "broadcast", 1, TN_BUILTIN_MANY, .run = run_broadcast },
    { "broadcast_all", 1, 1, .run = run_broadcast_all },
    { "einsum_dims", 2, 2, .run = run_einsum },
    { "merged", 1, 1, .run = run_merged },
    { "perm_inverse", 1, 1, .run = run_perm_inverse },
    { "reshaped", 2, 3, .run = run_reshaped, .takes_unknown = true },
    { "slice_count", 4, 4, .run = run_slice_count },
    { "strided", 5, 5, .run = run_strided },
    { NULL, 0, 0, .run = NULL },
};
