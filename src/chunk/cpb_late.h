/*
 * cpb_late.h - chunks that are verified while they are written
 *
 * Merging a file into another one reads every byte of it anyway.  So long
 * chunks are trusted at first: their length is known from their headers, which
 * is all that the merged message needs.  When tn_cpb_stream() writes that
 * message, it verifies the hashes of all these chunks, checks that they are
 * whole fields, and unpacks compressed ones to their place in the output: on
 * several threads, in windows.
 *
 * A failure at that point is too late to be precise; callers that want to know
 * the cause merge again without putting anything off.
 */
#ifndef TN_CHUNK_CPB_LATE_H
#define TN_CHUNK_CPB_LATE_H

#include "chunk/cpb.h"

/* Treats chunk `index` as one that is verified later; false if it is short, or
 * of a kind that cannot be verified later. */
bool tn_cpb_late(struct tn_cpb *cpb, uint64_t index, struct tn_riegeli *file,
                 struct tn_span *record);

void tn_cpb_late_close(struct tn_cpb *cpb);

/* Where a record of an opened or trusted chunk is in the file, if it is not
 * compressed, so that it can be copied from there. */
enum tn_status tn_cpb_record(struct tn_cpb *cpb, struct tn_riegeli_chunk *chunk,
                             uint64_t index, struct tn_span *record,
                             struct tn_error *error);

#endif
