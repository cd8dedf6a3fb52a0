/* riegeli_walk.c - record after record, seeking, and going on over damage */
#include "base/cursor.h"
#include "base/block_cache.h"
#include "io/pipeline.h"
#include "wire/riegeli/riegeli_frame.h"

#define AHEAD_PER_WORKER 2
#define MOST_BYTES_AHEAD (UINT64_C(12) << 20)

/* A chunk that was unpacked before its turn, or why it could not be. */
struct early {
    struct tn_riegeli_frame  frame;
    struct tn_riegeli_chunk *chunk;
    struct tn_riegeli_fault  fault;
    struct tn_error          error;
};

struct tn_riegeli_ahead {
    struct tn_block_cache cache; /* what chunks are unpacked into */
    struct tn_riegeli  file;  /* the walk's, with memory from there           */
    uint64_t           next;  /* where the next chunk begins                  */
    uint64_t           bytes; /* that chunks ahead unpack to                  */
    struct tn_pipeline pipeline;
    struct early       slots[TN_PIPELINE_WORKERS * AHEAD_PER_WORKER];
};

static void leave_chunk(struct tn_riegeli_walk *walk)
{
    tn_riegeli_chunk_close(walk->chunk);
    walk->chunk = NULL;
    walk->index = 0;
}

void tn_riegeli_walk_init(struct tn_riegeli_walk  *walk,
                          const struct tn_riegeli *file, struct tn_error *error)
{
    *walk =
        (struct tn_riegeli_walk){ .file = file, .error = error, .workers = 1 };
}

/* ---- ahead of the walk -------------------------------------------------- */

static void open_early(void *context, uint32_t slot)
{
    struct tn_riegeli_ahead *ahead = context;
    struct early            *one   = &ahead->slots[slot];

    /* A failure is met when its turn comes. */
    (void)tn_riegeli_chunk_open(&one->chunk, &ahead->file, &one->frame,
                                &one->fault, &one->error);
}

static struct early *take_early(struct tn_riegeli_ahead *ahead)
{
    struct early *one = &ahead->slots[tn_pipeline_take(&ahead->pipeline)];

    ahead->bytes -= one->frame.decoded_size;
    return one;
}

static void drop_ahead(struct tn_riegeli_walk *walk)
{
    while (walk->ahead && tn_pipeline_count(&walk->ahead->pipeline))
        tn_riegeli_chunk_close(take_early(walk->ahead)->chunk);
}

static bool make_ahead(struct tn_riegeli_walk *walk)
{
    struct tn_memory *memory  = walk->file->memory;
    unsigned          workers = tn_pipeline_workers(walk->workers);

    if (walk->ahead)
        return true;
    walk->ahead =
        tn_memory_resize(memory, NULL, 0, sizeof *walk->ahead, walk->error);
    if (!walk->ahead)
        return false;
    *walk->ahead = (struct tn_riegeli_ahead){ .file = *walk->file };
    tn_block_cache_init(&walk->ahead->cache, memory, MOST_BYTES_AHEAD);
    walk->ahead->file.memory = &walk->ahead->cache.memory;
    tn_pipeline_open(&walk->ahead->pipeline, workers,
                     workers * AHEAD_PER_WORKER, open_early, walk->ahead);
    tn_pipeline_watches(&walk->ahead->pipeline, memory);
    return true;
}

/* Begins with the next few chunks, as long as their frames are good. */
static void load_ahead(struct tn_riegeli_walk *walk)
{
    struct tn_riegeli_ahead *ahead   = walk->ahead;
    struct tn_error          ignored = TN_ERROR_INIT;

    if (tn_pipeline_count(&ahead->pipeline) == 0)
        ahead->next = walk->next;
    while (ahead->next < walk->file->source->size &&
           !tn_pipeline_is_full(&ahead->pipeline)) {
        struct early *one = &ahead->slots[tn_pipeline_next(&ahead->pipeline)];
        *one              = (struct early){ .error = TN_ERROR_INIT };
        if (tn_riegeli_frame_read(walk->file, ahead->next, &one->frame, NULL,
                                  &ignored) != TN_OK ||
            one->frame.decoded_size > MOST_BYTES_AHEAD - ahead->bytes)
            return;
        ahead->next = one->frame.end;
        ahead->bytes += one->frame.decoded_size;
        tn_pipeline_add(&ahead->pipeline);
    }
}

void tn_riegeli_walk_done(struct tn_riegeli_walk *walk)
{
    leave_chunk(walk);
    if (!walk->ahead)
        return;
    drop_ahead(walk);
    tn_pipeline_close(&walk->ahead->pipeline);
    tn_block_cache_done(&walk->ahead->cache);
    tn_memory_free(walk->file->memory, walk->ahead, sizeof *walk->ahead);
    walk->ahead = NULL;
}

/* ---- damage ------------------------------------------------------------- */

/* The first chunk that a good block header from `at` on leads to. */
static enum tn_status search(const struct tn_riegeli *file, uint64_t at,
                             uint64_t *found, struct tn_error *error)
{
    uint64_t size = file->source->size;

    if (at % TN_RIEGELI_BLOCK)
        at += tn_riegeli_to_block(at);
    for (; at < size; at += TN_RIEGELI_BLOCK) {
        struct tn_error         ignored = TN_ERROR_INIT;
        struct tn_riegeli_block block;
        tn_riegeli_block_read(file, at, &block, NULL, &ignored);
        if (ignored.status == TN_IO)
            *error = ignored;
        if (ignored.status == TN_IO)
            return error->status;
        if (tn_failed(&ignored))
            continue;
        *found = at;
        if (block.previous == 0)
            return TN_OK;
        if (block.next <= size - at &&
            tn_riegeli_is_boundary(at + block.next)) {
            *found = at + block.next;
            return TN_OK;
        }
    }
    *found = size;
    return TN_OK;
}

/* Whether the walk goes on after this failure: it is damage, and the caller
 * wants that skipped. */
static bool skip(struct tn_riegeli_walk *walk, uint64_t begin,
                 struct tn_riegeli_fault fault)
{
    struct tn_error why = *walk->error;
    uint64_t        end = tn_min(fault.resume, walk->file->source->size);

    tn_error_file(walk->error, walk->file->source->name);
    if (!walk->skipped ||
        (why.status != TN_MALFORMED && why.status != TN_TRUNCATED))
        return false;
    *walk->error = (struct tn_error)TN_ERROR_INIT;
    if (fault.is_lost &&
        search(walk->file, fault.resume, &end, walk->error) != TN_OK)
        return false;
    walk->next = end;
    walk->skipped(walk->context, begin, end, &why);
    return true;
}

/* ---- forward ------------------------------------------------------------ */

/* Metadata are no records. */
static uint64_t records_in(const struct tn_riegeli_walk *walk)
{
    return walk->chunk ? walk->frame.record_count : 0;
}

static enum tn_status open_next(struct tn_riegeli_walk  *walk,
                                struct tn_riegeli_fault *fault)
{
    if (walk->workers != 1 && make_ahead(walk))
        load_ahead(walk);
    if (tn_failed(walk->error))
        return walk->error->status;
    if (walk->ahead && tn_pipeline_count(&walk->ahead->pipeline)) {
        struct early *one = take_early(walk->ahead);
        walk->frame       = one->frame;
        walk->chunk       = one->chunk;
        *fault            = one->fault;
        *walk->error      = one->error;
        return one->error.status;
    }
    TN_TRY(tn_riegeli_frame_read(walk->file, walk->next, &walk->frame, fault,
                                 walk->error));
    return tn_riegeli_chunk_open(&walk->chunk, walk->file, &walk->frame, fault,
                                 walk->error);
}

/* Enters the next chunk; false at the end and after a failure. */
static bool enter_chunk(struct tn_riegeli_walk *walk)
{
    struct tn_riegeli_fault fault = { walk->file->source->size, false };
    uint64_t                begin = walk->next;

    leave_chunk(walk);
    if (tn_failed(walk->error) || begin >= walk->file->source->size)
        return false;
    if (open_next(walk, &fault) != TN_OK) {
        uint64_t end = walk->frame.end;
        if (!skip(walk, begin, fault))
            return false;
        if (walk->next != end) /* what was unpacked is not next any more */
            drop_ahead(walk);
        return true;
    }
    walk->next = walk->frame.end;
    return true;
}

static void give(const struct tn_riegeli_walk *walk, uint64_t index,
                 struct tn_riegeli_record *record)
{
    *record =
        (struct tn_riegeli_record){ tn_riegeli_chunk_record(walk->chunk, index),
                                    walk->frame.begin, index };
}

bool tn_riegeli_next(struct tn_riegeli_walk   *walk,
                     struct tn_riegeli_record *record)
{
    while (walk->index >= records_in(walk))
        if (!enter_chunk(walk))
            return false;
    give(walk, walk->index++, record);
    return true;
}

/* ---- anywhere ----------------------------------------------------------- */

enum tn_status tn_riegeli_seek(struct tn_riegeli_walk *walk, uint64_t position)
{
    struct tn_riegeli_frame frame;

    if (walk->chunk && position >= walk->frame.begin &&
        position <= walk->frame.end) {
        walk->index =
            tn_min(position - walk->frame.begin, walk->frame.record_count);
        return TN_OK;
    }
    TN_TRY(tn_riegeli_frame_find(walk->file, position, &frame, walk->error));
    leave_chunk(walk);
    drop_ahead(walk);
    walk->next = frame.begin;
    if (position <= frame.begin)
        return TN_OK;
    /* Inside the chunk: enter it, so that the index has a meaning. */
    if (enter_chunk(walk) && walk->chunk)
        walk->index = position - frame.begin;
    return walk->error->status;
}

bool tn_riegeli_last(struct tn_riegeli_walk   *walk,
                     struct tn_riegeli_record *record)
{
    struct tn_riegeli_frame frame;

    if (!tn_riegeli_frame_last(walk->file, &frame, walk->error))
        return false;
    if (!walk->chunk || walk->frame.begin != frame.begin) {
        leave_chunk(walk);
        if (tn_riegeli_chunk_open(&walk->chunk, walk->file, &frame, NULL,
                                  walk->error) != TN_OK)
            return false;
    }
    drop_ahead(walk);
    walk->frame = frame;
    walk->next  = walk->file->source->size;
    walk->index = frame.record_count;
    give(walk, frame.record_count - 1, record);
    return true;
}

enum tn_status tn_riegeli_metadata(const struct tn_riegeli *file,
                                   struct tn_buffer *to, bool *has,
                                   struct tn_error *error)
{
    struct tn_riegeli_frame  frame;
    struct tn_riegeli_chunk *chunk;

    *has = false;
    if (file->source->size <= TN_RIEGELI_SIGNATURE_SIZE)
        return TN_OK;
    TN_TRY(tn_riegeli_frame_read(file, TN_RIEGELI_SIGNATURE_SIZE, &frame, NULL,
                                 error));
    if (frame.type != TN_RIEGELI_METADATA)
        return TN_OK;
    TN_TRY(tn_riegeli_chunk_open(&chunk, file, &frame, NULL, error));
    tn_sink_splice(&to->sink, tn_riegeli_chunk_record(chunk, 0), error);
    tn_riegeli_chunk_close(chunk);
    *has = !tn_failed(error);
    return error->status;
}
