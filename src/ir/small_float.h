/*
 * small_float.h - floats of at most 16 bits, as codes and as doubles
 *
 * A double holds every value of these types, so that decoding is exact and
 * encoding rounds once.  All of it is inline: element.c runs it in loops over
 * whole tensors.
 */
#ifndef TN_IR_SMALL_FLOAT_H
#define TN_IR_SMALL_FLOAT_H

#include <math.h>
#include <tenon/dtype.h>

#include "base/number.h"

/* Codes without the sign are ordered like their values; `largest` is the last
 * finite one, `nan` is the code we write. */
struct tn_small_float {
    uint8_t  exponent_bits, mantissa_bits;
    int16_t  bias;
    uint16_t sign, largest, infinity, nan; /* infinity 0: has none         */
    bool     is_nan_unique; /* no other code is NaN; there is no -0        */
};

static inline const struct tn_small_float *tn_small_float(enum tn_dtype dtype)
{
    /* clang-format off */
    static const struct tn_small_float float16  = { 5, 10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00, false };
    static const struct tn_small_float bfloat16 = { 8, 7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0, false };
    static const struct tn_small_float e4m3     = { 4, 3, 7, 0x80, 0x7e, 0, 0x7f, false };
    static const struct tn_small_float e4m3uz   = { 4, 3, 8, 0x80, 0x7f, 0, 0x80, true };
    static const struct tn_small_float e4m3b11  = { 4, 3, 11, 0x80, 0x7f, 0, 0x80, true };
    static const struct tn_small_float e5m2     = { 5, 2, 15, 0x80, 0x7b, 0x7c, 0x7e, false };
    static const struct tn_small_float e5m2uz   = { 5, 2, 16, 0x80, 0x7f, 0, 0x80, true };
    static const struct tn_small_float e2m1     = { 2, 1, 1, 0x8, 0x7, 0, 0x7, false };
    /* clang-format on */

    switch (dtype) {
    case TN_FLOAT16: return &float16;
    case TN_BFLOAT16: return &bfloat16;
    case TN_FLOAT8E4M3FN: return &e4m3;
    case TN_FLOAT8E4M3FNUZ: return &e4m3uz;
    case TN_FLOAT8E4M3B11FNUZ: return &e4m3b11;
    case TN_FLOAT8E5M2: return &e5m2;
    case TN_FLOAT8E5M2FNUZ: return &e5m2uz;
    case TN_FLOAT4E2M1: return &e2m1;
    default: return NULL;
    }
}

#define TN_DOUBLE_SIGN (UINT64_C(1) << 63)

/* 2 to a power that a normal double has. */
static inline double tn_power_of_two(int exponent)
{
    return tn_double_of_bits((uint64_t)(exponent + 1023) << 52);
}

static inline double tn_small_magnitude(const struct tn_small_float *f,
                                        unsigned                     code)
{
    unsigned mantissa = code & ((1u << f->mantissa_bits) - 1);
    int      exponent = (int)(code >> f->mantissa_bits);

    if (exponent == 0)
        exponent = 1;
    else
        mantissa |= 1u << f->mantissa_bits;
    return (double)mantissa *
           tn_power_of_two(exponent - f->bias - f->mantissa_bits);
}

static inline double tn_small_decode(const struct tn_small_float *f,
                                     unsigned                     code)
{
    unsigned magnitude   = code & (f->sign - 1u);
    bool     is_negative = (code & f->sign) != 0;
    double   value;

    if (f->is_nan_unique && code == f->nan)
        return (double)NAN;
    if (magnitude <= f->largest)
        value = tn_small_magnitude(f, magnitude);
    else if (f->infinity && magnitude == f->infinity)
        value = (double)INFINITY;
    else
        value = (double)NAN;
    return is_negative ? -value : value;
}

/* value >> shift, to nearest, ties to even; value has at most 53 bits. */
static inline uint64_t tn_shift_to_nearest(uint64_t value, int shift)
{
    if (shift > 60)
        return 0;
    uint64_t kept = value >> shift;
    uint64_t rest = value & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1)));
}

/* The nearest code for a positive finite double, were there no largest one.
 * The codes are in order, so a carry out of the mantissa is the next one. */
static inline uint64_t tn_nearest_code(int bias, int mantissa_bits,
                                       uint64_t bits)
{
    int      exponent    = (int)(bits >> 52) - 1023;
    uint64_t one         = UINT64_C(1) << 52;
    uint64_t significand = (bits & (one - 1)) | one;
    int      lowest      = 1 - bias;
    int      shift       = 52 - mantissa_bits;
    int      steps       = exponent - lowest;

    if (exponent == -1023) /* zero, and doubles too small for any code */
        return 0;
    if (steps < 0) {
        shift -= steps;
        steps = 0;
    }
    return ((uint64_t)steps << mantissa_bits) +
           tn_shift_to_nearest(significand, shift);
}

static inline unsigned tn_small_encode(const struct tn_small_float *f,
                                       double                       value)
{
    uint64_t bits        = tn_double_bits(value);
    bool     is_negative = (bits & TN_DOUBLE_SIGN) != 0;
    uint64_t code;

    bits &= ~TN_DOUBLE_SIGN;
    if (value != value) {
        code = f->nan;
    } else {
        code = tn_nearest_code(f->bias, f->mantissa_bits, bits);
        if (code > f->largest || bits >> 52 == 0x7ff)
            code = f->infinity ? f->infinity : f->largest;
    }
    if (f->is_nan_unique && (code == 0 || code == f->nan))
        return (unsigned)code;
    return (unsigned)code | (is_negative ? f->sign : 0u);
}

/* float8e8m0: the exponent alone. */
static inline double tn_power_decode(unsigned code)
{
    return code == 0xff ? (double)NAN : tn_power_of_two((int)code - 127);
}

static inline unsigned tn_power_encode(double value)
{
    uint64_t bits = tn_double_bits(value);

    if (value != value || value < 0)
        return 0xff;
    bits &= ~TN_DOUBLE_SIGN;
    if (bits >> 52 == 0x7ff)
        return 0xfe;
    /* Code 0 is a power like the others, not where subnormals live: a scale
     * shifted by one makes it the first normal one of tn_nearest_code(). */
    uint64_t code = tn_nearest_code(128, 0, bits);
    if (code > 0xff)
        code = 0xff;
    return code ? (unsigned)code - 1 : 0;
}

#endif
