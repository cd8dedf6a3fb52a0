/* lang_check.c - a rule file against the vocabularies of its dialects */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ir/dialect_facts.h"
#include "map/lang/lang_attr.h"
#include "map/lang/lang_check.h"
#include "map/lang/lang_ends.h"
#include "map/lang/lang_native.h"

struct tn_lang_checks {
    const struct tn_lang_file *file;
    const struct tn_lang_side *source, *target; /* of the rule at hand        */
    tn_on_lang_finding        *on;
    void                      *context;
    struct tn_error           *error;
    struct tn_memory          *memory;
};

static void report(struct tn_lang_checks *x, const struct tn_location *place,
                   const char *format, ...) TN_PRINTF(3, 4);

static void report(struct tn_lang_checks *x, const struct tn_location *place,
                   const char *format, ...)
{
    char what[sizeof x->error->what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (x->on)
        x->on(x->context, place, what);
    tn_location_fail(x->error, place, TN_MALFORMED, "%s", what);
}

/* ---- heads and calls against a vocabulary ------------------------------- */

/* ---- which attributes must be named ------------------------------------- */

static bool says_type(const struct tn_vocab_arg *args, uint32_t count,
                      struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(args[i].variable, name) ||
            tn_bytes_equal(args[i].list, name))
            return true;
    return false;
}

/* T and N of TensorFlow also follow from the inputs. */
static bool is_implied(const struct tn_vocab_op *op, struct tn_bytes name)
{
    return name.data[0] == '_' ||
           says_type(op->inputs, op->input_count, name) ||
           says_type(op->outputs, op->output_count, name);
}

static bool is_ignored(const struct tn_lang_checks *x, struct tn_bytes name)
{
    for (uint64_t i = 0; i < x->file->ignored.count; i++)
        if (tn_bytes_equal(*tn_list_at(&x->file->ignored, struct tn_bytes, i),
                           name))
            return true;
    return false;
}

static bool is_in_head(const struct tn_lang_head *head, struct tn_bytes name)
{
    for (uint32_t i = 0; i < head->attr_count; i++)
        if (tn_bytes_equal(head->attrs[i].name, name))
            return true;
    return false;
}

/* ---- literals and types ------------------------------------------------- */

static const struct {
    const char *type;
    unsigned    kinds; /* bits: of literals that may be one                   */
} literals[] = {
#define BIT(kind) (1U << TN_LANG_##kind)
    { "int", BIT(INT) | BIT(BOOL) | BIT(DTYPE) },
    { "float", BIT(FLOAT) | BIT(INT) },
    { "bool", BIT(BOOL) },
    { "string", BIT(STRING) },
    { "type", BIT(DTYPE) },
#undef BIT
};

/* Whether a literal can be of that type; what is no literal may be anything. */
static bool fits_type(const struct tn_lang_expr *expr, struct tn_bytes type)
{
    if (expr->kind == TN_LANG_NONE || expr->kind > TN_LANG_DTYPE)
        return true;
    for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++)
        if (tn_bytes_is(type, literals[i].type))
            return literals[i].kinds & 1U << expr->kind;
    return true; /* tensors, shapes */
}

static bool fits(const struct tn_lang_expr  *expr,
                 const struct tn_vocab_attr *attr)
{
    if (!attr->is_list)
        return expr->kind != TN_LANG_LIST && fits_type(expr, attr->type);
    if (expr->kind != TN_LANG_LIST)
        return expr->kind == TN_LANG_NONE || expr->kind > TN_LANG_DTYPE;
    struct tn_bytes type = tn_attr_item_type(attr->type);
    for (uint32_t i = 0; i < expr->item_count; i++)
        if (!fits_type(expr->items[i], type))
            return false;
    return true;
}

static void check_literal(struct tn_lang_checks      *x,
                          const struct tn_lang_expr  *expr,
                          const struct tn_vocab_attr *attr)
{
    if (expr && !fits(expr, attr))
        report(x, &expr->place, "'%.*s' is of type %.*s", TN_FMT(attr->name),
               TN_FMT(attr->type));
}

/* ---- heads -------------------------------------------------------------- */

/* The versions of an op that a head is for, one after the other. */
struct versions {
    struct tn_lang_checks     *x;
    const struct tn_lang_head *head;
    int64_t                    first, version; /* -1: there are no more       */
    const struct tn_vocab_op  *op;
};

static void find_version(struct versions *v)
{
    struct tn_error error = TN_ERROR_INIT;

    /* an op that came later raises the version that is written */
    bool is_late = v->version > v->x->source->newest && v->version != v->first;
    bool is_over = v->version < 0 || v->version > v->head->until ||
                   (!v->head->domain.size && is_late);

    v->op = is_over ? NULL
                    : tn_vocab_find(v->x->source->vocab, v->head->domain,
                                    v->head->op, v->version, &error);
    if (tn_machine_failed(&error) && !tn_failed(v->x->error))
        *v->x->error = error;
}

static struct versions first_version(struct tn_lang_checks     *x,
                                     const struct tn_lang_head *head)
{
    const struct tn_lang_side *side  = x->source;
    struct versions            v     = { .x = x, .head = head };
    int64_t                    least = head->since;

    if (!least && !head->domain.size)
        least = side->oldest;
    v.first   = tn_vocab_first_version(side->vocab, head->domain, head->op);
    v.version = v.first;
    if (v.version >= 0 && v.version < least)
        v.version = least;
    find_version(&v);
    return v;
}

static void next_version(struct versions *v)
{
    v->version = tn_vocab_next_version(v->x->source->vocab, v->head->domain,
                                       v->head->op, v->version);
    find_version(v);
}

/* Whether a version before `until` has that attribute: then it was reported. */
static bool was_told(const struct versions *until, struct tn_bytes name)
{
    struct versions v = first_version(until->x, until->head);

    for (; v.op && v.version < until->version; next_version(&v))
        if (tn_vocab_find_attr(v.op, name))
            return true;
    return false;
}

static void check_all_are_named(const struct versions *v)
{
    for (uint32_t i = 0; i < v->op->attr_count; i++) {
        struct tn_bytes name = v->op->attrs[i].name;

        if (!is_in_head(v->head, name) && !is_implied(v->op, name) &&
            !is_ignored(v->x, name) && !was_told(v, name))
            report(v->x, &v->head->place,
                   "'%.*s' has an attribute '%.*s': use it, or say "
                   "-%.*s",
                   TN_FMT(v->head->op), TN_FMT(name), TN_FMT(name));
    }
}

/* That name in any of the versions; it must fit where it is. */
static void check_head_attr(struct tn_lang_checks     *x,
                            const struct tn_lang_head *head,
                            const struct tn_lang_attr *attr)
{
    struct versions v = first_version(x, head);

    for (; v.op; next_version(&v)) {
        const struct tn_vocab_attr *found =
            tn_vocab_find_attr(v.op, attr->name);

        if (!found && !v.op->is_loose)
            continue;
        if (found && attr->is_match)
            check_literal(x, attr->value, found);
        return;
    }
    report(x, &attr->place, "'%.*s' has no attribute '%.*s'", TN_FMT(head->op),
           TN_FMT(attr->name));
}

/* How many values a list of names may stand for. */
static void count_params(const struct tn_lang_param *params, uint32_t count,
                         uint32_t *least, uint32_t *most)
{
    *least = 0;
    *most  = count;
    for (uint32_t i = 0; i < count; i++) {
        if (params[i].arity == TN_LANG_ONE)
            *least = i + 1;
        if (params[i].arity == TN_LANG_MANY)
            *most = UINT32_MAX;
    }
}

/* Whether some node of that op has inputs and outputs as the head has them. */
static void check_counts(struct tn_lang_checks     *x,
                         const struct tn_lang_head *head)
{
    struct versions v          = first_version(x, head);
    bool            inputs_fit = false, outputs_fit = false;
    uint32_t        least, most;

    for (; v.op; next_version(&v)) {
        bool is_open = v.op->has_lists || !v.op->has_signature;

        count_params(head->inputs, head->input_count, &least, &most);
        inputs_fit |=
            is_open || (least <= v.op->max_inputs && most >= v.op->min_inputs);
        count_params(head->outputs, head->output_count, &least, &most);
        outputs_fit |= is_open || least <= v.op->max_outputs;
    }
    if (!inputs_fit)
        report(x, &head->place, "'%.*s' never has that many inputs",
               TN_FMT(head->op));
    if (!outputs_fit)
        report(x, &head->place, "'%.*s' never has that many outputs",
               TN_FMT(head->op));
}

/* `is_complete`: every attribute of the op must be named. */
static void check_head(struct tn_lang_checks     *x,
                       const struct tn_lang_head *head, bool is_complete)
{
    if (!x->source->vocab)
        return;
    struct versions v = first_version(x, head);
    if (tn_failed(x->error) && tn_machine_failed(x->error))
        return;
    if (!v.op) {
        const struct tn_vocab_domain *domain =
            tn_vocab_domain(x->source->vocab, head->domain);
        if (!x->source->has_others &&
            (!head->domain.size || (domain && !domain->is_open)))
            report(x, &head->place, "%.*s has no op '%.*s' in these versions",
                   TN_FMT(x->source->vocab->dialect), TN_FMT(head->op));
        return; /* domains of others have ops that we do not know */
    }
    check_counts(x, head);
    for (uint32_t i = 0; i < head->attr_count; i++)
        check_head_attr(x, head, &head->attrs[i]);
    for (; is_complete && v.op; next_version(&v))
        check_all_are_named(&v);
}

/* ---- calls -------------------------------------------------------------- */

static bool is_set(const struct tn_lang_expr *call, struct tn_bytes name)
{
    for (uint32_t i = 0; i < call->attr_count; i++)
        if (tn_bytes_equal(call->attrs[i].name, name))
            return true;
    return false;
}

static void check_call_attrs(struct tn_lang_checks     *x,
                             const struct tn_lang_expr *call,
                             const struct tn_vocab_op  *op)
{
    for (uint32_t i = 0; i < call->attr_count; i++) {
        const struct tn_lang_attr  *attr  = &call->attrs[i];
        const struct tn_vocab_attr *found = tn_vocab_find_attr(op, attr->name);

        if (found)
            check_literal(x, attr->value, found);
        else if (!op->is_loose)
            report(x, &attr->place, "'%.*s' has no attribute '%.*s'",
                   TN_FMT(op->name), TN_FMT(attr->name));
    }
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].is_required && !is_set(call, op->attrs[i].name) &&
            !is_implied(op, op->attrs[i].name))
            report(x, &call->place, "'%.*s' needs an attribute '%.*s'",
                   TN_FMT(op->name), TN_FMT(op->attrs[i].name));
}

static bool has_spread(const struct tn_lang_expr *call)
{
    for (uint32_t i = 0; i < call->item_count; i++)
        if (call->items[i]->kind == TN_LANG_SPREAD)
            return true;
    return false;
}

static void check_call_counts(struct tn_lang_checks     *x,
                              const struct tn_lang_expr *call,
                              const struct tn_vocab_op  *op,
                              uint32_t                   output_count)
{
    uint32_t count = call->item_count;

    if (!op->has_signature || op->has_lists)
        return;
    if (count > op->max_inputs && !has_spread(call))
        report(x, &call->place,
               "%" PRIu32 " inputs for '%.*s', which takes %" PRIu32, count,
               TN_FMT(op->name), op->max_inputs);
    if (count < op->min_inputs && !has_spread(call))
        report(x, &call->place,
               "%" PRIu32 " inputs for '%.*s', which needs %" PRIu32, count,
               TN_FMT(op->name), op->min_inputs);
    if (output_count > op->max_outputs)
        report(x, &call->place,
               "%" PRIu32 " outputs of '%.*s', which has %" PRIu32,
               output_count, TN_FMT(op->name), op->max_outputs);
}

/* An op that came later asks for a later version; see tn_net_set_versions(). */
static int64_t version_for(const struct tn_lang_side *side,
                           const struct tn_lang_expr *call)
{
    int64_t first =
        tn_vocab_first_version(side->vocab, call->domain, call->text);

    if (call->domain.size)
        return INT64_MAX;
    return first > side->version ? first : side->version;
}

/* A call that makes a node; `output_count` of its outputs are bound. */
static void check_op(struct tn_lang_checks *x, const struct tn_lang_expr *call,
                     uint32_t output_count)
{
    struct tn_error            error = TN_ERROR_INIT;
    const struct tn_lang_side *side  = x->target;

    if (!side->vocab)
        return;
    const struct tn_vocab_domain *domain =
        tn_vocab_domain(side->vocab, call->domain);
    const struct tn_vocab_op *op = tn_vocab_find(
        side->vocab, call->domain, call->text, version_for(side, call), &error);
    if (tn_machine_failed(&error) && !tn_failed(x->error))
        *x->error = error;
    if (op && !(op->deprecated && op->deprecated <= side->version)) {
        check_call_attrs(x, call, op);
        check_call_counts(x, call, op, output_count);
    } else if (domain && !domain->is_open) {
        report(x, &call->place, "%.*s has no op '%.*s'",
               TN_FMT(side->vocab->dialect), TN_FMT(call->text));
    }
}

/* ---- names are bound before they are used ------------------------------- */

/*
 * A name is one thing in all of its rule: binding it again changes it, and what
 * a branch binds is bound after it if the other branch binds it too.  A loop is
 * taken to run, and to have run before: what one round leaves is there in the
 * next and after the last (a rule that runs otherwise fails then).  Only the
 * variables of a loop end with it.  After `refuse` everything counts as bound,
 * because nothing after it runs.
 */

/* More than any rule has; a set of them is small enough to be copied. */
#define NAME_LIMIT 1024
#define WORDS      (NAME_LIMIT / 64)

struct bound {
    uint64_t bits[WORDS];
};

enum name_kind {
    A_VALUE,
    AN_ATTRIBUTE, /* cannot be used as a value */
    ANYTHING,     /* a let, a parameter, the variable of a loop               */
};

struct name {
    struct tn_bytes text;
    enum name_kind  kind;
    bool            is_used;
    bool            is_over; /* the loop that it belongs to has ended         */
};

struct scope {
    struct tn_lang_checks     *x;
    const struct tn_lang_head *head; /* for wanted(); NULL: has no outputs    */
    struct tn_list             names; /* struct name                          */
    struct bound               bound;
};

/* ---- sets --------------------------------------------------------------- */

static bool is_bound(const struct scope *s, uint64_t index)
{
    return s->bound.bits[index / 64] >> (index % 64) & 1;
}

static void intersect(struct bound *a, const struct bound *b)
{
    for (unsigned i = 0; i < WORDS; i++)
        a->bits[i] &= b->bits[i];
}

static void bind_all(struct bound *bound)
{
    memset(bound, 0xff, sizeof *bound);
}

/* ---- names -------------------------------------------------------------- */

static struct name *name_at(const struct scope *s, uint64_t index)
{
    return tn_list_at(&s->names, struct name, index);
}

/* The latest of that name; the count: there is none. */
static uint64_t find_name(const struct scope *s, struct tn_bytes text)
{
    for (uint64_t i = s->names.count; i-- > 0;)
        if (!name_at(s, i)->is_over &&
            tn_bytes_equal(name_at(s, i)->text, text))
            return i;
    return s->names.count;
}

static uint64_t add_name(struct scope *s, struct tn_bytes text,
                         enum name_kind kind, const struct tn_location *place)
{
    uint64_t index = s->names.count;

    if (index == NAME_LIMIT) {
        report(s->x, place, "more than %d names in one rule", NAME_LIMIT);
        return NAME_LIMIT - 1;
    }
    struct name *name = tn_list_push(&s->names, struct name, s->x->error);
    if (!name)
        return 0;
    name->text = text;
    name->kind = kind;
    s->bound.bits[index / 64] |= UINT64_C(1) << (index % 64);
    return index;
}

/* Binds, again or for the first time. */
static void bind(struct scope *s, struct tn_bytes text, enum name_kind kind,
                 const struct tn_location *place)
{
    uint64_t index = find_name(s, text);

    if (index == s->names.count) {
        add_name(s, text, kind, place);
        return;
    }
    name_at(s, index)->kind = kind;
    s->bound.bits[index / 64] |= UINT64_C(1) << (index % 64);
}

static void use(struct scope *s, const struct tn_lang_expr *expr, bool is_value)
{
    uint64_t index = find_name(s, expr->text);

    if (index == s->names.count) {
        report(s->x, &expr->place, "there is no '%.*s' here",
               TN_FMT(expr->text));
        return;
    }
    struct name *name = name_at(s, index);
    name->is_used     = true;
    if (!is_bound(s, index))
        report(s->x, &expr->place,
               "'%.*s' is not bound on every way that leads here",
               TN_FMT(expr->text));
    else if (is_value && name->kind == AN_ATTRIBUTE)
        report(s->x, &expr->place, "'%.*s' is an attribute, not a value",
               TN_FMT(expr->text));
}

/* ---- calls -------------------------------------------------------------- */

static void walk(struct scope *s, const struct tn_lang_expr *expr,
                 bool is_value);

static const struct tn_lang_param *find_output(const struct tn_lang_head *head,
                                               const struct tn_lang_expr *name)
{
    for (uint32_t i = 0; head && i < head->output_count; i++)
        if (name->kind == TN_LANG_NAME &&
            tn_bytes_equal(head->outputs[i].name, name->text))
            return &head->outputs[i];
    return NULL;
}

/* wanted(Y) and len(ys) are about outputs, which need not be bound yet.  True
 * if it is one of these. */
static bool asks_of_output(struct scope *s, const struct tn_lang_expr *call)
{
    if (call->callee != TN_LANG_TO_BUILTIN || call->item_count != 1)
        return false;
    const struct tn_lang_param *output = find_output(s->head, call->items[0]);
    if (tn_bytes_is(call->text, "len"))
        return output && output->arity == TN_LANG_MANY;
    if (!tn_bytes_is(call->text, "wanted"))
        return false;
    if (!output)
        report(s->x, &call->items[0]->place, "wanted() is asked of an output");
    return true;
}

static void check_count(struct scope *s, const struct tn_lang_expr *call,
                        uint32_t least, uint32_t most)
{
    for (uint32_t i = 0; i < call->item_count; i++)
        if (call->items[i]->kind == TN_LANG_SPREAD)
            return;
    if (call->item_count < least || call->item_count > most)
        report(s->x, &call->place,
               "%" PRIu32 " arguments for '%.*s', which takes %s%" PRIu32,
               call->item_count, TN_FMT(call->text),
               least == most              ? ""
               : call->item_count < least ? "at least "
                                          : "at most ",
               call->item_count < least ? least : most);
}

static void check_macro_attrs(struct scope *s, const struct tn_lang_expr *call,
                              const struct tn_lang_head *macro)
{
    for (uint32_t i = 0; i < call->attr_count; i++) {
        bool is_there = false;

        for (uint32_t k = 0; k < macro->attr_count; k++)
            is_there |=
                tn_bytes_equal(macro->attrs[k].name, call->attrs[i].name);
        if (!is_there)
            report(s->x, &call->attrs[i].place,
                   "'%.*s' has no parameter '%.*s'", TN_FMT(macro->op),
                   TN_FMT(call->attrs[i].name));
    }
    for (uint32_t k = 0; k < macro->attr_count; k++) {
        bool is_there = macro->attrs[k].value;

        for (uint32_t i = 0; i < call->attr_count; i++)
            is_there |=
                tn_bytes_equal(macro->attrs[k].name, call->attrs[i].name);
        if (!is_there)
            report(s->x, &call->place, "'%.*s' needs its parameter '%.*s'",
                   TN_FMT(macro->op), TN_FMT(macro->attrs[k].name));
    }
}

static void check_macro_call(struct scope *s, const struct tn_lang_expr *call,
                             uint32_t output_count)
{
    const struct tn_lang_head *macro =
        &tn_list_at(&s->x->file->macros, struct tn_lang_macro, call->target)
             ->head;
    uint32_t least = 0, most = macro->input_count;

    for (uint32_t i = 0; i < macro->input_count; i++) {
        if (macro->inputs[i].arity == TN_LANG_ONE)
            least = i + 1;
        if (macro->inputs[i].arity == TN_LANG_MANY)
            most = UINT32_MAX;
    }
    check_count(s, call, least, most);
    check_macro_attrs(s, call, macro);
    if (output_count > macro->output_count)
        report(s->x, &call->place,
               "%" PRIu32 " outputs of '%.*s', which has %" PRIu32,
               output_count, TN_FMT(macro->op), macro->output_count);
}

/* `output_count`: how many outputs of it are bound. */
static void check_callee(struct scope *s, const struct tn_lang_expr *call,
                         uint32_t output_count)
{
    const struct tn_lang_file *file = s->x->file;

    switch (call->callee) {
    case TN_LANG_TO_BUILTIN: break;
    case TN_LANG_TO_CONST: check_count(s, call, 2, 3); break;
    case TN_LANG_TO_RESCALED: check_count(s, call, 3, 4); break;
    case TN_LANG_TO_TABLE: check_count(s, call, 1, 1); break;
    case TN_LANG_TO_MACRO: check_macro_call(s, call, output_count); break;
    case TN_LANG_TO_OP: check_op(s->x, call, output_count); break;
    case TN_LANG_TO_DEF: {
        uint32_t count =
            tn_list_at(&file->defs, struct tn_lang_def, call->target)
                ->param_count;
        check_count(s, call, count, count);
        break;
    }
    }
}

static void walk_call(struct scope *s, const struct tn_lang_expr *call,
                      uint32_t output_count)
{
    bool makes_nodes =
        call->callee == TN_LANG_TO_OP || call->callee == TN_LANG_TO_MACRO;

    check_callee(s, call, output_count);
    if (asks_of_output(s, call))
        return;
    for (uint32_t i = 0; i < call->item_count; i++)
        walk(s, call->items[i], makes_nodes);
    for (uint32_t i = 0; i < call->attr_count; i++)
        walk(s, call->attrs[i].value, false);
}

/* ---- expressions -------------------------------------------------------- */

/* The variables of a loop, and forgetting them. */
static void end_loop(struct scope *s, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count && i < s->names.count; i++)
        name_at(s, i)->is_over = true;
}

static void walk_each(struct scope *s, const struct tn_lang_expr *expr,
                      bool is_value)
{
    walk(s, expr->items[1], false);
    uint64_t first = s->names.count;
    add_name(s, expr->text, ANYTHING, &expr->place);
    if (expr->second.size)
        add_name(s, expr->second, ANYTHING, &expr->place);
    uint64_t count = s->names.count - first;
    if (expr->item_count > 2)
        walk(s, expr->items[2], false);
    walk(s, expr->items[0], is_value);
    end_loop(s, first, count);
}

static void walk(struct scope *s, const struct tn_lang_expr *expr,
                 bool is_value)
{
    switch (expr->kind) {
    case TN_LANG_NAME: use(s, expr, is_value); return;
    case TN_LANG_CALL: walk_call(s, expr, 1); return;
    case TN_LANG_EACH: walk_each(s, expr, is_value); return;
    default: break;
    }
    for (uint32_t i = 0; i < expr->item_count; i++) {
        /* where a list of values stands, its elements are values; an index or
         * a condition is not */
        bool is_part = expr->kind == TN_LANG_LIST ||
                       expr->kind == TN_LANG_SPREAD ||
                       (expr->kind == TN_LANG_IF ? i > 0 : i == 0);

        if (expr->items[i])
            walk(s, expr->items[i], is_value && is_part);
    }
}

/* The value that `<-` binds to several names; each branch gives as many
 * outputs. */
static void walk_emitted(struct scope *s, const struct tn_lang_expr *expr,
                         uint32_t output_count)
{
    if (expr->kind == TN_LANG_CALL) {
        walk_call(s, expr, output_count);
    } else if (expr->kind == TN_LANG_IF) {
        walk(s, expr->items[0], false);
        walk_emitted(s, expr->items[1], output_count);
        walk_emitted(s, expr->items[2], output_count);
    } else {
        walk(s, expr, true);
    }
}

/* ---- steps -------------------------------------------------------------- */

static void walk_block(struct scope *s, const struct tn_lang_block *block);

static void walk_emit(struct scope *s, const struct tn_lang_step *step)
{
    uint32_t count = step->name_count;

    walk_emitted(s, step->expr, step->last_is_many ? count - 1 : count);
    for (uint32_t i = 0; i < count; i++)
        if (!tn_bytes_is(step->names[i], "_"))
            bind(s, step->names[i], A_VALUE, &step->place);
}

static void walk_when(struct scope *s, const struct tn_lang_step *step)
{
    walk(s, step->expr, false);
    struct bound before = s->bound;
    walk_block(s, &step->body);
    struct bound after = s->bound;
    s->bound           = before;
    walk_block(s, &step->other);
    intersect(&s->bound, &after);
}

/* Binds what the steps of a loop bind, as earlier rounds have done. */
static void bind_rounds(struct scope *s, const struct tn_lang_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct tn_lang_step *step = &block->steps[i];

        for (uint32_t k = 0; k < step->name_count; k++)
            if (step->kind == TN_LANG_LET || step->kind == TN_LANG_EMIT)
                bind(s, step->names[k],
                     step->kind == TN_LANG_LET ? ANYTHING : A_VALUE,
                     &step->place);
        bind_rounds(s, &step->body);
        bind_rounds(s, &step->other);
    }
}

static void walk_for(struct scope *s, const struct tn_lang_step *step)
{
    walk(s, step->expr, false);
    bind_rounds(s, &step->body);
    uint64_t first = s->names.count;
    for (uint32_t i = 0; i < step->name_count; i++)
        add_name(s, step->names[i], ANYTHING, &step->place);
    uint64_t count = s->names.count - first;
    walk_block(s, &step->body);
    end_loop(s, first, count);
}

static void walk_step(struct scope *s, const struct tn_lang_step *step)
{
    switch (step->kind) {
    case TN_LANG_LET:
        walk(s, step->expr, false);
        bind(s, step->names[0], ANYTHING, &step->place);
        break;
    case TN_LANG_EMIT: walk_emit(s, step); break;
    case TN_LANG_WHEN: walk_when(s, step); break;
    case TN_LANG_FOR: walk_for(s, step); break;
    case TN_LANG_REFUSE:
        walk(s, step->expr, false);
        bind_all(&s->bound);
        break;
    case TN_LANG_REQUIRE: walk(s, step->expr, false); break;
    }
}

static void walk_block(struct scope *s, const struct tn_lang_block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        walk_step(s, &block->steps[i]);
}

/* ---- rules and definitions ---------------------------------------------- */

static void init_scope(struct scope *s, struct tn_lang_checks *x,
                       const struct tn_lang_head *head)
{
    *s = (struct scope){ .x = x, .head = head };
    tn_list_init(&s->names, x->memory, sizeof(struct name));
}

static bool is_nameless(const struct tn_lang_param *param)
{
    return tn_bytes_is(param->name, "_");
}

static void bind_head(struct scope *s, const struct tn_lang_head *head)
{
    for (uint32_t i = 0; i < head->input_count; i++) {
        const struct tn_lang_param *input = &head->inputs[i];
        if (!is_nameless(input))
            bind(s, input->name, A_VALUE, &input->place);
        if (input->maker)
            bind_head(s, &input->maker->head);
    }
    for (uint32_t i = 0; i < head->attr_count; i++) {
        const struct tn_lang_attr *attr = &head->attrs[i];

        if (!attr->as.size)
            continue;
        if (find_name(s, attr->as) != s->names.count)
            report(s->x, &attr->place,
                   "'%.*s' is there already: say %.*s as ANOTHER",
                   TN_FMT(attr->as), TN_FMT(attr->name));
        if (attr->value && !attr->is_match)
            walk(s, attr->value, false);
        bind(s, attr->as, AN_ATTRIBUTE, &attr->place);
    }
}

/* Outputs have names before they are bound: a path that ends in `refuse` need
 * not bind them. */
static void add_outputs(struct scope *s)
{
    for (uint32_t i = 0; i < s->head->output_count; i++) {
        const struct tn_lang_param *output = &s->head->outputs[i];

        if (find_name(s, output->name) != s->names.count)
            continue;
        uint64_t index = add_name(s, output->name, A_VALUE, &output->place);
        s->bound.bits[index / 64] &= ~(UINT64_C(1) << (index % 64));
    }
}

/* An attribute must be used, or the head must say that it is not. */
static void check_use(struct scope *s, const struct tn_lang_head *head)
{
    for (uint32_t i = 0; i < head->input_count; i++)
        if (head->inputs[i].maker)
            check_use(s, &head->inputs[i].maker->head);
    for (uint32_t i = 0; i < head->attr_count; i++) {
        const struct tn_lang_attr *attr  = &head->attrs[i];
        uint64_t                   index = find_name(s, attr->as);

        if (attr->as.size && index < s->names.count &&
            !name_at(s, index)->is_used)
            report(s->x, &attr->place,
                   "'%.*s' is not used: say -%.*s if that is meant",
                   TN_FMT(attr->name), TN_FMT(attr->name));
    }
}

/* An input must be used, or its name must say that it is not. */
static void check_inputs(struct scope *s, const struct tn_lang_head *head)
{
    for (uint32_t i = 0; i < head->input_count; i++) {
        const struct tn_lang_param *input = &head->inputs[i];
        uint64_t                    index = find_name(s, input->name);

        if (input->maker)
            check_inputs(s, &input->maker->head);

        if (input->name.data[0] != '_' && index < s->names.count &&
            !name_at(s, index)->is_used)
            report(s->x, &input->place,
                   "input '%.*s' is not used: call it _%.*s if that is "
                   "meant",
                   TN_FMT(input->name), TN_FMT(input->name));
    }
}

static void check_outputs(struct scope *s)
{
    for (uint32_t i = 0; i < s->head->output_count; i++) {
        const struct tn_lang_param *output = &s->head->outputs[i];
        uint64_t                    index  = find_name(s, output->name);

        if (output->arity != TN_LANG_OPTIONAL &&
            (index == s->names.count || !is_bound(s, index)))
            report(s->x, &output->place,
                   "'%.*s' is not bound on every way to the end",
                   TN_FMT(output->name));
    }
}

static void walk_shapes(struct scope *s, const struct tn_lang_rule *rule)
{
    for (uint32_t i = 0; i < rule->shape_count; i++) {
        const struct tn_lang_shape *shape = &rule->shapes[i];

        if (shape->dtype)
            walk(s, shape->dtype, false);
        if (shape->dims)
            walk(s, shape->dims, false);
        if (shape->value)
            walk(s, shape->value, false);
    }
}

/* A rule without a body drops nothing: such as the stub that --plan prints. */
static bool only_refuses(const struct tn_lang_rule *rule)
{
    return rule->body.count > 0 && rule->body.steps[0].kind == TN_LANG_REFUSE;
}

static void check_rule(struct tn_lang_checks     *x,
                       const struct tn_lang_rule *rule)
{
    bool         is_empty = only_refuses(rule);
    struct scope s;

    init_scope(&s, x, &rule->head);
    bind_head(&s, s.head);
    if (rule->head.guard)
        walk(&s, rule->head.guard, false);
    add_outputs(&s);
    walk_block(&s, &rule->body);
    walk_shapes(&s, rule);
    if (!rule->native.size && !is_empty)
        check_use(&s, s.head);
    else if (rule->native.size && !tn_native_find(x->file, rule->native))
        report(x, &rule->place, "no function in C is called '%.*s'",
               TN_FMT(rule->native));
    if (!rule->native.size && !is_empty && !x->file->is_shapes) {
        check_inputs(&s, s.head);
        check_outputs(&s);
    }
    tn_list_done(&s.names);
}

static void check_def(struct tn_lang_checks *x, const struct tn_lang_def *def)
{
    struct scope s;

    init_scope(&s, x, NULL);
    for (uint32_t i = 0; i < def->param_count; i++)
        bind(&s, def->params[i], ANYTHING, &def->place);
    walk(&s, def->body, false);
    tn_list_done(&s.names);
}

static void check_macro(struct tn_lang_checks      *x,
                        const struct tn_lang_macro *macro)
{
    struct scope s;

    init_scope(&s, x, &macro->head);
    bind_head(&s, s.head);
    add_outputs(&s);
    walk_block(&s, &macro->body);
    check_use(&s, s.head);
    check_outputs(&s);
    tn_list_done(&s.names);
}

/* ---- tables ------------------------------------------------------------- */

static void check_table(struct tn_lang_checks      *x,
                        const struct tn_lang_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (tn_lang_is_same(table->keys[i], table->keys[k])) {
                report(x, &table->keys[i]->place,
                       "table '%.*s' has this key already",
                       TN_FMT(table->name));
                break;
            }
}

/* ---- rules that are never tried ----------------------------------------- */

/* Rules of one op are near each other: how many rules back they are
 * compared. */
#define LOOK_BACK 1000

/* Whether it consists of names and literals, which cannot refuse. */
static bool is_sure(const struct tn_lang_expr *expr)
{
    if (expr->kind <= TN_LANG_NAME)
        return true;
    if (expr->kind == TN_LANG_CALL && expr->callee != TN_LANG_TO_OP)
        return false;
    if (expr->kind != TN_LANG_CALL && expr->kind != TN_LANG_SPREAD)
        return false;
    for (uint32_t i = 0; i < expr->item_count; i++)
        if (!is_sure(expr->items[i]))
            return false;
    for (uint32_t i = 0; i < expr->attr_count; i++)
        if (expr->attrs[i].value->kind > TN_LANG_NAME)
            return false;
    return true;
}

static bool takes_all(const struct tn_lang_rule *rule)
{
    for (uint32_t i = 0; i < rule->head.attr_count; i++)
        if (rule->head.attrs[i].is_match)
            return false;
    return !rule->head.guard && !tn_lang_has_pattern(&rule->head) &&
           rule->body.count == 1 && rule->body.steps[0].kind == TN_LANG_EMIT &&
           is_sure(rule->body.steps[0].expr);
}

static bool covers(const struct tn_lang_rule *first,
                   const struct tn_lang_rule *rule)
{
    const struct tn_lang_head *a = &first->head, *b = &rule->head;

    if (first->takes_pairs != rule->takes_pairs ||
        !tn_bytes_equal(a->op, b->op) ||
        !tn_bytes_equal(a->domain, b->domain) || a->since > b->since ||
        a->until < b->until || a->input_count != b->input_count ||
        a->output_count != b->output_count)
        return false;
    for (uint32_t i = 0; i < a->input_count; i++)
        if (a->inputs[i].arity < b->inputs[i].arity)
            return false;
    return takes_all(first);
}

static void check_is_tried(struct tn_lang_checks *x,
                           const struct tn_list *rules, uint64_t index)
{
    const struct tn_lang_rule *rule =
        tn_list_at(rules, struct tn_lang_rule, index);
    uint64_t first = index > LOOK_BACK ? index - LOOK_BACK : 0;

    for (uint64_t i = first; i < index; i++) {
        const struct tn_lang_rule *other =
            tn_list_at(rules, struct tn_lang_rule, i);

        if (!covers(other, rule))
            continue;
        report(x, &rule->place,
               "never tried: the rule of line %u takes all there is",
               (unsigned)other->place.line);
        return;
    }
}

/* ---- files -------------------------------------------------------------- */

static void check_heads(struct tn_lang_checks     *x,
                        const struct tn_lang_head *head)
{
    check_head(x, head, !x->file->is_shapes);
    for (uint32_t i = 0; i < head->input_count; i++)
        if (head->inputs[i].maker)
            check_heads(x, &head->inputs[i].maker->head);
}

/* Rules that simplify are applied to what they made. */
static void check_ends(struct tn_lang_checks     *x,
                       const struct tn_lang_rule *rule)
{
    uint32_t makes = tn_lang_makes(x->file, rule);

    if (tn_lang_ends(x->file, rule))
        return;
    if (rule->native.size || makes == UINT32_MAX)
        report(x, &rule->place,
               "could go on for ever: nobody knows how many nodes it makes");
    else
        report(x, &rule->place,
               "could go on for ever: it may make %" PRIu32
               " nodes, and takes away %" PRIu32 " for sure",
               makes, tn_lang_takes(&rule->head));
}

/* Rules between versions write the one before the first that they read, or the
 * one after the last. */
static int64_t written_by(struct tn_lang_checks     *x,
                          const struct tn_lang_rule *rule)
{
    const struct tn_lang_head *head = &rule->head;

    if (x->file->is_older && head->since <= 1)
        report(x, &head->place, "the rule does not say since when: %.*s@N..",
               TN_FMT(head->op));
    if (x->file->is_newer && head->until == INT64_MAX)
        report(x, &head->place, "the rule does not say until when: %.*s@..N",
               TN_FMT(head->op));
    if (x->file->is_older)
        return head->since - 1;
    return x->file->is_newer && head->until < INT64_MAX ? head->until + 1
                                                        : x->target->version;
}

static void check_rules(struct tn_lang_checks *x, const struct tn_list *rules)
{
    const struct tn_lang_side *target = x->target;

    for (uint64_t i = 0; i < rules->count; i++) {
        const struct tn_lang_rule *rule =
            tn_list_at(rules, struct tn_lang_rule, i);
        struct tn_lang_side written = *target;

        check_heads(x, &rule->head);
        written.version = written_by(x, rule);
        x->target       = &written;
        check_rule(x, rule);
        x->target = target;
        if (!x->file->is_shapes)
            check_is_tried(x, rules, i);
        if (x->file->is_simplifier)
            check_ends(x, rule);
    }
}

enum tn_status tn_lang_check(const struct tn_lang_file *file,
                             const struct tn_lang_side *from,
                             const struct tn_lang_side *to,
                             tn_on_lang_finding *on, void *context,
                             struct tn_error *error)
{
    struct tn_lang_checks x = { .file    = file,
                                .source  = from,
                                .target  = to,
                                .on      = on,
                                .context = context,
                                .error   = error,
                                .memory  = file->arena->memory };

    for (uint64_t i = 0; i < file->tables.count; i++)
        check_table(&x, tn_list_at(&file->tables, struct tn_lang_table, i));
    for (uint64_t i = 0; i < file->defs.count; i++)
        check_def(&x, tn_list_at(&file->defs, struct tn_lang_def, i));
    for (uint64_t i = 0; i < file->macros.count; i++)
        check_macro(&x, tn_list_at(&file->macros, struct tn_lang_macro, i));
    struct tn_lang_side written = *from;
    written.oldest = written.newest = written.version;
    if (tn_bytes_equal(file->from, file->to) && !file->is_simplifier &&
        !file->is_older && !file->is_newer)
        x.source = &written; /* what rules have made is rewritten */
    check_rules(&x, &file->rules);
    x.source = to;
    x.target = from;
    check_rules(&x, &file->back);
    return error->status;
}

/* ---- built-in vocabularies ---------------------------------------------- */

enum tn_status tn_lang_side_open(struct tn_lang_side *side,
                                 struct tn_vocab *vocab, struct tn_arena *arena,
                                 struct tn_bytes  dialect,
                                 struct tn_error *error)
{
    struct tn_bytes copy = tn_bytes_dup(arena, dialect, error);

    if (!copy.data)
        return error->status;
    const char                    *name      = (const char *)copy.data;
    const struct tn_dialect_facts *facts     = tn_dialect_facts(name);
    bool                           has_vocab = tn_vocab_is_builtin(name);
    *side = (struct tn_lang_side){ .vocab   = has_vocab ? vocab : NULL,
                                   .newest  = INT64_MAX,
                                   .version = INT64_MAX };
    if (facts->rule_version) {
        side->oldest  = facts->oldest_version;
        side->version = facts->rule_version;
    }
    return has_vocab ? tn_vocab_open(vocab, arena, name, error) : TN_OK;
}
