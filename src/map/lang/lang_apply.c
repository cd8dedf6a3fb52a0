/*
 * lang_apply.c - a net of one dialect becomes a net of another
 *
 * Graphs of the target have the indices that they have in the source.  Names of
 * all values of the source are reserved from the beginning, so that no value
 * that a rule makes can have one of them.
 *
 * A rule that refuses half way leaves nothing: the lists of the target are cut
 * back to where they were.
 *
 * Rules with patterns take several nodes.  They are found before anything is
 * mapped, from the end of a graph to its beginning; nodes that nothing else
 * needs are then left out.  Where controls order nodes, all nodes are mapped
 * and what is not needed is dropped later.
 */
#include "map/lang/lang_apply.h"

#include <inttypes.h>
#include <stdio.h>

#include "map/flow/flow.h"
#include "map/lang/lang_emit.h"
#include "map/lang/lang_match.h"
#include "map/lang/lang_native.h"
#include "map/lang/lang_pairs.h"
#include "map/lang/lang_replay.h"
#include "map/net/net_build.h"

struct apply {
    struct tn_code_set    set;
    struct tn_emit        emit;
    struct tn_replay      replay;
    const struct tn_net  *from;
    struct tn_net        *to;
    struct tn_map_report *report;
    struct tn_arena       scratch;
    struct tn_list        uses; /* uint8_t by value of the source: how many
                                   use it, 2 for more                     */
    struct tn_list used_up;     /* uint32_t by node of the source: the node
                                   whose pattern it is part of, or TN_NONE */
    struct tn_list patterns;    /* struct planned                         */
    struct tn_list made_by;     /* uint32_t by node of the source: the last
                                   node it became, or TN_NONE             */
    struct tn_list found;       /* struct found, by op of the net's table   */
    struct tn_list refused; /* bool by node of the source: all its rules have
                               refused, and need not be asked again; empty:
                               somebody wants to know why                    */
    struct tn_error *error;
};

/* The rules of an op. */
struct found {
    const struct tn_code_rule *first;
    bool                       is_known, has_patterns;
};

/* A node that a rule with a pattern takes, together with others. */
struct planned {
    uint32_t                   node;
    const struct tn_code_rule *rule;
    uint32_t                   inner_count;
    uint32_t inner[TN_LANG_PATTERN_NODES]; /* in the order of the graph       */
};

/* ---- what is used ------------------------------------------------------- */

static void use(struct apply *a, uint32_t value)
{
    if (value >= a->uses.count)
        return;
    uint8_t *uses = tn_list_at(&a->uses, uint8_t, value);
    *uses         = *uses ? 2 : 1;
}

static void note_uses(struct apply *a)
{
    const struct tn_net *from = a->from;

    for (uint32_t i = 0; i < from->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(from, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            use(a, node.inputs[k]);
    }
    for (uint32_t i = 0; i < from->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(from, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            use(a, *tn_list_at(outputs, uint32_t, k));
    }
}

/* ---- beginning ---------------------------------------------------------- */

static bool fill_ids(struct tn_list *list, uint64_t count,
                     struct tn_error *error)
{
    uint32_t *ids = count ? tn_list_grow(list, count, error) : NULL;

    for (uint64_t i = 0; ids && i < count; i++)
        ids[i] = TN_NONE;
    return ids || !count;
}

static bool is_mapped(const struct tn_net *from, uint32_t graph)
{
    return tn_net_graph(from, graph)->kind != TN_GRAPH_FUNCTION;
}

/* Functions were inlined, so their graphs are no longer needed.  Graphs keep
 * their numbers. */
static void add_graphs(struct apply *a)
{
    for (uint32_t i = 0; i < a->from->graphs.count; i++) {
        const struct tn_net_graph *from = tn_net_graph(a->from, i);
        enum tn_graph_kind         kind =
            is_mapped(a->from, i) ? from->kind : TN_GRAPH_OTHER;
        if (tn_net_add_graph(a->to, kind, from->name, from->parent) == TN_NONE)
            return;
        for (uint32_t k = 0; is_mapped(a->from, i) && k < from->inputs.count;
             k++) {
            uint32_t value = tn_emit_unchanged(
                &a->emit, *tn_list_at(&from->inputs, uint32_t, k));
            if (value == TN_NONE)
                return;
            tn_net_add_input(a->to, i, value, tn_net_input_name(a->from, i, k));
        }
    }
}

static void add_outputs(struct apply *a)
{
    for (uint32_t i = 0; i < a->from->graphs.count; i++) {
        const struct tn_net_graph *from = tn_net_graph(a->from, i);
        for (uint32_t k = 0; is_mapped(a->from, i) && k < from->outputs.count;
             k++) {
            a->emit.graph  = i;
            uint32_t value = tn_emit_unchanged(
                &a->emit, *tn_list_at(&from->outputs, uint32_t, k));
            if (value == TN_NONE)
                return;
            tn_net_add_output(a->to, i, value,
                              tn_net_output_name(a->from, i, k));
            tn_net_tell_output(a->to, i, tn_net_told_output(a->from, i, k));
        }
    }
}

/* ---- ending a rule ------------------------------------------------------ */

/* The output of the node was used before the node was reached, as in loops:
 * replaces the placeholder by the value that the rule made. */
static void replace_early(struct apply *a, uint32_t early, uint32_t made)
{
    if (early == made)
        return;
    tn_net_replace(a->to, early, made);
    tn_net_rename(a->to, early, tn_net_value(a->to, early).name);
}

/* The value has the same meaning as before, so its known type still holds; for
 * complex numbers, that of their pairs. */
static void keep_type(struct apply *a, uint32_t value, uint32_t source)
{
    struct tn_net            *to    = a->to;
    struct tn_net_type        type  = *tn_net_value(to, value).type;
    struct tn_net_type        pairs = *tn_net_value(a->from, source).type;
    const struct tn_net_type *known = &pairs;

    if (a->set.has_pairs && tn_pair_part(pairs.dtype) != TN_UNDEFINED &&
        !tn_pair_type(&pairs, &a->scratch, a->error))
        return;
    if (known->dtype != TN_UNDEFINED) {
        type.dtype = known->dtype;
        type.wrap  = known->wrap;
    }
    if (known->has_rank) {
        type.has_rank = true;
        type.rank     = known->rank;
        type.dims     = known->dims;
        type.symbols  = known->symbols;
    }
    tn_net_set_type(to, value, &type);
}

/* An output of the rule is an output of the node. */
/* A value that replaces another keeps the sizes that are known of that one. */
static void learn_sizes(struct apply *a, uint32_t made, uint32_t source)
{
    const struct tn_net_type *known   = tn_net_value(a->from, source).type;
    struct tn_net_type        type    = *tn_net_value(a->to, made).type;
    bool                      is_more = false;

    if (!known->has_rank || !type.has_rank || known->rank != type.rank ||
        known->dtype != type.dtype || known->wrap != type.wrap)
        return;
    int64_t *dims = tn_new(&a->scratch, int64_t, type.rank, a->error);
    for (uint32_t i = 0; dims && i < type.rank; i++) {
        is_more |= type.dims[i] < 0 && known->dims[i] >= 0;
        dims[i] = type.dims[i] < 0 ? known->dims[i] : type.dims[i];
    }
    if (!dims || !is_more)
        return;
    type.dims = dims;
    tn_net_set_type(a->to, made, &type);
}

static void bind_output(struct apply *a, uint32_t source, struct tn_item item)
{
    struct tn_emit *e    = &a->emit;
    uint32_t       *id   = tn_list_at(&e->ids, uint32_t, source);
    uint32_t        made = (uint32_t)item.of.number;

    if (item.kind == TN_ITEM_VALUE)
        made = tn_emit_unchanged(e, made);
    if (made == TN_NONE)
        return;
    struct tn_net_value_row *row = tn_net_value_row(a->to, made);
    bool is_new = item.kind == TN_ITEM_MADE && made >= e->first_value &&
                  row->name == TN_NO_NAME;
    if (is_new) {
        row->name = tn_net_value_row(a->from, source)->name;
        keep_type(a, made, source);
    } else if (item.kind == TN_ITEM_VALUE) {
        learn_sizes(a, made, source);
    }
    if (*id != TN_NONE)
        replace_early(a, *id, made);
    *id = made;
}

static bool refuse_output(struct tn_emit *e, const struct tn_lang_param *output)
{
    struct tn_lang_expr at = { .place = output->place };

    if (tn_bytes_is(output->name, TN_LANG_OUTPUT))
        tn_eval_refuse(&e->eval, &at, "nothing is bound to its output");
    else
        tn_eval_refuse(&e->eval, &at, "nothing is bound to output '%.*s'",
                       TN_FMT(output->name));
    return false;
}

/* The item of output `index` of the node, or NULL: the rule has none. */
static const struct tn_item *output_item(const struct tn_emit      *e,
                                         const struct tn_code_rule *rule,
                                         uint32_t                   index)
{
    const struct tn_lang_head *head  = &rule->rule->head;
    uint32_t                   count = head->output_count;
    uint32_t                   last  = index < count ? index : count - 1;

    if (!count)
        return NULL;
    const struct tn_item *item =
        &e->eval.frame[rule->frame.first_output + last];
    if (head->outputs[last].arity != TN_LANG_MANY)
        return index < count ? item : NULL;
    if (item->kind != TN_ITEM_LIST || index - last >= item->count)
        return NULL;
    return &item->of.items[index - last];
}

static bool is_value(const struct tn_item *item)
{
    return item && (item->kind == TN_ITEM_VALUE || item->kind == TN_ITEM_MADE);
}

/* Everything that is required must exist before anything is bound. */
static bool has_outputs(struct apply *a, const struct tn_code_rule *rule)
{
    const struct tn_net_node  *node = a->emit.eval.node;
    const struct tn_lang_head *head = &rule->rule->head;

    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = node->outputs[i];
        if (value == TN_NONE || is_value(output_item(&a->emit, rule, i)) ||
            !*tn_list_at(&a->uses, uint8_t, value))
            continue;
        uint32_t last = head->output_count ? head->output_count - 1 : 0;
        return refuse_output(&a->emit, &head->outputs[i < last ? i : last]);
    }
    return true;
}

static void bind_outputs(struct apply *a, const struct tn_code_rule *rule)
{
    const struct tn_net_node *node = a->emit.eval.node;

    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct tn_item *item = output_item(&a->emit, rule, i);
        if (node->outputs[i] != TN_NONE && is_value(item))
            bind_output(a, node->outputs[i], *item);
    }
}

static void name_inner(struct apply *a)
{
    for (uint32_t i = a->emit.first_value; i < a->to->values.count; i++) {
        struct tn_net_value_row *row = tn_net_value_row(a->to, i);
        if (row->name == TN_NO_NAME &&
            (row->is_constant || row->maker != TN_NONE))
            tn_emit_name_inner(&a->emit, row);
    }
}

/* The node that makes the first output gets the name of the old one. */
static void name_node(struct apply *a, uint32_t node)
{
    const struct tn_net_node from = tn_net_node(a->from, node);
    uint32_t first = from.output_count && from.outputs[0] != TN_NONE
                         ? *tn_list_at(&a->emit.ids, uint32_t, from.outputs[0])
                         : TN_NONE;
    uint32_t last  = (uint32_t)a->to->nodes.count;

    if (last == a->emit.first_node)
        return;
    if (a->made_by.count)
        *tn_list_at(&a->made_by, uint32_t, node) = last - 1;
    uint32_t maker =
        first == TN_NONE ? last - 1 : tn_net_value(a->to, first).producer;
    if (maker != TN_NONE && maker >= a->emit.first_node)
        tn_net_node_row(a->to, maker)->name =
            tn_net_node_row(a->from, node)->name;
}

/* ---- one node ----------------------------------------------------------- */

static void begin_rule(struct apply *a)
{
    a->emit.first_node    = (uint32_t)a->to->nodes.count;
    a->emit.first_value   = (uint32_t)a->to->values.count;
    a->emit.carried.count = 0;
    a->emit.depth         = 0;
}

static void roll_back(struct apply *a)
{
    struct tn_emit *e     = &a->emit;
    struct tn_list *nodes = &tn_net_graph(a->to, e->graph)->nodes;
    const uint32_t *asked;

    /* The ids that it used will be given to other values. */
    if (tn_infer_asked(e->eval.made_facts, &asked))
        e->eval.looks_far = true;
    for (uint64_t i = 0; i < e->carried.count; i++) {
        uint32_t value = *tn_list_at(&e->carried, uint32_t, i);
        *tn_list_at(&e->ids, uint32_t, value) = TN_NONE;
    }
    nodes->count -= a->to->nodes.count - e->first_node;
    a->to->nodes.count  = e->first_node;
    a->to->values.count = e->first_value;
    if (e->eval.made_facts)
        tn_infer_forget(e->eval.made_facts, e->first_value);
}

/* Runs a rule that has been entered; false: it refused, and left nothing. */
static bool run_rule(struct apply *a, const struct tn_code_rule *rule)
{
    struct tn_emit *e = &a->emit;

    begin_rule(a);
    e->eval.looks_far |= rule->rule->native.size > 0; /* a function in C sees
                                                         everything */
    e->eval.looks_far |=
        rule->rule->takes_pairs; /* what it made has other dims */
    if (rule->rule->native.size)
        tn_native_enter(e, &a->set, rule);
    else
        tn_emit_block(e, &rule->body);
    if (!tn_eval_stopped(&e->eval) && has_outputs(a, rule)) {
        bind_outputs(a, rule);
        name_inner(a);
        return true;
    }
    if (!tn_failed(a->error))
        roll_back(a);
    return false;
}

/* Copies a node that no rule takes. */
static void carry_node(struct apply *a, uint32_t id)
{
    struct tn_net_node     node = tn_net_node(a->from, id);
    struct tn_net_node_row row  = *tn_net_node_row(a->from, id);
    uint32_t              *inputs =
        tn_new(&a->scratch, uint32_t, node.input_count, a->error);
    uint32_t *outputs =
        tn_new(&a->scratch, uint32_t, node.output_count, a->error);

    begin_rule(a);
    for (uint32_t i = 0; inputs && i < node.input_count; i++)
        inputs[i] = node.inputs[i] == TN_NONE
                        ? TN_NONE
                        : tn_emit_unchanged(&a->emit, node.inputs[i]);
    for (uint32_t i = 0; outputs && i < node.output_count; i++)
        outputs[i] = node.outputs[i] == TN_NONE
                         ? TN_NONE
                         : tn_emit_unchanged(&a->emit, node.outputs[i]);
    if (!inputs || !outputs || tn_failed(a->error))
        return;
    row.name           = TN_NO_NAME;
    node.inputs        = inputs;
    node.outputs       = outputs;
    node.controls      = a->emit.controls;
    node.control_count = a->emit.control_count;
    tn_net_add_row(a->to, &row, &node);
}

/* Stands for a rule if a node is the same in every dialect. */
static const struct tn_lang_rule structure = { .place = {
                                                   .file = "control flow" } };

/* Limits for one rule, and for all together: otherwise every node of a file
 * could cost the most that one rule may. */
static bool is_bounded(struct apply *a, const struct tn_lang_rule *rule)
{
    const struct tn_eval *e     = &a->emit.eval;
    uint64_t              steps = tn_lang_most_steps(a->from);

    if (e->total + e->steps > steps)
        tn_error_set(a->error, TN_LIMIT, TN_NOWHERE,
                     "%s:%" PRIu32 ": the rules take more than %" PRIu64
                     " steps for all nodes",
                     rule->place.file, rule->place.line, steps);
    if (a->to->nodes.count > a->to->most_nodes)
        tn_error_set(a->error, TN_LIMIT, TN_NOWHERE,
                     "%s:%" PRIu32 ": the rules make more than %" PRIu64
                     " nodes",
                     rule->place.file, rule->place.line, a->to->most_nodes);
    return tn_net_goes_on(a->to);
}

/* An element type among these values that the target does not have, or
 * TN_UNDEFINED.  Handles are not elements: rules replace them. */
static enum tn_dtype missing_type(const struct apply *a, const uint32_t *values,
                                  uint32_t count)
{
    uint64_t types = a->set.has_to ? tn_vocab_any(&a->set.to) : UINT64_MAX;

    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == TN_NONE)
            continue;
        enum tn_dtype dtype = tn_net_value(a->from, values[i]).type->dtype;
        if (dtype != TN_UNDEFINED && dtype != TN_RESOURCE &&
            dtype != TN_VARIANT && !(types & TN_VOCAB_TYPE(dtype)))
            return dtype;
    }
    return TN_UNDEFINED;
}

/* Whether the target can hold what the node takes and gives; else says why. */
static bool has_types(struct apply *a, uint32_t id)
{
    const struct tn_net_node *node = a->emit.eval.node;
    enum tn_dtype missing  = missing_type(a, node->inputs, node->input_count);
    struct tn_refusal none = { .reason   = TN_REASON_RULE_REFUSED,
                               .is_plain = true };

    if (missing == TN_UNDEFINED)
        missing = missing_type(a, node->outputs, node->output_count);
    if (missing == TN_UNDEFINED)
        return true;
    snprintf(none.text, sizeof none.text, "%s has no element type %s",
             a->to->dialect, tn_dtype_name(missing));
    tn_map_add_reason(a->report, id, NULL, &none, a->error);
    return false;
}

/* Set if a value that a pattern reached belongs to another pattern, which
 * removes it. */
struct taken {
    const struct apply *a;
    uint32_t            node;
    bool                is_taken;
};

static void look_if_taken(void *context, uint32_t value, bool is_used_up)
{
    struct taken *t     = context;
    uint32_t      maker = tn_net_value(t->a->from, value).producer;

    (void)is_used_up;
    if (maker == TN_NONE || !t->a->used_up.count)
        return;
    uint32_t by = *tn_list_at(&t->a->used_up, uint32_t, maker);
    t->is_taken |= by != TN_NONE && by != t->node;
}

/* Plans made before are taken into account: the rule may be tried again after
 * fewer were made. */
static bool enter_rule(struct apply *a, uint32_t id,
                       const struct tn_code_rule *rule)
{
    struct tn_eval *e = &a->emit.eval;
    struct taken    t = { .a = a, .node = id };

    if (!tn_rule_enter(e, rule))
        return false;
    tn_rule_reach(e, rule, look_if_taken, &t);
    if (t.is_taken)
        tn_eval_refuse(e, NULL, "an input is part of another pattern");
    return !t.is_taken;
}

static bool has_patterns(const struct tn_code_rule *rule)
{
    for (; rule; rule = rule->next)
        if (rule->rule->has_pattern)
            return true;
    return false;
}

/* Looked up once for all nodes of an op. */
static struct found find(struct apply *a, const struct tn_net_op *op)
{
    if (op->id >= a->found.count) /* a node without an op */
        return (struct found){ .is_known = true };
    struct found *found = tn_list_at(&a->found, struct found, op->id);
    if (!found->is_known) {
        found->first = tn_code_find(&a->set, op->type, op->domain, a->error);
        found->has_patterns = has_patterns(found->first);
        found->is_known     = !tn_failed(a->error);
    }
    return *found;
}

static const struct tn_code_rule *choose(struct apply *a, uint32_t id)
{
    struct tn_eval            *e    = &a->emit.eval;
    const struct tn_code_rule *rule = find(a, e->node->op).first;
    struct tn_refusal          none = { .reason   = TN_REASON_NO_RULE,
                                        .is_plain = true,
                                        .text = "the operator has no rule" };

    if (!rule && tn_code_knows(&a->set, e->node->op->type))
        snprintf(none.text, sizeof none.text,
                 "the operator has rules for other versions or domains only");
    if (!rule)
        tn_map_add_reason(a->report, id, NULL, &none, a->error);
    else if (!has_types(a, id))
        return NULL;
    for (; rule && !tn_failed(a->error); rule = rule->next) {
        bool is_taken = enter_rule(a, id, rule) && run_rule(a, rule);
        if (!is_bounded(a, rule->rule))
            return NULL;
        if (is_taken)
            return rule;
        tn_map_add_reason(a->report, id, rule->rule, &e->refusal, a->error);
    }
    return NULL;
}

/* Nodes that must run before: translates them to the target. */
static void set_controls(struct apply *a, const struct tn_net_node *node)
{
    uint32_t *controls = NULL;

    if (node->control_count)
        controls = tn_new(&a->scratch, uint32_t, node->control_count, a->error);
    a->emit.controls      = controls;
    a->emit.control_count = 0;
    for (uint32_t i = 0; controls && i < node->control_count; i++) {
        uint32_t made = *tn_list_at(&a->made_by, uint32_t, node->controls[i]);
        if (made != TN_NONE)
            controls[a->emit.control_count++] = made;
    }
}

/* Applies the first rule that takes the node; NULL if none does. */
static const struct tn_lang_rule *find_rule(struct apply *a, uint32_t id)
{
    struct tn_eval            *e = &a->emit.eval;
    const struct tn_lang_rule *rule;

    begin_rule(a);
    if (a->refused.count && *tn_list_at(&a->refused, bool, id))
        return NULL;
    /* A pattern depends on more than the node. */
    bool is_like_others =
        !a->used_up.count || !find(a, e->node->op).has_patterns;
    if (is_like_others && (rule = tn_replay_run(&a->replay)))
        return is_bounded(a, rule) ? rule : NULL;
    e->looks_far = false;
    tn_infer_watch(e->facts);
    tn_infer_watch(e->made_facts);
    const struct tn_code_rule *chosen = choose(a, id);
    if (!chosen)
        return NULL;
    if (is_like_others)
        tn_replay_note(&a->replay, chosen->rule);
    return chosen->rule;
}

/* ---- patterns ----------------------------------------------------------- */

/* The nodes that the pattern uses up are not mapped one by one, unless its rule
 * refuses in the end; a node is part of one pattern. */
static void plan_pattern(struct apply *a, uint32_t id,
                         const struct tn_code_rule *rule)
{
    const struct tn_eval *e = &a->emit.eval;

    for (uint32_t i = 0; i < e->inner_count; i++)
        if (*tn_list_at(&a->used_up, uint32_t, e->inner[i]) != TN_NONE)
            return;
    struct planned *planned =
        tn_list_push(&a->patterns, struct planned, a->error);
    if (!planned)
        return;
    *planned = (struct planned){ .node = id, .rule = rule };
    for (uint32_t i = 0; i < e->inner_count; i++) {
        uint32_t at = planned->inner_count++;
        for (; at && planned->inner[at - 1] > e->inner[i]; at--)
            planned->inner[at] = planned->inner[at - 1];
        planned->inner[at]                              = e->inner[i];
        *tn_list_at(&a->used_up, uint32_t, e->inner[i]) = id;
    }
}

/* A value that a pattern reached and that stays is used by the rule, too,
 * although its node comes in between. */
static void use_once_more(void *context, uint32_t value, bool is_used_up)
{
    if (!is_used_up)
        use(context, value);
}

/* The first rule that takes the node, if it has a pattern. */
static void look_for_pattern(struct apply *a, uint32_t id)
{
    struct tn_eval    *e    = &a->emit.eval;
    struct tn_net_node node = tn_net_node(a->from, id);

    if (*tn_list_at(&a->used_up, uint32_t, id) != TN_NONE)
        return;
    const struct found         found = find(a, node.op);
    const struct tn_code_rule *rule  = found.first;
    if (!found.has_patterns)
        return;
    tn_arena_rewind(&a->scratch);
    e->node      = &node;
    e->is_silent = true;
    for (; rule && !tn_failed(a->error); rule = rule->next)
        if (tn_rule_enter(e, rule)) {
            if (rule->rule->has_pattern && e->inner_count)
                plan_pattern(a, id, rule);
            tn_rule_reach(e, rule, use_once_more, a);
            break;
        }
    if (!rule && a->refused.count)
        *tn_list_at(&a->refused, bool, id) = true;
    e->is_silent = a->report->is_silent;
    e->node      = NULL;
}

/* From the end to the beginning: the longest chain that ends in a node counts,
 * not the first part of it. */
static void look_for_patterns(struct apply *a, uint32_t graph)
{
    const struct tn_list *nodes = &tn_net_graph(a->from, graph)->nodes;

    a->patterns.count = 0;
    for (uint64_t i = nodes->count; i-- > 0 && !tn_failed(a->error);) {
        uint32_t node = *tn_list_at(nodes, uint32_t, i);
        if (!tn_net_node(a->from, node).is_removed && tn_net_goes_on(a->to))
            look_for_pattern(a, node);
    }
}

static void map_node(struct apply *a, uint32_t id);

static bool is_given_up(const struct apply *a)
{
    return a->report->wants_all && a->report->unmapped_count;
}

/* Runs the rule that was chosen before; its nodes are mapped one by one when it
 * refuses after all. */
static const struct tn_lang_rule *run_planned(struct apply         *a,
                                              const struct planned *planned)
{
    begin_rule(a);
    if (enter_rule(a, planned->node, planned->rule) &&
        run_rule(a, planned->rule))
        return is_bounded(a, planned->rule->rule) ? planned->rule->rule : NULL;
    return NULL;
}

/* Patterns were found from the end: the next is the last. */
static const struct planned *next_planned(const struct apply *a, uint32_t id)
{
    if (!a->patterns.count)
        return NULL;
    const struct planned *last =
        tn_list_at(&a->patterns, struct planned, a->patterns.count - 1);
    return last->node == id ? last : NULL;
}

/* True: the pattern took the node. */
static bool map_pattern(struct apply *a, uint32_t id)
{
    const struct planned *next = next_planned(a, id);

    if (!next)
        return false;
    struct planned     planned = *next;
    struct tn_net_node node    = tn_net_node(a->from, id);
    a->patterns.count--;
    tn_arena_rewind(&a->scratch);
    a->emit.eval.node               = &node;
    a->emit.control_count           = 0;
    const struct tn_lang_rule *rule = run_planned(a, &planned);
    if (rule) {
        name_node(a, id);
        for (uint32_t i = 0; i < planned.inner_count; i++)
            *tn_list_at(&a->report->rules, const struct tn_lang_rule *,
                        planned.inner[i]) = rule;
        *tn_list_at(&a->report->rules, const struct tn_lang_rule *, id) = rule;
    }
    a->emit.eval.node = NULL;
    for (uint32_t i = 0; !rule && i < planned.inner_count; i++)
        if (!tn_failed(a->error))
            map_node(a, planned.inner[i]);
    return rule;
}

static void map_node(struct apply *a, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(a->from, id);

    tn_arena_rewind(&a->scratch);
    a->emit.eval.node = &node;
    set_controls(a, &node);
    const struct tn_lang_rule *rule = find_rule(a, id);
    if (tn_failed(a->error))
        return;
    bool is_structure = !rule && tn_flow_is_structure(&node);
    if (rule || is_structure)
        tn_map_drop_reasons(a->report, id);
    else
        a->report->unmapped_count++;
    if (!rule)
        carry_node(a, id);
    if (tn_failed(a->error))
        return;
    name_node(a, id);
    *tn_list_at(&a->report->rules, const struct tn_lang_rule *, id) =
        is_structure ? &structure : rule;
}

/* Whether no rule takes a node, after patterns were looked for: then a net
 * would become a copy of itself. */
static bool is_idle(struct apply *a)
{
    const struct tn_net *from = a->from;

    if (!a->refused.count || from->graphs.count != 1 || a->patterns.count)
        return false;
    for (uint32_t i = 0; i < from->nodes.count && !tn_failed(a->error); i++) {
        const struct tn_net_node node = tn_net_node(from, i);
        if (!node.is_removed && !*tn_list_at(&a->refused, bool, i) &&
            find(a, node.op).first)
            return false;
    }
    return !tn_failed(a->error);
}

static void map_graph(struct apply *a, uint32_t graph)
{
    const struct tn_list *nodes = &tn_net_graph(a->from, graph)->nodes;

    a->emit.graph = graph;
    if (a->used_up.count)
        look_for_patterns(a, graph);
    a->report->is_idle = is_idle(a);
    if (a->report->is_idle)
        return;
    for (uint64_t i = 0; i < nodes->count && !tn_failed(a->error); i++) {
        uint32_t node = *tn_list_at(nodes, uint32_t, i);
        bool     is_left_out =
            tn_net_node(a->from, node).is_removed ||
            (a->used_up.count &&
             *tn_list_at(&a->used_up, uint32_t, node) != TN_NONE);
        if (!is_left_out && !map_pattern(a, node) && !tn_failed(a->error))
            map_node(a, node);
        if (is_given_up(a))
            return;
    }
}

/* ---- all of it ---------------------------------------------------------- */

static void apply_init(struct apply *a, struct tn_infer *facts,
                       struct tn_infer *made)
{
    struct tn_memory *memory = a->to->arena->memory;

    tn_arena_init(&a->scratch, memory);
    tn_list_init(&a->uses, memory, sizeof(uint8_t));
    tn_list_init(&a->made_by, memory, sizeof(uint32_t));
    tn_list_init(&a->used_up, memory, sizeof(uint32_t));
    tn_list_init(&a->patterns, memory, sizeof(struct planned));
    tn_list_init(&a->found, memory, sizeof(struct found));
    tn_list_init(&a->refused, memory, sizeof(bool));
    tn_list_init(&a->emit.ids, memory, sizeof(uint32_t));
    tn_list_init(&a->emit.carried, memory, sizeof(uint32_t));
    a->emit.to          = a->to;
    a->emit.has_doubles = a->to->facts->has_doubles;
    a->emit.eval        = (struct tn_eval){ .net        = a->from,
                                            .made       = a->to,
                                            .facts      = facts,
                                            .made_facts = made,
                                            .scratch    = &a->scratch,
                                            .missing    = TN_NONE,
                                            .is_silent  = a->report->is_silent,
                                            .error      = a->error };
    tn_replay_init(&a->replay, &a->emit);
}

static void apply_done(struct apply *a)
{
    tn_replay_done(&a->replay);
    tn_list_done(&a->emit.carried);
    tn_list_done(&a->emit.ids);
    tn_list_done(&a->refused);
    tn_list_done(&a->found);
    tn_list_done(&a->patterns);
    tn_list_done(&a->used_up);
    tn_list_done(&a->made_by);
    tn_list_done(&a->uses);
    tn_arena_done(&a->scratch);
    tn_code_done(&a->set);
}

static enum tn_status prepare(struct apply                     *a,
                              const struct tn_lang_file *const *files,
                              uint32_t                          file_count)
{
    const struct tn_net *from = a->from;

    for (uint32_t i = 0; i < file_count; i++)
        TN_TRY(tn_code_add(&a->set, files[i], a->error));
    if (!fill_ids(&a->emit.ids, from->values.count, a->error) ||
        (tn_net_has_controls(from) &&
         !fill_ids(&a->made_by, from->nodes.count, a->error)))
        return a->error->status;
    if (a->set.has_patterns && !a->made_by.count &&
        !fill_ids(&a->used_up, from->nodes.count, a->error))
        return a->error->status;
    if (a->used_up.count && a->report->is_silent &&
        !tn_list_grow(&a->refused, from->nodes.count, a->error))
        return a->error->status;
    uint64_t ops = from->pool->ops.ops.count;
    if (ops && !tn_list_grow(&a->found, ops, a->error))
        return a->error->status;
    if (from->values.count &&
        !tn_list_grow(&a->uses, from->values.count, a->error))
        return a->error->status;
    if (from->nodes.count &&
        !tn_list_grow(&a->report->rules, from->nodes.count, a->error))
        return a->error->status;
    /* Most nodes become one node. */
    if (!tn_net_reserve(a->to, from->values.count, from->nodes.count))
        return a->error->status;
    a->emit.eval.uses      = a->uses.items;
    a->emit.eval.has_pairs = a->set.has_pairs;
    note_uses(a);
    return a->error->status;
}

/* Checks, before anything is made and named, that every operator has rules. */
static bool has_rules(struct apply *a)
{
    for (uint32_t i = 0; i < a->from->nodes.count && !tn_failed(a->error);
         i++) {
        const struct tn_net_node node = tn_net_node(a->from, i);
        if (!node.is_removed && !tn_flow_is_structure(&node))
            a->report->unmapped_count += !find(a, node.op).first;
    }
    return !a->report->unmapped_count && !tn_failed(a->error);
}

/* Inputs that no node takes, and outputs that none makes, want a type, too. */
static void check_io_lists(struct apply *a)
{
    const struct tn_net_graph *graph   = tn_net_graph(a->from, 0);
    const struct tn_list      *sides[] = { &graph->inputs, &graph->outputs };

    for (uint32_t side = 0; side < 2 && !tn_failed(a->error); side++)
        for (uint32_t i = 0; i < sides[side]->count; i++) {
            const uint32_t *value = tn_list_at(sides[side], uint32_t, i);
            enum tn_dtype   dtype = missing_type(a, value, 1);
            struct tn_bytes name  = side ? tn_net_output_name(a->from, 0, i)
                                         : tn_net_input_name(a->from, 0, i);
            if (dtype == TN_UNDEFINED)
                continue;
            tn_error_set(a->error, TN_UNSUPPORTED, TN_NOWHERE,
                         "%s has no element type %s, which '%.*s' is of: "
                         "%s can leave it out",
                         a->to->dialect, tn_dtype_name(dtype), TN_FMT(name),
                         side ? "--outputs" : "--inputs");
            return;
        }
}

static void map_all(struct apply *a, struct tn_net *from)
{
    tn_net_take_over(a->to, from);
    add_graphs(a);
    for (uint32_t i = 0; i < a->from->graphs.count && !is_given_up(a); i++)
        if (is_mapped(a->from, i) && !tn_failed(a->error))
            map_graph(a, i);
    if (is_given_up(a) || a->report->is_idle) {
        tn_net_give_back(a->to, from);
        return;
    }
    if (!tn_failed(a->error))
        add_outputs(a);
    if (!tn_failed(a->error) && a->report->unmapped_count == 0)
        check_io_lists(a);
    tn_list_trim(&a->to->nodes);
    tn_list_trim(&a->to->values);
}

enum tn_status tn_lang_apply(const struct tn_lang_file *const *files,
                             uint32_t file_count, struct tn_infer *facts,
                             struct tn_net *from, struct tn_infer *made,
                             struct tn_net *to, struct tn_map_report *report)
{
    struct apply a = {
        .from = from, .to = to, .report = report, .error = to->error
    };

    apply_init(&a, facts, made);
    to->source     = from->source;
    to->most_nodes = tn_lang_most_nodes(from);
    tn_code_init(&a.set, to->arena->memory, from, to->dialect, to->version,
                 a.error);
    if (!tn_failed(a.error) && prepare(&a, files, file_count) == TN_OK &&
        (!report->wants_all || has_rules(&a)))
        map_all(&a, from);
    apply_done(&a);
    return to->error->status;
}
