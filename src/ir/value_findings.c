/* value_findings.c - findings about values, at the nodes that use them */
#include "ir/value_findings.h"

#include <stdarg.h>
#include <stdio.h>

/* Names in findings are cut to so many bytes. */
#define NAME_SIZE 60

void tn_value_complain(const struct tn_value_findings *to, uint32_t op,
                       const char *rule, const char *format, ...)
{
    const struct tn_op *row = tn_model_op_at(to->model, op);
    char                what[300], where[200];
    va_list             arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_op_path(to->model, op, where, sizeof where);
    tn_report_format(to->report, to->is_note ? TN_LEVEL_NOTE : TN_LEVEL_ERROR,
                     rule, to->file,
                     row->wire_length ? row->wire_offset : TN_NOWHERE, where,
                     "%s", what);
}

struct tn_bytes tn_value_short_name(const struct tn_model *model,
                                    uint32_t               value)
{
    struct tn_bytes name = tn_model_value_name(model, value);

    if (name.size > NAME_SIZE)
        name.size = NAME_SIZE;
    return name;
}
