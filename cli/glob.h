/* glob.h - shell patterns over names that may hold any byte */
#ifndef CLI_GLOB_H
#define CLI_GLOB_H

#include <stdbool.h>

#include <tenon/bytes.h>

/* *, ?, [a-z], [!a-z] and \ as in the shell; * also matches slashes, since
 * names are not paths.  Takes at most time proportional to the product of the
 * sizes. */
bool cli_glob(const char *pattern, struct tn_bytes name);

/* Whether one of the patterns matches.  Without patterns, every name
 * matches. */
bool cli_glob_any(char *const *patterns, int count, struct tn_bytes name);

#endif
