/* little.h - little-endian numbers at any address */
#ifndef TN_BASE_LITTLE_H
#define TN_BASE_LITTLE_H

#include <stdint.h>

static inline uint16_t tn_load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t tn_load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t tn_load64(const uint8_t *p)
{
    return (uint64_t)tn_load32(p) | (uint64_t)tn_load32(p + 4) << 32;
}

/* Of up to eight bytes. */
static inline uint64_t tn_load_little(const uint8_t *p, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

static inline void tn_store_little(uint8_t *p, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

#endif
