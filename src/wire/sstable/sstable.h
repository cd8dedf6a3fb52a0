/*
 * sstable.h - sorted tables: LevelDB's file format, as TensorFlow uses it
 *
 *   file     := data block*  metaindex block  index block  footer
 *   block    := contents[n]  u8 type (0 plain, 1 snappy)  u32 crc
 *   contents := entry*  u32 restart[count]  u32 count        -- when unpacked
 *   entry    := varint shared, varint unshared, varint value_size,
 *               key[unshared], value[value_size]
 *   footer   := handle metaindex, handle index, zeros up to 40 bytes,
 *               57 fb 80 8b 24 75 47 db
 *   handle   := varint offset, varint n
 *
 * Little-endian.  A key begins with `shared` bytes of the one before it; at the
 * offsets in restart[] shared is 0, and restart[0] is 0.  The crc is the masked
 * CRC-32C of contents as stored and type.  The index has an entry per data
 * block: its value is the handle, its key is not below any key of that block
 * and below every key of the next.  Keys ascend strictly as unsigned bytes.
 *
 * All of this is verified while walking, and blocks must not overlap, so the
 * cost of a walk is proportional to the size of the file.
 */
#ifndef TN_WIRE_SSTABLE_H
#define TN_WIRE_SSTABLE_H

#include "base/buffer.h"
#include "base/cursor.h"

#define TN_SSTABLE_FOOTER_SIZE  48
#define TN_SSTABLE_TRAILER_SIZE 5

extern const uint8_t tn_sstable_magic[8];

struct tn_sstable_handle {
    uint64_t offset;
    uint64_t size; /* of the contents, without the trailer */
};

/* Nothing here needs to be closed; the source must outlive it. */
struct tn_sstable {
    struct tn_source        *source;
    struct tn_sstable_handle metaindex;
    struct tn_sstable_handle index;
    uint64_t                 block_count; /* data blocks                      */
    bool has_packed_index; /* the index block is compressed: others certainly
                              are, too                                        */
};

/* Reads and verifies the footer and both index blocks, not the data. */
enum tn_status tn_sstable_open(struct tn_sstable *table,
                               struct tn_source  *source,
                               struct tn_error   *error);

struct tn_sstable_entry {
    struct tn_bytes  key;   /* valid until the next step                     */
    struct tn_cursor value; /* plain block: bytes of the source.  Packed: of
                               memory, valid until the next step             */
    uint64_t offset;        /* of the entry; packed: of its block            */
    bool     is_packed;
};

/* A place in one block. */
struct tn_sstable_place {
    struct tn_cursor entries; /* what is left of them                         */
    const uint8_t   *restarts;
    uint64_t         restart_count;
    uint64_t         next_restart;
    uint64_t         begin;  /* entries.offset of the first entry             */
    uint64_t         offset; /* of the block in the file                      */
    bool             is_packed;
    bool             has_key; /* `key` is the key of the entry before         */
    struct tn_buffer key;
    struct tn_buffer unpacked;
};

struct tn_sstable_walk {
    const struct tn_sstable *table;
    struct tn_error         *error;
    struct tn_sstable_place  index, data;
    struct tn_buffer         below; /* keys of this block are above this      */
    bool                     has_below;
    uint64_t                 floor; /* where the next block may begin         */
};

/* At the first entry. */
void tn_sstable_walk_init(struct tn_sstable_walk  *walk,
                          const struct tn_sstable *table,
                          struct tn_memory *memory, struct tn_error *error);
void tn_sstable_walk_done(struct tn_sstable_walk *walk);

/* The next entry, or false at the end and after a failure. */
bool tn_sstable_next(struct tn_sstable_walk  *walk,
                     struct tn_sstable_entry *entry);

/* For code that found a fault in the value of an entry: offsets inside a
 * compressed block mean nothing to users, so the error gets the offset of the
 * block. */
void tn_sstable_where(const struct tn_sstable_entry *entry,
                      struct tn_error               *error);

#endif
