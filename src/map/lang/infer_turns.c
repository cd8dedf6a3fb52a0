/*
 * infer_turns.c - how often a counted Loop turns
 *
 * A Loop that came from frames has no trip count, but a condition:
 *
 *     less(i, n) and flag        before the first turn
 *     less(i + 1, n) and flag    in each
 *
 * where the next i is i + 1, and the flag is true and stays as it is.  Only
 * facts of the main graph count: those of bodies may be taken back.
 */
#include "map/lang/infer_facts.h"

#define COPIES_MAX 64

/* A condition as above; `flag` is TN_NONE where there is none. */
struct condition {
    uint32_t from, to, flag;
};

/* The inputs of the op that makes a value; NULL: another one makes it. */
static const uint32_t *inputs_of(const struct tn_net *net, uint32_t value,
                                 const char *op, uint32_t count)
{
    uint32_t maker =
        value == TN_NONE ? TN_NONE : tn_net_value(net, value).producer;

    if (maker == TN_NONE)
        return NULL;
    const struct tn_net_node node = tn_net_node(net, maker);
    return tn_bytes_is(node.op->type, op) && node.input_count == count
               ? node.inputs
               : NULL;
}

/* What a value is a copy of. */
static uint32_t original(const struct tn_net *net, uint32_t value)
{
    for (int i = 0; i < COPIES_MAX; i++) {
        const uint32_t *copied = inputs_of(net, value, "identity", 1);
        if (!copied)
            return value;
        value = copied[0];
    }
    return value;
}

static bool read_less(const struct tn_net *net, uint32_t value,
                      struct condition *to)
{
    const uint32_t *less = inputs_of(net, original(net, value), "less", 2);

    if (!less)
        return false;
    to->from = original(net, less[0]);
    to->to   = original(net, less[1]);
    return true;
}

static bool read_condition(const struct tn_net *net, uint32_t value,
                           struct condition *to)
{
    const uint32_t *both =
        inputs_of(net, original(net, value), "boolean_and", 2);

    to->flag = TN_NONE;
    if (!both)
        return read_less(net, value, to);
    to->flag = original(net, both[1]);
    return read_less(net, both[0], to);
}

/* A single number of the main graph. */
static bool read_number(struct tn_infer *infer, uint32_t value, int64_t *number)
{
    struct tn_item item;

    if (value == TN_NONE || tn_net_value(infer->net, value).graph != 0 ||
        tn_fold(infer, value, &item) != TN_OK || item.kind != TN_ITEM_LIST ||
        item.count != 1)
        return false;
    *number = item.of.items[0].of.number;
    return item.of.items[0].kind == TN_ITEM_INT ||
           item.of.items[0].kind == TN_ITEM_BOOL;
}

static bool is_true(struct tn_infer *infer, uint32_t value)
{
    int64_t number;

    return value == TN_NONE ||
           (read_number(infer, value, &number) && number != 0);
}

/* Which variable of the body a value is, counted as inputs of the Loop are;
 * 0: none. */
static uint32_t variable_of(const struct tn_net_node  *loop,
                            const struct tn_net_graph *body, uint32_t value)
{
    for (uint32_t i = 2; i < body->inputs.count && i < loop->input_count &&
                         i - 1 < body->outputs.count;
         i++)
        if (*tn_list_at(&body->inputs, uint32_t, i) == value)
            return i;
    return 0;
}

/* The variable that is one more in the next turn, as variable_of(); 0: none. */
static uint32_t counter_of(struct tn_infer           *infer,
                           const struct tn_net_node  *loop,
                           const struct tn_net_graph *body, uint32_t next)
{
    const uint32_t *sum = inputs_of(infer->net, next, "add", 2);
    int64_t         one;

    if (!sum || !read_number(infer, sum[1], &one) || one != 1)
        return 0;
    uint32_t variable = variable_of(loop, body, original(infer->net, sum[0]));
    return variable &&
                   original(infer->net, *tn_list_at(&body->outputs, uint32_t,
                                                    variable - 1)) == next
               ? variable
               : 0;
}

/* Whether what the body asks besides the count is true in every turn. */
static bool stays_true(struct tn_infer *infer, const struct tn_net_node *loop,
                       const struct tn_net_graph *body, uint32_t flag)
{
    uint32_t variable = flag == TN_NONE ? 0 : variable_of(loop, body, flag);

    if (!variable)
        return is_true(infer, flag);
    return original(infer->net, *tn_list_at(&body->outputs, uint32_t,
                                            variable - 1)) == flag &&
           is_true(infer, original(infer->net, loop->inputs[variable]));
}

int64_t tn_infer_turns(struct tn_infer *infer, const struct tn_net_node *loop,
                       const struct tn_net_graph *body)
{
    const struct tn_net *net = infer->net;
    struct condition     first, next;
    int64_t              start, end;

    if (loop->input_count < 3 || loop->inputs[0] != TN_NONE ||
        !body->outputs.count || !read_condition(net, loop->inputs[1], &first) ||
        !read_condition(net, *tn_list_at(&body->outputs, uint32_t, 0), &next) ||
        first.to != next.to)
        return -1;
    uint32_t counter = counter_of(infer, loop, body, next.from);
    if (!counter || original(net, loop->inputs[counter]) != first.from ||
        !read_number(infer, first.from, &start) ||
        !read_number(infer, first.to, &end) || !is_true(infer, first.flag) ||
        !stays_true(infer, loop, body, next.flag))
        return -1;
    return end <= start ? 0 : start < 0 ? -1 : end - start;
}
