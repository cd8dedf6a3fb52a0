/*
 * value_types.h - checks the element types of values
 *
 * A vocabulary lists the types of an operator's arguments.  There are two ways
 * to find out which of them a node has:
 *
 *   - The attributes say it (TensorFlow): `T` is what all arguments of type $T
 *     are.  Then both sides of an edge say a type, and they are compared.
 *   - The values say it: $T is what the first argument of type $T is, and the
 *     others have to be the same.  Types of outputs follow from it, producers
 *     being judged before consumers; what cannot be said is not judged.
 *
 * Rules: type-mismatch, type-not-allowed.  value_flow.c drives this.
 */
#ifndef TN_IR_VALUE_TYPES_H
#define TN_IR_VALUE_TYPES_H

#include "ir/attr.h"
#include "ir/value_findings.h"

struct tn_sized_nodes;

/* The arguments of an operator, ready to be compared. */
struct tn_typed_kind {
    const struct tn_vocab_op *op;
    uint32_t *variables; /* by argument, inputs first: of op->variables, or the
                            number of an attribute; TN_NONE: its own types   */
    bool     is_typed;   /* something can be said                            */
    bool      is_ranked;  /* the same of ranks                                */
    uint32_t last;       /* the binding of the node before, + 1; 0: none     */
    struct tn_sized_nodes *sized; /* value_sizes.c's; NULL: none yet          */
};

/* Types from the attributes of a node, found while they are read. */
struct tn_attr_types {
    const uint8_t *of; /* by attribute; where seen                        */
    const uint8_t *const *lists; /* the same for lists of types              */
    const int64_t  *counts; /* by attribute: lengths of lists; where seen     */
    const uint64_t *seen;   /* bits                                           */
};

struct tn_typing {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    struct tn_value_findings   findings;
    struct tn_error           *error;
    struct tn_arena            arena;
    uint8_t                   *told; /* by value: the file's, as TN_TYPE();
                                        0: not known                       */
    uint8_t *types;                  /* by value: what is known by now     */
    const struct tn_results *const *results; /* by op; NULL: none run graphs */
    uint32_t      *bound; /* by op: in `bindings`, + 1; 0: none */
    struct tn_list bindings;
};

void tn_typing_init(struct tn_typing *t, const struct tn_model *model,
                    const struct tn_vocab_use *use, struct tn_report *report,
                    struct tn_error *error);
void tn_typing_done(struct tn_typing *t);

/* Whether attributes tell the types. */
static inline bool tn_typing_is_by_attrs(const struct tn_typing *t)
{
    return !t->model->dialect->names_outputs;
}

void tn_typing_prepare(struct tn_typing *t, struct tn_typed_kind *kind,
                       const struct tn_vocab_op *op);

/* What is known of a value; 0: nothing. */
uint8_t tn_typing_type(const struct tn_typing *t, uint32_t value);

/* Checks one node, whose inputs were checked before.  `kind` is NULL if only
 * the outputs of its graphs are known. */
void tn_typing_judge(struct tn_typing *t, const struct tn_typed_kind *kind,
                     uint32_t op, const struct tn_results *results);

/* With types in attributes: records the node; types are compared when all nodes
 * were recorded.  `attrs` is NULL where they are those of the last node of the
 * kind. */
void tn_typing_note(struct tn_typing *t, struct tn_typed_kind *kind,
                    uint32_t op, const struct tn_attr_types *attrs);
void tn_typing_compare(struct tn_typing *t);

/* With types in attributes: how many outputs the node has; 0 if unknown. */
uint32_t tn_typing_output_count(const struct tn_typing *t, uint32_t op);

/* `value` of a graph that the node runs is its input or output, of this
 * type. */
void tn_typing_enter(struct tn_typing *t, uint32_t op, uint32_t outer,
                     uint32_t value, uint8_t type);

/* Two values become the same output of the node. */
void tn_typing_expect_same(struct tn_typing *t, uint32_t op, uint32_t first,
                           uint8_t first_type, uint32_t second,
                           uint8_t second_type);

/* A value that the node needs in a certain type. */
void tn_typing_expect(struct tn_typing *t, uint32_t op, uint32_t value,
                      uint8_t type, uint8_t wanted);

/* "float32", "sequence of float32". */
struct tn_type_words {
    char text[64];
};
struct tn_type_words tn_type_words(uint8_t type);

#endif
