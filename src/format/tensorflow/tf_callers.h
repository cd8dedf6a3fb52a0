/*
 * tf_callers.h - operators that call functions: which arguments they pass, and
 * what they do with the results
 */
#ifndef TN_FORMAT_TF_CALLERS_H
#define TN_FORMAT_TF_CALLERS_H

#include "ir/vocab_check.h"

#define TN_TF_CALLS 1 /* always, once: ranks are passed in and out          */
#define TN_TF_CHOOSES                                                          \
    2                 /* perhaps: a function that is wrong for a rank may      \
                         never run                                          */
#define TN_TF_LOOPS 4 /* repeatedly, with the results of the last round     */
#define TN_TF_LIST  8 /* the attribute is a list of functions               */
#define TN_TF_SLICES                                                           \
    16 /* for each row of `arguments`, which have one axis                     \
          less inside \                                     */

/*
 * One attribute of an operator.  The words list the arguments and the results
 * of the function:
 *
 *   args        an input or output of the operator; all values of a list
 *   :int64      a value of that type
 *   =Tstate     one of each type in that attribute
 *   .elements   the components of an element of the operator's `input_dataset`
 *   .any        any number of values of which nothing is known
 */
struct tn_tf_caller {
    const char *type, *attr;
    const char *takes, *gives;
    unsigned    does; /* TN_TF_CALLS...                                       */
};

/* All rows; those of one operator are adjacent, in the order of its
 * functions. */
const struct tn_tf_caller *tn_tf_callers(uint32_t *count);

/* The row of a function by its number, after the first row of its operator, and
 * its index in the attribute if that is a list; NULL if there is none. */
const struct tn_tf_caller *tn_tf_caller_at(const struct tn_tf_caller *first,
                                           uint32_t number, uint32_t *place);

/* Which inputs and outputs of a node those of a function are. */
struct tn_tf_passings {
    struct tn_list takes, gives; /* struct tn_passing                         */
};

void tn_tf_passings_init(struct tn_tf_passings *passings,
                         struct tn_memory      *memory);
void tn_tf_passings_done(struct tn_tf_passings *passings);

/* For a function with this many inputs and outputs. */
void tn_tf_passings_make(struct tn_tf_passings *passings,
                         const struct tn_model *model, uint32_t op,
                         const struct tn_vocab_op  *kind,
                         const struct tn_tf_caller *caller,
                         uint32_t input_count, uint32_t output_count,
                         struct tn_error *error);

#endif
