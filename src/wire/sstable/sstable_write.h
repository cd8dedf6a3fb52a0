/*
 * sstable_write.h - writing sorted tables, byte for byte as TensorFlow does
 *
 * Blocks of 256 KiB, a restart every 16 entries (every entry in the index), no
 * compression, index keys as short as they can be.
 */
#ifndef TN_WIRE_SSTABLE_WRITE_H
#define TN_WIRE_SSTABLE_WRITE_H

#include "wire/sstable/sstable.h"

struct tn_sstable_block {
    struct tn_buffer contents;
    struct tn_buffer restarts; /* u32 each                                    */
    struct tn_buffer last_key;
    uint32_t         interval; /* entries from one restart to the next        */
    uint32_t         since;    /* entries since the last restart              */
};

struct tn_sstable_writer {
    struct tn_sink          *to;
    struct tn_error         *error; /* sticky, as in buffers                  */
    uint64_t                 base;  /* of the table in the sink               */
    uint64_t                 block_size;
    uint64_t                 entry_count;
    struct tn_sstable_block  data, index;
    struct tn_buffer         last_key; /* of the whole table                  */
    struct tn_sstable_handle pending;  /* written, not yet in the index       */
    bool                     has_pending;
};

void tn_sstable_writer_init(struct tn_sstable_writer *writer,
                            struct tn_sink *to, struct tn_memory *memory,
                            struct tn_error *error);
void tn_sstable_writer_done(struct tn_sstable_writer *writer);

/* Keys ascend strictly; INVALID otherwise. */
void tn_sstable_add(struct tn_sstable_writer *writer, struct tn_bytes key,
                    struct tn_bytes value);

/* Writes what is left, both index blocks and the footer. */
enum tn_status tn_sstable_finish(struct tn_sstable_writer *writer);

#endif
