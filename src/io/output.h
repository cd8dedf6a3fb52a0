/*
 * output.h - everything we write, all or nothing
 *
 * An output hands out named sinks.  Nothing has its final name until
 * tn_output_commit(): then side files are synced and renamed first, the file
 * that names them last; a new folder is built beside its place and renamed
 * whole.  Without a commit nothing is left behind.  Every system call that
 * writes passes the fault hook first, so crashes are tested in one place.
 *
 * What holds when a commit is cut short:
 *
 *   it fails with an error   the old state is back, whole; nothing is left
 *                            behind.  When only the last sync of the folder
 *                            failed, the new state is there, but maybe not on
 *                            the disk
 *   the process or machine dies (for a machine, with is_durable)
 *     folder, or file whose  the old state or the new one, whole, under the
 *     side files are new     name; a dead process leaves temporary files
 *     side files replaced    no system renames several files in one step.  The
 *                            main name holds the old model, the new model, or
 *                            nothing, never an old main over new side files.
 *                            While it holds nothing, what was there remains,
 *                            under its own names, in a folder
 *                            .NAME.tenon-XXXXXXXX-old beside it; moving that
 *                            back restores the old model.  This state lasts
 *                            only for the renames; all bytes are written
 *                            before.  The same holds for a folder that is
 *                            replaced, on a system that cannot exchange two
 *                            names in one step.
 *
 * Temporary files are called .NAME.tenon-XXXXXXXX, with eight letters that all
 * files of an output share.  As long as its process lives, it holds a lock on
 * .NAME.tenon-XXXXXXXX-lock.  A process that finds such a file and gets the
 * lock knows that its owner is gone, on this machine or, where the file system
 * supports locks, on another.  The next output into the same folder removes
 * what such a process left, except an -old folder whose model has no other
 * copy.  Where locks do not work, nothing is removed.
 *
 * A URL (s3://, https://, http://) is a target, too: files are written into a
 * folder of their own below $TMPDIR, and uploaded by the commit, the one that
 * names the others last (remote_upload.h).  A server cannot rename: when the
 * process dies between the first file and the last, the first ones are there,
 * and nothing names them.  With --force files are replaced one by one.
 *
 * A file that replaces another one gets its permissions.
 *
 * Replacing by rename does not affect mappings of the old file, so an output
 * may replace its own input.
 */
#ifndef TN_IO_OUTPUT_H
#define TN_IO_OUTPUT_H

#include <tenon/writer.h>

#include "base/memory.h"
#include "base/sink.h"
#include "io/bundle.h"
#include "io/meter.h"

/* Called before each step that changes the disk: "create", "write", "copy",
 * "reserve", "truncate", "sync", "rename", "mkdir", "chmod", and "remove" for
 * what a commit replaced and for what an earlier run left.  Non-zero makes the
 * step fail with that errno; a test may also end the process there. */
struct tn_fault_hook {
    int (*before)(void *context, const char *step, const char *path);
    void *context;
};

struct tn_output_options {
    bool can_replace;                 /* --force                              */
    bool is_durable;                  /* fsync files and folders before commit
                                         returns                              */
    bool is_dry;                      /* bytes are counted and discarded; cannot
                                         be committed                         */
    const struct tn_fault_hook *hook; /* NULL: none                           */
    struct tn_meter            *meter; /* of what is written; NULL: none      */
    tn_write *write; /* where the bytes go if the path is tn_to_writer()  */
    void     *write_context;
    uint64_t max_expand; /* LIMIT before more bytes than this are written to all
                           files together; 0: no limit                       */
};

/* Those for a target of the caller. */
struct tn_output_options tn_target_options(const struct tn_target *target);

struct tn_output; /* made by the functions below */

/* One file and its side files, next to each other.  "-" is standard output; it
 * can have no side files, and neither can a device or a pipe.  EXISTS at once
 * if the target exists and may not be replaced.  A symlink to a file is
 * followed: the file is replaced, the link stays. */
enum tn_status tn_output_file(struct tn_output **output,
                              struct tn_memory *memory, const char *path,
                              const struct tn_output_options *options,
                              struct tn_error                *error);

/* INVALID for tn_to_writer(), where several files may be written. */
enum tn_status tn_output_expect_path(const char *path, struct tn_error *error);

/* Whether output to that path cannot be undone: "-", a device, a pipe. */
bool tn_output_is_stream(const char *path);

/* A whole new folder.  If it replaces one, everything in the old folder is
 * removed; on a server, a folder with other files is not replaced. */
enum tn_status tn_output_folder(struct tn_output **output,
                                struct tn_memory *memory, const char *path,
                                const struct tn_output_options *options,
                                struct tn_error                *error);

/* What may take the place of files that are being read. */
enum tn_output_overwrite {
    TN_OVERWRITE_NONE,  /* nothing: the output is not a model */
    TN_OVERWRITE_MODEL, /* the main file may replace the model's main file, and
                           then side files may replace its side files; a side
                           file that the user named replaces none       */
    TN_OVERWRITE_SIDES, /* also files that have the names which the format uses:
                           they hold the same tensors */
};

/* Whether the main file would replace a side file of the bundle. */
bool tn_output_is_beside(const struct tn_output *output,
                         const struct tn_bundle *bundle);

/* Before a commit: INVALID if a file of the bundle would be lost, because it is
 * replaced or is in a folder that is replaced. */
enum tn_status tn_output_check_inputs(const struct tn_output  *output,
                                      const struct tn_bundle  *bundle,
                                      enum tn_output_overwrite place,
                                      struct tn_error         *error);

/* Before a commit: INVALID if the target of `other` is one of the files of this
 * output, or in the folder that it replaces. */
enum tn_status tn_output_check_other(const struct tn_output *output,
                                     const struct tn_output *other,
                                     struct tn_error        *error);

/* Into memory, for tests and for library users: one file, no side files. */
enum tn_status  tn_output_memory(struct tn_output **output,
                                 struct tn_memory  *memory,
                                 struct tn_error   *error);
struct tn_bytes tn_output_memory_bytes(const struct tn_output *output);

/* The sink of the main file (of a file output). */
enum tn_status tn_output_main(struct tn_output *output, struct tn_sink **sink,
                              struct tn_error *error);

/* Gives the main file another name, in the same folder; call it before
 * tn_output_main().  EXISTS as above.  Only for file outputs. */
enum tn_status tn_output_call(struct tn_output *output, const char *name,
                              struct tn_error *error);

/* A further file, by relative name ('/'-separated; folders are created).  The
 * same rules for names as in tn_bundle_sibling().  EXISTS as above; asking
 * twice for the same name is INVALID.  Any number of sinks may be open at a
 * time. */
enum tn_status tn_output_side(struct tn_output *output, const char *name,
                              struct tn_sink **sink, struct tn_error *error);

/* Whether the file of that name beside the target is the one behind the source:
 * a model that is written into the folder it was read from can keep using the
 * existing side files. */
struct tn_source;
bool tn_output_has(const struct tn_output *output, const char *name,
                   const struct tn_source *source);

/* Sinks are buffered; this flushes a sink's buffer.  Commit calls it. */
enum tn_status tn_output_flush(struct tn_output *output,
                               struct tn_error  *error);

enum tn_status tn_output_commit(struct tn_output *output,
                                struct tn_error  *error);

/* The target's name, without its folder; the names of side files are derived
 * from it.  "" in memory and on standard output. */
const char *tn_output_name(const struct tn_output *output);

/* Bytes given to all sinks so far; 0 for NULL. */
uint64_t tn_output_bytes(const struct tn_output *output);

/* Frees the output; removes what was not committed.  NULL is fine. */
void tn_output_close(struct tn_output *output);

#endif
