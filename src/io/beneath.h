/*
 * beneath.h - names that a file gives us, and the one folder they may reach
 *
 * A model names its other files.  Such a name is a stranger's: it may point
 * into the folder of the model and nowhere else, whatever it says and whatever
 * links lie in its way.
 */
#ifndef TN_IO_BENEATH_H
#define TN_IO_BENEATH_H

#include "base/memory.h"

/* The name in its shortest form ("a/./b//c" is "a/b/c"), in the arena.  INVALID
 * with the rule that it broke: empty, absolute, with "..", not UTF-8, with a
 * zero byte, with a backslash or a drive letter.  NULL then. */
const char *tn_beneath_name(struct tn_arena *arena, struct tn_bytes name,
                            struct tn_error *error);

/* open(2) of a name as above, below `folder`, never through a symlink.  "" is
 * the folder itself.  -1 with errno on failure: ELOOP for a symlink. */
int tn_beneath_open(int folder, const char *name, int flags);

/* The same without openat2(2): one component at a time.  What the other does
 * on kernels before 5.6; here to be tested on newer ones. */
int tn_beneath_walk(int folder, const char *name, int flags);

/* Removes a file, or a folder with all it holds.  What cannot be removed
 * stays: -1 with errno. */
int tn_beneath_remove(int folder, const char *name);

#endif
