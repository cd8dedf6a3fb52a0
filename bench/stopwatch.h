/*
 * stopwatch.h - seconds, for C and C++
 *
 * On the clock, and on the processors: the second does not count the time in
 * which others had the machine.
 */
#ifndef TENON_BENCH_STOPWATCH_H
#define TENON_BENCH_STOPWATCH_H

#include <stdio.h>
#include <time.h>

struct stopwatch {
    double wall, cpu;
};

static inline double seconds_on(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline struct stopwatch stopwatch_start(void)
{
    struct stopwatch watch = { seconds_on(CLOCK_MONOTONIC),
                               seconds_on(CLOCK_PROCESS_CPUTIME_ID) };
    return watch;
}

/* "inner_wall=0.103201 inner_cpu=0.101322 nodes=1000000", as bench/run reads
 * it. */
static inline void stopwatch_print(struct stopwatch begin, long nodes)
{
    struct stopwatch end = stopwatch_start();

    printf("inner_wall=%.6f inner_cpu=%.6f nodes=%ld\n", end.wall - begin.wall,
           end.cpu - begin.cpu, nodes);
}

#endif
