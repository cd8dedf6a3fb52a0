/*
 * lang_const.c - constants that rules make
 *
 *   const(TENSOR)            the tensor of an attribute, by reference
 *   const(list, dtype)       its dims are those of the nested list
 *   const(list, dtype, dims) of a flat one
 *   rescaled(W, list, axis)  a constant of the source, by reference, times
 *                            numbers along one axis
 */
#include <math.h>

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

/* A constant of the source whose axis is that long; NULL: it has refused. */
static const struct tn_elements *find_weights(struct tn_emit       *e,
                                              const struct tn_code *code,
                                              struct tn_item        value,
                                              int64_t axis, uint32_t length)
{
    const struct tn_elements *w =
        value.kind == TN_ITEM_VALUE
            ? tn_net_value(e->eval.net, (uint32_t)value.of.number).constant
            : NULL;

    if (!w)
        tn_eval_refuse(&e->eval, code->expr, "expected a constant");
    else if (!tn_item_is_real(w->shape.dtype) || axis < 0 ||
             axis >= w->shape.rank || w->shape.dims[axis] != length)
        tn_eval_refuse(&e->eval, code->expr, "factors that do not fit");
    return tn_emit_stopped(e) ? NULL : w;
}

/* One factor after the other is one: rounded once. */
static const struct tn_elements *join_factors(const struct tn_elements *w,
                                              uint32_t axis, double *factors)
{
    const struct tn_view *view = w->payload.view;

    if (w->payload.encoding != TN_ENCODING_VIEW ||
        view->kind != TN_VIEW_SCALE || view->axis != axis)
        return w;
    for (uint64_t i = 0; i < w->shape.dims[axis]; i++)
        factors[i] *= view->factors[i];
    return &view->inputs[0];
}

static double *read_factors(struct tn_emit *e, const struct tn_code *code,
                            struct tn_item list)
{
    double *factors = tn_new(e->to->arena, double, list.count, e->to->error);

    for (uint32_t i = 0; factors && i < list.count; i++)
        if (!tn_item_to_double(list.of.items[i], &factors[i]) ||
            !isfinite(factors[i])) {
            tn_eval_refuse(&e->eval, code->expr, "a factor that is no number");
            return NULL;
        }
    return factors;
}

/* It goes by the name of what it replaces. */
static struct tn_item add_rescaled(struct tn_emit *e, uint32_t weights,
                                   struct tn_elements *elements)
{
    uint32_t made = tn_emit_value(e);

    if (made == TN_NONE)
        return tn_item_none();
    *tn_net_value_row(e->to, made) = *tn_net_value_row(e->eval.net, weights);
    tn_net_set_constant(e->to, made, elements,
                        tn_net_value(e->eval.net, weights).origin);
    return tn_emit_made(made);
}

struct tn_item tn_emit_rescaled_call(struct tn_emit       *e,
                                     const struct tn_code *code)
{
    struct tn_item value = tn_emit_need(e, &code->items[0]);
    struct tn_item list  = tn_emit_need(e, &code->items[1]);
    struct tn_item at    = tn_emit_need(e, &code->items[2]);
    int64_t        axis;

    e->eval.looks_far = true;
    if (tn_emit_stopped(e))
        return tn_item_none();
    if (list.kind != TN_ITEM_LIST || !tn_item_to_int(at, &axis))
        return tn_eval_refuse(&e->eval, code->expr, "expected a list, an axis");
    const struct tn_elements *w =
        find_weights(e, code, value, axis, list.count);
    double             *factors = w ? read_factors(e, code, list) : NULL;
    struct tn_elements *input =
        tn_new(e->to->arena, struct tn_elements, 1, e->to->error);
    struct tn_view *view =
        tn_new(e->to->arena, struct tn_view, 1, e->to->error);
    if (!factors || !input || !view)
        return tn_item_none();
    *input                    = *join_factors(w, (uint32_t)axis, factors);
    *view                     = (struct tn_view){ .kind        = TN_VIEW_SCALE,
                                                  .inputs      = input,
                                                  .input_count = 1,
                                                  .axis        = (uint32_t)axis,
                                                  .factors     = factors };
    struct tn_elements scaled = {
        w->shape, { .encoding = TN_ENCODING_VIEW, .view = view }
    };
    return add_rescaled(e, (uint32_t)value.of.number, &scaled);
}
