/*
 * net_order.c - which nodes of a net are needed, and in what order they run
 *
 * A node needs what its inputs and controls need, and, when it holds graphs,
 * whatever is used inside them: "reaches" below, pairs of a node and a value of
 * its own graph that something deep inside it uses.
 *
 * Both walks keep their own stack, so that a file cannot exhaust the call
 * stack.
 */
#include "map/net/net_build.h"

#include <inttypes.h>

/* ---- which are needed --------------------------------------------------- */

struct marking {
    struct tn_net *net;
    bool          *needed; /* by node                                         */
    bool          *seen;   /* by graph                                        */
    bool           skips_controls;
    uint32_t       at;    /* nodes from here on have been looked at          */
    struct tn_list stack; /* uint32_t: those that turned out to be needed only
                             then                                            */
};

static void need_node(struct marking *m, uint32_t node)
{
    if (node == TN_NONE || m->needed[node])
        return;
    m->needed[node] = true;
    uint32_t *slot =
        node < m->at ? NULL : tn_list_push(&m->stack, uint32_t, m->net->error);
    if (slot)
        *slot = node;
}

static void need_value(struct marking *m, uint32_t value)
{
    if (value == TN_NONE)
        return;
    const struct tn_net_value_row *row = tn_net_value_row(m->net, value);
    if (!row->is_constant)
        need_node(m, row->maker);
}

static void need_graph(struct marking *m, uint32_t graph)
{
    if (graph >= m->net->graphs.count || m->seen[graph])
        return;
    m->seen[graph]          = true;
    struct tn_list *outputs = &tn_net_graph(m->net, graph)->outputs;
    for (uint64_t i = 0; i < outputs->count; i++)
        need_value(m, *tn_list_at(outputs, uint32_t, i));
}

static void need_graphs_of(struct marking *m, const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->attr_count; i++) {
        const struct tn_attr_value *value = &node->attrs[i].value;
        for (uint32_t k = 0; value->kind == TN_ATTR_GRAPH && k < value->count;
             k++)
            need_graph(m, (uint32_t)value->of.ints[k]);
    }
}

static void look_at(struct marking *m, uint32_t id)
{
    const struct tn_net_node_row *row = tn_net_node_row(m->net, id);

    if (row->is_removed)
        return;
    for (uint32_t i = 0; i < row->input_count; i++)
        need_value(m, row->edges[i]);
    if (row->control_count && !m->skips_controls) {
        const struct tn_net_node node = tn_net_node(m->net, id);
        for (uint32_t i = 0; i < node.control_count; i++)
            need_node(m, node.controls[i]);
    }
    if (row->attrs && m->net->graphs.count > 1) {
        const struct tn_net_node node = tn_net_node(m->net, id);
        need_graphs_of(m, &node);
    }
}

/* From the last node to the first: what a node needs mostly comes before it, so
 * that rows are read one after the other. */
static void mark(struct marking *m)
{
    m->at = (uint32_t)m->net->nodes.count;
    for (uint32_t i = 0; i < m->net->graphs.count; i++)
        if (tn_net_graph(m->net, i)->kind != TN_GRAPH_SUBGRAPH)
            need_graph(m, i);
    while (m->at-- > 0 && !tn_failed(m->net->error)) {
        if (m->needed[m->at])
            look_at(m, m->at);
        while (m->stack.count && !tn_failed(m->net->error))
            look_at(m, *tn_list_at(&m->stack, uint32_t, --m->stack.count));
    }
}

static void drop_removed(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        struct tn_list *nodes = &tn_net_graph(net, i)->nodes;
        uint64_t        kept  = 0;
        for (uint64_t k = 0; k < nodes->count; k++) {
            uint32_t node = *tn_list_at(nodes, uint32_t, k);
            if (!tn_net_node_row(net, node)->is_removed)
                *tn_list_at(nodes, uint32_t, kept++) = node;
        }
        nodes->count = kept;
    }
}

/* Tables by node and by graph, for the time of one call. */
static void *new_table(struct tn_arena *arena, uint64_t count, size_t size,
                       struct tn_error *error)
{
    return tn_arena_array(arena, count, size, 8, error);
}

uint32_t *tn_net_count_uses(struct tn_net *net, struct tn_arena *arena)
{
    uint32_t *uses = tn_new(arena, uint32_t, net->values.count, net->error);

    for (uint32_t i = 0; uses && i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                uses[node.inputs[k]]++;
    }
    for (uint32_t g = 0; uses && g < net->graphs.count; g++) {
        const struct tn_list *outputs = &tn_net_graph(net, g)->outputs;
        for (uint64_t i = 0; i < outputs->count; i++)
            uses[*tn_list_at(outputs, uint32_t, i)]++;
    }
    return uses;
}

bool *tn_net_find_outputs(struct tn_net *net, struct tn_arena *arena)
{
    bool *is_output = tn_new(arena, bool, net->values.count, net->error);

    for (uint32_t i = 0; is_output && i < net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            is_output[*tn_list_at(outputs, uint32_t, k)] = true;
    }
    return is_output;
}

const bool *tn_net_needed(struct tn_net *net, bool skips_controls,
                          struct tn_arena *arena)
{
    struct marking m = { .net = net, .skips_controls = skips_controls };

    tn_list_init(&m.stack, net->arena->memory, sizeof(uint32_t));
    m.needed = new_table(arena, net->nodes.count, 1, net->error);
    m.seen   = new_table(arena, net->graphs.count, 1, net->error);
    if (m.needed && m.seen)
        mark(&m);
    tn_list_done(&m.stack);
    return tn_failed(net->error) ? NULL : m.needed;
}

void tn_net_prune(struct tn_net *net)
{
    struct tn_arena scratch;

    tn_arena_init(&scratch, net->arena->memory);
    const bool *needed      = tn_net_needed(net, false, &scratch);
    bool        has_removed = false;
    for (uint32_t i = 0; needed && i < net->nodes.count; i++) {
        if (!needed[i])
            tn_net_remove(net, i);
        has_removed |= tn_net_node_row(net, i)->is_removed;
    }
    if (has_removed)
        drop_removed(net);
    tn_arena_done(&scratch);
}

/* ---- values that nodes with graphs use ----------------------------------- */

struct reach {
    uint32_t value;
    uint32_t next; /* of the same node, + 1 */
};

struct frame {
    uint32_t node;
    uint32_t edge;  /* input or control to look at next */
    uint32_t reach; /* then these                       */
};

enum visit { UNSEEN, OPEN, DONE };

struct ordering {
    struct tn_net     *net;
    const char *const *loop_ops;
    uint32_t          *owner;   /* by graph: the node it sits in              */
    uint32_t          *reached; /* by node: in reaches, + 1; NULL: there is one
                                   graph                                      */
    uint8_t       *state;       /* by node: enum visit                        */
    struct tn_list reaches;     /* struct reach                               */
    struct tn_list stack;       /* struct frame                               */
    struct tn_list sorted;      /* uint32_t                                   */
};

static void find_owners(struct ordering *o)
{
    memset(o->owner, 0xff, (size_t)o->net->graphs.count * sizeof *o->owner);
    for (uint32_t i = 0; i < o->net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(o->net, i);
        for (uint32_t k = 0; k < node.attr_count && !node.is_removed; k++) {
            const struct tn_attr_value *value = &node.attrs[k].value;
            for (uint32_t j = 0;
                 value->kind == TN_ATTR_GRAPH && j < value->count; j++)
                if ((uint64_t)value->of.ints[j] < o->net->graphs.count)
                    o->owner[value->of.ints[j]] = i;
        }
    }
}

static void add_reach(struct ordering *o, uint32_t node, uint32_t value)
{
    struct reach *reach =
        tn_list_push(&o->reaches, struct reach, o->net->error);

    if (!reach)
        return;
    *reach           = (struct reach){ value, o->reached[node] };
    o->reached[node] = (uint32_t)o->reaches.count;
}

/* The value is used in `graph`; when it is an outer graph's, the node of that
 * one that holds `graph` needs it.  Graphs enclose each other in no circle:
 * a parent has the smaller number, or the walk ends. */
static void reach_out(struct ordering *o, uint32_t graph, uint32_t value)
{
    if (value == TN_NONE)
        return;
    uint32_t home = tn_net_value(o->net, value).graph;
    if (home == graph || tn_net_value(o->net, value).producer == TN_NONE)
        return;
    for (uint32_t inner = graph, left = (uint32_t)o->net->graphs.count;
         left && inner != TN_NONE && o->owner[inner] != TN_NONE; left--) {
        uint32_t holder = o->owner[inner];
        inner           = tn_net_node(o->net, holder).graph;
        if (inner == home) {
            add_reach(o, holder, value);
            return;
        }
    }
}

static void find_reaches(struct ordering *o)
{
    for (uint32_t i = 0; i < o->net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(o->net, i);
        for (uint32_t k = 0; k < node.input_count && !node.is_removed; k++)
            reach_out(o, node.graph, node.inputs[k]);
    }
    for (uint32_t i = 0; i < o->net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(o->net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            reach_out(o, i, *tn_list_at(outputs, uint32_t, k));
    }
}

/* ---- depth first, in the order that was --------------------------------- */

static bool closes_loops(const struct ordering *o, uint32_t node)
{
    for (const char *const *op = o->loop_ops; op && *op; op++)
        if (tn_bytes_is(tn_net_node(o->net, node).op->type, *op))
            return true;
    return false;
}

static enum tn_status enter(struct ordering *o, uint32_t node)
{
    struct frame *frame = tn_list_push(&o->stack, struct frame, o->net->error);

    if (!frame)
        return o->net->error->status;
    *frame = (struct frame){ node, 0, o->reached ? o->reached[node] : 0 };
    o->state[node] = OPEN;
    return TN_OK;
}

/* The next node that the one on top needs, or TN_NONE. */
static uint32_t next_need(struct ordering *o, struct frame *frame)
{
    const struct tn_net_node node  = tn_net_node(o->net, frame->node);
    uint32_t                 value = TN_NONE;

    if (frame->edge < node.input_count) {
        value = node.inputs[frame->edge++];
    } else if (frame->edge - node.input_count < node.control_count) {
        return node.controls[frame->edge++ - node.input_count];
    } else if (frame->reach) {
        struct reach *reach =
            tn_list_at(&o->reaches, struct reach, frame->reach - 1);
        frame->reach = reach->next;
        value        = reach->value;
    }
    return value == TN_NONE ? TN_NONE : tn_net_value(o->net, value).producer;
}

static bool is_spent(const struct ordering *o, const struct frame *frame)
{
    const struct tn_net_node node = tn_net_node(o->net, frame->node);

    return frame->edge >= node.input_count + node.control_count &&
           !frame->reach;
}

static enum tn_status leave(struct ordering *o, uint32_t node)
{
    uint32_t *slot = tn_list_push(&o->sorted, uint32_t, o->net->error);

    if (!slot)
        return o->net->error->status;
    *slot          = node;
    o->state[node] = DONE;
    o->stack.count--;
    return TN_OK;
}

static enum tn_status meet(struct ordering *o, uint32_t from, uint32_t node)
{
    if (node == TN_NONE || tn_net_node(o->net, node).is_removed ||
        tn_net_node(o->net, node).graph != tn_net_node(o->net, from).graph ||
        o->state[node] == DONE || closes_loops(o, node))
        return TN_OK;
    if (o->state[node] == UNSEEN)
        return enter(o, node);
    return tn_error_set(o->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "node '%.*s' (%.*s) depends on its own result",
                        TN_FMT(tn_net_node(o->net, node).name),
                        TN_FMT(tn_net_node(o->net, node).op->type));
}

static enum tn_status visit(struct ordering *o, uint32_t root)
{
    if (o->state[root] != UNSEEN || tn_net_node(o->net, root).is_removed)
        return TN_OK;
    TN_TRY(enter(o, root));
    while (o->stack.count) {
        struct frame *top =
            tn_list_at(&o->stack, struct frame, o->stack.count - 1);
        uint32_t node = top->node;
        if (is_spent(o, top))
            TN_TRY(leave(o, node));
        else
            TN_TRY(meet(o, node, next_need(o, top)));
    }
    return TN_OK;
}

/* Whether what a value needs has been done, or need not be. */
static bool is_ready(const struct ordering *o, uint32_t graph, uint32_t value)
{
    uint32_t maker =
        value == TN_NONE ? TN_NONE : tn_net_value(o->net, value).producer;

    return maker == TN_NONE || o->state[maker] == DONE ||
           tn_net_node(o->net, maker).graph != graph;
}

/* Whether a graph without removed nodes is in order already, as most are; it
 * says no when it cannot tell. */
static bool is_ordered(struct ordering *o, uint32_t graph)
{
    const struct tn_list *nodes  = &tn_net_graph(o->net, graph)->nodes;
    bool                  is_now = !o->reaches.count;
    uint64_t              count  = 0;

    for (; is_now && count < nodes->count; count++) {
        uint32_t                 id   = *tn_list_at(nodes, uint32_t, count);
        const struct tn_net_node node = tn_net_node(o->net, id);
        is_now                        = !node.is_removed && !node.control_count;
        for (uint32_t i = 0; is_now && i < node.input_count; i++)
            is_now = is_ready(o, graph, node.inputs[i]);
        o->state[id] = DONE;
    }
    for (uint64_t i = 0; !is_now && i < count; i++)
        o->state[*tn_list_at(nodes, uint32_t, i)] = UNSEEN;
    return is_now;
}

static enum tn_status order_graph(struct ordering *o, uint32_t graph)
{
    struct tn_list *nodes = &tn_net_graph(o->net, graph)->nodes;

    if (is_ordered(o, graph))
        return TN_OK;
    o->sorted.count = 0;
    for (uint64_t i = 0; i < nodes->count; i++)
        TN_TRY(visit(o, *tn_list_at(nodes, uint32_t, i)));
    if (o->sorted.count)
        memcpy(nodes->items, o->sorted.items,
               (size_t)o->sorted.count * sizeof(uint32_t));
    nodes->count = o->sorted.count;
    return TN_OK;
}

static enum tn_status order_all(struct ordering *o)
{
    if (o->net->graphs.count > 1) {
        find_owners(o);
        find_reaches(o);
    }
    if (tn_failed(o->net->error))
        return o->net->error->status;
    for (uint32_t i = 0; i < o->net->graphs.count; i++)
        TN_TRY(order_graph(o, i));
    return TN_OK;
}

enum tn_status tn_net_order(struct tn_net *net, const char *const *loop_ops)
{
    struct tn_memory *memory = net->arena->memory;
    struct tn_arena   scratch;
    struct ordering   o = { .net = net, .loop_ops = loop_ops };

    tn_arena_init(&scratch, memory);
    tn_list_init(&o.reaches, memory, sizeof(struct reach));
    tn_list_init(&o.stack, memory, sizeof(struct frame));
    tn_list_init(&o.sorted, memory, sizeof(uint32_t));
    o.owner =
        new_table(&scratch, net->graphs.count, sizeof(uint32_t), net->error);
    if (net->graphs.count > 1)
        o.reached =
            new_table(&scratch, net->nodes.count, sizeof(uint32_t), net->error);
    o.state = new_table(&scratch, net->nodes.count, 1, net->error);
    if (!tn_failed(net->error))
        order_all(&o);
    tn_list_done(&o.reaches);
    tn_list_done(&o.stack);
    tn_list_done(&o.sorted);
    tn_arena_done(&scratch);
    return net->error->status;
}
