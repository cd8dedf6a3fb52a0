/*
 * st_header.h - the header of a safetensors file
 *
 *   u64    length        of the header, little-endian; at most 100,000,000
 *   header JSON, padded with spaces:
 *          { "__metadata__": { text: text, ... },
 *            name: { "dtype": "F32", "shape": [2, 3],
 *                    "data_offsets": [begin, end] }, ... }
 *   data   to the end of the file; offsets count from its first byte.  The
 *          tensors cover it without a hole and without sharing a byte.
 *
 * A folder of several such files has an index beside them (weight_map.h).
 */
#ifndef TN_FORMAT_ST_HEADER_H
#define TN_FORMAT_ST_HEADER_H

#include <tenon/dtype.h>

#include "base/memory.h"
#include "base/report.h"
#include "base/source.h"

#define TN_ST_HEADER_LIMIT UINT64_C(100000000)
#define TN_ST_RANK_LIMIT   64
#define TN_ST_METADATA     "__metadata__"

/* An element type of the format.  The table is in ascending order of alignment,
 * like that of the reference implementation: a file has its data in the reverse
 * order. */
struct tn_st_type {
    const char   *name;
    enum tn_dtype dtype; /* TN_UNDEFINED: the library has no such elements    */
    unsigned      bits;
};

extern const struct tn_st_type tn_st_types[];
extern const unsigned          tn_st_type_count;

/* Bytes of the elements of a shape; false if they overflow.  Other readers
 * multiply from the first dimension to the last, so that a zero at the end does
 * not prevent an overflow before it; so do we. */
bool tn_st_size(const struct tn_st_type *type, uint32_t rank,
                const uint64_t *dims, uint64_t *size);

struct tn_st_tensor {
    struct tn_bytes          name;
    const struct tn_st_type *type;
    uint32_t                 rank;
    const uint64_t          *dims;
    uint64_t                 begin, end; /* in the data                       */
    struct tn_span           wire;       /* its entry in the header           */
};

struct tn_st_pair {
    struct tn_bytes key;
    struct tn_bytes value;
};

/* One file; its names live in the arena that it was read into. */
struct tn_st_file {
    struct tn_source *source;
    uint64_t          data;     /* where the data begin                       */
    struct tn_list    tensors;  /* struct tn_st_tensor, as in the header      */
    struct tn_list    metadata; /* struct tn_st_pair                          */
};

void tn_st_file_init(struct tn_st_file *file, struct tn_memory *memory);
void tn_st_file_done(struct tn_st_file *file);

/* Reads the header and verifies the layout.  Without a report the first problem
 * is a failure; with one every problem becomes a finding, tensors without a
 * usable entry are left out, and only a header that cannot be read at all
 * fails. */
enum tn_status tn_st_file_read(struct tn_st_file *file,
                               struct tn_source *source, struct tn_arena *arena,
                               struct tn_report *report,
                               struct tn_error  *error);

#endif
