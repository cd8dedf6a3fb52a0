/*
 * tf_lists.c - lists that are values become lists that ops change
 *
 *   TensorListReserve(dims, n)         TensorArrayV3(n): handle, flow
 *   TensorListSetItem(list, i, x)      TensorArrayWriteV3(handle, i, x, flow)
 *   TensorListGetItem(list, i, dims)   TensorArrayReadV3(handle, i, flow)
 *   TensorListStack(list, dims)        TensorArrayGatherV3(handle, all, flow)
 *
 * Loops of TensorFlow 2 pass lists on as values, and older ones are not used
 * again: so what was the list becomes the flow.  The handle is that of the op
 * that created the list, which is found by going back through all ops that
 * passed it on; graphs of loops use it from outside.
 */
#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

struct lists {
    struct tn_net *net;
    struct tn_list handles; /* uint32_t by node: handle + 1 of what begins    */
    struct tn_list flows;   /* uint32_t by value: handle + 1, where known     */
    struct tn_list owners;  /* uint32_t by graph: node + 1                    */
};

/* Grows with the net; good until the next one. */
static uint32_t *slot(struct lists *lists, struct tn_list *list, uint64_t index)
{
    while (list->count <= index) {
        uint32_t *item = tn_list_push(list, uint32_t, lists->net->error);
        if (!item)
            return NULL;
        *item = 0;
    }
    return tn_list_at(list, uint32_t, index);
}

static bool is_type(const struct tn_net_node *node, const char *name)
{
    return tn_bytes_is(node->op->type, name);
}

/* ---- the op that created a list ------------------------------------------ */

static uint32_t place_in(const struct tn_list *values, uint32_t value)
{
    for (uint64_t i = 0; i < values->count; i++)
        if (*tn_list_at(values, uint32_t, i) == value)
            return (uint32_t)i;
    return TN_NONE;
}

static uint32_t input_at(const struct tn_net_node *node, uint32_t index)
{
    return index < node->input_count ? node->inputs[index] : TN_NONE;
}

/* An input of the graph of a loop: its initial value. */
static uint32_t before_graph(struct lists *lists, uint32_t value)
{
    struct tn_net *net   = lists->net;
    uint32_t       graph = tn_net_value(net, value).graph;
    uint32_t      *owner = slot(lists, &lists->owners, graph);
    uint32_t       place = place_in(&tn_net_graph(net, graph)->inputs, value);

    if (!owner || !*owner || place == TN_NONE)
        return TN_NONE;
    const struct tn_net_node loop = tn_net_node(net, *owner - 1);
    return input_at(&loop, place);
}

/* The output of a branch; both have the same list. */
static uint32_t before_if(const struct tn_net      *net,
                          const struct tn_net_node *node, uint32_t output)
{
    const struct tn_attr_value *graph = tn_net_attr(node, "then_branch");

    if (!graph || graph->kind != TN_ATTR_GRAPH || !graph->count)
        return TN_NONE;
    const struct tn_list *outputs =
        &tn_net_graph(net, (uint32_t)graph->of.ints[0])->outputs;
    return output < outputs->count ? *tn_list_at(outputs, uint32_t, output)
                                   : TN_NONE;
}

/* One step back, or TN_NONE. */
static uint32_t before(struct lists *lists, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(lists->net, value);

    if (v.producer == TN_NONE)
        return before_graph(lists, value);
    const struct tn_net_node node = tn_net_node(lists->net, v.producer);
    if (is_type(&node, "Loop"))
        return input_at(&node, v.output + 2);
    if (is_type(&node, "If"))
        return before_if(lists->net, &node, v.output);
    if (is_type(&node, "TensorArrayWriteV3"))
        return input_at(&node, 3);
    if (is_type(&node, "TensorListSetItem") ||
        is_type(&node, "TensorListPushBack") ||
        tn_tf_is_identity(node.op->type))
        return input_at(&node, 0);
    return TN_NONE;
}

/* From the value itself, or from its producer. */
static uint32_t known_handle(struct lists *lists, uint32_t value)
{
    uint32_t  producer = tn_net_value(lists->net, value).producer;
    uint32_t *flow     = slot(lists, &lists->flows, value);

    if (!flow || *flow)
        return flow ? *flow : 0;
    uint32_t *handle =
        producer == TN_NONE ? NULL : slot(lists, &lists->handles, producer);
    return handle ? *handle : 0;
}

/* The handle, or TN_NONE; values that pass it on are flows from now on. */
static uint32_t handle_of(struct lists *lists, uint32_t value)
{
    struct tn_net *net   = lists->net;
    uint32_t       first = value, handle = 0;

    for (uint64_t i = 0; value != TN_NONE && i <= net->nodes.count; i++) {
        tn_net_set_scalar(net, value, TN_FLOAT32);
        handle = known_handle(lists, value);
        if (handle)
            break;
        value = before(lists, value);
    }
    uint32_t *flow = slot(lists, &lists->flows, first);
    if (!handle || !flow)
        return TN_NONE;
    *flow = handle;
    return handle - 1;
}

/* ---- making nodes -----------------------------------------------------------
 */

static uint32_t new_value(struct tn_net *net, uint32_t node, const char *word)
{
    const struct tn_net_node n = tn_net_node(net, node);
    const char              *name =
        tn_text_format(net->arena, net->error, "%.*s/%s", TN_FMT(n.name), word);

    return name ? tn_net_add_value(net, n.graph, tn_text(name)) : TN_NONE;
}

/* A node beside `beside`, of one output. */
static uint32_t add_beside(struct tn_net *net, uint32_t beside,
                           const char *type, const uint32_t *inputs,
                           uint32_t count)
{
    uint32_t output = new_value(net, beside, type);

    if (output == TN_NONE)
        return TN_NONE;
    struct tn_net_node node = { .name         = tn_net_value(net, output).name,
                                .op           = tn_net_own_op(net, type),
                                .inputs       = inputs,
                                .input_count  = count,
                                .outputs      = &output,
                                .output_count = 1,
                                .graph        = tn_net_node(net, beside).graph,
                                .source = tn_net_node(net, beside).source };
    return tn_net_add_node(net, &node) == TN_NONE ? TN_NONE : output;
}

static uint32_t number(struct tn_net *net, uint32_t beside, int64_t item)
{
    return tn_net_add_ints(net, tn_net_node(net, beside).graph,
                           tn_net_node(net, beside).name, TN_INT32, &item, 0,
                           NULL);
}

/* 0, 1, 2 ... up to `count`. */
static uint32_t all_of(struct tn_net *net, uint32_t beside, uint32_t count)
{
    uint32_t inputs[] = { number(net, beside, 0), count,
                          number(net, beside, 1) };

    return add_beside(net, beside, "Range", inputs, 3);
}

static uint32_t size_of(struct tn_net *net, uint32_t beside, uint32_t handle,
                        uint32_t flow)
{
    uint32_t inputs[] = { handle, flow };

    return add_beside(net, beside, "TensorArraySizeV3", inputs, 2);
}

/* Replaces the node by one of that type, with the type of elements in
 * `attr`. */
static void become(struct tn_net *net, uint32_t node, const char *type,
                   const char *attr, const uint32_t *inputs, uint32_t count)
{
    const struct tn_attr_value *held =
        tn_net_attr_of(net, node, "element_dtype");

    if (attr && held)
        tn_net_set_attr(net, node, attr, held);
    tn_net_set_op(net, node, tn_net_own_op(net, type));
    tn_net_set_inputs(net, node, inputs, count);
}

/* ---- ops that create lists ----------------------------------------------- */

/* Its output is the flow, and before it is a handle. */
static void begin(struct lists *lists, uint32_t node, uint32_t size)
{
    struct tn_net *net = lists->net;
    uint32_t       outputs[2];

    become(net, node, "TensorArrayV3", "dtype", &size, 1);
    outputs[0] = new_value(net, node, "handle");
    outputs[1] = tn_net_node(net, node).outputs[0];
    if (outputs[0] == TN_NONE || outputs[1] == TN_NONE)
        return;
    tn_net_set_outputs(net, node, outputs, 2);
    uint32_t *handle = slot(lists, &lists->handles, node);
    if (handle)
        *handle = outputs[0] + 1;
}

/* A list of all rows: one is made, then each row goes to its place. */
static void begin_with(struct lists *lists, uint32_t node)
{
    struct tn_net           *net    = lists->net;
    const struct tn_net_node n      = tn_net_node(net, node);
    uint32_t                 tensor = input_at(&n, 0);
    uint32_t                 shape = add_beside(net, node, "Shape", &tensor, 1);
    uint32_t                 first[] = { shape, number(net, node, 0) };
    uint32_t                 count = add_beside(net, node, "Gather", first, 2);
    uint32_t flow = add_beside(net, node, "TensorListReserve", &count, 1);

    if (flow == TN_NONE)
        return;
    uint32_t                    made = tn_net_value(net, flow).producer;
    const struct tn_attr_value *held =
        tn_net_attr_of(net, node, "element_dtype");
    if (held)
        tn_net_set_attr(net, made, "element_dtype", held);
    begin(lists, made, count);
    uint32_t *mine   = slot(lists, &lists->handles, node);
    uint32_t *handle = slot(lists, &lists->handles, made);
    if (!handle || !mine || !*handle)
        return;
    mine              = slot(lists, &lists->handles, node);
    *mine             = *handle;
    uint32_t inputs[] = { *handle - 1, all_of(net, node, count), tensor, flow };
    become(net, node, "TensorArrayScatterV3", "T", inputs, 4);
}

static void begin_lists(struct lists *lists, uint32_t node)
{
    const struct tn_net_node n = tn_net_node(lists->net, node);

    if (n.is_removed || n.output_count != 1 || n.input_count != 2)
        return;
    if (is_type(&n, "TensorListReserve"))
        begin(lists, node, n.inputs[1]);
    else if (is_type(&n, "EmptyTensorList"))
        begin(lists, node, number(lists->net, node, 0));
    else if (is_type(&n, "TensorListFromTensor"))
        begin_with(lists, node);
}

/* ---- ops that use lists -------------------------------------------------- */

static void change(struct lists *lists, uint32_t node, uint32_t handle)
{
    struct tn_net     *net  = lists->net;
    struct tn_net_node n    = tn_net_node(net, node);
    uint32_t           list = n.inputs[0], one = input_at(&n, 1);
    uint32_t           read[]  = { handle, one, list };
    uint32_t           write[] = { handle, one, input_at(&n, 2), list };

    if (is_type(&n, "TensorListSetItem")) {
        become(net, node, "TensorArrayWriteV3", "T", write, 4);
    } else if (is_type(&n, "TensorListPushBack")) {
        write[2] = one;
        write[1] = size_of(net, node, handle, list);
        become(net, node, "TensorArrayWriteV3", "T", write, 4);
    } else if (is_type(&n, "TensorListGetItem")) {
        become(net, node, "TensorArrayReadV3", "dtype", read, 3);
    } else if (is_type(&n, "TensorListGather")) {
        become(net, node, "TensorArrayGatherV3", "dtype", read, 3);
    } else if (is_type(&n, "TensorListStack")) {
        read[1] = all_of(net, node, size_of(net, node, handle, list));
        become(net, node, "TensorArrayGatherV3", "dtype", read, 3);
    } else if (is_type(&n, "TensorListLength")) {
        read[1] = list;
        become(net, node, "TensorArraySizeV3", NULL, read, 2);
    } else if (is_type(&n, "TensorListConcatV2")) {
        read[1] = list;
        become(net, node, "TensorArrayConcatV3", "dtype", read, 2);
    }
}

static void change_lists(struct lists *lists, uint32_t node)
{
    static const char *const names[] = {
        "TensorListSetItem",  "TensorListPushBack",
        "TensorListGetItem",  "TensorListGather",
        "TensorListStack",    "TensorListLength",
        "TensorListConcatV2", NULL
    };
    const struct tn_net_node n = tn_net_node(lists->net, node);

    if (n.is_removed || !n.input_count || !tn_tf_type_in(n.op->type, names))
        return;
    uint32_t handle = handle_of(lists, n.inputs[0]);
    if (handle != TN_NONE)
        change(lists, node, handle);
}

enum tn_status tn_tf_lists(struct tn_net *net)
{
    struct lists lists = { .net = net };
    uint64_t     count = net->nodes.count;

    tn_list_init(&lists.handles, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&lists.flows, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&lists.owners, net->arena->memory, sizeof(uint32_t));
    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++)
        begin_lists(&lists, i);
    if (lists.handles.count) {
        for (uint32_t i = 0; i < count && !tn_failed(net->error); i++) {
            const struct tn_net_node    n    = tn_net_node(lists.net, i);
            const struct tn_attr_value *body = tn_net_attr(&n, "body");
            if (n.is_removed || !body || body->kind != TN_ATTR_GRAPH ||
                !body->count)
                continue;
            uint32_t *owner =
                slot(&lists, &lists.owners, (uint64_t)body->of.ints[0]);
            if (owner)
                *owner = i + 1;
        }
        for (uint32_t i = 0; i < count && !tn_failed(net->error); i++)
            change_lists(&lists, i);
    }
    bool has_lists = lists.handles.count > 0;
    tn_list_done(&lists.handles);
    tn_list_done(&lists.flows);
    tn_list_done(&lists.owners);
    return tn_failed(net->error) ? net->error->status
           : has_lists           ? tn_net_order(net, NULL)
                                 : TN_OK;
}
