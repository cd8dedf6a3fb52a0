/* later_check.c - the later part of a check, beside the earlier one */
#include "io/later_check.h"

/* A finding is about a kilobyte. */
#define MOST_KEPT 64

struct kept {
    enum tn_finding_level level;
    const char           *rule;
    struct tn_error       finding;
};

static int keep(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct tn_later_check *later = context;
    struct kept           *kept =
        later->kept.count < MOST_KEPT
                      ? tn_list_push(&later->kept, struct kept, &later->error)
                      : NULL;

    if (kept)
        *kept = (struct kept){ level, rule, *finding };
    return kept == NULL;
}

/* One slot is the later part of the check; a second one is needed for a second
 * thread to be started. */
static void run(void *context, uint32_t slot)
{
    struct tn_later_check *later = context;

    if (slot == 0)
        later->part(later->context, &later->report, &later->error);
}

void tn_later_check_begin(struct tn_later_check  *later,
                          const struct tn_report *report,
                          struct tn_memory *memory, tn_check_part *part,
                          void *context)
{
    later->part    = part;
    later->context = context;
    later->report  = (struct tn_report){ .each      = keep,
                                         .context   = later,
                                         .skip_data = report->skip_data,
                                         .workers   = report->workers,
                                         .memory    = report->memory };
    later->error   = (struct tn_error)TN_ERROR_INIT;
    tn_list_init(&later->kept, memory, sizeof(struct kept));
    unsigned workers = tn_pipeline_workers(report->workers);
    tn_pipeline_open(&later->pipeline, workers > 2 ? 2 : workers, 2, run,
                     later);
    tn_pipeline_watches(&later->pipeline, memory);
    tn_pipeline_add(&later->pipeline);
    tn_pipeline_add(&later->pipeline);
}

void tn_later_check_first(struct tn_later_check *later)
{
    tn_pipeline_await_begin(&later->pipeline);
}

static void tell(const struct tn_later_check *later, struct tn_report *report)
{
    for (uint64_t i = 0; i < later->kept.count; i++) {
        const struct kept *kept = tn_list_at(&later->kept, struct kept, i);
        tn_report_add(report, kept->level, kept->rule, &kept->finding);
    }
    report->bytes_verified += later->report.bytes_verified;
}

void tn_later_check_end(struct tn_later_check *later, struct tn_report *report,
                        struct tn_error *error)
{
    while (tn_pipeline_count(&later->pipeline))
        tn_pipeline_take(&later->pipeline);
    tn_pipeline_close(&later->pipeline);
    if (!report->is_stopped && !tn_failed(error)) {
        if (later->report.is_stopped || tn_failed(&later->error))
            later->part(later->context, report, error);
        else
            tell(later, report);
    }
    tn_list_done(&later->kept);
}
