/*
 * rope_source.h - pieces that are elsewhere, read as if they were one file
 *
 * Nothing is copied: a merged model can be opened without being written.  The
 * sources of the pieces must live as long as this source.
 */
#ifndef TN_IO_ROPE_SOURCE_H
#define TN_IO_ROPE_SOURCE_H

#include "base/rope.h"
#include "base/source.h"

/* Bytes and spans only: UNSUPPORTED for a rope with producers, which cannot be
 * read from the middle (tn_source_from_rope() spools those).  The rope may be
 * freed; the bytes it borrowed must stay.  A rope of one piece in mapped memory
 * gives a mapped source. */
enum tn_status tn_source_rope(struct tn_source    **source,
                              struct tn_memory     *memory,
                              const struct tn_rope *rope, const char *name,
                              struct tn_error *error);

/* Appends the pieces of a range of such a source, so that copying from it still
 * goes straight from file to file.  False: it is another kind of source. */
bool tn_rope_source_pieces(const struct tn_source *source, uint64_t offset,
                           uint64_t length, struct tn_rope *to);

/* Copies the pieces; those in such sources are replaced by the pieces they are
 * made of.  `from` is empty afterwards. */
void tn_rope_flatten(struct tn_rope *from, struct tn_rope *to);

#endif
