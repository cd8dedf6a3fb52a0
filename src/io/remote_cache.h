/*
 * remote_cache.h - parts of files on servers, kept on disk
 *
 * Off unless $TENON_CACHE is set: "1" is $XDG_CACHE_HOME/tenon (else
 * ~/.cache/tenon), a path that begins with '/' is another folder.  The folder
 * has one folder for each version of a file, named by a hash of its URL, ETag
 * and size; in that, one file for each range that was fetched, named by where
 * it begins and how long it is, with a checksum at its end.
 *
 * Files appear by rename and go by unlink, so that processes can share the
 * folder.  What is broken is removed and fetched again.  No failure of the disk
 * is a failure of the reader.  When a source is closed, the least recently used
 * files are removed until the rest is below $TENON_CACHE_SIZE ("20GB"; 10 GiB).
 */
#ifndef TN_IO_REMOTE_CACHE_H
#define TN_IO_REMOTE_CACHE_H

#include "base/memory.h"

struct tn_cache;

/* INVALID if what the environment says about the cache cannot be understood. */
enum tn_status tn_cache_check(struct tn_error *error);

/* NULL if there is no cache, or no memory. */
struct tn_cache *tn_cache_open(struct tn_memory *memory, const char *url,
                               const char *etag, uint64_t size);
void             tn_cache_close(struct tn_cache *cache);

/* The kept range that `offset` is in: true, and where it begins and how long it
 * is.  Else false, and where the next one begins (UINT64_MAX: nowhere). */
bool tn_cache_find(const struct tn_cache *cache, uint64_t offset,
                   uint64_t *begin, uint64_t *size);

/* Reads a range that was found.  False if it was removed or is damaged. */
bool tn_cache_read(struct tn_cache *cache, uint64_t begin, uint64_t size,
                   uint8_t *to);

/* A range that begins there is not found any more. */
void tn_cache_forget(struct tn_cache *cache, uint64_t begin);

/* Keeps a range.  One that overlaps another that is kept is left out. */
void tn_cache_keep(struct tn_cache *cache, uint64_t begin,
                   struct tn_bytes bytes);

#endif
