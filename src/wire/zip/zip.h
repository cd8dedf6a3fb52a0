/*
 * zip.h - reading ZIP files, strictly
 *
 *   file      := entry*  directory  end                  -- as most tools write
 *   entry     := "PK\3\4"  u16 version  u16 flags  u16 method  u16 time
 *                u16 date  u32 crc  u32 packed  u32 size  u16 name_size
 *                u16 extra_size  name  extra  data  [descriptor]
 *   directory := ( "PK\1\2"  u16 made_by  u16 version  u16 flags  u16 method
 *                u16 time  u16 date  u32 crc  u32 packed  u32 size
 *                u16 name_size  u16 extra_size  u16 comment_size  u16 disk
 *                u16 internal  u32 external  u32 entry_offset
 *                name  extra  comment )*
 *   end       := [ "PK\6\6"  u64 size (44)  u16 made_by  u16 version  u32 disk
 *                u32 disk  u64 count  u64 count  u64 size  u64 offset
 *                "PK\6\7"  u32 disk  u64 offset  u32 disks ]    -- ZIP64
 *                "PK\5\6"  u16 disk  u16 disk  u16 count  u16 count  u32 size
 *                u32 offset  u16 comment_size  comment
 *   extra     := ( u16 id  u16 size  bytes )*
 *   descriptor:= ["PK\7\8"]  u32 crc  u32|u64 packed  u32|u64 size
 *
 * Little-endian.  A packed, size or entry_offset of ffffffff means a u64 in the
 * extra field 1, in that order.  Methods: 0 stored, 8 deflated.
 *
 * A file that grew by commits (zip_edit.h) is
 *
 *   file      := ( entry*  directory  end )+
 *
 * where the last directory lists the current entries, and anything after the
 * last whole commit is the tail of one that was cut short.
 *
 * Opening reads all local headers (a lazy zip only those that it needs to know
 * where everything is) and no data.  It refuses, with the byte and the name of
 * the entry: entries that overlap each other or the directory, names that occur
 * twice or are alike (base/alike.h), names that leave the folder or are both
 * file and folder, links, encryption, several disks, other methods, headers
 * that contradict the directory, and more bytes than deflate could hold.
 */
#ifndef TN_WIRE_ZIP_H
#define TN_WIRE_ZIP_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/intern.h"
#include "base/report.h"

enum tn_zip_method { TN_ZIP_STORED = 0, TN_ZIP_DEFLATED = 8 };

struct tn_zip_entry {
    struct tn_bytes name;   /* UTF-8; a folder's ends in '/'           */
    uint64_t        offset; /* of the local header                     */
    uint64_t        data_offset;
    uint64_t        packed_size;   /* in the file                             */
    uint64_t        size;          /* unpacked                                */
    uint64_t        record_offset; /* of its record in the directory          */
    uint32_t        crc;           /* of the unpacked bytes                   */
    uint32_t        next_alike;    /* in a list of names alike but for case   */
    uint16_t        method;        /* enum tn_zip_method                      */
    uint16_t        flags;
    uint16_t        time, date; /* as DOS counts them                      */
    bool            is_placed;  /* the local header was read and is right  */
};

/* How the file ends. */
enum tn_zip_state {
    TN_ZIP_WHOLE,  /* entries, old directories, the directory, and no other
                      byte                                                    */
    TN_ZIP_TORN,   /* a commit was cut short: what was before it is shown     */
    TN_ZIP_BROKEN, /* rewritten by another program: what can be trusted is
                      shown, and nothing can be added before a rebuild */
};

struct tn_zip_options {
    bool is_foreign; /* not a container of ours: names that differ only in case,
                        and bytes that belong to no entry, are findings, not
                        failures; the end record is searched for before a
                        comment                                               */
    bool is_lazy;    /* local headers of entries that are where our writer puts
                        them are read by tn_zip_settle() only                 */
    bool has_keys;   /* names are only keys, never used as file names: "/a" and
                        "../b" are allowed                                    */
    bool looks_for_writers; /* an incomplete commit of a writer that is still at
                             work is not called torn; not for writers         */
    uint64_t max_entries; /* 0: none                                          */
    uint64_t max_total;   /* unpacked bytes of all entries; 0: none           */
    uint64_t max_ratio;   /* of one entry; 0: what deflate can do, 1032       */
    struct tn_report *report; /* gets the findings; may be NULL               */
};

struct tn_zip {
    struct tn_source     *source; /* borrowed                                 */
    struct tn_memory     *memory;
    struct tn_zip_options options;
    struct tn_list        entries; /* struct tn_zip_entry, as the directory   */
    struct tn_list        order;   /* uint32_t: entries by offset             */
    enum tn_zip_state     state;
    bool                  is_growing; /* TORN, and a writer is working on it  */
    uint64_t              directory_offset;
    uint64_t end_offset; /* after the valid end record; if TORN, the incomplete
                            commit begins here                                */
    uint64_t total_size; /* of all entries, unpacked                          */

    struct tn_arena  arena;  /* folded names                                */
    struct tn_intern folded; /* keys of names (base/alike.h)                */
    struct tn_list   firsts; /* uint32_t: an entry by id in `folded`        */
    struct tn_buffer window; /* headers, where they are in a file           */
    uint64_t         window_at;
    struct tn_error  window_error;
};

/* Opens a source as a zip.  `options` NULL: all zero.  Call tn_zip_close() also
 * after a failure. */
enum tn_status tn_zip_open(struct tn_zip *zip, struct tn_source *source,
                           struct tn_memory            *memory,
                           const struct tn_zip_options *options,
                           struct tn_error             *error);
void           tn_zip_close(struct tn_zip *zip);

static inline uint64_t tn_zip_count(const struct tn_zip *zip)
{
    return zip->entries.count;
}

/* Entries as the directory lists them, and by their place in the file. */
static inline const struct tn_zip_entry *tn_zip_at(const struct tn_zip *zip,
                                                   uint64_t             index)
{
    return tn_list_at(&zip->entries, struct tn_zip_entry, index);
}

static inline const struct tn_zip_entry *tn_zip_in_order(
    const struct tn_zip *zip, uint64_t rank)
{
    return tn_zip_at(zip, *tn_list_at(&zip->order, uint32_t, rank));
}

static inline bool tn_zip_is_folder(const struct tn_zip_entry *entry)
{
    return entry->name.data[entry->name.size - 1] == '/';
}

/* By its exact name; NULL if there is none. */
const struct tn_zip_entry *tn_zip_find(const struct tn_zip *zip,
                                       struct tn_bytes      name);

/* By exact name, then by one that is alike (base/alike.h).  NULL if there is
 * none, or if several are alike and none is exact. */
const struct tn_zip_entry *tn_zip_find_folded(const struct tn_zip *zip,
                                              struct tn_bytes      name);

/* Checks the local header of an entry of a lazy zip; call it before the entry
 * is used.  In other zips this was done when they were opened. */
enum tn_status tn_zip_settle(struct tn_zip *zip, const struct tn_zip_entry *e,
                             struct tn_error *error);

/* The first bytes of the entry as they are in the file, at most so many, until
 * the next call; .data NULL on failure.  They come from a read call, so that no
 * page of a mapping is touched. */
struct tn_bytes tn_zip_head(struct tn_zip *zip, const struct tn_zip_entry *e,
                            uint64_t most, struct tn_error *error);

/* Where the bytes of a stored entry are, to be used in place. */
static inline struct tn_span tn_zip_span(const struct tn_zip       *zip,
                                         const struct tn_zip_entry *entry)
{
    return (struct tn_span){ zip->source, entry->data_offset,
                             entry->packed_size };
}

/* The entry as a source of its own, yours to close; the zip may be closed
 * before, its source not.  Stored: a view of the zip's source, mapped if that
 * is.  Deflated: nothing is unpacked before the first read; a small entry then
 * is kept in memory, a large one is unpacked as far as it is read and goes to
 * an unnamed temporary file when a read goes backwards.  Deflated bytes have
 * their checksum verified, at the latest with their last byte. */
enum tn_status tn_zip_source(const struct tn_zip       *zip,
                             const struct tn_zip_entry *entry,
                             struct tn_source **source, struct tn_error *error);

/* All bytes of a small entry; verifies the checksum.  TN_LIMIT if there are
 * more than `most` bytes. */
enum tn_status tn_zip_load(const struct tn_zip       *zip,
                           const struct tn_zip_entry *entry, uint64_t most,
                           struct tn_buffer *to, struct tn_error *error);

/* Streams the unpacked bytes in little memory, and verifies the checksum at the
 * end.  `to` NULL: only verifies. */
enum tn_status tn_zip_stream(const struct tn_zip       *zip,
                             const struct tn_zip_entry *entry,
                             struct tn_sink *to, struct tn_error *error);

/* Verifies every checksum, on some threads (0: one per core).  Fails with the
 * first wrong entry in the order of the file.  With a report every wrong entry
 * is a finding "zip-crc", and only what stops the check is an error. */
enum tn_status tn_zip_verify(const struct tn_zip *zip, unsigned workers,
                             struct tn_report *report, struct tn_error *error);

/* Adds the entry's name to the front of the error's path. */
void tn_zip_where(const struct tn_zip_entry *entry, struct tn_error *error);

#endif
