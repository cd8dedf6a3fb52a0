/*
 * convert_passes.c - the passes of a conversion, a table for each dialect
 *
 *   load, prepare the source dialect,
 *   for every step of the path: leave the dialect, rules,
 *   finish the target dialect, lay out as a model
 *
 * Preparing leaves only what rules can express: no variables, no calls, and
 * arguments with names.  Finishing adds what a file of the dialect needs and
 * rules do not know: control flow in its form, packed arguments, types of all
 * values.
 *
 * A pass works on c->net.  It may put another net there: rules do.
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/convert_dialect.h"
#include "engine/interpreter.h"
#include "ir/dialect_facts.h"
#include "ir/attr.h"
#include "ir/vocab.h"
#include "map/flow/flow.h"
#include "map/net/nd4j_args.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "map/simplify/copies.h"
#include "map/simplify/opset.h"
#include "map/simplify/share.h"
#include "map/simplify/simplify.h"
#include "map/simplify/transposes.h"
#include "map/tidy/onnx_forms.h"
#include "map/tidy/onnx_tidy.h"
#include "map/tidy/paddle_tidy.h"
#include "map/tidy/tf_tidy.h"
#include "map/tidy/tflite_tidy.h"

/* ---- passes of several dialects ------------------------------------------ */

static enum tn_status prune(struct tn_conversion *c)
{
    if (!c->was_all_needed)
        tn_net_prune(c->net);
    return c->error->status;
}

/* After passes that replaced values. */
static enum tn_status order_source(struct tn_conversion *c)
{
    if (c->was_settled) {
        c->is_settled = true;
        return TN_OK;
    }
    if (!c->was_all_needed)
        tn_net_prune(c->net);
    tn_net_forget_uses(c->net);
    TN_TRY(tn_net_order(c->net, c->from->dialect->loop_ops));
    c->is_settled = true;
    return TN_OK;
}

/* Values with an element type and a rank. */
static void say_known(struct tn_conversion *c)
{
    uint64_t known = 0, all = 0;

    for (uint32_t i = 0; i < c->net->values.count; i++) {
        const struct tn_net_value value = tn_net_value(c->net, i);
        bool is_made = value.producer != TN_NONE && !value.constant;
        all += is_made;
        known += is_made && value.type->has_rank &&
                 value.type->dtype != TN_UNDEFINED;
    }
    snprintf(c->did, sizeof c->did, "%" PRIu64 " of %" PRIu64 " values known",
             known, all);
}

static enum tn_status infer(struct tn_conversion *c)
{
    const struct tn_lang_file *shapes =
        tn_rule_cache_shapes(c->cache, c->net->dialect, c->error);

    if (shapes && c->inferred != c->net)
        tn_infer(c->net, shapes);
    if (tn_failed(c->error))
        return c->error->status;
    c->inferred = c->net;
    if (c->plan)
        say_known(c);
    return TN_OK;
}

static void tell_notes(struct tn_conversion *c, const struct tn_list *notes)
{
    char where[128], what[160];

    for (uint64_t i = 0; c->loss && i < notes->count; i++) {
        const struct tn_tidy_note *note =
            tn_list_at(notes, struct tn_tidy_note, i);
        snprintf(where, sizeof where, "%.*s", TN_FMT(note->node));
        snprintf(what, sizeof what, "%.*s: %s", TN_FMT(note->type), note->why);
        c->loss(c->loss_context, TN_NOWHERE, where, what);
    }
}

/* ---- the first passes ---------------------------------------------------- */

/* The element type of an output that no rule of shapes gives: from attributes,
 * by the vocabulary. */
static enum tn_dtype told_dtype(struct tn_net *net, uint32_t value)
{
    const struct tn_net_value it   = tn_net_value(net, value);
    struct tn_error           own  = TN_ERROR_INIT;
    enum tn_dtype             made = TN_UNDEFINED;
    struct tn_vocab           vocab;

    if (it.producer == TN_NONE ||
        tn_vocab_open(&vocab, net->arena, net->dialect, &own) != TN_OK)
        return TN_UNDEFINED;
    const struct tn_net_node  node = tn_net_node(net, it.producer);
    const struct tn_vocab_op *op =
        tn_vocab_find(&vocab, node.op->domain, node.op->type, INT64_MAX, &own);
    if (!op || op->has_lists || it.output >= op->output_count)
        return TN_UNDEFINED;
    const struct tn_vocab_arg *arg = &op->outputs[it.output];
    if (!arg->variable.size) {
        for (int i = 1; i < TN_DTYPE_COUNT; i++)
            if (arg->types.tensors == TN_VOCAB_TYPE(i))
                made = (enum tn_dtype)i;
        return made;
    }
    for (uint32_t i = 0; i < node.attr_count; i++)
        if (tn_bytes_equal(node.attrs[i].name, arg->variable) &&
            node.attrs[i].value.kind == TN_ATTR_DTYPE)
            return (enum tn_dtype)node.attrs[i].value.of.ints[0];
    const struct tn_vocab_attr *attr = tn_vocab_find_attr(op, arg->variable);
    return attr && attr->has_default && attr->value.kind == TN_ATTR_DTYPE
               ? (enum tn_dtype)attr->value.of.ints[0]
               : TN_UNDEFINED;
}

/* The type of the value where it is computed. */
static void type_input(struct tn_net *net, uint32_t input, struct tn_net *whole,
                       uint32_t value)
{
    struct tn_net_type type = *tn_net_value(whole, value).type;

    if (type.dtype == TN_UNDEFINED)
        type.dtype = told_dtype(whole, value);
    if (!tn_net_value(net, input).type->has_rank)
        tn_net_set_type(net, input, &type);
}

/* Inputs that the caller chose are computed in the model, so what is known of
 * the values there holds for the inputs.  If inference fails, nothing is known
 * of them; that is no failure of the conversion. */
static void type_inputs(struct tn_conversion *c)
{
    struct tn_net             *net     = c->net;
    struct tn_error            unheard = TN_ERROR_INIT;
    struct tn_net_io           ends    = { .outputs      = c->how->inputs,
                                           .output_count = c->how->input_count };
    struct tn_list            *to      = &tn_net_graph(net, 0)->inputs;
    struct tn_net              whole;
    const struct tn_lang_file *shapes;

    tn_net_init(&whole, net->arena, net->dialect, &unheard);
    if (tn_net_load(&whole, c->from, &ends) == TN_OK &&
        tn_net_order(&whole, c->from->dialect->loop_ops) == TN_OK &&
        (shapes = tn_rule_cache_shapes(c->cache, net->dialect, &unheard)) &&
        tn_infer(&whole, shapes) == TN_OK) {
        const struct tn_list *from = &tn_net_graph(&whole, 0)->outputs;
        for (uint64_t i = 0; i < from->count && i < to->count; i++)
            type_input(net, *tn_list_at(to, uint32_t, i), &whole,
                       *tn_list_at(from, uint32_t, i));
    }
    tn_net_done(&whole);
}

/* Inputs that the caller chose may leave out one that is needed.  The net has
 * been pruned: nodes that are there are for the outputs. */
static enum tn_status check_chosen(struct tn_conversion *c)
{
    struct tn_net  *net = c->net;
    struct tn_arena scratch;
    bool           *is_input;

    tn_arena_init(&scratch, net->arena->memory);
    is_input = tn_new(&scratch, bool, net->values.count, c->error);
    for (uint32_t g = 0; is_input && g < net->graphs.count; g++) {
        const struct tn_list *inputs = &tn_net_graph(net, g)->inputs;
        for (uint64_t i = 0; i < inputs->count; i++)
            is_input[*tn_list_at(inputs, uint32_t, i)] = true;
    }
    for (uint32_t i = 0; is_input && i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++) {
            uint32_t id = node.inputs[k];
            if (id == TN_NONE || is_input[id])
                continue;
            const struct tn_net_value v = tn_net_value(net, id);
            if (!v.constant && v.producer == TN_NONE)
                tn_error_because(c->error, TN_INVALID, TN_REASON_MISSING_INPUT,
                                 TN_NOWHERE,
                                 "the outputs also need '%.*s', which is not "
                                 "one of the chosen inputs",
                                 TN_FMT(v.name));
        }
    }
    tn_arena_done(&scratch);
    return c->error->status;
}

/* A graph whose last nodes give no values, such as nodes that only group
 * others, would become empty. */
static enum tn_status check_ends(struct tn_conversion *c)
{
    if (tn_net_graph(c->net, 0)->outputs.count > 0 ||
        tn_model_op_count(c->from) == 0 || c->is_part)
        return TN_OK;
    return tn_error_because(
        c->error, TN_UNSUPPORTED, TN_REASON_UNKNOWN_OUTPUT, TN_NOWHERE,
        "the graph has no outputs: choose them with --outputs");
}

/* Rules take an input that has a value for that value. */
static void lose_defaults(struct tn_conversion *c)
{
    struct tn_io_list inputs = tn_model_inputs(c->from);
    char              where[128];

    if (!c->loss || c->how->input_count || !c->from->has_optional_inputs)
        return;
    for (uint32_t i = 0; i < inputs.count; i++) {
        if (!inputs.items[i].has_default)
            continue;
        snprintf(where, sizeof where, "%.*s", TN_FMT(inputs.items[i].name));
        c->loss(c->loss_context, TN_NOWHERE, where,
                "an input with a default value: it becomes a constant");
    }
}

/* Whether the result may be the unchanged source: the caller wants the same
 * dialect, inputs, shapes, opset and format. */
static bool may_stay_whole(const struct tn_conversion *c)
{
    return c->is_all_needed && !c->path.steps && !c->how->input_count &&
           !c->how->shape_count && !c->how->opset && !c->how->receipt &&
           c->format == tn_opened_of(c->from)->format;
}

static enum tn_status load(struct tn_conversion *c)
{
    struct tn_net_io ends = { .inputs       = c->how->inputs,
                              .outputs      = c->how->outputs,
                              .input_count  = c->how->input_count,
                              .output_count = c->how->output_count,
                              .signature    = c->how->signature };

    tn_net_load(c->net, c->from, &ends);
    if (c->path.steps) /* rules report what they could not use of the old
                          graph */
        TN_TRY(tn_conversion_end_source(c));
    if (c->how->input_count)
        type_inputs(c);
    TN_TRY(tn_conversion_set_shapes(c));
    c->signature     = c->net->signature;
    c->is_all_needed = tn_conversion_unneeded(c, c->net);
    c->may_stay      = may_stay_whole(c);
    lose_defaults(c);
    return tn_failed(c->error) ? c->error->status : check_ends(c);
}

/* By now the net has only what the outputs need. */
static enum tn_status account(struct tn_conversion *c)
{
    if (c->path.steps && !c->is_part)
        tn_conversion_unused(c, c->net);
    if (c->how->input_count)
        TN_TRY(check_chosen(c));
    if (c->path.steps > 1 || c->detour.steps)
        TN_TRY(tn_conversion_keep_ops(c));
    if (c->loaded && c->path.steps)
        tn_model_drop_ops(c->loaded);
    c->is_settled = c->was_settled;
    return c->error->status;
}

/* ---- rules -------------------------------------------------------------- */

struct step {
    struct tn_rule_set   set;
    struct tn_map_report report;
    struct tn_infer     *facts, *made;
    bool                 leads_on; /* to the next dialect of the path        */
};

static enum tn_status open_facts(struct tn_conversion *c, struct step *s,
                                 struct tn_net *from, struct tn_net *to)
{
    bool                       folds = !c->how->folds_nothing;
    const struct tn_lang_file *shapes, *next;

    if (!(shapes = tn_rule_cache_shapes(c->cache, from->dialect, c->error)) ||
        !(next = tn_rule_cache_shapes(c->cache, to->dialect, c->error)))
        return c->error->status;
    if (!folds)
        TN_TRY(tn_infer(from, shapes));
    TN_TRY(tn_infer_open(&s->facts, from, folds ? shapes : NULL));
    if (folds)
        TN_TRY(tn_infer_run(s->facts));
    return tn_infer_open(&s->made, to, next);
}

static bool is_given_up(const struct step *s)
{
    return s->report.wants_all && s->report.unmapped_count;
}

static bool has_rule_for(const struct tn_rule_set *set,
                         const struct tn_net_op   *op)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const struct tn_list *rules = &set->files[i]->rules;
        for (uint64_t k = 0; k < rules->count; k++)
            if (tn_bytes_equal(
                    tn_list_at(rules, struct tn_lang_rule, k)->head.op,
                    op->type))
                return true;
    }
    return false;
}

/* Whether the detour has rules for all operators of the graph: then it may
 * convert what the direct rules refuse.  Otherwise the refusals of the direct
 * rules are more useful. */
static bool detour_helps(struct tn_conversion *c, const struct tn_net *from)
{
    struct tn_rule_set set      = { 0 };
    bool               is_taken = true;
    bool              *is_known =
        tn_new(from->arena, bool, from->pool->ops.ops.count, c->error);

    if (c->how->allow_count || !is_known ||
        tn_rule_set_read(&set, from->arena, c->cache, from->dialect,
                         c->detour.dialects[1], c->own, c->own_count,
                         c->error) != TN_OK)
        goto out;
    for (uint32_t i = 0; is_taken && i < from->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(from, i);
        if (node.is_removed || is_known[node.op->id])
            continue;
        is_known[node.op->id] = true;
        is_taken = tn_flow_is_structure(&node) || has_rule_for(&set, node.op);
    }
out:
    tn_rule_set_done(&set);
    return is_taken;
}

static enum tn_status run_step(struct tn_conversion *c, struct step *s,
                               struct tn_net *from, struct tn_net *to)
{
    bool is_alone =
        c->how->only_rules &&
        tn_rule_text_leads(c->own, c->own_count, from->dialect, to->dialect);
    struct tn_rule_cache *cache = is_alone ? NULL : c->cache;

    TN_TRY(tn_rule_set_read(&s->set, from->arena, cache, from->dialect,
                            to->dialect, c->own, c->own_count, c->error));
    to->source  = from->source;
    to->version = to->facts->rule_version;
    TN_TRY(open_facts(c, s, from, to));
    if (c->how->shape_count && c->step == 0)
        TN_TRY(tn_conversion_check_shapes(c, from));
    TN_TRY(tn_lang_apply(s->set.files, s->set.count, s->facts, from, s->made,
                         to, &s->report));
    if (is_given_up(s))
        return TN_OK;
    if (!s->leads_on)
        return tn_conversion_note(c, from, &s->report);
    TN_TRY(tn_conversion_report(c, from, to->dialect, &s->report));
    c->files      = s->set.files;
    c->file_count = s->set.count;
    tn_conversion_dropped(c, from, &s->report);
    tn_conversion_note_chance(c, from, &s->report);
    if (c->mapped)
        tn_conversion_mapped(c, from, to->dialect, &s->report);
    return c->error->status;
}

/* Operators that rules refused are tried again: along the detour, or to report
 * all refusals. */
static enum tn_status leave_path(struct tn_conversion *c,
                                 const struct tn_net  *from)
{
    const char *next = c->detour.dialects[1];

    if (detour_helps(c, from)) {
        snprintf(c->did, sizeof c->did, "not all have rules: through %s", next);
        tn_conversion_take_detour(c);
    } else {
        snprintf(c->did, sizeof c->did, "not all have rules, not to %s either",
                 next);
        c->detour.steps = 0;
    }
    return c->error->status;
}

/* Nets live until the conversion ends, because names are passed from one to the
 * next. */
static struct tn_net *new_net(struct tn_conversion *c, const char *dialect)
{
    struct tn_net *net =
        tn_new(&c->store->model.arena, struct tn_net, 1, c->error);
    struct tn_net **slot =
        net ? tn_list_push(&c->nets, struct tn_net *, c->error) : NULL;

    if (!slot)
        return NULL;
    *slot = net;
    tn_net_init(net, &c->store->model.arena, dialect, c->error);
    net->keeps_quantized = c->how->keeps_quantized;
    return net;
}

/* Applies rules to c->net; the result, of the next dialect or of the same one,
 * takes its place.  Where the path became the detour, the net is still that of
 * the source. */
static enum tn_status run_rules(struct tn_conversion *c, bool leads_on)
{
    struct tn_net *from = c->net;
    struct tn_net *to =
        new_net(c, c->path.dialects[leads_on ? c->step + 1 : c->step]);
    struct step s = { .leads_on = leads_on };

    if (!to)
        return c->error->status;
    tn_map_report_init(&s.report, from->arena);
    s.report.wants_all = leads_on && c->detour.steps > 0;
    run_step(c, &s, from, to);
    tn_infer_close(s.made);
    tn_infer_close(s.facts);
    tn_map_report_done(&s.report);
    tn_rule_set_done(&s.set);
    if (tn_failed(c->error))
        return c->error->status;
    if (is_given_up(&s)) {
        tn_net_done(to);
        return leave_path(c, from);
    }
    if (c->plan)
        snprintf(c->did, sizeof c->did, "%s -> %s", from->dialect, to->dialect);
    tn_net_done(from); /* it is no longer needed */
    c->net = to;
    c->step += leads_on;
    tn_net_prune(to);
    return tn_net_order(to, NULL);
}

static enum tn_status run_next_rules(struct tn_conversion *c)
{
    return run_rules(c, true);
}

/* ---- simplifying -------------------------------------------------------- */

static struct tn_net *next_net(void *context)
{
    struct tn_conversion *c = context;

    return new_net(c, c->net->dialect);
}

static void note_rules(void *context, const struct tn_net *from,
                       const struct tn_map_report *report)
{
    tn_conversion_note(context, from, report);
}

static void note_folded(void *context, const struct tn_net *net, uint32_t node)
{
    tn_conversion_note_node(context, net, node, "computed while converting");
}

/* From here on a DequantizeLinear has a scale for each index of an axis. */
#define OPSET_OF_SCALES 13

/* The order of the nodes is no longer that of the source. */
static bool is_as_loaded(const struct tn_net *net)
{
    for (uint32_t g = 0; g < net->graphs.count; g++) {
        const struct tn_list *nodes = &tn_net_graph(net, g)->nodes;
        for (uint64_t i = 1; i < nodes->count; i++)
            if (*tn_list_at(nodes, uint32_t, i) <
                *tn_list_at(nodes, uint32_t, i - 1))
                return false;
    }
    return true;
}

/* A smaller net of the same dialect; it takes the place of c->net. */
static enum tn_status run_simplify(struct tn_conversion *c)
{
    struct tn_simplify_how how = {
        .shapes = tn_rule_cache_shapes(c->cache, c->net->dialect, c->error),
        .rules  = tn_rule_cache_within(c->cache, c->net->dialect, TN_FOR_LESS,
                                       c->error),
        .layers = c->path.steps
                      ? tn_rule_cache_within(c->cache, c->net->dialect,
                                             TN_FOR_LAYERS, c->error)
                      : NULL,
        .fold_limit = c->how->fold_limit ? c->how->fold_limit : TN_FOLD_LIMIT,
        .folds_nothing = c->how->folds_nothing,
        .folds_shapes  = c->how->folds_shapes,
        .one_scale     = c->how->opset && c->how->opset < OPSET_OF_SCALES,
        .is_pruned     = !c->path.steps,
        .new_net       = next_net,
        .on_rules      = note_rules,
        .on_folded     = note_folded,
        .context       = c,
    };
    struct tn_simplified did;

    if (tn_failed(c->error) || !how.rules)
        return c->error->status;
    if (c->net->version < c->net->facts->oldest_version)
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "opset %" PRId64 " cannot be simplified, only "
                            "those from %" PRId64 " on",
                            c->net->version, c->net->facts->oldest_version);
    c->may_stay &= is_as_loaded(c->net);
    struct tn_net *net = tn_simplify(c->net, &how, &did);
    if (net)
        c->net = net;
    c->inferred     = net && did.has_types ? net : NULL;
    c->is_unchanged = c->may_stay && did.is_same;
    snprintf(c->did, sizeof c->did,
             "%" PRIu64 " folded, %" PRIu64 " rewritten, %" PRIu64
             " shared, %" PRIu64 " tied, %" PRIu32 " round%s",
             did.folded, did.rewritten, did.shared, did.tied, did.rounds,
             did.rounds == 1 ? "" : "s");
    return c->error->status;
}

/* A simplified graph has the same Loops of float64 as before. */
static enum tn_status find_layers(struct tn_conversion *c, uint64_t *found,
                                  bool is_simple)
{
    uint64_t       directions = 0;
    struct tn_list doubles;

    tn_list_init(&doubles, &c->store->memory, sizeof(uint32_t));
    tn_onnx_rnn(c->net, found, is_simple ? NULL : &doubles);
    for (uint64_t i = 0; i < doubles.count && !tn_failed(c->error); i++)
        tn_conversion_note_node(
            c, c->net, *tn_list_at(&doubles, uint32_t, i),
            "a recurrent layer of float64, which ONNX Runtime has no kernel "
            "for: it stays a Loop");
    tn_list_done(&doubles);
    if (tn_failed(c->error))
        return c->error->status;
    TN_TRY(tn_onnx_directions(c->net, &directions));
    *found += directions;
    return TN_OK;
}

/* Loops may only now look like layers, and what makes weights of these can be
 * folded. */
static enum tn_status simplify(struct tn_conversion *c)
{
    uint64_t layers = 0;

    TN_TRY(run_simplify(c));
    if (c->path.steps && c->net->graphs.count > 1)
        TN_TRY(find_layers(c, &layers, true));
    return layers ? run_simplify(c) : c->error->status;
}

static enum tn_status channels_first(struct tn_conversion *c)
{
    uint64_t count;

    TN_TRY(infer(c));
    count = tn_channels_first(c->net);
    snprintf(c->did, sizeof c->did, "%" PRIu64 " inputs and outputs", count);
    return tn_failed(c->error) ? c->error->status : tn_net_order(c->net, NULL);
}

static const struct tn_pass channel_passes[] = {
    { "channels", "inputs and outputs get their channels second",
      channels_first },
    { NULL, NULL, NULL },
};

static const struct tn_pass simplify_passes[] = {
    { "simplify", "the same graph with fewer nodes", simplify },
    { NULL, NULL, NULL },
};

/* ---- TensorFlow --------------------------------------------------------- */

static enum tn_status resolve_tensorflow(struct tn_conversion *c)
{
    struct tn_list        notes;
    struct tn_tf_resolved did = { .files = &c->files_taken };

    tn_list_init(&notes, &c->store->memory, sizeof(struct tn_tidy_note));
    if (tn_tf_resolve(c->net, &notes, &did) == TN_OK)
        tell_notes(c, &notes);
    tn_list_done(&notes);
    snprintf(c->did, sizeof c->did, "%" PRIu64 " variables, %" PRIu64 " calls",
             did.variables, did.calls);
    return c->error->status;
}

static enum tn_status raise_tensorflow(struct tn_conversion *c)
{
    return tn_tf_raise(c->net);
}

static enum tn_status list_tensorflow(struct tn_conversion *c)
{
    return tn_tf_lists(c->net);
}

static enum tn_status rank_tensorflow(struct tn_conversion *c)
{
    return tn_tf_ranks(c->net);
}

static enum tn_status loop_tensorflow(struct tn_conversion *c)
{
    uint64_t found = 0;

    if (!tn_tf_has_block_lstm(c->net))
        return TN_OK;
    TN_TRY(infer(c));
    TN_TRY(tn_tf_block_lstm(c->net, &found));
    if (found)
        c->inferred = NULL;
    snprintf(c->did, sizeof c->did, "%" PRIu64 " loops", found);
    return TN_OK;
}

/* Scan outputs become lists again where a dialect has these, in the form that is
 * known on the way back.  What remains are sequences, where there are any. */
static enum tn_status stack_tensorflow(struct tn_conversion *c)
{
    TN_TRY(tn_flow_arrays(c->net));
    if (tn_dialect_facts(c->path.dialects[c->path.steps])->has_sequences)
        tn_flow_lists(c->net);
    return c->error->status;
}

static enum tn_status integers_tensorflow(struct tn_conversion *c)
{
    uint64_t count = tn_tf_integers(c->net);

    snprintf(c->did, sizeof c->did, "%" PRIu64 " values", count);
    return c->error->status;
}

/* Nothing is pruned before: no output needs the nodes that restore variables,
 * but they tell which variable is which. */
static const struct tn_pass tensorflow_prepare[] = {
    { "resolve", "variables become constants, calls their bodies",
      resolve_tensorflow },
    { "raise", "Switch and Merge become If and Loop", raise_tensorflow },
    { "lists", "tensor lists become tensors", list_tensorflow },
    { "prune", "nodes that no output needs are removed", order_source },
    { "ranks", "inputs get the ranks that their users need", rank_tensorflow },
    { "cells", "layers of open length become loops", loop_tensorflow },
    { NULL, NULL, NULL },
};

static const struct tn_pass tensorflow_leave[] = {
    { "stack", "arrays of loops become what they take and give",
      stack_tensorflow },
    { "integers", "quantised types become integers", integers_tensorflow },
    { NULL, NULL, NULL },
};

/* ---- ONNX --------------------------------------------------------------- */

static enum tn_status inline_onnx(struct tn_conversion *c)
{
    return tn_onnx_tidy(c->net);
}

/* Rules from ONNX to ONNX: replace operators for which the runtime has no
 * kernel by others. */
static enum tn_status rewrite_onnx(struct tn_conversion *c)
{
    uint64_t before = c->touched.count;

    TN_TRY(run_rules(c, false));
    snprintf(c->did, sizeof c->did, "%" PRIu64 " rewritten",
             c->touched.count - before);
    return TN_OK;
}

static enum tn_status layer_onnx(struct tn_conversion *c)
{
    uint64_t found = 0;

    TN_TRY(find_layers(c, &found, false));
    snprintf(c->did, sizeof c->did, "%" PRIu64 " found", found);
    return TN_OK;
}

/* The opset that runtimes of recent years read, if the caller asks for none. */
#define USUAL_OPSET  17
#define OLDEST_OPSET 11
#define NEWEST_OPSET 28

static enum tn_status set_opset(struct tn_conversion *c, bool is_made)
{
    struct tn_opset_how how = {
        .shapes  = tn_rule_cache_shapes(c->cache, c->net->dialect, c->error),
        .older   = tn_rule_cache_within(c->cache, c->net->dialect, TN_FOR_OLDER,
                                        c->error),
        .newer   = tn_rule_cache_within(c->cache, c->net->dialect, TN_FOR_NEWER,
                                        c->error),
        .wanted  = c->how->opset ? (int64_t)c->how->opset : USUAL_OPSET,
        .is_wish = !c->how->opset,
        .is_made = is_made,
        .new_net = next_net,
        .context = c,
    };

    tn_net_set_versions(c->net);
    if (tn_failed(c->error))
        return c->error->status;
    struct tn_net *net = tn_set_opset(c->net, &how);
    if (!net)
        return c->error->status;
    c->net = net;
    snprintf(c->did, sizeof c->did, "opset %" PRId64, net->version);
    TN_TRY(tn_onnx_forms(net));
    return tn_net_complete_onnx(net);
}

static enum tn_status complete_onnx(struct tn_conversion *c)
{
    return set_opset(c, true);
}

static enum tn_status keep_onnx(struct tn_conversion *c)
{
    return set_opset(c, false);
}

static enum tn_status inline_functions(struct tn_conversion *c)
{
    c->is_settled = c->was_settled && !tn_onnx_has_to_inline(c->net);
    c->may_stay &= c->is_settled;
    return c->is_settled ? TN_OK : tn_onnx_inline(c->net);
}

/* Of a graph that stays ONNX. */
static const struct tn_pass onnx_flatten[] = {
    { "inline", "functions become their bodies, Constants values",
      inline_functions },
    { "prune", "nodes that no output needs are removed", order_source },
    { NULL, NULL, NULL },
};

static const struct tn_pass onnx_prepare[] = {
    { "prune", "nodes that no output needs are removed", prune },
    { "inline", "functions become their bodies, Scan becomes Loop",
      inline_onnx },
    { "prune", "nodes that no output needs are removed", order_source },
    { NULL, NULL, NULL },
};

/* Of a graph that leaves ONNX. */
static enum tn_status loop_onnx(struct tn_conversion *c)
{
    uint64_t found = 0;

    if (c->is_part || !tn_onnx_has_cells(c->net))
        return TN_OK;
    TN_TRY(infer(c));
    TN_TRY(tn_onnx_cells(c->net, &found));
    if (found)
        c->inferred = NULL;
    snprintf(c->did, sizeof c->did, "%" PRIu64 " loops", found);
    return TN_OK;
}

static const struct tn_pass onnx_leave[] = {
    { "cells", "GRU and RNN become loops", loop_onnx },
    { NULL, NULL, NULL },
};

static const struct tn_pass onnx_arrive[] = {
    { "layers", "loops over sequences become LSTM, GRU and RNN", layer_onnx },
    { NULL, NULL, NULL },
};

static const struct tn_pass onnx_finish[] = {
    { "rewrite", "what ONNX Runtime has no kernel for is rewritten",
      rewrite_onnx },
    { "infer", "types and shapes", infer },
    { "version", "operators are those of the opset", complete_onnx },
    { NULL, NULL, NULL },
};

/* ---- Paddle ------------------------------------------------------------- */

static enum tn_status arrange_paddle(struct tn_conversion *c)
{
    struct tn_list notes;

    tn_list_init(&notes, &c->store->memory, sizeof(struct tn_tidy_note));
    if (tn_paddle_tidy(c->net, &notes) == TN_OK)
        tell_notes(c, &notes);
    tn_list_done(&notes);
    return c->error->status;
}

/* Types that follow from operators come first, then those that the program
 * declares, then those that follow from these. */
static enum tn_status rank_paddle(struct tn_conversion *c)
{
    TN_TRY(infer(c));
    uint64_t count = tn_paddle_ranks(c->net);
    snprintf(c->did, sizeof c->did, "%" PRIu64 " taken", count);
    if (count)
        c->inferred = NULL;
    return c->error->status;
}

static const struct tn_pass paddle_prepare[] = {
    { "prune", "nodes that no output needs are removed", prune },
    { "arrange", "arguments of slots are put in order", arrange_paddle },
    { "prune", "nodes that no output needs are removed", order_source },
    { "ranks", "values get the ranks that the program declares", rank_paddle },
    { NULL, NULL, NULL },
};

/* ---- TFLite ------------------------------------------------------------- */

static enum tn_status resolve_tflite(struct tn_conversion *c)
{
    struct tn_list          notes;
    struct tn_tflite_tidied did = { 0 };

    tn_list_init(&notes, &c->store->memory, sizeof(struct tn_tidy_note));
    if (tn_tflite_tidy(c->net, &notes, &did) == TN_OK)
        tell_notes(c, &notes);
    tn_list_done(&notes);
    snprintf(c->did, sizeof c->did,
             "%" PRIu64 " scales, %" PRIu64 " calls, %" PRIu64 " states",
             did.quantized, did.calls, did.states);
    return c->error->status;
}

static const struct tn_pass tflite_prepare[] = {
    { "resolve", "scales become operators, calls and state go",
      resolve_tflite },
    { "prune", "nodes that no output needs are removed", order_source },
    { NULL, NULL, NULL },
};

/* ---- nd4j --------------------------------------------------------------- */

static enum tn_status unpack_nd4j(struct tn_conversion *c)
{
    return tn_nd4j_unpack(c->net);
}

static enum tn_status raise_nd4j(struct tn_conversion *c)
{
    return tn_flow_raise(c->net);
}

static enum tn_status stack_nd4j(struct tn_conversion *c)
{
    TN_TRY(tn_flow_stack(c->net));
    tn_flow_lists(c->net);
    return c->error->status;
}

/* A graph without subgraphs stays as it is, and so do its types. */
static enum tn_status lower_nd4j(struct tn_conversion *c)
{
    if (c->net->graphs.count > 1)
        c->inferred = NULL;
    TN_TRY(tn_flow_scans(c->net));
    return tn_flow_lower(c->net);
}

/* Operators without side effects that always return the same: moves, and those
 * that compute sizes.  nd4j has others that change their inputs. */
static bool is_pure_nd4j(const struct tn_net_op *op)
{
    static const char *const pure[] = {
        "broadcast_to",  "concat",    "gather",  "gather_nd",
        "permute",       "range",     "rank",    "reshape",
        "shape_of",      "size",      "size_at", "slice",
        "strided_slice", "squeeze",   "stack",   "tile",
        "tile_to_shape", "transpose",
    };

    for (size_t i = 0; !op->domain.size && i < sizeof pure / sizeof *pure; i++)
        if (tn_bytes_is(op->type, pure[i]))
            return true;
    return false;
}

/* In place: there may be a million nodes, and few copies. */
static enum tn_status thin_nd4j(struct tn_conversion *c)
{
    static const struct tn_copy_ops ops   = { "identity", "cast", "shape_of" };
    uint64_t                        count = 0, shared = 0;

    if (!c->how->keeps_nodes && !c->is_part)
        count = tn_remove_copies(c->net, &ops);
    if (!c->how->keeps_nodes && !c->is_part && !tn_net_has_controls(c->net))
        shared = tn_share_inside(c->net, is_pure_nd4j);
    snprintf(c->did, sizeof c->did, "%" PRIu64 " removed, %" PRIu64 " shared",
             count, shared);
    return c->error->status;
}

static enum tn_status pack_nd4j(struct tn_conversion *c)
{
    TN_TRY(tn_net_order(c->net, c->format->dialect_ops->loop_ops));
    return tn_nd4j_pack(c->net);
}

static const struct tn_pass nd4j_prepare[] = {
    { "prune", "nodes that no output needs are removed", prune },
    { "unpack", "positions of arguments become names", unpack_nd4j },
    { "raise", "switch and merge become If and Loop", raise_nd4j },
    { "prune", "nodes that no output needs are removed", order_source },
    { NULL, NULL, NULL },
};

static const struct tn_pass nd4j_leave[] = {
    { "stack", "lists become scan outputs and sequences", stack_nd4j },
    { NULL, NULL, NULL },
};

static const struct tn_pass nd4j_finish[] = {
    { "infer", "types and shapes", infer },
    { "simplify", "copies of values and equal nodes go", thin_nd4j },
    { "lower", "If and Loop become switch and merge", lower_nd4j },
    { "infer", "types and shapes", infer },
    { "pack", "names of arguments become positions", pack_nd4j },
    { NULL, NULL, NULL },
};

static bool has_flow(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_op *op = tn_net_node(net, i).op;
        if (!tn_net_node_row(net, i)->is_removed &&
            (tn_bytes_is(op->type, "switch") || tn_bytes_is(op->type, "merge")))
            return true;
    }
    return false;
}

/* Whether a node runs depends on its place between switch and merge, and on
 * control dependencies of constants, which a net does not have. */
static enum tn_status simplify_nd4j(struct tn_conversion *c)
{
    if (!has_flow(c->net))
        return thin_nd4j(c);
    return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "an nd4j graph with loops or branches (switch, merge) "
                        "cannot be simplified");
}

/* For a graph that stays nd4j: the same as in a conversion to nd4j. */
static const struct tn_pass nd4j_less[] = {
    { "unpack", "positions of arguments become names", unpack_nd4j },
    { "infer", "types and shapes", infer },
    { "simplify", "copies of values and equal nodes go", simplify_nd4j },
    { "pack", "names of arguments become positions", pack_nd4j },
    { NULL, NULL, NULL },
};

/* ---- all of them -------------------------------------------------------- */

/* What a dialect adds to a conversion. */
struct tn_dialect_passes {
    const struct tn_pass *prepare; /* after loading, for its rules            */
    const struct tn_pass *leave;   /* before rules lead away from it          */
    const struct tn_pass *arrive;  /* after the last rules led to it          */
    const struct tn_pass *finish;  /* after the last rules, for its files     */
    const struct tn_pass *flatten; /* before it is simplified by rules, of a
                                      graph that stays what it is; NULL: there
                                      are no such rules                       */
    const struct tn_pass *less;    /* in place of finish, of a graph that stays
                                      what it is and is simplified; NULL: none
                                                                              */
};

static const struct tn_pass no_passes[] = { { NULL, NULL, NULL } };

static const struct tn_pass other_prepare[] = {
    { "prune", "nodes that no output needs are removed", order_source },
    { NULL, NULL, NULL },
};

static const struct tn_pass other_finish[] = {
    { "infer", "types and shapes", infer },
    { NULL, NULL, NULL },
};

static const struct tn_dialect_passes dialects[TN_DIALECT_COUNT] = {
    [TN_DIALECT_ND4J]   = { nd4j_prepare, nd4j_leave, no_passes, nd4j_finish,
                            NULL, nd4j_less },
    [TN_DIALECT_ONNX]   = { onnx_prepare, onnx_leave, onnx_arrive, onnx_finish,
                            onnx_flatten, NULL },
    [TN_DIALECT_PADDLE] = { paddle_prepare, no_passes, no_passes, other_finish,
                            NULL, NULL },
    [TN_DIALECT_TENSORFLOW] = { tensorflow_prepare, tensorflow_leave, no_passes,
                                other_finish, NULL, NULL },
    [TN_DIALECT_TFLITE] = { tflite_prepare, no_passes, no_passes, other_finish,
                            NULL, NULL },
    [TN_DIALECT_OTHER]  = { other_prepare, no_passes, no_passes, other_finish,
                            NULL, NULL },
};

static const struct tn_dialect_passes *passes_of(const char *dialect)
{
    return &dialects[tn_dialect_facts(dialect)->id];
}

/* ---- the last pass ------------------------------------------------------- */

/* Most names of the source are names of the result: so the result takes over
 * its table, and values need not be looked up again. */
static enum tn_status hand_names(struct tn_conversion *c)
{
    struct tn_intern *names = &c->result->model.names;

    tn_intern_done(names);
    TN_TRY(tn_model_hand_names(c->loaded, names, c->error));
    if (c->net->pool->names.given)
        c->net->pool->names.given = names;
    return TN_OK;
}

static enum tn_status lay_out(struct tn_conversion *c)
{
    struct tn_options options = {
        .allocator = &c->store->memory.allocator,
        .max_memory =
            c->store->memory.limit == UINT64_MAX ? 0 : c->store->memory.limit,
        .workers = c->store->memory.workers,
    };
    struct tn_asking asking;

    TN_TRY(tn_conversion_end_source(c));
    if (c->is_unchanged && tn_conversion_is_whole(c, c->net)) {
        c->model = c->from;
        snprintf(c->did, sizeof c->did, "as it was");
        return c->error->status;
    }
    TN_TRY(tn_opened_new(&c->result, &options, c->error));
    c->result->format       = c->format;
    c->result->model.format = c->format->name;
    c->result->model.title  = c->format->title;
    TN_TRY(tn_opened_hold(c->result, c->store, c->error));
    TN_TRY(tn_opened_hold(c->result, tn_opened_of(c->from), c->error));
    if (c->loaded) {
        tn_model_hand_tables(c->loaded, &c->result->model);
        TN_TRY(hand_names(c));
    }
    tn_asking_begin(&asking, c->options, "mapping", &c->result->memory);
    tn_net_lay_out(c->net, c->format->dialect_ops, &c->result->model,
                   &c->origins, &c->op_names, c->error);
    tn_asking_end(&asking);
    TN_TRY(c->error->status);
    tn_op_names_done(&c->op_names);
    c->result->model.file_size = c->from->file_size;
    c->model                   = &c->result->model;
    if (c->judges_beside) /* when the nets are gone */
        return TN_OK;
    return tn_refuse_made(c->model, c->format, &c->validity, c->error);
}

/* ---- the whole conversion ------------------------------------------------ */

static const struct tn_pass load_passes[] = {
    { "load", "the graph, from its inputs to its outputs", load },
    { NULL, NULL, NULL },
};

static const struct tn_pass account_passes[] = {
    { "account", "weights that no output needs are reported", account },
    { NULL, NULL, NULL },
};

static const struct tn_pass rule_passes[] = {
    { "rules", "operators become those of the next dialect", run_next_rules },
    { NULL, NULL, NULL },
};

/* Of a graph that stays ONNX, in another opset. */
static const struct tn_pass version_passes[] = {
    { "version", "operators are those of the opset", keep_onnx },
    { "infer", "types and shapes", infer },
    { NULL, NULL, NULL },
};

static const struct tn_pass last_passes[] = {
    { "layout", "the graph becomes a model", lay_out },
    { NULL, NULL, NULL },
};

/* The passes of one conversion, in order. */
struct sequence {
    struct {
        const struct tn_pass *pass;
        const char           *dialect;
    } rows[TN_PASSES_MAX];
    uint32_t count;
};

static void add(struct sequence *to, const char *dialect,
                const struct tn_pass *passes)
{
    for (; passes->name && to->count < TN_PASSES_MAX; passes++, to->count++) {
        to->rows[to->count].pass    = passes;
        to->rows[to->count].dialect = dialect;
    }
}

static void declare(const struct tn_conversion *c, struct sequence *to)
{
    const char *const *dialects_on = c->path.dialects;
    uint32_t           steps       = c->path.steps;

    add(to, dialects_on[0], load_passes);
    add(to, dialects_on[0],
        steps && !c->is_part ? passes_of(dialects_on[0])->prepare
                             : other_prepare);
    add(to, dialects_on[0], account_passes);
    for (uint32_t i = 0; i < steps; i++) {
        add(to, dialects_on[i], passes_of(dialects_on[i])->leave);
        add(to, dialects_on[i + 1], rule_passes);
    }
    if (steps)
        add(to, dialects_on[steps], passes_of(dialects_on[steps])->arrive);
    const struct tn_pass *flatten = passes_of(dialects_on[steps])->flatten;
    bool wants_less = c->how->simplifies || (steps && !c->is_part);
    if (flatten && !steps && (wants_less || c->how->opset))
        add(to, dialects_on[steps], flatten);
    if (flatten && steps && c->how->channels_first)
        add(to, dialects_on[steps], channel_passes);
    if (flatten && wants_less && !c->how->keeps_nodes)
        add(to, dialects_on[steps], simplify_passes);
    const struct tn_dialect_passes *last = passes_of(dialects_on[steps]);
    add(to, dialects_on[steps],
        steps                              ? last->finish
        : c->how->simplifies && last->less ? last->less
                                           : other_finish);
    if (!steps && c->how->opset)
        add(to, dialects_on[steps], version_passes);
    add(to, dialects_on[steps], last_passes);
}

static uint64_t count_nodes(const struct tn_net *net)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++)
        count += !tn_net_node_row(net, i)->is_removed;
    return count;
}

static void tell_pass(const struct tn_conversion *c, const struct tn_pass *pass,
                      const char *dialect, uint64_t nodes)
{
    struct tn_plan_pass told = { .dialect = dialect,
                                 .name    = pass->name,
                                 .what    = pass->what,
                                 .did     = c->did,
                                 .nodes   = nodes };

    if (c->plan->pass)
        c->plan->pass(c->plan->context, &told);
}

/* A graph in which an operator has no rule is not finished. */
static bool is_stuck(const struct tn_conversion *c, const struct tn_pass *pass)
{
    return c->plan && c->summary->unmapped && pass != rule_passes;
}

/* Both paths begin with the same passes.  If the rules chose the detour, the
 * passes after them are those of the detour.  If the detour turns out to be of
 * no use, it is given up for the rest of the conversion, and the direct rules
 * run once more. */
static enum tn_status run_passes(struct tn_conversion *c)
{
    struct sequence all    = { .count = 0 };
    uint32_t        detour = c->detour.steps;

    declare(c, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct tn_pass *pass = all.rows[i].pass;
        if (is_stuck(c, pass))
            break;
        c->did[0]         = '\0';
        uint64_t nodes    = c->plan ? count_nodes(c->net) : 0;
        c->was_settled    = c->is_settled;
        c->was_all_needed = c->is_all_needed;
        c->is_settled = c->is_all_needed = false;
        TN_TRY(pass->run(c));
        if (c->plan && pass != last_passes) /* which takes the net apart */
            nodes = count_nodes(c->net);
        if (c->plan)
            tell_pass(c, pass, all.rows[i].dialect, nodes);
        if (c->detour.steps == detour)
            continue;
        detour    = 0;
        all.count = 0;
        declare(c, &all);
        i--; /* the rules again, of the path's first step */
    }
    return c->error->status;
}

static enum tn_status check_channels(struct tn_conversion *c)
{
    if (c->path.steps && passes_of(c->path.dialects[c->path.steps])->flatten)
        return TN_OK;
    return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                        "channels can become the second axis only when a "
                        "model of another framework is converted to ONNX");
}

static enum tn_status check_opset(struct tn_conversion *c, bool has_opsets)
{
    if (!has_opsets)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "an opset can be chosen only for ONNX, and the "
                            "output is %s",
                            c->format->name);
    if (c->how->opset < OLDEST_OPSET || c->how->opset > NEWEST_OPSET)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "opset %" PRIu32 ": the oldest that can be "
                            "written is %d, the newest %d",
                            c->how->opset, OLDEST_OPSET, NEWEST_OPSET);
    return TN_OK;
}

enum tn_status tn_conversion_run_passes(struct tn_conversion *c)
{
    const char *last = c->path.dialects[c->path.steps];

    if (c->how->simplifies && !passes_of(last)->flatten &&
        !passes_of(last)->less)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "only graphs of ONNX and nd4j can be simplified, "
                            "and the output is %s",
                            c->format->name);
    if (c->how->channels_first)
        TN_TRY(check_channels(c));
    if (c->how->opset)
        TN_TRY(check_opset(c, passes_of(last)->flatten));
    tn_list_init(&c->nets, &c->store->memory, sizeof(struct tn_net *));
    c->step = 0;
    c->net  = new_net(c, c->path.dialects[0]);
    if (c->net && run_passes(c) == TN_UNSUPPORTED)
        tn_conversion_name_target(c);
    c->net = NULL;
    for (uint64_t i = 0; i < c->nets.count; i++)
        tn_net_done(*tn_list_at(&c->nets, struct tn_net *, i));
    tn_list_done(&c->nets);
    return c->error->status;
}
