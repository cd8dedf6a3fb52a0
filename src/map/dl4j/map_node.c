/* map_node.c - a node as the rules of the import IR see it */
#include "map/dl4j/map_node.h"

#include "ir/attr.h"

const char *tn_framework_name(enum tn_framework framework)
{
    static const char *const names[TN_FRAMEWORK_COUNT] = { "tensorflow", "onnx",
                                                           "paddle" };

    return names[framework];
}

bool tn_framework_named(struct tn_bytes name, enum tn_framework *framework)
{
    for (enum tn_framework i = 0; i < TN_FRAMEWORK_COUNT; i++)
        if (tn_bytes_is(name, tn_framework_name(i))) {
            *framework = i;
            return true;
        }
    return false;
}

struct taking {
    struct tn_map_node    *node;
    const struct tn_model *model;
    uint32_t               op;
    struct tn_arena       *arena;
    struct tn_error       *error;
};

/* ---- inputs and outputs ------------------------------------------------- */

/* "x:1", or in a function "x:out:1": the last part counts outputs. */
static bool has_port(struct tn_bytes name)
{
    size_t  digits = 0;
    int64_t port   = 0;

    while (digits < name.size && name.data[name.size - 1 - digits] != ':')
        digits++;
    if (digits == name.size)
        return true; /* there is no colon */
    for (size_t i = name.size - digits; i < name.size; i++) {
        uint8_t c = name.data[i];
        port      = port * 10 + (c - '0');
        if (c < '0' || c > '9' || port > INT32_MAX)
            return false;
    }
    return digits > 0 && digits + 1 < name.size;
}

static struct tn_bytes value_name(const struct tn_model *model, uint32_t value)
{
    return value == TN_NONE ? tn_text("")
                            : tn_model_value_info(model, value).name;
}

static void take_inputs(struct taking *t, uint32_t count)
{
    struct tn_bytes *inputs =
        tn_new(t->arena, struct tn_bytes, count, t->error);

    for (uint32_t i = 0; inputs && i < count; i++) {
        inputs[i] = value_name(t->model, tn_op_input(t->model, t->op, i));
        if (t->node->framework == TN_FRAMEWORK_TENSORFLOW &&
            !has_port(inputs[i]))
            tn_error_set(t->error, TN_MALFORMED, TN_NOWHERE,
                         "input '%.*s' is neither NODE nor NODE:NUMBER",
                         TN_FMT(inputs[i]));
    }
    t->node->inputs      = inputs;
    t->node->input_count = inputs ? count : 0;
}

/* A NodeDef does not say how many outputs it has. */
static void take_outputs(struct taking *t, uint32_t count)
{
    struct tn_bytes *outputs;

    if (t->node->framework == TN_FRAMEWORK_TENSORFLOW)
        return;
    outputs = tn_new(t->arena, struct tn_bytes, count, t->error);
    for (uint32_t i = 0; outputs && i < count; i++)
        outputs[i] = value_name(t->model, tn_op_output(t->model, t->op, i));
    t->node->outputs      = outputs;
    t->node->output_count = outputs ? count : 0;
}

static void take_slots(struct taking *t)
{
    const struct tn_op *op = tn_model_op_at(t->model, t->op);
    struct tn_cursor    c =
        tn_cursor_span(tn_model_op_wire(t->model, op), t->error);
    struct tn_bytes *slots =
        tn_new(t->arena, struct tn_bytes, t->node->input_count, t->error);
    struct tn_bytes name;
    uint32_t        count, at = 0;

    while (slots && t->model->dialect->next_slot(&c, false, &name, &count))
        for (uint32_t i = 0; i < count && at < t->node->input_count; i++)
            slots[at++] = name;
    t->node->slots = slots;
}

/* ---- attributes --------------------------------------------------------- */

static void take_attrs(struct taking *t)
{
    struct tn_list      list;
    struct tn_map_attr *attrs;

    tn_list_init(&list, t->arena->memory, sizeof(struct tn_attr_named));
    tn_attr_list(t->model, t->op, t->arena, &list, t->error);
    attrs = tn_new(t->arena, struct tn_map_attr, list.count, t->error);
    for (uint64_t i = 0; attrs && i < list.count; i++) {
        const struct tn_attr_named *from =
            tn_list_at(&list, struct tn_attr_named, i);
        attrs[i] = (struct tn_map_attr){ from->name, from->value };
    }
    t->node->attrs      = attrs;
    t->node->attr_count = attrs ? (uint32_t)list.count : 0;
    tn_list_done(&list);
}

/* ---- all ---------------------------------------------------------------- */

enum tn_status tn_map_node_take(struct tn_map_node    *node,
                                enum tn_framework      framework,
                                const struct tn_model *model, uint32_t op,
                                struct tn_arena *arena, struct tn_error *error)
{
    struct taking     t    = { node, model, op, arena, error };
    struct tn_op_info info = tn_model_op(model, op);

    *node = (struct tn_map_node){ .framework = framework,
                                  .name      = info.name,
                                  .op_type   = info.type,
                                  .domain    = info.domain };
    if (!info.type.size)
        return tn_error_set(error, TN_MALFORMED, 0,
                            "a node without an op type");
    take_inputs(&t, info.input_count);
    take_outputs(&t, info.output_count);
    if (model->dialect->next_slot && !tn_failed(error))
        take_slots(&t);
    if (!tn_failed(error))
        take_attrs(&t);
    return error->status;
}

const struct tn_map_attr *tn_map_node_attr(const struct tn_map_node *node,
                                           struct tn_bytes           name)
{
    const struct tn_map_attr *found = NULL;

    for (uint32_t i = 0; i < node->attr_count; i++)
        if (tn_bytes_equal(node->attrs[i].name, name))
            found = &node->attrs[i];
    return found;
}
