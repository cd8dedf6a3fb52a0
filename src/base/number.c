/* number.c - numbers as text, and back to the same bits */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A double is decided by at most 767 digits; one more stands for the rest. */
#define DIGITS 800
/* Exponents past this are zero or infinite whatever the digits are. */
#define EXPONENT_LIMIT 1000000000

/* Decimal text, taken apart: 0.DIGITS times ten to the exponent. */
struct decimal {
    bool     is_negative;
    bool     is_cut; /* digits other than zero were left out */
    unsigned count;
    int64_t  exponent;
    char     digits[DIGITS + 1];
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *d, char digit)
{
    if (d->count < DIGITS)
        d->digits[d->count++] = digit;
    else
        d->is_cut |= digit != '0';
}

/* A run of digits; those before the point raise the exponent. */
static const uint8_t *scan_digits(struct decimal *d, const uint8_t *at,
                                  const uint8_t *end, bool is_whole)
{
    for (; at < end && is_digit(*at); at++) {
        bool leads = d->count == 0 && *at == '0';
        if (!leads)
            add_digit(d, (char)*at);
        if (is_whole && !leads)
            d->exponent++;
        else if (!is_whole && leads)
            d->exponent--;
    }
    return at;
}

static const uint8_t *scan_exponent(struct decimal *d, const uint8_t *at,
                                    const uint8_t *end)
{
    bool    is_negative = at < end && *at == '-';
    int64_t exponent    = 0;

    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return NULL;
    for (; at < end && is_digit(*at); at++)
        if (exponent < EXPONENT_LIMIT)
            exponent = exponent * 10 + (*at - '0');
    d->exponent += is_negative ? -exponent : exponent;
    return at;
}

static bool scan_decimal(struct decimal *d, struct tn_bytes text)
{
    if (text.size == 0)
        return false;
    const uint8_t *at = text.data, *end = at + text.size;
    d->count = 0, d->exponent = 0, d->is_cut = false;
    d->is_negative = at < end && *at == '-';
    at += d->is_negative;
    const uint8_t *begin = at;
    at                   = scan_digits(d, at, end, true);
    uint64_t digits      = (uint64_t)(at - begin);
    if (at < end && *at == '.') {
        begin = ++at;
        at    = scan_digits(d, at, end, false);
        digits += (uint64_t)(at - begin);
    }
    if (digits == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E'))
        at = scan_exponent(d, at + 1, end);
    return at == end;
}

/* Digits and an exponent without a point: the one form strtod() reads alike
 * in every locale. */
bool tn_double_parse(struct tn_bytes text, double *value)
{
    struct decimal d;
    char           plain[DIGITS + 32];

    if (!scan_decimal(&d, text))
        return false;
    if (d.is_cut) /* after the last digit that can matter, and not 0 */
        d.digits[d.count - 1] = '1';
    int64_t exponent = d.exponent - (int64_t)d.count;
    if (exponent > EXPONENT_LIMIT || exponent < -EXPONENT_LIMIT)
        exponent = exponent > 0 ? EXPONENT_LIMIT : -EXPONENT_LIMIT;
    snprintf(plain, sizeof plain, "%s%.*se%d", d.is_negative ? "-" : "",
             d.count ? (int)d.count : 1, d.count ? d.digits : "0",
             (int)exponent);
    *value = strtod(plain, NULL);
    return true;
}

/* The value without its sign; false when it is not whole or past 64 bits. */
static bool parse_whole(struct tn_bytes text, bool *is_negative,
                        uint64_t *value)
{
    struct decimal d;

    if (!scan_decimal(&d, text) || d.is_cut)
        return false;
    while (d.count && d.digits[d.count - 1] == '0')
        d.count--;
    *is_negative = d.is_negative;
    *value       = 0;
    if (d.count == 0)
        return true;
    if (d.exponent < (int64_t)d.count || d.exponent > 20)
        return false;
    for (unsigned i = 0; i < (unsigned)d.exponent; i++) {
        unsigned digit = i < d.count ? (unsigned)(d.digits[i] - '0') : 0;
        if (__builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

bool tn_int64_parse(struct tn_bytes text, int64_t *value)
{
    bool     is_negative;
    uint64_t whole;

    if (!parse_whole(text, &is_negative, &whole))
        return false;
    if (whole > (uint64_t)INT64_MAX + is_negative)
        return false;
    *value = (int64_t)(is_negative ? ~whole + 1 : whole);
    return true;
}

bool tn_uint64_parse(struct tn_bytes text, uint64_t *value)
{
    bool     is_negative;
    uint64_t whole;

    if (!parse_whole(text, &is_negative, &whole) || (is_negative && whole))
        return false;
    *value = whole;
    return true;
}

float tn_double_to_float(double value)
{
    /* Half a unit above the largest float is where infinity begins. */
    static const double limit = 0x1.ffffffp127;

    if (isnan(value))
        return NAN;
    if (value >= limit || value <= -limit)
        return value > 0 ? INFINITY : -INFINITY;
    if (value > FLT_MAX || value < -FLT_MAX)
        return value > 0 ? FLT_MAX : -FLT_MAX;
    return (float)value;
}

unsigned tn_number_drop_locale(char *text)
{
    unsigned size = 0;

    for (const char *at = text; *at; at++) {
        bool is_plain =
            is_digit((uint8_t)*at) || *at == '-' || *at == '+' || *at == 'e';
        if (is_plain)
            text[size++] = *at;
        else if (size == 0 || text[size - 1] != '.')
            text[size++] = '.';
    }
    text[size] = '\0';
    return size;
}

static unsigned print_special(char *to, double value)
{
    const char *text = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";

    return (unsigned)snprintf(to, TN_NUMBER_ROOM, "%s", text);
}

unsigned tn_double_print(char to[TN_NUMBER_ROOM], double value)
{
    if (!isfinite(value))
        return print_special(to, value);
    snprintf(to, TN_NUMBER_ROOM, "%.*g", DBL_DIG, value);
    if (strtod(to, NULL) != value)
        snprintf(to, TN_NUMBER_ROOM, "%.*g", DBL_DIG + 2, value);
    return tn_number_drop_locale(to);
}

unsigned tn_float_print(char to[TN_NUMBER_ROOM], float value)
{
    if (!isfinite(value))
        return print_special(to, (double)value);
    snprintf(to, TN_NUMBER_ROOM, "%.*g", FLT_DIG, (double)value);
    if (strtof(to, NULL) != value)
        snprintf(to, TN_NUMBER_ROOM, "%.*g", FLT_DIG + 3, (double)value);
    return tn_number_drop_locale(to);
}

unsigned tn_float_print_short(char to[TN_NUMBER_ROOM], float value)
{
    if (!isfinite(value))
        return print_special(to, (double)value);
    for (int digits = FLT_DIG; digits <= FLT_DIG + 3; digits++) {
        snprintf(to, TN_NUMBER_ROOM, "%.*g", digits, (double)value);
        if (strtof(to, NULL) == value)
            break;
    }
    return tn_number_drop_locale(to);
}
