/*
 * check_model.c - every problem of a file, not only the first
 *
 * Three rounds, each only if the one before allows it: is it a model at all; do
 * its bytes agree with the schema of its format; is the model consistent.
 */
#include <stdio.h>

#include "base/expand.h"
#include "base/sized.h"
#include "engine/chunked.h"
#include "engine/opened.h"
#include "format/registry.h"
#include "format/riegeli/records.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "io/later_check.h"
#include "io/meter.h"
#include "wire/pb/pb_check.h"

/* The grammar: all damaged messages, not only the first.  A file that is text
 * has no wire to look at; reading it says what is wrong. */
static enum tn_status check_schema(const struct tn_opened *opened,
                                   struct tn_span          message,
                                   struct tn_report       *report,
                                   struct tn_error        *error)
{
    struct tn_memory   *memory = opened->bundle.memory;
    struct tn_arena     arena;
    struct tn_pb_schema schema;

    if (!opened->format->message || !message.source)
        return TN_OK;
    tn_arena_init(&arena, memory);
    if (tn_pb_schema_load(&schema, &arena,
                          tn_pb_builtin_set(opened->format->schema),
                          error) == TN_OK)
        tn_pb_check(tn_pb_schema_find(&schema, opened->format->message),
                    message, report, error);
    tn_arena_done(&arena);
    return error->status;
}

/* Statuses about the bytes of the file; the others are about the machine. */
static bool is_about_the_file(enum tn_status status)
{
    return status == TN_TRUNCATED || status == TN_MALFORMED ||
           status == TN_UNSUPPORTED || status == TN_NOT_FOUND ||
           status == TN_INVALID || status == TN_LIMIT;
}

static const char *rule_of(enum tn_status status)
{
    switch (status) {
    case TN_TRUNCATED: return "truncated";
    case TN_UNSUPPORTED: return "unsupported";
    case TN_NOT_FOUND: return "not-found";
    case TN_LIMIT: return "limit";
    default: return "malformed";
    }
}

/* A failure that is about the file becomes a finding. */
static enum tn_status absorb(struct tn_report *report, const char *rule,
                             struct tn_error *error)
{
    if (!tn_failed(error) || !is_about_the_file(error->status) ||
        tn_expand_is_refused(error))
        return error->status;
    tn_report_add(report, TN_LEVEL_ERROR, rule ? rule : rule_of(error->status),
                  error);
    *error = (struct tn_error)TN_ERROR_INIT;
    return TN_OK;
}

/* The same for a format that is not a protobuf message. */
static enum tn_status check_bytes(struct tn_opened *opened,
                                  struct tn_report *report,
                                  struct tn_error  *error)
{
    if (!opened->format->check_bytes)
        return TN_OK;
    opened->format->check_bytes(&opened->bundle, report, error);
    return absorb(report, NULL, error);
}

/* "a.pb" beside "a.cpb"; of a folder, any other spelling of its model. */
static const char *find_sibling(struct tn_bundle *bundle,
                                struct tn_error  *error)
{
    const char *dot  = strrchr(bundle->name, '.');
    int         size = dot ? (int)(dot - bundle->name) : 0;
    const char *name = "saved_model.pb";

    if (bundle->main && !bundle->is_folder)
        name = tn_text_format(&bundle->arena, error, "%.*s.pb", size,
                              bundle->name);
    else if (!tn_bundle_has(bundle, name))
        name = "saved_model.pbtxt";
    return name && tn_bundle_has(bundle, name) ? name : NULL;
}

/* Of a folder's saved_model.cpb. */
static enum tn_status check_fingerprint(struct tn_bundle       *bundle,
                                        struct tn_chunked_file *file,
                                        struct tn_report       *report,
                                        struct tn_error        *error)
{
    struct tn_tf_fingerprinted what = { .bundle  = bundle,
                                        .chunked = &file->cpb.meta.message,
                                        .store   = &file->cpb.store };

    if (file->format != &tn_format_tf_saved_model ||
        (!bundle->is_folder && strcmp(bundle->name, "saved_model.cpb") != 0))
        return TN_OK;
    if (file->cpb.is_two)
        what.no_formula = "there is no formula for chunks of version 2";
    return tn_tf_check_fingerprint(&what, report, error);
}

static enum tn_status check_chunks(struct tn_opened *opened,
                                   struct tn_report *report,
                                   struct tn_error  *error)
{
    struct tn_chunked_file *file = tn_chunked_file_of(&opened->bundle);

    if (!file)
        return TN_OK;
    const char *sibling = find_sibling(&opened->bundle, error);
    if (tn_failed(error))
        return error->status;
    TN_TRY(tn_cpb_check(&file->cpb, file->type, sibling, report, error));
    return check_fingerprint(&opened->bundle, file, report, error);
}

/* A file that is shorter is not worth a second thread. */
#define LONG_FILE (UINT64_C(4) << 20)

/* The grammar of a file that is a message as a whole, if it is one. */
struct early_schema {
    const struct tn_opened *opened;
    struct tn_span          whole;
    struct tn_later_check   check;
    bool                    is_begun;
};

static void check_whole(void *context, struct tn_report *report,
                        struct tn_error *error)
{
    const struct early_schema *early = context;

    check_schema(early->opened, early->whole, report, error);
}

/* While the file is opened, which says whether it is. */
static void begin_schema(struct early_schema *early, struct tn_opened *opened,
                         struct tn_span whole, const struct tn_report *report)
{
    early->opened   = opened;
    early->whole    = whole;
    early->is_begun = opened->format->message && whole.length >= LONG_FILE &&
                      whole.source->map;
    opened->is_shared = early->is_begun;
    if (early->is_begun)
        tn_later_check_begin(&early->check, report, &opened->memory,
                             check_whole, early);
}

static enum tn_status end_schema(struct early_schema *early,
                                 struct tn_span wire, struct tn_report *report,
                                 struct tn_error *error)
{
    struct tn_report unheard = { .is_stopped = true };
    bool is_whole = early->is_begun && wire.source == early->whole.source &&
                    wire.offset == 0 && wire.length == early->whole.length;

    if (early->is_begun)
        tn_later_check_end(&early->check, is_whole ? report : &unheard, error);
    return is_whole ? error->status
                    : check_schema(early->opened, wire, report, error);
}

static enum tn_status check_model(struct tn_opened *opened,
                                  struct tn_report *report,
                                  struct tn_error  *error)
{
    struct tn_span      whole = { opened->bundle.main, 0, 0 };
    struct tn_error     first = TN_ERROR_INIT;
    struct early_schema early;

    if (whole.source)
        whole.length = whole.source->size;
    TN_TRY(check_chunks(opened, report, error));
    begin_schema(&early, opened, whole, report);
    tn_opened_read(opened, true, &first);
    struct tn_span wire = opened->model.wire.source ? opened->model.wire
                          : tn_failed(&first)       ? whole
                                                    : (struct tn_span){ 0 };
    TN_TRY(end_schema(&early, wire, report, error));
    TN_TRY(check_bytes(opened, report, error));
    if (tn_failed(&first)) {
        bool is_known = report->counts[TN_LEVEL_ERROR] > 0;
        *error        = first;
        if (is_known && is_about_the_file(first.status))
            *error = (struct tn_error)TN_ERROR_INIT;
        return absorb(report, NULL, error);
    }
    if (opened->format->check)
        TN_TRY(opened->format->check(&opened->bundle, &opened->model, report,
                                     error));
    return TN_OK;
}

static enum tn_status check_chosen(struct tn_opened        *opened,
                                   const struct tn_options *options,
                                   struct tn_report        *report,
                                   struct tn_error         *error)
{
    TN_TRY(tn_opened_choose_tag(opened, options, error));
    return check_model(opened, report, error);
}

/* If a chunked file cannot be joined, everything that is wrong with it is
 * reported; if that is nothing else, why it cannot be joined. */
static enum tn_status check_damaged(struct tn_opened *opened, const char *from,
                                    struct tn_report *report,
                                    struct tn_error  *error)
{
    uint64_t        errors = report->counts[TN_LEVEL_ERROR];
    struct tn_error own    = TN_ERROR_INIT;
    const char     *sibling;

    if (!is_about_the_file(error->status) || tn_expand_is_refused(error) ||
        tn_report_is_short_of_memory(report, error))
        return error->status;
    sibling = find_sibling(&opened->bundle, &own);
    if (!tn_failed(&own) &&
        !tn_chunked_check_damaged(&opened->bundle, from, sibling, report, &own))
        return from ? error->status : absorb(report, "not-a-model", error);
    opened->format = !opened->bundle.main ? &tn_format_tf_saved_model
                     : from               ? tn_format_named(from)
                                          : &tn_format_riegeli;
    if (!tn_failed(&own) && errors == report->counts[TN_LEVEL_ERROR])
        return absorb(report, NULL, error);
    *error = own;
    return error->status;
}

static void summarize(const struct tn_opened  *opened,
                      const struct tn_report  *report,
                      struct tn_check_summary *summary)
{
    *summary = (struct tn_check_summary){
        .errors         = report->counts[TN_LEVEL_ERROR],
        .warnings       = report->counts[TN_LEVEL_WARNING],
        .notes          = report->counts[TN_LEVEL_NOTE],
        .nodes          = opened->model.node_count,
        .tensors        = opened->model.tensors.count,
        .bytes_verified = report->bytes_verified,
    };
    if (!opened->format)
        return;
    snprintf(summary->format, sizeof summary->format, "%s",
             opened->format->name);
    summary->has_records = opened->format->is_of_records;
    summary->can_repair  = opened->format->can_repair;
}

enum tn_status tn_check(const char *path, const struct tn_options *options,
                        const struct tn_check_options *check,
                        tn_on_finding *on_finding, void *context,
                        struct tn_check_summary *summary,
                        struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_CHECK(check);
    struct tn_listener listener = { on_finding, context };
    struct tn_report   report   = { .each    = tn_listener_report,
                                    .context = &listener };
    struct tn_opened  *opened;
    struct tn_asking   asking;

    if (options)
        report.workers = options->workers;
    if (check) {
        report.limit     = check->max_findings;
        report.skip_data = check->skip_data;
    }
    TN_TRY(tn_opened_files(&opened, path, options, error));
    tn_asking_begin(&asking, options, "checking", &opened->memory);
    report.memory    = &opened->memory;
    const char *from = options ? options->from : NULL;
    if (tn_find_format(&opened->bundle, from, &opened->format, error) == TN_OK)
        check_chosen(opened, options, &report, error);
    else
        check_damaged(opened, from, &report, error);
    if (tn_failed(&report.failure))
        *error = report.failure;
    if (summary)
        summarize(opened, &report, summary);
    tn_asking_end(&asking);
    tn_opened_release(opened);
    return error->status;
}
