/* edit_float16_typed.h - 16-bit floats where attributes say the types
 * (TensorFlow) */
#ifndef TN_ENGINE_EDIT_FLOAT16_TYPED_H
#define TN_ENGINE_EDIT_FLOAT16_TYPED_H

#include "engine/edit_float16.h"

/* The nodes of the main graph; functions and variables stay float32.
 * UNSUPPORTED if no node takes the type. */
enum tn_status tn_draft_narrow_typed(struct tn_draft        *draft,
                                     const struct tn_narrow *how,
                                     struct tn_error        *error);

#endif
