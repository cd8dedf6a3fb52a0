/* workers_test.c - every job once, and the same error every time */
#define _GNU_SOURCE
#include "io/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/hostile.h"

#define COUNT 500

static pthread_t main_thread;

struct tally {
    _Atomic int runs[COUNT];
    uint64_t    first_bad; /* this one fails late, all after it at once */
};

static enum tn_status count_job(void *context, uint64_t index,
                                struct tn_error *error)
{
    struct tally *tally = context;

    atomic_fetch_add(&tally->runs[index], 1);
    if (index < tally->first_bad)
        return TN_OK;
    if (index == tally->first_bad)
        usleep(2000); /* the others get ahead */
    return tn_error_set(error, TN_MALFORMED, index, "job %d", (int)index);
}

static void every_job_runs_once(void **state)
{
    static const unsigned workers[] = { 0, 1, 2, 7, 1000 };

    (void)state;
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
        struct tally    tally = { .first_bad = COUNT };
        struct tn_error error = TN_ERROR_INIT;
        assert_int_equal(
            tn_workers_run(workers[i], COUNT, count_job, &tally, &error),
            TN_OK);
        for (int job = 0; job < COUNT; job++)
            assert_int_equal(tally.runs[job], 1);
    }
}

static void the_lowest_failure_is_reported(void **state)
{
    static const uint64_t bad[] = { 0, 1, 250, COUNT - 2, COUNT - 1 };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (unsigned workers = 1; workers < 9; workers++) {
            struct tally    tally = { .first_bad = bad[i] };
            struct tn_error error = TN_ERROR_INIT;
            assert_int_equal(
                tn_workers_run(workers, COUNT, count_job, &tally, &error),
                TN_MALFORMED);
            assert_int_equal(error.offset, bad[i]);
            for (uint64_t job = 0; job <= bad[i]; job++)
                assert_int_equal(tally.runs[job], 1);
            int begun = 0;
            for (int job = 0; job < COUNT; job++)
                begun += tally.runs[job];
            assert_true((uint64_t)begun <= bad[i] + 1 + workers);
        }
}

static void no_jobs_and_old_failures(void **state)
{
    struct tally    tally = { .first_bad = COUNT };
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(tn_workers_run(4, 0, count_job, &tally, &error), TN_OK);
    (void)tn_error_set(&error, TN_LIMIT, 0, "before");
    assert_int_equal(tn_workers_run(4, 9, count_job, &tally, &error), TN_LIMIT);
    assert_int_equal(tally.runs[0], 0);
}

/* ---- the caller looks around while others work -------------------------- */

struct watched {
    _Atomic int looks;
    _Atomic int is_told;
};

/* The second job goes on until somebody tells it to stop. */
static enum tn_status stubborn_job(void *context, uint64_t index,
                                   struct tn_error *error)
{
    struct watched *watched = context;

    (void)error;
    if (pthread_equal(pthread_self(), main_thread))
        return TN_OK;
    (void)index;
    while (!atomic_load(&watched->is_told))
        usleep(1000);
    return TN_OK;
}

static void look(void *context)
{
    struct watched *watched = context;

    if (atomic_fetch_add(&watched->looks, 1) == 1)
        atomic_store(&watched->is_told, 1);
}

static void the_caller_is_not_deaf(void **state)
{
    struct watched  watched = { 0 };
    struct tn_error error   = TN_ERROR_INIT;

    (void)state;
    main_thread = pthread_self();
    assert_int_equal(
        tn_workers_run_watched(2, 1000, stubborn_job, look, &watched, &error),
        TN_OK);
    if (watched.is_told) /* a second thread could be had, and got a job */
        assert_true(watched.looks >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_runs_once),
        cmocka_unit_test(the_caller_is_not_deaf),
        cmocka_unit_test(the_lowest_failure_is_reported),
        cmocka_unit_test(no_jobs_and_old_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
