/*
 * given.h - what callers must not leave out
 *
 * A model whose opening failed is NULL, and the next call says so instead of
 * crashing.  After TN_ERROR_OR_OWN(error).
 */
#ifndef TN_BASE_GIVEN_H
#define TN_BASE_GIVEN_H

#include "base/error.h"

#define TN_EXPECT_GIVEN(pointer, what, error)                                  \
    do {                                                                       \
        if (!(pointer))                                                        \
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,                 \
                                "no " what " was given: it is NULL");          \
    } while (0)

#endif
