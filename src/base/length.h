/* length.h - the size of a complex number */
#ifndef TN_BASE_LENGTH_H
#define TN_BASE_LENGTH_H

#include <math.h>

/* What hypot() returns, up to the last bit, except that NaN wins over infinity.
 * Not hypot() itself: glibc 2.35 gave it a new symbol version, which older
 * releases lack. */
static inline double tn_length(double real, double imaginary)
{
    double a = fabs(real), b = fabs(imaginary);
    double larger = a > b ? a : b, smaller = a > b ? b : a;

    if (isnan(real) || isnan(imaginary))
        return NAN;
    if (larger == 0 || isinf(larger))
        return larger;
    smaller /= larger;
    return larger * sqrt(1 + smaller * smaller);
}

#endif
