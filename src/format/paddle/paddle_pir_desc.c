/* paddle_pir_desc.c - a ProgramDesc in memory, for the writer of PIR */
#include "format/paddle/paddle_pir_desc.h"

/* How many fields of that number a message has. */
static uint32_t count_fields(struct tn_cursor c, uint32_t number)
{
    struct tn_pb_field field;
    uint32_t           count = 0;

    while (tn_pb_next(&c, &field))
        count += field.number == number;
    return count;
}

const struct tn_desc_slot *tn_desc_slot(const struct tn_desc_slot *slots,
                                        uint32_t count, struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(slots[i].name, name) && slots[i].count)
            return &slots[i];
    return NULL;
}

struct tn_desc_attr *tn_desc_attr(const struct tn_desc_op *op,
                                  struct tn_bytes          name)
{
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (tn_bytes_equal(op->attrs[i].name, name))
            return &op->attrs[i];
    return NULL;
}

/* ---- variables ---------------------------------------------------------- */

enum { VAR_STOP_GRADIENT = 6, VAR_ATTRS = 7 };

/* VarDesc.Attr: name = 1, s = 4 */
static void read_var_attr(struct tn_cursor body, struct tn_desc_var *var)
{
    struct tn_bytes    name = { NULL, 0 }, text = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(&body, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == 1)
            name = tn_pb_text(&field);
        else if (field.number == 4)
            text = tn_pb_text(&field);
    }
    if (tn_bytes_is(name, "pir.type"))
        var->kept = text;
    else if (tn_bytes_is(name, "pir.flags"))
        var->flags = text;
}

static void read_var(struct tn_cursor body, struct tn_arena *arena,
                     struct tn_desc_var *var)
{
    struct tn_cursor   c = body;
    struct tn_pb_field field;
    bool               is_old;

    while (tn_pb_next(&c, &field)) {
        if (field.number == VAR_STOP_GRADIENT && field.type == TN_WIRE_VARINT)
            var->stop_gradient = field.value != 0;
        else if (field.number == VAR_ATTRS && field.type == TN_WIRE_LEN)
            read_var_attr(field.body, var);
    }
    var->var.wire.offset = body.offset;
    tn_paddle_var_read(&body, arena, &var->var, &is_old);
}

/* ---- operators ---------------------------------------------------------- */

static void read_slot(struct tn_cursor body, struct tn_arena *arena,
                      struct tn_desc_slot *slot)
{
    struct tn_bytes *args = tn_new(
        arena, struct tn_bytes, count_fields(body, SLOT_ARGUMENTS), body.error);
    struct tn_pb_field field;

    slot->args = args;
    while (args && tn_pb_next(&body, &field)) {
        if (!tn_pb_expect(&body, &field, TN_WIRE_LEN))
            return;
        if (field.number == SLOT_PARAMETER)
            slot->name = tn_pb_text(&field);
        else if (field.number == SLOT_ARGUMENTS)
            args[slot->count++] = tn_pb_text(&field);
    }
}

static void read_op(struct tn_desc *desc, struct tn_pb_field *message,
                    struct tn_arena *arena, struct tn_desc_op *op)
{
    struct tn_cursor     c = message->body;
    struct tn_desc_slot *in =
        tn_new(arena, struct tn_desc_slot, count_fields(c, OP_INPUTS), c.error);
    struct tn_desc_slot *out = tn_new(arena, struct tn_desc_slot,
                                      count_fields(c, OP_OUTPUTS), c.error);
    struct tn_pb_field   field;

    op->attrs =
        tn_new(arena, struct tn_desc_attr, count_fields(c, OP_ATTRS), c.error);
    op->offset = message->offset;
    op->in     = in;
    op->out    = out;
    while (!tn_failed(c.error) && tn_pb_next(&c, &field)) {
        if (field.number > OP_ATTRS || !tn_pb_expect(&c, &field, TN_WIRE_LEN))
            continue;
        if (field.number == OP_INPUTS)
            read_slot(field.body, arena, &in[op->in_count++]);
        else if (field.number == OP_OUTPUTS)
            read_slot(field.body, arena, &out[op->out_count++]);
        else if (field.number == OP_TYPE)
            op->type = tn_pb_text(&field);
        else {
            struct tn_desc_attr *attr = &op->attrs[op->attr_count];
            if (!tn_pir_value_desc(field.body, arena, &attr->name,
                                   &attr->value))
                continue;
            bool is_stack = tn_bytes_is(attr->name, "op_callstack");
            desc->callstack_count += is_stack;
            op->attr_count += !is_stack;
        }
    }
}

/* ---- blocks ------------------------------------------------------------- */

static void read_block(struct tn_desc *desc, struct tn_cursor c,
                       struct tn_arena *arena, struct tn_desc_block *block)
{
    struct tn_pb_field field;

    block->vars =
        tn_new(arena, struct tn_desc_var, count_fields(c, BLOCK_VARS), c.error);
    block->ops =
        tn_new(arena, struct tn_desc_op, count_fields(c, BLOCK_OPS), c.error);
    while (!tn_failed(c.error) && tn_pb_next(&c, &field)) {
        if (field.number == BLOCK_VARS && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_var(field.body, arena, &block->vars[block->var_count++]);
        else if (field.number == BLOCK_OPS &&
                 tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_op(desc, &field, arena, &block->ops[block->op_count++]);
    }
}

static int64_t read_version(struct tn_cursor c)
{
    struct tn_pb_field field;
    int64_t            version = 0;

    while (tn_pb_next(&c, &field))
        if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            version = (int64_t)field.value;
    return version;
}

enum tn_status tn_desc_read(struct tn_desc *desc, struct tn_span program,
                            struct tn_arena *arena, struct tn_error *error)
{
    struct tn_cursor   c = tn_cursor_span(program, error);
    struct tn_pb_field field;

    *desc        = (struct tn_desc){ NULL, 0, 0, false, -1 };
    desc->blocks = tn_new(arena, struct tn_desc_block,
                          count_fields(c, PROGRAM_BLOCKS), error);
    while (!tn_failed(error) && tn_pb_next(&c, &field)) {
        if (field.number == PROGRAM_BLOCKS &&
            tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_block(desc, field.body, arena,
                       &desc->blocks[desc->block_count++]);
        if (field.number == PROGRAM_VERSION &&
            tn_pb_expect(&c, &field, TN_WIRE_LEN))
            desc->version = read_version(field.body);
        desc->has_op_versions |= field.number == PROGRAM_OP_VERSIONS ||
                                 field.number == PROGRAM_COMPATIBLE;
    }
    if (!tn_failed(error) && desc->block_count == 0)
        tn_error_set(error, TN_MALFORMED, program.offset,
                     "the program has no block");
    return error->status;
}
