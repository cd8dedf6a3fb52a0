/* interpreter.h - what stands behind an interpreter handle */
#ifndef TN_ENGINE_INTERPRETER_H
#define TN_ENGINE_INTERPRETER_H

#include <tenon/interpret.h>

#include "ir/vocab.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/mapper.h"

/* The opset that the shipped rules were written for. */
#define TN_RULES_OPSET 14

struct tn_interpreter {
    struct tn_memory   memory;
    struct tn_arena    arena;
    struct tn_options  options;
    struct tn_dl4j_ops ops;
    struct tn_mappers  mappers;
    struct tn_vocab    tensorflow, onnx;
};

enum tn_status tn_interpreter_new(struct tn_interpreter  **out,
                                  const struct tn_options *options,
                                  struct tn_error         *error);

/* The framework's definition of a mapper's op; NULL: it has none, or the error
 * says more. */
const struct tn_vocab_op *tn_interpreter_definition(
    struct tn_interpreter *i, struct tn_bytes framework, struct tn_bytes domain,
    struct tn_bytes op_type, int64_t opset, struct tn_error *error);

#endif
