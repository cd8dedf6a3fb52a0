/*
 * simplify_share.c - nodes that compute the same, and constants that are
 *
 * Two nodes of one graph are the same when they are of one operator, with equal
 * attributes and the same inputs, and always give the same: not those that draw
 * numbers, and not those that quantise, whose consumers a runtime fuses one by
 * one.  Nodes are looked at in order, so that what takes two equal values is
 * found equal in the same pass.
 */
#include "base/varint.h"
#include "map/simplify/simplify.h"

#include "map/net/net_build.h"

/* Constants are compared by their bytes up to this many: shapes, axes, bounds.
 * Weights keep their names. */
#define SMALL_BYTES 128

/* Operators of other domains may have hidden state. */
static bool is_ours(struct tn_bytes domain)
{
    return !domain.size || tn_bytes_is(domain, "ai.onnx") ||
           tn_bytes_is(domain, "ai.onnx.ml");
}

static bool is_random_or_quantised(const struct tn_net_op *op)
{
    static const char *const ops[] = {
        "QuantizeLinear",    "DequantizeLinear", "DynamicQuantizeLinear",
        "RandomNormal",      "RandomUniform",    "RandomNormalLike",
        "RandomUniformLike", "Multinomial",      "Bernoulli",
        "Dropout",
    };

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (tn_bytes_is(op->type, ops[i]))
            return true;
    return false;
}

struct sharing {
    struct tn_net   *net;
    struct tn_arena  arena;
    struct tn_intern keys;
    struct tn_list   owners; /* uint32_t by key: node or value                */
    struct tn_buffer key;
    const bool      *is_output;
};

/* The first that had this key, or TN_NONE: it is the first. */
static uint32_t owner_of(struct sharing *s, uint32_t id)
{
    uint32_t known = tn_intern_count(&s->keys);
    uint32_t key =
        tn_intern_copy(&s->keys, tn_buffer_bytes(&s->key), s->net->error);

    if (key == TN_NO_NAME)
        return TN_NONE;
    if (key < known)
        return *tn_list_at(&s->owners, uint32_t, key);
    uint32_t *slot = tn_list_push(&s->owners, uint32_t, s->net->error);
    if (slot)
        *slot = id;
    return TN_NONE;
}

/* ---- constants ---------------------------------------------------------- */

/* Of numbers that say how to compute: whole ones, and single reals. */
static bool is_small(const struct tn_elements *elements, uint64_t *count)
{
    enum tn_dtype dtype = elements->shape.dtype;
    unsigned      size  = tn_dtype_size(dtype);

    if (!tn_shape_count(&elements->shape, count) || !size ||
        *count * size > SMALL_BYTES || elements->shape.rank > 8)
        return false;
    return !tn_item_is_real(dtype) || *count == 1;
}

static bool say_constant(struct sharing *s, const struct tn_net_value *value)
{
    const struct tn_elements *elements = value->constant;
    struct tn_error           own      = TN_ERROR_INIT;
    uint64_t                  count;

    if (!is_small(elements, &count))
        return false;
    tn_buffer_clear(&s->key);
    tn_buffer_u32(&s->key, value->graph);
    tn_buffer_u32(&s->key, elements->shape.dtype);
    tn_buffer_u32(&s->key, elements->shape.rank);
    for (uint32_t i = 0; i < elements->shape.rank; i++)
        tn_buffer_u32(&s->key, (uint32_t)elements->shape.dims[i]);
    tn_payload_stream(elements, 0, count, s->arena.memory, &s->key.sink, &own);
    return !tn_failed(&own);
}

static uint64_t share_constants(struct sharing *s)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < s->net->values.count; i++) {
        const struct tn_net_value value = tn_net_value(s->net, i);
        if (!value.constant || s->is_output[i] || !say_constant(s, &value))
            continue;
        uint32_t owner = owner_of(s, i);
        if (tn_failed(s->net->error))
            break;
        if (owner != TN_NONE && owner != i)
            tn_net_replace(s->net, i, owner);
    }
    return count;
}

/* ---- nodes -------------------------------------------------------------- */

static bool has_graph(const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind == TN_ATTR_GRAPH)
            return true;
    return false;
}

static bool may_share(const struct sharing *s, const struct tn_net_node *node)
{
    if (node->is_removed || node->control_count || !node->output_count ||
        !node->has_common_attrs || has_graph(node) ||
        !is_ours(node->op->domain) || is_random_or_quantised(node->op))
        return false;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE && s->is_output[node->outputs[i]])
            return false;
    return true;
}

static void say_node(struct sharing *s, uint32_t id,
                     const struct tn_net_node *node)
{
    tn_buffer_clear(&s->key);
    tn_buffer_u32(&s->key, node->graph);
    tn_buffer_u32(&s->key, node->op->id);
    tn_buffer_u32(&s->key, tn_net_node_row(s->net, id)->attrs);
    tn_buffer_u32(&s->key, node->input_count);
    for (uint32_t i = 0; i < node->input_count; i++)
        tn_buffer_u32(&s->key, node->inputs[i]);
    tn_buffer_u32(&s->key, node->output_count);
    for (uint32_t i = 0; i < node->output_count; i++)
        tn_buffer_u32(&s->key, node->outputs[i] == TN_NONE);
}

static uint64_t share_nodes(struct sharing *s)
{
    uint64_t count = 0;

    for (uint32_t g = 0; g < s->net->graphs.count; g++) {
        const struct tn_list *nodes = &tn_net_graph(s->net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count && tn_net_goes_on(s->net); i++) {
            uint32_t           id   = *tn_list_at(nodes, uint32_t, i);
            struct tn_net_node node = tn_net_node(s->net, id);
            if (!may_share(s, &node))
                continue;
            say_node(s, id, &node);
            uint32_t owner = owner_of(s, id);
            if (owner == TN_NONE || tn_failed(s->net->error))
                continue;
            struct tn_net_node same = tn_net_node(s->net, owner);
            for (uint32_t k = 0; k < node.output_count; k++)
                if (node.outputs[k] != TN_NONE)
                    tn_net_replace(s->net, node.outputs[k], same.outputs[k]);
            tn_net_remove(s->net, id);
            count++;
        }
    }
    return count;
}

static void clear_keys(struct sharing *s)
{
    tn_intern_done(&s->keys);
    tn_intern_init(&s->keys, &s->arena);
    s->owners.count = 0;
}

uint64_t tn_simplify_share(struct tn_net *net)
{
    struct sharing s     = { .net = net };
    uint64_t       count = 0;

    tn_arena_init(&s.arena, net->arena->memory);
    tn_intern_init(&s.keys, &s.arena);
    tn_list_init(&s.owners, net->arena->memory, sizeof(uint32_t));
    tn_buffer_init(&s.key, net->arena->memory, net->error);
    s.is_output = tn_simplify_outputs(net, &s.arena);
    if (s.is_output) {
        share_constants(&s);
        clear_keys(&s);
        count = share_nodes(&s);
    }
    tn_buffer_done(&s.key);
    tn_list_done(&s.owners);
    tn_intern_done(&s.keys);
    tn_arena_done(&s.arena);
    return count;
}
