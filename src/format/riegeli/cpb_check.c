/*
 * cpb_check.c - checks of a chunked file that merging does not make
 *
 * A merger reads only the chunks that it needs.  Here all chunks are read,
 * every byte of all files is verified, and what is not used is reported.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/sort.h"
#include "chunk/chunk_meta.h"
#include "format/riegeli/records.h"
#include "wire/pb/pb_check.h"

struct checking {
    struct tn_cpb    *cpb;
    struct tn_report *report;
    struct tn_error  *error;
    struct tn_arena   arena;
    const char       *file;
    uint32_t         *uses; /* of each chunk                                  */
    uint8_t          *bad; /* further files that are of no use                */
    bool              is_apart; /* the chunks were not examined */
};

/* A failure that is about a file becomes a finding. */
static void absorb_in(struct checking *c, const char *file, const char *rule,
                      struct tn_error *own)
{
    if (tn_machine_failed(own)) {
        *c->error = *own;
    } else if (tn_failed(own)) {
        tn_error_file(own, file);
        tn_report_add(c->report, TN_LEVEL_ERROR, rule, own);
    }
}

static void absorb(struct checking *c, const char *rule, struct tn_error *own)
{
    absorb_in(c, c->file, rule, own);
}

/* ---- the files ----------------------------------------------------------- */

/* Where the chunk of records is that has the record at this position. */
static uint64_t place_of(struct checking *c, uint64_t file, uint64_t position)
{
    struct tn_error         ignored = TN_ERROR_INIT;
    struct tn_riegeli      *records = &c->cpb->file;
    struct tn_riegeli_frame frame;

    if (file > c->cpb->meta.file_count ||
        (file && tn_cpb_member(c->cpb, file - 1, &records, &ignored) != TN_OK))
        return TN_NOWHERE;
    if (position >= records->source->size ||
        tn_riegeli_frame_find(records, position, &frame, &ignored) != TN_OK)
        return TN_NOWHERE;
    return frame.begin;
}

static uint64_t place_of_metadata(struct checking *c)
{
    return place_of(c, 0, c->cpb->last);
}

static uint64_t place_of_chunk(struct checking *c, uint64_t chunk)
{
    const struct tn_chunk_info *info = &c->cpb->meta.chunks[chunk];

    return place_of(c, tn_chunk_file_of(info), tn_chunk_position(info));
}

/* ---- all damage ---------------------------------------------------------- */

struct damage {
    struct tn_report *report;
    const char       *name;
};

static void report_damage(void *context, uint64_t begin, uint64_t end,
                          const struct tn_error *why)
{
    struct damage *damage = context;

    tn_report_format(damage->report, TN_LEVEL_ERROR, "damaged-chunk",
                     damage->name, why->offset, "",
                     "%s; lost are bytes %" PRIu64 " to %" PRIu64, why->what,
                     begin, end);
}

/* A second walk, which unpacks good chunks and continues after damaged ones. */
static void list_damage(const struct tn_riegeli *file, const char *name,
                        struct tn_report *report, struct tn_error *error)
{
    struct damage            damage = { report, name };
    struct tn_error          own    = TN_ERROR_INIT;
    struct tn_riegeli_walk   walk;
    struct tn_riegeli_record record;

    tn_riegeli_walk_init(&walk, file, &own);
    walk.skipped = report_damage;
    walk.context = &damage;
    while (!report->is_stopped && tn_riegeli_next(&walk, &record))
        continue;
    tn_riegeli_walk_done(&walk);
    if (tn_machine_failed(&own)) {
        *error = own;
    } else if (tn_failed(&own)) { /* of a kind that cannot be skipped */
        tn_error_file(&own, name);
        tn_report_add(report, TN_LEVEL_ERROR, "damaged-chunk", &own);
    }
}

enum tn_status tn_records_check(const struct tn_riegeli *file, const char *name,
                                uint64_t *records, struct tn_report *report,
                                struct tn_error *error)
{
    struct tn_riegeli_frame frame;
    struct tn_error         own = TN_ERROR_INIT;

    for (uint64_t at = 0; at < file->source->size; at = frame.end) {
        if (tn_riegeli_frame_read(file, at, &frame, NULL, &own) != TN_OK ||
            (!report->skip_data &&
             tn_riegeli_frame_check(file, &frame, NULL, &own) != TN_OK)) {
            list_damage(file, name, report, error);
            return error->status;
        }
        if (frame.type != TN_RIEGELI_METADATA)
            *records += frame.record_count;
    }
    if (!report->skip_data)
        report->bytes_verified += file->source->size;
    return TN_OK;
}

static int by_value(const void *a, const void *b, void *context)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    (void)context;
    return left < right ? -1 : left > right;
}

/* Further files: those that are missing or not of their size are of no use. */
static void check_members(struct checking *c)
{
    struct tn_cpb *cpb = c->cpb;

    c->bad = tn_new(&c->arena, uint8_t, cpb->meta.file_count + 1, c->error);
    for (uint64_t i = 0; c->bad && i < cpb->meta.file_count; i++) {
        struct tn_error    own = TN_ERROR_INIT;
        struct tn_riegeli *file;
        if (tn_cpb_member(cpb, i, &file, &own) == TN_OK)
            continue;
        c->bad[i + 1] = 1;
        absorb_in(c, cpb->members[i].name,
                  own.status == TN_NOT_FOUND ? "missing-file" : "damaged-file",
                  &own);
    }
}

static bool is_listed(const struct checking *c, const char *name)
{
    for (uint64_t i = 0; i < c->cpb->meta.file_count; i++)
        if (strcmp(c->cpb->members[i].name, name) == 0)
            return true;
    return false;
}

/* Files that look like further ones of this, and are not. */
static void check_strangers(struct checking *c)
{
    struct tn_bundle  *bundle = c->cpb->bundle;
    const char *const *names;
    uint64_t           count = 0;
    char               prefix[256];
    size_t             size;

    if (!bundle)
        return;
    size = (size_t)snprintf(prefix, sizeof prefix, "%s", c->cpb->name);
    if (size < 5 || size >= sizeof prefix ||
        strcmp(prefix + size - 4, ".cpb") != 0 ||
        tn_bundle_list(bundle, "", &names, &count, c->error) != TN_OK)
        return;
    prefix[size - 4] = '\0';
    for (uint64_t i = 0; i < count; i++)
        if (tn_cpb_is_member(names[i], prefix) && !is_listed(c, names[i]))
            tn_report_format(c->report, TN_LEVEL_WARNING, "stale-sibling",
                             names[i], TN_NOWHERE, "",
                             "%s does not know this file", c->cpb->name);
}

/* How many records the metadata name. */
static uint64_t count_named(struct checking *c)
{
    const struct tn_chunk_meta *meta = &c->cpb->meta;
    uint64_t *at    = tn_new(&c->arena, uint64_t, meta->chunk_count, c->error);
    uint64_t  count = 0;

    for (uint64_t i = 0; at && i < meta->chunk_count; i++)
        at[i] = meta->chunks[i].offset;
    if (!at)
        return 0;
    tn_sort_items(at, meta->chunk_count, sizeof *at, by_value, NULL);
    for (uint64_t i = 0; i < meta->chunk_count; i++)
        count += i == 0 || at[i] != at[i - 1];
    return count;
}

static void check_records(struct checking *c)
{
    uint64_t records = 0, named = count_named(c);
    uint64_t errors = c->report->counts[TN_LEVEL_ERROR];

    tn_records_check(&c->cpb->file, c->file, &records, c->report, c->error);
    for (uint64_t i = 0; c->bad && i < c->cpb->meta.file_count; i++)
        if (!c->bad[i + 1])
            tn_records_check(&c->cpb->members[i].file, c->cpb->members[i].name,
                             &records, c->report, c->error);
    if (tn_failed(c->error) || errors != c->report->counts[TN_LEVEL_ERROR])
        return;
    uint64_t parts = c->cpb->parts;
    if (records > named + parts)
        tn_report_format(
            c->report, TN_LEVEL_WARNING, "stray-record", c->file, TN_NOWHERE,
            "", "%" PRIu64 " records before the metadata are not a chunk",
            records - parts - named);
    if (named < c->cpb->meta.chunk_count)
        tn_report_format(c->report, TN_LEVEL_WARNING, "shared-record", c->file,
                         TN_NOWHERE, "",
                         "%" PRIu64 " chunks are in the record of another",
                         c->cpb->meta.chunk_count - named);
}

/* ---- chunks -------------------------------------------------------------- */

static void check_uses(struct checking *c, uint64_t chunk, const char *where)
{
    if (c->uses[chunk] == 0)
        tn_report_format(c->report, TN_LEVEL_WARNING, "unused-chunk", c->file,
                         place_of_chunk(c, chunk), where,
                         "nothing is made of it");
    if (c->uses[chunk] > 1)
        tn_report_format(c->report, TN_LEVEL_WARNING, "reused-chunk", c->file,
                         place_of_chunk(c, chunk), where,
                         "used %" PRIu32 " times", c->uses[chunk]);
}

static void check_chunks(struct checking *c)
{
    struct tn_chunk_store *store = &c->cpb->store;
    char                   where[40];

    for (uint64_t i = 0; i < store->count && !c->report->is_stopped; i++) {
        struct tn_error own  = TN_ERROR_INIT;
        uint64_t        file = tn_chunk_file_of(&c->cpb->meta.chunks[i]);
        struct tn_span  chunk;
        snprintf(where, sizeof where, "chunk[%" PRIu64 "]", i);
        check_uses(c, i, where);
        if (file <= c->cpb->meta.file_count && c->bad[file])
            continue;
        store->read(store, i, &chunk, &own);
        if (tn_failed(&own) && own.offset == TN_NOWHERE)
            own.offset = place_of_chunk(c, i);
        absorb(c, "bad-chunk", &own);
    }
}

/* ---- the tree ------------------------------------------------------------ */

static void check_type(struct checking *c, struct tn_tags tags,
                       const struct tn_pb_message *root, uint64_t chunk,
                       bool is_message)
{
    static const char *const names[] = { "unset", "MESSAGE", "BYTES" };
    uint64_t                 type    = c->cpb->meta.chunks[chunk].type;
    uint64_t wanted = is_message ? TN_CHUNK_MESSAGE : TN_CHUNK_BYTES;
    char     where[256];

    if (type == wanted)
        return;
    tn_tags_print(tags, root, where, sizeof where);
    tn_report_format(c->report, TN_LEVEL_WARNING, "chunk-type", c->file,
                     place_of_chunk(c, chunk), where,
                     "chunk[%" PRIu64 "] is of type %s, where %s belongs",
                     chunk, type < 3 ? names[type] : "unknown", names[wanted]);
}

/* Findings in a chunk, as findings of the file. */
struct inside {
    struct checking *c;
    uint64_t         chunk;
};

static int report_inside(void *context, enum tn_finding_level level,
                         const char *rule, const struct tn_error *finding)
{
    struct inside  *in  = context;
    struct tn_error own = *finding;

    if (own.offset == TN_NOWHERE)
        snprintf(own.what, sizeof own.what, "%s", finding->what);
    else
        snprintf(own.what, sizeof own.what, "byte %" PRIu64 " of it: %.150s",
                 finding->offset, finding->what);
    tn_error_where(&own, "chunk[%" PRIu64 "]", in->chunk);
    own.offset  = place_of_chunk(in->c, in->chunk);
    own.file[0] = '\0';
    tn_error_file(&own, in->c->file);
    tn_report_add(in->c->report, level, rule, &own);
    return in->c->report->is_stopped;
}

/* Whether it can be read is checked by check_chunks(). */
static void check_message(struct checking *c, uint64_t chunk,
                          const struct tn_pb_message *type)
{
    struct inside    in     = { c, chunk };
    struct tn_report report = { .each = report_inside, .context = &in };
    struct tn_error  own    = TN_ERROR_INIT;
    struct tn_span   span;

    if (c->cpb->store.read(&c->cpb->store, chunk, &span, &own) != TN_OK)
        return;
    if (span.length && tn_pb_check(type, span, &report, &own) != TN_OK &&
        tn_machine_failed(&own))
        *c->error = own;
}

/* A chunk that a path wants; `to` is what the path leads to. */
static void count_use(struct checking *c, const struct tn_chunked *message,
                      const struct tn_pb_message *to, const char *where)
{
    if (!message->has_chunk)
        return;
    if (message->chunk >= c->cpb->meta.chunk_count) {
        tn_report_format(c->report, TN_LEVEL_ERROR, "chunk-index", c->file,
                         place_of_metadata(c), where,
                         "chunk[%" PRIu64 "] of %" PRIu64 " is used",
                         message->chunk, c->cpb->meta.chunk_count);
        return;
    }
    c->uses[message->chunk]++;
    if (to && c->is_apart)
        check_message(c, message->chunk, to);
}

static void check_tree(struct checking *c, const struct tn_chunked *message,
                       const struct tn_pb_message *type);

static void check_field(struct checking               *c,
                        const struct tn_chunked_field *field,
                        const struct tn_pb_message    *type)
{
    const struct tn_chunked    *message = &field->message;
    const struct tn_pb_message *to      = type;
    bool is_known = type && tn_tags_follow(field->tags, &to);
    char where[256];

    tn_tags_print(field->tags, type, where, sizeof where);
    if (type && !is_known)
        tn_report_format(c->report, TN_LEVEL_ERROR, "chunk-path", c->file,
                         place_of_metadata(c), where, "%s has no such place",
                         type->full_name);
    if (is_known && message->has_chunk &&
        message->chunk < c->cpb->meta.chunk_count)
        check_type(c, field->tags, type, message->chunk, to != NULL);
    count_use(c, message, is_known ? to : NULL, where);
    check_tree(c, message, is_known ? to : NULL);
}

/* Version 2 means them so, and other mergers cannot read it. */
static void check_double(struct checking *c, const struct tn_chunked *message,
                         const struct tn_pb_message *type, uint64_t index)
{
    char where[256];

    if (c->cpb->is_two || !tn_chunked_is_double(message, type, index))
        return;
    tn_tags_print(message->fields[index].tags, type, where, sizeof where);
    tn_report_format(c->report, TN_LEVEL_WARNING, "joined-bytes", c->file,
                     place_of_metadata(c), where,
                     "several chunks, which are put one behind the other; "
                     "TensorFlow's merger keeps the last of them");
}

/* The reader of metadata bounds the depth.  `type` may be NULL: not known. */
static void check_tree(struct checking *c, const struct tn_chunked *message,
                       const struct tn_pb_message *type)
{
    for (uint64_t i = 0; i < message->field_count && !c->report->is_stopped;
         i++) {
        check_field(c, &message->fields[i], type);
        check_double(c, message, type, i);
    }
}

static void check_metadata(struct checking *c)
{
    const struct tn_chunk_meta *meta = &c->cpb->meta;

    if (meta->splitter_version != TN_SPLITTER_VERSION &&
        meta->splitter_version != TN_SPLITTER_VERSION_2)
        tn_report_format(
            c->report, TN_LEVEL_NOTE, "splitter-version", c->file,
            place_of_metadata(c), "version",
            "written by splitter version %" PRId32 "; %d and %d are known here",
            meta->splitter_version, TN_SPLITTER_VERSION, TN_SPLITTER_VERSION_2);
    if (meta->unknown_count)
        tn_report_format(c->report, TN_LEVEL_WARNING, "unknown-metadata",
                         c->file, place_of_metadata(c), "",
                         "%" PRIu64 " fields of the metadata are not known",
                         meta->unknown_count);
}

static void check_all(struct checking *c, const struct tn_pb_message *type,
                      const char *sibling)
{
    const struct tn_chunked *root = &c->cpb->meta.message;

    if (sibling)
        tn_report_format(c->report, TN_LEVEL_WARNING, "stale-sibling", c->file,
                         TN_NOWHERE, "",
                         "%s lies beside it; readers differ in which of the "
                         "two they take",
                         sibling);
    check_metadata(c);
    count_use(c, root, type, "");
    check_tree(c, root, type);
    check_members(c);
    check_strangers(c);
    if (!tn_failed(c->error))
        check_chunks(c);
    if (!tn_failed(c->error))
        check_records(c);
}

static enum tn_status check_file(struct tn_cpb              *cpb,
                                 const struct tn_pb_message *type,
                                 const char *sibling, bool is_apart,
                                 struct tn_report *report,
                                 struct tn_error  *error)
{
    struct checking c = { .cpb      = cpb,
                          .report   = report,
                          .error    = error,
                          .file     = cpb->file.source->name,
                          .is_apart = is_apart };

    tn_arena_init(&c.arena, cpb->memory);
    c.uses = tn_new(&c.arena, uint32_t, cpb->meta.chunk_count, error);
    if (c.uses)
        check_all(&c, type, sibling);
    tn_arena_done(&c.arena);
    return error->status;
}

enum tn_status tn_cpb_check(struct tn_cpb              *cpb,
                            const struct tn_pb_message *type,
                            const char *sibling, struct tn_report *report,
                            struct tn_error *error)
{
    return check_file(cpb, type, sibling, false, report, error);
}

enum tn_status tn_cpb_check_apart(struct tn_cpb              *cpb,
                                  const struct tn_pb_message *type,
                                  const char *sibling, struct tn_report *report,
                                  struct tn_error *error)
{
    return check_file(cpb, type, sibling, true, report, error);
}
