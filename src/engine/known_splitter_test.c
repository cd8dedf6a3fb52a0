/*
 * known_splitter_test.c - splitters that know their message, alone and as
 * children of a splitter that somebody else wrote
 */
#define _GNU_SOURCE
#include "support/scratch.h"

#include <tenon/chunk.h>

#include "chunk/chunk_judge.h"
#include "chunk/splitter.h"
#include "wire/pb/pb_text_write.h"

#define BUNDLE "test.Bundle"
#define S50    "01234567890123456789012345678901234567890123456789"
#define S200   S50 S50 S50 S50

static struct judge      judge; /* its memory only                            */
static struct tn_schema *schema;

/* A message of somebody else's that has all three in it. */
static void write_types(const char *folder)
{
    char path[300];

    snprintf(path, sizeof path, "%s/bundle.proto", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("syntax = \"proto3\";\npackage test;\n"
          "import \"tensorflow_graph.proto\";\n"
          "import \"tensorflow_saved_model.proto\";\n"
          "import \"onnx.proto\";\n"
          "message Bundle {\n  tensorflow.GraphDef graph = 1;\n"
          "  tensorflow.SavedModel saved = 2;\n"
          "  repeated onnx.ModelProto model = 3;\n  string name = 4;\n}\n",
          file);
    assert_int_equal(fclose(file), 0);
}

static int begin(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    char              path[300], command[1500];

    (void)state;
    tn_memory_init(&judge.memory, NULL, 0);
    tn_arena_init(&judge.arena, &judge.memory);
    write_types(scratch.path);
    snprintf(path, sizeof path, "%s/set", scratch.path);
    snprintf(command, sizeof command,
             "protoc -I '%s' -I '%s/../../schemas' --include_imports "
             "--descriptor_set_out='%s' bundle.proto",
             scratch.path, TN_CORPUS, path);
    assert_int_equal(system(command), 0);
    struct tn_bytes set = tn_load_file(path);
    tn_schema_open(&schema, set, NULL, &error);
    assert_string_equal(error.what, "");
    free((void *)(uintptr_t)set.data);
    tn_scratch_close(&scratch);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(schema);
    judge_close(&judge);
    return 0;
}

/* ---- messages ------------------------------------------------------------ */

#define CONSTANT(name)                                                         \
    "node { name: \"" name "\" op: \"Const\" attr { key: \"value\" value { "   \
    "tensor { dtype: DT_UINT8 tensor_shape { dim { size: 200 } } "             \
    "tensor_content: \"" S200 "\" } } } } "
#define NODE(name)                                                             \
    "node { name: \"" name "\" op: \"Identity\" input: \"" S50 "\" } "
#define GRAPH                                                                  \
    CONSTANT("a") NODE("b") NODE("c") CONSTANT("d") NODE("e") NODE("f")
#define SAVED                                                                  \
    "saved_model_schema_version: 1 meta_graphs { graph_def { " GRAPH "} } "
#define MODEL                                                                  \
    "ir_version: 8 graph { name: \"g\" initializer { name: \"w\" "             \
    "data_type: 2 dims: 200 raw_data: \"" S200 "\" } }"

struct split {
    struct tn_buffer    bytes;
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_error     error;
};

static void open_message(struct split *s, const char *type, const char *text)
{
    s->error    = (struct tn_error)TN_ERROR_INIT;
    s->splitter = NULL;
    judge_encode(&judge, &schema->types, type, text, &s->bytes);
    tn_message_bytes(&s->message, schema, type, tn_buffer_bytes(&s->bytes),
                     NULL, &s->error);
}

static void close_split(struct split *s)
{
    tn_splitter_close(s->splitter);
    tn_message_close(s->message);
    tn_buffer_done(&s->bytes);
}

static void print(struct tn_message *message, struct tn_buffer *text)
{
    static struct tn_error error;

    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(text, &judge.memory, &error);
    tn_pb_text_write(message->type, tn_message_span(message), &text->sink,
                     &judge.memory, &error);
    assert_string_equal(error.what, "");
}

/* Written and read again it is what it was; no message is longer than told. */
static void assert_comes_back(struct split *s, uint64_t least_chunks,
                              uint64_t most)
{
    struct tn_message *merged;
    struct tn_bytes    file;
    struct tn_buffer   before, after;
    bool               is_chunked;

    tn_splitter_write_memory(s->splitter, NULL, &file, &is_chunked, &s->error);
    assert_string_equal(s->error.what, "");
    uint64_t count = tn_splitter_chunk_count(s->splitter);
    assert_true(count >= least_chunks);
    for (uint64_t i = 0; i < count; i++)
        if (tn_splitter_chunk_type(s->splitter, i) == TN_CHUNK_MESSAGE)
            assert_true(tn_splitter_chunk_size(s->splitter, i) <= most);
    tn_merge_bytes(&merged, schema, s->message->type->full_name, file, NULL,
                   &s->error);
    assert_string_equal(s->error.what, "");
    print(s->message, &before);
    print(merged, &after);
    assert_string_equal(tn_buffer_string(&before), tn_buffer_string(&after));
    tn_buffer_done(&before);
    tn_buffer_done(&after);
    tn_message_close(merged);
}

/* ---- whole messages ------------------------------------------------------ */

typedef enum tn_status opener(struct tn_splitter        **out,
                              struct tn_message          *message,
                              const struct tn_split_rule *rule,
                              struct tn_error            *error);

static const struct {
    const char *type, *text;
    opener     *open;
    uint64_t    least_chunks;
} wholes[] = {
    { "tensorflow.GraphDef", GRAPH, tn_splitter_graph_def, 4 },
    { "tensorflow.SavedModel", SAVED, tn_splitter_saved_model, 4 },
    { "onnx.ModelProto", MODEL, tn_splitter_model_proto, 2 },
};

static void test_wholes(void **state)
{
    static const struct tn_split_rule rules[] = { { TN_SPLIT_CPP, 200 },
                                                  { TN_SPLIT_PYTHON, 200 } };

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            struct split s;
            open_message(&s, wholes[i].type, wholes[i].text);
            wholes[i].open(&s.splitter, s.message, &rules[k], &s.error);
            assert_string_equal(s.error.what, "");
            assert_comes_back(&s, wholes[i].least_chunks, 250);
            close_split(&s);
        }
}

static void test_defaults(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct split s;
        open_message(&s, wholes[i].type, wholes[i].text);
        wholes[i].open(&s.splitter, s.message, NULL, &s.error);
        assert_int_equal(tn_splitter_split(s.splitter, &s.error), TN_OK);
        assert_int_equal(tn_splitter_chunk_count(s.splitter), 1);
        close_split(&s);
    }
}

static void test_other_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct split s;
        open_message(&s, wholes[(i + 1) % 3].type, "");
        assert_int_equal(wholes[i].open(&s.splitter, s.message, NULL, &s.error),
                         TN_INVALID);
        assert_null(s.splitter);
        assert_non_null(strstr(s.error.what, wholes[i].type));
        close_split(&s);
    }
}

/* ---- children ------------------------------------------------------------ */

static void split_children(struct split *s, const struct tn_split_rule *rule)
{
    const struct tn_step graph[] = { TN_NAME("graph") };
    const struct tn_step saved[] = { TN_NAME("saved") };
    const struct tn_step model[] = { TN_NAME("model"), TN_AT(1) };
    struct tn_splitter  *child;

    tn_splitter_open(&s->splitter, s->message, &s->error);
    tn_splitter_keep_base(s->splitter, &s->error);
    tn_splitter_graph_def_child(&child, s->splitter, graph, 1, rule, &s->error);
    tn_splitter_saved_model_child(&child, s->splitter, saved, 1, rule,
                                  &s->error);
    tn_splitter_model_proto_child(&child, s->splitter, model, 2, rule,
                                  &s->error);
    assert_string_equal(s->error.what, "");
}

static void test_children(void **state)
{
    const struct tn_split_rule rule = { TN_SPLIT_PYTHON, 200 };
    struct split               s;

    (void)state;
    open_message(&s, BUNDLE,
                 "graph { " GRAPH "} saved { " SAVED
                 "} model { } model { " MODEL "} name: \"all\"");
    split_children(&s, &rule);
    assert_comes_back(&s, 7, 1000);
    close_split(&s);
}

static void test_children_that_are_not_there(void **state)
{
    const struct tn_step name[]  = { TN_NAME("name") };
    const struct tn_step graph[] = { TN_NAME("graph") };
    struct tn_splitter  *child;
    struct split         s;

    (void)state;
    open_message(&s, BUNDLE, "name: \"nothing\"");
    tn_splitter_open(&s.splitter, s.message, &s.error);
    assert_int_equal(tn_splitter_graph_def_child(&child, s.splitter, graph, 1,
                                                 NULL, &s.error),
                     TN_NOT_FOUND);
    s.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_graph_def_child(&child, s.splitter, name, 1,
                                                 NULL, &s.error),
                     TN_INVALID);
    s.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_model_proto_child(&child, s.splitter, graph, 1,
                                                   NULL, &s.error),
                     TN_INVALID);
    assert_non_null(strstr(s.error.what, "cannot split tensorflow.GraphDef"));
    close_split(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wholes),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_other_types),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_children_that_are_not_there),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
