/* lang_match.c - whether a rule applies to a node */
#include "map/lang/lang_match.h"

#include <inttypes.h>
#include <stdio.h>

#include "map/lang/infer.h"
#include "map/lang/lang_attr.h"
#include "map/lang/lang_report.h"
#include "map/lang/lang_pairs.h"

static bool refuse_at(struct tn_eval *e, const struct tn_location *place,
                      const char *what, struct tn_bytes name)
{
    struct tn_lang_expr at = { .place = *place };

    tn_eval_refuse(e, &at, "%s '%.*s'", what, TN_FMT(name));
    return false;
}

/* The rule is not for nodes of this kind. */
static bool is_for_another(struct tn_eval *e)
{
    e->refusal.reason = TN_REASON_NONE;
    return false;
}

static struct tn_item input_item(const struct tn_net_node *node, uint32_t index)
{
    if (index >= node->input_count || node->inputs[index] == TN_NONE)
        return tn_item_none();
    return (struct tn_item){ .kind      = TN_ITEM_VALUE,
                             .of.number = node->inputs[index] };
}

/* xs...: what is left of the inputs. */
static struct tn_item rest_item(struct tn_eval           *e,
                                const struct tn_net_node *node, uint32_t first)
{
    uint32_t count = node->input_count > first ? node->input_count - first : 0;
    struct tn_item *items = tn_eval_list(e, NULL, count);

    for (uint32_t i = 0; items && i < count; i++)
        items[i] = input_item(node, first + i);
    return tn_item_list(items, items ? count : 0);
}

static bool enter_inputs(struct tn_eval *e, const struct tn_code_frame *frame,
                         const struct tn_net_node *node, uint32_t swaps)
{
    const struct tn_lang_head *head     = frame->head;
    uint32_t                   count    = head->input_count;
    struct tn_item            *slots    = &e->frame[frame->first_input];
    uint32_t                   exchange = swaps & frame->swap ? 1 : 0;
    bool has_rest = count && head->inputs[count - 1].arity == TN_LANG_MANY;

    if (node->input_count > count && !has_rest)
        return refuse_at(e, &head->place,
                         "more inputs than the rule takes:", head->op);
    for (uint32_t i = 0; i < count; i++) {
        if (has_rest && i == count - 1) {
            slots[i] = rest_item(e, node, i);
            break;
        }
        slots[i] = input_item(node, i ^ exchange);
        if (slots[i].kind == TN_ITEM_NONE &&
            head->inputs[i].arity == TN_LANG_ONE)
            return refuse_at(e, &head->inputs[i].place, "there is no input",
                             head->inputs[i].name) ||
                   is_for_another(e);
    }
    return !tn_eval_stopped(e);
}

static const struct tn_attr_value *find_attr(const struct tn_net_node *node,
                                             struct tn_bytes           name)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (tn_bytes_equal(node->attrs[i].name, name))
            return &node->attrs[i].value;
    return NULL;
}

static bool enter_attr(struct tn_eval *e, const struct tn_code_head_attr *attr,
                       const struct tn_net_node *node)
{
    const struct tn_attr_value *value;
    struct tn_item             *slot = &e->frame[attr->slot];

    *slot = attr->fallback;
    if (attr->is_ignored)
        return true;
    value = find_attr(node, attr->name);
    if (value && value->count > TN_LANG_LIST_MAX)
        return refuse_at(e, &attr->place, "too long:", attr->name);
    if (value && !tn_attr_to_item(value, e->scratch, slot, e->error))
        return false;
    if (attr->is_match && tn_item_equal(*slot, attr->wanted) <= 0)
        return refuse_at(e, &attr->place, "the rule is for another",
                         attr->name) ||
               is_for_another(e);
    return true;
}

static bool enter_outputs(struct tn_eval *e, const struct tn_lang_head *head)
{
    uint32_t count    = head->output_count;
    bool     has_rest = count && head->outputs[count - 1].arity == TN_LANG_MANY;
    uint32_t given    = e->node->output_count;

    while (given > count && e->node->outputs[given - 1] == TN_NONE)
        given--;
    if (given > count && !has_rest)
        return refuse_at(e, &head->place,
                         "more outputs than the rule has:", head->op);
    return true;
}

/* ---- patterns ----------------------------------------------------------- */

static bool enter_node(struct tn_eval *e, const struct tn_code_frame *frame,
                       const struct tn_net_node *node, uint32_t swaps,
                       bool is_used_up);

static bool is_literal(struct tn_eval *e, struct tn_item wanted, uint32_t value)
{
    struct tn_item items = tn_item_unknown(NULL);

    if (!e->facts || tn_fold(e->facts, value, &items) != TN_OK ||
        items.kind != TN_ITEM_LIST || items.count == 0)
        return false;
    for (uint32_t i = 0; i < items.count; i++)
        if (tn_item_equal(items.of.items[i], wanted) <= 0)
            return false;
    return tn_eval_steps(e, NULL, items.count);
}

/* The node of the same graph that makes the value; TN_NONE: another. */
static uint32_t maker_of(const struct tn_eval *e, uint32_t value,
                         const struct tn_code_frame *frame)
{
    const struct tn_lang_head *head = frame->head;
    struct tn_net_value        v    = tn_net_value(e->net, value);
    int64_t version                 = tn_code_version(frame->set, head->domain);

    if (v.producer == TN_NONE || v.constant ||
        v.output != frame->pattern->output ||
        (version && (version < head->since || version > head->until)))
        return TN_NONE;
    const struct tn_net_node node = tn_net_node(e->net, v.producer);
    bool                     is_that =
        !node.is_removed && node.graph == e->node->graph &&
        tn_bytes_equal(node.op->type, head->op) &&
        tn_code_same_domain(frame->set, node.op->domain, head->domain);
    return is_that ? v.producer : TN_NONE;
}

/* How often outputs of a node are used; 2: more than once. */
static uint32_t uses_of(const struct tn_eval *e, const struct tn_net_node *node)
{
    uint32_t uses = 0;

    for (uint32_t i = 0; i < node->output_count && uses < 2; i++)
        if (node->outputs[i] != TN_NONE)
            uses += e->uses ? e->uses[node->outputs[i]] : 2;
    return uses;
}

static bool enter_pattern(struct tn_eval *e, const struct tn_code_frame *frame,
                          uint32_t i, uint32_t swaps, bool is_used_up);

/* Matches without the optional node: its first input is then the value itself,
 * and what the pattern asks of that input is asked of the value. */
static bool leave_out(struct tn_eval *e, const struct tn_code_frame *frame,
                      struct tn_item value, uint32_t swaps, bool is_used_up)
{
    const struct tn_lang_head *head = frame->head;

    for (uint32_t i = 0; i < head->input_count; i++)
        e->frame[frame->first_input + i] = tn_item_none();
    for (uint32_t i = 0; i < head->attr_count; i++)
        e->frame[frame->attrs[i].slot] = tn_item_none();
    e->frame[frame->first_input] = value;
    e->refusal.is_set            = false;
    return !tn_failed(e->error) &&
           enter_pattern(e, frame, 0, swaps, is_used_up);
}

static bool enter_maker(struct tn_eval *e, const struct tn_code_frame *frame,
                        struct tn_item value, uint32_t swaps, bool is_used_up)
{
    uint32_t count = e->inner_count;
    uint32_t maker = value.kind == TN_ITEM_VALUE
                         ? maker_of(e, (uint32_t)value.of.number, frame)
                         : TN_NONE;

    if (maker != TN_NONE) {
        struct tn_net_node node    = tn_net_node(e->net, maker);
        bool               is_once = uses_of(e, &node) == 1;
        is_used_up = is_used_up && is_once && !node.control_count;
        if (is_used_up && e->inner_count < TN_LANG_PATTERN_NODES)
            e->inner[e->inner_count++] = maker;
        if ((is_once || !frame->pattern->is_once) &&
            enter_node(e, frame, &node, swaps, is_used_up))
            return true;
        e->inner_count = count;
    }
    if (frame->pattern->is_maybe)
        return leave_out(e, frame, value, swaps, is_used_up);
    return refuse_at(e, &frame->head->place, "the input is not made by a",
                     frame->head->op) ||
           is_for_another(e);
}

/* What a head requires of an input besides its name. */
static bool enter_pattern(struct tn_eval *e, const struct tn_code_frame *frame,
                          uint32_t i, uint32_t swaps, bool is_used_up)
{
    const struct tn_lang_head  *head  = frame->head;
    const struct tn_code_input *input = &frame->inputs[i];
    struct tn_item              item  = e->frame[frame->first_input + i];

    if (input->same_as != TN_NONE &&
        tn_item_equal(e->frame[input->same_as], item) <= 0)
        return refuse_at(e, &head->inputs[i].place, "two values are called",
                         head->inputs[i].name) ||
               is_for_another(e);
    if (input->literal.kind != TN_ITEM_NONE &&
        (item.kind != TN_ITEM_VALUE ||
         !is_literal(e, input->literal, (uint32_t)item.of.number)))
        return refuse_at(e, &head->inputs[i].place,
                         "another constant is an input of", head->op) ||
               is_for_another(e);
    /* A value with a name may have one more user. */
    bool is_nameless = tn_bytes_is(head->inputs[i].name, "_");
    return !input->maker ||
           enter_maker(e, input->maker, item, swaps, is_used_up && is_nameless);
}

static bool enter_patterns(struct tn_eval *e, const struct tn_code_frame *frame,
                           uint32_t swaps, bool is_used_up)
{
    for (uint32_t i = 0; i < frame->head->input_count; i++)
        if (!enter_pattern(e, frame, i, swaps, is_used_up))
            return false;
    return true;
}

/* `is_used_up`: only the rule uses the node. */
static bool enter_node(struct tn_eval *e, const struct tn_code_frame *frame,
                       const struct tn_net_node *node, uint32_t swaps,
                       bool is_used_up)
{
    if (!enter_inputs(e, frame, node, swaps))
        return false;
    for (uint32_t i = 0; i < frame->head->attr_count; i++)
        if (!enter_attr(e, &frame->attrs[i], node))
            return false;
    return enter_patterns(e, frame, swaps, is_used_up);
}

/* ys... can be counted before it is bound: len(ys). */
static void enter_many(struct tn_eval *e, const struct tn_code_frame *frame)
{
    uint32_t count = frame->head->output_count;

    if (!count || frame->head->outputs[count - 1].arity != TN_LANG_MANY)
        return;
    uint32_t given =
        e->node->output_count >= count ? e->node->output_count - count + 1 : 0;
    struct tn_item *items = tn_eval_list(e, NULL, given);
    for (uint32_t i = 0; items && i < given; i++)
        items[i] = tn_item_none();
    e->frame[frame->first_output + count - 1] =
        tn_item_list(items, items ? given : 0);
}

static bool passes_guard(struct tn_eval *e, const struct tn_code *guard)
{
    if (!guard->expr)
        return true;
    struct tn_item item = tn_eval(e, guard);
    if (tn_eval_stopped(e))
        return false;
    if (item.kind == TN_ITEM_UNKNOWN) {
        tn_eval_not_known(e, item, guard->expr);
        return false;
    }
    int64_t is_true;
    if (tn_item_to_int(item, &is_true) && is_true)
        return true;
    tn_eval_refuse(e, guard->expr, "the rule's condition does not hold");
    return is_for_another(e);
}

static bool enter(struct tn_eval *e, const struct tn_code_rule *rule,
                  uint32_t swaps)
{
    const struct tn_code_frame *frame = &rule->frame;

    e->missing        = TN_NONE;
    e->refusal.is_set = false;
    e->inner_count    = 0;
    e->frame          = tn_eval_list(e, NULL, frame->slot_count);
    if (!e->frame || !enter_outputs(e, frame->head) ||
        !enter_node(e, frame, e->node, swaps, true))
        return false;
    enter_many(e, frame);
    return passes_guard(e, &rule->guard);
}

static bool has_maker(const struct tn_eval *e, uint32_t input,
                      const struct tn_code_frame *maker)
{
    return input < e->node->input_count && e->node->inputs[input] != TN_NONE &&
           maker_of(e, e->node->inputs[input], maker) != TN_NONE;
}

/* Whether the pattern needs a node before this one that does not exist, in
 * either order of the inputs. This rejects most rules that are tried. */
static bool lacks_maker(const struct tn_eval       *e,
                        const struct tn_code_frame *frame)
{
    for (uint32_t i = 0; frame->inputs && i < frame->head->input_count; i++) {
        const struct tn_code_frame *maker = frame->inputs[i].maker;
        if (maker && !maker->pattern->is_maybe && !has_maker(e, i, maker) &&
            !(frame->swap && has_maker(e, i ^ 1, maker)))
            return true;
    }
    return false;
}

bool tn_rule_enter(struct tn_eval *e, const struct tn_code_rule *rule)
{
    uint32_t orders = UINT32_C(1) << rule->swap_count;

    e->total += e->steps;
    e->steps = 0;
    e->depth = 0;
    if (e->is_silent && lacks_maker(e, &rule->frame)) {
        e->missing = TN_NONE;
        return false;
    }
    if (e->has_pairs &&
        rule->rule->takes_pairs != tn_pair_in(e->net, e->node)) {
        tn_eval_refuse(e, NULL,
                       rule->rule->takes_pairs
                           ? "it is for complex numbers"
                           : "it does not take complex numbers");
        return false;
    }
    for (uint32_t swaps = 0; swaps < orders; swaps++)
        if (enter(e, rule, swaps))
            return true;
        else if (tn_failed(e->error))
            return false;
    return false;
}

/* ---- what a pattern reaches --------------------------------------------- */

struct reaching {
    const struct tn_eval *e;
    tn_on_reached        *each;
    void                 *context;
};

static void reach_item(const struct reaching *r, struct tn_item item,
                       bool is_used_up)
{
    if (item.kind == TN_ITEM_VALUE)
        r->each(r->context, (uint32_t)item.of.number, is_used_up);
    for (uint32_t i = 0; item.kind == TN_ITEM_LIST && i < item.count; i++)
        if (item.of.items[i].kind == TN_ITEM_VALUE)
            r->each(r->context, (uint32_t)item.of.items[i].of.number,
                    is_used_up);
}

static bool is_inner(const struct tn_eval *e, struct tn_item value)
{
    uint32_t maker =
        value.kind == TN_ITEM_VALUE
            ? tn_net_value(e->net, (uint32_t)value.of.number).producer
            : TN_NONE;

    for (uint32_t i = 0; i < e->inner_count; i++)
        if (e->inner[i] == maker)
            return true;
    return false;
}

static void reach_frame(const struct reaching      *r,
                        const struct tn_code_frame *frame)
{
    for (uint32_t i = 0; frame->inputs && i < frame->head->input_count; i++) {
        const struct tn_code_frame *maker = frame->inputs[i].maker;
        if (!maker)
            continue;
        bool is_used_up = is_inner(r->e, r->e->frame[frame->first_input + i]);
        for (uint32_t k = 0; k < maker->head->input_count; k++)
            reach_item(r, r->e->frame[maker->first_input + k], is_used_up);
        reach_frame(r, maker);
    }
}

void tn_rule_reach(const struct tn_eval *e, const struct tn_code_rule *rule,
                   tn_on_reached *each, void *context)
{
    struct reaching r = { e, each, context };

    if (rule->rule->has_pattern)
        reach_frame(&r, &rule->frame);
}
