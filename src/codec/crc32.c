/* crc32.c - the checksum of zip and gzip, by libdeflate */
#include "codec/crc32.h"

#include <libdeflate.h>

uint32_t tn_crc32(uint32_t crc, const void *data, size_t size)
{
    /* libdeflate reads "no buffer" as "begin anew", whatever the length. */
    return size ? libdeflate_crc32(crc, data, size) : crc;
}
