/*
 * paddle_program.c - from a ProgramDesc to the tables of a model, in one walk
 *
 * Blocks are graphs, and a block that an operator names in an attribute is its
 * subgraph.  Inputs and outputs of the model are what `feed` and `fetch`
 * operators say, in the order of their `col`; a program without them (a
 * training checkpoint) has as inputs the variables that need to be fed.
 */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "format/paddle/paddle.h"
#include "ir/attr.h"
#include "wire/pickle/pickle.h"

/* ---- one variable of a block, in three generations ---------------------- */

/*
 *   now         name = 1, type = 2 (a message), persistable = 3
 *   early 2018  name = 1, type = 2 (a number), persistable = 3,
 *               lod_tensor = 4, selected_rows = 5, tensor_array = 6, reader = 7
 *   0.11        name = 1, type = 2 (a number), lod_tensor = 3,
 *               selected_rows = 4, persistable = 5, tensor_array = 6
 *
 * The wire type of field 2 tells the first from the others, and that of field 3
 * the second from the third.
 */

enum { DESC_DATA_TYPE = 1, DESC_DIMS = 2, LOD_TENSOR = 1, LOD_LEVEL = 2 };

/* VarType: type = 1, and one field for what it describes. */
enum {
    TYPE_TYPE          = 1,
    TYPE_SELECTED_ROWS = 2,
    TYPE_LOD           = 3,
    TYPE_ARRAY         = 4,
    TYPE_READER        = 5,
    TYPE_CHANNEL       = 6,
    TYPE_TUPLE         = 7,
    TYPE_STRING        = 8,
    TYPE_SPARSE_CSR    = 12
};

static uint32_t count_dims(struct tn_cursor body)
{
    struct tn_pb_field field;
    uint32_t           rank = 0;
    uint64_t           dim;

    while (tn_pb_next(&body, &field)) {
        if (field.number != DESC_DIMS)
            continue;
        while (tn_pb_number(&body, &field, TN_WIRE_VARINT, &dim))
            rank++;
    }
    return rank;
}

/* TensorDesc */
static void read_desc(struct tn_cursor *body, struct tn_arena *arena,
                      struct tn_paddle_var *var)
{
    uint32_t           rank = count_dims(*body), at = 0;
    int64_t           *dims = tn_new(arena, int64_t, rank, body->error);
    struct tn_pb_field field;
    uint64_t           dim;

    if (rank && !dims)
        return;
    while (tn_pb_next(body, &field)) {
        if (field.number == DESC_DATA_TYPE &&
            tn_pb_expect(body, &field, TN_WIRE_VARINT))
            var->data_type = (uint32_t)field.value;
        else if (field.number == DESC_DIMS)
            while (at < rank &&
                   tn_pb_number(body, &field, TN_WIRE_VARINT, &dim))
                dims[at++] = (int64_t)dim;
    }
    var->has_desc = true;
    var->rank     = rank;
    var->dims     = dims;
}

/* LoDTensorDesc and LoDTensorArrayDesc */
static void read_lod(struct tn_cursor *body, struct tn_arena *arena,
                     struct tn_paddle_var *var)
{
    struct tn_pb_field field;

    while (tn_pb_next(body, &field)) {
        if (field.number == LOD_TENSOR &&
            tn_pb_expect(body, &field, TN_WIRE_LEN))
            read_desc(&field.body, arena, var);
        else if (field.number == LOD_LEVEL &&
                 tn_pb_expect(body, &field, TN_WIRE_VARINT))
            var->lod_level = (int32_t)field.value;
    }
}

static void read_type(struct tn_cursor *body, struct tn_arena *arena,
                      struct tn_paddle_var *var)
{
    struct tn_pb_field field;

    while (tn_pb_next(body, &field)) {
        if (field.number == TYPE_TYPE &&
            tn_pb_expect(body, &field, TN_WIRE_VARINT)) {
            var->type     = (uint32_t)field.value;
            var->has_type = true;
        } else if (field.type != TN_WIRE_LEN) {
            continue;
        } else if (field.number == TYPE_LOD || field.number == TYPE_ARRAY) {
            read_lod(&field.body, arena, var);
        } else if (field.number == TYPE_SELECTED_ROWS ||
                   (field.number >= TYPE_STRING &&
                    field.number <= TYPE_SPARSE_CSR)) {
            read_desc(&field.body, arena, var);
        }
    }
}

/* Translates old numbers to those of today. */
static uint32_t old_type(uint64_t type)
{
    static const uint8_t today[] = { 0, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

    return type < sizeof today ? today[type] : TN_PADDLE_RAW;
}

static void read_old_field(struct tn_cursor *body, struct tn_pb_field *field,
                           bool is_011, struct tn_arena *arena,
                           struct tn_paddle_var *var)
{
    uint32_t persistable = is_011 ? 5 : 3;
    uint32_t lod = is_011 ? 3 : 4, rows = is_011 ? 4 : 5;

    if (field->number == persistable) {
        if (tn_pb_expect(body, field, TN_WIRE_VARINT))
            var->is_persistable = field->value != 0;
    } else if (field->number == lod || field->number == 6) {
        if (tn_pb_expect(body, field, TN_WIRE_LEN))
            read_lod(&field->body, arena, var);
    } else if (field->number == rows &&
               tn_pb_expect(body, field, TN_WIRE_LEN)) {
        read_desc(&field->body, arena, var);
    }
}

static void read_new_field(struct tn_cursor *body, struct tn_pb_field *field,
                           struct tn_paddle_var *var)
{
    if (field->number != VAR_PERSISTABLE &&
        field->number != VAR_NEED_CHECK_FEED)
        return;
    if (!tn_pb_expect(body, field, TN_WIRE_VARINT))
        return;
    if (field->number == VAR_PERSISTABLE)
        var->is_persistable = field->value != 0;
    else
        var->needs_feed = field->value != 0;
}

/* Which generation: the wire types of fields 2 and 3. */
static void look_ahead(struct tn_cursor body, bool *is_old, bool *is_011)
{
    struct tn_pb_field field;

    *is_old = *is_011 = false;
    while (tn_pb_next(&body, &field)) {
        if (field.number == VAR_TYPE)
            *is_old = field.type == TN_WIRE_VARINT;
        else if (field.number == 3)
            *is_011 = field.type == TN_WIRE_LEN;
    }
    *is_011 = *is_011 && *is_old;
}

void tn_paddle_var_read(struct tn_cursor *body, struct tn_arena *arena,
                        struct tn_paddle_var *var, bool *is_old)
{
    struct tn_pb_field field;
    bool               is_011;

    look_ahead(*body, is_old, &is_011);
    while (tn_pb_next(body, &field)) {
        if (field.number == VAR_NAME) {
            if (tn_pb_expect(body, &field, TN_WIRE_LEN))
                var->name = tn_pb_text(&field);
        } else if (field.number != VAR_TYPE) {
            if (*is_old)
                read_old_field(body, &field, is_011, arena, var);
            else
                read_new_field(body, &field, var);
        } else if (*is_old) {
            var->type     = old_type(field.value);
            var->has_type = true;
        } else if (tn_pb_expect(body, &field, TN_WIRE_LEN)) {
            read_type(&field.body, arena, var);
        }
    }
}

bool tn_paddle_var_is_stored(const struct tn_paddle_var *var)
{
    return var->is_persistable && var->type != TN_PADDLE_FEED &&
           var->type != TN_PADDLE_FETCH && var->type != TN_PADDLE_READER &&
           var->type != TN_PADDLE_RAW;
}

/* An end that a feed or fetch operator makes. */
struct port {
    struct tn_bytes name;
    int64_t         col;
};

struct reader {
    struct tn_model         *model;
    struct tn_arena         *arena;
    struct tn_error         *error;
    struct tn_paddle_detail *detail;
    struct tn_paddle_var    *vars;
    uint64_t                 var_count, var_room;
    struct tn_list           first_vars; /* uint64_t                          */
    uint64_t                 stored_count;
    struct tn_list           feeds, fetches; /* struct port                   */
    struct tn_list           produced; /* uint32_t: values of the op read   */
    uint32_t                 source;
    struct tn_bytes          compatible; /* default_required_version          */
    uint64_t                 op_version_count;
};

/* ---- operators ---------------------------------------------------------- */

struct op {
    uint32_t        graph, ordinal;
    struct tn_bytes type;
    struct tn_bytes first_in, first_out; /* arguments, for feed and fetch     */
    int64_t         col;
};

static uint32_t value_id(struct reader *r, uint32_t graph, struct tn_bytes name)
{
    if (name.size == 0 || tn_bytes_is(name, "@EMPTY@") || tn_failed(r->error))
        return TN_NONE;
    return tn_model_value(r->model, graph,
                          tn_intern_borrow(&r->model->names, name, r->error),
                          r->error);
}

static void read_argument(struct reader *r, struct op *op, bool is_output,
                          struct tn_bytes name)
{
    struct tn_bytes *first = is_output ? &op->first_out : &op->first_in;

    if (!first->data)
        *first = name;
    if (!r->model->wants_graph)
        return;
    uint32_t value = value_id(r, op->graph, name);
    if (!is_output) {
        tn_model_add_input(r->model, value, r->error);
        return;
    }
    uint32_t *slot = tn_list_push(&r->produced, uint32_t, r->error);
    if (slot)
        *slot = value;
}

static void read_slot(struct reader *r, struct op *op,
                      struct tn_pb_field *message)
{
    struct tn_cursor   c         = message->body;
    bool               is_output = message->number == OP_OUTPUTS;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == SLOT_ARGUMENTS &&
            tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_argument(r, op, is_output, tn_pb_text(&field));
}

/* A block is the subgraph of the first operator that names it, which is in a
 * block before it. */
static void claim_block(struct reader *r, const struct op *op, uint32_t slot,
                        uint64_t block)
{
    if (block >= r->model->graphs.count || block <= op->graph)
        return;
    struct tn_graph *graph = tn_model_graph_at(r->model, (uint32_t)block);
    if (graph->kind == TN_GRAPH_SUBGRAPH)
        return;
    graph->kind         = TN_GRAPH_SUBGRAPH;
    graph->parent_graph = op->graph;
    graph->parent_node  = op->ordinal;
    graph->parent_slot  = slot;
}

enum { ATTR_I = 3, ATTR_BLOCK = 12, ATTR_BLOCKS = 14 };

static void read_attr(struct reader *r, struct op *op,
                      struct tn_pb_field *message, uint32_t slot)
{
    struct tn_cursor   c    = message->body;
    struct tn_bytes    name = { NULL, 0 };
    struct tn_pb_field field;
    uint64_t           value;

    while (tn_pb_next(&c, &field)) {
        if (field.number == ATTR_NAME && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            name = tn_pb_text(&field);
        else if (field.number == ATTR_I && field.type == TN_WIRE_VARINT &&
                 tn_bytes_is(name, "col"))
            op->col = (int32_t)field.value;
        else if (field.number == ATTR_BLOCK || field.number == ATTR_BLOCKS)
            while (tn_pb_number(&c, &field, TN_WIRE_VARINT, &value))
                claim_block(r, op, slot, value);
    }
    if (tn_bytes_is(name, "op_callstack"))
        r->detail->callstack_size += c.offset - message->offset;
}

static void note_port(struct reader *r, const struct op *op)
{
    bool is_feed = tn_bytes_is(op->type, "feed");

    if (op->graph != 0 || (!is_feed && !tn_bytes_is(op->type, "fetch")))
        return;
    struct port *port =
        tn_list_push(is_feed ? &r->feeds : &r->fetches, struct port, r->error);
    if (port)
        *port =
            (struct port){ is_feed ? op->first_out : op->first_in, op->col };
}

static void finish_op(struct reader *r, const struct op *op,
                      struct tn_span wire)
{
    uint32_t type = tn_intern_borrow(&r->model->names, op->type, r->error);

    tn_model_count_op(r->model, TN_NO_NAME, type, r->error);
    note_port(r, op);
    if (!r->model->wants_graph || tn_failed(r->error))
        return;
    uint32_t      index = (uint32_t)r->model->ops.count - 1;
    struct tn_op *row   = tn_model_op_at(r->model, index);
    row->name           = TN_NO_NAME;
    row->type           = type;
    row->domain         = TN_NO_NAME;
    row->source         = r->source;
    row->wire_offset    = wire.offset;
    row->wire_length    = wire.length & TN_WIRE_LENGTH_MAX;
    for (uint64_t i = 0; i < r->produced.count; i++) {
        uint32_t value = *tn_list_at(&r->produced, uint32_t, i);
        tn_model_add_output(r->model, value, r->error);
        if (value != TN_NONE)
            tn_model_define(r->model, value, TN_VALUE_OUTPUT, index,
                            (uint32_t)i);
    }
}

static void read_op_field(struct reader *r, struct tn_cursor *c,
                          struct tn_pb_field *field, struct op *op,
                          uint32_t *attrs)
{
    if (field->number > OP_ATTRS || !tn_pb_expect(c, field, TN_WIRE_LEN))
        return;
    if (field->number == OP_TYPE)
        op->type = tn_pb_text(field);
    else if (field->number == OP_ATTRS)
        read_attr(r, op, field, (*attrs)++);
    else
        read_slot(r, op, field);
}

static void read_op(struct reader *r, uint32_t graph, uint32_t ordinal,
                    struct tn_pb_field *message)
{
    struct op          op    = { .graph = graph, .ordinal = ordinal };
    struct tn_cursor   c     = message->body;
    uint32_t           attrs = 0;
    struct tn_pb_field field;

    r->produced.count = 0;
    if (r->model->wants_graph &&
        tn_model_add_op(r->model, graph, r->error) == TN_NONE)
        return;
    while (tn_pb_next(&c, &field))
        read_op_field(r, &c, &field, &op, &attrs);
    if (!tn_failed(r->error))
        finish_op(r, &op, tn_pb_body_span(message));
    if (tn_failed(r->error))
        tn_error_where(r->error, "ops[%" PRIu32 "]", ordinal);
}

/* ---- blocks ------------------------------------------------------------- */

/* They are counted first: a growing list would be written twice. */
static void make_room_for_vars(struct reader *r)
{
    struct tn_error quiet = TN_ERROR_INIT;

    for (uint32_t i = 0; i < r->model->graphs.count; i++) {
        struct tn_cursor c =
            tn_cursor_span(tn_model_graph_at(r->model, i)->wire, &quiet);
        struct tn_pb_field field;
        while (tn_pb_next(&c, &field))
            r->var_room += field.number == BLOCK_VARS;
        quiet = (struct tn_error)TN_ERROR_INIT;
    }
    r->vars = tn_new(r->arena, struct tn_paddle_var, r->var_room, r->error);
}

static void read_var(struct reader *r, uint32_t block,
                     struct tn_pb_field *message)
{
    struct tn_cursor c      = message->body;
    bool             is_old = false;

    if (r->var_count == r->var_room) {
        tn_fail(&c, TN_IO, "the program changed while it was read");
        return;
    }
    struct tn_paddle_var *var = &r->vars[r->var_count++];
    var->block                = block;
    var->wire                 = tn_pb_body_span(message);
    tn_paddle_var_read(&c, r->arena, var, &is_old);
    r->detail->is_old |= is_old;
    if (tn_failed(r->error)) {
        tn_error_where(r->error, "vars[%" PRIu64 "]",
                       r->var_count - 1 -
                           *tn_list_at(&r->first_vars, uint64_t, block));
        return;
    }
    if (!tn_paddle_var_is_stored(var))
        return;
    r->stored_count++;
    if (r->model->wants_graph)
        tn_model_define(r->model, value_id(r, block, var->name),
                        TN_VALUE_INITIALIZER, TN_NONE, TN_NONE);
}

static void read_block(struct reader *r, uint32_t index)
{
    struct tn_graph   *graph = tn_model_graph_at(r->model, index);
    struct tn_cursor   c     = tn_cursor_span(graph->wire, r->error);
    uint64_t          *first = tn_list_push(&r->first_vars, uint64_t, r->error);
    uint32_t           ops   = 0;
    struct tn_pb_field field;

    if (!first)
        return;
    *first          = r->var_count;
    graph->first_op = (uint32_t)r->model->ops.count;
    while (tn_pb_next(&c, &field)) {
        if (field.number == BLOCK_VARS && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_var(r, index, &field);
        else if (field.number == BLOCK_OPS &&
                 tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_op(r, index, ops++, &field);
        else if (field.number == BLOCK_PARENT &&
                 tn_pb_expect(&c, &field, TN_WIRE_VARINT) &&
                 field.value < index && graph->kind != TN_GRAPH_SUBGRAPH)
            graph->parent_graph = (uint32_t)field.value;
    }
    graph->op_count = ops;
    if (graph->parent_graph == TN_NONE)
        return;
    graph->depth = tn_model_graph_at(r->model, graph->parent_graph)->depth + 1;
    if (graph->depth > TN_PADDLE_DEPTH_LIMIT)
        tn_error_set(r->error, TN_LIMIT, graph->wire.offset,
                     "blocks nested deeper than %d", TN_PADDLE_DEPTH_LIMIT);
}

static void add_block(struct reader *r, struct tn_pb_field *field)
{
    uint64_t    index = r->model->graphs.count;
    const char *path =
        tn_text_format(r->arena, r->error, "blocks[%" PRIu64 "]", index);
    uint32_t graph =
        path ? tn_model_add_graph(r->model,
                                  index ? TN_GRAPH_OTHER : TN_GRAPH_MAIN, path,
                                  "ops", r->error)
             : TN_NONE;

    if (graph == TN_NONE)
        return;
    tn_model_graph_at(r->model, graph)->wire         = tn_pb_body_span(field);
    tn_model_graph_at(r->model, graph)->parent_graph = TN_NONE;
    tn_model_graph_at(r->model, graph)->parent_node  = TN_NONE;
}

/* ---- the program -------------------------------------------------------- */

static void read_version(struct reader *r, struct tn_pb_field *message)
{
    struct tn_cursor   c = message->body;
    struct tn_pb_field field;

    r->detail->has_version = true;
    while (tn_pb_next(&c, &field))
        if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            r->detail->version = (int64_t)field.value;
}

static void read_maps(struct reader *r, struct tn_pb_field *message)
{
    struct tn_cursor   c = message->body;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (message->number == PROGRAM_OP_VERSIONS)
            r->op_version_count += field.number == 1;
        else if (field.number == 2 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            r->compatible = tn_pb_text(&field);
    }
}

static void read_root(struct reader *r)
{
    struct tn_cursor   c = tn_cursor_span(r->model->wire, r->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number > PROGRAM_OP_VERSIONS ||
            !tn_pb_expect(&c, &field, TN_WIRE_LEN))
            continue;
        if (field.number == PROGRAM_BLOCKS)
            add_block(r, &field);
        else if (field.number == PROGRAM_VERSION ||
                 field.number == PROGRAM_OLD_VERSION)
            read_version(r, &field);
        else
            read_maps(r, &field);
    }
    if (!tn_failed(r->error) && r->model->graphs.count == 0)
        tn_error_set(r->error, TN_MALFORMED, 0, "the program has no block");
}

static void read_blocks(struct reader *r)
{
    make_room_for_vars(r);
    for (uint32_t i = 0; i < r->model->graphs.count && r->vars; i++) {
        read_block(r, i);
        if (tn_failed(r->error)) {
            tn_error_where(r->error, "blocks[%" PRIu32 "]", i);
            return;
        }
    }
    uint64_t *end = tn_list_push(&r->first_vars, uint64_t, r->error);
    if (end)
        *end = r->var_count;
}

/* ---- what is stored, and in which order --------------------------------- */

/* If a name is in two blocks, that of the outer block comes first. */
static bool is_before(const void *left, const void *right)
{
    const struct tn_paddle_var *a = left, *b = right;
    int                         order = tn_bytes_compare(a->name, b->name);

    return order ? order < 0 : a < b;
}

static void sort_stored(struct reader *r)
{
    struct tn_paddle_detail *detail = r->detail;
    uint64_t                 count  = 0;

    detail->stored = tn_new(r->arena, const struct tn_paddle_var *,
                            r->stored_count, r->error);
    if (tn_failed(r->error))
        return;
    for (uint64_t i = 0; i < detail->var_count; i++)
        if (tn_paddle_var_is_stored(&detail->vars[i]))
            detail->stored[count++] = &detail->vars[i];
    tn_sort((const void **)detail->stored, count, is_before);
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_paddle_var *var = detail->stored[i];
        if (detail->stored_count == 0 ||
            !tn_bytes_equal(var->name,
                            detail->stored[detail->stored_count - 1]->name))
            detail->stored[detail->stored_count++] = var;
    }
}

static void sort_names(struct reader *r)
{
    uint64_t count = r->detail->var_count;

    r->detail->named =
        tn_new(r->arena, const struct tn_paddle_var *, count, r->error);
    if (!r->detail->named)
        return;
    for (uint64_t i = 0; i < count; i++)
        r->detail->named[i] = &r->detail->vars[i];
    tn_sort((const void **)r->detail->named, count, is_before);
}

/* Where the variables of that name begin that are in `block` or after it. */
static uint64_t first_named(const struct tn_paddle_detail *detail,
                            struct tn_bytes name, uint32_t block)
{
    uint64_t at;
    int      order;

    TN_BISECT(at, 0, detail->var_count,
              (order = tn_bytes_compare(detail->named[at]->name, name)) < 0 ||
                  (order == 0 && detail->named[at]->block < block));
    return at;
}

/* The variable of that name in a block, or NULL. */
static const struct tn_paddle_var *find_var(
    const struct tn_paddle_detail *detail, struct tn_bytes name, uint32_t block)
{
    uint64_t at = first_named(detail, name, block);

    return at < detail->var_count && detail->named[at]->block == block &&
                   tn_bytes_equal(detail->named[at]->name, name)
               ? detail->named[at]
               : NULL;
}

bool tn_paddle_declared(const struct tn_model *model, uint32_t graph,
                        struct tn_bytes name, struct tn_declared *to)
{
    const struct tn_paddle_detail *detail = model->detail;
    const struct tn_paddle_var    *var    = NULL;

    /* Blocks of an edited model differ from those of its file. */
    if (detail && detail->named && !model->is_edited)
        var = find_var(detail, name, graph);
    if (!var)
        return false;
    *to = (struct tn_declared){
        .dtype    = var->has_desc ? tn_lod_dtype(var->data_type) : TN_UNDEFINED,
        .number   = var->data_type,
        .rank     = var->rank,
        .dims     = var->dims,
        .has_type = var->has_desc,
        .is_list  = var->type == TN_PADDLE_TENSOR_ARRAY,
        .levels   = var->lod_level > 0 ? (uint32_t)var->lod_level : 0,
    };
    return true;
}

/* ---- inputs and outputs ------------------------------------------------- */

static struct tn_io make_io(struct reader *r, struct tn_bytes name,
                            const struct tn_paddle_var *var)
{
    struct tn_io io = { .name = name, .note = "" };

    if (!var || !var->has_desc)
        return io;
    struct tn_dim *dims = tn_new(r->arena, struct tn_dim, var->rank, r->error);
    for (uint32_t i = 0; dims && i < var->rank; i++)
        dims[i].value = var->dims[i];
    io.dtype    = tn_lod_dtype(var->data_type);
    io.has_rank = true;
    io.rank     = dims ? var->rank : 0;
    io.dims     = dims;
    if (var->lod_level > 0)
        io.note = "ragged";
    return io;
}

/* A result without dims is a scalar, or its shape was not inferred: a
 * conversion finds out which. */
static struct tn_io make_result(struct reader *r, struct tn_bytes name,
                                const struct tn_paddle_var *var)
{
    struct tn_io io = make_io(r, name, var);

    io.has_rank = io.rank > 0;
    return io;
}

static bool is_left_of(const void *left, const void *right)
{
    const struct port *a = left, *b = right;

    return a->col != b->col ? a->col < b->col : a < b;
}

/* Feed operators stand in front of each other: the last input comes first. */
static struct tn_io_list make_io_list(struct reader        *r,
                                      const struct tn_list *ports,
                                      bool                  is_output)
{
    uint64_t            count = ports->count;
    const struct port **order =
        tn_new(r->arena, const struct port *, count, r->error);
    struct tn_io *io_list = tn_new(r->arena, struct tn_io, count, r->error);

    if (tn_failed(r->error) || count == 0)
        return (struct tn_io_list){ 0, NULL };
    for (uint64_t i = 0; i < count; i++)
        order[i] = tn_list_at(ports, struct port, i);
    tn_sort((const void **)order, count, is_left_of);
    for (uint64_t i = 0; i < count; i++)
        io_list[i] = (is_output ? make_result : make_io)(
            r, order[i]->name, find_var(r->detail, order[i]->name, 0));
    return (struct tn_io_list){ (uint32_t)count, io_list };
}

static struct tn_io_list make_declared(struct reader *r)
{
    uint64_t      end = r->detail->first_vars[1], count = 0;
    struct tn_io *io_list;

    for (uint64_t i = 0; i < end; i++)
        count += r->detail->vars[i].needs_feed;
    io_list = tn_new(r->arena, struct tn_io, count, r->error);
    count   = 0;
    for (uint64_t i = 0; io_list && i < end; i++) {
        const struct tn_paddle_var *var = &r->detail->vars[i];
        if (var->needs_feed)
            io_list[count++] = make_io(r, var->name, var);
    }
    return (struct tn_io_list){ (uint32_t)count, io_list };
}

/* Variables that are fed from outside and that no feed operator makes. */
static void define_declared(struct reader *r, struct tn_io_list io_list)
{
    for (uint32_t i = 0; i < io_list.count && r->model->wants_graph; i++)
        tn_model_define(r->model, value_id(r, 0, io_list.items[i].name),
                        TN_VALUE_INPUT, TN_NONE, i);
}

static struct tn_io_list pickled_io_list(struct reader *r, const char *key,
                                         const struct tn_pickle *dict,
                                         bool                    is_output)
{
    const struct tn_pickle *list  = tn_pickle_find(dict, key);
    bool                    is_ok = list && list->kind == TN_PICKLE_LIST;
    uint64_t                count = is_ok ? list->as.list.count : 0;
    struct tn_io *io_list = tn_new(r->arena, struct tn_io, count, r->error);

    for (uint64_t i = 0; io_list && i < count; i++) {
        struct tn_bytes name = tn_pickle_text(list->as.list.items[i]);
        io_list[i]           = (is_output ? make_result : make_io)(
            r, name, find_var(r->detail, name, 0));
    }
    return (struct tn_io_list){ io_list ? (uint32_t)count : 0, io_list };
}

void tn_paddle_pickled_io(struct tn_model *model, const struct tn_pickle *dict,
                          struct tn_error *error)
{
    struct tn_graph *graph = tn_model_graph_at(model, 0);
    struct reader    r     = {
               .model  = model,
               .arena  = &model->arena,
               .error  = error,
               .detail = (struct tn_paddle_detail *)(uintptr_t)model->detail,
    };

    r.detail->has_pickled_io = true;
    graph->inputs  = pickled_io_list(&r, "feed_var_names", dict, false);
    graph->outputs = pickled_io_list(&r, "fetch_var_names", dict, true);
    define_declared(&r, graph->inputs);
}

static void add_io(struct reader *r)
{
    struct tn_graph *graph = tn_model_graph_at(r->model, 0);

    graph->outputs = make_io_list(r, &r->fetches, true);
    if (r->feeds.count) {
        graph->inputs = make_io_list(r, &r->feeds, false);
    } else {
        graph->inputs = make_declared(r);
        define_declared(r, graph->inputs);
    }
}

/* ---- facts -------------------------------------------------------------- */

static void add_facts(struct reader *r)
{
    int64_t version = r->detail->version;

    if (r->detail->has_version)
        tn_model_add_fact_format(
            r->model, r->error, "version", "%" PRId64 ".%" PRId64 ".%" PRId64,
            version / 1000000, version / 1000 % 1000, version % 1000);
    if (r->compatible.size)
        tn_model_add_fact(r->model, "required_version", r->compatible,
                          r->error);
    if (r->op_version_count)
        tn_model_add_fact_format(r->model, r->error, "op_versions", "%" PRIu64,
                                 r->op_version_count);
    tn_model_add_fact_format(r->model, r->error, "blocks", "%" PRIu64,
                             r->model->graphs.count);
    tn_model_add_fact_format(r->model, r->error, "variables", "%" PRIu64,
                             r->detail->var_count);
    if (r->detail->callstack_size)
        tn_model_add_fact_format(
            r->model, r->error, "op_callstack",
            "%" PRIu64 " bytes of source paths, %" PRIu64 " %% of the program",
            r->detail->callstack_size,
            r->detail->callstack_size * 100 / r->model->wire.length);
}

/* ---- from the top ------------------------------------------------------- */

static void reader_init(struct reader *r, struct tn_model *model,
                        struct tn_error *error)
{
    *r = (struct reader){ .model = model,
                          .arena = &model->arena,
                          .error = error };
    tn_list_init(&r->first_vars, model->memory, sizeof(uint64_t));
    tn_list_init(&r->feeds, model->memory, sizeof(struct port));
    tn_list_init(&r->fetches, model->memory, sizeof(struct port));
    tn_list_init(&r->produced, model->memory, sizeof(uint32_t));
    r->detail = tn_new(r->arena, struct tn_paddle_detail, 1, error);
    r->source = tn_model_source_id(model, model->wire.source, error);
}

static void reader_done(struct reader *r)
{
    tn_list_done(&r->first_vars);
    tn_list_done(&r->feeds);
    tn_list_done(&r->fetches);
    tn_list_done(&r->produced);
}

/* The bytes of each block, by which an edited model knows its graphs again. */
static void keep_blocks(struct reader *r)
{
    uint64_t        count = r->model->graphs.count;
    struct tn_span *spans = tn_new(r->arena, struct tn_span, count, r->error);

    for (uint32_t i = 0; spans && i < count; i++)
        spans[i] = tn_model_graph_at(r->model, i)->wire;
    r->detail->blocks      = spans;
    r->detail->block_count = (uint32_t)count;
}

static void reader_finish(struct reader *r)
{
    r->detail->vars      = r->vars;
    r->detail->var_count = r->var_count;
    r->detail->first_vars =
        tn_list_keep(&r->first_vars, uint64_t, r->arena, r->error);
    r->detail->has_data = tn_new(r->arena, bool, r->var_count, r->error);
    r->model->detail    = r->detail;
    keep_blocks(r);
    if (!tn_failed(r->error))
        sort_stored(r);
    if (!tn_failed(r->error))
        sort_names(r);
    if (!tn_failed(r->error))
        add_io(r);
    if (!tn_failed(r->error))
        add_facts(r);
}

enum tn_status tn_paddle_program_read(struct tn_model *model,
                                      struct tn_span   wire,
                                      struct tn_error *error)
{
    struct reader r;

    model->dialect = &tn_dialect_paddle;
    model->wire    = wire;
    reader_init(&r, model, error);
    if (!tn_failed(error))
        read_root(&r);
    if (!tn_failed(error))
        read_blocks(&r);
    if (!tn_failed(error))
        reader_finish(&r);
    reader_done(&r);
    return error->status;
}
