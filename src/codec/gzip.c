/*
 * gzip.c - gzip files (RFC 1952) of one member, in memory
 *
 *   u8   1f 8b          magic
 *   u8   method         8: deflate
 *   u8   flags          1 text, 2 header checksum, 4 extra, 8 name, 16 comment
 *   u32  time  u8 level  u8 system
 *        by flags: u16 n, n bytes;  name, 0;  comment, 0;  u16
 *   ...  a deflate stream
 *   u32  crc32 of what it holds
 *   u32  its size, modulo 2^32
 */
#include "codec/gzip.h"

#include <inttypes.h>

#include "base/cursor.h"
#include "codec/crc32.h"
#include "codec/deflate.h"

enum { HAS_CHECKSUM = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16 };

#define TRAILER 8

bool tn_is_gzip(struct tn_bytes bytes)
{
    return bytes.size > 2 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b;
}

static void skip_text(struct tn_cursor *c)
{
    while (tn_more(c) && tn_u8(c) != 0)
        continue;
}

static void read_header(struct tn_cursor *c)
{
    tn_skip(c, 2);
    uint8_t method = tn_u8(c), flags = tn_u8(c);
    if (!tn_failed(c->error) && method != 8)
        tn_fail_at(c, 2, TN_UNSUPPORTED, "gzip with method %u, not deflate",
                   method);
    tn_skip(c, 6);
    if (flags & HAS_EXTRA) {
        uint32_t low = tn_u8(c);
        tn_skip(c, low | (uint32_t)tn_u8(c) << 8);
    }
    if (flags & HAS_NAME)
        skip_text(c);
    if (flags & HAS_COMMENT)
        skip_text(c);
    if (flags & HAS_CHECKSUM)
        tn_skip(c, 2);
}

enum tn_status tn_gzip_decode(struct tn_bytes packed, uint64_t most,
                              struct tn_buffer *to, struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_bytes(packed, 0, error);

    read_header(&c);
    if (!tn_failed(error) && tn_left(&c) < TRAILER)
        tn_fail(&c, TN_TRUNCATED, "gzip ends before its checksum");
    if (tn_failed(error))
        return error->status;
    uint64_t        offset = c.offset;
    struct tn_bytes body   = tn_take_bytes(&c, tn_left(&c) - TRAILER);
    uint32_t        crc = tn_u32(&c), size = tn_u32(&c);
    size_t          before = to->size;
    if (size > most)
        return tn_error_set(error, TN_LIMIT, offset,
                            "gzip of %" PRIu32 " bytes, limit %" PRIu64, size,
                            most);
    TN_TRY(tn_deflate_decode(body, offset, size, to, error));
    if (tn_crc32(0, to->data + before, to->size - before) != crc)
        return tn_error_set(error, TN_MALFORMED, offset + body.size,
                            "gzip's checksum does not match");
    return TN_OK;
}
