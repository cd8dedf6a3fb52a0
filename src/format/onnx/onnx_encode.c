/*
 * onnx_encode.c - a model that an edit has touched, out of its tables
 *
 * What an edit did not touch is spliced from the wire: whole graphs, whole
 * nodes, single attributes.  A touched message is put together in the order of
 * its field numbers, and what the tables do not hold (doc strings, value infos,
 * fields that we do not know) follows from its old bytes.
 *
 * Written without a file behind it, a model gets the versions that its facts
 * name, or old ones that nearly everybody reads.
 */
#include "format/onnx/onnx_write.h"

#include <stdlib.h>

#include "base/number.h"

#define DEFAULT_IR      8
#define DEFAULT_OPSET   17
#define FUNCTIONS_SINCE 8

/* Fields that a touched message takes from the tables, as bits. */
#define BIT(number) (UINT32_C(1) << (number))
#define OF_NODE                                                                \
    (BIT(NODE_INPUT) | BIT(NODE_OUTPUT) | BIT(NODE_NAME) | BIT(NODE_OP_TYPE) | \
     BIT(NODE_ATTRIBUTE) | BIT(NODE_DOMAIN))
#define OF_GRAPH (BIT(GRAPH_NODE) | BIT(GRAPH_NAME) | BIT(GRAPH_INITIALIZER))
#define OF_FUNCTION                                                            \
    (BIT(FUNCTION_NAME) | BIT(FUNCTION_INPUT) | BIT(FUNCTION_OUTPUT) |         \
     BIT(FUNCTION_NODE) | BIT(FUNCTION_DOMAIN))

static void put_graph(struct tn_onnx_writer *w, struct tn_rope *to,
                      uint32_t number, uint32_t graph, unsigned depth);

/* A field as it is, but for patches inside. */
static void put_field(struct tn_onnx_writer *w, struct tn_rope *to,
                      const struct tn_cursor   *c,
                      const struct tn_pb_field *field)
{
    if (field->type == TN_WIRE_LEN && w->patches.count)
        tn_onnx_put_spliced_field(w, to, field->number, tn_pb_body_span(field));
    else
        tn_rope_span(to, tn_pb_field_span(c, field));
}

/* What is left of a message once the tables had their say. */
static void put_rest(struct tn_onnx_writer *w, struct tn_rope *to,
                     struct tn_span wire, uint32_t said)
{
    struct tn_cursor   c = tn_cursor_span(wire, w->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number >= 32 || !(said & BIT(field.number)))
            put_field(w, to, &c, &field);
}

static void put_name(struct tn_onnx_writer *w, struct tn_rope *to,
                     uint32_t number, uint32_t name)
{
    struct tn_bytes text = tn_model_name(w->model, name);

    if (text.size)
        tn_pb_put_bytes(to, number, text);
}

/* ---- attributes --------------------------------------------------------- */

static void put_tensor(struct tn_onnx_writer *w, struct tn_rope *to,
                       uint32_t number, const struct tn_elements *elements,
                       struct tn_bytes name, uint32_t tensor)
{
    uint32_t       type = tn_onnx_type_number(elements->shape.dtype);
    struct tn_rope message;

    if (!type) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "ONNX has no elements of type %s",
                     tn_dtype_name(elements->shape.dtype));
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    for (uint32_t i = 0; i < elements->shape.rank; i++)
        tn_pb_put_varint(&message, TENSOR_DIMS, elements->shape.dims[i]);
    tn_pb_put_varint(&message, TENSOR_DATA_TYPE, type);
    if (name.size)
        tn_pb_put_bytes(&message, TENSOR_NAME, name);
    tn_onnx_put_holder(w, &message, elements, tensor);
    tn_pb_put_message(to, number, &message);
}

/* Where an attribute that is being written stands. */
struct attr_place {
    uint32_t op, slot;
    unsigned depth;
};

static void put_tensor_value(struct tn_onnx_writer *w, struct tn_rope *to,
                             uint32_t number, const struct tn_attr_value *value,
                             uint32_t index, const struct attr_place *place)
{
    const struct tn_tensor *tensor = value->of.tensors[index];
    uint32_t row = tn_pairs_find(&w->values, place->op, place->slot);

    put_tensor(w, to, number, &tensor->elements, tn_tensor_name(tensor),
               row == UINT32_MAX ? TN_NONE : row + index);
}

/* One value, or one of a list. */
static void put_value(struct tn_onnx_writer *w, struct tn_rope *to,
                      uint32_t number, const struct tn_attr_value *value,
                      uint32_t index, const struct attr_place *place)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
        tn_pb_put_varint(to, number, (uint64_t)value->of.ints[index]);
        break;
    case TN_ATTR_DTYPE:
        tn_pb_put_varint(
            to, number,
            tn_onnx_type_number((enum tn_dtype)value->of.ints[index]));
        break;
    case TN_ATTR_FLOAT:
        tn_pb_put_fixed32(to, number, tn_float_bits(value->of.floats[index]));
        break;
    case TN_ATTR_TENSOR:
        put_tensor_value(w, to, number, value, index, place);
        break;
    case TN_ATTR_GRAPH:
        put_graph(w, to, number, (uint32_t)value->of.ints[index],
                  place->depth + 1);
        break;
    default: tn_pb_put_bytes(to, number, value->of.strings[index]); break;
    }
}

/* A type of the format's own for kinds that ONNX does not tell apart. */
static enum tn_attr_kind plain_kind(enum tn_attr_kind kind)
{
    switch (kind) {
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: return TN_ATTR_INT;
    case TN_ATTR_FUNCTION: return TN_ATTR_STRING;
    default: return kind;
    }
}

static void put_shape(struct tn_rope *to, const struct tn_attr_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        tn_pb_put_varint(to, ATTR_INTS, (uint64_t)shape->dims[i]);
    tn_pb_put_varint(to, ATTR_TYPE, tn_onnx_attr_type(TN_ATTR_INT, true));
}

static void put_attr_value(struct tn_onnx_writer *w, struct tn_rope *to,
                           const struct tn_attr_value *value,
                           const struct attr_place    *place)
{
    uint32_t type = tn_onnx_attr_type(plain_kind(value->kind), value->is_list);

    if (value->kind == TN_ATTR_REFERENCE) {
        tn_pb_put_bytes(to, ATTR_REF, value->of.strings[0]);
        return;
    }
    if (value->kind == TN_ATTR_SHAPE && !value->is_list) {
        put_shape(to, &value->of.shapes[0]);
        return;
    }
    if (value->kind == TN_ATTR_NONE)
        return;
    if (!type) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "a value of a kind that ONNX attributes do not have");
        return;
    }
    for (uint32_t i = 0; i < value->count; i++)
        put_value(w, to, tn_onnx_attr_field(type), value, i, place);
    tn_pb_put_varint(to, ATTR_TYPE, type);
}

static void put_slot(struct tn_onnx_writer *w, struct tn_rope *to,
                     const struct tn_attr_slot *slot,
                     const struct attr_place   *place)
{
    struct tn_rope message;

    if (!slot->value) {
        tn_onnx_put_spliced_field(w, to, NODE_ATTRIBUTE, slot->wire);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_name(w, &message, ATTR_NAME, slot->name);
    put_attr_value(w, &message, slot->value, place);
    tn_pb_put_message(to, NODE_ATTRIBUTE, &message);
}

/* ---- nodes -------------------------------------------------------------- */

/* Names of values; one that is not given is "". */
static void put_refs(struct tn_onnx_writer *w, struct tn_rope *to,
                     uint32_t number, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = tn_model_ref_at(w->model, (uint64_t)first + i);
        uint32_t name  = value == TN_NONE
                             ? TN_NO_NAME
                             : tn_model_value_at(w->model, value)->name;
        tn_pb_put_bytes(to, number, tn_model_name(w->model, name));
    }
}

static void put_op(struct tn_onnx_writer *w, struct tn_rope *to,
                   uint32_t number, uint32_t index, unsigned depth)
{
    const struct tn_op *op = tn_model_op_at(w->model, index);
    struct tn_rope      message;

    if (op->first_attr == TN_NONE && op->wire_length) {
        tn_onnx_put_spliced_field(w, to, number,
                                  tn_model_op_wire(w->model, op));
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_refs(w, &message, NODE_INPUT, op->first_input, op->input_count);
    put_refs(w, &message, NODE_OUTPUT, op->first_output, op->output_count);
    put_name(w, &message, NODE_NAME, op->name);
    put_name(w, &message, NODE_OP_TYPE, op->type);
    for (uint32_t i = 0; op->first_attr != TN_NONE && i < op->attr_count; i++)
        put_slot(w, &message,
                 tn_list_at(&w->model->attrs, struct tn_attr_slot,
                            (uint64_t)op->first_attr + i),
                 &(struct attr_place){ index, i, depth });
    put_name(w, &message, NODE_DOMAIN, op->domain);
    put_rest(w, &message, tn_model_op_wire(w->model, op), OF_NODE);
    tn_pb_put_message(to, number, &message);
}

static void put_ops(struct tn_onnx_writer *w, struct tn_rope *to,
                    uint32_t number, const struct tn_graph *graph,
                    unsigned depth)
{
    for (uint64_t i = 0; i < graph->op_count && !tn_failed(w->error); i++)
        put_op(w, to, number, graph->first_op + (uint32_t)i, depth);
}

/* ---- graphs ------------------------------------------------------------- */

static void put_initializers(struct tn_onnx_writer *w, struct tn_rope *to,
                             uint32_t graph)
{
    for (uint64_t i = 0; i < w->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&w->model->tensors, struct tn_tensor, i);
        if (row->graph != graph || row->node != TN_NONE ||
            row->role != TN_ROLE_INITIALIZER)
            continue;
        if (row->wire.source)
            tn_onnx_put_spliced_field(w, to, GRAPH_INITIALIZER, row->wire);
        else
            put_tensor(w, to, GRAPH_INITIALIZER, &row->elements,
                       tn_tensor_name(row), (uint32_t)i);
    }
}

static void put_dim(struct tn_rope *to, struct tn_arena *arena,
                    const struct tn_dim *dim)
{
    struct tn_rope message;

    tn_rope_init(&message, arena, to->error);
    if (dim->symbol.size)
        tn_pb_put_bytes(&message, DIM_PARAM, dim->symbol);
    else if (dim->value >= 0)
        tn_pb_put_varint(&message, DIM_VALUE, (uint64_t)dim->value);
    tn_pb_put_message(to, SHAPE_DIM, &message);
}

/* A type in a message of its own: field 1 of what holds it. */
static void put_wrapped(struct tn_onnx_writer *w, struct tn_rope *to,
                        uint32_t number, struct tn_rope *type)
{
    struct tn_rope holder;

    tn_rope_init(&holder, &w->arena, w->error);
    tn_pb_put_message(&holder, 1, type);
    tn_pb_put_message(to, number, &holder);
}

static void put_tensor_type(struct tn_onnx_writer *w, struct tn_rope *to,
                            const struct tn_io *end)
{
    struct tn_rope tensor, shape;

    tn_rope_init(&tensor, &w->arena, w->error);
    tn_rope_init(&shape, &w->arena, w->error);
    tn_pb_put_varint(&tensor, TENSOR_TYPE_ELEM,
                     tn_onnx_type_number(end->dtype));
    for (uint32_t i = 0; i < end->rank; i++)
        put_dim(&shape, &w->arena, &end->dims[i]);
    if (end->has_rank)
        tn_pb_put_message(&tensor, TENSOR_TYPE_SHAPE, &shape);
    tn_pb_put_message(to, TYPE_TENSOR, &tensor);
    tn_rope_done(&shape);
    tn_rope_done(&tensor);
}

static uint32_t type_field(const struct tn_io *end)
{
    const char *note = end->note ? end->note : "";

    return strcmp(note, "sequence") == 0   ? TYPE_SEQUENCE
           : strcmp(note, "optional") == 0 ? TYPE_OPTIONAL
                                           : 0;
}

static void put_type(struct tn_onnx_writer *w, struct tn_rope *to,
                     const struct tn_io *end)
{
    struct tn_rope type, outer;

    tn_rope_init(&type, &w->arena, w->error);
    tn_rope_init(&outer, &w->arena, w->error);
    put_tensor_type(w, &type, end);
    if (type_field(end))
        put_wrapped(w, &outer, type_field(end), &type);
    tn_pb_put_message(to, VALUE_TYPE, type_field(end) ? &outer : &type);
    tn_rope_done(&outer);
    tn_rope_done(&type);
}

static void put_ends(struct tn_onnx_writer *w, struct tn_rope *to,
                     uint32_t number, struct tn_io_list ends, bool has_types)
{
    for (uint32_t i = 0; i < ends.count; i++) {
        struct tn_rope message;
        if (!has_types) {
            tn_pb_put_bytes(to, number, ends.items[i].name);
            continue;
        }
        tn_rope_init(&message, &w->arena, w->error);
        tn_pb_put_bytes(&message, VALUE_NAME, ends.items[i].name);
        if (ends.items[i].dtype != TN_UNDEFINED)
            put_type(w, &message, &ends.items[i]);
        tn_pb_put_message(to, number, &message);
    }
}

/* A graph must have one.  The main graph of a model that was ONNX before gets
 * back what it was called. */
static void put_new_name(struct tn_onnx_writer *w, struct tn_rope *to,
                         uint32_t index)
{
    struct tn_bytes name =
        tn_model_name(w->model, tn_model_graph_at(w->model, index)->name);
    struct tn_bytes said = { NULL, 0 };

    if (index == 0 && w->options->about)
        said = tn_about_find(w->options->about, "onnx.graph_name");
    if (said.size)
        name = said;
    tn_pb_put_bytes(to, GRAPH_NAME, name.size ? name : tn_text("graph"));
}

static void put_graph_body(struct tn_onnx_writer *w, struct tn_rope *to,
                           uint32_t index, unsigned depth)
{
    const struct tn_graph *graph = tn_model_graph_at(w->model, index);
    struct tn_span         piece;

    put_ops(w, to, GRAPH_NODE, graph, depth);
    if (graph->wire.source)
        put_name(w, to, GRAPH_NAME, graph->name);
    else
        put_new_name(w, to, index);
    put_initializers(w, to, index);
    if (!graph->wire.source) {
        if (index == 0)
            tn_onnx_put_graph_about(w, to);
        put_ends(w, to, GRAPH_INPUT, graph->inputs, true);
        put_ends(w, to, GRAPH_OUTPUT, graph->outputs, true);
        return;
    }
    for (uint64_t i = 0; tn_onnx_graph_piece(w->model, index, i, &piece); i++)
        put_rest(w, to, piece, OF_GRAPH);
}

static void put_graph(struct tn_onnx_writer *w, struct tn_rope *to,
                      uint32_t number, uint32_t graph, unsigned depth)
{
    struct tn_rope message;

    if (graph >= w->model->graphs.count || depth > TN_ONNX_DEPTH_LIMIT) {
        tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                     depth > TN_ONNX_DEPTH_LIMIT
                         ? "graphs nested too deep"
                         : "an attribute names a graph that is not there");
        return;
    }
    const struct tn_graph *row = tn_model_graph_at(w->model, graph);
    struct tn_span         piece;
    if (!row->is_touched && row->wire.source) {
        for (uint64_t i = 0; tn_onnx_graph_piece(w->model, graph, i, &piece);
             i++)
            tn_onnx_put_spliced_field(w, to, number, piece);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_graph_body(w, &message, graph, depth);
    tn_pb_put_message(to, number, &message);
}

/* ---- versions ----------------------------------------------------------- */

static void put_import(struct tn_rope *to, struct tn_arena *arena,
                       uint32_t number, struct tn_bytes domain,
                       uint64_t version)
{
    struct tn_rope message;

    tn_rope_init(&message, arena, to->error);
    if (domain.size)
        tn_pb_put_bytes(&message, IMPORT_DOMAIN, domain);
    tn_pb_put_varint(&message, IMPORT_VERSION, version);
    tn_pb_put_message(to, number, &message);
}

static bool read_number(struct tn_bytes text, uint64_t *value)
{
    int64_t number;

    if (!tn_int64_parse(text, &number) || number < 0)
        return false;
    *value = (uint64_t)number;
    return true;
}

bool tn_onnx_opset_read(struct tn_bytes fact, struct tn_bytes *domain,
                        uint64_t *version)
{
    size_t space = fact.size;

    while (space > 0 && fact.data[space - 1] != ' ')
        space--;
    if (space == 0)
        return false;
    *domain = tn_onnx_domain(tn_bytes(fact.data, space - 1));
    return read_number(tn_bytes(fact.data + space, fact.size - space), version);
}

/* The domains imported so far, by id. */
struct imports {
    struct tn_onnx_writer *w;
    struct tn_rope        *to;
    uint32_t               number; /* of the field to write, 0: only collect */
    struct tn_intern       domains;
};

static void import(struct imports *imports, struct tn_bytes domain,
                   uint64_t version, bool is_written)
{
    uint32_t count = tn_intern_count(&imports->domains);

    tn_intern_copy(&imports->domains, domain, imports->w->error);
    if (!is_written && tn_intern_count(&imports->domains) > count)
        put_import(imports->to, &imports->w->arena, imports->number, domain,
                   version);
}

/* What the model imports already: on its wire, or in its facts. */
static void import_known(struct imports *imports, bool is_written)
{
    const struct tn_model       *model  = imports->w->model;
    const struct tn_onnx_detail *detail = model->detail;

    for (uint64_t i = 0; detail && i < detail->import_count; i++)
        import(imports, tn_onnx_domain(detail->imports[i].domain),
               (uint64_t)detail->imports[i].version, is_written);
    for (uint64_t i = 0; !detail && i < model->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&model->facts, struct tn_fact, i);
        struct tn_bytes domain;
        uint64_t        version;
        if (tn_bytes_is(fact->key, "opset") &&
            tn_onnx_opset_read(fact->value, &domain, &version))
            import(imports, domain, version, is_written);
    }
}

/* Domains of new nodes and functions, in their first version. */
static void import_new(struct imports *imports)
{
    const struct tn_model *model = imports->w->model;

    for (uint64_t i = 0; i < model->ops.count; i++) {
        const struct tn_op *op     = tn_list_at(&model->ops, struct tn_op, i);
        struct tn_bytes     domain = tn_model_name(model, op->domain);
        if (!op->wire_length || op->first_attr != TN_NONE)
            import(imports, domain, domain.size ? 1 : DEFAULT_OPSET, false);
    }
    for (uint64_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph =
            tn_list_at(&model->graphs, struct tn_graph, i);
        if (graph->kind == TN_GRAPH_FUNCTION)
            import(imports, tn_model_name(model, graph->domain), 1, false);
    }
}

static void put_imports(struct tn_onnx_writer *w, struct tn_rope *to,
                        uint32_t number, bool is_written)
{
    struct imports imports = { .w = w, .to = to, .number = number };

    tn_intern_init(&imports.domains, &w->arena);
    import_known(&imports, is_written);
    if (!w->model->wire.source)
        import(&imports, tn_bytes("", 0), DEFAULT_OPSET, false);
    import_new(&imports);
    tn_intern_done(&imports.domains);
}

/* The smallest version that has what was added. */
static uint64_t needed_ir(const struct tn_model *model)
{
    uint64_t needed = 0;

    for (uint64_t i = 0; i < model->graphs.count; i++)
        if (tn_list_at(&model->graphs, struct tn_graph, i)->kind ==
            TN_GRAPH_FUNCTION)
            needed = FUNCTIONS_SINCE;
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        const struct tn_onnx_type *type =
            tn_onnx_type(tn_onnx_type_number(row->elements.shape.dtype));
        if (!row->wire.source && type && type->since > needed)
            needed = type->since;
    }
    return needed;
}

static void put_ir_version(struct tn_onnx_writer *w, struct tn_rope *to,
                           uint64_t said)
{
    uint64_t needed = needed_ir(w->model);

    tn_pb_put_varint(to, MODEL_IR_VERSION, needed > said ? needed : said);
}

/* ---- the model ---------------------------------------------------------- */

static void put_function(struct tn_onnx_writer *w, struct tn_rope *to,
                         uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(w->model, index);
    struct tn_rope         message;

    if (!graph->is_touched && graph->wire.source) {
        tn_onnx_put_spliced_field(w, to, MODEL_FUNCTIONS, graph->wire);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_name(w, &message, FUNCTION_NAME, graph->name);
    put_ends(w, &message, FUNCTION_INPUT, graph->inputs, false);
    put_ends(w, &message, FUNCTION_OUTPUT, graph->outputs, false);
    put_ops(w, &message, FUNCTION_NODE, graph, 0);
    if (!graph->wire.source)
        put_imports(w, &message, FUNCTION_OPSET_IMPORT, false);
    tn_pb_put_bytes(&message, FUNCTION_DOMAIN,
                    tn_model_name(w->model, graph->domain));
    put_rest(w, &message, graph->wire, OF_FUNCTION);
    tn_pb_put_message(to, MODEL_FUNCTIONS, &message);
}

static void put_functions(struct tn_onnx_writer *w, struct tn_rope *to)
{
    for (uint32_t i = 0; i < w->model->graphs.count; i++)
        if (tn_model_graph_at(w->model, i)->kind == TN_GRAPH_FUNCTION)
            put_function(w, to, i);
}

static uint32_t find_training(const struct tn_model *model, struct tn_span wire)
{
    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind == TN_GRAPH_OTHER && graph->is_touched &&
            graph->wire.source == wire.source &&
            graph->wire.offset == wire.offset)
            return i;
    }
    return TN_NONE;
}

static void put_training(struct tn_onnx_writer *w, struct tn_rope *to,
                         struct tn_span wire)
{
    struct tn_cursor   c = tn_cursor_span(wire, w->error);
    struct tn_pb_field field;
    struct tn_rope     message;
    bool               is_put[TRAINING_ALGORITHM + 1] = { false };

    tn_rope_init(&message, &w->arena, w->error);
    while (tn_pb_next(&c, &field)) {
        uint32_t graph = TN_NONE;
        if (field.number <= TRAINING_ALGORITHM && is_put[field.number])
            continue; /* a further piece of what is written already */
        if (field.number == TRAINING_INITIALIZATION ||
            field.number == TRAINING_ALGORITHM)
            graph = find_training(w->model, tn_pb_body_span(&field));
        if (graph == TN_NONE) {
            put_field(w, &message, &c, &field);
            continue;
        }
        put_graph(w, &message, field.number, graph, 0);
        is_put[field.number] = true;
    }
    tn_pb_put_message(to, MODEL_TRAINING, &message);
}

struct progress {
    bool has_graph, has_functions;
};

static void put_model_field(struct tn_onnx_writer *w, struct tn_rope *to,
                            const struct tn_cursor   *c,
                            const struct tn_pb_field *field,
                            struct progress          *done)
{
    bool is_touched = tn_model_graph_at(w->model, 0)->is_touched;

    switch (field->number) {
    case MODEL_IR_VERSION: put_ir_version(w, to, field->value); break;
    case MODEL_GRAPH:
        if (!is_touched)
            put_field(w, to, c, field);
        else if (!done->has_graph)
            put_graph(w, to, MODEL_GRAPH, 0, 0);
        done->has_graph = true;
        break;
    case MODEL_TRAINING: put_training(w, to, tn_pb_body_span(field)); break;
    case MODEL_FUNCTIONS:
        if (!done->has_functions)
            put_functions(w, to);
        done->has_functions = true;
        break;
    default: put_field(w, to, c, field); break;
    }
}

/* Nodes of attributes that an edit made, for finding their tensors' fates. */
static void list_values(struct tn_onnx_writer *w)
{
    for (uint64_t i = 0; i < w->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&w->model->tensors, struct tn_tensor, i);
        if (row->wire.source || row->node == TN_NONE || row->graph == TN_NONE)
            continue;
        uint32_t op =
            tn_model_graph_at(w->model, row->graph)->first_op + row->node;
        tn_pairs_add(&w->values, op, row->slot, (uint32_t)i, w->error);
    }
}

static uint64_t ir_of_facts(const struct tn_model *model)
{
    uint64_t version;

    for (uint64_t i = 0; i < model->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&model->facts, struct tn_fact, i);
        if (tn_bytes_is(fact->key, "ir_version") &&
            read_number(fact->value, &version))
            return version;
    }
    return DEFAULT_IR;
}

static void put_new_model(struct tn_onnx_writer *w, struct tn_rope *to)
{
    put_ir_version(w, to, ir_of_facts(w->model));
    tn_onnx_put_about(w, to);
    put_graph(w, to, MODEL_GRAPH, 0, 0);
    put_imports(w, to, MODEL_OPSET_IMPORT, false);
    tn_onnx_put_metadata(w, to);
    put_functions(w, to);
}

void tn_onnx_put_edited(struct tn_onnx_writer *w, struct tn_rope *to)
{
    struct tn_cursor   c    = tn_cursor_span(w->model->wire, w->error);
    struct progress    done = { false, false };
    struct tn_pb_field field;

    list_values(w);
    if (!w->model->wire.source) {
        put_new_model(w, to);
        return;
    }
    while (tn_pb_next(&c, &field))
        put_model_field(w, to, &c, &field, &done);
    put_imports(w, to, MODEL_OPSET_IMPORT, true);
    if (!done.has_functions)
        put_functions(w, to);
}
