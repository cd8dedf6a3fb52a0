/* attr_key.h - whether two ops say the same of their attributes */
#ifndef TN_IR_ATTR_KEY_H
#define TN_IR_ATTR_KEY_H

#include "base/buffer.h"
#include "ir/attr.h"

/* What an op says of its attributes on the wire, appended to `key`: two ops
 * with equal keys have equal attributes.  False: they are no longer on the
 * wire, refer to what lies elsewhere, or say more than `most` bytes; the key
 * means nothing then. */
bool tn_attr_key(const struct tn_model *model, uint32_t op, size_t most,
                 struct tn_buffer *key);

#endif
