/* sized_node.h - a node whose sizes are looked at: its parts, and terms of them
 */
#ifndef TN_IR_SIZED_NODE_H
#define TN_IR_SIZED_NODE_H

#include "ir/value_sizes.h"

/* Arguments and attributes of an operator with facts; vocabularies have fewer.
 */
#define TN_SIZED_PARTS 48

struct tn_sized_node {
    struct tn_sizing         *s;
    uint32_t                  op;
    const struct tn_op       *row;
    const struct tn_vocab_op *kind;
    uint32_t first[TN_SIZED_PARTS]; /* by input: in model->refs              */
    uint32_t count[TN_SIZED_PARTS];
    bool     has_attrs;
    const struct tn_attr_value *attrs[TN_SIZED_PARTS];  /* NULL: not there    */
    bool                        is_odd[TN_SIZED_PARTS]; /* it cannot be said  */
    const struct tn_vocab_term *terms; /* of the fact                         */
    bool is_silent; /* nothing is to be said of it (any more)                 */
};

/* Which values its inputs are, where there are facts about them. */
void tn_sized_node_init(struct tn_sized_node *j, struct tn_sizing *s,
                        const struct tn_vocab_op *kind, uint32_t op);

/* One of the values of an input; TN_NONE: it is left out. */
uint32_t tn_sized_input(const struct tn_sized_node *j, uint32_t number,
                        uint32_t index);

/* NULL: it is not there, or cannot be said. */
const struct tn_attr_value *tn_sized_attr(struct tn_sized_node *j,
                                          int64_t               number);

/* The rank of a value, and what r stands for; TN_SIZE_UNKNOWN: so it is. */
int64_t tn_sized_rank_of(struct tn_sized_node *j, uint32_t value);
int64_t tn_sized_rank(struct tn_sized_node *j);

/* A term of the fact. */
void tn_sized_evaluate(struct tn_sized_node *j, uint16_t index,
                       struct tn_size_list *to);

#endif
