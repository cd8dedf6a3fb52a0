/* onnx_check_graph.c - graphs, functions and training information */
#include <stdio.h>

#include "base/buffer.h"
#include "base/varint.h"
#include "format/onnx/onnx_check.h"

/* Limits of the reference checker. */
#define MOST_FUNCTIONS 10000
#define DEEPEST_CALLS  100

static const struct tn_value *value_of(const struct tn_onnx_checker *ch,
                                       uint32_t graph, struct tn_bytes name)
{
    uint32_t value = tn_model_find_named(ch->model, graph, name);

    return value == TN_NONE ? NULL : tn_model_value_at(ch->model, value);
}

static bool is_defined_here(const struct tn_value *value)
{
    return value && value->kind != TN_VALUE_UNDEFINED &&
           value->kind != TN_VALUE_OUTER;
}

/* ---- inputs and outputs ------------------------------------------------- */

/* One graph, while its fields are walked. */
struct graph_check {
    struct tn_onnx_checker *ch;
    const struct tn_graph  *row;
    uint32_t                graph;
    struct tn_intern        inputs, infos;
    uint32_t                input_count, output_count, info_count, sparse_count;
    uint32_t                annotation_count, node_count;
};

static void read_value(struct tn_cursor c, struct tn_bytes *name,
                       struct tn_cursor *type, bool *has_type)
{
    struct tn_pb_field field;

    *name     = (struct tn_bytes){ NULL, 0 };
    *has_type = false;
    while (tn_pb_next(&c, &field)) {
        if (field.number == VALUE_NAME && field.type == TN_WIRE_LEN)
            *name = tn_pb_text(&field);
        if (field.number == VALUE_TYPE && field.type == TN_WIRE_LEN) {
            *type     = field.body;
            *has_type = true;
        }
    }
}

static void check_input_name(struct graph_check *g, struct tn_bytes name,
                             uint64_t offset, const char *where)
{
    const struct tn_value *value = value_of(g->ch, g->graph, name);

    if (!tn_onnx_is_new(g->ch, &g->inputs, name))
        tn_onnx_complain(g->ch, TN_LEVEL_ERROR, "duplicate-name", offset,
                         TN_ONNX_AT(where), "two inputs are named '%.*s'",
                         TN_FMT(name));
    else if (value && value->kind == TN_VALUE_OUTPUT)
        tn_onnx_complain(
            g->ch, TN_LEVEL_ERROR, "duplicate-name", offset, TN_ONNX_AT(where),
            "'%.*s' is an input and the output of a node", TN_FMT(name));
}

static void check_output_name(struct graph_check *g, struct tn_bytes name,
                              uint64_t offset, const char *where)
{
    if (!is_defined_here(value_of(g->ch, g->graph, name)))
        tn_onnx_complain(
            g->ch, TN_LEVEL_ERROR, "dangling-output", offset, TN_ONNX_AT(where),
            "'%.*s' is an output and not made in this graph", TN_FMT(name));
}

/* Kept, to be compared with what the nodes make. */
static void note_type(struct graph_check *g, const struct tn_pb_field *field,
                      uint32_t index, struct tn_bytes name,
                      struct tn_onnx_declared told)
{
    uint32_t value = tn_model_find_named(g->ch->model, g->graph, name);
    struct tn_onnx_declared *row;

    if (value == TN_NONE)
        return;
    told.value  = value;
    told.field  = (uint8_t)field->number;
    told.index  = index;
    told.offset = field->offset;
    row = tn_list_push(&g->ch->declared, struct tn_onnx_declared, g->ch->error);
    if (row)
        *row = told;
}

static void check_io(struct graph_check *g, struct tn_pb_field *field)
{
    bool             is_input = field->number == GRAPH_INPUT;
    bool             is_main  = g->row->kind == TN_GRAPH_MAIN;
    char             where[TN_ONNX_WHERE];
    struct tn_bytes  name;
    struct tn_cursor type;
    bool             has_type;
    uint32_t         index = is_input ? g->input_count++ : g->output_count++;

    snprintf(where, sizeof where, "%s.%s[%" PRIu32 "]", g->row->path,
             is_input ? "input" : "output", index);
    read_value(field->body, &name, &type, &has_type);
    if (name.size == 0)
        tn_onnx_complain(g->ch, TN_LEVEL_ERROR, "missing-name", field->offset,
                         TN_ONNX_AT(where), "it has no name");
    else if (is_input)
        check_input_name(g, name, field->offset, where);
    else
        check_output_name(g, name, field->offset, where);
    if (has_type)
        note_type(g, field, index, name,
                  tn_onnx_check_type(g->ch, type, TN_ONNX_AT(where), is_main));
    else if (is_main)
        tn_onnx_complain(g->ch, TN_LEVEL_ERROR, "missing-type", field->offset,
                         TN_ONNX_AT(where), "'%.*s' has no type", TN_FMT(name));
}

static void check_info(struct graph_check *g, struct tn_pb_field *field)
{
    char             where[TN_ONNX_WHERE];
    struct tn_bytes  name;
    struct tn_cursor type;
    bool             has_type;

    snprintf(where, sizeof where, "%s.value_info[%" PRIu32 "]", g->row->path,
             g->info_count);
    read_value(field->body, &name, &type, &has_type);
    if (!tn_onnx_is_new(g->ch, &g->infos, name))
        tn_onnx_complain(g->ch, TN_LEVEL_WARNING, "duplicate-name",
                         field->offset, TN_ONNX_AT(where),
                         "'%.*s' is described twice", TN_FMT(name));
    if (has_type)
        note_type(g, field, g->info_count, name,
                  tn_onnx_check_type(g->ch, type, TN_ONNX_AT(where), false));
    g->info_count++;
}

static void check_annotation(struct graph_check *g, struct tn_pb_field *message)
{
    struct tn_cursor   c = message->body;
    char               where[TN_ONNX_WHERE];
    struct tn_bytes    name = { NULL, 0 }, key;
    struct tn_pb_field field;

    snprintf(where, sizeof where, "%s.quantization_annotation[%" PRIu32 "]",
             g->row->path, g->annotation_count++);
    tn_onnx_expect_ir(g->ch, 5, message->offset, TN_ONNX_AT(where),
                      "quantization annotations");
    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == ANNOTATION_TENSOR)
            name = tn_pb_text(&field);
        else if (field.number == ANNOTATION_PARAMETERS)
            tn_onnx_entry_read(&field.body, &key, &name);
        else
            continue;
        if (!value_of(g->ch, g->graph, name))
            tn_onnx_complain(g->ch, TN_LEVEL_WARNING, "dangling-annotation",
                             field.offset, TN_ONNX_AT(where),
                             "there is no '%.*s'", TN_FMT(name));
    }
}

static void check_sparse(struct graph_check *g, struct tn_pb_field *field)
{
    char where[TN_ONNX_WHERE];

    snprintf(where, sizeof where, "%s.sparse_initializer[%" PRIu32 "]",
             g->row->path, g->sparse_count++);
    tn_onnx_expect_ir(g->ch, 6, field->offset, TN_ONNX_AT(where),
                      "sparse tensors");
    tn_onnx_check_sparse(g->ch, field->body, TN_ONNX_AT(where));
}

/* ---- graphs ------------------------------------------------------------- */

static void check_field(struct graph_check *g, struct tn_pb_field *field)
{
    if (field->type != TN_WIRE_LEN)
        return;
    switch (field->number) {
    case GRAPH_INPUT:
    case GRAPH_OUTPUT: check_io(g, field); break;
    case GRAPH_VALUE_INFO: check_info(g, field); break;
    case GRAPH_QUANTIZATION: check_annotation(g, field); break;
    case GRAPH_SPARSE_INITIALIZER: check_sparse(g, field); break;
    default: break;
    }
}

/* Nodes one after the other are skipped at once: opening has noted where each
 * begins, and only a node's own tag and length lie between two of them. */
static void step_over_nodes(struct graph_check *g, struct tn_cursor *c)
{
    const struct tn_model *model = g->ch->model;
    uint64_t               end   = c->offset;

    for (; g->node_count < g->row->op_count; g->node_count++) {
        const struct tn_op *next =
            tn_model_op_at(model, g->row->first_op + g->node_count);
        unsigned head = 1 + tn_varint_size(next->wire_length);
        if (next->wire_offset + next->wire_length == end)
            continue; /* the one at hand */
        if (next->wire_offset < end || next->wire_offset - end != head)
            break;
        end = next->wire_offset + next->wire_length;
    }
    tn_skip(c, end - c->offset);
}

static void check_graph(struct tn_onnx_checker *ch, uint32_t graph)
{
    struct graph_check g = { .ch    = ch,
                             .row   = tn_model_graph_at(ch->model, graph),
                             .graph = graph };
    struct tn_span     piece;
    struct tn_pb_field field;

    if (tn_model_name(ch->model, g.row->name).size == 0)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-name", g.row->wire.offset,
                         TN_ONNX_AT(g.row->path), "the graph has no name");
    tn_intern_init(&g.inputs, &ch->arena);
    tn_intern_init(&g.infos, &ch->arena);
    for (uint64_t i = 0; tn_onnx_graph_piece(ch->model, graph, i, &piece);
         i++) {
        struct tn_error  failure = TN_ERROR_INIT;
        struct tn_cursor c       = tn_cursor_span(piece, &failure);
        while (!ch->report->is_stopped && tn_pb_next(&c, &field)) {
            if (field.number == GRAPH_NODE)
                step_over_nodes(&g, &c);
            else
                check_field(&g, &field);
        }
        tn_onnx_complain_error(ch, &failure, TN_ONNX_AT(g.row->path));
    }
    tn_intern_done(&g.infos);
    tn_intern_done(&g.inputs);
}

/* ---- names across graphs ------------------------------------------------ */

/* The node of graph `outer` that `graph` lies in, at whatever depth. */
static uint32_t node_around(const struct tn_model *model, uint32_t graph,
                            uint32_t outer)
{
    const struct tn_graph *g = tn_model_graph_at(model, graph);

    while (g->parent_graph != outer && g->parent_graph != TN_NONE)
        g = tn_model_graph_at(model, g->parent_graph);
    if (g->parent_graph == TN_NONE || g->parent_node == TN_NONE)
        return TN_NONE;
    return tn_model_graph_at(model, outer)->first_op + g->parent_node;
}

/* What an enclosing graph defines under that name, or NULL. */
static const struct tn_value *defined_outside(const struct tn_model *model,
                                              const struct tn_value *inner)
{
    uint32_t graph = tn_model_graph_at(model, inner->graph)->parent_graph;

    for (; graph != TN_NONE;
         graph = tn_model_graph_at(model, graph)->parent_graph) {
        uint32_t outer = tn_model_find_value(model, graph, inner->name);
        if (outer != TN_NONE &&
            is_defined_here(tn_model_value_at(model, outer)))
            return tn_model_value_at(model, outer);
    }
    return NULL;
}

/* An outer value that is made at or after the node around us. */
static bool comes_later(const struct tn_model *model,
                        const struct tn_value *inner,
                        const struct tn_value *outer)
{
    uint32_t around = node_around(model, inner->graph, outer->graph);

    return outer->kind == TN_VALUE_OUTPUT && around != TN_NONE &&
           outer->producer >= around;
}

static void check_nested_value(struct tn_onnx_checker *ch,
                               const struct tn_value  *value)
{
    const struct tn_graph *graph = tn_model_graph_at(ch->model, value->graph);
    const struct tn_value *outer;

    if (graph->parent_graph == TN_NONE || value->kind == TN_VALUE_UNDEFINED)
        return;
    outer = defined_outside(ch->model, value);
    if (!outer)
        return;
    if (value->kind == TN_VALUE_OUTER && comes_later(ch->model, value, outer))
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "not-topological",
                         graph->wire.offset, TN_ONNX_AT(graph->path),
                         "'%.*s' of an outer graph is used before it is made",
                         TN_FMT(tn_model_name(ch->model, value->name)));
    if (value->kind == TN_VALUE_OUTPUT && !comes_later(ch->model, value, outer))
        tn_onnx_complain(
            ch, TN_LEVEL_ERROR, "redefined-name",
            tn_model_op_at(ch->model, value->producer)->wire_offset,
            &(struct tn_onnx_place){ NULL, value->producer, TN_NONE },
            "'%.*s' is defined in an outer graph already",
            TN_FMT(tn_model_name(ch->model, value->name)));
}

static void check_nested_values(struct tn_onnx_checker *ch)
{
    for (uint64_t i = 0; i < ch->model->values.count; i++) {
        if (ch->report->is_stopped)
            return;
        check_nested_value(ch,
                           tn_list_at(&ch->model->values, struct tn_value, i));
    }
}

/* ---- functions ---------------------------------------------------------- */

struct function {
    struct tn_bytes  name, domain, overload;
    bool             has_domain;
    uint64_t         begin;
    const char      *path;
    struct tn_intern inputs, outputs, attributes;
};

static void expect_new(struct tn_onnx_checker *ch, struct function *f,
                       struct tn_intern *seen, struct tn_bytes name,
                       uint64_t offset, const char *what)
{
    if (!tn_onnx_is_new(ch, seen, name))
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "duplicate-name", offset,
                         TN_ONNX_AT(f->path), "two %s are named '%.*s'", what,
                         TN_FMT(name));
}

static void check_default(struct tn_onnx_checker *ch, struct function *f,
                          struct tn_pb_field *message)
{
    struct tn_cursor   c    = message->body;
    struct tn_bytes    name = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == ATTR_NAME && field.type == TN_WIRE_LEN)
            name = tn_pb_text(&field);
    expect_new(ch, f, &f->attributes, name, message->offset, "attributes");
    tn_onnx_expect_ir(ch, 9, message->offset, TN_ONNX_AT(f->path),
                      "defaults of function attributes");
    tn_onnx_check_attribute(ch, message->body, TN_ONNX_AT(f->path), true);
}

static void check_function_field(struct tn_onnx_checker *ch, struct function *f,
                                 struct tn_pb_field *field)
{
    if (field->type != TN_WIRE_LEN)
        return;
    switch (field->number) {
    case FUNCTION_NAME: f->name = tn_pb_text(field); break;
    case FUNCTION_OVERLOAD: f->overload = tn_pb_text(field); break;
    case FUNCTION_DOMAIN:
        f->domain     = tn_pb_text(field);
        f->has_domain = true;
        break;
    case FUNCTION_INPUT:
        expect_new(ch, f, &f->inputs, tn_pb_text(field), field->offset,
                   "inputs");
        break;
    case FUNCTION_OUTPUT:
        expect_new(ch, f, &f->outputs, tn_pb_text(field), field->offset,
                   "outputs");
        break;
    case FUNCTION_ATTRIBUTE:
        expect_new(ch, f, &f->attributes, tn_pb_text(field), field->offset,
                   "attributes");
        break;
    case FUNCTION_ATTRIBUTE_PROTO: check_default(ch, f, field); break;
    default: break;
    }
}

/* "domain\0name\0overload" names a function. */
static void add_function(struct tn_onnx_checker *ch, uint32_t graph,
                         const struct function *f)
{
    struct tn_buffer key;

    tn_buffer_init(&key, ch->model->memory, ch->error);
    tn_buffer_add(&key, tn_onnx_domain(f->domain));
    tn_buffer_byte(&key, 0);
    tn_buffer_add(&key, f->name);
    tn_buffer_byte(&key, 0);
    tn_buffer_add(&key, f->overload);
    bool is_new = tn_onnx_is_new(ch, &ch->functions, tn_buffer_bytes(&key));
    uint32_t *slot =
        is_new ? tn_list_push(&ch->function_graphs, uint32_t, ch->error) : NULL;
    if (slot) {
        *slot               = graph;
        ch->ordinals[graph] = (uint32_t)ch->function_graphs.count - 1;
    }
    if (!is_new)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "duplicate-function", f->begin,
                         TN_ONNX_AT(f->path), "'%.*s' is defined twice",
                         TN_FMT(f->name));
    tn_buffer_done(&key);
}

static void check_function_head(struct tn_onnx_checker *ch,
                                const struct function  *f)
{
    if (f->name.size == 0)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-name", f->begin,
                         TN_ONNX_AT(f->path), "the function has no name");
    if (!f->has_domain)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-domain", f->begin,
                         TN_ONNX_AT(f->path), "the function has no domain");
    else if (tn_intern_find(&ch->imports, tn_onnx_domain(f->domain)) ==
             TN_NO_NAME)
        tn_onnx_complain(ch, TN_LEVEL_WARNING, "unknown-domain", f->begin,
                         TN_ONNX_AT(f->path),
                         "the model does not import the domain '%.*s' of this "
                         "function",
                         TN_FMT(f->domain));
}

static void check_function_outputs(struct tn_onnx_checker *ch, uint32_t graph)
{
    const struct tn_graph *g = tn_model_graph_at(ch->model, graph);

    for (uint32_t i = 0; i < g->outputs.count; i++) {
        struct tn_bytes name = g->outputs.items[i].name;
        if (name.size && !is_defined_here(value_of(ch, graph, name)))
            tn_onnx_complain(ch, TN_LEVEL_ERROR, "dangling-output",
                             g->wire.offset, TN_ONNX_AT(g->path),
                             "'%.*s' is an output and never made",
                             TN_FMT(name));
    }
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const struct tn_value *value =
            value_of(ch, graph, g->inputs.items[i].name);
        if (value && value->kind == TN_VALUE_OUTPUT)
            tn_onnx_complain(ch, TN_LEVEL_ERROR, "duplicate-name",
                             g->wire.offset, TN_ONNX_AT(g->path),
                             "'%.*s' is an input and the output of a node",
                             TN_FMT(g->inputs.items[i].name));
    }
}

static void check_function(struct tn_onnx_checker *ch, uint32_t graph)
{
    const struct tn_graph *row     = tn_model_graph_at(ch->model, graph);
    struct tn_error        failure = TN_ERROR_INIT;
    struct tn_cursor       c       = tn_cursor_span(row->wire, &failure);
    struct function        f = { .begin = row->wire.offset, .path = row->path };
    struct tn_pb_field     field;

    tn_intern_init(&f.inputs, &ch->arena);
    tn_intern_init(&f.outputs, &ch->arena);
    tn_intern_init(&f.attributes, &ch->arena);
    while (tn_pb_next(&c, &field))
        check_function_field(ch, &f, &field);
    tn_onnx_complain_error(ch, &failure, TN_ONNX_AT(row->path));
    check_function_head(ch, &f);
    check_function_outputs(ch, graph);
    add_function(ch, graph, &f);
    tn_intern_done(&f.attributes);
    tn_intern_done(&f.outputs);
    tn_intern_done(&f.inputs);
}

/* ---- calls -------------------------------------------------------------- */

/* Removes functions that call no other (any more) until none is left; those
 * that remain call themselves.  Depths are counted on the way. */
struct call_graph {
    struct tn_onnx_checker *ch;
    uint32_t                count;
    uint32_t *first; /* by callee: its calls in `sorted`; one more at the end */
    uint32_t *callers; /* grouped by callee                                 */
    uint32_t *left;    /* by caller: calls not yet removed                  */
    uint32_t *depth;   /* longest chain below                               */
    uint32_t *queue;
};

static void group_calls(struct call_graph *g)
{
    const struct tn_list *calls = &g->ch->calls;

    for (uint64_t i = 0; i < calls->count; i++)
        g->first[tn_list_at(calls, struct tn_onnx_call, i)->to + 1]++;
    for (uint32_t i = 0; i < g->count; i++)
        g->first[i + 1] += g->first[i];
    for (uint64_t i = 0; i < calls->count; i++) {
        const struct tn_onnx_call *call =
            tn_list_at(calls, struct tn_onnx_call, i);
        g->left[call->from]++;
        /* `queue` counts how many callers each has so far. */
        g->callers[g->first[call->to] + g->queue[call->to]++] = call->from;
    }
}

static void remove_calls(struct call_graph *g)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < g->count; i++)
        if (g->left[i] == 0)
            g->queue[tail++] = i;
    while (head < tail) {
        uint32_t callee = g->queue[head++];
        for (uint32_t i = g->first[callee]; i < g->first[callee + 1]; i++) {
            uint32_t caller = g->callers[i];
            if (g->depth[caller] < g->depth[callee] + 1)
                g->depth[caller] = g->depth[callee] + 1;
            if (--g->left[caller] == 0)
                g->queue[tail++] = caller;
        }
    }
}

static void report_calls(struct call_graph *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t graph = *tn_list_at(&g->ch->function_graphs, uint32_t, i);
        const struct tn_graph *row = tn_model_graph_at(g->ch->model, graph);
        if (g->left[i])
            tn_onnx_complain(g->ch, TN_LEVEL_ERROR, "recursive-function",
                             row->wire.offset, TN_ONNX_AT(row->path),
                             "the function ends up calling itself");
        else if (g->depth[i] > DEEPEST_CALLS)
            tn_onnx_complain(g->ch, TN_LEVEL_ERROR, "deep-calls",
                             row->wire.offset, TN_ONNX_AT(row->path),
                             "calls nest %" PRIu32 " deep, the limit is %d",
                             g->depth[i], DEEPEST_CALLS);
    }
}

static void check_calls(struct tn_onnx_checker *ch)
{
    struct call_graph g = { .ch    = ch,
                            .count = (uint32_t)ch->function_graphs.count };

    if (ch->calls.count == 0)
        return;
    g.first   = tn_new(&ch->arena, uint32_t, g.count + UINT64_C(1), ch->error);
    g.callers = tn_new(&ch->arena, uint32_t, ch->calls.count, ch->error);
    g.left    = tn_new(&ch->arena, uint32_t, g.count, ch->error);
    g.depth   = tn_new(&ch->arena, uint32_t, g.count, ch->error);
    g.queue   = tn_new(&ch->arena, uint32_t, g.count, ch->error);
    if (tn_failed(ch->error))
        return;
    group_calls(&g);
    remove_calls(&g);
    report_calls(&g);
}

/* ---- training information ----------------------------------------------- */

struct training {
    struct tn_onnx_checker *ch;
    const char             *where;
    uint32_t                initialization, algorithm; /* graphs             */
    uint32_t                next;    /* graph that may be the next one's     */
    struct tn_intern        made[2]; /* outputs of the two graphs            */
    struct tn_intern       *bound;   /* over all of them                     */
};

/* Opening made a row for the first piece of each, in the order of the file:
 * the walk here meets them in that order again. */
static uint32_t next_training_graph(struct training *t)
{
    const struct tn_model *model = t->ch->model;

    while (t->next < model->graphs.count &&
           tn_model_graph_at(model, t->next)->kind != TN_GRAPH_OTHER)
        t->next++;
    return t->next < model->graphs.count ? t->next++ : TN_NONE;
}

static bool is_initializer(struct tn_onnx_checker *ch, uint32_t graph,
                           struct tn_bytes name)
{
    const struct tn_value *value =
        graph == TN_NONE ? NULL : value_of(ch, graph, name);

    return value && (value->kind == TN_VALUE_INITIALIZER ||
                     value->kind == TN_VALUE_INPUT);
}

static void note_outputs(struct training *t, struct tn_intern *made,
                         uint32_t graph)
{
    tn_intern_init(made, &t->ch->arena);
    if (graph == TN_NONE)
        return;
    struct tn_io_list outputs = tn_model_graph_at(t->ch->model, graph)->outputs;
    for (uint32_t i = 0; i < outputs.count; i++)
        tn_intern_borrow(made, outputs.items[i].name, t->ch->error);
}

static void check_binding(struct training *t, struct tn_pb_field *field)
{
    bool            is_update = field->number == TRAINING_UPDATE_BINDING;
    struct tn_bytes key, value;

    tn_onnx_entry_read(&field->body, &key, &value);
    if (!is_initializer(t->ch, 0, key) &&
        !is_initializer(t->ch, t->algorithm, key))
        tn_onnx_complain(t->ch, TN_LEVEL_WARNING, "dangling-binding",
                         field->offset, TN_ONNX_AT(t->where),
                         "there is no initializer '%.*s'", TN_FMT(key));
    if (tn_intern_find(&t->made[is_update], value) == TN_NO_NAME)
        tn_onnx_complain(t->ch, TN_LEVEL_WARNING, "dangling-binding",
                         field->offset, TN_ONNX_AT(t->where),
                         "there is no output '%.*s'", TN_FMT(value));
    if (is_update && !tn_onnx_is_new(t->ch, t->bound, key))
        tn_onnx_complain(t->ch, TN_LEVEL_WARNING, "duplicate-binding",
                         field->offset, TN_ONNX_AT(t->where),
                         "'%.*s' is updated twice", TN_FMT(key));
}

static void find_graphs(struct training *t, struct tn_cursor c)
{
    struct tn_pb_field field;

    t->initialization = t->algorithm = TN_NONE;
    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == TRAINING_INITIALIZATION &&
            t->initialization == TN_NONE)
            t->initialization = next_training_graph(t);
        else if (field.number == TRAINING_ALGORITHM && t->algorithm == TN_NONE)
            t->algorithm = next_training_graph(t);
    }
}

static void check_training(struct training *t, struct tn_cursor body)
{
    struct tn_pb_field field;

    find_graphs(t, body);
    note_outputs(t, &t->made[0], t->initialization);
    note_outputs(t, &t->made[1], t->algorithm);
    if (t->initialization != TN_NONE &&
        tn_model_graph_at(t->ch->model, t->initialization)->inputs.count)
        tn_onnx_complain(t->ch, TN_LEVEL_WARNING, "initialization-input",
                         body.offset, TN_ONNX_AT(t->where),
                         "the initialization graph has inputs");
    while (tn_pb_next(&body, &field))
        if (field.type == TN_WIRE_LEN &&
            (field.number == TRAINING_INIT_BINDING ||
             field.number == TRAINING_UPDATE_BINDING))
            check_binding(t, &field);
    tn_intern_done(&t->made[0]);
    tn_intern_done(&t->made[1]);
}

static void check_trainings(struct tn_onnx_checker *ch)
{
    struct tn_error    failure = TN_ERROR_INIT;
    struct tn_cursor   c       = tn_cursor_span(ch->model->wire, &failure);
    struct tn_intern   bound;
    char               where[TN_ONNX_WHERE];
    struct training    t     = { .ch = ch, .where = where, .bound = &bound };
    uint32_t           count = 0;
    struct tn_pb_field field;

    tn_intern_init(&bound, &ch->arena);
    while (tn_pb_next(&c, &field)) {
        if (field.number != MODEL_TRAINING || field.type != TN_WIRE_LEN)
            continue;
        snprintf(where, sizeof where, "training_info[%" PRIu32 "]", count++);
        check_training(&t, field.body);
    }
    tn_onnx_complain_error(ch, &failure, TN_ONNX_AT("training_info"));
    tn_intern_done(&bound);
}

/* ---- from the top ------------------------------------------------------- */

void tn_onnx_check_graphs(struct tn_onnx_checker *ch)
{
    for (uint32_t i = 0; i < ch->model->graphs.count; i++) {
        if (ch->report->is_stopped || tn_failed(ch->error))
            return;
        if (tn_model_graph_at(ch->model, i)->kind == TN_GRAPH_FUNCTION)
            check_function(ch, i);
        else
            check_graph(ch, i);
    }
}

void tn_onnx_check_bodies(struct tn_onnx_checker *ch)
{
    for (uint32_t i = 0; i < ch->model->graphs.count; i++)
        tn_onnx_check_nodes(ch, i);
    check_nested_values(ch);
}

void tn_onnx_check_functions(struct tn_onnx_checker *ch)
{
    if (ch->function_graphs.count > MOST_FUNCTIONS)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "many-functions", TN_NOWHERE,
                         TN_ONNX_AT("functions"),
                         "%" PRIu64 " functions, the limit is %d",
                         ch->function_graphs.count, MOST_FUNCTIONS);
    check_calls(ch);
    check_trainings(ch);
}

/* ---- how values pass into graphs that nodes run, and out of them --------- */

/*
 *   If           nothing goes in; results are the outputs of either branch
 *   Loop         iteration number, condition and carried values go in;
 *                condition, carried values and rows of scan outputs come
 *                out.  Shapes of carried values may change from one
 *                iteration to the next
 *   Scan         states, and slices of scan inputs, which have one axis less
 *   SequenceMap  elements of sequences
 *   functions    arguments as they are
 */

/* The number of scan inputs that a Scan names; UINT32_MAX if it cannot be told.
 */
static uint32_t count_scan_inputs(const struct tn_model *model, uint32_t op)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    uint32_t                    count = UINT32_MAX;

    if (tn_attr_find(&attr, model, op, "num_scan_inputs", &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_INT && !value->is_list &&
            value->of.ints[0] >= 0 && value->of.ints[0] < UINT32_MAX)
            count = (uint32_t)value->of.ints[0];
    }
    tn_attr_close(attr);
    return count;
}

static bool pass_loop(const struct tn_crossing *c, uint32_t inputs,
                      uint32_t condition, struct tn_passing *to)
{
    uint32_t carried = inputs < 2 ? 0 : inputs - 2;

    if (!c->is_output && c->index >= 2) {
        to->number     = c->index;
        to->has_rank   = true;
        to->is_carried = true;
    } else if (!c->is_output && c->index == 1 && condition != TN_NONE) {
        to->number   = 1;
        to->has_rank = true;
    } else if (!c->is_output) {
        to->type = TN_TYPE(c->index ? TN_BOOL : TN_INT64, TN_WRAP_NONE);
        to->rank = TN_RANK(0);
    } else if (c->index == 0) {
        to->type = TN_TYPE(TN_BOOL, TN_WRAP_NONE);
    } else {
        to->number   = c->index - 1;
        to->has_rank = true;
        if (to->number < carried)
            to->start = to->number + 2;
        else
            to->deeper = -1; /* of scan outputs it gives a row */
    }
    return true;
}

/* The first version has batches, and their lengths in front. */
static bool pass_scan(struct tn_onnx_checker *ch, const struct tn_crossing *c,
                      uint32_t inputs, struct tn_passing *to)
{
    uint32_t first = c->kind->since < 9 ? 1 : 0;
    uint32_t scans, states;

    if (ch->scan_op != c->op) {
        ch->scan_op     = c->op;
        ch->scan_inputs = count_scan_inputs(ch->model, c->op);
    }
    scans = ch->scan_inputs;
    if (inputs < first || scans > inputs - first)
        return false;
    states       = inputs - first - scans;
    to->has_rank = true;
    to->deeper   = (int8_t)(c->index < states ? 0 : -1);
    if (first)
        to->deeper--;
    to->number = c->is_output ? c->index : c->index + first;
    if (c->is_output && c->index < states)
        to->start = c->index;
    return true;
}

bool tn_onnx_pass(struct tn_onnx_checker *ch, const struct tn_crossing *c,
                  struct tn_passing *to)
{
    const struct tn_op *row    = tn_model_op_at(ch->model, c->op);
    uint32_t            inputs = row->input_count;

    if (tn_model_graph_at(ch->model, c->graph)->kind == TN_GRAPH_FUNCTION ||
        (c->kind && tn_bytes_is(c->kind->name, "If") && c->is_output)) {
        to->number   = c->index;
        to->has_rank = true;
        return true;
    }
    if (!c->kind)
        return false;
    if (tn_bytes_is(c->kind->name, "Loop"))
        return pass_loop(c, inputs, tn_op_input(ch->model, c->op, 1), to);
    if (tn_bytes_is(c->kind->name, "Scan"))
        return pass_scan(ch, c, inputs, to);
    if (!tn_bytes_is(c->kind->name, "SequenceMap"))
        return false;
    to->number     = c->index;
    to->is_element = true;
    to->has_rank   = !c->is_output;
    return true;
}

uint32_t tn_onnx_callee(const struct tn_onnx_checker *ch, uint32_t op,
                        uint32_t number)
{
    return number || !ch->callees.count ? TN_NONE
                                        : tn_pairs_find(&ch->callees, op, 0);
}

/* ---- how many ----------------------------------------------------------- */

struct arity {
    uint32_t inputs, outputs; /* that the graph must have */
};

/* False if the op is not known to run graphs. */
static bool find_arity(const struct tn_onnx_checker *ch, uint32_t op,
                       struct arity *to)
{
    const struct tn_op *row  = tn_model_op_at(ch->model, op);
    struct tn_bytes     type = tn_model_name(ch->model, row->type);
    int64_t             version;

    if (tn_onnx_domain(tn_model_name(ch->model, row->domain)).size ||
        !tn_onnx_imported(ch, ch->roots[row->graph], TN_NO_NAME, &version))
        return false;
    *to = (struct arity){ row->input_count, row->output_count };
    if (tn_bytes_is(type, "If")) {
        to->inputs = 0;
    } else if (tn_bytes_is(type, "Loop")) {
        to->inputs = row->input_count < 2 ? 2 : row->input_count;
        to->outputs++;
    } else if (tn_bytes_is(type, "Scan")) {
        to->inputs -= version < 9 && to->inputs ? 1 : 0;
    } else {
        return tn_bytes_is(type, "SequenceMap");
    }
    return true;
}

static void expect_count(struct tn_onnx_checker *ch, uint32_t op,
                         uint32_t graph, const char *word, uint32_t found,
                         uint32_t wanted)
{
    const struct tn_op    *row = tn_model_op_at(ch->model, op);
    const struct tn_graph *g   = tn_model_graph_at(ch->model, graph);

    if (found != wanted)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "argument-count", g->wire.offset,
                         TN_ONNX_AT(g->path),
                         "%" PRIu32 " %s, the %.*s around it needs %" PRIu32,
                         found, word,
                         TN_FMT(tn_model_name(ch->model, row->type)), wanted);
}

static void check_call(struct tn_onnx_checker *ch, uint32_t op, uint32_t graph)
{
    const struct tn_op    *row = tn_model_op_at(ch->model, op);
    const struct tn_graph *g   = tn_model_graph_at(ch->model, graph);

    if (row->input_count > g->inputs.count ||
        row->output_count > g->outputs.count)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "argument-count", row->wire_offset,
                         &(struct tn_onnx_place){ NULL, op, TN_NONE },
                         "%" PRIu32 " inputs and %" PRIu32
                         " outputs, the function has %" PRIu32 " and %" PRIu32,
                         row->input_count, row->output_count, g->inputs.count,
                         g->outputs.count);
}

void tn_onnx_check_arity(struct tn_onnx_checker *ch)
{
    const struct tn_model *model = ch->model;
    struct arity           arity;

    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *g = tn_model_graph_at(model, i);
        uint32_t               op;
        if (ch->report->is_stopped)
            return;
        if (g->kind != TN_GRAPH_SUBGRAPH || g->parent_graph == TN_NONE ||
            g->parent_node == TN_NONE)
            continue;
        op = tn_model_graph_at(model, g->parent_graph)->first_op +
             g->parent_node;
        if (!find_arity(ch, op, &arity))
            continue;
        expect_count(ch, op, i, "inputs", g->inputs.count, arity.inputs);
        expect_count(ch, op, i, "outputs", g->outputs.count, arity.outputs);
    }
    for (uint32_t op = 0;
         ch->callees.count && op < model->ops.count && !ch->report->is_stopped;
         op++) {
        uint32_t graph = tn_onnx_callee(ch, op, 0);
        if (graph != TN_NONE)
            check_call(ch, op, graph);
    }
}
