/* riegeli_write_test.c - what we write: Google's bytes, and records that come
 * back whatever the options */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/varint.h"
#include "support/hostile.h"
#include "wire/riegeli/riegeli_layout.h"
#include "wire/riegeli/riegeli_write.h"

#define DATA TN_SHARED_DATA "/riegeli/"

static struct tn_memory memory;
static struct tn_error  error;

static void start(void)
{
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* ---- writing and reading ------------------------------------------------ */

struct set {
    struct tn_bytes items[2000];
    size_t          count;
};

static struct tn_riegeli_options options_of(const char *text)
{
    struct tn_riegeli_options options = TN_RIEGELI_OPTIONS_INIT;

    if (tn_riegeli_options_parse(&options, text, &error) != TN_OK)
        fail_msg("%s: %s", text, error.what);
    return options;
}

static void write_set(const struct set                *set,
                      const struct tn_riegeli_options *options,
                      struct tn_buffer                *to)
{
    struct tn_riegeli_writer w;

    tn_riegeli_writer_init(&w, &to->sink, options, to->memory, to->error);
    for (size_t i = 0; i < set->count; i++)
        tn_riegeli_add(&w, set->items[i]);
    tn_riegeli_finish(&w);
    tn_riegeli_writer_done(&w);
}

static bool holds(struct tn_span span, struct tn_bytes expected)
{
    uint8_t *copy = malloc((size_t)span.length + 1);

    assert_non_null(copy);
    bool is_same = span.length == expected.size &&
                   tn_source_read(span.source, span.offset, copy,
                                  (size_t)span.length, &error) == TN_OK &&
                   tn_bytes_equal(tn_bytes(copy, expected.size), expected);
    free(copy);
    return is_same;
}

/* All records in order, then the last one; from memory or by way of files. */
static void expect_set(struct tn_bytes bytes, const struct set *set,
                       uint64_t in_memory, const char *what)
{
    struct tn_riegeli_record record;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    struct tn_source         source;
    size_t                   count = 0;

    tn_source_memory(&source, &memory, bytes);
    if (tn_riegeli_open(&file, &source, &memory, &error) != TN_OK)
        fail_msg("%s: %s", what, error.what);
    file.in_memory = in_memory;
    tn_riegeli_walk_init(&walk, &file, &error);
    walk.workers = (unsigned)(bytes.size % 4);
    while (tn_riegeli_next(&walk, &record)) {
        assert_true(count < set->count);
        if (!holds(record.bytes, set->items[count]))
            fail_msg("%s: record %zu differs", what, count);
        count++;
    }
    if (tn_failed(&error) || count != set->count)
        fail_msg("%s: %zu of %zu records, %s at %" PRIu64, what, count,
                 set->count, error.what, error.offset);
    if (count) {
        assert_true(tn_riegeli_last(&walk, &record));
        assert_true(holds(record.bytes, set->items[count - 1]));
    }
    tn_riegeli_walk_done(&walk);
    tn_source_close(&source);
}

/* ---- Google's bytes ----------------------------------------------------- */

/* One record "abc" and all that comes after the signature. */
static const struct {
    const char *options, *hex;
} examples[] = {
    { "uncompressed",
      "11 3d 3d 6c 0b 1d eb 36 06 00 00 00 00 00 00 00 f6 34 c5 aa 8c 80 2f e8 "
      "72 01 00 00 00 00 00 00 03 00 00 00 00 00 00 00 00 01 03 61 62 63" },
    { "brotli", "62 06 01 0b 00 80 03 03 03 0b 01 80 61 62 63 03" },
    { "zstd", "7a 0b 01 28 b5 2f fd 20 01 09 00 00 03 03 28 b5 2f fd 20 03 19 "
              "00 00 61 62 63" },
    { "snappy", "73 04 01 01 00 03 03 03 08 61 62 63" },
};

static void one_record(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        start();
        struct set                set     = { { tn_text("abc") }, 1 };
        struct tn_riegeli_options options = options_of(examples[i].options);
        struct tn_bytes           tail    = tn_hex(examples[i].hex);
        struct tn_buffer          file;
        tn_buffer_init(&file, &memory, &error);
        write_set(&set, &options, &file);
        assert_int_equal(error.status, TN_OK);
        assert_memory_equal(file.data, tn_riegeli_signature, 64);
        assert_true(file.size > 64 + tail.size - 1);
        if (memcmp(file.data + file.size - tail.size, tail.data, tail.size))
            fail_msg("%s: other bytes", examples[i].options);
        tn_buffer_done(&file);
        free((void *)(uintptr_t)tail.data);
        assert_int_equal(memory.used, 0);
    }
}

static bool load_samples(struct set *set)
{
    set->count = 10;
    for (unsigned i = 0; i < 10; i++) {
        char path[300];
        snprintf(path, sizeof path, DATA "records/r%02u.bin", i);
        set->items[i] = tn_load_file(path);
        if (!set->items[i].data) {
            print_message("skipped: wants real models: %s\n", path);
            return false;
        }
    }
    return true;
}

static void free_set(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free((void *)(uintptr_t)set->items[i].data);
}

static void the_same_bytes_as_google(void **state)
{
    static const char *const files[][2] = {
        { "simple-none.riegeli", "uncompressed" },
        { "simple-none-chunk1.riegeli", "uncompressed,chunk_size:1" },
    };
    static struct set set;

    (void)state;
    start();
    if (!load_samples(&set))
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tn_riegeli_options options = options_of(files[i][1]);
        struct tn_buffer          file;
        char                      path[300];
        snprintf(path, sizeof path, DATA "%s", files[i][0]);
        struct tn_bytes golden = tn_load_file(path);
        tn_buffer_init(&file, &memory, &error);
        write_set(&set, &options, &file);
        if (!tn_bytes_equal(tn_buffer_bytes(&file), golden))
            fail_msg("%s: other bytes", files[i][0]);
        tn_buffer_done(&file);
        free((void *)(uintptr_t)golden.data);
    }
    free_set(&set);
}

static void every_option_on_the_samples(void **state)
{
    static const char *const texts[] = {
        "",
        "uncompressed",
        "uncompressed,chunk_size:1",
        "uncompressed,chunk_size:1M,padding",
        "brotli:0",
        "brotli:11",
        "brotli:5,window_log:10",
        "brotli:5,window_log:25",
        "zstd",
        "zstd:-5",
        "zstd:19,window_log:20",
        "snappy",
        "snappy:2",
        "padding:4K",
        "final_padding:100",
        "transpose",
        "transpose,uncompressed",
        "transpose,uncompressed,chunk_size:1",
        "transpose,uncompressed,chunk_size:1M",
        "transpose,bucket_fraction:0",
        "transpose,bucket_fraction:0.5,brotli:3",
        "transpose,zstd,bucket_fraction:0.1",
        "transpose,snappy,padding",
    };
    static struct set set;

    (void)state;
    start();
    if (!load_samples(&set))
        return;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tn_riegeli_options options = options_of(texts[i]);
        struct tn_buffer          file;
        tn_buffer_init(&file, &memory, &error);
        write_set(&set, &options, &file);
        expect_set(tn_buffer_bytes(&file), &set, UINT64_MAX, texts[i]);
        expect_set(tn_buffer_bytes(&file), &set, 0, texts[i]);
        if (options.final_padding > 1)
            assert_int_equal(file.size % options.final_padding, 0);
        tn_buffer_done(&file);
    }
    free_set(&set);
    assert_int_equal(memory.used, 0);
}

static void refuses_bad_options(void **state)
{
    static const char *const texts[] = {
        "brotl",
        "brotli:12",
        "brotli:x",
        "brotli:",
        "zstd:23",
        "snappy:3",
        "uncompressed:1",
        "transpose:maybe",
        "chunk_size:0",
        "chunk_size:1X",
        "chunk_size:1MB",
        "chunk_size:99999999999999999E",
        "chunk_size",
        "bucket_fraction:2",
        "bucket_fraction:nan",
        "padding:0",
        "window_log:9",
        "window_log:31",
        ",",
        "snappy,window_log:20",
        "parallelism:-1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tn_riegeli_options options = TN_RIEGELI_OPTIONS_INIT;
        start();
        if (tn_riegeli_options_parse(&options, texts[i], &error) != TN_INVALID)
            fail_msg("%s was taken", texts[i]);
    }
}

/* ---- any records, any options ------------------------------------------- */

static size_t put_field(uint8_t *to, uint32_t *seed, unsigned depth);

static size_t put_message(uint8_t *to, uint32_t *seed, unsigned depth)
{
    size_t size = 0;

    for (uint32_t n = next_random(seed) % 5; n > 0 && size < 4000; n--)
        size += put_field(to + size, seed, depth);
    return size;
}

static size_t put_bytes(uint8_t *to, uint32_t *seed, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)next_random(seed);
    return size;
}

/* A field, sometimes written in a way nobody should. */
static size_t put_field(uint8_t *to, uint32_t *seed, unsigned depth)
{
    static const unsigned types[] = { 0, 0, 0, 1, 2, 2, 2, 2, 3, 4, 5 };
    uint8_t               inner[9000];
    unsigned              type = types[next_random(seed) % 11];
    size_t size = tn_varint_put(to, (next_random(seed) % 40 + 1) << 3 | type);

    if (next_random(seed) % 50 == 0) { /* a tag longer than it must be */
        to[size - 1] |= 0x80;
        to[size++] = 0;
    }
    switch (type) {
    case 0:
        return size + tn_varint_put(to + size, (uint64_t)next_random(seed) >>
                                                   next_random(seed) % 24);
    case 1: return size + put_bytes(to + size, seed, 8);
    case 5: return size + put_bytes(to + size, seed, 4);
    case 2: break;
    default: return size;
    }
    size_t length = depth < 6 && next_random(seed) % 2
                        ? put_message(inner, seed, depth + 1)
                        : put_bytes(inner, seed, next_random(seed) % 30);
    length        = length > 8000 ? 0 : length;
    size += tn_varint_put(to + size, length);
    memcpy(to + size, inner, length);
    return size + length;
}

static void random_set(struct set *set, uint32_t *seed)
{
    static uint8_t room[60000];
    size_t         most = next_random(seed) % 5 ? 20 : 1500;

    set->count = next_random(seed) % most;
    for (size_t i = 0; i < set->count; i++) {
        size_t size = 0;
        switch (next_random(seed) % 8) {
        case 0: break;
        case 1: size = put_bytes(room, seed, next_random(seed) % 100); break;
        case 2:
            size = most < 100 ? next_random(seed) % sizeof room : 7;
            memset(room, (int)next_random(seed), size);
            break;
        default: size = put_message(room, seed, 0);
        }
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, room, size);
        set->items[i] = tn_bytes(copy, size);
    }
}

static struct tn_riegeli_options random_options(uint32_t *seed)
{
    static const struct tn_riegeli_codec codecs[] = {
        { TN_RIEGELI_NONE, 0, 0 },
        { TN_RIEGELI_BROTLI, 2, 0 },
        { TN_RIEGELI_ZSTD, 1, 0 },
        { TN_RIEGELI_SNAPPY, 1, 0 },
    };
    static const uint64_t chunk_sizes[] = { 0, 1, 100, 5000, 70000, 1 << 20 };
    static const uint64_t paddings[]    = { 0, 0, 7, 1000, 65536 };

    return (struct tn_riegeli_options){
        .codec           = codecs[next_random(seed) % 4],
        .is_transposed   = next_random(seed) % 2,
        .keeps_plain     = next_random(seed) % 2,
        .bucket_fraction = next_random(seed) % 4 / 3.0,
        .chunk_size      = chunk_sizes[next_random(seed) % 6],
        .final_padding   = paddings[next_random(seed) % 5],
        .has_metadata    = next_random(seed) % 2,
        .metadata        = tn_bytes("\012\011test file", 11),
        .workers         = next_random(seed) % 3 + 1,
    };
}

static void any_records_with_any_options(void **state)
{
    static struct set set;

    (void)state;
    for (uint32_t round = 0; round < 150; round++) {
        char             what[40];
        uint32_t         seed = round;
        struct tn_buffer file;
        start();
        snprintf(what, sizeof what, "round %u", round);
        random_set(&set, &seed);
        struct tn_riegeli_options options = random_options(&seed);
        tn_buffer_init(&file, &memory, &error);
        write_set(&set, &options, &file);
        if (tn_failed(&error))
            fail_msg("%s: %s", what, error.what);
        expect_set(tn_buffer_bytes(&file), &set,
                   next_random(&seed) % 3 ? UINT64_MAX : 100, what);
        tn_buffer_done(&file);
        free_set(&set);
        assert_int_equal(memory.used, 0);
    }
}

/* ---- threads, positions, long records ----------------------------------- */

static void threads_do_not_change_the_bytes(void **state)
{
    static const char *const texts[] = {
        "chunk_size:3000",
        "zstd,chunk_size:1",
        "snappy,chunk_size:2000",
        "uncompressed,chunk_size:500",
        "transpose,chunk_size:9000",
        "transpose,zstd,chunk_size:4000",
        "transpose,snappy,chunk_size:4000",
        "transpose,uncompressed,chunk_size:4000",
    };
    static struct set set;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t         seed = 4;
        struct tn_buffer one, many;
        start();
        random_set(&set, &seed);
        struct tn_riegeli_options options = options_of(texts[i]);
        options.workers                   = 1;
        tn_buffer_init(&one, &memory, &error);
        write_set(&set, &options, &one);
        for (unsigned workers = 0; workers < 9; workers++) {
            options.workers = workers;
            tn_buffer_init(&many, &memory, &error);
            write_set(&set, &options, &many);
            assert_int_equal(error.status, TN_OK);
            assert_true(
                tn_bytes_equal(tn_buffer_bytes(&one), tn_buffer_bytes(&many)));
            tn_buffer_done(&many);
        }
        tn_buffer_done(&one);
        free_set(&set);
    }
}

/* Asking does not change the file, and the answers are where records are. */
static void positions_while_writing(void **state)
{
    static struct set        set;
    static uint64_t          said[2000];
    struct tn_riegeli_writer w;
    struct tn_riegeli_record record;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    struct tn_source         source;
    struct tn_buffer         asked, unasked;
    uint32_t                 seed = 4;

    (void)state;
    start();
    random_set(&set, &seed);
    struct tn_riegeli_options options = options_of("chunk_size:700");
    tn_buffer_init(&asked, &memory, &error);
    tn_buffer_init(&unasked, &memory, &error);
    write_set(&set, &options, &unasked);
    tn_riegeli_writer_init(&w, &asked.sink, &options, &memory, &error);
    for (size_t i = 0; i < set.count; i++) {
        tn_riegeli_add(&w, set.items[i]);
        if (next_random(&seed) % 7 == 0)
            for (size_t k = i < 9 ? 0 : i - 9; k <= i; k++)
                tn_riegeli_position_of(&w, k, &said[k]);
    }
    tn_riegeli_finish(&w);
    assert_int_equal(error.status, TN_OK);
    for (size_t i = 0; i < set.count; i++) {
        uint64_t again;
        assert_int_equal(tn_riegeli_position_of(&w, i, &again), TN_OK);
        assert_true(said[i] == 0 || said[i] == again);
        said[i] = again;
    }
    assert_int_equal(tn_riegeli_position_of(&w, set.count, &said[0]),
                     TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_riegeli_writer_done(&w);
    assert_true(
        tn_bytes_equal(tn_buffer_bytes(&asked), tn_buffer_bytes(&unasked)));
    tn_source_memory(&source, &memory, tn_buffer_bytes(&asked));
    tn_riegeli_open(&file, &source, &memory, &error);
    tn_riegeli_walk_init(&walk, &file, &error);
    for (size_t i = set.count; i-- > 0;) {
        assert_int_equal(tn_riegeli_seek(&walk, said[i]), TN_OK);
        assert_true(tn_riegeli_next(&walk, &record));
        assert_true(holds(record.bytes, set.items[i]));
        assert_int_equal(tn_riegeli_position(&record), said[i]);
    }
    tn_riegeli_walk_done(&walk);
    tn_source_close(&source);
    tn_buffer_done(&asked);
    tn_buffer_done(&unasked);
    free_set(&set);
    assert_int_equal(memory.used, 0);
}

/* Too long to be kept in memory: by pieces, there and back. */
static void long_records(void **state)
{
    static const char *const texts[] = { "", "uncompressed", "zstd", "snappy",
                                         "transpose,zstd" };
    static uint8_t           noise[9 << 20];
    static uint8_t           zeros[9 << 20];
    uint32_t                 seed = 1;

    (void)state;
    put_bytes(noise, &seed, sizeof noise);
    for (size_t i = 0; i < sizeof texts / sizeof *texts * 2; i++) {
        struct set       set = { { tn_text("first"), tn_bytes(zeros, 9 << 20),
                                   tn_bytes(noise, 5 << 20), tn_text("last") },
                                 4 };
        struct tn_buffer file;
        start();
        struct tn_riegeli_options options = options_of(texts[i / 2]);
        options.keeps_plain               = i % 2;
        tn_buffer_init(&file, &memory, &error);
        write_set(&set, &options, &file);
        expect_set(tn_buffer_bytes(&file), &set, 1 << 20, texts[i / 2]);
        expect_set(tn_buffer_bytes(&file), &set, UINT64_MAX, texts[i / 2]);
        assert_true(i % 2 == 0 || file.size > 5 << 20);
        tn_buffer_done(&file);
        assert_int_equal(memory.used, 0);
    }
}

/* What the first window does not shrink by a twentieth is stored, however well
 * the rest would do: in short chunks and in records of their own alike. */
static void stores_what_does_not_shrink(void **state)
{
    static const struct {
        unsigned zeros; /* of a hundred bytes in the first window            */
        bool     is_stored;
    } rows[] = { { 0, true }, { 3, true }, { 12, false }, { 100, false } };
    static const char *const texts[] = { "brotli:1", "zstd:1", "snappy" };
    static const size_t      sizes[] = { 300 << 10, 5 << 20 };
    static uint8_t           bytes[5 << 20];

    (void)state;
    for (size_t i = 0; i < 4 * 3 * 2; i++) {
        unsigned zeros = rows[i % 4].zeros;
        uint32_t seed  = 9;
        memset(bytes, 0, sizeof bytes);
        put_bytes(bytes, &seed, 64 << 10);
        memset(bytes, 0, (64 << 10) / 100 * (size_t)zeros);
        struct set       set = { { tn_bytes(bytes, sizes[i / 12]) }, 1 };
        struct tn_buffer file;
        start();
        struct tn_riegeli_options options = options_of(texts[i / 4 % 3]);
        options.keeps_plain               = true;
        tn_buffer_init(&file, &memory, &error);
        write_set(&set, &options, &file);
        assert_int_equal(error.status, TN_OK);
        /* Behind the signature and the header is the codec. */
        assert_int_equal(file.data[64 + 40] == TN_RIEGELI_NONE,
                         rows[i % 4].is_stored);
        expect_set(tn_buffer_bytes(&file), &set, UINT64_MAX, texts[i / 4 % 3]);
        tn_buffer_done(&file);
    }
}

/* Several records are packed at once, if they stay where they are.  What they
 * give is more than stays in memory. */
static void long_records_by(const char *text, const struct set *set,
                            bool records_last)
{
    struct tn_buffer files[4];

    start();
    for (unsigned k = 0; k < 4; k++) {
        struct tn_riegeli_options options = options_of(text);
        options.workers                   = k + 1;
        options.records_last              = records_last;
        tn_buffer_init(&files[k], &memory, &error);
        write_set(set, &options, &files[k]);
        assert_int_equal(error.status, TN_OK);
        assert_true(tn_bytes_equal(tn_buffer_bytes(&files[0]),
                                   tn_buffer_bytes(&files[k])));
    }
    expect_set(tn_buffer_bytes(&files[2]), set, 0, text);
    for (unsigned k = 0; k < 4; k++)
        tn_buffer_done(&files[k]);
    assert_int_equal(memory.used, 0);
}

static void threads_and_long_records(void **state)
{
    static const size_t sizes[] = { (4 << 20) + 1, 8 << 20, (8 << 20) + 1,
                                    13 << 20 };
    static uint8_t      bytes[13 << 20];
    uint32_t            seed = 3;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(next_random(&seed) % 16 * (i >> 10 & 15));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tn_bytes one = tn_bytes(bytes, sizes[i]);
        struct set      set = { { one }, 1 };
        long_records_by("brotli:1", &set, false);
        set = (struct set){ { one, tn_bytes(bytes, 1 << 20), one, one }, 4 };
        long_records_by("zstd:1", &set, true);
        if (i == 3)
            long_records_by("brotli:1", &set, true);
    }
    struct set set = { { tn_bytes(bytes, sizeof bytes) }, 1 };
    long_records_by("zstd:1", &set, false);
}

/* The same bytes again and again, in pieces that any thread can look at or by
 * a producer that gives them once. */
struct echo {
    struct tn_producer producer; /* first */
    struct tn_bytes    bytes;
    unsigned           times;
};

static enum tn_status echo_produce(const struct tn_producer *producer,
                                   struct tn_sink           *to,
                                   struct tn_error          *complaint)
{
    const struct echo *echo = (const struct echo *)producer;

    for (unsigned i = 0; i < echo->times; i++)
        TN_TRY(tn_sink_write(to, echo->bytes, complaint));
    return TN_OK;
}

static void write_echo(const struct echo *echo, bool is_produced,
                       bool records_last, unsigned workers,
                       struct tn_buffer *to)
{
    struct tn_riegeli_options options = options_of("brotli:1");
    struct tn_riegeli_writer  w;
    struct tn_arena           arena;
    struct tn_rope            rope;

    options.workers      = workers;
    options.records_last = records_last;
    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    for (unsigned i = 0; i < echo->times && !is_produced; i++)
        tn_rope_borrow(&rope, echo->bytes);
    if (is_produced)
        tn_rope_producer(&rope, &echo->producer);
    tn_riegeli_writer_init(&w, &to->sink, &options, &memory, &error);
    tn_riegeli_add_rope(&w, &rope);
    tn_riegeli_add_rope(&w, &rope);
    tn_riegeli_finish(&w);
    tn_riegeli_writer_done(&w);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

/* Neither how many threads there are nor where the bytes are changes where a
 * stream is cut. */
static void parts_of_long_records(void **state)
{
    static uint8_t bytes[11 << 20];
    uint32_t       seed = 3;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(next_random(&seed) % 16 * (i >> 10 & 15));
    for (unsigned times = 2; times <= 7; times += times == 2 ? 1 : 4) {
        struct echo      echo = { { echo_produce, times * sizeof bytes },
                                  tn_bytes(bytes, sizeof bytes),
                                  times };
        struct tn_buffer files[6];
        start();
        for (unsigned k = 0; k < 6; k++) {
            tn_buffer_init(&files[k], &memory, &error);
            write_echo(&echo, k % 2, k / 2 == 2, k / 2 * 2 + 1, &files[k]);
            assert_int_equal(error.status, TN_OK);
            assert_true(tn_bytes_equal(tn_buffer_bytes(&files[0]),
                                       tn_buffer_bytes(&files[k])));
        }
        for (unsigned k = 0; k < 6; k++)
            tn_buffer_done(&files[k]);
        assert_int_equal(memory.used, 0);
    }
}

/* A sink that nothing can be changed in, like a pipe. */
struct pipe {
    struct tn_sink    sink; /* first */
    struct tn_buffer *to;
};

static enum tn_status pipe_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *complaint)
{
    return tn_sink_write(&((struct pipe *)sink)->to->sink, bytes, complaint);
}

static void write_both_ways(const struct set *set, struct tn_buffer *patched,
                            struct tn_buffer *piped)
{
    static const struct tn_sink_ops ops     = { .write = pipe_write };
    struct tn_riegeli_options       options = options_of("brotli:0");
    struct pipe                     pipe    = { { .ops = &ops }, piped };
    struct tn_riegeli_writer        w;

    options.chunk_size = 1;
    tn_buffer_clear(patched);
    patched->sink.offset = 0;
    tn_buffer_clear(piped);
    write_set(set, &options, patched);
    tn_riegeli_writer_init(&w, &pipe.sink, &options, &memory, &error);
    for (size_t i = 0; i < set->count; i++)
        tn_riegeli_add(&w, set->items[i]);
    tn_riegeli_finish(&w);
    tn_riegeli_writer_done(&w);
    assert_int_equal(error.status, TN_OK);
}

/* A long record's headers are patched, wherever blocks begin in them. */
static void patched_or_spooled(void **state)
{
    static uint8_t   bytes[(4 << 20) + 100], before[66000];
    uint32_t         seed = 5;
    struct tn_buffer patched, piped;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(next_random(&seed) % (i < 300000 ? 256 : 2));
    for (size_t i = 0; i < sizeof before; i++)
        before[i] = (uint8_t)next_random(&seed);
    start();
    tn_buffer_init(&patched, &memory, &error);
    tn_buffer_init(&piped, &memory, &error);
    for (size_t size = 65300; size < 65500; size += 3) {
        struct set set = { { tn_bytes(before, size),
                             tn_bytes(bytes, sizeof bytes), tn_text("end") },
                           3 };
        write_both_ways(&set, &patched, &piped);
        assert_true(
            tn_bytes_equal(tn_buffer_bytes(&patched), tn_buffer_bytes(&piped)));
        if (size % 10 == 0)
            expect_set(tn_buffer_bytes(&patched), &set, 1 << 20, "patched");
    }
    tn_buffer_done(&patched);
    tn_buffer_done(&piped);
    assert_int_equal(memory.used, 0);
}

/* ---- the arithmetic of blocks ------------------------------------------- */

static void where_bytes_lie(void **state)
{
    static const uint64_t begins[] = { 0, 25, 26, 64, 65535, 65536, 65561 };

    (void)state;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        for (uint64_t n = 0; n < 200000; n += n % 65512 < 3 ? 1 : 65509) {
            uint64_t at = begins[i], end, rounded;
            for (uint64_t left = n; left;) { /* byte by byte, in strides */
                if (at % TN_RIEGELI_BLOCK == 0)
                    at += TN_RIEGELI_BLOCK_HEADER;
                uint64_t part = tn_min(left, tn_riegeli_to_block(at));
                at += part;
                left -= part;
            }
            assert_true(tn_riegeli_after(begins[i], n, &end));
            assert_int_equal(end, at);
            assert_true(tn_riegeli_round_up(at, &rounded));
            assert_true(tn_riegeli_is_boundary(rounded) && rounded - at < 25);
        }
    uint64_t end;
    assert_true(tn_riegeli_after(64, 1000040, &end));
    assert_int_equal(end, 1000464);
    assert_false(tn_riegeli_after(64, UINT64_MAX, &end));
    assert_false(tn_riegeli_after(UINT64_MAX - 10, 1000, &end));
    assert_false(tn_riegeli_end(64, UINT64_MAX - 20, 1, &end));
    assert_false(tn_riegeli_end(UINT64_MAX - 60, 1, 1 << 20, &end));
}

/* ---- no memory ---------------------------------------------------------- */

static enum tn_status write_all_kinds(struct tn_bytes   input,
                                      struct tn_memory *budget,
                                      struct tn_error  *complaint)
{
    static const char *const texts[] = { "uncompressed,chunk_size:200",
                                         "brotli:2,window_log:10",
                                         "zstd:1,transpose,padding:256" };
    struct set set = { { tn_text("abc"), input, tn_text("\010\001") }, 3 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tn_riegeli_options options = options_of(texts[i]);
        struct tn_buffer          file;
        options.workers      = 1;
        options.has_metadata = true;
        tn_buffer_init(&file, budget, complaint);
        write_set(&set, &options, &file);
        tn_buffer_done(&file);
        TN_TRY(complaint->status);
    }
    return complaint->status;
}

static void survives_no_memory(void **state)
{
    static uint8_t bytes[3000] = { 8, 1, 16, 2 };

    (void)state;
    start();
    tn_survives_no_memory(write_all_kinds, tn_bytes(bytes, sizeof bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_record),
        cmocka_unit_test(the_same_bytes_as_google),
        cmocka_unit_test(every_option_on_the_samples),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(any_records_with_any_options),
        cmocka_unit_test(threads_do_not_change_the_bytes),
        cmocka_unit_test(positions_while_writing),
        cmocka_unit_test(long_records),
        cmocka_unit_test(stores_what_does_not_shrink),
        cmocka_unit_test(threads_and_long_records),
        cmocka_unit_test(parts_of_long_records),
        cmocka_unit_test(patched_or_spooled),
        cmocka_unit_test(where_bytes_lie),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
