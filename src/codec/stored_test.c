/* stored_test.c - what the build stored is read again */
#include "codec/stored.h"

#include <pthread.h>

#include "base/buffer.h"
#include "base/varint.h"
#include "codec/zstd.h"
#include "support/hostile.h"

/* Blocks of `each` bytes. */
static enum tn_status store(struct tn_bytes content, size_t each,
                            struct tn_buffer *out, struct tn_error *error)
{
    size_t           count = (content.size + each - 1) / each;
    struct tn_buffer frames;

    tn_buffer_init(&frames, out->memory, error);
    tn_buffer_u32(out, (uint32_t)content.size);
    tn_buffer_u32(out, (uint32_t)count);
    for (size_t at = 0; at < content.size && !tn_failed(error); at += each) {
        size_t size   = content.size - at < each ? content.size - at : each;
        size_t before = frames.size;

        tn_zstd_encode(tn_bytes(content.data + at, size), 19, 0, &frames,
                       error);
        tn_buffer_u32(out, (uint32_t)(at + size));
        tn_buffer_u32(out, (uint32_t)(frames.size - before));
    }
    tn_buffer_add(out, tn_buffer_bytes(&frames));
    tn_buffer_done(&frames);
    return error->status;
}

static enum tn_status store_and_read(struct tn_bytes   content,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_buffer stored;
    struct tn_arena  arena;

    tn_arena_init(&arena, memory);
    tn_buffer_init(&stored, memory, error);
    if (store(content, 7, &stored, error) == TN_OK) {
        struct tn_bytes read =
            tn_stored_read(tn_buffer_bytes(&stored), &arena, error);

        if (read.data)
            assert_true(tn_bytes_equal(read, content));
        else
            assert_true(tn_failed(error));
    }
    tn_buffer_done(&stored);
    tn_arena_done(&arena);
    return error->status;
}

static void content_comes_back(void **state)
{
    (void)state;
    tn_survives_no_memory(store_and_read, tn_text("Relu(X) => relu(X)\n"));
    tn_survives_no_memory(store_and_read, tn_text(""));
}

static void damage_is_an_error(void **state)
{
    static const uint8_t cut[]      = { 1, 0, 0 };
    static const uint8_t no_table[] = { 1, 0, 0, 0, 9, 0, 0, 0, 1, 0 };
    static const uint8_t no_frame[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1,
                                        0, 0, 0, 2, 0, 0, 0, 7, 7 };
    static const uint8_t beyond[]   = { 1, 0, 0, 0, 1, 0, 0, 0, 2,
                                        0, 0, 0, 2, 0, 0, 0, 7, 7 };
    static const uint8_t missing[]  = { 9, 0, 0, 0, 1, 0, 0, 0, 1,
                                        0, 0, 0, 2, 0, 0, 0, 7, 7 };
    static const struct {
        struct tn_bytes stored;
        enum tn_status  status;
    } rows[] = {
        { { cut, sizeof cut }, TN_TRUNCATED },
        { { no_table, sizeof no_table }, TN_TRUNCATED },
        { { no_frame, sizeof no_frame - 1 }, TN_TRUNCATED },
        { { no_frame, sizeof no_frame }, TN_MALFORMED },
        { { beyond, sizeof beyond }, TN_MALFORMED },
        { { missing, sizeof missing }, TN_MALFORMED },
    };
    struct tn_memory memory;
    struct tn_arena  arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error error = TN_ERROR_INIT;

        assert_null(tn_stored_read(rows[i].stored, &arena, &error).data);
        assert_int_equal(error.status, rows[i].status);
    }
    tn_arena_done(&arena);
}

struct fixture {
    struct tn_error       error;
    struct tn_memory      memory;
    struct tn_arena       arena;
    struct tn_buffer      bytes;
    unsigned char         content[20];
    _Atomic unsigned char is_there[4];
    struct tn_stored      stored;
};

static void open_fixture(struct fixture *d)
{
    *d = (struct fixture){ .error = TN_ERROR_INIT };
    tn_memory_init(&d->memory, NULL, 0);
    tn_arena_init(&d->arena, &d->memory);
    tn_buffer_init(&d->bytes, &d->memory, &d->error);
    store(tn_text("0123456789abcdefghij"), 5, &d->bytes, &d->error);
    memset(d->content, '.', sizeof d->content);
    d->stored = (struct tn_stored){ d->bytes.data, d->bytes.size, d->content,
                                    d->is_there };
}

static void close_fixture(struct fixture *d)
{
    tn_buffer_done(&d->bytes);
    tn_arena_done(&d->arena);
}

/* A range is unpacked, and nothing but its blocks, and only once. */
static void blocks_come_when_they_are_needed(void **state)
{
    struct fixture         d;
    struct tn_pack_blocks *blocks, *others;

    (void)state;
    open_fixture(&d);
    struct tn_bytes content =
        tn_stored_open(&d.stored, &d.arena, &blocks, &d.error);
    assert_ptr_equal(content.data, d.content);
    assert_int_equal(content.size, 20);
    assert_int_equal(blocks->need(blocks, 9, 11, &d.error), TN_OK);
    assert_memory_equal(d.content, ".....56789abcde.....", 20);
    memset(d.content + 5, '-', 5);
    tn_stored_open(&d.stored, &d.arena, &others, &d.error);
    assert_int_equal(others->need(others, 9, 10, &d.error), TN_OK);
    assert_int_equal(others->need(others, 19, 20, &d.error), TN_OK);
    assert_memory_equal(d.content, ".....-----abcdefghij", 20);
    close_fixture(&d);
}

static void damage_is_found_again(void **state)
{
    struct fixture         d;
    struct tn_pack_blocks *blocks;

    (void)state;
    open_fixture(&d);
    d.bytes.data[d.bytes.size - 1] ^= 1; /* of the last frame */
    d.stored.size--;
    assert_null(tn_stored_open(&d.stored, &d.arena, &blocks, &d.error).data);
    assert_null(blocks);
    assert_int_equal(d.error.status, TN_TRUNCATED);
    d.stored.size++;
    d.error = (struct tn_error)TN_ERROR_INIT;
    tn_stored_open(&d.stored, &d.arena, &blocks, &d.error);
    d.bytes.data[8 + 4 * 8] ^= 1; /* the magic of the first frame */
    for (int i = 0; i < 2; i++) {
        d.error = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(blocks->need(blocks, 0, 1, &d.error), TN_MALFORMED);
    }
    d.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(blocks->need(blocks, 5, 6, &d.error), TN_OK);
    close_fixture(&d);
}

#define THREADS 8

struct reader {
    pthread_t       thread;
    struct fixture *d;
    bool            is_right;
};

static void *read_all(void *of)
{
    struct reader         *r     = of;
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_memory       memory;
    struct tn_arena        arena;
    struct tn_pack_blocks *blocks;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    struct tn_bytes content =
        tn_stored_open(&r->d->stored, &arena, &blocks, &error);
    for (uint64_t i = 0; i < 20; i++)
        blocks->need(blocks, i, i + 1, &error);
    r->is_right =
        !tn_failed(&error) && !memcmp(content.data, "0123456789abcdefghij", 20);
    tn_arena_done(&arena);
    return NULL;
}

static void threads_share_the_content(void **state)
{
    struct fixture d;
    struct reader  readers[THREADS];

    (void)state;
    open_fixture(&d);
    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){ .d = &d };
        assert_int_equal(
            pthread_create(&readers[i].thread, NULL, read_all, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        assert_true(readers[i].is_right);
    }
    close_fixture(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_comes_back),
        cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(blocks_come_when_they_are_needed),
        cmocka_unit_test(damage_is_found_again),
        cmocka_unit_test(threads_share_the_content),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
