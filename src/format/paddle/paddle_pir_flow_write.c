/*
 * paddle_pir_flow_write.c - blocks of a ProgramDesc as regions of PIR
 *
 *   while               1.while over all that its block writes of outside
 *   conditional_block   1.if; where the condition does not hold, what it would
 *                       write stays what it was, or is zeros when it was
 *                       nothing: somebody else must choose then
 *   select_input        1.if, whose regions only hand out one of the two
 */
#include "format/paddle/paddle_pir_writer.h"

#include "format/paddle/paddle_pir_scan.h"

/* What a block does to the variables outside. */
struct change {
    struct tn_bytes     name;
    struct tn_pir_bound before;
};

struct changes {
    struct change *items;
    uint32_t       count;
};

/* ---- what a block writes ------------------------------------------------ */

static const struct tn_desc_attr *block_attr(const struct tn_desc_op *op)
{
    const struct tn_desc_attr *attr = tn_desc_attr(op, tn_text("sub_block"));

    return attr && attr->value.type == TN_DESC_BLOCK ? attr : NULL;
}

/* Its number; 0 and a failure: it is none, or was written before. */
static uint32_t enter(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    int64_t block = tn_pir_int_at(&block_attr(op)->value, 0);

    if (block <= 0 || block >= w->desc.block_count || w->is_entered[block] ||
        w->depth >= TN_PIR_REGION_LIMIT) {
        tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                     "%.*s: block %" PRId64
                     " is none, is another's, or is too deep inside others",
                     TN_FMT(op->type), block);
        return 0;
    }
    w->is_entered[block] = true;
    return (uint32_t)block;
}

static bool has_change(const struct changes *changes, struct tn_bytes name)
{
    for (uint32_t i = 0; i < changes->count; i++)
        if (tn_bytes_equal(changes->items[i].name, name))
            return true;
    return false;
}

static uint32_t count_outputs(const struct tn_desc_block *block)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < block->op_count; i++)
        for (uint32_t k = 0; k < block->ops[i].out_count; k++)
            count += block->ops[i].out[k].count;
    return count;
}

/* A tensor of outside: scopes and holders are not. */
static bool is_outside(struct tn_pir_writer *w, uint32_t block,
                       struct tn_bytes name)
{
    const struct tn_pir_bound *bound = tn_pirw_bound_of(w, name);

    return bound && bound->dims && bound->local != block;
}

/* Blocks inside this one say what they write in `Out`. */
static struct changes find_changes(struct tn_pir_writer *w, uint32_t index,
                                   struct tn_bytes but)
{
    const struct tn_desc_block *block = &w->desc.blocks[index];
    struct changes              found = { NULL, 0 };

    found.items =
        tn_new(w->arena, struct change, count_outputs(block), w->error);

    for (uint32_t i = 0;
         found.items && found.count < TN_PIR_PORT_LIMIT && i < block->op_count;
         i++)
        for (uint32_t k = 0; k < block->ops[i].out_count; k++)
            for (uint32_t n = 0; n < block->ops[i].out[k].count; n++) {
                struct tn_bytes name = tn_desc_arg(&block->ops[i].out[k], n);
                if (tn_bytes_equal(name, but) || has_change(&found, name) ||
                    !is_outside(w, index, name))
                    continue;
                found.items[found.count++] =
                    (struct change){ name, *tn_pirw_bound_of(w, name) };
            }
    if (found.count >= TN_PIR_PORT_LIMIT)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "a block that writes %" PRIu32 " variables of outside",
                     found.count);
    return found;
}

/* ---- regions ------------------------------------------------------------ */

static void region_begin(struct tn_pir_writer *w, const struct changes *args)
{
    tn_buffer_format(w->to,
                     "{\"#\":\"region_%" PRIu32
                     "\",\"blocks\":[{\"#\":\"block_%" PRIu32 "\",\"args\":[",
                     w->region_count, w->region_count);
    w->region_count++;
    for (uint32_t i = 0; args && i < args->count; i++) {
        struct tn_pir_bound bound = args->items[i].before;
        bound.number              = --w->last_arg;
        tn_buffer_format(w->to, "%s{\"#\":%" PRId64 ",\"TT\":", i ? "," : "",
                         bound.number);
        tn_buffer_add(w->to, bound.type);
        tn_buffer_byte(w->to, '}');
        tn_pirw_bind(w, args->items[i].name, bound);
    }
    tn_buffer_text(w->to, "],\"ops\":[");
    w->has_ops = false;
}

static void region_end(struct tn_pir_writer *w)
{
    tn_buffer_text(w->to, "]}]}");
}

static void put_yield(struct tn_pir_writer *w, const int64_t *values,
                      uint32_t count)
{
    struct tn_pir_line line;

    tn_pirw_line_begin(w, &line, "2.yield");
    for (uint32_t i = 0; i < count; i++)
        tn_pirw_line_in(w, &line, values[i]);
    tn_pirw_line_end(w, &line);
}

/* The block's own names are its own from here on. */
static void declare_locals(struct tn_pir_writer *w, uint32_t index)
{
    struct tn_desc_block *block = &w->desc.blocks[index];

    for (uint32_t i = 0; i < block->var_count && !tn_failed(w->error); i++) {
        struct tn_pir_bound bound = tn_pirw_unborn(w, &block->vars[i]);
        bound.local               = index;
        if (!tn_paddle_var_is_stored(&block->vars[i].var))
            tn_pirw_bind(w, block->vars[i].var.name, bound);
    }
}

/* Names mean again what they meant outside.  One that was written inside, and
 * whose new value nobody hands out, has none. */
static void undo(struct tn_pir_writer *w, uint64_t mark, uint32_t block,
                 const struct changes *changes)
{
    while (w->undo.count > mark) {
        struct tn_pir_undo *last =
            tn_list_at(&w->undo, struct tn_pir_undo, --w->undo.count);
        struct tn_pir_bound *bound =
            tn_list_at(&w->bounds, struct tn_pir_bound, last->name);
        bool is_lost =
            bound->local != block &&
            !has_change(changes, tn_intern_text(&w->names, last->name));
        *bound = last->before;
        if (is_lost)
            bound->number = 0;
    }
}

/* The numbers that the names have now. */
static void read_changes(struct tn_pir_writer *w, const struct changes *changes,
                         int64_t *numbers)
{
    for (uint32_t i = 0; i < changes->count && !tn_failed(w->error); i++)
        numbers[i] = tn_pirw_read_name(w, changes->items[i].name).number;
}

/* ---- operators ---------------------------------------------------------- */

static struct tn_bytes argument(struct tn_pir_writer    *w,
                                const struct tn_desc_op *op, const char *name,
                                uint32_t index)
{
    const struct tn_desc_slot *slot =
        tn_desc_slot(op->in, op->in_count, tn_text(name));

    if (slot && index < slot->count)
        return tn_desc_arg(slot, index);
    tn_error_set(w->error, TN_MALFORMED, op->offset, "%.*s without %s",
                 TN_FMT(op->type), name);
    return tn_bytes("", 0);
}

/* Behind the regions: the operator is whole, and names are what it made. */
static void finish(struct tn_pir_writer *w, const struct tn_pir_line *line,
                   const struct changes *changes)
{
    tn_buffer_text(w->to, "]}");
    w->has_ops = true;
    for (uint32_t i = 0; i < changes->count && !tn_failed(w->error); i++)
        tn_pirw_bind(w, changes->items[i].name, line->out[i]);
}

static void put_while(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    struct tn_bytes    condition = argument(w, op, "Condition", 0);
    uint32_t           block     = tn_failed(w->error) ? 0 : enter(w, op);
    int64_t            numbers[TN_PIR_PORT_LIMIT + 1];
    struct tn_pir_line line;

    if (block == 0)
        return;
    uint64_t mark = w->undo.count;
    w->depth++;
    declare_locals(w, block);
    struct changes changes = find_changes(w, block, condition);
    tn_pirw_line_begin(w, &line, "1.while");
    tn_pirw_line_in(w, &line, tn_pirw_read_name(w, condition).number);
    for (uint32_t i = 0; i < changes.count && !tn_failed(w->error); i++) {
        tn_pirw_line_in(w, &line, changes.items[i].before.number);
        tn_pirw_line_out(w, &line, changes.items[i].before);
        if (changes.items[i].before.number == 0)
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "'%.*s' has no value before the loop",
                         TN_FMT(changes.items[i].name));
    }
    if (tn_failed(w->error))
        return;
    tn_pirw_line_open(w, &line);
    tn_buffer_text(w->to, ",\"regions\":[");
    region_begin(w, &changes);
    tn_pirw_put_ops(w, block);
    numbers[0] =
        tn_failed(w->error) ? 0 : tn_pirw_read_name(w, condition).number;
    read_changes(w, &changes, numbers + 1);
    if (tn_failed(w->error))
        return;
    put_yield(w, numbers, changes.count + 1);
    region_end(w);
    undo(w, mark, block, &changes);
    w->depth--;
    finish(w, &line, &changes);
    /* Nobody outside sees the condition of the last round. */
    struct tn_pir_bound *bound = tn_pirw_bound_of(w, condition);
    if (bound)
        bound->number = 0;
}

/* Zeros of that type: a value that must never be chosen. */
static int64_t put_nothing(struct tn_pir_writer      *w,
                           const struct tn_pir_bound *like)
{
    const char        *dtype = tn_pir_dtype_word(like->element);
    struct tn_pir_line line;

    if (like->is_array)
        return tn_pirw_put_array(w, like);
    tn_pirw_line_begin(w, &line, "1.full");
    tn_pirw_attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"1.a_intarray\",\"D\":[");
    for (uint32_t i = 0; i < like->rank; i++)
        tn_buffer_format(&w->attrs, "%s%" PRId64, i ? "," : "",
                         like->dims[i] < 0 ? 1 : like->dims[i]);
    tn_buffer_text(&w->attrs, "]}");
    tn_pirw_attr_end(w, "", tn_text("shape"));
    tn_pirw_attr_text(w, "value", "{\"#\":\"0.a_f32\",\"D\":0.0}");
    tn_pirw_attr_begin(w);
    tn_buffer_format(&w->attrs, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
                     dtype ? dtype : "float32");
    tn_pirw_attr_end(w, "", tn_text("dtype"));
    tn_pirw_attr_text(w, "place", "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}");
    tn_pirw_line_out(w, &line, *like);
    tn_pirw_line_end(w, &line);
    return line.out[0].number;
}

static void put_other_branch(struct tn_pir_writer *w,
                             const struct changes *changes)
{
    int64_t numbers[TN_PIR_PORT_LIMIT];

    region_begin(w, NULL);
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct tn_pir_bound *before = &changes->items[i].before;
        numbers[i] = before->number ? before->number : put_nothing(w, before);
    }
    put_yield(w, numbers, changes->count);
    region_end(w);
}

static void put_conditional(struct tn_pir_writer    *w,
                            const struct tn_desc_op *op)
{
    struct tn_bytes    condition = argument(w, op, "Cond", 0);
    uint32_t           block     = tn_failed(w->error) ? 0 : enter(w, op);
    int64_t            numbers[TN_PIR_PORT_LIMIT];
    struct tn_pir_line line;

    if (block == 0)
        return;
    uint64_t mark = w->undo.count;
    w->depth++;
    declare_locals(w, block);
    struct changes changes = find_changes(w, block, tn_bytes("", 0));
    tn_pirw_line_begin(w, &line, "1.if");
    tn_pirw_line_in(w, &line, tn_pirw_read_name(w, condition).number);
    for (uint32_t i = 0; i < changes.count && !tn_failed(w->error); i++)
        tn_pirw_line_out(w, &line, changes.items[i].before);
    if (tn_failed(w->error))
        return;
    tn_pirw_line_open(w, &line);
    tn_buffer_text(w->to, ",\"regions\":[");
    region_begin(w, NULL);
    tn_pirw_put_ops(w, block);
    read_changes(w, &changes, numbers);
    if (tn_failed(w->error))
        return;
    put_yield(w, numbers, changes.count);
    region_end(w);
    undo(w, mark, block, &changes);
    w->depth--;
    tn_buffer_byte(w->to, ',');
    put_other_branch(w, &changes);
    finish(w, &line, &changes);
}

/* The mask is a number: 1 is the second of the two. */
static int64_t put_as_bool(struct tn_pir_writer      *w,
                           const struct tn_pir_bound *mask)
{
    struct tn_pir_line  line;
    struct tn_pir_bound made = { .type = tn_pirw_tensor_type(w, 0, mask->dims,
                                                             mask->rank) };

    tn_pirw_line_begin(w, &line, "1.cast");
    tn_pirw_attr_text(w, "dtype", "{\"#\":\"1.a_dtype\",\"D\":\"bool\"}");
    tn_pirw_line_in(w, &line, mask->number);
    tn_pirw_line_out(w, &line, made);
    tn_pirw_line_end(w, &line);
    return line.out[0].number;
}

static void put_select(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_slot *out =
        tn_desc_slot(op->out, op->out_count, tn_text("Out"));
    struct tn_bytes     names[2] = { argument(w, op, "X", 0),
                                     argument(w, op, "X", 1) };
    struct tn_bytes     mask     = argument(w, op, "Mask", 0);
    struct tn_pir_bound choice, pair[2];
    struct tn_pir_line  line;

    if (tn_failed(w->error) || !out)
        return;
    choice  = tn_pirw_read_name(w, mask);
    pair[0] = tn_pirw_read_name(w, names[0]);
    pair[1] = tn_pirw_read_name(w, names[1]);
    if (tn_failed(w->error))
        return;
    int64_t condition = put_as_bool(w, &choice);
    tn_pirw_line_begin(w, &line, "1.if");
    tn_pirw_line_in(w, &line, condition);
    const struct tn_pir_bound *bound = tn_pirw_bound_of(w, tn_desc_arg(out, 0));
    tn_pirw_line_out(w, &line, bound ? *bound : pair[1]);
    tn_pirw_line_open(w, &line);
    tn_buffer_text(w->to, ",\"regions\":[");
    for (int i = 1; i >= 0; i--) {
        region_begin(w, NULL);
        put_yield(w, &pair[i].number, 1);
        region_end(w);
        tn_buffer_text(w->to, i ? "," : "]}");
    }
    w->has_ops = true;
    tn_pirw_bind(w, tn_desc_arg(out, 0), line.out[0]);
}

bool tn_pirw_put_flow(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    bool has_block = block_attr(op) != NULL;

    if (has_block && tn_bytes_is(op->type, "while"))
        put_while(w, op);
    else if (has_block && tn_bytes_is(op->type, "conditional_block"))
        put_conditional(w, op);
    else if (tn_bytes_is(op->type, "select_input"))
        put_select(w, op);
    else
        return false;
    return true;
}
