/* sort_test.c - pointers in order, whatever order they had */
#include "base/sort.h"

#include <stddef.h>

#include "support/hostile.h"

#define COUNT 200

static bool is_less(const void *a, const void *b)
{
    return *(const unsigned *)a < *(const unsigned *)b;
}

/* The k-th number of a pattern: rising, falling, all equal, sawtooth, mixed. */
static unsigned number(unsigned pattern, unsigned k)
{
    switch (pattern) {
    case 0: return k;
    case 1: return COUNT - k;
    case 2: return 7;
    case 3: return k % 5;
    default: return k * 2654435761u >> 16;
    }
}

static void every_pattern_is_sorted(void **state)
{
    static unsigned numbers[COUNT];
    const void     *items[COUNT];

    (void)state;
    for (unsigned pattern = 0; pattern < 5; pattern++)
        for (unsigned count = 0; count <= COUNT; count++) {
            unsigned long before = 0, after = 0;
            for (unsigned k = 0; k < count; k++) {
                numbers[k] = number(pattern, k);
                items[k]   = &numbers[k];
                before += (unsigned long)(k + 1) * (k + 1);
            }
            tn_sort(items, count, is_less);
            for (unsigned k = 0; k < count; k++) {
                ptrdiff_t at = (const unsigned *)items[k] - numbers;
                after += (unsigned long)((at + 1) * (at + 1));
                if (k)
                    assert_false(is_less(items[k], items[k - 1]));
            }
            assert_int_equal(before, after); /* each of them once */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_is_sorted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
