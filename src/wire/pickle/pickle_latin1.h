/*
 * pickle_latin1.h - decodes bytes that were pickled as text
 *
 * Protocols up to 2 have no bytes: Python 3 writes the text whose code points
 * they are.  Python 2 writes them between quotes in protocol 0.  There are
 * three ways:
 *
 *   UTF-8              a byte from 0x80 on takes two        is_latin1
 *   line of text       some bytes are \u and four digits    is_latin1, is_coded
 *   quoted             some bytes are escapes as in C       is_coded
 *
 * This is a source over such text.  The position of a byte is known only by
 * counting, so a mark is kept for every 64 KiB, and reading starts from the
 * mark before it.
 */
#ifndef TN_WIRE_PICKLE_LATIN1_H
#define TN_WIRE_PICKLE_LATIN1_H

#include "base/source.h"
#include "wire/pickle/pickle.h"

/* Whether bytes have to be decoded: else they are in the file as they are. */
static inline bool tn_pickle_is_encoded(const struct tn_pickle_string *bytes)
{
    return bytes->is_latin1 || bytes->is_coded;
}

/* `size` bytes when decoded.  Text that holds more or fewer, or another code
 * point, is MALFORMED when that part is read.  Safe from several threads. */
enum tn_status tn_pickle_latin1(struct tn_source             **out,
                                const struct tn_pickle_string *text,
                                uint64_t size, struct tn_memory *memory,
                                struct tn_error *error);

/* All of the text, whose size is found by reading it once. */
enum tn_status tn_pickle_latin1_all(struct tn_source             **out,
                                    const struct tn_pickle_string *text,
                                    struct tn_memory              *memory,
                                    struct tn_error               *error);

/* Decodes what is at `bytes`, in place, as far as it can; `text` says how.
 * Returns how many bytes it became. */
size_t tn_pickle_latin1_head(const struct tn_pickle_string *text,
                             uint8_t *bytes, size_t size);

/* Reads a number of up to `most` digits of a base up to 16; how many there
 * were. */
unsigned tn_pickle_digits(const uint8_t *at, size_t left, unsigned most,
                          unsigned base, uint32_t *value);

#endif
