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
};

struct tn_draft_tensor {
    struct tn_tensor
                    row; /* .graph and .node are the draft's: graph id, op id */
    struct tn_bytes name;
    bool            is_removed;
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
enum tn_status tn_draft_copy_function(struct tn_draft       *draft,
                                      const struct tn_model *from, uint32_t row,
                                      const char *name, uint32_t *graph,
                                      struct tn_error *error);
enum tn_status tn_draft_remove_function(struct tn_draft *draft, uint32_t graph,
                                        struct tn_error *error);

/* Lays the draft out in an empty model. */
enum tn_status tn_draft_commit(struct tn_draft *draft, struct tn_model *model,
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
