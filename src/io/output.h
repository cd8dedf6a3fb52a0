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
 *                            While it holds nothing, what was there stands,
 *                            under its own names, in a folder
 *                            .NAME.tenon-XXXXXXXX-old beside it; moving that
 *                            back restores the old model.  This lasts for the
 *                            renames only; all bytes are written before.  So it
 *                            is with a folder that is replaced, on a system
 *                            that cannot exchange two names in one step.
 *
 * Temporary files are called .NAME.tenon-XXXXXXXX, with eight letters that all
 * files of an output share.  As long as its process lives it holds a lock on
 * .NAME.tenon-XXXXXXXX-lock.  Who finds such a file and gets the lock knows
 * that nobody writes there any more, whatever became of the process, on this
 * machine or, where the file system knows locks, on another: the next output
 * into the same folder removes what is left, but for an -old folder whose model
 * has no other copy.  Where locks are not to be had, nothing is removed.
 *
 * What replaces a file keeps its permissions.
 *
 * Replacing by rename leaves mappings of the old file alone, so an output may
 * replace its own input.
 */
#ifndef TN_IO_OUTPUT_H
#define TN_IO_OUTPUT_H

#include "base/memory.h"
#include "base/sink.h"
#include "io/bundle.h"
#include "io/meter.h"

/* Called before each step that changes the disk: "create", "write", "copy",
 * "reserve", "truncate", "sync", "rename", "mkdir", "chmod", and "remove" for
 * what a commit replaced and for what was left behind.  Non-zero makes the step
 * fail with that errno; a test may also end the process there. */
struct tn_fault_hook {
    int (*before)(void *context, const char *step, const char *path);
    void *context;
};

struct tn_output_options {
    bool can_replace;                 /* --force                              */
    bool is_durable;                  /* fsync files and folders before commit
                                         returns                              */
    bool is_dry;                      /* bytes are counted and go nowhere; not
                                         for a commit                         */
    const struct tn_fault_hook *hook; /* NULL: none                           */
    struct tn_meter            *meter; /* of what is written; NULL: none      */
    uint64_t max_expand; /* LIMIT when all files together get more bytes than
                            that, before they are written; 0: no limit        */
};

struct tn_output; /* made by the functions below */

/* One file and its side files, next to each other; "-" is standard output and
 * can have no side files, and neither has a device or a pipe.  EXISTS at once
 * when the target is there and may not be replaced.  A symlink to a file is
 * followed: the file is replaced, the link stays. */
enum tn_status tn_output_file(struct tn_output **output,
                              struct tn_memory *memory, const char *path,
                              const struct tn_output_options *options,
                              struct tn_error                *error);

/* Whether writing to that path cannot be taken back: "-", a device, a pipe. */
bool tn_output_is_stream(const char *path);

/* A whole new folder.  When it replaces one, all that was in the old folder
 * goes. */
enum tn_status tn_output_folder(struct tn_output **output,
                                struct tn_memory *memory, const char *path,
                                const struct tn_output_options *options,
                                struct tn_error                *error);

/* What may take the place of files that are being read. */
enum tn_output_place {
    TN_PLACE_OTHER, /* nothing: the output is no model                        */
    TN_PLACE_NAMED, /* the main file that of the model, and then all of them;
                       a file beside it that the user named, none             */
    TN_PLACE_ANEW,  /* also files that the format calls so: they hold the same
                       tensors                                                */
};

/* Whether the main file would take the place of a side file of the bundle. */
bool tn_output_is_beside(const struct tn_output *output,
                         const struct tn_bundle *bundle);

/* Before a commit: INVALID when a file of the bundle would be lost: one that is
 * replaced, or that lies in a folder which is. */
enum tn_status tn_output_spare(const struct tn_output *output,
                               const struct tn_bundle *bundle,
                               enum tn_output_place    place,
                               struct tn_error        *error);

/* Before a commit: INVALID when the target of `other` is one of the files of
 * this output, or lies in the folder that it replaces. */
enum tn_status tn_output_apart(const struct tn_output *output,
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

/* Another name for the main file, in the same folder; before it is asked for.
 * EXISTS as above.  Only files can have one. */
enum tn_status tn_output_call(struct tn_output *output, const char *name,
                              struct tn_error *error);

/* A further file, by relative name ('/'-separated; folders are made).  Same
 * rules for names as tn_bundle_sibling.  EXISTS as above; asking twice for the
 * same name is INVALID.  Any number of sinks may be open at a time. */
enum tn_status tn_output_side(struct tn_output *output, const char *name,
                              struct tn_sink **sink, struct tn_error *error);

/* Whether the file of that name beside the target is the one behind the source:
 * a model that is written into the folder it was read from can go on using the
 * side files that are there. */
struct tn_source;
bool tn_output_has(const struct tn_output *output, const char *name,
                   const struct tn_source *source);

/* Sinks are buffered; this empties a sink's buffer.  Called by commit. */
enum tn_status tn_output_flush(struct tn_output *output,
                               struct tn_error  *error);

enum tn_status tn_output_commit(struct tn_output *output,
                                struct tn_error  *error);

/* What the target will be called, without its folder: side files take their
 * names from it.  "" in memory and on standard output. */
const char *tn_output_name(const struct tn_output *output);

/* Bytes given to all sinks so far; 0 for NULL. */
uint64_t tn_output_bytes(const struct tn_output *output);

/* Frees the output; removes what was not committed.  NULL is fine. */
void tn_output_close(struct tn_output *output);

#endif
