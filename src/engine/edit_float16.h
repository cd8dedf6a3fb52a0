/*
 * edit_float16.h - the same model in 16-bit floats
 *
 * Weights are cast while they are written.  Operators that take the type
 * compute in it, the others stay float32, with Casts between the two.  Graphs
 * in nodes keep the types of their inputs and outputs; functions stay as they
 * are.
 */
#ifndef TN_ENGINE_EDIT_FLOAT16_H
#define TN_ENGINE_EDIT_FLOAT16_H

#include "engine/edit_draft.h"

/* What is reported about a tensor: values that do not fit the type. */
typedef void tn_narrow_note(void *context, const char *text);

struct tn_narrow {
    enum tn_dtype dtype;    /* TN_FLOAT16 or TN_BFLOAT16                 */
    bool          takes_io; /* inputs and outputs become 16 bits, too    */
    const char *const
                   *kept; /* operators, or names of nodes, that stay float32 */
    uint32_t        kept_count;
    tn_narrow_note *note; /* may be NULL                                   */
    void           *context;
};

/* The elements in 16 bits: cast while they are written; or, if some do not fit
 * and they are few, clamped now.  What does not fit is told. */
struct tn_elements tn_narrow_elements(struct tn_draft          *draft,
                                      const struct tn_narrow   *how,
                                      struct tn_bytes           name,
                                      const struct tn_elements *from,
                                      struct tn_error          *error);

/* The draft has no changes yet.  Of a set of tensors without a graph, all
 * float32 ones change. */
enum tn_status tn_draft_narrow(struct tn_draft        *draft,
                               const struct tn_narrow *how,
                               struct tn_error        *error);

#endif
