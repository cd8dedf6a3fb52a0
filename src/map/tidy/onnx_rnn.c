/*
 * onnx_rnn.c - a Loop over the rows of a sequence becomes LSTM, GRU or RNN
 *
 * A Loop of so many rounds whose body takes the row of its round, multiplies it
 * and the last output with weights, and makes of the sums what a cell makes:
 *
 *   sums = [x h] W + b, or x K + h R + b
 *   RNN   h' = f(sums)
 *   GRU   r, u of sums; h' = u h + (1 - u) f(of x and r h), or with r behind
 *         the product: f(x K + b + r (h R + c))
 *   LSTM  i, z, f, o of sums; c' = s(f) c + s(i) tanh(z); h' = s(o) tanh(c')
 *
 * Everything that the Loop gives must be the last h', the last c' or all h'; a
 * body that does anything else stays a Loop.  Weights are put in ONNX's order
 * by nodes that move constants, which are laid out when the file is written.
 */
#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"
#include "map/tidy/onnx_tidy.h"

enum { GATES_MAX = 4 };

/* What is multiplied with weights: a row of the sequence, and a state. */
struct sums {
    uint32_t state;             /* beside the row                             */
    uint32_t both;              /* weights of both, the row's first; or       */
    uint32_t kernel, recurrent; /* each its own                               */
    uint32_t bias;              /* TN_NONE: none                              */
    uint32_t state_bias;        /* of the product with the state; TN_NONE     */
};

struct cell {
    struct tn_net      *net;
    struct tn_flow_loop loop;
    uint32_t            graph; /* of the Loop                                 */
    uint32_t            sequence;
    uint32_t            h, c;       /* variables; c may be TN_NONE            */
    uint32_t            next;       /* h'                                     */
    struct sums         gates, own; /* own: of a GRU's candidate              */
    uint32_t    order[GATES_MAX];   /* place of each gate of ONNX in sums */
    uint32_t    gate_count;
    bool        is_late; /* of a GRU: reset behind the product */
    double      forget;
    int64_t     size, width;     /* of h, of a row                         */
    const char *op, *activation; /* NULL: what ONNX takes anyway       */
};

static const struct sums no_sums = { TN_NONE, TN_NONE, TN_NONE,
                                     TN_NONE, TN_NONE, TN_NONE };

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

/* What goes through a function of one value; TN_NONE: not this one. */
static uint32_t through(const struct cell *x, uint32_t value, const char *op)
{
    uint32_t node = maker(x, value, op, 1);

    return node == TN_NONE ? TN_NONE : input_at(x, node, 0);
}

static int64_t int_attr(const struct cell *x, uint32_t node, const char *name,
                        int64_t other)
{
    const struct tn_attr_value *value = tn_net_attr_of(x->net, node, name);

    return value && value->kind == TN_ATTR_INT && value->count == 1
               ? value->of.ints[0]
               : other;
}

/* Not made in the body: the same in every round. */
static bool is_outside(const struct cell *x, uint32_t value)
{
    return value != TN_NONE &&
           (tn_net_value(x->net, value).graph != x->loop.body ||
            tn_net_value(x->net, value).constant);
}

static int64_t dim_of(const struct cell *x, uint32_t value, uint32_t axis)
{
    const struct tn_net_type *type = tn_net_value(x->net, value).type;

    return type->has_rank && axis < type->rank ? type->dims[axis] : -1;
}

/* ---- sums --------------------------------------------------------------- */

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

/* [row state] times weights. */
static bool is_joint(struct cell *x, uint32_t left, uint32_t right,
                     struct sums *s)
{
    uint32_t concat = maker(x, left, "Concat", 2);
    int64_t  axis   = concat == TN_NONE ? 0 : int_attr(x, concat, "axis", 0);

    if (concat == TN_NONE || tn_net_node(x->net, concat).input_count != 2 ||
        (axis != 1 && axis != -1) || !is_row(x, input_at(x, concat, 0)) ||
        !is_outside(x, right))
        return false;
    s->state = input_at(x, concat, 1);
    s->both  = right;
    return true;
}

/* row K + state R */
static bool is_pair(struct cell *x, uint32_t value, struct sums *s)
{
    uint32_t add = maker(x, value, "Add", 2);

    for (uint32_t i = 0; add != TN_NONE && i < 2; i++) {
        uint32_t p = maker(x, input_at(x, add, i), "MatMul", 2);
        uint32_t q = maker(x, input_at(x, add, 1 - i), "MatMul", 2);
        if (p == TN_NONE || q == TN_NONE || !is_row(x, input_at(x, p, 0)) ||
            !is_outside(x, input_at(x, p, 1)) ||
            !is_outside(x, input_at(x, q, 1)))
            continue;
        s->kernel    = input_at(x, p, 1);
        s->recurrent = input_at(x, q, 1);
        s->state     = input_at(x, q, 0);
        return true;
    }
    return false;
}

static bool is_product(struct cell *x, uint32_t value, struct sums *s)
{
    uint32_t matmul = maker(x, value, "MatMul", 2);

    return is_pair(x, value, s) ||
           (matmul != TN_NONE &&
            is_joint(x, input_at(x, matmul, 0), input_at(x, matmul, 1), s));
}

static bool is_gemm(struct cell *x, uint32_t value, struct sums *s)
{
    uint32_t gemm = maker(x, value, "Gemm", 2);

    if (gemm == TN_NONE || int_attr(x, gemm, "transA", 0) ||
        int_attr(x, gemm, "transB", 0) ||
        tn_net_attr_of(x->net, gemm, "alpha") ||
        tn_net_attr_of(x->net, gemm, "beta"))
        return false;
    s->bias = input_at(x, gemm, 2);
    return is_joint(x, input_at(x, gemm, 0), input_at(x, gemm, 1), s);
}

static bool find_sums(struct cell *x, uint32_t value, struct sums *s)
{
    uint32_t add = maker(x, value, "Add", 2);

    *s = no_sums;
    if (is_gemm(x, value, s) || is_product(x, value, s))
        return s->bias == TN_NONE || is_outside(x, s->bias);
    for (uint32_t i = 0; add != TN_NONE && i < 2; i++) {
        s->bias = input_at(x, add, 1 - i);
        if (is_outside(x, s->bias) && is_product(x, input_at(x, add, i), s))
            return true;
    }
    return false;
}

/* ---- cells -------------------------------------------------------------- */

/* Which output of the one Split of so many a value is; the Split is found by
 * the first. */
static bool is_part(const struct cell *x, uint32_t value, uint32_t count,
                    uint32_t *split, uint32_t *place)
{
    uint32_t node = maker(x, value, "Split", 1);
    int64_t  axis = node == TN_NONE ? 0 : int_attr(x, node, "axis", 0);

    if (node == TN_NONE || tn_net_node(x->net, node).output_count != count ||
        (axis != 1 && axis != -1) || (*split != TN_NONE && *split != node))
        return false;
    *split = node;
    *place = tn_net_value(x->net, tn_flow_behind(x->net, value)).output;
    return true;
}

/* Both ways: a node of two values, one of which is `first`, or any. */
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

/* s(f + forget), where something may be added. */
static bool find_forget(struct cell *x, uint32_t value, uint32_t *split)
{
    uint32_t gate = through(x, value, "Sigmoid");
    uint32_t add  = gate == TN_NONE ? TN_NONE : maker(x, gate, "Add", 2);

    x->forget = 0;
    for (uint32_t i = 0; add != TN_NONE && i < 2; i++)
        if (tn_flow_constant(x->net, input_at(x, add, i), &x->forget)) {
            gate = input_at(x, add, 1 - i);
            break;
        }
    return gate != TN_NONE && is_part(x, gate, 4, split, &x->order[2]);
}

/* s(i) tanh(z), in either order. */
static bool find_candidate(struct cell *x, uint32_t value, uint32_t *split)
{
    uint32_t mul = maker(x, value, "Mul", 2);

    for (uint32_t i = 0; mul != TN_NONE && i < 2; i++) {
        uint32_t in = through(x, input_at(x, mul, i), "Sigmoid");
        uint32_t z  = through(x, input_at(x, mul, 1 - i), "Tanh");
        if (in != TN_NONE && z != TN_NONE &&
            is_part(x, in, 4, split, &x->order[0]) &&
            is_part(x, z, 4, split, &x->order[3]))
            return true;
    }
    return false;
}

/* c' = s(f) c + s(i) tanh(z) */
static bool find_memory(struct cell *x, uint32_t value, uint32_t *split)
{
    uint32_t add = maker(x, value, "Add", 2);
    uint32_t c   = tn_flow_loop_in(&x->loop, x->c + 2);
    uint32_t forget;

    for (uint32_t i = 0; add != TN_NONE && i < 2; i++)
        if (other_of(x, input_at(x, add, i), "Mul", c, &forget) &&
            find_forget(x, forget, split) &&
            find_candidate(x, input_at(x, add, 1 - i), split))
            return true;
    return false;
}

static uint32_t variable_of(const struct cell *x, uint32_t next)
{
    uint32_t count = tn_net_node(x->net, x->loop.node).input_count;

    for (uint32_t i = 0; i + 2 < count; i++)
        if (tn_flow_behind(x->net, tn_flow_loop_out(&x->loop, i + 1)) == next)
            return i;
    return TN_NONE;
}

/* h' = s(o) tanh(c') */
static bool is_lstm(struct cell *x)
{
    uint32_t mul = maker(x, x->next, "Mul", 2), split = TN_NONE;

    x->op         = "LSTM";
    x->gate_count = 4;
    for (uint32_t i = 0; mul != TN_NONE && i < 2; i++) {
        uint32_t o = through(x, input_at(x, mul, i), "Sigmoid");
        uint32_t c = through(x, input_at(x, mul, 1 - i), "Tanh");
        x->c       = c == TN_NONE ? TN_NONE : variable_of(x, c);
        if (o != TN_NONE && x->c != TN_NONE && x->c != x->h &&
            is_part(x, o, 4, &split, &x->order[1]) && find_memory(x, c, &split))
            return find_sums(x, input_at(x, split, 0), &x->gates);
        split = TN_NONE;
    }
    return false;
}

/* The function at the end of a cell, and what goes into it. */
static uint32_t activated(struct cell *x, uint32_t value)
{
    static const char *const ops[] = { "Tanh", "Relu", "Sigmoid" };

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        uint32_t in = through(x, value, ops[i]);
        if (in == TN_NONE)
            continue;
        x->activation = i == 0 ? NULL : ops[i];
        return in;
    }
    return TN_NONE;
}

static bool is_rnn(struct cell *x)
{
    uint32_t in = activated(x, x->next);

    x->op         = "RNN";
    x->gate_count = 1;
    x->order[0]   = 0;
    x->c          = TN_NONE;
    return in != TN_NONE && find_sums(x, in, &x->gates);
}

/* f([row, r h] W): `r` is a part of the sums. */
static bool find_own(struct cell *x, uint32_t value, uint32_t *split)
{
    uint32_t in = activated(x, value), r;
    uint32_t h  = tn_flow_loop_in(&x->loop, x->h + 2);

    return in != TN_NONE && find_sums(x, in, &x->own) &&
           other_of(x, x->own.state, "Mul", h, &r) &&
           is_part(x, r, 2, split, &x->order[1]);
}

/* (1 - u) times what is found by find_own(). */
static bool is_rest(struct cell *x, uint32_t value, uint32_t u, uint32_t *split)
{
    uint32_t mul = maker(x, value, "Mul", 2);

    for (uint32_t i = 0; mul != TN_NONE && i < 2; i++) {
        uint32_t sub = maker(x, input_at(x, mul, i), "Sub", 2);
        if (sub != TN_NONE && input_at(x, sub, 1) == u &&
            tn_flow_is_number(x->net, input_at(x, sub, 0), 1) &&
            find_own(x, input_at(x, mul, 1 - i), split))
            return true;
    }
    return false;
}

/* h' = u h + (1 - u) f(...) */
static bool is_gru(struct cell *x)
{
    uint32_t add = maker(x, x->next, "Add", 2), split = TN_NONE, u;
    uint32_t h = tn_flow_loop_in(&x->loop, x->h + 2);

    x->op         = "GRU";
    x->gate_count = 2;
    x->c          = TN_NONE;
    for (uint32_t i = 0; add != TN_NONE && i < 2; i++) {
        if (!other_of(x, input_at(x, add, i), "Mul", h, &u) ||
            !is_part(x, u, 2, &split, &x->order[0]) ||
            !is_rest(x, input_at(x, add, 1 - i), u, &split))
            continue;
        uint32_t sums = through(x, input_at(x, split, 0), "Sigmoid");
        return sums != TN_NONE && find_sums(x, sums, &x->gates);
    }
    return false;
}

/* One product and its bias: Gemm, or MatMul and Add. */
static bool find_product(const struct cell *x, uint32_t value, uint32_t *left,
                         uint32_t *right, uint32_t *bias)
{
    uint32_t gemm = maker(x, value, "Gemm", 3);
    uint32_t add  = maker(x, value, "Add", 2);
    uint32_t node = gemm != TN_NONE ? gemm : maker(x, value, "MatMul", 2);

    *bias = gemm != TN_NONE ? input_at(x, gemm, 2) : TN_NONE;
    for (uint32_t i = 0; node == TN_NONE && add != TN_NONE && i < 2; i++) {
        node  = maker(x, input_at(x, add, i), "MatMul", 2);
        *bias = input_at(x, add, 1 - i);
    }
    if (node == TN_NONE ||
        (gemm != TN_NONE && tn_net_node(x->net, gemm).attr_count))
        return false;
    *left  = input_at(x, node, 0);
    *right = input_at(x, node, 1);
    return is_outside(x, *right) && (*bias == TN_NONE || is_outside(x, *bias));
}

/* Parts of two Splits of three: one of the rows' product, one of the state's.
 */
struct halves {
    uint32_t rows, state; /* Splits; TN_NONE: not found yet                   */
};

/* The same part of both, added. */
static bool is_sum(const struct cell *x, uint32_t value, struct halves *from,
                   uint32_t *place)
{
    uint32_t add = value == TN_NONE ? TN_NONE : maker(x, value, "Add", 2);

    for (uint32_t i = 0; add != TN_NONE && i < 2; i++) {
        struct halves tried = *from;
        uint32_t      other;
        if (is_part(x, input_at(x, add, i), 3, &tried.rows, place) &&
            is_part(x, input_at(x, add, 1 - i), 3, &tried.state, &other) &&
            tried.rows != tried.state && *place == other) {
            *from = tried;
            return true;
        }
    }
    return false;
}

/* f(x + r s): the reset is taken behind the product. */
static bool find_late_own(struct cell *x, uint32_t value, struct halves *from)
{
    uint32_t in  = activated(x, value);
    uint32_t add = in == TN_NONE ? TN_NONE : maker(x, in, "Add", 2);

    for (uint32_t i = 0; add != TN_NONE && i < 2; i++) {
        uint32_t mul = maker(x, input_at(x, add, i), "Mul", 2);
        for (uint32_t k = 0; mul != TN_NONE && k < 2; k++) {
            struct halves tried = *from;
            uint32_t      r = through(x, input_at(x, mul, k), "Sigmoid"), other;
            if (is_sum(x, r, &tried, &x->order[1]) &&
                is_part(x, input_at(x, mul, 1 - k), 3, &tried.state,
                        &x->order[2]) &&
                is_part(x, input_at(x, add, 1 - i), 3, &tried.rows, &other) &&
                other == x->order[2]) {
                *from = tried;
                return true;
            }
        }
    }
    return false;
}

/* The products that the Splits are of. */
static bool find_late_sums(struct cell *x, const struct halves *from)
{
    struct sums *s = &x->gates;
    uint32_t     row;

    *s = no_sums;
    return find_product(x, input_at(x, from->rows, 0), &row, &s->kernel,
                        &s->bias) &&
           is_row(x, row) &&
           find_product(x, input_at(x, from->state, 0), &s->state,
                        &s->recurrent, &s->state_bias);
}

/* h' = u h + (1 - u) f(x + r s) */
static bool is_late_gru(struct cell *x)
{
    uint32_t add = maker(x, x->next, "Add", 2), u;
    uint32_t h   = tn_flow_loop_in(&x->loop, x->h + 2);

    x->op         = "GRU";
    x->gate_count = 3;
    x->is_late    = true;
    x->c          = TN_NONE;
    for (uint32_t i = 0; add != TN_NONE && i < 2; i++) {
        struct halves from = { TN_NONE, TN_NONE };
        uint32_t      mul  = maker(x, input_at(x, add, 1 - i), "Mul", 2);
        if (!other_of(x, input_at(x, add, i), "Mul", h, &u) || mul == TN_NONE ||
            !is_sum(x, through(x, u, "Sigmoid"), &from, &x->order[0]))
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t sub = maker(x, input_at(x, mul, k), "Sub", 2);
            if (sub != TN_NONE && input_at(x, sub, 1) == u &&
                tn_flow_is_number(x->net, input_at(x, sub, 0), 1) &&
                find_late_own(x, input_at(x, mul, 1 - k), &from))
                return find_late_sums(x, &from);
        }
    }
    return false;
}

/* ---- whether all of it fits --------------------------------------------- */

/* Weights of `gates` times the size, floats of 32 bits. */
static bool fits(struct cell *x, const struct sums *s, int64_t gates)
{
    uint32_t w    = s->both != TN_NONE ? s->both : s->recurrent;
    int64_t  rows = dim_of(x, w, 0), columns = dim_of(x, w, 1);
    bool     is_own = s->both == TN_NONE;
    int64_t  width  = is_own ? dim_of(x, s->kernel, 0) : rows - x->size;

    if (tn_net_value(x->net, w).type->dtype != TN_FLOAT32 || x->size <= 0 ||
        columns != gates * x->size || width <= 0 ||
        (is_own && (rows != x->size || dim_of(x, s->kernel, 1) != columns)) ||
        (x->width && x->width != width))
        return false;
    x->width = width;
    return s->bias == TN_NONE ||
           (dim_of(x, s->bias, 0) == columns &&
            tn_net_value(x->net, s->bias).type->rank == 1);
}

static bool measure(struct cell *x)
{
    const struct sums *s = &x->gates;
    uint32_t           w = s->both != TN_NONE ? s->both : s->recurrent;
    uint32_t           h = tn_flow_loop_in(&x->loop, x->h + 2);

    x->size  = dim_of(x, w, 1) / (int64_t)x->gate_count;
    x->width = 0;
    return s->state == h && fits(x, s, x->gate_count) &&
           (x->own.both == TN_NONE && x->own.recurrent == TN_NONE
                ? true
                : fits(x, &x->own, 1));
}

/* A Loop of so many rounds, whose results are those of the cell. */
static bool is_whole(const struct cell *x)
{
    const struct tn_net_node loop  = tn_net_node(x->net, x->loop.node);
    uint32_t                 count = loop.input_count - 2;

    if (count != (x->c == TN_NONE ? 1U : 2U) || loop.input_count < 3 ||
        loop.inputs[x->h + 2] == TN_NONE)
        return false;
    for (uint32_t i = count; i < loop.output_count; i++)
        if (loop.outputs[i] != TN_NONE &&
            tn_flow_behind(x->net, tn_flow_loop_out(&x->loop, i + 1)) !=
                x->next)
            return false;
    return true;
}

static bool is_counted(const struct cell *x)
{
    const struct tn_net_node loop = tn_net_node(x->net, x->loop.node);

    return loop.inputs[0] != TN_NONE && loop.inputs[1] == TN_NONE &&
           tn_flow_behind(x->net, tn_flow_loop_out(&x->loop, 0)) ==
               tn_flow_loop_in(&x->loop, 1);
}

static void begin(struct cell *x, uint32_t variable)
{
    x->h    = variable;
    x->next = tn_flow_behind(x->net, tn_flow_loop_out(&x->loop, variable + 1));
    x->sequence   = TN_NONE;
    x->activation = NULL;
    x->forget     = 0;
    x->is_late    = false;
    x->gates      = no_sums;
    x->own        = no_sums;
}

static bool is_cell(struct cell *x)
{
    static bool (*const kinds[])(struct cell *) = { is_lstm, is_gru,
                                                    is_late_gru, is_rnn };
    uint32_t count = tn_net_node(x->net, x->loop.node).input_count - 2;

    for (uint32_t i = 0; is_counted(x) && count <= 2 && i < count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            begin(x, i);
            if (kinds[k](x) && measure(x) && is_whole(x))
                return true;
        }
    return false;
}

/* ---- making it ---------------------------------------------------------- */

static uint32_t add_ints(struct cell *x, const int64_t *items, uint64_t count)
{
    return tn_net_add_ints(x->net, x->graph, tn_bytes(NULL, 0), TN_INT64, items,
                           1, &count);
}

static uint32_t add_int(struct cell *x, int64_t item)
{
    return add_ints(x, &item, 1);
}

static struct tn_net_attr int_list(struct cell *x, const char *name,
                                   const int64_t *items, uint32_t count,
                                   bool is_list)
{
    int64_t *kept = tn_new(x->net->arena, int64_t, count, x->net->error);

    if (kept)
        memcpy(kept, items, count * sizeof *kept);
    return (struct tn_net_attr){ .name  = tn_text(name),
                                 .value = { .kind    = TN_ATTR_INT,
                                            .count   = kept ? count : 0,
                                            .is_list = is_list,
                                            .of.ints = kept } };
}

static uint32_t add(struct cell *x, const char *op, const uint32_t *inputs,
                    uint32_t input_count, const struct tn_net_attr *attr)
{
    uint32_t output = tn_net_add_nameless(x->net, x->graph);

    if (output == TN_NONE || tn_failed(x->net->error))
        return TN_NONE;
    tn_net_value_row(x->net, output)->name =
        tn_net_keep_name(x->net, tn_net_node(x->net, x->loop.node).name);
    tn_net_value_row(x->net, output)->is_inner = true;
    struct tn_net_node node = { .op           = tn_net_own_op(x->net, op),
                                .graph        = x->graph,
                                .inputs       = inputs,
                                .input_count  = input_count,
                                .outputs      = &output,
                                .output_count = 1,
                                .attrs        = attr,
                                .attr_count   = attr != NULL,
                                .source =
                                    tn_net_node(x->net, x->loop.node).source };
    return tn_net_add_node(x->net, &node) == TN_NONE ? TN_NONE : output;
}

static uint32_t slice(struct cell *x, uint32_t value, int64_t from, int64_t to,
                      int64_t axis)
{
    uint32_t inputs[] = { value, add_int(x, from), add_int(x, to),
                          add_int(x, axis) };

    return add(x, "Slice", inputs, 4, NULL);
}

static uint32_t concat(struct cell *x, const uint32_t *values, uint32_t count)
{
    struct tn_net_attr axis = int_list(x, "axis", (int64_t[]){ 0 }, 1, false);

    return count == 1 ? values[0] : add(x, "Concat", values, count, &axis);
}

static uint32_t on_axis(struct cell *x, const char *op, uint32_t value,
                        int64_t axis)
{
    uint32_t inputs[] = { value, add_int(x, axis) };

    return add(x, op, inputs, 2, NULL);
}

static uint32_t turned(struct cell *x, uint32_t value)
{
    struct tn_net_attr perm = int_list(x, "perm", (int64_t[]){ 1, 0 }, 2, true);

    return add(x, "Transpose", &value, 1, &perm);
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

/* Rows of gates in ONNX's order. */
static uint32_t in_order(struct cell *x, uint32_t rows)
{
    uint32_t parts[GATES_MAX];

    for (uint32_t i = 0; i < x->gate_count; i++)
        parts[i] = x->gate_count == 1 ? rows
                                      : slice(x, rows, x->order[i] * x->size,
                                              (x->order[i] + 1) * x->size, 0);
    return concat(x, parts, x->gate_count);
}

/* [1, gates, width] of the row or of the state. */
static uint32_t weights(struct cell *x, bool is_state)
{
    const struct sums *all[2] = { &x->gates, &x->own };
    bool     is_gru = x->own.both != TN_NONE || x->own.recurrent != TN_NONE;
    uint32_t parts[2];

    for (uint32_t i = 0; i <= is_gru; i++) {
        const struct sums *s    = all[i];
        uint32_t           w    = s->both != TN_NONE ? s->both
                                  : is_state         ? s->recurrent
                                                     : s->kernel;
        uint32_t           rows = turned(x, taken_out(x, w));
        if (s->both != TN_NONE)
            rows = slice(x, rows, is_state ? x->width : 0,
                         is_state ? x->width + x->size : x->width, 1);
        parts[i] = i == 0 ? in_order(x, rows) : rows;
    }
    return on_axis(x, "Unsqueeze", concat(x, parts, 1U + is_gru), 0);
}

/* Zeros, but what is added before a cell forgets. */
static uint32_t constants(struct cell *x, int64_t count, double forget)
{
    double *items =
        tn_new(x->net->arena, double, (uint64_t)count, x->net->error);
    uint64_t dims = (uint64_t)count;

    for (int64_t i = 0; items && i < count; i++)
        items[i] = i / x->size == 2 ? forget : 0;
    return items ? tn_net_add_doubles(x->net, x->graph, tn_bytes(NULL, 0),
                                      TN_FLOAT32, items, 1, &dims)
                 : TN_NONE;
}

static uint32_t bias(struct cell *x)
{
    bool     is_gru = x->own.both != TN_NONE || x->own.recurrent != TN_NONE;
    int64_t  many   = (int64_t)x->gate_count + is_gru;
    uint32_t parts[3];
    uint32_t count = 0;

    if (x->gates.bias == TN_NONE && x->own.bias == TN_NONE &&
        x->gates.state_bias == TN_NONE && x->forget == 0)
        return TN_NONE;
    parts[count++] = x->gates.bias != TN_NONE
                         ? in_order(x, taken_out(x, x->gates.bias))
                         : constants(x, x->gate_count * x->size, 0);
    if (is_gru)
        parts[count++] = x->own.bias != TN_NONE ? taken_out(x, x->own.bias)
                                                : constants(x, x->size, 0);
    parts[count++] = x->gates.state_bias != TN_NONE
                         ? in_order(x, taken_out(x, x->gates.state_bias))
                         : constants(x, many * x->size, x->forget);
    return on_axis(x, "Unsqueeze", concat(x, parts, count), 0);
}

/* Whether the number of rounds is the length of the sequence: both known, or
 * one taken from the other's shape. */
static bool is_length(const struct cell *x, uint32_t rounds)
{
    static const char *const ops[] = { "Cast",      "Squeeze", "Reshape",
                                       "Unsqueeze", "Slice",   "Gather" };
    double                   number;

    if (tn_flow_constant(x->net, rounds, &number))
        return number == (double)dim_of(x, x->sequence, 0);
    for (unsigned step = 0; step < 8; step++) {
        uint32_t shape = maker(x, rounds, "Shape", 1), next = TN_NONE;
        if (shape != TN_NONE)
            return input_at(x, shape, 0) == x->sequence &&
                   int_attr(x, shape, "start", 0) == 0;
        for (size_t i = 0; next == TN_NONE && i < sizeof ops / sizeof *ops;
             i++) {
            uint32_t node = maker(x, rounds, ops[i], 1);
            bool     is_first =
                i < 4 || (node != TN_NONE &&
                          tn_flow_is_number(x->net, input_at(x, node, 1), 0));
            next =
                node == TN_NONE || !is_first ? TN_NONE : input_at(x, node, 0);
        }
        if (next == TN_NONE)
            return false;
        rounds = next;
    }
    return false;
}

static uint32_t rows(struct cell *x)
{
    uint32_t rounds =
        tn_flow_behind(x->net, tn_net_node(x->net, x->loop.node).inputs[0]);
    uint32_t zero     = add_int(x, 0);
    uint32_t inputs[] = { x->sequence, zero, TN_NONE, zero };

    if (is_length(x, rounds))
        return x->sequence;
    inputs[2] =
        add(x, "Reshape", (uint32_t[]){ rounds, add_int(x, 1) }, 2, NULL);
    return add(x, "Slice", inputs, 4, NULL);
}

static void set_attrs(struct cell *x, uint32_t node)
{
    uint32_t         count = x->op[0] == 'G' ? 2 : 1;
    struct tn_bytes *names =
        tn_new(x->net->arena, struct tn_bytes, count, x->net->error);
    struct tn_net_attr size = int_list(x, "hidden_size", &x->size, 1, false);

    struct tn_net_attr late =
        int_list(x, "linear_before_reset", (int64_t[]){ 1 }, 1, false);

    tn_net_set_attr(x->net, node, "hidden_size", &size.value);
    if (x->is_late)
        tn_net_set_attr(x->net, node, "linear_before_reset", &late.value);
    if (!x->activation || !names)
        return;
    names[0]         = tn_text("Sigmoid");
    names[count - 1] = tn_text(x->activation);
    tn_net_set_attr(x->net, node, "activations",
                    &(struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                             .count      = count,
                                             .is_list    = true,
                                             .of.strings = names });
}

/* What the Loop gave is what the layer gives, without its directions. */
static void hand_on(struct cell *x, uint32_t from, uint32_t to)
{
    if (from == TN_NONE || to == TN_NONE)
        return;
    tn_net_copy_type(x->net, to, from);
    tn_net_value_row(x->net, to)->is_inner = false;
    tn_net_swap_names(x->net, from, to);
    tn_net_replace(x->net, from, to);
}

static void replace_loop(struct cell *x, const uint32_t *made)
{
    const struct tn_net_node loop = tn_net_node(x->net, x->loop.node);

    for (uint32_t i = 0; i < loop.output_count && !tn_failed(x->net->error);
         i++) {
        if (loop.outputs[i] == TN_NONE)
            continue;
        bool     is_all = i + 2 >= loop.input_count;
        uint32_t from   = is_all ? made[0] : made[i == x->h ? 1 : 2];
        hand_on(x, loop.outputs[i], on_axis(x, "Squeeze", from, is_all));
    }
    tn_net_remove(x->net, x->loop.node);
}

static void become_layer(struct cell *x)
{
    struct tn_net           *net      = x->net;
    const struct tn_net_node loop     = tn_net_node(net, x->loop.node);
    bool                     is_lstm_ = x->c != TN_NONE;
    uint32_t                 inputs[] = {
                        rows(x),
                        weights(x, false),
                        weights(x, true),
                        bias(x),
                        TN_NONE,
                        on_axis(x, "Unsqueeze", loop.inputs[x->h + 2], 0),
        is_lstm_ ? on_axis(x, "Unsqueeze", loop.inputs[x->c + 2], 0) : TN_NONE
    };
    uint32_t first = add(x, x->op, inputs, is_lstm_ ? 7 : 6, NULL);

    if (tn_failed(net->error) || first == TN_NONE)
        return;
    uint32_t node   = tn_net_value(net, first).producer;
    uint32_t made[] = { first, tn_net_add_nameless(net, x->graph),
                        is_lstm_ ? tn_net_add_nameless(net, x->graph)
                                 : TN_NONE };
    set_attrs(x, node);
    for (uint32_t i = 1; i < 2U + is_lstm_ && !tn_failed(net->error); i++) {
        struct tn_net_value_row *row = tn_net_value_row(net, made[i]);
        row->name                    = tn_net_value_row(net, first)->name;
        row->is_inner                = true;
    }
    if (!tn_failed(net->error)) {
        tn_net_set_outputs(net, node, made, 2U + is_lstm_);
        replace_loop(x, made);
    }
}

enum tn_status tn_onnx_rnn(struct tn_net *net, uint64_t *found)
{
    uint64_t count = net->nodes.count;

    *found = 0;
    for (uint32_t i = 0; i < count && tn_net_goes_on(net); i++) {
        struct cell x = { .net = net };
        if (!tn_flow_loop(&x.loop, net, i))
            continue;
        x.graph = tn_net_node(net, i).graph;
        if (!is_cell(&x))
            continue;
        become_layer(&x);
        ++*found;
    }
    if (!*found || tn_failed(net->error))
        return net->error->status;
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, NULL);
}
