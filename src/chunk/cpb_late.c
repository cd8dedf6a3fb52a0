/* cpb_late.c - chunks that are verified while they are written */
#include "chunk/cpb_late.h"

#include <inttypes.h>

#include "base/arith.h"
#include "chunk/mosaic_index.h"
#include "chunk/wire_watch.h"
#include "io/rope_source.h"
#include "io/workers.h"

#define LEAST_LATE (UINT64_C(256) << 10)

/* The beginning of a compressed chunk is unpacked to find out what it is. */
#define HEAD_SIZE ((size_t)128 << 10)

/* A chunk that other readers need is unpacked as a whole, in memory up to this
 * size. */
#define MOST_IN_MEMORY (UINT64_C(4) << 20)

/* Bytes of a record, and where they go. */
struct goal {
    uint64_t from, length;
    uint64_t to; /* in the sink                                               */
};

struct late {
    struct tn_source         source; /* first: the record of a packed one     */
    struct tn_cpb           *cpb;
    uint64_t                 index; /* of the chunk                           */
    struct tn_riegeli        file;
    struct tn_riegeli_frame  frame;
    struct tn_riegeli_chunk *trusted;
    struct tn_riegeli_chunk *opened; /* of a compressed one, once it was read */
    uint8_t                 *head;   /* NULL: not unpacked yet                */
    struct tn_span           record;
    struct tn_list           goals; /* struct goal, ascending by `from`       */
    bool                     is_tangled; /* they do not ascend, so it is read */
};

static struct late *late_at(const struct tn_cpb *cpb, uint64_t index)
{
    return *tn_list_at(&cpb->late, struct late *, index);
}

/* ---- read before it is written ------------------------------------------ */

/* A sink that is full at some point, which is not a failure. */
struct brim {
    struct tn_sink sink; /* first */
    uint8_t       *to;
    size_t         size, room;
};

static enum tn_status brim_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    struct brim *brim = (struct brim *)sink;
    size_t       size = tn_min_size(brim->room - brim->size, bytes.size);

    memcpy(brim->to + brim->size, bytes.data, size);
    brim->size += size;
    if (brim->size < brim->room)
        return TN_OK;
    return tn_error_set(error, TN_CANCELLED, TN_NOWHERE, "enough");
}

static const struct tn_sink_ops brim_ops = { .write = brim_write };

/* Its hash is verified when all of it is. */
static enum tn_status unpack_head(struct late *late, struct tn_error *error)
{
    struct tn_error own  = TN_ERROR_INIT;
    struct brim     brim = { .sink = { .ops = &brim_ops }, .room = HEAD_SIZE };

    brim.to = tn_arena_alloc(&late->source.pins, HEAD_SIZE, 1, error);
    if (!brim.to)
        return error->status;
    tn_riegeli_chunk_pass(late->trusted, &late->file, &brim.sink, &own);
    if (brim.size < brim.room) {
        *error = own;
        return tn_failed(error) ? error->status
                                : tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                                               "a chunk ends too early");
    }
    late->head = brim.to;
    return TN_OK;
}

static enum tn_status read_somewhere(struct late *late, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    if (!late->opened)
        TN_TRY(tn_riegeli_chunk_open(&late->opened, &late->file, &late->frame,
                                     NULL, error));
    struct tn_span record = tn_riegeli_chunk_record(late->opened, 0);
    if (record.length != late->source.size)
        return tn_error_set(error, TN_MALFORMED, late->frame.begin,
                            "the file changed while it was read");
    return tn_source_read(record.source, record.offset + offset, to, size,
                          error);
}

static enum tn_status late_read_at(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size,
                                   struct tn_error *error)
{
    struct late *late = (struct late *)source;

    pthread_mutex_lock(&late->cpb->lock);
    if (offset > HEAD_SIZE || size > HEAD_SIZE - offset)
        read_somewhere(late, offset, to, size, error);
    else if (late->head || unpack_head(late, error) == TN_OK)
        memcpy(to, late->head + offset, size);
    pthread_mutex_unlock(&late->cpb->lock);
    return error->status;
}

static void late_close(struct tn_source *source)
{
    struct late *late = (struct late *)source;

    tn_riegeli_chunk_close(late->trusted);
    tn_riegeli_chunk_close(late->opened);
    tn_list_done(&late->goals);
    tn_memory_free(source->memory, late, sizeof *late);
}

static const struct tn_source_ops late_ops = { late_read_at, late_close };

/* ---- trusted at first ---------------------------------------------------- */

/* One record and nothing else, as long as the metadata say. */
static bool can_wait(const struct tn_riegeli_frame *frame,
                     const struct tn_chunk_info    *info)
{
    return frame->type == TN_RIEGELI_SIMPLE && frame->record_count == 1 &&
           frame->begin == tn_chunk_position(info) &&
           frame->decoded_size == info->size && info->size >= LEAST_LATE &&
           info->size <= TN_PLACE_LENGTH_MAX;
}

static struct late *new_late(struct tn_cpb *cpb, uint64_t index,
                             const struct tn_riegeli       *file,
                             const struct tn_riegeli_frame *frame,
                             struct tn_error               *error)
{
    struct late **slot = tn_list_push(&cpb->late, struct late *, error);
    struct late  *late =
        slot ? tn_memory_resize(cpb->memory, NULL, 0, sizeof *late, error)
              : NULL;

    if (!late) {
        cpb->late.count -= slot != NULL;
        return NULL;
    }
    *slot = late;
    *late = (struct late){ .source = { .ops    = &late_ops,
                                       .size   = frame->decoded_size,
                                       .name   = "",
                                       .memory = cpb->memory },
                           .cpb    = cpb,
                           .index  = index,
                           .file   = *file,
                           .frame  = *frame };
    tn_arena_init(&late->source.pins, cpb->memory);
    tn_list_init(&late->goals, cpb->memory, sizeof(struct goal));
    late->file.in_memory = MOST_IN_MEMORY;
    return late;
}

static void drop_last(struct tn_cpb *cpb)
{
    tn_source_close(&late_at(cpb, cpb->late.count - 1)->source);
    cpb->late.count--;
}

/* Where its bytes are: in the file, or in a source of its own. */
static bool find_record(struct late *late, struct tn_error *error)
{
    struct tn_span own = { &late->source, 0, late->source.size };

    if (tn_riegeli_chunk_trust(&late->trusted, &late->file, &late->frame,
                               error) != TN_OK)
        return false;
    late->record = own;
    if (tn_riegeli_chunk_packing(late->trusted) != TN_RIEGELI_NONE)
        return true;
    return tn_cpb_record(late->cpb, late->trusted, 0, &late->record, error) ==
           TN_OK;
}

bool tn_cpb_late(struct tn_cpb *cpb, uint64_t index, struct tn_riegeli *file,
                 struct tn_span *record)
{
    const struct tn_chunk_info *info  = &cpb->meta.chunks[index];
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_riegeli_frame     frame;

    if (cpb->store.known[index].is_unseen) {
        *record = late_at(cpb, cpb->store.known[index].late)->record;
        return true;
    }
    if (tn_riegeli_frame_find(file, tn_chunk_position(info), &frame, &error) !=
            TN_OK ||
        !can_wait(&frame, info))
        return false;
    struct late *late = new_late(cpb, index, file, &frame, &error);
    if (!late)
        return false;
    if (!find_record(late, &error)) {
        drop_last(cpb);
        return false;
    }
    *record = late->record;
    cpb->store.known[index] =
        (struct tn_chunk_known){ .is_unseen = true,
                                 .late      = cpb->late.count - 1 };
    return true;
}

void tn_cpb_late_close(struct tn_cpb *cpb)
{
    for (uint64_t i = 0; i < cpb->late.count; i++)
        tn_source_close(&late_at(cpb, i)->source);
    tn_list_done(&cpb->late);
}

/* ---- verified while it is written ---------------------------------------- */

/* A sink for the bytes of one chunk: looks at them, and places them. */
struct passing {
    struct tn_sink       sink; /* first */
    struct late         *late;
    struct tn_sink      *to;
    uint64_t             at; /* in the record                                 */
    uint64_t             goal;
    bool                 is_message;
    struct tn_wire_watch watch;
};

static enum tn_status place_some(struct passing *passing, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    const struct tn_list *goals = &passing->late->goals;
    uint64_t              begin = passing->at, end = begin + bytes.size;

    while (passing->goal < goals->count) {
        const struct goal *goal = tn_list_at(goals, struct goal, passing->goal);
        uint64_t           from = tn_max(goal->from, begin);
        uint64_t           to   = tn_min(goal->from + goal->length, end);
        if (from < to)
            TN_TRY(tn_sink_fill(
                passing->to, goal->to + (from - goal->from),
                tn_bytes(bytes.data + (from - begin), (size_t)(to - from)),
                error));
        if (goal->from + goal->length > end)
            return TN_OK;
        passing->goal++;
    }
    return TN_OK;
}

static enum tn_status pass_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    struct passing *passing = (struct passing *)sink;

    if (passing->is_message)
        tn_wire_watch_see(&passing->watch, bytes);
    if (!passing->late->is_tangled)
        TN_TRY(place_some(passing, bytes, error));
    passing->at += bytes.size;
    return TN_OK;
}

static const struct tn_sink_ops pass_ops = { .write = pass_write };

static enum tn_status pass_late(struct late *late, struct tn_sink *to,
                                struct tn_error *error)
{
    const struct tn_chunk_known *known   = &late->cpb->store.known[late->index];
    struct passing               passing = { .sink       = { .ops = &pass_ops },
                                             .late       = late,
                                             .to         = to,
                                             .is_message = known->must_be_whole };

    /* Windows fall on pages of the target. */
    if (late->goals.count)
        passing.sink.offset = tn_list_at(&late->goals, struct goal, 0)->to;
    tn_wire_watch_init(&passing.watch);
    TN_TRY(tn_riegeli_chunk_pass(late->trusted, &late->file, &passing.sink,
                                 error));
    if (passing.at == late->source.size &&
        (!passing.is_message || tn_wire_watch_is_whole(&passing.watch)))
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, late->frame.begin,
                        "a chunk that may not be whole fields");
}

/* ---- all of it ---------------------------------------------------------- */

struct stream {
    struct tn_cpb        *cpb;
    const struct tn_rope *message;
    struct tn_sink       *to;
};

static const struct tn_piece *piece_at(const struct stream *stream, uint64_t i)
{
    return tn_list_at(&stream->message->pieces, struct tn_piece, i);
}

/* The packed chunk that a piece is in, or NULL. */
static struct late *late_of(const struct tn_piece *piece)
{
    return piece->kind == TN_PIECE_SPAN &&
                   piece->at.span.source->ops == &late_ops
               ? (struct late *)piece->at.span.source
               : NULL;
}

/* A chunk whose bytes are used once, and in the order in which they are
 * unpacked, is placed; any other is read. */
static void note_goal(struct late *late, const struct tn_piece *piece,
                      uint64_t to, struct tn_error *error)
{
    struct goal goal = { piece->at.span.offset, piece->length, to };

    if (late->goals.count) {
        const struct goal *last =
            tn_list_at(&late->goals, struct goal, late->goals.count - 1);
        late->is_tangled |= last->from + last->length > goal.from;
    }
    struct goal *slot = tn_list_push(&late->goals, struct goal, error);
    if (slot)
        *slot = goal;
}

static enum tn_status note_goals(const struct stream *stream,
                                 struct tn_error     *error)
{
    uint64_t at = stream->to->offset;

    for (uint64_t i = 0; i < stream->message->pieces.count; i++) {
        const struct tn_piece *piece = piece_at(stream, i);
        struct late           *late  = late_of(piece);
        if (late)
            note_goal(late, piece, at, error);
        if (late && !tn_sink_can_fill(stream->to))
            late->is_tangled = true;
        at += piece->length;
    }
    return error->status;
}

static bool is_without_holes(const struct tn_piece *piece)
{
    return piece->kind == TN_PIECE_SPAN && !piece->at.span.source->extent;
}

/* Writes in order what is not placed, and leaves gaps for what is. Space is
 * reserved at once, because the file system would otherwise allocate block by
 * block. */
static enum tn_status write_others(const struct stream *stream,
                                   struct tn_error     *error)
{
    for (uint64_t i = 0; i < stream->message->pieces.count; i++) {
        const struct tn_piece *piece = piece_at(stream, i);
        const struct late     *late  = late_of(piece);
        if (late && !late->is_tangled) {
            TN_TRY(tn_sink_expect(stream->to, piece->length, error));
            TN_TRY(tn_sink_gap(stream->to, piece->length, error));
        } else {
            if (is_without_holes(piece))
                TN_TRY(tn_sink_expect(stream->to, piece->length, error));
            TN_TRY(tn_piece_write(piece, stream->to, error));
        }
    }
    return TN_OK;
}

static enum tn_status stream_job(void *context, uint64_t index,
                                 struct tn_error *error)
{
    const struct stream *stream = context;

    if (index == 0)
        return write_others(stream, error);
    return pass_late(late_at(stream->cpb, index - 1), stream->to, error);
}

enum tn_status tn_cpb_stream(struct tn_cpb *cpb, const struct tn_rope *message,
                             unsigned workers, struct tn_sink *to,
                             struct tn_error *error)
{
    struct stream stream = { cpb, message, to };

    TN_TRY(note_goals(&stream, error));
    if (tn_sink_can_fill(to)) /* it is open from now on */
        TN_TRY(tn_sink_gap(to, 0, error));
    return tn_workers_run(workers, cpb->late.count + 1, stream_job, &stream,
                          error);
}
