/* records.c - records of a chunk, unpacked when they are read */
#include "format/riegeli/records.h"

#include <pthread.h>

/* At most this many chunks stay unpacked: a tensor is often read in several
 * windows. */
#define RECENT 4

struct recent {
    uint64_t                 begin;
    struct tn_riegeli_chunk *chunk; /* NULL: a free slot                      */
};

struct tn_records {
    struct tn_source  source; /* first: what the bundle keeps                 */
    struct tn_memory *memory;
    struct tn_riegeli file;
    struct tn_list    sources; /* struct tn_source *                          */
    pthread_mutex_t   lock;    /* of what follows                             */
    struct recent     recent[RECENT];
    unsigned          next_recent;
};

struct chunk_source {
    struct tn_source   source; /* first */
    struct tn_records *records;
    uint64_t           begin; /* of the chunk in the file                     */
};

/* ---- one chunk ---------------------------------------------------------- */

/* Under the lock. */
static struct tn_riegeli_chunk *unpack(struct tn_records *records,
                                       uint64_t begin, struct tn_error *error)
{
    struct tn_riegeli_frame frame;

    for (unsigned i = 0; i < RECENT; i++)
        if (records->recent[i].chunk && records->recent[i].begin == begin)
            return records->recent[i].chunk;
    struct recent *slot = &records->recent[records->next_recent++ % RECENT];
    tn_riegeli_chunk_close(slot->chunk);
    *slot = (struct recent){ begin, NULL };
    if (tn_riegeli_frame_read(&records->file, begin, &frame, NULL, error) ==
        TN_OK)
        tn_riegeli_chunk_open(&slot->chunk, &records->file, &frame, NULL,
                              error);
    return slot->chunk;
}

/* Where all records of a chunk lie, one after the other. */
static bool find_all(const struct tn_riegeli_chunk *chunk, uint64_t size,
                     struct tn_span *all)
{
    uint64_t count = tn_riegeli_chunk_count(chunk);

    if (count == 0)
        return false;
    struct tn_span last = tn_riegeli_chunk_record(chunk, count - 1);
    *all                = tn_riegeli_chunk_record(chunk, 0);
    all->length         = last.offset + last.length - all->offset;
    return all->length == size;
}

static enum tn_status chunk_read_at(struct tn_source *source, uint64_t offset,
                                    void *to, size_t size,
                                    struct tn_error *error)
{
    struct chunk_source *of      = (struct chunk_source *)source;
    struct tn_records   *records = of->records;
    struct tn_span       all;

    pthread_mutex_lock(&records->lock);
    struct tn_riegeli_chunk *chunk = unpack(records, of->begin, error);
    if (chunk && !find_all(chunk, source->size, &all))
        tn_error_set(error, TN_MALFORMED, of->begin,
                     "the file changed while it was read");
    else if (chunk)
        tn_source_read(all.source, all.offset + offset, to, size, error);
    pthread_mutex_unlock(&records->lock);
    return error->status;
}

static void chunk_close(struct tn_source *source)
{
    tn_memory_free(source->memory, source, sizeof(struct chunk_source));
}

static const struct tn_source_ops chunk_ops = { .read_at = chunk_read_at,
                                                .close   = chunk_close };

enum tn_status tn_records_source(struct tn_records *records, uint64_t begin,
                                 uint64_t size, struct tn_source **out,
                                 struct tn_error *error)
{
    struct chunk_source *made =
        tn_memory_resize(records->memory, NULL, 0, sizeof *made, error);
    struct tn_source **slot;

    *out = NULL;
    if (!made)
        return error->status;
    *made = (struct chunk_source){ .source  = { .ops    = &chunk_ops,
                                                .size   = size,
                                                .name   = "",
                                                .memory = records->memory },
                                   .records = records,
                                   .begin   = begin };
    tn_arena_init(&made->source.pins, records->memory);
    slot = tn_list_push(&records->sources, struct tn_source *, error);
    if (slot)
        *slot = *out = &made->source;
    else
        tn_source_close(&made->source);
    return error->status;
}

/* ---- all of them -------------------------------------------------------- */

static enum tn_status records_read_at(struct tn_source *source, uint64_t offset,
                                      void *to, size_t size,
                                      struct tn_error *error)
{
    const struct tn_records *records = (struct tn_records *)source;

    return tn_source_read(records->file.source, offset, to, size, error);
}

static void records_close(struct tn_source *source)
{
    struct tn_records *records = (struct tn_records *)source;

    for (uint64_t i = 0; i < records->sources.count; i++)
        tn_source_close(*tn_list_at(&records->sources, struct tn_source *, i));
    for (unsigned i = 0; i < RECENT; i++)
        tn_riegeli_chunk_close(records->recent[i].chunk);
    tn_list_done(&records->sources);
    pthread_mutex_destroy(&records->lock);
    tn_memory_free(records->memory, records, sizeof *records);
}

static const struct tn_source_ops records_ops = { .read_at = records_read_at,
                                                  .close   = records_close };

enum tn_status tn_records_new(struct tn_records **out, struct tn_bundle *bundle,
                              struct tn_error *error)
{
    struct tn_memory  *memory = bundle->memory;
    struct tn_records *records =
        tn_memory_resize(memory, NULL, 0, sizeof *records, error);

    *out = NULL;
    if (!records)
        return error->status;
    *records = (struct tn_records){ .source = { .ops    = &records_ops,
                                                .size   = bundle->main->size,
                                                .name   = "",
                                                .memory = memory },
                                    .memory = memory };
    tn_arena_init(&records->source.pins, memory);
    tn_list_init(&records->sources, memory, sizeof(struct tn_source *));
    pthread_mutex_init(&records->lock, NULL);
    TN_TRY(tn_bundle_keep(bundle, &records->source, error));
    *out = records;
    TN_TRY(tn_riegeli_open(&records->file, bundle->main, memory, error));
    if (bundle->max_expand)
        records->file.limit = bundle->max_expand;
    return TN_OK;
}

const struct tn_riegeli *tn_records_file(const struct tn_records *records)
{
    return &records->file;
}
