/*
 * onnx_check.c - every problem of a model beyond its grammar
 *
 * Here: the model itself.  Nodes and types are in onnx_check_node.c, graphs
 * and functions in onnx_check_graph.c, tensors in onnx_check_tensor.c; what
 * holds for graphs of any dialect is in ir/graph_check.c.
 *
 * Errors are what the ONNX specification forbids, or what makes elements
 * unreadable.  What real files do and runtimes tolerate is a warning.
 */
#include "format/onnx/onnx_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "io/later_check.h"
#include "ir/graph_check.h"

static void write_place(const struct tn_onnx_checker *ch,
                        const struct tn_onnx_place *place, char *to,
                        size_t size)
{
    size_t length = 0;

    if (place->op == TN_NONE) {
        snprintf(to, size, "%s", place->text);
        return;
    }
    length = tn_op_path(ch->model, place->op, to, size);
    if (place->attribute != TN_NONE && length < size)
        snprintf(to + length, size - length, ".attribute[%" PRIu32 "]",
                 place->attribute);
}

void tn_onnx_complain(struct tn_onnx_checker *ch, enum tn_finding_level level,
                      const char *rule, uint64_t offset,
                      const struct tn_onnx_place *where, const char *format,
                      ...)
{
    char what[200], path[TN_ONNX_WHERE];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    write_place(ch, where, path, sizeof path);
    tn_report_format(ch->report, level, rule, "", offset, path, "%s", what);
}

void tn_onnx_complain_error(struct tn_onnx_checker     *ch,
                            const struct tn_error      *failure,
                            const struct tn_onnx_place *where)
{
    struct tn_error finding;
    char            path[TN_ONNX_WHERE];

    if (!tn_failed(failure))
        return;
    finding = *failure;
    if (tn_machine_failed(failure) || failure->status == TN_LIMIT) {
        *ch->error = *failure;
        return;
    }
    write_place(ch, where, path, sizeof path);
    tn_error_where(&finding, "%s", path);
    tn_report_add(ch->report, TN_LEVEL_ERROR, "malformed", &finding);
}

void tn_onnx_expect_ir(struct tn_onnx_checker *ch, int64_t since,
                       uint64_t offset, const struct tn_onnx_place *where,
                       const char *what)
{
    int64_t said = ch->detail->ir_version;

    if (said >= since || said <= 0)
        return;
    tn_onnx_complain(ch, TN_LEVEL_WARNING, "ir-too-old", offset, where,
                     "%s came with IR version %" PRId64
                     ", the model says %" PRId64,
                     what, since, said);
}

bool tn_onnx_is_new(struct tn_onnx_checker *ch, struct tn_intern *seen,
                    struct tn_bytes text)
{
    uint32_t count = tn_intern_count(seen);

    tn_intern_copy(seen, text, ch->error);
    return tn_intern_count(seen) > count || tn_failed(ch->error);
}

/* ---- the model ---------------------------------------------------------- */

static void check_versions(struct tn_onnx_checker *ch)
{
    int64_t ir = ch->detail->ir_version;

    if (!ch->detail->has_ir_version || ir <= 0)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-ir-version", 0,
                         TN_ONNX_AT(""),
                         "the model does not say its IR version");
    else if (ir > TN_ONNX_IR_NEWEST)
        tn_onnx_complain(ch, TN_LEVEL_WARNING, "newer-ir", 0, TN_ONNX_AT(""),
                         "IR version %" PRId64 ", the newest known is %d", ir,
                         TN_ONNX_IR_NEWEST);
    if (ir >= 3 && ch->detail->import_count == 0)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-opset", 0, TN_ONNX_AT(""),
                         "no operator set is imported");
    else if (ch->detail->has_ir_version && ir < 3 && ch->detail->import_count)
        tn_onnx_complain(ch, TN_LEVEL_WARNING, "ir-too-old",
                         ch->detail->imports[0].offset,
                         TN_ONNX_AT("opset_import[0]"),
                         "operator sets need IR version 3, and the model has "
                         "version %" PRId64,
                         ir);
}

static void check_imports(struct tn_onnx_checker *ch)
{
    char where[TN_ONNX_WHERE];

    for (uint64_t i = 0; i < ch->detail->import_count; i++) {
        const struct tn_onnx_import *import = &ch->detail->imports[i];
        snprintf(where, sizeof where, "opset_import[%" PRIu64 "]", i);
        if (import->version < 1 || import->version > INT32_MAX)
            tn_onnx_complain(ch, TN_LEVEL_ERROR, "bad-opset-version",
                             import->offset, TN_ONNX_AT(where),
                             "'%.*s' in version %" PRId64,
                             TN_FMT(import->domain), import->version);
        if (!tn_onnx_is_new(ch, &ch->imports, tn_onnx_domain(import->domain)))
            tn_onnx_complain(ch, TN_LEVEL_WARNING, "duplicate-opset",
                             import->offset, TN_ONNX_AT(where),
                             "'%.*s' is imported twice",
                             TN_FMT(import->domain));
    }
}

/* A domain that no node uses does not matter. */
static void note_import(struct tn_onnx_checker *ch, uint32_t importer,
                        struct tn_bytes domain, int64_t version)
{
    struct tn_bytes name = tn_onnx_domain(domain);
    uint32_t        id =
        name.size ? tn_intern_find(&ch->model->names, name) : TN_NO_NAME;
    uint32_t next = (uint32_t)ch->versions.count;

    if (name.size && id == TN_NO_NAME)
        return;
    uint32_t index = tn_pairs_add(&ch->imported, importer, id, next, ch->error);
    if (index == next && !tn_list_push(&ch->versions, int64_t, ch->error))
        return;
    if (index == UINT32_MAX)
        return;
    int64_t *known = tn_list_at(&ch->versions, int64_t, index);
    if (index == next || version > *known)
        *known = version;
}

static void note_function_import(struct tn_onnx_checker *ch, uint32_t function,
                                 struct tn_cursor c)
{
    struct tn_bytes    domain  = { NULL, 0 };
    int64_t            version = 0;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == IMPORT_DOMAIN && field.type == TN_WIRE_LEN)
            domain = tn_pb_text(&field);
        else if (field.number == IMPORT_VERSION)
            version = (int64_t)field.value;
    note_import(ch, function, domain, version);
}

/* Once for all nodes: searching many imports for each takes too long.  Imports
 * that cannot be read are reported where functions are checked. */
static void note_imports(struct tn_onnx_checker *ch)
{
    for (uint64_t i = 0; i < ch->detail->import_count; i++)
        note_import(ch, TN_NONE, ch->detail->imports[i].domain,
                    ch->detail->imports[i].version);
    for (uint32_t i = 0; i < ch->model->graphs.count; i++) {
        const struct tn_graph *graph   = tn_model_graph_at(ch->model, i);
        struct tn_error        failure = TN_ERROR_INIT;
        struct tn_cursor       c       = tn_cursor_span(graph->wire, &failure);
        struct tn_pb_field     field;

        if (graph->kind != TN_GRAPH_FUNCTION)
            continue;
        while (!tn_failed(ch->error) && tn_pb_next(&c, &field))
            if (field.number == FUNCTION_OPSET_IMPORT &&
                field.type == TN_WIRE_LEN)
                note_function_import(ch, i, field.body);
    }
}

bool tn_onnx_imported(const struct tn_onnx_checker *ch, uint32_t root,
                      uint32_t domain, int64_t *version)
{
    bool is_function =
        tn_model_graph_at(ch->model, root)->kind == TN_GRAPH_FUNCTION;
    uint32_t index =
        tn_pairs_find(&ch->imported, is_function ? root : TN_NONE, domain);

    *version =
        index == UINT32_MAX ? 1 : *tn_list_at(&ch->versions, int64_t, index);
    /* Before IR version 3 there were no imports, and one operator set. */
    return index != UINT32_MAX ||
           (!is_function && domain == TN_NO_NAME && ch->detail->ir_version < 3);
}

static void check_configuration(struct tn_onnx_checker *ch, struct tn_cursor c,
                                const char *where)
{
    uint64_t           begin = c.offset, announced = 0, count = 0;
    bool               has_name = false;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number == DEVICE_NAME)
            has_name = field.type == TN_WIRE_LEN && tn_more(&field.body);
        else if (field.number == DEVICE_COUNT)
            announced = field.type == TN_WIRE_VARINT ? field.value : 0;
        else if (field.number == DEVICE_DEVICE)
            count++;
    }
    if (!has_name)
        tn_onnx_complain(ch, TN_LEVEL_WARNING, "missing-name", begin,
                         TN_ONNX_AT(where),
                         "a device configuration without a name");
    if (count && count != announced)
        tn_onnx_complain(ch, TN_LEVEL_WARNING, "bad-device-count", begin,
                         TN_ONNX_AT(where),
                         "%" PRIu64 " devices announced, %" PRIu64 " named",
                         announced, count);
}

static void check_entry(struct tn_onnx_checker *ch, struct tn_pb_field *field,
                        struct tn_intern *seen, const char *where)
{
    struct tn_bytes key, value;

    tn_onnx_entry_read(&field->body, &key, &value);
    if (!tn_onnx_is_new(ch, seen, key))
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "duplicate-metadata",
                         field->offset, TN_ONNX_AT(where),
                         "'%.*s' is there twice", TN_FMT(key));
}

/* Fields of the model that are neither graph nor function. */
static void check_fields(struct tn_onnx_checker *ch)
{
    struct tn_error    failure = TN_ERROR_INIT;
    struct tn_cursor   c       = tn_cursor_span(ch->model->wire, &failure);
    struct tn_intern   seen;
    char               where[TN_ONNX_WHERE];
    uint64_t           entries = 0, configurations = 0;
    struct tn_pb_field field;

    tn_intern_init(&seen, &ch->arena);
    while (tn_pb_next(&c, &field)) {
        if (field.number == MODEL_METADATA && field.type == TN_WIRE_LEN) {
            snprintf(where, sizeof where, "metadata_props[%" PRIu64 "]",
                     entries++);
            check_entry(ch, &field, &seen, where);
        } else if (field.number == MODEL_TRAINING) {
            tn_onnx_expect_ir(ch, 7, field.offset, TN_ONNX_AT("training_info"),
                              "training information");
        } else if (field.number == MODEL_FUNCTIONS) {
            tn_onnx_expect_ir(ch, 8, field.offset, TN_ONNX_AT("functions"),
                              "functions");
        } else if (field.number == MODEL_CONFIGURATION &&
                   field.type == TN_WIRE_LEN) {
            tn_onnx_expect_ir(ch, 11, field.offset, TN_ONNX_AT("configuration"),
                              "device configurations");
            snprintf(where, sizeof where, "configuration[%" PRIu64 "]",
                     configurations++);
            check_configuration(ch, field.body, where);
        }
    }
    tn_onnx_complain_error(ch, &failure, TN_ONNX_AT(""));
    tn_intern_done(&seen);
}

static void check_parts(struct tn_onnx_checker *ch)
{
    for (uint64_t i = 0; i < ch->detail->part_count; i++) {
        const struct tn_onnx_part *part = &ch->detail->parts[i];
        tn_onnx_complain(
            ch, TN_LEVEL_WARNING, "split-message", part->wire.offset,
            TN_ONNX_AT(tn_model_graph_at(ch->model, part->graph)->path),
            "the graph is stored in several pieces");
    }
}

/* ---- a file ------------------------------------------------------------- */

/* Graphs come after those they lie in. */
static void find_roots(struct tn_onnx_checker *ch)
{
    uint64_t count = ch->model->graphs.count;

    ch->roots    = tn_new(&ch->arena, uint32_t, count, ch->error);
    ch->ordinals = tn_new(&ch->arena, uint32_t, count, ch->error);
    for (uint32_t i = 0; !tn_failed(ch->error) && i < count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(ch->model, i);
        ch->ordinals[i]              = TN_NONE;
        ch->roots[i]                 = graph->kind == TN_GRAPH_SUBGRAPH
                                           ? ch->roots[graph->parent_graph]
                                           : i;
    }
}

/* Fewer nodes are not worth a second thread. */
#define MANY_NODES 10000

/* What the vocabulary is asked about does not depend on what the wire of nodes
 * looks like, unless they call functions. */
static bool can_be_shared(const struct tn_onnx_checker *ch)
{
    const struct tn_source *source = ch->model->wire.source;

    return ch->model->ops.count >= MANY_NODES && !ch->report->is_stopped &&
           (source ? source->map != NULL : tn_model_is_mapped(ch->model)) &&
           tn_intern_count(&ch->functions) == 0;
}

static void check_values_beside(void *context, struct tn_report *report,
                                struct tn_error *error)
{
    struct tn_onnx_checker own = *(const struct tn_onnx_checker *)context;

    own.report  = report;
    own.error   = error;
    own.failure = (struct tn_error)TN_ERROR_INIT;
    tn_arena_init(&own.arena, own.model->memory);
    tn_onnx_check_vocab(&own, TN_VOCAB_VALUES);
    tn_arena_done(&own.arena);
}

static void check_wires(struct tn_onnx_checker *ch)
{
    tn_onnx_check_bodies(ch);
    if (!tn_failed(ch->error))
        tn_onnx_check_functions(ch);
    if (!tn_failed(ch->error))
        tn_graph_check(ch->model, ch->report, ch->error);
}

static void check_made_nodes(struct tn_onnx_checker *ch)
{
    tn_graph_check(ch->model, ch->report, ch->error);
}

/* `check` comes before what the vocabulary says. */
static void check_nodes(struct tn_onnx_checker *ch,
                        void (*check)(struct tn_onnx_checker *ch))
{
    struct tn_onnx_checker as_it_is = *ch;
    struct tn_later_check  later;

    if (!can_be_shared(ch)) {
        check(ch);
        if (!tn_failed(ch->error))
            tn_onnx_check_vocab(ch, TN_VOCAB_BOTH);
        return;
    }
    tn_later_check_begin(&later, ch->report, ch->model->memory,
                         check_values_beside, &as_it_is);
    tn_later_check_first(&later);
    check(ch);
    if (!tn_failed(ch->error))
        tn_onnx_check_vocab(ch, TN_VOCAB_OPS);
    tn_later_check_end(&later, ch->report, ch->error);
}

/* Nothing but the graph, or all. */
static void check_parts_of(struct tn_onnx_checker *ch, bool is_all)
{
    check_versions(ch);
    check_imports(ch);
    note_imports(ch);
    if (is_all) {
        check_fields(ch);
        check_parts(ch);
    }
    if (!tn_failed(ch->error))
        tn_onnx_check_graphs(ch);
    if (!tn_failed(ch->error))
        check_nodes(ch, check_wires);
    if (!is_all && !tn_failed(ch->error))
        tn_onnx_check_tensor_names(ch);
    if (is_all && !tn_failed(ch->error))
        tn_onnx_check_tensors(ch);
}

static void check_all(struct tn_onnx_checker *ch)
{
    check_parts_of(ch, true);
}

static void check_structure(struct tn_onnx_checker *ch)
{
    check_parts_of(ch, false);
}

/* ---- a graph without a file ---------------------------------------------- */

static void note_fact_import(struct tn_onnx_checker *ch,
                             const struct tn_fact   *fact)
{
    struct tn_bytes domain;
    uint64_t        version;

    if (tn_bytes_is(fact->key, "opset") &&
        tn_onnx_opset_read(fact->value, &domain, &version))
        note_import(ch, TN_NONE, domain, (int64_t)version);
}

static const struct tn_dims *dims_of_io(struct tn_onnx_checker *ch,
                                        const struct tn_io     *io)
{
    int64_t sizes[TN_VOCAB_RANK_LIMIT];

    for (uint32_t i = 0; i < io->rank; i++)
        sizes[i] = io->dims[i].value;
    return tn_onnx_dims(ch, io->rank, sizes);
}

static void note_io(struct tn_onnx_checker *ch, uint32_t graph,
                    const struct tn_io *io, uint8_t field, uint32_t index)
{
    uint32_t value = tn_model_find_named(ch->model, graph, io->name);
    struct tn_onnx_declared *row;

    if (value == TN_NONE || io->note[0])
        return;
    row = tn_list_push(&ch->declared, struct tn_onnx_declared, ch->error);
    if (!row)
        return;
    *row = (struct tn_onnx_declared){
        .value = value, .field = field, .index = index, .offset = TN_NOWHERE
    };
    if (io->dtype != TN_UNDEFINED)
        row->type = TN_TYPE(io->dtype, TN_WRAP_NONE);
    if (io->has_rank)
        row->rank = TN_RANK(io->rank);
    if (io->has_rank && io->rank <= TN_VOCAB_RANK_LIMIT)
        row->dims = dims_of_io(ch, io);
}

/* An input or output of the main graph must have an element type. */
static void check_made_io(struct tn_onnx_checker *ch, uint32_t graph,
                          const struct tn_io *io, uint8_t field, uint32_t index)
{
    const struct tn_graph *row = tn_model_graph_at(ch->model, graph);
    char                   where[TN_ONNX_WHERE];

    note_io(ch, graph, io, field, index);
    if (row->kind != TN_GRAPH_MAIN || io->dtype != TN_UNDEFINED)
        return;
    snprintf(where, sizeof where, "%s.%s[%" PRIu32 "]", row->path,
             field == GRAPH_INPUT ? "input" : "output", index);
    tn_onnx_complain(ch, TN_LEVEL_ERROR, "missing-type", TN_NOWHERE,
                     TN_ONNX_AT(where), "the element type of '%.*s' is unknown",
                     TN_FMT(io->name));
}

static void check_made(struct tn_onnx_checker *ch)
{
    for (uint64_t i = 0; i < ch->detail->import_count; i++)
        note_import(ch, TN_NONE, ch->detail->imports[i].domain,
                    ch->detail->imports[i].version);
    for (uint64_t i = 0; !ch->model->detail && i < ch->model->facts.count; i++)
        note_fact_import(ch, tn_list_at(&ch->model->facts, struct tn_fact, i));
    for (uint32_t i = 0; i < ch->model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(ch->model, i);
        for (uint32_t k = 0; k < graph->inputs.count; k++)
            check_made_io(ch, i, &graph->inputs.items[k], GRAPH_INPUT, k);
        for (uint32_t k = 0; k < graph->outputs.count; k++)
            check_made_io(ch, i, &graph->outputs.items[k], GRAPH_OUTPUT, k);
    }
    if (!tn_failed(ch->error))
        check_nodes(ch, check_made_nodes);
}

/* ---- from the top ------------------------------------------------------- */

static const struct tn_onnx_detail newest = { .ir_version = TN_ONNX_IR_NEWEST };

static enum tn_status run(const struct tn_model *model,
                          struct tn_report *report, struct tn_error *error,
                          void (*check)(struct tn_onnx_checker *ch))
{
    struct tn_onnx_checker ch = {
        .model   = model,
        .detail  = model->detail ? model->detail : &newest,
        .report  = report,
        .error   = error,
        .failure = TN_ERROR_INIT,
    };

    tn_arena_init(&ch.arena, model->memory);
    tn_pairs_init(&ch.imported, model->memory);
    tn_list_init(&ch.versions, model->memory, sizeof(int64_t));
    tn_intern_init(&ch.imports, &ch.arena);
    tn_intern_init(&ch.functions, &ch.arena);
    tn_list_init(&ch.function_graphs, model->memory, sizeof(uint32_t));
    tn_list_init(&ch.calls, model->memory, sizeof(struct tn_onnx_call));
    tn_pairs_init(&ch.callees, model->memory);
    ch.scan_op = TN_NONE;
    tn_list_init(&ch.declared, model->memory, sizeof(struct tn_onnx_declared));
    ch.known = tn_new(&ch.arena, struct tn_onnx_known_attrs, 1, error);
    find_roots(&ch);
    if (!tn_failed(error))
        check(&ch);
    tn_list_done(&ch.declared);
    tn_list_done(&ch.calls);
    tn_pairs_done(&ch.callees);
    tn_list_done(&ch.function_graphs);
    tn_intern_done(&ch.functions);
    tn_intern_done(&ch.imports);
    tn_list_done(&ch.versions);
    tn_pairs_done(&ch.imported);
    tn_arena_done(&ch.arena);
    return error->status;
}

enum tn_status tn_onnx_check(struct tn_bundle      *bundle,
                             const struct tn_model *model,
                             struct tn_report *report, struct tn_error *error)
{
    (void)bundle;
    return run(model, report, error, check_all);
}

enum tn_status tn_onnx_check_graph(const struct tn_model *model,
                                   struct tn_report      *report,
                                   struct tn_error       *error)
{
    return run(model, report, error,
               model->is_edited ? check_made : check_structure);
}

enum tn_status tn_onnx_check_lone(struct tn_bundle      *bundle,
                                  const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error)
{
    struct tn_onnx_checker ch = {
        .model = model, .detail = &newest, .report = report, .error = error
    };

    (void)bundle;
    tn_arena_init(&ch.arena, model->memory);
    tn_onnx_check_tensors(&ch);
    tn_arena_done(&ch.arena);
    return error->status;
}
