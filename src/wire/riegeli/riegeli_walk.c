/* riegeli_walk.c - record after record, seeking, and going on over damage */
#include "base/cursor.h"
#include "wire/riegeli/riegeli_frame.h"

static void leave_chunk(struct tn_riegeli_walk *walk)
{
    tn_riegeli_chunk_close(walk->chunk);
    walk->chunk = NULL;
    walk->index = 0;
}

void tn_riegeli_walk_init(struct tn_riegeli_walk  *walk,
                          const struct tn_riegeli *file, struct tn_error *error)
{
    *walk = (struct tn_riegeli_walk){ .file = file, .error = error };
}

void tn_riegeli_walk_done(struct tn_riegeli_walk *walk)
{
    leave_chunk(walk);
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

/* Enters the next chunk; false at the end and after a failure. */
static bool enter_chunk(struct tn_riegeli_walk *walk)
{
    struct tn_riegeli_fault fault = { walk->file->source->size, false };
    uint64_t                begin = walk->next;

    leave_chunk(walk);
    if (tn_failed(walk->error) || begin >= walk->file->source->size)
        return false;
    if (tn_riegeli_frame_read(walk->file, begin, &walk->frame, &fault,
                              walk->error) != TN_OK ||
        tn_riegeli_chunk_open(&walk->chunk, walk->file, &walk->frame, &fault,
                              walk->error) != TN_OK)
        return skip(walk, begin, fault);
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
