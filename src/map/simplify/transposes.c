/*
 * transposes.c - fewer Transposes in a graph of ONNX
 *
 * Nodes are visited in order.  A Transpose is not copied; instead its output is
 * recorded as a form: "that value, with its axes in this order".  If possible,
 * a node that uses a form is rebuilt for the value before the Transpose, and
 * its output becomes a form, too.  A Transpose of a form is another form. Often
 * that is a value with its original axes: then two Transposes have cancelled
 * out.  At the end, forms that are still used are made by a Transpose.
 *
 * With perm p, axis i of the form is axis p[i] of the value.
 */
#include "map/simplify/transposes.h"

#include "base/arith.h"
#include "map/net/net_build.h"
#include "map/simplify/fold_views.h"
#include "map/simplify/reshape_runs.h"

/* Whole numbers up to this one are exact as doubles. */
#define EXACT 9007199254740992.0

enum { MOST_RANK = 8, MOST_INPUTS = 64 };

struct order {
    uint32_t rank;
    uint32_t perm[MOST_RANK];
};

struct form {
    uint32_t     base; /* a value without a form                              */
    struct order order;
    bool is_channels; /* the base is the result of a convolution or the like:
                         nodes after it should keep its order */
};

struct operator;

/* How the pass treats a node: the same for all nodes of an op. */
enum role {
    UNKNOWN,
    LEFT_ALONE,
    IS_TRANSPOSE,
    IS_RESHAPE,
    IS_SHAPE,
    IS_PRODUCT,
    IS_OTHER
};

struct found {
    const struct operator* op; /* how a Transpose goes past it; NULL: it does
                                  not                                         */
    enum role role;
};

struct moving {
    struct tn_net      *net;
    struct tn_infer    *facts;
    struct tn_arena     arena;
    const struct form **forms; /* by value, of those that there were; NULL:
                                  none                                        */
    const uint32_t *uses;
    bool           *wants; /* by value: a Transpose follows, over others     */
    uint32_t        values;
    uint64_t        moved;
    struct found   *ops; /* by op of the net's table                         */
    uint32_t        op_count;
    struct tn_list removed; /* uint32_t: nodes, so that they can come back    */
};

/* The replacement of a node. */
struct change {
    const struct form *form;
    uint32_t           inputs[MOST_INPUTS];
    uint32_t           input_count;
    const char        *attr; /* that gets these numbers; NULL: none          */
    int64_t            numbers[MOST_RANK];
    uint32_t           number_count;
    bool               is_list;
    struct order       out; /* of what it gives                               */
};

/* ---- orders ------------------------------------------------------------- */

static bool is_identity(const struct order *o)
{
    for (uint32_t i = 0; i < o->rank; i++)
        if (o->perm[i] != i)
            return false;
    return true;
}

static struct order inverse(const struct order *o)
{
    struct order inv = { .rank = o->rank };

    for (uint32_t i = 0; i < o->rank; i++)
        inv.perm[o->perm[i]] = i;
    return inv;
}

/* First that order, then the other. */
static struct order both(const struct order *first, const struct order *then)
{
    struct order o = { .rank = first->rank };

    for (uint32_t i = 0; i < o.rank; i++)
        o.perm[i] = first->perm[then->perm[i]];
    return o;
}

static bool is_same(const struct order *a, const struct order *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->perm[i] != b->perm[i])
            return false;
    return true;
}

/* From channels second to channels last. */
static struct order channels_last(uint32_t rank)
{
    struct order o = { .rank = rank };

    for (uint32_t i = 1; i + 1 < rank; i++)
        o.perm[i] = i + 1;
    o.perm[rank - 1] = 1;
    return o;
}

/* Of a Transpose; without a perm it reverses the axes. */
static bool take_order(const struct tn_net_node *node, uint32_t rank,
                       struct order *o)
{
    const struct tn_attr_value *perm = tn_net_attr(node, "perm");
    uint32_t                    seen = 0;

    if (rank > MOST_RANK || (perm && perm->count != rank))
        return false;
    o->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t axis = perm ? perm->of.ints[i] : (int64_t)(rank - 1 - i);
        if (axis < 0 || axis >= (int64_t)rank || seen >> axis & 1)
            return false;
        seen |= UINT32_C(1) << axis;
        o->perm[i] = (uint32_t)axis;
    }
    return true;
}

/* ---- values ------------------------------------------------------------- */

static const struct tn_net_type *type_of(const struct moving *m, uint32_t value)
{
    return tn_net_value(m->net, value).type;
}

/* NULL if it has none. */
static const struct form *form_of(const struct moving *m, uint32_t value)
{
    return value < m->values ? m->forms[value] : NULL; /* new ones have none */
}

static void set_form(struct moving *m, uint32_t value, struct form form)
{
    struct form *kept = tn_new(&m->arena, struct form, 1, m->net->error);

    if (kept)
        *kept = form;
    m->forms[value] = kept;
}

/* An intermediate value of `like`: it gets a name of its own when it is laid
 * out, if it still exists. */
static uint32_t add_inner(struct moving *m, uint32_t like)
{
    uint32_t graph = tn_net_value_row(m->net, like)->graph;
    uint32_t made  = tn_net_add_nameless(m->net, graph);

    if (made == TN_NONE)
        return TN_NONE;
    struct tn_net_value_row *row = tn_net_value_row(m->net, made);
    row->name                    = tn_net_value_row(m->net, like)->name;
    row->is_inner                = true;
    return made;
}

/* A value of the type of `like`, for the base of that form of it. */
static uint32_t add_base(struct moving *m, uint32_t like, const struct order *o)
{
    const struct tn_net_type *type = type_of(m, like);
    int64_t                   dims[MOST_RANK];
    struct tn_bytes           symbols[MOST_RANK];
    struct tn_net_type        permuted = *type;
    uint32_t                  made     = add_inner(m, like);

    if (made == TN_NONE || !type->has_rank || type->rank != o->rank)
        return made;
    for (uint32_t i = 0; i < o->rank; i++) {
        dims[o->perm[i]] = type->dims[i];
        if (type->symbols)
            symbols[o->perm[i]] = type->symbols[i];
    }
    permuted.dims = dims;
    if (type->symbols) {
        struct tn_bytes *kept =
            tn_new(m->net->arena, struct tn_bytes, o->rank, m->net->error);
        for (uint32_t i = 0; kept && i < o->rank; i++)
            kept[i] = symbols[i];
        permuted.symbols = kept;
    }
    tn_net_set_type(m->net, made, &permuted);
    return made;
}

static uint32_t add_transpose(struct moving *m, uint32_t from,
                              const struct order *o, uint32_t to)
{
    int64_t *perm = tn_new(m->net->arena, int64_t, o->rank, m->net->error);
    struct tn_net_attr attr = { .name  = tn_text("perm"),
                                .value = { .kind    = TN_ATTR_INT,
                                           .is_list = true,
                                           .count   = o->rank,
                                           .of.ints = perm } };
    struct tn_net_node node = { .op     = tn_net_own_op(m->net, "Transpose"),
                                .inputs = &from,
                                .input_count  = 1,
                                .outputs      = &to,
                                .output_count = 1,
                                .attrs        = &attr,
                                .attr_count   = 1,
                                .graph        = tn_net_value(m->net, to).graph,
                                .source       = TN_NONE };

    for (uint32_t i = 0; perm && i < o->rank; i++)
        perm[i] = o->perm[i];
    return perm ? tn_net_add_node(m->net, &node) : TN_NONE;
}

/* Of the constant or value, to these dims; TN_NONE: it failed. */
static uint32_t add_reshape(struct moving *m, uint32_t from,
                            const int64_t *dims, uint32_t rank, uint32_t to)
{
    struct tn_bytes nameless  = { NULL, 0 };
    uint64_t        count     = rank;
    uint32_t        graph     = tn_net_value(m->net, to).graph;
    uint32_t        inputs[2] = { from, tn_net_add_ints(m->net, graph, nameless,
                                                        TN_INT64, dims, 1, &count) };
    struct tn_net_node node   = { .op          = tn_net_own_op(m->net, "Reshape"),
                                  .inputs      = inputs,
                                  .input_count = 2,
                                  .outputs     = &to,
                                  .output_count = 1,
                                  .graph        = graph,
                                  .source       = TN_NONE };

    return inputs[1] == TN_NONE ? TN_NONE : tn_net_add_node(m->net, &node);
}

/* ---- inputs in another order -------------------------------------------- */

/* Whether there is one element, as far as is known. */
static bool is_single(const struct tn_net_type *type)
{
    if (!type->has_rank)
        return false;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] != 1)
            return false;
    return true;
}

/* A constant that may be stored once more. */
static bool is_free(const struct moving *m, uint32_t value)
{
    struct tn_net_value v = tn_net_value(m->net, value);
    uint64_t            bytes;

    if (!v.constant || v.type->rank > MOST_RANK)
        return false;
    return m->uses[value] <= 1 ||
           (tn_shape_bytes(&v.constant->shape, &bytes) && bytes <= 4096);
}

/* Whether only axes of size 1 move in that order. */
static bool moves_ones(const struct tn_net_type *type, const struct order *o)
{
    uint32_t last = 0;

    if (!type->has_rank || type->rank != o->rank)
        return false;
    for (uint32_t i = 0; i < o->rank; i++) {
        uint32_t axis = o->perm[i];
        if (type->dims[axis] == 1)
            continue;
        if (axis < last)
            return false;
        last = axis;
    }
    return true;
}

/* The dims of the value in that order, for a Reshape; false: they cannot be
 * written down. */
static bool dims_in_order(const struct tn_net_type *type, const struct order *o,
                          int64_t *dims)
{
    bool is_open = false;

    for (uint32_t i = 0; i < o->rank; i++) {
        int64_t size = type->dims[o->perm[i]];
        dims[i]      = size > 0 ? size : o->perm[i] == i ? 0 : -1;
        if (size == 0 || (dims[i] < 0 && is_open))
            return false;
        is_open = is_open || dims[i] < 0;
    }
    return true;
}

/* A Reshape can give another shape at no extra cost. */
static bool is_reshaped(const struct moving *m, uint32_t value,
                        const struct order *o)
{
    const struct tn_net_value v = tn_net_value(m->net, value);
    int64_t                   dims[MOST_RANK];

    if (v.producer == TN_NONE || m->uses[value] != 1 ||
        !moves_ones(v.type, o) || !dims_in_order(v.type, o, dims))
        return false;
    const struct tn_net_node_row *row = tn_net_node_row(m->net, v.producer);
    return row->op < m->op_count && m->ops[row->op].role == IS_RESHAPE;
}

enum cost { FREE, HAS_FORM, TRANSPOSED, IMPOSSIBLE };

/* The cost of bringing the value into the order of the base of `form`. */
static enum cost cost_of(const struct moving *m, uint32_t value,
                         const struct form *form, uint32_t graph)
{
    const struct tn_net_type *type = type_of(m, value);
    const struct form        *own  = form_of(m, value);

    if (own && is_same(&own->order, &form->order))
        return tn_net_value(m->net, value).graph == graph ? HAS_FORM
                                                          : IMPOSSIBLE;
    if (is_single(type) || is_free(m, value))
        return type->rank <= form->order.rank ? FREE : IMPOSSIBLE;
    if (!own && value < m->values && type->has_rank &&
        type->rank == form->order.rank) {
        struct order back = inverse(&form->order);
        if (is_reshaped(m, value, &back))
            return FREE;
    }
    return type->has_rank && type->rank == form->order.rank ? TRANSPOSED
                                                            : IMPOSSIBLE;
}

/* Adds leading dims of 1, so that its axes are those of the others.  For a
 * constant the result is folded. */
static uint32_t widen(struct moving *m, uint32_t value, uint32_t rank)
{
    struct tn_net_value v = tn_net_value(m->net, value);
    int64_t             dims[MOST_RANK];

    if (v.type->rank == rank)
        return value;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i < rank - v.type->rank
                      ? 1
                      : v.type->dims[i - (rank - v.type->rank)];
    uint32_t           to   = tn_net_add_value(m->net, v.graph, v.name);
    struct tn_net_type type = {
        .dtype = v.type->dtype, .has_rank = true, .rank = rank, .dims = dims
    };

    if (to == TN_NONE || add_reshape(m, value, dims, rank, to) == TN_NONE)
        return TN_NONE;
    tn_net_set_type(m->net, to, &type);
    return to;
}

static uint32_t in_order(struct moving *m, uint32_t value,
                         const struct form *form)
{
    const struct form *own  = form_of(m, value);
    struct order       back = inverse(&form->order);
    struct order       o    = own ? both(&own->order, &back) : back;
    uint32_t           from = own ? own->base : value;

    if (is_identity(&o) || is_single(type_of(m, value)))
        return from;
    bool is_free = !own && value < m->values && is_reshaped(m, value, &o);
    from         = widen(m, from, o.rank);
    uint32_t to  = from == TN_NONE
                       ? TN_NONE
                       : add_base(m, own ? value : from, &form->order);
    if (to == TN_NONE)
        return TN_NONE;
    int64_t dims[MOST_RANK];
    if (is_free && dims_in_order(type_of(m, value), &o, dims))
        add_reshape(m, from, dims, o.rank, to);
    else
        add_transpose(m, from, &o, to);
    return to;
}

/* ---- numbers ------------------------------------------------------------ */

/* Axis of the base, counted from the beginning. */
static bool map_axis(const struct order *o, int64_t axis, int64_t *to)
{
    if (axis < 0)
        axis += o->rank;
    if (axis < 0 || axis >= (int64_t)o->rank)
        return false;
    *to = o->perm[axis];
    return true;
}

struct numbers {
    double   items[2 * MOST_RANK];
    uint32_t count;
};

/* Those of an input that is a constant. */
static bool take_numbers(struct moving *m, const struct tn_net_node *node,
                         uint32_t input, struct numbers *to)
{
    struct tn_item items;

    to->count = 0;
    if (input >= node->input_count || node->inputs[input] == TN_NONE ||
        !tn_net_value(m->net, node->inputs[input]).constant ||
        tn_fold(m->facts, node->inputs[input], &items) != TN_OK ||
        items.kind != TN_ITEM_LIST || items.count > 2 * MOST_RANK)
        return false;
    for (uint32_t i = 0; i < items.count; i++) {
        if (!tn_item_is_number(items.of.items[i].kind))
            return false;
        double item = tn_item_double(items.of.items[i]);
        if (!(item >= -EXACT && item <= EXACT))
            return false;
        to->items[to->count++] = item;
    }
    return true;
}

/* A list of numbers in place of an input. */
static bool put_numbers(struct moving *m, const struct tn_net_node *node,
                        struct change *c, uint32_t input,
                        const struct numbers *numbers)
{
    struct tn_bytes nameless = { NULL, 0 };
    uint64_t        count    = numbers->count;
    enum tn_dtype   dtype    = tn_net_has_input(node, input)
                                   ? type_of(m, node->inputs[input])->dtype
                                   : TN_INT64;
    int64_t         ints[2 * MOST_RANK];

    for (; c->input_count <= input; c->input_count++)
        c->inputs[c->input_count] = TN_NONE;
    if (dtype == TN_INT64 || dtype == TN_INT32) {
        for (uint32_t i = 0; i < count; i++)
            ints[i] = (int64_t)numbers->items[i];
        c->inputs[input] = tn_net_add_ints(m->net, node->graph, nameless, dtype,
                                           ints, 1, &count);
    } else {
        c->inputs[input] = tn_net_add_doubles(m->net, node->graph, nameless,
                                              dtype, numbers->items, 1, &count);
    }
    return c->inputs[input] != TN_NONE;
}

/* The same number for each axis, in the order of the base; `groups` of them
 * one after the other. */
static bool reorder(const struct order *o, uint32_t groups,
                    struct numbers *numbers)
{
    struct numbers from = *numbers;

    if (numbers->count != groups * o->rank)
        return false;
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < o->rank; i++)
            numbers->items[g * o->rank + o->perm[i]] =
                from.items[g * o->rank + i];
    return true;
}

/* ---- operators ---------------------------------------------------------- */

typedef bool mover(struct moving *m, const struct tn_net_node *node,
                   struct change *c);

/* Operators on single elements; other inputs are single numbers. */
static bool move_unary(struct moving *m, const struct tn_net_node *node,
                       struct change *c)
{
    (void)m;
    (void)node;
    (void)c;
    return true;
}

static bool set_axis(struct change *c, int64_t axis)
{
    c->attr         = "axis";
    c->number_count = 1;
    return map_axis(&c->form->order, axis, &c->numbers[0]);
}

static bool move_concat(struct moving *m, const struct tn_net_node *node,
                        struct change *c)
{
    (void)m;
    return tn_net_attr(node, "axis") &&
           set_axis(c, tn_net_int_attr(node, "axis", 0));
}

static bool move_split(struct moving *m, const struct tn_net_node *node,
                       struct change *c)
{
    (void)m;
    return set_axis(c, tn_net_int_attr(node, "axis", 0));
}

/* Before opset 13 the axes after it counted, too. */
static bool move_softmax(struct moving *m, const struct tn_net_node *node,
                         struct change *c)
{
    return m->net->version >= 13 &&
           set_axis(c, tn_net_int_attr(node, "axis", -1));
}

/* One scale for all, or one for each index of an axis. */
static bool move_quantized(struct moving *m, const struct tn_net_node *node,
                           struct change *c)
{
    const struct tn_net_type *scale;

    if (!tn_net_has_input(node, 1))
        return false;
    scale = type_of(m, node->inputs[1]);
    if (scale->has_rank && scale->rank == 0)
        return true;
    return scale->has_rank && scale->rank == 1 &&
           set_axis(c, tn_net_int_attr(node, "axis", 1));
}

/* The order of the remaining axes after some are removed. */
static struct order without(const struct order *o, uint32_t gone)
{
    struct order out      = { .rank = 0 };
    uint32_t     gone_too = 0, place[MOST_RANK], count = 0;

    for (uint32_t i = 0; i < o->rank; i++)
        if (gone >> i & 1)
            gone_too |= UINT32_C(1) << o->perm[i];
    for (uint32_t i = 0; i < o->rank; i++)
        place[i] = gone_too >> i & 1 ? 0 : count++;
    for (uint32_t i = 0; i < o->rank; i++)
        if (!(gone >> i & 1))
            out.perm[out.rank++] = place[o->perm[i]];
    return out;
}

/* The axes of an operator, of an attribute or of an input; false: all. */
struct axes {
    int64_t  items[MOST_RANK];
    uint32_t count, set; /* a bit for each                                    */
    bool     is_input;   /* the second                                        */
};

static bool take_axes(struct moving *m, const struct tn_net_node *node,
                      uint32_t rank, struct axes *axes)
{
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    struct numbers              numbers;

    *axes = (struct axes){ .is_input = !attr };
    if (attr && attr->kind != TN_ATTR_INT)
        return false;
    if (!attr && !take_numbers(m, node, 1, &numbers))
        return false;
    uint32_t count = attr ? attr->count : numbers.count;
    for (uint32_t i = 0; i < count; i++) {
        int64_t axis = attr ? attr->of.ints[i] : (int64_t)numbers.items[i];
        axis += axis < 0 ? rank : 0;
        if (axis < 0 || axis >= (int64_t)rank || axes->set >> axis & 1)
            return false;
        axes->set |= UINT32_C(1) << axis;
        axes->items[axes->count++] = axis;
    }
    return axes->count > 0;
}

static bool put_axes(struct moving *m, const struct tn_net_node *node,
                     struct change *c, const struct axes *axes)
{
    struct numbers numbers = { .count = axes->count };

    for (uint32_t i = 0; i < axes->count; i++) {
        numbers.items[i] = (double)axes->items[i];
        c->numbers[i]    = axes->items[i];
    }
    if (axes->is_input)
        return put_numbers(m, node, c, 1, &numbers);
    c->attr         = "axes";
    c->is_list      = true;
    c->number_count = axes->count;
    return true;
}

static void map_axes(const struct order *o, struct axes *axes)
{
    for (uint32_t i = 0; i < axes->count; i++)
        axes->items[i] = o->perm[axes->items[i]];
}

/* Without axes it reduces all of them, and their order does not matter. */
static bool reduces_all(const struct tn_net_node *node)
{
    return !tn_net_has_input(node, 1) && !tn_net_attr(node, "axes") &&
           !tn_net_int_attr(node, "noop_with_empty_axes", 0);
}

static bool move_reduce(struct moving *m, const struct tn_net_node *node,
                        struct change *c)
{
    const struct order *o     = &c->form->order;
    bool                keeps = tn_net_int_attr(node, "keepdims", 1);
    struct axes         axes;

    if (reduces_all(node)) {
        for (uint32_t i = 0; i < c->out.rank; i++)
            c->out.perm[i] = i;
        c->out.rank = keeps ? c->out.rank : 0;
        return true;
    }
    if (!take_axes(m, node, o->rank, &axes))
        return false;
    if (!keeps)
        c->out = without(o, axes.set);
    map_axes(o, &axes);
    return put_axes(m, node, c, &axes);
}

static bool move_arg(struct moving *m, const struct tn_net_node *node,
                     struct change *c)
{
    const struct order *o    = &c->form->order;
    int64_t             axis = tn_net_int_attr(node, "axis", 0);

    (void)m;
    if (!set_axis(c, axis))
        return false;
    axis += axis < 0 ? o->rank : 0;
    if (!tn_net_int_attr(node, "keepdims", 1))
        c->out = without(o, UINT32_C(1) << axis);
    return true;
}

/* One place of an axis, or a list of places. */
static bool move_gather(struct moving *m, const struct tn_net_node *node,
                        struct change *c)
{
    const struct order       *o    = &c->form->order;
    int64_t                   axis = tn_net_int_attr(node, "axis", 0);
    const struct tn_net_type *at =
        tn_net_has_input(node, 1) ? type_of(m, node->inputs[1]) : NULL;

    if (!at || !at->has_rank || at->rank > 1 || !set_axis(c, axis))
        return false;
    axis += axis < 0 ? o->rank : 0;
    if (at->rank == 0)
        c->out = without(o, UINT32_C(1) << axis);
    return true;
}

static bool move_squeeze(struct moving *m, const struct tn_net_node *node,
                         struct change *c)
{
    struct axes axes;

    if (!take_axes(m, node, c->form->order.rank, &axes))
        return false;
    c->out = without(&c->form->order, axes.set);
    map_axes(&c->form->order, &axes);
    return put_axes(m, node, c, &axes);
}

/* New axes keep their places; the others keep their order among them. */
static bool move_unsqueeze(struct moving *m, const struct tn_net_node *node,
                           struct change *c)
{
    const struct order       *o    = &c->form->order;
    const struct tn_net_type *type = type_of(m, node->outputs[0]);
    uint32_t                  others[MOST_RANK], count = 0, taken = 0;
    struct axes               axes;

    if (!type->has_rank || type->rank > MOST_RANK ||
        !take_axes(m, node, type->rank, &axes) ||
        type->rank != o->rank + axes.count)
        return false;
    for (uint32_t i = 0; i < type->rank; i++)
        if (!(axes.set >> i & 1))
            others[count++] = i;
    c->out.rank = type->rank;
    for (uint32_t i = 0; i < type->rank; i++)
        c->out.perm[i] = axes.set >> i & 1 ? i : others[o->perm[taken++]];
    return put_axes(m, node, c, &axes);
}

/* Both ends of all axes, or of some. */
static bool move_pad(struct moving *m, const struct tn_net_node *node,
                     struct change *c)
{
    struct numbers numbers;

    if (tn_net_has_input(node, 3)) {
        if (!take_numbers(m, node, 3, &numbers))
            return false;
        for (uint32_t i = 0; i < numbers.count; i++) {
            int64_t axis;
            if (!map_axis(&c->form->order, (int64_t)numbers.items[i], &axis))
                return false;
            numbers.items[i] = (double)axis;
        }
        return put_numbers(m, node, c, 3, &numbers);
    }
    return take_numbers(m, node, 1, &numbers) &&
           reorder(&c->form->order, 2, &numbers) &&
           put_numbers(m, node, c, 1, &numbers);
}

static bool move_slice(struct moving *m, const struct tn_net_node *node,
                       struct change *c)
{
    struct numbers axes, starts;

    if (tn_net_has_input(node, 3) ? !take_numbers(m, node, 3, &axes)
                                  : !take_numbers(m, node, 1, &starts))
        return false;
    for (uint32_t i = 0; !tn_net_has_input(node, 3) && i < starts.count; i++)
        axes.items[i] = i;
    axes.count = tn_net_has_input(node, 3) ? axes.count : starts.count;
    for (uint32_t i = 0; i < axes.count; i++) {
        int64_t axis;
        if (!map_axis(&c->form->order, (int64_t)axes.items[i], &axis))
            return false;
        axes.items[i] = (double)axis;
    }
    return put_numbers(m, node, c, 3, &axes);
}

/* A number for each axis. */
static bool move_sizes(struct moving *m, const struct tn_net_node *node,
                       struct change *c)
{
    struct numbers numbers;

    return take_numbers(m, node, 1, &numbers) &&
           reorder(&c->form->order, 1, &numbers) &&
           put_numbers(m, node, c, 1, &numbers);
}

/* Kernels resize the last axes: the first two must stay as they are. */
static bool is_resizable(const struct moving *m, const struct change *c,
                         const struct numbers *scales,
                         const struct numbers *sizes)
{
    const struct tn_net_type *type = type_of(m, c->form->base);

    for (uint32_t i = 0; i < 2 && i < type->rank; i++)
        if (scales->count ? scales->items[i] != 1.0
                          : sizes->items[i] != (double)type->dims[i])
            return false;
    return type->rank > 2;
}

static bool move_resize(struct moving *m, const struct tn_net_node *node,
                        struct change *c)
{
    const struct order *o   = &c->form->order;
    struct numbers      roi = { .count = 0 }, scales = roi, sizes = roi;

    if (tn_net_attr(node, "axes") || m->net->version < 11 ||
        (tn_net_has_input(node, 1) && !take_numbers(m, node, 1, &roi)) ||
        (tn_net_has_input(node, 2) && !take_numbers(m, node, 2, &scales)) ||
        (tn_net_has_input(node, 3) && !take_numbers(m, node, 3, &sizes)))
        return false;
    if ((roi.count && !reorder(o, 2, &roi)) ||
        (scales.count && !reorder(o, 1, &scales)) ||
        (sizes.count && !reorder(o, 1, &sizes)) ||
        (!scales.count && !sizes.count) || !is_resizable(m, c, &scales, &sizes))
        return false;
    return (!roi.count || put_numbers(m, node, c, 1, &roi)) &&
           (!scales.count || put_numbers(m, node, c, 2, &scales)) &&
           (!sizes.count || put_numbers(m, node, c, 3, &sizes));
}

/* Which inputs have the axes of the output. */
enum data {
    FIRST, /* only the first                                                  */
    ALL,   /* all, of the same rank                                           */
    WIDE,  /* all, broadcast                                                  */
};

struct operator
{
    const char *name;
    enum data   data;
    mover      *move;
    bool shrinks; /* what it gives is smaller: better before a Transpose */
};

/* In ascending order. */
static const struct operator operators[] = {
    { "Abs", FIRST, move_unary, false },
    { "Acos", FIRST, move_unary, false },
    { "Acosh", FIRST, move_unary, false },
    { "Add", WIDE, move_unary, false },
    { "And", WIDE, move_unary, false },
    { "ArgMax", FIRST, move_arg, true },
    { "ArgMin", FIRST, move_arg, true },
    { "Asin", FIRST, move_unary, false },
    { "Asinh", FIRST, move_unary, false },
    { "Atan", FIRST, move_unary, false },
    { "Atanh", FIRST, move_unary, false },
    { "BitwiseAnd", WIDE, move_unary, false },
    { "BitwiseNot", FIRST, move_unary, false },
    { "BitwiseOr", WIDE, move_unary, false },
    { "BitwiseXor", WIDE, move_unary, false },
    { "Cast", FIRST, move_unary, false },
    { "CastLike", FIRST, move_unary, false },
    { "Ceil", FIRST, move_unary, false },
    { "Celu", FIRST, move_unary, false },
    { "Clip", FIRST, move_unary, false },
    { "Concat", ALL, move_concat, false },
    { "Cos", FIRST, move_unary, false },
    { "Cosh", FIRST, move_unary, false },
    { "DequantizeLinear", FIRST, move_quantized, false },
    { "Div", WIDE, move_unary, false },
    { "Elu", FIRST, move_unary, false },
    { "Equal", WIDE, move_unary, false },
    { "Erf", FIRST, move_unary, false },
    { "Exp", FIRST, move_unary, false },
    { "Expand", FIRST, move_sizes, false },
    { "Floor", FIRST, move_unary, false },
    { "Gather", FIRST, move_gather, true },
    { "Gelu", FIRST, move_unary, false },
    { "Greater", WIDE, move_unary, false },
    { "GreaterOrEqual", WIDE, move_unary, false },
    { "HardSigmoid", FIRST, move_unary, false },
    { "HardSwish", FIRST, move_unary, false },
    { "Identity", FIRST, move_unary, false },
    { "IsInf", FIRST, move_unary, false },
    { "IsNaN", FIRST, move_unary, false },
    { "LeakyRelu", FIRST, move_unary, false },
    { "Less", WIDE, move_unary, false },
    { "LessOrEqual", WIDE, move_unary, false },
    { "Log", FIRST, move_unary, false },
    { "LogSoftmax", FIRST, move_softmax, false },
    { "Max", WIDE, move_unary, false },
    { "Mean", WIDE, move_unary, false },
    { "Min", WIDE, move_unary, false },
    { "Mish", FIRST, move_unary, false },
    { "Mod", WIDE, move_unary, false },
    { "Mul", WIDE, move_unary, false },
    { "Neg", FIRST, move_unary, false },
    { "Not", FIRST, move_unary, false },
    { "Or", WIDE, move_unary, false },
    { "PRelu", WIDE, move_unary, false },
    { "Pad", FIRST, move_pad, false },
    { "Pow", WIDE, move_unary, false },
    { "QuantizeLinear", FIRST, move_quantized, false },
    { "Reciprocal", FIRST, move_unary, false },
    { "ReduceL1", FIRST, move_reduce, true },
    { "ReduceL2", FIRST, move_reduce, true },
    { "ReduceLogSum", FIRST, move_reduce, true },
    { "ReduceLogSumExp", FIRST, move_reduce, true },
    { "ReduceMax", FIRST, move_reduce, true },
    { "ReduceMean", FIRST, move_reduce, true },
    { "ReduceMin", FIRST, move_reduce, true },
    { "ReduceProd", FIRST, move_reduce, true },
    { "ReduceSum", FIRST, move_reduce, true },
    { "ReduceSumSquare", FIRST, move_reduce, true },
    { "Relu", FIRST, move_unary, false },
    { "Resize", FIRST, move_resize, false },
    { "Round", FIRST, move_unary, false },
    { "Selu", FIRST, move_unary, false },
    { "Shrink", FIRST, move_unary, false },
    { "Sigmoid", FIRST, move_unary, false },
    { "Sign", FIRST, move_unary, false },
    { "Sin", FIRST, move_unary, false },
    { "Sinh", FIRST, move_unary, false },
    { "Slice", FIRST, move_slice, true },
    { "Softmax", FIRST, move_softmax, false },
    { "Softplus", FIRST, move_unary, false },
    { "Softsign", FIRST, move_unary, false },
    { "Split", FIRST, move_split, false },
    { "Sqrt", FIRST, move_unary, false },
    { "Squeeze", FIRST, move_squeeze, false },
    { "Sub", WIDE, move_unary, false },
    { "Sum", WIDE, move_unary, false },
    { "Tan", FIRST, move_unary, false },
    { "Tanh", FIRST, move_unary, false },
    { "ThresholdedRelu", FIRST, move_unary, false },
    { "Tile", FIRST, move_sizes, false },
    { "Unsqueeze", FIRST, move_unsqueeze, false },
    { "Where", WIDE, move_unary, false },
    { "Xor", WIDE, move_unary, false },
};

static const struct operator* search_operator(const struct tn_net_op *op)
{
    size_t from = 0, to = sizeof operators / sizeof operators[0];

    while (from < to) {
        size_t          at   = (from + to) / 2;
        struct tn_bytes name = tn_text(operators[at].name);
        int             side = tn_bytes_compare(op->type, name);
        if (side == 0)
            return &operators[at];
        if (side < 0)
            to = at;
        else
            from = at + 1;
    }
    return NULL;
}

static struct found find_role(const struct tn_net_op *op)
{
    struct found found = { NULL, LEFT_ALONE };

    if (op->domain.size)
        return found;
    found.op = search_operator(op);
    if (tn_bytes_is(op->type, "Transpose"))
        found.role = IS_TRANSPOSE;
    else if (tn_bytes_is(op->type, "Reshape"))
        found.role = IS_RESHAPE;
    else if (tn_bytes_is(op->type, "Shape"))
        found.role = IS_SHAPE;
    else if (tn_bytes_is(op->type, "Gemm") || tn_bytes_is(op->type, "MatMul"))
        found.role = IS_PRODUCT;
    else if (found.op)
        found.role = IS_OTHER;
    return found;
}

/* Searched for once for all nodes of an op that was there before. */
static struct found role_of(struct moving *m, const struct tn_net_node_row *row)
{
    if (row->op >= m->op_count)
        return find_role(tn_net_op_at(m->net, row->op));
    if (m->ops[row->op].role == UNKNOWN)
        m->ops[row->op] = find_role(tn_net_op_at(m->net, row->op));
    return m->ops[row->op];
}

/* The node can be restored if nothing is gained in the end. */
static void remove_node(struct moving *m, uint32_t id)
{
    uint32_t *slot = tn_list_push(&m->removed, uint32_t, m->net->error);

    if (!slot)
        return;
    *slot = id;
    tn_net_remove(m->net, id);
}

/* Operators whose results have their channels as the second axis. */
static bool is_channels(const struct tn_net *net, uint32_t value)
{
    static const char *const ops[] = {
        "AveragePool",
        "BatchNormalization",
        "Conv",
        "ConvTranspose",
        "DepthToSpace",
        "GlobalAveragePool",
        "GlobalMaxPool",
        "GridSample",
        "InstanceNormalization",
        "LRN",
        "MaxPool",
        "QLinearConv",
        "SpaceToDepth",
    };
    uint32_t producer = tn_net_value(net, value).producer;

    for (size_t i = 0; producer != TN_NONE && i < sizeof ops / sizeof ops[0];
         i++)
        if (tn_bytes_is(tn_net_node(net, producer).op->type, ops[i]))
            return true;
    return false;
}

/* ---- one node ----------------------------------------------------------- */

/* How many of its inputs have the axes of the output. */
static uint32_t data_count(uint32_t inputs, enum data data)
{
    return data == FIRST ? inputs > 0 : inputs;
}

/* A form among the inputs that have the axes of the output: the first. */
static const struct form *find_form(const struct moving      *m,
                                    const struct tn_net_node *node,
                                    enum data                 data)
{
    for (uint32_t i = 0; i < data_count(node->input_count, data); i++) {
        const struct form *form =
            node->inputs[i] == TN_NONE ? NULL : form_of(m, node->inputs[i]);
        if (form && !is_identity(&form->order) &&
            tn_net_value(m->net, node->inputs[i]).graph == node->graph)
            return form;
    }
    return NULL;
}

static bool is_wanted(const struct moving *m, const uint32_t *outputs,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (outputs[i] != TN_NONE && m->wants[outputs[i]])
            return true;
    return false;
}

/* The cost of the inputs that have the axes of the output. */
struct costs {
    uint32_t had, added; /* that have the form, or need a Transpose for it    */
    uint32_t users;      /* of one that has the form, at most                 */
};

/* Whether the input differs from all inputs before it. */
static bool is_first(const struct tn_net_node *node, uint32_t input)
{
    for (uint32_t i = 0; i < input; i++)
        if (node->inputs[i] == node->inputs[input])
            return false;
    return true;
}

static bool add_costs(const struct moving *m, const struct tn_net_node *node,
                      const struct operator* op, const struct form *form,
                      struct costs *costs)
{
    for (uint32_t i = 0; i < data_count(node->input_count, op->data); i++) {
        uint32_t  value = node->inputs[i];
        enum cost cost  = value == TN_NONE
                              ? IMPOSSIBLE
                              : cost_of(m, value, form, node->graph);
        if (cost == IMPOSSIBLE)
            return false;
        costs->had += cost == HAS_FORM && is_first(node, i);
        costs->added += cost == TRANSPOSED && is_first(node, i);
        if (cost == HAS_FORM && m->uses[value] > costs->users)
            costs->users = m->uses[value];
    }
    return costs->added <= costs->had;
}

/* Whether fewer Transposes are left if the node is made for the base: because
 * one follows that cancels out or is joined, or because none is needed after
 * the node.  Otherwise it still pays if the Transpose is then of a smaller
 * value, or if the node stays with the convolution that it belongs to. */
static bool pays(const struct moving *m, const struct tn_net_node *node,
                 const struct operator* op, const struct change *c)
{
    struct costs costs = { 0, 0, 0 };

    if (!add_costs(m, node, op, c->form, &costs))
        return false;
    if (is_wanted(m, node->outputs, node->output_count) || costs.had > 1 ||
        is_identity(&c->out))
        return true;
    return costs.added == 0 && costs.users == 1 && node->output_count == 1 &&
           (op->shrinks || c->form->is_channels);
}

/* Rebuilds a node whose inputs all have the axes of the output. */
static bool has_axes(const struct moving *m, const struct tn_net_node *node,
                     const struct operator* op, const struct form *form)
{
    if (node->output_count == 0 || node->outputs[0] == TN_NONE)
        return false;
    const struct tn_net_type *type = type_of(m, node->outputs[0]);

    if (op->data == FIRST)
        return true;
    for (uint32_t i = 0; op->data == ALL && i < node->input_count; i++)
        if (node->inputs[i] == TN_NONE ||
            type_of(m, node->inputs[i])->rank != form->order.rank)
            return false;
    return type->has_rank && type->rank == form->order.rank;
}

static void make_again(struct moving *m, uint32_t id, const struct change *c)
{
    struct tn_net_node   node  = tn_net_node(m->net, id);
    struct tn_attr_value value = { .kind    = TN_ATTR_INT,
                                   .is_list = c->is_list,
                                   .count   = c->number_count };
    uint32_t             outputs[MOST_INPUTS];

    for (uint32_t i = 0; i < node.output_count; i++) {
        uint32_t out = node.outputs[i];
        outputs[i]   = out;
        if (out == TN_NONE || is_identity(&c->out))
            continue;
        outputs[i] = add_base(m, out, &c->out);
        if (outputs[i] == TN_NONE)
            return;
        set_form(m, out,
                 (struct form){ outputs[i], c->out, c->form->is_channels });
    }
    struct tn_net_node_row row = *tn_net_node_row(m->net, id);
    node.inputs                = c->inputs;
    node.input_count           = c->input_count;
    node.outputs               = outputs;
    remove_node(m, id);
    uint32_t made = tn_net_add_row(m->net, &row, &node);
    if (!c->attr || made == TN_NONE)
        return;
    int64_t *numbers = tn_new(m->net->arena, int64_t, MOST_RANK, m->net->error);
    if (!numbers)
        return;
    for (uint32_t i = 0; i < c->number_count; i++)
        numbers[i] = c->numbers[i];
    value.of.ints = numbers;
    tn_net_set_attr(m->net, made, c->attr, &value);
}

static bool move_over(struct moving *m, uint32_t id, const struct operator* op)
{
    const struct tn_net_node node = tn_net_node(m->net, id);
    const struct form       *form = find_form(m, &node, op->data);

    if (!form || node.control_count || node.input_count > MOST_INPUTS - 4 ||
        node.output_count > MOST_INPUTS || !has_axes(m, &node, op, form))
        return false;
    struct change c = { .form        = form,
                        .out         = form->order,
                        .input_count = node.input_count };
    for (uint32_t i = 0; i < node.input_count; i++)
        c.inputs[i] = node.inputs[i];
    if (!op->move(m, &node, &c) || !pays(m, &node, op, &c))
        return false;
    for (uint32_t i = 0; i < data_count(node.input_count, op->data); i++) {
        c.inputs[i] = in_order(m, node.inputs[i], form);
        if (c.inputs[i] == TN_NONE)
            return false;
    }
    make_again(m, id, &c);
    m->moved++;
    return true;
}

static void take_transpose(struct moving *m, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(m->net, id);
    struct order             o;

    if (node.control_count || node.input_count != 1 || node.output_count != 1 ||
        node.inputs[0] == TN_NONE || node.outputs[0] == TN_NONE)
        return;
    uint32_t                  from = node.inputs[0], to = node.outputs[0];
    const struct tn_net_type *type = type_of(m, to);
    const struct form        *form = form_of(m, from);
    if (!type->has_rank || !take_order(&node, type->rank, &o) ||
        tn_net_value(m->net, from).graph != node.graph)
        return;
    set_form(m, to,
             form ? (struct form){ form->base, both(&form->order, &o),
                                   form->is_channels }
                  : (struct form){ from, o, is_channels(m->net, from) });
    remove_node(m, id);
}

/* ---- reshapes ------------------------------------------------------------ */

/* Elements of the base are in the same order: only axes of size 1 have moved.
 */
static bool keeps_elements(const struct moving *m, const struct form *form)
{
    return moves_ones(type_of(m, form->base), &form->order);
}

/* A Reshape that names all sizes but one. */
static bool is_whole_shape(struct moving *m, const struct tn_net_node *node)
{
    struct numbers sizes;

    if (!take_numbers(m, node, 1, &sizes))
        return false;
    for (uint32_t i = 0; i < sizes.count; i++)
        if (sizes.items[i] == 0)
            return false;
    return true;
}

/* A Reshape of a form, made for its base: where axes become one that do not
 * follow each other in the base, it gets another order before. */
struct crossing {
    const struct form *form;
    struct tn_axis_run runs[MOST_RANK];
    uint32_t           run_count;
    int64_t            target[MOST_RANK]; /* as the node asks for             */
    uint32_t           rank;              /* of what it gives                 */
    struct order       before; /* axes of the base, as the Reshape needs them */
    struct order       after;  /* what it gives then, of what it gave         */
    int64_t            dims[MOST_RANK]; /* that it asks for then              */
};

static bool find_runs(struct moving *m, const struct tn_net_node *node,
                      struct crossing *c)
{
    const struct tn_net_type *from = type_of(m, node->inputs[0]);
    const struct tn_net_type *to   = type_of(m, node->outputs[0]);
    struct numbers            target;

    if (!from->has_rank || from->rank != c->form->order.rank || !to->has_rank ||
        to->rank > MOST_RANK || to->rank == 0 ||
        tn_net_int_attr(node, "allowzero", 0) ||
        !take_numbers(m, node, 1, &target) || target.count != to->rank)
        return false;
    c->rank = to->rank;
    for (uint32_t i = 0; i < target.count; i++)
        c->target[i] = (int64_t)target.items[i];
    c->run_count = tn_reshape_runs(from, to, c->target, c->runs);
    return c->run_count > 1;
}

/* The first axis of the base that a run has. */
static uint32_t first_of(const struct crossing    *c,
                         const struct tn_axis_run *run)
{
    uint32_t first = MOST_RANK;

    for (uint32_t i = 0; i < run->from_count; i++)
        if (c->form->order.perm[run->from + i] < first)
            first = c->form->order.perm[run->from + i];
    return first;
}

/* Runs in the order in which the base has them. */
static void sort_runs(struct crossing *c)
{
    for (uint32_t i = 1; i < c->run_count; i++)
        for (uint32_t k = i;
             k > 0 && first_of(c, &c->runs[k]) < first_of(c, &c->runs[k - 1]);
             k--) {
            struct tn_axis_run run = c->runs[k];
            c->runs[k]             = c->runs[k - 1];
            c->runs[k - 1]         = run;
        }
}

static void find_orders(struct crossing *c)
{
    c->before.rank = 0;
    c->after.rank  = c->rank;
    for (uint32_t r = 0, place = 0; r < c->run_count; r++) {
        const struct tn_axis_run *run = &c->runs[r];
        for (uint32_t i = 0; i < run->from_count; i++)
            c->before.perm[c->before.rank++] =
                c->form->order.perm[run->from + i];
        for (uint32_t i = 0; i < run->to_count; i++)
            c->after.perm[run->to + i] = place++;
    }
}

/* The target dims in the other order; false if one copies an unknown axis that
 * would move. */
static bool find_dims(const struct moving *m, const struct tn_net_node *node,
                      struct crossing *c)
{
    const struct tn_net_type *to = type_of(m, node->outputs[0]);

    for (uint32_t r = 0, axis = 0; r < c->run_count;
         axis += c->runs[r++].from_count)
        for (uint32_t i = 0; i < c->runs[r].to_count; i++) {
            uint32_t old   = c->runs[r].to + i;
            uint32_t place = c->after.perm[old];
            c->dims[place] = to->dims[old] > 0 ? to->dims[old] : c->target[old];
            if (c->dims[place] == 0 &&
                (place != axis || c->runs[r].from_count != 1))
                return false;
        }
    return true;
}

/* The base as the Reshape needs it; TN_NONE: it failed. */
static uint32_t base_before(struct moving *m, uint32_t like,
                            const struct crossing *c)
{
    struct order back = inverse(&c->before), o = c->form->order;

    if (is_identity(&c->before))
        return c->form->base;
    for (uint32_t i = 0; i < o.rank; i++)
        o.perm[i] = back.perm[o.perm[i]];
    uint32_t to = add_base(m, like, &o);
    if (to != TN_NONE)
        add_transpose(m, c->form->base, &c->before, to);
    return to;
}

/* The Reshape again, of another value and to other dims. */
static void make_reshape(struct moving *m, uint32_t id, uint32_t from,
                         const int64_t *dims, uint32_t rank, uint32_t to)
{
    struct tn_net_node made     = tn_net_node(m->net, id);
    struct tn_bytes    nameless = { NULL, 0 };
    uint64_t           count    = rank;
    uint32_t inputs[2] = { from, tn_net_add_ints(m->net, made.graph, nameless,
                                                 TN_INT64, dims, 1, &count) };

    if (inputs[1] == TN_NONE)
        return;
    made.inputs  = inputs;
    made.outputs = &to;
    remove_node(m, id);
    tn_net_add_node(m->net, &made);
    m->moved++;
}

/* Whether it pays: no Transpose is left, or another one follows and the two
 * become one.  A Transpose that has to come before the Reshape instead pays
 * only if nothing else needs the old order. */
static bool crossing_pays(const struct moving *m, uint32_t output,
                          const struct crossing *c)
{
    bool is_wanted_later = !is_identity(&c->after) && is_wanted(m, &output, 1);

    return is_identity(&c->before) ? is_identity(&c->after) || is_wanted_later
                                   : is_wanted_later && m->uses[output] == 1;
}

static bool cross(struct moving *m, uint32_t id, const struct form *form)
{
    const struct tn_net_node node = tn_net_node(m->net, id);
    struct crossing          c    = { .form = form };

    if (node.control_count || node.output_count != 1 ||
        node.outputs[0] == TN_NONE ||
        tn_net_value(m->net, node.inputs[0]).graph != node.graph ||
        !find_runs(m, &node, &c))
        return false;
    sort_runs(&c);
    find_orders(&c);
    if (!crossing_pays(m, node.outputs[0], &c) || !find_dims(m, &node, &c))
        return false;
    uint32_t from = base_before(m, node.inputs[0], &c);
    uint32_t to   = is_identity(&c.after)
                        ? node.outputs[0]
                        : add_base(m, node.outputs[0], &c.after);
    if (from == TN_NONE || to == TN_NONE)
        return false;
    if (to != node.outputs[0])
        set_form(m, node.outputs[0],
                 (struct form){ to, c.after, form->is_channels });
    make_reshape(m, id, from, c.dims, c.rank, to);
    return true;
}

/* ---- what a matrix is multiplied with ----------------------------------- */

/* An array of which all axes but the first are one axis of a matrix: the rows
 * of the weight may have the order of its base. */
struct flat {
    struct tn_net_node product, reshape;
    const struct form *form;
    uint32_t           weight;
    int64_t            rows, columns; /* of the weight                        */
    bool               is_turned;     /* and the other way round              */
};

static bool find_flat(const struct moving *m, uint32_t id, struct flat *f)
{
    f->product = tn_net_node(m->net, id);
    if (f->product.control_count || !tn_net_has_input(&f->product, 1) ||
        !tn_net_has_input(&f->product, 0) ||
        tn_net_int_attr(&f->product, "transA", 0))
        return false;
    struct tn_net_value rows = tn_net_value(m->net, f->product.inputs[0]);
    if (rows.producer == TN_NONE || m->uses[f->product.inputs[0]] != 1 ||
        !rows.type->has_rank || rows.type->rank != 2)
        return false;
    f->reshape = tn_net_node(m->net, rows.producer);
    if (f->reshape.is_removed || f->reshape.control_count ||
        !tn_bytes_is(f->reshape.op->type, "Reshape") ||
        f->reshape.graph != f->product.graph ||
        !tn_net_has_input(&f->reshape, 1))
        return false;
    f->form      = form_of(m, f->reshape.inputs[0]);
    f->weight    = f->product.inputs[1];
    f->is_turned = tn_net_int_attr(&f->product, "transB", 0);
    return f->form && f->form->order.perm[0] == 0 && is_free(m, f->weight);
}

/* Whether the second axis of the matrix is all axes but the first. */
static bool has_rows(struct moving *m, struct flat *f)
{
    const struct tn_net_type *from = type_of(m, f->reshape.inputs[0]);
    const struct tn_net_type *to   = type_of(m, f->product.inputs[0]);
    const struct tn_net_type *w    = type_of(m, f->weight);
    struct numbers            target;
    uint64_t                  rows = 1;

    if (!from->has_rank || from->rank != f->form->order.rank || w->rank != 2 ||
        tn_net_int_attr(&f->reshape, "allowzero", 0) ||
        !take_numbers(m, &f->reshape, 1, &target) || target.items[1] == 0)
        return false;
    for (uint32_t i = 1; i < from->rank; i++)
        if (from->dims[i] <= 0 || !tn_mul(rows, (uint64_t)from->dims[i], &rows))
            return false;
    f->rows    = w->dims[f->is_turned];
    f->columns = w->dims[!f->is_turned];
    return to->dims[1] == f->rows && (uint64_t)f->rows == rows;
}

/* Counts as a constant if the node makes it of one. */
static void fold(struct moving *m, uint32_t node)
{
    if (node == TN_NONE)
        return;
    tn_fold_as_view(m->net, m->facts, node);
    tn_net_remove(m->net, node);
}

/* The weight with its rows in the order of the base; TN_NONE: there is none. */
static uint32_t turned_weight(struct moving *m, const struct flat *f)
{
    const struct tn_net_type *from = type_of(m, f->reshape.inputs[0]);
    struct tn_net_value       w    = tn_net_value(m->net, f->weight);
    uint32_t                  rank = from->rank, first = f->is_turned;
    struct order              order = { .rank = rank }, back;
    int64_t                   split[MOST_RANK], turned[MOST_RANK];
    uint32_t                  to[3];

    back = inverse(&f->form->order);
    for (uint32_t i = 1; i < rank; i++)
        split[i - 1 + first] = from->dims[i];
    split[first ? 0 : rank - 1] = f->columns;
    for (uint32_t i = 1; i < rank; i++)
        order.perm[i - 1 + first] = back.perm[i] - 1 + first;
    order.perm[first ? 0 : rank - 1] = first ? 0 : rank - 1;
    for (uint32_t i = 0; i < rank; i++)
        turned[i] = split[order.perm[i]];
    struct tn_net_type types[3] = { *w.type, *w.type, *w.type };
    types[0].rank = types[1].rank = rank;
    types[0].dims                 = split;
    types[1].dims                 = turned;
    for (uint32_t i = 0; i < 3; i++) {
        types[i].symbols = NULL;
        to[i]            = tn_net_add_value(m->net, f->product.graph, w.name);
        if (to[i] == TN_NONE)
            return TN_NONE;
        tn_net_set_type(m->net, to[i], &types[i]);
    }
    fold(m, add_reshape(m, f->weight, split, rank, to[0]));
    fold(m, add_transpose(m, to[0], &order, to[1]));
    fold(m, add_reshape(m, to[1], w.type->dims, 2, to[2]));
    return tn_net_value(m->net, to[2]).constant ? to[2] : TN_NONE;
}

static void take_product(struct moving *m, uint32_t id)
{
    struct flat f;
    uint32_t    inputs[MOST_INPUTS];

    if (!find_flat(m, id, &f) || !has_rows(m, &f))
        return;
    uint32_t reshape = tn_net_value(m->net, f.product.inputs[0]).producer;
    struct tn_net_node made     = f.reshape;
    uint32_t           parts[2] = { f.form->base, f.reshape.inputs[1] };
    uint32_t           rows     = add_inner(m, f.product.inputs[0]);
    uint32_t           weight   = turned_weight(m, &f);
    if (rows == TN_NONE || weight == TN_NONE)
        return;
    tn_net_copy_type(m->net, rows, f.product.inputs[0]);
    made.inputs  = parts;
    made.outputs = &rows;
    remove_node(m, reshape);
    tn_net_add_node(m->net, &made);
    for (uint32_t i = 0; i < f.product.input_count; i++)
        inputs[i] = i == 0 ? rows : i == 1 ? weight : f.product.inputs[i];
    made        = f.product;
    made.inputs = inputs;
    remove_node(m, id);
    tn_net_add_node(m->net, &made);
    m->moved++;
}

static void take_reshape(struct moving *m, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(m->net, id);
    const struct form       *form =
        tn_net_has_input(&node, 0) && tn_net_has_input(&node, 1)
                  ? form_of(m, node.inputs[0])
                  : NULL;

    if (!form)
        return;
    if (!keeps_elements(m, form) || !is_whole_shape(m, &node)) {
        cross(m, id, form);
        return;
    }
    struct tn_net_node made      = node;
    uint32_t           inputs[2] = { form->base, node.inputs[1] };
    uint32_t           to        = node.outputs[0];
    made.inputs                  = inputs;
    made.outputs                 = &to;
    made.output_count            = 1;
    remove_node(m, id);
    tn_net_add_node(m->net, &made);
    m->moved++;
}

/* Which axes a Shape is asked for: from, and up to. */
static void asked_axes(const struct tn_net_node *node, uint32_t rank,
                       int64_t ends[2])
{
    ends[0] = tn_net_int_attr(node, "start", 0);
    ends[1] = tn_net_int_attr(node, "end", rank);
    for (uint32_t i = 0; i < 2; i++) {
        ends[i] += ends[i] < 0 ? rank : 0;
        ends[i] = ends[i] < 0 ? 0 : ends[i] > rank ? rank : ends[i];
    }
}

/* Where axes that follow each other do so in the base, too: a Shape of that. */
static bool take_run(struct moving *m, uint32_t id, const struct form *form)
{
    const struct tn_net_node node = tn_net_node(m->net, id);
    struct tn_net_node       made = node;
    uint32_t                 base = form->base, to = node.outputs[0];
    int64_t *ends = tn_new(m->net->arena, int64_t, 2, m->net->error);

    if (!ends)
        return false;
    asked_axes(&node, form->order.rank, ends);
    if (ends[0] >= ends[1])
        return false;
    int64_t shift = form->order.perm[ends[0]] - ends[0];
    for (int64_t i = ends[0]; i < ends[1]; i++)
        if (form->order.perm[i] != i + shift)
            return false;
    made.inputs  = &base;
    made.outputs = &to;
    remove_node(m, id);
    uint32_t added = tn_net_add_node(m->net, &made);
    for (uint32_t i = 0; node.attr_count && added != TN_NONE && i < 2; i++) {
        ends[i] += shift;
        struct tn_attr_value value = { .kind    = TN_ATTR_INT,
                                       .count   = 1,
                                       .of.ints = &ends[i] };
        tn_net_set_attr(m->net, added, i ? "end" : "start", &value);
    }
    m->moved++;
    return true;
}

/* The sizes of the base in that order, if nothing else needs the Transpose. */
static void take_shape(struct moving *m, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(m->net, id);
    const struct form       *form =
        tn_net_has_input(&node, 0) ? form_of(m, node.inputs[0]) : NULL;
    struct tn_bytes nameless = { NULL, 0 };
    int64_t         axes[MOST_RANK];

    if (!form || node.control_count || node.output_count != 1 ||
        take_run(m, id, form) || node.attr_count || m->uses[node.inputs[0]] > 1)
        return;
    uint64_t rank = form->order.rank;
    uint32_t to = node.outputs[0], base = form->base;
    for (uint32_t i = 0; i < rank; i++)
        axes[i] = form->order.perm[i];
    uint32_t inputs[2] = {
        tn_net_add_value(m->net, node.graph, tn_net_value(m->net, to).name),
        tn_net_add_ints(m->net, node.graph, nameless, TN_INT64, axes, 1, &rank),
    };
    if (inputs[0] == TN_NONE || inputs[1] == TN_NONE)
        return;
    tn_net_copy_type(m->net, inputs[0], to);
    struct tn_net_node made = node;
    made.inputs             = &base;
    made.outputs            = inputs;
    remove_node(m, id);
    tn_net_add_node(m->net, &made);
    struct tn_net_node pick = { .op           = tn_net_own_op(m->net, "Gather"),
                                .inputs       = inputs,
                                .input_count  = 2,
                                .outputs      = &to,
                                .output_count = 1,
                                .graph        = tn_net_node(m->net, id).graph,
                                .source       = TN_NONE };
    tn_net_add_node(m->net, &pick);
    m->moved++;
}

/* ---- all ---------------------------------------------------------------- */

static void look_ahead(struct moving *m, const struct tn_list *nodes)
{
    for (uint64_t i = nodes->count; i-- > 0;) {
        const struct tn_net_node_row *row =
            tn_net_node_row(m->net, *tn_list_at(nodes, uint32_t, i));
        struct found found        = role_of(m, row);
        bool         is_transpose = found.role == IS_TRANSPOSE;
        bool         is_reshape   = found.role == IS_RESHAPE;
        if (row->is_removed ||
            (!is_transpose &&
             ((!found.op && !is_reshape) ||
              !is_wanted(m, row->edges + row->input_count, row->output_count))))
            continue;
        uint32_t count = is_transpose ? row->input_count
                         : is_reshape
                             ? data_count(row->input_count, FIRST)
                             : data_count(row->input_count, found.op->data);
        for (uint32_t k = 0; k < count; k++)
            if (row->edges[k] != TN_NONE)
                m->wants[row->edges[k]] = true;
    }
}

/* Whether one of its inputs has a form, which few have: nothing is done with a
 * node of which none has one, but for a Transpose. */
static bool takes_form(const struct moving          *m,
                       const struct tn_net_node_row *row)
{
    for (uint32_t i = 0; i < row->input_count; i++)
        if (row->edges[i] != TN_NONE && form_of(m, row->edges[i]))
            return true;
    return false;
}

static void move_in_graph(struct moving *m, uint32_t graph)
{
    uint64_t count = tn_net_graph(m->net, graph)->nodes.count;

    look_ahead(m, &tn_net_graph(m->net, graph)->nodes);
    for (uint64_t i = 0; i < count && tn_net_goes_on(m->net); i++) {
        uint32_t id =
            *tn_list_at(&tn_net_graph(m->net, graph)->nodes, uint32_t, i);
        const struct tn_net_node_row *row   = tn_net_node_row(m->net, id);
        struct found                  found = role_of(m, row);
        if (row->is_removed || found.role == LEFT_ALONE)
            continue;
        if (found.role == IS_TRANSPOSE)
            take_transpose(m, id);
        else if (found.role == IS_PRODUCT)
            take_product(m, id);
        else if (!takes_form(m, row))
            continue;
        else if (found.role == IS_RESHAPE)
            take_reshape(m, id);
        else if (found.role == IS_SHAPE)
            take_shape(m, id);
        else
            move_over(m, id, found.op);
    }
}

static void make_form(struct moving *m, uint32_t value, bool *is_made)
{
    const struct form *form = form_of(m, value);

    if (!form || is_made[value])
        return;
    is_made[value] = true;
    add_transpose(m, form->base, &form->order, value);
}

/* Values with a form that something uses.  What is added uses none. */
static void make_forms(struct moving *m)
{
    bool    *is_made = tn_new(&m->arena, bool, m->values, m->net->error);
    uint64_t count   = m->net->nodes.count;

    for (uint32_t i = 0; is_made && i < count; i++) {
        const struct tn_net_node_row row = *tn_net_node_row(m->net, i);
        for (uint32_t k = 0; !row.is_removed && k < row.input_count; k++)
            if (row.edges[k] != TN_NONE)
                make_form(m, row.edges[k], is_made);
    }
    for (uint32_t g = 0; is_made && g < m->net->graphs.count; g++)
        for (uint64_t i = 0; i < tn_net_graph(m->net, g)->outputs.count; i++)
            make_form(
                m, *tn_list_at(&tn_net_graph(m->net, g)->outputs, uint32_t, i),
                is_made);
}

/* ---- there and back ----------------------------------------------------- */

static uint64_t count_transposes(struct moving *m)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < m->net->nodes.count; i++) {
        const struct tn_net_node_row *row = tn_net_node_row(m->net, i);
        count += !row->is_removed && role_of(m, row).role == IS_TRANSPOSE &&
                 row->input_count && row->edges[0] != TN_NONE &&
                 !tn_net_value_row(m->net, row->edges[0])->is_constant;
    }
    return count;
}

/* The state before the pass. Moving changes nothing of it but which nodes are
 * removed, and which nodes make which values. */
struct before {
    uint32_t  nodes, values, graphs;
    uint64_t *counts; /* nodes by graph                                       */
};

static bool remember(struct moving *m, struct before *b)
{
    const struct tn_net *net = m->net;

    b->nodes  = (uint32_t)net->nodes.count;
    b->values = (uint32_t)net->values.count;
    b->graphs = (uint32_t)net->graphs.count;
    b->counts = tn_new(&m->arena, uint64_t, b->graphs, net->error);
    for (uint32_t i = 0; b->counts && i < b->graphs; i++)
        b->counts[i] = tn_net_graph(net, i)->nodes.count;
    return b->counts;
}

static void go_back(struct moving *m, const struct before *b)
{
    struct tn_net *net = m->net;

    net->nodes.count  = b->nodes;
    net->values.count = b->values;
    for (uint32_t i = 0; i < b->graphs; i++)
        tn_net_graph(net, i)->nodes.count = b->counts[i];
    for (uint64_t i = 0; i < m->removed.count; i++) {
        uint32_t id = *tn_list_at(&m->removed, uint32_t, i);
        tn_net_node_row(net, id)->is_removed = false;
        const struct tn_net_node node        = tn_net_node(net, id);
        for (uint32_t k = 0; k < node.output_count; k++)
            if (node.outputs[k] != TN_NONE)
                tn_net_set_producer(net, node.outputs[k], id, k);
    }
}

static bool moving_init(struct moving *m)
{
    m->forms = tn_new(&m->arena, const struct form *, m->values, m->net->error);
    m->wants = tn_new(&m->arena, bool, m->values, m->net->error);
    m->uses  = tn_net_count_uses(m->net, &m->arena);
    return m->forms && m->wants && m->uses;
}

/* If nothing was moved, no Transpose is made, and everything stays as it
 * was. */
static void move_all(struct moving *m, uint64_t before)
{
    struct before b;

    if (!moving_init(m) || !remember(m, &b))
        return;
    for (uint32_t i = 0; i < b.graphs; i++)
        move_in_graph(m, i);
    if (m->moved)
        make_forms(m);
    if (tn_failed(m->net->error))
        return;
    if (!m->moved || count_transposes(m) > before) {
        go_back(m, &b);
        m->moved = 0;
    }
}

uint64_t tn_move_transposes(struct tn_net *net, struct tn_infer *facts)
{
    struct moving m = { .net    = net,
                        .facts  = facts,
                        .values = (uint32_t)net->values.count };
    uint64_t      before;

    tn_arena_init(&m.arena, net->arena->memory);
    tn_list_init(&m.removed, net->arena->memory, sizeof(uint32_t));
    m.op_count = (uint32_t)net->pool->ops.ops.count;
    m.ops      = tn_new(&m.arena, struct found, m.op_count, net->error);
    before     = m.ops ? count_transposes(&m) : 0;
    if (before)
        move_all(&m, before);
    tn_list_done(&m.removed);
    tn_arena_done(&m.arena);
    return m.moved;
}

/* ---- inputs and outputs ------------------------------------------------- */

/* The value as it is outside the graph, of the type of `like` with its channels
 * second. */
static uint32_t add_outside(struct moving *m, uint32_t like,
                            const struct order *last)
{
    uint32_t made = add_base(m, like, last);

    if (made != TN_NONE)
        tn_net_swap_names(m->net, made, like);
    return made;
}

static bool has_channels(struct tn_net *net, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(net, value);

    if (!v.type->has_rank && v.type->wrap == TN_NET_TENSOR)
        tn_error_because(net->error, TN_INVALID, TN_REASON_UNKNOWN_SHAPE,
                         TN_NOWHERE,
                         "the rank of '%.*s' is not known, so nobody knows "
                         "whether it has channels: --shape can tell",
                         TN_FMT(v.name));
    return v.type->has_rank && (v.type->rank == 4 || v.type->rank == 5) &&
           v.type->wrap == TN_NET_TENSOR && !v.constant;
}

uint64_t tn_channels_first(struct tn_net *net)
{
    struct moving        m = { .net = net };
    struct tn_net_graph *g = tn_net_graph(net, 0);

    for (uint64_t i = 0; i < g->inputs.count && !tn_failed(net->error); i++) {
        uint32_t *slot = tn_list_at(&g->inputs, uint32_t, i), inside = *slot;
        if (!has_channels(net, inside))
            continue;
        struct order last    = channels_last(type_of(&m, inside)->rank);
        uint32_t     outside = add_outside(&m, inside, &last);
        if (outside == TN_NONE)
            break;
        *slot = outside;
        add_transpose(&m, outside, &last, inside);
        m.moved++;
    }
    for (uint64_t i = 0; i < g->outputs.count && !tn_failed(net->error); i++) {
        uint32_t *slot = tn_list_at(&g->outputs, uint32_t, i), inside = *slot;
        if (!has_channels(net, inside))
            continue;
        struct order last    = channels_last(type_of(&m, inside)->rank);
        struct order first   = inverse(&last);
        uint32_t     outside = add_outside(&m, inside, &last);
        if (outside == TN_NONE)
            break;
        *slot = outside;
        if (i < g->output_types.count)
            *tn_list_at(&g->output_types, const struct tn_net_type *, i) = NULL;
        add_transpose(&m, inside, &first, outside);
        m.moved++;
    }
    return m.moved;
}
