/* chunk_meta_test.c - metadata: read, written, sorted, pruned, refused */
#include "support/hostile.h"

#include "chunk/the_judge_testing.h"
#include "chunk/chunk_meta.h"
#include "wire/pb/pb_text_read.h"

static const char everything[] =
    "version { splitter_version: 1 join_version: -1 bad_consumers: [7, -2] }\n"
    "chunks { type: MESSAGE size: 114 offset: 64 }\n"
    "chunks { type: BYTES size: 5000000000 offset: 65 }\n"
    "chunks { }\n"
    "message { chunk_index: 0\n"
    "  chunked_fields { message { chunk_index: 2 } }\n"
    "  chunked_fields { field_tag { field: 7 }\n"
    "    field_tag { map_key { boolean: false } } message { chunk_index: 1\n"
    "      chunked_fields { field_tag { field: 3 } message { } } } }\n"
    "  chunked_fields { field_tag { field: 4 } field_tag { index: 0 }\n"
    "    field_tag { map_key { s: \"a\" } } field_tag { map_key { ui32: 4 } }\n"
    "    field_tag { map_key { ui64: 18446744073709551615 } }\n"
    "    field_tag { map_key { i32: -5 } } field_tag { map_key { i64: -6 } }\n"
    "    field_tag { map_key { } } field_tag { } message { } } }\n";

/* What was read is written as it came. */
static void test_round_trip(void **state)
{
    struct tn_buffer     bytes, again;
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_source     source;
    struct tn_chunk_meta meta;
    struct tn_rope       rope;

    (void)state;
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkMetadata", everything, &bytes);
    tn_source_memory(&source, &judge.memory, tn_buffer_bytes(&bytes));
    tn_chunk_meta_read(&meta, (struct tn_span){ &source, 0, source.size },
                       &judge.arena, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(meta.join_version, -1);
    assert_int_equal(meta.bad_consumers[1], -2);
    assert_int_equal(meta.chunks[1].size, 5000000000);
    assert_int_equal(meta.message.field_count, 3);
    assert_int_equal(meta.unknown_count, 0);

    tn_buffer_init(&again, &judge.memory, &error);
    tn_rope_init(&rope, &judge.arena, &error);
    tn_chunk_meta_write(&meta, &rope);
    tn_rope_write(&rope, &again.sink, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    tn_rope_done(&rope);
    tn_buffer_done(&again);
    tn_buffer_done(&bytes);
    tn_source_close(&source);
}

static enum tn_status read_meta(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct tn_source     source;
    struct tn_arena      arena;
    struct tn_chunk_meta meta;

    tn_arena_init(&arena, memory);
    tn_source_memory(&source, memory, input);
    tn_chunk_meta_read(&meta, (struct tn_span){ &source, 0, input.size },
                       &arena, error);
    if (error->status == TN_OK)
        tn_chunked_sort(&meta.message);
    tn_source_close(&source);
    tn_arena_done(&arena);
    return error->status;
}

/* A file cut between two fields is a good shorter one. */
static bool is_whole_fields(struct tn_bytes prefix)
{
    struct tn_error error = TN_ERROR_INIT;

    return read_meta(prefix, &judge.memory, &error) == TN_OK;
}

static void test_hostile(void **state)
{
    struct tn_buffer bytes;

    (void)state;
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkMetadata", everything, &bytes);
    tn_refuses_every_prefix(read_meta, tn_buffer_bytes(&bytes),
                            is_whole_fields);
    tn_survives_every_flip(read_meta, tn_buffer_bytes(&bytes));
    tn_survives_no_memory(read_meta, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

static enum tn_status read_hex(const char *hex)
{
    struct tn_error error  = TN_ERROR_INIT;
    struct tn_bytes bytes  = tn_hex(hex);
    enum tn_status  status = read_meta(bytes, &judge.memory, &error);

    free((void *)(uintptr_t)bytes.data);
    return status;
}

static void test_depth(void **state)
{
    uint8_t         bytes[1024];
    struct tn_error error = TN_ERROR_INIT;
    size_t          at    = sizeof bytes;

    (void)state;
    /* message { chunked_fields { message { ... } } }, from the inside out */
    for (int i = 0; i < 2 * TN_CHUNK_DEPTH_LIMIT - 1; i++) {
        size_t size = sizeof bytes - at;
        at -= tn_varint_size(size);
        tn_varint_put(bytes + at, size);
        bytes[--at] = i % 2 ? 0x12 : 0x1a;
    }
    struct tn_bytes good = tn_bytes(bytes + at, sizeof bytes - at);
    assert_int_equal(read_meta(good, &judge.memory, &error), TN_OK);
    for (int i = 1; i >= 0; i--) {
        size_t size = sizeof bytes - at;
        at -= tn_varint_size(size);
        tn_varint_put(bytes + at, size);
        bytes[--at] = i ? 0x12 : 0x1a;
    }
    good = tn_bytes(bytes + at, sizeof bytes - at);
    assert_int_equal(read_meta(good, &judge.memory, &error), TN_LIMIT);
    assert_int_equal(read_hex("1a 02 12 01"), TN_TRUNCATED);
}

static void test_unknown_fields(void **state)
{
    struct tn_bytes      bytes = tn_hex("20 01 0a 02 20 05 12 02 20 01 1a 06 "
                                             "12 04 12 00 1a 00");
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_source     source;
    struct tn_chunk_meta meta;

    (void)state;
    tn_source_memory(&source, &judge.memory, bytes);
    tn_chunk_meta_read(&meta, (struct tn_span){ &source, 0, bytes.size },
                       &judge.arena, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(meta.unknown_count, 4);
    tn_source_close(&source);
    free((void *)(uintptr_t)bytes.data);
}

static void test_versions(void **state)
{
    const int32_t bad[] = { 3, 0 };
    const struct {
        struct tn_chunk_meta meta;
        enum tn_status       status;
    } cases[] = {
        { { .splitter_version = 1 }, TN_OK },
        { { .splitter_version = 99 }, TN_OK },
        { { .join_version = 1 }, TN_UNSUPPORTED },
        { { .bad_consumers = bad, .bad_consumer_count = 1 }, TN_OK },
        { { .bad_consumers = bad, .bad_consumer_count = 2 }, TN_UNSUPPORTED },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error error = TN_ERROR_INIT;
        assert_int_equal(tn_chunk_meta_versions(&cases[i].meta, 0, &error),
                         cases[i].status);
    }
}

/* The metadata of many-field, in the order in which it is stored. */
static const char many_field[] =
    "chunk_index: 0\n"
    "chunked_fields { field_tag { field: 7 }\n"
    "  field_tag { map_key { boolean: true } } message { chunk_index: 2 } }\n"
    "chunked_fields { field_tag { field: 7 }\n"
    "  field_tag { map_key { boolean: false } } message { chunk_index: 3 } }\n"
    "chunked_fields { field_tag { field: 1 } message { chunk_index: 1\n"
    "  chunked_fields { field_tag { field: 3 } message { chunk_index: 4 } } } }"
    "chunked_fields { message { chunk_index: 9 } }\n"
    "chunked_fields { message { chunk_index: 5 } }\n";

static struct tn_chunked read_many_field(struct tn_source *source,
                                         struct tn_buffer *bytes)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_chunked message;

    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkedMessage", many_field, bytes);
    tn_source_memory(source, &judge.memory, tn_buffer_bytes(bytes));
    tn_chunked_read(&message, (struct tn_span){ source, 0, bytes->size },
                    &judge.arena, &error);
    assert_int_equal(error.status, TN_OK);
    return message;
}

static void test_sort(void **state)
{
    static const uint64_t chunks[] = { 5, 9, 1, 3, 2 };
    struct tn_source      source;
    struct tn_buffer      bytes;

    (void)state;
    struct tn_chunked message = read_many_field(&source, &bytes);
    tn_chunked_sort(&message);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        assert_int_equal(message.fields[i].message.chunk, chunks[i]);
    tn_source_close(&source);
    tn_buffer_done(&bytes);
}

static uint64_t sum_of_chunks(const struct tn_chunked *message)
{
    uint64_t sum = message->has_chunk ? 1ull << message->chunk : 0;

    for (uint64_t i = 0; i < message->field_count; i++)
        sum += sum_of_chunks(&message->fields[i].message);
    return sum;
}

static void test_prune(void **state)
{
    const struct tn_field_tag one[] = { tn_tag_field(1), tn_tag_field(2),
                                        tn_tag_index(1) };
    const struct tn_field_tag yes[] = {
        tn_tag_field(7),
        { .kind = TN_TAG_KEY, .key = TN_KEY_BOOL, .at.number = 1 },
        tn_tag_field(3),
    };
    const struct tn_tags paths[] = {
        { one, 3 }, { yes, 3 }, { one, 1 }, { one, 0 }
    };
    const struct {
        uint64_t           first, count;
        enum tn_chunk_keep keep;
        uint64_t           chunks; /* as bits; 5 and 9 are the message itself */
    } cases[] = {
        { 0, 0, TN_KEEP_ABOVE, 1 },
        { 0, 1, TN_KEEP_ABOVE, 1 + 2 + 32 + 512 },
        { 0, 2, TN_KEEP_ABOVE, 1 + 2 + 4 + 32 + 512 },
        { 2, 1, TN_KEEP_ABOVE, 1 + 2 + 32 + 512 },
        { 2, 1, TN_KEEP_AROUND, 1 + 2 + 16 + 32 + 512 },
        { 0, 1, TN_KEEP_AROUND, 1 + 2 + 32 + 512 },
        { 3, 1, TN_KEEP_AROUND, 1 + 2 + 4 + 8 + 16 + 32 + 512 },
    };
    struct tn_source source;
    struct tn_buffer bytes;

    (void)state;
    struct tn_chunked message = read_many_field(&source, &bytes);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_chunked pruned;
        tn_chunked_prune(&pruned, &message, paths + cases[i].first,
                         cases[i].count, cases[i].keep, &judge.arena, &error);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(sum_of_chunks(&pruned), cases[i].chunks);
    }
    tn_source_close(&source);
    tn_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_unknown_fields),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_prune),
    };

    return cmocka_run_group_tests(tests, open_judge, close_judge);
}
