/*
 * lang_apply.h - a net of one dialect becomes a net of another
 *
 * Every node of the source is looked at once, in order, graph by graph.  The
 * first rule that applies makes its nodes in the target; nodes of the target
 * keep the `source` of the node they come from.  Values keep their names: the
 * outputs of a rule are called what the outputs of the node were called, what
 * lies between is named after them.  Constants are carried by reference, when
 * something uses them.
 *
 * If and Loop that hold graphs mean the same in every dialect (flow.h): without
 * a rule of their own they are carried over, and their graphs are mapped.
 *
 * A node that no rule takes is carried over as it is and counted: whether that
 * is an error is the caller's to say (convert --allow).
 */
#ifndef TN_MAP_LANG_APPLY_H
#define TN_MAP_LANG_APPLY_H

#include "map/infer.h"

/* Why a rule did not take a node. */
struct tn_map_reason {
    uint32_t                   node; /* of the source                         */
    const struct tn_lang_rule *rule; /* NULL: there is no rule for the op     */
    struct tn_map_place place;       /* the guard, the refusal, the attribute */
    const char         *text;
};

#define TN_MAP_REASONS_MAX 10000 /* kept; what is beyond is only counted */

struct tn_map_report {
    struct tn_arena *arena;
    struct tn_list   rules; /* const struct tn_lang_rule *, by node of the
                               source; NULL: unmapped                         */
    struct tn_list reasons; /* struct tn_map_reason; those of a node together */
    uint64_t       unmapped_count;
};

void tn_map_report_init(struct tn_map_report *report, struct tn_arena *arena);
void tn_map_report_done(struct tn_map_report *report);

/* Why no rule took the node; NULL and none when one did. */
const struct tn_map_reason *tn_map_reasons(const struct tn_map_report *report,
                                           uint32_t node, uint32_t *count);

static inline const struct tn_lang_rule *tn_map_rule(
    const struct tn_map_report *report, uint32_t node)
{
    return *tn_list_at(&report->rules, const struct tn_lang_rule *, node);
}

/*
 * The rules of `files` that lead from the dialect of `from` to that of `to`,
 * the first file first.  `to` has just been initialised, with its version set;
 * `from`, its model and the files must outlive it; its names go over to `to`.
 * `facts` are those of `from`; `made` are those of `to`, opened while it is
 * empty (NULL: none). With them the types of what is made are set as it is
 * made: rules may ask for them, and nobody has to infer them afterwards.
 *
 * Fails into to->error, for want of memory or for a rule that contradicts
 * itself.  A rule that refuses does not apply.
 */
enum tn_status tn_lang_apply(const struct tn_lang_file *const *files,
                             uint32_t file_count, struct tn_infer *facts,
                             struct tn_net *from, struct tn_infer *made,
                             struct tn_net *to, struct tn_map_report *report);

#endif
