/*
 * tally.h - counts and moments of elements, while they stream past
 *
 * A tally is a sink: it takes the bytes that tn_payload_stream() writes.  Two
 * tallies of consecutive parts of a tensor can be joined.  All but mean and
 * deviation are then the same as of one tally of the whole, bit by bit; those
 * two depend on where the parts end, in their last digits.
 */
#ifndef TN_IR_TALLY_H
#define TN_IR_TALLY_H

#include <tenon/statistics.h>

#include "base/sink.h"
#include "ir/element.h"

/* Equal bins on multiples of a power of two.  When an element is outside,
 * neighbours are joined until all fit: that moves no element across an edge, so
 * the result does not depend on the order of elements. */
struct tn_bins {
    int      exponent; /* of the width                                        */
    int      least;    /* for integers 0: no bin is narrower than 1           */
    int64_t  first; /* bin 0 begins at first * 2^exponent                   */
    uint64_t counts[TN_STATISTICS_BINS];
};

struct tn_tally {
    struct tn_sink sink; /* first */
    enum tn_dtype  dtype;
    bool           is_plain; /* without instructions that not every processor
                                has; set after tn_tally_init() by tests       */
    uint64_t zeros, nans, infinities, finite;
    double   min, max, mean;
    double   squares; /* sum of squared distances from the mean          */
    struct tn_bins bins;
    uint64_t       codes[256]; /* elements of one byte are only counted here,
                                  until the end                               */
    unsigned cut_size; /* bytes of an element whose rest comes next    */
    uint8_t  cut[TN_ELEMENT_MAX];
};

void tn_tally_init(struct tn_tally *tally, enum tn_dtype dtype);

/* For strings: one of this length. */
void tn_tally_add_length(struct tn_tally *tally, uint64_t length);

/* What `next` has seen comes after what `tally` has; of the same type.  Neither
 * is in the middle of an element. */
void tn_tally_join(struct tn_tally *tally, const struct tn_tally *next);

/* Nothing can be added afterwards. */
void tn_tally_finish(struct tn_tally *tally, struct tn_statistics *result);

#endif
