/*
 * relay.h - writing bytes while they are read and looked at
 *
 * A checksum of what is copied would cost another pass over the bytes, unless
 * it is computed on the way.  Two threads share the work: while one writes a
 * window, the other fills the next one.  Each does whatever comes next, so that
 * one thread alone also finishes.
 */
#ifndef TN_IO_RELAY_H
#define TN_IO_RELAY_H

#include "base/sink.h"

/* Fills the next window, and looks at it.  Windows are filled in order, one at
 * a time, perhaps from another thread than the caller's. */
typedef enum tn_status tn_relay_fill(void *context, uint8_t *window,
                                     size_t size, struct tn_error *error);

/* `to` NULL: only looks.  Short ranges are done on the caller's thread. */
enum tn_status tn_relay(uint64_t length, struct tn_sink *to,
                        tn_relay_fill *fill, void *context,
                        struct tn_memory *memory, struct tn_error *error);

#endif
