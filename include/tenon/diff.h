/*
 * diff.h - what differs between two models
 *
 * Both may be of any format; operators are compared when both are of one
 * dialect.  Open them with options.wants_graph.  Ops, graphs and tensors are
 * matched first: by name and operator, by structure (names ignored), by the
 * contents of tensors, and the rest by order.  Every difference that is left is
 * a change.
 *
 * Everything is borrowed until tn_diff_close().  Both models must stay open
 * until then.
 */
#ifndef TENON_DIFF_H
#define TENON_DIFF_H

#include <tenon/graph.h>
#include <tenon/verbs.h>
#include <tenon/view.h>

struct tn_diff;

struct tn_diff_options {
    size_t size; /* options.h: how structs of options grow                    */

    /* Elements a and b are equal if |a - b| <= tolerance * max(1, |a|). */
    double tolerance;
    bool   skips_values; /* tensors are compared by name, type and shape      */
};
#define TN_DIFF_OPTIONS_INIT TN_SIZED_INIT(struct tn_diff_options)

/* Parts of a report, the most important first. */
enum tn_diff_part {
    TN_DIFF_INPUT,
    TN_DIFF_OUTPUT,
    TN_DIFF_VERSION, /* opsets and versions of the format                     */
    TN_DIFF_SIGNATURE,
    TN_DIFF_GRAPH, /* functions and subgraphs                                 */
    TN_DIFF_OPERATOR,
    TN_DIFF_TENSOR,
    TN_DIFF_METADATA,
    TN_DIFF_PARTS
};

enum tn_diff_kind {
    TN_DIFF_ADDED,   /* only the right model has it                           */
    TN_DIFF_REMOVED, /* only the left one                                     */
    TN_DIFF_CHANGED,
    TN_DIFF_RENAMED, /* and otherwise the same                                */
    TN_DIFF_MOVED,   /* at another place, and otherwise the same              */
};

/* One property that differs, as text: the attribute "strides" is "[1,1]" on the
 * left and "[2,2]" on the right.  Empty text: that side has no such property.
 */
struct tn_diff_facet {
    struct tn_bytes name;
    struct tn_bytes left, right;
};

struct tn_diff_change {
    enum tn_diff_part part;
    enum tn_diff_kind kind;
    struct tn_bytes   name;     /* on the left; on the right if it was added  */
    struct tn_bytes   new_name; /* on the right, if it is another             */
    struct tn_bytes   type;     /* the operator; type and shape of a tensor   */
    uint32_t          left;     /* op, graph or tensor; TN_NONE: none         */
    uint32_t          right;
    uint32_t          facet_count;
    const struct tn_diff_facet *facets;

    /* The same change of names that differ only in numbers is a
     * group: the index of its first change, and how many it has. */
    uint32_t group, group_count;

    /* Of tensors whose elements differ, else 0.  The relative error is |a - b|
     * / max(|a|, |b|); both are 0 if only bits differ (-0.0, another NaN). */
    uint64_t element_count, changed_count;
    double   max_absolute, max_relative;
};

/* Yours to close. */
TN_API enum tn_status tn_diff_open(struct tn_diff              **out,
                                   const struct tn_model        *left,
                                   const struct tn_model        *right,
                                   const struct tn_diff_options *diff,
                                   const struct tn_options      *options,
                                   struct tn_error              *error);
TN_API void           tn_diff_close(struct tn_diff *diff);

/* In the order of their parts; no change at all: the models are the same. */
TN_API uint64_t                     tn_diff_count(const struct tn_diff *diff);
TN_API const struct tn_diff_change *tn_diff_change_at(
    const struct tn_diff *diff, uint64_t index);

/* What was compared. */
struct tn_diff_summary {
    uint64_t left_ops, right_ops, same_ops; /* same: nothing differs          */
    uint64_t left_tensors, right_tensors, same_tensors;
    bool     has_ops; /* both have graphs of one dialect                      */
};
TN_API struct tn_diff_summary tn_diff_summarize(const struct tn_diff *diff);

/* The op of the right model that is this op of the left one; TN_NONE: none. */
TN_API uint32_t tn_diff_match_op(const struct tn_diff *diff, uint32_t left);

/* Writes a script of actions (edit.h) that turns the left model into the right
 * one: tn_edit_run_file() on the left model gives the operators, inputs,
 * outputs and tensors of the right one.  New elements go to the file
 * PATH.safetensors beside it, each tensor under its digest.  If no action can
 * express a difference, the script is one action that takes PATH.model, a copy
 * of the right model. UNSUPPORTED if the models are of two frameworks. */
struct tn_patch_summary {
    uint64_t actions;
    uint64_t tensors;  /* in PATH.safetensors                                 */
    bool     is_whole; /* the script takes PATH.model                         */
};
TN_API enum tn_status tn_diff_write_patch(const struct tn_diff    *diff,
                                          const struct tn_target  *target,
                                          const struct tn_options *options,
                                          struct tn_patch_summary *summary,
                                          struct tn_error         *error);

/* Draws both models as one picture (view.h): what only the left one has is added
 * to the right one, and what was added, removed or changed is marked.
 * UNSUPPORTED unless both have graphs of one framework. */
TN_API enum tn_status tn_diff_write_view(const struct tn_diff    *diff,
                                         const struct tn_target  *target,
                                         const struct tn_options *options,
                                         struct tn_view_summary  *summary,
                                         struct tn_error         *error);

#endif
