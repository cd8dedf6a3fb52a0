/* diff_text.h - values of attributes, types and shapes as short text */
#ifndef TN_DIFF_TEXT_H
#define TN_DIFF_TEXT_H

#include "base/buffer.h"
#include "ir/attr.h"

/* "[1,1]", "NOTSET", "float32 [3,3]"; long ones are cut. */
void tn_diff_value_text(struct tn_buffer           *to,
                        const struct tn_attr_value *value);

/* "float32 [64,3,7,7]" */
void tn_diff_shape_text(struct tn_buffer *to, const struct tn_shape *shape);

/* "float32 [batch,3,?]" */
void tn_diff_io_text(struct tn_buffer *to, const struct tn_io *io);

/* Adds the text without what cannot be printed, cut in the middle if it is
 * longer than `most` bytes. */
void tn_diff_plain_text(struct tn_buffer *to, struct tn_bytes text,
                        size_t most);

#endif
