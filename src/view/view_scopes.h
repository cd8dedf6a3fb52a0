/*
 * view_scopes.h - the scopes of names
 *
 * "a/b/c" is in scope "b", which is in "a"; a name without a slash is divided
 * by its dots.  Names tell all that is found here, so it is found on a thread
 * of its own, beside the nodes of the picture.  A scope of which no box is made
 * costs its row; view_tree.c makes the others containers.
 */
#ifndef TN_VIEW_VIEW_SCOPES_H
#define TN_VIEW_VIEW_SCOPES_H

#include "io/pipeline.h"
#include "view/picture.h"

/* Scopes deeper than that are one. */
#define TN_VIEW_SCOPES_MOST 32

/* A bit beside a scope: the name has a slash. */
#define TN_VIEW_SLASH UINT32_C(0x80000000)

struct tn_view_scope {
    uint32_t parent;        /* TN_NONE: it is all of a graph                 */
    uint32_t word;          /* its own name, in scopes->words                */
    uint32_t before;        /* in the same scope, TN_NONE: it is the first   */
    uint32_t latest, count; /* in it                                         */
    uint32_t container;     /* for view_tree.c; TN_NONE: not made yet        */
};

struct tn_view_scopes {
    const struct tn_model *model;
    bool                   is_of_tensors; /* else of operators                */
    struct tn_list   rows; /* struct tn_view_scope: those of graphs first */
    struct tn_intern words;
    uint32_t *homes; /* by operator or tensor: its scope, and TN_VIEW_SLASH   */

    struct tn_arena arena;
    struct tn_pairs many; /* (scope, word) -> scope, where there are many     */
    struct tn_error error;
    struct tn_bytes last; /* the name before                                  */
    struct {
        size_t   end; /* in that name, after the separator                    */
        uint32_t scope;
    } stack[TN_VIEW_SCOPES_MOST]; /* its scopes                               */
    uint32_t           depth;
    struct tn_pipeline pipeline;
};

/* Begins to look at the names of the model's operators or tensors. */
void tn_view_scopes_begin(struct tn_view_scopes   *scopes,
                          const struct tn_picture *picture, bool is_of_tensors);

/* Waits until all are found. */
enum tn_status tn_view_scopes_end(struct tn_view_scopes *scopes,
                                  struct tn_error       *error);
void           tn_view_scopes_done(struct tn_view_scopes *scopes);

static inline struct tn_view_scope *tn_view_scope(
    const struct tn_view_scopes *scopes, uint32_t index)
{
    return tn_list_at(&scopes->rows, struct tn_view_scope, index);
}

#endif
