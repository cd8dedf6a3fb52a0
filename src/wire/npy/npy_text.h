/*
 * npy_text.h - numpy's unicode strings as UTF-8
 *
 * An item is n characters of 4 bytes, zeros at its end not counted.  A
 * character takes at most 4 bytes in UTF-8, so an item of the same size holds
 * it, padded with zeros as well: a source of the same length, nothing of which
 * is made before it is read.
 */
#ifndef TN_WIRE_NPY_TEXT_H
#define TN_WIRE_NPY_TEXT_H

#include "base/source.h"

/* Finding one byte means going through its item from the start, so an item is
 * not longer than this: 16384 characters. */
#define TN_NPY_TEXT_LIMIT (UINT32_C(64) << 10)

/* Yours to close; the source of the span must outlive it.  item_size is a
 * multiple of 4 that divides the span, and at most the limit.  Reading fails
 * with MALFORMED where there is no character. */
enum tn_status tn_npy_text_source(struct tn_source **out, struct tn_span span,
                                  uint32_t item_size, bool is_big_endian,
                                  struct tn_memory *memory,
                                  struct tn_error  *error);

#endif
