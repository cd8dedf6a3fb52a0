/* tag.c - tenon tag: the versions in a tagged container */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert.h"
#include "diff.h"
#include "failure.h"
#include "json.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "tag_name.h"
#include "verb_table.h"

struct tag_opts {
    struct cli_common common;
    const char       *to;
    bool              can_wait;
};

#define FIELD(f) offsetof(struct tag_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FORMAT, 't', "to",   FIELD(to),       "FORMAT", "export: the format of OUT" },
    { CLI_FLAG,   'w', "wait", FIELD(can_wait), NULL,     "wait for another writer instead of failing" },
    { 0 },
};
/* clang-format on */

struct run {
    struct cli_session     session;
    const struct tag_opts *opts;
    const char            *path; /* the container */
    struct tn_options      look; /* options for it, not for a model */
};

/* ---- ls and log --------------------------------------------------------- */

struct row {
    char              *name;
    char              *updater;
    struct tn_tag_info info;
};

struct rows {
    struct row *items;
    uint64_t    count, room;
};

static char *copy_text(struct tn_bytes bytes)
{
    char *text = cli_allocate(bytes.size + 1, 1);

    if (bytes.size > 0)
        memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    return text;
}

static int keep_row(void *context, const struct tn_tag_info *info)
{
    struct rows *rows = context;

    if (rows->count == rows->room) {
        uint64_t    room  = rows->room ? rows->room * 2 : 64;
        struct row *items = cli_allocate((size_t)room, sizeof *items);
        if (rows->count > 0)
            memcpy(items, rows->items, (size_t)rows->count * sizeof *items);
        free(rows->items);
        rows->items = items;
        rows->room  = room;
    }
    struct row *row = &rows->items[rows->count++];
    row->info       = *info;
    row->name       = copy_text(info->name);
    row->updater    = copy_text(info->updater);
    return 0;
}

static const char *state_of(const struct tn_tag_info *info)
{
    return !info->is_listed ? "unlisted" : info->is_newest ? "newest" : "";
}

static void fill_ls(void *context, uint64_t index, struct cli_text *cells)
{
    const struct row *row = &((const struct rows *)context)->items[index];

    cli_text_safe(&cells[0], cli_bytes(row->name));
    cli_text_number(&cells[1], row->info.parameters);
    cli_text_add(&cells[2], state_of(&row->info));
}

static void fill_log(void *context, uint64_t index, struct cli_text *cells)
{
    const struct row *row = &((const struct rows *)context)->items[index];

    cli_text_safe(&cells[0], cli_bytes(row->name));
    cli_text_number(&cells[1], row->info.parameters);
    cli_text_number(&cells[2], row->info.states);
    cli_text_number(&cells[3], row->info.shared);
    cli_text_bytes(&cells[4], row->info.bytes);
    cli_text_safe(&cells[5], cli_bytes(row->updater[0] ? row->updater : "-"));
    cli_text_add(&cells[6], state_of(&row->info));
}

static void print_rows(struct rows *rows, bool is_log)
{
    static const struct cli_column ls_columns[] = {
        { .title = "tag", .colour = CLI_BOLD },
        { .title = "parameters", .is_right = true },
        { .title = "", .colour = CLI_DIM },
    };
    static const struct cli_column log_columns[] = {
        { .title = "tag", .colour = CLI_BOLD },
        { .title = "parameters", .is_right = true },
        { .title = "states", .is_right = true, .is_extra = true },
        { .title = "shared", .is_right = true, .is_extra = true },
        { .title = "stored", .is_right = true },
        { .title = "updater" },
        { .title = "", .colour = CLI_DIM },
    };
    struct cli_table table = {
        .column_count = is_log ? 7 : 3,
        .columns      = is_log ? log_columns : ls_columns,
        .row_count    = rows->count,
        .on_row       = is_log ? fill_log : fill_ls,
        .context      = rows,
    };

    cli_pager_begin();
    cli_print_table(stdout, &table);
}

static void put_rows(const struct run *run, const struct rows *rows,
                     bool is_log)
{
    struct cli_json json;

    cli_json_begin(&json, is_log ? "tenon.tag.log/1" : "tenon.tag.ls/1");
    cli_json_put_string(&json, "path", run->path);
    cli_json_key(&json, "tags");
    cli_json_open(&json, '[');
    for (uint64_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        cli_json_open_flat(&json, '{');
        cli_json_put_string(&json, "tag", row->name);
        cli_json_put_bool(&json, "is_newest", row->info.is_newest);
        cli_json_put_bool(&json, "is_listed", row->info.is_listed);
        cli_json_put_number(&json, "parameters", row->info.parameters);
        if (is_log) {
            cli_json_put_number(&json, "states", row->info.states);
            cli_json_put_number(&json, "shared", row->info.shared);
            cli_json_put_number(&json, "stored", row->info.bytes);
            cli_json_put_string(&json, "updater", row->updater);
        }
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_end(&json);
}

static int list_tags(struct run *run, bool is_log)
{
    struct tn_error error = TN_ERROR_INIT;
    struct rows     rows  = { 0 };
    int             code  = 0;

    if (tn_tag_list(run->path, &run->look, is_log, keep_row, &rows, &error) !=
        TN_OK)
        code = cli_fail(run->session.common, run->path, &error);
    else if (run->opts->common.is_json)
        put_rows(run, &rows, is_log);
    else
        print_rows(&rows, is_log);
    for (uint64_t i = 0; i < rows.count; i++) {
        free(rows.items[i].name);
        free(rows.items[i].updater);
    }
    free(rows.items);
    return code;
}

static int run_ls(struct run *run, char **words)
{
    (void)words;
    return list_tags(run, false);
}

static int run_log(struct run *run, char **words)
{
    (void)words;
    return list_tags(run, true);
}

/* ---- diff --------------------------------------------------------------- */

static int diff_models(struct run *run, char **words,
                       const struct tn_model *left,
                       const struct tn_model *right)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_diff      *diff  = NULL;
    struct cli_diff_look look  = {
         .is_json = run->opts->common.is_json,
         .names   = { words[0], words[1] },
    };
    enum tn_status status =
        tn_diff_open(&diff, left, right, NULL, &run->session.options, &error);

    cli_session_clear(&run->session);
    if (status != TN_OK)
        return cli_fail(run->session.common, run->path, &error);
    int code = cli_print_diff(&look, diff, left, right);
    tn_diff_close(diff);
    return code;
}

static int run_diff(struct run *run, char **words)
{
    struct tn_model *models[2] = { NULL, NULL };
    int              code      = 0;

    run->session.options.wants_graph = true;
    for (int i = 0; i < 2 && code == 0; i++) {
        run->session.options.tag = words[i];
        code = cli_session_open(&run->session, run->path, &models[i]);
    }
    if (code == 0)
        code = diff_models(run, words, models[0], models[1]);
    tn_model_close(models[0]);
    tn_model_close(models[1]);
    return code;
}

/* ---- add, rm, compact --------------------------------------------------- */

static void put_receipt(const struct run *run, const char *action,
                        const char *tag, const struct tn_tag_summary *summary)
{
    struct cli_json json;
    char            schema[32];

    snprintf(schema, sizeof schema, "tenon.tag.%s/1", action);
    cli_json_begin(&json, schema);
    cli_json_put_string(&json, "path", run->path);
    if (tag != NULL)
        cli_json_put_string(&json, "tag", tag);
    cli_json_put_number(&json, "arrays", summary->arrays);
    cli_json_put_number(&json, "shared", summary->shared);
    cli_json_put_number(&json, "copied", summary->copied);
    cli_json_put_number(&json, "new_bytes", summary->new_bytes);
    cli_json_put_number(&json, "size_before", summary->size_before);
    cli_json_put_number(&json, "size_after", summary->size_after);
    cli_json_put_bool(&json, "is_dry_run", run->opts->common.is_dry_run);
    cli_json_end(&json);
}

static void show_receipt(struct cli_text *text, const char *action,
                         const struct tn_tag_summary *summary)
{
    if (strcmp(action, "add") == 0) {
        cli_show_plural(text, summary->arrays, "array", "arrays");
        cli_text_addf(text, ", %" PRIu64 " shared, ", summary->shared);
        cli_text_bytes(text, summary->new_bytes);
        cli_text_add(text, " new");
    } else if (strcmp(action, "rm") == 0) {
        cli_show_plural(text, summary->copied, "array", "arrays");
        cli_text_add(text, " moved to tags that share");
    } else {
        cli_text_bytes(text, summary->size_before);
        cli_text_add(text, " before");
    }
    cli_text_add(text, ", the file has ");
    cli_text_bytes(text, summary->size_after);
}

static int report(struct run *run, const char *action, const char *tag,
                  enum tn_status status, const struct tn_tag_summary *summary,
                  const struct tn_error *error)
{
    struct cli_text text = { 0 };

    cli_session_clear(&run->session);
    if (status != TN_OK)
        return cli_fail(run->session.common, run->path, error);
    if (run->opts->common.is_json)
        put_receipt(run, action, tag, summary);
    if (run->opts->common.is_json || run->opts->common.is_quiet)
        return 0;
    cli_text_safe(&text, cli_bytes(run->path));
    cli_text_add(&text, ": ");
    if (tag != NULL) {
        cli_text_safe(&text, cli_bytes(tag));
        cli_text_add(&text, ": ");
    }
    show_receipt(&text, action, summary);
    cli_text_add(&text, run->opts->common.is_dry_run
                            ? " (nothing done: --dry-run)\n"
                            : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
    if (strcmp(action, "rm") == 0 && !run->opts->common.is_dry_run)
        cli_hint_command("tag compact", run->path, "gives the room back");
    return 0;
}

static void tell_loss(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    const struct run *run = context;

    (void)offset;
    if (!run->opts->common.is_quiet)
        cli_say("%s: %s", where, what);
}

static struct tn_tag_options tag_options(struct run *run)
{
    return (struct tn_tag_options){
        .can_replace  = run->opts->common.is_forced,
        .is_dry_run   = run->opts->common.is_dry_run,
        .can_wait     = run->opts->can_wait,
        .loss         = tell_loss,
        .loss_context = run,
    };
}

static int add_as(struct run *run, const char *tag, const char *path)
{
    struct tn_tag_options how     = tag_options(run);
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_tag_summary summary = { 0 };
    struct tn_model      *model   = NULL;

    int code = cli_session_open(&run->session, path, &model);
    if (code == 0)
        code = report(run, "add", tag,
                      tn_tag_add(run->path, tag, model, &how,
                                 &run->session.options, &summary, &error),
                      &summary, &error);
    tn_model_close(model);
    return code;
}

/* ---- all versions of another -------------------------------------------- */

struct merge {
    char      **tags;
    uint32_t    count;
    const char *clash; /* the first of them that is there already */
};

/* Compares a tag of the file with those that are to be added. */
static int find_clash(void *context, const struct tn_tag_info *info)
{
    struct merge *merge = context;
    char         *there = copy_text(info->name);

    for (uint32_t i = 0; i < merge->count && !merge->clash; i++)
        if (tn_tag_is_same(merge->tags[i], there))
            merge->clash = merge->tags[i];
    free(there);
    return merge->clash != NULL;
}

static void gather_tags(struct merge *merge, const struct tn_model *model)
{
    merge->count = tn_model_tag_count(model);
    merge->tags  = cli_allocate(merge->count + 1u, sizeof *merge->tags);
    for (uint32_t i = 0; i < merge->count; i++)
        merge->tags[i] = copy_text(tn_model_tag(model, i));
}

/* Checks all before anything is added: if one cannot be added, none is. */
static int refuse_clash(struct run *run, struct merge *merge, const char *path)
{
    struct tn_error error = TN_ERROR_INIT;

    if (merge->count == 0)
        return cli_usage(
            "tag", "%s has no tags; give one: tenon tag add FILE TAG MODEL",
            path);
    if (run->opts->common.is_forced || access(run->path, F_OK) != 0)
        return 0;
    if (tn_tag_list(run->path, &run->look, false, find_clash, merge, &error) !=
        TN_OK)
        return cli_fail(run->session.common, run->path, &error);
    if (merge->clash == NULL)
        return 0;
    error.status = TN_EXISTS;
    snprintf(error.what, sizeof error.what,
             "the tag '%.60s' is there already; '--tag %.60s' and another name "
             "add it",
             merge->clash, merge->clash);
    return cli_fail(run->session.common, run->path, &error);
}

static int add_all(struct run *run, const char *path)
{
    struct tn_model *model = NULL;
    struct merge     merge = { 0 };
    int              code  = cli_session_open(&run->session, path, &model);

    if (code == 0) {
        gather_tags(&merge, model);
        code = refuse_clash(run, &merge, path);
    }
    tn_model_close(model);
    for (uint32_t i = 0; i < merge.count && code == 0; i++) {
        run->session.options.tag = merge.tags[i];
        code                     = add_as(run, merge.tags[i], path);
    }
    for (uint32_t i = 0; i < merge.count; i++)
        free(merge.tags[i]);
    free(merge.tags);
    return code;
}

static int run_add(struct run *run, char **words)
{
    const char *path  = words[1] != NULL ? words[1] : words[0];
    bool        is_in = strcmp(path, "-") == 0;

    run->session.options.wants_graph =
        is_in; /* it is not opened again for it */
    if (words[1] != NULL)
        return add_as(run, words[0], words[1]);
    if (is_in)
        return cli_usage("tag", "a model from standard input needs a tag: "
                                "tenon tag add FILE TAG -");
    if (run->session.options.tag != NULL)
        return cli_usage(
            "tag", "give a tag for '%s': tenon tag add FILE TAG MODEL --tag %s",
            run->session.options.tag, run->session.options.tag);
    return add_all(run, words[0]);
}

static int run_rm(struct run *run, char **words)
{
    struct tn_tag_options how     = tag_options(run);
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_tag_summary summary = { 0 };
    enum tn_status        status =
        tn_tag_remove(run->path, words[0], &how, &run->look, &summary, &error);

    return report(run, "rm", words[0], status, &summary, &error);
}

static int run_compact(struct run *run, char **words)
{
    struct tn_tag_options how     = tag_options(run);
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_tag_summary summary = { 0 };
    enum tn_status        status =
        tn_tag_compact(run->path, &how, &run->look, &summary, &error);

    (void)words;
    return report(run, "compact", NULL, status, &summary, &error);
}

/* ---- export ------------------------------------------------------------- */

/* Only one tag was requested, so the others are not losses. */
static void hear_export_loss(void *context, uint64_t offset, const char *where,
                             const char *what)
{
    if (strcmp(where, "tags.txt") != 0)
        cli_losses_add(context, offset, where, what);
}

static int export_model(struct run *run, const struct tn_model *model)
{
    const struct cli_common  *common  = &run->opts->common;
    struct tn_target          target  = cli_target(common, common->out);
    struct tn_error           error   = TN_ERROR_INIT;
    struct cli_losses         losses  = { 0 };
    struct tn_convert_options convert = { .to           = run->opts->to,
                                          .loss         = hear_export_loss,
                                          .loss_context = &losses };
    struct tn_convert_summary summary = { 0 };

    enum tn_status status = tn_convert(model, &convert, &target,
                                       &run->session.options, &summary, &error);
    cli_session_clear(&run->session);
    if (!common->is_quiet)
        cli_losses_print(&losses, common->out);
    if (status == TN_OK)
        cli_convert_receipt(common, run->path, &summary, &losses, NULL);
    cli_losses_done(&losses);
    if (status == TN_OK)
        return 0;
    int code = cli_fail_writing(common, run->path, common->out, &error);
    if (error.reason == TN_REASON_UNKNOWN_TARGET_FORMAT && !common->is_quiet)
        cli_hint("give it with --to; 'tenon formats' lists the formats");
    return code;
}

static int run_export(struct run *run, char **words)
{
    struct tn_model *model = NULL;

    if (run->opts->common.out == NULL)
        return cli_usage("tag", "give the output with -o OUT");
    if (run->opts->common.is_json && strcmp(run->opts->common.out, "-") == 0)
        return cli_usage("tag", "--json and -o - cannot be used together");
    int code = cli_refuse_terminal("tag", run->opts->common.out);
    if (code != 0)
        return code;
    run->session.options.tag = words[0];
    code = cli_session_open(&run->session, run->path, &model);
    if (code == 0)
        code = export_model(run, model);
    tn_model_close(model);
    return code;
}

/* ---- the verb ----------------------------------------------------------- */

static const struct action {
    const char *name;
    const char *words; /* after FILE */
    int         count;
    int (*run)(struct run *run, char **words);
} actions[] = {
    { "ls", "", 0, run_ls },
    { "log", "", 0, run_log },
    { "add", " [TAG] MODEL", 2, run_add },
    { "rm", " TAG", 1, run_rm },
    { "export", " TAG -o OUT", 1, run_export },
    { "diff", " TAG TAG", 2, run_diff },
    { "compact", "", 0, run_compact },
    { NULL, NULL, 0, NULL },
};

static const struct action *find_action(const char *name)
{
    for (const struct action *action = actions; action->name; action++)
        if (strcmp(action->name, name) == 0)
            return action;
    return NULL;
}

static int run_tag(const void *opts, const struct cli_args *args)
{
    const struct action *action = find_action(args->items[0]);
    struct run           run    = { .opts = opts };

    if (action == NULL)
        return cli_usage("tag",
                         "unknown action '%s': use ls, log, add, rm, export, "
                         "diff or compact",
                         args->items[0]);
    bool is_all = action->run == run_add && args->count == action->count + 1;
    if (args->count != action->count + 2 && !is_all)
        return cli_usage("tag", "usage: tenon tag %s FILE%s", action->name,
                         action->words);
    cli_session_begin_writing(&run.session, opts);
    run.path       = args->items[1];
    run.look       = run.session.options;
    run.look.from  = NULL;
    run.look.tag   = NULL;
    char *words[2] = { NULL, NULL };
    char  rooms[2][CLI_TAG_ROOM];
    for (int i = 2; i < args->count; i++) {
        words[i - 2] = args->items[i];
        if (action->run != run_add &&
            cli_tag_named(run.path, &run.look, words[i - 2], rooms[i - 2]) ==
                rooms[i - 2])
            words[i - 2] = rooms[i - 2];
    }
    return action->run(&run, words);
}

const struct cli_verb cli_tag = {
    .name      = "tag",
    .arguments = "ACTION FILE [TAG...]",
    .summary   = "work with the versions in a tagged container",
    .details   = "  ls FILE                  list the tags, oldest first\n"
                 "  log FILE                 list what each of them stores\n"
                 "  add FILE TAG MODEL       add MODEL as the newest version; "
                 "tensors without a\n"
                 "                           graph replace those of the last "
                 "version\n"
                 "  add FILE MODEL           add all versions of a container or "
                 "of a folder of\n"
                 "                           checkpoints, under their own "
                 "names\n"
                 "  rm FILE TAG              remove this version\n"
                 "  export FILE TAG -o OUT   write one version as a file of its "
                 "own\n"
                 "  diff FILE TAG TAG        print what differs; exits with 1 if "
                 "anything does\n"
                 "  compact FILE             remove what no version needs",
    .examples  = "tenon tag add m.samediff step-1 dense.fb\n"
                 "tenon tag log m.samediff\n"
                 "tenon tag export m.samediff step-1 -o old.fb",
    .words     = "ls|log|add|rm|export|diff|compact",
    .least     = 1,
    .most      = 4,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct tag_opts),
    .options   = options,
    .run       = run_tag,
};
