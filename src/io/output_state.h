/*
 * output_state.h - the inside of an output, for its own files
 *
 * output.c opens outputs, hands out their sinks and has the steps that are
 * taken on disk, output_commit.c gives the files their names.  Files for a
 * server are written into a folder of their own, and output_remote.c uploads
 * them.
 */
#ifndef TN_IO_OUTPUT_STATE_H
#define TN_IO_OUTPUT_STATE_H

#include "base/buffer.h"
#include "base/intern.h"
#include "io/file_sink.h"
#include "io/meter.h"
#include "io/output.h"
#include "io/remote_transfer.h"
#include "io/temporary.h"

/* Letters that distinguish the temporary files of one output from others. */
#define TN_OUTPUT_TOKEN 8

/* A name has at most 255 bytes, and temporary names add some. */
#define TN_OUTPUT_LONG_NAME 200

/* An earlier run whose process is gone. */
struct tn_output_dead {
    char token[TN_OUTPUT_TOKEN];
};

enum tn_output_kind { TN_TO_FILE, TN_TO_FOLDER, TN_TO_STREAM, TN_TO_MEMORY };

struct tn_output_folder {
    const char          *name;
    struct tn_temporary *listed;
};

struct tn_output_entry {
    struct tn_file_sink file;  /* its name is the temporary one               */
    const char         *name;  /* the final one                               */
    const char         *aside; /* where its predecessor is; NULL: nowhere     */
    struct tn_temporary *listed; /* under its temporary name; NULL: nowhere   */
    bool                 is_placed;
    bool     has_mode; /* it replaces a file                       */
    unsigned mode;     /* whose permissions it keeps               */
    struct tn_metered_sink metered; /* in front of the file, with a meter     */
};

struct tn_output {
    struct tn_memory        *memory;
    struct tn_arena          arena;
    struct tn_output_options options;
    enum tn_output_kind      kind;
    int                      parent; /* the folder the target is in, or -1    */
    const char              *name;   /* of the target, in there               */
    const char              *folder; /* for people: "models/"; NULL: here     */
    const char              *temp;   /* of a new folder, until the commit     */
    const char              *old;    /* folder for what is replaced, or NULL  */
    char        token[TN_OUTPUT_TOKEN + 1]; /* in all its temporary names     */
    const char *lock_name; /* of the file that says we live; NULL: none yet   */
    int         lock;      /* its descriptor                                  */
    struct tn_temporary    *listed_lock, *listed_temp;
    struct tn_list          dead; /* struct tn_output_dead: earlier runs     */
    struct tn_file_pool     pool; /* pool.folder: where the files are      */
    struct tn_output_entry *main;
    struct tn_list          files;   /* struct tn_output_entry *; with main  */
    struct tn_list          folders; /* struct tn_output_folder: that we made */
    struct tn_intern        names;   /* of the files, to tell doubles        */
    struct tn_buffer        buffer;  /* TN_TO_MEMORY                         */
    struct tn_error         buffer_error;
    struct tn_remote       *remote; /* the target is on a server; NULL: here */
    const char             *url;    /* as it was given; of a folder with '/'  */
    const char             *given_name; /* of the main file, by that URL      */
    int         spool_parent; /* where the folder of its files is, or -1 */
    const char *spool;        /* that folder; NULL: none                */
    struct tn_temporary *listed_spool;
    bool                 is_committed;
    bool                 leaves_old; /* it could not be removed           */
};

static inline struct tn_output_entry *tn_output_entry_at(
    const struct tn_output *output, uint64_t i)
{
    return *tn_list_at(&output->files, struct tn_output_entry *, i);
}

/* Asks the fault hook whether the next step may be done. */
enum tn_status tn_output_step(struct tn_output *output, const char *what,
                              const char *name, struct tn_error *error);

/* What messages call a file: derived from the target as the user wrote it. */
const char *tn_output_title(struct tn_output *output, const char *name);

/* "cannot create models/a.onnx: ..."; and that it exists already. */
enum tn_status tn_output_fail_errno(struct tn_output *output, const char *what,
                                    const char *name, struct tn_error *error);
enum tn_status tn_output_fail_exists(struct tn_error *error, const char *name);

/* "sub/data.bin" becomes "sub/.data.bin.tenon-k3x9qa2b", plus `suffix`: the
 * name of a file or folder until the commit.  NULL after a failure. */
const char *tn_output_temporary(struct tn_output *output, const char *name,
                                const char *suffix, struct tn_error *error);

/* Chooses the token, and takes the lock that is held as long as the process
 * lives; first removes what dead runs left behind.  Called once. */
enum tn_status tn_output_begin(struct tn_output *output,
                               struct tn_error  *error);

/* Removes what those runs left in a folder beneath that of the target. */
void tn_output_tidy_folder(struct tn_output *output, const char *folder);

/* Registers the name of something that is removed unless there is a commit, for
 * signal handlers. */
struct tn_temporary *tn_output_list(struct tn_output      *output,
                                    enum tn_temporary_kind kind,
                                    const char            *name);

/* Random letters: at most TN_OUTPUT_TOKEN, and a terminator. */
void tn_output_letters(char *to, size_t count);

/* Releases the lock: no temporary file is left. */
void tn_output_end(struct tn_output *output);

/* Opens an output whose target is a URL: checks it, and makes a folder for its
 * files. */
enum tn_status tn_output_open_remote(struct tn_output *output, const char *url,
                                     struct tn_error *error);

/* Uploads all files, and gives them their names. */
enum tn_status tn_output_commit_remote(struct tn_output *output,
                                       struct tn_error  *error);

/* After all files are gone. */
void tn_output_close_remote(struct tn_output *output);

/* Whether the file of that name would replace one of the bundle. */
bool tn_output_is_remote_of(const struct tn_output *output, const char *name,
                            const struct tn_bundle *bundle, bool *is_main);

/* Whether the target of `other` is one of the files of this output. */
bool tn_output_meets_remote(const struct tn_output *output,
                            const struct tn_output *other);

/* Creates the folders on the way to `name`, inside the folder of the files. */
enum tn_status tn_output_make_folders(struct tn_output *output,
                                      const char *name, struct tn_error *error);

#endif
