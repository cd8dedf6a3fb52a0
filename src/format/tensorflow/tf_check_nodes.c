/*
 * tf_check_nodes.c - what must hold for each node of a TensorFlow graph
 *
 * Rules: bad-name, control-input-order, duplicate-attribute, empty-attribute,
 * unknown-type, bad-shape, wrong-size, type-mismatch,
 * huge-constant, excess-values, unknown-function, argument-count.
 *
 * Nodes have the same attributes again and again: one with the bytes of
 * another that was found good is not looked into.
 */
#include "format/tensorflow/tf_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memo.h"
#include "format/tensorflow/tf_dtype.h"
#include "ir/output_name.h"

enum {
    NODE_INPUT = 3,
    NODE_ATTR  = 5,
};

enum {
    ATTR_LIST   = 1,
    ATTR_TYPE   = 6,
    ATTR_SHAPE  = 7,
    ATTR_TENSOR = 8,
    ATTR_FUNC   = 10,
};

/* TensorFlow itself stops here when a constant stores nothing. */
#define ZEROS_LIMIT (UINT64_C(2) << 30)

/* Keys are compared pairwise up to here; real nodes have a dozen. */
#define KEY_LIMIT 64

/* What a node has to know of an attribute. */
struct fact {
    struct tn_bytes key;
    uint64_t        type; /* that it says, or that its tensor is of           */
    enum { ANY, DTYPE, VALUE } role;
    bool is_call; /* then more depends on it than its bytes say               */
};

struct known_attrs {
    struct tn_memo memo;
    struct fact    facts[TN_MEMO_PLACES];
};

/* What was learned from the nodes before. */
struct past {
    struct known_attrs attrs;
    struct tn_bytes    name; /* the last good one                             */
};

struct visit {
    struct tn_tf_checking *c;
    struct past           *past;
    uint32_t               op;
    uint32_t               graph;
    uint32_t               main; /* graph of the library that it can call     */
    uint32_t               key_count;
    struct tn_bytes       *keys;  /* seen so far; room for KEY_LIMIT          */
    uint64_t               dtype; /* the attribute; 0: none                   */
    uint64_t               value_type; /* of the attribute `value`            */
    bool                   has_value, has_dtype;
    bool                   has_control; /* the input before                   */
    bool                   is_unordered;
};

static const struct tn_bytes no_key;

static void complain(struct visit *v, enum tn_finding_level level,
                     const char *rule, uint64_t offset, struct tn_bytes key,
                     const char *format, ...) TN_PRINTF(6, 7);

static void complain(struct visit *v, enum tn_finding_level level,
                     const char *rule, uint64_t offset, struct tn_bytes key,
                     const char *format, ...)
{
    char    what[200], node[160], where[220];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_op_path(v->c->model, v->op, node, sizeof node);
    snprintf(where, sizeof where, "%s%s%.*s", node, key.size ? ".attr." : "",
             TN_FMT(key));
    tn_report_format(v->c->report, level, rule, v->c->file, offset, where, "%s",
                     what);
}

/* ---- names -------------------------------------------------------------- */

/* The bits of a range of characters, in the word that they belong to. */
#define BITS(first, last)                                                      \
    (((UINT64_C(1) << ((last) - (first) + 1)) - 1) << (first) % 64)

/* How many bytes at the front are the same, in whole words. */
static size_t common_front(struct tn_bytes a, struct tn_bytes b)
{
    size_t at = 0;

    while (a.size - at >= 8 && b.size - at >= 8 &&
           !memcmp(a.data + at, b.data + at, 8))
        at += 8;
    return at;
}

/* [A-Za-z0-9.][A-Za-z0-9_./-]*, further parts after '>'; '_' in front marks
 * nodes that TensorFlow made itself.  What it shares with a good name, nodes
 * being named by their scopes, is good. */
static bool is_node_name(struct tn_bytes name, struct tn_bytes good)
{
    static const uint64_t front[4] = {
        BITS('.', '.') | BITS('0', '9'),
        BITS('A', 'Z') | BITS('_', '_') | BITS('a', 'z'),
    };
    static const uint64_t inside[4] = {
        BITS('-', '9') | BITS('>', '>'),
        BITS('A', 'Z') | BITS('\\', '\\') | BITS('_', '_') | BITS('a', 'z'),
    };
    size_t          begin = common_front(name, good);
    const uint64_t *allowed =
        begin == 0 || name.data[begin - 1] == '>' ? front : inside;

    for (size_t i = begin; i < name.size; i++) {
        uint8_t c = name.data[i];
        if (!(allowed[c / 64] >> c % 64 & 1))
            return false;
        allowed = c == '>' ? front : inside;
    }
    return allowed == inside;
}

static void check_names(struct visit *v, const struct tn_op *op)
{
    const struct tn_model *model = v->c->model;
    struct tn_bytes        name  = tn_model_name(model, op->name);
    struct tn_bytes        type  = tn_model_name(model, op->type);

    if (is_node_name(name, v->past->name))
        v->past->name = name;
    else
        complain(v, TN_LEVEL_ERROR, "bad-name", op->wire_offset, no_key,
                 "'%.*s' is no name of a node", TN_FMT(name));
    if (type.size == 0)
        complain(v, TN_LEVEL_ERROR, "bad-name", op->wire_offset, no_key,
                 "the node has no operator");
}

/* ---- constants ---------------------------------------------------------- */

static void check_size(struct visit *v, const struct tn_tf_tensor *tensor,
                       const struct tn_elements *elements, struct tn_bytes key)
{
    struct tn_error own   = TN_ERROR_INIT;
    uint64_t        bytes = 0;

    if (tn_payload_check(elements, &own) != TN_OK)
        complain(v, TN_LEVEL_ERROR, "wrong-size",
                 own.offset == TN_NOWHERE ? tensor->wire.offset : own.offset,
                 key, "%s", own.what);
    else if (elements->payload.encoding == TN_ENCODING_NONE &&
             tn_shape_bytes(&elements->shape, &bytes) && bytes > ZEROS_LIMIT)
        complain(v, TN_LEVEL_WARNING, "huge-constant", tensor->wire.offset, key,
                 "%" PRIu64 " bytes of zeros out of nothing; TensorFlow "
                 "refuses more than %" PRIu64,
                 bytes, ZEROS_LIMIT);
    else if (tensor->packed_runs == 0 && tensor->content.length == 0 &&
             tensor->runs > tn_payload_needed(&elements->shape, 1))
        complain(v, TN_LEVEL_NOTE, "excess-values", tensor->wire.offset, key,
                 "%" PRIu64 " values, the shape has room for %" PRIu64,
                 tensor->runs, tn_payload_needed(&elements->shape, 1));
}

static void check_tensor(struct visit *v, struct tn_cursor body,
                         struct tn_bytes key, uint64_t *type)
{
    struct tn_tf_tensor tensor;
    struct tn_elements  elements;

    tn_tf_tensor_read(&body, &tensor);
    if (tn_failed(v->c->error))
        return;
    *type = tensor.type;
    if (tensor.type > TN_TF_REF || tn_tf_dtype(tensor.type) == TN_UNDEFINED) {
        complain(v, TN_LEVEL_ERROR, "unknown-type", tensor.wire.offset, key,
                 "a tensor of type %" PRIu64, tensor.type);
        return;
    }
    tn_tf_tensor_elements(&tensor, &v->c->arena, &elements, v->c->error);
    if (elements.shape.dtype == TN_UNDEFINED)
        complain(v, TN_LEVEL_ERROR, "bad-shape", tensor.wire.offset, key,
                 "no tensor has such a shape: a dimension is negative, the "
                 "rank unknown or the product too large");
    else
        check_size(v, &tensor, &elements, key);
}

/* ---- attributes --------------------------------------------------------- */

static void check_shape(struct visit *v, struct tn_cursor body, uint64_t offset,
                        struct tn_bytes key)
{
    struct tn_tf_shape shape;

    tn_tf_shape_init(&shape);
    tn_tf_shape_read(&body, &shape);
    for (uint32_t i = 0; i < shape.rank; i++)
        if (shape.dims[i] < -1) {
            complain(v, TN_LEVEL_ERROR, "bad-shape", offset, key,
                     "dimension %" PRIu32 " is %" PRId64, i, shape.dims[i]);
            return;
        }
}

static void check_type(struct visit *v, uint64_t type, uint64_t offset,
                       struct tn_bytes key)
{
    if (!tn_tf_dtype_name(type))
        complain(v, TN_LEVEL_ERROR, "unknown-type", offset, key,
                 "%" PRId64 " is no type", (int64_t)type);
}

static void note_call(struct visit *v, uint32_t callee)
{
    struct tn_tf_call *call =
        tn_list_push(&v->c->calls, struct tn_tf_call, v->c->error);

    if (call)
        *call = (struct tn_tf_call){
            v->graph, callee, tn_model_op_at(v->c->model, v->op)->wire_offset
        };
}

static uint32_t find_function(const struct visit *v, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&v->c->model->names, name);

    return id == TN_NO_NAME ? TN_NONE
                            : tn_pairs_find(&v->c->functions, v->main, id);
}

/* How many of an op's inputs go to a function that it runs; UINT32_MAX: cannot
 * be said. */
static uint32_t passed_inputs(const struct visit *v)
{
    static const struct {
        const char *type;
        uint32_t    own; /* inputs that the op keeps for itself               */
    } callers[] = {
        { "PartitionedCall", 0 },
        { "StatefulPartitionedCall", 0 },
        { "RemoteCall", 1 },
        { "TPUPartitionedCall", 1 },
        { "BatchFunction", 0 },
        { "MapDefun", 0 },
        { "RiscWhile", 0 },
        { "While", 0 },
        { "StatelessWhile", 0 },
        { "For", 2 }, /* of three, and a counter goes in */
        { "If", 1 },
        { "StatelessIf", 1 },
        { "Case", 1 },
        { "StatelessCase", 1 },
    };
    struct tn_op_info op = tn_model_op(v->c->model, v->op);

    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (tn_bytes_is(op.type, callers[i].type))
            return op.input_count < callers[i].own
                       ? UINT32_MAX
                       : op.input_count - callers[i].own;
    return UINT32_MAX;
}

/* Only what the file says: a list argument, or in a body a reference to a
 * whole list, stands for any number. */
static bool has_list(const struct visit *v, uint32_t callee)
{
    const struct tn_model *model = v->c->model;
    struct tn_op_info      op    = tn_model_op(model, v->op);

    if (v->c->lists[callee] & TN_TF_TAKES_LIST)
        return true;
    if (tn_model_graph_at(model, v->graph)->kind != TN_GRAPH_FUNCTION)
        return false;
    for (uint32_t i = 0; i < op.input_count; i++) {
        uint32_t value = tn_op_input(model, v->op, i);
        if (value == TN_NONE)
            return true;
        if (tn_output_name_is_list(tn_model_value_name(model, value)))
            return true;
    }
    return false;
}

static void check_arguments(struct visit *v, uint32_t callee, uint32_t given)
{
    const struct tn_graph *function = tn_model_graph_at(v->c->model, callee);

    if (given == UINT32_MAX || given == function->inputs.count ||
        has_list(v, callee))
        return;
    complain(v, TN_LEVEL_ERROR, "argument-count",
             tn_model_op_at(v->c->model, v->op)->wire_offset, no_key,
             "%" PRIu32 " inputs for function '%.*s', which takes %" PRIu32,
             given, TN_FMT(tn_model_name(v->c->model, function->name)),
             function->inputs.count);
}

static void check_function(struct visit *v, struct tn_cursor body,
                           uint64_t offset, struct tn_bytes key)
{
    struct tn_bytes    name = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(&body, &field))
        if (field.number == 1 && tn_pb_expect(&body, &field, TN_WIRE_LEN))
            name = tn_pb_text(&field);
    if (name.size == 0)
        return; /* an attribute that says "no function" */
    uint32_t callee = find_function(v, name);
    if (callee == TN_NONE) {
        complain(v, TN_LEVEL_ERROR, "unknown-function", offset, key,
                 "no function '%.*s' in the library", TN_FMT(name));
        return;
    }
    note_call(v, callee);
    check_arguments(v, callee, passed_inputs(v));
}

static void check_list(struct visit *v, struct tn_cursor list,
                       struct tn_bytes key, bool *is_call)
{
    struct tn_pb_field field;
    uint64_t           bits, type;

    while (tn_pb_next(&list, &field)) {
        uint64_t offset = field.offset;
        if (field.number == ATTR_TYPE)
            while (tn_pb_number(&list, &field, TN_WIRE_VARINT, &bits))
                check_type(v, bits, offset, key);
        else if (field.number < ATTR_SHAPE || field.number > 9 ||
                 !tn_pb_expect(&list, &field, TN_WIRE_LEN))
            continue;
        else if (field.number == ATTR_SHAPE)
            check_shape(v, field.body, offset, key);
        else if (field.number == ATTR_TENSOR)
            check_tensor(v, field.body, key, &type);
        else {
            *is_call = true;
            check_function(v, field.body, offset, key);
        }
    }
}

static void check_value(struct visit *v, const struct tn_tf_entry *entry,
                        struct fact *fact)
{
    struct tn_bytes    key = entry->key;
    struct tn_pb_field field;
    uint32_t           kind = tn_tf_attr_kind(entry->value, &field);

    if (kind == 0) {
        if (!tn_failed(v->c->error))
            complain(v, TN_LEVEL_WARNING, "empty-attribute", entry->offset, key,
                     "an attribute without a value");
        return;
    }
    if (kind == ATTR_TYPE) {
        check_type(v, field.value, field.offset, key);
        fact->type = field.value;
        if (tn_bytes_is(key, "dtype"))
            fact->role = DTYPE;
        return;
    }
    if (field.type != TN_WIRE_LEN)
        return;
    if (kind == ATTR_TENSOR) {
        check_tensor(v, field.body, key, &fact->type);
        if (tn_bytes_is(key, "value"))
            fact->role = VALUE;
    } else if (kind == ATTR_SHAPE) {
        check_shape(v, field.body, field.offset, key);
    } else if (kind == ATTR_FUNC) {
        fact->is_call = true;
        check_function(v, field.body, field.offset, key);
    } else if (kind == ATTR_LIST) {
        check_list(v, field.body, key, &fact->is_call);
    }
}

static void check_key(struct visit *v, struct tn_bytes key, uint64_t offset)
{
    for (uint32_t i = 0; i < v->key_count; i++)
        if (tn_bytes_equal(v->keys[i], key)) {
            complain(v, TN_LEVEL_WARNING, "duplicate-attribute", offset, key,
                     "the attribute occurs again; the last one counts");
            return;
        }
    if (v->key_count < KEY_LIMIT)
        v->keys[v->key_count++] = key;
}

static void note_fact(struct visit *v, const struct fact *fact)
{
    if (fact->role == DTYPE) {
        v->has_dtype = true;
        v->dtype     = fact->type;
    } else if (fact->role == VALUE) {
        v->has_value  = true;
        v->value_type = fact->type;
    }
}

static uint64_t findings(const struct visit *v)
{
    const uint64_t *counts = v->c->report->counts;

    return counts[TN_LEVEL_NOTE] + counts[TN_LEVEL_WARNING] +
           counts[TN_LEVEL_ERROR];
}

/* One that was not seen before; true: nothing is wrong with it. */
static bool check_new(struct visit *v, struct tn_pb_field *field,
                      struct fact *fact)
{
    struct tn_tf_entry entry  = { .offset = field->offset };
    uint64_t           before = findings(v);

    tn_tf_entry_read(&field->body, &entry);
    if (tn_failed(v->c->error))
        return false;
    *fact = (struct fact){ .key = entry.key };
    check_key(v, entry.key, entry.offset);
    check_value(v, &entry, fact);
    note_fact(v, fact);
    return findings(v) == before && !tn_failed(v->c->error);
}

static void check_attr(struct visit *v, struct tn_pb_field *field)
{
    struct known_attrs *known = &v->past->attrs;
    struct tn_bytes     bytes = tn_pb_short_body(field, TN_MEMO_LONGEST);
    struct fact         fact;

    if (!bytes.size) {
        check_new(v, field, &fact);
        return;
    }
    uint32_t place = tn_memo_place(bytes);
    if (tn_memo_has(&known->memo, place, bytes, NULL)) {
        check_key(v, known->facts[place].key, field->offset);
        note_fact(v, &known->facts[place]);
    } else if (check_new(v, field, &fact) && !fact.is_call) {
        tn_memo_keep(&known->memo, place, bytes, NULL);
        known->facts[place] = fact;
    }
}

/* A constant says its type twice. */
static void check_const(struct visit *v, const struct tn_op *op)
{
    const char *dtype = tn_tf_dtype_name(v->dtype);
    const char *value = tn_tf_dtype_name(v->value_type);

    if (!tn_bytes_is(tn_model_name(v->c->model, op->type), "Const") ||
        !v->has_value || !v->has_dtype || v->dtype == v->value_type)
        return;
    complain(v, TN_LEVEL_ERROR, "type-mismatch", op->wire_offset, no_key,
             "'dtype' is %s, 'value' holds %s", dtype ? dtype : "no type",
             value ? value : "no type");
}

/* ---- one node ----------------------------------------------------------- */

static void check_order(struct visit *v, struct tn_pb_field *field)
{
    struct tn_bytes text       = tn_pb_text(field);
    bool            is_control = text.size && *text.data == '^';

    if (v->has_control && !is_control && !v->is_unordered) {
        complain(v, TN_LEVEL_ERROR, "control-input-order", field->offset,
                 no_key, "input '%.*s' comes after a control input",
                 TN_FMT(text));
        v->is_unordered = true; /* once is enough */
    }
    v->has_control = is_control;
}

static void check_fields(struct visit *v, struct tn_cursor node)
{
    struct tn_pb_field field;

    while (tn_pb_next(&node, &field)) {
        if ((field.number != NODE_INPUT && field.number != NODE_ATTR) ||
            !tn_pb_expect(&node, &field, TN_WIRE_LEN))
            continue;
        if (field.number == NODE_INPUT)
            check_order(v, &field);
        else
            check_attr(v, &field);
    }
}

static void check_call(struct visit *v, const struct tn_op *op)
{
    uint32_t callee = tn_pairs_find(&v->c->functions, v->main, op->type);

    if (callee == TN_NONE)
        return;
    note_call(v, callee);
    check_arguments(v, callee, tn_model_op(v->c->model, v->op).input_count);
}

static void check_node(struct tn_tf_checking *c, struct past *past, uint32_t op,
                       uint32_t main)
{
    const struct tn_op *row = tn_model_op_at(c->model, op);
    struct tn_bytes     keys[KEY_LIMIT];
    struct visit        v = {
               .c     = c,
               .past  = past,
               .op    = op,
               .graph = row->graph,
               .main  = main,
               .keys  = keys,
    };
    struct tn_cursor node =
        tn_cursor_span(tn_model_op_wire(c->model, row), c->error);

    check_names(&v, row);
    check_fields(&v, node);
    check_const(&v, row);
    check_call(&v, row);
}

static void check_graphs(struct tn_tf_checking *c, struct past *past)
{
    uint32_t main = TN_NONE;

    for (uint32_t g = 0; g < c->model->graphs.count; g++) {
        const struct tn_graph *graph = tn_model_graph_at(c->model, g);
        if (graph->kind != TN_GRAPH_FUNCTION)
            main = g;
        for (uint64_t i = 0; i < graph->op_count; i++) {
            if (c->report->is_stopped || tn_failed(c->error))
                return;
            check_node(c, past, graph->first_op + (uint32_t)i, main);
        }
        tn_arena_done(&c->arena); /* shapes of constants: scratch */
    }
}

void tn_tf_check_nodes(struct tn_tf_checking *c)
{
    struct tn_memory *memory = c->model->memory;
    struct past      *past =
        tn_memory_resize(memory, NULL, 0, sizeof *past, c->error);

    if (!past)
        return;
    past->attrs.memo = (struct tn_memo){ 0 };
    past->name       = tn_bytes(NULL, 0);
    check_graphs(c, past);
    tn_memory_free(memory, past, sizeof *past);
}
