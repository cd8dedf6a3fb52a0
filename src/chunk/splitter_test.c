/*
 * splitter_test.c - composing chunks, files of them, and back
 *
 * Through the public interface alone, as a stranger would use it.
 */
#define _GNU_SOURCE
#include "support/scratch.h"

#include <tenon/chunk.h>

#include "chunk/chunk_judge.h"
#include "wire/pb/pb_text_write.h"

#define PACKAGE "tensorflow.proto_splitter_testdata."

static struct judge      judge;
static struct tn_schema *schema, *meta;
static struct tn_scratch scratch;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    judge_open(&judge);
    struct tn_bytes set = judge_set("chunk", "testdata");
    assert_int_equal(tn_schema_open(&schema, set, NULL, &error), TN_OK);
    free((void *)(uintptr_t)set.data);
    tn_schema_builtin(&meta, "proto_splitter", NULL, &error);
    assert_non_null(meta);
    scratch = tn_scratch_open();
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(schema);
    tn_schema_close(meta);
    tn_scratch_close(&scratch);
    judge_close(&judge);
    return 0;
}

/* ---- helpers ------------------------------------------------------------- */

static struct tn_buffer source; /* of the message that is being split */

static struct tn_message *message_of(const char *type, const char *text)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_message *message;
    char               name[100];

    snprintf(name, sizeof name, PACKAGE "%s", type);
    judge_encode(&judge, &judge.testdata, name, text, &source);
    assert_int_equal(tn_message_bytes(&message, schema, name,
                                      tn_buffer_bytes(&source), NULL, &error),
                     TN_OK);
    return message;
}

/* The text of any bytes. */
static void assert_text(const struct tn_pb_message *type, struct tn_bytes bytes,
                        const char *want)
{
    static struct tn_error error;
    struct tn_source       from;
    struct tn_buffer       text;

    error = (struct tn_error)TN_ERROR_INIT;
    tn_source_memory(&from, &judge.memory, bytes);
    tn_buffer_init(&text, &judge.memory, &error);
    tn_pb_text_write(type, (struct tn_span){ &from, 0, bytes.size }, &text.sink,
                     &judge.memory, &error);
    assert_string_equal(error.what, "");
    assert_string_equal(tn_buffer_string(&text), want);
    tn_buffer_done(&text);
    tn_source_close(&from);
}

static struct tn_bytes read_message(struct tn_message *message)
{
    struct tn_error error = TN_ERROR_INIT;
    size_t          size  = (size_t)tn_message_size(message);
    uint8_t        *bytes = malloc(size + 1);

    assert_non_null(bytes);
    assert_int_equal(tn_message_read(message, 0, bytes, size, &error), TN_OK);
    return tn_bytes(bytes, size);
}

static void assert_message(struct tn_message          *message,
                           const struct tn_pb_message *type, const char *want)
{
    struct tn_bytes bytes = read_message(message);

    assert_text(type, bytes, want);
    free((void *)(uintptr_t)bytes.data);
    tn_message_close(message);
}

static struct tn_bytes read_chunk(struct tn_splitter *splitter, uint64_t index)
{
    struct tn_error error = TN_ERROR_INIT;
    size_t          size  = (size_t)tn_splitter_chunk_size(splitter, index);
    uint8_t        *bytes = malloc(size + 1);

    assert_int_equal(
        tn_splitter_chunk_read(splitter, index, 0, bytes, size, &error), TN_OK);
    return tn_bytes(bytes, size);
}

static void assert_chunk(struct tn_splitter *splitter, uint64_t index,
                         enum tn_chunk_type type, const char *bytes)
{
    struct tn_bytes chunk = read_chunk(splitter, index);

    assert_int_equal(tn_splitter_chunk_type(splitter, index), type);
    assert_true(tn_bytes_is(chunk, bytes));
    free((void *)(uintptr_t)chunk.data);
}

static void assert_chunked(struct tn_splitter *splitter, const char *want)
{
    assert_text(tn_pb_schema_find(&judge.splitter,
                                  "tensorflow.proto_splitter.ChunkedMessage"),
                tn_splitter_chunked_message(splitter), want);
}

/* Merges what the splitter has in memory. */
static struct tn_message *merge_again(struct tn_splitter *splitter,
                                      const char *type, struct tn_bytes *chunks)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_message *merged;
    char               name[100];
    uint64_t           count = tn_splitter_chunk_count(splitter);

    snprintf(name, sizeof name, PACKAGE "%s", type);
    for (uint64_t i = 0; i < count; i++)
        chunks[i] = read_chunk(splitter, i);
    tn_merge(&merged, schema, name, chunks, count,
             tn_splitter_chunked_message(splitter), NULL, &error);
    assert_string_equal(error.what, "");
    return merged;
}

/* ---- composing ----------------------------------------------------------- */

static const char three[] =
    "strings: \"piece-1\"\nstrings: \"piece-2\"\nstrings: \"piece-3\"\n";

static const char three_chunked[] =
    "chunked_fields {\n  field_tag {\n    field: 1\n  }\n  field_tag {\n"
    "    index: 0\n  }\n  message {\n    chunk_index: 0\n  }\n}\n"
    "chunked_fields {\n  field_tag {\n    field: 1\n  }\n  field_tag {\n"
    "    index: 1\n  }\n  message {\n    chunk_index: 1\n  }\n}\n"
    "chunked_fields {\n  field_tag {\n    field: 1\n  }\n  field_tag {\n"
    "    index: 2\n  }\n  message {\n    chunk_index: 2\n  }\n}\n";

/* Each string its own chunk; what a splitter of one's own looks like. */
static void split_strings(struct tn_splitter *splitter)
{
    struct tn_error      error   = TN_ERROR_INIT;
    const struct tn_step field[] = { TN_NAME("strings") };
    uint64_t             count;

    tn_splitter_count(splitter, field, 1, &count, &error);
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_step steps[] = { TN_NAME("strings"),
                                         TN_AT((int64_t)i) };
        tn_splitter_take(splitter, steps, 2, TN_AT_END, &error);
    }
    assert_int_equal(error.status, TN_OK);
}

static struct tn_splitter *splitter_of(struct tn_message *message)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_splitter *splitter;

    assert_int_equal(tn_splitter_open(&splitter, message, &error), TN_OK);
    return splitter;
}

static void done(struct tn_splitter *splitter, struct tn_message *message)
{
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_buffer_done(&source);
}

static void test_strings(void **state)
{
    struct tn_error     error    = TN_ERROR_INIT;
    struct tn_message  *message  = message_of("RepeatedString", three);
    struct tn_splitter *splitter = splitter_of(message);
    struct tn_bytes     chunks[3];

    (void)state;
    split_strings(splitter);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
        assert_int_equal(tn_splitter_chunk_count(splitter), 3);
        assert_chunk(splitter, 0, TN_CHUNK_BYTES, "piece-1");
        assert_chunk(splitter, 2, TN_CHUNK_BYTES, "piece-3");
        assert_chunked(splitter, three_chunked);
    }
    assert_message(merge_again(splitter, "RepeatedString", chunks),
                   judge.strings, three);
    for (int i = 0; i < 3; i++)
        free((void *)(uintptr_t)chunks[i].data);
    done(splitter, message);
}

static void test_file(void **state)
{
    static const char *const records[] = { NULL, "uncompressed", "zstd:3",
                                           "transpose,snappy" };
    struct tn_error          error     = TN_ERROR_INIT;
    struct tn_message       *message   = message_of("RepeatedString", three);
    struct tn_splitter      *splitter  = splitter_of(message);
    char                    *prefix    = tn_scratch_path(&scratch, "strings");
    struct tn_message       *merged;
    const char              *written;

    (void)state;
    split_strings(splitter);
    struct tn_target target = { .path = prefix };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        target.can_replace = i > 0;
        tn_splitter_write(splitter, &target, records[i], &written, &error);
        assert_string_equal(error.what, "");
        assert_non_null(strstr(written, "/strings.cpb"));
        assert_int_equal(tn_merge_read(&merged, schema,
                                       PACKAGE "RepeatedString", prefix, NULL,
                                       0, NULL, &error),
                         TN_OK);
        assert_message(merged, judge.strings, three);
    }
    target.can_replace = false;
    assert_int_equal(tn_splitter_write(splitter, &target, NULL, NULL, &error),
                     TN_EXISTS);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_write(splitter, &target, "lzma", NULL, &error),
                     TN_INVALID);
    assert_true(tn_scratch_has(&scratch, "strings.cpb"));
    assert_int_equal(unlinkat(scratch.folder, "strings.cpb", 0), 0);
    free(prefix);
    done(splitter, message);
}

static void test_no_strings(void **state)
{
    struct tn_error     error    = TN_ERROR_INIT;
    struct tn_message  *message  = message_of("RepeatedString", "");
    struct tn_splitter *splitter = splitter_of(message);

    (void)state;
    tn_splitter_keep_base(splitter, &error);
    split_strings(splitter);
    assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
    assert_int_equal(tn_splitter_chunk_count(splitter), 1);
    assert_chunk(splitter, 0, TN_CHUNK_MESSAGE, "");
    assert_chunked(splitter, "chunk_index: 0\n");
    done(splitter, message);
}

static const char nested[] =
    "filler_field: 7\n"
    "rs {\n  strings: \"a\"\n  strings: \"b\"\n  strings: \"c\"\n}\n"
    "rs {\n  strings: \"d\"\n}\n"
    "rs {\n  strings: \"e\"\n  strings: \"f\"\n}\n";

static void test_children(void **state)
{
    struct tn_error     error    = TN_ERROR_INIT;
    struct tn_message  *message  = message_of("RepeatedRepeatedString", nested);
    struct tn_splitter *splitter = splitter_of(message), *child;
    struct tn_bytes     chunks[7];

    (void)state;
    tn_splitter_keep_base(splitter, &error);
    for (int i = 0; i < 3; i++) {
        const struct tn_step steps[] = { TN_NAME("rs"), TN_AT(i) };
        tn_splitter_child(&child, splitter, steps, 2, &error);
        assert_int_equal(error.status, TN_OK);
        split_strings(child);
    }
    assert_int_equal(tn_splitter_split(child, &error), TN_UNSUPPORTED);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_write(child,
                                       &(struct tn_target){ .path = "x" }, NULL,
                                       NULL, &error),
                     TN_UNSUPPORTED);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_keep_base(child, &error), TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
    assert_int_equal(tn_splitter_chunk_count(splitter), 7);
    assert_chunk(splitter, 5, TN_CHUNK_BYTES, "e");
    assert_message(merge_again(splitter, "RepeatedRepeatedString", chunks),
                   judge.lists, nested);
    for (int i = 0; i < 7; i++)
        free((void *)(uintptr_t)chunks[i].data);
    done(splitter, message);
}

/* ---- every way of taking something out ----------------------------------- */

static const char many[] =
    "field_one {\n  string_field: \"one\"\n}\n"
    "repeated_field {\n  string_field: \"r0\"\n}\n"
    "repeated_field {\n  string_field: \"r1\"\n}\n"
    "repeated_field {\n  string_field: \"r2\"\n}\n"
    "string_field: \"text\"\n"
    "repeated_string_field: \"s0\"\n"
    "repeated_string_field: \"s1\"\n"
    "map_field_uint32 {\n  key: 1\n  value: \"m1\"\n}\n"
    "map_field_uint32 {\n  key: 2\n  value: \"m2\"\n}\n"
    "nested_map_bool {\n  key: true\n  value {\n    string_field: \"t\"\n"
    "  }\n}\n";

/* What becomes the chunk. */
static const struct {
    const char    *name;
    struct tn_step steps[6];
    uint64_t       count, begin, end; /* end not 0: a slice                   */
    const char    *chunk;             /* NULL: refused                        */
    enum tn_status status;
} takes[] = {
    { "singular message",
      { TN_NAME("field_one") },
      1,
      0,
      0,
      "\x1a\x03one",
      TN_OK },
    { "singular string", { TN_NAME("string_field") }, 1, 0, 0, "text", TN_OK },
    { "nested string",
      { TN_NAME("field_one"), TN_AT(3) },
      2,
      0,
      0,
      "one",
      TN_OK },
    { "element", { TN_AT(2), TN_AT(1) }, 2, 0, 0, "\x1a\x02r1", TN_OK },
    { "string element", { TN_AT(4), TN_AT(1) }, 2, 0, 0, "s1", TN_OK },
    { "map value", { TN_AT(5), TN_AT(2) }, 2, 0, 0, "m2", TN_OK },
    { "message in a map",
      { TN_AT(7), TN_NAME("true") },
      2,
      0,
      0,
      "\x1a\x01t",
      TN_OK },
    { "slice",
      { TN_AT(2) },
      1,
      1,
      3,
      "\x12\x04\x1a\x02r1\x12\x04\x1a\x02r2",
      TN_OK },
    { "slice of a map",
      { TN_AT(5) },
      1,
      0,
      1,
      "*\x06\x08\x01\x12\x02m1",
      TN_OK },
    { "slice too far", { TN_AT(2) }, 1, 1, 4, NULL, TN_NOT_FOUND },
    { "slice of one that is not repeated",
      { TN_AT(3) },
      1,
      0,
      1,
      NULL,
      TN_NOT_FOUND },
    { "index 100 of 3", { TN_AT(2), TN_AT(100) }, 2, 0, 0, NULL, TN_NOT_FOUND },
    { "no such field", { TN_NAME("INVALID") }, 1, 0, 0, NULL, TN_INVALID },
    { "no such key", { TN_AT(5), TN_AT(10000) }, 2, 0, 0, NULL, TN_NOT_FOUND },
    { "absent", { TN_AT(1), TN_AT(1) }, 2, 0, 0, NULL, TN_NOT_FOUND },
    { "past the end of strings",
      { TN_AT(4), TN_AT(2) },
      2,
      0,
      0,
      NULL,
      TN_NOT_FOUND },
};

/* The bytes are not in the base any more. */
static bool left_base(struct tn_splitter *splitter, const char *part)
{
    struct tn_bytes base  = read_chunk(splitter, 0);
    bool            found = memmem(base.data, base.size, part, strlen(part));

    free((void *)(uintptr_t)base.data);
    return !found;
}

static void test_takes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        struct tn_error     error    = TN_ERROR_INIT;
        struct tn_message  *message  = message_of("ManyFields", many);
        struct tn_splitter *splitter = splitter_of(message);
        struct tn_bytes     chunks[2];

        tn_splitter_keep_base(splitter, &error);
        if (takes[i].end)
            tn_splitter_slice(splitter, takes[i].steps, takes[i].count,
                              takes[i].begin, takes[i].end, TN_AT_END, &error);
        else
            tn_splitter_take(splitter, takes[i].steps, takes[i].count,
                             TN_AT_END, &error);
        if (error.status != takes[i].status)
            print_message("%s: %s\n", takes[i].name, error.what);
        assert_int_equal(error.status, takes[i].status);
        error = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
        if (takes[i].chunk) {
            assert_chunk(splitter, 1,
                         takes[i].chunk[0] < 32 || takes[i].chunk[0] == '*'
                             ? TN_CHUNK_MESSAGE
                             : TN_CHUNK_BYTES,
                         takes[i].chunk);
            assert_true(left_base(splitter, takes[i].chunk));
        }
        /* Slices out of the middle come back at the end. */
        struct tn_message *merged = merge_again(splitter, "ManyFields", chunks);
        if (!takes[i].end || takes[i].end == 3 || !takes[i].chunk)
            assert_message(merged, judge.many, many);
        else
            tn_message_close(merged);
        free((void *)(uintptr_t)chunks[0].data);
        if (takes[i].chunk)
            free((void *)(uintptr_t)chunks[1].data);
        done(splitter, message);
    }
}

/* A chunk in front of others: all numbers move. */
static void test_insertion(void **state)
{
    struct tn_error      error    = TN_ERROR_INIT;
    struct tn_message   *message  = message_of("ManyFields", many);
    struct tn_splitter  *splitter = splitter_of(message);
    const struct tn_step first[]  = { TN_AT(4), TN_AT(0) },
                         field[]  = { TN_NAME("string_field") },
                         one[]    = { TN_NAME("field_one") };

    (void)state;
    tn_splitter_take(splitter, first, 2, TN_AT_END, &error);
    tn_splitter_take(splitter, field, 1, 0, &error);
    tn_splitter_keep_base(splitter, &error);
    tn_splitter_keep_base(splitter, &error);
    tn_splitter_clear(splitter, one, 1, &error);
    tn_splitter_add_chunk(splitter, TN_CHUNK_MESSAGE, tn_bytes("\x1a\x01z", 3),
                          one, 1, 1, &error);
    assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
    assert_chunk(splitter, 1, TN_CHUNK_MESSAGE, "\x1a\x01z");
    assert_chunk(splitter, 2, TN_CHUNK_BYTES, "text");
    assert_chunk(splitter, 3, TN_CHUNK_BYTES, "s0");
    assert_chunked(splitter,
                   "chunk_index: 0\n"
                   "chunked_fields {\n  field_tag {\n    field: 4\n  }\n"
                   "  field_tag {\n    index: 0\n  }\n  message {\n"
                   "    chunk_index: 3\n  }\n}\n"
                   "chunked_fields {\n  field_tag {\n    field: 3\n  }\n"
                   "  message {\n    chunk_index: 2\n  }\n}\n"
                   "chunked_fields {\n  field_tag {\n    field: 1\n  }\n"
                   "  message {\n    chunk_index: 1\n  }\n}\n");
    assert_int_equal(tn_splitter_take(splitter, one, 1, 0, &error), TN_INVALID);
    done(splitter, message);
}

/* An empty field stays in its place, so the bytes come back as they were; what
 * was taken cannot be taken again: a second chunk of no bytes would count. */
static void test_hollow(void **state)
{
    static const struct tn_step paths[][2] = {
        { TN_NAME("string_field") },
        { TN_NAME("field_one") },
        { TN_AT(4), TN_AT(0) },
        { TN_AT(5), TN_AT(2) },
    };
    static const uint64_t counts[] = { 1, 1, 2, 2 };
    struct tn_error       error    = TN_ERROR_INIT;
    struct tn_message    *message  = message_of("ManyFields", many);
    struct tn_splitter   *splitter = splitter_of(message);
    struct tn_bytes       chunks[6];

    (void)state;
    tn_splitter_keep_base(splitter, &error);
    for (int i = 0; i < 4; i++) {
        tn_splitter_hollow(splitter, paths[i], counts[i], TN_AT_END, &error);
        assert_string_equal(error.what, "");
    }
    assert_int_equal(
        tn_splitter_hollow(splitter, paths[0], 1, TN_AT_END, &error),
        TN_NOT_FOUND);
    assert_string_equal(error.what, "string_field was taken before");
    assert_int_equal(tn_splitter_take(splitter, paths[2], 2, TN_AT_END, &error),
                     TN_NOT_FOUND);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
    struct tn_message *merged = merge_again(splitter, "ManyFields", chunks);
    struct tn_bytes    bytes  = read_message(merged);
    assert_int_equal(bytes.size, source.size);
    assert_memory_equal(bytes.data, source.data, source.size);
    free((void *)(uintptr_t)bytes.data);
    for (int i = 0; i < 5; i++)
        free((void *)(uintptr_t)chunks[i].data);
    tn_message_close(merged);
    done(splitter, message);
}

static void test_mistakes(void **state)
{
    struct tn_message   *message  = message_of("ManyFields", many);
    struct tn_splitter  *splitter = splitter_of(message), *child;
    const struct tn_step text[]   = { TN_NAME("string_field") },
                         one[]    = { TN_NAME("field_one") };
    uint64_t number;

    (void)state;
#define REFUSES(call)                                                          \
    do {                                                                       \
        struct tn_error error = TN_ERROR_INIT;                                 \
        assert_int_equal(call, TN_INVALID);                                    \
    } while (0)
    REFUSES(tn_splitter_child(&child, splitter, text, 1, &error));
    REFUSES(tn_splitter_add_chunk(splitter, TN_CHUNK_MESSAGE, tn_text(""), text,
                                  1, TN_AT_END, &error));
    REFUSES(tn_splitter_add_chunk(splitter, TN_CHUNK_BYTES, tn_text(""), one, 1,
                                  TN_AT_END, &error));
    REFUSES(tn_splitter_add_chunk(splitter, TN_CHUNK_UNSET, tn_text(""), one, 1,
                                  TN_AT_END, &error));
    REFUSES(tn_splitter_clear(splitter, one, 0, &error));
    REFUSES(tn_splitter_size(splitter, text, 1, &number, &error));
    REFUSES(tn_splitter_by_size(splitter, 0, &error));
    struct tn_error error = TN_ERROR_INIT;
    assert_int_equal(tn_splitter_size(splitter, one, 1, &number, &error),
                     TN_OK);
    assert_int_equal(number, 5);
    assert_int_equal(tn_splitter_split(splitter, &error), TN_OK);
    done(splitter, message);
}

/* ---- files --------------------------------------------------------------- */

static void test_nothing_split(void **state)
{
    struct tn_error     error    = TN_ERROR_INIT;
    struct tn_message  *message  = message_of("ManyFields", many), *again;
    struct tn_splitter *splitter = splitter_of(message);
    char               *prefix   = tn_scratch_path(&scratch, "whole");
    struct tn_target    target   = { .path = prefix };
    const char         *written;

    (void)state;
    assert_int_equal(tn_merge_read(&again, schema, PACKAGE "ManyFields", prefix,
                                   NULL, 0, NULL, &error),
                     TN_NOT_FOUND);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_splitter_keep_base(splitter, &error);
    tn_splitter_write(splitter, &target, "zstd", &written, &error);
    assert_string_equal(error.what, "");
    assert_non_null(strstr(written, "/whole.pb"));
    tn_merge_read(&again, schema, PACKAGE "ManyFields", prefix, NULL, 0, NULL,
                  &error);
    assert_message(again, judge.many, many);
    const struct tn_path part = { NULL, 0 };
    assert_int_equal(tn_merge_read(&again, schema, PACKAGE "ManyFields", prefix,
                                   &part, 1, NULL, &error),
                     TN_INVALID);
    free(prefix);
    done(splitter, message);
}

/* Which of two files counts, and that none is left behind. */
static void test_siblings(void **state)
{
    struct tn_error      error    = TN_ERROR_INIT;
    struct tn_message   *message  = message_of("ManyFields", many), *again;
    struct tn_splitter  *splitter = splitter_of(message);
    char                *prefix   = tn_scratch_path(&scratch, "two");
    struct tn_target     target   = { .path = prefix };
    const struct tn_step one[]    = { TN_NAME("field_one") };

    (void)state;
    tn_splitter_keep_base(splitter, &error);
    tn_splitter_take(splitter, one, 1, TN_AT_END, &error);
    tn_scratch_write(&scratch, "two.pb", "stale");
    assert_int_equal(tn_splitter_write(splitter, &target, NULL, NULL, &error),
                     TN_EXISTS);
    assert_false(tn_scratch_has(&scratch, "two.cpb"));
    error             = (struct tn_error)TN_ERROR_INIT;
    target.is_dry_run = true;
    assert_int_equal(tn_splitter_write(splitter, &target, NULL, NULL, &error),
                     TN_OK);
    assert_false(tn_scratch_has(&scratch, "two.cpb"));
    target.is_dry_run  = false;
    target.can_replace = true;
    assert_int_equal(tn_splitter_write(splitter, &target, NULL, NULL, &error),
                     TN_OK);
    assert_false(tn_scratch_has(&scratch, "two.pb"));
    tn_scratch_write(&scratch, "two.pb", "stale");
    tn_merge_read(&again, schema, PACKAGE "ManyFields", prefix, NULL, 0, NULL,
                  &error);
    assert_message(again, judge.many, many);
    free(prefix);
    done(splitter, message);
}

/* Only what is asked for. */
static void test_lazy(void **state)
{
    struct tn_error      error    = TN_ERROR_INIT;
    struct tn_message   *message  = message_of("ManyFields", many), *part;
    struct tn_splitter  *splitter = splitter_of(message);
    struct tn_merger    *merger;
    char                *prefix   = tn_scratch_path(&scratch, "lazy");
    struct tn_target     target   = { .path = prefix };
    const struct tn_step second[] = { TN_AT(2), TN_AT(1) },
                         text[]   = { TN_AT(2), TN_AT(1), TN_AT(3) },
                         one[]    = { TN_NAME("field_one") },
                         gone[]   = { TN_AT(2), TN_AT(9) };
    const struct tn_path paths[]  = { { one, 1 }, { second, 2 } };

    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct tn_step steps[] = { TN_AT(2), TN_AT(i) };
        tn_splitter_take(splitter, steps, 2, TN_AT_END, &error);
    }
    tn_splitter_take(splitter, one, 1, TN_AT_END, &error);
    tn_splitter_write(splitter, &target, NULL, NULL, &error);
    assert_string_equal(error.what, "");
    tn_merger_open(&merger, schema, PACKAGE "ManyFields", prefix, NULL, &error);
    assert_non_null(merger);
    tn_merger_get(&part, merger, second, 2, &error);
    assert_message(part, judge.many, "string_field: \"r1\"\n");
    tn_merger_get(&part, merger, text, 3, &error);
    struct tn_bytes bytes = read_message(part);
    assert_true(tn_bytes_is(bytes, "r1"));
    free((void *)(uintptr_t)bytes.data);
    struct tn_splitter *none;
    assert_int_equal(tn_splitter_open(&none, part, &error), TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_message_close(part);
    assert_int_equal(tn_merger_get(&part, merger, gone, 2, &error),
                     TN_NOT_FOUND);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_merger_close(merger);
    tn_merge_read(&part, schema, PACKAGE "ManyFields", prefix, paths, 2, NULL,
                  &error);
    assert_message(part, judge.many,
                   "field_one {\n  string_field: \"one\"\n}\n"
                   "repeated_field {\n}\n"
                   "repeated_field {\n  string_field: \"r1\"\n}\n");
    free(prefix);
    done(splitter, message);
}

static void test_message_write(void **state)
{
    struct tn_error     error    = TN_ERROR_INIT;
    struct tn_message  *message  = message_of("ManyFields", many), *merged;
    struct tn_splitter *splitter = splitter_of(message);
    char               *path     = tn_scratch_path(&scratch, "merged.pb");
    struct tn_target    target   = { .path = path };
    struct tn_bytes     bytes;
    bool                is_chunked;

    (void)state;
    tn_splitter_by_size(splitter, 40, &error);
    tn_splitter_write_memory(splitter, NULL, &bytes, &is_chunked, &error);
    assert_string_equal(error.what, "");
    assert_true(is_chunked);
    assert_int_equal(tn_merge_bytes(&merged, schema, PACKAGE "ManyFields",
                                    bytes, NULL, &error),
                     TN_OK);
    assert_int_equal(tn_message_write(merged, &target, &error), TN_OK);
    tn_message_close(merged);
    tn_message_open(&merged, schema, PACKAGE "ManyFields", path, NULL, &error);
    assert_message(merged, judge.many, many);
    free(path);
    done(splitter, message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_no_strings),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_takes),
        cmocka_unit_test(test_insertion),
        cmocka_unit_test(test_hollow),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_nothing_split),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_lazy),
        cmocka_unit_test(test_message_write),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
