/*
 * element.c - single elements: as numbers, in another type
 *
 * Every type is loaded into one of five kinds of number and stored from it, so
 * that all pairs of types convert by the same few rules.
 */
#include "ir/element.h"

#include "base/little.h"
#include "ir/small_float.h"

struct number {
    enum tn_element_kind kind;
    double               real, imaginary; /* FLOAT, COMPLEX         */
    uint64_t             bits;            /* SIGNED, UNSIGNED, BOOL */
};

enum tn_element_kind tn_element_kind(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_INT8:
    case TN_INT16:
    case TN_INT32:
    case TN_INT64:
    case TN_INT4:
    case TN_INT2:
    case TN_QINT8:
    case TN_QINT16:
    case TN_QINT32: return TN_ELEMENT_SIGNED;
    case TN_UINT8:
    case TN_UINT16:
    case TN_UINT32:
    case TN_UINT64:
    case TN_UINT4:
    case TN_UINT2:
    case TN_QUINT8:
    case TN_QUINT16: return TN_ELEMENT_UNSIGNED;
    case TN_BOOL: return TN_ELEMENT_BOOL;
    case TN_COMPLEX64:
    case TN_COMPLEX128: return TN_ELEMENT_COMPLEX;
    default: return tn_dtype_bits(dtype) ? TN_ELEMENT_FLOAT : TN_ELEMENT_NONE;
    }
}

static double load_single(const uint8_t *p)
{
    return (double)tn_float_of_bits(tn_load32(p));
}

static void store_single(uint8_t *p, double value)
{
    uint32_t bits = tn_float_bits((float)value);

    p[0] = (uint8_t)bits;
    p[1] = (uint8_t)(bits >> 8);
    p[2] = (uint8_t)(bits >> 16);
    p[3] = (uint8_t)(bits >> 24);
}

static double load_float(enum tn_dtype dtype, const uint8_t *p)
{
    if (dtype == TN_FLOAT32)
        return load_single(p);
    if (dtype == TN_FLOAT64)
        return tn_double_of_bits(tn_load64(p));
    if (dtype == TN_FLOAT8E8M0)
        return tn_power_decode(p[0]);
    unsigned bits = tn_dtype_bits(dtype);
    return tn_small_decode(tn_small_float(dtype),
                           (unsigned)tn_load_little(p, tn_dtype_size(dtype)) &
                               ((1u << bits) - 1));
}

static void store_float(enum tn_dtype dtype, double value, uint8_t *p)
{
    if (dtype == TN_FLOAT32)
        store_single(p, value);
    else if (dtype == TN_FLOAT64)
        tn_store_little(p, tn_double_bits(value), 8);
    else if (dtype == TN_FLOAT8E8M0)
        p[0] = (uint8_t)tn_power_encode(value);
    else
        tn_store_little(p, tn_small_encode(tn_small_float(dtype), value),
                        tn_dtype_size(dtype));
}

/* The low bits of a number, sign-extended. */
static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);

    value &= (sign - 1) | sign;
    return (value ^ sign) - sign;
}

static uint64_t zero_extend(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static struct number load(enum tn_dtype dtype, const uint8_t *p)
{
    struct number n    = { .kind = tn_element_kind(dtype) };
    unsigned      size = tn_dtype_size(dtype), bits = tn_dtype_bits(dtype);

    switch (n.kind) {
    case TN_ELEMENT_FLOAT: n.real = load_float(dtype, p); break;
    case TN_ELEMENT_SIGNED:
        n.bits = sign_extend(tn_load_little(p, size), bits);
        break;
    case TN_ELEMENT_UNSIGNED:
        n.bits = zero_extend(tn_load_little(p, size), bits);
        break;
    case TN_ELEMENT_BOOL: n.bits = p[0] != 0; break;
    case TN_ELEMENT_COMPLEX:
        n.real      = size == 8 ? load_single(p)
                                : tn_double_of_bits(tn_load_little(p, 8));
        n.imaginary = size == 8 ? load_single(p + 4)
                                : tn_double_of_bits(tn_load_little(p + 8, 8));
        break;
    case TN_ELEMENT_NONE: break;
    }
    return n;
}

/* An integer as a double for a type of `digits` bits of precision.  When it
 * does not fit, the last bit is set ("round to odd"): rounding that once more
 * to fewer than 52 bits is then the same as rounding the integer itself. */
static double magnitude_to_double(uint64_t magnitude, bool is_final)
{
    double value = (double)magnitude;

    if (is_final || magnitude >> 53 == 0)
        return value;
    int      shift = 11 - __builtin_clzll(magnitude);
    uint64_t kept  = magnitude >> shift;
    if (kept << shift != magnitude)
        kept |= 1;
    return (double)kept * tn_power_of_two(shift);
}

static double to_double(const struct number *n, bool is_final)
{
    switch (n->kind) {
    case TN_ELEMENT_FLOAT:
    case TN_ELEMENT_COMPLEX: return n->real;
    case TN_ELEMENT_SIGNED:
        if (n->bits & TN_DOUBLE_SIGN)
            return -magnitude_to_double(~n->bits + 1, is_final);
        return magnitude_to_double(n->bits, is_final);
    default: return magnitude_to_double(n->bits, is_final);
    }
}

static uint64_t float_to_signed(double value, unsigned bits)
{
    double  limit   = tn_power_of_two((int)bits - 1);
    int64_t largest = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);

    if (value != value)
        return 0;
    if (value >= limit)
        return (uint64_t)largest;
    return value <= -limit ? (uint64_t)(-largest - 1)
                           : (uint64_t)(int64_t)value;
}

static uint64_t float_to_unsigned(double value, unsigned bits)
{
    if (!(value > 0))
        return 0;
    if (value >= tn_power_of_two((int)bits))
        return zero_extend(UINT64_MAX, bits);
    return (uint64_t)value;
}

static bool is_float(const struct number *n)
{
    return n->kind == TN_ELEMENT_FLOAT || n->kind == TN_ELEMENT_COMPLEX;
}

static uint64_t to_integer(enum tn_dtype dtype, const struct number *n)
{
    unsigned bits      = tn_dtype_bits(dtype);
    bool     is_signed = tn_element_kind(dtype) == TN_ELEMENT_SIGNED;

    if (is_float(n))
        return is_signed ? float_to_signed(n->real, bits)
                         : float_to_unsigned(n->real, bits);
    return is_signed ? sign_extend(n->bits, bits) : zero_extend(n->bits, bits);
}

static bool to_bool(const struct number *n)
{
    if (!is_float(n))
        return n->bits != 0;
    return n->real != 0 || n->imaginary != 0;
}

static void store_complex(enum tn_dtype dtype, const struct number *n,
                          uint8_t *p)
{
    if (dtype == TN_COMPLEX64) {
        store_single(p, to_double(n, false));
        store_single(p + 4, n->imaginary);
    } else {
        tn_store_little(p, tn_double_bits(to_double(n, true)), 8);
        tn_store_little(p + 8, tn_double_bits(n->imaginary), 8);
    }
}

static void store(enum tn_dtype dtype, const struct number *n, uint8_t *p)
{
    switch (tn_element_kind(dtype)) {
    case TN_ELEMENT_FLOAT:
        store_float(dtype, to_double(n, dtype == TN_FLOAT64), p);
        break;
    case TN_ELEMENT_SIGNED:
    case TN_ELEMENT_UNSIGNED:
        tn_store_little(p, to_integer(dtype, n), tn_dtype_size(dtype));
        break;
    case TN_ELEMENT_BOOL: p[0] = to_bool(n); break;
    case TN_ELEMENT_COMPLEX: store_complex(dtype, n, p); break;
    case TN_ELEMENT_NONE: break;
    }
}

double tn_element_double(enum tn_dtype dtype, const uint8_t *element)
{
    struct number n = load(dtype, element);

    return to_double(&n, true);
}

int64_t tn_element_int64(enum tn_dtype dtype, const uint8_t *element)
{
    struct number n = load(dtype, element);

    return (int64_t)to_integer(TN_INT64, &n);
}

void tn_element_from_double(enum tn_dtype dtype, double value, uint8_t *to)
{
    store(dtype, &(struct number){ .kind = TN_ELEMENT_FLOAT, .real = value },
          to);
}

void tn_element_from_int64(enum tn_dtype dtype, int64_t value, uint8_t *to)
{
    store(
        dtype,
        &(struct number){ .kind = TN_ELEMENT_SIGNED, .bits = (uint64_t)value },
        to);
}

#define BATCH 256

/* Floats in bulk: the type is checked once a batch, not once an element. */
static void load_batch(enum tn_dtype dtype, const uint8_t *from, double *to,
                       size_t count)
{
    const struct tn_small_float *small = tn_small_float(dtype);
    unsigned                     size  = tn_dtype_size(dtype);
    unsigned                     mask  = (1u << tn_dtype_bits(dtype) % 32) - 1;

    if (dtype == TN_FLOAT32) {
        for (size_t i = 0; i < count; i++)
            to[i] = load_single(from + 4 * i);
    } else if (!small) {
        for (size_t i = 0; i < count; i++)
            to[i] = load_float(dtype, from + size * i);
    } else {
        for (size_t i = 0; i < count; i++) {
            unsigned code = from[size * i];
            if (size == 2)
                code |= (unsigned)from[2 * i + 1] << 8;
            to[i] = tn_small_decode(small, code & mask);
        }
    }
}

static void store_batch(enum tn_dtype dtype, const double *from, uint8_t *to,
                        size_t count)
{
    const struct tn_small_float *small = tn_small_float(dtype);
    unsigned                     size  = tn_dtype_size(dtype);

    if (dtype == TN_FLOAT32) {
        for (size_t i = 0; i < count; i++)
            store_single(to + 4 * i, from[i]);
    } else if (!small) {
        for (size_t i = 0; i < count; i++)
            store_float(dtype, from[i], to + size * i);
    } else {
        for (size_t i = 0; i < count; i++) {
            unsigned code = tn_small_encode(small, from[i]);
            to[size * i]  = (uint8_t)code;
            if (size == 2)
                to[2 * i + 1] = (uint8_t)(code >> 8);
        }
    }
}

static void convert_floats(enum tn_dtype to_dtype, uint8_t *to,
                           enum tn_dtype from_dtype, const uint8_t *from,
                           size_t count)
{
    double batch[BATCH];

    while (count > 0) {
        size_t n = count < BATCH ? count : BATCH;
        load_batch(from_dtype, from, batch, n);
        store_batch(to_dtype, batch, to, n);
        from += n * tn_dtype_size(from_dtype);
        to += n * tn_dtype_size(to_dtype);
        count -= n;
    }
}

/* Quantised weights are bytes, and become what models compute in. */
static void widen_bytes(uint8_t *to, enum tn_dtype from_dtype,
                        const uint8_t *from, size_t count)
{
    bool is_signed = from_dtype == TN_INT8;

    for (size_t i = 0; i < count; i++) {
        int   number = is_signed ? (int8_t)from[i] : from[i];
        float real   = (float)number;
        tn_store_little(to + 4 * i, tn_float_bits(real), 4);
    }
}

void tn_element_convert(enum tn_dtype to_dtype, uint8_t *to,
                        enum tn_dtype from_dtype, const uint8_t *from,
                        size_t count)
{
    unsigned to_size   = tn_dtype_size(to_dtype);
    unsigned from_size = tn_dtype_size(from_dtype);

    if (to_dtype == from_dtype) {
        memcpy(to, from, count * to_size);
        return;
    }
    if (tn_element_kind(to_dtype) == TN_ELEMENT_FLOAT &&
        tn_element_kind(from_dtype) == TN_ELEMENT_FLOAT) {
        convert_floats(to_dtype, to, from_dtype, from, count);
        return;
    }
    if (to_dtype == TN_FLOAT32 &&
        (from_dtype == TN_INT8 || from_dtype == TN_UINT8)) {
        widen_bytes(to, from_dtype, from, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct number n = load(from_dtype, from + i * from_size);
        store(to_dtype, &n, to + i * to_size);
    }
}
