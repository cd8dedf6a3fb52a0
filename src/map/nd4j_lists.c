/*
 * nd4j_lists.c - what goes by the type of a number and is a list
 *
 * Files say of every variable that it has a type.  The list that create_list
 * makes, and the flow that orders what is done with it, go by FLOAT; they are no
 * numbers, and nothing may be concluded from it.  They pass through the ops of
 * control flow, round loops too, so this goes on until nothing new is found.
 */
#include "base/byte_view.h"
#include "map/nd4j_args.h"

static bool is_one_of(struct tn_bytes type, const char *const *names)
{
    for (; *names; names++)
        if (tn_bytes_equal(type, tn_text(*names)))
            return true;
    return false;
}

static bool makes_lists(struct tn_bytes type)
{
    static const char *const names[] = { "create_list",  "write_list",
                                         "scatter_list", "split_list",
                                         "unstack_list", NULL };

    return is_one_of(type, names);
}

static bool hands_on(struct tn_bytes type)
{
    static const char *const names[] = { "enter",          "exit",
                                         "merge",          "switch",
                                         "next_iteration", "identity",
                                         NULL };

    return is_one_of(type, names);
}

/* True when it was not known to be one. */
static bool mark(struct tn_net *net, bool *is_list, uint32_t value)
{
    if (value == TN_NONE || is_list[value])
        return false;
    is_list[value]                 = true;
    tn_net_value(net, value)->type = (struct tn_net_type){ 0 };
    return true;
}

static bool mark_outputs(struct tn_net *net, bool *is_list,
                         const struct tn_net_node *node)
{
    bool is_new = false;

    for (uint32_t i = 0; i < node->output_count; i++)
        is_new |= mark(net, is_list, node->outputs[i]);
    return is_new;
}

/* The second output of merge and the second input of switch are no lists. */
static bool pass_on(struct tn_net *net, bool *is_list,
                    const struct tn_net_node *node)
{
    bool is_switch = tn_bytes_equal(node->type, tn_text("switch"));
    bool is_merge  = tn_bytes_equal(node->type, tn_text("merge"));
    bool takes     = false;

    for (uint32_t i = 0; i < (is_switch ? 1 : node->input_count); i++)
        takes |= node->inputs[i] != TN_NONE && is_list[node->inputs[i]];
    if (!takes)
        return false;
    return is_merge ? mark(net, is_list, node->outputs[0])
                    : mark_outputs(net, is_list, node);
}

void tn_nd4j_free_lists(struct tn_net *net)
{
    bool *is_list = tn_new(net->arena, bool, net->values.count, net->error);
    bool  is_new  = is_list != NULL;

    while (is_new) {
        is_new = false;
        for (uint32_t i = 0; i < net->nodes.count; i++) {
            const struct tn_net_node *node = tn_net_node(net, i);
            if (!node->is_removed && makes_lists(node->type))
                is_new |= mark_outputs(net, is_list, node);
            else if (!node->is_removed && hands_on(node->type))
                is_new |= pass_on(net, is_list, node);
        }
    }
}
