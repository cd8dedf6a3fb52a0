/*
 * crc32.c - the checksum of zip and gzip, by libdeflate
 *
 * Zeros are added by arithmetic: a checksum is a polynomial over bits, lowest
 * power in the highest bit, modulo POLYNOMIAL; a zero bit after it multiplies
 * it by x.
 */
#include "codec/crc32.h"

#include <libdeflate.h>

#define POLYNOMIAL 0xedb88320u
#define ONE        0x80000000u

uint32_t tn_crc32(uint32_t crc, const void *data, size_t size)
{
    /* For libdeflate, a buffer of NULL means "begin anew", whatever the length
     * is. */
    return size ? libdeflate_crc32(crc, data, size) : crc;
}

static uint32_t times(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (; a; a <<= 1) {
        if (a & ONE)
            product ^= b;
        b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
    }
    return product;
}

/* x to the power of 8 * count. */
static uint32_t power_of_bytes(uint64_t count)
{
    uint32_t power = ONE, square = ONE >> 8;

    for (; count; count >>= 1) {
        if (count & 1)
            power = times(power, square);
        square = times(square, square);
    }
    return power;
}

uint32_t tn_crc32_zeros(uint32_t crc, uint64_t count)
{
    return count ? ~times(power_of_bytes(count), ~crc) : crc;
}

uint32_t tn_crc32_join(uint32_t first, uint32_t second, uint64_t size)
{
    return times(power_of_bytes(size), first) ^ second;
}
