/*
 * wire_survey.c - which fields a message has, found in one walk
 *
 * Only a field tells where the next one begins: to find the millionth, all
 * before it must be walked.  A long walk is divided among threads all the same.
 * The rest of the wire is cut into as many parts as there are threads, and each
 * thread guesses where a field of its part begins: after 64 consecutive fields
 * with the same tag.  (Not at the first of them: that is often a field inside
 * another, and both end at the same place.)  A guess was right if the walk over
 * the part before it arrives there.  A part with a wrong guess is walked again,
 * so a wrong guess only costs time.
 *
 * A thread has several parts and walks them in turns: a single walk would wait
 * for memory most of the time.
 */
#include "chunk/wire_survey.h"

#include <string.h>

#include "base/arith.h"
#include "chunk/wire_walk.h"
#include "io/pipeline.h"
#include "io/workers.h"

/* A message of more series than that is not recorded, but walked again when it
 * is needed. */
#define MOST_RUNS 16

/* Sharing pays off from so many bytes on, if fields are no longer than that on
 * the average; a guess is made within so many. */
#define SHARED_LEAST ((ptrdiff_t)8 << 20)
#define SHARED_FIELD 1024
#define GUESS_WITHIN ((ptrdiff_t)64 << 10)

/* Each thread takes this many parts at a time, of at least this many bytes, and
 * does so a few times: a faster thread does more. */
#define STRIPS        16
#define STRIP_LEAST   ((ptrdiff_t)256 << 10)
#define JOBS_A_WORKER 4

struct series {
    struct tn_field_series about;
    uint64_t count; /* fields                                      */
    uint64_t first_group;
    bool     is_odd; /* not all are bytes or messages              */
};

struct surveying {
    struct tn_wire_walk  walk;
    struct tn_survey_how how;
    struct tn_error     *error;
    struct series        series[MOST_RUNS];
    uint32_t             count; /* MOST_RUNS + 1: too many                   */
    struct tn_list groups; /* struct tn_field_group, of all series        */
    bool           was_shared;
};

/* ---- noting -------------------------------------------------------------- */

/* The series of that number at the end of what was walked; NULL: too many. */
static struct series *open_series(struct surveying *s, uint32_t number,
                                  uint64_t at)
{
    if (s->count > MOST_RUNS)
        return NULL;
    if (s->count && s->series[s->count - 1].about.number == number)
        return &s->series[s->count - 1];
    if (s->count++ == MOST_RUNS) {
        tn_list_done(&s->groups);
        return NULL;
    }
    struct series *series = &s->series[s->count - 1];
    *series               = (struct series){ .about       = { number, at, at },
                                             .first_group = s->groups.count };
    return series;
}

static void note_group(struct surveying *s, struct series *series,
                       uint64_t offset, struct tn_row_sum sum)
{
    struct tn_field_group *group =
        s->how.notes_groups && !series->is_odd
            ? tn_list_push(&s->groups, struct tn_field_group, s->error)
            : NULL;

    if (group)
        *group = (struct tn_field_group){ series->count, offset, sum.bodies,
                                          sum.largest };
    series->count += sum.count;
}

/* Adds a field to the last group of the series, if there is room. */
static void note_one(struct surveying *s, struct series *series,
                     uint64_t offset, uint64_t body)
{
    struct tn_row_sum      one = { 1, 0, body, body };
    struct tn_field_group *last =
        s->groups.count > series->first_group
            ? tn_list_at(&s->groups, struct tn_field_group, s->groups.count - 1)
            : NULL;

    if (!last || series->count - last->first >= TN_GROUP_FIELDS) {
        note_group(s, series, offset, one);
        return;
    }
    last->bodies += body;
    last->largest = tn_max(last->largest, body);
    series->count++;
}

/* ---- sharing ------------------------------------------------------------- */

struct part {
    const uint8_t *begin, *stop; /* fields that begin in between              */
    const uint8_t *first, *end;  /* those that were found; NULL: none         */
    uint64_t       count;
    struct tn_list groups; /* struct tn_field_group                           */
};

struct sharing {
    struct part   *parts;
    uint64_t       count; /* STRIPS for each job                              */
    const uint8_t *end; /* of the wire                                        */
    uint8_t        tag;
    uint64_t       offset; /* of the first part, in the source                */
};

static const uint8_t *guess_first(const struct sharing *sharing,
                                  const struct part    *part)
{
    const uint8_t *at = part->begin, *stop = part->stop;

    if (stop - at > GUESS_WITHIN)
        stop = at + GUESS_WITHIN;
    while (at < stop && (at = memchr(at, sharing->tag, (size_t)(stop - at)))) {
        struct tn_row_sum sum =
            tn_wire_sum(at, sharing->end, sharing->end, TN_GROUP_FIELDS);
        if (sum.count == TN_GROUP_FIELDS)
            return at + sum.size;
        at++;
    }
    return NULL;
}

/* What was found of a part last, as a group. */
static enum tn_status note_strip(const struct sharing *sharing,
                                 struct part *part, struct tn_row_sum sum,
                                 struct tn_error *error)
{
    uint64_t before = (uint64_t)(part->end - sharing->parts[0].begin);
    struct tn_field_group *group =
        tn_list_push(&part->groups, struct tn_field_group, error);

    if (!group)
        return error->status;
    *group = (struct tn_field_group){ part->count, sharing->offset + before,
                                      sum.bodies, sum.largest };
    part->count += sum.count;
    part->end += sum.size;
    return TN_OK;
}

/* All parts of a job. */
static enum tn_status walk_parts(void *context, uint64_t index,
                                 struct tn_error *error)
{
    struct sharing      *sharing = context;
    struct part         *parts   = &sharing->parts[index * STRIPS];
    struct tn_wire_strip strips[STRIPS];
    bool                 is_over = false;

    for (unsigned i = 0; i < STRIPS; i++) {
        struct part *part     = &parts[i];
        bool         is_known = part == sharing->parts;
        part->first    = is_known ? part->begin : guess_first(sharing, part);
        part->end      = part->first;
        strips[i].at   = part->first ? part->first : part->stop;
        strips[i].stop = part->stop;
    }
    while (!is_over) {
        tn_wire_sum_strips(strips, STRIPS, sharing->tag, sharing->end,
                           TN_GROUP_FIELDS);
        is_over = true;
        for (unsigned i = 0; i < STRIPS; i++) {
            if (strips[i].sum.count == 0)
                continue;
            TN_TRY(note_strip(sharing, &parts[i], strips[i].sum, error));
            is_over = false;
        }
    }
    return TN_OK;
}

/* Room for all groups at once: grown part by part they would be moved. */
static void make_room(struct surveying *s, const struct sharing *sharing)
{
    uint64_t count = s->groups.count, more = sharing->count;

    for (uint64_t i = 0; i < sharing->count; i++)
        more += sharing->parts[i].groups.count;
    if (s->how.notes_groups && tn_list_grow(&s->groups, more, s->error))
        s->groups.count = count;
}

static void take_part(struct surveying *s, struct series *series,
                      const struct part *part)
{
    struct tn_field_group *to =
        s->how.notes_groups && part->groups.count
            ? tn_list_grow(&s->groups, part->groups.count, s->error)
            : NULL;

    for (uint64_t i = 0; to && i < part->groups.count; i++) {
        to[i] = *tn_list_at(&part->groups, struct tn_field_group, i);
        to[i].first += series->count;
    }
    series->count += part->count;
}

/* The few fields before the first of a part; where they end. */
static const uint8_t *walk_between(struct surveying *s, struct series *series,
                                   const struct sharing *sharing,
                                   const uint8_t *at, const uint8_t *stop)
{
    while (at < stop && *at == sharing->tag) {
        struct tn_row_sum sum =
            tn_wire_sum(at, stop, sharing->end, TN_GROUP_FIELDS);
        if (sum.count == 0)
            break;
        note_group(s, series,
                   sharing->offset + (uint64_t)(at - sharing->parts[0].begin),
                   sum);
        at += sum.size;
    }
    return at;
}

/* Parts to which the fields before lead, and the fields of others; where the
 * last one ends. */
static const uint8_t *join_parts(struct surveying *s, struct series *series,
                                 const struct sharing *sharing)
{
    const uint8_t *at = sharing->parts[0].begin;

    make_room(s, sharing);
    for (uint64_t i = 0; i < sharing->count; i++) {
        const struct part *part = &sharing->parts[i];
        if (!part->first)
            continue;
        at = walk_between(s, series, sharing, at, part->first);
        if (part->first != at)
            continue;
        take_part(s, series, part);
        at = part->end;
    }
    return at;
}

static bool open_parts(struct surveying *s, struct sharing *sharing)
{
    const struct tn_cursor *c    = &s->walk.cursor;
    ptrdiff_t               size = (c->end - c->at) / (ptrdiff_t)sharing->count;

    sharing->parts =
        tn_memory_resize(s->groups.memory, NULL, 0,
                         sharing->count * sizeof *sharing->parts, s->error);
    for (uint64_t i = 0; sharing->parts && i < sharing->count; i++) {
        const uint8_t *begin   = c->at + (ptrdiff_t)i * size;
        bool           is_last = i + 1 == sharing->count;
        sharing->parts[i] =
            (struct part){ .begin = begin,
                           .stop  = is_last ? c->end : begin + size };
        tn_list_init(&sharing->parts[i].groups, s->groups.memory,
                     sizeof(struct tn_field_group));
    }
    return sharing->parts;
}

static void close_parts(struct surveying *s, struct sharing *sharing)
{
    for (uint64_t i = 0; i < sharing->count; i++)
        tn_list_done(&sharing->parts[i].groups);
    tn_memory_free(s->groups.memory, sharing->parts,
                   sharing->count * sizeof *sharing->parts);
}

/* Shares the walk over the rest of the wire, which begins with fields like
 * those of the series. */
static void share_rest(struct surveying *s, struct series *series)
{
    struct tn_cursor *c       = &s->walk.cursor;
    unsigned          workers = tn_pipeline_workers(s->how.workers);
    uint64_t          jobs =
        tn_min((uint64_t)((c->end - c->at) / (STRIPS * STRIP_LEAST)),
               (uint64_t)workers * JOBS_A_WORKER);
    struct sharing sharing = { .count  = jobs * STRIPS,
                               .end    = c->end,
                               .tag    = *c->at,
                               .offset = c->offset };

    s->was_shared = true;
    if (!open_parts(s, &sharing))
        return;
    if (tn_workers_run(workers, jobs, walk_parts, &sharing, s->error) ==
        TN_OK) {
        const uint8_t *end = join_parts(s, series, &sharing);
        c->offset += (uint64_t)(end - c->at);
        c->at             = end;
        series->about.end = c->offset;
    }
    close_parts(s, &sharing);
}

static bool is_worth_sharing(const struct surveying *s, struct tn_row_sum last)
{
    const struct tn_cursor *c = &s->walk.cursor;

    return !s->was_shared && s->walk.window.map &&
           last.count == TN_GROUP_FIELDS &&
           last.size <= TN_GROUP_FIELDS * SHARED_FIELD &&
           c->end - c->at >= SHARED_LEAST;
}

/* ---- walking ------------------------------------------------------------- */

/* Many at once; false if there are none here. */
static bool survey_rows(struct surveying *s)
{
    uint64_t          begin = s->walk.cursor.offset;
    uint32_t          number;
    struct tn_row_sum sum = tn_wire_walk_sum(
        &s->walk, &number, s->how.notes_groups ? TN_GROUP_FIELDS : UINT64_MAX);

    if (sum.count == 0)
        return false;
    struct series *series = open_series(s, number, begin);
    if (!series)
        return true;
    note_group(s, series, begin, sum);
    series->about.end = begin + sum.size;
    if (is_worth_sharing(s, sum))
        share_rest(s, series);
    return true;
}

static bool survey_field(struct surveying *s)
{
    struct tn_pb_field field;
    struct tn_span     whole;

    if (!tn_wire_walk_next(&s->walk, &field, &whole))
        return false;
    struct series *series = open_series(s, field.number, whole.offset);
    if (!series)
        return true;
    if (field.type == TN_WIRE_LEN)
        note_one(s, series, whole.offset, tn_wire_body(&field, whole).length);
    else
        series->is_odd = true;
    series->about.end = whole.offset + whole.length;
    return true;
}

static struct tn_field_series *keep_series(const struct surveying *s,
                                           struct tn_arena        *arena)
{
    struct tn_field_series *series =
        tn_new(arena, struct tn_field_series, s->count, s->error);

    for (uint32_t i = 0; series && i < s->count; i++)
        series[i] = s->series[i].about;
    return series;
}

static struct tn_grouped_series *keep_groups(const struct surveying *s,
                                             struct tn_arena        *arena)
{
    uint64_t                  total = s->groups.count;
    struct tn_grouped_series *series =
        tn_new(arena, struct tn_grouped_series, s->count, s->error);
    struct tn_field_group *groups =
        tn_new(arena, struct tn_field_group, total, s->error);

    if (!series || !groups)
        return NULL;
    if (total)
        memcpy(groups, s->groups.items, (size_t)total * sizeof *groups);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct series *from = &s->series[i];
        uint64_t next = i + 1 < s->count ? s->series[i + 1].first_group : total;
        bool     has_groups = !from->is_odd && next > from->first_group;
        series[i] =
            (struct tn_grouped_series){ from->about, from->count,
                                        has_groups ? groups + from->first_group
                                                   : NULL,
                                        next - from->first_group };
    }
    return series;
}

static void keep(const struct surveying *s, struct tn_arena *arena,
                 struct tn_wire_survey *survey)
{
    survey->series_count = s->count;
    survey->series       = keep_series(s, arena);
    if (s->how.notes_groups && survey->series)
        survey->grouped = keep_groups(s, arena);
}

enum tn_status tn_wire_survey(struct tn_wire_survey *survey,
                              struct tn_span wire, struct tn_survey_how how,
                              struct tn_arena *arena, struct tn_error *error)
{
    struct surveying s = { .how = how, .error = error };

    *survey = (struct tn_wire_survey){ NULL, NULL, 0 };
    tn_list_init(&s.groups, arena->memory, sizeof(struct tn_field_group));
    tn_wire_walk_init(&s.walk, wire, error);
    while (survey_rows(&s) || survey_field(&s))
        continue;
    tn_wire_walk_done(&s.walk);
    if (!tn_failed(error) && s.count <= MOST_RUNS)
        keep(&s, arena, survey);
    tn_list_done(&s.groups);
    return error->status;
}

/* ---- looking up ---------------------------------------------------------- */

const struct tn_field_group *tn_series_group(
    const struct tn_grouped_series *series, uint64_t at, uint64_t *count)
{
    /* most groups are full: it is there, or a little later */
    uint64_t low = at / TN_GROUP_FIELDS, high = low + 1, step = 1;

    while (high < series->group_count && series->groups[high].first <= at) {
        low = high;
        high += step;
        step *= 2;
    }
    high = tn_min(high, series->group_count);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (series->groups[middle].first <= at)
            low = middle;
        else
            high = middle;
    }
    *count = (high < series->group_count ? series->groups[high].first
                                         : series->count) -
             series->groups[low].first;
    return &series->groups[low];
}

uint64_t tn_series_offset(const struct tn_grouped_series *series,
                          struct tn_source *source, uint64_t at,
                          struct tn_error *error)
{
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;
    uint64_t            count;
    uint32_t            number;

    if (at >= series->count)
        return series->series.end;
    const struct tn_field_group *group = tn_series_group(series, at, &count);
    tn_wire_walk_init(&walk,
                      (struct tn_span){ source, group->offset,
                                        series->series.end - group->offset },
                      error);
    for (uint64_t left = at - group->first; left && !tn_failed(error);
         left -= count) {
        count = tn_wire_walk_sum(&walk, &number, left).count;
        if (count == 0 && tn_wire_walk_next(&walk, &field, &whole))
            count = 1;
    }
    uint64_t offset = walk.cursor.offset;
    tn_wire_walk_done(&walk);
    return offset;
}
