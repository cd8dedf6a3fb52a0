/*
 * edit_cut.h - a part of a graph as a model of its own
 *
 * Keeps what the outputs need, back to the inputs: nodes, with the graphs in
 * them, initializers, functions.  Everything else is removed.
 */
#ifndef TN_ENGINE_EDIT_CUT_H
#define TN_ENGINE_EDIT_CUT_H

#include "engine/edit_draft.h"

/* Names of values of the main graph. */
struct tn_cut {
    const struct tn_bytes
            *inputs; /* none: those of the model that are needed */
    uint32_t input_count;
    const struct tn_bytes *outputs; /* none: those of the model               */
    uint32_t               output_count;
    bool keeps_inputs; /* inputs of the model stay inputs, too, as far as they
                          are needed                                          */
    bool keeps_ops;    /* all of them, needed or not: only inputs and outputs
                          change                                              */
};

/* The draft has no changes yet.  INVALID for a value that is not there, and for
 * inputs that leave out one which the outputs need. */
enum tn_status tn_draft_cut(struct tn_draft *draft, const struct tn_cut *cut,
                            struct tn_error *error);

/* Makes more values outputs, or some no longer (`drops`), in dialects whose
 * outputs are ops.  In TensorFlow every unused op is an output: an added output
 * is a copy of the value, and a removed one goes with everything that only it
 * needed. */
enum tn_status tn_draft_change_outputs(struct tn_draft       *draft,
                                       const struct tn_bytes *names,
                                       uint32_t count, bool drops,
                                       struct tn_error *error);

/* Cuts out the nodes whose names begin with a scope: "encoder" stands for
 * "encoder", "encoder/..." and "encoder....", and "/encoder" for the same after
 * a slash.  Values that they take from other nodes become the inputs; values
 * that other nodes or the outputs of the model take from them become the
 * outputs. */
enum tn_status tn_draft_extract(struct tn_draft *draft, const char *scope,
                                struct tn_error *error);

#endif
