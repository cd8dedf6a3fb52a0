/*
 * tf_callers.h - operators that run functions: what they give them, and what
 * they do with what comes back
 */
#ifndef TN_FORMAT_TF_CALLERS_H
#define TN_FORMAT_TF_CALLERS_H

#include "ir/vocab_check.h"

#define TN_TF_CALLS   1 /* once, always: ranks go in and come out             */
#define TN_TF_CHOOSES 2 /* perhaps: what is wrong for a rank may never run */
#define TN_TF_LOOPS   4 /* again with what came out                           */
#define TN_TF_LIST    8 /* the attribute is a list of functions               */
#define TN_TF_SLICES  16 /* row by row of `arguments`: they have an axis less  \
                          */

/*
 * One attribute of an operator.  The words say what a function is given and
 * what it has to give, one after the other:
 *
 *   args        an input or output of the operator; of a list all values
 *   :int64      a value of that type
 *   =Tstate     one of each type in that attribute
 *   .elements   what the operator's `input_dataset` has in an element
 *   .any        any number of values of which nothing is known
 */
struct tn_tf_caller {
    const char *type, *attr;
    const char *takes, *gives;
    unsigned    does; /* TN_TF_CALLS...                                       */
};

/* All rows; those of an operator stand one after the other, by the number of
 * the function. */
const struct tn_tf_caller *tn_tf_callers(uint32_t *count);

/* The first row of an operator; NULL: it has none. */
const struct tn_tf_caller *tn_tf_caller_find(struct tn_bytes type);

/* The row of a function by its number, and its place in the attribute, where
 * that is a list; NULL: there is none. */
const struct tn_tf_caller *tn_tf_caller_at(const struct tn_tf_caller *first,
                                           uint32_t number, uint32_t *place);

/* What each input or output of a function is to a node. */
struct tn_tf_passings {
    struct tn_list takes, gives; /* struct tn_passing                         */
};

void tn_tf_passings_init(struct tn_tf_passings *passings,
                         struct tn_memory      *memory);
void tn_tf_passings_done(struct tn_tf_passings *passings);

/* For a function of so many inputs and outputs. */
void tn_tf_passings_make(struct tn_tf_passings *passings,
                         const struct tn_model *model, uint32_t op,
                         const struct tn_vocab_op  *kind,
                         const struct tn_tf_caller *caller,
                         uint32_t input_count, uint32_t output_count,
                         struct tn_error *error);

#endif
