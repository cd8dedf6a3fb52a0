/*
 * lang_value.c - functions over values: what is known of them
 *
 * A value that is not given (an optional input) has no rank, shape or elements:
 * the answer is `none`, so that `value(axes)` reads well where axes may be
 * missing.
 */
#include "base/buffer.h"
#include "map/lang/fold_items.h"
#include "map/lang/lang_builtin.h"

/* A look at the value that the item is, or NULL. */
static const struct tn_net_value *net_value(const struct tn_call *call,
                                            struct tn_item        item,
                                            struct tn_net_value  *look)
{
    const struct tn_net *net =
        item.kind == TN_ITEM_VALUE ? call->eval->net : call->eval->made;

    if ((item.kind != TN_ITEM_VALUE && item.kind != TN_ITEM_MADE) || !net ||
        (uint64_t)item.of.number >= net->values.count)
        return NULL;
    *look = tn_net_value(net, (uint32_t)item.of.number);
    return look;
}

/* The shape of a tensor or value; false: the answer is in *out. */
static bool dims_of(const struct tn_call *call, struct tn_item *out)
{
    struct tn_item             x = call->args[0];
    struct tn_net_value        look;
    const struct tn_net_value *v = net_value(call, x, &look);

    if (x.kind == TN_ITEM_NONE) {
        *out = x;
        return false;
    }
    if (x.kind != TN_ITEM_TENSOR && !v) {
        *out = tn_builtin_refuse(call, "expected a value");
        return false;
    }
    if (v && !v->type->has_rank) {
        *out = tn_builtin_unknown(call);
        return false;
    }
    const struct tn_shape *shape = v ? NULL : &x.of.tensor->elements.shape;
    uint32_t               rank  = v ? v->type->rank : shape->rank;
    struct tn_item        *items = tn_eval_list(call->eval, call->expr, rank);
    for (uint32_t i = 0; items && i < rank; i++) {
        int64_t dim = v ? v->type->dims[i] : (int64_t)shape->dims[i];
        items[i]    = dim < 0 ? tn_builtin_unknown(call) : tn_item_int(dim);
    }
    *out = tn_item_list(items, items ? rank : 0);
    return items != NULL;
}

static struct tn_item run_shape(const struct tn_call *call)
{
    struct tn_item dims;

    dims_of(call, &dims);
    return dims;
}

static struct tn_item run_rank(const struct tn_call *call)
{
    struct tn_item dims;

    return dims_of(call, &dims) ? tn_item_int(dims.count) : dims;
}

static struct tn_item run_dim(const struct tn_call *call)
{
    struct tn_item dims;
    int64_t        at;

    if (!dims_of(call, &dims))
        return dims;
    if (!tn_item_to_int(call->args[1], &at))
        return tn_builtin_refuse(call, "expected an index");
    at = at < 0 ? at + dims.count : at;
    if (at < 0 || at >= dims.count)
        return tn_builtin_refuse(call, "there is no such dimension");
    return dims.of.items[at];
}

/* Number of elements. */
static struct tn_item run_size(const struct tn_call *call)
{
    struct tn_item dims;
    int64_t        size = 1;

    if (!dims_of(call, &dims))
        return dims;
    for (uint32_t i = 0; i < dims.count; i++) {
        if (dims.of.items[i].kind == TN_ITEM_UNKNOWN)
            return dims.of.items[i];
        if (__builtin_mul_overflow(size, dims.of.items[i].of.number, &size))
            return tn_builtin_refuse(call, "the result does not fit 64 bits");
    }
    return tn_item_int(size);
}

static struct tn_item run_dtype(const struct tn_call *call)
{
    struct tn_item             x = call->args[0];
    struct tn_net_value        look;
    const struct tn_net_value *v = net_value(call, x, &look);

    if (x.kind == TN_ITEM_NONE)
        return x;
    if (x.kind == TN_ITEM_TENSOR)
        return tn_item_dtype(x.of.tensor->elements.shape.dtype, TN_NET_TENSOR);
    if (!v)
        return tn_builtin_refuse(call, "expected a value");
    if (v->type->dtype == TN_UNDEFINED)
        return tn_builtin_unknown(call);
    return tn_item_dtype(v->type->dtype, v->type->wrap);
}

/* ---- elements ----------------------------------------------------------- */

static struct tn_item elements_of(const struct tn_call     *call,
                                  const struct tn_elements *elements)
{
    struct tn_item items;

    if (!tn_fold_items(elements, call->eval->scratch, &items,
                       call->eval->error))
        return tn_item_none();
    tn_eval_steps(call->eval, call->expr, items.count);
    return items.kind == TN_ITEM_UNKNOWN ? tn_builtin_unknown(call) : items;
}

/* While folding, missing elements are requested, and the rule runs again. */
static struct tn_item folded(const struct tn_call *call, struct tn_infer *facts,
                             uint32_t value)
{
    struct tn_eval *e     = call->eval;
    struct tn_item  items = tn_builtin_unknown(call);

    if (!facts)
        return items;
    if (!e->is_fold) {
        enum tn_status status = tn_fold(facts, value, &items);
        if (status != TN_OK)
            tn_error_set(e->error, status, TN_NOWHERE,
                         "no memory for the elements of a constant");
    } else if (!tn_fold_peek(facts, value, &items)) {
        e->missing = value;
        tn_fold_want(facts, value);
        return tn_builtin_unknown(call);
    }
    tn_eval_steps(e, call->expr, items.count);
    return items.kind == TN_ITEM_UNKNOWN ? tn_builtin_unknown(call) : items;
}

static struct tn_item run_value(const struct tn_call *call)
{
    struct tn_item             x = call->args[0];
    struct tn_net_value        look;
    const struct tn_net_value *v = net_value(call, x, &look);

    if (x.kind == TN_ITEM_NONE)
        return x;
    if (x.kind == TN_ITEM_TENSOR)
        return elements_of(call, &x.of.tensor->elements);
    if (!v)
        return tn_builtin_refuse(call, "expected a value");
    if (x.kind == TN_ITEM_MADE && v->constant)
        return elements_of(call, v->constant);
    return folded(call,
                  x.kind == TN_ITEM_VALUE ? call->eval->facts
                                          : call->eval->made_facts,
                  (uint32_t)x.of.number);
}

static struct tn_item run_scalar(const struct tn_call *call)
{
    struct tn_item items = run_value(call);

    if (items.kind != TN_ITEM_LIST)
        return items;
    if (items.count != 1)
        return tn_builtin_refuse(call, "expected exactly one element");
    return items.of.items[0];
}

static struct tn_item call_with(const struct tn_call *call, struct tn_item x,
                                struct tn_item (*run)(const struct tn_call *))
{
    struct tn_call inner = *call;

    inner.args  = &x;
    inner.count = 1;
    return run(&inner);
}

struct tn_item tn_builtin_shape(const struct tn_call *call, struct tn_item x)
{
    return call_with(call, x, run_shape);
}

struct tn_item tn_builtin_dtype(const struct tn_call *call, struct tn_item x)
{
    return call_with(call, x, run_dtype);
}

struct tn_item tn_builtin_value(const struct tn_call *call, struct tn_item x)
{
    return call_with(call, x, run_value);
}

/* ---- what it is --------------------------------------------------------- */

uint32_t tn_builtin_behind(const struct tn_net *net, uint32_t value)
{
    for (unsigned steps = 0; steps < 64; steps++) {
        uint32_t producer = tn_net_value(net, value).producer;
        if (producer == TN_NONE)
            break;
        const struct tn_net_node node = tn_net_node(net, producer);
        if (!tn_bytes_is(node.op->type, "Identity") || node.input_count != 1 ||
            node.inputs[0] == TN_NONE)
            break;
        value = node.inputs[0];
    }
    return value;
}

static struct tn_item run_is_const(const struct tn_call *call)
{
    struct tn_item             x = call->args[0];
    struct tn_net_value        look;
    const struct tn_net_value *v = net_value(call, x, &look);

    if (v && x.kind == TN_ITEM_VALUE) {
        const struct tn_net *net = call->eval->net;
        uint32_t behind = tn_builtin_behind(net, (uint32_t)x.of.number);
        return tn_item_bool(tn_net_value(net, behind).constant);
    }
    return tn_item_bool(v && v->constant);
}

/* Whether nothing else uses the value: then it can be removed when it is
 * replaced. */
static struct tn_item run_is_once(const struct tn_call *call)
{
    const struct tn_eval *e = call->eval;
    struct tn_item        x = call->args[0];

    call->eval->looks_far = true;
    return tn_item_bool(x.kind == TN_ITEM_VALUE && e->uses &&
                        e->uses[x.of.number] == 1);
}

static struct tn_item run_given(const struct tn_call *call)
{
    return tn_item_bool(call->args[0].kind != TN_ITEM_NONE);
}

/* The argument has become the index of the output; see lang_code.c. */
static struct tn_item run_wanted(const struct tn_call *call)
{
    const struct tn_eval *e  = call->eval;
    int64_t               at = call->args[0].of.number;

    if (call->args[0].kind != TN_ITEM_INT || !e->node)
        return tn_item_bool(true);
    if (at >= e->node->output_count || e->node->outputs[at] == TN_NONE)
        return tn_item_bool(false);
    return tn_item_bool(!e->uses || e->uses[e->node->outputs[at]]);
}

static struct tn_item run_name(const struct tn_call *call)
{
    struct tn_net_value        look;
    const struct tn_net_value *v = net_value(call, call->args[0], &look);

    if (!v)
        return tn_builtin_refuse(call, "expected a value");
    call->eval->looks_far = true;
    return tn_item_text(v->name);
}

/* What is known of the shape of the node's first output. */
static struct tn_item run_output_shape(const struct tn_call *call)
{
    const struct tn_net_node *node = call->eval->node;

    if (!node || !node->output_count || node->outputs[0] == TN_NONE)
        return tn_builtin_unknown(call);
    return tn_builtin_shape(call,
                            (struct tn_item){ .kind      = TN_ITEM_VALUE,
                                              .of.number = node->outputs[0] });
}

/* Which output of the node is asked for; in files of shapes. */
static struct tn_item run_output(const struct tn_call *call)
{
    return tn_item_int(call->eval->output);
}

/* ---- subgraphs ---------------------------------------------------------- */

static struct tn_item ends_of(const struct tn_call *call,
                              const struct tn_list *ends)
{
    struct tn_item *items = tn_eval_list(call->eval, call->expr, ends->count);

    for (uint64_t i = 0; items && i < ends->count; i++)
        items[i] =
            (struct tn_item){ .kind      = TN_ITEM_VALUE,
                              .of.number = *tn_list_at(ends, uint32_t, i) };
    return tn_item_list(items, items ? (uint32_t)ends->count : 0);
}

static const struct tn_net_graph *graph_arg(const struct tn_call *call)
{
    struct tn_item x = call->args[0];

    call->eval->looks_far = true;
    if (x.kind == TN_ITEM_GRAPH &&
        (uint64_t)x.of.number < call->eval->net->graphs.count)
        return tn_net_graph(call->eval->net, (uint32_t)x.of.number);
    tn_builtin_refuse(call, "expected a graph");
    return NULL;
}

static struct tn_item run_graph_inputs(const struct tn_call *call)
{
    const struct tn_net_graph *graph = graph_arg(call);

    return graph ? ends_of(call, &graph->inputs) : tn_item_none();
}

static struct tn_item run_graph_outputs(const struct tn_call *call)
{
    const struct tn_net_graph *graph = graph_arg(call);

    return graph ? ends_of(call, &graph->outputs) : tn_item_none();
}

/* ---- what the caller asked for ------------------------------------------ */

static struct tn_item run_keeps_quantized(const struct tn_call *call)
{
    return tn_item_bool(call->eval->net->keeps_quantized);
}

const struct tn_builtin tn_builtins_of_values[] = {
    { "dim", 2, 2, .run = run_dim },
    { "dtype", 1, 1, .run = run_dtype },
    { "given", 1, 1, .run = run_given, .takes_unknown = true },
    { "graph_inputs", 1, 1, .run = run_graph_inputs },
    { "graph_outputs", 1, 1, .run = run_graph_outputs },
    { "is_const", 1, 1, .run = run_is_const },
    { "is_once", 1, 1, .run = run_is_once },
    { "keeps_quantized", 0, 0, .run = run_keeps_quantized },
    { "name", 1, 1, .run = run_name },
    { "output", 0, 0, .run = run_output },
    { "output_shape", 0, 0, .run = run_output_shape },
    { "rank", 1, 1, .run = run_rank },
    { "scalar", 1, 1, .run = run_scalar },
    { "shape", 1, 1, .run = run_shape },
    { "size", 1, 1, .run = run_size },
    { "value", 1, 1, .run = run_value },
    { "wanted", 1, 1, .run = run_wanted },
    { NULL, 0, 0, .run = NULL },
};
