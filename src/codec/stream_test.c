/* stream_test.c - brotli and zstd there and back, at every level, and damaged
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/brotli.h"
#include "codec/zstd.h"
#include "support/hostile.h"

/* ---- what is packed ----------------------------------------------------- */

#define PLAIN_SIZE 200000
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

struct setting {
    bool is_zstd;
    int  level, window_log;
};

static enum tn_status open_packer(struct tn_stream **stream, struct setting s,
                                  struct tn_memory *memory, size_t size,
                                  struct tn_error *error)
{
    if (s.is_zstd)
        return tn_zstd_packer(stream, memory, s.level, s.window_log, size,
                              error);
    return tn_brotli_packer(stream, memory, s.level, s.window_log, size, error);
}

static enum tn_status open_unpacker(struct tn_stream **stream, bool is_zstd,
                                    struct tn_memory *memory,
                                    struct tn_error  *error)
{
    return is_zstd ? tn_zstd_unpacker(stream, memory, 77, error)
                   : tn_brotli_unpacker(stream, memory, 77, error);
}

/* In portions of `portion` bytes; 0: all at once. */
static enum tn_status run(struct tn_stream *stream, struct tn_bytes in,
                          size_t portion, struct tn_buffer *out, uint64_t most,
                          struct tn_error *error)
{
    struct tn_filter filter;

    if (portion)
        tn_filter_to_sink(&filter, stream, &out->sink, most);
    else
        tn_filter_to_buffer(&filter, stream, out, most);
    while (portion && in.size > portion) {
        if (tn_sink_write(&filter.sink, tn_bytes(in.data, portion), error))
            break;
        in = tn_bytes(in.data + portion, in.size - portion);
    }
    if (!tn_failed(error))
        tn_filter_last(&filter, in, error);
    tn_filter_done(&filter);
    return error->status;
}

static void pack(struct setting s, struct tn_bytes in, size_t portion,
                 struct tn_buffer *out)
{
    struct tn_stream *stream;

    assert_int_equal(open_packer(&stream, s, out->memory, in.size, out->error),
                     TN_OK);
    assert_int_equal(run(stream, in, portion, out, UINT64_MAX, out->error),
                     TN_OK);
    tn_stream_close(stream);
}

static enum tn_status unpack(bool is_zstd, struct tn_bytes in, size_t portion,
                             uint64_t most, struct tn_buffer *out,
                             struct tn_error *error)
{
    struct tn_stream *stream;

    if (open_unpacker(&stream, is_zstd, out->memory, error) == TN_OK)
        run(stream, in, portion, out, most, error);
    tn_stream_close(stream);
    return error->status;
}

/* ---- there and back ----------------------------------------------------- */

/* All at once, to memory and to a sink: the same frame. */
static void comes_back_at_once(struct setting s, struct tn_bytes in,
                               struct tn_memory *memory)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer packed, again, back;

    tn_buffer_init(&packed, memory, &error);
    tn_buffer_init(&again, memory, &error);
    tn_buffer_init(&back, memory, &error);
    tn_zstd_encode(in, s.level, s.window_log, &packed, &error);
    tn_buffer_room(&again, (size_t)300 << 10); /* for some of it */
    tn_zstd_encode_to(in, s.level, s.window_log, memory, &again, &again.sink,
                      &error);
    assert_int_equal(error.status, TN_OK);
    assert_true(
        tn_bytes_equal(tn_buffer_bytes(&packed), tn_buffer_bytes(&again)));
    tn_zstd_decode(tn_buffer_bytes(&packed), 0, in.size, &back, &error);
    assert_int_equal(error.status, TN_OK);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&back), in));
    tn_buffer_done(&packed);
    tn_buffer_done(&again);
    tn_buffer_done(&back);
}

static void comes_back(struct setting s, size_t size, size_t portion)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer packed, back;
    struct tn_bytes  in = tn_bytes(plain, size);

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&packed, &memory, &error);
    tn_buffer_init(&back, &memory, &error);
    pack(s, in, portion, &packed);
    if (size == sizeof plain)
        assert_true(packed.size < size * 2 / 3);
    unpack(s.is_zstd, tn_buffer_bytes(&packed), portion, size, &back, &error);
    assert_int_equal(error.status, TN_OK);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&back), in));
    if (s.is_zstd) {
        tn_buffer_clear(&back);
        tn_zstd_decode(tn_buffer_bytes(&packed), 0, size, &back, &error);
        assert_int_equal(error.status, TN_OK);
        assert_true(tn_bytes_equal(tn_buffer_bytes(&back), in));
        comes_back_at_once(s, in, &memory);
    }
    tn_buffer_done(&packed);
    tn_buffer_done(&back);
    assert_int_equal(memory.used, 0);
}

static void every_level(void **state)
{
    (void)state;
    for (int quality = 0; quality <= TN_BROTLI_QUALITY_MAX; quality++)
        comes_back((struct setting){ false, quality, 22 }, PLAIN_SIZE, 0);
    for (int level = -7; level <= TN_ZSTD_LEVEL_MAX; level++)
        comes_back((struct setting){ true, level, 0 },
                   level < 1 ? 5000 : PLAIN_SIZE, 0);
    comes_back((struct setting){ true, TN_ZSTD_LEVEL_MIN, 0 }, 1000, 0);
}

static void every_window_and_size(void **state)
{
    static const size_t sizes[] = { 0, 1, 2, 100, 65535, 65536, 65537 };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t portion = 0; portion < 3; portion++) {
            comes_back((struct setting){ false, 5, 22 }, sizes[i],
                       portion * 3001);
            comes_back((struct setting){ true, 3, 0 }, sizes[i],
                       portion * 3001);
        }
    for (int log = TN_BROTLI_WINDOW_LOG_MIN; log <= 25; log++)
        comes_back((struct setting){ false, 3, log }, PLAIN_SIZE, 0);
    for (int log = TN_ZSTD_WINDOW_LOG_MIN; log <= 22; log++)
        comes_back((struct setting){ true, 3, log }, PLAIN_SIZE, 0);
}

static void refuses_bad_settings(void **state)
{
    static const struct setting bad[] = {
        { false, -1, 22 }, { false, 12, 22 }, { false, 6, 9 },
        { false, 6, 31 },  { true, 23, 0 },   { true, -131073, 0 },
        { true, 3, 9 },    { true, 3, 32 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_stream *stream;
        tn_memory_init(&memory, NULL, 0);
        assert_int_equal(open_packer(&stream, bad[i], &memory, 0, &error),
                         TN_INVALID);
        assert_null(stream);
    }
}

/* ---- hostile streams ---------------------------------------------------- */

static const struct {
    const char    *name, *hex;
    bool           is_zstd;
    uint64_t       most;
    enum tn_status status;
} cases[] = {
    { "empty brotli", "3b", false, 0, TN_OK },
    { "abc in brotli", "0b 01 80 61 62 63 03", false, 3, TN_OK },
    { "too much brotli", "0b 01 80 61 62 63 03", false, 2, TN_MALFORMED },
    { "brotli and more", "0b 01 80 61 62 63 03 00", false, 3, TN_MALFORMED },
    { "brotli cut off", "0b 01 80 61 62", false, 3, TN_TRUNCATED },
    { "no brotli", "", false, 3, TN_TRUNCATED },
    { "bad brotli", "ff ff ff ff ff ff", false, 3, TN_MALFORMED },
    { "abc in zstd", "28 b5 2f fd 20 03 19 00 00 61 62 63", true, 3, TN_OK },
    { "too much zstd", "28 b5 2f fd 20 03 19 00 00 61 62 63", true, 2,
      TN_MALFORMED },
    { "two frames",
      "28 b5 2f fd 20 03 19 00 00 61 62 63 28 b5 2f fd 20 03 19 00 00 61 62 63",
      true, 6, TN_MALFORMED },
    { "zstd cut off", "28 b5 2f fd 20 03 19 00 00 61", true, 3, TN_TRUNCATED },
    { "bad zstd", "29 b5 2f fd 20 03 19 00 00 61 62 63", true, 3,
      TN_MALFORMED },
};

static void reads_and_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_buffer  out;
        struct tn_bytes   input   = tn_hex(cases[i].hex);
        struct tn_guarded guarded = tn_guard(input);

        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&out, &memory, &error);
        unpack(cases[i].is_zstd, guarded.bytes, 0, cases[i].most, &out, &error);
        if (error.status != cases[i].status)
            fail_msg("%s: %s", cases[i].name, error.what);
        if (error.status != TN_OK)
            assert_int_equal(error.offset, 77);
        tn_buffer_done(&out);
        assert_int_equal(memory.used, 0);
        tn_unguard(&guarded);
        free((void *)(uintptr_t)input.data);
    }
}

/* ---- no memory ---------------------------------------------------------- */

static enum tn_status pack_and_unpack(struct tn_memory *memory,
                                      struct setting s, struct tn_bytes input,
                                      size_t portion, struct tn_error *error)
{
    struct tn_stream *stream;
    struct tn_buffer  packed, back;

    tn_buffer_init(&packed, memory, error);
    tn_buffer_init(&back, memory, error);
    if (open_packer(&stream, s, memory, input.size, error) == TN_OK)
        run(stream, input, portion, &packed, UINT64_MAX, error);
    tn_stream_close(stream);
    if (!tn_failed(error))
        unpack(s.is_zstd, tn_buffer_bytes(&packed), portion, input.size, &back,
               error);
    if (!tn_failed(error))
        assert_true(tn_bytes_equal(tn_buffer_bytes(&back), input));
    tn_buffer_done(&packed);
    tn_buffer_done(&back);
    return error->status;
}

static enum tn_status by_brotli(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    for (int quality = 0; quality <= TN_BROTLI_QUALITY_MAX; quality++)
        TN_TRY(pack_and_unpack(memory, (struct setting){ false, quality, 12 },
                               input, 4000, error));
    return error->status;
}

static enum tn_status by_zstd(struct tn_bytes input, struct tn_memory *memory,
                              struct tn_error *error)
{
    return pack_and_unpack(memory, (struct setting){ true, 3, 0 }, input, 4000,
                           error);
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(by_brotli, tn_bytes(plain, 9000));
    tn_survives_no_memory(by_zstd, tn_bytes(plain, 9000));
}

/* Every write but the last ends where a page of a file would. */
struct pages {
    struct tn_sink   sink; /* first */
    struct tn_buffer to;
    unsigned         writes, crooked;
};

static enum tn_status pages_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct pages *pages = (struct pages *)sink;

    pages->writes++;
    pages->crooked += (sink->offset + bytes.size) % 4096 != 0;
    tn_buffer_add(&pages->to, bytes);
    return error->status;
}

static void windows_fall_on_pages(void **state)
{
    static const struct tn_sink_ops ops = { .write = pages_write };
    static uint8_t                  zeros[2 << 20];
    struct tn_error                 error = TN_ERROR_INIT;
    struct tn_memory                memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (unsigned i = 0; i < 6; i++) {
        struct setting    s     = { i % 2, 3, 18 };
        struct pages      pages = { .sink = { &ops, i / 2 * 4095 } };
        struct tn_filter  filter;
        struct tn_stream *stream;
        struct tn_buffer  packed;
        tn_buffer_init(&packed, &memory, &error);
        tn_buffer_init(&pages.to, &memory, &error);
        pack(s, tn_bytes(zeros, sizeof zeros), 0, &packed);
        open_unpacker(&stream, s.is_zstd, &memory, &error);
        tn_filter_to_sink(&filter, stream, &pages.sink, sizeof zeros);
        for (size_t k = 0; k < packed.size; k++)
            tn_sink_write(&filter.sink, tn_bytes(packed.data + k, 1), &error);
        tn_filter_last(&filter, tn_bytes(NULL, 0), &error);
        tn_filter_done(&filter);
        tn_stream_close(stream);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(pages.crooked, i / 2 > 0); /* that is the last one */
        assert_in_range(pages.writes, 2, 64);
        assert_true(tn_bytes_equal(tn_buffer_bytes(&pages.to),
                                   tn_bytes(zeros, sizeof zeros)));
        tn_buffer_done(&packed);
        tn_buffer_done(&pages.to);
    }
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_fall_on_pages),
        cmocka_unit_test(every_level),
        cmocka_unit_test(every_window_and_size),
        cmocka_unit_test(refuses_bad_settings),
        cmocka_unit_test(reads_and_refuses),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, fill, NULL);
}
