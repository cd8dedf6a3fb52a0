/*
 * sizing.h - the sizes of values, as far as they are known or equal to others
 *
 * Each value has the sizes of its dimensions and, if it is a small list of
 * integers, its elements as sizes.  A size is a number, or the id of an unknown
 * size.  Each unknown size has an id of its own, which follows it through
 * operators.  Two dimensions with the same name are two sizes, because runtimes
 * do not require callers to respect names.
 */
#ifndef TN_MAP_SIZING_H
#define TN_MAP_SIZING_H

#include "map/lang/infer.h"

enum { TN_SIZES_MAX = 8 };

/* A size: nothing known of it, a number n >= -1 as n + 2, or an unknown one. */
#define TN_SIZE_NOT_KNOWN UINT32_C(0)
#define TN_SIZE_UNKNOWN   UINT32_C(0x80000000)
#define TN_SIZE(n)        ((uint32_t)((n) + 2))

struct tn_sizes {
    uint32_t items[TN_SIZES_MAX];
    uint8_t  count;
    bool     is_known; /* how many there are */
};

struct tn_value_sizes {
    struct tn_sizes dims, elements;
};

struct tn_sizing {
    struct tn_net         *net;
    struct tn_infer       *facts;
    struct tn_value_sizes *values;
    uint32_t               count; /* of `values` */
    uint32_t               next;  /* unknown size that has no number yet */
};

/* Of all values of the net, in `arena`.  Shapes must have been inferred.  False
 * on failure. */
bool tn_sizing_run(struct tn_sizing *s, struct tn_net *net,
                   struct tn_infer *facts, struct tn_arena *arena);

static inline bool tn_size_is_number(uint32_t size)
{
    return size != TN_SIZE_NOT_KNOWN && size < TN_SIZE_UNKNOWN;
}

/* Of a value; of an input of a node, which may be missing. */
const struct tn_value_sizes *tn_sizes_of_value(const struct tn_sizing *s,
                                               uint32_t                value);
const struct tn_value_sizes *tn_sizes_of(const struct tn_sizing   *s,
                                         const struct tn_net_node *node,
                                         uint32_t                  input);

/* A number among those of a list. */
bool tn_size_number(const struct tn_sizes *list, uint32_t index,
                    int64_t *number);

/* Whether two lists are one, as far as the first `count` of them. */
bool tn_sizes_agree(const struct tn_sizes *a, const struct tn_sizes *b,
                    uint32_t count);

#endif
