/*
 * stopping.h - a job that is stopped before one of the steps that change the
 * disk: by an error, or by the end of its process
 *
 * Include after io/output.h, which has struct tn_fault_hook.
 */
#ifndef TN_TESTS_STOPPING_H
#define TN_TESTS_STOPPING_H

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hostile.h"

struct tn_stop {
    int  steps;   /* until everything fails                                  */
    bool is_kill; /* the process ends instead                                */
};

static inline int tn_stop_before(void *context, const char *step,
                                 const char *path)
{
    struct tn_stop *stop = context;

    (void)step;
    (void)path;
    if (stop->steps-- > 0)
        return 0;
    if (stop->is_kill)
        _exit(77);
    stop->steps = 0;
    return EIO;
}

/* True when the job was done. */
typedef bool tn_stopped_job(void *context, const struct tn_fault_hook *hook);

static inline bool tn_run_stopped(tn_stopped_job *job, void *context,
                                  struct tn_stop stop)
{
    struct tn_fault_hook hook = { tn_stop_before, &stop };
    int                  status;

    if (!stop.is_kill)
        return job(context, &hook);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(job(context, &hook) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
