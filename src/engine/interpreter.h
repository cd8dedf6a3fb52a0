/* interpreter.h - the struct behind an interpreter handle */
#ifndef TN_ENGINE_INTERPRETER_H
#define TN_ENGINE_INTERPRETER_H

#include <tenon/interpret.h>

#include "ir/vocab.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/map_node.h"
#include "map/dl4j/mapper.h"
#include "map/lang/rule_sets.h"

/* The opset that the shipped rules were written for. */
#define TN_RULES_OPSET 14

struct tn_interpreter {
    struct tn_memory   memory;
    struct tn_arena    arena;
    struct tn_options  options;
    struct tn_dl4j_ops ops;
    struct tn_mappers  mappers;
    struct tn_vocab    vocabs[TN_FRAMEWORK_COUNT];

    /* For nodes without a mapper. */
    struct tn_rulebook *book; /* of the library; NULL: not needed yet         */
    struct tn_rule_text *own; /* files of our own language, in their order    */
    uint32_t             own_count;
    bool has_files;   /* else mappers only describe what rules do */
    bool has_own_ops; /* of a file, not of the library */
};

enum tn_status tn_interpreter_new(struct tn_interpreter  **out,
                                  const struct tn_options *options,
                                  struct tn_error         *error);

/* The framework's definition of a mapper's op; NULL if it has none, or on
 * failure. */
const struct tn_vocab_op *tn_interpreter_definition(
    struct tn_interpreter *i, struct tn_bytes framework, struct tn_bytes domain,
    struct tn_bytes op_type, int64_t opset, struct tn_error *error);

/* ---- interpret_node.c --------------------------------------------------- */

/* A descriptor and what it lives in. */
struct tn_interpreted {
    struct tn_op_descriptor descriptor; /* first: the public handle */
    struct tn_memory        memory;
    struct tn_arena         arena;
};

#endif
