/*
 * zip_edit_test.c - commits are whole or not at all
 *
 * The writer is stopped before every step that changes the disk, by an error
 * and by the end of the process; the file is cut at every byte of a commit, and
 * has zeros from every byte on, as a disk leaves it that lost its last blocks.
 * What opens is the old state or the new one.
 */
#define _GNU_SOURCE
#include "wire/zip/zip_edit.h"

#include "io/file_source.h"
#include "support/scratch.h"
#include "support/stopping.h"

struct fixture {
    struct tn_scratch scratch;
    char             *path;
    struct tn_memory  memory;
    struct tn_error   error;
};

static void setup(struct fixture *f)
{
    f->scratch = tn_scratch_open();
    f->path    = tn_scratch_path(&f->scratch, "c.zip");
    f->error   = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&f->memory, NULL, 0);
}

static void teardown(struct fixture *f)
{
    assert_int_equal(f->memory.used, 0);
    free(f->path);
    tn_scratch_close(&f->scratch);
}

static void must(struct fixture *f, enum tn_status status)
{
    if (status != TN_OK)
        fail_msg("%s: %s", f->error.where, f->error.what);
}

static void add(struct tn_zip_writer *w, const char *name, const char *text)
{
    tn_zip_add_bytes(w, tn_text(name), tn_text(text));
}

/* The first state: three entries. */
static void make_old(struct fixture *f)
{
    struct tn_output_options how = { .can_replace = true };
    struct tn_output        *output;
    struct tn_sink          *sink;
    struct tn_zip_writer     w;

    must(f, tn_output_file(&output, &f->memory, f->path, &how, &f->error));
    must(f, tn_output_main(output, &sink, &f->error));
    tn_zip_writer_init(&w, sink, &f->memory, &f->error);
    add(&w, "tags.txt", "one\n");
    add(&w, "one/graph.fb", "graph");
    add(&w, "one/params/0.fb", "PK\5\6 is no end\n");
    must(f, tn_zip_finish(&w));
    tn_zip_writer_done(&w);
    must(f, tn_output_commit(output, &f->error));
    tn_output_close(output);
}

static void fill_new(struct tn_zip_writer *w)
{
    static char large[70000];

    memset(large, 'x', sizeof large);
    add(w, "two/graph.fb", "other graph");
    tn_zip_add_bytes(w, tn_text("two/params/0.fb"),
                     tn_bytes(large, sizeof large));
    tn_zip_drop(w, tn_text("one/params/0.fb"));
    add(w, "tags.txt", "one\ntwo\n");
}

static enum tn_status grow(struct fixture                 *f,
                           const struct tn_append_options *options,
                           struct tn_error                *error)
{
    struct tn_zip_edit edit;

    if (tn_zip_grow(&edit, &f->memory, f->path, options, error) == TN_OK) {
        fill_new(&edit.writer);
        tn_zip_commit(&edit);
    }
    tn_zip_edit_close(&edit);
    return error->status;
}

/* Everything but the tag "two", from the first byte on. */
static enum tn_status compact(struct fixture                 *f,
                              const struct tn_append_options *options,
                              struct tn_error                *error)
{
    struct tn_zip_edit edit;

    if (tn_zip_rewrite(&edit, &f->memory, f->path, options, error) == TN_OK) {
        add(&edit.writer, "tags.txt", "one\n");
        for (uint64_t i = 0; i < tn_zip_count(&edit.zip); i++) {
            const struct tn_zip_entry *e = tn_zip_at(&edit.zip, i);
            if (e->name.data[0] == 'o')
                tn_zip_copy(&edit.writer, tn_bytes(NULL, 0), &edit.zip, e);
        }
        tn_zip_commit(&edit);
    }
    tn_zip_edit_close(&edit);
    return error->status;
}

/* What the file says: names and first letters, in the order of the directory;
 * or why it does not. */
static const char *describe(struct fixture *f, enum tn_zip_state *how)
{
    static char       text[4096];
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_source *source;
    struct tn_zip     zip;
    size_t            at = 0;

    int file = open(f->path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    must(f, tn_source_file(&source, &f->memory, file, "", true, &f->error));
    if (tn_zip_open(&zip, source, &f->memory, NULL, &error) == TN_OK)
        tn_zip_verify(&zip, 1, NULL, &error);
    snprintf(text, sizeof text, "%s", error.what);
    for (uint64_t i = 0; i < tn_zip_count(&zip) && !tn_failed(&error); i++) {
        const struct tn_zip_entry *e = tn_zip_at(&zip, i);
        at += (size_t)snprintf(text + at, sizeof text - at, "%.*s=%.9s\n",
                               TN_FMT(e->name),
                               (const char *)source->map + e->data_offset);
    }
    *how = zip.state;
    tn_zip_close(&zip);
    tn_source_close(source);
    return text;
}

static char *state_of(struct fixture *f, enum tn_zip_state wanted)
{
    enum tn_zip_state how;
    char             *text = strdup(describe(f, &how));

    assert_int_equal(how, wanted);
    return text;
}

static void put_file(struct fixture *f, struct tn_bytes bytes)
{
    tn_scratch_put(&f->scratch, "c.zip", bytes);
}

static void a_commit_adds_replaces_and_drops(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    make_old(&f);
    struct tn_bytes before = tn_load_file(f.path);
    must(&f, grow(&f, NULL, &f.error));
    struct tn_bytes after = tn_load_file(f.path);
    assert_true(after.size > before.size);
    assert_memory_equal(after.data, before.data, before.size);
    char *text = state_of(&f, TN_ZIP_WHOLE);
    assert_non_null(strstr(text, "two/graph.fb=other gra"));
    assert_non_null(strstr(text, "tags.txt=one\ntwo\n"));
    assert_null(strstr(text, "one/params/0.fb"));
    free(text);
    must(&f, compact(&f, NULL, &f.error));
    text = state_of(&f, TN_ZIP_WHOLE);
    assert_null(strstr(text, "two/"));
    free(text);
    free((void *)(uintptr_t)before.data);
    free((void *)(uintptr_t)after.data);
    teardown(&f);
}

/* ---- stopped ------------------------------------------------------------ */

typedef enum tn_status change(struct fixture                 *f,
                              const struct tn_append_options *options,
                              struct tn_error                *error);

struct stopped {
    struct fixture *f;
    change         *make;
};

static bool make_stopped(void *context, const struct tn_fault_hook *hook)
{
    struct stopped          *s       = context;
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_append_options options = { .is_durable = true, .hook = hook };

    return s->make(s->f, &options, &error) == TN_OK;
}

/* Stops the change before each of its steps; returns how many there were. */
static int stop_everywhere(struct fixture *f, change *make, bool is_kill)
{
    enum tn_zip_state how;
    struct tn_bytes   old_bytes = tn_load_file(f->path);
    char             *old_text  = state_of(f, TN_ZIP_WHOLE);
    int               step      = 0;

    must(f, make(f, NULL, &f->error));
    char *new_text = state_of(f, TN_ZIP_WHOLE);
    assert_string_not_equal(new_text, old_text);
    for (bool is_done = false; !is_done; step++) {
        put_file(f, old_bytes);
        is_done = tn_run_stopped(make_stopped, &(struct stopped){ f, make },
                                 (struct tn_stop){ step, is_kill });
        const char *text   = describe(f, &how);
        bool        is_new = strcmp(text, new_text) == 0;
        if (!is_new)
            assert_string_equal(text, old_text);
        assert_true(is_new || !is_done);
        assert_int_not_equal(how, is_new ? TN_ZIP_TORN : TN_ZIP_BROKEN);
    }
    free(new_text);
    put_file(f, old_bytes);
    free(old_text);
    free((void *)(uintptr_t)old_bytes.data);
    return step;
}

static void growing_stops_anywhere(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    make_old(&f);
    assert_true(stop_everywhere(&f, grow, false) > 4);
    assert_true(stop_everywhere(&f, grow, true) > 4);
    teardown(&f);
}

static void writing_anew_stops_anywhere(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    make_old(&f);
    must(&f, grow(&f, NULL, &f.error));
    assert_true(stop_everywhere(&f, compact, false) > 4);
    assert_true(stop_everywhere(&f, compact, true) > 4);
    teardown(&f);
}

/* ---- torn --------------------------------------------------------------- */

/* Opens what a disk may hold after a crash, and adds to it. */
static void expect_old(struct fixture *f, struct tn_bytes bytes,
                       const char *old_text, const char *new_text, bool grows)
{
    enum tn_zip_state how;

    put_file(f, bytes);
    assert_string_equal(describe(f, &how), old_text);
    assert_int_equal(how, TN_ZIP_TORN);
    if (!grows)
        return;
    must(f, grow(f, NULL, &f->error));
    assert_string_equal(describe(f, &how), new_text);
    assert_int_equal(how, TN_ZIP_WHOLE);
}

static void a_torn_commit_is_the_old_state(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    make_old(&f);
    struct tn_bytes before   = tn_load_file(f.path);
    char           *old_text = state_of(&f, TN_ZIP_WHOLE);
    must(&f, grow(&f, NULL, &f.error));
    struct tn_bytes after    = tn_load_file(f.path);
    char           *new_text = state_of(&f, TN_ZIP_WHOLE);
    uint8_t        *zeros    = calloc(1, after.size);

    for (size_t n = before.size + 1; n < after.size; n++) {
        bool is_data = n > before.size + 300 && n < after.size - 700;
        if (is_data && n % 4096) /* one of many alike */
            continue;
        expect_old(&f, tn_bytes(after.data, n), old_text, new_text, n % 7 == 0);
        memcpy(zeros, after.data, n);
        if (memcmp(zeros, after.data, after.size) != 0)
            expect_old(&f, tn_bytes(zeros, after.size), old_text, new_text,
                       n % 7 == 0);
    }
    free(zeros);
    free(old_text);
    free(new_text);
    free((void *)(uintptr_t)before.data);
    free((void *)(uintptr_t)after.data);
    teardown(&f);
}

/* Commits a tensor of these bytes and cuts the file off behind it: whatever
 * the tensor ends in is the last thing that there is. */
static enum tn_zip_state tear_behind(struct fixture *f, struct tn_bytes tensor,
                                     const char *old_text)
{
    struct tn_zip_edit edit;
    enum tn_zip_state  how;

    must(f, tn_zip_grow(&edit, &f->memory, f->path, NULL, &f->error));
    tn_zip_add_bytes(&edit.writer, tn_text("two/params/0.fb"), tensor);
    uint64_t end = tn_zip_writer_offset(&edit.writer);
    must(f, tn_zip_commit(&edit));
    tn_zip_edit_close(&edit);
    assert_int_equal(truncate(f->path, (off_t)end), 0);
    assert_string_equal(describe(f, &how), old_text);
    return how;
}

static void a_zip_in_a_tensor_is_not_found(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    make_old(&f);
    struct tn_bytes inner    = tn_load_file(f.path);
    char           *old_text = state_of(&f, TN_ZIP_WHOLE);
    assert_int_equal(tear_behind(&f, inner, old_text), TN_ZIP_TORN);
    free(old_text);
    free((void *)(uintptr_t)inner.data);
    teardown(&f);
}

/* The tensor is a directory of the entries around it, with an end record for
 * just the place where it lies, and lists one file less. */
static void a_directory_in_a_tensor_is_not_believed(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    make_old(&f);
    struct tn_bytes whole    = tn_load_file(f.path);
    char           *old_text = state_of(&f, TN_ZIP_WHOLE);
    uint8_t        *end    = (uint8_t *)(uintptr_t)whole.data + whole.size - 22;
    uint32_t        offset = tn_load32(end + 16);
    uint32_t        first  = 46 + 8; /* tags.txt */
    uint64_t        place  = (whole.size + 30 + 15 + 6 + 63) & ~63u;
    struct tn_bytes directory =
        tn_bytes(whole.data + offset + first, whole.size - offset - first);

    end[8] = end[10] = 2;
    end[12]          = (uint8_t)(end[12] - first);
    end[16]          = (uint8_t)place;
    end[17]          = (uint8_t)(place >> 8);
    assert_int_equal(tear_behind(&f, directory, old_text), TN_ZIP_BROKEN);
    free(old_text);
    free((void *)(uintptr_t)whole.data);
    teardown(&f);
}

/* ---- locked ------------------------------------------------------------- */

static void a_second_writer_is_busy(void **state)
{
    struct fixture     f;
    struct tn_zip_edit first, second;
    struct tn_error    error = TN_ERROR_INIT;

    (void)state;
    setup(&f);
    make_old(&f);
    must(&f, tn_zip_grow(&first, &f.memory, f.path, NULL, &f.error));
    assert_int_equal(tn_zip_grow(&second, &f.memory, f.path, NULL, &error),
                     TN_BUSY);
    tn_zip_edit_close(&second);
    tn_zip_edit_close(&first);
    must(&f, grow(&f, NULL, &f.error));
    teardown(&f);
}

static void add_one(const char *path, int number)
{
    struct tn_append_options options = { .can_wait = true };
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_memory         memory;
    struct tn_zip_edit       edit;
    char                     name[32];

    snprintf(name, sizeof name, "entry-%d", number);
    tn_memory_init(&memory, NULL, 0);
    if (tn_zip_grow(&edit, &memory, path, &options, &error) == TN_OK) {
        add(&edit.writer, name, name);
        tn_zip_commit(&edit);
    }
    tn_zip_edit_close(&edit);
    if (error.status != TN_OK)
        _exit(1);
}

static void rewrite_all(const char *path)
{
    struct tn_append_options options = { .can_wait = true };
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_memory         memory;
    struct tn_zip_edit       edit;

    tn_memory_init(&memory, NULL, 0);
    if (tn_zip_rewrite(&edit, &memory, path, &options, &error) == TN_OK) {
        for (uint64_t i = 0; i < tn_zip_count(&edit.zip); i++)
            tn_zip_copy(&edit.writer, tn_bytes(NULL, 0), &edit.zip,
                        tn_zip_at(&edit.zip, i));
        tn_zip_commit(&edit);
    }
    tn_zip_edit_close(&edit);
    if (error.status != TN_OK)
        _exit(1);
}

/* Two that add and one that replaces the file under them. */
static void many_writers_lose_nothing(void **state)
{
    struct fixture f;
    pid_t          children[3];
    char           name[32];

    (void)state;
    setup(&f);
    make_old(&f);
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i])
            continue;
        for (int k = 0; k < 20; k++)
            i < 2 ? add_one(f.path, i * 20 + k) : rewrite_all(f.path);
        _exit(0);
    }
    for (int i = 0; i < 3; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    char *text = state_of(&f, TN_ZIP_WHOLE);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "entry-%d=", i);
        assert_non_null(strstr(text, name));
    }
    free(text);
    teardown(&f);
}

/* ---- no memory ----------------------------------------------------------- */

/* The n-th allocation fails, for all n until the change is made. */
static void starve(change *make, bool has_grown)
{
    bool is_done = false;

    for (uint64_t n = 0; !is_done; n++) {
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct fixture      f;
        enum tn_zip_state   how;

        setup(&f);
        make_old(&f);
        if (has_grown)
            must(&f, grow(&f, NULL, &f.error));
        char *old_text = state_of(&f, TN_ZIP_WHOLE);
        tn_memory_init(&f.memory, &allocator, 0);
        is_done = make(&f, NULL, &error) == TN_OK;
        assert_int_equal(budget.blocks, 0);
        assert_int_equal(error.status, is_done ? TN_OK : TN_NO_MEMORY);
        tn_memory_init(&f.memory, NULL, 0);
        assert_int_equal(strcmp(describe(&f, &how), old_text) == 0, !is_done);
        assert_int_equal(how, TN_ZIP_WHOLE);
        free(old_text);
        teardown(&f);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    starve(grow, false);
    starve(compact, true);
}

/* ---- rebuilt ------------------------------------------------------------ */

static void a_lost_directory_is_rebuilt(void **state)
{
    struct fixture f;
    uint64_t       saved = 0;

    (void)state;
    setup(&f);
    make_old(&f);
    struct tn_bytes whole = tn_load_file(f.path);
    char           *text  = state_of(&f, TN_ZIP_WHOLE);
    put_file(&f, tn_bytes(whole.data, whole.size - 30));
    must(&f, tn_zip_rebuild(&f.memory, f.path, NULL, NULL, &saved, &f.error));
    assert_int_equal(saved, 3);
    struct tn_bytes again = tn_load_file(f.path);
    assert_true(tn_bytes_equal(whole, again));
    free(text);
    free((void *)(uintptr_t)whole.data);
    free((void *)(uintptr_t)again.data);
    teardown(&f);
}

/* Bytes in front of the first entry: every offset would be wrong, were they
 * not counted from the first byte of the file. */
static void a_broken_chain_cannot_grow(void **state)
{
    struct fixture     f;
    struct tn_zip_edit edit;
    struct tn_error    error = TN_ERROR_INIT;

    (void)state;
    setup(&f);
    make_old(&f);
    struct tn_bytes whole = tn_load_file(f.path);
    uint8_t        *bytes = malloc(whole.size);
    memcpy(bytes, whole.data, whole.size);
    /* the first entry, tags.txt, is taken out of the directory, and its bytes
     * are overwritten */
    uint32_t size   = 46 + 8;
    uint8_t *end    = bytes + whole.size - 22;
    uint32_t offset = tn_load32(end + 16);
    memset(bytes, 'j', 30);
    memmove(bytes + offset, bytes + offset + size, whole.size - offset - size);
    end -= size;
    end[8] = end[10] = 2;
    end[12]          = (uint8_t)(end[12] - size);
    put_file(&f, tn_bytes(bytes, whole.size - size));
    free(state_of(&f, TN_ZIP_BROKEN));
    assert_int_equal(tn_zip_grow(&edit, &f.memory, f.path, NULL, &error),
                     TN_MALFORMED);
    tn_zip_edit_close(&edit);
    must(&f, tn_zip_rebuild(&f.memory, f.path, NULL, NULL, NULL, &f.error));
    must(&f, grow(&f, NULL, &f.error));
    free(state_of(&f, TN_ZIP_WHOLE));
    free(bytes);
    free((void *)(uintptr_t)whole.data);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_adds_replaces_and_drops),
        cmocka_unit_test(growing_stops_anywhere),
        cmocka_unit_test(writing_anew_stops_anywhere),
        cmocka_unit_test(a_torn_commit_is_the_old_state),
        cmocka_unit_test(a_zip_in_a_tensor_is_not_found),
        cmocka_unit_test(a_directory_in_a_tensor_is_not_believed),
        cmocka_unit_test(a_second_writer_is_busy),
        cmocka_unit_test(many_writers_lose_nothing),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_lost_directory_is_rebuilt),
        cmocka_unit_test(a_broken_chain_cannot_grow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
