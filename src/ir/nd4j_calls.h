/*
 * nd4j_calls.h - which nd4j operator a call means, and which arguments it has
 *
 * A call in a SameDiff file has a list for each kind of value, and kernels find
 * theirs by counting: iArgs[3] of conv2d is sW.  rules/nd4j.ops has these
 * positions.  A file may also name its arguments; then the names say where each
 * belongs, and the order in the file means nothing:
 *
 *   iArgNames [transY transX]  iArgs [1 0]   is   iArgs [0 1]
 *
 * An argument that is a list repeats its name at consecutive positions.  An
 * argument without a name is used at its position.
 */
#ifndef TN_IR_ND4J_CALLS_H
#define TN_IR_ND4J_CALLS_H

#include "base/nd4j_hash.h"
#include "ir/vocab.h"

/* The vocabulary, for one task and in its arena: like a tn_vocab, it grows as
 * operators are used. */
struct tn_nd4j_book {
    struct tn_vocab       vocab;
    struct tn_nd4j_hasher hasher;
    struct tn_error      *error;
    struct tn_nd4j_row   *by_number; /* sorted; NULL: not asked for yet       */
    uint32_t              row_count;
};

enum tn_status tn_nd4j_book_init(struct tn_nd4j_book *book,
                                 struct tn_arena     *arena,
                                 struct tn_error     *error);

const struct tn_vocab_op *tn_nd4j_named(struct tn_nd4j_book *book,
                                        struct tn_bytes      name);

/* If name and number of an op contradict each other, the number counts.  `type`
 * is CUSTOM, TRANSFORM_SAME, ... NULL if the vocabulary does not have it. */
const struct tn_vocab_op *tn_nd4j_meant(struct tn_nd4j_book *book,
                                        struct tn_bytes      name,
                                        struct tn_bytes type, int64_t number);

/* ---- arguments by name -------------------------------------------------- */

enum tn_arg_fault {
    TN_ARG_UNKNOWN,   /* the operator has no argument of that name           */
    TN_ARG_TWICE,     /* given before, and no list                           */
    TN_ARG_SPLIT,     /* a list with other arguments in between               */
    TN_ARG_SAME_SLOT, /* one without a name is at the position of a named one */
    TN_ARG_MISSING,   /* not given, without a default, and a later one is
                         given */
};

/* The rest of a sentence that begins with the name. */
const char *tn_arg_fault_words(enum tn_arg_fault fault);

/* Where the arguments of one list belong. */
struct tn_arg_slots {
    const uint32_t *slots;  /* by position in the file                        */
    uint32_t        count;  /* in the file                                    */
    uint32_t        length; /* with those that get their default              */
    bool            are_in_order; /* each is already at its position          */
};

/* `index` is the position in the file; for what is missing, the slot. */
typedef void tn_arg_fault_fn(void *context, enum tn_arg_fault fault,
                             uint32_t index, struct tn_bytes name);

/* `names` may be NULL: nothing is named.  `each` is called for every fault; the
 * slots are valid only if there is none.  False if there was one, or if memory
 * ran out, which sets `error`. */
bool tn_args_assign(const struct tn_vocab_op *op, enum tn_vocab_list list,
                    const struct tn_bytes *names, uint32_t count,
                    struct tn_arena *arena, struct tn_arg_slots *places,
                    tn_arg_fault_fn *each, void *context,
                    struct tn_error *error);

/* The list in the order of the kernel, with defaults for what is not given.  It
 * is of ints, bools, dtypes, doubles or strings; `code` converts a type to its
 * number, NULL: unchanged.  MALFORMED at the first fault. */
enum tn_status tn_args_in_order(const struct tn_vocab_op *op,
                                enum tn_vocab_list        list,
                                const struct tn_bytes    *names,
                                struct tn_attr_value     *values,
                                int64_t (*code)(enum tn_dtype),
                                struct tn_arena *arena, struct tn_error *error);

/* The vocabulary's name for the argument in that slot; may be empty. */
struct tn_bytes tn_arg_name(const struct tn_vocab_op *op,
                            enum tn_vocab_list list, uint32_t slot);

/* "iArgs", ... of lists whose arguments have names: IARGS to SARGS. */
const char *tn_call_list_name(enum tn_vocab_list list);

#endif
