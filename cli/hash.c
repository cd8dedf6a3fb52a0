/*
 * hash.c - tenon hash: the identity of each tensor, whatever file it is in
 *
 * A manifest has a line per tensor, with two spaces between its columns:
 *
 *   SHA-256 in hex  dtype  shape  name
 *
 * Empty lines and lines that begin with # are skipped.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "glob.h"
#include "json.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct hash_opts {
    struct cli_common common;
    const char       *manifest;
    bool              is_decoded;
};

#define FIELD(f) offsetof(struct hash_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FILE, 'c', "check", FIELD(manifest), "MANIFEST", "compare with the lines of an earlier run" },
    { CLI_FLAG, 0, "decoded", FIELD(is_decoded), NULL, "hash quantised blocks as float32" },
    { 0 },
};
/* clang-format on */

enum { HEX_SIZE = 2 * TN_HASH_SIZE };

struct entry {
    const struct tn_tensor *tensor;
    char                    hex[HEX_SIZE + 1];
    char                   *label; /* as printed; only when checking          */
    bool                    is_taken;
};

struct entries {
    struct entry *items;
    uint64_t      count;
    bool          is_decoded;
};

/* The type that is part of the hash. */
static const char *type_of(const struct entries *entries,
                           const struct entry   *entry)
{
    return entries->is_decoded ? tn_dtype_name(tn_tensor_dtype(entry->tensor))
                               : cli_type_name(entry->tensor);
}

static void write_hex(char *to, const uint8_t digest[TN_HASH_SIZE])
{
    for (size_t i = 0; i < TN_HASH_SIZE; i++)
        snprintf(to + 2 * i, 3, "%02x", digest[i]);
}

/* ---- hashing ------------------------------------------------------------ */

static enum tn_status hash_all(const struct tn_model   *model,
                               const struct tn_options *options_,
                               struct entries *entries, struct tn_error *error)
{
    uint8_t(*digests)[TN_HASH_SIZE] =
        cli_allocate((size_t)entries->count, TN_HASH_SIZE);
    enum tn_status status =
        entries->is_decoded
            ? tn_model_hash_decoded(model, options_, digests, error)
            : tn_model_hash(model, options_, digests, error);

    for (uint64_t i = 0; status == TN_OK && i < entries->count; i++)
        write_hex(entries->items[i].hex, digests[i]);
    free(digests);
    return status;
}

static enum tn_status hash_each(struct entries *entries, struct tn_error *error)
{
    for (uint64_t i = 0; i < entries->count; i++) {
        uint8_t        digest[TN_HASH_SIZE];
        enum tn_status status =
            entries->is_decoded
                ? tn_tensor_hash_decoded(entries->items[i].tensor, digest,
                                         error)
                : tn_tensor_hash(entries->items[i].tensor, digest, error);

        if (status != TN_OK)
            return status;
        write_hex(entries->items[i].hex, digest);
    }
    return TN_OK;
}

static void select_entries(struct entries        *entries,
                           const struct tn_model *model,
                           const struct cli_args *args)
{
    uint64_t        count = tn_model_tensor_count(model);
    struct cli_text label = { 0 };

    entries->items = cli_allocate((size_t)count, sizeof(struct entry));
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);

        cli_text_clear(&label);
        cli_show_raw_label(&label, tensor);
        if (cli_glob_any(args->items + 1, args->count - 1,
                         cli_text_view(&label)))
            entries->items[entries->count++].tensor = tensor;
    }
    cli_text_done(&label);
}

/* ---- printing ----------------------------------------------------------- */

static void print_lines(const struct entries *entries)
{
    struct cli_text line = { 0 };

    for (uint64_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->items[i];

        cli_text_clear(&line);
        cli_text_addf(&line, "%s  %s  ", entry->hex, type_of(entries, entry));
        cli_show_shape(&line, entry->tensor);
        cli_text_add(&line, "  ");
        cli_show_label(&line, entry->tensor);
        cli_text_add(&line, "\n");
        cli_print(stdout, CLI_PLAIN, &line);
    }
    cli_text_done(&line);
}

/* For people: as much of a line as the terminal is wide. */
static void fill_entry(void *context, uint64_t row, struct cli_text *cells)
{
    const struct entries *entries = context;
    const struct entry   *entry   = &entries->items[row];

    cli_text_add(&cells[0], entry->hex);
    cli_text_add(&cells[1], tn_dtype_name(tn_tensor_dtype(entry->tensor)));
    cli_show_shape(&cells[2], entry->tensor);
    cli_show_label(&cells[3], entry->tensor);
}

static void print_table(struct entries *entries)
{
    static const struct cli_column columns[] = {
        { .title = NULL },
        { .colour = CLI_CYAN, .is_extra = true, .is_whole = true },
        { .is_extra = true },
        { .title = NULL },
    };
    struct cli_table table = {
        .column_count = sizeof(columns) / sizeof(columns[0]),
        .columns      = columns,
        .row_count    = entries->count,
        .on_row       = fill_entry,
        .context      = entries,
    };

    cli_print_table(stdout, &table);
}

static void print_json(const struct entries *entries, const char *path)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.hash/1");
    cli_json_put_string(&json, "path", cli_path_shown(path));
    cli_json_key(&json, "tensors");
    cli_json_open(&json, '[');
    for (uint64_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->items[i];

        cli_json_open_flat(&json, '{');
        cli_json_put_bytes(&json, "name", tn_tensor_name(entry->tensor));
        cli_json_put_string(&json, "dtype", type_of(entries, entry));
        cli_json_shape(&json, entry->tensor);
        cli_json_put_string(&json, "sha256", entry->hex);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_end(&json);
}

/* ---- checking ----------------------------------------------------------- */

static int compare_entries(const void *left, const void *right)
{
    const struct entry *l = left, *r = right;
    int                 order = strcmp(l->label, r->label);

    return order != 0 ? order : strcmp(l->hex, r->hex);
}

/* Sorted by label, then digest.  A name may stand for several tensors, one in
 * each subgraph: any of them that is not taken yet may satisfy a line. */
static void index_entries(struct entries *entries)
{
    struct cli_text text = { 0 };

    for (uint64_t i = 0; i < entries->count; i++) {
        cli_text_clear(&text);
        cli_show_label(&text, entries->items[i].tensor);
        entries->items[i].label = cli_allocate(text.size + 1, 1);
        memcpy(entries->items[i].label, text.data, text.size);
    }
    qsort(entries->items, (size_t)entries->count, sizeof(struct entry),
          compare_entries);
    cli_text_done(&text);
}

/* The first entry that is not before this label and digest. */
static uint64_t lower_bound(const struct entries *entries, const char *label,
                            const char *hex)
{
    uint64_t low = 0, high = entries->count;

    while (low < high) {
        uint64_t            middle = low + (high - low) / 2;
        const struct entry *entry  = &entries->items[middle];
        int                 order  = strcmp(entry->label, label);

        if (order < 0 || (order == 0 && strcmp(entry->hex, hex) < 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum verdict { VERDICT_OK, VERDICT_FAILED, VERDICT_MISSING };

static enum verdict judge(struct entries *entries, const char *label,
                          const char *hex)
{
    uint64_t at = lower_bound(entries, label, hex);

    for (; at < entries->count; at++) {
        struct entry *entry = &entries->items[at];
        if (strcmp(entry->label, label) != 0 || strcmp(entry->hex, hex) != 0)
            break;
        if (!entry->is_taken) {
            entry->is_taken = true;
            return VERDICT_OK;
        }
    }
    at = lower_bound(entries, label, "");
    return at < entries->count && strcmp(entries->items[at].label, label) == 0
               ? VERDICT_FAILED
               : VERDICT_MISSING;
}

struct checking {
    const struct cli_session *session;
    const struct cli_common  *common;
    struct entries           *entries;
    const struct cli_args    *args; /* the patterns choose lines, too       */
    struct cli_json          *json; /* or NULL */
    uint64_t                  counts[3];
    uint64_t                  line_number;
    bool                      has_lines; /* that were not only a comment     */
};

/* Names in a manifest are escaped already: backslashes stay single, and what is
 * not escaped but could harm a terminal is escaped now. */
static void print_label(const char *label)
{
    struct cli_text safe = { 0 };
    size_t          used = 0;

    cli_text_safe(&safe, cli_bytes(label));
    for (size_t i = 0; i < safe.size; i++) {
        safe.data[used++] = safe.data[i];
        if (safe.data[i] == '\\' && i + 1 < safe.size &&
            safe.data[i + 1] == '\\')
            i++;
    }
    safe.size = used;
    cli_print(stdout, CLI_PLAIN, &safe);
    cli_text_done(&safe);
}

static void report_line(struct checking *checking, const char *label,
                        enum verdict verdict)
{
    static const char *const     words[]   = { "OK", "FAILED", "MISSING" };
    static const enum cli_colour colours[] = { CLI_GREEN, CLI_RED, CLI_RED };

    checking->counts[verdict]++;
    if (checking->json != NULL) {
        cli_json_open_flat(checking->json, '{');
        cli_json_put_string(checking->json, "name", label);
        cli_json_put_string(checking->json, "verdict", words[verdict]);
        cli_json_close(checking->json, '}');
        return;
    }
    if (verdict == VERDICT_OK && checking->common->is_quiet)
        return;
    print_label(label);
    fputs(": ", stdout);
    cli_paint(stdout, colours[verdict], words[verdict]);
    putchar('\n');
}

static bool is_digest(const char *line)
{
    return strspn(line, "0123456789abcdef") == HEX_SIZE &&
           strncmp(line + HEX_SIZE, "  ", 2) == 0;
}

/* The column after the next two spaces, or NULL. */
static char *next_column(char *line)
{
    char *gap = strstr(line, "  ");

    return gap != NULL ? gap + 2 : NULL;
}

/* False: not a line of a manifest. */
static bool check_line(struct checking *checking, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#')
        return true;
    if (!is_digest(line))
        return false;
    char *dtype = line + HEX_SIZE + 2;
    char *shape = next_column(dtype);
    char *label = shape != NULL ? next_column(shape) : NULL;
    if (label == NULL)
        return false;
    line[HEX_SIZE]      = '\0';
    checking->has_lines = true;
    if (cli_glob_any(checking->args->items + 1, checking->args->count - 1,
                     cli_bytes(label)))
        report_line(checking, label, judge(checking->entries, label, line));
    return true;
}

static int check_manifest(struct checking *checking, const char *path)
{
    struct cli_text text    = { 0 };
    bool            is_good = true;
    int             code    = cli_session_read(checking->session, path, &text);

    for (char *line = text.data, *end = line + text.size, *next;
         code == 0 && is_good && line < end; line = next) {
        next = line + strcspn(line, "\n") + 1;
        checking->line_number++;
        is_good = check_line(checking, line);
    }
    cli_text_done(&text);
    if (code != 0 || (is_good && checking->has_lines))
        return code;
    struct tn_error error = TN_ERROR_INIT;
    error.status          = TN_MALFORMED;
    if (is_good) /* an empty manifest proves nothing */
        snprintf(error.what, sizeof(error.what),
                 "there is no line in it that 'tenon hash' prints");
    else
        snprintf(error.what, sizeof(error.what),
                 "line %" PRIu64 " is not one that 'tenon hash' prints",
                 checking->line_number);
    return cli_print_error(path, &error);
}

static uint64_t count_free(const struct entries *entries)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < entries->count; i++)
        count += entries->items[i].is_taken ? 0 : 1;
    return count;
}

static void print_count(uint64_t count, const char *one, const char *many)
{
    struct cli_text text = { 0 };

    if (count == 0)
        return;
    cli_text_add(&text, "tenon: ");
    cli_show_plural(&text, count, one, many);
    cli_text_add(&text, "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void print_verdict(const struct checking *checking)
{
    uint64_t failed = checking->counts[VERDICT_FAILED];
    uint64_t spare  = count_free(checking->entries);

    fflush(stdout);
    print_count(failed, "tensor differs", "tensors differ");
    print_count(checking->counts[VERDICT_MISSING], "tensor is missing",
                "tensors are missing");
    if (spare > failed && !checking->common->is_quiet)
        print_count(spare - failed, "tensor is not in the manifest",
                    "tensors are not in the manifest");
}

static bool is_nothing(const struct checking *checking)
{
    return checking->counts[VERDICT_OK] == 0 &&
           checking->counts[VERDICT_FAILED] == 0 &&
           checking->counts[VERDICT_MISSING] == 0;
}

static int compare(const struct cli_session *session,
                   const struct hash_opts *opts, struct entries *entries,
                   const struct cli_args *args)
{
    struct cli_json json;
    struct checking checking = { .session = session,
                                 .common  = &opts->common,
                                 .entries = entries,
                                 .args    = args,
                                 .json = opts->common.is_json ? &json : NULL };

    index_entries(entries);
    if (checking.json != NULL) {
        cli_json_begin(&json, "tenon.hash-check/1");
        cli_json_put_string(&json, "path", cli_path_shown(args->items[0]));
        cli_json_key(&json, "tensors");
        cli_json_open(&json, '[');
    }
    int code = check_manifest(&checking, opts->manifest);
    if (checking.json != NULL) {
        cli_json_close(&json, ']');
        cli_json_put_number(&json, "ok", checking.counts[VERDICT_OK]);
        cli_json_put_number(&json, "failed", checking.counts[VERDICT_FAILED]);
        cli_json_put_number(&json, "missing", checking.counts[VERDICT_MISSING]);
        cli_json_end(&json);
    } else if (code == 0) {
        print_verdict(&checking);
    }
    if (code == 0 && is_nothing(&checking))
        return cli_say_no_match(&opts->common, "tensor", args);
    bool is_same = checking.counts[VERDICT_FAILED] == 0 &&
                   checking.counts[VERDICT_MISSING] == 0;
    return code != 0 ? code : is_same ? 0 : CLI_NO;
}

/* ---- the verb ----------------------------------------------------------- */

static int report(const struct cli_session *session,
                  const struct hash_opts *opts, struct entries *entries,
                  const struct cli_args *args)
{
    if (opts->manifest != NULL)
        return compare(session, opts, entries, args);
    cli_pager_begin();
    if (opts->common.is_json)
        print_json(entries, args->items[0]);
    else if (cli_is_fitted(stdout))
        print_table(entries);
    else
        print_lines(entries);
    if (entries->count > 0 || args->count == 1)
        return 0;
    return cli_say_no_match(&opts->common, "tensor", args);
}

static int hash_model(struct cli_session *session, const struct tn_model *model,
                      const struct cli_args *args)
{
    const struct hash_opts *opts = (const struct hash_opts *)session->common;
    struct entries          entries = { .is_decoded = opts->is_decoded };
    struct tn_error         error   = TN_ERROR_INIT;

    select_entries(&entries, model, args);
    enum tn_status status =
        entries.count == tn_model_tensor_count(model)
            ? hash_all(model, &session->options, &entries, &error)
            : hash_each(&entries, &error);
    cli_session_clear(session);
    int code = status == TN_OK
                   ? report(session, opts, &entries, args)
                   : cli_fail(session->common, args->items[0], &error);
    for (uint64_t i = 0; i < entries.count; i++)
        free(entries.items[i].label);
    free(entries.items);
    return code;
}

static int run_hash(const void *opts, const struct cli_args *args)
{
    struct cli_session session;
    struct tn_model   *model = NULL;

    cli_session_begin(&session, opts);
    int code = cli_session_open(&session, args->items[0], &model);
    if (code == 0)
        code = hash_model(&session, model, args);
    tn_model_close(model);
    return code;
}

const struct cli_verb cli_hash = {
    .name      = "hash",
    .arguments = "FILE [PATTERN...]",
    .summary   = "print a digest of each tensor, the same in every format",
    .details   = "Prints SHA-256 over type, shape and elements, then type, "
                 "shape and name.  Equal\ntensors have equal digests in every "
                 "format.",
    .examples  = "tenon hash tiny.onnx > tiny.manifest\n"
                 "tenon hash moved.onnx -c tiny.manifest",
    .least     = 1,
    .most      = CLI_MANY,
    .groups    = CLI_READS | CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct hash_opts),
    .options   = options,
    .run       = run_hash,
};
