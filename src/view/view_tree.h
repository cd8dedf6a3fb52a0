/*
 * view_tree.h - the hierarchy of a picture, before equal parts become one
 *
 * Leaves are nodes.  Containers are graphs, scopes that names begin with,
 * operators with the constants that only they use, operators with the graphs
 * that they run.  A container has a higher number than the one it is in.
 */
#ifndef TN_VIEW_VIEW_TREE_H
#define TN_VIEW_VIEW_TREE_H

#include "view/picture.h"

/* A child is a node, or a container with this bit. */
#define TN_VIEW_INNER UINT32_C(0x80000000)

struct tn_view_container {
    uint32_t parent, slot; /* container and index there; TN_NONE: a root      */
    uint32_t depth;
    uint32_t first_child, child_count; /* in tree->children                   */
    uint32_t first, last, next;        /* while it is being built             */
    uint32_t label;                    /* string                              */
    uint32_t node;  /* that it stands for, or TN_NONE                         */
    uint32_t graph; /* whose root it is, or TN_NONE                           */
    uint32_t first_call, call_count; /* in tree->calls                        */
    uint32_t entering, leaving;      /* edges across the border of its parent */
    uint32_t enters_from, leaves_to; /* the first of them: a node             */
    uint32_t block;                  /* when it was made one                  */
    uint8_t  kind;                   /* enum tn_picture_kind                  */
    bool     is_gone;  /* a scope of one child, or one that is none           */
    bool     is_loose; /* not among the children of its parent yet            */
};

/* A function that is called, as an item of the container. */
struct tn_view_callee {
    uint32_t label;
    uint32_t graph;
};

struct tn_view_leaf {
    uint32_t parent, slot;      /* TN_NONE: the container's own node     */
    uint32_t next;              /* while it is being built               */
    uint32_t entering, leaving; /* as above                              */
    uint32_t enters_from, leaves_to;
};

struct tn_view_tree {
    struct tn_picture   *picture;
    struct tn_list       containers; /* struct tn_view_container              */
    struct tn_list       calls;      /* struct tn_view_callee                 */
    struct tn_view_leaf *leaves;     /* by node                               */
    uint32_t            *children;
    uint32_t            *roots; /* by graph: its container, or TN_NONE        */
};

enum tn_status tn_view_tree_build(struct tn_view_tree *tree,
                                  struct tn_picture   *picture);
void           tn_view_tree_done(struct tn_view_tree *tree);

static inline struct tn_view_container *tn_view_container(
    const struct tn_view_tree *tree, uint32_t index)
{
    return tn_list_at(&tree->containers, struct tn_view_container, index);
}

#endif
