/*
 * pb_map.h - the entries of a map field, ascending by key
 *
 * Entries with equal keys stay in their order.  Keys are kept as spans, not
 * copied.
 */
#ifndef TN_WIRE_PB_MAP_H
#define TN_WIRE_PB_MAP_H

#include "wire/pb/pb_order.h"

struct tn_pb_entry {
    struct tn_span body;   /* the entry message                               */
    uint64_t       number; /* the key, if it is a number or a bool            */
    struct tn_span text;   /* the key, if it is a string                      */
};

struct tn_pb_map {
    const struct tn_pb_message *type; /* the entry: fields[0] key, [1] value  */
    struct tn_list              entries; /* struct tn_pb_entry                */
    struct tn_error            *error;
};

enum tn_status tn_pb_map_init(struct tn_pb_map               *map,
                              const struct tn_pb_occurrences *all,
                              struct tn_memory *memory, struct tn_error *error);
void           tn_pb_map_done(struct tn_pb_map *map);

/* Reads the entry in these bytes, with its key. */
void tn_pb_entry_init(struct tn_pb_entry *entry, const struct tn_pb_map *map,
                      struct tn_span body);

/* By key: negative, 0 or positive. */
int tn_pb_entry_compare(const struct tn_pb_map   *map,
                        const struct tn_pb_entry *a,
                        const struct tn_pb_entry *b);

#endif
