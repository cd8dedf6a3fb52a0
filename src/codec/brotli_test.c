/* brotli_test.c - streams, streams in parts, and streams that lie */
#include "codec/brotli.h"

#include <stdlib.h>

#include "support/hostile.h"

#define PLAIN_SIZE 60000
static uint8_t plain[PLAIN_SIZE];

static int fill(void **state)
{
    uint32_t x = 1;

    (void)state;
    for (size_t i = 0; i < sizeof plain; i++) {
        x        = x * 1664525 + 1013904223;
        plain[i] = (uint8_t)(i % 5000 < 4000 ? i / 7 % 50 : x >> 24);
    }
    return 0;
}

static enum tn_status run(struct tn_stream *stream, struct tn_bytes in,
                          struct tn_buffer *out, uint64_t most,
                          struct tn_error *error)
{
    struct tn_filter filter;

    tn_filter_to_buffer(&filter, stream, out, most);
    tn_filter_last(&filter, in, error);
    tn_filter_done(&filter);
    return error->status;
}

static enum tn_status unpack(struct tn_bytes in, uint64_t most,
                             struct tn_buffer *out, struct tn_error *error)
{
    struct tn_stream *stream;

    if (tn_brotli_unpacker(&stream, out->memory, 77, error) == TN_OK)
        run(stream, in, out, most, error);
    tn_stream_close(stream);
    return error->status;
}

static const struct {
    const char    *name, *hex, *plain;
    uint64_t       most;
    enum tn_status status;
} rows[] = {
    { "nothing in it", "3b", "", 0, TN_OK },
    { "three bytes", "0b 01 80 616263 03", "abc", 3, TN_OK },
    { "more room than needed", "0b 01 80 616263 03", "abc", 1000, TN_OK },
    { "more bytes than allowed", "0b 01 80 616263 03", NULL, 2, TN_MALFORMED },
    { "a byte after the end", "0b 01 80 616263 03 00", NULL, 3, TN_MALFORMED },
    { "cut off in its bytes", "0b 01 80 6162", NULL, 3, TN_TRUNCATED },
    { "cut off before its end", "0b 01 80 616263", NULL, 3, TN_TRUNCATED },
    { "no bytes", "", NULL, 3, TN_TRUNCATED },
    { "a reserved bit", "ff ff ff ff ff ff", NULL, 3, TN_MALFORMED },
    { "the window of no log", "11 00", NULL, 3, TN_MALFORMED },
};

static void reads_and_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_buffer  out;
        struct tn_bytes   input   = tn_hex(rows[i].hex);
        struct tn_guarded guarded = tn_guard(input);

        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&out, &memory, &error);
        unpack(guarded.bytes, rows[i].most, &out, &error);
        if (error.status != rows[i].status)
            fail_msg("%s: %s", rows[i].name, error.what);
        if (rows[i].plain)
            assert_true(tn_bytes_is(tn_buffer_bytes(&out), rows[i].plain));
        else
            assert_int_equal(error.offset, 77);
        tn_buffer_done(&out);
        assert_int_equal(memory.used, 0);
        tn_unguard(&guarded);
        free((void *)(uintptr_t)input.data);
    }
}

/* Parts that were packed apart are one stream. */
static void parts_make_a_stream(void **state)
{
    static const size_t parts[] = { 1, 2, 3, 50000, PLAIN_SIZE - 50006 };

    (void)state;
    for (int quality = 0; quality <= TN_BROTLI_QUALITY_MAX; quality++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer packed, back;
        size_t           at = 0;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&packed, &memory, &error);
        tn_buffer_init(&back, &memory, &error);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            struct tn_stream *stream;
            assert_int_equal(
                tn_brotli_part_packer(&stream, &memory, quality, 22, parts[i],
                                      at, at + parts[i] == PLAIN_SIZE, &error),
                TN_OK);
            run(stream, tn_bytes(plain + at, parts[i]), &packed, UINT64_MAX,
                &error);
            tn_stream_close(stream);
            at += parts[i];
        }
        unpack(tn_buffer_bytes(&packed), PLAIN_SIZE, &back, &error);
        if (tn_failed(&error))
            fail_msg("quality %d: %s", quality, error.what);
        assert_true(tn_bytes_equal(tn_buffer_bytes(&back),
                                   tn_bytes(plain, sizeof plain)));
        tn_buffer_done(&packed);
        tn_buffer_done(&back);
    }
}

/* The encoder is left by a jump when memory runs out: it is not entered again,
 * and whoever tries is told the reason again. */
static void after_a_jump_the_packer_only_refuses(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_stream   *stream;
        uint8_t             room[1000];

        tn_memory_init(&memory, &allocator, 0);
        tn_brotli_packer(&stream, &memory, 5, 22, PLAIN_SIZE, &error);
        for (int twice = 0; stream && twice < 2; twice++) {
            struct tn_flow flow   = { .in   = tn_bytes(plain, PLAIN_SIZE),
                                      .out  = room,
                                      .room = sizeof room };
            enum tn_status status = stream->ops->step(stream, &flow, &error);
            assert_int_equal(status, error.status);
            if (status == TN_OK)
                break;
            assert_int_equal(status, TN_NO_MEMORY);
        }
        tn_stream_close(stream);
        assert_int_equal(budget.blocks, 0);
        if (error.status == TN_OK)
            break;
        assert_int_equal(error.status, TN_NO_MEMORY);
    }
}

static enum tn_status decode(struct tn_bytes input, struct tn_memory *memory,
                             struct tn_error *error)
{
    struct tn_stream *stream;
    struct tn_buffer  out;

    tn_buffer_init(&out, memory, error);
    if (tn_brotli_unpacker(&stream, memory, 0, error) == TN_OK)
        run(stream, input, &out, 1000, error);
    tn_stream_close(stream);
    tn_buffer_done(&out);
    return error->status;
}

static void survives_hostility(void **state)
{
    struct tn_bytes good = tn_hex("0b 01 80 616263 03");

    (void)state;
    tn_survives_hostility(decode, good);
    free((void *)(uintptr_t)good.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_refuses),
        cmocka_unit_test(parts_make_a_stream),
        cmocka_unit_test(after_a_jump_the_packer_only_refuses),
        cmocka_unit_test(survives_hostility),
    };

    return cmocka_run_group_tests(tests, fill, NULL);
}
