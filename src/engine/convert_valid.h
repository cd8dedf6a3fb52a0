/*
 * convert_valid.h - refuses to convert invalid graphs
 *
 * Rules read a graph as its dialect defines it.  A graph that contradicts the
 * definition would silently become a different one: `check` finds that first.
 * And the result must be valid in its own dialect before it is written.
 */
#ifndef TN_ENGINE_CONVERT_VALID_H
#define TN_ENGINE_CONVERT_VALID_H

#include "engine/opened.h"

struct tn_validity {
    bool           is_forced; /* findings are reported, nothing is refused    */
    tn_on_finding *each;      /* called for every error; NULL: not wanted     */
    void          *context;
    uint64_t      *count; /* of errors; NULL: not wanted                      */
    bool           allows_unknown; /* operators without a definition          */
};

/* MALFORMED with the first error that `check` finds in the graph.  Weights are
 * not read. */
enum tn_status tn_refuse_invalid(const struct tn_model    *model,
                                 const struct tn_validity *how,
                                 struct tn_error          *error);

/* The same for the result of a conversion, in the dialect of `format`:
 * UNSUPPORTED, since the input file is not at fault. */
enum tn_status tn_refuse_made(const struct tn_model    *model,
                              const struct tn_format   *format,
                              const struct tn_validity *how,
                              struct tn_error          *error);

#endif
