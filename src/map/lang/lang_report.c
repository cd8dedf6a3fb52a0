/* lang_report.c - which rules were applied to the nodes of a net, and why
 * others were not */
#include "map/lang/lang_report.h"

void tn_map_report_init(struct tn_map_report *report, struct tn_arena *arena)
{
    *report = (struct tn_map_report){ .arena = arena };
    tn_list_init(&report->rules, arena->memory,
                 sizeof(const struct tn_lang_rule *));
    tn_list_init(&report->reasons, arena->memory, sizeof(struct tn_map_reason));
}

void tn_map_report_done(struct tn_map_report *report)
{
    tn_list_done(&report->rules);
    tn_list_done(&report->reasons);
}

const struct tn_map_reason *tn_map_reasons(const struct tn_map_report *report,
                                           uint32_t node, uint32_t *count)
{
    const struct tn_map_reason *first = NULL;

    *count = 0;
    for (uint64_t i = 0; i < report->reasons.count; i++) {
        const struct tn_map_reason *reason =
            tn_list_at(&report->reasons, struct tn_map_reason, i);
        if (reason->node != node)
            continue;
        first = first ? first : reason;
        ++*count;
    }
    return first;
}

void tn_map_add_reason(struct tn_map_report *report, uint32_t node,
                       const struct tn_lang_rule *rule,
                       const struct tn_refusal *refusal, struct tn_error *error)
{
    if (report->is_silent || report->reasons.count >= TN_MAP_REASONS_MAX)
        return;
    char *text = tn_text_dup(report->arena, refusal->text, error);
    struct tn_map_reason *reason =
        tn_list_push(&report->reasons, struct tn_map_reason, error);
    if (!text || !reason)
        return;
    *reason = (struct tn_map_reason){
        node, rule, refusal->place, text, refusal->is_plain, refusal->reason
    };
    if (!reason->place.line && rule)
        reason->place = rule->place;
}

void tn_map_drop_reasons(struct tn_map_report *report, uint32_t node)
{
    struct tn_list *reasons = &report->reasons;

    while (
        reasons->count &&
        tn_list_at(reasons, struct tn_map_reason, reasons->count - 1)->node ==
            node)
        reasons->count--;
}
