/*
 * open_browser.c - shows a file in the user's browser
 *
 * $BROWSER is a list of commands with colons between them, by custom; the first
 * word of the first one is used, and "%s" in others is not.  The program runs
 * on its own: the command does not wait for the window to be closed.
 */
#include "open_browser.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: the program in a session of its own, with nothing to read and
 * nowhere to write, so that it outlives us. */
static void become(const char *program, const char *path, int report)
{
    int nowhere = open("/dev/null", O_RDWR);

    setsid();
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    execlp(program, program, path, (char *)NULL);
    int     failure = errno;
    ssize_t written = write(report, &failure, sizeof failure);
    _exit(written == sizeof failure ? 127 : 126);
}

/* The grandchild runs the program; the child ends at once, so that nobody has
 * to wait for it.  A pipe that closes by itself says that it was started. */
static int start(const char *program, const char *path)
{
    int ends[2], failure = 0;

    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        failure = errno;
        close(ends[0]);
        close(ends[1]);
        return failure;
    }
    if (child == 0) {
        close(ends[0]);
        if (fork() == 0)
            become(program, path, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    ssize_t got;
    while ((got = read(ends[0], &failure, sizeof failure)) < 0 &&
           errno == EINTR)
        ;
    close(ends[0]);
    return got == (ssize_t)sizeof failure ? failure : 0;
}

int cli_open_browser(const char *path, const char **program)
{
    static char first[PATH_MAX];
    char        whole[PATH_MAX];
    const char *wanted = getenv("BROWSER");

    *program = "xdg-open";
    if (wanted != NULL && wanted[0] != '\0') {
        size_t size = strcspn(wanted, ":");
        if (size >= sizeof first)
            return ENAMETOOLONG;
        memcpy(first, wanted, size);
        first[size] = '\0';
        *program    = first;
    }
    if (path[0] == '/')
        return start(*program, path);
    /* A relative path may begin with a dash, and means another file once the
     * browser has another folder. */
    if (getcwd(whole, sizeof whole) == NULL)
        return errno;
    size_t used = strlen(whole);
    if (used + strlen(path) + 2 > sizeof whole)
        return ENAMETOOLONG;
    snprintf(whole + used, sizeof whole - used, "/%s", path);
    return start(*program, whole);
}
