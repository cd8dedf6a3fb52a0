/*
 * pb_map.h - the entries of a map field, ascending by key
 *
 * Entries with equal keys stay in wire order.  Keys are noted by place, not
 * copied.
 */
#ifndef TN_WIRE_PB_MAP_H
#define TN_WIRE_PB_MAP_H

#include "wire/pb/pb_order.h"

struct tn_pb_entry {
    struct tn_span body;   /* the entry message                               */
    uint64_t       number; /* the key, when it is a number or a bool          */
    struct tn_span text;   /* the key, when it is a string                    */
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

/* The entry that these bytes are, with its key: what a map is made of. */
void tn_pb_entry_init(struct tn_pb_entry *entry, const struct tn_pb_map *map,
                      struct tn_span body);

/* By key: negative, 0 or positive. */
int tn_pb_entry_compare(const struct tn_pb_map   *map,
                        const struct tn_pb_entry *a,
                        const struct tn_pb_entry *b);

#endif
