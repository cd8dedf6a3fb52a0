/*
 * riegeli_frame.c - chunk headers, block headers, hashes; finding chunks
 *
 * Everything a reader must believe before it looks into a chunk is proven here.
 */
#include "wire/riegeli/riegeli_frame.h"

#include "base/cursor.h"
#include "base/expand.h"
#include "codec/highwayhash.h"

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

/* Each says where a reader that skips damage would go on. */
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

enum tn_status tn_riegeli_block_read(const struct tn_riegeli *file, uint64_t at,
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
    TN_TRY(tn_riegeli_block_read(file, at, block, fault, error));
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

static void parse_header(const uint8_t *bytes, struct tn_riegeli_frame *frame)
{
    frame->data_size    = tn_load64(bytes + 8);
    frame->data_hash    = tn_load64(bytes + 16);
    frame->type         = bytes[24];
    frame->record_count = tn_load64(bytes + 24) >> 8;
    frame->decoded_size = tn_load64(bytes + 32);
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
    parse_header(bytes, frame);
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

static const uint8_t zeros[WINDOW];

/* How far the run goes on like here. */
static uint64_t alike(struct run *run)
{
    struct tn_source *source = run->file->source;

    if (!source->run)
        return run->left;
    if (run->at >= run->known)
        run->known =
            run->at +
            source->run(source, run->at, source->size - run->at, &run->is_hole);
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

/* Whoever wants the data gets them while they are in the cache. */
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
    return tn_riegeli_frame_pass(file, frame, NULL, fault, error);
}

enum tn_status tn_riegeli_frame_pass(const struct tn_riegeli       *file,
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

    TN_TRY(tn_riegeli_block_read(file, boundary, &block, NULL, error));
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
