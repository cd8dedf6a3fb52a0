/* tf_crc.h - checksums of data of any size */
#ifndef TN_FORMAT_TF_CRC_H
#define TN_FORMAT_TF_CRC_H

#include "base/sink.h"

/* Extends *crc by a range of a source, read in windows. */
enum tn_status tn_tf_crc_span(uint32_t *crc, struct tn_span span,
                              struct tn_memory *memory, struct tn_error *error);

/* Extends a checksum by the length of a string: as u32, or as u64 if it does
 * not fit. */
uint32_t tn_tf_crc_length(uint32_t crc, uint64_t length);

/* Extends it by the length of a variant, always u64. */
uint32_t tn_tf_crc_u64(uint32_t crc, uint64_t length);

/* A sink that computes the checksum of what it passes on.  Ranges are read
 * once, in windows, because the checksum needs every byte.  Holes stay
 * holes. */
struct tn_tf_crc_sink {
    struct tn_sink    sink; /* first */
    struct tn_sink   *to;
    uint32_t          crc;
    uint8_t          *window;
    struct tn_memory *memory;
};

enum tn_status tn_tf_crc_sink_init(struct tn_tf_crc_sink *crc,
                                   struct tn_sink *to, struct tn_memory *memory,
                                   struct tn_error *error);
void           tn_tf_crc_sink_done(struct tn_tf_crc_sink *crc);

#endif
