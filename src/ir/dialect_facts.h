/*
 * dialect_facts.h - what is special about a dialect, as data
 *
 * One row for each dialect that we know.  Code asks for the fact that it needs
 * ("has every op a name?"), never for the name of a dialect: a new dialect is a
 * row here, hooks in its format (struct tn_dialect), its passes
 * (engine/convert_passes.c) and its rules (map/lang/rule_sets.c).
 */
#ifndef TN_IR_DIALECT_FACTS_H
#define TN_IR_DIALECT_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <tenon/bytes.h>

/* Where tables of other floors have the row of a dialect.  Zero is every
 * dialect that we do not know. */
enum tn_dialect_id {
    TN_DIALECT_OTHER,
    TN_DIALECT_ND4J,
    TN_DIALECT_ONNX,
    TN_DIALECT_PADDLE,
    TN_DIALECT_TENSORFLOW,
    TN_DIALECT_TFLITE,
    TN_DIALECT_COUNT,
};

struct tn_stored; /* codec/stored.h */

struct tn_dialect_facts {
    enum tn_dialect_id id;
    const char        *name;
    const char *title; /* its usual name: "ONNX"                              */
    const struct tn_stored *vocabulary; /* of its operators, packed
                                           (vocab_pack.h); may be NULL        */
    const char *identity;    /* the op that returns its input                */
    const char *main_graph;  /* the path of the main graph of a new model    */
    const char *node_list;   /* what paths call its nodes: "node"           */
    const char *own_domain;  /* another name of the domain of its own
                                operators, which needs none; may be NULL    */
    const char *counterpart; /* format that it is usually converted to       */
    const char *function_format; /* one file of a graph and functions; NULL: an
                                    edit adds no functions                    */
    int64_t oldest_version; /* that rules can read; 0: it has no versions  */
    int64_t rule_version;   /* that rules write                            */
    bool    can_be_built; /* a graph of it can be put together from nothing   */
    bool lists_io; /* graphs have lists of inputs, outputs and types of values,
                      which an edit may change                                */
    bool names_io; /* inputs and outputs are names in the file, which an edit
                      may change; types of values are with the values */
    bool types_values; /* the file says the types of values in between, which an
                          edit may change                                    */
    bool names_everything; /* every op has a name and every result a variable;
                              no input can be left out in the middle */
    bool has_training; /* its models say what is trained, and how          */
    bool has_doubles;  /* fractions in attributes are doubles              */
    bool has_examples; /* the tensor of an input is an example, not a default */
    bool has_nameless_ops; /* the file has no place for the name of an op     */
    bool has_inputs_as_ops; /* feed and fetch: ops that say what an input is */
    bool has_function_outputs; /* "node:out:2": outputs in functions are named
                                  by argument */
    bool has_constant_ops;     /* weights are ops without inputs     */
    bool types_structures;     /* its rules for shapes know If and Loop     */
    bool has_sequences; /* lists of tensors are values                  */
    bool has_array_ops; /* lists are TensorArrays                       */
    bool wants_ranks;   /* inputs and outputs must have one                 */
    bool is_mapped_from, is_mapped_to; /* mapping rules of Deeplearning4j lead
                                          from it, or to it               */
};

/* Never NULL: an unknown dialect has a row without special facts. */
const struct tn_dialect_facts *tn_dialect_facts(const char *dialect);
const struct tn_dialect_facts *tn_dialect_facts_of(struct tn_bytes dialect);

/* Whether two names are of one dialect. */
static inline bool tn_is_same_dialect(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

#endif
