/*
 * tagged_test.c - claims about the tagged container
 *
 * Containers with one thing wrong are made of a good one: an entry is left
 * out, replaced or added.
 */
#define _GNU_SOURCE
#include "format/registry.h"
#include "format/samediff/tagged_testing.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/file_source.h"

/* ---- containers with one thing changed ---------------------------------- */

struct edit_row {
    const char *entry; /* which; NULL: none                                   */
    const char *text;  /* what it holds then; NULL: it is left out            */
    const char *like;  /* or: the bytes of this one                           */
};

static void copy_entry(struct tagged_fixture *f, struct tn_zip_writer *w,
                       const struct tn_zip *zip, const char *name,
                       const char *from)
{
    const struct tn_zip_entry *entry = tn_zip_find(zip, tn_text(from));

    assert_non_null(entry);
    tagged_must(f, tn_zip_copy(w, tn_text(name), zip, entry));
}

static void put_changed(struct tagged_fixture *f, struct tn_zip_writer *w,
                        const struct tn_zip *zip, const struct edit_row *row)
{
    if (row->like)
        copy_entry(f, w, zip, row->entry, row->like);
    else if (row->text)
        tagged_must(
            f, tn_zip_add_bytes(w, tn_text(row->entry), tn_text(row->text)));
}

static void change_entries(struct tagged_fixture *f, const struct edit_row *row,
                           struct tn_sink *to)
{
    struct tn_source    *source;
    struct tn_zip        zip;
    struct tn_zip_writer w;
    bool                 is_done = row->entry == NULL;

    int file = open(f->path, O_RDONLY | O_CLOEXEC);
    tagged_must(f,
                tn_source_file(&source, &f->memory, file, "", true, &f->error));
    tagged_must(f, tn_zip_open(&zip, source, &f->memory, NULL, &f->error));
    tn_zip_writer_init(&w, to, &f->memory, &f->error);
    for (uint64_t i = 0; i < tn_zip_count(&zip); i++) {
        const struct tn_zip_entry *entry = tn_zip_in_order(&zip, i);
        if (row->entry && tn_bytes_is(entry->name, row->entry)) {
            put_changed(f, &w, &zip, row);
            is_done = true;
        } else {
            tagged_must(f, tn_zip_copy(&w, tn_bytes(NULL, 0), &zip, entry));
        }
    }
    if (!is_done)
        put_changed(f, &w, &zip, row);
    tagged_must(f, tn_zip_finish(&w));
    tn_zip_writer_done(&w);
    tn_zip_close(&zip);
    tn_source_close(source);
}

/* A file of its own with the change. */
static char *changed_file(struct tagged_fixture *f, const struct edit_row *row)
{
    char            *path = tn_scratch_path(&f->scratch, "changed.samediff");
    struct tn_buffer bytes;

    tn_buffer_init(&bytes, &f->memory, &f->error);
    change_entries(f, row, &bytes.sink);
    tagged_put(path, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
    return path;
}

/* ---- what check finds --------------------------------------------------- */

static const struct {
    const char     *name;
    struct edit_row row;
    const char     *rules; /* in the order found, without doubles             */
    enum tn_status  opens;
} broken[] = {
    /* clang-format off */
    { "nothing",           { NULL, NULL, NULL }, "", TN_OK },
    { "no tags",           { "tags.txt", "", NULL }, "tag-list ", TN_MALFORMED },
    { "a tag twice",       { "tags.txt", "a\nA\n", NULL }, "tag-list ", TN_MALFORMED },
    { "a tag of no graph", { "tags.txt", "a\nc\n", NULL }, "tag-no-graph ", TN_MALFORMED },
    { "an unlisted tag",   { "c/graph.fb", NULL, "a/graph.fb" }, "tag-unlisted ", TN_OK },
    { "byte order mark",   { "tags.txt", "\xef\xbb\xbf" "a\n", NULL }, "tag-text-bom ", TN_OK },
    { "no graph",          { "a/graph.fb", "xxxxxxxxxxxx", NULL }, "tag-graph ", TN_TRUNCATED },
    { "graph of array",    { "a/graph.fb", NULL, "a/params/0.fb" }, "tag-graph ", TN_TRUNCATED },
    { "no line",           { "a/params.txt", "dense/W 0\n", NULL }, "tag-no-line tag-unused ", TN_MALFORMED },
    { "no params.txt",     { "a/params.txt", NULL, NULL }, "tag-no-line tag-state tag-unused ", TN_MALFORMED },
    { "a line twice",      { "a/params.txt", "dense/W 0\ndense/W 1\n", NULL }, "tag-text tag-no-line tag-state tag-unused ", TN_MALFORMED },
    { "a line too many",   { "a/params.txt", "dense/W 0\ndense/b 1\nghost 0\n", NULL }, "tag-no-variable ", TN_MALFORMED },
    { "of a placeholder",  { "a/params.txt", "dense/W 0\ndense/b 1\nx 0\n", NULL }, "tag-no-variable ", TN_MALFORMED },
    { "no such file",      { "a/params.txt", "dense/W 9\ndense/b 1\n", NULL }, "tag-no-file tag-unused ", TN_MALFORMED },
    { "no such tag",       { "a/params.txt", "dense/W z/0\ndense/b 1\n", NULL }, "tag-no-file tag-unused ", TN_MALFORMED },
    { "another's array",   { "a/params.txt", "dense/W 1\ndense/b 0\n", NULL }, "tag-mismatch tag-state ", TN_MALFORMED },
    { "a kind",            { "a/params.txt", "dense/W 0\ndense/b 1 MAP\n", NULL }, "tag-kind ", TN_OK },
    { "blank line",        { "a/params.txt", "dense/W 0\n\ndense/b 1\n", NULL }, "tag-text-blank-line ", TN_OK },
    { "no array",          { "a/params/0.fb", "nothing", NULL }, "tag-array ", TN_TRUNCATED },
    { "array of graph",    { "a/params/0.fb", NULL, "a/graph.fb" }, "tag-array ", TN_MALFORMED },
    { "an array too many", { "a/params/7.fb", NULL, "a/params/0.fb" }, "tag-unused ", TN_OK },
    { "no training",       { "a/trainingConfig.fb", NULL, NULL }, "tag-no-training ", TN_OK },
    { "two states",        { "a/updater.txt", "dense/W 0 0\n", NULL }, "tag-columns ", TN_MALFORMED },
    { "state of nothing",  { "a/updater.txt", "ghost 0\n", NULL }, "tag-state ", TN_OK },
    { "state of another",  { "a/updater.txt", "dense/b 0\n", NULL }, "tag-state ", TN_OK },
    { "no state",          { "a/updater.txt", "dense/W 5\n", NULL }, "tag-no-file tag-unused ", TN_MALFORMED },
    { "something else",    { "a/notes.txt", "hello", NULL }, "", TN_OK },
    /* clang-format on */
};

struct heard {
    char rules[256];
};

static int hear(void *context, const struct tn_finding *finding)
{
    struct heard *heard = context;
    char          word[64];

    snprintf(word, sizeof word, "%s ", finding->rule);
    print_message("  %s: %s: %s\n", finding->rule, finding->where,
                  finding->what);
    assert_true(finding->what[0] != '\0');
    assert_true(finding->offset != TN_NOWHERE);
    if (!strstr(heard->rules, word))
        strcat(heard->rules, word);
    return 0;
}

static void check_tells_what_is_wrong(void **state)
{
    struct tagged_fixture f;
    struct tn_options     options = { .from = "samediff" };

    (void)state;
    tagged_setup(&f);
    tagged_must(&f, tn_tag_remove(f.path, "b", NULL, NULL, NULL, &f.error));
    tagged_must(&f, tn_tag_compact(f.path, NULL, NULL, NULL, &f.error));
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct heard     heard = { "" };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *model;
        char            *path = changed_file(&f, &broken[i].row);

        print_message("%s\n", broken[i].name);
        tagged_must(
            &f, tn_check(path, &options, NULL, hear, &heard, NULL, &f.error));
        assert_string_equal(heard.rules, broken[i].rules);
        assert_int_equal(tn_model_open(&model, path, &options, &error),
                         broken[i].opens);
        tn_model_close(model);
        free(path);
    }
    tagged_teardown(&f);
}

/* ---- reading and writing ------------------------------------------------ */

static void convert(struct tagged_fixture *f, const struct tn_model *model,
                    const char *path)
{
    struct tn_target target = { .path = path, .can_replace = true };

    tagged_must(f, tn_convert(model, NULL, &target, NULL, NULL, &f->error));
}

static void assert_same_files(const char *left, const char *right)
{
    struct tn_bytes a = tn_load_file(left), b = tn_load_file(right);

    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free((void *)(uintptr_t)a.data);
    free((void *)(uintptr_t)b.data);
}

static void what_is_read_is_written_again(void **state)
{
    struct tagged_fixture f;

    (void)state;
    tagged_setup(&f);
    char            *one   = tn_scratch_path(&f.scratch, "one.samediff");
    char            *two   = tn_scratch_path(&f.scratch, "two.samediff");
    char            *fb    = tn_scratch_path(&f.scratch, "two.fb");
    struct tn_model *model = tagged_open_file(&f, f.dense, NULL);
    convert(&f, model, one);
    tn_model_close(model);
    model = tagged_open_file(&f, one, NULL);
    convert(&f, model, two);
    convert(&f, model, fb);
    tn_model_close(model);
    assert_same_files(one, two);
    model = tagged_open_file(&f, fb, NULL);
    convert(&f, model, two);
    tn_model_close(model);
    assert_same_files(one, two);
    free(one);
    free(two);
    free(fb);
    tagged_teardown(&f);
}

/* Maps and what stands beside the known entries go along. */
static void strangers_go_along(void **state)
{
    static const struct edit_row map   = { "a/params.txt",
                                           "dense/W 0\ndense/b 1 MAP\n", NULL };
    static const struct edit_row notes = { "a/notes/x.txt", "hello", NULL };
    struct tagged_fixture        f;

    (void)state;
    tagged_setup(&f);
    tagged_must(&f, tn_tag_remove(f.path, "b", NULL, NULL, NULL, &f.error));
    char *changed = changed_file(&f, &map);
    assert_int_equal(rename(changed, f.path), 0);
    free(changed);
    changed                = changed_file(&f, &notes);
    char            *copy  = tn_scratch_path(&f.scratch, "copy.samediff");
    struct tn_model *model = tagged_open_file(&f, changed, NULL);
    assert_null(tn_model_find(model, "dense/b"));
    convert(&f, model, copy);
    tn_model_close(model);
    assert_int_equal(rename(copy, f.path), 0);
    struct tn_bytes bytes = tn_load_file(f.path);
    assert_non_null(memmem(bytes.data, bytes.size, "dense/b 1 MAP\n", 14));
    assert_non_null(memmem(bytes.data, bytes.size, "a/notes/x.txt", 13));
    free((void *)(uintptr_t)bytes.data);
    free(copy);
    free(changed);
    tagged_teardown(&f);
}

/* ---- tags --------------------------------------------------------------- */

static void tags_share_and_can_be_chosen(void **state)
{
    struct tagged_fixture f;
    struct tn_tag_summary summary;
    uint8_t               digests[4][TN_HASH_SIZE];

    (void)state;
    tagged_setup(&f);
    static const char *const names[] = { "dense/W", "dense/b" };
    static const char *const tags[]  = { "A", "b" };
    for (int i = 0; i < 4; i++) {
        struct tn_model *model = tagged_open_file(&f, f.path, tags[i / 2]);
        tagged_must(&f, tn_tensor_hash(tn_model_find(model, names[i % 2]),
                                       digests[i], &f.error));
        tn_model_close(model);
    }
    assert_memory_equal(digests[0], digests[2], TN_HASH_SIZE);
    struct tn_model *model = tagged_open_file(&f, f.dense, NULL);
    tagged_must(
        &f, tn_tag_add(f.path, "again", model, NULL, NULL, &summary, &f.error));
    assert_int_equal(summary.arrays, 3);
    assert_int_equal(summary.shared, 3);
    assert_int_equal(summary.new_bytes, 0);
    tn_model_close(model);
    tagged_teardown(&f);
}

static int count_change(void *context, const struct tn_tag_change *change)
{
    int *counts = context;

    counts[change->kind]++;
    return 0;
}

static void differences_are_told(void **state)
{
    struct tagged_fixture f;
    int                   counts[5] = { 0 };

    (void)state;
    tagged_setup(&f);
    tagged_must(&f, tn_tag_diff(f.path, "a", "b", NULL, count_change, counts,
                                &f.error));
    assert_int_equal(counts[TN_TAG_OTHER_VALUES], 1);
    for (int i = 0; i < 5; i++)
        assert_true(i == TN_TAG_OTHER_VALUES || counts[i] == 0);
    struct tn_error error = TN_ERROR_INIT;
    assert_int_equal(
        tn_tag_diff(f.path, "a", "z", NULL, count_change, counts, &error),
        TN_NOT_FOUND);
    tagged_teardown(&f);
}

static void a_torn_tail_is_told_and_mended(void **state)
{
    struct tagged_fixture f;
    struct heard          heard = { "" };
    bool                  is_changed;

    (void)state;
    tagged_setup(&f);
    struct tn_bytes bytes = tn_load_file(f.path);
    tagged_add(&f, "c", f.other);
    struct tn_bytes after = tn_load_file(f.path);
    tagged_put(f.path, tn_bytes(after.data, after.size - 30));
    tagged_must(&f, tn_check(f.path, NULL, NULL, hear, &heard, NULL, &f.error));
    assert_string_equal(heard.rules, "zip-torn-tail ");
    tagged_must(
        &f, tn_tag_repair(f.path, NULL, hear, &heard, &is_changed, &f.error));
    assert_true(is_changed);
    struct tn_bytes mended = tn_load_file(f.path);
    assert_int_equal(mended.size, bytes.size);
    assert_memory_equal(mended.data, bytes.data, bytes.size);
    tagged_must(
        &f, tn_tag_repair(f.path, NULL, hear, &heard, &is_changed, &f.error));
    assert_false(is_changed);
    free((void *)(uintptr_t)bytes.data);
    free((void *)(uintptr_t)after.data);
    free((void *)(uintptr_t)mended.data);
    tagged_teardown(&f);
}

/* The lock of a writer that has put bytes behind the last commit. */
static void a_container_that_grows_is_not_torn(void **state)
{
    struct tagged_fixture   f;
    struct heard            heard = { "" };
    struct tn_check_summary summary;

    (void)state;
    tagged_setup(&f);
    struct tn_bytes before = tn_load_file(f.path);
    tagged_add(&f, "c", f.other);
    struct tn_bytes after = tn_load_file(f.path);
    int             file  = open(f.path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(flock(file, LOCK_EX), 0);
    for (size_t size = before.size + 1; size < after.size;
         size += (after.size - before.size) / 7) {
        tagged_put(f.path, tn_bytes(after.data, size));
        heard = (struct heard){ "" };
        tagged_must(
            &f, tn_check(f.path, NULL, NULL, hear, &heard, &summary, &f.error));
        assert_string_equal(heard.rules, "zip-growing ");
        assert_int_equal(summary.errors + summary.warnings, 0);
    }
    close(file); /* now it is nobody's */
    heard = (struct heard){ "" };
    tagged_must(&f, tn_check(f.path, NULL, NULL, hear, &heard, NULL, &f.error));
    assert_string_equal(heard.rules, "zip-torn-tail ");
    free((void *)(uintptr_t)before.data);
    free((void *)(uintptr_t)after.data);
    tagged_teardown(&f);
}

/* ---- hostile ------------------------------------------------------------ */

static enum tn_status read_container(struct tn_bytes   input,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_source source;
    struct tn_zip    zip;
    struct tn_tagged t;
    struct tn_model  model;

    tn_source_memory(&source, memory, input);
    tn_model_init(&model, memory);
    model.format = tn_format_samediff.name;
    if (tn_zip_open(&zip, &source, memory, NULL, error) == TN_OK) {
        if (tn_tagged_begin(&t, &zip, memory, NULL, NULL, error) == TN_OK)
            tn_tagged_read(&t, tn_bytes(NULL, 0), &model, error);
        tn_model_done(&model);
        tn_tagged_end(&t);
    } else {
        tn_model_done(&model);
    }
    tn_zip_close(&zip);
    tn_source_close(&source);
    return error->status;
}

static void containers_are_hostile(void **state)
{
    struct tagged_fixture f;

    (void)state;
    tagged_setup(&f);
    tagged_must(&f, tn_tag_remove(f.path, "a", NULL, NULL, NULL, &f.error));
    tagged_must(&f, tn_tag_compact(f.path, NULL, NULL, NULL, &f.error));
    struct tn_bytes good = tn_load_file(f.path);
    tn_survives_hostility(read_container, good);
    free((void *)(uintptr_t)good.data);
    tagged_teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_tells_what_is_wrong),
        cmocka_unit_test(what_is_read_is_written_again),
        cmocka_unit_test(strangers_go_along),
        cmocka_unit_test(tags_share_and_can_be_chosen),
        cmocka_unit_test(differences_are_told),
        cmocka_unit_test(a_torn_tail_is_told_and_mended),
        cmocka_unit_test(a_container_that_grows_is_not_torn),
        cmocka_unit_test(containers_are_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
