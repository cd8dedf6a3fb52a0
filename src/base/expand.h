/*
 * expand.h - how many bytes a file may expand to
 *
 * A few bytes can stand for very many: one value that fills a tensor, zeros
 * that are not stored, compressed data.  The limit is what the caller allows,
 * or a default that no honest file exceeds: a minimum for every file, plus a
 * number of bytes for each byte of the file, about the highest ratio that
 * deflate reaches.  Holes of a file count as bytes of it.
 */
#ifndef TN_BASE_EXPAND_H
#define TN_BASE_EXPAND_H

#include "base/error.h"

#define TN_EXPAND_FLOOR (UINT64_C(1) << 30)
#define TN_EXPAND_RATIO UINT64_C(1024)

/* The most bytes that files of `size` bytes may expand to: `asked`, unless that
 * is 0. */
uint64_t tn_expand_most(uint64_t asked, uint64_t size);

/* LIMIT, with what was found, what is allowed, and how to allow more. */
enum tn_status tn_expand_refuse(uint64_t found, uint64_t most, uint64_t offset,
                                struct tn_error *error);

/* Whether an error came from this limit, which is the caller's: nothing is
 * wrong with the file. */
bool tn_expand_is_refused(const struct tn_error *error);

/* LIMIT if `found` is more than `most`. */
static inline enum tn_status tn_expand_check(uint64_t found, uint64_t most,
                                             struct tn_error *error)
{
    return found <= most ? TN_OK
                         : tn_expand_refuse(found, most, TN_NOWHERE, error);
}

#endif
