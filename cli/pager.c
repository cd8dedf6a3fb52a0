/* pager.c - long output on a terminal goes through a pager, as with git */
#define _GNU_SOURCE
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failure.h"
#include "print.h"
#include "session.h"

extern char **environ;

enum { MAX_WORDS = 32 };

/* The pager while it runs, else 0.  Signal handlers read it. */
static volatile pid_t pager;
static bool           is_forbidden, has_begun;
static volatile bool  takes_errors; /* standard error, too                    */

void cli_pager_forbid(void)
{
    is_forbidden = true;
}

bool cli_is_paged(void)
{
    return pager > 0;
}

bool cli_pager_is_left(void)
{
    struct pollfd pipe = { .fd = STDOUT_FILENO, .events = POLLOUT };

    return cli_is_paged() && poll(&pipe, 1, 0) == 1 &&
           (pipe.revents & POLLERR) != 0;
}

/* ---- which one ----------------------------------------------------------- */

/* A dumb terminal gets a pager only if the user chose one for tenon. */
static const char *chosen(void)
{
    const char *own = getenv("TENON_PAGER"), *usual = getenv("PAGER");

    if (own == NULL && !cli_can_redraw(stdout))
        return NULL;
    const char *name = own != NULL ? own : usual != NULL ? usual : "less";
    return name[0] == '\0' || strcmp(name, "cat") == 0 ? NULL : name;
}

/* Plain words are run without a shell: so we see whether there is such a
 * program.  `words` has the letters, `argv` points to them. */
static void split_words(char *words, char *argv[MAX_WORDS + 1])
{
    size_t count = 0;

    for (char *at = strtok(words, " \t"); at != NULL && count < MAX_WORDS;
         at       = strtok(NULL, " \t"))
        argv[count++] = at;
    argv[count] = NULL;
}

static int spawn(const char *command, int from, pid_t *pid)
{
    char                       shell[] = "sh", option[] = "-c";
    char                      *words = strdup(command), *argv[MAX_WORDS + 1];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t          how;
    sigset_t                   usual;

    if (words == NULL || posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawnattr_init(&how) != 0) {
        free(words);
        return ENOMEM;
    }
    /* The pager gets the default action for the signal that we ignore. */
    sigemptyset(&usual);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
    if (strpbrk(command, "|&;<>()$`\\\"'*?[#~=%\n") != NULL) {
        argv[0] = shell;
        argv[1] = option;
        argv[2] = words;
        argv[3] = NULL;
    } else {
        split_words(words, argv);
    }
    int number = posix_spawn_file_actions_adddup2(&actions, from, 0);
    if (number == 0)
        number = argv[0] == NULL ? ENOENT
                                 : posix_spawnp(pid, argv[0], &actions, &how,
                                                argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&how);
    free(words);
    return number;
}

/* ---- the end ------------------------------------------------------------- */

static void wait_for_pager(void)
{
    pid_t waited = pager;

    while (waited > 0 && waitpid(waited, NULL, 0) < 0 && errno == EINTR)
        continue;
    pager = 0;
}

/* So that the pager sees the end. */
static void close_pipe(void)
{
    close(STDOUT_FILENO);
    if (takes_errors)
        close(STDERR_FILENO);
}

/* Ctrl-C reaches both of us.  The pager decides what it means; only when it has
 * ended may the shell have the terminal back. */
static void on_signal(int number)
{
    close_pipe();
    wait_for_pager();
    signal(number, SIG_DFL);
    raise(number);
}

void cli_pager_end(void)
{
    if (pager <= 0)
        return;
    fflush(stdout);
    fflush(stderr);
    close_pipe();
    wait_for_pager();
}

/* ---- the beginning ------------------------------------------------------- */

/* A pager that is left early is not an error: writing fails from then on, and
 * the verb still says how its work went. */
static void redirect(int to, pid_t pid)
{
    cli_remember_columns();
    fflush(stdout);
    fflush(stderr);
    takes_errors = isatty(STDERR_FILENO) == 1;
    dup2(to, STDOUT_FILENO);
    if (takes_errors)
        dup2(to, STDERR_FILENO);
    pager = pid;
    signal(SIGPIPE, SIG_IGN);
    cli_catch_signal(SIGINT, on_signal);
    cli_catch_signal(SIGTERM, on_signal);
    cli_catch_signal(SIGHUP, on_signal);
    cli_catch_signal(SIGQUIT, on_signal);
    atexit(cli_pager_end);
}

void cli_pager_begin(void)
{
    const char *name;
    int         ends[2];
    pid_t       pid = 0;

    if (has_begun || is_forbidden || !cli_is_terminal(stdout) ||
        (name = chosen()) == NULL)
        return;
    has_begun = true;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    int number = spawn(name, ends[0], &pid);
    if (number == 0)
        redirect(ends[1], pid);
    else if (getenv("TENON_PAGER") != NULL || getenv("PAGER") != NULL)
        cli_say("cannot run the pager '%s': %s", name, strerror(number));
    close(ends[0]);
    close(ends[1]);
}
