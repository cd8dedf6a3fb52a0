/* output.c - everything we write, all or nothing */
#define _GNU_SOURCE
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/intern.h"
#include "io/beneath.h"
#include "io/file_sink.h"
#include "io/file_source.h"
#include "io/metered_sink.h"

/* How often a fresh name is looked for. */
#define TRIES 100

/* A name has at most 255 bytes, and ours have some to add. */
#define MOST_OF_A_NAME 200

/* What fits into an error beside the words around it. */
#define MOST_OF_A_TITLE 90

enum output_kind { TO_FILE, TO_FOLDER, TO_STREAM, TO_MEMORY };

struct output_file {
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
    enum output_kind         kind;
    int                      parent; /* the folder the target lies in, or -1  */
    const char              *name;   /* of the target, in there               */
    const char              *folder; /* for people: "models/"; NULL: here     */
    const char              *temp;   /* of a new folder, until the commit     */
    const char              *old;    /* folder for what is replaced, or NULL  */
    struct tn_desk           desk;   /* desk.folder: where the files are      */
    struct output_file      *main;
    struct tn_list           files;   /* struct output_file *; main is one    */
    struct tn_list           folders; /* const char *: those that we made     */
    struct tn_intern         names;   /* of the files, to tell doubles        */
    struct tn_buffer         buffer;  /* TO_MEMORY                            */
    struct tn_error          buffer_error;
    bool                     is_committed;
};

static struct output_file *file_at(const struct tn_output *output, uint64_t i)
{
    return *tn_list_at(&output->files, struct output_file *, i);
}

static enum tn_status new_output(struct tn_output              **out,
                                 struct tn_memory               *memory,
                                 enum output_kind                kind,
                                 const struct tn_output_options *options,
                                 struct tn_error                *error)
{
    struct tn_output *output =
        tn_memory_resize(memory, NULL, 0, sizeof *output, error);

    *out = output;
    if (!output)
        return error->status;
    *output = (struct tn_output){ .memory       = memory,
                                  .kind         = kind,
                                  .parent       = -1,
                                  .buffer_error = TN_ERROR_INIT };
    if (options)
        output->options = *options;
    tn_arena_init(&output->arena, memory);
    tn_desk_init(&output->desk, memory, -1, output->options.hook);
    output->desk.is_dry = output->options.is_dry;
    tn_list_init(&output->files, memory, sizeof(struct output_file *));
    tn_list_init(&output->folders, memory, sizeof(const char *));
    tn_intern_init(&output->names, &output->arena);
    tn_buffer_init(&output->buffer, memory, &output->buffer_error);
    return TN_OK;
}

static enum tn_status step(struct tn_output *output, const char *what,
                           const char *name, struct tn_error *error)
{
    int number = tn_desk_step(&output->desk, what, name);

    if (number)
        tn_error_errno(error, number, "cannot %s %s", what, name);
    return error->status;
}

/* What people call a file: as they called the target.  A path that is too long
 * for a message would lose the name at its end. */
static const char *title_of(struct tn_output *output, const char *name)
{
    struct tn_error ignored = TN_ERROR_INIT;
    const char     *folder  = output->folder ? output->folder : "";
    const char     *title   = NULL;

    if (folder[0] && strlen(folder) + strlen(name) <= MOST_OF_A_TITLE)
        title = tn_text_format(&output->arena, &ignored, "%s%s", folder, name);
    return title ? title : name;
}

static enum tn_status fail_errno(struct tn_output *output, const char *what,
                                 const char *name, struct tn_error *error)
{
    int number = errno;

    return tn_error_errno(error, number, "cannot %s %s", what,
                          title_of(output, name));
}

/* Names of files and folders on the way to their own. */

/* Six letters that nobody can foresee. */
static void random_letters(char *to)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    uint8_t           bytes[6]  = { 0 };

    (void)!getrandom(bytes, sizeof bytes, 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        to[i] = letters[bytes[i] % 32];
    to[sizeof bytes] = '\0';
}

/* "sub/data.bin" becomes "sub/.data.bin.tenon-k3x9qa", with `suffix` after it.
 */
static const char *temporary_name(struct tn_output *output, const char *name,
                                  const char *suffix, struct tn_error *error)
{
    const char *slash = strrchr(name, '/');
    const char *base  = slash ? slash + 1 : name;
    size_t      size  = strlen(base);
    char        letters[7];

    if (size > MOST_OF_A_NAME) {
        size = MOST_OF_A_NAME;
        while (((uint8_t)base[size] & 0xc0) == 0x80) /* whole characters */
            size--;
    }
    random_letters(letters);
    return tn_text_format(&output->arena, error, "%.*s.%.*s.tenon-%s%s",
                          (int)(base - name), name, (int)size, base, letters,
                          suffix);
}

/* Folders on the way to `name`.  Each is looked at before the next is made in
 * it: none may be a symlink to elsewhere. */
static enum tn_status make_folder(struct tn_output *output, const char *name,
                                  struct tn_error *error)
{
    int folder =
        tn_beneath_open(output->desk.folder, name, O_PATH | O_DIRECTORY);

    if (folder < 0 && errno == ENOENT) {
        TN_TRY(step(output, "mkdir", name, error));
        const char **made = tn_list_push(&output->folders, const char *, error);
        if (!made)
            return error->status;
        *made = name;
        if (mkdirat(output->desk.folder, name, 0777) == 0)
            return TN_OK;
        output->folders.count--;
    }
    if (folder < 0 && errno == ELOOP)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the folder %.120s is a symbolic link", name);
    if (folder < 0)
        return tn_error_errno(error, errno, "cannot make the folder %s", name);
    close(folder);
    return TN_OK;
}

static enum tn_status make_folders(struct tn_output *output, const char *name,
                                   struct tn_error *error)
{
    const char *slash = name;

    while ((slash = strchr(slash, '/')) != NULL) {
        struct tn_bytes prefix = tn_bytes_dup(
            &output->arena, tn_bytes(name, (size_t)(slash - name)), error);
        if (!prefix.data)
            return error->status;
        TN_TRY(make_folder(output, (const char *)prefix.data, error));
        slash++;
    }
    return TN_OK;
}

/* Opening an output. */

/* "models/bert.onnx" lies in "models/"; the files of a new folder in it. */
static enum tn_status name_folder(struct tn_output *output, const char *path,
                                  struct tn_error *error)
{
    const char *slash = strrchr(path, '/');
    size_t      size  = slash ? (size_t)(slash - path) + 1 : 0;

    output->folder =
        output->kind == TO_FOLDER
            ? tn_text_format(&output->arena, error, "%s/", path)
            : tn_text_format(&output->arena, error, "%.*s", (int)size, path);
    return error->status;
}

static enum tn_status split_path(struct tn_output *output, const char *path,
                                 struct tn_error *error)
{
    struct tn_bytes whole = tn_text(path);

    while (whole.size > 1 && whole.data[whole.size - 1] == '/')
        whole.size--;
    char *copy =
        (char *)(uintptr_t)tn_bytes_dup(&output->arena, whole, error).data;
    if (!copy)
        return error->status;
    TN_TRY(name_folder(output, copy, error));
    char       *slash  = strrchr(copy, '/');
    const char *parent = slash == copy ? "/" : slash ? copy : ".";
    output->name       = slash ? slash + 1 : copy;
    if (slash)
        *slash = '\0';
    if (!output->name[0] || !strcmp(output->name, ".") ||
        !strcmp(output->name, ".."))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%.120s is no name for something new", path);
    output->parent = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (output->parent < 0)
        return tn_error_errno(error, errno, "cannot open the folder %s",
                              parent);
    return TN_OK;
}

static enum tn_status fail_exists(struct tn_error *error, const char *name)
{
    return tn_error_set(error, TN_EXISTS, TN_NOWHERE, "%.150s exists", name);
}

/* Files that do not have their final name yet are charged to the arena, and
 * their sinks live as long as the output. */
static struct output_file *add_file(struct tn_output *output, const char *name,
                                    struct tn_error *error)
{
    struct output_file *file =
        tn_new(&output->arena, struct output_file, 1, error);
    uint32_t count = tn_intern_count(&output->names);

    if (!file ||
        tn_intern_borrow(&output->names, tn_text(name), error) == TN_NO_NAME)
        return NULL;
    if (tn_intern_count(&output->names) == count) {
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "%.150s would be written twice", name);
        return NULL;
    }
    file->name = name;
    return file;
}

/* In a new folder nobody sees the file before the folder has its name. */
static const char *name_while_writing(struct tn_output *output,
                                      const char *name, struct tn_error *error)
{
    if (output->kind == TO_FOLDER)
        return name;
    return temporary_name(output, name, "", error);
}

static struct tn_sink *hand_out(struct tn_output   *output,
                                struct output_file *file)
{
    struct tn_sink *plain = &file->file.sink;

    if (!output->options.meter)
        return plain;
    if (!file->metered.meter)
        tn_metered_sink_init(&file->metered, plain, output->options.meter);
    return &file->metered.sink;
}

static enum tn_status create(struct tn_output *output, const char *name,
                             struct tn_sink **sink, struct tn_error *error)
{
    struct output_file *file       = add_file(output, name, error);
    const char         *temp       = NULL;
    int                 descriptor = -1;

    if (!file)
        return error->status;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        temp = name_while_writing(output, name, error);
        if (!temp)
            return error->status;
        TN_TRY(step(output, "create", temp, error));
        descriptor = tn_beneath_open(output->desk.folder, temp,
                                     O_WRONLY | O_CREAT | O_EXCL);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    if (descriptor < 0)
        return fail_errno(output, "create", name, error);
    struct output_file **slot =
        tn_list_push(&output->files, struct output_file *, error);
    if (!slot) {
        unlinkat(output->desk.folder, temp, 0);
        close(descriptor);
        return error->status;
    }
    *slot = file;
    if (!strcmp(name, output->name) && output->kind == TO_FILE)
        output->main = file;
    TN_TRY(tn_file_sink_init(&file->file, &output->desk, temp, descriptor,
                             false, error));
    file->file.title = title_of(output, name);
    *sink            = hand_out(output, file);
    return TN_OK;
}

static enum tn_status open_stream(struct tn_output *output, const char *path,
                                  struct tn_error *error)
{
    bool is_standard = !strcmp(path, "-");

    output->name = is_standard ? "standard output"
                               : tn_text_dup(&output->arena, path, error);
    int file     = is_standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                               : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return tn_error_errno(error, errno, "cannot open %s", path);
    output->main = tn_new(&output->arena, struct output_file, 1, error);
    if (!output->main || !output->name) {
        close(file);
        return error->status;
    }
    return tn_file_sink_init(&output->main->file, &output->desk, output->name,
                             file, true, error);
}

/* The file behind a symlink, so that the link stays and its target is what is
 * replaced.  A link to nowhere is itself the target. */
static enum tn_status open_target(struct tn_output *output, const char *path,
                                  bool is_link, struct tn_error *error)
{
    char *real = is_link ? realpath(path, NULL) : NULL;

    enum tn_status status = split_path(output, real ? real : path, error);
    free(real);
    output->desk.folder = output->parent;
    return status;
}

static enum tn_status open_for_file(struct tn_output *output, const char *path,
                                    struct tn_error *error)
{
    struct stat about, link;

    if (!strcmp(path, "-")) {
        output->kind = TO_STREAM;
        return open_stream(output, path, error);
    }
    bool is_there = !lstat(path, &link);
    bool is_link  = is_there && S_ISLNK(link.st_mode);
    bool is_known = is_there && !stat(path, &about);
    if (is_known && S_ISDIR(about.st_mode))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "%.150s is a folder",
                            path);
    if (is_known && !S_ISREG(about.st_mode)) {
        output->kind = TO_STREAM;
        return open_stream(output, path, error);
    }
    if (is_there && !output->options.can_replace)
        return fail_exists(error, path);
    return open_target(output, path, is_link, error);
}

/* Closes a half-made output, so that failure always yields NULL. */
static enum tn_status finish_opening(struct tn_output **output,
                                     enum tn_status     status)
{
    if (status != TN_OK) {
        tn_output_close(*output);
        *output = NULL;
    }
    return status;
}

enum tn_status tn_output_file(struct tn_output **output,
                              struct tn_memory *memory, const char *path,
                              const struct tn_output_options *options,
                              struct tn_error                *error)
{
    TN_TRY(new_output(output, memory, TO_FILE, options, error));
    return finish_opening(output, open_for_file(*output, path, error));
}

static enum tn_status make_temporary_folder(struct tn_output *output,
                                            struct tn_error  *error)
{
    const char *temp   = NULL;
    int         failed = -1;

    for (int i = 0; i < TRIES && failed; i++) {
        temp = temporary_name(output, output->name, "", error);
        if (!temp)
            return error->status;
        TN_TRY(step(output, "mkdir", temp, error));
        failed = mkdirat(output->parent, temp, 0777);
        if (failed && errno != EEXIST)
            break;
    }
    if (failed)
        return tn_error_errno(error, errno, "cannot make the folder %s",
                              output->name);
    output->temp        = temp;
    output->desk.folder = openat(
        output->parent, temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (output->desk.folder < 0)
        return tn_error_errno(error, errno, "cannot open the folder %s", temp);
    return TN_OK;
}

static enum tn_status open_for_folder(struct tn_output *output,
                                      const char *path, struct tn_error *error)
{
    struct stat about;

    TN_TRY(split_path(output, path, error));
    if (!fstatat(output->parent, output->name, &about, AT_SYMLINK_NOFOLLOW)) {
        if (!output->options.can_replace)
            return fail_exists(error, path);
        if (!S_ISDIR(about.st_mode))
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "%.120s exists and is no folder", path);
    }
    return make_temporary_folder(output, error);
}

enum tn_status tn_output_folder(struct tn_output **output,
                                struct tn_memory *memory, const char *path,
                                const struct tn_output_options *options,
                                struct tn_error                *error)
{
    TN_TRY(new_output(output, memory, TO_FOLDER, options, error));
    return finish_opening(output, open_for_folder(*output, path, error));
}

enum tn_status tn_output_memory(struct tn_output **output,
                                struct tn_memory  *memory,
                                struct tn_error   *error)
{
    return new_output(output, memory, TO_MEMORY, NULL, error);
}

struct tn_bytes tn_output_memory_bytes(const struct tn_output *output)
{
    return tn_buffer_bytes(&output->buffer);
}

enum tn_status tn_output_main(struct tn_output *output, struct tn_sink **sink,
                              struct tn_error *error)
{
    *sink = NULL;
    switch (output->kind) {
    case TO_MEMORY: *sink = &output->buffer.sink; return TN_OK;
    case TO_STREAM: *sink = hand_out(output, output->main); return TN_OK;
    case TO_FILE:
        if (!output->main)
            return create(output, output->name, sink, error);
        *sink = hand_out(output, output->main);
        return TN_OK;
    case TO_FOLDER: break;
    }
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "a folder has no main file");
}

static enum tn_status check_target(struct tn_output *output, const char *name,
                                   struct tn_error *error)
{
    struct stat about;

    if (fstatat(output->desk.folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return TN_OK;
    if (S_ISDIR(about.st_mode))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "%.150s is a folder",
                            title_of(output, name));
    if (output->options.can_replace)
        return TN_OK;
    return fail_exists(error, title_of(output, name));
}

enum tn_status tn_output_call(struct tn_output *output, const char *name,
                              struct tn_error *error)
{
    if (output->kind != TO_FILE || output->main)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%.120s: %s has no other name", name,
                            output->name ? output->name : "memory");
    const char *clean = tn_beneath_name(&output->arena, tn_text(name), error);
    if (!clean)
        return error->status;
    TN_TRY(check_target(output, clean, error));
    output->name = clean;
    return TN_OK;
}

enum tn_status tn_output_side(struct tn_output *output, const char *name,
                              struct tn_sink **sink, struct tn_error *error)
{
    *sink = NULL;
    if (output->kind == TO_STREAM || output->kind == TO_MEMORY)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%.120s: only one file can be written to %s", name,
                            output->name ? output->name : "memory");
    const char *clean = tn_beneath_name(&output->arena, tn_text(name), error);
    if (!clean)
        return error->status;
    if (output->kind == TO_FILE && !strcmp(clean, output->name))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%.150s is the main file", name);
    TN_TRY(make_folders(output, clean, error));
    if (output->kind == TO_FILE)
        TN_TRY(check_target(output, clean, error));
    return create(output, clean, sink, error);
}

enum tn_status tn_output_flush(struct tn_output *output, struct tn_error *error)
{
    return tn_desk_flush(&output->desk, error);
}

/* The commit. */

static enum tn_status rename_step(struct tn_output *output, int folder,
                                  const char *from, const char *to,
                                  unsigned flags, struct tn_error *error)
{
    struct stat about;

    TN_TRY(step(output, "rename", to, error));
    if (renameat2(folder, from, folder, to, flags) == 0)
        return TN_OK;
    /* A file system that knows only the plain rename. */
    if (flags == RENAME_NOREPLACE && (errno == EINVAL || errno == ENOSYS)) {
        if (!fstatat(folder, to, &about, AT_SYMLINK_NOFOLLOW))
            errno = EEXIST;
        else if (renameat(folder, from, folder, to) == 0)
            return TN_OK;
    }
    if (folder != output->desk.folder) /* the new folder itself */
        return errno == EEXIST
                   ? fail_exists(error, to)
                   : tn_error_errno(error, errno, "cannot rename to %s", to);
    if (errno == EEXIST)
        return fail_exists(error, title_of(output, to));
    return fail_errno(output, "rename to", to, error);
}

static enum tn_status sync_folder(struct tn_output *output, int base,
                                  const char *name, struct tn_error *error)
{
    TN_TRY(step(output, "sync", name, error));
    int folder = openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int number = folder < 0 || fsync(folder) != 0 ? errno : 0;
    if (folder >= 0)
        close(folder);
    if (number)
        return tn_error_errno(error, number, "cannot sync the folder %s", name);
    return TN_OK;
}

/* The folder that a name lies in; "." for the outermost. */
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
        struct tn_bytes name = folder_of(file_at(output, i)->name);
        if (tn_bytes_equal(name, last) || tn_bytes_is(name, "."))
            continue;
        last = name;
        name = tn_bytes_dup(&output->arena, name, error);
        if (!name.data)
            return error->status;
        TN_TRY(sync_folder(output, output->desk.folder, (const char *)name.data,
                           error));
    }
    for (uint64_t i = 0; i < output->folders.count; i++)
        TN_TRY(sync_folder(output, output->desk.folder,
                           *tn_list_at(&output->folders, const char *, i),
                           error));
    return sync_folder(output, output->desk.folder, ".", error);
}

static bool is_taken(const struct tn_output *output, const char *name)
{
    struct stat about;

    return !fstatat(output->desk.folder, name, &about, AT_SYMLINK_NOFOLLOW);
}

/* What has the name now moves to the old folder, under the same name. */
static enum tn_status set_aside(struct tn_output   *output,
                                struct output_file *file,
                                struct tn_error    *error)
{
    if (!is_taken(output, file->name))
        return TN_OK;
    const char *aside =
        tn_text_format(&output->arena, error, "%s/%s", output->old, file->name);
    if (!aside)
        return error->status;
    TN_TRY(make_folders(output, aside, error));
    TN_TRY(rename_step(output, output->desk.folder, file->name, aside,
                       RENAME_NOREPLACE, error));
    file->aside = aside;
    return TN_OK;
}

static bool replaces_side_files(const struct tn_output *output)
{
    if (!output->options.can_replace)
        return false;
    for (uint64_t i = 0; i < output->files.count; i++) {
        const struct output_file *file = file_at(output, i);
        if (file != output->main && is_taken(output, file->name))
            return true;
    }
    return false;
}

/* Main first: from then on nobody finds an old main over new side files. */
static enum tn_status set_all_aside(struct tn_output *output,
                                    struct tn_error  *error)
{
    output->old = temporary_name(output, output->name, "-old", error);
    if (!output->old)
        return error->status;
    TN_TRY(set_aside(output, output->main, error));
    if (output->options.is_durable)
        TN_TRY(sync_folder(output, output->desk.folder, ".", error));
    for (uint64_t i = 0; i < output->files.count; i++)
        if (file_at(output, i) != output->main)
            TN_TRY(set_aside(output, file_at(output, i), error));
    return TN_OK;
}

static enum tn_status place(struct tn_output *output, struct output_file *file,
                            bool can_replace, struct tn_error *error)
{
    TN_TRY(rename_step(output, output->desk.folder, file->file.name, file->name,
                       can_replace ? 0 : RENAME_NOREPLACE, error));
    file->is_placed = true;
    return TN_OK;
}

static enum tn_status place_files(struct tn_output *output,
                                  struct tn_error  *error)
{
    bool is_set_aside = replaces_side_files(output);

    if (is_set_aside)
        TN_TRY(set_all_aside(output, error));
    for (uint64_t i = 0; i < output->files.count; i++)
        if (file_at(output, i) != output->main)
            TN_TRY(place(output, file_at(output, i), false, error));
    TN_TRY(sync_folders(output, error));
    return place(output, output->main,
                 output->options.can_replace && !is_set_aside, error);
}

static void restore(struct tn_output *output, struct output_file *file)
{
    struct tn_error ignored = TN_ERROR_INIT;

    if (file->aside)
        (void)rename_step(output, output->desk.folder, file->aside, file->name,
                          RENAME_NOREPLACE, &ignored);
}

/* Back to the old state: new side files away, old ones back, main last. */
static void undo_placing(struct tn_output *output)
{
    for (uint64_t i = 0; i < output->files.count; i++) {
        struct output_file *file = file_at(output, i);
        if (file->is_placed)
            unlinkat(output->desk.folder, file->name, 0);
    }
    for (uint64_t i = 0; i < output->files.count; i++)
        if (file_at(output, i) != output->main)
            restore(output, file_at(output, i));
    restore(output, output->main);
}

/* The new state stands; what it replaced goes.  What will not go stays under
 * its temporary name, and that is no failure of the commit. */
static void remove_old(struct tn_output *output, const char *name)
{
    struct tn_error ignored = TN_ERROR_INIT;

    if (name && step(output, "remove", name, &ignored) == TN_OK)
        (void)tn_beneath_remove(output->parent, name);
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
    return status;
}

/* Where two names cannot be exchanged in one step: out of the way, then in. */
static enum tn_status replace_folder(struct tn_output *output,
                                     struct tn_error  *error)
{
    struct tn_error ignored = TN_ERROR_INIT;

    output->old = temporary_name(output, output->name, "-old", error);
    if (!output->old)
        return error->status;
    TN_TRY(rename_step(output, output->parent, output->name, output->old,
                       RENAME_NOREPLACE, error));
    if (rename_step(output, output->parent, output->temp, output->name,
                    RENAME_NOREPLACE, error) != TN_OK)
        (void)rename_step(output, output->parent, output->old, output->name,
                          RENAME_NOREPLACE, &ignored);
    return error->status;
}

static enum tn_status place_folder(struct tn_output *output,
                                   struct tn_error  *error)
{
    struct stat about;
    int         parent = output->parent;

    bool is_there = !fstatat(parent, output->name, &about, AT_SYMLINK_NOFOLLOW);
    if (!is_there || !output->options.can_replace)
        return rename_step(output, parent, output->temp, output->name,
                           RENAME_NOREPLACE, error);
    TN_TRY(step(output, "rename", output->name, error));
    if (renameat2(parent, output->temp, parent, output->name,
                  RENAME_EXCHANGE) == 0) {
        output->old = output->temp;
        return TN_OK;
    }
    if (errno != EINVAL && errno != ENOSYS)
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
    return status;
}

static enum tn_status finish_files(struct tn_output *output,
                                   struct tn_error  *error)
{
    if (tn_failed(&output->desk.failure)) {
        *error = output->desk.failure;
        return error->status;
    }
    if (output->kind == TO_STREAM)
        return tn_file_sink_finish(&output->main->file, false, error);
    if (tn_failed(&output->buffer_error))
        *error = output->buffer_error;
    if (tn_failed(error))
        return error->status;
    for (uint64_t i = 0; i < output->files.count; i++)
        TN_TRY(tn_file_sink_finish(&file_at(output, i)->file,
                                   output->options.is_durable, error));
    return TN_OK;
}

static enum tn_status commit(struct tn_output *output, struct tn_error *error)
{
    TN_TRY(finish_files(output, error));
    switch (output->kind) {
    case TO_FILE: return commit_file(output, error);
    case TO_FOLDER: return commit_folder(output, error);
    case TO_MEMORY:
    case TO_STREAM: output->is_committed = true; break;
    }
    return TN_OK;
}

enum tn_status tn_output_commit(struct tn_output *output,
                                struct tn_error  *error)
{
    if (output->is_committed || (output->kind == TO_FILE && !output->main))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            output->is_committed ? "committed already"
                                                 : "nothing was written");
    enum tn_status status = commit(output, error);
    if (status != TN_OK)
        output->desk.failure = *error; /* there is no second try */
    return status;
}

/* Closing. */

static void discard(struct tn_output *output)
{
    if (output->kind == TO_FOLDER && output->temp)
        (void)tn_beneath_remove(output->parent, output->temp);
    if (output->kind != TO_FILE)
        return;
    for (uint64_t i = 0; i < output->files.count; i++)
        if (!file_at(output, i)->is_placed)
            unlinkat(output->desk.folder, file_at(output, i)->file.name, 0);
    /* Innermost first; one that somebody else uses meanwhile stays. */
    for (uint64_t i = output->folders.count; i-- > 0;)
        unlinkat(output->desk.folder,
                 *tn_list_at(&output->folders, const char *, i), AT_REMOVEDIR);
}

bool tn_output_has(const struct tn_output *output, const char *name,
                   const struct tn_source *source)
{
    struct stat here, there;
    int         file = tn_source_descriptor(source);

    if (output->kind != TO_FILE || file < 0 || fstat(file, &there) != 0)
        return false;
    file = tn_beneath_open(output->desk.folder, name, O_PATH);
    if (file < 0)
        return false;
    bool is_same = fstat(file, &here) == 0 && here.st_dev == there.st_dev &&
                   here.st_ino == there.st_ino;
    close(file);
    return is_same;
}

const char *tn_output_name(const struct tn_output *output)
{
    bool has_name = output->name && output->kind != TO_STREAM;

    return has_name ? output->name : "";
}

uint64_t tn_output_bytes(const struct tn_output *output)
{
    uint64_t total = 0;

    if (!output)
        return 0;
    for (uint64_t i = 0; i < output->files.count; i++)
        total += file_at(output, i)->file.sink.offset;
    if (output->kind == TO_STREAM && output->main) /* it is in no list */
        total += output->main->file.sink.offset;
    return total + output->buffer.sink.offset;
}

void tn_output_close(struct tn_output *output)
{
    if (!output)
        return;
    tn_desk_done(&output->desk);
    if (!output->is_committed)
        discard(output);
    if (output->desk.folder >= 0 && output->desk.folder != output->parent)
        close(output->desk.folder);
    if (output->parent >= 0)
        close(output->parent);
    tn_buffer_done(&output->buffer);
    tn_intern_done(&output->names);
    tn_list_done(&output->files);
    tn_list_done(&output->folders);
    tn_arena_done(&output->arena);
    tn_memory_free(output->memory, output, sizeof *output);
}
