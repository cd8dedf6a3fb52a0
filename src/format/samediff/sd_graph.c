/*
 * sd_graph.c - a FlatGraph into the tables of a model
 *
 * Variables are values by name.  Operations refer to them by number, (op that
 * makes it, which output); variables that no op makes have a number too.
 * Graphs that operations call by name (subInstances) are functions; they are
 * read after the graph they are in, not inside of it.
 */
#include "format/samediff/sd_graph.h"

#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_verify.h"

#define NESTING_LIMIT 16

const struct tn_sd_detail *tn_sd_detail_of(const struct tn_model *model)
{
    bool is_ours = model->dialect == &tn_dialect_nd4j ||
                   model->dialect == &tn_dialect_nd4j_tagged;

    return is_ours ? model->detail : NULL;
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
        r->has_schema =
            tn_fb_schema_load(&r->schema, &r->scratch,
                              tn_fb_builtin_schema(TN_FB_SAMEDIFF_CLASSIC),
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

/* ---- tensors ------------------------------------------------------------ */

uint32_t tn_sd_add_tensor(struct tn_model *model, struct tn_bytes name,
                          const struct tn_sd_array *array, enum tn_role role,
                          struct tn_error *error)
{
    uint32_t id =
        name.data ? tn_intern_borrow(&model->names, name, error) : TN_NO_NAME;
    struct tn_tensor *tensor = tn_model_add_tensor(model, error);

    if (!tensor || tn_failed(error))
        return TN_NONE;
    tensor->name     = id;
    tensor->graph    = 0;
    tensor->node     = TN_NONE;
    tensor->slot     = TN_NONE;
    tensor->part     = TN_NONE;
    tensor->role     = (uint8_t)role;
    tensor->elements = array->elements;
    if (tensor->elements.payload.encoding == TN_ENCODING_VIEW)
        tensor->elements.payload.span =
            tensor->elements.payload.view->inputs[0].payload.span;
    tensor->wire = (struct tn_span){ NULL, array->at, 4 };
    return (uint32_t)model->tensors.count - 1;
}

static struct tn_tensor *tensor_at(const struct tn_sd_reader *r, uint32_t index)
{
    return tn_list_at(&r->model->tensors, struct tn_tensor, index);
}

static uint32_t add_tensor(struct tn_sd_reader *r, struct tn_bytes name,
                           const struct tn_sd_array *array, enum tn_role role)
{
    uint32_t index = tn_sd_add_tensor(r->model, name, array, role, r->error);

    if (index == TN_NONE)
        return index;
    tensor_at(r, index)->graph       = r->graph;
    tensor_at(r, index)->wire.source = r->row->source;
    return index;
}

/* ---- variables ---------------------------------------------------------- */

static struct tn_sd_names read_names(const struct tn_fb_table *table,
                                     uint16_t slot, struct tn_arena *arena,
                                     struct tn_error *error)
{
    struct tn_sd_names names;

    names.items = tn_sd_strings_read(table, slot, &names.count, arena, error);
    return names;
}

static void read_shape(const struct tn_fb_table *table, struct tn_arena *arena,
                       struct tn_error *error, struct tn_sd_variable *v)
{
    struct tn_fb_vector shape = tn_fb_vector(table, TN_SD_VARIABLE_SHAPE, 8);
    int64_t            *dims  = tn_new(arena, int64_t, shape.count, error);

    v->has_shape = shape.fb != NULL;
    v->rank      = dims ? shape.count : 0;
    v->shape     = dims;
    for (uint32_t i = 0; i < v->rank; i++)
        dims[i] = tn_fb_vector_i64(&shape, i);
}

void tn_sd_variable_read(const struct tn_fb_table *table,
                         struct tn_arena *arena, struct tn_error *error,
                         struct tn_sd_variable *v)
{
    struct tn_fb_table id = tn_fb_child(table, TN_SD_VARIABLE_ID);

    *v = (struct tn_sd_variable){
        .name   = tn_fb_string(table, TN_SD_VARIABLE_NAME),
        .at     = table->fb->span.offset + table->at,
        .device = tn_fb_i32(table, TN_SD_VARIABLE_DEVICE, 0),
        .dtype  = tn_fb_i8(table, TN_SD_VARIABLE_DTYPE, 0),
        .kind   = tn_fb_i8(table, TN_SD_VARIABLE_KIND, 0),
        .has_id = id.fb != NULL,
        .tensor = TN_NONE,
    };
    if (v->has_id) {
        v->first  = tn_fb_i32(&id, 0, 0);
        v->second = tn_fb_i32(&id, 1, 0);
    }
    if (tn_fb_has(table, TN_SD_VARIABLE_SHAPE))
        read_shape(table, arena, error, v);
    v->deps   = read_names(table, TN_SD_VARIABLE_CONTROL_DEPS, arena, error);
    v->for_op = read_names(table, TN_SD_VARIABLE_CONTROL_FOR_OP, arena, error);
    v->for_var =
        read_names(table, TN_SD_VARIABLE_CONTROL_FOR_VAR, arena, error);
    if (!v->has_id || v->name.size == 0)
        tn_error_set(error, TN_MALFORMED, v->at, "a variable without %s",
                     v->has_id ? "a name" : "a number");
}

static void read_data(struct tn_sd_reader *r, const struct tn_fb_table *table,
                      struct tn_sd_variable *v, uint32_t index)
{
    struct tn_fb_table child = tn_fb_child(table, TN_SD_VARIABLE_ARRAY);
    struct tn_sd_array array;
    enum tn_role       role =
        v->kind == TN_SD_VARIABLE ? TN_ROLE_VARIABLE : TN_ROLE_INITIALIZER;

    v->has_array = child.fb != NULL;
    if (v->has_array)
        tn_sd_array_read(&child, r->is_plain, r->arena, &array);
    else if (!r->find || !r->find(r->find_context, v, &array, r->error))
        return;
    if (tn_failed(r->error)) {
        tn_error_where(r->error, "ndarray");
        return;
    }
    if (array.is_external) {
        tn_error_set(r->error, TN_UNSUPPORTED, array.at,
                     "an array in another file, which only the tagged "
                     "container has");
        return;
    }
    v->doubt  = array.doubt;
    v->tensor = add_tensor(r, v->name, &array, role);
    if (v->tensor == TN_NONE)
        return;
    struct tn_tensor *tensor = tensor_at(r, v->tensor);
    struct tn_source *source = tensor->elements.payload.span.source;
    tensor->slot             = index;
    tensor->is_external      = source && source != r->row->source;
}

static void index_variable(struct tn_sd_reader *r, uint32_t index)
{
    struct tn_sd_variable *v     = &r->variables[index];
    uint32_t               known = tn_intern_count(&r->names);

    tn_pairs_add(&r->by_id, (uint32_t)v->first, (uint32_t)v->second, index,
                 r->error);
    if (tn_intern_borrow(&r->names, v->name, r->error) == known) {
        uint32_t *slot = tn_list_push(&r->by_name, uint32_t, r->error);
        if (slot)
            *slot = index;
    }
}

void tn_sd_define(struct tn_sd_reader *r, const struct tn_sd_variable *v)
{
    if (!r->model->wants_graph || tn_failed(r->error))
        return;
    uint32_t value = tn_model_value(
        r->model, r->graph,
        tn_intern_borrow(&r->model->names, v->name, r->error), r->error);
    if (value == TN_NONE)
        return;
    if (v->kind == TN_SD_VARIABLE || v->kind == TN_SD_CONSTANT)
        tn_model_define(r->model, value, TN_VALUE_INITIALIZER, TN_NONE,
                        TN_NONE);
    else if (v->kind == TN_SD_PLACEHOLDER)
        tn_model_define(r->model, value, TN_VALUE_INPUT, TN_NONE, TN_NONE);
}

static void read_variables(struct tn_sd_reader      *r,
                           const struct tn_fb_table *root)
{
    struct tn_fb_vector from = tn_fb_vector(root, TN_SD_GRAPH_VARIABLES, 4);

    r->variable_count = from.count;
    r->variables =
        tn_new(r->arena, struct tn_sd_variable, from.count, r->error);
    r->is_used = tn_new(&r->scratch, bool, from.count, r->error);
    for (uint32_t i = 0; i < from.count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_sd_table_in(&from, i);
        if (table.fb)
            tn_sd_variable_read(&table, r->arena, r->error, &r->variables[i]);
        if (!tn_failed(r->error))
            read_data(r, &table, &r->variables[i], i);
        if (tn_failed(r->error)) {
            tn_error_where(r->error, "variables[%" PRIu32 "]", i);
            return;
        }
        index_variable(r, i);
        tn_sd_define(r, &r->variables[i]);
    }
    r->row->variables      = r->variables;
    r->row->variable_count = r->variable_count;
}

/* ---- nodes -------------------------------------------------------------- */

struct node {
    struct tn_fb_table table;
    uint32_t           ordinal;
    int32_t            id;
    struct tn_bytes    name, type;
};

/* An op that has no name for what it does is told by its numbers. */
static struct tn_bytes op_name(struct tn_sd_reader *r, const struct node *n)
{
    struct tn_bytes name = tn_fb_string(&n->table, TN_SD_NODE_OP_NAME);
    int             type = tn_fb_i8(&n->table, TN_SD_NODE_OP_TYPE, 0);
    const char     *word = tn_sd_op_type_name(type);

    if (name.size)
        return name;
    const char *text =
        tn_text_format(r->arena, r->error, "%s:%" PRId64, word ? word : "?",
                       tn_fb_i64(&n->table, TN_SD_NODE_OP_NUM, 0));
    return tn_text(text ? text : "");
}

/* An input by number.  One that no variable has keeps its number as a name,
 * and stays undefined. */
static void read_input(struct tn_sd_reader *r, int32_t first, int32_t second)
{
    uint32_t index =
        tn_pairs_find(&r->by_id, (uint32_t)first, (uint32_t)second);

    if (index != UINT32_MAX)
        r->is_used[index] = true;
    if (!r->model->wants_graph)
        return;
    struct tn_bytes name;
    if (index != UINT32_MAX) {
        name = r->variables[index].name;
    } else {
        const char *text = tn_text_format(
            r->arena, r->error, "(%" PRId32 ",%" PRId32 ")", first, second);
        name = tn_text(text ? text : "");
    }
    tn_model_add_input(r->model, tn_sd_value_named(r, name), r->error);
}

static void read_inputs(struct tn_sd_reader *r, const struct node *n)
{
    struct tn_fb_vector pairs =
        tn_fb_vector(&n->table, TN_SD_NODE_INPUT_PAIRED, 4);
    struct tn_fb_vector plain = tn_fb_vector(&n->table, TN_SD_NODE_INPUT, 4);

    for (uint32_t i = 0; i < pairs.count && !tn_failed(r->error); i++) {
        struct tn_fb_table pair = tn_fb_vector_table(&pairs, i);
        read_input(r, tn_fb_i32(&pair, 0, 0), tn_fb_i32(&pair, 1, 0));
    }
    for (uint32_t i = 0; !pairs.count && i < plain.count; i++)
        read_input(r, tn_fb_vector_i32(&plain, i), 0);
}

static void read_output(struct tn_sd_reader *r, const struct node *n,
                        struct tn_bytes name, uint32_t position)
{
    uint32_t id = tn_intern_find(&r->names, name);

    if (id != TN_NO_NAME)
        r->variables[*tn_list_at(&r->by_name, uint32_t, id)].is_result =
            tn_sd_makes_results(n->type);
    if (!r->model->wants_graph)
        return;
    uint32_t value = tn_sd_value_named(r, name);
    tn_model_add_output(r->model, value, r->error);
    if (value != TN_NONE)
        tn_model_define(r->model, value, TN_VALUE_OUTPUT,
                        (uint32_t)r->model->ops.count - 1, position);
}

/* Very old files have no names: outputs are the variables with its number. */
static void read_outputs(struct tn_sd_reader *r, const struct node *n)
{
    struct tn_fb_vector names =
        tn_fb_vector(&n->table, TN_SD_NODE_OUTPUT_NAMES, 4);
    uint32_t index;

    for (uint32_t i = 0; i < names.count && !tn_failed(r->error); i++)
        read_output(r, n, tn_fb_vector_string(&names, i), i);
    for (uint32_t i = 0; names.count == 0; i++) {
        index = tn_pairs_find(&r->by_id, (uint32_t)n->id, i);
        if (index == UINT32_MAX || tn_failed(r->error))
            return;
        read_output(r, n, r->variables[index].name, i);
    }
}

static void read_node_array(struct tn_sd_reader *r, const struct node *n,
                            const struct tn_fb_table *table, uint32_t slot,
                            uint32_t part)
{
    struct tn_sd_array array;

    if (!table->fb)
        return;
    if (tn_sd_array_read(table, r->is_plain, r->arena, &array) != TN_OK) {
        if (slot == TN_NONE)
            tn_error_where(r->error, "scalar");
        else
            tn_error_where(r->error, "properties[%" PRIu32 "].a[%" PRIu32 "]",
                           slot, part);
        return;
    }
    uint32_t index =
        add_tensor(r, tn_bytes(NULL, 0), &array, TN_ROLE_ATTRIBUTE);
    if (index == TN_NONE)
        return;
    tensor_at(r, index)->node = n->ordinal;
    tensor_at(r, index)->slot = slot;
    tensor_at(r, index)->part = part;
}

static void read_node_arrays(struct tn_sd_reader *r, const struct node *n)
{
    struct tn_fb_vector properties =
        tn_fb_vector(&n->table, TN_SD_NODE_PROPERTIES, 4);
    struct tn_fb_table scalar = tn_fb_child(&n->table, TN_SD_NODE_SCALAR);

    read_node_array(r, n, &scalar, TN_NONE, TN_NONE);
    for (uint32_t i = 0; i < properties.count && !tn_failed(r->error); i++) {
        struct tn_fb_table  property = tn_fb_vector_table(&properties, i);
        struct tn_fb_vector arrays =
            tn_fb_vector(&property, TN_SD_PROPERTY_A, 4);
        for (uint32_t k = 0; k < arrays.count && !tn_failed(r->error); k++) {
            struct tn_fb_table array = tn_fb_vector_table(&arrays, k);
            read_node_array(r, n, &array, i, k);
        }
    }
}

static void read_op(struct tn_sd_reader *r, const struct node *n, uint32_t type)
{
    uint32_t op = tn_model_add_op(r->model, r->graph, r->error);

    if (op == TN_NONE)
        return;
    uint32_t      name = n->name.size
                             ? tn_intern_borrow(&r->model->names, n->name, r->error)
                             : TN_NO_NAME;
    struct tn_op *row  = tn_model_op_at(r->model, op);
    row->name          = name;
    row->type          = type;
    row->domain        = TN_NO_NAME;
    row->source        = r->source;
    row->wire_offset   = n->table.fb->span.offset + n->table.at;
    row->wire_length   = 4;
}

static void read_node(struct tn_sd_reader *r, struct node *n)
{
    uint32_t slots =
        n->table.vtable_size > 4 ? (n->table.vtable_size - 4u) / 2 : 0;

    n->id   = tn_fb_i32(&n->table, TN_SD_NODE_ID, 0);
    n->name = tn_fb_string(&n->table, TN_SD_NODE_NAME);
    n->type = op_name(r, n);
    if (slots > r->row->node_slots)
        r->row->node_slots = slots;
    uint32_t type = tn_intern_borrow(&r->model->names, n->type, r->error);
    tn_model_count_op(r->model, TN_NO_NAME, type, r->error);
    if (tn_failed(r->error))
        return;
    if (r->model->wants_graph)
        read_op(r, n, type);
    read_inputs(r, n);
    if (r->model->wants_graph) {
        tn_sd_add_controls(r, &n->table, TN_SD_NODE_CONTROL_DEPS,
                           TN_SD_NODE_OUTPUT_NAMES);
        tn_sd_add_controls(r, &n->table, TN_SD_NODE_VAR_CONTROL_DEPS,
                           TN_SD_NODE_OUTPUT_NAMES);
    }
    read_outputs(r, n);
    read_node_arrays(r, n);
}

static void read_nodes(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_fb_vector nodes = tn_fb_vector(root, TN_SD_GRAPH_NODES, 4);
    struct tn_graph    *graph = tn_model_graph_at(r->model, r->graph);

    graph->first_op = (uint32_t)r->model->ops.count;
    graph->op_count = nodes.count;
    tn_sd_index_ops(r, &nodes, TN_SD_NODE_NAME);
    for (uint32_t i = 0; i < nodes.count && !tn_failed(r->error); i++) {
        struct node n = { .table = tn_sd_table_in(&nodes, i), .ordinal = i };
        if (n.table.fb)
            read_node(r, &n);
        if (tn_failed(r->error))
            tn_error_where(r->error, "nodes[%" PRIu32 "]", i);
    }
}

/* ---- states of the updater ---------------------------------------------- */

static uint32_t read_state_array(struct tn_sd_reader      *r,
                                 const struct tn_sd_state *state, uint32_t key,
                                 const struct tn_fb_table *table)
{
    struct tn_sd_array array;
    struct tn_bytes    word =
        key < state->keys.count ? state->keys.items[key] : tn_text("?");

    if (tn_sd_array_read(table, r->is_plain, r->arena, &array) != TN_OK)
        return TN_NONE;
    const char *name = tn_text_format(r->arena, r->error, "updater/%.*s/%.*s",
                                      TN_FMT(word), TN_FMT(state->param));
    if (!name)
        return TN_NONE;
    uint32_t index = add_tensor(r, tn_text(name), &array, TN_ROLE_STATE);
    if (index != TN_NONE) {
        tensor_at(r, index)->slot = (uint32_t)r->states.count;
        tensor_at(r, index)->part = key;
    }
    return index;
}

static void read_state(struct tn_sd_reader *r, const struct tn_fb_table *table)
{
    struct tn_fb_vector values = tn_fb_vector(table, 2, 4);
    uint32_t *tensors = tn_new(r->arena, uint32_t, values.count, r->error);
    struct tn_sd_state state = {
        .param       = tn_fb_string(table, 0),
        .at          = table->fb->span.offset + table->at,
        .keys        = read_names(table, 1, r->arena, r->error),
        .value_count = values.count,
        .tensors     = tensors,
    };

    for (uint32_t i = 0; i < values.count && !tn_failed(r->error); i++) {
        struct tn_fb_table value = tn_fb_vector_table(&values, i);
        tensors[i] =
            value.fb ? read_state_array(r, &state, i, &value) : TN_NONE;
        if (tn_failed(r->error))
            tn_error_where(r->error, "updaterStateValues[%" PRIu32 "]", i);
    }
    struct tn_sd_state *slot =
        tn_failed(r->error)
            ? NULL
            : tn_list_push(&r->states, struct tn_sd_state, r->error);
    if (slot)
        *slot = state;
}

enum tn_status tn_sd_reader_states(struct tn_sd_reader      *r,
                                   const struct tn_fb_table *root)
{
    struct tn_fb_vector states = tn_fb_vector(root, TN_SD_GRAPH_UPDATER, 4);

    r->graph = 0;
    for (uint32_t i = 0; i < states.count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_sd_table_in(&states, i);
        if (table.fb)
            read_state(r, &table);
        if (tn_failed(r->error))
            tn_error_where(r->error, "updaterState[%" PRIu32 "]", i);
    }
    return r->error->status;
}

/* ---- a graph ------------------------------------------------------------ */

static void read_row(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_sd_graph *row = r->row;

    row->source = root->fb->span.source;
    row->at     = root->fb->span.offset + root->at;
    row->placeholders =
        read_names(root, TN_SD_GRAPH_PLACEHOLDERS, r->arena, r->error);
    row->has_placeholders = tn_fb_has(root, TN_SD_GRAPH_PLACEHOLDERS);
    row->loss = read_names(root, TN_SD_GRAPH_LOSS, r->arena, r->error);
    if (root->vtable_size > 4)
        row->graph_slots = (root->vtable_size - 4u) / 2;
    if (tn_fb_has(root, TN_SD_GRAPH_META_VALUES)) {
        row->meta_keys =
            read_names(root, TN_SD_GRAPH_META_KEYS, r->arena, r->error);
        row->meta_values =
            read_names(root, TN_SD_GRAPH_META_VALUES, r->arena, r->error);
    } else {
        row->sequences = tn_fb_vector(root, TN_SD_GRAPH_META_KEYS, 4).count;
    }
}

/* Deeplearning4j leaves the list empty; ours has the outputs that are inputs.
 */
static void read_listed(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_fb_vector pairs = tn_fb_vector(root, TN_SD_GRAPH_OUTPUTS, 4);

    for (uint32_t i = 0; i < pairs.count && !tn_failed(r->error); i++) {
        struct tn_fb_table pair = tn_fb_vector_table(&pairs, i);
        uint32_t           index =
            tn_pairs_find(&r->by_id, (uint32_t)tn_fb_i32(&pair, 0, 0),
                          (uint32_t)tn_fb_i32(&pair, 1, 0));
        if (index != UINT32_MAX)
            r->variables[index].is_listed = true;
    }
}

/* Buffers in the buffer, to be read later. */
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
        read_variables(r, &root);
    if (!tn_failed(r->error))
        read_nodes(r, &root);
    read_listed(r, &root);
    if (!tn_failed(r->error))
        tn_sd_add_ends(r);
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

/* Slots were only ever added, so that they tell how old the layout is; others,
 * as we do, write an old one where it is enough. */
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
    for (uint32_t i = 0; i < g->meta_keys.count && i < g->meta_values.count;
         i++)
        tn_model_add_fact_format(r->model, r->error, "metadata", "%.*s=%.*s",
                                 TN_FMT(g->meta_keys.items[i]),
                                 TN_FMT(g->meta_values.items[i]));
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
    if (!tn_failed(r->error))
        add_facts(r);
    return r->error->status;
}
