/*
 * edit_action.h - what can be done to a model, as one table
 *
 * A row is an action: `tenon edit --NAME VALUE`, a line `NAME WORD...` of a
 * script or patch, and tn_edit_act() of the API.  A new action is a function
 * and a row in edit_action.c; help, manual, completion and scripts follow.
 */
#ifndef TN_ENGINE_EDIT_ACTION_H
#define TN_ENGINE_EDIT_ACTION_H

#include "engine/edit_draft.h"
#include "engine/edit_words.h"
#include "ir/changes.h"

/* `words` are those after the name; there are as many as the row allows. */
typedef enum tn_status tn_edit_function(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error);

#define TN_EDIT_MANY TN_EDIT_WORDS_MOST

enum tn_edit_flags {
    TN_EDIT_FRESH = 1, /* changes so far are committed first: the draft is equal
                          to its base, whose ops have the same numbers        */
    TN_EDIT_LISTED = 2, /* only for dialects with lists of inputs, outputs and
                           types of values: ONNX                              */
};

struct tn_edit_row {
    const char       *name;      /* "rename-node"                             */
    const char       *arguments; /* "OLD=NEW", as --help has them; NULL: none */
    const char       *help;      /* one line                                  */
    uint32_t          least, most; /* words                                   */
    unsigned          flags;       /* enum tn_edit_flags                      */
    tn_edit_function *run;
};

extern const struct tn_edit_row tn_edit_rows[]; /* ends with a name NULL      */

const struct tn_edit_row *tn_edit_row_named(const char *name);

/* ---- for functions of actions ------------------------------------------- */

/* The op of the current graph that a word names, which must be the only one of
 * that name: by its number ("@3"); by its name; or by its path in the model that
 * the edit began with ("graph.node[3]"), in any graph.  NOT_FOUND or INVALID
 * otherwise. */
enum tn_status tn_edit_find_op(struct tn_edit *edit, const char *word,
                               uint32_t *op, struct tn_error *error);

/* A text about the model; value NULL removes it. */
enum tn_status tn_edit_set_text(struct tn_edit *edit, enum tn_text_kind kind,
                                const char *key, const char *value,
                                struct tn_error *error);

/* An input or output of three words: name, type ("?": not known; "as-it-is":
 * that of the same name in `now`) and dimensions ("2,n,?"; "...": not known). */
enum tn_status tn_edit_read_io(struct tn_edit *edit, struct tn_io_list now,
                               const char *const *words, struct tn_io *io,
                               struct tn_error *error);

/* For edit.c: the index of names, and what must be called when the name of an
 * op changes. */
void tn_edit_index_init(struct tn_edit *edit);
void tn_edit_index_done(struct tn_edit *edit);
void tn_edit_index_op(struct tn_edit *edit, uint32_t op,
                      struct tn_error *error);

/* The same if names of many may have changed. */
void tn_edit_index_forget(struct tn_edit *edit);

/* The op of the current graph that makes the value of that name, and which of
 * its outputs that is; TN_NONE: none does. */
uint32_t tn_edit_find_producer(struct tn_edit *edit, const char *name,
                               uint32_t *output, struct tn_error *error);

/* Replaces the elements of the tensor with that name that an op of the graph
 * holds; false if no op does. */
bool tn_edit_replace_constant(struct tn_edit *edit, uint32_t graph,
                              const char               *name,
                              const struct tn_elements *elements,
                              struct tn_error          *error);

/* A tensor of that graph, or of none (TN_NONE), which is not in an attribute;
 * NULL if there is none. */
struct tn_draft_tensor *tn_edit_find_tensor(struct tn_edit *edit,
                                            uint32_t graph, const char *name,
                                            struct tn_error *error);

/* The name of an output; empty if there is none. */
struct tn_bytes tn_edit_op_output(const struct tn_edit *edit, uint32_t op,
                                  uint32_t index);

/* Its name now. */
struct tn_bytes tn_edit_op_name(const struct tn_edit *edit, uint32_t op);

/* The graph that a word names: by its path in the model that the edit began
 * with, the name of a function, or its number ("@3"). */
enum tn_status tn_edit_find_graph(struct tn_edit *edit, const char *word,
                                  uint32_t *graph, struct tn_error *error);

/* The tensor that a word names: FILE if that has one tensor, FILE:NAME, or
 * FILE:NAME:TYPE (patch_tensor.h).  The edit keeps the file open. */
enum tn_status tn_edit_open_tensor(struct tn_edit *edit, const char *word,
                                   const struct tn_tensor **tensor,
                                   struct tn_error         *error);

/* A model that a word names; the edit keeps it open. */
enum tn_status tn_edit_open_model(struct tn_edit *edit, const char *word,
                                  bool                    wants_graph,
                                  const struct tn_model **model,
                                  struct tn_error        *error);

/* A number in a word. */
enum tn_status tn_edit_number(const char *word, uint64_t *number,
                              struct tn_error *error);

/* The path of a file that a word names: relative to the folder of the script. */
const char *tn_edit_path(struct tn_edit *edit, const char *word,
                         struct tn_error *error);

/* ---- actions ------------------------------------------------------------ */

tn_edit_function tn_edit_act_script, tn_edit_act_in;

/* edit_ops.c */
tn_edit_function tn_edit_act_set_attr, tn_edit_act_remove_attr,
    tn_edit_act_set_input, tn_edit_act_remove_op;

/* edit_rename.c */
tn_edit_function tn_edit_act_rename, tn_edit_act_rename_input,
    tn_edit_act_rename_output, tn_edit_act_rename_tensor,
    tn_edit_act_rename_node, tn_edit_act_rename_all, tn_edit_act_rename_tensors,
    tn_edit_act_rename_nodes, tn_edit_act_rename_from;

/* edit_about.c */
tn_edit_function tn_edit_act_metadata, tn_edit_act_remove_metadata,
    tn_edit_act_doc, tn_edit_act_producer, tn_edit_act_producer_version,
    tn_edit_act_domain, tn_edit_act_model_version, tn_edit_act_graph_name;

/* edit_io.c */
tn_edit_function tn_edit_act_add_output, tn_edit_act_drop_output;

/* edit_tensors.c */
tn_edit_function tn_edit_act_put, tn_edit_act_put_raw,
    tn_edit_act_remove_tensor, tn_edit_act_weights_from,
    tn_edit_act_weights_by_position, tn_edit_act_weights_by_map,
    tn_edit_act_tie, tn_edit_act_untie;

/* edit_graph.c */
tn_edit_function tn_edit_act_inputs, tn_edit_act_outputs, tn_edit_act_extract,
    tn_edit_act_set_dim, tn_edit_act_dynamic, tn_edit_act_batch,
    tn_edit_act_keep_float32, tn_edit_act_float16, tn_edit_act_float16_io,
    tn_edit_act_bfloat16, tn_edit_act_bfloat16_io,
    tn_edit_act_remove_identities, tn_edit_act_remove_casts,
    tn_edit_act_remove_qdq, tn_edit_act_insert_identity,
    tn_edit_act_insert_casts, tn_edit_act_insert_qdq, tn_edit_act_opset,
    tn_edit_act_append, tn_edit_act_append_as;

/* patch_actions.c */
tn_edit_function tn_edit_act_add_op, tn_edit_act_set_op, tn_edit_act_move_op,
    tn_edit_act_set_inputs, tn_edit_act_set_outputs, tn_edit_act_list_inputs,
    tn_edit_act_list_outputs, tn_edit_act_list_values, tn_edit_act_add_graph,
    tn_edit_act_add_function, tn_edit_act_remove_function, tn_edit_act_take,
    tn_edit_act_set_signature, tn_edit_act_remove_signature;

#endif
