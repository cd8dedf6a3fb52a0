/* sd_checkpoints_test.c - folders of checkpoints: what the list may say, what
 * it may not, and checkpoints that are broken */
#define _GNU_SOURCE
#include "format/samediff/tagged_testing.h"

#define FIRST "checkpointNum,timestamp,iteration,epoch,filename\n"

static const struct {
    const char    *name, *list;
    enum tn_status status;
    uint64_t       offset; /* of the complaint                               */
    const char    *tag;    /* of the one that opens                          */
} cases[] = {
    { "one", FIRST "0,5,10,1,dense.fb\n", TN_OK, 0, "checkpoint-0" },
    { "the newest", FIRST "0,5,1,1,dense.fb\n7,6,2,1,dense.fb", TN_OK, 0,
      "checkpoint-7" },
    { "the newest is gone", FIRST "0,5,1,1,dense.fb\n1,6,2,1,gone.bin\n", TN_OK,
      0, "checkpoint-0" },
    { "other line ends",
      "checkpointNum,timestamp,iteration,epoch,filename\r\n"
      "0,5,1,1,dense.fb\r\n\r\n",
      TN_OK, 0, "checkpoint-0" },
    { "nothing", "", TN_NOT_FOUND, TN_NOWHERE, NULL },
    { "no first line", "0,5,1,1,dense.fb\n", TN_MALFORMED, 0, NULL },
    { "all are gone", FIRST "0,5,1,1,gone.bin\n", TN_NOT_FOUND, TN_NOWHERE,
      NULL },
    { "no name", FIRST "0,5,1,1,\n", TN_MALFORMED, 49, NULL },
    { "too few fields", FIRST "0,5,1\n", TN_MALFORMED, 49, NULL },
    { "no number", FIRST "0,5,1,1,dense.fb\n1,5,-1,1,dense.fb\n", TN_MALFORMED,
      66, NULL },
    { "a number twice", FIRST "3,5,1,1,dense.fb\n3,5,1,1,gone\n", TN_MALFORMED,
      66, NULL },
    { "not text", FIRST "0,5,1,1,\xff\n", TN_MALFORMED, 49, NULL },
    { "no graph", FIRST "0,5,1,1,checkpointInfo.txt\n", TN_LIMIT, 0, NULL },
};

static void lists_are_read_strictly(void **state)
{
    struct tagged_fixture f;

    (void)state;
    tagged_setup(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *model;
        tn_scratch_write(&f.scratch, "checkpointInfo.txt", cases[i].list);
        tn_model_open(&model, f.scratch.path, NULL, &error);
        if (cases[i].status == TN_LIMIT) { /* whatever the verifier says */
            assert_int_not_equal(error.status, TN_OK);
        } else if (error.status != cases[i].status ||
                   (cases[i].status && error.offset != cases[i].offset)) {
            fail_msg("%s: %d at %llu: %s", cases[i].name, error.status,
                     (unsigned long long)error.offset, error.what);
        }
        if (cases[i].tag)
            assert_true(
                tn_bytes_is(tn_model_tag(model, tn_model_tag_count(model) - 1),
                            cases[i].tag));
        tn_model_close(model);
    }
    tagged_teardown(&f);
}

static int count_rule(void *context, const struct tn_finding *finding)
{
    *(int *)context += strcmp(finding->rule, "checkpoint-broken") == 0 &&
                       strcmp(finding->file, "old.bin") == 0;
    return 0;
}

static void old_ones_are_checked_too(void **state)
{
    struct tagged_fixture   f;
    struct tn_check_summary summary;
    struct tn_check_options check = { 0 };
    int                     count = 0;

    (void)state;
    tagged_setup(&f);
    struct tn_bytes bytes = tn_load_file(f.dense);
    tn_scratch_put(&f.scratch, "old.bin",
                   tn_bytes(bytes.data, bytes.size - 100));
    tn_scratch_write(&f.scratch, "checkpointInfo.txt",
                     FIRST "0,5,1,1,old.bin\n1,6,1,1,dense.fb\n");
    tagged_must(&f, tn_check(f.scratch.path, NULL, &check, count_rule, &count,
                             &summary, &f.error));
    assert_int_equal(count, 1);
    assert_int_equal(summary.errors, 1);
    free((void *)(uintptr_t)bytes.data);
    tagged_teardown(&f);
}

/* A container takes all of them over; the same arrays are stored once. */
static void checkpoints_become_tags(void **state)
{
    struct tagged_fixture f;
    struct tn_tag_summary summary;

    (void)state;
    tagged_setup(&f);
    tn_scratch_write(&f.scratch, "checkpointInfo.txt",
                     FIRST "0,5,1,1,dense.fb\n1,6,1,1,dense.fb\n");
    struct tn_model *model =
        tagged_open_file(&f, f.scratch.path, "CHECKPOINT-0");
    tagged_must(
        &f, tn_tag_add(f.path, "first", model, NULL, NULL, &summary, &f.error));
    assert_true(summary.arrays > 0 && summary.shared == summary.arrays);
    tn_model_close(model);
    tagged_teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_strictly),
        cmocka_unit_test(old_ones_are_checked_too),
        cmocka_unit_test(checkpoints_become_tags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
