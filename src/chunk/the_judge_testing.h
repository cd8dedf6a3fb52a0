/* the_judge_testing.h - one judge for all tests of a file: pass open_judge and
 * close_judge to cmocka_run_group_tests() */
#ifndef TN_CHUNK_THE_JUDGE_TESTING_H
#define TN_CHUNK_THE_JUDGE_TESTING_H

#include "chunk/chunk_judge.h"

static struct judge judge;

static int open_judge(void **state)
{
    (void)state;
    judge_open(&judge);
    return 0;
}

static int close_judge(void **state)
{
    (void)state;
    judge_close(&judge);
    return 0;
}

#endif
