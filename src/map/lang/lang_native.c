/*
 * lang_native.c - rules whose body is a function in C
 *
 * The values that a function sees are places in a list of its call: it cannot
 * name what it was not given.
 */
#include "map/lang/lang_native.h"

#include <inttypes.h>

#include "map/lang/fold_items.h"
#include "map/lang/lang_attr.h"
#include "map/net/net_build.h"

struct tn_native_call {
    struct tn_emit            *emit;
    struct tn_code_set        *set;
    const struct tn_code_rule *rule;
    struct tn_list             values; /* struct tn_item                      */
};

const struct tn_native *tn_native_find(const struct tn_lang_file *file,
                                       struct tn_bytes            name)
{
    for (uint32_t i = 0; i < file->function_count; i++)
        if (tn_bytes_is(name, file->functions[i].name))
            return &file->functions[i];
    return NULL;
}

static struct tn_eval *eval_of(struct tn_native_call *call)
{
    return &call->emit->eval;
}

/* A mistake of the function, not of the model. */
static enum tn_status misused(const struct tn_native_call *call,
                              const char *what, struct tn_error *error)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE, "function '%.*s': %s",
                        TN_FMT(call->rule->rule->native), what);
}

/* ---- values ------------------------------------------------------------- */

static uint32_t add_value(struct tn_native_call *call, struct tn_item item,
                          struct tn_error *error)
{
    uint32_t        id   = (uint32_t)call->values.count;
    struct tn_item *slot = tn_list_push(&call->values, struct tn_item, error);

    if (!slot)
        return TN_NONE;
    *slot = item;
    return id;
}

/* TN_NONE is `none`; NULL if there is no such value. */
static const struct tn_item *find_value(const struct tn_native_call *call,
                                        uint32_t                     value)
{
    static const struct tn_item none = { .kind = TN_ITEM_NONE };

    if (value == TN_NONE)
        return &none;
    if (value >= call->values.count)
        return NULL;
    return tn_list_at(&call->values, struct tn_item, value);
}

/* The first values of a call are its inputs. */
static bool add_inputs(struct tn_native_call *call)
{
    const struct tn_net_node *node = eval_of(call)->node;

    for (uint32_t i = 0; i < node->input_count; i++) {
        struct tn_item item = { .kind      = TN_ITEM_VALUE,
                                .of.number = node->inputs[i] };
        if (node->inputs[i] == TN_NONE)
            item = tn_item_none();
        if (add_value(call, item, eval_of(call)->error) == TN_NONE)
            return false;
    }
    return true;
}

uint32_t tn_native_input_count(const struct tn_native_call *call)
{
    return call->emit->eval.node->input_count;
}

uint32_t tn_native_input(struct tn_native_call *call, uint32_t index)
{
    const struct tn_net_node *node = eval_of(call)->node;

    if (index >= node->input_count || node->inputs[index] == TN_NONE)
        return TN_NONE;
    return index;
}

uint32_t tn_native_output_count(const struct tn_native_call *call)
{
    return call->emit->eval.node->output_count;
}

/* The value, or NULL. */
static const struct tn_net_value *net_value(struct tn_native_call *call,
                                            uint32_t               value,
                                            struct tn_net_value   *look)
{
    const struct tn_item *item = find_value(call, value);

    if (!item || item->kind == TN_ITEM_NONE)
        return NULL;
    *look = tn_net_value(item->kind == TN_ITEM_MADE ? eval_of(call)->made
                                                    : eval_of(call)->net,
                         (uint32_t)item->of.number);
    return look;
}

bool tn_native_type(struct tn_native_call *call, uint32_t value,
                    struct tn_native_type *type)
{
    struct tn_net_value        look;
    const struct tn_net_value *v = net_value(call, value, &look);

    *type = (struct tn_native_type){ 0 };
    if (!v)
        return false;
    *type = (struct tn_native_type){ .dtype    = v->type->dtype,
                                     .has_rank = v->type->has_rank,
                                     .rank     = v->type->rank,
                                     .dims     = v->type->dims };
    return true;
}

/* Unknown elements count as none. */
static bool item_to_attr(struct tn_native_call *call, struct tn_item item,
                         struct tn_attr_value *to)
{
    struct tn_attr_wish any = { .kind = TN_ATTR_NONE, .has_doubles = true };

    if (item.kind == TN_ITEM_NONE || item.kind == TN_ITEM_UNKNOWN)
        return false;
    for (uint32_t i = 0; item.kind == TN_ITEM_LIST && i < item.count; i++)
        if (item.of.items[i].kind == TN_ITEM_UNKNOWN)
            return false;
    return !tn_attr_from_item(item, &any, eval_of(call)->scratch, to,
                              eval_of(call)->error);
}

bool tn_native_elements(struct tn_native_call *call, uint32_t value,
                        struct tn_attr_value *elements)
{
    struct tn_eval            *e = eval_of(call);
    struct tn_net_value        look;
    const struct tn_net_value *v     = net_value(call, value, &look);
    struct tn_item             items = tn_item_none();

    if (!v)
        return false;
    bool is_made = find_value(call, value)->kind == TN_ITEM_MADE;
    if (v->constant)
        tn_fold_items(v->constant, e->scratch, &items, e->error);
    else if (!is_made && e->facts)
        tn_fold(e->facts, (uint32_t)find_value(call, value)->of.number, &items);
    return !tn_eval_stopped(e) && item_to_attr(call, items, elements);
}

bool tn_native_attr(struct tn_native_call *call, const char *name,
                    struct tn_attr_value *value)
{
    const struct tn_code_frame *frame = &call->rule->frame;

    for (uint32_t i = 0; i < frame->head->attr_count; i++) {
        const struct tn_code_head_attr *attr = &frame->attrs[i];
        if (!attr->is_ignored && tn_bytes_is(attr->name, name))
            return item_to_attr(call, eval_of(call)->frame[attr->slot], value);
    }
    return false;
}

const struct tn_net_node *tn_native_node(const struct tn_native_call *call)
{
    return call->emit->eval.node;
}

const struct tn_net *tn_native_net(const struct tn_native_call *call)
{
    return call->emit->eval.net;
}

const struct tn_vocab_op *tn_native_target(struct tn_native_call *call,
                                           struct tn_bytes        type,
                                           struct tn_error       *error)
{
    return tn_code_target(call->set, tn_text(""), type, error);
}

/* ---- nodes -------------------------------------------------------------- */

/* In the form that the vocabulary requires; without a vocabulary, as it is. */
static enum tn_status make_attr(struct tn_native_call       *call,
                                const struct tn_vocab_op    *op,
                                const struct tn_native_attr *from,
                                struct tn_net_attr *to, struct tn_error *error)
{
    struct tn_emit     *e    = call->emit;
    struct tn_attr_wish wish = { .has_doubles = e->has_doubles };
    struct tn_item      item;

    to->name = tn_bytes_dup(e->to->arena, tn_text(from->name), error);
    if (!to->name.data ||
        !tn_attr_to_item(&from->value, e->eval.scratch, &item, error))
        return error->status;
    const struct tn_vocab_attr *known =
        op ? tn_vocab_find_attr(op, to->name) : NULL;
    if (op && !known)
        return misused(call, "it sets an attribute that the op does not have",
                       error);
    if (known) {
        wish.kind    = tn_attr_kind_of(known->type);
        wish.is_list = known->is_list;
    }
    const char *why =
        tn_attr_from_item(item, &wish, e->to->arena, &to->value, error);
    return why && *why ? misused(call, why, error) : error->status;
}

static enum tn_status make_attrs(struct tn_native_call       *call,
                                 const struct tn_native_node *from,
                                 struct tn_net_node *to, struct tn_error *error)
{
    const struct tn_vocab_op *op =
        tn_code_target(call->set, tn_text(""), to->op->type, error);
    struct tn_net_attr *attrs = tn_new(
        eval_of(call)->scratch, struct tn_net_attr, from->attr_count, error);

    if (!attrs || tn_failed(error))
        return error->status;
    if (!op && call->set->has_to)
        return misused(call, "it makes an op that the target does not have",
                       error);
    for (uint32_t i = 0; i < from->attr_count; i++)
        TN_TRY(make_attr(call, op, &from->attrs[i], &attrs[i], error));
    to->attrs      = attrs;
    to->attr_count = from->attr_count;
    return TN_OK;
}

static enum tn_status make_inputs(struct tn_native_call       *call,
                                  const struct tn_native_node *from,
                                  struct tn_net_node          *to,
                                  struct tn_error             *error)
{
    uint32_t *inputs =
        tn_new(eval_of(call)->scratch, uint32_t, from->input_count, error);

    if (!inputs)
        return error->status;
    for (uint32_t i = 0; i < from->input_count; i++) {
        const struct tn_item *item = find_value(call, from->inputs[i]);
        if (!item)
            return misused(call, "an input is not a value of this call", error);
        inputs[i] = tn_emit_input(call->emit, NULL, *item);
    }
    to->inputs      = inputs;
    to->input_count = from->input_count;
    return error->status;
}

enum tn_status tn_native_make(struct tn_native_call       *call,
                              const struct tn_native_node *node,
                              uint32_t *outputs, uint32_t output_count,
                              struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_eval    *e    = eval_of(call);
    struct tn_net_node made = { 0 };
    struct tn_item    *outs;

    for (uint32_t i = 0; i < output_count; i++)
        outputs[i] = TN_NONE;
    made.op = tn_net_own_op(call->emit->to, node->op);
    outs    = tn_new(e->scratch, struct tn_item, output_count, error);
    if (tn_failed(call->emit->to->error) || !outs)
        return error->status;
    TN_TRY(make_inputs(call, node, &made, error));
    TN_TRY(make_attrs(call, node, &made, error));
    if (!tn_eval_stopped(e))
        tn_emit_node(call->emit, NULL, &made, outs, output_count);
    for (uint32_t i = 0; i < output_count && !tn_eval_stopped(e); i++)
        outputs[i] = add_value(call, outs[i], error);
    return error->status;
}

/* ---- constants ---------------------------------------------------------- */

static bool set_dims(struct tn_emit_cells *cells, const uint64_t *dims,
                     uint32_t rank)
{
    uint64_t product = 1;

    if (rank > TN_EMIT_RANK_MAX)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        cells->dims[i] = dims[i];
        if (dims[i] > TN_LANG_LIST_MAX)
            return false;
        product *= dims[i];
        if (product > TN_LANG_LIST_MAX)
            return false;
    }
    cells->rank = rank;
    return product == cells->count;
}

enum tn_status tn_native_constant(struct tn_native_call      *call,
                                  enum tn_dtype               dtype,
                                  const struct tn_attr_value *elements,
                                  const uint64_t *dims, uint32_t rank,
                                  uint32_t *value, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_emit_cells cells = { .count = elements->count };
    struct tn_attr_value list  = *elements;
    struct tn_item       items;

    *value       = TN_NONE;
    list.is_list = true;
    if (!set_dims(&cells, dims, rank))
        return misused(call, "the dims of a constant do not fit", error);
    if (!tn_attr_to_item(&list, eval_of(call)->scratch, &items, error))
        return error->status;
    cells.items         = (struct tn_item *)(uintptr_t)items.of.items;
    uint32_t       id   = tn_emit_constant(call->emit, NULL, &cells, dtype);
    struct tn_item made = { .kind = TN_ITEM_MADE, .of.number = id };
    if (id != TN_NONE)
        *value = add_value(call, made, error);
    return error->status;
}

/* ---- outputs ------------------------------------------------------------ */

/* Where the item of output `index` of the node lies; NULL: the rule has none.
 */
static struct tn_item *output_place(struct tn_native_call *call, uint32_t index)
{
    const struct tn_code_frame *frame = &call->rule->frame;
    uint32_t                    count = frame->head->output_count;
    uint32_t                    last  = index < count ? index : count - 1;

    if (!count)
        return NULL;
    struct tn_item *item = &eval_of(call)->frame[frame->first_output + last];
    if (frame->head->outputs[last].arity != TN_LANG_MANY)
        return index < count ? item : NULL;
    if (item->kind != TN_ITEM_LIST || index - last >= item->count)
        return NULL;
    return (struct tn_item *)(uintptr_t)&item->of.items[index - last];
}

enum tn_status tn_native_bind(struct tn_native_call *call, uint32_t index,
                              uint32_t value, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    const struct tn_item *item = find_value(call, value);
    struct tn_item       *to   = output_place(call, index);

    if (eval_of(call)->refusal.is_set)
        return TN_OK;
    if (!item || item->kind == TN_ITEM_NONE)
        return misused(call, "it binds what is not a value", error);
    if (!to)
        return misused(call, "it binds an output that the rule does not have",
                       error);
    *to = *item;
    return TN_OK;
}

void tn_native_refuse(struct tn_native_call *call, const char *why)
{
    struct tn_lang_expr at = { .place = call->rule->rule->place };

    tn_eval_refuse(eval_of(call), &at, "%s",
                   why ? why : "the function gives no reason");
    eval_of(call)->refusal.is_plain = why != NULL;
}

/* ---- calling ------------------------------------------------------------ */

void tn_native_enter(struct tn_emit *e, struct tn_code_set *set,
                     const struct tn_code_rule *rule)
{
    const struct tn_native *function =
        tn_native_find(rule->file, rule->rule->native);
    struct tn_native_call call = { .emit = e, .set = set, .rule = rule };

    if (!function) {
        tn_eval_refuse(&e->eval, NULL, "unknown function '%.*s'",
                       TN_FMT(rule->rule->native));
        return;
    }
    tn_list_init(&call.values, e->to->arena->memory, sizeof(struct tn_item));
    if (add_inputs(&call)) {
        enum tn_status status =
            function->run(function->context, &call, e->eval.error);
        if (status != TN_OK && !tn_eval_stopped(&e->eval))
            tn_error_set(e->eval.error, status, TN_NOWHERE,
                         "function '%s' failed", function->name);
    }
    tn_list_done(&call.values);
}
