/*
 * tf_check_fingerprint.c - whether fingerprint.pb is of the files beside it
 *
 * Rules: bad-fingerprint, stale-fingerprint, unverified-fingerprint.
 */
#include <inttypes.h>

#include "base/report.h"
#include "format/tensorflow/tf_renew.h"

struct checking {
    const struct tn_tf_fingerprinted *what;
    struct tn_report                 *report;
    struct tn_error                  *error;
};

/* A failure that is about the file becomes a finding. */
static bool has_failed(struct checking *c, struct tn_error *own,
                       enum tn_finding_level level, const char *rule)
{
    if (tn_machine_failed(own)) {
        *c->error = *own;
    } else if (tn_failed(own)) {
        tn_error_file(own, TN_TF_FINGERPRINT);
        tn_report_add(c->report, level, rule, own);
    }
    return tn_failed(own);
}

static void leave_unverified(struct checking *c, const char *why,
                             uint64_t producer)
{
    tn_report_format(c->report, TN_LEVEL_NOTE, "unverified-fingerprint",
                     TN_TF_FINGERPRINT, TN_NOWHERE, "version.producer",
                     "made by producer %" PRIu64 ": %s", producer, why);
}

static void compare(struct checking *c, const struct tn_tf_fingerprint *stored,
                    const struct tn_tf_fingerprint *computed)
{
    for (int i = 0; i < TN_TF_HASH_COUNT; i++)
        if (stored->hashes[i] != computed->hashes[i])
            tn_report_format(c->report, TN_LEVEL_WARNING, "stale-fingerprint",
                             TN_TF_FINGERPRINT, stored->places[i],
                             tn_tf_hash_names[i],
                             "%" PRIu64 ", the model has %" PRIu64,
                             stored->hashes[i], computed->hashes[i]);
}

static void verify(struct checking *c, const struct tn_tf_fingerprint *stored)
{
    const struct tn_tf_fingerprinted *what     = c->what;
    struct tn_tf_fingerprint          computed = { .producer = 0 };
    struct tn_error                   own      = TN_ERROR_INIT;
    struct tn_memory                 *memory   = what->bundle->memory;

    if (what->store)
        tn_tf_fingerprint_chunks(&computed, what->chunked, what->store, memory,
                                 &own);
    else
        tn_tf_fingerprint_message(&computed, what->message, memory, &own);
    if (!tn_failed(&own))
        tn_tf_old_checkpoint(what->bundle, &computed.hashes[TN_TF_CHECKPOINT],
                             &own);
    if (!has_failed(c, &own, TN_LEVEL_NOTE, "unverified-fingerprint"))
        compare(c, stored, &computed);
}

/* By who made it: the formulas changed more than once. */
static void judge(struct checking *c, const struct tn_tf_fingerprint *stored)
{
    uint64_t ours =
        c->what->store ? TN_TF_PRODUCER_CHUNKED : TN_TF_PRODUCER_WHOLE;
    uint64_t other = TN_TF_PRODUCER_WHOLE + TN_TF_PRODUCER_CHUNKED - ours;

    if (stored->producer == TN_TF_PRODUCER_NAMED)
        return; /* nothing but a uuid */
    if (c->what->no_formula)
        leave_unverified(c, c->what->no_formula, stored->producer);
    else if (stored->producer == ours)
        verify(c, stored);
    else if (stored->producer == other)
        tn_report_format(c->report, TN_LEVEL_WARNING, "stale-fingerprint",
                         TN_TF_FINGERPRINT, TN_NOWHERE, "version.producer",
                         "made of a saved_model%s, which has another one",
                         c->what->store ? ".pb" : ".cpb");
    else
        leave_unverified(c, "its formulas are not known here",
                         stored->producer);
}

enum tn_status tn_tf_check_fingerprint(const struct tn_tf_fingerprinted *what,
                                       struct tn_report                 *report,
                                       struct tn_error                  *error)
{
    struct checking          c   = { what, report, error };
    struct tn_error          own = TN_ERROR_INIT;
    struct tn_tf_fingerprint stored;
    struct tn_source        *file;

    if (report->skip_data || !tn_bundle_has(what->bundle, TN_TF_FINGERPRINT))
        return TN_OK;
    if (tn_bundle_sibling(what->bundle, tn_text(TN_TF_FINGERPRINT), &file,
                          &own) == TN_OK)
        tn_tf_fingerprint_read(&stored, (struct tn_span){ file, 0, file->size },
                               &own);
    if (!has_failed(&c, &own, TN_LEVEL_WARNING, "bad-fingerprint"))
        judge(&c, &stored);
    return error->status;
}
