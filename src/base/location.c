/* location.c - a line and column of a text file, and failing there */
#include "base/location.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum tn_status tn_location_fail(struct tn_error          *error,
                                const struct tn_location *location,
                                enum tn_status status, const char *format, ...)
{
    char    what[sizeof error->what];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_error_because(error, status, TN_REASON_BAD_RULES, location->offset,
                     "line %" PRIu32 ", column %" PRIu32 ": %s", location->line,
                     location->column, what);
    if (location->file)
        tn_error_file(error, location->file);
    return error->status;
}
