/* zip_records.h - the records of a zip, for the readers and the writer */
#ifndef TN_WIRE_ZIP_RECORDS_H
#define TN_WIRE_ZIP_RECORDS_H

#include "base/alike.h"
#include "wire/zip/zip.h"

#define ZIP_LOCAL      0x04034b50u
#define ZIP_RECORD     0x02014b50u
#define ZIP_END        0x06054b50u
#define ZIP_END64      0x06064b50u
#define ZIP_LOCATOR    0x07064b50u
#define ZIP_DESCRIPTOR 0x08074b50u

#define ZIP_LOCAL_SIZE   30
#define ZIP_RECORD_SIZE  46
#define ZIP_END_SIZE     22
#define ZIP_END64_SIZE   56
#define ZIP_LOCATOR_SIZE 20

#define ZIP_FLAG_ENCRYPTED  0x0001
#define ZIP_FLAG_DESCRIPTOR 0x0008
#define ZIP_FLAG_PATCH      0x0020
#define ZIP_FLAG_STRONG     0x0040
#define ZIP_FLAG_UTF8       0x0800
#define ZIP_FLAG_MASKED     0x2000

#define ZIP_EXTRA_64 0x0001

/* An end record, with ZIP64's values if it needs them. */
struct zip_end {
    uint64_t directory_offset;
    uint64_t directory_size;
    uint64_t count;
    uint64_t offset; /* of the first of the end records: the end of the
                        directory                                             */
    uint64_t end;    /* after the comment                                     */
};

/* A local header.  Its name and extra follow it. */
struct zip_local {
    uint16_t        flags, method, time, date;
    uint32_t        crc;
    uint64_t        packed_size, size;
    struct tn_bytes name;
    uint64_t        data_offset;
};

/* A zip about which nothing is known yet. */
void tn_zip_init(struct tn_zip *zip, struct tn_source *source,
                 struct tn_memory *memory);

/* Borrows bytes [offset, offset + size) until the next peek: from memory, or
 * through a window that moves along the file.  NULL on failure. */
const uint8_t *tn_zip_peek(struct tn_zip *zip, uint64_t offset, uint64_t size,
                           struct tn_error *error);

/* The signature at an offset; 0 if there are fewer than four bytes.  Fails only
 * if reading fails. */
uint32_t tn_zip_signature(struct tn_zip *zip, uint64_t offset,
                          struct tn_error *error);

enum tn_status tn_zip_read_local(struct tn_zip *zip, uint64_t offset,
                                 struct zip_local *local,
                                 struct tn_error  *error);

/* The end whose last record is at `offset`. */
enum tn_status tn_zip_read_end(struct tn_zip *zip, uint64_t offset,
                               struct zip_end *end, struct tn_error *error);

/* Replaces values of ffffffff by the 64-bit values of an extra field. */
enum tn_status tn_zip_read_extra64(struct tn_bytes extra, uint64_t offset,
                                   uint64_t *size, uint64_t *packed_size,
                                   uint64_t        *entry_offset,
                                   struct tn_error *error);

/* The size of the descriptor at `at`, found by comparing its values; 0 if there
 * is none before `limit`. */
uint64_t tn_zip_descriptor_size(struct tn_zip             *zip,
                                const struct tn_zip_entry *e, uint64_t at,
                                uint64_t limit, struct tn_error *error);

/* Where our writer would put the data of an entry that begins at its offset. */
uint64_t tn_zip_foreseen_offset(const struct tn_zip_entry *e);

/* Fails, at `offset`, unless the name is safe. */
enum tn_status tn_zip_check_name(struct tn_bytes name, uint64_t offset,
                                 struct tn_error *error);

/* The same for a name that is only a key: text without zeros. */
enum tn_status tn_zip_check_key(struct tn_bytes name, uint64_t offset,
                                struct tn_error *error);

/* Longer names are compared exactly: no file system has them. */
#define ZIP_ALIKE_MOST (UINT16_MAX / TN_ALIKE_GROWTH)

static inline struct tn_bytes zip_alike_copy(struct tn_arena *arena,
                                             struct tn_bytes  name,
                                             struct tn_error *error)
{
    return name.size > ZIP_ALIKE_MOST ? name
                                      : tn_alike_copy(arena, name, error);
}

/* One step of a walk: over an entry, or a directory with its end. */
enum zip_step { ZIP_STEP_ENTRY, ZIP_STEP_END, ZIP_STEP_NONE };

/* Steps from *at, no further than `limit`; `end` is filled in for ZIP_STEP_END.
 * For ZIP_STEP_NONE *at stays; an error is about reading, not about the
 * bytes. */
enum zip_step tn_zip_walk(struct tn_zip *zip, uint64_t *at, uint64_t limit,
                          struct zip_end *end, struct tn_error *error);

/* Whether the error is not about the bytes, so that trying other bytes will not
 * help. */
static inline bool zip_is_final(const struct tn_error *error)
{
    return error->status == TN_NO_MEMORY || error->status == TN_LIMIT ||
           error->status == TN_IO || error->status == TN_CANCELLED;
}

#endif
