/*
 * overwrite.h - changes a few bytes of an existing file in place
 *
 * For formats whose header can change while the gigabytes after it stay.  What
 * is written lies in one page of the file, so that a crash leaves the old bytes
 * or the new ones: systems write whole pages back.  Everything larger goes
 * through an output.
 */
#ifndef TN_IO_OVERWRITE_H
#define TN_IO_OVERWRITE_H

#include "base/byte_view.h"
#include "base/error.h"
#include "base/source.h"

#define TN_OVERWRITE_PAGE UINT64_C(4096)

/* Whether the file at `path` is the one behind the source, and no other name
 * leads to it. */
bool tn_overwrite_is_file(const char *path, const struct tn_source *source);

/* INVALID if the bytes are not in one page of the file, or outside of it.  With
 * is_durable they reach the disk. */
enum tn_status tn_overwrite(const char *path, uint64_t offset,
                            struct tn_bytes bytes, bool is_durable,
                            struct tn_error *error);

#endif
