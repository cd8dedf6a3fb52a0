/*
 * pager.h - long output on a terminal goes through a pager, as with git
 *
 * The pager is $TENON_PAGER, else $PAGER, else less.  An empty value or "cat"
 * means none.  It gets LESS=FRX unless LESS is set, so that less ends by itself
 * when everything fits on the screen, and leaves the text there.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>

/* --no-pager. */
void cli_pager_forbid(void);

/* From now on standard output goes through the pager, and so does standard
 * error if it is a terminal.  Call it when a verb has something to print, after
 * the last line of progress.  Does nothing unless standard output is a
 * terminal, and nothing the second time. */
void cli_pager_begin(void);

/* Whether standard output goes to a pager, and so to a terminal. */
bool cli_is_paged(void);

/* Whether the user has left it before the end. */
bool cli_pager_is_left(void);

/* Waits until the user has seen enough.  Called at the end of the process. */
void cli_pager_end(void);

#endif
