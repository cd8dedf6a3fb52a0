/*
 * walk.h - the files below a folder, in the order of their paths
 *
 * Paths come in the order of their bytes, so that two walks over the same files
 * agree, and a walk can be compared with a list that an earlier one made.
 * Memory is that of the names of the folders that are open, one per level.
 *
 * Links to files are followed, links to folders are not: there are no loops.
 * Folders that cannot be opened are reported, and the walk continues.
 */
#ifndef TN_IO_WALK_H
#define TN_IO_WALK_H

#include "base/memory.h"

enum tn_walk_kind {
    TN_WALK_FILE,
    TN_WALK_BROKEN, /* a link that leads nowhere, or to itself                */
    TN_WALK_SPECIAL, /* a pipe, a socket, a device: never opened              */
    TN_WALK_FAILED, /* a folder that cannot be listed: `number`               */
    TN_WALK_DEEP,   /* a folder below too many others                         */
};

/* Deeper folders are not looked into. */
#define TN_WALK_DEPTH 64

struct tn_walk_entry {
    enum tn_walk_kind kind;
    const char       *path;  /* to open it                                   */
    struct tn_bytes   shown; /* the same as text, see tn_walk_show()         */
    int               number; /* errno                                       */
};

struct tn_walk; /* yours to close */

/* The root is a folder.  `except` (NULL: none) is a file that is left out, as
 * are those that have its name and a suffix of a file that is being written:
 * .part, .lock, -journal and the like. */
enum tn_status tn_walk_open(struct tn_walk **walk, struct tn_memory *memory,
                            const char *root, const char *except,
                            struct tn_error *error);

/* What a path is: only links, pipes and other special files are distinguished.
 */
enum tn_walk_kind tn_walk_kind(const char *path);

/* The root as text, with a '/' at its end: what all paths begin with. */
struct tn_bytes tn_walk_root(const struct tn_walk *walk);

/* False at the end, and after a failure.  The entry is valid until the next
 * call. */
bool tn_walk_next(struct tn_walk *walk, struct tn_walk_entry *entry,
                  struct tn_error *error);

/* NULL is fine. */
void tn_walk_close(struct tn_walk *walk);

/* A name as text that is UTF-8, and different for different names: bytes that
 * are not UTF-8, zeros, and backslashes before an 'x' become \xHH. */
struct tn_bytes tn_walk_show(struct tn_arena *arena, struct tn_bytes name,
                             struct tn_error *error);

/* What distinguishes versions of a file: inode, size and time of change.  False
 * with errno if there is no regular file. */
#define TN_WALK_IDENTITY 64
bool tn_walk_identity(const char *path, char to[TN_WALK_IDENTITY],
                      uint64_t *size);

#endif
