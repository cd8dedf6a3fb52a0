/*
 * draft.h - a model that is being changed
 *
 * A draft refers to rows of the models it began with and to what was added.
 * Committing lays out new flat tables; wire spans and payloads are shared.
 * Ids of ops and graphs count on from those of the base model.
 */
#ifndef TN_IR_DRAFT_H
#define TN_IR_DRAFT_H

#include <tenon/edit.h>

#include "ir/attr.h"
#include "ir/model_tables.h"

/* An op that was added, replaced or changed. */
struct tn_draft_change {
    struct tn_bytes  name, type, domain;
    struct tn_bytes *inputs;
    uint32_t         input_count, control_count;
    struct tn_bytes *outputs;
    uint32_t         output_count;
    struct tn_list   attrs; /* struct tn_draft_attr                           */
};

struct tn_draft_attr {
    struct tn_bytes             name;
    struct tn_span              wire;
    const struct tn_attr_value *value; /* NULL: as in the file                */
};

struct tn_draft_op {
    const struct tn_model  *from; /* NULL: added                              */
    uint32_t                row;  /* in `from`                                */
    uint32_t                graph;
    uint32_t                previous, next; /* in the graph; TN_NONE: end     */
    uint32_t                placed; /* id in the committed model              */
    bool                    is_removed;
    struct tn_draft_change *change; /* NULL: as in `from`                     */
};

struct tn_draft_graph {
    const struct tn_model *from;
    uint32_t               row;
    uint32_t               first, last; /* ops                                */
    uint32_t               parent;      /* graph, or TN_NONE                  */
    uint32_t               parent_op;   /* draft op, or TN_NONE               */
    struct tn_bytes        name, domain;
    struct tn_io_list      inputs, outputs;
    uint32_t               placed;
    uint8_t                kind;
    bool                   is_removed;
    bool                   is_touched;
    bool has_other_io, drops_values; /* see struct tn_graph                   */
    struct tn_io_list values;
};

struct tn_draft_tensor {
    struct tn_tensor
                    row; /* .graph and .node are the draft's: graph id, op id */
    struct tn_bytes name;
    bool            is_removed;
    bool            is_renamed; /* the wire has another name                  */
};

/* A value that the file calls otherwise. */
struct tn_draft_rename {
    uint32_t        graph;
    struct tn_bytes old, was, now; /* in the file, in the base, in the draft  */
};

/* A signature that was set; names of values are those of the base. */
struct tn_draft_signature {
    struct tn_signature now;
    bool                is_removed;
};

struct tn_draft {
    const struct tn_model   *base; /* NULL: from nothing                      */
    const struct tn_dialect *dialect;
    struct tn_memory        *memory;
    struct tn_arena         *arena; /* outlives the committed models          */
    struct tn_list           ops;   /* struct tn_draft_op                   */
    struct tn_list           graphs;  /* struct tn_draft_graph                */
    struct tn_list           tensors; /* struct tn_draft_tensor               */
    struct tn_list           changes; /* struct tn_draft_change *: to release */
    struct tn_list           renames; /* struct tn_draft_rename               */
    struct tn_list           texts; /* struct tn_text_change (changes.h)      */
    struct tn_list           signatures; /* struct tn_draft_signature         */
    struct tn_bytes          training; /* as in struct tn_model               */
    const struct tn_bytes   *losses;
    uint32_t                 loss_count;
    bool has_other_training; /* than the base, so that its facts are wrong    */
};

/* What is added lives in `arena`, which committed models then refer to. */
enum tn_status tn_draft_init(struct tn_draft *draft, struct tn_arena *arena,
                             const struct tn_model   *base,
                             const struct tn_dialect *dialect,
                             struct tn_error         *error);
void           tn_draft_done(struct tn_draft *draft);

/* The jobs of <tenon/edit.h>, on a draft. */
enum tn_status tn_draft_add_op(struct tn_draft *draft, uint32_t graph,
                               uint32_t before, const struct tn_op_spec *spec,
                               uint32_t *op, struct tn_error *error);
/* Adds a copy of an op of a file to its graph, with all its attributes, before
 * another one or at the end (TN_NONE).  Change its inputs and outputs then. */
enum tn_status tn_draft_copy_op(struct tn_draft *draft, uint32_t op,
                                uint32_t before, uint32_t *copy,
                                struct tn_error *error);
enum tn_status tn_draft_replace_op(struct tn_draft *draft, uint32_t op,
                                   const struct tn_op_spec *spec,
                                   struct tn_error         *error);
enum tn_status tn_draft_remove_op(struct tn_draft *draft, uint32_t op,
                                  struct tn_error *error);
enum tn_status tn_draft_set_input(struct tn_draft *draft, uint32_t op,
                                  uint32_t index, const char *value,
                                  struct tn_error *error);
/* Inserts an input before the one at that index. */
enum tn_status tn_draft_insert_input(struct tn_draft *draft, uint32_t op,
                                     uint32_t index, const char *value,
                                     struct tn_error *error);

/* Changes the operator and keeps the name.  Only attributes whose names begin
 * with '_' stay: they do not belong to an operator. */
enum tn_status tn_draft_set_type(struct tn_draft *draft, uint32_t op,
                                 const char *type, struct tn_error *error);
enum tn_status tn_draft_set_attr(struct tn_draft *draft, uint32_t op,
                                 const char                 *name,
                                 const struct tn_attr_value *value,
                                 struct tn_error            *error);
/* The value of an attribute now, in the arena; tensors are those of the model
 * or of the draft.  NOT_FOUND if there is none. */
enum tn_status tn_draft_get_attr(const struct tn_draft *draft, uint32_t op,
                                 const char *name, struct tn_arena *arena,
                                 struct tn_attr_value *value,
                                 struct tn_error      *error);
enum tn_status tn_draft_remove_attr(struct tn_draft *draft, uint32_t op,
                                    const char *name, struct tn_error *error);
enum tn_status tn_draft_add_tensor(struct tn_draft *draft, uint32_t graph,
                                   const char               *name,
                                   const struct tn_elements *elements,
                                   struct tn_error          *error);
enum tn_status tn_draft_replace_tensor(struct tn_draft *draft, uint32_t graph,
                                       const char               *name,
                                       const struct tn_elements *elements,
                                       struct tn_error          *error);
/* The same for a row of the draft's tensors. */
enum tn_status tn_draft_replace_row(struct tn_draft          *draft,
                                    struct tn_draft_tensor   *tensor,
                                    const struct tn_elements *elements,
                                    struct tn_error          *error);
enum tn_status tn_draft_drop_row(struct tn_draft        *draft,
                                 struct tn_draft_tensor *tensor,
                                 struct tn_error        *error);

/* A tensor of no graph, for models that are sets of tensors; the caller knows
 * that no other one has that name. */
enum tn_status tn_draft_add_variable(struct tn_draft *draft, const char *name,
                                     const struct tn_elements *elements,
                                     struct tn_error          *error);
enum tn_status tn_draft_set_levels(struct tn_draft *draft, uint32_t graph,
                                   const char             *name,
                                   const struct tn_levels *levels,
                                   struct tn_error        *error);
enum tn_status tn_draft_remove_tensor(struct tn_draft *draft, uint32_t graph,
                                      const char *name, struct tn_error *error);
enum tn_status tn_draft_add_function(
    struct tn_draft *draft, const char *name, const char *domain,
    const char *const *inputs, uint32_t input_count, const char *const *outputs,
    uint32_t output_count, uint32_t *graph, struct tn_error *error);
/* A new graph without ops as the value of an attribute of an op, or, with
 * `in_list`, as one more of a list of new graphs.  UNSUPPORTED where graphs are
 * not attributes. */
enum tn_status tn_draft_add_graph(struct tn_draft *draft, uint32_t op,
                                  const char *attr, const char *name,
                                  bool in_list, uint32_t *graph,
                                  struct tn_error *error);
enum tn_status tn_draft_add_io(struct tn_draft *draft, uint32_t graph,
                               bool is_input, const struct tn_io *io,
                               struct tn_error *error);
enum tn_status tn_draft_type_io(struct tn_draft *draft, uint32_t graph,
                                const char *name, enum tn_dtype dtype,
                                struct tn_error *error);

enum tn_status tn_draft_set_variable(struct tn_draft *draft, uint32_t graph,
                                     const char           *name,
                                     enum tn_variable_kind kind,
                                     struct tn_error      *error);
enum tn_status tn_draft_set_training(struct tn_draft *draft,
                                     struct tn_bytes  json,
                                     struct tn_error *error);
enum tn_status tn_draft_set_losses(struct tn_draft   *draft,
                                   const char *const *names, uint32_t count,
                                   struct tn_error *error);

/* `name` is that of the tensor which is a state of `param`. */
enum tn_status tn_draft_set_state(struct tn_draft *draft, const char *param,
                                  const char               *name,
                                  const struct tn_elements *elements,
                                  struct tn_error          *error);

/* The shape of a tensor of the graph; NULL if there is none. */
const struct tn_shape *tn_draft_shape(const struct tn_draft *draft,
                                      uint32_t graph, const char *name);

/* Removes the states for which the claim is true. */
typedef bool   tn_draft_claim(void *context, struct tn_bytes name);
enum tn_status tn_draft_remove_states(struct tn_draft *draft,
                                      tn_draft_claim *is_one, void *context,
                                      struct tn_error *error);

/* Replaces the inputs and outputs of a function, keeping their numbers.  They
 * must live as long as the draft's arena. */
enum tn_status tn_draft_set_io(struct tn_draft *draft, uint32_t graph,
                               const struct tn_io *inputs,
                               const struct tn_io *outputs,
                               struct tn_error    *error);

/* Replaces the inputs and outputs of any graph, whose number may change, and of
 * a model that was read, too: `key` of one is its name in the file, if that is
 * another, so that what the file says about it stays.  The lists are copied.
 * Where inputs and outputs of the main graph are ops, the caller changes those,
 * too.  UNSUPPORTED where the dialect has no such lists. */
enum tn_status tn_draft_list_io(struct tn_draft *draft, uint32_t graph,
                                struct tn_io_list inputs,
                                struct tn_io_list outputs,
                                struct tn_error  *error);

/* Replaces the types that the file declares for values of a graph: each item
 * is about the value that the file calls `key`, or `name` if that is empty, and
 * one without a dtype makes the declaration go, and one that is_guessed is
 * written only where the file has one.  Others stay, or go if `drops_others`.
 * The list is copied. */
enum tn_status tn_draft_set_values(struct tn_draft *draft, uint32_t graph,
                                   struct tn_io_list values, bool drops_others,
                                   struct tn_error *error);

enum tn_status tn_draft_copy_function(struct tn_draft       *draft,
                                      const struct tn_model *from, uint32_t row,
                                      const char *name, uint32_t *graph,
                                      struct tn_error *error);
enum tn_status tn_draft_remove_function(struct tn_draft *draft, uint32_t graph,
                                        struct tn_error *error);

/* Other names for values of a graph, all at once, in it and in the graphs
 * inside it; with TN_NONE for tensors of no graph.  NOT_FOUND if there is no
 * such value, INVALID if another one has the new name. */
enum tn_status tn_draft_rename_values(struct tn_draft *draft, uint32_t graph,
                                      const struct tn_bytes *old,
                                      const struct tn_bytes *to, uint32_t count,
                                      struct tn_error *error);
enum tn_status tn_draft_rename_op(struct tn_draft *draft, uint32_t op,
                                  struct tn_bytes name, struct tn_error *error);

/* Whoever uses the value `old` of a graph, in it and in graphs inside it, uses
 * `to` instead.  INVALID if it is an input or output of the graph. */
enum tn_status tn_draft_redirect(struct tn_draft *draft, uint32_t graph,
                                 struct tn_bytes old, struct tn_bytes to,
                                 struct tn_error *error);

/* The op's words, for changing them; NULL after a failure.  A graph that is
 * touched is written from the tables, and so is the op around it. */
struct tn_draft_change *tn_draft_touch_op(struct tn_draft *draft, uint32_t op,
                                          struct tn_error *error);
enum tn_status tn_draft_touch_graph(struct tn_draft *draft, uint32_t graph,
                                    struct tn_error *error);

/* Fills in model->changes, when the graphs are placed. */
enum tn_status tn_draft_list_changes(const struct tn_draft *draft,
                                     struct tn_model       *model,
                                     struct tn_error       *error);

/* draft_patch.c: another operator, which keeps all attributes; other lists; and
 * another place, before an op of the same graph or at its end (TN_NONE). */
enum tn_status tn_draft_set_operator(struct tn_draft *draft, uint32_t op,
                                     struct tn_bytes type,
                                     struct tn_bytes domain,
                                     struct tn_error *error);
enum tn_status tn_draft_set_inputs(struct tn_draft *draft, uint32_t op,
                                   const char *const *names, uint32_t count,
                                   uint32_t         control_count,
                                   struct tn_error *error);
enum tn_status tn_draft_set_outputs(struct tn_draft *draft, uint32_t op,
                                    const char *const *names, uint32_t count,
                                    struct tn_error *error);
enum tn_status tn_draft_move_op(struct tn_draft *draft, uint32_t op,
                                uint32_t before, struct tn_error *error);

/* Adds the ops of the main graph of another model of the same dialect, which
 * was read from a file, at the end of the main graph, with the graphs in them
 * and its initializers; not its inputs, outputs and functions.  All names go
 * through `rename`, which returns what lives as long as the draft's arena;
 * `is_op`: of an op, else of a value. */
typedef struct tn_bytes tn_draft_namer(void *context, struct tn_bytes name,
                                       bool is_op);
enum tn_status          tn_draft_append(struct tn_draft       *draft,
                                        const struct tn_model *from,
                                        tn_draft_namer *rename, void *context,
                                        struct tn_error *error);

/* Lays the draft out in an empty model. */
enum tn_status tn_draft_commit(struct tn_draft *draft, struct tn_model *model,
                               struct tn_error *error);

/* INVALID if there is no such op (any more). */
enum tn_status tn_draft_expect_op(const struct tn_draft *draft, uint32_t op,
                                  struct tn_error *error);

static inline struct tn_draft_op *tn_draft_op_at(const struct tn_draft *draft,
                                                 uint32_t               op)
{
    return tn_list_at(&draft->ops, struct tn_draft_op, op);
}

static inline struct tn_draft_graph *tn_draft_graph_at(
    const struct tn_draft *draft, uint32_t graph)
{
    return tn_list_at(&draft->graphs, struct tn_draft_graph, graph);
}

#endif
