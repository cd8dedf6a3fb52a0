/* spool.h - what was composed in pieces, as a source that can be read again */
#ifndef TN_IO_SPOOL_H
#define TN_IO_SPOOL_H

#include "base/rope.h"
#include "base/source.h"

/* A sink into an unnamed file, which then becomes a source: memory use stays
 * small, whatever the length. */
struct tn_spool {
    struct tn_sink    sink; /* first */
    struct tn_memory *memory;
    const char       *folder; /* for messages                                 */
    int               file;
    size_t            used;
    uint8_t          *buffer;
};

enum tn_status tn_spool_open(struct tn_spool *spool, struct tn_memory *memory,
                             struct tn_error *error);

/* Call exactly one of these at the end.  The first returns the source, mapped;
 * the second discards what was written. */
enum tn_status tn_spool_finish(struct tn_spool   *spool,
                               struct tn_source **source, const char *name,
                               struct tn_error *error);
void           tn_spool_drop(struct tn_spool *spool);

/* Writes the rope to an unnamed file and opens it: memory use stays as small as
 * the rope's. */
enum tn_status tn_source_from_rope(struct tn_source    **source,
                                   struct tn_memory     *memory,
                                   const struct tn_rope *rope, const char *name,
                                   struct tn_error *error);

#endif
