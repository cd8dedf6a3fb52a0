/* rules_text.h - a file of rules/, as it is in the sources */
#ifndef TN_TESTS_RULES_TEXT_H
#define TN_TESTS_RULES_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/byte_view.h"

/* The text of rules/NAME; it stays in memory. */
static inline struct tn_bytes rules_text(const char *name)
{
    enum { FILES = 64 };
    static struct {
        char            name[40];
        struct tn_bytes text;
    } known[FILES];
    static size_t count;

    for (size_t i = 0; i < count; i++)
        if (!strcmp(known[i].name, name))
            return known[i].text;
    char path[1024];
    snprintf(path, sizeof path, "%s/../../rules/%s", TN_CORPUS, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || count == FILES)
        abort();
    size_t   size = (size_t)ftell(file);
    uint8_t *data = malloc(size + 1);
    rewind(file);
    if (!data || fread(data, 1, size, file) != size)
        abort();
    fclose(file);
    snprintf(known[count].name, sizeof known[count].name, "%s", name);
    known[count].text = tn_bytes(data, size);
    return known[count++].text;
}

#endif
