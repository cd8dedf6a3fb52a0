/*
 * sd_about.c - texts about a SameDiff model, and parts that other formats do
 * not have
 *
 * Metadata have keys and are written to every format that has a place for
 * texts.  Training, the roles of variables, control dependencies, scopes and
 * devices are SameDiff's own: another dialect has no place for them, and a set
 * of tensors even less.
 */
#include <inttypes.h>
#include <stdio.h>

#include "format/samediff/sd_content.h"
#include "format/samediff/tagged.h"

bool tn_sd_is_own_meta(struct tn_bytes key)
{
    return tn_bytes_is(key, "shard.index") || tn_bytes_is(key, "shard.type") ||
           tn_bytes_is(key, "nd4j.format.version") ||
           tn_bytes_is(key, "nd4j.format.type");
}

uint32_t tn_sd_meta_count(const struct tn_sd_graph *graph)
{
    return graph->meta_keys.count > graph->meta_values.count
               ? graph->meta_keys.count
               : graph->meta_values.count;
}

struct tn_fact tn_sd_meta(const struct tn_sd_graph *graph, uint32_t index)
{
    struct tn_bytes none = { NULL, 0 };

    return (struct tn_fact){
        index < graph->meta_keys.count ? graph->meta_keys.items[index] : none,
        index < graph->meta_values.count ? graph->meta_values.items[index]
                                         : none
    };
}

void tn_sd_meta_facts(struct tn_model *model, const struct tn_sd_graph *graph,
                      struct tn_error *error)
{
    for (uint32_t i = 0; i < tn_sd_meta_count(graph); i++) {
        struct tn_fact entry = tn_sd_meta(graph, i);
        tn_model_add_fact_format(
            model, error,
            tn_sd_is_own_meta(entry.key) ? "file_metadata" : "metadata",
            "%.*s=%.*s", TN_FMT(entry.key), TN_FMT(entry.value));
    }
}

void tn_sd_describe(const struct tn_model *model, struct tn_about *about)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);

    if (!detail || !detail->graph_count)
        return;
    const struct tn_sd_graph *graph = &detail->graphs[0];
    for (uint32_t i = 0; i < tn_sd_meta_count(graph); i++) {
        struct tn_fact entry = tn_sd_meta(graph, i);
        if (!tn_sd_is_own_meta(entry.key))
            tn_about_add(about, entry.key, entry.value);
    }
}

/* ---- reporting ---------------------------------------------------------- */

struct telling {
    const struct tn_model         *model;
    const struct tn_sd_detail     *detail;
    const struct tn_write_options *options;
    struct tn_error               *error;
    bool                           is_bare;
};

static void tell(const struct telling *t, struct tn_bytes first, uint64_t count,
                 const char *what)
{
    char where[160], text[200];

    if (!count)
        return;
    snprintf(where, sizeof where, "%.*s", TN_FMT(first));
    if (count > 1)
        snprintf(text, sizeof text, "left behind: %s (%" PRIu64 " times)", what,
                 count);
    else
        snprintf(text, sizeof text, "left behind: %s", what);
    tn_lose(t->options, TN_NOWHERE, where, text);
}

/* Of all variables of all graphs, those for which `has` is true. */
typedef bool tn_sd_claim(const struct tn_sd_variable *variable);

static void tell_variables(const struct telling *t, tn_sd_claim *has,
                           const char *what)
{
    struct tn_bytes first = { NULL, 0 };
    uint64_t        count = 0;

    for (uint32_t i = 0; i < t->detail->graph_count; i++)
        for (uint32_t k = 0; k < t->detail->graphs[i].variable_count; k++) {
            const struct tn_sd_variable *v = &t->detail->graphs[i].variables[k];
            if (has(v) && count++ == 0)
                first = v->name;
        }
    tell(t, first, count, what);
}

static bool has_example(const struct tn_sd_variable *v)
{
    return v->kind == TN_SD_PLACEHOLDER && v->tensor != TN_NONE;
}

static bool has_controls(const struct tn_sd_variable *v)
{
    return v->deps.count || v->for_op.count || v->for_var.count;
}

static bool has_device(const struct tn_sd_variable *v)
{
    return v->device > 0; /* -1: any */
}

/* From the tables, because an edit may have changed the file's values. */
static void tell_tensors(const struct telling *t, enum tn_role role,
                         const char *what)
{
    struct tn_bytes first = { NULL, 0 }, key, param, last = { NULL, 0 };
    uint64_t        count = 0;

    for (uint64_t i = 0; i < t->model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(t->model, i);
        struct tn_bytes         name   = tn_tensor_name(tensor);
        if (tensor->role != role)
            continue;
        if (role == TN_ROLE_STATE) {
            if (!tn_sd_state_split(name, &key, &param) ||
                tn_bytes_equal(param, last))
                continue; /* a parameter is reported once */
            last = name = param;
        }
        if (count++ == 0)
            first = name;
    }
    tell(t, first, count, what);
}

static void tell_training(const struct telling *t)
{
    const struct tn_model *m = t->model;

    tell(t, tn_text("trainingConfig"), m->training.size > 0,
         "the training configuration");
    if (!t->is_bare)
        tell_tensors(t, TN_ROLE_STATE, "what the updater keeps of a parameter");
    tell(t, m->loss_count ? m->losses[0] : tn_text(""), m->loss_count,
         "the role of a loss variable");
    tell_tensors(t, TN_ROLE_VARIABLE, "the role of a trained variable");
}

/* ---- of nodes ----------------------------------------------------------- */

struct node_kind {
    uint16_t    slots[3]; /* texts or lists of the table                      */
    const char *what;
};

static const struct node_kind classic_controls = {
    { TN_SD_NODE_CONTROL_DEPS, TN_SD_NODE_VAR_CONTROL_DEPS,
      TN_SD_NODE_CONTROL_FOR },
    "control dependencies of an operation"
};

static const struct node_kind tagged_controls = {
    { TN_TAGGED_OP_DEPS, TN_TAGGED_OP_VAR_DEPS, TN_TAGGED_OP_FOR },
    "control dependencies of an operation"
};

static bool has_any(const struct tn_fb_table *table, const uint16_t slots[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (tn_fb_has(table, slots[i]) &&
            tn_fb_vector(table, slots[i], 1).count)
            return true;
    return false;
}

static void tell_nodes(const struct telling *t, const struct tn_sd_graph *graph,
                       const struct node_kind *kind)
{
    bool            is_tagged = t->model->dialect == &tn_dialect_nd4j_tagged;
    struct tn_bytes first     = { NULL, 0 };
    uint64_t        count     = 0;
    struct tn_fb    fb;

    tn_fb_view(&fb, graph->source, t->error);
    struct tn_fb_table  root  = tn_fb_table_at(&fb, graph->at);
    struct tn_fb_vector nodes = tn_fb_vector(
        &root, is_tagged ? TN_TAGGED_OPERATIONS : TN_SD_GRAPH_NODES, 4);
    for (uint32_t i = 0; i < nodes.count && !tn_failed(t->error); i++) {
        struct tn_fb_table node = tn_sd_table_in(&nodes, i);
        if (has_any(&node, kind->slots) && count++ == 0)
            first = tn_fb_string(&node, is_tagged ? TN_TAGGED_OP_NAME
                                                  : TN_SD_NODE_NAME);
    }
    tell(t, first, count, kind->what);
}

static void tell_graphs(const struct telling *t, const struct node_kind *kind)
{
    for (uint32_t i = 0; i < t->detail->graph_count && !tn_failed(t->error);
         i++)
        if (t->detail->graphs[i].source)
            tell_nodes(t, &t->detail->graphs[i], kind);
}

/* VARIABLE_SPACE: what Java writes into every file. */
enum { USUAL_OUTPUT_MODE = 3 };

/* How Java would run it, if that is unusual. */
static void tell_configuration(const struct telling *t)
{
    struct tn_fb fb;

    tn_fb_view(&fb, t->detail->graphs[0].source, t->error);
    struct tn_fb_table root = tn_fb_table_at(&fb, t->detail->graphs[0].at);
    struct tn_fb_table how  = tn_fb_child(&root, TN_SD_GRAPH_CONFIGURATION);
    bool               is_odd =
        how.fb && (tn_fb_i8(&how, 1, 0) || tn_fb_i8(&how, 2, 0) ||
                   tn_fb_i8(&how, 3, 0) != USUAL_OUTPUT_MODE ||
                   !tn_fb_bool(&how, 4, false) || tn_fb_i64(&how, 5, 0) ||
                   tn_fb_i64(&how, 6, 0) || tn_fb_i8(&how, 7, 0));
    tell(t, tn_text("configuration"), is_odd,
         "how the graph is to be executed");
}

/* Parts for which neither the tagged container nor another dialect has a
 * place. */
static void tell_classic(const struct telling *t)
{
    static const struct node_kind scope = {
        { TN_SD_NODE_SCOPE_NAME, TN_SD_NODE_SCOPE_NAME, TN_SD_NODE_SCOPE_NAME },
        "the scope of an operation"
    };

    if (t->model->dialect != &tn_dialect_nd4j || !t->detail->graph_count ||
        !t->detail->graphs[0].source)
        return;
    tell_variables(t, has_device, "the device of a variable");
    tell_graphs(t, &scope);
    tell_configuration(t);
}

enum tn_status tn_sd_lose_untagged(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   struct tn_error               *error)
{
    struct telling t = { model, tn_sd_detail_of(model), options, error, false };

    if (t.detail)
        tell_classic(&t);
    return error->status;
}

enum tn_status tn_sd_report_rest(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 bool is_bare, struct tn_error *error)
{
    struct telling t         = { model, tn_sd_detail_of(model), options, error,
                                 is_bare };
    bool           is_tagged = model->dialect == &tn_dialect_nd4j_tagged;

    tn_sd_lose_all_beside(options, model);
    tell_training(&t);
    if (is_bare || !t.detail)
        return TN_OK; /* the rest is the graph, or of a file */
    tell_variables(&t, has_example, "the example value of a placeholder");
    tell_variables(&t, has_controls, "control dependencies of a variable");
    tell_graphs(&t, is_tagged ? &tagged_controls : &classic_controls);
    tell_classic(&t);
    return error->status;
}
