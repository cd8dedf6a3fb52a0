/*
 * value_types.h - element types of values: what is given against what is taken
 *
 * A vocabulary says the types of an operator's arguments.  There are two ways
 * to know which of them a node has:
 *
 *   - The attributes say it (TensorFlow): `T` is what all arguments of type $T
 *     are.  Then both sides of an edge say a type, and they are compared.
 *   - The values say it: $T is what the first argument of type $T is, and the
 *     others have to be the same.  Types of outputs follow from it, in the
 *     order of the nodes; what cannot be said is not judged.
 *
 * Rules: type-mismatch, type-not-allowed.  vocab_check.c drives this.
 */
#ifndef TN_IR_VALUE_TYPES_H
#define TN_IR_VALUE_TYPES_H

#include "ir/attr.h"
#include "ir/vocab_check.h"

/* The arguments of an operator, ready to be compared. */
struct tn_typed_kind {
    const struct tn_vocab_op *op;
    uint32_t *variables; /* by argument, inputs first: of op->variables, or the
                            number of an attribute; TN_NONE: its own types   */
    bool      is_typed;  /* something can be said                            */
    uint32_t  last;      /* the binding of the node before, + 1; 0: none     */
};

/* Types that the attributes of a node say, found while they are walked. */
struct tn_attr_types {
    const uint8_t *of;    /* by attribute; where seen                        */
    const uint8_t *const *lists; /* the same for lists of types              */
    const int64_t *counts; /* by attribute: lengths of lists; where seen     */
    const uint64_t *seen;  /* bits                                           */
};

struct tn_typing {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    struct tn_report          *report;
    struct tn_error           *error;
    struct tn_arena            arena;
    uint8_t                   *types;  /* by value: TN_TYPE(); 0: not known  */
    uint32_t                  *bound;  /* by op: in `bindings`, + 1; 0: none */
    struct tn_list             bindings;
};

void tn_typing_init(struct tn_typing *t, const struct tn_model *model,
                    const struct tn_vocab_use *use, struct tn_report *report,
                    struct tn_error *error);
void tn_typing_done(struct tn_typing *t);

/* Whether types are said by attributes. */
static inline bool tn_typing_is_by_attrs(const struct tn_typing *t)
{
    return !t->model->dialect->names_outputs;
}

void tn_typing_prepare(struct tn_typing *t, struct tn_typed_kind *kind,
                       const struct tn_vocab_op *op);

/* One node, whose inputs are known by then: judged at once. */
void tn_typing_judge(struct tn_typing *t, const struct tn_typed_kind *kind,
                     uint32_t op);

/* By attributes: noted, and compared when all nodes are. */
void tn_typing_note(struct tn_typing *t, struct tn_typed_kind *kind,
                    uint32_t op, const struct tn_attr_types *attrs);
void tn_typing_compare(struct tn_typing *t);

#endif
