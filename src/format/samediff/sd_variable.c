/*
 * sd_variable.c - the data of a FlatGraph: variables, their arrays, and the
 * states that an updater keeps of them
 */
#include "format/samediff/sd_graph.h"

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
