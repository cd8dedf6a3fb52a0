/*
 * remote_source.h - a source over ranges of a file on a server
 *
 * What was fetched is kept in memory, the least recently used goes first.
 * What is asked for next is often known before: bytes after those that were
 * read, places that the distances of earlier jumps lead to (remote_stride.h),
 * or what the reader says (tn_source_expect).
 */
#ifndef TN_IO_REMOTE_SOURCE_H
#define TN_IO_REMOTE_SOURCE_H

#include "base/source.h"
#include "io/remote_transfer.h"

/* Opens a file by one request, for its first bytes; waits for the answer.
 * `is_trusted`: the user named it, so that it may get credentials. */
enum tn_status tn_remote_source(struct tn_source **source,
                                struct tn_remote *remote, const char *url,
                                const char *name, bool is_trusted,
                                struct tn_error *error);

#endif
