/*
 * onnx_open.c - from a ModelProto to the tables of a model, in one walk
 *
 *   ModelProto     ir_version = 1, producer = 2 3, domain = 4, version = 5,
 *                  graph = 7, opset_import = 8, metadata_props = 14,
 *                  training_info = 20, functions = 25, configuration = 26
 *
 * Graphs are read breadth first; tensors are put back into the order of the
 * file at the end.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "format/onnx/onnx.h"
#include "format/text_model.h"
#include "wire/pb/pb_tail.h"

/* Nodes of a few types make up most graphs. */
#define TN_ONNX_CACHE_SIZE 64

struct tn_onnx_cached_name {
    struct tn_bytes text;
    uint32_t        id;
};

/* Most inputs were made a few nodes before: names that are found here need no
 * lookup in tables that are larger than the processor's caches. */
#define TN_ONNX_RECENT_SIZE 1024

struct tn_onnx_recent_value {
    struct tn_bytes text;
    uint32_t        graph;
    uint32_t        value;
};

struct tn_onnx_reader {
    struct tn_bundle       *bundle;
    struct tn_model        *model;
    struct tn_arena        *arena;
    struct tn_error        *error;
    struct tn_onnx_detail  *detail;
    struct tn_onnx_external external;
    struct tn_pairs         initializers; /* (graph, name) -> any number      */
    struct tn_list          imports;      /* struct tn_onnx_import            */
    struct tn_list          parts;        /* struct tn_onnx_part              */
    struct tn_list          inputs;       /* struct tn_io, of the graph read */
    struct tn_list          outputs;      /* struct tn_io                    */
    struct tn_list          produced; /* uint32_t: values, of the node read   */
    uint32_t                source;   /* of the main file                     */
    struct tn_onnx_cached_name  types[TN_ONNX_CACHE_SIZE];
    struct tn_onnx_recent_value recent[TN_ONNX_RECENT_SIZE];
    struct tn_pb_tails          tails; /* of nodes, from the operator on */

    struct tn_bytes producer_name, producer_version, domain, doc;
    int64_t         version;
    uint64_t        metadata_count, training_count, configuration_count;
    uint64_t        value_info_count, annotation_count, function_count;
    bool            has_graph;
};

/* ---- graphs, nodes, and the tensors and graphs inside nodes ------------- */

/*
 *   GraphProto     node = 1, name = 2, initializer = 5, input = 11,
 *                  output = 12, value_info = 13, sparse_initializer = 15
 *   NodeProto      input = 1, output = 2, name = 3, op_type = 4,
 *                  attribute = 5, domain = 7
 *
 * Graphs lie in attributes of nodes of graphs.  A graph that is met becomes a
 * row of model->graphs and is read when its turn comes, so depth costs no
 * stack and the ops of a graph stay together.
 */

/* Longer paths of graphs leave out their middle; see subgraph_path(). */
#define LONGEST_PATH 800

/* ---- tensors ------------------------------------------------------------ */

/* The place of a tensor. */
struct place {
    uint32_t graph, node, slot, part;
    uint8_t  role;
};

static void read_tensor(struct tn_onnx_reader *r, struct tn_cursor body,
                        struct place place)
{
    struct tn_onnx_tensor tensor;

    tn_onnx_tensor_read(&body, r->arena, &tensor);
    if (tn_failed(r->error))
        return;
    struct tn_tensor *row = tn_model_add_tensor(r->model, r->error);
    if (!row)
        return;
    row->wire        = tensor.wire;
    row->graph       = place.graph;
    row->node        = place.node;
    row->slot        = place.slot;
    row->part        = place.part;
    row->role        = place.role;
    row->is_external = tensor.is_external;
    if (tensor.name.size)
        row->name = tn_intern_borrow(&r->model->names, tensor.name, r->error);
    tn_onnx_tensor_locate(&tensor, r->arena, &row->elements, r->error);
    if (tensor.is_external)
        tn_onnx_external_locate(&r->external, &tensor, &row->elements,
                                r->error);
}

/* A message that may come only once: no writer splits a tensor, and spans of
 * two halves are not a payload. */
static bool is_first(struct tn_cursor *c, const struct tn_pb_field *field,
                     bool *seen)
{
    if (*seen)
        tn_fail_at(c, field->offset, TN_UNSUPPORTED,
                   "field %" PRIu32 " is a tensor in two pieces",
                   field->number);
    bool is_new = !*seen;
    *seen       = true;
    return is_new;
}

static void read_sparse(struct tn_onnx_reader *r, struct tn_cursor body,
                        struct place place)
{
    struct tn_pb_field field;
    bool               seen[2] = { false, false };

    while (tn_pb_next(&body, &field)) {
        if (field.number != SPARSE_VALUES && field.number != SPARSE_INDICES)
            continue;
        if (!tn_pb_expect(&body, &field, TN_WIRE_LEN) ||
            !is_first(&body, &field, &seen[field.number - SPARSE_VALUES]))
            return;
        place.role = field.number == SPARSE_VALUES ? TN_ROLE_SPARSE_VALUES
                                                   : TN_ROLE_SPARSE_INDICES;
        read_tensor(r, field.body, place);
    }
}

static uint32_t last_tensor_name(const struct tn_onnx_reader *r)
{
    const struct tn_list *tensors = &r->model->tensors;

    return tn_list_at(tensors, struct tn_tensor, tensors->count - 1)->name;
}

/* The name of a sparse tensor is that of its values. */
static uint32_t sparse_name(const struct tn_onnx_reader *r, uint64_t first)
{
    const struct tn_list *tensors = &r->model->tensors;

    for (uint64_t i = first; i < tensors->count; i++) {
        const struct tn_tensor *row = tn_list_at(tensors, struct tn_tensor, i);
        if (row->role == TN_ROLE_SPARSE_VALUES)
            return row->name;
    }
    return TN_NO_NAME;
}

/* ---- graphs ------------------------------------------------------------- */

/* "graph.node[3].attribute[0].g".  A file of a few bytes a level must not make
 * us keep kilobytes for each, so that very long ones lose their middle. */
static const char *subgraph_path(struct tn_onnx_reader *r,
                                 const struct tn_graph *outer,
                                 const struct place    *place)
{
    const char *before =
        strlen(outer->path) > LONGEST_PATH ? "graph..." : outer->path;
    const char *word = place->node == TN_NONE ? "attribute_proto" : "attribute";
    char        node[40] = "";
    char        tail[40] = ".g";

    if (place->node != TN_NONE)
        snprintf(node, sizeof node, ".node[%" PRIu32 "]", place->node);
    if (place->part != TN_NONE)
        snprintf(tail, sizeof tail, ".graphs[%" PRIu32 "]", place->part);
    return tn_text_format(r->arena, r->error, "%s%s.%s[%" PRIu32 "]%s", before,
                          node, word, place->slot, tail);
}

static void add_subgraph(struct tn_onnx_reader *r, struct tn_cursor *c,
                         struct tn_pb_field *field, const struct place *place)
{
    struct tn_graph outer = *tn_model_graph_at(r->model, place->graph);

    if (outer.depth == TN_ONNX_DEPTH_LIMIT) {
        tn_fail_at(c, field->offset, TN_LIMIT, "graphs nested deeper than %d",
                   TN_ONNX_DEPTH_LIMIT);
        return;
    }
    const char *path  = subgraph_path(r, &outer, place);
    uint32_t    index = path ? tn_model_add_graph(r->model, TN_GRAPH_SUBGRAPH,
                                                  path, "node", r->error)
                             : TN_NONE;
    if (index == TN_NONE)
        return;
    struct tn_graph *graph = tn_model_graph_at(r->model, index);
    graph->parent_graph    = place->graph;
    graph->parent_node     = place->node;
    graph->parent_slot     = place->slot;
    graph->depth           = outer.depth + 1;
    graph->wire            = tn_pb_body_span(field);
}

/* A further piece of a graph that is known already. */
static void add_part(struct tn_onnx_reader *r, uint32_t graph,
                     struct tn_span wire)
{
    struct tn_onnx_part *part =
        tn_list_push(&r->parts, struct tn_onnx_part, r->error);

    if (part)
        *part = (struct tn_onnx_part){ .graph = graph, .wire = wire };
}

/* ---- attributes --------------------------------------------------------- */

struct attr_state {
    bool     has_t, has_sparse;
    uint32_t graph; /* of the `g` seen, or TN_NONE                           */
    uint32_t tensors, sparse_tensors, graphs; /* list items seen             */
};

static void read_one_graph(struct tn_onnx_reader *r, struct tn_cursor *c,
                           struct tn_pb_field *field, struct attr_state *state,
                           const struct place *place)
{
    if (state->graph != TN_NONE) {
        add_part(r, state->graph, tn_pb_body_span(field));
        return;
    }
    state->graph = (uint32_t)r->model->graphs.count;
    add_subgraph(r, c, field, place);
}

/* Tensors and graphs only; the other values are decoded when asked for. */
static void read_attr_field(struct tn_onnx_reader *r, struct tn_cursor *c,
                            struct tn_pb_field *field, struct attr_state *state,
                            struct place place)
{
    switch (field->number) {
    case ATTR_T:
        if (is_first(c, field, &state->has_t))
            read_tensor(r, field->body, place);
        break;
    case ATTR_G: read_one_graph(r, c, field, state, &place); break;
    case ATTR_TENSORS:
        place.part = state->tensors++;
        read_tensor(r, field->body, place);
        break;
    case ATTR_GRAPHS:
        place.part = state->graphs++;
        add_subgraph(r, c, field, &place);
        break;
    case ATTR_SPARSE_TENSOR:
        if (is_first(c, field, &state->has_sparse))
            read_sparse(r, field->body, place);
        break;
    case ATTR_SPARSE_TENSORS:
        place.part = state->sparse_tensors++;
        read_sparse(r, field->body, place);
        break;
    default: break;
    }
}

static bool is_nested(uint32_t number)
{
    return number == ATTR_T || number == ATTR_G || number == ATTR_TENSORS ||
           number == ATTR_GRAPHS || number == ATTR_SPARSE_TENSOR ||
           number == ATTR_SPARSE_TENSORS;
}

/* Whether the model keeps nothing of it. */
static bool read_attribute(struct tn_onnx_reader *r, struct tn_cursor *outer,
                           struct tn_pb_field *attribute, struct place place)
{
    struct attr_state  state    = { .graph = TN_NONE };
    bool               is_plain = true;
    struct tn_pb_field field;

    if (!tn_pb_expect(outer, attribute, TN_WIRE_LEN))
        return false;
    struct tn_cursor c = attribute->body;
    while (tn_pb_next(&c, &field))
        if (is_nested(field.number) && tn_pb_expect(&c, &field, TN_WIRE_LEN)) {
            read_attr_field(r, &c, &field, &state, place);
            is_plain = false;
        }
    if (tn_failed(r->error))
        tn_error_where(r->error, "attribute[%" PRIu32 "]", place.slot);
    return is_plain;
}

/* ---- nodes -------------------------------------------------------------- */

static uint32_t type_id(struct tn_onnx_reader *r, struct tn_bytes text)
{
    unsigned slot = 0;

    if (text.size == 0)
        return TN_NO_NAME;
    slot = (unsigned)(text.size * 31 + text.data[0] +
                      text.data[text.size - 1] * 7u) %
           TN_ONNX_CACHE_SIZE;
    struct tn_onnx_cached_name *cached = &r->types[slot];
    if (!cached->text.data || !tn_bytes_equal(cached->text, text)) {
        cached->text = text;
        cached->id   = tn_intern_borrow(&r->model->names, text, r->error);
    }
    return cached->id;
}

/* Names tend to differ in their last characters. */
static unsigned recent_slot(struct tn_bytes text)
{
    uint64_t tail = text.size;
    size_t   size = text.size < sizeof tail ? text.size : sizeof tail;

    memcpy(&tail, text.data + text.size - size, size);
    tail = (tail ^ text.size) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(tail >> 40) % TN_ONNX_RECENT_SIZE;
}

/* An input or output of a node; TN_NONE for "", which is not given. */
static uint32_t value_id(struct tn_onnx_reader *r, uint32_t graph,
                         struct tn_pb_field *field)
{
    struct tn_bytes text = tn_pb_text(field);

    if (text.size == 0 || tn_failed(r->error))
        return TN_NONE;
    struct tn_onnx_recent_value *recent = &r->recent[recent_slot(text)];
    if (recent->text.data && recent->graph == graph &&
        tn_bytes_equal(recent->text, text))
        return recent->value;
    *recent = (struct tn_onnx_recent_value){
        text, graph,
        tn_model_value(r->model, graph,
                       tn_intern_borrow(&r->model->names, text, r->error),
                       r->error)
    };
    return recent->value;
}

static void note_output(struct tn_onnx_reader *r, uint32_t value)
{
    uint32_t *slot = tn_list_push(&r->produced, uint32_t, r->error);

    if (slot)
        *slot = value;
}

/* Fields may come in any order, and outputs go after all the inputs. */
static void add_outputs(struct tn_onnx_reader *r, uint32_t op)
{
    for (uint64_t i = 0; i < r->produced.count; i++) {
        uint32_t value = *tn_list_at(&r->produced, uint32_t, i);
        tn_model_add_output(r->model, value, r->error);
        tn_model_define(r->model, value, TN_VALUE_OUTPUT, op, (uint32_t)i);
    }
}

struct node {
    uint32_t           graph, ordinal, attributes, name;
    struct tn_bytes    type, domain;
    struct tn_bytes    tail; /* from the operator on; empty: not worth it   */
    struct tn_pb_tail *slot; /* its own; NULL: no operator yet              */
    bool               is_known; /* the tail                                */
    bool has_early; /* before it is more than names, inputs and outputs      */
};

/* An operator without attributes. */
enum { SHORT_TAIL = 8 };

/* The operator was read. */
static void look_at_tail(struct tn_onnx_reader *r, const struct tn_cursor *c,
                         const struct tn_pb_field *field, struct node *node)
{
    node->tail = node->slot || node->domain.size ? tn_bytes(NULL, 0)
                                                 : tn_pb_tail_of(c, field);
    if (!r->model->wants_graph && node->tail.size < SHORT_TAIL)
        node->tail.size = 0; /* it is read as fast */
    node->slot = node->tail.size ? tn_pb_tail_slot(&r->tails, node->tail)
                                 : r->tails.slots;
    node->is_known =
        node->tail.size && tn_bytes_equal(node->slot->bytes, node->tail);
}

static void read_node_field(struct tn_onnx_reader *r, struct tn_cursor *c,
                            struct tn_pb_field *field, struct node *node)
{
    bool has_ops = r->model->wants_graph;

    node->has_early |= !node->slot && field->number > NODE_NAME &&
                       field->number != NODE_OP_TYPE;
    if (field->number > NODE_DOMAIN || !tn_pb_expect(c, field, TN_WIRE_LEN))
        return;
    if (field->number <= NODE_NAME)
        node->tail.size = 0; /* it is no tail */
    switch (field->number) {
    case NODE_INPUT:
        if (has_ops)
            tn_model_add_input(r->model, value_id(r, node->graph, field),
                               r->error);
        break;
    case NODE_OUTPUT:
        if (has_ops)
            note_output(r, value_id(r, node->graph, field));
        break;
    case NODE_NAME:
        /* No other node refers to a node by its name. */
        if (has_ops && tn_more(&field->body))
            node->name =
                tn_intern_append(&r->model->names, tn_pb_text(field), r->error);
        break;
    case NODE_OP_TYPE: node->type = tn_pb_text(field); break;
    case NODE_DOMAIN: node->domain = tn_onnx_domain(tn_pb_text(field)); break;
    case NODE_ATTRIBUTE:
        if (!read_attribute(r, c, field,
                            (struct place){ node->graph, node->ordinal,
                                            node->attributes++, TN_NONE,
                                            TN_ROLE_ATTRIBUTE }))
            node->tail.size = 0;
        break;
    default: break;
    }
}

static void finish_op(struct tn_onnx_reader *r, const struct node *node,
                      struct tn_span wire, uint32_t type, uint32_t domain)
{
    uint32_t      index = (uint32_t)r->model->ops.count - 1;
    struct tn_op *op    = tn_model_op_at(r->model, index);

    op->name        = node->name;
    op->type        = type;
    op->domain      = domain;
    op->source      = r->source;
    op->wire_offset = wire.offset;
    op->wire_length = wire.length & TN_WIRE_LENGTH_MAX;
    if (node->tail.size && !node->has_early &&
        node->slot->number <= TN_ALIKE_MAX)
        op->alike = node->slot->number & TN_ALIKE_MAX;
    add_outputs(r, index);
}

/* A training graph is not part of what the model computes. */
static bool is_for_training(const struct tn_model *model, uint32_t graph)
{
    while (graph != TN_NONE &&
           tn_model_graph_at(model, graph)->kind != TN_GRAPH_OTHER)
        graph = tn_model_graph_at(model, graph)->parent_graph;
    return graph != TN_NONE;
}

static void read_node(struct tn_onnx_reader *r, uint32_t graph,
                      uint32_t ordinal, struct tn_pb_field *message)
{
    struct node        node = { .graph   = graph,
                                .ordinal = ordinal,
                                .name    = TN_NO_NAME };
    struct tn_cursor   c    = message->body;
    struct tn_pb_field field;

    r->produced.count = 0;
    if (r->model->wants_graph &&
        tn_model_add_op(r->model, graph, r->error) == TN_NONE)
        return;
    while (!node.is_known && tn_pb_next(&c, &field)) {
        if (field.number == NODE_OP_TYPE)
            look_at_tail(r, &c, &field, &node);
        if (!node.is_known)
            read_node_field(r, &c, &field, &node);
    }
    if (tn_failed(r->error)) {
        tn_error_where(r->error, "node[%" PRIu32 "]", ordinal);
        return;
    }
    uint32_t type = node.is_known ? node.slot->type : type_id(r, node.type);
    uint32_t domain =
        node.is_known ? node.slot->domain : type_id(r, node.domain);
    if (!node.is_known && node.tail.size)
        tn_pb_tail_keep(&r->tails, node.slot,
                        (struct tn_pb_tail){ node.tail, type, domain, 0 });
    if (r->model->wants_graph)
        finish_op(r, &node, tn_pb_body_span(message), type, domain);
    if (!is_for_training(r->model, graph))
        tn_model_count_op(r->model, domain, type, r->error);
}

/* ---- the fields of a graph or function ---------------------------------- */

/* Counters for a walk over all pieces of a graph. */
struct graph_state {
    uint32_t index;
    uint32_t nodes, initializers, sparse, attributes;
};

/* Named constants are looked up when the inputs are known. */
static void note_initializer(struct tn_onnx_reader *r, uint32_t graph,
                             uint32_t name)
{
    if (name != TN_NO_NAME)
        tn_pairs_add(&r->initializers, graph, name, 0, r->error);
}

static void read_initializer(struct tn_onnx_reader *r,
                             struct tn_pb_field    *field,
                             struct graph_state    *state)
{
    uint64_t     before = r->model->tensors.count;
    struct place place  = { state->index, TN_NONE, state->initializers, TN_NONE,
                            TN_ROLE_INITIALIZER };

    if (field->number == GRAPH_INITIALIZER) {
        state->initializers++;
        read_tensor(r, field->body, place);
        if (!tn_failed(r->error))
            note_initializer(r, state->index, last_tensor_name(r));
        else
            tn_error_where(r->error, "initializer[%" PRIu32 "]", place.slot);
        return;
    }
    place.slot = state->sparse++;
    read_sparse(r, field->body, place);
    if (!tn_failed(r->error))
        note_initializer(r, state->index, sparse_name(r, before));
    else
        tn_error_where(r->error, "sparse_initializer[%" PRIu32 "]", place.slot);
}

static void read_io(struct tn_onnx_reader *r, struct tn_list *io_list,
                    struct tn_pb_field *field, const char *word)
{
    struct tn_io *io = tn_list_push(io_list, struct tn_io, r->error);

    if (io)
        tn_onnx_io_read(&field->body, r->arena, io);
    if (tn_failed(r->error))
        tn_error_where(r->error, "%s[%" PRIu64 "]", word, io_list->count - 1);
}

static void set_name(struct tn_onnx_reader *r, uint32_t *name,
                     struct tn_bytes text)
{
    if (text.data)
        *name = tn_intern_borrow(&r->model->names, text, r->error);
}

static void read_graph_field(struct tn_onnx_reader *r, struct tn_cursor *c,
                             struct tn_pb_field *field,
                             struct graph_state *state)
{
    if (field->number > GRAPH_METADATA || !tn_pb_expect(c, field, TN_WIRE_LEN))
        return;
    switch (field->number) {
    case GRAPH_NODE: read_node(r, state->index, state->nodes++, field); break;
    case GRAPH_NAME:
        set_name(r, &tn_model_graph_at(r->model, state->index)->name,
                 tn_pb_text(field));
        break;
    case GRAPH_INITIALIZER:
    case GRAPH_SPARSE_INITIALIZER: read_initializer(r, field, state); break;
    case GRAPH_INPUT: read_io(r, &r->inputs, field, "input"); break;
    case GRAPH_OUTPUT: read_io(r, &r->outputs, field, "output"); break;
    case GRAPH_VALUE_INFO: r->value_info_count += state->index == 0; break;
    case GRAPH_QUANTIZATION: r->annotation_count++; break;
    default: break;
    }
}

/* Inputs and outputs of a function are names. */
static void read_argument(struct tn_onnx_reader *r, struct tn_list *io_list,
                          struct tn_pb_field *field)
{
    struct tn_io *io = tn_list_push(io_list, struct tn_io, r->error);

    if (io)
        *io = (struct tn_io){ .name = tn_pb_text(field), .note = "" };
}

static void read_function_field(struct tn_onnx_reader *r, struct tn_cursor *c,
                                struct tn_pb_field *field,
                                struct graph_state *state)
{
    struct tn_graph *graph = tn_model_graph_at(r->model, state->index);

    if (field->number > FUNCTION_OVERLOAD ||
        !tn_pb_expect(c, field, TN_WIRE_LEN))
        return;
    switch (field->number) {
    case FUNCTION_NODE:
        read_node(r, state->index, state->nodes++, field);
        break;
    case FUNCTION_NAME: set_name(r, &graph->name, tn_pb_text(field)); break;
    case FUNCTION_DOMAIN: set_name(r, &graph->domain, tn_pb_text(field)); break;
    case FUNCTION_INPUT: read_argument(r, &r->inputs, field); break;
    case FUNCTION_OUTPUT: read_argument(r, &r->outputs, field); break;
    case FUNCTION_ATTRIBUTE_PROTO:
        read_attribute(r, c, field,
                       (struct place){ state->index, TN_NONE,
                                       state->attributes++, TN_NONE,
                                       TN_ROLE_ATTRIBUTE });
        break;
    default: break;
    }
}

/* ---- after the walk of one graph ---------------------------------------- */

static void define_inputs(struct tn_onnx_reader *r, uint32_t graph)
{
    for (uint64_t i = 0; i < r->inputs.count && !tn_failed(r->error); i++) {
        struct tn_io *input = tn_list_at(&r->inputs, struct tn_io, i);
        if (input->name.size == 0)
            continue;
        uint32_t name =
            tn_intern_borrow(&r->model->names, input->name, r->error);
        tn_model_define(r->model,
                        tn_model_value(r->model, graph, name, r->error),
                        TN_VALUE_INPUT, TN_NONE, (uint32_t)i);
    }
}

static void define_initializers(struct tn_onnx_reader *r, uint32_t graph,
                                uint64_t first)
{
    for (uint64_t i = first; i < r->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&r->model->tensors, struct tn_tensor, i);
        if (row->node != TN_NONE || row->name == TN_NO_NAME ||
            (row->role != TN_ROLE_INITIALIZER &&
             row->role != TN_ROLE_SPARSE_VALUES))
            continue;
        tn_model_define(r->model,
                        tn_model_value(r->model, graph, row->name, r->error),
                        TN_VALUE_INITIALIZER, TN_NONE, (uint32_t)i);
    }
}

static struct tn_io_list keep_io_list(struct tn_onnx_reader *r,
                                      const struct tn_list  *io_list)
{
    return (struct tn_io_list){ (uint32_t)io_list->count,
                                tn_list_keep(io_list, struct tn_io, r->arena,
                                             r->error) };
}

static void finish_graph(struct tn_onnx_reader    *r,
                         const struct graph_state *state, uint64_t first_tensor)
{
    uint32_t index = state->index;

    for (uint64_t i = 0; i < r->inputs.count; i++) {
        struct tn_io *input = tn_list_at(&r->inputs, struct tn_io, i);
        uint32_t      name  = tn_intern_find(&r->model->names, input->name);
        input->has_default =
            name != TN_NO_NAME &&
            tn_pairs_find(&r->initializers, index, name) != UINT32_MAX;
    }
    struct tn_graph *graph = tn_model_graph_at(r->model, index);
    graph->op_count        = state->nodes;
    graph->inputs          = keep_io_list(r, &r->inputs);
    graph->outputs         = keep_io_list(r, &r->outputs);
    if (!r->model->wants_graph)
        return;
    define_inputs(r, index);
    define_initializers(r, index, first_tensor);
}

/* ---- one graph, and all of them ----------------------------------------- */

static void read_piece(struct tn_onnx_reader *r, struct tn_span piece,
                       struct graph_state *state)
{
    struct tn_cursor   c = tn_cursor_span(piece, r->error);
    struct tn_pb_field field;
    bool               is_function =
        tn_model_graph_at(r->model, state->index)->kind == TN_GRAPH_FUNCTION;

    while (tn_pb_next(&c, &field)) {
        if (is_function)
            read_function_field(r, &c, &field, state);
        else
            read_graph_field(r, &c, &field, state);
    }
}

static int by_graph(const void *left, const void *right, void *context)
{
    const struct tn_onnx_part *a = left, *b = right;

    (void)context;
    if (a->graph != b->graph)
        return a->graph < b->graph ? -1 : 1;
    return (a->wire.offset > b->wire.offset) -
           (a->wire.offset < b->wire.offset);
}

/* Pieces met in the model's own message come in any order; those met in
 * attributes come in the order of their graphs, after them. */
static void sort_parts(struct tn_list *parts)
{
    if (parts->count)
        tn_sort_items(parts->items, parts->count, sizeof(struct tn_onnx_part),
                      by_graph, NULL);
}

static void read_parts(struct tn_onnx_reader *r, struct graph_state *state,
                       uint64_t *next_part)
{
    while (*next_part < r->parts.count && !tn_failed(r->error)) {
        struct tn_onnx_part part =
            *tn_list_at(&r->parts, struct tn_onnx_part, *next_part);
        if (part.graph != state->index)
            return;
        ++*next_part;
        read_piece(r, part.wire, state);
    }
}

/* Reads every graph of the model, and those that are met on the way. */
static void read_graphs(struct tn_onnx_reader *r)
{
    uint64_t next_part = 0;

    sort_parts(&r->parts);
    for (uint32_t i = 0; i < r->model->graphs.count; i++) {
        struct graph_state state = { .index = i };
        uint64_t           first = r->model->tensors.count;
        struct tn_graph   *graph = tn_model_graph_at(r->model, i);

        r->inputs.count = r->outputs.count = 0;
        graph->first_op                    = (uint32_t)r->model->ops.count;
        read_piece(r, graph->wire, &state);
        read_parts(r, &state, &next_part);
        if (!tn_failed(r->error))
            finish_graph(r, &state, first);
        if (tn_failed(r->error)) {
            tn_error_where(r->error, "%s",
                           tn_model_graph_at(r->model, i)->path);
            return;
        }
    }
}

bool tn_onnx_graph_piece(const struct tn_model *model, uint32_t graph,
                         uint64_t index, struct tn_span *piece)
{
    const struct tn_onnx_detail *detail = model->detail;
    const struct tn_span         first  = tn_model_graph_at(model, graph)->wire;
    uint64_t                     at;

    if (index == 0) {
        *piece = first;
        return true;
    }
    if (!detail)
        return false;
    TN_BISECT(at, 0, detail->part_count,
              detail->parts[at].first < first.offset);
    at += index - 1;
    if (at >= detail->part_count || detail->parts[at].first != first.offset ||
        detail->parts[at].wire.source != first.source)
        return false;
    *piece = detail->parts[at].wire;
    return true;
}

/* ---- the model ---------------------------------------------------------- */

static void read_import(struct tn_onnx_reader *r, struct tn_pb_field *message)
{
    struct tn_pb_field     field;
    struct tn_onnx_import *import =
        tn_list_push(&r->imports, struct tn_onnx_import, r->error);

    if (!import)
        return;
    import->offset     = message->offset;
    struct tn_cursor c = message->body;
    while (tn_pb_next(&c, &field)) {
        if (field.number == IMPORT_DOMAIN &&
            tn_pb_expect(&c, &field, TN_WIRE_LEN))
            import->domain = tn_pb_text(&field);
        else if (field.number == IMPORT_VERSION &&
                 tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            import->version = (int64_t)field.value;
    }
}

static void add_root(struct tn_onnx_reader *r, enum tn_graph_kind kind,
                     const char *path, struct tn_span wire, uint32_t parent)
{
    uint32_t index =
        path ? tn_model_add_graph(r->model, kind, path, "node", r->error)
             : TN_NONE;

    if (index == TN_NONE)
        return;
    tn_model_graph_at(r->model, index)->wire         = wire;
    tn_model_graph_at(r->model, index)->parent_graph = parent;
}

static void read_main(struct tn_onnx_reader *r, struct tn_pb_field *field)
{
    if (r->has_graph)
        add_part(r, 0, tn_pb_body_span(field));
    else
        tn_model_graph_at(r->model, 0)->wire = tn_pb_body_span(field);
    r->has_graph = true;
}

static void read_function(struct tn_onnx_reader *r, struct tn_pb_field *field)
{
    add_root(r, TN_GRAPH_FUNCTION,
             tn_text_format(r->arena, r->error, "functions[%" PRIu64 "]",
                            r->function_count++),
             tn_pb_body_span(field), TN_NONE);
}

/* The algorithm sees the names of the main graph; the initialization stands
 * alone. */
static void read_training(struct tn_onnx_reader *r, struct tn_pb_field *message)
{
    struct tn_cursor   c       = message->body;
    uint64_t           ordinal = r->training_count++;
    struct tn_pb_field field;
    uint32_t           seen[2] = { TN_NONE, TN_NONE };

    while (tn_pb_next(&c, &field)) {
        bool is_algorithm = field.number == TRAINING_ALGORITHM;
        if (field.number != TRAINING_INITIALIZATION && !is_algorithm)
            continue;
        if (!tn_pb_expect(&c, &field, TN_WIRE_LEN))
            return;
        if (seen[is_algorithm] != TN_NONE) {
            add_part(r, seen[is_algorithm], tn_pb_body_span(&field));
            continue;
        }
        seen[is_algorithm] = (uint32_t)r->model->graphs.count;
        add_root(r, TN_GRAPH_OTHER,
                 tn_text_format(r->arena, r->error,
                                "training_info[%" PRIu64 "].%s", ordinal,
                                is_algorithm ? "algorithm" : "initialization"),
                 tn_pb_body_span(&field), is_algorithm ? 0 : TN_NONE);
    }
}

static void read_model_text(struct tn_onnx_reader *r, struct tn_pb_field *field)
{
    struct tn_bytes text = tn_pb_text(field);

    switch (field->number) {
    case MODEL_PRODUCER_NAME: r->producer_name = text; break;
    case MODEL_PRODUCER_VERSION: r->producer_version = text; break;
    case MODEL_DOMAIN: r->domain = text; break;
    default: r->doc = text; break;
    }
}

static void read_model_message(struct tn_onnx_reader *r,
                               struct tn_pb_field    *field)
{
    switch (field->number) {
    case MODEL_GRAPH: read_main(r, field); break;
    case MODEL_OPSET_IMPORT: read_import(r, field); break;
    case MODEL_METADATA: r->metadata_count++; break;
    case MODEL_TRAINING: read_training(r, field); break;
    case MODEL_FUNCTIONS: read_function(r, field); break;
    case MODEL_CONFIGURATION: r->configuration_count++; break;
    default: break;
    }
}

static void read_model_field(struct tn_onnx_reader *r, struct tn_cursor *c,
                             struct tn_pb_field *field)
{
    if (field->number == MODEL_IR_VERSION || field->number == MODEL_VERSION) {
        if (!tn_pb_expect(c, field, TN_WIRE_VARINT))
            return;
        if (field->number == MODEL_VERSION) {
            r->version = (int64_t)field->value;
        } else {
            r->detail->has_ir_version = true;
            r->detail->ir_version     = (int64_t)field->value;
            /* before that, every weight had to be listed as an input */
            r->model->has_optional_inputs = r->detail->ir_version >= 4;
        }
    } else if (field->number <= MODEL_DOC) {
        if (tn_pb_expect(c, field, TN_WIRE_LEN))
            read_model_text(r, field);
    } else if (field->number <= MODEL_CONFIGURATION) {
        if (field->type == TN_WIRE_LEN || (field->number == MODEL_GRAPH &&
                                           tn_pb_expect(c, field, TN_WIRE_LEN)))
            read_model_message(r, field);
    }
}

static void read_model(struct tn_onnx_reader *r)
{
    struct tn_cursor   c = tn_cursor_span(r->model->wire, r->error);
    struct tn_pb_field field;

    add_root(r, TN_GRAPH_MAIN, "graph", (struct tn_span){ NULL, 0, 0 },
             TN_NONE);
    while (tn_pb_next(&c, &field))
        read_model_field(r, &c, &field);
    if (!tn_failed(r->error) && !r->has_graph)
        tn_error_set(r->error, TN_MALFORMED, 0, "the model has no graph");
}

/* ---- facts -------------------------------------------------------------- */

static struct tn_bytes first_line(struct tn_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\n' || text.data[i] == '\r')
            return tn_bytes(text.data, i);
    return text;
}

static void add_count(struct tn_onnx_reader *r, const char *key, uint64_t count)
{
    if (count)
        tn_model_add_fact_format(r->model, r->error, key, "%" PRIu64, count);
}

static void add_text(struct tn_onnx_reader *r, const char *key,
                     struct tn_bytes text)
{
    if (text.size)
        tn_model_add_fact(r->model, key, text, r->error);
}

static void add_imports(struct tn_onnx_reader *r)
{
    for (uint64_t i = 0; i < r->imports.count; i++) {
        const struct tn_onnx_import *import =
            tn_list_at(&r->imports, struct tn_onnx_import, i);
        struct tn_bytes domain = import->domain;
        if (domain.size == 0)
            domain = tn_text("ai.onnx");
        tn_model_add_fact_format(r->model, r->error, "opset", "%.*s %" PRId64,
                                 TN_FMT(domain), import->version);
    }
}

/* A free number, or major.minor.patch in 16, 16 and 32 bits. */
static void add_version(struct tn_onnx_reader *r)
{
    uint64_t version = (uint64_t)r->version;

    if (version >> 32 && r->version > 0)
        tn_model_add_fact_format(r->model, r->error, "model_version",
                                 "%" PRIu64 ".%" PRIu64 ".%" PRIu64,
                                 version >> 48, version >> 32 & 0xffff,
                                 version & 0xffffffff);
    else if (version)
        tn_model_add_fact_format(r->model, r->error, "model_version",
                                 "%" PRId64, r->version);
}

static void add_metadata(struct tn_onnx_reader *r)
{
    struct tn_cursor   c = tn_cursor_span(r->model->wire, r->error);
    struct tn_bytes    key, value;
    struct tn_pb_field field;

    while (r->metadata_count && tn_pb_next(&c, &field)) {
        if (field.number != MODEL_METADATA || field.type != TN_WIRE_LEN)
            continue;
        tn_onnx_entry_read(&field.body, &key, &value);
        tn_model_add_fact_format(r->model, r->error, "metadata", "%.*s=%.*s",
                                 TN_FMT(key), TN_FMT(value));
    }
}

static void add_facts(struct tn_onnx_reader *r)
{
    struct tn_bytes name =
        tn_model_name(r->model, tn_model_graph_at(r->model, 0)->name);

    if (r->detail->has_ir_version)
        tn_model_add_fact_format(r->model, r->error, "ir_version", "%" PRId64,
                                 r->detail->ir_version);
    add_imports(r);
    if (r->producer_name.size || r->producer_version.size)
        tn_model_add_fact_format(
            r->model, r->error, "producer", "%.*s%s%.*s",
            TN_FMT(r->producer_name),
            r->producer_name.size && r->producer_version.size ? " " : "",
            TN_FMT(r->producer_version));
    add_text(r, "domain", r->domain);
    add_version(r);
    add_text(r, "graph", name);
    add_text(r, "doc", first_line(r->doc));
    add_count(r, "value_info", r->value_info_count);
    add_count(r, "quantization_annotations", r->annotation_count);
    add_count(r, "training_info", r->training_count);
    add_count(r, "device_configurations", r->configuration_count);
    add_count(r, "metadata_props", r->metadata_count);
    add_metadata(r);
}

/* ---- putting in order --------------------------------------------------- */

static int by_wire_offset(const void *left, const void *right, void *context)
{
    uint64_t a = ((const struct tn_tensor *)left)->wire.offset;
    uint64_t b = ((const struct tn_tensor *)right)->wire.offset;

    (void)context;
    return (a > b) - (a < b);
}

/* The order of the file is depth first; graphs were read breadth first. */
static void sort_tensors(struct tn_list *tensors)
{
    tn_sort_items(tensors->items, tensors->count, sizeof(struct tn_tensor),
                  by_wire_offset, NULL);
}

struct graph_place {
    uint64_t offset;
    uint32_t graph;
};

static int by_place(const void *left, const void *right, void *context)
{
    uint64_t a = ((const struct graph_place *)left)->offset;
    uint64_t b = ((const struct graph_place *)right)->offset;

    (void)context;
    return (a > b) - (a < b);
}

/* For finding the graph of an attribute by where it is. */
static void index_graphs(struct tn_onnx_reader *r)
{
    const struct tn_list *graphs = &r->model->graphs;
    struct tn_list        places;
    uint32_t *index = tn_new(r->arena, uint32_t, graphs->count, r->error);

    tn_list_init(&places, r->model->memory, sizeof(struct graph_place));
    struct graph_place *place = tn_list_grow(&places, graphs->count, r->error);
    if (place && index) {
        for (uint32_t i = 0; i < graphs->count; i++)
            place[i] = (struct graph_place){
                tn_list_at(graphs, struct tn_graph, i)->wire.offset, i
            };
        tn_sort_items(place, graphs->count, sizeof *place, by_place, NULL);
        for (uint64_t i = 0; i < graphs->count; i++)
            index[i] = place[i].graph;
    }
    r->detail->graphs_by_offset = index;
    tn_list_done(&places);
}

static int by_first(const void *left, const void *right, void *context)
{
    const struct tn_onnx_part *a = left, *b = right;

    (void)context;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->wire.offset > b->wire.offset) -
           (a->wire.offset < b->wire.offset);
}

/* For finding the pieces of a graph by where it is. */
static void index_parts(struct tn_onnx_reader *r)
{
    for (uint64_t i = 0; i < r->parts.count; i++) {
        struct tn_onnx_part *part =
            tn_list_at(&r->parts, struct tn_onnx_part, i);
        part->first = tn_model_graph_at(r->model, part->graph)->wire.offset;
    }
    if (r->parts.count)
        tn_sort_items(r->parts.items, r->parts.count,
                      sizeof(struct tn_onnx_part), by_first, NULL);
}

/* ---- from the top ------------------------------------------------------- */

static void reader_init(struct tn_onnx_reader *r, struct tn_bundle *bundle,
                        struct tn_model *model, struct tn_error *error)
{
    struct tn_memory *memory = model->memory;

    *r = (struct tn_onnx_reader){
        .bundle = bundle, .model = model, .arena = &model->arena, .error = error
    };
    tn_onnx_external_init(&r->external, bundle, r->arena);
    tn_pairs_init(&r->initializers, memory);
    tn_list_init(&r->imports, memory, sizeof(struct tn_onnx_import));
    tn_list_init(&r->parts, memory, sizeof(struct tn_onnx_part));
    tn_list_init(&r->inputs, memory, sizeof(struct tn_io));
    tn_list_init(&r->outputs, memory, sizeof(struct tn_io));
    tn_list_init(&r->produced, memory, sizeof(uint32_t));
    r->detail = tn_new(r->arena, struct tn_onnx_detail, 1, error);
    r->source = tn_model_source_id(model, model->wire.source, error);
}

static void reader_done(struct tn_onnx_reader *r)
{
    tn_onnx_external_done(&r->external);
    tn_pairs_done(&r->initializers);
    tn_list_done(&r->imports);
    tn_list_done(&r->parts);
    tn_list_done(&r->inputs);
    tn_list_done(&r->outputs);
    tn_list_done(&r->produced);
}

static void reader_finish(struct tn_onnx_reader *r)
{
    add_facts(r);
    sort_tensors(&r->model->tensors);
    index_graphs(r);
    index_parts(r);
    r->detail->imports =
        tn_list_keep(&r->imports, struct tn_onnx_import, r->arena, r->error);
    r->detail->import_count = r->imports.count;
    r->detail->parts =
        tn_list_keep(&r->parts, struct tn_onnx_part, r->arena, r->error);
    r->detail->part_count = r->parts.count;
    r->model->detail      = r->detail;
    if (r->model->wants_graph)
        tn_model_resolve(r->model);
}

enum tn_status tn_onnx_open(struct tn_bundle *bundle, struct tn_model *model,
                            struct tn_error *error)
{
    struct tn_onnx_reader r;

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not an ONNX model");
    struct tn_source *source;
    TN_TRY(tn_format_binary(bundle, bundle->main, TN_PB_ONNX, "onnx.ModelProto",
                            &source, error));
    model->dialect = &tn_dialect_onnx;
    model->wire    = (struct tn_span){ source, 0, source->size };
    reader_init(&r, bundle, model, error);
    if (!tn_failed(error))
        read_model(&r);
    if (!tn_failed(error))
        read_graphs(&r);
    if (!tn_failed(error))
        reader_finish(&r);
    reader_done(&r);
    return error->status;
}
