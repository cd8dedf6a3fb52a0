/*
 * split_write_test.c - which file is written, which one is in its way, and that
 * memory gets the same bytes
 */
#define _GNU_SOURCE
#include "support/scratch.h"

#include "chunk/splitter.h"

#define GRAPH "tensorflow.GraphDef"

/* GraphDef { node { name: "node" } node {} } */
static const char graph[] = "\x0a\x06\x0a\x04node\x0a\x00";
#define GRAPH_SIZE (sizeof graph - 1)

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

struct split {
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_error     error;
};

static void open_split(struct split *s, bool is_chunked)
{
    const struct tn_step node[] = { TN_NAME("node"), TN_AT(0) };

    s->error = (struct tn_error)TN_ERROR_INIT;
    tn_message_bytes(&s->message, schema, GRAPH, tn_bytes(graph, GRAPH_SIZE),
                     NULL, &s->error);
    tn_splitter_open(&s->splitter, s->message, &s->error);
    tn_splitter_keep_base(s->splitter, &s->error);
    if (is_chunked)
        tn_splitter_take(s->splitter, node, 2, TN_AT_END, &s->error);
    assert_string_equal(s->error.what, "");
}

static void close_split(struct split *s)
{
    tn_splitter_close(s->splitter);
    tn_message_close(s->message);
}

/* ---- which file ---------------------------------------------------------- */

/* Files are letters: p for a.pb, c for a.cpb; capitals were written now. */
static const struct row {
    const char    *name, *before;
    bool           is_chunked, can_replace, is_dry;
    enum tn_status status;
    const char    *after;
} rows[] = {
    { "chunks", "", true, false, false, TN_OK, "C" },
    { "no chunks", "", false, false, false, TN_OK, "P" },
    { "the same file", "c", true, false, false, TN_EXISTS, "c" },
    { "the same file, asked", "c", true, true, false, TN_OK, "C" },
    { "the other, which would be stale", "p", true, false, false, TN_EXISTS,
      "p" },
    { "the other goes when asked", "p", true, true, false, TN_OK, "C" },
    { "the other, which would win", "c", false, false, false, TN_EXISTS, "c" },
    { "that one goes, too", "c", false, true, false, TN_OK, "P" },
    { "both", "pc", true, true, false, TN_OK, "C" },
    { "dry: nothing is written", "", true, false, true, TN_OK, "" },
    { "dry: nothing goes", "p", true, true, true, TN_OK, "p" },
};

static void assert_after(const struct row *row, const char *path, char letter)
{
    struct tn_bytes found         = tn_load_file(path);
    bool            is_old        = found.data && tn_bytes_is(found, "old");
    char            upper         = (char)(letter - 'a' + 'A');
    bool            is_wanted_old = strchr(row->after, letter) != NULL;
    bool            is_wanted_new = strchr(row->after, upper) != NULL;

    if ((found.data && !is_old) != is_wanted_new || is_old != is_wanted_old)
        fail_msg("%s: %s", row->name, path);
    free((void *)(uintptr_t)found.data);
}

static void files_are_written_and_removed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row     = &rows[i];
        struct tn_scratch scratch = tn_scratch_open();
        char             *prefix  = tn_scratch_path(&scratch, "a");
        char             *whole   = tn_scratch_path(&scratch, "a.pb");
        char             *chunked = tn_scratch_path(&scratch, "a.cpb");
        struct tn_target  target  = { prefix, row->can_replace, row->is_dry,
                                      false };
        struct split      s;
        const char       *written;

        if (strchr(row->before, 'p'))
            tn_scratch_write(&scratch, "a.pb", "old");
        if (strchr(row->before, 'c'))
            tn_scratch_write(&scratch, "a.cpb", "old");
        open_split(&s, row->is_chunked);
        assert_int_equal(
            tn_splitter_write(s.splitter, &target, NULL, &written, &s.error),
            row->status);
        if (row->status == TN_OK)
            assert_string_equal(written, row->is_chunked ? chunked : whole);
        else
            assert_null(written);
        assert_after(row, whole, 'p');
        assert_after(row, chunked, 'c');
        close_split(&s);
        free(prefix);
        free(whole);
        free(chunked);
        tn_scratch_close(&scratch);
    }
}

/* ---- the same bytes ------------------------------------------------------ */

static const struct {
    const char    *records;
    enum tn_status status;
} codecs[] = {
    { NULL, TN_OK },
    { "", TN_OK },
    { "brotli:6", TN_OK },
    { "uncompressed,padding:500", TN_OK },
    { "transpose,zstd:9,bucket_fraction:0.5", TN_OK },
    { "lzma", TN_INVALID },
    { "brotli:12", TN_INVALID },
    { "zstd:three", TN_INVALID },
    { "uncompressed:1", TN_INVALID },
    { "chunk_size:0", TN_INVALID },
};

static void memory_gets_what_a_file_gets(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char             *prefix  = tn_scratch_path(&scratch, "a");
    char             *chunked = tn_scratch_path(&scratch, "a.cpb");
    struct tn_target  target  = { prefix, true, false, false };

    (void)state;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        struct split    s;
        struct tn_bytes bytes;
        bool            is_chunked = false;

        open_split(&s, true);
        enum tn_status status = tn_splitter_write_memory(
            s.splitter, codecs[i].records, &bytes, &is_chunked, &s.error);
        if (status != codecs[i].status)
            fail_msg("%s: %s", codecs[i].records, s.error.what);
        s.error = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(tn_splitter_write(s.splitter, &target,
                                           codecs[i].records, NULL, &s.error),
                         codecs[i].status);
        if (status == TN_OK) {
            struct tn_bytes file = tn_load_file(chunked);
            assert_true(is_chunked);
            assert_true(tn_bytes_equal(file, bytes));
            free((void *)(uintptr_t)file.data);
        } else {
            assert_null(bytes.data);
        }
        close_split(&s);
    }
    free(prefix);
    free(chunked);
    tn_scratch_close(&scratch);
}

static void writing_twice_gives_the_same(void **state)
{
    struct split    s;
    struct tn_bytes bytes;
    bool            is_chunked;
    uint8_t         first[1000];

    (void)state;
    open_split(&s, true);
    tn_splitter_write_memory(s.splitter, "uncompressed", &bytes, &is_chunked,
                             &s.error);
    size_t size = bytes.size;
    assert_true(size < sizeof first);
    memcpy(first, bytes.data, size);
    tn_splitter_write_memory(s.splitter, "uncompressed", &bytes, &is_chunked,
                             &s.error);
    assert_true(tn_bytes_equal(bytes, tn_bytes(first, size)));
    close_split(&s);
}

/* A message that is not divided has the bytes that it had. */
static void a_whole_message_is_itself(void **state)
{
    struct split    s;
    struct tn_bytes bytes;
    bool            is_chunked = true;

    (void)state;
    open_split(&s, false);
    tn_splitter_write_memory(s.splitter, NULL, &bytes, &is_chunked, &s.error);
    assert_false(is_chunked);
    assert_true(tn_bytes_equal(bytes, tn_bytes(graph, GRAPH_SIZE)));
    close_split(&s);
}

static enum tn_status use(struct tn_bytes input, struct tn_memory *memory,
                          struct tn_error *error)
{
    const struct tn_step node[]  = { TN_NAME("node"), TN_AT(0) };
    struct tn_options    options = { .allocator = &memory->allocator };
    struct tn_message   *message;
    struct tn_splitter  *splitter;
    struct tn_bytes      bytes;
    bool                 is_chunked;

    TN_TRY(tn_message_bytes(&message, schema, GRAPH, input, &options, error));
    if (tn_splitter_open(&splitter, message, error) == TN_OK &&
        tn_splitter_keep_base(splitter, error) == TN_OK &&
        tn_splitter_take(splitter, node, 2, TN_AT_END, error) == TN_OK)
        tn_splitter_write_memory(splitter, "zstd:1", &bytes, &is_chunked,
                                 error);
    tn_splitter_close(splitter);
    tn_message_close(message);
    return error->status;
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(use, tn_bytes(graph, GRAPH_SIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_written_and_removed),
        cmocka_unit_test(memory_gets_what_a_file_gets),
        cmocka_unit_test(writing_twice_gives_the_same),
        cmocka_unit_test(a_whole_message_is_itself),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
