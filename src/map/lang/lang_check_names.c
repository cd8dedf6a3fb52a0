/*
 * lang_check_names.c - names are bound before they are used
 *
 * A name is one thing in all of its rule: binding it again changes it, and what
 * a branch binds is bound after it if the other branch binds it too.  A loop is
 * taken to run, and to have run before: what one round leaves is there in the
 * next and after the last (a rule that runs otherwise fails then).  Only the
 * variables of a loop end with it.  After `refuse` everything counts as bound:
 * nothing runs there.
 */
#include <inttypes.h>

#include "map/lang/lang_checking.h"
#include "map/lang/lang_native.h"

/* More than any rule has; a set of them is small enough to be copied. */
#define NAME_LIMIT 1024
#define WORDS      (NAME_LIMIT / 64)

struct bound {
    uint64_t bits[WORDS];
};

enum name_kind {
    A_VALUE,
    AN_ATTRIBUTE, /* cannot stand where values stand                          */
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
                         enum name_kind kind, const struct tn_map_place *place)
{
    uint64_t index = s->names.count;

    if (index == NAME_LIMIT) {
        tn_lang_found(s->x, place, "more than %d names in one rule",
                      NAME_LIMIT);
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
                 const struct tn_map_place *place)
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
        tn_lang_found(s->x, &expr->place, "there is no '%.*s' here",
                      TN_FMT(expr->text));
        return;
    }
    struct name *name = name_at(s, index);
    name->is_used     = true;
    if (!is_bound(s, index))
        tn_lang_found(s->x, &expr->place,
                      "'%.*s' is not bound on every way that leads here",
                      TN_FMT(expr->text));
    else if (is_value && name->kind == AN_ATTRIBUTE)
        tn_lang_found(s->x, &expr->place, "'%.*s' is an attribute, not a value",
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

/* wanted(Y) and len(ys) are asked of outputs, which need not be bound yet.
 * True: it was that. */
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
        tn_lang_found(s->x, &call->items[0]->place,
                      "wanted() is asked of an output");
    return true;
}

static void check_count(struct scope *s, const struct tn_lang_expr *call,
                        uint32_t least, uint32_t most)
{
    for (uint32_t i = 0; i < call->item_count; i++)
        if (call->items[i]->kind == TN_LANG_SPREAD)
            return;
    if (call->item_count < least || call->item_count > most)
        tn_lang_found(s->x, &call->place,
                      "%" PRIu32
                      " arguments for '%.*s', which takes %s%" PRIu32,
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
            tn_lang_found(s->x, &call->attrs[i].place,
                          "'%.*s' has no parameter '%.*s'", TN_FMT(macro->op),
                          TN_FMT(call->attrs[i].name));
    }
    for (uint32_t k = 0; k < macro->attr_count; k++) {
        bool is_there = macro->attrs[k].value;

        for (uint32_t i = 0; i < call->attr_count; i++)
            is_there |=
                tn_bytes_equal(macro->attrs[k].name, call->attrs[i].name);
        if (!is_there)
            tn_lang_found(s->x, &call->place,
                          "'%.*s' needs its parameter '%.*s'",
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
        tn_lang_found(s->x, &call->place,
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
    case TN_LANG_TO_TABLE: check_count(s, call, 1, 1); break;
    case TN_LANG_TO_MACRO: check_macro_call(s, call, output_count); break;
    case TN_LANG_TO_OP: tn_lang_check_op(s->x, call, output_count); break;
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

/* What `<-` binds to several names; branches give as many outputs each. */
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

/* What the steps of a loop bind, as earlier rounds of it have. */
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

static void bind_head(struct scope *s)
{
    const struct tn_lang_head *head = s->head;

    for (uint32_t i = 0; i < head->input_count; i++)
        bind(s, head->inputs[i].name, A_VALUE, &head->inputs[i].place);
    for (uint32_t i = 0; i < head->attr_count; i++) {
        const struct tn_lang_attr *attr = &head->attrs[i];

        if (!attr->as.size)
            continue;
        if (find_name(s, attr->as) != s->names.count)
            tn_lang_found(s->x, &attr->place,
                          "'%.*s' is there already: say %.*s as ANOTHER",
                          TN_FMT(attr->as), TN_FMT(attr->name));
        if (attr->value && !attr->is_match)
            walk(s, attr->value, false);
        bind(s, attr->as, AN_ATTRIBUTE, &attr->place);
    }
}

/* Outputs have names before they are bound: a way that ends in `refuse` need
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

/* An attribute is used, or the head says that it is not. */
static void check_use(struct scope *s)
{
    for (uint32_t i = 0; i < s->head->attr_count; i++) {
        const struct tn_lang_attr *attr  = &s->head->attrs[i];
        uint64_t                   index = find_name(s, attr->as);

        if (attr->as.size && index < s->names.count &&
            !name_at(s, index)->is_used)
            tn_lang_found(s->x, &attr->place,
                          "'%.*s' is not used: say -%.*s if that is meant",
                          TN_FMT(attr->name), TN_FMT(attr->name));
    }
}

/* So is an input, unless its name says that it is not. */
static void check_inputs(struct scope *s)
{
    for (uint32_t i = 0; i < s->head->input_count; i++) {
        const struct tn_lang_param *input = &s->head->inputs[i];
        uint64_t                    index = find_name(s, input->name);

        if (input->name.data[0] != '_' && index < s->names.count &&
            !name_at(s, index)->is_used)
            tn_lang_found(s->x, &input->place,
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
            tn_lang_found(s->x, &output->place,
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

/* A rule that carries nothing drops nothing, either: what --plan prints to be
 * filled in is one. */
static bool only_refuses(const struct tn_lang_rule *rule)
{
    return rule->body.count > 0 && rule->body.steps[0].kind == TN_LANG_REFUSE;
}

void tn_lang_check_rule(struct tn_lang_checks     *x,
                        const struct tn_lang_rule *rule)
{
    bool         is_empty = only_refuses(rule);
    struct scope s;

    init_scope(&s, x, &rule->head);
    bind_head(&s);
    if (rule->head.guard)
        walk(&s, rule->head.guard, false);
    add_outputs(&s);
    walk_block(&s, &rule->body);
    walk_shapes(&s, rule);
    if (!rule->native.size && !is_empty)
        check_use(&s);
    else if (rule->native.size && !tn_native_find(x->file, rule->native))
        tn_lang_found(x, &rule->place, "no function in C is called '%.*s'",
                      TN_FMT(rule->native));
    if (!rule->native.size && !is_empty && !x->file->is_shapes) {
        check_inputs(&s);
        check_outputs(&s);
    }
    tn_list_done(&s.names);
}

void tn_lang_check_def(struct tn_lang_checks *x, const struct tn_lang_def *def)
{
    struct scope s;

    init_scope(&s, x, NULL);
    for (uint32_t i = 0; i < def->param_count; i++)
        bind(&s, def->params[i], ANYTHING, &def->place);
    walk(&s, def->body, false);
    tn_list_done(&s.names);
}

void tn_lang_check_macro(struct tn_lang_checks      *x,
                         const struct tn_lang_macro *macro)
{
    struct scope s;

    init_scope(&s, x, &macro->head);
    bind_head(&s);
    add_outputs(&s);
    walk_block(&s, &macro->body);
    check_use(&s);
    check_outputs(&s);
    tn_list_done(&s.names);
}
