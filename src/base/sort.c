/*
 * sort.c - quick sort; heap sort if that would become quadratic, insertion sort
 * for short lists
 */
#include "base/sort.h"

#include <string.h>

#define SHORT 12

struct sorting {
    uint8_t    *items;
    size_t      size;
    tn_compare *compare;
    void       *context;
};

static bool is_less(const struct sorting *s, uint64_t a, uint64_t b)
{
    return s->compare(s->items + a * s->size, s->items + b * s->size,
                      s->context) < 0;
}

static void swap(const struct sorting *s, uint64_t a, uint64_t b)
{
    uint8_t *left = s->items + a * s->size, *right = s->items + b * s->size;
    uint8_t  kept[64];

    for (size_t left_over = s->size, part; left_over; left_over -= part) {
        part = left_over < sizeof kept ? left_over : sizeof kept;
        memcpy(kept, left, part);
        memcpy(left, right, part);
        memcpy(right, kept, part);
        left += part;
        right += part;
    }
}

static bool is_sorted(const struct sorting *s, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (is_less(s, i, i - 1))
            return false;
    return true;
}

static void insert_all(const struct sorting *s, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t k = i; k > begin && is_less(s, k, k - 1); k--)
            swap(s, k, k - 1);
}

static void sift(const struct sorting *s, uint64_t at, uint64_t count)
{
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_less(s, child, child + 1))
            child++;
        if (!is_less(s, at, child))
            return;
        swap(s, at, child);
    }
}

static void heap_sort(const struct sorting *all, uint64_t begin, uint64_t end)
{
    struct sorting s     = *all;
    uint64_t       count = end - begin;

    s.items += begin * s.size;
    for (uint64_t i = count / 2; i-- > 0;)
        sift(&s, i, count);
    for (uint64_t i = count; i-- > 1;) {
        swap(&s, 0, i);
        sift(&s, 0, i);
    }
}

/* Around the median of three, which goes to the beginning first; returns where
 * it ends up. */
static uint64_t split(const struct sorting *s, uint64_t begin, uint64_t end)
{
    uint64_t middle = begin + (end - begin) / 2, last = end - 1;

    if (is_less(s, middle, begin))
        swap(s, middle, begin);
    if (is_less(s, last, middle))
        swap(s, last, middle);
    if (is_less(s, middle, begin))
        swap(s, middle, begin);
    swap(s, begin, middle);
    uint64_t low = begin, high = end;
    for (;;) {
        do
            low++;
        while (low < last && is_less(s, low, begin));
        do
            high--;
        while (is_less(s, begin, high));
        if (low >= high)
            break;
        swap(s, low, high);
    }
    swap(s, begin, high);
    return high;
}

/* Recurses into the shorter part only, so that the stack stays short. */
static void quick_sort(const struct sorting *s, uint64_t begin, uint64_t end,
                       unsigned depth)
{
    while (end - begin > SHORT) {
        if (depth-- == 0) {
            heap_sort(s, begin, end);
            return;
        }
        uint64_t middle = split(s, begin, end);
        if (middle - begin < end - middle) {
            quick_sort(s, begin, middle, depth);
            begin = middle + 1;
        } else {
            quick_sort(s, middle + 1, end, depth);
            end = middle;
        }
    }
    insert_all(s, begin, end);
}

void tn_sort_items(void *items, uint64_t count, size_t size,
                   tn_compare *compare, void *context)
{
    struct sorting s     = { items, size, compare, context };
    unsigned       depth = 0;

    if (is_sorted(&s, count)) /* as most files are */
        return;
    for (uint64_t n = count; n; n /= 2)
        depth += 2;
    quick_sort(&s, 0, count, depth);
}

static int compare_pointers(const void *a, const void *b, void *context)
{
    return (*(tn_less **)context)(*(const void *const *)a,
                                  *(const void *const *)b)
               ? -1
               : 1;
}

void tn_sort(const void **items, uint64_t count, tn_less *less)
{
    tn_sort_items(items, count, sizeof *items, compare_pointers, &less);
}
