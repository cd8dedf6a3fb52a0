/* freeze_work.h - what the files that freeze a model share */
#ifndef TN_ENGINE_FREEZE_WORK_H
#define TN_ENGINE_FREEZE_WORK_H

#include <tenon/verbs.h>

#include "engine/edit_draft.h"
#include "ir/vocab.h"

/* What an operator does with a handle that it gets. */
enum tn_freeze_use {
    TN_USE_OTHER, /* something that needs a variable */
    TN_USE_PASS,  /* passes it on */
    TN_USE_READ,
    TN_USE_GATHER,
    TN_USE_GATHER_ND,
    TN_USE_SHAPE,
    TN_USE_CALL, /* all inputs are arguments of a function */
    TN_USE_IF, /* all but the first                                           */
    TN_USE_WHILE, /* and all outputs are inputs of the next round */
};

/* A class of values that share a handle, named by one of them. */
struct tn_handles {
    uint32_t    parent;
    uint32_t    tensor;  /* + 1: one of its variables; 0: none                */
    bool        is_open; /* their shapes differ                               */
    uint32_t    blocker; /* op that needs a variable                          */
    const char *why;     /* NULL: it can be frozen                            */
};

struct tn_freezing {
    const struct tn_model *model;
    struct tn_edit        *edit;
    struct tn_draft       *draft;
    struct tn_error       *error;
    struct tn_arena        arena;
    tn_on_loss            *loss;
    void                  *loss_context;
    struct tn_list         tensors;   /* uint32_t by op: tensor + 1           */
    struct tn_list         queue;     /* uint32_t: ops to look behind         */
    struct tn_intern       functions; /* names                                */
    struct tn_list         graphs;    /* uint32_t by name                     */
    struct tn_pairs        outputs;   /* (op, output): a value                */
    uint64_t               steps;     /* taken through arguments of calls     */
    struct tn_vocab        vocab;
    bool                  *is_kept;   /* by op                                */
    bool                  *is_called; /* by graph                             */
    struct tn_handles     *handles;   /* by value                             */
};

static inline struct tn_bytes tn_freeze_type(const struct tn_freezing *f,
                                             uint32_t                  op)
{
    return tn_model_name(f->model, tn_model_op_at(f->model, op)->type);
}

static inline uint32_t tn_freeze_inputs(const struct tn_freezing *f,
                                        uint32_t                  op)
{
    const struct tn_op *row = tn_model_op_at(f->model, op);

    return row->input_count - row->control_count;
}

/* ---- freeze_handles.c --------------------------------------------------- */

/* Whether a node creates a variable; and whether it is of the old kind, whose
 * reference every operator takes as the value. */
bool tn_freeze_is_variable(struct tn_bytes type);
bool tn_freeze_is_reference(struct tn_bytes type);

/* The graph of the function of that name, or TN_NONE. */
uint32_t tn_freeze_function(const struct tn_freezing *f, struct tn_bytes name);
enum tn_freeze_use tn_freeze_use(const struct tn_freezing *f, uint32_t op);

/* Fills f->handles; is_kept must be complete. */
void tn_freeze_find_handles(struct tn_freezing *f);

/* The handle that an op gets; TN_NONE for the reference of an old variable,
 * which is an ordinary value. */
uint32_t tn_freeze_handle(const struct tn_freezing *f, uint32_t op,
                          uint32_t index);

/* The value that an op produces, or that a function takes or returns; TN_NONE
 * if it is not used. */
uint32_t tn_freeze_output(const struct tn_freezing *f, uint32_t op,
                          uint32_t index);
uint32_t tn_freeze_end(const struct tn_freezing *f, uint32_t graph,
                       struct tn_io_list ends, uint32_t index);

/* The class of a value that becomes a tensor, and the shape of one of its
 * variables; NULL if the value stays as it is. */
const struct tn_handles *tn_freeze_class(struct tn_freezing *f, uint32_t value);
const struct tn_shape   *tn_freeze_shape(const struct tn_freezing *f,
                                         const struct tn_handles  *h);

/* The class of a value, frozen or not. */
struct tn_handles *tn_freeze_handles(struct tn_freezing *f, uint32_t value);

#endif
