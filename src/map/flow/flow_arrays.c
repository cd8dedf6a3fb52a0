/*
 * flow_arrays.c - replaces tensor arrays of loops by inputs and scan outputs
 *
 * If an array contains the rows of a tensor, reads use the tensor directly:
 *
 *   TensorArrayReadV3(h, i, TensorArrayScatterV3(h, 0..n, x, flow))
 *   GatherV2(x, i, 0)
 *
 * and an array of n places that a Loop of n rounds fills, one place a round, is
 * a scan output of the Loop:
 *
 *   h, first <- TensorArrayV3(n)
 *   v', last <- Loop(c, v, first) {body, TensorArrayWriteV3(h, i, y, ...)}
 *   ...      <- TensorArrayGatherV3(h, 0..n, last)
 *
 *   v', all  <- Loop(c, v) {body -> v, y}
 *
 * That there are n rounds follows from the condition, which must only compare
 * the number of rounds with n; or with Minimum(n, z), and then the places that
 * no round has filled are zeros.  Arrays with other uses do not change.
 *
 * Such a Loop needs neither a condition nor a variable that counts:
 *
 *   Loop(_, 0 < n, 0, v) {c + 1 < n, c + 1, F(c, v)}
 *   Loop(n, _, v) {go, F(i, v)}
 */
#include "map/flow/flow.h"
#include "map/flow/flow_guard.h"
#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"

/* The most parts of a condition, and copies of a flow, that are examined. */
#define PARTS_MAX 8

/* The most nodes that are visited, also repeatedly, while loops change: if
 * there are very many loops, the others stay as they are. */
#define LOOKS_MAX (UINT64_C(1) << 27)

struct arrays {
    struct tn_net  *net;
    struct tn_arena arena;
    uint32_t       *owners;  /* by graph: the node that holds it, or TN_NONE  */
    uint32_t       *outputs; /* by value: how many graphs give it             */
    uint32_t       *first;   /* by value: where its users are in `users`      */
    uint32_t       *users;   /* nodes                                         */
    uint64_t        value_count;
    uint64_t        looked; /* at nodes, in all                               */

    /* of the array at hand */
    struct tn_flow_loop loop;
    uint32_t            maker, writer; /* nodes                               */
    uint32_t            variable;      /* of the Loop: its flow               */
    uint32_t fewer;         /* rounds, where the Loop may end before the array
                               is full; TN_NONE: as many as it has places  */
    struct tn_list readers; /* uint32_t: nodes, behind the Loop    */
};

static bool is_type(const struct tn_net *net, uint32_t node, const char *type)
{
    return node != TN_NONE && !tn_net_node(net, node).is_removed &&
           tn_bytes_is(tn_net_node(net, node).op->type, type);
}

static uint32_t input_at(const struct tn_net *net, uint32_t node, uint32_t i)
{
    const struct tn_net_node n = tn_net_node(net, node);

    return i < n.input_count ? n.inputs[i] : TN_NONE;
}

/* ---- who uses what ------------------------------------------------------ */

static void count_users(struct arrays *a)
{
    const struct tn_net *net = a->net;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                a->first[node.inputs[k] + 1]++;
    }
    for (uint64_t i = 0; i < a->value_count; i++)
        a->first[i + 1] += a->first[i];
}

static void own_graphs(struct arrays *a, uint32_t node,
                       const struct tn_attr_value *graphs)
{
    for (uint32_t i = 0; i < graphs->count; i++)
        if ((uint64_t)graphs->of.ints[i] < a->net->graphs.count)
            a->owners[graphs->of.ints[i]] = node;
}

static void list_users(struct arrays *a, uint32_t *at)
{
    const struct tn_net *net = a->net;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                a->users[at[node.inputs[k]]++] = i;
        for (uint32_t k = 0; !node.is_removed && k < node.attr_count; k++)
            if (node.attrs[k].value.kind == TN_ATTR_GRAPH)
                own_graphs(a, i, &node.attrs[k].value);
    }
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            a->outputs[*tn_list_at(outputs, uint32_t, k)]++;
    }
}

/* Anew whenever nodes have changed. */
static bool look_around(struct arrays *a)
{
    struct tn_net *net = a->net;

    tn_arena_rewind(&a->arena);
    a->looked += net->nodes.count + net->values.count;
    a->value_count = net->values.count;
    a->owners      = tn_new(&a->arena, uint32_t, net->graphs.count, net->error);
    a->outputs     = tn_new(&a->arena, uint32_t, a->value_count, net->error);
    a->first     = tn_new(&a->arena, uint32_t, a->value_count + 1, net->error);
    uint32_t *at = tn_new(&a->arena, uint32_t, a->value_count + 1, net->error);
    if (!a->owners || !a->outputs || !a->first || !at)
        return false;
    for (uint32_t i = 0; i < net->graphs.count; i++)
        a->owners[i] = TN_NONE;
    count_users(a);
    a->users =
        tn_new(&a->arena, uint32_t, a->first[a->value_count], net->error);
    memcpy(at, a->first, (size_t)(a->value_count + 1) * sizeof *at);
    if (a->users)
        list_users(a, at);
    return a->users != NULL;
}

/* ---- where values come from --------------------------------------------- */

/* The initial value of a variable that a Loop passes on unchanged; TN_NONE if
 * it changes. */
static uint32_t before_loop(const struct arrays *a, uint32_t value)
{
    struct tn_net      *net   = a->net;
    uint32_t            graph = tn_net_value(net, value).graph;
    uint32_t            owner = a->owners[graph];
    struct tn_flow_loop loop;

    if (owner == TN_NONE || !tn_flow_loop(&loop, net, owner))
        return TN_NONE;
    for (uint32_t i = 2; i < tn_net_node(net, owner).input_count; i++)
        if (tn_flow_loop_in(&loop, i) == value)
            return tn_flow_behind(net, tn_flow_loop_out(&loop, i - 1)) == value
                       ? input_at(net, owner, i)
                       : TN_NONE;
    return TN_NONE;
}

/* The value that this one is a copy of, inside loops and around them. */
static uint32_t origin(const struct arrays *a, uint32_t value)
{
    for (uint64_t step = 0; value != TN_NONE && step <= a->net->graphs.count;
         step++) {
        value = tn_flow_behind(a->net, value);
        if (value == TN_NONE || value >= a->value_count ||
            tn_net_value(a->net, value).producer != TN_NONE ||
            tn_net_value(a->net, value).constant)
            break;
        uint32_t outside = before_loop(a, value);
        if (outside == TN_NONE)
            break;
        value = outside;
    }
    return value;
}

/* Whether it is 0, 1, 2 ...: from a Range, or a list of constants. */
static bool is_counted(const struct arrays *a, uint32_t indices)
{
    uint32_t range = tn_flow_maker(a->net, origin(a, indices), "Range", 3);

    return range != TN_NONE &&
           tn_flow_is_number(a->net, origin(a, input_at(a->net, range, 0)),
                             0) &&
           tn_flow_is_number(a->net, origin(a, input_at(a->net, range, 2)), 1);
}

/* ---- rows of a tensor --------------------------------------------------- */

static void set_type(struct tn_net *net, uint32_t node, const char *name,
                     enum tn_dtype dtype)
{
    tn_net_set_int(net, node, name, TN_ATTR_DTYPE, dtype);
}

/* The node becomes GatherV2(from, index, 0). */
static void become_gather(struct tn_net *net, uint32_t node, uint32_t from,
                          uint32_t index)
{
    const struct tn_attr_value *held = tn_net_attr_of(net, node, "dtype");
    enum tn_dtype               dtype =
        held && held->count ? (enum tn_dtype)held->of.ints[0] : TN_FLOAT32;
    enum tn_dtype places   = tn_net_value(net, index).type->dtype;
    uint32_t      axis     = tn_net_add_ints(net, tn_net_node(net, node).graph,
                                             tn_net_node(net, node).name, TN_INT32,
                                             (int64_t[]){ 0 }, 0, NULL);
    uint32_t      inputs[] = { from, index, axis };

    if (axis == TN_NONE)
        return;
    tn_net_set_op(net, node, tn_net_own_op(net, "GatherV2"));
    tn_net_set_attrs(net, node, NULL, 0);
    set_type(net, node, "Tparams", dtype);
    set_type(net, node, "Tindices", places == TN_INT64 ? TN_INT64 : TN_INT32);
    set_type(net, node, "Taxis", TN_INT32);
    tn_net_set_inputs(net, node, inputs, 3);
}

static void take_rows(struct arrays *a, uint32_t node)
{
    struct tn_net *net     = a->net;
    bool           is_read = is_type(net, node, "TensorArrayReadV3") ||
                   is_type(net, node, "TensorArrayGatherV3");

    if (!is_read || tn_net_node(net, node).input_count != 3)
        return;
    uint32_t scatter = tn_flow_maker(net, origin(a, input_at(net, node, 2)),
                                     "TensorArrayScatterV3", 4);
    if (scatter != TN_NONE && input_at(net, scatter, 2) != TN_NONE &&
        input_at(net, node, 1) != TN_NONE &&
        is_counted(a, input_at(net, scatter, 1)))
        become_gather(net, node, input_at(net, scatter, 2),
                      input_at(net, node, 1));
}

/* ---- how many rounds ---------------------------------------------------- */

static bool is_same_number(const struct arrays *a, uint32_t x, uint32_t y)
{
    double p, q;

    return tn_flow_constant(a->net, x, &p) && tn_flow_constant(a->net, y, &q) &&
           p == q;
}

/* Whether one of a node's two inputs is the number, and the other is, or is the
 * larger one of it and something: Minimum(n, Maximum(1, n)). */
static bool is_bound(const struct arrays *a, uint32_t value, uint32_t n,
                     unsigned depth)
{
    value = origin(a, value);
    n     = origin(a, n);
    if (value == TN_NONE || n == TN_NONE || depth > PARTS_MAX)
        return false;
    if (value == n || is_same_number(a, value, n))
        return true;
    uint32_t least = tn_flow_maker(a->net, value, "Minimum", 2);
    if (least == TN_NONE)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t other = input_at(a->net, least, 1 - i);
        if (!is_bound(a, input_at(a->net, least, i), n, depth + 1))
            continue;
        uint32_t most = tn_flow_maker(a->net, origin(a, other), "Maximum", 2);
        if (is_bound(a, other, n, depth + 1) ||
            (most != TN_NONE &&
             (is_bound(a, input_at(a->net, most, 0), n, depth + 1) ||
              is_bound(a, input_at(a->net, most, 1), n, depth + 1))))
            return true;
    }
    return false;
}

/* Minimum(n, z) of a graph that the Loop is in: no more rounds than places. */
static bool is_fewer(struct arrays *a, uint32_t value, uint32_t n)
{
    value          = origin(a, value);
    uint32_t least = tn_flow_maker(a->net, value, "Minimum", 2);

    if (least == TN_NONE || (a->fewer != TN_NONE && a->fewer != value) ||
        tn_net_value(a->net, value).graph !=
            tn_net_node(a->net, a->loop.node).graph ||
        (!is_bound(a, input_at(a->net, least, 0), n, 0) &&
         !is_bound(a, input_at(a->net, least, 1), n, 0)))
        return false;
    a->fewer = value;
    return true;
}

/* The next number of the round, or, before the Loop, 0. */
static bool is_next(const struct arrays *a, uint32_t value, bool is_inside)
{
    const struct tn_net_node loop = tn_net_node(a->net, a->loop.node);

    value = tn_flow_behind(a->net, value);
    if (!is_inside)
        return tn_flow_is_number(a->net, origin(a, value), 0);
    for (uint32_t i = 0; value != TN_NONE && i + 2 < loop.input_count; i++)
        if (tn_flow_behind(a->net, tn_flow_loop_out(&a->loop, i + 1)) ==
                value &&
            tn_flow_counts_rounds(&a->loop, i))
            return true;
    return false;
}

static bool is_whole(const struct tn_net *net, uint32_t less)
{
    const struct tn_attr_value *type = tn_net_attr_of(net, less, "T");

    return !type || !type->count ||
           (type->of.ints[0] == TN_INT32 || type->of.ints[0] == TN_INT64);
}

static bool is_until(struct arrays *a, uint32_t condition, uint32_t n,
                     bool is_inside, unsigned depth)
{
    condition =
        condition == TN_NONE ? TN_NONE : tn_flow_condition(a->net, condition);
    if (depth > PARTS_MAX)
        return false;
    uint32_t both = tn_flow_maker(a->net, condition, "LogicalAnd", 2);
    if (both != TN_NONE)
        return is_until(a, input_at(a->net, both, 0), n, is_inside,
                        depth + 1) &&
               is_until(a, input_at(a->net, both, 1), n, is_inside, depth + 1);
    uint32_t less = tn_flow_maker(a->net, condition, "Less", 2);
    return less != TN_NONE && is_whole(a->net, less) &&
           is_next(a, input_at(a->net, less, 0), is_inside) &&
           (is_bound(a, input_at(a->net, less, 1), n, 0) ||
            is_fewer(a, input_at(a->net, less, 1), n));
}

/* Whether the condition of the first round is the same as that of the next
 * ones. */
static bool has_rounds(struct arrays *a, uint32_t n)
{
    a->fewer = TN_NONE;
    if (input_at(a->net, a->loop.node, 0) != TN_NONE ||
        !is_until(a, input_at(a->net, a->loop.node, 1), n, false, 0))
        return false;
    uint32_t before = a->fewer;
    a->fewer        = TN_NONE;
    return is_until(a, tn_flow_loop_out(&a->loop, 0), n, true, 0) &&
           a->fewer == before;
}

/* ---- an array that a Loop fills ----------------------------------------- */

/* The only user of a value, behind copies that have no other user; TN_NONE. */
static uint32_t only_user(const struct arrays *a, uint32_t value)
{
    for (uint32_t step = 0; step < PARTS_MAX && value < a->value_count;
         step++) {
        if (a->outputs[value] || a->first[value + 1] - a->first[value] != 1)
            return TN_NONE;
        uint32_t user = a->users[a->first[value]];
        if (tn_flow_kind(tn_net_node(a->net, user).op) != TN_FLOW_IDENTITY)
            return user;
        value = tn_net_node(a->net, user).outputs[0];
    }
    return TN_NONE;
}

/* Whether the body passes the flow from its input through one write to its
 * output. */
static bool is_written_once(struct arrays *a)
{
    struct tn_net *net    = a->net;
    uint32_t       in     = tn_flow_loop_in(&a->loop, a->variable + 2);
    uint32_t       out    = tn_flow_loop_out(&a->loop, a->variable + 1);
    uint32_t       handle = tn_net_node(net, a->maker).outputs[0];

    a->writer = only_user(a, in);
    if (!is_type(net, a->writer, "TensorArrayWriteV3") ||
        tn_net_node(net, a->writer).input_count != 4 ||
        tn_net_node(net, a->writer).graph != a->loop.body ||
        tn_flow_behind(net, input_at(net, a->writer, 3)) != in ||
        origin(a, input_at(net, a->writer, 0)) != handle ||
        input_at(net, a->writer, 2) == TN_NONE)
        return false;
    uint32_t made = tn_net_node(net, a->writer).outputs[0];
    for (uint32_t step = 0; made != out && step < PARTS_MAX; step++) {
        if (a->outputs[made] || a->first[made + 1] - a->first[made] != 1)
            return false;
        uint32_t copy = a->users[a->first[made]];
        if (tn_flow_kind(tn_net_node(net, copy).op) != TN_FLOW_IDENTITY)
            return false;
        made = tn_net_node(net, copy).outputs[0];
    }
    return made == out && a->outputs[out] == 1 &&
           a->first[out + 1] == a->first[out];
}

static bool is_reader(const struct arrays *a, uint32_t node, uint32_t flow)
{
    const struct tn_net_node n      = tn_net_node(a->net, node);
    uint32_t                 handle = tn_net_node(a->net, a->maker).outputs[0];
    uint32_t place = tn_bytes_is(n.op->type, "TensorArraySizeV3") ? 1 : 2;

    return (place == 1 || tn_bytes_is(n.op->type, "TensorArrayReadV3") ||
            tn_bytes_is(n.op->type, "TensorArrayGatherV3")) &&
           n.input_count == place + 1 && n.inputs[place] == flow &&
           n.output_count == 1 && n.outputs[0] != TN_NONE &&
           n.inputs[0] != TN_NONE && n.inputs[1] != TN_NONE &&
           origin(a, n.inputs[0]) == handle;
}

/* Finds all users of the array after the Loop; false if there are other
 * users. */
static bool find_readers(struct arrays *a, uint32_t flow, unsigned depth)
{
    if (flow == TN_NONE)
        return true;
    if (flow >= a->value_count || a->outputs[flow] || depth > PARTS_MAX)
        return false;
    for (uint32_t i = a->first[flow]; i < a->first[flow + 1]; i++) {
        uint32_t user = a->users[i];
        if (tn_flow_kind(tn_net_node(a->net, user).op) == TN_FLOW_IDENTITY) {
            if (!find_readers(a, tn_net_node(a->net, user).outputs[0],
                              depth + 1))
                return false;
            continue;
        }
        uint32_t *slot =
            is_reader(a, user, flow)
                ? tn_list_push(&a->readers, uint32_t, a->net->error)
                : NULL;
        if (!slot)
            return false;
        *slot = user;
    }
    return true;
}

/* Whether only the writer, the readers and copies use the array. */
static bool is_own_array(const struct arrays *a)
{
    const struct tn_net_node maker = tn_net_node(a->net, a->maker);
    uint32_t                 h     = maker.outputs[0];

    return maker.output_count == 2 && maker.input_count == 1 &&
           maker.inputs[0] != TN_NONE && h != TN_NONE && !a->outputs[h] &&
           a->first[h + 1] - a->first[h] == a->readers.count + 1 &&
           only_user(a, maker.outputs[1]) == a->loop.node &&
           tn_flow_runs_with(a->net, maker.graph,
                             tn_net_node(a->net, a->loop.node).graph);
}

static bool find_array(struct arrays *a, uint32_t variable)
{
    const struct tn_net_node loop = tn_net_node(a->net, a->loop.node);
    uint32_t first = tn_flow_behind(a->net, loop.inputs[variable + 2]);

    a->variable      = variable;
    a->readers.count = 0;
    a->maker         = tn_flow_maker(a->net, first, "TensorArrayV3", 1);
    return a->maker != TN_NONE && first < a->value_count &&
           tn_net_node(a->net, a->maker).output_count == 2 &&
           tn_net_node(a->net, a->maker).outputs[1] == first &&
           find_readers(a, loop.outputs[variable], 0) && is_own_array(a) &&
           is_written_once(a);
}

/* Whether each round fills one place, until all are full. */
static bool is_filled(struct arrays *a)
{
    return tn_flow_is_round(&a->loop, input_at(a->net, a->writer, 1)) &&
           has_rounds(a, tn_net_node(a->net, a->maker).inputs[0]);
}

/* An array of one place that keeps the result of the last round: the variable
 * of the Loop that has the same value, or TN_NONE.  Without a round, the array
 * would hold zeros, and the variable has its initial value. */
static uint32_t kept_in(const struct arrays *a)
{
    const struct tn_net *net   = a->net;
    uint32_t             count = tn_net_node(net, a->loop.node).input_count;
    uint32_t each = tn_flow_behind(net, input_at(net, a->writer, 2));

    if (!tn_flow_is_number(net, origin(a, input_at(net, a->writer, 1)), 0) ||
        !tn_flow_is_number(net, origin(a, input_at(net, a->maker, 0)), 1))
        return TN_NONE;
    for (uint32_t i = 0; i + 2 < count; i++)
        if (i != a->variable &&
            tn_flow_behind(net, tn_flow_loop_out(&a->loop, i + 1)) == each)
            return i;
    return TN_NONE;
}

/* ---- making it a scan output -------------------------------------------- */

/* A graph may list each value as an output only once, and only values of its
 * own. */
static uint32_t own_value(struct arrays *a)
{
    struct tn_net            *net   = a->net;
    uint32_t                  value = input_at(net, a->writer, 2);
    const struct tn_net_value v     = tn_net_value(net, value);

    if (v.graph == a->loop.body && v.producer != TN_NONE && !a->outputs[value])
        return value;
    uint32_t copy = tn_net_add_value(net, a->loop.body, v.name);
    if (copy == TN_NONE)
        return TN_NONE;
    tn_net_copy_type(net, copy, value);
    struct tn_net_node node = { .name         = tn_net_value(net, copy).name,
                                .op           = tn_net_own_op(net, "Identity"),
                                .graph        = a->loop.body,
                                .inputs       = &value,
                                .input_count  = 1,
                                .outputs      = &copy,
                                .output_count = 1,
                                .source       = TN_NONE };
    return tn_net_add_node(net, &node) == TN_NONE ? TN_NONE : copy;
}

/* Whether a gatherer takes all elements, in order. */
static bool takes_all(const struct arrays *a, uint32_t node, uint32_t n)
{
    struct tn_net *net     = a->net;
    uint32_t       indices = input_at(net, node, 1);

    if (!is_type(net, node, "TensorArrayGatherV3") || !is_counted(a, indices))
        return false;
    uint32_t range = tn_flow_maker(net, origin(a, indices), "Range", 3);
    uint32_t end   = origin(a, input_at(net, range, 1));
    uint32_t size  = tn_flow_maker(net, end, "TensorArraySizeV3", 1);
    if (size != TN_NONE)
        return origin(a, input_at(net, size, 0)) ==
               tn_net_node(net, a->maker).outputs[0];
    return is_bound(a, end, n, 0);
}

static void read_stacked(struct arrays *a, uint32_t node, uint32_t stacked,
                         bool is_whole)
{
    struct tn_net *net = a->net;
    uint32_t       n   = tn_net_node(net, a->maker).inputs[0];
    uint32_t       out = tn_net_node(net, node).outputs[0];

    if (is_whole) {
        tn_net_swap_names(net, out, stacked);
        tn_net_replace(net, out, stacked);
        tn_net_remove(net, node);
    } else if (is_type(net, node, "TensorArraySizeV3")) {
        tn_net_replace(net, out, n);
        tn_net_remove(net, node);
    } else {
        become_gather(net, node, stacked, input_at(net, node, 1));
    }
}

static uint32_t add_list(struct tn_net *net, uint32_t graph, int64_t number)
{
    static const uint64_t one = 1;

    return tn_net_add_ints(net, graph, tn_text("at"), TN_INT32, &number, 1,
                           &one);
}

static void set_int(struct tn_net *net, uint32_t value, const char *name,
                    int64_t number)
{
    if (value != TN_NONE)
        tn_net_set_int(net, tn_net_value(net, value).producer, name,
                       TN_ATTR_INT, number);
}

/* shape[from:], or shape[:from] */
static uint32_t part_of(struct tn_net *net, uint32_t graph, uint32_t shape,
                        int64_t from, bool is_front)
{
    uint32_t at       = add_list(net, graph, is_front ? 0 : from);
    uint32_t inputs[] = { shape, at, add_list(net, graph, is_front ? from : 0),
                          add_list(net, graph, 1) };
    uint32_t part =
        tn_net_add_call(net, graph, "StridedSlice", inputs, 4, tn_text("rest"));

    set_int(net, part, is_front ? "begin_mask" : "end_mask", 1);
    return part;
}

static uint32_t joined(struct tn_net *net, uint32_t graph, uint32_t a,
                       uint32_t b, enum tn_dtype dtype)
{
    static const int64_t zero     = 0;
    uint32_t             inputs[] = { a, b,
                                      tn_net_add_ints(net, graph, tn_text("axis"), TN_INT32,
                                                      &zero, 0, NULL) };
    uint32_t             made =
        tn_net_add_call(net, graph, "ConcatV2", inputs, 3, tn_text("rest"));

    if (made == TN_NONE)
        return TN_NONE;
    set_int(net, made, "N", 2);
    set_type(net, tn_net_value(net, made).producer, "T", dtype);
    set_type(net, tn_net_value(net, made).producer, "Tidx", TN_INT32);
    return made;
}

/* Adds zeros for places that no round has filled. */
static uint32_t fill_up(struct arrays *a, uint32_t stacked)
{
    struct tn_net              *net   = a->net;
    const struct tn_attr_value *attr  = tn_net_attr_of(net, a->maker, "dtype");
    uint32_t                    graph = tn_net_node(net, a->loop.node).graph;
    uint32_t                    n     = tn_net_node(net, a->maker).inputs[0];
    static const double         zero  = 0;

    if (a->fewer == TN_NONE)
        return stacked;
    enum tn_dtype dtype = attr && attr->kind == TN_ATTR_DTYPE && attr->count
                              ? (enum tn_dtype)attr->of.ints[0]
                              : TN_FLOAT32;
    uint32_t      shape =
        tn_net_add_call(net, graph, "Shape", &stacked, 1, tn_text("rest"));
    uint32_t both[] = { n, part_of(net, graph, shape, 1, true) };
    uint32_t rest =
        tn_net_add_call(net, graph, "Sub", both, 2, tn_text("rest"));
    uint32_t dims[] = { joined(net, graph, rest,
                               part_of(net, graph, shape, 1, false), TN_INT32),
                        tn_net_add_doubles(net, graph, tn_text("zero"), dtype,
                                           &zero, 0, NULL) };
    uint32_t zeros =
        tn_net_add_call(net, graph, "Fill", dims, 2, tn_text("rest"));
    if (tn_failed(net->error))
        return TN_NONE;
    set_type(net, tn_net_value(net, shape).producer, "out_type", TN_INT32);
    set_type(net, tn_net_value(net, rest).producer, "T", TN_INT32);
    return joined(net, graph, stacked, zeros, dtype);
}

static void stack(struct arrays *a)
{
    struct tn_net *net  = a->net;
    uint32_t       each = own_value(a);
    uint32_t       stacked =
        tn_net_add_value(net, tn_net_node(net, a->loop.node).graph,
                         tn_net_node(net, a->loop.node).name);

    if (each == TN_NONE || stacked == TN_NONE)
        return;
    uint32_t n     = tn_net_node(net, a->maker).inputs[0];
    bool    *whole = tn_new(&a->arena, bool, a->readers.count + 1, net->error);
    for (uint32_t i = 0; whole && i < a->readers.count; i++)
        whole[i] = takes_all(a, *tn_list_at(&a->readers, uint32_t, i), n);
    tn_net_set_dtype(net, stacked, tn_net_value(net, each).type->dtype);
    tn_flow_loop_stack(&a->loop, a->variable, each, stacked);
    stacked = fill_up(a, stacked);
    if (stacked == TN_NONE)
        return;
    for (uint32_t i = 0; whole && i < a->readers.count; i++)
        read_stacked(a, *tn_list_at(&a->readers, uint32_t, i), stacked,
                     whole[i]);
    tn_net_remove(net, a->writer);
    tn_net_remove(net, a->maker);
}

/* Replaces the array by the value of the last round. */
static void keep_last(struct arrays *a, uint32_t variable)
{
    struct tn_net           *net  = a->net;
    const struct tn_net_node loop = tn_net_node(net, a->loop.node);
    uint32_t                *outputs =
        tn_new(net->arena, uint32_t, loop.output_count, net->error);

    if (!outputs)
        return;
    memcpy(outputs, loop.outputs, loop.output_count * sizeof *outputs);
    if (outputs[variable] == TN_NONE)
        outputs[variable] = tn_net_add_value(net, loop.graph, loop.name);
    tn_net_set_outputs(net, a->loop.node, outputs, loop.output_count);
    uint32_t last = outputs[variable];
    uint32_t axis = tn_net_add_ints(net, loop.graph, loop.name, TN_INT32,
                                    (int64_t[]){ 0 }, 0, NULL);
    for (uint32_t i = 0; i < a->readers.count && !tn_failed(net->error); i++) {
        uint32_t node    = *tn_list_at(&a->readers, uint32_t, i);
        bool     is_one  = is_type(net, node, "TensorArrayReadV3");
        bool     is_size = is_type(net, node, "TensorArraySizeV3");
        uint32_t other   = is_one    ? last
                           : is_size ? tn_net_node(net, a->maker).inputs[0]
                                     : TN_NONE;
        if (other != TN_NONE) {
            tn_net_replace(net, tn_net_node(net, node).outputs[0], other);
            tn_net_remove(net, node);
            continue;
        }
        const struct tn_attr_value *held = tn_net_attr_of(net, node, "dtype");
        enum tn_dtype               dtype =
            held && held->count ? (enum tn_dtype)held->of.ints[0] : TN_FLOAT32;
        tn_net_set_op(net, node, tn_net_own_op(net, "ExpandDims"));
        tn_net_set_attrs(net, node, NULL, 0);
        set_type(net, node, "T", dtype);
        set_type(net, node, "Tdim", TN_INT32);
        tn_net_set_inputs(net, node, (uint32_t[]){ last, axis }, 2);
    }
    tn_flow_loop_drop(&a->loop, a->variable);
    tn_net_remove(net, a->writer);
    tn_net_remove(net, a->maker);
}

/* One array of the Loop; there may be more. */
static bool stack_one(struct arrays *a, uint32_t node)
{
    if (!tn_flow_loop(&a->loop, a->net, node))
        return false;
    for (uint32_t i = 0; i + 2 < tn_net_node(a->net, node).input_count; i++) {
        if (tn_net_node(a->net, node).inputs[i + 2] == TN_NONE ||
            !find_array(a, i))
            continue;
        uint32_t kept = kept_in(a);
        if (kept != TN_NONE)
            keep_last(a, kept);
        else if (is_filled(a))
            stack(a);
        else
            continue;
        return !tn_failed(a->net->error) && look_around(a);
    }
    return false;
}

/* ---- rounds that are counted -------------------------------------------- */

/* A bound of the condition that all of it is compared with; TN_NONE. */
static uint32_t find_rounds(struct arrays *a, uint32_t condition,
                            unsigned depth)
{
    condition =
        condition == TN_NONE ? TN_NONE : tn_flow_condition(a->net, condition);
    uint32_t both = tn_flow_maker(a->net, condition, "LogicalAnd", 2);
    uint32_t less = tn_flow_maker(a->net, condition, "Less", 2);

    if (less != TN_NONE && is_whole(a->net, less)) {
        uint32_t n = origin(a, input_at(a->net, less, 1));
        if (n == TN_NONE || !has_rounds(a, n))
            return TN_NONE;
        return a->fewer == TN_NONE ? n : a->fewer;
    }
    if (both == TN_NONE || depth > PARTS_MAX)
        return TN_NONE;
    uint32_t n = find_rounds(a, input_at(a->net, both, 0), depth + 1);
    return n != TN_NONE ? n
                        : find_rounds(a, input_at(a->net, both, 1), depth + 1);
}

/* The type that rounds are counted in. */
static enum tn_dtype rounds_type(const struct arrays *a, uint32_t condition)
{
    for (unsigned depth = 0; depth <= PARTS_MAX; depth++) {
        condition     = tn_flow_condition(a->net, condition);
        uint32_t both = tn_flow_maker(a->net, condition, "LogicalAnd", 2);
        uint32_t less = tn_flow_maker(a->net, condition, "Less", 2);
        const struct tn_attr_value *type =
            less == TN_NONE ? NULL : tn_net_attr_of(a->net, less, "T");
        if (type && type->kind == TN_ATTR_DTYPE && type->count)
            return (enum tn_dtype)type->of.ints[0];
        if (both == TN_NONE)
            break;
        condition = input_at(a->net, both, 0);
    }
    return TN_INT32;
}

static uint32_t add_one(struct tn_net *net, uint32_t graph, const char *type,
                        uint32_t input, struct tn_bytes wish)
{
    return tn_net_add_call(net, graph, type, &input, 1, wish);
}

static uint32_t add_cast(struct tn_net *net, uint32_t graph, uint32_t value,
                         enum tn_dtype from, enum tn_dtype to)
{
    uint32_t cast =
        add_one(net, graph, "Cast", value, tn_net_value(net, value).name);

    if (cast == TN_NONE)
        return TN_NONE;
    uint32_t node = tn_net_value(net, cast).producer;
    set_type(net, node, "SrcT", from);
    set_type(net, node, "DstT", to);
    tn_net_set_scalar(net, cast, to);
    return cast;
}

/* The number of rounds as a Loop takes it. */
static uint32_t long_number(struct arrays *a, uint32_t n, enum tn_dtype dtype)
{
    struct tn_net *net   = a->net;
    uint32_t       graph = tn_net_node(net, a->loop.node).graph;
    double         number;

    if (tn_flow_constant(net, n, &number))
        return tn_net_add_ints(net, graph, tn_net_value(net, n).name, TN_INT64,
                               (int64_t[]){ (int64_t)number }, 0, NULL);
    return dtype == TN_INT64 ? n : add_cast(net, graph, n, dtype, TN_INT64);
}

/* How users of a variable that counts get the number of the round. */
struct recount {
    uint32_t      next;  /* the node that counts on: it goes                  */
    uint32_t      round; /* the number, of 64 bits                            */
    uint32_t      cast;  /* the same in the variable's type; TN_NONE: not yet */
    enum tn_dtype dtype; /* of the variable                                   */
};

static void use_round_in(struct arrays *a, struct recount *to, uint32_t user,
                         uint32_t count)
{
    struct tn_net           *net      = a->net;
    bool                     is_place = is_type(net, user, "GatherV2");
    const struct tn_net_node node     = tn_net_node(net, user);
    uint32_t                *inputs =
        tn_new(net->arena, uint32_t, node.input_count, net->error);

    if (!is_place && to->cast == TN_NONE)
        to->cast =
            to->dtype == TN_INT64
                ? to->round
                : add_cast(net, a->loop.body, to->round, TN_INT64, to->dtype);
    uint32_t number = is_place ? to->round : to->cast;
    if (!inputs || number == TN_NONE)
        return;
    for (uint32_t k = 0; k < node.input_count; k++)
        inputs[k] = node.inputs[k] == count ? number : node.inputs[k];
    tn_net_set_inputs(net, user, inputs, node.input_count);
    if (is_place)
        set_type(net, user, "Tindices", TN_INT64);
}

/* Replaces uses of the value and of its copies. */
static void use_round(struct arrays *a, struct recount *to, uint32_t count,
                      unsigned depth)
{
    struct tn_net *net = a->net;

    if (count >= a->value_count)
        return;
    for (uint32_t i = a->first[count]; i < a->first[count + 1]; i++) {
        uint32_t                 user = a->users[i];
        const struct tn_net_node node = tn_net_node(net, user);
        if (user == to->next || node.is_removed)
            continue;
        if (depth < PARTS_MAX && tn_flow_kind(node.op) == TN_FLOW_IDENTITY &&
            !a->outputs[node.outputs[0]])
            use_round(a, to, node.outputs[0], depth + 1);
        else
            use_round_in(a, to, user, count);
    }
}

/* Whether only the Loop itself uses the variable that counts. */
static bool is_counter(const struct arrays *a, uint32_t variable)
{
    const struct tn_net_node loop = tn_net_node(a->net, a->loop.node);
    uint32_t                 last = loop.outputs[variable];
    uint32_t                 in   = tn_flow_loop_in(&a->loop, variable + 2);

    return tn_flow_counts_rounds(&a->loop, variable) && in < a->value_count &&
           !a->outputs[in] &&
           (last == TN_NONE || (last < a->value_count && !a->outputs[last] &&
                                a->first[last] == a->first[last + 1]));
}

static void drop_counters(struct arrays *a, enum tn_dtype dtype)
{
    uint32_t i = 0;

    while (i + 2 < tn_net_node(a->net, a->loop.node).input_count &&
           !tn_failed(a->net->error)) {
        if (!is_counter(a, i)) {
            i++;
            continue;
        }
        uint32_t next =
            tn_flow_behind(a->net, tn_flow_loop_out(&a->loop, i + 1));
        struct recount to = { .next  = tn_net_value(a->net, next).producer,
                              .round = tn_flow_loop_in(&a->loop, 0),
                              .cast  = TN_NONE,
                              .dtype = dtype };
        tn_net_set_scalar(a->net, to.round, TN_INT64);
        use_round(a, &to, tn_flow_loop_in(&a->loop, i + 2), 0);
        tn_flow_loop_drop(&a->loop, i);
    }
}

static bool count_rounds(struct arrays *a, uint32_t node)
{
    struct tn_net *net = a->net;

    if (!tn_flow_loop(&a->loop, net, node) || input_at(net, node, 0) != TN_NONE)
        return false;
    uint32_t n = find_rounds(a, tn_flow_loop_out(&a->loop, 0), 0);
    if (n == TN_NONE)
        return false;
    enum tn_dtype dtype = rounds_type(a, tn_flow_loop_out(&a->loop, 0));
    uint32_t      many  = long_number(a, n, dtype);
    uint32_t      go =
        add_one(net, a->loop.body, "Identity", tn_flow_loop_in(&a->loop, 1),
                tn_net_value(net, tn_flow_loop_in(&a->loop, 1)).name);
    if (many == TN_NONE || go == TN_NONE)
        return false;
    const struct tn_net_node loop = tn_net_node(net, node);
    uint32_t                *inputs =
        tn_new(net->arena, uint32_t, loop.input_count, net->error);
    if (!inputs)
        return false;
    memcpy(inputs, loop.inputs, loop.input_count * sizeof *inputs);
    inputs[0] = many;
    inputs[1] = TN_NONE;
    tn_net_set_inputs(net, node, inputs, loop.input_count);
    tn_net_set_scalar(net, go, TN_BOOL);
    *tn_list_at(&tn_net_graph(net, a->loop.body)->outputs, uint32_t, 0) = go;
    drop_counters(a, dtype);
    return !tn_failed(net->error) && look_around(a);
}

/* ---- all of it ---------------------------------------------------------- */

static bool has_loops(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (is_type(net, i, "Loop") || is_type(net, i, "TensorArrayV3"))
            return true;
    return false;
}

enum tn_status tn_flow_arrays(struct tn_net *net)
{
    struct arrays a     = { .net = net };
    uint64_t      count = net->nodes.count;

    if (!has_loops(net))
        return TN_OK;
    tn_arena_init(&a.arena, net->arena->memory);
    tn_list_init(&a.readers, net->arena->memory, sizeof(uint32_t));
    if (look_around(&a))
        for (uint32_t i = 0; i < count && !tn_failed(net->error); i++)
            take_rows(&a, i);
    if (!tn_failed(net->error)) {
        tn_net_prune(net);
        look_around(&a);
    }
    for (uint32_t i = 0; i < count && a.looked < LOOKS_MAX; i++) {
        while (a.looked < LOOKS_MAX && stack_one(&a, i)) {
        }
        if (!tn_net_goes_on(net))
            break;
        count_rounds(&a, i);
    }
    tn_list_done(&a.readers);
    tn_arena_done(&a.arena);
    if (tn_failed(net->error))
        return net->error->status;
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, NULL);
}
