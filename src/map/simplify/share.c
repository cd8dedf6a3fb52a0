/* share.c - replaces equal nodes by one */
#include "map/simplify/share.h"

#include "base/mix.h"
#include "base/varint.h"
#include "map/lang/lang_item.h"
#include "map/net/net_build.h"

/* The most enclosing graphs in which equal nodes are searched. */
#define DEEPEST_GRAPH 64

/* ---- constants ----------------------------------------------------------
 *
 * Those of few bytes: shapes, axes, bounds. */

#define SMALL_BYTES 128

struct constants {
    struct tn_net   *net;
    bool             looks_around;
    struct tn_arena  arena;
    struct tn_intern keys;
    struct tn_list   owners; /* uint32_t by key: value                        */
    struct tn_buffer key;
    const bool      *is_output;
};

/* The first that had this key, or TN_NONE: it is the first. */
static uint32_t constant_owner(struct constants *c, uint32_t id)
{
    uint32_t known = tn_intern_count(&c->keys);
    uint32_t key =
        tn_intern_copy(&c->keys, tn_buffer_bytes(&c->key), c->net->error);

    if (key == TN_NO_NAME)
        return TN_NONE;
    if (key < known)
        return *tn_list_at(&c->owners, uint32_t, key);
    uint32_t *slot = tn_list_push(&c->owners, uint32_t, c->net->error);
    if (slot)
        *slot = id;
    return TN_NONE;
}

/* The owner of the same key in an enclosing graph, or TN_NONE.  Enclosing
 * graphs compute their values in any case. */
static uint32_t constant_around(struct constants *c, uint32_t graph)
{
    uint32_t parent = tn_net_graph(c->net, graph)->parent;

    if (tn_failed(c->net->error) || !c->looks_around) /* or it is incomplete */
        return TN_NONE;
    for (unsigned i = 0; parent != TN_NONE && i < DEEPEST_GRAPH; i++) {
        memcpy(c->key.data, &parent, sizeof parent);
        uint32_t key = tn_intern_find(&c->keys, tn_buffer_bytes(&c->key));
        if (key != TN_NO_NAME)
            return *tn_list_at(&c->owners, uint32_t, key);
        parent = tn_net_graph(c->net, parent)->parent;
    }
    memcpy(c->key.data, &graph, sizeof graph);
    return TN_NONE;
}

/* Parameters of operators: integers, and single floating-point numbers. */
static bool is_small(const struct tn_elements *elements, uint64_t *count)
{
    enum tn_dtype dtype = elements->shape.dtype;
    unsigned      size  = tn_dtype_size(dtype);

    if (!tn_shape_count(&elements->shape, count) || !size ||
        *count * size > SMALL_BYTES || elements->shape.rank > 8)
        return false;
    return !tn_item_is_real(dtype) || *count == 1;
}

/* Weights keep their names, and trainable ones stay separate. */
static bool say_constant(struct constants *c, const struct tn_net_value *value)
{
    const struct tn_elements *elements = value->constant;
    uint64_t                  count;

    if (!is_small(elements, &count) ||
        (value->is_trained && c->net->facts->has_training))
        return false;
    tn_buffer_clear(&c->key);
    tn_buffer_u32(&c->key, value->graph);
    tn_buffer_u32(&c->key, elements->shape.dtype);
    tn_buffer_u32(&c->key, elements->shape.rank);
    for (uint32_t i = 0; i < elements->shape.rank; i++)
        tn_buffer_u32(&c->key, (uint32_t)elements->shape.dims[i]);
    return tn_net_try_read(c->net, elements, count, &c->key.sink);
}

static void share_constants(struct constants *c)
{
    for (uint32_t i = 0; i < c->net->values.count; i++) {
        const struct tn_net_value value = tn_net_value(c->net, i);
        if (!value.constant || c->is_output[i] || !say_constant(c, &value))
            continue;
        uint32_t owner = constant_around(c, value.graph);
        if (owner == TN_NONE)
            owner = constant_owner(c, i);
        if (tn_failed(c->net->error))
            break;
        if (owner != TN_NONE && owner != i)
            tn_net_replace(c->net, i, owner);
    }
}

static void share_small(struct tn_net *net, bool looks_around)
{
    struct constants c = { .net = net, .looks_around = looks_around };

    tn_arena_init(&c.arena, net->arena->memory);
    tn_intern_init(&c.keys, &c.arena);
    tn_list_init(&c.owners, net->arena->memory, sizeof(uint32_t));
    tn_buffer_init(&c.key, net->arena->memory, net->error);
    c.is_output = tn_net_find_outputs(net, &c.arena);
    if (c.is_output)
        share_constants(&c);
    tn_buffer_done(&c.key);
    tn_list_done(&c.owners);
    tn_intern_done(&c.keys);
    tn_arena_done(&c.arena);
}

/* ---- nodes --------------------------------------------------------------
 *
 * Equal nodes take the same values.  So a node that takes a value without other
 * users has no equal.  That holds for most nodes, which are not looked up.
 * When two nodes become one, the outputs of the first get more users: its
 * earlier user is then added to the table for later nodes. */

/* A node that was the first of its kind. */
struct slot {
    uint32_t node; /* + 1; 0: free                                            */
    uint32_t hash;
};

enum answer { NOT_ASKED, MAY, MAY_NOT };

struct sharing {
    struct tn_net  *net;
    bool            looks_around;
    struct tn_arena arena;
    tn_may_share   *may_share;
    uint8_t        *answers; /* by op: enum answer                            */
    const bool     *is_output;
    uint32_t    *users; /* by value: the node that takes it, NOBODY, SEVERAL  */
    bool        *is_passed; /* by node: it was not looked up                  */
    struct slot *slots;     /* at least twice as many as are used; a power of
                               two                                            */
    uint64_t slot_count, used_count;
    uint64_t seed;
};

#define NOBODY  TN_NONE
#define SEVERAL (TN_NONE - 1)

static bool may_share(struct sharing *s, const struct tn_net_node *node)
{
    if (node->is_removed || node->control_count || !node->output_count ||
        !node->has_common_attrs || node->op->id == TN_NONE)
        return false;
    uint8_t *answer = &s->answers[node->op->id];
    if (*answer == NOT_ASKED)
        *answer = s->may_share(node->op) ? MAY : MAY_NOT;
    if (*answer == MAY_NOT || tn_net_holds_graphs(node))
        return false;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE && s->is_output[node->outputs[i]])
            return false;
    return true;
}

/* Everything that equal nodes have in common, in this graph. */
static uint32_t hash_node(const struct sharing         *s,
                          const struct tn_net_node_row *row, uint32_t graph)
{
    uint64_t factor = s->seed | 1;
    uint64_t hash =
        tn_mix(s->seed ^ ((uint64_t)row->op << 32 | row->attrs), factor);

    hash = tn_mix(hash ^ ((uint64_t)graph << 32 | row->input_count), factor);
    for (uint32_t i = 0; i < row->input_count; i++)
        hash = tn_mix(hash ^ row->edges[i], factor);
    return (uint32_t)(hash ^ hash >> 32);
}

/* For two nodes of one graph it does not matter which outputs are used: one
 * node can have all of them. */
static bool are_equal(const struct tn_net_node_row *a,
                      const struct tn_net_node_row *b)
{
    if (a->op != b->op || a->attrs != b->attrs ||
        a->input_count != b->input_count ||
        (a->graph != b->graph && a->output_count != b->output_count))
        return false;
    for (uint32_t i = 0; i < a->input_count; i++)
        if (a->edges[i] != b->edges[i])
            return false;
    for (uint32_t i = 0; a->graph != b->graph && i < a->output_count; i++)
        if ((a->edges[a->input_count + i] == TN_NONE) !=
            (b->edges[b->input_count + i] == TN_NONE))
            return false;
    return true;
}

/* The slot of the first that is equal, in that graph, or a free one. */
static struct slot *find_slot(const struct sharing *s, uint32_t id,
                              uint32_t graph, uint32_t hash)
{
    const struct tn_net_node_row *row  = tn_net_node_row(s->net, id);
    uint64_t                      mask = s->slot_count - 1;

    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        struct slot *slot = &s->slots[i];
        if (!slot->node)
            return slot;
        const struct tn_net_node_row *there =
            slot->hash == hash ? tn_net_node_row(s->net, slot->node - 1) : NULL;
        if (there && there->graph == graph && are_equal(there, row))
            return slot;
    }
}

static bool grow(struct sharing *s)
{
    struct tn_memory *memory = s->net->arena->memory;
    struct slot      *old    = s->slots;
    uint64_t          before = s->slot_count;

    s->slot_count = before ? before * 2 : 64;
    s->slots      = tn_memory_resize(
             memory, NULL, 0, s->slot_count * sizeof *s->slots, s->net->error);
    if (s->slots)
        memset(s->slots, 0, (size_t)(s->slot_count * sizeof *s->slots));
    for (uint64_t i = 0; s->slots && i < before; i++) {
        uint64_t at = old[i].hash & (s->slot_count - 1);
        while (old[i].node && s->slots[at].node)
            at = (at + 1) & (s->slot_count - 1);
        if (old[i].node)
            s->slots[at] = old[i];
    }
    tn_memory_free(memory, old, before * sizeof *old);
    if (!s->slots)
        s->slot_count = 0;
    return s->slots;
}

/* Enclosing graphs compute their values in any case. */
static uint32_t owner_around(const struct sharing *s, uint32_t id)
{
    const struct tn_net_node_row *row = tn_net_node_row(s->net, id);
    uint32_t graph = tn_net_graph(s->net, row->graph)->parent;

    for (unsigned i = 0;
         s->looks_around && graph != TN_NONE && i < DEEPEST_GRAPH; i++) {
        struct slot *slot = find_slot(s, id, graph, hash_node(s, row, graph));
        if (slot->node)
            return slot->node - 1;
        graph = tn_net_graph(s->net, graph)->parent;
    }
    return TN_NONE;
}

/* The first node that is equal, or TN_NONE: it is the first. */
static uint32_t owner_of(struct sharing *s, uint32_t id)
{
    const struct tn_net_node_row *row = tn_net_node_row(s->net, id);

    if (s->used_count * 2 >= s->slot_count && !grow(s))
        return TN_NONE;
    uint32_t owner = owner_around(s, id);
    uint32_t hash  = hash_node(s, row, row->graph);
    if (owner != TN_NONE)
        return owner;
    struct slot *slot = find_slot(s, id, row->graph, hash);
    if (slot->node)
        return slot->node - 1;
    *slot = (struct slot){ id + 1, hash };
    s->used_count++;
    return TN_NONE;
}

static bool takes_alone(const struct sharing *s, uint32_t id)
{
    const struct tn_net_node_row *row = tn_net_node_row(s->net, id);

    for (uint32_t i = 0; i < row->input_count; i++)
        if (row->edges[i] != TN_NONE && s->users[row->edges[i]] == id)
            return true;
    return false;
}

/* Replaces one value by the other for all its users. */
static void join_users(struct sharing *s, uint32_t from, uint32_t to)
{
    uint32_t was = s->users[to];

    if (s->users[from] == NOBODY)
        return;
    s->users[to] = was == NOBODY ? s->users[from] : SEVERAL;
    if (was >= SEVERAL || !s->is_passed[was])
        return;
    s->is_passed[was] = false;
    owner_of(s, was);
}

/* The outputs of the first, and those that only this node has. */
static void join_outputs(struct sharing *s, uint32_t owner,
                         const struct tn_net_node *node)
{
    const struct tn_net_node same  = tn_net_node(s->net, owner);
    uint32_t                 count = same.output_count > node->output_count
                                         ? same.output_count
                                         : node->output_count;
    uint32_t *all     = tn_new(&s->arena, uint32_t, count, s->net->error);
    bool      is_more = false;

    for (uint32_t i = 0; all && i < count; i++) {
        uint32_t own = i < same.output_count ? same.outputs[i] : TN_NONE;
        uint32_t now = i < node->output_count ? node->outputs[i] : TN_NONE;
        all[i]       = own != TN_NONE ? own : now;
        is_more |= own == TN_NONE && now != TN_NONE;
        if (own != TN_NONE && now != TN_NONE) {
            tn_net_replace(s->net, now, own);
            join_users(s, now, own);
        }
    }
    if (all && is_more)
        tn_net_set_outputs(s->net, owner, all, count);
}

static bool share_node(struct sharing *s, uint32_t id)
{
    const struct tn_net_node node  = tn_net_node(s->net, id);
    uint32_t                 owner = TN_NONE;

    if (may_share(s, &node)) {
        s->is_passed[id] = takes_alone(s, id);
        owner            = s->is_passed[id] ? TN_NONE : owner_of(s, id);
    }
    if (owner == TN_NONE || owner == id)
        return false;
    join_outputs(s, owner, &node);
    tn_net_remove(s->net, id);
    return true;
}

static bool make_tables(struct sharing *s)
{
    struct tn_net *net = s->net;

    s->seed = tn_mix_seed(s);
    s->answers =
        tn_new(&s->arena, uint8_t, net->pool->ops.ops.count, net->error);
    s->is_passed = tn_new(&s->arena, bool, net->nodes.count, net->error);
    s->users     = tn_new(&s->arena, uint32_t, net->values.count, net->error);
    s->is_output = tn_net_find_outputs(net, &s->arena);
    if (tn_failed(net->error))
        return false;
    memset(s->users, 0xff, (size_t)net->values.count * sizeof *s->users);
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node_row *row = tn_net_node_row(net, i);
        for (uint32_t k = 0; !row->is_removed && k < row->input_count; k++)
            if (row->edges[k] != TN_NONE) {
                uint32_t *user = &s->users[row->edges[k]];
                *user          = *user == NOBODY ? i : SEVERAL;
            }
    }
    return true;
}

static uint64_t share_nodes(struct tn_net *net, tn_may_share *asked,
                            bool looks_around)
{
    struct sharing s     = { .net          = net,
                             .looks_around = looks_around,
                             .may_share    = asked };
    uint64_t       count = 0;

    tn_arena_init(&s.arena, net->arena->memory);
    bool is_ready = make_tables(&s);
    for (uint32_t g = 0; is_ready && g < net->graphs.count; g++) {
        const struct tn_list *nodes = &tn_net_graph(net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count && tn_net_goes_on(net); i++)
            count += share_node(&s, *tn_list_at(nodes, uint32_t, i));
    }
    tn_memory_free(net->arena->memory, s.slots, s.slot_count * sizeof *s.slots);
    tn_arena_done(&s.arena);
    return count;
}

uint64_t tn_share(struct tn_net *net, tn_may_share *asked)
{
    share_small(net, true);
    return tn_failed(net->error) ? 0 : share_nodes(net, asked, true);
}

uint64_t tn_share_inside(struct tn_net *net, tn_may_share *asked)
{
    share_small(net, false);
    return tn_failed(net->error) ? 0 : share_nodes(net, asked, false);
}
