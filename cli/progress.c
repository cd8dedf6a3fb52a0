/* progress.c - a session with the library, and the progress line */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"
#include "print.h"
#include "session.h"

/* How long the library may take to stop after it was asked to.  It may be
 * waiting for a pipe or a lock, where it does not check. */
#define SECONDS_TO_STOP 2

/* All that signal handlers touch: the signal that came, or 0, and the names of
 * temporary files, made before the handlers are there. */
static volatile sig_atomic_t  caught;
static struct tn_temporaries *temporaries;

/* Ends at once: the library had enough time. */
static void on_alarm(int number)
{
    (void)number;
    tn_temporaries_remove(temporaries);
    cli_session_end();
}

static void on_signal(int number)
{
    if (caught)
        on_alarm(number);
    caught = number;
    alarm(SECONDS_TO_STOP);
}

void cli_session_end(void)
{
    if (caught == 0)
        return;
    signal(caught, SIG_DFL);
    raise(caught);
}

void cli_catch_signal(int number, void (*handler)(int number))
{
    struct sigaction old, action = { .sa_handler = handler };

    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

/* ---- requests to servers ------------------------------------------------- */

static struct tn_remote_options remote_options;

static struct {
    uint64_t        requests, bytes, repeated, redirects;
    struct timespec since;
} fetched;

static double seconds_between(struct timespec from, struct timespec to);

static void on_request(void *context, const struct tn_request *request)
{
    const struct cli_common *common = context;
    struct cli_text          text   = { 0 };

    if (fetched.requests++ == 0)
        clock_gettime(CLOCK_MONOTONIC, &fetched.since);
    fetched.bytes += request->bytes;
    fetched.repeated += request->attempt > 1;
    fetched.redirects += request->status / 100 == 3;
    if (common->is_quiet)
        return;
    cli_text_add(&text, "request ");
    cli_text_safe(&text, cli_bytes(request->url));
    cli_text_addf(&text, " from byte %" PRIu64 ": ", request->offset);
    if (request->status > 0)
        cli_text_addf(&text, "%u, ", request->status);
    else
        cli_text_add(&text, "no answer, ");
    cli_text_addf(&text, "%" PRIu64 " bytes, %.3f s", request->bytes,
                  request->seconds);
    if (request->attempt > 1)
        cli_text_addf(&text, ", attempt %u", request->attempt);
    fprintf(stderr, "%.*s\n", (int)text.size, text.data);
    cli_text_done(&text);
}

void cli_session_report(void)
{
    struct timespec now;
    struct cli_text text = { 0 };

    if (fetched.requests == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    cli_text_addf(&text, "%" PRIu64 " request%s (%" PRIu64 " redirects, %" PRIu64
                         " repeated), ",
                  fetched.requests, fetched.requests == 1 ? "" : "s",
                  fetched.redirects, fetched.repeated);
    cli_text_addf(&text, "%" PRIu64 " bytes, %.3f s", fetched.bytes,
                  seconds_between(fetched.since, now));
    fprintf(stderr, "%.*s\n", (int)text.size, text.data);
    cli_text_done(&text);
}

static const struct tn_remote_options *
remote_options_of(const struct cli_common *common)
{
    remote_options = (struct tn_remote_options){
        .size            = sizeof(remote_options),
        .allows_external = common->allows_external,
        .is_anonymous    = common->is_anonymous,
        .allows_plain    = common->allows_plain,
        .max_bytes       = common->max_fetch,
        .on_request      = common->is_verbose ? on_request : NULL,
        .context         = (void *)(uintptr_t)common,
    };
    return &remote_options;
}

static double seconds_between(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) +
           (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* A rate of the first moments is a guess. */
#define SECONDS_BEFORE_RATE 1.0

/* "3 s", "2:05", "1:02:05" */
static void show_seconds(struct cli_text *text, double seconds)
{
    uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000;

    if (whole < 60)
        cli_text_addf(text, "%" PRIu64 " s", whole);
    else if (whole < 3600)
        cli_text_addf(text, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
    else
        cli_text_addf(text, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
                      whole / 3600, whole / 60 % 60, whole % 60);
}

/* "  812.4 MiB/s  5 s left": since this step began, so that the numbers are
 * calm. */
static void show_rate(struct cli_session *session, struct cli_text *text,
                      const char *doing, uint64_t done, uint64_t total)
{
    if (strncmp(session->doing, doing, sizeof(session->doing) - 1) != 0 ||
        done < session->done_before) {
        snprintf(session->doing, sizeof(session->doing), "%s", doing);
        session->since       = session->last;
        session->done_before = done;
    }
    double seconds = seconds_between(session->since, session->last);
    double rate    = (double)(done - session->done_before) / seconds;
    if (seconds < SECONDS_BEFORE_RATE || rate < 1)
        return;
    cli_text_add(text, "  ");
    cli_text_bytes(text, (uint64_t)rate);
    cli_text_add(text, "/s");
    if (total <= done)
        return;
    cli_text_add(text, "  ");
    show_seconds(text, (double)(total - done) / rate);
    cli_text_add(text, " left");
}

/* What does not fit into a line is left out: the rate, then the numbers. */
static void draw(struct cli_session *session, const char *doing, uint64_t done,
                 uint64_t total)
{
    struct cli_text text = { 0 }, rate = { 0 };
    size_t          columns = cli_columns(stderr);

    cli_text_safe(&text, cli_bytes(doing));
    size_t bare = text.size;
    if (done > 0 || total > 0) {
        cli_text_add(&text, "  ");
        cli_text_bytes(&text, done);
    }
    if (total > 0) {
        cli_text_add(&text, " of ");
        cli_text_bytes(&text, total);
        cli_text_addf(&text, "  %.0f%%", 100.0 * (double)done / (double)total);
    }
    show_rate(session, &rate, doing, done, total);
    if (cli_text_width(&text) + cli_text_width(&rate) < columns)
        cli_text_put(&text, rate.data, rate.size);
    else if (cli_text_width(&text) >= columns)
        text.size = bare;
    if (cli_text_width(&text) < columns && cli_can_redraw(stderr)) {
        fputs("\r\033[K", stderr);
        cli_print(stderr, CLI_DIM, &text);
        fflush(stderr);
        session->is_drawn = true;
    }
    cli_text_done(&text);
    cli_text_done(&rate);
}

static int on_progress(void *context, const char *doing, uint64_t done,
                       uint64_t total)
{
    struct cli_session *session = context;
    struct timespec     now;

    if (session->has_line && clock_gettime(CLOCK_MONOTONIC, &now) == 0 &&
        seconds_between(session->last, now) > 0.1) {
        session->last = now;
        draw(session, doing, done, total);
    }
    return caught != 0;
}

void cli_session_begin(struct cli_session *session, const void *opts)
{
    const struct cli_common *common = opts;

    *session         = (struct cli_session){ .common = common };
    session->options = (struct tn_options){
        .size       = sizeof(session->options),
        .max_memory = common->max_mem,
        .max_expand = common->max_expand,
        .workers    = common->workers < 1024 ? (unsigned)common->workers : 1024,
        .from       = common->from,
        .tag        = common->tag,
        .keep_unmapped    = common->is_unmapped,
        .settings         = common->for_reading.items,
        .setting_count    = common->for_reading.count,
        .progress         = on_progress,
        .progress_context = session,
        .temporaries      = temporaries,
        .remote           = remote_options_of(common),
    };
    session->has_line = !common->is_quiet && cli_can_redraw(stderr);
    clock_gettime(CLOCK_MONOTONIC, &session->last);
}

void cli_session_begin_writing(struct cli_session *session, const void *opts)
{
    struct sigaction late = { .sa_handler = on_alarm };

    (void)tn_temporaries_new(&temporaries, NULL, NULL);
    sigemptyset(&late.sa_mask);
    sigaction(SIGALRM, &late, NULL);
    cli_catch_signal(SIGINT, on_signal);
    cli_catch_signal(SIGTERM, on_signal);
    cli_catch_signal(SIGHUP, on_signal);
    cli_session_begin(session, opts);
}

void cli_session_prints(struct cli_session *session, const char *path)
{
    if (strcmp(path, "-") == 0 && cli_is_terminal(stdout))
        session->has_line = false;
}

void cli_session_clear(struct cli_session *session)
{
    if (!session->is_drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    session->is_drawn = false;
}

static void add_text(void *context, struct tn_bytes bytes)
{
    cli_text_put(context, bytes.data, bytes.size);
}

int cli_session_read(const struct cli_session *session, const char *path,
                     struct cli_text *text)
{
    struct tn_error error = TN_ERROR_INIT;

    if (tn_text_read(path, &session->options, add_text, text, &error) ==
        TN_OK) {
        cli_text_put(text, "", 1); /* C's functions may look for its end */
        text->size--;
        return 0;
    }
    return cli_print_file_error(&error);
}

void cli_session_tag(struct cli_session *session, const char *path)
{
    const char *typed = session->options.tag;

    if (typed == session->tag) /* of the file before */
        typed = session->common->tag;
    if (typed != NULL)
        session->options.tag =
            cli_tag_named(path, &session->options, typed, session->tag);
}

int cli_session_open(struct cli_session *session, const char *path,
                     struct tn_model **model)
{
    struct tn_error error = TN_ERROR_INIT;

    cli_session_tag(session, path);
    enum tn_status status =
        tn_model_open(model, path, &session->options, &error);

    cli_session_clear(session);
    return status == TN_OK ? 0 : cli_fail(session->common, path, &error);
}

struct tn_target cli_target(const struct cli_common *common, const char *path)
{
    return (struct tn_target){ .path        = path,
                               .can_replace = common->is_forced,
                               .is_dry_run  = common->is_dry_run,
                               .is_durable  = common->is_synced };
}

/* Whether the file is in that folder, however deep. */
static bool lies_in(const char *file, const struct stat *folder)
{
    const char *slash  = strrchr(file, '/');
    size_t      size   = slash != NULL ? (size_t)(slash - file) + 1 : 0;
    char       *parent = cli_allocate(size + 2, 1);
    struct stat here;
    bool        is_met = false;

    memcpy(parent, size > 0 ? file : ".", size > 0 ? size : 1);
    int at = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(parent);
    while (at >= 0 && !is_met && fstat(at, &here) == 0) {
        struct stat above;
        int         up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        is_met = here.st_dev == folder->st_dev && here.st_ino == folder->st_ino;
        bool is_root =
            up < 0 || fstat(up, &above) != 0 ||
            (above.st_dev == here.st_dev && above.st_ino == here.st_ino);
        close(at);
        at = up;
        if (is_root)
            break;
    }
    if (at >= 0)
        close(at);
    return is_met;
}

int cli_refuse_input(const struct cli_common *common, const char *input)
{
    const char     *out   = common->out;
    struct tn_error error = TN_ERROR_INIT;
    struct stat     there, about;

    if (out == NULL || input == NULL || strcmp(out, "-") == 0 ||
        stat(out, &there) != 0 || !S_ISREG(there.st_mode) ||
        stat(input, &about) != 0)
        return 0;
    if (S_ISDIR(about.st_mode)
            ? !lies_in(out, &about)
            : there.st_dev != about.st_dev || there.st_ino != about.st_ino)
        return 0;
    error.status = TN_INVALID;
    snprintf(error.what, sizeof(error.what),
             "%.150s is an input and would be overwritten", out);
    return cli_print_error(out, &error);
}

int cli_refuse_terminal(const char *verb, const char *path)
{
    if ((path != NULL && strcmp(path, "-") != 0) || !cli_is_terminal(stdout))
        return 0;
    return cli_usage(verb, "this is binary data, and standard output is a "
                           "terminal: use -o FILE or a pipe");
}
