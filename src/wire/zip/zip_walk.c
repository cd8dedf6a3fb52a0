/*
 * zip_walk.c - from the first byte on, entry by entry and commit by commit
 *
 * Never from the end: a tensor may hold a zip, and a search for end records
 * would find that one's.  A walk steps over data by the sizes in the local
 * headers, so entries with descriptors, whose sizes come after them, end it.
 */
#include "base/arith.h"
#include "wire/zip/zip_records.h"

/* What the bytes say is no reason to fail: the walk just ends there. */
static enum zip_step settle(enum zip_step step, const struct tn_error *inner,
                            struct tn_error *error)
{
    if (!tn_failed(inner))
        return step;
    if (zip_is_final(inner))
        *error = *inner;
    return ZIP_STEP_NONE;
}

static enum zip_step step_over_entry(struct tn_zip *zip, uint64_t *at,
                                     uint64_t limit, struct tn_error *error)
{
    struct tn_error  inner = TN_ERROR_INIT;
    struct zip_local local;

    if (zip_read_local(zip, *at, &local, &inner) != TN_OK)
        return settle(ZIP_STEP_NONE, &inner, error);
    if (local.flags & ZIP_FLAG_DESCRIPTOR || local.data_offset > limit ||
        local.packed_size > limit - local.data_offset)
        return ZIP_STEP_NONE;
    *at = local.data_offset + local.packed_size;
    return ZIP_STEP_ENTRY;
}

/* Where the directory ends that begins at `at`, by its records; 0: it does not
 * before `limit`. */
static uint64_t end_of_records(struct tn_zip *zip, uint64_t at, uint64_t limit,
                               struct tn_error *error)
{
    while (tn_inside(at, ZIP_RECORD_SIZE, limit)) {
        const uint8_t *record = zip_peek(zip, at, ZIP_RECORD_SIZE, error);
        if (!record)
            return 0;
        if (tn_load32(record) != ZIP_RECORD)
            break;
        at += ZIP_RECORD_SIZE + (uint64_t)tn_load16(record + 28) +
              tn_load16(record + 30) + tn_load16(record + 32);
    }
    if (zip_signature(zip, at, error) == ZIP_END64)
        at += ZIP_END64_SIZE + ZIP_LOCATOR_SIZE;
    return tn_inside(at, ZIP_END_SIZE, limit) ? at : 0;
}

/* The end at `offset` closes the directory that begins at `at`. */
static bool closes(struct tn_zip *zip, uint64_t at, uint64_t offset,
                   uint64_t limit, struct zip_end *end, struct tn_error *inner)
{
    return zip_read_end(zip, offset, end, inner) == TN_OK &&
           end->directory_offset == at && end->end <= limit;
}

static enum zip_step step_over_directory(struct tn_zip *zip, uint64_t *at,
                                         uint64_t limit, struct zip_end *end,
                                         struct tn_error *error)
{
    struct tn_error inner = TN_ERROR_INIT;

    /* Mostly nothing follows it: then its records need not be visited. */
    if (limit - *at >= ZIP_END_SIZE &&
        closes(zip, *at, limit - ZIP_END_SIZE, limit, end, &inner)) {
        *at = end->end;
        return ZIP_STEP_END;
    }
    if (zip_is_final(&inner))
        return settle(ZIP_STEP_NONE, &inner, error);
    inner           = (struct tn_error)TN_ERROR_INIT;
    uint64_t offset = end_of_records(zip, *at, limit, &inner);
    if (!offset || !closes(zip, *at, offset, limit, end, &inner))
        return settle(ZIP_STEP_NONE, &inner, error);
    *at = end->end;
    return ZIP_STEP_END;
}

enum zip_step zip_walk(struct tn_zip *zip, uint64_t *at, uint64_t limit,
                       struct zip_end *end, struct tn_error *error)
{
    if (*at >= limit)
        return ZIP_STEP_NONE;
    switch (zip_signature(zip, *at, error)) {
    case ZIP_LOCAL: return step_over_entry(zip, at, limit, error);
    case ZIP_RECORD:
    case ZIP_END64:
    case ZIP_END: return step_over_directory(zip, at, limit, end, error);
    }
    return ZIP_STEP_NONE;
}

enum tn_status zip_walk_ends(struct tn_zip *zip, struct tn_list *ends,
                             struct tn_error *error)
{
    struct zip_end end;
    enum zip_step  step;
    uint64_t       at = 0;

    while ((step = zip_walk(zip, &at, zip->source->size, &end, error)) !=
           ZIP_STEP_NONE) {
        if (step == ZIP_STEP_ENTRY)
            continue;
        struct zip_end *slot = tn_list_push(ends, struct zip_end, error);
        if (!slot)
            break;
        *slot = end;
    }
    return error->status;
}
