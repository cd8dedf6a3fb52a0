/*
 * split_crash_test.c - several files are written at once, or not at all
 *
 * A message in eight files of version 2 takes the place of nothing, of another
 * one in files of the same names, or of a message that was whole.  Each step
 * that changes the disk fails once, and is once the last that the process does.
 */
#define _GNU_SOURCE
#include "support/scratch.h"

#include <errno.h>
#include <sys/wait.h>

#include "chunk/chunk_judge.h"
#include "chunk/splitter.h"
#include "io/output.h"

#define MANY "tensorflow.proto_splitter_testdata.ManyFields"

static struct judge      judge;
static struct tn_schema *testdata;
static struct tn_scratch scratch;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_bytes set   = judge_set("chunk", "testdata");

    (void)state;
    judge_open(&judge);
    tn_schema_open(&testdata, set, NULL, &error);
    free((void *)(uintptr_t)set.data);
    scratch = tn_scratch_open();
    return error.status;
}

static int end(void **state)
{
    (void)state;
    tn_scratch_close(&scratch);
    tn_schema_close(testdata);
    judge_close(&judge);
    return 0;
}

/* ---- writing and reading ------------------------------------------------- */

/* All strings of it are made of one letter. */
static void encode(char letter, struct tn_buffer *bytes)
{
    char run[801], text[3000];

    memset(run, letter, 800);
    run[800] = '\0';
    snprintf(text, sizeof text,
             "field_one { string_field: \"%s\" } string_field: \"%s\" "
             "repeated_string_field: [\"%s\"]",
             run, run, run);
    judge_encode(&judge, &judge.testdata, MANY, text, bytes);
}

static enum tn_status write_model(char letter, struct tn_split_format format,
                                  const struct tn_fault_hook *hook,
                                  struct tn_error            *error)
{
    char               *prefix = tn_scratch_path(&scratch, "m");
    struct tn_target    target = { .path = prefix, .can_replace = true };
    struct tn_buffer    bytes;
    struct tn_message  *message;
    struct tn_splitter *splitter;

    *error = (struct tn_error)TN_ERROR_INIT;
    encode(letter, &bytes);
    tn_message_bytes(&message, testdata, MANY, tn_buffer_bytes(&bytes), NULL,
                     error);
    tn_splitter_open(&splitter, message, error);
    tn_splitter_format(splitter, &format, error);
    tn_splitter_by_size(splitter, format.version == 2 ? 60 : 100000, error);
    assert_string_equal(error->what, "");
    splitter->hook = hook;
    tn_splitter_write(splitter, &target, "uncompressed", NULL, error);
    tn_splitter_close(splitter);
    tn_message_close(message);
    tn_buffer_done(&bytes);
    free(prefix);
    return error->status;
}

/* The letter of the message that is there; 0: none is, '?': a mixture. */
static char read_model(void)
{
    char              *prefix = tn_scratch_path(&scratch, "m");
    struct tn_error    error  = TN_ERROR_INIT;
    struct tn_message *merged;
    char               found = 0, byte;

    tn_merge_read(&merged, testdata, MANY, prefix, NULL, 0, NULL, &error);
    free(prefix);
    if (error.status != TN_OK)
        return error.status == TN_NOT_FOUND ? 0 : '?';
    for (uint64_t i = 0; i < tn_message_size(merged); i++) {
        tn_message_read(merged, i, &byte, 1, &error);
        if (byte != 'o' && byte != 'n')
            continue;
        found = !found || found == byte ? byte : '?';
    }
    tn_message_close(merged);
    return found;
}

/* ---- scenes -------------------------------------------------------------- */

static const struct tn_split_format several = {
    .version = 2, .max_bytes = 60, .max_file = 1024, .separates_bytes = true
};
static const struct tn_split_format whole = { .version = 1 };

enum scene { FRESH, REPLACED, OVER_A_WHOLE_ONE, SCENE_COUNT };

static void set_scene(enum scene scene)
{
    struct tn_error error;

    tn_scratch_empty(scratch.folder);
    if (scene != FRESH)
        write_model('o', scene == REPLACED ? several : whole, NULL, &error);
    assert_int_equal(read_model(), scene == FRESH ? 0 : 'o');
}

/* A hook that makes step number `at` fail, or ends the process there. */
struct fault {
    int  at;
    int  count;
    int  number; /* errno; 0: _exit                                          */
    bool hit_remove;
};

static int fail_at(void *context, const char *step, const char *path)
{
    struct fault *fault = context;

    (void)path;
    if (fault->count++ != fault->at)
        return 0;
    if (!fault->number)
        _exit(77);
    fault->hit_remove = !strcmp(step, "remove");
    return fault->number;
}

/* ---- claims -------------------------------------------------------------- */

/* After an error the old model is back.  Once the new one has its name, only
 * tidying up can fail. */
static void check_after_error(enum scene scene, const struct fault *fault,
                              enum tn_status status)
{
    char there = read_model();
    char was   = scene == FRESH ? 0 : 'o';

    if (there != 'n' && there != was)
        fail_msg("scene %d, step %d: '%c'", scene, fault->at, there);
    if (status == TN_OK || fault->hit_remove)
        assert_int_equal(there, 'n');
    else
        assert_int_equal(there, was);
    if (!fault->hit_remove)
        assert_int_equal(tn_scratch_count(&scratch, ".", ".tenon-"), 0);
    if (!there)
        assert_int_equal(tn_scratch_count(&scratch, ".", ""), 0);
}

static void every_step_fails_once(void **state)
{
    (void)state;
    for (int scene = FRESH; scene < SCENE_COUNT; scene++)
        for (int at = 0;; at++) {
            struct fault         fault = { .at = at, .number = ENOSPC };
            struct tn_fault_hook hook  = { fail_at, &fault };
            struct tn_error      error;

            set_scene((enum scene)scene);
            enum tn_status status = write_model('n', several, &hook, &error);
            check_after_error((enum scene)scene, &fault, status);
            if (fault.count <= at) {
                assert_int_equal(status, TN_OK);
                assert_true(at > 15); /* eight files: there were steps */
                break;
            }
        }
}

/* What was there stands in a folder beside it, under its own names. */
static void move_back(void)
{
    DIR *entries = fdopendir(dup(scratch.folder));
    char from[600];

    assert_non_null(entries);
    rewinddir(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (!strstr(entry->d_name, "-old"))
            continue;
        int  inner = openat(scratch.folder, entry->d_name, O_DIRECTORY);
        DIR *kept  = fdopendir(inner);
        assert_non_null(kept);
        for (struct dirent *file; (file = readdir(kept)) != NULL;) {
            snprintf(from, sizeof from, "%s/%s", entry->d_name, file->d_name);
            if (file->d_name[0] == 'm')
                renameat(scratch.folder, from, scratch.folder, file->d_name);
        }
        closedir(kept);
    }
    closedir(entries);
}

static void check_after_death(enum scene scene, int at)
{
    char there = read_model();
    char was   = scene == FRESH ? 0 : 'o';

    if (there == 'n' || there == was)
        return;
    if (scene != REPLACED || tn_scratch_has(&scratch, "m.cpb"))
        fail_msg("scene %d, step %d: '%c'", scene, at, there);
    move_back();
    if (read_model() != 'o')
        fail_msg("scene %d, step %d: the old model is lost", scene, at);
}

static void the_process_dies_at_every_step(void **state)
{
    (void)state;
    for (int scene = FRESH; scene < SCENE_COUNT; scene++)
        for (int at = 0;; at++) {
            struct fault         fault = { .at = at };
            struct tn_fault_hook hook  = { fail_at, &fault };
            struct tn_error      error;
            int                  status;

            set_scene((enum scene)scene);
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                write_model('n', several, &hook, &error);
                _exit(0);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status));
            check_after_death((enum scene)scene, at);
            if (WEXITSTATUS(status) == 0) {
                assert_int_equal(read_model(), 'n');
                break;
            }
            assert_int_equal(WEXITSTATUS(status), 77);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_fails_once),
        cmocka_unit_test(the_process_dies_at_every_step),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
