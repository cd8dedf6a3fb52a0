/*
 * infer_fold.c - elements of values, on demand
 *
 * Elements are found by need, and never by recursion: a rule that asks for the
 * elements of a value which nobody has folded yet is told "unknown", and the
 * value is put on the stack; when all that it asked for is folded, the rule
 * runs again.  A chain of a million additions takes a stack of a million
 * entries, not frames.
 */
#include "map/lang/fold_items.h"
#include "map/lang/infer_facts.h"

/* States of a value that is not in the memos (yet). */
enum {
    NOT_ASKED,
    IN_PROGRESS, /* asked for again: it depends on itself                     */
    FIRST_MEMO,
};

/* Items of all memos together: 256 MiB. */
#define MEMO_ITEMS_MAX (UINT64_C(1) << 24)

static uint32_t *state_of(const struct tn_infer *infer, uint32_t value)
{
    if (value >= infer->states.count)
        return NULL;
    return tn_list_at(&infer->states, uint32_t, value);
}

void tn_infer_watch(struct tn_infer *infer)
{
    if (infer)
        infer->asked_count = 0;
}

uint32_t tn_infer_asked(const struct tn_infer *infer, const uint32_t **asked)
{
    *asked = infer ? infer->asked : NULL;
    return infer ? infer->asked_count : 0;
}

/* Of an input nothing will ever be known. */
static void note_asked(struct tn_infer *infer, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(infer->net, value);

    if (!v.constant && v.producer == TN_NONE)
        return;
    if (infer->asked_count < TN_INFER_ASKED_MAX)
        infer->asked[infer->asked_count] = value;
    infer->asked_count++;
}

bool tn_fold_peek(struct tn_infer *infer, uint32_t value, struct tn_item *out)
{
    const uint32_t *state = state_of(infer, value);

    if (value < infer->net->values.count)
        note_asked(infer, value);
    if (!state || *state == IN_PROGRESS) {
        *out = tn_item_unknown(NULL);
        return true;
    }
    if (*state == NOT_ASKED)
        return false;
    *out = *tn_list_at(&infer->memos, struct tn_item, *state - FIRST_MEMO);
    return true;
}

/* A copy of the items that lasts; of texts, too. */
static struct tn_item keep_items(struct tn_infer *infer, struct tn_item list)
{
    struct tn_error *error = infer->net->error;

    if (list.kind != TN_ITEM_LIST || list.count > TN_FOLD_MAX ||
        infer->item_count + list.count > MEMO_ITEMS_MAX)
        return tn_item_unknown(NULL);
    struct tn_item *kept =
        tn_new(&infer->arena, struct tn_item, list.count, error);
    if (!kept)
        return tn_item_unknown(NULL);
    for (uint32_t i = 0; i < list.count; i++) {
        kept[i] = list.of.items[i];
        if (kept[i].kind == TN_ITEM_STRING)
            kept[i] = tn_item_text(
                tn_bytes_dup(&infer->arena, tn_item_bytes(kept[i]), error));
        else if (kept[i].kind == TN_ITEM_LIST)
            return tn_item_unknown(NULL);
    }
    infer->item_count += list.count;
    return tn_item_list(kept, list.count);
}

static void set_memo(struct tn_infer *infer, uint32_t value,
                     struct tn_item items)
{
    struct tn_item *memo =
        tn_list_push(&infer->memos, struct tn_item, infer->net->error);

    if (!memo)
        return;
    *memo                   = items;
    *state_of(infer, value) = FIRST_MEMO + (uint32_t)(infer->memos.count - 1);
}

static struct tn_item run_values(struct tn_eval            *e,
                                 const struct tn_code_rule *rule)
{
    const struct tn_code_shape *shape = tn_infer_shape(rule, e->output);
    struct tn_item              items = tn_item_unknown(NULL);

    if (shape && shape->value.expr && e->missing == TN_NONE)
        items = tn_eval(e, &shape->value);
    return tn_eval_stopped(e) ? tn_item_unknown(NULL) : items;
}

/* Folds by the rule of the node that makes it.  False: what must be folded
 * before is on the stack now. */
static bool fold_made(struct tn_infer *infer, uint32_t value)
{
    const struct tn_net_value v    = tn_net_value(infer->net, value);
    const struct tn_net_node  node = tn_net_node(infer->net, v.producer);
    struct tn_eval e     = tn_infer_eval(infer, &node, &infer->fold_scratch);
    struct tn_item items = tn_item_unknown(NULL);

    tn_arena_rewind(&infer->fold_scratch);
    e.is_fold = true;
    e.output  = v.output;
    const struct tn_code_rule *rule =
        tn_infer_has_time(infer) ? tn_infer_enter(infer, &e) : NULL;
    if (rule)
        items = run_values(&e, rule);
    tn_infer_count_steps(infer, &e);
    if (e.missing != TN_NONE)
        return false;
    set_memo(infer, value, keep_items(infer, items));
    return true;
}

static bool fold_value(struct tn_infer *infer, uint32_t value)
{
    const struct tn_net_value v     = tn_net_value(infer->net, value);
    struct tn_item            items = tn_item_unknown(NULL);

    if (!v.constant && v.producer != TN_NONE &&
        v.producer < infer->net->nodes.count)
        return fold_made(infer, value);
    if (v.constant && infer->item_count <= MEMO_ITEMS_MAX)
        tn_fold_items(v.constant, &infer->arena, &items, infer->net->error);
    infer->item_count += items.count;
    set_memo(infer, value, items);
    return true;
}

void tn_fold_want(struct tn_infer *infer, uint32_t value)
{
    uint32_t *slot = tn_list_push(&infer->stack, uint32_t, infer->net->error);

    if (slot)
        *slot = value;
}

/* Nodes may have been added since the facts were opened; values, too. */
static bool grow_states(struct tn_infer *infer)
{
    uint64_t count = infer->net->values.count;

    if (infer->states.count >= count)
        return true;
    return tn_list_grow(&infer->states, count - infer->states.count,
                        infer->net->error);
}

/* After a failure nothing may stay "in progress". */
static void clear_stack(struct tn_infer *infer)
{
    while (infer->stack.count) {
        uint32_t value =
            *tn_list_at(&infer->stack, uint32_t, --infer->stack.count);
        if (*state_of(infer, value) == IN_PROGRESS)
            *state_of(infer, value) = NOT_ASKED;
    }
}

void tn_infer_forget(struct tn_infer *infer, uint32_t first)
{
    if (infer->states.count > first)
        infer->states.count = first;
}

enum tn_status tn_fold(struct tn_infer *infer, uint32_t value,
                       struct tn_item *out)
{
    struct tn_error *error = infer->net->error;

    *out = tn_item_unknown(NULL);
    if (value >= infer->net->values.count || !grow_states(infer) ||
        tn_fold_peek(infer, value, out))
        return error->status;
    tn_fold_want(infer, value);
    while (infer->stack.count && !tn_failed(error)) {
        uint32_t top =
            *tn_list_at(&infer->stack, uint32_t, infer->stack.count - 1);
        uint32_t *state  = state_of(infer, top);
        bool      is_new = *state < FIRST_MEMO;
        if (is_new)
            *state = IN_PROGRESS;
        if (!is_new || fold_value(infer, top))
            infer->stack.count--;
    }
    clear_stack(infer);
    if (!tn_failed(error))
        tn_fold_peek(infer, value, out);
    return error->status;
}
