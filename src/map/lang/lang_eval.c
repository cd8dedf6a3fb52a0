/*
 * lang_eval.c - expressions of rules, evaluated
 *
 * A walk over the prepared tree.  Everything that takes time is counted, the
 * depth is bounded; what cannot be computed refuses the rule at that place of
 * the rule file.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "map/lang/lang_builtin.h"
#include "map/lang/lang_code.h"
#include "map/lang/lang_eval.h"

/* "a list where a bool is wanted". */
static struct tn_item eval_refuse_kind(struct tn_eval       *e,
                                       const struct tn_code *code,
                                       struct tn_item item, const char *wanted)
{
    return tn_eval_refuse(e, code->expr, "found %s, expected %s",
                          tn_item_kind_name(item), wanted);
}

/* ---- operators between two items of the rule language ------------------- */

/*
 * Integers never wrap: what does not fit 64 bits refuses the rule.  An int
 * meets a float as a float; + also joins lists and texts.
 */

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
    return eval_refuse_kind(e, code, tn_item_is_number(a.kind) ? b : a,
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
        return eval_refuse_kind(e, code, tn_item_is_number(a.kind) ? b : a,
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

/* What a comparison or arithmetic makes of two items that are known; `code` is
 * the operator, and is blamed. */
static struct tn_item operate(struct tn_eval *e, const struct tn_code *code,
                              struct tn_item a, struct tn_item b)
{
    if (code->kind == TN_LANG_EQ || code->kind == TN_LANG_NE)
        return is_equal(e, code, a, b);
    return code->kind <= TN_LANG_GE ? ordered(e, code, a, b)
                                    : computed(e, code, a, b);
}

/* ---- stopping ----------------------------------------------------------- */

struct tn_item tn_eval_refuse(struct tn_eval *e, const struct tn_lang_expr *at,
                              const char *format, ...)
{
    va_list arguments;

    if (!tn_eval_stopped(e)) {
        e->refusal.is_set   = true;
        e->refusal.is_plain = false;
        e->refusal.reason   = TN_REASON_RULE_REFUSED;
        if (at)
            e->refusal.place = at->place;
        e->refusal.text[0] = '\0';
        if (e->is_silent) /* formatting takes longer than everything else */
            return tn_item_none();
        va_start(arguments, format);
        vsnprintf(e->refusal.text, sizeof e->refusal.text, format, arguments);
        va_end(arguments);
    }
    return tn_item_none();
}

bool tn_eval_steps(struct tn_eval *e, const struct tn_lang_expr *at,
                   uint64_t count)
{
    e->steps += count;
    if (e->steps <= TN_LANG_STEPS_MAX && count <= TN_LANG_STEPS_MAX)
        return !tn_eval_stopped(e);
    tn_eval_refuse(e, at, "the rule takes more than %" PRIu64 " steps",
                   TN_LANG_STEPS_MAX);
    return false;
}

struct tn_item *tn_eval_list(struct tn_eval *e, const struct tn_lang_expr *at,
                             uint64_t count)
{
    if (count > TN_LANG_LIST_MAX) {
        tn_eval_refuse(e, at, "a list of %" PRIu64 " items, limit %" PRIu32,
                       count, TN_LANG_LIST_MAX);
        return NULL;
    }
    if (!tn_eval_steps(e, at, count))
        return NULL;
    return tn_new(e->scratch, struct tn_item, count, e->error);
}

/* What functions of rules need to know about a value, in words for users who do
 * not know rules. */
static const struct asked {
    const char    *function, *what, *state;
    enum tn_reason reason;
} asked[] = {
    { "rank", "the rank", "unknown", TN_REASON_UNKNOWN_SHAPE },
    { "shape", "the shape", "not fully known", TN_REASON_UNKNOWN_SHAPE },
    { "dim", "a dimension", "unknown", TN_REASON_UNKNOWN_SHAPE },
    { "size", "the number of elements", "unknown", TN_REASON_UNKNOWN_SHAPE },
    { "dtype", "the element type", "unknown", TN_REASON_UNKNOWN_TYPE },
    { "scalar", "the value", "known only when the model runs",
      TN_REASON_UNKNOWN_VALUE },
    { "value", "the value", "known only when the model runs",
      TN_REASON_UNKNOWN_VALUE },
};

static const struct asked *find_asked(struct tn_item unknown)
{
    const struct tn_lang_expr *expr = unknown.of.expr;

    if (!expr || expr->kind != TN_LANG_CALL)
        return NULL;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (tn_bytes_is(expr->text, asked[i].function))
            return &asked[i];
    return NULL;
}

/* The value that it was asked of: its name in the model or else in the rule;
 * empty if it has none. */
static struct tn_bytes asked_of(const struct tn_eval *e, struct tn_item unknown)
{
    const struct tn_lang_expr *expr = unknown.of.expr;
    const struct tn_lang_expr *of =
        expr && expr->item_count ? expr->items[0] : NULL;
    struct tn_bytes name = { NULL, 0 };

    if (unknown.count)
        name = tn_net_value(e->net, unknown.count - 1).name;
    if (!name.size && of && of->kind == TN_LANG_NAME)
        name = of->text;
    return name;
}

struct tn_item tn_eval_not_known(struct tn_eval *e, struct tn_item unknown,
                                 const struct tn_lang_expr *at)
{
    const struct asked *what   = find_asked(unknown);
    struct tn_bytes     name   = asked_of(e, unknown);
    const char         *before = name.size ? " of '" : "";
    const char         *after  = name.size ? "'" : " of an input";

    if (tn_eval_stopped(e))
        return tn_item_none();
    at = unknown.of.expr ? unknown.of.expr : at;
    if (!what)
        tn_eval_refuse(e, at,
                       "needs a value that is known only when the model runs");
    else
        tn_eval_refuse(e, at, "needs %s%s%.*s%s, which is %s", what->what,
                       before, TN_FMT(name), after, what->state);
    e->refusal.is_plain = true;
    e->refusal.reason   = what ? what->reason : TN_REASON_UNKNOWN_VALUE;
    return tn_item_none();
}

void tn_eval_refuse_requirement(struct tn_eval            *e,
                                const struct tn_lang_expr *at,
                                struct tn_bytes            why)
{
    const struct asked *what = find_asked(e->missed);
    struct tn_bytes     name = asked_of(e, e->missed);

    if (tn_eval_stopped(e))
        return;
    if (!what || !e->missed.count || !name.size)
        tn_eval_refuse(e, at, "%.*s", TN_FMT(why));
    else
        tn_eval_refuse(e, at, "%.*s; %s of '%.*s' is %s", TN_FMT(why),
                       what->what, TN_FMT(name), what->state);
    e->refusal.is_plain = true;
    if (what)
        e->refusal.reason = what->reason;
}

int tn_eval_equal(struct tn_eval *e, const struct tn_lang_expr *at,
                  struct tn_item a, struct tn_item b)
{
    uint64_t steps = 1;
    int      same  = tn_item_equal_counted(a, b, &steps);

    return tn_eval_steps(e, at, steps) ? same : -1;
}

/* ---- truth -------------------------------------------------------------- */

/* 1, 0; -1: unknown, which is left in *out; -2: refused. */
static int truth(struct tn_eval *e, const struct tn_code *code,
                 struct tn_item *out)
{
    *out = tn_eval(e, code);
    if (tn_eval_stopped(e))
        return -2;
    if (out->kind == TN_ITEM_UNKNOWN)
        return -1;
    if (tn_item_is_whole(out->kind))
        return out->of.number != 0;
    eval_refuse_kind(e, code, *out, "a bool");
    return -2;
}

/* `stop` decides: false for and, true for or. */
static struct tn_item eval_and_or(struct tn_eval *e, const struct tn_code *code,
                                  int stop)
{
    struct tn_item left, right;
    int            a = truth(e, &code->items[0], &left);

    if (a == stop || a == -2)
        return tn_item_bool(stop);
    int b = truth(e, &code->items[1], &right);
    if (b == stop || b == -2)
        return tn_item_bool(stop);
    return a < 0 ? left : b < 0 ? right : tn_item_bool(!stop);
}

static struct tn_item eval_not(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item item;
    int            is_true = truth(e, &code->items[0], &item);

    return is_true < 0 ? item : tn_item_bool(!is_true);
}

static struct tn_item eval_if(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item item;
    int            is_true = truth(e, &code->items[0], &item);

    if (is_true < 0)
        return item;
    return tn_eval(e, &code->items[is_true ? 1 : 2]);
}

/* ---- operators ---------------------------------------------------------- */

static struct tn_item eval_operator(struct tn_eval       *e,
                                    const struct tn_code *code)
{
    struct tn_item a = tn_eval(e, &code->items[0]);
    struct tn_item b = tn_eval(e, &code->items[1]);

    if (tn_eval_stopped(e))
        return tn_item_none();
    if (a.kind == TN_ITEM_UNKNOWN || b.kind == TN_ITEM_UNKNOWN)
        return a.kind == TN_ITEM_UNKNOWN ? a : b;
    return operate(e, code, a, b);
}

static struct tn_item eval_negate(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item a = tn_eval(e, &code->items[0]);

    if (tn_eval_stopped(e) || a.kind == TN_ITEM_UNKNOWN)
        return a;
    if (a.kind == TN_ITEM_FLOAT)
        return tn_item_float(-a.of.real);
    if (!tn_item_is_whole(a.kind))
        return eval_refuse_kind(e, code, a, "a number");
    if (a.of.number == INT64_MIN)
        return tn_eval_refuse(e, code->expr, "the result does not fit 64 bits");
    return tn_item_int(-a.of.number);
}

static struct tn_item eval_in(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item x      = tn_eval(e, &code->items[0]);
    struct tn_item xs     = tn_eval(e, &code->items[1]);
    struct tn_item answer = tn_item_bool(false);

    if (tn_eval_stopped(e) || x.kind == TN_ITEM_UNKNOWN)
        return x;
    if (xs.kind == TN_ITEM_UNKNOWN)
        return xs;
    if (xs.kind == TN_ITEM_STRING && x.kind == TN_ITEM_STRING) {
        tn_eval_steps(e, code->expr, (uint64_t)xs.count * x.count);
        return tn_item_bool(
            !tn_eval_stopped(e) &&
            tn_bytes_contains(tn_item_bytes(xs), tn_item_bytes(x)));
    }
    if (xs.kind != TN_ITEM_LIST)
        return eval_refuse_kind(e, code, xs, "a list");
    for (uint32_t i = 0; i < xs.count && !tn_eval_stopped(e); i++) {
        int same = tn_eval_equal(e, code->expr, x, xs.of.items[i]);
        if (same > 0)
            return tn_item_bool(true);
        if (same < 0)
            answer = tn_item_unknown(code->expr);
    }
    return answer;
}

/* ---- lists -------------------------------------------------------------- */

/* Items of the list's expressions, with spread ones in their place. */
static struct tn_item eval_list(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item *parts     = tn_eval_list(e, code->expr, code->item_count);
    uint64_t        count     = 0;
    bool            is_spread = false;

    for (uint32_t i = 0; parts && i < code->item_count; i++) {
        bool has = code->items[i].kind == TN_LANG_SPREAD;
        parts[i] = tn_eval(e, has ? code->items[i].items : &code->items[i]);
        if (tn_eval_stopped(e))
            return tn_item_none();
        if (has && parts[i].kind == TN_ITEM_UNKNOWN)
            return parts[i];
        if (has && parts[i].kind != TN_ITEM_LIST)
            return eval_refuse_kind(e, code, parts[i], "a list");
        is_spread |= has;
        count += has ? parts[i].count : 1;
    }
    if (!parts || !is_spread)
        return tn_item_list(parts, code->item_count);
    struct tn_item *items = tn_eval_list(e, code->expr, count), *at = items;
    for (uint32_t i = 0; items && i < code->item_count; i++) {
        if (code->items[i].kind != TN_LANG_SPREAD)
            *at++ = parts[i];
        for (uint32_t k = 0;
             code->items[i].kind == TN_LANG_SPREAD && k < parts[i].count; k++)
            *at++ = parts[i].of.items[k];
    }
    return tn_item_list(items, items ? (uint32_t)count : 0);
}

static struct tn_item each_item(struct tn_eval *e, const struct tn_code *code,
                                struct tn_item xs)
{
    struct tn_item *items = tn_eval_list(e, code->expr, xs.count);
    uint32_t        count = 0;

    for (uint32_t i = 0; items && i < xs.count; i++) {
        e->frame[code->slot] = xs.of.items[i];
        if (code->second != TN_NONE)
            e->frame[code->second] = tn_item_int(i);
        if (code->item_count > 2 && code->items[2].expr) {
            struct tn_item why;
            int            is_in = truth(e, &code->items[2], &why);
            if (is_in < 0)
                return why;
            if (!is_in)
                continue;
        }
        items[count++] = tn_eval(e, &code->items[0]);
        if (tn_eval_stopped(e))
            return tn_item_none();
    }
    return tn_item_list(items, count);
}

static struct tn_item eval_each(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item xs = tn_eval(e, &code->items[1]);

    if (tn_eval_stopped(e) || xs.kind == TN_ITEM_UNKNOWN)
        return xs;
    if (xs.kind != TN_ITEM_LIST)
        return eval_refuse_kind(e, code, xs, "a list");
    return each_item(e, code, xs);
}

static struct tn_item eval_index(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item xs = tn_eval(e, &code->items[0]);
    struct tn_item at = tn_eval(e, &code->items[1]);

    if (tn_eval_stopped(e))
        return tn_item_none();
    if (xs.kind == TN_ITEM_UNKNOWN || at.kind == TN_ITEM_UNKNOWN)
        return xs.kind == TN_ITEM_UNKNOWN ? xs : at;
    if (xs.kind != TN_ITEM_LIST)
        return eval_refuse_kind(e, code, xs, "a list");
    if (!tn_item_is_whole(at.kind))
        return eval_refuse_kind(e, code, at, "an index");
    int64_t i = at.of.number < 0 ? at.of.number + xs.count : at.of.number;
    if (i < 0 || i >= xs.count)
        return tn_eval_refuse(e, code->expr,
                              "item %" PRId64
                              " is wanted of a list that has %" PRIu32,
                              at.of.number, xs.count);
    return xs.of.items[i];
}

/* A bound of a slice: left out and none are the same.  False: stop, *why. */
static bool bound(struct tn_eval *e, const struct tn_code *code,
                  int64_t *number, bool *has, struct tn_item *why)
{
    *has = false;
    if (!code->expr)
        return true;
    *why = tn_eval(e, code);
    if (tn_eval_stopped(e) || why->kind == TN_ITEM_UNKNOWN)
        return false;
    if (why->kind == TN_ITEM_NONE)
        return true;
    *has    = tn_item_is_whole(why->kind);
    *number = *has ? why->of.number : 0;
    if (!*has)
        eval_refuse_kind(e, code, *why, "an index");
    return *has;
}

static struct tn_item slice_list(struct tn_eval *e, const struct tn_code *code,
                                 struct tn_item xs, struct tn_item_range range)
{
    if (range.step == 1)
        return tn_item_list(range.count ? xs.of.items + range.first : NULL,
                            (uint32_t)range.count);
    struct tn_item *items = tn_eval_list(e, code->expr, (uint64_t)range.count);
    for (int64_t i = 0; items && i < range.count; i++)
        items[i] = xs.of.items[range.first + i * range.step];
    return tn_item_list(items, items ? (uint32_t)range.count : 0);
}

static struct tn_item eval_slice(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item xs = tn_eval(e, &code->items[0]), why = tn_item_none();
    int64_t        number[3] = { 0, 0, 1 };
    bool           has[3]    = { false, false, false };

    if (tn_eval_stopped(e) || xs.kind == TN_ITEM_UNKNOWN)
        return xs;
    for (uint32_t i = 0; i < 3 && i + 1 < code->item_count; i++)
        if (!bound(e, &code->items[i + 1], &number[i], &has[i], &why))
            return why;
    if (number[2] == 0)
        return tn_eval_refuse(e, code->expr, "a slice of step 0");
    int64_t              count = xs.count;
    struct tn_item_range range =
        tn_item_slice(count, has[0] ? &number[0] : NULL,
                      has[1] ? &number[1] : NULL, number[2]);
    if (xs.kind == TN_ITEM_LIST)
        return slice_list(e, code, xs, range);
    if (xs.kind == TN_ITEM_STRING && range.step == 1)
        return tn_item_text(
            tn_bytes(range.count ? xs.of.text + range.first : NULL,
                     (size_t)range.count));
    return eval_refuse_kind(e, code, xs, "a list");
}

/* ---- calls -------------------------------------------------------------- */

#define FEW 6

/* The arguments of a call, evaluated into `few` or the scratch arena. */
static struct tn_item *eval_args(struct tn_eval *e, const struct tn_code *code,
                                 struct tn_item few[FEW])
{
    struct tn_item *args = few;

    if (code->item_count > FEW)
        args = tn_eval_list(e, code->expr, code->item_count);
    for (uint32_t i = 0; args && i < code->item_count; i++) {
        args[i] = tn_eval(e, &code->items[i]);
        if (tn_eval_stopped(e))
            return NULL;
    }
    return args;
}

/* or_else(x, y): x, or y when x is not known. */
static struct tn_item call_lazy(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item item = tn_eval(e, &code->items[0]);

    if (tn_eval_stopped(e) || item.kind != TN_ITEM_UNKNOWN)
        return item;
    return tn_eval(e, &code->items[1]);
}

static struct tn_item call_builtin(struct tn_eval       *e,
                                   const struct tn_code *code)
{
    struct tn_item           few[FEW];
    const struct tn_builtin *builtin = code->of.builtin;

    if (builtin->is_lazy)
        return call_lazy(e, code);
    struct tn_item *args = eval_args(e, code, few);
    if (!args)
        return tn_item_none();
    for (uint32_t i = 0; !builtin->takes_unknown && i < code->item_count; i++)
        if (args[i].kind == TN_ITEM_UNKNOWN)
            return args[i];
    struct tn_call call = {
        .eval = e, .expr = code->expr, .args = args, .count = code->item_count
    };
    return builtin->run(&call);
}

static struct tn_item call_def(struct tn_eval *e, const struct tn_code *code)
{
    const struct tn_code_def *def    = code->of.def;
    struct tn_item           *before = e->frame;
    struct tn_item *frame = tn_eval_list(e, code->expr, def->slot_count);

    for (uint32_t i = 0; frame && i < code->item_count; i++)
        frame[i] = tn_eval(e, &code->items[i]);
    if (!frame || tn_eval_stopped(e))
        return tn_item_none();
    e->frame              = frame;
    struct tn_item result = tn_eval(e, &def->body);
    e->frame              = before;
    return result;
}

static struct tn_item call_table(struct tn_eval *e, const struct tn_code *code)
{
    const struct tn_code_table *table = code->of.table;
    struct tn_item              key   = tn_eval(e, &code->items[0]);

    if (tn_eval_stopped(e) || key.kind == TN_ITEM_UNKNOWN ||
        !tn_eval_steps(e, code->expr, table->count))
        return key;
    for (uint32_t i = 0; i < table->count; i++)
        if (tn_item_equal(table->keys[i], key) > 0)
            return table->values[i];
    if (key.kind == TN_ITEM_STRING)
        return tn_eval_refuse(e, code->expr, "%.*s has no row for '%.*s'",
                              TN_FMT(table->name), TN_FMT(tn_item_bytes(key)));
    if (tn_item_is_whole(key.kind))
        return tn_eval_refuse(e, code->expr, "%.*s has no row for %" PRId64,
                              TN_FMT(table->name), key.of.number);
    return tn_eval_refuse(e, code->expr, "%.*s has no row for %s",
                          TN_FMT(table->name), tn_item_kind_name(key));
}

static struct tn_item eval_call(struct tn_eval *e, const struct tn_code *code)
{
    switch (code->callee) {
    case TN_LANG_TO_BUILTIN: return call_builtin(e, code);
    case TN_LANG_TO_DEF: return call_def(e, code);
    case TN_LANG_TO_TABLE: return call_table(e, code);
    default:
        return tn_eval_refuse(
            e, code->expr, "'%.*s' makes nodes, but a number is expected here",
            TN_FMT(code->expr->text));
    }
}

/* ---- the walk ----------------------------------------------------------- */

static struct tn_item eval_name(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item item = e->frame[code->slot];

    if (item.kind == TN_ITEM_UNSET)
        return tn_eval_refuse(e, code->expr, "nothing is bound to '%.*s'",
                              TN_FMT(code->expr->text));
    return item;
}

static struct tn_item eval_inner(struct tn_eval *e, const struct tn_code *code)
{
    switch (code->kind) {
    case TN_LANG_LIST: return eval_list(e, code);
    case TN_LANG_EACH: return eval_each(e, code);
    case TN_LANG_INDEX: return eval_index(e, code);
    case TN_LANG_SLICE: return eval_slice(e, code);
    case TN_LANG_CALL: return eval_call(e, code);
    case TN_LANG_IF: return eval_if(e, code);
    case TN_LANG_SPREAD:
        return tn_eval_refuse(e, code->expr, "'...' outside of a list");
    case TN_LANG_NOT: return eval_not(e, code);
    case TN_LANG_NEGATE: return eval_negate(e, code);
    case TN_LANG_OR:
    case TN_LANG_AND: return eval_and_or(e, code, code->kind == TN_LANG_OR);
    case TN_LANG_IN: return eval_in(e, code);
    default: return eval_operator(e, code);
    }
}

struct tn_item tn_eval(struct tn_eval *e, const struct tn_code *code)
{
    if (code->kind == TN_LANG_NAME)
        return eval_name(e, code);
    if (code->kind < TN_LANG_NAME)
        return code->of.item;
    if (!tn_eval_steps(e, code->expr, 1))
        return tn_item_none();
    if (e->depth >= TN_LANG_DEPTH_MAX)
        return tn_eval_refuse(e, code->expr, "nested deeper than %d",
                              TN_LANG_DEPTH_MAX);
    e->depth++;
    struct tn_item item = eval_inner(e, code);
    e->depth--;
    return item;
}

/* ---- literals ----------------------------------------------------------- */

static bool is_literal(const struct tn_code *code)
{
    if (code->kind < TN_LANG_NAME)
        return true;
    if (code->kind != TN_LANG_LIST && code->kind != TN_LANG_NEGATE)
        return false;
    for (uint32_t i = 0; i < code->item_count; i++)
        if (!is_literal(&code->items[i]))
            return false;
    return true;
}

bool tn_code_literal(const struct tn_code *code, struct tn_arena *arena,
                     struct tn_item *out, struct tn_error *error)
{
    struct tn_eval eval = { .scratch = arena, .error = error };

    if (!is_literal(code))
        return false;
    *out = tn_eval(&eval, code);
    return !tn_eval_stopped(&eval);
}
