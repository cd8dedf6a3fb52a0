/* arith.h - arithmetic that reports overflow instead of wrapping */
#ifndef TN_BASE_ARITH_H
#define TN_BASE_ARITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *out = a * b, or false when that does not fit. */
static inline bool tn_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* *out = a + b, or false when that does not fit. */
static inline bool tn_add(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* [offset, offset + length) is inside [0, size). */
static inline bool tn_inside(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* value rounded up to a multiple of step (a power of two); false on overflow.
 */
static inline bool tn_align(uint64_t value, uint64_t step, uint64_t *out)
{
    if (!tn_add(value, step - 1, out))
        return false;
    *out &= ~(step - 1);
    return true;
}

static inline uint64_t tn_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* As much of `wanted` bytes as fits into memory of size `room`. */
static inline size_t tn_min_size(uint64_t wanted, size_t room)
{
    return wanted < room ? (size_t)wanted : room;
}

static inline uint64_t tn_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
