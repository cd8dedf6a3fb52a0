/*
 * number.h - numbers as text, and back to the same bits
 *
 * Prints what protobuf prints: the short form if it reads back to the same
 * number, else all the digits that can matter.  The host's locale has no
 * influence in either direction.
 */
#ifndef TN_BASE_NUMBER_H
#define TN_BASE_NUMBER_H

#include "base/byte_view.h"

#define TN_NUMBER_ROOM 32

/* "0.1", "1e+20", "-0", "nan", "inf", "-inf", with a zero byte after it.
 * Returns the length. */
unsigned tn_double_print(char to[TN_NUMBER_ROOM], double value);
unsigned tn_float_print(char to[TN_NUMBER_ROOM], float value);
/* The fewest digits, from six on, that read back: what JSON shows. */
unsigned tn_float_print_short(char to[TN_NUMBER_ROOM], float value);

/* Replaces whatever the locale puts between the digits of a number that printf
 * wrote by a point.  Returns the length. */
unsigned tn_number_drop_locale(char *text);

/* Decimal: [-] digits [. digits] [e [+-] digits], with a digit before or after
 * the point.  Gives the nearest double; infinite if it is past the largest.
 * False if the text is something else. */
bool tn_double_parse(struct tn_bytes text, double *value);

/* Whole numbers, also written as 1e3 or 2.50e1: exact, or false. */
bool tn_int64_parse(struct tn_bytes text, int64_t *value);
bool tn_uint64_parse(struct tn_bytes text, uint64_t *value);

/* The nearest float; past the largest it is infinite. */
float tn_double_to_float(double value);

static inline uint32_t tn_float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float tn_float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t tn_double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double tn_double_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
