/*
 * measure.c - how long a command takes, and how much memory of its own
 *
 *   measure [--memory] [--out FILE] COMMAND [ARGUMENT...]
 *
 * Prints, behind what the command printed, the seconds from its start to its
 * end on the clock and on the processors:
 *     wall=0.103201 cpu=0.101000 anon=0
 * With --memory also the most anonymous memory it had at a time, in bytes.
 * That takes a look at /proc every few tens of microseconds, which would spoil
 * the time; so measure one or the other.  Mapped files do not count, which is
 * why ru_maxrss is of no use here.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stopwatch.h"

static uint64_t anonymous_memory(pid_t child)
{
    char     path[64], line[256];
    uint64_t kilobytes = 0;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %" SCNu64, &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return kilobytes * 1024;
}

static pid_t start(char **command, const char *out)
{
    pid_t child = vfork();

    if (child != 0)
        return child;
    int to = out ? open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (!out || (to >= 0 && dup2(to, STDOUT_FILENO) >= 0))
        execvp(command[0], command);
    _exit(127);
}

static int wait_for(pid_t child, bool wants_memory, struct rusage *usage,
                    uint64_t *memory)
{
    int status;

    *memory = 0;
    while (wants_memory && wait4(child, &status, WNOHANG, usage) == 0) {
        uint64_t now = anonymous_memory(child);
        *memory      = now > *memory ? now : *memory;
    }
    if (!wants_memory && wait4(child, &status, 0, usage) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    bool        wants_memory = false;
    const char *out          = NULL;
    int         first        = 1;

    if (first < argc && strcmp(argv[first], "--memory") == 0)
        wants_memory = true, first++;
    if (first + 1 < argc && strcmp(argv[first], "--out") == 0)
        out = argv[first + 1], first += 2;
    if (first >= argc) {
        fprintf(stderr, "usage: measure [--memory] [--out FILE] COMMAND...\n");
        return 2;
    }
    if (wants_memory)
        setenv("MEASURE_MEMORY", "1", 1);
    struct rusage usage;
    uint64_t      memory;
    double        begin = seconds_on(CLOCK_MONOTONIC);
    pid_t         child = start(argv + first, out);
    int           status =
        child < 0 ? -1 : wait_for(child, wants_memory, &usage, &memory);
    double wall = seconds_on(CLOCK_MONOTONIC) - begin;
    if (status < 0 || status == 127) {
        fprintf(stderr, "measure: cannot run %s\n", argv[first]);
        return 1;
    }
    printf("wall=%.6f cpu=%.6f anon=%" PRIu64 " status=%d\n", wall,
           seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), memory,
           status);
    return 0;
}
