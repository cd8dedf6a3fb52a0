/*
 * expand.h - what a file may expand to
 *
 * A few bytes can stand for very many: one value that fills a tensor, zeros
 * that are not stored, packed data.  What is made of a file is bounded by what
 * the caller allows, or by a rule that no honest file meets: a floor that any
 * file may reach, and so many bytes for each byte of the file, which is about
 * what deflate can do at best.  Holes of a file are bytes of it like others.
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

/* Whether that is what failed: a limit of the caller's, and nothing that is
 * wrong with the file. */
bool tn_expand_is_refused(const struct tn_error *error);

/* LIMIT when it is more than that. */
static inline enum tn_status tn_expand_check(uint64_t found, uint64_t most,
                                             struct tn_error *error)
{
    return found <= most ? TN_OK
                         : tn_expand_refuse(found, most, TN_NOWHERE, error);
}

#endif
