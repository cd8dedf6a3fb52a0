/* lang_match.c - whether a rule takes a node */
#include "map/lang/lang_match.h"

#include <inttypes.h>
#include <stdio.h>

#include "map/lang/lang_attr.h"
#include "map/lang/lang_report.h"

static bool refuse_at(struct tn_eval *e, const struct tn_location *place,
                      const char *what, struct tn_bytes name)
{
    struct tn_lang_expr at = { .place = *place };

    tn_eval_refuse(e, &at, "%s '%.*s'", what, TN_FMT(name));
    return false;
}

/* The rule was never meant for this node. */
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
static struct tn_item rest_item(struct tn_eval *e, uint32_t first)
{
    uint32_t count =
        e->node->input_count > first ? e->node->input_count - first : 0;
    struct tn_item *items = tn_eval_list(e, NULL, count);

    for (uint32_t i = 0; items && i < count; i++)
        items[i] = input_item(e->node, first + i);
    return tn_item_list(items, items ? count : 0);
}

static bool enter_inputs(struct tn_eval *e, const struct tn_lang_head *head)
{
    uint32_t count    = head->input_count;
    bool     has_rest = count && head->inputs[count - 1].arity == TN_LANG_MANY;

    if (e->node->input_count > count && !has_rest)
        return refuse_at(e, &head->place,
                         "more inputs than the rule takes:", head->op);
    for (uint32_t i = 0; i < count; i++) {
        if (has_rest && i == count - 1) {
            e->frame[i] = rest_item(e, i);
            break;
        }
        e->frame[i] = input_item(e->node, i);
        if (e->frame[i].kind == TN_ITEM_NONE &&
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

static bool enter_attr(struct tn_eval *e, const struct tn_code_head_attr *attr)
{
    const struct tn_attr_value *value;
    struct tn_item             *slot = &e->frame[attr->slot];

    *slot = attr->fallback;
    if (attr->is_ignored)
        return true;
    value = find_attr(e->node, attr->name);
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

bool tn_rule_enter(struct tn_eval *e, const struct tn_code_rule *rule)
{
    const struct tn_code_frame *frame = &rule->frame;

    e->total += e->steps;
    e->steps          = 0;
    e->depth          = 0;
    e->missing        = TN_NONE;
    e->refusal.is_set = false;
    e->frame          = tn_eval_list(e, NULL, frame->slot_count);
    if (!e->frame || !enter_inputs(e, frame->head) ||
        !enter_outputs(e, frame->head))
        return false;
    for (uint32_t i = 0; i < frame->head->attr_count; i++)
        if (!enter_attr(e, &frame->attrs[i]))
            return false;
    enter_many(e, frame);
    return passes_guard(e, &rule->guard);
}
