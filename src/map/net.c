/*
 * net.c - a graph in motion: making it and changing it
 *
 * Who uses a value is known only once somebody asks to replace one: then every
 * value gets a list of its users, and what is added later is added there too.
 * Entries of a list are hints, since inputs may have been set anew; whoever
 * walks a list looks at the node itself.
 */
#include "map/net.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/varint.h"
#include "ir/element.h"

struct use {
    uint32_t user; /* node, or graph whose output it is */
    uint32_t next; /* in net->uses, + 1; 0: the last    */
    bool     is_output;
};

/* Outputs of a node, as many as a row can count. */
#define OUTPUTS_MAX  ((UINT32_C(1) << 29) - 1)
#define CONTROLS_MAX ((UINT32_C(1) << 31) - 1)

static void pool_init(struct tn_net *net)
{
    struct tn_net_pool *pool = &net->own;

    tn_net_names_init(&pool->names, net->arena);
    tn_net_ops_init(&pool->ops, net->arena, net->error);
    tn_net_lists_init(&pool->lists, net->arena, net->error);
    tn_net_types_init(&pool->types, net->arena);
    tn_list_init(&pool->constants, net->arena->memory,
                 sizeof(const struct tn_elements *));
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

void tn_net_init(struct tn_net *net, struct tn_arena *arena,
                 const char *dialect, struct tn_error *error)
{
    struct tn_memory *memory = arena->memory;

    *net =
        (struct tn_net){ .arena = arena, .dialect = dialect, .error = error };
    tn_arena_init(&net->edges, memory);
    tn_list_init(&net->nodes, memory, sizeof(struct tn_net_node_row));
    tn_list_init(&net->values, memory, sizeof(struct tn_net_value_row));
    tn_list_init(&net->graphs, memory, sizeof(struct tn_net_graph));
    tn_list_init(&net->versions, memory, sizeof(struct tn_net_version));
    tn_list_init(&net->uses, memory, sizeof(struct use));
    tn_list_init(&net->first_uses, memory, sizeof(uint32_t));
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
    bool is_time = net->progress && ++net->beats % 256 == 0;

    if (is_time && net->progress(net->progress_context, "mapping", 0, 0))
        tn_error_set(net->error, TN_CANCELLED, TN_NOWHERE,
                     "stopped while mapping");
    return !tn_failed(net->error);
}

static bool reserve(struct tn_list *list, uint64_t count,
                    struct tn_error *error)
{
    if (count && !tn_list_grow(list, count, error))
        return false;
    list->count = 0;
    return true;
}

bool tn_net_reserve(struct tn_net *net, uint64_t values, uint64_t nodes)
{
    return reserve(&net->values, values, net->error) &&
           reserve(&net->nodes, nodes, net->error);
}

/* ---- graphs and their ends ---------------------------------------------- */

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
    return id;
}

static void push_id(struct tn_list *list, uint32_t id, struct tn_error *error)
{
    uint32_t *slot = tn_list_push(list, uint32_t, error);

    if (slot)
        *slot = id;
}

/* Names that the ends of a list had by silence become explicit. */
static void push_end(struct tn_net *net, struct tn_list *ends,
                     struct tn_list *names, uint32_t value,
                     struct tn_bytes name)
{
    while (names->count < ends->count && !tn_failed(net->error))
        tn_list_push(names, struct tn_bytes, net->error);
    push_id(ends, value, net->error);
    struct tn_bytes *slot = tn_list_push(names, struct tn_bytes, net->error);
    if (slot && name.size)
        *slot = tn_bytes_dup(net->arena, name, net->error);
}

/* Where the list of its users begins, or NULL with the error set. */
static uint32_t *uses_of(struct tn_net *net, uint32_t value)
{
    uint64_t known = net->first_uses.count;

    if (value >= known &&
        !tn_list_grow(&net->first_uses, net->values.count - known, net->error))
        return NULL;
    return tn_list_at(&net->first_uses, uint32_t, value);
}

static void add_use(struct tn_net *net, uint32_t value, uint32_t user,
                    bool is_output)
{
    uint32_t   *first = value < net->values.count ? uses_of(net, value) : NULL;
    struct use *use =
        first ? tn_list_push(&net->uses, struct use, net->error) : NULL;

    if (!use)
        return;
    *use   = (struct use){ user, *first, is_output };
    *first = (uint32_t)net->uses.count;
}

void tn_net_add_input(struct tn_net *net, uint32_t graph, uint32_t value,
                      struct tn_bytes name)
{
    struct tn_net_graph *g = tn_net_graph(net, graph);

    push_end(net, &g->inputs, &g->input_names, value, name);
}

void tn_net_add_output(struct tn_net *net, uint32_t graph, uint32_t value,
                       struct tn_bytes name)
{
    struct tn_net_graph *g = tn_net_graph(net, graph);

    push_end(net, &g->outputs, &g->output_names, value, name);
    if (net->has_uses)
        add_use(net, value, graph, true);
}

static struct tn_bytes end_name(const struct tn_net  *net,
                                const struct tn_list *ends,
                                const struct tn_list *names, uint32_t index)
{
    uint32_t value = *tn_list_at(ends, uint32_t, index);

    if (index < names->count && tn_list_at(names, struct tn_bytes, index)->size)
        return *tn_list_at(names, struct tn_bytes, index);
    return tn_net_value(net, value)->name;
}

struct tn_bytes tn_net_input_name(const struct tn_net *net, uint32_t graph,
                                  uint32_t index)
{
    const struct tn_net_graph *g = tn_net_graph(net, graph);

    return end_name(net, &g->inputs, &g->input_names, index);
}

struct tn_bytes tn_net_output_name(const struct tn_net *net, uint32_t graph,
                                   uint32_t index)
{
    const struct tn_net_graph *g = tn_net_graph(net, graph);

    return end_name(net, &g->outputs, &g->output_names, index);
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

static void set_maker(struct tn_net *net, uint32_t value, uint32_t maker,
                      bool is_constant)
{
    struct tn_net_value_row *row = tn_net_value_row(net, value);

    row->maker       = maker;
    row->is_constant = is_constant;
    row->output      = 0;
}

void tn_net_set_constant(struct tn_net *net, uint32_t value,
                         const struct tn_elements *elements,
                         const struct tn_tensor   *origin)
{
    struct tn_list         *constants = &net->pool->constants;
    struct tn_net_constant *kept =
        tn_new(net->arena, struct tn_net_constant, 1, net->error);
    const struct tn_elements **slot =
        kept ? tn_list_push(constants, const struct tn_elements *, net->error)
             : NULL;

    if (!slot)
        return;
    *kept = (struct tn_net_constant){ *elements, origin };
    *slot = &kept->elements;
    set_maker(net, value, (uint32_t)constants->count - 1, true);
    tn_net_set_shape(net, value, &elements->shape);
}

void tn_net_copy_constant(struct tn_net *net, uint32_t value, uint32_t like)
{
    const struct tn_net_value_row *row = tn_net_value_row(net, like);

    set_maker(net, value, row->maker, row->is_constant);
    tn_net_value_row(net, value)->type = row->type;
}

void tn_net_set_trained(struct tn_net *net, uint32_t value, bool is_trained)
{
    tn_net_value_row(net, value)->is_trained = is_trained;
}

void tn_net_set_producer(struct tn_net *net, uint32_t value, uint32_t node,
                         uint32_t output)
{
    set_maker(net, value, node, false);
    tn_net_value_row(net, value)->output = output & OUTPUTS_MAX;
}

uint32_t tn_net_add_constant(struct tn_net *net, uint32_t graph,
                             struct tn_bytes           wish,
                             const struct tn_elements *elements,
                             const struct tn_tensor   *origin)
{
    uint32_t id = tn_net_add_value(net, graph, wish);

    if (id != TN_NONE)
        tn_net_set_constant(net, id, elements, origin);
    return tn_failed(net->error) ? TN_NONE : id;
}

/* Bytes in the arena that a payload can refer to. */
static struct tn_span keep_span(struct tn_net *net, struct tn_bytes bytes)
{
    struct tn_source *source =
        tn_new(net->arena, struct tn_source, 1, net->error);

    if (!source)
        return (struct tn_span){ NULL, 0, 0 };
    tn_source_memory(source, net->arena->memory, bytes);
    return (struct tn_span){ source, 0, bytes.size };
}

/* A shape whose elements all fit in memory; false with the error set. */
static bool keep_shape(struct tn_net *net, struct tn_shape *shape,
                       const uint64_t *dims, uint64_t *count)
{
    uint64_t *kept = tn_new(net->arena, uint64_t, shape->rank, net->error);

    if (!kept)
        return false;
    if (shape->rank)
        memcpy(kept, dims, shape->rank * sizeof *kept);
    shape->dims = kept;
    if (tn_shape_count(shape, count) && *count <= SIZE_MAX)
        return true;
    tn_error_set(net->error, TN_LIMIT, TN_NOWHERE,
                 "a constant of that shape does not fit in memory");
    return false;
}

/* Room for the elements, or NULL. */
static uint8_t *new_elements(struct tn_net *net, struct tn_elements *elements,
                             const uint64_t *dims, uint64_t *count)
{
    unsigned size = tn_dtype_size(elements->shape.dtype);

    if (!size) {
        tn_error_set(net->error, TN_INVALID, TN_NOWHERE, "no numbers are %s",
                     tn_dtype_name(elements->shape.dtype));
        return NULL;
    }
    if (!keep_shape(net, &elements->shape, dims, count))
        return NULL;
    uint8_t *bytes = tn_arena_array(net->arena, *count, size, 16, net->error);
    if (bytes)
        elements->payload = tn_payload_raw(
            &elements->shape,
            keep_span(net, tn_bytes(bytes, (size_t)*count * size)), 1);
    return tn_failed(net->error) ? NULL : bytes;
}

/* Numbers of one of the two kinds. */
static uint32_t add_numbers(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, struct tn_elements *elements,
                            const uint64_t *dims, const int64_t *ints,
                            const double *doubles)
{
    enum tn_dtype dtype = elements->shape.dtype;
    uint64_t      count;
    uint8_t      *at = new_elements(net, elements, dims, &count);

    if (!at)
        return TN_NONE;
    for (uint64_t i = 0; i < count; i++, at += tn_dtype_size(dtype))
        if (ints)
            tn_element_from_int64(dtype, ints[i], at);
        else
            tn_element_from_double(dtype, doubles[i], at);
    return tn_net_add_constant(net, graph, wish, elements, NULL);
}

uint32_t tn_net_add_ints(struct tn_net *net, uint32_t graph,
                         struct tn_bytes wish, enum tn_dtype dtype,
                         const int64_t *items, uint32_t rank,
                         const uint64_t *dims)
{
    struct tn_elements elements = { .shape = { dtype, rank, NULL } };

    return add_numbers(net, graph, wish, &elements, dims, items, NULL);
}

uint32_t tn_net_add_doubles(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, enum tn_dtype dtype,
                            const double *items, uint32_t rank,
                            const uint64_t *dims)
{
    struct tn_elements elements = { .shape = { dtype, rank, NULL } };

    return add_numbers(net, graph, wish, &elements, dims, NULL, items);
}

/* Lengths as varints, then all the bytes. */
static struct tn_bytes join_strings(struct tn_net         *net,
                                    const struct tn_bytes *items,
                                    uint64_t               count)
{
    uint64_t size = 0, at = 0;

    for (uint64_t i = 0; i < count; i++)
        size += TN_VARINT_MAX + items[i].size;
    uint8_t *bytes = tn_arena_array(net->arena, size, 1, 1, net->error);
    if (!bytes)
        return tn_bytes(NULL, 0);
    for (uint64_t i = 0; i < count; i++)
        at += tn_varint_put(bytes + at, items[i].size);
    for (uint64_t i = 0; i < count; at += items[i++].size)
        if (items[i].size)
            memcpy(bytes + at, items[i].data, items[i].size);
    return tn_bytes(bytes, (size_t)at);
}

uint32_t tn_net_add_strings(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, const struct tn_bytes *items,
                            uint32_t rank, const uint64_t *dims)
{
    struct tn_elements elements = { .shape = { TN_STRING, rank, NULL } };
    uint64_t           count;

    if (!keep_shape(net, &elements.shape, dims, &count))
        return TN_NONE;
    elements.payload = (struct tn_payload){
        .span     = keep_span(net, join_strings(net, items, count)),
        .stored   = count,
        .encoding = TN_ENCODING_LENGTHS,
    };
    return tn_net_add_constant(net, graph, wish, &elements, NULL);
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
    if (node->output_count > OUTPUTS_MAX ||
        node->control_count > CONTROLS_MAX) {
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
    row->control_count = node->control_count & CONTROLS_MAX;
    return true;
}

static void add_input_uses(struct tn_net *net, uint32_t node)
{
    const struct tn_net_node_row *row = tn_net_node_row(net, node);

    for (uint32_t i = 0; i < row->input_count; i++)
        add_use(net, row->edges[i], node, false);
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
        add_input_uses(net, id);
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
    struct tn_net_node now = *tn_net_node(net, node);

    now.inputs      = inputs;
    now.input_count = count;
    if (keep_edges(net, tn_net_node_row(net, node), &now) && net->has_uses)
        add_input_uses(net, node);
}

void tn_net_set_outputs(struct tn_net *net, uint32_t node,
                        const uint32_t *outputs, uint32_t count)
{
    struct tn_net_node now = *tn_net_node(net, node);

    now.outputs      = outputs;
    now.output_count = count;
    if (keep_edges(net, tn_net_node_row(net, node), &now))
        make_outputs(net, node);
}

void tn_net_set_controls(struct tn_net *net, uint32_t node,
                         const uint32_t *controls, uint32_t count)
{
    struct tn_net_node now = *tn_net_node(net, node);

    now.controls      = controls;
    now.control_count = count;
    keep_edges(net, tn_net_node_row(net, node), &now);
}

void tn_net_set_op(struct tn_net *net, uint32_t node,
                   const struct tn_net_op *op)
{
    tn_net_node_row(net, node)->op = op_id(net, op);
}

void tn_net_set_attrs(struct tn_net *net, uint32_t node,
                      const struct tn_net_attr *attrs, uint32_t count)
{
    tn_net_node_row(net, node)->attrs = tn_net_keep_attrs(net, attrs, count);
}

void tn_net_copy_attrs(struct tn_net *net, uint32_t node, uint32_t like)
{
    tn_net_node_row(net, node)->attrs = tn_net_node_row(net, like)->attrs;
}

void tn_net_move_node(struct tn_net *net, uint32_t node, uint32_t graph)
{
    const struct tn_net_node *n = tn_net_node(net, node);

    push_id(&tn_net_graph(net, graph)->nodes, node, net->error);
    tn_net_node_row(net, node)->graph = graph;
    for (uint32_t i = 0; i < n->output_count; i++)
        if (n->outputs[i] != TN_NONE)
            tn_net_value_row(net, n->outputs[i])->graph = graph;
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

void tn_net_set_attr(struct tn_net *net, uint32_t node, const char *name,
                     const struct tn_attr_value *value)
{
    const struct tn_net_node *n  = tn_net_node(net, node);
    uint32_t                  at = 0;

    while (at < n->attr_count && !tn_bytes_is(n->attrs[at].name, name))
        at++;
    uint32_t            count = n->attr_count + (at == n->attr_count);
    struct tn_net_attr *attrs =
        tn_new(net->arena, struct tn_net_attr, count, net->error);
    struct tn_bytes kept = tn_bytes_dup(net->arena, tn_text(name), net->error);
    if (!attrs || !kept.data)
        return;
    if (n->attr_count)
        memcpy(attrs, n->attrs, n->attr_count * sizeof *attrs);
    attrs[at] = (struct tn_net_attr){ kept, *value };
    tn_net_set_attrs(net, node, attrs, count);
}

/* ---- replacing a value -------------------------------------------------- */

static void find_uses(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++)
        add_input_uses(net, i);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            add_use(net, *tn_list_at(outputs, uint32_t, k), i, true);
    }
    net->has_uses = true;
}

/* The ids are the net's own copy, so that they may change in place. */
static void swap_ids(uint32_t *ids, uint64_t count, uint32_t from, uint32_t to)
{
    for (uint64_t i = 0; i < count; i++)
        if (ids[i] == from)
            ids[i] = to;
}

static void swap_outputs(struct tn_net *net, uint32_t graph, uint32_t from,
                         uint32_t to)
{
    struct tn_net_graph *g = tn_net_graph(net, graph);

    while (g->output_names.count < g->outputs.count && !tn_failed(net->error))
        tn_list_push(&g->output_names, struct tn_bytes, net->error);
    if (tn_failed(net->error))
        return;
    for (uint64_t i = 0; i < g->outputs.count; i++) {
        uint32_t *output = tn_list_at(&g->outputs, uint32_t, i);
        if (*output != from)
            continue;
        struct tn_bytes *name =
            tn_list_at(&g->output_names, struct tn_bytes, i);
        if (!name->size) /* the world keeps its name for it */
            *name = tn_net_value(net, from)->name;
        *output = to;
    }
}

void tn_net_replace(struct tn_net *net, uint32_t from, uint32_t to)
{
    uint32_t last = 0;

    if (from == to)
        return;
    if (!net->has_uses)
        find_uses(net);
    uint32_t *first = uses_of(net, from) ? uses_of(net, to) : NULL;
    uint32_t *old   = first ? uses_of(net, from) : NULL;
    for (uint32_t at = old ? *old : 0; at;) {
        struct use *use = tn_list_at(&net->uses, struct use, at - 1);
        if (use->is_output) {
            swap_outputs(net, use->user, from, to);
        } else {
            struct tn_net_node_row *user = tn_net_node_row(net, use->user);
            swap_ids(user->edges, user->input_count, from, to);
        }
        last = at;
        at   = use->next;
    }
    if (!last)
        return;
    tn_list_at(&net->uses, struct use, last - 1)->next = *first;
    *first                                             = *old;
    *old                                               = 0;
}

void tn_net_forget_uses(struct tn_net *net)
{
    tn_list_done(&net->uses);
    tn_list_done(&net->first_uses);
    net->has_uses = false;
}
