/*
 * tag_crash_test.c - tags are added and removed whole, or not at all
 *
 * The writer is stopped before every step that changes the disk, by an error
 * and by the end of its process, and is killed at any time; several write at
 * once.  What opens is the old state or the new one, with the arrays of every
 * older tag as they were.
 */
#define _GNU_SOURCE
#include "format/samediff/tagged_testing.h"

#include <signal.h>
#include <time.h>

#include "support/stopping.h"

typedef enum tn_status change(struct tagged_fixture   *f,
                              const struct tn_tag_how *how,
                              struct tn_error         *error);

static enum tn_status add_model(struct tagged_fixture   *f,
                                const struct tn_tag_how *how, const char *tag,
                                const char *path, struct tn_error *error)
{
    struct tn_tag_summary summary = { 0 };
    struct tn_model      *model;

    TN_TRY(tn_model_open(&model, path, NULL, error));
    tn_tagged_add(&f->memory, f->path, tn_text(tag), model,
                  tn_model_dialect(model)[0] == '\0', how, &summary, error);
    tn_model_close(model);
    return error->status;
}

static enum tn_status add_whole(struct tagged_fixture   *f,
                                const struct tn_tag_how *how,
                                struct tn_error         *error)
{
    return add_model(f, how, "c", f->dense, error);
}

static enum tn_status replace_shared(struct tagged_fixture   *f,
                                     const struct tn_tag_how *how,
                                     struct tn_error         *error)
{
    struct tn_tag_how force = *how;

    force.can_replace = true;
    return add_model(f, &force, "A", f->other, error);
}

static enum tn_status remove_shared(struct tagged_fixture   *f,
                                    const struct tn_tag_how *how,
                                    struct tn_error         *error)
{
    struct tn_tag_summary summary = { 0 };

    return tn_tagged_remove(&f->memory, f->path, tn_text("a"), how, &summary,
                            error);
}

static enum tn_status compact(struct tagged_fixture   *f,
                              const struct tn_tag_how *how,
                              struct tn_error         *error)
{
    struct tn_tag_summary summary = { 0 };

    return tn_tagged_compact(&f->memory, f->path, how, &summary, error);
}

/* ---- stopped ------------------------------------------------------------ */

static struct tn_tag_how how_with(const struct tn_fault_hook *hook)
{
    static uint64_t                      moved;
    static const struct tn_write_options write = { .tensors_moved = &moved };

    return (struct tn_tag_how){
        .append = { .is_durable = true, .hook = hook },
        .write  = &write,
    };
}

struct stopped {
    struct tagged_fixture *f;
    change                *make;
};

static bool make_stopped(void *context, const struct tn_fault_hook *hook)
{
    struct stopped   *s     = context;
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_tag_how how   = how_with(hook);

    return s->make(s->f, &how, &error) == TN_OK;
}

static int stop_everywhere(struct tagged_fixture *f, change *make, bool is_kill)
{
    static struct tagged_text before, after, now;
    struct tn_bytes           bytes = tn_load_file(f->path);
    struct tn_tag_how         how   = how_with(NULL);
    int                       step  = 0;

    tagged_describe(f->path, &before);
    tagged_must(f, make(f, &how, &f->error));
    tagged_describe(f->path, &after);
    for (bool is_done = false; !is_done; step++) {
        tagged_put(f->path, bytes);
        is_done = tn_run_stopped(make_stopped, &(struct stopped){ f, make },
                                 (struct tn_stop){ step, is_kill });
        tagged_describe(f->path, &now);
        if (strcmp(now.data, after.data) != 0)
            assert_string_equal(now.data, before.data);
        assert_true(!is_done || strcmp(now.data, after.data) == 0);
    }
    tagged_put(f->path, bytes);
    free((void *)(uintptr_t)bytes.data);
    return step;
}

/* A model of many arrays, one of which is longer than any window that bytes
 * go through. */
enum { WIDE = 12, SHORT = 64, LONG = 700 << 10 };

static void put_array(FILE *to, int index)
{
    int size = index == WIDE / 2 ? LONG : SHORT;

    fprintf(to,
            "{\"id\": {\"first\": %d}, \"name\": \"w%d\", \"dtype\": "
            "\"FLOAT\", \"ndarray\": {\"dtype\": \"FLOAT\", \"shape\": "
            "[1, %d, 1, 8192, 1, 99], \"buffer\": [%d",
            index + 1, index, size / 4, index);
    for (int i = 1; i < size; i++)
        fprintf(to, ",%d", i * (index + 3) % 97);
    fputs("]}},\n", to);
}

/* `other` with other elements everywhere, as fresh.safetensors. */
static void make_fresh(struct tagged_fixture *f)
{
    struct tn_bytes bytes = tn_load_file(f->other);
    uint8_t        *data  = (uint8_t *)(uintptr_t)bytes.data;

    for (size_t i = 8 + (size_t)tn_load64(data); i < bytes.size; i++)
        data[i] ^= 0x2a;
    tn_scratch_put(&f->scratch, "fresh.safetensors", bytes);
    free(data);
}

static enum tn_status add_fresh(struct tagged_fixture   *f,
                                const struct tn_tag_how *how,
                                struct tn_error         *error)
{
    char *path = tn_scratch_path(&f->scratch, "fresh.safetensors");

    add_model(f, how, "c", path, error);
    free(path);
    return error->status;
}

static void setup_wide(struct tagged_fixture *f)
{
    tagged_begin_setup(f);
    char *json = tn_scratch_path(&f->scratch, "wide.json");
    FILE *to   = fopen(json, "w");
    assert_non_null(to);
    fputs("{\"variables\": [\n", to);
    for (int i = 0; i < WIDE; i++)
        put_array(to, i);
    fputs("{\"id\": {\"first\": 99}, \"name\": \"x\", \"variabletype\": "
          "\"PLACEHOLDER\"}], \"placeholders\": [\"x\"]}",
          to);
    assert_int_equal(fclose(to), 0);
    tagged_finish_setup(f, json);
    free(json);
    make_fresh(f);
}

static void wide_changes_stop_anywhere(void **state)
{
    static change *const changes[] = { add_fresh, replace_shared, remove_shared,
                                       compact };
    struct tagged_fixture f;

    (void)state;
    setup_wide(&f);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        int errors = stop_everywhere(&f, changes[i], false);
        int kills  = stop_everywhere(&f, changes[i], true);
        print_message("stopped at %d steps, killed at %d\n", errors, kills);
        assert_true(errors > 3 && kills > 3);
    }
    tagged_teardown(&f);
}

static void stops_anywhere(change *make)
{
    struct tagged_fixture f;

    tagged_setup(&f);
    int errors = stop_everywhere(&f, make, false);
    int kills  = stop_everywhere(&f, make, true);
    print_message("stopped at %d steps, killed at %d\n", errors, kills);
    assert_true(errors > 3 && kills > 3);
    tagged_teardown(&f);
}

static void adding_stops_anywhere(void **state)
{
    (void)state;
    stops_anywhere(add_whole);
}

static void replacing_stops_anywhere(void **state)
{
    (void)state;
    stops_anywhere(replace_shared);
}

static void removing_stops_anywhere(void **state)
{
    (void)state;
    stops_anywhere(remove_shared);
}

static void compacting_stops_anywhere(void **state)
{
    (void)state;
    stops_anywhere(compact);
}

/* ---- killed ------------------------------------------------------------- */

static void churn(struct tagged_fixture *f)
{
    struct tn_tag_how how = how_with(NULL);
    char              tag[16];

    for (int i = 0;; i++) {
        struct tn_error error = TN_ERROR_INIT;
        snprintf(tag, sizeof tag, "s%d-%d", (int)getpid(), i);
        add_model(f, &how, tag, i % 2 ? f->dense : f->other, &error);
        if (i % 5 == 4)
            compact(f, &how, &error);
    }
}

/* The first tags are as they were; all that are listed can be read. */
static void expect_whole(struct tagged_fixture    *f,
                         const struct tagged_text *before)
{
    static struct tagged_text now;
    struct tn_check_summary   summary;
    struct tn_check_options   check = { 0 };

    tagged_describe(f->path, &now);
    assert_memory_equal(now.data, before->data, before->size);
    tagged_must(
        f, tn_check(f->path, NULL, &check, NULL, NULL, &summary, &f->error));
    assert_int_equal(summary.errors, 0);
}

static void a_killed_writer_leaves_whole_tags(void **state)
{
    static struct tagged_text before;
    struct tagged_fixture     f;
    struct tn_bytes           bytes;

    (void)state;
    tagged_setup(&f);
    tagged_describe(f.path, &before);
    bytes = tn_load_file(f.path);
    for (int round = 0; round < 25; round++) {
        struct timespec pause = { 0, (round * 37 % 60 + 1) * 1000000L };
        int             status;
        pid_t           child;
        tagged_put(f.path, bytes);
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            churn(&f);
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        expect_whole(&f, &before);
    }
    free((void *)(uintptr_t)bytes.data);
    tagged_teardown(&f);
}

/* ---- several at once ---------------------------------------------------- */

static void add_some(struct tagged_fixture *f, char letter)
{
    struct tn_tag_how how = how_with(NULL);

    how.append.can_wait = true;
    for (int i = 0; i < 4; i++) {
        struct tn_error error  = TN_ERROR_INIT;
        char            tag[8] = { letter, (char)('0' + i), '\0' };
        if (add_model(f, &how, tag, f->other, &error) != TN_OK ||
            (i == 1 && compact(f, &how, &error) != TN_OK))
            _exit(1);
    }
    _exit(0);
}

static void several_writers_lose_nothing(void **state)
{
    static struct tagged_text now;
    struct tagged_fixture     f;
    pid_t                     children[3];

    (void)state;
    tagged_setup(&f);
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            add_some(&f, (char)('x' + i));
    }
    for (int i = 0; i < 3; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    tagged_describe(f.path, &now);
    for (int i = 0; i < 12; i++) {
        char tag[8] = { '\n', (char)('x' + i / 4), (char)('0' + i % 4), '\n' };
        assert_non_null(strstr(now.data, tag));
    }
    tagged_teardown(&f);
}

static void a_second_writer_is_refused(void **state)
{
    struct tagged_fixture f;
    struct tn_append     *held;
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_tag_how     how   = how_with(NULL);

    (void)state;
    tagged_setup(&f);
    tagged_must(&f, tn_append_open(&held, &f.memory, f.path, NULL, &f.error));
    assert_int_equal(add_whole(&f, &how, &error), TN_BUSY);
    tn_append_close(held);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(add_whole(&f, &how, &error), TN_OK);
    tagged_teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding_stops_anywhere),
        cmocka_unit_test(replacing_stops_anywhere),
        cmocka_unit_test(removing_stops_anywhere),
        cmocka_unit_test(compacting_stops_anywhere),
        cmocka_unit_test(wide_changes_stop_anywhere),
        cmocka_unit_test(a_killed_writer_leaves_whole_tags),
        cmocka_unit_test(several_writers_lose_nothing),
        cmocka_unit_test(a_second_writer_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
