/*
 * lang_apply.h - a net of one dialect becomes a net of another
 *
 * Every node of the source is visited once, in order, graph by graph.  The
 * first rule that applies makes its nodes in the target; these keep the
 * `source` of the node they come from.  Values keep their names: the outputs of
 * a rule have the names of the node's outputs, and values in between are named
 * after them.  Constants are copied by reference, when they are used.
 *
 * If and Loop with graphs mean the same in every dialect (flow.h): without a
 * rule of their own they are copied, and their graphs are mapped.
 *
 * A node without a rule is copied as it is and counted: the caller decides
 * whether that is an error (convert --allow).  With `wants_all` in the report
 * it ends the work: `to` can only be released, `from` is as it was.
 */
#ifndef TN_MAP_LANG_APPLY_H
#define TN_MAP_LANG_APPLY_H

#include "map/lang/infer.h"
#include "map/lang/lang_report.h"

/*
 * The rules of `files` that lead from the dialect of `from` to that of `to`,
 * the first file first.  `to` has just been initialised, with its version set;
 * `from`, its model and the files must outlive it; its names are moved to `to`.
 * `facts` are those of `from`; `made` are those of `to`, opened while it is
 * empty (NULL: none).  With them the types of new values are set at once: rules
 * may ask for them, and they need not be inferred afterwards.
 *
 * Fails into to->error, for lack of memory or because of a rule that
 * contradicts itself.  A rule that refuses does not apply.
 */
enum tn_status tn_lang_apply(const struct tn_lang_file *const *files,
                             uint32_t file_count, struct tn_infer *facts,
                             struct tn_net *from, struct tn_infer *made,
                             struct tn_net *to, struct tn_map_report *report);

#endif
