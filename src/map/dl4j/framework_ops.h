/*
 * framework_ops.h - the frameworks' own op definitions, as vocabularies
 *
 * TensorFlow's ops.pbtxt (an OpList) and ONNX's definitions as Deeplearning4j
 * keeps them (a GraphProto with one node for each op, as text) are rewritten in
 * the language of rules/README.md, and loaded like any vocabulary.
 */
#ifndef TN_MAP_FRAMEWORK_OPS_H
#define TN_MAP_FRAMEWORK_OPS_H

#include "ir/vocab.h"
#include "wire/pb/pb_text_tree.h"

/* Everything lives in the arena. */
enum tn_status tn_tensorflow_ops_read(struct tn_vocab            *vocab,
                                      struct tn_arena            *arena,
                                      const struct tn_text_field *root,
                                      struct tn_error            *error);
enum tn_status tn_onnx_ops_read(struct tn_vocab *vocab, struct tn_arena *arena,
                                const struct tn_text_field *root,
                                struct tn_error            *error);

#endif
