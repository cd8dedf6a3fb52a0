/* path.h - questions about a path that need no bundle and no output */
#ifndef TN_IO_PATH_H
#define TN_IO_PATH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/source.h"

/* Whether something exists there; a link counts even if its target does not
 * exist. */
bool tn_path_exists(const char *path);

bool tn_path_is_folder(const char *path);

/* Whether it is a regular file, which can be opened without blocking. */
bool tn_path_is_file(const char *path);

/* Whether it is a link whose target does not exist, or that leads to itself. */
bool tn_path_is_broken_link(const char *path);

/* Like open(2).  For a pipe it waits until the other side is open; signals that
 * the caller handles in the meantime are not a failure. */
int tn_path_open(const char *path, int flags);

/* The file at the path is the one behind the source. */
bool tn_path_is(const char *path, const struct tn_source *source);

/* Removes a file; one that is not there is fine. */
enum tn_status tn_path_remove(const char *path, struct tn_error *error);

/* Makes an empty file, unless there is one. */
enum tn_status tn_path_touch(const char *path, struct tn_error *error);

/* Gives a file another name, replacing what has it.  With `is_durable` its
 * bytes and its new name reach the disk. */
enum tn_status tn_path_rename(const char *from, const char *to, bool is_durable,
                              struct tn_error *error);

/* Claims what a lock file stands for: `lock` is created if needed.  BUSY if
 * another process has the claim; a process that died loses it.  The claim is a
 * descriptor for tn_path_release(), which removes the lock file. */
enum tn_status tn_path_claim(const char *lock, const char *what, int *claim,
                             struct tn_error *error);
void           tn_path_release(const char *lock, int claim);

#endif
