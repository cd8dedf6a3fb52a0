/*
 * value_about.h - what a file says about a value, beyond the op that makes it
 *
 * TFLite has a row for every value of a graph: type, shape, quantisation.
 * struct tn_dialect (attr.h) has the function that reads it.
 */
#ifndef TN_IR_VALUE_ABOUT_H
#define TN_IR_VALUE_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <tenon/bytes.h>
#include <tenon/dtype.h>

struct tn_value_about {
    enum tn_dtype  dtype;
    bool           has_rank;
    uint32_t       rank;
    const int64_t *dims; /* -1: open.  Of values that ops make, a hint        */
    bool           is_variable; /* state that stays from run to run           */
    bool           is_sparse;

    /* real = scale * (stored - zero point).  No scales: not quantised. */
    uint32_t       scale_count; /* 1: of all elements; else by index on `axis` */
    const float   *scales;
    const int64_t *zero_points; /* as many as scales                          */
    uint32_t       axis;

    /* Scales by blocks of elements, which are values of the same graph. */
    uint32_t        block_size; /* 0: not in blocks                           */
    struct tn_bytes block_scales;
    struct tn_bytes block_zero_points; /* empty: none                         */
    const uint32_t *block_axes;        /* NULL: the last dimension            */
    uint32_t        block_axis_count;
};

#endif
