/*
 * sd_variable.c - the data of a FlatGraph: variables, their arrays, and the
 * states that an updater keeps of them
 */
#include "format/samediff/sd_graph.h"

/* ---- inputs and outputs of a FlatGraph ---------------------------------- */

/*
 * The list of outputs in Deeplearning4j's files is empty.  Then the outputs are
 * the losses, and the results that no operation takes; as in Deeplearning4j,
 * except control values: the unused side of a switch is never computed. Tenon's
 * files list all outputs in their order. A list of inputs alone, as earlier
 * versions wrote it, also implies the outputs.
 */

bool tn_sd_makes_results(struct tn_bytes op)
{
    return !tn_bytes_is(op, "switch") && !tn_bytes_is(op, "Switch") &&
           !tn_bytes_is(op, "Assert") && !tn_bytes_is(op, "noop");
}

struct tn_io tn_sd_io_of(struct tn_sd_reader *r, const struct tn_sd_variable *v)
{
    struct tn_io io = { .name  = v->name,
                        .dtype = tn_sd_dtype(v->dtype),
                        .note  = "" };

    io.has_default = v->kind == TN_SD_PLACEHOLDER && v->tensor != TN_NONE;
    /* empty, without further information: a scalar, or not known */
    if (!v->has_shape || (v->rank == 0 && !v->has_dim_names))
        return io;
    struct tn_dim *dims = tn_new(r->arena, struct tn_dim, v->rank, r->error);
    io.has_rank         = true;
    io.rank             = dims ? v->rank : 0;
    io.dims             = dims;
    for (uint32_t i = 0; i < io.rank; i++) {
        dims[i].value = v->shape[i] < 0 ? -1 : v->shape[i];
        if (v->has_dim_names)
            dims[i].symbol = v->dim_names.items[i];
    }
    return io;
}

static void add_inputs(struct tn_sd_reader *r, struct tn_graph *graph)
{
    uint32_t      count = 0, at = 0;
    struct tn_io *io_list;

    for (uint32_t i = 0; i < r->variable_count; i++)
        count += r->variables[i].kind == TN_SD_PLACEHOLDER;
    io_list = tn_new(r->arena, struct tn_io, count, r->error);
    for (uint32_t i = 0; io_list && i < r->variable_count; i++)
        if (r->variables[i].kind == TN_SD_PLACEHOLDER)
            io_list[at++] = tn_sd_io_of(r, &r->variables[i]);
    graph->inputs = (struct tn_io_list){ at, io_list };
}

static struct tn_sd_variable *find(struct tn_sd_reader *r, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&r->names, name);

    return id == TN_NO_NAME
               ? NULL
               : &r->variables[*tn_list_at(&r->by_name, uint32_t, id)];
}

/* A list that contains a result contains all outputs. */
static bool is_listing_all(const struct tn_sd_reader *r)
{
    for (uint32_t i = 0; i < r->listed_count; i++)
        if (r->variables[r->listed[i]].kind != TN_SD_PLACEHOLDER)
            return true;
    return false;
}

static void take_listed(struct tn_sd_reader *r, struct tn_graph *graph)
{
    struct tn_io *io_list =
        tn_new(r->arena, struct tn_io, r->listed_count, r->error);

    for (uint32_t i = 0; io_list && i < r->listed_count; i++)
        io_list[i] = tn_sd_io_of(r, &r->variables[r->listed[i]]);
    graph->outputs =
        (struct tn_io_list){ io_list ? r->listed_count : 0, io_list };
}

static void add_outputs(struct tn_sd_reader *r, struct tn_graph *graph)
{
    const struct tn_sd_names *loss = &r->row->loss;
    uint32_t                  at   = 0;
    uint64_t                  most = (uint64_t)r->variable_count + loss->count;
    struct tn_io *io_list = tn_new(&r->scratch, struct tn_io, most, r->error);
    bool *is_out = tn_new(&r->scratch, bool, r->variable_count, r->error);

    if (!io_list || !is_out)
        return;
    for (uint32_t i = 0; i < loss->count; i++) {
        struct tn_sd_variable *v = find(r, loss->items[i]);
        if (!v || is_out[v - r->variables])
            continue;
        is_out[v - r->variables] = true;
        io_list[at++]            = tn_sd_io_of(r, v);
    }
    for (uint32_t i = 0; i < r->variable_count; i++)
        if (!is_out[i] && (r->variables[i].is_listed ||
                           (r->variables[i].is_result && !r->is_used[i]))) {
            io_list[at]              = tn_sd_io_of(r, &r->variables[i]);
            io_list[at++].is_guessed = !r->variables[i].is_listed;
        }
    struct tn_io *kept = tn_new(r->arena, struct tn_io, at, r->error);
    if (kept && at)
        memcpy(kept, io_list, at * sizeof *kept);
    graph->outputs = (struct tn_io_list){ kept ? at : 0, kept };
}

void tn_sd_add_io(struct tn_sd_reader *r)
{
    struct tn_graph *graph = tn_model_graph_at(r->model, r->graph);

    add_inputs(r, graph);
    if (tn_failed(r->error))
        return;
    if (is_listing_all(r))
        take_listed(r, graph);
    else
        add_outputs(r, graph);
}

/* ---- control dependencies: what must have run before an operation ------- */

/*
 * They name a variable, or an operation, which stands for its first output.
 * Real files have some that name an output which has another name by now: often
 * their own.  Those mean nothing, and `check` reports them.
 */

uint32_t tn_sd_value_named(struct tn_sd_reader *r, struct tn_bytes name)
{
    if (tn_failed(r->error))
        return TN_NONE;
    return tn_model_value(r->model, r->graph,
                          tn_intern_borrow(&r->model->names, name, r->error),
                          r->error);
}

void tn_sd_index_ops(struct tn_sd_reader *r, const struct tn_fb_vector *ops,
                     uint16_t name_slot)
{
    for (uint32_t i = 0; i < ops->count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_fb_vector_table(ops, i);
        uint32_t           known = tn_intern_count(&r->op_names);
        struct tn_bytes    name  = tn_fb_string(&table, name_slot);
        if (tn_intern_borrow(&r->op_names, name, r->error) != known)
            continue;
        uint64_t *at = tn_list_push(&r->op_tables, uint64_t, r->error);
        if (at)
            *at = table.at;
    }
}

/* The first output of the op of that name; .data NULL if there is none, or it
 * is the op itself. */
static struct tn_bytes output_of(struct tn_sd_reader      *r,
                                 const struct tn_fb_table *op,
                                 struct tn_bytes name, uint16_t outputs_slot)
{
    uint32_t id = tn_intern_find(&r->op_names, name);

    if (id == TN_NO_NAME || id >= r->op_tables.count)
        return tn_bytes(NULL, 0);
    struct tn_fb_table table =
        tn_fb_table_at(op->fb, *tn_list_at(&r->op_tables, uint64_t, id));
    struct tn_fb_vector names = tn_fb_vector(&table, outputs_slot, 4);
    return table.at == op->at ? tn_bytes(NULL, 0)
                              : tn_fb_vector_string(&names, 0);
}

void tn_sd_add_controls(struct tn_sd_reader *r, const struct tn_fb_table *op,
                        uint16_t slot, uint16_t outputs_slot)
{
    struct tn_fb_vector names = tn_fb_vector(op, slot, 4);

    for (uint32_t i = 0; i < names.count && !tn_failed(r->error); i++) {
        struct tn_bytes name = tn_fb_vector_string(&names, i);
        if (tn_intern_find(&r->names, name) == TN_NO_NAME)
            name = output_of(r, op, name, outputs_slot);
        if (!name.data)
            continue;
        tn_model_add_input(r->model, tn_sd_value_named(r, name), r->error);
        if (!tn_failed(r->error))
            tn_model_op_at(r->model, (uint32_t)r->model->ops.count - 1)
                ->control_count++;
    }
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

struct tn_tensor *tn_sd_tensor_at(const struct tn_sd_reader *r, uint32_t index)
{
    return tn_list_at(&r->model->tensors, struct tn_tensor, index);
}

uint32_t tn_sd_add_own(struct tn_sd_reader *r, struct tn_bytes name,
                       const struct tn_sd_array *array, enum tn_role role)
{
    uint32_t index = tn_sd_add_tensor(r->model, name, array, role, r->error);

    if (index == TN_NONE)
        return index;
    tn_sd_tensor_at(r, index)->graph       = r->graph;
    tn_sd_tensor_at(r, index)->wire.source = r->row->source;
    return index;
}

/* ---- variables ---------------------------------------------------------- */

void tn_sd_shape_read(const struct tn_fb_table *table, uint16_t slot,
                      uint16_t names_slot, struct tn_arena *arena,
                      struct tn_error *error, struct tn_sd_variable *v)
{
    struct tn_fb_vector shape = tn_fb_vector(table, slot, 8);
    int64_t            *dims  = tn_new(arena, int64_t, shape.count, error);

    v->has_shape = shape.fb != NULL;
    v->rank      = dims ? shape.count : 0;
    v->shape     = dims;
    for (uint32_t i = 0; i < v->rank; i++)
        dims[i] = tn_fb_vector_i64(&shape, i);
    v->dim_names     = tn_sd_names_read(table, names_slot, arena, error);
    v->has_dim_names = tn_fb_has(table, names_slot) && v->has_shape &&
                       v->dim_names.count == v->rank;
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
        tn_sd_shape_read(table, TN_SD_VARIABLE_SHAPE, TN_SD_VARIABLE_DIM_NAMES,
                         arena, error, v);
    v->deps =
        tn_sd_names_read(table, TN_SD_VARIABLE_CONTROL_DEPS, arena, error);
    v->for_op =
        tn_sd_names_read(table, TN_SD_VARIABLE_CONTROL_FOR_OP, arena, error);
    v->for_var =
        tn_sd_names_read(table, TN_SD_VARIABLE_CONTROL_FOR_VAR, arena, error);
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
    v->tensor = tn_sd_add_own(r, v->name, &array, role);
    if (v->tensor == TN_NONE)
        return;
    struct tn_tensor *tensor = tn_sd_tensor_at(r, v->tensor);
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

void tn_sd_read_variables(struct tn_sd_reader      *r,
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

/* ---- states of the updater ---------------------------------------------- */

#define STATE_HEAD "updater/"

const char *tn_sd_state_name(struct tn_bytes key, struct tn_bytes param,
                             struct tn_arena *arena, struct tn_error *error)
{
    return tn_text_format(arena, error, STATE_HEAD "%.*s/%.*s", TN_FMT(key),
                          TN_FMT(param));
}

bool tn_sd_state_split(struct tn_bytes name, struct tn_bytes *key,
                       struct tn_bytes *param)
{
    size_t size = strlen(STATE_HEAD);

    if (name.size <= size || !tn_bytes_starts_with(name, STATE_HEAD))
        return false;
    const uint8_t *slash = memchr(name.data + size, '/', name.size - size);
    if (!slash)
        return false;
    *key   = tn_bytes(name.data + size, (size_t)(slash - name.data) - size);
    *param = tn_bytes(slash + 1, (size_t)(name.data + name.size - slash) - 1);
    return true;
}

static uint32_t read_state_array(struct tn_sd_reader      *r,
                                 const struct tn_sd_state *state, uint32_t key,
                                 const struct tn_fb_table *table)
{
    struct tn_sd_array array;
    struct tn_bytes    word =
        key < state->keys.count ? state->keys.items[key] : tn_text("?");

    if (tn_sd_array_read(table, r->is_plain, r->arena, &array) != TN_OK)
        return TN_NONE;
    const char *name = tn_sd_state_name(word, state->param, r->arena, r->error);
    if (!name)
        return TN_NONE;
    uint32_t index = tn_sd_add_own(r, tn_text(name), &array, TN_ROLE_STATE);
    if (index != TN_NONE) {
        tn_sd_tensor_at(r, index)->slot = (uint32_t)r->states.count;
        tn_sd_tensor_at(r, index)->part = key;
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
        .keys        = tn_sd_names_read(table, 1, r->arena, r->error),
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
