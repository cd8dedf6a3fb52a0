/*
 * tf_graph_read.c - GraphDef: its nodes, its functions
 *
 *   GraphDef     1 node  2 library  3 version  4 versions {1, 2}  5 debug_info
 *   library      1 function
 *   FunctionDef  1 signature {1 name, 2 input_arg, 3 output_arg}  3 node_def
 *                4 ret {1 output_arg's name, 2 reference}
 *
 * One walk, in the order of the file; libraries are queued until their graph
 * is complete, so that the nodes of a graph are neighbours.  An op has one
 * output in the tables, called as the op is: what "node:K" names is made when
 * somebody refers to it.
 */
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_reader.h"

/* ---- references that are no names ---------------------------------------- */

/* "node:3" is what the op called "node" gives. */
static void resolve_values(struct tn_tf_reader *reader)
{
    struct tn_model *model = reader->model;
    bool             is_body =
        tn_model_graph_at(model, reader->graph)->kind == TN_GRAPH_FUNCTION;

    for (uint64_t i = reader->first_value; i < model->values.count; i++) {
        struct tn_value *value = tn_list_at(&model->values, struct tn_value, i);
        if (value->kind != TN_VALUE_UNDEFINED)
            continue;
        struct tn_tf_ref ref =
            tn_tf_ref_parse(tn_model_name(model, value->name), is_body);
        uint32_t name = tn_intern_find(&model->names, ref.node);
        if (name == TN_NO_NAME || name == value->name)
            continue;
        uint32_t base = tn_model_find_value(model, reader->graph, name);
        if (base == TN_NONE)
            continue;
        const struct tn_value *of = tn_model_value_at(model, base);
        if (of->kind != TN_VALUE_UNDEFINED)
            tn_model_define(model, (uint32_t)i, (enum tn_value_kind)of->kind,
                            of->producer, ref.output);
    }
    reader->first_value = (uint32_t)model->values.count;
}

/* ---- functions ---------------------------------------------------------- */

struct function {
    struct tn_list   inputs;  /* struct tn_io                                */
    struct tn_list   outputs; /* struct tn_io: .key is the argument's name   */
    struct tn_intern keys;    /* of `ret`                                     */
    struct tn_list   returns; /* struct tn_bytes: its values, by key          */
};

static void read_arg(struct tn_tf_reader *reader, struct tn_list *to,
                     struct tn_cursor *c)
{
    struct tn_io      *end = tn_list_push(to, struct tn_io, reader->error);
    struct tn_pb_field field;

    if (!end)
        return;
    end->note = "";
    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            end->key = end->name = tn_pb_text(&field);
        else if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            end->dtype = tn_tf_dtype(field.value);
        else if (field.number == 5 || field.number == 6)
            end->note = "list"; /* number_attr, type_list_attr */
    }
}

static void read_signature(struct tn_tf_reader *reader, struct function *f,
                           struct tn_cursor *c)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number < 1 || field.number > 3 ||
            !tn_pb_expect(c, &field, TN_WIRE_LEN))
            continue;
        if (field.number == 1)
            tn_model_graph_at(reader->model, reader->graph)->name =
                tn_intern_borrow(&reader->model->names, tn_pb_text(&field),
                                 reader->error);
        else
            read_arg(reader, field.number == 2 ? &f->inputs : &f->outputs,
                     &field.body);
    }
}

/* Of entries with the same key the last one counts. */
static void read_return(struct tn_tf_reader *reader, struct function *f,
                        struct tn_cursor *c)
{
    struct tn_bytes    key = { NULL, 0 }, value = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            key = tn_pb_text(&field);
        else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            value = tn_pb_text(&field);
    }
    uint32_t id = tn_intern_borrow(&f->keys, key, reader->error);
    if (id == TN_NO_NAME ||
        (id == f->returns.count &&
         !tn_list_push(&f->returns, struct tn_bytes, reader->error)))
        return;
    *tn_list_at(&f->returns, struct tn_bytes, id) = value;
}

static struct tn_io_list keep_ends(struct tn_tf_reader  *reader,
                                   const struct tn_list *list)
{
    struct tn_io *ends =
        tn_list_keep(list, struct tn_io, &reader->model->arena, reader->error);

    return (struct tn_io_list){ ends ? (uint32_t)list->count : 0, ends };
}

/* The reference that gives an output. */
static struct tn_bytes return_of(const struct function *f, struct tn_bytes key)
{
    uint32_t id = tn_intern_find(&f->keys, key);

    if (id >= f->returns.count)
        return (struct tn_bytes){ NULL, 0 };
    return *tn_list_at(&f->returns, struct tn_bytes, id);
}

static void finish_function(struct tn_tf_reader *reader, struct function *f)
{
    struct tn_model *model = reader->model;

    for (uint64_t i = 0; i < f->outputs.count; i++) {
        struct tn_io *end = tn_list_at(&f->outputs, struct tn_io, i);
        end->name         = return_of(f, end->key);
        if (model->wants_graph && end->name.size)
            tn_tf_value_named(reader, end->name);
    }
    for (uint64_t i = 0; model->wants_graph && i < f->inputs.count; i++) {
        struct tn_io *end = tn_list_at(&f->inputs, struct tn_io, i);
        tn_model_define(model, tn_tf_value_named(reader, end->name),
                        TN_VALUE_INPUT, TN_NONE, 0);
    }
    struct tn_io_list inputs  = keep_ends(reader, &f->inputs);
    struct tn_io_list outputs = keep_ends(reader, &f->outputs);
    struct tn_graph  *graph   = tn_model_graph_at(model, reader->graph);
    graph->inputs             = inputs;
    graph->outputs            = outputs;
    resolve_values(reader);
}

static void read_function_body(struct tn_tf_reader *reader, struct function *f,
                               struct tn_cursor *c)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if ((field.number != 1 && field.number != 3 && field.number != 4) ||
            !tn_pb_expect(c, &field, TN_WIRE_LEN))
            continue;
        if (field.number == 1)
            read_signature(reader, f, &field.body);
        else if (field.number == 3)
            tn_tf_node_read(reader, &field.body);
        else
            read_return(reader, f, &field.body);
    }
}

static void read_function(struct tn_tf_reader *reader, struct tn_cursor *c)
{
    struct tn_model *model = reader->model;
    struct function  f;
    const char      *path = tn_text_format(
             &model->arena, reader->error, "%s%slibrary.function[%" PRIu32 "]",
             reader->path, reader->path[0] ? "." : "", reader->function_count++);

    if (!path)
        return;
    reader->near  = (struct tn_tf_near){ .next = 0 };
    reader->graph = tn_model_add_graph(model, TN_GRAPH_FUNCTION, path,
                                       "node_def", reader->error);
    if (reader->graph == TN_NONE)
        return;
    tn_model_graph_at(model, reader->graph)->wire =
        (struct tn_span){ c->source, c->offset, tn_left(c) };
    tn_list_init(&f.inputs, model->memory, sizeof(struct tn_io));
    tn_list_init(&f.outputs, model->memory, sizeof(struct tn_io));
    tn_list_init(&f.returns, model->memory, sizeof(struct tn_bytes));
    tn_intern_init(&f.keys, &model->arena);
    read_function_body(reader, &f, c);
    if (!tn_failed(reader->error))
        finish_function(reader, &f);
    tn_error_where(reader->error, "%s", path);
    tn_list_done(&f.inputs);
    tn_list_done(&f.outputs);
    tn_list_done(&f.returns);
    tn_intern_done(&f.keys);
}

static void read_libraries(struct tn_tf_reader *reader)
{
    struct tn_pb_field field;

    for (uint64_t i = 0; i < reader->libraries.count; i++) {
        struct tn_cursor c =
            *tn_list_at(&reader->libraries, struct tn_cursor, i);
        while (tn_pb_next(&c, &field))
            if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
                read_function(reader, &field.body);
    }
}

/* ---- the whole ---------------------------------------------------------- */

static void read_versions(struct tn_tf_versions *versions, struct tn_cursor *c)
{
    struct tn_pb_field field;

    versions->is_present = true;
    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            versions->producer = (int32_t)field.value;
        else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            versions->min_consumer = (int32_t)field.value;
    }
}

void tn_tf_reader_begin(struct tn_tf_reader *reader, struct tn_model *model,
                        enum tn_graph_kind kind, const char *path,
                        struct tn_error *error)
{
    *reader =
        (struct tn_tf_reader){ .model       = model,
                               .error       = error,
                               .path        = path,
                               .source      = TN_NONE,
                               .first_value = (uint32_t)model->values.count };
    for (unsigned i = 0; i < 4; i++)
        reader->recent[i] = TN_NO_NAME;
    tn_list_init(&reader->libraries, model->memory, sizeof(struct tn_cursor));
    tn_list_init(&reader->ends, model->memory,
                 sizeof(struct tn_tf_placeholder));
    reader->graph = tn_model_add_graph(model, kind, path, "node", error);
    if (!model->wants_graph && kind == TN_GRAPH_MAIN)
        reader->uses = tn_tf_uses_open(model->memory, error);
}

void tn_tf_reader_feed(struct tn_tf_reader *reader, struct tn_cursor c)
{
    struct tn_pb_field field;

    if (tn_failed(reader->error))
        return;
    struct tn_graph *graph = tn_model_graph_at(reader->model, reader->graph);
    graph->wire    = (struct tn_span){ c.source, c.offset, tn_left(&c) };
    reader->source = tn_model_source_id(reader->model, c.source, reader->error);
    while (tn_pb_next(&c, &field)) {
        if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_LEN)) {
            tn_tf_node_read(reader, &field.body);
        } else if (field.number == 2 && tn_pb_expect(&c, &field, TN_WIRE_LEN)) {
            struct tn_cursor *library = tn_list_push(
                &reader->libraries, struct tn_cursor, reader->error);
            if (library)
                *library = field.body;
        } else if (field.number == 4 && tn_pb_expect(&c, &field, TN_WIRE_LEN)) {
            read_versions(&reader->versions, &field.body);
        }
    }
    if (reader->path[0])
        tn_error_where(reader->error, "%s", reader->path);
}

void tn_tf_reader_end(struct tn_tf_reader *reader)
{
    uint32_t main = reader->graph;

    if (!tn_failed(reader->error)) {
        resolve_values(reader);
        if (tn_model_graph_at(reader->model, main)->kind == TN_GRAPH_MAIN)
            tn_tf_find_io(reader);
    }
    tn_tf_uses_close(reader->uses);
    reader->uses = NULL;
    if (!tn_failed(reader->error))
        read_libraries(reader);
    reader->graph = main;
    tn_list_done(&reader->libraries);
    tn_list_done(&reader->ends);
}
