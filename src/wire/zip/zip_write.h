/*
 * zip_write.h - writing ZIP files: in order, to any sink, the same bytes always
 *
 * Sizes and checksum stand before the data, without descriptors, so that a
 * walk from the first byte finds every entry.  The checksum is taken while the
 * data is copied and patched in where the sink can (tn_sink_can_patch()); a
 * stream gets the data read twice.
 *
 * Stored data begins at a multiple of 64 bytes of the file, and from 1 MiB on
 * of 4096, where the kernel copies whole pages: by way of an extra field d935
 * (u16 alignment, zeros) in the local header.  ZIP64 records are there when
 * needed and only then.  Time is 1980-01-01 00:00, there are no folders.
 */
#ifndef TN_WIRE_ZIP_WRITE_H
#define TN_WIRE_ZIP_WRITE_H

#include "base/rope.h"
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

/* The bytes of the rope as an entry.  The name is copied; INVALID for one that
 * a reader would refuse, or like another but for case.  An entry of the same
 * name is replaced: the directory lists the last.  Producers of the rope run
 * twice where the sink cannot patch. */
enum tn_status tn_zip_add(struct tn_zip_writer *w, struct tn_bytes name,
                          const struct tn_rope *rope);

/* The same, deflated at a level from 1 to 12 (0: TN_ZIP_LEVEL), or stored when
 * that is no longer. */
enum tn_status tn_zip_add_deflated(struct tn_zip_writer *w,
                                   struct tn_bytes       name,
                                   const struct tn_rope *rope, int level);

/* One run of bytes, for short. */
enum tn_status tn_zip_add_bytes(struct tn_zip_writer *w, struct tn_bytes name,
                                struct tn_bytes bytes);

/* An entry of another zip under a name (its own, if .data is NULL), by
 * reference: neither unpacked nor read by us where the kernel can copy. */
enum tn_status tn_zip_copy(struct tn_zip_writer *w, struct tn_bytes name,
                           const struct tn_zip       *from,
                           const struct tn_zip_entry *entry);

/* An entry that is in the file already, as when a zip grows. */
enum tn_status tn_zip_keep(struct tn_zip_writer      *w,
                           const struct tn_zip_entry *entry);

/* Takes a name out of the directory, and any that is alike; false: it is not in
 * there. */
bool tn_zip_drop(struct tn_zip_writer *w, struct tn_bytes name);

/* Where the next header will begin. */
static inline uint64_t tn_zip_writer_offset(const struct tn_zip_writer *w)
{
    return w->to->offset - w->base; /* base may have wrapped below zero */
}

/* The directory, then what makes it count.  tn_zip_finish() is both. */
enum tn_status tn_zip_write_directory(struct tn_zip_writer *w, uint64_t *offset,
                                      uint64_t *size);
enum tn_status tn_zip_write_end(struct tn_zip_writer *w, uint64_t offset,
                                uint64_t size);
enum tn_status tn_zip_finish(struct tn_zip_writer *w);

#endif
