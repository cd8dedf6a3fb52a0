/*
 * lod.h - PaddlePaddle's tensor records, in all their layouts
 *
 * A record has type, shape and data and nothing else: no name, no index, no
 * size.  Record k of a file is found only by walking the k records before it;
 * that reads their heads and skips their data.
 *
 *   shipped (0.12 up to today)         seed (0.11, the design's table)
 *   u32 version        0               u32 version        0
 *   levels                             u32 desc_length
 *   u32 version        0 again         u8  desc[]
 *   i32 desc_length                    u8  data[]
 *   u8  desc[]                         levels
 *   u8  data[]
 *
 *   bare (in the container of 1.6)     rows (SelectedRows)
 *   u32 version        0               u32 version        0
 *   i32 desc_length                    u64 row_count, i64 rows[row_count]
 *   u8  desc[]                         i64 height
 *   u8  data[]                         then a bare record
 *
 *   levels:  u64 level_count; per level u64 byte_length, a multiple of 8,
 *            and u64 offsets[]
 *   desc:    protobuf TensorDesc { data_type = 1, dims = 2 }
 *   data:    product(dims) * size of data_type; in rows order
 *
 * Little-endian, unaligned.
 */
#ifndef TN_WIRE_LOD_H
#define TN_WIRE_LOD_H

#include <tenon/dtype.h>

#include "base/buffer.h"
#include "base/cursor.h"

#define TN_LOD_RANK_LIMIT 64
#define TN_LOD_DESC_LIMIT (UINT32_C(64) << 10)

/* How many bytes tn_lod_probe() needs. */
#define TN_LOD_PROBE_SIZE 12

enum tn_lod_layout {
    TN_LOD_NONE, /* not a record */
    TN_LOD_SHIPPED,
    TN_LOD_SEED,
    TN_LOD_BARE,
    TN_LOD_ROWS
};

struct tn_lod_record {
    enum tn_lod_layout layout;
    uint64_t           begin, end; /* of the record, in its source           */
    uint64_t           level_count;
    struct tn_span     levels; /* with their lengths, without level_count    */
    uint64_t           row_count; /* SelectedRows only, as are the next two  */
    struct tn_span     rows;
    uint64_t           height;
    struct tn_bytes    desc; /* as it is in the file                          */
    struct tn_span     data;
    uint32_t           type; /* Paddle's number for it                        */
    enum tn_dtype      dtype;
    uint32_t           rank;
    uint64_t           dims[TN_LOD_RANK_LIMIT]; /* `rank` of them are set     */
};

/* Whether the layout is shipped or seed: the ninth byte tells, whatever the
 * data is.  In a shipped record it belongs to the upper half of the level count
 * and is zero; in the other it is the first byte of desc, a message, which
 * cannot begin with zero.  SelectedRows look like shipped records here.  NONE
 * for anything else. */
enum tn_lod_layout tn_lod_probe(struct tn_bytes head);

/* Reads one record and notes where levels, rows and data are; the cursor is
 * then after it. */
enum tn_status tn_lod_read(struct tn_cursor *c, enum tn_lod_layout layout,
                           struct tn_lod_record *record);

/* Appends what comes before the data of `record`, in its layout, and what comes
 * after.  `desc` is written as it is; if there is none, it is made from type,
 * rank and dims.  The levels and rows are read from their source. */
enum tn_status tn_lod_write_head(struct tn_buffer           *to,
                                 const struct tn_lod_record *record);
enum tn_status tn_lod_write_tail(struct tn_buffer           *to,
                                 const struct tn_lod_record *record);

/* TN_UNDEFINED for numbers that are not element types. */
enum tn_dtype tn_lod_dtype(uint64_t type);
/* Paddle's number, or -1. */
int tn_lod_type(enum tn_dtype dtype);

#endif
