/* spool.h - what was composed in pieces, as a source that can be read again */
#ifndef TN_IO_SPOOL_H
#define TN_IO_SPOOL_H

#include "base/rope.h"
#include "base/source.h"

/* Writes the rope to a file without a name and opens that: memory stays as
 * small as the rope's. */
enum tn_status tn_source_from_rope(struct tn_source    **source,
                                   struct tn_memory     *memory,
                                   const struct tn_rope *rope, const char *name,
                                   struct tn_error *error);

#endif
