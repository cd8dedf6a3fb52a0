/*
 * edit.h - building graphs, and changing them into new ones
 *
 * A model never changes.  An edit starts from one (opened with
 * options.wants_graph) or from nothing, collects changes, and commits to a new
 * model that shares every payload and every untouched byte with the old one.
 * Models that an edit took something from may be closed before the result is.
 *
 * Ids of ops and graphs are those of the model the edit began with; what an
 * edit adds gets ids after them.  They hold until the commit; the new model
 * counts its own.
 */
#ifndef TENON_EDIT_H
#define TENON_EDIT_H

#include <tenon/graph.h>

struct tn_edit;

/* Yours to close, also after a commit.  UNSUPPORTED for bare tensors, which are
 * no graph: add them to a new one. */
TN_API enum tn_status tn_edit_open(struct tn_edit        **out,
                                   const struct tn_model  *base,
                                   const struct tn_options *options,
                                   struct tn_error         *error);

/* An empty model of a format, such as "onnx" or "tf-graph", whose main graph
 * is graph 0. */
TN_API enum tn_status tn_edit_new(struct tn_edit **out, const char *format,
                                  const struct tn_options *options,
                                  struct tn_error         *error);
TN_API void           tn_edit_close(struct tn_edit *edit);

/* ---- ops ---------------------------------------------------------------- */

/* What an op is made of.  Names are copied.  Control inputs (TensorFlow) are
 * the last `control_count` of the inputs, without their '^'. */
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

/* Another op in the same place; attributes of the old one are gone. */
TN_API enum tn_status tn_edit_replace_op(struct tn_edit *edit, uint32_t op,
                                         const struct tn_op_spec *spec,
                                         struct tn_error         *error);
TN_API enum tn_status tn_edit_remove_op(struct tn_edit *edit, uint32_t op,
                                        struct tn_error *error);

/* Makes input `index` of an op come from the value of that name. */
TN_API enum tn_status tn_edit_set_input(struct tn_edit *edit, uint32_t op,
                                        uint32_t index, const char *value,
                                        struct tn_error *error);

/* ---- attributes --------------------------------------------------------- */

/* Adds or replaces; the value is copied, tensors are shared. */
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

/* The same name and role, another payload. */
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
 * counts[k] of the offsets, which lie one level behind the other.  INVALID when
 * they are no levels of that tensor. */
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

/* Of SameDiff models; UNSUPPORTED for others.  tn_model_training() and what
 * follows it there read the same. */
enum tn_variable_kind {
    TN_VARIABLE_CONSTANT,    /* as tn_edit_add_tensor() makes them            */
    TN_VARIABLE_TRAINED,     /* changed by training                           */
    TN_VARIABLE_PLACEHOLDER, /* given by the caller: an input without a value */
};

/* What a variable with a tensor is from now on.  A placeholder gets the type
 * and shape of the tensor, which is removed; add one of the same name to make
 * it a constant or a trained variable again.  A tensor that is replaced
 * (tn_edit_replace_tensor) stays what it was. */
TN_API enum tn_status tn_edit_set_variable(struct tn_edit *edit, uint32_t graph,
                                           const char           *name,
                                           enum tn_variable_kind kind,
                                           struct tn_error      *error);

/* The training configuration, a JSON text as Deeplearning4j's TrainingConfig
 * writes it; NULL: none.  INVALID when it is no JSON. */
TN_API enum tn_status tn_edit_set_training(struct tn_edit  *edit,
                                           const char      *json,
                                           struct tn_error *error);

/* The variables of the main graph whose sum is the loss.  tn_edit_commit() is
 * INVALID when there is no variable of that name by then. */
TN_API enum tn_status tn_edit_set_losses(struct tn_edit    *edit,
                                         const char *const *names,
                                         uint32_t           count,
                                         struct tn_error   *error);

/* What the updater keeps of a parameter of the main graph under a key, such as
 * "M": shares the payload of a tensor, or copies elements (little-endian, C
 * order).  It has the type and the shape of the parameter, else INVALID. */
TN_API enum tn_status tn_edit_set_state(struct tn_edit *edit,
                                        const char *parameter, const char *key,
                                        const struct tn_tensor *from,
                                        struct tn_error        *error);
TN_API enum tn_status tn_edit_set_state_elements(struct tn_edit  *edit,
                                                 const char      *parameter,
                                                 const char      *key,
                                                 struct tn_bytes  elements,
                                                 struct tn_error *error);

/* Forgets all that is kept of a parameter; NULL: of all of them. */
TN_API enum tn_status tn_edit_remove_states(struct tn_edit  *edit,
                                            const char      *parameter,
                                            struct tn_error *error);

/* ---- ends --------------------------------------------------------------- */

/* An input or output of a new model's main graph: its name, its type and, with
 * has_rank, its dims; all of it is copied.  A model that was read keeps the ends
 * that it has.  UNSUPPORTED where inputs and outputs are ops, such as
 * TensorFlow's Placeholders. */
TN_API enum tn_status tn_edit_add_input(struct tn_edit *edit, uint32_t graph,
                                        const struct tn_io *input,
                                        struct tn_error    *error);
TN_API enum tn_status tn_edit_add_output(struct tn_edit *edit, uint32_t graph,
                                         const struct tn_io *output,
                                         struct tn_error    *error);

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

/* Of which type the inputs and outputs of that name are, of a new function:
 * TensorFlow wants to know it of all of them, ONNX of none. */
TN_API enum tn_status tn_edit_type_io(struct tn_edit *edit, uint32_t graph,
                                      const char *name, enum tn_dtype dtype,
                                      struct tn_error *error);

/* A function of any open model of the same dialect, under its own name or
 * another one. */
TN_API enum tn_status tn_edit_copy_function(struct tn_edit        *edit,
                                            const struct tn_model *from,
                                            uint32_t graph, const char *name,
                                            uint32_t        *new_graph,
                                            struct tn_error *error);
TN_API enum tn_status tn_edit_remove_function(struct tn_edit *edit,
                                              uint32_t        graph,
                                              struct tn_error *error);

/* ---- the result --------------------------------------------------------- */

/* A new model; yours to close.  The edit can go on and commit again. */
TN_API enum tn_status tn_edit_commit(struct tn_edit   *edit,
                                     struct tn_model **out,
                                     struct tn_error  *error);

#endif
