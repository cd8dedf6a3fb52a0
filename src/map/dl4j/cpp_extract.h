/*
 * cpp_extract.h - op descriptors out of libnd4j's C++
 *
 * libnd4j declares an op by a macro, and its code takes arguments by others:
 *
 *   CUSTOM_OP_IMPL(conv1d, 2, 1, false, 0, 5) {
 *       auto input = INPUT_VARIABLE(0);
 *       int  kW    = INT_ARG(0) > 0 ? INT_ARG(0) : 1;
 *
 * The variable that an argument is put into is its name.  This reads words and
 * brackets, not C++: comments and literals are stepped over, and what is taken
 * by a computed index is not seen.
 */
#ifndef TN_MAP_CPP_EXTRACT_H
#define TN_MAP_CPP_EXTRACT_H

#include "map/dl4j/dl4j_ops.h"

/* Adds the ops of one file.  Arguments before any declaration belong to an op
 * called `stem`.  Ops that `ops` has already are completed. */
enum tn_status tn_cpp_extract(struct tn_dl4j_ops *ops, struct tn_bytes text,
                              struct tn_bytes stem, struct tn_error *error);

#endif
