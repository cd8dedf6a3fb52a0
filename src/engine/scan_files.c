/*
 * scan_files.c - scanning files and folders: their bytes, and models as such
 *
 * src/scan looks at bytes; here are the folders, and what only an opened model
 * tells: operators that reach outside of it, weights in other files, templates.
 */
#include <tenon/graph.h>
#include <tenon/scan.h>
#include <tenon/verbs.h>

#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/sort.h"
#include "engine/opened.h"
#include "format/about.h"
#include "format/registry.h"
#include "io/meter.h"
#include "io/remote_list.h"
#include "io/remote_place.h"
#include "ir/attr.h"
#include "ir/dialect_facts.h"
#include "ir/vocab.h"
#include "scan/scan.h"

#define DEPTH_LIMIT 64 /* of folders */

const char *tn_verdict_name(enum tn_verdict verdict)
{
    static const char *const names[] = { "note", "unknown", "dangerous" };

    return (unsigned)verdict < 3 ? names[verdict] : "";
}

/* ---- models -------------------------------------------------------------- */

/* Operators of TensorFlow that reach outside of the graph. */
static const struct {
    const char     *type;
    enum tn_verdict verdict;
    const char     *does;
} reaching[] = {
    { "WriteFile", TN_VERDICT_DANGEROUS, "writes a file" },
    { "PyFunc", TN_VERDICT_DANGEROUS, "calls Python" },
    { "PyFuncStateless", TN_VERDICT_DANGEROUS, "calls Python" },
    { "EagerPyFunc", TN_VERDICT_DANGEROUS, "calls Python" },
    { "DatasetToTFRecord", TN_VERDICT_DANGEROUS, "writes a file" },
    { "ExperimentalDatasetToTFRecord", TN_VERDICT_DANGEROUS, "writes a file" },
    { "SaveDataset", TN_VERDICT_DANGEROUS, "writes files" },
    { "SaveDatasetV2", TN_VERDICT_DANGEROUS, "writes files" },
    { "SnapshotDataset", TN_VERDICT_UNKNOWN, "writes files" },
    { "SnapshotDatasetV2", TN_VERDICT_UNKNOWN, "writes files" },
    { "CreateSummaryFileWriter", TN_VERDICT_UNKNOWN, "writes files" },
    { "PrintV2", TN_VERDICT_UNKNOWN, "prints, or writes a file" },
    { "RemoteCall", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "RpcCall", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "ReadFile", TN_VERDICT_UNKNOWN, "reads a file" },
    { "FixedLengthRecordReader", TN_VERDICT_UNKNOWN, "reads files" },
    { "FixedLengthRecordReaderV2", TN_VERDICT_UNKNOWN, "reads files" },
    { "LMDBReader", TN_VERDICT_UNKNOWN, "reads files" },
    { "TextLineDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "TFRecordDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "TFRecordDatasetV2", TN_VERDICT_UNKNOWN, "reads files" },
    { "FixedLengthRecordDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "FixedLengthRecordDatasetV2", TN_VERDICT_UNKNOWN, "reads files" },
    { "LoadDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "SqlDataset", TN_VERDICT_UNKNOWN, "opens a database" },
    { "DebugNumericSummary", TN_VERDICT_UNKNOWN,
      "sends values to other machines" },
    { "MatchingFiles", TN_VERDICT_UNKNOWN, "lists files" },
    { "WholeFileReader", TN_VERDICT_UNKNOWN, "reads files" },
    { "WholeFileReaderV2", TN_VERDICT_UNKNOWN, "reads files" },
    { "TextLineReader", TN_VERDICT_UNKNOWN, "reads files" },
    { "TextLineReaderV2", TN_VERDICT_UNKNOWN, "reads files" },
    { "TFRecordReader", TN_VERDICT_UNKNOWN, "reads files" },
    { "TFRecordReaderV2", TN_VERDICT_UNKNOWN, "reads files" },
    { "DebugIdentity", TN_VERDICT_UNKNOWN, "sends values to other machines" },
    { "DebugIdentityV2", TN_VERDICT_UNKNOWN, "writes values to files" },
    { "DatasetFromGraph", TN_VERDICT_UNKNOWN,
      "runs a graph that is in a text" },
    { "ImmutableConst", TN_VERDICT_UNKNOWN, "maps a file" },
    { "DecodeProtoV2", TN_VERDICT_UNKNOWN, "may read a file" },
    { "EncodeProto", TN_VERDICT_UNKNOWN, "may read a file" },
    { "WorkerHeartbeat", TN_VERDICT_UNKNOWN, "can end the process" },
    /* ONNX Runtime's. */
    { "EPContext", TN_VERDICT_UNKNOWN,
      "runs what was compiled, from the file or beside it" },
    { "CSVDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "CSVDatasetV2", TN_VERDICT_UNKNOWN, "reads files" },
    { "ExperimentalCSVDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "LMDBDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "ExperimentalLMDBDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "SnapshotChunkDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "SnapshotDatasetReader", TN_VERDICT_UNKNOWN, "reads files" },
    { "SnapshotNestedDatasetReader", TN_VERDICT_UNKNOWN, "reads files" },
    { "ListSnapshotChunksDataset", TN_VERDICT_UNKNOWN, "reads files" },
    { "ExperimentalSqlDataset", TN_VERDICT_UNKNOWN, "opens a database" },
    { "CreateSummaryDbWriter", TN_VERDICT_UNKNOWN, "opens a database" },
    { "MatchingFilesDataset", TN_VERDICT_UNKNOWN, "lists files" },
    { "ExperimentalMatchingFilesDataset", TN_VERDICT_UNKNOWN, "lists files" },
    { "CacheDataset", TN_VERDICT_UNKNOWN, "may write files" },
    { "CacheDatasetV2", TN_VERDICT_UNKNOWN, "may write files" },
    { "InitializeTableFromTextFile", TN_VERDICT_UNKNOWN, "reads a file" },
    { "InitializeTableFromTextFileV2", TN_VERDICT_UNKNOWN, "reads a file" },
    { "GenerateVocabRemapping", TN_VERDICT_UNKNOWN, "reads files" },
    { "LoadAndRemapMatrix", TN_VERDICT_UNKNOWN, "reads files" },
    { "DistributedSave", TN_VERDICT_UNKNOWN, "writes files on other machines" },
    { "DataServiceDataset", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "DataServiceDatasetV2", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "DataServiceDatasetV3", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "DataServiceDatasetV4", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "RegisterDataset", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "RegisterDatasetV2", TN_VERDICT_UNKNOWN, "calls another machine" },
    { "DebugIdentityV3", TN_VERDICT_UNKNOWN, "sends values to other machines" },
    { "DebugNanCount", TN_VERDICT_UNKNOWN, "sends values to other machines" },
    { "FileSystemSetConfiguration", TN_VERDICT_UNKNOWN,
      "changes how files are reached" },
    { "InitializeTRTResource", TN_VERDICT_UNKNOWN, "reads a file" },
    { "SerializeTRTResource", TN_VERDICT_UNKNOWN, "writes a file" },
    /* Of every model that is saved with its state. */
    { "Save", TN_VERDICT_NOTE, "writes a checkpoint" },
    { "SaveSlices", TN_VERDICT_NOTE, "writes a checkpoint" },
    { "SaveV2", TN_VERDICT_NOTE, "writes a checkpoint" },
    { "MergeV2Checkpoints", TN_VERDICT_NOTE, "writes a checkpoint" },
    { "Restore", TN_VERDICT_NOTE, "reads a checkpoint" },
    { "RestoreSlice", TN_VERDICT_NOTE, "reads a checkpoint" },
    { "RestoreV2", TN_VERDICT_NOTE, "reads a checkpoint" },
    { "DTensorRestoreV2", TN_VERDICT_NOTE, "reads a checkpoint" },
};

/* Domains of operators that engines have themselves. */
static const char *const domains[] = { "", "ai.onnx", "ai.onnx.ml",
                                       "ai.onnx.training",
                                       "ai.onnx.preview.training",
                                       "com.microsoft" };

static bool is_function(const struct tn_model   *model,
                        const struct tn_op_kind *kind)
{
    for (uint32_t i = 0; i < tn_model_graph_count(model); i++) {
        struct tn_graph_info graph = tn_model_graph(model, i);
        if (graph.kind == TN_GRAPH_FUNCTION &&
            tn_bytes_equal(graph.name, kind->type) &&
            tn_bytes_equal(graph.domain, kind->domain))
            return true;
    }
    return false;
}

static bool is_own_domain(struct tn_bytes domain)
{
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++)
        if (tn_bytes_is(domain, domains[i]))
            return true;
    return false;
}

static void scan_kind(struct tn_scan *scan, const struct tn_model *model,
                      const struct tn_vocab   *vocab,
                      const struct tn_op_kind *kind)
{
    struct tn_bytes type = kind->type;
    const char     *more = kind->count == 1 ? "" : "s";

    /* TFLite runs operators of TensorFlow under such names. */
    if (tn_bytes_is(kind->domain, "custom") && tn_bytes_starts_with(type, "Flex"))
        type = tn_bytes(type.data + 4, type.size - 4);
    for (size_t i = 0; i < sizeof reaching / sizeof reaching[0]; i++)
        if (tn_bytes_is(type, reaching[i].type))
            tn_scan_tell(scan, reaching[i].verdict, "reaching-operator",
                         TN_NOWHERE, "%s %s (%" PRIu64 " node%s)",
                         reaching[i].type, reaching[i].does, kind->count, more);
    if (is_function(model, kind))
        return;
    if (!is_own_domain(kind->domain))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "custom-operator", TN_NOWHERE,
                     "%.*s of the domain %.*s: a library that is not in the "
                     "file runs it (%" PRIu64 " node%s)",
                     TN_FMT(kind->type), TN_FMT(kind->domain), kind->count,
                     more);
    else if (vocab && tn_vocab_domain(vocab, kind->domain) &&
             tn_vocab_first_version(vocab, kind->domain, kind->type) < 0)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "custom-operator", TN_NOWHERE,
                     "%.*s is not an operator of %s: a library that is not in "
                     "the file runs it (%" PRIu64 " node%s)",
                     TN_FMT(kind->type), model->dialect->name, kind->count,
                     more);
}

static void scan_operators(struct tn_scan *scan, const struct tn_model *model)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_arena arena;
    struct tn_vocab vocab;

    if (!model->dialect)
        return;
    tn_arena_init(&arena, scan->memory);
    /* Of dialects whose inputs are ops these are in no vocabulary. */
    bool is_known =
        !tn_dialect_facts(model->dialect->name)->has_inputs_as_ops &&
        tn_vocab_open(&vocab, &arena, model->dialect->name, &own) == TN_OK;
    for (uint32_t i = 0; i < tn_model_op_kind_count(model); i++)
        scan_kind(scan, model, is_known ? &vocab : NULL,
                  tn_model_op_kind(model, i));
    if (tn_machine_failed(&own))
        *scan->error = own;
    tn_arena_done(&arena);
}

static int on_finding(void *context, const struct tn_finding *finding)
{
    struct tn_scan *scan = context;

    if (strncmp(finding->rule, "unsafe-", strlen("unsafe-")) == 0 ||
        strcmp(finding->rule, "asset-outside") == 0)
        tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "external-path",
                     finding->offset, "%s: %s", finding->where, finding->what);
    return scan->is_stopped;
}

static bool has_assets(const struct tn_model *model)
{
    for (uint64_t i = 0; i < model->facts.count; i++) {
        struct tn_bytes key =
            tn_list_at(&model->facts, struct tn_fact, i)->key;
        if (tn_bytes_is(key, "asset") || tn_bytes_is(key, "external_file"))
            return true;
    }
    return false;
}

/* Weights and assets in other files; their names must stay in the folder. */
static void scan_outside(struct tn_scan *scan, const struct tn_model *model,
                         const char *path, const struct tn_options *options)
{
    struct tn_check_options check    = TN_CHECK_OPTIONS_INIT;
    struct tn_error         own      = TN_ERROR_INIT;
    uint64_t                external = 0;

    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        external += tn_model_tensor(model, i)->is_external;
    if (external == 0 && !has_assets(model))
        return;
    /* Files of PyTorch are pickles. */
    if (external && tn_is_of_format(model, &tn_format_pytorch) && !scan->is_in_folder)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "external-data", TN_NOWHERE,
                     "%" PRIu64 " tensors are in other pickles, which are not "
                     "looked into: scan the folder",
                     external);
    else if (external)
        tn_scan_tell(scan, TN_VERDICT_NOTE, "external-data", TN_NOWHERE,
                     "the elements of %" PRIu64 " tensors are in other files",
                     external);
    check.skip_data = true;
    tn_check(path, options, &check, on_finding, scan, NULL, &own);
    if (tn_machine_failed(&own))
        *scan->error = own;
}

/* Templates are programs of a small language, which other programs run. */
static void scan_templates(struct tn_scan *scan, const struct tn_model *model)
{
    static const char key[] = "tokenizer.chat_template";
    const struct tn_format *format = tn_opened_of(model)->format;
    struct tn_error         own    = TN_ERROR_INIT;
    struct tn_arena         arena;
    struct tn_about         about;
    uint64_t                named = 0, read = 0;

    for (uint64_t i = 0; i < model->facts.count; i++)
        named += tn_bytes_starts_with(
            tn_list_at(&model->facts, struct tn_fact, i)->key, key);
    if (named == 0 || !format->describe)
        return;
    tn_arena_init(&arena, scan->memory);
    tn_about_init(&about, &arena, &own);
    format->describe(model, &about);
    for (uint64_t i = 0; i < about.items.count && !tn_failed(&own); i++) {
        const struct tn_fact *fact =
            tn_list_at(&about.items, struct tn_fact, i);
        if (!tn_bytes_starts_with(fact->key, key))
            continue;
        read++;
        tn_scan_template(scan, fact->value);
    }
    if (read < named)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "chat-template", TN_NOWHERE,
                     "a chat template that is very long or not UTF-8: not "
                     "looked into");
    tn_about_done(&about);
    tn_arena_done(&arena);
    tn_scan_absorb(scan, &own);
}

/* The file as a model; NULL: of no known format. */
static const struct tn_format *kind_of(struct tn_scan *scan, const char *path,
                                       const struct tn_options *options)
{
    struct tn_bundle_options how    = { options->keep_unmapped };
    struct tn_error          own    = TN_ERROR_INIT;
    const struct tn_format  *format = NULL;
    struct tn_bundle         bundle;

    if (tn_bundle_open(&bundle, scan->memory, path, &how, &own) != TN_OK)
        return NULL;
    tn_find_kind(&bundle, false, &format, &own);
    tn_bundle_close(&bundle);
    return format;
}

/* Pickles that hold tensors alone, in an archive or not: their bytes were
 * looked at, and as models they have nothing that could reach outside. */
static bool is_pickled(struct tn_scan *scan, struct tn_source *source,
                       const char *path, const struct tn_options *options)
{
    struct tn_error own = TN_ERROR_INIT;
    uint8_t         head;

    if (source->size == 0 ||
        tn_source_read(source, 0, &head, 1, &own) != TN_OK ||
        (head != 0x80 && head != 'P'))
        return false;
    const struct tn_format *format = kind_of(scan, path, options);
    return format == &tn_format_pytorch || format == &tn_format_paddle_state;
}

/* Whether the model must be opened.  Others hold only tensors, whose bytes were
 * scanned. */
static bool has_more(struct tn_scan *scan, const char *path,
                     const struct tn_options *options)
{
    static const struct tn_format *const plain[] = {
        &tn_format_npz, &tn_format_npy, &tn_format_safetensors,
        &tn_format_pytorch, &tn_format_paddle_state
    };
    const struct tn_format *format = kind_of(scan, path, options);

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (format == plain[i])
            return false;
    return format != NULL;
}

static void scan_model(struct tn_scan *scan, const char *path,
                       const struct tn_options *options)
{
    struct tn_options       how   = options ? *options
                                            : (struct tn_options)TN_OPTIONS_INIT;
    struct tn_error         own   = TN_ERROR_INIT;
    struct tn_model        *model;

    how.wants_graph = true;
    if (tn_model_open(&model, path, &how, &own) != TN_OK) {
        /* A name in the model that leads out of its folder. */
        bool leaves = own.status == TN_INVALID &&
                      (own.reason == TN_REASON_SYMBOLIC_LINK ||
                       (own.reason == TN_REASON_NONE && own.where[0]));
        if (leaves)
            tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "external-path",
                         own.offset, "%s", own.what);
        else if ((own.status != TN_NOT_FOUND ||
                  own.reason == TN_REASON_MISSING_SHARD ||
                  own.reason == TN_REASON_MISSING_FILE) &&
                 own.status != TN_INVALID &&
                 (own.status != TN_UNSUPPORTED || has_more(scan, path, &how)))
            tn_scan_absorb(scan, &own);
        return;
    }
    scan_operators(scan, model);
    scan_outside(scan, model, path, &how);
    scan_templates(scan, model);
    tn_model_close(model);
}

/* ---- files and folders --------------------------------------------------- */

struct tour {
    const struct tn_options *options; /* the caller's, but for the question   */
    tn_progress             *progress; /* the caller's                        */
    void                    *progress_context;
    bool                     is_told_to_stop;
    struct tn_memory        *memory;
    struct tn_arena         *arena; /* paths                                  */
    struct tn_error         *error;
    struct tn_scan           scan;
};

/* A file that cannot be read is a finding and does not end the scan.  So the
 * answer of a caller who said stop to one of the steps is kept: the caller is
 * not asked again, and the tour ends. */
static int ask_once(void *context, const char *doing, uint64_t done,
                    uint64_t total)
{
    struct tour *t = context;

    if (!t->is_told_to_stop)
        t->is_told_to_stop =
            t->progress(t->progress_context, doing, done, total) != 0;
    return t->is_told_to_stop;
}

static bool goes_on(const struct tour *t)
{
    return !tn_failed(t->error) && !t->scan.is_stopped && !t->is_told_to_stop;
}

static void end_file(struct tour *t)
{
    t->scan.totals->files++;
    if (t->scan.worst >= 0)
        t->scan.totals->flagged[t->scan.worst]++;
}

static void begin_file(struct tour *t, const char *path)
{
    t->scan.file     = path;
    t->scan.worst    = -1;
    t->scan.unpacked = 0;
    tn_buffer_clear(&t->scan.member);
}

static void scan_source(struct tour *t, const char *path,
                        struct tn_source *source, const char *name)
{
    begin_file(t, path);
    tn_scan_bytes(&t->scan, source, tn_text(name));
    if (!is_pickled(&t->scan, source, path, t->options))
        scan_model(&t->scan, path, t->options);
    end_file(t);
}

static char *join(struct tour *t, const char *folder, const char *name)
{
    size_t      size = strlen(folder);
    const char *slash =
        size == 0 || folder[size - 1] == '/' ? "" : "/";

    return tn_text_format(t->arena, t->error, "%s%s%s", folder, slash, name);
}

static void scan_unreadable(struct tour *t, const char *path,
                            const struct tn_error *own)
{
    begin_file(t, path);
    if (own->status == TN_NO_MEMORY || own->status == TN_CANCELLED)
        *t->error = *own;
    else
        tn_scan_tell(&t->scan, TN_VERDICT_UNKNOWN, "unreadable", TN_NOWHERE,
                     "%s", own->what);
    end_file(t);
}

/* The rest of the scan goes on. */
static void scan_unlisted(struct tour *t, const char *path, const char *below,
                          const struct tn_error *failure)
{
    char *full = join(t, path, below);

    if (full)
        scan_unreadable(t, full, failure);
}

static void scan_folder(struct tour *t, struct tn_bundle *bundle,
                        const char *path, const char *below, unsigned depth)
{
    const char *const *names;
    uint64_t           count;
    struct tn_error    failure = TN_ERROR_INIT;

    if (depth > DEPTH_LIMIT)
        tn_error_set(&failure, TN_LIMIT, TN_NOWHERE,
                     "a folder below %d others is not looked into",
                     DEPTH_LIMIT);
    else
        tn_bundle_list(bundle, below, &names, &count, &failure);
    if (tn_failed(&failure) && depth == 0)
        *t->error = failure;
    else if (tn_failed(&failure))
        scan_unlisted(t, path, below, &failure);
    if (tn_failed(&failure))
        return;
    for (uint64_t i = 0; i < count && goes_on(t); i++) {
        char             *inner = join(t, below, names[i]);
        char             *full  = inner ? join(t, path, inner) : NULL;
        struct tn_error   own   = TN_ERROR_INIT;
        struct tn_source *source;
        if (!full)
            return;
        if (tn_text_ends_with(names[i], "/"))
            scan_folder(t, bundle, path, inner, depth + 1);
        else if (tn_bundle_sibling(bundle, tn_text(inner), &source, &own) ==
                 TN_OK)
            scan_source(t, full, source, names[i]);
        else
            scan_unreadable(t, full, &own);
    }
}

/* ---- folders on servers -------------------------------------------------- */

struct listing {
    struct tour   *tour;
    const char    *folder;
    struct tn_list urls; /* const char *                                     */
};

static enum tn_status on_listed(void *context, const struct tn_listed *listed,
                                struct tn_error *error)
{
    struct listing *l    = context;
    const char    **slot = tn_list_push(&l->urls, const char *, error);

    if (slot)
        *slot = tn_url_beside(l->tour->arena, l->folder, listed->name, error);
    return error->status;
}

static int by_url(const void *a, const void *b, void *context)
{
    (void)context;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One file at a time: its bytes are released before the next. */
static void scan_url(struct tour *t, const char *url)
{
    struct tn_bundle_options how = { t->options->keep_unmapped };
    struct tn_error          own = TN_ERROR_INIT;
    struct tn_bundle         bundle;

    if (tn_bundle_open(&bundle, t->memory, url, &how, &own) != TN_OK) {
        scan_unreadable(t, url, &own);
        return;
    }
    scan_source(t, url, bundle.main, bundle.name);
    tn_bundle_close(&bundle);
}

/* All files of it, not only those that a model would be opened by. */
static void scan_on_server(struct tour *t, struct tn_bundle *bundle,
                           const char *path)
{
    struct listing l = { .tour = t, .folder = path };

    tn_list_init(&l.urls, t->memory, sizeof(const char *));
    tn_remote_list(bundle->remote, path, true, on_listed, &l, t->error);
    tn_sort_items(l.urls.items, l.urls.count, sizeof(const char *), by_url,
                  NULL);
    if (!tn_failed(t->error) && !l.urls.count)
        tn_error_because(t->error, TN_NOT_FOUND, TN_REASON_MISSING_FILE,
                         TN_NOWHERE,
                         "no file is listed in this folder; name the files");
    for (uint64_t i = 0; i < l.urls.count && goes_on(t); i++)
        scan_url(t, *tn_list_at(&l.urls, const char *, i));
    tn_list_done(&l.urls);
}

static enum tn_status scan_path(struct tour *t, const char *path)
{
    struct tn_bundle_options how = { t->options->keep_unmapped };
    struct tn_bundle         bundle;

    TN_TRY(tn_bundle_open(&bundle, t->memory, path, &how, t->error));
    t->scan.is_in_folder = !bundle.main;
    if (bundle.main)
        scan_source(t, path, bundle.main, bundle.name);
    else if (bundle.is_remote)
        scan_on_server(t, &bundle,
                       tn_place_whole(&bundle.arena, path, t->error));
    else
        scan_folder(t, &bundle, path, "", 0);
    tn_bundle_close(&bundle);
    return t->error->status;
}

enum tn_status tn_scan(const char *path, const struct tn_options *options,
                       tn_on_scan_finding *each, void *context,
                       struct tn_scan_totals *totals, struct tn_error *error)
{
    struct tn_scan_totals own = { 0 };
    struct tn_memory      memory;
    struct tn_arena       arena;
    struct tn_options     how = { 0 };
    struct tn_asking      asking;

    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    if (options)
        how = *options;
    tn_memory_take_options(&memory, options);
    tn_arena_init(&arena, &memory);
    struct tour t = { .options          = &how,
                      .progress         = how.progress,
                      .progress_context = how.progress_context,
                      .memory  = &memory,
                      .arena   = &arena,
                      .error   = error,
                      .scan    = { .memory  = &memory,
                                   .error   = error,
                                   .each    = each,
                                   .context = context,
                                   .totals  = &own } };
    tn_buffer_init(&t.scan.member, &memory, error);
    how.progress_context = &t;
    how.progress         = how.progress ? ask_once : NULL;
    tn_asking_begin(&asking, &how, "scanning", &memory);
    scan_path(&t, path);
    tn_asking_end(&asking);
    if (t.is_told_to_stop && !tn_failed(error))
        tn_error_set(error, TN_CANCELLED, TN_NOWHERE, "stopped while scanning");
    tn_buffer_done(&t.scan.member);
    tn_arena_done(&arena);
    if (totals)
        *totals = own;
    return error->status;
}
