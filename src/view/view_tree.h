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
#include "view/view_scopes.h"

/* A child is a node, or a container with this bit. */
#define TN_VIEW_INNER UINT32_C(0x80000000)

/* A million nodes have nearly as many containers, so what is needed in turn
 * shares its place. */
struct tn_view_container {
    uint32_t parent; /* container, TN_NONE: a root                            */
    uint32_t depth;
    uint32_t label; /* string                                                 */
    uint32_t node;  /* that it stands for, or TN_NONE                         */
    uint32_t child_count;
    uint32_t first_call, call_count; /* in tree->calls                        */
    uint32_t first_link;             /* of those between its children         */
    union {
        struct { /* the nodes directly in it, while it is judged              */
            uint32_t count;
            uint32_t scattered; /* of these, between nodes outside            */
            uint32_t op;        /* of all, or TN_NONE: they differ            */
        } census;
        struct { /* children, while the tree is being built; TN_NONE: none    */
            uint32_t first, last;
            uint32_t next; /* of its parent                                   */
        } list;
        struct {
            uint32_t first_child; /* in tree->children                        */
            uint32_t block;       /* when it was made one                     */
            uint32_t slot;        /* index among the children of its parent   */
        };
    };
    uint32_t entering, leaving;      /* edges across the border of its parent */
    uint32_t enters_from, leaves_to; /* the first of them: a node             */
    uint8_t  kind;                   /* enum tn_picture_kind                  */
    bool     is_gone;    /* a scope of one child, or one that is none         */
    bool     is_loose;   /* not among the children of its parent yet          */
    bool     has_scopes; /* among its children                                */
};

/* A function that is called, as an item of the container. */
struct tn_view_callee {
    uint32_t label;
    uint32_t graph;
};

struct tn_view_leaf {
    uint32_t parent, slot;      /* TN_NONE: the container's own node     */
    uint32_t entering, leaving; /* as above                              */
    uint32_t leaves_to;
    union {
        uint32_t next; /* while the tree is being built                      */
        uint32_t enters_from;
    };
};

struct tn_view_tree {
    struct tn_picture   *picture;
    struct tn_list       containers; /* struct tn_view_container              */
    struct tn_list       calls;      /* struct tn_view_callee                 */
    struct tn_view_leaf *leaves;     /* by node                               */
    uint32_t            *children;
    uint32_t            *roots; /* by graph: its container, or TN_NONE        */
};

enum tn_status tn_view_tree_build(struct tn_view_tree   *tree,
                                  struct tn_picture     *picture,
                                  struct tn_view_scopes *scopes);
void           tn_view_tree_done(struct tn_view_tree *tree);

static inline struct tn_view_container *tn_view_container(
    const struct tn_view_tree *tree, uint32_t index)
{
    return tn_list_at(&tree->containers, struct tn_view_container, index);
}

#endif
