/*
 * view.h - a model as a picture: one HTML file, or SVG
 *
 * The HTML file needs nothing else: no server, no network.  It shows the graph
 * with scopes of names, functions and repeated parts as blocks that open in
 * place, and the tensors of a model without a graph as areas.
 */
#ifndef TENON_VIEW_H
#define TENON_VIEW_H

#include <tenon/verbs.h>

enum tn_view_form {
    TN_VIEW_AUTO, /* by the suffix of the target: .svg is SVG, else HTML      */
    TN_VIEW_HTML,
    TN_VIEW_SVG,
};

struct tn_view_options {
    size_t            size; /* options.h: how structs of options grow         */
    enum tn_view_form form;
    bool        stats; /* reads all tensors: the page shows their statistics  */
    const char *data;  /* a file with a number for each node, which becomes a
                          colour: JSON or TSV; NULL: none                     */
};
#define TN_VIEW_OPTIONS_INIT TN_SIZED_INIT(struct tn_view_options)

struct tn_view_summary {
    uint64_t bytes_written;
    uint64_t nodes;  /* operators, inputs, outputs and shared weights         */
    uint64_t blocks; /* distinct ones                                         */
    uint64_t shown;  /* boxes that are visible at first                       */
    uint64_t numbers_used; /* of those that were given                        */
    char     form[8];      /* "html" or "svg"                                 */
};

/* Draws a model.  If it was opened without its graph, the graph is read from
 * the open files.  The same model gives the same bytes. */
TN_API enum tn_status tn_view(const struct tn_model        *model,
                              const struct tn_view_options *view,
                              const struct tn_target       *target,
                              const struct tn_options      *options,
                              struct tn_view_summary       *summary,
                              struct tn_error              *error);

#endif
