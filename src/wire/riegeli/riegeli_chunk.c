/* riegeli_chunk.c - chunks unpacked: where each record lies */
#include "base/cursor.h"
#include "base/expand.h"
#include "wire/riegeli/riegeli_frame.h"
#include "wire/riegeli/riegeli_transposed.h"

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
    struct tn_span packed; /* the records, as they lie in `data`              */
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

    return tn_min(part, data->file->run(data->file, place, rest, is_hole));
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
                    .run    = file->source->run ? data_run : NULL,
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

/* Complaints about the data point into the file. */
static void settle(const struct tn_riegeli_chunk *chunk, struct tn_error *error)
{
    uint64_t at = tn_min(error->offset, chunk->frame.data_size);

    tn_error_file(error, chunk->data.source.name);
    if (error->offset != TN_NOWHERE)
        error->offset =
            tn_min(place_of(&chunk->data, at), chunk->data.file->size);
    else if (error->status == TN_MALFORMED || error->status == TN_UNSUPPORTED)
        error->offset = chunk->frame.begin;
    /* All of it is there and is what was written: that was wrong. */
    if (error->status == TN_TRUNCATED)
        error->status = TN_MALFORMED;
}

/* How much of a chunk is looked at. */
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

    TN_TRY(tn_riegeli_frame_pass(file, &chunk->frame,
                                 is_packed ? NULL : &behind.sink, NULL, error));
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
