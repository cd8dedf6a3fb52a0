/*
 * tf_integers.c - quantised element types as the integers that they are
 *
 * A quint8 has the bytes of a uint8; separate ranges say what its steps mean.
 * Other dialects have only integers, so rules see no quantised types, neither
 * in values and constants nor in attributes.
 */
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

static enum tn_dtype plain_type(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_QINT8: return TN_INT8;
    case TN_QUINT8: return TN_UINT8;
    case TN_QINT16: return TN_INT16;
    case TN_QUINT16: return TN_UINT16;
    case TN_QINT32: return TN_INT32;
    default: return dtype;
    }
}

static bool is_quantised(enum tn_dtype dtype)
{
    return plain_type(dtype) != dtype;
}

/* ---- values ------------------------------------------------------------- */

static void change_value(struct tn_net *net, uint32_t id)
{
    const struct tn_net_value value = tn_net_value(net, id);
    struct tn_net_type        type  = *value.type;

    if (value.constant && is_quantised(value.constant->shape.dtype)) {
        struct tn_elements elements = *value.constant;
        elements.shape.dtype        = plain_type(elements.shape.dtype);
        tn_net_set_constant(net, id, &elements, value.origin);
        return;
    }
    type.dtype = plain_type(type.dtype);
    tn_net_set_type(net, id, &type);
}

/* ---- attributes --------------------------------------------------------- */

static bool has_quantised(const struct tn_attr_value *value)
{
    for (uint32_t i = 0; value->kind == TN_ATTR_DTYPE && i < value->count; i++)
        if (is_quantised((enum tn_dtype)value->of.ints[i]))
            return true;
    return false;
}

static bool has_quantised_attr(const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (has_quantised(&node->attrs[i].value))
            return true;
    return false;
}

static void change_attr(struct tn_net *net, struct tn_attr_value *value)
{
    int64_t *types = tn_new(net->arena, int64_t, value->count, net->error);

    for (uint32_t i = 0; types && i < value->count; i++)
        types[i] = plain_type((enum tn_dtype)value->of.ints[i]);
    if (types)
        value->of.ints = types;
}

static void change_node(struct tn_net *net, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(net, id);
    struct tn_net_attr      *attrs;

    if (node.is_removed || !has_quantised_attr(&node))
        return;
    attrs = tn_new(net->arena, struct tn_net_attr, node.attr_count, net->error);
    for (uint32_t i = 0; attrs && i < node.attr_count; i++) {
        attrs[i] = node.attrs[i];
        if (has_quantised(&attrs[i].value))
            change_attr(net, &attrs[i].value);
    }
    if (attrs)
        tn_net_set_attrs(net, id, attrs, node.attr_count);
}

/* ---- the pass ----------------------------------------------------------- */

uint64_t tn_tf_integers(struct tn_net *net)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < net->values.count && tn_net_goes_on(net); i++) {
        if (!is_quantised(tn_net_value(net, i).type->dtype))
            continue;
        change_value(net, i);
        count++;
    }
    for (uint32_t i = 0; i < net->nodes.count && tn_net_goes_on(net); i++)
        change_node(net, i);
    return count;
}
