/*
 * rewrite_fuzz.c - any model, by every writer, and back by its reader
 *
 * The bytes are a model in one file, or several files one behind the other:
 *
 *   TENON FILES        and a line feed; then a line for each file
 *   NAME SIZE          the first is what is opened; "." before it: the folder
 *                      and an empty line; then the bytes of all
 */
#define _GNU_SOURCE
#include "support/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mark[] = "TENON FILES\n";

/* Letters, digits and a few marks: names that stay in the folder. */
static bool is_plain(const char *name)
{
    for (const char *at = name; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_.-/", *at))
            return false;
    return name[0] && name[0] != '/' && !strstr(name, "..");
}

/* Writes the files; `opened` is what to open, false: the bytes are none. */
static bool unpack(const uint8_t *data, size_t size, char opened[64])
{
    char         *text = strndup((const char *)data, size < 4096 ? size : 4096);
    char         *end  = text ? strstr(text, "\n\n") : NULL;
    size_t        at   = end ? (size_t)(end - text) + 2 : 0;
    char         *line = text ? text + strlen(mark) : NULL;
    bool          is_good = end != NULL;
    char          name[64], path[80];
    unsigned long length;

    opened[0] = 0;
    for (; is_good && line < end; line = strchr(line, '\n') + 1) {
        if (strncmp(line, ".\n", 2) == 0) {
            snprintf(opened, 64, ".");
            continue;
        }
        is_good = sscanf(line, "%63s %lu", name, &length) == 2 &&
                  is_plain(name) && length <= size - at;
        if (!is_good)
            break;
        if (!opened[0])
            snprintf(opened, 64, "%s", name);
        snprintf(path, sizeof path, "in/%s", name);
        is_good = rewrite_put(path, data + at, length);
        at += length;
    }
    free(text);
    return is_good && opened[0];
}

static void try_model(const char *name)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;
    char             path[400];

    snprintf(path, sizeof path, "%s/in/%s", rewrite_folder, name);
    if (tn_model_open(&model, path, &rewrite_options, &error) != TN_OK)
        return;
    if (rewrite_is_small(model))
        rewrite_everywhere(model, NULL);
    tn_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char opened[64] = "model";

    rewrite_enter();
    if (size >= strlen(mark) && memcmp(data, mark, strlen(mark)) == 0) {
        if (unpack(data, size, opened))
            try_model(opened);
    } else if (rewrite_put("in/model", data, size)) {
        try_model("model");
    }
    rewrite_empty();
    return 0;
}
