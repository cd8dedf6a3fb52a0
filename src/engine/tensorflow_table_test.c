/*
 * tensorflow_table_test.c - what TensorFlow's own tests of its splitters and
 * mergers claim, row by row
 *
 * A test is called after its row: area, then what is given.  Where TensorFlow
 * ends the process or refuses what has an obvious meaning, the row says what is
 * done here instead.  Rows with files of TensorFlow's are skipped without them.
 * The sizes of its log lines are in cli/text_test.c; the fingerprints of
 * VarsAndArithmeticObjectGraph, computed and stored, in tf_fingerprint_test.c.
 */
#define _GNU_SOURCE
#include "support/scratch.h"

#include "chunk/chunk_judge.h"
#include "chunk/cpb.h"
#include "chunk/splitter.h"
#include "codec/farmhash.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "format/tensorflow/tf_split.h"
#include "support/random_message.h"
#include "wire/pb/pb_text_write.h"

#define GOLDEN   TN_SHARED_DATA "/tensorflow/proto_splitter/"
#define TESTDATA "tensorflow.proto_splitter_testdata."
#define MANY     TESTDATA "ManyFields"
#define GRAPH    "tensorflow.GraphDef"
#define SAVED    "tensorflow.SavedModel"

static struct judge      judge;
static struct tn_schema *testdata, *tensorflow;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    judge_open(&judge);
    struct tn_bytes set = judge_set("chunk", "testdata");
    tn_schema_open(&testdata, set, NULL, &error);
    free((void *)(uintptr_t)set.data);
    return tn_schema_builtin(&tensorflow, "tensorflow", NULL, &error);
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(testdata);
    tn_schema_close(tensorflow);
    judge_close(&judge);
    return 0;
}

/* ---- helpers ------------------------------------------------------------- */

static struct tn_schema *schema_of(const char *type)
{
    return strstr(type, "testdata") ? testdata : tensorflow;
}

static struct tn_bytes load(const char *name)
{
    char path[400];

    snprintf(path, sizeof path, GOLDEN "%s", name);
    struct tn_bytes bytes = tn_load_file(path);
    if (!bytes.data)
        print_message("skipped: wants real models: %s\n", path);
    return bytes;
}

static void release(struct tn_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* The text has maps in the order of their keys. */
static void print(struct tn_message *message, struct tn_buffer *to)
{
    tn_pb_text_write(message->type, tn_message_span(message), &to->sink,
                     &judge.memory, to->error);
}

/* TensorFlow, too, compares messages by their one spelling. */
static void assert_equal(struct tn_message *a, struct tn_message *b)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer first, second;

    tn_buffer_init(&first, &judge.memory, &error);
    tn_buffer_init(&second, &judge.memory, &error);
    print(a, &first);
    print(b, &second);
    assert_string_equal(error.what, "");
    assert_string_equal(tn_buffer_string(&first), tn_buffer_string(&second));
    tn_buffer_done(&first);
    tn_buffer_done(&second);
}

static struct tn_buffer encoded; /* of the message that was made last         */

static struct tn_message *message_of(const char *type, const char *text)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_message *message;

    judge_encode(&judge, &schema_of(type)->types, type, text, &encoded);
    tn_message_bytes(&message, schema_of(type), type, tn_buffer_bytes(&encoded),
                     NULL, &error);
    assert_string_equal(error.what, "");
    return message;
}

static void close_message(struct tn_message *message)
{
    tn_message_close(message);
    tn_buffer_done(&encoded);
}

static void assert_is_text(struct tn_message *message, const char *type,
                           struct tn_bytes text)
{
    char              *copy = strndup((const char *)text.data, text.size);
    struct tn_message *want = message_of(type, copy);

    assert_equal(message, want);
    close_message(want);
    free(copy);
}

/* ---- read ---------------------------------------------------------------- */

static void assert_reads(const char *name, const char *text, const char *type)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_bytes    want  = load(text);
    struct tn_message *merged;
    char               prefix[400];

    if (!want.data)
        return;
    snprintf(prefix, sizeof prefix, GOLDEN "%s", name);
    tn_merge_read(&merged, schema_of(type), type, prefix, NULL, 0, NULL,
                  &error);
    assert_string_equal(error.what, "");
    assert_is_text(merged, type, want);
    tn_message_close(merged);
    release(want);
}

static void read_bf_split_tree(void **state)
{
    (void)state;
    assert_reads("bf-split-tree", "split-tree.pbtxt", TESTDATA "StringNode");
}

/* The .cpb is asked for: beside two of them is a .pb of another run. */
static void read_files_equal_their_texts(void **state)
{
    (void)state;
    assert_reads("split-large-nodes.cpb", "split-large-nodes.pbtxt", GRAPH);
    assert_reads("split-large-constant.cpb", "split-large-constant.pbtxt",
                 GRAPH);
    assert_reads("many-field", "many-field.pbtxt", MANY);
    assert_reads("split-standard", "split-standard.pbtxt", SAVED);
}

static void merge_in_memory_ten_nodes(void **state)
{
    static const char *const values[] = {
        "0",       "010",     "01020",   "01021",   "0102030",
        "0102031", "0102032", "0102130", "0102131", "0102132",
    };
    struct tn_error error = TN_ERROR_INIT;
    struct tn_bytes tree  = load("bf-split-tree.pbtxt"),
                    want  = load("split-tree.pbtxt");
    struct tn_buffer   chunked, chunks[10];
    struct tn_bytes    bytes[10];
    struct tn_message *merged;
    char               text[40];

    (void)state;
    if (!tree.data || !want.data)
        return;
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "val: \"%s\"", values[i]);
        judge_encode(&judge, &judge.testdata, TESTDATA "StringNode", text,
                     &chunks[i]);
        bytes[i] = tn_buffer_bytes(&chunks[i]);
    }
    char *copy = strndup((const char *)tree.data, tree.size);
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkedMessage", copy, &chunked);
    tn_merge(&merged, testdata, TESTDATA "StringNode", bytes, 10,
             tn_buffer_bytes(&chunked), NULL, &error);
    assert_string_equal(error.what, "");
    assert_is_text(merged, TESTDATA "StringNode", want);
    tn_message_close(merged);
    tn_buffer_done(&chunked);
    for (int i = 0; i < 10; i++)
        tn_buffer_done(&chunks[i]);
    free(copy);
    release(tree);
    release(want);
}

static void partial_read_of_the_base_alone(void **state)
{
    struct tn_error      error   = TN_ERROR_INIT;
    const struct tn_step map[]   = { TN_NAME("map_field_int64") };
    const struct tn_path paths[] = { { map, 1 } };
    struct tn_bytes      there   = load("many-field.pbtxt");
    struct tn_message   *merged;

    (void)state;
    if (!there.data)
        return;
    tn_merge_read(&merged, testdata, MANY, GOLDEN "many-field", paths, 1, NULL,
                  &error);
    assert_string_equal(error.what, "");
    assert_is_text(merged, MANY,
                   tn_text("map_field_int64 { key: -1345 "
                           "value: \"map_value_-1345\" }"));
    tn_message_close(merged);
    release(there);
}

static void from_memory_as_from_the_file(void **state)
{
    static const char *const names[] = { "many-field", "split-standard" };
    static const char *const types[] = { MANY, SAVED };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tn_error    error = TN_ERROR_INIT;
        struct tn_message *a, *b;
        char               name[100], path[400];

        snprintf(name, sizeof name, "%s.cpb", names[i]);
        snprintf(path, sizeof path, GOLDEN "%s", name);
        struct tn_bytes file = load(name);
        if (!file.data)
            continue;
        tn_merge_bytes(&a, schema_of(types[i]), types[i], file, NULL, &error);
        tn_merge_read(&b, schema_of(types[i]), types[i], path, NULL, 0, NULL,
                      &error);
        assert_string_equal(error.what, "");
        assert_equal(a, b);
        tn_message_close(a);
        tn_message_close(b);
        release(file);
    }
}

static void merge_bad_path(void **state)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_bytes    chunk = tn_text("x");
    struct tn_buffer   chunked;
    struct tn_message *merged;

    (void)state;
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkedMessage",
                 "chunked_fields { field_tag { field: 99999 } "
                 "message { chunk_index: 0 } }",
                 &chunked);
    assert_int_equal(tn_merge(&merged, testdata, MANY, &chunk, 1,
                              tn_buffer_bytes(&chunked), NULL, &error),
                     TN_MALFORMED);
    assert_non_null(strstr(error.what, "not found in message descriptor"));
    tn_buffer_done(&chunked);
}

static void read_chunk_has_the_size_it_says(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_bytes  file  = load("split-standard.cpb");
    struct tn_source source;
    struct tn_cpb    cpb;
    struct tn_span   chunk;

    (void)state;
    if (!file.data)
        return;
    tn_source_memory(&source, &judge.memory, file);
    tn_cpb_open(&cpb, &source, &judge.memory, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(cpb.meta.chunk_count, 9);
    for (uint64_t i = 0; i < cpb.meta.chunk_count; i++) {
        cpb.store.read(&cpb.store, i, &chunk, &error);
        assert_int_equal(chunk.length, cpb.meta.chunks[i].size);
    }
    tn_cpb_close(&cpb);
    tn_source_close(&source);
    release(file);
}

/* ---- paths --------------------------------------------------------------- */

/* 1 is field 1, @2 index 2, =3 a key; "!" and a complaint: refused. */
static const struct path_row {
    const char    *name;
    struct tn_step steps[7];
    uint64_t       count;
    const char    *want;
} path_rows[] = {
    { "nested_map_bool, true, 2, 50, 7, false",
      { TN_NAME("nested_map_bool"), TN_NAME("true"), TN_AT(2), TN_AT(50),
        TN_AT(7), TN_NAME("false") },
      6,
      "7 =1 2 @50 7 =0" },
    { "map_field_int64, -4234",
      { TN_NAME("map_field_int64"), TN_AT(-4234) },
      2,
      "6 =-4234" },
    { "repeated_field, 1505, map_field_uint32, 123",
      { TN_NAME("repeated_field"), TN_AT(1505), TN_NAME("map_field_uint32"),
        TN_AT(123) },
      4,
      "2 @1505 5 =123" },
    { "repeated_field, \"1505\", map_field_uint32, 123",
      { TN_NAME("repeated_field"), TN_NAME("1505"), TN_NAME("map_field_uint32"),
        TN_AT(123) },
      4,
      "2 @1505 5 =123" },
    { "field_one, repeated_field, 15, map_field_uint32, 10",
      { TN_NAME("field_one"), TN_NAME("repeated_field"), TN_AT(15),
        TN_NAME("map_field_uint32"), TN_AT(10) },
      5,
      "1 2 @15 5 =10" },
    { "an unknown name", { TN_NAME("INVALID") }, 1, "!unable to find field" },
    { "number 10000", { TN_AT(10000) }, 1, "!unable to find field" },
    { "going into a scalar",
      { TN_NAME("string_field"), TN_NAME("a") },
      2,
      "!field not found" },
};

static void spell(struct tn_tags tags, char *to, size_t size)
{
    static const char *const heads[] = { "?", "", "=", "@" };
    size_t                   used    = 0;

    to[0] = '\0';
    for (uint64_t i = 0; i < tags.count; i++)
        used +=
            (size_t)snprintf(to + used, size - used, "%s%s%lld", i ? " " : "",
                             heads[tags.at[i].kind == TN_TAG_FIELD ? 1
                                   : tags.at[i].kind == TN_TAG_KEY ? 2
                                                                   : 3],
                             (long long)tags.at[i].at.number);
}

static void paths_build(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof path_rows / sizeof *path_rows; i++) {
        const struct path_row *row   = &path_rows[i];
        struct tn_error        error = TN_ERROR_INIT;
        struct tn_tags         tags  = { NULL, 0 };
        char                   text[100];

        tn_tags_build(&tags, judge.many, row->steps, row->count, false,
                      &judge.arena, &error);
        spell(tags, text, sizeof text);
        if (row->want[0] == '!')
            assert_non_null(strstr(error.what, row->want + 1));
        else if (strcmp(text, row->want))
            fail_msg("%s: %s %s", row->name, text, error.what);
    }
}

static void paths_read(void **state)
{
#define FIELD(n) tn_tag_field(n)
#define INDEX(n) tn_tag_index(n)
#define KEY(k, n)                                                              \
    {                                                                          \
        .kind = TN_TAG_KEY, .key = (k), .at.number = (n)                       \
    }
    const struct {
        struct tn_field_tag tags[4];
        uint64_t            count, good;
        const char         *complaint;
    } rows[] = {
        { { FIELD(2), INDEX(1505), FIELD(5), KEY(TN_KEY_UINT32, 123) },
          4,
          2,
          "" },
        { { FIELD(2), INDEX(1505), INDEX(1) },
          3,
          1,
          "index doesn't belong to any field" },
        { { FIELD(5), KEY(TN_KEY_UINT32, 1), INDEX(1) },
          3,
          1,
          "index doesn't belong to any field" },
        { { FIELD(7), KEY(TN_KEY_BOOL, 1), KEY(TN_KEY_BOOL, 1) },
          3,
          1,
          "map key doesn't belong to any field" },
        { { FIELD(2), INDEX(1), KEY(TN_KEY_BOOL, 1) },
          3,
          1,
          "map key doesn't belong to any field" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error             error = TN_ERROR_INIT;
        struct tn_tags              tags  = { rows[i].tags, rows[i].count };
        const struct tn_pb_message *type  = judge.many;
        struct tn_tag_step          step;
        uint64_t                    good = 0;

        for (; tags.count && tn_tags_step(&tags, type, &step, &error) == TN_OK;
             good++)
            type = tn_step_message(&step);
        assert_int_equal(good, rows[i].good);
        assert_non_null(strstr(error.what, rows[i].complaint));
    }
}

/* ---- fields -------------------------------------------------------------- */

static void get_field_that_is_not_there(void **state)
{
    static const struct {
        struct tn_step steps[2];
        uint64_t       count;
        enum tn_status status;
        const char    *what;
    } rows[] = {
        { { TN_AT(2), TN_AT(100) }, 2, TN_NOT_FOUND, "can't access index 100" },
        { { TN_NAME("INVALID") }, 1, TN_INVALID, "find field INVALID" },
        { { TN_AT(5), TN_AT(10000) }, 2, TN_NOT_FOUND, "couldn't find key" },
    };
    struct tn_message  *message = message_of(MANY, "repeated_field {} "
                                                    "repeated_field {}");
    struct tn_error     error   = TN_ERROR_INIT;
    struct tn_splitter *splitter;

    (void)state;
    tn_splitter_open(&splitter, message, &error);
    for (size_t i = 0; i < 3; i++) {
        error = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(tn_splitter_take(splitter, rows[i].steps,
                                          rows[i].count, TN_AT_END, &error),
                         rows[i].status);
        assert_non_null(strstr(error.what, rows[i].what));
    }
    tn_splitter_close(splitter);
    close_message(message);
}

/* Merges "new" into the place that the tags name. */
static enum tn_status set(const char *base, const char *tags, const char *want,
                          struct tn_error *error)
{
    struct tn_buffer   chunked, bytes;
    struct tn_message *merged;
    char               text[300];

    snprintf(text, sizeof text,
             "chunk_index: 0 chunked_fields { %s message { chunk_index: 1 } }",
             tags);
    judge_encode(&judge, &judge.testdata, MANY, base, &bytes);
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkedMessage", text, &chunked);
    struct tn_bytes chunks[] = { tn_buffer_bytes(&bytes), tn_text("new") };
    tn_merge(&merged, testdata, MANY, chunks, 2, tn_buffer_bytes(&chunked),
             NULL, error);
    if (merged)
        assert_is_text(merged, MANY, tn_text(want));
    tn_message_close(merged);
    tn_buffer_done(&chunked);
    tn_buffer_done(&bytes);
    return error->status;
}

/* TensorFlow's setter refuses index 1 of 1; its merger means "the next". */
static void set_element(void **state)
{
    static const struct {
        const char    *base, *tags, *want;
        enum tn_status status;
        const char    *complaint;
    } rows[] = {
        { "", "field_tag { field: 4 } field_tag { index: 0 }",
          "repeated_string_field: \"new\"", TN_OK, "" },
        { "repeated_string_field: \"a\"",
          "field_tag { field: 4 } field_tag { index: 1 }",
          "repeated_string_field: [\"a\", \"new\"]", TN_OK, "" },
        { "repeated_string_field: [\"a\", \"b\"]",
          "field_tag { field: 4 } field_tag { index: 0 }",
          "repeated_string_field: [\"new\", \"b\"]", TN_OK, "" },
        { "repeated_string_field: \"a\"",
          "field_tag { field: 4 } field_tag { index: 2 }", "", TN_MALFORMED,
          "field index out of range" },
        { "", "field_tag { field: 6 } field_tag { index: 0 }", "", TN_MALFORMED,
          "the map map_field_int64 needs a key" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error error = TN_ERROR_INIT;
        assert_int_equal(set(rows[i].base, rows[i].tags, rows[i].want, &error),
                         rows[i].status);
        assert_non_null(strstr(error.what, rows[i].complaint));
    }
}

static void map_entry(void **state)
{
    static const char added[] =
        "field_tag { field: 6 } field_tag { map_key { i64: -4234 } }";
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    set("", added, "map_field_int64 { key: -4234 value: \"new\" }", &error);
    set("map_field_int64 { key: -4234 value: \"old\" } "
        "map_field_int64 { key: 1345 value: \"other\" }",
        added,
        "map_field_int64 { key: -4234 value: \"new\" } "
        "map_field_int64 { key: 1345 value: \"other\" }",
        &error);
    assert_string_equal(error.what, "");
    assert_int_equal(
        set("", "field_tag { field: 3 } field_tag { map_key { i64: 1 } }", "",
            &error),
        TN_MALFORMED);
    assert_non_null(strstr(error.what, "is not a map"));
}

/* ---- composing ----------------------------------------------------------- */

static void assert_chunk(struct tn_splitter *splitter, uint64_t index,
                         enum tn_chunk_type type, const char *bytes)
{
    struct tn_error error = TN_ERROR_INIT;
    char            room[100];
    size_t          size = (size_t)tn_splitter_chunk_size(splitter, index);

    assert_int_equal(size, strlen(bytes));
    assert_int_equal(tn_splitter_chunk_type(splitter, index), type);
    tn_splitter_chunk_read(splitter, index, 0, room, size, &error);
    assert_memory_equal(room, bytes, size);
}

/* Each string of a RepeatedString its own chunk. */
static void take_strings(struct tn_splitter *splitter)
{
    struct tn_error      error   = TN_ERROR_INIT;
    const struct tn_step field[] = { TN_NAME("strings") };
    uint64_t             count   = 0;

    tn_splitter_count(splitter, field, 1, &count, &error);
    for (uint64_t i = 0; i < count; i++)
        tn_splitter_take(splitter,
                         (struct tn_step[]){ field[0], TN_AT((int64_t)i) }, 2,
                         TN_AT_END, &error);
    assert_string_equal(error.what, "");
}

static const char three[] =
    "strings: \"piece-1\" strings: \"piece-2\" strings: \"piece-3\"";

static void composing_strings_without_a_base(void **state)
{
    static const char *const pieces[] = { "piece-1", "piece-2", "piece-3" };
    struct tn_message  *message = message_of(TESTDATA "RepeatedString", three);
    struct tn_error     error   = TN_ERROR_INIT;
    struct tn_splitter *splitter;
    char                path[100];

    (void)state;
    tn_splitter_open(&splitter, message, &error);
    take_strings(splitter);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
        assert_false(splitter->result.has_chunk);
        assert_int_equal(splitter->result.field_count, 3);
        for (uint64_t i = 0; i < 3; i++) {
            const struct tn_chunked_field *field = &splitter->result.fields[i];
            assert_int_equal(field->message.chunk, i);
            spell(field->tags, path, sizeof path);
            assert_string_equal(path, i == 0   ? "1 @0"
                                      : i == 1 ? "1 @1"
                                               : "1 @2");
            assert_chunk(splitter, i, TN_CHUNK_BYTES, pieces[i]);
        }
    }
    tn_splitter_close(splitter);
    close_message(message);
}

static void composing_write_and_read_back(void **state)
{
    struct tn_message  *message = message_of(TESTDATA "RepeatedString", three);
    struct tn_error     error   = TN_ERROR_INIT;
    struct tn_splitter *splitter;
    struct tn_bytes     file;
    struct tn_source    source;
    struct tn_cpb       cpb;
    struct tn_span      chunk;
    bool                is_chunked;
    char                room[7];

    (void)state;
    tn_splitter_open(&splitter, message, &error);
    take_strings(splitter);
    tn_splitter_write_memory(splitter, NULL, &file, &is_chunked, &error);
    assert_true(is_chunked);
    tn_source_memory(&source, &judge.memory, file);
    tn_cpb_open(&cpb, &source, &judge.memory, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(cpb.meta.chunk_count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(cpb.meta.chunks[i].type, TN_CHUNK_BYTES);
        assert_int_equal(cpb.meta.chunks[i].size, 7);
        assert_int_equal(cpb.meta.chunks[i].offset, 64 + i);
        cpb.store.read(&cpb.store, i, &chunk, &error);
        tn_source_read(chunk.source, chunk.offset, room, 7, &error);
        assert_memory_equal(room, three + 10 + 19 * i, 7);
    }
    tn_cpb_close(&cpb);
    tn_source_close(&source);
    tn_splitter_close(splitter);
    close_message(message);
}

static void composing_nothing(void **state)
{
    struct tn_message  *message = message_of(TESTDATA "RepeatedString", "");
    struct tn_error     error   = TN_ERROR_INIT;
    struct tn_splitter *splitter;

    (void)state;
    tn_splitter_open(&splitter, message, &error);
    tn_splitter_keep_base(splitter, &error);
    take_strings(splitter);
    tn_splitter_split(splitter, &error);
    assert_int_equal(tn_splitter_chunk_count(splitter), 1);
    assert_true(splitter->result.has_chunk && splitter->result.chunk == 0);
    assert_int_equal(splitter->result.field_count, 0);
    tn_splitter_close(splitter);
    close_message(message);
}

static void composing_children(void **state)
{
    struct tn_message *message = message_of(
        TESTDATA "RepeatedRepeatedString",
        "rs { strings: [\"a\", \"b\", \"c\"] } rs { strings: \"d\" } "
        "rs { strings: [\"e\", \"f\"] }");
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_splitter *splitter, *child = NULL;
    char                path[100];

    (void)state;
    tn_splitter_open(&splitter, message, &error);
    tn_splitter_keep_base(splitter, &error);
    for (int i = 0; i < 3; i++) {
        tn_splitter_child(&child, splitter,
                          (struct tn_step[]){ TN_NAME("rs"), TN_AT(i) }, 2,
                          &error);
        take_strings(child);
    }
    assert_int_equal(tn_splitter_split(child, &error), TN_UNSUPPORTED);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_write(child,
                                       &(struct tn_target){ .path = "x" }, NULL,
                                       NULL, &error),
                     TN_UNSUPPORTED);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_splitter_split(splitter, &error);
    assert_int_equal(tn_splitter_chunk_count(splitter), 7);
    spell(splitter->result.fields[4].tags, path, sizeof path);
    assert_string_equal(path, "2 @2 1 @0");
    assert_int_equal(splitter->result.fields[4].message.chunk, 5);
    tn_splitter_close(splitter);
    close_message(message);
}

static void no_split_is_a_pb(void **state)
{
    struct tn_scratch  scratch = tn_scratch_open();
    struct tn_message *message = message_of(MANY, "string_field: \"a\""),
                      *again;
    struct tn_error     error  = TN_ERROR_INIT;
    char               *prefix = tn_scratch_path(&scratch, "whole");
    struct tn_target    target = { .path = prefix };
    struct tn_splitter *splitter;
    const char         *written;

    (void)state;
    tn_splitter_open(&splitter, message, &error);
    tn_splitter_keep_base(splitter, &error);
    tn_splitter_write(splitter, &target, "zstd:3", &written, &error);
    assert_string_equal(error.what, "");
    assert_non_null(strstr(written, "/whole.pb"));
    tn_message_open(&again, testdata, MANY, written, NULL, &error);
    assert_equal(message, again);
    tn_message_close(again);
    tn_splitter_close(splitter);
    close_message(message);
    free(prefix);
    tn_scratch_close(&scratch);
}

/* ---- graphs -------------------------------------------------------------- */

/* A constant of exactly so many bytes. */
static void put_constant(struct tn_buffer *to, uint32_t number, size_t size)
{
    static const uint8_t zeros[2000];
    static const size_t  around = 33; /* bytes of all but the content         */
    struct tn_buffer     tensor, value, entry, node;

    assert_true(size > around && size <= sizeof zeros);
    tn_buffer_init(&node, &judge.memory, to->error);
    for (size_t content = size; content && node.size != size; content--) {
        tn_buffer_init(&tensor, &judge.memory, to->error);
        tn_buffer_init(&value, &judge.memory, to->error);
        tn_buffer_init(&entry, &judge.memory, to->error);
        tn_buffer_clear(&node);
        tn_put_number(&tensor, 1, 1);
        tn_buffer_varint(&tensor, tn_tag(4, TN_WIRE_LEN));
        tn_buffer_varint(&tensor, content);
        tn_buffer_add(&tensor, tn_bytes(zeros, content));
        tn_put_body(&value, 8, &tensor);
        tn_put_text(&entry, 1, "value");
        tn_put_body(&entry, 2, &value);
        tn_put_text(&node, 1, "Const_1");
        tn_put_text(&node, 2, "Const");
        tn_put_body(&node, 5, &entry);
        tn_buffer_done(&tensor);
        tn_buffer_done(&value);
        tn_buffer_done(&entry);
    }
    assert_int_equal(node.size, size);
    tn_put_body(to, number, &node);
    tn_buffer_done(&node);
}

/* "96 96 / 50 50 / 50": nodes, then the nodes of each function. */
static void put_graph(struct tn_buffer *graph, const char *sizes)
{
    struct tn_buffer library, function, *to = graph;
    uint32_t         number = 1;

    tn_buffer_init(&library, &judge.memory, graph->error);
    tn_buffer_init(&function, &judge.memory, graph->error);
    for (char *at = (char *)(uintptr_t)sizes; *at;) {
        if (*at == '/') {
            if (to == &function)
                tn_put_body(&library, 1, &function);
            tn_buffer_clear(&function);
            to     = &function;
            number = 3;
            at++;
        } else if (*at == ' ') {
            at++;
        } else {
            put_constant(to, number, strtoul(at, &at, 10));
        }
    }
    if (to == &function) {
        tn_put_body(&library, 1, &function);
        tn_put_body(graph, 2, &library);
    }
    tn_buffer_done(&library);
    tn_buffer_done(&function);
}

struct split {
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_error     error;
};

static void split_bytes(struct split *s, const char *type,
                        struct tn_bytes bytes, enum tn_split_rules rules,
                        uint64_t most)
{
    struct tn_tf_split_options options = { rules, most };

    s->error = (struct tn_error)TN_ERROR_INIT;
    tn_message_bytes(&s->message, tensorflow, type, bytes, NULL, &s->error);
    tn_splitter_open(&s->splitter, s->message, &s->error);
    if (strcmp(type, SAVED) == 0)
        tn_tf_split_saved_model(s->splitter, &options, &s->error);
    else
        tn_tf_split_graph(s->splitter, &options, &s->error);
    tn_splitter_split(s->splitter, &s->error);
    assert_string_equal(s->error.what, "");
}

static void close_split(struct split *s)
{
    tn_splitter_close(s->splitter);
    tn_message_close(s->message);
}

static bool fits(const struct tn_splitter *splitter, uint64_t most)
{
    for (uint64_t i = 0; i < tn_splitter_chunk_count(splitter); i++)
        if (tn_splitter_chunk_type(splitter, i) == TN_CHUNK_MESSAGE &&
            tn_splitter_chunk_size(splitter, i) > most)
            return false;
    return true;
}

static void paths_of(const struct split *s, char *to, size_t size)
{
    size_t used = 0;
    char   path[200];

    to[0] = '\0';
    for (uint64_t i = 0; i < s->splitter->result.field_count; i++) {
        tn_tags_print(s->splitter->result.fields[i].tags, s->message->type,
                      path, sizeof path);
        used += (size_t)snprintf(to + used, size - used, "[%s]", path);
    }
}

#define FIFTEEN "95 96 95 96 95 96 95 96 95 96 95 96 95 96 95"

static const struct graph_row {
    const char         *name, *sizes;
    enum tn_split_rules rules;
    uint64_t            most, chunks;
    const char         *paths; /* NULL: not said                              */
} graph_rows[] = {
    { "sizes 50 100 50 50 100, MAX 500", "50 100 50 50 100", TN_SPLIT_CPP, 500,
      1, "" },
    { "15 Const nodes of 95 or 96 bytes, MAX 96*5 (C++)", FIFTEEN, TN_SPLIT_CPP,
      480, 5, "[][][][]" },
    { "15 such nodes, MAX 500 (Python)", FIFTEEN, TN_SPLIT_PYTHON, 500, 3,
      "[][]" },
    { "one function of 5 nodes of about 50, MAX 200 (Python)",
      "/ 37 37 38 38 37", TN_SPLIT_PYTHON, 200, 2, "[library.function[0]]" },
    { "one function of 500 500 50 500, MAX 200 (Python)", "/ 500 500 50 500",
      TN_SPLIT_PYTHON, 200, 4,
      "[library.function[0].node_def[0].attr[\"value\"].tensor.tensor_content]"
      "[library.function[0].node_def[1].attr[\"value\"].tensor.tensor_content]"
      "[library.function[0].node_def[3].attr[\"value\"].tensor."
      "tensor_content]" },
    { "nodes 6 x 50, functions 3, 1, 1, 1 x 50, MAX 200 (Python)",
      "50 50 50 50 50 50 / 50 50 50 / 50 / 50 / 50", TN_SPLIT_PYTHON, 200, 4,
      NULL },
};

static void graph_def_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof graph_rows / sizeof *graph_rows; i++) {
        const struct graph_row *row   = &graph_rows[i];
        struct tn_error         error = TN_ERROR_INIT;
        struct tn_buffer        graph;
        struct split            s;
        char                    paths[1000];

        tn_buffer_init(&graph, &judge.memory, &error);
        put_graph(&graph, row->sizes);
        split_bytes(&s, GRAPH, tn_buffer_bytes(&graph), row->rules, row->most);
        paths_of(&s, paths, sizeof paths);
        if (tn_splitter_chunk_count(s.splitter) != row->chunks ||
            (row->paths && strcmp(paths, row->paths)))
            fail_msg("%s: %d chunks, %s", row->name,
                     (int)tn_splitter_chunk_count(s.splitter), paths);
        close_split(&s);
        tn_buffer_done(&graph);
    }
}

/* Sizes of the chunks, b: BYTES; both rule sets where they differ. TensorFlow's
 * C++ makes chunk 0 of the first two 2 bytes longer: it leaves an empty library
 * where there was none, and then what is merged is not what was split. */
static const struct file_row {
    const char *file, *type;
    uint64_t    most;
    const char *cpp, *python;
} file_rows[] = {
    { "split-large-constant.pb", GRAPH, 500, "239 964b 964b", "239 964b 964b" },
    { "split-large-nodes.pb", GRAPH, 200, "114 95 95 95 95",
      "114 95 95 95 95" },
    { "function-large-nodes.pb", GRAPH, 200, "124 95 95 95 95",
      "124 95 95 95 95" },
    { "function-lots-of-nodes.pb", GRAPH, 500, "10 485 485 490",
      "2 485 490 494" },
    { "graph-def-and-function.pb", GRAPH, 200, "193 166 159 159",
      "159 190 166 159" },
    { "split-standard.pb", SAVED, 500,
      "276 964b 964b 464b 434 315 316 460b 211",
      "440 267 964b 964b 464b 315 316 460b 211" },
};

static void assert_sizes(const struct file_row *row, struct tn_bytes bytes,
                         enum tn_split_rules rules, const char *want)
{
    struct split    s;
    struct tn_bytes file;
    bool            is_chunked;
    char            text[200] = "";
    size_t          used      = 0;

    split_bytes(&s, row->type, bytes, rules, row->most);
    for (uint64_t i = 0; i < tn_splitter_chunk_count(s.splitter); i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%d%s", i ? " " : "",
            (int)tn_splitter_chunk_size(s.splitter, i),
            tn_splitter_chunk_type(s.splitter, i) == TN_CHUNK_BYTES ? "b" : "");
    assert_string_equal(text, want);
    assert_true(fits(s.splitter, row->most));
    tn_splitter_write_memory(s.splitter, NULL, &file, &is_chunked, &s.error);
    assert_string_equal(s.error.what, "");
    assert_true(is_chunked);
    close_split(&s);
}

static void graph_def_and_saved_model_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof file_rows / sizeof *file_rows; i++) {
        struct tn_bytes bytes = load(file_rows[i].file);
        if (!bytes.data)
            continue;
        assert_sizes(&file_rows[i], bytes, TN_SPLIT_CPP, file_rows[i].cpp);
        assert_sizes(&file_rows[i], bytes, TN_SPLIT_PYTHON,
                     file_rows[i].python);
        release(bytes);
    }
}

/* Python: nodes 1, 2, 3 and 5 of the base are empty, 0 and 4 are not. */
static void graph_def_large_nodes_leave_empty_ones(void **state)
{
    struct tn_bytes bytes = load("split-large-nodes.pb");
    struct split    s;

    (void)state;
    if (!bytes.data)
        return;
    split_bytes(&s, GRAPH, bytes, TN_SPLIT_PYTHON, 200);
    for (int64_t i = 0; i < 6; i++) {
        uint64_t       size;
        struct tn_step node[] = { TN_NAME("node"), TN_AT(i) };
        tn_splitter_size(s.splitter, node, 2, &size, &s.error);
        assert_int_equal(size == 0, i != 0 && i != 4);
    }
    close_split(&s);
    release(bytes);
}

/* ---- saved models -------------------------------------------------------- */

static void put_saved_model(struct tn_buffer *model, const char *sizes)
{
    struct tn_buffer graph, meta;

    tn_buffer_init(&graph, &judge.memory, model->error);
    tn_buffer_init(&meta, &judge.memory, model->error);
    put_graph(&graph, sizes);
    tn_put_body(&meta, 2, &graph);
    tn_put_body(model, 2, &meta);
    tn_buffer_done(&graph);
    tn_buffer_done(&meta);
}

static void saved_model_rows(void **state)
{
    static const struct {
        const char *sizes;
        uint64_t    chunks; /* 0: not said */
    } rows[] = {
        { "100 100 1000 100 1000 500 100 100 100 / 100 100 100 / 100 500 / 100 "
          "/ 100 100",
          0 },
        { "60 60 1900", 2 },
    };

    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int rules = 0; rules < 2; rules++) {
            struct tn_error  error = TN_ERROR_INIT;
            struct tn_buffer model;
            struct split     s;

            tn_buffer_init(&model, &judge.memory, &error);
            put_saved_model(&model, rows[i].sizes);
            split_bytes(&s, SAVED, tn_buffer_bytes(&model),
                        rules ? TN_SPLIT_PYTHON : TN_SPLIT_CPP, 500);
            assert_true(fits(s.splitter, 500));
            if (rows[i].chunks) {
                assert_int_equal(tn_splitter_chunk_count(s.splitter), 2);
                assert_int_equal(tn_splitter_chunk_type(s.splitter, 1),
                                 TN_CHUNK_BYTES);
            }
            close_split(&s);
            tn_buffer_done(&model);
        }
}

static void save_above_the_limit_and_below(void **state)
{
    static const struct {
        uint64_t    most;
        const char *there, *absent;
    } rows[] = {
        { 80000, "saved_model.pb", "saved_model.cpb" },
        { 500, "saved_model.cpb", "saved_model.pb" },
        { UINT64_C(1) << 31, "saved_model.pb", "saved_model.cpb" },
    };
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *prefix  = tn_scratch_path(&scratch, "saved_model");
    struct tn_target  target  = { .path = prefix, .can_replace = true };
    struct tn_buffer  model;

    (void)state;
    tn_buffer_init(&model, &judge.memory, &error);
    put_saved_model(&model, "60 60 1900");
    for (size_t i = 0; i < 3; i++) {
        struct split s;
        split_bytes(&s, SAVED, tn_buffer_bytes(&model), TN_SPLIT_CPP,
                    rows[i].most);
        tn_splitter_write(s.splitter, &target, NULL, NULL, &s.error);
        assert_string_equal(s.error.what, "");
        assert_true(tn_scratch_has(&scratch, rows[i].there));
        assert_false(tn_scratch_has(&scratch, rows[i].absent));
        close_split(&s);
    }
    tn_buffer_done(&model);
    free(prefix);
    tn_scratch_close(&scratch);
}

/* ---- fingerprints: paths ------------------------------------------------- */

static void fingerprint_common_leading_tags(void **state)
{
    const struct tn_field_tag path[] = { FIELD(2), INDEX(1505), FIELD(5),
                                         KEY(TN_KEY_UINT32, 123), FIELD(6) };
    const struct tn_tags      whole  = { path, 4 };

    (void)state;
    assert_int_equal(tn_tags_common(whole, (struct tn_tags){ path, 2 }), 2);
    assert_int_equal(tn_tags_common(whole, (struct tn_tags){ path + 2, 2 }), 0);
    assert_int_equal(tn_tags_common(whole, whole), 4);
    assert_int_equal(tn_tags_common(whole, (struct tn_tags){ path, 5 }), 4);
}

/* The golden metadata: what leads to the paths stays, as "chunk:tags". */
static void fingerprint_prune_many_field(void **state)
{
    const struct tn_field_tag one[]   = { FIELD(1), FIELD(2), INDEX(1) };
    const struct tn_field_tag yes[]   = { FIELD(7), KEY(TN_KEY_BOOL, 1),
                                          FIELD(3) };
    const struct tn_tags      paths[] = { { one, 3 }, { yes, 3 } };
    static const char *const  want[]  = { "0", "0 1:1", "0 1:1 2:7 =1" };
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_bytes           file    = load("many-field.cpb");
    struct tn_source          source;
    struct tn_cpb             cpb;

    (void)state;
    if (!file.data)
        return;
    tn_source_memory(&source, &judge.memory, file);
    tn_cpb_open(&cpb, &source, &judge.memory, &error);
    for (uint64_t count = 0; count < 3; count++) {
        struct tn_chunked pruned;
        char              got[100], tags[60];
        tn_chunked_prune(&pruned, &cpb.meta.message, paths, count,
                         TN_KEEP_ABOVE, &judge.arena, &error);
        assert_string_equal(error.what, "");
        assert_true(pruned.has_chunk);
        int used = snprintf(got, sizeof got, "%d", (int)pruned.chunk);
        for (uint64_t i = 0; i < pruned.field_count; i++) {
            spell(pruned.fields[i].tags, tags, sizeof tags);
            used += snprintf(got + used, sizeof got - (size_t)used, " %d:%s",
                             (int)pruned.fields[i].message.chunk, tags);
        }
        assert_string_equal(got, want[count]);
    }
    tn_cpb_close(&cpb);
    tn_source_close(&source);
    release(file);
}

static void fingerprint_chunks_that_are_hashed(void **state)
{
    const struct tn_field_tag paths[][3] = {
        { FIELD(2), INDEX(0), FIELD(2) }, /* graph_def */
        { FIELD(2), INDEX(0), FIELD(5) }, /* signature_def */
        { FIELD(2), INDEX(0), FIELD(7) }, /* object_graph_def */
    };
    const struct {
        const char    *file;
        struct tn_tags path;
        bool           is_joined; /* with F of no bytes                  */
        uint64_t       want;
    } rows[] = {
        { "many-field.cpb", { NULL, 0 }, false, 14850154939410192811u },
        { "split-standard.cpb", { paths[0], 3 }, true, 16782272393894422524u },
        { "split-standard.cpb", { paths[1], 3 }, false, 0 },
        { "split-standard.cpb", { paths[2], 3 }, true, 17454850744699451884u },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_bytes  file  = load(rows[i].file);
        struct tn_source source;
        struct tn_cpb    cpb;
        uint64_t         hash;

        if (!file.data)
            return;
        tn_source_memory(&source, &judge.memory, file);
        tn_cpb_open(&cpb, &source, &judge.memory, &error);
        tn_tf_hash_chunks(&cpb.meta.message, rows[i].path, &cpb.store,
                          &judge.arena, &hash, &error);
        assert_string_equal(error.what, "");
        if (rows[i].is_joined)
            hash = tn_tf_hash_join(tn_farmhash64(tn_bytes(NULL, 0)), hash);
        assert_int_equal(hash, rows[i].want);
        tn_cpb_close(&cpb);
        tn_source_close(&source);
        release(file);
    }
}

/* Nothing is hashed, and nothing is a SavedModel. */
static void fingerprint_of_many_field_as_a_saved_model(void **state)
{
    struct tn_tf_fingerprint print = { .producer = 0 };
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_bytes          file  = load("many-field.cpb");
    struct tn_source         source;
    struct tn_cpb            cpb;

    (void)state;
    if (!file.data)
        return;
    tn_source_memory(&source, &judge.memory, file);
    tn_cpb_open(&cpb, &source, &judge.memory, &error);
    tn_tf_fingerprint_chunks(&print, &cpb.meta.message, &cpb.store,
                             &judge.memory, &error);
    assert_int_equal(error.status, TN_UNSUPPORTED);
    assert_non_null(strstr(error.what, "without a meta graph"));
    tn_cpb_close(&cpb);
    tn_source_close(&source);
    release(file);
}

static int count_prints(void *context, const struct tn_finding *finding)
{
    *(int *)context += strstr(finding->rule, "fingerprint") != NULL;
    return 0;
}

/* Where there is only text, a fingerprint is a name: no hash is missed, and it
 * is not taken for one of a message. */
static void fingerprint_of_a_text_model(void **state)
{
    static const struct {
        const char *print;
        int         faults;
    } rows[] = {
        { "uuid: \"12345678901234567890\" version { producer: 5 }", 0 },
        { "saved_model_checksum: 1 version { producer: 4 }", 1 },
    };
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    tn_scratch_write(&scratch, "saved_model.pbtxt",
                     "saved_model_schema_version: 1 meta_graphs { "
                     "meta_info_def { tags: \"serve\" } graph_def { } }");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error         error = TN_ERROR_INIT;
        struct tn_check_summary summary;
        struct tn_buffer        print;
        int                     faults = 0;

        judge_encode(&judge, &tensorflow->types, "tensorflow.FingerprintDef",
                     rows[i].print, &print);
        tn_scratch_write(&scratch, "fingerprint.pb", tn_buffer_string(&print));
        tn_check(scratch.path, NULL, NULL, count_prints, &faults, &summary,
                 &error);
        assert_string_equal(error.what, "");
        assert_int_equal(faults > 0, rows[i].faults);
        tn_buffer_done(&print);
    }
    tn_scratch_close(&scratch);
}

/* ---- byte for byte ------------------------------------------------------- */

/* All records of two files, the metadata among them. */
static void assert_same_records(struct tn_bytes a, struct tn_bytes b,
                                uint64_t count)
{
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_bytes          bytes[] = { a, b };
    struct tn_source         sources[2];
    struct tn_riegeli        files[2];
    struct tn_riegeli_walk   walks[2];
    struct tn_riegeli_record records[2];
    uint8_t                  room[2][2000];
    uint64_t                 found = 0;

    for (int i = 0; i < 2; i++) {
        tn_source_memory(&sources[i], &judge.memory, bytes[i]);
        tn_riegeli_open(&files[i], &sources[i], &judge.memory, &error);
        tn_riegeli_walk_init(&walks[i], &files[i], &error);
    }
    for (; tn_riegeli_next(&walks[0], &records[0]); found++) {
        assert_true(tn_riegeli_next(&walks[1], &records[1]));
        size_t size = (size_t)records[0].bytes.length;
        assert_int_equal(records[1].bytes.length, size);
        for (int i = 0; i < 2; i++)
            tn_source_read(records[i].bytes.source, records[i].bytes.offset,
                           room[i], size, &error);
        assert_memory_equal(room[0], room[1], size);
    }
    assert_false(tn_riegeli_next(&walks[1], &records[1]));
    assert_string_equal(error.what, "");
    assert_int_equal(found, count);
    for (int i = 0; i < 2; i++) {
        tn_riegeli_walk_done(&walks[i]);
        tn_source_close(&sources[i]);
    }
}

/* What is merged out of a file of TensorFlow's and split by the rules of Python
 * is that file again, record by record: chunks and ChunkMetadata. */
static void golden_files_split_to_their_own_records(void **state)
{
    static const struct {
        const char *file, *type;
        uint64_t    most, records;
    } rows[] = {
        { "split-large-constant.cpb", GRAPH, 500, 4 },
        { "split-large-nodes.cpb", GRAPH, 200, 6 },
        { "split-standard.cpb", SAVED, 500, 10 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error    error  = TN_ERROR_INIT;
        struct tn_bytes    golden = load(rows[i].file), ours;
        struct tn_message *merged;
        struct split       s;
        bool               is_chunked;

        if (!golden.data)
            continue;
        tn_merge_bytes(&merged, tensorflow, rows[i].type, golden, NULL, &error);
        size_t   size  = (size_t)tn_message_size(merged);
        uint8_t *bytes = malloc(size);
        tn_message_read(merged, 0, bytes, size, &error);
        assert_string_equal(error.what, "");
        split_bytes(&s, rows[i].type, tn_bytes(bytes, size), TN_SPLIT_PYTHON,
                    rows[i].most);
        tn_splitter_write_memory(s.splitter, NULL, &ours, &is_chunked,
                                 &s.error);
        assert_same_records(golden, ours, rows[i].records);
        close_split(&s);
        free(bytes);
        tn_message_close(merged);
        release(golden);
    }
}

/* The file of ManyFields, by a splitter of three lines. */
static void golden_many_field_is_split_to_its_own_records(void **state)
{
    struct tn_error     error  = TN_ERROR_INIT;
    struct tn_bytes     golden = load("many-field.cpb"), ours;
    struct tn_message  *merged;
    struct tn_splitter *splitter;
    bool                is_chunked;

    (void)state;
    if (!golden.data)
        return;
    tn_merge_bytes(&merged, testdata, MANY, golden, NULL, &error);
    tn_splitter_open(&splitter, merged, &error);
    tn_splitter_keep_base(splitter, &error);
    tn_splitter_take(splitter, (struct tn_step[]){ TN_NAME("field_one") }, 1,
                     TN_AT_END, &error);
    for (int key = 1; key >= 0; key--)
        tn_splitter_take(
            splitter,
            (struct tn_step[]){ TN_NAME("nested_map_bool"), TN_AT(key) }, 2,
            TN_AT_END, &error);
    tn_splitter_clear(
        splitter, (struct tn_step[]){ TN_NAME("nested_map_bool") }, 1, &error);
    tn_splitter_write_memory(splitter, NULL, &ours, &is_chunked, &error);
    assert_string_equal(error.what, "");
    assert_same_records(golden, ours, 5);
    tn_splitter_close(splitter);
    tn_message_close(merged);
    release(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_bf_split_tree),
        cmocka_unit_test(read_files_equal_their_texts),
        cmocka_unit_test(merge_in_memory_ten_nodes),
        cmocka_unit_test(partial_read_of_the_base_alone),
        cmocka_unit_test(from_memory_as_from_the_file),
        cmocka_unit_test(merge_bad_path),
        cmocka_unit_test(read_chunk_has_the_size_it_says),
        cmocka_unit_test(paths_build),
        cmocka_unit_test(paths_read),
        cmocka_unit_test(get_field_that_is_not_there),
        cmocka_unit_test(set_element),
        cmocka_unit_test(map_entry),
        cmocka_unit_test(composing_strings_without_a_base),
        cmocka_unit_test(composing_write_and_read_back),
        cmocka_unit_test(composing_nothing),
        cmocka_unit_test(composing_children),
        cmocka_unit_test(no_split_is_a_pb),
        cmocka_unit_test(graph_def_rows),
        cmocka_unit_test(graph_def_and_saved_model_files),
        cmocka_unit_test(graph_def_large_nodes_leave_empty_ones),
        cmocka_unit_test(saved_model_rows),
        cmocka_unit_test(save_above_the_limit_and_below),
        cmocka_unit_test(fingerprint_common_leading_tags),
        cmocka_unit_test(fingerprint_prune_many_field),
        cmocka_unit_test(fingerprint_chunks_that_are_hashed),
        cmocka_unit_test(fingerprint_of_many_field_as_a_saved_model),
        cmocka_unit_test(fingerprint_of_a_text_model),
        cmocka_unit_test(golden_files_split_to_their_own_records),
        cmocka_unit_test(golden_many_field_is_split_to_its_own_records),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
