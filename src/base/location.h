/* location.h - a line and column of a text file, and failing there */
#ifndef TN_BASE_LOCATION_H
#define TN_BASE_LOCATION_H

#include "base/error.h"

struct tn_location {
    const char *file; /* NULL: not known                                      */
    uint64_t    offset;
    uint32_t    line, column; /* from 1                                       */
};

/* Fails with "line 3, column 7: ..." and the reason BAD_RULES: the files that
 * locations point into are rules. */
TN_COLD enum tn_status tn_location_fail(struct tn_error          *error,
                                        const struct tn_location *location,
                                        enum tn_status            status,
                                        const char               *format, ...)
    TN_PRINTF(4, 5);

#endif
