/* reshape_runs_test.c - which axes become which */
#include "map/simplify/reshape_runs.h"

#include <stdio.h>
#include <string.h>

#include "support/facts_bench.h"

enum { MOST = 8 };

/* -1: a size that is not known. */
static const struct {
    int64_t     from[MOST], to[MOST], target[MOST];
    uint32_t    from_rank, to_rank;
    const char *runs; /* axes before:axes after                               */
} cases[] = {
    { { -1, 8, 8, 16 },
      { -1, 8, 8, 2, 8 },
      { 0, 8, 8, 2, 8 },
      4,
      5,
      "0:0 1:1 2:2 3:34 " },
    { { -1, 8, 8, 16 }, { -1, 64, 16 }, { 0, 64, 16 }, 4, 3, "0:0 12:1 3:2 " },
    { { -1, 4, 6 }, { -1, 24 }, { -1, 24 }, 3, 2, "0:0 12:1 " },
    { { -1, 4, 6 }, { -1, 12, 2 }, { -1, 12, 2 }, 3, 3, "0:0 12:12 " },
    { { -1, 4, 6 }, { -1, 6 }, { -1, 6 }, 3, 2, "01:0 2:1 " },
    { { -1, -1, 6 }, { -1, -1, 2, 3 }, { 0, -1, 2, 3 }, 3, 4, "0:0 1:1 2:23 " },
    { { 2, 3, 4 }, { 6, 2, 2 }, { 6, 2, 2 }, 3, 3, "01:0 2:12 " },
    { { 2, 3 }, { 3, 2 }, { 3, 2 }, 2, 2, "01:01 " },
    { { 2, 1, 3 }, { 2, 3 }, { 2, 3 }, 3, 2, "0:0 12:1 " },
    { { 2, 3 }, { 2, 3, 1, 1 }, { 2, 3, 1, 1 }, 2, 4, "0:0 1:123 " },
    { { 4, 1 }, { 4 }, { -1 }, 2, 1, "01:0 " },
    { { -1, 4 }, { -1, 2, 2 }, { -1, 2, 2 }, 2, 3, "0:0 1:12 " },
    /* What cannot be said: copies of axes that have moved, and nothing. */
    { { 4, -1, 6 }, { 2, 2, 6 }, { 2, 2, 0 }, 3, 3, "" },
    { { 0, 4 }, { 0, 2, 2 }, { 0, 2, 2 }, 2, 3, "" },
    { { -1 }, { 1, -1 }, { 1, 0 }, 1, 2, "" },
};

static struct tn_net_type type(const int64_t *dims, uint32_t rank)
{
    return (struct tn_net_type){
        .dtype = TN_FLOAT32, .has_rank = true, .rank = rank, .dims = dims
    };
}

static void test_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_net_type from = type(cases[i].from, cases[i].from_rank);
        struct tn_net_type to   = type(cases[i].to, cases[i].to_rank);
        struct tn_axis_run runs[MOST];
        char               text[64] = "";
        uint32_t count = tn_reshape_runs(&from, &to, cases[i].target, runs);
        for (uint32_t r = 0; r < count; r++) {
            for (uint32_t k = 0; k < runs[r].from_count; k++)
                sprintf(text + strlen(text), "%u",
                        (unsigned)(runs[r].from + k));
            strcat(text, ":");
            for (uint32_t k = 0; k < runs[r].to_count; k++)
                sprintf(text + strlen(text), "%u", (unsigned)(runs[r].to + k));
            strcat(text, " ");
        }
        assert_string_equal(text, cases[i].runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_runs) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
