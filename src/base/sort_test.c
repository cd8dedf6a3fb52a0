/* sort_test.c - items in order, whatever order they had */
#include "base/sort.h"

#include "support/hostile.h"

#define COUNT 200

static bool is_less(const void *a, const void *b)
{
    return *(const unsigned *)a < *(const unsigned *)b;
}

/* The k-th number of a pattern: rising, falling, all equal, sawtooth, organ
 * pipes, mixed. */
static unsigned number(unsigned pattern, unsigned k)
{
    switch (pattern) {
    case 0: return k;
    case 1: return COUNT - k;
    case 2: return 7;
    case 3: return k % 5;
    case 4: return k < COUNT / 2 ? k : COUNT - k;
    default: return k * 2654435761u >> 16;
    }
}

static void every_pattern_is_sorted(void **state)
{
    static unsigned numbers[COUNT];
    const void     *items[COUNT];

    (void)state;
    for (unsigned pattern = 0; pattern < 6; pattern++)
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

/* Larger than what is moved at once, and not a power of two. */
struct wide {
    unsigned key;
    uint8_t  rest[99];
};

static int compare_wide(const void *a, const void *b, void *context)
{
    const struct wide *left = a, *right = b;

    ++*(uint64_t *)context;
    return left->key < right->key ? -1 : left->key > right->key;
}

static void items_move_as_a_whole(void **state)
{
    static struct wide items[COUNT];
    uint64_t           calls = 0;

    (void)state;
    for (unsigned k = 0; k < COUNT; k++) {
        items[k].key = number(5, k);
        memset(items[k].rest, (int)(items[k].key & 0xff), 99);
    }
    tn_sort_items(items, COUNT, sizeof *items, compare_wide, &calls);
    for (unsigned k = 0; k < COUNT; k++) {
        assert_true(k == 0 || items[k - 1].key <= items[k].key);
        for (unsigned i = 0; i < 99; i++)
            assert_int_equal(items[k].rest[i], items[k].key & 0xff);
    }
    assert_true(calls > COUNT);
}

/* An adversary decides the order while it is asked (McIlroy, "A killer
 * adversary for quicksort"): numbers are fixed as late as possible, and the
 * pivot becomes the smallest of what is not fixed. */
#define MANY 20000

struct adversary {
    unsigned value[MANY];
    unsigned solid, candidate;
    uint64_t calls;
};

static int compare_hostile(const void *a, const void *b, void *context)
{
    struct adversary *how = context;
    unsigned          x = *(const unsigned *)a, y = *(const unsigned *)b;

    how->calls++;
    if (how->value[x] == MANY && how->value[y] == MANY)
        how->value[x == how->candidate ? x : y] = how->solid++;
    if (how->value[x] == MANY)
        how->candidate = x;
    else if (how->value[y] == MANY)
        how->candidate = y;
    return (how->value[x] > how->value[y]) - (how->value[x] < how->value[y]);
}

static void no_order_is_quadratic(void **state)
{
    static struct adversary how;
    static unsigned         items[MANY];

    (void)state;
    for (unsigned k = 0; k < MANY; k++) {
        items[k]     = k;
        how.value[k] = MANY;
    }
    tn_sort_items(items, MANY, sizeof *items, compare_hostile, &how);
    assert_true(how.calls < UINT64_C(100) * MANY); /* squared: 10,000 times */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_is_sorted),
        cmocka_unit_test(items_move_as_a_whole),
        cmocka_unit_test(no_order_is_quadratic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
