/* crc32c.h - the checksum of TensorFlow's tables and bundles (Castagnoli) */
#ifndef TN_CODEC_CRC32C_H
#define TN_CODEC_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Extends `crc` (0 to begin with) by some bytes.  Uses SSE4.2 where the
 * machine has it. */
uint32_t tn_crc32c(uint32_t crc, const void *data, size_t size);

/* The same without special instructions, on any machine. */
uint32_t tn_crc32c_tables(uint32_t crc, const void *data, size_t size);

/* Extends it by `count` zero bytes, in time logarithmic in the count: for
 * holes. */
uint32_t tn_crc32c_zeros(uint32_t crc, uint64_t count);

/* The masked form that is stored in files. */
static inline uint32_t tn_crc32c_mask(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

#endif
