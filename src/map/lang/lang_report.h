/*
 * lang_report.h - which rules were applied to the nodes of a net, and why
 * others were not
 */
#ifndef TN_MAP_LANG_REPORT_H
#define TN_MAP_LANG_REPORT_H

#include "map/lang/lang_eval.h"

/* Why a rule did not apply to a node. */
struct tn_map_reason {
    uint32_t                   node; /* of the source                         */
    const struct tn_lang_rule *rule; /* NULL: there is no rule for the op     */
    struct tn_location place;        /* the guard, the refusal, the attribute */
    const char        *text;
    bool               is_plain; /* the text; else it is about the rule   */
    enum tn_reason     reason;   /* NONE: the rule is for other nodes     */
};

#define TN_MAP_REASONS_MAX 10000 /* kept; further ones are only counted */

struct tn_map_report {
    struct tn_arena *arena;
    struct tn_list   rules; /* const struct tn_lang_rule *, by node of the
                               source; NULL: unmapped                         */
    struct tn_list reasons; /* struct tn_map_reason; those of a node together */
    uint64_t       unmapped_count;
    bool wants_all; /* set by the caller: a net with unmapped nodes is of no
                       use, and is not finished                               */
    bool is_silent; /* set by the caller: reasons are not wanted              */
    bool is_idle;   /* a silent report: no rule takes any node, and nothing was
                       made                                                   */
};

void tn_map_report_init(struct tn_map_report *report, struct tn_arena *arena);
void tn_map_report_done(struct tn_map_report *report);

/* Why no rule applied to the node; NULL and 0 if one did. */
const struct tn_map_reason *tn_map_reasons(const struct tn_map_report *report,
                                           uint32_t node, uint32_t *count);

/* The rule that was applied to the node; NULL if none was. */
static inline const struct tn_lang_rule *tn_map_rule(
    const struct tn_map_report *report, uint32_t node)
{
    return *tn_list_at(&report->rules, const struct tn_lang_rule *, node);
}

/* For lang_apply.c: adds a reason; and notes that a rule applies after all, so
 * that the reasons for the node, which is the last, are dropped. */
void tn_map_add_reason(struct tn_map_report *report, uint32_t node,
                       const struct tn_lang_rule *rule,
                       const struct tn_refusal   *refusal,
                       struct tn_error           *error);
void tn_map_drop_reasons(struct tn_map_report *report, uint32_t node);

#endif
