/*
 * statistics.h - statistics of the elements of a tensor, from one pass
 *
 * Every element type has statistics.  Those of numbers and booleans (0 and 1)
 * are of their values, those of complex numbers are of their absolute values,
 * and those of strings, and of elements that are serialized messages, are of
 * their lengths in bytes.  All are computed in float64: integers of more than
 * 53 bits are rounded.
 */
#ifndef TENON_STATISTICS_H
#define TENON_STATISTICS_H

#include <stdint.h>

#include <tenon/model.h>

enum tn_statistics_of { TN_OF_VALUES, TN_OF_MAGNITUDES, TN_OF_LENGTHS };

#define TN_STATISTICS_BINS 32

/* Made by the library alone, so that later versions may add members at the
 * end. */
struct tn_statistics {
    enum tn_statistics_of of;
    unsigned              bin_count; /* of the histogram: 0 if `finite` is   */
    uint64_t              count;     /* elements                             */
    uint64_t              zeros;     /* of either sign; of strings: empty    */
    uint64_t              nans;
    uint64_t              infinities; /* of either sign                      */
    uint64_t              finite;     /* all others, zeros among them        */

    /* Of the finite elements, NaN if there are none.  The deviation is that of
     * the elements, not an estimate from a sample: divided by `finite`, not by
     * `finite` - 1. */
    double min, max, mean, deviation;

    /* Bin i counts the finite elements from low + i * width up to, but not
     * including, low + (i + 1) * width.  The first and the last bin are not
     * empty.  The width is a power of two, the smallest for which 32 bins are
     * enough and which is at least 2^-24 of the largest magnitude (1 for
     * integers), and `low` is a multiple of it.  So the bins follow from the
     * smallest and the largest element alone, and one pass can count. */
    double   low, width;
    uint64_t bins[TN_STATISTICS_BINS];
};

/* Called once for each tensor, in the order of the list, by the thread that
 * made the call.  The statistics are valid only during the call.  Return
 * non-zero to stop, which is not an error. */
typedef int tn_on_statistics(void *context, uint64_t index,
                             const struct tn_statistics *statistics);

/* Reads `count` tensors of one model on several workers, a large one in parts.
 * Memory does not depend on their size.  Takes max_expand, workers and progress
 * from the options.  Fails as tn_model_hash() does: an error names the tensor,
 * and those before it were reported. */
TN_API enum tn_status tn_statistics_compute(
    const struct tn_model *model, const struct tn_tensor *const *tensors,
    uint64_t count, const struct tn_options *options,
    tn_on_statistics *on_tensor, void *context, struct tn_error *error);

#endif
