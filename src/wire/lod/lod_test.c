/* lod_test.c - records of every layout, told apart and refused at their byte */
#define _GNU_SOURCE
#include "wire/lod/lod.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/varint.h"
#include "support/hostile.h"

#define VERSION  "00 00 00 00 "
#define LEVELS_0 "00 00 00 00 00 00 00 00 "
#define LEVELS_1 "01 00 00 00 00 00 00 00 "
#define U64_8    "08 00 00 00 00 00 00 00 "
#define F32_2x1  "06 00 00 00 08 05 10 02 10 01 "
#define EIGHT    "01 02 03 04 05 06 07 08 "
#define HEAD     VERSION LEVELS_0 VERSION

/* clang-format off */
static const struct {
    const char        *name;
    enum tn_lod_layout layout;
    const char        *bytes;
    enum tn_status     status;
    uint64_t           offset; /* of the complaint, or of the data */
} cases[] = {
    { "one record", TN_LOD_SHIPPED, HEAD F32_2x1 EIGHT, TN_OK, 26 },
    { "one level", TN_LOD_SHIPPED, VERSION LEVELS_1 U64_8 EIGHT VERSION F32_2x1 EIGHT, TN_OK, 42 },
    { "an empty level", TN_LOD_SHIPPED, VERSION LEVELS_1 LEVELS_0 VERSION F32_2x1 EIGHT, TN_OK, 34 },
    { "seed", TN_LOD_SEED, VERSION F32_2x1 EIGHT LEVELS_0, TN_OK, 14 },
    { "seed, one level", TN_LOD_SEED, VERSION F32_2x1 EIGHT LEVELS_1 U64_8 EIGHT, TN_OK, 14 },
    { "bare", TN_LOD_BARE, VERSION F32_2x1 EIGHT, TN_OK, 14 },
    { "rows", TN_LOD_ROWS, VERSION "02 00 00 00 00 00 00 00 " EIGHT EIGHT U64_8 VERSION F32_2x1 EIGHT, TN_OK, 50 },
    { "packed dims", TN_LOD_SHIPPED, HEAD "06 00 00 00 08 05 12 02 02 01 " EIGHT, TN_OK, 26 },
    { "dims first", TN_LOD_SHIPPED, HEAD "06 00 00 00 10 02 10 01 08 05 " EIGHT, TN_OK, 26 },
    { "rank 0", TN_LOD_SHIPPED, HEAD "02 00 00 00 08 03 " EIGHT, TN_OK, 22 },
    { "a zero after a flood", TN_LOD_SHIPPED, HEAD "18 00 00 00 08 05 10 ff ff ff ff ff ff ff ff 7f 10 ff ff ff ff ff ff ff ff 7f 10 00", TN_OK, 44 },
    { "fields of tomorrow", TN_LOD_SHIPPED, HEAD "15 00 00 00 08 03 18 01 22 01 61 29 00 00 00 00 00 00 00 00 35 00 00 00 00" EIGHT, TN_OK, 41 },
    { "version 7", TN_LOD_SHIPPED, "07 00 00 00", TN_UNSUPPORTED, 0 },
    { "inner version 7", TN_LOD_SHIPPED, VERSION LEVELS_0 "07 00 00 00", TN_UNSUPPORTED, 12 },
    { "endless levels", TN_LOD_SHIPPED, VERSION "ff ff ff ff ff ff ff ff", TN_TRUNCATED, 12 },
    { "level of 15 bytes", TN_LOD_SHIPPED, VERSION LEVELS_1 "0f 00 00 00 00 00 00 00", TN_MALFORMED, 20 },
    { "level cut short", TN_LOD_SHIPPED, VERSION LEVELS_1 U64_8 "00", TN_TRUNCATED, 20 },
    { "seed level of 4", TN_LOD_SEED, VERSION F32_2x1 EIGHT LEVELS_1 "04 00 00 00 00 00 00 00 00 00 00 00", TN_MALFORMED, 38 },
    { "seed without levels", TN_LOD_SEED, VERSION F32_2x1 EIGHT, TN_TRUNCATED, 22 },
    { "data cut short", TN_LOD_SHIPPED, HEAD F32_2x1 "01", TN_TRUNCATED, 26 },
    { "desc of -1 bytes", TN_LOD_SHIPPED, HEAD "ff ff ff ff", TN_MALFORMED, 16 },
    { "desc of 1 GiB", TN_LOD_SHIPPED, HEAD "00 00 00 40", TN_LIMIT, 16 },
    { "desc past the end", TN_LOD_SHIPPED, HEAD "06 00 00 00 08 05", TN_TRUNCATED, 20 },
    { "empty desc", TN_LOD_SHIPPED, HEAD "00 00 00 00", TN_MALFORMED, 20 },
    { "no type", TN_LOD_SHIPPED, HEAD "02 00 00 00 10 02", TN_MALFORMED, 20 },
    { "type LOD_TENSOR", TN_LOD_SHIPPED, HEAD "02 00 00 00 08 07", TN_UNSUPPORTED, 20 },
    { "type PSTRING", TN_LOD_SHIPPED, HEAD "04 00 00 00 10 01 08 1d", TN_UNSUPPORTED, 22 },
    { "type past 2^32", TN_LOD_SHIPPED, HEAD "06 00 00 00 08 85 80 80 80 10", TN_UNSUPPORTED, 20 },
    { "field 0", TN_LOD_SHIPPED, HEAD "04 00 00 00 08 05 00 00", TN_MALFORMED, 22 },
    { "a group", TN_LOD_SHIPPED, HEAD "03 00 00 00 08 05 1b", TN_MALFORMED, 23 },
    { "dimension of -1", TN_LOD_SHIPPED, HEAD "0d 00 00 00 08 05 10 ff ff ff ff ff ff ff ff ff 01", TN_MALFORMED, 23 },
    { "2^64 bytes", TN_LOD_SHIPPED, HEAD "0e 00 00 00 08 05 10 80 80 80 80 10 10 80 80 80 80 10", TN_MALFORMED, 34 },
    { "dims without end", TN_LOD_SHIPPED, HEAD "03 00 00 00 08 05 10", TN_TRUNCATED, 23 },
    { "rows past the end", TN_LOD_ROWS, VERSION "ff ff ff ff ff ff ff ff", TN_TRUNCATED, 12 },
    { "rows wrap to 0", TN_LOD_ROWS, VERSION "00 00 00 00 00 00 00 20" EIGHT, TN_TRUNCATED, 12 },
    { "height of -1", TN_LOD_ROWS, VERSION LEVELS_0 "ff ff ff ff ff ff ff ff", TN_MALFORMED, 12 },
    { "rows that are not", TN_LOD_ROWS, VERSION LEVELS_0 U64_8 VERSION F32_2x1 EIGHT, TN_MALFORMED, 34 },
};
/* clang-format on */

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct tn_bytes      hex   = tn_hex(cases[i].bytes);
        struct tn_guarded    bytes = tn_guard(hex);
        struct tn_cursor     c     = tn_cursor_bytes(bytes.bytes, 0, &error);
        struct tn_lod_record record;

        tn_lod_read(&c, cases[i].layout, &record);
        uint64_t offset = tn_failed(&error) ? error.offset : record.data.offset;
        if (error.status != cases[i].status || offset != cases[i].offset)
            fail_msg("%s: status %d at %" PRIu64 ": %s", cases[i].name,
                     error.status, offset, error.what);
        if (!tn_failed(&error))
            assert_int_equal(tn_left(&c), 0);
        tn_unguard(&bytes);
        free((void *)hex.data);
    }
}

static void test_rank_limit(void **state)
{
    uint8_t              bytes[16 + 4 + 2 + 65 * 2] = { 0 };
    struct tn_error      error                      = TN_ERROR_INIT;
    struct tn_lod_record record;

    (void)state;
    bytes[16] = 2 + 65 * 2;
    bytes[20] = 0x08;
    bytes[21] = 5;
    for (size_t i = 22; i < sizeof bytes; i += 2) {
        bytes[i]     = 0x10;
        bytes[i + 1] = 1;
    }
    struct tn_cursor c =
        tn_cursor_bytes(tn_bytes(bytes, sizeof bytes), 0, &error);
    assert_int_equal(tn_lod_read(&c, TN_LOD_SHIPPED, &record), TN_LIMIT);
    assert_int_equal(error.offset, 22 + 64 * 2 + 1);
}

static void test_probe(void **state)
{
    (void)state;
    static const struct {
        const char        *bytes;
        enum tn_lod_layout layout;
    } heads[] = {
        { HEAD F32_2x1, TN_LOD_SHIPPED },
        { VERSION F32_2x1, TN_LOD_SEED },
        { VERSION "06 00 00 00 10 02 10 01 08 05", TN_LOD_SEED },
        { VERSION "06 00 00 00 12 02 02 01 08 05", TN_LOD_SEED },
        { VERSION "06 00 00 00 1a 02 02 01", TN_LOD_NONE },
        { "01 00 00 00 00 00 00 00 00 00 00 00", TN_LOD_NONE },
        { "80 02 7d 71 00 00 00 00 00 00 00 00", TN_LOD_NONE },
        { VERSION "00 00 00 00 00 00 00", TN_LOD_NONE }, /* 11 bytes */
        { "", TN_LOD_NONE },
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct tn_bytes hex = tn_hex(heads[i].bytes);
        assert_int_equal(tn_lod_probe(hex), heads[i].layout);
        free((void *)hex.data);
    }
}

/* Generated records */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static const enum tn_dtype all_types[] = {
    TN_BOOL,      TN_INT16,      TN_INT32,        TN_INT64,      TN_FLOAT16,
    TN_FLOAT32,   TN_FLOAT64,    TN_UINT8,        TN_INT8,       TN_BFLOAT16,
    TN_COMPLEX64, TN_COMPLEX128, TN_FLOAT8E4M3FN, TN_FLOAT8E5M2, TN_UINT16,
    TN_UINT32,    TN_UINT64,
};

/* Up to three levels of up to four offsets, with their lengths. */
static void random_levels(struct tn_buffer *to, struct tn_lod_record *record,
                          uint64_t *seed)
{
    record->level_count = next_random(seed) % 4;
    for (uint64_t i = 0; i < record->level_count; i++) {
        uint64_t count = next_random(seed) % 5;
        tn_buffer_u64(to, count * 8);
        for (uint64_t k = 0; k < count; k++)
            tn_buffer_u64(to, next_random(seed) >> next_random(seed) % 64);
    }
}

static uint64_t random_shape(struct tn_lod_record *record, uint64_t *seed)
{
    record->dtype = all_types[next_random(seed) % 17];
    record->type  = (uint32_t)tn_lod_type(record->dtype);
    record->rank  = (uint32_t)(next_random(seed) % 6);
    uint64_t size = tn_dtype_size(record->dtype);
    for (uint32_t i = 0; i < record->rank; i++) {
        record->dims[i] = next_random(seed) % 4;
        size *= record->dims[i];
    }
    return size;
}

static void write_record(struct tn_buffer *to, const struct tn_lod_record *r,
                         uint64_t data_size, bool is_zero, uint64_t *seed)
{
    tn_lod_write_head(to, r);
    for (uint64_t i = 0; i < data_size; i++)
        tn_buffer_byte(to, is_zero ? 0 : (uint8_t)next_random(seed));
    tn_lod_write_tail(to, r);
}

static void same_record(const struct tn_lod_record *a,
                        const struct tn_lod_record *b, uint64_t data_size)
{
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    assert_memory_equal(a->dims, b->dims, a->rank * sizeof a->dims[0]);
    assert_int_equal(a->level_count, b->level_count);
    assert_int_equal(a->levels.length, b->levels.length);
    assert_int_equal(b->data.length, data_size);
}

static void try_layout(enum tn_lod_layout layout, uint64_t *seed)
{
    struct tn_error      error  = TN_ERROR_INIT;
    struct tn_lod_record record = { .layout = layout }, again;
    struct tn_memory     memory;
    struct tn_buffer     levels, bytes;
    struct tn_source     source;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&levels, &memory, &error);
    tn_buffer_init(&bytes, &memory, &error);
    random_levels(&levels, &record, seed);
    tn_source_memory(&source, &memory, tn_buffer_bytes(&levels));
    record.levels = (struct tn_span){ &source, 0, levels.size };

    uint64_t size = random_shape(&record, seed);
    write_record(&bytes, &record, size, next_random(seed) % 2, seed);
    if (layout != TN_LOD_BARE) /* bare ones are never met outside a container */
        assert_int_equal(tn_lod_probe(tn_buffer_bytes(&bytes)), layout);
    struct tn_cursor c = tn_cursor_bytes(tn_buffer_bytes(&bytes), 0, &error);
    assert_int_equal(tn_lod_read(&c, layout, &again), TN_OK);
    same_record(&record, &again, size);
    assert_int_equal(tn_left(&c), 0);
    tn_source_close(&source);
    tn_buffer_done(&levels);
    tn_buffer_done(&bytes);
}

/* Every type, rank, zero dimension and depth; random and all-zero data. */
static void test_told_apart(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        try_layout(TN_LOD_SHIPPED, &seed);
        try_layout(TN_LOD_SEED, &seed);
    }
}

static void test_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all_types / sizeof all_types[0]; i++) {
        int type = tn_lod_type(all_types[i]);
        assert_true(type >= 0);
        assert_int_equal(tn_lod_dtype((uint64_t)type), all_types[i]);
    }
    assert_int_equal(tn_lod_dtype(19), TN_UINT64);
    assert_int_equal(tn_lod_type(TN_UINT64), 38);
    assert_int_equal(tn_lod_type(TN_STRING), -1);
    assert_int_equal(tn_lod_dtype(7), TN_UNDEFINED);
    assert_int_equal(tn_lod_dtype(UINT64_MAX), TN_UNDEFINED);
}

/* Hostility, through a source that is not mapped */

/* A source and the bytes it hands out when asked. */
struct asked {
    struct tn_source source; /* first: the source is the whole */
    struct tn_bytes  bytes;
};

static enum tn_status read_asked(struct tn_source *source, uint64_t offset,
                                 void *to, size_t size, struct tn_error *error)
{
    const struct asked *asked = (const struct asked *)source;

    (void)error;
    memcpy(to, asked->bytes.data + offset, size);
    return TN_OK;
}

static void close_asked(struct tn_source *source)
{
    (void)source;
}

static enum tn_status read_file(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    static const struct tn_source_ops ops = { read_asked, close_asked };
    struct tn_lod_record              record;
    struct asked                      asked = { .bytes = input };

    tn_source_memory(&asked.source, memory, input);
    asked.source.ops = &ops;
    asked.source.map = NULL;
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ &asked.source, 0, input.size }, error);
    do
        tn_lod_read(&c, tn_lod_probe(input), &record);
    while (tn_more(&c));
    tn_source_close(&asked.source);
    return error->status;
}

static bool is_first_record(struct tn_bytes prefix)
{
    return prefix.size == 34;
}

static void test_hostility(void **state)
{
    struct tn_bytes two = tn_hex(
        HEAD F32_2x1 EIGHT VERSION LEVELS_1 U64_8 EIGHT VERSION F32_2x1 EIGHT);

    (void)state;
    tn_refuses_every_prefix(read_file, two, is_first_record);
    tn_survives_every_flip(read_file, two);
    tn_survives_no_memory(read_file, two);
    free((void *)two.data);
}

/* The hand-made records beside us */

/* clang-format off */
static const struct {
    const char        *file;
    enum tn_lod_layout layout;
    enum tn_dtype      dtype;
    uint32_t           rank;
    uint64_t           dims[2], levels, data;
} examples[] = {
    { "shipped-fp32-2x2", TN_LOD_SHIPPED, TN_FLOAT32, 2, { 2, 2 }, 0, 16 },
    { "seed-fp32-2x2", TN_LOD_SEED, TN_FLOAT32, 2, { 2, 2 }, 0, 16 },
    { "shipped-fp32-2x2-lod1", TN_LOD_SHIPPED, TN_FLOAT32, 2, { 2, 2 }, 1, 16 },
    { "seed-fp32-2x2-lod1", TN_LOD_SEED, TN_FLOAT32, 2, { 2, 2 }, 1, 16 },
    { "shipped-int64-scalar", TN_LOD_SHIPPED, TN_INT64, 0, { 0 }, 0, 8 },
    { "seed-int64-scalar", TN_LOD_SEED, TN_INT64, 0, { 0 }, 0, 8 },
    { "shipped-fp32-0x3-empty", TN_LOD_SHIPPED, TN_FLOAT32, 2, { 0, 3 }, 0, 0 },
    { "seed-fp32-0x3-empty", TN_LOD_SEED, TN_FLOAT32, 2, { 0, 3 }, 0, 0 },
    { "selectedrows-2of10x2", TN_LOD_ROWS, TN_FLOAT32, 2, { 2, 2 }, 0, 16 },
};
/* clang-format on */

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct tn_lod_record record;
        char                 path[256];

        snprintf(path, sizeof path,
                 TN_SHARED_DATA "/paddle/layout-examples/%s.tensor",
                 examples[i].file);
        struct tn_bytes file = tn_load_file(path);
        if (!file.data) {
            printf("skipped: wants real models\n");
            return;
        }
        enum tn_lod_layout layout  = tn_lod_probe(file);
        bool               is_rows = examples[i].layout == TN_LOD_ROWS;
        assert_int_equal(layout, is_rows ? TN_LOD_SHIPPED : examples[i].layout);
        struct tn_cursor c = tn_cursor_bytes(file, 0, &error);
        tn_lod_read(&c, examples[i].layout, &record);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(tn_left(&c), 0);
        assert_int_equal(record.dtype, examples[i].dtype);
        assert_int_equal(record.rank, examples[i].rank);
        assert_memory_equal(record.dims, examples[i].dims,
                            record.rank * sizeof record.dims[0]);
        assert_int_equal(record.level_count, examples[i].levels);
        assert_int_equal(record.data.length, examples[i].data);
        assert_int_equal(record.height, is_rows ? 10 : 0);
        free((void *)file.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),      cmocka_unit_test(test_rank_limit),
        cmocka_unit_test(test_probe),      cmocka_unit_test(test_types),
        cmocka_unit_test(test_told_apart), cmocka_unit_test(test_hostility),
        cmocka_unit_test(test_examples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
