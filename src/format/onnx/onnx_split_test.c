/*
 * onnx_split_test.c - which parts of a model become chunks, and that they make
 * the same bytes again
 */
#include "format/onnx/onnx_split.h"

#include "chunk/chunk_judge.h"
#include "chunk/splitter.h"
#include "wire/pb/pb_merge.h"

#define MODEL "onnx.ModelProto"
#define TEN   "0123456789"
#define S50   TEN TEN TEN TEN TEN
#define W100  S50 S50
#define W200  W100 W100

static struct tn_schema *schema;
static struct judge      judge; /* its memory only: no protoc is needed       */

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&judge.memory, NULL, 0);
    tn_arena_init(&judge.arena, &judge.memory);
    return tn_schema_builtin(&schema, "onnx", NULL, &error);
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(schema);
    judge_close(&judge);
    return 0;
}

/* ---- helpers ------------------------------------------------------------ */

struct split {
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_error     error;
};

static enum tn_status split_bytes(struct split *s, struct tn_bytes bytes,
                                  uint64_t most)
{
    s->error = (struct tn_error)TN_ERROR_INIT;
    tn_message_bytes(&s->message, schema, MODEL, bytes, NULL, &s->error);
    tn_splitter_open(&s->splitter, s->message, &s->error);
    assert_string_equal(s->error.what, "");
    tn_onnx_split(s->splitter, most, &s->error);
    if (s->error.status == TN_OK)
        tn_splitter_split(s->splitter, &s->error);
    return s->error.status;
}

static void close_split(struct split *s)
{
    tn_splitter_close(s->splitter);
    tn_message_close(s->message);
}

/* "graph.initializer[0].raw_data=b100 =m40": paths, types and sizes. */
static const char *describe(const struct split *s)
{
    static char              text[4000];
    const struct tn_chunked *result = &s->splitter->result;
    size_t                   used   = 0;
    char                     path[200];

    text[0] = '\0';
    for (uint64_t i = 0; i < result->field_count; i++) {
        uint64_t           chunk = result->fields[i].message.chunk;
        enum tn_chunk_type type  = tn_splitter_chunk_type(s->splitter, chunk);
        tn_tags_print(result->fields[i].tags, s->message->type, path,
                      sizeof path);
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s=%c%d", i ? " " : "", path,
            type == TN_CHUNK_BYTES ? 'b' : 'm',
            (int)tn_splitter_chunk_size(s->splitter, chunk));
        assert_true(used < sizeof text);
    }
    return text;
}

static bool fits(const struct tn_splitter *splitter, uint64_t most)
{
    for (uint64_t i = 0; i < tn_splitter_chunk_count(splitter); i++)
        if (tn_splitter_chunk_type(splitter, i) == TN_CHUNK_MESSAGE &&
            tn_splitter_chunk_size(splitter, i) > most)
            return false;
    return true;
}

/* Through a file in memory. */
static struct tn_message *join(struct split *s)
{
    struct tn_message *merged;
    struct tn_bytes    file;
    bool               is_chunked;

    tn_splitter_write_memory(s->splitter, "uncompressed", &file, &is_chunked,
                             &s->error);
    assert_string_equal(s->error.what, "");
    if (is_chunked)
        tn_merge_bytes(&merged, schema, MODEL, file, NULL, &s->error);
    else
        tn_message_bytes(&merged, schema, MODEL, file, NULL, &s->error);
    assert_string_equal(s->error.what, "");
    return merged;
}

static void assert_comes_back(struct split *s, struct tn_bytes want)
{
    struct tn_message *merged = join(s);
    uint8_t           *bytes  = malloc(want.size + 1);

    assert_int_equal(tn_message_size(merged), want.size);
    tn_message_read(merged, 0, bytes, want.size, &s->error);
    assert_string_equal(s->error.what, "");
    assert_memory_equal(bytes, want.data, want.size);
    free(bytes);
    tn_message_close(merged);
}

/* The one spelling of what a message means. */
static void normalize(struct tn_message *message, struct tn_buffer *to)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, &judge.memory);
    tn_rope_init(&rope, &arena, to->error);
    struct tn_pb_view view =
        tn_pb_view(message->type,
                   tn_cursor_span(tn_message_span(message), to->error), &arena);
    tn_pb_normalize(&view, &rope);
    tn_rope_write(&rope, &to->sink, to->error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void assert_means_the_same(struct split *s, struct tn_bytes want)
{
    struct tn_message *merged = join(s), *message;
    struct tn_buffer   first, second;

    tn_message_bytes(&message, schema, MODEL, want, NULL, &s->error);
    tn_buffer_init(&first, &judge.memory, &s->error);
    tn_buffer_init(&second, &judge.memory, &s->error);
    normalize(message, &first);
    normalize(merged, &second);
    assert_string_equal(s->error.what, "");
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    tn_buffer_done(&first);
    tn_buffer_done(&second);
    tn_message_close(message);
    tn_message_close(merged);
}

/* ---- which chunks ------------------------------------------------------- */

static const struct {
    const char *claim, *text;
    uint64_t    most;
    const char *want;
} rows[] = {
    { "a model that fits stays whole",
      "graph { initializer { raw_data: \"" W100 "\" } }", 200, "" },
    { "an initializer",
      "ir_version: 8 graph { name: \"g\" initializer { name: \"w\" raw_data: "
      "\"" W100 "\" } }",
      90, "graph.initializer[0].raw_data=b100" },
    { "all weights leave, not only what would be enough",
      "graph { initializer { raw_data: \"" W100 "\" } initializer { raw_data: "
      "\"" S50 "\" } initializer { raw_data: \"" W100 "\" } }",
      120,
      "graph.initializer[0].raw_data=b100 graph.initializer[1].raw_data=b50 "
      "graph.initializer[2].raw_data=b100" },
    { "not what is shorter than a third of the limit",
      "graph { initializer { raw_data: \"" W200 "\" } initializer { raw_data: "
      "\"" S50 "\" } }",
      200, "graph.initializer[0].raw_data=b200" },
    { "fields after the weight stay where they were",
      "graph { initializer { name: \"w\" raw_data: \"" W100
      "\" doc_string: \"after\" data_location: DEFAULT } doc_string: \"x\" } "
      "opset_import { version: 13 }",
      90, "graph.initializer[0].raw_data=b100" },
    { "constants of nodes, one and several",
      "graph { node { op_type: \"Constant\" attribute { name: \"value\" t { "
      "raw_data: \"" W100 "\" } type: TENSOR } } node { attribute { tensors { "
      "} tensors { raw_data: \"" W100 "\" } } } }",
      120,
      "graph.node[0].attribute[0].t.raw_data=b100 "
      "graph.node[1].attribute[0].tensors[1].raw_data=b100" },
    { "sparse tensors: values and indices",
      "graph { sparse_initializer { values { raw_data: \"" W100
      "\" } indices { raw_data: \"" W100 "\" } dims: 9 } node { attribute { "
      "sparse_tensor { values { raw_data: \"" W100 "\" } } } attribute { "
      "sparse_tensors { } sparse_tensors { indices { raw_data: \"" W100
      "\" } } } } }",
      150,
      "graph.node[0].attribute[0].sparse_tensor.values.raw_data=b100 "
      "graph.node[0].attribute[1].sparse_tensors[1].indices.raw_data=b100 "
      "graph.sparse_initializer[0].values.raw_data=b100 "
      "graph.sparse_initializer[0].indices.raw_data=b100" },
    { "graphs inside of graphs",
      "graph { node { op_type: \"If\" attribute { name: \"then\" g { "
      "initializer { raw_data: \"" W100 "\" } } type: GRAPH } attribute { "
      "graphs { } graphs { initializer { raw_data: \"" W100 "\" } } } } }",
      120,
      "graph.node[0].attribute[0].g.initializer[0].raw_data=b100 "
      "graph.node[0].attribute[1].graphs[1].initializer[0].raw_data=b100" },
    { "functions, their nodes and defaults of their attributes",
      "functions { name: \"f\" } functions { node { attribute { t { raw_data: "
      "\"" W100 "\" } } } attribute_proto { name: \"a\" t { raw_data: \"" W100
      "\" } } }",
      120,
      "functions[1].node[0].attribute[0].t.raw_data=b100 "
      "functions[1].attribute_proto[0].t.raw_data=b100" },
    { "what trains",
      "training_info { initialization { initializer { raw_data: \"" W100
      "\" } } algorithm { node { attribute { t { raw_data: \"" W100
      "\" } } } } }",
      120,
      "training_info[0].initialization.initializer[0].raw_data=b100 "
      "training_info[0].algorithm.node[0].attribute[0].t.raw_data=b100" },
    { "nodes in runs when the skeleton is too long",
      "ir_version: 8 graph { node { op_type: \"" TEN TEN
      "\" } node { op_type: \"" TEN TEN "\" } node { op_type: \"" TEN TEN
      "\" } node { op_type: \"" TEN TEN "\" } node { op_type: \"" TEN TEN
      "\" } name: \"g\" initializer { raw_data: \"" W100 "\" } }",
      75, "graph=m72 graph=m55 graph.initializer[0].raw_data=b100" },
    { "a long node is a chunk",
      "graph { node { op_type: \"a\" } node { doc_string: \"" S50 TEN
      "\" } node { doc_string: \"" S50 "\" } }",
      90, "graph.node[1]=m62" },
    { "values in fields of their own have no bytes to point at: by size",
      "graph { initializer { name: \"w\" string_data: \"" W100
      "\" string_data: \"b\" } }",
      60, "graph.initializer[0].string_data[0]=b100" },
};

static void parts_become_chunks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_buffer bytes;
        struct split     s;

        judge_encode(&judge, &schema->types, MODEL, rows[i].text, &bytes);
        split_bytes(&s, tn_buffer_bytes(&bytes), rows[i].most);
        assert_string_equal(s.error.what, "");
        if (strcmp(describe(&s), rows[i].want))
            fail_msg("%s: %s", rows[i].claim, describe(&s));
        assert_true(fits(s.splitter, rows[i].most));
        assert_comes_back(&s, tn_buffer_bytes(&bytes));
        close_split(&s);
        tn_buffer_done(&bytes);
    }
}

/* At every limit: refused as too small, or the same bytes again. */
static void assert_any_limit(struct tn_bytes bytes, uint64_t first,
                             uint64_t step)
{
    uint64_t held = 0;

    for (uint64_t most = first; most < bytes.size + step; most += step) {
        struct split s;
        if (split_bytes(&s, bytes, most) == TN_OK) {
            held++;
            assert_true(fits(s.splitter, most));
            assert_comes_back(&s, bytes);
        } else {
            assert_int_equal(s.error.status, TN_LIMIT);
        }
        close_split(&s);
    }
    assert_true(held > 0);
}

static void any_limit_gives_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_buffer bytes;

        judge_encode(&judge, &schema->types, MODEL, rows[i].text, &bytes);
        assert_any_limit(tn_buffer_bytes(&bytes), 1, 1);
        tn_buffer_done(&bytes);
    }
}

/* ---- real models -------------------------------------------------------- */

/* dtln-1 has its weights as packed numbers, which the lower limits divide. */
static const struct {
    const char *name;
    uint64_t    divided; /* limits up to this one divide packed numbers       */
} models[] = {
    { "basic-pitch", 0 },  { "crop-and-resize-loop", 0 },
    { "dtln-1", 100000 },  { "face-rfb-320", 0 },
    { "magika", 0 },       { "nested-loops", 0 },
    { "silero-vad", 0 },   { "scan-rnn", 0 },
    { "imagenet-qdq", 0 }, { "bert-qa-small", 0 },
    { "ppocr-rec-v4", 0 },
};

static void try_model(struct tn_bytes bytes, uint64_t most, bool is_divided)
{
    struct split s;

    split_bytes(&s, bytes, most);
    assert_string_equal(s.error.what, "");
    assert_true(fits(s.splitter, most));
    if (is_divided)
        assert_means_the_same(&s, bytes);
    else
        assert_comes_back(&s, bytes);
    close_split(&s);
}

static void real_models_come_back(void **state)
{
    static const uint64_t limits[] = { 20000, 100000, 1000000 };
    char                  path[300];

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        snprintf(path, sizeof path, TN_SHARED_DATA "/onnx/%s.onnx",
                 models[i].name);
        struct tn_bytes bytes = tn_load_file(path);
        if (!bytes.data) {
            print_message("skipped: wants real models: %s\n", path);
            continue;
        }
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            try_model(bytes, limits[k], limits[k] <= models[i].divided);
        free((void *)(uintptr_t)bytes.data);
    }
}

/* ---- hostile ------------------------------------------------------------ */

/* Fields of a message, written one after the other. */
static void put(struct tn_buffer *to, uint32_t number,
                const struct tn_buffer *body)
{
    tn_buffer_varint(to, number << 3 | 2);
    tn_buffer_varint(to, body->size);
    tn_buffer_add(to, tn_buffer_bytes(body));
}

static void put_text(struct tn_buffer *to, uint32_t number, const char *text)
{
    tn_buffer_varint(to, number << 3 | 2);
    tn_buffer_varint(to, strlen(text));
    tn_buffer_text(to, text);
}

static void put_twice(struct tn_buffer *tensor, const char *first,
                      const char *second)
{
    put_text(tensor, 9, first);
    put_text(tensor, 8, "name");
    put_text(tensor, 9, second);
}

/* Of content that comes twice the last counts, however long the first is. */
static void content_that_comes_again_is_one_chunk(void **state)
{
    static struct tn_error error;
    struct tn_buffer       tensor, graph, model;
    struct split           s;

    (void)state;
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&tensor, &judge.memory, &error);
    tn_buffer_init(&graph, &judge.memory, &error);
    tn_buffer_init(&model, &judge.memory, &error);
    put_twice(&tensor, "first" W100, "second" W100);
    put(&graph, 5, &tensor);
    put(&model, 7, &graph);
    split_bytes(&s, tn_buffer_bytes(&model), 90);
    assert_string_equal(s.error.what, "");
    assert_string_equal(describe(&s), "graph.initializer[0].raw_data=b106");
    uint8_t chunk[106];
    tn_splitter_chunk_read(s.splitter, 1, 0, chunk, sizeof chunk, &s.error);
    assert_memory_equal(chunk, "second", 6);
    close_split(&s);
    tn_buffer_done(&tensor);
    tn_buffer_done(&graph);
    tn_buffer_done(&model);
}

/* A graph in two pieces is one: the initializers of the second come after
 * those of the first. */
static void a_graph_in_pieces_keeps_its_order(void **state)
{
    static struct tn_error error;
    struct tn_buffer       first, second, model;
    struct split           s;

    (void)state;
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&model, &judge.memory, &error);
    judge_encode(&judge, &schema->types, "onnx.GraphProto",
                 "initializer { raw_data: \"1" W100 "\" }", &first);
    judge_encode(&judge, &schema->types, "onnx.GraphProto",
                 "initializer { raw_data: \"2" W100 "\" }", &second);
    put(&model, 7, &first);
    put(&model, 7, &second);
    split_bytes(&s, tn_buffer_bytes(&model), 60);
    assert_string_equal(s.error.what, "");
    assert_string_equal(describe(&s), "graph.initializer[0].raw_data=b101 "
                                      "graph.initializer[1].raw_data=b101");
    uint8_t chunk[101];
    for (uint64_t i = 1; i < 3; i++) {
        tn_splitter_chunk_read(s.splitter, i, 0, chunk, sizeof chunk, &s.error);
        assert_int_equal(chunk[0], '0' + i);
    }
    close_split(&s);
    tn_buffer_done(&first);
    tn_buffer_done(&second);
    tn_buffer_done(&model);
}

/* Graphs in attributes of nodes of graphs, the innermost with a weight. */
static void nested(struct tn_buffer *model, int graphs)
{
    static const uint32_t numbers[] = { 1, 5, 6 };
    struct tn_buffer      inner, outer;

    tn_buffer_init(&outer, &judge.memory, model->error);
    judge_encode(&judge, &schema->types, "onnx.GraphProto",
                 "initializer { raw_data: \"" W100 W200 "\" }", &inner);
    inner.error = model->error;
    for (int i = 0; i < 3 * graphs; i++) {
        tn_buffer_clear(&outer);
        put(&outer, numbers[2 - i % 3], &inner);
        struct tn_buffer swap = inner;
        inner                 = outer;
        outer                 = swap;
    }
    put(model, 7, &inner);
    tn_buffer_done(&inner);
    tn_buffer_done(&outer);
}

static void depth_is_limited(void **state)
{
    static struct tn_error error;

    (void)state;
    for (int graphs = 30; graphs < 40; graphs += 3) {
        struct tn_buffer model;
        struct split     s;

        error = (struct tn_error)TN_ERROR_INIT;
        tn_buffer_init(&model, &judge.memory, &error);
        nested(&model, graphs);
        assert_string_equal(error.what, "");
        split_bytes(&s, tn_buffer_bytes(&model), 300);
        assert_int_equal(s.error.status, graphs > 32 ? TN_LIMIT : TN_OK);
        if (graphs <= 32)
            assert_comes_back(&s, tn_buffer_bytes(&model));
        close_split(&s);
        tn_buffer_done(&model);
    }
}

static enum tn_status split(struct tn_bytes input, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_options   options = { .allocator = &memory->allocator };
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_bytes     file;
    bool                is_chunked;

    TN_TRY(tn_message_bytes(&message, schema, MODEL, input, &options, error));
    if (tn_splitter_open(&splitter, message, error) == TN_OK &&
        tn_onnx_split(splitter, 60, error) == TN_OK)
        tn_splitter_write_memory(splitter, "uncompressed", &file, &is_chunked,
                                 error);
    tn_splitter_close(splitter);
    tn_message_close(message);
    return error->status;
}

static bool is_whole(struct tn_bytes prefix)
{
    struct tn_error error = TN_ERROR_INIT;

    return split(prefix, &judge.memory, &error) == TN_OK;
}

static void hostile_models_are_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_buffer bytes;

        judge_encode(&judge, &schema->types, MODEL, rows[i].text, &bytes);
        tn_refuses_every_prefix(split, tn_buffer_bytes(&bytes), is_whole);
        tn_survives_every_flip(split, tn_buffer_bytes(&bytes));
        if (is_whole(tn_buffer_bytes(&bytes)))
            tn_survives_no_memory(split, tn_buffer_bytes(&bytes));
        tn_buffer_done(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_become_chunks),
        cmocka_unit_test(any_limit_gives_the_same_bytes),
        cmocka_unit_test(real_models_come_back),
        cmocka_unit_test(content_that_comes_again_is_one_chunk),
        cmocka_unit_test(a_graph_in_pieces_keeps_its_order),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(hostile_models_are_survived),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
