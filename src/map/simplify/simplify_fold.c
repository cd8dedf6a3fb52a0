/*
 * simplify_fold.c - values that follow from constants and shapes
 *
 * What an operator gives is known by the rules of shapes (infer.h).  Outputs of
 * graphs stay computed: a file wants a node for each.  What dequantises weights
 * stays, too: it is what makes a quantised model small and fast.
 */
#include "map/simplify/simplify.h"

#include "map/net/net_build.h"

#include "base/arith.h"

static bool is_kept(const struct tn_net_op *op)
{
    static const char *const ops[] = { "QuantizeLinear", "DequantizeLinear",
                                       "DynamicQuantizeLinear" };

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (tn_bytes_is(op->type, ops[i]))
            return true;
    return false;
}

/* Elements of the type, with what is known of it; false: not all of them. */
static bool count_elements(const struct tn_net_type *type, uint64_t *count)
{
    *count = 1;
    if (!type->has_rank || type->wrap != TN_NET_TENSOR ||
        type->dtype == TN_UNDEFINED)
        return false;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0 ||
            !tn_mul(*count, (uint64_t)type->dims[i], count))
            return false;
    }
    return true;
}

/* Bytes; strings count as their addresses would. */
static uint64_t size_of(const struct tn_net_type *type)
{
    uint64_t count;
    unsigned size = tn_dtype_size(type->dtype);

    if (!count_elements(type, &count) || count > TN_FOLD_MAX)
        return UINT64_MAX;
    return count * (size ? size : 8);
}

/* That all of a list are numbers, texts or bools, as the type has them. */
static bool is_complete(struct tn_item items, const struct tn_net_type *type)
{
    uint64_t count;

    if (items.kind != TN_ITEM_LIST || !count_elements(type, &count) ||
        items.count != count)
        return false;
    for (uint32_t i = 0; i < items.count; i++) {
        enum tn_item_kind kind = items.of.items[i].kind;
        bool fits = type->dtype == TN_STRING ? kind == TN_ITEM_STRING
                                             : tn_item_is_number(kind);
        if (!fits)
            return false;
    }
    return true;
}

static uint32_t add_constant(struct tn_net *net, uint32_t graph,
                             const struct tn_net_type *type,
                             struct tn_item items, struct tn_arena *scratch)
{
    struct tn_bytes  nameless = { NULL, 0 };
    uint64_t        *dims  = tn_new(scratch, uint64_t, type->rank, net->error);
    int64_t         *ints  = tn_new(scratch, int64_t, items.count, net->error);
    double          *reals = tn_new(scratch, double, items.count, net->error);
    struct tn_bytes *texts =
        tn_new(scratch, struct tn_bytes, items.count, net->error);

    if (!dims || !ints || !reals || !texts)
        return TN_NONE;
    for (uint32_t i = 0; i < type->rank; i++)
        dims[i] = (uint64_t)type->dims[i];
    for (uint32_t i = 0; i < items.count; i++) {
        struct tn_item item = items.of.items[i];
        if (item.kind == TN_ITEM_STRING)
            texts[i] = tn_item_bytes(item);
        else
            reals[i] = tn_item_double(item);
        if (tn_item_is_whole(item.kind))
            ints[i] = item.of.number;
    }
    if (type->dtype == TN_STRING)
        return tn_net_add_strings(net, graph, nameless, texts, type->rank,
                                  dims);
    if (tn_item_is_real(type->dtype))
        return tn_net_add_doubles(net, graph, nameless, type->dtype, reals,
                                  type->rank, dims);
    return tn_net_add_ints(net, graph, nameless, type->dtype, ints, type->rank,
                           dims);
}

/* Items have no reals where integers belong, and no complex numbers. */
static bool can_be_said(const struct tn_net_type *type, struct tn_item items)
{
    bool is_whole = !tn_item_is_real(type->dtype) && type->dtype != TN_STRING;

    for (uint32_t i = 0; is_whole && i < items.count; i++)
        if (!tn_item_is_whole(items.of.items[i].kind))
            return false;
    return true;
}

struct folding {
    struct tn_net   *net;
    struct tn_infer *facts;
    const bool      *is_output;
    uint64_t         limit;
    struct tn_arena  scratch;
};

/* Bytes of the constants that it takes. */
static uint64_t size_of_inputs(const struct folding     *f,
                               const struct tn_net_node *node)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == TN_NONE)
            continue;
        const struct tn_net_value value = tn_net_value(f->net, node->inputs[i]);
        uint64_t size = value.constant ? size_of(value.type) : 0;
        sum += size == UINT64_MAX ? 0 : size;
    }
    return sum;
}

/* Whether all that the node gives can be known, without computing it. */
static bool may_fold(const struct folding *f, const struct tn_net_node *node)
{
    uint64_t sum = 0, most = size_of_inputs(f, node) + f->limit;

    if (node->is_removed || !node->output_count || node->control_count ||
        is_kept(node->op))
        return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = node->outputs[i];
        if (value == TN_NONE)
            continue;
        uint64_t size = size_of(tn_net_value(f->net, value).type);
        if (f->is_output[value] || size == UINT64_MAX)
            return false;
        sum += size;
    }
    return sum <= most;
}

static bool fold_node(struct folding *f, uint32_t id)
{
    struct tn_net_node node = tn_net_node(f->net, id);
    struct tn_item     items[TN_INFER_IO_MAX];

    if (node.output_count > TN_INFER_IO_MAX || !may_fold(f, &node))
        return false;
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (node.outputs[i] == TN_NONE)
            continue;
        const struct tn_net_type *type =
            tn_net_value(f->net, node.outputs[i]).type;
        if (tn_fold(f->facts, node.outputs[i], &items[i]) != TN_OK ||
            !is_complete(items[i], type) || !can_be_said(type, items[i]))
            return false;
    }
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (node.outputs[i] == TN_NONE)
            continue;
        tn_arena_rewind(&f->scratch);
        uint32_t like = add_constant(f->net, node.graph,
                                     tn_net_value(f->net, node.outputs[i]).type,
                                     items[i], &f->scratch);
        if (like == TN_NONE)
            return false;
        tn_net_copy_constant(f->net, node.outputs[i], like);
    }
    tn_net_remove(f->net, id);
    return true;
}

uint64_t tn_simplify_fold(struct tn_net *net, struct tn_infer *facts,
                          uint64_t fold_limit)
{
    struct folding  f     = { .net = net, .facts = facts, .limit = fold_limit };
    uint64_t        count = 0;
    struct tn_arena arena;

    tn_arena_init(&arena, net->arena->memory);
    tn_arena_init(&f.scratch, net->arena->memory);
    f.is_output   = tn_simplify_outputs(net, &arena);
    uint32_t last = (uint32_t)net->nodes.count;
    for (uint32_t i = 0; f.is_output && i < last && tn_net_goes_on(net); i++)
        count += fold_node(&f, i);
    tn_arena_done(&f.scratch);
    tn_arena_done(&arena);
    return count;
}
