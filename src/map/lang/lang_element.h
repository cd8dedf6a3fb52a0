/*
 * lang_element.h - what functions over elements have in common
 *
 * Elements are a flat list in C order with dims beside it; the list may have
 * unknown items, which move along with the others.
 */
#ifndef TN_MAP_LANG_ELEMENT_H
#define TN_MAP_LANG_ELEMENT_H

#include "map/lang/infer.h"
#include "map/lang/lang_builtin.h"

#define TN_DIMS_RANK_MAX 16

struct tn_dims {
    int64_t  at[TN_DIMS_RANK_MAX];
    int64_t  strides[TN_DIMS_RANK_MAX]; /* in elements */
    uint32_t rank;
    uint64_t count; /* of elements */
};

/* Fills strides and count; false: there are more elements than are folded. */
bool tn_dims_set_strides(struct tn_dims *dims);

/* False: not all known, or too many. */
bool tn_dims_read(struct tn_item list, struct tn_dims *dims);

/* Elements and their dims, as two arguments; false: the answer is *out. */
bool tn_dims_read_array(const struct tn_call *call, uint32_t index,
                        struct tn_dims *dims, struct tn_item *out);

/* An axis of so many, counted from the end when negative. */
bool tn_dims_axis(struct tn_item item, uint32_t rank, uint32_t *axis);

/* Room for elements; NULL also when there are more than are folded. */
struct tn_item *tn_dims_new_items(const struct tn_call *call, uint64_t count);

/* The next index in C order. */
static inline void tn_dims_step(uint32_t rank, const int64_t *dims,
                                int64_t *index)
{
    for (uint32_t i = rank; i-- > 0;) {
        if (++index[i] < dims[i])
            return;
        index[i] = 0;
    }
}

static inline int64_t tn_dims_offset(uint32_t rank, const int64_t *index,
                                     const int64_t *strides)
{
    int64_t offset = 0;

    for (uint32_t i = 0; i < rank; i++)
        offset += index[i] * strides[i];
    return offset;
}

#endif
