/* sizes.c - new shapes that only repeat sizes of the value that is reshaped */
#include "map/simplify/sizes.h"

#include <string.h>

#include "map/net/net_build.h"
#include "map/simplify/node_ops.h"
#include "map/simplify/rows.h"
#include "map/simplify/sizing.h"

/* Since this opset Squeeze and Unsqueeze take axes as an input. */
#define AXES_ARE_INPUTS 13

static bool is_of(const struct tn_net_node *node, const char *op)
{
    return !node->is_removed && tn_node_is(node, op) &&
           node->input_count == 2 && node->inputs[0] != TN_NONE &&
           node->inputs[1] != TN_NONE && node->output_count == 1 &&
           node->outputs[0] != TN_NONE;
}

/* ---- shapes that become constants --------------------------------------- */

static bool copies_zeros(const struct tn_net_node *node)
{
    return tn_net_int_attr(node, "allowzero", 0) == 0;
}

/* The number to write for size `i` of a new shape: 0 where it is that of what
 * is reshaped, -1 where it is not known. */
static int64_t number_for(const struct tn_sizing   *s,
                          const struct tn_net_node *node,
                          const struct tn_sizes *of, uint32_t i)
{
    const struct tn_sizes *to   = &tn_sizes_of(s, node, 1)->elements;
    const struct tn_sizes *made = &s->values[node->outputs[0]].dims;
    uint32_t               size = to->items[i];
    int64_t                number;

    if (tn_size_number(to, i, &number) && number > 0)
        return number;
    if ((size == TN_SIZE(-1) || size == TN_SIZE(0)) && made->is_known &&
        made->count == to->count)
        size = made->items[i];
    return size != TN_SIZE_NOT_KNOWN && i < of->count && size == of->items[i]
               ? 0
               : -1;
}

/* A copied size may be 0, and then no size follows from the others: so a -1 is
 * written beside copied sizes only if it was there before. */
static bool write_shape(const struct tn_sizing   *s,
                        const struct tn_net_node *node, uint32_t from,
                        int64_t *shape, uint64_t *count)
{
    const struct tn_sizes *to    = &tn_sizes_of(s, node, 1)->elements;
    const struct tn_sizes *of    = &tn_sizes_of_value(s, from)->dims;
    uint32_t               zeros = 0, open = 0, guessed = 0;

    if (!to->is_known || !of->is_known || !to->count)
        return false;
    *count = to->count;
    for (uint32_t i = 0; i < to->count; i++) {
        shape[i] = number_for(s, node, of, i);
        zeros += shape[i] == 0;
        open += shape[i] == -1;
        guessed += shape[i] == -1 && to->items[i] != TN_SIZE(-1);
        if (to->items[i] == TN_SIZE(0) && !copies_zeros(node))
            return false;
    }
    return open <= 1 && !(zeros && guessed);
}

/* The value before other operators changed its axes. */
static uint32_t before(const struct tn_net *net, uint32_t value)
{
    uint32_t maker = tn_net_value(net, value).producer;

    if (maker == TN_NONE)
        return TN_NONE;
    const struct tn_net_node node = tn_net_node(net, maker);
    bool is_shape = is_of(&node, "Reshape") || is_of(&node, "Squeeze") ||
                    is_of(&node, "Unsqueeze");
    return is_shape && node.graph == tn_net_value(net, node.inputs[0]).graph
               ? node.inputs[0]
               : TN_NONE;
}

/* Reshapes the value that it comes from, if that is possible. */
static bool find_shape(const struct tn_sizing   *s,
                       const struct tn_net_node *node, uint32_t *from,
                       int64_t *shape, uint64_t *count)
{
    *from = before(s->net, node->inputs[0]);
    if (*from != TN_NONE && write_shape(s, node, *from, shape, count))
        return true;
    *from = node->inputs[0];
    return write_shape(s, node, *from, shape, count);
}

static bool is_written(const struct tn_sizing   *s,
                       const struct tn_net_node *node, const int64_t *shape,
                       uint64_t count)
{
    const struct tn_sizes *to = &tn_sizes_of(s, node, 1)->elements;
    int64_t                number;

    if (!tn_net_value(s->net, node->inputs[1]).constant)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!tn_size_number(to, i, &number) || number != shape[i])
            return false;
    return true;
}

static bool settle_shape(struct tn_sizing *s, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(s->net, id);
    int64_t                  shape[TN_SIZES_MAX];
    uint64_t                 count;
    uint32_t                 from;

    if (!is_of(&node, "Reshape") ||
        !find_shape(s, &node, &from, shape, &count) ||
        (from == node.inputs[0] && is_written(s, &node, shape, count)))
        return false;
    struct tn_bytes was      = tn_net_value(s->net, node.inputs[1]).name;
    uint32_t        inputs[] = { from, tn_net_add_ints(s->net, node.graph, was,
                                                       TN_INT64, shape, 1, &count) };
    if (inputs[1] == TN_NONE)
        return false;
    tn_net_set_inputs(s->net, id, inputs, 2);
    tn_net_set_attrs(s->net, id, NULL, 0);
    return true;
}

/* ---- axes of one -------------------------------------------------------- */

/* The places of additional ones in a new shape; false if it differs in
 * something else. */
static bool find_ones(const struct tn_sizes *less, const struct tn_sizes *more,
                      int64_t *axes, uint64_t *count)
{
    uint32_t at = 0;

    *count = 0;
    if (!less->is_known || !more->is_known)
        return false;
    for (uint32_t i = 0; i < more->count; i++) {
        if (at < less->count && more->items[i] != TN_SIZE_NOT_KNOWN &&
            more->items[i] == less->items[at])
            at++;
        else if (more->items[i] == TN_SIZE(1))
            axes[(*count)++] = i;
        else
            return false;
    }
    return at == less->count && *count > 0;
}

/* A Reshape by computed sizes that only adds axes, or takes some away. */
static bool name_axes(struct tn_sizing *s, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(s->net, id);
    int64_t                  axes[TN_SIZES_MAX];
    uint64_t                 count;

    if (!is_of(&node, "Reshape") || s->net->version < AXES_ARE_INPUTS ||
        tn_net_value(s->net, node.inputs[1]).constant)
        return false;
    const struct tn_sizes *from = &tn_sizes_of(s, &node, 0)->dims;
    const struct tn_sizes *to   = &s->values[node.outputs[0]].dims;
    bool                   adds = find_ones(from, to, axes, &count);
    if (!adds && !find_ones(to, from, axes, &count))
        return false;
    struct tn_bytes was      = tn_net_value(s->net, node.inputs[1]).name;
    uint32_t        inputs[] = { node.inputs[0],
                                 tn_net_add_ints(s->net, node.graph, was, TN_INT64,
                                                 axes, 1, &count) };
    if (inputs[1] == TN_NONE)
        return false;
    tn_net_set_op(s->net, id,
                  tn_net_own_op(s->net, adds ? "Unsqueeze" : "Squeeze"));
    tn_net_set_inputs(s->net, id, inputs, 2);
    tn_net_set_attrs(s->net, id, NULL, 0);
    return true;
}

/* ---- what changes nothing ----------------------------------------------- */

/* Whether a node reshapes to the sizes that the value already has. */
static bool is_same_shape(const struct tn_sizing   *s,
                          const struct tn_net_node *node)
{
    const struct tn_sizes *from = &tn_sizes_of(s, node, 0)->dims;
    const struct tn_sizes *to   = &s->values[node->outputs[0]].dims;

    return from->is_known && to->is_known && from->count == to->count &&
           tn_sizes_agree(from, to, to->count);
}

/* Whether a node expands to sizes of 1, or to those that the value has. */
static bool is_wide_enough(const struct tn_sizing   *s,
                           const struct tn_net_node *node)
{
    const struct tn_sizes *from = &tn_sizes_of(s, node, 0)->dims;
    const struct tn_sizes *to   = &tn_sizes_of(s, node, 1)->elements;

    if (!from->is_known || !to->is_known || to->count > from->count)
        return false;
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t mine = from->items[from->count - to->count + i];
        if (to->items[i] != TN_SIZE(1) &&
            (mine == TN_SIZE_NOT_KNOWN || to->items[i] != mine))
            return false;
    }
    return true;
}

/* Whether a value is a list, and another with the same elements. */
static bool is_same_list(const struct tn_sizing *s, uint32_t a, uint32_t b)
{
    const struct tn_value_sizes *x = tn_sizes_of_value(s, a);
    const struct tn_value_sizes *y = tn_sizes_of_value(s, b);

    return x->dims.is_known && y->dims.is_known &&
           x->dims.count == y->dims.count &&
           x->elements.count == y->elements.count &&
           tn_sizes_agree(&x->elements, &y->elements, x->elements.count);
}

/* The value that a node returns unchanged; TN_NONE: another node. */
static uint32_t idle(const struct tn_sizing *s, const struct tn_net_node *node)
{
    if ((is_of(node, "Reshape") && is_same_shape(s, node)) ||
        (is_of(node, "Expand") && is_wide_enough(s, node)))
        return node->inputs[0];
    if (node->is_removed || !tn_node_is(node, "Where") ||
        node->input_count != 3 || node->output_count != 1 ||
        node->outputs[0] == TN_NONE)
        return TN_NONE;
    for (uint32_t i = 1; i < 3; i++)
        if (is_same_list(s, node->outputs[0], node->inputs[i]))
            return node->inputs[i];
    return TN_NONE;
}

static bool leave_out(struct tn_sizing *s, uint32_t id, const bool *is_output)
{
    const struct tn_net_node node = tn_net_node(s->net, id);
    uint32_t                 from = idle(s, &node);

    if (from == TN_NONE ||
        (is_output[node.outputs[0]] &&
         (is_output[from] || tn_net_value(s->net, from).producer == TN_NONE)))
        return false;
    tn_net_replace(s->net, node.outputs[0], from);
    tn_net_remove(s->net, id);
    return true;
}

/* ---- lists with other numbers ------------------------------------------- */

/* Items `from` to `from + count` of a list as numbers, as a constant named
 * after another value; TN_NONE: they are not numbers. */
static uint32_t make_numbers(struct tn_sizing *s, uint32_t graph,
                             const struct tn_sizes *list, uint32_t from,
                             uint64_t count, uint32_t like)
{
    struct tn_bytes name  = tn_net_value(s->net, like).name;
    enum tn_dtype   dtype = tn_net_value(s->net, like).type->dtype;
    int64_t         numbers[TN_SIZES_MAX];

    for (uint32_t i = 0; i < count; i++)
        if (!tn_size_number(list, from + i, &numbers[i]))
            return TN_NONE;
    return tn_net_add_ints(s->net, graph, name, dtype, numbers, 1, &count);
}

/* The inputs of a Concat, with numbers in place of those that differ from a
 * list; false: others differ as well. */
static bool find_pieces(struct tn_sizing *s, const struct tn_net_node *concat,
                        uint32_t graph, const struct tn_sizes *list,
                        uint32_t *inputs)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < concat->input_count; i++) {
        struct tn_sizes piece = tn_sizes_of(s, concat, i)->elements;
        struct tn_sizes part  = { .is_known = true, .count = piece.count };
        if (!piece.is_known || at + piece.count > list->count)
            return false;
        memcpy(part.items, list->items + at, piece.count * sizeof *part.items);
        inputs[i] = tn_sizes_agree(&piece, &part, piece.count)
                        ? concat->inputs[i]
                        : make_numbers(s, graph, list, at, piece.count,
                                       concat->inputs[i]);
        if (inputs[i] == TN_NONE)
            return false;
        at += piece.count;
    }
    return at == list->count;
}

/* Replaces a Where that chooses other numbers for some items of a Concat by a
 * Concat with these numbers. */
static bool choose_numbers(struct tn_sizing *s, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(s->net, id);
    uint32_t                 inputs[TN_SIZES_MAX], maker;

    if (node.is_removed || !tn_node_is(&node, "Where") ||
        node.input_count != 3 || node.inputs[2] == TN_NONE ||
        node.output_count != 1 || node.outputs[0] == TN_NONE)
        return false;
    maker                      = tn_net_value(s->net, node.inputs[2]).producer;
    const struct tn_sizes list = s->values[node.outputs[0]].elements;
    if (maker == TN_NONE || !list.is_known)
        return false;
    const struct tn_net_node concat = tn_net_node(s->net, maker);
    if (!tn_node_is(&concat, "Concat") || concat.graph != node.graph ||
        concat.input_count > TN_SIZES_MAX ||
        !find_pieces(s, &concat, node.graph, &list, inputs))
        return false;
    tn_net_set_op(s->net, id, tn_net_own_op(s->net, "Concat"));
    tn_net_copy_attrs(s->net, id, maker);
    tn_net_set_inputs(s->net, id, inputs, concat.input_count);
    return true;
}

/* ---- what is broadcast anyway ------------------------------------------- */

/* Operators that broadcast all their inputs. */
static const char *const broadcasting[] = {
    "Add",  "And",         "Div", "Equal", "Greater", "GreaterOrEqual",
    "Less", "LessOrEqual", "Max", "Min",   "Mod",     "Mul",
    "Or",   "Pow",         "Sub", "Sum",   "Where",   "Xor",
};

/* The input of an Expand, which a node that broadcasts may take instead;
 * TN_NONE: not an Expand. */
static uint32_t behind_expand(const struct tn_sizing *s, uint32_t value)
{
    uint32_t producer =
        value == TN_NONE ? TN_NONE : tn_net_value(s->net, value).producer;

    if (producer == TN_NONE)
        return TN_NONE;
    const struct tn_net_node node = tn_net_node(s->net, producer);
    return is_of(&node, "Expand") ? node.inputs[0] : TN_NONE;
}

/* Whether a value has that size there, counted from the last dimension. */
static bool has_size(const struct tn_sizing *s, uint32_t value, uint32_t back,
                     uint32_t size)
{
    const struct tn_sizes *dims = &tn_sizes_of_value(s, value)->dims;

    return dims->is_known && back < dims->count &&
           dims->items[dims->count - 1 - back] == size;
}

/* Whether the inputs of a node, with another in one place, have each size of
 * its result. */
static bool have_all_sizes(const struct tn_sizing   *s,
                           const struct tn_net_node *node, uint32_t place,
                           uint32_t instead)
{
    const struct tn_sizes *made = &s->values[node->outputs[0]].dims;
    bool                   has  = made->is_known;

    for (uint32_t back = 0; has && back < made->count; back++) {
        uint32_t size = made->items[made->count - 1 - back];
        has           = false;
        for (uint32_t i = 0; !has && i < node->input_count; i++)
            has =
                size != TN_SIZE_NOT_KNOWN &&
                has_size(s, i == place ? instead : node->inputs[i], back, size);
    }
    return has;
}

static bool set_input(struct tn_net *net, uint32_t id, uint32_t place,
                      uint32_t value)
{
    const struct tn_net_node node = tn_net_node(net, id);
    uint32_t                *inputs =
        tn_new(net->arena, uint32_t, node.input_count, net->error);

    if (!inputs)
        return false;
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    inputs[place] = value;
    tn_net_set_inputs(net, id, inputs, node.input_count);
    return !tn_failed(net->error);
}

/* An Expand before an operator whose other inputs have the sizes, too. */
static bool skip_expands(struct tn_sizing *s, uint32_t id)
{
    const struct tn_net_node node    = tn_net_node(s->net, id);
    bool                     skipped = false;

    if (node.is_removed || node.output_count != 1 ||
        node.outputs[0] == TN_NONE || !TN_NODE_IS_AMONG(&node, broadcasting))
        return false;
    for (uint32_t i = 0; i < node.input_count; i++) {
        const struct tn_net_node now  = tn_net_node(s->net, id);
        uint32_t                 from = behind_expand(s, now.inputs[i]);
        if (from != TN_NONE && have_all_sizes(s, &now, i, from))
            skipped |= set_input(s->net, id, i, from);
    }
    return skipped;
}

/* ---- all of it ---------------------------------------------------------- */

/* Adds numbers that types do not have, for the next round. */
static void tell_type(struct tn_sizing *s, uint32_t id)
{
    struct tn_net_type     type = *tn_net_value(s->net, id).type;
    const struct tn_sizes *dims = &s->values[id].dims;
    int64_t                told[TN_SIZES_MAX], number;
    bool                   is_news = false;

    if (!type.has_rank || !dims->is_known || type.rank != dims->count)
        return;
    for (uint32_t i = 0; i < type.rank; i++) {
        told[i] = type.dims[i];
        if (told[i] < 0 && tn_size_number(dims, i, &number) && number >= 0) {
            told[i] = number;
            is_news = true;
        }
    }
    type.dims = told;
    if (is_news)
        tn_net_set_type(s->net, id, &type);
}

static bool has_candidate(const struct tn_net *net)
{
    if (!tn_net_may_have_op(net, "Reshape") &&
        !tn_net_may_have_op(net, "Expand"))
        return false;
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (is_of(&node, "Reshape") || is_of(&node, "Expand"))
            return true;
    }
    return false;
}

static uint64_t simplify(struct tn_sizing *s, const bool *is_output)
{
    uint32_t last  = (uint32_t)s->net->nodes.count;
    uint64_t count = 0;

    for (uint32_t i = 0; i < last && tn_net_goes_on(s->net); i++)
        count += leave_out(s, i, is_output) || settle_shape(s, i) ||
                 name_axes(s, i) || choose_numbers(s, i) || skip_expands(s, i);
    for (uint32_t i = 0; i < s->count && !tn_failed(s->net->error); i++)
        if (tn_net_value(s->net, i).producer != TN_NONE)
            tell_type(s, i);
    return count;
}

uint64_t tn_simplify_sizes(struct tn_net *net, struct tn_infer *facts)
{
    struct tn_sizing s;
    uint64_t         count = 0;
    struct tn_arena  arena;

    if (!has_candidate(net))
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    const bool *is_output = tn_net_find_outputs(net, &arena);
    if (is_output && tn_sizing_run(&s, net, facts, &arena)) {
        count = tn_lift_rows(&s, is_output, &arena);
        count += simplify(&s, is_output);
    }
    tn_arena_done(&arena);
    return count;
}
