/*
 * tf_ranks.c - ranks of inputs, from what uses them
 *
 * A Placeholder often has no shape, but a convolution takes images of four
 * dimensions, and Relu returns the rank that it takes.  A walk from the end of
 * the graph to its beginning finds the ranks that follow from the vocabulary,
 * and from the length of constant lists with one number for each dimension.
 */
#include "ir/vocab.h"
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

#define UNKNOWN (-1)

/* Number of walks: what one walk finds about a result, the next one uses for
 * the other inputs of its users. */
#define ROUNDS 2

/* An input whose length is the rank of the first one. */
struct told {
    const char *op;
    uint32_t    input;
};

static const struct told told_by_length[] = {
    { "Pad", 1 },   { "PadV2", 1 }, { "MirrorPad", 1 }, { "Transpose", 1 },
    { "Slice", 1 }, { "Slice", 2 }, { "Tile", 1 },
};

struct ranks {
    struct tn_net  *net;
    struct tn_vocab vocab;
    int64_t        *of; /* by value: its rank, or UNKNOWN                     */
};

static void set(struct ranks *r, uint32_t value, int64_t rank)
{
    if (value != TN_NONE && r->of[value] == UNKNOWN)
        r->of[value] = rank;
}

static int64_t rank_of(const struct ranks *r, uint32_t value)
{
    return value == TN_NONE ? UNKNOWN : r->of[value];
}

/* ---- by the lines of the vocabulary ------------------------------------- */

/* The argument that an input belongs to; lists of arguments are not told apart
 * behind the first. */
static const struct tn_vocab_arg *arg_at(const struct tn_vocab_op *op,
                                         uint32_t                  index)
{
    if (index >= op->input_count)
        return NULL;
    for (uint32_t i = 0; i <= index; i++)
        if (op->inputs[i].arity != TN_VOCAB_ONE &&
            op->inputs[i].arity != TN_VOCAB_OPTIONAL)
            return NULL;
    return &op->inputs[index];
}

static bool is_shared(const struct tn_vocab_rank *rank)
{
    return rank->is_said && rank->is_variable;
}

/* The rank that arguments of the variable have together; UNKNOWN: none says. */
static int64_t shared_rank(const struct ranks       *r,
                           const struct tn_net_node *node,
                           const struct tn_vocab_op *op)
{
    for (uint32_t i = 0; i < node->output_count && i < op->output_count; i++)
        if (is_shared(&op->outputs[i].rank) && !op->outputs[i].rank.is_up_to &&
            rank_of(r, node->outputs[i]) != UNKNOWN)
            return rank_of(r, node->outputs[i]);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct tn_vocab_arg *arg = arg_at(op, i);
        if (arg && is_shared(&arg->rank) && !arg->rank.is_up_to &&
            rank_of(r, node->inputs[i]) != UNKNOWN)
            return rank_of(r, node->inputs[i]);
    }
    return UNKNOWN;
}

/* Whether all other values that are broadcast are known to have a smaller rank:
 * then this one has the rank of the result. */
static bool is_largest(const struct ranks *r, const struct tn_net_node *node,
                       const struct tn_vocab_op *op, uint32_t input,
                       int64_t rank)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct tn_vocab_arg *arg = arg_at(op, i);
        if (i == input || !arg || !is_shared(&arg->rank))
            continue;
        int64_t other = rank_of(r, node->inputs[i]);
        if (other == UNKNOWN || other >= rank)
            return false;
    }
    return true;
}

static bool is_fixed(const struct tn_vocab_rank *rank)
{
    return rank->is_said && !rank->is_up_to && rank->least == rank->most &&
           rank->most < TN_VOCAB_RANK_LIMIT;
}

static void set_outputs(struct ranks *r, const struct tn_net_node *node,
                        const struct tn_vocab_op *op, int64_t shared)
{
    for (uint32_t i = 0; i < node->output_count && i < op->output_count; i++) {
        const struct tn_vocab_rank *rank = &op->outputs[i].rank;
        if (is_fixed(rank))
            set(r, node->outputs[i], rank->most);
        else if (is_shared(rank) && !rank->is_up_to && !op->has_lists)
            set(r, node->outputs[i], shared);
    }
}

static void set_by_vocabulary(struct ranks *r, const struct tn_net_node *node)
{
    const struct tn_vocab_op *op = tn_vocab_find(
        &r->vocab, node->op->domain, node->op->type, INT64_MAX, r->net->error);

    if (!op || !op->has_ranks)
        return;
    int64_t shared = shared_rank(r, node, op);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct tn_vocab_arg *arg = arg_at(op, i);
        if (!arg || !arg->rank.is_said)
            continue;
        if (is_fixed(&arg->rank))
            set(r, node->inputs[i], arg->rank.most);
        else if (shared != UNKNOWN && arg->rank.is_variable &&
                 (!arg->rank.is_up_to || is_largest(r, node, op, i, shared)))
            set(r, node->inputs[i], shared);
    }
    set_outputs(r, node, op, shared_rank(r, node, op));
}

/* ---- by the lengths of constants ---------------------------------------- */

static void set_by_length(struct ranks *r, const struct tn_net_node *node)
{
    for (size_t i = 0; i < sizeof told_by_length / sizeof told_by_length[0];
         i++) {
        const struct told *told = &told_by_length[i];
        if (!tn_bytes_is(node->op->type, told->op) ||
            node->input_count <= told->input ||
            node->inputs[told->input] == TN_NONE)
            continue;
        const struct tn_net_type *type =
            tn_net_value(r->net, node->inputs[told->input]).type;
        if (type->has_rank && type->rank && type->dims[0] >= 0)
            set(r, node->inputs[0], type->dims[0]);
    }
}

/* All joined values have one rank, which is that of the result. */
static void set_by_joining(struct ranks *r, const struct tn_net_node *node)
{
    uint32_t count = node->input_count - (node->input_count > 0);
    int64_t  rank  = UNKNOWN;

    if (!tn_bytes_is(node->op->type, "ConcatV2"))
        return;
    if (node->output_count)
        rank = rank_of(r, node->outputs[0]);
    for (uint32_t i = 0; i < count && rank == UNKNOWN; i++)
        rank = rank_of(r, node->inputs[i]);
    for (uint32_t i = 0; i < count; i++)
        set(r, node->inputs[i], rank);
}

/* ---- the walk ----------------------------------------------------------- */

static bool begin(struct ranks *r, struct tn_arena *arena)
{
    struct tn_net *net = r->net;

    r->of = tn_new(arena, int64_t, net->values.count, net->error);
    if (!r->of ||
        tn_vocab_open(&r->vocab, arena, net->dialect, net->error) != TN_OK)
        return false;
    for (uint32_t i = 0; i < net->values.count; i++) {
        const struct tn_net_value value = tn_net_value(net, i);
        r->of[i] = value.constant         ? (int64_t)value.constant->shape.rank
                   : value.type->has_rank ? (int64_t)value.type->rank
                                          : UNKNOWN;
    }
    return true;
}

static void walk(struct ranks *r, const struct tn_list *nodes)
{
    for (uint64_t i = nodes->count; i > 0 && tn_net_goes_on(r->net); i--) {
        const struct tn_net_node node =
            tn_net_node(r->net, *tn_list_at(nodes, uint32_t, i - 1));
        if (node.is_removed)
            continue;
        set_by_length(r, &node);
        set_by_joining(r, &node);
        set_by_vocabulary(r, &node);
    }
}

/* An input of any sizes. */
static void take_rank(struct ranks *r, uint32_t value)
{
    struct tn_net_type type = *tn_net_value(r->net, value).type;
    int64_t            rank = r->of[value];

    if (type.has_rank || rank == UNKNOWN || type.wrap != TN_NET_TENSOR)
        return;
    int64_t *dims =
        tn_new(r->net->arena, int64_t, (uint64_t)rank, r->net->error);
    for (int64_t i = 0; dims && i < rank; i++)
        dims[i] = -1;
    type.has_rank = true;
    type.rank     = (uint32_t)rank;
    type.dims     = dims;
    if (!tn_failed(r->net->error))
        tn_net_set_type(r->net, value, &type);
}

enum tn_status tn_tf_ranks(struct tn_net *net)
{
    struct ranks         r      = { .net = net };
    const struct tn_list nodes  = tn_net_graph(net, 0)->nodes;
    const struct tn_list inputs = tn_net_graph(net, 0)->inputs;
    struct tn_arena      arena;
    bool                 is_open = false;

    for (uint64_t i = 0; i < inputs.count; i++)
        is_open |= !tn_net_value(net, *tn_list_at(&inputs, uint32_t, i))
                        .type->has_rank;
    if (!is_open)
        return net->error->status;
    tn_arena_init(&arena, net->arena->memory);
    if (begin(&r, &arena))
        for (uint32_t i = 0; i < ROUNDS; i++)
            walk(&r, &nodes);
    for (uint64_t i = 0; i < inputs.count && !tn_failed(net->error); i++)
        take_rank(&r, *tn_list_at(&inputs, uint32_t, i));
    tn_arena_done(&arena);
    return net->error->status;
}
