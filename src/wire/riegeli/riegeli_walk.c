/* riegeli_walk.c - reading records: one by one, by position, and past damage */
#include "base/block_cache.h"
#include "base/cursor.h"
#include "base/expand.h"
#include "base/sink.h"
#include "codec/highwayhash.h"
#include "io/pipeline.h"
#include "wire/riegeli/riegeli.h"
#include "wire/riegeli/riegeli_layout.h"
#include "wire/riegeli/riegeli_transposed.h"

struct tn_riegeli_block {
    uint64_t previous; /* from the begin of the interrupted chunk to here    */
    uint64_t next;     /* from here to its end                               */
};

static enum tn_status frame_pass(const struct tn_riegeli       *file,
                                 const struct tn_riegeli_frame *frame,
                                 struct tn_sink                *to,
                                 struct tn_riegeli_fault       *fault,
                                 struct tn_error               *error);

/* ---- chunk headers, block headers, hashes; finding chunks --------------- */

/* Checks everything that a reader relies on before it looks into a chunk. */

#define WINDOW 32768

const uint64_t tn_riegeli_key[4] = { UINT64_C(0x2f696c6567656952),
                                     UINT64_C(0x0a7364726f636572),
                                     UINT64_C(0x2f696c6567656952),
                                     UINT64_C(0x0a7364726f636572) };

const uint8_t tn_riegeli_signature[TN_RIEGELI_SIGNATURE_SIZE] = {
    0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x91, 0xba, 0xc2, 0x3c, 0x92, 0x87,
    0xe1, 0xa9, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0xe1, 0x9f, 0x13, 0xc0, 0xe9, 0xb1, 0xc3, 0x72, 0x73,
};

/* ---- complaints --------------------------------------------------------- */

/* Each sets the place where a reader that skips damage continues. */
static enum tn_status lost(struct tn_riegeli_fault *fault, uint64_t resume,
                           enum tn_status status)
{
    if (fault)
        *fault = (struct tn_riegeli_fault){ resume, true };
    return status;
}

static enum tn_status go_on(struct tn_riegeli_fault *fault, uint64_t resume,
                            enum tn_status status)
{
    if (fault)
        *fault = (struct tn_riegeli_fault){ resume, false };
    return status;
}

static enum tn_status cut_off(const struct tn_riegeli *file, uint64_t begin,
                              struct tn_riegeli_fault *fault,
                              struct tn_error         *error)
{
    tn_error_set(error, TN_TRUNCATED, file->source->size,
                 "the file ends in the chunk at %" PRIu64, begin);
    return go_on(fault, file->source->size, error->status);
}

/* ---- blocks ------------------------------------------------------------- */

/* The block header at `at`, a multiple of the block size; the hash verified. */
static enum tn_status block_read(const struct tn_riegeli *file, uint64_t at,
                                 struct tn_riegeli_block *block,
                                 struct tn_riegeli_fault *fault,
                                 struct tn_error         *error)
{
    uint8_t bytes[TN_RIEGELI_BLOCK_HEADER] = { 0 };

    if (!tn_inside(at, sizeof bytes, file->source->size))
        return cut_off(file, at, fault, error);
    TN_TRY(tn_source_read(file->source, at, bytes, sizeof bytes, error));
    *block = (struct tn_riegeli_block){ tn_load64(bytes + 8),
                                        tn_load64(bytes + 16) };
    if (tn_load64(bytes) ==
        tn_highwayhash64(tn_riegeli_key, tn_bytes(bytes + 8, 16)))
        return TN_OK;
    tn_error_set(error, TN_MALFORMED, at, "the hash of a block header");
    return lost(fault, at + sizeof bytes, error->status);
}

/* A block in the chunk at `begin`; with `end` 0 that is not known yet. */
static enum tn_status check_block(const struct tn_riegeli *file, uint64_t at,
                                  uint64_t begin, uint64_t end,
                                  struct tn_riegeli_block *block,
                                  struct tn_riegeli_fault *fault,
                                  struct tn_error         *error)
{
    TN_TRY(block_read(file, at, block, fault, error));
    if (block->previous != at - begin) {
        tn_error_set(error, TN_MALFORMED, at + 8,
                     "a block says its chunk began %" PRIu64
                     " bytes before, that is %" PRIu64,
                     block->previous, at - begin);
        if (block->next <= TN_RIEGELI_BLOCK &&
            tn_riegeli_is_boundary(at + block->next) &&
            at + block->next > begin)
            return go_on(fault, at + block->next, error->status);
        return lost(fault, at + TN_RIEGELI_BLOCK_HEADER, error->status);
    }
    if (end && block->next != end - at) {
        tn_error_set(error, TN_MALFORMED, at + 16,
                     "a block says its chunk ends after %" PRIu64
                     " bytes, that is %" PRIu64,
                     block->next, end - at);
        return lost(fault, at + TN_RIEGELI_BLOCK_HEADER, error->status);
    }
    return TN_OK;
}

/* ---- chunk headers ------------------------------------------------------ */

/* The 40 bytes, without the block header in their midst; where that is goes
 * to *block_at (TN_NOWHERE: none), where they end to *at. */
static enum tn_status gather_header(const struct tn_riegeli *file,
                                    uint64_t begin, uint8_t *bytes,
                                    uint64_t *at, uint64_t *block_at,
                                    struct tn_riegeli_block *block,
                                    struct tn_riegeli_fault *fault,
                                    struct tn_error         *error)
{
    size_t got = 0;

    *at       = begin;
    *block_at = TN_NOWHERE;
    while (got < TN_RIEGELI_CHUNK_HEADER) {
        if (*at % TN_RIEGELI_BLOCK == 0) {
            *block_at = *at;
            TN_TRY(check_block(file, *at, begin, 0, block, fault, error));
            *at += TN_RIEGELI_BLOCK_HEADER;
        }
        size_t size = (size_t)tn_min(TN_RIEGELI_CHUNK_HEADER - got,
                                     tn_riegeli_to_block(*at));
        if (!tn_inside(*at, size, file->source->size))
            return cut_off(file, begin, fault, error);
        TN_TRY(tn_source_read(file->source, *at, bytes + got, size, error));
        got += size;
        *at += size;
    }
    return TN_OK;
}

static bool is_signature(const struct tn_riegeli_frame *frame)
{
    return frame->type == TN_RIEGELI_SIGNATURE && frame->data_size == 0 &&
           frame->record_count == 0 && frame->decoded_size == 0;
}

/* What the header says must be possible in this file. */
static enum tn_status check_header(const struct tn_riegeli *file,
                                   struct tn_riegeli_frame *frame, uint64_t at,
                                   struct tn_riegeli_fault *fault,
                                   struct tn_error         *error)
{
    bool must_sign = frame->begin == 0 || frame->type == TN_RIEGELI_SIGNATURE;

    if (must_sign && !is_signature(frame)) {
        tn_error_set(error, TN_MALFORMED, frame->begin,
                     frame->begin ? "a signature that holds something"
                                  : "the file signature is missing");
        return lost(fault, at, error->status);
    }
    if (!tn_riegeli_end(frame->begin, frame->data_size, frame->record_count,
                        &frame->end) ||
        frame->end > file->source->size)
        return cut_off(file, frame->begin, fault, error);
    return TN_OK;
}

enum tn_status tn_riegeli_frame_read(const struct tn_riegeli *file,
                                     uint64_t                 begin,
                                     struct tn_riegeli_frame *frame,
                                     struct tn_riegeli_fault *fault,
                                     struct tn_error         *error)
{
    uint8_t                 bytes[TN_RIEGELI_CHUNK_HEADER] = { 0 };
    uint64_t                at, block_at;
    struct tn_riegeli_block block = { 0, 0 };

    *frame = (struct tn_riegeli_frame){ .begin = begin };
    if (!tn_riegeli_is_boundary(begin)) {
        tn_error_set(error, TN_MALFORMED, begin, "no chunk can begin here");
        return lost(fault, begin, error->status);
    }
    TN_TRY(gather_header(file, begin, bytes, &at, &block_at, &block, fault,
                         error));
    if (tn_load64(bytes) !=
        tn_highwayhash64(tn_riegeli_key, tn_bytes(bytes + 8, 32))) {
        tn_error_set(error, TN_MALFORMED, begin, "the hash of a chunk header");
        return lost(fault, at, error->status);
    }
    frame->data_size    = tn_load64(bytes + 8);
    frame->data_hash    = tn_load64(bytes + 16);
    frame->type         = bytes[24];
    frame->record_count = tn_load64(bytes + 24) >> 8;
    frame->decoded_size = tn_load64(bytes + 32);
    TN_TRY(check_header(file, frame, at, fault, error));
    if (block_at == TN_NOWHERE || block.next == frame->end - block_at)
        return TN_OK;
    tn_error_set(error, TN_MALFORMED, block_at + 16,
                 "a block says its chunk ends after %" PRIu64
                 " bytes, that is %" PRIu64,
                 block.next, frame->end - block_at);
    return lost(fault, at, error->status);
}

/* ---- all of a chunk ----------------------------------------------------- */

/* Walks a run of the file in windows, or in one when it is mapped.  Holes are
 * zeros without being read. */
struct run {
    const struct tn_riegeli *file;
    uint64_t                 at, left;
    uint64_t                 known; /* up to here all is data, or all a hole  */
    bool                     is_hole;
    uint8_t                  window[WINDOW];
};

static uint8_t zeros[WINDOW]; /* not const: takes no room in a file */

/* Up to where the run is of the same kind as here. */
static uint64_t alike(struct run *run)
{
    struct tn_source *source = run->file->source;

    if (!source->extent)
        return run->left;
    if (run->at >= run->known)
        run->known =
            run->at + source->extent(source, run->at, source->size - run->at,
                                     &run->is_hole);
    return tn_min(run->left, run->known - run->at);
}

static enum tn_status next_window(struct run *run, struct tn_bytes *bytes,
                                  struct tn_error *error)
{
    const uint8_t *map     = run->file->source->map;
    uint64_t       left    = alike(run);
    bool           is_read = !run->is_hole && !map;
    size_t size = (size_t)(run->is_hole || !map ? tn_min(left, WINDOW) : left);

    *bytes = tn_bytes(run->is_hole ? zeros
                      : map        ? map + run->at
                                   : run->window,
                      size);
    if (is_read)
        TN_TRY(tn_source_read(run->file->source, run->at, run->window, size,
                              error));
    run->at += size;
    run->left -= size;
    return TN_OK;
}

/* The data is passed on while it is still in the processor's cache. */
static enum tn_status hash_run(struct run *run, struct tn_highwayhash *hash,
                               struct tn_sink *to, struct tn_error *error)
{
    struct tn_bytes bytes;

    while (run->left) {
        TN_TRY(next_window(run, &bytes, error));
        tn_highwayhash_add(hash, bytes);
        if (to)
            TN_TRY(tn_sink_write(to, bytes, error));
    }
    return TN_OK;
}

static enum tn_status expect_zeros(struct run *run, struct tn_error *error)
{
    struct tn_bytes bytes;

    while (run->left) {
        uint64_t at = run->at;
        TN_TRY(next_window(run, &bytes, error));
        for (size_t i = 0; i < bytes.size; i++)
            if (bytes.data[i])
                return tn_error_set(error, TN_MALFORMED, at + i,
                                    "byte %02x behind the data of a chunk",
                                    bytes.data[i]);
    }
    return TN_OK;
}

static enum tn_status check_hash(const struct tn_riegeli_frame *frame,
                                 struct tn_highwayhash         *hash,
                                 struct tn_error               *error)
{
    uint64_t found = tn_highwayhash_finish(hash);

    if (found == frame->data_hash)
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, frame->begin,
                        "the data of a chunk has hash %016" PRIx64
                        ", its header says %016" PRIx64,
                        found, frame->data_hash);
}

enum tn_status tn_riegeli_frame_check(const struct tn_riegeli       *file,
                                      const struct tn_riegeli_frame *frame,
                                      struct tn_riegeli_fault       *fault,
                                      struct tn_error               *error)
{
    return frame_pass(file, frame, NULL, fault, error);
}

/* tn_riegeli_frame_check, and all data on the way to `to` (NULL: nowhere). */
static enum tn_status frame_pass(const struct tn_riegeli       *file,
                                 const struct tn_riegeli_frame *frame,
                                 struct tn_sink                *to,
                                 struct tn_riegeli_fault       *fault,
                                 struct tn_error               *error)
{
    struct tn_riegeli_block block;
    struct tn_highwayhash   hash;
    struct run              run;
    uint64_t                data = frame->data_size, at = frame->begin;

    (void)tn_riegeli_after(frame->begin, TN_RIEGELI_CHUNK_HEADER, &at);
    tn_highwayhash_init(&hash, tn_riegeli_key);
    run.file    = file;
    run.known   = 0;
    run.is_hole = false;
    (void)go_on(fault, frame->end, TN_OK);
    while (at < frame->end) {
        if (at % TN_RIEGELI_BLOCK == 0) {
            TN_TRY(check_block(file, at, frame->begin, frame->end, &block,
                               fault, error));
            at += TN_RIEGELI_BLOCK_HEADER;
        }
        run.at = at;
        run.left =
            tn_min(tn_riegeli_to_block(at), data ? data : frame->end - at);
        at += run.left;
        uint64_t length = run.left;
        TN_TRY(data ? hash_run(&run, &hash, to, error)
                    : expect_zeros(&run, error));
        data -= data ? length : 0;
    }
    return check_hash(frame, &hash, error);
}

/* ---- the file ----------------------------------------------------------- */

enum tn_status tn_riegeli_open(struct tn_riegeli *file,
                               struct tn_source  *source,
                               struct tn_memory *memory, struct tn_error *error)
{
    struct tn_riegeli_frame frame;

    *file = (struct tn_riegeli){ .source    = source,
                                 .memory    = memory,
                                 .limit     = tn_expand_most(0, source->size),
                                 .in_memory = UINT64_C(32) << 20 };
    if (tn_riegeli_frame_read(file, 0, &frame, NULL, error) == TN_OK)
        tn_riegeli_frame_check(file, &frame, NULL, error);
    tn_error_file(error, source->name);
    return error->status;
}

/* ---- finding ------------------------------------------------------------ */

/* Where a chunk begins, at or before `at`: by the block before it. */
static enum tn_status chunk_before(const struct tn_riegeli *file, uint64_t at,
                                   uint64_t *begin, struct tn_error *error)
{
    uint64_t                boundary = at - at % TN_RIEGELI_BLOCK;
    struct tn_riegeli_block block    = { 0, 0 };

    TN_TRY(block_read(file, boundary, &block, NULL, error));
    *begin = boundary;
    if (block.previous == 0)
        return TN_OK;
    if (block.next <= at - boundary)
        *begin = boundary + block.next;
    else if (block.previous <= boundary)
        *begin = boundary - block.previous;
    if (tn_riegeli_is_boundary(*begin) && *begin != boundary)
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, boundary + 8,
                        "a block says its chunk is from -%" PRIu64
                        " to +%" PRIu64,
                        block.previous, block.next);
}

/* The chunk that a block sent us to must reach over that block; otherwise a
 * walk could be as long as the file. */
static enum tn_status check_reach(const struct tn_riegeli_frame *frame,
                                  uint64_t at, struct tn_error *error)
{
    uint64_t boundary = at - at % TN_RIEGELI_BLOCK;

    if (frame->begin >= boundary || frame->end > boundary)
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, boundary + 8,
                        "a block says it is in the chunk at %" PRIu64
                        ", which ends at %" PRIu64,
                        frame->begin, frame->end);
}

static enum tn_status find(const struct tn_riegeli *file, uint64_t position,
                           struct tn_riegeli_frame *frame,
                           struct tn_error         *error)
{
    uint64_t size  = file->source->size;
    uint64_t begin = size;

    *frame = (struct tn_riegeli_frame){ .begin = size, .end = size };
    if (position > size)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "position %" PRIu64 " in a file of %" PRIu64
                            " bytes",
                            position, size);
    if (position < size)
        TN_TRY(chunk_before(file, position, &begin, error));
    while (begin < size) {
        TN_TRY(tn_riegeli_frame_read(file, begin, frame, NULL, error));
        TN_TRY(check_reach(frame, position, error));
        if (frame->begin >= position ||
            frame->record_count > position - frame->begin)
            return TN_OK;
        begin = frame->end;
    }
    *frame = (struct tn_riegeli_frame){ .begin = size, .end = size };
    return TN_OK;
}

enum tn_status tn_riegeli_frame_find(const struct tn_riegeli *file,
                                     uint64_t                 position,
                                     struct tn_riegeli_frame *frame,
                                     struct tn_error         *error)
{
    find(file, position, frame, error);
    tn_error_file(error, file->source->name);
    return error->status;
}

/* The last chunk with records of those between *limit and a chunk at most a
 * block before it, which becomes the new limit. */
static enum tn_status last_in_reach(const struct tn_riegeli *file,
                                    uint64_t                *limit,
                                    struct tn_riegeli_frame *last,
                                    struct tn_error         *error)
{
    struct tn_riegeli_frame frame = { 0 };
    uint64_t                begin, start;

    TN_TRY(chunk_before(file, *limit - 1, &begin, error));
    start = begin;
    while (begin < *limit) {
        TN_TRY(tn_riegeli_frame_read(file, begin, &frame, NULL, error));
        TN_TRY(check_reach(&frame, *limit - 1, error));
        if (frame.record_count)
            *last = frame;
        begin = frame.end;
    }
    if (begin != *limit)
        return tn_error_set(error, TN_MALFORMED, *limit,
                            "the chunk at %" PRIu64
                            " should end here, but ends at %" PRIu64,
                            frame.begin, frame.end);
    *limit = start;
    return TN_OK;
}

bool tn_riegeli_frame_last(const struct tn_riegeli *file,
                           struct tn_riegeli_frame *frame,
                           struct tn_error         *error)
{
    uint64_t limit = file->source->size;

    *frame = (struct tn_riegeli_frame){ 0 };
    while (limit && !frame->record_count && !tn_failed(error))
        last_in_reach(file, &limit, frame, error);
    tn_error_file(error, file->source->name);
    return !tn_failed(error) && frame->record_count;
}

/* ---- chunks unpacked: where each record lies ---------------------------- */

/* The data of a chunk without the block headers in it: a source over a source.
 * It is mapped when no block header falls into it. */
struct data_source {
    struct tn_source  source; /* first */
    struct tn_source *file;
    uint64_t          begin; /* of the chunk                                  */
};

struct tn_riegeli_chunk {
    struct tn_memory        *memory;
    struct tn_riegeli_frame  frame;
    struct data_source       data;
    struct tn_buffer         plain;   /* values, unpacked into memory         */
    struct tn_riegeli_joined joined;  /* or by transposition                  */
    struct tn_source         loaded;  /* over one of those                    */
    struct tn_source        *spooled; /* or unpacked into a file              */
    struct tn_source        *values;  /* whichever it is                      */
    uint64_t                 base;    /* of the first record in there         */
    struct tn_list           ends;    /* uint64_t: of each record, from base  */
    struct tn_error          error;   /* of `plain`                           */
    bool measures; /* the records themselves stay packed                      */
    bool trusts;   /* and those that are not packed can be read               */
    uint8_t        type;   /* of compression, of a simple chunk               */
    struct tn_span packed; /* the records, as they are in `data`              */
};

/* ---- data as a source --------------------------------------------------- */

static uint64_t place_of(const struct data_source *data, uint64_t offset)
{
    return tn_riegeli_place(data->begin, TN_RIEGELI_CHUNK_HEADER + offset);
}

static enum tn_status data_read_at(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size,
                                   struct tn_error *error)
{
    struct data_source *data = (struct data_source *)source;
    uint8_t            *at   = to;

    while (size) {
        uint64_t place = place_of(data, offset);
        size_t   part  = (size_t)tn_min(size, tn_riegeli_to_block(place));
        TN_TRY(tn_source_read(data->file, place, at, part, error));
        at += part;
        offset += part;
        size -= part;
    }
    return TN_OK;
}

static void data_close(struct tn_source *source)
{
    (void)source;
}

/* Holes of the file are holes of the data. */
static uint64_t data_run(struct tn_source *source, uint64_t offset,
                         uint64_t length, bool *is_hole)
{
    struct data_source *data  = (struct data_source *)source;
    uint64_t            place = place_of(data, offset);
    uint64_t            part  = tn_min(length, tn_riegeli_to_block(place));
    uint64_t            rest  = data->file->size - place;

    return tn_min(part, data->file->extent(data->file, place, rest, is_hole));
}

static const uint8_t *data_look(struct tn_source *source, uint64_t offset,
                                uint64_t *got)
{
    struct data_source *data  = (struct data_source *)source;
    uint64_t            place = place_of(data, offset);
    uint64_t most = tn_min(source->size - offset, tn_riegeli_to_block(place));
    const uint8_t *bytes = tn_source_look(data->file, place, got);

    *got = tn_min(*got, most);
    return bytes;
}

static const struct tn_source_ops data_ops = { data_read_at, data_close };

static void data_init(struct data_source *data, const struct tn_riegeli *file,
                      const struct tn_riegeli_frame *frame)
{
    *data = (struct data_source){
        .source = { .ops    = &data_ops,
                    .size   = frame->data_size,
                    .name   = file->source->name,
                    .memory = file->memory,
                    .extent = file->source->extent ? data_run : NULL,
                    .look   = data_look },
        .file   = file->source,
        .begin  = frame->begin,
    };
    tn_arena_init(&data->source.pins, file->memory);
    uint64_t place = place_of(data, 0);
    if (file->source->map && frame->data_size <= tn_riegeli_to_block(place))
        data->source.map =
            file->source->map + tn_min(place, file->source->size);
}

/* ---- simple chunks ------------------------------------------------------ */

/* The sizes of the records, as where each ends. */
static enum tn_status read_ends(struct tn_riegeli_chunk *chunk,
                                struct tn_bytes sizes, uint64_t offset,
                                struct tn_error *error)
{
    struct tn_cursor c   = tn_cursor_bytes(sizes, offset, error);
    uint64_t         sum = 0, count = chunk->frame.record_count;

    if (count > sizes.size)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "%" PRIu64 " records, but sizes of %zu bytes",
                            count, sizes.size);
    uint64_t *ends = count ? tn_list_grow(&chunk->ends, count, error) : NULL;
    for (uint64_t i = 0; i < count && !tn_failed(error); i++) {
        uint64_t at   = c.offset;
        uint64_t size = tn_varint(&c);
        if (size > chunk->frame.decoded_size - sum)
            tn_fail_at(&c, at, TN_MALFORMED,
                       "record %" PRIu64 " has %" PRIu64 " bytes, %" PRIu64
                       " are left",
                       i, size, chunk->frame.decoded_size - sum);
        if (ends && !tn_failed(error))
            ends[i] = sum += size;
    }
    if (!tn_failed(error) && (tn_more(&c) || sum != chunk->frame.decoded_size))
        tn_fail(&c, TN_MALFORMED,
                "the sizes of %" PRIu64 " records are %" PRIu64
                " bytes together, the chunk says %" PRIu64,
                count, sum, chunk->frame.decoded_size);
    return error->status;
}

static enum tn_status load_sizes(struct tn_riegeli_chunk    *chunk,
                                 enum tn_riegeli_compression type,
                                 struct tn_span packed, struct tn_error *error)
{
    struct tn_buffer sizes;
    uint64_t         most;

    if (!tn_mul(chunk->frame.record_count, 10, &most))
        most = UINT64_MAX;
    tn_buffer_init(&sizes, chunk->memory, error);
    if (tn_riegeli_unpack(type, packed, most, &sizes, error) == TN_OK &&
        read_ends(chunk, tn_buffer_bytes(&sizes), packed.offset, error) !=
            TN_OK &&
        type != TN_RIEGELI_NONE && error->offset != TN_NOWHERE)
        error->offset = packed.offset; /* inside, offsets mean nothing */
    tn_buffer_done(&sizes);
    return error->status;
}

static void use_memory(struct tn_riegeli_chunk *chunk, struct tn_bytes bytes)
{
    tn_source_memory(&chunk->loaded, chunk->memory, bytes);
    chunk->loaded.name = chunk->data.source.name;
    chunk->values      = &chunk->loaded;
}

static enum tn_status check_limit(const struct tn_riegeli       *file,
                                  const struct tn_riegeli_frame *frame,
                                  struct tn_error               *error)
{
    if (frame->decoded_size <= file->limit)
        return TN_OK;
    return tn_expand_refuse(frame->decoded_size, file->limit, 0, error);
}

static enum tn_status load_values(struct tn_riegeli_chunk    *chunk,
                                  const struct tn_riegeli    *file,
                                  enum tn_riegeli_compression type,
                                  struct tn_span packed, struct tn_error *error)
{
    uint64_t size = chunk->frame.decoded_size;

    TN_TRY(check_limit(file, &chunk->frame, error));
    if (size > file->in_memory && type != TN_RIEGELI_SNAPPY) {
        TN_TRY(tn_riegeli_unpack_spooled(type, packed, size, chunk->memory,
                                         &chunk->spooled, error));
        chunk->values = chunk->spooled;
    } else {
        chunk->plain.error = error;
        tn_riegeli_unpack(type, packed, size, &chunk->plain, error);
        chunk->plain.error = &chunk->error;
        use_memory(chunk, tn_buffer_bytes(&chunk->plain));
    }
    if (!tn_failed(error) && chunk->values->size != size)
        tn_error_set(error, TN_MALFORMED, packed.offset,
                     "records of %" PRIu64 " bytes, but %" PRIu64
                     " in the chunk's header",
                     chunk->values->size, size);
    return error->status;
}

static enum tn_status load_simple(struct tn_riegeli_chunk *chunk,
                                  const struct tn_riegeli *file,
                                  struct tn_error         *error)
{
    struct tn_span   all  = { &chunk->data.source, 0, chunk->frame.data_size };
    struct tn_cursor c    = tn_cursor_span(all, error);
    uint8_t          type = tn_u8(&c);

    if (!tn_failed(error))
        tn_riegeli_check_compression(type, 0, error);
    struct tn_span sizes  = tn_span(&c, tn_varint(&c));
    struct tn_span values = tn_span(&c, tn_left(&c));
    if (tn_failed(error) || load_sizes(chunk, type, sizes, error) != TN_OK ||
        chunk->measures)
        return error->status;
    chunk->type   = type;
    chunk->packed = values;
    if (type != TN_RIEGELI_NONE)
        return chunk->trusts ? TN_OK
                             : load_values(chunk, file, type, values, error);
    chunk->values = &chunk->data.source;
    chunk->base   = values.offset;
    if (values.length != chunk->frame.decoded_size)
        return tn_error_set(error, TN_MALFORMED, values.offset,
                            "records of %" PRIu64 " bytes, but %" PRIu64
                            " in the chunk's header",
                            values.length, chunk->frame.decoded_size);
    return TN_OK;
}

/* ---- the others --------------------------------------------------------- */

static enum tn_status load_transposed(struct tn_riegeli_chunk *chunk,
                                      const struct tn_riegeli *file,
                                      uint64_t count, struct tn_error *error)
{
    struct tn_span all  = { &chunk->data.source, 0, chunk->frame.data_size };
    uint64_t       size = chunk->frame.decoded_size;

    TN_TRY(check_limit(file, &chunk->frame, error));
    TN_TRY(tn_riegeli_transposed_read(all, count, size, chunk->memory,
                                      &chunk->joined, &chunk->ends, error));
    use_memory(chunk,
               size ? tn_bytes(chunk->joined.data + (chunk->joined.room - size),
                               (size_t)size)
                    : tn_bytes(NULL, 0));
    return TN_OK;
}

static enum tn_status expect_no_records(const struct tn_riegeli_frame *frame,
                                        struct tn_error               *error)
{
    bool is_known = frame->type == TN_RIEGELI_SIGNATURE ||
                    frame->type == TN_RIEGELI_METADATA ||
                    frame->type == TN_RIEGELI_PADDING;

    if (frame->record_count == 0 &&
        (frame->type != TN_RIEGELI_PADDING || frame->decoded_size == 0))
        return TN_OK;
    return tn_error_set(error, is_known ? TN_MALFORMED : TN_UNSUPPORTED,
                        TN_NOWHERE,
                        "a chunk of type %02x with %" PRIu64 " records",
                        frame->type, frame->record_count);
}

static enum tn_status load(struct tn_riegeli_chunk *chunk,
                           const struct tn_riegeli *file,
                           struct tn_error         *error)
{
    const struct tn_riegeli_frame *frame = &chunk->frame;

    switch (frame->type) {
    case TN_RIEGELI_SIMPLE: return load_simple(chunk, file, error);
    case TN_RIEGELI_TRANSPOSED:
        return load_transposed(chunk, file, frame->record_count, error);
    case TN_RIEGELI_METADATA:
        TN_TRY(expect_no_records(frame, error));
        return load_transposed(chunk, file, 1, error);
    default: return expect_no_records(frame, error);
    }
}

/* Offsets of errors in the data are places in the file. */
static void settle(const struct tn_riegeli_chunk *chunk, struct tn_error *error)
{
    uint64_t at = tn_min(error->offset, chunk->frame.data_size);

    tn_error_file(error, chunk->data.source.name);
    if (error->offset != TN_NOWHERE)
        error->offset =
            tn_min(place_of(&chunk->data, at), chunk->data.file->size);
    else if (error->status == TN_MALFORMED || error->status == TN_UNSUPPORTED)
        error->offset = chunk->frame.begin;
    /* The chunk is complete and its hash is right, so its writer made the
     * mistake. */
    if (error->status == TN_TRUNCATED)
        error->status = TN_MALFORMED;
}

/* How much of a chunk is examined. */
enum looking { ALL_OF_IT, ITS_SIZES, ITS_PLACES };

static enum tn_status open_chunk(struct tn_riegeli_chunk      **out,
                                 const struct tn_riegeli       *file,
                                 const struct tn_riegeli_frame *frame,
                                 enum looking looking, struct tn_error *error)
{
    struct tn_riegeli_chunk *chunk =
        tn_memory_resize(file->memory, NULL, 0, sizeof *chunk, error);

    *out = NULL;
    if (!chunk)
        return error->status;
    *chunk = (struct tn_riegeli_chunk){ .memory   = file->memory,
                                        .frame    = *frame,
                                        .measures = looking == ITS_SIZES,
                                        .trusts   = looking == ITS_PLACES,
                                        .error    = TN_ERROR_INIT };
    data_init(&chunk->data, file, frame);
    tn_buffer_init(&chunk->plain, file->memory, &chunk->error);
    tn_list_init(&chunk->ends, file->memory, sizeof(uint64_t));
    if (load(chunk, file, error) == TN_OK) {
        *out = chunk;
        return TN_OK;
    }
    settle(chunk, error);
    tn_riegeli_chunk_close(chunk);
    return error->status;
}

enum tn_status tn_riegeli_chunk_open(struct tn_riegeli_chunk      **out,
                                     const struct tn_riegeli       *file,
                                     const struct tn_riegeli_frame *frame,
                                     struct tn_riegeli_fault       *fault,
                                     struct tn_error               *error)
{
    *out = NULL;
    if (tn_riegeli_frame_check(file, frame, fault, error) != TN_OK) {
        tn_error_file(error, file->source->name);
        return error->status;
    }
    return open_chunk(out, file, frame, ALL_OF_IT, error);
}

enum tn_status tn_riegeli_chunk_measure(struct tn_riegeli_chunk      **out,
                                        const struct tn_riegeli       *file,
                                        const struct tn_riegeli_frame *frame,
                                        struct tn_error               *error)
{
    if (frame->type != TN_RIEGELI_SIMPLE)
        return tn_riegeli_chunk_open(out, file, frame, NULL, error);
    return open_chunk(out, file, frame, ITS_SIZES, error);
}

enum tn_status tn_riegeli_chunk_trust(struct tn_riegeli_chunk      **out,
                                      const struct tn_riegeli       *file,
                                      const struct tn_riegeli_frame *frame,
                                      struct tn_error               *error)
{
    *out = NULL;
    if (frame->type != TN_RIEGELI_SIMPLE || frame->decoded_size > file->limit)
        return tn_error_set(error, TN_UNSUPPORTED, frame->begin,
                            "a chunk of type %02x cannot be read in windows",
                            frame->type);
    return open_chunk(out, file, frame, ITS_PLACES, error);
}

/* A sink: passes on what comes after so many bytes. */
struct behind {
    struct tn_sink  sink; /* first */
    uint64_t        left;
    struct tn_sink *to;
};

static enum tn_status behind_write(struct tn_sink *sink, struct tn_bytes bytes,
                                   struct tn_error *error)
{
    struct behind *behind = (struct behind *)sink;
    size_t         skip   = (size_t)tn_min(behind->left, bytes.size);

    behind->left -= skip;
    if (skip == bytes.size)
        return TN_OK;
    return tn_sink_write(behind->to,
                         tn_bytes(bytes.data + skip, bytes.size - skip), error);
}

static const struct tn_sink_ops behind_ops = { .write = behind_write };

enum tn_status tn_riegeli_chunk_pass(const struct tn_riegeli_chunk *chunk,
                                     const struct tn_riegeli       *file,
                                     struct tn_sink *to, struct tn_error *error)
{
    bool          is_packed = chunk->type != TN_RIEGELI_NONE;
    struct behind behind    = { .sink = { .ops = &behind_ops },
                                .left = chunk->packed.offset,
                                .to   = to };

    TN_TRY(frame_pass(file, &chunk->frame, is_packed ? NULL : &behind.sink,
                      NULL, error));
    if (!is_packed)
        return TN_OK;
    return tn_riegeli_unpack_to(chunk->type, chunk->packed,
                                chunk->frame.decoded_size, chunk->memory, to,
                                error);
}

void tn_riegeli_chunk_close(struct tn_riegeli_chunk *chunk)
{
    if (!chunk)
        return;
    tn_source_close(chunk->spooled);
    if (chunk->values == &chunk->loaded)
        tn_source_close(&chunk->loaded);
    tn_source_close(&chunk->data.source);
    tn_buffer_done(&chunk->plain);
    tn_memory_free(chunk->memory, chunk->joined.data, chunk->joined.room);
    tn_list_done(&chunk->ends);
    tn_memory_free(chunk->memory, chunk, sizeof *chunk);
}

uint64_t tn_riegeli_chunk_count(const struct tn_riegeli_chunk *chunk)
{
    return chunk->ends.count;
}

uint64_t tn_riegeli_chunk_size(const struct tn_riegeli_chunk *chunk,
                               uint64_t                       index)
{
    const uint64_t *end = tn_list_at(&chunk->ends, uint64_t, index);

    return index ? end[0] - end[-1] : end[0];
}

uint8_t tn_riegeli_chunk_packing(const struct tn_riegeli_chunk *chunk)
{
    struct tn_error ignored = TN_ERROR_INIT;
    uint8_t         type    = TN_RIEGELI_NONE;

    if (chunk->frame.data_size)
        tn_source_read(
            &((struct tn_riegeli_chunk *)(uintptr_t)chunk)->data.source, 0,
            &type, 1, &ignored);
    return type;
}

struct tn_span tn_riegeli_chunk_record(const struct tn_riegeli_chunk *chunk,
                                       uint64_t                       index)
{
    uint64_t begin = 0, end = 0;

    if (index < chunk->ends.count)
        end = *tn_list_at(&chunk->ends, uint64_t, index);
    if (index > 0 && index < chunk->ends.count)
        begin = *tn_list_at(&chunk->ends, uint64_t, index - 1);
    return (struct tn_span){ chunk->values, chunk->base + begin, end - begin };
}

void tn_riegeli_chunk_spans(const struct tn_riegeli_chunk *chunk,
                            uint64_t index, struct tn_rope *to)
{
    struct tn_span span = tn_riegeli_chunk_record(chunk, index);

    if (span.source != &chunk->data.source) {
        tn_rope_span(to, span);
        return;
    }
    while (span.length && !tn_failed(to->error)) {
        uint64_t place = place_of(&chunk->data, span.offset);
        uint64_t part  = tn_min(span.length, tn_riegeli_to_block(place));
        tn_rope_span(to, (struct tn_span){ chunk->data.file, place, part });
        span.offset += part;
        span.length -= part;
    }
}

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

    /* A failure is reported when it is the chunk's turn. */
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
        block_read(file, at, &block, NULL, &ignored);
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

/* Metadata are not records. */
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
