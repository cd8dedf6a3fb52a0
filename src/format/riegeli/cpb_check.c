/*
 * cpb_check.c - what merging does not look at in a chunked file
 *
 * A merger reads the chunks that it needs and asks no questions.  Here all
 * chunks are asked for, every byte of all files is verified, and what nobody
 * uses is named.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/riegeli/records.h"

struct checking {
    struct tn_cpb    *cpb;
    struct tn_report *report;
    struct tn_error  *error;
    struct tn_arena   arena;
    const char       *file;
    uint32_t         *uses; /* of each chunk                                  */
    uint8_t          *bad; /* further files that are of no use                */
};

/* A failure that is about a file becomes a finding. */
static void absorb_in(struct checking *c, const char *file, const char *rule,
                      struct tn_error *own)
{
    if (own->status == TN_NO_MEMORY || own->status == TN_IO) {
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

/* Every byte, of padding too; records are counted. */
static void check_bytes(struct checking *c, const struct tn_riegeli *file,
                        const char *name, uint64_t *records)
{
    struct tn_riegeli_frame frame;
    struct tn_error         own = TN_ERROR_INIT;

    for (uint64_t at = 0; at < file->source->size; at = frame.end) {
        if (tn_riegeli_frame_read(file, at, &frame, NULL, &own) != TN_OK ||
            (!c->report->skip_data &&
             tn_riegeli_frame_check(file, &frame, NULL, &own) != TN_OK)) {
            absorb_in(c, name, "damaged-chunk", &own);
            return;
        }
        if (frame.type != TN_RIEGELI_METADATA)
            *records += frame.record_count;
    }
    if (!c->report->skip_data)
        c->report->bytes_verified += file->source->size;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

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
    qsort(at, (size_t)meta->chunk_count, sizeof *at, by_value);
    for (uint64_t i = 0; i < meta->chunk_count; i++)
        count += i == 0 || at[i] != at[i - 1];
    return count;
}

static void check_records(struct checking *c)
{
    uint64_t records = 0, named = count_named(c);
    uint64_t errors = c->report->counts[TN_LEVEL_ERROR];

    check_bytes(c, &c->cpb->file, c->file, &records);
    for (uint64_t i = 0; c->bad && i < c->cpb->meta.file_count; i++)
        if (!c->bad[i + 1])
            check_bytes(c, &c->cpb->members[i].file, c->cpb->members[i].name,
                        &records);
    if (tn_failed(c->error) || errors != c->report->counts[TN_LEVEL_ERROR])
        return;
    uint64_t parts = c->cpb->parts;
    if (records > named + parts)
        tn_report_format(c->report, TN_LEVEL_WARNING, "stray-record", c->file,
                         TN_NOWHERE, "",
                         "%" PRIu64 " records before the metadata are no chunk",
                         records - parts - named);
    if (named < c->cpb->meta.chunk_count)
        tn_report_format(c->report, TN_LEVEL_WARNING, "shared-record", c->file,
                         TN_NOWHERE, "",
                         "%" PRIu64 " chunks are in the record of another",
                         c->cpb->meta.chunk_count - named);
}

/* ---- chunks -------------------------------------------------------------- */

static void check_chunks(struct checking *c)
{
    struct tn_chunk_store *store = &c->cpb->store;
    char                   where[40];

    for (uint64_t i = 0; i < store->count && !c->report->is_stopped; i++) {
        struct tn_error own = TN_ERROR_INIT;
        struct tn_span  chunk;
        snprintf(where, sizeof where, "chunk[%" PRIu64 "]", i);
        if (c->uses[i] == 0)
            tn_report_format(c->report, TN_LEVEL_WARNING, "unused-chunk",
                             c->file, TN_NOWHERE, where,
                             "nothing is made of it");
        if (c->uses[i] > 1)
            tn_report_format(c->report, TN_LEVEL_WARNING, "reused-chunk",
                             c->file, TN_NOWHERE, where,
                             "used %" PRIu32 " times", c->uses[i]);
        if (c->bad[tn_chunk_file_of(&c->cpb->meta.chunks[i])])
            continue;
        store->read(store, i, &chunk, &own);
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
                     TN_NOWHERE, where,
                     "chunk[%" PRIu64 "] is of type %s, where %s belongs",
                     chunk, type < 3 ? names[type] : "unknown", names[wanted]);
}

/* Where the tags lead.  False: nowhere; NULL: to a number or bytes. */
static bool follow(struct tn_tags tags, const struct tn_pb_message **type)
{
    struct tn_error    ignored = TN_ERROR_INIT;
    struct tn_tag_step step;

    while (tags.count) {
        if (!*type || tn_tags_step(&tags, *type, &step, &ignored) != TN_OK)
            return false;
        *type = tn_step_message(&step);
    }
    return true;
}

static void count_use(struct checking *c, const struct tn_chunked *message)
{
    if (!message->has_chunk)
        return;
    if (message->chunk >= c->cpb->meta.chunk_count)
        tn_report_format(c->report, TN_LEVEL_ERROR, "chunk-index", c->file,
                         TN_NOWHERE, "",
                         "chunk[%" PRIu64 "] of %" PRIu64 " is used",
                         message->chunk, c->cpb->meta.chunk_count);
    else
        c->uses[message->chunk]++;
}

/* The reader of metadata bounds the depth.  `type` may be NULL: not known. */
static void check_tree(struct checking *c, const struct tn_chunked *message,
                       const struct tn_pb_message *type)
{
    count_use(c, message);
    for (uint64_t i = 0; i < message->field_count; i++) {
        const struct tn_chunked_field *field = &message->fields[i];
        const struct tn_pb_message    *to    = type;
        bool is_known                        = type && follow(field->tags, &to);
        if (is_known && field->message.has_chunk &&
            field->message.chunk < c->cpb->meta.chunk_count)
            check_type(c, field->tags, type, field->message.chunk, to != NULL);
        check_tree(c, &field->message, is_known ? to : NULL);
    }
}

static void check_metadata(struct checking *c)
{
    const struct tn_chunk_meta *meta = &c->cpb->meta;

    if (meta->splitter_version != TN_SPLITTER_VERSION &&
        meta->splitter_version != TN_SPLITTER_VERSION_2)
        tn_report_format(
            c->report, TN_LEVEL_NOTE, "splitter-version", c->file, TN_NOWHERE,
            "version",
            "written by splitter version %" PRId32 "; %d and %d are known here",
            meta->splitter_version, TN_SPLITTER_VERSION, TN_SPLITTER_VERSION_2);
    if (meta->unknown_count)
        tn_report_format(c->report, TN_LEVEL_WARNING, "unknown-metadata",
                         c->file, TN_NOWHERE, "",
                         "%" PRIu64 " fields of the metadata are not known",
                         meta->unknown_count);
}

enum tn_status tn_cpb_check(struct tn_cpb              *cpb,
                            const struct tn_pb_message *type,
                            const char *sibling, struct tn_report *report,
                            struct tn_error *error)
{
    struct checking c = { .cpb    = cpb,
                          .report = report,
                          .error  = error,
                          .file   = cpb->file.source->name };

    tn_arena_init(&c.arena, cpb->memory);
    c.uses = tn_new(&c.arena, uint32_t, cpb->meta.chunk_count, error);
    if (c.uses) {
        memset(c.uses, 0, (size_t)cpb->meta.chunk_count * sizeof *c.uses);
        if (sibling)
            tn_report_format(report, TN_LEVEL_WARNING, "stale-sibling", c.file,
                             TN_NOWHERE, "",
                             "%s lies beside it; readers differ in which of "
                             "the two they take",
                             sibling);
        check_metadata(&c);
        check_tree(&c, &cpb->meta.message, type);
        check_members(&c);
        check_strangers(&c);
        if (!tn_failed(error))
            check_chunks(&c);
        if (!tn_failed(error))
            check_records(&c);
    }
    tn_arena_done(&c.arena);
    return error->status;
}
