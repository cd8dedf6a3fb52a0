/*
 * tf_check.c - every problem of a TensorFlow model beyond its grammar
 *
 * Rules of its own: duplicate-function, undefined-return, recursion,
 * bad-version, schema-version, no-meta-graph, duplicate-tags,
 * unknown-signature-tensor, missing-asset, asset-outside,
 * missing-checkpoint, uninitialized-variable, missing-entry,
 * variable-mismatch, unused-slice, bad-checksum.  Those of nodes are in
 * tf_check_nodes.c.
 */
#include "format/tensorflow/tf_check.h"

#include <stdio.h>

#include "base/byte_find.h"
#include "format/registry.h"
#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "format/tensorflow/tf_object_graph.h"
#include "io/workers.h"
#include "ir/graph_check.h"

static void checking_init(struct tn_tf_checking *c, struct tn_bundle *bundle,
                          const struct tn_model *model,
                          struct tn_report *report, struct tn_error *error)
{
    *c = (struct tn_tf_checking){ .bundle = bundle,
                                  .model  = model,
                                  .report = report,
                                  .error  = error,
                                  .file = tn_tf_detail_of(model)->model_file };
    tn_arena_init(&c->arena, model->memory);
    tn_arena_init(&c->kept, model->memory);
    tn_pairs_init(&c->functions, model->memory);
    tn_list_init(&c->calls, model->memory, sizeof(struct tn_tf_call));
}

static enum tn_status checking_done(struct tn_tf_checking *c)
{
    tn_arena_done(&c->arena);
    tn_arena_done(&c->kept);
    tn_pairs_done(&c->functions);
    tn_list_done(&c->calls);
    return c->error->status;
}

/* ---- functions ---------------------------------------------------------- */

static bool has_list(struct tn_io_list ends)
{
    for (uint32_t i = 0; i < ends.count; i++)
        if (strcmp(ends.items[i].note, "list") == 0)
            return true;
    return false;
}

/* Once for each function: it may be called very often. */
static void find_lists(struct tn_tf_checking *c)
{
    c->lists = tn_new(&c->kept, uint8_t, c->model->graphs.count, c->error);
    for (uint32_t i = 0; c->lists && i < c->model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(c->model, i);
        if (has_list(graph->inputs))
            c->lists[i] |= TN_TF_TAKES_LIST;
        if (has_list(graph->outputs))
            c->lists[i] |= TN_TF_GIVES_LIST;
    }
}

static void index_functions(struct tn_tf_checking *c)
{
    uint32_t main = TN_NONE;

    find_lists(c);
    for (uint32_t i = 0; i < c->model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(c->model, i);
        if (graph->kind != TN_GRAPH_FUNCTION) {
            main = i;
            continue;
        }
        if (graph->name == TN_NO_NAME)
            tn_report_format(c->report, TN_LEVEL_ERROR, "bad-name", c->file,
                             graph->wire.offset, graph->path,
                             "a function without a name");
        else if (tn_pairs_add(&c->functions, main, graph->name, i, c->error) !=
                     i &&
                 !tn_failed(c->error))
            tn_report_format(c->report, TN_LEVEL_ERROR, "duplicate-function",
                             c->file, graph->wire.offset, graph->path,
                             "'%.*s' is defined already",
                             TN_FMT(tn_model_name(c->model, graph->name)));
    }
}

static void check_returns(struct tn_tf_checking *c, uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(c->model, index);

    for (uint32_t i = 0; i < graph->outputs.count; i++) {
        const struct tn_io *end   = &graph->outputs.items[i];
        uint32_t            name  = tn_intern_find(&c->model->names, end->name);
        uint32_t            value = tn_model_find_value(c->model, index, name);
        if (value != TN_NONE &&
            tn_model_value_at(c->model, value)->kind != TN_VALUE_UNDEFINED)
            continue;
        tn_report_format(
            c->report, TN_LEVEL_ERROR, "undefined-return", c->file,
            graph->wire.offset, graph->path,
            "output '%.*s' comes from '%.*s', which does not exist",
            TN_FMT(end->key), TN_FMT(end->name));
    }
}

/* ---- recursion: depth first along calls, with a stack of our own -------- */

enum colour { WHITE, GREY, BLACK };

struct caller {
    uint64_t first_call, call_end; /* in the sorted list                      */
};

struct descent {
    uint32_t graph;
    uint64_t next;
};

/* Calls of one graph side by side: counted, then placed. */
static struct tn_tf_call *group_calls(struct tn_tf_checking *c,
                                      struct caller         *callers)
{
    uint64_t           graphs = c->model->graphs.count;
    struct tn_tf_call *sorted =
        tn_new(&c->arena, struct tn_tf_call, c->calls.count, c->error);
    uint64_t at = 0;

    for (uint64_t i = 0; i < c->calls.count; i++)
        callers[tn_list_at(&c->calls, struct tn_tf_call, i)->from].call_end++;
    for (uint64_t g = 0; g < graphs; g++) {
        uint64_t count        = callers[g].call_end;
        callers[g].first_call = callers[g].call_end = at;
        at += count;
    }
    for (uint64_t i = 0; sorted && i < c->calls.count; i++) {
        const struct tn_tf_call *call =
            tn_list_at(&c->calls, struct tn_tf_call, i);
        sorted[callers[call->from].call_end++] = *call;
    }
    return sorted;
}

static void descend(struct tn_tf_checking *c, uint32_t root,
                    const struct caller     *callers,
                    const struct tn_tf_call *calls, uint8_t *colours,
                    struct descent *stack)
{
    uint64_t depth = 0;

    stack[depth++] = (struct descent){ root, callers[root].first_call };
    colours[root]  = GREY;
    while (depth) {
        struct descent *top = &stack[depth - 1];
        if (top->next == callers[top->graph].call_end) {
            colours[top->graph] = BLACK;
            depth--;
            continue;
        }
        const struct tn_tf_call *call = &calls[top->next++];
        if (colours[call->to] == GREY) {
            const struct tn_graph *to = tn_model_graph_at(c->model, call->to);
            tn_report_format(c->report, TN_LEVEL_ERROR, "recursion", c->file,
                             call->offset,
                             tn_model_graph_at(c->model, call->from)->path,
                             "calls '%.*s', which leads back here",
                             TN_FMT(tn_model_name(c->model, to->name)));
        } else if (colours[call->to] == WHITE) {
            colours[call->to] = GREY;
            stack[depth++] =
                (struct descent){ call->to, callers[call->to].first_call };
        }
    }
}

static void check_recursion(struct tn_tf_checking *c)
{
    uint64_t       graphs  = c->model->graphs.count;
    struct caller *callers = tn_new(&c->arena, struct caller, graphs, c->error);
    uint8_t       *colours = tn_new(&c->arena, uint8_t, graphs, c->error);
    struct descent *stack = tn_new(&c->arena, struct descent, graphs, c->error);

    if (!callers || !colours || !stack)
        return;
    struct tn_tf_call *calls = group_calls(c, callers);
    for (uint32_t i = 0; calls && i < graphs && !c->report->is_stopped; i++)
        if (colours[i] == WHITE)
            descend(c, i, callers, calls, colours, stack);
}

/* ---- graphs ------------------------------------------------------------- */

static void check_versions(struct tn_tf_checking       *c,
                           const struct tn_tf_versions *versions,
                           const char *path, uint64_t offset)
{
    if (versions->is_present && versions->min_consumer > versions->producer)
        tn_report_format(c->report, TN_LEVEL_WARNING, "bad-version", c->file,
                         offset, path,
                         "made by version %" PRId32 ", for readers from "
                         "version %" PRId32 " on",
                         versions->producer, versions->min_consumer);
}

static void check_graphs(struct tn_tf_checking *c)
{
    index_functions(c);
    if (tn_failed(c->error) ||
        tn_graph_check(c->model, c->report, c->error) != TN_OK)
        return;
    if (!c->model->is_edited) /* else nodes are not what their wire says */
        tn_tf_check_nodes(c);
    if (!tn_failed(c->error))
        tn_tf_check_vocab(c);
    for (uint32_t i = 0; i < c->model->graphs.count; i++)
        if (tn_model_graph_at(c->model, i)->kind == TN_GRAPH_FUNCTION)
            check_returns(c, i);
    if (!tn_failed(c->error))
        check_recursion(c);
}

enum tn_status tn_tf_check_graph(struct tn_bundle      *bundle,
                                 const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error)
{
    struct tn_tf_checking c;

    checking_init(&c, bundle, model, report, error);
    check_versions(&c, &tn_tf_detail_of(model)->versions, "versions", 0);
    check_graphs(&c);
    return checking_done(&c);
}

enum tn_status tn_tf_check_structure(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error)
{
    struct tn_tf_checking c;

    checking_init(&c, NULL, model, report, error);
    check_graphs(&c);
    return checking_done(&c);
}

/* ---- signatures and assets ---------------------------------------------- */

static bool has_node(struct tn_tf_checking *c, uint32_t graph,
                     struct tn_bytes tensor)
{
    struct tn_tf_ref ref   = tn_tf_ref_parse(tensor, false);
    uint32_t         name  = tn_intern_find(&c->model->names, ref.node);
    uint32_t         value = tn_model_find_value(c->model, graph, name);

    return value != TN_NONE &&
           tn_model_value_at(c->model, value)->kind != TN_VALUE_UNDEFINED;
}

static void check_ends(struct tn_tf_checking *c, const struct tn_tf_meta *meta,
                       const struct tn_signature *signature,
                       struct tn_io_list ends, const char *word)
{
    char where[200];

    for (uint32_t i = 0; i < ends.count; i++) {
        const struct tn_io *end = &ends.items[i];
        if (strcmp(end->note, "composite") == 0 ||
            has_node(c, meta->graph, end->name))
            continue;
        snprintf(where, sizeof where, "signature_def[%.*s].%s[%.*s]",
                 TN_FMT(signature->name), word, TN_FMT(end->key));
        tn_report_format(c->report, TN_LEVEL_ERROR, "unknown-signature-tensor",
                         c->file, meta->wire.offset, where,
                         "the graph has no '%.*s'", TN_FMT(end->name));
    }
}

static void check_signatures(struct tn_tf_checking   *c,
                             const struct tn_tf_meta *meta)
{
    for (uint32_t i = 0; i < meta->signature_count; i++) {
        const struct tn_signature *signature =
            tn_model_signature(c->model, meta->first_signature + i);
        check_ends(c, meta, signature, signature->inputs, "inputs");
        check_ends(c, meta, signature, signature->outputs, "outputs");
    }
}

/* Only its name: a model may be large and its assets too. */
static void check_asset(struct tn_tf_checking *c, struct tn_bytes name,
                        uint64_t offset)
{
    struct tn_error   own = TN_ERROR_INIT;
    struct tn_source *source;
    const char       *path =
        tn_text_format(&c->arena, c->error, "assets/%.*s", TN_FMT(name));

    if (!path || c->bundle->folder < 0)
        return;
    if (tn_bytes_find(name, 0))
        tn_error_set(&own, TN_INVALID, offset, "a name with a zero byte");
    else
        tn_bundle_sibling(c->bundle, tn_text(path), &source, &own);
    if (own.status == TN_NO_MEMORY || own.status == TN_LIMIT)
        *c->error = own;
    else if (tn_failed(&own))
        tn_report_format(c->report, TN_LEVEL_ERROR,
                         own.status == TN_INVALID ? "asset-outside"
                                                  : "missing-asset",
                         c->file, offset, "asset_file_def", "'%.*s': %s",
                         TN_FMT(name), own.what);
}

static void check_assets(struct tn_tf_checking   *c,
                         const struct tn_tf_meta *meta)
{
    for (uint32_t i = 0; i < meta->asset_count && !tn_failed(c->error); i++)
        check_asset(c, meta->assets[i], meta->asset_offsets[i]);
}

static void check_tags(struct tn_tf_checking *c, const struct tn_tf_detail *d)
{
    for (uint32_t i = 1; i < d->meta_count && i < 1000; i++)
        for (uint32_t k = 0; k < i; k++)
            if (tn_bytes_equal(d->metas[i].tags, d->metas[k].tags)) {
                tn_report_format(c->report, TN_LEVEL_ERROR, "duplicate-tags",
                                 c->file, d->metas[i].wire.offset,
                                 "meta_graphs",
                                 "two meta graphs have the tags '%.*s'",
                                 TN_FMT(d->metas[i].tags));
                break;
            }
}

/* ---- variables ---------------------------------------------------------- */

static bool is_same_variable(const struct tn_tf_object       *object,
                             const struct tn_tf_bundle_entry *entry)
{
    const struct tn_shape *shape = &entry->elements.shape;

    if (tn_tf_dtype(object->type) != shape->dtype)
        return false;
    if (object->shape->unknown_rank)
        return true;
    if (object->shape->rank != shape->rank)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (object->shape->dims[i] >= 0 &&
            (uint64_t)object->shape->dims[i] != shape->dims[i])
            return false;
    return true;
}

static void check_variable(struct tn_tf_checking     *c,
                           const struct tn_tf_bundle *table,
                           const struct tn_tf_object *object, const char *where)
{
    const struct tn_tf_bundle_entry *entry =
        table && object->key.size ? tn_tf_bundle_find(table, object->key)
                                  : NULL;

    if (!object->key.size)
        tn_report_format(c->report, TN_LEVEL_NOTE, "uninitialized-variable",
                         c->file, object->offset, where,
                         "variable '%.*s' has no value in the checkpoint",
                         TN_FMT(object->name));
    else if (!entry)
        tn_report_format(c->report, TN_LEVEL_ERROR, "missing-entry", c->file,
                         object->offset, where,
                         "variable '%.*s': the checkpoint has no '%.*s'",
                         TN_FMT(object->name), TN_FMT(object->key));
    else if (!is_same_variable(object, entry))
        tn_report_format(c->report, TN_LEVEL_ERROR, "variable-mismatch",
                         c->file, object->offset, where,
                         "variable '%.*s' and '%.*s' differ in type or shape",
                         TN_FMT(object->name), TN_FMT(object->key));
}

static void check_objects(struct tn_tf_checking     *c,
                          const struct tn_tf_meta   *meta,
                          const struct tn_tf_bundle *table)
{
    struct tn_tf_objects objects;
    char                 where[80];

    if (!meta->object_graph.length ||
        tn_tf_objects_read(&objects, meta->object_graph, table, &c->arena,
                           c->error) != TN_OK)
        return;
    for (uint32_t i = 0; i < objects.count && !c->report->is_stopped; i++) {
        if (!objects.items[i].is_variable)
            continue;
        snprintf(where, sizeof where, "object_graph_def.nodes[%" PRIu32 "]", i);
        check_variable(c, table, &objects.items[i], where);
    }
}

static bool is_variable_op(struct tn_bytes type)
{
    return tn_bytes_equal(type, tn_text("VarHandleOp")) ||
           tn_bytes_equal(type, tn_text("VariableV2")) ||
           tn_bytes_equal(type, tn_text("Variable"));
}

/* Variables, and a folder in which nobody put their values: TensorFlow loads
 * that and fails at the first read.  An initializer may set them, so this is
 * for somebody to look at.  Of a stream the folder is not known. */
static bool lacks_checkpoint(struct tn_tf_checking *c)
{
    uint64_t count = 0;

    if (tn_tf_detail_of(c->model)->table || c->bundle->folder < 0)
        return false;
    for (uint32_t i = 0; i < tn_model_op_kind_count(c->model); i++)
        if (is_variable_op(tn_model_op_kind(c->model, i)->type))
            count += tn_model_op_kind(c->model, i)->count;
    if (count > 0)
        tn_report_format(c->report, TN_LEVEL_WARNING, "missing-checkpoint",
                         c->file, TN_NOWHERE, "",
                         "there is no file \"variables/variables.index\" with "
                         "the values of %" PRIu64 " variable%s",
                         count, count == 1 ? "" : "s");
    return count > 0;
}

/* The entries of a table, summed up on several threads. */
struct summing {
    const struct tn_tf_bundle *table;
    struct tn_memory          *memory;
    uint8_t                   *is_bad; /* by entry                           */
};

static enum tn_status sum_entry(void *context, uint64_t index,
                                struct tn_error *error)
{
    struct summing *s   = context;
    struct tn_error own = TN_ERROR_INIT;

    tn_tf_bundle_check_entry(tn_tf_bundle_entry(s->table, index), s->memory,
                             &own);
    s->is_bad[index] = tn_failed(&own);
    if (tn_machine_failed(&own))
        *error = own;
    return error->status;
}

static uint64_t entry_size(const struct tn_tf_bundle_entry *entry)
{
    uint64_t size = entry->data.length;

    for (uint64_t k = 0; k < entry->piece_count; k++)
        size += entry->pieces[k]->data.length;
    return size;
}

/* Once more, alone and in order, for the words. */
static void complain_of_entry(struct tn_tf_checking           *c,
                              const struct tn_tf_bundle_entry *entry)
{
    struct tn_error own = TN_ERROR_INIT;

    tn_tf_bundle_check_entry(entry, c->model->memory, &own);
    if (tn_machine_failed(&own)) {
        *c->error = own;
        return;
    }
    if (!tn_failed(&own)) /* somebody mended it meanwhile */
        return;
    if (!own.where[0])
        tn_error_where(&own, "%.*s", TN_FMT(entry->key));
    tn_report_add(c->report, TN_LEVEL_ERROR, "bad-checksum", &own);
}

static void check_data(struct tn_tf_checking     *c,
                       const struct tn_tf_bundle *table)
{
    uint64_t       count = tn_tf_bundle_count(table);
    struct summing s     = { table, c->model->memory, NULL };

    if (count == 0)
        return;
    s.is_bad = tn_memory_resize(s.memory, NULL, 0, count, c->error);
    if (s.is_bad)
        tn_workers_run(c->report->workers, count, sum_entry, &s, c->error);
    for (uint64_t i = 0; i < count && !tn_failed(c->error); i++) {
        const struct tn_tf_bundle_entry *entry = tn_tf_bundle_entry(table, i);
        if (c->report->is_stopped)
            break;
        if (s.is_bad[i])
            complain_of_entry(c, entry);
        else
            c->report->bytes_verified += entry_size(entry);
    }
    tn_memory_free(s.memory, s.is_bad, s.is_bad ? count : 0);
}

static void check_table(struct tn_tf_checking     *c,
                        const struct tn_tf_bundle *table)
{
    if (table->unused)
        tn_report_format(
            c->report, TN_LEVEL_WARNING, "unused-slice", table->index->name, 0,
            "", "%" PRIu64 " slices belong to no tensor", table->unused);
    if (!c->report->skip_data)
        check_data(c, table);
}

/* A message out of chunks is the business of who joined them; and a file of
 * another name is not the folder's. */
static void check_fingerprint(struct tn_tf_checking *c)
{
    const struct tn_tf_detail *d      = tn_tf_detail_of(c->model);
    struct tn_bundle          *bundle = c->bundle;

    if (bundle->is_folder || tn_text_ends_with(bundle->name, ".cpb") ||
        (bundle->main && strcmp(bundle->name, "saved_model.pb") != 0 &&
         strcmp(bundle->name, "saved_model.pbtxt") != 0))
        return;
    bool is_text = tn_text_ends_with(d->model_file, ".pbtxt") ||
                   tn_text_ends_with(bundle->name, ".pbtxt");
    struct tn_tf_fingerprinted what = {
        .bundle     = bundle,
        .message    = d->message,
        .no_formula = is_text ? "there is no formula for a text" : NULL,
    };
    tn_tf_check_fingerprint(&what, c->report, c->error);
}

enum tn_status tn_tf_check_saved_model(struct tn_bundle      *bundle,
                                       const struct tn_model *model,
                                       struct tn_report      *report,
                                       struct tn_error       *error)
{
    const struct tn_tf_detail *d = tn_tf_detail_of(model);
    struct tn_tf_checking      c;
    bool is_folder = tn_is_of_format(model, &tn_format_tf_saved_model);

    checking_init(&c, bundle, model, report, error);
    if (is_folder && d->schema_version != 1)
        tn_report_format(report, TN_LEVEL_WARNING, "schema-version", c.file, 0,
                         "saved_model_schema_version",
                         "version %" PRId64 ", not 1", d->schema_version);
    if (d->meta_count == 0)
        tn_report_format(report, TN_LEVEL_ERROR, "no-meta-graph", c.file, 0, "",
                         "there is no graph in it");
    check_tags(&c, d);
    check_graphs(&c);
    bool is_bare = is_folder && lacks_checkpoint(&c);
    for (uint32_t i = 0; i < d->meta_count && !tn_failed(error); i++) {
        check_versions(&c, &d->metas[i].versions, "graph_def.versions",
                       d->metas[i].graph_def.offset);
        check_signatures(&c, &d->metas[i]);
        if (is_folder)
            check_assets(&c, &d->metas[i]);
        if (is_folder && !is_bare)
            check_objects(&c, &d->metas[i], d->table);
    }
    if (d->table && !tn_failed(error))
        check_table(&c, d->table);
    if (is_folder && !tn_failed(error))
        check_fingerprint(&c);
    return checking_done(&c);
}

enum tn_status tn_tf_check_checkpoint(struct tn_bundle      *bundle,
                                      const struct tn_model *model,
                                      struct tn_report      *report,
                                      struct tn_error       *error)
{
    struct tn_tf_checking c;

    checking_init(&c, bundle, model, report, error);
    check_table(&c, tn_tf_detail_of(model)->table);
    return checking_done(&c);
}
