/*
 * zip_edit.h - changing an existing zip: appending to it, or rewriting it
 *
 * Growing appends a commit: entries and a directory of all current entries,
 * which are synced, then the end record, which makes them valid.  Until then a
 * reader sees the old state, whatever happens.  An incomplete commit at the end
 * of the file is removed first.
 *
 * Rewriting makes a second file, which gets the name at the end.  Entries are
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

/* For adding, replacing (same name) and dropping entries: the writer has all
 * existing ones.  MALFORMED for a zip that another tool has broken, or whose
 * entries have descriptors: it must be rewritten first.  Call
 * tn_zip_edit_close() also after a failure. */
enum tn_status tn_zip_grow(struct tn_zip_edit *edit, struct tn_memory *memory,
                           const char                     *path,
                           const struct tn_append_options *options,
                           struct tn_error                *error);

/* For replacing the file: the writer is empty; fill it by tn_zip_copy() from
 * edit->zip. */
enum tn_status tn_zip_rewrite(struct tn_zip_edit *edit,
                              struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_error                *error);

/* Fails into the error that the edit was opened with, also because of earlier
 * failures; then the file still has the old state. */
enum tn_status tn_zip_commit(struct tn_zip_edit *edit);

void tn_zip_edit_close(struct tn_zip_edit *edit);

/* Reads the zip at `path` by its local headers, ignoring all directories, and
 * replaces it by one with the entries that are intact: for a broken chain of
 * commits or a lost directory.  Reads every byte.  If several entries have the
 * same name, the last counts.  Findings: "zip-lost-entry" for each header whose
 * entry cannot be saved.  *saved may be NULL. */
enum tn_status tn_zip_rebuild(struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_report *report, uint64_t *saved,
                              struct tn_error *error);

#endif
