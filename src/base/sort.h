/* sort.h - sorting pointers in place, without memory of its own */
#ifndef TN_BASE_SORT_H
#define TN_BASE_SORT_H

#include <stdbool.h>
#include <stdint.h>

typedef bool tn_less(const void *a, const void *b);

/* Not stable; never slower than n log n, whatever the file's order is. */
void tn_sort(const void **items, uint64_t count, tn_less *less);

#endif
