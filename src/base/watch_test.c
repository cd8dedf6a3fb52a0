/* watch_test.c - who is asked, and who stops */
#include "base/watch.h"

#include "base/block_cache.h"
#include "support/hostile.h"

struct asked {
    pthread_t thread;
    int       times;
    int       stop_at; /* 0: never */
};

static bool ask(void *context)
{
    struct asked *asked = context;

    assert_true(pthread_equal(asked->thread, pthread_self()));
    return ++asked->times == asked->stop_at;
}

static enum tn_status poll_now(struct tn_memory *memory)
{
    struct tn_error error = TN_ERROR_INIT;

    return tn_watch_poll(memory, &error);
}

static void a_watch_is_asked_until_it_says_stop(void **state)
{
    struct asked     asked = { pthread_self(), 0, 3 };
    struct tn_memory memory;
    struct tn_watch  watch;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(poll_now(&memory), TN_OK);
    tn_watch_begin(&watch, &memory, ask, &asked);
    assert_int_equal(poll_now(&memory), TN_OK);
    assert_int_equal(poll_now(&memory), TN_OK);
    assert_int_equal(poll_now(&memory), TN_CANCELLED);
    assert_int_equal(poll_now(&memory), TN_CANCELLED);
    assert_int_equal(asked.times, 3);
    tn_watch_end(&watch);
    assert_int_equal(poll_now(&memory), TN_OK);
}

static void what_was_said_is_recalled_without_asking(void **state)
{
    struct asked     asked = { pthread_self(), 0, 2 };
    struct tn_memory memory;
    struct tn_watch  watch, inner;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(tn_watch_recall(&memory, &error), TN_OK);
    tn_watch_begin(&watch, &memory, ask, &asked);
    assert_int_equal(poll_now(&memory), TN_OK);
    assert_int_equal(tn_watch_recall(&memory, &error), TN_OK);
    assert_int_equal(poll_now(&memory), TN_CANCELLED);
    assert_int_equal(tn_watch_recall(&memory, &error), TN_CANCELLED);
    tn_watch_begin(&inner, &memory, ask, &asked);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_watch_recall(&memory, &error), TN_CANCELLED);
    assert_int_equal(poll_now(&memory), TN_CANCELLED);
    assert_int_equal(asked.times, 2);
    tn_watch_end(&inner);
    tn_watch_pause(&inner, &memory);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(poll_now(&memory), TN_OK);
    assert_int_equal(tn_watch_recall(&memory, &error), TN_OK);
    tn_watch_end(&inner);
    assert_int_equal(poll_now(&memory), TN_CANCELLED);
    assert_int_equal(asked.times, 2);
    tn_watch_end(&watch);
}

static void a_cache_belongs_to_the_call_that_pays(void **state)
{
    struct asked          asked = { pthread_self(), 0, 1 };
    struct tn_memory      memory;
    struct tn_block_cache outer, inner;
    struct tn_watch       watch;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_block_cache_init(&outer, &memory, 1000);
    tn_block_cache_init(&inner, &outer.memory, 1000);
    tn_watch_begin(&watch, &memory, ask, &asked);
    assert_int_equal(poll_now(&inner.memory), TN_CANCELLED);
    tn_watch_end(&watch);
    tn_block_cache_done(&inner);
    tn_block_cache_done(&outer);
}

static void *poll_elsewhere(void *memory)
{
    return poll_now(memory) == TN_CANCELLED ? memory : NULL;
}

static bool a_worker_stops(struct tn_memory *memory)
{
    pthread_t thread;
    void     *answer;

    assert_int_equal(pthread_create(&thread, NULL, poll_elsewhere, memory), 0);
    assert_int_equal(pthread_join(thread, &answer), 0);
    return answer;
}

/* Another call: its own thread, its own watch on the same memory. */
struct other {
    struct tn_memory *memory;
    struct asked      asked;
    pthread_barrier_t meet;
};

static void *call_elsewhere(void *context)
{
    struct other   *other = context;
    struct tn_watch watch;

    other->asked.thread = pthread_self();
    tn_watch_begin(&watch, other->memory, ask, &other->asked);
    pthread_barrier_wait(&other->meet); /* both are there          */
    pthread_barrier_wait(&other->meet); /* the first was stopped   */
    assert_int_equal(poll_now(other->memory), TN_OK);
    assert_int_equal(poll_now(other->memory), TN_CANCELLED);
    pthread_barrier_wait(&other->meet);
    pthread_barrier_wait(&other->meet); /* the worker was looked at */
    tn_watch_end(&watch);
    return NULL;
}

static void calls_stop_themselves_and_workers_follow(void **state)
{
    struct asked     asked = { pthread_self(), 0, 1 };
    struct tn_memory memory;
    struct tn_watch  watch, second;
    struct other     other = { .memory = &memory, .asked.stop_at = 2 };
    pthread_t        thread;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    pthread_barrier_init(&other.meet, NULL, 2);
    tn_watch_begin(&watch, &memory, ask, &asked);
    tn_watch_begin(&second, &memory, ask, &asked);
    assert_false(a_worker_stops(&memory));
    assert_int_equal(pthread_create(&thread, NULL, call_elsewhere, &other), 0);
    pthread_barrier_wait(&other.meet);
    assert_int_equal(poll_now(&memory), TN_CANCELLED);
    assert_false(a_worker_stops(&memory)); /* it might be the other's */
    pthread_barrier_wait(&other.meet);
    pthread_barrier_wait(&other.meet);
    assert_true(a_worker_stops(&memory));
    pthread_barrier_wait(&other.meet);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(a_worker_stops(&memory));
    tn_watch_end(&watch); /* not the newest */
    tn_watch_end(&second);
    assert_false(a_worker_stops(&memory));
    pthread_barrier_destroy(&other.meet);
}

static void who_waits_for_others_asks_for_them(void **state)
{
    struct asked     asked     = { pthread_self(), 0, 2 };
    pthread_mutex_t  mutex     = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t   condition = PTHREAD_COND_INITIALIZER;
    struct tn_memory memory;
    struct tn_watch  watch;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_watch_begin(&watch, &memory, ask, &asked);
    pthread_mutex_lock(&mutex);
    while (!a_worker_stops(&memory))
        tn_watch_wait(&memory, &condition, &mutex);
    pthread_mutex_unlock(&mutex);
    assert_int_equal(asked.times, 2);
    tn_watch_end(&watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_watch_is_asked_until_it_says_stop),
        cmocka_unit_test(what_was_said_is_recalled_without_asking),
        cmocka_unit_test(a_cache_belongs_to_the_call_that_pays),
        cmocka_unit_test(calls_stop_themselves_and_workers_follow),
        cmocka_unit_test(who_waits_for_others_asks_for_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
