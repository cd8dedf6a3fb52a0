/*
 * lang_element.c - functions over elements: arithmetic of shapes
 *
 * Elements are a flat list in C order with dims beside it; the list may have
 * unknown items, which move along with the others.  calc() takes values and
 * computes as kernels do: with broadcasting, in the type of the value.
 *
 *   calc("add", A, B)                    element by element
 *   cast(xs, dtype)                      into another type
 *   gathered(xs, dims, indices, axis)    slices along an axis
 *   sliced(xs, dims, starts, ends, steps)  of every axis
 *   joined(xss, dimss, axis)             one after the other along an axis
 *   transposed(xs, dims, perm)
 *   expanded(xs, dims, to)               repeated to other dims
 *   reduced("add", xs, dims, axes)
 *   strided(dims, begin, end, steps, masks)  what TensorFlow's masks mean: dims
 *                                        of the result, then starts, ends and
 *                                        steps of every axis, for sliced()
 */
#include <math.h>

#include "ir/element.h"
#include "map/infer.h"
#include "map/lang_builtin.h"

#define RANK_MAX 16

static struct tn_item refuse(const struct tn_call *call, const char *why)
{
    return tn_eval_refuse(call->eval, call->expr, "%.*s: %s",
                          TN_FMT(call->expr->text), why);
}

static struct tn_item unknown(const struct tn_call *call)
{
    return tn_item_unknown(call->expr);
}

/* Room for elements; NULL also when there are more than are folded. */
static struct tn_item *new_items(const struct tn_call *call, uint64_t count)
{
    if (count > TN_FOLD_MAX) {
        refuse(call, "too many elements");
        return NULL;
    }
    return tn_eval_list(call->eval, call->expr, count);
}

static struct tn_item made(const struct tn_item *items, uint64_t count)
{
    return items ? tn_item_list(items, (uint32_t)count) : tn_item_none();
}

/* ---- dims --------------------------------------------------------------- */

struct dims {
    int64_t  at[RANK_MAX];
    int64_t  strides[RANK_MAX]; /* in elements */
    uint32_t rank;
    uint64_t count; /* of elements */
};

static bool set_strides(struct dims *dims)
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

/* False: not all known, or too many. */
static bool read_dims(struct tn_item list, struct dims *dims)
{
    dims->rank = list.count;
    if (list.kind != TN_ITEM_LIST || list.count > RANK_MAX)
        return false;
    for (uint32_t i = 0; i < list.count; i++)
        if (!tn_item_to_int(list.of.items[i], &dims->at[i]) ||
            dims->at[i] < 0 || dims->at[i] > TN_FOLD_MAX)
            return false;
    return set_strides(dims);
}

/* Elements and their dims, as two arguments; false: the answer is *out. */
static bool read_array(const struct tn_call *call, uint32_t index,
                       struct dims *dims, struct tn_item *out)
{
    struct tn_item xs = call->args[index];

    *out = unknown(call);
    if (!read_dims(call->args[index + 1], dims))
        return false;
    if (xs.kind == TN_ITEM_LIST && xs.count == dims->count)
        return true;
    *out = refuse(call, "elements that do not fill the dims");
    return false;
}

/* The next index in C order. */
static void step(uint32_t rank, const int64_t *dims, int64_t *index)
{
    for (uint32_t i = rank; i-- > 0;) {
        if (++index[i] < dims[i])
            return;
        index[i] = 0;
    }
}

static int64_t offset_of(uint32_t rank, const int64_t *index,
                         const int64_t *strides)
{
    int64_t offset = 0;

    for (uint32_t i = 0; i < rank; i++)
        offset += index[i] * strides[i];
    return offset;
}

static bool axis_arg(struct tn_item item, uint32_t rank, uint32_t *axis)
{
    int64_t at;

    if (!tn_item_to_int(item, &at) || at < -(int64_t)rank || at >= rank)
        return false;
    *axis = (uint32_t)(at < 0 ? at + rank : at);
    return true;
}

/* Walks `out` in C order; elements come from `first` on by `strides`. */
static struct tn_item picked(const struct tn_call *call, struct tn_item xs,
                             struct dims *out, int64_t first,
                             const int64_t *strides)
{
    int64_t         index[RANK_MAX] = { 0 };
    struct tn_item *items;

    if (!set_strides(out))
        return unknown(call);
    items = new_items(call, out->count);
    for (uint64_t i = 0; items && i < out->count; i++) {
        items[i] = xs.of.items[first + offset_of(out->rank, index, strides)];
        step(out->rank, out->at, index);
    }
    return made(items, out->count);
}

/* ---- moving ------------------------------------------------------------- */

static struct tn_item run_transposed(const struct tn_call *call)
{
    struct dims    dims, out;
    struct tn_item answer, perm = call->args[2];
    int64_t        strides[RANK_MAX];

    if (!read_array(call, 0, &dims, &answer))
        return answer;
    if (perm.kind != TN_ITEM_LIST || perm.count != dims.rank)
        return refuse(call, "a permutation of another rank");
    out.rank = dims.rank;
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t axis;
        if (!axis_arg(perm.of.items[i], dims.rank, &axis))
            return refuse(call, "that is no permutation");
        out.at[i]  = dims.at[axis];
        strides[i] = dims.strides[axis];
    }
    return picked(call, call->args[0], &out, 0, strides);
}

static struct tn_item run_expanded(const struct tn_call *call)
{
    struct dims    dims, out;
    struct tn_item answer;
    int64_t        strides[RANK_MAX] = { 0 };

    if (!read_array(call, 0, &dims, &answer))
        return answer;
    if (!read_dims(call->args[2], &out))
        return unknown(call);
    if (out.rank < dims.rank)
        return refuse(call, "the shapes do not fit");
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t to = i + out.rank - dims.rank;
        strides[to] = dims.at[i] == 1 ? 0 : dims.strides[i];
        if (dims.at[i] != 1 && dims.at[i] != out.at[to])
            return refuse(call, "the shapes do not fit");
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
    struct dims    dims, out;
    struct tn_item answer;
    int64_t        strides[RANK_MAX], first = 0;

    if (!read_array(call, 0, &dims, &answer))
        return answer;
    out.rank = dims.rank;
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t bounds[3] = { 0, 0, 1 };
        bool    has[3];
        for (uint32_t k = 0; k < 3; k++)
            if (!bound_of(call->args[2 + k], i, &bounds[k], &has[k]))
                return unknown(call);
        if (bounds[2] == 0)
            return refuse(call, "a slice of step 0");
        struct tn_item_range range =
            tn_item_slice(dims.at[i], has[0] ? &bounds[0] : NULL,
                          has[1] ? &bounds[1] : NULL, bounds[2]);
        out.at[i]  = range.count;
        strides[i] = range.count > 1 ? range.step * dims.strides[i] : 0;
        first += range.count ? range.first * dims.strides[i] : 0;
    }
    return picked(call, call->args[0], &out, first, strides);
}

/* ---- slices with masks -------------------------------------------------- */

enum {
    MASK_BEGIN,
    MASK_ELLIPSIS,
    MASK_END,
    MASK_NEW,
    MASK_SHRINK,
    MASK_COUNT,
};

/* What comes of strided(): four lists that grow together. */
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
    s->ends[s->axis]   = unknown(call);
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
        return unknown(call);
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
        refuse(call, "more entries than axes");
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
        return refuse(call, "dims, begin, end, steps and masks are wanted");
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

/* ---- blocks ------------------------------------------------------------- */

/* Blocks of `inner` elements, `outer` times. */
struct blocks {
    uint64_t outer, inner;
};

static struct blocks blocks_of(const struct dims *dims, uint32_t axis)
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
    struct dims    dims;
    struct tn_item answer, xs = call->args[0], at = call->args[2];
    uint32_t       axis;

    if (!read_array(call, 0, &dims, &answer))
        return answer;
    if (at.kind != TN_ITEM_LIST || !axis_arg(call->args[3], dims.rank, &axis))
        return refuse(call, "indices and an axis are wanted");
    struct blocks   b     = blocks_of(&dims, axis);
    uint64_t        count = b.outer * b.inner * at.count;
    struct tn_item *items = new_items(call, count), *to = items;
    for (uint64_t o = 0; items && o < b.outer; o++)
        for (uint32_t i = 0; i < at.count; i++) {
            int64_t index, width = dims.at[axis];
            bool    is_known = tn_item_to_int(at.of.items[i], &index);
            if (is_known && (index < -width || index >= width))
                return refuse(call, "an index out of bounds");
            index = !is_known ? 0 : index < 0 ? index + width : index;
            for (uint64_t k = 0; k < b.inner; k++)
                *to++ =
                    is_known
                        ? xs.of.items[(o * (uint64_t)width + (uint64_t)index) *
                                          b.inner +
                                      k]
                        : unknown(call);
        }
    return made(items, count);
}

/* How much of each list comes at a time; false: they do not fit. */
static bool piece_sizes(const struct tn_call *call, uint32_t axis,
                        uint64_t *sizes, uint64_t *outer)
{
    struct tn_item xss = call->args[0], dimss = call->args[1];

    for (uint32_t i = 0; i < xss.count; i++) {
        struct dims dims;
        if (!read_dims(dimss.of.items[i], &dims) || axis >= dims.rank ||
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
            return unknown(call);
    }
    struct tn_item *items = new_items(call, count), *to = items;
    for (uint64_t o = 0; items && o < outer; o++)
        for (uint32_t i = 0; i < xss.count; i++)
            for (uint64_t k = 0; k < sizes[i]; k++)
                *to++ = xss.of.items[i].of.items[o * sizes[i] + k];
    return made(items, count);
}

static struct tn_item run_joined(const struct tn_call *call)
{
    struct tn_item xss = call->args[0], dimss = call->args[1];
    uint64_t       outer = 0;
    int64_t        axis;

    if (xss.kind != TN_ITEM_LIST || dimss.kind != TN_ITEM_LIST ||
        xss.count != dimss.count || !tn_item_to_int(call->args[2], &axis))
        return refuse(call, "lists, their dims and an axis are wanted");
    uint64_t *sizes =
        tn_new(call->eval->scratch, uint64_t, xss.count, call->eval->error);
    if (!sizes || !tn_eval_steps(call->eval, call->expr, xss.count))
        return tn_item_none();
    if (axis < 0 && xss.count && dimss.of.items[0].kind == TN_ITEM_LIST)
        axis += dimss.of.items[0].count;
    if (axis < 0 || axis >= RANK_MAX ||
        !piece_sizes(call, (uint32_t)axis, sizes, &outer))
        return unknown(call);
    return join_pieces(call, sizes, outer);
}

/* ---- types -------------------------------------------------------------- */

static bool is_real(enum tn_dtype dtype)
{
    return dtype >= TN_FLOAT32 && dtype <= TN_FLOAT4E2M1;
}

/* As an element of that type would have it. */
static struct tn_item as_type(const struct tn_call *call, struct tn_item x,
                              enum tn_dtype dtype)
{
    uint8_t element[TN_ELEMENT_MAX];

    if (!tn_dtype_size(dtype) ||
        (x.kind != TN_ITEM_INT && x.kind != TN_ITEM_BOOL &&
         x.kind != TN_ITEM_FLOAT))
        return unknown(call);
    if (x.kind == TN_ITEM_FLOAT)
        tn_element_from_double(dtype, x.of.real, element);
    else
        tn_element_from_int64(dtype, x.of.number, element);
    if (dtype == TN_BOOL)
        return tn_item_bool(element[0] != 0);
    if (is_real(dtype))
        return tn_item_float(tn_element_double(dtype, element));
    return tn_item_int(tn_element_int64(dtype, element));
}

static struct tn_item run_cast(const struct tn_call *call)
{
    struct tn_item xs = call->args[0], dtype = call->args[1];

    if (xs.kind != TN_ITEM_LIST || dtype.kind != TN_ITEM_DTYPE)
        return refuse(call, "a list and a dtype are wanted");
    struct tn_item *items = new_items(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++)
        items[i] = as_type(call, xs.of.items[i],
                           (enum tn_dtype)(dtype.of.number & 0xff));
    return made(items, xs.count);
}

/* ---- arithmetic --------------------------------------------------------- */

enum calc {
    CALC_ADD,
    CALC_SUB,
    CALC_MUL,
    CALC_DIV, /* of ints towards zero */
    CALC_FLOORDIV,
    CALC_MOD,  /* sign of the divisor  */
    CALC_FMOD, /* sign of the dividend */
    CALC_POW,
    CALC_MIN,
    CALC_MAX,
    CALC_AND,
    CALC_OR,
    CALC_XOR,
    CALC_EQUAL,
    CALC_LESS,
    CALC_LESS_EQUAL,
    CALC_GREATER,
    CALC_GREATER_EQUAL,
    CALC_NOT,
    CALC_NEG,
    CALC_ABS,
    CALC_FLOOR,
    CALC_CEIL,
    CALC_ROUND,
    CALC_SQRT,
    CALC_EXP,
    CALC_LOG,
    CALC_SIGN,
    CALC_WHERE,
    CALC_NONE,
};

static const struct {
    const char *name;
    uint32_t    count; /* of operands */
} calcs[] = {
    [CALC_ADD]           = { "add", 2 },
    [CALC_SUB]           = { "sub", 2 },
    [CALC_MUL]           = { "mul", 2 },
    [CALC_DIV]           = { "div", 2 },
    [CALC_FLOORDIV]      = { "floordiv", 2 },
    [CALC_MOD]           = { "mod", 2 },
    [CALC_FMOD]          = { "fmod", 2 },
    [CALC_POW]           = { "pow", 2 },
    [CALC_MIN]           = { "min", 2 },
    [CALC_MAX]           = { "max", 2 },
    [CALC_AND]           = { "and", 2 },
    [CALC_OR]            = { "or", 2 },
    [CALC_XOR]           = { "xor", 2 },
    [CALC_EQUAL]         = { "equal", 2 },
    [CALC_LESS]          = { "less", 2 },
    [CALC_LESS_EQUAL]    = { "less_equal", 2 },
    [CALC_GREATER]       = { "greater", 2 },
    [CALC_GREATER_EQUAL] = { "greater_equal", 2 },
    [CALC_NOT]           = { "not", 1 },
    [CALC_NEG]           = { "neg", 1 },
    [CALC_ABS]           = { "abs", 1 },
    [CALC_FLOOR]         = { "floor", 1 },
    [CALC_CEIL]          = { "ceil", 1 },
    [CALC_ROUND]         = { "round", 1 },
    [CALC_SQRT]          = { "sqrt", 1 },
    [CALC_EXP]           = { "exp", 1 },
    [CALC_LOG]           = { "log", 1 },
    [CALC_SIGN]          = { "sign", 1 },
    [CALC_WHERE]         = { "where", 3 },
};

static enum calc find_calc(struct tn_item name)
{
    for (int i = 0; i < CALC_NONE && name.kind == TN_ITEM_STRING; i++)
        if (tn_bytes_is(tn_item_bytes(name), calcs[i].name))
            return (enum calc)i;
    return CALC_NONE;
}

static bool whole_quotient(enum calc calc, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (b == -1 && a == INT64_MIN))
        return false;
    int64_t quotient = a / b, rest = a % b;
    bool    is_past = rest != 0 && (rest < 0) != (b < 0);

    if (calc == CALC_DIV)
        *out = quotient;
    else if (calc == CALC_FLOORDIV)
        *out = quotient - is_past;
    else
        *out = calc == CALC_MOD && is_past ? rest + b : rest;
    return true;
}

/* Ints, as two's complement has them. */
static bool calc_whole(enum calc calc, int64_t a, int64_t b, int64_t *out)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (calc) {
    case CALC_ADD: *out = (int64_t)(x + y); return true;
    case CALC_SUB: *out = (int64_t)(x - y); return true;
    case CALC_MUL: *out = (int64_t)(x * y); return true;
    case CALC_MIN: *out = a < b ? a : b; return true;
    case CALC_MAX: *out = a > b ? a : b; return true;
    case CALC_NEG: *out = (int64_t)(0 - x); return true;
    case CALC_ABS: *out = a < 0 ? (int64_t)(0 - x) : a; return true;
    case CALC_SIGN: *out = (a > 0) - (a < 0); return true;
    case CALC_FLOOR:
    case CALC_CEIL:
    case CALC_ROUND: *out = a; return true;
    case CALC_POW:
        if (b < 0)
            return false;
        for (*out = 1; b > 0 && b <= 64; b--)
            *out = (int64_t)((uint64_t)*out * x);
        return b == 0;
    default: return whole_quotient(calc, a, b, out);
    }
}

static double calc_real(enum calc calc, double a, double b)
{
    switch (calc) {
    case CALC_ADD: return a + b;
    case CALC_SUB: return a - b;
    case CALC_MUL: return a * b;
    case CALC_DIV: return a / b;
    case CALC_FLOORDIV: return floor(a / b);
    case CALC_MOD: return a - b * floor(a / b);
    case CALC_FMOD: return fmod(a, b);
    case CALC_POW: return pow(a, b);
    case CALC_MIN: return a < b ? a : b;
    case CALC_MAX: return a > b ? a : b;
    case CALC_NEG: return -a;
    case CALC_ABS: return fabs(a);
    case CALC_FLOOR: return floor(a);
    case CALC_CEIL: return ceil(a);
    case CALC_ROUND: return nearbyint(a);
    case CALC_SQRT: return sqrt(a);
    case CALC_EXP: return exp(a);
    case CALC_LOG: return log(a);
    default: return (a > 0) - (a < 0);
    }
}

static bool calc_truth(enum calc calc, double a, double b)
{
    switch (calc) {
    case CALC_AND: return a != 0 && b != 0;
    case CALC_OR: return a != 0 || b != 0;
    case CALC_XOR: return (a != 0) != (b != 0);
    case CALC_LESS: return a < b;
    case CALC_LESS_EQUAL: return a <= b;
    case CALC_GREATER: return a > b;
    case CALC_GREATER_EQUAL: return a >= b;
    default: return a == 0; /* not */
    }
}

static struct tn_item calc_equal(const struct tn_call *call, struct tn_item a,
                                 struct tn_item b)
{
    int same = tn_eval_equal(call->eval, call->expr, a, b);

    return same < 0 ? unknown(call) : tn_item_bool(same);
}

static struct tn_item calc_two(const struct tn_call *call, enum calc calc,
                               enum tn_dtype dtype, struct tn_item a,
                               struct tn_item b)
{
    double  x, y;
    int64_t p, q, out;

    if (calc == CALC_EQUAL)
        return calc_equal(call, a, b);
    if (!tn_item_to_double(a, &x) || !tn_item_to_double(b, &y))
        return unknown(call);
    if (calc == CALC_NOT || (calc >= CALC_AND && calc <= CALC_GREATER_EQUAL))
        return tn_item_bool(calc_truth(calc, x, y));
    if (is_real(dtype) || calc == CALC_SQRT || calc == CALC_EXP ||
        calc == CALC_LOG)
        return as_type(call, tn_item_float(calc_real(calc, x, y)), dtype);
    if (!tn_item_to_int(a, &p) || !tn_item_to_int(b, &q) ||
        !calc_whole(calc, p, q, &out))
        return unknown(call);
    return as_type(call, tn_item_int(out), dtype);
}

static struct tn_item calc_where(const struct tn_call *call, struct tn_item c,
                                 struct tn_item a, struct tn_item b)
{
    int64_t is_true;

    if (!tn_item_to_int(c, &is_true))
        return unknown(call);
    return is_true ? a : b;
}

/* Up to three operands with the dims they are read by. */
struct operands {
    struct tn_item xs[3];
    struct dims    dims[3];
    int64_t        strides[3][RANK_MAX];
    uint32_t       count;
    struct dims    out;
};

static bool read_operand(const struct tn_call *call, struct operands *o,
                         uint32_t i, struct tn_item *answer)
{
    struct tn_item shape = tn_builtin_shape(call, call->args[i + 1]);

    o->xs[i] = tn_builtin_value(call, call->args[i + 1]);
    *answer  = unknown(call);
    return !tn_eval_stopped(call->eval) && o->xs[i].kind == TN_ITEM_LIST &&
           read_dims(shape, &o->dims[i]) && o->dims[i].count == o->xs[i].count;
}

static bool broadcast_operands(struct operands *o)
{
    o->out.rank = 0;
    for (uint32_t i = 0; i < o->count; i++)
        if (o->dims[i].rank > o->out.rank)
            o->out.rank = o->dims[i].rank;
    for (uint32_t d = 0; d < o->out.rank; d++)
        o->out.at[d] = 1;
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t lead = o->out.rank - o->dims[i].rank;
        for (uint32_t d = 0; d < o->out.rank; d++) {
            int64_t dim      = d < lead ? 1 : o->dims[i].at[d - lead];
            o->strides[i][d] = dim == 1 ? 0 : o->dims[i].strides[d - lead];
            if (dim != 1 && o->out.at[d] != 1 && o->out.at[d] != dim)
                return false;
            if (dim != 1)
                o->out.at[d] = dim;
        }
    }
    return set_strides(&o->out);
}

static struct tn_item calc_at(const struct tn_call *call, enum calc calc,
                              enum tn_dtype dtype, const struct operands *o,
                              const int64_t *index)
{
    struct tn_item x[3] = { tn_item_int(0), tn_item_int(0), tn_item_int(0) };

    for (uint32_t i = 0; i < o->count; i++)
        x[i] = o->xs[i].of.items[offset_of(o->out.rank, index, o->strides[i])];
    if (calc == CALC_WHERE)
        return calc_where(call, x[0], x[1], x[2]);
    return calc_two(call, calc, dtype, x[0], x[1]);
}

static struct tn_item run_calc(const struct tn_call *call)
{
    enum calc       calc = find_calc(call->args[0]);
    struct operands o;
    struct tn_item  answer;
    int64_t         index[RANK_MAX] = { 0 };

    if (calc == CALC_NONE || call->count != calcs[calc].count + 1)
        return refuse(call, "no such operation on that many values");
    o.count = calcs[calc].count;
    for (uint32_t i = 0; i < o.count; i++)
        if (!read_operand(call, &o, i, &answer))
            return answer;
    struct tn_item dtype = tn_builtin_dtype(call, call->args[1]);
    if (dtype.kind != TN_ITEM_DTYPE)
        return unknown(call);
    if (!broadcast_operands(&o))
        return refuse(call, "the shapes do not fit");
    struct tn_item *items = new_items(call, o.out.count);
    for (uint64_t i = 0; items && i < o.out.count; i++) {
        items[i] = calc_at(call, calc, (enum tn_dtype)(dtype.of.number & 0xff),
                           &o, index);
        step(o.out.rank, o.out.at, index);
    }
    return made(items, o.out.count);
}

/* ---- reducing ----------------------------------------------------------- */

static struct tn_item reduce_two(const struct tn_call *call, enum calc calc,
                                 struct tn_item a, struct tn_item b)
{
    bool is_real_item = a.kind == TN_ITEM_FLOAT || b.kind == TN_ITEM_FLOAT;

    return calc_two(call, calc, is_real_item ? TN_FLOAT64 : TN_INT64, a, b);
}

/* Dims with 1 where they are reduced, and strides that stay there. */
static bool reduced_dims(const struct dims *dims, struct tn_item axes,
                         struct dims *out, int64_t *strides)
{
    *out = *dims;
    for (uint32_t i = 0; i < axes.count; i++) {
        uint32_t axis;
        if (!axis_arg(axes.of.items[i], dims->rank, &axis))
            return false;
        out->at[axis] = 1;
    }
    if (!set_strides(out))
        return false;
    for (uint32_t i = 0; i < dims->rank; i++)
        strides[i] = out->at[i] == 1 ? 0 : out->strides[i];
    return true;
}

static struct tn_item run_reduced(const struct tn_call *call)
{
    struct tn_call inner = *call;
    struct dims    dims, out;
    struct tn_item answer, axes = call->args[3];
    enum calc      calc = find_calc(call->args[0]);
    int64_t        strides[RANK_MAX], index[RANK_MAX] = { 0 };

    if (!read_array(&inner, 1, &dims, &answer))
        return answer;
    if (calc > CALC_OR || axes.kind != TN_ITEM_LIST ||
        !reduced_dims(&dims, axes, &out, strides))
        return refuse(call, "an operation and axes are wanted");
    struct tn_item *items = new_items(call, out.count);
    for (uint64_t i = 0; items && i < dims.count; i++) {
        struct tn_item *to = &items[offset_of(dims.rank, index, strides)];
        struct tn_item  x  = call->args[1].of.items[i];
        *to = to->kind == TN_ITEM_UNSET ? x : reduce_two(call, calc, *to, x);
        step(dims.rank, dims.at, index);
    }
    for (uint64_t i = 0; items && i < out.count; i++)
        if (items[i].kind == TN_ITEM_UNSET)
            return unknown(call); /* nothing to reduce: leave it to kernels */
    return made(items, out.count);
}

const struct tn_builtin tn_builtins_of_elements[] = {
    { "calc", 2, 4, false, false, run_calc },
    { "cast", 2, 2, false, false, run_cast },
    { "expanded", 3, 3, false, false, run_expanded },
    { "gathered", 4, 4, false, false, run_gathered },
    { "joined", 3, 3, false, false, run_joined },
    { "reduced", 4, 4, false, false, run_reduced },
    { "sliced", 5, 5, false, false, run_sliced },
    { "strided", 5, 5, false, false, run_strided },
    { "transposed", 3, 3, false, false, run_transposed },
    { NULL, 0, 0, false, false, NULL },
};
