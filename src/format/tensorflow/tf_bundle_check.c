/*
 * tf_bundle_check.c - the checksums over the data of a checkpoint
 *
 * Elements of fixed size: the CRC-32C of the bytes as they are stored.
 *
 * Strings: a running checksum of the lengths, each as u32 (u64 when it does not
 * fit) and not as the varint that is stored; its mask is what lies between
 * lengths and bytes; it goes on over those four bytes and over the strings.
 *
 * Variants: the running checksum takes each length as u64, the bytes, and the
 * four bytes of its own mask that follow.
 */
#include "format/tensorflow/tf_bundle.h"

#include <inttypes.h>

#include "base/arith.h"
#include "codec/crc32c.h"
#include "format/tensorflow/tf_crc.h"
#include "ir/window.h"

struct check {
    const struct tn_tf_bundle_entry *entry;
    struct tn_memory                *memory;
    struct tn_error                 *error;
    struct tn_window                 lengths;
    uint32_t                         crc; /* so far                          */
};

static void expect_crc(struct check *k, uint64_t offset, uint32_t stored,
                       const char *of)
{
    uint32_t found = tn_crc32c_mask(k->crc);

    if (tn_failed(k->error) || stored == found)
        return;
    tn_error_set(k->error, TN_MALFORMED, offset,
                 "checksum %08" PRIx32 " of %s, stored is %08" PRIx32, found,
                 of, stored);
    tn_error_file(k->error, k->entry->data.source->name);
}

/* Steps over four bytes of checksum, which then count themselves. */
static void take_crc(struct check *k, const char *of)
{
    uint64_t offset   = k->lengths.cursor.offset;
    uint8_t  bytes[4] = { 0 };

    tn_window_copy(&k->lengths, bytes, sizeof bytes);
    expect_crc(k, offset, tn_load32(bytes), of);
    k->crc = tn_crc32c(k->crc, bytes, sizeof bytes);
}

static struct tn_span rest(const struct check *k, uint64_t length)
{
    return (struct tn_span){ k->entry->data.source, k->lengths.cursor.offset,
                             length };
}

static void check_strings(struct check *k, uint64_t count)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < count && !tn_failed(k->error); i++) {
        uint64_t offset = k->lengths.cursor.offset;
        uint64_t length = tn_window_varint(&k->lengths);
        if (!tn_add(total, length, &total))
            tn_fail_at(&k->lengths.cursor, offset, TN_MALFORMED,
                       "strings of more than 2^64 bytes");
        k->crc = tn_tf_crc_length(k->crc, length);
    }
    take_crc(k, "the lengths");
    if (!tn_failed(k->error) && total != tn_window_left(&k->lengths))
        tn_fail(&k->lengths.cursor, TN_MALFORMED,
                "strings of %" PRIu64 " bytes in %" PRIu64, total,
                tn_window_left(&k->lengths));
    if (!tn_failed(k->error))
        tn_tf_crc_span(&k->crc, rest(k, total), k->memory, k->error);
}

static void check_variants(struct check *k, uint64_t count)
{
    for (uint64_t i = 0; i < count && !tn_failed(k->error); i++) {
        uint64_t length     = tn_window_varint(&k->lengths);
        k->crc              = tn_tf_crc_u64(k->crc, length);
        struct tn_span body = rest(k, length);
        tn_window_skip(&k->lengths, length);
        if (!tn_failed(k->error))
            tn_tf_crc_span(&k->crc, body, k->memory, k->error);
        take_crc(k, "a variant");
    }
    if (!tn_failed(k->error) && tn_window_left(&k->lengths))
        tn_fail(&k->lengths.cursor, TN_MALFORMED,
                "%" PRIu64 " bytes after the last variant",
                tn_window_left(&k->lengths));
}

static enum tn_status check_data(const struct tn_tf_bundle_entry *entry,
                                 struct tn_memory                *memory,
                                 struct tn_error                 *error)
{
    struct check k     = { .entry = entry, .memory = memory, .error = error };
    uint64_t     count = 0;

    if (!entry->has_crc) /* version 1: only the blocks of the table have one */
        return tn_payload_check(&entry->elements, error);
    tn_shape_count(&entry->elements.shape, &count);
    if (count == 0 || tn_dtype_size(entry->elements.shape.dtype)) {
        tn_tf_crc_span(&k.crc, entry->data, memory, error);
    } else {
        tn_window_open(&k.lengths, entry->data, memory, error);
        if (entry->elements.shape.dtype == TN_STRING)
            check_strings(&k, count);
        else
            check_variants(&k, count);
        tn_window_done(&k.lengths);
    }
    expect_crc(&k, entry->data.offset, entry->crc, "the data");
    return error->status;
}

enum tn_status tn_tf_bundle_check_entry(const struct tn_tf_bundle_entry *entry,
                                        struct tn_memory                *memory,
                                        struct tn_error                 *error)
{
    if (entry->piece_count == 0)
        check_data(entry, memory, error);
    for (uint64_t i = 0; i < entry->piece_count && !tn_failed(error); i++) {
        check_data(entry->pieces[i], memory, error);
        tn_error_where(error, "slice[%" PRIu64 "]", i);
    }
    tn_error_where(error, "%.*s", TN_FMT(entry->key));
    return error->status;
}
