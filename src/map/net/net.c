/* net.c - a graph in motion: making it and changing it */
#include "map/net/net_build.h"

#include "base/watch.h"

static void pool_init(struct tn_net *net)
{
    struct tn_net_pool *pool = &net->own;

    tn_net_names_init(&pool->names, net->arena);
    tn_net_ops_init(&pool->ops, net->arena, net->error);
    tn_net_lists_init(&pool->lists, net->arena, net->error);
    tn_net_types_init(&pool->types, net->arena);
    tn_list_init(&pool->constants, net->arena->memory,
                 sizeof(struct tn_net_constant));
    net->pool = pool;
}

static void pool_done(struct tn_net_pool *pool)
{
    tn_net_names_done(&pool->names);
    tn_net_ops_done(&pool->ops);
    tn_net_lists_done(&pool->lists);
    tn_net_types_done(&pool->types);
    tn_list_done(&pool->constants);
}

void tn_net_take_over(struct tn_net *to, struct tn_net *from)
{
    pool_done(&to->own);
    to->own = *from->pool;
    pool_init(from);
    from->pool = &to->own;
}

void tn_net_give_back(struct tn_net *to, struct tn_net *from)
{
    pool_done(&from->own);
    from->own  = to->own;
    from->pool = &from->own;
    pool_init(to);
}

void tn_net_init(struct tn_net *net, struct tn_arena *arena,
                 const char *dialect, struct tn_error *error)
{
    struct tn_memory *memory = arena->memory;

    *net = (struct tn_net){ .arena   = arena,
                            .dialect = dialect,
                            .facts   = tn_dialect_facts(dialect),
                            .error   = error };
    tn_arena_init(&net->edges, memory);
    tn_list_init(&net->nodes, memory, sizeof(struct tn_net_node_row));
    tn_list_init(&net->values, memory, sizeof(struct tn_net_value_row));
    tn_list_init(&net->graphs, memory, sizeof(struct tn_net_graph));
    tn_list_init(&net->versions, memory, sizeof(struct tn_net_version));
    tn_net_uses_init(net);
    pool_init(net);
}

void tn_net_done(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        struct tn_net_graph *graph = tn_net_graph(net, i);
        tn_list_done(&graph->nodes);
        tn_list_done(&graph->inputs);
        tn_list_done(&graph->outputs);
        tn_list_done(&graph->input_names);
        tn_list_done(&graph->output_names);
        tn_list_done(&graph->output_types);
    }
    tn_list_done(&net->nodes);
    tn_list_done(&net->values);
    tn_list_done(&net->graphs);
    tn_list_done(&net->versions);
    tn_net_forget_uses(net);
    pool_done(&net->own);
    tn_arena_done(&net->edges);
}

bool tn_net_goes_on(struct tn_net *net)
{
    if (++net->beats % 256 == 0)
        (void)tn_watch_poll(net->arena->memory, net->error);
    return !tn_failed(net->error);
}

bool tn_net_reserve(struct tn_net *net, uint64_t values, uint64_t nodes)
{
    return tn_list_reserve(&net->values, values, net->error) &&
           tn_list_reserve(&net->nodes, nodes, net->error);
}

/* ---- graphs, their inputs and outputs ----------------------------------- */

uint32_t tn_net_add_graph(struct tn_net *net, enum tn_graph_kind kind,
                          struct tn_bytes name, uint32_t parent)
{
    struct tn_memory    *memory = net->arena->memory;
    uint32_t             id     = (uint32_t)net->graphs.count;
    struct tn_bytes      kept   = tn_bytes_dup(net->arena, name, net->error);
    struct tn_net_graph *graph =
        tn_list_push(&net->graphs, struct tn_net_graph, net->error);

    if (!graph)
        return TN_NONE;
    graph->name   = kept;
    graph->kind   = kind;
    graph->parent = parent;
    tn_list_init(&graph->nodes, memory, sizeof(uint32_t));
    tn_list_init(&graph->inputs, memory, sizeof(uint32_t));
    tn_list_init(&graph->outputs, memory, sizeof(uint32_t));
    tn_list_init(&graph->input_names, memory, sizeof(struct tn_bytes));
    tn_list_init(&graph->output_names, memory, sizeof(struct tn_bytes));
    tn_list_init(&graph->output_types, memory,
                 sizeof(const struct tn_net_type *));
    return id;
}

static void push_id(struct tn_list *list, uint32_t id, struct tn_error *error)
{
    uint32_t *slot = tn_list_push(list, uint32_t, error);

    if (slot)
        *slot = id;
}

/* Names of inputs and outputs that were implicit become explicit. */
static void push_io(struct tn_net *net, struct tn_list *values,
                    struct tn_list *names, uint32_t value, struct tn_bytes name)
{
    while (names->count < values->count && !tn_failed(net->error))
        tn_list_push(names, struct tn_bytes, net->error);
    push_id(values, value, net->error);
    struct tn_bytes *slot = tn_list_push(names, struct tn_bytes, net->error);
    if (slot && name.size)
        *slot = tn_bytes_dup(net->arena, name, net->error);
}

void tn_net_add_input(struct tn_net *net, uint32_t graph, uint32_t value,
                      struct tn_bytes name)
{
    struct tn_net_graph *g = tn_net_graph(net, graph);

    push_io(net, &g->inputs, &g->input_names, value, name);
}

uint32_t tn_net_new_input(struct tn_net *net, uint32_t graph, const char *wish)
{
    uint32_t value = tn_net_add_value(net, graph, tn_text(wish));

    if (value != TN_NONE)
        tn_net_add_input(net, graph, value, tn_bytes(NULL, 0));
    return value;
}

void tn_net_add_output(struct tn_net *net, uint32_t graph, uint32_t value,
                       struct tn_bytes name)
{
    struct tn_net_graph *g = tn_net_graph(net, graph);

    push_io(net, &g->outputs, &g->output_names, value, name);
    if (net->has_uses && !tn_failed(net->error))
        tn_net_note_output(net, graph, g->outputs.count - 1);
}

void tn_net_tell_output(struct tn_net *net, uint32_t graph,
                        const struct tn_net_type *type)
{
    struct tn_net_graph      *g    = tn_net_graph(net, graph);
    const struct tn_net_type *kept = type ? tn_net_keep_type(net, type) : NULL;

    if (!kept || !g->outputs.count)
        return;
    while (g->output_types.count < g->outputs.count && !tn_failed(net->error))
        tn_list_push(&g->output_types, const struct tn_net_type *, net->error);
    if (!tn_failed(net->error))
        *tn_list_at(&g->output_types, const struct tn_net_type *,
                    g->outputs.count - 1) = kept;
}

const struct tn_net_type *tn_net_told_output(const struct tn_net *net,
                                             uint32_t graph, uint32_t index)
{
    const struct tn_list *types = &tn_net_graph(net, graph)->output_types;

    return index < types->count
               ? *tn_list_at(types, const struct tn_net_type *, index)
               : NULL;
}

static struct tn_bytes io_name(const struct tn_net  *net,
                               const struct tn_list *values,
                               const struct tn_list *names, uint32_t index)
{
    uint32_t value = *tn_list_at(values, uint32_t, index);

    if (index < names->count && tn_list_at(names, struct tn_bytes, index)->size)
        return *tn_list_at(names, struct tn_bytes, index);
    return tn_net_value(net, value).name;
}

struct tn_bytes tn_net_input_name(const struct tn_net *net, uint32_t graph,
                                  uint32_t index)
{
    const struct tn_net_graph *g = tn_net_graph(net, graph);

    return io_name(net, &g->inputs, &g->input_names, index);
}

struct tn_bytes tn_net_output_name(const struct tn_net *net, uint32_t graph,
                                   uint32_t index)
{
    const struct tn_net_graph *g = tn_net_graph(net, graph);

    return io_name(net, &g->outputs, &g->output_names, index);
}

/* ---- values ------------------------------------------------------------- */

uint32_t tn_net_add_nameless(struct tn_net *net, uint32_t graph)
{
    uint32_t                 id = (uint32_t)net->values.count;
    struct tn_net_value_row *value =
        tn_list_push(&net->values, struct tn_net_value_row, net->error);

    if (!value)
        return TN_NONE;
    value->name  = TN_NO_NAME;
    value->graph = graph;
    value->maker = TN_NONE;
    if (id < net->first_uses.count) /* of one that was taken back */
        *tn_list_at(&net->first_uses, uint32_t, id) = 0;
    return id;
}

uint32_t tn_net_add_value(struct tn_net *net, uint32_t graph,
                          struct tn_bytes wish)
{
    uint32_t id = tn_net_add_nameless(net, graph);

    if (id != TN_NONE && wish.data)
        tn_net_rename(net, id, wish);
    return tn_failed(net->error) ? TN_NONE : id;
}

/* ---- nodes -------------------------------------------------------------- */

static uint32_t *put_ids(uint32_t *at, const uint32_t *ids, uint32_t count)
{
    if (count)
        memcpy(at, ids, count * sizeof *at);
    return at + count;
}

/* Room for what it takes and makes, or NULL with the error set. */
static uint32_t *new_edges(struct tn_net *net, const struct tn_net_node *node)
{
    if (node->output_count > TN_NET_OUTPUTS_MAX ||
        node->control_count > TN_NET_CONTROLS_MAX) {
        tn_error_set(net->error, TN_LIMIT, TN_NOWHERE,
                     "no node has that many outputs or controls");
        return NULL;
    }
    return tn_new(&net->edges, uint32_t,
                  (uint64_t)node->input_count + node->output_count +
                      node->control_count,
                  net->error);
}

static bool keep_edges(struct tn_net *net, struct tn_net_node_row *row,
                       const struct tn_net_node *node)
{
    uint32_t *edges = new_edges(net, node);

    if (!edges)
        return false;
    uint32_t *at = put_ids(edges, node->inputs, node->input_count);
    at           = put_ids(at, node->outputs, node->output_count);
    put_ids(at, node->controls, node->control_count);
    row->edges         = edges;
    row->input_count   = node->input_count;
    row->output_count  = node->output_count;
    row->control_count = node->control_count & TN_NET_CONTROLS_MAX;
    return true;
}

static void make_outputs(struct tn_net *net, uint32_t node)
{
    const struct tn_net_node_row *row     = tn_net_node_row(net, node);
    const uint32_t               *outputs = row->edges + row->input_count;

    for (uint32_t i = 0; i < row->output_count; i++)
        if (outputs[i] != TN_NONE)
            tn_net_set_producer(net, outputs[i], node, i);
}

/* Its edges are the net's by now. */
static uint32_t push_row(struct tn_net *net, const struct tn_net_node_row *kept)
{
    uint32_t                id = (uint32_t)net->nodes.count;
    struct tn_net_node_row *row =
        tn_list_push(&net->nodes, struct tn_net_node_row, net->error);

    if (!row)
        return TN_NONE;
    *row = *kept;
    push_id(&tn_net_graph(net, kept->graph)->nodes, id, net->error);
    if (tn_failed(net->error))
        return TN_NONE;
    make_outputs(net, id);
    if (net->has_uses)
        tn_net_note_inputs(net, id);
    return id;
}

uint32_t tn_net_add_row(struct tn_net *net, const struct tn_net_node_row *row,
                        const struct tn_net_node *node)
{
    struct tn_net_node_row kept = *row;

    return keep_edges(net, &kept, node) ? push_row(net, &kept) : TN_NONE;
}

/* That of the net, should it be another's. */
static uint32_t op_id(struct tn_net *net, const struct tn_net_op *op)
{
    bool is_ours =
        op->id < net->pool->ops.ops.count && tn_net_op_at(net, op->id) == op;

    return is_ours ? op->id : tn_net_op_id(net, op->type, op->domain);
}

uint32_t tn_net_add_node(struct tn_net *net, const struct tn_net_node *node)
{
    struct tn_net_node_row row = {
        .name       = tn_net_keep_name(net, node->name),
        .op         = op_id(net, node->op),
        .attrs      = tn_net_keep_attrs(net, node->attrs, node->attr_count),
        .graph      = node->graph,
        .source     = node->source,
        .is_removed = node->is_removed,
    };

    return tn_failed(net->error) ? TN_NONE : tn_net_add_row(net, &row, node);
}

/* ---- changing nodes ----------------------------------------------------- */

void tn_net_set_inputs(struct tn_net *net, uint32_t node,
                       const uint32_t *inputs, uint32_t count)
{
    struct tn_net_node now = tn_net_node(net, node);

    now.inputs      = inputs;
    now.input_count = count;
    if (keep_edges(net, tn_net_node_row(net, node), &now) && net->has_uses)
        tn_net_note_inputs(net, node);
}

void tn_net_set_outputs(struct tn_net *net, uint32_t node,
                        const uint32_t *outputs, uint32_t count)
{
    struct tn_net_node now = tn_net_node(net, node);

    now.outputs      = outputs;
    now.output_count = count;
    if (keep_edges(net, tn_net_node_row(net, node), &now))
        make_outputs(net, node);
}

void tn_net_set_output(struct tn_net *net, uint32_t node, uint32_t output,
                       uint32_t value)
{
    const struct tn_net_node_row *row = tn_net_node_row(net, node);

    row->edges[row->input_count + output] = value;
    tn_net_set_producer(net, value, node, output);
}

void tn_net_set_controls(struct tn_net *net, uint32_t node,
                         const uint32_t *controls, uint32_t count)
{
    struct tn_net_node now = tn_net_node(net, node);

    now.controls      = controls;
    now.control_count = count;
    if (count)
        keep_edges(net, tn_net_node_row(net, node), &now);
    else
        tn_net_node_row(net, node)->control_count = 0;
}

void tn_net_set_op(struct tn_net *net, uint32_t node,
                   const struct tn_net_op *op)
{
    tn_net_node_row(net, node)->op = op_id(net, op);
}

void tn_net_set_attrs(struct tn_net *net, uint32_t node,
                      const struct tn_net_attr *attrs, uint32_t count)
{
    if (attrs || count == 0)
        tn_net_node_row(net, node)->attrs =
            tn_net_keep_attrs(net, attrs, count);
}

void tn_net_copy_attrs(struct tn_net *net, uint32_t node, uint32_t like)
{
    tn_net_node_row(net, node)->attrs = tn_net_node_row(net, like)->attrs;
}

void tn_net_move_node(struct tn_net *net, uint32_t node, uint32_t graph)
{
    const struct tn_net_node n = tn_net_node(net, node);

    push_id(&tn_net_graph(net, graph)->nodes, node, net->error);
    tn_net_node_row(net, node)->graph = graph;
    for (uint32_t i = 0; i < n.output_count; i++)
        if (n.outputs[i] != TN_NONE)
            tn_net_value_row(net, n.outputs[i])->graph = graph;
}

void tn_net_remove(struct tn_net *net, uint32_t node)
{
    tn_net_node_row(net, node)->is_removed = true;
}

const struct tn_attr_value *tn_net_attr(const struct tn_net_node *node,
                                        const char               *name)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (tn_bytes_is(node->attrs[i].name, name))
            return &node->attrs[i].value;
    return NULL;
}

const struct tn_attr_value *tn_net_attr_of(const struct tn_net *net,
                                           uint32_t node, const char *name)
{
    const struct tn_net_node n = tn_net_node(net, node);

    return tn_net_attr(&n, name);
}

uint32_t tn_net_add_call(struct tn_net *net, uint32_t graph, const char *type,
                         const uint32_t *inputs, uint32_t count,
                         struct tn_bytes wish)
{
    uint32_t output = tn_net_add_value(net, graph, wish);

    if (output == TN_NONE)
        return TN_NONE;
    struct tn_net_node node = { .name         = tn_net_value(net, output).name,
                                .op           = tn_net_own_op(net, type),
                                .graph        = graph,
                                .inputs       = inputs,
                                .input_count  = count,
                                .outputs      = &output,
                                .output_count = 1,
                                .source       = TN_NONE };
    return tn_net_add_node(net, &node) == TN_NONE ? TN_NONE : output;
}

int64_t tn_net_int_attr(const struct tn_net_node *node, const char *name,
                        int64_t otherwise)
{
    const struct tn_attr_value *value = tn_net_attr(node, name);

    return value && value->kind == TN_ATTR_INT && value->count == 1
               ? value->of.ints[0]
               : otherwise;
}

bool tn_net_holds_graphs(const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind == TN_ATTR_GRAPH)
            return true;
    return false;
}

bool tn_net_may_have_op(const struct tn_net *net, const char *type)
{
    for (uint32_t i = 0; i < net->pool->ops.ops.count; i++)
        if (tn_bytes_is(tn_net_op_at(net, i)->type, type))
            return true;
    return false;
}

bool tn_net_has_controls(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node_row(net, i)->is_removed &&
            tn_net_node_row(net, i)->control_count)
            return true;
    return false;
}

void tn_net_set_attr(struct tn_net *net, uint32_t node, const char *name,
                     const struct tn_attr_value *value)
{
    const struct tn_net_node n  = tn_net_node(net, node);
    uint32_t                 at = 0;

    while (at < n.attr_count && !tn_bytes_is(n.attrs[at].name, name))
        at++;
    uint32_t            count = n.attr_count + (at == n.attr_count);
    struct tn_net_attr *attrs =
        tn_new(net->arena, struct tn_net_attr, count, net->error);
    struct tn_bytes kept = tn_bytes_dup(net->arena, tn_text(name), net->error);
    if (!attrs || !kept.data)
        return;
    if (n.attr_count)
        memcpy(attrs, n.attrs, n.attr_count * sizeof *attrs);
    attrs[at] = (struct tn_net_attr){ kept, *value };
    tn_net_set_attrs(net, node, attrs, count);
}

static void set_integers(struct tn_net *net, uint32_t node, const char *name,
                         enum tn_attr_kind kind, const int64_t *items,
                         uint32_t count, bool is_list)
{
    int64_t *kept =
        node == TN_NONE ? NULL : tn_new(net->arena, int64_t, count, net->error);

    if (!kept)
        return;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = items[i];
    tn_net_set_attr(net, node, name,
                    &(struct tn_attr_value){ .kind    = kind,
                                             .is_list = is_list,
                                             .count   = count,
                                             .of.ints = kept });
}

void tn_net_set_int(struct tn_net *net, uint32_t node, const char *name,
                    enum tn_attr_kind kind, int64_t number)
{
    set_integers(net, node, name, kind, &number, 1, false);
}

void tn_net_set_ints(struct tn_net *net, uint32_t node, const char *name,
                     const int64_t *items, uint32_t count, bool is_list)
{
    set_integers(net, node, name, TN_ATTR_INT, items, count, is_list);
}

void tn_net_set_text(struct tn_net *net, uint32_t node, const char *name,
                     struct tn_bytes text)
{
    struct tn_bytes *kept =
        node == TN_NONE ? NULL
                        : tn_new(net->arena, struct tn_bytes, 1, net->error);

    if (!kept)
        return;
    *kept = text;
    tn_net_set_attr(net, node, name,
                    &(struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                             .count      = 1,
                                             .of.strings = kept });
}

const struct tn_net_attr *tn_net_graph_attrs(struct tn_net     *net,
                                             const char *const *names,
                                             const uint32_t    *graphs,
                                             uint32_t           count)
{
    struct tn_net_attr *attrs =
        tn_new(net->arena, struct tn_net_attr, count, net->error);
    int64_t *ids = tn_new(net->arena, int64_t, count, net->error);

    for (uint32_t i = 0; attrs && ids && i < count; i++) {
        ids[i]   = graphs[i];
        attrs[i] = (struct tn_net_attr){
            tn_text(names[i]),
            { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = &ids[i] }
        };
    }
    return ids ? attrs : NULL;
}
