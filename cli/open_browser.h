/* open_browser.h - shows a file in the user's browser */
#ifndef CLI_OPEN_BROWSER_H
#define CLI_OPEN_BROWSER_H

/* Starts $BROWSER, or xdg-open, with the path as its only argument: no shell
 * ever sees it.  Returns 0, or an errno; *program is what was tried. */
int cli_open_browser(const char *path, const char **program);

#endif
