/*
 * view_blocks.c - blocks from the bottom up
 *
 * An edge belongs to the innermost container that holds both of its ends.
 * Containers are visited from the last to the first, so that the blocks inside
 * one exist already: its children become items, parts that repeat become one
 * item with a number, and a block that equals an earlier one is replaced by it.
 */
#include "view/view_blocks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "view/view_fold.h"

/* Parts inside parts inside parts. */
enum { MOST_NESTING = 8 };

/* A block of more items is divided into groups of so many. */
enum { MANY_ITEMS = 60, LEAST_GROUP = 8, MOST_GROUP = 24, MOST_ROUNDS = 10 };

struct link {
    uint32_t next;     /* of the same container, TN_NONE: this is the last    */
    uint32_t from, to; /* slots of children                                   */
    uint32_t label : 31; /* string: type of the value                         */
    uint32_t is_control : 1;
};

/* A block that is being made. */
struct new_block {
    struct tn_list items; /* struct tn_view_item                              */
    struct tn_list edges; /* struct tn_view_edge                              */
    uint32_t       low, high;
};

enum { MOST_SPARE = 4 };

struct maker {
    struct tn_picture    *picture;
    struct tn_view_tree  *tree;
    struct tn_error      *error;
    struct tn_view_folder folder;
    struct tn_list        links; /* struct link                               */

    /* Of the container that is being made: */
    struct tn_list looks, sizes, bars, first_preds, preds, controls, last_uses;
    struct tn_list pred_labels;
    struct tn_list members; /* struct tn_view_item: a child each             */
    struct tn_list item_of; /* uint32_t by member                           */
    struct tn_list edge_of; /* uint32_t by item: the edge being counted      */
    struct tn_list runs;
    struct tn_list group_firsts, group_edges, group_of, group_runs, crossings;
    struct tn_list group_looks, group_sizes, group_bars, group_starts,
        group_first_preds, group_preds;
    const uint32_t  *children;
    struct new_block spare[MOST_SPARE]; /* lists of blocks that are made      */
    unsigned         spare_count;
    struct tn_list hashes; /* uint32_t: blocks by hash, open addressing      */
    uint64_t       hashed;
    struct tn_buffer text;
    struct {
        uint32_t size, string;
    } counts[64]; /* texts made lately                                        */
    struct {
        uint32_t label;
        uint64_t hash;
    } hashed_labels[256];
};

/* ---- edges by container ------------------------------------------------- */

/* One end of an edge on its way up. */
struct end {
    uint32_t node;
    uint32_t child; /* node, or container with TN_VIEW_INNER                  */
    uint32_t in;    /* container                                              */
};

static struct end end_at(const struct maker *m, uint32_t node)
{
    const struct tn_view_leaf *leaf = &m->tree->leaves[node];
    struct end                 end  = { node, node, leaf->parent };

    if (leaf->slot == TN_NONE && leaf->parent != TN_NONE) {
        end.child = leaf->parent | TN_VIEW_INNER;
        end.in    = tn_view_container(m->tree, leaf->parent)->parent;
    }
    return end;
}

static void climb(struct maker *m, struct end *end, const struct end *other,
                  bool is_target)
{
    uint32_t *count, *first;

    if (end->child & TN_VIEW_INNER) {
        struct tn_view_container *c =
            tn_view_container(m->tree, end->child & ~TN_VIEW_INNER);
        count = is_target ? &c->entering : &c->leaving;
        first = is_target ? &c->enters_from : &c->leaves_to;
    } else {
        struct tn_view_leaf *leaf = &m->tree->leaves[end->child];
        count = is_target ? &leaf->entering : &leaf->leaving;
        first = is_target ? &leaf->enters_from : &leaf->leaves_to;
    }
    ++*count;
    *first     = other->node; /* the first is the last that is linked */
    end->child = end->in | TN_VIEW_INNER;
    end->in    = tn_view_container(m->tree, end->in)->parent;
}

static uint32_t slot_of(const struct maker *m, uint32_t child)
{
    return child & TN_VIEW_INNER
               ? tn_view_container(m->tree, child & ~TN_VIEW_INNER)->slot
               : m->tree->leaves[child].slot;
}

static void link_nodes(struct maker *m, uint32_t from_node, uint32_t to_node,
                       uint32_t label, bool is_control)
{
    struct end from = end_at(m, from_node), to = end_at(m, to_node);

    while (from.in != to.in) {
        if (from.in == TN_NONE || to.in == TN_NONE)
            return; /* of two functions: the file is wrong */
        uint32_t a = tn_view_container(m->tree, from.in)->depth;
        uint32_t b = tn_view_container(m->tree, to.in)->depth;
        if (a >= b)
            climb(m, &from, &to, false);
        if (b >= a)
            climb(m, &to, &from, true);
    }
    if (from.in == TN_NONE || from.child == to.child)
        return;
    struct tn_view_container *in = tn_view_container(m->tree, from.in);
    struct link *link = tn_list_push(&m->links, struct link, m->error);
    if (!link)
        return;
    *link          = (struct link){ .next       = in->first_link,
                                    .from       = slot_of(m, from.child),
                                    .to         = slot_of(m, to.child),
                                    .label      = label & INT32_MAX,
                                    .is_control = is_control };
    in->first_link = (uint32_t)m->links.count - 1;
}

static bool is_control(const struct tn_picture *picture, uint32_t node,
                       uint32_t use, uint32_t uses)
{
    const struct tn_view_node *row = tn_picture_node(picture, node);

    return row->kind == TN_VIEW_OP &&
           use + tn_model_op_at(picture->model, row->what)->control_count >=
               uses;
}

/* From the last node to the first: each link goes before those that its
 * container has, so that they end up in the order of their targets; and as
 * containers are made in that order, too, links are read one after the other.
 */
static void link_all(struct maker *m)
{
    const struct tn_picture *picture = m->picture;

    tn_list_reserve(&m->links, picture->uses.count + 1, m->error);
    for (uint32_t i = tn_picture_node_count(picture);
         i-- > 0 && !tn_failed(m->error);) {
        uint32_t uses = tn_picture_use_count(picture, i);
        for (uint32_t k = uses; k-- > 0;) {
            const struct tn_view_use *use = tn_picture_use(picture, i, k);
            if (use->from == TN_NONE)
                continue;
            uint32_t value =
                tn_model_defining_value(picture->model, use->value);
            link_nodes(m, use->from, i, picture->types[value],
                       is_control(picture, i, k, uses));
        }
    }
}

/* ---- members: the children of a container as items ---------------------- */

static struct tn_view_item node_member(const struct maker *m, uint32_t node)
{
    const struct tn_view_node *row = tn_picture_node(m->picture, node);

    return (struct tn_view_item){
        .repeat = 1,
        .label  = tn_picture_title(m->picture, node),
        .detail = row->detail,
        .size   = 1,
        .look   = row->look,
        .class  = row->class,
        .state  = row->state,
    };
}

/* "12,345 nodes" */
static uint32_t make_count(struct maker *m, uint32_t size)
{
    const char *what = m->picture->is_treemap ? "tensor" : "node";
    char        text[16];
    int         end = snprintf(text, sizeof text, "%" PRIu32, size);

    for (int at = end - 3; at > 0; at -= 3, end++) {
        memmove(text + at + 1, text + at, (size_t)(end - at) + 1);
        text[at] = ',';
    }
    return tn_picture_format(m->picture, "%s %s%s", text, what,
                             size == 1 ? "" : "s");
}

static uint32_t count_detail(struct maker *m, uint32_t size)
{
    unsigned slot = size % 64;

    if (m->counts[slot].size != size) {
        m->counts[slot].size   = size;
        m->counts[slot].string = make_count(m, size);
    }
    return m->counts[slot].string;
}

/* Names that differ only in their numbers are names of the same thing. */
static uint64_t label_look(struct maker *m, uint32_t label)
{
    unsigned slot = label % 256;

    if (m->hashed_labels[slot].label != label + 1) {
        m->hashed_labels[slot].label = label + 1;
        m->hashed_labels[slot].hash =
            tn_view_hash_name(tn_picture_text(m->picture, label));
    }
    return m->hashed_labels[slot].hash;
}

/* The box of an operator with its constants looks like the operator's; if it
 * has no weights of its own, those of its constants are shown. */
static void dress_as_node(struct maker *m, struct tn_view_item *item,
                          const struct tn_view_container *c)
{
    const struct tn_view_node *row = tn_picture_node(m->picture, c->node);

    item->class  = row->class;
    item->detail = row->detail;
    for (uint32_t i = 0; i < c->child_count && !item->detail; i++) {
        uint32_t child = m->tree->children[c->first_child + i];
        if (!(child & TN_VIEW_INNER) && child != c->node)
            item->detail = tn_picture_node(m->picture, child)->detail;
    }
}

static struct tn_view_item container_member(struct maker *m, uint32_t index)
{
    const struct tn_view_container *c = tn_view_container(m->tree, index);
    uint32_t            size = tn_picture_block(m->picture, c->block)->size;
    struct tn_view_item item = {
        .block  = c->block,
        .repeat = 1,
        .label  = c->label,
        .size   = size,
        .class  = TN_VIEW_CLASS_BLOCK,
    };

    item.state = tn_picture_block(m->picture, c->block)->state;
    if (c->node != TN_NONE) {
        uint8_t own = tn_picture_node(m->picture, c->node)->state;
        item.state  = own ? own : item.state;
        dress_as_node(m, &item, c);
        if (m->picture->signatures && m->picture->signatures[c->node]) {
            item.detail = item.label;
            item.label  = m->picture->signatures[c->node];
        }
        item.look =
            tn_view_mix(tn_picture_node(m->picture, c->node)->look, c->block);
    } else {
        item.detail =
            c->kind == TN_VIEW_FUNCTION_BLOCK
                ? tn_picture_format(m->picture, "%" PRIu32 " functions",
                                    c->call_count)
                : count_detail(m, size);
        item.look = tn_view_mix(label_look(m, c->label), c->block);
    }
    return item;
}

static struct tn_view_item callee_member(const struct maker          *m,
                                         const struct tn_view_callee *callee)
{
    uint32_t block =
        tn_view_container(m->tree, m->tree->roots[callee->graph])->block;

    return (struct tn_view_item){
        .block  = block,
        .repeat = 1,
        .label  = callee->label,
        .detail = tn_picture_string(
            m->picture,
            tn_model_name(
                m->picture->model,
                tn_model_graph_at(m->picture->model, callee->graph)->name)),
        .look  = tn_view_mix(UINT64_C(0xf0f0), callee->graph),
        .class = TN_VIEW_CLASS_BLOCK,
    };
}

static bool set_count(struct tn_list *list, uint64_t count,
                      struct tn_error *error)
{
    list->count = 0;
    return tn_list_grow(list, count, error) != NULL;
}

static bool list_members(struct maker *m, const struct tn_view_container *c)
{
    uint64_t count = (uint64_t)c->child_count + c->call_count;

    if (!set_count(&m->members, count + 1, m->error) ||
        !set_count(&m->looks, count + 1, m->error) ||
        !set_count(&m->sizes, count + 1, m->error) ||
        !set_count(&m->bars, count + 1, m->error) ||
        !set_count(&m->item_of, count + 1, m->error) ||
        !set_count(&m->last_uses, count + 1, m->error) ||
        !set_count(&m->first_preds, count + 2, m->error))
        return false;
    m->children = m->tree->children + c->first_child;
    for (uint32_t i = 0; i < count; i++) {
        struct tn_view_item *member =
            tn_list_at(&m->members, struct tn_view_item, i);
        if (i >= c->child_count)
            *member = callee_member(
                m, tn_list_at(&m->tree->calls, struct tn_view_callee,
                              c->first_call + i - c->child_count));
        else if (m->children[i] & TN_VIEW_INNER)
            *member = container_member(m, m->children[i] & ~TN_VIEW_INNER);
        else
            *member = node_member(m, m->children[i]);
        *tn_list_at(&m->looks, uint64_t, i) = member->look;
        *tn_list_at(&m->sizes, uint32_t, i) = member->size;
        *tn_list_at(&m->bars, uint8_t, i)   = i >= c->child_count;
    }
    return true;
}

/* Who takes values from whom, by member. */
static bool list_preds(struct maker *m, uint32_t first_link, uint64_t count)
{
    const struct link *links  = m->links.items;
    uint32_t          *firsts = m->first_preds.items;
    uint32_t          *lasts  = m->last_uses.items;
    uint64_t           total  = 0;

    for (uint32_t i = first_link; i != TN_NONE; i = links[i].next, total++)
        firsts[links[i].to + 1]++;
    for (uint64_t i = 0; i <= count; i++)
        firsts[i + 1] += firsts[i];
    if (!set_count(&m->preds, total + 1, m->error) ||
        !set_count(&m->pred_labels, total + 1, m->error) ||
        !set_count(&m->controls, total + 1, m->error))
        return false;
    /* Links of one container are in the order of the nodes that take, which is
     * not always that of members: fill by counting. */
    for (uint32_t i = first_link; i != TN_NONE; i = links[i].next) {
        const struct link *link                    = &links[i];
        uint32_t           at                      = firsts[link->to]++;
        *tn_list_at(&m->preds, uint32_t, at)       = link->from;
        *tn_list_at(&m->controls, uint8_t, at)     = link->is_control;
        *tn_list_at(&m->pred_labels, uint32_t, at) = link->label;
        if (lasts[link->from] < link->to)
            lasts[link->from] = link->to;
    }
    for (uint64_t i = count + 1; i > 0; i--)
        firsts[i] = firsts[i - 1];
    firsts[0] = 0;
    return true;
}

/* ---- edges of a block that is being made --------------------------------- */

static struct tn_view_edge *add_edge(struct maker *m, struct new_block *d,
                                     uint32_t from, uint32_t to)
{
    struct tn_view_edge *edge =
        tn_list_push(&d->edges, struct tn_view_edge, m->error);

    if (edge)
        *edge = (struct tn_view_edge){
            .from = from, .to = to, .weight = 1, .lane = -1
        };
    return edge;
}

static uint32_t title_of_end(const struct maker *m, uint32_t node)
{
    return node == TN_NONE ? 0 : tn_picture_title(m->picture, node);
}

/* The edges between a child and nodes outside the container. */
struct border {
    uint32_t entering, leaving, enters_from, leaves_to;
};

static struct border border_of(const struct maker *m, uint32_t child)
{
    if (child & TN_VIEW_INNER) {
        const struct tn_view_container *c =
            tn_view_container(m->tree, child & ~TN_VIEW_INNER);
        return (struct border){ c->entering, c->leaving, c->enters_from,
                                c->leaves_to };
    }
    const struct tn_view_leaf *leaf = &m->tree->leaves[child];
    return (struct border){ leaf->entering, leaf->leaving, leaf->enters_from,
                            leaf->leaves_to };
}

/* Edges that cross the border of the block, one in and one out for an item. */
static void add_border(struct maker *m, struct new_block *d, uint32_t item,
                       uint32_t first, uint32_t end, uint32_t child_count)
{
    struct border   sum    = { 0, 0, TN_NONE, TN_NONE };
    uint32_t        enters = 0, leaves = 0; /* labels                        */
    const uint32_t *firsts = m->first_preds.items;
    const uint32_t *lasts  = m->last_uses.items;

    for (uint32_t i = first; i < end && i < child_count; i++) {
        struct border b = border_of(m, m->children[i]);
        sum.entering += b.entering;
        sum.leaving += b.leaving;
        if (!enters && b.entering)
            enters = title_of_end(m, b.enters_from);
        if (!leaves && b.leaving)
            leaves = title_of_end(m, b.leaves_to);
        for (uint32_t k = firsts[i]; k < firsts[i + 1]; k++) {
            uint32_t from = *tn_list_at(&m->preds, uint32_t, k);
            if (from >= d->low && from < d->high)
                continue;
            sum.entering++;
            if (!enters)
                enters =
                    tn_list_at(&m->members, struct tn_view_item, from)->label;
        }
        if (lasts[i] >= d->high) {
            sum.leaving++;
            if (!leaves)
                leaves = tn_list_at(&m->members, struct tn_view_item, lasts[i])
                             ->label;
        }
    }
    struct tn_view_edge *edge =
        sum.entering ? add_edge(m, d, TN_NONE, item) : NULL;
    if (edge) {
        edge->weight = sum.entering;
        edge->label  = enters;
    }
    edge = sum.leaving ? add_edge(m, d, item, TN_NONE) : NULL;
    if (edge) {
        edge->weight = sum.leaving;
        edge->label  = leaves;
    }
}

/* One more value between the same two items.  A type is said of all values of
 * a line or of none. */
static void join_line(struct tn_view_edge *edge, bool is_control,
                      uint32_t label)
{
    edge->weight++;
    if (is_control)
        return;
    if (edge->kind == TN_VIEW_CONTROL_LINE)
        edge->label = label;
    else if (edge->label != label)
        edge->label = 0;
    edge->kind = TN_VIEW_LINE;
}

static void add_edges_into(struct maker *m, struct new_block *d,
                           uint32_t member)
{
    const uint32_t *firsts = m->first_preds.items;
    const uint32_t *items  = m->item_of.items;
    uint32_t       *edges  = m->edge_of.items;
    uint32_t        to     = items[member];

    for (uint32_t k = firsts[member]; k < firsts[member + 1]; k++) {
        uint32_t from       = *tn_list_at(&m->preds, uint32_t, k);
        bool     is_control = *tn_list_at(&m->controls, uint8_t, k);
        if (from < d->low || from >= d->high || items[from] == to)
            continue;
        uint32_t             at = edges[items[from]];
        struct tn_view_edge *edge =
            at < d->edges.count ? tn_list_at(&d->edges, struct tn_view_edge, at)
                                : NULL;
        if (edge && edge->from == items[from] && edge->to == to) {
            join_line(edge, is_control,
                      *tn_list_at(&m->pred_labels, uint32_t, k));
            continue;
        }
        edges[items[from]] = (uint32_t)d->edges.count;
        edge               = add_edge(m, d, items[from], to);
        if (!edge)
            return;
        edge->kind  = is_control ? TN_VIEW_CONTROL_LINE : TN_VIEW_LINE;
        edge->label = *tn_list_at(&m->pred_labels, uint32_t, k);
    }
}

/* ---- equal blocks are one ----------------------------------------------- */

static uint64_t hash_new_block(const struct new_block *d, uint8_t kind)
{
    uint64_t hash = tn_view_mix(kind, d->items.count);

    for (uint64_t i = 0; i < d->items.count; i++) {
        const struct tn_view_item *item =
            tn_list_at(&d->items, struct tn_view_item, i);
        hash = tn_view_mix(hash, item->look);
        hash = tn_view_mix(hash, (uint64_t)item->repeat << 32 | item->block);
    }
    for (uint64_t i = 0; i < d->edges.count; i++) {
        const struct tn_view_edge *edge =
            tn_list_at(&d->edges, struct tn_view_edge, i);
        if (edge->from != TN_NONE && edge->to != TN_NONE)
            hash = tn_view_mix(hash, (uint64_t)edge->from << 32 | edge->to);
    }
    return hash;
}

static bool is_same_item(const struct tn_view_item *a,
                         const struct tn_view_item *b)
{
    return a->look == b->look && a->repeat == b->repeat &&
           a->block == b->block && a->size == b->size && a->state == b->state;
}

/* Edges that cross the border do not count: the last layer of a model equals
 * the others, even though another node takes its result. */
static bool is_same_wiring(const struct tn_picture    *picture,
                           const struct tn_view_block *block,
                           const struct new_block     *d)
{
    uint64_t a = 0, b = 0;

    for (;;) {
        const struct tn_view_edge *x = NULL, *y = NULL;
        for (; a < block->edge_count && !x; a++) {
            x = tn_picture_edge(picture, block->first_edge + a);
            if (x->from == TN_NONE || x->to == TN_NONE)
                x = NULL;
        }
        for (; b < d->edges.count && !y; b++) {
            y = tn_list_at(&d->edges, struct tn_view_edge, b);
            if (y->from == TN_NONE || y->to == TN_NONE)
                y = NULL;
        }
        if (!x || !y)
            return !x && !y;
        if (x->from != y->from || x->to != y->to || x->kind != y->kind)
            return false;
    }
}

static bool is_same_block(const struct tn_picture    *picture,
                          const struct tn_view_block *block,
                          const struct new_block *d, uint64_t hash,
                          uint8_t kind)
{
    if (block->hash != hash || block->kind != kind ||
        block->item_count != d->items.count || block->home != TN_NONE)
        return false;
    for (uint32_t i = 0; i < block->item_count; i++)
        if (!is_same_item(tn_picture_item(picture, block->first_item + i),
                          tn_list_at(&d->items, struct tn_view_item, i)))
            return false;
    return is_same_wiring(picture, block, d);
}

/* "layer.0" and "layer.1" become "layer.*". */
static uint32_t star_digits(struct maker *m, uint32_t label)
{
    struct tn_bytes text = tn_picture_text(m->picture, label);
    bool            was  = false;

    tn_buffer_clear(&m->text);
    for (size_t i = 0; i < text.size; i++) {
        bool is = text.data[i] >= '0' && text.data[i] <= '9';
        if (!is)
            tn_buffer_byte(&m->text, text.data[i]);
        else if (!was)
            tn_buffer_byte(&m->text, '*');
        was = is;
    }
    return tn_picture_string(m->picture, tn_buffer_bytes(&m->text));
}

/* "layer.0" to "layer.23" are "layer", with a number beside it. */
static uint32_t run_label(struct maker *m, uint32_t label)
{
    uint32_t        starred = star_digits(m, label);
    struct tn_bytes text    = tn_picture_text(m->picture, starred);
    size_t          size    = text.size;

    if (!size || text.data[size - 1] != '*')
        return starred;
    while (size > 0 && strchr("*._-/: ", text.data[size - 1]))
        size--;
    return size ? tn_picture_string(m->picture, tn_bytes(text.data, size))
                : starred;
}

/* Whether blocks are the same except for numbers in names. */
static void join_labels(struct maker *m, struct tn_view_block *block,
                        const struct new_block *d)
{
    for (uint32_t i = 0; i < block->item_count; i++) {
        struct tn_view_item *a =
            tn_picture_item(m->picture, block->first_item + i);
        const struct tn_view_item *b =
            tn_list_at(&d->items, struct tn_view_item, i);
        if (a->label != b->label)
            a->label = star_digits(m, a->label);
    }
}

static bool grow_hashes(struct maker *m)
{
    if (m->hashed * 2 < m->hashes.count)
        return true;
    uint64_t room   = m->hashes.count ? m->hashes.count * 2 : 256;
    m->hashes.count = 0;
    if (!tn_list_grow(&m->hashes, room, m->error))
        return false;
    uint32_t *slots = m->hashes.items;
    m->hashed       = 0;
    for (uint32_t i = 0; i < m->picture->blocks.count; i++) {
        if (tn_picture_block(m->picture, i)->home != TN_NONE)
            continue;
        uint64_t at = tn_picture_block(m->picture, i)->hash & (room - 1);
        while (slots[at])
            at = (at + 1) & (room - 1);
        slots[at] = i + 1;
        m->hashed++;
    }
    return true;
}

static void fill_block(struct maker *m, uint32_t index,
                       const struct new_block *d, uint64_t hash, uint8_t kind,
                       bool has_lead)
{
    struct tn_picture   *picture = m->picture;
    struct tn_view_item *items =
        tn_list_grow(&picture->items, d->items.count, m->error);
    struct tn_view_edge *edges =
        tn_list_grow(&picture->edges, d->edges.count, m->error);

    if ((!items && d->items.count) || (!edges && d->edges.count))
        return;
    if (d->items.count)
        memcpy(items, d->items.items, (size_t)d->items.count * sizeof *items);
    if (d->edges.count)
        memcpy(edges, d->edges.items, (size_t)d->edges.count * sizeof *edges);
    struct tn_view_block *block = tn_picture_block(picture, index);
    uint64_t              size = has_lead && kind == TN_VIEW_CALL_BLOCK ? 1 : 0;
    for (uint64_t i = 0; i < d->items.count; i++) {
        size += (uint64_t)items[i].size * items[i].repeat;
        if (items[i].state)
            block->state = TN_VIEW_DIFFERS_INSIDE;
    }
    block->hash       = hash;
    block->first_item = (uint32_t)(picture->items.count - d->items.count);
    block->item_count = (uint32_t)d->items.count;
    block->first_edge = (uint32_t)(picture->edges.count - d->edges.count);
    block->edge_count = (uint32_t)d->edges.count;
    block->size       = (uint32_t)size;
    block->kind       = kind;
    block->has_lead   = has_lead;
}

static uint32_t new_block(struct maker *m)
{
    struct tn_view_block *block =
        tn_list_push(&m->picture->blocks, struct tn_view_block, m->error);

    if (!block)
        return 0;
    block->home = block->caller = TN_NONE;
    return (uint32_t)m->picture->blocks.count - 1;
}

static uint32_t keep_block(struct maker *m, const struct new_block *d,
                           uint8_t kind, bool has_lead)
{
    uint64_t hash = hash_new_block(d, kind);

    if (!grow_hashes(m))
        return 0;
    uint32_t *slots = m->hashes.items;
    uint64_t  mask  = m->hashes.count - 1;
    uint64_t  at    = hash & mask;
    for (; slots[at]; at = (at + 1) & mask) {
        struct tn_view_block *block =
            tn_picture_block(m->picture, slots[at] - 1);
        if (is_same_block(m->picture, block, d, hash, kind)) {
            join_labels(m, block, d);
            return slots[at] - 1;
        }
    }
    uint32_t index = new_block(m);
    if (tn_failed(m->error))
        return 0;
    slots[at] = index + 1;
    m->hashed++;
    fill_block(m, index, d, hash, kind, has_lead);
    return index;
}

/* ---- items -------------------------------------------------------------- */

/* Containers are many, and most have few items: each takes the lists of the one
 * before. */
static void new_block_init(struct maker *m, struct new_block *d, uint32_t low,
                           uint32_t high)
{
    if (m->spare_count) {
        *d = m->spare[--m->spare_count];
    } else {
        tn_list_init(&d->items, m->picture->memory,
                     sizeof(struct tn_view_item));
        tn_list_init(&d->edges, m->picture->memory,
                     sizeof(struct tn_view_edge));
    }
    d->low  = low;
    d->high = high;
}

static void new_block_free(struct new_block *d)
{
    tn_list_done(&d->items);
    tn_list_done(&d->edges);
}

static void new_block_done(struct maker *m, struct new_block *d)
{
    if (m->spare_count == MOST_SPARE) {
        new_block_free(d);
        return;
    }
    d->items.count = d->edges.count = 0;
    m->spare[m->spare_count++]      = *d;
}

#define DOT " \xc2\xb7 "

/* The next of the words that a dot separates: a title is made of them. */
static struct tn_bytes next_word(struct tn_bytes *rest)
{
    struct tn_bytes word = *rest;
    size_t          dot  = sizeof DOT - 1;

    for (size_t i = 0; i + dot <= rest->size; i++)
        if (memcmp(rest->data + i, DOT, dot) == 0) {
            word  = tn_bytes(rest->data, i);
            *rest = tn_bytes(rest->data + i + dot, rest->size - i - dot);
            return word;
        }
    rest->size = 0;
    return word;
}

/* Adds a word that is new, before those of later places. */
static unsigned add_word(struct tn_bytes words[3], uint32_t places[3],
                         unsigned count, struct tn_bytes word, uint32_t place)
{
    for (unsigned k = 0; k < count; k++)
        if (tn_bytes_equal(words[k], word))
            return count;
    unsigned at = count;
    for (; at > 0 && places[at - 1] > place; at--) {
        words[at]  = words[at - 1];
        places[at] = places[at - 1];
    }
    words[at]  = word;
    places[at] = place;
    return count + 1;
}

/* The title of a part without a name: the three operators that characterize it,
 * in their order. */
static uint32_t title_of(struct maker *m, uint32_t low, uint32_t high)
{
    static const uint8_t ranks[TN_VIEW_CLASS_COUNT] = {
        [TN_VIEW_CLASS_PRODUCT] = 9,  [TN_VIEW_CLASS_BLOCK] = 8,
        [TN_VIEW_CLASS_NORM] = 7,     [TN_VIEW_CLASS_ACTIVATION] = 6,
        [TN_VIEW_CLASS_POOL] = 5,     [TN_VIEW_CLASS_CONTROL] = 5,
        [TN_VIEW_CLASS_QUANTIZE] = 4, [TN_VIEW_CLASS_OTHER] = 4,
        [TN_VIEW_CLASS_MATH] = 3,     [TN_VIEW_CLASS_SHAPE] = 2,
        [TN_VIEW_CLASS_DATA] = 1,     [TN_VIEW_CLASS_CONSTANT] = 1,
    };
    struct tn_bytes words[3];
    uint32_t        places[3];
    unsigned        count = 0;

    for (unsigned rank = 9; rank > 0 && count < 3; rank--)
        for (uint32_t i = low; i < high && count < 3; i++) {
            const struct tn_view_item *item =
                tn_list_at(&m->members, struct tn_view_item, i);
            struct tn_bytes rest = tn_picture_text(m->picture, item->label);
            if (ranks[item->class] != rank)
                continue;
            while (rest.size && count < 3)
                count = add_word(words, places, count, next_word(&rest), i);
        }
    tn_buffer_clear(&m->text);
    for (unsigned k = 0; k < count; k++) {
        tn_buffer_text(&m->text, k ? DOT : "");
        tn_buffer_add(&m->text, words[k]);
    }
    return tn_picture_string(m->picture, tn_buffer_bytes(&m->text));
}

static uint32_t make_part(struct maker *m, uint32_t low, uint32_t high,
                          unsigned nesting);

/* A part that repeats, as one item. */
static struct tn_view_item run_item(struct maker             *m,
                                    const struct tn_view_run *run,
                                    unsigned                  nesting)
{
    struct tn_view_item item =
        *tn_list_at(&m->members, struct tn_view_item, run->start);

    if (run->period == 1) {
        for (uint32_t i = 1; i < run->count; i++)
            if (tn_list_at(&m->members, struct tn_view_item, run->start + i)
                    ->label != item.label) {
                item.label = run_label(m, item.label);
                break;
            }
    } else {
        uint32_t end = run->start + run->period;
        item         = (struct tn_view_item){
                    .label = title_of(m, run->start, end),
                    .block = make_part(m, run->start, end, nesting + 1),
                    .class = TN_VIEW_CLASS_BLOCK,
        };
        item.size   = tn_picture_block(m->picture, item.block)->size;
        item.state  = tn_picture_block(m->picture, item.block)->state;
        item.detail = count_detail(m, item.size);
        item.look   = tn_view_mix(UINT64_C(0xf01d), item.block);
    }
    item.repeat = run->count;
    return item;
}

static void push_item(struct maker *m, struct new_block *d,
                      struct tn_view_item item, uint32_t offset)
{
    struct tn_view_item *to =
        tn_list_push(&d->items, struct tn_view_item, m->error);

    item.offset = offset;
    if (to)
        *to = item;
}

/* Members [low, high) as the items of a new block, repetitions as one; `first`
 * is the offset of the first. */
static void new_block_items(struct maker *m, struct new_block *d,
                            uint32_t first, bool can_fold, unsigned nesting)
{
    uint64_t from   = m->runs.count;
    uint32_t offset = first;

    if (can_fold && nesting < MOST_NESTING) {
        struct tn_view_sequence sequence = {
            m->looks.items, m->sizes.items,       m->bars.items,
            NULL,           m->first_preds.items, m->preds.items,
        };
        tn_view_fold(&m->folder, &sequence, d->low, d->high, &m->runs);
    }
    uint64_t next = from;
    for (uint32_t i = d->low; i < d->high && !tn_failed(m->error);) {
        struct tn_view_run run = { i, 1, 1 };
        if (next < m->runs.count &&
            tn_list_at(&m->runs, struct tn_view_run, next)->start == i)
            run = *tn_list_at(&m->runs, struct tn_view_run, next++);
        struct tn_view_item item = run_item(m, &run, nesting);
        push_item(m, d, item, offset);
        offset += item.size * item.repeat;
        i += run.period * run.count;
    }
    /* Parts have their own numbers of items, so these come after them. */
    uint32_t at = 0;
    next        = from;
    for (uint32_t i = d->low; i < d->high; at++) {
        uint32_t length = 1;
        if (next < m->runs.count &&
            tn_list_at(&m->runs, struct tn_view_run, next)->start == i) {
            const struct tn_view_run *run =
                tn_list_at(&m->runs, struct tn_view_run, next++);
            length = run->period * run->count;
        }
        for (uint32_t k = 0; k < length; k++)
            *tn_list_at(&m->item_of, uint32_t, i + k) = at;
        i += length;
    }
    m->runs.count = from;
}

static void new_block_edges(struct maker *m, struct new_block *d,
                            uint32_t child_count)
{
    const uint32_t *items = m->item_of.items;

    if (!set_count(&m->edge_of, d->items.count + 1, m->error))
        return;
    memset(m->edge_of.items, 0xff, (size_t)m->edge_of.count * sizeof(uint32_t));
    for (uint32_t i = d->low; i < d->high;) {
        uint32_t end = i;
        while (end < d->high && items[end] == items[i])
            add_edges_into(m, d, end++);
        i = end;
    }
    for (uint32_t i = d->low; i < d->high;) {
        uint32_t end = i;
        while (end < d->high && items[end] == items[i])
            end++;
        add_border(m, d, items[i], i, end, child_count);
        i = end;
    }
}

/* ---- groups of a block with many items ---------------------------------- */

/* What a group is called; the same rule as for parts, on items. */
static uint32_t title_of_items(struct maker *m, const struct new_block *d,
                               uint32_t low, uint32_t high)
{
    struct tn_list members = m->members;
    uint32_t       title;

    m->members = d->items;
    title      = title_of(m, low, high);
    m->members = members;
    return title;
}

/* The edges of one item of a group: those inside the group, and at most one
 * that enters and one that leaves. */
static void group_edges_of(struct maker *m, const struct new_block *d,
                           struct new_block *to, uint32_t item)
{
    const uint32_t *firsts     = m->group_firsts.items;
    uint32_t        borders[2] = { TN_NONE, TN_NONE };

    for (uint32_t k = firsts[item]; k < firsts[item + 1]; k++) {
        struct tn_view_edge edge =
            *tn_list_at(&d->edges, struct tn_view_edge,
                        *tn_list_at(&m->group_edges, uint32_t, k));
        bool     is_target = edge.to == item;
        uint32_t other     = is_target ? edge.from : edge.to;
        bool     is_inside = other >= to->low && other < to->high;
        if (is_inside && !is_target)
            continue; /* listed by both items, taken once */
        if (!is_inside && borders[is_target] != TN_NONE) {
            tn_list_at(&to->edges, struct tn_view_edge, borders[is_target])
                ->weight += edge.weight;
            continue;
        }
        if (!is_inside) {
            borders[is_target] = (uint32_t)to->edges.count;
            if (other != TN_NONE)
                edge.label =
                    tn_list_at(&d->items, struct tn_view_item, other)->label;
            edge.kind = TN_VIEW_LINE;
        }
        uint32_t mine = item - to->low;
        uint32_t its  = is_inside ? other - to->low : TN_NONE;
        edge.from     = is_target ? its : mine;
        edge.to       = is_target ? mine : its;
        struct tn_view_edge *copy =
            tn_list_push(&to->edges, struct tn_view_edge, m->error);
        if (copy)
            *copy = edge;
    }
}

/* Items [low, high) of a new block as a block of their own. */
static struct tn_view_item group_item(struct maker           *m,
                                      const struct new_block *d, uint32_t low,
                                      uint32_t high)
{
    struct new_block    inner;
    struct tn_view_item item = *tn_list_at(&d->items, struct tn_view_item, low);
    uint32_t            offset = item.offset;

    if (high - low == 1)
        return item;
    new_block_init(m, &inner, low, high);
    for (uint32_t i = low; i < high; i++) {
        struct tn_view_item copy =
            *tn_list_at(&d->items, struct tn_view_item, i);
        push_item(m, &inner, copy, copy.offset - offset);
    }
    for (uint32_t i = low; i < high && !tn_failed(m->error); i++)
        group_edges_of(m, d, &inner, i);
    item = (struct tn_view_item){
        .label  = title_of_items(m, d, low, high),
        .offset = offset,
        .repeat = 1,
        .class  = TN_VIEW_CLASS_BLOCK,
    };
    if (!tn_failed(m->error)) {
        item.block  = keep_block(m, &inner, TN_VIEW_FOLD_BLOCK, false);
        item.size   = tn_picture_block(m->picture, item.block)->size;
        item.state  = tn_picture_block(m->picture, item.block)->state;
        item.detail = count_detail(m, item.size);
        item.look   = tn_view_mix(UINT64_C(0x6709), item.block);
    }
    new_block_done(m, &inner);
    return item;
}

/* Lists the edges of each item, in the order of items: an edge between two is
 * listed by both, so that a group finds what crosses its border. */
static bool index_group_edges(struct maker *m, const struct new_block *d)
{
    uint64_t n = d->items.count;

    if (!set_count(&m->group_firsts, n + 3, m->error) ||
        !set_count(&m->group_edges, 2 * d->edges.count + 1, m->error))
        return false;
    uint32_t *firsts = m->group_firsts.items;
    uint32_t *edges  = m->group_edges.items;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < d->edges.count; i++) {
            const struct tn_view_edge *e =
                tn_list_at(&d->edges, struct tn_view_edge, i);
            uint32_t ends[2] = { e->to, e->from };
            for (unsigned k = 0; k < 2; k++) {
                if (ends[k] == TN_NONE)
                    continue;
                if (pass == 0)
                    firsts[ends[k] + 2]++;
                else
                    edges[firsts[ends[k] + 1]++] = i;
            }
        }
        for (uint64_t i = 1; pass == 0 && i <= n; i++)
            firsts[i + 1] += firsts[i];
    }
    return true;
}

/* Edges that cross the place before each item. */
static bool count_crossings(struct maker *m, const struct new_block *d)
{
    uint64_t n = d->items.count;

    if (!set_count(&m->crossings, n + 2, m->error))
        return false;
    int32_t *live = m->crossings.items;
    for (uint64_t i = 0; i < d->edges.count; i++) {
        const struct tn_view_edge *e =
            tn_list_at(&d->edges, struct tn_view_edge, i);
        if (e->from == TN_NONE || e->to == TN_NONE || e->from == e->to)
            continue;
        uint32_t low = e->from < e->to ? e->from : e->to;
        live[low + 1]++;
        live[e->from < e->to ? e->to + 1 : e->from + 1]--;
    }
    for (uint64_t i = 1; i <= n; i++)
        live[i] += live[i - 1];
    return true;
}

static bool is_data(const struct new_block *d, uint32_t item)
{
    return tn_list_at(&d->items, struct tn_view_item, item)->class ==
           TN_VIEW_CLASS_DATA;
}

/* Most layers begin with a product. */
static int begins_well(const struct new_block *d, uint32_t item)
{
    const struct tn_view_item *row =
        tn_list_at(&d->items, struct tn_view_item, item);

    return row->class == TN_VIEW_CLASS_PRODUCT ||
           row->class == TN_VIEW_CLASS_BLOCK;
}

/* Where the group that begins here ends: at the place that the fewest edges
 * cross; of several, at the last.  Inputs and outputs are not mixed with what
 * uses them. */
static uint32_t group_end(const struct maker *m, const struct new_block *d,
                          uint32_t first)
{
    const int32_t *live = m->crossings.items;
    uint32_t       end = first + 1, best = 0;
    uint32_t       last = (uint32_t)d->items.count;

    while (end < last && end - first < MOST_GROUP &&
           is_data(d, end) == is_data(d, first))
        end++;
    if (is_data(d, first) && end - first < LEAST_GROUP)
        return first + 1;
    if (end == last || end - first < MOST_GROUP)
        return end;
    for (uint32_t i = first + LEAST_GROUP; i <= end; i++)
        if (!best || 2 * live[i] - begins_well(d, i) <=
                         2 * live[best] - begins_well(d, best))
            best = i;
    return best;
}

/* Groups by a pattern of operators that repeats, whatever their weights: the
 * blocks of a network that grows from block to block. */
static void find_patterns(struct maker *m, const struct new_block *d)
{
    uint64_t n = d->items.count;

    m->group_runs.count = 0;
    if (!set_count(&m->group_looks, n + 1, m->error) ||
        !set_count(&m->group_sizes, n + 1, m->error) ||
        !set_count(&m->group_bars, n + 1, m->error) ||
        !set_count(&m->group_starts, n + 1, m->error) ||
        !set_count(&m->group_first_preds, n + 3, m->error) ||
        !set_count(&m->group_preds, d->edges.count + 1, m->error))
        return;
    uint32_t *firsts = m->group_first_preds.items,
             *preds  = m->group_preds.items;
    for (uint32_t i = 0; i < n; i++) {
        const struct tn_view_item *item =
            tn_list_at(&d->items, struct tn_view_item, i);
        *tn_list_at(&m->group_looks, uint64_t, i) =
            tn_view_mix(item->label, item->repeat);
        *tn_list_at(&m->group_sizes, uint32_t, i) = 8;
        *tn_list_at(&m->group_bars, uint8_t, i)   = is_data(d, i);
        *tn_list_at(&m->group_starts, uint8_t, i) = (uint8_t)begins_well(d, i);
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < d->edges.count; i++) {
            const struct tn_view_edge *e =
                tn_list_at(&d->edges, struct tn_view_edge, i);
            if (e->from == TN_NONE || e->to == TN_NONE)
                continue;
            if (pass == 0)
                firsts[e->to + 2]++;
            else
                preds[firsts[e->to + 1]++] = e->from;
        }
        for (uint64_t i = 1; pass == 0 && i <= n; i++)
            firsts[i + 1] += firsts[i];
    }
    struct tn_view_sequence sequence = { m->group_looks.items,
                                         m->group_sizes.items,
                                         m->group_bars.items,
                                         m->group_starts.items,
                                         firsts,
                                         preds };
    tn_view_fold(&m->folder, &sequence, 0, (uint32_t)n, &m->group_runs);
}

/* Where the group of item `i` ends, by the patterns found; `i` itself if it is
 * in none.  *run is the one to look at next. */
static uint32_t pattern_end(const struct maker *m, uint32_t i, uint64_t *run)
{
    while (*run < m->group_runs.count) {
        const struct tn_view_run *r =
            tn_list_at(&m->group_runs, struct tn_view_run, *run);
        if (i < r->start || r->period == 1)
            return i < r->start ? i + 1 : (++*run, i + 1);
        if (i < r->start + r->period * r->count)
            return i + r->period;
        ++*run;
    }
    return i + 1;
}

/* One round: fewer items, each a group of those before. */
static void group_once(struct maker *m, struct new_block *d, bool by_pattern)
{
    struct new_block next;
    uint64_t         n   = d->items.count;
    uint64_t         run = 0;
    uint32_t        *edges;

    new_block_init(m, &next, d->low, d->high);
    if (!index_group_edges(m, d) || !set_count(&m->group_of, n + 1, m->error))
        goto out;
    for (uint32_t i = 0; i < n && !tn_failed(m->error);) {
        uint32_t end =
            by_pattern ? pattern_end(m, i, &run) : group_end(m, d, i);
        struct tn_view_item item = group_item(m, d, i, end);
        for (uint32_t k = i; k < end; k++)
            *tn_list_at(&m->group_of, uint32_t, k) = (uint32_t)next.items.count;
        push_item(m, &next, item, item.offset);
        i = end;
    }
    if (tn_failed(m->error) ||
        !set_count(&m->edge_of, next.items.count + 1, m->error))
        goto out;
    edges = m->edge_of.items;
    memset(edges, 0xff, (size_t)m->edge_of.count * sizeof *edges);
    for (uint64_t i = 0; i < d->edges.count; i++) {
        struct tn_view_edge edge =
            *tn_list_at(&d->edges, struct tn_view_edge, i);
        if (edge.from != TN_NONE)
            edge.from = *tn_list_at(&m->group_of, uint32_t, edge.from);
        if (edge.to != TN_NONE)
            edge.to = *tn_list_at(&m->group_of, uint32_t, edge.to);
        if (edge.from == edge.to)
            continue;
        uint32_t at = edge.from == TN_NONE ? TN_NONE : edges[edge.from];
        struct tn_view_edge *same =
            at < next.edges.count
                ? tn_list_at(&next.edges, struct tn_view_edge, at)
                : NULL;
        if (same && same->from == edge.from && same->to == edge.to) {
            same->weight += edge.weight;
            if (edge.to != TN_NONE && same->label != edge.label)
                same->label = 0; /* types that differ */
            continue;
        }
        if (edge.from != TN_NONE)
            edges[edge.from] = (uint32_t)next.edges.count;
        struct tn_view_edge *to =
            tn_list_push(&next.edges, struct tn_view_edge, m->error);
        if (to)
            *to = edge;
    }
out:
    new_block_done(m, d);
    *d = next;
}

/* Replaces the items of a block with many by groups of them. */
static void group_items(struct maker *m, struct new_block *d)
{
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        uint64_t before = d->items.count;
        if (before <= MANY_ITEMS || tn_failed(m->error))
            return;
        find_patterns(m, d);
        uint64_t saved = 0;
        for (uint64_t i = 0; i < m->group_runs.count; i++) {
            const struct tn_view_run *run =
                tn_list_at(&m->group_runs, struct tn_view_run, i);
            if (run->period > 1 && run->period <= MANY_ITEMS)
                saved += (uint64_t)(run->period - 1) * run->count;
        }
        bool by_pattern = saved > before / 4;
        if (!by_pattern && !count_crossings(m, d))
            return;
        group_once(m, d, by_pattern);
        if (d->items.count >= before)
            return;
    }
}

static uint32_t make_part(struct maker *m, uint32_t low, uint32_t high,
                          unsigned nesting)
{
    struct new_block d;
    uint32_t         block = 0;

    new_block_init(m, &d, low, high);
    new_block_items(m, &d, 0, true, nesting);
    new_block_edges(m, &d, TN_NONE);
    group_items(m, &d);
    if (!tn_failed(m->error))
        block = keep_block(m, &d, TN_VIEW_FOLD_BLOCK, false);
    new_block_done(m, &d);
    return block;
}

static void make_container(struct maker *m, uint32_t index)
{
    struct tn_view_container *c        = tn_view_container(m->tree, index);
    uint32_t                  count    = c->child_count + c->call_count;
    bool                      can_fold = c->kind != TN_VIEW_OP_BLOCK &&
                    c->kind != TN_VIEW_CALL_BLOCK && !m->picture->is_treemap;
    bool             has_lead = c->node != TN_NONE;
    bool             is_root  = c->parent == TN_NONE;
    struct new_block d;

    if (!list_members(m, c) || !list_preds(m, c->first_link, count))
        return;
    new_block_init(m, &d, 0, count);
    new_block_items(m, &d, c->kind == TN_VIEW_CALL_BLOCK ? 1 : 0, can_fold, 0);
    new_block_edges(m, &d, c->child_count);
    if (can_fold)
        group_items(m, &d);
    if (!tn_failed(m->error)) {
        if (is_root)
            fill_block(m, c->block, &d, 0, c->kind, has_lead);
        else
            c->block = keep_block(m, &d, c->kind, has_lead);
    }
    new_block_done(m, &d);
}

/* ---- positions ---------------------------------------------------------- */

struct walk {
    uint32_t container, next;
};

static void place(struct maker *m, uint32_t node, uint32_t *position)
{
    m->picture->order[*position] = node;
    m->picture->positions[node]  = (*position)++;
}

static void walk_root(struct maker *m, uint32_t root, struct tn_list *stack,
                      uint32_t *position)
{
    struct walk *top = tn_list_push(stack, struct walk, m->error);

    if (top)
        top->container = root;
    while (stack->count && !tn_failed(m->error)) {
        top = tn_list_at(stack, struct walk, stack->count - 1);
        const struct tn_view_container *c =
            tn_view_container(m->tree, top->container);
        if (top->next == 0 && c->kind == TN_VIEW_CALL_BLOCK)
            place(m, c->node, position);
        if (top->next == c->child_count) {
            stack->count--;
            continue;
        }
        uint32_t child = m->tree->children[c->first_child + top->next++];
        if (!(child & TN_VIEW_INNER)) {
            place(m, child, position);
            continue;
        }
        top = tn_list_push(stack, struct walk, m->error);
        if (top)
            top->container = child & ~TN_VIEW_INNER;
    }
    stack->count = 0;
}

static void order_nodes(struct maker *m)
{
    struct tn_picture *picture  = m->picture;
    uint64_t           count    = picture->nodes.count + 1;
    uint32_t           position = 0;
    struct tn_list     stack;

    picture->order     = tn_new(&picture->arena, uint32_t, count, m->error);
    picture->positions = tn_new(&picture->arena, uint32_t, count, m->error);
    if (tn_failed(m->error))
        return;
    tn_list_init(&stack, picture->memory, sizeof(struct walk));
    for (uint32_t i = 0; i < m->tree->containers.count; i++) {
        const struct tn_view_container *c = tn_view_container(m->tree, i);
        if (c->parent != TN_NONE || c->is_gone)
            continue;
        if (c->block)
            tn_picture_block(picture, c->block)->home = position;
        walk_root(m, i, &stack, &position);
    }
    tn_list_done(&stack);
}

static void note_callers(struct maker *m)
{
    for (uint32_t i = 0; i < m->tree->containers.count; i++) {
        const struct tn_view_container *c = tn_view_container(m->tree, i);
        if (c->is_gone || c->node == TN_NONE)
            continue;
        uint32_t position = m->picture->positions[c->node];
        for (uint32_t k = 0; k < c->call_count; k++) {
            uint32_t root =
                m->tree
                    ->roots[tn_list_at(&m->tree->calls, struct tn_view_callee,
                                       c->first_call + k)
                                ->graph];
            struct tn_view_block *block = tn_picture_block(
                m->picture, tn_view_container(m->tree, root)->block);
            if (block->caller == TN_NONE || position < block->caller)
                block->caller = position;
        }
    }
}

/* ---- all ---------------------------------------------------------------- */

static void make_all(struct maker *m)
{
    uint64_t count = m->tree->containers.count;

    for (uint32_t i = 0; i < count && !tn_failed(m->error); i++)
        if (tn_view_container(m->tree, i)->parent == TN_NONE) {
            uint32_t block                       = new_block(m);
            tn_view_container(m->tree, i)->block = block;
            if (block && !tn_failed(m->error))
                tn_picture_block(m->picture, block)->home = 0;
        }
    if (!tn_failed(m->error))
        order_nodes(m);
    if (!tn_failed(m->error) && m->picture->hear)
        m->picture->hear(m->picture->listener, TN_PICTURE_ORDERED);
    if (!tn_failed(m->error))
        link_all(m);
    for (uint64_t i = count; i-- > 0 && !tn_failed(m->error);)
        if (!tn_view_container(m->tree, (uint32_t)i)->is_gone)
            make_container(m, (uint32_t)i);
    if (!tn_failed(m->error))
        note_callers(m);
}

enum tn_status tn_view_make_blocks(struct tn_picture   *picture,
                                   struct tn_view_tree *tree)
{
    struct maker      m      = { .picture = picture,
                                 .tree    = tree,
                                 .error   = picture->error };
    struct tn_memory *memory = picture->memory;

    tn_view_folder_init(&m.folder, memory, m.error);
    tn_list_init(&m.links, memory, sizeof(struct link));
    tn_list_init(&m.looks, memory, sizeof(uint64_t));
    tn_list_init(&m.sizes, memory, sizeof(uint32_t));
    tn_list_init(&m.bars, memory, sizeof(uint8_t));
    tn_list_init(&m.first_preds, memory, sizeof(uint32_t));
    tn_list_init(&m.preds, memory, sizeof(uint32_t));
    tn_list_init(&m.pred_labels, memory, sizeof(uint32_t));
    tn_list_init(&m.controls, memory, sizeof(uint8_t));
    tn_list_init(&m.last_uses, memory, sizeof(uint32_t));
    tn_list_init(&m.members, memory, sizeof(struct tn_view_item));
    tn_list_init(&m.item_of, memory, sizeof(uint32_t));
    tn_list_init(&m.edge_of, memory, sizeof(uint32_t));
    tn_list_init(&m.runs, memory, sizeof(struct tn_view_run));
    tn_list_init(&m.group_looks, memory, sizeof(uint64_t));
    tn_list_init(&m.group_sizes, memory, sizeof(uint32_t));
    tn_list_init(&m.group_starts, memory, sizeof(uint8_t));
    tn_list_init(&m.group_bars, memory, sizeof(uint8_t));
    tn_list_init(&m.group_first_preds, memory, sizeof(uint32_t));
    tn_list_init(&m.group_preds, memory, sizeof(uint32_t));
    tn_list_init(&m.group_firsts, memory, sizeof(uint32_t));
    tn_list_init(&m.group_edges, memory, sizeof(uint32_t));
    tn_list_init(&m.group_of, memory, sizeof(uint32_t));
    tn_list_init(&m.group_runs, memory, sizeof(struct tn_view_run));
    tn_list_init(&m.crossings, memory, sizeof(int32_t));
    tn_list_init(&m.hashes, memory, sizeof(uint32_t));
    tn_buffer_init(&m.text, memory, m.error);
    make_all(&m);
    tn_buffer_done(&m.text);
    while (m.spare_count)
        new_block_free(&m.spare[--m.spare_count]);
    tn_list_done(&m.hashes);
    tn_list_done(&m.group_looks);
    tn_list_done(&m.group_sizes);
    tn_list_done(&m.group_starts);
    tn_list_done(&m.group_bars);
    tn_list_done(&m.group_first_preds);
    tn_list_done(&m.group_preds);
    tn_list_done(&m.group_firsts);
    tn_list_done(&m.group_edges);
    tn_list_done(&m.group_of);
    tn_list_done(&m.group_runs);
    tn_list_done(&m.crossings);
    tn_list_done(&m.runs);
    tn_list_done(&m.edge_of);
    tn_list_done(&m.item_of);
    tn_list_done(&m.members);
    tn_list_done(&m.last_uses);
    tn_list_done(&m.pred_labels);
    tn_list_done(&m.controls);
    tn_list_done(&m.preds);
    tn_list_done(&m.first_preds);
    tn_list_done(&m.bars);
    tn_list_done(&m.sizes);
    tn_list_done(&m.looks);
    tn_list_done(&m.links);
    tn_view_folder_done(&m.folder);
    return picture->error->status;
}
