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

/* Sets the types of what nodes make, in their order, subgraphs too.  What the
 * model declares stays; what it leaves open is filled in. */
enum tn_status tn_infer_run(struct tn_infer *infer);

/* Calls `before` for each node before anything is found out about it; it may
 * give the node other inputs.  Nodes of loops may be looked at several
 * times. */
typedef void tn_infer_visitor(void *context, uint32_t node);
void         tn_infer_visit(struct tn_infer *infer, tn_infer_visitor *before,
                            void *context);

/* Both for callers that only need types. */
enum tn_status tn_infer(struct tn_net *net, const struct tn_lang_file *shapes);

/* The types of what one node makes. */
void tn_infer_node(struct tn_infer *infer, uint32_t node);

/* Whose elements have been asked for since tn_infer_watch(), each time, but for
 * values that have none: how many, and which, up to so many.  Facts may be
 * NULL.
 */
#define TN_INFER_ASKED_MAX 16
void     tn_infer_watch(struct tn_infer *infer);
uint32_t tn_infer_asked(const struct tn_infer *infer, const uint32_t **asked);

/* What rules see of a node and of its values, as words that are equal only for
 * equal ones, as long as the net lives: of a node with common attributes (up to
 * TN_INFER_NODE_WORDS), without what its inputs and outputs are; of a value,
 * which may be TN_NONE, without its elements. */
#define TN_INFER_NODE_WORDS 4
#define TN_INFER_IO_MAX     16 /* inputs, or outputs */
bool     tn_infer_has_words(const struct tn_net_node *node);
uint32_t tn_infer_node_words(const struct tn_net_node *node, uint64_t *words);
uint64_t tn_infer_word(const struct tn_net *net, uint32_t value);

/* Forgets the values from `first` on: others will get their ids. */
void tn_infer_forget(struct tn_infer *infer, uint32_t first);

/* The elements of a value, flat: a list of ints, floats, bools or strings, as
 * its dtype has it; single ones may be TN_ITEM_UNKNOWN, as dims are.  Of a
 * value that is not known or too large, TN_ITEM_UNKNOWN.  The answer is kept,
 * and lives as long as the facts. */
enum tn_status tn_fold(struct tn_infer *infer, uint32_t value,
                       struct tn_item *out);

/* For value(X), while folding: what tn_fold() has found before, or false.  And
 * that the value is to be folded before what asks for it. */
bool tn_fold_peek(struct tn_infer *infer, uint32_t value, struct tn_item *out);
void tn_fold_want(struct tn_infer *infer, uint32_t value);

#endif
