/* later_check_test.c - findings come in order, each once, whoever is first */
#define _GNU_SOURCE
#include "io/later_check.h"

#include <stdio.h>
#include <unistd.h>

#include "support/hostile.h"

/* What was heard, as text: "a0 a1 b0 ". */
struct heard {
    char     text[4000];
    uint64_t stop_at; /* finding; 0: never */
    uint64_t count;
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;
    size_t        size  = strlen(heard->text);

    assert_int_equal(level, TN_LEVEL_ERROR);
    snprintf(heard->text + size, sizeof heard->text - size, "%s%s ", rule,
             finding->what);
    return ++heard->count == heard->stop_at;
}

/* A part with so many findings, which may fail after them. */
struct part {
    const char  *rule;
    int          findings;
    int          fails; /* so often                                          */
    bool         is_slow;
    _Atomic int *runs;
};

static void check(void *context, struct tn_report *report,
                  struct tn_error *error)
{
    struct part *part = context;

    if (part->is_slow)
        usleep(20000);
    for (int i = 0; i < part->findings && !report->is_stopped; i++)
        tn_report_format(report, TN_LEVEL_ERROR, part->rule, "", 0, "", "%d",
                         i);
    report->bytes_verified += 10;
    if (++*part->runs <= part->fails)
        tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE, "none");
}

static const struct row {
    const char    *name;
    struct part    first, later;
    uint64_t       stop_at;
    enum tn_status status;
    int            runs; /* of the later part                                 */
    int            told; /* of its findings                                   */
} rows[] = {
    { "both find some",
      { "a", 2, 0, false, NULL },
      { "b", 3, 0, false, NULL },
      0,
      TN_OK,
      1,
      3 },
    { "the first is slow",
      { "a", 2, 0, true, NULL },
      { "b", 3, 0, false, NULL },
      0,
      TN_OK,
      1,
      3 },
    { "the later is slow",
      { "a", 2, 0, false, NULL },
      { "b", 3, 0, true, NULL },
      0,
      TN_OK,
      1,
      3 },
    { "nothing is found",
      { "a", 0, 0, false, NULL },
      { "b", 0, 0, false, NULL },
      0,
      TN_OK,
      1,
      0 },
    { "as many as are kept",
      { "a", 1, 0, false, NULL },
      { "b", 64, 0, false, NULL },
      0,
      TN_OK,
      1,
      64 },
    { "more than are kept",
      { "a", 1, 0, false, NULL },
      { "b", 300, 0, false, NULL },
      0,
      TN_OK,
      2,
      300 },
    { "the first ends it",
      { "a", 2, 0, false, NULL },
      { "b", 3, 0, false, NULL },
      2,
      TN_OK,
      1,
      0 },
    { "the later ends it",
      { "a", 2, 0, false, NULL },
      { "b", 3, 0, false, NULL },
      4,
      TN_OK,
      1,
      2 },
    { "the first fails",
      { "a", 1, 1, false, NULL },
      { "b", 3, 0, false, NULL },
      0,
      TN_NO_MEMORY,
      1,
      0 },
    { "the later fails beside the first",
      { "a", 1, 0, false, NULL },
      { "b", 3, 1, false, NULL },
      0,
      TN_OK,
      2,
      3 },
    { "the later fails always",
      { "a", 1, 0, false, NULL },
      { "b", 3, 2, false, NULL },
      0,
      TN_NO_MEMORY,
      2,
      3 },
};

static void findings_come_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct row            row    = rows[i];
        struct heard          heard  = { .stop_at = row.stop_at };
        struct tn_report      report = { .each = hear, .context = &heard };
        struct tn_error       error  = TN_ERROR_INIT;
        _Atomic int           runs = 0, first_runs = 0;
        char                  wanted[4000] = "";
        struct tn_memory      memory;
        struct tn_later_check later;

        tn_memory_init(&memory, NULL, 0);
        row.first.runs = &first_runs;
        row.later.runs = &runs;
        tn_later_check_begin(&later, &report, &memory, check, &row.later);
        check(&row.first, &report, &error);
        tn_later_check_end(&later, &report, &error);
        for (int k = 0; k < row.first.findings; k++)
            snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted),
                     "a%d ", k);
        for (int k = 0; k < row.told; k++)
            snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted),
                     "b%d ", k);
        if (strcmp(wanted, heard.text) || error.status != row.status ||
            runs != row.runs)
            fail_msg("%s: %s, %d runs", row.name, heard.text, runs);
        assert_int_equal(memory.used, 0);
        if (row.status == TN_OK && !row.stop_at)
            assert_int_equal(report.bytes_verified, 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_come_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
