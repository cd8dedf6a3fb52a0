/*
 * npy_text.h - numpy's unicode strings as UTF-8
 *
 * An item is n characters of 4 bytes; zeros at its end do not count.  A
 * character takes at most 4 bytes in UTF-8, so the UTF-8 fits into an item of
 * the same size, padded with zeros.  The result is a source of the same length,
 * which converts only what is read.
 */
#ifndef TN_WIRE_NPY_TEXT_H
#define TN_WIRE_NPY_TEXT_H

#include "base/source.h"

/* Finding a byte means converting its item from the start, so longer items are
 * refused: 16384 characters. */
#define TN_NPY_TEXT_LIMIT (UINT32_C(64) << 10)

/* Yours to close; the source of the span must outlive it.  item_size is a
 * multiple of 4 that divides the span, and at most the limit.  Reading fails
 * with MALFORMED at a code that is not a character. */
enum tn_status tn_npy_text_source(struct tn_source **out, struct tn_span span,
                                  uint32_t item_size, bool is_big_endian,
                                  struct tn_memory *memory,
                                  struct tn_error  *error);

#endif
