/* cpb.c - chunks in a file: PREFIX.cpb, and further ones beside it */
#include "chunk/cpb.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "base/expand.h"
#include "chunk/cpb_late.h"
#include "io/rope_source.h"
#include "io/workers.h"
#include "wire/pb/pb_builtin.h"

#define LONGEST_MEMBER 64

/* ---- further files ------------------------------------------------------- */

/* Checks the text between PREFIX. and .cpb, which must not lead to another
 * folder. */
static bool is_good_name(struct tn_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!isalnum(name.data[i]) && name.data[i] != '-' &&
            name.data[i] != '_')
            return false;
    return name.size > 0 && name.size <= LONGEST_MEMBER;
}

static int prefix_size(const char *name)
{
    size_t size = strlen(name);

    if (size > 4 && strcmp(name + size - 4, ".cpb") == 0)
        size -= 4;
    return (int)size;
}

static bool skip_number(const char **at)
{
    for (int i = 0; i < 5; i++)
        if (!isdigit((unsigned char)*(*at)++))
            return false;
    return true;
}

/* 00001-of-00002.cpb */
static bool is_numbered(const char *at)
{
    if (!skip_number(&at) || strncmp(at, "-of-", 4) != 0)
        return false;
    at += 4;
    return skip_number(&at) && strcmp(at, ".cpb") == 0;
}

bool tn_cpb_is_member(const char *name, const char *prefix)
{
    size_t size = strlen(prefix);

    if (strncmp(name, prefix, size) != 0 || name[size] != '.')
        return false;
    name += size + 1;
    if (strncmp(name, "bytes", 5) != 0)
        return is_numbered(name);
    return strcmp(name + 5, ".cpb") == 0 ||
           (name[5] == '-' && is_numbered(name + 6));
}

static enum tn_status name_members(struct tn_cpb *cpb, struct tn_error *error)
{
    uint64_t    count = cpb->meta.file_count;
    const char *main  = cpb->name ? cpb->name : "PREFIX";

    if (count >= TN_CHUNK_FILE_LIMIT)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "chunks in %" PRIu64 " further files", count);
    cpb->members = tn_new(&cpb->arena, struct tn_cpb_member, count, error);
    for (uint64_t i = 0; cpb->members && i < count; i++) {
        struct tn_bytes name = cpb->meta.files[i].name;
        if (!is_good_name(name))
            return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                                "'%.*s' cannot be part of the name of a file",
                                TN_FMT(name));
        cpb->members[i].name =
            tn_text_format(&cpb->arena, error, "%.*s.%.*s.cpb",
                           prefix_size(main), main, TN_FMT(name));
    }
    return error->status;
}

static enum tn_status open_member(struct tn_cpb              *cpb,
                                  struct tn_cpb_member       *member,
                                  const struct tn_chunk_file *file,
                                  struct tn_error            *error)
{
    struct tn_source *source;

    if (!cpb->bundle)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "this file holds some of the chunks, and only the "
                            "main one was given");
    if (tn_bundle_sibling(cpb->bundle, tn_text(member->name), &source, error) !=
        TN_OK)
        return error->status;
    if (source->size != file->size)
        return tn_error_set(error, TN_TRUNCATED,
                            source->size < file->size ? source->size
                                                      : file->size,
                            "this file holds some of the chunks and had "
                            "%" PRIu64 " bytes when they were written, it has "
                            "%" PRIu64,
                            file->size, source->size);
    TN_TRY(tn_riegeli_open(&member->file, source, cpb->memory, error));
    if (cpb->bundle->max_expand)
        member->file.limit = cpb->bundle->max_expand;
    return TN_OK;
}

enum tn_status tn_cpb_member(struct tn_cpb *cpb, uint64_t index,
                             struct tn_riegeli **file, struct tn_error *error)
{
    struct tn_cpb_member *member = &cpb->members[index];

    if (!member->file.source &&
        open_member(cpb, member, &cpb->meta.files[index], error) != TN_OK) {
        member->file.source = NULL;
        tn_error_file(error, member->name);
        return error->status;
    }
    *file = &member->file;
    return TN_OK;
}

/* By number, as chunks name it: 0 is the main one. */
static enum tn_status file_at(struct tn_cpb *cpb, uint64_t index,
                              struct tn_riegeli **file, struct tn_error *error)
{
    *file = &cpb->file;
    return index == 0 ? TN_OK : tn_cpb_member(cpb, index - 1, file, error);
}

/* ---- chunks of records --------------------------------------------------- */

static struct tn_cpb_chunk *kept_at(const struct tn_cpb *cpb, uint64_t index)
{
    return tn_list_at(&cpb->kept, struct tn_cpb_chunk, index);
}

/* How many of the kept ones begin at or before the position. */
static uint64_t count_before(const struct tn_cpb *cpb, uint64_t file,
                             uint64_t position)
{
    uint64_t at;

    TN_BISECT(at, 0, cpb->kept.count,
              kept_at(cpb, at)->file < file ||
                  (kept_at(cpb, at)->file == file &&
                   kept_at(cpb, at)->begin <= position));
    return at;
}

/* A kept one with the record at this position, or NULL. */
static struct tn_riegeli_chunk *find_kept(const struct tn_cpb *cpb,
                                          uint64_t file, uint64_t position,
                                          uint64_t *index)
{
    uint64_t count = count_before(cpb, file, position);

    if (count == 0)
        return NULL;
    const struct tn_cpb_chunk *kept = kept_at(cpb, count - 1);
    if (kept->file != file)
        return NULL;
    *index = position - kept->begin;
    return *index < tn_riegeli_chunk_count(kept->chunk) ? kept->chunk : NULL;
}

static enum tn_status keep_chunk(struct tn_cpb *cpb, struct tn_cpb_chunk fresh,
                                 struct tn_error *error)
{
    uint64_t at = count_before(cpb, fresh.file, fresh.begin);

    if (!tn_list_push(&cpb->kept, struct tn_cpb_chunk, error)) {
        tn_riegeli_chunk_close(fresh.chunk);
        return error->status;
    }
    struct tn_cpb_chunk *kept = kept_at(cpb, at);
    memmove(kept + 1, kept, (size_t)(cpb->kept.count - 1 - at) * sizeof *kept);
    *kept = fresh;
    return TN_OK;
}

/* ---- records unpacked again ---------------------------------------------- */

struct record_source {
    struct tn_source source; /* first */
    struct tn_cpb   *cpb;
    uint64_t         file;
    uint64_t         begin, index; /* of the chunk; in it                     */
};

/* Under the lock. */
static struct tn_riegeli_chunk *recent_chunk(struct tn_cpb *cpb, uint64_t at,
                                             uint64_t         begin,
                                             struct tn_error *error)
{
    struct tn_riegeli_frame frame;
    struct tn_riegeli      *file;

    for (unsigned i = 0; i < TN_CPB_RECENT; i++)
        if (cpb->recent[i].chunk && cpb->recent[i].file == at &&
            cpb->recent[i].begin == begin)
            return cpb->recent[i].chunk;
    struct tn_cpb_chunk *slot =
        &cpb->recent[cpb->next_recent++ % TN_CPB_RECENT];
    tn_riegeli_chunk_close(slot->chunk);
    *slot = (struct tn_cpb_chunk){ at, begin, NULL };
    if (file_at(cpb, at, &file, error) == TN_OK &&
        tn_riegeli_frame_read(file, begin, &frame, NULL, error) == TN_OK)
        tn_riegeli_chunk_open(&slot->chunk, file, &frame, NULL, error);
    return slot->chunk;
}

static enum tn_status record_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    struct record_source *record = (struct record_source *)source;
    struct tn_cpb        *cpb    = record->cpb;

    pthread_mutex_lock(&cpb->lock);
    struct tn_riegeli_chunk *chunk =
        recent_chunk(cpb, record->file, record->begin, error);
    if (chunk) {
        struct tn_span span = tn_riegeli_chunk_record(chunk, record->index);
        if (span.length != source->size)
            tn_error_set(error, TN_MALFORMED, record->begin,
                         "the file changed while it was read");
        else
            tn_source_read(span.source, span.offset + offset, to, size, error);
    }
    pthread_mutex_unlock(&cpb->lock);
    return error->status;
}

static void record_close(struct tn_source *source)
{
    tn_memory_free(source->memory, source, sizeof(struct record_source));
}

static const struct tn_source_ops record_ops = { record_read_at, record_close };

static enum tn_status read_again(struct tn_cpb *cpb, uint64_t file,
                                 uint64_t begin, uint64_t index, uint64_t size,
                                 struct tn_span *record, struct tn_error *error)
{
    struct tn_source **slot =
        tn_list_push(&cpb->made, struct tn_source *, error);
    struct record_source *made =
        slot ? tn_memory_resize(cpb->memory, NULL, 0, sizeof *made, error)
             : NULL;

    if (!made)
        return error->status;
    *made = (struct record_source){ .source = { .ops    = &record_ops,
                                                .size   = size,
                                                .name   = "",
                                                .memory = cpb->memory },
                                    .cpb    = cpb,
                                    .file   = file,
                                    .begin  = begin,
                                    .index  = index };
    tn_arena_init(&made->source.pins, cpb->memory);
    *slot   = &made->source;
    *record = (struct tn_span){ &made->source, 0, size };
    return TN_OK;
}

/* ---- reading ------------------------------------------------------------- */

/* Whether a chunk is in a file that exists, and before its end. */
static bool is_inside(const struct tn_cpb        *cpb,
                      const struct tn_chunk_info *info)
{
    const struct tn_chunk_meta *meta = &cpb->meta;
    uint64_t                    file = tn_chunk_file_of(info);
    uint64_t                    at   = tn_chunk_position(info);

    return file <= meta->file_count && at >= TN_RIEGELI_SIGNATURE_SIZE &&
           at < (file ? meta->files[file - 1].size : cpb->last);
}

static enum tn_status not_there(uint64_t position, struct tn_error *error)
{
    return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                        "chunk could not be found at position %" PRIu64,
                        position);
}

enum tn_status tn_cpb_record(struct tn_cpb *cpb, struct tn_riegeli_chunk *chunk,
                             uint64_t index, struct tn_span *record,
                             struct tn_error *error)
{
    struct tn_rope     rope;
    struct tn_source **slot = NULL;

    tn_rope_init(&rope, &cpb->arena, error);
    tn_riegeli_chunk_spans(chunk, index, &rope);
    *record = tn_riegeli_chunk_record(chunk, index);
    if (rope.pieces.count > 1) { /* blocks of the file interrupt it */
        slot = tn_list_push(&cpb->made, struct tn_source *, error);
    } else if (rope.pieces.count == 1) {
        *record        = tn_list_at(&rope.pieces, struct tn_piece, 0)->at.span;
        record->length = rope.length;
    }
    if (slot && tn_source_rope(slot, cpb->memory, &rope, "", error) == TN_OK)
        *record = (struct tn_span){ *slot, 0, (*slot)->size };
    tn_rope_done(&rope);
    return error->status;
}

/* The record at a position that no kept chunk has. */
static enum tn_status open_record(struct tn_cpb *cpb, uint64_t at,
                                  uint64_t position, struct tn_span *record,
                                  struct tn_error *error)
{
    struct tn_riegeli_frame  frame;
    struct tn_riegeli_chunk *chunk;
    struct tn_riegeli       *file;

    TN_TRY(file_at(cpb, at, &file, error));
    uint64_t before = cpb->memory->used;
    TN_TRY(tn_riegeli_frame_find(file, position, &frame, error));
    if (position < frame.begin || position - frame.begin >= frame.record_count)
        return not_there(position, error);
    TN_TRY(tn_riegeli_chunk_open(&chunk, file, &frame, NULL, error));
    uint64_t index = position - frame.begin;
    if (index >= tn_riegeli_chunk_count(chunk)) {
        tn_riegeli_chunk_close(chunk);
        return not_there(position, error);
    }
    uint64_t cost = cpb->memory->used - before;
    if (cost <= cpb->kept_limit - cpb->kept_memory) {
        cpb->kept_memory += cost;
        TN_TRY(keep_chunk(cpb, (struct tn_cpb_chunk){ at, frame.begin, chunk },
                          error));
        return tn_cpb_record(cpb, chunk, index, record, error);
    }
    uint64_t size = tn_riegeli_chunk_record(chunk, index).length;
    tn_riegeli_chunk_close(chunk);
    return read_again(cpb, at, frame.begin, index, size, record, error);
}

void tn_cpb_verify_late(struct tn_cpb *cpb)
{
    cpb->verifies_late = true;
}

static bool put_off(struct tn_cpb *cpb, uint64_t index, struct tn_span *chunk)
{
    uint64_t           number = tn_chunk_file_of(&cpb->meta.chunks[index]);
    struct tn_error    own    = TN_ERROR_INIT;
    struct tn_riegeli *file;

    return file_at(cpb, number, &file, &own) == TN_OK &&
           tn_cpb_late(cpb, index, file, chunk);
}

static enum tn_status cpb_read(struct tn_chunk_store *store, uint64_t index,
                               struct tn_span *chunk, struct tn_error *error)
{
    struct tn_cpb              *cpb      = (struct tn_cpb *)store;
    const struct tn_chunk_info *info     = &cpb->meta.chunks[index];
    uint64_t                    file     = tn_chunk_file_of(info);
    uint64_t                    position = tn_chunk_position(info);
    uint64_t                    at;
    struct tn_riegeli_chunk    *kept = find_kept(cpb, file, position, &at);

    if (!is_inside(cpb, info)) {
        not_there(info->offset, error);
        tn_error_where(error, "chunk[%" PRIu64 "]", index);
        return error->status;
    }
    if (kept)
        tn_cpb_record(cpb, kept, at, chunk, error);
    else if (!cpb->verifies_late || !put_off(cpb, index, chunk))
        open_record(cpb, file, position, chunk, error);
    if (file && tn_failed(error))
        tn_error_file(error, cpb->members[file - 1].name);
    if (!tn_failed(error) && chunk->length != info->size)
        tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                     "the record has %" PRIu64 " bytes, the metadata say "
                     "%" PRIu64,
                     chunk->length, info->size);
    tn_error_where(error, "chunk[%" PRIu64 "]", index);
    return error->status;
}

/* ---- many at once -------------------------------------------------------- */

#define LEAST_EARLY    (UINT64_C(1) << 20)
#define MOST_EARLY     64
#define MOST_IN_MEMORY (UINT64_C(32) << 20)

struct early {
    struct tn_cpb_chunk     kept;
    struct tn_riegeli       file;
    struct tn_riegeli_frame frame;
};

struct loading {
    struct early items[MOST_EARLY];
    unsigned     count;
    uint64_t     size; /* unpacked, all together                              */
};

static enum tn_status open_early(void *context, uint64_t index,
                                 struct tn_error *error)
{
    struct loading *loading = context;
    struct early   *early   = &loading->items[index];
    struct tn_error ignored = TN_ERROR_INIT;

    (void)error; /* reading that chunk fails again, and reports it */
    early->file.in_memory = loading->size > MOST_IN_MEMORY ? 0 : MOST_IN_MEMORY;
    (void)tn_riegeli_chunk_open(&early->kept.chunk, &early->file, &early->frame,
                                NULL, &ignored);
    return TN_OK;
}

static bool is_noted(const struct loading *loading, uint64_t file,
                     uint64_t begin)
{
    for (unsigned i = 0; i < loading->count; i++)
        if (loading->items[i].kept.file == file &&
            loading->items[i].kept.begin == begin)
            return true;
    return false;
}

static void note_early(struct tn_cpb *cpb, const struct tn_chunk_info *info,
                       struct loading *loading)
{
    uint64_t           number   = tn_chunk_file_of(info), at;
    uint64_t           position = tn_chunk_position(info);
    struct early      *early    = &loading->items[loading->count];
    struct tn_error    ignored  = TN_ERROR_INIT;
    struct tn_riegeli *file;

    if (info->size < LEAST_EARLY || !is_inside(cpb, info) ||
        find_kept(cpb, number, position, &at) ||
        file_at(cpb, number, &file, &ignored) != TN_OK ||
        tn_riegeli_frame_find(file, position, &early->frame, &ignored) !=
            TN_OK ||
        is_noted(loading, number, early->frame.begin))
        return;
    early->kept = (struct tn_cpb_chunk){ number, early->frame.begin, NULL };
    early->file = *file;
    if (!tn_add(loading->size, early->frame.decoded_size, &loading->size))
        loading->size = UINT64_MAX;
    loading->count++;
}

void tn_cpb_load(struct tn_cpb *cpb, unsigned workers)
{
    struct tn_error error = TN_ERROR_INIT;
    struct loading *loading =
        tn_memory_resize(cpb->memory, NULL, 0, sizeof *loading, &error);

    if (!loading)
        return;
    *loading = (struct loading){ .count = 0 };
    for (uint64_t i = 0;
         i < cpb->meta.chunk_count && loading->count < MOST_EARLY; i++)
        note_early(cpb, &cpb->meta.chunks[i], loading);
    uint64_t before = cpb->memory->used;
    tn_workers_run(workers, loading->count, open_early, loading, &error);
    cpb->kept_memory += cpb->memory->used - before;
    for (unsigned i = 0; i < loading->count; i++)
        if (loading->items[i].kept.chunk)
            (void)keep_chunk(cpb, loading->items[i].kept, &error);
    tn_memory_free(cpb->memory, loading, sizeof *loading);
}

/* ---- metadata ------------------------------------------------------------ */

/* Some other record may parse as metadata, too. */
static enum tn_status check_chunks(const struct tn_cpb *cpb,
                                   struct tn_error     *error)
{
    const struct tn_chunk_meta *meta = &cpb->meta;

    if (meta->chunk_count == 0)
        return tn_error_set(error, TN_TRUNCATED, cpb->file.source->size,
                            "couldn't read ChunkMetadata: the last record "
                            "names no chunks; the file may have been cut off");
    for (uint64_t i = 0; i < meta->chunk_count && !cpb->is_loose; i++)
        if (!is_inside(cpb, &meta->chunks[i])) {
            not_there(meta->chunks[i].offset, error);
            tn_error_where(error, "chunk[%" PRIu64 "]", i);
            return error->status;
        }
    return TN_OK;
}

static enum tn_status take_metadata(struct tn_cpb *cpb, struct tn_span record,
                                    struct tn_error *error)
{
    TN_TRY(tn_chunk_meta_read(&cpb->meta, record, &cpb->arena, error));
    TN_TRY(tn_chunk_meta_versions(&cpb->meta, TN_JOIN_NEWEST, error));
    TN_TRY(name_members(cpb, error));
    TN_TRY(check_chunks(cpb, error));
    cpb->store.count = cpb->meta.chunk_count;
    return TN_OK;
}

static enum tn_status read_last(struct tn_cpb *cpb, struct tn_error *error)
{
    struct tn_riegeli_frame  frame;
    struct tn_riegeli_chunk *chunk;

    if (!tn_riegeli_frame_last(&cpb->file, &frame, error))
        return tn_failed(error)
                   ? error->status
                   : tn_error_set(error, TN_TRUNCATED, cpb->file.source->size,
                                  "couldn't read ChunkMetadata: there is no "
                                  "record at all");
    TN_TRY(tn_riegeli_chunk_open(&chunk, &cpb->file, &frame, NULL, error));
    uint64_t count = tn_riegeli_chunk_count(chunk);
    TN_TRY(
        keep_chunk(cpb, (struct tn_cpb_chunk){ 0, frame.begin, chunk }, error));
    if (count == 0)
        return tn_error_set(error, TN_MALFORMED, frame.begin,
                            "a chunk of records without records");
    cpb->last  = frame.begin + count - 1;
    cpb->parts = 1;
    return take_metadata(cpb, tn_riegeli_chunk_record(chunk, count - 1), error);
}

/* What the chunks make is a ChunkMetadata; it takes the place of the one that
 * says so. */
static enum tn_status join_metadata(struct tn_cpb *cpb, struct tn_error *error)
{
    struct tn_pb_schema schema;
    struct tn_mosaics   all;
    struct tn_rope      rope;
    struct tn_source  **joined =
        tn_list_push(&cpb->made, struct tn_source *, error);

    if (!joined)
        return error->status;
    TN_TRY(tn_pb_schema_load(&schema, &cpb->arena,
                             tn_pb_builtin_set(TN_PB_PROTO_SPLITTER), error));
    tn_chunked_sort(&cpb->meta.message);
    tn_mosaics_init(&all, &cpb->arena, error);
    tn_rope_init(&rope, &cpb->arena, error);
    struct tn_mosaic *m = tn_mosaic_new(
        &all,
        tn_pb_schema_find(&schema, "tensorflow.proto_splitter.ChunkMetadata"));
    if (m && tn_chunk_merge(m, &cpb->meta.message, &cpb->store) == TN_OK) {
        tn_mosaic_write(m, &rope);
        if (!tn_failed(error))
            tn_source_rope(joined, cpb->memory, &rope, "", error);
    }
    tn_rope_done(&rope);
    tn_mosaics_done(&all);
    TN_TRY(error->status);
    cpb->parts += cpb->meta.chunk_count;
    return take_metadata(cpb, (struct tn_span){ *joined, 0, (*joined)->size },
                         error);
}

static enum tn_status read_metadata(struct tn_cpb *cpb, struct tn_error *error)
{
    TN_TRY(read_last(cpb, error));
    if (cpb->meta.join_version < TN_JOIN_VERSION_2)
        return TN_OK;
    for (unsigned level = 0;
         tn_chunked_unwrap_in(&cpb->meta.message, TN_ENVELOPE_METADATA);
         level++) {
        if (level == TN_CPB_LEVEL_LIMIT)
            return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                                "metadata were taken apart more than %d times",
                                TN_CPB_LEVEL_LIMIT);
        if (join_metadata(cpb, error) != TN_OK) {
            tn_error_where(error, "ChunkMetadata");
            return error->status;
        }
    }
    /* Without the envelope it is laid out as version 1: its splitter requires a
     * later merger for another reason. */
    cpb->is_two =
        tn_chunked_unwrap_in(&cpb->meta.message, TN_ENVELOPE_VERSION_2);
    if (cpb->is_two || !cpb->meta.file_count)
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                        "metadata of version 2 without the field %u around "
                        "the message",
                        TN_ENVELOPE_VERSION_2);
}

/* ---- open and close ------------------------------------------------------ */

/* All chunks together, as the metadata have it: a chunk of another size is
 * refused when it is read. */
static enum tn_status check_unpacked(struct tn_cpb *cpb, uint64_t size,
                                     struct tn_error *error)
{
    const struct tn_chunk_meta *meta = &cpb->meta;
    uint64_t                    sum  = 0;

    for (uint64_t i = 0; i < meta->file_count; i++)
        if (!tn_add(size, meta->files[i].size, &size))
            size = UINT64_MAX;
    for (uint64_t i = 0; i < meta->chunk_count; i++)
        if (!tn_add(sum, meta->chunks[i].size, &sum))
            sum = UINT64_MAX;
    uint64_t asked = cpb->bundle ? cpb->bundle->max_expand : 0;
    if (asked)
        cpb->file.limit = asked;
    return tn_expand_check(sum, tn_expand_most(asked, size), error);
}

static enum tn_status open_files(struct tn_cpb *cpb, struct tn_source *source,
                                 struct tn_error *error)
{
    cpb->store.read = cpb_read;
    cpb->kept_limit = TN_CPB_KEPT_MEMORY;
    tn_arena_init(&cpb->arena, cpb->memory);
    tn_list_init(&cpb->kept, cpb->memory, sizeof(struct tn_cpb_chunk));
    tn_list_init(&cpb->made, cpb->memory, sizeof(struct tn_source *));
    tn_list_init(&cpb->late, cpb->memory, sizeof(struct late *));
    pthread_mutex_init(&cpb->lock, NULL);
    if (tn_riegeli_open(&cpb->file, source, cpb->memory, error) == TN_OK &&
        read_metadata(cpb, error) == TN_OK &&
        check_unpacked(cpb, source->size, error) == TN_OK) {
        tn_chunked_sort(&cpb->meta.message);
        cpb->store.arena = &cpb->arena;
        cpb->store.known =
            tn_new(&cpb->arena, struct tn_chunk_known, cpb->store.count, error);
        if (cpb->store.known)
            return TN_OK;
    }
    tn_cpb_close(cpb);
    return error->status;
}

enum tn_status tn_cpb_open(struct tn_cpb *cpb, struct tn_source *source,
                           struct tn_memory *memory, struct tn_error *error)
{
    *cpb = (struct tn_cpb){ .memory = memory };
    return open_files(cpb, source, error);
}

enum tn_status tn_cpb_open_in(struct tn_cpb *cpb, struct tn_bundle *bundle,
                              const char *name, struct tn_source *source,
                              struct tn_error *error)
{
    *cpb =
        (struct tn_cpb){ .memory = bundle->memory,
                         .bundle = tn_bundle_has_folder(bundle) ? bundle : NULL,
                         .name   = name };
    return open_files(cpb, source, error);
}

enum tn_status tn_cpb_open_for_check(struct tn_cpb    *cpb,
                                     struct tn_bundle *bundle, const char *name,
                                     struct tn_source *source,
                                     struct tn_error  *error)
{
    *cpb =
        (struct tn_cpb){ .memory = bundle->memory,
                         .bundle = tn_bundle_has_folder(bundle) ? bundle : NULL,
                         .name   = name,
                         .is_loose = true };
    return open_files(cpb, source, error);
}

void tn_cpb_close(struct tn_cpb *cpb)
{
    for (uint64_t i = 0; i < cpb->made.count; i++)
        tn_source_close(*tn_list_at(&cpb->made, struct tn_source *, i));
    tn_cpb_late_close(cpb);
    for (uint64_t i = 0; i < cpb->kept.count; i++)
        tn_riegeli_chunk_close(kept_at(cpb, i)->chunk);
    for (unsigned i = 0; i < TN_CPB_RECENT; i++)
        tn_riegeli_chunk_close(cpb->recent[i].chunk);
    tn_list_done(&cpb->made);
    tn_list_done(&cpb->kept);
    tn_arena_done(&cpb->arena);
    pthread_mutex_destroy(&cpb->lock);
}

bool tn_cpb_probe(struct tn_bytes head)
{
    return head.size >= TN_RIEGELI_SIGNATURE_SIZE &&
           !memcmp(head.data, tn_riegeli_signature, TN_RIEGELI_SIGNATURE_SIZE);
}
