/* sort.c - heap sort; libc's qsort may allocate behind our back */
#include "base/sort.h"

static void swap(const void **a, const void **b)
{
    const void *kept = *a;

    *a = *b;
    *b = kept;
}

static void sift(const void **items, uint64_t at, uint64_t count,
                 tn_less *less)
{
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && less(items[child], items[child + 1]))
            child++;
        if (!less(items[at], items[child]))
            return;
        swap(&items[at], &items[child]);
    }
}

static bool is_sorted(const void *const *items, uint64_t count,
                      tn_less *less)
{
    for (uint64_t i = 1; i < count; i++)
        if (less(items[i], items[i - 1]))
            return false;
    return true;
}

void tn_sort(const void **items, uint64_t count, tn_less *less)
{
    if (is_sorted(items, count, less)) /* as most files are */
        return;
    for (uint64_t i = count / 2; i-- > 0;)
        sift(items, i, count, less);
    for (uint64_t i = count; i-- > 1;) {
        swap(&items[0], &items[i]);
        sift(items, 0, i, less);
    }
}
