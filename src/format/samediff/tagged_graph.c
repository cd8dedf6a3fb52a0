/*
 * tagged_graph.c - graph.fb into the tables of a model
 *
 * Everything goes by name here: inputs, outputs, control dependencies.  Graphs
 * that operations call by name are inside the same buffer; they are functions,
 * read after the graph they are in.
 */
#include "format/samediff/tagged.h"

#define NESTING_LIMIT 16

struct reading {
    struct tn_sd_reader *r;
    struct tn_list       graphs; /* struct tn_fb_table, by graph of the model */
    struct tn_pairs      places; /* of graphs that were met                   */
    struct tn_sd_names  *outputs;
};

static uint64_t place(const struct tn_fb_table *table)
{
    return table->fb->span.offset + table->at;
}

static struct tn_sd_names names_at(struct tn_sd_reader      *r,
                                   const struct tn_fb_table *table,
                                   uint16_t                  slot)
{
    return tn_sd_names_read(table, slot, r->arena, r->error);
}

static uint32_t find_variable(const struct tn_sd_reader *r,
                              struct tn_bytes            name)
{
    uint32_t id = tn_intern_find(&r->names, name);

    return id == TN_NO_NAME ? TN_NONE : *tn_list_at(&r->by_name, uint32_t, id);
}

/* ---- variables ---------------------------------------------------------- */

static void read_variable(struct tn_sd_reader      *r,
                          const struct tn_fb_table *table,
                          struct tn_sd_variable    *v)
{
    *v = (struct tn_sd_variable){
        .name    = tn_fb_string(table, TN_TAGGED_VARIABLE_NAME),
        .at      = place(table),
        .device  = -1,
        .dtype   = tn_fb_i8(table, TN_TAGGED_VARIABLE_DTYPE, 0),
        .kind    = tn_fb_i8(table, TN_TAGGED_VARIABLE_KIND, 0),
        .tensor  = TN_NONE,
        .deps    = names_at(r, table, TN_TAGGED_VARIABLE_DEPS),
        .for_op  = names_at(r, table, TN_TAGGED_VARIABLE_FOR_OP),
        .for_var = names_at(r, table, TN_TAGGED_VARIABLE_FOR_VAR),
    };
    tn_sd_shape_read(table, TN_TAGGED_VARIABLE_SHAPE,
                     TN_TAGGED_VARIABLE_DIM_NAMES, r->arena, r->error, v);
    if (v->name.size == 0)
        tn_error_set(r->error, TN_MALFORMED, v->at,
                     "a variable without a name");
}

static void index_variable(struct tn_sd_reader *r, uint32_t index)
{
    struct tn_sd_variable *v     = &r->variables[index];
    uint32_t               known = tn_intern_count(&r->names);

    if (tn_intern_borrow(&r->names, v->name, r->error) != known) {
        tn_error_set(r->error, TN_MALFORMED, v->at, "a second variable '%.*s'",
                     TN_FMT(v->name));
        return;
    }
    uint32_t *slot = tn_list_push(&r->by_name, uint32_t, r->error);
    if (slot)
        *slot = index;
}

static void read_data(struct tn_sd_reader *r, uint32_t index)
{
    struct tn_sd_variable *v = &r->variables[index];
    struct tn_sd_array     array;
    enum tn_role           role =
        v->kind == TN_SD_VARIABLE ? TN_ROLE_VARIABLE : TN_ROLE_INITIALIZER;

    if ((v->kind != TN_SD_VARIABLE && v->kind != TN_SD_CONSTANT) ||
        !r->find(r->find_context, v, &array, r->error))
        return;
    v->doubt  = array.doubt;
    v->tensor = tn_sd_add_tensor(r->model, v->name, &array, role, r->error);
    if (v->tensor == TN_NONE)
        return;
    struct tn_tensor *tensor =
        tn_list_at(&r->model->tensors, struct tn_tensor, v->tensor);
    tensor->graph       = r->graph;
    tensor->slot        = index;
    tensor->wire.source = r->row->source;
}

static void read_variables(struct tn_sd_reader      *r,
                           const struct tn_fb_table *root)
{
    struct tn_fb_vector from = tn_fb_vector(root, TN_TAGGED_VARIABLES, 4);

    r->variable_count = from.count;
    r->variables =
        tn_new(r->arena, struct tn_sd_variable, from.count, r->error);
    r->is_used = tn_new(&r->scratch, bool, from.count, r->error);
    for (uint32_t i = 0; i < from.count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_fb_vector_table(&from, i);
        read_variable(r, &table, &r->variables[i]);
        if (!tn_failed(r->error))
            index_variable(r, i);
        if (tn_failed(r->error)) {
            tn_error_where(r->error, "variables[%" PRIu32 "]", i);
            return;
        }
        read_data(r, i);
        tn_sd_define(r, &r->variables[i]);
    }
    r->row->variables      = r->variables;
    r->row->variable_count = r->variable_count;
}

/* ---- named arguments ---------------------------------------------------- */

/* That they are names the operator has, tagged_args.c says.  Where a list has
 * no names at all, values go by place. */

static const struct pair {
    uint16_t    names, values;
    uint32_t    element;
    const char *word;
} pairs[] = {
    { TN_TAGGED_OP_I_NAMES, TN_TAGGED_OP_I, 8, "iArgs" },
    { TN_TAGGED_OP_T_NAMES, TN_TAGGED_OP_T, 8, "tArgs" },
    { TN_TAGGED_OP_B_NAMES, TN_TAGGED_OP_B, 1, "bArgs" },
    { TN_TAGGED_OP_D_NAMES, TN_TAGGED_OP_D, 1, "dArgs" },
    { TN_TAGGED_OP_S_NAMES, TN_TAGGED_OP_S, 4, "sArgs" },
};

static void check_pairs(struct tn_sd_reader *r, const struct tn_fb_table *op)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct pair  *pair  = &pairs[i];
        struct tn_fb_vector names = tn_fb_vector(op, pair->names, 4);
        struct tn_fb_vector values =
            tn_fb_vector(op, pair->values, pair->element);
        uint64_t at = tn_fb_field(op, names.count ? pair->names : pair->values);
        if (names.count && names.count != values.count)
            tn_error_set(r->error, TN_MALFORMED, op->fb->span.offset + at,
                         "%" PRIu32 " names for %" PRIu32 " %s", names.count,
                         values.count, pair->word);
    }
}

/* ---- operations --------------------------------------------------------- */

/* An op without a name is identified by its numbers. */
static struct tn_bytes op_type(struct tn_sd_reader      *r,
                               const struct tn_fb_table *op)
{
    struct tn_bytes name = tn_fb_string(op, TN_TAGGED_OP_OP_NAME);
    const char *word = tn_sd_op_type_name(tn_fb_i8(op, TN_TAGGED_OP_TYPE, 0));

    if (name.size)
        return name;
    const char *text =
        tn_text_format(r->arena, r->error, "%s:%" PRId64, word ? word : "?",
                       tn_fb_i64(op, TN_TAGGED_OP_NUM, 0));
    return tn_text(text ? text : "");
}

static void read_inputs(struct tn_sd_reader *r, const struct tn_fb_table *op)
{
    struct tn_fb_vector names = tn_fb_vector(op, TN_TAGGED_OP_INPUTS, 4);

    for (uint32_t i = 0; i < names.count && !tn_failed(r->error); i++) {
        struct tn_bytes name  = tn_fb_vector_string(&names, i);
        uint32_t        index = find_variable(r, name);
        if (index != TN_NONE)
            r->is_used[index] = true;
        if (r->model->wants_graph)
            tn_model_add_input(r->model, tn_sd_value_named(r, name), r->error);
    }
}

static void read_outputs(struct tn_sd_reader *r, const struct tn_fb_table *op,
                         bool are_results)
{
    struct tn_fb_vector names = tn_fb_vector(op, TN_TAGGED_OP_OUTPUTS, 4);

    for (uint32_t i = 0; i < names.count && !tn_failed(r->error); i++)
        tn_sd_add_output(r, tn_fb_vector_string(&names, i), i, are_results);
}

static void read_op(struct tn_sd_reader *r, uint32_t ordinal,
                    const struct tn_fb_table *op)
{
    struct tn_bytes word = op_type(r, op);
    uint32_t        type = tn_intern_borrow(&r->model->names, word, r->error);

    tn_model_count_op(r->model, TN_NO_NAME, type, r->error);
    check_pairs(r, op);
    if (!tn_failed(r->error) && r->model->wants_graph)
        tn_sd_add_op(r, op, tn_fb_string(op, TN_TAGGED_OP_NAME), type);
    if (!tn_failed(r->error))
        read_inputs(r, op);
    if (!tn_failed(r->error) && r->model->wants_graph) {
        tn_sd_add_controls(r, op, TN_TAGGED_OP_DEPS, TN_TAGGED_OP_OUTPUTS);
        tn_sd_add_controls(r, op, TN_TAGGED_OP_VAR_DEPS, TN_TAGGED_OP_OUTPUTS);
    }
    if (!tn_failed(r->error))
        read_outputs(r, op, tn_sd_makes_results(word));
    if (!tn_failed(r->error))
        tn_sd_read_op_arrays(r, ordinal, op, TN_TAGGED_OP_SCALAR,
                             TN_TAGGED_OP_PROPERTIES);
}

static void read_ops(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_fb_vector ops   = tn_fb_vector(root, TN_TAGGED_OPERATIONS, 4);
    struct tn_graph    *graph = tn_model_graph_at(r->model, r->graph);

    graph->first_op = (uint32_t)r->model->ops.count;
    graph->op_count = ops.count;
    tn_sd_index_ops(r, &ops, TN_TAGGED_OP_NAME);
    for (uint32_t i = 0; i < ops.count && !tn_failed(r->error); i++) {
        struct tn_fb_table op = tn_fb_vector_table(&ops, i);
        read_op(r, i, &op);
        if (tn_failed(r->error))
            tn_error_where(r->error, "operations[%" PRIu32 "]", i);
    }
}

/* ---- inputs and outputs ------------------------------------------------- */

/* Where graph.fb lists the outputs, those are the outputs. */
static void set_outputs(struct tn_sd_reader *r, const struct tn_sd_names *names)
{
    struct tn_io_list *outputs =
        &tn_model_graph_at(r->model, r->graph)->outputs;
    struct tn_io *io_list =
        tn_new(r->arena, struct tn_io, names->count, r->error);

    for (uint32_t i = 0; io_list && i < names->count; i++) {
        uint32_t index = find_variable(r, names->items[i]);
        io_list[i]     = (struct tn_io){ .name = names->items[i], .note = "" };
        if (index == TN_NONE)
            continue;
        io_list[i]                    = tn_sd_io_of(r, &r->variables[index]);
        r->variables[index].is_listed = true;
    }
    *outputs = (struct tn_io_list){ io_list ? names->count : 0, io_list };
}

/* ---- graphs ------------------------------------------------------------- */

static void read_row(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    uint32_t version = tn_fb_u32(root, TN_TAGGED_VERSION_SLOT, 0);

    if (version > TN_TAGGED_VERSION)
        tn_error_set(r->error, TN_UNSUPPORTED, place(root),
                     "version %" PRIu32 " of the format, known is %d", version,
                     TN_TAGGED_VERSION);
    r->row->source      = root->fb->span.source;
    r->row->at          = place(root);
    r->row->loss        = names_at(r, root, TN_TAGGED_LOSS);
    r->row->meta_keys   = names_at(r, root, TN_TAGGED_META_KEYS);
    r->row->meta_values = names_at(r, root, TN_TAGGED_META_VALUES);
    if (r->row->meta_keys.count != r->row->meta_values.count)
        tn_error_set(r->error, TN_MALFORMED, place(root),
                     "%" PRIu32 " keys of metadata, %" PRIu32 " values",
                     r->row->meta_keys.count, r->row->meta_values.count);
}

static uint32_t add_graph(struct tn_sd_reader *r, enum tn_graph_kind kind,
                          const char *path, struct tn_bytes name)
{
    uint32_t id =
        tn_model_add_graph(r->model, kind, path, "operations", r->error);
    uint32_t text = TN_NO_NAME;

    if (id == TN_NONE)
        return id;
    if (name.size)
        text = tn_intern_borrow(&r->model->names, name, r->error);
    struct tn_graph *row = tn_model_graph_at(r->model, id);
    row->name            = text;
    row->domain          = TN_NO_NAME;
    row->parent_graph    = kind == TN_GRAPH_MAIN ? TN_NONE : r->graph;
    row->parent_node     = TN_NONE;
    row->depth           = kind == TN_GRAPH_MAIN
                               ? 0
                               : tn_model_graph_at(r->model, r->graph)->depth + 1;
    return id;
}

static void push_graph(struct reading *g, const struct tn_fb_table *table)
{
    struct tn_fb_table *slot =
        tn_list_push(&g->graphs, struct tn_fb_table, g->r->error);

    if (slot)
        *slot = *table;
    tn_pairs_add(&g->places, (uint32_t)table->at, 0, 1, g->r->error);
}

/* One table that is in two places could stand in any number of them. */
static void queue_sub(struct reading *g, uint32_t index,
                      const struct tn_fb_table *sub)
{
    struct tn_sd_reader *r     = g->r;
    struct tn_graph     *above = tn_model_graph_at(r->model, r->graph);
    struct tn_bytes      name  = tn_fb_string(sub, 0);
    struct tn_fb_table   table = tn_fb_child(sub, 1);
    const char          *path =
        tn_text_format(r->arena, r->error, "%s%ssubgraphs[%" PRIu32 "]",
                       above->path, r->graph ? "." : "", index);

    if (!path)
        return;
    if (!table.fb || name.size == 0)
        tn_error_set(r->error, TN_MALFORMED, place(sub),
                     "a subgraph without %s", table.fb ? "a name" : "a graph");
    else if (above->depth >= NESTING_LIMIT)
        tn_error_set(r->error, TN_LIMIT, place(sub),
                     "graphs in graphs deeper than %d", NESTING_LIMIT);
    else if (tn_pairs_find(&g->places, (uint32_t)table.at, 0) != UINT32_MAX)
        tn_error_set(r->error, TN_MALFORMED, place(&table),
                     "a graph that is used in two places");
    else if (add_graph(r, TN_GRAPH_FUNCTION, path, name) != TN_NONE)
        push_graph(g, &table);
}

static void queue_subs(struct reading *g, const struct tn_fb_table *root)
{
    struct tn_fb_vector subs = tn_fb_vector(root, TN_TAGGED_SUBGRAPHS, 4);

    g->r->row->sub_count = subs.count;
    for (uint32_t i = 0; i < subs.count && !tn_failed(g->r->error); i++) {
        struct tn_fb_table sub = tn_fb_vector_table(&subs, i);
        queue_sub(g, i, &sub);
        if (tn_failed(g->r->error))
            tn_error_where(g->r->error, "subgraphs[%" PRIu32 "]", i);
    }
}

static void forget_names(struct tn_sd_reader *r)
{
    tn_intern_done(&r->names);
    tn_intern_init(&r->names, &r->scratch);
    r->by_name.count = 0;
}

static void read_graph(struct reading *g, uint32_t graph)
{
    struct tn_sd_reader *r = g->r;
    struct tn_fb_table   root =
        *tn_list_at(&g->graphs, struct tn_fb_table, graph);
    struct tn_sd_names outputs;

    r->graph = graph;
    r->row   = tn_list_push(&r->graphs, struct tn_sd_graph, r->error);
    if (!r->row)
        return;
    r->source = tn_model_source_id(r->model, root.fb->span.source, r->error);
    tn_model_graph_at(r->model, graph)->wire =
        (struct tn_span){ root.fb->span.source, place(&root), 4 };
    forget_names(r);
    read_row(r, &root);
    if (!tn_failed(r->error))
        read_variables(r, &root);
    if (!tn_failed(r->error))
        read_ops(r, &root);
    if (!tn_failed(r->error))
        tn_sd_add_io(r);
    outputs = names_at(r, &root, TN_TAGGED_OUTPUTS);
    if (!tn_failed(r->error) && outputs.count)
        set_outputs(r, &outputs);
    if (graph == 0)
        *g->outputs = outputs;
    if (!tn_failed(r->error))
        queue_subs(g, &root);
}

enum tn_status tn_tagged_graph_read(struct tn_sd_reader      *r,
                                    const struct tn_fb_table *root,
                                    struct tn_sd_names       *outputs)
{
    struct reading g = { .r = r, .outputs = outputs };

    tn_list_init(&g.graphs, r->model->memory, sizeof(struct tn_fb_table));
    tn_pairs_init(&g.places, r->model->memory);
    if (add_graph(r, TN_GRAPH_MAIN, "", tn_bytes(NULL, 0)) != TN_NONE)
        push_graph(&g, root);
    for (uint32_t i = 0; i < g.graphs.count && !tn_failed(r->error); i++) {
        read_graph(&g, i);
        if (tn_failed(r->error) && i > 0)
            tn_error_where(r->error, "%s",
                           tn_model_graph_at(r->model, i)->path);
    }
    tn_pairs_done(&g.places);
    tn_list_done(&g.graphs);
    return r->error->status;
}

/* ---- names in params.txt ------------------------------------------------ */

struct tn_bytes tn_tagged_param_name(const struct tn_model *model,
                                     uint32_t graph, struct tn_bytes name,
                                     struct tn_arena *arena,
                                     struct tn_error *error)
{
    size_t size = name.size, at;

    if (graph == 0)
        return name;
    for (uint32_t g = graph; g != 0 && g != TN_NONE;
         g          = tn_model_graph_at(model, g)->parent_graph)
        size +=
            tn_model_name(model, tn_model_graph_at(model, g)->name).size + 1;
    uint8_t *room = tn_new(arena, uint8_t, size, error);
    if (!room)
        return tn_bytes(NULL, 0);
    at = size - name.size;
    if (name.size)
        memcpy(room + at, name.data, name.size);
    for (uint32_t g = graph; g != 0 && g != TN_NONE;
         g          = tn_model_graph_at(model, g)->parent_graph) {
        struct tn_bytes word =
            tn_model_name(model, tn_model_graph_at(model, g)->name);
        at -= word.size + 1; /* the zero byte after it is there already */
        if (word.size)
            memcpy(room + at, word.data, word.size);
    }
    return tn_bytes(room, size);
}
