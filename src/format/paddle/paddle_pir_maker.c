/* paddle_pir_maker.c - names, variables and operators of a ProgramDesc */
#include "format/paddle/paddle_pir_maker.h"

#include "wire/pb/pb_write.h"

/* ---- names -------------------------------------------------------------- */

struct tn_pir_made_block *tn_pirm_block_at(struct tn_pir_maker *m,
                                           uint32_t             block)
{
    return tn_list_at(&m->blocks, struct tn_pir_made_block, block);
}

struct tn_bytes tn_pirm_text_of(struct tn_pir_maker  *m,
                                const struct tn_tree *tree)
{
    tn_buffer_clear(&m->text);
    if (tree)
        tn_tree_put(&m->text, tree);
    return tn_bytes_dup(m->arena, tn_buffer_bytes(&m->text), m->error);
}

bool tn_pirm_take_name(struct tn_pir_maker *m, struct tn_bytes name)
{
    if (tn_intern_find(&m->names, name) != TN_NO_NAME)
        return false;
    tn_intern_borrow(&m->names, name, m->error);
    return true;
}

/* STEM, or STEM_1, STEM_2 when that is taken. */
struct tn_bytes tn_pirm_fresh_name(struct tn_pir_maker *m, const char *stem)
{
    const char *name = stem;

    for (unsigned i = 1; name && !tn_pirm_take_name(m, tn_text(name)); i++)
        name = tn_text_format(m->arena, m->error, "%s_%u", stem, i);
    return name ? tn_text(name) : tn_bytes("", 0);
}

/* How many operators of that type there were before. */
uint32_t tn_pirm_next_count(struct tn_pir_maker *m, struct tn_bytes type)
{
    uint32_t id = tn_intern_copy(&m->counters, type, m->error);

    while (!tn_failed(m->error) && m->counts.count <= id)
        tn_list_push(&m->counts, uint32_t, m->error);
    return tn_failed(m->error) ? 0 : (*tn_list_at(&m->counts, uint32_t, id))++;
}

struct tn_bytes tn_pirm_temporary(struct tn_pir_maker *m, struct tn_bytes type,
                                  uint32_t count, uint32_t index)
{
    const char *stem =
        tn_text_format(m->arena, m->error, "%.*s_%" PRIu32 ".tmp_%" PRIu32,
                       TN_FMT(type), count, index);

    return stem ? tn_pirm_fresh_name(m, stem) : tn_bytes("", 0);
}

void tn_pirm_set_name(struct tn_pir_maker *m, struct tn_pir_result *row,
                      struct tn_bytes name)
{
    row->names = tn_new(m->arena, struct tn_bytes, 1, m->error);
    if (row->names) {
        row->names[0]   = name;
        row->name_count = 1;
    }
}

void tn_pirm_same_names(struct tn_pir_result       *row,
                        const struct tn_pir_result *as)
{
    row->names      = as->names;
    row->name_count = as->name_count;
}

/* ---- variables ---------------------------------------------------------- */

enum { VAR_IS_PARAMETER = 5, VAR_STOP_GRADIENT = 6, VAR_ATTRS = 7 };

/* TensorDesc */
static void put_tensor(struct tn_rope *to, uint32_t field, int data_type,
                       const struct tn_tree *dims, bool is_shape_note)
{
    struct tn_rope body;
    int64_t        dim;

    tn_rope_init(&body, to->arena, to->error);
    tn_pb_put_varint(&body, 1, (uint64_t)data_type);
    if (is_shape_note) /* XShape: 0, then the dims of X */
        tn_pb_put_varint(&body, 2, 0);
    for (const struct tn_tree *c = tn_tree_is_list(dims) ? dims->first : NULL;
         c; c                    = c->next)
        if (tn_tree_int(c, &dim))
            tn_pb_put_varint(&body, 2, (uint64_t)dim);
    tn_pb_put_message(to, field, &body);
    tn_rope_done(&body);
}

/* The layout, LoD and offset that nearly all types have. */
static bool is_usual(const struct tn_tree *data)
{
    const struct tn_tree *layout = tn_tree_item(data, 2);
    const struct tn_tree *lod    = tn_tree_item(data, 3);
    const struct tn_tree *offset = tn_tree_item(data, 4);
    int64_t               number = 0;

    return data->count == 5 && tn_bytes_is(tn_tree_text(layout), "NCHW") &&
           tn_tree_is_list(lod) && lod->count == 0 &&
           tn_tree_int(offset, &number) && number == 0;
}

/* VarType; false: the type says more than that. */
static bool put_type(struct tn_rope *to, const struct tn_tree *type,
                     int64_t lod_level, bool is_shape_note)
{
    struct tn_bytes       id        = tn_tree_text(tn_tree_member(type, "#"));
    const struct tn_tree *data      = tn_tree_member(type, "D");
    bool                  is_tensor = tn_bytes_is(id, "0.t_dtensor");
    bool                  is_array  = tn_bytes_is(id, "1.t_dense_tensor_array");
    bool                  is_rows   = tn_bytes_is(id, "1.t_selected_rows");
    const struct tn_tree *item    = tn_tree_member(tn_tree_item(data, 0), "#");
    int                   element = tn_pir_type_number(tn_tree_text(item));
    struct tn_rope        body;

    if ((!is_tensor && !is_array && !is_rows) || element < 0) {
        tn_pb_put_varint(to, 1, TN_PADDLE_RAW);
        return false;
    }
    tn_pb_put_varint(to, 1,
                     is_tensor  ? TN_PADDLE_LOD_TENSOR
                     : is_array ? TN_PADDLE_TENSOR_ARRAY
                                : TN_PADDLE_SELECTED_ROWS);
    if (is_rows) {
        put_tensor(to, 2, element, tn_tree_item(data, 1), false);
        return is_usual(data);
    }
    tn_rope_init(&body, to->arena, to->error);
    put_tensor(&body, 1, element, tn_tree_item(data, 1), is_shape_note);
    if (lod_level)
        tn_pb_put_varint(&body, 2, (uint64_t)lod_level);
    tn_pb_put_message(to, is_tensor ? 3 : 4, &body);
    tn_rope_done(&body);
    return is_array ? tn_bytes_is(tn_tree_text(tn_tree_item(data, 2)), "NCHW")
                    : is_usual(data);
}

/* VarDesc.Attr: name = 1, type = 2, s = 4 */
static void put_var_attr(struct tn_rope *to, const char *name,
                         struct tn_bytes text)
{
    struct tn_rope body;

    tn_rope_init(&body, to->arena, to->error);
    tn_pb_put_text(&body, 1, name);
    tn_pb_put_varint(&body, 2, TN_DESC_STRING);
    tn_pb_put_bytes(&body, 4, text);
    tn_pb_put_message(to, VAR_ATTRS, &body);
    tn_rope_done(&body);
}

void tn_pirm_put_var(struct tn_pir_maker *m, uint32_t block,
                     const struct tn_pir_var *var, bool is_shape_note)
{
    struct tn_rope body, type;
    bool           is_plain = true;

    tn_rope_init(&body, m->arena, m->error);
    tn_rope_init(&type, m->arena, m->error);
    tn_pb_put_bytes(&body, VAR_NAME, var->name);
    if (var->raw_type)
        tn_pb_put_varint(&type, 1, var->raw_type);
    else
        is_plain = put_type(&type, var->type, var->lod_level, is_shape_note);
    tn_pb_put_message(&body, VAR_TYPE, &type);
    tn_pb_put_varint(&body, VAR_PERSISTABLE, var->is_persistable);
    if (var->needs_feed)
        tn_pb_put_varint(&body, VAR_NEED_CHECK_FEED, 1);
    if (var->is_parameter)
        tn_pb_put_varint(&body, VAR_IS_PARAMETER, 1);
    if (var->stop_gradient)
        tn_pb_put_varint(&body, VAR_STOP_GRADIENT, 1);
    if (!is_plain && var->type && !is_shape_note)
        put_var_attr(&body, "pir.type", tn_pirm_text_of(m, var->type));
    if (var->note)
        put_var_attr(&body, var->note, var->note_text);
    tn_pb_put_message(&tn_pirm_block_at(m, block)->vars, BLOCK_VARS, &body);
    tn_rope_done(&body);
    tn_rope_done(&type);
}

bool tn_pirm_is_missing(const struct tn_pir_result *row)
{
    return !row->type ||
           tn_bytes_is(tn_tree_text(tn_tree_member(row->type, "#")), "NULL");
}

bool tn_pirm_is_vector(const struct tn_pir_result *row)
{
    return tn_bytes_is(tn_tree_text(tn_tree_member(row->type, "#")), "0.t_vec");
}

/* Names and variables of a result that an operator of that type makes. */
void tn_pirm_declare(struct tn_pir_maker *m, uint32_t block,
                     struct tn_pir_result *row, struct tn_bytes type,
                     uint32_t count)
{
    const struct tn_tree *list = tn_tree_member(row->type, "D");
    bool              is_list = tn_pirm_is_vector(row) && tn_tree_is_list(list);
    struct tn_pir_var var     = { .stop_gradient = row->stop_gradient,
                                  .type          = row->type };

    if (row->names || tn_pirm_is_missing(row))
        return;
    uint32_t              names = is_list ? list->count : 1;
    const struct tn_tree *item  = is_list ? list->first : row->type;
    row->names = tn_new(m->arena, struct tn_bytes, names, m->error);
    for (uint32_t i = 0; row->names && i < names && !tn_failed(m->error); i++) {
        var.type = item;
        item     = is_list ? item->next : item;
        var.name = row->names[i] =
            row->wish.size && !is_list
                ? row->wish
                : tn_pirm_temporary(m, type, count, row->index + i);
        tn_pirm_put_var(m, block, &var, false);
    }
    row->name_count = row->names ? names : 0;
}

/* ---- operators ---------------------------------------------------------- */

void tn_pirm_op_begin(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      struct tn_bytes type)
{
    op->type     = type;
    op->in_count = op->out_count = 0;
    tn_rope_init(&op->attrs, m->arena, m->error);
}

/* Slots are in the order of their names, as Paddle writes them. */
void tn_pirm_add_slot(struct tn_pir_maker *m, struct tn_pir_slot *slots,
                      uint32_t *count, struct tn_bytes name,
                      const struct tn_bytes *args, uint32_t arg_count)
{
    uint32_t at = *count;

    if (arg_count == 0)
        return;
    if (*count == TN_PIR_SLOT_LIMIT) {
        tn_error_set(m->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d slots", TN_PIR_SLOT_LIMIT);
        return;
    }
    for (; at > 0 && tn_bytes_compare(slots[at - 1].name, name) > 0; at--)
        slots[at] = slots[at - 1];
    slots[at] = (struct tn_pir_slot){ name, args, arg_count };
    (*count)++;
}

void tn_pirm_add_in(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                    const char *name, const struct tn_bytes *args,
                    uint32_t count)
{
    tn_pirm_add_slot(m, op->in, &op->in_count, tn_text(name), args, count);
}

void tn_pirm_add_out(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     const char *name, const struct tn_bytes *args,
                     uint32_t count)
{
    tn_pirm_add_slot(m, op->out, &op->out_count, tn_text(name), args, count);
}

static void put_slots(struct tn_rope *to, uint32_t field,
                      const struct tn_pir_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tn_rope body;
        tn_rope_init(&body, to->arena, to->error);
        tn_pb_put_bytes(&body, SLOT_PARAMETER, slots[i].name);
        for (uint32_t k = 0; k < slots[i].count; k++)
            tn_pb_put_bytes(&body, SLOT_ARGUMENTS, slots[i].args[k]);
        tn_pb_put_message(to, field, &body);
        tn_rope_done(&body);
    }
}

void tn_pirm_op_end(struct tn_pir_made_op *op, struct tn_rope *to)
{
    struct tn_rope body;

    tn_rope_init(&body, to->arena, to->error);
    put_slots(&body, OP_INPUTS, op->in, op->in_count);
    put_slots(&body, OP_OUTPUTS, op->out, op->out_count);
    tn_pb_put_bytes(&body, OP_TYPE, op->type);
    tn_rope_append(&body, &op->attrs);
    tn_pb_put_message(to, BLOCK_OPS, &body);
    tn_rope_done(&body);
    tn_rope_done(&op->attrs);
}

void tn_pirm_put_int(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     const char *name, uint8_t type, int64_t number)
{
    struct tn_pir_value value =
        tn_pir_int_value(m->arena, type, number, m->error);

    tn_pir_put_desc(&op->attrs, tn_text(name), &value);
}

void tn_pirm_put_text(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      const char *name, struct tn_bytes text)
{
    struct tn_pir_value value = tn_pir_text_value(m->arena, text, m->error);

    tn_pir_put_desc(&op->attrs, tn_text(name), &value);
}
