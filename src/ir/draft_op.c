/* draft_op.c - a model being changed: its ops and their attributes */
#include <inttypes.h>

#include "ir/draft_parts.h"

/* ---- changes ------------------------------------------------------------ */

static struct tn_bytes *keep_all(struct tn_draft   *draft,
                                 const char *const *texts, uint32_t count,
                                 struct tn_error *error)
{
    struct tn_bytes *kept = tn_new(draft->arena, struct tn_bytes, count, error);

    for (uint32_t i = 0; kept && i < count; i++)
        kept[i] = tn_draft_keep(draft, texts[i], error);
    return kept;
}

static struct tn_draft_change *new_change(struct tn_draft *draft,
                                          struct tn_error *error)
{
    struct tn_draft_change *change =
        tn_new(draft->arena, struct tn_draft_change, 1, error);
    struct tn_draft_change **slot =
        change ? tn_list_push(&draft->changes, struct tn_draft_change *, error)
               : NULL;

    if (!slot)
        return NULL;
    tn_list_init(&change->attrs, draft->memory, sizeof(struct tn_draft_attr));
    *slot = change;
    return change;
}

static struct tn_draft_change *change_from_spec(struct tn_draft         *draft,
                                                const struct tn_op_spec *spec,
                                                struct tn_error         *error)
{
    if (!spec->type || !spec->type[0] ||
        spec->control_count > spec->input_count) {
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "an op needs a type, and no more control inputs than "
                     "inputs");
        return NULL;
    }
    struct tn_draft_change *change = new_change(draft, error);
    if (!change)
        return NULL;
    change->name          = tn_draft_keep(draft, spec->name, error);
    change->type          = tn_draft_keep(draft, spec->type, error);
    change->domain        = tn_draft_keep(draft, spec->domain, error);
    change->input_count   = spec->input_count;
    change->control_count = spec->control_count;
    change->output_count  = spec->output_count;
    change->inputs  = keep_all(draft, spec->inputs, spec->input_count, error);
    change->outputs = keep_all(draft, spec->outputs, spec->output_count, error);
    return tn_failed(error) ? NULL : change;
}

static void add_wire_attrs(struct tn_draft *draft, const struct tn_model *from,
                           const struct tn_op     *row,
                           struct tn_draft_change *change,
                           struct tn_error        *error)
{
    struct tn_span  span = { NULL, row->wire_offset, row->wire_length };
    struct tn_bytes name;
    struct tn_span  wire;

    if (!row->wire_length)
        return;
    span.source = *tn_list_at(&from->sources, struct tn_source *, row->source);
    struct tn_cursor node = tn_cursor_span(span, error);
    while (draft->dialect->next_attr(&node, &name, &wire)) {
        struct tn_draft_attr *attr =
            tn_list_push(&change->attrs, struct tn_draft_attr, error);
        if (attr)
            *attr = (struct tn_draft_attr){ name, wire, NULL };
    }
}

static void add_slot_attrs(const struct tn_model *from, const struct tn_op *row,
                           struct tn_draft_change *change,
                           struct tn_error        *error)
{
    for (uint32_t i = 0; i < row->attr_count; i++) {
        const struct tn_attr_slot *slot = tn_list_at(
            &from->attrs, struct tn_attr_slot, (uint64_t)row->first_attr + i);
        struct tn_draft_attr *attr =
            tn_list_push(&change->attrs, struct tn_draft_attr, error);
        if (attr)
            *attr = (struct tn_draft_attr){ tn_model_name(from, slot->name),
                                            slot->wire, slot->value };
    }
}

/* The op's row in words, so that a part of it can be changed. */
static struct tn_draft_change *change_from_row(struct tn_draft       *draft,
                                               const struct tn_model *from,
                                               uint32_t               row,
                                               struct tn_error       *error)
{
    const struct tn_op     *o      = tn_model_op_at(from, row);
    struct tn_draft_change *change = new_change(draft, error);

    if (!change)
        return NULL;
    change->name          = tn_model_name(from, o->name);
    change->type          = tn_model_name(from, o->type);
    change->domain        = tn_model_name(from, o->domain);
    change->input_count   = o->input_count;
    change->control_count = o->control_count;
    change->output_count  = o->output_count;
    change->inputs =
        tn_new(draft->arena, struct tn_bytes, o->input_count, error);
    change->outputs =
        tn_new(draft->arena, struct tn_bytes, o->output_count, error);
    for (uint32_t i = 0; change->inputs && i < o->input_count; i++)
        change->inputs[i] =
            tn_model_value_name(from, tn_op_input(from, row, i));
    for (uint32_t i = 0; change->outputs && i < o->output_count; i++)
        change->outputs[i] =
            tn_model_value_name(from, tn_op_output(from, row, i));
    if (o->first_attr == TN_NONE)
        add_wire_attrs(draft, from, o, change, error);
    else
        add_slot_attrs(from, o, change, error);
    return tn_failed(error) ? NULL : change;
}

static struct tn_draft_change *touch_op(struct tn_draft *draft, uint32_t op,
                                        struct tn_error *error)
{
    struct tn_draft_op *o = tn_draft_op_at(draft, op);

    if (!o->change) {
        struct tn_draft_change *change =
            change_from_row(draft, o->from, o->row, error);
        if (!change)
            return NULL;
        o->change = change;
    }
    return tn_draft_touch_graph(draft, o->graph, error) == TN_OK ? o->change
                                                                 : NULL;
}

enum tn_status tn_draft_touch_graph(struct tn_draft *draft, uint32_t graph,
                                    struct tn_error *error)
{
    struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);

    if (g->is_touched)
        return TN_OK;
    g->is_touched = true;
    if (g->parent_op == TN_NONE)
        return TN_OK;
    return touch_op(draft, g->parent_op, error) ? TN_OK : error->status;
}

/* ---- ops ---------------------------------------------------------------- */

static enum tn_status expect_op(const struct tn_draft *draft, uint32_t op,
                                struct tn_error *error)
{
    if (op < draft->ops.count && !tn_draft_op_at(draft, op)->is_removed)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "there is no op %" PRIu32, op);
}

/* Takes the op at the end of the graph's list and puts it before another. */
static void move_before(struct tn_draft *draft, uint32_t op, uint32_t before)
{
    struct tn_draft_op    *o    = tn_draft_op_at(draft, op);
    struct tn_draft_op    *next = tn_draft_op_at(draft, before);
    struct tn_draft_graph *g    = tn_draft_graph_at(draft, o->graph);

    tn_draft_op_at(draft, o->previous)->next = TN_NONE;
    g->last                                  = o->previous;
    o->previous                              = next->previous;
    o->next                                  = before;
    next->previous                           = op;
    if (o->previous == TN_NONE)
        g->first = op;
    else
        tn_draft_op_at(draft, o->previous)->next = op;
}

enum tn_status tn_draft_add_op(struct tn_draft *draft, uint32_t graph,
                               uint32_t before, const struct tn_op_spec *spec,
                               uint32_t *op, struct tn_error *error)
{
    uint32_t id = (uint32_t)draft->ops.count;

    TN_TRY(tn_draft_expect_graph(draft, graph, error));
    if (before != TN_NONE) {
        TN_TRY(expect_op(draft, before, error));
        if (tn_draft_op_at(draft, before)->graph != graph)
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "op %" PRIu32 " is not in graph %" PRIu32,
                                before, graph);
    }
    struct tn_draft_change *change = change_from_spec(draft, spec, error);
    if (!change || tn_draft_touch_graph(draft, graph, error) != TN_OK)
        return error->status;
    struct tn_draft_op *added = tn_draft_append_op(draft, graph, error);
    if (!added)
        return error->status;
    added->change = change;
    if (before != TN_NONE)
        move_before(draft, id, before);
    if (op)
        *op = id;
    return TN_OK;
}

enum tn_status tn_draft_replace_op(struct tn_draft *draft, uint32_t op,
                                   const struct tn_op_spec *spec,
                                   struct tn_error         *error)
{
    TN_TRY(expect_op(draft, op, error));
    struct tn_draft_change *change = change_from_spec(draft, spec, error);
    if (!change || tn_draft_touch_graph(draft, tn_draft_op_at(draft, op)->graph,
                                        error) != TN_OK)
        return error->status;
    struct tn_draft_op *o = tn_draft_op_at(draft, op);
    o->from               = NULL; /* nothing of the old node is kept */
    o->change             = change;
    return TN_OK;
}

enum tn_status tn_draft_remove_op(struct tn_draft *draft, uint32_t op,
                                  struct tn_error *error)
{
    TN_TRY(expect_op(draft, op, error));
    TN_TRY(
        tn_draft_touch_graph(draft, tn_draft_op_at(draft, op)->graph, error));
    tn_draft_op_at(draft, op)->is_removed = true;
    return TN_OK;
}

enum tn_status tn_draft_set_input(struct tn_draft *draft, uint32_t op,
                                  uint32_t index, const char *value,
                                  struct tn_error *error)
{
    TN_TRY(expect_op(draft, op, error));
    struct tn_draft_change *change = touch_op(draft, op, error);
    if (!change)
        return error->status;
    if (index >= change->input_count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "input %" PRIu32 " of %" PRIu32, index,
                            change->input_count);
    change->inputs[index] = tn_draft_keep(draft, value, error);
    return error->status;
}

enum tn_status tn_draft_insert_input(struct tn_draft *draft, uint32_t op,
                                     uint32_t index, const char *value,
                                     struct tn_error *error)
{
    TN_TRY(expect_op(draft, op, error));
    struct tn_draft_change *change = touch_op(draft, op, error);
    if (!change)
        return error->status;
    uint32_t count = change->input_count;
    if (index > count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "input %" PRIu32 " of %" PRIu32, index, count);
    struct tn_bytes *inputs = tn_new(draft->arena, struct tn_bytes,
                                     (uint64_t)count + 1, error);
    if (!inputs)
        return error->status;
    for (uint32_t i = 0; i < count; i++)
        inputs[i + (i >= index)] = change->inputs[i];
    inputs[index]       = tn_draft_keep(draft, value, error);
    change->inputs      = inputs;
    change->input_count = count + 1;
    return error->status;
}

/* ---- attributes --------------------------------------------------------- */

enum tn_status tn_draft_set_type(struct tn_draft *draft, uint32_t op,
                                 const char *type, struct tn_error *error)
{
    uint64_t kept = 0;

    TN_TRY(expect_op(draft, op, error));
    struct tn_draft_change *change = touch_op(draft, op, error);
    if (!change)
        return error->status;
    change->type = tn_draft_keep(draft, type, error);
    for (uint64_t i = 0; i < change->attrs.count; i++) {
        struct tn_draft_attr *attr =
            tn_list_at(&change->attrs, struct tn_draft_attr, i);
        if (attr->name.size && attr->name.data[0] == '_')
            *tn_list_at(&change->attrs, struct tn_draft_attr, kept++) = *attr;
    }
    change->attrs.count = kept;
    return error->status;
}

static struct tn_draft_attr *find_attr(struct tn_draft_change *change,
                                       const char             *name)
{
    for (uint64_t i = 0; i < change->attrs.count; i++) {
        struct tn_draft_attr *attr =
            tn_list_at(&change->attrs, struct tn_draft_attr, i);
        if (tn_bytes_is(attr->name, name))
            return attr;
    }
    return NULL;
}

/* A copy of `count` items of one of the union's arrays. */
static const void *keep_array(struct tn_draft *draft, const void *items,
                              uint32_t count, size_t item_size,
                              struct tn_error *error)
{
    void *copy = tn_arena_array(draft->arena, count, item_size,
                                alignof(max_align_t), error);

    if (copy && count)
        memcpy(copy, items, count * item_size);
    return copy;
}

static void keep_strings(struct tn_draft *draft, struct tn_attr_value *value,
                         struct tn_error *error)
{
    struct tn_bytes *kept =
        tn_new(draft->arena, struct tn_bytes, value->count, error);

    for (uint32_t i = 0; kept && i < value->count; i++)
        kept[i] = tn_bytes_dup(draft->arena, value->of.strings[i], error);
    value->of.strings = kept;
}

static void keep_shapes(struct tn_draft *draft, struct tn_attr_value *value,
                        struct tn_error *error)
{
    struct tn_attr_shape *kept =
        tn_new(draft->arena, struct tn_attr_shape, value->count, error);

    for (uint32_t i = 0; kept && i < value->count; i++) {
        kept[i]      = value->of.shapes[i];
        kept[i].dims = keep_array(draft, kept[i].dims, kept[i].rank,
                                  sizeof(int64_t), error);
    }
    value->of.shapes = kept;
}

static void keep_tensors(struct tn_draft *draft, struct tn_attr_value *value,
                         struct tn_error *error)
{
    const struct tn_tensor **kept =
        tn_new(draft->arena, const struct tn_tensor *, value->count, error);

    for (uint32_t i = 0; kept && i < value->count; i++)
        kept[i] = keep_array(draft, value->of.tensors[i], 1,
                             sizeof(struct tn_tensor), error);
    value->of.tensors = kept;
}

static const struct tn_attr_value *keep_value(struct tn_draft            *draft,
                                              const struct tn_attr_value *from,
                                              struct tn_error            *error)
{
    struct tn_attr_value *value =
        tn_new(draft->arena, struct tn_attr_value, 1, error);

    if (!value)
        return NULL;
    *value = *from;
    switch (value->kind) {
    case TN_ATTR_NONE: break;
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE:
    case TN_ATTR_GRAPH:
        value->of.ints = keep_array(draft, from->of.ints, value->count,
                                    sizeof(int64_t), error);
        break;
    case TN_ATTR_FLOAT:
        value->of.floats = keep_array(draft, from->of.floats, value->count,
                                      sizeof(float), error);
        break;
    case TN_ATTR_DOUBLE:
        value->of.doubles = keep_array(draft, from->of.doubles, value->count,
                                       sizeof(double), error);
        break;
    case TN_ATTR_STRING:
    case TN_ATTR_FUNCTION:
    case TN_ATTR_REFERENCE:
    case TN_ATTR_OTHER: keep_strings(draft, value, error); break;
    case TN_ATTR_SHAPE: keep_shapes(draft, value, error); break;
    case TN_ATTR_TENSOR: keep_tensors(draft, value, error); break;
    }
    return tn_failed(error) ? NULL : value;
}

enum tn_status tn_draft_set_attr(struct tn_draft *draft, uint32_t op,
                                 const char                 *name,
                                 const struct tn_attr_value *value,
                                 struct tn_error            *error)
{
    TN_TRY(expect_op(draft, op, error));
    if (!value->is_list && value->count != 1)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "attribute '%s': %" PRIu32 " values and no list",
                            name, value->count);
    struct tn_draft_change     *change = touch_op(draft, op, error);
    const struct tn_attr_value *kept   = keep_value(draft, value, error);
    if (!change || !kept)
        return error->status;
    struct tn_draft_attr *attr = find_attr(change, name);
    if (!attr)
        attr = tn_list_push(&change->attrs, struct tn_draft_attr, error);
    if (!attr)
        return error->status;
    *attr = (struct tn_draft_attr){ .name  = tn_draft_keep(draft, name, error),
                                    .value = kept };
    return error->status;
}

enum tn_status tn_draft_remove_attr(struct tn_draft *draft, uint32_t op,
                                    const char *name, struct tn_error *error)
{
    TN_TRY(expect_op(draft, op, error));
    struct tn_draft_change *change = touch_op(draft, op, error);
    if (!change)
        return error->status;
    struct tn_draft_attr *attr = find_attr(change, name);
    if (!attr)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no attribute '%s'", name);
    struct tn_draft_attr *end =
        tn_list_at(&change->attrs, struct tn_draft_attr, change->attrs.count);
    memmove(attr, attr + 1, (size_t)(end - attr - 1) * sizeof *attr);
    change->attrs.count--;
    return TN_OK;
}
