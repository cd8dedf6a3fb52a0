/*
 * diff_report.h - the changes between two matched models, as a list
 *
 * In the order of enum tn_diff_part; inside a part in the order of the left
 * model, then what was added in that of the right one.
 */
#ifndef TN_DIFF_REPORT_H
#define TN_DIFF_REPORT_H

#include <tenon/diff.h>

#include "base/buffer.h"
#include "diff/diff_match.h"

struct tn_diff_report {
    struct tn_diff_match  *match;
    struct tn_arena        arena;
    struct tn_list         changes; /* struct tn_diff_change                  */
    struct tn_list         facets;  /* struct tn_diff_facet, of one change    */
    double                 tolerance;
    bool                   skips_values;
    struct tn_diff_summary summary;

    /* Whether two tensors are known to have the same bytes without reading
     * them: from the same place in the same file, or from stored checksums. */
    bool (*is_known_same)(void *context, const struct tn_tensor *left,
                          const struct tn_tensor *right);
    /* Called for each pair of tensors that is read, for progress. */
    enum tn_status (*on_tensor)(void *context, const struct tn_tensor *left,
                                struct tn_error *error);
    void *context;
};

/* Set the fields above after this. */
void tn_diff_report_init(struct tn_diff_report *report,
                         struct tn_diff_match  *match);
void tn_diff_report_done(struct tn_diff_report *report);

enum tn_status tn_diff_report_make(struct tn_diff_report *report,
                                   struct tn_error       *error);

/* diff_ops.c, diff_tensors.c: parts of it. */
enum tn_status tn_diff_report_ops(struct tn_diff_report *report,
                                  struct tn_error       *error);
enum tn_status tn_diff_report_tensors(struct tn_diff_report *report,
                                      struct tn_error       *error);

/* Whether two attributes are equal.  Tensors count by type and shape. */
bool tn_diff_same_attr(const struct tn_diff_match *match,
                       const struct tn_attr_value *left,
                       const struct tn_attr_value *right);

/* Whether an attribute of an op, which its match does not have, is no
 * difference: the two are in different containers of one dialect, and it says
 * what follows from the operator. */
bool tn_diff_is_implied(const struct tn_diff_match *match, int side,
                        uint32_t op, const struct tn_attr_named *attr);

/* Marks, by op of the left, the smallest set of ops that moved: the others are
 * in the same order as their matches. */
enum tn_status tn_diff_find_moved(const struct tn_diff_match *match,
                                  uint8_t *moved, struct tn_error *error);

/* A new change; NULL after a failure.  Facets that were collected become its
 * own. */
struct tn_diff_change *tn_diff_add_change(struct tn_diff_report *report,
                                          enum tn_diff_part      part,
                                          enum tn_diff_kind      kind,
                                          struct tn_error       *error);

/* Collects a facet for the next change; the texts are kept as they are. */
void tn_diff_add_facet(struct tn_diff_report *report, struct tn_bytes name,
                       struct tn_bytes left, struct tn_bytes right,
                       struct tn_error *error);

/* What is in the buffer, kept in the arena; the buffer is then empty. */
struct tn_bytes tn_diff_keep(struct tn_diff_report *report,
                             struct tn_buffer *buffer, struct tn_error *error);

#endif
