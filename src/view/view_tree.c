/* view_tree.c - hierarchy from graphs, scopes of names, and constants */
#include "view/view_tree.h"

#include "base/buffer.h"
#include "view/view_nodes.h"
#include "view/view_order.h"

/* How a node is connected with others: bits of builder.ties. */
enum { TIED_INSIDE = 1, TAKES_OUTSIDE = 2, GIVES_OUTSIDE = 4 };

#define MANY (TN_NONE - 1)

struct builder {
    struct tn_view_tree *tree;
    struct tn_picture   *picture;
    struct tn_error     *error;
    struct tn_arena      arena; /* for what is needed while it is built       */
    uint32_t            *order; /* of all nodes, graph by graph               */
    uint32_t            *leads; /* by node: itself, or what it belongs to     */
    uint32_t            *with;  /* by node: how many belong to it             */
    uint32_t            *homes; /* by node: the scope of its name             */
    uint8_t             *ties;  /* by node                                    */
    uint32_t            *bodies, *more_bodies; /* by node: first graph in it,
                                                  by graph: the next; NULL: there
                                                  is one graph                */
    struct tn_view_scopes *scopes;
    uint32_t              *labels; /* by word of the scopes: string, TN_NONE:
                                      none yet                                */
    struct tn_pairs  functions; /* (name, domain) -> graph                    */
    uint8_t         *is_called; /* by graph                                   */
    bool             has_slashes; /* in names                                */
    struct tn_buffer text;
};

/* ---- putting things into containers ------------------------------------- */

static struct tn_view_container *at(struct builder *b, uint32_t container)
{
    return tn_view_container(b->tree, container);
}

static void append(struct builder *b, uint32_t container, uint32_t child)
{
    struct tn_view_container *c = at(b, container);

    if (c->list.last == TN_NONE)
        c->list.first = child;
    else if (c->list.last & TN_VIEW_INNER)
        at(b, c->list.last & ~TN_VIEW_INNER)->list.next = child;
    else
        b->tree->leaves[c->list.last].next = child;
    c->list.last = child;
    c->child_count++;
    if (child & TN_VIEW_INNER) {
        at(b, child & ~TN_VIEW_INNER)->list.next = TN_NONE;
    } else {
        b->tree->leaves[child].next   = TN_NONE;
        b->tree->leaves[child].parent = container;
    }
}

/* One that is in no list of children yet.  TN_NONE on failure. */
static uint32_t new_container(struct builder *b, uint32_t parent, uint8_t kind,
                              uint32_t label)
{
    uint32_t index = (uint32_t)b->tree->containers.count;

    if (index >= TN_VIEW_INNER - 1) {
        tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                     "more than 2^31 groups of nodes to draw");
        return TN_NONE;
    }
    struct tn_view_container *c =
        tn_list_push(&b->tree->containers, struct tn_view_container, b->error);
    if (!c)
        return TN_NONE;
    *c = (struct tn_view_container){
        .parent      = parent,
        .depth       = parent == TN_NONE ? 0 : at(b, parent)->depth + 1,
        .label       = label,
        .node        = TN_NONE,
        .first_link  = TN_NONE,
        .list        = { TN_NONE, TN_NONE, TN_NONE },
        .enters_from = TN_NONE,
        .leaves_to   = TN_NONE,
        .kind        = kind,
        .is_loose    = true,
    };
    return index;
}

/* Into the list of its parent, as that is into its own: children stand in the
 * order in which the first node of each does. */
static void attach(struct builder *b, uint32_t container)
{
    uint32_t way[TN_VIEW_SCOPES_MOST + 2];
    uint32_t count = 0;

    for (uint32_t i = container; i != TN_NONE && at(b, i)->is_loose;
         i          = at(b, i)->parent)
        way[count++] = i;
    while (count-- > 0) {
        struct tn_view_container *c = at(b, way[count]);
        c->is_loose                 = false;
        if (c->parent != TN_NONE)
            append(b, c->parent, way[count] | TN_VIEW_INNER);
    }
}

/* TN_NONE on failure. */
static uint32_t add_container(struct builder *b, uint32_t parent, uint8_t kind,
                              uint32_t label)
{
    uint32_t index = new_container(b, parent, kind, label);

    if (index != TN_NONE)
        attach(b, index);
    return index;
}

/* ---- constants and arithmetic on shapes --------------------------------- */

static void join_lead(uint32_t *slot, uint32_t lead)
{
    *slot = *slot == TN_NONE || *slot == lead ? lead : MANY;
}

/* A small node belongs to what takes it, if that is one node.  `with` holds
 * that one until all are known. */
static void find_leads(struct builder *b, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        uint32_t                   node = order[i];
        const struct tn_view_node *row  = tn_picture_node(b->picture, node);
        uint32_t                   user = b->with[node];
        bool goes      = row->is_small && user != TN_NONE && user != MANY;
        b->leads[node] = goes ? user : node;
        uint32_t uses  = tn_picture_use_count(b->picture, node);
        for (uint32_t k = 0; k < uses; k++) {
            uint32_t from = tn_picture_use(b->picture, node, k)->from;
            if (from != TN_NONE)
                join_lead(&b->with[from],
                          row->kind == TN_VIEW_OUTPUT ? MANY : b->leads[node]);
        }
    }
}

/* What other graphs take stays visible to them. */
static void keep_outer(struct builder *b)
{
    uint32_t count = tn_picture_node_count(b->picture);

    memset(b->with, 0xff, count * sizeof *b->with);
    for (uint32_t i = 0; b->bodies && i < count; i++) {
        uint32_t uses = tn_picture_use_count(b->picture, i);
        uint32_t of   = tn_picture_node(b->picture, i)->graph;
        for (uint32_t k = 0; k < uses; k++) {
            uint32_t from = tn_picture_use(b->picture, i, k)->from;
            if (from != TN_NONE &&
                tn_picture_node(b->picture, from)->graph != of)
                b->with[from] = MANY;
        }
    }
}

static void count_leads(struct builder *b)
{
    uint32_t count = tn_picture_node_count(b->picture);

    memset(b->with, 0, count * sizeof *b->with);
    for (uint32_t i = 0; i < count; i++)
        if (b->leads[i] != i)
            b->with[b->leads[i]]++;
}

/* ---- scopes ------------------------------------------------------------- */

static uint8_t scope_kind(const struct builder *b)
{
    return b->picture->is_treemap ? TN_VIEW_TENSORS_BLOCK : TN_VIEW_SCOPE_BLOCK;
}

static uint32_t label_of(struct builder *b, uint32_t word)
{
    if (b->labels[word] == TN_NONE)
        b->labels[word] = tn_picture_string(
            b->picture, tn_intern_text(&b->scopes->words, word));
    return b->labels[word];
}

/* The container of a scope, made now if it has none, as those around it are.
 * TN_NONE on failure. */
static uint32_t container_of(struct builder *b, uint32_t scope)
{
    uint32_t way[TN_VIEW_SCOPES_MOST];
    uint32_t count = 0;

    while (tn_view_scope(b->scopes, scope)->container == TN_NONE) {
        way[count++] = scope;
        scope        = tn_view_scope(b->scopes, scope)->parent;
    }
    uint32_t in = tn_view_scope(b->scopes, scope)->container;
    while (count-- > 0) {
        struct tn_view_scope *row   = tn_view_scope(b->scopes, way[count]);
        uint32_t              label = label_of(b, row->word);
        at(b, in)->has_scopes       = true;
        in = row->container = new_container(b, in, scope_kind(b), label);
        if (in == TN_NONE || tn_failed(b->error))
            return TN_NONE;
    }
    return in;
}

/* The container of a node, by its name. */
static uint32_t home_of(struct builder *b, uint32_t root,
                        const struct tn_view_node *node)
{
    if (node->kind != TN_VIEW_OP && node->kind != TN_VIEW_TENSOR)
        return root;
    uint32_t scope = b->scopes->homes[node->what];
    b->has_slashes |= (scope & TN_VIEW_SLASH) != 0;
    return container_of(b, scope & ~TN_VIEW_SLASH);
}

/* ---- graphs inside nodes, and functions --------------------------------- */

static uint32_t function_of(const struct builder *b, uint32_t name,
                            uint32_t domain)
{
    return tn_pairs_find(&b->functions, name, domain);
}

static void find_functions(struct builder *b)
{
    const struct tn_model *model = b->picture->model;

    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind == TN_GRAPH_FUNCTION)
            tn_pairs_add(&b->functions, graph->name, graph->domain, i,
                         b->error);
    }
}

/* Where the nodes of a graph begin, and which of them an op is. */
static uint32_t node_of_op(const struct builder *b, uint32_t graph,
                           uint32_t ordinal)
{
    const struct tn_model *model = b->picture->model;
    uint32_t               low   = b->picture->first_nodes[graph];
    uint32_t               end   = b->picture->first_nodes[graph + 1];
    uint32_t op = tn_model_graph_at(model, graph)->first_op + ordinal;

    while (low < end && tn_picture_node(b->picture, low)->kind != TN_VIEW_OP)
        low++;
    uint64_t node =
        low + (uint64_t)(op - tn_model_graph_at(model, graph)->first_op);
    if (node >= end)
        return TN_NONE;
    const struct tn_view_node *row =
        tn_picture_node(b->picture, (uint32_t)node);
    return row->kind == TN_VIEW_OP && row->what == op ? (uint32_t)node
                                                      : TN_NONE;
}

static void find_bodies(struct builder *b)
{
    const struct tn_model *model = b->picture->model;

    for (uint32_t i = (uint32_t)model->graphs.count; i-- > 0;) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind != TN_GRAPH_SUBGRAPH || graph->parent_graph >= i ||
            graph->parent_node == TN_NONE)
            continue;
        uint32_t node = node_of_op(b, graph->parent_graph, graph->parent_node);
        if (node == TN_NONE)
            continue;
        b->more_bodies[i] = b->bodies[node];
        b->bodies[node]   = i;
    }
}

static void add_callee(struct builder *b, uint32_t container, uint32_t label,
                       uint32_t graph)
{
    struct tn_view_callee *callee =
        tn_list_push(&b->tree->calls, struct tn_view_callee, b->error);

    if (!callee)
        return;
    *callee = (struct tn_view_callee){ label, graph };
    at(b, container)->call_count++;
    b->is_called[graph] = 1;
}

/* "then_branch": the attribute that holds a graph, or the graph's own name. */
static uint32_t body_label(struct builder *b, uint32_t node, uint32_t graph)
{
    const struct tn_graph *row = tn_model_graph_at(b->picture->model, graph);
    const struct tn_view_attrs *list =
        tn_list_at(&b->picture->lists, struct tn_view_attrs,
                   tn_picture_node(b->picture, node)->attrs);

    if (row->parent_slot < list->count)
        return tn_picture_string(
            b->picture,
            tn_intern_text(&b->picture->texts,
                           *tn_list_at(&b->picture->attr_texts, uint32_t,
                                       list->first + 2 * row->parent_slot)));
    return tn_picture_string(b->picture,
                             tn_model_name(b->picture->model, row->name));
}

static uint32_t first_body(const struct builder *b, uint32_t node)
{
    return b->bodies ? b->bodies[node] : TN_NONE;
}

static bool has_calls(const struct builder *b, uint32_t node)
{
    const struct tn_view_node *row = tn_picture_node(b->picture, node);

    if (!b->bodies && !b->functions.count)
        return false;
    if (row->kind != TN_VIEW_OP)
        return false;
    if (first_body(b, node) != TN_NONE)
        return true;
    if (!b->functions.count)
        return false;
    const struct tn_op *op = tn_model_op_at(b->picture->model, row->what);
    return tn_list_at(&b->picture->lists, struct tn_view_attrs, row->attrs)
                   ->call_count > 0 ||
           function_of(b, op->type, op->domain) != TN_NONE;
}

static void add_calls(struct builder *b, uint32_t container, uint32_t node)
{
    const struct tn_view_node *row = tn_picture_node(b->picture, node);
    const struct tn_op *op = tn_model_op_at(b->picture->model, row->what);
    const struct tn_view_attrs *list =
        tn_list_at(&b->picture->lists, struct tn_view_attrs, row->attrs);
    uint32_t function = function_of(b, op->type, op->domain);

    at(b, container)->first_call = (uint32_t)b->tree->calls.count;
    if (function != TN_NONE)
        add_callee(b, container, row->op, function);
    for (uint32_t i = 0; i < list->call_count; i++) {
        const struct tn_view_call *call = tn_list_at(
            &b->picture->calls, struct tn_view_call, list->first_call + i);
        function = function_of(b, call->function, TN_NO_NAME);
        if (function != TN_NONE)
            add_callee(b, container, call->label, function);
    }
}

static struct tn_view_leaf new_leaf(uint32_t parent, uint32_t slot)
{
    return (struct tn_view_leaf){ .parent      = parent,
                                  .slot        = slot,
                                  .leaves_to   = TN_NONE,
                                  .enters_from = TN_NONE };
}

/* An operator that runs graphs is a container for them. */
static void add_call(struct builder *b, uint32_t parent, uint32_t node)
{
    uint32_t container = add_container(b, parent, TN_VIEW_CALL_BLOCK,
                                       tn_picture_node(b->picture, node)->op);

    if (container == TN_NONE)
        return;
    at(b, container)->node = node;
    b->tree->leaves[node]  = new_leaf(container, TN_NONE);
    for (uint32_t g = first_body(b, node); g != TN_NONE;
         g          = b->more_bodies[g]) {
        uint32_t body = add_container(b, container, TN_VIEW_BODY_BLOCK,
                                      body_label(b, node, g));
        if (body == TN_NONE)
            return;
        b->tree->roots[g] = body;
    }
    add_calls(b, container, node);
}

/* ---- scopes that only look like scopes ----------------------------------- */

/* Names may tell what kind of operator a node is ("net.Conv.12"), or which
 * module ran again ("act/Relu_3"): such nodes are all over the graph, and a
 * single box for them would be before and after everything.  A scope without
 * scopes is left out if nearly all of its nodes stand alone between nodes
 * outside. */
static bool is_scattered(const struct tn_view_container *c)
{
    uint32_t count = c->census.count, scattered = c->census.scattered;

    return count > 1 &&
           (c->census.op == TN_NONE ? scattered >= count - count / 4
                                    : scattered >= (count + 2) / 3);
}

static void find_homes(struct builder *b, uint32_t graph, const uint32_t *order,
                       uint32_t count)
{
    uint32_t root = b->tree->roots[graph];

    tn_view_scope(b->scopes, graph)->container = root;
    for (uint32_t i = 0; i < count && !tn_failed(b->error); i++) {
        uint32_t node = order[i];
        if (b->leads[node] == node)
            b->homes[node] =
                home_of(b, root, tn_picture_node(b->picture, node));
    }
}

static void tie(struct builder *b, uint32_t from, uint32_t to)
{
    from = b->leads[from];
    to   = b->leads[to];
    if (from == to)
        return;
    if (b->homes[from] == b->homes[to]) {
        b->ties[from] |= TIED_INSIDE;
        b->ties[to] |= TIED_INSIDE;
    } else {
        b->ties[from] |= GIVES_OUTSIDE;
        b->ties[to] |= TAKES_OUTSIDE;
    }
}

static void tie_nodes(struct builder *b, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t uses = tn_picture_use_count(b->picture, order[i]);
        for (uint32_t k = 0; k < uses; k++) {
            uint32_t from = tn_picture_use(b->picture, order[i], k)->from;
            if (from != TN_NONE)
                tie(b, from, order[i]);
        }
    }
}

/* Leaves out those of the scopes from `first` on that are scattered; they have
 * no children yet. */
static void judge_scopes(struct builder *b, uint32_t first,
                         const uint32_t *order, uint32_t count)
{
    uint32_t end = (uint32_t)b->tree->containers.count;

    tie_nodes(b, order, count);
    for (uint32_t i = first; i < end; i++)
        at(b, i)->census.count = at(b, i)->census.scattered = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = order[i];
        if (b->leads[node] != node || b->homes[node] < first)
            continue;
        struct tn_view_container *c  = at(b, b->homes[node]);
        uint32_t                  op = tn_picture_node(b->picture, node)->op;
        c->census.op = !c->census.count || c->census.op == op ? op : TN_NONE;
        c->census.count++;
        c->census.scattered += b->ties[node] == (TAKES_OUTSIDE | GIVES_OUTSIDE);
    }
    for (uint32_t i = first; i < end; i++) {
        struct tn_view_container *c = at(b, i);
        c->is_gone                  = !c->has_scopes && is_scattered(c);
        c->list.first = c->list.last = c->list.next = TN_NONE;
    }
}

/* ---- all of a graph ----------------------------------------------------- */

static void place_lead(struct builder *b, uint32_t node)
{
    const struct tn_view_node *row = tn_picture_node(b->picture, node);
    uint32_t                   in  = b->homes[node];

    if (at(b, in)->is_gone)
        in = at(b, in)->parent;
    attach(b, in);
    if (b->with[node]) {
        in = add_container(b, in, TN_VIEW_OP_BLOCK, row->op);
        if (in == TN_NONE)
            return;
        at(b, in)->node = node;
        b->with[node]   = in; /* for what belongs to it */
    }
    if (has_calls(b, node))
        add_call(b, in, node);
    else
        append(b, in, node);
}

static void build_graph(struct builder *b, uint32_t graph)
{
    uint32_t *order = b->order + b->picture->first_nodes[graph];
    uint32_t  count =
        b->picture->first_nodes[graph + 1] - b->picture->first_nodes[graph];
    uint32_t first = (uint32_t)b->tree->containers.count;

    find_homes(b, graph, order, count);
    if (!tn_failed(b->error) && !b->picture->is_treemap &&
        b->tree->containers.count > first)
        judge_scopes(b, first, order, count);
    for (uint32_t i = 0; i < count && !tn_failed(b->error); i++)
        if (b->leads[order[i]] == order[i])
            place_lead(b, order[i]);
    for (uint32_t i = 0; i < count && !tn_failed(b->error); i++)
        if (b->leads[order[i]] != order[i]) {
            if (has_calls(b, order[i]))
                add_call(b, b->with[b->leads[order[i]]], order[i]);
            else
                append(b, b->with[b->leads[order[i]]], order[i]);
        }
}

static uint32_t graph_label(struct builder *b, uint32_t graph)
{
    const struct tn_model *model = b->picture->model;

    return tn_picture_string(
        b->picture,
        tn_model_name(model, tn_model_graph_at(model, graph)->name));
}

/* A graph that is not in a node: the main one, functions, and others. */
static void make_root(struct builder *b, uint32_t graph)
{
    if (b->picture->is_treemap) {
        b->tree->roots[graph] =
            add_container(b, TN_NONE, TN_VIEW_TENSORS_BLOCK, 0);
        return;
    }
    uint8_t  kind      = tn_model_graph_at(b->picture->model, graph)->kind;
    bool     is_called = graph != 0 && kind == TN_GRAPH_FUNCTION;
    uint32_t root      = add_container(b, graph == 0 || is_called ? TN_NONE : 0,
                                  graph == 0  ? TN_VIEW_GRAPH_BLOCK
                                       : is_called ? TN_VIEW_FUNCTION_BLOCK
                                                   : TN_VIEW_BODY_BLOCK,
                                       graph_label(b, graph));

    if (root == TN_NONE)
        return;
    b->tree->roots[graph] = root;
}

/* Functions that nothing calls are listed in one box. */
static void list_uncalled(struct builder *b)
{
    const struct tn_model *model = b->picture->model;
    uint32_t               first = (uint32_t)b->tree->calls.count;
    uint32_t               count = 0;

    for (uint32_t i = 1; i < model->graphs.count; i++)
        if (tn_model_graph_at(model, i)->kind == TN_GRAPH_FUNCTION &&
            !b->is_called[i])
            count++;
    if (!count)
        return;
    uint32_t box =
        add_container(b, 0, TN_VIEW_FUNCTION_BLOCK,
                      tn_picture_format(b->picture, "other functions"));
    if (box == TN_NONE)
        return;
    at(b, box)->first_call = first;
    for (uint32_t i = 1; i < model->graphs.count; i++)
        if (tn_model_graph_at(model, i)->kind == TN_GRAPH_FUNCTION &&
            !b->is_called[i])
            add_callee(b, box, graph_label(b, i), i);
}

/* ---- children in arrays, scopes of one child left out ------------------- */

/* "conv1.weight": two labels with what was between them in names. */
static uint32_t joined(struct builder *b, uint32_t outer, uint32_t inner)
{
    tn_buffer_clear(&b->text);
    tn_buffer_add(&b->text, tn_picture_text(b->picture, outer));
    tn_buffer_byte(&b->text, b->has_slashes ? '/' : '.');
    tn_buffer_add(&b->text, tn_picture_text(b->picture, inner));
    return tn_picture_string(b->picture, tn_buffer_bytes(&b->text));
}

/* The label that takes up the name of a scope that is left out; NULL: that of
 * an operator, which is no part of a name. */
static uint32_t *label_of_child(struct builder *b, uint32_t child)
{
    if (!(child & TN_VIEW_INNER))
        return b->picture->is_treemap ? &tn_picture_node(b->picture, child)->op
                                      : NULL;
    struct tn_view_container *c = at(b, child & ~TN_VIEW_INNER);
    return c->kind == scope_kind(b) ? &c->label : NULL;
}

static uint32_t without_single_scopes(struct builder *b, uint32_t child)
{
    while (child & TN_VIEW_INNER) {
        uint32_t                  index = child & ~TN_VIEW_INNER;
        struct tn_view_container *c     = at(b, index);
        if (c->kind != scope_kind(b) || index == 0 || c->child_count != 1 ||
            c->call_count)
            break;
        c->is_gone      = true;
        child           = c->list.first;
        uint32_t *label = label_of_child(b, child);
        if (label)
            *label = joined(b, c->label, *label);
    }
    return child;
}

static uint32_t next_child(struct builder *b, uint32_t child)
{
    return child & TN_VIEW_INNER ? at(b, child & ~TN_VIEW_INNER)->list.next
                                 : b->tree->leaves[child].next;
}

/* In its place for good: what it was told while the tree was being built is no
 * longer needed. */
static void settle(struct builder *b, uint32_t child, uint32_t parent,
                   uint32_t slot)
{
    if (child & TN_VIEW_INNER) {
        struct tn_view_container *c = at(b, child & ~TN_VIEW_INNER);
        c->parent                   = parent;
        c->slot                     = slot;
        c->depth                    = at(b, parent)->depth + 1;
    } else {
        b->tree->leaves[child] = new_leaf(parent, slot);
    }
}

static void flatten(struct builder *b)
{
    struct tn_view_tree *tree  = b->tree;
    uint64_t             count = tree->containers.count;
    uint64_t             total = count + tn_picture_node_count(b->picture);
    uint32_t             used  = 0;

    tree->children =
        tn_arena_take(&b->picture->arena, total * sizeof *tree->children,
                      alignof(uint32_t), b->error);
    for (uint32_t i = 0; tree->children && i < count; i++) {
        struct tn_view_container *c     = at(b, i);
        uint32_t                  first = used, next;
        if (c->is_gone)
            continue;
        for (uint32_t child = c->list.first; child != TN_NONE; child = next) {
            next          = next_child(b, child);
            uint32_t real = without_single_scopes(b, child);
            settle(b, real, i, used - first);
            tree->children[used++] = real;
        }
        c->first_child = first;
        c->child_count = used - first;
    }
}

/* ---- the tree ----------------------------------------------------------- */

/* Not zeroed. */
static uint32_t *take_ids(struct builder *b, uint64_t count)
{
    return tn_arena_take(&b->arena, count * sizeof(uint32_t), alignof(uint32_t),
                         b->error);
}

static bool prepare(struct builder *b, struct tn_view_tree *tree)
{
    struct tn_picture *picture = b->picture;
    uint64_t           nodes   = picture->nodes.count + 1;
    uint64_t           graphs  = picture->graph_count + UINT64_C(1);

    tree->leaves = tn_arena_take(&picture->arena, nodes * sizeof *tree->leaves,
                                 alignof(struct tn_view_leaf), b->error);
    tree->roots  = tn_new(&picture->arena, uint32_t, graphs, b->error);
    b->order     = take_ids(b, nodes);
    b->leads     = take_ids(b, nodes);
    b->with      = take_ids(b, nodes);
    b->homes     = take_ids(b, nodes);
    b->ties      = tn_new(&b->arena, uint8_t, nodes, b->error);
    b->bodies    = picture->graph_count > 1 ? take_ids(b, nodes) : NULL;
    b->more_bodies = take_ids(b, graphs);
    b->is_called   = tn_new(&b->arena, uint8_t, graphs, b->error);
    if (tn_failed(b->error))
        return false;
    if (b->bodies)
        memset(b->bodies, 0xff, (size_t)nodes * sizeof *b->bodies);
    memset(b->more_bodies, 0xff, (size_t)graphs * sizeof *b->more_bodies);
    memset(tree->roots, 0xff, (size_t)graphs * sizeof *tree->roots);
    return true;
}

static bool take_scopes(struct builder *b)
{
    if (tn_view_scopes_end(b->scopes, b->error) != TN_OK)
        return false;
    uint64_t words = tn_intern_count(&b->scopes->words) + UINT64_C(1);
    b->labels      = take_ids(b, words);
    if (b->labels)
        memset(b->labels, 0xff, (size_t)words * sizeof *b->labels);
    return b->labels;
}

static void build(struct builder *b)
{
    struct tn_picture    *picture = b->picture;
    uint32_t              graphs  = picture->graph_count;
    struct tn_view_sorter sorter;

    tn_view_sorter_init(&sorter, picture);
    keep_outer(b);
    for (uint32_t i = 0; i < graphs; i++) {
        uint32_t  first = picture->first_nodes[i];
        uint32_t *order = b->order + first;
        uint32_t  count = picture->first_nodes[i + 1] - first;
        tn_view_sort(&sorter, i, order);
        if (tn_failed(b->error))
            return;
        tn_view_mark_small(picture, order, count);
        find_leads(b, order, count);
    }
    count_leads(b);
    if (!take_scopes(b))
        return;
    if (!picture->is_treemap) {
        find_functions(b);
        find_bodies(b);
    }
    for (uint32_t i = 0; i < graphs && !tn_failed(b->error); i++) {
        if (b->tree->roots[i] == TN_NONE)
            make_root(b, i);
        if (b->tree->roots[i] != TN_NONE)
            build_graph(b, i);
    }
    if (!tn_failed(b->error) && !picture->is_treemap)
        list_uncalled(b);
    if (!tn_failed(b->error))
        flatten(b);
}

enum tn_status tn_view_tree_build(struct tn_view_tree   *tree,
                                  struct tn_picture     *picture,
                                  struct tn_view_scopes *scopes)
{
    struct builder b = { .tree    = tree,
                         .picture = picture,
                         .scopes  = scopes,
                         .error   = picture->error };

    *tree = (struct tn_view_tree){ .picture = picture };
    tn_list_init(&tree->containers, picture->memory,
                 sizeof(struct tn_view_container));
    tn_list_init(&tree->calls, picture->memory, sizeof(struct tn_view_callee));
    tn_arena_init(&b.arena, picture->memory);
    tn_pairs_init(&b.functions, picture->memory);
    tn_buffer_init(&b.text, picture->memory, picture->error);
    if (prepare(&b, tree))
        build(&b);
    tn_buffer_done(&b.text);
    tn_pairs_done(&b.functions);
    tn_arena_done(&b.arena);
    return picture->error->status;
}

void tn_view_tree_done(struct tn_view_tree *tree)
{
    tn_list_done(&tree->containers);
    tn_list_done(&tree->calls);
}
