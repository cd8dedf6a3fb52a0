/*
 * onnx_expected_test.c - real models against what independent software says
 *
 * For every model of the shared data: the summary (versions, counts, ends,
 * operators) and one line a tensor (place, name, type, shape, storage, size,
 * CRC-32 of the elements), as text, equal to the expected files.
 */
#define _GNU_SOURCE
#include "support/hostile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "codec/crc32.h"
#include "format/format.h"
#include "format/onnx/onnx.h"

extern const struct tn_format tn_format_onnx;

#define FOLDER TN_SHARED_DATA "/onnx/"

static const char *const names[] = {
    "basic-pitch",          "bert-qa-small", "conv-qdq-external",
    "crop-and-resize-loop", "dtln-1",        "face-rfb-320",
    "imagenet-qdq",         "magika",        "nested-loops",
    "ppocr-rec-v4",         "scan-rnn",      "silero-vad",
};

struct opened {
    struct tn_memory memory;
    struct tn_bundle bundle;
    struct tn_model  model;
    struct tn_error  error;
    char             path[256];
};

static bool open_model(struct opened *o, const char *name, bool wants_graph,
                       bool keep_unmapped)
{
    struct tn_bundle_options how = { .keep_unmapped = keep_unmapped };

    o->error = (struct tn_error)TN_ERROR_INIT;
    if (!strcmp(name, "conv-qdq-external"))
        snprintf(o->path, sizeof o->path, "%s/model.onnx", name);
    else
        snprintf(o->path, sizeof o->path, "%s.onnx", name);
    char path[512];
    snprintf(path, sizeof path, FOLDER "%s", o->path);
    tn_memory_init(&o->memory, NULL, 0);
    if (tn_bundle_open(&o->bundle, &o->memory, path, &how, &o->error) != TN_OK)
        return false;
    tn_model_init(&o->model, &o->memory);
    o->model.wants_graph = wants_graph;
    if (tn_format_onnx.open(&o->bundle, &o->model, &o->error) != TN_OK ||
        tn_model_finish(&o->model, &o->error) != TN_OK)
        fail_msg("%s: %s at %" PRIu64 " in %s", name, o->error.what,
                 o->error.offset, o->error.where);
    return true;
}

static void close_model(struct opened *o)
{
    tn_model_done(&o->model);
    tn_bundle_close(&o->bundle);
    assert_int_equal(o->memory.used, 0);
}

static void skip_without_data(void)
{
    FILE *readme = fopen(FOLDER "README.md", "r");

    if (!readme) {
        print_message("skipped: wants real models\n");
        skip();
    }
    fclose(readme);
}

/* ---- lines of tensors --------------------------------------------------- */

static const char *type_name(enum tn_dtype dtype)
{
    const struct tn_onnx_type *type = tn_onnx_type(tn_onnx_type_number(dtype));

    return type ? type->name : "UNDEFINED";
}

/* The name of attribute `slot` of node `node` of a graph, off the wire. */
static struct tn_bytes attr_name(const struct tn_model *model, uint32_t graph,
                                 uint32_t node, uint32_t slot,
                                 struct tn_error *error)
{
    const struct tn_graph *g  = tn_model_graph_at(model, graph);
    const struct tn_op    *op = tn_model_op_at(model, g->first_op + node);
    struct tn_cursor       c =
        tn_cursor_span((struct tn_span){ model->wire.source, op->wire_offset,
                                         op->wire_length },
                       error);
    struct tn_bytes name;
    struct tn_span  wire;

    for (uint32_t i = 0; i <= slot; i++)
        assert_true(model->dialect->next_attr(&c, &name, &wire));
    return name;
}

static void graph_words(struct tn_buffer *to, const struct tn_model *model,
                        uint32_t graph, struct tn_error *error)
{
    uint32_t chain[64];
    unsigned depth = 0;

    for (; graph != 0; graph = tn_model_graph_at(model, graph)->parent_graph)
        chain[depth++] = graph;
    tn_buffer_text(to, "graph");
    while (depth-- > 0) {
        const struct tn_graph *g = tn_model_graph_at(model, chain[depth]);
        struct tn_bytes name = attr_name(model, g->parent_graph, g->parent_node,
                                         g->parent_slot, error);
        tn_buffer_format(to, "/node[%" PRIu32 "]/%.*s", g->parent_node,
                         TN_FMT(name));
    }
}

static void tensor_words(struct tn_buffer *to, const struct tn_model *model,
                         const struct tn_tensor *tensor, struct tn_error *error)
{
    graph_words(to, model, tensor->graph, error);
    if (tensor->node == TN_NONE) {
        tn_buffer_format(to, "/initializer[%" PRIu32 "]", tensor->slot);
        return;
    }
    struct tn_bytes name =
        attr_name(model, tensor->graph, tensor->node, tensor->slot, error);
    tn_buffer_format(to, "/node[%" PRIu32 "]/%.*s", tensor->node, TN_FMT(name));
}

static uint32_t tensor_crc(const struct tn_tensor *tensor,
                           struct tn_error        *error)
{
    uint64_t size  = tn_tensor_size(tensor);
    uint8_t *bytes = malloc((size_t)size + 1);

    assert_non_null(bytes);
    if (tn_tensor_read(tensor, 0, bytes, (size_t)size, error) != TN_OK)
        fail_msg("%s", error->what);
    uint32_t crc = tn_crc32(0, bytes, (size_t)size);
    free(bytes);
    return crc;
}

static char *tensor_line(const struct opened *o, const struct tn_tensor *tensor)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer line;
    struct tn_bytes  name = tn_tensor_name(tensor);

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&line, &memory, &error);
    tensor_words(&line, &o->model, tensor, &error);
    tn_buffer_format(&line, "\t%.*s\t%s\t",
                     TN_FMT(name.size ? name : tn_text("-")),
                     type_name(tn_tensor_dtype(tensor)));
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        tn_buffer_format(&line, "%s%" PRIu64, i ? "," : "",
                         tn_tensor_dims(tensor)[i]);
    tn_buffer_format(&line, "%s\t%s\t%" PRIu64 "\t%08" PRIx32,
                     tn_tensor_rank(tensor) ? "" : "-",
                     tn_tensor_storage(tensor), tn_tensor_size(tensor),
                     tensor_crc(tensor, &error));
    char *text = strdup(tn_buffer_string(&line));
    tn_buffer_done(&line);
    return text;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void tensors_are_expected(struct opened *o, const char *name)
{
    char   path[512];
    char **mine    = calloc((size_t)o->model.tensors.count + 1, sizeof *mine);
    char **theirs  = calloc((size_t)o->model.tensors.count + 1, sizeof *theirs);
    uint64_t count = 0;

    assert_true(mine && theirs);
    snprintf(path, sizeof path, FOLDER "expected/%s.tensors.tsv", name);
    struct tn_bytes file = tn_load_file(path);
    assert_non_null(file.data);
    char *text      = (char *)(uintptr_t)file.data;
    text[file.size] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#')
            continue;
        assert_true(count < o->model.tensors.count);
        theirs[count++] = line;
    }
    assert_int_equal(count, o->model.tensors.count);
    for (uint64_t i = 0; i < count; i++)
        mine[i] = tensor_line(o, tn_model_tensor(&o->model, i));
    qsort(mine, (size_t)count, sizeof *mine, by_text);
    qsort(theirs, (size_t)count, sizeof *theirs, by_text);
    for (uint64_t i = 0; i < count; i++) {
        assert_string_equal(mine[i], theirs[i]);
        free(mine[i]);
    }
    free(mine);
    free(theirs);
    free(text);
}

/* ---- the summary -------------------------------------------------------- */

static const char *fact(const struct tn_model *model, const char *key)
{
    static char text[600];

    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact f = tn_model_fact(model, i);
        if (tn_bytes_is(f.key, key)) {
            snprintf(text, sizeof text, "%.*s", TN_FMT(f.value));
            return text;
        }
    }
    return "0";
}

static void put_io_list(struct tn_buffer *to, const char *word,
                        struct tn_io_list io_list)
{
    bool is_first = true;

    tn_buffer_format(to, "%s: ", word);
    for (uint32_t i = 0; i < io_list.count; i++) {
        const struct tn_io *io = &io_list.items[i];
        if (io->has_default)
            continue;
        tn_buffer_format(to, "%s%.*s %s [", is_first ? "" : "; ",
                         TN_FMT(io->name), type_name(io->dtype));
        is_first = false;
        for (uint32_t k = 0; k < io->rank; k++) {
            tn_buffer_text(to, k ? "," : "");
            if (io->dims[k].symbol.size)
                tn_buffer_format(to, "%.*s", TN_FMT(io->dims[k].symbol));
            else if (io->dims[k].value < 0)
                tn_buffer_text(to, "?");
            else
                tn_buffer_format(to, "%" PRId64, io->dims[k].value);
        }
        tn_buffer_text(to, "]");
    }
    tn_buffer_text(to, "\n");
}

static void put_versions(struct tn_buffer *to, const struct opened *o)
{
    const struct tn_onnx_detail *detail = o->model.detail;
    struct tn_bytes              file =
        tn_bytes(tn_source_pin(o->bundle.main, 0, (size_t)o->bundle.main->size,
                               to->error),
                 (size_t)o->bundle.main->size);
    const char *producer = fact(&o->model, "producer");

    tn_buffer_format(to, "file: %s  bytes=%zu  crc32=%08" PRIx32 "\n", o->path,
                     file.size, tn_crc32(0, file.data, file.size));
    tn_buffer_format(to, "ir_version: %" PRId64 "  producer: %s%s",
                     detail->ir_version,
                     strcmp(producer, "0") ? producer : "- -",
                     !strcmp(producer, "spox") ? " -" : "");
    tn_buffer_format(to, "  model_version: %s\nopset_import: ",
                     fact(&o->model, "model_version"));
    for (uint64_t i = 0; i < detail->import_count; i++)
        tn_buffer_format(to, "%s\"%.*s\" %" PRId64, i ? ", " : "",
                         TN_FMT(detail->imports[i].domain),
                         detail->imports[i].version);
}

static void put_counts(struct tn_buffer *to, const struct tn_model *model)
{
    const struct tn_graph *main  = tn_model_graph_at(model, 0);
    struct tn_bytes        name  = tn_model_name(model, main->name);
    uint64_t               bytes = 0, initializers = 0, depth = 0;

    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        bytes += tn_tensor_size(tensor);
        initializers += tensor->node == TN_NONE && tensor->graph == 0;
    }
    for (uint32_t i = 0; i < model->graphs.count; i++)
        if (tn_model_graph_at(model, i)->depth > depth)
            depth = tn_model_graph_at(model, i)->depth;
    tn_buffer_format(
        to,
        "\ngraph: %.*s  nodes=%" PRIu64 "  with subgraphs=%" PRIu64
        "  subgraphs=%" PRIu32 "  depth=%" PRIu64 "  functions=%" PRIu32 "\n",
        TN_FMT(name), main->op_count, tn_model_node_count(model),
        tn_model_subgraph_count(model), depth, tn_model_function_count(model));
    tn_buffer_format(to,
                     "initializers=%" PRIu64 "  tensors in all=%" PRIu64
                     "  tensor bytes=%" PRIu64 "  value_info=%s",
                     initializers, model->tensors.count, bytes,
                     fact(model, "value_info"));
    tn_buffer_format(to, "  metadata_props=%s\n",
                     fact(model, "metadata_props"));
}

static void put_summary(struct tn_buffer *to, const struct opened *o)
{
    struct tn_io_list inputs   = tn_model_inputs(&o->model);
    uint32_t          defaults = 0;

    put_versions(to, o);
    put_counts(to, &o->model);
    put_io_list(to, "inputs", inputs);
    for (uint32_t i = 0; i < inputs.count; i++)
        defaults += inputs.items[i].has_default;
    tn_buffer_format(to, "inputs that are initializers: %" PRIu32 "\n",
                     defaults);
    put_io_list(to, "outputs", tn_model_outputs(&o->model));
}

/* "Conv 52, Relu 37": the same counts; equal counts come in any order. */
static void ops_are_expected(const struct tn_model *model, char *line)
{
    uint32_t count = 0;

    for (char *word = strtok(line, ","); word; word = strtok(NULL, ",")) {
        char type[100];
        int  times;
        assert_int_equal(sscanf(word, " %99s %d", type, &times), 2);
        bool is_found = false;
        for (uint32_t i = 0; i < tn_model_op_kind_count(model); i++) {
            const struct tn_op_kind *kind = tn_model_op_kind(model, i);
            if (tn_bytes_is(kind->type, type)) {
                assert_int_equal(kind->count, times);
                is_found = true;
            }
        }
        if (!is_found)
            fail_msg("no %s was counted", type);
        count++;
    }
    assert_int_equal(count, tn_model_op_kind_count(model));
}

static void summary_is_expected(struct opened *o, const char *name)
{
    char             path[512];
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer mine;

    snprintf(path, sizeof path, FOLDER "expected/%s.summary.txt", name);
    struct tn_bytes file = tn_load_file(path);
    assert_non_null(file.data);
    char *theirs      = (char *)(uintptr_t)file.data;
    theirs[file.size] = '\0';
    char *ops         = strstr(theirs, "ops: ");
    assert_non_null(ops);
    ops_are_expected(&o->model, ops + 5);
    *ops = '\0';
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&mine, &memory, &error);
    put_summary(&mine, o);
    assert_string_equal(tn_buffer_string(&mine), theirs);
    tn_buffer_done(&mine);
    free(theirs);
}

/* ---- the tests ---------------------------------------------------------- */

static void real_models_are_as_expected(void **state)
{
    struct opened o;

    (void)state;
    skip_without_data();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(open_model(&o, names[i], true, false));
        summary_is_expected(&o, names[i]);
        tensors_are_expected(&o, names[i]);
        for (uint64_t k = 1; k < o.model.tensors.count; k++)
            assert_true(tn_model_tensor(&o.model, k - 1)->wire.offset <
                        tn_model_tensor(&o.model, k)->wire.offset);
        close_model(&o);
    }
}

static void reading_instead_of_mapping_gives_the_same(void **state)
{
    struct opened o;

    (void)state;
    skip_without_data();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(open_model(&o, names[i], true, true));
        summary_is_expected(&o, names[i]);
        tensors_are_expected(&o, names[i]);
        close_model(&o);
    }
}

static void the_skeleton_alone_has_the_same_tables(void **state)
{
    struct opened o, full;

    (void)state;
    skip_without_data();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(open_model(&o, names[i], false, false));
        assert_true(open_model(&full, names[i], true, false));
        assert_int_equal(o.model.ops.count, 0);
        assert_int_equal(o.model.values.count, 0);
        assert_int_equal(full.model.ops.count, full.model.node_count);
        assert_int_equal(o.model.node_count, full.model.node_count);
        assert_int_equal(o.model.tensors.count, full.model.tensors.count);
        summary_is_expected(&o, names[i]);
        close_model(&full);
        close_model(&o);
    }
}

static void every_used_value_of_real_models_is_defined(void **state)
{
    struct opened o;

    (void)state;
    skip_without_data();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(open_model(&o, names[i], true, false));
        for (uint64_t k = 0; k < o.model.values.count; k++) {
            const struct tn_value *value =
                tn_list_at(&o.model.values, struct tn_value, k);
            if (value->kind == TN_VALUE_UNDEFINED)
                fail_msg("%s: '%.*s' is defined nowhere", names[i],
                         TN_FMT(tn_model_name(&o.model, value->name)));
        }
        close_model(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_models_are_as_expected),
        cmocka_unit_test(reading_instead_of_mapping_gives_the_same),
        cmocka_unit_test(the_skeleton_alone_has_the_same_tables),
        cmocka_unit_test(every_used_value_of_real_models_is_defined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
