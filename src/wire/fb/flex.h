/*
 * flex.h - maps of FlexBuffers: names and numbers
 *
 * FlexBuffers are FlatBuffers without a schema.  The last byte of one is the
 * width of its root, the byte before it the type, and the root comes before that:
 *
 *   ... keys ... | keys: u, width of keys: u, count: u, values u[] | types u8[]
 *                                                     ^ a map begins here
 *
 * Numbers are little-endian and as wide as their vector says; offsets lead back,
 * from where they stand.  A type has the width of what it leads to in its two
 * lowest bits.
 */
#ifndef TN_WIRE_FLEX_H
#define TN_WIRE_FLEX_H

#include <stdbool.h>
#include <stdint.h>

#include <tenon/bytes.h>

enum tn_flex_kind {
    TN_FLEX_OTHER, /* nothing that is read here */
    TN_FLEX_INT,
    TN_FLEX_FLOAT,
    TN_FLEX_BOOL,
    TN_FLEX_STRING,
};

struct tn_flex_item {
    struct tn_bytes   key; /* in the bytes of the map                         */
    enum tn_flex_kind kind;
    int64_t           number; /* INT, BOOL                                    */
    double            real;
    struct tn_bytes   text;
};

struct tn_flex_map {
    struct tn_bytes bytes;
    uint64_t        begin, count; /* values                                   */
    uint64_t        keys;         /* where they are                           */
    unsigned        width, key_width;
};

/* False if the root is no map, or not all of it is there. */
bool tn_flex_open(struct tn_flex_map *map, struct tn_bytes bytes);

/* False if the item is damaged; `index` is below the count. */
bool tn_flex_at(const struct tn_flex_map *map, uint64_t index,
                struct tn_flex_item *item);

#endif
