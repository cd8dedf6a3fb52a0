/*
 * cpb_test.c - chunked files: those of others, our own, and damaged ones
 *
 * The golden files are TensorFlow's; each must merge to its text.
 */
#define _GNU_SOURCE
#include "chunk/cpb.h"

#include "chunk/the_judge_testing.h"
#include "chunk/cpb_testing.h"
#include "chunk/splitter.h"
#include "io/rope_source.h"
#include "wire/pb/pb_text_write.h"

#define GOLDEN TN_SHARED_DATA "/tensorflow/proto_splitter/"

/* ---- golden files -------------------------------------------------------- */

static const struct golden {
    const char *file, *text, *type;
    uint64_t    size; /* of the merged message                                */
    uint64_t    records[12];
} goldens[] = {
    { "bf-split-tree",
      "split-tree",
      "tensorflow.proto_splitter_testdata.StringNode",
      94,
      { 3, 5, 7, 7, 9, 9, 9, 9, 9, 9, 128 } },
    { "many-field",
      "many-field",
      "tensorflow.proto_splitter_testdata.ManyFields",
      135,
      { 30, 64, 13, 14 } },
    { "split-large-constant",
      "split-large-constant",
      "tensorflow.GraphDef",
      2181,
      { 239, 964, 964 } },
    { "split-large-nodes",
      "split-large-nodes",
      "tensorflow.GraphDef",
      494,
      { 114, 95, 95, 95, 95 } },
    { "split-standard",
      "split-standard",
      "tensorflow.SavedModel",
      4434,
      { 440, 267, 964, 964, 464, 315, 316, 460, 211 } },
};

static const struct tn_pb_schema *schema_of(const char *type)
{
    return strstr(type, "testdata") ? &judge.testdata : &judge.tensorflow;
}

static struct tn_bytes load_golden(const char *name, const char *suffix)
{
    char path[400];

    snprintf(path, sizeof path, GOLDEN "%s%s", name, suffix);
    return tn_load_file(path);
}

static void release(struct tn_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* Opens, merges and prints; NULL for text: not printed.  A limit for unpacked
 * chunks of 0 unpacks them again at every read. */
static enum tn_status merge_file(const struct tn_pb_message *type,
                                 struct tn_bytes file, uint64_t kept_limit,
                                 struct tn_memory *memory,
                                 struct tn_buffer *text, uint64_t *size,
                                 struct tn_error *error)
{
    struct tn_source  source, *joined = NULL;
    struct tn_arena   arena;
    struct tn_mosaics all;
    struct tn_rope    rope;
    struct tn_cpb     cpb;

    tn_source_memory(&source, memory, file);
    if (tn_cpb_open(&cpb, &source, memory, error) != TN_OK) {
        tn_source_close(&source);
        return error->status;
    }
    if (kept_limit) /* those that are worth it, at once */
        tn_cpb_load(&cpb, 2);
    cpb.kept_limit = cpb.kept_memory + kept_limit;
    tn_arena_init(&arena, memory);
    tn_mosaics_init(&all, &arena, error);
    tn_rope_init(&rope, &arena, error);
    struct tn_mosaic *m = tn_mosaic_new(&all, type);
    if (m && tn_chunk_merge(m, &cpb.meta.message, &cpb.store) == TN_OK)
        tn_mosaic_write(m, &rope);
    if (!tn_failed(error) &&
        tn_source_rope(&joined, memory, &rope, "", error) == TN_OK && text)
        tn_pb_text_write(type, (struct tn_span){ joined, 0, joined->size },
                         &text->sink, memory, error);
    if (size && joined)
        *size = joined->size;
    tn_source_close(joined);
    tn_rope_done(&rope);
    tn_mosaics_done(&all);
    tn_arena_done(&arena);
    tn_cpb_close(&cpb);
    tn_source_close(&source);
    return error->status;
}

/* The text of a text: through bytes, so that both have one spelling. */
static void respell(const char *type, struct tn_bytes text,
                    struct tn_buffer *to)
{
    struct tn_buffer bytes;
    struct tn_source source;
    char            *copy = strndup((const char *)text.data, text.size);

    judge_encode(&judge, schema_of(type), type, copy, &bytes);
    tn_source_memory(&source, &judge.memory, tn_buffer_bytes(&bytes));
    tn_pb_text_write(tn_pb_schema_find(schema_of(type), type),
                     (struct tn_span){ &source, 0, bytes.size }, &to->sink,
                     &judge.memory, to->error);
    tn_source_close(&source);
    tn_buffer_done(&bytes);
    free(copy);
}

static void test_golden(void **state)
{
    size_t skipped = 0, count = sizeof goldens / sizeof *goldens;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct golden *g     = &goldens[i];
        struct tn_error      error = TN_ERROR_INIT;
        struct tn_bytes      file  = load_golden(g->file, ".cpb");
        struct tn_bytes      want  = load_golden(g->text, ".pbtxt");
        struct tn_buffer     spelled, merged;
        uint64_t             size = 0;

        if (!file.data || !want.data) {
            skipped++;
            continue;
        }
        tn_buffer_init(&spelled, &judge.memory, &error);
        tn_buffer_init(&merged, &judge.memory, &error);
        respell(g->type, want, &spelled);
        for (uint64_t limit = 0; limit < 2; limit++) {
            tn_buffer_clear(&merged);
            merge_file(tn_pb_schema_find(schema_of(g->type), g->type), file,
                       limit << 20, &judge.memory, &merged, &size, &error);
            assert_string_equal(error.what, "");
            assert_string_equal(tn_buffer_string(&merged),
                                tn_buffer_string(&spelled));
            assert_int_equal(size, g->size);
        }
        tn_buffer_done(&spelled);
        tn_buffer_done(&merged);
        release(file);
        release(want);
    }
    if (skipped)
        print_message("skipped %zu golden files: not there\n", skipped);
}

/* Records are where the metadata say, and as long. */
static void test_golden_records(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_bytes  file  = load_golden(goldens[i].file, ".cpb");
        struct tn_source source;
        struct tn_cpb    cpb;
        struct tn_span   span;
        uint64_t         count = 0;

        if (!file.data)
            continue;
        tn_source_memory(&source, &judge.memory, file);
        assert_int_equal(tn_cpb_open(&cpb, &source, &judge.memory, &error),
                         TN_OK);
        assert_int_equal(cpb.meta.splitter_version, 1);
        assert_int_equal(cpb.meta.unknown_count, 0);
        for (; count < cpb.meta.chunk_count; count++) {
            assert_int_equal(cpb.store.read(&cpb.store, count, &span, &error),
                             TN_OK);
            assert_int_equal(cpb.meta.chunks[count].offset, 64 + count);
            assert_int_equal(span.length, goldens[i].records[count]);
        }
        assert_int_equal(goldens[i].records[count], 0);
        assert_int_equal(cpb.last, 64 + count);
        tn_cpb_close(&cpb);
        tn_source_close(&source);
        release(file);
    }
}

/* Ten nodes and the tree that says how they belong together. */
static void test_tree_in_memory(void **state)
{
    static const char *const values[] = {
        "0",       "010",     "01020",   "01021",   "0102030",
        "0102031", "0102032", "0102130", "0102131", "0102132",
    };
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_bytes    tree  = load_golden("bf-split-tree", ".pbtxt");
    struct tn_bytes    want  = load_golden("split-tree", ".pbtxt");
    struct tn_buffer   chunked, chunks[10], spelled;
    struct tn_bytes    bytes[10];
    struct tn_schema  *schema;
    struct tn_message *merged;
    char               text[40];

    (void)state;
    if (!tree.data || !want.data) {
        print_message("skipped: wants real models\n");
        return;
    }
    struct tn_bytes set = judge_set("chunk", "testdata");
    tn_schema_open(&schema, set, NULL, &error);
    release(set);
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "val: \"%s\"", values[i]);
        judge_encode(&judge, &judge.testdata, goldens[0].type, text,
                     &chunks[i]);
        bytes[i] = tn_buffer_bytes(&chunks[i]);
    }
    char *copy = strndup((const char *)tree.data, tree.size);
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkedMessage", copy, &chunked);
    free(copy);
    tn_merge(&merged, schema, goldens[0].type, bytes, 10,
             tn_buffer_bytes(&chunked), NULL, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(tn_message_size(merged), 94);

    struct tn_buffer printed;
    tn_buffer_init(&spelled, &judge.memory, &error);
    tn_buffer_init(&printed, &judge.memory, &error);
    respell(goldens[0].type, want, &spelled);
    tn_pb_text_write(judge.tree, tn_message_span(merged), &printed.sink,
                     &judge.memory, &error);
    assert_string_equal(tn_buffer_string(&printed), tn_buffer_string(&spelled));
    tn_buffer_done(&printed);
    tn_buffer_done(&spelled);
    tn_buffer_done(&chunked);
    for (int i = 0; i < 10; i++)
        tn_buffer_done(&chunks[i]);
    tn_message_close(merged);
    tn_schema_close(schema);
    release(tree);
    release(want);
}

static void test_golden_part(void **state)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_schema    *schema;
    struct tn_message   *merged;
    const struct tn_step map[]   = { TN_NAME("map_field_int64") };
    const struct tn_path paths[] = { { map, 1 } };

    (void)state;
    if (access(GOLDEN "many-field.cpb", R_OK)) {
        print_message("skipped: wants real models\n");
        return;
    }
    struct tn_bytes set = judge_set("chunk", "testdata");
    tn_schema_open(&schema, set, NULL, &error);
    release(set);
    tn_merge_read(&merged, schema, goldens[1].type, GOLDEN "many-field", paths,
                  1, NULL, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(tn_message_size(merged), 30);
    tn_message_close(merged);
    tn_schema_close(schema);
}

/* ---- our own ------------------------------------------------------------- */

/* A file of three records and metadata given as text. */
static void write_file(const char *metadata, const char *options,
                       struct tn_buffer *file)
{
    static struct tn_error    error;
    struct tn_riegeli_writer  writer;
    struct tn_riegeli_options how = TN_RIEGELI_OPTIONS_INIT;
    struct tn_buffer          last;

    error = (struct tn_error)TN_ERROR_INIT;
    tn_riegeli_options_parse(&how, options, &error);
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkMetadata", metadata, &last);
    tn_buffer_init(file, &judge.memory, &error);
    tn_riegeli_writer_init(&writer, &file->sink, &how, &judge.memory, &error);
    tn_riegeli_add(&writer, tn_bytes("\x1a\x01", 3)); /* string_field: "\0" */
    tn_riegeli_add(&writer, tn_text("text"));
    tn_riegeli_add(&writer, tn_bytes("\x1a\x02xy", 4));
    tn_riegeli_add(&writer, tn_buffer_bytes(&last));
    tn_riegeli_finish(&writer);
    tn_riegeli_writer_done(&writer);
    tn_buffer_done(&last);
    assert_string_equal(error.what, "");
}

#define CHUNKS                                                                 \
    "chunks { type: MESSAGE size: 3 offset: 64 } "                             \
    "chunks { type: BYTES size: 4 offset: 65 } "                               \
    "chunks { type: MESSAGE size: 4 offset: 66 } "
#define MESSAGE                                                                \
    "message { chunk_index: 0 chunked_fields { field_tag { field: 1 } "        \
    "message { chunk_index: 2 } } chunked_fields { field_tag { field: 3 } "    \
    "message { chunk_index: 1 } } }"

static void test_metadata(void **state)
{
    static const struct {
        const char    *name, *metadata;
        enum tn_status status;
        const char    *complaint, *where;
    } cases[] = {
        { "good", "version { splitter_version: 1 } " CHUNKS MESSAGE, TN_OK, "",
          "" },
        { "no version", CHUNKS MESSAGE, TN_OK, "", "" },
        { "a type that is wrong",
          "chunks { type: BYTES size: 3 offset: 64 } "
          "message { chunk_index: 0 }",
          TN_OK, "", "" },
        { "a version to come",
          "version { splitter_version: 3 join_version: 2 } " CHUNKS MESSAGE,
          TN_UNSUPPORTED, "join version 2 or later, this one has 1", "" },
        { "a bad consumer", "version { bad_consumers: [5, 1] } " CHUNKS MESSAGE,
          TN_UNSUPPORTED, "cannot join", "" },
        { "empty", "", TN_TRUNCATED, "cut off", "" },
        { "no chunks", "version { splitter_version: 1 } " MESSAGE, TN_TRUNCATED,
          "cut off", "" },
        { "a size that is wrong",
          "chunks { size: 4 offset: 64 } message { chunk_index: 0 }",
          TN_MALFORMED, "has 3 bytes, the metadata say 4", "chunk[0]" },
        { "a place that is none",
          "chunks { size: 3 offset: 63 } message { chunk_index: 0 }",
          TN_MALFORMED, "at position 63", "chunk[0]" },
        { "the metadata themselves",
          "chunks { size: 3 offset: 67 } message { chunk_index: 0 }",
          TN_MALFORMED, "at position 67", "chunk[0]" },
        { "behind the end",
          "chunks { size: 3 offset: 18446744073709551615 } "
          "message { chunk_index: 0 }",
          TN_MALFORMED, "at position 18446744073709551615", "chunk[0]" },
        { "no such chunk", CHUNKS "message { chunk_index: 3 }", TN_MALFORMED,
          "chunk 3 does not exist: there are 3 chunks", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer file;

        write_file(cases[i].metadata, "brotli", &file);
        merge_file(judge.many, tn_buffer_bytes(&file), 1 << 20, &judge.memory,
                   NULL, NULL, &error);
        if (error.status != cases[i].status)
            print_message("%s: %s\n", cases[i].name, error.what);
        assert_int_equal(error.status, cases[i].status);
        assert_non_null(strstr(error.what, cases[i].complaint));
        assert_string_equal(error.where, cases[i].where);
        tn_buffer_done(&file);
    }
}

static const char *const kinds[] = { "uncompressed", "brotli", "zstd", "snappy",
                                     "transpose,brotli" };

static enum tn_status read_many(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    return merge_file(judge.many, input, 0, memory, NULL, NULL, error);
}

/* One byte of it is wrong: never a good file. */
static void refuses_every_flip(struct tn_buffer *file)
{
    for (size_t i = 0; i < file->size; i++) {
        struct tn_error error = TN_ERROR_INIT;
        file->data[i] ^= 0x10;
        assert_int_not_equal(
            read_many(tn_buffer_bytes(file), &judge.memory, &error), TN_OK);
        file->data[i] ^= 0x10;
    }
}

static void test_hostile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tn_buffer file;

        write_file(CHUNKS MESSAGE, kinds[i], &file);
        tn_survives_hostility(read_many, tn_buffer_bytes(&file));
        refuses_every_flip(&file);
        tn_buffer_done(&file);
    }
}

/* Each record in a chunk of records of its own: the file cut between them is a
 * good records file, and not a good message. */
static void test_cut_off(void **state)
{
    static struct tn_error  error;
    struct tn_buffer        file;
    struct tn_chunk         chunks[3];
    struct tn_chunk        *rows[3];
    struct tn_rope          ropes[3];
    struct tn_chunked_field fields[2] = {
        { .message = { .has_chunk = true, .chunk = 1 } },
        { .message = { .has_chunk = true, .chunk = 2 } },
    };
    const struct tn_chunked   message = { .has_chunk   = true,
                                          .fields      = fields,
                                          .field_count = 2 };
    struct tn_riegeli_options how     = TN_RIEGELI_OPTIONS_INIT;
    size_t                    cuts    = 0;

    (void)state;
    error          = (struct tn_error)TN_ERROR_INIT;
    how.chunk_size = 1;
    for (int i = 0; i < 3; i++) {
        tn_rope_init(&ropes[i], &judge.arena, &error);
        tn_rope_borrow(&ropes[i],
                       i == 1 ? tn_bytes("", 0) : tn_bytes("\x1a\x02xy", 4));
        chunks[i] = (struct tn_chunk){ .type         = TN_CHUNK_MESSAGE,
                                       .is_rope      = true,
                                       .content.rope = &ropes[i] };
        rows[i]   = &chunks[i];
    }
    tn_buffer_init(&file, &judge.memory, &error);
    write_chunks(&file.sink, rows, 3, &message, &how, &judge.arena, &error);
    assert_int_equal(read_many(tn_buffer_bytes(&file), &judge.memory, &error),
                     TN_OK);
    for (size_t size = TN_RIEGELI_SIGNATURE_SIZE; size < file.size; size++) {
        struct tn_error cut = TN_ERROR_INIT;
        enum tn_status  status =
            read_many(tn_bytes(file.data, size), &judge.memory, &cut);
        assert_int_not_equal(status, TN_OK);
        cuts += strstr(cut.what, "ChunkMetadata") != NULL;
    }
    assert_true(cuts >= 3);
    for (int i = 0; i < 3; i++)
        tn_rope_done(&ropes[i]);
    tn_buffer_done(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_golden_records),
        cmocka_unit_test(test_tree_in_memory),
        cmocka_unit_test(test_golden_part),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_cut_off),
    };

    return cmocka_run_group_tests(tests, open_judge, close_judge);
}
