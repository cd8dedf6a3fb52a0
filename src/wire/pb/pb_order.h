/*
 * pb_order.h - the fields of a message, sorted by number
 *
 * In the file, fields are in any order and may be repeated.  Here they are
 * sorted by number, by the rules of pb_rules.h; unknown fields come last.
 *
 * This is an index of series (adjacent occurrences of one field are one
 * series), so memory grows with the number of changes between fields, not with
 * the number of fields or bytes.
 */
#ifndef TN_WIRE_PB_ORDER_H
#define TN_WIRE_PB_ORDER_H

#include "wire/pb/pb_rules.h"

/* Whole wire fields, all of one kind. */
struct tn_pb_series {
    uint64_t begin, end; /* in the source                                     */
    uint32_t field;      /* index in type->fields, or TN_PB_UNKNOWN           */
};

#define TN_PB_UNKNOWN UINT32_MAX

/* Sorts a list of series by field; the sort is stable. */
void tn_pb_series_sort(struct tn_list *series);

struct tn_pb_order {
    const struct tn_pb_message *type;
    struct tn_source           *source;
    struct tn_list series; /* struct tn_pb_series, ascending by field */
};

/* The message consists of the parts, in this order: several if a singular
 * message occurs several times.  All are of one source, ascending. */
enum tn_status tn_pb_order_init(struct tn_pb_order         *order,
                                const struct tn_pb_message *type,
                                const struct tn_span *parts, uint64_t count,
                                struct tn_memory *memory,
                                struct tn_error  *error);
void           tn_pb_order_done(struct tn_pb_order *order);

/* All occurrences of one field. */
struct tn_pb_occurrences {
    const struct tn_pb_field_type *type; /* NULL: the unknown fields          */
    struct tn_source              *source;
    const struct tn_pb_series     *series;
    uint64_t                       count;
};

/* Iterates over the fields: *at is 0 at first.  False at the end. */
bool tn_pb_order_next(const struct tn_pb_order *order, uint64_t *at,
                      struct tn_pb_occurrences *all);

/* The occurrences of one field by index; count is 0 if there are none. */
struct tn_pb_occurrences tn_pb_order_find(const struct tn_pb_order *order,
                                          uint32_t                  field);

/* Walks the wire fields of all series. */
struct tn_pb_walk {
    struct tn_pb_occurrences all;
    uint64_t                 series;
    struct tn_cursor         cursor;
};
void tn_pb_walk_init(struct tn_pb_walk              *walk,
                     const struct tn_pb_occurrences *all,
                     struct tn_error                *error);
bool tn_pb_walk_next(struct tn_pb_walk *walk, struct tn_pb_field *field);

/* The last occurrence of a singular field: the one that counts. */
bool tn_pb_walk_last(const struct tn_pb_occurrences *all,
                     struct tn_pb_field *field, struct tn_error *error);

/* The bodies of a singular message, to be merged; appended to `parts`, a list
 * of struct tn_span. */
enum tn_status tn_pb_walk_parts(const struct tn_pb_occurrences *all,
                                struct tn_list *parts, struct tn_error *error);

/* ---- maps ---------------------------------------------------------------- */

/* The entries of a map field, ascending by key; those with equal keys stay in
 * their order.  Keys are kept as spans, not copied. */

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
