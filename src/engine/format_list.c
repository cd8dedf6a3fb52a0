/* format_list.c - what this build reads and writes */
#include <tenon/version.h>

#include "engine/opened.h"
#include "format/settings.h"

const char *tn_version(void)
{
    return TN_VERSION_STRING;
}

uint32_t tn_format_count(void)
{
    uint32_t count = 0;

    while (tn_formats[count])
        count++;
    return count;
}

struct tn_format_info tn_format_at(uint32_t index)
{
    if (index >= tn_format_count())
        return (struct tn_format_info){ 0 };
    const struct tn_format *format = tn_formats[index];
    return (struct tn_format_info){
        .name      = format->name,
        .title     = format->title,
        .dialect   = format->dialect,
        .suffixes  = format->suffixes,
        .can_read  = format->open != NULL,
        .can_write = format->write != NULL,
        .can_check = format->check != NULL || format->check_bytes != NULL,
        .has_text  = format->message || (format->flat && !format->flat_span),
    };
}

const struct tn_format_option *tn_format_option(uint32_t format, uint32_t index)
{
    if (format >= tn_format_count())
        return NULL;
    const struct tn_format_setting *const *s = tn_formats[format]->settings;
    for (; s && *s && index; index--)
        s++;
    return s && *s ? &(*s)->says : NULL;
}
