/*
 * edit_proof.h - proves by ONNX that a model computes the same at another size
 *
 * We know what operators do with rows for ONNX only (edit_dims.c).  A graph of
 * another dialect is converted before and after the change.  The first result
 * is changed as ONNX, and must then have the inputs and outputs of the second.
 */
#ifndef TN_ENGINE_EDIT_PROOF_H
#define TN_ENGINE_EDIT_PROOF_H

#include "engine/edit_dims.h"

/* The draft has this change and no other; it is committed.  `how` is NULL for
 * rows; `number` is what an open size is tried with.  UNSUPPORTED, with the
 * reason, if there is no proof. */
enum tn_status tn_edit_prove_dims(struct tn_edit             *edit,
                                  const struct tn_dim_change *how, int64_t size,
                                  struct tn_bytes symbol, int64_t number,
                                  struct tn_error *error);

#endif
