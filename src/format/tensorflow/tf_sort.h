/* tf_sort.h - sorting pointers in place, without memory of its own */
#ifndef TN_FORMAT_TF_SORT_H
#define TN_FORMAT_TF_SORT_H

#include <stdbool.h>
#include <stdint.h>

typedef bool tn_tf_less(const void *a, const void *b);

/* Not stable; never slower than n log n, whatever the file's order is. */
void tn_tf_sort(const void **items, uint64_t count, tn_tf_less *less);

#endif
