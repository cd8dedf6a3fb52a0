/* pack_test.c - what is packed is read again, and nothing past its end */
#include "base/pack.h"

#include "support/hostile.h"

struct fixture {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_buffer bytes;
};

static void open_fixture(struct fixture *d)
{
    d->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&d->memory, NULL, 0);
    tn_arena_init(&d->arena, &d->memory);
    tn_buffer_init(&d->bytes, &d->memory, &d->error);
}

static void close_fixture(struct fixture *d)
{
    tn_buffer_done(&d->bytes);
    tn_arena_done(&d->arena);
}

static struct tn_pack reader(struct fixture *d, uint64_t at,
                             struct tn_bytes text)
{
    return tn_pack_reader(tn_buffer_bytes(&d->bytes), at, text, &d->arena,
                          &d->error);
}

static void numbers_come_back(void **state)
{
    static const int64_t numbers[] = { 0,   1,    -1,        127,
                                       128, -129, INT64_MAX, INT64_MIN };
    static const double  reals[]   = { 0, -0.0, 0.1, 1e300, -1e-300 };
    struct fixture       d;

    (void)state;
    open_fixture(&d);
    struct tn_pack p = tn_pack_writer(&d.bytes, tn_text(""));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(tn_pack_signed(&p, numbers[i]) == numbers[i]);
        tn_pack_number(&p, (uint64_t)numbers[i]);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        tn_pack_real(&p, reals[i]);
    tn_pack_bool(&p, true);
    p = reader(&d, 0, tn_text(""));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(tn_pack_signed(&p, 7) == numbers[i]);
        assert_true(tn_pack_number(&p, 7) == (uint64_t)numbers[i]);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        double real = tn_pack_real(&p, 7);
        assert_memory_equal(&real, &reals[i], sizeof real);
    }
    assert_true(tn_pack_bool(&p, false));
    assert_false(tn_more(&p.in));
    assert_int_equal(d.error.status, TN_OK);
    close_fixture(&d);
}

/* Pieces of the text are pieces of it again, others are copied. */
static void texts_come_back(void **state)
{
    struct tn_bytes text  = tn_text("op Conv (X, W)");
    struct tn_bytes name  = tn_bytes(text.data + 3, 4);
    struct tn_bytes arg   = tn_bytes(text.data + 9, 1);
    struct tn_bytes empty = tn_bytes(text.data + text.size, 0);
    struct fixture  d;

    (void)state;
    open_fixture(&d);
    struct tn_pack p = tn_pack_writer(&d.bytes, text);
    tn_pack_text(&p, arg);
    tn_pack_text(&p, tn_bytes(NULL, 0));
    tn_pack_text(&p, tn_text("elsewhere"));
    tn_pack_text(&p, empty);
    uint64_t second = d.bytes.size;
    tn_pack_restart(&p);
    tn_pack_text(&p, name);
    p = reader(&d, 0, text);
    assert_ptr_equal(tn_pack_text(&p, name).data, arg.data);
    assert_null(tn_pack_text(&p, name).data);
    assert_true(tn_bytes_is(tn_pack_text(&p, name), "elsewhere"));
    assert_ptr_equal(tn_pack_text(&p, name).data, empty.data);
    p                    = reader(&d, second, text);
    struct tn_bytes read = tn_pack_text(&p, arg);
    assert_ptr_equal(read.data, name.data);
    assert_int_equal(read.size, 4);
    assert_int_equal(d.error.status, TN_OK);
    close_fixture(&d);
}

static void nothing_past_the_end(void **state)
{
    struct tn_bytes text = tn_text("Conv");
    struct fixture  d;

    (void)state;
    open_fixture(&d);
    struct tn_pack p = tn_pack_writer(&d.bytes, text);
    tn_pack_text(&p, text);
    p = reader(&d, 0, tn_text("Con"));
    assert_null(tn_pack_text(&p, text).data);
    assert_int_equal(d.error.status, TN_MALFORMED);
    d.error = (struct tn_error)TN_ERROR_INIT;
    p       = reader(&d, d.bytes.size, text);
    assert_int_equal(tn_pack_number(&p, 7), 0);
    assert_int_equal(d.error.status, TN_TRUNCATED);
    d.error = (struct tn_error)TN_ERROR_INIT;
    p       = reader(&d, d.bytes.size + 1, text);
    assert_int_equal(d.error.status, TN_TRUNCATED);
    close_fixture(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(nothing_past_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
