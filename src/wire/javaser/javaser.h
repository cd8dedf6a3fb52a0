/*
 * javaser.h - one kind of Java object stream: names with two numbers each
 *
 * A LinkedHashMap<String, Pair<Long, Long>>, which Deeplearning4j uses as the
 * table of contents of its files.  Big-endian:
 *
 *   stream  AC ED 00 05, one object: the map
 *   object  70 null | 71 u32 handle | 73 class data
 *           | 74 u16 length text | 7C u64 length text
 *   class   72 u16 length name, u64 UID, u8 flags, u16 count, fields,
 *           78, superclass: class | 70 null | 71 u32 handle
 *   field   u8 type, u16 length name; type 'L': an object, the type's name
 *
 *   java.util.LinkedHashMap        Z accessOrder, after its superclass
 *   java.util.HashMap              F loadFactor, I threshold, then
 *                                  77 08 u32 buckets u32 n,
 *                                  n * (key, value), 78
 *   org.nd4j.common.primitives.Pair  L key, L value
 *   java.lang.Long                 J value; its superclass Number has nothing
 *
 * Classes, strings and objects take numbers from 0x7E0000 in the order in
 * which they begin, an object after its class; a handle names one of them.
 * Text is "modified UTF-8": zero is C0 80, characters past U+FFFF are two
 * surrogates of three bytes.
 *
 * This reads no other class and builds no objects: there is nothing here that a
 * stream could call.
 */
#ifndef TN_WIRE_JAVASER_H
#define TN_WIRE_JAVASER_H

#include "base/buffer.h"
#include "base/cursor.h"

struct tn_javaser_entry {
    struct tn_bytes key; /* UTF-8                                             */
    int64_t         first, second;
    uint64_t        offset; /* where the entry begins                         */
};

/* Reads everything up to the end of the cursor.  Entries (struct
 * tn_javaser_entry) are added in the order of the stream; keys are in the arena
 * and differ from each other.  Other classes and other type codes are
 * UNSUPPORTED by name. */
enum tn_status tn_javaser_read(struct tn_cursor *c, struct tn_arena *arena,
                               struct tn_list *entries);

/* Appends the stream that Java would write for such a map, byte for byte.
 * INVALID for a key that is not UTF-8. */
enum tn_status tn_javaser_write(struct tn_buffer              *to,
                                const struct tn_javaser_entry *entries,
                                uint64_t                       count);

#endif
