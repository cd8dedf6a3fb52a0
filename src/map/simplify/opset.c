/* opset.c - writes a graph of ONNX in an older or newer opset, step by step */
#include "map/simplify/opset.h"

#include <inttypes.h>

#include "ir/vocab.h"
#include "map/lang/lang_apply.h"
#include "map/net/net_build.h"

/* From the version of a net to another one. */
struct step {
    const struct tn_lang_file *file;
    int64_t                    to;
};

/* ---- which steps there are ---------------------------------------------- */

/* The version that a rule writes; 0: its direction is not that of the file. */
static int64_t written_by(const struct tn_lang_file *file,
                          const struct tn_lang_rule *rule)
{
    return file->is_older ? rule->head.since - 1 : rule->head.until + 1;
}

/* The next version, on the way to `wanted`, that changes an operator; `wanted`
 * itself if there are no more. */
static int64_t next_version(const struct tn_lang_file *file, int64_t from,
                            int64_t wanted)
{
    int64_t next = wanted;

    for (uint64_t i = 0; i < file->rules.count; i++) {
        int64_t to =
            written_by(file, tn_list_at(&file->rules, struct tn_lang_rule, i));
        if (file->is_older ? to < from && to > next : to > from && to < next)
            next = to;
    }
    return next;
}

/* Whether the step changes the operator. */
static bool has_rule(const struct tn_net *net, const struct step *step,
                     const struct tn_net_op *op)
{
    const struct tn_list *rules = &step->file->rules;

    for (uint64_t i = 0; i < rules->count; i++) {
        const struct tn_lang_rule *rule =
            tn_list_at(rules, struct tn_lang_rule, i);
        if (written_by(step->file, rule) == step->to &&
            net->version >= rule->head.since &&
            net->version <= rule->head.until &&
            tn_bytes_equal(rule->head.op, op->type))
            return true;
    }
    return false;
}

/* By op of the net: whether the step changes it.  NULL: the net has failed. */
static bool *find_changed(const struct tn_net *net, const struct step *step,
                          struct tn_arena *arena, bool *is_any)
{
    uint64_t count   = net->pool->ops.ops.count;
    bool    *changed = tn_new(arena, bool, count, net->error);

    for (uint32_t i = 0; changed && i < count; i++) {
        const struct tn_net_op *op = tn_net_op_at(net, i);
        changed[i] = !op->domain.size && has_rule(net, step, op);
    }
    *is_any = false;
    for (uint32_t i = 0; changed && i < net->nodes.count; i++) {
        const struct tn_net_node_row *row = tn_net_node_row(net, i);
        *is_any |= !row->is_removed && row->op != TN_NONE && changed[row->op];
    }
    return changed;
}

/* ---- one step ----------------------------------------------------------- */

/* The first node that should have changed and did not; TN_NONE: none. */
static uint32_t find_refused(const struct tn_net        *from,
                             const struct tn_map_report *report,
                             const bool                 *changed)
{
    for (uint32_t i = 0; i < report->rules.count; i++) {
        const struct tn_net_node_row *row = tn_net_node_row(from, i);
        if (!row->is_removed && row->op != TN_NONE && changed[row->op] &&
            !tn_map_rule(report, i))
            return i;
    }
    return TN_NONE;
}

/* Says also which opset on the way still has the node as it is. */
static void refuse(struct tn_net *from, uint32_t id, int64_t version,
                   const struct step *step, const struct tn_map_report *report)
{
    const struct tn_net_node    node  = tn_net_node(from, id);
    bool                        older = step->file->is_older;
    uint32_t                    count;
    const struct tn_map_reason *why = tn_map_reasons(report, id, &count);

    struct tn_bytes name =
        node.name.size || !node.output_count || node.outputs[0] == TN_NONE
            ? node.name
            : tn_net_value(from, node.outputs[0]).name;

    tn_error_because(
        from->error, TN_UNSUPPORTED, TN_REASON_RULE_REFUSED, TN_NOWHERE,
        "%.*s '%.*s' cannot be written in opset %" PRId64 ", only %s %" PRId64
        "%s%s%s",
        TN_FMT(node.op->type), TN_FMT(name), version, older ? "from" : "up to",
        older ? step->to + 1 : step->to - 1, older ? " on" : "",
        count ? ": " : "", count ? why[count - 1].text : "");
}

static enum tn_status apply(struct tn_net *from, struct tn_net *to,
                            const struct step         *step,
                            const struct tn_opset_how *how,
                            struct tn_map_report      *report)
{
    struct tn_infer *facts = NULL, *made = NULL;

    to->source  = from->source;
    to->version = step->to;
    for (uint64_t i = 0; i < from->versions.count; i++) {
        struct tn_net_version *row =
            tn_list_push(&to->versions, struct tn_net_version, to->error);
        if (row)
            *row = *tn_list_at(&from->versions, struct tn_net_version, i);
    }
    if (tn_infer_open(&facts, from, how->shapes) == TN_OK &&
        tn_infer_run(facts) == TN_OK &&
        tn_infer_open(&made, to, how->shapes) == TN_OK)
        tn_lang_apply(&step->file, 1, facts, from, made, to, report);
    tn_infer_close(made);
    tn_infer_close(facts);
    return from->error->status;
}

/* The net after the step.  If only the nearest version is wanted and the step
 * is impossible, that is the net before it, in its version. */
static struct tn_net *run_step(struct tn_net *net, const struct step *step,
                               const struct tn_opset_how *how,
                               const bool                *changed)
{
    struct tn_net       *to = how->new_net(how->context);
    struct tn_map_report report;

    if (!to)
        return NULL;
    tn_map_report_init(&report, net->arena);
    apply(net, to, step, how, &report);
    uint32_t refused =
        tn_failed(net->error) ? TN_NONE : find_refused(net, &report, changed);
    if (refused != TN_NONE && !how->is_wish)
        refuse(net, refused, how->wanted, step, &report);
    if (refused != TN_NONE)
        tn_net_give_back(to, net);
    tn_map_report_done(&report);
    tn_net_done(refused == TN_NONE ? net : to);
    if (tn_failed(to->error))
        return NULL;
    if (refused != TN_NONE)
        return net;
    tn_net_prune(to);
    return tn_net_order(to, NULL) == TN_OK ? to : NULL;
}

/* ---- the way ------------------------------------------------------------ */

/* Whether a rule expresses an operator that came with that opset by others. */
static bool can_be_said(const struct tn_lang_file *older, struct tn_bytes type,
                        int64_t first)
{
    for (uint64_t i = 0; i < older->rules.count; i++) {
        const struct tn_lang_rule *rule =
            tn_list_at(&older->rules, struct tn_lang_rule, i);
        if (rule->head.since == first && tn_bytes_equal(rule->head.op, type))
            return true;
    }
    return false;
}

/* The newest operator of the net came with that opset. */
static int64_t oldest_possible(struct tn_net             *net,
                               const struct tn_lang_file *older,
                               struct tn_bytes           *newest)
{
    struct tn_vocab vocab;
    int64_t         oldest = 0;

    *newest = tn_text("");
    if (tn_vocab_open(&vocab, net->arena, "onnx", net->error) != TN_OK)
        return 0;
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed || node.op->domain.size)
            continue;
        int64_t first = tn_net_first_version(net, &vocab, &node);
        if (first > oldest && !can_be_said(older, node.op->type, first)) {
            oldest  = first;
            *newest = node.op->type;
        }
    }
    return oldest;
}

static int64_t reachable(struct tn_net *net, const struct tn_opset_how *how)
{
    struct tn_bytes newest;
    int64_t         oldest = oldest_possible(net, how->older, &newest);

    if (oldest <= how->wanted)
        return how->wanted;
    if (!how->is_wish)
        tn_error_because(net->error, TN_UNSUPPORTED, TN_REASON_RULE_REFUSED,
                         TN_NOWHERE,
                         "cannot be written in opset %" PRId64
                         ": %.*s came with opset %" PRId64,
                         how->wanted, TN_FMT(newest), oldest);
    return oldest;
}

/* Before this opset a 0 in a shape is the size that the input has there.  A
 * computed shape has a 0 only for an array without elements: usually the input
 * has the size 0 there, too, and otherwise the runtime reports sizes that do
 * not fit. */
#define FIRST_WITH_ZEROS 14

static void take_zeros_as_copies(struct tn_net *net)
{
    static const int64_t       no   = 0;
    const struct tn_attr_value zero = { .kind    = TN_ATTR_INT,
                                        .count   = 1,
                                        .of.ints = &no };

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (!node.is_removed && !node.op->domain.size &&
            tn_bytes_is(node.op->type, "Reshape") && node.input_count == 2 &&
            !tn_net_value(net, node.inputs[1]).constant &&
            tn_net_attr(&node, "allowzero"))
            tn_net_set_attr(net, i, "allowzero", &zero);
    }
}

struct tn_net *tn_set_opset(struct tn_net *net, const struct tn_opset_how *how)
{
    int64_t         wanted = reachable(net, how);
    struct tn_arena arena;

    if (how->is_made && wanted < FIRST_WITH_ZEROS)
        take_zeros_as_copies(net);
    tn_arena_init(&arena, net->arena->memory);
    while (net && !tn_failed(net->error) && net->version != wanted) {
        struct step step = { wanted < net->version ? how->older : how->newer,
                             0 };
        bool is_any;
        step.to         = next_version(step.file, net->version, wanted);
        int64_t before  = net->version;
        bool   *changed = find_changed(net, &step, &arena, &is_any);
        if (!changed)
            break;
        if (is_any)
            net = run_step(net, &step, how, changed);
        else
            net->version = step.to;
        if (net && net->version == before)
            break; /* the nearest version that is possible */
    }
    tn_arena_done(&arena);
    return net && !tn_failed(net->error) ? net : NULL;
}
