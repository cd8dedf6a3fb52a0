/*
 * lang_operator.c - operators between two items of the rule language
 *
 * Integers never wrap: what does not fit 64 bits refuses the rule.  An int
 * meets a float as a float; + also joins lists and texts.
 */
#include "map/lang/lang_operator.h"

#include <inttypes.h>
#include <math.h>

/* ---- arithmetic --------------------------------------------------------- */

static bool power(int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;

    for (;;) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
            return false;
        exponent >>= 1;
        if (!exponent)
            break;
        if (__builtin_mul_overflow(base, base, &base))
            return false;
    }
    *out = result;
    return true;
}

/* Towards minus infinity.  INT64_MIN / -1 is the one that does not fit. */
static bool divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest)
{
    if (b == -1 && a == INT64_MIN)
        return false;
    *quotient = a / b;
    *rest     = a % b;
    if (*rest != 0 && (*rest < 0) != (b < 0)) {
        *rest += b;
        --*quotient;
    }
    return true;
}

static struct tn_item whole(struct tn_eval *e, const struct tn_code *code,
                            int64_t a, int64_t b)
{
    int64_t out = 0, other = 0;
    bool    fits = false;

    if ((code->kind == TN_LANG_FLOOR || code->kind == TN_LANG_MOD) && b == 0)
        return tn_eval_refuse(e, code->expr, "%" PRId64 " divided by zero", a);
    switch (code->kind) {
    case TN_LANG_ADD: fits = !__builtin_add_overflow(a, b, &out); break;
    case TN_LANG_SUB: fits = !__builtin_sub_overflow(a, b, &out); break;
    case TN_LANG_MUL: fits = !__builtin_mul_overflow(a, b, &out); break;
    case TN_LANG_FLOOR: fits = divide(a, b, &out, &other); break;
    case TN_LANG_MOD: fits = divide(a, b, &other, &out); break;
    default: fits = power(a, b, &out);
    }
    if (!fits)
        return tn_eval_refuse(e, code->expr, "the result does not fit 64 bits");
    return tn_item_int(out);
}

static struct tn_item real(struct tn_eval *e, const struct tn_code *code,
                           double a, double b)
{
    switch (code->kind) {
    case TN_LANG_ADD: return tn_item_float(a + b);
    case TN_LANG_SUB: return tn_item_float(a - b);
    case TN_LANG_MUL: return tn_item_float(a * b);
    case TN_LANG_POWER: return tn_item_float(pow(a, b));
    default: break;
    }
    if (b == 0)
        return tn_eval_refuse(e, code->expr, "%g divided by zero", a);
    if (code->kind == TN_LANG_FLOOR)
        return tn_item_float(floor(a / b));
    if (code->kind == TN_LANG_MOD)
        return tn_item_float(a - b * floor(a / b));
    return tn_item_float(a / b);
}

static struct tn_item join_lists(struct tn_eval *e, const struct tn_code *code,
                                 struct tn_item a, struct tn_item b)
{
    uint64_t        count = (uint64_t)a.count + b.count;
    struct tn_item *items = tn_eval_list(e, code->expr, count);

    if (!items)
        return tn_item_none();
    if (a.count)
        memcpy(items, a.of.items, a.count * sizeof *items);
    if (b.count)
        memcpy(items + a.count, b.of.items, b.count * sizeof *items);
    return tn_item_list(items, (uint32_t)count);
}

static struct tn_item join_texts(struct tn_eval *e, const struct tn_code *code,
                                 struct tn_item a, struct tn_item b)
{
    uint64_t size = (uint64_t)a.count + b.count;

    if (size > TN_LANG_LIST_MAX)
        return tn_eval_refuse(e, code->expr, "a text of %" PRIu64 " bytes",
                              size);
    if (!tn_eval_steps(e, code->expr, size))
        return tn_item_none();
    char *text = tn_arena_alloc(e->scratch, size + 1, 1, e->error);
    if (!text)
        return tn_item_none();
    if (a.count)
        memcpy(text, a.of.text, a.count);
    if (b.count)
        memcpy(text + a.count, b.of.text, b.count);
    return tn_item_text(tn_bytes(text, (size_t)size));
}

static struct tn_item computed_number(struct tn_eval       *e,
                                      const struct tn_code *code,
                                      struct tn_item a, struct tn_item b)
{
    bool is_exact = tn_item_is_whole(a.kind) && tn_item_is_whole(b.kind) &&
                    code->kind != TN_LANG_DIV;

    if (is_exact && !(code->kind == TN_LANG_POWER && b.of.number < 0))
        return whole(e, code, a.of.number, b.of.number);
    return real(e, code, tn_item_double(a), tn_item_double(b));
}

static struct tn_item computed(struct tn_eval *e, const struct tn_code *code,
                               struct tn_item a, struct tn_item b)
{
    if (tn_item_is_number(a.kind) && tn_item_is_number(b.kind))
        return computed_number(e, code, a, b);
    if (code->kind == TN_LANG_ADD && a.kind == b.kind) {
        if (a.kind == TN_ITEM_LIST)
            return join_lists(e, code, a, b);
        if (a.kind == TN_ITEM_STRING)
            return join_texts(e, code, a, b);
    }
    return tn_eval_refuse_kind(e, code, tn_item_is_number(a.kind) ? b : a,
                               "a number");
}

/* ---- comparing ---------------------------------------------------------- */

/* Below 0, 0, above 0; 2: not comparable. */
static int order(struct tn_item a, struct tn_item b)
{
    if (tn_item_is_whole(a.kind) && tn_item_is_whole(b.kind))
        return (a.of.number > b.of.number) - (a.of.number < b.of.number);
    if (tn_item_is_number(a.kind) && tn_item_is_number(b.kind)) {
        double x = tn_item_double(a), y = tn_item_double(b);
        return tn_item_same_real(x, y) ? 0 : x < y ? -1 : x > y ? 1 : 2;
    }
    if (a.kind != TN_ITEM_STRING || b.kind != TN_ITEM_STRING)
        return 2;
    int text = tn_bytes_compare(tn_item_bytes(a), tn_item_bytes(b));
    return (text > 0) - (text < 0);
}

static struct tn_item ordered(struct tn_eval *e, const struct tn_code *code,
                              struct tn_item a, struct tn_item b)
{
    int way = order(a, b);

    if (way == 2 && tn_item_is_number(a.kind) && tn_item_is_number(b.kind))
        return tn_item_bool(
            false); /* not a number: every comparison is false */
    if (way == 2)
        return tn_eval_refuse_kind(e, code, tn_item_is_number(a.kind) ? b : a,
                                   "a number");
    switch (code->kind) {
    case TN_LANG_LT: return tn_item_bool(way < 0);
    case TN_LANG_LE: return tn_item_bool(way <= 0);
    case TN_LANG_GT: return tn_item_bool(way > 0);
    default: return tn_item_bool(way >= 0);
    }
}

static struct tn_item is_equal(struct tn_eval *e, const struct tn_code *code,
                               struct tn_item a, struct tn_item b)
{
    int same = tn_eval_equal(e, code->expr, a, b);

    if (same < 0)
        return tn_item_unknown(code->expr);
    return tn_item_bool(code->kind == TN_LANG_EQ ? same : !same);
}

struct tn_item tn_operate(struct tn_eval *e, const struct tn_code *code,
                          struct tn_item a, struct tn_item b)
{
    if (code->kind == TN_LANG_EQ || code->kind == TN_LANG_NE)
        return is_equal(e, code, a, b);
    return code->kind <= TN_LANG_GE ? ordered(e, code, a, b)
                                    : computed(e, code, a, b);
}
