/* output_test.c - all or nothing, whatever fails and whenever */
#define _GNU_SOURCE
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <tenon/temporaries.h>

#include "io/file_source.h"
#include "support/every_os.h"
#include "support/hostile.h"
#include "support/scratch.h"

/* Where outputs tell their temporary names; NULL: nowhere. */
static struct tn_temporaries *listed;

static struct tn_memory budget(void)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 0);
    memory.temporaries = listed;
    return memory;
}

static void put_text(struct tn_sink *sink, const char *text,
                     struct tn_error *error)
{
    if (sink)
        (void)tn_sink_write(sink, tn_text(text), error);
}

/* Writes a model of three files: main names the other two. */
static enum tn_status write_model(const char *path, const char *main,
                                  const char *a, const char *b,
                                  const struct tn_output_options *options,
                                  struct tn_memory               *memory,
                                  struct tn_error                *error)
{
    struct tn_output *output;
    struct tn_sink   *sink = NULL;

    if (tn_output_file(&output, memory, path, options, error) != TN_OK)
        return error->status;
    (void)tn_output_main(output, &sink, error);
    put_text(sink, main, error);
    if (!tn_failed(error))
        (void)tn_output_side(output, "a.data", &sink, error);
    put_text(sink, a, error);
    if (!tn_failed(error))
        (void)tn_output_side(output, "deep/er/b.data", &sink, error);
    put_text(sink, b, error);
    if (!tn_failed(error))
        (void)tn_output_commit(output, error);
    tn_output_close(output);
    return error->status;
}

static bool holds_model(const struct tn_scratch *scratch, const char *folder,
                        const char *main, const char *a, const char *b)
{
    char names[3][400];

    snprintf(names[0], sizeof names[0], "%s/model", folder);
    snprintf(names[1], sizeof names[1], "%s/a.data", folder);
    snprintf(names[2], sizeof names[2], "%s/deep/er/b.data", folder);
    return tn_scratch_holds(scratch, names[0], main) &&
           tn_scratch_holds(scratch, names[1], a) &&
           tn_scratch_holds(scratch, names[2], b);
}

static void files_appear_at_the_commit(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *path    = tn_scratch_path(&scratch, "model");
    struct tn_output *output;
    struct tn_sink   *sink, *side, *again;

    (void)state;
    assert_int_equal(tn_output_file(&output, &memory, path, NULL, &error),
                     TN_OK);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    assert_int_equal(tn_output_main(output, &again, &error), TN_OK);
    assert_ptr_equal(sink, again);
    assert_int_equal(tn_output_side(output, "x/./y", &side, &error), TN_OK);
    put_text(sink, "main", &error);
    put_text(side, "side", &error);
    assert_int_equal(tn_output_flush(output, &error), TN_OK);
    assert_false(tn_scratch_has(&scratch, "model"));
    assert_false(tn_scratch_has(&scratch, "x/y"));
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    assert_true(tn_scratch_holds(&scratch, "model", "main"));
    assert_true(tn_scratch_holds(&scratch, "x/y", "side"));
    assert_int_equal(tn_output_commit(output, &error), TN_INVALID);
    tn_output_close(output);
    assert_int_equal(memory.used, 0);
    assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), 0);
    assert_int_equal(tn_scratch_count(&scratch, "x", ".tenon-"), 0);
    free(path);
    tn_scratch_close(&scratch);
}

static void a_main_file_takes_another_name(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *path    = tn_scratch_path(&scratch, "model");
    struct tn_output *output;
    struct tn_sink   *sink;

    (void)state;
    for (int i = 0; i < 2; i++) { /* the second finds the first in its way */
        assert_int_equal(tn_output_file(&output, &memory, path, NULL, &error),
                         TN_OK);
        assert_int_equal(tn_output_call(output, "model.0", &error),
                         i ? TN_EXISTS : TN_OK);
        if (i == 0) {
            assert_string_equal(tn_output_name(output), "model.0");
            assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
            put_text(sink, "main", &error);
            assert_int_equal(tn_output_commit(output, &error), TN_OK);
            assert_int_equal(tn_output_call(output, "model.1", &error),
                             TN_INVALID);
            error = (struct tn_error)TN_ERROR_INIT;
        }
        tn_output_close(output);
    }
    assert_true(tn_scratch_holds(&scratch, "model.0", "main"));
    assert_false(tn_scratch_has(&scratch, "model"));
    free(path);
    tn_scratch_close(&scratch);
}

static void closing_without_commit_leaves_nothing(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *path    = tn_scratch_path(&scratch, "model");
    struct tn_output *output;
    struct tn_sink   *sink;

    (void)state;
    for (int is_folder = 0; is_folder < 2; is_folder++) {
        if (is_folder)
            (void)tn_output_folder(&output, &memory, path, NULL, &error);
        else
            (void)tn_output_file(&output, &memory, path, NULL, &error);
        assert_int_equal(tn_output_side(output, "x/y/z", &sink, &error), TN_OK);
        put_text(sink, "text", &error);
        tn_output_close(output);
        assert_int_equal(tn_scratch_count(&scratch, ".", ""), 0);
    }
    assert_int_equal(memory.used, 0);
    free(path);
    tn_scratch_close(&scratch);
}

static int refuse_to_write(void *context, const char *step, const char *path)
{
    (void)context;
    (void)path;
    return strcmp(step, "write") == 0 || strcmp(step, "copy") == 0 ? ENOSPC : 0;
}

static void a_dry_output_only_counts(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_fault_hook     hook    = { refuse_to_write, NULL };
    struct tn_output_options dry     = { .is_dry = true, .hook = &hook };
    char                    *path    = tn_scratch_path(&scratch, "model");
    struct tn_output        *output;
    struct tn_source        *from;
    struct tn_sink          *sink;
    static const uint8_t     much[300000] = { 0 };

    (void)state;
    tn_scratch_write(&scratch, "big", "");
    char *big = tn_scratch_path(&scratch, "big");
    assert_int_equal(truncate(big, sizeof much), 0);
    int file = open(big, O_RDONLY | O_CLOEXEC);
    assert_int_equal(tn_source_file(&from, &memory, file, "big", true, &error),
                     TN_OK);
    assert_int_equal(tn_output_file(&output, &memory, path, &dry, &error),
                     TN_OK);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    (void)tn_sink_write(sink, tn_bytes(much, sizeof much), &error);
    struct tn_span all = { from, 0, sizeof much };
    (void)tn_sink_splice(sink, all, &error);
    assert_int_equal(tn_output_flush(output, &error), TN_OK);
    assert_int_equal(tn_output_bytes(output), 2 * sizeof much);
    tn_output_close(output);
    tn_source_close(from);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 1);
    assert_int_equal(memory.used, 0);
    free(big);
    free(path);
    tn_scratch_close(&scratch);
}

static void refuses_bad_targets(void **state)
{
    static const struct {
        const char    *path, *side;
        enum tn_status status;
    } rows[] = {
        { "taken", NULL, TN_EXISTS },
        { "folder", NULL, TN_INVALID },
        { "link", NULL, TN_EXISTS },
        { "dangling", NULL, TN_EXISTS },
        { "missing/new", NULL, TN_IO },
        { "taken/new", NULL, TN_IO },
        { "folder/..", NULL, TN_INVALID },
        { "new", "taken", TN_EXISTS },
        { "new", "folder", TN_INVALID },
        { "new", "new", TN_INVALID },
        { "new", "./new", TN_INVALID },
        { "new", "../up", TN_INVALID },
        { "new", "/tmp/absolute", TN_INVALID },
        { "new", "out/file", TN_INVALID },
        { "new", "taken/file", TN_IO },
        { "new", "", TN_INVALID },
        { "new", "fine", TN_OK },
    };
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();

    (void)state;
    tn_scratch_write(&scratch, "taken", "old");
    assert_int_equal(mkdirat(scratch.folder, "folder", 0777), 0);
    assert_int_equal(symlinkat("taken", scratch.folder, "link"), 0);
    assert_int_equal(symlinkat("nowhere", scratch.folder, "dangling"), 0);
    assert_int_equal(symlinkat("folder", scratch.folder, "out"), 0);
    int before = tn_scratch_count(&scratch, ".", "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        char             *path  = tn_scratch_path(&scratch, rows[i].path);
        struct tn_output *output;
        struct tn_sink   *sink;
        enum tn_status    status =
            tn_output_file(&output, &memory, path, NULL, &error);
        if (rows[i].side) {
            assert_int_equal(status, TN_OK);
            status = tn_output_side(output, rows[i].side, &sink, &error);
        }
        if (status != rows[i].status)
            fail_msg("%s, %s: %s: %s", rows[i].path, rows[i].side,
                     tn_status_name(status), error.what);
        tn_output_close(output);
        free(path);
        assert_int_equal(tn_scratch_count(&scratch, ".", ""), before);
        assert_int_equal(tn_scratch_count(&scratch, "folder", ""), 0);
    }
    assert_int_equal(memory.used, 0);
    tn_scratch_close(&scratch);
}

static void a_side_file_is_written_once(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *path    = tn_scratch_path(&scratch, "new");
    struct tn_output *output;
    struct tn_sink   *sink;

    (void)state;
    (void)tn_output_folder(&output, &memory, path, NULL, &error);
    assert_int_equal(tn_output_side(output, "a", &sink, &error), TN_OK);
    assert_int_equal(tn_output_side(output, ".//a", &sink, &error), TN_INVALID);
    assert_null(sink);
    tn_output_close(output);
    free(path);
    tn_scratch_close(&scratch);
}

static void a_symlink_stays_and_its_file_is_replaced(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_output_options force   = { .can_replace = true };
    char                    *path    = tn_scratch_path(&scratch, "link");
    struct stat              about;

    (void)state;
    assert_int_equal(mkdirat(scratch.folder, "there", 0777), 0);
    tn_scratch_write(&scratch, "there/model", "old");
    assert_int_equal(symlinkat("there/model", scratch.folder, "link"), 0);
    assert_int_equal(
        write_model(path, "new", "a", "b", &force, &memory, &error), TN_OK);
    assert_true(holds_model(&scratch, "there", "new", "a", "b"));
    assert_int_equal(
        fstatat(scratch.folder, "link", &about, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISLNK(about.st_mode));
    free(path);
    tn_scratch_close(&scratch);
}

/* A device is written to; renaming over it would be a disaster. */
static void devices_are_not_replaced(void **state)
{
    struct tn_memory         memory = budget();
    struct tn_error          error  = TN_ERROR_INIT;
    struct tn_output_options force  = { .can_replace = true };
    struct tn_output        *output;
    struct tn_sink          *sink;
    struct stat              about;

    (void)state;
    assert_int_equal(
        tn_output_file(&output, &memory, "/dev/null", &force, &error), TN_OK);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    put_text(sink, "gone", &error);
    assert_int_equal(tn_sink_zeros(sink, 1 << 20, &error), TN_OK);
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    tn_output_close(output);
    assert_int_equal(lstat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void a_full_disk_is_an_error_that_stays(void **state)
{
    struct tn_memory  memory = budget();
    struct tn_error   error = TN_ERROR_INIT, later = TN_ERROR_INIT;
    struct tn_output *output;
    struct tn_sink   *sink;

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    (void)tn_output_file(&output, &memory, "/dev/full", NULL, &error);
    (void)tn_output_main(output, &sink, &error);
    put_text(sink, "no room", &error);
    assert_int_equal(tn_output_flush(output, &error), TN_IO);
    assert_non_null(strstr(error.what, "/dev/full"));
    assert_non_null(strstr(error.what, "No space left"));
    assert_int_equal(tn_output_commit(output, &later), TN_IO);
    assert_string_equal(later.what, error.what);
    tn_output_close(output);
    assert_int_equal(memory.used, 0);
}

static void into_memory(void **state)
{
    struct tn_memory  memory = budget();
    struct tn_error   error  = TN_ERROR_INIT;
    struct tn_output *output;
    struct tn_sink   *sink;

    (void)state;
    assert_int_equal(tn_output_memory(&output, &memory, &error), TN_OK);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    put_text(sink, "some", &error);
    put_text(sink, "thing", &error);
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    assert_true(tn_bytes_is(tn_output_memory_bytes(output), "something"));
    assert_int_equal(tn_output_side(output, "a", &sink, &error), TN_INVALID);
    tn_output_close(output);
    assert_int_equal(memory.used, 0);
}

static void memory_that_runs_out_refuses_the_commit(void **state)
{
    struct tn_memory  memory;
    struct tn_error   error = TN_ERROR_INIT, later = TN_ERROR_INIT;
    struct tn_output *output;
    struct tn_sink   *sink;

    (void)state;
    tn_memory_init(&memory, NULL, 8192);
    assert_int_equal(tn_output_memory(&output, &memory, &error), TN_OK);
    (void)tn_output_main(output, &sink, &error);
    assert_int_equal(tn_sink_zeros(sink, 1 << 20, &error), TN_LIMIT);
    assert_int_equal(tn_output_commit(output, &later), TN_LIMIT);
    tn_output_close(output);
    assert_int_equal(memory.used, 0);
}

/* More files at a time than there are slots, written in turns. */
static void many_files_at_a_time(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory;
    struct tn_error   error = TN_ERROR_INIT;
    char             *path  = tn_scratch_path(&scratch, "folder");
    struct tn_output *output;
    struct tn_sink   *sinks[40];
    char              name[32];

    (void)state;
    tn_memory_init(&memory, NULL, 2 << 20); /* a few buffers, not forty */
    assert_int_equal(tn_output_folder(&output, &memory, path, NULL, &error),
                     TN_OK);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "d%d/f%d", i % 3, i);
        assert_int_equal(tn_output_side(output, name, &sinks[i], &error),
                         TN_OK);
    }
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 40; i++) {
            snprintf(name, sizeof name, "%d.%d;", turn, i);
            put_text(sinks[i], name, &error);
        }
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    tn_output_close(output);
    for (int i = 0; i < 40; i++) {
        char text[64];
        snprintf(name, sizeof name, "folder/d%d/f%d", i % 3, i);
        snprintf(text, sizeof text, "0.%d;1.%d;2.%d;", i, i, i);
        assert_true(tn_scratch_holds(&scratch, name, text));
    }
    free(path);
    tn_scratch_close(&scratch);
}

static void a_folder_is_replaced_whole(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_output_options force   = { .can_replace = true,
                                         .is_durable  = true };
    char                    *path    = tn_scratch_path(&scratch, "m");
    struct tn_output        *output;
    struct tn_sink          *sink;

    (void)state;
    mkdirat(scratch.folder, "m", 0777);
    mkdirat(scratch.folder, "m/old", 0777);
    tn_scratch_write(&scratch, "m/old/file", "old");
    assert_int_equal(symlinkat("..", scratch.folder, "m/old/up"), 0);
    assert_int_equal(tn_output_folder(&output, &memory, path, NULL, &error),
                     TN_EXISTS);
    assert_null(output);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_output_folder(&output, &memory, path, &force, &error),
                     TN_OK);
    (void)tn_output_side(output, "new/file", &sink, &error);
    put_text(sink, "new", &error);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_true(tn_scratch_holds(&scratch, "m/old/file", "old"));
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    tn_output_close(output);
    assert_true(tn_scratch_holds(&scratch, "m/new/file", "new"));
    assert_int_equal(tn_scratch_count(&scratch, "m", ""), 1);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 1);
    free(path);
    tn_scratch_close(&scratch);
}

static void long_names_still_fit(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    char              name[256];

    (void)state;
    for (int i = 0; i + 1 < 255; i += 2)
        memcpy(name + i, "\xc3\xa4", 3);
    char *path = tn_scratch_path(&scratch, name);
    assert_int_equal(write_model(path, "m", "a", "b", NULL, &memory, &error),
                     TN_OK);
    assert_true(tn_scratch_holds(&scratch, name, "m"));
    free(path);
    tn_scratch_close(&scratch);
}

/* A hook that makes step number `at` fail, or ends the process there. */
struct fault {
    int  at;
    int  count;
    int  number; /* errno; 0: _exit */
    bool hit_remove;
};

static int fail_at(void *context, const char *step, const char *path)
{
    struct fault *fault = context;

    (void)path;
    if (fault->count++ != fault->at)
        return 0;
    if (!fault->number) {
        tn_temporaries_remove(listed);
        _exit(77);
    }
    fault->hit_remove = !strcmp(step, "remove");
    return fault->number;
}

enum scene {
    FRESH,        /* nothing is there                                        */
    REPLACE_MAIN, /* an old main with side files of other names              */
    REPLACE_ALL   /* an old main, and side files of the same names           */
};

static void set_scene(struct tn_scratch *scratch, enum scene scene)
{
    tn_scratch_empty(scratch->folder);
    if (scene == FRESH)
        return;
    tn_scratch_write(scratch, "model", "old main");
    if (scene == REPLACE_MAIN) {
        tn_scratch_write(scratch, "old.data", "old data");
        return;
    }
    assert_int_equal(mkdirat(scratch->folder, "deep", 0777), 0);
    assert_int_equal(mkdirat(scratch->folder, "deep/er", 0777), 0);
    tn_scratch_write(scratch, "a.data", "old a");
    tn_scratch_write(scratch, "deep/er/b.data", "old b");
}

static bool is_new(const struct tn_scratch *scratch)
{
    return holds_model(scratch, ".", "new main", "new a", "new b");
}

static bool is_old(const struct tn_scratch *scratch, enum scene scene)
{
    if (scene == FRESH)
        return !tn_scratch_has(scratch, "model");
    if (scene == REPLACE_MAIN)
        return tn_scratch_holds(scratch, "model", "old main") &&
               tn_scratch_holds(scratch, "old.data", "old data");
    return holds_model(scratch, ".", "old main", "old a", "old b");
}

/* The old folder's contents, moved back over the rest. */
static void move_back(const struct tn_scratch *scratch)
{
    static const char *const names[] = { "a.data", "deep/er/b.data", "model" };
    DIR                     *entries = opendir(scratch->path);
    char                     from[400];

    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (!strstr(entry->d_name, "-old"))
            continue;
        for (int i = 0; i < 3; i++) {
            snprintf(from, sizeof from, "%s/%s", entry->d_name, names[i]);
            renameat(scratch->folder, from, scratch->folder, names[i]);
        }
    }
    closedir(entries);
}

static void check_after_error(const struct tn_scratch *scratch,
                              enum scene scene, const struct fault *fault,
                              enum tn_status status)
{
    bool is_done = is_new(scratch);

    if (is_done == is_old(scratch, scene))
        fail_msg("scene %d, step %d: neither old nor new", scene, fault->at);
    if (status == TN_OK)
        assert_true(is_done);
    if (!fault->hit_remove) {
        assert_int_equal(tn_scratch_count(scratch, ".", ".tenon-"), 0);
        if (tn_scratch_has(scratch, "deep/er"))
            assert_int_equal(tn_scratch_count(scratch, "deep/er", ".tenon-"),
                             0);
    }
    if (!is_done)
        assert_int_equal(tn_scratch_has(scratch, "deep"), scene == REPLACE_ALL);
}

static void check_after_crash(const struct tn_scratch *scratch,
                              enum scene scene, int at)
{
    if (is_new(scratch) || is_old(scratch, scene))
        return;
    if (scene != REPLACE_ALL || tn_scratch_has(scratch, "model"))
        fail_msg("scene %d, step %d: a mixture", scene, at);
    move_back(scratch);
    if (!is_old(scratch, scene))
        fail_msg("scene %d, step %d: the old model is lost", scene, at);
}

/* True once the step number is past the last step. */
static bool run_with_fault(struct tn_scratch *scratch, enum scene scene,
                           bool is_durable, int at, int number)
{
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    struct fault             fault   = { .at = at, .number = number };
    struct tn_fault_hook     hook    = { fail_at, &fault };
    struct tn_output_options options = { .can_replace = true,
                                         .is_durable  = is_durable,
                                         .hook        = &hook };
    char                    *path    = tn_scratch_path(scratch, "model");

    set_scene(scratch, scene);
    enum tn_status status = write_model(path, "new main", "new a", "new b",
                                        &options, &memory, &error);
    free(path);
    assert_int_equal(memory.used, 0);
    bool was_hit = fault.count > at;
    if (number)
        check_after_error(scratch, scene, &fault, status);
    if (was_hit && !fault.hit_remove) {
        assert_int_equal(status, TN_IO);
        assert_true(error.what[0] != '\0');
    }
    return !was_hit;
}

static void every_step_fails_once(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (int scene = FRESH; scene <= REPLACE_ALL; scene++)
        for (int is_durable = 0; is_durable < 2; is_durable++) {
            int at = 0;
            while (!run_with_fault(&scratch, (enum scene)scene, is_durable, at,
                                   ENOSPC))
                at++;
            assert_true(at > 8); /* there were steps to fail */
            assert_true(is_new(&scratch));
        }
    tn_scratch_close(&scratch);
}

static void the_process_dies_at_every_step(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (int scene = FRESH; scene <= REPLACE_ALL; scene++)
        for (int at = 0;; at++) {
            int   status;
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                run_with_fault(&scratch, (enum scene)scene, true, at, 0);
                _exit(0);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status));
            check_after_crash(&scratch, (enum scene)scene, at);
            if (WEXITSTATUS(status) == 0)
                break;
            assert_int_equal(WEXITSTATUS(status), 77);
        }
    tn_scratch_close(&scratch);
}

static enum tn_status write_folder(const char                     *path,
                                   const struct tn_output_options *options,
                                   struct tn_memory               *memory,
                                   struct tn_error                *error)
{
    struct tn_output *output;
    struct tn_sink   *sink;

    if (tn_output_folder(&output, memory, path, options, error) != TN_OK)
        return error->status;
    if (tn_output_side(output, "model", &sink, error) == TN_OK)
        put_text(sink, "new main", error);
    if (!tn_failed(error) &&
        tn_output_side(output, "deep/b", &sink, error) == TN_OK)
        put_text(sink, "new b", error);
    if (!tn_failed(error))
        (void)tn_output_commit(output, error);
    tn_output_close(output);
    return error->status;
}

static bool folder_is(const struct tn_scratch *scratch, const char *main,
                      const char *b)
{
    return tn_scratch_holds(scratch, "m/model", main) &&
           tn_scratch_holds(scratch, "m/deep/b", b);
}

static bool run_folder(struct tn_scratch *scratch, int at, int number)
{
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    struct fault             fault   = { .at = at, .number = number };
    struct tn_fault_hook     hook    = { fail_at, &fault };
    struct tn_output_options options = { .can_replace = true,
                                         .is_durable  = true,
                                         .hook        = &hook };
    char                    *path    = tn_scratch_path(scratch, "m");

    tn_scratch_empty(scratch->folder);
    assert_int_equal(mkdirat(scratch->folder, "m", 0777), 0);
    assert_int_equal(mkdirat(scratch->folder, "m/deep", 0777), 0);
    tn_scratch_write(scratch, "m/model", "old main");
    tn_scratch_write(scratch, "m/deep/b", "old b");
    (void)write_folder(path, &options, &memory, &error);
    free(path);
    if (number && !fault.hit_remove)
        assert_int_equal(tn_scratch_count(scratch, ".", ".tenon-"), 0);
    return fault.count <= at;
}

/* Old or new, not half of either.  A system that cannot exchange two names
 * replaces a folder in two steps; between them the old one has its other
 * name, as that of a file with side files (output.h). */
static bool folder_is_whole(const struct tn_scratch *scratch)
{
    return folder_is(scratch, "old main", "old b") !=
               folder_is(scratch, "new main", "new b") ||
           (tn_os == &tn_os_posix && !tn_scratch_has(scratch, "m") &&
            tn_scratch_count(scratch, ".", "-old") == 1);
}

static void a_folder_is_old_or_new_at_every_step(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    bool              is_done = false;

    (void)state;
    for (int at = 0; !is_done; at++) {
        is_done = run_folder(&scratch, at, EIO);
        assert_true(folder_is_whole(&scratch));
    }
    assert_true(folder_is(&scratch, "new main", "new b"));
    is_done = false;
    for (int at = 0; !is_done; at++) {
        int   status;
        pid_t child = fork();
        if (child == 0) {
            run_folder(&scratch, at, 0);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        assert_true(folder_is_whole(&scratch));
    }
    tn_scratch_close(&scratch);
}

/* Nothing is left, but for what a commit has set aside: the lock then tells the
 * next output that it is ours. */
static bool only_old_is_left(const struct tn_scratch *scratch)
{
    int left = tn_scratch_count(scratch, ".", ".tenon-");
    int old  = tn_scratch_count(scratch, ".", "-lock") ? left - 1 : 0;

    if (tn_scratch_has(scratch, "deep/er") &&
        tn_scratch_count(scratch, "deep/er", ".tenon-"))
        return false;
    return left == 0 || old == 0 || old == 1;
}

/* A signal handler removes what is listed, whenever it comes. */
static void a_signal_at_every_step_leaves_nothing(void **state)
{
    struct tn_scratch scratch   = tn_scratch_open();
    bool              was_clean = false;

    (void)state;
    assert_int_equal(tn_temporaries_new(&listed, NULL, NULL), TN_OK);
    for (int scene = FRESH; scene <= REPLACE_ALL + 1; scene++)
        for (int at = 0;; at++) {
            int   status;
            pid_t child = fork();
            if (child == 0) {
                if (scene <= REPLACE_ALL)
                    run_with_fault(&scratch, (enum scene)scene, false, at, 0);
                else
                    run_folder(&scratch, at, 0);
                _exit(0);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            if (scene <= REPLACE_ALL)
                check_after_crash(&scratch, (enum scene)scene, at);
            else
                assert_true(folder_is_whole(&scratch));
            if (!only_old_is_left(&scratch))
                fail_msg("scene %d, step %d: something is left", scene, at);
            was_clean |= at > 2 && !tn_scratch_count(&scratch, ".", ".tenon-");
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                break;
        }
    assert_true(was_clean);
    tn_temporaries_close(listed);
    listed = NULL;
    tn_scratch_close(&scratch);
}

/* Somebody else takes the name between the beginning and the commit. */
static void a_name_taken_meanwhile_is_not_replaced(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *path    = tn_scratch_path(&scratch, "model");
    struct tn_output *output;
    struct tn_sink   *sink;

    (void)state;
    (void)tn_output_file(&output, &memory, path, NULL, &error);
    (void)tn_output_main(output, &sink, &error);
    put_text(sink, "ours", &error);
    (void)tn_output_side(output, "side", &sink, &error);
    tn_scratch_write(&scratch, "model", "theirs");
    assert_int_equal(tn_output_commit(output, &error), TN_EXISTS);
    tn_output_close(output);
    assert_true(tn_scratch_holds(&scratch, "model", "theirs"));
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 1);
    free(path);
    tn_scratch_close(&scratch);
}

static enum tn_status write_in_scratch(struct tn_bytes   input,
                                       struct tn_memory *memory,
                                       struct tn_error  *error)
{
    struct tn_output_options force = { .can_replace = true };

    return write_model((const char *)input.data, "m", "a", "b", &force, memory,
                       error);
}

static void every_allocation_fails_once(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char             *path    = tn_scratch_path(&scratch, "model");

    (void)state;
    tn_survives_no_memory(write_in_scratch, tn_bytes(path, strlen(path) + 1));
    assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), 0);
    assert_true(holds_model(&scratch, ".", "m", "a", "b"));
    free(path);
    tn_scratch_close(&scratch);
}

/* ---- permissions --------------------------------------------------------- */

static unsigned mode_of(const struct tn_scratch *scratch, const char *name)
{
    struct stat about;

    assert_int_equal(fstatat(scratch->folder, name, &about, 0), 0);
    return about.st_mode & 07777;
}

static void what_is_replaced_keeps_its_permissions(void **state)
{
    static const unsigned    modes[] = { 0600, 0640, 0444, 0755, 0200, 0 };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    char                    *path    = tn_scratch_path(&scratch, "model");
    struct tn_output_options replace = { .can_replace = true };

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        set_scene(&scratch, REPLACE_ALL);
        assert_int_equal(fchmodat(scratch.folder, "model", modes[i], 0), 0);
        assert_int_equal(fchmodat(scratch.folder, "a.data", modes[i], 0), 0);
        assert_int_equal(write_model(path, "new main", "new a", "new b",
                                     &replace, &memory, &error),
                         TN_OK);
        assert_int_equal(mode_of(&scratch, "model"), modes[i]);
        assert_int_equal(mode_of(&scratch, "a.data"), modes[i]);
        assert_int_equal(fchmodat(scratch.folder, "model", 0600, 0), 0);
        assert_int_equal(fchmodat(scratch.folder, "a.data", 0600, 0), 0);
        assert_true(is_new(&scratch));
    }
    free(path);
    tn_scratch_close(&scratch);
}

static void a_folder_that_is_replaced_keeps_its_permissions(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    char                    *path    = tn_scratch_path(&scratch, "folder");
    struct tn_output_options replace = { .can_replace = true };

    (void)state;
    assert_int_equal(write_folder(path, NULL, &memory, &error), TN_OK);
    assert_int_equal(fchmodat(scratch.folder, "folder", 0750, 0), 0);
    assert_int_equal(fchmodat(scratch.folder, "folder/model", 0440, 0), 0);
    assert_int_equal(write_folder(path, &replace, &memory, &error), TN_OK);
    assert_int_equal(mode_of(&scratch, "folder"), 0750);
    assert_int_equal(mode_of(&scratch, "folder/model"), 0440);
    free(path);
    tn_scratch_close(&scratch);
}

/* Nobody may read a secret while it is written, who may not afterwards. */
static void temporary_files_are_not_open_to_more(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    char                    *path    = tn_scratch_path(&scratch, "model");
    struct tn_output_options replace = { .can_replace = true };
    struct tn_output        *output;
    struct tn_sink          *sink;
    DIR                     *entries;

    (void)state;
    tn_scratch_write(&scratch, "model", "old");
    assert_int_equal(fchmodat(scratch.folder, "model", 0600, 0), 0);
    assert_int_equal(tn_output_file(&output, &memory, path, &replace, &error),
                     TN_OK);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    entries = opendir(scratch.path);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strstr(entry->d_name, ".tenon-"))
            assert_int_equal(mode_of(&scratch, entry->d_name), 0600);
    closedir(entries);
    tn_output_close(output);
    free(path);
    tn_scratch_close(&scratch);
}

/* ---- writers that are gone ----------------------------------------------- */

/* A process that has begun to write; it ends at once, or waits for a word and
 * then commits. */
static pid_t begin_elsewhere(const struct tn_scratch *scratch, bool is_folder,
                             int tell, int hear)
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child)
        return child;
    struct tn_memory  memory = budget();
    struct tn_error   error  = TN_ERROR_INIT;
    char             *path   = tn_scratch_path(scratch, "theirs");
    char              word   = 'x';
    struct tn_output *output;
    struct tn_sink   *sink;
    if (is_folder)
        tn_output_folder(&output, &memory, path, NULL, &error);
    else if (tn_output_file(&output, &memory, path, NULL, &error) == TN_OK)
        tn_output_main(output, &sink, &error);
    if (!tn_failed(&error) &&
        tn_output_side(output, "deep/data", &sink, &error) == TN_OK)
        put_text(sink, "data", &error);
    if (!tn_failed(&error))
        tn_output_flush(output, &error);
    if (tn_failed(&error) || write(tell, &word, 1) != 1)
        _exit(1);
    if (hear < 0)
        kill(getpid(), SIGKILL);
    _exit(read(hear, &word, 1) == 1 && tn_output_commit(output, &error) == TN_OK
              ? 0
              : 2);
}

static void write_ours(const struct tn_scratch *scratch)
{
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_output_options replace = { .can_replace = true };
    char                    *path    = tn_scratch_path(scratch, "ours");
    struct tn_output        *output;
    struct tn_sink          *sink;

    assert_int_equal(tn_output_file(&output, &memory, path, &replace, &error),
                     TN_OK);
    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    assert_int_equal(tn_output_side(output, "deep/ours", &sink, &error), TN_OK);
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    tn_output_close(output);
    assert_int_equal(memory.used, 0);
    free(path);
}

static void what_dead_writers_left_goes(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    int               status, pipes[2];
    char              word;

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    for (int is_folder = 0; is_folder < 2; is_folder++) {
        pid_t child = begin_elsewhere(&scratch, is_folder, pipes[1], -1);
        assert_int_equal(read(pipes[0], &word, 1), 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_true(tn_scratch_count(&scratch, ".", ".tenon-") >= 2);
        write_ours(&scratch);
        assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), 0);
        assert_int_equal(tn_scratch_count(&scratch, "deep", ".tenon-"), 0);
    }
    close(pipes[0]);
    close(pipes[1]);
    tn_scratch_close(&scratch);
}

static void what_others_are_writing_stays(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    int               status, ready[2], go[2];
    char              word = 'x';

    (void)state;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    for (int is_folder = 0; is_folder < 2; is_folder++) {
        tn_scratch_empty(scratch.folder);
        pid_t child = begin_elsewhere(&scratch, is_folder, ready[1], go[0]);
        assert_int_equal(read(ready[0], &word, 1), 1);
        int before = tn_scratch_count(&scratch, ".", ".tenon-");
        write_ours(&scratch);
        assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), before);
        assert_int_equal(write(go[1], &word, 1), 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(tn_scratch_holds(
            &scratch, is_folder ? "theirs/deep/data" : "deep/data", "data"));
    }
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(go[i]);
    }
    tn_scratch_close(&scratch);
}

/* What a commit had put aside when it died is the only copy of a model, until
 * there is another; and what nobody can prove to be ours stays. */
static void the_last_copy_stays(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    assert_int_equal(
        mkdirat(scratch.folder, ".theirs.tenon-abcdefgh-old", 0777), 0);
    tn_scratch_write(&scratch, ".theirs.tenon-abcdefgh-old/theirs", "old");
    tn_scratch_write(&scratch, ".theirs.tenon-abcdefgh-lock", "");
    tn_scratch_write(&scratch, ".theirs.tenon-abcdefgh", "half");
    tn_scratch_write(&scratch, ".no.tenon-lockless", "stays");
    tn_scratch_write(&scratch, ".no.tenon-bcdefgha", "stays");
    tn_scratch_write(&scratch, ".full.tenon-cdefghab-lock", "not empty");
    write_ours(&scratch);
    assert_true(
        tn_scratch_holds(&scratch, ".theirs.tenon-abcdefgh-old/theirs", "old"));
    assert_false(tn_scratch_has(&scratch, ".theirs.tenon-abcdefgh"));
    tn_scratch_write(&scratch, "theirs", "new");
    write_ours(&scratch);
    assert_false(tn_scratch_has(&scratch, ".theirs.tenon-abcdefgh-old"));
    assert_false(tn_scratch_has(&scratch, ".theirs.tenon-abcdefgh-lock"));
    assert_true(tn_scratch_has(&scratch, ".no.tenon-lockless"));
    assert_true(tn_scratch_has(&scratch, ".no.tenon-bcdefgha"));
    assert_true(tn_scratch_has(&scratch, ".full.tenon-cdefghab-lock"));
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_appear_at_the_commit),
        cmocka_unit_test(a_main_file_takes_another_name),
        cmocka_unit_test(closing_without_commit_leaves_nothing),
        cmocka_unit_test(a_dry_output_only_counts),
        cmocka_unit_test(refuses_bad_targets),
        cmocka_unit_test(a_side_file_is_written_once),
        cmocka_unit_test(a_symlink_stays_and_its_file_is_replaced),
        cmocka_unit_test(devices_are_not_replaced),
        cmocka_unit_test(a_full_disk_is_an_error_that_stays),
        cmocka_unit_test(into_memory),
        cmocka_unit_test(memory_that_runs_out_refuses_the_commit),
        cmocka_unit_test(many_files_at_a_time),
        cmocka_unit_test(a_folder_is_replaced_whole),
        cmocka_unit_test(long_names_still_fit),
        cmocka_unit_test(every_step_fails_once),
        cmocka_unit_test(the_process_dies_at_every_step),
        cmocka_unit_test(a_folder_is_old_or_new_at_every_step),
        cmocka_unit_test(a_signal_at_every_step_leaves_nothing),
        cmocka_unit_test(a_name_taken_meanwhile_is_not_replaced),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(what_is_replaced_keeps_its_permissions),
        cmocka_unit_test(a_folder_that_is_replaced_keeps_its_permissions),
        cmocka_unit_test(temporary_files_are_not_open_to_more),
        cmocka_unit_test(what_dead_writers_left_goes),
        cmocka_unit_test(what_others_are_writing_stays),
        cmocka_unit_test(the_last_copy_stays),
    };

    return tn_run_on_every_os(tests);
}
