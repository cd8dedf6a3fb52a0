/*
 * cpb_write.c - chunks into files
 *
 * First it is decided which chunk goes to which file, by upper bounds of the
 * space that a chunk takes, because names of files contain the number of files.
 * Then the files are written one after the other, the main one last: its
 * metadata have the sizes of the others.
 *
 *   PREFIX.cpb                        chunks while there is room; metadata
 *   PREFIX.00001-of-00002.cpb         the chunks for which there was none
 *   PREFIX.bytes.cpb                  BYTES chunks, if they are separate
 *   PREFIX.bytes-00001-of-00003.cpb   likewise, when one file is too small
 */
#include <inttypes.h>

#include "base/arith.h"
#include "chunk/cpb.h"
#include "chunk/splitter.h"
#include "io/rope_source.h"
#include "wire/pb/pb_builtin.h"

#define DEFAULT_METADATA ((UINT64_C(1) << 31) - 500)

/* ---- what a chunk takes -------------------------------------------------- */

#define PER_FILE   256 /* signature, the last header, block headers           */
#define PER_RECORD 24  /* its size, its share of headers  */
#define PER_CHUNK  80  /* a record in a chunk of records of its own           */

/* An upper bound for every codec: what does not shrink is stored. */
static uint64_t room_for(const struct tn_cpb_job *job, uint64_t size)
{
    const struct tn_riegeli_options *options = job->options;
    uint64_t own    = options->chunk_size && options->chunk_size < 4096
                          ? PER_CHUNK
                          : PER_RECORD;
    uint64_t shares = options->is_transposed || job->format.separates_bytes
                          ? size / 8
                          : tn_min(size / 16, 256);

    return size + size / 2048 + shares + own;
}

uint64_t tn_cpb_chunk_room(uint64_t max_file)
{
    return max_file - max_file / 8 - PER_FILE - PER_CHUNK;
}

static uint64_t tags_room(struct tn_tags tags)
{
    uint64_t size = 0;

    for (uint64_t i = 0; i < tags.count; i++)
        size += 16 + tags.at[i].size;
    return size;
}

/* As deep as the splitter made it. */
static uint64_t fields_room(const struct tn_chunked *message)
{
    uint64_t size = 0;

    for (uint64_t i = 0; i < message->field_count; i++)
        size += 24 + tags_room(message->fields[i].tags) +
                fields_room(&message->fields[i].message);
    return size;
}

/* Of the metadata, all levels. */
static uint64_t metadata_room(const struct tn_cpb_job *job)
{
    uint64_t bad = job->version ? job->version->bad_consumer_count : 0;
    uint64_t size =
        PER_FILE + 36 * job->count + 10 * bad + fields_room(job->message);

    return size + size / 4;
}

/* ---- which file ---------------------------------------------------------- */

/* A row of files that are filled one after the other. */
struct row {
    const char *name;       /* of its files; "": only a number                */
    uint64_t    first;      /* file of the row                                */
    uint64_t    count;      /* of its files, by now                           */
    uint64_t    used, most; /* of the last one                                */
};

struct writing {
    const struct tn_cpb_job *job;
    struct tn_arena         *arena;
    struct tn_error         *error;
    uint32_t                *file_of; /* by chunk                             */
    uint64_t                *order;   /* chunks, by file; NULL: one file      */
    uint64_t            *begin; /* of each file's chunks there, and the end */
    uint64_t             file_count; /* with the main one                 */
    struct tn_chunk_meta meta;
};

static enum tn_status put_in_row(struct writing *w, struct row *row,
                                 uint64_t chunk)
{
    uint64_t size = tn_chunk_length(w->job->chunks[chunk]);
    uint64_t room = room_for(w->job, size);
    uint64_t most = w->job->format.max_file;

    if (most && room > most - PER_FILE)
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "chunk[%" PRIu64 "] has %" PRIu64 " bytes: too "
                            "many for a file of %" PRIu64,
                            chunk, size, most);
    if (row->count == 0 || room > row->most - row->used) {
        row->count++;
        row->used = 0;
        row->most = most ? most - PER_FILE : UINT64_MAX;
    }
    row->used += room;
    w->file_of[chunk] = (uint32_t)(row->count - 1);
    return TN_OK;
}

static bool is_separate(const struct writing *w, uint64_t chunk)
{
    return w->job->format.separates_bytes &&
           w->job->chunks[chunk]->type == TN_CHUNK_BYTES;
}

/* The main file is the first of the messages' row; metadata need room there. */
static struct row main_row(const struct writing *w)
{
    uint64_t most = w->job->format.max_file, own = 0;
    uint64_t metadata = metadata_room(w->job);

    if (!most)
        own = UINT64_MAX;
    else if (most - PER_FILE > metadata)
        own = most - PER_FILE - metadata;
    return (struct row){ .name = "", .first = 0, .count = 1, .most = own };
}

static const char *member_name(struct writing *w, const struct row *row,
                               uint64_t number)
{
    uint64_t count = row->first ? row->count : row->count - 1;

    if (row->name[0] && count == 1)
        return row->name;
    return tn_text_format(w->arena, w->error, "%s%s%05" PRIu64 "-of-%05" PRIu64,
                          row->name, row->name[0] ? "-" : "", number, count);
}

static void name_files(struct writing *w, const struct row *row)
{
    for (uint64_t i = row->first ? 0 : 1; i < row->count; i++) {
        const char *name = member_name(w, row, row->first ? i + 1 : i);
        if (!name)
            return;
        w->meta.files[w->meta.file_count++].name = tn_text(name);
    }
}

/* Chunks by file, in their own order. */
static void sort_chunks(struct writing *w)
{
    uint64_t count = w->job->count;

    w->order = tn_new(w->arena, uint64_t, count, w->error);
    w->begin = tn_new(w->arena, uint64_t, w->file_count + 2, w->error);
    if (!w->order || !w->begin)
        return;
    for (uint64_t i = 0; i < count; i++)
        w->begin[w->file_of[i] + 2]++;
    for (uint64_t f = 2; f < w->file_count + 2; f++)
        w->begin[f] += w->begin[f - 1];
    for (uint64_t i = 0; i < count; i++)
        w->order[w->begin[w->file_of[i] + 1]++] = i;
}

/* Everything is in the main file, so no file has to be chosen. */
static enum tn_status plan_one(struct writing *w)
{
    w->file_count = 1;
    w->begin      = tn_new(w->arena, uint64_t, 2, w->error);
    if (w->begin)
        w->begin[1] = w->job->count;
    return w->error->status;
}

static enum tn_status plan(struct writing *w)
{
    struct row messages = main_row(w), bytes = { .name = "bytes" };
    uint64_t   count = w->job->count;

    w->file_of = tn_new(w->arena, uint32_t, count, w->error);
    for (uint64_t i = 0; w->file_of && i < count; i++)
        TN_TRY(put_in_row(w, is_separate(w, i) ? &bytes : &messages, i));
    bytes.first   = messages.count;
    w->file_count = messages.count + bytes.count;
    if (!tn_failed(w->error) && w->file_count > TN_CHUNK_FILE_LIMIT)
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "%" PRIu64 " files, the limit is %" PRIu64,
                            w->file_count, TN_CHUNK_FILE_LIMIT);
    for (uint64_t i = 0; w->file_of && i < count; i++)
        if (is_separate(w, i))
            w->file_of[i] += (uint32_t)bytes.first;
    w->meta.files =
        tn_new(w->arena, struct tn_chunk_file, w->file_count, w->error);
    if (!tn_failed(w->error)) {
        sort_chunks(w);
        name_files(w, &messages);
        name_files(w, &bytes);
    }
    return w->error->status;
}

/* ---- one file ------------------------------------------------------------ */

static uint64_t chunk_in(const struct writing *w, uint64_t place)
{
    return w->order ? w->order[place] : place;
}

static void add_record(struct writing *w, struct tn_riegeli_writer *writer,
                       const struct tn_chunk *chunk)
{
    struct tn_rope content;

    if (chunk->is_rope) {
        tn_riegeli_add_rope(writer, chunk->content.rope);
        return;
    }
    tn_chunk_open_rope(chunk, w->arena, &content, w->error);
    tn_riegeli_add_rope(writer, &content);
    tn_rope_done(&content);
}

static void add_chunks(struct writing *w, struct tn_riegeli_writer *writer,
                       uint64_t file)
{
    for (uint64_t i = w->begin[file]; i < w->begin[file + 1]; i++) {
        uint64_t               index = chunk_in(w, i);
        const struct tn_chunk *chunk = w->job->chunks[index];
        struct tn_chunk_info  *info  = &w->meta.chunks[index];
        info->type                   = chunk->type;
        info->size                   = tn_chunk_length(chunk);
        add_record(w, writer, chunk);
    }
    for (uint64_t i = w->begin[file];
         i < w->begin[file + 1] && !tn_failed(w->error); i++) {
        uint64_t *offset = &w->meta.chunks[chunk_in(w, i)].offset;
        tn_riegeli_position_of(writer, i - w->begin[file], offset);
        *offset |= file << TN_CHUNK_FILE_SHIFT;
    }
}

static enum tn_status check_size(const struct writing *w, const char *name,
                                 uint64_t size)
{
    uint64_t most = w->job->format.max_file;

    if (size >> TN_CHUNK_FILE_SHIFT)
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "a file of %" PRIu64 " bytes", size);
    if (most == 0 || size <= most)
        return TN_OK;
    return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                        "%s came to %" PRIu64 " bytes, a file may have "
                        "%" PRIu64,
                        name, size, most);
}

static enum tn_status write_member(struct writing *w, uint64_t file)
{
    struct tn_riegeli_options options = *w->job->options;
    struct tn_chunk_file     *about   = &w->meta.files[file - 1];
    const char               *name    = (const char *)about->name.data;
    struct tn_riegeli_writer  writer;
    struct tn_sink           *sink;

    TN_TRY(w->job->open(w->job->context, name, &sink, w->error));
    uint64_t begin = sink->offset;
    if (w->job->format.separates_bytes)
        options.is_transposed = strncmp(name, "bytes", 5) != 0;
    tn_riegeli_writer_init(&writer, sink, &options, w->arena->memory, w->error);
    add_chunks(w, &writer, file);
    tn_riegeli_finish(&writer);
    tn_riegeli_writer_done(&writer);
    about->size = sink->offset - begin;
    TN_TRY(w->error->status);
    return check_size(w, name, about->size);
}

/* ---- metadata ------------------------------------------------------------ */

static void keep_source(struct tn_message *message)
{
    tn_source_close(message->source);
}

/* The metadata as a message to be split. */
static enum tn_status open_metadata(struct tn_message      **message,
                                    const struct tn_schema  *schema,
                                    const struct tn_rope    *rope,
                                    const struct tn_options *options,
                                    struct tn_error         *error)
{
    TN_TRY(tn_message_new(message, schema,
                          "tensorflow.proto_splitter.ChunkMetadata", options,
                          error));
    (*message)->close = keep_source;
    if (tn_source_rope(&(*message)->source, &(*message)->memory, rope, "",
                       error) == TN_OK)
        return TN_OK;
    tn_message_close(*message);
    *message = NULL;
    return error->status;
}

/* Every part of metadata repeats these fields. */
static void set_version(struct tn_chunk_meta    *meta,
                        const struct tn_cpb_job *job)
{
    const struct tn_split_version *own    = job->version;
    bool                           is_two = job->format.version == 2;

    if (own) {
        meta->splitter_version   = own->producer;
        meta->join_version       = own->min_consumer;
        meta->bad_consumers      = own->bad_consumers;
        meta->bad_consumer_count = own->bad_consumer_count;
        return;
    }
    meta->splitter_version =
        is_two ? TN_SPLITTER_VERSION_2 : TN_SPLITTER_VERSION;
    meta->join_version = is_two ? TN_JOIN_VERSION_2 : TN_JOIN_VERSION;
}

/* Records of metadata in parts, and metadata about those. */
static enum tn_status write_parts(struct writing           *w,
                                  struct tn_riegeli_writer *writer,
                                  struct tn_splitter       *splitter,
                                  struct tn_chunk_meta     *meta,
                                  struct tn_envelope       *envelope)
{
    uint64_t count = tn_splitter_chunk_count(splitter);
    uint64_t first = writer->record_count;

    *meta = (struct tn_chunk_meta){ .chunk_count = count };
    set_version(meta, w->job);
    meta->chunks = tn_new(w->arena, struct tn_chunk_info, count, w->error);
    for (uint64_t i = 0; meta->chunks && i < count; i++) {
        const struct tn_chunk *chunk =
            *tn_list_at(&splitter->chunks, struct tn_chunk *, i);
        meta->chunks[i].type = chunk->type;
        meta->chunks[i].size = tn_chunk_length(chunk);
        add_record(w, writer, chunk);
    }
    for (uint64_t i = 0; i < count && !tn_failed(w->error); i++)
        tn_riegeli_position_of(writer, first + i, &meta->chunks[i].offset);
    meta->message =
        tn_chunked_wrap(envelope, TN_ENVELOPE_METADATA, &splitter->result);
    return w->error->status;
}

static void write_metadata(struct writing *w, struct tn_riegeli_writer *writer,
                           const struct tn_chunk_meta *meta, uint64_t before);

static void split_metadata(struct writing *w, struct tn_riegeli_writer *writer,
                           const struct tn_rope *rope, uint64_t most)
{
    struct tn_options options = { .allocator = &w->arena->memory->allocator };
    struct tn_split_format format   = { .version = 2, .max_bytes = most };
    struct tn_schema      *schema   = NULL;
    struct tn_message     *message  = NULL;
    struct tn_splitter    *splitter = NULL;
    struct tn_envelope     envelope;
    struct tn_chunk_meta   meta;

    if (tn_schema_builtin(&schema, "proto_splitter", &options, w->error) ==
            TN_OK &&
        open_metadata(&message, schema, rope, &options, w->error) == TN_OK &&
        tn_splitter_open(&splitter, message, w->error) == TN_OK &&
        tn_splitter_format(splitter, &format, w->error) == TN_OK &&
        tn_splitter_by_size(splitter, most, w->error) == TN_OK &&
        tn_splitter_split(splitter, w->error) == TN_OK &&
        write_parts(w, writer, splitter, &meta, &envelope) == TN_OK)
        write_metadata(w, writer, &meta, rope->length);
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_schema_close(schema);
}

/* `before` is the length of the metadata that these replace: each level must be
 * shorter than the one above it. */
static void write_metadata(struct writing *w, struct tn_riegeli_writer *writer,
                           const struct tn_chunk_meta *meta, uint64_t before)
{
    uint64_t       most = w->job->format.max_metadata;
    struct tn_rope rope;

    most = most ? most : DEFAULT_METADATA;
    tn_rope_init(&rope, w->arena, w->error);
    tn_chunk_meta_write(meta, &rope);
    if (w->job->format.version < 2 || rope.length <= most)
        tn_riegeli_add_rope(writer, &rope);
    else if (rope.length >= before)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "metadata of %" PRIu64 " bytes do not get any shorter "
                     "than %" PRIu64 " in records of %" PRIu64,
                     before, rope.length, most);
    else if (!tn_failed(w->error))
        split_metadata(w, writer, &rope, most);
    tn_rope_done(&rope);
}

static enum tn_status write_main(struct writing *w)
{
    struct tn_riegeli_options options = *w->job->options;
    bool                      is_two  = w->job->format.version == 2;
    struct tn_riegeli_writer  writer;
    struct tn_envelope        envelope;
    struct tn_sink           *sink;

    TN_TRY(w->job->open(w->job->context, NULL, &sink, w->error));
    uint64_t begin = sink->offset;
    if (w->job->format.separates_bytes)
        options.is_transposed = true;
    set_version(&w->meta, w->job);
    w->meta.message = is_two ? tn_chunked_wrap(&envelope, TN_ENVELOPE_VERSION_2,
                                               w->job->message)
                             : *w->job->message;
    tn_riegeli_writer_init(&writer, sink, &options, w->arena->memory, w->error);
    add_chunks(w, &writer, 0);
    write_metadata(w, &writer, &w->meta, UINT64_MAX);
    tn_riegeli_finish(&writer);
    tn_riegeli_writer_done(&writer);
    TN_TRY(w->error->status);
    return check_size(w, "the main file", sink->offset - begin);
}

/* ---- all ----------------------------------------------------------------- */

enum tn_status tn_cpb_write_files(const struct tn_cpb_job *job,
                                  struct tn_error         *error)
{
    struct writing w = { .job   = job,
                         .arena = job->arena,
                         .error = error,
                         .meta  = { .chunk_count = job->count } };

    w.meta.chunks = tn_new(w.arena, struct tn_chunk_info, job->count, error);
    if (!w.meta.chunks)
        return error->status;
    if (job->format.max_file || job->format.separates_bytes)
        TN_TRY(plan(&w));
    else
        TN_TRY(plan_one(&w));
    for (uint64_t file = 1; file < w.file_count; file++)
        TN_TRY(write_member(&w, file));
    return write_main(&w);
}
