/* overwrite_test.c - bytes in one page are changed, others are refused */
#define _GNU_SOURCE
#include "io/overwrite.h"

#include <stdlib.h>
#include <unistd.h>

#include "io/file_source.h"
#include "support/hostile.h"
#include "support/scratch.h"

static const struct {
    const char    *name;
    uint64_t       offset;
    size_t         size;
    enum tn_status status;
} rows[] = {
    { "some bytes", 10, 20, TN_OK },
    { "a whole page", 4096, 4096, TN_OK },
    { "no bytes", 100000, 0, TN_OK },
    { "the last byte", 8999, 1, TN_OK },
    { "two pages", 4095, 2, TN_INVALID },
    { "more than a page", 0, 4097, TN_INVALID },
    { "past the end", 8999, 2, TN_INVALID },
    { "far past the end", UINT64_MAX - 5, 4, TN_INVALID },
};

static void one_page_is_changed(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    uint8_t          *bytes = calloc(1, 9000), *other = malloc(9000);

    (void)state;
    assert_non_null(bytes);
    assert_non_null(other);
    char *path = tn_scratch_path(&scratch, "file");
    char *none = tn_scratch_path(&scratch, "none");
    memset(other, 7, 9000);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        tn_scratch_put(&scratch, "file", tn_bytes(bytes, 9000));
        tn_overwrite(path, rows[i].offset, tn_bytes(other, rows[i].size),
                     i % 2, &error);
        if (error.status != rows[i].status)
            fail_msg("%s: %d, %s", rows[i].name, error.status, error.what);
        struct tn_bytes now = tn_load_file(path);
        assert_int_equal(now.size, 9000);
        for (size_t k = 0; k < now.size; k++) {
            bool is_new = rows[i].status == TN_OK && k >= rows[i].offset &&
                          k < rows[i].offset + rows[i].size;
            assert_int_equal(now.data[k], is_new ? 7 : 0);
        }
        free((void *)(uintptr_t)now.data);
    }
    struct tn_error error = TN_ERROR_INIT;
    assert_int_equal(tn_overwrite(none, 0, tn_bytes(other, 1), false, &error),
                     TN_IO);
    free(path);
    free(none);
    free(bytes);
    free(other);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_page_is_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
