/*
 * cpb_late.h - chunks that are verified while they are written
 *
 * Who merges a file into another one reads every byte of it anyway.  So long
 * chunks are taken on trust at first: how long they are is known from their
 * headers, which is all that a merged message must know.  tn_cpb_stream writes
 * that message, and while it does, the hashes of all these chunks are verified,
 * that they are whole fields is found out, and packed ones are unpacked into
 * the place where they belong: on several threads, in windows.
 *
 * What fails here fails too late to say more than that it did; who wants to
 * know merges again without putting anything off.
 */
#ifndef TN_CHUNK_CPB_LATE_H
#define TN_CHUNK_CPB_LATE_H

#include "chunk/cpb.h"

/* Chunk `index` as one that is looked at later; false: it is short, or of a
 * kind that cannot wait. */
bool tn_cpb_late(struct tn_cpb *cpb, uint64_t index, struct tn_riegeli *file,
                 struct tn_span *record);

void tn_cpb_late_close(struct tn_cpb *cpb);

/* Where a record of an opened or trusted chunk lies in the file, if it is not
 * packed, so that it can be copied from there. */
enum tn_status tn_cpb_record(struct tn_cpb *cpb, struct tn_riegeli_chunk *chunk,
                             uint64_t index, struct tn_span *record,
                             struct tn_error *error);

#endif
