/* sized_test.c - structs of other versions */
#include "base/sized.h"

#include <string.h>

#include "support/hostile.h"

/* The struct of this version: `c` came later. */
struct here {
    size_t   size;
    uint32_t a, b;
    uint64_t c;
};

/* That of a version to come. */
struct later {
    struct here here;
    uint64_t    d, e;
};

enum { FIRST = offsetof(struct here, b) + sizeof(uint32_t) };

static const struct {
    const char    *name;
    size_t         size; /* that the caller says */
    uint64_t       d, e;
    enum tn_status status;
    uint64_t       c; /* that is taken */
} rows[] = {
    { "zero: the first layout", 0, 7, 7, TN_OK, 0 },
    { "the first layout", FIRST, 7, 7, TN_OK, 0 },
    { "this version", sizeof(struct here), 7, 7, TN_OK, 3 },
    { "a later one, unused", sizeof(struct later), 0, 0, TN_OK, 3 },
    { "a later one, last byte", sizeof(struct later), 0, UINT64_C(1) << 56,
      TN_UNSUPPORTED, 0 },
    { "a later one, first byte", sizeof(struct later), 1, 0, TN_UNSUPPORTED,
      0 },
    { "shorter than ever", FIRST - 1, 0, 0, TN_INVALID, 0 },
    { "no struct of options", 1, 0, 0, TN_INVALID, 0 },
};

static void takes_every_version(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct later from = { { rows[i].size, 1, 2, 3 }, rows[i].d, rows[i].e };
        struct tn_error error = TN_ERROR_INIT;
        struct here     to;

        memset(&to, 0xff, sizeof to);
        enum tn_status status =
            tn_sized_take(&to, sizeof to, FIRST, &from, &error);
        if (status != rows[i].status)
            fail_msg("%s: %d, %s", rows[i].name, status, error.what);
        if (status != TN_OK)
            continue;
        assert_int_equal(to.size, sizeof to);
        assert_int_equal(to.a, 1);
        assert_int_equal(to.b, 2);
        assert_int_equal(to.c, rows[i].c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_every_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
