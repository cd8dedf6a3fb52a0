/* every_os.h - the same tests on each table of calls that io/os.h has */
#ifndef TN_SUPPORT_EVERY_OS_H
#define TN_SUPPORT_EVERY_OS_H

#include "io/os.h"
#include "support/hostile.h"
#include "support/scratch.h"

/* As cmocka_run_group_tests(); what the second run prints is of plain POSIX. */
#define tn_run_on_every_os(tests) tn_run_twice(tests, tn_count_of(tests))
#define tn_count_of(array)        (sizeof(array) / sizeof *(array))

static inline int tn_run_twice(const struct CMUnitTest *tests, size_t count)
{
    int failed =
        _cmocka_run_group_tests("this system", tests, count, NULL, NULL);

    tn_os = &tn_os_posix;
    return failed +
           _cmocka_run_group_tests("plain POSIX", tests, count, NULL, NULL);
}

/* For tests of holes in files: plain POSIX knows none. */
static inline void tn_skip_without_holes(struct tn_scratch *scratch)
{
    if (tn_os != &tn_os_posix)
        return;
    tn_scratch_close(scratch);
    skip();
}

#endif
