/*
 * tf_check.c - every problem of a TensorFlow model beyond its grammar
 *
 * Rules of its own: duplicate-function, undefined-return, recursion,
 * bad-version, schema-version, no-meta-graph, duplicate-tags,
 * unknown-signature-tensor, missing-asset, asset-outside, missing-checkpoint,
 * uninitialized-variable, missing-entry, variable-mismatch, unused-slice,
 * bad-checksum.  The rules of nodes are listed above the code of nodes.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/byte_view.h"
#include "base/memo.h"
#include "base/report.h"
#include "format/registry.h"
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_callers.h"
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "format/tensorflow/tf_object_graph.h"
#include "io/workers.h"
#include "io/later_check.h"
#include "ir/graph_check.h"
#include "ir/output_name.h"
#include "ir/value_sizes.h"
#include "ir/vocab_check.h"

struct tn_tf_checking {
    struct tn_bundle      *bundle;
    const struct tn_model *model;
    struct tn_report      *report;
    struct tn_error       *error; /* of the machine, not of the file          */
    struct tn_arena        arena; /* scratch                                  */
    const char            *file;  /* of the model's message                   */
    struct tn_pairs        functions; /* (main graph, name) -> graph          */
    struct tn_list         calls;     /* struct tn_tf_call                    */
    struct tn_arena        kept;
    uint8_t               *lists; /* by graph: TN_TF_LIST_...                 */
};

/* A function that takes or gives a list, of any length. */
#define TN_TF_TAKES_LIST 1
#define TN_TF_GIVES_LIST 2

/* Function `from` has a node that runs function `to`: graph indices. */
struct tn_tf_call {
    uint32_t from, to;
    uint64_t offset; /* of the node                                           */
};

/* ---- calls -------------------------------------------------------------- */

/* The type and shape that a signature gives a value. */
struct tn_tf_claim {
    struct tn_value_claim      said;
    const struct tn_io        *io;
    const struct tn_signature *signature; /* NULL: of the function `graph`    */
    uint32_t                   graph, index;
    bool                       is_output;
};

struct tn_tf_calls {
    struct tn_tf_checking *c;
    const uint32_t        *mains; /* by graph: whose library it can call      */
    struct tn_pairs        callers; /* (type, 0): in tn_tf_callers()          */
    struct tn_list         claims;  /* struct tn_tf_claim                     */
    struct tn_pairs lists; /* (value, 0): an argument that is a list          */
    uint32_t        op, graph, body; /* the last ones asked for               */
    bool            is_in_step;      /* of them                               */
    struct tn_tf_passings passings;
};

/* ---- what must hold for each node of a TensorFlow graph ----------------- */

/*
 * Rules: bad-name, control-input-order, duplicate-attribute, empty-attribute,
 * unknown-type, bad-shape, wrong-size, type-mismatch, huge-constant,
 * excess-values, unknown-function, argument-count.
 *
 * Many nodes have the same attributes: one whose bytes are those of an
 * attribute found good is not examined again.
 */

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

/* TensorFlow, too, refuses a larger constant that stores no values. */
#define ZEROS_LIMIT (UINT64_C(2) << 30)

/* Slots of the table that remembers nodes which are alike. */
#define ALIKE_SLOTS 1024

/* Keys are compared pairwise up to here; real nodes have a dozen. */
#define KEY_LIMIT 64

/* What the check of a node needs of an attribute. */
struct fact {
    struct tn_bytes key;
    uint64_t        type; /* that it says, or that its tensor is of           */
    enum { ANY, DTYPE, VALUE } role;
    bool is_call; /* then whether it is good depends on more than its bytes */
};

struct known_attrs {
    struct tn_memo memo;
    struct fact    facts[TN_MEMO_SLOTS];
};

/* What is remembered of earlier nodes. */
struct past {
    struct known_attrs attrs;
    uint32_t           alike[ALIKE_SLOTS]; /* numbers of good ones            */
    struct tn_bytes    name;               /* the last good one               */
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
    bool                   has_call; /* by an attribute                       */
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

/* The bits of a range of characters, in the word that holds them. */
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
 * nodes that TensorFlow made itself. Names begin with their scope, so most
 * share a prefix with the last good name: that prefix is not examined again. */
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

bool tn_tf_is_node_name(struct tn_bytes name)
{
    return is_node_name(name, tn_bytes(NULL, 0));
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
                 "'%.*s' is not a valid name of a node", TN_FMT(name));
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

    tn_payload_check(elements, &own);
    if (tn_machine_failed(&own))
        *v->c->error = own;
    else if (tn_failed(&own))
        complain(v, TN_LEVEL_ERROR, "wrong-size",
                 own.offset == TN_NOWHERE ? tensor->wire.offset : own.offset,
                 key, "%s", own.what);
    else if (elements->payload.encoding == TN_ENCODING_NONE &&
             tn_shape_bytes(&elements->shape, &bytes) && bytes > ZEROS_LIMIT)
        complain(v, TN_LEVEL_WARNING, "huge-constant", tensor->wire.offset, key,
                 "%" PRIu64 " bytes of zeros out of nothing; TensorFlow "
                 "refuses more than %" PRIu64,
                 bytes, ZEROS_LIMIT);
    else if (tensor->packed_occurrences == 0 && tensor->content.length == 0 &&
             tensor->occurrences > tn_payload_needed(&elements->shape, 1))
        complain(v, TN_LEVEL_NOTE, "excess-values", tensor->wire.offset, key,
                 "%" PRIu64 " values, the shape has room for %" PRIu64,
                 tensor->occurrences, tn_payload_needed(&elements->shape, 1));
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
                 "%" PRId64 " is not a type", (int64_t)type);
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

/* How many of an op's inputs go to a function that it runs; UINT32_MAX: not
 * known. */
static uint32_t passed_inputs(const struct visit *v)
{
    static const struct {
        const char *type;
        uint32_t    own; /* inputs that the op does not pass on */
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
static bool attr_has_list(const struct visit *v, uint32_t callee)
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
        attr_has_list(v, callee))
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

/* Checks an attribute that was not seen before; true: nothing is wrong. */
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
    v->has_call |= fact->is_call;
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
    uint32_t place = tn_memo_slot(bytes);
    if (tn_memo_has(&known->memo, place, bytes, NULL)) {
        check_key(v, known->facts[place].key, field->offset);
        note_fact(v, &known->facts[place]);
    } else if (check_new(v, field, &fact) && !fact.is_call) {
        tn_memo_keep(&known->memo, place, bytes, NULL);
        known->facts[place] = fact;
    }
}

/* A constant has its type in two places. */
static bool has_two_types(const struct visit *v)
{
    return v->has_value && v->has_dtype && v->dtype != v->value_type;
}

static void check_const(struct visit *v, const struct tn_op *op)
{
    const char *dtype = tn_tf_dtype_name(v->dtype);
    const char *value = tn_tf_dtype_name(v->value_type);

    if (!tn_bytes_is(tn_model_name(v->c->model, op->type), "Const") ||
        !has_two_types(v))
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

/* The attributes of a node with the same bytes as a good one are good, too,
 * unless more than their bytes decides, and so are those of a constant with
 * other elements; without control inputs their order cannot be wrong. */
static void check_wire(struct visit *v, const struct tn_op *row)
{
    uint32_t *good   = &v->past->alike[row->alike % ALIKE_SLOTS];
    uint64_t  before = findings(v);

    if (row->alike && *good == row->alike && !row->control_count)
        return;
    check_fields(
        v, tn_cursor_span(tn_model_op_wire(v->c->model, row), v->c->error));
    if (row->alike && !v->has_call && !has_two_types(v) &&
        findings(v) == before)
        *good = (uint32_t)row->alike;
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

    check_names(&v, row);
    check_wire(&v, row);
    check_const(&v, row);
    check_call(&v, row);
}

static void check_wire_graphs(struct tn_tf_checking *c, struct past *past)
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

/* Every node of every graph: names, attributes, constants, calls. */
static void check_nodes(struct tn_tf_checking *c)
{
    struct tn_memory *memory = c->model->memory;
    struct past      *past =
        tn_memory_resize(memory, NULL, 0, sizeof *past, c->error);

    if (!past)
        return;
    past->attrs.memo = (struct tn_memo){ 0 };
    memset(past->alike, 0, sizeof past->alike);
    past->name = tn_bytes(NULL, 0);
    check_wire_graphs(c, past);
    tn_memory_free(memory, past, sizeof *past);
}

/* ---- what goes into functions and comes out of them, and what signatures say
 * of both - */

/*
 * A node calls a function by having its name as operator, or by an attribute,
 * which tf_callers.c lists. The types of arguments and results are those of the
 * function's signature.
 */

/* Names of outputs are searched only in functions with at most so many. */
#define NAMED_LIMIT 64

static void calls_init(struct tn_tf_calls *calls, struct tn_tf_checking *c,
                       const uint32_t *mains)
{
    uint32_t                   count;
    const struct tn_tf_caller *all = tn_tf_callers(&count);

    *calls = (struct tn_tf_calls){ .c = c, .mains = mains, .op = TN_NONE };
    tn_pairs_init(&calls->lists, c->model->memory);
    tn_pairs_init(&calls->callers, c->model->memory);
    tn_list_init(&calls->claims, c->model->memory, sizeof(struct tn_tf_claim));
    tn_tf_passings_init(&calls->passings, c->model->memory);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = tn_intern_find(&c->model->names, tn_text(all[i].type));
        if (name != TN_NO_NAME &&
            (i == 0 || strcmp(all[i].type, all[i - 1].type)))
            tn_pairs_add(&calls->callers, name, 0, i, c->error);
    }
}

static void calls_done(struct tn_tf_calls *calls)
{
    tn_tf_passings_done(&calls->passings);
    tn_list_done(&calls->claims);
    tn_pairs_done(&calls->callers);
    tn_pairs_done(&calls->lists);
}

/* The operator's first row; NULL: it runs no functions. */
static const struct tn_tf_caller *find_caller(const struct tn_tf_calls *calls,
                                              uint32_t                  type)
{
    uint32_t count, row = type == TN_NO_NAME
                              ? UINT32_MAX
                              : tn_pairs_find(&calls->callers, type, 0);

    return row == UINT32_MAX ? NULL : &tn_tf_callers(&count)[row];
}

/* ---- called functions --------------------------------------------------- */

/* The function that an attribute names: one, or one of a list. */
static uint32_t find_named(const struct tn_tf_calls *calls, uint32_t op,
                           const char *name, uint32_t number)
{
    const struct tn_model      *model   = calls->c->model;
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    uint32_t                    found = TN_NONE;

    if (tn_attr_find(&attr, model, op, name, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_FUNCTION && number < value->count) {
            uint32_t id =
                tn_intern_find(&model->names, value->of.strings[number]);
            uint32_t graph = tn_model_op_at(model, op)->graph;
            if (id != TN_NO_NAME)
                found = tn_pairs_find(&calls->c->functions, calls->mains[graph],
                                      id);
        }
    }
    tn_attr_close(attr);
    return found;
}

/* As struct tn_vocab_use has them. */
static uint32_t check_callee(const struct tn_tf_calls *calls, uint32_t op,
                             uint32_t number)
{
    const struct tn_op        *row = tn_model_op_at(calls->c->model, op);
    const struct tn_tf_caller *caller;
    uint32_t                   place;

    if (!calls->c->functions.count)
        return TN_NONE;
    caller = find_caller(calls, row->type);
    if (!caller)
        return number ? TN_NONE
                      : tn_pairs_find(&calls->c->functions,
                                      calls->mains[row->graph], row->type);
    caller = tn_tf_caller_at(caller, number, &place);
    return caller ? find_named(calls, op, caller->attr, place) : TN_NONE;
}

/* ---- arguments and results ---------------------------------------------- */

/* The arguments that stand for several values. */
static void find_list_arguments(struct tn_tf_calls *calls, uint32_t graph)
{
    const struct tn_model *model   = calls->c->model;
    struct tn_io_list      io_list = tn_model_graph_at(model, graph)->inputs;

    for (uint32_t i = 0; i < io_list.count; i++) {
        uint32_t name = tn_intern_find(&model->names, io_list.items[i].name);
        uint32_t value =
            name == TN_NO_NAME || strcmp(io_list.items[i].note, "list")
                ? TN_NONE
                : tn_model_find_value(model, graph, name);
        if (value != TN_NONE)
            tn_pairs_add(&calls->lists, value, 0, 0, calls->c->error);
    }
}

/* Whether the op has an input that stands for several values: a list argument,
 * or "node:out" in the body of a function. */
static bool has_list_input(const struct tn_tf_calls *calls, uint32_t op)
{
    const struct tn_model *model = calls->c->model;
    const struct tn_op    *row   = tn_model_op_at(model, op);

    if (tn_model_graph_at(model, row->graph)->kind != TN_GRAPH_FUNCTION)
        return false;
    for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
        uint32_t value = tn_op_input(model, op, i);
        if (value == TN_NONE ||
            tn_pairs_find(&calls->lists, value, 0) != UINT32_MAX ||
            tn_output_name_is_list(tn_model_value_name(model, value)))
            return true;
    }
    return false;
}

/* Examines the call once for all its arguments; false: nothing is known. */
static bool look_at(struct tn_tf_calls *calls, const struct tn_crossing *c,
                    const struct tn_tf_caller *caller)
{
    const struct tn_graph *callee =
        tn_model_graph_at(calls->c->model, c->graph);
    uint32_t place;

    if (calls->op == c->op && calls->graph == c->graph &&
        calls->body == c->body)
        return calls->is_in_step;
    calls->op    = c->op;
    calls->graph = c->graph;
    calls->body  = c->body;
    if (caller)
        caller = tn_tf_caller_at(caller, c->body, &place);
    calls->is_in_step =
        !calls->c->lists[c->graph] && !has_list_input(calls, c->op);
    if (!calls->is_in_step || !caller)
        return calls->is_in_step;
    if (c->kind)
        tn_tf_passings_make(&calls->passings, calls->c->model, c->op, c->kind,
                            caller, callee->inputs.count, callee->outputs.count,
                            calls->c->error);
    calls->is_in_step = c->kind && !tn_failed(calls->c->error);
    return calls->is_in_step;
}

static bool check_pass(struct tn_tf_calls *calls, const struct tn_crossing *c,
                       struct tn_passing *to)
{
    const struct tn_op        *row    = tn_model_op_at(calls->c->model, c->op);
    const struct tn_tf_caller *caller = find_caller(calls, row->type);
    const struct tn_list      *passings =
        c->is_output ? &calls->passings.gives : &calls->passings.takes;

    if (!look_at(calls, c, caller))
        return false;
    if (!caller) {
        to->number   = c->index;
        to->has_rank = true;
        return true;
    }
    if (c->index >= passings->count)
        return false;
    *to = *tn_list_at(passings, struct tn_passing, c->index);
    return true;
}

/* In the body of a function "node:out:2" contains the argument's name. */
static uint32_t check_result_number(const struct tn_tf_calls *calls,
                                    uint32_t                  value)
{
    const struct tn_model *model = calls->c->model;
    const struct tn_value *row   = tn_model_value_at(model, value);
    struct tn_bytes        argument =
        tn_output_name_parse(tn_model_name(model, row->name)).argument;
    const struct tn_graph *callee;
    uint32_t               graph;

    if (tn_model_graph_at(model, row->graph)->kind != TN_GRAPH_FUNCTION ||
        row->producer == TN_NONE || !argument.data ||
        find_caller(calls, tn_model_op_at(model, row->producer)->type))
        return row->output;
    graph = check_callee(calls, row->producer, 0);
    if (graph == TN_NONE)
        return row->output;
    callee = tn_model_graph_at(model, graph);
    for (uint32_t i = 0;
         callee->outputs.count <= NAMED_LIMIT && i < callee->outputs.count; i++)
        if (tn_bytes_equal(callee->outputs.items[i].key, argument))
            return i;
    return TN_NONE;
}

/* ---- what signatures say ------------------------------------------------ */

static void add_claim(struct tn_tf_calls *calls, uint32_t value,
                      const struct tn_io *io, struct tn_tf_claim claim)
{
    struct tn_tf_claim *row;

    if (value == TN_NONE || io->note[0])
        return;
    row = tn_list_push(&calls->claims, struct tn_tf_claim, calls->c->error);
    if (!row)
        return;
    *row            = claim;
    row->said.value = value;
    row->io         = io;
    if (io->dtype != TN_UNDEFINED)
        row->said.type = TN_TYPE(io->dtype, TN_WRAP_NONE);
    if (io->has_rank)
        row->said.rank = TN_RANK(io->rank);
}

static void claim_results(struct tn_tf_calls *calls, uint32_t graph)
{
    const struct tn_model *model = calls->c->model;
    const struct tn_graph *row   = tn_model_graph_at(model, graph);

    for (uint32_t i = 0; i < row->outputs.count; i++)
        add_claim(calls,
                  tn_model_find_named(model, graph, row->outputs.items[i].name),
                  &row->outputs.items[i],
                  (struct tn_tf_claim){ .said  = { .offset = row->wire.offset },
                                        .graph = graph,
                                        .index = i });
}

static void claim_io_list(struct tn_tf_calls        *calls,
                          const struct tn_tf_meta   *meta,
                          const struct tn_signature *signature,
                          struct tn_io_list io_list, bool is_output)
{
    const struct tn_model *model = calls->c->model;

    for (uint32_t i = 0; i < io_list.count; i++) {
        struct tn_tf_ref ref = tn_tf_ref_parse(io_list.items[i].name, false);
        add_claim(calls, tn_model_find_named(model, meta->graph, ref.value),
                  &io_list.items[i],
                  (struct tn_tf_claim){ .said = { .offset = meta->wire.offset },
                                        .signature = signature,
                                        .is_output = is_output });
    }
}

/* Finds what signatures say. */
static void calls_survey(struct tn_tf_calls *calls)
{
    const struct tn_model     *model = calls->c->model;
    const struct tn_tf_detail *d     = tn_tf_detail_of(model);

    for (uint32_t i = 0; i < model->graphs.count; i++)
        if (tn_model_graph_at(model, i)->kind == TN_GRAPH_FUNCTION) {
            find_list_arguments(calls, i);
            claim_results(calls, i);
        }
    for (uint32_t i = 0; i < d->meta_count; i++)
        for (uint32_t k = 0; k < tn_tf_signature_count(model, &d->metas[i]);
             k++) {
            const struct tn_signature *signature =
                tn_model_signature(model, d->metas[i].first_signature + k);
            claim_io_list(calls, &d->metas[i], signature, signature->inputs,
                          false);
            claim_io_list(calls, &d->metas[i], signature, signature->outputs,
                          true);
        }
}

static void claim_path(const struct tn_tf_calls *calls, uint64_t index,
                       char *to, size_t size)
{
    const struct tn_tf_claim *claim =
        tn_list_at(&calls->claims, struct tn_tf_claim, index);

    if (claim->signature)
        snprintf(to, size, "signature_def[%.*s].%s[%.*s]",
                 TN_FMT(claim->signature->name),
                 claim->is_output ? "outputs" : "inputs",
                 TN_FMT(claim->io->key));
    else
        snprintf(to, size, "%s.signature.output_arg[%" PRIu32 "]",
                 tn_model_graph_at(calls->c->model, claim->graph)->path,
                 claim->index);
}

/* ---- nodes against the operators of TensorFlow -------------------------- */

struct lexicon {
    struct tn_tf_checking *c;
    struct tn_arena       *arena;
    uint32_t *mains; /* by graph: the one whose library it can call           */
    struct tn_tf_calls calls;
    struct given      *given; /* by op; NULL: not wanted                      */
    struct tn_later_check *values; /* what is wrong with them; NULL: it is not
                                      found meanwhile                         */
};

static uint32_t scope_of(void *context, uint32_t graph)
{
    return ((struct lexicon *)context)->mains[graph];
}

static bool is_call(void *context, uint32_t scope, const struct tn_op *op)
{
    struct lexicon *x = context;

    return tn_pairs_find(&x->c->functions, scope, op->type) != UINT32_MAX;
}

/* The version of the producer decides which operators are removed. */
static int64_t version_of(void *context, uint32_t scope, struct tn_bytes domain)
{
    const struct lexicon      *x        = context;
    const struct tn_tf_detail *d        = tn_tf_detail_of(x->c->model);
    int32_t                    producer = d->versions.producer;

    (void)domain;
    for (uint32_t i = 0; i < d->meta_count; i++)
        if (d->metas[i].graph == scope)
            producer = d->metas[i].versions.producer;
    return producer < 0 ? 0 : producer;
}

/* In the body of a function "node:out" is a whole list, and so is an argument
 * that is one. */
static bool takes_list(void *context, uint32_t op)
{
    const struct lexicon  *x     = context;
    const struct tn_model *model = x->c->model;
    const struct tn_op    *row   = tn_model_op_at(model, op);

    if (tn_model_graph_at(model, row->graph)->kind != TN_GRAPH_FUNCTION)
        return false;
    for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
        uint32_t value = tn_op_input(model, op, i);
        if (value == TN_NONE)
            return true;
        if (tn_model_value_at(model, value)->kind == TN_VALUE_INPUT ||
            tn_output_name_is_list(tn_model_value_name(model, value)))
            return true;
    }
    return false;
}

static uint32_t callee(void *context, uint32_t op, uint32_t number)
{
    return check_callee(&((struct lexicon *)context)->calls, op, number);
}

static bool pass(void *context, const struct tn_crossing *c,
                 struct tn_passing *to)
{
    return check_pass(&((struct lexicon *)context)->calls, c, to);
}

static bool is_merge(void *context, uint32_t op)
{
    const struct tn_model *model = ((struct lexicon *)context)->c->model;
    struct tn_bytes        type =
        tn_model_name(model, tn_model_op_at(model, op)->type);

    return tn_bytes_is(type, "Merge") || tn_bytes_is(type, "RefMerge");
}

static uint32_t result_number(void *context, uint32_t value)
{
    return check_result_number(&((struct lexicon *)context)->calls, value);
}

static bool claim(void *context, uint64_t index, struct tn_value_claim *to)
{
    const struct tn_list *claims = &((struct lexicon *)context)->calls.claims;

    if (index >= claims->count)
        return false;
    *to = tn_list_at(claims, struct tn_tf_claim, index)->said;
    return true;
}

static void put_claim_path(void *context, uint64_t index, char *to, size_t size)
{
    claim_path(&((struct lexicon *)context)->calls, index, to, size);
}

/* Arguments of functions; those whose type an attribute gives have none
 * here. */
static void declare(void *context, uint8_t *types)
{
    const struct tn_model *model = ((struct lexicon *)context)->c->model;

    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind != TN_GRAPH_FUNCTION)
            continue;
        for (uint32_t k = 0; k < graph->inputs.count; k++) {
            const struct tn_io *io    = &graph->inputs.items[k];
            uint32_t            value = tn_model_find_named(model, i, io->name);
            if (value != TN_NONE)
                types[value] = strcmp(io->note, "list") == 0
                                   ? TN_TYPE_MANY
                                   : TN_TYPE(io->dtype, TN_WRAP_NONE);
        }
    }
}

/* Type and shape of the output of a Const or a placeholder; all zero:
 * unknown. */
struct given {
    uint8_t               rank;   /* as TN_RANK()                             */
    uint32_t              tensor; /* + 1                                      */
    const struct tn_dims *dims;
};

/* The shape of a placeholder. Before version 24 of graphs an empty shape meant
 * an unknown one, not a scalar's. */
static void look_at_placeholder(struct lexicon *x, uint32_t op,
                                struct given *to)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;

    if (tn_attr_find(&attr, x->c->model, op, "shape", &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_SHAPE && value->count == 1 &&
            value->of.shapes[0].has_rank && value->of.shapes[0].rank) {
            to->rank = TN_RANK(value->of.shapes[0].rank);
            if (value->of.shapes[0].rank < TN_VOCAB_RANK_LIMIT)
                to->dims = tn_dims_new(x->arena, value->of.shapes[0].rank,
                                       value->of.shapes[0].dims, x->c->error);
        }
    }
    tn_attr_close(attr);
}

/* By op. */
static void find_given(struct lexicon *x)
{
    const struct tn_model *model = x->c->model;

    x->given = tn_new(x->arena, struct given, model->ops.count, x->c->error);
    for (uint32_t i = 0; x->given && i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        const struct tn_graph *graph;
        if (row->role != TN_ROLE_ATTRIBUTE || row->graph == TN_NONE ||
            row->node == TN_NONE)
            continue;
        graph = tn_model_graph_at(model, row->graph);
        if (row->node < graph->op_count)
            x->given[graph->first_op + row->node] =
                (struct given){ .rank   = TN_RANK(row->elements.shape.rank),
                                .tensor = i + 1 };
    }
    uint32_t constant = tn_intern_find(&model->names, tn_text("Const"));
    uint32_t placeholder =
        tn_intern_find(&model->names, tn_text("Placeholder"));
    for (uint32_t op = 0; x->given && op < model->ops.count; op++) {
        uint32_t type = tn_model_op_at(model, op)->type;
        if (type == constant)
            continue;
        x->given[op] = (struct given){ 0, 0, NULL };
        if (type == placeholder)
            look_at_placeholder(x, op, &x->given[op]);
    }
}

/* The output of the op that computes a value; NULL: not known. */
static const struct given *given_by(const struct lexicon *x, uint64_t value)
{
    const struct tn_value *row =
        tn_list_at(&x->c->model->values, struct tn_value, value);

    return x->given && row->kind == TN_VALUE_OUTPUT &&
                   row->producer != TN_NONE && row->output == 0
               ? &x->given[row->producer]
               : NULL;
}

static void declare_ranks(void *context, uint8_t *ranks)
{
    struct lexicon *x = context;

    for (uint64_t i = 0; i < x->c->model->values.count; i++)
        if (given_by(x, i))
            ranks[i] = given_by(x, i)->rank;
}

static void declare_sizes(void *context, struct tn_sizing *to)
{
    struct lexicon *x = context;

    for (uint32_t i = 0; i < x->c->model->values.count; i++) {
        const struct given *given = given_by(x, i);
        if (given && given->dims)
            tn_sizing_tell(to, i, given->dims);
        if (given && given->tensor)
            tn_sizing_tell_constant(to, i, given->tensor - 1);
    }
}

static void find_mains(struct lexicon *x)
{
    const struct tn_model *model = x->c->model;
    uint32_t               main  = TN_NONE;

    x->mains = tn_new(x->arena, uint32_t, model->graphs.count, x->c->error);
    for (uint32_t i = 0; x->mains && i < model->graphs.count; i++) {
        if (tn_model_graph_at(model, i)->kind != TN_GRAPH_FUNCTION)
            main = i;
        x->mains[i] = main;
    }
}

static void wait_for_values(void *context)
{
    struct lexicon *x = context;

    if (x->values)
        tn_later_check_end(x->values, x->c->report, x->c->error);
    x->values = NULL;
}

/* The same against the operators that TensorFlow has; another thread checks
 * `values` at the same time. */
static void check_vocab(struct tn_tf_checking *c, enum tn_vocab_half half,
                        struct tn_later_check *values)
{
    struct tn_arena     arena;
    struct lexicon      x   = { .c = c, .arena = &arena, .values = values };
    struct tn_vocab_use use = {
        .context        = &x,
        .scope          = scope_of,
        .version        = version_of,
        .is_call        = is_call,
        .has_list_input = takes_list,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .declare_sizes  = declare_sizes,
        .callee         = c->functions.count ? callee : NULL,
        .pass           = pass,
        .is_merge       = is_merge,
        .result_number  = result_number,
        .claim          = claim,
        .claim_path     = put_claim_path,
        .after_ops      = wait_for_values,
        .compares_types = true,
        .half           = half,
        .file           = c->file,
        .free_prefix    = "_",
        .unknown        = TN_LEVEL_NOTE,
        .deprecated     = TN_LEVEL_WARNING,
    };

    tn_arena_init(&arena, c->model->memory);
    find_mains(&x);
    if (half != TN_VOCAB_OPS)
        find_given(&x);
    calls_init(&x.calls, c, x.mains);
    if (!tn_failed(c->error))
        calls_survey(&x.calls);
    if (!tn_failed(c->error))
        tn_vocab_check_builtin(c->model, &use, "tensorflow", c->report,
                               c->error);
    wait_for_values(&x);
    calls_done(&x.calls);
    tn_arena_done(&arena);
}

/* ---- whether fingerprint.pb belongs to the files beside it --------------- */

/*
 * Rules: bad-fingerprint, stale-fingerprint, unverified-fingerprint.
 */

struct checking {
    const struct tn_tf_fingerprinted *what;
    struct tn_report                 *report;
    struct tn_error                  *error;
};

/* An error in the file becomes a finding. */
static bool has_failed(struct checking *c, struct tn_error *own,
                       enum tn_finding_level level, const char *rule)
{
    if (tn_machine_failed(own)) {
        *c->error = *own;
    } else if (tn_failed(own)) {
        tn_error_file(own, TN_TF_FINGERPRINT);
        tn_report_add(c->report, level, rule, own);
    }
    return tn_failed(own);
}

static void leave_unverified(struct checking *c, const char *why,
                             uint64_t producer)
{
    tn_report_format(c->report, TN_LEVEL_NOTE, "unverified-fingerprint",
                     TN_TF_FINGERPRINT, TN_NOWHERE, "version.producer",
                     "made by producer %" PRIu64 ": %s", producer, why);
}

static void compare(struct checking *c, const struct tn_tf_fingerprint *stored,
                    const struct tn_tf_fingerprint *computed)
{
    for (int i = 0; i < TN_TF_HASH_COUNT; i++)
        if (stored->hashes[i] != computed->hashes[i])
            tn_report_format(c->report, TN_LEVEL_WARNING, "stale-fingerprint",
                             TN_TF_FINGERPRINT, stored->places[i],
                             tn_tf_hash_names[i],
                             "%" PRIu64 ", the model has %" PRIu64,
                             stored->hashes[i], computed->hashes[i]);
}

static void verify(struct checking *c, const struct tn_tf_fingerprint *stored)
{
    const struct tn_tf_fingerprinted *what     = c->what;
    struct tn_tf_fingerprint          computed = { .producer = 0 };
    struct tn_error                   own      = TN_ERROR_INIT;
    struct tn_memory                 *memory   = what->bundle->memory;

    if (what->store)
        tn_tf_fingerprint_chunks(&computed, what->chunked, what->store, memory,
                                 &own);
    else
        tn_tf_fingerprint_message(&computed, what->message, memory, &own);
    if (!tn_failed(&own))
        tn_tf_old_checkpoint(what->bundle, &computed.hashes[TN_TF_CHECKPOINT],
                             &own);
    if (!has_failed(c, &own, TN_LEVEL_NOTE, "unverified-fingerprint"))
        compare(c, stored, &computed);
}

/* The formulas changed more than once: the version of the producer decides. */
static void judge(struct checking *c, const struct tn_tf_fingerprint *stored)
{
    uint64_t ours =
        c->what->store ? TN_TF_PRODUCER_CHUNKED : TN_TF_PRODUCER_WHOLE;
    uint64_t other = TN_TF_PRODUCER_WHOLE + TN_TF_PRODUCER_CHUNKED - ours;

    if (stored->producer == TN_TF_PRODUCER_NAMED)
        return; /* nothing but a uuid */
    if (c->what->no_formula)
        leave_unverified(c, c->what->no_formula, stored->producer);
    else if (stored->producer == ours)
        verify(c, stored);
    else if (stored->producer == other)
        tn_report_format(c->report, TN_LEVEL_WARNING, "stale-fingerprint",
                         TN_TF_FINGERPRINT, TN_NOWHERE, "version.producer",
                         "made of a saved_model%s, which has another one",
                         c->what->store ? ".pb" : ".cpb");
    else
        leave_unverified(c, "its formulas are not known here",
                         stored->producer);
}

enum tn_status tn_tf_check_fingerprint(const struct tn_tf_fingerprinted *what,
                                       struct tn_report                 *report,
                                       struct tn_error                  *error)
{
    struct checking          c   = { what, report, error };
    struct tn_error          own = TN_ERROR_INIT;
    struct tn_tf_fingerprint stored;
    struct tn_source        *file;

    if (report->skip_data || !tn_bundle_has(what->bundle, TN_TF_FINGERPRINT))
        return TN_OK;
    if (tn_bundle_sibling(what->bundle, tn_text(TN_TF_FINGERPRINT), &file,
                          &own) == TN_OK)
        tn_tf_fingerprint_read(&stored, (struct tn_span){ file, 0, file->size },
                               &own);
    if (!has_failed(&c, &own, TN_LEVEL_WARNING, "bad-fingerprint"))
        judge(&c, &stored);
    return error->status;
}

static void checking_init(struct tn_tf_checking *c, struct tn_bundle *bundle,
                          const struct tn_model *model,
                          struct tn_report *report, struct tn_error *error)
{
    *c = (struct tn_tf_checking){ .bundle = bundle,
                                  .model  = model,
                                  .report = report,
                                  .error  = error,
                                  .file = tn_tf_detail_of(model)->model_file };
    tn_arena_init(&c->arena, model->memory);
    tn_arena_init(&c->kept, model->memory);
    tn_pairs_init(&c->functions, model->memory);
    tn_list_init(&c->calls, model->memory, sizeof(struct tn_tf_call));
}

static enum tn_status checking_done(struct tn_tf_checking *c)
{
    tn_arena_done(&c->arena);
    tn_arena_done(&c->kept);
    tn_pairs_done(&c->functions);
    tn_list_done(&c->calls);
    return c->error->status;
}

/* ---- functions ---------------------------------------------------------- */

static bool has_list(struct tn_io_list io_list)
{
    for (uint32_t i = 0; i < io_list.count; i++)
        if (strcmp(io_list.items[i].note, "list") == 0)
            return true;
    return false;
}

/* Once for each function, which may be called many times. */
static void find_lists(struct tn_tf_checking *c)
{
    c->lists = tn_new(&c->kept, uint8_t, c->model->graphs.count, c->error);
    for (uint32_t i = 0; c->lists && i < c->model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(c->model, i);
        if (has_list(graph->inputs))
            c->lists[i] |= TN_TF_TAKES_LIST;
        if (has_list(graph->outputs))
            c->lists[i] |= TN_TF_GIVES_LIST;
    }
}

static void index_functions(struct tn_tf_checking *c)
{
    uint32_t main = TN_NONE;

    find_lists(c);
    for (uint32_t i = 0; i < c->model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(c->model, i);
        if (graph->kind != TN_GRAPH_FUNCTION) {
            main = i;
            continue;
        }
        if (graph->name == TN_NO_NAME)
            tn_report_format(c->report, TN_LEVEL_ERROR, "bad-name", c->file,
                             graph->wire.offset, graph->path,
                             "a function without a name");
        else if (tn_pairs_add(&c->functions, main, graph->name, i, c->error) !=
                     i &&
                 !tn_failed(c->error))
            tn_report_format(c->report, TN_LEVEL_ERROR, "duplicate-function",
                             c->file, graph->wire.offset, graph->path,
                             "'%.*s' is defined already",
                             TN_FMT(tn_model_name(c->model, graph->name)));
    }
}

static void check_returns(struct tn_tf_checking *c, uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(c->model, index);

    for (uint32_t i = 0; i < graph->outputs.count; i++) {
        const struct tn_io *io    = &graph->outputs.items[i];
        uint32_t            name  = tn_intern_find(&c->model->names, io->name);
        uint32_t            value = tn_model_find_value(c->model, index, name);
        if (value != TN_NONE &&
            tn_model_value_at(c->model, value)->kind != TN_VALUE_UNDEFINED)
            continue;
        tn_report_format(
            c->report, TN_LEVEL_ERROR, "undefined-return", c->file,
            graph->wire.offset, graph->path,
            "output '%.*s' comes from '%.*s', which does not exist",
            TN_FMT(io->key), TN_FMT(io->name));
    }
}

/* ---- recursion: depth first along calls, with an explicit stack ---------- */

enum colour { WHITE, GREY, BLACK };

struct caller {
    uint64_t first_call, call_end; /* in the sorted list                      */
};

struct descent {
    uint32_t graph;
    uint64_t next;
};

/* Calls of one graph side by side: counted, then placed. */
static struct tn_tf_call *group_calls(struct tn_tf_checking *c,
                                      struct caller         *callers)
{
    uint64_t           graphs = c->model->graphs.count;
    struct tn_tf_call *sorted =
        tn_new(&c->arena, struct tn_tf_call, c->calls.count, c->error);
    uint64_t at = 0;

    for (uint64_t i = 0; i < c->calls.count; i++)
        callers[tn_list_at(&c->calls, struct tn_tf_call, i)->from].call_end++;
    for (uint64_t g = 0; g < graphs; g++) {
        uint64_t count        = callers[g].call_end;
        callers[g].first_call = callers[g].call_end = at;
        at += count;
    }
    for (uint64_t i = 0; sorted && i < c->calls.count; i++) {
        const struct tn_tf_call *call =
            tn_list_at(&c->calls, struct tn_tf_call, i);
        sorted[callers[call->from].call_end++] = *call;
    }
    return sorted;
}

static void descend(struct tn_tf_checking *c, uint32_t root,
                    const struct caller     *callers,
                    const struct tn_tf_call *calls, uint8_t *colours,
                    struct descent *stack)
{
    uint64_t depth = 0;

    stack[depth++] = (struct descent){ root, callers[root].first_call };
    colours[root]  = GREY;
    while (depth) {
        struct descent *top = &stack[depth - 1];
        if (top->next == callers[top->graph].call_end) {
            colours[top->graph] = BLACK;
            depth--;
            continue;
        }
        const struct tn_tf_call *call = &calls[top->next++];
        if (colours[call->to] == GREY) {
            const struct tn_graph *to = tn_model_graph_at(c->model, call->to);
            tn_report_format(c->report, TN_LEVEL_ERROR, "recursion", c->file,
                             call->offset,
                             tn_model_graph_at(c->model, call->from)->path,
                             "calls '%.*s', which calls it again",
                             TN_FMT(tn_model_name(c->model, to->name)));
        } else if (colours[call->to] == WHITE) {
            colours[call->to] = GREY;
            stack[depth++] =
                (struct descent){ call->to, callers[call->to].first_call };
        }
    }
}

static void check_recursion(struct tn_tf_checking *c)
{
    uint64_t       graphs  = c->model->graphs.count;
    struct caller *callers = tn_new(&c->arena, struct caller, graphs, c->error);
    uint8_t       *colours = tn_new(&c->arena, uint8_t, graphs, c->error);
    struct descent *stack = tn_new(&c->arena, struct descent, graphs, c->error);

    if (!callers || !colours || !stack)
        return;
    struct tn_tf_call *calls = group_calls(c, callers);
    for (uint32_t i = 0; calls && i < graphs && !c->report->is_stopped; i++)
        if (colours[i] == WHITE)
            descend(c, i, callers, calls, colours, stack);
}

/* ---- graphs ------------------------------------------------------------- */

static void check_versions(struct tn_tf_checking       *c,
                           const struct tn_tf_versions *versions,
                           const char *path, uint64_t offset)
{
    if (versions->is_present && versions->min_consumer > versions->producer)
        tn_report_format(c->report, TN_LEVEL_WARNING, "bad-version", c->file,
                         offset, path,
                         "made by version %" PRId32 ", for readers from "
                         "version %" PRId32 " on",
                         versions->producer, versions->min_consumer);
}

/* Fewer nodes are not worth a second thread. */
#define MANY_NODES 10000

/* Signatures give types and ranks, which are computed together. */
static bool can_be_shared(const struct tn_tf_checking *c)
{
    const struct tn_model *model = c->model;

    return model->graphs.count == 1 && model->ops.count >= MANY_NODES &&
           model->signatures.count == 0 && model->wire.source &&
           model->wire.source->map;
}

/* One thread's half of the vocabulary. */
static void check_half(const struct tn_tf_checking *c, enum tn_vocab_half half,
                       struct tn_later_check *values, struct tn_report *report,
                       struct tn_error *error)
{
    struct tn_tf_checking own = *c;

    own.report = report;
    own.error  = error;
    tn_arena_init(&own.arena, own.model->memory);
    tn_arena_init(&own.kept, own.model->memory);
    check_vocab(&own, half, values);
    tn_arena_done(&own.kept);
    tn_arena_done(&own.arena);
}

static void check_values_beside(void *context, struct tn_report *report,
                                struct tn_error *error)
{
    check_half(context, TN_VOCAB_VALUES, NULL, report, error);
}

static void check_wires(struct tn_tf_checking *c)
{
    if (tn_graph_check(c->model, c->report, c->error) != TN_OK)
        return;
    if (!c->model->is_edited) /* else nodes and their bytes do not correspond */
        check_nodes(c);
}

static void check_graphs(struct tn_tf_checking *c)
{
    struct tn_tf_checking as_it_is;
    struct tn_later_check values;

    index_functions(c);
    if (tn_failed(c->error))
        return;
    as_it_is = *c;
    if (can_be_shared(c)) {
        tn_later_check_begin(&values, c->report, c->model->memory,
                             check_values_beside, &as_it_is);
        tn_later_check_first(&values);
        check_wires(c);
        check_half(&as_it_is, TN_VOCAB_OPS, &values, c->report, c->error);
    } else {
        check_wires(c);
        if (!tn_failed(c->error))
            check_vocab(c, TN_VOCAB_BOTH, NULL);
    }
    if (tn_failed(c->error))
        return;
    for (uint32_t i = 0; i < c->model->graphs.count; i++)
        if (tn_model_graph_at(c->model, i)->kind == TN_GRAPH_FUNCTION)
            check_returns(c, i);
    if (!tn_failed(c->error))
        check_recursion(c);
}

enum tn_status tn_tf_check_graph(struct tn_bundle      *bundle,
                                 const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error)
{
    struct tn_tf_checking c;

    checking_init(&c, bundle, model, report, error);
    check_versions(&c, &tn_tf_detail_of(model)->versions, "versions", 0);
    check_graphs(&c);
    return checking_done(&c);
}

enum tn_status tn_tf_check_structure(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error)
{
    struct tn_tf_checking c;

    checking_init(&c, NULL, model, report, error);
    check_graphs(&c);
    return checking_done(&c);
}

/* ---- signatures and assets ---------------------------------------------- */

static bool has_node(struct tn_tf_checking *c, uint32_t graph,
                     struct tn_bytes tensor)
{
    struct tn_tf_ref ref   = tn_tf_ref_parse(tensor, false);
    uint32_t         value = tn_model_find_named(c->model, graph, ref.node);

    return value != TN_NONE &&
           tn_model_value_at(c->model, value)->kind != TN_VALUE_UNDEFINED;
}

static void check_io_lists(struct tn_tf_checking     *c,
                           const struct tn_tf_meta   *meta,
                           const struct tn_signature *signature,
                           struct tn_io_list io_list, const char *word)
{
    char where[200];

    for (uint32_t i = 0; i < io_list.count; i++) {
        const struct tn_io *io = &io_list.items[i];
        if (strcmp(io->note, "composite") == 0 ||
            has_node(c, meta->graph, io->name))
            continue;
        snprintf(where, sizeof where, "signature_def[%.*s].%s[%.*s]",
                 TN_FMT(signature->name), word, TN_FMT(io->key));
        tn_report_format(c->report, TN_LEVEL_ERROR, "unknown-signature-tensor",
                         c->file, meta->wire.offset, where,
                         "the graph has no '%.*s'", TN_FMT(io->name));
    }
}

static void check_signatures(struct tn_tf_checking   *c,
                             const struct tn_tf_meta *meta)
{
    for (uint32_t i = 0; i < tn_tf_signature_count(c->model, meta); i++) {
        const struct tn_signature *signature =
            tn_model_signature(c->model, meta->first_signature + i);
        check_io_lists(c, meta, signature, signature->inputs, "inputs");
        check_io_lists(c, meta, signature, signature->outputs, "outputs");
    }
}

/* Checks the name alone: a model and its assets may be large. */
static void check_asset(struct tn_tf_checking *c, struct tn_bytes name,
                        uint64_t offset)
{
    struct tn_error   own = TN_ERROR_INIT;
    struct tn_source *source;
    const char       *path =
        tn_text_format(&c->arena, c->error, "assets/%.*s", TN_FMT(name));

    if (!path || !tn_bundle_has_folder(c->bundle))
        return;
    if (tn_bytes_find(name, 0))
        tn_error_set(&own, TN_INVALID, offset, "a name with a zero byte");
    else if (tn_bytes_starts_with(name, "/")) /* Python drops the folder */
        tn_error_set(&own, TN_INVALID, offset, "an absolute name");
    else
        tn_bundle_sibling(c->bundle, tn_text(path), &source, &own);
    if (tn_call_ended(&own) || own.status == TN_LIMIT)
        *c->error = own;
    else if (tn_failed(&own))
        tn_report_format(c->report, TN_LEVEL_ERROR,
                         own.status == TN_INVALID ? "asset-outside"
                                                  : "missing-asset",
                         c->file, offset, "asset_file_def", "'%.*s': %s",
                         TN_FMT(name), own.what);
}

static void check_assets(struct tn_tf_checking   *c,
                         const struct tn_tf_meta *meta)
{
    for (uint32_t i = 0; i < meta->asset_count && !tn_failed(c->error); i++)
        check_asset(c, meta->assets[i], meta->asset_offsets[i]);
}

static void check_tags(struct tn_tf_checking *c, const struct tn_tf_detail *d)
{
    for (uint32_t i = 1; i < d->meta_count && i < 1000; i++)
        for (uint32_t k = 0; k < i; k++)
            if (tn_bytes_equal(d->metas[i].tags, d->metas[k].tags)) {
                tn_report_format(c->report, TN_LEVEL_ERROR, "duplicate-tags",
                                 c->file, d->metas[i].wire.offset,
                                 "meta_graphs",
                                 "two meta graphs have the tags '%.*s'",
                                 TN_FMT(d->metas[i].tags));
                break;
            }
}

/* ---- variables ---------------------------------------------------------- */

static bool is_same_variable(const struct tn_tf_object       *object,
                             const struct tn_tf_bundle_entry *entry)
{
    const struct tn_shape *shape = &entry->elements.shape;

    if (tn_tf_dtype(object->type) != shape->dtype)
        return false;
    if (object->shape->unknown_rank)
        return true;
    if (object->shape->rank != shape->rank)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (object->shape->dims[i] >= 0 &&
            (uint64_t)object->shape->dims[i] != shape->dims[i])
            return false;
    return true;
}

static void check_variable(struct tn_tf_checking     *c,
                           const struct tn_tf_bundle *table,
                           const struct tn_tf_object *object, const char *where)
{
    const struct tn_tf_bundle_entry *entry =
        table && object->key.size ? tn_tf_bundle_find(table, object->key)
                                  : NULL;

    if (!object->key.size)
        tn_report_format(c->report, TN_LEVEL_NOTE, "uninitialized-variable",
                         c->file, object->offset, where,
                         "variable '%.*s' has no value in the checkpoint",
                         TN_FMT(object->name));
    else if (!entry)
        tn_report_format(c->report, TN_LEVEL_ERROR, "missing-entry", c->file,
                         object->offset, where,
                         "variable '%.*s': the checkpoint has no '%.*s'",
                         TN_FMT(object->name), TN_FMT(object->key));
    else if (!is_same_variable(object, entry))
        tn_report_format(c->report, TN_LEVEL_ERROR, "variable-mismatch",
                         c->file, object->offset, where,
                         "variable '%.*s' and '%.*s' differ in type or shape",
                         TN_FMT(object->name), TN_FMT(object->key));
}

static void check_objects(struct tn_tf_checking     *c,
                          const struct tn_tf_meta   *meta,
                          const struct tn_tf_bundle *table)
{
    struct tn_tf_objects objects;
    char                 where[80];

    if (!meta->object_graph.length ||
        tn_tf_objects_read(&objects, meta->object_graph, table, &c->arena,
                           c->error) != TN_OK)
        return;
    for (uint32_t i = 0; i < objects.count && !c->report->is_stopped; i++) {
        if (!objects.items[i].is_variable)
            continue;
        snprintf(where, sizeof where, "object_graph_def.nodes[%" PRIu32 "]", i);
        check_variable(c, table, &objects.items[i], where);
    }
}

static bool is_variable_op(struct tn_bytes type)
{
    return tn_bytes_equal(type, tn_text("VarHandleOp")) ||
           tn_bytes_equal(type, tn_text("VariableV2")) ||
           tn_bytes_equal(type, tn_text("Variable"));
}

/* The model has variables and the folder has no values: TensorFlow loads that
 * and fails at the first read. An initializer may set them, so this is a
 * warning. The folder of a stream is unknown. */
static bool lacks_checkpoint(struct tn_tf_checking *c)
{
    uint64_t count = 0;

    if (tn_tf_detail_of(c->model)->table || !tn_bundle_has_folder(c->bundle))
        return false;
    for (uint32_t i = 0; i < tn_model_op_kind_count(c->model); i++)
        if (is_variable_op(tn_model_op_kind(c->model, i)->type))
            count += tn_model_op_kind(c->model, i)->count;
    if (count > 0)
        tn_report_format(c->report, TN_LEVEL_WARNING, "missing-checkpoint",
                         c->file, TN_NOWHERE, "",
                         "there is no file \"variables/variables.index\" with "
                         "the values of %" PRIu64 " variable%s",
                         count, count == 1 ? "" : "s");
    return count > 0;
}

/* Computes the checksums of the entries of a table on several threads. */
struct summing {
    const struct tn_tf_bundle *table;
    struct tn_memory          *memory;
    uint8_t                   *is_bad; /* by entry                           */
};

static enum tn_status sum_entry(void *context, uint64_t index,
                                struct tn_error *error)
{
    struct summing *s   = context;
    struct tn_error own = TN_ERROR_INIT;

    tn_tf_bundle_check_entry(tn_tf_bundle_entry(s->table, index), s->memory,
                             &own);
    s->is_bad[index] = tn_failed(&own);
    if (tn_machine_failed(&own))
        *error = own;
    return error->status;
}

static uint64_t entry_size(const struct tn_tf_bundle_entry *entry)
{
    uint64_t size = entry->data.length;

    for (uint64_t k = 0; k < entry->piece_count; k++)
        size += entry->pieces[k]->data.length;
    return size;
}

/* Once more, on one thread and in order, to get the message. */
static void complain_of_entry(struct tn_tf_checking           *c,
                              const struct tn_tf_bundle_entry *entry)
{
    struct tn_error own = TN_ERROR_INIT;

    tn_tf_bundle_check_entry(entry, c->model->memory, &own);
    if (tn_machine_failed(&own)) {
        *c->error = own;
        return;
    }
    if (!tn_failed(&own)) /* the file changed meanwhile */
        return;
    if (!own.where[0])
        tn_error_where(&own, "%.*s", TN_FMT(entry->key));
    tn_report_add(c->report, TN_LEVEL_ERROR, "bad-checksum", &own);
}

static void check_data(struct tn_tf_checking     *c,
                       const struct tn_tf_bundle *table)
{
    uint64_t       count = tn_tf_bundle_count(table);
    struct summing s     = { table, c->model->memory, NULL };

    if (count == 0)
        return;
    s.is_bad = tn_memory_resize(s.memory, NULL, 0, count, c->error);
    if (s.is_bad)
        tn_workers_run(c->report->workers, count, sum_entry, &s, c->error);
    for (uint64_t i = 0; i < count && !tn_failed(c->error); i++) {
        const struct tn_tf_bundle_entry *entry = tn_tf_bundle_entry(table, i);
        if (c->report->is_stopped)
            break;
        if (s.is_bad[i])
            complain_of_entry(c, entry);
        else
            c->report->bytes_verified += entry_size(entry);
    }
    tn_memory_free(s.memory, s.is_bad, s.is_bad ? count : 0);
}

static void check_table(struct tn_tf_checking     *c,
                        const struct tn_tf_bundle *table)
{
    if (table->unused)
        tn_report_format(
            c->report, TN_LEVEL_WARNING, "unused-slice", table->index->name, 0,
            "", "%" PRIu64 " slices belong to no tensor", table->unused);
    if (!c->report->skip_data)
        check_data(c, table);
}

/* A merged message was checked when it was joined, and a file of another name
 * does not belong to the folder. */
static void check_fingerprint(struct tn_tf_checking *c)
{
    const struct tn_tf_detail *d      = tn_tf_detail_of(c->model);
    struct tn_bundle          *bundle = c->bundle;

    if (bundle->is_folder || tn_text_ends_with(bundle->name, ".cpb") ||
        (bundle->main && strcmp(bundle->name, "saved_model.pb") != 0 &&
         strcmp(bundle->name, "saved_model.pbtxt") != 0))
        return;
    bool is_text = tn_text_ends_with(d->model_file, ".pbtxt") ||
                   tn_text_ends_with(bundle->name, ".pbtxt");
    struct tn_tf_fingerprinted what = {
        .bundle     = bundle,
        .message    = d->message,
        .no_formula = is_text ? "there is no formula for models in text form" : NULL,
    };
    tn_tf_check_fingerprint(&what, c->report, c->error);
}

enum tn_status tn_tf_check_saved_model(struct tn_bundle      *bundle,
                                       const struct tn_model *model,
                                       struct tn_report      *report,
                                       struct tn_error       *error)
{
    const struct tn_tf_detail *d = tn_tf_detail_of(model);
    struct tn_tf_checking      c;
    bool is_folder = tn_is_of_format(model, &tn_format_tf_saved_model);

    checking_init(&c, bundle, model, report, error);
    if (is_folder && d->schema_version != 1)
        tn_report_format(report, TN_LEVEL_WARNING, "schema-version", c.file, 0,
                         "saved_model_schema_version",
                         "version %" PRId64 ", not 1", d->schema_version);
    if (d->meta_count == 0)
        tn_report_format(report, TN_LEVEL_ERROR, "no-meta-graph", c.file, 0, "",
                         "there is no graph in it");
    check_tags(&c, d);
    check_graphs(&c);
    bool is_bare = is_folder && lacks_checkpoint(&c);
    for (uint32_t i = 0; i < d->meta_count && !tn_failed(error); i++) {
        check_versions(&c, &d->metas[i].versions, "graph_def.versions",
                       d->metas[i].graph_def.offset);
        check_signatures(&c, &d->metas[i]);
        if (is_folder)
            check_assets(&c, &d->metas[i]);
        if (is_folder && !is_bare)
            check_objects(&c, &d->metas[i], d->table);
    }
    if (d->table && !tn_failed(error))
        check_table(&c, d->table);
    if (is_folder && !tn_failed(error))
        check_fingerprint(&c);
    return checking_done(&c);
}

enum tn_status tn_tf_check_checkpoint(struct tn_bundle      *bundle,
                                      const struct tn_model *model,
                                      struct tn_report      *report,
                                      struct tn_error       *error)
{
    struct tn_tf_checking c;

    checking_init(&c, bundle, model, report, error);
    check_table(&c, tn_tf_detail_of(model)->table);
    return checking_done(&c);
}
