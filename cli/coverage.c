/* coverage.c - tenon rules coverage: which ops of a model have rules */
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "failure.h"
#include "json.h"
#include "pager.h"
#include "print.h"
#include "show.h"
#include "verb_table.h"

/* One row of the plan, kept until the widths of all are known. */
struct row {
    struct cli_text step, op, rule;
    uint64_t        count;
    bool            has_rule;
};

struct rows {
    struct row *items;
    size_t      count, room;
    uint64_t    nodes, covered; /* nodes of all steps                         */
    size_t      ops;            /* rows with a rule                           */
};

static struct row *add_row(struct rows *rows)
{
    if (rows->count == rows->room) {
        size_t      room  = rows->room > 0 ? 2 * rows->room : 64;
        struct row *items = cli_allocate(room, sizeof *items);

        if (rows->count > 0)
            memcpy(items, rows->items, rows->count * sizeof *items);
        free(rows->items);
        rows->items = items;
        rows->room  = room;
    }
    rows->items[rows->count] = (struct row){ .count = 0 };
    return &rows->items[rows->count++];
}

static void keep_row(void *context, const struct tn_plan_row *from)
{
    struct rows *rows = context;
    struct row  *row  = add_row(rows);

    cli_text_addf(&row->step, "%s -> %s", from->from, from->to);
    if (from->domain.size > 0) {
        cli_text_safe(&row->op, from->domain);
        cli_text_add(&row->op, "::");
    }
    cli_text_safe(&row->op, from->op);
    cli_text_safe(&row->rule,
                  cli_bytes(from->rule != NULL ? from->rule : "none"));
    row->count    = from->count;
    row->has_rule = from->rule != NULL;
    rows->nodes += from->count;
    if (!row->has_rule)
        return;
    rows->covered += from->count;
    rows->ops++;
}

/* ---- reports ------------------------------------------------------------ */

static void fill_row(void *context, uint64_t index, struct cli_text *cells)
{
    const struct row *row = &((const struct rows *)context)->items[index];

    cli_text_put(&cells[0], row->step.data, row->step.size);
    cli_text_put(&cells[1], row->op.data, row->op.size);
    cli_text_addf(&cells[2], "%llu", (unsigned long long)row->count);
    cli_text_put(&cells[3], row->rule.data, row->rule.size);
}

static void print_rows(struct rows *rows)
{
    static const struct cli_column columns[] = {
        { .title = "STEP" },
        { .title = "OPERATOR", .colour = CLI_BOLD },
        { .title = "COUNT", .is_right = true },
        { .title = "RULE" },
    };
    struct cli_table table = {
        .column_count = 4,
        .columns      = columns,
        .row_count    = rows->count,
        .on_row       = fill_row,
        .context      = rows,
    };
    struct cli_text line = { 0 };

    cli_pager_begin();
    if (rows->count > 0)
        cli_print_table(stdout, &table);
    cli_text_number(&line, rows->covered);
    cli_text_add(&line, " of ");
    cli_show_plural(&line, rows->nodes, "node has", "nodes have");
    cli_text_add(&line, " a rule\n");
    cli_print(stdout, CLI_PLAIN, &line);
    cli_text_done(&line);
}

static void put_text(struct cli_json *json, const char *key,
                     const struct cli_text *text)
{
    cli_json_put_bytes(
        json, key,
        (struct tn_bytes){ (const uint8_t *)text->data, text->size });
}

static void put_rows(const struct rows *rows, const char *path)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.coverage/1");
    cli_json_put_string(&json, "path", cli_path_shown(path));
    cli_json_key(&json, "operators");
    cli_json_open(&json, '[');
    for (size_t i = 0; i < rows->count; i++) {
        cli_json_open_flat(&json, '{');
        put_text(&json, "step", &rows->items[i].step);
        put_text(&json, "operator", &rows->items[i].op);
        cli_json_put_number(&json, "count", rows->items[i].count);
        if (rows->items[i].has_rule)
            put_text(&json, "rule", &rows->items[i].rule);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_put_number(&json, "nodes", rows->nodes);
    cli_json_put_number(&json, "covered", rows->covered);
    cli_json_end(&json);
}

/* ---- the verb ----------------------------------------------------------- */

static enum tn_status plan(struct cli_session          *session,
                           const struct cli_coverage   *what,
                           const struct tn_map_options *map,
                           const struct tn_model *model, struct rows *rows,
                           struct tn_error *error)
{
    struct tn_convert_options convert = {
        .to            = what->to,
        .map           = map,
        .force_invalid = true, /* rules are asked for, not a conversion */
    };
    struct tn_plan_listener listener = { .op = keep_row, .context = rows };

    return tn_plan(model, &convert, NULL, &session->options, &listener, NULL,
                   error);
}

int cli_coverage(struct cli_session *session, const struct cli_coverage *what)
{
    struct tn_error       error = TN_ERROR_INIT;
    struct rows           rows  = { 0 };
    struct tn_model      *model;
    int                   code = cli_session_open(session, what->path, &model);
    struct tn_map_options map  = { .rules      = what->rules,
                                   .rule_count = what->rule_count };

    if (code != 0)
        return code;
    enum tn_status status = plan(session, what, &map, model, &rows, &error);
    cli_session_clear(session);
    tn_model_close(model);
    if (status == TN_OK && session->common->is_json)
        put_rows(&rows, what->path);
    else if (status == TN_OK)
        print_rows(&rows);
    code = rows.covered < rows.nodes ? CLI_NO : 0;
    for (size_t i = 0; i < rows.count; i++) {
        cli_text_done(&rows.items[i].step);
        cli_text_done(&rows.items[i].op);
        cli_text_done(&rows.items[i].rule);
    }
    free(rows.items);
    if (status != TN_OK && cli_is_about_rules(&map, &error))
        return cli_fail_rules(session->common, &error);
    return status == TN_OK ? cli_finish(code)
                           : cli_fail(session->common, what->path, &error);
}
