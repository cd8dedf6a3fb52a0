/*
 * element.c - single elements: as numbers, as text, in another type
 *
 * Every type is loaded into one of five kinds of number and stored from it, so
 * that all pairs of types convert by the same few rules.
 */
#include "ir/element.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cursor.h"

enum kind {
    KIND_NONE,
    KIND_FLOAT,
    KIND_SIGNED,
    KIND_UNSIGNED,
    KIND_BOOL,
    KIND_COMPLEX
};

struct number {
    enum kind kind;
    double    real, imaginary; /* FLOAT, COMPLEX         */
    uint64_t  bits;            /* SIGNED, UNSIGNED, BOOL */
};

static enum kind kind_of(enum tn_dtype dtype)
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
    case TN_QINT32: return KIND_SIGNED;
    case TN_UINT8:
    case TN_UINT16:
    case TN_UINT32:
    case TN_UINT64:
    case TN_UINT4:
    case TN_UINT2:
    case TN_QUINT8:
    case TN_QUINT16: return KIND_UNSIGNED;
    case TN_BOOL: return KIND_BOOL;
    case TN_COMPLEX64:
    case TN_COMPLEX128: return KIND_COMPLEX;
    default: return tn_dtype_bits(dtype) ? KIND_FLOAT : KIND_NONE;
    }
}

/*
 * Floats of at most 16 bits.  Codes without the sign are ordered like their
 * values; `largest` is the last finite one, `nan` is the code we write.
 */
struct small_float {
    uint8_t  exponent_bits, mantissa_bits;
    int16_t  bias;
    uint16_t sign, largest, infinity, nan; /* sign, infinity 0: has none */
    bool     is_nan_unique; /* no other code is NaN; there is no -0        */
};

static const struct small_float *small_float(enum tn_dtype dtype)
{
    /* clang-format off */
    static const struct small_float float16  = { 5, 10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00, false };
    static const struct small_float bfloat16 = { 8, 7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0, false };
    static const struct small_float e4m3     = { 4, 3, 7, 0x80, 0x7e, 0, 0x7f, false };
    static const struct small_float e4m3uz   = { 4, 3, 8, 0x80, 0x7f, 0, 0x80, true };
    static const struct small_float e4m3b11  = { 4, 3, 11, 0x80, 0x7f, 0, 0x80, true };
    static const struct small_float e5m2     = { 5, 2, 15, 0x80, 0x7b, 0x7c, 0x7e, false };
    static const struct small_float e5m2uz   = { 5, 2, 16, 0x80, 0x7f, 0, 0x80, true };
    static const struct small_float e2m1     = { 2, 1, 1, 0x8, 0x7, 0, 0x7, false };
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

static double from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define NOT_A_NUMBER from_bits(UINT64_C(0x7ff8000000000000))
#define INFINITE     from_bits(UINT64_C(0x7ff0000000000000))
/* Room for one float as text. */
#define FLOAT_TEXT 40

#define SIGN (UINT64_C(1) << 63)

/* 2 to a power that a normal double has. */
static double power_of_two(int exponent)
{
    return from_bits((uint64_t)(exponent + 1023) << 52);
}

static double decode_magnitude(const struct small_float *f, unsigned code)
{
    unsigned mantissa = code & ((1u << f->mantissa_bits) - 1);
    int      exponent = (int)(code >> f->mantissa_bits);

    if (exponent == 0)
        exponent = 1;
    else
        mantissa |= 1u << f->mantissa_bits;
    return (double)mantissa *
           power_of_two(exponent - f->bias - f->mantissa_bits);
}

static double decode_small(const struct small_float *f, unsigned code)
{
    unsigned magnitude   = code & (f->sign - 1u);
    bool     is_negative = (code & f->sign) != 0;
    double   value;

    if (f->is_nan_unique && code == f->nan)
        return NOT_A_NUMBER;
    if (magnitude <= f->largest)
        value = decode_magnitude(f, magnitude);
    else if (f->infinity && magnitude == f->infinity)
        value = INFINITE;
    else
        value = NOT_A_NUMBER;
    return is_negative ? -value : value;
}

/* value >> shift, to nearest, ties to even; value has at most 53 bits. */
static uint64_t shift_to_nearest(uint64_t value, int shift)
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
static uint64_t nearest_code(int bias, int mantissa_bits, uint64_t bits)
{
    int      exponent    = (int)(bits >> 52) - 1023;
    uint64_t significand = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1)
                                                                    << 52;
    int lowest = 1 - bias;
    int shift  = 52 - mantissa_bits;
    int steps  = exponent - lowest;

    if (exponent == -1023) /* zero, and doubles too small for any code */
        return 0;
    if (steps < 0) {
        shift -= steps;
        steps = 0;
    }
    return ((uint64_t)steps << mantissa_bits) +
           shift_to_nearest(significand, shift);
}

static unsigned encode_small(const struct small_float *f, double value)
{
    uint64_t bits     = to_bits(value);
    bool     negative = (bits & SIGN) != 0;
    uint64_t code;

    bits &= ~SIGN;
    if (value != value) {
        code = f->nan;
    } else {
        code = nearest_code(f->bias, f->mantissa_bits, bits);
        if (code > f->largest || bits >> 52 == 0x7ff)
            code = f->infinity ? f->infinity : f->largest;
    }
    if (f->is_nan_unique && (code == 0 || code == f->nan))
        return (unsigned)code;
    return (unsigned)code | (negative ? f->sign : 0u);
}

/* float8e8m0: the exponent alone. */
static double decode_power(unsigned code)
{
    return code == 0xff ? NOT_A_NUMBER : power_of_two((int)code - 127);
}

static unsigned encode_power(double value)
{
    uint64_t bits = to_bits(value);

    if (value != value || value < 0)
        return 0xff;
    bits &= ~SIGN;
    if (bits >> 52 == 0x7ff)
        return 0xfe;
    /* Code 0 is a power like the others, not where subnormals live: shift the
     * scale by one so that nearest_code() sees it as its first normal one. */
    uint64_t code = nearest_code(128, 0, bits);
    if (code > 0xff)
        code = 0xff;
    return code ? (unsigned)code - 1 : 0;
}

static double load_single(const uint8_t *p)
{
    uint32_t bits = tn_load32(p);
    float    value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void store_single(uint8_t *p, double value)
{
    float    narrow = (float)value;
    uint32_t bits;

    memcpy(&bits, &narrow, sizeof bits);
    p[0] = (uint8_t)bits;
    p[1] = (uint8_t)(bits >> 8);
    p[2] = (uint8_t)(bits >> 16);
    p[3] = (uint8_t)(bits >> 24);
}

static double load_float(enum tn_dtype dtype, const uint8_t *p)
{
    const struct small_float *small = small_float(dtype);

    if (dtype == TN_FLOAT32)
        return load_single(p);
    if (dtype == TN_FLOAT64)
        return from_bits(tn_load64(p));
    if (dtype == TN_FLOAT8E8M0)
        return decode_power(p[0]);
    unsigned bits = tn_dtype_bits(dtype);
    return decode_small(small,
                        (unsigned)tn_load_little(p, tn_dtype_size(dtype)) &
                            ((1u << bits) - 1));
}

static void store_float(enum tn_dtype dtype, double value, uint8_t *p)
{
    const struct small_float *small = small_float(dtype);

    if (dtype == TN_FLOAT32)
        store_single(p, value);
    else if (dtype == TN_FLOAT64)
        tn_store_little(p, to_bits(value), 8);
    else if (dtype == TN_FLOAT8E8M0)
        p[0] = (uint8_t)encode_power(value);
    else
        tn_store_little(p, encode_small(small, value), tn_dtype_size(dtype));
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
    struct number n    = { .kind = kind_of(dtype) };
    unsigned      size = tn_dtype_size(dtype), bits = tn_dtype_bits(dtype);

    switch (n.kind) {
    case KIND_FLOAT: n.real = load_float(dtype, p); break;
    case KIND_SIGNED:
        n.bits = sign_extend(tn_load_little(p, size), bits);
        break;
    case KIND_UNSIGNED:
        n.bits = zero_extend(tn_load_little(p, size), bits);
        break;
    case KIND_BOOL: n.bits = p[0] != 0; break;
    case KIND_COMPLEX:
        n.real = size == 8 ? load_single(p) : from_bits(tn_load_little(p, 8));
        n.imaginary = size == 8 ? load_single(p + 4)
                                : from_bits(tn_load_little(p + 8, 8));
        break;
    case KIND_NONE: break;
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
    return (double)kept * power_of_two(shift);
}

static double to_double(const struct number *n, bool is_final)
{
    switch (n->kind) {
    case KIND_FLOAT:
    case KIND_COMPLEX: return n->real;
    case KIND_SIGNED:
        if (n->bits & SIGN)
            return -magnitude_to_double(~n->bits + 1, is_final);
        return magnitude_to_double(n->bits, is_final);
    default: return magnitude_to_double(n->bits, is_final);
    }
}

static uint64_t float_to_signed(double value, unsigned bits)
{
    double  limit   = power_of_two((int)bits - 1);
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
    if (value >= power_of_two((int)bits))
        return zero_extend(UINT64_MAX, bits);
    return (uint64_t)value;
}

static bool is_float(const struct number *n)
{
    return n->kind == KIND_FLOAT || n->kind == KIND_COMPLEX;
}

static uint64_t to_integer(enum tn_dtype dtype, const struct number *n)
{
    unsigned bits      = tn_dtype_bits(dtype);
    bool     is_signed = kind_of(dtype) == KIND_SIGNED;

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
        tn_store_little(p, to_bits(to_double(n, true)), 8);
        tn_store_little(p + 8, to_bits(n->imaginary), 8);
    }
}

static void store(enum tn_dtype dtype, const struct number *n, uint8_t *p)
{
    switch (kind_of(dtype)) {
    case KIND_FLOAT:
        store_float(dtype, to_double(n, dtype == TN_FLOAT64), p);
        break;
    case KIND_SIGNED:
    case KIND_UNSIGNED:
        tn_store_little(p, to_integer(dtype, n), tn_dtype_size(dtype));
        break;
    case KIND_BOOL: p[0] = to_bool(n); break;
    case KIND_COMPLEX: store_complex(dtype, n, p); break;
    case KIND_NONE: break;
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
    store(dtype, &(struct number){ .kind = KIND_FLOAT, .real = value }, to);
}

void tn_element_from_int64(enum tn_dtype dtype, int64_t value, uint8_t *to)
{
    store(dtype,
          &(struct number){ .kind = KIND_SIGNED, .bits = (uint64_t)value }, to);
}

#define BATCH 256

/* Floats in bulk: the type is looked at once a batch, not once an element. */
static void load_batch(enum tn_dtype dtype, const uint8_t *from, double *to,
                       size_t count)
{
    const struct small_float *small = small_float(dtype);
    unsigned                  size  = tn_dtype_size(dtype);
    unsigned                  mask  = (1u << tn_dtype_bits(dtype) % 32) - 1;

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
            to[i] = decode_small(small, code & mask);
        }
    }
}

static void store_batch(enum tn_dtype dtype, const double *from, uint8_t *to,
                        size_t count)
{
    const struct small_float *small = small_float(dtype);
    unsigned                  size  = tn_dtype_size(dtype);

    if (dtype == TN_FLOAT32) {
        for (size_t i = 0; i < count; i++)
            store_single(to + 4 * i, from[i]);
    } else if (!small) {
        for (size_t i = 0; i < count; i++)
            store_float(dtype, from[i], to + size * i);
    } else {
        for (size_t i = 0; i < count; i++) {
            unsigned code = encode_small(small, from[i]);
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
    if (kind_of(to_dtype) == KIND_FLOAT && kind_of(from_dtype) == KIND_FLOAT) {
        convert_floats(to_dtype, to, from_dtype, from, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct number n = load(from_dtype, from + i * from_size);
        store(to_dtype, &n, to + i * to_size);
    }
}

/* printf writes what the locale has between digits: put a point there. */
static void put_point(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        bool is_plain = (*at >= '0' && *at <= '9') || *at == '-' ||
                        *at == '+' || *at == 'e';
        if (is_plain)
            *to++ = *at;
        else if (to == text || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

/* Digits that every number of the type survives, in decimal and back; numbers
 * below the normal ones have less precision, and may need but one. */
static int first_precision(enum tn_dtype dtype, double value)
{
    double magnitude = value < 0 ? -value : value;

    switch (dtype) {
    case TN_FLOAT64: return magnitude < DBL_MIN ? 1 : DBL_DIG;
    case TN_FLOAT32: return magnitude < (double)FLT_MIN ? 1 : FLT_DIG;
    default: return 1;
    }
}

/* Integers in full, unless that is longer: 448, not 4.5e+02. */
static void prefer_integer(double value, char *text)
{
    char   whole[FLOAT_TEXT];
    double magnitude = value < 0 ? -value : value;

    if (magnitude >= 1e17 || (double)(int64_t)value != value)
        return;
    snprintf(whole, sizeof whole, "%" PRId64, (int64_t)value);
    if (value != 0 && strlen(whole) <= strlen(text))
        strcpy(text, whole);
}

static void float_text(enum tn_dtype dtype, const uint8_t *element, char *text)
{
    uint8_t again[8];
    double  value = load_float(dtype, element);

    if (value != value) {
        strcpy(text, "nan");
        return;
    }
    if (value - value != 0) {
        strcpy(text, value < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = first_precision(dtype, value); digits <= DBL_DECIMAL_DIG;
         digits++) {
        snprintf(text, FLOAT_TEXT, "%.*g", digits, value);
        store_float(dtype, strtod(text, NULL), again);
        if (load_float(dtype, again) == value)
            break;
    }
    put_point(text);
    prefer_integer(value, text);
}

static void complex_text(enum tn_dtype dtype, const uint8_t *element,
                         char *text)
{
    enum tn_dtype part = dtype == TN_COMPLEX64 ? TN_FLOAT32 : TN_FLOAT64;
    char          real[FLOAT_TEXT], imaginary[FLOAT_TEXT];

    float_text(part, element, real);
    float_text(part, element + tn_dtype_size(part), imaginary);
    snprintf(text, TN_ELEMENT_TEXT, "(%s%s%sj)", real,
             imaginary[0] == '-' ? "" : "+", imaginary);
}

const char *tn_element_text(enum tn_dtype dtype, const uint8_t *element,
                            char text[TN_ELEMENT_TEXT])
{
    struct number n = { .kind = kind_of(dtype) };

    text[0] = '\0';
    if (n.kind == KIND_NONE)
        return text;
    n = load(dtype, element);
    switch (n.kind) {
    case KIND_FLOAT: float_text(dtype, element, text); break;
    case KIND_COMPLEX: complex_text(dtype, element, text); break;
    case KIND_SIGNED:
        snprintf(text, TN_ELEMENT_TEXT, "%" PRId64, (int64_t)n.bits);
        break;
    case KIND_UNSIGNED:
        snprintf(text, TN_ELEMENT_TEXT, "%" PRIu64, n.bits);
        break;
    default: strcpy(text, n.bits ? "true" : "false"); break;
    }
    return text;
}

/* The decimal text with the locale's point, as strtod() wants it. */
static bool localize(struct tn_bytes text, char *to, size_t room)
{
    char   half[16];
    size_t at = 0;

    snprintf(half, sizeof half, "%.1f", 0.5);
    size_t point = strlen(half) - 2;
    for (size_t i = 0; i < text.size; i++) {
        bool   is_point = text.data[i] == '.';
        size_t size     = is_point ? point : 1;
        if (at + size >= room || text.data[i] == '\0')
            return false;
        memcpy(to + at, is_point ? (void *)(half + 1) : (void *)(text.data + i),
               size);
        at += size;
    }
    to[at] = '\0';
    return at > 0;
}

static bool is_decimal(struct tn_bytes text)
{
    if (tn_bytes_is(text, "nan") || tn_bytes_is(text, "inf") ||
        tn_bytes_is(text, "-inf") || tn_bytes_is(text, "+inf"))
        return true;
    for (size_t i = 0; i < text.size; i++) {
        if (!memchr("0123456789+-.eE", text.data[i], 15))
            return false;
    }
    return text.size > 0;
}

static bool parse_float(struct tn_bytes text, double *value)
{
    char  local[512];
    char *end;

    if (!is_decimal(text) || !localize(text, local, sizeof local))
        return false;
    *value = strtod(local, &end);
    return *end == '\0';
}

static bool parse_integer(enum tn_dtype dtype, struct tn_bytes text,
                          uint8_t *to)
{
    bool     is_negative = text.size > 0 && text.data[0] == '-';
    unsigned bits        = tn_dtype_bits(dtype);
    uint64_t magnitude   = 0;
    uint64_t largest     = zero_extend(UINT64_MAX, bits);

    if (kind_of(dtype) == KIND_SIGNED)
        largest = (largest >> 1) + is_negative;
    else if (is_negative)
        largest = 0;
    if (text.size == is_negative)
        return false;
    for (size_t i = is_negative; i < text.size; i++) {
        unsigned digit = text.data[i] - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(magnitude, 10, &magnitude) ||
            __builtin_add_overflow(magnitude, digit, &magnitude) ||
            magnitude > largest)
            return false;
    }
    tn_store_little(to, is_negative ? ~magnitude + 1 : magnitude,
                    tn_dtype_size(dtype));
    return true;
}

static bool parse_bool(struct tn_bytes text, uint8_t *to)
{
    *to = tn_bytes_is(text, "true") || tn_bytes_is(text, "1");
    return *to || tn_bytes_is(text, "false") || tn_bytes_is(text, "0");
}

/* Where the imaginary part of "1e-5-2j" begins: at the last sign that does not
 * belong to an exponent. */
static size_t imaginary_at(struct tn_bytes text)
{
    for (size_t i = text.size; i-- > 1;) {
        bool is_sign = text.data[i] == '+' || text.data[i] == '-';
        if (is_sign && text.data[i - 1] != 'e' && text.data[i - 1] != 'E')
            return i;
    }
    return 0;
}

static bool parse_complex(enum tn_dtype dtype, struct tn_bytes text,
                          uint8_t *to)
{
    struct number n = { .kind = KIND_COMPLEX };

    if (text.size > 2 && text.data[0] == '(' && text.data[text.size - 1] == ')')
        text = tn_bytes(text.data + 1, text.size - 2);
    if (text.size > 0 && text.data[text.size - 1] == 'j') {
        size_t at = imaginary_at(text);
        if (!parse_float(tn_bytes(text.data + at, text.size - 1 - at),
                         &n.imaginary))
            return false;
        text.size = at;
    }
    if (text.size > 0 || n.imaginary == 0) {
        if (!parse_float(text, &n.real))
            return false;
    }
    store(dtype, &n, to);
    return true;
}

bool tn_element_parse(enum tn_dtype dtype, struct tn_bytes text, uint8_t *to)
{
    double value;

    switch (kind_of(dtype)) {
    case KIND_FLOAT:
        if (!parse_float(text, &value))
            return false;
        store_float(dtype, value, to);
        return true;
    case KIND_SIGNED:
    case KIND_UNSIGNED: return parse_integer(dtype, text, to);
    case KIND_BOOL: return parse_bool(text, to);
    case KIND_COMPLEX: return parse_complex(dtype, text, to);
    default: return false;
    }
}

/* Bytes of the well-formed UTF-8 character of several bytes at `p`, or 0. */
static size_t utf8_size(const uint8_t *p, size_t left)
{
    size_t                size       = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    uint32_t              code       = p[0] & (0xffu >> (size + 1));
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

    if (p[0] < 0xc2 || p[0] > 0xf4 || size > left)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    bool is_surrogate = code >= 0xd800 && code < 0xe000;
    /* C1 controls move a terminal's cursor as escapes do. */
    bool is_control = code < 0xa0;
    return code < smallest[size] || code > 0x10ffff || is_surrogate ||
                   is_control
               ? 0
               : size;
}

static void put_escape(struct tn_buffer *to, uint8_t byte)
{
    switch (byte) {
    case '\n': tn_buffer_text(to, "\\n"); break;
    case '\r': tn_buffer_text(to, "\\r"); break;
    case '\t': tn_buffer_text(to, "\\t"); break;
    case '"': tn_buffer_text(to, "\\\""); break;
    case '\\': tn_buffer_text(to, "\\\\"); break;
    default: tn_buffer_format(to, "\\x%02x", byte); break;
    }
}

void tn_element_string(struct tn_buffer *to, struct tn_bytes text)
{
    tn_buffer_byte(to, '"');
    for (size_t i = 0; i < text.size;) {
        uint8_t byte = text.data[i];
        size_t  size = 0;
        if (byte >= 0x80)
            size = utf8_size(text.data + i, text.size - i);
        else if (byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\')
            size = 1;
        if (size)
            tn_buffer_add(to, tn_bytes(text.data + i, size));
        else
            put_escape(to, byte);
        i += size ? size : 1;
    }
    tn_buffer_byte(to, '"');
}
