/* diff_transpose.c - whether one tensor is another one, transposed */
#include "diff/diff_transpose.h"

#include "diff/diff_elements.h"

static bool fits(const struct tn_shape *left, const struct tn_shape *right,
                 const uint32_t axes[TN_DIFF_AXES])
{
    for (uint32_t i = 0; i < left->rank; i++)
        if (right->dims[i] != left->dims[axes[i]])
            return false;
    return true;
}

/* The next order of the axes, as in a dictionary; false after the last. */
static bool next_order(uint32_t *axes, uint32_t rank)
{
    uint32_t i = rank - 1, k = rank - 1;

    while (i > 0 && axes[i - 1] > axes[i])
        i--;
    if (i == 0)
        return false;
    while (axes[k] < axes[i - 1])
        k--;
    uint32_t kept = axes[k];
    axes[k]       = axes[i - 1];
    axes[i - 1]   = kept;
    for (k = rank - 1; i < k; i++, k--) {
        kept    = axes[i];
        axes[i] = axes[k];
        axes[k] = kept;
    }
    return true;
}

/* `from` in the type of `to`, if that is not wider. */
static struct tn_elements narrowed(const struct tn_elements *from,
                                   enum tn_dtype to, struct tn_view *view)
{
    struct tn_elements made = *from;

    if (from->shape.dtype == to ||
        tn_dtype_bits(from->shape.dtype) < tn_dtype_bits(to))
        return made;
    *view            = (struct tn_view){ .kind        = TN_VIEW_CAST,
                                         .inputs      = from,
                                         .input_count = 1 };
    made.shape.dtype = to;
    made.payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    made.payload.stored = tn_payload_needed(&made.shape, 1);
    return made;
}

static bool agree(const struct tn_elements *left,
                  const struct tn_elements *right, const uint32_t *axes,
                  struct tn_memory *memory, struct tn_error *error)
{
    struct tn_view permute = {
        .kind = TN_VIEW_PERMUTE, .inputs = left, .input_count = 1, .axes = axes
    };
    struct tn_elements    moved = { .shape = right->shape };
    struct tn_view        casts[2];
    struct tn_diff_values values;
    bool                  is_moved = false;

    for (uint32_t i = 0; i < left->shape.rank; i++)
        is_moved |= axes[i] != i;
    moved.shape.dtype = left->shape.dtype;
    moved.payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = &permute };
    moved.payload.stored = tn_payload_needed(&moved.shape, 1);
    if (!is_moved)
        moved = *left;
    struct tn_elements a = narrowed(&moved, right->shape.dtype, &casts[0]);
    struct tn_elements b = narrowed(right, left->shape.dtype, &casts[1]);
    return tn_diff_elements(&a, &b, 0, memory, &values, error) == TN_OK &&
           values.changed == 0;
}

bool tn_diff_transposed(const struct tn_elements *left,
                        const struct tn_elements *right,
                        struct tn_memory *memory, uint32_t axes[TN_DIFF_AXES],
                        struct tn_error *error)
{
    if (left->shape.rank != right->shape.rank ||
        left->shape.rank > TN_DIFF_AXES)
        return false;
    for (uint32_t i = 0; i < TN_DIFF_AXES; i++)
        axes[i] = i;
    do {
        if (fits(&left->shape, &right->shape, axes) &&
            agree(left, right, axes, memory, error))
            return true;
    } while (!tn_failed(error) && left->shape.rank > 1 &&
             next_order(axes, left->shape.rank));
    return false;
}
