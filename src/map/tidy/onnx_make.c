/* onnx_make.c - makes nodes of an ONNX net, one after the other */
#include "map/tidy/onnx_make.h"

#include "map/net/net_build.h"

/* The name of a node; without one, that of its first output. */
static struct tn_bytes name_of(const struct tn_onnx_make *m)
{
    const struct tn_net_node node = tn_net_node(m->net, m->like);

    if (node.name.size || !node.output_count || node.outputs[0] == TN_NONE)
        return node.name;
    return tn_net_value(m->net, node.outputs[0]).name;
}

/* Named like the node that it comes from; lay-out adds the operator. */
static void name_inner(const struct tn_onnx_make *m, uint32_t value)
{
    struct tn_net_value_row *row = tn_net_value_row(m->net, value);

    row->name     = tn_net_keep_name(m->net, name_of(m));
    row->is_inner = true;
}

uint32_t tn_onnx_add(const struct tn_onnx_make *m, const char *op,
                     const uint32_t *inputs, uint32_t input_count,
                     const struct tn_net_attr *attr)
{
    uint32_t output = tn_net_add_nameless(m->net, m->graph);

    if (output == TN_NONE || tn_failed(m->net->error))
        return TN_NONE;
    name_inner(m, output);
    struct tn_net_node node = { .op           = tn_net_own_op(m->net, op),
                                .graph        = m->graph,
                                .inputs       = inputs,
                                .input_count  = input_count,
                                .outputs      = &output,
                                .output_count = 1,
                                .attrs        = attr,
                                .attr_count   = attr != NULL,
                                .source = tn_net_node(m->net, m->like).source };
    return tn_net_add_node(m->net, &node) == TN_NONE ? TN_NONE : output;
}

void tn_onnx_more(const struct tn_onnx_make *m, uint32_t first, uint32_t *made,
                  uint32_t count)
{
    made[0] = first;
    for (uint32_t i = 1; i < count; i++) {
        made[i] = tn_net_add_nameless(m->net, m->graph);
        if (first == TN_NONE || made[i] == TN_NONE || tn_failed(m->net->error))
            return;
        name_inner(m, made[i]);
    }
    tn_net_set_outputs(m->net, tn_net_value(m->net, first).producer, made,
                       count);
}

uint32_t tn_onnx_ints(const struct tn_onnx_make *m, const int64_t *items,
                      uint64_t count)
{
    return tn_net_add_ints(m->net, m->graph, tn_bytes(NULL, 0), TN_INT64, items,
                           1, &count);
}

uint32_t tn_onnx_int(const struct tn_onnx_make *m, int64_t item)
{
    return tn_onnx_ints(m, &item, 1);
}

struct tn_net_attr tn_onnx_attr(const struct tn_onnx_make *m, const char *name,
                                const int64_t *items, uint32_t count,
                                bool is_list)
{
    int64_t *kept = tn_new(m->net->arena, int64_t, count, m->net->error);

    if (kept)
        memcpy(kept, items, count * sizeof *kept);
    return (struct tn_net_attr){ .name  = tn_text(name),
                                 .value = { .kind    = TN_ATTR_INT,
                                            .count   = kept ? count : 0,
                                            .is_list = is_list,
                                            .of.ints = kept } };
}

uint32_t tn_onnx_slice(const struct tn_onnx_make *m, uint32_t value,
                       int64_t from, int64_t to, int64_t axis)
{
    uint32_t inputs[] = { value, tn_onnx_int(m, from), tn_onnx_int(m, to),
                          tn_onnx_int(m, axis) };

    return tn_onnx_add(m, "Slice", inputs, 4, NULL);
}

uint32_t tn_onnx_concat(const struct tn_onnx_make *m, const uint32_t *values,
                        uint32_t count, int64_t axis)
{
    struct tn_net_attr attr = tn_onnx_attr(m, "axis", &axis, 1, false);

    return count == 1 ? values[0]
                      : tn_onnx_add(m, "Concat", values, count, &attr);
}

uint32_t tn_onnx_on_axis(const struct tn_onnx_make *m, const char *op,
                         uint32_t value, int64_t axis)
{
    uint32_t inputs[] = { value, tn_onnx_int(m, axis) };

    return tn_onnx_add(m, op, inputs, 2, NULL);
}

uint32_t tn_onnx_transpose(const struct tn_onnx_make *m, uint32_t value,
                           const int64_t *perm, uint32_t rank)
{
    struct tn_net_attr attr = tn_onnx_attr(m, "perm", perm, rank, true);

    return tn_onnx_add(m, "Transpose", &value, 1, &attr);
}
