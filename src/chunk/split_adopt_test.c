/*
 * split_adopt_test.c - what a splitter is told about its result: chunks that
 * were made elsewhere, versions, the form of numbers, chunks for the same bytes
 */
#define _GNU_SOURCE
#include "chunk/chunk_judge.h"
#include "chunk/cpb.h"
#include "chunk/message.h"
#include "wire/pb/pb_text_write.h"

#define MANY "tensorflow.proto_splitter_testdata.ManyFields"
#define TREE "tensorflow.proto_splitter_testdata.StringNode"
#define ALL  "new.Everything"

static struct judge      judge;
static struct tn_schema *schema, *numbers;

static void open_schema(struct tn_schema **out, const char *folder,
                        const char *name)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_bytes set   = judge_set(folder, name);

    assert_int_equal(tn_schema_open(out, set, NULL, &error), TN_OK);
    free((void *)(uintptr_t)set.data);
}

static int begin(void **state)
{
    (void)state;
    judge_open(&judge);
    open_schema(&schema, "chunk", "testdata");
    open_schema(&numbers, "pb", "new");
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(schema);
    tn_schema_close(numbers);
    judge_close(&judge);
    return 0;
}

/* ---- helpers ------------------------------------------------------------- */

struct splitting {
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_error     error;
};

/* Of an empty message. */
static struct splitting open_empty(const struct tn_schema *types,
                                   const char             *type)
{
    struct splitting s = { .error = TN_ERROR_INIT };

    tn_message_bytes(&s.message, types, type, (struct tn_bytes){ NULL, 0 },
                     NULL, &s.error);
    assert_int_equal(tn_splitter_open(&s.splitter, s.message, &s.error), TN_OK);
    return s;
}

static void close_splitting(struct splitting *s)
{
    tn_splitter_close(s->splitter);
    tn_message_close(s->message);
}

static struct tn_bytes written(struct splitting *s)
{
    struct tn_bytes bytes;
    bool            is_chunked;

    tn_splitter_write_memory(s->splitter, "uncompressed", &bytes, &is_chunked,
                             &s->error);
    assert_string_equal(s->error.what, "");
    return bytes;
}

static void assert_text(struct tn_message *message, const char *want)
{
    static struct tn_error error;
    struct tn_buffer       text;

    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&text, &judge.memory, &error);
    tn_pb_text_write(message->type, tn_message_span(message), &text.sink,
                     &judge.memory, &error);
    assert_string_equal(error.what, "");
    assert_string_equal(tn_buffer_string(&text), want);
    tn_buffer_done(&text);
    tn_message_close(message);
}

static enum tn_status add(struct splitting *s, const char *text,
                          const char *field)
{
    s->error = (struct tn_error)TN_ERROR_INIT;
    return tn_splitter_add_chunk(s->splitter, TN_CHUNK_BYTES, tn_text(text),
                                 &(struct tn_step)TN_NAME(field), 1, TN_AT_END,
                                 &s->error);
}

/* ---- chunks that were made elsewhere ------------------------------------- */

#define FIELD(tags, message)                                                   \
    "chunked_fields { " tags " message { " message " } }\n"
#define F(n) "field_tag { field: " #n " } "
#define I(n) "field_tag { index: " #n " } "
#define C(n) "chunk_index: " #n " "

/* Chunks: 0 and 1 are StringNodes "a" and "b", 2 is bytes. */
static const struct {
    const char *name, *message, *want; /* NULL: refused                       */
    const char *complaint;
} adopted[] = {
    { "the message alone", C(0), "val: \"a\"\n", NULL },
    { "a field", C(0) FIELD(F(2) I(0), C(1)),
      "val: \"a\"\nchild_nodes {\n  val: \"b\"\n}\n", NULL },
    { "a tree", C(0) FIELD(F(2) I(0), C(1) FIELD(F(2) I(0) F(1), C(2))),
      "val: \"a\"\nchild_nodes {\n  val: \"b\"\n  child_nodes {\n"
      "    val: \"text\"\n  }\n}\n",
      NULL },
    { "nothing to begin with", FIELD(F(1), C(2)), "val: \"text\"\n", NULL },
    { "no such chunk", C(0) FIELD(F(2) I(0), C(3)), NULL,
      "chunk 3 does not exist" },
    { "no such field", C(0) FIELD(F(7), C(2)), NULL, "no such place" },
    { "bytes for a message", C(0) FIELD(F(2) I(0), C(2)), NULL,
      "bytes do not fit" },
    { "a message for bytes", C(0) FIELD(F(1), C(1)), NULL, "only bytes fit" },
    { "bytes to begin with", C(2) FIELD(F(2) I(0), C(1)), NULL,
      "bytes do not fit" },
    { "a field of nothing", C(0) FIELD(F(1), ""), NULL, "no chunk" },
    { "no such chunk in a tree",
      C(0) FIELD(F(2) I(0), C(1) FIELD(F(2) I(0), C(3))), NULL,
      "chunk 3 does not exist" },
    { "no such field in a tree", C(0) FIELD(F(2) I(0), C(1) FIELD(F(7), C(2))),
      NULL, "no such place" },
    { "bytes for a message in a tree",
      C(0) FIELD(F(2) I(0), C(1) FIELD(F(2) I(0), C(2))), NULL,
      "bytes do not fit" },
    { "bytes twice", C(0) FIELD(F(1), C(2)) FIELD(F(1), C(2)), NULL,
      "several chunks for val" },
};

static void test_adopted(void **state)
{
    static const enum tn_chunk_type types[] = { TN_CHUNK_MESSAGE,
                                                TN_CHUNK_MESSAGE,
                                                TN_CHUNK_BYTES };
    const struct tn_bytes chunks[] = { tn_text("\n\1a"), tn_text("\n\1b"),
                                       tn_text("text") };

    (void)state;
    for (size_t i = 0; i < sizeof adopted / sizeof *adopted; i++) {
        struct splitting   s = open_empty(schema, TREE);
        struct tn_buffer   chunked;
        struct tn_message *merged = NULL;

        print_message("%s\n", adopted[i].name);
        judge_encode(&judge, &judge.splitter,
                     "tensorflow.proto_splitter.ChunkedMessage",
                     adopted[i].message, &chunked);
        tn_splitter_adopt(s.splitter, types, chunks, 3,
                          tn_buffer_bytes(&chunked), &s.error);
        if (adopted[i].want) {
            assert_string_equal(s.error.what, "");
            assert_int_equal(tn_splitter_chunk_count(s.splitter), 3);
            tn_merge_bytes(&merged, schema, TREE, written(&s), NULL, &s.error);
            assert_string_equal(s.error.what, "");
            assert_text(merged, adopted[i].want);
        } else {
            assert_int_equal(s.error.status, TN_INVALID);
            assert_non_null(strstr(s.error.what, adopted[i].complaint));
            assert_int_equal(tn_splitter_chunk_count(s.splitter), 0);
        }
        close_splitting(&s);
        tn_buffer_done(&chunked);
    }
}

/* ---- versions ------------------------------------------------------------ */

static const struct {
    const char    *name;
    int32_t        producer, min_consumer, bad[2];
    uint64_t       bad_count;
    enum tn_status status; /* of the merger                                   */
    const char    *complaint;
} versions[] = {
    { "any merger", 7, 0, { 0 }, 0, TN_OK, "" },
    { "this merger, and those after it", 7, 1, { 0 }, 0, TN_OK, "" },
    { "mergers to come",
      7,
      2,
      { 0 },
      0,
      TN_UNSUPPORTED,
      "splitter version 7 wrote these chunks for mergers of join version 2" },
    { "not this one",
      9,
      0,
      { 5, 1 },
      2,
      TN_UNSUPPORTED,
      "says that mergers of join version 1, which this is, cannot" },
    { "not others", 9, 0, { 0, 2 }, 2, TN_OK, "" },
};

static void test_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct tn_split_version version = { versions[i].producer,
                                            versions[i].min_consumer,
                                            versions[i].bad,
                                            versions[i].bad_count };
        struct splitting        s       = open_empty(schema, MANY);
        struct tn_merger       *merger;

        print_message("%s\n", versions[i].name);
        assert_int_equal(add(&s, "text", "string_field"), TN_OK);
        tn_splitter_version(s.splitter, &version, &s.error);
        struct tn_bytes file = written(&s);
        tn_merger_open_bytes(&merger, schema, MANY, file, NULL, &s.error);
        assert_int_equal(s.error.status, versions[i].status);
        assert_non_null(strstr(s.error.what, versions[i].complaint));
        if (merger) {
            struct tn_split_version now = tn_merger_version(merger);
            assert_int_equal(now.producer, version.producer);
            assert_int_equal(now.min_consumer, version.min_consumer);
            assert_int_equal(now.bad_consumer_count,
                             version.bad_consumer_count);
        }
        tn_merger_close(merger);
        close_splitting(&s);
    }
}

static void test_versions_that_cannot_be(void **state)
{
    const struct tn_split_version negative = { -1, 0, NULL, 0 };
    const struct tn_split_version old      = { 1, 0, NULL, 0 };
    const struct tn_split_version two      = { 5, 1, NULL, 0 };
    const struct tn_split_format  format   = { .version = 2, .max_bytes = 2 };
    struct splitting              s        = open_empty(schema, MANY);
    struct tn_message            *merged;

    (void)state;
    assert_int_equal(tn_splitter_version(s.splitter, &negative, &s.error),
                     TN_INVALID);
    s.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_format(s.splitter, &format, &s.error), TN_OK);
    assert_int_equal(tn_splitter_version(s.splitter, &old, &s.error),
                     TN_INVALID);
    s.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_version(s.splitter, &two, &s.error), TN_OK);
    assert_int_equal(add(&s, "text", "string_field"), TN_OK);
    tn_merge_bytes(&merged, schema, MANY, written(&s), NULL, &s.error);
    assert_text(merged, "string_field: \"text\"\n");
    close_splitting(&s);
}

/* ---- numbers ------------------------------------------------------------- */

static void assert_part(struct tn_merger *merger, const char *name,
                        struct tn_bytes want)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_message *found;
    uint8_t            room[40];
    struct tn_step     step = TN_NAME(name);

    tn_merger_get(&found, merger, &step, 1, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(tn_message_size(found), want.size);
    tn_message_read(found, 0, room, want.size, &error);
    assert_memory_equal(room, want.data, want.size);
    tn_message_close(found);
}

static void test_text_numbers(void **state)
{
    struct splitting   s = open_empty(numbers, ALL);
    struct tn_merger  *merger;
    struct tn_message *none;

    (void)state;
    assert_int_equal(add(&s, "True", "f_bool"), TN_INVALID);
    assert_non_null(strstr(s.error.what, "true or false"));
    assert_int_equal(add(&s, "\5\0\0\0", "f_int32"), TN_INVALID);
    assert_int_equal(add(&s, "true", "f_bool"), TN_OK);
    assert_int_equal(add(&s, "-5", "f_sint64"), TN_OK);
    assert_int_equal(add(&s, "TWO", "f_enum"), TN_OK);
    assert_int_equal(add(&s, "0.1", "f_float"), TN_OK);
    tn_merger_open_bytes(&merger, numbers, ALL, written(&s), NULL, &s.error);
    assert_string_equal(s.error.what, "");
    assert_part(merger, "f_bool", tn_text("true"));
    assert_part(merger, "f_sint64", tn_text("-5"));
    assert_part(merger, "f_enum", tn_text("TWO"));
    assert_part(merger, "f_float", tn_text("0.1"));
    assert_int_equal(tn_merger_get(&none, merger,
                                   &(struct tn_step)TN_NAME("f_int32"), 1,
                                   &s.error),
                     TN_NOT_FOUND);
    tn_merger_close(merger);
    close_splitting(&s);
}

/* As they lie in a message: in wire, packed, not packed, in a map. */
static void test_numbers_of_messages(void **state)
{
    static const struct {
        struct tn_step steps[2];
        uint64_t       count;
        const char    *want;
    } rows[] = {
        { { TN_NAME("f_double") }, 1, "-1500" },
        { { TN_NAME("f_fixed32") }, 1, "12" },
        { { TN_NAME("r_int32"), TN_AT(1) }, 2, "300" },
        { { TN_NAME("r_unpacked"), TN_AT(1) }, 2, "2" },
        { { TN_NAME("r_float"), TN_AT(0) }, 2, "0.5" },
        { { TN_NAME("m_zigzag"), TN_AT(-3) }, 2, "2.5" },
    };
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_buffer  bytes;
    struct tn_merger *merger;
    char              room[40];

    (void)state;
    judge_encode(&judge, &judge.new, ALL,
                 "f_double: -1500 f_fixed32: 12 r_int32: [1, 300] "
                 "r_unpacked: [1, 2] r_float: 0.5 "
                 "m_zigzag { key: -3 value: 2.5 }",
                 &bytes);
    tn_merger_open_bytes(&merger, numbers, ALL, tn_buffer_bytes(&bytes), NULL,
                         &error);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_message *found;
        tn_merger_get(&found, merger, rows[i].steps, rows[i].count, &error);
        assert_string_equal(error.what, "");
        size_t size = (size_t)tn_message_size(found);
        assert_true(size < sizeof room);
        tn_message_read(found, 0, room, size, &error);
        room[size] = '\0';
        assert_string_equal(room, rows[i].want);
        tn_message_close(found);
    }
    tn_merger_close(merger);
    tn_buffer_done(&bytes);
}

static void test_binary_numbers(void **state)
{
    static const uint8_t half[] = { 0, 0, 0, 0x3f }, four[] = { 4, 0, 0, 0 };
    struct splitting     s = open_empty(numbers, ALL);
    struct tn_merger    *merger;
    struct tn_message   *message;

    (void)state;
    tn_splitter_scalars(s.splitter, TN_SCALARS_BINARY, &s.error);
    assert_int_equal(add(&s, "0.5", "f_float"), TN_INVALID);
    s.error = (struct tn_error)TN_ERROR_INIT;
    tn_splitter_add_chunk(s.splitter, TN_CHUNK_BYTES, tn_bytes(half, 4),
                          &(struct tn_step)TN_NAME("f_float"), 1, TN_AT_END,
                          &s.error);
    tn_splitter_add_chunk(s.splitter, TN_CHUNK_BYTES, tn_bytes(four, 4),
                          &(struct tn_step)TN_NAME("f_int32"), 1, TN_AT_END,
                          &s.error);
    assert_int_equal(tn_splitter_scalars(s.splitter, TN_SCALARS_TEXT, &s.error),
                     TN_INVALID); /* too late */
    s.error              = (struct tn_error)TN_ERROR_INIT;
    struct tn_bytes file = written(&s);
    assert_int_equal(
        tn_merge_bytes(&message, numbers, ALL, file, NULL, &s.error),
        TN_MALFORMED); /* never guessed */
    s.error = (struct tn_error)TN_ERROR_INIT;
    tn_merger_open_bytes(&merger, numbers, ALL, file, NULL, &s.error);
    tn_merger_scalars(merger, TN_SCALARS_BINARY);
    tn_merger_get(&message, merger, NULL, 0, &s.error);
    assert_string_equal(s.error.what, "");
    assert_text(message, "f_float: 0.5\nf_int32: 4\n");
    assert_part(merger, "f_float", tn_bytes(half, 4));
    tn_merger_close(merger);
    close_splitting(&s);
}

/* ---- the same bytes in several chunks ------------------------------------ */

static void test_bytes_twice(void **state)
{
    const struct tn_split_format two = { .version = 2 };
    struct splitting             s   = open_empty(schema, MANY);
    struct tn_message           *merged;

    (void)state;
    add(&s, "one ", "string_field");
    add(&s, "two", "string_field");
    assert_int_equal(tn_splitter_split(s.splitter, &s.error), TN_INVALID);
    assert_non_null(strstr(s.error.what, "several chunks for string_field"));
    s.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_format(s.splitter, &two, &s.error), TN_OK);
    tn_merge_bytes(&merged, schema, MANY, written(&s), NULL, &s.error);
    assert_null(tn_message_warning(merged)); /* no other merger reads it */
    assert_text(merged, "string_field: \"one two\"\n");
    close_splitting(&s);
}

/* Chunks of version 2 say so themselves: mergers of version 1 must not join
 * what they are handed. */
static void test_version_two_in_memory(void **state)
{
    const struct tn_split_format two = { .version = 2 };
    struct splitting             s   = open_empty(schema, MANY);
    struct tn_source             source;
    struct tn_chunked            chunked;
    struct tn_arena              arena;

    (void)state;
    tn_arena_init(&arena, &judge.memory);
    assert_int_equal(add(&s, "one", "string_field"), TN_OK);
    assert_int_equal(tn_splitter_format(s.splitter, &two, &s.error), TN_OK);
    assert_int_equal(tn_splitter_split(s.splitter, &s.error), TN_OK);
    tn_source_memory(&source, &judge.memory,
                     tn_splitter_chunked_message(s.splitter));
    assert_int_equal(
        tn_chunked_read(&chunked, (struct tn_span){ &source, 0, source.size },
                        &arena, &s.error),
        TN_OK);
    assert_true(tn_chunked_unwrap_in(&chunked, TN_ENVELOPE_VERSION_2));
    assert_int_equal(chunked.field_count, 1);
    tn_source_close(&source);
    tn_arena_done(&arena);
    close_splitting(&s);
}

/* In memory, where nobody wrote a version. */
static void test_warning(void **state)
{
    const struct tn_bytes chunks[] = { tn_text("one "), tn_text("two") };
    struct tn_error       error    = TN_ERROR_INIT;
    struct tn_buffer      chunked;
    struct tn_message    *merged;
    struct tn_merger     *merger;

    (void)state;
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkedMessage",
                 FIELD(F(3), C(1)) FIELD(F(3), C(0)), &chunked);
    tn_merge(&merged, schema, MANY, chunks, 2, tn_buffer_bytes(&chunked), NULL,
             &error);
    assert_string_equal(error.what, "");
    assert_non_null(strstr(tn_message_warning(merged), "string_field"));
    assert_text(merged, "string_field: \"twoone \"\n");
    tn_merger_open_chunks(&merger, schema, MANY, chunks, 2,
                          tn_buffer_bytes(&chunked), NULL, &error);
    tn_merger_sort(merger);
    tn_merger_get(&merged, merger, NULL, 0, &error);
    assert_text(merged, "string_field: \"one two\"\n");
    tn_merger_close(merger);
    tn_buffer_done(&chunked);
}

/* The same when there is something else between them. */
static void test_in_order_of_the_list(void **state)
{
    const struct tn_bytes chunks[] = { tn_text("one "), tn_text("two") };
    struct tn_error       error    = TN_ERROR_INIT;
    struct tn_buffer      chunked;
    struct tn_message    *merged;

    (void)state;
    judge_encode(
        &judge, &judge.splitter, "tensorflow.proto_splitter.ChunkedMessage",
        FIELD(F(3), C(1)) FIELD(F(1) F(3), C(0)) FIELD(F(3), C(0)), &chunked);
    tn_merge(&merged, schema, MANY, chunks, 2, tn_buffer_bytes(&chunked), NULL,
             &error);
    assert_string_equal(error.what, "");
    assert_text(merged, "field_one {\n  string_field: \"one \"\n}\n"
                        "string_field: \"twoone \"\n");
    tn_buffer_done(&chunked);
}

/* ---- parts of a message -------------------------------------------------- */

static void test_parts(void **state)
{
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_buffer       bytes;
    struct tn_message     *message;
    struct tn_message_part part;

    (void)state;
    judge_encode(&judge, &judge.testdata, MANY,
                 "string_field: \"0123456789\" repeated_string_field: \"a\" "
                 "repeated_string_field: \"b\"",
                 &bytes); /* 12 bytes, 3, 3 */
    tn_message_bytes(&message, schema, MANY, tn_buffer_bytes(&bytes), NULL,
                     &error);
    tn_message_part(message, 0, 18, 100, &part, &error);
    assert_int_equal(part.end, 18);
    assert_int_equal(part.field, 0);
    tn_message_part(message, 0, 18, 11, &part, &error);
    assert_int_equal(part.end, 12);
    assert_int_equal(part.field, 3);
    assert_int_equal(part.wire, 2);
    assert_int_equal(part.body, 2);
    tn_message_part(message, 12, 18, 5, &part, &error);
    assert_int_equal(part.end, 15);
    assert_int_equal(part.field, 0);
    tn_message_part(message, 18, 18, 5, &part, &error);
    assert_int_equal(part.end, 18);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_message_part(message, 12, 19, 5, &part, &error),
                     TN_INVALID);
    tn_message_close(message);
    tn_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adopted),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_versions_that_cannot_be),
        cmocka_unit_test(test_text_numbers),
        cmocka_unit_test(test_numbers_of_messages),
        cmocka_unit_test(test_binary_numbers),
        cmocka_unit_test(test_bytes_twice),
        cmocka_unit_test(test_version_two_in_memory),
        cmocka_unit_test(test_warning),
        cmocka_unit_test(test_in_order_of_the_list),
        cmocka_unit_test(test_parts),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
