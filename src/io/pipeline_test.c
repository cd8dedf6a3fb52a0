/* pipeline_test.c - every job once, taken back in order, by any crew */
#define _GNU_SOURCE
#include "io/pipeline.h"

#include <stdatomic.h>
#include <unistd.h>

#include "support/hostile.h"

#define ROOM  5
#define COUNT 300

struct ring {
    struct tn_pipeline pipeline;
    uint64_t           input[ROOM], output[ROOM];
    _Atomic int        runs;
};

static void square(void *context, uint32_t slot)
{
    struct ring *ring = context;

    if (ring->input[slot] % 7 == 0)
        usleep(200); /* the others get ahead */
    ring->output[slot] = ring->input[slot] * ring->input[slot];
    atomic_fetch_add(&ring->runs, 1);
}

static void take_one(struct ring *ring, uint64_t *expected)
{
    uint32_t slot = tn_pipeline_take(&ring->pipeline);

    assert_int_equal(ring->output[slot], *expected * *expected);
    ++*expected;
}

static void jobs_come_back_in_order(void **state)
{
    (void)state;
    for (unsigned workers = 0; workers < 10; workers++) {
        struct ring ring  = { .runs = 0 };
        uint64_t    taken = 0;
        tn_pipeline_open(&ring.pipeline, workers, ROOM, square, &ring);
        for (uint64_t i = 0; i < COUNT; i++) {
            while (tn_pipeline_is_full(&ring.pipeline) ||
                   tn_pipeline_is_ready(&ring.pipeline))
                take_one(&ring, &taken);
            ring.input[tn_pipeline_next(&ring.pipeline)] = i;
            tn_pipeline_add(&ring.pipeline);
        }
        while (tn_pipeline_count(&ring.pipeline))
            take_one(&ring, &taken);
        assert_int_equal(taken, COUNT);
        assert_int_equal(ring.runs, COUNT);
        tn_pipeline_close(&ring.pipeline);
    }
}

/* Puts in and takes out as many as there is room for. */
static void take_all(struct ring *ring)
{
    uint64_t taken = 0;

    for (uint64_t i = 0; i < COUNT; i++) {
        while (tn_pipeline_is_full(&ring->pipeline))
            take_one(ring, &taken);
        ring->input[tn_pipeline_next(&ring->pipeline)] = i;
        tn_pipeline_add(&ring->pipeline);
    }
    while (tn_pipeline_count(&ring->pipeline))
        take_one(ring, &taken);
}

/* Slots are ended once, in order, one at a time, before they are taken. */
struct ending {
    struct ring ring; /* first */
    _Atomic int busy;
    uint64_t    ended;
};

static void end_one(void *context, uint32_t slot)
{
    struct ending *ending = context;

    assert_int_equal(atomic_fetch_add(&ending->busy, 1), 0);
    uint64_t number = ending->ended++;
    assert_int_equal(ending->ring.output[slot], number * number);
    if (number % 11 == 0)
        usleep(200);
    atomic_fetch_sub(&ending->busy, 1);
}

static void jobs_are_ended_in_order(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers < 6; workers++) {
        struct ending ending = { .ended = 0 };
        struct ring  *ring   = &ending.ring;
        tn_pipeline_open(&ring->pipeline, workers, ROOM, square, &ending);
        tn_pipeline_ends_by(&ring->pipeline, end_one);
        take_all(ring);
        assert_int_equal(ending.ended, COUNT);
        tn_pipeline_close(&ring->pipeline);
    }
}

/* Each job leaves something behind. */
struct leaving {
    struct ring ring; /* first */
    _Atomic int left, cleared;
};

static void square_and_leave(void *context, uint32_t slot)
{
    struct leaving *leaving = context;

    square(context, slot);
    atomic_fetch_add(&leaving->left, 1);
}

static bool clear_one(void *context)
{
    struct leaving *leaving = context;
    int             left    = leaving->left;

    while (left > 0)
        if (atomic_compare_exchange_weak(&leaving->left, &left, left - 1)) {
            atomic_fetch_add(&leaving->cleared, 1);
            return true;
        }
    return false;
}

static void what_can_wait_is_done_at_last(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers < 6; workers++) {
        struct leaving leaving = { .left = 0 };
        struct ring   *ring    = &leaving.ring;
        tn_pipeline_open(&ring->pipeline, workers, ROOM, square_and_leave,
                         &leaving);
        tn_pipeline_spares_by(&ring->pipeline, clear_one);
        take_all(ring);
        tn_pipeline_close(&ring->pipeline);
        assert_int_equal(leaving.left, 0);
        assert_int_equal(leaving.cleared, COUNT);
    }
}

/* While one job takes its time, nobody waits for it with something to do. */
static void slow_fourth(void *context, uint32_t slot)
{
    struct leaving *leaving = context;

    if (slot == 3)
        for (int i = 0; i < 5000 && leaving->cleared < 3; i++)
            usleep(1000);
    atomic_fetch_add(&leaving->left, 1);
}

static void what_can_wait_is_done_meanwhile(void **state)
{
    struct leaving leaving = { .left = 0 };
    struct ring   *ring    = &leaving.ring;

    (void)state;
    tn_pipeline_open(&ring->pipeline, 2, ROOM, slow_fourth, &leaving);
    tn_pipeline_spares_by(&ring->pipeline, clear_one);
    for (int i = 0; i < 4; i++)
        tn_pipeline_add(&ring->pipeline);
    while (tn_pipeline_count(&ring->pipeline))
        (void)tn_pipeline_take(&ring->pipeline);
    if (tn_pipeline_is_shared(&ring->pipeline))
        assert_true(leaving.cleared >= 3);
    tn_pipeline_close(&ring->pipeline);
    assert_int_equal(leaving.cleared, 4);
}

static void one_worker_is_the_caller(void **state)
{
    struct ring ring = { .runs = 0 };

    (void)state;
    tn_pipeline_open(&ring.pipeline, 1, ROOM, square, &ring);
    for (uint64_t i = 0; i < 3; i++)
        tn_pipeline_add(&ring.pipeline);
    assert_int_equal(ring.runs, 0); /* nobody else is there to do it */
    assert_false(tn_pipeline_is_ready(&ring.pipeline));
    assert_int_equal(tn_pipeline_take(&ring.pipeline), 0);
    assert_int_equal(ring.runs, 1);
    assert_int_equal(tn_pipeline_count(&ring.pipeline), 2);
    tn_pipeline_close(&ring.pipeline);
    assert_int_equal(ring.runs, 1); /* the others are forgotten */
}

static void closing_waits_for_what_was_begun(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct ring ring = { .runs = 0 };
        tn_pipeline_open(&ring.pipeline, 3, ROOM, square, &ring);
        for (int k = 0; k < ROOM; k++)
            tn_pipeline_add(&ring.pipeline);
        tn_pipeline_close(&ring.pipeline);
        assert_true(ring.runs <= ROOM);
        tn_pipeline_close(&ring.pipeline); /* again is fine */
    }
}

/* A job that cannot stand company. */
struct shy {
    struct tn_pipeline pipeline;
    _Atomic int        inside, runs;
    bool               failed[ROOM];
};

static void want_to_be_alone(void *context, uint32_t slot)
{
    struct shy *shy = context;

    shy->failed[slot] = atomic_fetch_add(&shy->inside, 1) > 0;
    usleep(300);
    atomic_fetch_sub(&shy->inside, 1);
    atomic_fetch_add(&shy->runs, 1);
}

static void what_lacked_room_is_done_again_alone(void **state)
{
    struct shy shy   = { .inside = 0 };
    int        added = 0, repeats = 0;

    (void)state;
    tn_pipeline_open(&shy.pipeline, 4, ROOM, want_to_be_alone, &shy);
    for (int i = 0; i < COUNT; i++) {
        for (; added < COUNT && !tn_pipeline_is_full(&shy.pipeline); added++)
            tn_pipeline_add(&shy.pipeline);
        uint32_t slot = tn_pipeline_take(&shy.pipeline);
        if (!shy.failed[slot])
            continue;
        tn_pipeline_again(&shy.pipeline, slot);
        assert_false(shy.failed[slot]);
        repeats++;
    }
    assert_true(tn_pipeline_is_shared(&shy.pipeline));
    assert_int_equal(tn_pipeline_count(&shy.pipeline), 0);
    assert_int_equal(shy.runs, COUNT + repeats);
    tn_pipeline_close(&shy.pipeline);
}

static void no_more_than_the_budget_affords(void **state)
{
    static const struct {
        uint64_t limit, used, each;
        unsigned workers, affords;
    } rows[] = {
        { 0, 0, 32 << 20, 4, 4 },        { 64 << 20, 0, 32 << 20, 4, 2 },
        { 64 << 20, 1, 32 << 20, 4, 1 }, { 1 << 20, 0, 32 << 20, 4, 1 },
        { 1 << 20, 2 << 20, 1, 4, 1 },   { 64 << 20, 0, 1 << 20, 4, 4 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_memory budget;
        tn_memory_init(&budget, NULL, rows[i].limit);
        budget.used = rows[i].used;
        assert_int_equal(
            tn_pipeline_affords(rows[i].workers, rows[i].each, &budget),
            rows[i].affords);
    }
}

static void note_begin(void *context, uint32_t slot)
{
    if (slot == 0)
        atomic_store((_Atomic int *)context, 1);
}

/* The first job is begun by then, where there are threads. */
static void a_long_job_can_be_begun_first(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers < 4; workers++) {
        struct tn_pipeline pipeline;
        _Atomic int        runs = 0;
        tn_pipeline_open(&pipeline, workers, 2, note_begin, &runs);
        tn_pipeline_await_begin(&pipeline); /* there is none yet */
        tn_pipeline_add(&pipeline);
        tn_pipeline_add(&pipeline);
        tn_pipeline_await_begin(&pipeline);
        assert_true(pipeline.started == 0 || pipeline.begun > 0);
        while (tn_pipeline_count(&pipeline))
            tn_pipeline_take(&pipeline);
        tn_pipeline_close(&pipeline);
        assert_int_equal(runs, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_the_budget_affords),
        cmocka_unit_test(jobs_come_back_in_order),
        cmocka_unit_test(jobs_are_ended_in_order),
        cmocka_unit_test(what_can_wait_is_done_at_last),
        cmocka_unit_test(what_can_wait_is_done_meanwhile),
        cmocka_unit_test(one_worker_is_the_caller),
        cmocka_unit_test(closing_waits_for_what_was_begun),
        cmocka_unit_test(what_lacked_room_is_done_again_alone),
        cmocka_unit_test(a_long_job_can_be_begun_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
