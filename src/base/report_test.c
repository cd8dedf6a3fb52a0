/* report_test.c - findings are counted, passed on, and can be stopped */
#include "base/report.h"

#include <string.h>

#include "support/hostile.h"

struct heard {
    int             count;
    int             stops_at; /* 0: never */
    struct tn_error last;
    const char     *rule;
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;

    (void)level;
    heard->last = *finding;
    heard->rule = rule;
    return ++heard->count == heard->stops_at;
}

static void add(struct tn_report *report, enum tn_finding_level level)
{
    tn_report_format(report, level, "some-rule", "side.bin", 7, "graph",
                     "%d of %d", 1, 2);
}

static void passes_on_what_it_is_told(void **state)
{
    struct heard     heard  = { 0 };
    struct tn_report report = { .each = hear, .context = &heard };

    (void)state;
    add(&report, TN_LEVEL_WARNING);
    add(&report, TN_LEVEL_ERROR);
    add(&report, TN_LEVEL_ERROR);
    assert_int_equal(heard.count, 3);
    assert_int_equal(report.counts[TN_LEVEL_NOTE], 0);
    assert_int_equal(report.counts[TN_LEVEL_WARNING], 1);
    assert_int_equal(report.counts[TN_LEVEL_ERROR], 2);
    assert_string_equal(heard.rule, "some-rule");
    assert_string_equal(heard.last.what, "1 of 2");
    assert_string_equal(heard.last.where, "graph");
    assert_string_equal(heard.last.file, "side.bin");
    assert_int_equal(heard.last.offset, 7);
}

static void stops_when_told_to(void **state)
{
    struct heard     heard  = { .stops_at = 2 };
    struct tn_report report = { .each = hear, .context = &heard };

    (void)state;
    for (int i = 0; i < 5; i++)
        add(&report, TN_LEVEL_NOTE);
    assert_true(report.is_stopped);
    assert_int_equal(heard.count, 2);
}

static void stops_at_its_limit(void **state)
{
    struct heard     heard  = { 0 };
    struct tn_report report = { .each = hear, .context = &heard, .limit = 3 };

    (void)state;
    for (int i = 0; i < 5; i++)
        add(&report, (enum tn_finding_level)(i % 3));
    assert_true(report.is_stopped);
    assert_int_equal(heard.count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_on_what_it_is_told),
        cmocka_unit_test(stops_when_told_to),
        cmocka_unit_test(stops_at_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
