/*
 * convert_dialect.c - a model in the words of another dialect
 *
 *   model -> net -> tidy -> infer -> rules -> net of the next dialect -> ...
 *   ... -> last things -> model
 *
 * Tidying leaves what rules can speak of: no variables, no calls, no positions.
 * Last things are what a file of the dialect wants and rules do not know:
 * dataflow and positions for nd4j, types of the ends for all.
 *
 * All nets of a conversion live in one store, since values that rules made are
 * referred to by later nets and by the result; it goes when the result goes.
 */
#include "engine/convert_dialect.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/interpreter.h"
#include "engine/rule_read.h"
#include "engine/rulebook.h"
#include "ir/attr.h"
#include "map/flow/flow.h"
#include "map/lang/lang_check.h"
#include "map/net/nd4j_args.h"
#include "map/tidy/onnx_tidy.h"
#include "map/tidy/paddle_tidy.h"
#include "map/tidy/tf_tidy.h"

static bool is_nd4j(const struct tn_net *net)
{
    return strcmp(net->dialect, "nd4j") == 0;
}

/* ---- before rules ------------------------------------------------------- */

static void tell_notes(struct tn_carrying *c, const struct tn_list *notes)
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

static enum tn_status tidy_noting(struct tn_carrying *c, struct tn_net *net,
                                  enum tn_status (*with)(struct tn_net  *net,
                                                         struct tn_list *notes))
{
    struct tn_list notes;

    tn_list_init(&notes, &c->store->memory, sizeof(struct tn_tidy_note));
    if (with(net, &notes) == TN_OK)
        tell_notes(c, &notes);
    tn_list_done(&notes);
    return c->error->status;
}

/* Of the net as it was loaded. */
static enum tn_status tidy(struct tn_carrying *c, struct tn_net *net)
{
    bool is_tensorflow = strcmp(net->dialect, "tensorflow") == 0;

    /* What restores variables is needed by nothing, but says which is which. */
    if (!is_tensorflow)
        tn_net_prune(net);
    if (tn_failed(c->error))
        return c->error->status;
    if (is_tensorflow)
        TN_TRY(tidy_noting(c, net, tn_tf_tidy));
    if (strcmp(net->dialect, "onnx") == 0)
        TN_TRY(tn_onnx_tidy(net));
    if (strcmp(net->dialect, "paddle") == 0)
        TN_TRY(tidy_noting(c, net, tn_paddle_tidy));
    if (is_nd4j(net)) {
        TN_TRY(tn_nd4j_unpack(net));
        TN_TRY(tn_flow_raise(net));
    }
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, c->from->dialect->loop_ops);
}

/* ---- one step ----------------------------------------------------------- */

static enum tn_status infer(struct tn_carrying *c, struct tn_net *net)
{
    const struct tn_lang_file *shapes =
        tn_rule_shelf_shapes(c->shelf, net->dialect, c->error);

    return shapes ? tn_infer(net, shapes) : c->error->status;
}

struct step {
    struct tn_rule_set   set;
    struct tn_map_report report;
    struct tn_infer     *facts, *made;
};

static enum tn_status open_facts(struct tn_carrying *c, struct step *s,
                                 struct tn_net *from, struct tn_net *to)
{
    bool                       folds = !c->how->folds_nothing;
    const struct tn_lang_file *shapes, *next;

    if (!(shapes = tn_rule_shelf_shapes(c->shelf, from->dialect, c->error)) ||
        !(next = tn_rule_shelf_shapes(c->shelf, to->dialect, c->error)))
        return c->error->status;
    if (!folds)
        TN_TRY(tn_infer(from, shapes));
    TN_TRY(tn_infer_open(&s->facts, from, folds ? shapes : NULL));
    if (folds)
        TN_TRY(tn_infer_run(s->facts));
    return tn_infer_open(&s->made, to, next);
}

static enum tn_status run_step(struct tn_carrying *c, struct step *s,
                               struct tn_net *from, struct tn_net *to)
{
    bool is_alone =
        c->how->only_rules &&
        tn_rule_text_leads(c->own, c->own_count, from->dialect, to->dialect);
    struct tn_rule_shelf *shelf = is_alone ? NULL : c->shelf;

    TN_TRY(tn_rule_set_read(&s->set, from->arena, shelf, from->dialect,
                            to->dialect, c->own, c->own_count, c->error));
    to->source = from->source;
    if (strcmp(to->dialect, "onnx") == 0)
        to->version = TN_LANG_ONNX_VERSION;
    TN_TRY(open_facts(c, s, from, to));
    TN_TRY(tn_lang_apply(s->set.files, s->set.count, s->facts, from, s->made,
                         to, &s->report));
    if (strcmp(from->dialect, to->dialect) == 0)
        return tn_carry_note(c, from, &s->report);
    TN_TRY(tn_carry_report(c, from, to->dialect, &s->report));
    c->files      = s->set.files;
    c->file_count = s->set.count;
    tn_carry_dropped(c, from, &s->report);
    if (c->mapped)
        tn_carry_mapped(c, from, to->dialect, &s->report);
    return c->error->status;
}

static enum tn_status step(struct tn_carrying *c, struct tn_net *from,
                           struct tn_net *to)
{
    struct step s = { 0 };

    if (is_nd4j(from)) {
        TN_TRY(tn_flow_stack(from));
        tn_flow_lists(from);
    }
    tn_map_report_init(&s.report, from->arena);
    run_step(c, &s, from, to);
    tn_infer_close(s.made);
    tn_infer_close(s.facts);
    tn_map_report_done(&s.report);
    tn_rule_set_done(&s.set);
    if (tn_failed(c->error))
        return c->error->status;
    tn_net_done(from); /* it has served */
    tn_net_prune(to);
    return tn_net_order(to, NULL);
}

/* ---- after rules -------------------------------------------------------- */

/* What the runtime of ONNX has no kernels for, it can say otherwise. */
static enum tn_status finish_onnx(struct tn_carrying *c, struct tn_net *net,
                                  struct tn_net *polished)
{
    TN_TRY(step(c, net, polished));
    TN_TRY(infer(c, polished));
    tn_net_set_versions(polished);
    return tn_net_complete_onnx(polished);
}

static enum tn_status finish_nd4j(struct tn_carrying *c, struct tn_net *net)
{
    TN_TRY(infer(c, net));
    TN_TRY(tn_flow_scans(net));
    TN_TRY(tn_flow_lower(net));
    TN_TRY(infer(c, net));
    TN_TRY(tn_net_order(net, c->format->dialect_ops->loop_ops));
    return tn_nd4j_pack(net);
}

/* The net that is to be laid out; `spare` is there for another one. */
static enum tn_status finish(struct tn_carrying *c, struct tn_net *net,
                             struct tn_net *spare, struct tn_net **last)
{
    *last = net;
    if (is_nd4j(net))
        return finish_nd4j(c, net);
    if (strcmp(net->dialect, "onnx") != 0)
        return infer(c, net);
    *last = spare;
    return finish_onnx(c, net, spare);
}

static enum tn_status lay_out(struct tn_carrying *c, struct tn_net *net)
{
    struct tn_options options = {
        .allocator = &c->store->memory.allocator,
        .max_memory =
            c->store->memory.limit == UINT64_MAX ? 0 : c->store->memory.limit,
    };

    TN_TRY(tn_opened_new(&c->result, &options, c->error));
    c->result->format       = c->format;
    c->result->model.format = c->format->name;
    c->result->model.title  = c->format->title;
    TN_TRY(tn_opened_hold(c->result, c->store, c->error));
    TN_TRY(tn_opened_hold(c->result, tn_opened_of(c->from), c->error));
    TN_TRY(tn_net_lay_out(net, c->format->dialect_ops, &c->result->model,
                          &c->origins, c->error));
    c->result->model.file_size = c->from->file_size;
    c->model                   = &c->result->model;
    return TN_OK;
}

/* ---- the whole way ------------------------------------------------------ */

/* Inputs that the caller chose are computed in the model: what is known of them
 * there is known of them here.  Failing to find out is none: then nothing is
 * known. */
static void type_inputs(struct tn_carrying *c, struct tn_net *net)
{
    struct tn_error            unheard = TN_ERROR_INIT;
    struct tn_net_ends         ends    = { .outputs      = c->how->inputs,
                                           .output_count = c->how->input_count };
    struct tn_list            *to      = &tn_net_graph(net, 0)->inputs;
    struct tn_net              whole;
    const struct tn_lang_file *shapes;

    tn_net_init(&whole, net->arena, net->dialect, &unheard);
    if (tn_net_load(&whole, c->from, &ends) == TN_OK &&
        tn_net_order(&whole, c->from->dialect->loop_ops) == TN_OK &&
        (shapes = tn_rule_shelf_shapes(c->shelf, net->dialect, &unheard)) &&
        tn_infer(&whole, shapes) == TN_OK) {
        const struct tn_list *from = &tn_net_graph(&whole, 0)->outputs;
        for (uint64_t i = 0; i < from->count && i < to->count; i++) {
            uint32_t input = *tn_list_at(to, uint32_t, i);
            if (!tn_net_value(net, input)->type->has_rank)
                tn_net_set_type(
                    net, input,
                    tn_net_value(&whole, *tn_list_at(from, uint32_t, i))->type);
        }
    }
    tn_net_done(&whole);
}

/* Inputs that the caller chose may leave out one that is needed.  The net has
 * been pruned: nodes that are there are for the outputs. */
static enum tn_status check_chosen(struct tn_carrying *c, struct tn_net *net)
{
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
        const struct tn_net_node *node = tn_net_node(net, i);
        for (uint32_t k = 0; !node->is_removed && k < node->input_count; k++) {
            uint32_t                   id = node->inputs[k];
            const struct tn_net_value *v =
                id == TN_NONE ? NULL : tn_net_value(net, id);
            if (v && !v->constant && v->producer == TN_NONE && !is_input[id])
                tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                             "the outputs also need '%.*s', which is not among "
                             "the inputs that were chosen",
                             TN_FMT(v->name));
        }
    }
    tn_arena_done(&scratch);
    return c->error->status;
}

static enum tn_status load(struct tn_carrying *c, struct tn_net *net)
{
    struct tn_net_ends ends = { .inputs       = c->how->inputs,
                                .outputs      = c->how->outputs,
                                .input_count  = c->how->input_count,
                                .output_count = c->how->output_count,
                                .signature    = c->how->signature };

    TN_TRY(tn_net_load(net, c->from, &ends));
    if (c->how->input_count)
        type_inputs(c, net);
    c->signature = net->signature;
    tn_carry_unneeded(c, net);
    if (c->path.steps && !c->is_part) {
        TN_TRY(tidy(c, net));
        tn_carry_unused(c, net);
        return c->how->input_count ? check_chosen(c, net) : c->error->status;
    }
    tn_net_prune(net);
    if (c->how->input_count)
        TN_TRY(check_chosen(c, net));
    return tn_net_order(net, c->from->dialect->loop_ops);
}

static enum tn_status walk(struct tn_carrying *c, struct tn_net *nets)
{
    uint32_t       last   = c->path.steps;
    struct tn_net *result = &nets[last];

    TN_TRY(load(c, &nets[0]));
    if (c->again)
        tn_model_drop_ops(c->again);
    for (uint32_t i = 0; i < last; i++)
        TN_TRY(step(c, &nets[i], &nets[i + 1]));
    if (c->on)
        return TN_OK;
    TN_TRY(last ? finish(c, &nets[last], &nets[last + 1], &result)
                : infer(c, &nets[last]));
    TN_TRY(lay_out(c, result));
    TN_TRY(tn_refuse_made(c->model, c->format, &c->validity, c->error));
    return c->again ? tn_model_drop_names(c->again, c->error) : TN_OK;
}

static enum tn_status carry_all(struct tn_carrying *c)
{
    struct tn_net nets[TN_PATH_MAX + 2];
    uint32_t      last = c->path.steps + 1;

    for (uint32_t i = 0; i <= last; i++) {
        tn_net_init(&nets[i], &c->store->model.arena,
                    c->path.dialects[i < last ? i : c->path.steps], c->error);
        nets[i].progress = c->options ? c->options->progress : NULL;
        nets[i].progress_context =
            c->options ? c->options->progress_context : NULL;
    }
    walk(c, nets);
    for (uint32_t i = 0; i <= last; i++)
        tn_net_done(&nets[i]);
    return c->error->status;
}

/* ---- the caller's rules ------------------------------------------------- */

/* After blanks and comments, which protobuf's text has, too. */
static bool is_own_language(struct tn_bytes text)
{
    size_t at = 0;

    while (at < text.size && (text.data[at] == '#' || text.data[at] <= ' '))
        if (text.data[at++] == '#')
            while (at < text.size && text.data[at] != '\n')
                at++;
    return tn_bytes_starts_with(tn_bytes(text.data + at, text.size - at),
                                "rules ");
}

/* Where the file leads is in its first line; it is read twice, which costs
 * less than keeping the trees of two passes apart. */
static enum tn_status read_own(struct tn_carrying *c, const char *name,
                               struct tn_bytes text)
{
    struct tn_rule_text *own   = &c->own[c->own_count++];
    struct tn_lang_file  file  = { 0 };
    struct tn_arena     *arena = &c->store->model.arena;

    *own = (struct tn_rule_text){ .name           = name,
                                  .text           = text,
                                  .functions      = c->how->functions,
                                  .function_count = c->how->function_count };
    if (tn_lang_parse(&file, arena, name, text, c->error) == TN_OK) {
        own->from = (const char *)tn_bytes_dup(arena, file.from, c->error).data;
        own->to   = (const char *)tn_bytes_dup(arena, file.to, c->error).data;
        own->is_both_ways = file.is_both_ways;
    }
    tn_lang_done(&file);
    return c->error->status;
}

/* Rules for the mappers of the files, of each framework that they are for. */
static enum tn_status add_mapped(struct tn_carrying *c)
{
    struct tn_arena *arena = &c->store->model.arena;

    c->mapper_rules = tn_new(arena, struct tn_mapper_rules, 2, c->error);
    for (unsigned i = 0; c->mapper_rules && i < 2; i++) {
        struct tn_mapper_rules *rules = &c->mapper_rules[i];
        uint32_t                count;
        rules->framework = i ? TN_FRAMEWORK_ONNX : TN_FRAMEWORK_TENSORFLOW;
        rules->mappers   = &c->mapped->mappers;
        rules->ops       = &c->mapped->ops;
        rules->source    = i ? &c->mapped->onnx : &c->mapped->tensorflow;
        TN_TRY(tn_mapper_rules_write(rules, &c->own[c->own_count], arena,
                                     &count, c->error));
        c->own_count += count > 0;
    }
    return c->error->status;
}

/* Files of mappers, and vocabularies for them. */
static enum tn_status read_mapped(struct tn_carrying *c,
                                  const char *const *files, uint32_t count)
{
    struct tn_interpreter_options what = { .files      = files,
                                           .file_count = count };

    TN_TRY(tn_interpreter_open(&c->mapped, &what, c->options, c->error));
    if (c->mapped->mappers.list.count)
        return add_mapped(c);
    tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                 "no rules that a model could be carried by");
    tn_error_file(c->error, files[0]);
    return c->error->status;
}

static enum tn_status read_rules(struct tn_carrying *c)
{
    struct tn_arena *arena  = &c->store->model.arena;
    uint64_t         most   = c->how->rule_count;
    uint32_t         mapped = 0;

    if (c->own)
        return TN_OK;
    c->own             = tn_new(arena, struct tn_rule_text, most + 2, c->error);
    const char **files = tn_new(arena, const char *, most, c->error);
    for (uint32_t i = 0; c->own && files && i < most; i++) {
        const char     *name = c->how->rules[i];
        struct tn_bytes text = { NULL, 0 };
        TN_TRY(tn_rule_read(arena, name, &text, c->error));
        if (is_own_language(text) || tn_text_ends_with(name, ".rules"))
            TN_TRY(read_own(c, name, text));
        else
            files[mapped++] = name;
    }
    if (mapped && !tn_failed(c->error))
        TN_TRY(read_mapped(c, files, mapped));
    return c->error->status;
}

/* ---- from a caller ------------------------------------------------------ */

static enum tn_status take_model(struct tn_carrying    *c,
                                 const struct tn_model *model)
{
    struct tn_options options = { 0 };

    c->from = model;
    if (model->wants_graph)
        return TN_OK;
    if (c->options)
        options = *c->options;
    options.wants_graph = true;
    if (!tn_model_path(model)[0] || strcmp(tn_model_path(model), "-") == 0)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "the model was opened without its graph");
    TN_TRY(tn_model_open(&c->again, tn_model_path(model), &options, c->error));
    c->from = c->again;
    return TN_OK;
}

/* The caller's, who keeps what is read there, or one for this time. */
static enum tn_status take_shelf(struct tn_carrying *c)
{
    if (!c->how->book) {
        c->shelf = &c->own_shelf;
        return tn_rule_shelf_init(c->shelf, &c->store->model.arena, c->error);
    }
    if (!c->how->book->is_ours)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "the book is of files, not of the library's rules");
    c->shelf = &c->how->book->shelf;
    return TN_OK;
}

static void say_way(struct tn_carrying *c)
{
    size_t at = 0, size;

    if (!c->summary)
        return;
    size = sizeof c->summary->way;
    for (uint32_t i = 0; i <= c->path.steps && at < size; i++)
        at += (size_t)snprintf(c->summary->way + at, size - at, "%s%s",
                               i ? " -> " : "", c->path.dialects[i]);
}

enum tn_status tn_carry(struct tn_carrying *c, const struct tn_model *model,
                        struct tn_error *error)
{
    static const struct tn_map_options defaults;

    c->error = error;
    c->how   = c->how ? c->how : &defaults;
    c->validity.is_forced |= c->how->force_invalid;
    TN_TRY(take_model(c, model));
    if (!c->on) /* a plan writes nothing */
        TN_TRY(tn_refuse_invalid(c->from, &c->validity, error));
    c->validity.allows_unknown = c->how->allow_count > 0;
    TN_TRY(tn_opened_new(&c->store, c->options, error));
    tn_list_init(&c->origins, &c->store->memory,
                 sizeof(const struct tn_tensor *));
    tn_list_init(&c->touched, &c->store->memory, sizeof(struct tn_touched));
    TN_TRY(take_shelf(c));
    TN_TRY(read_rules(c));
    TN_TRY(tn_dialect_path_find(&c->path, tn_model_dialect(model),
                                c->format->dialect, c->own, c->own_count,
                                error));
    say_way(c);
    return carry_all(c);
}

void tn_carry_done(struct tn_carrying *c)
{
    if (c->store) {
        tn_rule_shelf_done(&c->own_shelf);
        tn_list_done(&c->origins);
        tn_list_done(&c->touched);
    }
    if (c->result)
        tn_opened_release(c->result);
    if (c->store)
        tn_opened_release(c->store);
    tn_model_close(c->again);
    tn_interpreter_close(c->mapped);
}

bool tn_carry_is_needed(const struct tn_model           *model,
                        const struct tn_format          *format,
                        const struct tn_convert_options *convert)
{
    const char *from = tn_model_dialect(model);

    if (!format->dialect[0] || !from[0])
        return false;
    return strcmp(format->dialect, from) != 0 ||
           (convert->map &&
            (convert->map->input_count || convert->map->output_count));
}
