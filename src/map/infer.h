/*
 * infer.h - what is known of the values of a net
 *
 * Types and shapes of a net through the rules of a file of shapes, and values
 * that follow from shapes and constants, when somebody asks for them.  What
 * cannot be told stays unknown; that is never an error.
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

#include "map/lang_eval.h"

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

/* Both for those who need types alone. */
enum tn_status tn_infer(struct tn_net *net, const struct tn_lang_file *shapes);

/* The types of what one node makes. */
void tn_infer_node(struct tn_infer *infer, uint32_t node);

/* Values from `first` on are gone: others will have their ids. */
void tn_infer_forget(struct tn_infer *infer, uint32_t first);

/* The elements of a value, flat: a list of ints, floats, bools or strings, as
 * its dtype has it; single ones may be TN_ITEM_UNKNOWN, as dims are.  Of a
 * value that is not known or too large, TN_ITEM_UNKNOWN.  The answer is kept,
 * and lives as long as the facts. */
enum tn_status tn_fold(struct tn_infer *infer, uint32_t value,
                       struct tn_item *out);

#endif
