/* lang_check_ops.c - heads and calls against a vocabulary */
#include <inttypes.h>

#include "map/lang/lang_attr.h"
#include "map/lang/lang_checking.h"

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

/* T and N of TensorFlow say what the inputs say too. */
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
        tn_lang_found(x, &expr->place, "'%.*s' is of type %.*s",
                      TN_FMT(attr->name), TN_FMT(attr->type));
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

/* Whether a version before `until` has that attribute: it was told then. */
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
            tn_lang_found(v->x, &v->head->place,
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
    tn_lang_found(x, &attr->place, "'%.*s' has no attribute '%.*s'",
                  TN_FMT(head->op), TN_FMT(attr->name));
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
        tn_lang_found(x, &head->place, "'%.*s' never has that many inputs",
                      TN_FMT(head->op));
    if (!outputs_fit)
        tn_lang_found(x, &head->place, "'%.*s' never has that many outputs",
                      TN_FMT(head->op));
}

void tn_lang_check_head(struct tn_lang_checks     *x,
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
            tn_lang_found(x, &head->place,
                          "%.*s has no op '%.*s' in these versions",
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
            tn_lang_found(x, &attr->place, "'%.*s' has no attribute '%.*s'",
                          TN_FMT(op->name), TN_FMT(attr->name));
    }
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].is_required && !is_set(call, op->attrs[i].name) &&
            !is_implied(op, op->attrs[i].name))
            tn_lang_found(x, &call->place, "'%.*s' needs an attribute '%.*s'",
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
        tn_lang_found(x, &call->place,
                      "%" PRIu32 " inputs for '%.*s', which takes %" PRIu32,
                      count, TN_FMT(op->name), op->max_inputs);
    if (count < op->min_inputs && !has_spread(call))
        tn_lang_found(x, &call->place,
                      "%" PRIu32 " inputs for '%.*s', which needs %" PRIu32,
                      count, TN_FMT(op->name), op->min_inputs);
    if (output_count > op->max_outputs)
        tn_lang_found(x, &call->place,
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

void tn_lang_check_op(struct tn_lang_checks *x, const struct tn_lang_expr *call,
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
    if (op && !(op->deprecated && op->deprecated <= side->version)) {
        check_call_attrs(x, call, op);
        check_call_counts(x, call, op, output_count);
    } else if (domain && !domain->is_open) {
        tn_lang_found(x, &call->place, "%.*s has no op '%.*s'",
                      TN_FMT(side->vocab->dialect), TN_FMT(call->text));
    }
}
