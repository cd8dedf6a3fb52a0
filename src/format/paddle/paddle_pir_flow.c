/* paddle_pir_flow.c - regions of PIR as blocks of a ProgramDesc */
#include "format/paddle/paddle_pir_maker.h"

/* The type of what such operators keep their insides in. */
#define STEP_SCOPES 11

/* ---- control flow ------------------------------------------------------- */

static void put_assign(struct tn_pir_maker *m, uint32_t block,
                       const struct tn_bytes *from, const struct tn_bytes *to)
{
    struct tn_pir_made_op op;

    tn_pirm_op_begin(m, &op, tn_text("assign"));
    tn_pirm_add_in(m, &op, "X", from, 1);
    tn_pirm_add_out(m, &op, "Out", to, 1);
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, block)->ops);
}

/* What the last operator of a block hands out. */
static const struct tn_pir_op *yield_of(struct tn_pir_maker *m, uint32_t block)
{
    uint32_t last = tn_pir_block_at(m->scan, block)->last_op;

    if (last == TN_NONE)
        return NULL;
    const struct tn_pir_op *op = tn_pir_op_at(m->scan, last);
    return tn_bytes_is(op->id, "2.yield") ? op : NULL;
}

static struct tn_bytes *names_of_results(struct tn_pir_maker    *m,
                                         const struct tn_pir_op *op,
                                         const char *stem, bool is_declared)
{
    struct tn_bytes *names =
        tn_new(m->arena, struct tn_bytes, op->result_count, m->error);
    uint32_t count = tn_pirm_next_count(m, tn_text(stem));

    for (uint32_t i = 0; names && i < op->result_count; i++) {
        struct tn_pir_result *row =
            tn_pir_result_at(m->scan, op->first_result + i);
        struct tn_pir_var var = { .type          = row->type,
                                  .stop_gradient = row->stop_gradient };
        var.name = names[i] = tn_pirm_temporary(m, tn_text(stem), count, i);
        if (is_declared)
            tn_pirm_put_var(m, op->block, &var, false);
    }
    return names;
}

static void put_holder(struct tn_pir_maker *m, uint32_t block,
                       struct tn_bytes name, uint32_t type)
{
    struct tn_pir_var var = { .name = name, .raw_type = type };

    tn_pirm_put_var(m, block, &var, false);
}

/* conditional_block: Cond -> Out, Scope; sub_block */
static void put_branch(struct tn_pir_maker *m, const struct tn_pir_op *from,
                       uint32_t block, const struct tn_bytes *condition,
                       const struct tn_bytes *outs)
{
    const struct tn_pir_op *yield = yield_of(m, block);
    struct tn_bytes *scope = tn_new(m->arena, struct tn_bytes, 1, m->error);
    struct tn_pir_made_op op;

    if (!scope)
        return;
    tn_pirm_make_block(m, block);
    for (uint32_t i = 0; yield && i < from->result_count &&
                         i < yield->operand_count && !tn_failed(m->error);
         i++)
        if (tn_pirm_operand(m, yield, i)->name_count)
            put_assign(m, block, tn_pirm_operand(m, yield, i)->names, &outs[i]);
    *scope = tn_pirm_temporary(
        m, tn_text("conditional_block"),
        tn_pirm_next_count(m, tn_text("conditional_block")), 0);
    put_holder(m, from->block, *scope, STEP_SCOPES);
    tn_pirm_op_begin(m, &op, tn_text("conditional_block"));
    tn_pirm_add_in(m, &op, "Cond", condition, 1);
    tn_pirm_add_out(m, &op, "Out", outs, from->result_count);
    tn_pirm_add_out(m, &op, "Scope", scope, 1);
    tn_pirm_put_int(m, &op, "sub_block", TN_DESC_BLOCK, block);
    tn_pirm_put_int(m, &op, "is_scalar_condition", TN_DESC_BOOL, 1);
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, from->block)->ops);
}

/* A small operator of one input and one output, both single. */
static struct tn_bytes *put_small(struct tn_pir_maker *m, uint32_t block,
                                  const char *type, const struct tn_tree *like,
                                  const struct tn_bytes *x, int out_dtype)
{
    struct tn_bytes      *name = tn_new(m->arena, struct tn_bytes, 1, m->error);
    struct tn_pir_made_op op;

    if (!name)
        return NULL;
    uint32_t count        = tn_pirm_next_count(m, tn_text(type));
    *name                 = tn_pirm_temporary(m, tn_text(type), count, 0);
    struct tn_pir_var var = { .name = *name, .type = like };
    tn_pirm_put_var(m, block, &var, false);
    tn_pirm_op_begin(m, &op, tn_text(type));
    tn_pirm_add_in(m, &op, "X", x, 1);
    tn_pirm_add_out(m, &op, "Out", name, 1);
    if (out_dtype >= 0) {
        tn_pirm_put_int(m, &op, "in_dtype", TN_DESC_INT, 0);
        tn_pirm_put_int(m, &op, "out_dtype", TN_DESC_INT, out_dtype);
    }
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, block)->ops);
    return name;
}

static void put_select(struct tn_pir_maker *m, const struct tn_pir_op *from,
                       uint32_t index, const struct tn_bytes *pair,
                       const struct tn_bytes *mask)
{
    struct tn_pir_result *row =
        tn_pir_result_at(m->scan, from->first_result + index);
    struct tn_pir_made_op op;

    tn_pirm_declare(m, from->block, row, tn_text("select_input"),
                    tn_pirm_next_count(m, tn_text("select_input")));
    tn_pirm_op_begin(m, &op, tn_text("select_input"));
    tn_pirm_add_in(m, &op, "X", pair, 2);
    tn_pirm_add_in(m, &op, "Mask", mask, 1);
    tn_pirm_add_out(m, &op, "Out", row->names, row->name_count);
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, from->block)->ops);
}

static const struct tn_tree *int32_type(struct tn_pir_maker *m)
{
    struct tn_cursor c = tn_cursor_bytes(
        tn_text("{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"0.t_i32\"},[1],"
                "\"NCHW\",[],0]}"),
        0, m->error);

    return tn_tree_read(&c, m->arena);
}

void tn_pirm_make_if(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    const struct tn_pir_result *condition = tn_pirm_operand(m, from, 0);
    uint32_t                    yes       = from->first_block, no;

    if (from->block_count != 2 || condition->name_count != 1) {
        tn_error_set(m->error, TN_MALFORMED, from->tree->offset,
                     "an if has a condition and two regions");
        return;
    }
    no                      = tn_pir_block_at(m->scan, yes)->next;
    struct tn_bytes *in_yes = names_of_results(m, from, "cond_true", true);
    struct tn_bytes *in_no  = names_of_results(m, from, "cond_false", true);
    uint64_t         both   = 2 * (uint64_t)from->result_count;
    struct tn_bytes *pairs  = tn_new(m->arena, struct tn_bytes, both, m->error);
    if (!in_yes || !in_no || !pairs)
        return;
    put_branch(m, from, yes, condition->names, in_yes);
    const struct tn_bytes *other = put_small(
        m, from->block, "logical_not", condition->type, condition->names, -1);
    if (other)
        put_branch(m, from, no, other, in_no);
    const struct tn_bytes *mask =
        put_small(m, from->block, "cast", int32_type(m), condition->names, 2);
    for (uint32_t i = 0; mask && i < from->result_count && !tn_failed(m->error);
         i++) {
        pairs[2 * i]     = in_no[i];
        pairs[2 * i + 1] = in_yes[i];
        put_select(m, from, i, &pairs[2 * i], mask);
    }
}

static bool is_carried(const struct tn_bytes *carried, uint32_t count,
                       struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(carried[i], name))
            return true;
    return false;
}

/* At the end of a loop's block: all values are read before any is written.  An
 * array that was written to is where it belongs. */
static void put_next_round(struct tn_pir_maker *m, const struct tn_pir_op *from,
                           const struct tn_bytes *condition,
                           const struct tn_bytes *carried)
{
    const struct tn_pir_op *yield = yield_of(m, from->first_block);
    uint32_t                block = from->first_block;
    uint32_t                count = yield ? yield->operand_count : 0;
    struct tn_bytes       **copies =
        tn_new(m->arena, struct tn_bytes *, (uint64_t)count + 1, m->error);

    for (uint32_t i = 0; copies && i < count && !tn_failed(m->error); i++) {
        const struct tn_pir_result *row = tn_pirm_operand(m, yield, i);
        copies[i]                       = row->names;
        if (i && row->name_count && i <= from->result_count &&
            row->op != TN_NONE && tn_bytes_equal(row->names[0], carried[i - 1]))
            copies[i] = NULL;
        else if (row->name_count &&
                 (row->op == TN_NONE ||
                  is_carried(carried, from->result_count, row->names[0])))
            copies[i] =
                put_small(m, block, "assign", row->type, row->names, -1);
    }
    for (uint32_t i = 0;
         copies && i < count && i <= from->result_count && !tn_failed(m->error);
         i++)
        if (copies[i])
            put_assign(m, block, copies[i], i ? &carried[i - 1] : condition);
}

static bool is_while(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    bool is_one = from->block_count == 1 &&
                  tn_pirm_operand(m, from, 0)->name_count == 1 &&
                  from->operand_count == from->result_count + 1 &&
                  tn_pir_block_at(m->scan, from->first_block)->arg_count ==
                      from->result_count;

    if (!is_one)
        tn_error_set(m->error, TN_MALFORMED, from->tree->offset,
                     "a while has a condition, values and one region that "
                     "takes and gives as many");
    return is_one;
}

/* The variables of the loop get the first values; inside and behind it they are
 * called the same. */
static void put_first_round(struct tn_pir_maker    *m,
                            const struct tn_pir_op *from,
                            const struct tn_bytes  *carried)
{
    uint32_t arg = tn_pir_block_at(m->scan, from->first_block)->first_arg;

    for (uint32_t i = 0; i < from->result_count && !tn_failed(m->error); i++) {
        const struct tn_pir_result *value = tn_pirm_operand(m, from, i + 1);
        if (value->name_count)
            put_assign(m, from->block, value->names, &carried[i]);
        tn_pirm_set_name(m, tn_pir_result_at(m->scan, arg + i), carried[i]);
        tn_pirm_set_name(m, tn_pir_result_at(m->scan, from->first_result + i),
                         carried[i]);
    }
}

static void put_loop(struct tn_pir_maker *m, const struct tn_pir_op *from,
                     const struct tn_bytes *condition,
                     const struct tn_bytes *carried)
{
    struct tn_bytes *scope = tn_new(m->arena, struct tn_bytes, 1, m->error);
    struct tn_pir_made_op op;

    if (!scope)
        return;
    *scope = tn_pirm_fresh_name(m, "while_scopes");
    put_holder(m, from->block, *scope, STEP_SCOPES);
    tn_pirm_op_begin(m, &op, tn_text("while"));
    tn_pirm_add_in(m, &op, "Condition", condition, 1);
    tn_pirm_add_in(m, &op, "X", carried, from->result_count);
    tn_pirm_add_out(m, &op, "Out", carried, from->result_count);
    tn_pirm_add_out(m, &op, "StepScopes", scope, 1);
    tn_pirm_put_int(m, &op, "sub_block", TN_DESC_BLOCK, from->first_block);
    tn_pirm_put_int(m, &op, "is_test", TN_DESC_BOOL, 1);
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, from->block)->ops);
}

void tn_pirm_make_while(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    const struct tn_pir_result *first   = tn_pirm_operand(m, from, 0);
    struct tn_bytes            *carried = NULL, *condition = NULL;

    if (is_while(m, from))
        carried = names_of_results(m, from, "while", true);
    if (carried)
        condition =
            put_small(m, from->block, "assign", first->type, first->names, -1);
    if (!condition)
        return;
    put_first_round(m, from, carried);
    if (tn_failed(m->error))
        return;
    tn_pirm_make_block(m, from->first_block);
    put_next_round(m, from, condition, carried);
    put_loop(m, from, condition, carried);
}
