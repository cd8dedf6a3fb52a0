/* shards.c - split and merge of sets of tensors */
#include "shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "failure.h"
#include "print.h"

/* The format of the model, if it has that option; TN_NONE otherwise. */
static uint32_t find_format(const struct tn_model *model, const char *option)
{
    for (uint32_t i = 0; i < tn_format_count(); i++) {
        if (strcmp(tn_format_at(i).name, tn_model_format(model)) != 0)
            continue;
        for (uint32_t k = 0; tn_format_option(i, k) != NULL; k++)
            if (strcmp(tn_format_option(i, k)->name, option) == 0)
                return i;
    }
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
    enum tn_status status = tn_convert(model, &how, &target, &session->options,
                                       &summary, &error);
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

    if (strcmp(path, "-") == 0 ||
        tn_model_open(&model, path, &session->options, &error) != TN_OK)
        return code;
    uint32_t format = find_format(model, "shard-size");
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
