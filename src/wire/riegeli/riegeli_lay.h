/* riegeli_lay.h - laying a chunk into the file, with the blocks in between */
#ifndef TN_WIRE_RIEGELI_LAY_H
#define TN_WIRE_RIEGELI_LAY_H

#include "base/rope.h"
#include "wire/riegeli/riegeli.h"

/* Writes one chunk: header, data, and zeros to its end.  `base` is where the
 * file begins in the sink, whose next byte is the chunk's first.  Of the frame
 * type, record_count and decoded_size are given; the rest is filled in. */
enum tn_status tn_riegeli_lay(struct tn_sink *to, uint64_t base,
                              struct tn_riegeli_frame *frame,
                              const struct tn_rope    *data,
                              struct tn_error         *error);

/* Writes a padding chunk up to a multiple of `multiple`; nothing when the file
 * is there already, or for 0 and 1. */
enum tn_status tn_riegeli_lay_padding(struct tn_sink *to, uint64_t base,
                                      uint64_t          multiple,
                                      struct tn_memory *memory,
                                      struct tn_error  *error);

#endif
