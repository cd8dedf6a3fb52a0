/* attr_key.h - whether two ops have the same attributes */
#ifndef TN_IR_ATTR_KEY_H
#define TN_IR_ATTR_KEY_H

#include "base/buffer.h"
#include "ir/attr.h"

/* Appends the attributes of an op, as they are in the file, to `key`: two ops
 * with equal keys have equal attributes.  False if they are no longer in the
 * file, refer to other places, or take more than `most` bytes; the key is then
 * useless. */
bool tn_attr_key(const struct tn_model *model, uint32_t op, size_t most,
                 struct tn_buffer *key);

/* The same without a copy: the bytes of a mapped file that say what attributes
 * an op has, as they are.  Equal bytes are equal attributes, others may be.
 * Empty: there are none, or they are elsewhere. */
struct tn_bytes tn_attr_bytes(const struct tn_model *model, uint32_t op);

#endif
