/* shards.c - split and merge of sets of tensors */
#include "shards.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "failure.h"
#include "print.h"

static bool has_shards(uint32_t format)
{
    for (uint32_t k = 0; tn_format_option(format, k) != NULL; k++)
        if (strcmp(tn_format_option(format, k)->name, "shard-size") == 0)
            return true;
    return false;
}

/* The format of the model, if it has shards; TN_NONE otherwise. */
static uint32_t find_format(const struct tn_model *model)
{
    for (uint32_t i = 0; i < tn_format_count(); i++)
        if (strcmp(tn_format_at(i).name, tn_model_format(model)) == 0)
            return has_shards(i) ? i : TN_NONE;
    return TN_NONE;
}

/* The last suffix is the one that stands for several files, where they differ
 * (an index). */
static const char *last_suffix(uint32_t format)
{
    const char *const *suffixes = tn_format_at(format).suffixes;

    while (suffixes[1] != NULL)
        suffixes++;
    return suffixes[0];
}

/* Adds the files PREFIX + rest; `rest` is a pattern of the shell, the prefix is
 * not. */
static void find_files(const char *prefix, const char *rest, const char *suffix,
                       glob_t *found)
{
    struct cli_text pattern = { 0 };

    for (; *prefix != '\0'; prefix++) {
        if (strchr("*?[\\", *prefix) != NULL)
            cli_text_add(&pattern, "\\");
        cli_text_put(&pattern, prefix, 1);
    }
    cli_text_add(&pattern, rest);
    cli_text_add(&pattern, suffix);
    cli_text_put(&pattern, "", 1);
    glob(pattern.data, found->gl_pathc > 0 ? GLOB_APPEND : 0, NULL, found);
    cli_text_done(&pattern);
}

/* Opens what `tenon split` wrote under the prefix: by its index, or by the
 * first of its files.  NULL if there is no such set. */
static struct tn_model *open_set(struct cli_session *session,
                                 const char         *prefix)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;
    glob_t           found = { 0 };

    for (uint32_t i = 0; i < tn_format_count(); i++)
        if (has_shards(i)) {
            find_files(prefix, "", last_suffix(i), &found);
            find_files(prefix, "-00001-of-*", last_suffix(i), &found);
        }
    if (found.gl_pathc == 1)
        tn_model_open(&model, found.gl_pathv[0], &session->options, &error);
    if (found.gl_pathc > 0)
        globfree(&found);
    return model;
}

static int write_model(struct cli_session *session, const struct tn_model *model,
                       const char *path, const char *out, uint64_t max_size)
{
    struct cli_common common = *session->common;
    char              size[24];
    struct tn_setting setting = { "shard-size", size };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_convert_summary summary = { 0 };
    struct cli_losses         losses = { 0 }, notes = { 0 };
    struct tn_convert_options how    = { .to            = tn_model_format(model),
                                         .settings      = &setting,
                                         .setting_count = max_size ? 1 : 0 };
    struct tn_target          target = cli_target(session->common, out);

    common.out = out;
    snprintf(size, sizeof(size), "%" PRIu64, max_size);
    enum tn_status status =
        tn_convert(model, &how, &target, &session->options, &summary, &error);
    cli_session_clear(session);
    if (status != TN_OK)
        return cli_fail_writing(session->common, path, out, &error);
    cli_convert_receipt(&common, path, &summary, &losses, &notes);
    return 0;
}

int cli_shards(struct cli_session *session, const char *path, const char *out,
               uint64_t max_size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;
    struct cli_text  name  = { 0 };
    int              code  = CLI_NO_SHARDS;

    if (strcmp(path, "-") == 0)
        return code;
    tn_model_open(&model, path, &session->options, &error);
    if (error.status == TN_IO && max_size == 0)
        model = open_set(session, path);
    if (model == NULL)
        return code;
    uint32_t format = find_format(model);
    if (tn_model_dialect(model)[0] == '\0' && format != TN_NONE) {
        cli_text_add(&name, out);
        if (max_size > 0)
            cli_text_add(&name, last_suffix(format));
        cli_text_put(&name, "", 1);
        code = write_model(session, model, path,
                           (const char *)cli_text_view(&name).data, max_size);
    }
    cli_text_done(&name);
    tn_model_close(model);
    return code;
}
