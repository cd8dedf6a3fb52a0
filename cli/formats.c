/* formats.c - tenon formats: what this build reads and writes */
#include <stdio.h>
#include <string.h>

#include <tenon/verbs.h>

#include "json.h"
#include "pager.h"
#include "print.h"
#include "verb_table.h"

static void fill_format(void *context, uint64_t row, struct cli_text *cells)
{
    struct tn_format_info info = tn_format_at((uint32_t)row);

    (void)context;
    cli_text_add(&cells[0], info.name);
    cli_text_add(&cells[1], info.can_read ? "yes" : "-");
    cli_text_add(&cells[2], info.can_write ? "yes" : "-");
    cli_text_add(&cells[3], info.can_check ? "yes" : "-");
    cli_text_add(&cells[4], info.has_text ? "yes" : "-");
    for (size_t i = 0; info.suffixes != NULL && info.suffixes[i] != NULL; i++)
        cli_text_addf(&cells[5], i > 0 ? " %s" : "%s",
                      strcmp(info.suffixes[i], "/") == 0 ? "(folder)"
                                                         : info.suffixes[i]);
    cli_text_add(&cells[6], info.title);
}

static void print_formats(void)
{
    static const struct cli_column columns[] = {
        { .title = "NAME", .colour = CLI_BOLD },
        { .title = "READ", .is_whole = true },
        { .title = "WRITE", .is_whole = true },
        { .title = "CHECK", .is_extra = true },
        { .title = "DUMP", .is_extra = true },
        { .title = "FILES" },
        { .title = "WHAT IT IS" },
    };

    struct cli_table table = {
        .column_count = 7,
        .columns      = columns,
        .row_count    = tn_format_count(),
        .on_row       = fill_format,
    };

    cli_pager_begin();
    cli_print_table(stdout, &table);
}

static void put_option(struct cli_json               *json,
                       const struct tn_format_option *option)
{
    static const char *const kinds[] = {
        [TN_OPTION_FLAG] = "flag",     [TN_OPTION_TEXT] = "text",
        [TN_OPTION_FILE] = "file",     [TN_OPTION_SIZE] = "size",
        [TN_OPTION_CHOICE] = "choice",
    };

    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "name", option->name);
    cli_json_put_string(json, "kind", kinds[option->kind]);
    cli_json_put_bool(json, "is_for_reading", option->is_for_reading);
    if (option->value != NULL)
        cli_json_put_string(json, "value", option->value);
    if (option->standard != NULL)
        cli_json_put_string(json, "default", option->standard);
    cli_json_put_string(json, "help", option->help);
    cli_json_close(json, '}');
}

static void put_format(struct cli_json *json, uint32_t format)
{
    const struct tn_format_info    about = tn_format_at(format);
    const struct tn_format_info   *info  = &about;
    const struct tn_format_option *option;

    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "name", info->name);
    cli_json_put_string(json, "title", info->title);
    cli_json_put_string(json, "dialect", info->dialect);
    cli_json_key(json, "suffixes");
    cli_json_open_flat(json, '[');
    for (size_t i = 0; info->suffixes != NULL && info->suffixes[i] != NULL; i++)
        cli_json_string(json, info->suffixes[i]);
    cli_json_close(json, ']');
    cli_json_put_bool(json, "can_read", info->can_read);
    cli_json_put_bool(json, "can_write", info->can_write);
    cli_json_put_bool(json, "can_check", info->can_check);
    cli_json_put_bool(json, "has_text", info->has_text);
    cli_json_key(json, "options");
    cli_json_open_flat(json, '[');
    for (uint32_t i = 0; (option = tn_format_option(format, i)) != NULL; i++)
        put_option(json, option);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void put_formats(void)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.formats/1");
    cli_json_key(&json, "formats");
    cli_json_open(&json, '[');
    for (uint32_t i = 0; i < tn_format_count(); i++)
        put_format(&json, i);
    cli_json_close(&json, ']');
    cli_json_end(&json);
}

static int run_formats(const void *opts, const struct cli_args *args)
{
    const struct cli_common *common = opts;

    (void)args;
    if (common->is_json)
        put_formats();
    else
        print_formats();
    return 0;
}

const struct cli_verb cli_formats = {
    .name      = "formats",
    .arguments = "",
    .summary   = "list the formats that this build reads and writes",
    .groups    = CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct cli_common),
    .run       = run_formats,
};
