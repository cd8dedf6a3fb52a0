/*
 * value_sizes.h - checks the sizes of dimensions
 *
 * A vocabulary says which dimensions have to agree, which numbers are axes, and
 * how long lists are (rules/README.md: [s], `where`, `makes`).  The sizes of a
 * value are declared by the file, or follow from its producer, which is checked
 * before its consumers.  The elements of small integer constants are read.
 * What is unknown is not checked: a size that is missing or a name agrees with
 * every other.
 *
 * Inputs of graphs that nodes run have no sizes here: they may differ in the
 * next round of a loop, or in the next call.
 *
 * Rules: bad-axis, bad-attribute-value, wrong-length, size-mismatch.
 * value_flow.c drives this.
 */
#ifndef TN_IR_VALUE_SIZES_H
#define TN_IR_VALUE_SIZES_H

#include "ir/value_ranks.h"

/* Neither known nor asked for. */
#define TN_SIZE_UNKNOWN INT64_MIN

/* Items of a list; of longer ones nothing is known. */
#define TN_SIZE_LIST_LIMIT 64

/* A number, or several; not is_known: nothing is, but whether it is one number.
 */
struct tn_size_list {
    bool     is_known, is_list;
    uint32_t count;
    int64_t  items[TN_SIZE_LIST_LIMIT];
};

struct tn_dims {
    uint32_t       rank;
    const int64_t *sizes;
};

struct tn_made_dims;
struct tn_typed_kind;

struct tn_sizing {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    const struct tn_ranking   *ranking;
    struct tn_value_findings   findings;
    struct tn_error           *error;
    struct tn_arena            arena, scratch;
    uint32_t                   scratch_uses;
    struct tn_intern           shapes; /* sizes as bytes: each is kept once   */
    struct tn_list             dims;   /* struct tn_dims * by number of that  */
    const struct tn_dims      *last_told, *last_kept; /* the same in both     */
    uint32_t                  *groups; /* by op: ops of one kind with the same
                                          attributes have the same; 0: none   */
    const struct tn_typed_kind *const *kinds; /* by op; NULL: not known      */
    const struct tn_dims **told;    /* by value: the file's; NULL: nothing   */
    uint32_t              *tensors; /* by value: its constant, + 1; 0: none   */
    uint32_t               last_read; /* such a constant; 0: none             */
    struct tn_size_list    elements;  /* of that; not known: it has many      */
    const struct tn_dims **bound; /* by op: what [s] stands for             */
    const struct tn_made_dims **made; /* by op: by `makes`; NULL: none        */
};

void tn_sizing_init(struct tn_sizing *s, const struct tn_model *model,
                    const struct tn_vocab_use *use,
                    const struct tn_ranking *ranking, struct tn_report *report,
                    struct tn_error *error);
void tn_sizing_done(struct tn_sizing *s);

/* For struct tn_vocab_use's declare_sizes: what the file declares about a
 * value.  Dims that are not positive are unknown. */
void tn_sizing_tell(struct tn_sizing *s, uint32_t value,
                    const struct tn_dims *dims);
void tn_sizing_tell_constant(struct tn_sizing *s, uint32_t value,
                             uint32_t tensor);

/* The same dims, with what is not positive as TN_SIZE_UNKNOWN; NULL on
 * failure. */
const struct tn_dims *tn_dims_new(struct tn_arena *arena, uint32_t rank,
                                  const int64_t *sizes, struct tn_error *error);

/* Ops of one kind with the same attributes have the same group; 0: in none. */
void tn_sizing_note(struct tn_sizing *s, uint32_t op, uint32_t group);

/* Checks one node, whose inputs were checked before.  `is_silent`: its errors
 * were reported, and only its outputs are of interest. */
void tn_sizing_judge(struct tn_sizing *s, struct tn_typed_kind *kind,
                     uint32_t op, bool is_silent);

/* What follows for a value without what the file declares about it: from the
 * node that makes it, or from its constant.  NULL: nothing. */
const struct tn_dims *tn_sizing_made(struct tn_sizing *s, uint32_t value);

#endif
