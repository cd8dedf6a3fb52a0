/*
 * beneath.h - file names that come from a model, confined to one folder
 *
 * A model refers to other files by name.  Such a name is not trusted: it may
 * only reach files in the folder of the model, whatever it says and whatever
 * links are on the way.
 */
#ifndef TN_IO_BENEATH_H
#define TN_IO_BENEATH_H

#include "base/memory.h"

/* The name in its shortest form ("a/./b//c" is "a/b/c"), in the arena.  NULL
 * and INVALID if it breaks a rule, with that rule: it is empty, absolute, not
 * UTF-8, or contains "..", a zero byte, a backslash or a drive letter. */
const char *tn_beneath_name(struct tn_arena *arena, struct tn_bytes name,
                            struct tn_error *error);

/* Whether such a name may be opened by its path, below a folder: INVALID if it
 * breaks a rule, or a symlink is on the way.  OK if nothing is there. */
enum tn_status tn_beneath_check(struct tn_arena *arena, const char *folder,
                                struct tn_bytes name, struct tn_error *error);

/* open(2) for such a name, below `folder`, never through a symlink.  "" is the
 * folder itself. -1 with errno on failure: ELOOP for a symlink. */
int tn_beneath_open(int folder, const char *name, int flags);

/* The same without openat2(2): one component at a time. tn_beneath_open() uses
 * it on kernels before 5.6; it is declared for the tests. */
int tn_beneath_walk(int folder, const char *name, int flags);

/* Removes a file, or a folder with everything in it.  If something cannot be
 * removed it stays: -1 with errno. */
int tn_beneath_remove(int folder, const char *name);

#endif
