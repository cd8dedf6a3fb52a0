/*
 * lang_emit.c - the body of a rule makes nodes
 *
 * In place of a value, a name is a value and a call makes nodes.  Expressions
 * are computed by lang_eval.c.  Both share the frame.
 */
#include "map/lang/lang_emit.h"

#include <inttypes.h>

#include "map/lang/lang_attr.h"
#include "map/lang/lang_pairs.h"
#include "map/net/net_build.h"

/* Macros use only macros above them, but there may be many. */
#define MACRO_DEPTH_MAX 64

static struct tn_item make(struct tn_emit *e, const struct tn_code *code);

struct tn_item tn_emit_need(struct tn_emit *e, const struct tn_code *code)
{
    struct tn_item item = tn_eval(&e->eval, code);

    if (!tn_emit_stopped(e) && item.kind == TN_ITEM_UNKNOWN)
        tn_eval_not_known(&e->eval, item, code->expr);
    return item;
}

static bool need_truth(struct tn_emit *e, const struct tn_code *code)
{
    struct tn_item item = tn_emit_need(e, code);
    int64_t        is_true;

    if (!tn_emit_stopped(e) && !tn_item_to_int(item, &is_true))
        tn_eval_refuse(&e->eval, code->expr, "expected a bool");
    return !tn_emit_stopped(e) && is_true != 0;
}

/* ---- values ------------------------------------------------------------- */

uint32_t tn_emit_value(struct tn_emit *e)
{
    return tn_net_add_nameless(e->to, e->graph);
}

uint32_t tn_emit_unchanged(struct tn_emit *e, uint32_t value)
{
    uint32_t *id = tn_list_at(&e->ids, uint32_t, value);

    if (*id != TN_NONE)
        return *id;
    uint32_t *note = tn_list_push(&e->carried, uint32_t, e->to->error);
    uint32_t  made = tn_emit_value(e);
    if (!note || made == TN_NONE)
        return TN_NONE;
    *tn_net_value_row(e->to, made) = *tn_net_value_row(e->eval.net, value);
    if (!tn_net_value_row(e->to, made)->is_constant)
        tn_net_set_producer(e->to, made, TN_NONE, 0);
    if (e->eval.has_pairs)
        tn_pair_value(e->to, made);
    *note = value;
    *id   = made;
    return made;
}

void tn_emit_name_inner(const struct tn_emit *e, struct tn_net_value_row *row)
{
    const struct tn_net_node *node = e->eval.node;

    if (node->output_count && node->outputs[0] != TN_NONE)
        row->name = tn_net_value_row(e->eval.net, node->outputs[0])->name;
    else
        row->name = tn_net_keep_name(e->to, node->name);
    row->is_inner = true;
}

/* As an input of a node. */
uint32_t tn_emit_input(struct tn_emit *e, const struct tn_lang_expr *at,
                       struct tn_item item)
{
    if (item.kind == TN_ITEM_MADE)
        return (uint32_t)item.of.number;
    if (item.kind == TN_ITEM_VALUE)
        return tn_emit_unchanged(e, (uint32_t)item.of.number);
    if (item.kind != TN_ITEM_NONE)
        tn_eval_refuse(&e->eval, at, "expected a value");
    return TN_NONE;
}

/* ---- nodes -------------------------------------------------------------- */

/* Places of a call: values, `none`, and spread lists of them. */
static bool make_places(struct tn_emit *e, const struct tn_code *code,
                        struct tn_item *places, uint64_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < code->item_count; i++) {
        const struct tn_code *item      = &code->items[i];
        bool                  is_spread = item->kind == TN_LANG_SPREAD;
        places[i] = make(e, is_spread ? item->items : item);
        if (tn_emit_stopped(e))
            return false;
        if (is_spread && places[i].kind != TN_ITEM_LIST) {
            tn_eval_refuse(&e->eval, item->expr, "expected a list");
            return false;
        }
        *count += is_spread ? places[i].count : 1;
    }
    return true;
}

/* The same with spread lists as their items; NULL: it has refused. */
static struct tn_item *make_flat(struct tn_emit *e, const struct tn_code *code,
                                 uint64_t *count)
{
    struct tn_item *places =
        tn_eval_list(&e->eval, code->expr, code->item_count);

    if (!places || !make_places(e, code, places, count))
        return NULL;
    struct tn_item *flat = tn_eval_list(&e->eval, code->expr, *count);
    struct tn_item *at   = flat;
    for (uint32_t i = 0; flat && i < code->item_count; i++) {
        bool                  is_spread = code->items[i].kind == TN_LANG_SPREAD;
        const struct tn_item *list =
            is_spread ? places[i].of.items : &places[i];
        for (uint32_t k = 0; k < (is_spread ? places[i].count : 1); k++)
            *at++ = list[k];
    }
    return flat;
}

/* The values of the places of a call, one after the other. */
static uint32_t *make_inputs(struct tn_emit *e, const struct tn_code *code,
                             uint32_t *count)
{
    struct tn_item *places =
        tn_eval_list(&e->eval, code->expr, code->item_count);
    uint64_t all = 0;

    if (!places || !make_places(e, code, places, &all) ||
        !tn_eval_steps(&e->eval, code->expr, all))
        return NULL;
    uint32_t *inputs = tn_new(e->eval.scratch, uint32_t, all, e->to->error);
    uint32_t  used   = 0;
    for (uint32_t i = 0; inputs && i < code->item_count; i++) {
        bool                  is_spread = code->items[i].kind == TN_LANG_SPREAD;
        const struct tn_item *list =
            is_spread ? places[i].of.items : &places[i];
        uint32_t many = is_spread ? places[i].count : 1;
        for (uint32_t k = 0; k < many; k++)
            inputs[used++] = tn_emit_input(e, code->expr, list[k]);
    }
    while (used && inputs && inputs[used - 1] == TN_NONE)
        used--;
    *count = used;
    return tn_emit_stopped(e) ? NULL : inputs;
}

static bool make_attr(struct tn_emit *e, const struct tn_code_attr *attr,
                      struct tn_net_attr *out, bool *is_given)
{
    struct tn_attr_wish wish = { attr->kind, attr->is_list, e->has_doubles };
    struct tn_item      item = tn_eval(&e->eval, &attr->value);

    *is_given = !tn_emit_stopped(e) && item.kind != TN_ITEM_NONE;
    if (!*is_given)
        return !tn_emit_stopped(e);
    bool may_be_open = attr->kind == TN_ATTR_SHAPE;
    tn_eval_steps(&e->eval, attr->value.expr, item.count);
    if (item.kind == TN_ITEM_UNKNOWN && !may_be_open)
        tn_eval_not_known(&e->eval, item, attr->value.expr);
    for (uint32_t i = 0; item.kind == TN_ITEM_LIST && i < item.count; i++)
        if (item.of.items[i].kind == TN_ITEM_UNKNOWN && !may_be_open)
            tn_eval_not_known(&e->eval, item.of.items[i], attr->value.expr);
    if (tn_emit_stopped(e))
        return false;
    out->name = attr->name;
    const char *why =
        tn_attr_from_item(item, &wish, e->to->arena, &out->value, e->to->error);
    if (why && *why)
        tn_eval_refuse(&e->eval, attr->value.expr, "attribute '%.*s' %s",
                       TN_FMT(attr->name), why);
    return !tn_emit_stopped(e);
}

static bool make_attrs(struct tn_emit *e, const struct tn_code_op *op,
                       struct tn_net_node *node)
{
    struct tn_net_attr *attrs = tn_new(e->eval.scratch, struct tn_net_attr,
                                       op->attr_count, e->to->error);

    for (uint32_t i = 0; attrs && i < op->attr_count; i++) {
        bool is_given;
        if (!make_attr(e, &op->attrs[i], &attrs[node->attr_count], &is_given))
            return false;
        node->attr_count += is_given;
    }
    node->attrs = attrs;
    return attrs != NULL;
}

static bool count_node(struct tn_emit *e, const struct tn_lang_expr *at)
{
    if (e->to->nodes.count - e->first_node < TN_LANG_NODES_MAX)
        return true;
    tn_eval_refuse(&e->eval, at, "more than %d nodes", TN_LANG_NODES_MAX);
    return false;
}

void tn_emit_node(struct tn_emit *e, const struct tn_lang_expr *at,
                  struct tn_net_node *node, struct tn_item *outs,
                  uint32_t out_count)
{
    if (!count_node(e, at) || !tn_eval_steps(&e->eval, at, out_count))
        return;
    uint32_t *outputs =
        tn_new(e->eval.scratch, uint32_t, out_count, e->to->error);
    for (uint32_t i = 0; outputs && i < out_count; i++) {
        outputs[i] = outs[i].kind == TN_ITEM_NONE ? TN_NONE : tn_emit_value(e);
        if (outputs[i] != TN_NONE)
            outs[i] = tn_emit_made(outputs[i]);
    }
    while (out_count > 1 && outputs && outputs[out_count - 1] == TN_NONE)
        out_count--;
    if (!outputs || tn_failed(e->to->error))
        return;
    node->outputs       = outputs;
    node->output_count  = out_count;
    node->graph         = e->graph;
    node->source        = e->eval.node->source;
    node->controls      = e->controls;
    node->control_count = e->control_count;
    uint32_t id         = tn_net_add_node(e->to, node);
    if (id != TN_NONE && e->eval.made_facts)
        tn_infer_node(e->eval.made_facts, id);
}

static void make_node(struct tn_emit *e, const struct tn_code *code,
                      struct tn_item *outs, uint32_t out_count)
{
    const struct tn_code_op *op = code->of.op;
    struct tn_net_node node = { .op = tn_net_op(e->to, op->type, op->domain) };

    node.inputs = make_inputs(e, code, &node.input_count);
    if (node.inputs && make_attrs(e, op, &node))
        tn_emit_node(e, code->expr, &node, outs, out_count);
}

/* ---- macros ------------------------------------------------------------- */

static bool enter_macro(struct tn_emit *e, const struct tn_code *code,
                        struct tn_item *frame)
{
    const struct tn_code_op    *op   = code->of.op;
    const struct tn_code_frame *to   = &op->macro->frame;
    const struct tn_lang_head  *head = to->head;

    for (uint32_t i = 0; i < head->attr_count; i++)
        frame[to->attrs[i].slot] = to->attrs[i].fallback;
    for (uint32_t i = 0; i < op->attr_count && !tn_emit_stopped(e); i++)
        frame[op->attrs[i].slot] = tn_eval(&e->eval, &op->attrs[i].value);
    return !tn_emit_stopped(e);
}

/* Inputs by position; a variadic one takes the rest. */
static bool macro_inputs(struct tn_emit *e, const struct tn_code *code,
                         struct tn_item *frame)
{
    const struct tn_lang_head *head = code->of.op->macro->frame.head;
    uint64_t                   all  = 0;
    struct tn_item            *flat = make_flat(e, code, &all);

    for (uint32_t i = 0; flat && i < head->input_count; i++) {
        uint32_t left = all > i ? (uint32_t)(all - i) : 0;
        if (head->inputs[i].arity == TN_LANG_MANY)
            frame[i] = tn_item_list(flat + (left ? i : 0), left);
        else
            frame[i] = left ? flat[i] : tn_item_none();
    }
    return flat && !tn_emit_stopped(e);
}

static void make_macro(struct tn_emit *e, const struct tn_code *code,
                       struct tn_item *outs, uint32_t out_count)
{
    const struct tn_code_macro *macro  = code->of.op->macro;
    struct tn_item             *before = e->eval.frame;
    struct tn_item             *frame =
        tn_eval_list(&e->eval, code->expr, macro->frame.slot_count);

    if (!frame || !enter_macro(e, code, frame) || !macro_inputs(e, code, frame))
        return;
    if (e->depth == MACRO_DEPTH_MAX) {
        tn_eval_refuse(&e->eval, code->expr, "macros nested deeper than %d",
                       MACRO_DEPTH_MAX);
        return;
    }
    e->depth++;
    e->eval.frame = frame;
    tn_emit_block(e, &macro->body);
    e->eval.frame = before;
    e->depth--;
    for (uint32_t i = 0; i < out_count && !tn_emit_stopped(e); i++) {
        if (i < macro->frame.head->output_count)
            outs[i] = frame[macro->frame.first_output + i];
        if (i >= macro->frame.head->output_count ||
            outs[i].kind == TN_ITEM_UNSET)
            tn_eval_refuse(&e->eval, code->expr,
                           "the macro has nothing for output %" PRIu32, i);
    }
}

static void make_call(struct tn_emit *e, const struct tn_code *code,
                      struct tn_item *outs, uint32_t out_count)
{
    if (code->callee == TN_LANG_TO_MACRO)
        make_macro(e, code, outs, out_count);
    else
        make_node(e, code, outs, out_count);
}

static bool is_maker(const struct tn_code *code)
{
    return code->kind == TN_LANG_CALL &&
           (code->callee == TN_LANG_TO_OP || code->callee == TN_LANG_TO_MACRO);
}

/* ---- values of all kinds ------------------------------------------------ */

static struct tn_item make_list(struct tn_emit *e, const struct tn_code *code)
{
    uint64_t        count = 0;
    struct tn_item *flat  = make_flat(e, code, &count);

    return tn_item_list(flat, flat ? (uint32_t)count : 0);
}

/* [cast(x; ...) for x in xs]: nodes for each. */
static struct tn_item make_each(struct tn_emit *e, const struct tn_code *code)
{
    struct tn_item  xs = tn_emit_need(e, &code->items[1]);
    struct tn_item *items;
    uint32_t        count = 0;

    if (!tn_emit_stopped(e) && xs.kind != TN_ITEM_LIST)
        tn_eval_refuse(&e->eval, code->expr, "expected a list");
    if (tn_emit_stopped(e))
        return tn_item_none();
    items = tn_eval_list(&e->eval, code->expr, xs.count);
    for (uint32_t i = 0; items && i < xs.count && !tn_emit_stopped(e); i++) {
        e->eval.frame[code->slot] = xs.of.items[i];
        if (code->second != TN_NONE)
            e->eval.frame[code->second] = tn_item_int(i);
        if (code->item_count > 2 && code->items[2].expr &&
            !need_truth(e, &code->items[2]))
            continue;
        items[count++] = make(e, &code->items[0]);
    }
    return tn_item_list(items, items ? count : 0);
}

static struct tn_item make_inner(struct tn_emit *e, const struct tn_code *code)
{
    struct tn_item out = { .kind = TN_ITEM_UNSET };

    if (is_maker(code)) {
        make_call(e, code, &out, 1);
        return out;
    }
    if (code->kind == TN_LANG_CALL && code->callee == TN_LANG_TO_CONST)
        return tn_emit_const_call(e, code);
    if (code->kind == TN_LANG_CALL && code->callee == TN_LANG_TO_RESCALED)
        return tn_emit_rescaled_call(e, code);
    if (code->kind == TN_LANG_IF)
        return make(e, &code->items[need_truth(e, &code->items[0]) ? 1 : 2]);
    if (code->kind == TN_LANG_LIST)
        return make_list(e, code);
    if (code->kind == TN_LANG_EACH)
        return make_each(e, code);
    return tn_emit_need(e, code);
}

static struct tn_item make(struct tn_emit *e, const struct tn_code *code)
{
    if (tn_emit_stopped(e) || code->kind == TN_LANG_NAME)
        return tn_emit_stopped(e) ? tn_item_none() : tn_eval(&e->eval, code);
    if (e->eval.depth >= TN_LANG_DEPTH_MAX)
        return tn_eval_refuse(&e->eval, code->expr, "nested deeper than %d",
                              TN_LANG_DEPTH_MAX);
    e->eval.depth++;
    struct tn_item item = make_inner(e, code);
    e->eval.depth--;
    return item;
}

/* ---- steps -------------------------------------------------------------- */

/* How many outputs `a, bs... <- call` has: as many as the node that is mapped,
 * when that is what the last name stands for. */
static uint32_t output_count(struct tn_emit *e, const struct tn_code_step *step)
{
    uint32_t names = step->slot_count, given = e->eval.node->output_count;

    if (!step->last_is_many || given < names)
        return names;
    return given;
}

static void bind(struct tn_emit *e, uint32_t slot, struct tn_item item)
{
    if (slot != TN_NONE)
        e->eval.frame[slot] = item;
}

/* The outputs of one call to several names. */
static void bind_call(struct tn_emit *e, const struct tn_code_step *step)
{
    uint32_t        count = output_count(e, step), names = step->slot_count;
    struct tn_item *outs = tn_eval_list(&e->eval, step->expr.expr, count);

    for (uint32_t i = 0; outs && i < names; i++)
        if (step->slots[i] == TN_NONE)
            outs[i] = tn_item_none();
    if (!outs)
        return;
    make_call(e, &step->expr, outs, count);
    if (tn_emit_stopped(e))
        return;
    for (uint32_t i = 0; i < names; i++)
        if (step->last_is_many && i == names - 1)
            bind(e, step->slots[i], tn_item_list(outs + i, count - i));
        else
            bind(e, step->slots[i], outs[i]);
}

static void run_emit(struct tn_emit *e, const struct tn_code_step *step)
{
    if (is_maker(&step->expr)) {
        bind_call(e, step);
        return;
    }
    struct tn_item item = make(e, &step->expr);
    if (tn_emit_stopped(e))
        return;
    if (step->slot_count != 1)
        tn_eval_refuse(&e->eval, step->expr.expr,
                       "one value for %" PRIu32 " names", step->slot_count);
    else if (step->last_is_many && item.kind != TN_ITEM_LIST)
        tn_eval_refuse(&e->eval, step->expr.expr, "expected a list");
    else
        bind(e, step->slots[0], item);
}

static void run_for(struct tn_emit *e, const struct tn_code_step *step)
{
    struct tn_item xs = tn_emit_need(e, &step->expr);
    uint32_t       at = step->slot_count > 1;

    if (!tn_emit_stopped(e) && xs.kind != TN_ITEM_LIST)
        tn_eval_refuse(&e->eval, step->expr.expr, "expected a list");
    for (uint32_t i = 0; !tn_emit_stopped(e) && i < xs.count; i++) {
        if (at)
            bind(e, step->slots[0], tn_item_int(i));
        bind(e, step->slots[at], xs.of.items[i]);
        tn_eval_steps(&e->eval, step->expr.expr, 1);
        tn_emit_block(e, &step->body);
    }
}

static void run_refuse(struct tn_emit *e, const struct tn_code_step *step)
{
    struct tn_item text = tn_emit_need(e, &step->expr);

    if (tn_emit_stopped(e))
        return;
    if (text.kind != TN_ITEM_STRING)
        text = tn_item_text(tn_text("the rule refuses"));
    tn_eval_refuse(&e->eval, step->expr.expr, "%.*s",
                   TN_FMT(tn_item_bytes(text)));
    e->eval.refusal.is_plain = true;
}

static void run_require(struct tn_emit *e, const struct tn_code_step *step)
{
    e->eval.missed = tn_item_none();
    if (!need_truth(e, &step->expr) && !tn_emit_stopped(e))
        tn_eval_refuse_requirement(&e->eval, step->expr.expr, step->step->why);
}

void tn_emit_block(struct tn_emit *e, const struct tn_code_block *block)
{
    for (uint32_t i = 0; i < block->count && !tn_emit_stopped(e); i++) {
        tn_eval_steps(&e->eval, NULL, 1);
        const struct tn_code_step *step = &block->steps[i];
        switch (step->kind) {
        case TN_LANG_LET:
            bind(e, step->slots[0], tn_eval(&e->eval, &step->expr));
            break;
        case TN_LANG_EMIT: run_emit(e, step); break;
        case TN_LANG_WHEN:
            if (need_truth(e, &step->expr))
                tn_emit_block(e, &step->body);
            else if (!tn_emit_stopped(e))
                tn_emit_block(e, &step->other);
            break;
        case TN_LANG_FOR: run_for(e, step); break;
        case TN_LANG_REFUSE: run_refuse(e, step); break;
        case TN_LANG_REQUIRE: run_require(e, step); break;
        }
    }
}
