/*
 * zip_write.h - writes ZIP files to any sink; the same calls give the same
 * bytes
 *
 * Sizes and checksum come before the data, without descriptors, so that a walk
 * from the first byte finds every entry.  The checksum is computed while the
 * data is copied, and patched in if the sink can do that (tn_sink_can_patch());
 * for a stream the data is read twice.
 *
 * Stored data begins at a multiple of 64 bytes of the file, and from 1 MiB on
 * of 4096, where the kernel copies whole pages: padded by an extra field d935
 * (u16 alignment, zeros) in the local header.  ZIP64 records are written only
 * if they are needed.  The time is 1980-01-01 00:00; there are no entries for
 * folders.
 */
#ifndef TN_WIRE_ZIP_WRITE_H
#define TN_WIRE_ZIP_WRITE_H

#include "base/rope.h"
#include "base/sink.h"
#include "wire/zip/zip.h"

#define TN_ZIP_ALIGNMENT 64
#define TN_ZIP_LEVEL     6 /* of deflate, by default */

struct tn_zip_writer {
    struct tn_sink  *to;
    struct tn_error *error; /* sticky: after a failure adding does nothing    */
    struct tn_memory *memory;
    uint64_t          base;  /* of the file, in bytes that `to` has taken    */
    struct tn_arena   arena; /* names                                        */
    struct tn_list
        entries; /* struct tn_zip_entry; next_alike: id of the name */
    struct tn_intern names;  /* in lower case                                */
    struct tn_list   alive;  /* uint32_t by id in `names`: an entry + 1, or 0 */
    struct tn_buffer header; /* being written                                 */
    bool has_keys; /* as in tn_zip_options; names may differ in case alone    */
    bool skip_crc; /* a dry run: the bytes are counted and not read           */
};

void tn_zip_writer_init(struct tn_zip_writer *w, struct tn_sink *to,
                        struct tn_memory *memory, struct tn_error *error);
void tn_zip_writer_done(struct tn_zip_writer *w);

/* Adds the bytes of the rope as an entry.  The name is copied; INVALID if a
 * reader would refuse it, or if it differs from another only in case.  An entry
 * of the same name is replaced: the directory lists the last one.  Producers of
 * the rope run twice if the sink cannot patch. */
enum tn_status tn_zip_add(struct tn_zip_writer *w, struct tn_bytes name,
                          const struct tn_rope *rope);

/* The same, deflated at a level from 1 to 12 (0: TN_ZIP_LEVEL), or stored if
 * that is not longer. */
enum tn_status tn_zip_add_deflated(struct tn_zip_writer *w,
                                   struct tn_bytes       name,
                                   const struct tn_rope *rope, int level);

/* The same for bytes in memory. */
enum tn_status tn_zip_add_bytes(struct tn_zip_writer *w, struct tn_bytes name,
                                struct tn_bytes bytes);

/* An entry of another zip under a name (its own, if .data is NULL), by
 * reference: it is not unpacked, and the kernel copies it if it can. */
enum tn_status tn_zip_copy(struct tn_zip_writer *w, struct tn_bytes name,
                           const struct tn_zip       *from,
                           const struct tn_zip_entry *entry);

/* Lists an entry that is already in the file, for a zip that grows. */
enum tn_status tn_zip_keep(struct tn_zip_writer      *w,
                           const struct tn_zip_entry *entry);

/* Removes a name, and those that are alike, from the directory; false if it is
 * not there. */
bool tn_zip_drop(struct tn_zip_writer *w, struct tn_bytes name);

/* Where the next header will begin. */
static inline uint64_t tn_zip_writer_offset(const struct tn_zip_writer *w)
{
    return w->to->offset - w->base; /* base may have wrapped below zero */
}

/* Write the directory, then the end record that makes it valid.
 * tn_zip_finish() does both. */
enum tn_status tn_zip_write_directory(struct tn_zip_writer *w, uint64_t *offset,
                                      uint64_t *size);
enum tn_status tn_zip_write_end(struct tn_zip_writer *w, uint64_t offset,
                                uint64_t size);
enum tn_status tn_zip_finish(struct tn_zip_writer *w);

/* ---- a sink that computes the checksum of what it passes on ---------------
 */

struct zip_sum {
    struct tn_sink    sink; /* first */
    struct tn_sink   *to;   /* NULL: only the checksum is wanted              */
    struct tn_memory *memory;
    uint32_t          crc;
};

void tn_zip_sum_init(struct zip_sum *sum, struct tn_sink *to,
                     struct tn_memory *memory);

#endif
