/*
 * zip_edit.h - changing a zip that is there: growing it, or writing it anew
 *
 * Growing adds a commit behind the old bytes: entries and a directory of all
 * that is alive, synced, then the end record that makes them count.  A reader
 * sees the old state until then, whatever happens; a torn tail of an earlier
 * commit is cut off first.
 *
 * Writing anew makes a second file that takes the name at the end.  Entries are
 * copied by reference, with the checksums that they had.
 *
 * Both hold a lock from opening to closing; a second writer is BUSY or waits.
 */
#ifndef TN_WIRE_ZIP_EDIT_H
#define TN_WIRE_ZIP_EDIT_H

#include "io/append.h"
#include "wire/zip/zip_write.h"

struct tn_zip_edit {
    struct tn_zip        zip;    /* as it is; its entries can be copied       */
    struct tn_zip_writer writer; /* of what it becomes                        */
    struct tn_append    *file;
    struct tn_output    *output; /* NULL: it grows                            */
    bool                 is_open;
};

/* To add entries, replace them (same name) and drop them: the writer holds all
 * that there are.  MALFORMED for a zip that another tool has broken, or whose
 * entries have descriptors: it must be written anew before.  Close it whatever
 * the outcome. */
enum tn_status tn_zip_grow(struct tn_zip_edit *edit, struct tn_memory *memory,
                           const char                     *path,
                           const struct tn_append_options *options,
                           struct tn_error                *error);

/* To write another file in its place: the writer is empty, tn_zip_copy() from
 * edit->zip fills it. */
enum tn_status tn_zip_rewrite(struct tn_zip_edit *edit,
                              struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_error                *error);

/* Fails into the error that the edit was opened with, also for what failed
 * before; the old state is then what the file holds. */
enum tn_status tn_zip_commit(struct tn_zip_edit *edit);

void tn_zip_edit_close(struct tn_zip_edit *edit);

/* Takes the zip at `path` apart by its local headers, ignoring all
 * directories, and writes what is whole in its place: for a chain that is
 * broken and for a directory that is lost.  Reads every byte.  Of entries with
 * the same name the last counts.  Findings: "zip-lost-entry" for each header
 * whose entry cannot be saved.  *saved may be NULL. */
enum tn_status tn_zip_rebuild(struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_report *report, uint64_t *saved,
                              struct tn_error *error);

#endif
