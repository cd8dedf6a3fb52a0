/* convert_valid.c - refuses to convert invalid graphs */
#include "engine/convert_valid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/dialect_facts.h"

/* More errors than that are not counted. */
#define MOST 1000

/* Fewer are judged before another thread would have begun. */
#define MANY_NODES 10000

/* What a conversion does without: it finds types and ranks itself, and invents
 * names; and in new files initializers are not inputs. */
static const char *const harmless[] = {
    "missing-shape",      "missing-type",          "missing-name",
    "missing-ir-version", "initializer-not-input", NULL
};

struct listening {
    const struct tn_validity *how;
    const char *const        *ignored;
    uint64_t                  count;
    struct tn_error           first; /* with the rule in its words            */
};

static bool is_among(const char *const *list, const char *rule)
{
    for (; list && *list; list++)
        if (!strcmp(*list, rule))
            return true;
    return false;
}

static void tell(const struct listening *l, const char *rule,
                 const struct tn_error *finding)
{
    struct tn_finding told = { TN_SEVERITY_ERROR, rule,           finding->file,
                               finding->offset,   finding->where, finding->what,
                               finding->reason };

    if (l->how->each)
        l->how->each(l->how->context, &told);
}

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct listening *l = context;

    if (level != TN_LEVEL_ERROR || is_among(l->ignored, rule) ||
        (l->how->allows_unknown && !strcmp(rule, "unknown-op")))
        return 0;
    if (l->count++ == 0) {
        l->first        = *finding;
        l->first.reason = strcmp(rule, "missing-type") == 0
                              ? TN_REASON_UNKNOWN_TYPE
                              : TN_REASON_NONE;
        snprintf(l->first.what, sizeof l->first.what, "%.600s [%.30s]",
                 finding->what, rule);
    }
    tell(l, rule, finding);
    return l->count == MOST;
}

static void check_graph(void *context, struct tn_report *report,
                        struct tn_error *error)
{
    const struct tn_judging *j = context;

    if (j->format && j->format->check_graph)
        j->format->check_graph(j->model, report, error);
}

static enum tn_status judge(struct tn_judging *j, struct listening *l,
                            struct tn_error *error)
{
    struct tn_report report = { .each      = hear,
                                .context   = l,
                                .skip_data = true,
                                .workers   = j->how.workers,
                                .memory    = j->model->memory };

    if (j->is_begun)
        tn_later_check_end(&j->check, &report, error);
    else
        check_graph(j, &report, error);
    j->is_begun = false;
    if (tn_failed(error))
        return error->status;
    if (tn_failed(&report.failure))
        *error = report.failure;
    if (l->how->count)
        *l->how->count += l->count;
    return error->status;
}

static enum tn_status refuse(const struct listening *l, enum tn_status status,
                             enum tn_reason reason, struct tn_error *error)
{
    char more[40] = "";

    if (l->count == 0 || l->how->is_forced)
        return TN_OK;
    if (l->count > 1)
        snprintf(more, sizeof more, " (and %" PRIu64 " more)", l->count - 1);
    *error        = l->first;
    error->status = status;
    if (error->reason == TN_REASON_NONE)
        error->reason = reason;
    size_t size = strlen(error->what);
    snprintf(error->what + size, sizeof error->what - size, "%s", more);
    return status;
}

static enum tn_status judge_invalid(struct tn_judging *j,
                                    struct tn_error   *error)
{
    struct listening l = { .how = &j->how, .ignored = harmless };

    TN_TRY(judge(j, &l, error));
    return refuse(&l, TN_MALFORMED, TN_REASON_INVALID_MODEL, error);
}

static enum tn_status judge_made(struct tn_judging *j, struct tn_error *error)
{
    struct listening l = { .how = &j->how };
    char             what[sizeof error->what];

    TN_TRY(judge(j, &l, error));
    if (refuse(&l, TN_UNSUPPORTED, TN_REASON_INVALID_RESULT, error) == TN_OK)
        return TN_OK;
    snprintf(what, sizeof what,
             "cannot convert to %s: the result would be invalid: %.700s",
             tn_dialect_facts(j->format->dialect)->title, error->what);
    memcpy(error->what, what, sizeof what);
    return error->status;
}

static void judging_init(struct tn_judging *j, const struct tn_model *model,
                         const struct tn_format   *format,
                         const struct tn_validity *how)
{
    j->model    = model;
    j->format   = format;
    j->how      = *how;
    j->is_begun = false;
}

enum tn_status tn_refuse_invalid(const struct tn_model    *model,
                                 const struct tn_validity *how,
                                 struct tn_error          *error)
{
    struct tn_judging j;

    judging_init(&j, model, tn_opened_of(model)->format, how);
    return judge_invalid(&j, error);
}

enum tn_status tn_refuse_made(const struct tn_model    *model,
                              const struct tn_format   *format,
                              const struct tn_validity *how,
                              struct tn_error          *error)
{
    struct tn_judging j;

    judging_init(&j, model, format, how);
    return judge_made(&j, error);
}

/* ---- while something else is done --------------------------------------- */

bool tn_judging_is_worth_it(const struct tn_model *from)
{
    bool is_plain = from->wire.source && from->wire.source->map &&
                    from->ops.count >= MANY_NODES;

    for (uint64_t i = 0; is_plain && i < from->tensors.count; i++) {
        const struct tn_payload *p =
            &tn_model_tensor(from, i)->elements.payload;
        is_plain = !p->view && (!p->span.source || p->span.source->map);
    }
    return is_plain;
}

void tn_judging_begin(struct tn_judging *j, const struct tn_model *model,
                      const struct tn_format   *format,
                      const struct tn_validity *how)
{
    struct tn_report report = { .skip_data = true,
                                .workers   = how->workers,
                                .memory    = model->memory };

    judging_init(j, model, format, how);
    j->is_begun = true;
    tn_later_check_begin(&j->check, &report, model->memory, check_graph, j);
}

enum tn_status tn_judging_end_invalid(struct tn_judging *j,
                                      struct tn_error   *error)
{
    return j->is_begun ? judge_invalid(j, error) : TN_OK;
}

enum tn_status tn_judging_end_made(struct tn_judging *j, struct tn_error *error)
{
    return j->is_begun ? judge_made(j, error) : TN_OK;
}

void tn_judging_drop(struct tn_judging *j)
{
    struct tn_report unheard = { .is_stopped = true };
    struct tn_error  ignored = TN_ERROR_INIT;

    if (j->is_begun)
        tn_later_check_end(&j->check, &unheard, &ignored);
    j->is_begun = false;
}
