/*
 * tf_fingerprint_test.c - fingerprints, judged by the constants of TensorFlow's
 * own tests
 */
#include "format/tensorflow/tf_fingerprint.h"

#include "chunk/cpb.h"
#include "codec/farmhash.h"
#include "format/tensorflow/tf_testing.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_message.h"

#define DATA  TN_SHARED_DATA "/tensorflow/"
#define MODEL DATA "saved_model/VarsAndArithmeticObjectGraph"
#define SPLIT DATA "proto_splitter/"

static struct tn_memory memory;

static bool has_data(void)
{
    FILE *file = fopen(DATA "README.md", "r");

    if (file)
        fclose(file);
    else
        print_message("skipped: wants real models\n");
    return file != NULL;
}

static struct tn_source *open_file(struct tn_bundle *bundle, const char *path)
{
    struct tn_error                error = TN_ERROR_INIT;
    const struct tn_bundle_options how   = { .keep_unmapped = false };

    tn_memory_init(&memory, NULL, 0);
    if (tn_bundle_open(bundle, &memory, path, &how, &error) != TN_OK)
        fail_msg("%s: %s", path, error.what);
    return bundle->main;
}

static void close_file(struct tn_bundle *bundle)
{
    tn_bundle_close(bundle);
    assert_int_equal(memory.used, 0);
}

/* ---- one message --------------------------------------------------------- */

/* Computed afresh: the fingerprint that lies beside it is of another model. */
static void of_a_real_message(void **state)
{
    struct tn_tf_fingerprint print = { .producer = 0 };
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_bundle         bundle;
    struct tn_source        *index;

    (void)state;
    if (!has_data())
        return;
    struct tn_source *file = open_file(&bundle, MODEL "/saved_model.pb");
    assert_int_equal(tn_bundle_sibling(&bundle,
                                       tn_text("variables/variables.index"),
                                       &index, &error),
                     TN_OK);
    tn_tf_fingerprint_message(&print, (struct tn_span){ file, 0, file->size },
                              &memory, &error);
    tn_tf_fingerprint_checkpoint(&print, index, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(print.producer, 4);
    assert_int_equal(print.hashes[0], UINT64_C(8222087321711120030));
    assert_int_equal(print.hashes[1], UINT64_C(10127142238652115842));
    assert_int_equal(print.hashes[2], UINT64_C(15570736222402453744));
    assert_int_equal(print.hashes[3], UINT64_C(3678101440349108924));
    assert_int_equal(print.hashes[4], UINT64_C(10777351483382372258));
    close_file(&bundle);
}

static void of_a_stored_file(void **state)
{
    struct tn_tf_fingerprint print;
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_bundle         bundle;

    (void)state;
    if (!has_data())
        return;
    struct tn_source *file = open_file(&bundle, MODEL "/fingerprint.pb");
    tn_tf_fingerprint_read(&print, (struct tn_span){ file, 0, file->size },
                           &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(print.producer, 1);
    assert_int_equal(print.hashes[0], UINT64_C(15788619162413586750));
    assert_int_equal(print.hashes[1], UINT64_C(706963557435316516));
    assert_int_equal(print.hashes[2], UINT64_C(5693392539583495303));
    assert_int_equal(print.hashes[3], UINT64_C(12074714563970609759));
    assert_int_equal(print.hashes[4], UINT64_C(10788359570789890102));
    assert_int_equal(print.uuid.size, 0);
    close_file(&bundle);
}

static enum tn_status print_bytes(struct tn_bytes           bytes,
                                  struct tn_tf_fingerprint *print,
                                  struct tn_error          *error)
{
    struct tn_memory own;
    struct tn_source source;

    tn_memory_init(&own, NULL, 0);
    tn_source_memory(&source, &own, bytes);
    tn_tf_fingerprint_message(print, (struct tn_span){ &source, 0, bytes.size },
                              &own, error);
    tn_source_close(&source);
    assert_int_equal(own.used, 0);
    return error->status;
}

static enum tn_status print_text(const char *text, const char *detail,
                                 struct tn_tf_fingerprint *print,
                                 struct tn_error          *error)
{
    char model[2000];

    snprintf(model, sizeof model, text, detail);
    struct tn_bytes bytes = binary_of(&tn_format_tf_saved_model, model);
    *print                = (struct tn_tf_fingerprint){ .producer = 0 };
    *error                = (struct tn_error)TN_ERROR_INIT;
    print_bytes(bytes, print, error);
    free((void *)bytes.data);
    return error->status;
}

#define NODE(text)                                                             \
    "saved_model_schema_version: 1 meta_graphs { graph_def { node { name: "    \
    "\"n\" " text " } } }"
#define FUNCTION(op)                                                           \
    NODE("op: \"" op "\" attr { key: \"f\" value { func { name: \"%s\" attr "  \
         "{ key: \"T\" value { i: 3 } } } } }")
#define CONFIG                                                                 \
    NODE("op: \"PartitionedCall\" attr { key: \"config_proto\" value { %s } "  \
         "}")
#define CONST(type)                                                            \
    NODE("op: \"Const\" attr { key: \"dtype\" value { type: " type " } } "     \
         "attr { key: \"value\" value { tensor { dtype: " type " %s } } }")
#define GRAPH "saved_model_schema_version: 1 meta_graphs { graph_def { %s } }"
#define FUNCTIONS                                                              \
    "saved_model_schema_version: 1 meta_graphs { object_graph_def { "          \
    "concrete_functions { key: \"%s\" value { } } } }"

/* What the program's hash sees, and what not. */
static const struct {
    const char *name, *text, *one, *other;
    bool        is_same;
} programs[] = {
    { "a number at the end", FUNCTION("PartitionedCall"), "f_12", "f_7", true },
    { "stateful, too", FUNCTION("StatefulPartitionedCall"), "f_1", "f_2",
      true },
    { "other ops are not looked into", FUNCTION("While"), "f_1", "f_2", false },
    { "no number", FUNCTION("PartitionedCall"), "f", "g", false },
    { "what is before the number", FUNCTION("PartitionedCall"), "f_1", "g_1",
      false },
    { "a number of its own", FUNCTION("PartitionedCall"), "1", "2", true },
    { "leading zeros stay", FUNCTION("PartitionedCall"), "f_07", "f_7", false },
    { "a negative number", FUNCTION("PartitionedCall"), "f_-7", "f_7", true },
    { "past 64 bits: no number", FUNCTION("PartitionedCall"),
      "f_99999999999999999999", "f_", false },
    { "settings of the machine", CONFIG, "s: \"a\"", "s: \"b\"", true },
    { "whatever they are", CONFIG, "i: 5", "s: \"b\"", true },
    { "texts", CONST("7"), "string_val: \"a\"", "string_val: \"b\"", true },
    { "numbers", CONST("3"), "int_val: 1", "int_val: 2", false },
    { "versions", GRAPH, "versions { producer: 1 }", "versions { producer: 2 }",
      true },
    { "functions", GRAPH, "",
      "library { function { signature { name: \"f\" } } }", true },
    { "the old version number", GRAPH, "version: 1", "version: 2", false },
    { "order of attributes", GRAPH,
      "node { name: \"n\" attr { key: \"a\" } attr { key: \"b\" } }",
      "node { name: \"n\" attr { key: \"b\" } attr { key: \"a\" } }", true },
};

static void what_a_program_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct tn_tf_fingerprint one, other;
        struct tn_error          error;
        print_text(programs[i].text, programs[i].one, &one, &error);
        assert_int_equal(error.status, TN_OK);
        print_text(programs[i].text, programs[i].other, &other, &error);
        assert_int_equal(error.status, TN_OK);
        bool is_same = one.hashes[TN_TF_PROGRAM] == other.hashes[TN_TF_PROGRAM];
        if (is_same != programs[i].is_same)
            fail_msg("%s", programs[i].name);
    }
}

/* An empty graph: two empty messages. */
static void of_an_empty_graph(void **state)
{
    struct tn_tf_fingerprint print;
    struct tn_error          error;

    (void)state;
    print_text(GRAPH, "", &print, &error);
    assert_int_equal(print.hashes[TN_TF_PROGRAM],
                     tn_farmhash64(tn_bytes("\x12\x00\x22\x00", 4)));
    assert_int_equal(print.hashes[TN_TF_SIGNATURES], 0);
    assert_int_equal(print.hashes[TN_TF_OBJECTS], 0);
}

static const struct {
    const char    *text, *detail;
    enum tn_status status;
} answers[] = {
    { "saved_model_schema_version: 1 %s", "", TN_UNSUPPORTED },
    { FUNCTIONS, "f_1", TN_OK },
    { FUNCTIONS, "f", TN_UNSUPPORTED },
    { FUNCTIONS, "f_", TN_UNSUPPORTED },
    { FUNCTIONS, "f_1\" } concrete_functions { key: \"g_1", TN_UNSUPPORTED },
    { FUNCTIONS, "f_1\" } concrete_functions { key: \"g_2", TN_OK },
};

static void where_there_is_no_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct tn_tf_fingerprint print;
        struct tn_error          error;
        print_text(answers[i].text, answers[i].detail, &print, &error);
        if (error.status != answers[i].status)
            fail_msg("%zu: %s", i, error.what);
    }
}

/* TensorFlow's test of its own serialization. */
static void of_two_nodes(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_pb_schema schema;
    struct tn_arena     arena;
    struct tn_bytes     bytes =
        binary_of(&tn_format_tf_graph, "node { op: \"op1\" name: \"name1\" } "
                                       "node { name: \"name2\" op: \"op2\" }");

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(TN_PB_TENSORFLOW),
                      &error);
    struct tn_pb_view graph =
        tn_pb_view(tn_pb_schema_find(&schema, "tensorflow.GraphDef"),
                   tn_cursor_bytes(bytes, 0, &error), &arena);
    assert_int_equal(tn_tf_hash_view(&graph), UINT64_C(4870331646167591885));
    tn_arena_done(&arena);
    free((void *)bytes.data);
}

/* ---- chunks -------------------------------------------------------------- */

static uint64_t hash_at(struct tn_cpb *cpb, const struct tn_field_tag *tags,
                        uint64_t count)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_arena arena;
    uint64_t        hash = 1;

    tn_arena_init(&arena, &memory);
    tn_tf_hash_chunks(&cpb->meta.message, (struct tn_tags){ tags, count },
                      &cpb->store, &arena, &hash, &error);
    assert_int_equal(error.status, TN_OK);
    tn_arena_done(&arena);
    return hash;
}

static void open_chunks(struct tn_bundle *bundle, struct tn_cpb *cpb,
                        const char *path)
{
    struct tn_error error = TN_ERROR_INIT;

    struct tn_source *file = open_file(bundle, path);
    assert_int_equal(tn_cpb_open(cpb, file, &memory, &error), TN_OK);
}

static void of_real_chunks(void **state)
{
    const struct tn_field_tag path[]       = { tn_tag_field(2), tn_tag_index(0),
                                               tn_tag_field(2) };
    const struct tn_field_tag signatures[] = { path[0], path[1],
                                               tn_tag_field(5) };
    const struct tn_field_tag objects[] = { path[0], path[1], tn_tag_field(7) };
    uint64_t         empty = tn_farmhash64((struct tn_bytes){ NULL, 0 });
    struct tn_bundle bundle;
    struct tn_cpb    cpb;

    (void)state;
    if (!has_data())
        return;
    open_chunks(&bundle, &cpb, SPLIT "many-field.cpb");
    assert_int_equal(hash_at(&cpb, NULL, 0), UINT64_C(14850154939410192811));
    tn_cpb_close(&cpb);
    close_file(&bundle);
    open_chunks(&bundle, &cpb, SPLIT "split-standard.cpb");
    assert_int_equal(tn_tf_hash_join(empty, hash_at(&cpb, path, 3)),
                     UINT64_C(16782272393894422524));
    assert_int_equal(hash_at(&cpb, signatures, 3), 0);
    assert_int_equal(tn_tf_hash_join(empty, hash_at(&cpb, objects, 3)),
                     UINT64_C(17454850744699451884));
    tn_cpb_close(&cpb);
    close_file(&bundle);
}

static void of_a_chunked_model(void **state)
{
    struct tn_tf_fingerprint print = { .producer = 0 };
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_bundle         bundle;
    struct tn_cpb            cpb;

    (void)state;
    if (!has_data())
        return;
    open_chunks(&bundle, &cpb, SPLIT "split-standard.cpb");
    tn_tf_fingerprint_chunks(&print, &cpb.meta.message, &cpb.store, &memory,
                             &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(print.producer, 2);
    assert_int_equal(print.hashes[TN_TF_OBJECTS],
                     UINT64_C(17454850744699451884));
    assert_int_equal(
        print.hashes[TN_TF_CHECKSUM],
        tn_tf_hash_join(hash_at(&cpb, NULL, 0),
                        tn_farmhash64((struct tn_bytes){ NULL, 0 })));
    tn_cpb_close(&cpb);
    close_file(&bundle);
    /* not a SavedModel */
    open_chunks(&bundle, &cpb, SPLIT "many-field.cpb");
    tn_tf_fingerprint_chunks(&print, &cpb.meta.message, &cpb.store, &memory,
                             &error);
    assert_int_equal(error.status, TN_UNSUPPORTED);
    tn_cpb_close(&cpb);
    close_file(&bundle);
}

/* ---- the file ------------------------------------------------------------ */

static struct tn_bytes write_print(const struct tn_tf_fingerprint *print,
                                   struct tn_buffer *to, struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, to->memory);
    tn_rope_init(&rope, &arena, error);
    tn_tf_fingerprint_write(print, &rope);
    tn_rope_write(&rope, &to->sink, error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return tn_buffer_bytes(to);
}

static void written_and_read(void **state)
{
    struct tn_tf_fingerprint print = { .hashes = { 1, 0, UINT64_MAX, 4, 5 },
                                       .uuid = tn_text("00000000000000000007"),
                                       .producer = 4 };
    struct tn_tf_fingerprint again;
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_source         source;
    struct tn_buffer         file;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_source_memory(&source, &memory, write_print(&print, &file, &error));
    tn_tf_fingerprint_read(&again, (struct tn_span){ &source, 0, source.size },
                           &error);
    assert_int_equal(error.status, TN_OK);
    assert_memory_equal(again.hashes, print.hashes, sizeof print.hashes);
    assert_true(tn_bytes_equal(again.uuid, print.uuid));
    assert_int_equal(again.producer, 4);
    assert_int_equal(again.places[0], 0);
    assert_int_equal(again.places[1], TN_NOWHERE);
    assert_int_equal(again.places[2], 2);
    tn_source_close(&source);
    tn_buffer_done(&file);
}

static void names_are_numbers(void **state)
{
    struct tn_tf_fingerprint print = { .hashes = { 1, 2, 3, 4, 5 } };
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_arena          arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_tf_fingerprint_name(&print, &arena, &error);
    assert_in_range(print.uuid.size, 20, 39);
    for (size_t i = 0; i < print.uuid.size; i++)
        assert_in_range(print.uuid.data[i], '0', '9');
    struct tn_bytes first = print.uuid;
    tn_tf_fingerprint_name(&print, &arena, &error);
    assert_true(tn_bytes_equal(first, print.uuid));
    print.hashes[0]++;
    tn_tf_fingerprint_name(&print, &arena, &error);
    assert_false(tn_bytes_equal(first, print.uuid));
    tn_arena_done(&arena);
}

static enum tn_status print_hostile(struct tn_bytes   input,
                                    struct tn_memory *own,
                                    struct tn_error  *error)
{
    struct tn_tf_fingerprint print;
    struct tn_source         source;

    tn_source_memory(&source, own, input);
    struct tn_span span = { &source, 0, input.size };
    tn_tf_fingerprint_message(&print, span, own, error);
    tn_source_close(&source);
    return error->status;
}

static enum tn_status read_hostile(struct tn_bytes input, struct tn_memory *own,
                                   struct tn_error *error)
{
    struct tn_tf_fingerprint print;
    struct tn_source         source;

    tn_source_memory(&source, own, input);
    tn_tf_fingerprint_read(&print, (struct tn_span){ &source, 0, input.size },
                           error);
    tn_source_close(&source);
    return error->status;
}

static void hostility(void **state)
{
    struct tn_bytes bytes = binary_of(
        &tn_format_tf_saved_model,
        "saved_model_schema_version: 1 meta_graphs { graph_def { node { name: "
        "\"n\" op: \"PartitionedCall\" attr { key: \"f\" value { func { name: "
        "\"f_1\" } } } attr { key: \"config_proto\" value { s: \"x\" } } } } "
        "signature_def { key: \"s\" value { method_name: \"m\" } } "
        "object_graph_def { concrete_functions { key: \"f_1\" value { } } } }");

    (void)state;
    tn_survives_every_flip(print_hostile, bytes);
    tn_survives_no_memory(print_hostile, bytes);
    tn_survives_every_flip(
        read_hostile,
        tn_bytes("\x08\x05\x10\x06\x32\x02\x08\x04\x3a\x01\x37", 11));
    free((void *)bytes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_real_message),
        cmocka_unit_test(of_a_stored_file),
        cmocka_unit_test(what_a_program_is),
        cmocka_unit_test(of_an_empty_graph),
        cmocka_unit_test(where_there_is_no_answer),
        cmocka_unit_test(of_two_nodes),
        cmocka_unit_test(of_real_chunks),
        cmocka_unit_test(of_a_chunked_model),
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(names_are_numbers),
        cmocka_unit_test(hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
