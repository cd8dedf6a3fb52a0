/*
 * lang_const.c - constants that rules make
 *
 *   const(TENSOR)            the tensor of an attribute, by reference
 *   const(list, dtype)       its dims are those of the nested list
 *   const(list, dtype, dims) of a flat one
 *   rescaled(W, list, axis)  a constant of the source, by reference, times
 *                            numbers along one axis (none: times one number)
 *   rescaled(W, list, axis, plus)
 *                            and plus numbers; integers become float32
 */
#include <math.h>

#include "map/lang/lang_builtin.h"
#include "map/lang/lang_emit.h"
#include "map/net/net_build.h"

static const struct tn_bytes nameless = { NULL, 0 };

/* Dims of a nested list: those of its first item, and of that. */
static bool nested_dims(struct tn_item item, struct tn_emit_cells *cells)
{
    uint64_t product = 1;

    while (item.kind == TN_ITEM_LIST) {
        if (cells->rank == TN_EMIT_RANK_MAX)
            return false;
        cells->dims[cells->rank++] = item.count;
        product *= item.count;
        if (product > TN_LANG_LIST_MAX)
            return false;
        if (!item.count)
            break;
        item = item.of.items[0];
    }
    cells->count = product;
    return true;
}

static bool flatten(struct tn_item item, uint32_t level,
                    struct tn_emit_cells *cells, struct tn_item **at)
{
    if (level == cells->rank) {
        *(*at)++ = item;
        return item.kind != TN_ITEM_LIST;
    }
    if (item.kind != TN_ITEM_LIST || item.count != cells->dims[level])
        return false;
    for (uint32_t i = 0; i < item.count; i++)
        if (!flatten(item.of.items[i], level + 1, cells, at))
            return false;
    return true;
}

static bool read_cells(struct tn_emit *e, const struct tn_code *code,
                       struct tn_item item, struct tn_emit_cells *cells)
{
    if (!nested_dims(item, cells)) {
        tn_eval_refuse(&e->eval, code->expr, "too large for a constant");
        return false;
    }
    cells->items       = tn_eval_list(&e->eval, code->expr, cells->count);
    struct tn_item *at = cells->items;
    if (!at)
        return false;
    if (cells->count && !flatten(item, 0, cells, &at))
        tn_eval_refuse(&e->eval, code->expr, "lists of different lengths");
    return !tn_emit_stopped(e);
}

/* The third argument. */
static bool set_dims(struct tn_emit *e, const struct tn_code *code,
                     struct tn_emit_cells *cells)
{
    struct tn_item list    = tn_emit_need(e, code);
    uint64_t       product = 1;

    if (tn_emit_stopped(e))
        return false;
    bool is_good = list.kind == TN_ITEM_LIST && list.count <= TN_EMIT_RANK_MAX;
    for (uint32_t i = 0; is_good && i < list.count; i++) {
        int64_t dim;
        is_good = tn_item_to_int(list.of.items[i], &dim) && dim >= 0 &&
                  dim <= TN_LANG_LIST_MAX;
        cells->dims[i] = is_good ? (uint64_t)dim : 0;
        product =
            product > TN_LANG_LIST_MAX ? product : product * cells->dims[i];
    }
    if (!is_good || product != cells->count)
        tn_eval_refuse(&e->eval, code->expr, "dims that do not fit");
    cells->rank = list.count;
    return !tn_emit_stopped(e);
}

static uint32_t add_doubles(struct tn_emit             *e,
                            const struct tn_emit_cells *cells,
                            enum tn_dtype               dtype)
{
    double *items = tn_new(e->eval.scratch, double, cells->count, e->to->error);

    for (uint64_t i = 0; items && i < cells->count; i++)
        if (!tn_item_to_double(cells->items[i], &items[i]))
            return TN_NONE;
    if (!items)
        return TN_NONE;
    return tn_net_add_doubles(e->to, e->graph, nameless, dtype, items,
                              cells->rank, cells->dims);
}

static uint32_t add_ints(struct tn_emit *e, const struct tn_emit_cells *cells,
                         enum tn_dtype dtype)
{
    int64_t *items =
        tn_new(e->eval.scratch, int64_t, cells->count, e->to->error);

    for (uint64_t i = 0; items && i < cells->count; i++)
        if (!tn_item_to_int(cells->items[i], &items[i]))
            return TN_NONE;
    if (!items)
        return TN_NONE;
    return tn_net_add_ints(e->to, e->graph, nameless, dtype, items, cells->rank,
                           cells->dims);
}

static uint32_t add_strings(struct tn_emit             *e,
                            const struct tn_emit_cells *cells)
{
    struct tn_bytes *items =
        tn_new(e->eval.scratch, struct tn_bytes, cells->count, e->to->error);

    for (uint64_t i = 0; items && i < cells->count; i++) {
        if (cells->items[i].kind != TN_ITEM_STRING)
            return TN_NONE;
        items[i] = tn_item_bytes(cells->items[i]);
    }
    if (!items)
        return TN_NONE;
    return tn_net_add_strings(e->to, e->graph, nameless, items, cells->rank,
                              cells->dims);
}

uint32_t tn_emit_constant(struct tn_emit *e, const struct tn_lang_expr *at,
                          const struct tn_emit_cells *cells,
                          enum tn_dtype               dtype)
{
    uint32_t id = TN_NONE;

    if (dtype == TN_STRING)
        id = add_strings(e, cells);
    else if (tn_item_is_real(dtype))
        id = add_doubles(e, cells, dtype);
    else if (tn_dtype_size(dtype))
        id = add_ints(e, cells, dtype);
    if (id == TN_NONE && !tn_failed(e->to->error))
        tn_eval_refuse(&e->eval, at, "no elements of %s", tn_dtype_name(dtype));
    return id;
}

static struct tn_item const_tensor(struct tn_emit         *e,
                                   const struct tn_tensor *tensor)
{
    return tn_emit_made(tn_net_add_constant(e->to, e->graph, nameless,
                                            &tensor->elements, tensor));
}

struct tn_item tn_emit_const_call(struct tn_emit *e, const struct tn_code *code)
{
    struct tn_item       item  = tn_emit_need(e, &code->items[0]);
    struct tn_emit_cells cells = { 0 };

    if (tn_emit_stopped(e))
        return tn_item_none();
    if (item.kind == TN_ITEM_TENSOR)
        return const_tensor(e, item.of.tensor);
    if (code->item_count < 2)
        return tn_eval_refuse(&e->eval, code->expr,
                              "the type of the constant is missing");
    struct tn_item dtype = tn_emit_need(e, &code->items[1]);
    if (tn_emit_stopped(e) || !read_cells(e, code, item, &cells))
        return tn_item_none();
    if (dtype.kind != TN_ITEM_DTYPE)
        return tn_eval_refuse(&e->eval, code->expr, "the type is not a dtype");
    for (uint64_t i = 0; i < cells.count; i++)
        if (cells.items[i].kind == TN_ITEM_UNKNOWN)
            return tn_eval_not_known(&e->eval, cells.items[i], code->expr);
    if (code->item_count > 2 && !set_dims(e, &code->items[2], &cells))
        return tn_item_none();
    return tn_emit_made(
        tn_emit_constant(e, code->expr, &cells, tn_item_to_dtype(dtype)));
}

/* ---- rescaled ----------------------------------------------------------- */

/* The arguments of one call. */
struct rescaling {
    struct tn_emit       *e;
    const struct tn_code *code;
    uint32_t              value; /* the constant, in the source               */
    struct tn_elements    weights;
    uint32_t              axis; /* or TN_VIEW_NO_AXIS                         */
    uint32_t              length;
    double               *factors, *offsets; /* offsets: may be NULL          */
};

/* A constant of the source; false: it has refused. */
static bool find_weights(struct rescaling *r, struct tn_item value)
{
    const struct tn_net      *net = r->e->eval.net;
    const struct tn_elements *w   = NULL;

    if (value.kind == TN_ITEM_VALUE) {
        r->value = tn_builtin_behind(net, (uint32_t)value.of.number);
        w        = tn_net_value(net, r->value).constant;
    }
    if (!w || w->shape.dtype == TN_STRING || !tn_dtype_size(w->shape.dtype)) {
        tn_eval_refuse(&r->e->eval, r->code->expr, "expected a constant");
        return false;
    }
    r->weights = *w;
    return true;
}

static bool find_axis(struct rescaling *r, struct tn_item at, uint32_t length)
{
    const struct tn_shape *shape   = &r->weights.shape;
    int64_t                axis    = -1;
    bool                   is_good = length == 1;

    if (at.kind != TN_ITEM_NONE)
        is_good = tn_item_to_int(at, &axis) && axis >= 0 &&
                  axis < shape->rank && shape->dims[axis] == length;
    if (!is_good)
        tn_eval_refuse(&r->e->eval, r->code->expr, "factors that do not fit");
    r->axis   = at.kind == TN_ITEM_NONE ? TN_VIEW_NO_AXIS : (uint32_t)axis;
    r->length = length;
    return is_good;
}

static double *read_factors(struct rescaling *r, struct tn_item list)
{
    struct tn_emit *e = r->e;
    double *factors   = tn_new(e->to->arena, double, list.count, e->to->error);

    if (list.kind != TN_ITEM_LIST || list.count != r->length) {
        tn_eval_refuse(&e->eval, r->code->expr, "factors that do not fit");
        return NULL;
    }
    for (uint32_t i = 0; factors && i < list.count; i++)
        if (!tn_item_to_double(list.of.items[i], &factors[i]) ||
            !isfinite(factors[i])) {
            tn_eval_refuse(&e->eval, r->code->expr,
                           "a factor that is not a number");
            return NULL;
        }
    return factors;
}

/* Two factors one after the other become one, so that the result is rounded
 * once. */
static void join_factors(struct rescaling *r)
{
    const struct tn_view *view = r->weights.payload.view;

    if (r->weights.payload.encoding != TN_ENCODING_VIEW ||
        view->kind != TN_VIEW_SCALE || view->axis != r->axis)
        return;
    for (uint32_t i = 0; i < r->length; i++) {
        if (view->offsets && r->offsets)
            r->offsets[i] += view->offsets[i] * r->factors[i];
        r->factors[i] *= view->factors[i];
    }
    r->weights = view->inputs[0];
}

/* Existing offsets of the weights are multiplied, too. */
static bool take_offsets(struct rescaling *r)
{
    const struct tn_view *view = r->weights.payload.view;
    struct tn_net        *to   = r->e->to;

    if (r->offsets || r->weights.payload.encoding != TN_ENCODING_VIEW ||
        view->kind != TN_VIEW_SCALE || view->axis != r->axis || !view->offsets)
        return true;
    r->offsets = tn_new(to->arena, double, r->length, to->error);
    return r->offsets != NULL;
}

/* Replaces the weights by a view of them. */
static bool put_view(struct rescaling *r, enum tn_dtype dtype,
                     struct tn_view as)
{
    struct tn_net      *to = r->e->to;
    struct tn_elements *input =
        tn_new(to->arena, struct tn_elements, 1, to->error);
    struct tn_view *view = tn_new(to->arena, struct tn_view, 1, to->error);

    if (!input || !view)
        return false;
    *input                 = r->weights;
    *view                  = as;
    view->inputs           = input;
    view->input_count      = 1;
    r->weights.shape.dtype = dtype;
    r->weights.payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    return true;
}

/* It gets the name of what it replaces, if that is removed. */
static struct tn_item add_rescaled(struct rescaling *r)
{
    struct tn_emit *e    = r->e;
    uint32_t        made = tn_emit_value(e);

    if (made == TN_NONE)
        return tn_item_none();
    if (!e->eval.uses || e->eval.uses[r->value] < 2)
        *tn_net_value_row(e->to, made) =
            *tn_net_value_row(e->eval.net, r->value);
    tn_net_set_constant(e->to, made, &r->weights,
                        tn_net_value(e->eval.net, r->value).origin);
    return tn_emit_made(made);
}

static bool read_rescaling(struct rescaling *r)
{
    struct tn_emit       *e     = r->e;
    const struct tn_code *args  = r->code->items;
    struct tn_item        value = tn_emit_need(e, &args[0]);
    struct tn_item        list  = tn_emit_need(e, &args[1]);
    struct tn_item        at    = tn_emit_need(e, &args[2]);
    struct tn_item        plus =
        r->code->item_count > 3 ? tn_emit_need(e, &args[3]) : tn_item_none();

    if (tn_emit_stopped(e) || !find_weights(r, value))
        return false;
    if (list.kind != TN_ITEM_LIST) {
        tn_eval_refuse(&e->eval, r->code->expr, "expected a list, an axis");
        return false;
    }
    if (!find_axis(r, at, list.count))
        return false;
    r->factors = read_factors(r, list);
    if (r->factors && plus.kind != TN_ITEM_NONE)
        r->offsets = read_factors(r, plus);
    return !tn_emit_stopped(e);
}

struct tn_item tn_emit_rescaled_call(struct tn_emit       *e,
                                     const struct tn_code *code)
{
    struct rescaling r = { .e = e, .code = code };

    e->eval.looks_far = true;
    if (!read_rescaling(&r) || !take_offsets(&r))
        return tn_item_none();
    join_factors(&r);
    if (!tn_item_is_real(r.weights.shape.dtype) &&
        !put_view(&r, TN_FLOAT32, (struct tn_view){ .kind = TN_VIEW_CAST }))
        return tn_item_none();
    if (!put_view(&r, r.weights.shape.dtype,
                  (struct tn_view){ .kind    = TN_VIEW_SCALE,
                                    .axis    = r.axis,
                                    .factors = r.factors,
                                    .offsets = r.offsets }))
        return tn_item_none();
    return add_rescaled(&r);
}
