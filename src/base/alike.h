/*
 * alike.h - names that a file system may take for one another
 *
 * Two names are alike if they have the same key: the name in Unicode's
 * normalization form C, with simple case folding (statuses C and S of
 * CaseFolding.txt) of every character.  So "É" is alike to "é", whether it is
 * written as one character or as two, and "ß" is not alike to "ss".  The locale
 * does not matter.
 *
 * Bytes that are not UTF-8 stand for themselves.  At most 62 characters are
 * reordered and composed at a time, so a name made of thousands of accents
 * costs no more than others do.
 */
#ifndef TN_BASE_ALIKE_H
#define TN_BASE_ALIKE_H

#include "base/byte_view.h"
#include "base/memory.h"

/* A key is at most this many times as long as its name. */
#define TN_ALIKE_GROWTH 3

bool tn_alike(struct tn_bytes a, struct tn_bytes b);

/* Writes the key; `to` has room for TN_ALIKE_GROWTH times the name. */
size_t tn_alike_key(uint8_t *to, struct tn_bytes name);

/* The key in an arena, or the name itself if it is its own key; .data is NULL
 * on failure. */
struct tn_bytes tn_alike_copy(struct tn_arena *arena, struct tn_bytes name,
                              struct tn_error *error);

#endif
