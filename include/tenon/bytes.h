/* bytes.h - a borrowed view of some bytes, or of text without a terminator */
#ifndef TENON_BYTES_H
#define TENON_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct tn_bytes {
    const uint8_t *data; /* may be NULL when size is 0 */
    size_t         size;
};

#endif
