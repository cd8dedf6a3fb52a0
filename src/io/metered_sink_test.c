/* metered_sink_test.c - everything is counted, and can be stopped */
#include "io/meter.h"

#include "base/buffer.h"
#include "support/hostile.h"

struct listener {
    uint64_t last;
    bool     stops;
};

static int listen_in(void *context, const char *doing, uint64_t done,
                     uint64_t total)
{
    struct listener *listener = context;

    (void)doing;
    (void)total;
    listener->last = done;
    return listener->stops;
}

struct fixture {
    struct tn_memory       memory;
    struct tn_error        error;
    struct tn_buffer       kept;
    struct listener        listener;
    struct tn_meter        meter;
    struct tn_metered_sink metered;
};

static struct tn_sink *setup(struct fixture *f, struct tn_sink *to)
{
    f->error    = (struct tn_error)TN_ERROR_INIT;
    f->listener = (struct listener){ 0 };
    tn_memory_init(&f->memory, NULL, 0);
    tn_buffer_init(&f->kept, &f->memory, &f->error);
    tn_meter_init(&f->meter, listen_in, &f->listener, "copying", 0);
    tn_metered_sink_init(&f->metered, to ? to : &f->kept.sink, &f->meter);
    return &f->metered.sink;
}

static void teardown(struct fixture *f)
{
    tn_buffer_done(&f->kept);
    assert_int_equal(f->memory.used, 0);
}

/* Bytes, spans and zeros arrive in order, and a patch lands where it would
 * without the meter. */
static void all_ways_arrive(void **state)
{
    struct fixture   f;
    struct tn_sink  *sink = setup(&f, NULL);
    struct tn_source source;
    struct tn_buffer seen;

    (void)state;
    tn_source_memory(&source, &f.memory, tn_text("0123456789"));
    tn_buffer_init(&seen, &f.memory, &f.error);
    assert_true(tn_sink_can_patch(sink));
    tn_sink_write(sink, tn_text("head"), &f.error);
    tn_sink_splice(sink, (struct tn_span){ &source, 3, 4 }, &f.error);
    tn_sink_zeros(sink, 2, &f.error);
    tn_sink_show(sink, (struct tn_span){ &source, 0, 3 }, &seen.sink, &f.error);
    tn_sink_patch(sink, 13, tn_text("H"), &f.error);
    assert_int_equal(f.error.status, TN_OK);
    assert_int_equal(sink->offset, 13);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&f.kept), tn_bytes("Head3456\0\0"
                                                                  "012",
                                                                  13)));
    assert_true(tn_bytes_equal(tn_buffer_bytes(&seen), tn_text("012")));
    tn_buffer_done(&seen);
    tn_source_close(&source);
    teardown(&f);
}

/* Little is counted when it has come to something: asking costs time. */
static void what_is_little_is_counted_later(void **state)
{
    static const uint8_t bytes[1000];
    struct fixture       f;
    struct tn_sink      *sink = setup(&f, NULL);

    (void)state;
    for (int i = 0; i < 65; i++)
        tn_sink_write(sink, tn_bytes(bytes, sizeof bytes), &f.error);
    assert_int_equal(f.meter.done, 0);
    tn_sink_write(sink, tn_bytes(bytes, sizeof bytes), &f.error);
    assert_int_equal(f.meter.done, 66000);
    tn_sink_zeros(sink, 70000, &f.error);
    assert_int_equal(f.meter.done, 136000);
    assert_int_equal(f.kept.size, 136000);
    teardown(&f);
}

/* A sink that only counts, however much it is. */
static enum tn_status count_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    (void)sink;
    (void)bytes;
    (void)error;
    return TN_OK;
}

static enum tn_status count_zeros(struct tn_sink *sink, uint64_t count,
                                  struct tn_error *error)
{
    (void)sink;
    (void)count;
    (void)error;
    return TN_OK;
}

static const struct tn_sink_ops count_ops = { .write = count_write,
                                              .zeros = count_zeros };

/* One long step can be stopped in the middle. */
static void stops_inside_of_a_step(void **state)
{
    struct fixture  f;
    struct tn_sink  stream = { .ops = &count_ops };
    struct tn_sink *sink   = setup(&f, &stream);

    (void)state;
    assert_false(tn_sink_can_patch(sink));
    f.listener.stops  = true;
    f.meter.next_call = 0; /* it is time to ask */
    assert_int_equal(tn_sink_zeros(sink, UINT64_C(1) << 40, &f.error),
                     TN_CANCELLED);
    assert_in_range(f.listener.last, 1, UINT64_C(128) << 20);
    teardown(&f);
}

static enum tn_status fail_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    (void)sink;
    (void)bytes;
    return tn_error_set(error, TN_IO, TN_NOWHERE, "the disk is full");
}

static const struct tn_sink_ops fail_ops = { .write = fail_write };

/* What did not arrive does not count. */
static void a_failure_is_handed_on(void **state)
{
    static const uint8_t bytes[70000];
    struct fixture       f;
    struct tn_sink       full = { .ops = &fail_ops };
    struct tn_sink      *sink = setup(&f, &full);

    (void)state;
    assert_int_equal(
        tn_sink_write(sink, tn_bytes(bytes, sizeof bytes), &f.error), TN_IO);
    assert_string_equal(f.error.what, "the disk is full");
    assert_int_equal(f.meter.done, 0);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_arrive),
        cmocka_unit_test(what_is_little_is_counted_later),
        cmocka_unit_test(stops_inside_of_a_step),
        cmocka_unit_test(a_failure_is_handed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
