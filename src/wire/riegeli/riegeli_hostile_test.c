/* riegeli_hostile_test.c - files that lie, break off or were damaged */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/varint.h"
#include "support/hostile.h"
#include "wire/riegeli/riegeli_put.h"
#include "wire/riegeli/riegeli_layout.h"
#include "wire/riegeli/riegeli_write.h"

static struct tn_memory memory;
static struct tn_error  error;

static void start(void)
{
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
}

/* Every record, byte by byte; then the last one, metadata, and a seek. */
static enum tn_status read_source(struct tn_source *source,
                                  struct tn_memory *budget,
                                  struct tn_error  *complaint)
{
    struct tn_riegeli_record record;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    struct tn_buffer         bytes;
    bool                     has;

    TN_TRY(tn_riegeli_open(&file, source, budget, complaint));
    tn_buffer_init(&bytes, budget, complaint);
    tn_riegeli_walk_init(&walk, &file, complaint);
    while (tn_riegeli_next(&walk, &record)) {
        tn_buffer_clear(&bytes);
        tn_sink_splice(&bytes.sink, record.bytes, complaint);
    }
    if (!tn_failed(complaint))
        tn_riegeli_metadata(&file, &bytes, &has, complaint);
    if (!tn_failed(complaint) && tn_riegeli_last(&walk, &record) &&
        tn_riegeli_seek(&walk, tn_riegeli_position(&record)) == TN_OK)
        assert_true(tn_riegeli_next(&walk, &record) || tn_failed(complaint));
    tn_riegeli_walk_done(&walk);
    tn_buffer_done(&bytes);
    return complaint->status;
}

static enum tn_status read_all(struct tn_bytes input, struct tn_memory *budget,
                               struct tn_error *complaint)
{
    struct tn_source source;

    tn_source_memory(&source, budget, input);
    read_source(&source, budget, complaint);
    tn_source_close(&source);
    return complaint->status;
}

/* ---- chunks with right hashes and wrong contents ------------------------ */

static void wrap(struct tn_buffer *file, uint8_t type, uint64_t count,
                 uint64_t decoded, struct tn_bytes data)
{
    struct tn_riegeli_frame frame = { .type         = type,
                                      .record_count = count,
                                      .decoded_size = decoded };
    struct tn_arena         arena;
    struct tn_rope          rope;

    tn_buffer_add(file, tn_bytes(tn_riegeli_signature, 64));
    file->sink.offset = file->size;
    tn_arena_init(&arena, file->memory);
    tn_rope_init(&rope, &arena, file->error);
    tn_rope_borrow(&rope, data);
    tn_riegeli_put_chunk(&file->sink, 0, &frame, &rope, file->error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

#define EXAMPLE_HEAD "00 21 02 03 04 07 01 03 07 08 "
#define EXAMPLE_TAGS "1e 08 08 12 08 08 03 02 "
#define EXAMPLE_NEXT "04 0e 0e 01 0f 0f 00 0b "
#define EXAMPLE_REST "01 00 0b 00 01 01 02 00 00 "
#define EXAMPLE_BODY "07 05 16 01 02 7a 7a 03 61 62 63 "
#define EXAMPLE      EXAMPLE_HEAD EXAMPLE_TAGS EXAMPLE_NEXT EXAMPLE_REST

/* The data begin at byte 104. */
static const struct {
    const char    *name;
    uint8_t        type;
    uint64_t       count, decoded;
    const char    *data;
    enum tn_status status;
    uint64_t       offset;
} cases[] = {
    { "abc", 'r', 1, 3, "00 01 03 61 62 63", TN_OK, 0 },
    { "nothing", 'r', 0, 0, "00 00", TN_OK, 0 },
    { "a long form", 'r', 1, 3, "00 02 83 00 61 62 63", TN_OK, 0 },
    { "no data", 'r', 0, 0, "", TN_MALFORMED, 104 },
    { "no sizes", 'r', 1, 0, "00 00", TN_MALFORMED, 106 },
    { "unknown compression", 'r', 1, 3, "01 01 03 61 62 63", TN_UNSUPPORTED,
      104 },
    { "sizes past the end", 'r', 1, 3, "00 09 03 61 62 63", TN_MALFORMED, 106 },
    { "two sizes, one record", 'r', 1, 3, "00 02 01 02 61 62 63", TN_MALFORMED,
      107 },
    { "one size, two records", 'r', 2, 3, "00 01 03 61 62 63", TN_MALFORMED,
      106 },
    { "a size too large", 'r', 1, 3, "00 01 04 61 62 63", TN_MALFORMED, 106 },
    { "a size too small", 'r', 1, 3, "00 01 02 61 62 63", TN_MALFORMED, 107 },
    { "values too short", 'r', 1, 3, "00 01 03 61 62", TN_MALFORMED, 107 },
    { "values too long", 'r', 1, 3, "00 01 03 61 62 63 64", TN_MALFORMED, 107 },
    { "brotli", 'r', 1, 3, "62 06 01 0b 00 80 03 03 03 0b 01 80 61 62 63 03",
      TN_OK, 0 },
    { "a lie about brotli", 'r', 1, 3,
      "62 06 01 0b 00 80 03 03 02 0b 01 80 61 62 63 03", TN_MALFORMED, 113 },
    { "brotli and more", 'r', 1, 3,
      "62 06 01 0b 00 80 03 03 03 0b 01 80 61 62 63 03 00", TN_MALFORMED, 113 },
    { "brotli for more", 'r', 1, 4,
      "62 06 01 0b 00 80 04 03 03 0b 01 80 61 62 63 03", TN_MALFORMED, 112 },
    { "zstd", 'r', 1, 3,
      "7a 0b 01 28 b5 2f fd 20 01 09 00 00 03 03 28 b5 2f fd 20 03 19 00 00 61 "
      "62 63",
      TN_OK, 0 },
    { "a lie about zstd", 'r', 1, 4,
      "7a 0b 01 28 b5 2f fd 20 01 09 00 00 04 04 28 b5 2f fd 20 03 19 00 00 61 "
      "62 63",
      TN_MALFORMED, 118 },
    { "snappy", 'r', 1, 3, "73 04 01 01 00 03 03 03 08 61 62 63", TN_OK, 0 },
    { "a lie about snappy", 'r', 1, 3, "73 04 01 01 00 03 02 03 08 61 62 63",
      TN_MALFORMED, 111 },
    { "padding", 'p', 0, 0, "61 62 63", TN_OK, 0 },
    { "padding with records", 'p', 1, 0, "61 62 63", TN_MALFORMED, 64 },
    { "a second signature", 's', 0, 0, "", TN_OK, 0 },
    { "a full signature", 's', 0, 0, "00", TN_MALFORMED, 64 },
    { "of the future", 'x', 0, 5, "61 62 63", TN_OK, 0 },
    { "of the future, with records", 'x', 2, 5, "61 62 63", TN_UNSUPPORTED,
      64 },
    { "metadata with records", 'm', 1, 3, "00 00", TN_MALFORMED, 64 },
    { "the example", 't', 2, 22, EXAMPLE EXAMPLE_BODY "04 07", TN_OK, 0 },
    { "too few records", 't', 3, 22, EXAMPLE EXAMPLE_BODY "04 07", TN_MALFORMED,
      152 },
    { "too many records", 't', 1, 22, EXAMPLE EXAMPLE_BODY "04 07",
      TN_MALFORMED, 152 },
    { "too few bytes", 't', 2, 23, EXAMPLE EXAMPLE_BODY "04 07", TN_MALFORMED,
      152 },
    { "too many bytes", 't', 2, 21, EXAMPLE EXAMPLE_BODY "04 07", TN_MALFORMED,
      152 },
    { "no transitions", 't', 2, 22, EXAMPLE EXAMPLE_BODY, TN_MALFORMED, 150 },
    { "a transition to nowhere", 't', 2, 22, EXAMPLE EXAMPLE_BODY "ff",
      TN_MALFORMED, 151 },
    { "a bucket too short", 't', 2, 22, EXAMPLE "07 05 16", TN_MALFORMED, 139 },
    { "tag 5", 't', 2, 22,
      EXAMPLE_HEAD
      "1e 05 08 12 08 08 03 02 " EXAMPLE_NEXT EXAMPLE_REST EXAMPLE_BODY "04 07",
      TN_MALFORMED, 115 },
    { "wire type 7", 't', 2, 22,
      EXAMPLE_HEAD
      "1e 0f 08 12 08 08 03 02 " EXAMPLE_NEXT EXAMPLE_REST EXAMPLE_BODY "04 07",
      TN_MALFORMED, 115 },
    { "next is too far", 't', 2, 22,
      EXAMPLE_HEAD                            EXAMPLE_TAGS
      "10 0e 0e 01 0f 0f 00 0b " EXAMPLE_REST EXAMPLE_BODY "04 07",
      TN_MALFORMED, 122 },
    { "a subtype too large", 't', 2, 22,
      EXAMPLE_HEAD EXAMPLE_TAGS EXAMPLE_NEXT
      "8a 00 0b 00 01 01 02 00 00 " EXAMPLE_BODY "04 07",
      TN_MALFORMED, 130 },
    { "no such buffer", 't', 2, 22,
      EXAMPLE_HEAD EXAMPLE_TAGS EXAMPLE_NEXT
      "01 00 0b 00 03 01 02 00 00 " EXAMPLE_BODY "04 07",
      TN_MALFORMED, 134 },
    { "no first state", 't', 2, 22,
      EXAMPLE_HEAD EXAMPLE_TAGS EXAMPLE_NEXT
      "01 00 0b 00 01 01 02 00 08 " EXAMPLE_BODY "04 07",
      TN_MALFORMED, 138 },
    { "a submessage that did not end", 't', 1, 2, "00 06 00 00 01 02 00 00",
      TN_MALFORMED, 112 },
    { "no-ops in a circle", 't', 0, 0, "00 06 00 00 01 00 01 00", TN_MALFORMED,
      112 },
    { "submessages without end", 't', 0, 0, "00 06 00 00 01 0e 01 00", TN_LIMIT,
      112 },
    { "no records at all", 't', 0, 0, "00 06 00 00 01 00 00 00", TN_OK, 0 },
    { "a billion states", 't', 0, 0, "00 09 00 00 ff ff ff ff 03 00 00",
      TN_MALFORMED, 108 },
};

static void contents_that_lie(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_bytes  data = tn_hex(cases[i].data);
        struct tn_buffer file;
        start();
        tn_buffer_init(&file, &memory, &error);
        wrap(&file, cases[i].type, cases[i].count, cases[i].decoded, data);
        assert_int_equal(error.status, TN_OK);
        struct tn_guarded guarded   = tn_guard(tn_buffer_bytes(&file));
        struct tn_error   complaint = TN_ERROR_INIT;
        read_all(guarded.bytes, &memory, &complaint);
        if (complaint.status != cases[i].status ||
            (complaint.status && complaint.offset != cases[i].offset))
            fail_msg("%s: %s, %s at %" PRIu64, cases[i].name,
                     tn_status_name(complaint.status), complaint.what,
                     complaint.offset);
        tn_unguard(&guarded);
        tn_buffer_done(&file);
        free((void *)(uintptr_t)data.data);
        assert_int_equal(memory.used, 0);
    }
}

static void chunks_past_a_limit(void **state)
{
    struct tn_riegeli_record record;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    struct tn_source         source;
    struct tn_buffer         bytes;
    struct tn_bytes          data =
        tn_hex("62 06 01 0b 00 80 03 03 03 0b 01 80 61 62 63 03");

    (void)state;
    start();
    tn_buffer_init(&bytes, &memory, &error);
    wrap(&bytes, 'r', 1, 3, data);
    tn_source_memory(&source, &memory, tn_buffer_bytes(&bytes));
    tn_riegeli_open(&file, &source, &memory, &error);
    file.limit = 2;
    tn_riegeli_walk_init(&walk, &file, &error);
    assert_false(tn_riegeli_next(&walk, &record));
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(error.offset, 104);
    tn_riegeli_walk_done(&walk);
    tn_source_close(&source);
    tn_buffer_done(&bytes);
    free((void *)(uintptr_t)data.data);
}

/* ---- small files of every kind ------------------------------------------ */

static const char *const kinds[] = {
    "uncompressed",
    "uncompressed,chunk_size:20",
    "brotli:1,window_log:10",
    "zstd:1",
    "snappy",
    "transpose,uncompressed",
    "transpose,brotli:1",
    "transpose,zstd:1,bucket_fraction:0",
    "snappy,padding:333",
};

#define KINDS (sizeof kinds / sizeof *kinds)

static void make_kind(struct tn_buffer *to, size_t kind)
{
    static const uint8_t message[] = {
        8, 150, 1, 18, 3, 97, 98, 99, 26, 2, 8, 1
    };
    struct tn_riegeli_options options = TN_RIEGELI_OPTIONS_INIT;
    struct tn_riegeli_writer  w;

    tn_riegeli_options_parse(&options, kinds[kind], &error);
    options.has_metadata = kind % 2;
    options.metadata     = tn_bytes("\012\003abc", 5);
    options.workers      = 1;
    tn_buffer_init(to, &memory, &error);
    tn_riegeli_writer_init(&w, &to->sink, &options, &memory, &error);
    tn_riegeli_add(&w, tn_bytes(message, sizeof message));
    tn_riegeli_add(&w, tn_text(""));
    tn_riegeli_add(&w, tn_text("not a message"));
    tn_riegeli_add(&w, tn_bytes(message, 8));
    tn_riegeli_finish(&w);
    tn_riegeli_writer_done(&w);
    assert_int_equal(error.status, TN_OK);
}

/* A cut between two chunks leaves a good file, by the format. */
static bool ends_with_a_chunk(struct tn_bytes prefix)
{
    struct tn_error         ignored = TN_ERROR_INIT;
    struct tn_memory        budget;
    struct tn_source        source;
    struct tn_riegeli       file;
    struct tn_riegeli_frame frame = { .end = 0 };

    tn_memory_init(&budget, NULL, 0);
    tn_source_memory(&source, &budget, prefix);
    file = (struct tn_riegeli){ .source = &source, .memory = &budget };
    while (frame.end < prefix.size)
        if (tn_riegeli_frame_read(&file, frame.end, &frame, NULL, &ignored))
            return false;
    return prefix.size > 0;
}

static void every_prefix_and_no_memory(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct tn_buffer file;
        start();
        make_kind(&file, kind);
        tn_refuses_every_prefix(read_all, tn_buffer_bytes(&file),
                                ends_with_a_chunk);
        tn_survives_no_memory(read_all, tn_buffer_bytes(&file));
        tn_buffer_done(&file);
    }
}

/* Not one bit may change unnoticed. */
static void every_flip_is_noticed(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct tn_buffer file;
        start();
        make_kind(&file, kind);
        for (size_t bit = 0; bit < file.size * 8; bit++) {
            struct tn_error complaint = TN_ERROR_INIT;
            file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (read_all(tn_buffer_bytes(&file), &memory, &complaint) == TN_OK)
                fail_msg("%s: bit %zu of byte %zu", kinds[kind], bit % 8,
                         bit / 8);
            assert_true(complaint.offset <= file.size);
            file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        tn_buffer_done(&file);
    }
}

/* ---- larger files: blocks in the midst of chunks ------------------------ */

/* 20000 records of 12 bytes in uncompressed chunks of about 3 KB. */
#define MANY 20000

static void make_many(struct tn_buffer *to)
{
    struct tn_riegeli_options options = TN_RIEGELI_OPTIONS_INIT;
    struct tn_riegeli_writer  w;

    tn_riegeli_options_parse(&options, "uncompressed,chunk_size:3000", &error);
    tn_buffer_init(to, &memory, &error);
    tn_riegeli_writer_init(&w, &to->sink, &options, &memory, &error);
    for (unsigned i = 0; i < MANY; i++) {
        char text[20];
        snprintf(text, sizeof text, "record%06u", i);
        tn_riegeli_add(&w, tn_bytes(text, 12));
    }
    assert_int_equal(tn_riegeli_finish(&w), TN_OK);
    tn_riegeli_writer_done(&w);
}

/* Empty records: a chunk that is mostly padding, with a block in it. */
static void make_padded(struct tn_buffer *to)
{
    struct tn_riegeli_options options = TN_RIEGELI_OPTIONS_INIT;
    struct tn_riegeli_writer  w;

    tn_buffer_init(to, &memory, &error);
    tn_riegeli_writer_init(&w, &to->sink, &options, &memory, &error);
    for (unsigned i = 0; i < 66000; i++)
        tn_riegeli_add(&w, tn_bytes(NULL, 0));
    assert_int_equal(tn_riegeli_finish(&w), TN_OK);
    tn_riegeli_writer_done(&w);
    assert_int_equal(to->size, 66064);
}

/* Around blocks every byte, elsewhere now and then. */
static size_t next_place(size_t at)
{
    size_t in_block = at % TN_RIEGELI_BLOCK;

    return in_block < 70 || in_block > 65530 ? at + 1 : at + 331;
}

static void flips_among_blocks(void **state)
{
    (void)state;
    for (int is_padded = 0; is_padded < 2; is_padded++) {
        struct tn_buffer file;
        start();
        if (is_padded)
            make_padded(&file);
        else
            make_many(&file);
        for (size_t at = 0; at < file.size; at = next_place(at)) {
            struct tn_error complaint = TN_ERROR_INIT;
            file.data[at] ^= 0x10;
            if (read_all(tn_buffer_bytes(&file), &memory, &complaint) == TN_OK)
                fail_msg("byte %zu", at);
            file.data[at] ^= 0x10;
        }
        tn_buffer_done(&file);
    }
}

/* ---- going on over damage ----------------------------------------------- */

struct losses {
    uint64_t count;
    uint64_t begin, end; /* of the last one                                   */
    uint64_t bytes;
};

static void note_loss(void *context, uint64_t begin, uint64_t end,
                      const struct tn_error *why)
{
    struct losses *losses = context;

    assert_true(tn_failed(why) && why->what[0]);
    assert_true(begin < end);
    losses->count++;
    losses->begin = begin;
    losses->end   = end;
    losses->bytes += end - begin;
}

/* How many records come, each of them whole and in order. */
static uint64_t count_with(struct tn_bytes bytes, struct losses *losses,
                           unsigned workers)
{
    struct tn_riegeli_record record;
    struct tn_source         source;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    char                     text[13] = "", last[13] = "";
    uint64_t                 count = 0;

    *losses = (struct losses){ 0 };
    tn_source_memory(&source, &memory, bytes);
    file = (struct tn_riegeli){ &source, &memory, UINT64_MAX, UINT64_MAX };
    tn_riegeli_walk_init(&walk, &file, &error);
    walk.skipped = note_loss;
    walk.context = losses;
    walk.workers = workers;
    while (tn_riegeli_next(&walk, &record)) {
        assert_int_equal(record.bytes.length, 12);
        tn_source_read(record.bytes.source, record.bytes.offset, text, 12,
                       &error);
        assert_memory_equal(text, "record", 6);
        assert_true(strcmp(text, last) > 0);
        memcpy(last, text, sizeof last);
        count++;
    }
    assert_int_equal(error.status, TN_OK);
    tn_riegeli_walk_done(&walk);
    tn_source_close(&source);
    return count;
}

/* The same with and without threads. */
static uint64_t count_survivors(struct tn_bytes bytes, struct losses *losses)
{
    struct losses ahead;
    uint64_t      count = count_with(bytes, &ahead, 2);

    assert_int_equal(count, count_with(bytes, losses, 1));
    assert_memory_equal(losses, &ahead, sizeof ahead);
    return count;
}

static struct tn_riegeli_frame frame_at(struct tn_bytes bytes, uint64_t at,
                                        bool is_after)
{
    struct tn_riegeli_frame frame = { .end = 0 };
    struct tn_source        source;
    struct tn_riegeli       file = { &source, &memory, UINT64_MAX, UINT64_MAX };

    tn_source_memory(&source, &memory, bytes);
    do
        assert_int_equal(
            tn_riegeli_frame_read(&file, frame.end, &frame, NULL, &error),
            TN_OK);
    while (is_after ? frame.begin < at : frame.end <= at);
    tn_source_close(&source);
    return frame;
}

static void damage_costs_what_it_must(void **state)
{
    struct tn_buffer file;
    struct losses    losses;

    (void)state;
    start();
    make_many(&file);
    struct tn_bytes all = tn_buffer_bytes(&file);
    assert_int_equal(count_survivors(all, &losses), MANY);
    assert_int_equal(losses.count, 0);

    struct tn_riegeli_frame hurt  = frame_at(all, 12382, false);
    struct tn_riegeli_frame over  = frame_at(all, 65536, false);
    struct tn_riegeli_frame over2 = frame_at(all, 131072, false);
    const struct {
        uint64_t flip, begin, end;
    } damages[] = {
        { hurt.begin + 100, hurt.begin, hurt.end }, /* data                   */
        { hurt.begin + 10, hurt.begin, over.end },  /* its header             */
        { 65536 + 3, over.begin, over2.end },       /* a block header         */
        { 0, 0, over.end },                         /* the signature          */
        { over.begin + 1, over.begin, over.end },   /* header before a block  */
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint64_t lost = 0;
        for (uint64_t at = damages[i].begin; at < damages[i].end;) {
            struct tn_riegeli_frame frame = frame_at(all, at, false);
            lost += frame.record_count;
            at = frame.end;
        }
        file.data[damages[i].flip] ^= 1;
        assert_int_equal(count_survivors(all, &losses), MANY - lost);
        assert_int_equal(losses.count, 1);
        assert_int_equal(losses.begin, damages[i].begin);
        assert_int_equal(losses.end, damages[i].end);
        file.data[damages[i].flip] ^= 1;
    }
    tn_buffer_done(&file);
}

/* Whatever is damaged, the rest comes, and the losses are told. */
static void all_damage_is_told(void **state)
{
    struct tn_buffer file;
    struct losses    losses;

    (void)state;
    start();
    make_many(&file);
    struct tn_bytes all = tn_buffer_bytes(&file);
    for (size_t at = 5; at < file.size; at += 5003) {
        file.data[at] ^= 0x40;
        uint64_t left = count_survivors(all, &losses);
        assert_true(losses.count > 0 && left >= MANY - 8000 && left < MANY + 1);
        file.data[at] ^= 0x40;
    }
    for (size_t size = 1; size < file.size; size += 7001) {
        uint64_t left = count_survivors(tn_bytes(file.data, size), &losses);
        assert_true(left <= MANY * size / file.size);
        assert_true(losses.count == 1 ||
                    ends_with_a_chunk(tn_bytes(file.data, size)));
    }
    memset(file.data + 70000, 0xee, 100000);
    assert_true(count_survivors(all, &losses) > 8000);
    assert_true(losses.bytes >= 100000);
    tn_buffer_done(&file);
}

/* ---- sources that are not mapped, and fail ------------------------------ */

struct failing {
    struct tn_source source; /* first */
    struct tn_bytes  bytes;
    uint64_t         left; /* reads that succeed                              */
};

static enum tn_status failing_read_at(struct tn_source *source, uint64_t offset,
                                      void *to, size_t size,
                                      struct tn_error *complaint)
{
    struct failing *failing = (struct failing *)source;

    if (failing->left-- == 0)
        return tn_error_set(complaint, TN_IO, TN_NOWHERE, "the disk is gone");
    memcpy(to, failing->bytes.data + offset, size);
    return TN_OK;
}

static void failing_close(struct tn_source *source)
{
    (void)source;
}

static void every_read_may_fail(void **state)
{
    static const struct tn_source_ops ops = { failing_read_at, failing_close };

    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct tn_buffer file;
        enum tn_status   status = TN_IO;
        start();
        make_kind(&file, kind);
        for (uint64_t reads = 0; status != TN_OK; reads++) {
            struct tn_error complaint = TN_ERROR_INIT;
            struct failing  failing   = {
                   .source = { .ops    = &ops,
                               .size   = file.size,
                               .name   = "",
                               .memory = &memory },
                   .bytes  = tn_buffer_bytes(&file),
                   .left   = reads,
            };
            tn_arena_init(&failing.source.pins, &memory);
            status = read_source(&failing.source, &memory, &complaint);
            assert_true(status == TN_OK || status == TN_IO);
            tn_source_close(&failing.source);
        }
        tn_buffer_done(&file);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_that_lie),
        cmocka_unit_test(chunks_past_a_limit),
        cmocka_unit_test(every_prefix_and_no_memory),
        cmocka_unit_test(every_flip_is_noticed),
        cmocka_unit_test(flips_among_blocks),
        cmocka_unit_test(damage_costs_what_it_must),
        cmocka_unit_test(all_damage_is_told),
        cmocka_unit_test(every_read_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
