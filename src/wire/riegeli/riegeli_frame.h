/* riegeli_frame.h - what the parts of the reader share about frames */
#ifndef TN_WIRE_RIEGELI_FRAME_H
#define TN_WIRE_RIEGELI_FRAME_H

#include "base/sink.h"
#include "wire/riegeli/riegeli.h"
#include "wire/riegeli/riegeli_layout.h"

struct tn_riegeli_block {
    uint64_t previous; /* from the begin of the interrupted chunk to here    */
    uint64_t next;     /* from here to its end                               */
};

/* The block header at `at`, a multiple of the block size; the hash verified. */
enum tn_status tn_riegeli_block_read(const struct tn_riegeli *file, uint64_t at,
                                     struct tn_riegeli_block *block,
                                     struct tn_riegeli_fault *fault,
                                     struct tn_error         *error);

/* tn_riegeli_frame_check, and all data on the way to `to` (NULL: nobody). */
enum tn_status tn_riegeli_frame_pass(const struct tn_riegeli       *file,
                                     const struct tn_riegeli_frame *frame,
                                     struct tn_sink                *to,
                                     struct tn_riegeli_fault       *fault,
                                     struct tn_error               *error);

#endif
