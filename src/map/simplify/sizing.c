/* sizing.c - the sizes of values, as far as they are known or equal to others
 */
#include "map/simplify/sizing.h"

#include "map/net/net_build.h"
#include "map/simplify/node_ops.h"

#define SIZE_NUMBER_MAX INT32_C(0x7ffffff0)

static uint32_t new_size(struct tn_sizing *s)
{
    return TN_SIZE_UNKNOWN | s->next++;
}

const struct tn_value_sizes *tn_sizes_of_value(const struct tn_sizing *s,
                                               uint32_t                value)
{
    static const struct tn_value_sizes nothing;

    return value < s->count ? &s->values[value] : &nothing;
}

const struct tn_value_sizes *tn_sizes_of(const struct tn_sizing   *s,
                                         const struct tn_net_node *node,
                                         uint32_t                  input)
{
    return tn_sizes_of_value(s, input < node->input_count ? node->inputs[input]
                                                          : TN_NONE);
}

bool tn_sizes_agree(const struct tn_sizes *a, const struct tn_sizes *b,
                    uint32_t count)
{
    if (!a->is_known || !b->is_known || count > a->count || count > b->count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (a->items[i] == TN_SIZE_NOT_KNOWN || a->items[i] != b->items[i])
            return false;
    return true;
}

/* ---- what types and constants say --------------------------------------- */

static void take_type(struct tn_sizing *s, uint32_t id)
{
    const struct tn_net_type *type = tn_net_value(s->net, id).type;
    struct tn_sizes          *dims = &s->values[id].dims;

    if (!type->has_rank || type->rank > TN_SIZES_MAX ||
        type->wrap != TN_NET_TENSOR)
        return;
    dims->is_known = true;
    dims->count    = (uint8_t)type->rank;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] >= 0 && type->dims[i] < SIZE_NUMBER_MAX)
            dims->items[i] = TN_SIZE(type->dims[i]);
        else
            dims->items[i] = new_size(s);
    }
}

static bool is_short_list(const struct tn_net_type *type)
{
    return (type->dtype == TN_INT64 || type->dtype == TN_INT32) &&
           type->has_rank && type->rank <= 1 &&
           (type->rank == 0 ||
            (type->dims[0] >= 0 && type->dims[0] <= TN_SIZES_MAX));
}

/* Elements that are numbers; others are computed from operators. */
static void take_elements(struct tn_sizing *s, uint32_t id)
{
    struct tn_sizes *to = &s->values[id].elements;
    struct tn_item   items;

    if (!is_short_list(tn_net_value(s->net, id).type) ||
        tn_fold(s->facts, id, &items) != TN_OK || items.kind != TN_ITEM_LIST ||
        items.count > TN_SIZES_MAX)
        return;
    to->is_known = true;
    to->count    = (uint8_t)items.count;
    for (uint32_t i = 0; i < items.count; i++) {
        int64_t number;
        if (tn_item_to_int(items.of.items[i], &number) && number >= -1 &&
            number < SIZE_NUMBER_MAX)
            to->items[i] = TN_SIZE(number);
    }
}

/* ---- operators ---------------------------------------------------------- */

/* Fills in sizes that types leave open. */
static void take_dims(struct tn_sizing *s, const struct tn_net_node *node,
                      const struct tn_sizes *from)
{
    struct tn_sizes *to = &s->values[node->outputs[0]].dims;

    if (!from->is_known || (to->is_known && to->count != from->count))
        return;
    if (!to->is_known)
        *to = (struct tn_sizes){ .is_known = true, .count = from->count };
    for (uint32_t i = 0; i < to->count; i++) {
        if (!tn_size_is_number(to->items[i]) &&
            from->items[i] != TN_SIZE_NOT_KNOWN)
            to->items[i] = from->items[i];
        if (to->items[i] == TN_SIZE_NOT_KNOWN)
            to->items[i] = new_size(s);
    }
}

static void take_list(struct tn_sizing *s, const struct tn_net_node *node,
                      const struct tn_sizes *from)
{
    struct tn_sizes *to = &s->values[node->outputs[0]].elements;

    if (!from->is_known ||
        !is_short_list(tn_net_value(s->net, node->outputs[0]).type) ||
        (to->is_known && to->count != from->count))
        return;
    to->is_known = true;
    to->count    = from->count;
    for (uint32_t i = 0; i < to->count; i++)
        if (!tn_size_is_number(to->items[i]))
            to->items[i] = from->items[i];
}

static void same(struct tn_sizing *s, const struct tn_net_node *node)
{
    take_dims(s, node, &tn_sizes_of(s, node, 0)->dims);
}

static void copy(struct tn_sizing *s, const struct tn_net_node *node)
{
    same(s, node);
    take_list(s, node, &tn_sizes_of(s, node, 0)->elements);
}

/* The size of two that are equal or broadcast. */
static uint32_t meet(uint32_t a, uint32_t b)
{
    if (a == b || b == TN_SIZE(1))
        return a;
    if (a == TN_SIZE(1))
        return b;
    if (tn_size_is_number(a))
        return a;
    return tn_size_is_number(b) ? b : TN_SIZE_NOT_KNOWN;
}

/* Aligned at the end, but for the last `kept` of the first. */
static bool broadcast(struct tn_sizes *to, const struct tn_sizes *with,
                      uint32_t kept)
{
    struct tn_sizes a = *to;

    if (!a.is_known || !with->is_known || a.count < kept || with->count < kept)
        return false;
    to->count = a.count > with->count ? a.count : with->count;
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t end  = to->count - i;
        uint32_t mine = end <= a.count ? a.items[a.count - end] : TN_SIZE(1);
        uint32_t other =
            end <= with->count ? with->items[with->count - end] : TN_SIZE(1);
        to->items[i] = end <= kept ? mine : meet(mine, other);
    }
    return true;
}

static void together(struct tn_sizing *s, const struct tn_net_node *node)
{
    struct tn_sizes all = tn_sizes_of(s, node, 0)->dims;

    for (uint32_t i = 1; i < node->input_count; i++)
        if (!broadcast(&all, &tn_sizes_of(s, node, i)->dims, 0))
            return;
    take_dims(s, node, &all);
}

static void multiply(struct tn_sizing *s, const struct tn_net_node *node)
{
    struct tn_sizes        all = tn_sizes_of(s, node, 0)->dims;
    const struct tn_sizes *b   = &tn_sizes_of(s, node, 1)->dims;

    if (all.count < 2 || b->count < 2 || !broadcast(&all, b, 2))
        return;
    all.items[all.count - 1] = b->items[b->count - 1];
    take_dims(s, node, &all);
}

static void transpose(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes      *from = &tn_sizes_of(s, node, 0)->dims;
    const struct tn_attr_value *perm = tn_net_attr(node, "perm");
    struct tn_sizes             to   = *from;

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
    uint32_t unknown[TN_SIZES_MAX];
    uint32_t count;
};

/* False if something is completely unknown, 0, or too large. */
static bool multiply_all(const struct tn_sizes *sizes, uint32_t except,
                         struct product *p)
{
    *p = (struct product){ .number = 1 };
    for (uint32_t i = 0; i < sizes->count; i++) {
        uint32_t size = sizes->items[i];
        if (i == except)
            continue;
        if (size == TN_SIZE_NOT_KNOWN || size == TN_SIZE(0) ||
            size == TN_SIZE(-1) || p->number > INT64_C(1) << 31)
            return false;
        if (tn_size_is_number(size))
            p->number *= (int64_t)size - 2;
        else
            p->unknown[p->count++] = size;
    }
    return true;
}

/* Removes an unknown size from a product; false if it is not in it. */
static bool cancel(struct product *p, uint32_t size)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->unknown[i] == size) {
            p->unknown[i] = p->unknown[--p->count];
            return true;
        }
    return false;
}

/* The quotient of one shape by another without the place `except`. */
static uint32_t divide(const struct tn_sizes *all,
                       const struct tn_sizes *others, uint32_t except)
{
    struct product whole, part;

    if (!all->is_known || !multiply_all(all, TN_SIZES_MAX, &whole) ||
        !multiply_all(others, except, &part))
        return TN_SIZE_NOT_KNOWN;
    for (uint32_t i = 0; i < part.count; i++)
        if (!cancel(&whole, part.unknown[i]))
            return TN_SIZE_NOT_KNOWN;
    if (whole.number % part.number != 0)
        return TN_SIZE_NOT_KNOWN;
    whole.number /= part.number;
    if (whole.count == 0 && whole.number < SIZE_NUMBER_MAX)
        return TN_SIZE(whole.number);
    return whole.count == 1 && whole.number == 1 ? whole.unknown[0]
                                                 : TN_SIZE_NOT_KNOWN;
}

static void reshape(struct tn_sizing *s, const struct tn_net_node *node)
{
    struct tn_sizes        to     = tn_sizes_of(s, node, 1)->elements;
    const struct tn_sizes *from   = &tn_sizes_of(s, node, 0)->dims;
    bool                   copies = tn_net_int_attr(node, "allowzero", 0) == 0;

    for (uint32_t i = 0; i < to.count; i++)
        if (to.items[i] == TN_SIZE(0) && copies)
            to.items[i] = from->is_known && i < from->count ? from->items[i]
                                                            : TN_SIZE_NOT_KNOWN;
    for (uint32_t i = 0; i < to.count; i++)
        if (to.items[i] == TN_SIZE(-1))
            to.items[i] = divide(from, &to, i);
    take_dims(s, node, &to);
}

/* An index into a list, counted from either end, from an attribute. */
static uint32_t place_of(const struct tn_net_node *node, const char *name,
                         uint32_t count, uint32_t otherwise)
{
    const struct tn_attr_value *attr = tn_net_attr(node, name);
    int64_t                     at;

    if (!attr || attr->kind != TN_ATTR_INT || attr->count != 1)
        return otherwise;
    at = attr->of.ints[0] + (attr->of.ints[0] < 0 ? (int64_t)count : 0);
    return at < 0 ? 0 : at > count ? count : (uint32_t)at;
}

static void shape(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes *dims  = &tn_sizes_of(s, node, 0)->dims;
    uint32_t               start = place_of(node, "start", dims->count, 0);
    uint32_t        end = place_of(node, "end", dims->count, dims->count);
    struct tn_sizes to  = { .is_known = dims->is_known };

    for (uint32_t i = start; i < end; i++)
        to.items[to.count++] = dims->items[i];
    take_list(s, node, &to);
}

/* A number among those of a list. */
bool tn_size_number(const struct tn_sizes *list, uint32_t index,
                    int64_t *number)
{
    if (!list->is_known || index >= list->count ||
        !tn_size_is_number(list->items[index]))
        return false;
    *number = (int64_t)list->items[index] - 2;
    return true;
}

/* Lists along their only axis; of other values only slices of whole parts. */
static void gather(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_value_sizes *data    = tn_sizes_of(s, node, 0);
    const struct tn_value_sizes *indices = tn_sizes_of(s, node, 1);
    struct tn_sizes              to      = indices->dims;

    if (tn_net_int_attr(node, "axis", 0) != 0 ||
        data->dims.count + to.count > TN_SIZES_MAX)
        return;
    for (uint32_t i = 1; i < data->dims.count; i++)
        to.items[to.count++] = data->dims.items[i];
    if (data->dims.is_known && data->dims.count > 0)
        take_dims(s, node, &to);
    if (!data->elements.is_known || !indices->elements.is_known)
        return;
    struct tn_sizes list = indices->elements;
    for (uint32_t i = 0; i < list.count; i++) {
        int64_t at;
        if (!tn_size_number(&indices->elements, i, &at))
            return;
        at += at < 0 ? data->elements.count : 0;
        if (at < 0 || at >= data->elements.count)
            return;
        list.items[i] = data->elements.items[at];
    }
    take_list(s, node, &list);
}

/* Of lists, by steps of one. */
static void slice(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes *from = &tn_sizes_of(s, node, 0)->elements;
    struct tn_sizes        to   = { .is_known = true };
    struct tn_item         ends;
    int64_t                begin, end, step = 1;

    if (!from->is_known || node->input_count < 3 ||
        !tn_size_number(&tn_sizes_of(s, node, 1)->elements, 0, &begin) ||
        tn_fold(s->facts, node->inputs[2], &ends) != TN_OK ||
        ends.kind != TN_ITEM_LIST || ends.count != 1 ||
        !tn_item_to_int(ends.of.items[0], &end) ||
        (node->input_count > 4 && node->inputs[4] != TN_NONE &&
         !tn_size_number(&tn_sizes_of(s, node, 4)->elements, 0, &step)) ||
        step != 1 || begin < 0)
        return;
    end += end < 0 ? from->count : 0;
    for (int64_t i = begin; i < end && i < from->count; i++)
        to.items[to.count++] = from->items[i];
    take_list(s, node, &to);
}

/* Along one axis; in the others all inputs have the same size. */
static void concat_dims(struct tn_sizing *s, const struct tn_net_node *node)
{
    struct tn_sizes to   = tn_sizes_of(s, node, 0)->dims;
    uint32_t        axis = place_of(node, "axis", to.count, TN_SIZES_MAX);

    if (axis >= to.count)
        return;
    to.items[axis] = TN_SIZE_NOT_KNOWN;
    take_dims(s, node, &to);
}

static void concat(struct tn_sizing *s, const struct tn_net_node *node)
{
    struct tn_sizes to = { .is_known = true };

    concat_dims(s, node);

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct tn_sizes *piece = &tn_sizes_of(s, node, i)->elements;
        if (!piece->is_known || to.count + piece->count > TN_SIZES_MAX)
            return;
        for (uint32_t k = 0; k < piece->count; k++)
            to.items[to.count++] = piece->items[k];
    }
    take_list(s, node, &to);
}

/* Axis `index` of an attribute or of an input; false: it is not known. */
static bool axis_at(struct tn_sizing *s, const struct tn_net_node *node,
                    uint32_t index, uint32_t rank, uint32_t *axis)
{
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    int64_t                     number;

    if (attr && attr->kind == TN_ATTR_INT && index < attr->count)
        number = attr->of.ints[index];
    else if (attr || !tn_size_number(&tn_sizes_of(s, node, 1)->elements, index,
                                     &number))
        return false;
    number += number < 0 ? rank : 0;
    *axis = (uint32_t)number;
    return number >= 0 && number < rank;
}

/* Adds axes of size 1. */
static void unsqueeze(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes      *from = &tn_sizes_of(s, node, 0)->dims;
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    uint32_t                    more =
        attr ? attr->count : tn_sizes_of(s, node, 1)->elements.count;
    struct tn_sizes to = { .is_known = true,
                           .count    = (uint8_t)(from->count + more) };
    uint32_t        axis, at = 0;

    take_list(s, node, &tn_sizes_of(s, node, 0)->elements);
    if (!from->is_known || !more || from->count + more > TN_SIZES_MAX)
        return;
    for (uint32_t i = 0; i < more; i++) {
        if (!axis_at(s, node, i, to.count, &axis))
            return;
        to.items[axis] = TN_SIZE(1);
    }
    for (uint32_t i = 0; i < to.count; i++)
        if (to.items[i] == TN_SIZE_NOT_KNOWN && at < from->count)
            to.items[i] = from->items[at++];
    take_dims(s, node, &to);
}

/* Reduced axes that stay, with size 1. */
static void reduce(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    struct tn_sizes             to   = tn_sizes_of(s, node, 0)->dims;
    uint32_t                    axis,
        count = attr ? attr->count : tn_sizes_of(s, node, 1)->elements.count;

    if (!tn_net_int_attr(node, "keepdims", 1) || !count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!axis_at(s, node, i, to.count, &axis))
            return;
        to.items[axis] = TN_SIZE(1);
    }
    take_dims(s, node, &to);
}

/* Removed axes, given by an input or an attribute. */
static void squeeze(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes      *from = &tn_sizes_of(s, node, 0)->dims;
    const struct tn_attr_value *attr = tn_net_attr(node, "axes");
    struct tn_sizes             to   = { .is_known = from->is_known };
    uint32_t                    axis,
        gone  = 0,
        count = attr ? attr->count : tn_sizes_of(s, node, 1)->elements.count;

    take_list(s, node, &tn_sizes_of(s, node, 0)->elements);
    if (!count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!axis_at(s, node, i, from->count, &axis))
            return;
        gone |= UINT32_C(1) << axis;
    }
    for (uint32_t i = 0; i < from->count; i++)
        if (!(gone >> i & 1))
            to.items[to.count++] = from->items[i];
    take_dims(s, node, &to);
}

/* A Range from 0 in steps of one: its length is its end. */
static void count_up(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes *end = &tn_sizes_of(s, node, 1)->elements;
    struct tn_sizes        to  = { .is_known = true, .count = 1 };
    int64_t                first, step;

    if (!tn_size_number(&tn_sizes_of(s, node, 0)->elements, 0, &first) ||
        !tn_size_number(&tn_sizes_of(s, node, 2)->elements, 0, &step) ||
        first != 0 || step != 1 || !end->is_known || end->count != 1)
        return;
    to.items[0] = end->items[0];
    take_dims(s, node, &to);
}

static void expand(struct tn_sizing *s, const struct tn_net_node *node)
{
    struct tn_sizes to = tn_sizes_of(s, node, 0)->dims;

    if (broadcast(&to, &tn_sizes_of(s, node, 1)->elements, 0))
        take_dims(s, node, &to);
}

/* All outputs have the same sizes except along one axis. */
static void split(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes *from = &tn_sizes_of(s, node, 0)->dims;
    uint32_t               axis = place_of(node, "axis", from->count, 0);
    struct tn_net_node     one  = *node;

    for (uint32_t i = 0; i < node->output_count; i++) {
        struct tn_sizes to = *from;
        one.outputs        = &node->outputs[i];
        if (axis >= from->count || node->outputs[i] == TN_NONE)
            continue;
        to.items[axis] = TN_SIZE_NOT_KNOWN;
        take_dims(s, &one, &to);
    }
}

/* Element `i` of a list, or the only one; nothing of an unknown value. */
static uint32_t element(const struct tn_sizes *list, uint32_t i)
{
    i = list->count == 1 ? 0 : i;
    return list->is_known && i < list->count ? list->items[i]
                                             : TN_SIZE_NOT_KNOWN;
}

/* Whether two elements differ for certain: a size is never below zero. */
static bool differ(uint32_t a, uint32_t b)
{
    if (a == TN_SIZE_NOT_KNOWN || b == TN_SIZE_NOT_KNOWN)
        return false;
    if (tn_size_is_number(a) && tn_size_is_number(b))
        return a != b;
    return a == TN_SIZE(-1) || b == TN_SIZE(-1);
}

/* The element that is chosen if two elements are equal, or if they are not. */
static uint32_t chosen(uint32_t a, uint32_t b, uint32_t equal, uint32_t other)
{
    if (equal == other || differ(a, b))
        return other;
    return a == b && a != TN_SIZE_NOT_KNOWN ? equal : TN_SIZE_NOT_KNOWN;
}

/* Of lists, by whether elements of lists are equal: PyTorch writes the shape of
 * an Expand so, with -1 for what keeps its size. */
static void choose(struct tn_sizing *s, const struct tn_net_node *node)
{
    const struct tn_sizes *equal = &tn_sizes_of(s, node, 1)->elements;
    const struct tn_sizes *other = &tn_sizes_of(s, node, 2)->elements;
    struct tn_sizes        to    = { .is_known = true };

    together(s, node);
    uint32_t maker = node->inputs[0] == TN_NONE
                         ? TN_NONE
                         : tn_net_value(s->net, node->inputs[0]).producer;
    if (maker == TN_NONE || !equal->is_known || !other->is_known)
        return;
    const struct tn_net_node compare = tn_net_node(s->net, maker);
    if (!tn_node_is(&compare, "Equal"))
        return;
    const struct tn_sizes *a = &tn_sizes_of(s, &compare, 0)->elements;
    const struct tn_sizes *b = &tn_sizes_of(s, &compare, 1)->elements;
    to.count = equal->count > other->count ? equal->count : other->count;
    if (a->count > to.count || b->count > to.count)
        return;
    for (uint32_t i = 0; i < to.count; i++)
        to.items[i] = chosen(element(a, i), element(b, i), element(equal, i),
                             element(other, i));
    take_list(s, node, &to);
}

static const struct {
    const char *op;
    void (*run)(struct tn_sizing *s, const struct tn_net_node *node);
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
    { "Mish", same },
    { "IsNaN", same },
    { "CumSum", same },
    { "Trilu", same },
    { "Selu", same },
    { "ThresholdedRelu", same },
    { "Softsign", same },
    { "Sin", same },
    { "Sign", same },
    { "Round", same },
    { "Cos", same },
    { "Ceil", same },
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
    { "Where", choose },
    { "Xor", together },
    { "Sum", together },
    { "PRelu", together },
    { "Mod", together },
    { "LessOrEqual", together },
    { "GreaterOrEqual", together },
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
    { "Squeeze", squeeze },
    { "Range", count_up },
    { "Expand", expand },
    { "Split", split },
};

static void visit(struct tn_sizing *s, const struct tn_net_node *node)
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

/* ---- all of it ---------------------------------------------------------- */

static void begin(struct tn_sizing *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct tn_net_value value = tn_net_value(s->net, i);
        take_type(s, i);
        if (value.constant)
            take_elements(s, i);
    }
}

static void walk(struct tn_sizing *s)
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

bool tn_sizing_run(struct tn_sizing *s, struct tn_net *net,
                   struct tn_infer *facts, struct tn_arena *arena)
{
    *s        = (struct tn_sizing){ .net   = net,
                                    .facts = facts,
                                    .count = (uint32_t)net->values.count };
    s->values = tn_new(arena, struct tn_value_sizes, s->count, net->error);
    if (!s->values)
        return false;
    begin(s);
    walk(s);
    return !tn_failed(net->error);
}
