/*
 * rows.c - products of values that were reshaped to matrices
 *
 * Values that are computed from each other row by row form a group.  It begins
 * with Reshapes to matrices and ends with Reshapes that restore the axes.  A
 * group with any other user does not change.
 */
#include "map/simplify/rows.h"

#include "map/net/net_build.h"
#include "map/simplify/node_ops.h"

struct group {
    uint32_t        parent; /* group that it became part of, or itself        */
    struct tn_sizes lead;   /* axes that were made one                        */
    uint32_t        saved;  /* Reshapes that will go                          */
    uint32_t        biases; /* Adds that there will be                        */
    bool            has_norm, has_product, is_left;
};

struct lifting {
    struct tn_sizing *s;
    const bool       *is_output;
    uint32_t         *groups; /* by value: its group + 1, or 0                */
    struct tn_list    rows;   /* struct group                                 */
    uint64_t          count;
};

static struct group *group_at(struct lifting *l, uint32_t index)
{
    struct group *g = tn_list_at(&l->rows, struct group, index);

    while (g->parent != index) {
        index = g->parent;
        g     = tn_list_at(&l->rows, struct group, index);
    }
    return g;
}

/* NULL: a value that is no member. */
static struct group *group_of(struct lifting *l, uint32_t value)
{
    if (value >= l->s->count || !l->groups[value])
        return NULL;
    return group_at(l, l->groups[value] - 1);
}

static struct group *group_of_input(struct lifting           *l,
                                    const struct tn_net_node *node, uint32_t k)
{
    return k < node->input_count ? group_of(l, node->inputs[k]) : NULL;
}

/* ---- finding ------------------------------------------------------------ */

/* The number of axes before those whose product is `width`; 0: unknown. */
static uint32_t count_lead(const struct tn_sizes *dims, int64_t width)
{
    int64_t  product = 1, number;
    uint32_t i       = dims->count;

    while (i > 0 && tn_size_number(dims, i - 1, &number) && number > 0) {
        product *= number;
        i--;
        if (product >= width)
            break;
    }
    return product == width && i >= 2 ? i : 0;
}

/* The axes that a Reshape joins; none if it does not. */
static struct tn_sizes lead_of(const struct lifting     *l,
                               const struct tn_net_node *node)
{
    const struct tn_sizes *from = &tn_sizes_of(l->s, node, 0)->dims;
    const struct tn_sizes *to   = &l->s->values[node->outputs[0]].dims;
    struct tn_sizes        lead = *from;
    int64_t                width;

    lead.count = 0;
    if (!from->is_known || !to->is_known || from->count < 3 || to->count != 2 ||
        !tn_size_number(to, 1, &width) || width < 1)
        return lead;
    lead.count = (uint8_t)count_lead(from, width);
    if (!tn_sizes_agree(&lead, &lead, lead.count))
        lead.count = 0;
    return lead;
}

static void join(struct lifting *l, uint32_t value, struct group *g)
{
    if (l->is_output[value])
        g->is_left = true;
    l->groups[value] = g->parent + 1;
}

static void begin_group(struct lifting *l, const struct tn_net_node *node)
{
    struct tn_sizes lead = lead_of(l, node);
    uint32_t        rank = tn_sizes_of(l->s, node, 0)->dims.count;

    if (!lead.count)
        return;
    uint32_t      index = (uint32_t)l->rows.count;
    struct group *g = tn_list_push(&l->rows, struct group, l->s->net->error);
    if (!g)
        return;
    *g       = (struct group){ .parent = index, .lead = lead };
    g->saved = lead.count + 1U == rank;
    join(l, node->outputs[0], g);
}

/* Whether a Reshape restores the axes. */
static void end_group(struct lifting *l, const struct tn_net_node *node,
                      struct group *g)
{
    const struct tn_sizes *to = &l->s->values[node->outputs[0]].dims;

    if (to->count <= g->lead.count ||
        !tn_sizes_agree(to, &g->lead, g->lead.count) ||
        group_of_input(l, node, 1))
        g->is_left = true;
    else
        g->saved += to->count == g->lead.count + 1U;
}

static void unite(struct group *a, struct group *b)
{
    if (a == b)
        return;
    a->is_left = a->is_left || b->is_left || a->lead.count != b->lead.count ||
                 !tn_sizes_agree(&a->lead, &b->lead, a->lead.count);
    a->saved += b->saved;
    a->biases += b->biases;
    a->has_norm    = a->has_norm || b->has_norm;
    a->has_product = a->has_product || b->has_product;
    b->parent      = a->parent;
}

/* Whether it is the same for every row: a number, or one for each column. */
static bool is_for_all_rows(const struct lifting     *l,
                            const struct tn_net_node *node, uint32_t k)
{
    const struct tn_sizes *dims = &tn_sizes_of(l->s, node, k)->dims;

    if (k >= node->input_count || node->inputs[k] == TN_NONE)
        return true;
    return dims->is_known &&
           (dims->count <= 1 ||
            (dims->count == 2 && dims->items[0] == TN_SIZE(1)));
}

static bool is_last_axis(const struct tn_net_node *node, int64_t otherwise)
{
    int64_t at = tn_net_int_attr(node, "axis", otherwise);

    return at == -1 || at == 1;
}

/* Whether it computes each row from that row alone. */
static bool is_elementwise(const struct lifting     *l,
                           const struct tn_net_node *node)
{
    static const char *const names[] = {
        "Abs",        "Add",      "Cast",      "Clip",    "Div",
        "Elu",        "Erf",      "Exp",       "Gelu",    "HardSigmoid",
        "HardSwish",  "Identity", "LeakyRelu", "Log",     "Max",
        "Min",        "Mish",     "Mul",       "Neg",     "Pow",
        "Reciprocal", "Relu",     "Selu",      "Sigmoid", "Softplus",
        "Sqrt",       "Sub",      "Sum",       "Tanh",    "Where",
        "Less",       "Greater",  "Equal",     "And",     "Or",
        "Not",
    };

    if (!TN_NODE_IS_AMONG(node, names))
        return false;
    for (uint32_t k = 0; k < node->input_count; k++)
        if (!group_of_input((struct lifting *)l, node, k) &&
            !is_for_all_rows(l, node, k))
            return false;
    return true;
}

static bool is_normalising(struct lifting *l, const struct tn_net_node *node)
{
    if (!group_of_input(l, node, 0))
        return false;
    if (tn_node_is(node, "Softmax") || tn_node_is(node, "LogSoftmax"))
        return is_last_axis(node, -1);
    return tn_node_is(node, "LayerNormalization") && is_last_axis(node, -1) &&
           is_for_all_rows(l, node, 1) && is_for_all_rows(l, node, 2);
}

static bool is_one(const struct tn_net_node *node, const char *name)
{
    const struct tn_attr_value *attr = tn_net_attr(node, name);

    if (attr && attr->count != 1)
        return false;
    if (attr && attr->kind == TN_ATTR_DOUBLE)
        return attr->of.doubles[0] == 1.0;
    return !attr || (attr->kind == TN_ATTR_FLOAT && attr->of.floats[0] == 1.0F);
}

static bool is_flag(const struct tn_net_node *node, const char *name)
{
    return tn_net_int_attr(node, name, 0) != 0;
}

/* A product of rows, each with a matrix of its own. */
static bool is_product(struct lifting *l, const struct tn_net_node *node)
{
    const struct tn_sizes *by = &tn_sizes_of(l->s, node, 1)->dims;

    if (!group_of_input(l, node, 0) || group_of_input(l, node, 1) ||
        !by->is_known || by->count != 2)
        return false;
    if (tn_node_is(node, "MatMul"))
        return true;
    return tn_node_is(node, "Gemm") && !is_flag(node, "transA") &&
           is_one(node, "alpha") && is_one(node, "beta") &&
           !group_of_input(l, node, 2) && is_for_all_rows(l, node, 2);
}

static bool has_bias(const struct tn_net_node *node)
{
    return node->input_count > 2 && node->inputs[2] != TN_NONE;
}

/* If the inputs of a node are members, its output becomes one, or the group is
 * given up. */
static void grow(struct lifting *l, const struct tn_net_node *node,
                 struct group *g)
{
    const struct tn_sizes *made =
        node->output_count && node->outputs[0] != TN_NONE
            ? &l->s->values[node->outputs[0]].dims
            : NULL;
    bool is_norm = is_normalising(l, node), is_made = is_product(l, node);

    if (!made || !made->is_known || made->count != 2 ||
        !(is_norm || is_made || is_elementwise(l, node)) ||
        (node->output_count > 1 && node->outputs[1] != TN_NONE)) {
        g->is_left = true;
        return;
    }
    g->has_norm    = g->has_norm || tn_node_is(node, "LayerNormalization");
    g->has_product = g->has_product || is_made;
    g->biases += is_made && has_bias(node);
    join(l, node->outputs[0], g);
}

static void look_at(struct lifting *l, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(l->s->net, id);
    struct group            *all  = NULL;

    for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++) {
        struct group *g = group_of(l, node.inputs[k]);
        if (!g)
            continue;
        if (tn_net_value(l->s->net, node.inputs[k]).graph != node.graph)
            g->is_left = true;
        if (all)
            unite(all, g);
        else
            all = g;
    }
    bool is_reshape = !node.is_removed && tn_node_is(&node, "Reshape") &&
                      node.input_count == 2 && node.output_count == 1 &&
                      node.outputs[0] != TN_NONE;
    if (all && is_reshape)
        end_group(l, &node, all);
    else if (all)
        grow(l, &node, all);
    else if (is_reshape)
        begin_group(l, &node);
}

/* ---- lifting ------------------------------------------------------------ */

/* Whether it pays: if there are no more nodes than before, or if a layer is
 * normalised, because a runtime then fuses more nodes. */
static bool pays(const struct group *g)
{
    return !g->is_left && g->has_product &&
           (g->has_norm || g->biases <= g->saved);
}

static void set_sizes(struct lifting *l, uint32_t value,
                      const struct tn_sizes *lead, uint32_t width)
{
    struct tn_net_type type = *tn_net_value(l->s->net, value).type;
    int64_t            dims[TN_SIZES_MAX];
    struct tn_sizes    all = *lead;

    all.items[all.count++] = width;
    for (uint32_t i = 0; i < all.count; i++)
        if (!tn_size_number(&all, i, &dims[i]))
            dims[i] = -1;
    type.has_rank = true;
    type.rank     = all.count;
    type.dims     = dims;
    type.symbols  = NULL;
    tn_net_set_type(l->s->net, value, &type);
    if (value < l->s->count)
        l->s->values[value].dims = all;
}

/* The Reshape is not needed, or leaves the axes alone. */
static void lift_begin(struct lifting *l, uint32_t id, const struct group *g)
{
    const struct tn_net_node node = tn_net_node(l->s->net, id);
    const struct tn_sizes   *from = &tn_sizes_of(l->s, &node, 0)->dims;
    int64_t                  shape[TN_SIZES_MAX] = { 0 };
    uint64_t                 count               = g->lead.count + 1U;

    if (from->count == count) {
        tn_net_replace(l->s->net, node.outputs[0], node.inputs[0]);
        tn_net_remove(l->s->net, id);
        return;
    }
    tn_size_number(&l->s->values[node.outputs[0]].dims, 1,
                   &shape[g->lead.count]);
    struct tn_bytes was      = tn_net_value(l->s->net, node.inputs[1]).name;
    uint32_t        inputs[] = { node.inputs[0],
                                 tn_net_add_ints(l->s->net, node.graph, was, TN_INT64,
                                                 shape, 1, &count) };
    if (inputs[1] == TN_NONE)
        return;
    tn_net_set_inputs(l->s->net, id, inputs, 2);
    tn_net_set_attrs(l->s->net, id, NULL, 0);
    set_sizes(l, node.outputs[0], &g->lead,
              l->s->values[node.outputs[0]].dims.items[1]);
}

/* A matrix with its axes in the other order. */
static uint32_t turn(struct tn_net *net, uint32_t graph, uint32_t value)
{
    static int64_t     order[] = { 1, 0 };
    struct tn_net_attr perm    = { .name  = tn_text("perm"),
                                   .value = { .kind    = TN_ATTR_INT,
                                              .count   = 2,
                                              .is_list = true,
                                              .of.ints = order } };
    struct tn_net_type type    = *tn_net_value(net, value).type;
    int64_t            dims[2];
    uint32_t made = tn_net_add_value(net, graph, tn_net_value(net, value).name);

    if (made == TN_NONE || type.rank != 2)
        return TN_NONE;
    dims[0]      = type.dims[1];
    dims[1]      = type.dims[0];
    type.dims    = dims;
    type.symbols = NULL;
    tn_net_set_type(net, made, &type);
    tn_net_add_node(net, &(struct tn_net_node){
                             .op           = tn_net_own_op(net, "Transpose"),
                             .inputs       = &value,
                             .input_count  = 1,
                             .outputs      = &made,
                             .output_count = 1,
                             .attrs        = &perm,
                             .attr_count   = 1,
                             .graph        = graph,
                             .source       = TN_NONE,
                         });
    return made;
}

/* Gemm takes only matrices. */
static void lift_gemm(struct lifting *l, uint32_t id, const struct group *g)
{
    struct tn_net           *net  = l->s->net;
    const struct tn_net_node node = tn_net_node(net, id);
    uint32_t                 made = node.outputs[0];
    uint32_t                 bias = has_bias(&node) ? node.inputs[2] : TN_NONE;
    uint32_t                 inputs[] = { node.inputs[0],
                          is_flag(&node, "transB")
                                              ? turn(net, node.graph, node.inputs[1])
                                              : node.inputs[1] };

    if (inputs[1] == TN_NONE)
        return;
    tn_net_set_op(net, id, tn_net_own_op(net, "MatMul"));
    tn_net_set_inputs(net, id, inputs, 2);
    tn_net_set_attrs(net, id, NULL, 0);
    if (bias == TN_NONE)
        return;
    uint32_t plain =
        tn_net_add_value(net, node.graph, tn_net_value(net, made).name);
    if (plain == TN_NONE)
        return;
    tn_net_copy_type(net, plain, made);
    set_sizes(l, plain, &g->lead, l->s->values[made].dims.items[1]);
    tn_net_set_outputs(net, id, &plain, 1);
    tn_net_add_node(net, &(struct tn_net_node){
                             .op           = tn_net_own_op(net, "Add"),
                             .inputs       = (uint32_t[]){ plain, bias },
                             .input_count  = 2,
                             .outputs      = &made,
                             .output_count = 1,
                             .graph        = node.graph,
                             .source       = node.source,
                         });
}

static void count_from_end(struct tn_net *net, uint32_t id)
{
    static int64_t             last = -1;
    const struct tn_attr_value axis = { .kind    = TN_ATTR_INT,
                                        .count   = 1,
                                        .of.ints = &last };

    tn_net_set_attr(net, id, "axis", &axis);
}

static void lift(struct lifting *l, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(l->s->net, id);
    uint32_t made = node.output_count ? node.outputs[0] : TN_NONE;

    if (node.is_removed || made == TN_NONE)
        return;
    struct group *g = group_of(l, made);
    if (!g || !pays(g))
        return;
    l->count++;
    if (tn_node_is(&node, "Reshape")) {
        lift_begin(l, id, g);
        return;
    }
    if (tn_net_attr(&node, "axis"))
        count_from_end(l->s->net, id);
    if (tn_node_is(&node, "Gemm"))
        lift_gemm(l, id, g);
    set_sizes(l, made, &g->lead, l->s->values[made].dims.items[1]);
}

static void look_at_all(struct lifting *l)
{
    struct tn_net *net = l->s->net;

    for (uint32_t g = 0; g < net->graphs.count; g++) {
        const struct tn_list *nodes = &tn_net_graph(net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count && tn_net_goes_on(net); i++)
            look_at(l, *tn_list_at(nodes, uint32_t, i));
    }
}

uint64_t tn_lift_rows(struct tn_sizing *s, const bool *is_output,
                      struct tn_arena *arena)
{
    struct lifting l = { .s = s, .is_output = is_output };

    l.groups = tn_new(arena, uint32_t, s->count, s->net->error);
    if (!l.groups)
        return 0;
    tn_list_init(&l.rows, s->net->arena->memory, sizeof(struct group));
    look_at_all(&l);
    uint32_t last = (uint32_t)s->net->nodes.count;
    for (uint32_t i = 0; l.rows.count && i < last && !tn_failed(s->net->error);
         i++)
        lift(&l, i);
    tn_list_done(&l.rows);
    if (l.count && !tn_failed(s->net->error))
        tn_net_order(s->net, NULL);
    return l.count;
}
