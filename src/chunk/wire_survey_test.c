/* wire_survey_test.c - one walk, on one thread and on several */
#include "chunk/wire_survey.h"

#include "base/buffer.h"
#include "chunk/wire_walk.h"
#include "support/hostile.h"

struct table {
    struct tn_error       error;
    struct tn_memory      memory;
    struct tn_arena       arena;
    struct tn_buffer      bytes;
    struct tn_source      source;
    struct tn_wire_survey survey;
};

static void open_table(struct table *t)
{
    t->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&t->memory, NULL, 0);
    tn_arena_init(&t->arena, &t->memory);
    tn_buffer_init(&t->bytes, &t->memory, &t->error);
}

static void close_table(struct table *t)
{
    tn_source_close(&t->source);
    tn_arena_done(&t->arena);
    tn_buffer_done(&t->bytes);
    assert_int_equal(t->memory.used, 0);
}

static enum tn_status survey(struct table *t, bool notes_groups,
                             unsigned workers)
{
    tn_source_memory(&t->source, &t->memory, tn_buffer_bytes(&t->bytes));
    return tn_wire_survey(
        &t->survey, (struct tn_span){ &t->source, 0, t->bytes.size },
        (struct tn_survey_how){ notes_groups, workers }, &t->arena, &t->error);
}

static void put(struct table *t, uint32_t number, uint64_t size, uint8_t filler)
{
    tn_buffer_varint(&t->bytes, tn_tag(number, TN_WIRE_LEN));
    tn_buffer_varint(&t->bytes, size);
    memset(tn_buffer_room(&t->bytes, (size_t)size + 1), filler, (size_t)size);
    t->bytes.size += (size_t)size;
}

/* Groups say what a walk finds, each field where it is. */
static void check_series(struct table                   *t,
                         const struct tn_grouped_series *series)
{
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;
    uint64_t            at = 0, left = 0, bodies = 0, largest = 0;

    tn_wire_walk_init(
        &walk,
        (struct tn_span){ &t->source, series->series.begin,
                          series->series.end - series->series.begin },
        &t->error);
    for (; tn_wire_walk_next(&walk, &field, &whole); at++, left--) {
        const struct tn_field_group *group = tn_series_group(series, at, &left);
        left -= at - group->first;
        uint64_t body = tn_wire_body(&field, whole).length;
        bodies        = at == group->first ? body : bodies + body;
        largest       = at == group->first || body > largest ? body : largest;
        if (left == 1) {
            assert_int_equal(bodies, group->bodies);
            assert_int_equal(largest, group->largest);
        }
        if (at % 97 == 0)
            assert_int_equal(
                tn_series_offset(series, &t->source, at, &t->error),
                whole.offset);
    }
    tn_wire_walk_done(&walk);
    assert_int_equal(at, series->count);
    assert_int_equal(tn_series_offset(series, &t->source, at, &t->error),
                     series->series.end);
    assert_int_equal(t->error.status, TN_OK);
}

static void test_series(void **state)
{
    struct table t;

    (void)state;
    open_table(&t);
    for (unsigned i = 0; i < 200; i++)
        put(&t, 1, i % 130, 7);
    put(&t, 1, 3 << 20, 0); /* longer than rows are */
    put(&t, 1, 5, 1);
    for (unsigned i = 0; i < 100; i++)
        put(&t, 17, i, 7); /* a tag of two bytes */
    tn_buffer_varint(&t.bytes, tn_tag(17, TN_WIRE_VARINT));
    tn_buffer_varint(&t.bytes, 300);
    put(&t, 4, 0, 0);
    assert_int_equal(survey(&t, true, 1), TN_OK);
    assert_int_equal(t.survey.series_count, 3);
    check_series(&t, &t.survey.grouped[0]);
    assert_int_equal(t.survey.grouped[0].count, 202);
    assert_true(t.survey.grouped[0].group_count < 8);
    assert_int_equal(t.survey.series[1].number, 17);
    assert_null(t.survey.grouped[1].groups); /* one is a number */
    assert_int_equal(t.survey.series[1].end, t.survey.series[2].begin);
    assert_int_equal(t.survey.series[2].end, t.bytes.size);
    check_series(&t, &t.survey.grouped[2]);

    assert_int_equal(survey(&t, false, 1), TN_OK);
    assert_int_equal(t.survey.series_count, 3);
    assert_null(t.survey.grouped);

    for (unsigned i = 0; i < 14; i++)
        put(&t, 1 + i % 2, 3, 0);
    assert_int_equal(survey(&t, true, 1), TN_OK);
    assert_null(t.survey.series); /* 17 series */
    close_table(&t);
}

/* 12 MB of fields, which are full of what looks like fields when `is_false`. */
static void fill(struct table *t, bool is_false)
{
    for (uint64_t i = 0; t->bytes.size < 12u << 20; i++) {
        uint64_t begin = t->bytes.size;
        put(t, 1, 100 + i % 400, (uint8_t)('a' + i % 20));
        if (is_false) /* field 1, empty, again and again */
            for (uint64_t at = begin + 3; at + 1 < t->bytes.size; at += 2)
                memcpy(t->bytes.data + at, "\x0a", 2);
    }
    for (unsigned i = 0; i < 10; i++)
        put(t, 2, 10, 9);
}

static void same_on(struct table *t, unsigned workers)
{
    assert_int_equal(survey(t, true, 1), TN_OK);
    struct tn_grouped_series alone = t->survey.grouped[0];
    assert_int_equal(survey(t, true, workers), TN_OK);
    assert_int_equal(t->survey.series_count, 2);
    assert_int_equal(t->survey.grouped[0].count, alone.count);
    assert_int_equal(t->survey.series[0].end, alone.series.end);
    assert_int_equal(t->survey.series[1].end, t->bytes.size);
    check_series(t, &t->survey.grouped[0]);
}

static void test_shared(void **state)
{
    struct table t;

    (void)state;
    for (unsigned is_false = 0; is_false < 2; is_false++) {
        open_table(&t);
        fill(&t, is_false);
        same_on(&t, 2);
        same_on(&t, 5);
        close_table(&t);
    }
}

/* What is wrong is found where it is, whoever walks there. */
static void test_damage(void **state)
{
    struct table t;

    (void)state;
    open_table(&t);
    fill(&t, false);
    t.bytes.size -= 3;
    assert_int_equal(survey(&t, true, 4), TN_TRUNCATED);
    assert_true(t.error.offset > t.bytes.size - 12);
    t.error              = (struct tn_error)TN_ERROR_INIT;
    uint64_t where       = t.bytes.size / 2;
    size_t   series_size = 4000; /* eight fields of nothing but 0xff */
    memset(t.bytes.data + where, 0xff, series_size);
    assert_int_not_equal(survey(&t, true, 3), TN_OK);
    assert_true(t.error.offset >= where - 600 &&
                t.error.offset <= where + series_size);
    assert_null(t.survey.series);
    close_table(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
