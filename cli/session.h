/*
 * session.h - one run of a verb: options for the library, the progress line,
 * and what Ctrl-C does
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <time.h>

#include <tenon/tenon.h>

#include "option_table.h"
#include "tag_name.h"
#include "text.h"

struct cli_session {
    const struct cli_common *common;
    struct tn_options        options;  /* for the library */
    bool                     has_line; /* a terminal shows progress          */
    bool                     is_drawn;
    struct timespec          last;
    char            doing[40]; /* for the rate: what is being done, since  */
    struct timespec since;     /* when, and how many bytes were done then  */
    uint64_t        done_before;
    char                     tag[CLI_TAG_ROOM]; /* see cli_session_tag()    */
};

void cli_session_begin(struct cli_session *session, const void *opts);

/* For a verb that writes files.  From now on Ctrl-C asks the library to stop
 * and to remove its temporary files.  A second one, or two seconds, end the
 * process at once, without these files. */
void cli_session_begin_writing(struct cli_session *session, const void *opts);

/* Removes the progress line: before printing, and at the end. */
void cli_session_clear(struct cli_session *session);

/* The verb writes to `path` while it works: if that is the terminal, there is
 * no progress line. */
void cli_session_prints(struct cli_session *session, const char *path);

/* --tag may be given as 'tenon tag ls' prints it, with escapes: replaces it by
 * the name of the tag in this file.  cli_session_open() calls this. */
void cli_session_tag(struct cli_session *session, const char *path);

/* Opens a model, or prints why it cannot be opened.  Returns an exit code. */
int cli_session_open(struct cli_session *session, const char *path,
                     struct tn_model **model);

/* Adds a file of text: a path, a URL or - for standard input.  Returns an exit
 * code, after a message. */
int cli_session_read(const struct cli_session *session, const char *path,
                     struct cli_text *text);

/* --verbose: prints what was requested from servers, if anything was. */
void cli_session_report(void);

/* Ends the process by the signal that it got, so that its parent knows; a shell
 * loop then ends, too. */
void cli_session_end(void);

/* Where and how a verb writes, from --out, --force, --dry-run and --sync. */
struct tn_target cli_target(const struct cli_common *common, const char *path);

/* Refuses to replace a file that is read, or one in a folder that is read.
 * Returns 0, or an exit code after a message. */
int cli_refuse_input(const struct cli_common *common, const char *input);

/* Refuses to write binary data to a terminal, as a usage error.  Without a
 * path, that is standard output. */
int cli_refuse_terminal(const char *verb, const char *path);

/* A signal that was ignored when the command started, by nohup or a shell's &,
 * stays ignored. */
void cli_catch_signal(int number, void (*handler)(int number));

#endif
