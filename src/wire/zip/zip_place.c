/*
 * zip_place.c - where the entries of a zip are: local headers, data, gaps
 *
 * Entries in the order of the file, each compared with what the directory says
 * about it; between them only what was replaced and directories of older
 * commits.
 *
 * A lazy zip leaves a local header alone when the data lies where our writer
 * puts it and ends where the next thing begins.  Then no byte can belong to
 * anything else, and the header is compared when the entry is used.
 */
#include "base/arith.h"
#include "wire/zip/zip_records.h"

/* ---- their order -------------------------------------------------------- */

static struct tn_zip_entry *entry_in_order(const struct tn_zip *zip,
                                           uint64_t             rank)
{
    return tn_list_at(&zip->entries, struct tn_zip_entry,
                      *tn_list_at(&zip->order, uint32_t, rank));
}

static uint64_t offset_of(const struct tn_zip *zip, uint64_t rank)
{
    return entry_in_order(zip, rank)->offset;
}

/* Heap sort: in place, and no input makes it slow. */
static void sift(struct tn_zip *zip, uint64_t root, uint64_t count)
{
    uint32_t *order = zip->order.items;

    for (uint64_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count &&
            offset_of(zip, child) < offset_of(zip, child + 1))
            child++;
        if (offset_of(zip, root) >= offset_of(zip, child))
            return;
        uint32_t swapped = order[root];
        order[root]      = order[child];
        order[child]     = swapped;
    }
}

static enum tn_status sort_entries(struct tn_zip *zip, struct tn_error *error)
{
    uint64_t count     = zip->entries.count;
    bool     is_sorted = true;

    zip->order.count = 0;
    if (count && !tn_list_grow(&zip->order, count, error))
        return error->status;
    uint32_t *order = zip->order.items;
    for (uint64_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
        is_sorted &= i == 0 || offset_of(zip, i - 1) < offset_of(zip, i);
    }
    if (is_sorted)
        return TN_OK;
    for (uint64_t i = count / 2; i-- > 0;)
        sift(zip, i, count);
    for (uint64_t i = count; i-- > 1;) {
        uint32_t swapped = order[0];
        order[0]         = order[i];
        order[i]         = swapped;
        sift(zip, 0, i);
    }
    return TN_OK;
}

/* ---- local headers ------------------------------------------------------ */

static bool is_or_later(uint64_t local, uint64_t wanted, bool has_descriptor)
{
    return local == wanted ||
           (has_descriptor && (local == 0 || local == UINT32_MAX));
}

static enum tn_status compare_local(const struct tn_zip_entry *e,
                                    const struct zip_local    *l,
                                    struct tn_error           *error)
{
    bool     has_descriptor = e->flags & ZIP_FLAG_DESCRIPTOR;
    unsigned same           = ZIP_FLAG_DESCRIPTOR | ZIP_FLAG_ENCRYPTED;

    if (!tn_bytes_equal(l->name, e->name))
        return tn_error_set(error, TN_MALFORMED, e->offset + ZIP_LOCAL_SIZE,
                            "the local header has another name");
    if ((l->flags ^ e->flags) & same)
        return tn_error_set(error, TN_MALFORMED, e->offset + 6,
                            "flags %04x, but %04x in the directory", l->flags,
                            e->flags);
    if (l->method != e->method)
        return tn_error_set(error, TN_MALFORMED, e->offset + 8,
                            "method %u, but %u in the directory", l->method,
                            e->method);
    if (!is_or_later(l->crc, e->crc, has_descriptor))
        return tn_error_set(error, TN_MALFORMED, e->offset + 14,
                            "crc %08" PRIx32 ", the directory says %08" PRIx32,
                            l->crc, e->crc);
    if (!is_or_later(l->packed_size, e->packed_size, has_descriptor) ||
        !is_or_later(l->size, e->size, has_descriptor))
        return tn_error_set(error, TN_MALFORMED, e->offset + 18,
                            "%" PRIu64 " bytes for %" PRIu64
                            ", the directory says %" PRIu64 " for %" PRIu64,
                            l->packed_size, l->size, e->packed_size, e->size);
    return TN_OK;
}

uint64_t zip_descriptor_size(struct tn_zip *zip, const struct tn_zip_entry *e,
                             uint64_t at, uint64_t limit,
                             struct tn_error *error)
{
    uint64_t       most = tn_min(limit - at, 24);
    const uint8_t *d    = zip_peek(zip, at, most, error);
    uint64_t       skip =
        d && most >= 4 && tn_load32(d) == ZIP_DESCRIPTOR && most >= 16 ? 4 : 0;

    if (!d || most < skip + 12 || tn_load32(d + skip) != e->crc)
        return 0;
    d += skip + 4;
    if (tn_load32(d) == e->packed_size && tn_load32(d + 4) == e->size)
        return skip + 12;
    if (most >= skip + 20 && tn_load64(d) == e->packed_size &&
        tn_load64(d + 8) == e->size)
        return skip + 20;
    return 0;
}

/* ---- one entry ---------------------------------------------------------- */

/* It lies as our writer would have it, up to the next thing and no further. */
static bool is_foreseen(const struct tn_zip *zip, struct tn_zip_entry *e,
                        uint64_t limit)
{
    uint64_t at = zip_foreseen_offset(e);

    if (!zip->options.is_lazy || e->flags & ZIP_FLAG_DESCRIPTOR || at > limit ||
        e->packed_size != limit - at)
        return false;
    e->data_offset = at;
    return true;
}

/* Where the entry ends, descriptor included; `limit` is where the next thing
 * begins that it must not reach. */
static enum tn_status place_entry(struct tn_zip *zip, struct tn_zip_entry *e,
                                  uint64_t limit, uint64_t *end,
                                  struct tn_error *error)
{
    struct zip_local local;

    if (is_foreseen(zip, e, limit)) {
        *end = limit;
        return TN_OK;
    }
    TN_TRY(zip_read_local(zip, e->offset, &local, error));
    TN_TRY(compare_local(e, &local, error));
    e->data_offset = local.data_offset;
    e->is_placed   = true;
    if (local.data_offset > limit || e->packed_size > limit - local.data_offset)
        return tn_error_set(error, TN_MALFORMED, e->offset,
                            "data of %" PRIu64 " bytes at %" PRIu64
                            " overlaps what begins at %" PRIu64,
                            e->packed_size, local.data_offset, limit);
    *end = e->data_offset + e->packed_size;
    if (!(e->flags & ZIP_FLAG_DESCRIPTOR))
        return TN_OK;
    uint64_t size = zip_descriptor_size(zip, e, *end, limit, error);
    if (!size)
        return tn_error_set(error, TN_MALFORMED, *end,
                            "no descriptor that fits the directory");
    *end += size;
    return TN_OK;
}

enum tn_status tn_zip_settle(struct tn_zip *zip, const struct tn_zip_entry *e,
                             struct tn_error *error)
{
    struct zip_local local;

    if (e->is_placed)
        return TN_OK;
    if (zip_read_local(zip, e->offset, &local, error) == TN_OK &&
        compare_local(e, &local, error) == TN_OK &&
        local.data_offset != e->data_offset)
        tn_error_set(error, TN_MALFORMED, e->offset + 28,
                     "data at %" PRIu64 ", but only from %" PRIu64
                     " on it would end where it has to",
                     local.data_offset, e->data_offset);
    if (tn_failed(error))
        tn_zip_blame(e, error);
    return error->status;
}

struct tn_bytes tn_zip_head(struct tn_zip *zip, const struct tn_zip_entry *e,
                            uint64_t most, struct tn_error *error)
{
    uint64_t       size  = tn_min(most, e->packed_size);
    const uint8_t *bytes = zip_peek(zip, e->data_offset, size, error);

    return tn_bytes(bytes, bytes ? (size_t)size : 0);
}

/* ---- all of them -------------------------------------------------------- */

/* Whether [at, end) is nothing but entries that were replaced and directories
 * of older commits. */
static bool is_history(struct tn_zip *zip, uint64_t at, uint64_t end,
                       struct tn_error *error)
{
    struct zip_end ignored;

    while (at < end &&
           zip_walk(zip, &at, end, &ignored, error) != ZIP_STEP_NONE)
        ;
    return at == end;
}

enum tn_status zip_place_entries(struct tn_zip *zip, uint64_t *gap,
                                 struct tn_error *error)
{
    uint64_t at = 0, count = zip->entries.count;

    *gap = TN_NOWHERE;
    TN_TRY(sort_entries(zip, error));
    for (uint64_t i = 0; i < count; i++) {
        struct tn_zip_entry *e = entry_in_order(zip, i);
        uint64_t             limit =
            i + 1 < count ? offset_of(zip, i + 1) : zip->directory_offset;
        uint64_t end = 0;
        if (e->offset >= zip->directory_offset)
            return zip_fail_record(
                e, 42, TN_MALFORMED,
                "a local header not before the directory, at", e->offset,
                error);
        if (*gap == TN_NOWHERE && !is_history(zip, at, e->offset, error))
            *gap = at;
        if (tn_failed(error) ||
            place_entry(zip, e, tn_min(limit, zip->directory_offset), &end,
                        error) != TN_OK) {
            tn_zip_blame(e, error);
            return error->status;
        }
        at = end;
    }
    if (*gap == TN_NOWHERE &&
        !is_history(zip, at, zip->directory_offset, error))
        *gap = at;
    return error->status;
}
