/*
 * onnx_split.h - ONNX models taken apart: weights first, then the rest
 *
 * The rules are ours; docs/splitting.md tells them.  Merged again, the model
 * has the bytes that it had before, unless numbers in one packed field had to
 * be divided.
 */
#ifndef TN_FORMAT_ONNX_SPLIT_H
#define TN_FORMAT_ONNX_SPLIT_H

#include <tenon/chunk.h>

/* Content of at least so many bytes is a weight; or of a third of the limit,
 * when that is less. */
#define TN_ONNX_WEIGHT_SIZE (UINT64_C(64) << 10)

/* For a splitter of an onnx.ModelProto that nothing was taken out of yet; keeps
 * the base, unless it is a child.  LIMIT when something cannot be divided any
 * further. */
enum tn_status tn_onnx_split(struct tn_splitter *splitter, uint64_t max_size,
                             struct tn_error *error);

#endif
