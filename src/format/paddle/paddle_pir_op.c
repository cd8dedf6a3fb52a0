/* paddle_pir_op.c - one operator of PIR as one of a ProgramDesc */
#include "format/paddle/paddle_pir_maker.h"

#include <stdio.h>

/* ---- attributes --------------------------------------------------------- */

/* pir.NAME: the whole attribute, as it was. */
static void put_kept(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     struct tn_bytes name, const struct tn_tree *attr)
{
    const char *kept =
        tn_text_format(m->arena, m->error, "pir.%.*s", TN_FMT(name));

    if (kept)
        tn_pirm_put_text(m, op, kept, tn_pirm_text_of(m, attr));
}

/* legacy.empty.03.NAME: a list of nothing, of a type that only the name says.
 */
static bool put_empty(struct tn_pir_made_op *op, struct tn_bytes name)
{
    static const char   mark[] = "legacy.empty.";
    size_t              at     = strlen(mark);
    struct tn_pir_value value  = { .type = TN_DESC_NONE };

    if (!tn_pir_is_reserved(name, mark) || name.size < at + 4 ||
        name.data[at + 2] != '.')
        return false;
    unsigned type = (name.data[at] - '0') * 10u + (name.data[at + 1] - '0');
    if (type > TN_DESC_SCALARS || tn_pir_is_one((uint8_t)type))
        return false;
    value.type = (uint8_t)type;
    tn_pir_put_desc(&op->attrs,
                    tn_bytes(name.data + at + 3, name.size - at - 3), &value);
    return true;
}

void tn_pirm_put_natural(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                         struct tn_bytes name, const struct tn_tree *attr)
{
    struct tn_pir_value value;

    if (put_empty(op, name))
        return;
    if (tn_pir_is_reserved(name, "legacy."))
        name = tn_bytes(name.data + 7, name.size - 7);
    if (tn_pir_value_read(attr, m->arena, &value, m->error) &&
        value.type != TN_DESC_NONE)
        tn_pir_put_desc(&op->attrs, name, &value);
    else
        put_kept(m, op, name, attr);
}

/* Would our writer say it in these words? */
static bool is_what_we_write(struct tn_pir_maker *m, const struct tn_tree *attr,
                             const struct tn_pir_value *value,
                             enum tn_pir_kind           kind)
{
    struct tn_bytes was = tn_pirm_text_of(m, attr);

    tn_buffer_clear(&m->text);
    tn_pir_put_value(&m->text, value, kind);
    return tn_bytes_equal(was, tn_buffer_bytes(&m->text));
}

/* fill_constant keeps its value twice: as a float, and exactly, as text. */
static void put_fill(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     struct tn_pir_value *value)
{
    struct tn_buffer *text = &m->text;

    if (!tn_pir_value_as(value, TN_DESC_DOUBLE, m->arena, m->error))
        return;
    tn_buffer_clear(text);
    double real = tn_pir_real_at(value, 0);
    if (real != real || real - real != 0)
        tn_buffer_text(text, real != real ? "nan" : real > 0 ? "inf" : "-inf");
    else if (real > -1e15 && real < 1e15 && real == (double)(int64_t)real)
        tn_pir_put_int(text, (int64_t)real);
    else
        tn_pir_put_double(text, real);
    struct tn_bytes exact =
        tn_bytes_dup(m->arena, tn_buffer_bytes(text), m->error);
    value->type = TN_DESC_FLOAT;
    tn_pir_put_desc(&op->attrs, tn_text("value"), value);
    tn_pirm_put_text(m, op, "str_value", exact);
}

/* assign_value: one list, by the type of the elements. */
static bool put_values(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                       const struct tn_pir_op *from, struct tn_pir_value *value)
{
    static const struct {
        int         number;
        const char *name;
        uint8_t     type;
    } lists[] = {
        { 0, "bool_values", TN_DESC_INTS },
        { 2, "int32_values", TN_DESC_INTS },
        { 3, "int64_values", TN_DESC_LONGS },
        { 5, "fp32_values", TN_DESC_FLOATS },
        { 6, "fp64_values", TN_DESC_DOUBLES },
    };
    const struct tn_tree *attr = tn_pir_op_attr(from, "dtype");
    int dtype = tn_pir_dtype_number(tn_tree_text(tn_tree_member(attr, "D")));

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (lists[i].number != dtype)
            continue;
        if (!tn_pir_value_as(value, lists[i].type, m->arena, m->error))
            return false;
        tn_pir_put_desc(&op->attrs, tn_text(lists[i].name), value);
        if (!tn_pir_op_attr(from, "shape")) {
            struct tn_pir_value shape = tn_pir_int_value(
                m->arena, TN_DESC_INTS, value->count, m->error);
            tn_pir_put_desc(&op->attrs, tn_text("shape"), &shape);
        }
        return true;
    }
    return false;
}

/* A list that is one number for all axes; none is 0. */
static void put_first(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      struct tn_bytes name, const struct tn_pir_value *value)
{
    double *real = tn_new(m->arena, double, 1, m->error);

    if (!real)
        return;
    *real                   = tn_pir_real_at(value, 0);
    struct tn_pir_value one = { .type  = TN_DESC_FLOAT,
                                .count = 1,
                                .reals = real };
    tn_pir_put_desc(&op->attrs, name, &one);
}

static void put_ruled(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      const struct tn_pir_op        *from,
                      const struct tn_pir_attr_rule *rule,
                      const struct tn_tree          *attr)
{
    struct tn_pir_value value;
    bool is_read = tn_pir_value_read(attr, m->arena, &value, m->error);

    if (rule->kind == TN_PIR_PLACE) {
        struct tn_bytes now = tn_pirm_text_of(m, tn_tree_member(attr, "D"));
        if (!rule->fallback ||
            !tn_bytes_equal(now, tn_pirm_text_of(m, rule->fallback)))
            put_kept(m, op, rule->pir, attr);
        return;
    }
    if (is_read && rule->kind == TN_PIR_VALUES) {
        if (!put_values(m, op, from, &value))
            put_kept(m, op, rule->pir, attr);
        return;
    }
    if (is_read && rule->kind == TN_PIR_FLOAT_PLUS) {
        put_first(m, op, rule->legacy, &value);
        return;
    }
    uint8_t type = rule->kind == TN_PIR_FILL ? TN_DESC_DOUBLE
                                             : tn_pir_kind_type(rule->kind);
    if (is_read && tn_pir_value_as(&value, type, m->arena, m->error)) {
        bool is_ours = is_what_we_write(m, attr, &value, rule->kind);
        if (rule->kind == TN_PIR_FILL)
            put_fill(m, op, &value);
        else
            tn_pir_put_desc(&op->attrs, rule->legacy, &value);
        if (is_ours)
            return;
    }
    put_kept(m, op, rule->pir, attr);
}

static bool is_mark(struct tn_bytes name)
{
    return tn_bytes_is(name, "legacy.type") ||
           tn_bytes_is(name, "legacy.axis") ||
           tn_bytes_is(name, "legacy.parts") ||
           tn_bytes_is(name, "legacy.inputs") ||
           tn_bytes_is(name, "legacy.outputs");
}

/* Our writer says `axis` as all axes, and beside it what it was. */
static bool is_set_aside(const struct tn_pir_op        *from,
                         const struct tn_pir_attr_rule *rule)
{
    char name[80];

    snprintf(name, sizeof name, "%.*s", TN_FMT(rule->legacy));
    return !tn_bytes_equal(rule->legacy, rule->pir) &&
           tn_pir_op_attr(from, name);
}

static void put_attrs(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      const struct tn_pir_op *from)
{
    for (const struct tn_tree *a      = from->attrs->first;
         a && !tn_failed(m->error); a = a->next) {
        struct tn_bytes       name = tn_tree_text(tn_tree_member(a, "N"));
        const struct tn_tree *attr = tn_tree_member(a, "AT");
        const struct tn_pir_attr_rule *rule = NULL;
        for (uint32_t i = 0; from->rule && i < from->rule->attr_count; i++)
            if (tn_bytes_equal(from->rule->attrs[i].pir, name))
                rule = &from->rule->attrs[i];
        if (is_mark(name) || (rule && is_set_aside(from, rule)))
            continue;
        if (rule)
            put_ruled(m, op, from, rule, attr);
        else
            tn_pirm_put_natural(m, op, name, attr);
    }
}

/* ---- operators by rule -------------------------------------------------- */

const struct tn_pir_result *tn_pirm_operand(struct tn_pir_maker    *m,
                                            const struct tn_pir_op *op,
                                            uint32_t                index)
{
    static const struct tn_pir_result none;

    if (index >= op->operand_count || op->operands[index] == TN_NONE)
        return &none;
    return tn_pir_result_at(m->scan, op->operands[index]);
}

/* An attribute that only a tensor knows the value of. */
static void put_variable(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                         struct tn_bytes name, const struct tn_pir_result *row)
{
    struct tn_pir_value value = { .type  = row->name_count == 1 ? TN_DESC_VAR
                                                                : TN_DESC_VARS,
                                  .count = row->name_count,
                                  .texts = row->names };

    (void)m;
    if (row->name_count)
        tn_pir_put_desc(&op->attrs, name, &value);
}

static void put_operand(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                        const struct tn_pir_op *from, uint32_t index)
{
    const struct tn_pir_port   *port = &from->rule->in[index];
    const struct tn_pir_result *row  = tn_pirm_operand(m, from, index);
    const struct tn_pir_op     *helper;
    struct tn_pir_value         value;

    if (port->is_over)
        return;
    if (port->parts.size &&
        (helper = tn_pir_helper(m->scan, from, index, "legacy.parts"))) {
        row = tn_pirm_operand(m, helper, 0);
        tn_pirm_add_slot(m, op->in, &op->in_count, port->parts, row->names,
                         row->name_count);
    } else if (from->rule->is_aligned && index == 1 &&
               (helper = tn_pir_helper(m->scan, from, 1, "legacy.axis"))) {
        row = tn_pirm_operand(m, helper, 0);
        tn_pirm_add_slot(m, op->in, &op->in_count, port->slot, row->names,
                         row->name_count);
        tn_pirm_put_natural(m, op, tn_text("axis"),
                            tn_pir_op_attr(helper, "legacy.axis"));
    } else if (tn_pir_folds(m->scan, from, index, &value)) {
        char name[80];
        snprintf(name, sizeof name, "%.*s", TN_FMT(port->attr));
        if (!tn_pir_op_attr(from, name)) /* what our writer set aside wins */
            tn_pir_put_desc(&op->attrs, port->attr, &value);
    } else if (port->slot.size) {
        tn_pirm_add_slot(m, op->in, &op->in_count, port->slot, row->names,
                         row->name_count);
    } else {
        put_variable(m, op, port->attr, row);
    }
}

/* The operand in that slot. */
static const struct tn_pir_result *in_slot(struct tn_pir_maker    *m,
                                           const struct tn_pir_op *from,
                                           struct tn_bytes         slot)
{
    for (uint32_t i = 0; i < from->rule->in_count; i++)
        if (tn_bytes_equal(from->rule->in[i].slot, slot))
            return tn_pirm_operand(m, from, i);
    return tn_pirm_operand(m, from, UINT32_MAX);
}

static void put_made(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     const struct tn_pir_op   *from,
                     const struct tn_pir_port *port, uint32_t index,
                     uint32_t count)
{
    const struct tn_pir_result *x = tn_pirm_operand(m, from, 0);
    struct tn_bytes *name = tn_new(m->arena, struct tn_bytes, 1, m->error);

    if (!name || tn_pirm_is_missing(x))
        return;
    *name                 = tn_pirm_temporary(m, op->type, count, index);
    struct tn_pir_var var = { .name = *name, .type = x->type };
    tn_pirm_put_var(m, from->block, &var, true);
    tn_pirm_add_slot(m, op->out, &op->out_count, port->slot, name, 1);
}

static void put_results(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                        const struct tn_pir_op *from)
{
    uint32_t count = tn_pirm_next_count(m, op->type);

    for (uint32_t i = 0; i < from->rule->out_count && !tn_failed(m->error);
         i++) {
        const struct tn_pir_port *port = &from->rule->out[i];
        if (i >= from->result_count) {
            if (port->is_made)
                put_made(m, op, from, port, i, count);
            continue;
        }
        struct tn_pir_result *row =
            tn_pir_result_at(m->scan, from->first_result + i);
        const struct tn_pir_result *as =
            port->alias.size ? in_slot(m, from, port->alias) : NULL;
        if (as && as->name_count && !tn_pirm_is_missing(row))
            tn_pirm_same_names(row, as);
        tn_pirm_declare(m, from->block, row, op->type, count);
        tn_pirm_add_slot(m, op->out, &op->out_count, port->slot, row->names,
                         row->name_count);
    }
}

/* Which of several operators of PIR it was, when our writer would take another
 * (shape64, relu_), and the flag that tells one from the other there. */
static void put_origin(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                       const struct tn_pir_op *from)
{
    const struct tn_pir_rule *rule = from->rule;

    for (uint64_t i = 0; i < m->scan->rules.rows.count; i++) {
        const struct tn_pir_rule *row =
            tn_list_at(&m->scan->rules.rows, struct tn_pir_rule, i);
        if (row == rule)
            break;
        if (tn_bytes_equal(row->legacy, rule->legacy) && row->when.size == 0) {
            tn_pirm_put_text(m, op, "pir.op", from->id);
            break;
        }
    }
    if (rule->when_how == '=' && !rule->is_also)
        tn_pirm_put_int(m, op, "lower", TN_DESC_BOOL, rule->when_value);
}

void tn_pirm_make_ruled(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    struct tn_pir_made_op op;

    if (from->operand_count > from->rule->in_count ||
        from->result_count > from->rule->out_count) {
        tn_error_set(m->error, TN_MALFORMED, from->tree->offset,
                     "%.*s has %" PRIu32 " operands and %" PRIu32
                     " results, at most %" PRIu32 " and %" PRIu32 " are known",
                     TN_FMT(from->id), from->operand_count, from->result_count,
                     from->rule->in_count, from->rule->out_count);
        return;
    }
    tn_pirm_op_begin(m, &op, from->rule->legacy);
    put_attrs(m, &op, from);
    for (uint32_t i = 0; i < from->operand_count && !tn_failed(m->error); i++)
        put_operand(m, &op, from, i);
    put_origin(m, &op, from);
    put_results(m, &op, from);
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, from->block)->ops);
}

/* ---- operators without a rule ------------------------------------------- */

/* The path of the operator that is being made. */
static const char *where_of(struct tn_pir_maker *m, const struct tn_pir_op *op)
{
    const char *path =
        tn_text_format(m->arena, m->error, "%sblocks[0].ops[%" PRIu32 "]",
                       op->block ? "" : "program.regions[0].", m->ordinal);

    return path ? path : "";
}

static void note(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    struct tn_pir_note *row =
        m->told ? tn_list_push(m->told, struct tn_pir_note, m->error) : NULL;

    if (row)
        *row = (struct tn_pir_note){ from->tree->offset, where_of(m, from),
                                     from->id };
}

/* Where the names of slots are, as our writer noted them, one for each operand
 * or result; and one of them. */
static const struct tn_tree *noted_slots(const struct tn_pir_op *from,
                                         const char             *name)
{
    const struct tn_tree *list =
        tn_tree_member(tn_pir_op_attr(from, name), "D");

    return tn_tree_is_list(list) ? list->first : NULL;
}

static struct tn_bytes noted_slot(const struct tn_tree *item)
{
    return tn_tree_text(tn_tree_member(item, "D"));
}

/* How many of them are the same slot. */
static uint32_t run_of(const struct tn_tree *item, uint32_t most)
{
    struct tn_bytes slot  = noted_slot(item);
    uint32_t        count = 0;

    for (; item && count < most && tn_bytes_equal(noted_slot(item), slot);
         item = item->next)
        count++;
    return count;
}

/* Neighbours in one slot are its arguments. */
static void put_noted(struct tn_pir_maker *m, struct tn_pir_slot *slots,
                      uint32_t *slot_count, const struct tn_tree *item,
                      uint32_t first, const uint32_t *operands, uint32_t count)
{
    for (uint32_t i = 0; item && i < count && !tn_failed(m->error);) {
        struct tn_bytes  slot = noted_slot(item);
        uint32_t         run = run_of(item, count - i), used = 0;
        struct tn_bytes *args =
            tn_new(m->arena, struct tn_bytes, run, m->error);
        for (; args && run; run--, i++, item = item->next) {
            uint32_t                    at = operands ? operands[i] : first + i;
            const struct tn_pir_result *row =
                at == TN_NONE ? NULL : tn_pir_result_at(m->scan, at);
            if (row && row->name_count)
                args[used++] = row->names[0];
        }
        if (args && slot.size)
            tn_pirm_add_slot(m, slots, slot_count, slot, args, used);
    }
}

void tn_pirm_make_legacy(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    struct tn_bytes       type = tn_bytes(from->id.data + 7, from->id.size - 7);
    uint32_t              count = tn_pirm_next_count(m, type);
    struct tn_pir_made_op op;

    note(m, from);
    tn_pirm_op_begin(m, &op, type);
    put_attrs(m, &op, from);
    for (uint32_t i = 0; i < from->result_count && !tn_failed(m->error); i++)
        tn_pirm_declare(m, from->block,
                        tn_pir_result_at(m->scan, from->first_result + i), type,
                        count);
    put_noted(m, op.in, &op.in_count, noted_slots(from, "legacy.inputs"), 0,
              from->operands, from->operand_count);
    put_noted(m, op.out, &op.out_count, noted_slots(from, "legacy.outputs"),
              from->first_result, NULL, from->result_count);
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, from->block)->ops);
}

static const char *port_name(struct tn_pir_maker        *m,
                             const struct tn_pir_result *row, char plain,
                             char vector, uint32_t index)
{
    return tn_text_format(m->arena, m->error, "%c%" PRIu32,
                          tn_pirm_is_vector(row) ? vector : plain, index);
}

void tn_pirm_make_unknown(struct tn_pir_maker *m, const struct tn_pir_op *from)
{
    const char *name =
        tn_text_format(m->arena, m->error, "pir.%.*s", TN_FMT(from->id));
    struct tn_bytes       type  = tn_text(name ? name : "");
    uint32_t              count = tn_pirm_next_count(m, type);
    struct tn_pir_made_op op;

    if (from->block_count) {
        tn_error_set(m->error, TN_UNSUPPORTED, from->tree->offset,
                     "%.*s has regions, and is not known here",
                     TN_FMT(from->id));
        return;
    }
    note(m, from);
    tn_pirm_op_begin(m, &op, type);
    put_attrs(m, &op, from);
    for (uint32_t i = 0; i < from->operand_count && !tn_failed(m->error); i++) {
        const struct tn_pir_result *row  = tn_pirm_operand(m, from, i);
        const char                 *port = port_name(m, row, 'I', 'V', i);
        if (port)
            tn_pirm_add_in(m, &op, port, row->names, row->name_count);
    }
    for (uint32_t i = 0; i < from->result_count && !tn_failed(m->error); i++) {
        struct tn_pir_result *row =
            tn_pir_result_at(m->scan, from->first_result + i);
        const char *port = port_name(m, row, 'O', 'W', i);
        tn_pirm_declare(m, from->block, row, type, count);
        if (port)
            tn_pirm_add_out(m, &op, port, row->names, row->name_count);
    }
    tn_pirm_op_end(&op, &tn_pirm_block_at(m, from->block)->ops);
}
