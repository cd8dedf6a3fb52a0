/*
 * infer.h - what is known of the values of a net
 *
 * Types and shapes of a net by the rules of a file of shapes, and, on request,
 * values that follow from shapes and constants.  What cannot be determined
 * stays unknown, which is never an error.
 *
 *   struct tn_infer *facts;
 *   TN_TRY(tn_infer_open(&facts, &net, file));
 *   status = tn_infer_run(facts);           types of all values
 *   ... tn_fold(facts, value, &items) ...   elements of one
 *   tn_infer_close(facts);
 *
 * Nodes may be added while facts are open; after nodes were changed, open new
 * ones.
 */
#ifndef TN_MAP_INFER_H
#define TN_MAP_INFER_H

#include "map/lang/lang_eval.h"

/* Elements of the largest value that is folded. */
#define TN_FOLD_MAX (UINT32_C(1) << 16)

struct tn_infer;

/* Yours to close.  `shapes` may be NULL: then only constants have elements.
 * Fails into net->error. */
enum tn_status tn_infer_open(struct tn_infer **out, struct tn_net *net,
                             const struct tn_lang_file *shapes);
void           tn_infer_close(struct tn_infer *infer);

/* Sets the types of the outputs of nodes, in order, also in subgraphs.  What
 * the model declares stays; what it leaves open is filled in. */
enum tn_status tn_infer_run(struct tn_infer *infer);

/* Calls `before` for each node before anything is found out about it; it may
 * give the node other inputs.  Nodes of loops may be looked at several
 * times. */
typedef void tn_infer_visitor(void *context, uint32_t node);
void         tn_infer_visit(struct tn_infer *infer, tn_infer_visitor *before,
                            void *context);

/* Both for callers that only need types. */
enum tn_status tn_infer(struct tn_net *net, const struct tn_lang_file *shapes);

/* The types of the outputs of one node. */
void tn_infer_node(struct tn_infer *infer, uint32_t node);

/* The values whose elements were asked for since tn_infer_watch(), once for
 * each time, except values that have none: how many, and which, up to a limit.
 * Facts may be NULL. */
#define TN_INFER_ASKED_MAX 16
void     tn_infer_watch(struct tn_infer *infer);
uint32_t tn_infer_asked(const struct tn_infer *infer, const uint32_t **asked);

/* What rules see of a node or of a value, as words: equal words mean that they
 * see the same, as long as the net lives.  Of a node with common attributes (up
 * to TN_INFER_NODE_WORDS), without its inputs and outputs; of a value, which
 * may be TN_NONE, without its elements. */
#define TN_INFER_NODE_WORDS 4
#define TN_INFER_IO_MAX     16 /* inputs, or outputs */
bool     tn_infer_has_words(const struct tn_net_node *node);
uint32_t tn_infer_node_words(const struct tn_net_node *node, uint64_t *words);
uint64_t tn_infer_word(const struct tn_net *net, uint32_t value);

/* Forgets the values from `first` on: their ids will be used again. */
void tn_infer_forget(struct tn_infer *infer, uint32_t first);

/* The elements of a value, flat: a list of ints, floats, bools or strings,
 * depending on its dtype; single ones may be TN_ITEM_UNKNOWN, as dims may be.
 * TN_ITEM_UNKNOWN for a value that is not known or too large.  The answer is
 * kept, and lives as long as the facts. */
enum tn_status tn_fold(struct tn_infer *infer, uint32_t value,
                       struct tn_item *out);

/* For value(X), while folding: what tn_fold() has found before, or false.  And
 * a request to fold this value before the one that asks for it. */
bool tn_fold_peek(struct tn_infer *infer, uint32_t value, struct tn_item *out);
void tn_fold_want(struct tn_infer *infer, uint32_t value);

#endif
