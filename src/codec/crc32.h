/* crc32.h - the checksum of zip and gzip, by libdeflate */
#ifndef TN_CODEC_CRC32_H
#define TN_CODEC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Extends `crc` (0 to begin with) by some bytes. */
uint32_t tn_crc32(uint32_t crc, const void *data, size_t size);

/* Extends it by `count` zero bytes, in time logarithmic in the count: a hole
 * gets its checksum without being read. */
uint32_t tn_crc32_zeros(uint32_t crc, uint64_t count);

/* The checksum of two byte sequences one after the other, from the checksums of
 * both; `size` is that of the second. */
uint32_t tn_crc32_join(uint32_t first, uint32_t second, uint64_t size);

#endif
