/*
 * lang_eval.c - expressions of rules, evaluated
 *
 * A walk over the prepared tree.  Everything that takes time is counted, the
 * depth is bounded, integers never wrap: what cannot be computed refuses the
 * rule at that place of the rule file.
 */
#include "map/lang_eval.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "map/lang_builtin.h"

/* ---- stopping ----------------------------------------------------------- */

struct tn_item tn_eval_refuse(struct tn_eval *e, const struct tn_lang_expr *at,
                              const char *format, ...)
{
    va_list arguments;

    if (!tn_eval_stopped(e)) {
        e->refusal.is_set = true;
        if (at)
            e->refusal.place = at->place;
        va_start(arguments, format);
        vsnprintf(e->refusal.text, sizeof e->refusal.text, format, arguments);
        va_end(arguments);
    }
    return (struct tn_item){ .kind = TN_ITEM_NONE };
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

/* "rank(X)", "shape(X)", or what else it was that could not tell. */
static void say_expr(const struct tn_lang_expr *expr, char *to, size_t size)
{
    const struct tn_lang_expr *of = expr->item_count ? expr->items[0] : NULL;

    if (expr->kind == TN_LANG_CALL && of && of->kind == TN_LANG_NAME)
        snprintf(to, size, "%.*s(%.*s)", TN_FMT(expr->text), TN_FMT(of->text));
    else if (expr->text.size)
        snprintf(to, size, "%.*s", TN_FMT(expr->text));
    else
        snprintf(to, size, "what is needed");
}

struct tn_item tn_eval_not_known(struct tn_eval *e, struct tn_item unknown,
                                 const struct tn_lang_expr *at)
{
    char what[120] = "what is needed";

    if (unknown.of.expr)
        say_expr(unknown.of.expr, what, sizeof what);
    return tn_eval_refuse(e, unknown.of.expr ? unknown.of.expr : at,
                          "%s is not known", what);
}

static const char *const kind_names[] = {
    [TN_ITEM_UNSET] = "nothing",   [TN_ITEM_NONE] = "none",
    [TN_ITEM_UNKNOWN] = "unknown", [TN_ITEM_BOOL] = "a bool",
    [TN_ITEM_INT] = "an int",      [TN_ITEM_FLOAT] = "a float",
    [TN_ITEM_STRING] = "a string", [TN_ITEM_DTYPE] = "a dtype",
    [TN_ITEM_LIST] = "a list",     [TN_ITEM_VALUE] = "a value",
    [TN_ITEM_MADE] = "a value",    [TN_ITEM_TENSOR] = "a tensor",
    [TN_ITEM_GRAPH] = "a graph",   [TN_ITEM_OTHER] = "something opaque",
};

static struct tn_item refuse_kind(struct tn_eval *e, const struct tn_code *code,
                                  struct tn_item item, const char *wanted)
{
    return tn_eval_refuse(e, code->expr, "%s where %s is wanted",
                          kind_names[item.kind], wanted);
}

/* ---- items -------------------------------------------------------------- */

static bool is_whole(uint32_t kind)
{
    return kind == TN_ITEM_INT || kind == TN_ITEM_BOOL;
}

static bool is_number(uint32_t kind)
{
    return is_whole(kind) || kind == TN_ITEM_FLOAT;
}

bool tn_item_to_int(struct tn_item item, int64_t *number)
{
    if (is_whole(item.kind)) {
        *number = item.of.number;
        return true;
    }
    if (item.kind != TN_ITEM_FLOAT || item.of.real != floor(item.of.real) ||
        !(item.of.real >= -0x1p63 && item.of.real < 0x1p63))
        return false;
    *number = (int64_t)item.of.real;
    return true;
}

bool tn_item_to_double(struct tn_item item, double *real)
{
    if (is_whole(item.kind))
        *real = (double)item.of.number;
    else if (item.kind == TN_ITEM_FLOAT)
        *real = item.of.real;
    else
        return false;
    return true;
}

static double as_double(struct tn_item item)
{
    double real = 0;

    tn_item_to_double(item, &real);
    return real;
}

/* An attribute of 32 bits equals the literal that it was written as: 0.1f is
 * 0.1.  So where one of the two is a float, both are compared as floats. */
static bool same_real(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    return ((double)tn_double_to_float(a) == a &&
            (double)tn_double_to_float(b) == a) ||
           ((double)tn_double_to_float(b) == b &&
            (double)tn_double_to_float(a) == b);
}

/* A loop can nest lists as deep as it likes, and share their items; nobody
 * compares such lists. */
#define NESTING 16

struct work {
    unsigned depth;
    uint64_t steps;
};

static int equal(struct tn_item a, struct tn_item b, struct work *work);

static int same_lists(struct tn_item a, struct tn_item b, struct work *work)
{
    int answer = 1;

    if (a.count != b.count)
        return 0;
    work->depth++;
    for (uint32_t i = 0; i < a.count; i++) {
        if (++work->steps > TN_LANG_LIST_MAX)
            return -1;
        int same = equal(a.of.items[i], b.of.items[i], work);
        if (same == 0)
            return 0; /* of all lists around it, too */
        if (same < 0)
            answer = -1;
    }
    work->depth--;
    return answer;
}

static int equal(struct tn_item a, struct tn_item b, struct work *work)
{
    if (a.kind == TN_ITEM_UNKNOWN || b.kind == TN_ITEM_UNKNOWN)
        return -1;
    if (is_whole(a.kind) && is_whole(b.kind))
        return a.of.number == b.of.number;
    if (is_number(a.kind) && is_number(b.kind))
        return same_real(as_double(a), as_double(b));
    if (a.kind != b.kind)
        return 0;
    switch (a.kind) {
    case TN_ITEM_STRING:
        return tn_bytes_equal(tn_item_bytes(a), tn_item_bytes(b));
    case TN_ITEM_LIST:
        return work->depth < NESTING ? same_lists(a, b, work) : -1;
    case TN_ITEM_NONE: return 1;
    case TN_ITEM_TENSOR:
    case TN_ITEM_OTHER: return a.of.tensor == b.of.tensor;
    default: return a.of.number == b.of.number;
    }
}

int tn_item_equal(struct tn_item a, struct tn_item b)
{
    struct work work = { 0 };

    return equal(a, b, &work);
}

int tn_eval_equal(struct tn_eval *e, const struct tn_lang_expr *at,
                  struct tn_item a, struct tn_item b)
{
    struct work work = { .steps = 1 };
    int         same = equal(a, b, &work);

    return tn_eval_steps(e, at, work.steps) ? same : -1;
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
    if (is_whole(out->kind))
        return out->of.number != 0;
    refuse_kind(e, code, *out, "a bool");
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

static struct tn_item eval_number(struct tn_eval *e, const struct tn_code *code,
                                  struct tn_item a, struct tn_item b)
{
    bool is_exact =
        is_whole(a.kind) && is_whole(b.kind) && code->kind != TN_LANG_DIV;

    if (is_exact && !(code->kind == TN_LANG_POWER && b.of.number < 0))
        return whole(e, code, a.of.number, b.of.number);
    return real(e, code, as_double(a), as_double(b));
}

static struct tn_item eval_arithmetic(struct tn_eval       *e,
                                      const struct tn_code *code)
{
    struct tn_item a = tn_eval(e, &code->items[0]);
    struct tn_item b = tn_eval(e, &code->items[1]);

    if (tn_eval_stopped(e))
        return tn_item_none();
    if (a.kind == TN_ITEM_UNKNOWN || b.kind == TN_ITEM_UNKNOWN)
        return a.kind == TN_ITEM_UNKNOWN ? a : b;
    if (is_number(a.kind) && is_number(b.kind))
        return eval_number(e, code, a, b);
    if (code->kind == TN_LANG_ADD && a.kind == b.kind) {
        if (a.kind == TN_ITEM_LIST)
            return join_lists(e, code, a, b);
        if (a.kind == TN_ITEM_STRING)
            return join_texts(e, code, a, b);
    }
    return refuse_kind(e, code, is_number(a.kind) ? b : a, "a number");
}

static struct tn_item eval_negate(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item a = tn_eval(e, &code->items[0]);

    if (tn_eval_stopped(e) || a.kind == TN_ITEM_UNKNOWN)
        return a;
    if (a.kind == TN_ITEM_FLOAT)
        return tn_item_float(-a.of.real);
    if (!is_whole(a.kind))
        return refuse_kind(e, code, a, "a number");
    if (a.of.number == INT64_MIN)
        return tn_eval_refuse(e, code->expr, "the result does not fit 64 bits");
    return tn_item_int(-a.of.number);
}

/* ---- comparing ---------------------------------------------------------- */

/* Below 0, 0, above 0; 2: not comparable. */
static int order(struct tn_item a, struct tn_item b)
{
    if (is_whole(a.kind) && is_whole(b.kind))
        return (a.of.number > b.of.number) - (a.of.number < b.of.number);
    if (is_number(a.kind) && is_number(b.kind)) {
        double x = as_double(a), y = as_double(b);
        return same_real(x, y) ? 0 : x < y ? -1 : x > y ? 1 : 2;
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

    if (way == 2 && is_number(a.kind) && is_number(b.kind))
        return tn_item_bool(
            false); /* not a number: every comparison is false */
    if (way == 2)
        return refuse_kind(e, code, is_number(a.kind) ? b : a, "a number");
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

static struct tn_item eval_compare(struct tn_eval       *e,
                                   const struct tn_code *code)
{
    struct tn_item a = tn_eval(e, &code->items[0]);
    struct tn_item b = tn_eval(e, &code->items[1]);

    if (tn_eval_stopped(e))
        return tn_item_none();
    if (a.kind == TN_ITEM_UNKNOWN || b.kind == TN_ITEM_UNKNOWN)
        return a.kind == TN_ITEM_UNKNOWN ? a : b;
    if (code->kind == TN_LANG_EQ || code->kind == TN_LANG_NE)
        return is_equal(e, code, a, b);
    return ordered(e, code, a, b);
}

static bool has_text(struct tn_item whole_text, struct tn_item part)
{
    for (uint32_t i = 0; part.count <= whole_text.count - i; i++) {
        if (!part.count ||
            !memcmp(whole_text.of.text + i, part.of.text, part.count))
            return true;
        if (i == whole_text.count)
            break;
    }
    return false;
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
        return tn_item_bool(!tn_eval_stopped(e) && has_text(xs, x));
    }
    if (xs.kind != TN_ITEM_LIST)
        return refuse_kind(e, code, xs, "a list");
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
            return refuse_kind(e, code, parts[i], "a list");
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
        return refuse_kind(e, code, xs, "a list");
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
        return refuse_kind(e, code, xs, "a list");
    if (!is_whole(at.kind))
        return refuse_kind(e, code, at, "an index");
    int64_t i = at.of.number < 0 ? at.of.number + xs.count : at.of.number;
    if (i < 0 || i >= xs.count)
        return tn_eval_refuse(e, code->expr,
                              "item %" PRId64 " of a list of %" PRIu32,
                              at.of.number, xs.count);
    return xs.of.items[i];
}

static int64_t clamp(int64_t at, int64_t count, int64_t low, int64_t high)
{
    if (at < 0)
        at = at < -count ? low : at + count;
    return at < low ? low : at > high ? high : at;
}

struct tn_item_range tn_item_slice(int64_t count, const int64_t *begin,
                                   const int64_t *end, int64_t step)
{
    bool    is_up = step > 0;
    int64_t low = is_up ? 0 : -1, high = is_up ? count : count - 1;
    int64_t first = begin   ? clamp(*begin, count, low, high)
                    : is_up ? low
                            : high;
    int64_t last  = end ? clamp(*end, count, low, high) : is_up ? high : low;
    struct tn_item_range range = { .first = first, .step = step };

    /* In unsigned, since INT64_MIN has no positive. */
    uint64_t stride = is_up ? (uint64_t)step : 0 - (uint64_t)step;
    uint64_t width =
        is_up ? (uint64_t)(last - first) : (uint64_t)(first - last);
    if (is_up ? last > first : first > last)
        range.count = (int64_t)((width - 1) / stride + 1);
    return range;
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
    *has    = is_whole(why->kind);
    *number = *has ? why->of.number : 0;
    if (!*has)
        refuse_kind(e, code, *why, "an index");
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
    return refuse_kind(e, code, xs, "a list");
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
    if (is_whole(key.kind))
        return tn_eval_refuse(e, code->expr, "%.*s has no row for %" PRId64,
                              TN_FMT(table->name), key.of.number);
    return tn_eval_refuse(e, code->expr, "%.*s has no row for %s",
                          TN_FMT(table->name), kind_names[key.kind]);
}

static struct tn_item eval_call(struct tn_eval *e, const struct tn_code *code)
{
    switch (code->callee) {
    case TN_LANG_TO_BUILTIN: return call_builtin(e, code);
    case TN_LANG_TO_DEF: return call_def(e, code);
    case TN_LANG_TO_TABLE: return call_table(e, code);
    default:
        return tn_eval_refuse(e, code->expr,
                              "'%.*s' makes nodes, here a number is wanted",
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
    default:
        return code->kind <= TN_LANG_GE ? eval_compare(e, code)
                                        : eval_arithmetic(e, code);
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
