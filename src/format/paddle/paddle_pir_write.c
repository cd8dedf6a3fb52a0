/*
 * paddle_pir_write.c - from a ProgramDesc to PIR
 *
 * First the parameters, in the order of their variables, then the inputs, the
 * operators, the outputs.  Every write to a variable is a value of its own,
 * numbered in the order of the text.  Attributes that became operands are
 * constants before the operator; a slot of several arguments is a 0.combine
 * before it, or a 0.split behind.  `axis` of element-wise operators is a
 * reshape of Y, marked `legacy.axis`; tensors for the elements of a list are a
 * concat, marked `legacy.parts`: reading takes both away again.
 */
#include "format/paddle/paddle_pir_writer.h"

#include <stdio.h>

#include "base/number.h"
#include "base/sort.h"

/* ---- which rule --------------------------------------------------------- */

/* All arguments of all slots have a place: one of a port that is no list is not
 * enough. */
static bool is_covered(const struct tn_desc_slot *slots, uint32_t count,
                       const struct tn_pir_port *ports, uint32_t port_count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_known = slots[i].count == 0;
        for (uint32_t k = 0; k < port_count && !is_known; k++)
            is_known = (tn_bytes_equal(ports[k].slot, slots[i].name) &&
                        (slots[i].count == 1 || ports[k].is_list)) ||
                       tn_bytes_equal(ports[k].parts, slots[i].name);
        if (!is_known)
            return false;
    }
    return true;
}

/* The condition of a row; an attribute that is not there is as it should be
 * for '=', and 0 for '>'. */
static bool holds(const struct tn_pir_rule *rule, const struct tn_desc_op *op)
{
    const struct tn_desc_attr *attr =
        rule->when.size ? tn_desc_attr(op, rule->when) : NULL;

    if (rule->when.size == 0 || (!attr && rule->when_how == '='))
        return true;
    if (!attr || attr->value.count != 1)
        return false;
    double number = attr->value.reals ? tn_pir_real_at(&attr->value, 0)
                                      : (double)tn_pir_int_at(&attr->value, 0);
    return rule->when_how == '=' ? number == (double)rule->when_value
                                 : number > (double)rule->when_value;
}

static const struct tn_pir_rule *find_rule(struct tn_pir_writer    *w,
                                           const struct tn_desc_op *op)
{
    const struct tn_desc_attr *kept = tn_desc_attr(op, tn_text("pir.op"));
    struct tn_bytes            was =
        kept ? tn_pir_text_at(&kept->value, 0) : tn_bytes("", 0);

    for (uint64_t i = 0; i < w->rules.rows.count; i++) {
        const struct tn_pir_rule *rule =
            tn_list_at(&w->rules.rows, struct tn_pir_rule, i);
        if (!tn_bytes_equal(rule->legacy, op->type) || !holds(rule, op) ||
            !is_covered(op->in, op->in_count, rule->in, rule->in_count) ||
            !is_covered(op->out, op->out_count, rule->out, rule->out_count))
            continue;
        if (was.size < 3 ||
            tn_bytes_equal(rule->pir, tn_bytes(was.data + 2, was.size - 2)))
            return rule;
    }
    return NULL;
}

/* ---- operands ----------------------------------------------------------- */

static int64_t operand_constant(struct tn_pir_writer     *w,
                                const struct tn_desc_op  *op,
                                const struct tn_pir_rule *rule,
                                const struct tn_pir_port *port)
{
    struct tn_desc_attr *now   = tn_desc_attr(op, port->attr);
    uint8_t              type  = tn_pir_kind_type(port->kind);
    struct tn_pir_value  value = { .type = type };

    if (now && now->value.type == TN_DESC_VAR) {
        now->is_used = true;
        return tn_pirw_read_name(w, tn_pir_text_at(&now->value, 0)).number;
    }
    if (now && now->value.type == TN_DESC_VARS && now->value.count) {
        struct tn_desc_slot list = { .args  = now->value.texts,
                                     .count = now->value.count };
        now->is_used             = true;
        return tn_pirw_put_parts(w, &list);
    }
    if (tn_pirw_is_over_all(rule, op, port->attr))
        return tn_pirw_put_constant(w, &value);
    if (now)
        value = now->value;
    bool has_value = now && tn_pir_value_as(&value, type, w->arena, w->error);
    if (now)
        now->is_used = has_value;
    if (!has_value && port->fallback)
        has_value = tn_pir_value_bare(port->fallback, port->kind, w->arena,
                                      &value, w->error) &&
                    tn_pir_value_as(&value, type, w->arena, w->error);
    return has_value ? tn_pirw_put_constant(w, &value) : 0;
}

static int64_t operand_aligned(struct tn_pir_writer    *w,
                               const struct tn_desc_op *op,
                               struct tn_pir_bound      y)
{
    struct tn_desc_attr       *attr = tn_desc_attr(op, tn_text("axis"));
    const struct tn_desc_slot *x =
        tn_desc_slot(op->in, op->in_count, tn_text("X"));
    struct tn_pir_bound *first =
        x ? tn_pirw_bound_of(w, tn_desc_arg(x, 0)) : NULL;

    if (!attr || !attr->value.ints || attr->value.count != 1 || !first ||
        !first->dims || !y.dims)
        return y.number;
    int64_t axis = tn_pir_int_at(&attr->value, 0);
    if (axis < 0 || first->rank <= y.rank ||
        axis >= (int64_t)first->rank - (int64_t)y.rank)
        return y.number;
    attr->is_used = true;
    return tn_pirw_put_aligned(w, y, first->rank, axis);
}

/* The array that is written to; the first to write to it makes it. */
static int64_t operand_over(struct tn_pir_writer     *w,
                            const struct tn_desc_op  *op,
                            const struct tn_pir_port *port)
{
    const struct tn_desc_slot *slot =
        tn_desc_slot(op->out, op->out_count, port->slot);
    const struct tn_pir_bound *bound =
        slot ? tn_pirw_bound_of(w, tn_desc_arg(slot, 0)) : NULL;

    if (!bound)
        return 0;
    return bound->number ? bound->number : tn_pirw_put_array(w, bound);
}

static int64_t operand(struct tn_pir_writer *w, const struct tn_desc_op *op,
                       const struct tn_pir_rule *rule, uint32_t index)
{
    const struct tn_pir_port  *port = &rule->in[index];
    const struct tn_desc_slot *parts =
        port->parts.size ? tn_desc_slot(op->in, op->in_count, port->parts)
                         : NULL;
    const struct tn_desc_slot *slot =
        port->slot.size ? tn_desc_slot(op->in, op->in_count, port->slot) : NULL;

    if (port->is_over)
        return operand_over(w, op, port);
    if (parts)
        return tn_pirw_put_parts(w, parts);
    if (slot && port->is_list)
        return tn_pirw_put_combine(w, slot);
    if (slot && rule->is_aligned && index == 1)
        return operand_aligned(w, op,
                               tn_pirw_read_name(w, tn_desc_arg(slot, 0)));
    if (slot)
        return tn_pirw_read_name(w, tn_desc_arg(slot, 0)).number;
    return port->attr.size ? operand_constant(w, op, rule, port) : 0;
}

/* ---- results ------------------------------------------------------------ */

static struct tn_pir_bound result_of(struct tn_pir_writer *w,
                                     struct tn_bytes       name)
{
    struct tn_pir_bound *bound = tn_pirw_bound_of(w, name);

    if (bound)
        return *bound;
    return (struct tn_pir_bound){ .type =
                                      tn_pirw_tensor_type(w, 255, NULL, 0) };
}

static struct tn_pir_bound list_result(struct tn_pir_writer      *w,
                                       const struct tn_desc_slot *slot)
{
    struct tn_pir_bound *items =
        tn_new(w->arena, struct tn_pir_bound, slot->count, w->error);

    for (uint32_t i = 0; items && i < slot->count; i++)
        items[i] = result_of(w, tn_desc_arg(slot, i));
    return (struct tn_pir_bound){ .type = items ? tn_pirw_vector_type(
                                                      w, items, slot->count)
                                                : tn_bytes(NULL, 0) };
}

/* 0.split, behind the operator that made the list. */
static void put_split(struct tn_pir_writer *w, const struct tn_desc_slot *slot,
                      int64_t list)
{
    struct tn_pir_line line;

    tn_pirw_line_begin(w, &line, "0.split");
    tn_pirw_line_in(w, &line, list);
    for (uint32_t i = 0; i < slot->count; i++)
        tn_pirw_line_out(w, &line, result_of(w, tn_desc_arg(slot, i)));
    if (tn_failed(w->error))
        return;
    tn_pirw_line_end(w, &line);
    for (uint32_t i = 0; i < slot->count; i++)
        tn_pirw_bind(w, tn_desc_arg(slot, i), line.out[i]);
}

static void bind_results(struct tn_pir_writer *w, const struct tn_desc_op *op,
                         const struct tn_pir_rule *rule,
                         const struct tn_pir_line *line)
{
    for (uint32_t i = 0; i < line->out_count && !tn_failed(w->error); i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(op->out, op->out_count, rule->out[i].slot);
        if (slot && rule->out[i].is_list)
            put_split(w, slot, line->out[i].number);
        else if (slot)
            tn_pirw_bind(w, tn_desc_arg(slot, 0), line->out[i]);
    }
}

static void put_by_rule(struct tn_pir_writer *w, const struct tn_desc_op *op,
                        const struct tn_pir_rule *rule)
{
    const char *id =
        tn_text_format(w->arena, w->error, "1.%.*s", TN_FMT(rule->pir));
    int64_t            in[TN_PIR_PORT_LIMIT];
    struct tn_pir_line line;

    for (uint32_t i = 0; i < rule->in_count && !tn_failed(w->error); i++)
        in[i] = operand(w, op, rule, i);
    tn_pirw_line_begin(w, &line, id);
    if (tn_failed(w->error))
        return;
    for (uint32_t i = 0; i < rule->in_count; i++)
        tn_pirw_line_in(w, &line, in[i]);
    for (uint32_t i = 0; i < rule->attr_count; i++)
        tn_pirw_put_ruled(w, op, rule, &rule->attrs[i]);
    tn_pirw_put_others(w, op, rule);
    if (rule->is_also) {
        tn_pirw_attr_begin(w);
        tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
        tn_pir_put_string(&w->attrs, rule->legacy);
        tn_buffer_byte(&w->attrs, '}');
        tn_pirw_attr_end(w, "", tn_text("legacy.type"));
    }
    for (uint32_t i = 0; i < rule->out_count && !rule->out[i].is_made; i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(op->out, op->out_count, rule->out[i].slot);
        struct tn_pir_bound made = { .number = 0 };
        if (slot)
            made = rule->out[i].is_list ? list_result(w, slot)
                                        : result_of(w, tn_desc_arg(slot, 0));
        if (rule->out[i].alias.size && line.out_count)
            made.stop_gradient = line.out[0].stop_gradient; /* the variable's
                                                    flag is the input's */
        tn_pirw_line_out(w, &line, made);
    }
    tn_pirw_line_end(w, &line);
    bind_results(w, op, rule, &line);
}

/* ---- operators without a rule ------------------------------------------- */

static void put_slot_names(struct tn_pir_writer      *w,
                           const struct tn_desc_slot *slots, uint32_t count,
                           const char *name)
{
    bool has_any = false;

    tn_pirw_attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"0.a_array\",\"D\":[");
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < slots[i].count; k++) {
            tn_buffer_text(&w->attrs, has_any ? "," : "");
            tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
            tn_pir_put_string(&w->attrs, slots[i].name);
            tn_buffer_byte(&w->attrs, '}');
            has_any = true;
        }
    tn_buffer_text(&w->attrs, "]}");
    tn_pirw_attr_end(w, "", tn_text(name));
}

static bool has_block(const struct tn_desc_op *op)
{
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].value.type == TN_DESC_BLOCK ||
            op->attrs[i].value.type == TN_DESC_BLOCKS)
            return true;
    return false;
}

/* All arguments of all slots, one by one; two attributes say which is where. */
static void put_legacy(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const char *id =
        tn_text_format(w->arena, w->error, "legacy.%.*s", TN_FMT(op->type));
    struct tn_pir_line line;

    if (has_block(op)) {
        tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                     "%.*s has a block of its own, which is not written as PIR",
                     TN_FMT(op->type));
        return;
    }
    tn_pirw_lose(
        w, id ? id : "",
        "Paddle 3 has no such operator; it is written under this name, for "
        "reading back only");
    tn_pirw_line_begin(w, &line, id);
    for (uint32_t i = 0; i < op->in_count; i++)
        for (uint32_t k = 0; k < op->in[i].count; k++)
            tn_pirw_line_in(
                w, &line,
                tn_pirw_read_name(w, tn_desc_arg(&op->in[i], k)).number);
    for (uint32_t i = 0; i < op->out_count; i++)
        for (uint32_t k = 0; k < op->out[i].count; k++)
            tn_pirw_line_out(w, &line,
                             result_of(w, tn_desc_arg(&op->out[i], k)));
    put_slot_names(w, op->in, op->in_count, "legacy.inputs");
    put_slot_names(w, op->out, op->out_count, "legacy.outputs");
    tn_pirw_put_others(w, op, NULL);
    if (tn_failed(w->error))
        return;
    tn_pirw_line_end(w, &line);
    uint32_t next = 0;
    for (uint32_t i = 0; i < op->out_count; i++)
        for (uint32_t k = 0; k < op->out[i].count; k++)
            tn_pirw_bind(w, tn_desc_arg(&op->out[i], k), line.out[next++]);
}

/* pir.1.foo, as our reader named its slots: I0, V1, ... and O0, W1, ...  The
 * slot of every number; those that are missing stay without arguments. */
struct numbered {
    struct tn_desc_slot slots[TN_PIR_PORT_LIMIT];
    uint32_t            count;
};

static bool is_numbered(const struct tn_desc_slot *slot, const char *letters,
                        int64_t *number)
{
    struct tn_bytes name = slot->name;

    return name.size >= 2 && strchr(letters, name.data[0]) && name.data[0] &&
           tn_int64_parse(tn_bytes(name.data + 1, name.size - 1), number) &&
           *number >= 0 && *number < TN_PIR_PORT_LIMIT;
}

static void find_numbered(struct tn_pir_writer *w, const struct tn_desc_op *op,
                          const struct tn_desc_slot *slots, uint32_t count,
                          const char *letters, struct numbered *found)
{
    int64_t at;

    memset(found, 0, sizeof *found);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        if (slots[i].count == 0)
            continue;
        if (!is_numbered(&slots[i], letters, &at) || found->slots[at].count) {
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s: slot '%.*s' is not %c or %c and a number of "
                         "its own below %d",
                         TN_FMT(op->type), TN_FMT(slots[i].name), letters[0],
                         letters[1], TN_PIR_PORT_LIMIT);
            return;
        }
        found->slots[at] = slots[i];
        if (found->count <= (uint32_t)at)
            found->count = (uint32_t)at + 1;
    }
}

static bool is_vector_slot(const struct tn_desc_slot *slot, char letter)
{
    return slot->count && slot->name.data[0] == letter;
}

static void put_unknown(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const char *id =
        tn_text_format(w->arena, w->error, "%.*s", (int)(op->type.size - 4),
                       (const char *)op->type.data + 4);
    int64_t            in[TN_PIR_PORT_LIMIT];
    struct numbered    from, to;
    struct tn_pir_line line;

    find_numbered(w, op, op->in, op->in_count, "IV", &from);
    find_numbered(w, op, op->out, op->out_count, "OW", &to);
    for (uint32_t i = 0; i < from.count && !tn_failed(w->error); i++)
        in[i] =
            is_vector_slot(&from.slots[i], 'V')
                ? tn_pirw_put_combine(w, &from.slots[i])
            : from.slots[i].count
                ? tn_pirw_read_name(w, tn_desc_arg(&from.slots[i], 0)).number
                : 0;
    if (tn_failed(w->error))
        return;
    tn_pirw_line_begin(w, &line, id);
    for (uint32_t i = 0; i < from.count; i++)
        tn_pirw_line_in(w, &line, in[i]);
    tn_pirw_put_others(w, op, NULL);
    for (uint32_t i = 0; i < to.count; i++)
        tn_pirw_line_out(
            w, &line,
            is_vector_slot(&to.slots[i], 'W') ? list_result(w, &to.slots[i])
            : to.slots[i].count ? result_of(w, tn_desc_arg(&to.slots[i], 0))
                                : (struct tn_pir_bound){ .number = 0 });
    if (tn_failed(w->error))
        return;
    tn_pirw_line_end(w, &line);
    for (uint32_t i = 0; i < to.count; i++)
        if (is_vector_slot(&to.slots[i], 'W'))
            put_split(w, &to.slots[i], line.out[i].number);
        else if (to.slots[i].count)
            tn_pirw_bind(w, tn_desc_arg(&to.slots[i], 0), line.out[i]);
}

/* ---- parameters, inputs, outputs ---------------------------------------- */

/* Whole numbers between spaces, as many as there are; the others stay. */
static void read_flags(struct tn_bytes text, int64_t flags[5])
{
    for (uint32_t i = 0; i < 5 && text.size; i++) {
        size_t size = 0;
        while (size < text.size && text.data[size] != ' ')
            size++;
        tn_int64_parse(tn_bytes(text.data, size), &flags[i]);
        size += size < text.size;
        text = tn_bytes(text.data + size, text.size - size);
    }
}

static void put_parameter(struct tn_pir_writer *w, struct tn_desc_var *var)
{
    int64_t             flags[5] = { 0, 1, 1, 1, !var->stop_gradient };
    struct tn_pir_bound bound    = tn_pirw_unborn(w, var);

    read_flags(var->flags, flags);
    bound.number = w->next++;
    tn_buffer_format(
        w->to, "%s{\"#\":\"p\",\"A\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",",
        w->has_ops ? "," : "", flags[0], flags[1], flags[2]);
    w->has_ops = true;
    tn_pir_put_string(w->to, var->var.name);
    tn_buffer_format(
        w->to, "],\"DA\":[],\"O\":{\"%%\":%" PRId64 ",\"TT\":", bound.number);
    tn_buffer_add(w->to, bound.type);
    tn_buffer_format(w->to, "},\"OA\":[%" PRId64 ",%d,%" PRId64 "],\"QA\":[]}",
                     flags[3], var->stop_gradient, flags[4]);
    tn_pirw_bind(w, var->var.name, bound);
}

static struct tn_desc_var *find_var(struct tn_pir_writer *w,
                                    struct tn_bytes       name)
{
    struct tn_desc_block *block = &w->desc.blocks[0];

    for (uint32_t i = 0; i < block->var_count; i++)
        if (tn_bytes_equal(block->vars[i].var.name, name))
            return &block->vars[i];
    return NULL;
}

static void put_string_attr(struct tn_pir_writer *w, const char *name,
                            struct tn_bytes text)
{
    tn_pirw_attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
    tn_pir_put_string(&w->attrs, text);
    tn_buffer_byte(&w->attrs, '}');
    tn_pirw_attr_end(w, "", tn_text(name));
}

/* `op` is the feed operator; NULL: there is none, it is only declared. */
static void put_data(struct tn_pir_writer *w, struct tn_desc_var *var,
                     const struct tn_desc_op *op)
{
    const char        *dtype = tn_pir_dtype_word(var->var.data_type);
    struct tn_pir_line line;
    char               text[80];

    tn_pirw_line_begin(w, &line, "1.data");
    put_string_attr(w, "name", var->var.name);
    tn_pirw_attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"1.a_intarray\",\"D\":");
    tn_pirw_put_dims(&w->attrs, var->var.dims, var->var.rank);
    tn_buffer_byte(&w->attrs, '}');
    tn_pirw_attr_end(w, "", tn_text("shape"));
    snprintf(text, sizeof text, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
             dtype ? dtype : "Undefined(ALL_DTYPE)");
    tn_pirw_attr_text(w, "dtype", text);
    if (!op || !tn_desc_attr(op, tn_text("pir.place")))
        tn_pirw_attr_text(w, "place", "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}");
    if (var->var.lod_level) {
        snprintf(text, sizeof text, "{\"#\":\"0.a_i32\",\"D\":%d}",
                 var->var.lod_level);
        tn_pirw_attr_text(w, "legacy.lod_level", text);
        w->ragged_inputs++;
        tn_pirw_lose(w, "",
                     "an input of ragged sequences: Paddle 3 knows none");
    }
    if (op)
        tn_pirw_put_others(w, op, NULL);
    if (var->var.has_desc && !tn_pir_type_id(var->var.data_type))
        tn_pirw_lose(w, "",
                     "the shape of an input whose element type PIR has "
                     "no word for");
    tn_pirw_line_out(w, &line, tn_pirw_unborn(w, var));
    tn_pirw_line_end(w, &line);
    tn_pirw_bind(w, var->var.name, line.out[0]);
}

static int64_t col_of(const struct tn_desc_op *op)
{
    struct tn_desc_attr *col = tn_desc_attr(op, tn_text("col"));

    if (!col || !col->value.ints || col->value.count != 1)
        return 0;
    col->is_used = true;
    return tn_pir_int_at(&col->value, 0);
}

static void put_fetch(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_slot *slot =
        tn_desc_slot(op->in, op->in_count, tn_text("X"));
    struct tn_desc_attr *kept = tn_desc_attr(op, tn_text("pir.name"));
    struct tn_pir_line   line;
    char                 text[64];

    if (!slot || slot->count != 1) {
        tn_error_set(w->error, TN_MALFORMED, op->offset,
                     "a fetch has one argument in the slot X, not %" PRIu32,
                     slot ? slot->count : 0);
        return;
    }
    struct tn_pir_bound bound = tn_pirw_read_name(w, tn_desc_arg(slot, 0));
    struct tn_bytes     name  = tn_desc_arg(slot, 0);
    if (kept && kept->value.texts && kept->value.count)
        name = tn_pir_text_at(&kept->value, 0);
    tn_pirw_line_begin(w, &line, "1.fetch");
    put_string_attr(w, "name", name);
    snprintf(text, sizeof text, "{\"#\":\"0.a_i32\",\"D\":%" PRId64 "}",
             col_of(op));
    tn_pirw_attr_text(w, "col", text);
    tn_pirw_put_others(w, op, NULL);
    tn_pirw_line_in(w, &line, bound.number);
    tn_pirw_line_out(w, &line, bound);
    line.is_persistable = true;
    if (!tn_failed(w->error))
        tn_pirw_line_end(w, &line);
}

/* ---- the program -------------------------------------------------------- */

static bool is_left_of(const void *left, const void *right)
{
    const struct tn_desc_op *a = left, *b = right;
    int64_t                  x = col_of(a), y = col_of(b);

    return x != y ? x < y : a < b;
}

/* The feed or fetch operators, by their column. */
static const struct tn_desc_op **ports(struct tn_pir_writer *w,
                                       const char *type, uint32_t *count)
{
    struct tn_desc_block     *block = &w->desc.blocks[0];
    const struct tn_desc_op **list =
        tn_new(w->arena, const struct tn_desc_op *, block->op_count, w->error);

    *count = 0;
    for (uint32_t i = 0; list && i < block->op_count; i++)
        if (tn_bytes_is(block->ops[i].type, type)) {
            col_of(&block->ops[i]); /* said by the order */
            list[(*count)++] = &block->ops[i];
        }
    if (list)
        tn_sort((const void **)(void *)list, *count, is_left_of);
    return list;
}

static void put_inputs(struct tn_pir_writer *w)
{
    struct tn_desc_block     *block = &w->desc.blocks[0];
    uint32_t                  count;
    const struct tn_desc_op **feeds = ports(w, "feed", &count);

    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(feeds[i]->out, feeds[i]->out_count, tn_text("Out"));
        struct tn_desc_var *var = find_var(w, tn_desc_arg(slot, 0));
        if (var && slot->count == 1)
            put_data(w, var, feeds[i]);
        else
            tn_error_set(w->error, TN_MALFORMED, feeds[i]->offset,
                         "a feed gives one variable of the first block in the "
                         "slot Out, not '%.*s'",
                         TN_FMT(tn_desc_arg(slot, 0)));
    }
    for (uint32_t i = 0; count == 0 && i < block->var_count; i++)
        if (block->vars[i].var.needs_feed && !tn_failed(w->error))
            put_data(w, &block->vars[i], NULL);
}

/* PIR has no word for what has no name, and no second slot of one name. */
static void check_slots(struct tn_pir_writer *w, const struct tn_desc_op *op,
                        const struct tn_desc_slot *slots, uint32_t count)
{
    if (count > TN_PIR_PORT_LIMIT)
        tn_error_set(w->error, TN_LIMIT, op->offset,
                     "%.*s has %" PRIu32 " slots, limit %d", TN_FMT(op->type),
                     count, TN_PIR_PORT_LIMIT);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        if (slots[i].count == 0)
            continue;
        if (slots[i].name.size == 0)
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s has a slot without a name, which cannot be "
                         "written as PIR",
                         TN_FMT(op->type));
        else if (tn_desc_slot(slots, i, slots[i].name))
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s has the slot '%.*s' twice, which cannot be "
                         "written as PIR",
                         TN_FMT(op->type), TN_FMT(slots[i].name));
    }
}

static bool is_sayable(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    if (op->type.size == 0)
        tn_error_set(w->error, TN_MALFORMED, op->offset,
                     "an operator without a type");
    check_slots(w, op, op->in, op->in_count);
    check_slots(w, op, op->out, op->out_count);
    for (uint32_t i = 0; i < op->attr_count && !tn_failed(w->error); i++)
        if (op->attrs[i].name.size == 0)
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s has an attribute without a name, which cannot "
                         "be written as PIR",
                         TN_FMT(op->type));
    return !tn_failed(w->error);
}

static void put_op(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_attr *module =
        tn_desc_attr(op, tn_text("struct_name"));

    bool is_port =
        tn_bytes_is(op->type, "feed") || tn_bytes_is(op->type, "fetch");

    if (is_port && w->depth)
        tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                     "a %.*s in a block inside cannot be written as PIR",
                     TN_FMT(op->type));
    if (!is_sayable(w, op) || is_port)
        return;
    w->struct_name =
        module ? tn_pir_text_at(&module->value, 0) : tn_bytes("", 0);
    if (tn_pirw_put_flow(w, op))
        return;
    const struct tn_pir_rule *rule = find_rule(w, op);
    if (rule && !has_block(op))
        put_by_rule(w, op, rule);
    else if (tn_pir_is_reserved(op->type, "pir."))
        put_unknown(w, op);
    else
        put_legacy(w, op);
}

void tn_pirw_put_ops(struct tn_pir_writer *w, uint32_t index)
{
    struct tn_desc_block *block = &w->desc.blocks[index];

    for (uint32_t i = 0; i < block->op_count && !tn_failed(w->error); i++) {
        put_op(w, &block->ops[i]);
        if (tn_failed(w->error))
            tn_error_where(w->error, "blocks[%" PRIu32 "].ops[%" PRIu32 "]",
                           index, i);
    }
}

/* All variables have names, and parameters are the program's. */
static void check_vars(struct tn_pir_writer *w)
{
    for (uint32_t i = 0; i < w->desc.block_count; i++)
        for (uint32_t k = 0; k < w->desc.blocks[i].var_count; k++) {
            const struct tn_paddle_var *var = &w->desc.blocks[i].vars[k].var;
            if (var->name.size == 0)
                tn_error_set(w->error, TN_MALFORMED, var->wire.offset,
                             "a variable without a name");
            else if (i > 0 && tn_paddle_var_is_stored(var))
                tn_error_set(w->error, TN_UNSUPPORTED, var->wire.offset,
                             "'%.*s' is a parameter of a block inside: PIR has "
                             "parameters in the outermost alone",
                             TN_FMT(var->name));
            if (tn_failed(w->error)) {
                tn_error_where(w->error,
                               "blocks[%" PRIu32 "].vars[%" PRIu32 "]", i, k);
                return;
            }
        }
}

static void put_block(struct tn_pir_writer *w)
{
    struct tn_desc_block *block = &w->desc.blocks[0];

    check_vars(w);
    for (uint32_t i = 0; i < block->var_count && !tn_failed(w->error); i++) {
        struct tn_desc_var *var = &block->vars[i];
        if (tn_paddle_var_is_stored(&var->var))
            put_parameter(w, var);
        else if (var->var.type != TN_PADDLE_FEED &&
                 var->var.type != TN_PADDLE_FETCH)
            tn_pirw_bind(w, var->var.name, tn_pirw_unborn(w, var));
    }
    if (tn_failed(w->error))
        return;
    put_inputs(w);
    tn_pirw_put_ops(w, 0);
    if (tn_failed(w->error))
        return;
    uint32_t                  count;
    const struct tn_desc_op **fetches = ports(w, "fetch", &count);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++)
        put_fetch(w, fetches[i]);
}

/* A value that an operator makes has no attribute to keep its level in. */
static uint64_t count_ragged(const struct tn_pir_writer *w)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < w->desc.block_count; i++)
        for (uint32_t k = 0; k < w->desc.blocks[i].var_count; k++)
            count += w->desc.blocks[i].vars[k].var.lod_level != 0;
    return count > w->ragged_inputs ? count - w->ragged_inputs : 0;
}

static void say_losses(struct tn_pir_writer *w)
{
    char     what[120];
    uint64_t ragged = count_ragged(w);

    if (ragged) {
        snprintf(what, sizeof what,
                 "left behind: LoDTensorDesc.lod_level (%" PRIu64 " times)",
                 ragged);
        tn_pirw_lose(w, "", what);
    }

    for (uint32_t i = 1; i < w->desc.block_count; i++)
        if (!w->is_entered[i]) {
            snprintf(what, sizeof what, "blocks[%" PRIu32 "]", i);
            tn_pirw_lose(w, what, "no operator has this block");
        }
    if (w->desc.callstack_count) {
        snprintf(what, sizeof what,
                 "%" PRIu64 " attributes that quote source code are left out",
                 w->desc.callstack_count);
        tn_pirw_lose(w, "op_callstack", what);
    }
    if (w->desc.has_op_versions)
        tn_pirw_lose(w, "op_version_map", "PIR has no versions of operators");
}

static void put_program(struct tn_pir_writer *w)
{
    tn_buffer_text(w->to,
                   "{\"base_code\":{\"magic\":\"pir\",\"trainable\":true,"
                   "\"version\":1},\"program\":{\"regions\":[{\"#\":"
                   "\"region_0\",\"blocks\":[{\"#\":\"block_0\",\"args\":[],"
                   "\"ops\":[");
    put_block(w);
    tn_buffer_text(w->to, "]}]}]}}");
}

/* clang-format off */
static const struct tn_rest_row taken[] = {
    { TN_PADDLE_MESSAGE, NULL, "blocks op_version_map!" },
    { "paddle.framework.proto.BlockDesc", NULL, "idx! parent_idx! vars ops" },
    { "paddle.framework.proto.VarDesc", NULL, "name! type! persistable! is_parameter! stop_gradient! need_check_feed!" },
    { "paddle.framework.proto.OpDesc", NULL, "inputs! outputs! type! attrs!" },
    { NULL, NULL, NULL },
};
/* clang-format on */

static void say_rest(struct tn_pir_writer *w, struct tn_span program,
                     struct tn_memory *memory)
{
    struct tn_rest rest = { .schema       = TN_PB_PADDLE,
                            .message      = TN_PADDLE_MESSAGE,
                            .taken        = taken,
                            .path         = "",
                            .loss         = w->loss,
                            .loss_context = w->loss_context };

    if (w->loss && !tn_failed(w->error))
        tn_rest_tell(&rest, program, memory, w->error);
}

enum tn_status tn_pir_from_program(struct tn_span    program,
                                   struct tn_memory *memory,
                                   struct tn_buffer *to, tn_on_loss *loss,
                                   void *loss_context, struct tn_error *error)
{
    struct tn_arena      arena;
    struct tn_pir_writer w = { .arena        = &arena,
                               .error        = error,
                               .to           = to,
                               .next         = 1,
                               .loss         = loss,
                               .loss_context = loss_context };

    tn_arena_init(&arena, memory);
    tn_buffer_init(&w.attrs, memory, error);
    tn_buffer_init(&w.scratch, memory, error);
    tn_intern_init(&w.names, &arena);
    tn_list_init(&w.bounds, memory, sizeof(struct tn_pir_bound));
    tn_list_init(&w.undo, memory, sizeof(struct tn_pir_undo));
    if (tn_pir_rules_read(&w.rules, &arena, tn_pir_rules_text(), error) ==
            TN_OK &&
        tn_desc_read(&w.desc, program, &arena, error) == TN_OK &&
        (w.is_entered = tn_new(&arena, bool, w.desc.block_count, error))) {
        w.region_count = 1;
        put_program(&w);
        if (!tn_failed(error)) {
            say_losses(&w);
            say_rest(&w, program, memory);
        }
    }
    tn_pir_rules_done(&w.rules);
    tn_list_done(&w.undo);
    tn_list_done(&w.bounds);
    tn_intern_done(&w.names);
    tn_buffer_done(&w.scratch);
    tn_buffer_done(&w.attrs);
    tn_arena_done(&arena);
    return error->status;
}
