/* zip_sum.h - a sink that computes the checksum of what it passes on */
#ifndef TN_WIRE_ZIP_SUM_H
#define TN_WIRE_ZIP_SUM_H

#include "base/sink.h"

struct zip_sum {
    struct tn_sink    sink; /* first */
    struct tn_sink   *to;   /* NULL: only the checksum is wanted              */
    struct tn_memory *memory;
    uint32_t          crc;
};

void zip_sum_init(struct zip_sum *sum, struct tn_sink *to,
                  struct tn_memory *memory);

#endif
