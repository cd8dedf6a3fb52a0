/* riegeli_test.c - files of others: every record, every hash, every position */
#define _GNU_SOURCE
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"
#include "wire/riegeli/riegeli.h"

#define DATA TN_SHARED_DATA "/riegeli/"

static struct tn_memory memory;
static struct tn_error  error;
static struct tn_bytes  records[10]; /* of the sample files                   */

static int load_records(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        char path[300];
        snprintf(path, sizeof path, DATA "records/r%02u.bin", i);
        records[i] = tn_load_file(path);
    }
    return 0;
}

static int free_records(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++)
        free((void *)(uintptr_t)records[i].data);
    return 0;
}

static bool has_samples(void)
{
    if (records[0].data)
        return true;
    print_message("skipped: wants real models: %s\n", DATA);
    return false;
}

static void start(void)
{
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
}

/* ---- a file under test -------------------------------------------------- */

struct opened {
    struct tn_bytes        bytes;
    struct tn_source       source;
    struct tn_riegeli      file;
    struct tn_riegeli_walk walk;
};

static void open_bytes(struct opened *o, struct tn_bytes bytes)
{
    start();
    o->bytes = bytes;
    tn_source_memory(&o->source, &memory, bytes);
    assert_int_equal(tn_riegeli_open(&o->file, &o->source, &memory, &error),
                     TN_OK);
    tn_riegeli_walk_init(&o->walk, &o->file, &error);
}

static void open_sample(struct opened *o, const char *name)
{
    char path[300];

    snprintf(path, sizeof path, DATA "%s", name);
    struct tn_bytes bytes = tn_load_file(path);
    assert_non_null(bytes.data);
    open_bytes(o, bytes);
}

static void close_opened(struct opened *o)
{
    tn_riegeli_walk_done(&o->walk);
    tn_source_close(&o->source);
    free((void *)(uintptr_t)o->bytes.data);
    assert_int_equal(memory.used, 0);
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

/* ---- the samples -------------------------------------------------------- */

static const struct {
    const char *name;
    const char *comment; /* in the metadata                                   */
    struct {
        uint64_t chunk, index;
    } at[10];
} samples[] = {
#define ONE(c)                                                                 \
    {                                                                          \
        { c, 0 }, { c, 1 }, { c, 2 }, { c, 3 }, { c, 4 }, { c, 5 }, { c, 6 },  \
            { c, 7 }, { c, 8 },                                                \
        {                                                                      \
            c, 9                                                               \
        }                                                                      \
    }
    { "simple-none.riegeli",
      NULL,
      { { 64, 0 },
        { 64, 1 },
        { 64, 2 },
        { 64, 3 },
        { 1106, 0 },
        { 5584, 0 },
        { 15563, 0 },
        { 20607, 0 },
        { 90676, 0 },
        { 90729, 0 } } },
    { "simple-none-chunk1.riegeli",
      NULL,
      { { 64, 0 },
        { 107, 0 },
        { 166, 0 },
        { 510, 0 },
        { 1232, 0 },
        { 5710, 0 },
        { 15689, 0 },
        { 20733, 0 },
        { 90802, 0 },
        { 90855, 0 } } },
    { "simple-brotli.riegeli", NULL, ONE(64) },
    { "simple-brotli-meta.riegeli", "test file", ONE(139) },
    { "simple-zstd.riegeli", NULL, ONE(64) },
    { "simple-snappy.riegeli", NULL, ONE(64) },
    { "transposed-none.riegeli", NULL, ONE(64) },
    { "transposed-none-meta.riegeli",
      "test file",
      { { 127, 0 },
        { 127, 1 },
        { 127, 2 },
        { 127, 3 },
        { 1040, 0 },
        { 5299, 0 },
        { 13917, 0 },
        { 18974, 0 },
        { 89058, 0 },
        { 89122, 0 } } },
    { "transposed-brotli.riegeli", NULL, ONE(64) },
    { "transposed-brotli-buckets.riegeli", NULL, ONE(64) },
    { "transposed-zstd.riegeli", NULL, ONE(64) },
    { "transposed-snappy.riegeli", NULL, ONE(64) },
    { "padded-brotli.riegeli", NULL, ONE(64) },
};

#define SAMPLES (sizeof samples / sizeof *samples)

static void expect_record(const struct tn_riegeli_record *record, size_t sample,
                          unsigned i)
{
    if (!holds(record->bytes, records[i]))
        fail_msg("%s: record %u differs", samples[sample].name, i);
    assert_int_equal(record->chunk, samples[sample].at[i].chunk);
    assert_int_equal(record->index, samples[sample].at[i].index);
}

static void every_record_in_order(void **state)
{
    (void)state;
    for (size_t s = 0; has_samples() && s < SAMPLES; s++) {
        struct opened            o;
        struct tn_riegeli_record record;
        open_sample(&o, samples[s].name);
        for (unsigned i = 0; i < 10; i++) {
            if (!tn_riegeli_next(&o.walk, &record))
                fail_msg("%s: %s", samples[s].name, error.what);
            expect_record(&record, s, i);
        }
        assert_false(tn_riegeli_next(&o.walk, &record));
        assert_int_equal(error.status, TN_OK);
        close_opened(&o);
    }
}

static void every_position(void **state)
{
    (void)state;
    for (size_t s = 0; has_samples() && s < SAMPLES; s++) {
        struct opened            o;
        struct tn_riegeli_record record;
        open_sample(&o, samples[s].name);
        for (unsigned i = 10; i-- > 0;) {
            uint64_t at = samples[s].at[i].chunk + samples[s].at[i].index;
            assert_int_equal(tn_riegeli_seek(&o.walk, at), TN_OK);
            assert_true(tn_riegeli_next(&o.walk, &record));
            expect_record(&record, s, i);
            assert_int_equal(tn_riegeli_position(&record), at);
        }
        assert_int_equal(tn_riegeli_seek(&o.walk, 0), TN_OK);
        assert_true(tn_riegeli_next(&o.walk, &record));
        expect_record(&record, s, 0);
        assert_int_equal(tn_riegeli_seek(&o.walk, o.source.size), TN_OK);
        assert_false(tn_riegeli_next(&o.walk, &record));
        assert_int_equal(tn_riegeli_seek(&o.walk, o.source.size + 1),
                         TN_NOT_FOUND);
        close_opened(&o);
    }
}

/* Any number names the record there, or the first one after it. */
static void positions_between_records(void **state)
{
    struct opened o;

    (void)state;
    if (!has_samples())
        return;
    open_sample(&o, samples[0].name);
    for (uint64_t at = 0; at < o.source.size; at += 37) {
        struct tn_riegeli_record record;
        unsigned                 i = 0;
        while (i < 10 && samples[0].at[i].chunk + samples[0].at[i].index < at)
            i++;
        assert_int_equal(tn_riegeli_seek(&o.walk, at), TN_OK);
        assert_int_equal(tn_riegeli_next(&o.walk, &record), i < 10);
        if (i < 10)
            expect_record(&record, 0, i);
    }
    close_opened(&o);
}

static void the_last_record(void **state)
{
    (void)state;
    for (size_t s = 0; has_samples() && s < SAMPLES; s++) {
        struct opened            o;
        struct tn_riegeli_record record;
        open_sample(&o, samples[s].name);
        assert_true(tn_riegeli_last(&o.walk, &record));
        expect_record(&record, s, 9);
        assert_false(tn_riegeli_next(&o.walk, &record));
        assert_true(tn_riegeli_last(&o.walk, &record));
        expect_record(&record, s, 9);
        close_opened(&o);
    }
}

static void metadata_of_samples(void **state)
{
    (void)state;
    for (size_t s = 0; has_samples() && s < SAMPLES; s++) {
        struct opened    o;
        struct tn_buffer meta;
        bool             has;
        open_sample(&o, samples[s].name);
        tn_buffer_init(&meta, &memory, &error);
        assert_int_equal(tn_riegeli_metadata(&o.file, &meta, &has, &error),
                         TN_OK);
        assert_int_equal(has, samples[s].comment != NULL);
        if (has)
            assert_true(memmem(meta.data, meta.size, samples[s].comment,
                               strlen(samples[s].comment)));
        tn_buffer_done(&meta);
        close_opened(&o);
    }
}

/* By pieces of the file a record is the same, also across a block. */
static void records_as_pieces(void **state)
{
    (void)state;
    for (size_t s = 0; has_samples() && s < SAMPLES; s++) {
        struct opened            o;
        struct tn_riegeli_record record;
        open_sample(&o, samples[s].name);
        for (unsigned i = 0; tn_riegeli_next(&o.walk, &record); i++) {
            struct tn_arena  arena;
            struct tn_rope   rope;
            struct tn_buffer bytes;
            tn_arena_init(&arena, &memory);
            tn_rope_init(&rope, &arena, &error);
            tn_buffer_init(&bytes, &memory, &error);
            tn_riegeli_chunk_spans(o.walk.chunk, record.index, &rope);
            assert_int_equal(tn_rope_write(&rope, &bytes.sink, &error), TN_OK);
            assert_true(tn_bytes_equal(tn_buffer_bytes(&bytes), records[i]));
            if (s < 2 && i == 7) { /* 70000 bytes, uncompressed */
                assert_int_equal(rope.pieces.count, 2);
                assert_ptr_equal(tn_list_at(&rope.pieces, struct tn_piece, 0)
                                     ->at.span.source,
                                 &o.source);
            }
            tn_buffer_done(&bytes);
            tn_rope_done(&rope);
            tn_arena_done(&arena);
        }
        close_opened(&o);
    }
}

/* ---- the odd ones ------------------------------------------------------- */

static void seventy_thousand_empty_records(void **state)
{
    struct opened            o;
    struct tn_riegeli_record record;
    uint64_t                 count = 0;

    (void)state;
    if (!has_samples())
        return;
    open_sample(&o, "empty-records.riegeli");
    while (tn_riegeli_next(&o.walk, &record)) {
        assert_int_equal(record.bytes.length, 0);
        assert_int_equal(tn_riegeli_position(&record), 64 + count++);
    }
    assert_int_equal(count, 70000);
    assert_true(tn_riegeli_last(&o.walk, &record));
    assert_int_equal(tn_riegeli_position(&record), 64 + 69999);
    close_opened(&o);
}

static void no_records_at_all(void **state)
{
    struct tn_riegeli_record record;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    struct tn_source         source;

    (void)state;
    start();
    tn_source_memory(
        &source, &memory,
        tn_bytes(tn_riegeli_signature, sizeof tn_riegeli_signature));
    assert_int_equal(tn_riegeli_open(&file, &source, &memory, &error), TN_OK);
    tn_riegeli_walk_init(&walk, &file, &error);
    assert_false(tn_riegeli_next(&walk, &record));
    assert_false(tn_riegeli_last(&walk, &record));
    assert_int_equal(error.status, TN_OK);
    tn_riegeli_walk_done(&walk);
    tn_source_close(&source);
}

/* TensorFlow's own: one chunk, and a last record that says what it is. */
static void every_golden_cpb(void **state)
{
    glob_t found;

    (void)state;
    if (glob(TN_SHARED_DATA "/tensorflow/proto_splitter/*.cpb", 0, NULL,
             &found) != 0) {
        print_message("skipped: wants real models: .cpb in %s\n",
                      TN_SHARED_DATA);
        return;
    }
    assert_true(found.gl_pathc >= 5);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct opened            o;
        struct tn_riegeli_record record;
        uint64_t                 last = 0;
        open_bytes(&o, tn_load_file(found.gl_pathv[i]));
        while (tn_riegeli_next(&o.walk, &record)) {
            assert_int_equal(record.chunk, 64);
            last = tn_riegeli_position(&record);
        }
        assert_int_equal(error.status, TN_OK);
        assert_true(last > 64);
        assert_true(tn_riegeli_last(&o.walk, &record));
        assert_int_equal(tn_riegeli_position(&record), last);
        close_opened(&o);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_in_order),
        cmocka_unit_test(every_position),
        cmocka_unit_test(positions_between_records),
        cmocka_unit_test(the_last_record),
        cmocka_unit_test(records_as_pieces),
        cmocka_unit_test(metadata_of_samples),
        cmocka_unit_test(seventy_thousand_empty_records),
        cmocka_unit_test(no_records_at_all),
        cmocka_unit_test(every_golden_cpb),
    };

    return cmocka_run_group_tests(tests, load_records, free_records);
}
