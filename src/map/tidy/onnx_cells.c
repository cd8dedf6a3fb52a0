/*
 * onnx_cells.c - GRU and RNN as loops of cells
 *
 * nd4j has no layer for a GRU that resets after the product, for lengths, or
 * for other activations, and rules can only unroll a known number of steps.  A
 * Loop can have any number of steps:
 *
 *   h, all <- Loop(steps, none, h0) {cell(x[round], h)}
 *
 * for each direction, over the reversed sequence for the second.  The body has
 * the form that onnx_rnn.c recognises, so that it becomes a layer again on the
 * way back.
 *
 * Layers with clipping, activations with parameters or the batch as the first
 * axis are left to rules.
 */
#include "map/net/net_build.h"
#include "map/tidy/onnx_make.h"
#include "map/tidy/onnx_tidy.h"

enum { X, W, R, B, LENGTHS, H0, ARGUMENTS };

struct layer {
    struct tn_net      *net;
    uint32_t            id;
    struct tn_net_node  node;
    struct tn_onnx_make m;
    bool                is_gru, is_late; /* the reset is behind the product   */
    const char         *functions[4];    /* of gates and cell, by direction   */
    uint32_t            directions;
    int64_t             size, width; /* of h, of a row                        */
    int64_t             gates;
    enum tn_dtype       dtype;
};

/* ---- which layers ------------------------------------------------------- */

static uint32_t argument(const struct layer *l, uint32_t which)
{
    return which < l->node.input_count ? l->node.inputs[which] : TN_NONE;
}

static const struct tn_net_type *type_of(const struct layer *l, uint32_t which)
{
    uint32_t value = argument(l, which);

    return value == TN_NONE ? &tn_net_unknown
                            : tn_net_value(l->net, value).type;
}

/* Functions of one value and no parameter. */
static const char *function_of(struct tn_bytes name)
{
    static const char *const known[] = { "Tanh", "Relu", "Sigmoid", "Softsign",
                                         "Softplus" };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tn_bytes_is(name, known[i]))
            return known[i];
    return NULL;
}

static bool find_functions(struct layer *l)
{
    const struct tn_attr_value *names = tn_net_attr(&l->node, "activations");
    uint32_t                    each  = 1U + l->is_gru;

    for (uint32_t i = 0; i < l->directions * each; i++)
        l->functions[i] = l->is_gru && i % 2 == 0 ? "Sigmoid" : "Tanh";
    if (!names)
        return true;
    if (names->kind != TN_ATTR_STRING || names->count != l->directions * each)
        return false;
    for (uint32_t i = 0; i < names->count; i++)
        if (!(l->functions[i] = function_of(names->of.strings[i])))
            return false;
    return true;
}

static bool find_directions(struct layer *l)
{
    const struct tn_attr_value *way = tn_net_attr(&l->node, "direction");

    l->directions = 1;
    if (!way)
        return true;
    if (way->kind != TN_ATTR_STRING || way->count != 1)
        return false;
    l->directions = 1U + tn_bytes_is(way->of.strings[0], "bidirectional");
    return true;
}

static bool is_reverse(const struct layer *l, uint32_t direction)
{
    const struct tn_attr_value *way = tn_net_attr(&l->node, "direction");

    return direction == 1 ||
           (way && tn_bytes_is(way->of.strings[0], "reverse"));
}

/* Sizes are those of the weights, which must be known and agree. */
static bool find_sizes(struct layer *l)
{
    const struct tn_net_type *w = type_of(l, W), *r = type_of(l, R);
    const struct tn_net_type *b = type_of(l, B), *x = type_of(l, X);

    l->gates = l->is_gru ? 3 : 1;
    if (!w->has_rank || w->rank != 3 || !r->has_rank || r->rank != 3 ||
        (x->has_rank && x->rank != 3))
        return false;
    l->size  = r->dims[2];
    l->width = w->dims[2];
    l->dtype = r->dtype;
    return l->size > 0 && l->size <= INT32_MAX && l->width > 0 &&
           tn_net_int_attr(&l->node, "hidden_size", l->size) == l->size &&
           r->dims[0] == l->directions && w->dims[0] == l->directions &&
           r->dims[1] == l->gates * l->size && w->dims[1] == r->dims[1] &&
           (argument(l, B) == TN_NONE ||
            (b->has_rank && b->rank == 2 && b->dims[0] == l->directions &&
             b->dims[1] == 2 * l->gates * l->size));
}

/* Slice takes its numbers as inputs since opset 10. */
static bool is_layer(struct layer *l)
{
    static const char *const other[] = { "clip", "activation_alpha",
                                         "activation_beta" };

    l->is_gru = tn_bytes_is(l->node.op->type, "GRU");
    if (l->node.is_removed || l->node.op->domain.size ||
        (!l->is_gru && !tn_bytes_is(l->node.op->type, "RNN")) ||
        l->net->version < 10 || l->node.input_count <= R ||
        l->node.input_count > ARGUMENTS || argument(l, X) == TN_NONE ||
        tn_net_int_attr(&l->node, "layout", 0) != 0)
        return false;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (tn_net_attr(&l->node, other[i]))
            return false;
    l->is_late = tn_net_int_attr(&l->node, "linear_before_reset", 0) != 0;
    return find_directions(l) && find_functions(l) && find_sizes(l);
}

/* ---- making it ---------------------------------------------------------- */

/* Squeeze and Unsqueeze take axes as an input since opset 13. */
static uint32_t with_axis(const struct layer *l, uint32_t value, int64_t axis)
{
    struct tn_net_attr attr = tn_onnx_attr(&l->m, "axes", &axis, 1, true);

    return l->net->version < 13
               ? tn_onnx_add(&l->m, "Unsqueeze", &value, 1, &attr)
               : tn_onnx_on_axis(&l->m, "Unsqueeze", value, axis);
}

static uint32_t shaped(const struct tn_onnx_make *m, uint32_t value,
                       const int64_t *dims, uint64_t rank)
{
    return tn_onnx_add(m, "Reshape",
                       (uint32_t[]){ value, tn_onnx_ints(m, dims, rank) }, 2,
                       NULL);
}

/* The part of an argument for a direction, [rows, columns]. */
static uint32_t own(const struct layer *l, uint32_t which, uint32_t direction,
                    int64_t rows, int64_t columns)
{
    uint32_t      value  = argument(l, which);
    const int64_t dims[] = { rows, columns };

    if (l->directions > 1)
        value = tn_onnx_slice(&l->m, value, direction, direction + 1, 0);
    return shaped(&l->m, value, dims, 2);
}

static uint32_t turned(const struct layer *l, uint32_t which,
                       uint32_t direction, int64_t columns)
{
    static const int64_t perm[] = { 1, 0 };

    return tn_onnx_transpose(
        &l->m, own(l, which, direction, l->gates * l->size, columns), perm, 2);
}

/* Biases beside the row, or those beside the state. */
static uint32_t bias_of(const struct layer *l, uint32_t direction,
                        bool is_state)
{
    const int64_t all   = l->gates * l->size;
    const int64_t dim[] = { 2 * all };
    uint32_t      value = argument(l, B);

    if (value == TN_NONE)
        return TN_NONE;
    if (l->directions > 1)
        value = tn_onnx_slice(&l->m, value, direction, direction + 1, 0);
    return tn_onnx_slice(&l->m, shaped(&l->m, value, dim, 1),
                         is_state ? all : 0, is_state ? 2 * all : all, 0);
}

static uint32_t zero(const struct layer *l)
{
    static const double none = 0;

    return tn_net_add_doubles(l->net, l->m.graph, tn_bytes(NULL, 0), l->dtype,
                              &none, 0, NULL);
}

/* The initial state of a direction: given, or zeros. */
static uint32_t begin_of(const struct layer *l, uint32_t direction)
{
    if (argument(l, H0) != TN_NONE)
        return own(l, H0, direction, -1, l->size);
    const uint32_t x      = argument(l, X);
    const uint32_t shape  = tn_onnx_add(&l->m, "Shape", &x, 1, NULL);
    const uint32_t dims[] = { tn_onnx_slice(&l->m, shape, 1, 2, 0),
                              tn_onnx_int(&l->m, l->size) };
    const uint32_t from[] = { zero(l), tn_onnx_concat(&l->m, dims, 2, 0) };
    return tn_onnx_add(&l->m, "Expand", from, 2, NULL);
}

static uint32_t lengths_of(const struct layer *l)
{
    static const int64_t int64   = 7;
    const uint32_t       lengths = argument(l, LENGTHS);
    struct tn_net_attr   to      = tn_onnx_attr(&l->m, "to", &int64, 1, false);

    return lengths == TN_NONE ? TN_NONE
                              : tn_onnx_add(&l->m, "Cast", &lengths, 1, &to);
}

static uint32_t reversed(const struct layer *l, uint32_t value)
{
    const struct tn_onnx_make *m = &l->m;

    if (argument(l, LENGTHS) != TN_NONE)
        return tn_onnx_add(m, "ReverseSequence",
                           (uint32_t[]){ value, lengths_of(l) }, 2, NULL);
    const uint32_t inputs[] = { value, tn_onnx_int(m, -1),
                                tn_onnx_int(m, INT64_MIN), tn_onnx_int(m, 0),
                                tn_onnx_int(m, -1) };
    return tn_onnx_add(m, "Slice", inputs, 5, NULL);
}

/* ---- the body ----------------------------------------------------------- */

/* The values that the body of a direction uses from outside. */
struct outside {
    uint32_t rows, w, r, w_bias, r_bias; /* biases may be TN_NONE             */
    uint32_t lengths;                    /* [batch, 1]; TN_NONE: none         */
    uint32_t one, zero;
    uint32_t r_gates, r_cell, r_gates_bias, r_cell_bias; /* of an early reset */
};

static uint32_t add(const struct tn_onnx_make *m, const char *op, uint32_t a,
                    uint32_t b)
{
    return tn_onnx_add(m, op, (uint32_t[]){ a, b }, 1U + (b != TN_NONE), NULL);
}

static uint32_t product(const struct tn_onnx_make *m, uint32_t value,
                        uint32_t weights, uint32_t bias)
{
    uint32_t made = add(m, "MatMul", value, weights);

    return bias == TN_NONE ? made : add(m, "Add", made, bias);
}

static void split(const struct tn_onnx_make *m, uint32_t value, uint32_t *parts,
                  uint32_t count)
{
    static const int64_t columns = 1;
    struct tn_net_attr   axis    = tn_onnx_attr(m, "axis", &columns, 1, false);

    tn_onnx_more(m, tn_onnx_add(m, "Split", &value, 1, &axis), parts, count);
}

static uint32_t gru_cell(const struct layer *l, const struct tn_onnx_make *m,
                         const struct outside *o, uint32_t row, uint32_t h,
                         const char *const *functions)
{
    uint32_t x[3], s[3] = { TN_NONE, TN_NONE, TN_NONE }, n;

    split(m, product(m, row, o->w, o->w_bias), x, 3);
    if (l->is_late)
        split(m, product(m, h, o->r, o->r_bias), s, 3);
    else
        split(m, product(m, h, o->r_gates, o->r_gates_bias), s, 2);
    uint32_t z = add(m, functions[0], add(m, "Add", x[0], s[0]), TN_NONE);
    uint32_t r = add(m, functions[0], add(m, "Add", x[1], s[1]), TN_NONE);
    if (l->is_late)
        n = add(m, "Mul", r, s[2]);
    else
        n = product(m, add(m, "Mul", r, h), o->r_cell, o->r_cell_bias);
    n             = add(m, functions[1], add(m, "Add", x[2], n), TN_NONE);
    uint32_t kept = add(m, "Mul", z, h);
    uint32_t rest = add(m, "Sub", o->one, z);
    return add(m, "Add", kept, add(m, "Mul", rest, n));
}

static uint32_t cell(const struct layer *l, const struct tn_onnx_make *m,
                     const struct outside *o, uint32_t row, uint32_t h,
                     uint32_t direction)
{
    if (l->is_gru)
        return gru_cell(l, m, o, row, h, &l->functions[2 * (size_t)direction]);
    uint32_t of_row   = product(m, row, o->w, o->w_bias);
    uint32_t of_state = product(m, h, o->r, o->r_bias);
    return add(m, l->functions[direction], add(m, "Add", of_row, of_state),
               TN_NONE);
}

/* After the end of a sequence the state stays, and the output is zeros. */
static void fill_body(const struct layer *l, const struct outside *o,
                      uint32_t body, uint32_t begin, uint32_t direction)
{
    const struct tn_onnx_make m     = { l->net, body, l->id };
    uint32_t                  round = tn_net_new_input(l->net, body, "round");
    uint32_t                  going = tn_net_new_input(l->net, body, "going");
    uint32_t                  h     = tn_net_new_input(l->net, body, "h");

    if (tn_failed(l->net->error))
        return;
    tn_net_set_scalar(l->net, round, TN_INT64);
    tn_net_set_scalar(l->net, going, TN_BOOL);
    tn_net_copy_type(l->net, h, begin);
    uint32_t next =
        cell(l, &m, o, add(&m, "Gather", o->rows, round), h, direction);
    uint32_t each = next;
    if (o->lengths != TN_NONE) {
        uint32_t live = add(&m, "Less", round, o->lengths);
        each = tn_onnx_add(&m, "Where", (uint32_t[]){ live, next, o->zero }, 3,
                           NULL);
        next = tn_onnx_add(&m, "Where", (uint32_t[]){ live, next, h }, 3, NULL);
    }
    if (tn_failed(l->net->error))
        return;
    tn_net_add_output(l->net, body, going, tn_bytes(NULL, 0));
    tn_net_add_output(l->net, body, next, tn_bytes(NULL, 0));
    tn_net_add_output(l->net, body, each, tn_bytes(NULL, 0));
}

static struct outside prepare(const struct layer *l, uint32_t direction)
{
    static const double        one      = 1;
    static const int64_t       column[] = { -1, 1 };
    const struct tn_onnx_make *m        = &l->m;
    const uint32_t             x        = argument(l, X);
    const int64_t              gates = 2 * l->size, all = 3 * l->size;
    struct outside             o = {
                    .rows    = is_reverse(l, direction) ? reversed(l, x) : x,
                    .w       = turned(l, W, direction, l->width),
                    .r       = turned(l, R, direction, l->size),
                    .w_bias  = bias_of(l, direction, false),
                    .r_bias  = bias_of(l, direction, true),
                    .lengths = TN_NONE,
                    .zero    = zero(l),
    };

    o.one = tn_net_add_doubles(l->net, m->graph, tn_bytes(NULL, 0), l->dtype,
                               &one, 0, NULL);
    if (argument(l, LENGTHS) != TN_NONE)
        o.lengths = shaped(m, lengths_of(l), column, 2);
    if (!l->is_gru || l->is_late)
        return o;
    o.r_gates      = tn_onnx_slice(m, o.r, 0, gates, 1);
    o.r_cell       = tn_onnx_slice(m, o.r, gates, all, 1);
    o.r_gates_bias = o.r_cell_bias = TN_NONE;
    if (o.r_bias != TN_NONE) {
        o.r_gates_bias = tn_onnx_slice(m, o.r_bias, 0, gates, 0);
        o.r_cell_bias  = tn_onnx_slice(m, o.r_bias, gates, all, 0);
    }
    return o;
}

/* As many as there are rows. */
static uint32_t rounds_of(const struct layer *l, uint32_t rows)
{
    const struct tn_net_type *x     = type_of(l, X);
    int64_t                   steps = x->has_rank ? x->dims[0] : -1;
    static const int64_t      first = 0;

    if (steps >= 0)
        return tn_net_add_ints(l->net, l->m.graph, tn_bytes(NULL, 0), TN_INT64,
                               &steps, 0, NULL);
    uint32_t shape = tn_onnx_add(&l->m, "Shape", &rows, 1, NULL);
    uint32_t at    = tn_net_add_ints(l->net, l->m.graph, tn_bytes(NULL, 0),
                                     TN_INT64, &first, 0, NULL);
    return add(&l->m, "Gather", shape, at);
}

/* The last state, and all of them, of one direction. */
static void add_loop(const struct layer *l, uint32_t direction, uint32_t *last,
                     uint32_t *all)
{
    struct tn_net *net   = l->net;
    uint32_t       begin = begin_of(l, direction), made[2];
    struct outside o     = prepare(l, direction);
    uint32_t       body =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("steps"), l->m.graph);

    *last = *all = TN_NONE;
    if (body == TN_NONE || tn_failed(net->error))
        return;
    fill_body(l, &o, body, begin, direction);
    const int64_t      graph = body;
    struct tn_net_attr attr  = tn_onnx_attr(&l->m, "body", &graph, 1, false);
    attr.value.kind          = TN_ATTR_GRAPH;
    tn_onnx_more(
        &l->m,
        tn_onnx_add(&l->m, "Loop",
                    (uint32_t[]){ rounds_of(l, o.rows), TN_NONE, begin }, 3,
                    &attr),
        made, 2);
    *last = made[0];
    *all  = is_reverse(l, direction) ? reversed(l, made[1]) : made[1];
}

static void hand_on(const struct layer *l, uint32_t place, uint32_t to)
{
    uint32_t from =
        place < l->node.output_count ? l->node.outputs[place] : TN_NONE;

    if (from == TN_NONE || to == TN_NONE || tn_failed(l->net->error))
        return;
    tn_net_copy_type(l->net, to, from);
    tn_net_value_row(l->net, to)->is_inner = false;
    tn_net_swap_names(l->net, from, to);
    tn_net_replace(l->net, from, to);
}

static void become_loops(struct layer *l)
{
    uint32_t lasts[2], alls[2];

    for (uint32_t i = 0; i < l->directions; i++) {
        add_loop(l, i, &lasts[i], &alls[i]);
        if (tn_failed(l->net->error))
            return;
        lasts[i] = with_axis(l, lasts[i], 0);
        alls[i]  = with_axis(l, alls[i], 1);
    }
    hand_on(l, 0, tn_onnx_concat(&l->m, alls, l->directions, 1));
    hand_on(l, 1, tn_onnx_concat(&l->m, lasts, l->directions, 0));
    tn_net_remove(l->net, l->id);
}

bool tn_onnx_has_cells(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (!node.is_removed && (tn_bytes_is(node.op->type, "GRU") ||
                                 tn_bytes_is(node.op->type, "RNN")))
            return true;
    }
    return false;
}

enum tn_status tn_onnx_cells(struct tn_net *net, uint64_t *found)
{
    uint64_t count = net->nodes.count;

    *found = 0;
    for (uint32_t i = 0; i < count && tn_net_goes_on(net); i++) {
        struct layer l = { .net = net, .id = i, .node = tn_net_node(net, i) };
        l.m            = (struct tn_onnx_make){ net, l.node.graph, i };
        if (!is_layer(&l))
            continue;
        become_loops(&l);
        ++*found;
    }
    if (!*found || tn_failed(net->error))
        return net->error->status;
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, NULL);
}
