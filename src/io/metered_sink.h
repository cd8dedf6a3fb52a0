/* metered_sink.h - a sink that counts what goes through it, and can be stopped
 */
#ifndef TN_IO_METERED_SINK_H
#define TN_IO_METERED_SINK_H

#include "base/sink.h"
#include "io/meter.h"

struct tn_metered_sink {
    struct tn_sink   sink; /* first */
    struct tn_sink  *to;
    struct tn_meter *meter;
    uint64_t         uncounted; /* too few to ask the meter                   */
};

/* In front of another sink, with the same abilities. */
void tn_metered_sink_init(struct tn_metered_sink *metered, struct tn_sink *to,
                          struct tn_meter *meter);

#endif
