/*
 * alike.h - names that a file system may take for one another
 *
 * Two names are alike when they have the same key: the name in Unicode's
 * normalization form C, with simple case folding (statuses C and S of
 * CaseFolding.txt) of every character.  So "É" written as one character or as
 * two is alike to "é", and "ß" is not alike to "ss".  No locale plays a part.
 *
 * Bytes that are not UTF-8 stand for themselves.  No more than 62 characters
 * are reordered and composed at a time, so a name made of thousands of accents
 * costs no more than others do.
 */
#ifndef TN_BASE_ALIKE_H
#define TN_BASE_ALIKE_H

#include "base/byte_view.h"
#include "base/memory.h"

/* A key has at most so many times the bytes of its name. */
#define TN_ALIKE_GROWTH 3

bool tn_alike(struct tn_bytes a, struct tn_bytes b);

/* Writes the key; `to` has room for TN_ALIKE_GROWTH times the name. */
size_t tn_alike_key(uint8_t *to, struct tn_bytes name);

/* The key in an arena, or the name itself where it is its own key; .data NULL
 * on failure. */
struct tn_bytes tn_alike_copy(struct tn_arena *arena, struct tn_bytes name,
                              struct tn_error *error);

#endif
