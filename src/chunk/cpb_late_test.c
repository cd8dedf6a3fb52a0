/*
 * cpb_late_test.c - packed chunks that are put off, and read before they are
 * written: who asks what the message is sees its first bytes
 *
 * What is written out of such chunks, late_merge_test.c compares.
 */
#include "chunk/cpb_late.h"

#include "chunk/chunk_judge.h"
#include "chunk/cpb_testing.h"

#define HEAD ((size_t)128 << 10) /* as much as is unpacked at first */
#define SIZE ((size_t)500 << 10)

static uint8_t content[SIZE];

struct late_file {
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_error  error;
    struct tn_buffer bytes;
    struct tn_source source;
    struct tn_cpb    cpb;
    struct tn_span   chunk;
};

static int fill(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE; i++) /* no two blocks alike, and packed */
        content[i] = (uint8_t)((i >> 3) * (i >> 11) >> 4);
    return 0;
}

/* One chunk, which is the message. */
static void make_file(struct late_file *f, const char *codec)
{
    struct tn_riegeli_options how = TN_RIEGELI_OPTIONS_INIT;
    struct tn_rope            rope;
    struct tn_chunk           chunk   = { .type         = TN_CHUNK_MESSAGE,
                                          .is_rope      = true,
                                          .content.rope = &rope };
    struct tn_chunk          *rows[]  = { &chunk };
    const struct tn_chunked   message = { .has_chunk = true };

    f->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&f->memory, NULL, 0);
    tn_arena_init(&f->arena, &f->memory);
    tn_buffer_init(&f->bytes, &f->memory, &f->error);
    tn_riegeli_options_parse(&how, codec, &f->error);
    how.chunk_size = 1; /* the metadata are apart */
    tn_rope_init(&rope, &f->arena, &f->error);
    tn_rope_borrow(&rope, tn_bytes(content, SIZE));
    write_chunks(&f->bytes.sink, rows, 1, &message, &how, &f->arena, &f->error);
    tn_rope_done(&rope);
    assert_true(f->bytes.size < SIZE);
}

static void open_chunk(struct late_file *f)
{
    tn_source_memory(&f->source, &f->memory, tn_buffer_bytes(&f->bytes));
    tn_cpb_open(&f->cpb, &f->source, &f->memory, &f->error);
    assert_string_equal(f->error.what, "");
    tn_cpb_verify_late(&f->cpb);
    f->cpb.store.read(&f->cpb.store, 0, &f->chunk, &f->error);
    assert_string_equal(f->error.what, "");
    assert_true(f->cpb.store.known[0].is_unseen);
    assert_ptr_not_equal(f->chunk.source, &f->source);
    assert_int_equal(f->chunk.length, SIZE);
}

static void close_chunk(struct late_file *f)
{
    tn_cpb_close(&f->cpb);
    tn_source_close(&f->source);
}

static void drop_file(struct late_file *f)
{
    tn_buffer_done(&f->bytes);
    tn_arena_done(&f->arena);
    assert_int_equal(f->memory.used, 0);
}

static void expect_read(struct late_file *f, uint64_t offset, size_t size)
{
    uint8_t *read = malloc(size);

    tn_source_read(f->chunk.source, f->chunk.offset + offset, read, size,
                   &f->error);
    assert_string_equal(f->error.what, "");
    assert_memory_equal(read, content + offset, size);
    free(read);
}

static const char *const codecs[] = { "zstd:1", "brotli:2", "snappy" };
#define CODECS (sizeof codecs / sizeof *codecs)

static void test_reads(void **state)
{
    static const struct {
        uint64_t offset;
        size_t   size;
        bool     is_in_head;
    } reads[] = {
        { 0, 16, true },        { 1, HEAD - 1, true },  { 0, HEAD, true },
        { HEAD - 1, 1, true },  { HEAD - 1, 2, false }, { HEAD, 1, false },
        { 0, HEAD + 1, false }, { HEAD + 7, 9, false }, { SIZE - 1, 1, false },
    };

    (void)state;
    for (size_t i = 0; i < CODECS; i++) {
        struct late_file f;
        make_file(&f, codecs[i]);
        for (size_t k = 0; k < sizeof reads / sizeof *reads; k++) {
            open_chunk(&f);
            uint64_t before = f.memory.used;
            expect_read(&f, reads[k].offset, reads[k].size);
            /* For the head, not all of it is unpacked. */
            assert_int_equal(f.memory.used - before < SIZE,
                             reads[k].is_in_head);
            expect_read(&f, 100, 50); /* again, after something else */
            close_chunk(&f);
        }
        drop_file(&f);
    }
}

/* A head that cannot be unpacked is a failure, not some bytes. */
static void test_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < CODECS; i++) {
        struct late_file f;
        uint8_t          read[16];
        make_file(&f, codecs[i]);
        open_chunk(&f);
        memset(f.bytes.data + 200, 0xff, 4000);
        tn_source_read(f.chunk.source, f.chunk.offset, read, sizeof read,
                       &f.error);
        assert_int_equal(f.error.status, TN_MALFORMED);
        close_chunk(&f);
        drop_file(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
