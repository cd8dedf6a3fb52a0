/* pack_test.c - what is packed is read again, and nothing past its end */
#include "base/pack.h"

#include "support/hostile.h"

struct fixture {
    struct tn_error      error;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_buffer     bytes, outline;
    struct tn_pack_texts texts;
    struct tn_packed     packed;
};

static void open_fixture(struct fixture *d)
{
    d->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&d->memory, NULL, 0);
    tn_arena_init(&d->arena, &d->memory);
    tn_buffer_init(&d->bytes, &d->memory, &d->error);
    tn_buffer_init(&d->outline, &d->memory, &d->error);
    tn_pack_texts_init(&d->texts, &d->arena, &d->error);
}

static void close_fixture(struct fixture *d)
{
    tn_pack_texts_done(&d->texts);
    tn_buffer_done(&d->bytes);
    tn_buffer_done(&d->outline);
    tn_arena_done(&d->arena);
}

/* What was written, ended and opened. */
static struct tn_pack reader(struct fixture *d, uint64_t at)
{
    tn_packed_open(&d->packed, tn_buffer_bytes(&d->bytes), NULL, &d->error);
    return tn_pack_reader(&d->packed, at, &d->arena, &d->error);
}

static void numbers_come_back(void **state)
{
    static const int64_t numbers[] = { 0,   1,    -1,        127,
                                       128, -129, INT64_MAX, INT64_MIN };
    static const double  reals[]   = { 0, -0.0, 0.1, 1e300, -1e-300 };
    struct fixture       d;

    (void)state;
    open_fixture(&d);
    struct tn_pack p = tn_pack_writer(&d.bytes, &d.texts);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(tn_pack_signed(&p, numbers[i]) == numbers[i]);
        tn_pack_number(&p, (uint64_t)numbers[i]);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        tn_pack_real(&p, reals[i]);
    tn_pack_bool(&p, true);
    uint64_t end = d.bytes.size;
    tn_pack_end(&d.bytes, &d.texts, &d.outline, NULL);
    p = reader(&d, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(tn_pack_signed(&p, 7) == numbers[i]);
        assert_true(tn_pack_number(&p, 7) == (uint64_t)numbers[i]);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        double real = tn_pack_real(&p, 7);
        assert_memory_equal(&real, &reals[i], sizeof real);
    }
    assert_true(tn_pack_bool(&p, false));
    assert_int_equal(p.in.offset, end);
    assert_int_equal(d.error.status, TN_OK);
    close_fixture(&d);
}

/* Each is stored once, whatever its place in memory. */
static void texts_come_back(void **state)
{
    char            again[] = "Conv";
    struct tn_bytes empty   = tn_text("");
    struct fixture  d;

    (void)state;
    open_fixture(&d);
    struct tn_pack p = tn_pack_writer(&d.bytes, &d.texts);
    tn_pack_text(&p, tn_text("Conv"));
    tn_pack_text(&p, tn_bytes(NULL, 0));
    tn_pack_text(&p, empty);
    struct tn_pack outline = tn_pack_writer(&d.outline, &d.texts);
    tn_pack_text(&outline, tn_text(again));
    assert_int_equal(d.texts.bytes.size, 5 + 1);
    assert_int_equal(tn_pack_text_place(&d.texts, tn_text("Conv")), 0);
    uint64_t second = d.bytes.size + 5 + 1;
    tn_pack_end(&d.bytes, &d.texts, &d.outline, NULL);

    struct tn_packed packed;
    tn_packed_open(&packed, tn_buffer_bytes(&d.bytes), NULL, &d.error);
    assert_int_equal(packed.outline, second);
    assert_true(tn_bytes_is(tn_packed_text(&packed, 0, &d.error), "Conv"));
    p                     = reader(&d, 0);
    struct tn_bytes first = tn_pack_text(&p, empty);
    assert_true(tn_bytes_is(first, "Conv"));
    assert_null(tn_pack_text(&p, empty).data);
    struct tn_bytes third = tn_pack_text(&p, first);
    assert_true(third.data && !third.size);
    p = reader(&d, second);
    assert_ptr_equal(tn_pack_text(&p, empty).data, first.data);
    assert_int_equal(d.error.status, TN_OK);
    close_fixture(&d);
}

/* What is used most comes first, whatever was packed first. */
static void texts_are_ranked(void **state)
{
    struct fixture d;

    (void)state;
    open_fixture(&d);
    for (int pass = 0; pass < 2; pass++) {
        struct tn_pack p = tn_pack_writer(&d.bytes, &d.texts);

        tn_buffer_clear(&d.bytes);
        assert_int_equal(tn_pack_tree(&p), 0);
        tn_pack_text(&p, tn_text("once"));
        tn_pack_text(&p, tn_text("often"));
        tn_pack_text(&p, tn_text("one more"));
        tn_pack_text(&p, tn_text("often"));
        if (pass == 0)
            tn_pack_texts_rank(&d.texts);
    }
    assert_int_equal(tn_pack_text_place(&d.texts, tn_text("often")), 0);
    assert_int_equal(tn_pack_text_place(&d.texts, tn_text("once")), 6);
    assert_int_equal(tn_pack_text_place(&d.texts, tn_text("one more")), 11);

    struct tn_buffer cuts;
    tn_buffer_init(&cuts, &d.memory, &d.error);
    uint32_t begin = (uint32_t)d.bytes.size;
    tn_pack_end(&d.bytes, &d.texts, &d.outline, &cuts);
    const uint32_t wanted[] = { 0, begin, begin + 6, begin + 11, begin + 20 };
    assert_int_equal(cuts.size, sizeof wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(tn_load32(cuts.data + 4 * i), wanted[i]);
    tn_buffer_done(&cuts);

    struct tn_pack p = reader(&d, 0);
    assert_true(tn_bytes_is(tn_pack_text(&p, tn_text("")), "once"));
    assert_true(tn_bytes_is(tn_pack_text(&p, tn_text("")), "often"));
    assert_true(tn_bytes_is(tn_pack_text(&p, tn_text("")), "one more"));
    assert_true(tn_bytes_is(tn_pack_text(&p, tn_text("")), "often"));
    assert_int_equal(d.error.status, TN_OK);
    close_fixture(&d);
}

static void nothing_past_the_end(void **state)
{
    static const uint8_t bad[] = {
        9, 4, 'C', 'o', 'n', 5, 0, 0, 0, 1, 0, 0, 0
    };
    static const uint8_t order[] = { 9, 9, 0, 0, 0, 0, 1, 0, 0, 0 };
    struct fixture       d;
    struct tn_packed     packed;

    (void)state;
    open_fixture(&d);
    tn_buffer_add(&d.bytes, tn_bytes(bad, sizeof bad));
    struct tn_pack p = reader(&d, 0); /* the place 8, of 4 bytes */
    assert_null(tn_pack_text(&p, tn_text("")).data);
    assert_int_equal(d.error.status, TN_TRUNCATED);
    d.error = (struct tn_error)TN_ERROR_INIT;
    tn_packed_open(&packed, tn_bytes(bad, sizeof bad), NULL, &d.error);
    assert_null(tn_packed_text(&packed, 0, &d.error).data); /* 4 of 3 bytes */
    assert_int_equal(d.error.status, TN_TRUNCATED);
    d.error = (struct tn_error)TN_ERROR_INIT;
    p       = reader(&d, d.bytes.size);
    assert_int_equal(tn_pack_number(&p, 7), 0);
    assert_int_equal(d.error.status, TN_TRUNCATED);
    d.error = (struct tn_error)TN_ERROR_INIT;
    p       = reader(&d, d.bytes.size + 1);
    assert_int_equal(d.error.status, TN_TRUNCATED);
    for (size_t size = 0; size < 8; size++) {
        d.error = (struct tn_error)TN_ERROR_INIT;
        tn_packed_open(&packed, tn_bytes(bad, size), NULL, &d.error);
        assert_int_equal(d.error.status, TN_TRUNCATED);
    }
    d.error = (struct tn_error)TN_ERROR_INIT;
    tn_packed_open(&packed, tn_bytes(bad, sizeof bad), NULL, &d.error);
    assert_int_equal(d.error.status, TN_OK);
    tn_packed_open(&packed, tn_bytes(bad + 1, 12), NULL, &d.error);
    assert_int_equal(d.error.status, TN_MALFORMED);
    d.error = (struct tn_error)TN_ERROR_INIT;
    tn_packed_open(&packed, tn_bytes(order, sizeof order), NULL, &d.error);
    assert_int_equal(d.error.status, TN_MALFORMED);
    close_fixture(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(texts_are_ranked),
        cmocka_unit_test(nothing_past_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
