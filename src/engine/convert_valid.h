/*
 * convert_valid.h - what is wrong with a graph is not converted
 *
 * Rules read a graph as its dialect defines it.  One that contradicts the
 * definition would become another graph, silently: `check` says so first.  And
 * what a conversion makes must be right in its own dialect, before it is
 * written.
 */
#ifndef TN_ENGINE_CONVERT_VALID_H
#define TN_ENGINE_CONVERT_VALID_H

#include "engine/opened.h"

struct tn_validity {
    bool           is_forced; /* findings are told, and nothing is refused    */
    tn_on_finding *each;      /* told every error; NULL: nobody asks          */
    void          *context;
    uint64_t      *count; /* of errors; NULL: nobody asks                     */
    bool           allows_unknown; /* operators without a definition          */
};

/* MALFORMED with the first error that `check` finds in the graph.  Weights are
 * not read. */
enum tn_status tn_refuse_invalid(const struct tn_model    *model,
                                 const struct tn_validity *how,
                                 struct tn_error          *error);

/* The same of what a conversion made, in the dialect of `format`: UNSUPPORTED,
 * since no file is to blame. */
enum tn_status tn_refuse_made(const struct tn_model    *model,
                              const struct tn_format   *format,
                              const struct tn_validity *how,
                              struct tn_error          *error);

#endif
