/*
 * size_splitter_test.c - any message, any limit: join(split(m)) is m
 *
 * Messages are random, of schemas with everything that protobuf has: fields
 * given twice, members of a oneof that clear each other, packed and unpacked
 * numbers, groups, maps of all kinds, unknown fields.
 */
#include "support/hostile.h"

#include "chunk/chunk_judge.h"
#include "chunk/splitter.h"
#include "io/rope_source.h"
#include "support/random_message.h"
#include "wire/pb/pb_merge.h"
#include "wire/pb/pb_text_write.h"

static struct judge      judge;
static struct tn_schema *old, *new, *tensorflow, *testdata;

static int begin(void **state)
{
    struct tn_error error  = TN_ERROR_INIT;
    struct tn_bytes sets[] = { judge_set("pb", "old"), judge_set("pb", "new"),
                               judge_set("chunk", "testdata") };
    struct tn_schema **opened[] = { &old, &new, &testdata };

    (void)state;
    judge_open(&judge);
    for (int i = 0; i < 3; i++) {
        tn_schema_open(opened[i], sets[i], NULL, &error);
        free((void *)(uintptr_t)sets[i].data);
    }
    tn_schema_builtin(&tensorflow, "tensorflow", NULL, &error);
    assert_int_equal(error.status, TN_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(old);
    tn_schema_close(new);
    tn_schema_close(testdata);
    tn_schema_close(tensorflow);
    judge_close(&judge);
    return 0;
}

/* ---- the claim ----------------------------------------------------------- */

/* The text of what it means: entries whose key comes again are left out. */
static void print(const struct tn_pb_message *type, struct tn_span message,
                  struct tn_buffer *to)
{
    struct tn_error  *error = to->error;
    struct tn_arena   arena;
    struct tn_rope    rope;
    struct tn_source *plain = NULL;

    tn_arena_init(&arena, &judge.memory);
    tn_rope_init(&rope, &arena, error);
    struct tn_pb_view view =
        tn_pb_view(type, tn_cursor_span(message, error), &arena);
    tn_pb_normalize(&view, &rope);
    tn_source_rope(&plain, &judge.memory, &rope, "", error);
    tn_pb_text_write(type, (struct tn_span){ plain, 0, plain->size }, &to->sink,
                     &judge.memory, error);
    assert_string_equal(error->what, "");
    tn_source_close(plain);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void assert_same(const struct tn_pb_message *type, struct tn_message *a,
                        struct tn_message *b)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer first, second;

    tn_buffer_init(&first, &judge.memory, &error);
    tn_buffer_init(&second, &judge.memory, &error);
    print(type, tn_message_span(a), &first);
    print(type, tn_message_span(b), &second);
    assert_string_equal(tn_buffer_string(&first), tn_buffer_string(&second));
    tn_buffer_done(&first);
    tn_buffer_done(&second);
}

static void assert_sizes(const struct tn_splitter *splitter, uint64_t most)
{
    for (uint64_t i = 0; i < tn_splitter_chunk_count(splitter); i++)
        if (tn_splitter_chunk_type(splitter, i) == TN_CHUNK_MESSAGE)
            assert_true(tn_splitter_chunk_size(splitter, i) <= most);
}

/* Stored and sorted order are the same: a reader goes straight through. */
static void assert_in_order(const struct tn_splitter *splitter)
{
    const struct tn_chunked *result = &splitter->result;

    for (uint64_t i = 0; i < result->field_count; i++) {
        assert_int_equal(result->fields[i].message.chunk, i + 1);
        if (i)
            assert_true(tn_tags_compare(result->fields[i - 1].tags,
                                        result->fields[i].tags) <= 0);
    }
}

/* False: refused, since something cannot be divided. */
static bool holds(const struct tn_schema *schema, const char *name,
                  struct tn_bytes bytes, uint64_t most)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_message  *message, *merged;
    struct tn_splitter *splitter;
    struct tn_bytes     file;
    bool                is_chunked;

    tn_message_bytes(&message, schema, name, bytes, NULL, &error);
    tn_splitter_open(&splitter, message, &error);
    assert_string_equal(error.what, "");
    tn_splitter_by_size(splitter, most, &error);
    bool is_done = error.status == TN_OK;
    if (!is_done)
        assert_int_equal(error.status, TN_LIMIT);
    if (is_done) {
        tn_splitter_write_memory(splitter, "uncompressed", &file, &is_chunked,
                                 &error);
        assert_string_equal(error.what, "");
        assert_true(!is_chunked || bytes.size > most);
        assert_sizes(splitter, most);
        assert_in_order(splitter);
        tn_merge_bytes(&merged, schema, name, file, NULL, &error);
        assert_string_equal(error.what, "");
        assert_same(message->type, message, merged);
        tn_message_close(merged);
    }
    tn_splitter_close(splitter);
    tn_message_close(message);
    return is_done;
}

static void test_random(void **state)
{
    static const uint64_t limits[] = { 24, 64, 150, 700, 2000, 10000 };
    struct {
        struct tn_schema *schema;
        const char       *name;
    } const types[] = {
        { old, "old.Everything" },
        { new, "new.Everything" },
        { testdata, "tensorflow.proto_splitter_testdata.ManyFields" },
        { tensorflow, "tensorflow.GraphDef" },
    };
    uint64_t tried = 0, refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer bytes;
        size_t           which = seed % (sizeof types / sizeof *types);

        struct tn_dice dice = tn_dice_of(seed);
        tn_buffer_init(&bytes, &judge.memory, &error);
        while (bytes.size < 4000 && tn_roll(&dice, 9))
            tn_random_message(&dice,
                              tn_pb_schema_find(&types[which].schema->types,
                                                types[which].name),
                              0, &bytes);
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            bool held = holds(types[which].schema, types[which].name,
                              tn_buffer_bytes(&bytes), limits[i]);
            /* Nothing in one piece is longer than a string and its tags. */
            if (limits[i] >= 700)
                assert_true(held);
            tried++;
            refused += !held;
        }
        tn_buffer_done(&bytes);
    }
    assert_true(refused * 3 < tried);
}

/* ---- how it is done ------------------------------------------------------ */

/* Chunks as "type size" and the tags of each. */
static void describe(struct tn_splitter *splitter, char *to, size_t size)
{
    const struct tn_chunked *result = &splitter->result;
    size_t                   used   = 0;
    char                     path[100];

    to[0] = '\0';
    for (uint64_t i = 0; i < result->field_count; i++) {
        uint64_t chunk = result->fields[i].message.chunk;
        tn_tags_print(result->fields[i].tags, splitter->type, path,
                      sizeof path);
        used += (size_t)snprintf(
            to + used, size - used, "%s%s=%c%d", i ? " " : "", path,
            tn_splitter_chunk_type(splitter, chunk) == TN_CHUNK_BYTES ? 'b'
                                                                      : 'm',
            (int)tn_splitter_chunk_size(splitter, chunk));
        assert_true(used < size);
    }
}

#define TEN "0123456789"
#define S50 TEN TEN TEN TEN TEN

static void test_choices(void **state)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "it fits", "string_field: \"" S50 "\"", "" },
        { "a long string", "string_field: \"" S50 S50 S50 "\"",
          "string_field=b150" },
        { "the largest is enough",
          "string_field: \"" S50 "\" field_one { string_field: \"" S50
          "1234\" }",
          "field_one=m56" },
        { "a message that is itself too long",
          "field_one { string_field: \"" S50 S50 S50 "\" "
          "repeated_string_field: \"a\" }",
          "field_one.string_field=b150" },
        { "an element",
          "repeated_string_field: [\"a\", \"" S50 S50 "\", \"b\"]",
          "repeated_string_field[1]=b100" },
        { "series of small ones",
          "repeated_string_field: [\"" TEN TEN "\", \"" TEN TEN "\", \"" TEN TEN
          "\", \"" TEN TEN "\", \"" TEN TEN "\", \"" TEN TEN "\"]",
          "=m44" },
        { "entries stay together",
          "map_field_uint32 { key: 1 value: \"" S50 "\" } "
          "map_field_uint32 { key: 2 value: \"" S50 "\" }",
          "=m56" },
        { "unless one is too long",
          "map_field_uint32 { key: 1 value: \"" S50 S50 "\" }",
          "map_field_uint32[1]=b100" },
        { "messages in a map",
          "nested_map_bool { key: true value { string_field: \"" S50 S50
          "\" } } nested_map_bool { key: false value {} }",
          "nested_map_bool[true].string_field=b100" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_buffer    bytes;
        struct tn_message  *message;
        struct tn_splitter *splitter;
        char                got[300];

        judge_encode(&judge, &judge.testdata,
                     "tensorflow.proto_splitter_testdata.ManyFields",
                     cases[i].text, &bytes);
        tn_message_bytes(&message, testdata,
                         "tensorflow.proto_splitter_testdata.ManyFields",
                         tn_buffer_bytes(&bytes), NULL, &error);
        tn_splitter_open(&splitter, message, &error);
        tn_splitter_by_size(splitter, 90, &error);
        tn_splitter_split(splitter, &error);
        assert_string_equal(error.what, "");
        describe(splitter, got, sizeof got);
        assert_string_equal(got, cases[i].want);
        tn_splitter_close(splitter);
        tn_message_close(message);
        tn_buffer_done(&bytes);
    }
}

/* A member of a oneof that was cleared, itself clears what was before it: it
 * may be emptied, not dropped. */
static void test_cleared(void **state)
{
    static struct tn_error error;
    struct tn_buffer       bytes, first, dead, last;

    (void)state;
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&bytes, &judge.memory, &error);
    judge_encode(&judge, &judge.new, "new.Leaf", "a: 1", &first);
    judge_encode(&judge, &judge.new, "new.Leaf", "b: 2", &last);
    tn_buffer_init(&dead, &judge.memory, &error);
    tn_buffer_text(&dead, S50 S50);
    tn_put_body(&bytes, 32, &first);
    tn_put_body(&bytes, 33, &dead);
    tn_put_body(&bytes, 32, &last);
    for (uint64_t most = 16; most < 200; most += 8)
        assert_true(
            holds(new, "new.Everything", tn_buffer_bytes(&bytes), most));
    tn_buffer_done(&bytes);
    tn_buffer_done(&first);
    tn_buffer_done(&dead);
    tn_buffer_done(&last);
}

/* What was split and merged again, byte for byte. */
static void assert_same_bytes(struct tn_bytes bytes, uint64_t most)
{
    static struct tn_error error;
    struct tn_message     *message, *merged;
    struct tn_splitter    *splitter;
    struct tn_bytes        file;
    bool                   is_chunked;
    uint8_t               *room = malloc(bytes.size);

    error = (struct tn_error)TN_ERROR_INIT;
    tn_message_bytes(&message, new, "new.Everything", bytes, NULL, &error);
    tn_splitter_open(&splitter, message, &error);
    tn_splitter_by_size(splitter, most, &error);
    tn_splitter_write_memory(splitter, "uncompressed", &file, &is_chunked,
                             &error);
    assert_sizes(splitter, most);
    tn_merge_bytes(&merged, new, "new.Everything", file, NULL, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(tn_message_size(merged), bytes.size);
    tn_message_read(merged, 0, room, bytes.size, &error);
    assert_memory_equal(room, bytes.data, bytes.size);
    tn_message_close(merged);
    tn_splitter_close(splitter);
    tn_message_close(message);
    free(room);
}

/* A packed field longer than the limit is divided between its numbers. */
static void test_numbers(void **state)
{
    static struct tn_error error;
    struct tn_buffer       bytes, body;

    (void)state;
    error = (struct tn_error)TN_ERROR_INIT;
    for (uint32_t number = 21; number < 28; number += 6) {
        tn_buffer_init(&bytes, &judge.memory, &error);
        tn_buffer_init(&body, &judge.memory, &error);
        for (uint32_t i = 0; i < 5000; i++)
            number == 21 ? tn_buffer_varint(&body, i * 31)
                         : tn_buffer_u32(&body, i);
        tn_put_body(&bytes, number, &body);
        for (uint64_t most = 16; most < 40000; most *= 3) {
            assert_true(
                holds(new, "new.Everything", tn_buffer_bytes(&bytes), most));
            assert_same_bytes(tn_buffer_bytes(&bytes), most);
        }
        tn_buffer_done(&bytes);
        tn_buffer_done(&body);
    }
}

/* Pieces of one packed field, some of no numbers, stay as many as they are:
 * wherever the limit cuts, between two of them or inside of one. */
static void test_pieces(void **state)
{
    static const uint32_t  counts[] = { 3, 0, 1, 9, 9, 0, 0, 1, 1, 1, 40, 2 };
    static struct tn_error error;
    struct tn_buffer       bytes, body;

    (void)state;
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&bytes, &judge.memory, &error);
    for (size_t i = 0; i < 3 * sizeof counts / sizeof *counts; i++) {
        tn_buffer_init(&body, &judge.memory, &error);
        for (uint32_t k = 0; k < counts[i % 12]; k++)
            i < 24 ? tn_buffer_u32(&body, k) : tn_buffer_varint(&body, k * 99);
        tn_put_body(&bytes, i < 24 ? 27 : 21, &body);
        tn_buffer_done(&body);
    }
    for (uint64_t most = 14; most <= bytes.size; most++)
        assert_same_bytes(tn_buffer_bytes(&bytes), most);
    tn_buffer_done(&bytes);
}

/* ---- hostile ------------------------------------------------------------- */

static enum tn_status split(struct tn_bytes input, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_options   options = { .allocator = &memory->allocator };
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_bytes     file;
    bool                is_chunked;

    TN_TRY(tn_message_bytes(&message, testdata,
                            "tensorflow.proto_splitter_testdata.ManyFields",
                            input, &options, error));
    if (tn_splitter_open(&splitter, message, error) == TN_OK &&
        tn_splitter_by_size(splitter, 60, error) == TN_OK)
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

static void test_hostile(void **state)
{
    struct tn_buffer bytes;

    (void)state;
    judge_encode(&judge, &judge.testdata,
                 "tensorflow.proto_splitter_testdata.ManyFields",
                 "field_one { repeated_field { string_field: \"" S50 S50
                 "\" } repeated_string_field: \"" S50                S50 "\" } "
                                "nested_map_bool { key: true value { string_field: \"" S50
                 "\" } } map_field_int64 { key: -1 value: \"" S50    S50 "\" }",
                 &bytes);
    assert_true(is_whole(tn_buffer_bytes(&bytes)));
    tn_refuses_every_prefix(split, tn_buffer_bytes(&bytes), is_whole);
    tn_survives_every_flip(split, tn_buffer_bytes(&bytes));
    tn_survives_no_memory(split, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),  cmocka_unit_test(test_choices),
        cmocka_unit_test(test_cleared), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_pieces),  cmocka_unit_test(test_hostile),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
