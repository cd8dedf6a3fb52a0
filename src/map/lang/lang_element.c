/*
 * lang_element.c - functions over elements: moved around
 *
 *   gathered(xs, dims, indices, axis)      slices along an axis
 *   sliced(xs, dims, starts, ends, steps)  of every axis
 *   joined(xss, dimss, axis)               one after the other along an axis
 *   transposed(xs, dims, perm)
 *   expanded(xs, dims, to)                 repeated to other dims
 *   scattered(xs, at, ys)                  with others at these places
 */
#include <math.h>

#include "ir/element.h"
#include "map/lang/infer.h"
#include "map/lang/lang_builtin.h"

#define TN_DIMS_RANK_MAX 16

struct tn_dims {
    int64_t  at[TN_DIMS_RANK_MAX];
    int64_t  strides[TN_DIMS_RANK_MAX]; /* in elements */
    uint32_t rank;
    uint64_t count; /* of elements */
};

/* The next index in C order. */
static void dims_step(uint32_t rank, const int64_t *dims, int64_t *index)
{
    for (uint32_t i = rank; i-- > 0;) {
        if (++index[i] < dims[i])
            return;
        index[i] = 0;
    }
}

static int64_t dims_offset(uint32_t rank, const int64_t *index,
                           const int64_t *strides)
{
    int64_t offset = 0;

    for (uint32_t i = 0; i < rank; i++)
        offset += index[i] * strides[i];
    return offset;
}

/* Room for elements; NULL also when there are more than are folded. */
static struct tn_item *dims_new_items(const struct tn_call *call,
                                      uint64_t              count)
{
    if (count > TN_FOLD_MAX) {
        tn_builtin_refuse(call, "too many elements");
        return NULL;
    }
    return tn_eval_list(call->eval, call->expr, count);
}

/* Fills strides and count; false: there are more elements than are folded. */
static bool dims_set_strides(struct tn_dims *dims)
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
static bool dims_read(struct tn_item list, struct tn_dims *dims)
{
    dims->rank = list.count;
    if (list.kind != TN_ITEM_LIST || list.count > TN_DIMS_RANK_MAX)
        return false;
    for (uint32_t i = 0; i < list.count; i++)
        if (!tn_item_to_int(list.of.items[i], &dims->at[i]) ||
            dims->at[i] < 0 || dims->at[i] > TN_FOLD_MAX)
            return false;
    return dims_set_strides(dims);
}

/* Elements and their dims, as two arguments; false: the answer is *out. */
static bool dims_read_array(const struct tn_call *call, uint32_t index,
                            struct tn_dims *dims, struct tn_item *out)
{
    struct tn_item xs = call->args[index];

    *out = tn_builtin_unknown(call);
    if (!dims_read(call->args[index + 1], dims))
        return false;
    if (xs.kind == TN_ITEM_LIST && xs.count == dims->count)
        return true;
    *out = tn_builtin_refuse(call, "elements that do not fill the dims");
    return false;
}

/* An axis of so many, counted from the end when negative. */
static bool dims_axis(struct tn_item item, uint32_t rank, uint32_t *axis)
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

    if (!dims_set_strides(out))
        return tn_builtin_unknown(call);
    items = dims_new_items(call, out->count);
    for (uint64_t i = 0; items && i < out->count; i++) {
        items[i] = xs.of.items[first + dims_offset(out->rank, index, strides)];
        dims_step(out->rank, out->at, index);
    }
    return tn_builtin_made(items, out->count);
}

/* ---- moving ------------------------------------------------------------- */

static struct tn_item run_transposed(const struct tn_call *call)
{
    struct tn_dims dims, out;
    struct tn_item answer, perm = call->args[2];
    int64_t        strides[TN_DIMS_RANK_MAX];

    if (!dims_read_array(call, 0, &dims, &answer))
        return answer;
    if (perm.kind != TN_ITEM_LIST || perm.count != dims.rank)
        return tn_builtin_refuse(call, "a permutation of another rank");
    out.rank = dims.rank;
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t axis;
        if (!dims_axis(perm.of.items[i], dims.rank, &axis))
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

    if (!dims_read_array(call, 0, &dims, &answer))
        return answer;
    if (!dims_read(call->args[2], &out))
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

static struct tn_item run_scattered(const struct tn_call *call)
{
    struct tn_item xs = call->args[0], at = call->args[1], ys = call->args[2];

    if (xs.kind != TN_ITEM_LIST || at.kind != TN_ITEM_LIST ||
        ys.kind != TN_ITEM_LIST || at.count != ys.count)
        return tn_builtin_refuse(call, "expected as many places as elements");
    struct tn_item *items = dims_new_items(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++)
        items[i] = xs.of.items[i];
    for (uint32_t i = 0; items && i < at.count; i++) {
        int64_t place;
        if (!tn_item_to_int(at.of.items[i], &place))
            return tn_builtin_unknown(call);
        if (place < 0 || place >= xs.count)
            return tn_builtin_refuse(call, "a place out of bounds");
        items[place] = ys.of.items[i];
    }
    return tn_builtin_made(items, xs.count);
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

    if (!dims_read_array(call, 0, &dims, &answer))
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

    if (!dims_read_array(call, 0, &dims, &answer))
        return answer;
    if (at.kind != TN_ITEM_LIST || !dims_axis(call->args[3], dims.rank, &axis))
        return tn_builtin_refuse(call, "expected indices and an axis");
    struct blocks   b     = blocks_of(&dims, axis);
    uint64_t        count = b.outer * b.inner * at.count;
    struct tn_item *items = dims_new_items(call, count), *to = items;
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
        if (!dims_read(dimss.of.items[i], &dims) || axis >= dims.rank ||
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
    struct tn_item *items = dims_new_items(call, count), *to = items;
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
    { "scattered", 3, 3, .run = run_scattered },
    { "sliced", 5, 5, .run = run_sliced },
    { "transposed", 3, 3, .run = run_transposed },
    { NULL, 0, 0, .run = NULL },
};

/* ---- functions over elements: arithmetic -------------------------------- */

/*
 *   calc("add", A, B)              element by element
 *   cast(xs, dtype)                into another type
 *   reduced("add", xs, dims, axes)
 *
 * calc() takes values and computes as kernels do: with broadcasting, in the
 * type of the first.
 */

/* ---- types -------------------------------------------------------------- */

/* As an element of that type would have it. */
static struct tn_item as_type(const struct tn_call *call, struct tn_item x,
                              enum tn_dtype dtype)
{
    uint8_t element[TN_ELEMENT_MAX];

    if (!tn_dtype_size(dtype) ||
        (x.kind != TN_ITEM_INT && x.kind != TN_ITEM_BOOL &&
         x.kind != TN_ITEM_FLOAT))
        return tn_builtin_unknown(call);
    if (x.kind == TN_ITEM_FLOAT)
        tn_element_from_double(dtype, x.of.real, element);
    else
        tn_element_from_int64(dtype, x.of.number, element);
    if (dtype == TN_BOOL)
        return tn_item_bool(element[0] != 0);
    if (tn_item_is_real(dtype))
        return tn_item_float(tn_element_double(dtype, element));
    return tn_item_int(tn_element_int64(dtype, element));
}

static struct tn_item run_cast(const struct tn_call *call)
{
    struct tn_item xs = call->args[0], dtype = call->args[1];

    if (xs.kind != TN_ITEM_LIST || dtype.kind != TN_ITEM_DTYPE)
        return tn_builtin_refuse(call, "expected a list and a dtype");
    struct tn_item *items = dims_new_items(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++)
        items[i] = as_type(call, xs.of.items[i], tn_item_to_dtype(dtype));
    return tn_builtin_made(items, xs.count);
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
    CALC_RECIPROCAL,
    CALC_SIN,
    CALC_COS,
    CALC_TANH,
    CALC_SIGMOID,
    CALC_ERF,
    CALC_RELU,
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
    [CALC_RECIPROCAL]    = { "reciprocal", 1 },
    [CALC_SIN]           = { "sin", 1 },
    [CALC_COS]           = { "cos", 1 },
    [CALC_TANH]          = { "tanh", 1 },
    [CALC_SIGMOID]       = { "sigmoid", 1 },
    [CALC_ERF]           = { "erf", 1 },
    [CALC_RELU]          = { "relu", 1 },
    [CALC_SIGN]          = { "sign", 1 },
    [CALC_WHERE]         = { "where", 3 },
};

static enum calc find_calc(struct tn_bytes name)
{
    for (int i = 0; i < CALC_NONE; i++)
        if (tn_bytes_is(name, calcs[i].name))
            return (enum calc)i;
    return CALC_NONE;
}

static enum calc calc_of(struct tn_item name)
{
    return name.kind == TN_ITEM_STRING ? find_calc(tn_item_bytes(name))
                                       : CALC_NONE;
}

static bool is_calc(struct tn_bytes name)
{
    return find_calc(name) != CALC_NONE;
}

/* Those that join two of one kind. */
static bool is_reduction(struct tn_bytes name)
{
    return find_calc(name) <= CALC_OR;
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
    case CALC_RELU: *out = a < 0 ? 0 : a; return true;
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
    case CALC_RECIPROCAL: return 1 / a;
    case CALC_SIN: return sin(a);
    case CALC_COS: return cos(a);
    case CALC_TANH: return tanh(a);
    case CALC_SIGMOID: return 1 / (1 + exp(-a));
    case CALC_ERF: return erf(a);
    case CALC_RELU: return a < 0 ? 0 : a;
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

    return same < 0 ? tn_builtin_unknown(call) : tn_item_bool(same);
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
        return tn_builtin_unknown(call);
    if (calc == CALC_NOT || (calc >= CALC_AND && calc <= CALC_GREATER_EQUAL))
        return tn_item_bool(calc_truth(calc, x, y));
    if (tn_item_is_real(dtype) || (calc >= CALC_SQRT && calc <= CALC_ERF))
        return as_type(call, tn_item_float(calc_real(calc, x, y)), dtype);
    if (!tn_item_to_int(a, &p) || !tn_item_to_int(b, &q) ||
        !calc_whole(calc, p, q, &out))
        return tn_builtin_unknown(call);
    return as_type(call, tn_item_int(out), dtype);
}

static struct tn_item calc_where(const struct tn_call *call, struct tn_item c,
                                 struct tn_item a, struct tn_item b)
{
    int64_t is_true;

    if (!tn_item_to_int(c, &is_true))
        return tn_builtin_unknown(call);
    return is_true ? a : b;
}

/* Up to three operands with the dims they are read by. */
struct operands {
    struct tn_item xs[3];
    struct tn_dims dims[3];
    int64_t        strides[3][TN_DIMS_RANK_MAX];
    uint32_t       count;
    struct tn_dims out;
};

static bool read_operand(const struct tn_call *call, struct operands *o,
                         uint32_t i, struct tn_item *answer)
{
    struct tn_item shape = tn_builtin_shape(call, call->args[i + 1]);

    o->xs[i] = tn_builtin_value(call, call->args[i + 1]);
    *answer  = tn_builtin_unknown(call);
    return !tn_eval_stopped(call->eval) && o->xs[i].kind == TN_ITEM_LIST &&
           dims_read(shape, &o->dims[i]) && o->dims[i].count == o->xs[i].count;
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
    return dims_set_strides(&o->out);
}

static struct tn_item calc_at(const struct tn_call *call, enum calc calc,
                              enum tn_dtype dtype, const struct operands *o,
                              const int64_t *index)
{
    struct tn_item x[3] = { tn_item_int(0), tn_item_int(0), tn_item_int(0) };

    for (uint32_t i = 0; i < o->count; i++)
        x[i] =
            o->xs[i].of.items[dims_offset(o->out.rank, index, o->strides[i])];
    if (calc == CALC_WHERE)
        return calc_where(call, x[0], x[1], x[2]);
    return calc_two(call, calc, dtype, x[0], x[1]);
}

static struct tn_item run_calc(const struct tn_call *call)
{
    enum calc       calc = calc_of(call->args[0]);
    struct operands o;
    struct tn_item  answer;
    int64_t         index[TN_DIMS_RANK_MAX] = { 0 };

    if (calc == CALC_NONE || call->count != calcs[calc].count + 1)
        return tn_builtin_refuse(call, "no such operation on that many values");
    o.count = calcs[calc].count;
    for (uint32_t i = 0; i < o.count; i++)
        if (!read_operand(call, &o, i, &answer))
            return answer;
    struct tn_item dtype = tn_builtin_dtype(call, call->args[1]);
    if (dtype.kind != TN_ITEM_DTYPE)
        return tn_builtin_unknown(call);
    if (!broadcast_operands(&o))
        return tn_builtin_refuse(call, "the shapes do not fit");
    struct tn_item *items = dims_new_items(call, o.out.count);
    for (uint64_t i = 0; items && i < o.out.count; i++) {
        items[i] = calc_at(call, calc, tn_item_to_dtype(dtype), &o, index);
        dims_step(o.out.rank, o.out.at, index);
    }
    return tn_builtin_made(items, o.out.count);
}

/* ---- reducing ----------------------------------------------------------- */

static struct tn_item reduce_two(const struct tn_call *call, enum calc calc,
                                 struct tn_item a, struct tn_item b)
{
    bool is_real_item = a.kind == TN_ITEM_FLOAT || b.kind == TN_ITEM_FLOAT;

    return calc_two(call, calc, is_real_item ? TN_FLOAT64 : TN_INT64, a, b);
}

/* Dims with 1 for those that are reduced, and strides of 0 for these. */
static bool reduced_dims(const struct tn_dims *dims, struct tn_item axes,
                         struct tn_dims *out, int64_t *strides)
{
    *out = *dims;
    for (uint32_t i = 0; i < axes.count; i++) {
        uint32_t axis;
        if (!dims_axis(axes.of.items[i], dims->rank, &axis))
            return false;
        out->at[axis] = 1;
    }
    if (!dims_set_strides(out))
        return false;
    for (uint32_t i = 0; i < dims->rank; i++)
        strides[i] = out->at[i] == 1 ? 0 : out->strides[i];
    return true;
}

static struct tn_item run_reduced(const struct tn_call *call)
{
    struct tn_call inner = *call;
    struct tn_dims dims, out;
    struct tn_item answer, axes = call->args[3];
    enum calc      calc = calc_of(call->args[0]);
    int64_t        strides[TN_DIMS_RANK_MAX], index[TN_DIMS_RANK_MAX] = { 0 };

    if (!dims_read_array(&inner, 1, &dims, &answer))
        return answer;
    if (calc > CALC_OR || axes.kind != TN_ITEM_LIST ||
        !reduced_dims(&dims, axes, &out, strides))
        return tn_builtin_refuse(call, "expected an operation and axes");
    struct tn_item *items = dims_new_items(call, out.count);
    for (uint64_t i = 0; items && i < dims.count; i++) {
        struct tn_item *to = &items[dims_offset(dims.rank, index, strides)];
        struct tn_item  x  = call->args[1].of.items[i];
        *to = to->kind == TN_ITEM_UNSET ? x : reduce_two(call, calc, *to, x);
        dims_step(dims.rank, dims.at, index);
    }
    for (uint64_t i = 0; items && i < out.count; i++)
        if (items[i].kind == TN_ITEM_UNSET)
            return tn_builtin_unknown(
                call); /* nothing to reduce: leave it to kernels */
    return tn_builtin_made(items, out.count);
}

const struct tn_builtin tn_builtins_of_arithmetic[] = {
    { "calc", 2, 4, .run = run_calc, .has_word = is_calc },
    { "cast", 2, 2, .run = run_cast },
    { "reduced", 4, 4, .run = run_reduced, .has_word = is_reduction },
    { NULL, 0, 0, .run = NULL },
};
