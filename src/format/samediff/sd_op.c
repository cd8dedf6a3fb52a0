/* sd_op.c - the nodes of a FlatGraph as operations of a model */
#include "format/samediff/sd_graph.h"

struct node {
    struct tn_fb_table table;
    uint32_t           ordinal;
    int32_t            id;
    struct tn_bytes    name, type;
};

/* An op without a name is identified by its numbers. */
static struct tn_bytes op_name(struct tn_sd_reader *r, const struct node *n)
{
    struct tn_bytes name = tn_fb_string(&n->table, TN_SD_NODE_OP_NAME);
    int             type = tn_fb_i8(&n->table, TN_SD_NODE_OP_TYPE, 0);
    const char     *word = tn_sd_op_type_name(type);

    if (name.size)
        return name;
    const char *text =
        tn_text_format(r->arena, r->error, "%s:%" PRId64, word ? word : "?",
                       tn_fb_i64(&n->table, TN_SD_NODE_OP_NUM, 0));
    return tn_text(text ? text : "");
}

/* An input by number.  One that no variable has keeps its number as a name,
 * and stays undefined. */
static void read_input(struct tn_sd_reader *r, int32_t first, int32_t second)
{
    uint32_t index =
        tn_pairs_find(&r->by_id, (uint32_t)first, (uint32_t)second);

    if (index != UINT32_MAX)
        r->is_used[index] = true;
    if (!r->model->wants_graph)
        return;
    struct tn_bytes name;
    if (index != UINT32_MAX) {
        name = r->variables[index].name;
    } else {
        const char *text = tn_text_format(
            r->arena, r->error, "(%" PRId32 ",%" PRId32 ")", first, second);
        name = tn_text(text ? text : "");
    }
    tn_model_add_input(r->model, tn_sd_value_named(r, name), r->error);
}

static void read_inputs(struct tn_sd_reader *r, const struct node *n)
{
    struct tn_fb_vector pairs =
        tn_fb_vector(&n->table, TN_SD_NODE_INPUT_PAIRED, 4);
    struct tn_fb_vector plain = tn_fb_vector(&n->table, TN_SD_NODE_INPUT, 4);

    for (uint32_t i = 0; i < pairs.count && !tn_failed(r->error); i++) {
        struct tn_fb_table pair = tn_fb_vector_table(&pairs, i);
        read_input(r, tn_fb_i32(&pair, 0, 0), tn_fb_i32(&pair, 1, 0));
    }
    for (uint32_t i = 0; !pairs.count && i < plain.count; i++)
        read_input(r, tn_fb_vector_i32(&plain, i), 0);
}

void tn_sd_add_output(struct tn_sd_reader *r, struct tn_bytes name,
                      uint32_t position, bool is_result)
{
    uint32_t id = tn_intern_find(&r->names, name);

    if (id != TN_NO_NAME)
        r->variables[*tn_list_at(&r->by_name, uint32_t, id)].is_result =
            is_result;
    if (!r->model->wants_graph)
        return;
    uint32_t value = tn_sd_value_named(r, name);
    tn_model_add_output(r->model, value, r->error);
    if (value != TN_NONE)
        tn_model_define(r->model, value, TN_VALUE_OUTPUT,
                        (uint32_t)r->model->ops.count - 1, position);
}

/* Very old files have no names: outputs are the variables with its number. */
static void read_outputs(struct tn_sd_reader *r, const struct node *n)
{
    struct tn_fb_vector names =
        tn_fb_vector(&n->table, TN_SD_NODE_OUTPUT_NAMES, 4);
    bool     are_results = tn_sd_makes_results(n->type);
    uint32_t index;

    for (uint32_t i = 0; i < names.count && !tn_failed(r->error); i++)
        tn_sd_add_output(r, tn_fb_vector_string(&names, i), i, are_results);
    for (uint32_t i = 0; names.count == 0; i++) {
        index = tn_pairs_find(&r->by_id, (uint32_t)n->id, i);
        if (index == UINT32_MAX || tn_failed(r->error))
            return;
        tn_sd_add_output(r, r->variables[index].name, i, are_results);
    }
}

static void read_array(struct tn_sd_reader *r, uint32_t ordinal,
                       const struct tn_fb_table *table, uint32_t slot,
                       uint32_t part)
{
    struct tn_sd_array array;

    if (!table->fb)
        return;
    if (tn_sd_array_read(table, r->is_plain, r->arena, &array) != TN_OK) {
        if (slot == TN_NONE)
            tn_error_where(r->error, "scalar");
        else
            tn_error_where(r->error, "properties[%" PRIu32 "].a[%" PRIu32 "]",
                           slot, part);
        return;
    }
    uint32_t index =
        tn_sd_add_own(r, tn_bytes(NULL, 0), &array, TN_ROLE_ATTRIBUTE);
    if (index == TN_NONE)
        return;
    tn_sd_tensor_at(r, index)->node = ordinal;
    tn_sd_tensor_at(r, index)->slot = slot;
    tn_sd_tensor_at(r, index)->part = part;
}

void tn_sd_read_op_arrays(struct tn_sd_reader *r, uint32_t ordinal,
                          const struct tn_fb_table *op, uint16_t scalar_slot,
                          uint16_t properties_slot)
{
    struct tn_fb_vector properties = tn_fb_vector(op, properties_slot, 4);
    struct tn_fb_table  scalar     = tn_fb_child(op, scalar_slot);

    read_array(r, ordinal, &scalar, TN_NONE, TN_NONE);
    for (uint32_t i = 0; i < properties.count && !tn_failed(r->error); i++) {
        struct tn_fb_table  property = tn_fb_vector_table(&properties, i);
        struct tn_fb_vector arrays =
            tn_fb_vector(&property, TN_SD_PROPERTY_A, 4);
        for (uint32_t k = 0; k < arrays.count && !tn_failed(r->error); k++) {
            struct tn_fb_table array = tn_fb_vector_table(&arrays, k);
            read_array(r, ordinal, &array, i, k);
        }
    }
}

void tn_sd_add_op(struct tn_sd_reader *r, const struct tn_fb_table *table,
                  struct tn_bytes name, uint32_t type)
{
    uint32_t text = TN_NO_NAME;
    uint32_t op   = tn_model_add_op(r->model, r->graph, r->error);

    if (op == TN_NONE)
        return;
    if (name.size)
        text = tn_intern_borrow(&r->model->names, name, r->error);
    struct tn_op *row = tn_model_op_at(r->model, op);
    row->name         = text;
    row->type         = type;
    row->domain       = TN_NO_NAME;
    row->source       = r->source;
    row->wire_offset  = table->fb->span.offset + table->at;
    row->wire_length  = 4;
}

static void read_node(struct tn_sd_reader *r, struct node *n)
{
    uint32_t slots =
        n->table.vtable_size > 4 ? (n->table.vtable_size - 4u) / 2 : 0;

    n->id   = tn_fb_i32(&n->table, TN_SD_NODE_ID, 0);
    n->name = tn_fb_string(&n->table, TN_SD_NODE_NAME);
    n->type = op_name(r, n);
    if (slots > r->row->node_slots)
        r->row->node_slots = slots;
    uint32_t type = tn_intern_borrow(&r->model->names, n->type, r->error);
    tn_model_count_op(r->model, TN_NO_NAME, type, r->error);
    if (tn_failed(r->error))
        return;
    if (r->model->wants_graph)
        tn_sd_add_op(r, &n->table, n->name, type);
    read_inputs(r, n);
    if (r->model->wants_graph) {
        tn_sd_add_controls(r, &n->table, TN_SD_NODE_CONTROL_DEPS,
                           TN_SD_NODE_OUTPUT_NAMES);
        tn_sd_add_controls(r, &n->table, TN_SD_NODE_VAR_CONTROL_DEPS,
                           TN_SD_NODE_OUTPUT_NAMES);
    }
    read_outputs(r, n);
    tn_sd_read_op_arrays(r, n->ordinal, &n->table, TN_SD_NODE_SCALAR,
                         TN_SD_NODE_PROPERTIES);
}

void tn_sd_read_ops(struct tn_sd_reader *r, const struct tn_fb_table *root)
{
    struct tn_fb_vector nodes = tn_fb_vector(root, TN_SD_GRAPH_NODES, 4);
    struct tn_graph    *graph = tn_model_graph_at(r->model, r->graph);

    graph->first_op = (uint32_t)r->model->ops.count;
    graph->op_count = nodes.count;
    tn_sd_index_ops(r, &nodes, TN_SD_NODE_NAME);
    for (uint32_t i = 0; i < nodes.count && !tn_failed(r->error); i++) {
        struct node n = { .table = tn_sd_table_in(&nodes, i), .ordinal = i };
        if (n.table.fb)
            read_node(r, &n);
        if (tn_failed(r->error))
            tn_error_where(r->error, "nodes[%" PRIu32 "]", i);
    }
}
