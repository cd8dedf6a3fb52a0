/*
 * picture.h - a model as a picture: nodes in an order, and blocks of them
 *
 * A node of the picture is an operator, an input or output of a graph, or
 * weights that several operators share.  Nodes are numbered as they are found
 * (ids), and have a position in the order in which a walk of the hierarchy
 * meets them.  A block that occurs many times is stored once: view_data.h says
 * how nodes are found from blocks and positions.
 *
 *   view_nodes.c     the nodes of a model, what they take, what they look like
 *   view_order.c     an order in which producers come first
 *   view_scopes.c    the scopes that names are in
 *   view_tree.c      hierarchy: graphs, scopes of names, operators with their
 *                    constants
 *   view_blocks.c    blocks from the bottom up; equal ones are one
 *   view_fold.c      repeated parts of a list
 *   view_layout.c    where the boxes of one block are
 *   view_treemap.c   tensors of a model without a graph
 *   view_data.c      the picture as bytes for the page
 *   view_svg.c       the picture as SVG
 */
#ifndef TN_VIEW_PICTURE_H
#define TN_VIEW_PICTURE_H

#include <tenon/statistics.h>

#include "base/intern.h"
#include "ir/attr.h"
#include "ir/pairs.h"
#include "view/view_class.h"

enum tn_view_node_kind {
    TN_VIEW_OP,
    TN_VIEW_INPUT,
    TN_VIEW_OUTPUT,
    TN_VIEW_WEIGHTS, /* a tensor that several operators use                   */
    TN_VIEW_TENSOR,  /* of a model without a graph                            */
};

/* The state of a node in a comparison. */
enum tn_view_state {
    TN_VIEW_SAME,
    TN_VIEW_ADDED,
    TN_VIEW_REMOVED,
    TN_VIEW_CHANGED,
    TN_VIEW_DIFFERS_INSIDE, /* of a block: nodes in it are not the same       */
};

#define TN_VIEW_KINDS(X)                                                       \
    X(GRAPH, "graph")       /* the root                                   */   \
    X(SCOPE, "scope")       /* nodes whose names begin alike              */   \
    X(FOLD, "fold")         /* a part that is repeated, without a name    */   \
    X(OP, "op")             /* an operator with its constants             */   \
    X(CALL, "call")         /* an operator with the graphs that it runs   */   \
    X(BODY, "body")         /* a graph inside a node                      */   \
    X(FUNCTION, "function") /* a graph that is called by name             */   \
    X(TENSORS, "tensors")   /* tensors whose names begin alike            */

enum tn_picture_kind {
#define TN_VIEW_KIND_ID(name, text) TN_VIEW_##name##_BLOCK,
    TN_VIEW_KINDS(TN_VIEW_KIND_ID)
#undef TN_VIEW_KIND_ID
        TN_VIEW_KIND_COUNT
};

/* One value that a node takes.  `from` is a node, or TN_NONE for a constant or
 * an input that was left out. */
struct tn_view_use {
    uint32_t from;
    uint32_t value; /* of the model, TN_NONE: left out                        */
};

struct tn_view_node {
    uint64_t look; /* equal for nodes that look and work alike               */
    uint32_t what; /* op, value (inputs, outputs) or tensor                  */
    uint32_t graph;
    uint32_t first_use; /* in picture->uses                                   */
    uint32_t attrs;     /* list of attributes, for ops                        */
    uint32_t op;        /* string: the operator                               */
    uint32_t title;     /* string: first line of the box; 0: the operator, or
                           the name                                           */
    uint32_t detail;    /* string: second line of the box                     */
    uint8_t  kind;
    uint8_t class;
    bool is_small;    /* constants and arithmetic on shapes: belongs to what
                         uses it                                             */
    uint8_t  state;   /* in a comparison                                     */
    uint32_t changes; /* there: list of what differs, like one of attributes */
};

/* What differs, as a page says it: "strides" is "[1,1] → [2,2]". */
struct tn_view_change {
    struct tn_bytes name, text;
};
struct tn_view_changes {
    const struct tn_view_change *items;
    uint32_t                     count;
};

struct tn_view_item {
    uint32_t block;  /* 0: a node                                             */
    uint32_t offset; /* of its first node in the block                        */
    uint32_t repeat;
    uint32_t label, detail; /* strings                                        */
    uint32_t size;          /* nodes of one copy; 0 for a function            */
    uint64_t look;
    int32_t  x, y, w, h;
    uint32_t layer;
    uint8_t class;
    uint8_t is_open; /* at first                                             */
    uint8_t state;
};

enum { TN_VIEW_LINE, TN_VIEW_STUB, TN_VIEW_CONTROL_LINE };

struct tn_view_edge {
    uint32_t from, to; /* items; TN_NONE: outside                             */
    uint32_t weight;
    uint32_t label;
    int32_t  lane;    /* x of the vertical part, or -1                       */
    int32_t  out, in; /* x of its ends, in their boxes                       */
    uint8_t  kind;
};

struct tn_view_block {
    uint64_t hash;
    uint32_t first_item, item_count; /* in picture->items                     */
    uint32_t first_edge, edge_count;
    uint32_t size; /* nodes of one copy                                       */
    uint32_t home; /* position of its first node, or TN_NONE                  */
    uint32_t caller; /* position of the first node that calls it, or TN_NONE  */
    int32_t  width, height;
    uint8_t  kind;
    uint8_t  state; /* TN_VIEW_SAME or TN_VIEW_DIFFERS_INSIDE                 */
    bool     has_lead;
};

/* A list of attributes that nodes share. */
struct tn_view_attrs {
    uint32_t first, count; /* in picture->attr_texts: name, text, name, ...   */
    uint64_t look;         /* without names and elements of tensors           */
    uint32_t first_call, call_count; /* in picture->calls                     */
    uint32_t type; /* string: of the first output, if an attribute tells      */
};

/* A function that an attribute names. */
struct tn_view_call {
    uint32_t label;    /* string: the attribute                               */
    uint32_t function; /* name, in the model's names                          */
};

/* Steps of drawing: what nodes and tensors there are, and their attributes; and
 * the order of nodes.  Neither changes any more. */
enum tn_picture_step { TN_PICTURE_FOUND, TN_PICTURE_ORDERED };

struct tn_picture {
    const struct tn_model *model;
    struct tn_memory      *memory;
    struct tn_error       *error;

    /* A comparison: enum tn_view_state by op of the model, or by tensor if it
     * has no graph.  Set before the
     * picture is drawn; parts that differ are then not folded with others.
     * NULL: not a comparison. */
    const uint8_t *op_states;
    /* What differs, by op, or of the model as a whole; NULL: not told. */
    const struct tn_view_changes *op_changes, *model_changes;

    /* Called after each step; NULL: nobody waits for them.  Set before the
     * picture is drawn. */
    void (*hear)(void *listener, enum tn_picture_step step);
    void *listener;

    struct tn_arena  arena;
    struct tn_pairs  domains; /* (name in the model, 0) -> string     */
    struct tn_intern strings; /* valid UTF-8; 0 is ""                  */
    struct tn_intern texts;   /* of attributes, likewise               */

    struct tn_list nodes;   /* struct tn_view_node                            */
    struct tn_list uses;    /* struct tn_view_use                             */
    uint32_t      *makers;  /* by value: the node that makes it, or TN_NONE   */
    uint32_t      *weights; /* by value: its tensor, or TN_NONE               */
    uint32_t      *types;   /* by value: string, "float32 [1, 3]"; 0: unknown */
    struct tn_list lists;   /* struct tn_view_attrs                           */
    struct tn_list attr_texts; /* uint32_t: strings of `texts`                */
    struct tn_list calls;      /* struct tn_view_call                         */
    uint32_t *first_nodes;     /* by graph, and one more                      */
    uint32_t  graph_count;     /* 1 for a treemap                             */
    bool      is_treemap;      /* nodes are tensors                           */

    uint32_t *signatures; /* by node: string, the signature whose results it
                             gives; 0: none.  NULL: there are none            */

    struct tn_list blocks; /* struct tn_view_block                            */
    struct tn_list items;  /* struct tn_view_item                             */
    struct tn_list edges;  /* struct tn_view_edge                             */
    uint32_t      *order;  /* by position: the node                           */
    uint32_t      *positions; /* by node                                      */
    uint32_t       shown;     /* boxes that are visible at first              */

    float   *numbers; /* by node: NaN or a number; NULL: none                 */
    uint32_t number_label; /* string                                          */
    double   least, most;
    uint32_t number_count;

    const struct tn_statistics *statistics; /* by tensor; NULL: none */
};

/* String: what the box of a node is called. */
uint32_t tn_picture_title(struct tn_picture *picture, uint32_t node);

void tn_picture_init(struct tn_picture *picture, const struct tn_model *model,
                     struct tn_memory *memory, struct tn_error *error);
void tn_picture_done(struct tn_picture *picture);

/* All steps. */
enum tn_status tn_picture_draw(struct tn_picture *picture);

/* The type of a tensor as it is stored, "float32" or "q4_K", and the bytes that
 * it takes in memory; blocks of quantised elements count as they are stored. */
const char *tn_picture_type_name(const struct tn_tensor *tensor);
uint64_t    tn_picture_tensor_bytes(const struct tn_tensor *tensor);

/* A text as a page shows it: bytes that are not UTF-8 become U+FFFD, and what
 * is beyond TN_VIEW_STRING_MOST is cut.  `room` has three times that size. */
#define TN_VIEW_STRING_MOST 4096
struct tn_bytes tn_picture_clean(struct tn_bytes text, uint8_t *room);

/* The id of a text, cleaned so. */
uint32_t tn_picture_string(struct tn_picture *picture, struct tn_bytes text);
uint32_t tn_picture_format(struct tn_picture *picture, const char *format, ...)
    TN_PRINTF(2, 3);

static inline struct tn_bytes tn_picture_text(const struct tn_picture *picture,
                                              uint32_t                 string)
{
    return tn_intern_text(&picture->strings, string);
}

static inline struct tn_view_node *tn_picture_node(
    const struct tn_picture *picture, uint32_t node)
{
    return tn_list_at(&picture->nodes, struct tn_view_node, node);
}

static inline uint32_t tn_picture_node_count(const struct tn_picture *picture)
{
    return (uint32_t)picture->nodes.count;
}

/* How many values a node takes. */
static inline uint32_t tn_picture_use_count(const struct tn_picture *picture,
                                            uint32_t                 node)
{
    uint64_t end = node + UINT64_C(1) < picture->nodes.count
                       ? tn_picture_node(picture, node + 1)->first_use
                       : picture->uses.count;

    return (uint32_t)(end - tn_picture_node(picture, node)->first_use);
}

static inline struct tn_view_use *tn_picture_use(
    const struct tn_picture *picture, uint32_t node, uint32_t index)
{
    return tn_list_at(&picture->uses, struct tn_view_use,
                      tn_picture_node(picture, node)->first_use + index);
}

static inline struct tn_view_block *tn_picture_block(
    const struct tn_picture *picture, uint32_t block)
{
    return tn_list_at(&picture->blocks, struct tn_view_block, block);
}

static inline struct tn_view_item *tn_picture_item(
    const struct tn_picture *picture, uint64_t item)
{
    return tn_list_at(&picture->items, struct tn_view_item, item);
}

static inline struct tn_view_edge *tn_picture_edge(
    const struct tn_picture *picture, uint64_t edge)
{
    return tn_list_at(&picture->edges, struct tn_view_edge, edge);
}

/* The name of a node: its own, or that of its first output. */
struct tn_bytes tn_picture_node_name(const struct tn_picture *picture,
                                     uint32_t                 node);

struct tn_bytes tn_picture_op_name(const struct tn_model *model, uint32_t op);

/* Names of a million nodes are in no cache: this prefetches one. */
static inline void tn_view_fetch_text(struct tn_bytes text)
{
#if defined(__GNUC__)
    enum { LINE = 64 };
    for (size_t at = 0; at < text.size && at < 3 * LINE; at += LINE)
        __builtin_prefetch(text.data + at);
#else
    (void)text;
#endif
}

/* While one of a list of nodes is used, this prefetches one of those that
 * follow.  `left` are from there to the end. */
void tn_picture_fetch_name(const struct tn_picture *picture,
                           const uint32_t *nodes, uint32_t left);

/* One step of a hash; the same on every machine. */
static inline uint64_t tn_view_mix(uint64_t hash, uint64_t more)
{
    hash ^= more + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash *= UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

/* Each run of digits counts as one: names that differ only in their numbers are
 * names of the same thing. */
uint64_t tn_view_hash_name(struct tn_bytes name);

uint64_t tn_view_hash_text(struct tn_bytes text);

#endif
