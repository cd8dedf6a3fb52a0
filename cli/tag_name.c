/* tag_name.c - finds a tag by its name, or by what 'tenon tag ls' prints */
#include "tag_name.h"

#include <string.h>

#include "failure.h"
#include "text.h"

struct naming {
    const char *typed;
    char       *room;
    bool        is_printed;
};

static int look_at(void *context, const struct tn_tag_info *info)
{
    struct naming  *n     = context;
    struct cli_text label = { 0 }, name = { 0 };

    cli_text_put(&name, info->name.data, info->name.size);
    cli_text_put(&name, "", 1);
    cli_text_safe(&label, info->name);
    if (label.size == strlen(n->typed) && name.size <= CLI_TAG_ROOM &&
        memcmp(label.data, n->typed, label.size) == 0) {
        n->is_printed = true;
        memcpy(n->room, name.data, name.size);
    }
    cli_text_done(&label);
    cli_text_done(&name);
    return 0;
}

const char *cli_tag_named(const char *path, const struct tn_options *options,
                          const char *typed, char room[CLI_TAG_ROOM])
{
    struct naming     n     = { .typed = typed, .room = room };
    struct tn_options look  = *options;
    struct tn_error   error = TN_ERROR_INIT;

    /* A tag has no backslash, so one that is typed belongs to an escape, and
     * the text can mean one tag only.  A pipe is read once. */
    if (strchr(typed, '\\') == NULL || strcmp(path, "-") == 0)
        return typed;
    look.from = NULL;
    look.tag  = NULL;
    if (tn_tag_list(path, &look, false, look_at, &n, &error) != TN_OK)
        return typed;
    return n.is_printed ? room : typed;
}
