/* zip_edit.c - changing an existing zip: appending to it, or rewriting it */
#include "base/arith.h"
#include "codec/crc32.h"
#include "codec/deflate.h"
#include "wire/zip/zip_edit.h"
#include "wire/zip/zip_records.h"

static enum tn_status open_old(struct tn_zip_edit *edit,
                               struct tn_memory *memory, const char *path,
                               const struct tn_append_options *options,
                               struct tn_error                *error)
{
    *edit = (struct tn_zip_edit){ 0 };
    TN_TRY(tn_append_open(&edit->file, memory, path, options, error));
    edit->is_open = true;
    return tn_zip_open(&edit->zip, tn_append_source(edit->file), memory, NULL,
                       error);
}

/* The walk from the first byte, which finds the state before a torn commit,
 * must be able to step over every entry. */
static enum tn_status check_growth(const struct tn_zip *zip,
                                   struct tn_error     *error)
{
    if (zip->state == TN_ZIP_BROKEN)
        return tn_error_set(error, TN_MALFORMED, zip->end_offset,
                            "another tool left bytes that belong to nothing: "
                            "rebuild it before adding");
    for (uint64_t i = 0; i < tn_zip_count(zip); i++) {
        const struct tn_zip_entry *e = tn_zip_at(zip, i);
        if (!(e->flags & ZIP_FLAG_DESCRIPTOR))
            continue;
        tn_error_set(error, TN_MALFORMED, e->offset,
                     "sizes stand behind the data: rebuild it before adding");
        tn_zip_where(e, error);
        return error->status;
    }
    return TN_OK;
}

enum tn_status tn_zip_grow(struct tn_zip_edit *edit, struct tn_memory *memory,
                           const char                     *path,
                           const struct tn_append_options *options,
                           struct tn_error                *error)
{
    TN_TRY(open_old(edit, memory, path, options, error));
    struct tn_sink *sink;
    TN_TRY(check_growth(&edit->zip, error));
    TN_TRY(tn_append_begin(edit->file, edit->zip.end_offset, &sink, error));
    tn_zip_writer_init(&edit->writer, sink, memory, error);
    edit->writer.base = sink->offset - edit->zip.end_offset;
    for (uint64_t i = 0; i < tn_zip_count(&edit->zip); i++)
        TN_TRY(tn_zip_keep(&edit->writer, tn_zip_at(&edit->zip, i)));
    return TN_OK;
}

static enum tn_status begin_output(struct tn_zip_edit *edit,
                                   struct tn_memory *memory, const char *path,
                                   const struct tn_append_options *options,
                                   struct tn_error                *error)
{
    struct tn_sink          *sink;
    struct tn_output_options how = { .can_replace = true };

    if (options) {
        how.is_durable = options->is_durable;
        how.hook       = options->hook;
        how.meter      = options->meter;
    }
    TN_TRY(tn_output_file(&edit->output, memory, path, &how, error));
    TN_TRY(tn_output_main(edit->output, &sink, error));
    tn_zip_writer_init(&edit->writer, sink, memory, error);
    return TN_OK;
}

enum tn_status tn_zip_rewrite(struct tn_zip_edit *edit,
                              struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_error                *error)
{
    TN_TRY(open_old(edit, memory, path, options, error));
    return begin_output(edit, memory, path, options, error);
}

/* The same as tn_zip_rewrite(), without opening the existing zip: edit->zip
 * stays empty. */
static enum tn_status zip_open_unread(struct tn_zip_edit             *edit,
                                      struct tn_memory               *memory,
                                      const char                     *path,
                                      const struct tn_append_options *options,
                                      struct tn_error                *error)
{
    *edit = (struct tn_zip_edit){ 0 };
    TN_TRY(tn_append_open(&edit->file, memory, path, options, error));
    return begin_output(edit, memory, path, options, error);
}

/* Everything that the end record refers to is on disk before it. */
static enum tn_status commit_growth(struct tn_zip_edit *edit,
                                    struct tn_error    *error)
{
    uint64_t offset, size;

    TN_TRY(tn_zip_write_directory(&edit->writer, &offset, &size));
    TN_TRY(tn_append_sync(edit->file, error));
    TN_TRY(tn_zip_write_end(&edit->writer, offset, size));
    TN_TRY(tn_append_sync(edit->file, error));
    tn_append_commit(edit->file);
    return TN_OK;
}

enum tn_status tn_zip_commit(struct tn_zip_edit *edit)
{
    struct tn_error *error = edit->writer.error;

    if (tn_failed(error))
        return error->status;
    if (!edit->output)
        return commit_growth(edit, error);
    TN_TRY(tn_zip_finish(&edit->writer));
    return tn_output_commit(edit->output, error);
}

void tn_zip_edit_close(struct tn_zip_edit *edit)
{
    if (edit->writer.to)
        tn_zip_writer_done(&edit->writer);
    tn_output_close(edit->output);
    if (edit->is_open)
        tn_zip_close(&edit->zip);
    tn_append_close(edit->file);
    *edit = (struct tn_zip_edit){ 0 };
}

/* ---- a zip from its local headers, when its directory is lost ----------- */

/*
 * Headers are looked for from the first byte on.  One whose entry is whole (the
 * bytes are there and have their checksum) is kept and stepped over, so that
 * zips inside of entries stay inside.  A descriptor gives the sizes only after
 * the data: a deflated stream has its own end, a stored one ends where a
 * descriptor fits.
 */

#define WINDOW_SIZE ((size_t)64 << 10)

/* Headers with wrong sizes may make us read bytes again, but each byte at most
 * this many times. */
#define MOST_READING 64

struct scan {
    struct tn_zip         zip;
    struct tn_zip_writer *writer;
    struct tn_report     *report;
    uint8_t              *window;
    uint64_t              budget; /* bytes that may still be read             */
    uint64_t              saved;
};

static enum tn_status spend(struct scan *s, uint64_t bytes,
                            struct tn_error *error)
{
    if (bytes > s->budget)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "headers that lie make this too long to read");
    s->budget -= bytes;
    return TN_OK;
}

/* The next place from `at` on with that signature; the size of the file: there
 * is none. */
static enum tn_status find_signature(struct scan *s, uint32_t signature,
                                     uint64_t at, uint64_t *found,
                                     struct tn_error *error)
{
    uint64_t size = s->zip.source->size;

    while (size - at >= 4) {
        size_t n = (size_t)tn_min(size - at, WINDOW_SIZE);
        TN_TRY(spend(s, n, error));
        TN_TRY(tn_source_read(s->zip.source, at, s->window, n, error));
        const uint8_t *p = s->window, *end = s->window + n - 3;
        while ((p = memchr(p, 'P', (size_t)(end - p))) != NULL) {
            *found = at + (uint64_t)(p - s->window);
            if (tn_load32(p) == signature)
                return TN_OK;
            if (++p == end)
                break;
        }
        at += n - 3;
    }
    *found = size;
    return TN_OK;
}

/* ---- sizes that are after the data -------------------------------------- */

/* Unpacks from the data on until the stream ends. */
static enum tn_status measure_with(struct scan *s, struct tn_stream *stream,
                                   struct tn_zip_entry *e,
                                   struct tn_error     *error)
{
    uint8_t        out[16384];
    uint64_t       at = e->data_offset, size = s->zip.source->size;
    struct tn_flow flow = { .is_last = false };

    e->crc  = 0;
    e->size = 0;
    while (!flow.is_done) {
        if (flow.in.size == 0 && at < size) {
            size_t n = (size_t)tn_min(size - at, WINDOW_SIZE);
            TN_TRY(spend(s, n, error));
            TN_TRY(tn_source_read(s->zip.source, at, s->window, n, error));
            flow.in = tn_bytes(s->window, n);
            at += n;
        }
        size_t before = flow.in.size;
        flow.out      = out;
        flow.room     = sizeof out;
        TN_TRY(stream->ops->step(stream, &flow, error));
        size_t gave = sizeof out - flow.room;
        e->crc      = tn_crc32(e->crc, out, gave);
        e->size += gave;
        if (gave == 0 && flow.in.size == before && !flow.is_done)
            return tn_error_set(error, TN_TRUNCATED, e->data_offset,
                                "deflate does not end");
    }
    e->packed_size = at - flow.in.size - e->data_offset;
    return TN_OK;
}

static enum tn_status measure_deflated(struct scan *s, struct tn_zip_entry *e,
                                       struct tn_error *error)
{
    struct tn_stream *stream;

    TN_TRY(tn_deflate_unpacker(&stream, s->zip.memory, e->data_offset, error));
    measure_with(s, stream, e, error);
    tn_stream_close(stream);
    return error->status;
}

/* A descriptor with the right distance; its checksum is examined later. */
static enum tn_status measure_stored(struct scan *s, struct tn_zip_entry *e,
                                     struct tn_error *error)
{
    uint64_t at = e->data_offset, size = s->zip.source->size;

    for (;; at++) {
        TN_TRY(find_signature(s, ZIP_DESCRIPTOR, at, &at, error));
        if (!tn_inside(at, 16, size))
            return tn_error_set(error, TN_TRUNCATED, e->offset,
                                "no descriptor that fits");
        const uint8_t *d =
            tn_zip_peek(&s->zip, at, tn_min(size - at, 24), error);
        if (!d)
            return error->status;
        uint64_t length = at - e->data_offset;
        if (tn_load32(d + 8) == length ||
            (size - at >= 24 && tn_load64(d + 8) == length)) {
            e->crc  = tn_load32(d + 4);
            e->size = e->packed_size = length;
            return TN_OK;
        }
    }
}

/* ---- one entry ---------------------------------------------------------- */

static enum tn_status measure(struct scan *s, struct tn_zip_entry *e,
                              uint64_t *end, struct tn_error *error)
{
    uint64_t size = s->zip.source->size;

    if (e->flags & ZIP_FLAG_DESCRIPTOR)
        TN_TRY(e->method == TN_ZIP_STORED ? measure_stored(s, e, error)
                                          : measure_deflated(s, e, error));
    if (!tn_inside(e->data_offset, e->packed_size, size))
        return tn_error_set(error, TN_TRUNCATED, e->offset,
                            "data of %" PRIu64 " bytes, the file ends before",
                            e->packed_size);
    *end = e->data_offset + e->packed_size;
    TN_TRY(spend(s, e->packed_size, error));
    TN_TRY(tn_zip_stream(&s->zip, e, NULL, error));
    if (e->flags & ZIP_FLAG_DESCRIPTOR)
        *end += tn_zip_descriptor_size(&s->zip, e, *end, size, error);
    return error->status;
}

/* The entry whose header is at `offset`, if it is whole. */
static enum tn_status take_entry(struct scan *s, uint64_t offset,
                                 struct tn_bytes name, uint64_t *end,
                                 struct tn_error *error)
{
    struct zip_local    local;
    struct tn_zip_entry e = { .offset = offset };

    TN_TRY(tn_zip_read_local(&s->zip, offset, &local, error));
    e.name        = name;
    e.data_offset = local.data_offset;
    e.packed_size = local.packed_size;
    e.size        = local.size;
    e.crc         = local.crc;
    e.method      = local.method;
    e.flags       = local.flags;
    TN_TRY(tn_zip_check_name(e.name, offset + ZIP_LOCAL_SIZE, error));
    if (e.flags & ZIP_FLAG_ENCRYPTED ||
        (e.method != TN_ZIP_STORED && e.method != TN_ZIP_DEFLATED))
        return tn_error_set(error, TN_UNSUPPORTED, offset,
                            "method %u, flags %04x", e.method, e.flags);
    if (e.method == TN_ZIP_STORED && e.size != e.packed_size)
        return tn_error_set(error, TN_MALFORMED, offset, "two sizes");
    TN_TRY(measure(s, &e, end, error));
    if (tn_zip_is_folder(&e))
        return TN_OK;
    s->saved++;
    return tn_zip_copy(s->writer, e.name, &s->zip, &e);
}

/* The name outlives what is peeked at next. */
static enum tn_status take(struct scan *s, uint64_t offset, uint64_t *end,
                           struct tn_error *error)
{
    struct zip_local local;

    TN_TRY(tn_zip_read_local(&s->zip, offset, &local, error));
    struct tn_bytes name = tn_bytes_dup(&s->zip.arena, local.name, error);
    if (!name.data)
        return error->status;
    return take_entry(s, offset, name, end, error);
}

static enum tn_status scan(struct scan *s, struct tn_error *error)
{
    uint64_t size = s->zip.source->size, at = 0;

    for (;;) {
        struct tn_error inner = TN_ERROR_INIT;
        uint64_t        end   = 0;
        TN_TRY(find_signature(s, ZIP_LOCAL, at, &at, error));
        if (at >= size)
            return TN_OK;
        if (take(s, at, &end, &inner) == TN_OK) {
            at = end;
            continue;
        }
        if (zip_is_final(&inner) || tn_failed(s->writer->error)) {
            *error = tn_failed(s->writer->error) ? *s->writer->error : inner;
            return error->status;
        }
        if (s->report)
            tn_report_add(s->report, TN_LEVEL_ERROR, "zip-lost-entry", &inner);
        at += 4;
    }
}

static enum tn_status rebuild(struct tn_zip_edit *edit,
                              struct tn_memory   *memory,
                              struct tn_report *report, uint64_t *saved,
                              struct tn_error *error)
{
    struct tn_source *source = tn_append_source(edit->file);
    struct scan       s      = { .writer = &edit->writer, .report = report };

    if (!tn_mul(source->size, MOST_READING, &s.budget))
        s.budget = UINT64_MAX;
    s.window = tn_memory_resize(memory, NULL, 0, WINDOW_SIZE, error);
    if (!s.window)
        return error->status;
    tn_zip_init(&s.zip, source, memory);
    scan(&s, error);
    tn_zip_close(&s.zip);
    tn_memory_free(memory, s.window, WINDOW_SIZE);
    if (saved)
        *saved = s.saved;
    if (!tn_failed(error) && s.saved == 0)
        tn_error_set(error, TN_MALFORMED, 0, "no entry can be saved");
    return error->status;
}

enum tn_status tn_zip_rebuild(struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_report *report, uint64_t *saved,
                              struct tn_error *error)
{
    struct tn_zip_edit edit;

    if (zip_open_unread(&edit, memory, path, options, error) == TN_OK &&
        rebuild(&edit, memory, report, saved, error) == TN_OK)
        tn_zip_commit(&edit);
    tn_zip_edit_close(&edit);
    return error->status;
}
