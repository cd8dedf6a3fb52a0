/* snappy.c - raw Snappy blocks (no framing), by libsnappy */
#include "codec/snappy.h"

#include <inttypes.h>
#include <snappy-c.h>

#include "base/arith.h"

/* The densest element is a copy: three bytes that repeat 64. */
#define COPY_BYTES 3
#define COPY_GIVES 64

static enum tn_status plausible_length(struct tn_bytes packed, uint64_t offset,
                                       size_t *length, struct tn_error *error)
{
    uint64_t most;

    if (snappy_uncompressed_length((const char *)packed.data, packed.size,
                                   length) != SNAPPY_OK)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "a snappy block without a length");
    if (!tn_mul(packed.size / COPY_BYTES + 1, COPY_GIVES, &most) ||
        *length > most)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "%zu bytes of snappy cannot hold %zu", packed.size,
                            *length);
    return TN_OK;
}

enum tn_status tn_snappy_decode(struct tn_bytes packed, uint64_t offset,
                                struct tn_buffer *to, struct tn_error *error)
{
    size_t length = 0;

    TN_TRY(plausible_length(packed, offset, &length, error));
    uint8_t *room = tn_buffer_room(to, length ? length : 1);
    if (!room) {
        if (to->error != error)
            *error = *to->error;
        return error->status;
    }
    if (snappy_uncompress((const char *)packed.data, packed.size, (char *)room,
                          &length) != SNAPPY_OK)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "a damaged snappy block of %zu bytes", packed.size);
    to->size += length;
    return TN_OK;
}

enum tn_status tn_snappy_encode(struct tn_bytes plain, struct tn_buffer *to,
                                struct tn_error *error)
{
    if (plain.size > UINT32_MAX)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "%zu bytes are too many for one snappy block",
                            plain.size);
    size_t   length = snappy_max_compressed_length(plain.size);
    uint8_t *room   = tn_buffer_room(to, length);
    if (!room) {
        if (to->error != error)
            *error = *to->error;
        return error->status;
    }
    snappy_compress((const char *)plain.data, plain.size, (char *)room,
                    &length);
    to->size += length;
    return TN_OK;
}
