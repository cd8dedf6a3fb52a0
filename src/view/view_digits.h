/*
 * view_digits.h - whole numbers as text
 *
 * A picture of a million nodes has millions of sizes, and printf takes ten
 * times as long for one.
 */
#ifndef TN_VIEW_VIEW_DIGITS_H
#define TN_VIEW_VIEW_DIGITS_H

#include "base/buffer.h"

static inline void tn_view_add_uint64(struct tn_buffer *to, uint64_t number)
{
    char  digits[20];
    char *at = digits + sizeof digits;

    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    tn_buffer_add(to, tn_bytes(at, (size_t)(digits + sizeof digits - at)));
}

static inline void tn_view_add_int64(struct tn_buffer *to, int64_t number)
{
    if (number < 0)
        tn_buffer_byte(to, '-');
    tn_view_add_uint64(to,
                       number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

#endif
