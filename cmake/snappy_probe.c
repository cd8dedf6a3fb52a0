/* snappy_probe.c - calls what src/codec/snappy.c calls, to see if it links */
#include <snappy-c.h>

int main(void)
{
    char   packed[64], plain[16];
    size_t length = sizeof packed, back = sizeof plain;

    return snappy_compress("snappy", 6, packed, &length) != SNAPPY_OK ||
           snappy_uncompressed_length(packed, length, &back) != SNAPPY_OK ||
           snappy_uncompress(packed, length, plain, &back) != SNAPPY_OK ||
           back != 6;
}
