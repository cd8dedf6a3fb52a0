/* sink_test.c - what every sink can do, though it only knows how to write */
#include "base/sink.h"

#include <stdlib.h>

#include "support/hostile.h"

/* Checks that bytes arrive as they lie in the source, and counts. */
struct checking_sink {
    struct tn_sink sink;
    const uint8_t *expected; /* NULL: zeros */
    uint64_t       taken;
    uint64_t       fail_after; /* bytes */
    size_t         largest;
};

static enum tn_status checking_write(struct tn_sink  *sink,
                                     struct tn_bytes  bytes,
                                     struct tn_error *error)
{
    struct checking_sink *checking = (struct checking_sink *)sink;

    assert_true(bytes.size > 0);
    if (checking->taken + bytes.size > checking->fail_after)
        return tn_error_set(error, TN_IO, TN_NOWHERE, "full");
    for (size_t i = 0; i < bytes.size; i++)
        assert_int_equal(
            bytes.data[i],
            checking->expected ? checking->expected[checking->taken + i] : 0);
    checking->taken += bytes.size;
    if (bytes.size > checking->largest)
        checking->largest = bytes.size;
    return TN_OK;
}

static struct checking_sink checking_sink(const uint8_t *expected)
{
    static const struct tn_sink_ops ops = { .write = checking_write };

    return (struct checking_sink){ .sink       = { .ops = &ops },
                                   .expected   = expected,
                                   .fail_after = UINT64_MAX };
}

#define SIZE 300000

static void ranges_come_in_windows(void **state)
{
    static const struct {
        uint64_t offset, length;
        bool     is_inside;
    } rows[] = {
        { 0, 0, true },           { 0, 1, true },           { 5, 65535, true },
        { 5, 65536, true },       { 5, 65537, true },       { 0, SIZE, true },
        { SIZE, 0, true },        { 1, SIZE, false },       { SIZE, 1, false },
        { UINT64_MAX, 2, false }, { 2, UINT64_MAX, false },
    };
    uint8_t         *bytes = malloc(SIZE);
    struct tn_memory memory;
    struct tn_source source;

    (void)state;
    for (uint32_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 17 >> 4);
    tn_memory_init(&memory, NULL, 1); /* windows cost no counted memory */
    tn_source_memory(&source, &memory, tn_bytes(bytes, SIZE));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct checking_sink to =
            checking_sink(rows[i].is_inside ? bytes + rows[i].offset : NULL);
        struct tn_span span   = { &source, rows[i].offset, rows[i].length };
        enum tn_status status = tn_sink_splice(&to.sink, span, &error);
        assert_int_equal(status, rows[i].is_inside ? TN_OK : TN_TRUNCATED);
        assert_int_equal(to.taken, rows[i].is_inside ? rows[i].length : 0);
        assert_int_equal(to.sink.offset, to.taken);
        assert_true(to.largest <= 65536);
    }
    tn_source_close(&source);
    free(bytes);
}

static void no_bytes_need_no_source(void **state)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct checking_sink to    = checking_sink(NULL);

    (void)state;
    assert_int_equal(
        tn_sink_splice(&to.sink, (struct tn_span){ NULL, 0, 0 }, &error),
        TN_OK);
    assert_int_equal(tn_sink_write(&to.sink, tn_bytes(NULL, 0), &error), TN_OK);
    assert_int_equal(tn_sink_zeros(&to.sink, 0, &error), TN_OK);
    assert_int_equal(
        tn_sink_splice(&to.sink, (struct tn_span){ NULL, 7, 1 }, &error),
        TN_INVALID);
    assert_int_equal(error.offset, 7);
    assert_int_equal(to.sink.offset, 0);
}

static void zeros_are_written(void **state)
{
    static const uint64_t counts[] = { 1, 4095, 4096, 4097, 100000 };

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct checking_sink to    = checking_sink(NULL);
        assert_int_equal(tn_sink_zeros(&to.sink, counts[i], &error), TN_OK);
        assert_int_equal(to.taken, counts[i]);
        assert_int_equal(to.sink.offset, counts[i]);
    }
}

/* After a failure the offset says how much was taken, and no more is sent. */
static void failures_stop_at_once(void **state)
{
    struct tn_memory memory;
    struct tn_source source;
    uint8_t         *bytes = calloc(SIZE, 1);

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(bytes, SIZE));
    for (uint64_t after = 0; after < SIZE; after += 65536) {
        struct tn_error      error = TN_ERROR_INIT;
        struct checking_sink to    = checking_sink(NULL);
        to.fail_after              = after;
        assert_int_equal(tn_sink_splice(&to.sink,
                                        (struct tn_span){ &source, 0, SIZE },
                                        &error),
                         TN_IO);
        assert_int_equal(to.sink.offset, after);
        to            = checking_sink(NULL);
        error         = (struct tn_error)TN_ERROR_INIT;
        to.fail_after = after;
        assert_int_equal(tn_sink_zeros(&to.sink, SIZE, &error), TN_IO);
        assert_int_equal(to.sink.offset, after);
    }
    tn_source_close(&source);
    free(bytes);
}

/* Has its bytes in pieces of PIECE bytes, and lends what is left of one. */
#define PIECE (SIZE / 7)

struct lending_source {
    struct tn_source source;
    const uint8_t   *bytes;
    uint64_t         lent_at, fail_at;
    size_t           lent;
    unsigned         times;
};

static const uint8_t *lend(struct tn_source *source, uint64_t offset,
                           uint64_t most, uint64_t *got, struct tn_error *error)
{
    struct lending_source *lending = (struct lending_source *)source;

    assert_int_equal(lending->lent, 0); /* one after the other */
    if (offset >= lending->fail_at) {
        tn_error_set(error, TN_IO, offset, "gone");
        return NULL;
    }
    *got             = PIECE - offset % PIECE;
    *got             = most < *got ? most : *got;
    lending->lent    = (size_t)*got;
    lending->lent_at = offset;
    lending->times++;
    return lending->bytes + offset;
}

static void give_back(struct tn_source *source, uint64_t offset, size_t size)
{
    struct lending_source *lending = (struct lending_source *)source;

    assert_int_equal(offset, lending->lent_at);
    assert_true(size > 0 && size <= lending->lent);
    lending->lent = 0;
}

static enum tn_status read_lent(struct tn_source *source, uint64_t offset,
                                void *to, size_t size, struct tn_error *error)
{
    (void)error;
    memcpy(to, ((struct lending_source *)source)->bytes + offset, size);
    return TN_OK;
}

static void close_lent(struct tn_source *source)
{
    (void)source;
}

static void lend_bytes(struct lending_source *from, struct tn_memory *memory,
                       const uint8_t *bytes, uint64_t fail_at)
{
    static const struct tn_source_ops ops = { read_lent, close_lent };

    *from = (struct lending_source){ .bytes = bytes, .fail_at = fail_at };
    tn_source_memory(&from->source, memory, tn_bytes(bytes, SIZE));
    from->source.ops       = &ops;
    from->source.map       = NULL;
    from->source.lend      = lend;
    from->source.give_back = give_back;
}

/* Bytes that a source lends are not copied, and are given back whatever comes
 * of them. */
static void lent_bytes_are_given_back(void **state)
{
    uint8_t         *bytes = malloc(SIZE);
    struct tn_memory memory;

    (void)state;
    for (uint32_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    tn_memory_init(&memory, NULL, 1);
    for (int row = 0; row < 6; row++) {
        bool                  is_look = row % 2, is_full = row / 2 == 1;
        bool                  is_gone = row / 2 == 2;
        struct tn_error       error   = TN_ERROR_INIT;
        struct lending_source from;
        lend_bytes(&from, &memory, bytes, is_gone ? SIZE / 2 : SIZE);
        struct checking_sink to   = checking_sink(bytes + 3);
        struct tn_span       span = { &from.source, 3, SIZE - 5 };
        to.fail_after             = is_full ? SIZE / 2 : SIZE;
        enum tn_status status     = is_look
                                        ? tn_sink_look(&to.sink, span, &error)
                                        : tn_sink_splice(&to.sink, span, &error);
        assert_int_equal(status, is_full || is_gone ? TN_IO : TN_OK);
        assert_int_equal(from.lent, 0);
        assert_true(is_full || is_gone ? to.taken < SIZE - 5
                                       : to.taken == SIZE - 5);
        assert_true(to.largest > PIECE - TN_WHOLE && to.largest <= PIECE);
        tn_source_close(&from.source);
    }
    free(bytes);
}

/* A sink that changes elements gets whole ones, wherever pieces end. */
static enum tn_status whole_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct checking_sink *checking = (struct checking_sink *)sink;

    assert_int_equal(checking->taken % TN_WHOLE, 0);
    return checking_write(sink, bytes, error);
}

static void lent_bytes_are_whole_elements(void **state)
{
    static const struct tn_sink_ops ops   = { .write = whole_write };
    uint8_t                        *bytes = malloc(SIZE);
    struct tn_memory                memory;

    (void)state;
    for (uint32_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 29 >> 2);
    tn_memory_init(&memory, NULL, 1);
    for (unsigned row = 0; row < 80; row++) {
        uint64_t              offset = PIECE - row / 2;
        struct tn_error       error  = TN_ERROR_INIT;
        struct lending_source from;
        struct checking_sink  to   = checking_sink(bytes + offset);
        struct tn_span        span = { &from.source, offset, 3 * PIECE + row };
        to.sink.ops                = &ops;
        lend_bytes(&from, &memory, bytes, SIZE);
        assert_int_equal(row % 2 ? tn_sink_look(&to.sink, span, &error)
                                 : tn_sink_splice(&to.sink, span, &error),
                         TN_OK);
        assert_int_equal(to.taken, span.length);
        assert_int_equal(from.lent, 0);
        tn_source_close(&from.source);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_come_in_windows),
        cmocka_unit_test(no_bytes_need_no_source),
        cmocka_unit_test(zeros_are_written),
        cmocka_unit_test(failures_stop_at_once),
        cmocka_unit_test(lent_bytes_are_given_back),
        cmocka_unit_test(lent_bytes_are_whole_elements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
