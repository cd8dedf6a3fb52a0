/*
 * sizes.c - new shapes that only repeat sizes of what is reshaped
 *
 * Each value has the sizes of its dimensions, and, when it is a small list of
 * integers, those of its elements: as numbers, or as numbers of unknown sizes.
 */
#include "map/simplify/sizes.h"

#include "map/net/net_build.h"

enum { RANK_MAX = 8 };

/* A size: nothing known of it, a number n >= -1 as n + 2, or an unknown one. */
#define NOT_KNOWN  UINT32_C(0)
#define UNKNOWN    UINT32_C(0x80000000)
#define NUMBER(n)  ((uint32_t)((n) + 2))
#define NUMBER_MAX INT32_C(0x7ffffff0)

struct sizes {
    uint32_t items[RANK_MAX];
    uint8_t  count;
    bool     is_known; /* how many there are */
};

struct value_sizes {
    struct sizes dims, elements;
};

struct sizing {
    struct tn_net      *net;
    struct tn_infer    *facts;
    struct value_sizes *values;
    uint32_t            count; /* of `values` */
    uint32_t            next;  /* unknown size that has no number yet */
};

static bool is_number(uint32_t size)
{
    return size != NOT_KNOWN && size < UNKNOWN;
}

static uint32_t new_size(struct sizing *s)
{
    return UNKNOWN | s->next++;
}

static const struct value_sizes *sizes_of(const struct sizing      *s,
                                          const struct tn_net_node *node,
                                          uint32_t                  input)
{
    static const struct value_sizes nothing;

    if (input >= node->input_count || node->inputs[input] == TN_NONE ||
        node->inputs[input] >= s->count)
        return &nothing;
    return &s->values[node->inputs[input]];
}

/* ---- what types and constants say --------------------------------------- */

static void take_type(struct sizing *s, uint32_t id)
{
    const struct tn_net_type *type = tn_net_value(s->net, id).type;
    struct sizes             *dims = &s->values[id].dims;

    if (!type->has_rank || type->rank > RANK_MAX || type->wrap != TN_NET_TENSOR)
        return;
    dims->is_known = true;
    dims->count    = (uint8_t)type->rank;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] >= 0 && type->dims[i] < NUMBER_MAX)
            dims->items[i] = NUMBER(type->dims[i]);
        else
            dims->items[i] = new_size(s);
    }
}

static bool is_short_list(const struct tn_net_type *type)
{
    return (type->dtype == TN_INT64 || type->dtype == TN_INT32) &&
           type->has_rank && type->rank <= 1 &&
           (type->rank == 0 ||
            (type->dims[0] >= 0 && type->dims[0] <= RANK_MAX));
}

/* Elements as far as they are numbers; others are asked of operators. */
static void take_elements(struct sizing *s, uint32_t id)
{
    struct sizes  *to = &s->values[id].elements;
    struct tn_item items;

    if (!is_short_list(tn_net_value(s->net, id).type) ||
        tn_fold(s->facts, id, &items) != TN_OK || items.kind != TN_ITEM_LIST ||
        items.count > RANK_MAX)
        return;
    to->is_known = true;
    to->count    = (uint8_t)items.count;
    for (uint32_t i = 0; i < items.count; i++) {
        int64_t number;
        if (tn_item_to_int(items.of.items[i], &number) && number >= -1 &&
            number < NUMBER_MAX)
            to->items[i] = NUMBER(number);
    }
}

/* ---- operators ---------------------------------------------------------- */

/* Fills in what types leave open. */
static void take_dims(struct sizing *s, const struct tn_net_node *node,
                      const struct sizes *from)
{
    struct sizes *to = &s->values[node->outputs[0]].dims;

    if (!from->is_known || (to->is_known && to->count != from->count))
        return;
    if (!to->is_known)
        *to = (struct sizes){ .is_known = true, .count = from->count };
    for (uint32_t i = 0; i < to->count; i++) {
        if (!is_number(to->items[i]) && from->items[i] != NOT_KNOWN)
            to->items[i] = from->items[i];
        if (to->items[i] == NOT_KNOWN)
            to->items[i] = new_size(s);
    }
}

static void take_list(struct sizing *s, const struct tn_net_node *node,
                      const struct sizes *from)
{
    struct sizes *to = &s->values[node->outputs[0]].elements;

    if (!from->is_known ||
        !is_short_list(tn_net_value(s->net, node->outputs[0]).type) ||
        (to->is_known && to->count != from->count))
        return;
    to->is_known = true;
    to->count    = from->count;
    for (uint32_t i = 0; i < to->count; i++)
        if (!is_number(to->items[i]))
            to->items[i] = from->items[i];
}

static void same(struct sizing *s, const struct tn_net_node *node)
{
    take_dims(s, node, &sizes_of(s, node, 0)->dims);
}

static void copy(struct sizing *s, const struct tn_net_node *node)
{
    same(s, node);
    take_list(s, node, &sizes_of(s, node, 0)->elements);
}

/* Of two that are one, or of which one is repeated. */
static uint32_t meet(uint32_t a, uint32_t b)
{
    if (a == b || b == NUMBER(1))
        return a;
    if (a == NUMBER(1))
        return b;
    if (is_number(a))
        return a;
    return is_number(b) ? b : NOT_KNOWN;
}

/* Aligned at the end, but for the last `kept` of the first. */
static bool broadcast(struct sizes *to, const struct sizes *with, uint32_t kept)
{
    struct sizes a = *to;

    if (!a.is_known || !with->is_known || a.count < kept || with->count < kept)
        return false;
    to->count = a.count > with->count ? a.count : with->count;
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t end  = to->count - i;
        uint32_t mine = end <= a.count ? a.items[a.count - end] : NUMBER(1);
        uint32_t other =
            end <= with->count ? with->items[with->count - end] : NUMBER(1);
        to->items[i] = end <= kept ? mine : meet(mine, other);
    }
    return true;
}

static void together(struct sizing *s, const struct tn_net_node *node)
{
    struct sizes all = sizes_of(s, node, 0)->dims;

    for (uint32_t i = 1; i < node->input_count; i++)
        if (!broadcast(&all, &sizes_of(s, node, i)->dims, 0))
            return;
    take_dims(s, node, &all);
}

static void multiply(struct sizing *s, const struct tn_net_node *node)
{
    struct sizes        all = sizes_of(s, node, 0)->dims;
    const struct sizes *b   = &sizes_of(s, node, 1)->dims;

    if (all.count < 2 || b->count < 2 || !broadcast(&all, b, 2))
        return;
    all.items[all.count - 1] = b->items[b->count - 1];
    take_dims(s, node, &all);
}

static void transpose(struct sizing *s, const struct tn_net_node *node)
{
    const struct sizes         *from = &sizes_of(s, node, 0)->dims;
    const struct tn_attr_value *perm = tn_net_attr(node, "perm");
    struct sizes                to   = *from;

    if (!from->is_known || !perm || perm->kind != TN_ATTR_INT ||
        perm->count != from->count)
        return;
    for (uint32_t i = 0; i < from->count; i++) {
        if (perm->of.ints[i] < 0 || perm->of.ints[i] >= from->count)
            return;
        to.items[i] = from->items[perm->of.ints[i]];
    }
    take_dims(s, node, &to);
}

/* A product: a number, and unknown sizes. */
struct product {
    int64_t  number;
    uint32_t unknown[RANK_MAX];
    uint32_t count;
};

/* False: something is not known at all, or it is 0, or large. */
static bool multiply_all(const struct sizes *sizes, uint32_t except,
                         struct product *p)
{
    *p = (struct product){ .number = 1 };
    for (uint32_t i = 0; i < sizes->count; i++) {
        uint32_t size = sizes->items[i];
        if (i == except)
            continue;
        if (size == NOT_KNOWN || size == NUMBER(0) || size == NUMBER(-1) ||
            p->number > INT64_C(1) << 31)
            return false;
        if (is_number(size))
            p->number *= (int64_t)size - 2;
        else
            p->unknown[p->count++] = size;
    }
    return true;
}

/* Takes an unknown size out of a product; false: it is not there. */
static bool cancel(struct product *p, uint32_t size)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->unknown[i] == size) {
            p->unknown[i] = p->unknown[--p->count];
            return true;
        }
    return false;
}

/* What is left of one shape for the place `except` of another. */
static uint32_t divide(const struct sizes *all, const struct sizes *others,
                       uint32_t except)
{
    struct product whole, part;

    if (!all->is_known || !multiply_all(all, RANK_MAX, &whole) ||
        !multiply_all(others, except, &part))
        return NOT_KNOWN;
    for (uint32_t i = 0; i < part.count; i++)
        if (!cancel(&whole, part.unknown[i]))
            return NOT_KNOWN;
    if (whole.number % part.number != 0)
        return NOT_KNOWN;
    whole.number /= part.number;
    if (whole.count == 0 && whole.number < NUMBER_MAX)
        return NUMBER(whole.number);
    return whole.count == 1 && whole.number == 1 ? whole.unknown[0] : NOT_KNOWN;
}

static void reshape(struct sizing *s, const struct tn_net_node *node)
{
    struct sizes        to   = sizes_of(s, node, 1)->elements;
    const struct sizes *from = &sizes_of(s, node, 0)->dims;

    for (uint32_t i = 0; i < to.count; i++)
        if (to.items[i] == NUMBER(0))
            to.items[i] =
                from->is_known && i < from->count ? from->items[i] : NOT_KNOWN;
    for (uint32_t i = 0; i < to.count; i++)
        if (to.items[i] == NUMBER(-1))
            to.items[i] = divide(from, &to, i);
    take_dims(s, node, &to);
}

static void shape(struct sizing *s, const struct tn_net_node *node)
{
    const struct tn_attr_value *start = tn_net_attr(node, "start");

    if (tn_net_attr(node, "end") || (start && start->of.ints[0] != 0))
        return;
    take_list(s, node, &sizes_of(s, node, 0)->dims);
}

/* A number among those of a list. */
static bool number_at(const struct sizes *list, uint32_t index, int64_t *number)
{
    if (!list->is_known || index >= list->count ||
        !is_number(list->items[index]))
        return false;
    *number = (int64_t)list->items[index] - 2;
    return true;
}

/* Of lists along their only axis; of others where whole parts are taken. */
static void gather(struct sizing *s, const struct tn_net_node *node)
{
    const struct tn_attr_value *axis    = tn_net_attr(node, "axis");
    const struct value_sizes   *data    = sizes_of(s, node, 0);
    const struct value_sizes   *indices = sizes_of(s, node, 1);
    struct sizes                to      = indices->dims;

    if ((axis && axis->of.ints[0] != 0) ||
        data->dims.count + to.count > RANK_MAX)
        return;
    for (uint32_t i = 1; i < data->dims.count; i++)
        to.items[to.count++] = data->dims.items[i];
    if (data->dims.is_known && data->dims.count > 0)
        take_dims(s, node, &to);
    if (!data->elements.is_known || !indices->elements.is_known)
        return;
    struct sizes list = indices->elements;
    for (uint32_t i = 0; i < list.count; i++) {
        int64_t at;
        if (!number_at(&indices->elements, i, &at))
            return;
        at += at < 0 ? data->elements.count : 0;
        if (at < 0 || at >= data->elements.count)
            return;
        list.items[i] = data->elements.items[at];
    }
    take_list(s, node, &list);
}

/* Of lists, by steps of one. */
static void slice(struct sizing *s, const struct tn_net_node *node)
{
    const struct sizes *from = &sizes_of(s, node, 0)->elements;
    struct sizes        to   = { .is_known = true };
    struct tn_item      ends;
    int64_t             begin, end, step = 1;

    if (!from->is_known || node->input_count < 3 ||
        !number_at(&sizes_of(s, node, 1)->elements, 0, &begin) ||
        tn_fold(s->facts, node->inputs[2], &ends) != TN_OK ||
        ends.kind != TN_ITEM_LIST || ends.count != 1 ||
        !tn_item_to_int(ends.of.items[0], &end) ||
        (node->input_count > 4 && node->inputs[4] != TN_NONE &&
         !number_at(&sizes_of(s, node, 4)->elements, 0, &step)) ||
        step != 1 || begin < 0)
        return;
    end += end < 0 ? from->count : 0;
    for (int64_t i = begin; i < end && i < from->count; i++)
        to.items[to.count++] = from->items[i];
    take_list(s, node, &to);
}

static void concat(struct sizing *s, const struct tn_net_node *node)
{
    struct sizes to = { .is_known = true };

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct sizes *piece = &sizes_of(s, node, i)->elements;
        if (!piece->is_known || to.count + piece->count > RANK_MAX)
            return;
        for (uint32_t k = 0; k < piece->count; k++)
            to.items[to.count++] = piece->items[k];
    }
    take_list(s, node, &to);
}

/* Axis `index` of an attribute or of an input; false: it is not known. */
static bool axis_at(struct sizing *s, const struct tn_net_node *node,
                    uint32_t index, uint32_t rank, uint32_t *axis)
{
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    int64_t                     number;

    if (attr && attr->kind == TN_ATTR_INT && index < attr->count)
        number = attr->of.ints[index];
    else if (attr ||
             !number_at(&sizes_of(s, node, 1)->elements, index, &number))
        return false;
    number += number < 0 ? rank : 0;
    *axis = (uint32_t)number;
    return number >= 0 && number < rank;
}

/* Axes of one more. */
static void unsqueeze(struct sizing *s, const struct tn_net_node *node)
{
    const struct sizes         *from = &sizes_of(s, node, 0)->dims;
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    uint32_t more   = attr ? attr->count : sizes_of(s, node, 1)->elements.count;
    struct sizes to = { .is_known = true,
                        .count    = (uint8_t)(from->count + more) };
    uint32_t     axis, at = 0;

    take_list(s, node, &sizes_of(s, node, 0)->elements);
    if (!from->is_known || !more || from->count + more > RANK_MAX)
        return;
    for (uint32_t i = 0; i < more; i++) {
        if (!axis_at(s, node, i, to.count, &axis))
            return;
        to.items[axis] = NUMBER(1);
    }
    for (uint32_t i = 0; i < to.count; i++)
        if (to.items[i] == NOT_KNOWN && at < from->count)
            to.items[i] = from->items[at++];
    take_dims(s, node, &to);
}

/* Of axes that stay, with one. */
static void reduce(struct sizing *s, const struct tn_net_node *node)
{
    const struct tn_attr_value *keep = tn_net_attr(node, "keepdims");
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    struct sizes                to   = sizes_of(s, node, 0)->dims;
    uint32_t                    axis,
        count = attr ? attr->count : sizes_of(s, node, 1)->elements.count;

    if ((keep && !keep->of.ints[0]) || !count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!axis_at(s, node, i, to.count, &axis))
            return;
        to.items[axis] = NUMBER(1);
    }
    take_dims(s, node, &to);
}

static void list_alone(struct sizing *s, const struct tn_net_node *node)
{
    take_list(s, node, &sizes_of(s, node, 0)->elements);
}

static const struct {
    const char *op;
    void (*run)(struct sizing *s, const struct tn_net_node *node);
} operators[] = {
    { "Abs", same },
    { "Cast", copy },
    { "Clip", same },
    { "Dropout", same },
    { "Elu", same },
    { "Erf", same },
    { "Exp", same },
    { "Floor", same },
    { "Gelu", same },
    { "HardSigmoid", same },
    { "HardSwish", same },
    { "Identity", copy },
    { "LayerNormalization", same },
    { "LeakyRelu", same },
    { "Log", same },
    { "LogSoftmax", same },
    { "Neg", same },
    { "Not", same },
    { "Reciprocal", same },
    { "Relu", same },
    { "Sigmoid", same },
    { "Softmax", same },
    { "Softplus", same },
    { "Sqrt", same },
    { "Tanh", same },
    { "Add", together },
    { "And", together },
    { "Div", together },
    { "Equal", together },
    { "Greater", together },
    { "Less", together },
    { "Max", together },
    { "Min", together },
    { "Mul", together },
    { "Or", together },
    { "Pow", together },
    { "Sub", together },
    { "Where", together },
    { "MatMul", multiply },
    { "Transpose", transpose },
    { "Reshape", reshape },
    { "Shape", shape },
    { "Gather", gather },
    { "Slice", slice },
    { "Concat", concat },
    { "Unsqueeze", unsqueeze },
    { "ReduceMax", reduce },
    { "ReduceMean", reduce },
    { "ReduceSum", reduce },
    { "Squeeze", list_alone },
};

static void visit(struct sizing *s, const struct tn_net_node *node)
{
    if (node->is_removed || node->op->domain.size || !node->output_count ||
        node->outputs[0] == TN_NONE)
        return;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (tn_bytes_is(node->op->type, operators[i].op)) {
            operators[i].run(s, node);
            return;
        }
}

/* ---- shapes that become constants --------------------------------------- */

/* 0 where the size is that of what is reshaped; the numbers that there are; -1
 * where it was, or for the only size that is left. */
static bool write_shape(const struct sizing *s, const struct tn_net_node *node,
                        int64_t *shape, uint64_t *count)
{
    const struct sizes *to    = &sizes_of(s, node, 1)->elements;
    const struct sizes *of    = &sizes_of(s, node, 0)->dims;
    uint32_t            zeros = 0, open = 0;

    if (!to->is_known || !of->is_known || !to->count)
        return false;
    *count = to->count;
    for (uint32_t i = 0; i < to->count; i++) {
        if (number_at(to, i, &shape[i])) {
            open += shape[i] == -1;
            if (shape[i] == 0)
                return false;
        } else if (to->items[i] == NOT_KNOWN || i >= of->count ||
                   of->items[i] != to->items[i]) {
            return false;
        } else {
            shape[i] = 0;
            zeros++;
        }
    }
    return zeros > 0 && open <= 1;
}

static bool is_candidate(const struct tn_net      *net,
                         const struct tn_net_node *node)
{
    const struct tn_attr_value *zero;

    return !node->is_removed && !node->op->domain.size &&
           tn_bytes_is(node->op->type, "Reshape") && node->input_count == 2 &&
           node->inputs[0] != TN_NONE && node->inputs[1] != TN_NONE &&
           !tn_net_value(net, node->inputs[1]).constant &&
           (!(zero = tn_net_attr(node, "allowzero")) || !zero->of.ints[0]);
}

static bool settle(struct sizing *s, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(s->net, id);
    int64_t                  shape[RANK_MAX];
    uint64_t                 count;

    if (!is_candidate(s->net, &node) || !write_shape(s, &node, shape, &count))
        return false;
    struct tn_bytes was      = tn_net_value(s->net, node.inputs[1]).name;
    uint32_t        inputs[] = { node.inputs[0],
                                 tn_net_add_ints(s->net, node.graph, was, TN_INT64,
                                                 shape, 1, &count) };
    if (inputs[1] == TN_NONE)
        return false;
    tn_net_set_inputs(s->net, id, inputs, 2);
    return true;
}

/* ---- all of it ---------------------------------------------------------- */

static void begin(struct sizing *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct tn_net_value value = tn_net_value(s->net, i);
        take_type(s, i);
        if (value.constant)
            take_elements(s, i);
    }
}

static void walk(struct sizing *s)
{
    for (uint32_t g = 0; g < s->net->graphs.count; g++) {
        const struct tn_list *nodes = &tn_net_graph(s->net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count && tn_net_goes_on(s->net); i++) {
            const struct tn_net_node node =
                tn_net_node(s->net, *tn_list_at(nodes, uint32_t, i));
            visit(s, &node);
        }
    }
}

/* Numbers that types do not have; the next round goes on with them. */
static void tell_type(struct sizing *s, uint32_t id)
{
    struct tn_net_type  type = *tn_net_value(s->net, id).type;
    const struct sizes *dims = &s->values[id].dims;
    int64_t             told[RANK_MAX], number;
    bool                is_news = false;

    if (!type.has_rank || !dims->is_known || type.rank != dims->count)
        return;
    for (uint32_t i = 0; i < type.rank; i++) {
        told[i] = type.dims[i];
        if (told[i] < 0 && number_at(dims, i, &number) && number >= 0) {
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
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (is_candidate(net, &node))
            return true;
    }
    return false;
}

uint64_t tn_simplify_sizes(struct tn_net *net, struct tn_infer *facts)
{
    struct sizing   s     = { .net   = net,
                              .facts = facts,
                              .count = (uint32_t)net->values.count };
    uint64_t        count = 0;
    struct tn_arena arena;

    if (!has_candidate(net))
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    s.values = tn_new(&arena, struct value_sizes, s.count, net->error);
    if (s.values) {
        begin(&s);
        walk(&s);
    }
    uint32_t last = (uint32_t)net->nodes.count;
    for (uint32_t i = 0; s.values && i < last && tn_net_goes_on(net); i++)
        count += settle(&s, i);
    for (uint32_t i = 0; s.values && i < s.count && !tn_failed(net->error); i++)
        if (tn_net_value(net, i).producer != TN_NONE)
            tell_type(&s, i);
    tn_arena_done(&arena);
    return count;
}
