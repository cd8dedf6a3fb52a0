/*
 * draft_parts.h - what the files of a draft share
 *
 * draft.c begins drafts and changes their graphs and tensors, draft_op.c
 * changes ops, draft_training.c what is trained and how, draft_commit.c makes a
 * model of them.
 */
#ifndef TN_IR_DRAFT_PARTS_H
#define TN_IR_DRAFT_PARTS_H

#include "ir/draft.h"

/* A new op, the last of its graph; NULL after a failure. */
struct tn_draft_op *tn_draft_append_op(struct tn_draft *draft, uint32_t graph,
                                       struct tn_error *error);

/* INVALID when the caller's id is of no graph that is still there. */
enum tn_status tn_draft_expect_graph(const struct tn_draft *draft,
                                     uint32_t graph, struct tn_error *error);

/* NOT_FOUND when the graph has no such tensor. */
enum tn_status tn_draft_expect_tensor(const struct tn_draft *draft,
                                      uint32_t graph, const char *name,
                                      struct tn_draft_tensor **tensor,
                                      struct tn_error         *error);

/* The caller's text in the draft's arena; NULL is "". */
struct tn_bytes tn_draft_keep(struct tn_draft *draft, const char *text,
                              struct tn_error *error);

/* A changed graph inside a node changes the node, and so on outwards: the
 * attribute that holds it is then written from the tables. */
enum tn_status tn_draft_touch_graph(struct tn_draft *draft, uint32_t graph,
                                    struct tn_error *error);

#endif
