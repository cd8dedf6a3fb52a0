/*
 * sd_control.c - control dependencies: what must have run before an operation
 *
 * They name a variable, or an operation, which stands for its first output.
 * Real files have some that name an output which has another name by now: often
 * their own.  Those mean nothing, and `check` tells them.
 */
#include "format/samediff/sd_graph.h"

uint32_t tn_sd_value_named(struct tn_sd_reader *r, struct tn_bytes name)
{
    if (tn_failed(r->error))
        return TN_NONE;
    return tn_model_value(r->model, r->graph,
                          tn_intern_borrow(&r->model->names, name, r->error),
                          r->error);
}

void tn_sd_index_ops(struct tn_sd_reader *r, const struct tn_fb_vector *ops,
                     uint16_t name_slot)
{
    for (uint32_t i = 0; i < ops->count && !tn_failed(r->error); i++) {
        struct tn_fb_table table = tn_fb_vector_table(ops, i);
        uint32_t           known = tn_intern_count(&r->op_names);
        struct tn_bytes    name  = tn_fb_string(&table, name_slot);
        if (tn_intern_borrow(&r->op_names, name, r->error) != known)
            continue;
        uint64_t *at = tn_list_push(&r->op_tables, uint64_t, r->error);
        if (at)
            *at = table.at;
    }
}

/* The first output of the op of that name; .data NULL: there is none, or it is
 * the op itself. */
static struct tn_bytes output_of(struct tn_sd_reader      *r,
                                 const struct tn_fb_table *op,
                                 struct tn_bytes name, uint16_t outputs_slot)
{
    uint32_t id = tn_intern_find(&r->op_names, name);

    if (id == TN_NO_NAME || id >= r->op_tables.count)
        return tn_bytes(NULL, 0);
    struct tn_fb_table table =
        tn_fb_table_at(op->fb, *tn_list_at(&r->op_tables, uint64_t, id));
    struct tn_fb_vector names = tn_fb_vector(&table, outputs_slot, 4);
    return table.at == op->at ? tn_bytes(NULL, 0)
                              : tn_fb_vector_string(&names, 0);
}

void tn_sd_add_controls(struct tn_sd_reader *r, const struct tn_fb_table *op,
                        uint16_t slot, uint16_t outputs_slot)
{
    struct tn_fb_vector names = tn_fb_vector(op, slot, 4);

    for (uint32_t i = 0; i < names.count && !tn_failed(r->error); i++) {
        struct tn_bytes name = tn_fb_vector_string(&names, i);
        if (tn_intern_find(&r->names, name) == TN_NO_NAME)
            name = output_of(r, op, name, outputs_slot);
        if (!name.data)
            continue;
        tn_model_add_input(r->model, tn_sd_value_named(r, name), r->error);
        if (!tn_failed(r->error))
            tn_model_op_at(r->model, (uint32_t)r->model->ops.count - 1)
                ->control_count++;
    }
}
