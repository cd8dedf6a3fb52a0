/* message_test.c - schemas and messages, as callers hold them */
#define _GNU_SOURCE
#include "chunk/message.h"

#include "support/scratch.h"

#define GRAPH "tensorflow.GraphDef"

static struct tn_schema *schema;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    return tn_schema_builtin(&schema, "tensorflow", NULL, &error);
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(schema);
    return 0;
}

static void schemas_are_found_by_name(void **state)
{
    static const struct {
        const char    *name, *type;
        enum tn_status status;
    } rows[] = {
        { "onnx", "onnx.ModelProto", TN_OK },
        { "tensorflow", "tensorflow.SavedModel", TN_OK },
        { "proto_splitter", "tensorflow.proto_splitter.ChunkMetadata", TN_OK },
        { "torch", NULL, TN_NOT_FOUND },
        { "", NULL, TN_NOT_FOUND },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_schema *found;

        assert_int_equal(tn_schema_builtin(&found, rows[i].name, NULL, &error),
                         rows[i].status);
        assert_int_equal(found != NULL, rows[i].status == TN_OK);
        if (found)
            assert_non_null(tn_pb_schema_find(&found->types, rows[i].type));
        tn_schema_close(found);
    }
    tn_schema_close(NULL);
}

static void a_set_that_is_none_is_refused(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_schema *found;

    (void)state;
    assert_int_not_equal(
        tn_schema_open(&found, tn_bytes("\x0a\x7f", 2), NULL, &error), TN_OK);
    assert_null(found);
}

static void bytes_are_a_message(void **state)
{
    static const struct {
        const char    *name;
        uint64_t       offset;
        size_t         size;
        enum tn_status status;
    } reads[] = {
        { "all", 0, 4, TN_OK },
        { "the end", 3, 1, TN_OK },
        { "nothing at the end", 4, 0, TN_OK },
        { "past the end", 2, 3, TN_TRUNCATED },
        { "an offset that wraps", UINT64_MAX, 2, TN_TRUNCATED },
    };
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_message *message;
    char               room[4];

    (void)state;
    assert_int_equal(tn_message_bytes(&message, schema, "tensorflow.Nothing",
                                      tn_text(""), NULL, &error),
                     TN_NOT_FOUND);
    assert_null(message);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_message_bytes(&message, schema, GRAPH, tn_text("\x0a\x02\x0a"), NULL,
                     &error);
    assert_int_equal(tn_message_size(message), 3);
    tn_message_close(message);
    tn_message_bytes(&message, schema, GRAPH, tn_bytes("abcd", 4), NULL,
                     &error);
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        error = (struct tn_error)TN_ERROR_INIT;
        if (tn_message_read(message, reads[i].offset, room, reads[i].size,
                            &error) != reads[i].status)
            fail_msg("%s: %s", reads[i].name, error.what);
        if (reads[i].status == TN_OK)
            assert_memory_equal(room, "abcd" + reads[i].offset, reads[i].size);
    }
    tn_message_close(message);
    tn_message_close(NULL);
}

static void files_are_messages_and_folders_are_not(void **state)
{
    struct tn_scratch  scratch = tn_scratch_open();
    struct tn_error    error   = TN_ERROR_INIT;
    char              *path    = tn_scratch_path(&scratch, "a.pb");
    struct tn_message *message;

    (void)state;
    assert_int_equal(
        tn_message_open(&message, schema, GRAPH, path, NULL, &error), TN_IO);
    assert_null(message);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(
        tn_message_open(&message, schema, GRAPH, scratch.path, NULL, &error),
        TN_INVALID);
    assert_null(message);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_scratch_write(&scratch, "a.pb", "abc");
    tn_message_open(&message, schema, GRAPH, path, NULL, &error);
    assert_string_equal(error.what, "");
    assert_int_equal(tn_message_size(message), 3);
    tn_message_close(message);
    free(path);
    tn_scratch_close(&scratch);
}

static void writing_replaces_nothing_unasked(void **state)
{
    static const struct {
        bool           is_there, can_replace, is_dry;
        enum tn_status status;
        bool           is_written;
    } rows[] = {
        { false, false, false, TN_OK, true },
        { false, false, true, TN_OK, false },
        { true, false, false, TN_EXISTS, false },
        { true, true, false, TN_OK, true },
        { true, true, true, TN_OK, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_scratch  scratch = tn_scratch_open();
        struct tn_error    error   = TN_ERROR_INIT;
        char              *path    = tn_scratch_path(&scratch, "a.pb");
        struct tn_target   target = { path, rows[i].can_replace, rows[i].is_dry,
                                      false };
        struct tn_message *message;

        if (rows[i].is_there)
            tn_scratch_write(&scratch, "a.pb", "old");
        tn_message_bytes(&message, schema, GRAPH, tn_text("new!"), NULL,
                         &error);
        assert_int_equal(tn_message_write(message, &target, &error),
                         rows[i].status);
        struct tn_bytes found = tn_load_file(path);
        assert_int_equal(found.data != NULL,
                         rows[i].is_there || rows[i].is_written);
        if (found.data)
            assert_true(
                tn_bytes_is(found, rows[i].is_written ? "new!" : "old"));
        free((void *)(uintptr_t)found.data);
        tn_message_close(message);
        free(path);
        tn_scratch_close(&scratch);
    }
}

static enum tn_status use(struct tn_bytes input, struct tn_memory *memory,
                          struct tn_error *error)
{
    struct tn_options  options = { .allocator = &memory->allocator };
    struct tn_schema  *own;
    struct tn_message *message = NULL;
    uint8_t            byte;

    if (tn_schema_builtin(&own, "proto_splitter", &options, error) == TN_OK &&
        tn_message_bytes(&message, own,
                         "tensorflow.proto_splitter.ChunkMetadata", input,
                         &options, error) == TN_OK)
        tn_message_read(message, 0, &byte, 1, error);
    tn_message_close(message);
    tn_schema_close(own);
    return error->status;
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(use, tn_text("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_are_found_by_name),
        cmocka_unit_test(a_set_that_is_none_is_refused),
        cmocka_unit_test(bytes_are_a_message),
        cmocka_unit_test(files_are_messages_and_folders_are_not),
        cmocka_unit_test(writing_replaces_nothing_unasked),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
