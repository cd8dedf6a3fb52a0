/* catalog.c - tenon catalog: a row per file and per tensor of many models */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "json.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct catalog_opts {
    struct cli_common common;
    unsigned          form;
    bool              wants_hashes, wants_statistics, wants_scan, only_names;
    uint64_t          jobs;
    const char       *list;
};

#define FIELD(f) offsetof(struct catalog_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG,   'H', "hash",       FIELD(wants_hashes),     NULL, "the SHA-256 of every tensor" },
    { CLI_FLAG,   'S', "statistics", FIELD(wants_statistics), NULL, "range, mean, zeros and NaNs of every tensor" },
    { CLI_FLAG,   0,   "scan",       FIELD(wants_scan),       NULL, "scan every file for what could run code" },
    { CLI_FLAG,   0,   "names",      FIELD(only_names),       NULL, "only paths, sizes and ETags: open no file" },
    { CLI_NUMBER, 'j', "jobs",       FIELD(jobs),             "N",  "files at a time, at most 8; one per core if not given" },
    { CLI_FILE,   'T', "files-from", FIELD(list),             "FILE", "also the paths and URLs in FILE, one per line; - is standard input" },
    { CLI_CHOICE, 0,   "to",         FIELD(form),             "sqlite|ndjson|arrow|arrow-stream", "the form of OUT, if its name does not tell it" },
    { 0 },
};
/* clang-format on */

struct run {
    struct cli_session       session;
    const struct catalog_opts *opts;
    struct tn_catalog_totals totals;
    struct timespec          since;
};

/* ---- paths ---------------------------------------------------------------- */

struct paths {
    char          **items; /* of the command line, then those of `list`   */
    size_t          count, room;
    struct cli_text list;
};

static void add_path(struct paths *paths, char *path)
{
    if (paths->count == paths->room) {
        size_t room  = paths->room ? paths->room * 2 : 64;
        char **items = cli_allocate(room, sizeof *items);
        if (paths->count)
            memcpy(items, paths->items, paths->count * sizeof *items);
        free(paths->items);
        paths->items = items;
        paths->room  = room;
    }
    paths->items[paths->count++] = path;
}

/* Empty lines are skipped. */
static int read_list(const struct run *run, struct paths *paths,
                     const char *name)
{
    int   code = cli_session_read(&run->session, name, &paths->list);
    char *line = paths->list.data, *end = line + paths->list.size;

    for (; code == 0 && line < end; line += strlen(line) + 1) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            add_path(paths, line);
    }
    return code;
}

static void free_paths(struct paths *paths)
{
    cli_text_done(&paths->list);
    free(paths->items);
}

/* ---- what is printed ------------------------------------------------------- */

/* --verbose: a line per file. */
static void on_file(void *context, const struct tn_catalog_file *file)
{
    struct run     *run  = context;
    struct cli_text text = { 0 };

    cli_session_clear(&run->session);
    cli_text_safe(&text, cli_bytes(file->path));
    cli_text_addf(&text, ": %s%s", file->status,
                  file->is_kept ? ", as it was" : "");
    if (file->error[0] != '\0') {
        cli_text_add(&text, ": ");
        cli_text_safe(&text, cli_bytes(file->error));
    }
    cli_text_add(&text, "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static double seconds_since(struct timespec since)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - since.tv_sec) +
           (double)(now.tv_nsec - since.tv_nsec) / 1e9;
}

static void add_count(struct cli_text *text, uint64_t count, const char *what)
{
    if (count == 0)
        return;
    cli_text_add(text, ", ");
    cli_text_number(text, count);
    cli_text_addf(text, " %s", what);
}

static void print_totals(const struct run *run)
{
    const struct tn_catalog_totals *t       = &run->totals;
    const struct cli_common        *common  = &run->opts->common;
    double                          seconds = seconds_since(run->since);
    struct cli_text                 text    = { 0 };

    cli_text_safe(&text, cli_bytes(common->out == NULL ||
                                           strcmp(common->out, "-") == 0
                                       ? "standard output"
                                       : common->out));
    cli_text_add(&text, ": ");
    cli_show_plural(&text, t->files, "file", "files");
    add_count(&text, t->models, "of them models");
    add_count(&text, t->broken, "with errors");
    add_count(&text, t->kept, "as they were");
    add_count(&text, t->removed, "gone");
    cli_text_add(&text, "; ");
    cli_show_plural(&text, t->tensors, "tensor", "tensors");
    cli_text_add(&text, ", ");
    cli_text_bytes(&text, t->bytes);
    if (t->files > 0)
        cli_text_addf(&text, "; %.2f s, %.3f ms a file", seconds,
                      seconds * 1e3 / (double)t->files);
    cli_text_add(&text,
                 common->is_dry_run ? " (nothing done: --dry-run)\n" : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_totals(const struct run *run)
{
    const struct tn_catalog_totals *t = &run->totals;
    struct cli_json                 json;

    cli_json_begin(&json, "tenon.catalog/1");
    cli_json_put_string(&json, "out", run->opts->common.out);
    cli_json_put_number(&json, "files", t->files);
    cli_json_put_number(&json, "models", t->models);
    cli_json_put_number(&json, "broken", t->broken);
    cli_json_put_number(&json, "kept", t->kept);
    cli_json_put_number(&json, "removed", t->removed);
    cli_json_put_number(&json, "missing", t->missing);
    cli_json_put_number(&json, "tensors", t->tensors);
    cli_json_put_number(&json, "bytes", t->bytes);
    cli_json_put_bool(&json, "is_dry_run", run->opts->common.is_dry_run);
    cli_json_end(&json);
}

/* ---- the verb -------------------------------------------------------------- */

static int check_usage(const struct catalog_opts *o,
                       const struct cli_args     *args)
{
    bool is_stream = o->common.out == NULL || strcmp(o->common.out, "-") == 0;

    if (args->count == 0 && o->list == NULL)
        return cli_usage("catalog", "no path given");
    if (is_stream && o->common.is_json)
        return cli_usage("catalog",
                         "--json and -o - cannot be used together");
    if (is_stream && o->form == TN_CATALOG_SQLITE)
        return cli_usage("catalog", "a SQLite database is a file: use -o FILE");
    if (is_stream &&
        (o->form == TN_CATALOG_ARROW || o->form == TN_CATALOG_ARROW_STREAM))
        return cli_refuse_terminal("catalog", o->common.out);
    return 0;
}

static int finish(struct run *run)
{
    const struct tn_catalog_totals *t = &run->totals;

    if (run->opts->common.is_json)
        put_totals(run);
    else if (!run->opts->common.is_quiet)
        print_totals(run);
    if (t->missing == 0)
        return 0;
    cli_say("%" PRIu64 " of the paths %s not exist; the catalog has %s with "
            "status 'not found'",
            t->missing, t->missing == 1 ? "does" : "do",
            t->missing == 1 ? "it" : "them");
    return tn_status_exit_code(TN_NOT_FOUND);
}

static int make(struct run *run, const struct paths *paths)
{
    const struct catalog_opts *o       = run->opts;
    struct tn_catalog_options  catalog = {
         .size             = sizeof(catalog),
         .form             = (enum tn_catalog_form)o->form,
         .wants_hashes     = o->wants_hashes,
         .wants_statistics = o->wants_statistics,
         .wants_scan       = o->wants_scan,
         .only_names       = o->only_names,
         .jobs             = o->jobs < 1024 ? (unsigned)o->jobs : 1024,
         .on_file          = o->common.is_verbose ? on_file : NULL,
         .context          = run,
    };
    struct tn_error  error = TN_ERROR_INIT;
    const char      *out   = o->common.out != NULL ? o->common.out : "-";
    struct tn_target target = cli_target(&o->common, out);

    tn_catalog((const char *const *)paths->items, paths->count, &catalog,
               &target, &run->session.options, &run->totals, &error);
    cli_session_clear(&run->session);
    if (error.status == TN_OK)
        return finish(run);
    const char *about = error.file[0] != '\0' ? error.file : out;
    return cli_fail(&o->common, about, &error);
}

static int run_catalog(const void *opts, const struct cli_args *args)
{
    struct run   run   = { .opts = opts };
    struct paths paths = { 0 };

    int code = check_usage(opts, args);
    if (code != 0)
        return code;
    clock_gettime(CLOCK_MONOTONIC, &run.since);
    for (int i = 0; i < args->count; i++)
        add_path(&paths, args->items[i]);
    cli_session_begin_writing(&run.session, opts);
    cli_session_prints(&run.session, run.opts->common.out != NULL
                                         ? run.opts->common.out
                                         : "-");
    if (run.opts->list != NULL)
        code = read_list(&run, &paths, run.opts->list);
    if (code == 0)
        code = make(&run, &paths);
    free_paths(&paths);
    return code;
}

const struct cli_verb cli_catalog = {
    .name      = "catalog",
    .arguments = "PATH-OR-URL...",
    .summary   = "make a table of many models: one row per file and per tensor",
    .details   = "PATH-OR-URL is a file, a folder with all folders below it, a "
                 "URL or a bucket.\nOUT is a SQLite database, lines of JSON "
                 "(.ndjson) or Arrow (.arrow, .arrows);\nstandard output gets "
                 "lines.  Another run reads only what changed, and continues\n"
                 "one that was interrupted.  The row of a file that cannot be "
                 "read has its error.",
    .examples  = "tenon catalog --hash models -o models.sqlite\n"
                 "tenon catalog models -o models.ndjson",
    .least     = 0,
    .most      = CLI_MANY,
    .groups    = CLI_READS | CLI_REPORTS | CLI_WRITES,
    .opts_size = sizeof(struct catalog_opts),
    .options   = options,
    .run       = run_catalog,
};
