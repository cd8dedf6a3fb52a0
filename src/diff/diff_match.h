/*
 * diff_match.h - matches ops, graphs and tensors of two models
 *
 * Ops are matched graph by graph, the surest evidence first:
 *
 *   1. the same name and hashes, from both ends of the file
 *   2. the same name and operator, if such ops mostly agree otherwise; if they
 *      do not (names that are numbers shift when an op is added), this comes
 *      after 3
 *   3. equal hashes from both ends, then from one; ties by name, then by the
 *      contents of weights, then by order
 *   4. the same operator as a user of the same input of matched ops
 *   5. the order of the file, between matched ops
 *   6. the same name, with another operator
 *
 * Inputs of graphs: by name, then by what reads them, then in order.
 *
 * Tensors: by graph and name, or by op and attribute; by name alone; then by
 * content, also after a transposition or a conversion (diff_content.c).
 *
 * Time and memory are linear in ops and edges.
 */
#ifndef TN_DIFF_MATCH_H
#define TN_DIFF_MATCH_H

#include "diff/diff_side.h"

/* A digest over type, shape and elements, which this folder cannot compute. */
struct tn_diff_host {
    enum tn_status (*digest)(void *context, const struct tn_tensor *tensor,
                             uint8_t to[32], struct tn_error *error);
    void *context;
};

struct tn_diff_match {
    struct tn_memory          *memory;
    const struct tn_diff_host *host; /* NULL: contents are not looked at      */
    struct tn_diff_side        left, right;
    uint32_t *ops[2];     /* by op of the left, the right: its match          */
    uint32_t *graphs[2];  /* by graph                                         */
    uint32_t *tensors[2]; /* by tensor                                        */
    uint32_t *inputs[2];  /* by value that is an input of a graph             */
    uint32_t *functions;  /* by name of the left: a function; TN_NONE: none   */
    uint32_t  function_names;
};

enum tn_status tn_diff_match_init(struct tn_diff_match      *match,
                                  const struct tn_model     *left,
                                  const struct tn_model     *right,
                                  const struct tn_diff_host *host,
                                  struct tn_memory          *memory,
                                  struct tn_error           *error);
void           tn_diff_match_done(struct tn_diff_match *match);

/* Whether both models have operators of one dialect.  Two containers of it may
 * store attributes in different ways. */
bool tn_diff_is_one_dialect(const struct tn_diff_match *match);

/* Whether a value of one model is that of the other: made by matched ops,
 * defined by matched tensors, matched inputs, or just of one name. */
bool tn_diff_same_value(const struct tn_diff_match *match, uint32_t left,
                        uint32_t right);

/* Whether both names are those of one function, which may have been renamed. */
bool tn_diff_same_function(const struct tn_diff_match *match,
                           struct tn_bytes left, struct tn_bytes right);

/* Whether strings of an attribute are equal; "loc:@conv1" names an op, which
 * may have been renamed. */
bool tn_diff_same_string(const struct tn_diff_match *match,
                         struct tn_bytes left, struct tn_bytes right);

/* diff_content.c: matches tensors that nothing else matched, by content.
 * `permuted` and `converted` say what else was needed. */
enum tn_status tn_diff_match_contents(struct tn_diff_match *match,
                                      struct tn_error      *error);

/* The attribute that a tensor is in; empty: none. */
struct tn_bytes tn_diff_attr_name(const struct tn_tensor *tensor);

#endif
