/*
 * paddle_write.c - a program and its parameters back into files
 *
 *   NAME.pdmodel, NAME.pdmodel.txt   and NAME.pdiparams beside it
 *   __model__                        and a file for each variable
 *   model                            and params
 *   any of them with --external F    and F, which holds them all
 *
 * A program that was not edited is copied byte for byte.  The parameters are
 * written first: the file that people open comes last.
 */
#include "base/arith.h"
#include "base/bisect.h"
#include "ir/changes.h"
#include "format/paddle/paddle.h"
#include "format/paddle/paddle_files.h"
#include "io/spool.h"
#include "ir/attr.h"
#include "ir/op_slots.h"
#include "ir/vocab.h"
#include "wire/pb/pb_text_write.h"
#include "wire/pb/pb_write.h"

/* ---- a program that an edit has touched, out of its tables -------------- */

/*
 * What an edit did not touch is spliced from the wire: whole blocks, variables,
 * operators, single attributes.  An operator that it touched keeps the slots
 * that it has on the wire, and its arguments fill them in order; one that an
 * edit made has its inputs in `X` and its outputs in `Out`.
 *
 * Variables follow their uses: the variable of a removed tensor is removed, and
 * so is one that only removed operators used.  A tensor or a value that is new
 * gets a variable.
 *
 * When an operator goes, its block goes with it, and the blocks after it get
 * other numbers: then every attribute that names a block is written anew.
 */

#define GONE UINT32_MAX

struct encoder {
    const struct tn_model         *model;
    const struct tn_paddle_detail *detail; /* NULL: there was no program      */
    struct tn_arena               *arena;
    struct tn_error               *error;
    uint32_t                      *blocks; /* by old number: the new, or GONE */
    bool                           is_renumbered;
    struct tn_pairs  rows;     /* (graph, name) -> tensor                     */
    struct tn_pairs  used;     /* (0, name): an operator uses it              */
    struct tn_pairs  kept;     /* halves of an offset: that operator stays    */
    struct tn_intern released; /* names that operators used which are gone    */
    struct tn_vocab  vocab;    /* opened for the first op that is new         */
    bool             has_vocab;
};

/* ---- blocks that stay --------------------------------------------------- */

static uint32_t old_number(const struct encoder *e, struct tn_span wire)
{
    for (uint32_t i = 0; e->detail && i < e->detail->block_count; i++)
        if (e->detail->blocks[i].source == wire.source &&
            e->detail->blocks[i].offset == wire.offset)
            return i;
    return GONE;
}

static void number_blocks(struct encoder *e)
{
    uint32_t count = e->detail ? e->detail->block_count : 0;

    e->blocks = tn_new(e->arena, uint32_t, count, e->error);
    for (uint32_t i = 0; e->blocks && i < count; i++)
        e->blocks[i] = GONE;
    for (uint32_t i = 0; e->blocks && i < e->model->graphs.count; i++) {
        uint32_t old = old_number(e, tn_model_graph_at(e->model, i)->wire);
        if (old != GONE)
            e->blocks[old] = i;
    }
    for (uint32_t i = 0; e->blocks && i < count; i++)
        e->is_renumbered |= e->blocks[i] != i;
}

/* A number of the old program as one of the new; those below zero stay. */
static uint64_t new_number(struct encoder *e, uint64_t old)
{
    if (!e->is_renumbered || (int64_t)old < 0)
        return old;
    if (old >= e->detail->block_count || e->blocks[old] == GONE) {
        tn_error_set(e->error, TN_INVALID, TN_NOWHERE,
                     "an attribute names block %" PRIu64 ", which is gone",
                     old);
        return 0;
    }
    return e->blocks[old];
}

/* ---- what is used ------------------------------------------------------- */

static void list_tensors(struct encoder *e)
{
    for (uint64_t i = 0; i < e->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&e->model->tensors, struct tn_tensor, i);
        if (row->node == TN_NONE && row->graph != TN_NONE)
            tn_pairs_add(&e->rows, row->graph, row->name, (uint32_t)i,
                         e->error);
    }
}

static void list_refs(struct encoder *e, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = tn_model_ref_at(e->model, (uint64_t)first + i);
        if (value != TN_NONE)
            tn_pairs_add(&e->used, 0, tn_model_value_at(e->model, value)->name,
                         0, e->error);
    }
}

static void list_ops(struct encoder *e)
{
    for (uint32_t i = 0; i < e->model->ops.count; i++) {
        const struct tn_op *op = tn_model_op_at(e->model, i);
        list_refs(e, op->first_input, op->input_count);
        list_refs(e, op->first_output, op->output_count);
        if (op->wire_length)
            tn_pairs_add(&e->kept, (uint32_t)(op->wire_offset >> 32),
                         (uint32_t)op->wire_offset, 0, e->error);
    }
}

static void release_slot(struct encoder *e, struct tn_cursor c)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == SLOT_ARGUMENTS && field.type == TN_WIRE_LEN)
            tn_intern_borrow(&e->released, tn_pb_text(&field), e->error);
}

/* Names that an operator uses which is no longer there. */
static void release_op(struct encoder *e, const struct tn_pb_field *message)
{
    struct tn_span     wire = tn_pb_body_span(message);
    struct tn_cursor   c    = message->body;
    struct tn_pb_field field;

    if (tn_pairs_find(&e->kept, (uint32_t)(wire.offset >> 32),
                      (uint32_t)wire.offset) != UINT32_MAX)
        return;
    while (tn_pb_next(&c, &field))
        if ((field.number == OP_INPUTS || field.number == OP_OUTPUTS) &&
            field.type == TN_WIRE_LEN)
            release_slot(e, field.body);
}

static void list_released(struct encoder *e)
{
    struct tn_pb_field field;

    for (uint32_t i = 0; e->detail && i < e->detail->block_count; i++) {
        struct tn_cursor c = tn_cursor_span(e->detail->blocks[i], e->error);
        while (tn_pb_next(&c, &field))
            if (field.number == BLOCK_OPS && field.type == TN_WIRE_LEN)
                release_op(e, &field);
    }
}

/* ---- variables ---------------------------------------------------------- */

enum {
    VARTYPE_TYPE = 1,
    VARTYPE_LOD  = 3,
    LOD_TENSOR   = 1,
    LOD_LEVEL    = 2,
    DESC_TYPE    = 1,
    DESC_DIMS    = 2
};

static void put_desc(struct encoder *e, struct tn_rope *to,
                     const struct tn_shape *shape)
{
    struct tn_rope desc;
    int            type = tn_lod_type(shape->dtype);

    if (type < 0) {
        tn_error_set(e->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "PaddlePaddle has no elements of type %s",
                     tn_dtype_name(shape->dtype));
        return;
    }
    tn_rope_init(&desc, e->arena, e->error);
    tn_pb_put_varint(&desc, DESC_TYPE, (uint64_t)type);
    for (uint32_t i = 0; i < shape->rank; i++)
        tn_pb_put_varint(&desc, DESC_DIMS, shape->dims[i]);
    tn_pb_put_message(to, LOD_TENSOR, &desc);
}

static void put_var_type(struct encoder *e, struct tn_rope *to,
                         const struct tn_shape *shape, int32_t level)
{
    struct tn_rope type, lod;

    tn_rope_init(&type, e->arena, e->error);
    tn_rope_init(&lod, e->arena, e->error);
    put_desc(e, &lod, shape);
    tn_pb_put_varint(&lod, LOD_LEVEL, (uint64_t)(int64_t)level);
    tn_pb_put_varint(&type, VARTYPE_TYPE, TN_PADDLE_LOD_TENSOR);
    tn_pb_put_message(&type, VARTYPE_LOD, &lod);
    tn_pb_put_message(to, VAR_TYPE, &type);
    tn_rope_done(&lod);
    tn_rope_done(&type);
}

static void put_new_var(struct encoder *e, struct tn_rope *to,
                        struct tn_bytes name, const struct tn_shape *shape,
                        bool is_stored)
{
    struct tn_rope var;

    tn_rope_init(&var, e->arena, e->error);
    tn_pb_put_bytes(&var, VAR_NAME, name);
    put_var_type(e, &var, shape, 0);
    if (is_stored)
        tn_pb_put_varint(&var, VAR_PERSISTABLE, 1);
    tn_pb_put_message(to, BLOCK_VARS, &var);
}

static bool has_shape(const struct tn_paddle_var *var,
                      const struct tn_shape      *shape)
{
    if (!var->has_desc || var->rank != shape->rank ||
        tn_lod_dtype(var->data_type) != shape->dtype)
        return false;
    for (uint32_t i = 0; i < var->rank; i++)
        if (var->dims[i] < 0 || (uint64_t)var->dims[i] != shape->dims[i])
            return false;
    return true;
}

/* The declaration of a value by an edit; NULL: none. */
static const struct tn_io *said_of(const struct encoder *e, uint32_t graph,
                                   struct tn_bytes name)
{
    const struct tn_graph  *g       = tn_model_graph_at(e->model, graph);
    const struct tn_io_list lists[] = { g->values, g->inputs, g->outputs };

    for (unsigned k = 0; k < (g->has_other_io ? 3 : 1); k++)
        for (uint32_t i = 0; i < lists[k].count; i++)
            if (tn_bytes_equal(lists[k].items[i].name, name))
                return &lists[k].items[i];
    return NULL;
}

/* The new shape, by an edit, of a value that the program declares; NULL:
 * unchanged. */
static const struct tn_io *other_shape(const struct encoder *e, uint32_t graph,
                                       const struct tn_paddle_var *var,
                                       struct tn_bytes             name)
{
    const struct tn_io *io = said_of(e, graph, name);

    if (!io || !io->has_rank || !var->has_desc)
        return NULL;
    bool is_same = io->rank == var->rank;
    for (uint32_t i = 0; is_same && i < io->rank; i++)
        is_same =
            var->dims[i] == (io->dims[i].value < 0 ? -1 : io->dims[i].value);
    return is_same ? NULL : io;
}

/* The new name, by an edit, of a variable of the old program. */
static struct tn_bytes name_now(const struct encoder *e, uint32_t graph,
                                struct tn_bytes name)
{
    return tn_changes_name(e->model->changes, graph, name);
}

static void put_old_var(struct encoder *e, struct tn_rope *to,
                        const struct tn_paddle_var *var, struct tn_bytes name)
{
    struct tn_cursor   c = tn_cursor_span(var->wire, e->error);
    struct tn_pb_field field;
    struct tn_rope     body;

    if (tn_bytes_equal(var->name, name)) {
        tn_pb_put_span(to, BLOCK_VARS, var->wire);
        return;
    }
    tn_rope_init(&body, e->arena, e->error);
    while (tn_pb_next(&c, &field))
        if (field.number == VAR_NAME)
            tn_pb_put_bytes(&body, VAR_NAME, name);
        else
            tn_rope_span(&body, tn_pb_field_span(&c, &field));
    tn_pb_put_message(to, BLOCK_VARS, &body);
}

/* The same variable with another type: the rest of it stays. */
static void put_changed_var(struct encoder *e, struct tn_rope *to,
                            const struct tn_paddle_var *var,
                            struct tn_bytes name, const struct tn_shape *shape)
{
    struct tn_cursor   c = tn_cursor_span(var->wire, e->error);
    struct tn_pb_field field;
    struct tn_rope     body;

    if (e->detail->is_old) {
        tn_error_set(e->error, TN_UNSUPPORTED, var->wire.offset,
                     "variable '%.*s' of a program of before 0.12 cannot get "
                     "another shape",
                     TN_FMT(var->name));
        return;
    }
    tn_rope_init(&body, e->arena, e->error);
    while (tn_pb_next(&c, &field)) {
        if (field.number == VAR_TYPE)
            put_var_type(e, &body, shape, var->lod_level);
        else if (field.number == VAR_NAME)
            tn_pb_put_bytes(&body, VAR_NAME, name);
        else
            tn_rope_span(&body, tn_pb_field_span(&c, &field));
    }
    tn_pb_put_message(to, BLOCK_VARS, &body);
}

/* A value with another shape: -1 is open, which a program writes as it is. */
static void put_open_var(struct encoder *e, struct tn_rope *to,
                         const struct tn_paddle_var *var, struct tn_bytes name,
                         const struct tn_io *io)
{
    uint64_t       *dims  = tn_new(e->arena, uint64_t, io->rank, e->error);
    struct tn_shape shape = { tn_lod_dtype(var->data_type), io->rank, dims };

    for (uint32_t i = 0; dims && i < io->rank; i++)
        dims[i] =
            io->dims[i].value < 0 ? UINT64_MAX : (uint64_t)io->dims[i].value;
    if (dims)
        put_changed_var(e, to, var, name, &shape);
}

static bool is_dropped(const struct encoder *e, const struct tn_paddle_var *var,
                       uint32_t name)
{
    if (e->detail->has_data[var - e->detail->vars])
        return true; /* its tensor is gone */
    return tn_intern_find(&e->released, var->name) != TN_NO_NAME &&
           (name == TN_NO_NAME ||
            tn_pairs_find(&e->used, 0, name) == UINT32_MAX);
}

static void put_var(struct encoder *e, struct tn_rope *to, uint32_t graph,
                    const struct tn_paddle_var *var)
{
    struct tn_bytes now  = name_now(e, graph, var->name);
    uint32_t        name = tn_intern_find(&e->model->names, now);
    uint32_t        row =
        name == TN_NO_NAME ? UINT32_MAX : tn_pairs_find(&e->rows, graph, name);

    if (row == UINT32_MAX) {
        const struct tn_io *io = other_shape(e, graph, var, now);
        if (is_dropped(e, var, name))
            return;
        if (io)
            put_open_var(e, to, var, now, io);
        else
            put_old_var(e, to, var, now);
        return;
    }
    const struct tn_tensor *tensor =
        tn_list_at(&e->model->tensors, struct tn_tensor, row);
    if (tensor->wire.source || has_shape(var, &tensor->elements.shape))
        put_old_var(e, to, var, now);
    else
        put_changed_var(e, to, var, now, &tensor->elements.shape);
}

/* ---- variables that are new --------------------------------------------- */

/* Names that the block or one around it declares. */
static void list_declared(struct encoder *e, uint32_t old,
                          struct tn_intern *names)
{
    for (uint32_t depth = 0; old != GONE && depth < e->detail->block_count;
         depth++) {
        struct tn_cursor   c = tn_cursor_span(e->detail->blocks[old], e->error);
        struct tn_pb_field field;
        for (uint64_t i = e->detail->first_vars[old];
             i < e->detail->first_vars[old + 1]; i++)
            tn_intern_borrow(
                names, name_now(e, e->blocks[old], e->detail->vars[i].name),
                e->error);
        uint32_t parent = GONE;
        while (tn_pb_next(&c, &field))
            if (field.number == BLOCK_PARENT && field.value < old)
                parent = (uint32_t)field.value;
        old = parent;
    }
}

/* The type that the edit gives a value that is new, else float32. */
static struct tn_shape new_type(struct encoder *e, uint32_t graph,
                                struct tn_bytes name)
{
    const struct tn_io *io   = said_of(e, graph, name);
    uint32_t            rank = io && io->has_rank ? io->rank : 0;
    uint64_t           *dims = tn_new(e->arena, uint64_t, rank, e->error);

    for (uint32_t i = 0; dims && i < rank; i++)
        dims[i] =
            io->dims[i].value < 0 ? UINT64_MAX : (uint64_t)io->dims[i].value;
    return (struct tn_shape){ io && tn_lod_type(io->dtype) >= 0 ? io->dtype
                                                                : TN_FLOAT32,
                              dims ? rank : 0, dims };
}

static void put_new_values(struct encoder *e, struct tn_rope *to,
                           const struct tn_op *op, struct tn_intern *declared)
{
    for (uint32_t i = 0; i < op->output_count; i++) {
        uint32_t value =
            tn_model_ref_at(e->model, (uint64_t)op->first_output + i);
        struct tn_bytes name = tn_model_value_name(e->model, value);
        if (value == TN_NONE || tn_intern_find(declared, name) != TN_NO_NAME)
            continue;
        tn_intern_borrow(declared, name, e->error);
        struct tn_shape type = new_type(e, op->graph, name);
        put_new_var(e, to, name, &type, false);
    }
}

static void put_new_vars(struct encoder *e, struct tn_rope *to, uint32_t index,
                         uint32_t old)
{
    const struct tn_graph *graph = tn_model_graph_at(e->model, index);
    struct tn_intern       declared;

    tn_intern_init(&declared, e->arena);
    list_declared(e, old, &declared);
    for (uint64_t i = 0; i < e->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&e->model->tensors, struct tn_tensor, i);
        struct tn_bytes name = tn_tensor_name(row);
        if (row->graph != index || row->node != TN_NONE ||
            tn_intern_find(&declared, name) != TN_NO_NAME)
            continue;
        tn_intern_borrow(&declared, name, e->error);
        put_new_var(e, to, name, &row->elements.shape, true);
    }
    for (uint64_t i = 0; i < graph->op_count && !tn_failed(e->error); i++)
        put_new_values(e, to,
                       tn_model_op_at(e->model, graph->first_op + (uint32_t)i),
                       &declared);
    tn_intern_done(&declared);
}

/* ---- operators ---------------------------------------------------------- */

/* Values of an op that are yet to be put into slots. */
struct refs {
    uint32_t next, end; /* in model->refs                                     */
};

static void put_ref(struct encoder *e, struct tn_rope *slot, struct refs *refs,
                    struct tn_bytes old)
{
    uint32_t value = tn_model_ref_at(e->model, refs->next++);

    /* "@EMPTY@" and "" are not values: they stay what they were. */
    tn_pb_put_bytes(slot, SLOT_ARGUMENTS,
                    value != TN_NONE ? tn_model_value_name(e->model, value)
                    : old.data       ? old
                                     : tn_text("@EMPTY@"));
}

static bool is_last_slot(struct tn_cursor rest, uint32_t number)
{
    struct tn_pb_field field;

    while (tn_pb_next(&rest, &field))
        if (field.number == number)
            return false;
    return true;
}

/* A slot of the wire with the arguments of today; the last one takes all that
 * are left. */
static void put_slot(struct encoder *e, struct tn_rope *to,
                     struct tn_pb_field *message, struct refs *refs,
                     bool takes_all)
{
    struct tn_cursor   c = message->body;
    struct tn_pb_field field;
    struct tn_rope     slot;

    tn_rope_init(&slot, e->arena, e->error);
    while (tn_pb_next(&c, &field)) {
        if (field.number != SLOT_ARGUMENTS || field.type != TN_WIRE_LEN)
            tn_rope_span(&slot, tn_pb_field_span(&c, &field));
        else if (refs->next < refs->end)
            put_ref(e, &slot, refs, tn_pb_text(&field));
    }
    while (takes_all && refs->next < refs->end)
        put_ref(e, &slot, refs, tn_bytes(NULL, 0));
    tn_pb_put_message(to, message->number, &slot);
}

static void put_new_slot(struct encoder *e, struct tn_rope *to, uint32_t number,
                         struct refs *refs, struct tn_bytes name,
                         uint32_t count)
{
    struct tn_rope slot;

    tn_rope_init(&slot, e->arena, e->error);
    tn_pb_put_bytes(&slot, SLOT_PARAMETER, name);
    while (count-- > 0 && refs->next < refs->end)
        put_ref(e, &slot, refs, tn_bytes(NULL, 0));
    tn_pb_put_message(to, number, &slot);
}

/* NULL: nothing is known of the operator. */
static const struct tn_vocab_op *kind_of(struct encoder     *e,
                                         const struct tn_op *op)
{
    struct tn_error none = TN_ERROR_INIT;

    if (!e->has_vocab)
        e->has_vocab =
            tn_vocab_open(&e->vocab, e->arena, "paddle", &none) == TN_OK;
    return e->has_vocab ? tn_vocab_find(&e->vocab, tn_bytes(NULL, 0),
                                        tn_model_name(e->model, op->type),
                                        INT64_MAX, &none)
                        : NULL;
}

static void put_slots(struct encoder *e, struct tn_rope *to, uint32_t number,
                      const struct tn_op *op, struct refs refs)
{
    struct tn_span     wire = tn_model_op_wire(e->model, op);
    struct tn_cursor   c    = tn_cursor_span(wire, e->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == number && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            put_slot(e, to, &field, &refs, is_last_slot(c, number));
    if (refs.next == refs.end)
        return;
    struct tn_new_slots slots = tn_new_slots(
        kind_of(e, op), number == OP_OUTPUTS, refs.end - refs.next);
    struct tn_bytes name;
    uint32_t        count;
    while (tn_new_slots_next(&slots, &name, &count))
        put_new_slot(e, to, number, &refs, name, count);
}

enum { ATTR_BLOCK = 12, ATTR_BLOCKS = 14 };

/* The attribute of the wire, with blocks by their new numbers. */
static void put_attr_wire(struct encoder *e, struct tn_rope *to,
                          struct tn_span wire)
{
    struct tn_cursor   c = tn_cursor_span(wire, e->error);
    struct tn_pb_field field;
    struct tn_rope     attr;
    uint64_t           block;

    if (!e->is_renumbered) {
        tn_pb_put_span(to, OP_ATTRS, wire);
        return;
    }
    tn_rope_init(&attr, e->arena, e->error);
    while (tn_pb_next(&c, &field)) {
        if (field.number != ATTR_BLOCK && field.number != ATTR_BLOCKS) {
            tn_rope_span(&attr, tn_pb_field_span(&c, &field));
            continue;
        }
        uint32_t number = field.number;
        while (tn_pb_number(&c, &field, TN_WIRE_VARINT, &block))
            tn_pb_put_varint(&attr, number, new_number(e, block));
    }
    tn_pb_put_message(to, OP_ATTRS, &attr);
}

static void put_attrs(struct encoder *e, struct tn_rope *to,
                      const struct tn_op *op)
{
    struct tn_cursor c =
        tn_cursor_span(tn_model_op_wire(e->model, op), e->error);
    struct tn_bytes name;
    struct tn_span  wire;

    if (op->first_attr == TN_NONE) {
        while (tn_dialect_paddle.next_attr(&c, &name, &wire))
            put_attr_wire(e, to, wire);
        return;
    }
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const struct tn_attr_slot *slot =
            tn_list_at(&e->model->attrs, struct tn_attr_slot,
                       (uint64_t)op->first_attr + i);
        if (slot->value)
            tn_paddle_put_attr(to, e->arena,
                               tn_model_name(e->model, slot->name), slot->value,
                               e->is_renumbered ? e->blocks : NULL,
                               e->detail ? e->detail->block_count : 0);
        else
            put_attr_wire(e, to, slot->wire);
    }
}

/* Fields after the attributes, and those we do not know. */
static void put_rest(struct encoder *e, struct tn_rope *to, struct tn_span wire)
{
    struct tn_cursor   c = tn_cursor_span(wire, e->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number > OP_ATTRS)
            tn_rope_span(to, tn_pb_field_span(&c, &field));
}

/* ---- blocks ------------------------------------------------------------- */

static void put_ops(struct encoder *e, struct tn_rope *to,
                    const struct tn_graph *graph)
{
    for (uint64_t i = 0; i < graph->op_count && !tn_failed(e->error); i++) {
        const struct tn_op *op =
            tn_model_op_at(e->model, graph->first_op + (uint32_t)i);
        struct tn_span wire = tn_model_op_wire(e->model, op);
        struct tn_rope body;
        if (op->first_attr == TN_NONE && wire.length && !e->is_renumbered) {
            tn_pb_put_span(to, BLOCK_OPS, wire);
            continue;
        }
        tn_rope_init(&body, e->arena, e->error);
        put_slots(e, &body, OP_INPUTS, op,
                  (struct refs){ op->first_input,
                                 op->first_input + op->input_count });
        put_slots(e, &body, OP_OUTPUTS, op,
                  (struct refs){ op->first_output,
                                 op->first_output + op->output_count });
        tn_pb_put_bytes(&body, OP_TYPE, tn_model_name(e->model, op->type));
        put_attrs(e, &body, op);
        put_rest(e, &body, wire);
        tn_pb_put_message(to, BLOCK_OPS, &body);
    }
}

static void put_head(struct encoder *e, struct tn_rope *to, uint32_t index,
                     struct tn_span wire)
{
    struct tn_cursor   c      = tn_cursor_span(wire, e->error);
    uint64_t           parent = UINT64_MAX;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == BLOCK_PARENT && field.type == TN_WIRE_VARINT)
            parent = field.value;
    tn_pb_put_varint(to, BLOCK_IDX, index);
    tn_pb_put_varint(to, BLOCK_PARENT, new_number(e, parent));
}

/* Fields of a block besides its number, variables and operators. */
static void put_tail(struct encoder *e, struct tn_rope *to, struct tn_span wire)
{
    struct tn_cursor   c = tn_cursor_span(wire, e->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number == BLOCK_FORWARD && field.type == TN_WIRE_VARINT)
            tn_pb_put_varint(to, BLOCK_FORWARD, new_number(e, field.value));
        else if (field.number > BLOCK_OPS)
            tn_rope_span(to, tn_pb_field_span(&c, &field));
    }
}

static void put_block(struct encoder *e, struct tn_rope *to, uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(e->model, index);
    uint32_t               old   = old_number(e, graph->wire);
    struct tn_rope         body;

    if (!graph->is_touched && graph->wire.source && !e->is_renumbered) {
        tn_pb_put_span(to, PROGRAM_BLOCKS, graph->wire);
        return;
    }
    if (graph->kind == TN_GRAPH_FUNCTION) {
        tn_error_set(e->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "programs of PaddlePaddle have no functions");
        return;
    }
    tn_rope_init(&body, e->arena, e->error);
    put_head(e, &body, index, graph->wire);
    for (uint64_t i = old == GONE ? 0 : e->detail->first_vars[old];
         old != GONE && i < e->detail->first_vars[old + 1]; i++)
        put_var(e, &body, index, &e->detail->vars[i]);
    put_new_vars(e, &body, index, old);
    put_ops(e, &body, graph);
    put_tail(e, &body, graph->wire);
    tn_pb_put_message(to, PROGRAM_BLOCKS, &body);
}

/* ---- the program -------------------------------------------------------- */

static void put_blocks(struct encoder *e, struct tn_rope *to)
{
    for (uint32_t i = 0; i < e->model->graphs.count && !tn_failed(e->error);
         i++)
        put_block(e, to, i);
}

/* There must be a version; 0 is not that of a release. */
static void put_no_version(struct encoder *e, struct tn_rope *to)
{
    struct tn_rope version;

    tn_rope_init(&version, e->arena, e->error);
    tn_pb_put_varint(&version, 1, 0);
    tn_pb_put_message(to, PROGRAM_VERSION, &version);
}

static void put_program(struct encoder *e, struct tn_rope *to)
{
    struct tn_cursor   c        = tn_cursor_span(e->model->wire, e->error);
    bool               is_begun = false;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number != PROGRAM_BLOCKS)
            tn_rope_span(to, tn_pb_field_span(&c, &field));
        else if (!is_begun)
            put_blocks(e, to);
        is_begun |= field.number == PROGRAM_BLOCKS;
    }
    if (is_begun)
        return;
    put_blocks(e, to);
    put_no_version(e, to);
}

static void encode(struct encoder *e, struct tn_rope *to)
{
    number_blocks(e);
    if (tn_failed(e->error))
        return;
    list_tensors(e);
    list_ops(e);
    list_released(e);
    if (!tn_failed(e->error))
        put_program(e, to);
}

enum tn_status tn_paddle_encode(const struct tn_model *model,
                                struct tn_arena *arena, struct tn_rope *to,
                                struct tn_error *error)
{
    struct encoder e = {
        .model = model, .detail = model->detail, .arena = arena, .error = error
    };

    if (!model->is_edited) {
        tn_rope_span(to, model->wire);
        return error->status;
    }
    tn_pairs_init(&e.rows, model->memory);
    tn_pairs_init(&e.used, model->memory);
    tn_pairs_init(&e.kept, model->memory);
    tn_intern_init(&e.released, arena);
    encode(&e, to);
    tn_intern_done(&e.released);
    tn_pairs_done(&e.kept);
    tn_pairs_done(&e.used);
    tn_pairs_done(&e.rows);
    return error->status;
}

#define PROGRAM_LIMIT INT32_MAX

struct writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_output              *to;
    struct tn_error               *error;
    struct tn_arena                arena;
    const struct tn_tensor       **rows; /* by name                           */
    uint64_t                       count;
    enum tn_lod_layout             layout;
};

/* ---- names -------------------------------------------------------------- */

/* The file for all parameters; NULL: each has its own. */
static const char *combined_name(struct writing *w)
{
    const char *name = tn_output_name(w->to);

    if (w->options->external)
        return w->options->external;
    if (!strcmp(name, "__model__") || !strcmp(name, "__model__.txt"))
        return NULL;
    if (!strcmp(name, "model"))
        return "params";
    return tn_paddle_with_suffix(&w->arena, name, ".pdiparams", w->error);
}

static bool is_dots(struct tn_bytes part)
{
    return tn_bytes_is(part, "") || tn_bytes_is(part, ".") ||
           tn_bytes_is(part, "..");
}

enum tn_status tn_paddle_check_name(struct tn_bytes  name,
                                    struct tn_error *error)
{
    size_t begin = 0;

    if (name.size == 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a variable without a name has no file");
    for (size_t i = 0; i <= name.size; i++) {
        uint8_t byte = i < name.size ? name.data[i] : '/';
        if (byte == '\\' || byte == '\0')
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "a variable's name with a %s in it cannot be "
                                "the name of a file",
                                byte ? "backslash" : "zero byte");
        if (byte != '/')
            continue;
        if (is_dots(tn_bytes(name.data + begin, i - begin)))
            return tn_error_set(
                error, TN_INVALID, TN_NOWHERE,
                "a variable named '%.*s' would be written outside the folder",
                TN_FMT(name));
        begin = i + 1;
    }
    return TN_OK;
}

/* ---- parameters --------------------------------------------------------- */

/* One file holds one layout: the one that its records have already if they
 * come out of one file, else that of today. */
static enum tn_status choose_layout(struct writing *w)
{
    struct tn_lod_record record;

    w->layout = tn_paddle_layout(w->options);
    if (w->layout != TN_LOD_NONE || w->count == 0)
        return TN_OK;
    TN_TRY(tn_paddle_record(w->rows[0], &record, w->error));
    w->layout = record.layout == TN_LOD_SEED ? TN_LOD_SEED : TN_LOD_SHIPPED;
    for (uint64_t i = 0; i < w->count; i++)
        if (w->rows[i]->wire.source != w->rows[0]->wire.source)
            w->layout = TN_LOD_SHIPPED;
    return TN_OK;
}

static enum tn_status refuse_rows(struct writing         *w,
                                  const struct tn_tensor *row)
{
    struct tn_lod_record record;

    TN_TRY(tn_paddle_record(row, &record, w->error));
    if (record.layout != TN_LOD_ROWS)
        return TN_OK;
    tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                 "SelectedRows stand in files of their own: write __model__");
    tn_error_where(w->error, "%.*s", TN_FMT(tn_tensor_name(row)));
    return w->error->status;
}

static enum tn_status write_combined(struct writing *w, const char *name)
{
    struct tn_paddle_records records = { .options = w->options,
                                         .memory  = w->model->memory,
                                         .error   = w->error };

    TN_TRY(choose_layout(w));
    TN_TRY(tn_output_side(w->to, name, &records.sink, w->error));
    records.layout = w->layout;
    for (uint64_t i = 0; i < w->count; i++) {
        TN_TRY(refuse_rows(w, w->rows[i]));
        TN_TRY(tn_paddle_records_put(&records, w->rows[i]));
    }
    return tn_paddle_records_flush(&records);
}

static enum tn_status write_separate(struct writing *w)
{
    w->layout = tn_paddle_layout(w->options);
    for (uint64_t i = 0; i < w->count; i++) {
        struct tn_paddle_records records = { .options = w->options,
                                             .memory  = w->model->memory,
                                             .error   = w->error,
                                             .layout  = w->layout };
        struct tn_bytes          name    = tn_tensor_name(w->rows[i]);
        TN_TRY(tn_paddle_check_name(name, w->error));
        if (tn_bytes_is(name, tn_output_name(w->to)))
            return tn_error_set(
                w->error, TN_INVALID, TN_NOWHERE,
                "a variable has the same name as the program, '%.*s'",
                TN_FMT(name));
        struct tn_bytes path = tn_bytes_dup(&w->arena, name, w->error);
        if (!path.data)
            return w->error->status;
        TN_TRY(tn_output_side(w->to, (const char *)path.data, &records.sink,
                              w->error));
        TN_TRY(tn_paddle_records_put(&records, w->rows[i]));
        TN_TRY(tn_paddle_records_flush(&records));
    }
    return TN_OK;
}

void tn_paddle_lose_io(const struct tn_model         *model,
                       const struct tn_write_options *options)
{
    const struct tn_paddle_detail *detail = model->detail;

    if (detail && detail->has_pickled_io)
        tn_lose(options, TN_NOWHERE, "",
                "the inputs and outputs are left behind: a pickle beside "
                "the program names them");
}

/* The files that only inform: where there is a place for them, as they are. */
static enum tn_status write_side(struct writing *w, struct tn_span span,
                                 const char *name)
{
    struct tn_sink *sink;

    if (!name || tn_failed(w->error))
        return w->error->status;
    TN_TRY(tn_output_side(w->to, name, &sink, w->error));
    return span.length ? tn_sink_splice(sink, span, w->error) : TN_OK;
}

static enum tn_status write_sides(struct writing *w, const char *params)
{
    const struct tn_paddle_detail *detail = w->model->detail;

    if (!detail)
        return TN_OK;
    if (detail->info.source && params)
        TN_TRY(
            write_side(w, detail->info,
                       tn_text_format(&w->arena, w->error, "%s.info", params)));
    if (detail->meta.source && params)
        TN_TRY(
            write_side(w, detail->meta,
                       tn_paddle_with_suffix(&w->arena, tn_output_name(w->to),
                                             ".meta", w->error)));
    if ((detail->info.source || detail->meta.source) && !params)
        tn_lose(w->options, TN_NOWHERE, "",
                "what .info and .meta say is left behind: there is no "
                "place for it beside separate files");
    return w->error->status;
}

/* Rows are in the order of their names. */
static bool has_row(const struct writing *w, struct tn_bytes name)
{
    uint64_t at;

    TN_BISECT(at, 0, w->count,
              tn_bytes_compare(tn_tensor_name(w->rows[at]), name) < 0);
    return at < w->count && tn_bytes_equal(tn_tensor_name(w->rows[at]), name);
}

static void lose_missing(struct writing *w, const struct tn_paddle_detail *d)
{
    struct tn_bytes first   = tn_bytes(NULL, 0);
    uint64_t        missing = 0;
    char            what[200];

    for (uint64_t i = 0; i < d->stored_count; i++)
        if (!d->has_data[d->stored[i] - d->vars] &&
            !has_row(w, d->stored[i]->name) && missing++ == 0)
            first = d->stored[i]->name;
    if (missing == 0)
        return;
    snprintf(what, sizeof what,
             "the parameters were not found: the program is converted without "
             "%" PRIu64 " of %" PRIu64 ", '%.*s' first",
             missing, d->stored_count, (int)tn_min(first.size, 80),
             (const char *)first.data);
    tn_lose(w->options, TN_NOWHERE, "",
            missing == d->stored_count
                ? "the parameters were not found: the program is converted "
                  "without them"
                : what);
}

static enum tn_status write_params(struct writing *w)
{
    TN_TRY(
        tn_paddle_params(w->model, &w->arena, &w->rows, &w->count, w->error));
    if (w->model->detail)
        lose_missing(w, w->model->detail);
    if (w->count == 0)
        return TN_OK;
    const char *name = combined_name(w);
    if (tn_failed(w->error))
        return w->error->status;
    TN_TRY(name ? write_combined(w, name) : write_separate(w));
    return write_sides(w, name);
}

/* ---- the program -------------------------------------------------------- */

static enum tn_status put_text(struct writing *w, const struct tn_rope *program,
                               struct tn_sink *sink)
{
    struct tn_pb_schema schema;
    struct tn_source   *source = NULL;
    struct tn_span      wire   = w->model->wire;

    if (w->model->is_edited) {
        TN_TRY(tn_source_from_rope(&source, w->model->memory, program, "",
                                   w->error));
        wire = (struct tn_span){ source, 0, source->size };
    }
    if (tn_pb_schema_load(&schema, &w->arena, tn_pb_builtin_set(TN_PB_PADDLE),
                          w->error) == TN_OK)
        tn_pb_text_write(tn_pb_schema_find(&schema, TN_PADDLE_MESSAGE), wire,
                         sink, w->model->memory, w->error);
    tn_source_close(source);
    return w->error->status;
}

static enum tn_status write_program(struct writing *w, bool is_text)
{
    struct tn_rope  program;
    struct tn_sink *sink;

    tn_rope_init(&program, &w->arena, w->error);
    tn_paddle_encode(w->model, &w->arena, &program, w->error);
    if (!tn_failed(w->error) && program.length > PROGRAM_LIMIT)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "a program of %" PRIu64 " bytes, but no other program "
                     "opens more than %d",
                     program.length, PROGRAM_LIMIT);
    if (!tn_failed(w->error) &&
        tn_output_main(w->to, &sink, w->error) == TN_OK) {
        if (is_text)
            put_text(w, &program, sink);
        else
            tn_rope_write(&program, sink, w->error);
    }
    tn_rope_done(&program);
    return w->error->status;
}

static enum tn_status write_all(const struct tn_model         *model,
                                const struct tn_write_options *options,
                                struct tn_output *to, bool is_text,
                                struct tn_error *error)
{
    struct writing w = {
        .model = model, .options = options, .to = to, .error = error
    };

    tn_arena_init(&w.arena, model->memory);
    tn_paddle_lose_io(model, options);
    if (write_params(&w) == TN_OK)
        write_program(&w, is_text);
    tn_arena_done(&w.arena);
    return error->status;
}

enum tn_status tn_paddle_write(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               struct tn_output *to, struct tn_error *error)
{
    return write_all(model, options, to, false, error);
}

enum tn_status tn_paddle_write_text(const struct tn_model         *model,
                                    const struct tn_write_options *options,
                                    struct tn_output              *to,
                                    struct tn_error               *error)
{
    return write_all(model, options, to, true, error);
}
