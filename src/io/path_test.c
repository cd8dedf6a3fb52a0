/* path_test.c - what is there, and what is there no more */
#define _GNU_SOURCE
#include "io/path.h"

#include "support/scratch.h"

static void test_paths(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *file    = tn_scratch_path(&scratch, "file");
    char             *link    = tn_scratch_path(&scratch, "link");

    (void)state;
    assert_false(tn_path_exists(file));
    assert_int_equal(tn_path_remove(file, &error), TN_OK);
    tn_scratch_write(&scratch, "file", "x");
    assert_true(tn_path_exists(file));
    assert_int_equal(symlink("nowhere", link), 0);
    assert_true(tn_path_exists(link));
    assert_int_equal(tn_path_remove(file, &error), TN_OK);
    assert_false(tn_path_exists(file));
    assert_int_equal(tn_path_remove(scratch.path, &error), TN_IO);
    free(file);
    free(link);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
