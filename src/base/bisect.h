/*
 * bisect.h - binary search in sorted rows
 *
 *     uint64_t at;
 *
 *     TN_BISECT(at, 0, count, rows[at].offset < offset);
 *
 * sets `at`, a uint64_t, to the first index from `first` on for which the
 * condition does not hold, or to `end`.  The condition is an expression with
 * `at`; it must hold for all rows before the one that is wanted, and for no
 * others.
 */
#ifndef TN_BASE_BISECT_H
#define TN_BASE_BISECT_H

#include <stdint.h>

#define TN_BISECT(at, first, end, is_before)                                   \
    do {                                                                       \
        uint64_t low_ = (first), high_ = (end);                                \
        while (low_ < high_) {                                                 \
            (at) = low_ + (high_ - low_) / 2;                                  \
            if (is_before)                                                     \
                low_ = (at) + 1;                                               \
            else                                                               \
                high_ = (at);                                                  \
        }                                                                      \
        (at) = low_;                                                           \
    } while (0)

#endif
