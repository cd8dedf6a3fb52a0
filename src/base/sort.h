/*
 * sort.h - sorting in place
 *
 * Without memory of its own, and never slower than n log n, whatever the order
 * of the file is; libc's qsort() may allocate behind our back.  Not stable:
 * equal items come out in any order.
 */
#ifndef TN_BASE_SORT_H
#define TN_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items of `size` bytes. */
typedef int tn_compare(const void *a, const void *b, void *context);
void        tn_sort_items(void *items, uint64_t count, size_t size,
                          tn_compare *compare, void *context);

/* Pointers, by what they point to. */
typedef bool tn_less(const void *a, const void *b);
void         tn_sort(const void **items, uint64_t count, tn_less *less);

#endif
