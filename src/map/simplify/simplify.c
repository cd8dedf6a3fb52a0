/*
 * simplify.c - the same graph with fewer nodes: fold, rules, share, in rounds
 */
#include "map/simplify/simplify.h"

#include "base/arith.h"
#include "base/varint.h"
#include "map/lang/lang_apply.h"
#include "map/net/net_build.h"
#include "map/simplify/branches.h"
#include "map/simplify/fold_views.h"
#include "map/simplify/groups.h"
#include "map/simplify/loops.h"
#include "map/simplify/share.h"
#include "map/simplify/sizes.h"
#include "map/simplify/tie_weights.h"
#include "map/simplify/transposes.h"
#include "map/simplify/widths.h"

/* Each round removes nodes, or is the last one.  Only nested chains need
 * several rounds, and graphs do not nest them deeper than this. */
#define MOST_ROUNDS 16

static bool is_one_of(const struct tn_net_op *op, const char *const *types,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tn_bytes_is(op->type, types[i]))
            return true;
    return false;
}

/* Operators that are not joined with equal ones, and are folded only from
 * floats to few bits: weights in few bits make such a model small, and a
 * runtime fuses each of these operators with the node behind it. */
static bool is_quantising(const struct tn_net_op *op)
{
    static const char *const ops[] = { "QuantizeLinear", "DequantizeLinear",
                                       "DynamicQuantizeLinear" };

    return is_one_of(op, ops, sizeof ops / sizeof ops[0]);
}

/* ---- folding ------------------------------------------------------------
 *
 * The rules of shapes (infer.h) compute what an operator returns.  Outputs of
 * graphs are not folded: a file needs a node for each. */

/* Elements of the type, with what is known of it; false: not all of them. */
static bool count_elements(const struct tn_net_type *type, uint64_t *count)
{
    *count = 1;
    if (!type->has_rank || type->wrap != TN_NET_TENSOR ||
        type->dtype == TN_UNDEFINED)
        return false;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0 ||
            !tn_mul(*count, (uint64_t)type->dims[i], count))
            return false;
    }
    return true;
}

/* Bytes; strings count as their addresses would. */
static uint64_t size_of(const struct tn_net_type *type)
{
    uint64_t count, bytes;
    unsigned size = tn_dtype_size(type->dtype);

    if (!count_elements(type, &count) ||
        !tn_mul(count, size ? size : 8, &bytes))
        return UINT64_MAX;
    return bytes;
}

/* Checks that all items are of the kind that the type has: numbers, texts or
 * bools. */
static bool is_complete(struct tn_item items, const struct tn_net_type *type)
{
    uint64_t count;

    if (items.kind != TN_ITEM_LIST || !count_elements(type, &count) ||
        items.count != count)
        return false;
    for (uint32_t i = 0; i < items.count; i++) {
        enum tn_item_kind kind = items.of.items[i].kind;
        bool fits = type->dtype == TN_STRING ? kind == TN_ITEM_STRING
                                             : tn_item_is_number(kind);
        if (!fits)
            return false;
    }
    return true;
}

static uint32_t add_constant(struct tn_net *net, uint32_t graph,
                             const struct tn_net_type *type,
                             struct tn_item items, struct tn_arena *scratch)
{
    struct tn_bytes  nameless = { NULL, 0 };
    uint64_t        *dims  = tn_new(scratch, uint64_t, type->rank, net->error);
    int64_t         *ints  = tn_new(scratch, int64_t, items.count, net->error);
    double          *reals = tn_new(scratch, double, items.count, net->error);
    struct tn_bytes *texts =
        tn_new(scratch, struct tn_bytes, items.count, net->error);

    if (!dims || !ints || !reals || !texts)
        return TN_NONE;
    for (uint32_t i = 0; i < type->rank; i++)
        dims[i] = (uint64_t)type->dims[i];
    for (uint32_t i = 0; i < items.count; i++) {
        struct tn_item item = items.of.items[i];
        if (item.kind == TN_ITEM_STRING)
            texts[i] = tn_item_bytes(item);
        else
            reals[i] = tn_item_double(item);
        if (tn_item_is_whole(item.kind))
            ints[i] = item.of.number;
    }
    if (type->dtype == TN_STRING)
        return tn_net_add_strings(net, graph, nameless, texts, type->rank,
                                  dims);
    if (tn_item_is_real(type->dtype))
        return tn_net_add_doubles(net, graph, nameless, type->dtype, reals,
                                  type->rank, dims);
    return tn_net_add_ints(net, graph, nameless, type->dtype, ints, type->rank,
                           dims);
}

/* Items have no reals for integers, and no complex numbers. */
static bool can_be_said(const struct tn_net_type *type, struct tn_item items)
{
    bool is_whole = !tn_item_is_real(type->dtype) && type->dtype != TN_STRING;

    for (uint32_t i = 0; is_whole && i < items.count; i++)
        if (!tn_item_is_whole(items.of.items[i].kind))
            return false;
    return true;
}

/* If nothing else uses a constant, its slices replace all of it. */
enum usage { NOT_USED, USED_ONCE, USED_IN_PARTS, USED_OFTEN };

struct folding {
    struct tn_net   *net;
    struct tn_infer *facts;
    const bool      *is_output;
    const uint8_t   *uses; /* of values: enum usage                          */
    bool            *is_size; /* of values; NULL: it does not matter          */
    uint64_t         limit;
    struct tn_arena  scratch;
};

/* Bytes of the constants that only this node uses, and which are removed.  A
 * constant with other users stays beside the result, unless all users take
 * parts of it. */
static uint64_t size_of_inputs(const struct folding     *f,
                               const struct tn_net_node *node)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t id = node->inputs[i];
        if (id == TN_NONE || f->uses[id] == USED_OFTEN)
            continue;
        const struct tn_net_value value = tn_net_value(f->net, id);
        uint64_t size = value.constant ? size_of(value.type) : 0;
        sum += size == UINT64_MAX ? 0 : size;
    }
    return sum;
}

/* Whether a value is a size of another value; a node that takes one computes
 * with sizes. */
static bool is_of_shapes(const struct folding     *f,
                         const struct tn_net_node *node)
{
    static const char *const sources[] = { "Shape", "Size" };

    if (is_one_of(node->op, sources, sizeof sources / sizeof sources[0]))
        return true;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != TN_NONE && f->is_size[node->inputs[i]])
            return true;
    return false;
}

static void note_sizes(struct folding *f, const struct tn_net_node *node)
{
    if (!is_of_shapes(f, node))
        return;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE)
            f->is_size[node->outputs[i]] = true;
}

static bool is_move(const struct tn_net_op *op)
{
    static const char *const ops[] = { "Cast",    "Flatten",   "Reshape",
                                       "Squeeze", "Transpose", "Unsqueeze" };

    return is_one_of(op, ops, sizeof ops / sizeof ops[0]);
}

/* A QuantizeLinear of weights, whose result is smaller than they are. */
static bool takes_weights(const struct folding     *f,
                          const struct tn_net_node *node)
{
    return tn_bytes_is(node->op->type, "QuantizeLinear") && node->input_count &&
           node->inputs[0] != TN_NONE &&
           tn_net_value(f->net, node->inputs[0]).constant;
}

/* Whether all outputs of the node can be known without computing elements. */
static bool may_fold(const struct folding *f, const struct tn_net_node *node)
{
    uint64_t sum = 0, most = size_of_inputs(f, node) + f->limit;

    if (node->is_removed || !node->output_count || node->control_count ||
        (is_quantising(node->op) && !takes_weights(f, node)))
        return false;
    if (f->is_size && !is_of_shapes(f, node) && !is_move(node->op))
        return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = node->outputs[i];
        if (value == TN_NONE)
            continue;
        uint64_t size = size_of(tn_net_value(f->net, value).type);
        if (f->is_output[value] || !tn_add(sum, size, &sum))
            return false;
    }
    return sum <= most || takes_weights(f, node);
}

/* Folds a node by computing its elements. */
static bool fold_items(struct folding *f, const struct tn_net_node *from)
{
    struct tn_net_node node = *from;
    struct tn_item     items[TN_INFER_IO_MAX];

    if (node.output_count > TN_INFER_IO_MAX)
        return false;
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (node.outputs[i] == TN_NONE)
            continue;
        const struct tn_net_type *type =
            tn_net_value(f->net, node.outputs[i]).type;
        if (tn_fold(f->facts, node.outputs[i], &items[i]) != TN_OK ||
            !is_complete(items[i], type) || !can_be_said(type, items[i]))
            return false;
    }
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (node.outputs[i] == TN_NONE)
            continue;
        tn_arena_rewind(&f->scratch);
        uint32_t like = add_constant(f->net, node.graph,
                                     tn_net_value(f->net, node.outputs[i]).type,
                                     items[i], &f->scratch);
        if (like == TN_NONE)
            return false;
        tn_net_copy_constant(f->net, node.outputs[i], like);
    }
    return true;
}

/* Whether its elements are more than those of its inputs at other places. */
static bool computes_reals(const struct tn_net      *net,
                           const struct tn_net_node *node)
{
    static const char *const movers[] = {
        "Compress", "Concat",  "ConstantOfShape", "Expand",
        "Flatten",  "Gather",  "GatherElements",  "GatherND",
        "Identity", "Reshape", "Slice",           "Split",
        "Squeeze",  "Tile",    "Transpose",       "Unsqueeze",
        "Where",
    };
    uint32_t first = node->outputs[0];

    return first != TN_NONE &&
           tn_item_is_real(tn_net_value(net, first).type->dtype) &&
           !is_one_of(node->op, movers, sizeof movers / sizeof movers[0]);
}

static bool fold_node(struct folding *f, const struct tn_simplify_how *how,
                      uint32_t id)
{
    const struct tn_net_node node = tn_net_node(f->net, id);

    if (f->is_size)
        note_sizes(f, &node);
    if (!may_fold(f, &node) ||
        (!fold_items(f, &node) && !tn_fold_as_view(f->net, f->facts, id)))
        return false;
    if (how->on_folded && computes_reals(f->net, &node))
        how->on_folded(how->context, f->net, id);
    tn_net_remove(f->net, id);
    return true;
}

static void note_use(uint8_t *uses, bool is_part)
{
    if (*uses == NOT_USED)
        *uses = is_part ? USED_IN_PARTS : USED_ONCE;
    else if (*uses != USED_IN_PARTS || !is_part)
        *uses = USED_OFTEN;
}

/* NULL: it failed. */
static uint8_t *count_uses(struct tn_net *net, struct tn_arena *arena)
{
    uint8_t *uses = tn_new(arena, uint8_t, net->values.count, net->error);

    for (uint32_t i = 0; uses && i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                note_use(&uses[node.inputs[k]],
                         k == 0 && tn_bytes_is(node.op->type, "Slice"));
    }
    return uses;
}

/* If a copy that is an output is removed, the value that it copied becomes the
 * output. */
static bool *find_outputs(struct tn_net *net, struct tn_arena *arena)
{
    bool *is_output = tn_net_find_outputs(net, arena);

    for (uint32_t i = (uint32_t)net->nodes.count; is_output && i-- > 0;) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (!node.is_removed && tn_bytes_is(node.op->type, "Identity") &&
            node.input_count == 1 && node.inputs[0] != TN_NONE &&
            node.output_count == 1 && node.outputs[0] != TN_NONE &&
            is_output[node.outputs[0]])
            is_output[node.inputs[0]] = true;
    }
    return is_output;
}

static uint64_t fold(struct tn_net *net, struct tn_infer *facts,
                     const struct tn_simplify_how *how)
{
    struct folding f = { .net = net, .facts = facts, .limit = how->fold_limit };
    uint64_t       count = 0;
    struct tn_arena arena;

    tn_arena_init(&arena, net->arena->memory);
    tn_arena_init(&f.scratch, net->arena->memory);
    f.is_output = find_outputs(net, &arena);
    f.uses      = f.is_output ? count_uses(net, &arena) : NULL;
    if (how->folds_shapes)
        f.is_size = tn_new(&arena, bool, net->values.count, net->error);
    uint32_t last = (uint32_t)net->nodes.count;
    for (uint32_t i = 0; f.uses && i < last && tn_net_goes_on(net); i++)
        count += fold_node(&f, how, i);
    tn_arena_done(&f.scratch);
    tn_arena_done(&arena);
    return count;
}

/* ---- sharing ------------------------------------------------------------ */

/* Operators of other domains may have hidden state. */
static bool is_ours(struct tn_bytes domain)
{
    return !domain.size || tn_bytes_is(domain, "ai.onnx.ml");
}

static bool is_random(const struct tn_net_op *op)
{
    static const char *const ops[] = {
        "RandomNormal",      "RandomUniform", "RandomNormalLike",
        "RandomUniformLike", "Multinomial",   "Bernoulli",
        "Dropout",
    };

    return is_one_of(op, ops, sizeof ops / sizeof ops[0]);
}

/* One DynamicQuantizeLinear is enough for all that multiply what it returns. */
static bool may_share(const struct tn_net_op *op)
{
    return is_ours(op->domain) && !is_random(op) &&
           (!is_quantising(op) ||
            tn_bytes_is(op->type, "DynamicQuantizeLinear"));
}

/* ---- rounds ------------------------------------------------------------- */

static uint64_t count_rewritten(const struct tn_map_report *report)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < report->rules.count; i++) {
        const struct tn_lang_rule *rule = tn_map_rule(report, i);
        count += rule && rule->head.op.size; /* control flow has no op */
    }
    return count;
}

/* Moves on from one net to the next; with `is_idle` the next one is empty, and
 * the first stays. */
static uint64_t rewrite(struct tn_net *from, struct tn_net *to,
                        const struct tn_simplify_how *how,
                        const struct tn_lang_file    *rules,
                        struct tn_infer *facts, bool *is_idle)
{
    struct tn_infer     *made = NULL;
    struct tn_map_report report;
    uint64_t             count = 0;

    to->source  = from->source;
    to->version = from->version;
    tn_map_report_init(&report, from->arena);
    report.is_silent = true;
    if (tn_infer_open(&made, to, how->shapes) == TN_OK &&
        tn_lang_apply(&rules, 1, facts, from, made, to, &report) == TN_OK) {
        *is_idle = report.is_idle;
        count    = count_rewritten(&report);
        if (how->on_rules && count)
            how->on_rules(how->context, from, &report);
    }
    tn_infer_close(made);
    tn_map_report_done(&report);
    return count;
}

static void keep_versions(const struct tn_net *from, struct tn_net *to)
{
    for (uint64_t i = 0; i < from->versions.count; i++) {
        struct tn_net_version *row =
            tn_list_push(&to->versions, struct tn_net_version, to->error);
        if (row)
            *row = *tn_list_at(&from->versions, struct tn_net_version, i);
    }
}

/* Opens what is known of the net.  Types that were found before stay, because
 * they were found in this net or in the one that it was copied from node by
 * node. */
static enum tn_status open_facts(struct tn_infer **facts, struct tn_net *net,
                                 const struct tn_simplify_how *how,
                                 struct tn_simplified         *did)
{
    TN_TRY(tn_infer_open(facts, net, how->shapes));
    if (!did->has_types)
        TN_TRY(tn_infer_run(*facts));
    did->has_types = true;
    return TN_OK;
}

/* The net to go on with; the other is released.  NULL after a failure. */
static struct tn_net *choose_net(struct tn_net *from, struct tn_net *to,
                                 bool is_idle)
{
    bool is_good = to && !tn_failed(to->error);

    tn_net_done(is_good && is_idle ? to : from);
    return !is_good ? NULL : is_idle ? from : to;
}

/* One round; the net that it ends with, or NULL. */
static struct tn_net *run_round(struct tn_net                *net,
                                const struct tn_simplify_how *how,
                                struct tn_simplified *did, bool *has_changed)
{
    struct tn_infer *facts  = NULL;
    uint64_t         folded = 0, chosen = 0, rewritten = 0;
    bool             is_idle = false;
    struct tn_net   *to      = how->new_net(how->context);

    if (to && open_facts(&facts, net, how, did) == TN_OK) {
        if (!how->folds_nothing)
            folded = fold(net, facts, how);
        if (!tn_failed(net->error) && !how->folds_nothing &&
            tn_net_may_have_op(net, "DequantizeLinear"))
            folded += tn_fold_quantized(net, facts);
        if (!tn_failed(net->error) && !how->folds_nothing)
            chosen = tn_simplify_sizes(net, facts);
        if (!tn_failed(net->error) && how->layers)
            chosen += tn_widen_sizes(net, facts);
        if (!tn_failed(net->error))
            chosen += tn_choose_branches(net);
        if (!tn_failed(net->error))
            chosen += tn_simplify_loops(net);
        if (!tn_failed(net->error)) {
            keep_versions(net, to);
            rewritten = rewrite(net, to, how, how->rules, facts, &is_idle);
        }
    }
    tn_infer_close(facts);
    to = choose_net(net, to, is_idle);
    if (!to)
        return NULL;
    bool is_as_before =
        is_idle && !folded && !chosen && (how->is_pruned || did->rounds);
    if (!is_as_before)
        tn_net_prune(to);
    uint64_t shared = tn_share(to, may_share);
    tn_net_forget_uses(to);
    did->folded += folded;
    did->rewritten += rewritten + chosen;
    did->shared += shared;
    did->rounds++;
    *has_changed   = folded || chosen || rewritten || shared;
    did->has_types = !*has_changed;
    if (is_as_before && !shared && !tn_failed(to->error))
        return to; /* pruned and in order */
    tn_net_prune(to);
    return tn_net_order(to, NULL) == TN_OK ? to : NULL;
}

/* Makes layers single operators in the remaining graph. */
static struct tn_net *find_layers(struct tn_net                *net,
                                  const struct tn_simplify_how *how,
                                  struct tn_simplified *did, bool *has_changed)
{
    struct tn_infer *facts   = NULL;
    struct tn_net   *to      = how->new_net(how->context);
    uint64_t         found   = 0;
    bool             is_idle = false;

    if (to && open_facts(&facts, net, how, did) == TN_OK) {
        keep_versions(net, to);
        found = rewrite(net, to, how, how->layers, facts, &is_idle);
    }
    tn_infer_close(facts);
    to = choose_net(net, to, is_idle);
    if (!to)
        return NULL;
    did->rewritten += found;
    *has_changed   = found > 0;
    did->has_types = !*has_changed;
    tn_net_prune(to);
    return tn_net_order(to, NULL) == TN_OK ? to : NULL;
}

/* A pass over whole graphs, which needs types and sets those of new values. */
static uint64_t run_pass(struct tn_net *net, const struct tn_simplify_how *how,
                         struct tn_simplified *did,
                         uint64_t (*pass)(struct tn_net *, struct tn_infer *))
{
    struct tn_infer *facts = NULL;
    uint64_t         count = 0;
    uint32_t         first = (uint32_t)net->nodes.count;

    if (!how->folds_nothing && open_facts(&facts, net, how, did) == TN_OK)
        count = pass(net, facts);
    for (uint32_t i = first; count && i < net->nodes.count; i++)
        tn_infer_node(facts, i);
    tn_infer_close(facts);
    if (count && !tn_failed(net->error)) {
        tn_net_prune(net);
        tn_net_order(net, NULL);
    }
    return count;
}

static uint64_t count_transposes(const struct tn_net *net)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node_row *row = tn_net_node_row(net, i);
        count += !row->is_removed && row->op != TN_NONE &&
                 tn_bytes_is(tn_net_op_at(net, row->op)->type, "Transpose");
    }
    return count;
}

static bool keeps_order(const struct tn_net_node *node)
{
    const struct tn_attr_value *perm = tn_net_attr(node, "perm");

    for (uint64_t i = 0; perm && i < perm->count; i++)
        if (perm->of.ints[i] != (int64_t)i)
            return false;
    return perm != NULL;
}

/* Whether moving Transposes left something that a round folds: moved constants,
 * and Transposes without effect. */
static bool has_leftovers(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed || !node.input_count || !is_move(node.op))
            continue;
        if (node.inputs[0] != TN_NONE &&
            tn_net_value(net, node.inputs[0]).constant)
            return true;
        if (tn_bytes_is(node.op->type, "Transpose") && keeps_order(&node))
            return true;
    }
    return false;
}

/* Moves Transposes again after everything is folded: obstacles are known or
 * removed by then.  Rounds fold the result; if fewer Transposes than `least`
 * are left, this is repeated. */
static uint64_t move_again(struct tn_net                *net,
                           const struct tn_simplify_how *how,
                           struct tn_simplified *did, uint64_t *least)
{
    uint64_t count = count_transposes(net), moved;

    if (count < 2 || count >= *least)
        return 0;
    *least = count;
    moved  = run_pass(net, how, did, tn_move_transposes);
    did->rewritten += moved;
    if (tn_failed(net->error))
        return 0;
    return count_transposes(net) < count || has_leftovers(net) ? moved : 0;
}

/* Transposes come first, because rules match adjacent nodes.  Groups come after
 * everything is folded, also the weights; then there is more to fold. */
struct tn_net *tn_simplify(struct tn_net                *net,
                           const struct tn_simplify_how *how,
                           struct tn_simplified         *did)
{
    bool     has_changed = true;
    uint64_t joined = 0, least = UINT64_MAX;

    *did               = (struct tn_simplified){ 0 };
    uint64_t before    = count_transposes(net);
    uint64_t moved     = run_pass(net, how, did, tn_move_transposes);
    bool     are_fewer = moved && count_transposes(net) < before;
    if (tn_failed(net->error))
        return NULL;
    do {
        while (net && has_changed && did->rounds < MOST_ROUNDS) {
            net = run_round(net, how, did, &has_changed);
            if (net && !has_changed && how->layers)
                net = find_layers(net, how, did, &has_changed);
        }
        joined = net ? run_pass(net, how, did, tn_join_groups) : 0;
        did->rewritten += joined;
        if (net && !joined && how->layers && !net->keeps_quantized) {
            joined = run_pass(net, how, did,
                              how->one_scale ? tn_fold_trained_scales
                                             : tn_fold_trained);
            did->folded += joined;
        }
        if (net && !joined)
            joined = move_again(net, how, did, &least);
        has_changed = joined;
    } while (joined && !tn_failed(net->error) && did->rounds < MOST_ROUNDS);
    if (net)
        did->tied = tn_tie_weights(net);
    did->is_same = !are_fewer && !did->folded && !did->rewritten &&
                   !did->shared && !did->tied;
    did->rewritten += moved;
    if (net && did->tied) /* now equal nodes of equal weights can be seen */
        did->shared += tn_share(net, may_share);
    return net && !tn_failed(net->error) ? net : NULL;
}
