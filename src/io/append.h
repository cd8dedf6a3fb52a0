/*
 * append.h - an existing file that grows in place
 *
 * For containers that commit by appending: no old byte is changed.  The file is
 * locked against other writers from opening to closing, also against those that
 * replace it by rename: after waiting for the lock, a writer checks that the
 * name still refers to the file that it locked.
 *
 * As with outputs, every step that changes the disk passes the fault hook:
 * "truncate", "write", "copy", "sync".
 */
#ifndef TN_IO_APPEND_H
#define TN_IO_APPEND_H

#include "io/output.h"

struct tn_append_options {
    bool can_wait;   /* for another writer; else it is BUSY                   */
    bool is_durable; /* tn_append_sync() reaches the disk                     */
    const struct tn_fault_hook *hook; /* NULL: none                           */
    struct tn_meter            *meter; /* of what is written; NULL: none      */
};

struct tn_append; /* yours to close */

/* `options` NULL: all zero. */
enum tn_status tn_append_open(struct tn_append **append,
                              struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_error                *error);

/* The file as it was when it was locked.  Borrowed. */
struct tn_source *tn_append_source(const struct tn_append *append);

/* New bytes go after the first `offset` bytes; what is there now is cut off.
 * May be called once.  The sink is borrowed. */
enum tn_status tn_append_begin(struct tn_append *append, uint64_t offset,
                               struct tn_sink **sink, struct tn_error *error);

/* Everything written so far reaches the disk before anything that follows. */
enum tn_status tn_append_sync(struct tn_append *append, struct tn_error *error);

/* Keeps what was written. */
void tn_append_commit(struct tn_append *append);

/* Releases the lock.  Without a commit, removes what was written.  NULL is
 * fine. */
void tn_append_close(struct tn_append *append);

#endif
