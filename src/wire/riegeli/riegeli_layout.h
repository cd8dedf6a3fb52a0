/*
 * riegeli_layout.h - positions of the bytes of a chunk in a Riegeli file
 *
 * At every multiple of 64 KiB there are 24 bytes that belong to no chunk, so
 * the n-th byte of a chunk is not always n bytes after its beginning.  A chunk
 * that begins at such a place begins before these 24 bytes.
 */
#ifndef TN_WIRE_RIEGELI_LAYOUT_H
#define TN_WIRE_RIEGELI_LAYOUT_H

#include "base/arith.h"

#define TN_RIEGELI_BLOCK        UINT64_C(65536)
#define TN_RIEGELI_BLOCK_HEADER UINT64_C(24)
#define TN_RIEGELI_USABLE       (TN_RIEGELI_BLOCK - TN_RIEGELI_BLOCK_HEADER)
#define TN_RIEGELI_CHUNK_HEADER UINT64_C(40)

/* Bytes from `at` to the next block, a whole block when one begins there. */
static inline uint64_t tn_riegeli_to_block(uint64_t at)
{
    return TN_RIEGELI_BLOCK - at % TN_RIEGELI_BLOCK;
}

/* Whether a chunk may begin or end here: not in a block header, nor directly
 * after it. */
static inline bool tn_riegeli_is_boundary(uint64_t at)
{
    uint64_t in_block = at % TN_RIEGELI_BLOCK;

    return in_block == 0 || in_block > TN_RIEGELI_BLOCK_HEADER;
}

/* The first such place at or after `at`; false past 2^64. */
static inline bool tn_riegeli_round_up(uint64_t at, uint64_t *out)
{
    uint64_t in_block = at % TN_RIEGELI_BLOCK;

    *out = at;
    if (tn_riegeli_is_boundary(at))
        return true;
    return tn_add(at, TN_RIEGELI_BLOCK_HEADER + 1 - in_block, out);
}

/* Where n bytes of a chunk that begins at `begin` end; false past 2^64. */
static inline bool tn_riegeli_after(uint64_t begin, uint64_t n, uint64_t *out)
{
    /* How far into the usable part of the blocks the chunk begins; the sum
     * may wrap, which does not change it modulo a block. */
    uint64_t ahead = (begin + TN_RIEGELI_USABLE - 1) % TN_RIEGELI_BLOCK;
    uint64_t usable;

    if (!tn_add(n, ahead, &usable))
        return false;
    uint64_t headers = usable / TN_RIEGELI_USABLE * TN_RIEGELI_BLOCK_HEADER;
    return tn_add(begin, n, out) && tn_add(*out, headers, out);
}

/* Where the n-th byte itself is, in a chunk that is known to fit. */
static inline uint64_t tn_riegeli_place(uint64_t begin, uint64_t n)
{
    uint64_t at = begin;

    (void)tn_riegeli_after(begin, n, &at);
    return at % TN_RIEGELI_BLOCK ? at : at + TN_RIEGELI_BLOCK_HEADER;
}

/* Where a chunk ends: after its data, and late enough that each of its records
 * has a position of its own.  False past 2^64. */
static inline bool tn_riegeli_end(uint64_t begin, uint64_t data_size,
                                  uint64_t record_count, uint64_t *out)
{
    uint64_t stored, numbers;

    if (!tn_add(data_size, TN_RIEGELI_CHUNK_HEADER, &stored) ||
        !tn_riegeli_after(begin, stored, &stored) ||
        !tn_add(begin, record_count, &numbers) ||
        !tn_riegeli_round_up(numbers, &numbers))
        return false;
    *out = tn_max(stored, numbers);
    return true;
}

#endif
