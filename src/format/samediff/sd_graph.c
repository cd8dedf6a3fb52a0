/*
 * sd_graph.c - reads a FlatGraph into the tables of a model
 *
 * Variables (sd_variable.c) are values by name.  Operations (sd_op.c) refer to
 * them by number, (op that makes it, which output); variables that no op makes
 * have a number too.  Graphs that operations call by name (subInstances) are
 * functions; they are read after the graph they are in, not inside of it.
 */
#include "format/samediff/sd_graph.h"

#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_verify.h"

#define NESTING_LIMIT 16

bool tn_sd_is_ours(const struct tn_model *model)
{
    return model->dialect == &tn_dialect_nd4j ||
           model->dialect == &tn_dialect_nd4j_tagged;
}

const struct tn_sd_detail *tn_sd_detail_of(const struct tn_model *model)
{
    return tn_sd_is_ours(model) ? model->detail : NULL;
}

/* ---- from the start, to the end ----------------------------------------- */

void tn_sd_reader_init(struct tn_sd_reader *r, struct tn_model *model,
                       struct tn_error *error)
{
    *r                 = (struct tn_sd_reader){ .model = model,
                                                .arena = &model->arena,
                                                .error = error };
    model->dialect     = &tn_dialect_nd4j;
    model->wants_graph = true; /* no container can copy another's bytes */
    tn_arena_init(&r->scratch, model->memory);
    tn_list_init(&r->graphs, model->memory, sizeof(struct tn_sd_graph));
    tn_list_init(&r->queue, model->memory, sizeof(struct tn_span));
    tn_list_init(&r->states, model->memory, sizeof(struct tn_sd_state));
    tn_list_init(&r->by_name, model->memory, sizeof(uint32_t));
    tn_list_init(&r->op_tables, model->memory, sizeof(uint64_t));
    tn_intern_init(&r->names, &r->scratch);
    tn_intern_init(&r->op_names, &r->scratch);
    tn_pairs_init(&r->by_id, model->memory);
    r->detail = tn_new(r->arena, struct tn_sd_detail, 1, error);
}

static void forget_graph(struct tn_sd_reader *r)
{
    tn_intern_done(&r->names);
    tn_intern_done(&r->op_names);
    tn_pairs_done(&r->by_id);
    tn_intern_init(&r->names, &r->scratch);
    tn_intern_init(&r->op_names, &r->scratch);
    tn_pairs_init(&r->by_id, r->model->memory);
    r->by_name.count   = 0;
    r->op_tables.count = 0;
}

void tn_sd_reader_done(struct tn_sd_reader *r)
{
    forget_graph(r);
    tn_intern_done(&r->names);
    tn_intern_done(&r->op_names);
    tn_list_done(&r->graphs);
    tn_list_done(&r->queue);
    tn_list_done(&r->states);
    tn_list_done(&r->by_name);
    tn_list_done(&r->op_tables);
    tn_arena_done(&r->scratch);
}

/* Slot 9 was a vector of tables before slot 10 made it a vector of strings.
 * Asked before anything is verified, so a wrong buffer may give any answer. */
static const char *root_type(const struct tn_fb *fb)
{
    struct tn_error    ignored = TN_ERROR_INIT;
    struct tn_fb       peek    = *fb;
    struct tn_fb_table root;

    peek.error = &ignored;
    root       = tn_fb_root(&peek);
    return tn_fb_has(&root, TN_SD_GRAPH_META_KEYS) &&
                   !tn_fb_has(&root, TN_SD_GRAPH_META_VALUES)
               ? "sd.graph.FlatGraphM2"
               : "sd.graph.FlatGraph";
}

static bool has_schema(struct tn_sd_reader *r)
{
    if (!r->has_schema)
        r->has_schema = tn_fb_schema_load_builtin(&r->schema, &r->scratch,
                                                  TN_FB_SAMEDIFF_CLASSIC,
                                                  r->error) == TN_OK;
    return r->has_schema;
}

struct tn_fb_table tn_sd_reader_open(struct tn_sd_reader *r,
                                     struct tn_span       span)
{
    struct tn_fb_verify_options options = { .allow_end_as_null = r->is_plain };
    struct tn_fb_verified       found   = { 0 };
    struct tn_fb_table          none    = { 0 };
    struct tn_fb *fb = tn_new(r->arena, struct tn_fb, 1, r->error);

    if (!fb || !has_schema(r) ||
        tn_fb_open(fb, span, r->arena, r->error) != TN_OK)
        return none;
    if (tn_fb_verify(fb, tn_fb_schema_find(&r->schema, root_type(fb)), &options,
                     &found, r->model->memory) != TN_OK)
        return none;
    if (found.nulls && !r->detail->nulls)
        r->detail->null_where = found.null_where;
    r->detail->nulls += found.nulls;
    return tn_fb_root(fb);
}

/* ---- a graph ------------------------------------------------------------ */

static void read_row(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_sd_graph *row = r->row;

    row->source = root->fb->span.source;
    row->at     = root->fb->span.offset + root->at;
    row->placeholders =
        tn_sd_names_read(root, TN_SD_GRAPH_PLACEHOLDERS, r->arena, r->error);
    row->has_placeholders = tn_fb_has(root, TN_SD_GRAPH_PLACEHOLDERS);
    row->loss = tn_sd_names_read(root, TN_SD_GRAPH_LOSS, r->arena, r->error);
    if (root->vtable_size > 4)
        row->graph_slots = (root->vtable_size - 4u) / 2;
    if (tn_fb_has(root, TN_SD_GRAPH_META_VALUES)) {
        row->meta_keys =
            tn_sd_names_read(root, TN_SD_GRAPH_META_KEYS, r->arena, r->error);
        row->meta_values =
            tn_sd_names_read(root, TN_SD_GRAPH_META_VALUES, r->arena, r->error);
    } else {
        row->sequences = tn_fb_vector(root, TN_SD_GRAPH_META_KEYS, 4).count;
    }
}

/* Deeplearning4j leaves the list of outputs empty; Tenon writes them in
 * order. */
static void read_listed(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_fb_vector pairs = tn_fb_vector(root, TN_SD_GRAPH_OUTPUTS, 4);

    r->listed_count = 0;
    r->listed       = tn_new(&r->scratch, uint32_t, pairs.count, r->error);
    for (uint32_t i = 0; i < pairs.count && !tn_failed(r->error); i++) {
        struct tn_fb_table pair = tn_fb_vector_table(&pairs, i);
        uint32_t           index =
            tn_pairs_find(&r->by_id, (uint32_t)tn_fb_i32(&pair, 0, 0),
                          (uint32_t)tn_fb_i32(&pair, 1, 0));
        if (index == UINT32_MAX || r->variables[index].is_listed)
            continue;
        r->variables[index].is_listed = true;
        r->listed[r->listed_count++]  = index;
    }
}

/* FlatGraphs nested in the buffer, to be read later. */
static void queue_subs(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_fb_vector subs = tn_fb_vector(root, TN_SD_GRAPH_SUBS, 4);
    uint32_t depth           = tn_model_graph_at(r->model, r->graph)->depth + 1;

    if (subs.count && depth > NESTING_LIMIT)
        tn_error_set(r->error, TN_LIMIT, r->row->at,
                     "graphs in graphs deeper than %d", NESTING_LIMIT);
    for (uint32_t i = 0; i < subs.count && !tn_failed(r->error); i++) {
        struct tn_fb_table  sub  = tn_sd_table_in(&subs, i);
        struct tn_fb_vector data = tn_fb_vector(&sub, 1, 1);
        if (!data.fb)
            tn_error_set(r->error, TN_MALFORMED, r->row->at,
                         "a graph without bytes");
        const char *path =
            tn_text_format(r->arena, r->error, "%s%ssubInstances[%" PRIu32 "]",
                           tn_model_graph_at(r->model, r->graph)->path,
                           r->graph ? "." : "", i);
        if (!path || !data.fb)
            return;
        uint32_t graph = tn_model_add_graph(r->model, TN_GRAPH_FUNCTION, path,
                                            "nodes", r->error);
        struct tn_span *slot =
            tn_list_push(&r->queue, struct tn_span, r->error);
        if (graph == TN_NONE || !slot)
            return;
        struct tn_graph *row = tn_model_graph_at(r->model, graph);
        row->name =
            tn_intern_borrow(&r->model->names, tn_fb_string(&sub, 0), r->error);
        row->domain       = TN_NO_NAME;
        row->parent_graph = r->graph;
        row->parent_node  = TN_NONE;
        row->depth        = depth;
        *slot             = tn_fb_vector_span(&data);
    }
    r->row->sub_count = subs.count;
}

static void read_main(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_fb *fb = root->fb;
    uint64_t      at = tn_fb_field(root, TN_SD_GRAPH_TRAINING);

    r->detail->training    = tn_fb_string(root, TN_SD_GRAPH_TRAINING);
    r->detail->training_at = fb->span.offset + tn_fb_follow(fb, at ? at : 0);
    tn_sd_reader_states(r, root);
}

static void read_graph(struct tn_sd_reader *r, uint32_t graph,
                       struct tn_span span)
{
    r->row   = tn_list_push(&r->graphs, struct tn_sd_graph, r->error);
    r->graph = graph;
    struct tn_fb_table root = { 0 };
    if (r->row)
        root = tn_sd_reader_open(r, span);
    if (!root.fb)
        return;
    r->source = tn_model_source_id(r->model, span.source, r->error);
    tn_model_graph_at(r->model, graph)->wire = span;
    forget_graph(r);
    read_row(r, &root);
    if (!tn_failed(r->error))
        tn_sd_read_variables(r, &root);
    if (!tn_failed(r->error))
        tn_sd_read_ops(r, &root);
    read_listed(r, &root);
    if (!tn_failed(r->error))
        tn_sd_add_io(r);
    if (!tn_failed(r->error))
        queue_subs(r, &root);
    if (!tn_failed(r->error) && graph == 0)
        read_main(r, &root);
}

enum tn_status tn_sd_reader_graph(struct tn_sd_reader *r, struct tn_span span)
{
    struct tn_span *first = tn_list_push(&r->queue, struct tn_span, r->error);

    if (!first || tn_model_add_graph(r->model, TN_GRAPH_MAIN, "", "nodes",
                                     r->error) == TN_NONE)
        return r->error->status;
    *first                                       = span;
    r->model->wire                               = span;
    tn_model_graph_at(r->model, 0)->name         = TN_NO_NAME;
    tn_model_graph_at(r->model, 0)->domain       = TN_NO_NAME;
    tn_model_graph_at(r->model, 0)->parent_graph = TN_NONE;
    tn_model_graph_at(r->model, 0)->parent_node  = TN_NONE;
    for (uint32_t i = 0; i < r->queue.count && !tn_failed(r->error); i++) {
        read_graph(r, i, *tn_list_at(&r->queue, struct tn_span, i));
        if (tn_failed(r->error) && i > 0)
            tn_error_where(r->error, "%s",
                           tn_model_graph_at(r->model, i)->path);
    }
    return r->error->status;
}

/* ---- facts -------------------------------------------------------------- */

/* Slots were only ever added, so that they tell the age of the layout; Tenon,
 * like other writers, writes an old layout where it is sufficient. */
static const char *layout_of(const struct tn_sd_graph *g)
{
    if (g->meta_keys.count || g->graph_slots > 10)
        return "Deeplearning4j since 2025";
    if (g->graph_slots == 10 || g->node_slots == 24)
        return "Deeplearning4j 1.0.0-M2 or later";
    if (g->node_slots == 23)
        return "Deeplearning4j 1.0.0-beta7 to M1.1";
    if (g->node_slots > 19)
        return "Deeplearning4j 1.0.0-beta6";
    if (g->graph_slots > 6)
        return "Deeplearning4j 1.0.0-beta4 or beta5";
    return "Deeplearning4j before 1.0.0-beta4";
}

static void add_kinds(struct tn_sd_reader *r, const struct tn_sd_graph *g)
{
    uint64_t counts[TN_SD_SEQUENCE + 1] = { 0 };

    for (uint32_t i = 0; i < g->variable_count; i++)
        if (g->variables[i].kind >= 0 && g->variables[i].kind <= TN_SD_SEQUENCE)
            counts[g->variables[i].kind]++;
    tn_model_add_fact_format(
        r->model, r->error, "variables",
        "%" PRIu32 ": %" PRIu64 " trained, %" PRIu64 " constant, %" PRIu64
        " computed, %" PRIu64 " placeholder%s",
        g->variable_count, counts[TN_SD_VARIABLE], counts[TN_SD_CONSTANT],
        counts[TN_SD_ARRAY], counts[TN_SD_PLACEHOLDER],
        counts[TN_SD_PLACEHOLDER] == 1 ? "" : "s");
}

static void add_facts(struct tn_sd_reader *r)
{
    const struct tn_sd_graph *g = &r->detail->graphs[0];

    tn_model_add_fact(r->model, "layout", tn_text(layout_of(g)), r->error);
    tn_model_add_fact_format(r->model, r->error, "slots",
                             "%" PRIu32 " of the graph, %" PRIu32 " of nodes",
                             g->graph_slots, g->node_slots);
    add_kinds(r, g);
    for (uint32_t i = 0; i < g->loss.count; i++)
        tn_model_add_fact(r->model, "loss", g->loss.items[i], r->error);
    tn_sd_meta_facts(r->model, g, r->error);
    tn_sd_config_facts(r->model, r->detail, r->error);
}

enum tn_status tn_sd_reader_finish(struct tn_sd_reader *r)
{
    r->detail->graphs =
        tn_list_keep(&r->graphs, struct tn_sd_graph, r->arena, r->error);
    r->detail->graph_count = (uint32_t)r->graphs.count;
    r->detail->states =
        tn_list_keep(&r->states, struct tn_sd_state, r->arena, r->error);
    r->detail->state_count = (uint32_t)r->states.count;
    r->model->detail       = r->detail;
    tn_sd_take_training(r->model);
    if (!tn_failed(r->error))
        add_facts(r);
    return r->error->status;
}
