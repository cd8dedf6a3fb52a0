/*
 * lang_pairs.c - complex numbers as pairs of reals
 *
 * A complex element is stored as two numbers, so a constant keeps its bytes:
 * its dims have one more, and its type is another.  If a file leaves out a tail
 * that repeats the last element, the bytes no longer have that meaning.
 */
#include "map/lang/lang_pairs.h"

#include <string.h>

enum tn_dtype tn_pair_part(enum tn_dtype dtype)
{
    return dtype == TN_COMPLEX64    ? TN_FLOAT32
           : dtype == TN_COMPLEX128 ? TN_FLOAT64
                                    : TN_UNDEFINED;
}

static bool is_pair(const struct tn_net *net, uint32_t value)
{
    return value != TN_NONE &&
           tn_pair_part(tn_net_value(net, value).type->dtype) != TN_UNDEFINED;
}

bool tn_pair_in(const struct tn_net *net, const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (is_pair(net, node->inputs[i]))
            return true;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (is_pair(net, node->outputs[i]))
            return true;
    return false;
}

bool tn_pair_type(struct tn_net_type *type, struct tn_arena *arena,
                  struct tn_error *error)
{
    type->dtype   = tn_pair_part(type->dtype);
    type->symbols = NULL;
    if (!type->has_rank)
        return true;
    int64_t *dims = tn_new(arena, int64_t, (uint64_t)type->rank + 1, error);
    if (!dims)
        return false;
    for (uint32_t i = 0; i < type->rank; i++)
        dims[i] = type->dims[i];
    dims[type->rank++] = 2;
    type->dims         = dims;
    return true;
}

/* The same numbers; none may be left out at the end. */
static void pair_constant(struct tn_net *net, uint32_t value)
{
    struct tn_elements elements = *tn_net_value(net, value).constant;
    struct tn_shape   *shape    = &elements.shape;
    uint64_t          *dims =
        tn_new(net->arena, uint64_t, (uint64_t)shape->rank + 1, net->error);
    uint64_t count = 0;

    if (!dims)
        return;
    bool is_whole = elements.payload.encoding != TN_ENCODING_VIEW &&
                    tn_shape_count(shape, &count) &&
                    (count == 1 || (!elements.payload.is_uncounted &&
                                    elements.payload.stored >= 2 * count));
    if (!is_whole) {
        tn_error_set(net->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "a constant of complex numbers leaves out equal elements "
                     "at its end");
        return;
    }
    for (uint32_t i = 0; i < shape->rank; i++)
        dims[i] = shape->dims[i];
    dims[shape->rank++] = 2;
    shape->dims         = dims;
    shape->dtype        = tn_pair_part(shape->dtype);
    tn_net_set_constant(net, value, &elements, NULL);
}

void tn_pair_value(struct tn_net *net, uint32_t value)
{
    struct tn_net_type type = *tn_net_value(net, value).type;

    if (tn_pair_part(type.dtype) == TN_UNDEFINED)
        return;
    if (tn_net_value(net, value).constant)
        pair_constant(net, value);
    if (!tn_failed(net->error) && tn_pair_type(&type, net->arena, net->error))
        tn_net_set_type(net, value, &type);
}
