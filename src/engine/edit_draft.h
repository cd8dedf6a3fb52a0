/* edit_draft.h - the inside of an edit, for changes that callers of the API
 * cannot make */
#ifndef TN_ENGINE_EDIT_DRAFT_H
#define TN_ENGINE_EDIT_DRAFT_H

#include "engine/opened.h"
#include "ir/draft.h"

/* Ops by name, for words that name them (edit_find.c). */
struct tn_edit_index {
    struct tn_intern names;
    struct tn_pairs  ops;     /* (graph, name) -> the first op                */
    struct tn_pairs  several; /* (graph, name): there are others              */
    struct tn_pairs  outputs; /* (graph, name of an output) -> op             */
    uint32_t         count;   /* ops of the draft that are in it              */
    struct tn_pairs  tensors; /* (graph, name) -> row of the draft's tensors  */
    uint64_t         tensor_count; /* of them that are in it                  */
};

/* Texts in order, in the arena of the edit's first store. */
struct tn_edit_text {
    struct tn_edit_text *next;
    const char          *text;
};

struct tn_edit {
    struct tn_draft   draft;
    struct tn_opened *store; /* owns names, values and elements that were added
                                since the last restart                        */
    struct tn_opened *home;  /* the first such store; also owns this edit     */
    const struct tn_model *origin; /* that it began with; NULL: with nothing  */
    struct tn_options options; /* for models that actions open                */
    uint32_t          graph;   /* that actions look for names in              */
    const char       *folder;  /* of the script that runs; NULL: the current  */
    unsigned          depth;   /* of scripts that run scripts                 */
    bool              is_confined; /* the script that runs is not trusted     */
    bool              is_changed; /* since the last commit                    */
    struct tn_edit_index index;
    const char            *last_path; /* of the model that was opened last    */
    const struct tn_model *last_model;
    struct tn_edit_text   *notes, **notes_end; /* notes of actions for the
                                                  caller */
    uint32_t             note_count;
    struct tn_edit_text *wide; /* ops and nodes that stay float32             */
};

/* The first line of a public call that changes an edit: an action that needs a
 * model commits the change then (tn_edit_settle()), and does not lose it. */
#define TN_EDIT_CHANGES(edit, error)                                           \
    TN_ERROR_OR_OWN(error);                                                    \
    (edit)->is_changed = true

/* Borrowed until tn_edit_close(). */
struct tn_draft *tn_edit_draft(struct tn_edit *edit);

/* Continues with another model instead of the draft, whose changes are lost:
 * for actions that turn a model into another one.  Numbers of ops and graphs
 * are then those of that model; it stays alive as long as the edit. */
enum tn_status tn_edit_restart(struct tn_edit *edit, struct tn_model *model,
                               struct tn_error *error);

/* Commits the changes so far, and continues with the result. */
enum tn_status tn_edit_settle(struct tn_edit *edit, struct tn_error *error);

#endif
