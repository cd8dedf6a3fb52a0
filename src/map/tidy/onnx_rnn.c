/*
 * onnx_rnn.c - a Loop over the rows of a sequence becomes LSTM, GRU or RNN
 *
 * This works for a Loop with a number of rounds whose body takes the row x of
 * its round, multiplies it and the last output by weights, and computes from
 * the sums what a cell computes:
 *
 *   RNN   h' = f(s)
 *   GRU   h' = u h + (1 - u) f(s), where s has the product with r h instead of
 *         h, or r times the product with h
 *   LSTM  c' = f c + i g(s); h' = o k(c')
 *
 * with r = sigmoid(s) and so on: each gate has its own sum s.  Its terms are
 * products of the row and of the state with weights (or of both joined),
 * biases, single numbers, and peepholes.  Gates may be parts of one wide
 * product (Split or Slices), or products of their own.
 *
 * If rows past the length of their sequence keep the state and write zeros, the
 * lengths become sequence_lens.
 *
 * The outputs of the Loop must be the last h', the last c' or all h'; a body
 * that does anything else stays a Loop.  In a body with several cells one after
 * the other, each becomes a layer: the first one is moved out of the Loop, a
 * row of its output replaces h', and then the second cell also takes rows.
 * Nodes that move constants put weights into ONNX's order; they are computed
 * when the file is written.
 */
#include "base/buffer.h"
#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"
#include "map/tidy/onnx_make.h"
#include "map/tidy/onnx_tidy.h"

enum {
    GATES_MAX     = 4,
    VARIABLES_MAX = 32,
    DEPTH_MAX     = 8,  /* of sums                                            */
    CACHE_MAX     = 12, /* weights of one cell                                */
};

/* So many columns of so many, all of one width. */
struct part {
    uint32_t place, count;
};

/* A part of weights or of a bias; `value` is TN_NONE where there is none. */
struct piece {
    uint32_t    value;
    struct part of;
    bool        is_both; /* weights of the row, then those of the state       */
};

/* The sum that goes into a gate. */
struct gate {
    struct piece row, state, bias, state_bias;
    uint32_t     peephole; /* TN_NONE: none                                   */
    double       number;
};

struct cell {
    struct tn_net      *net;
    struct tn_flow_loop loop;
    uint32_t            graph; /* of the Loop                                 */
    uint32_t            sequence, lengths;
    uint32_t            made; /* what the cell before gave; TN_NONE: none     */
    uint32_t            next[VARIABLES_MAX]; /* what variables become         */
    uint32_t            next_count;
    uint32_t            h, c;   /* variables; c may be TN_NONE                */
    uint32_t            memory; /* that peepholes look at; TN_NONE: none may  */
    uint32_t            reset;  /* of a GRU: the value of the gate            */
    bool                may_reset, is_late; /* late: behind the product       */
    bool                is_alone; /* the Loop does nothing else               */
    bool is_double; /* ONNX Runtime has no kernel for it: it stays a Loop     */
    struct gate   gates[GATES_MAX]; /* in ONNX's order                */
    uint32_t      gate_count;
    int64_t       part_size;   /* of gates, where Slices tell it        */
    int64_t       size, width; /* of h, of a row                        */
    enum tn_dtype dtype;
    const char   *op;
    const char   *functions[3]; /* of the gates, then as ONNX has them  */
    uint32_t      function_count;
    uint32_t      turned[CACHE_MAX][2]; /* weights, and their transposes */
    uint32_t      turned_count;
};

static const struct gate no_gate = {
    .row        = { .value = TN_NONE },
    .state      = { .value = TN_NONE },
    .bias       = { .value = TN_NONE },
    .state_bias = { .value = TN_NONE },
    .peephole   = TN_NONE,
};

/* ---- looking at nodes --------------------------------------------------- */

static uint32_t maker(const struct cell *x, uint32_t value, const char *op,
                      uint32_t inputs)
{
    value = tn_flow_behind(x->net, value);
    return tn_flow_maker(x->net, value, op, inputs);
}

static uint32_t input_at(const struct cell *x, uint32_t node, uint32_t i)
{
    const struct tn_net_node n = tn_net_node(x->net, node);

    return i < n.input_count && n.inputs[i] != TN_NONE
               ? tn_flow_behind(x->net, n.inputs[i])
               : TN_NONE;
}

/* The argument of a function of one value; TN_NONE: it is another function. */
static uint32_t through(const struct cell *x, uint32_t value, const char *op)
{
    uint32_t node = maker(x, value, op, 1);

    return node == TN_NONE ? TN_NONE : input_at(x, node, 0);
}

static int64_t int_attr(const struct cell *x, uint32_t node, const char *name,
                        int64_t other)
{
    const struct tn_net_node n = tn_net_node(x->net, node);

    return tn_net_int_attr(&n, name, other);
}

/* Whether it is not computed in the body: then it is the same in every
 * round. */
static bool is_outside(const struct cell *x, uint32_t value)
{
    return value != TN_NONE &&
           (tn_net_value(x->net, value).graph != x->loop.body ||
            tn_net_value(x->net, value).constant);
}

static int64_t dim_of(const struct cell *x, uint32_t value, uint32_t axis)
{
    const struct tn_net_type *type =
        value == TN_NONE ? &tn_net_unknown : tn_net_value(x->net, value).type;

    return type->has_rank && axis < type->rank ? type->dims[axis] : -1;
}

/* A node of two values, one of which is `first`, in either order. */
static bool other_of(const struct cell *x, uint32_t value, const char *op,
                     uint32_t first, uint32_t *other)
{
    uint32_t node = maker(x, value, op, 2);

    for (uint32_t i = 0; node != TN_NONE && i < 2; i++)
        if (input_at(x, node, i) == first) {
            *other = input_at(x, node, 1 - i);
            return true;
        }
    return false;
}

static uint32_t state_in(const struct cell *x, uint32_t variable)
{
    return variable == TN_NONE ? TN_NONE
                               : tn_flow_loop_in(&x->loop, variable + 2);
}

/* ---- parts of a wide value ---------------------------------------------- */

/* Columns: the second axis of two. */
static bool is_column_axis(int64_t axis)
{
    return axis == 1 || axis == -1;
}

static bool is_split(const struct cell *x, uint32_t value, uint32_t *whole,
                     struct part *part, int64_t *size)
{
    uint32_t node  = maker(x, value, "Split", 1);
    uint64_t count = 0;
    int64_t  sizes[GATES_MAX];

    if (node == TN_NONE || !is_column_axis(int_attr(x, node, "axis", 0)))
        return false;
    part->count = tn_net_node(x->net, node).output_count;
    part->place = tn_net_value(x->net, tn_flow_behind(x->net, value)).output;
    *whole      = input_at(x, node, 0);
    *size       = 0;
    if (part->count > GATES_MAX || input_at(x, node, 1) == TN_NONE)
        return part->count <= GATES_MAX;
    if (!tn_flow_numbers(x->net, input_at(x, node, 1), sizes, GATES_MAX,
                         &count) ||
        count != part->count)
        return false;
    for (uint64_t i = 1; i < count; i++)
        if (sizes[i] != sizes[0])
            return false;
    *size = sizes[0];
    return true;
}

/* The range of columns that a Slice takes; it must take all rows. */
static bool find_columns(const struct cell *x, uint32_t node, int64_t *from,
                         int64_t *to)
{
    int64_t  lists[4][2] = { { 0, 0 }, { 0, 0 }, { 0, 1 }, { 1, 1 } };
    uint64_t count = 0, many = 0;

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t list = input_at(x, node, i + 1);
        if (list == TN_NONE && i > 1)
            continue;
        if (!tn_flow_numbers(x->net, list, lists[i], 2, &many) ||
            (i && many != count))
            return false;
        count = many;
    }
    *from = *to = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool is_whole = lists[0][i] == 0 && lists[1][i] >= INT32_MAX;
        if (lists[3][i] != 1 || (lists[2][i] == 0 && !is_whole) ||
            (lists[2][i] != 0 && !is_column_axis(lists[2][i])))
            return false;
        if (lists[2][i] == 0)
            continue;
        *from = lists[0][i];
        *to   = lists[1][i];
    }
    return true;
}

static bool is_slice(const struct cell *x, uint32_t value, uint32_t *whole,
                     struct part *part, int64_t *size)
{
    uint32_t node = maker(x, value, "Slice", 3);
    int64_t  from, to;

    if (node == TN_NONE || !find_columns(x, node, &from, &to))
        return false;
    *whole      = input_at(x, node, 0);
    int64_t all = dim_of(x, *whole, 1);
    if (all <= 0 || from < -all)
        return false;
    from  = from < 0 ? from + all : from;
    to    = to > all ? all : to < 0 ? to + all : to;
    *size = to - from;
    if (*size <= 0 || from % *size || all % *size || all / *size > GATES_MAX)
        return false;
    part->place = (uint32_t)(from / *size);
    part->count = (uint32_t)(all / *size);
    return true;
}

static bool is_part(struct cell *x, uint32_t value, uint32_t *whole,
                    struct part *part)
{
    int64_t size;

    if (!is_split(x, value, whole, part, &size) &&
        !is_slice(x, value, whole, part, &size))
        return false;
    if (size && x->part_size && size != x->part_size)
        return false;
    x->part_size = size ? size : x->part_size;
    return part->count > 1;
}

/* ---- sums --------------------------------------------------------------- */

static bool collect(struct cell *x, struct gate *g, uint32_t value,
                    struct part of, unsigned depth);

/* The row of the round: x->sequence is what it is taken from. */
static bool is_row(struct cell *x, uint32_t value)
{
    uint32_t gather = maker(x, value, "Gather", 2);

    if (gather == TN_NONE || int_attr(x, gather, "axis", 0) != 0 ||
        !is_outside(x, input_at(x, gather, 0)) ||
        input_at(x, gather, 1) != tn_flow_loop_in(&x->loop, 0) ||
        (x->sequence != TN_NONE && x->sequence != input_at(x, gather, 0)))
        return false;
    x->sequence = input_at(x, gather, 0);
    return true;
}

/* Whether it is the last output, or that times the reset. */
static bool is_state(struct cell *x, uint32_t value)
{
    uint32_t h = state_in(x, x->h), reset;

    if (value == h)
        return true;
    if (!x->may_reset || !other_of(x, value, "Mul", h, &reset) ||
        (x->reset != TN_NONE && x->reset != reset))
        return false;
    x->reset = reset;
    return true;
}

static bool is_taken(const struct piece *piece)
{
    return piece->value != TN_NONE;
}

static bool take_product(struct cell *x, struct gate *g, uint32_t left,
                         uint32_t weights, struct part of)
{
    struct piece piece  = { weights, of, false };
    uint32_t     concat = maker(x, left, "Concat", 2);

    if (!is_outside(x, weights))
        return false;
    if (concat != TN_NONE) {
        if (tn_net_node(x->net, concat).input_count != 2 ||
            !is_column_axis(int_attr(x, concat, "axis", 0)) ||
            !is_row(x, input_at(x, concat, 0)) ||
            !is_state(x, input_at(x, concat, 1)) || is_taken(&g->row) ||
            is_taken(&g->state))
            return false;
        piece.is_both = true;
        g->row = g->state = piece;
        return true;
    }
    bool          is_of_row = is_row(x, left);
    struct piece *to        = is_of_row ? &g->row : &g->state;
    if (is_taken(to) || (!is_of_row && !is_state(x, left)))
        return false;
    *to = piece;
    return true;
}

static bool take_bias(struct cell *x, struct gate *g, uint32_t value,
                      struct part of)
{
    struct piece *to = is_taken(&g->bias) ? &g->state_bias : &g->bias;
    double        number;

    if (tn_flow_constant(x->net, value, &number)) {
        g->number += number;
        return true;
    }
    if (is_taken(to))
        return false;
    *to = (struct piece){ value, of, false };
    return true;
}

/* The state of the cell times weights of its own (peepholes). */
static bool take_peephole(struct cell *x, struct gate *g, uint32_t value)
{
    uint32_t weights;

    if (x->memory == TN_NONE || g->peephole != TN_NONE ||
        !other_of(x, value, "Mul", x->memory, &weights) ||
        !is_outside(x, weights))
        return false;
    g->peephole = weights;
    return true;
}

static bool is_float(const struct cell *x, uint32_t node, const char *name,
                     float usual)
{
    const struct tn_attr_value *value = tn_net_attr_of(x->net, node, name);

    return !value || (value->kind == TN_ATTR_FLOAT && value->count == 1 &&
                      (float)value->of.floats[0] == usual);
}

/* The input of a gate's function.  The function's parameters must be the
 * defaults of a layer. */
static uint32_t opened(const struct cell *x, uint32_t value, const char **name)
{
    uint32_t in = through(x, value, "Sigmoid"), node;

    *name = "Sigmoid";
    if (in != TN_NONE ||
        (node = maker(x, value, "HardSigmoid", 1)) == TN_NONE ||
        !is_float(x, node, "alpha", 0.2F) || !is_float(x, node, "beta", 0.5F))
        return in;
    *name = "HardSigmoid";
    return input_at(x, node, 0);
}

static bool is_gate(struct cell *x, uint32_t value)
{
    const char *name;
    uint32_t    whole;
    struct part of;

    return opened(x, value, &name) != TN_NONE ||
           (is_part(x, value, &whole, &of) &&
            opened(x, whole, &name) != TN_NONE);
}

/* The reset times the product with the state. */
static bool take_late(struct cell *x, struct gate *g, uint32_t value,
                      struct part of, unsigned depth)
{
    uint32_t mul = maker(x, value, "Mul", 2);

    for (uint32_t i = 0; mul != TN_NONE && i < 2; i++) {
        struct gate inner = no_gate;
        uint32_t    reset = input_at(x, mul, i);
        if (!x->may_reset || x->reset != TN_NONE || is_taken(&g->state) ||
            !is_gate(x, reset))
            continue;
        x->may_reset = false;
        bool is_late = collect(x, &inner, input_at(x, mul, 1 - i), of, depth) &&
                       is_taken(&inner.state) && !is_taken(&inner.row) &&
                       !is_taken(&inner.state_bias) && inner.number == 0;
        x->may_reset = true;
        if (!is_late)
            continue;
        g->state      = inner.state;
        g->state_bias = inner.bias;
        x->reset      = reset;
        x->is_late    = true;
        return true;
    }
    return false;
}

static bool is_plain_gemm(const struct cell *x, uint32_t gemm)
{
    static const char *const scales[] = { "alpha", "beta" };

    for (size_t i = 0; i < 2; i++) {
        const struct tn_attr_value *scale =
            tn_net_attr_of(x->net, gemm, scales[i]);
        if (scale && (scale->kind != TN_ATTR_FLOAT || scale->count != 1 ||
                      scale->of.floats[0] != 1))
            return false;
    }
    return !int_attr(x, gemm, "transA", 0) && !int_attr(x, gemm, "transB", 0);
}

/* Collects the terms that are added up to the value. */
static bool collect(struct cell *x, struct gate *g, uint32_t value,
                    struct part of, unsigned depth)
{
    uint32_t    node, whole;
    struct part in;

    if (value == TN_NONE || depth > DEPTH_MAX)
        return false;
    value = tn_flow_behind(x->net, value);
    if (is_outside(x, value))
        return take_bias(x, g, value, of);
    if ((node = maker(x, value, "Add", 2)) != TN_NONE)
        return collect(x, g, input_at(x, node, 0), of, depth + 1) &&
               collect(x, g, input_at(x, node, 1), of, depth + 1);
    if ((node = maker(x, value, "Gemm", 2)) != TN_NONE)
        return is_plain_gemm(x, node) &&
               take_product(x, g, input_at(x, node, 0), input_at(x, node, 1),
                            of) &&
               (input_at(x, node, 2) == TN_NONE ||
                collect(x, g, input_at(x, node, 2), of, depth + 1));
    if ((node = maker(x, value, "MatMul", 2)) != TN_NONE)
        return take_product(x, g, input_at(x, node, 0), input_at(x, node, 1),
                            of);
    if (of.count > 1)
        return false;
    if (is_part(x, value, &whole, &in))
        return collect(x, g, whole, in, depth + 1);
    return take_peephole(x, g, value) || take_late(x, g, value, of, depth + 1);
}

static bool collect_all(struct cell *x, uint32_t gate, uint32_t value)
{
    x->gates[gate] = no_gate;
    return collect(x, &x->gates[gate], value, (struct part){ 0, 1 }, 0) &&
           is_taken(&x->gates[gate].row) && is_taken(&x->gates[gate].state);
}

/* A gate between 0 and 1: the sigmoid of a sum, or a part of one.  All gates
 * of a cell have the same function. */
static bool collect_gate(struct cell *x, uint32_t gate, uint32_t value)
{
    const char *name;
    uint32_t    in = opened(x, value, &name), whole = TN_NONE;
    struct part of;

    if (in == TN_NONE && is_part(x, value, &whole, &of))
        in = opened(x, whole, &name);
    if (in == TN_NONE ||
        (x->functions[0] && strcmp(x->functions[0], name) != 0))
        return false;
    x->functions[0] = name;
    if (whole == TN_NONE)
        return collect_all(x, gate, in);
    x->gates[gate] = no_gate;
    return collect(x, &x->gates[gate], in, of, 0) &&
           is_taken(&x->gates[gate].row) && is_taken(&x->gates[gate].state);
}

/* The function at the end of a cell, and what goes into it. */
static uint32_t activated(struct cell *x, uint32_t value, uint32_t which)
{
    static const char *const ops[] = { "Tanh", "Relu", "Sigmoid", "Softsign",
                                       "Softplus" };

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        uint32_t in = through(x, value, ops[i]);
        if (in == TN_NONE)
            continue;
        x->functions[which] = ops[i];
        return in;
    }
    return TN_NONE;
}

/* ---- cells -------------------------------------------------------------- */

/* f c + i g(s), each in either order. */
static bool find_memory(struct cell *x, uint32_t value)
{
    uint32_t sum = maker(x, value, "Add", 2), c = state_in(x, x->c), forget;

    for (uint32_t i = 0; sum != TN_NONE && i < 2; i++) {
        uint32_t mul = maker(x, input_at(x, sum, 1 - i), "Mul", 2);
        if (mul == TN_NONE ||
            !other_of(x, input_at(x, sum, i), "Mul", c, &forget))
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t s;
            x->memory = c;
            if (!collect_gate(x, 2, forget) ||
                !collect_gate(x, 0, input_at(x, mul, k)))
                continue;
            x->memory = TN_NONE;
            s         = activated(x, input_at(x, mul, 1 - k), 1);
            if (s != TN_NONE && collect_all(x, 3, s))
                return true;
        }
    }
    return false;
}

/* The variable that becomes the value; TN_NONE: none does. */
static uint32_t variable_of(const struct cell *x, uint32_t value)
{
    for (uint32_t i = 0; value != TN_NONE && i < x->next_count; i++)
        if (x->next[i] == value)
            return i;
    return TN_NONE;
}

/* h' = o k(c') */
static bool is_lstm(struct cell *x)
{
    uint32_t mul = maker(x, x->next[x->h], "Mul", 2);

    x->op             = "LSTM";
    x->gate_count     = 4;
    x->function_count = 3;
    x->functions[0]   = NULL;
    for (uint32_t i = 0; mul != TN_NONE && i < 2; i++) {
        uint32_t c = activated(x, input_at(x, mul, 1 - i), 2);
        x->c       = variable_of(x, c);
        if (x->c == TN_NONE || x->c == x->h)
            continue;
        x->memory = c;
        if (collect_gate(x, 1, input_at(x, mul, i)) && find_memory(x, c))
            return true;
    }
    return false;
}

static bool is_rnn(struct cell *x)
{
    uint32_t in = activated(x, x->next[x->h], 0);

    x->op             = "RNN";
    x->gate_count     = 1;
    x->function_count = 1;
    return in != TN_NONE && collect_all(x, 0, in);
}

/* u h + (1 - u) f(s) */
static bool is_gru(struct cell *x)
{
    uint32_t sum = maker(x, x->next[x->h], "Add", 2), u;

    x->op             = "GRU";
    x->gate_count     = 3;
    x->function_count = 2;
    x->functions[0]   = NULL;
    for (uint32_t i = 0; sum != TN_NONE && i < 2; i++) {
        uint32_t mul = maker(x, input_at(x, sum, 1 - i), "Mul", 2);
        if (mul == TN_NONE ||
            !other_of(x, input_at(x, sum, i), "Mul", state_in(x, x->h), &u))
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t sub = maker(x, input_at(x, mul, k), "Sub", 2);
            uint32_t s   = activated(x, input_at(x, mul, 1 - k), 1);
            if (sub == TN_NONE || input_at(x, sub, 1) != u || s == TN_NONE ||
                !tn_flow_is_number(x->net, input_at(x, sub, 0), 1))
                continue;
            x->reset     = TN_NONE;
            x->is_late   = false;
            x->may_reset = true;
            bool is_own  = collect_all(x, 2, s) && x->reset != TN_NONE;
            x->may_reset = false;
            if (is_own && collect_gate(x, 0, u) && collect_gate(x, 1, x->reset))
                return true;
        }
    }
    return false;
}

/* ---- lengths ------------------------------------------------------------ */

/* [batch] as a column. */
static uint32_t without_column(const struct cell *x, uint32_t value)
{
    static const char *const ops[] = { "Unsqueeze", "Reshape" };
    int64_t                  items[2];
    uint64_t                 count;

    for (size_t i = 0; i < 2; i++) {
        uint32_t node = maker(x, value, ops[i], 2);
        if (node == TN_NONE ||
            !tn_flow_numbers(x->net, input_at(x, node, 1), items, 2, &count))
            continue;
        if (i == 0 ? count == 1 && is_column_axis(items[0])
                   : count == 2 && items[1] == 1)
            return input_at(x, node, 0);
    }
    return tn_flow_behind(x->net, value);
}

static uint32_t without_cast(const struct cell *x, uint32_t value)
{
    uint32_t in = through(x, value, "Cast");

    return in != TN_NONE ? in : tn_flow_behind(x->net, value);
}

/* Whether the round is past the lengths of sequences, or before. */
static bool compares_lengths(struct cell *x, uint32_t value, bool *is_past)
{
    static const struct {
        const char *op;
        bool        is_round_first, is_past;
    } ways[]       = { { "GreaterOrEqual", true, true },
                       { "LessOrEqual", false, true },
                       { "Less", true, false },
                       { "Greater", false, false } };
    uint32_t round = tn_flow_loop_in(&x->loop, 0);
    uint32_t none  = through(x, without_column(x, value), "Not");

    value = without_column(x, none == TN_NONE ? value : none);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint32_t node = maker(x, value, ways[i].op, 2);
        if (node == TN_NONE)
            continue;
        uint32_t first = input_at(x, node, !ways[i].is_round_first);
        uint32_t lengths =
            without_column(x, input_at(x, node, ways[i].is_round_first));
        *is_past = ways[i].is_past != (none != TN_NONE);
        if (without_cast(x, first) != round || !is_outside(x, lengths) ||
            tn_net_value(x->net, lengths).type->rank != 1 ||
            (x->lengths != TN_NONE && x->lengths != lengths))
            return false;
        x->lengths = lengths;
        return true;
    }
    return false;
}

static bool is_nothing(const struct tn_net *net, const struct tn_elements *of)
{
    struct tn_buffer bytes;
    uint64_t         count;

    if ((of->shape.dtype != TN_FLOAT32 && of->shape.dtype != TN_FLOAT16) ||
        !tn_shape_count(&of->shape, &count) || count > UINT64_C(1) << 16)
        return false;
    tn_buffer_init(&bytes, net->arena->memory, net->error);
    bool is_zero = tn_net_try_read(net, of, count, &bytes.sink);
    for (size_t i = 0; is_zero && i < bytes.size; i++)
        is_zero = bytes.data[i] == 0;
    tn_buffer_done(&bytes);
    return is_zero;
}

/* Zeros, of whatever shape. */
static bool is_zeros(const struct cell *x, uint32_t value)
{
    uint32_t fill   = maker(x, value, "ConstantOfShape", 1);
    uint32_t expand = maker(x, value, "Expand", 2);

    if (expand != TN_NONE)
        value = input_at(x, expand, 0);
    value = tn_flow_behind(x->net, value);
    if (fill == TN_NONE) {
        const struct tn_elements *constant =
            value == TN_NONE ? NULL : tn_net_value(x->net, value).constant;
        return constant && is_nothing(x->net, constant);
    }
    const struct tn_attr_value *filler = tn_net_attr_of(x->net, fill, "value");
    return !filler || (filler->kind == TN_ATTR_TENSOR && filler->count == 1 &&
                       is_nothing(x->net, &filler->of.tensors[0]->elements));
}

/* The value that a Where returns before the end of a sequence, if it returns
 * `old` after it, or zeros if `old` is TN_NONE.  TN_NONE: another node. */
static uint32_t before_end(struct cell *x, uint32_t value, uint32_t old)
{
    uint32_t where   = maker(x, value, "Where", 3);
    bool     is_past = false;

    if (where == TN_NONE ||
        !compares_lengths(x, input_at(x, where, 0), &is_past))
        return TN_NONE;
    uint32_t behind = input_at(x, where, is_past ? 1 : 2);
    uint32_t before = input_at(x, where, is_past ? 2 : 1);
    return (old == TN_NONE ? is_zeros(x, behind) : behind == old) ? before
                                                                  : TN_NONE;
}

/* The next values of the variables: either all of them depend on the end of a
 * sequence, or none. */
static bool find_next(struct cell *x)
{
    uint32_t count  = tn_net_node(x->net, x->loop.node).input_count - 2;
    uint32_t masked = 0;

    x->lengths    = TN_NONE;
    x->next_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next =
            tn_flow_behind(x->net, tn_flow_loop_out(&x->loop, i + 1));
        uint32_t before = before_end(x, next, state_in(x, i));
        x->next[i]      = before == TN_NONE ? next : before;
        masked += before != TN_NONE;
    }
    if (!masked)
        x->lengths = TN_NONE;
    return masked == 0 || masked == count;
}

/* ---- whether all of it fits --------------------------------------------- */

static bool fits(struct cell *x, const struct piece *piece, bool is_of_row)
{
    int64_t rows    = dim_of(x, piece->value, 0);
    int64_t columns = dim_of(x, piece->value, 1);

    if (tn_net_value(x->net, piece->value).type->dtype != x->dtype ||
        tn_net_value(x->net, piece->value).type->rank != 2 ||
        columns != (int64_t)piece->of.count * x->size)
        return false;
    if (!is_of_row)
        return rows == x->size + (piece->is_both ? x->width : 0);
    int64_t width = rows - (piece->is_both ? x->size : 0);
    if (width <= 0 || (x->width && x->width != width))
        return false;
    x->width = width;
    return true;
}

static bool is_vector(const struct cell *x, uint32_t value, int64_t size)
{
    const struct tn_net_type *type = tn_net_value(x->net, value).type;

    return type->dtype == x->dtype && type->has_rank && type->rank == 1 &&
           type->dims[0] == size;
}

static bool fits_bias(const struct cell *x, const struct piece *piece)
{
    return !is_taken(piece) ||
           is_vector(x, piece->value, (int64_t)piece->of.count * x->size);
}

static bool gate_fits(struct cell *x, const struct gate *g)
{
    return fits(x, &g->row, true) && fits(x, &g->state, false) &&
           fits_bias(x, &g->bias) && fits_bias(x, &g->state_bias) &&
           (g->peephole == TN_NONE || is_vector(x, g->peephole, x->size));
}

static bool measure(struct cell *x)
{
    const struct piece *first = &x->gates[0].state;

    x->dtype = tn_net_value(x->net, first->value).type->dtype;
    x->size  = dim_of(x, first->value, 1) / (int64_t)first->of.count;
    x->width = 0;
    if (x->size <= 0 || (x->part_size && x->part_size != x->size))
        return false;
    for (uint32_t i = 0; i < x->gate_count; i++)
        if (!gate_fits(x, &x->gates[i]))
            return false;
    return true;
}

static bool is_own(const struct cell *x, uint32_t variable)
{
    return variable == x->h || variable == x->c;
}

/* [steps, batch, width]; a state for each of the batch, not one for all. */
static bool has_ranks(const struct cell *x)
{
    const struct tn_net_node  loop = tn_net_node(x->net, x->loop.node);
    const struct tn_net_type *type = tn_net_value(x->net, x->sequence).type;

    if (type->has_rank && type->rank != 3)
        return false;
    for (uint32_t i = 2; i < loop.input_count; i++) {
        const struct tn_net_type *state =
            loop.inputs[i] == TN_NONE
                ? &tn_net_unknown
                : tn_net_value(x->net, loop.inputs[i]).type;
        if (!is_own(x, i - 2))
            continue;
        if (loop.inputs[i] == TN_NONE || (!state->has_rank && !type->has_rank))
            return false;
        if (state->has_rank &&
            (state->rank != 2 ||
             (state->dims[0] == 1 && dim_of(x, x->sequence, 1) != 1)))
            return false;
    }
    return true;
}

/* The value that an output behind the variables collects; TN_NONE: rows after
 * the end of a sequence are not zeros there. */
static uint32_t collected(struct cell *x, uint32_t place)
{
    uint32_t each =
        tn_flow_behind(x->net, tn_flow_loop_out(&x->loop, place + 1));

    return x->lengths != TN_NONE ? before_end(x, each, TN_NONE) : each;
}

/* Whether the results of the Loop are those of the cell. */
static bool gives_all(struct cell *x)
{
    const struct tn_net_node loop = tn_net_node(x->net, x->loop.node);

    for (uint32_t i = x->next_count; i < loop.output_count; i++)
        if (loop.outputs[i] != TN_NONE && collected(x, i) != x->next[x->h])
            return false;
    return true;
}

/* A walk from what the Loop needs of other cells back to the state of this
 * one. */
struct walk {
    const struct cell *x;
    bool              *is_seen; /* by value                                  */
    struct tn_list     found;   /* uint32_t: values still to be walked        */
};

static void reach(struct walk *w, uint32_t value)
{
    if (value == TN_NONE || w->is_seen[value] || value == w->x->next[w->x->h] ||
        tn_net_value(w->x->net, value).graph != w->x->loop.body)
        return;
    w->is_seen[value] = true;
    uint32_t *slot    = tn_list_push(&w->found, uint32_t, w->x->net->error);
    if (slot)
        *slot = value;
}

static void walk_back(struct walk *w)
{
    struct tn_net *net = w->x->net;

    for (uint64_t i = 0; i < w->found.count; i++) {
        uint32_t value    = *tn_list_at(&w->found, uint32_t, i);
        uint32_t producer = tn_net_value(net, value).producer;
        if (producer == TN_NONE)
            continue;
        const struct tn_net_node node = tn_net_node(net, producer);
        for (uint32_t k = 0; k < node.input_count; k++)
            reach(w, node.inputs[k]);
    }
}

/* Whether others use nothing of the cell except h'. */
static bool keeps_states(const struct cell *x)
{
    const struct tn_list *outputs =
        &tn_net_graph(x->net, x->loop.body)->outputs;
    struct tn_arena scratch;
    struct walk     w = { .x = x };

    tn_arena_init(&scratch, x->net->arena->memory);
    tn_list_init(&w.found, x->net->arena->memory, sizeof(uint32_t));
    w.is_seen = tn_new(&scratch, bool, x->net->values.count, x->net->error);
    for (uint64_t i = 0; w.is_seen && i < outputs->count; i++)
        if (i == 0 || !is_own(x, (uint32_t)i - 1))
            reach(&w, *tn_list_at(outputs, uint32_t, i));
    walk_back(&w);
    bool is_kept = w.is_seen && !tn_failed(x->net->error) &&
                   !w.is_seen[state_in(x, x->h)] &&
                   (x->c == TN_NONE || !w.is_seen[state_in(x, x->c)]);
    tn_list_done(&w.found);
    tn_arena_done(&scratch);
    return is_kept;
}

/* Graphs in the body may use any of its values. */
static bool has_graphs(const struct cell *x)
{
    for (uint32_t i = 0; i < x->net->graphs.count; i++)
        if (tn_net_graph(x->net, i)->parent == x->loop.body)
            return true;
    return false;
}

/* One of several cells.  Its values after the end of a sequence differ from
 * those in the Loop, so nothing may use them. */
static bool is_apart(struct cell *x)
{
    const struct tn_net_node loop = tn_net_node(x->net, x->loop.node);

    for (uint32_t i = x->next_count;
         x->lengths != TN_NONE && i < loop.output_count; i++)
        if (collected(x, i) == TN_NONE)
            return false;
    return !has_graphs(x) && keeps_states(x);
}

/* A Loop whose variables are those of the cell, and whose results are its; or
 * one of several cells. */
static bool is_whole(struct cell *x)
{
    bool is_last = x->next_count == (x->c == TN_NONE ? 1U : 2U);

    x->is_alone = is_last && gives_all(x);
    return has_ranks(x) &&
           (x->is_alone || ((!is_last || x->made != TN_NONE) && is_apart(x)));
}

static bool is_true(const struct cell *x, uint32_t value)
{
    return tn_flow_is_number(x->net, tn_flow_behind(x->net, value), 1);
}

static bool is_counted(const struct cell *x)
{
    const struct tn_net_node loop = tn_net_node(x->net, x->loop.node);
    uint32_t goes_on = tn_flow_behind(x->net, tn_flow_loop_out(&x->loop, 0));

    return loop.input_count > 2 && loop.input_count <= 2 + VARIABLES_MAX &&
           loop.inputs[0] != TN_NONE &&
           (loop.inputs[1] == TN_NONE || is_true(x, loop.inputs[1])) &&
           (goes_on == tn_flow_loop_in(&x->loop, 1) || is_true(x, goes_on));
}

static void begin(struct cell *x, uint32_t variable)
{
    x->h        = variable;
    x->c        = TN_NONE;
    x->sequence = x->memory = x->reset = TN_NONE;
    x->may_reset = x->is_late = false;
    x->part_size              = 0;
}

static bool is_cell(struct cell *x)
{
    static bool (*const kinds[])(struct cell *) = { is_lstm, is_gru, is_rnn };

    if (!is_counted(x) || !find_next(x))
        return false;
    for (uint32_t i = 0; i < x->next_count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            begin(x, i);
            if (!kinds[k](x) || !measure(x) || !is_whole(x))
                continue;
            x->is_double = x->dtype == TN_FLOAT64;
            return x->dtype == TN_FLOAT32 || x->dtype == TN_FLOAT16;
        }
    return false;
}

/* ---- making it ---------------------------------------------------------- */

static struct tn_onnx_make making(const struct cell *x)
{
    return (struct tn_onnx_make){ x->net, x->graph, x->loop.node };
}

/* A constant of the body as one of the graph around it. */
static uint32_t taken_out(struct cell *x, uint32_t value)
{
    if (tn_net_value(x->net, value).graph != x->loop.body)
        return value;
    uint32_t copy =
        tn_net_add_value(x->net, x->graph, tn_net_value(x->net, value).name);
    if (copy == TN_NONE)
        return TN_NONE;
    tn_net_copy_constant(x->net, copy, value);
    tn_net_copy_type(x->net, copy, value);
    return copy;
}

/* Columns become rows; weights of several gates do so once. */
static uint32_t turned(struct cell *x, uint32_t value)
{
    static const int64_t      perm[] = { 1, 0 };
    const struct tn_onnx_make m      = making(x);

    for (uint32_t i = 0; i < x->turned_count; i++)
        if (x->turned[i][0] == value)
            return x->turned[i][1];
    uint32_t made = tn_onnx_transpose(&m, taken_out(x, value), perm, 2);
    if (x->turned_count < CACHE_MAX) {
        x->turned[x->turned_count][0]   = value;
        x->turned[x->turned_count++][1] = made;
    }
    return made;
}

/* Whether the gates make up one whole value, in its order. */
static bool is_in_order(const struct cell *x, const struct piece *pieces)
{
    for (uint32_t i = 0; i < x->gate_count; i++)
        if (pieces[i].value != pieces[0].value || pieces[i].of.place != i ||
            pieces[i].of.count != x->gate_count)
            return false;
    return true;
}

static uint32_t piece_rows(struct cell *x, const struct piece *piece,
                           uint32_t rows)
{
    const struct tn_onnx_make m    = making(x);
    int64_t                   from = (int64_t)piece->of.place * x->size;

    return piece->of.count == 1
               ? rows
               : tn_onnx_slice(&m, rows, from, from + x->size, 0);
}

/* The columns for the row or for the state, of a matrix for both. */
static uint32_t own_columns(struct cell *x, const struct piece *piece,
                            uint32_t rows, bool is_state)
{
    const struct tn_onnx_make m = making(x);

    return !piece->is_both
               ? rows
               : tn_onnx_slice(&m, rows, is_state ? x->width : 0,
                               is_state ? x->width + x->size : x->width, 1);
}

/* [1, gates, width] of the row or of the state. */
static uint32_t weights(struct cell *x, bool is_state)
{
    const struct tn_onnx_make m                 = making(x);
    struct piece              pieces[GATES_MAX] = { { .value = TN_NONE } };
    uint32_t                  parts[GATES_MAX], all;

    for (uint32_t i = 0; i < x->gate_count; i++)
        pieces[i] = is_state ? x->gates[i].state : x->gates[i].row;
    if (is_in_order(x, pieces)) {
        all = own_columns(x, &pieces[0], turned(x, pieces[0].value), is_state);
    } else {
        for (uint32_t i = 0; i < x->gate_count; i++)
            parts[i] = own_columns(
                x, &pieces[i],
                piece_rows(x, &pieces[i], turned(x, pieces[i].value)),
                is_state);
        all = tn_onnx_concat(&m, parts, x->gate_count, 0);
    }
    return tn_onnx_on_axis(&m, "Unsqueeze", all, 0);
}

static uint32_t numbers(struct cell *x, double number)
{
    uint64_t dims  = (uint64_t)x->size;
    double  *items = tn_new(x->net->arena, double, dims, x->net->error);

    for (uint64_t i = 0; items && i < dims; i++)
        items[i] = number;
    return items ? tn_net_add_doubles(x->net, x->graph, tn_bytes(NULL, 0),
                                      x->dtype, items, 1, &dims)
                 : TN_NONE;
}

/* Biases of a gate: those beside the row, or those beside the state. */
static uint32_t gate_bias(struct cell *x, const struct gate *g, bool is_state)
{
    const struct tn_onnx_make m      = making(x);
    const struct piece       *piece  = is_state ? &g->state_bias : &g->bias;
    double                    number = is_state ? g->number : 0;

    if (!is_taken(piece))
        return numbers(x, number);
    uint32_t vector = piece_rows(x, piece, taken_out(x, piece->value));
    if (number == 0)
        return vector;
    uint32_t both[] = { vector, numbers(x, number) };
    return tn_onnx_add(&m, "Add", both, 2, NULL);
}

static bool has_bias(const struct cell *x)
{
    for (uint32_t i = 0; i < x->gate_count; i++)
        if (is_taken(&x->gates[i].bias) || is_taken(&x->gates[i].state_bias) ||
            x->gates[i].number != 0)
            return true;
    return false;
}

static uint32_t bias(struct cell *x)
{
    const struct tn_onnx_make m = making(x);
    uint32_t                  parts[2 * GATES_MAX];
    uint32_t                  count = 0;

    if (!has_bias(x))
        return TN_NONE;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < x->gate_count; i++)
            parts[count++] = gate_bias(x, &x->gates[i], side == 1);
    return tn_onnx_on_axis(&m, "Unsqueeze", tn_onnx_concat(&m, parts, count, 0),
                           0);
}

/* Of the gates of input, output and forgetting, in this order. */
static uint32_t peepholes(struct cell *x)
{
    const struct tn_onnx_make m = making(x);
    uint32_t                  parts[3];
    bool                      has_any = false;

    for (uint32_t i = 0; i < 3; i++)
        has_any = has_any || x->gates[i].peephole != TN_NONE;
    for (uint32_t i = 0; has_any && i < 3; i++)
        parts[i] = x->gates[i].peephole != TN_NONE
                       ? taken_out(x, x->gates[i].peephole)
                       : numbers(x, 0);
    return has_any ? tn_onnx_on_axis(&m, "Unsqueeze",
                                     tn_onnx_concat(&m, parts, 3, 0), 0)
                   : TN_NONE;
}

/* Whether the number of rounds is the length of the sequence: both known, or
 * one taken from the other's shape. */
static bool is_length(const struct cell *x, uint32_t rounds)
{
    double number;

    if (x->sequence == x->made)
        return true;
    if (tn_flow_constant(x->net, rounds, &number))
        return number == (double)dim_of(x, x->sequence, 0);
    uint32_t of = tn_flow_row_count_of(x->net, rounds);
    return of != TN_NONE &&
           tn_flow_rows_of(x->net, of) == tn_flow_rows_of(x->net, x->sequence);
}

static uint32_t rounds_of(const struct cell *x)
{
    return tn_flow_behind(x->net, tn_net_node(x->net, x->loop.node).inputs[0]);
}

static uint32_t rows(struct cell *x)
{
    const struct tn_onnx_make m        = making(x);
    uint32_t                  zero     = tn_onnx_int(&m, 0);
    uint32_t                  inputs[] = { x->sequence, zero, TN_NONE, zero };

    if (is_length(x, rounds_of(x)))
        return x->sequence;
    inputs[2] =
        tn_onnx_add(&m, "Reshape",
                    (uint32_t[]){ rounds_of(x), tn_onnx_int(&m, 1) }, 2, NULL);
    return tn_onnx_add(&m, "Slice", inputs, 4, NULL);
}

/* The lengths, none longer than what there is. */
static uint32_t lengths(struct cell *x)
{
    const struct tn_onnx_make m      = making(x);
    static const int64_t      int32  = 6;
    struct tn_net_attr        to     = tn_onnx_attr(&m, "to", &int32, 1, false);
    uint32_t                  rounds = rounds_of(x), both[2];

    if (x->lengths == TN_NONE)
        return TN_NONE;
    both[0] = tn_onnx_add(&m, "Cast", &x->lengths, 1, &to);
    both[1] = tn_onnx_add(&m, "Cast", &rounds, 1, &to);
    return tn_onnx_add(&m, "Min", both, 2, NULL);
}

static bool is_usual(const struct cell *x)
{
    for (uint32_t i = 0; i < x->function_count; i++)
        if (strcmp(x->functions[i],
                   x->function_count > 1 && i == 0 ? "Sigmoid" : "Tanh") != 0)
            return false;
    return true;
}

static void set_attrs(struct cell *x, uint32_t node)
{
    const struct tn_onnx_make m     = making(x);
    static const int64_t      one   = 1;
    uint32_t                  count = x->function_count;
    struct tn_bytes          *names =
        tn_new(x->net->arena, struct tn_bytes, count, x->net->error);
    struct tn_net_attr size =
        tn_onnx_attr(&m, "hidden_size", &x->size, 1, false);
    struct tn_net_attr late =
        tn_onnx_attr(&m, "linear_before_reset", &one, 1, false);

    tn_net_set_attr(x->net, node, "hidden_size", &size.value);
    if (x->is_late)
        tn_net_set_attr(x->net, node, "linear_before_reset", &late.value);
    if (is_usual(x) || !names)
        return;
    for (uint32_t i = 0; i < count; i++)
        names[i] = tn_text(x->functions[i]);
    tn_net_set_attr(x->net, node, "activations",
                    &(struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                             .count      = count,
                                             .is_list    = true,
                                             .of.strings = names });
}

/* Replaces results of the Loop by those of the layer, without the axis of
 * directions. */
static void hand_on(struct cell *x, uint32_t from, uint32_t to)
{
    if (from == TN_NONE || to == TN_NONE)
        return;
    tn_net_copy_type(x->net, to, from);
    tn_net_value_row(x->net, to)->is_inner = false;
    tn_net_swap_names(x->net, from, to);
    tn_net_replace(x->net, from, to);
}

/* The state at the end.  ONNX does not define it for a sequence without rows,
 * and runtimes return zeros; here it is the initial state. */
static uint32_t last_state(struct cell *x, uint32_t state, uint32_t begin,
                           uint32_t count)
{
    const struct tn_onnx_make m    = making(x);
    static const int64_t      none = 0;
    uint32_t zero      = tn_net_add_ints(x->net, x->graph, tn_bytes(NULL, 0),
                                         TN_INT32, &none, 0, NULL);
    uint32_t both[]    = { count, zero };
    uint32_t choices[] = { TN_NONE, tn_onnx_on_axis(&m, "Squeeze", state, 0),
                           begin };

    if (count == TN_NONE || is_zeros(x, begin))
        return choices[1];
    choices[0] = tn_onnx_on_axis(&m, "Unsqueeze",
                                 tn_onnx_add(&m, "Greater", both, 2, NULL), 1);
    return tn_onnx_add(&m, "Where", choices, 3, NULL);
}

static void replace_loop(struct cell *x, const uint32_t *made, uint32_t count)
{
    const struct tn_onnx_make m    = making(x);
    const struct tn_net_node  loop = tn_net_node(x->net, x->loop.node);

    for (uint32_t i = 0; i < loop.output_count && !tn_failed(x->net->error);
         i++) {
        if (loop.outputs[i] == TN_NONE)
            continue;
        bool is_all = i + 2 >= loop.input_count;
        hand_on(x, loop.outputs[i],
                is_all ? tn_onnx_on_axis(&m, "Squeeze", made[0], 1)
                       : last_state(x, made[i == x->h ? 1 : 2],
                                    loop.inputs[i + 2], count));
    }
    tn_net_remove(x->net, x->loop.node);
}

/* The results of the layer for all rounds, without the axis of directions. */
static uint32_t all_rows(struct cell *x, uint32_t layer)
{
    const struct tn_onnx_make m    = making(x);
    uint32_t                  made = tn_onnx_on_axis(&m, "Squeeze", layer, 1);
    const int64_t dims[]           = { -1, dim_of(x, x->sequence, 1), x->size };

    if (made != TN_NONE)
        tn_net_set_type(
            x->net, made,
            &(struct tn_net_type){
                .dtype = x->dtype, .has_rank = true, .rank = 3, .dims = dims });
    return made;
}

/* Removes the cell from the Loop, where rows of the layer's results replace
 * h'. */
static void leave_loop(struct cell *x, const uint32_t *made, uint32_t count)
{
    struct tn_net            *net    = x->net;
    const struct tn_net_node  loop   = tn_net_node(net, x->loop.node);
    const struct tn_onnx_make m      = { net, x->loop.body, x->loop.node };
    uint32_t                  all    = all_rows(x, made[0]);
    uint32_t                  from[] = { all, tn_flow_loop_in(&x->loop, 0) };

    for (uint32_t i = loop.output_count; i-- > 0 && !tn_failed(net->error);) {
        bool is_scan = i >= x->next_count;
        if (is_scan ? collected(x, i) != x->next[x->h] : !is_own(x, i))
            continue;
        hand_on(x, loop.outputs[i],
                is_scan ? all_rows(x, made[0])
                        : last_state(x, made[i == x->h ? 1 : 2],
                                     loop.inputs[i + 2], count));
        tn_flow_loop_drop(&x->loop, i);
    }
    uint32_t row = tn_onnx_add(&m, "Gather", from, 2, NULL);
    if (row == TN_NONE)
        return;
    tn_net_copy_type(net, row, x->next[x->h]);
    tn_net_replace(net, x->next[x->h], row);
    x->made = all;
}

/* ---- nodes that compute rows --------------------------------------------- */

/* Whether the value is a row of [steps, batch, width]; `sequence` is what it is
 * a row of. */
static bool is_any_row(const struct cell *x, uint32_t value, uint32_t *sequence)
{
    uint32_t gather = maker(x, value, "Gather", 2);

    if (gather == TN_NONE || int_attr(x, gather, "axis", 0) != 0 ||
        input_at(x, gather, 1) != tn_flow_loop_in(&x->loop, 0))
        return false;
    *sequence = input_at(x, gather, 0);
    return is_outside(x, *sequence) &&
           tn_net_value(x->net, *sequence).type->rank == 3;
}

/* Whether the node computes each row for itself: then it can compute all of
 * them at once.  `inputs` become those that it needs for that. */
static bool is_of_rows(struct cell *x, uint32_t id, uint32_t inputs[2])
{
    static const char *const ops[] = { "Add",  "Sub",  "Mul",     "Neg",
                                       "Tanh", "Relu", "Sigmoid", "MatMul" };
    const struct tn_net_node node  = tn_net_node(x->net, id);
    bool is_known = false, is_product = tn_bytes_is(node.op->type, "MatMul");
    uint32_t rows = 0;

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        is_known = is_known || tn_bytes_is(node.op->type, ops[i]);
    if (!is_known || node.op->domain.size || node.is_removed ||
        node.input_count > 2 || node.output_count != 1 ||
        node.outputs[0] == TN_NONE)
        return false;
    for (uint32_t i = 0; i < node.input_count; i++) {
        uint32_t value = input_at(x, id, i);
        if (is_any_row(x, value, &inputs[i])) {
            rows++;
            continue;
        }
        const struct tn_net_type *type = value == TN_NONE
                                             ? &tn_net_unknown
                                             : tn_net_value(x->net, value).type;
        if (!is_outside(x, value) || !type->has_rank ||
            (is_product ? i != 1 || type->rank != 2 : type->rank > 1))
            return false;
        inputs[i] = value;
    }
    return rows > 0 && (!is_product || rows == 1);
}

/* Moves the node to the graph around the Loop, and replaces its result by
 * rows. */
static void take_before_loop(struct cell *x, uint32_t id, uint32_t inputs[2])
{
    struct tn_net            *net    = x->net;
    const struct tn_onnx_make m      = making(x);
    const struct tn_onnx_make in     = { net, x->loop.body, id };
    const struct tn_net_node  node   = tn_net_node(net, id);
    const struct tn_net_type *type   = tn_net_value(net, node.outputs[0]).type;
    int64_t                   dims[] = { -1, -1, -1 };

    for (uint32_t i = 0; i < node.input_count; i++)
        inputs[i] = taken_out(x, inputs[i]);
    for (uint32_t i = 0; type->has_rank && type->rank == 2 && i < 2; i++)
        dims[i + 1] = type->dims[i];
    const struct tn_net_type all = {
        .dtype = type->dtype, .has_rank = true, .rank = 3, .dims = dims
    };
    char op[8] = "";
    memcpy(op, node.op->type.data, node.op->type.size);
    uint32_t made   = tn_onnx_add(&m, op, inputs, node.input_count, NULL);
    uint32_t from[] = { made, tn_flow_loop_in(&x->loop, 0) };
    uint32_t row    = tn_onnx_add(&in, "Gather", from, 2, NULL);
    if (row == TN_NONE)
        return;
    tn_net_set_type(net, made, &all);
    tn_net_copy_type(net, row, node.outputs[0]);
    tn_net_replace(net, node.outputs[0], row);
    tn_net_remove(net, id);
}

/* Nodes are in order: what the first needs comes before it. */
static bool take_rows_out(struct cell *x)
{
    uint64_t count  = tn_net_graph(x->net, x->loop.body)->nodes.count;
    bool     is_any = false;

    for (uint64_t i = 0; i < count && !tn_failed(x->net->error); i++) {
        uint32_t inputs[2];
        uint32_t id = *tn_list_at(&tn_net_graph(x->net, x->loop.body)->nodes,
                                  uint32_t, i);
        if (!is_of_rows(x, id, inputs))
            continue;
        take_before_loop(x, id, inputs);
        is_any = true;
    }
    return is_any;
}

/* A Loop that has lost all its cells and only collects rows. */
static void end_loop(struct cell *x)
{
    const struct tn_onnx_make m    = making(x);
    const struct tn_net_node  loop = tn_net_node(x->net, x->loop.node);
    uint32_t                  all;

    if (loop.input_count != 2)
        return;
    for (uint32_t i = 0; i < loop.output_count; i++)
        if (!is_any_row(x, tn_flow_loop_out(&x->loop, i + 1), &all))
            return;
    for (uint32_t i = 0; i < loop.output_count && !tn_failed(x->net->error);
         i++) {
        if (!is_any_row(x, tn_flow_loop_out(&x->loop, i + 1), &x->sequence))
            return;
        all = rows(x);
        hand_on(x, loop.outputs[i], tn_onnx_add(&m, "Identity", &all, 1, NULL));
    }
    tn_net_remove(x->net, x->loop.node);
}

/* ---- the whole of it ---------------------------------------------------- */

static void become_layer(struct cell *x)
{
    struct tn_net            *net      = x->net;
    const struct tn_onnx_make m        = making(x);
    const struct tn_net_node  loop     = tn_net_node(net, x->loop.node);
    bool                      has_c    = x->c != TN_NONE;
    uint32_t                  inputs[] = {
                         rows(x),
                         weights(x, false),
                         weights(x, true),
                         bias(x),
                         lengths(x),
                         tn_onnx_on_axis(&m, "Unsqueeze", loop.inputs[x->h + 2], 0),
        has_c ? tn_onnx_on_axis(&m, "Unsqueeze", loop.inputs[x->c + 2], 0)
                               : TN_NONE,
        has_c ? peepholes(x) : TN_NONE,
    };
    uint32_t made[3];
    uint32_t count = !has_c ? 6 : inputs[7] == TN_NONE ? 7 : 8;

    tn_onnx_more(&m, tn_onnx_add(&m, x->op, inputs, count, NULL), made,
                 2U + has_c);
    if (tn_failed(net->error))
        return;
    set_attrs(x, tn_net_value(net, made[0]).producer);
    if (x->is_alone)
        replace_loop(x, made, inputs[4]);
    else
        leave_loop(x, made, inputs[4]);
}

/* The cells of a Loop, one after the other. */
static uint64_t find_cells(struct cell *x)
{
    uint64_t found   = 0;
    bool     goes_on = true;

    while (goes_on && !tn_failed(x->net->error) &&
           !tn_net_node(x->net, x->loop.node).is_removed) {
        goes_on = is_cell(x);
        found += goes_on;
        if (goes_on)
            become_layer(x);
        else if (x->made != TN_NONE)
            goes_on = take_rows_out(x);
    }
    if (found && !tn_failed(x->net->error) &&
        !tn_net_node(x->net, x->loop.node).is_removed)
        end_loop(x);
    return found;
}

enum tn_status tn_onnx_rnn(struct tn_net *net, uint64_t *found,
                           struct tn_list *doubles)
{
    uint64_t count = net->nodes.count;

    *found = 0;
    for (uint32_t i = 0; i < count && tn_net_goes_on(net); i++) {
        struct cell x = { .net = net, .made = TN_NONE };
        if (!tn_flow_loop(&x.loop, net, i))
            continue;
        x.graph = tn_net_node(net, i).graph;
        *found += find_cells(&x);
        if (!x.is_double || !doubles)
            continue;
        uint32_t *slot = tn_list_push(doubles, uint32_t, net->error);
        if (slot)
            *slot = i;
    }
    if (!*found || tn_failed(net->error))
        return net->error->status;
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, NULL);
}
