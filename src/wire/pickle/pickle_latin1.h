/*
 * pickle_latin1.h - bytes that were pickled as text, as bytes again
 *
 * Python 3 under protocol 2 has no bytes: it writes the text whose code points
 * they are, in UTF-8, so that a byte from 0x80 on takes two.  This is a source
 * over such text.  Where a byte lies is known only by counting, so every 64 KiB
 * that were counted a mark is kept, and reading goes on from the one before.
 */
#ifndef TN_WIRE_PICKLE_LATIN1_H
#define TN_WIRE_PICKLE_LATIN1_H

#include "base/source.h"

/* `size` bytes when decoded.  Text that holds more or fewer, or another code
 * point, is MALFORMED when that part is read.  Safe from several threads. */
enum tn_status tn_pickle_latin1(struct tn_source **out, struct tn_span text,
                                uint64_t size, struct tn_memory *memory,
                                struct tn_error *error);

#endif
