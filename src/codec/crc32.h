/* crc32.h - the checksum of zip and gzip, by libdeflate */
#ifndef TN_CODEC_CRC32_H
#define TN_CODEC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Extends `crc` (0 to begin with) by some bytes. */
uint32_t tn_crc32(uint32_t crc, const void *data, size_t size);

#endif
