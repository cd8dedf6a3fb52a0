/*
 * onnx_open.c - from a ModelProto to the tables of a model, in one walk
 *
 *   ModelProto     ir_version = 1, producer = 2 3, domain = 4, version = 5,
 *                  graph = 7, opset_import = 8, metadata_props = 14,
 *                  training_info = 20, functions = 25, configuration = 26
 *
 * Graphs are read in onnx_graph.c, breadth first; tensors are put back into
 * the order of the file at the end.
 */
#include "base/sort.h"
#include "format/onnx/onnx_read.h"
#include "format/text_model.h"

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
        tn_onnx_add_part(r, 0, tn_pb_body_span(field));
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
            tn_onnx_add_part(r, seen[is_algorithm], tn_pb_body_span(&field));
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

/* For finding the graph of an attribute by where it lies. */
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

/* For finding the pieces of a graph by where it lies. */
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
    tn_onnx_sides_init(&r->sides, bundle, r->arena);
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
    tn_onnx_sides_done(&r->sides);
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
        tn_onnx_read_graphs(&r);
    if (!tn_failed(error))
        reader_finish(&r);
    reader_done(&r);
    return error->status;
}
