/* path.h - the few questions about a path that need no bundle and no output */
#ifndef TN_IO_PATH_H
#define TN_IO_PATH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/source.h"

/* There is something, whatever it is; a link counts without what it leads to.
 */
bool tn_path_exists(const char *path);

bool tn_path_is_folder(const char *path);

/* A regular one: nothing that keeps who opens it waiting. */
bool tn_path_is_file(const char *path);

/* A link to what is not there, or to itself. */
bool tn_path_is_broken_link(const char *path);

/* As open(2).  Of a pipe it waits until others open it, too; signals that the
 * caller handles in the meantime are no failure. */
int tn_path_open(const char *path, int flags);

/* The file at the path is the one behind the source. */
bool tn_path_is(const char *path, const struct tn_source *source);

/* Removes a file; one that is not there is fine. */
enum tn_status tn_path_remove(const char *path, struct tn_error *error);

#endif
