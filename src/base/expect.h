/*
 * expect.h - pointers that a public call needs, and that callers have as NULL
 * by accident: an argument of main() that was not given, a variable of the
 * environment that is not set
 */
#ifndef TN_BASE_EXPECT_H
#define TN_BASE_EXPECT_H

#include "base/error.h"

#define TN_EXPECT_PATH(path, error)                                            \
    do {                                                                       \
        if (!(path))                                                           \
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,                 \
                                "no file was named: the path is NULL");        \
    } while (0)

#define TN_EXPECT_TARGET(target, error)                                        \
    TN_EXPECT_PATH((target) ? (target)->path : NULL, error)

#endif
