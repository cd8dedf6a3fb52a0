/*
 * paddle_state.h - parameters and optimizer state as pickles
 *
 *   .pdparams, .pdopt   a dict from name to array; in it, or around it:
 *     StructuredToParameterName@@   a dict: dotted path -> name of a variable
 *     UnpackBigParamInfor@@         a dict: name -> { OriginShape, slices }, of
 *                                   arrays that were too large for protocol 2
 *     other dicts, lists, numbers   of an optimizer: LR_Scheduler and so on
 *   of 1.6              256 bytes of anything, "TNUM", u64 count; per tensor
 *                       "NAME", u64 length, the name, a bare record
 */
#ifndef TN_FORMAT_PADDLE_STATE_H
#define TN_FORMAT_PADDLE_STATE_H

#include "format/paddle/paddle.h"

#define TN_PADDLE_NAMES  "StructuredToParameterName@@"
#define TN_PADDLE_SLICES "UnpackBigParamInfor@@"

/* Reads the arrays of a file: those with the name of a stored variable of the
 * model's program become its tensors, all others are state. */
enum tn_status tn_paddle_state_fill(struct tn_bundle *bundle,
                                    struct tn_model  *model,
                                    struct tn_source *file,
                                    struct tn_error  *error);

/* Kept as model->detail of a paddle-state model. */
struct tn_paddle_state_detail {
    struct tn_span          file;
    const struct tn_pickle *names; /* the table of names, or NULL             */
    bool                    is_container; /* of 1.6                           */
};

/* The bytes before the "TNUM" of a container. */
#define TN_PADDLE_RESERVED 256

#endif
