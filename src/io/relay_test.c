/* relay_test.c - every byte arrives, and is seen once and in order */
#define _GNU_SOURCE
#include "io/relay.h"

#include "base/buffer.h"
#include "io/file_source.h"
#include "support/scratch.h"

/* Reads, and keeps a sum that knows the order. */
struct reading {
    struct tn_span left;
    uint64_t       sum;
};

static void see(uint64_t *sum, struct tn_bytes window)
{
    for (size_t i = 0; i < window.size; i++)
        *sum = *sum * 31 + window.data[i];
}

static enum tn_status read_window(void *context, uint8_t *window, size_t size,
                                  struct tn_error *error)
{
    struct reading *reading = context;

    TN_TRY(tn_source_read(reading->left.source, reading->left.offset, window,
                          size, error));
    see(&reading->sum, tn_bytes(window, size));
    reading->left.offset += size;
    reading->left.length -= size;
    return TN_OK;
}

struct fixture {
    struct tn_memory memory;
    struct tn_error  error;
    struct tn_buffer bytes, copy;
    struct tn_source source;
};

static void setup(struct fixture *f, size_t size)
{
    f->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&f->memory, NULL, 0);
    tn_buffer_init(&f->bytes, &f->memory, &f->error);
    tn_buffer_init(&f->copy, &f->memory, &f->error);
    for (size_t i = 0; i < size; i++)
        tn_buffer_byte(&f->bytes, (uint8_t)(i * 7 ^ i >> 9));
    tn_source_memory(&f->source, &f->memory, tn_buffer_bytes(&f->bytes));
}

static void teardown(struct fixture *f)
{
    tn_source_close(&f->source);
    tn_buffer_done(&f->bytes);
    tn_buffer_done(&f->copy);
    assert_int_equal(f->memory.used, 0);
}

static void copies_and_shows(void **state)
{
    static const size_t sizes[] = { 1, 255 << 10, 256 << 10, 3000001 };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int has_sink = 0; has_sink < 2; has_sink++) {
            struct fixture f;
            uint64_t       wanted = 0;

            setup(&f, sizes[i] + 10);
            struct reading  reading = { { &f.source, 7, sizes[i] }, 0 };
            struct tn_bytes part    = tn_bytes(f.bytes.data + 7, sizes[i]);
            see(&wanted, part);
            if (has_sink) /* windows do not begin where the sink does */
                tn_buffer_add(&f.copy, tn_bytes(part.data, 1));
            assert_int_equal(tn_relay(sizes[i], has_sink ? &f.copy.sink : NULL,
                                      read_window, &reading, &f.memory,
                                      &f.error),
                             TN_OK);
            assert_true(reading.sum == wanted);
            assert_int_equal(reading.left.length, 0);
            if (has_sink)
                assert_true(tn_bytes_equal(
                    tn_bytes(f.copy.data + 1, f.copy.size - 1), part));
            teardown(&f);
        }
}

/* ---- failures ------------------------------------------------------------ */

struct failing_sink {
    struct tn_sink sink;
    int            left;
};

static enum tn_status failing_write(struct tn_sink *sink, struct tn_bytes bytes,
                                    struct tn_error *error)
{
    struct failing_sink *f = (struct failing_sink *)sink;

    (void)bytes;
    if (f->left-- > 0)
        return TN_OK;
    return tn_error_set(error, TN_IO, TN_NOWHERE, "full");
}

static void a_full_disk_ends_it(void **state)
{
    static const struct tn_sink_ops ops = { .write = failing_write };

    (void)state;
    for (int n = 0; n < 8; n++) {
        struct failing_sink sink = { { .ops = &ops }, n };
        struct fixture      f;

        setup(&f, 3000000);
        struct reading reading = { { &f.source, 0, 3000000 }, 0 };
        assert_int_equal(tn_relay(3000000, &sink.sink, read_window, &reading,
                                  &f.memory, &f.error),
                         TN_IO);
        assert_string_equal(f.error.what, "full");
        teardown(&f);
    }
}

static int failing_read(void *context, uint64_t offset, void *to, size_t size)
{
    (void)context;
    memset(to, 1, size);
    return offset > 1500000 ? 5 : 0;
}

static void a_bad_disk_ends_it(void **state)
{
    struct fixture    f;
    struct tn_source *source;

    (void)state;
    setup(&f, 1);
    assert_int_equal(tn_source_callback(&source, &f.memory, 3000000,
                                        failing_read, NULL, "", &f.error),
                     TN_OK);
    struct reading reading = { { source, 0, 3000000 }, 0 };
    assert_int_equal(tn_relay(3000000, &f.copy.sink, read_window, &reading,
                              &f.memory, &f.error),
                     TN_IO);
    tn_source_close(source);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_shows),
        cmocka_unit_test(a_full_disk_ends_it),
        cmocka_unit_test(a_bad_disk_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
