/*
 * output_state.h - what an output is made of, for its own files
 *
 * output.c opens outputs and hands out their sinks, output_commit.c gives the
 * files their names, output_steps.c has what both do to the disk.
 */
#ifndef TN_IO_OUTPUT_STATE_H
#define TN_IO_OUTPUT_STATE_H

#include "base/buffer.h"
#include "base/intern.h"
#include "io/file_sink.h"
#include "io/metered_sink.h"
#include "io/output.h"

enum tn_output_kind { TN_TO_FILE, TN_TO_FOLDER, TN_TO_STREAM, TN_TO_MEMORY };

struct tn_output_entry {
    struct tn_file_sink file;  /* its name is the temporary one               */
    const char         *name;  /* the final one                               */
    const char         *aside; /* where its predecessor is; NULL: nowhere     */
    bool                is_placed;
    struct tn_metered_sink metered; /* in front of the file, with a meter     */
};

struct tn_output {
    struct tn_memory        *memory;
    struct tn_arena          arena;
    struct tn_output_options options;
    enum tn_output_kind      kind;
    int                      parent; /* the folder the target lies in, or -1  */
    const char              *name;   /* of the target, in there               */
    const char              *folder; /* for people: "models/"; NULL: here     */
    const char              *temp;   /* of a new folder, until the commit     */
    const char              *old;    /* folder for what is replaced, or NULL  */
    struct tn_desk           desk;   /* desk.folder: where the files are      */
    struct tn_output_entry  *main;
    struct tn_list           files;   /* struct tn_output_entry *; with main  */
    struct tn_list           folders; /* const char *: those that we made     */
    struct tn_intern         names;   /* of the files, to tell doubles        */
    struct tn_buffer         buffer;  /* TN_TO_MEMORY                         */
    struct tn_error          buffer_error;
    bool                     is_committed;
};

static inline struct tn_output_entry *tn_output_entry_at(
    const struct tn_output *output, uint64_t i)
{
    return *tn_list_at(&output->files, struct tn_output_entry *, i);
}

/* Asks the fault hook whether the next step may be done. */
enum tn_status tn_output_step(struct tn_output *output, const char *what,
                              const char *name, struct tn_error *error);

/* What people call a file: as they called the target. */
const char *tn_output_title(struct tn_output *output, const char *name);

/* "cannot create models/a.onnx: ..."; and that it is there already. */
enum tn_status tn_output_fail_errno(struct tn_output *output, const char *what,
                                    const char *name, struct tn_error *error);
enum tn_status tn_output_fail_exists(struct tn_error *error, const char *name);

/* "sub/data.bin" becomes "sub/.data.bin.tenon-k3x9qa", with `suffix` after it:
 * the name of a file or folder on the way to its own.  NULL after a failure. */
const char *tn_output_temporary(struct tn_output *output, const char *name,
                                const char *suffix, struct tn_error *error);

/* Folders on the way to `name`, inside the one the files are in. */
enum tn_status tn_output_make_folders(struct tn_output *output,
                                      const char *name, struct tn_error *error);

#endif
