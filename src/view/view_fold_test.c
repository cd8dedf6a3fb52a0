/* view_fold_test.c - what repeats in a list is found, and nothing else */
#include "view/view_fold.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"
#include "view/picture.h"

/* A letter is a member.  By default each takes from the one before. */
struct list {
    uint64_t looks[4096];
    uint32_t sizes[4096], firsts[4097], preds[8192];
    uint8_t  bars[4096];
    uint32_t count;
};

static void chain(struct list *list, const char *letters, size_t count)
{
    uint32_t used = 0;

    list->count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        list->looks[i]  = tn_view_mix(1, (uint8_t)letters[i]);
        list->sizes[i]  = 4;
        list->bars[i]   = letters[i] == '|';
        list->firsts[i] = used;
        if (i)
            list->preds[used++] = i - 1;
    }
    list->firsts[count] = used;
}

static void fold(const struct list *list, struct tn_list *runs,
                 struct tn_memory *memory, struct tn_error *error)
{
    struct tn_view_folder   folder;
    struct tn_view_sequence sequence = {
        list->looks, list->sizes, list->bars, NULL, list->firsts, list->preds,
    };

    tn_view_folder_init(&folder, memory, error);
    tn_list_init(runs, memory, sizeof(struct tn_view_run));
    tn_view_fold(&folder, &sequence, 0, list->count, runs);
    tn_view_folder_done(&folder);
}

static const struct {
    const char *letters;
    const char *runs; /* start+period*count */
} cases[] = {
    { "", "" },
    { "a", "" },
    { "abcdefgh", "" },
    { "aaaa", "0+1x4" },
    { "xabcabcabcy", "1+3x3" },
    { "xababababy", "1+2x4" }, /* the smallest period       */
    { "abcabcz", "0+3x2" },    /* two are enough            */
    { "xyabcdabcdabcdzxy", "2+4x3" },
    { "aaaabbbbcccc", "0+1x4 4+1x4 8+1x4" },
    { "a|a|a|a|a", "" }, /* bars are in no part       */
    { "qabcdabcdqefgefgefg", "1+4x2 10+3x3" },
};

static void test_cases(void **state)
{
    static struct list list;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_list   runs;
        char             text[128] = "";
        tn_memory_init(&memory, NULL, 0);
        chain(&list, cases[i].letters, strlen(cases[i].letters));
        fold(&list, &runs, &memory, &error);
        for (uint64_t k = 0; k < runs.count; k++) {
            const struct tn_view_run *run =
                tn_list_at(&runs, struct tn_view_run, k);
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "%s%u+%ux%u", k ? " " : "", run->start, run->period,
                     run->count);
        }
        assert_int_equal(error.status, TN_OK);
        assert_string_equal(text, cases[i].runs);
        tn_list_done(&runs);
        assert_int_equal(memory.used, 0);
    }
}

/* The same letters, but the third part takes its input from elsewhere. */
static void test_wiring_counts(void **state)
{
    static struct list list;
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_memory   memory;
    struct tn_list     runs;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    chain(&list, "abcdabcdabcdabcd", 16);
    list.preds[list.firsts[11]] = 8; /* d takes a's, not c's */
    fold(&list, &runs, &memory, &error);
    assert_int_equal(runs.count, 1);
    assert_int_equal(tn_list_at(&runs, struct tn_view_run, 0)->count, 2);
    tn_list_done(&runs);
}

/* Any list is done in nearly linear time, and runs do not overlap. */
static void test_any_list(void **state)
{
    static struct list list;
    static char        letters[4096];
    unsigned           seed = 1;

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_list   runs;
        uint32_t         end   = 0;
        size_t           count = round * 67 % 4096;
        for (size_t i = 0; i < count; i++) {
            seed       = seed * 1103515245u + 12345u;
            letters[i] = (char)('a' + (seed >> 16) % (1 + round % 5));
        }
        tn_memory_init(&memory, NULL, 0);
        chain(&list, letters, count);
        for (uint32_t i = 0; i < list.firsts[count]; i++) {
            seed = seed * 1103515245u + 12345u;
            if (round % 2)
                list.preds[i] = (seed >> 8) % (uint32_t)count;
        }
        fold(&list, &runs, &memory, &error);
        assert_int_equal(error.status, TN_OK);
        for (uint64_t k = 0; k < runs.count; k++) {
            const struct tn_view_run *run =
                tn_list_at(&runs, struct tn_view_run, k);
            assert_true(run->start >= end && run->count >= 2);
            end = run->start + run->period * run->count;
            assert_true(end <= count);
        }
        tn_list_done(&runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_wiring_counts),
        cmocka_unit_test(test_any_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
