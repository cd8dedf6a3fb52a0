/*
 * merger_test.c - which file a prefix means, what of it is merged, and what a
 * merger says of files that are none
 */
#define _GNU_SOURCE
#include "support/scratch.h"

#include "chunk/chunk_judge.h"
#include "chunk/splitter.h"

#define MANY "tensorflow.proto_splitter_testdata.ManyFields"

static struct judge      judge;
static struct tn_schema *schema;
static struct tn_buffer  plain, chunked; /* one message, both ways            */

#define TEXT                                                                   \
    "field_one { string_field: \"one\" } repeated_field { string_field: "      \
    "\"r0\" } repeated_field { string_field: \"r1\" } string_field: \"text\" " \
    "nested_map_bool { key: true value { string_field: \"yes\" } }"

/* Three chunks besides the base. */
static void split(void)
{
    static const struct tn_step paths[][2] = {
        { TN_NAME("field_one") },
        { TN_NAME("repeated_field"), TN_AT(1) },
        { TN_NAME("nested_map_bool"), TN_NAME("true") },
    };
    static struct tn_error error;
    struct tn_message     *message;
    struct tn_splitter    *splitter;
    struct tn_bytes        bytes;
    bool                   is_chunked;

    error = (struct tn_error)TN_ERROR_INIT;
    tn_message_bytes(&message, schema, MANY, tn_buffer_bytes(&plain), NULL,
                     &error);
    tn_splitter_open(&splitter, message, &error);
    tn_splitter_keep_base(splitter, &error);
    for (int i = 0; i < 3; i++)
        tn_splitter_hollow(splitter, paths[i], i ? 2 : 1, TN_AT_END, &error);
    tn_splitter_write_memory(splitter, "uncompressed", &bytes, &is_chunked,
                             &error);
    assert_string_equal(error.what, "");
    tn_buffer_init(&chunked, &judge.memory, &error);
    tn_buffer_add(&chunked, bytes);
    tn_splitter_close(splitter);
    tn_message_close(message);
}

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    judge_open(&judge);
    struct tn_bytes set = judge_set("chunk", "testdata");
    tn_schema_open(&schema, set, NULL, &error);
    free((void *)(uintptr_t)set.data);
    judge_encode(&judge, &judge.testdata, MANY, TEXT, &plain);
    split();
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_buffer_done(&plain);
    tn_buffer_done(&chunked);
    tn_schema_close(schema);
    judge_close(&judge);
    return 0;
}

static void write_file(struct tn_scratch *scratch, const char *name,
                       struct tn_bytes bytes)
{
    char *path = tn_scratch_path(scratch, name);
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    assert_int_equal(fclose(file), 0);
    free(path);
}

static void assert_message(struct tn_message *message, struct tn_bytes want)
{
    struct tn_error error = TN_ERROR_INIT;
    uint8_t         room[300];

    assert_true(want.size <= sizeof room);
    assert_int_equal(tn_message_size(message), want.size);
    tn_message_read(message, 0, room, want.size, &error);
    assert_memory_equal(room, want.data, want.size);
    tn_message_close(message);
}

/* ---- prefixes ------------------------------------------------------------ */

/* Files: c chunked as .cpb, p plain as .pb, x plain as .cpb, d chunked as .pb,
 * o chunked without a suffix. */
static const struct {
    const char    *name, *files, *prefix;
    enum tn_status status;
    const char    *complaint;
} rows[] = {
    { "chunks", "c", "a", TN_OK, "" },
    { "chunks, by their name", "c", "a.cpb", TN_OK, "" },
    { "a plain message", "p", "a", TN_OK, "" },
    { "a plain one, by its name", "p", "a.pb", TN_OK, "" },
    { "chunks under a plain name", "d", "a.pb", TN_OK, "" },
    { "of two the chunks count", "cp", "a", TN_OK, "" },
    { "the prefix of nothing", "", "a", TN_NOT_FOUND, "could not find" },
    { "chunks under another name", "o", "a", TN_OK, "" },
    { "the name of nothing", "p", "a.cpb", TN_IO, "" },
    { "a .cpb that has no records", "x", "a", TN_MALFORMED,
      "not a Riegeli/records file" },
};

static void a_prefix_means_a_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_scratch  scratch = tn_scratch_open();
        struct tn_error    error   = TN_ERROR_INIT;
        char              *prefix  = tn_scratch_path(&scratch, rows[i].prefix);
        struct tn_message *merged;

        for (const char *file = rows[i].files; *file; file++)
            write_file(
                &scratch,
                *file == 'o'                   ? "a"
                : *file == 'c' || *file == 'x' ? "a.cpb"
                                               : "a.pb",
                tn_buffer_bytes(strchr("cdo", *file) ? &chunked : &plain));
        tn_merge_read(&merged, schema, MANY, prefix, NULL, 0, NULL, &error);
        if (error.status != rows[i].status)
            fail_msg("%s: %s", rows[i].name, error.what);
        assert_non_null(strstr(error.what, rows[i].complaint));
        if (rows[i].status == TN_OK)
            assert_message(merged, tn_buffer_bytes(&plain));
        else
            assert_null(merged);
        free(prefix);
        tn_scratch_close(&scratch);
    }
}

/* ---- parts --------------------------------------------------------------- */

static const struct {
    const char    *name;
    struct tn_step steps[3];
    uint64_t       count;
    const char    *want;
    enum tn_status status;
} gets[] = {
    { "a chunk", { TN_NAME("field_one") }, 1, "\x1a\x03one", TN_OK },
    { "in a chunk", { TN_AT(1), TN_AT(3) }, 2, "one", TN_OK },
    { "in the base", { TN_NAME("string_field") }, 1, "text", TN_OK },
    { "an element in the base",
      { TN_AT(2), TN_AT(0) },
      2,
      "\x1a\x02r0",
      TN_OK },
    { "an element in a chunk",
      { TN_AT(2), TN_AT(1), TN_AT(3) },
      3,
      "r1",
      TN_OK },
    { "the value of an entry",
      { TN_AT(7), TN_AT(1), TN_AT(3) },
      3,
      "yes",
      TN_OK },
    { "past the last element", { TN_AT(2), TN_AT(2) }, 2, NULL, TN_NOT_FOUND },
    { "another key", { TN_AT(7), TN_AT(0) }, 2, NULL, TN_NOT_FOUND },
    { "no such field", { TN_AT(99) }, 1, NULL, TN_INVALID },
    { "into a string", { TN_AT(3), TN_AT(1) }, 2, NULL, TN_INVALID },
};

static void parts_are_merged_when_asked_for(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *prefix  = tn_scratch_path(&scratch, "a");
    struct tn_merger *merger;

    (void)state;
    write_file(&scratch, "a.cpb", tn_buffer_bytes(&chunked));
    tn_merger_open(&merger, schema, MANY, prefix, NULL, &error);
    assert_string_equal(error.what, "");
    for (size_t i = 0; i < sizeof gets / sizeof *gets; i++) {
        struct tn_message *part;

        error = (struct tn_error)TN_ERROR_INIT;
        tn_merger_get(&part, merger, gets[i].steps, gets[i].count, &error);
        if (error.status != gets[i].status)
            fail_msg("%s: %s", gets[i].name, error.what);
        if (gets[i].want)
            assert_message(part, tn_text(gets[i].want));
        else
            assert_null(part);
    }
    struct tn_message *all;
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_merger_get(&all, merger, NULL, 0, &error), TN_OK);
    assert_message(all, tn_buffer_bytes(&plain));
    tn_merger_close(merger);
    tn_merger_close(NULL);
    free(prefix);
    tn_scratch_close(&scratch);
}

/* A plain message has no parts to leave out, but is asked like the others. */
static void a_plain_message_is_asked_like_the_others(void **state)
{
    const struct tn_step one[]   = { TN_NAME("field_one") };
    const struct tn_path path    = { one, 1 };
    struct tn_scratch    scratch = tn_scratch_open();
    struct tn_error      error   = TN_ERROR_INIT;
    char                *prefix  = tn_scratch_path(&scratch, "a");
    struct tn_merger    *merger;
    struct tn_message   *part;

    (void)state;
    write_file(&scratch, "a.pb", tn_buffer_bytes(&plain));
    tn_merger_open(&merger, schema, MANY, prefix, NULL, &error);
    tn_merger_get(&part, merger, one, 1, &error);
    assert_string_equal(error.what, "");
    assert_message(part, tn_text("\x1a\x03one"));
    tn_merger_close(merger);
    assert_int_equal(
        tn_merge_read(&part, schema, MANY, prefix, &path, 1, NULL, &error),
        TN_INVALID);
    assert_null(part);
    free(prefix);
    tn_scratch_close(&scratch);
}

/* ---- hostile ------------------------------------------------------------- */

static enum tn_status merge(struct tn_bytes input, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_options  options = { .allocator = &memory->allocator };
    struct tn_message *merged;

    tn_merge_bytes(&merged, schema, MANY, input, &options, error);
    tn_message_close(merged);
    return error->status;
}

/* Too short for records, it is a plain message; most are none. */
static bool is_plain(struct tn_bytes prefix)
{
    struct tn_error error = TN_ERROR_INIT;

    return prefix.size < 64 && merge(prefix, &judge.memory, &error) == TN_OK;
}

static void bytes_that_lie_are_refused(void **state)
{
    (void)state;
    tn_refuses_every_prefix(merge, tn_buffer_bytes(&chunked), is_plain);
    tn_survives_every_flip(merge, tn_buffer_bytes(&chunked));
    tn_survives_no_memory(merge, tn_buffer_bytes(&chunked));
}

/* Through a file, and part by part. */
static void every_allocation_may_fail(void **state)
{
    const struct tn_step one[]   = { TN_NAME("field_one") };
    struct tn_scratch    scratch = tn_scratch_open();
    char                *prefix  = tn_scratch_path(&scratch, "a");
    enum tn_status       status  = TN_NO_MEMORY;

    (void)state;
    write_file(&scratch, "a.cpb", tn_buffer_bytes(&chunked));
    for (uint64_t n = 0; status == TN_NO_MEMORY; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_merger   *merger;
        struct tn_message  *part = NULL;

        if (tn_merger_open(&merger, schema, MANY, prefix, &options, &error) ==
            TN_OK)
            tn_merger_get(&part, merger, one, 1, &error);
        tn_message_close(part);
        tn_merger_close(merger);
        assert_int_equal(budget.blocks, 0);
        status = error.status;
    }
    assert_int_equal(status, TN_OK);
    free(prefix);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prefix_means_a_file),
        cmocka_unit_test(parts_are_merged_when_asked_for),
        cmocka_unit_test(a_plain_message_is_asked_like_the_others),
        cmocka_unit_test(bytes_that_lie_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
