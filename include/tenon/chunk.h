/*
 * chunk.h - messages of any size, taken apart into chunks and joined again
 */
#ifndef TENON_CHUNK_H
#define TENON_CHUNK_H

#include <stdbool.h>

#include <tenon/bytes.h>
#include <tenon/status.h>

/* What a chunk holds: a serialized message, or the bytes of one field. */
enum tn_chunk_type {
    TN_CHUNK_UNSET,
    TN_CHUNK_MESSAGE,
    TN_CHUNK_BYTES,
};

/* One step of a path in a message: the name or number of a field, then the
 * index of a repeated field or the key of a map.  Text and numbers convert:
 * "15" is an index, 1 is the key true. */
struct tn_step {
    const char *text;   /* NULL: the number counts                            */
    int64_t     number; /* keys past INT64_MAX: their bits                    */
};

#define TN_NAME(name) { (name), 0 }
#define TN_AT(number) { NULL, (number) }

#endif
