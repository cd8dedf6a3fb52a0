/*
 * lang_item.h - values of expressions in the rule language
 *
 * An item is small and passed by value; lists and texts are in the scratch
 * arena of the evaluation, which lasts for one node.
 *
 * Unknown is a value: what is computed from it is unknown, unless it does not
 * matter (`false and ?` is false).  It remembers the expression that was
 * unknown, so that a refusal reads "needs the rank of 'X', which is unknown".
 */
#ifndef TN_MAP_LANG_ITEM_H
#define TN_MAP_LANG_ITEM_H

#include "map/lang/lang.h"
#include "map/net/net.h"

/* Items of one list. */
#define TN_LANG_LIST_MAX (UINT32_C(1) << 20)

enum tn_item_kind {
    TN_ITEM_UNSET,   /* a name that nothing was bound to                      */
    TN_ITEM_NONE,    /* not given                                             */
    TN_ITEM_UNKNOWN, /* .expr could not tell; may be NULL.  .count: a value of
                        the net that is read and 1, which it asked; 0: none   */
    TN_ITEM_BOOL,    /* .number                                               */
    TN_ITEM_INT,     /* .number                                               */
    TN_ITEM_FLOAT,   /* .real                                                 */
    TN_ITEM_STRING,  /* .text, of .count bytes                                */
    TN_ITEM_DTYPE,   /* .number: enum tn_dtype, and enum tn_net_wrap << 8     */
    TN_ITEM_LIST,    /* .items, .count of them                                */
    TN_ITEM_VALUE,   /* .number: a value of the net that is read              */
    TN_ITEM_MADE,    /* .number: a value of the net that is written           */
    TN_ITEM_TENSOR,  /* .tensor: of an attribute                              */
    TN_ITEM_GRAPH,   /* .number: a graph of the net that is read              */
    TN_ITEM_OTHER,   /* .attr: handed on as it is (functions, types)          */
};

struct tn_item {
    uint32_t kind;  /* enum tn_item_kind                                      */
    uint32_t count; /* of a list or string                                    */
    union {
        int64_t                     number;
        double                      real;
        const char                 *text;
        const struct tn_item       *items;
        const struct tn_tensor     *tensor;
        const struct tn_attr_value *attr;
        const struct tn_lang_expr  *expr;
    } of;
};

static inline struct tn_item tn_item_int(int64_t number)
{
    return (struct tn_item){ .kind = TN_ITEM_INT, .of.number = number };
}

static inline struct tn_item tn_item_bool(bool is_true)
{
    return (struct tn_item){ .kind = TN_ITEM_BOOL, .of.number = is_true };
}

static inline struct tn_item tn_item_float(double real)
{
    return (struct tn_item){ .kind = TN_ITEM_FLOAT, .of.real = real };
}

/* Longer texts than 4 GiB are cut; nothing that we read has any. */
static inline struct tn_item tn_item_text(struct tn_bytes text)
{
    return (struct tn_item){ .kind    = TN_ITEM_STRING,
                             .count   = (uint32_t)text.size,
                             .of.text = (const char *)text.data };
}

static inline struct tn_bytes tn_item_bytes(struct tn_item text)
{
    return tn_bytes(text.of.text, text.count);
}

static inline struct tn_item tn_item_dtype(enum tn_dtype    dtype,
                                           enum tn_net_wrap wrap)
{
    return (struct tn_item){ .kind      = TN_ITEM_DTYPE,
                             .of.number = (int64_t)dtype | (int64_t)wrap << 8 };
}

static inline enum tn_dtype tn_item_to_dtype(struct tn_item dtype)
{
    return (enum tn_dtype)(dtype.of.number & 0xff);
}

static inline enum tn_net_wrap tn_item_to_wrap(struct tn_item dtype)
{
    return (enum tn_net_wrap)(dtype.of.number >> 8);
}

/* Whether elements of the type are TN_ITEM_FLOAT. */
static inline bool tn_item_is_real(enum tn_dtype dtype)
{
    return dtype >= TN_FLOAT32 && dtype <= TN_FLOAT4E2M1;
}

static inline struct tn_item tn_item_none(void)
{
    return (struct tn_item){ .kind = TN_ITEM_NONE };
}

static inline struct tn_item tn_item_unknown(const struct tn_lang_expr *expr)
{
    return (struct tn_item){ .kind = TN_ITEM_UNKNOWN, .of.expr = expr };
}

static inline struct tn_item tn_item_list(const struct tn_item *items,
                                          uint32_t              count)
{
    return (struct tn_item){ .kind     = TN_ITEM_LIST,
                             .count    = count,
                             .of.items = items };
}

/* Numbers: of ints and bools, and of all. */
static inline bool tn_item_is_whole(uint32_t kind)
{
    return kind == TN_ITEM_INT || kind == TN_ITEM_BOOL;
}

static inline bool tn_item_is_number(uint32_t kind)
{
    return tn_item_is_whole(kind) || kind == TN_ITEM_FLOAT;
}

/* Of a number. */
static inline double tn_item_double(struct tn_item item)
{
    return item.kind == TN_ITEM_FLOAT ? item.of.real : (double)item.of.number;
}

/* Numbers of any kind; false if it is not one, or does not fit. */
bool tn_item_to_int(struct tn_item item, int64_t *number);
bool tn_item_to_double(struct tn_item item, double *real);

/* "a list", "an int". */
const char *tn_item_kind_name(struct tn_item item);

/* Whether two items are equal: 1, 0, or -1 for "unknown", which is also
 * said of lists that are too large to compare.  The second adds to the steps
 * that it took. */
int tn_item_equal(struct tn_item a, struct tn_item b);
int tn_item_equal_counted(struct tn_item a, struct tn_item b, uint64_t *steps);

/* An attribute of 32 bits equals the literal that it was written as: 0.1f is
 * 0.1.  So where one of the two is a float, both are compared as floats. */
bool tn_item_same_real(double a, double b);

/* The bounds of xs[a:b:s] in a list of `count`, as Python has them. */
struct tn_item_range {
    int64_t first, step;
    int64_t count;
};
struct tn_item_range tn_item_slice(int64_t count, const int64_t *begin,
                                   const int64_t *end, int64_t step);

#endif
