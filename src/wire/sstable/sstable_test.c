/* sstable_test.c - tables there and back, tables of others, tables that lie */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/varint.h"
#include "codec/crc32c.h"
#include "codec/snappy.h"
#include "support/hostile.h"
#include "wire/sstable/sstable_write.h"

/* ---- making tables ------------------------------------------------------ */

static struct tn_memory memory;
static struct tn_error  error;

static void start(void)
{
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
}

static struct tn_bytes numbered_key(char *to, unsigned i)
{
    return tn_bytes(to, (size_t)sprintf(to, "layer/%03u/kernel", i));
}

/* `count` entries in blocks of about `block_size` bytes. */
static void write_numbered(struct tn_buffer *to, unsigned count,
                           uint64_t block_size)
{
    struct tn_sstable_writer w;
    char                     key[32];

    tn_sstable_writer_init(&w, &to->sink, &memory, &error);
    w.block_size = block_size;
    tn_sstable_add(&w, tn_bytes("", 0), tn_text("header"));
    for (unsigned i = 0; i < count; i++)
        tn_sstable_add(&w, numbered_key(key, i), tn_bytes(&key[6], i % 4));
    assert_int_equal(tn_sstable_finish(&w), TN_OK);
    tn_sstable_writer_done(&w);
}

/* Stored bytes, type and checksum. */
static void put_block(struct tn_buffer *to, struct tn_bytes stored,
                      uint8_t type)
{
    size_t begin = to->size;

    tn_buffer_add(to, stored);
    tn_buffer_byte(to, type);
    uint32_t crc = tn_crc32c(0, to->data + begin, to->size - begin);
    tn_buffer_u32(to, tn_crc32c_mask(crc));
}

/* A file around one data block, whatever it holds: the block is at 0, its index
 * entry says 7f and everything else is right. */
static void wrap_block(struct tn_buffer *to, struct tn_bytes stored,
                       uint8_t type)
{
    static const uint8_t empty[]    = { 0, 0, 0, 0, 1, 0, 0, 0 };
    uint8_t              index[64]  = { 0, 1, 0, 0x7f };
    uint8_t              footer[48] = { 0 };

    put_block(to, stored, type);
    size_t meta_at = to->size;
    put_block(to, tn_bytes(empty, sizeof empty), 0);
    size_t   index_at = to->size;
    unsigned size     = 4;
    size += tn_varint_put(index + size, 0);
    size += tn_varint_put(index + size, stored.size);
    index[2] = (uint8_t)(size - 4);
    memcpy(index + size, empty, sizeof empty);
    put_block(to, tn_bytes(index, size + sizeof empty), 0);
    unsigned at = tn_varint_put(footer, meta_at);
    at += tn_varint_put(footer + at, sizeof empty);
    at += tn_varint_put(footer + at, index_at);
    tn_varint_put(footer + at, size + sizeof empty);
    memcpy(footer + 40, tn_sstable_magic, 8);
    tn_buffer_add(to, tn_bytes(footer, sizeof footer));
}

/* ---- reading them ------------------------------------------------------- */

static enum tn_status read_all(struct tn_bytes input, struct tn_memory *budget,
                               struct tn_error *complaint)
{
    struct tn_source        source;
    struct tn_sstable       table;
    struct tn_sstable_walk  walk;
    struct tn_sstable_entry entry;

    tn_source_memory(&source, budget, input);
    if (tn_sstable_open(&table, &source, complaint) == TN_OK) {
        tn_sstable_walk_init(&walk, &table, budget, complaint);
        while (tn_sstable_next(&walk, &entry))
            tn_skip(&entry.value, tn_left(&entry.value));
        tn_sstable_walk_done(&walk);
    }
    tn_source_close(&source);
    return complaint->status;
}

static void comes_back(unsigned count, uint64_t block_size, uint64_t blocks)
{
    struct tn_buffer        file;
    struct tn_source        source;
    struct tn_sstable       table;
    struct tn_sstable_walk  walk;
    struct tn_sstable_entry entry;
    char                    key[32];

    start();
    tn_buffer_init(&file, &memory, &error);
    write_numbered(&file, count, block_size);
    tn_source_memory(&source, &memory, tn_buffer_bytes(&file));
    assert_int_equal(tn_sstable_open(&table, &source, &error), TN_OK);
    assert_int_equal(table.block_count, blocks);
    tn_sstable_walk_init(&walk, &table, &memory, &error);
    assert_true(tn_sstable_next(&walk, &entry));
    assert_int_equal(entry.key.size, 0);
    for (unsigned i = 0; i < count; i++) {
        assert_true(tn_sstable_next(&walk, &entry));
        assert_true(tn_bytes_equal(entry.key, numbered_key(key, i)));
        assert_int_equal(tn_left(&entry.value), i % 4);
        assert_ptr_equal(entry.value.source, &source); /* used in place */
    }
    assert_false(tn_sstable_next(&walk, &entry));
    assert_int_equal(error.status, TN_OK);
    tn_sstable_walk_done(&walk);
    tn_source_close(&source);
    tn_buffer_done(&file);
    assert_int_equal(memory.used, 0);
}

static void tables_come_back(void **state)
{
    (void)state;
    comes_back(0, 262144, 1);
    comes_back(40, 262144, 1);
    comes_back(100, 400, 4);
    comes_back(300, 1, 301);
}

static void refuses_keys_that_do_not_ascend(void **state)
{
    struct tn_sstable_writer w;
    struct tn_buffer         file;

    (void)state;
    start();
    tn_buffer_init(&file, &memory, &error);
    tn_sstable_writer_init(&w, &file.sink, &memory, &error);
    tn_sstable_add(&w, tn_text("b"), tn_text("1"));
    tn_sstable_add(&w, tn_text("b"), tn_text("2"));
    assert_int_equal(tn_sstable_finish(&w), TN_INVALID);
    tn_sstable_writer_done(&w);
    tn_buffer_done(&file);
}

/* ---- blocks that lie, with the right checksum --------------------------- */

#define A_1  "00 01 01 61 31 " /* "a" = "1" */
#define AB_2 "01 01 01 62 32 " /* "ab" = "2" */
#define ONE  "00 00 00 00 01 00 00 00"

static const struct {
    const char    *name, *contents;
    enum tn_status status;
    uint64_t       offset;
} blocks[] = {
    { "empty", ONE, TN_OK, 0 },
    { "two entries", A_1 AB_2 ONE, TN_OK, 0 },
    { "two restarts",
      A_1 "00 01 00 62"
          "00000000 05000000 02000000",
      TN_OK, 0 },
    { "no restart", A_1 "00 00 00 00", TN_MALFORMED, 0 },
    { "too small", "00 00", TN_MALFORMED, 0 },
    { "more restarts than bytes", A_1 "00000000 ff ff ff ff", TN_MALFORMED, 0 },
    { "first restart is 5", A_1 AB_2 "05 00 00 00 01 00 00 00", TN_MALFORMED,
      10 },
    { "restart in an entry", A_1 AB_2 "00000000 03000000 02000000",
      TN_MALFORMED, 5 },
    { "restart at the end", A_1 AB_2 "00000000 0a000000 02000000", TN_MALFORMED,
      10 },
    { "restart that shares", A_1 AB_2 "00000000 05000000 02000000",
      TN_MALFORMED, 5 },
    { "shares too much", A_1 "02 01 01 62 32" ONE, TN_MALFORMED, 5 },
    { "same key", A_1 "00 01 00 61" ONE, TN_MALFORMED, 5 },
    { "same key by sharing", A_1 "01 00 00" ONE, TN_MALFORMED, 5 },
    { "descending", "00 01 00 62" A_1 ONE, TN_MALFORMED, 4 },
    { "above the index key", "00 02 00 7f 00" ONE, TN_MALFORMED, 0 },
    { "key past the end", "00 7f 00 61" ONE, TN_TRUNCATED, 3 },
    { "value past the end", "00 01 7f 61" ONE, TN_TRUNCATED, 4 },
    { "length of 33 bits", "00 ff ff ff ff 1f 00" ONE, TN_MALFORMED, 1 },
};

static void complains_about_each_lie(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof blocks / sizeof *blocks; i++) {
        bool             is_packed = i % 2;
        struct tn_bytes  contents  = tn_hex(blocks[i / 2].contents);
        struct tn_buffer file, packed;
        start();
        tn_buffer_init(&file, &memory, &error);
        tn_buffer_init(&packed, &memory, &error);
        tn_snappy_encode(contents, &packed, &error);
        wrap_block(&file, is_packed ? tn_buffer_bytes(&packed) : contents,
                   is_packed);
        struct tn_guarded guarded = tn_guard(tn_buffer_bytes(&file));
        read_all(guarded.bytes, &memory, &error);
        if (error.status != blocks[i / 2].status)
            fail_msg("%s: %s", blocks[i / 2].name, error.what);
        uint64_t offset = is_packed ? 0 : blocks[i / 2].offset;
        if (error.status != TN_OK && error.offset != offset)
            fail_msg("%s: at %d: %s", blocks[i / 2].name, (int)error.offset,
                     error.what);
        error = (struct tn_error)TN_ERROR_INIT;
        tn_unguard(&guarded);
        tn_buffer_done(&file);
        tn_buffer_done(&packed);
        free((void *)(uintptr_t)contents.data);
    }
}

static void refuses_an_unknown_compression(void **state)
{
    struct tn_bytes  contents = tn_hex(A_1 ONE);
    struct tn_buffer file;

    (void)state;
    start();
    tn_buffer_init(&file, &memory, &error);
    wrap_block(&file, contents, 2);
    read_all(tn_buffer_bytes(&file), &memory, &error);
    assert_int_equal(error.status, TN_UNSUPPORTED);
    assert_int_equal(error.offset, contents.size);
    tn_buffer_done(&file);
    free((void *)(uintptr_t)contents.data);
}

/* Two index entries for one block: a walk must not cost more than the file. */
static void refuses_blocks_that_overlap(void **state)
{
    struct tn_bytes  block = tn_hex(A_1 ONE);
    struct tn_bytes  index = tn_hex("00 01 02 62 00 0d  00 01 02 63 00 0d" ONE);
    uint8_t          footer[48] = { 18, 8, 31, 20 };
    struct tn_bytes  empty      = tn_hex(ONE);
    struct tn_buffer file;

    (void)state;
    start();
    tn_buffer_init(&file, &memory, &error);
    put_block(&file, block, 0);
    put_block(&file, empty, 0);
    put_block(&file, index, 0);
    memcpy(footer + 40, tn_sstable_magic, 8);
    tn_buffer_add(&file, tn_bytes(footer, sizeof footer));
    read_all(tn_buffer_bytes(&file), &memory, &error);
    assert_int_equal(error.status, TN_MALFORMED);
    assert_int_equal(error.offset, 31 + 6);
    tn_buffer_done(&file);
    free((void *)(uintptr_t)block.data);
    free((void *)(uintptr_t)index.data);
    free((void *)(uintptr_t)empty.data);
}

/* ---- hostility ---------------------------------------------------------- */

static void refuses_every_flip(struct tn_bytes good)
{
    uint8_t *copy = malloc(good.size);

    memcpy(copy, good.data, good.size);
    for (size_t i = 0; i < good.size * 8; i++) {
        struct tn_error complaint = TN_ERROR_INIT;
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
        if (read_all(tn_bytes(copy, good.size), &memory, &complaint) == TN_OK)
            fail_msg("bit %zu of byte %zu can be flipped", i % 8, i / 8);
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(copy);
}

static void survives_hostility(void **state)
{
    struct tn_buffer file;

    (void)state;
    start();
    tn_buffer_init(&file, &memory, &error);
    write_numbered(&file, 60, 500);
    tn_survives_hostility(read_all, tn_buffer_bytes(&file));
    refuses_every_flip(tn_buffer_bytes(&file));
    tn_buffer_done(&file);
}

static void survives_hostility_when_packed(void **state)
{
    struct tn_bytes contents =
        tn_hex(A_1 "01 04 10 62 62 62 62"
                   "11111111111111111111111111111111" ONE);
    struct tn_buffer file, packed;

    (void)state;
    start();
    tn_buffer_init(&file, &memory, &error);
    tn_buffer_init(&packed, &memory, &error);
    tn_snappy_encode(contents, &packed, &error);
    wrap_block(&file, tn_buffer_bytes(&packed), 1);
    tn_survives_hostility(read_all, tn_buffer_bytes(&file));
    refuses_every_flip(tn_buffer_bytes(&file));
    tn_buffer_done(&file);
    tn_buffer_done(&packed);
    free((void *)(uintptr_t)contents.data);
}

/* ---- what TensorFlow wrote ---------------------------------------------- */

/* Copies all entries into a new table.  False when a block was packed. */
static bool rewrite(struct tn_bytes input, struct tn_buffer *to)
{
    struct tn_source         source;
    struct tn_sstable        table;
    struct tn_sstable_walk   walk;
    struct tn_sstable_entry  e;
    struct tn_sstable_writer w;
    bool                     is_plain = true;

    tn_source_memory(&source, &memory, input);
    tn_sstable_open(&table, &source, &error);
    tn_sstable_walk_init(&walk, &table, &memory, &error);
    tn_sstable_writer_init(&w, &to->sink, &memory, &error);
    while (tn_sstable_next(&walk, &e)) {
        is_plain &= !e.is_packed;
        tn_sstable_add(&w, e.key, tn_take_bytes(&e.value, tn_left(&e.value)));
    }
    assert_int_equal(tn_sstable_finish(&w), TN_OK);
    tn_sstable_writer_done(&w);
    tn_sstable_walk_done(&walk);
    tn_source_close(&source);
    return is_plain && !table.has_packed_index;
}

static void rewrites_real_tables_byte_for_byte(void **state)
{
    glob_t      found = { 0 };
    unsigned    plain = 0, packed = 0;
    const char *root = TN_SHARED_DATA "/tensorflow/saved_model";
    char        pattern[1024];

    (void)state;
    snprintf(pattern, sizeof pattern, "%s/*/variables/*.index", root);
    glob(pattern, 0, NULL, &found);
    snprintf(pattern, sizeof pattern, "%s/*/*/variables/*.index", root);
    glob(pattern, GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct tn_bytes  file = tn_load_file(found.gl_pathv[i]);
        struct tn_buffer again;
        start();
        tn_buffer_init(&again, &memory, &error);
        bool is_plain = rewrite(file, &again);
        if (is_plain && !tn_bytes_equal(file, tn_buffer_bytes(&again)))
            fail_msg("%s differs when rewritten", found.gl_pathv[i]);
        plain += is_plain;
        packed += !is_plain;
        tn_buffer_done(&again);
        free((void *)(uintptr_t)file.data);
    }
    globfree(&found);
    printf("rewrote %u real tables byte for byte, read %u packed ones\n", plain,
           packed);
    if (plain == 0) {
        printf("skipped: wants real models\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_come_back),
        cmocka_unit_test(refuses_keys_that_do_not_ascend),
        cmocka_unit_test(complains_about_each_lie),
        cmocka_unit_test(refuses_an_unknown_compression),
        cmocka_unit_test(refuses_blocks_that_overlap),
        cmocka_unit_test(survives_hostility),
        cmocka_unit_test(survives_hostility_when_packed),
        cmocka_unit_test(rewrites_real_tables_byte_for_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
