/*
 * output_name.h - names of values in the body of a TensorFlow function
 *
 *   arg          an argument of the function
 *   node         the only output of a node, in files of the first versions
 *   node:out     all values of the node's output argument `out`
 *   node:out:2   the third of them
 */
#ifndef TN_IR_OUTPUT_NAME_H
#define TN_IR_OUTPUT_NAME_H

#include "base/byte_view.h"

struct tn_output_name {
    struct tn_bytes node;
    struct tn_bytes argument; /* no data: the name does not have it           */
    bool            is_one;   /* of the argument's values, not all of them    */
};

struct tn_output_name tn_output_name_parse(struct tn_bytes name);

/* "node:out": it may stand for several values. */
bool tn_output_name_is_list(struct tn_bytes name);

#endif
