/*
 * output_commit.c - giving files their names, all of them or none
 *
 * output.h describes what happens if it is interrupted.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/watch.h"
#include "io/beneath.h"
#include "io/os.h"
#include "io/output_state.h"

static enum tn_status rename_step(struct tn_output *output, int folder,
                                  const char *from, const char *to,
                                  bool can_replace, struct tn_error *error)
{
    TN_TRY(tn_output_step(output, "rename", to, error));
    if (can_replace ? renameat(folder, from, folder, to) == 0
                    : tn_os->rename_new(folder, from, to) == 0)
        return TN_OK;
    if (folder != output->pool.folder) /* the new folder itself */
        return errno == EEXIST
                   ? tn_output_fail_exists(error, to)
                   : tn_error_errno(error, errno, "cannot rename to %s", to);
    if (errno == EEXIST)
        return tn_output_fail_exists(error, tn_output_title(output, to));
    return tn_output_fail_errno(output, "rename to", to, error);
}

static enum tn_status sync_folder(struct tn_output *output, int base,
                                  const char *name, struct tn_error *error)
{
    TN_TRY(tn_output_step(output, "sync", name, error));
    int folder = openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int number = folder < 0 || fsync(folder) != 0 ? errno : 0;
    if (folder >= 0)
        close(folder);
    if (number)
        return tn_error_errno(error, number, "cannot sync the folder %s", name);
    return TN_OK;
}

/* The folder that a name is in; "." for the outermost. */
static struct tn_bytes folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? tn_bytes(name, (size_t)(slash - name)) : tn_text(".");
}

/* Every folder that got a file, and those that got a folder. */
static enum tn_status sync_folders(struct tn_output *output,
                                   struct tn_error  *error)
{
    struct tn_bytes last = tn_bytes(NULL, 0);

    if (!output->options.is_durable)
        return TN_OK;
    for (uint64_t i = 0; i < output->files.count; i++) {
        struct tn_bytes name = folder_of(tn_output_entry_at(output, i)->name);
        if (tn_bytes_equal(name, last) || tn_bytes_is(name, "."))
            continue;
        last = name;
        name = tn_bytes_dup(&output->arena, name, error);
        if (!name.data)
            return error->status;
        TN_TRY(sync_folder(output, output->pool.folder, (const char *)name.data,
                           error));
    }
    for (uint64_t i = 0; i < output->folders.count; i++)
        TN_TRY(sync_folder(
            output, output->pool.folder,
            tn_list_at(&output->folders, struct tn_output_folder, i)->name,
            error));
    return sync_folder(output, output->pool.folder, ".", error);
}

static bool is_taken(const struct tn_output *output, const char *name)
{
    struct stat about;

    return !fstatat(output->pool.folder, name, &about, AT_SYMLINK_NOFOLLOW);
}

/* Moves the file that has the name now to the old folder, under the same
 * name. */
static enum tn_status set_aside(struct tn_output       *output,
                                struct tn_output_entry *file,
                                struct tn_error        *error)
{
    if (!is_taken(output, file->name))
        return TN_OK;
    const char *aside =
        tn_text_format(&output->arena, error, "%s/%s", output->old, file->name);
    if (!aside)
        return error->status;
    TN_TRY(tn_output_make_folders(output, aside, error));
    TN_TRY(rename_step(output, output->pool.folder, file->name, aside, false,
                       error));
    file->aside = aside;
    return TN_OK;
}

static bool replaces_side_files(const struct tn_output *output)
{
    if (!output->options.can_replace)
        return false;
    for (uint64_t i = 0; i < output->files.count; i++) {
        const struct tn_output_entry *file = tn_output_entry_at(output, i);
        if (file != output->main && is_taken(output, file->name))
            return true;
    }
    return false;
}

/* From here on the old files may have no other name than that of the old
 * folder.  Even if the process dies, the next output must recognize the folder
 * as ours. */
static void keep_lock(struct tn_output *output)
{
    tn_temporary_drop(output->listed_lock);
    output->listed_lock = NULL;
}

/* Main first: from then on an old main never refers to new side files. */
static enum tn_status set_all_aside(struct tn_output *output,
                                    struct tn_error  *error)
{
    output->old = tn_output_temporary(output, output->name, "-old", error);
    if (!output->old)
        return error->status;
    keep_lock(output);
    TN_TRY(set_aside(output, output->main, error));
    if (output->options.is_durable)
        TN_TRY(sync_folder(output, output->pool.folder, ".", error));
    for (uint64_t i = 0; i < output->files.count; i++)
        if (tn_output_entry_at(output, i) != output->main)
            TN_TRY(set_aside(output, tn_output_entry_at(output, i), error));
    return TN_OK;
}

/* The owner had to write the file, whatever it replaces.  By descriptor: a name
 * might lead to another file meanwhile. */
static enum tn_status set_mode(struct tn_output *output, int folder,
                               const char *name, unsigned mode,
                               struct tn_error *error)
{
    TN_TRY(tn_output_step(output, "chmod", name, error));
    int file   = tn_beneath_open(folder, name, O_RDONLY);
    int number = file < 0 || fchmod(file, (mode_t)mode) != 0 ? errno : 0;
    if (file >= 0)
        close(file);
    if (number)
        return tn_error_errno(error, number, "cannot set the permissions of %s",
                              name);
    return TN_OK;
}

static enum tn_status set_modes(struct tn_output *output,
                                struct tn_error  *error)
{
    for (uint64_t i = 0; i < output->files.count; i++) {
        const struct tn_output_entry *file = tn_output_entry_at(output, i);
        if (file->has_mode && (file->mode & 0600) != 0600)
            TN_TRY(set_mode(output, output->pool.folder, file->file.name,
                            file->mode, error));
    }
    return TN_OK;
}

static enum tn_status place(struct tn_output       *output,
                            struct tn_output_entry *file, bool can_replace,
                            struct tn_error *error)
{
    TN_TRY(rename_step(output, output->pool.folder, file->file.name, file->name,
                       can_replace, error));
    file->is_placed = true;
    return TN_OK;
}

static enum tn_status place_files(struct tn_output *output,
                                  struct tn_error  *error)
{
    bool is_set_aside = replaces_side_files(output);

    TN_TRY(set_modes(output, error));
    if (is_set_aside)
        TN_TRY(set_all_aside(output, error));
    for (uint64_t i = 0; i < output->files.count; i++)
        if (tn_output_entry_at(output, i) != output->main)
            TN_TRY(place(output, tn_output_entry_at(output, i), false, error));
    TN_TRY(sync_folders(output, error));
    return place(output, output->main,
                 output->options.can_replace && !is_set_aside, error);
}

static void restore(struct tn_output *output, struct tn_output_entry *file)
{
    struct tn_error ignored = TN_ERROR_INIT;

    if (file->aside)
        (void)rename_step(output, output->pool.folder, file->aside, file->name,
                          false, &ignored);
}

/* Back to the old state: removes new side files, moves old ones back, the main
 * file last. */
static void undo_placing(struct tn_output *output)
{
    for (uint64_t i = 0; i < output->files.count; i++) {
        struct tn_output_entry *file = tn_output_entry_at(output, i);
        if (file->is_placed)
            unlinkat(output->pool.folder, file->name, 0);
    }
    for (uint64_t i = 0; i < output->files.count; i++)
        if (tn_output_entry_at(output, i) != output->main)
            restore(output, tn_output_entry_at(output, i));
    restore(output, output->main);
}

/* The new state stands; removes what it replaced.  If that fails, it stays
 * under its temporary name, and the next output removes it: the commit has not
 * failed. */
static void remove_old(struct tn_output *output, const char *name)
{
    struct tn_error ignored = TN_ERROR_INIT;

    output->leaves_old =
        name && (tn_output_step(output, "remove", name, &ignored) != TN_OK ||
                 tn_beneath_remove(output->parent, name) != 0);
}

static enum tn_status commit_file(struct tn_output *output,
                                  struct tn_error  *error)
{
    enum tn_status status = place_files(output, error);

    if (status != TN_OK) {
        undo_placing(output);
        return status;
    }
    output->is_committed = true;
    if (output->options.is_durable)
        status = sync_folder(output, output->parent, ".", error);
    remove_old(output, output->old);
    tn_output_end(output);
    return status;
}

/* Where two names cannot be exchanged in one step: moves the old one away, then
 * the new one in. */
static enum tn_status replace_folder(struct tn_output *output,
                                     struct tn_error  *error)
{
    struct tn_error ignored = TN_ERROR_INIT;

    output->old = tn_output_temporary(output, output->name, "-old", error);
    if (!output->old)
        return error->status;
    keep_lock(output);
    TN_TRY(rename_step(output, output->parent, output->name, output->old, false,
                       error));
    if (rename_step(output, output->parent, output->temp, output->name, false,
                    error) != TN_OK)
        (void)rename_step(output, output->parent, output->old, output->name,
                          false, &ignored);
    return error->status;
}

static enum tn_status place_folder(struct tn_output *output,
                                   struct tn_error  *error)
{
    struct stat about;
    int         parent = output->parent;

    bool is_there = !fstatat(parent, output->name, &about, AT_SYMLINK_NOFOLLOW);
    if (!is_there || !output->options.can_replace)
        return rename_step(output, parent, output->temp, output->name, false,
                           error);
    TN_TRY(set_modes(output, error));
    TN_TRY(set_mode(output, parent, output->temp, about.st_mode & 0777, error));
    TN_TRY(tn_output_step(output, "rename", output->name, error));
    keep_lock(output);
    if (tn_os->exchange(parent, output->temp, output->name) == 0) {
        output->old = output->temp;
        return TN_OK;
    }
    if (errno != ENOSYS)
        return tn_error_errno(error, errno, "cannot rename to %s",
                              output->name);
    return replace_folder(output, error);
}

static enum tn_status commit_folder(struct tn_output *output,
                                    struct tn_error  *error)
{
    enum tn_status status;

    TN_TRY(sync_folders(output, error));
    TN_TRY(place_folder(output, error));
    output->is_committed = true;
    status               = TN_OK;
    if (output->options.is_durable)
        status = sync_folder(output, output->parent, ".", error);
    remove_old(output, output->old);
    tn_output_end(output);
    return status;
}

static enum tn_status finish_files(struct tn_output *output,
                                   struct tn_error  *error)
{
    if (tn_failed(&output->pool.failure)) {
        *error = output->pool.failure;
        return error->status;
    }
    if (output->kind == TN_TO_STREAM)
        return tn_file_sink_finish(&output->main->file, false, error);
    if (tn_failed(&output->buffer_error))
        *error = output->buffer_error;
    if (tn_failed(error))
        return error->status;
    for (uint64_t i = 0; i < output->files.count; i++)
        TN_TRY(tn_file_sink_finish(&tn_output_entry_at(output, i)->file,
                                   output->options.is_durable, error));
    return TN_OK;
}

static enum tn_status commit(struct tn_output *output, struct tn_error *error)
{
    TN_TRY(tn_watch_recall(output->memory, error));
    TN_TRY(finish_files(output, error));
    if (output->remote)
        return tn_output_commit_remote(output, error);
    switch (output->kind) {
    case TN_TO_FILE: return commit_file(output, error);
    case TN_TO_FOLDER: return commit_folder(output, error);
    case TN_TO_MEMORY:
    case TN_TO_STREAM: output->is_committed = true; break;
    }
    return TN_OK;
}

enum tn_status tn_output_commit(struct tn_output *output,
                                struct tn_error  *error)
{
    if (output->is_committed || (output->kind == TN_TO_FILE && !output->main))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            output->is_committed ? "committed already"
                                                 : "nothing was written");
    enum tn_status status = commit(output, error);
    if (status != TN_OK)
        output->pool.failure = *error; /* there is no second try */
    return status;
}
