/*
 * folder.c - tenon without arguments: the models that are here
 *
 * On a terminal a table; elsewhere one line each, TAB between columns: path,
 * format, bytes, parameters.
 */
#include "folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"

struct found {
    char       *path;
    const char *format, *title;
    uint64_t    bytes, parameters;
    bool        is_folder; /* of several models                               */
    bool        is_read;   /* else both numbers are unknown                   */
};

struct folder {
    struct found *items;
    size_t        count, room;
};

static int add_model(void *context, const struct tn_folder_model *model)
{
    struct folder *folder = context;

    size_t length    = strlen(model->path);
    bool   is_folder = length > 0 && model->path[length - 1] == '/';

    if (model->format[0] == '\0' && !is_folder) /* a broken link */
        return 0;
    if (folder->count == folder->room) {
        size_t        room  = 2 * folder->room + 16;
        struct found *items = cli_allocate(room, sizeof(*items));
        if (folder->count > 0)
            memcpy(items, folder->items, folder->count * sizeof(*items));
        free(folder->items);
        folder->items = items;
        folder->room  = room;
    }
    struct found *found = &folder->items[folder->count++];
    found->path         = cli_allocate(length + 1, 1);
    memcpy(found->path, model->path, length);
    found->is_folder = model->format[0] == '\0';
    found->format    = found->is_folder ? "-" : model->format;
    found->title     = found->is_folder ? "several models" : model->title;
    return 0;
}

static void count_parameters(struct found *found, const struct tn_model *model)
{
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);

        if (cli_is_parameter(tensor))
            found->parameters =
                cli_add(found->parameters, tn_tensor_count(tensor));
    }
}

/* What cannot be opened is listed without numbers; 'tenon check' says why. */
static void look_at(struct cli_session *session, struct found *found)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;

    if (found->is_folder)
        return;
    found->is_read =
        tn_model_open(&model, found->path, &session->options, &error) == TN_OK;
    if (found->is_read) {
        found->bytes = tn_model_file_size(model);
        count_parameters(found, model);
    }
    tn_model_close(model);
}

static void fill_model(void *context, uint64_t row, struct cli_text *cells)
{
    const struct folder *folder = context;
    const struct found  *found  = &folder->items[row];

    cli_text_safe(&cells[0], cli_bytes(found->path));
    cli_text_add(&cells[1], found->title);
    if (!found->is_read) {
        cli_text_add(&cells[2], found->is_folder ? "" : "?");
        return;
    }
    cli_text_bytes(&cells[2], found->bytes);
    cli_text_number(&cells[3], found->parameters);
}

static void print_table(struct folder *folder)
{
    static const struct cli_column columns[] = {
        { .title = "MODEL", .colour = CLI_BOLD },
        { .title = "WHAT IT IS", .is_extra = true },
        { .title = "SIZE", .is_right = true },
        { .title = "PARAMETERS", .is_right = true },
    };
    struct cli_table table = {
        .column_count = sizeof(columns) / sizeof(columns[0]),
        .columns      = columns,
        .row_count    = folder->count,
        .on_row       = fill_model,
        .context      = folder,
    };
    struct cli_text hint = { 0 };

    cli_pager_begin();
    cli_print_table(stdout, &table);
    cli_text_add(&hint,
                 "'tenon info MODEL' shows one, 'tenon --help' all verbs.");
    cli_print_wrapped(stdout, CLI_DIM, 0, 0, &hint);
    cli_text_done(&hint);
}

static void print_lines(const struct folder *folder)
{
    struct cli_text line = { 0 };

    for (size_t i = 0; i < folder->count; i++) {
        const struct found *found = &folder->items[i];

        cli_text_clear(&line);
        cli_text_safe(&line, cli_bytes(found->path));
        cli_text_addf(&line, "\t%s\t", found->format);
        if (found->is_read)
            cli_text_addf(&line, "%" PRIu64 "\t%" PRIu64 "\n", found->bytes,
                          found->parameters);
        else
            cli_text_add(&line, "-\t-\n");
        cli_print(stdout, CLI_PLAIN, &line);
    }
    cli_text_done(&line);
}

/* A SavedModel, for example, is a folder itself. */
static void add_this_folder(struct cli_session *session, struct folder *folder)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;

    if (tn_model_open(&model, ".", &session->options, &error) == TN_OK)
        add_model(folder,
                  &(struct tn_folder_model){ ".", tn_model_format(model),
                                             tn_model_title(model) });
    tn_model_close(model);
}

int cli_list_folder(void)
{
    struct cli_common  common = { 0 };
    struct cli_session session;
    struct folder      folder = { 0 };
    struct tn_error    error  = TN_ERROR_INIT;

    cli_session_begin(&session, &common);
    (void)tn_folder_models(".", &session.options, add_model, &folder, &error);
    if (folder.count == 0)
        add_this_folder(&session, &folder);
    for (size_t i = 0; i < folder.count; i++)
        look_at(&session, &folder.items[i]);
    cli_session_clear(&session);
    if (folder.count > 0 && cli_is_terminal(stdout))
        print_table(&folder);
    else
        print_lines(&folder);
    for (size_t i = 0; i < folder.count; i++)
        free(folder.items[i].path);
    free(folder.items);
    return folder.count > 0 ? 0 : -1;
}
