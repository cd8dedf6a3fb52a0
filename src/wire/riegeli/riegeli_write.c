/*
 * riegeli_write.c - records into chunks, chunks into the file
 *
 * Records are collected in a batch.  A batch that is full is closed and packed
 * by some thread, while the next ones are filled; they are written in order.
 *
 * A long record has its own chunk.  Uncompressed it goes to the file as it is.
 * If it is compressed and stays where it is, it is a batch like any other; but
 * with brotli, one past 32 MiB is packed by all threads at once, in parts.
 * zstd has no parts.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "base/varint.h"
#include "codec/brotli.h"
#include "codec/zstd.h"
#include "io/file_source.h"
#include "wire/riegeli/riegeli_put.h"
#include "wire/riegeli/riegeli_packed.h"
#include "wire/riegeli/riegeli_transposed.h"
#include "wire/riegeli/riegeli_write.h"

/* ---- the writer's options as text, in Google's words -------------------- */

#define BLOCK_SIZE UINT64_C(65536)

/* "name" or "name:value". */
struct word {
    struct tn_bytes name, value;
    bool            has_value;
};

static enum tn_status refuse(const struct word *word, const char *why,
                             struct tn_error *error)
{
    return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION, TN_NOWHERE,
                            "option %.*s%s%.*s: %s", TN_FMT(word->name),
                            word->has_value ? ":" : "", TN_FMT(word->value),
                            why);
}

static enum tn_status parse_number(const struct word *word, long low, long high,
                                   int *number, struct tn_error *error)
{
    char  text[16] = "";
    char *end;

    if (!word->has_value)
        return TN_OK;
    if (word->value.size == 0 || word->value.size >= sizeof text)
        return refuse(word, "not a number", error);
    memcpy(text, word->value.data, word->value.size);
    long value = strtol(text, &end, 10);
    if (*end || end == text)
        return refuse(word, "not a number", error);
    if (value < low || value > high)
        return refuse(word, "out of range", error);
    *number = (int)value;
    return TN_OK;
}

/* Digits and perhaps one of the letters, powers of 1024. */
static enum tn_status parse_size(const struct word *word, uint64_t *size,
                                 struct tn_error *error)
{
    static const char letters[] = "BKMGTPE";
    uint64_t          value     = 0;
    size_t            i         = 0;

    for (; i < word->value.size && word->value.data[i] >= '0' &&
           word->value.data[i] <= '9';
         i++)
        if (!tn_mul(value, 10, &value) ||
            !tn_add(value, (uint64_t)(word->value.data[i] - '0'), &value))
            return refuse(word, "too large", error);
    if (i == 0)
        return refuse(word, "not a size", error);
    if (i < word->value.size) {
        char        letter = (char)word->value.data[i];
        const char *found =
            letter ? strchr(letters, letter == 'k' ? 'K' : letter) : NULL;
        if (!found || i + 1 != word->value.size)
            return refuse(word, "not a size", error);
        if (!tn_mul(value, UINT64_C(1) << 10 * (found - letters), &value))
            return refuse(word, "too large", error);
    }
    *size = value;
    return TN_OK;
}

static enum tn_status parse_flag(const struct word *word, bool *flag,
                                 struct tn_error *error)
{
    *flag = !word->has_value || tn_bytes_is(word->value, "true");
    if (*flag || tn_bytes_is(word->value, "false"))
        return TN_OK;
    return refuse(word, "neither true nor false", error);
}

static enum tn_status parse_fraction(const struct word *word, double *fraction,
                                     struct tn_error *error)
{
    char  text[32] = "";
    char *end;

    if (word->value.size == 0 || word->value.size >= sizeof text)
        return refuse(word, "not a number", error);
    memcpy(text, word->value.data, word->value.size);
    *fraction = strtod(text, &end);
    if (*end || end == text)
        return refuse(word, "not a number", error);
    if (!(*fraction >= 0 && *fraction <= 1))
        return refuse(word, "not between 0 and 1", error);
    return TN_OK;
}

static enum tn_status parse_auto_size(const struct word *word, uint64_t *size,
                                      struct tn_error *error)
{
    if (tn_bytes_is(word->value, "auto")) {
        *size = 0;
        return TN_OK;
    }
    TN_TRY(parse_size(word, size, error));
    return *size ? TN_OK : refuse(word, "must not be 0", error);
}

static enum tn_status parse_padding(const struct word *word, uint64_t *size,
                                    struct tn_error *error)
{
    *size = BLOCK_SIZE;
    if (!word->has_value || tn_bytes_is(word->value, "true"))
        return TN_OK;
    *size = 1;
    if (tn_bytes_is(word->value, "false") ||
        tn_bytes_is(word->value, "initially"))
        return TN_OK;
    TN_TRY(parse_size(word, size, error));
    return *size ? TN_OK : refuse(word, "must not be 0", error);
}

static enum tn_status parse_codec(const struct word          *word,
                                  struct tn_riegeli_options  *options,
                                  enum tn_riegeli_compression type, int usual,
                                  int low, int high, struct tn_error *error)
{
    options->codec.type  = type;
    options->codec.level = usual;
    if (type == TN_RIEGELI_NONE && word->has_value)
        return refuse(word, "takes no value", error);
    return parse_number(word, low, high, &options->codec.level, error);
}

static enum tn_status parse_window_log(const struct word *word, int *log,
                                       struct tn_error *error)
{
    *log = 0;
    if (tn_bytes_is(word->value, "auto"))
        return TN_OK;
    return parse_number(word, TN_BROTLI_WINDOW_LOG_MIN, TN_ZSTD_WINDOW_LOG_MAX,
                        log, error);
}

static enum tn_status parse_word(const struct word         *word,
                                 struct tn_riegeli_options *o,
                                 struct tn_error           *error)
{
    struct tn_bytes name = word->name;
    uint64_t        ignored;
    int             threads = 0;

    if (tn_bytes_is(name, "default"))
        return TN_OK;
    if (tn_bytes_is(name, "uncompressed"))
        return parse_codec(word, o, TN_RIEGELI_NONE, 0, 0, 0, error);
    if (tn_bytes_is(name, "brotli"))
        return parse_codec(word, o, TN_RIEGELI_BROTLI, 6, 0,
                           TN_BROTLI_QUALITY_MAX, error);
    if (tn_bytes_is(name, "zstd"))
        return parse_codec(word, o, TN_RIEGELI_ZSTD, 3, TN_ZSTD_LEVEL_MIN,
                           TN_ZSTD_LEVEL_MAX, error);
    if (tn_bytes_is(name, "snappy"))
        return parse_codec(word, o, TN_RIEGELI_SNAPPY, 1, 1, 2, error);
    if (tn_bytes_is(name, "transpose"))
        return parse_flag(word, &o->is_transposed, error);
    if (tn_bytes_is(name, "chunk_size"))
        return parse_auto_size(word, &o->chunk_size, error);
    if (tn_bytes_is(name, "bucket_fraction"))
        return parse_fraction(word, &o->bucket_fraction, error);
    if (tn_bytes_is(name, "window_log"))
        return parse_window_log(word, &o->codec.window_log, error);
    if (tn_bytes_is(name, "padding") || tn_bytes_is(name, "final_padding") ||
        tn_bytes_is(name, "pad_to_block_boundary"))
        return parse_padding(word, &o->final_padding, error);
    if (tn_bytes_is(name, "initial_padding")) /* of files that go on */
        return parse_padding(word, &ignored, error);
    if (tn_bytes_is(name, "parallelism")) /* the bytes do not depend on it */
        return parse_number(word, 0, INT32_MAX, &threads, error);
    return refuse(word, "there is no such option", error);
}

/* Two codecs have windows, each with limits of its own. */
static enum tn_status check_window(const struct tn_riegeli_codec *codec,
                                   struct tn_error               *error)
{
    bool has_window =
        codec->type == TN_RIEGELI_BROTLI || codec->type == TN_RIEGELI_ZSTD;
    int most = codec->type == TN_RIEGELI_BROTLI ? TN_BROTLI_WINDOW_LOG_MAX
                                                : TN_ZSTD_WINDOW_LOG_MAX;

    if (codec->window_log == 0 || (has_window && codec->window_log <= most))
        return TN_OK;
    return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION, TN_NOWHERE,
                            "option window_log:%d: not with this compression",
                            codec->window_log);
}

enum tn_status tn_riegeli_options_parse(struct tn_riegeli_options *options,
                                        const char                *text,
                                        struct tn_error           *error)
{
    while (*text) {
        size_t      size = strcspn(text, ",");
        size_t      name = strcspn(text, ":,");
        struct word word = { .name      = tn_bytes(text, name),
                             .has_value = name < size };
        if (word.has_value)
            word.value = tn_bytes(text + name + 1, size - name - 1);
        TN_TRY(parse_word(&word, options, error));
        text += size;
        text += *text == ',';
    }
    return check_window(&options->codec, error);
}

#define PER_RECORD         UINT64_C(8) /* a record counts as that much longer */
#define DEFAULT_PACKED     (UINT64_C(1) << 20)
#define DEFAULT_PLAIN      (UINT64_C(4) << 10)
#define BATCHES_PER_WORKER 2
#define MOST_WAITING       (UINT64_C(12) << 20)
#define MOST_CACHED        (UINT64_C(16) << 20)
#define LONG_RECORD        (UINT64_C(4) << 20)
#define LONG_TRANSPOSED    (UINT64_C(64) << 20)
#define PROBE_SIZE         ((size_t)64 << 10)

struct tn_riegeli_batch {
    struct tn_buffer sizes, values; /* as in a simple chunk                   */
    struct tn_bytes  borrowed;      /* or the values, somebody else's         */
    struct tn_span   mapped;   /* where those are; without source: no file */
    struct tn_rope   record;   /* or these, in several pieces            */
    struct tn_buffer data;     /* packed; without values if is_plain     */
    struct tn_source *spooled; /* packed, after `data`; NULL: nothing         */
    uint64_t          hash;    /* of all these                                */
    uint64_t          count;
    bool              is_plain;
    bool            is_long; /* one record, to be packed whatever it gives   */
    struct tn_error error; /* of packing it                                  */
};

struct chunk_begin {
    uint64_t first; /* number of its first record                             */
    uint64_t begin;
};

/* ---- batches ------------------------------------------------------------ */

static unsigned workers_for(const struct tn_riegeli_options *options)
{
    if (options->codec.type == TN_RIEGELI_NONE && !options->is_transposed)
        return 1;
    return tn_pipeline_workers(options->workers);
}

static void pack_slot(void *context, uint32_t slot);
static void write_slot(void *context, uint32_t slot);
static bool let_one_go(void *context);

static bool make_batches(struct tn_riegeli_writer *w)
{
    unsigned workers = workers_for(&w->options);

    if (w->options.codec.type == TN_RIEGELI_BROTLI)
        workers =
            tn_riegeli_brotli_workers(&w->options.codec, workers, w->memory);
    w->options.workers = workers;
    w->batch_room      = workers * BATCHES_PER_WORKER + 1;
    uint64_t size      = w->batch_room * sizeof *w->batches;
    w->batches         = tn_memory_resize(w->memory, NULL, 0, size, w->error);
    if (!w->batches)
        return false;
    for (uint32_t i = 0; i < w->batch_room; i++) {
        struct tn_riegeli_batch *batch = &w->batches[i];
        *batch = (struct tn_riegeli_batch){ .error = TN_ERROR_INIT };
        tn_buffer_init(&batch->sizes, &w->cache.memory, w->error);
        tn_buffer_init(&batch->values, &w->cache.memory, w->error);
        tn_buffer_init(&batch->data, &w->cache.memory, &batch->error);
        tn_rope_init(&batch->record, &w->arena, w->error);
    }
    tn_pipeline_open(&w->pipeline, workers, w->batch_room, pack_slot, w);
    tn_pipeline_watches(&w->pipeline, w->memory);
    tn_pipeline_ends_by(&w->pipeline, write_slot);
    tn_pipeline_spares_by(&w->pipeline, let_one_go);
    return true;
}

static struct tn_riegeli_batch *open_batch(const struct tn_riegeli_writer *w)
{
    return &w->batches[tn_pipeline_next(&w->pipeline)];
}

static struct tn_bytes values_of(const struct tn_riegeli_batch *batch)
{
    return batch->borrowed.size ? batch->borrowed
                                : tn_buffer_bytes(&batch->values);
}

static uint64_t plain_size(const struct tn_riegeli_batch *batch)
{
    return batch->record.length + values_of(batch).size;
}

static void clear_packed(struct tn_riegeli_batch *batch)
{
    if (batch->is_long) /* who packs next takes it from the cache, still warm */
        tn_buffer_done(&batch->data);
    else
        tn_buffer_clear(&batch->data);
    tn_source_close(batch->spooled);
    batch->spooled = NULL;
}

/* ---- packing ------------------------------------------------------------ */

static const struct tn_riegeli_codec no_codec = { TN_RIEGELI_NONE, 0, 0 };

/* Whether compressing the beginning of the values makes it shorter. */
static enum tn_status probe(const struct tn_riegeli_options *options,
                            struct tn_bytes head, struct tn_memory *memory,
                            struct tn_riegeli_codec *codec,
                            struct tn_error         *error)
{
    struct tn_buffer packed;

    *codec = options->codec;
    if (!options->keeps_plain || codec->type == TN_RIEGELI_NONE)
        return TN_OK;
    head.size = (size_t)tn_min(head.size, PROBE_SIZE);
    tn_buffer_init(&packed, memory, error);
    if (tn_riegeli_pack(codec, head, &packed, error) == TN_OK &&
        packed.size > head.size - head.size / 20)
        *codec = no_codec;
    tn_buffer_done(&packed);
    return error->status;
}

/* Compression, sizes and what belongs to them: all of a simple chunk before
 * its values. */
static void put_head(const struct tn_riegeli_codec *codec,
                     struct tn_bytes sizes, struct tn_buffer *to,
                     struct tn_error *error)
{
    struct tn_buffer packed;

    tn_buffer_init(&packed, to->memory, error);
    tn_riegeli_pack(codec, sizes, &packed, error);
    tn_buffer_byte(to, (uint8_t)codec->type);
    tn_buffer_varint(to, packed.size);
    tn_buffer_add(to, tn_buffer_bytes(&packed));
    tn_buffer_done(&packed);
}

static enum tn_status pack_batch(struct tn_riegeli_writer *w,
                                 struct tn_riegeli_batch  *batch,
                                 struct tn_error          *error)
{
    struct tn_bytes         values = values_of(batch);
    struct tn_bytes         sizes  = tn_buffer_bytes(&batch->sizes);
    struct tn_riegeli_codec codec;

    TN_TRY(probe(&w->options, values, &w->cache.memory, &codec, error));
    if (w->options.is_transposed)
        return tn_riegeli_transposed_write(&codec, w->options.bucket_fraction,
                                           batch->count, sizes, values,
                                           &batch->data, error);
    put_head(&codec, sizes, &batch->data, error);
    batch->is_plain = codec.type == TN_RIEGELI_NONE;
    if (!tn_failed(error) && !batch->is_plain)
        tn_riegeli_pack(&codec, values, &batch->data, error);
    return error->status;
}

/* Pages of a packed record are released when a thread has nothing else to do,
 * as while another one packs the last record; but only a limited number waits
 * for that. */
static void leave_span(struct tn_riegeli_writer *w, struct tn_span span)
{
    pthread_mutex_lock(&w->left_lock);
    bool is_left = w->left_count < TN_RIEGELI_LEFT;
    if (is_left)
        w->left[w->left_count++] = span;
    pthread_mutex_unlock(&w->left_lock);
    if (!is_left)
        tn_source_release_pages(span.source, span.offset, span.length);
}

static bool let_one_go(void *context)
{
    struct tn_riegeli_writer *w    = context;
    struct tn_span            span = { NULL, 0, 0 };

    pthread_mutex_lock(&w->left_lock);
    if (w->left_count)
        span = w->left[--w->left_count];
    pthread_mutex_unlock(&w->left_lock);
    if (span.source)
        tn_source_release_pages(span.source, span.offset, span.length);
    return span.source;
}

static void pack_long(struct tn_riegeli_writer *w,
                      struct tn_riegeli_batch *batch, struct tn_error *error)
{
    const struct tn_riegeli_codec *codec  = &w->options.codec;
    struct tn_memory              *memory = &w->cache.memory;
    struct tn_riegeli_spill        spill;

    put_head(codec, tn_buffer_bytes(&batch->sizes), &batch->data, error);
    if (tn_failed(error))
        return;
    tn_riegeli_spill_init(&spill, &batch->data);
    if (codec->type == TN_RIEGELI_ZSTD)
        tn_riegeli_pack_bytes(codec, batch->borrowed, memory, &spill, error);
    else
        tn_riegeli_pack_rope(codec, &batch->record, 1, memory, &spill.sink,
                             error);
    tn_riegeli_spill_finish(&spill, &batch->spooled, error);
    if (batch->mapped.source)
        leave_span(w, batch->mapped);
}

/* All that goes to the file between the header of the chunk and the next. */
static void put_data(const struct tn_riegeli_batch *batch, struct tn_rope *to)
{
    tn_rope_borrow(to, tn_buffer_bytes(&batch->data));
    if (batch->is_plain)
        tn_rope_borrow(to, values_of(batch));
    if (batch->spooled)
        tn_rope_span(
            to, (struct tn_span){ batch->spooled, 0, batch->spooled->size });
}

/* While what was packed is still in the cache, and on every thread. */
static void hash_batch(struct tn_riegeli_writer *w,
                       struct tn_riegeli_batch  *batch)
{
    struct tn_arena arena;
    struct tn_rope  data;

    tn_arena_init(&arena, w->memory);
    tn_rope_init(&data, &arena, &batch->error);
    put_data(batch, &data);
    if (!tn_failed(&batch->error))
        tn_riegeli_hash(&data, &batch->hash, &batch->error);
    tn_rope_done(&data);
    tn_arena_done(&arena);
}

static void pack_slot(void *context, uint32_t slot)
{
    struct tn_riegeli_writer *w     = context;
    struct tn_riegeli_batch  *batch = &w->batches[slot];

    if (batch->is_long)
        pack_long(w, batch, &batch->error);
    else
        (void)pack_batch(w, batch, &batch->error);
    hash_batch(w, batch);
}

/* ---- writing ------------------------------------------------------------ */

static void note_begin(struct tn_riegeli_writer *w, uint64_t first,
                       struct tn_error *error)
{
    struct chunk_begin *begin =
        tn_list_push(&w->begins, struct chunk_begin, error);

    if (begin)
        *begin = (struct chunk_begin){ first, w->to->offset - w->base };
}

static void write_batch(struct tn_riegeli_writer      *w,
                        const struct tn_riegeli_batch *batch,
                        struct tn_error               *error)
{
    struct tn_riegeli_frame frame = {
        .type         = w->options.is_transposed ? TN_RIEGELI_TRANSPOSED
                                                 : TN_RIEGELI_SIMPLE,
        .record_count = batch->count,
        .decoded_size = plain_size(batch),
        .data_hash    = batch->hash,
    };
    struct tn_arena arena;
    struct tn_rope  data;

    note_begin(w, w->written, error);
    tn_arena_init(&arena, w->memory);
    tn_rope_init(&data, &arena, error);
    put_data(batch, &data);
    if (!tn_failed(error))
        tn_riegeli_put_hashed(w->to, w->base, &frame, &data, error);
    tn_rope_done(&data);
    tn_arena_done(&arena);
}

/* Several codecs at once may need more memory than there is; one alone may have
 * enough. */
static void pack_again(struct tn_riegeli_writer *w, uint32_t slot)
{
    struct tn_riegeli_batch *batch = &w->batches[slot];

    if (batch->error.status != TN_NO_MEMORY ||
        !tn_pipeline_is_shared(&w->pipeline))
        return;
    batch->error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_clear(&batch->data);
    tn_source_close(batch->spooled);
    batch->spooled = NULL;
    tn_pipeline_again(&w->pipeline, slot);
}

/* Writes batches in order, on any thread.  No other thread uses the file
 * meanwhile, since the caller's thread writes to it only when no batch waits.
 * A failure is kept in the batch; nothing is written after it. */
static void write_slot(void *context, uint32_t slot)
{
    struct tn_riegeli_writer *w     = context;
    struct tn_riegeli_batch  *batch = &w->batches[slot];

    if (!w->is_stuck) {
        pack_again(w, slot);
        if (!tn_failed(&batch->error))
            write_batch(w, batch, &batch->error);
        w->is_stuck = tn_failed(&batch->error);
    }
    clear_packed(batch);
    w->written += batch->count;
}

/* Waits for the oldest batch to be written. */
static void write_oldest(struct tn_riegeli_writer *w)
{
    uint32_t                 slot  = tn_pipeline_take(&w->pipeline);
    struct tn_riegeli_batch *batch = &w->batches[slot];

    if (!tn_failed(w->error) && tn_failed(&batch->error))
        *w->error = batch->error;
    w->waiting -= batch->values.size;
    tn_rope_done(&batch->record);
    tn_buffer_clear(&batch->sizes);
    tn_buffer_clear(&batch->values);
    clear_packed(batch);
    batch->borrowed = tn_bytes(NULL, 0);
    batch->mapped   = (struct tn_span){ NULL, 0, 0 };
    batch->count    = 0;
    batch->is_plain = batch->is_long = false;
}

static void write_waiting(struct tn_riegeli_writer *w)
{
    while (tn_pipeline_count(&w->pipeline))
        write_oldest(w);
}

/* The open batch is complete: the next one is open now. */
static void close_batch(struct tn_riegeli_writer *w)
{
    struct tn_riegeli_batch *batch = open_batch(w);

    if (batch->count == 0)
        return;
    w->waiting += batch->values.size;
    tn_pipeline_add(&w->pipeline);
    while (tn_pipeline_is_ready(&w->pipeline) ||
           tn_pipeline_is_full(&w->pipeline) || w->waiting >= MOST_WAITING ||
           (w->options.workers == 1 && tn_pipeline_count(&w->pipeline)))
        write_oldest(w);
}

/* ---- records on their own ----------------------------------------------- */

static bool is_past(uint64_t a, uint64_t b, uint64_t limit)
{
    return a > limit || b > limit - a;
}

/* All of it, if it is one piece in memory. */
static struct tn_bytes look(const struct tn_rope *record)
{
    return record->pieces.count == 1
               ? tn_piece_look(tn_list_at(&record->pieces, struct tn_piece, 0))
               : tn_bytes(NULL, 0);
}

/* Where that is, if it is not in memory only. */
static struct tn_span span_of(const struct tn_rope *record)
{
    const struct tn_piece *piece =
        tn_list_at(&record->pieces, struct tn_piece, 0);

    if (piece->kind != TN_PIECE_SPAN)
        return (struct tn_span){ NULL, 0, 0 };
    return (struct tn_span){ piece->at.span.source, piece->at.span.offset,
                             piece->length };
}

/* It is a chunk of its own, packed where it is. */
static bool lies_still(const struct tn_riegeli_writer *w,
                       const struct tn_rope           *record)
{
    return w->options.records_last && !w->options.is_transposed &&
           is_past(record->length, 2 * PER_RECORD, w->options.chunk_size) &&
           look(record).size;
}

/* The first bytes of a rope, as far as they are in memory. */
static void take_head(const struct tn_rope *rope, struct tn_buffer *to)
{
    for (uint64_t i = 0; i < rope->pieces.count && to->size < PROBE_SIZE; i++) {
        const struct tn_piece *piece =
            tn_list_at(&rope->pieces, struct tn_piece, i);
        uint64_t size = tn_min(piece->length, PROBE_SIZE - to->size);
        if (piece->kind == TN_PIECE_PRODUCER)
            return;
        if (piece->kind == TN_PIECE_BYTES) {
            tn_buffer_add(to, tn_bytes(piece->at.bytes, (size_t)size));
            continue;
        }
        struct tn_span span = piece->at.span;
        span.length         = size;
        tn_sink_splice(&to->sink, span, to->error);
    }
}

static void lay_record(struct tn_riegeli_writer *w, const struct tn_rope *data,
                       uint64_t length)
{
    struct tn_riegeli_frame frame = { .type         = TN_RIEGELI_SIMPLE,
                                      .record_count = 1,
                                      .decoded_size = length };

    note_begin(w, w->record_count, w->error);
    if (!tn_failed(w->error))
        tn_riegeli_put_chunk(w->to, w->base, &frame, data, w->error);
}

/* The length of packed bytes is unknown before they are packed, so the header
 * is patched afterwards, if that is possible. */
static void write_patched(struct tn_riegeli_writer      *w,
                          const struct tn_riegeli_codec *codec,
                          const struct tn_rope          *record,
                          const struct tn_rope          *head)
{
    struct tn_riegeli_frame      frame = { .type         = TN_RIEGELI_SIMPLE,
                                           .record_count = 1,
                                           .decoded_size = record->length };
    struct tn_riegeli_chunk_sink laying;

    note_begin(w, w->record_count, w->error);
    if (!tn_failed(w->error) &&
        tn_riegeli_chunk_begin(&laying, w->to, w->base, w->error) == TN_OK &&
        tn_rope_write(head, &laying.sink, w->error) == TN_OK &&
        tn_riegeli_pack_rope(codec, record, w->options.workers, w->memory,
                             &laying.sink, w->error) == TN_OK)
        tn_riegeli_chunk_end(&laying, &frame, w->error);
}

/* If it is not, the packed bytes are spooled. */
static void write_spooled(struct tn_riegeli_writer      *w,
                          const struct tn_riegeli_codec *codec,
                          const struct tn_rope *record, struct tn_rope *data)
{
    struct tn_source *packed = NULL;
    struct tn_spool   spool;

    if (tn_failed(w->error) ||
        tn_spool_open(&spool, w->memory, w->error) != TN_OK)
        return;
    tn_riegeli_pack_rope(codec, record, w->options.workers, w->memory,
                         &spool.sink, w->error);
    if (tn_spool_finish(&spool, &packed, "", w->error) == TN_OK) {
        tn_rope_span(data, (struct tn_span){ packed, 0, packed->size });
        lay_record(w, data, record->length);
    }
    tn_source_close(packed);
}

static void write_plain(struct tn_riegeli_writer *w,
                        const struct tn_rope *record, struct tn_rope *data)
{
    for (uint64_t i = 0; i < record->pieces.count; i++) {
        struct tn_piece *piece =
            tn_list_at(&record->pieces, struct tn_piece, i);
        switch (piece->kind) {
        case TN_PIECE_BYTES:
            tn_rope_borrow(data,
                           tn_bytes(piece->at.bytes, (size_t)piece->length));
            break;
        case TN_PIECE_SPAN:
            tn_rope_span(data, (struct tn_span){ piece->at.span.source,
                                                 piece->at.span.offset,
                                                 piece->length });
            break;
        case TN_PIECE_PRODUCER:
            tn_rope_producer(data, piece->at.producer);
            break;
        }
    }
    if (!tn_failed(w->error))
        lay_record(w, data, record->length);
}

/* Whether the record can be kept by reference. */
static bool note_pieces(const struct tn_riegeli_writer *w,
                        const struct tn_riegeli_codec  *codec,
                        const struct tn_rope           *record,
                        struct tn_riegeli_batch        *batch)
{
    if (codec->type == TN_RIEGELI_ZSTD && lies_still(w, record)) {
        batch->borrowed = look(record);
        batch->mapped   = span_of(record);
        return true;
    }
    if (codec->type != TN_RIEGELI_BROTLI || !w->options.records_last ||
        record->length > TN_RIEGELI_ONE_PART || !tn_riegeli_is_at_hand(record))
        return false;
    for (uint64_t i = 0; i < record->pieces.count; i++)
        tn_rope_borrow(
            &batch->record,
            tn_piece_look(tn_list_at(&record->pieces, struct tn_piece, i)));
    return true;
}

/* Packs it as a batch beside others, if it stays where it is. */
static bool waits(struct tn_riegeli_writer      *w,
                  const struct tn_riegeli_codec *codec,
                  const struct tn_rope          *record)
{
    struct tn_riegeli_batch *batch = open_batch(w);

    if (!note_pieces(w, codec, record, batch))
        return false;
    batch->is_long = true;
    batch->count   = 1;
    tn_buffer_varint(&batch->sizes, record->length);
    w->record_count++;
    close_batch(w);
    return true;
}

static void write_alone(struct tn_riegeli_writer      *w,
                        const struct tn_riegeli_codec *codec,
                        const struct tn_rope          *record)
{
    struct tn_buffer head, sizes;
    struct tn_arena  arena;
    struct tn_rope   data;

    write_waiting(w);
    tn_buffer_init(&head, w->memory, w->error);
    tn_buffer_init(&sizes, w->memory, w->error);
    tn_arena_init(&arena, w->memory);
    tn_rope_init(&data, &arena, w->error);
    tn_buffer_varint(&sizes, record->length);
    if (!tn_failed(w->error)) {
        put_head(codec, tn_buffer_bytes(&sizes), &head, w->error);
        tn_rope_borrow(&data, tn_buffer_bytes(&head));
        if (codec->type == TN_RIEGELI_NONE)
            write_plain(w, record, &data);
        else if (tn_sink_can_patch(w->to))
            write_patched(w, codec, record, &data);
        else
            write_spooled(w, codec, record, &data);
    }
    w->record_count++;
    w->written++;
    tn_rope_done(&data);
    tn_arena_done(&arena);
    tn_buffer_done(&head);
    tn_buffer_done(&sizes);
}

static void add_long(struct tn_riegeli_writer *w, const struct tn_rope *record)
{
    struct tn_riegeli_codec codec;
    struct tn_buffer        head;

    tn_buffer_init(&head, w->memory, w->error);
    if (w->options.keeps_plain)
        take_head(record, &head);
    if (!tn_failed(w->error))
        probe(&w->options, tn_buffer_bytes(&head), w->memory, &codec, w->error);
    tn_buffer_done(&head);
    if (!tn_failed(w->error) && !waits(w, &codec, record))
        write_alone(w, &codec, record);
}

/* ---- adding ------------------------------------------------------------- */

/* The size at which the open batch counts. */
static uint64_t batch_weight(const struct tn_riegeli_batch *batch)
{
    return values_of(batch).size + batch->count * PER_RECORD;
}

/* A record this long is not copied to wait for others. */
static bool is_long(const struct tn_riegeli_writer *w, uint64_t size)
{
    if (!is_past(size, 2 * PER_RECORD, w->options.chunk_size))
        return false; /* it may share its chunk */
    if (w->options.is_transposed)
        return size > LONG_TRANSPOSED;
    return w->options.codec.type == TN_RIEGELI_NONE || size > LONG_RECORD;
}

void tn_riegeli_add_rope(struct tn_riegeli_writer *w,
                         const struct tn_rope     *record)
{
    uint64_t chunk_size = w->options.chunk_size;

    if (tn_failed(w->error))
        return;
    struct tn_riegeli_batch *batch = open_batch(w);
    if (batch->count &&
        is_past(batch_weight(batch) + PER_RECORD, record->length, chunk_size))
        close_batch(w);
    if (tn_failed(w->error))
        return;
    batch = open_batch(w);
    if (batch->count == 0 && is_long(w, record->length)) {
        add_long(w, record);
        return;
    }
    if (batch->count == 0 && lies_still(w, record))
        batch->borrowed = look(record);
    if (!batch->borrowed.size)
        tn_rope_write(record, &batch->values.sink, w->error);
    tn_buffer_varint(&batch->sizes, record->length);
    batch->count++;
    w->record_count++;
    if (is_past(batch_weight(batch), PER_RECORD, chunk_size))
        close_batch(w);
}

void tn_riegeli_add(struct tn_riegeli_writer *w, struct tn_bytes record)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, w->memory);
    tn_rope_init(&rope, &arena, w->error);
    tn_rope_borrow(&rope, record);
    tn_riegeli_add_rope(w, &rope);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

/* ---- the file ----------------------------------------------------------- */

/* One record, transposed, in a chunk that says it has none. */
static void write_metadata(struct tn_riegeli_writer *w)
{
    struct tn_riegeli_frame frame = { .type = TN_RIEGELI_METADATA,
                                      .decoded_size =
                                          w->options.metadata.size };
    struct tn_buffer        data, sizes;
    struct tn_arena         arena;
    struct tn_rope          rope;

    tn_buffer_init(&data, w->memory, w->error);
    tn_buffer_init(&sizes, w->memory, w->error);
    tn_arena_init(&arena, w->memory);
    tn_rope_init(&rope, &arena, w->error);
    tn_buffer_varint(&sizes, w->options.metadata.size);
    if (!tn_failed(w->error))
        tn_riegeli_transposed_write(&w->options.codec, 1.0, 1,
                                    tn_buffer_bytes(&sizes),
                                    w->options.metadata, &data, w->error);
    tn_rope_borrow(&rope, tn_buffer_bytes(&data));
    if (!tn_failed(w->error))
        tn_riegeli_put_chunk(w->to, w->base, &frame, &rope, w->error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    tn_buffer_done(&data);
    tn_buffer_done(&sizes);
}

void tn_riegeli_writer_init(struct tn_riegeli_writer *w, struct tn_sink *to,
                            const struct tn_riegeli_options *options,
                            struct tn_memory *memory, struct tn_error *error)
{
    *w = (struct tn_riegeli_writer){ .to        = to,
                                     .memory    = memory,
                                     .error     = error,
                                     .options   = *options,
                                     .base      = to->offset,
                                     .left_lock = PTHREAD_MUTEX_INITIALIZER };
    tn_list_init(&w->begins, memory, sizeof(struct chunk_begin));
    tn_arena_init(&w->arena, memory);
    tn_block_cache_init(&w->cache, memory, MOST_CACHED);
    if (w->options.chunk_size == 0)
        w->options.chunk_size = options->codec.type == TN_RIEGELI_NONE
                                    ? DEFAULT_PLAIN
                                    : DEFAULT_PACKED;
    if (tn_failed(error) || !make_batches(w))
        return;
    tn_sink_write(w->to,
                  tn_bytes(tn_riegeli_signature, sizeof tn_riegeli_signature),
                  w->error);
    if (w->options.has_metadata && !tn_failed(error))
        write_metadata(w);
}

void tn_riegeli_writer_done(struct tn_riegeli_writer *w)
{
    tn_pipeline_close(&w->pipeline);
    pthread_mutex_destroy(&w->left_lock);
    for (uint32_t i = 0; w->batches && i < w->batch_room; i++) {
        tn_source_close(w->batches[i].spooled);
        tn_rope_done(&w->batches[i].record);
        tn_buffer_done(&w->batches[i].sizes);
        tn_buffer_done(&w->batches[i].values);
        tn_buffer_done(&w->batches[i].data);
    }
    tn_memory_free(w->memory, w->batches, w->batch_room * sizeof *w->batches);
    w->batches = NULL;
    tn_block_cache_done(&w->cache);
    tn_list_done(&w->begins);
    tn_arena_done(&w->arena);
}

/* The last chunk whose first record is not after `number`. */
static const struct chunk_begin *find_begin(const struct tn_list *begins,
                                            uint64_t              number)
{
    uint64_t at;

    TN_BISECT(at, 0, begins->count,
              tn_list_at(begins, struct chunk_begin, at)->first <= number);
    return at ? tn_list_at(begins, struct chunk_begin, at - 1) : NULL;
}

enum tn_status tn_riegeli_position_of(struct tn_riegeli_writer *w,
                                      uint64_t number, uint64_t *position)
{
    if (tn_failed(w->error))
        return w->error->status;
    if (number >= w->record_count)
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "record %" PRIu64 " of %" PRIu64, number,
                            w->record_count);
    write_waiting(w);
    if (tn_failed(w->error))
        return w->error->status;
    struct chunk_begin        open = { w->record_count - open_batch(w)->count,
                                       w->to->offset - w->base };
    const struct chunk_begin *chunk =
        number >= open.first ? &open : find_begin(&w->begins, number);
    *position = chunk->begin + (number - chunk->first);
    return TN_OK;
}

enum tn_status tn_riegeli_finish(struct tn_riegeli_writer *w)
{
    if (tn_failed(w->error))
        return w->error->status;
    close_batch(w);
    if (!tn_failed(w->error))
        write_waiting(w);
    if (!tn_failed(w->error))
        tn_riegeli_put_padding(w->to, w->base, w->options.final_padding,
                               w->memory, w->error);
    return w->error->status;
}
