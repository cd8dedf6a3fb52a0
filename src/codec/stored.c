/* stored.c - bytes that the library carries compressed */
#include "codec/stored.h"

#include "base/cursor.h"
#include "codec/zstd.h"

struct tn_bytes tn_stored_read(struct tn_bytes stored, struct tn_arena *arena,
                               struct tn_error *error)
{
    struct tn_cursor in   = tn_cursor_bytes(stored, 0, error);
    uint32_t         size = tn_u32(&in);

    if (tn_failed(error))
        return tn_bytes(NULL, 0);
    return tn_zstd_decode_all(tn_bytes(in.at, (size_t)(in.end - in.at)), size,
                              arena, error);
}
