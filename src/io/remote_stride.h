/*
 * remote_stride.h - where a walk that jumps over weights will land next
 *
 * Each jump of a walk over a remote file costs a round trip, and the next one
 * is only known after it.  But layers repeat, and so do the distances: what
 * followed the last distances before will probably follow them again.
 */
#ifndef TN_IO_REMOTE_STRIDE_H
#define TN_IO_REMOTE_STRIDE_H

#include <stdint.h>

#define TN_STRIDES     1024 /* distances that are remembered                 */
#define TN_STRIDE_MOST 32   /* places that are predicted at a time           */

struct tn_strides {
    uint64_t last; /* where the last jump landed                             */

    struct {
        uint64_t distance; /* of the jump                                    */
        uint64_t stay;     /* bytes that were looked at where it landed      */
    } jumps[TN_STRIDES];   /* a ring                                         */
    uint64_t count;        /* of all jumps, also of forgotten ones           */
    unsigned depth;        /* how many to predict: more after hits           */

    /* What was predicted, in order, and bytes that will be looked at there;
     * `here` are those at the last jump, or 0. */
    uint64_t next[TN_STRIDE_MOST], stays[TN_STRIDE_MOST];
    unsigned next_count;
    uint64_t here;
};

/* Notes a jump to `offset`, after bytes up to `end` were looked at, and
 * predicts: next[] are the places after it. */
void tn_strides_jump(struct tn_strides *strides, uint64_t end, uint64_t offset);

/* How far from a predicted place a jump may land: names of layers differ in
 * length. */
#define TN_STRIDE_SLACK 256

#endif
