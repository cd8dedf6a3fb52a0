/* append_test.c - a file grows, or stays as it was */
#define _GNU_SOURCE
#include "io/append.h"

#include <errno.h>

#include "support/every_os.h"
#include "support/scratch.h"

struct fixture {
    struct tn_scratch scratch;
    char             *path;
    struct tn_memory  memory;
    struct tn_error   error;
};

static void setup(struct fixture *f)
{
    f->scratch = tn_scratch_open();
    f->path    = tn_scratch_path(&f->scratch, "file");
    f->error   = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&f->memory, NULL, 0);
    tn_scratch_write(&f->scratch, "file", "0123456789");
}

static void teardown(struct fixture *f)
{
    assert_int_equal(f->memory.used, 0);
    free(f->path);
    tn_scratch_close(&f->scratch);
}

static struct tn_append *open_file(struct fixture                 *f,
                                   const struct tn_append_options *options)
{
    struct tn_append *append;

    assert_int_equal(
        tn_append_open(&append, &f->memory, f->path, options, &f->error),
        TN_OK);
    return append;
}

static enum tn_status put(struct tn_append *append, uint64_t offset,
                          const char *text, struct tn_error *error)
{
    struct tn_sink *sink;

    TN_TRY(tn_append_begin(append, offset, &sink, error));
    TN_TRY(tn_sink_write(sink, tn_text(text), error));
    TN_TRY(tn_append_sync(append, error));
    TN_TRY(tn_sink_write(sink, tn_text("!"), error));
    TN_TRY(tn_sink_patch(sink, 2, tn_text("Z"), error));
    TN_TRY(tn_append_sync(append, error));
    tn_append_commit(append);
    return TN_OK;
}

static void grows_behind_what_counts(void **state)
{
    const struct tn_append_options durable = { .is_durable = true };
    struct fixture                 f;

    (void)state;
    setup(&f);
    struct tn_append *append = open_file(&f, &durable);
    assert_int_equal(tn_append_source(append)->size, 10);
    assert_int_equal(put(append, 10, "abc", &f.error), TN_OK);
    tn_append_close(append);
    assert_true(tn_scratch_holds(&f.scratch, "file", "0123456789abZ!"));
    append = open_file(&f, NULL);
    assert_int_equal(put(append, 5, "x", &f.error), TN_OK);
    tn_append_close(append);
    assert_true(tn_scratch_holds(&f.scratch, "file", "01234Z!"));
    teardown(&f);
}

static void without_a_commit_it_stays(void **state)
{
    struct fixture  f;
    struct tn_sink *sink;

    (void)state;
    setup(&f);
    struct tn_append *append = open_file(&f, NULL);
    tn_append_close(append); /* nothing begun: nothing cut */
    append = open_file(&f, NULL);
    assert_int_equal(tn_append_begin(append, 10, &sink, &f.error), TN_OK);
    assert_int_equal(tn_sink_write(sink, tn_text("abc"), &f.error), TN_OK);
    assert_int_equal(tn_append_sync(append, &f.error), TN_OK);
    tn_append_close(append);
    assert_true(tn_scratch_holds(&f.scratch, "file", "0123456789"));
    teardown(&f);
}

static int stop(void *context, const char *doing, uint64_t done, uint64_t total)
{
    (void)context;
    (void)doing;
    (void)total;
    return done > 0;
}

/* Long enough that the meter is asked. */
static void stopped_on_request_it_stays(void **state)
{
    static const uint8_t     many[1 << 17];
    struct tn_meter          meter;
    struct tn_append_options how = { .meter = &meter };
    struct fixture           f;
    struct tn_sink          *sink;

    (void)state;
    setup(&f);
    tn_meter_init(&meter, stop, NULL, "writing", 0);
    meter.next_call          = 0; /* at once, not in a tenth of a second */
    struct tn_append *append = open_file(&f, &how);
    assert_int_equal(tn_append_begin(append, 10, &sink, &f.error), TN_OK);
    assert_int_equal(tn_sink_write(sink, tn_bytes(many, sizeof many), &f.error),
                     TN_CANCELLED);
    tn_append_close(append);
    assert_true(tn_scratch_holds(&f.scratch, "file", "0123456789"));
    teardown(&f);
}

static void begins_once_and_inside(void **state)
{
    struct tn_error error = TN_ERROR_INIT;
    struct fixture  f;
    struct tn_sink *sink;

    (void)state;
    setup(&f);
    struct tn_append *append = open_file(&f, NULL);
    assert_int_equal(tn_append_begin(append, 11, &sink, &error), TN_INVALID);
    assert_int_equal(tn_append_begin(append, 10, &sink, &f.error), TN_OK);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_append_begin(append, 10, &sink, &error), TN_INVALID);
    tn_append_close(append);
    teardown(&f);
}

static int fail_nth(void *context, const char *step, const char *path)
{
    int *left = context;

    (void)step;
    (void)path;
    return --*left == 0 ? EIO : 0;
}

static void every_step_may_fail(void **state)
{
    (void)state;
    bool is_done = false;
    for (int n = 1; !is_done; n++) {
        struct tn_error                error = TN_ERROR_INIT;
        int                            left  = n;
        const struct tn_fault_hook     hook  = { fail_nth, &left };
        const struct tn_append_options how   = { .is_durable = true,
                                                 .hook       = &hook };
        struct fixture                 f;

        setup(&f);
        struct tn_append *append = open_file(&f, &how);
        is_done                  = put(append, 10, "abc", &error) == TN_OK;
        tn_append_close(append);
        assert_true(tn_scratch_holds(
            &f.scratch, "file", is_done ? "0123456789abZ!" : "0123456789"));
        assert_true(is_done ? n > 4 : error.status == TN_IO);
        teardown(&f);
    }
}

static void one_writer_at_a_time(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct fixture    f;
    struct tn_append *second;

    (void)state;
    setup(&f);
    struct tn_append *first = open_file(&f, NULL);
    assert_int_equal(tn_append_open(&second, &f.memory, f.path, NULL, &error),
                     TN_BUSY);
    assert_null(second);
    tn_append_close(first);
    second = open_file(&f, NULL);
    tn_append_close(second);
    teardown(&f);
}

static void what_is_no_file_is_refused(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct fixture    f;
    struct tn_append *append;

    (void)state;
    setup(&f);
    assert_int_equal(
        tn_append_open(&append, &f.memory, f.scratch.path, NULL, &error),
        TN_IO);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(
        tn_append_open(&append, &f.memory, "/nowhere/x", NULL, &error), TN_IO);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_behind_what_counts),
        cmocka_unit_test(without_a_commit_it_stays),
        cmocka_unit_test(stopped_on_request_it_stays),
        cmocka_unit_test(begins_once_and_inside),
        cmocka_unit_test(every_step_may_fail),
        cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(what_is_no_file_is_refused),
    };

    return tn_run_on_every_os(tests);
}
