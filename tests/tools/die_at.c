/*
 * die_at.c - a command that is killed before one of its steps
 *
 *   die_at STEP COMMAND...
 *
 * A step is a system call that changes the disk: something is created, written,
 * cut, renamed, linked or removed.  The process is killed when it is about to
 * take step number STEP (0 is the first).  Exit 77: it was; else the exit code
 * of the command, which took fewer steps.  78: processes cannot be traced here.
 *
 * Writes to standard output and error are no steps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

enum { KILLED = 77, NO_TRACING = 78 };

/* ---- what is a step ----------------------------------------------------- */

/* Those whose first argument is the file that is written. */
static bool is_writing(uint64_t number)
{
    static const long calls[] = { SYS_write,     SYS_pwrite64, SYS_writev,
                                  SYS_pwritev,   SYS_pwritev2, SYS_ftruncate,
                                  SYS_fallocate, SYS_sendfile };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (number == (uint64_t)calls[i])
            return true;
    return false;
}

/* Those that change the disk whatever their arguments are.  Old calls are not
 * there on every machine. */
static bool is_changing(uint64_t number)
{
    static const long calls[] = {
        SYS_copy_file_range, SYS_renameat2, SYS_linkat,
        SYS_symlinkat,       SYS_unlinkat,  SYS_mkdirat,
        SYS_truncate,
#ifdef SYS_rename
        SYS_rename,          SYS_unlink,    SYS_mkdir,
        SYS_rmdir,           SYS_link,      SYS_symlink,
        SYS_creat,
#endif
#ifdef SYS_renameat
        SYS_renameat,
#endif
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (number == (uint64_t)calls[i])
            return true;
    return false;
}

/* How a file is opened; openat2() says so in a structure, flags first. */
static uint64_t flags_of(pid_t thread, uint64_t number, const uint64_t *args)
{
#ifdef SYS_open
    if (number == SYS_open)
        return args[1];
#endif
    if (number == SYS_openat)
        return args[2];
    if (number != SYS_openat2)
        return 0;
    errno      = 0;
    long flags = ptrace(PTRACE_PEEKDATA, thread, args[2], NULL);
    return errno ? 0 : (uint64_t)flags;
}

static bool is_step(pid_t thread, const struct ptrace_syscall_info *call)
{
    uint64_t args[6];

    for (int i = 0; i < 6; i++)
        args[i] = call->entry.args[i];
    if (is_writing(call->entry.nr))
        return args[0] > STDERR_FILENO;
    return is_changing(call->entry.nr) ||
           (flags_of(thread, call->entry.nr, args) & (O_CREAT | O_TRUNC));
}

/* ---- watching ----------------------------------------------------------- */

static bool begins_step(pid_t thread)
{
    struct ptrace_syscall_info call;

    return ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof call, &call) > 0 &&
           call.op == PTRACE_SYSCALL_INFO_ENTRY && is_step(thread, &call);
}

/* What a stopped thread is to be given: signals of its own go through. */
static int signal_for(int status)
{
    int signal = WSTOPSIG(status);

    return signal == (SIGTRAP | 0x80) || signal == SIGTRAP || signal == SIGSTOP
               ? 0
               : signal;
}

/* The command and its threads run from one call to the next. */
static int watch(pid_t command, long steps)
{
    int   status;
    pid_t thread;

    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        if (thread == command && WIFEXITED(status))
            return WEXITSTATUS(status);
        if (thread == command && WIFSIGNALED(status))
            return 128 + WTERMSIG(status);
        if (!WIFSTOPPED(status))
            continue;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) && begins_step(thread) &&
            steps-- == 0) {
            kill(command, SIGKILL);
            while (waitpid(-1, &status, __WALL) > 0)
                continue;
            return KILLED;
        }
        ptrace(PTRACE_SYSCALL, thread, NULL, (long)signal_for(status));
    }
    return 1;
}

static int run(long steps, char **argv)
{
    int   status;
    pid_t command = fork();

    if (command == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(NO_TRACING);
        raise(SIGSTOP);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (command < 0 || waitpid(command, &status, 0) != command)
        return 1;
    if (!WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, command, NULL,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
                   PTRACE_O_EXITKILL) != 0)
        return NO_TRACING;
    ptrace(PTRACE_SYSCALL, command, NULL, NULL);
    return watch(command, steps);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: die_at STEP COMMAND...\n");
        return 2;
    }
    return run(strtol(argv[1], NULL, 10), argv + 2);
}
