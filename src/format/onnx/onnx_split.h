/*
 * onnx_split.h - splits ONNX models: first weights, then the rest
 *
 * The rules are our own; docs/splitting.md describes them.  After merging, the
 * model has the same bytes as before, unless a packed field of numbers had to
 * be divided.
 */
#ifndef TN_FORMAT_ONNX_SPLIT_H
#define TN_FORMAT_ONNX_SPLIT_H

#include <tenon/chunk.h>

/* Content of at least this many bytes is a weight; or of a third of the limit,
 * if that is less. */
#define TN_ONNX_WEIGHT_SIZE (UINT64_C(64) << 10)

/* For a splitter of an onnx.ModelProto from which nothing was taken yet; keeps
 * the base, unless it is a child.  LIMIT if something cannot be divided any
 * further. */
enum tn_status tn_onnx_split(struct tn_splitter *splitter, uint64_t max_size,
                             struct tn_error *error);

#endif
