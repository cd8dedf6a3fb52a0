/* riegeli_transposed.h - transposed chunks: columns of fields, as records */
#ifndef TN_WIRE_RIEGELI_TRANSPOSED_H
#define TN_WIRE_RIEGELI_TRANSPOSED_H

#include "wire/riegeli/riegeli_packed.h"

/* Decodes the chunk data in `data` to `count` records of together exactly
 * `size` bytes.  On success *records are those bytes, and `ends` (uint64_t
 * each) says where each record ends; both are the caller's to free, also on
 * failure: `ends` by tn_list_done, and tn_memory_free(memory, records->data,
 * records->room). */
struct tn_riegeli_joined {
    uint8_t *data; /* of the allocation                                      */
    uint64_t room; /* the records are its last `size` bytes                  */
};

enum tn_status tn_riegeli_transposed_read(struct tn_span data, uint64_t count,
                                          uint64_t                  size,
                                          struct tn_memory         *memory,
                                          struct tn_riegeli_joined *records,
                                          struct tn_list           *ends,
                                          struct tn_error          *error);

/* Encodes `count` records, joined in `values`, whose sizes are the varints in
 * `sizes`; appends the chunk data.  `fraction` (0 to 1) limits the size of a
 * bucket, as a part of all records; a bucket is what is compressed together. */
enum tn_status tn_riegeli_transposed_write(const struct tn_riegeli_codec *codec,
                                           double fraction, uint64_t count,
                                           struct tn_bytes   sizes,
                                           struct tn_bytes   values,
                                           struct tn_buffer *to,
                                           struct tn_error  *error);

#endif
