/*
 * session.h - one piece of work with the library: its options, its progress
 * line, and what Ctrl-C does
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <time.h>

#include <tenon/tenon.h>

#include "option_table.h"
#include "tag_name.h"

struct cli_session {
    const struct cli_common *common;
    struct tn_options        options;  /* for the library */
    bool                     has_line; /* a terminal shows progress          */
    bool                     is_drawn;
    struct timespec          last;
    char                     tag[CLI_TAG_ROOM]; /* see cli_session_tag()    */
};

void cli_session_begin(struct cli_session *session, const void *opts);

/* For a verb that writes files.  From now on Ctrl-C asks the library to stop
 * and to remove its temporary files.  A second one, or two seconds, end the
 * process at once, without these files. */
void cli_session_begin_writing(struct cli_session *session, const void *opts);

/* Take the progress line away; before printing, and at the end. */
void cli_session_clear(struct cli_session *session);

/* The verb prints to `path` while it works: no progress line in between. */
void cli_session_prints(struct cli_session *session, const char *path);

/* --tag may be what 'tenon tag ls' prints, escapes included: makes the tag of
 * this file of it.  cli_session_open() does so by itself. */
void cli_session_tag(struct cli_session *session, const char *path);

/* Open a model, or say why not.  Returns an exit code. */
int cli_session_open(struct cli_session *session, const char *path,
                     struct tn_model **model);

/* Ends the process by the signal that it got, so that its parent knows; a shell
 * loop then ends, too. */
void cli_session_end(void);

/* Where a verb writes to, by --out and its friends. */
struct tn_target cli_target(const struct cli_common *common, const char *path);

/* Not 0, and said: --out would replace a file that is read, or one in a folder
 * that is. */
int cli_refuse_input(const struct cli_common *common, const char *input);

/* Bytes that are no text do not belong on a terminal: a usage error then.
 * Without a path it is standard output. */
int cli_refuse_terminal(const char *verb, const char *path);

#endif
