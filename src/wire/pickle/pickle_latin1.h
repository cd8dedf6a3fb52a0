/*
 * pickle_latin1.h - decodes bytes that were pickled as text
 *
 * Protocol 2 has no bytes: Python 3 writes the text whose code points they are,
 * in UTF-8, so that a byte from 0x80 on takes two.  This is a source over such
 * text.  The position of a byte is known only by counting, so a mark is kept
 * for every 64 KiB, and reading starts from the mark before it.
 */
#ifndef TN_WIRE_PICKLE_LATIN1_H
#define TN_WIRE_PICKLE_LATIN1_H

#include "base/source.h"

/* `size` bytes when decoded.  Text that holds more or fewer, or another code
 * point, is MALFORMED when that part is read.  Safe from several threads. */
enum tn_status tn_pickle_latin1(struct tn_source **out, struct tn_span text,
                                uint64_t size, struct tn_memory *memory,
                                struct tn_error *error);

/* All of the text, whose size is found by reading it once. */
enum tn_status tn_pickle_latin1_all(struct tn_source **out, struct tn_span text,
                                    struct tn_memory *memory,
                                    struct tn_error  *error);

#endif
