/* diff_side.c - hashes of the structure of a model */
#include "diff/diff_side.h"

#include "base/watch.h"

/* ---- hashes ------------------------------------------------------------- */

uint64_t tn_diff_hash(struct tn_bytes bytes, uint64_t seed)
{
    uint64_t hash = tn_diff_join(seed, bytes.size);
    size_t   at   = 0;

    for (; bytes.size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes.data + at, 8);
        hash = tn_diff_join(hash, word);
    }
    if (at < bytes.size) {
        uint64_t word = 0;
        memcpy(&word, bytes.data + at, bytes.size - at);
        hash = tn_diff_join(hash, word);
    }
    return hash;
}

static uint64_t shape_hash(const struct tn_shape *shape)
{
    uint64_t hash = tn_diff_join(shape->dtype, shape->rank);

    for (uint32_t i = 0; i < shape->rank; i++)
        hash = tn_diff_join(hash, shape->dims[i]);
    return hash;
}

static uint64_t attr_shape_hash(const struct tn_attr_shape *shape)
{
    uint64_t hash = tn_diff_join(shape->has_rank, shape->rank);

    for (uint32_t i = 0; shape->has_rank && i < shape->rank; i++)
        hash = tn_diff_join(hash, (uint64_t)shape->dims[i]);
    return hash;
}

static uint64_t item_hash(const struct tn_attr_value *value, uint32_t i,
                          const uint64_t *shapes)
{
    uint64_t bits = 0;

    switch (value->kind) {
    case TN_ATTR_NONE: return 0;
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: return (uint64_t)value->of.ints[i];
    case TN_ATTR_GRAPH: return shapes[value->of.ints[i]];
    case TN_ATTR_FLOAT:
        memcpy(&bits, &value->of.floats[i], sizeof(float));
        return bits;
    case TN_ATTR_DOUBLE:
        memcpy(&bits, &value->of.doubles[i], sizeof(double));
        return bits;
    case TN_ATTR_STRING:
    case TN_ATTR_FUNCTION:
    case TN_ATTR_REFERENCE:
    case TN_ATTR_OTHER: return tn_diff_hash(value->of.strings[i], 1);
    case TN_ATTR_SHAPE: return attr_shape_hash(&value->of.shapes[i]);
    case TN_ATTR_TENSOR:
        return shape_hash(&value->of.tensors[i]->elements.shape);
    }
    return bits;
}

/* The hash of a decoded attribute; a tensor counts by type and shape alone, a
 * graph by the shapes of its ops. */
static uint64_t value_hash(const struct tn_attr_value *value,
                           const uint64_t             *shapes)
{
    uint64_t hash = tn_diff_join(value->kind, value->is_list);

    for (uint32_t i = 0; i < value->count; i++)
        hash = tn_diff_join(hash, item_hash(value, i, shapes));
    return hash;
}

/* ---- values: which are inputs, which are weights ------------------------ */

uint32_t *tn_diff_nones(struct tn_memory *memory, uint64_t count,
                        struct tn_error *error)
{
    uint64_t  size  = (count + 1) * sizeof(uint32_t);
    uint32_t *items = tn_memory_resize(memory, NULL, 0, size, error);

    if (items)
        memset(items, 0xff, (size_t)size);
    return items;
}

static uint64_t *numbers(struct tn_memory *memory, uint64_t count,
                         struct tn_error *error)
{
    uint64_t  size  = (count + 1) * sizeof(uint64_t);
    uint64_t *items = tn_memory_resize(memory, NULL, 0, size, error);

    if (items)
        memset(items, 0, (size_t)size);
    return items;
}

static void find_inputs(struct tn_diff_side *side)
{
    const struct tn_model *model = side->model;

    for (uint32_t g = 0; g < side->graph_count; g++) {
        struct tn_io_list inputs = tn_model_graph_at(model, g)->inputs;
        for (uint32_t i = 0; i < inputs.count; i++) {
            uint32_t value =
                tn_model_find_named(model, g, inputs.items[i].name);
            if (value != TN_NONE && side->input_of[value] == TN_NONE)
                side->input_of[value] = i;
        }
    }
}

static void find_tensors(struct tn_diff_side *side)
{
    const struct tn_model *model = side->model;

    for (uint64_t i = side->tensor_count; i-- > 0;) {
        const struct tn_tensor *tensor =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        if (tensor->graph >= side->graph_count)
            continue;
        const struct tn_graph *graph = tn_model_graph_at(model, tensor->graph);
        if (tensor->node != TN_NONE) {
            uint64_t op = (uint64_t)graph->first_op + tensor->node;
            if (op >= side->op_count || tensor->node >= graph->op_count)
                continue;
            side->next_tensor[i] = side->op_tensor[op];
            side->op_tensor[op]  = (uint32_t)i;
            continue;
        }
        uint32_t value = tensor->name == TN_NO_NAME
                             ? TN_NONE
                             : tn_model_find_named(model, tensor->graph,
                                                   tn_tensor_name(tensor));
        if (value != TN_NONE)
            side->tensor_of[value] = (uint32_t)i;
    }
}

struct tn_bytes tn_diff_op_name(const struct tn_model *model, uint32_t op)
{
    const struct tn_op *o    = tn_model_op_at(model, op);
    struct tn_bytes     name = tn_model_name(model, o->name);

    for (uint32_t i = 0; name.size == 0 && i < o->output_count; i++)
        name = tn_model_value_name(
            model, tn_model_ref_at(model, (uint64_t)o->first_output + i));
    return name;
}

/* ---- order -------------------------------------------------------------- */

/* The op of the same graph that makes an input; TN_NONE: another. */
static uint32_t producer_in(const struct tn_model *model, uint32_t graph,
                            uint32_t value)
{
    if (value == TN_NONE)
        return TN_NONE;
    uint32_t op = tn_model_value_at(model, value)->producer;
    return op != TN_NONE && tn_model_op_at(model, op)->graph == graph ? op
                                                                      : TN_NONE;
}

static bool is_ordered(const struct tn_model *model, uint32_t first,
                       uint32_t end)
{
    for (uint32_t op = first; op < end; op++) {
        const struct tn_op *o = tn_model_op_at(model, op);
        for (uint32_t i = 0; i < o->input_count; i++) {
            uint32_t from = producer_in(
                model, o->graph,
                tn_model_ref_at(model, (uint64_t)o->first_input + i));
            if (from != TN_NONE && from >= op)
                return false;
        }
    }
    return true;
}

struct visit {
    uint32_t op, input;
};

/* Depth first along the inputs, with a stack of its own.  `mark` is 0 for ops
 * not met, 1 for ops on the stack: an edge to one of those closes a cycle and
 * is not followed. */
static void walk_from(const struct tn_model *model, uint32_t root,
                      uint8_t *mark, struct visit *stack, uint32_t *order,
                      uint32_t *at)
{
    uint32_t depth = 1;

    stack[0]   = (struct visit){ root, 0 };
    mark[root] = 1;
    while (depth > 0) {
        struct visit       *top = &stack[depth - 1];
        const struct tn_op *o   = tn_model_op_at(model, top->op);
        if (top->input == o->input_count) {
            order[(*at)++] = top->op;
            depth--;
            continue;
        }
        uint32_t from = producer_in(
            model, o->graph,
            tn_model_ref_at(model, (uint64_t)o->first_input + top->input++));
        if (from == TN_NONE || mark[from])
            continue;
        mark[from]     = 1;
        stack[depth++] = (struct visit){ from, 0 };
    }
}

static enum tn_status order_graph(struct tn_diff_side *side, uint32_t first,
                                  uint32_t end, struct tn_error *error)
{
    uint64_t      marks = side->op_count;
    uint64_t      size  = ((uint64_t)end - first) * sizeof(struct visit);
    uint8_t      *mark  = tn_memory_resize(side->memory, NULL, 0, marks, error);
    struct visit *stack =
        mark ? tn_memory_resize(side->memory, NULL, 0, size, error) : NULL;
    uint32_t at = first;

    if (stack) {
        memset(mark + first, 0, end - first);
        for (uint32_t op = first; op < end; op++)
            if (!mark[op])
                walk_from(side->model, op, mark, stack, side->order, &at);
        tn_memory_free(side->memory, stack, size);
    }
    if (mark)
        tn_memory_free(side->memory, mark, marks);
    return error->status;
}

static enum tn_status find_order(struct tn_diff_side *side,
                                 struct tn_error     *error)
{
    for (uint32_t op = 0; op < side->op_count; op++)
        side->order[op] = op;
    for (uint32_t g = 0; g < side->graph_count; g++) {
        const struct tn_graph *graph = tn_model_graph_at(side->model, g);
        uint32_t end = graph->first_op + (uint32_t)graph->op_count;
        if (graph->op_count && !is_ordered(side->model, graph->first_op, end))
            TN_TRY(order_graph(side, graph->first_op, end, error));
    }
    return TN_OK;
}

/* ---- local -------------------------------------------------------------- */

/* Attributes in any order; decoded once for ops that are alike. */
struct attr_hashing {
    struct tn_diff_side *side;
    struct tn_arena      arena;
    struct tn_list       attrs; /* struct tn_attr_named                       */
    uint64_t            *known; /* by number of the alike; 0: not yet         */
    uint64_t             known_count;
};

static uint64_t attrs_hash(struct attr_hashing *h, uint32_t op,
                           struct tn_error *error)
{
    const struct tn_op *o   = tn_model_op_at(h->side->model, op);
    uint64_t            sum = 1;

    if (o->alike && h->known[o->alike])
        return h->known[o->alike];
    tn_arena_rewind(&h->arena);
    h->attrs.count = 0;
    if (tn_attr_list(h->side->model, op, &h->arena, &h->attrs, error) != TN_OK)
        return 0;
    bool has_graph = false;
    for (uint64_t i = 0; i < h->attrs.count; i++) {
        const struct tn_attr_named *attr =
            tn_list_at(&h->attrs, struct tn_attr_named, i);
        has_graph |= attr->value.kind == TN_ATTR_GRAPH;
        sum += tn_diff_join(tn_diff_hash(attr->name, 2),
                            value_hash(&attr->value, h->side->shapes));
    }
    if (o->alike && !has_graph)
        h->known[o->alike] = sum ? sum : 1;
    return sum;
}

static uint64_t weights_hash(const struct tn_diff_side *side,
                             const struct tn_op        *o)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < o->input_count; i++) {
        uint32_t value =
            tn_model_ref_at(side->model, (uint64_t)o->first_input + i);
        uint32_t tensor = value == TN_NONE ? TN_NONE : side->tensor_of[value];
        if (tensor != TN_NONE)
            hash +=
                tn_diff_join(i, shape_hash(&tn_list_at(&side->model->tensors,
                                                       struct tn_tensor, tensor)
                                                ->elements.shape));
    }
    return hash;
}

static uint64_t local_hash(struct attr_hashing *h, uint32_t op,
                           struct tn_error *error)
{
    const struct tn_model *model = h->side->model;
    const struct tn_op    *o     = tn_model_op_at(model, op);
    uint64_t hash = tn_diff_hash(tn_model_name(model, o->type), 3);

    hash = tn_diff_hash(tn_model_name(model, o->domain), hash);
    hash = tn_diff_join(hash, o->input_count);
    hash = tn_diff_join(hash, o->control_count);
    if (model->dialect->names_outputs) /* else outputs are those in use */
        hash = tn_diff_join(hash, o->output_count);
    hash = tn_diff_join(hash, attrs_hash(h, op, error));
    return tn_diff_join(hash, weights_hash(h->side, o));
}

uint64_t tn_diff_most_alike(const struct tn_model *model)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < model->ops.count; i++) {
        uint64_t alike = tn_model_op_at(model, (uint32_t)i)->alike;
        most           = alike > most ? alike : most;
    }
    return most;
}

/* Graphs inside come after their parents, so they are hashed first. */
static enum tn_status hash_locals(struct tn_diff_side *side,
                                  struct tn_error     *error)
{
    struct attr_hashing h = { .side = side };

    h.known_count = tn_diff_most_alike(side->model) + 1;
    h.known       = numbers(side->memory, h.known_count, error);
    tn_arena_init(&h.arena, side->memory);
    tn_list_init(&h.attrs, side->memory, sizeof(struct tn_attr_named));
    for (uint32_t g = side->graph_count; g-- > 0 && !tn_failed(error);) {
        const struct tn_graph *graph = tn_model_graph_at(side->model, g);
        uint64_t hash = tn_diff_join(graph->inputs.count, graph->outputs.count);
        for (uint64_t i = 0; i < graph->op_count && !tn_failed(error); i++) {
            uint32_t op     = graph->first_op + (uint32_t)i;
            side->local[op] = local_hash(&h, op, error);
            hash            = tn_diff_join(hash, side->local[op]);
            if ((i & 0xffff) == 0)
                (void)tn_watch_poll(side->memory, error);
        }
        side->shapes[g] = hash;
    }
    tn_list_done(&h.attrs);
    tn_arena_done(&h.arena);
    if (h.known)
        tn_memory_free(side->memory, h.known,
                       (h.known_count + 1) * sizeof *h.known);
    return error->status;
}

/* ---- above and below ---------------------------------------------------- */

static uint64_t source_hash(const struct tn_diff_side *side, uint32_t value)
{
    const struct tn_value *v = tn_model_value_at(side->model, value);

    if (v->producer != TN_NONE)
        return tn_diff_join(side->above[v->producer], v->output);
    if (side->tensor_of[value] != TN_NONE)
        return 7;
    return tn_diff_join(v->kind, side->input_of[value]);
}

static void hash_above(struct tn_diff_side *side)
{
    for (uint32_t k = 0; k < side->op_count; k++) {
        uint32_t            op   = side->order[k];
        const struct tn_op *o    = tn_model_op_at(side->model, op);
        uint64_t            hash = side->local[op];
        for (uint32_t i = 0; i < o->input_count; i++) {
            uint32_t value =
                tn_model_ref_at(side->model, (uint64_t)o->first_input + i);
            hash = tn_diff_join(
                hash, value == TN_NONE ? 5 : source_hash(side, value));
        }
        side->above[op] = hash;
    }
}

static void add_outputs(struct tn_diff_side *side)
{
    const struct tn_model *model = side->model;

    for (uint32_t g = 0; g < side->graph_count; g++) {
        struct tn_io_list outputs = tn_model_graph_at(model, g)->outputs;
        for (uint32_t i = 0; i < outputs.count; i++) {
            uint32_t value =
                tn_model_find_named(model, g, outputs.items[i].name);
            uint32_t op = value == TN_NONE
                              ? TN_NONE
                              : tn_model_value_at(model, value)->producer;
            if (op != TN_NONE)
                side->below[op] +=
                    tn_diff_join(tn_diff_join(11, i),
                                 tn_model_value_at(model, value)->output);
        }
    }
}

/* `below` first sums up what the users of an op add to it. */
static void hash_below(struct tn_diff_side *side)
{
    add_outputs(side);
    for (uint32_t k = side->op_count; k-- > 0;) {
        uint32_t            op = side->order[k];
        const struct tn_op *o  = tn_model_op_at(side->model, op);
        side->below[op]        = tn_diff_join(side->local[op], side->below[op]);
        for (uint32_t i = 0; i < o->input_count; i++) {
            uint32_t value =
                tn_model_ref_at(side->model, (uint64_t)o->first_input + i);
            if (value == TN_NONE)
                continue;
            const struct tn_value *v = tn_model_value_at(side->model, value);
            if (v->producer != TN_NONE && v->producer != op)
                side->below[v->producer] +=
                    tn_diff_join(side->below[op], tn_diff_join(i, v->output));
        }
    }
}

/* ---- all of it ---------------------------------------------------------- */

static void allocate(struct tn_diff_side *side, struct tn_error *error)
{
    struct tn_memory *memory = side->memory;

    side->local       = numbers(memory, side->op_count, error);
    side->above       = numbers(memory, side->op_count, error);
    side->below       = numbers(memory, side->op_count, error);
    side->shapes      = numbers(memory, side->graph_count, error);
    side->order       = tn_diff_nones(memory, side->op_count, error);
    side->op_tensor   = tn_diff_nones(memory, side->op_count, error);
    side->tensor_of   = tn_diff_nones(memory, side->value_count, error);
    side->input_of    = tn_diff_nones(memory, side->value_count, error);
    side->next_tensor = tn_diff_nones(memory, side->tensor_count, error);
}

enum tn_status tn_diff_side_init(struct tn_diff_side   *side,
                                 const struct tn_model *model,
                                 struct tn_memory      *memory,
                                 struct tn_error       *error)
{
    bool has_graph = model->dialect && model->wants_graph;

    *side = (struct tn_diff_side){
        .model        = model,
        .memory       = memory,
        .op_count     = has_graph ? (uint32_t)model->ops.count : 0,
        .value_count  = has_graph ? (uint32_t)model->values.count : 0,
        .graph_count  = has_graph ? (uint32_t)model->graphs.count : 0,
        .tensor_count = model->tensors.count,
    };
    allocate(side, error);
    if (tn_failed(error))
        return error->status;
    find_inputs(side);
    find_tensors(side);
    TN_TRY(find_order(side, error));
    TN_TRY(hash_locals(side, error));
    hash_above(side);
    hash_below(side);
    return TN_OK;
}

static void drop(struct tn_diff_side *side, void *block, uint64_t count,
                 size_t item)
{
    if (block)
        tn_memory_free(side->memory, block, (count + 1) * item);
}

void tn_diff_side_done(struct tn_diff_side *side)
{
    if (!side->memory)
        return;
    drop(side, side->local, side->op_count, sizeof(uint64_t));
    drop(side, side->above, side->op_count, sizeof(uint64_t));
    drop(side, side->below, side->op_count, sizeof(uint64_t));
    drop(side, side->shapes, side->graph_count, sizeof(uint64_t));
    drop(side, side->order, side->op_count, sizeof(uint32_t));
    drop(side, side->op_tensor, side->op_count, sizeof(uint32_t));
    drop(side, side->tensor_of, side->value_count, sizeof(uint32_t));
    drop(side, side->input_of, side->value_count, sizeof(uint32_t));
    drop(side, side->next_tensor, side->tensor_count, sizeof(uint32_t));
    side->memory = NULL;
}
