/* glob.h - shell patterns over names that may hold any byte */
#ifndef CLI_GLOB_H
#define CLI_GLOB_H

#include <stdbool.h>

#include <tenon/bytes.h>

/* *, ?, [a-z], [!a-z] and \ as in the shell; * crosses slashes, since names
 * are not paths.  Takes time in the product of the sizes, at worst. */
bool cli_glob(const char *pattern, struct tn_bytes name);

/* Does any of them match?  None at all match everything. */
bool cli_glob_any(char *const *patterns, int count, struct tn_bytes name);

#endif
