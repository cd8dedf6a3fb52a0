/*
 * edit.h - building graphs, and changing them into new ones
 *
 * A model never changes.  An edit starts from a model (opened with
 * options.wants_graph) or from nothing, collects changes, and commits them as a
 * new model that shares every payload and every unchanged byte with the old
 * one.  Models from which the edit took something may be closed before the
 * result is.
 *
 * Ids of ops and graphs are those of the model that the edit began with; what
 * the edit adds gets the ids after them.  They are valid until the commit; the
 * new model has its own numbers.
 */
#ifndef TENON_EDIT_H
#define TENON_EDIT_H

#include <tenon/graph.h>
#include <tenon/verbs.h>

struct tn_edit;

/* Yours to close, also after a commit.  A model that has tensors and no graph
 * has them in the graph TN_NONE; 0 means the same there.  Actions and commits
 * call the progress function of these options, too, until the edit is closed. */
TN_API enum tn_status tn_edit_open(struct tn_edit        **out,
                                   const struct tn_model  *base,
                                   const struct tn_options *options,
                                   struct tn_error         *error);

/* An empty model of a format, such as "onnx" or "tf-graph", whose main graph
 * is graph 0.  A format that has no graphs, such as "safetensors", takes
 * tensors, in the graph TN_NONE or 0. */
TN_API enum tn_status tn_edit_new(struct tn_edit **out, const char *format,
                                  const struct tn_options *options,
                                  struct tn_error         *error);
TN_API void           tn_edit_close(struct tn_edit *edit);

/* ---- ops ---------------------------------------------------------------- */

/* Describes an op.  Names are copied.  Control inputs (TensorFlow) are the last
 * `control_count` of the inputs, without their '^'. */
struct tn_op_spec {
    const char        *name;
    const char        *type;
    const char        *domain; /* NULL or "": the dialect's own               */
    const char *const *inputs; /* "" for an optional one that is not given    */
    uint32_t           input_count;
    uint32_t           control_count;
    const char *const *outputs; /* ignored where outputs follow from the name */
    uint32_t           output_count;
};

/* Adds an op before another one of the graph, or at the end (TN_NONE).  Its id
 * goes to *op, which may be NULL. */
TN_API enum tn_status tn_edit_add_op(struct tn_edit *edit, uint32_t graph,
                                     uint32_t                 before,
                                     const struct tn_op_spec *spec,
                                     uint32_t *op, struct tn_error *error);

/* Replaces an op by another one; the attributes of the old one are lost. */
TN_API enum tn_status tn_edit_replace_op(struct tn_edit *edit, uint32_t op,
                                         const struct tn_op_spec *spec,
                                         struct tn_error         *error);
TN_API enum tn_status tn_edit_remove_op(struct tn_edit *edit, uint32_t op,
                                        struct tn_error *error);

/* Connects input `index` of an op to the value of that name. */
TN_API enum tn_status tn_edit_set_input(struct tn_edit *edit, uint32_t op,
                                        uint32_t index, const char *value,
                                        struct tn_error *error);

/* Renames an op. */
TN_API enum tn_status tn_edit_rename_op(struct tn_edit *edit, uint32_t op,
                                        const char      *name,
                                        struct tn_error *error);

/* Renames a value of a graph wherever it is used: an input, an output,
 * a tensor or what an op computes; with TN_NONE for a tensor of a model without
 * a graph.  NOT_FOUND if there is none, INVALID if the new name is taken. */
TN_API enum tn_status tn_edit_rename(struct tn_edit *edit, uint32_t graph,
                                     const char *old, const char *new_name,
                                     struct tn_error *error);

/* ---- attributes --------------------------------------------------------- */

/* Adds or replaces an attribute; the value is copied, tensors are shared. */
TN_API enum tn_status tn_edit_set_attr(struct tn_edit *edit, uint32_t op,
                                       const char                 *name,
                                       const struct tn_attr_value *value,
                                       struct tn_error            *error);
TN_API enum tn_status tn_edit_remove_attr(struct tn_edit *edit, uint32_t op,
                                          const char      *name,
                                          struct tn_error *error);

/* ---- tensors ------------------------------------------------------------ */

/* A constant of the graph (an initializer): shares the payload of a tensor of
 * any open model, or copies elements (little-endian, C order). */
TN_API enum tn_status tn_edit_add_tensor(struct tn_edit *edit, uint32_t graph,
                                         const char             *name,
                                         const struct tn_tensor *from,
                                         struct tn_error        *error);
TN_API enum tn_status
tn_edit_add_elements(struct tn_edit *edit, uint32_t graph, const char *name,
                     enum tn_dtype dtype, uint32_t rank, const uint64_t *dims,
                     struct tn_bytes elements, struct tn_error *error);

/* The same without a copy: `elements` are borrowed, and must stay where they are
 * until the edit, and all models that it committed, are closed. */
TN_API enum tn_status
tn_edit_add_borrowed(struct tn_edit *edit, uint32_t graph, const char *name,
                     enum tn_dtype dtype, uint32_t rank, const uint64_t *dims,
                     struct tn_bytes elements, struct tn_error *error);

/* The same for elements that the caller provides when they are written, hashed
 * or read: `read_at` is that of tn_model_open_source(), and is called with
 * places in the elements (little-endian, C order).  It must work until the edit,
 * and all models that it committed, are closed. */
TN_API enum tn_status
tn_edit_add_source(struct tn_edit *edit, uint32_t graph, const char *name,
                   enum tn_dtype dtype, uint32_t rank, const uint64_t *dims,
                   tn_read_at *read_at, void *context, struct tn_error *error);

/* Keeps the name and the role, and changes the payload. */
TN_API enum tn_status tn_edit_replace_tensor(struct tn_edit *edit,
                                             uint32_t graph, const char *name,
                                             const struct tn_tensor *from,
                                             struct tn_error        *error);
TN_API enum tn_status
tn_edit_replace_elements(struct tn_edit *edit, uint32_t graph, const char *name,
                         enum tn_dtype dtype, uint32_t rank,
                         const uint64_t *dims, struct tn_bytes elements,
                         struct tn_error *error);

/* Where the sequences of a tensor begin: see tn_tensor_level().  Level k has
 * counts[k] offsets; all levels are stored one after the other.  INVALID if
 * these cannot be the levels of that tensor. */
TN_API enum tn_status tn_edit_set_levels(struct tn_edit *edit, uint32_t graph,
                                         const char     *name,
                                         uint64_t        level_count,
                                         const uint64_t *counts,
                                         const uint64_t *offsets,
                                         struct tn_error *error);
TN_API enum tn_status tn_edit_remove_tensor(struct tn_edit *edit,
                                            uint32_t graph, const char *name,
                                            struct tn_error *error);

/* ---- training ------------------------------------------------------------ */

/* Only SameDiff models have it; UNSUPPORTED for others.  To read it, see
 * tn_model_training() and the functions after it. */
enum tn_variable_kind {
    TN_VARIABLE_CONSTANT,    /* as tn_edit_add_tensor() makes them            */
    TN_VARIABLE_TRAINED,     /* changed by training                           */
    TN_VARIABLE_PLACEHOLDER, /* given by the caller: an input without a value */
};

/* Changes what kind of variable a tensor is.  A placeholder takes over the type
 * and shape of the tensor, and the tensor is removed; add one of the same name
 * to make it a constant or a trained variable again.  Replacing a tensor
 * (tn_edit_replace_tensor) does not change its kind. */
TN_API enum tn_status tn_edit_set_variable(struct tn_edit *edit, uint32_t graph,
                                           const char           *name,
                                           enum tn_variable_kind kind,
                                           struct tn_error      *error);

/* The training configuration, JSON as Deeplearning4j's TrainingConfig writes
 * it; NULL: none.  INVALID if it is not JSON. */
TN_API enum tn_status tn_edit_set_training(struct tn_edit  *edit,
                                           const char      *json,
                                           struct tn_error *error);

/* The variables of the main graph whose sum is the loss. tn_edit_commit() fails
 * with INVALID if one of them does not exist then. */
TN_API enum tn_status tn_edit_set_losses(struct tn_edit    *edit,
                                         const char *const *names,
                                         uint32_t           count,
                                         struct tn_error   *error);

/* The state that the updater keeps for a parameter of the main graph under a
 * key, such as "M".  Shares the payload of a tensor, or copies elements
 * (little-endian, C order).  INVALID unless it has the parameter's type and
 * shape. */
TN_API enum tn_status tn_edit_set_state(struct tn_edit *edit,
                                        const char *parameter, const char *key,
                                        const struct tn_tensor *from,
                                        struct tn_error        *error);
TN_API enum tn_status tn_edit_set_state_elements(struct tn_edit  *edit,
                                                 const char      *parameter,
                                                 const char      *key,
                                                 struct tn_bytes  elements,
                                                 struct tn_error *error);

/* Removes the state of a parameter; NULL: of all parameters. */
TN_API enum tn_status tn_edit_remove_states(struct tn_edit  *edit,
                                            const char      *parameter,
                                            struct tn_error *error);

/* ---- inputs and outputs ------------------------------------------------- */

/* An input or output of a new model's main graph: its name, its type and, with
 * has_rank, its dims; all of that is copied.  A model that was read keeps its
 * inputs and outputs.  UNSUPPORTED if inputs and outputs are ops, such as
 * TensorFlow's Placeholders. */
TN_API enum tn_status tn_edit_add_input(struct tn_edit *edit, uint32_t graph,
                                        const struct tn_io *input,
                                        struct tn_error    *error);
TN_API enum tn_status tn_edit_add_output(struct tn_edit *edit, uint32_t graph,
                                         const struct tn_io *output,
                                         struct tn_error    *error);

/* ---- signatures ---------------------------------------------------------- */

/* Adds a signature to the main graph, or replaces the one of that name.  Of its
 * inputs and outputs, key, name ("serving_x:0" in a SavedModel) and, if the
 * format can store them, type and dims are used; all of that is copied.
 * UNSUPPORTED if the format has no signatures.  Whether the values exist is
 * checked when the model is written. */
TN_API enum tn_status tn_edit_set_signature(struct tn_edit            *edit,
                                            const struct tn_signature *signature,
                                            struct tn_error           *error);

/* NOT_FOUND if there is none. */
TN_API enum tn_status tn_edit_remove_signature(struct tn_edit  *edit,
                                               const char      *name,
                                               struct tn_error *error);

/* ---- texts about the model ---------------------------------------------- */

/* A key of the metadata; value NULL removes it, and then writing fails with
 * NOT_FOUND if neither the file nor an edit had such a key.  UNSUPPORTED if the
 * format has no metadata.  For other texts see the actions below. */
TN_API enum tn_status tn_edit_set_metadata(struct tn_edit *edit,
                                           const char *key, const char *value,
                                           struct tn_error *error);

/* ---- functions ---------------------------------------------------------- */

/* A new function; add ops to the graph that it returns. */
TN_API enum tn_status tn_edit_add_function(struct tn_edit *edit,
                                           const char *name, const char *domain,
                                           const char *const *inputs,
                                           uint32_t           input_count,
                                           const char *const *outputs,
                                           uint32_t           output_count,
                                           uint32_t          *graph,
                                           struct tn_error   *error);

/* The type of the inputs and outputs of that name of a new function.
 * TensorFlow requires it for all of them, ONNX for none. */
TN_API enum tn_status tn_edit_type_io(struct tn_edit *edit, uint32_t graph,
                                      const char *name, enum tn_dtype dtype,
                                      struct tn_error *error);

/* Copies a function of any open model of the same dialect, under its own name
 * or another one. */
TN_API enum tn_status tn_edit_copy_function(struct tn_edit        *edit,
                                            const struct tn_model *from,
                                            uint32_t graph, const char *name,
                                            uint32_t        *new_graph,
                                            struct tn_error *error);
TN_API enum tn_status tn_edit_remove_function(struct tn_edit *edit,
                                              uint32_t        graph,
                                              struct tn_error *error);

/* ---- actions as text ---------------------------------------------------- */

/*
 * What `tenon edit` can do, by name: the options of the command are these
 * actions, and so are the lines of scripts and patches.  tenon-edit(1) describes
 * them and the grammar of scripts.
 */
struct tn_edit_action_info {
    const char *name;      /* "rename"                                        */
    const char *arguments; /* "OLD=NEW"; NULL: it takes none                  */
    const char *help;      /* one line                                        */
};
TN_API uint32_t                   tn_edit_action_count(void);
TN_API struct tn_edit_action_info tn_edit_action(uint32_t index);

/* One action, with the value that the option of the command would have: "a=b".
 * NULL if it takes none.  After a failure the edit may have made a part of the
 * changes: close it. */
TN_API enum tn_status tn_edit_act(struct tn_edit *edit, const char *action,
                                  const char *value, struct tn_error *error);

/* All actions of a script, from memory or from a file.  Files that it names are
 * relative to its folder.  INVALID if it is not a script, with line and
 * column. */
TN_API enum tn_status tn_edit_run(struct tn_edit *edit, struct tn_bytes script,
                                  struct tn_error *error);
TN_API enum tn_status tn_edit_run_file(struct tn_edit *edit, const char *path,
                                       struct tn_error *error);

/* The same for a script that somebody else wrote: it may only name files in its
 * own folder, and not through symbolic links. */
TN_API enum tn_status tn_edit_run_patch(struct tn_edit *edit, const char *path,
                                        struct tn_error *error);

/* The notes of the actions so far, in order, for example about weights that do
 * not fit a smaller type.  Borrowed until tn_edit_close(); NULL: there are no
 * more. */
TN_API const char *tn_edit_note(const struct tn_edit *edit, uint32_t index);

/* ---- the result --------------------------------------------------------- */

/* A new model; yours to close.  The edit can be continued and committed again.
 */
TN_API enum tn_status tn_edit_commit(struct tn_edit   *edit,
                                     struct tn_model **out,
                                     struct tn_error  *error);

/* Writes what an edit made, as tn_convert() would, into a format of the same
 * dialect.  UNSUPPORTED for another dialect, which needs tn_convert().  INVALID
 * if tn_check() would find an error in the graph that the model did not have
 * when the edit began, unless convert->force_invalid. */
TN_API enum tn_status tn_edit_write(const struct tn_model           *model,
                                    const struct tn_convert_options *convert,
                                    const struct tn_target          *target,
                                    const struct tn_options         *options,
                                    struct tn_convert_summary       *summary,
                                    struct tn_error                 *error);

/* ---- all of it in one call ---------------------------------------------- */

/* What tn_apply() does to the model: first the file, then the text; both may be
 * left out. */
struct tn_apply_options {
    size_t      size;   /* options.h: how structs of options grow             */
    const char *script; /* a file, as for tn_edit_run_patch(): a script of
                           tenon-edit(1), or a patch that
                           tn_diff_write_patch() wrote; NULL: none            */
    struct tn_bytes actions; /* a script in memory                            */
    const struct tn_convert_options *convert; /* as for tn_edit_write(); NULL:
                                                 defaults                     */
};
#define TN_APPLY_OPTIONS_INIT TN_SIZED_INIT(struct tn_apply_options)

/* Opens a model, runs actions, and writes the result, as tn_edit_write() does.
 * `apply` and `summary` may be NULL. */
TN_API enum tn_status tn_apply(const char                    *path,
                               const struct tn_options       *options,
                               const struct tn_apply_options *apply,
                               const struct tn_target        *target,
                               struct tn_convert_summary     *summary,
                               struct tn_error               *error);

#endif
