/*
 * onnx_directions.c - recurrent layers of both directions
 *
 * A layer over a reversed sequence, whose results are reversed again, is the
 * layer with direction=reverse:
 *
 *   reverse(LSTM(reverse(x)))           LSTM(x; direction: reverse)
 *
 * whether all of an axis is reversed (a Slice with step -1), or every sequence
 * by its length (ReverseSequence, with the sequence_lens of the layer).  Final
 * states do not change.  Transposes of the steps and the batch may be between
 * these nodes.  Lengths that equal the number of steps in the whole batch are
 * removed first.
 *
 * Then a forward and a reverse layer over the same sequence become one
 * bidirectional layer, and the node that joined their results is replaced:
 *
 *   concat(squeeze(Y[0]), squeeze(Y[1]))      reshape(transpose(Y))
 */
#include <stdio.h>

#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"
#include "map/tidy/onnx_make.h"
#include "map/tidy/onnx_tidy.h"

enum {
    STATES_MAX = 3,   /* outputs of a layer                                   */
    INPUTS_MAX = 8,   /* of a layer                                           */
    NEAR_MAX   = 32,  /* layers that are looked at for a partner              */
    WALK_MAX   = 512, /* nodes on the way from one layer to another           */
};

struct turning {
    struct tn_net *net;
    uint64_t       node_count; /* before anything was added                   */
    uint32_t      *others;     /* by node: users of Y that are not Squeezes   */
    bool          *is_turned;  /* by node                                     */
    struct tn_list straight;   /* uint32_t by value: what it is the reverse of,
                                  + 1; 0: not of a layer that was turned       */
    struct tn_list  layers;    /* uint32_t: nodes                             */
    struct tn_list  seen; /* uint32_t by node: the walk that last came by */
    uint32_t        walks;
    struct tn_arena scratch;
    uint64_t        found;
};

/* ---- looking at nodes --------------------------------------------------- */

static uint32_t input_of(const struct tn_net *net, uint32_t node, uint32_t i)
{
    const struct tn_net_node n = tn_net_node(net, node);

    return i < n.input_count && n.inputs[i] != TN_NONE
               ? tn_flow_behind(net, n.inputs[i])
               : TN_NONE;
}

static uint32_t maker_of(const struct tn_net *net, uint32_t value,
                         const char *op)
{
    if (value == TN_NONE)
        return TN_NONE;
    uint32_t node = tn_flow_maker(net, tn_flow_behind(net, value), op, 1);
    return node == TN_NONE || tn_net_node(net, node).is_removed ? TN_NONE
                                                                : node;
}

static bool is_layer(const struct tn_net_node *node)
{
    return !node->is_removed && !node->op->domain.size &&
           node->input_count >= 3 && node->input_count <= INPUTS_MAX &&
           node->output_count <= STATES_MAX && node->output_count > 0 &&
           node->inputs[0] != TN_NONE && node->inputs[1] != TN_NONE &&
           node->inputs[2] != TN_NONE &&
           (tn_bytes_is(node->op->type, "LSTM") ||
            tn_bytes_is(node->op->type, "GRU") ||
            tn_bytes_is(node->op->type, "RNN"));
}

static bool has_direction(const struct tn_net_node *node, const char *wanted)
{
    const struct tn_attr_value *way = tn_net_attr(node, "direction");

    if (!way)
        return strcmp(wanted, "forward") == 0;
    return way->kind == TN_ATTR_STRING && way->count == 1 &&
           tn_bytes_is(way->of.strings[0], wanted);
}

static bool is_number(const struct tn_attr_value *value, int64_t number)
{
    return value && value->kind == TN_ATTR_INT && value->count == 1 &&
           value->of.ints[0] == number;
}

/* Steps before the batch, which is how layers have them unless told. */
static bool has_steps_first(const struct tn_net_node *node)
{
    const struct tn_attr_value *layout = tn_net_attr(node, "layout");

    return !layout || is_number(layout, 0);
}

/* The input of a Transpose of the first two of three axes. */
static uint32_t behind_swap(const struct tn_net *net, uint32_t value)
{
    uint32_t                    node = maker_of(net, value, "Transpose");
    const struct tn_attr_value *perm =
        node == TN_NONE ? NULL : tn_net_attr_of(net, node, "perm");

    return perm && perm->kind == TN_ATTR_INT && perm->count == 3 &&
                   perm->of.ints[0] == 1 && perm->of.ints[1] == 0
               ? input_of(net, node, 0)
               : TN_NONE;
}

/* The lengths of the model, before they were cast and limited. */
static uint32_t root_of(const struct tn_net *net, uint32_t lengths)
{
    for (unsigned step = 0; lengths != TN_NONE && step < 6; step++) {
        uint32_t least = maker_of(net, lengths, "Min");
        uint32_t node =
            least != TN_NONE ? least : maker_of(net, lengths, "Cast");
        if (node == TN_NONE)
            return tn_flow_behind(net, lengths);
        lengths = input_of(net, node, 0);
    }
    return lengths;
}

static bool is_one_number(const struct tn_net *net, uint32_t value,
                          int64_t *number)
{
    uint64_t count;

    return tn_flow_numbers(net, value, number, 1, &count) && count == 1;
}

/* The last place of the axis. */
static bool is_last_place(const struct tn_net *net, uint32_t value,
                          int64_t axis, int64_t place)
{
    const struct tn_net_type *type =
        value == TN_NONE ? NULL : tn_net_value(net, value).type;

    return place == -1 ||
           (type && type->has_rank && axis < type->rank &&
            type->dims[axis] > 0 && place == type->dims[axis] - 1);
}

/* The value that is reversed along that axis, all of it or by lengths; TN_NONE:
 * another node. */
static uint32_t behind_reverse(const struct tn_net *net, uint32_t value,
                               int64_t axis, uint32_t *lengths)
{
    uint32_t slice = maker_of(net, value, "Slice");
    uint32_t each  = maker_of(net, value, "ReverseSequence");
    int64_t  from, to, at, step;

    *lengths = TN_NONE;
    if (slice != TN_NONE)
        return is_one_number(net, input_of(net, slice, 1), &from) &&
                       is_one_number(net, input_of(net, slice, 2), &to) &&
                       is_one_number(net, input_of(net, slice, 3), &at) &&
                       is_one_number(net, input_of(net, slice, 4), &step) &&
                       to <= -INT32_MAX && step == -1 && at == axis &&
                       is_last_place(net, input_of(net, slice, 0), axis, from)
                   ? input_of(net, slice, 0)
                   : TN_NONE;
    if (each == TN_NONE ||
        !is_number(tn_net_attr_of(net, each, "time_axis"), axis) ||
        !is_number(tn_net_attr_of(net, each, "batch_axis"), 1 - axis))
        return TN_NONE;
    *lengths = root_of(net, input_of(net, each, 1));
    return input_of(net, each, 0);
}

/* ---- lengths that are all of the sequence ------------------------------- */

/* A value that has the same rows, in the same or in reverse order. */
static uint32_t in_any_order(const struct tn_net *net, uint32_t value)
{
    uint32_t lengths, from;

    for (unsigned step = 0; step < 4; step++) {
        if ((from = behind_reverse(net, value, 0, &lengths)) == TN_NONE)
            break;
        value = from;
    }
    return value;
}

static void drop_lengths(struct turning *t, uint32_t layer)
{
    struct tn_net           *net   = t->net;
    const struct tn_net_node node  = tn_net_node(net, layer);
    uint32_t                 count = input_of(net, layer, 4);
    uint32_t                 inputs[INPUTS_MAX];
    uint32_t of = count == TN_NONE ? TN_NONE : tn_flow_row_count_of(net, count);

    if (of == TN_NONE || !has_steps_first(&node) ||
        in_any_order(net, of) != in_any_order(net, input_of(net, layer, 0)))
        return;
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    inputs[4] = TN_NONE;
    tn_net_set_inputs(net, layer, inputs, node.input_count);
    t->found++;
}

/* ---- layers in reverse -------------------------------------------------- */

/* The sequence before it was reversed, and whether a Transpose stands between.
 * Its lengths must be those of the layer. */
static uint32_t find_straight(const struct tn_net *net, uint32_t layer,
                              bool *is_swapped)
{
    uint32_t x    = input_of(net, layer, 0), lengths;
    uint32_t swap = behind_swap(net, x);
    uint32_t from = behind_reverse(net, x, 0, &lengths);

    *is_swapped = from == TN_NONE && swap != TN_NONE;
    if (*is_swapped)
        from = behind_reverse(net, swap, 1, &lengths);
    return from != TN_NONE && lengths == root_of(net, input_of(net, layer, 4))
               ? from
               : TN_NONE;
}

/* Squeeze of the axis of directions. */
static bool is_squeeze(const struct tn_net *net, const struct tn_net_node *node,
                       int64_t axis)
{
    int64_t at;

    return !node->is_removed && tn_bytes_is(node->op->type, "Squeeze") &&
           node->input_count == 2 && node->inputs[0] != TN_NONE &&
           is_one_number(net, tn_flow_behind(net, node->inputs[1]), &at) &&
           at == axis;
}

static uint32_t layer_of(const struct tn_net *net, uint32_t value)
{
    uint32_t node = tn_net_value(net, value).producer;

    return node != TN_NONE && tn_net_value(net, value).output == 0 ? node
                                                                   : TN_NONE;
}

static void count_others(struct turning *t)
{
    struct tn_net *net       = t->net;
    bool          *is_output = tn_net_find_outputs(net, &t->scratch);

    for (uint32_t i = 0; is_output && i < t->node_count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++) {
            uint32_t layer = node.inputs[k] == TN_NONE
                                 ? TN_NONE
                                 : layer_of(net, node.inputs[k]);
            if (layer != TN_NONE && layer < t->node_count &&
                !(k == 0 && is_squeeze(net, &node, 1)))
                t->others[layer]++;
        }
        if (is_layer(&node) && node.outputs[0] != TN_NONE &&
            is_output[node.outputs[0]])
            t->others[i]++;
    }
}

static struct tn_onnx_make making_like(const struct tn_net *net, uint32_t node)
{
    return (struct tn_onnx_make){ (struct tn_net *)net,
                                  tn_net_node(net, node).graph, node };
}

static uint32_t swapped(const struct tn_onnx_make *m, uint32_t value)
{
    static const int64_t perm[] = { 1, 0, 2 };

    return tn_onnx_transpose(m, value, perm, 3);
}

static void turn(struct turning *t, uint32_t layer)
{
    struct tn_net            *net        = t->net;
    const struct tn_onnx_make m          = making_like(net, layer);
    struct tn_net_node        node       = tn_net_node(net, layer);
    bool                      is_swapped = false;
    uint32_t                  straight   = TN_NONE;
    uint32_t                  inputs[INPUTS_MAX];

    if (has_direction(&node, "forward") && has_steps_first(&node) &&
        !t->others[layer])
        straight = find_straight(net, layer, &is_swapped);
    if (straight == TN_NONE)
        return;
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    inputs[0] = is_swapped ? swapped(&m, straight) : straight;
    if (inputs[0] == TN_NONE)
        return;
    if (is_swapped)
        tn_net_copy_type(net, inputs[0], node.inputs[0]);
    tn_net_set_inputs(net, layer, inputs, node.input_count);
    tn_net_set_text(net, layer, "direction", tn_text("reverse"));
    t->is_turned[layer] = true;
    t->found++;
}

/* All steps, or each sequence by its length. */
static uint32_t reversed(const struct tn_onnx_make *m, uint32_t value,
                         uint32_t lengths)
{
    static const int64_t bounds[] = { -1, -INT64_MAX, 0, -1 }, int64 = 7,
                         one     = 1;
    uint32_t           inputs[5] = { value };
    struct tn_net_attr batch, to;

    for (uint32_t i = 0; lengths == TN_NONE && i < 4; i++)
        inputs[i + 1] = tn_onnx_int(m, bounds[i]);
    if (lengths == TN_NONE)
        return tn_onnx_add(m, "Slice", inputs, 5, NULL);
    to            = tn_onnx_attr(m, "to", &int64, 1, false);
    batch         = tn_onnx_attr(m, "batch_axis", &one, 1, false);
    inputs[1]     = tn_onnx_add(m, "Cast", &lengths, 1, &to);
    uint32_t made = tn_onnx_add(m, "ReverseSequence", inputs, 2, &batch);
    if (made != TN_NONE) {
        struct tn_net_attr time =
            tn_onnx_attr(m, "time_axis", bounds + 2, 1, false);
        tn_net_set_attr(m->net, tn_net_value(m->net, made).producer,
                        "time_axis", &time.value);
    }
    return made;
}

/* Replaces a value, and takes its name. */
static void take_place(struct tn_net *net, uint32_t from, uint32_t to)
{
    if (from == TN_NONE || to == TN_NONE || tn_failed(net->error))
        return;
    tn_net_copy_type(net, to, from);
    tn_net_value_row(net, to)->is_inner = false;
    tn_net_swap_names(net, from, to);
    tn_net_replace(net, from, to);
}

/* Behind a layer that was turned, steps are in the order of x.  Users that need
 * them in the old order get them reversed. */
static void reverse_again(struct turning *t, uint32_t squeeze)
{
    struct tn_net           *net  = t->net;
    const struct tn_net_node node = tn_net_node(net, squeeze);
    uint32_t                 layer =
        is_squeeze(net, &node, 1) ? layer_of(net, node.inputs[0]) : TN_NONE;

    if (layer == TN_NONE || layer >= t->node_count || !t->is_turned[layer] ||
        node.outputs[0] == TN_NONE)
        return;
    const struct tn_onnx_make m = making_like(net, squeeze);
    uint32_t y    = tn_onnx_on_axis(&m, "Squeeze", node.inputs[0], 1);
    uint32_t back = reversed(&m, y, input_of(net, layer, 4));
    if (y == TN_NONE || back == TN_NONE ||
        (back >= t->straight.count &&
         !tn_list_grow(&t->straight, back + 1 - t->straight.count, net->error)))
        return;
    *tn_list_at(&t->straight, uint32_t, back) = y + 1;
    tn_net_copy_type(net, y, node.outputs[0]);
    take_place(net, node.outputs[0], back);
    tn_net_remove(net, squeeze);
}

/* A value in the order of x, of which `value` is the reverse; TN_NONE. */
static uint32_t straight_of(const struct turning *t, uint32_t value)
{
    uint32_t y = value < t->straight.count
                     ? *tn_list_at(&t->straight, uint32_t, value)
                     : 0;

    return y ? y - 1 : TN_NONE;
}

/* Whether it was reversed twice, by the same lengths or by none. */
static void cancel(struct turning *t, uint32_t id)
{
    struct tn_net           *net  = t->net;
    const struct tn_net_node node = tn_net_node(net, id);
    uint32_t                 in, lengths = TN_NONE, own = TN_NONE, swap, y;

    if (node.is_removed || node.output_count != 1 || node.outputs[0] == TN_NONE)
        return;
    if ((in = behind_reverse(net, node.outputs[0], 0, &lengths)) != TN_NONE &&
        (y = straight_of(t, in)) != TN_NONE) {
        behind_reverse(net, in, 0, &own);
        if (own == lengths)
            take_place(net, node.outputs[0], y);
        return;
    }
    in   = behind_reverse(net, node.outputs[0], 1, &lengths);
    swap = in == TN_NONE ? TN_NONE : behind_swap(net, in);
    if (swap == TN_NONE || (y = straight_of(t, swap)) == TN_NONE)
        return;
    behind_reverse(net, swap, 0, &own);
    if (own != lengths)
        return;
    const struct tn_onnx_make m = making_like(net, id);
    take_place(net, node.outputs[0], swapped(&m, y));
}

/* ---- both directions in one --------------------------------------------- */

/* Equal values: one, or swaps of one. */
static bool is_same(const struct tn_net *net, uint32_t a, uint32_t b)
{
    uint32_t c = behind_swap(net, a), d = behind_swap(net, b);

    return a == b || (c != TN_NONE && c == d);
}

static bool has_same_attrs(const struct tn_net_node *a,
                           const struct tn_net_node *b)
{
    static const char *const numbers[] = { "hidden_size", "linear_before_reset",
                                           "input_forget", "layout" };
    static const char *const others[]  = { "clip", "activation_alpha",
                                           "activation_beta" };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct tn_attr_value *p = tn_net_attr(a, numbers[i]);
        const struct tn_attr_value *q = tn_net_attr(b, numbers[i]);
        if (!p != !q || (p && (p->kind != TN_ATTR_INT || p->count != 1 ||
                               !is_number(q, p->of.ints[0]))))
            return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tn_net_attr(a, others[i]) || tn_net_attr(b, others[i]))
            return false;
    return !tn_net_attr(a, "activations") == !tn_net_attr(b, "activations");
}

/* Adds the producers of values to the list, each once; false if it is full, or
 * if one of them has graphs inside, which use values, too. */
static bool note_makers(struct turning *t, const uint32_t *values,
                        uint32_t count, uint32_t *list, uint32_t *listed)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = values[i] == TN_NONE
                            ? TN_NONE
                            : tn_net_value(t->net, values[i]).producer;
        if (node == TN_NONE || node >= t->seen.count)
            continue;
        uint32_t *seen = tn_list_at(&t->seen, uint32_t, node);
        if (*seen == t->walks)
            continue;
        const struct tn_net_node n = tn_net_node(t->net, node);
        for (uint32_t k = 0; k < n.attr_count; k++)
            if (n.attrs[k].value.kind == TN_ATTR_GRAPH)
                return false;
        if (*listed == WALK_MAX)
            return false;
        *seen             = t->walks;
        list[(*listed)++] = node;
    }
    return true;
}

/* Whether the other inputs of a layer may depend on the outputs of the other
 * layer.  The walk upwards visits at most a fixed number of nodes. */
static bool may_depend(struct turning *t, const struct tn_net_node *layer,
                       uint32_t on)
{
    uint32_t list[WALK_MAX], listed = 0;
    uint64_t known = t->seen.count;

    if (t->net->nodes.count > known &&
        !tn_list_grow(&t->seen, t->net->nodes.count - known, t->net->error))
        return true;
    t->walks++;
    if (!note_makers(t, layer->inputs + 1, layer->input_count - 1, list,
                     &listed))
        return true;
    for (uint32_t i = 0; i < listed; i++) {
        const struct tn_net_node node = tn_net_node(t->net, list[i]);
        if (list[i] == on ||
            !note_makers(t, node.inputs, node.input_count, list, &listed))
            return true;
    }
    return false;
}

static bool is_pair(struct turning *t, uint32_t forward, uint32_t back)
{
    const struct tn_net     *net = t->net;
    const struct tn_net_node a   = tn_net_node(net, forward);
    const struct tn_net_node b   = tn_net_node(net, back);

    if (a.is_removed || b.is_removed || a.graph != b.graph || a.op != b.op ||
        a.input_count != b.input_count || !has_direction(&a, "forward") ||
        !has_direction(&b, "reverse") || !has_steps_first(&a) ||
        !has_same_attrs(&a, &b) ||
        !is_same(net, input_of(net, forward, 0), input_of(net, back, 0)) ||
        root_of(net, input_of(net, forward, 4)) !=
            root_of(net, input_of(net, back, 4)))
        return false;
    for (uint32_t i = 1; i < a.input_count; i++)
        if ((a.inputs[i] == TN_NONE) != (b.inputs[i] == TN_NONE))
            return false;
    return !may_depend(t, &a, back) && !may_depend(t, &b, forward);
}

static void join_activations(struct tn_net *net, uint32_t layer, uint32_t a,
                             uint32_t b)
{
    const struct tn_attr_value *p = tn_net_attr_of(net, a, "activations");
    const struct tn_attr_value *q = tn_net_attr_of(net, b, "activations");

    if (!p || !q || p->kind != TN_ATTR_STRING || q->kind != TN_ATTR_STRING)
        return;
    struct tn_bytes *names =
        tn_new(net->arena, struct tn_bytes, p->count + q->count, net->error);
    if (!names)
        return;
    memcpy(names, p->of.strings, p->count * sizeof *names);
    memcpy(names + p->count, q->of.strings, q->count * sizeof *names);
    tn_net_set_attr(net, layer, "activations",
                    &(struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                             .count      = p->count + q->count,
                                             .is_list    = true,
                                             .of.strings = names });
}

/* Replaces the result of a direction by its part of the result of both. */
static void share_out(struct turning *t, uint32_t value, const uint32_t *ways,
                      uint32_t output)
{
    struct tn_net            *net  = t->net;
    const struct tn_onnx_make m    = making_like(net, ways[0]);
    int64_t                   axis = output == 0;
    struct tn_net_attr        attr = tn_onnx_attr(&m, "axis", &axis, 1, false);
    static const int64_t      two  = 2;
    struct tn_net_attr parts = tn_onnx_attr(&m, "num_outputs", &two, 1, false);
    uint32_t           made[2];

    tn_onnx_more(&m, tn_onnx_add(&m, "Split", &value, 1, &attr), made, 2);
    if (tn_failed(net->error))
        return;
    tn_net_set_attr(net, tn_net_value(net, made[0]).producer, "num_outputs",
                    &parts.value);
    for (uint32_t i = 0; i < 2; i++) {
        const struct tn_net_node way = tn_net_node(net, ways[i]);
        if (output >= way.output_count || way.outputs[output] == TN_NONE)
            continue;
        tn_net_copy_type(net, made[i], way.outputs[output]);
        tn_net_replace(net, way.outputs[output], made[i]);
    }
}

static void join_pair(struct turning *t, uint32_t forward, uint32_t back)
{
    struct tn_net            *net    = t->net;
    const struct tn_onnx_make m      = making_like(net, forward);
    const struct tn_net_node  a      = tn_net_node(net, forward);
    const struct tn_net_node  b      = tn_net_node(net, back);
    const uint32_t            ways[] = { forward, back };
    uint32_t                  inputs[INPUTS_MAX], made[STATES_MAX];
    bool                      is_lstm = tn_bytes_is(a.op->type, "LSTM");

    for (uint32_t i = 0; i < a.input_count; i++)
        inputs[i] =
            a.inputs[i] == TN_NONE || i == 0 || i == 4
                ? a.inputs[i]
                : tn_onnx_concat(&m, (uint32_t[]){ a.inputs[i], b.inputs[i] },
                                 2, 0);
    char op[8];
    snprintf(op, sizeof op, "%.*s", TN_FMT(a.op->type));
    tn_onnx_more(&m, tn_onnx_add(&m, op, inputs, a.input_count, NULL), made,
                 2U + is_lstm);
    if (tn_failed(net->error))
        return;
    uint32_t layer = tn_net_value(net, made[0]).producer;
    tn_net_copy_attrs(net, layer, forward);
    tn_net_set_text(net, layer, "direction", tn_text("bidirectional"));
    join_activations(net, layer, forward, back);
    for (uint32_t i = 0; i < 2U + is_lstm && !tn_failed(net->error); i++)
        share_out(t, made[i], ways, i);
    tn_net_remove(net, forward);
    tn_net_remove(net, back);
    t->found++;
}

/* Finds a partner among the next layers: there are few over one sequence. */
static void find_partner(struct turning *t, uint64_t index)
{
    uint32_t back = *tn_list_at(&t->layers, uint32_t, index);
    uint64_t from = index < NEAR_MAX ? 0 : index - NEAR_MAX;
    uint64_t to =
        index + NEAR_MAX < t->layers.count ? index + NEAR_MAX : t->layers.count;

    for (uint64_t i = from; i < to; i++) {
        uint32_t forward = *tn_list_at(&t->layers, uint32_t, i);
        if (i == index || !is_pair(t, forward, back))
            continue;
        join_pair(t, forward, back);
        return;
    }
}

/* ---- results side by side ----------------------------------------------- */

/* A value without the axis of directions: which direction of which layer it is,
 * and whether the batch comes before the steps. */
static uint32_t behind_direction(const struct tn_net *net, uint32_t value,
                                 uint32_t *which, uint32_t *output,
                                 bool *is_swapped)
{
    uint32_t swap    = behind_swap(net, value);
    uint32_t squeeze = maker_of(net, swap == TN_NONE ? value : swap, "Squeeze");
    uint32_t split   = squeeze == TN_NONE
                           ? TN_NONE
                           : maker_of(net, input_of(net, squeeze, 0), "Split");
    struct tn_net_node layer;

    if (split == TN_NONE || tn_net_node(net, split).output_count != 2)
        return TN_NONE;
    const struct tn_net_node node = tn_net_node(net, squeeze);
    uint32_t                 y    = input_of(net, split, 0);
    uint32_t maker = y == TN_NONE ? TN_NONE : tn_net_value(net, y).producer;
    if (maker == TN_NONE ||
        (layer = tn_net_node(net, maker), !is_layer(&layer)) ||
        !has_direction(&layer, "bidirectional"))
        return TN_NONE;
    *output     = tn_net_value(net, y).output;
    *which      = tn_net_value(net, input_of(net, squeeze, 0)).output;
    *is_swapped = swap != TN_NONE;
    return is_squeeze(net, &node, *output == 0) ? y : TN_NONE;
}

static void put_side_by_side(struct turning *t, uint32_t id)
{
    struct tn_net              *net  = t->net;
    const struct tn_net_node    node = tn_net_node(net, id);
    const struct tn_attr_value *axis = tn_net_attr(&node, "axis");
    uint32_t                    ys[2], which[2], output[2];
    bool                        is_swapped[2];

    if (node.is_removed || node.op->domain.size || node.input_count != 2 ||
        !tn_bytes_is(node.op->type, "Concat") || node.inputs[0] == TN_NONE ||
        node.inputs[1] == TN_NONE)
        return;
    for (uint32_t i = 0; i < 2; i++)
        if ((ys[i] = behind_direction(net, node.inputs[i], &which[i],
                                      &output[i], &is_swapped[i])) == TN_NONE)
            return;
    bool                        is_state = output[0] > 0;
    uint32_t                    rank     = is_state ? 3 : 4;
    const struct tn_attr_value *size =
        tn_net_attr_of(net, tn_net_value(net, ys[0]).producer, "hidden_size");
    if (ys[0] != ys[1] || which[0] != 0 || which[1] != 1 ||
        is_swapped[0] != is_swapped[1] || (is_state && is_swapped[0]) ||
        (!is_number(axis, -1) && !is_number(axis, rank - 2)) || !size ||
        size->kind != TN_ATTR_INT || size->count != 1)
        return;
    static const int64_t      perms[3][4] = { { 0, 2, 1, 3 },
                                              { 2, 0, 1, 3 },
                                              { 1, 0, 2, 0 } };
    const int64_t             dims[]      = { 0, 0, 2 * size->of.ints[0] };
    const struct tn_onnx_make m           = making_like(net, id);
    uint32_t                  inputs[]    = {
                            tn_onnx_transpose(&m, ys[0], perms[is_state ? 2 : is_swapped[0]], rank),
                            tn_onnx_ints(&m, dims + is_state, rank - 1)
    };
    take_place(net, node.outputs[0],
               tn_onnx_add(&m, "Reshape", inputs, 2, NULL));
}

/* ---- all of them -------------------------------------------------------- */

static void find_layers(struct turning *t)
{
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct tn_net_node node = tn_net_node(t->net, i);
        uint32_t                *slot = is_layer(&node)
                                            ? tn_list_push(&t->layers, uint32_t, t->net->error)
                                            : NULL;
        if (slot)
            *slot = i;
    }
}

static void turn_all(struct turning *t)
{
    struct tn_net *net = t->net;

    for (uint64_t i = 0; i < t->layers.count && tn_net_goes_on(net); i++)
        drop_lengths(t, *tn_list_at(&t->layers, uint32_t, i));
    count_others(t);
    for (uint64_t i = 0; i < t->layers.count && tn_net_goes_on(net); i++)
        turn(t, *tn_list_at(&t->layers, uint32_t, i));
    for (uint32_t i = 0; t->found && i < t->node_count && tn_net_goes_on(net);
         i++)
        reverse_again(t, i);
    for (uint32_t i = 0; t->found && i < t->node_count && tn_net_goes_on(net);
         i++)
        cancel(t, i);
}

static void join_all(struct turning *t)
{
    for (uint64_t i = 0; i < t->layers.count && tn_net_goes_on(t->net); i++)
        find_partner(t, i);
    for (uint32_t i = 0;
         t->found && i < t->node_count && tn_net_goes_on(t->net); i++)
        put_side_by_side(t, i);
}

enum tn_status tn_onnx_directions(struct tn_net *net, uint64_t *found)
{
    struct turning t = { .net = net, .node_count = net->nodes.count };

    tn_arena_init(&t.scratch, net->arena->memory);
    tn_list_init(&t.layers, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&t.seen, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&t.straight, net->arena->memory, sizeof(uint32_t));
    find_layers(&t);
    if (t.layers.count) {
        t.others    = tn_new(&t.scratch, uint32_t, t.node_count, net->error);
        t.is_turned = tn_new(&t.scratch, bool, t.node_count, net->error);
    }
    if (t.others && t.is_turned) {
        turn_all(&t);
        join_all(&t);
    }
    tn_list_done(&t.straight);
    tn_list_done(&t.layers);
    tn_list_done(&t.seen);
    tn_arena_done(&t.scratch);
    *found = t.found;
    if (!t.found || tn_failed(net->error))
        return net->error->status;
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, NULL);
}
