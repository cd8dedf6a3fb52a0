/* bundle_test.c - a model's files, and nobody else's */
#define _GNU_SOURCE
#include "io/bundle.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "io/file_source.h"
#include "support/every_os.h"
#include "support/hostile.h"
#include "support/scratch.h"

static struct tn_memory budget(void)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 0);
    return memory;
}

static enum tn_status open_in(struct tn_bundle        *bundle,
                              const struct tn_scratch *scratch,
                              const char *name, struct tn_memory *memory,
                              struct tn_error *error)
{
    char          *path   = tn_scratch_path(scratch, name);
    enum tn_status status = tn_bundle_open(bundle, memory, path, NULL, error);

    free(path);
    return status;
}

static bool source_is(struct tn_source *source, const char *text)
{
    return source->map &&
           tn_bytes_is(tn_bytes(source->map, (size_t)source->size), text);
}

/* A model in a folder, with everything a name could trip over beside it. */
static struct tn_scratch set_scene(void)
{
    struct tn_scratch scratch = tn_scratch_open();

    mkdirat(scratch.folder, "m", 0777);
    mkdirat(scratch.folder, "m/sub", 0777);
    tn_scratch_write(&scratch, "secret", "secret");
    tn_scratch_write(&scratch, "m/model", "model");
    tn_scratch_write(&scratch, "m/data", "data");
    tn_scratch_write(&scratch, "m/empty", "");
    tn_scratch_write(&scratch, "m/sub/data", "sub data");
    assert_int_equal(symlinkat("data", scratch.folder, "m/link"), 0);
    assert_int_equal(symlinkat("../secret", scratch.folder, "m/leak"), 0);
    assert_int_equal(symlinkat("..", scratch.folder, "m/up"), 0);
    assert_int_equal(
        linkat(scratch.folder, "secret", scratch.folder, "m/hard", 0), 0);
    assert_int_equal(mkfifoat(scratch.folder, "m/pipe", 0666), 0);
    assert_int_equal(symlinkat("m/model", scratch.folder, "alias"), 0);
    tn_scratch_write(&scratch, "data", "data beside the alias");
    return scratch;
}

static void siblings(void **state)
{
    static const struct {
        const char    *name, *text;
        enum tn_status status;
        const char    *says;
    } rows[] = {
        { "data", "data", TN_OK, NULL },
        { "./data", "data", TN_OK, NULL },
        { "sub/data", "sub data", TN_OK, NULL },
        { "sub//./data", "sub data", TN_OK, NULL },
        { "empty", "", TN_OK, NULL },
        { "model", "model", TN_OK, NULL },
        { "missing", NULL, TN_NOT_FOUND, "does not exist" },
        { "missing/data", NULL, TN_NOT_FOUND, "does not exist" },
        { "data/data", NULL, TN_NOT_FOUND, "does not exist" },
        { "", NULL, TN_INVALID, "empty" },
        { "../secret", NULL, TN_INVALID, ".." },
        { "sub/../data", NULL, TN_INVALID, ".." },
        { "/etc/hostname", NULL, TN_INVALID, "absolute" },
        { "link", NULL, TN_INVALID, "symbolic link" },
        { "leak", NULL, TN_INVALID, "symbolic link" },
        { "up/secret", NULL, TN_INVALID, "symbolic link" },
        { "hard", NULL, TN_INVALID, "hard link" },
        { "pipe", NULL, TN_INVALID, "regular" },
        { "sub", NULL, TN_INVALID, "folder" },
    };
    struct tn_scratch scratch = set_scene();
    struct tn_memory  memory  = budget();

    (void)state;
    for (int is_folder = 0; is_folder < 2; is_folder++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_bundle bundle;
        assert_int_equal(open_in(&bundle, &scratch, is_folder ? "m" : "m/model",
                                 &memory, &error),
                         TN_OK);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct tn_source *source, *again;
            error                 = (struct tn_error)TN_ERROR_INIT;
            enum tn_status status = tn_bundle_sibling(
                &bundle, tn_text(rows[i].name), &source, &error);
            if (status != rows[i].status)
                fail_msg("%s: %s: %s", rows[i].name, tn_status_name(status),
                         error.what);
            assert_int_equal(tn_bundle_has(&bundle, rows[i].name),
                             status == TN_OK);
            if (status != TN_OK) {
                assert_null(source);
                assert_non_null(strstr(error.what, rows[i].says));
                continue;
            }
            assert_true(source_is(source, rows[i].text));
            assert_int_equal(tn_bundle_sibling(&bundle, tn_text(rows[i].name),
                                               &again, &error),
                             TN_OK);
            assert_ptr_equal(source, again);
        }
        tn_bundle_close(&bundle);
    }
    assert_int_equal(memory.used, 0);
    tn_scratch_close(&scratch);
}

static void the_main_file(void **state)
{
    struct tn_scratch scratch = set_scene();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_bundle  bundle;
    struct tn_source *source;

    (void)state;
    /* Through a link; siblings are those of the link. */
    assert_int_equal(open_in(&bundle, &scratch, "alias", &memory, &error),
                     TN_OK);
    assert_string_equal(bundle.name, "alias");
    assert_true(source_is(bundle.main, "model"));
    assert_string_equal(bundle.main->name, "");
    assert_int_equal(
        tn_bundle_sibling(&bundle, tn_text("data"), &source, &error), TN_OK);
    assert_true(source_is(source, "data beside the alias"));
    assert_string_equal(source->name, "data");
    tn_bundle_close(&bundle);

    assert_int_equal(open_in(&bundle, &scratch, "m//", &memory, &error), TN_OK);
    assert_string_equal(bundle.name, "m");
    assert_null(bundle.main);
    assert_true(bundle.folder >= 0);
    tn_bundle_close(&bundle);

    assert_int_equal(open_in(&bundle, &scratch, "nothing", &memory, &error),
                     TN_IO);
    assert_non_null(strstr(error.what, "nothing"));
    assert_int_equal(memory.used, 0);
    tn_scratch_close(&scratch);
}

/* A name without a folder lies in the working one. */
static void in_the_working_folder(void **state)
{
    struct tn_scratch scratch = set_scene();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_bundle  bundle;
    int               before = open(".", O_RDONLY | O_DIRECTORY);

    (void)state;
    assert_int_equal(fchdir(scratch.folder), 0);
    assert_int_equal(tn_bundle_open(&bundle, &memory, "secret", NULL, &error),
                     TN_OK);
    assert_true(tn_bundle_has(&bundle, "data"));
    assert_true(tn_bundle_has(&bundle, "m/data"));
    assert_false(tn_bundle_has(&bundle, "sub/data"));
    assert_int_equal(fchdir(before), 0);
    close(before);
    tn_bundle_close(&bundle);
    tn_scratch_close(&scratch);
}

static void unmapped(void **state)
{
    struct tn_scratch        scratch = set_scene();
    struct tn_memory         memory  = budget();
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_bundle_options options = { .keep_unmapped = true };
    char                    *path    = tn_scratch_path(&scratch, "m/model");
    struct tn_bundle         bundle;
    struct tn_source        *source;

    (void)state;
    assert_int_equal(tn_bundle_open(&bundle, &memory, path, &options, &error),
                     TN_OK);
    assert_null(bundle.main->map);
    assert_int_equal(
        tn_bundle_sibling(&bundle, tn_text("data"), &source, &error), TN_OK);
    assert_null(source->map);
    assert_memory_equal(tn_source_pin(source, 0, 4, &error), "data", 4);
    tn_bundle_close(&bundle);
    assert_int_equal(memory.used, 0);
    free(path);
    tn_scratch_close(&scratch);
}

static void *feed_pipe(void *context)
{
    int pipe = open(context, O_WRONLY);

    assert_int_equal(write(pipe, "through a pipe", 14), 14);
    close(pipe);
    return NULL;
}

static void a_pipe_as_main(void **state)
{
    struct tn_scratch scratch = set_scene();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    char             *path    = tn_scratch_path(&scratch, "m/pipe");
    struct tn_bundle  bundle;
    struct tn_source *source;
    pthread_t         writer;

    (void)state;
    assert_int_equal(pthread_create(&writer, NULL, feed_pipe, path), 0);
    assert_int_equal(tn_bundle_open(&bundle, &memory, path, NULL, &error),
                     TN_OK);
    pthread_join(writer, NULL);
    assert_true(source_is(bundle.main, "through a pipe"));
    assert_int_equal(
        tn_bundle_sibling(&bundle, tn_text("data"), &source, &error),
        TN_NOT_FOUND);
    tn_bundle_close(&bundle);
    free(path);
    tn_scratch_close(&scratch);
}

static volatile sig_atomic_t rings;

static void on_ring(int number)
{
    (void)number;
    rings++;
}

/* Opens the pipe when the thread that waits for it was interrupted. */
static void *feed_late(void *context)
{
    const struct timespec a_while = { .tv_nsec = 5000000 };

    for (int i = 0; i < 1000 && rings < 3; i++)
        nanosleep(&a_while, NULL);
    return feed_pipe(context);
}

static void signals_are_no_failure(void **state)
{
    const struct sigaction action  = { .sa_handler = on_ring };
    const struct itimerval every   = { { 0, 10000 }, { 0, 10000 } };
    const struct itimerval never   = { { 0, 0 }, { 0, 0 } };
    struct tn_scratch      scratch = set_scene();
    struct tn_memory       memory  = budget();
    struct tn_error        error   = TN_ERROR_INIT;
    char                  *path    = tn_scratch_path(&scratch, "m/pipe");
    sigset_t               alarms;
    struct tn_bundle       bundle;
    pthread_t              writer;

    (void)state;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL); /* of the writer */
    assert_int_equal(pthread_create(&writer, NULL, feed_late, path), 0);
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    if (tn_bundle_open(&bundle, &memory, path, NULL, &error) != TN_OK)
        fail_msg("%s", error.what);
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_join(writer, NULL);
    assert_true(source_is(bundle.main, "through a pipe"));
    tn_bundle_close(&bundle);
    free(path);
    tn_scratch_close(&scratch);
}

/* Standard input: a file from its beginning is mapped, the rest is spooled. */
static void standard_input(void **state)
{
    struct tn_scratch scratch = set_scene();
    struct tn_memory  memory  = budget();
    int               before  = dup(STDIN_FILENO);

    (void)state;
    for (int skipped = 0; skipped < 3; skipped += 2) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_bundle bundle;
        int              file = openat(scratch.folder, "m/model", O_RDONLY);
        lseek(file, skipped, SEEK_SET);
        assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
        close(file);
        assert_int_equal(tn_bundle_open(&bundle, &memory, "-", NULL, &error),
                         TN_OK);
        assert_true(source_is(bundle.main, &"model"[skipped]));
        assert_int_equal(bundle.folder, -1);
        tn_bundle_close(&bundle);
    }
    dup2(before, STDIN_FILENO);
    close(before);
    tn_scratch_close(&scratch);
}

static void from_a_source(void **state)
{
    struct tn_memory   memory = budget();
    struct tn_error    error  = TN_ERROR_INIT;
    struct tn_source   bytes;
    struct tn_bundle   bundle;
    const char *const *names;
    uint64_t           count;

    (void)state;
    tn_source_memory(&bytes, &memory, tn_text("text"));
    assert_int_equal(tn_bundle_from_source(&bundle, &memory, &bytes,
                                           "some/where.onnx", &error),
                     TN_OK);
    assert_ptr_equal(bundle.main, &bytes);
    assert_string_equal(bundle.name, "where.onnx");
    assert_false(tn_bundle_has(&bundle, "x"));
    assert_int_equal(tn_bundle_list(&bundle, "", &names, &count, &error),
                     TN_NOT_FOUND);
    tn_bundle_close(&bundle);
    assert_int_equal(memory.used, 0);
}

static void listing(void **state)
{
    static const char *const expected[] = { "data", "empty", "hard",
                                            "leak", "link",  "model",
                                            "pipe", "sub/",  "up" };
    struct tn_scratch        scratch    = set_scene();
    struct tn_memory         memory     = budget();
    struct tn_error          error      = TN_ERROR_INIT;
    struct tn_bundle         bundle;
    const char *const       *names;
    uint64_t                 count;

    (void)state;
    assert_int_equal(open_in(&bundle, &scratch, "m", &memory, &error), TN_OK);
    for (int i = 0; i < 2; i++) { /* twice: nothing is used up */
        assert_int_equal(tn_bundle_list(&bundle, "", &names, &count, &error),
                         TN_OK);
        assert_int_equal(count, 9);
        for (int n = 0; n < 9; n++)
            assert_string_equal(names[n], expected[n]);
    }
    assert_int_equal(tn_bundle_list(&bundle, "sub/", &names, &count, &error),
                     TN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tn_bundle_list(&bundle, "up", &names, &count, &error),
                     TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_bundle_list(&bundle, "..", &names, &count, &error),
                     TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_bundle_list(&bundle, "data", &names, &count, &error),
                     TN_NOT_FOUND);
    tn_bundle_close(&bundle);
    assert_int_equal(memory.used, 0);
    tn_scratch_close(&scratch);
}

/* One file per tensor is common; a thousand descriptors are not. */
static void more_files_than_descriptors(void **state)
{
    struct tn_scratch scratch = set_scene();
    struct tn_memory  memory  = budget();
    struct tn_error   error   = TN_ERROR_INIT;
    struct rlimit     before, few;
    struct tn_bundle  bundle;
    struct tn_source *source;
    char              name[32];

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few          = before;
    few.rlim_cur = 400;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_int_equal(open_in(&bundle, &scratch, "m", &memory, &error), TN_OK);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "m/tensor%d", i);
        tn_scratch_write(&scratch, name, name);
        assert_int_equal(
            tn_bundle_sibling(&bundle, tn_text(name + 2), &source, &error),
            TN_OK);
        assert_true(source_is(source, name));
    }
    tn_bundle_close(&bundle);
    setrlimit(RLIMIT_NOFILE, &before);
    tn_scratch_close(&scratch);
}

static enum tn_status use_bundle(struct tn_bytes path, struct tn_memory *memory,
                                 struct tn_error *error)
{
    struct tn_bundle   bundle;
    struct tn_source  *source;
    const char *const *names;
    uint64_t           count;

    TN_TRY(
        tn_bundle_open(&bundle, memory, (const char *)path.data, NULL, error));
    if (tn_bundle_sibling(&bundle, tn_text("sub/data"), &source, error) ==
        TN_OK)
        (void)tn_bundle_list(&bundle, "", &names, &count, error);
    tn_bundle_close(&bundle);
    return error->status;
}

static void every_allocation_fails_once(void **state)
{
    struct tn_scratch scratch = set_scene();
    char             *path    = tn_scratch_path(&scratch, "m/model");

    (void)state;
    tn_survives_no_memory(use_bundle, tn_bytes(path, strlen(path) + 1));
    free(path);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings),
        cmocka_unit_test(the_main_file),
        cmocka_unit_test(in_the_working_folder),
        cmocka_unit_test(unmapped),
        cmocka_unit_test(a_pipe_as_main),
        cmocka_unit_test(signals_are_no_failure),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(from_a_source),
        cmocka_unit_test(listing),
        cmocka_unit_test(more_files_than_descriptors),
        cmocka_unit_test(every_allocation_fails_once),
    };

    return tn_run_on_every_os(tests);
}
