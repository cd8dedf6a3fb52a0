/* meter_test.c - who is told how much, how often, and how it stops */
#define _GNU_SOURCE
#include "io/meter.h"

#include <unistd.h>

#include "io/workers.h"
#include "support/hostile.h"

struct listener {
    pthread_t thread; /* the only one that may call */
    int       calls;
    int       stop_at; /* 0: never */
    uint64_t  last, total;
};

static int listen_in(void *context, const char *doing, uint64_t done,
                     uint64_t total)
{
    struct listener *listener = context;

    assert_string_equal(doing, "copying");
    assert_true(pthread_equal(listener->thread, pthread_self()));
    assert_true(done >= listener->last);
    listener->last  = done;
    listener->total = total;
    return ++listener->calls == listener->stop_at;
}

static void calls_are_rare(void **state)
{
    struct listener listener = { .thread = pthread_self() };
    struct tn_error error    = TN_ERROR_INIT;
    struct tn_meter meter;

    (void)state;
    tn_meter_init(&meter, listen_in, &listener, "copying", 100000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(tn_meter_add(&meter, 1, &error), TN_OK);
    assert_true(listener.calls <= 20); /* two seconds, if it took that long */
    assert_true(meter.done == 100000);
}

static void calls_come_with_time(void **state)
{
    struct listener listener = { .thread = pthread_self() };
    struct tn_error error    = TN_ERROR_INIT;
    struct tn_meter meter;

    (void)state;
    tn_meter_init(&meter, listen_in, &listener, "copying", 77);
    usleep(110000);
    assert_int_equal(tn_meter_add(&meter, 5, &error), TN_OK);
    assert_int_equal(listener.total, 77);
    assert_int_equal(listener.calls, 1);
    assert_int_equal(listener.last, 5);
    assert_int_equal(tn_meter_add(&meter, 5, &error), TN_OK);
    assert_int_equal(listener.calls, 1);
}

static void stop_stays_stopped(void **state)
{
    struct listener listener = { .thread = pthread_self(), .stop_at = 1 };
    struct tn_error error    = TN_ERROR_INIT;
    struct tn_meter meter;

    (void)state;
    tn_meter_init(&meter, listen_in, &listener, "copying", 0);
    usleep(110000);
    assert_int_equal(tn_meter_add(&meter, 1, &error), TN_CANCELLED);
    assert_string_equal(error.what, "stopped while copying");
    struct tn_error later = TN_ERROR_INIT;
    assert_int_equal(tn_meter_add(&meter, 1, &later), TN_CANCELLED);
    assert_int_equal(listener.calls, 1);
}

static void without_a_callback_it_counts(void **state)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_meter meter;

    (void)state;
    tn_meter_init(&meter, NULL, NULL, "copying", 0);
    assert_int_equal(tn_meter_add(&meter, UINT64_C(1) << 40, &error), TN_OK);
    assert_true(meter.done == UINT64_C(1) << 40);
}

static enum tn_status add_job(void *context, uint64_t index,
                              struct tn_error *error)
{
    (void)index;
    usleep(1000);
    return tn_meter_add(context, 3, error);
}

static void workers_add_and_stop(void **state)
{
    struct listener listener = { .thread = pthread_self() };
    struct tn_error error    = TN_ERROR_INIT;
    struct tn_meter meter;

    (void)state;
    tn_meter_init(&meter, listen_in, &listener, "copying", 0);
    assert_int_equal(tn_workers_run(4, 1000, add_job, &meter, &error), TN_OK);
    assert_true(meter.done == 3000);

    listener = (struct listener){ .thread = pthread_self(), .stop_at = 1 };
    tn_meter_init(&meter, listen_in, &listener, "copying", 0);
    assert_int_equal(tn_workers_run(4, 100000, add_job, &meter, &error),
                     TN_CANCELLED);
    assert_int_equal(listener.calls, 1);
    assert_true(meter.done < 300000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_rare),
        cmocka_unit_test(calls_come_with_time),
        cmocka_unit_test(stop_stays_stopped),
        cmocka_unit_test(without_a_callback_it_counts),
        cmocka_unit_test(workers_add_and_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
