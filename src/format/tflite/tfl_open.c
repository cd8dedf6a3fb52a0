/*
 * tfl_open.c - reads a TFLite model into the tables of `ir`
 *
 * The FlatBuffer is verified first, so that positions can be followed; indices
 * in it are checked where they are used.  Data stay where they are: in the
 * buffer, after it, or in a file beside the model.
 */
#include <stdio.h>

#include "base/arith.h"
#include "base/sort.h"
#include "format/tflite/tflite.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_verify.h"

struct reader {
    struct tn_bundle     *bundle;
    struct tn_model      *model;
    struct tn_arena      *arena;
    struct tn_error      *error;
    struct tn_arena       scratch;
    struct tn_fb_table    root;
    struct tn_fb_vector   codes, subgraphs, buffers, external, groups;
    struct tn_pairs       external_ids; /* (0, id) -> index in `external`      */
    struct tn_tfl_detail *detail;
    struct tn_tfl_graph  *graphs;
    uint32_t             *code_types, *code_domains; /* interned, by code      */
    uint32_t              source;
    bool                  says_ranks; /* tensors say whether they have one    */

    /* of the graph being read */
    uint32_t              graph;
    struct tn_fb_table    table;
    struct tn_tfl_tensor *tensors;
    uint32_t              count;
    uint32_t             *names; /* interned in the model                     */
    bool                 *is_made; /* by an operator                          */
    bool                 *is_input;
};

/* ---- the FlatBuffer ----------------------------------------------------- */

struct tn_span tn_tfl_flat_span(struct tn_source *source)
{
    return (struct tn_span){ source, 0,
                             source->size < TN_FB_SIZE_LIMIT
                                 ? source->size
                                 : TN_FB_SIZE_LIMIT };
}

struct tn_fb_table tn_tfl_root(struct tn_source *source, struct tn_arena *arena,
                               struct tn_error *error)
{
    struct tn_fb_table  none = { 0 };
    struct tn_fb       *fb   = tn_new(arena, struct tn_fb, 1, error);
    struct tn_fb_schema schema;
    struct tn_arena     scratch;
    bool                is_good = false;

    if (!fb ||
        tn_fb_open(fb, tn_tfl_flat_span(source), arena, error) != TN_OK)
        return none;
    if (!tn_fb_has_identifier(fb, TN_TFL_IDENTIFIER)) {
        tn_error_set(error, TN_MALFORMED, 4,
                     "the file does not have the identifier " TN_TFL_IDENTIFIER);
        return none;
    }
    tn_arena_init(&scratch, arena->memory);
    if (tn_fb_schema_load_builtin(&schema, &scratch, TN_FB_TFLITE, error) ==
        TN_OK)
        is_good = tn_fb_verify(fb, schema.root, NULL, NULL, arena->memory) ==
                  TN_OK;
    tn_arena_done(&scratch);
    return is_good ? tn_fb_root(fb) : none;
}

/* Where a field of a table is in the file. */
static uint64_t place(const struct tn_fb_table *table, uint16_t slot)
{
    uint64_t at = tn_fb_field(table, slot);

    return table->fb->span.offset + (at ? at : table->at);
}

/* ---- data --------------------------------------------------------------- */

static void index_external(struct reader *r)
{
    for (uint32_t i = 0; i < r->external.count && !tn_failed(r->error); i++) {
        struct tn_fb_table row = tn_fb_vector_table(&r->external, i);
        tn_pairs_add(&r->external_ids, 0, tn_fb_u32(&row, TN_TFL_EXTERNAL_ID, 0),
                     i, r->error);
    }
}

/* A range of a file beside the model. */
static bool find_external(struct reader *r, const struct tn_fb_table *tensor,
                          uint32_t id, struct tn_span *data)
{
    uint64_t         where = place(tensor, TN_TFL_TENSOR_EXTERNAL);
    uint32_t         index = tn_pairs_find(&r->external_ids, 0, id);
    struct tn_source *source;

    if (index == UINT32_MAX) {
        tn_error_set(r->error, TN_MALFORMED, where,
                     "there is no external buffer %" PRIu32, id);
        return false;
    }
    struct tn_fb_table row   = tn_fb_vector_table(&r->external, index);
    uint32_t           group = tn_fb_u32(&row, TN_TFL_EXTERNAL_GROUP, 0);
    if (group >= r->groups.count) {
        tn_error_set(r->error, TN_MALFORMED, place(&row, TN_TFL_EXTERNAL_GROUP),
                     "group %" PRIu32 " of external buffers, but there are "
                     "%" PRIu32,
                     group, r->groups.count);
        return false;
    }
    struct tn_fb_table named  = tn_fb_vector_table(&r->groups, group);
    uint64_t           offset = (uint64_t)tn_fb_i64(&row, TN_TFL_EXTERNAL_OFFSET,
                                                    0);
    uint64_t           length = (uint64_t)tn_fb_i64(&row, TN_TFL_EXTERNAL_LENGTH,
                                                    0);
    if (tn_bundle_sibling(r->bundle, tn_fb_string(&named, 0), &source,
                          r->error) != TN_OK)
        return false;
    if (offset > source->size || length > source->size - offset) {
        tn_error_set(r->error, TN_TRUNCATED,
                     place(&row, TN_TFL_EXTERNAL_OFFSET),
                     "%" PRIu64 " bytes at offset %" PRIu64
                     " of '%s', which has %" PRIu64,
                     length, offset, source->name, source->size);
        return false;
    }
    *data = (struct tn_span){ source, offset, length };
    return length > 0;
}

/* False if the tensor has no data, or on failure. */
static bool find_data(struct reader *r, const struct tn_fb_table *tensor,
                      struct tn_span *data, bool *is_external)
{
    uint32_t buffer   = tn_fb_u32(tensor, TN_TFL_TENSOR_BUFFER, 0);
    uint32_t external = tn_fb_u32(tensor, TN_TFL_TENSOR_EXTERNAL, 0);

    *is_external = external > 0;
    if (external)
        return find_external(r, tensor, external, data);
    if (buffer == 0 && r->buffers.count == 0)
        return false;
    if (buffer >= r->buffers.count) {
        tn_error_set(r->error, TN_MALFORMED, place(tensor, TN_TFL_TENSOR_BUFFER),
                     "buffer %" PRIu32 ", but there are %" PRIu32, buffer,
                     r->buffers.count);
        return false;
    }
    struct tn_fb_table row = tn_fb_vector_table(&r->buffers, buffer);
    return tn_tfl_buffer(&row, data, r->error);
}

/* The shape of a constant. */
static struct tn_shape read_shape(struct reader            *r,
                                  const struct tn_fb_table *tensor)
{
    struct tn_fb_vector from = tn_fb_vector(tensor, TN_TFL_TENSOR_SHAPE, 4);
    uint64_t           *dims = tn_new(r->arena, uint64_t, from.count, r->error);

    for (uint32_t i = 0; dims && i < from.count; i++)
        dims[i] = (uint64_t)(int64_t)tn_fb_vector_i32(&from, i);
    return (struct tn_shape){
        tn_tfl_dtype(tn_fb_i8(tensor, TN_TFL_TENSOR_TYPE, 0)),
        dims ? from.count : 0, dims
    };
}

static struct tn_payload payload_of(struct reader            *r,
                                    const struct tn_fb_table *tensor,
                                    const struct tn_shape    *shape,
                                    struct tn_span            data)
{
    struct tn_fb_table sparsity = { 0 };

    if (tn_fb_has(tensor, TN_TFL_TENSOR_SPARSITY))
        sparsity = tn_fb_child(tensor, TN_TFL_TENSOR_SPARSITY);
    if (sparsity.fb && data.length &&
        tn_fb_vector(&sparsity, TN_TFL_SPARSITY_LEVELS, 4).count)
        return tn_tfl_sparse(&sparsity, shape, data, r->arena, r->error);
    struct tn_payload payload =
        tn_payload_raw(shape, data, tn_tfl_per_byte(shape->dtype));

    if (shape->dtype == TN_STRING)
        payload.encoding = TN_ENCODING_PLACES;
    return payload;
}

static bool is_empty(const struct tn_shape *shape)
{
    uint64_t count;

    return shape->rank && tn_shape_count(shape, &count) && count == 0;
}

/* A constant, a variable, or neither.  A tensor of no elements needs no
 * data. */
static void add_constant(struct reader *r, uint32_t index)
{
    struct tn_fb_vector tensors =
        tn_fb_vector(&r->table, TN_TFL_SUBGRAPH_TENSORS, 4);
    struct tn_fb_table table       = tn_fb_vector_table(&tensors, index);
    struct tn_span     data        = { 0 };
    bool               is_external = false;
    bool has_data    = find_data(r, &table, &data, &is_external);
    bool is_variable = tn_fb_bool(&table, TN_TFL_TENSOR_IS_VARIABLE, false);

    r->tensors[index].tensor = TN_NONE;
    if (tn_failed(r->error))
        return;
    struct tn_shape shape = { 0 };
    if (has_data || !r->is_made[index])
        shape = read_shape(r, &table);
    if (!has_data &&
        (r->is_made[index] || r->is_input[index] || tn_failed(r->error) ||
         (!is_variable && !is_empty(&shape))))
        return;
    struct tn_tensor *row = tn_model_add_tensor(r->model, r->error);
    if (!row || tn_failed(r->error))
        return;
    row->name  = r->names[index];
    row->graph = r->graph;
    row->node  = TN_NONE;
    row->slot  = index;
    row->part  = TN_NONE;
    row->role  = is_variable ? TN_ROLE_VARIABLE : TN_ROLE_INITIALIZER;
    row->is_external       = is_external;
    row->elements.shape    = shape;
    row->elements.payload  = payload_of(r, &table, &shape, data);
    row->wire              = (struct tn_span){ r->detail->source,
                                               r->tensors[index].at, 4 };
    if (!has_data)
        row->elements.payload.encoding = TN_ENCODING_NONE;
    r->tensors[index].tensor = (uint32_t)(r->model->tensors.count - 1);
}

/* ---- tensors ------------------------------------------------------------ */

static int compare_names(const void *a, const void *b, void *context)
{
    const struct tn_tfl_tensor *tensors = context;

    return tn_bytes_compare(tensors[*(const uint32_t *)a].name,
                            tensors[*(const uint32_t *)b].name);
}

/* Names are not unique in a file, and may be missing; those of values are. */
static void name_tensor(struct reader *r, struct tn_intern *taken,
                        uint32_t index, struct tn_bytes told)
{
    struct tn_tfl_tensor *tensor = &r->tensors[index];
    struct tn_bytes       name   = told;
    const char           *made   = NULL;

    if (!name.size)
        made = tn_text_format(r->arena, r->error, "tensor_%" PRIu32, index);
    else if (tn_intern_find(taken, name) != TN_NO_NAME)
        made = tn_text_format(r->arena, r->error, "%.*s:%" PRIu32,
                              TN_FMT(name), index);
    while (made && tn_intern_find(taken, tn_text(made)) != TN_NO_NAME)
        made = tn_text_format(r->arena, r->error, "%s_", made);
    if (tn_failed(r->error))
        return;
    if (made)
        name = tn_text(made);
    tensor->name       = name;
    tensor->is_renamed = made != NULL;
    tn_intern_borrow(taken, name, r->error);
    r->names[index] = tn_intern_borrow(&r->model->names, name, r->error);
}

static void name_tensors(struct reader *r, const struct tn_fb_vector *tensors)
{
    struct tn_intern taken;
    uint32_t        *order = tn_new(r->arena, uint32_t, r->count, r->error);

    tn_intern_init(&taken, &r->scratch);
    for (uint32_t i = 0; order && i < r->count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_fb_vector_table(tensors, i);
        r->tensors[i].at = table.fb->span.offset + table.at;
        name_tensor(r, &taken, i, tn_fb_string(&table, TN_TFL_TENSOR_NAME));
        order[i] = i;
    }
    tn_intern_done(&taken);
    if (tn_failed(r->error))
        return;
    tn_sort_items(order, r->count, sizeof *order, compare_names, r->tensors);
    r->graphs[r->graph].by_name = order;
}

/* The index of a tensor in a vector; TN_NONE for -1, an omitted argument.
 * Fails if it is out of range. */
static uint32_t tensor_index(struct reader *r, const struct tn_fb_vector *from,
                             uint32_t i, bool is_optional)
{
    int32_t index = tn_fb_vector_i32(from, i);

    if (index == -1 && is_optional)
        return TN_NONE;
    if (index < 0 || (uint32_t)index >= r->count) {
        tn_error_set(r->error, TN_MALFORMED,
                     from->fb->span.offset + from->at + 4 * (uint64_t)i,
                     "tensor %" PRId32 ", but the subgraph has %" PRIu32, index,
                     r->count);
        return TN_NONE;
    }
    return (uint32_t)index;
}

/* ---- inputs and outputs ------------------------------------------------- */

static struct tn_io io_of(struct reader *r, uint32_t graph, uint32_t index)
{
    const struct tn_tfl_tensor *row = &r->graphs[graph].tensors[index];
    struct tn_fb                fb;
    tn_fb_view(&fb, r->detail->source, r->error);
    struct tn_fb_table  table = tn_fb_table_at(&fb, row->at);
    struct tn_fb_vector shape = tn_tfl_shape_of(&table);
    struct tn_io        io    = {
                  .name  = row->name,
                  .dtype = tn_tfl_dtype(tn_fb_i8(&table, TN_TFL_TENSOR_TYPE, 0)),
                  .note  = "",
    };

    io.has_default = row->tensor != TN_NONE;
    if (!tn_tfl_has_rank(&table, r->says_ranks))
        return io;
    struct tn_dim *dims =
        tn_new(r->arena, struct tn_dim, shape.count, r->error);
    io.has_rank = true;
    io.rank     = dims ? shape.count : 0;
    io.dims     = dims;
    for (uint32_t i = 0; i < io.rank; i++) {
        int32_t dim   = tn_fb_vector_i32(&shape, i);
        dims[i].value = dim < 0 ? -1 : dim;
    }
    return io;
}

static struct tn_io_list read_io(struct reader *r, uint16_t slot)
{
    struct tn_fb_vector from = tn_fb_vector(&r->table, slot, 4);
    struct tn_io       *to = tn_new(r->arena, struct tn_io, from.count, r->error);

    for (uint32_t i = 0; to && i < from.count && !tn_failed(r->error); i++) {
        uint32_t index = tensor_index(r, &from, i, false);
        if (index != TN_NONE)
            to[i] = io_of(r, r->graph, index);
    }
    return (struct tn_io_list){ tn_failed(r->error) ? 0 : from.count, to };
}

static void mark_inputs(struct reader *r)
{
    struct tn_fb_vector from =
        tn_fb_vector(&r->table, TN_TFL_SUBGRAPH_INPUTS, 4);

    for (uint32_t i = 0; i < from.count && !tn_failed(r->error); i++) {
        uint32_t index = tensor_index(r, &from, i, false);
        if (index != TN_NONE)
            r->is_input[index] = true;
    }
}

/* ---- operators ---------------------------------------------------------- */

static void read_codes(struct reader *r)
{
    uint32_t custom;

    r->code_types   = tn_new(&r->scratch, uint32_t, r->codes.count, r->error);
    r->code_domains = tn_new(&r->scratch, uint32_t, r->codes.count, r->error);
    custom          = tn_intern_borrow(&r->model->names,
                                       tn_text(TN_TFL_CUSTOM_DOMAIN), r->error);
    for (uint32_t i = 0; i < r->codes.count && !tn_failed(r->error); i++) {
        struct tn_fb_table code   = tn_fb_vector_table(&r->codes, i);
        int32_t            number = tn_tfl_code(&code);
        struct tn_bytes    name   = tn_fb_string(&code, TN_TFL_CODE_CUSTOM);
        bool               is_custom = number == TN_TFL_CUSTOM;
        if (!is_custom && (uint32_t)number < tn_tfl_builtin_count)
            name = tn_text(tn_tfl_builtins[number].name);
        else if (!is_custom) {
            const char *text = tn_text_format(r->arena, r->error,
                                              "BUILTIN_%" PRId32, number);
            name = text ? tn_text(text) : name;
        } else if (!name.size) {
            name = tn_text("CUSTOM");
        }
        r->code_types[i] = tn_intern_borrow(&r->model->names, name, r->error);
        r->code_domains[i] = is_custom ? custom : TN_NO_NAME;
    }
}

/* Operators are read before constants: their results are not constants. */
static void mark_made(struct reader *r, const struct tn_fb_vector *ops)
{
    for (uint32_t i = 0; i < ops->count && !tn_failed(r->error); i++) {
        struct tn_fb_table  op   = tn_fb_vector_table(ops, i);
        struct tn_fb_vector ins  = tn_fb_vector(&op, TN_TFL_OPERATOR_INPUTS, 4);
        struct tn_fb_vector outs = tn_fb_vector(&op, TN_TFL_OPERATOR_OUTPUTS, 4);
        uint32_t            code = tn_fb_u32(&op, TN_TFL_OPERATOR_CODE, 0);
        if (code >= r->codes.count) {
            tn_error_set(r->error, TN_MALFORMED,
                         place(&op, TN_TFL_OPERATOR_CODE),
                         "operator code %" PRIu32 ", but there are %" PRIu32,
                         code, r->codes.count);
            return;
        }
        tn_model_count_op(r->model, r->code_domains[code], r->code_types[code],
                          r->error);
        for (uint32_t k = 0; k < ins.count && !tn_failed(r->error); k++)
            tensor_index(r, &ins, k, true);
        for (uint32_t k = 0; k < outs.count && !tn_failed(r->error); k++) {
            uint32_t index = tensor_index(r, &outs, k, true);
            if (index != TN_NONE)
                r->is_made[index] = true;
        }
    }
}

static uint32_t value_of(struct reader *r, uint32_t index)
{
    return index == TN_NONE ? TN_NONE
                            : tn_model_value(r->model, r->graph,
                                             r->names[index], r->error);
}

static void add_op(struct reader *r, const struct tn_fb_table *table)
{
    uint32_t            id   = tn_model_add_op(r->model, r->graph, r->error);
    uint32_t            code = tn_fb_u32(table, TN_TFL_OPERATOR_CODE, 0);
    struct tn_fb_vector ins  = tn_fb_vector(table, TN_TFL_OPERATOR_INPUTS, 4);
    struct tn_fb_vector outs = tn_fb_vector(table, TN_TFL_OPERATOR_OUTPUTS, 4);

    if (id == TN_NONE)
        return;
    struct tn_op *op = tn_model_op_at(r->model, id);
    op->name         = TN_NO_NAME;
    op->type         = r->code_types[code];
    op->domain       = r->code_domains[code];
    op->first_attr   = TN_NONE;
    op->source       = r->source;
    op->wire_offset  = table->fb->span.offset + table->at;
    op->wire_length  = 4;
    for (uint32_t i = 0; i < ins.count && !tn_failed(r->error); i++)
        tn_model_add_input(r->model,
                           value_of(r, tensor_index(r, &ins, i, true)),
                           r->error);
    for (uint32_t i = 0; i < outs.count && !tn_failed(r->error); i++) {
        uint32_t value = value_of(r, tensor_index(r, &outs, i, true));
        tn_model_add_output(r->model, value, r->error);
        if (value != TN_NONE && !tn_failed(r->error))
            tn_model_define(r->model, value, TN_VALUE_OUTPUT, id, i);
    }
}

/* ---- a subgraph --------------------------------------------------------- */

static void define(struct reader *r, uint32_t index, enum tn_value_kind kind)
{
    uint32_t value = value_of(r, index);

    if (value != TN_NONE)
        tn_model_define(r->model, value, kind, TN_NONE, 0);
}

static void read_ops(struct reader *r, const struct tn_fb_vector *ops)
{
    for (uint32_t i = 0; i < r->count && !tn_failed(r->error); i++) {
        if (r->tensors[i].tensor != TN_NONE)
            define(r, i, TN_VALUE_INITIALIZER);
        else if (r->is_input[i])
            define(r, i, TN_VALUE_INPUT);
    }
    for (uint32_t i = 0; i < ops->count && !tn_failed(r->error); i++) {
        struct tn_fb_table op = tn_fb_vector_table(ops, i);
        add_op(r, &op);
    }
    struct tn_fb_vector outs =
        tn_fb_vector(&r->table, TN_TFL_SUBGRAPH_OUTPUTS, 4);
    for (uint32_t i = 0; i < outs.count && !tn_failed(r->error); i++)
        value_of(r, tensor_index(r, &outs, i, false));
}

static void read_graph(struct reader *r, uint32_t index)
{
    r->graph = index;
    r->table = tn_fb_vector_table(&r->subgraphs, index);
    struct tn_fb_vector tensors =
        tn_fb_vector(&r->table, TN_TFL_SUBGRAPH_TENSORS, 4);
    struct tn_fb_vector ops =
        tn_fb_vector(&r->table, TN_TFL_SUBGRAPH_OPERATORS, 4);

    r->count    = tensors.count;
    r->tensors  = tn_new(r->arena, struct tn_tfl_tensor, r->count, r->error);
    r->names    = tn_new(&r->scratch, uint32_t, r->count, r->error);
    r->is_made  = tn_new(&r->scratch, bool, r->count, r->error);
    r->is_input = tn_new(&r->scratch, bool, r->count, r->error);
    if (tn_failed(r->error))
        return;
    r->graphs[index].at      = r->table.fb->span.offset + r->table.at;
    r->graphs[index].tensors = r->tensors;
    r->graphs[index].count   = r->count;
    name_tensors(r, &tensors);
    mark_inputs(r);
    mark_made(r, &ops);
    for (uint32_t i = 0; i < r->count && !tn_failed(r->error); i++)
        add_constant(r, i);
    if (tn_failed(r->error))
        return;
    struct tn_io_list inputs  = read_io(r, TN_TFL_SUBGRAPH_INPUTS);
    struct tn_io_list outputs = read_io(r, TN_TFL_SUBGRAPH_OUTPUTS);
    for (uint32_t i = 0; i < outputs.count; i++)
        ((struct tn_io *)outputs.items)[i].has_default = false;
    struct tn_graph *row = tn_model_graph_at(r->model, index);
    row->inputs          = inputs;
    row->outputs         = outputs;
    row->op_count        = ops.count;
    row->wire = (struct tn_span){ r->detail->source, r->graphs[index].at, 4 };
    if (r->model->wants_graph) {
        row->first_op = (uint32_t)r->model->ops.count;
        read_ops(r, &ops);
    }
}

/* Functions are called by name, so that names must be unique. */
static void name_graphs(struct reader *r)
{
    struct tn_intern taken;

    tn_intern_init(&taken, &r->scratch);
    for (uint32_t i = 0; i < r->subgraphs.count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_fb_vector_table(&r->subgraphs, i);
        struct tn_bytes    name  = tn_fb_string(&table, TN_TFL_SUBGRAPH_NAME);
        bool is_free = name.size && tn_intern_find(&taken, name) == TN_NO_NAME;
        const char *made = NULL;
        if (i && !is_free)
            made = tn_text_format(r->arena, r->error, "subgraph_%" PRIu32, i);
        while (made && tn_intern_find(&taken, tn_text(made)) != TN_NO_NAME)
            made = tn_text_format(r->arena, r->error, "%s_", made);
        if (made)
            name = tn_text(made);
        if (i && !tn_failed(r->error))
            tn_intern_borrow(&taken, name, r->error);
        r->graphs[i].name = name.data ? name : tn_text("");
    }
    tn_intern_done(&taken);
}

static void add_graphs(struct reader *r)
{
    for (uint32_t i = 0; i < r->subgraphs.count && !tn_failed(r->error); i++) {
        const char *path =
            tn_text_format(r->arena, r->error, "subgraphs[%" PRIu32 "]", i);
        uint32_t id =
            path ? tn_model_add_graph(r->model,
                                      i ? TN_GRAPH_FUNCTION : TN_GRAPH_MAIN,
                                      path, "operators", r->error)
                 : TN_NONE;
        if (id == TN_NONE)
            return;
        struct tn_graph *row = tn_model_graph_at(r->model, id);
        row->name = tn_intern_borrow(&r->model->names, r->graphs[i].name,
                                     r->error);
        row->domain       = TN_NO_NAME;
        row->parent_graph = TN_NONE;
        row->parent_node  = TN_NONE;
    }
}

static void find_ranks(struct reader *r)
{
    for (uint32_t g = 0; g < r->subgraphs.count && !r->says_ranks; g++) {
        struct tn_fb_table  graph = tn_fb_vector_table(&r->subgraphs, g);
        struct tn_fb_vector tensors =
            tn_fb_vector(&graph, TN_TFL_SUBGRAPH_TENSORS, 4);
        for (uint32_t i = 0; i < tensors.count && !r->says_ranks; i++) {
            struct tn_fb_table tensor = tn_fb_vector_table(&tensors, i);
            r->says_ranks = tn_fb_bool(&tensor, TN_TFL_TENSOR_HAS_RANK, false);
        }
    }
    r->detail->says_ranks = r->says_ranks;
}

/* ---- signatures --------------------------------------------------------- */

static struct tn_io_list read_arguments(struct reader            *r,
                                        const struct tn_fb_table *signature,
                                        uint16_t slot, uint32_t graph)
{
    struct tn_fb_vector maps = tn_fb_vector(signature, slot, 4);
    struct tn_io       *to = tn_new(r->arena, struct tn_io, maps.count, r->error);

    for (uint32_t i = 0; to && i < maps.count && !tn_failed(r->error); i++) {
        struct tn_fb_table map   = tn_fb_vector_table(&maps, i);
        uint32_t           index = tn_fb_u32(&map, 1, 0);
        if (index >= r->graphs[graph].count) {
            tn_error_set(r->error, TN_MALFORMED, place(&map, 1),
                         "tensor %" PRIu32 ", but the subgraph has %" PRIu32,
                         index, r->graphs[graph].count);
            break;
        }
        to[i]     = io_of(r, graph, index);
        to[i].key = tn_fb_string(&map, 0);
    }
    return (struct tn_io_list){ tn_failed(r->error) ? 0 : maps.count, to };
}

static void read_signatures(struct reader *r)
{
    struct tn_fb_vector all =
        tn_fb_vector(&r->root, TN_TFL_MODEL_SIGNATURES, 4);
    uint32_t *graphs = tn_new(r->arena, uint32_t, all.count, r->error);

    for (uint32_t i = 0; graphs && i < all.count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_fb_vector_table(&all, i);
        uint32_t graph = tn_fb_u32(&table, TN_TFL_SIGNATURE_SUBGRAPH, 0);
        struct tn_signature *row =
            tn_list_push(&r->model->signatures, struct tn_signature, r->error);
        if (!row)
            return;
        if (graph >= r->subgraphs.count) {
            tn_error_set(r->error, TN_MALFORMED,
                         place(&table, TN_TFL_SIGNATURE_SUBGRAPH),
                         "subgraph %" PRIu32 ", but there are %" PRIu32, graph,
                         r->subgraphs.count);
            return;
        }
        row->name   = tn_fb_string(&table, TN_TFL_SIGNATURE_KEY);
        row->method = tn_text("");
        row->inputs =
            read_arguments(r, &table, TN_TFL_SIGNATURE_INPUTS, graph);
        row->outputs =
            read_arguments(r, &table, TN_TFL_SIGNATURE_OUTPUTS, graph);
        for (uint32_t k = 0; k < row->outputs.count; k++)
            ((struct tn_io *)row->outputs.items)[k].has_default = false;
        graphs[i] = graph;
    }
    r->model->signature_graphs = graphs;
}

/* ---- facts -------------------------------------------------------------- */

/* "min_runtime_version" is text, with zeros to fill sixteen bytes. */
static void add_runtime(struct reader *r, struct tn_span data)
{
    char            text[33] = { 0 };
    struct tn_error ignored  = TN_ERROR_INIT;
    size_t          size = (size_t)tn_min(data.length, sizeof text - 1);

    if (tn_source_read(data.source, data.offset, text, size, &ignored) != TN_OK)
        return;
    if (text[0])
        tn_model_add_fact_format(r->model, r->error, "min_runtime_version",
                                 "%s", text);
}

/* Texts that people read; more of them are listed by their sizes. */
enum { SHOWN_TEXTS = 64 * 1024 };

static void add_metadata(struct reader *r)
{
    uint64_t            left = SHOWN_TEXTS;
    struct tn_bytes     text;
    struct tn_fb_vector rows = tn_fb_vector(&r->root, TN_TFL_MODEL_METADATA, 4);

    for (uint32_t i = 0; i < rows.count && !tn_failed(r->error); i++) {
        struct tn_fb_table row    = tn_fb_vector_table(&rows, i);
        struct tn_bytes    name   = tn_fb_string(&row, TN_TFL_METADATA_NAME);
        uint32_t           buffer = tn_fb_u32(&row, TN_TFL_METADATA_BUFFER, 0);
        struct tn_span     data   = { 0 };
        if (buffer >= r->buffers.count) {
            tn_error_set(r->error, TN_MALFORMED,
                         place(&row, TN_TFL_METADATA_BUFFER),
                         "buffer %" PRIu32 ", but there are %" PRIu32, buffer,
                         r->buffers.count);
            return;
        }
        struct tn_fb_table table = tn_fb_vector_table(&r->buffers, buffer);
        tn_tfl_buffer(&table, &data, r->error);
        if (tn_bytes_is(name, TN_TFL_MIN_RUNTIME) && data.length)
            add_runtime(r, data);
        else if (tn_tfl_metadata_text(&r->buffers, &row, &r->model->arena,
                                      &left, &text, r->error))
            tn_model_add_fact_format(r->model, r->error, "metadata",
                                     "%.*s=%.*s", TN_FMT(name), TN_FMT(text));
        else if (!tn_failed(r->error))
            tn_model_add_fact_format(r->model, r->error, "metadata",
                                     "%.*s, %" PRIu64 " bytes", TN_FMT(name),
                                     data.length);
    }
}

static void add_facts(struct reader *r)
{
    struct tn_bytes text = tn_fb_string(&r->root, TN_TFL_MODEL_DESCRIPTION);

    tn_model_add_fact_format(r->model, r->error, "version", "%" PRIu32,
                             tn_fb_u32(&r->root, TN_TFL_MODEL_VERSION, 0));
    if (text.size)
        tn_model_add_fact(r->model, "description", text, r->error);
    add_metadata(r);
    for (uint32_t i = 0; i < r->groups.count && !tn_failed(r->error); i++) {
        struct tn_fb_table row = tn_fb_vector_table(&r->groups, i);
        tn_model_add_fact(r->model, "external_file", tn_fb_string(&row, 0),
                          r->error);
    }
}

/* ---- the whole ---------------------------------------------------------- */

static void read_all(struct reader *r)
{
    r->codes     = tn_fb_vector(&r->root, TN_TFL_MODEL_CODES, 4);
    r->subgraphs = tn_fb_vector(&r->root, TN_TFL_MODEL_SUBGRAPHS, 4);
    r->buffers   = tn_fb_vector(&r->root, TN_TFL_MODEL_BUFFERS, 4);
    r->groups    = tn_fb_vector(&r->root, TN_TFL_MODEL_GROUPS, 4);
    r->external  = tn_fb_vector(&r->root, TN_TFL_MODEL_EXTERNAL, 4);
    if (!r->subgraphs.count) {
        tn_error_set(r->error, TN_MALFORMED, r->root.at,
                     "the model has no subgraph");
        return;
    }
    r->graphs =
        tn_new(r->arena, struct tn_tfl_graph, r->subgraphs.count, r->error);
    if (!r->graphs)
        return;
    r->detail->graphs      = r->graphs;
    r->detail->graph_count = r->subgraphs.count;
    r->detail->root        = r->root.at;
    add_facts(r);
    index_external(r);
    find_ranks(r);
    name_graphs(r);
    add_graphs(r);
    read_codes(r);
    for (uint32_t i = 0; i < r->subgraphs.count && !tn_failed(r->error); i++) {
        read_graph(r, i);
        if (tn_failed(r->error))
            tn_error_where(r->error, "subgraphs[%" PRIu32 "]", i);
    }
    if (!tn_failed(r->error))
        read_signatures(r);
}

enum tn_status tn_tfl_open(struct tn_bundle *bundle, struct tn_model *model,
                           struct tn_error *error)
{
    struct reader r = { .bundle = bundle,
                        .model  = model,
                        .arena  = &model->arena,
                        .error  = error };

    if (!bundle->main)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "this is a folder, not a TFLite model");
    r.detail = tn_new(r.arena, struct tn_tfl_detail, 1, error);
    if (!r.detail)
        return error->status;
    model->dialect   = &tn_dialect_tflite;
    model->detail    = r.detail;
    model->wire      = (struct tn_span){ bundle->main, 0, bundle->main->size };
    r.detail->source = bundle->main;
    tn_arena_init(&r.scratch, model->memory);
    tn_pairs_init(&r.external_ids, model->memory);
    r.root = tn_tfl_root(bundle->main, r.arena, error);
    if (r.root.fb) {
        r.source = tn_model_source_id(model, bundle->main, error);
        read_all(&r);
    }
    tn_pairs_done(&r.external_ids);
    tn_arena_done(&r.scratch);
    return tn_failed(error) ? error->status : tn_model_finish(model, error);
}
