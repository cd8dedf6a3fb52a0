/*
 * cpp_extract.h - op descriptors from libnd4j's C++ sources
 *
 * libnd4j declares an op by a macro, and its code takes arguments by others:
 *
 *   CUSTOM_OP_IMPL(conv1d, 2, 1, false, 0, 5) {
 *       auto input = INPUT_VARIABLE(0);
 *       int  kW    = INT_ARG(0) > 0 ? INT_ARG(0) : 1;
 *
 * The variable that an argument is assigned to gives it its name.  This is no
 * C++ parser: it reads words and brackets, skips comments and literals, and
 * does not see arguments with computed indices.
 */
#ifndef TN_MAP_CPP_EXTRACT_H
#define TN_MAP_CPP_EXTRACT_H

#include "map/dl4j/dl4j_ops.h"

/* Adds the ops of one file.  Arguments before any declaration belong to an op
 * called `stem`.  Ops that `ops` already has get the missing parts. */
enum tn_status tn_cpp_extract(struct tn_dl4j_ops *ops, struct tn_bytes text,
                              struct tn_bytes stem, struct tn_error *error);

#endif
