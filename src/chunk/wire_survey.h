/*
 * wire_survey.h - which fields a message has, found in one walk
 *
 * Neighbouring fields of one number are a series: a message has few of them,
 * even if it has a million fields.  Messages and bytes are recorded in groups
 * of up to 64: where a group begins, and how long its bodies are.
 *
 *   node node node ... node | node ... node | versions
 *   group of 64               group           series of its own
 *
 * That is enough to cut a million elements into slices: only the group in which
 * a slice ends is walked again.
 */
#ifndef TN_CHUNK_WIRE_SURVEY_H
#define TN_CHUNK_WIRE_SURVEY_H

#include "base/source.h"

#define TN_GROUP_FIELDS 64

struct tn_field_group {
    uint64_t first;   /* number of its first field, in the series   */
    uint64_t offset;  /* of that field, in the source                         */
    uint64_t bodies;  /* bytes of all its fields, without tags and lengths    */
    uint64_t largest; /* of these bodies                                      */
};

struct tn_field_series {
    uint32_t number;
    uint64_t begin, end; /* in the source                                     */
};

/* A series, and its fields in groups. */
struct tn_grouped_series {
    struct tn_field_series       series;
    uint64_t                     count;  /* fields                            */
    const struct tn_field_group *groups; /* NULL: not all are bytes or messages
                                          */
    uint64_t group_count;
};

struct tn_survey_how {
    bool     notes_groups;
    unsigned workers; /* for a long walk; 0: one per core                     */
};

struct tn_wire_survey {
    const struct tn_field_series
        *series; /* all of it; NULL: there are too many */
    const struct tn_grouped_series *grouped; /* the same; NULL: not requested */
    uint32_t                        series_count;
};

/* The result is in the arena.  MALFORMED or TRUNCATED if the bytes are not
 * whole fields.  The result does not depend on the number of threads. */
enum tn_status tn_wire_survey(struct tn_wire_survey *survey,
                              struct tn_span wire, struct tn_survey_how how,
                              struct tn_arena *arena, struct tn_error *error);

/* The group that has a field of a series with groups, and its number of fields.
 */
const struct tn_field_group *tn_series_group(
    const struct tn_grouped_series *series, uint64_t at, uint64_t *count);

/* Where a field of such a series begins; after the last one: where the series
 * ends. */
uint64_t tn_series_offset(const struct tn_grouped_series *series,
                          struct tn_source *source, uint64_t at,
                          struct tn_error *error);

#endif
