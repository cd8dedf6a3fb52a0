/* check.c - tenon check: everything that is wrong with a file, and where */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "json.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct check_opts {
    struct cli_common common;
    bool              skip_data, is_repair, wants_all;
    uint64_t          max_findings;
};

#define FIELD(f) offsetof(struct check_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG,  0,   "skip-data",    FIELD(skip_data),    NULL, "check only the structure; do not read weights" },
    { CLI_COUNT, 'm', "max-findings", FIELD(max_findings), "N",  "stop after N findings" },
    { CLI_FLAG,  'a', "all",          FIELD(wants_all),    NULL, "list every finding, on a terminal too" },
    { CLI_FLAG,  0,   "repair",       FIELD(is_repair),    NULL, "first repair a container that was cut short" },
    { 0 },
};
/* clang-format on */

/* What one rule finds in one file. */
struct rule_group {
    enum tn_severity severity;
    char             rule[48];
    uint64_t         count;
    struct cli_text  places[3], texts[3]; /* of the first few                 */
    char             thing[32]; /* "node", if all are; else empty             */
};

/* On a terminal, findings are kept until all are known. */
struct rule_groups {
    struct rule_group *items;
    size_t             count, room;
};

struct run {
    struct cli_session session;
    struct cli_json   *json; /* or NULL: for people */
    const char        *path;
    bool               has_heading;
    bool               is_torn;   /* --repair could help                      */
    bool               is_listed; /* every finding, when it is found          */
    bool               is_paged;
    struct rule_groups groups;
};

static const char *severity_name(enum tn_severity severity)
{
    switch (severity) {
    case TN_SEVERITY_NOTE: return "note";
    case TN_SEVERITY_WARNING: return "warning";
    case TN_SEVERITY_ERROR: return "error";
    }
    return "error";
}

static enum cli_colour severity_colour(enum tn_severity severity)
{
    switch (severity) {
    case TN_SEVERITY_NOTE: return CLI_DIM;
    case TN_SEVERITY_WARNING: return CLI_YELLOW;
    case TN_SEVERITY_ERROR: return CLI_RED;
    }
    return CLI_RED;
}

/* ---- for people --------------------------------------------------------- */

/* "graph.node[3] (weights.bin, byte 0x1f): " with what there is of it. */
static void show_place(struct cli_text *text, const struct tn_finding *finding)
{
    bool has_offset = finding->offset != TN_NOWHERE;
    bool has_file   = finding->file[0] != '\0';

    cli_text_message(text, finding->where);
    if (has_file || has_offset)
        cli_text_add(text, finding->where[0] != '\0' ? " (" : "(");
    cli_text_safe(text, cli_bytes(finding->file));
    if (has_offset)
        cli_text_addf(text, "%sbyte 0x%" PRIx64, has_file ? ", " : "",
                      finding->offset);
    if (has_file || has_offset)
        cli_text_add(text, ")");
    if (text->size > 0)
        cli_text_add(text, ": ");
}

/* "  warning  " is before every finding. */
enum { INDENT = 11 };

static void begin_line(struct run *run, enum tn_severity severity)
{
    struct cli_text text = { 0 };

    if (!run->has_heading) {
        cli_print_name(stdout, CLI_BOLD, cli_bytes(cli_path_name(run->path)));
        putchar('\n');
    }
    run->has_heading = true;
    cli_text_addf(&text, "  %-7s  ", severity_name(severity));
    cli_print(stdout, severity_colour(severity), &text);
    cli_text_done(&text);
}

static void print_finding(struct run *run, const struct tn_finding *finding)
{
    struct cli_text text = { 0 };

    begin_line(run, finding->severity);
    show_place(&text, finding);
    cli_text_message(&text, finding->what);
    if (cli_is_fitted(stdout)) {
        cli_text_addf(&text, " [%s]", finding->rule);
        cli_print_wrapped(stdout, CLI_PLAIN, INDENT, INDENT, &text);
    } else {
        cli_print(stdout, CLI_PLAIN, &text);
        cli_text_clear(&text);
        cli_text_addf(&text, " [%s]", finding->rule);
        cli_print(stdout, CLI_DIM, &text);
        putchar('\n');
    }
    cli_text_done(&text);
}

/* ---- on a terminal: findings of one rule together ------------------------ */

static struct rule_group *group_of(struct rule_groups      *groups,
                                   const struct tn_finding *finding)
{
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].severity == finding->severity &&
            strncmp(groups->items[i].rule, finding->rule,
                    sizeof(groups->items[i].rule) - 1) == 0)
            return &groups->items[i];
    if (groups->count == groups->room) {
        size_t             room  = 2 * groups->room + 8;
        struct rule_group *items = cli_allocate(room, sizeof(*items));
        if (groups->count > 0)
            memcpy(items, groups->items, groups->count * sizeof(*items));
        free(groups->items);
        groups->items = items;
        groups->room  = room;
    }
    struct rule_group *group = &groups->items[groups->count++];
    group->severity          = finding->severity;
    snprintf(group->rule, sizeof(group->rule), "%s", finding->rule);
    return group;
}

/* The "node" of "graph.node[72]". */
static void show_thing(char *to, size_t size, const char *where)
{
    const char *end = strrchr(where, '[');
    const char *at  = end;

    to[0] = '\0';
    while (at != NULL && at > where && at[-1] >= 'a' && at[-1] <= 'z')
        at--;
    if (at != NULL && at < end && end[strcspn(end, "].")] == ']' &&
        end[strcspn(end, "]") + 1] == '\0')
        snprintf(to, size, "%.*s", (int)(end - at), at);
}

static void keep_finding(struct run *run, const struct tn_finding *finding)
{
    struct rule_group *group = group_of(&run->groups, finding);
    char               thing[sizeof(group->thing)];

    show_thing(thing, sizeof(thing), finding->where);
    if (group->count == 0)
        memcpy(group->thing, thing, sizeof(thing));
    else if (strcmp(group->thing, thing) != 0)
        group->thing[0] = '\0';
    if (group->count < sizeof(group->texts) / sizeof(group->texts[0])) {
        struct cli_text *place = &group->places[group->count];
        show_place(place, finding);
        cli_text_message(&group->texts[group->count], finding->what);
    }
    group->count++;
}

/* not-topological: 189 nodes, first graph.node[72]: uses ... */
static void print_many(struct run *run, const struct rule_group *group)
{
    struct cli_text text = { 0 };

    begin_line(run, group->severity);
    cli_text_addf(&text, "%s: ", group->rule);
    cli_text_number(&text, group->count);
    cli_text_addf(&text, " %ss, first ",
                  group->thing[0] != '\0' ? group->thing : "finding");
    cli_text_put(&text, group->places[0].data, group->places[0].size);
    cli_text_put(&text, group->texts[0].data, group->texts[0].size);
    cli_text_add(&text, "; --all lists them");
    cli_print_wrapped(stdout, CLI_PLAIN, INDENT, INDENT, &text);
    cli_text_done(&text);
}

static void print_few(struct run *run, const struct rule_group *group)
{
    struct cli_text text = { 0 };

    for (size_t i = 0; i < group->count; i++) {
        begin_line(run, group->severity);
        cli_text_clear(&text);
        cli_text_put(&text, group->places[i].data, group->places[i].size);
        cli_text_put(&text, group->texts[i].data, group->texts[i].size);
        cli_text_addf(&text, " [%s]", group->rule);
        cli_print_wrapped(stdout, CLI_PLAIN, INDENT, INDENT, &text);
    }
    cli_text_done(&text);
}

static void print_group(struct run *run, struct rule_group *group)
{
    enum { FEW = sizeof(group->texts) / sizeof(group->texts[0]) };

    if (group->count > FEW)
        print_many(run, group);
    else
        print_few(run, group);
    for (size_t i = 0; i < FEW; i++) {
        cli_text_done(&group->places[i]);
        cli_text_done(&group->texts[i]);
    }
}

/* Errors first; rules in the order of their first finding. */
static void print_groups(struct run *run)
{
    static const enum tn_severity order[] = { TN_SEVERITY_ERROR,
                                              TN_SEVERITY_WARNING,
                                              TN_SEVERITY_NOTE };

    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
        for (size_t i = 0; i < run->groups.count; i++)
            if (run->groups.items[i].severity == order[k])
                print_group(run, &run->groups.items[i]);
    free(run->groups.items);
    run->groups = (struct rule_groups){ 0 };
}

static void show_counts(struct cli_text               *text,
                        const struct tn_check_summary *summary)
{
    const char *separator = "";

    if (summary->errors > 0) {
        cli_show_plural(text, summary->errors, "error", "errors");
        separator = ", ";
    }
    if (summary->warnings > 0) {
        cli_text_add(text, separator);
        cli_show_plural(text, summary->warnings, "warning", "warnings");
        separator = ", ";
    }
    if (summary->errors + summary->warnings == 0) {
        cli_text_add(text, "ok");
        separator = ", ";
    }
    if (summary->notes > 0) {
        cli_text_add(text, separator);
        cli_show_plural(text, summary->notes, "note", "notes");
    }
}

static void show_checked(struct cli_text               *text,
                         const struct tn_check_summary *summary)
{
    /* Their content is unknown. */
    bool has_records = summary->has_records;

    if (summary->format[0] == '\0') {
        cli_text_add(text, "not a model");
        return;
    }
    cli_text_addf(text, "%s, ", summary->format);
    if (summary->nodes > 0) {
        cli_show_plural(text, summary->nodes, "node", "nodes");
        cli_text_add(text, ", ");
    }
    cli_show_plural(text, summary->tensors, has_records ? "record" : "tensor",
                    has_records ? "records" : "tensors");
    if (summary->bytes_verified > 0) {
        cli_text_add(text, ", ");
        cli_text_bytes(text, summary->bytes_verified);
        cli_text_add(text, " verified by checksum");
    }
}

static bool is_clean(const struct tn_check_summary *summary)
{
    return summary->errors == 0 && summary->warnings == 0;
}

static void print_summary(const struct run              *run,
                          const struct tn_check_summary *summary)
{
    struct cli_text name = { 0 }, text = { 0 };

    cli_text_safe(&name, cli_bytes(cli_path_name(run->path)));
    show_counts(&text, summary);
    size_t counts = cli_text_width(&text) + strlen(": ;");
    if (cli_is_fitted(stdout) && cli_columns(stdout) > counts + 8)
        cli_text_shorten(&name, cli_columns(stdout) - counts);
    cli_print(stdout, CLI_BOLD, &name);
    fputs(": ", stdout);
    cli_print(stdout,
              summary->errors > 0 ? CLI_RED
              : is_clean(summary) ? CLI_GREEN
                                  : CLI_YELLOW,
              &text);
    cli_text_clear(&text);
    cli_text_add(&text, "; ");
    show_checked(&text, summary);
    cli_print_wrapped(stdout, CLI_PLAIN,
                      (unsigned)(cli_text_width(&name) + counts - 1), 2, &text);
    cli_text_done(&name);
    cli_text_done(&text);
}

/* ---- for programs ------------------------------------------------------- */

static void put_finding(struct cli_json *json, const struct tn_finding *finding)
{
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "severity", severity_name(finding->severity));
    cli_json_put_string(json, "rule", finding->rule);
    cli_json_put_string(json, "file", finding->file);
    cli_json_put_offset(json, "offset", finding->offset);
    cli_json_put_string(json, "where", finding->where);
    cli_json_put_string(json, "what", finding->what);
    cli_json_close(json, '}');
}

static void put_summary(struct cli_json               *json,
                        const struct tn_check_summary *summary)
{
    cli_json_put_bool(json, "ok", is_clean(summary));
    cli_json_put_number(json, "errors", summary->errors);
    cli_json_put_number(json, "warnings", summary->warnings);
    cli_json_put_number(json, "notes", summary->notes);
    cli_json_put_string(json, "format", summary->format);
    cli_json_put_number(json, "nodes", summary->nodes);
    cli_json_put_number(json, "tensors", summary->tensors);
    cli_json_put_number(json, "bytes_verified", summary->bytes_verified);
}

/* ---- the verb ----------------------------------------------------------- */

static int on_finding(void *context, const struct tn_finding *finding)
{
    struct run *run = context;

    cli_session_clear(&run->session);
    if (run->is_listed && run->is_paged)
        cli_pager_begin();
    run->is_torn |= finding->reason == TN_REASON_CUT_SHORT;
    if (run->json != NULL)
        put_finding(run->json, finding);
    else if (run->session.common->is_quiet)
        return 0;
    else if (run->is_listed)
        print_finding(run, finding);
    else
        keep_finding(run, finding);
    return 0;
}

static int report(struct run *run, enum tn_status status,
                  const struct tn_check_summary *summary,
                  const struct tn_error         *error)
{
    if (status != TN_OK) {
        if (run->json != NULL)
            cli_json_error(run->json, error);
        return cli_fail(run->session.common, run->path, error);
    }
    if (run->json != NULL)
        put_summary(run->json, summary);
    else if (!run->session.common->is_quiet)
        print_summary(run, summary);
    if (run->is_torn && summary->can_repair && run->json == NULL &&
        !run->session.common->is_quiet) {
        fflush(stdout);
        cli_hint("--repair repairs a container that was cut short");
    }
    return is_clean(summary) ? 0 : CLI_NO;
}

static int check_one(struct run *run, const struct check_opts *opts,
                     const char *path)
{
    struct tn_check_options check   = { .skip_data    = opts->skip_data,
                                        .max_findings = opts->max_findings };
    struct tn_check_summary summary = { 0 };
    struct tn_error         error   = TN_ERROR_INIT;

    run->path        = path;
    run->has_heading = false;
    run->is_torn     = false;
    if (run->json != NULL) {
        cli_json_open(run->json, '{');
        cli_json_put_string(run->json, "path", cli_path_shown(path));
        cli_json_key(run->json, "findings");
        cli_json_open(run->json, '[');
    }
    cli_session_tag(&run->session, path);
    enum tn_status status = tn_check(path, &run->session.options, &check,
                                     on_finding, run, &summary, &error);
    cli_session_clear(&run->session);
    if (run->is_paged)
        cli_pager_begin();
    print_groups(run);
    if (run->json != NULL)
        cli_json_close(run->json, ']');
    int code = report(run, status, &summary, &error);
    if (run->json != NULL)
        cli_json_close(run->json, '}');
    return code;
}

/* Reports what was repaired; what could not be saved is reported like a
 * finding. */
static int repair(struct run *run, const char *path)
{
    struct tn_error error      = TN_ERROR_INIT;
    struct cli_text text       = { 0 };
    bool            is_changed = false;

    run->path             = path;
    run->has_heading      = false;
    enum tn_status status = tn_tag_repair(path, &run->session.options,
                                          run->json == NULL ? on_finding : NULL,
                                          run, &is_changed, &error);
    print_groups(run);
    if (status != TN_OK)
        return cli_fail(run->session.common, path, &error);
    if (!is_changed || run->session.common->is_quiet)
        return 0;
    cli_text_safe(&text, cli_bytes(path));
    cli_text_add(&text, ": mended\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
    return 0;
}

/* A file that cannot be read decides the exit code before one that has
 * errors. */
static int check_all(struct run *run, const struct check_opts *opts,
                     const struct cli_args *args)
{
    int code = 0;

    for (int i = 0; i < args->count; i++) {
        int this_code = opts->is_repair ? repair(run, args->items[i]) : 0;
        if (this_code == 0)
            this_code = check_one(run, opts, args->items[i]);
        if (code == 0 || code == CLI_NO)
            code = this_code != 0 ? this_code : code;
    }
    return code;
}

static int run_check(const void *opts, const struct cli_args *args)
{
    const struct check_opts *o   = opts;
    struct run               run = { 0 };
    struct cli_json          json;

    cli_session_begin(&run.session, opts);
    run.is_listed = o->wants_all || !cli_is_terminal(stdout);
    /* A pager shows nothing until it has a screenful.  The verdicts on several
     * files are short, and users want to see each as soon as it is known. */
    run.is_paged = args->count == 1 || o->wants_all || o->common.is_json;
    if (!o->common.is_json)
        return check_all(&run, o, args);
    run.json = &json;
    cli_json_begin(&json, "tenon.check/1");
    cli_json_key(&json, "files");
    cli_json_open(&json, '[');
    int code = check_all(&run, o, args);
    cli_json_close(&json, ']');
    cli_json_end(&json);
    return code;
}

const struct cli_verb cli_check = {
    .name      = "check",
    .arguments = "FILE...",
    .summary   = "find every problem in a file, with its byte and place",
    .details   = "Exits with 0 if there is neither an error nor a warning, and "
                 "with 1 otherwise.\nWith --quiet the exit code is the only "
                 "answer.\n\nOn a terminal errors come first, and more than "
                 "three findings of one rule become\none line.",
    .examples  = "tenon check tiny.onnx\n"
                 "tenon check --quiet tiny.onnx && echo good",
    .least     = 1,
    .most      = CLI_MANY,
    .groups    = CLI_READS | CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct check_opts),
    .options   = options,
    .run       = run_check,
};
