/* cpb.c - chunks in a file: PREFIX.cpb */
#include "chunk/cpb.h"

#include <inttypes.h>

#include "io/rope_source.h"

/* ---- chunks of records --------------------------------------------------- */

static struct tn_cpb_chunk *kept_at(const struct tn_cpb *cpb, uint64_t index)
{
    return tn_list_at(&cpb->kept, struct tn_cpb_chunk, index);
}

/* How many of the kept ones begin at or before the position. */
static uint64_t count_before(const struct tn_cpb *cpb, uint64_t position)
{
    uint64_t low = 0, high = cpb->kept.count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (kept_at(cpb, middle)->begin <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A kept one with the record at this position, or NULL. */
static struct tn_riegeli_chunk *find_kept(const struct tn_cpb *cpb,
                                          uint64_t position, uint64_t *index)
{
    uint64_t count = count_before(cpb, position);

    if (count == 0)
        return NULL;
    const struct tn_cpb_chunk *kept = kept_at(cpb, count - 1);
    *index                          = position - kept->begin;
    return *index < tn_riegeli_chunk_count(kept->chunk) ? kept->chunk : NULL;
}

static enum tn_status keep_chunk(struct tn_cpb *cpb, uint64_t begin,
                                 struct tn_riegeli_chunk *chunk,
                                 struct tn_error         *error)
{
    uint64_t at = count_before(cpb, begin);

    if (!tn_list_push(&cpb->kept, struct tn_cpb_chunk, error)) {
        tn_riegeli_chunk_close(chunk);
        return error->status;
    }
    struct tn_cpb_chunk *kept = kept_at(cpb, at);
    memmove(kept + 1, kept, (size_t)(cpb->kept.count - 1 - at) * sizeof *kept);
    *kept = (struct tn_cpb_chunk){ begin, chunk };
    return TN_OK;
}

/* ---- records unpacked again ---------------------------------------------- */

struct record_source {
    struct tn_source source; /* first */
    struct tn_cpb   *cpb;
    uint64_t         begin, index; /* of the chunk; in it                     */
};

/* Under the lock. */
static struct tn_riegeli_chunk *recent_chunk(struct tn_cpb *cpb, uint64_t begin,
                                             struct tn_error *error)
{
    struct tn_riegeli_frame frame;

    for (unsigned i = 0; i < TN_CPB_RECENT; i++)
        if (cpb->recent[i].chunk && cpb->recent[i].begin == begin)
            return cpb->recent[i].chunk;
    struct tn_cpb_chunk *slot =
        &cpb->recent[cpb->next_recent++ % TN_CPB_RECENT];
    tn_riegeli_chunk_close(slot->chunk);
    *slot = (struct tn_cpb_chunk){ begin, NULL };
    if (tn_riegeli_frame_read(&cpb->file, begin, &frame, NULL, error) == TN_OK)
        tn_riegeli_chunk_open(&slot->chunk, &cpb->file, &frame, NULL, error);
    return slot->chunk;
}

static enum tn_status record_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    struct record_source *record = (struct record_source *)source;
    struct tn_cpb        *cpb    = record->cpb;

    pthread_mutex_lock(&cpb->lock);
    struct tn_riegeli_chunk *chunk = recent_chunk(cpb, record->begin, error);
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

static enum tn_status read_again(struct tn_cpb *cpb, uint64_t begin,
                                 uint64_t index, uint64_t size,
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
                                    .begin  = begin,
                                    .index  = index };
    tn_arena_init(&made->source.pins, cpb->memory);
    *slot   = &made->source;
    *record = (struct tn_span){ &made->source, 0, size };
    return TN_OK;
}

/* ---- reading ------------------------------------------------------------- */

static enum tn_status not_there(uint64_t position, struct tn_error *error)
{
    return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                        "chunk could not be found at position %" PRIu64,
                        position);
}

/* A record of a kept chunk: where it lies in the file, if it is not packed, so
 * that it can be copied from file to file. */
static enum tn_status kept_record(struct tn_cpb           *cpb,
                                  struct tn_riegeli_chunk *chunk,
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
static enum tn_status open_record(struct tn_cpb *cpb, uint64_t position,
                                  struct tn_span  *record,
                                  struct tn_error *error)
{
    struct tn_riegeli_frame  frame;
    struct tn_riegeli_chunk *chunk;
    uint64_t                 before = cpb->memory->used;

    TN_TRY(tn_riegeli_frame_find(&cpb->file, position, &frame, error));
    if (position < frame.begin || position - frame.begin >= frame.record_count)
        return not_there(position, error);
    TN_TRY(tn_riegeli_chunk_open(&chunk, &cpb->file, &frame, NULL, error));
    uint64_t index = position - frame.begin;
    if (index >= tn_riegeli_chunk_count(chunk)) {
        tn_riegeli_chunk_close(chunk);
        return not_there(position, error);
    }
    uint64_t cost = cpb->memory->used - before;
    if (cost <= cpb->kept_limit - cpb->kept_memory) {
        cpb->kept_memory += cost;
        TN_TRY(keep_chunk(cpb, frame.begin, chunk, error));
        return kept_record(cpb, chunk, index, record, error);
    }
    uint64_t size = tn_riegeli_chunk_record(chunk, index).length;
    tn_riegeli_chunk_close(chunk);
    return read_again(cpb, frame.begin, index, size, record, error);
}

static enum tn_status cpb_read(struct tn_chunk_store *store, uint64_t index,
                               struct tn_span *chunk, struct tn_error *error)
{
    struct tn_cpb              *cpb  = (struct tn_cpb *)store;
    const struct tn_chunk_info *info = &cpb->meta.chunks[index];
    uint64_t                    at;
    struct tn_riegeli_chunk    *kept = find_kept(cpb, info->offset, &at);

    if (info->offset >= cpb->last)
        not_there(info->offset, error);
    else if (kept)
        kept_record(cpb, kept, at, chunk, error);
    else
        open_record(cpb, info->offset, chunk, error);
    if (!tn_failed(error) && chunk->length != info->size)
        tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                     "the record has %" PRIu64 " bytes, the metadata say "
                     "%" PRIu64,
                     chunk->length, info->size);
    tn_error_where(error, "chunk[%" PRIu64 "]", index);
    return error->status;
}

static enum tn_status read_metadata(struct tn_cpb *cpb, struct tn_error *error)
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
    TN_TRY(keep_chunk(cpb, frame.begin, chunk, error));
    if (count == 0)
        return tn_error_set(error, TN_MALFORMED, frame.begin,
                            "a chunk of records without records");
    cpb->last = frame.begin + count - 1;
    return tn_chunk_meta_read(&cpb->meta,
                              tn_riegeli_chunk_record(chunk, count - 1),
                              &cpb->arena, error);
}

/* Some other record may parse as metadata, too. */
static enum tn_status check_metadata(const struct tn_cpb *cpb,
                                     struct tn_error     *error)
{
    const struct tn_chunk_meta *meta = &cpb->meta;

    if (meta->chunk_count == 0)
        return tn_error_set(error, TN_TRUNCATED, cpb->file.source->size,
                            "couldn't read ChunkMetadata: the last record "
                            "names no chunks; the file may have been cut off");
    for (uint64_t i = 0; i < meta->chunk_count; i++)
        if (meta->chunks[i].offset >= cpb->last ||
            meta->chunks[i].offset < TN_RIEGELI_SIGNATURE_SIZE) {
            not_there(meta->chunks[i].offset, error);
            tn_error_where(error, "chunk[%" PRIu64 "]", i);
            return error->status;
        }
    return tn_chunk_meta_versions(meta, error);
}

enum tn_status tn_cpb_open(struct tn_cpb *cpb, struct tn_source *source,
                           struct tn_memory *memory, struct tn_error *error)
{
    *cpb = (struct tn_cpb){ .store      = { .read = cpb_read },
                            .memory     = memory,
                            .kept_limit = TN_CPB_KEPT_MEMORY };
    tn_arena_init(&cpb->arena, memory);
    tn_list_init(&cpb->kept, memory, sizeof(struct tn_cpb_chunk));
    tn_list_init(&cpb->made, memory, sizeof(struct tn_source *));
    pthread_mutex_init(&cpb->lock, NULL);
    if (tn_riegeli_open(&cpb->file, source, memory, error) == TN_OK &&
        read_metadata(cpb, error) == TN_OK &&
        check_metadata(cpb, error) == TN_OK) {
        tn_chunked_sort(&cpb->meta.message);
        cpb->store.count = cpb->meta.chunk_count;
        return TN_OK;
    }
    tn_cpb_close(cpb);
    return error->status;
}

void tn_cpb_close(struct tn_cpb *cpb)
{
    for (uint64_t i = 0; i < cpb->made.count; i++)
        tn_source_close(*tn_list_at(&cpb->made, struct tn_source *, i));
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

/* ---- writing ------------------------------------------------------------- */

static void write_metadata(struct tn_riegeli_writer   *writer,
                           const struct tn_chunk_meta *meta,
                           struct tn_arena            *arena)
{
    struct tn_rope rope;

    tn_rope_init(&rope, arena, writer->error);
    tn_chunk_meta_write(meta, &rope);
    tn_riegeli_add_rope(writer, &rope);
    tn_rope_done(&rope);
}

enum tn_status tn_cpb_write(struct tn_sink               *to,
                            const struct tn_chunk_record *chunks,
                            uint64_t count, const struct tn_chunked *message,
                            const struct tn_riegeli_options *options,
                            struct tn_arena *arena, struct tn_error *error)
{
    struct tn_riegeli_writer writer;
    struct tn_chunk_meta     meta = { .splitter_version = TN_SPLITTER_VERSION,
                                      .join_version     = TN_JOIN_VERSION,
                                      .chunk_count      = count,
                                      .message          = *message };

    meta.chunks = tn_new(arena, struct tn_chunk_info, count, error);
    if (!meta.chunks)
        return error->status;
    tn_riegeli_writer_init(&writer, to, options, arena->memory, error);
    for (uint64_t i = 0; i < count; i++) {
        meta.chunks[i].type = chunks[i].type;
        meta.chunks[i].size = chunks[i].content->length;
        tn_riegeli_add_rope(&writer, chunks[i].content);
    }
    for (uint64_t i = 0; i < count && !tn_failed(error); i++)
        tn_riegeli_position_of(&writer, i, &meta.chunks[i].offset);
    write_metadata(&writer, &meta, arena);
    tn_riegeli_finish(&writer);
    tn_riegeli_writer_done(&writer);
    return error->status;
}
