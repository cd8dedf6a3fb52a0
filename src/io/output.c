/* output.c - opening outputs, handing out their sinks, closing them */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/beneath.h"
#include "io/file_source.h"
#include "io/os.h"
#include "io/output.h"
#include "io/output_state.h"
#include "io/path.h"
#include "io/remote_url.h"

/* "-", so that every question about standard output has the same answer for
 * it. */
const char *tn_to_writer(void)
{
    static const char path[] = "-";

    return path;
}

struct tn_output_options tn_target_options(const struct tn_target *target)
{
    struct tn_output_options how = { .can_replace = target->can_replace,
                                     .is_durable  = target->is_durable,
                                     .is_dry      = target->is_dry_run };

    if (target->path == tn_to_writer()) {
        const struct tn_writer *writer = (const struct tn_writer *)target;
        how.write                      = writer->write;
        how.write_context              = writer->context;
    }
    return how;
}

/* ---- names, folders on the way, and messages about them ------------------ */

/* The length of a path that fits into an error message. */
#define MOST_OF_A_TITLE 90

enum tn_status tn_output_step(struct tn_output *output, const char *what,
                              const char *name, struct tn_error *error)
{
    int number = tn_file_pool_step(&output->pool, what, name);

    if (number)
        tn_error_errno(error, number, "cannot %s %s", what, name);
    return error->status;
}

/* The path, or the name alone if the path is too long for a message, which
 * would cut off its end. */
const char *tn_output_title(struct tn_output *output, const char *name)
{
    struct tn_error ignored = TN_ERROR_INIT;
    const char     *folder  = output->folder ? output->folder : "";
    const char     *title   = NULL;

    if (folder[0] && strlen(folder) + strlen(name) <= MOST_OF_A_TITLE)
        title = tn_text_format(&output->arena, &ignored, "%s%s", folder, name);
    return title ? title : name;
}

enum tn_status tn_output_fail_errno(struct tn_output *output, const char *what,
                                    const char *name, struct tn_error *error)
{
    int number = errno;

    return tn_error_errno(error, number, "cannot %s %s", what,
                          tn_output_title(output, name));
}

enum tn_status tn_output_fail_exists(struct tn_error *error, const char *name)
{
    return tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                            TN_NOWHERE, "%.150s already exists", name);
}

const char *tn_output_temporary(struct tn_output *output, const char *name,
                                const char *suffix, struct tn_error *error)
{
    const char *slash = strrchr(name, '/');
    const char *base  = slash ? slash + 1 : name;
    size_t      size  = strlen(base);

    if (size > TN_OUTPUT_LONG_NAME) {
        size = TN_OUTPUT_LONG_NAME;
        while (((uint8_t)base[size] & 0xc0) == 0x80) /* whole characters */
            size--;
    }
    return tn_text_format(&output->arena, error, "%.*s.%.*s.tenon-%s%s",
                          (int)(base - name), name, (int)size, base,
                          output->token, suffix);
}

/* A folder that is new is reached from its parent: after it has got its name,
 * its temporary path no longer exists. */
struct tn_temporary *tn_output_list(struct tn_output      *output,
                                    enum tn_temporary_kind kind,
                                    const char            *name)
{
    struct tn_error        ignored = TN_ERROR_INIT;
    struct tn_temporaries *list    = output->memory->temporaries;

    if (list && output->temp)
        name = tn_text_format(&output->arena, &ignored, "%s/%s", output->temp,
                              name);
    return list && name ? tn_temporary_add(list, kind, output->parent, name)
                        : NULL;
}

/* Folders on the way to `name`.  Each is examined before the next is made in
 * it: none may be a symlink to elsewhere. */
static enum tn_status make_folder(struct tn_output *output, const char *name,
                                  struct tn_error *error)
{
    int folder =
        tn_beneath_open(output->pool.folder, name, tn_os->look | O_DIRECTORY);

    if (folder < 0 && errno == ENOENT) {
        TN_TRY(tn_output_step(output, "mkdir", name, error));
        struct tn_output_folder *made =
            tn_list_push(&output->folders, struct tn_output_folder, error);
        if (!made)
            return error->status;
        made->name   = name;
        made->listed = tn_output_list(output, TN_TEMPORARY_FOLDER, name);
        if (mkdirat(output->pool.folder, name, 0777) == 0)
            return TN_OK;
        tn_temporary_drop(made->listed);
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

enum tn_status tn_output_make_folders(struct tn_output *output,
                                      const char *name, struct tn_error *error)
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

/* ---- files that an output must not take the place of -------------------- */

/*
 * Names are compared by folder, and files by device and inode, so that neither
 * links nor other spellings of a path get past the check.
 */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- files of a bundle -------------------------------------------------- */

/* Whether the output would replace, under that name, the main file of the
 * bundle (*is_main) or another file of it that was opened. */
static bool is_of_bundle(const struct tn_output *output, const char *name,
                         const struct tn_bundle *bundle, bool *is_main)
{
    struct stat there, about;

    *is_main = false;
    if (output->remote)
        return tn_output_is_remote_of(output, name, bundle, is_main);
    if (fstatat(output->parent, name, &there, 0) != 0)
        return false;
    if (bundle->path && strcmp(bundle->path, "-") != 0 &&
        stat(bundle->path, &about) == 0 && is_same_file(&there, &about))
        return *is_main = true;
    for (uint64_t i = 0; bundle->folder >= 0 && i < bundle->opened.count; i++) {
        struct tn_bytes text = tn_intern_text(&bundle->names, (uint32_t)i);
        char            sibling[4096];
        if (text.size >= sizeof sibling)
            continue;
        memcpy(sibling, text.data, text.size);
        sibling[text.size] = '\0';
        if (fstatat(bundle->folder, sibling, &about, 0) == 0 &&
            is_same_file(&there, &about))
            return true;
    }
    return false;
}

bool tn_output_is_beside(const struct tn_output *output,
                         const struct tn_bundle *bundle)
{
    bool is_main;

    return output->kind == TN_TO_FILE &&
           is_of_bundle(output, output->name, bundle, &is_main) && !is_main;
}

/* Whether the file that is read is in the folder that is replaced, however
 * deep.  A folder that is read as a whole is replaced as a whole. */
static bool is_in_replaced(const struct tn_output *output,
                           const struct tn_bundle *bundle)
{
    struct stat there, here;
    bool        is_met = false;

    if (bundle->folder < 0 || !bundle->path ||
        fstatat(output->parent, output->name, &there, 0) != 0)
        return false;
    bool is_folder = !bundle->main || bundle->is_folder;
    int  folder    = openat(bundle->folder, is_folder ? ".." : ".",
                            tn_os->look | O_DIRECTORY | O_CLOEXEC);
    while (folder >= 0 && !is_met && fstat(folder, &here) == 0) {
        is_met = is_same_file(&there, &here);
        struct stat above;
        int  up = openat(folder, "..", tn_os->look | O_DIRECTORY | O_CLOEXEC);
        bool is_root =
            up < 0 || fstat(up, &above) != 0 || is_same_file(&above, &here);
        close(folder);
        folder = up;
        if (is_root)
            break;
    }
    if (folder >= 0)
        close(folder);
    return is_met;
}

static enum tn_status refuse(const char *name, struct tn_error *error)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "%.150s is an input and would be overwritten", name);
}

enum tn_status tn_output_check_inputs(const struct tn_output  *output,
                                      const struct tn_bundle  *bundle,
                                      enum tn_output_overwrite place,
                                      struct tn_error         *error)
{
    bool is_main;

    if (output && output->kind == TN_TO_FOLDER &&
        is_in_replaced(output, bundle))
        return refuse(bundle->path, error);
    if (!output || output->kind != TN_TO_FILE)
        return TN_OK;
    if (is_of_bundle(output, output->name, bundle, &is_main)) {
        if ((place != TN_OVERWRITE_NONE && is_main) ||
            place == TN_OVERWRITE_SIDES)
            return TN_OK; /* the whole model anew, with what is beside it */
        return refuse(output->name, error);
    }
    for (uint64_t i = 0; i < output->files.count; i++) {
        const char *name = tn_output_entry_at(output, i)->name;
        if (is_of_bundle(output, name, bundle, &is_main) &&
            (is_main || place != TN_OVERWRITE_SIDES))
            return refuse(name, error);
    }
    return TN_OK;
}

/* ---- two outputs -------------------------------------------------------- */

/* Whether `name`, in the folder of the output, is the target of the other. */
static bool is_target(const struct tn_output *output, const char *name,
                      const struct tn_output *other)
{
    const char *slash = strrchr(name, '/');
    const char *last  = slash ? slash + 1 : name;
    char        folder[4096];
    struct stat here, there;

    if (strcmp(last, other->name) != 0 ||
        (size_t)(last - name) >= sizeof folder)
        return false;
    memcpy(folder, name, (size_t)(last - name));
    folder[last - name] = '\0';
    return fstatat(output->parent, slash ? folder : ".", &here, 0) == 0 &&
           fstat(other->parent, &there) == 0 && is_same_file(&here, &there);
}

/* Whether the other's target is in the folder that is replaced. */
static bool is_inside(const struct tn_output *output,
                      const struct tn_output *other)
{
    struct stat here, there;

    return fstatat(output->parent, output->name, &here, 0) == 0 &&
           fstat(other->parent, &there) == 0 && is_same_file(&here, &there);
}

static enum tn_status refuse_twice(const struct tn_output *other,
                                   struct tn_error        *error)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "%.150s is given for two outputs", other->name);
}

enum tn_status tn_output_check_other(const struct tn_output *output,
                                     const struct tn_output *other,
                                     struct tn_error        *error)
{
    bool is_met;

    if (!output || !other || other->kind != TN_TO_FILE ||
        (output->kind != TN_TO_FILE && output->kind != TN_TO_FOLDER))
        return TN_OK;
    if (output->remote || other->remote)
        return tn_output_meets_remote(output, other)
                   ? refuse_twice(other, error)
                   : TN_OK;
    is_met = is_target(output, output->name, other) ||
             (output->kind == TN_TO_FOLDER && is_inside(output, other));
    for (uint64_t i = 0; output->kind == TN_TO_FILE && i < output->files.count;
         i++)
        is_met |= is_target(output, tn_output_entry_at(output, i)->name, other);
    return is_met ? refuse_twice(other, error) : TN_OK;
}

/* How many random names are tried. */
#define TRIES 100

static enum tn_status new_output(struct tn_output              **out,
                                 struct tn_memory               *memory,
                                 enum tn_output_kind             kind,
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
                                  .lock         = -1,
                                  .spool_parent = -1,
                                  .buffer_error = TN_ERROR_INIT };
    if (options)
        output->options = *options;
    tn_arena_init(&output->arena, memory);
    tn_file_pool_init(&output->pool, memory, -1, output->options.hook);
    output->pool.is_dry     = output->options.is_dry;
    output->pool.max_expand = output->options.max_expand;
    tn_list_init(&output->files, memory, sizeof(struct tn_output_entry *));
    tn_list_init(&output->folders, memory, sizeof(struct tn_output_folder));
    tn_list_init(&output->dead, memory, sizeof(struct tn_output_dead));
    tn_intern_init(&output->names, &output->arena);
    tn_buffer_init(&output->buffer, memory, &output->buffer_error);
    return TN_OK;
}

/* Opening an output. */

/* "models/bert.onnx" is in "models/"; the files of a new folder in it. */
static enum tn_status name_folder(struct tn_output *output, const char *path,
                                  struct tn_error *error)
{
    const char *slash = strrchr(path, '/');
    size_t      size  = slash ? (size_t)(slash - path) + 1 : 0;

    output->folder =
        output->kind == TN_TO_FOLDER
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
                            "%.120s is not a valid name for an output", path);
    output->parent = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (output->parent < 0 && errno == ENOENT && tn_url_is_any(tn_text(path)))
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "cannot write %.300s: URLs of this kind are not "
                            "supported; use https://, http:// or s3://",
                            path);
    if (output->parent < 0)
        return tn_error_errno(error, errno, "cannot open the folder %s",
                              parent);
    return TN_OK;
}

static struct tn_output_entry *add_file(struct tn_output *output,
                                        const char       *name,
                                        struct tn_error  *error)
{
    struct tn_output_entry *file =
        tn_new(&output->arena, struct tn_output_entry, 1, error);
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

/* The permissions of the file that has the name now, which the new file will
 * keep.  While it is written, it must not be open to more people, either. */
static enum tn_status take_mode(struct tn_output       *output,
                                struct tn_output_entry *file, int descriptor,
                                struct tn_error *error)
{
    const char *path = file->name;
    struct stat about;

    if (output->kind == TN_TO_FOLDER)
        path = tn_text_format(&output->arena, error, "%s/%s", output->name,
                              file->name);
    if (!path)
        return error->status;
    if (!output->options.can_replace ||
        fstatat(output->parent, path, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(about.st_mode))
        return TN_OK;
    file->has_mode = true;
    file->mode     = about.st_mode & 0777;
    TN_TRY(tn_output_step(output, "chmod", file->name, error));
    if (fchmod(descriptor, file->mode | 0600) != 0)
        return tn_output_fail_errno(output, "set the permissions of",
                                    file->name, error);
    return TN_OK;
}

/* First without letters; if that name is taken, with random ones that nobody
 * can predict. */
static const char *another(int tried, char suffix[TN_OUTPUT_TOKEN])
{
    if (tried == 0)
        return "";
    suffix[0] = '-';
    tn_output_letters(suffix + 1, TN_OUTPUT_TOKEN - 2);
    return suffix;
}

/* In a new folder the file is not visible before the folder has its name. */
static const char *name_while_writing(struct tn_output *output,
                                      const char *name, const char *suffix,
                                      struct tn_error *error)
{
    if (output->kind == TN_TO_FOLDER)
        return name;
    return tn_output_temporary(output, name, suffix, error);
}

static struct tn_sink *hand_out(struct tn_output       *output,
                                struct tn_output_entry *file)
{
    struct tn_sink *plain = &file->file.sink;

    if (!output->options.meter)
        return plain;
    if (!file->metered.meter)
        tn_metered_sink_init(&file->metered, plain, output->options.meter);
    return &file->metered.sink;
}

/* Once for each folder beneath the target's. */
static void tidy_folder_of(struct tn_output *output, const char *name)
{
    struct tn_error ignored = TN_ERROR_INIT;
    const char     *slash   = strrchr(name, '/');
    uint64_t        last    = output->files.count;
    const char *before = last ? tn_output_entry_at(output, last - 1)->name : "";

    if (!slash || strncmp(before, name, (size_t)(slash - name) + 1) == 0)
        return;
    const char *folder = tn_text_format(&output->arena, &ignored, "%.*s",
                                        (int)(slash - name), name);
    if (folder)
        tn_output_tidy_folder(output, folder);
}

static enum tn_status create(struct tn_output *output, const char *name,
                             struct tn_sink **sink, struct tn_error *error)
{
    struct tn_output_entry *file       = add_file(output, name, error);
    const char             *temp       = NULL;
    int                     descriptor = -1;
    char                    suffix[TN_OUTPUT_TOKEN];

    if (!file)
        return error->status;
    TN_TRY(tn_output_begin(output, error));
    tidy_folder_of(output, name);
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        temp = name_while_writing(output, name, another(i, suffix), error);
        if (!temp)
            return error->status;
        TN_TRY(tn_output_step(output, "create", temp, error));
        file->listed = tn_output_list(output, TN_TEMPORARY_FILE, temp);
        descriptor   = tn_beneath_open(output->pool.folder, temp,
                                       O_WRONLY | O_CREAT | O_EXCL);
        if (descriptor < 0)
            tn_temporary_drop(file->listed);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    if (descriptor < 0)
        return tn_output_fail_errno(output, "create", name, error);
    struct tn_output_entry **slot =
        tn_list_push(&output->files, struct tn_output_entry *, error);
    if (!slot) {
        unlinkat(output->pool.folder, temp, 0);
        tn_temporary_drop(file->listed);
        close(descriptor);
        return error->status;
    }
    *slot = file;
    if (!strcmp(name, output->name) && output->kind == TN_TO_FILE)
        output->main = file;
    enum tn_status status = take_mode(output, file, descriptor, error);
    if (tn_file_sink_init(&file->file, &output->pool, temp, descriptor, false,
                          error) != TN_OK ||
        status != TN_OK)
        return error->status;
    file->file.title = tn_output_title(output, name);
    *sink            = hand_out(output, file);
    return TN_OK;
}

static enum tn_status open_stream(struct tn_output *output, const char *path,
                                  struct tn_error *error)
{
    bool is_writer   = path == tn_to_writer();
    bool is_standard = !is_writer && !strcmp(path, "-");

    if (is_writer && !output->options.write)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "this call cannot write to a tn_writer");
    if (is_writer)
        path = "/dev/null"; /* a descriptor that nothing is written to */
    output->name       = is_standard ? "standard output"
                         : is_writer ? "the caller's writer"
                                     : tn_text_dup(&output->arena, path, error);
    int file           = is_standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                     : tn_path_open(path, O_WRONLY | O_NOCTTY);
    output->pool.write = is_writer ? output->options.write : NULL;
    output->pool.write_context = output->options.write_context;
    if (file < 0)
        return tn_error_errno(error, errno, "cannot open %s", path);
    output->main = tn_new(&output->arena, struct tn_output_entry, 1, error);
    if (!output->main || !output->name) {
        close(file);
        return error->status;
    }
    return tn_file_sink_init(&output->main->file, &output->pool, output->name,
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
    output->pool.folder = output->parent;
    return status;
}

enum tn_status tn_output_expect_path(const char *path, struct tn_error *error)
{
    if (path != tn_to_writer())
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "several files cannot be written to a tn_writer");
}

bool tn_output_is_stream(const char *path)
{
    struct stat about;

    return !strcmp(path, "-") ||
           (!stat(path, &about) && !S_ISREG(about.st_mode) &&
            !S_ISDIR(about.st_mode));
}

static enum tn_status open_for_file(struct tn_output *output, const char *path,
                                    struct tn_error *error)
{
    struct stat about, link;

    if (tn_url_is(path))
        return tn_output_open_remote(output, path, error);
    if (tn_output_is_stream(path)) {
        output->kind = TN_TO_STREAM;
        return open_stream(output, path, error);
    }
    bool is_there = !lstat(path, &link);
    bool is_link  = is_there && S_ISLNK(link.st_mode);
    bool is_known = is_there && !stat(path, &about);
    if (is_known && S_ISDIR(about.st_mode))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "%.150s is a folder",
                            path);
    if (is_there && !output->options.can_replace)
        return tn_output_fail_exists(error, path);
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
    TN_TRY(new_output(output, memory, TN_TO_FILE, options, error));
    return finish_opening(output, open_for_file(*output, path, error));
}

static enum tn_status make_temporary_folder(struct tn_output *output,
                                            struct tn_error  *error)
{
    const char *temp   = NULL;
    int         failed = -1;
    char        suffix[TN_OUTPUT_TOKEN];

    TN_TRY(tn_output_begin(output, error));
    for (int i = 0; i < TRIES && failed; i++) {
        temp = tn_output_temporary(output, output->name, another(i, suffix),
                                   error);
        if (!temp)
            return error->status;
        TN_TRY(tn_output_step(output, "mkdir", temp, error));
        output->listed_temp = tn_output_list(output, TN_TEMPORARY_FOLDER, temp);
        failed              = mkdirat(output->parent, temp, 0777);
        if (failed)
            tn_temporary_drop(output->listed_temp);
        if (failed && errno != EEXIST)
            break;
    }
    if (failed)
        return tn_error_errno(error, errno, "cannot make the folder %s",
                              output->name);
    output->temp        = temp;
    output->pool.folder = openat(
        output->parent, temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (output->pool.folder < 0)
        return tn_error_errno(error, errno, "cannot open the folder %s", temp);
    return TN_OK;
}

static enum tn_status open_for_folder(struct tn_output *output,
                                      const char *path, struct tn_error *error)
{
    struct stat about;

    if (tn_url_is(path)) {
        TN_TRY(tn_output_open_remote(output, path, error));
        return make_temporary_folder(output, error);
    }
    TN_TRY(split_path(output, path, error));
    if (!fstatat(output->parent, output->name, &about, AT_SYMLINK_NOFOLLOW)) {
        if (!output->options.can_replace)
            return tn_output_fail_exists(error, path);
        if (!S_ISDIR(about.st_mode))
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "%.120s exists and is not a folder", path);
    }
    return make_temporary_folder(output, error);
}

enum tn_status tn_output_folder(struct tn_output **output,
                                struct tn_memory *memory, const char *path,
                                const struct tn_output_options *options,
                                struct tn_error                *error)
{
    TN_TRY(tn_output_expect_path(path, error));
    TN_TRY(new_output(output, memory, TN_TO_FOLDER, options, error));
    return finish_opening(output, open_for_folder(*output, path, error));
}

enum tn_status tn_output_memory(struct tn_output **output,
                                struct tn_memory  *memory,
                                struct tn_error   *error)
{
    return new_output(output, memory, TN_TO_MEMORY, NULL, error);
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
    case TN_TO_MEMORY: *sink = &output->buffer.sink; return TN_OK;
    case TN_TO_STREAM: *sink = hand_out(output, output->main); return TN_OK;
    case TN_TO_FILE:
        if (!output->main)
            return create(output, output->name, sink, error);
        *sink = hand_out(output, output->main);
        return TN_OK;
    case TN_TO_FOLDER: break;
    }
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "a folder has no main file");
}

static enum tn_status check_target(struct tn_output *output, const char *name,
                                   struct tn_error *error)
{
    struct stat about;

    if (fstatat(output->pool.folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return TN_OK;
    if (S_ISDIR(about.st_mode))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "%.150s is a folder",
                            tn_output_title(output, name));
    if (output->options.can_replace)
        return TN_OK;
    return tn_output_fail_exists(error, tn_output_title(output, name));
}

enum tn_status tn_output_call(struct tn_output *output, const char *name,
                              struct tn_error *error)
{
    if (output->kind != TN_TO_FILE || output->main)
        return tn_error_set(
            error, TN_INVALID, TN_NOWHERE,
            "%.120s: %s is a single stream, which holds no other file", name,
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
    if (output->kind == TN_TO_STREAM || output->kind == TN_TO_MEMORY)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%.120s: only one file can be written to %s", name,
                            output->name ? output->name : "memory");
    const char *clean = tn_beneath_name(&output->arena, tn_text(name), error);
    if (!clean)
        return error->status;
    if (output->kind == TN_TO_FILE && !strcmp(clean, output->name))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%.150s is the main file", name);
    TN_TRY(tn_output_make_folders(output, clean, error));
    if (output->kind == TN_TO_FILE)
        TN_TRY(check_target(output, clean, error));
    return create(output, clean, sink, error);
}

enum tn_status tn_output_flush(struct tn_output *output, struct tn_error *error)
{
    return tn_file_pool_flush(&output->pool, error);
}

/* Closing. */

static void discard(struct tn_output *output)
{
    if (output->kind == TN_TO_FOLDER && output->temp)
        (void)tn_beneath_remove(output->parent, output->temp);
    if (output->kind != TN_TO_FILE)
        return;
    for (uint64_t i = 0; i < output->files.count; i++)
        if (!tn_output_entry_at(output, i)->is_placed)
            unlinkat(output->pool.folder,
                     tn_output_entry_at(output, i)->file.name, 0);
    /* Innermost first; a folder in which another process has made files
     * stays. */
    for (uint64_t i = output->folders.count; i-- > 0;)
        unlinkat(output->pool.folder,
                 tn_list_at(&output->folders, struct tn_output_folder, i)->name,
                 AT_REMOVEDIR);
}

bool tn_output_has(const struct tn_output *output, const char *name,
                   const struct tn_source *source)
{
    struct stat here, there;
    int         file = tn_source_descriptor(source);

    if (output->kind != TN_TO_FILE || file < 0 || fstat(file, &there) != 0)
        return false;
    file = tn_beneath_open(output->pool.folder, name, tn_os->look);
    if (file < 0)
        return false;
    bool is_same = fstat(file, &here) == 0 && here.st_dev == there.st_dev &&
                   here.st_ino == there.st_ino;
    close(file);
    return is_same;
}

const char *tn_output_name(const struct tn_output *output)
{
    bool has_name = output->name && output->kind != TN_TO_STREAM;

    return has_name ? output->name : "";
}

uint64_t tn_output_bytes(const struct tn_output *output)
{
    uint64_t total = 0;

    if (!output)
        return 0;
    for (uint64_t i = 0; i < output->files.count; i++)
        total += tn_output_entry_at(output, i)->file.sink.offset;
    if (output->kind == TN_TO_STREAM && output->main) /* it is in no list */
        total += output->main->file.sink.offset;
    return total + output->buffer.sink.offset;
}

void tn_output_close(struct tn_output *output)
{
    if (!output)
        return;
    tn_file_pool_done(&output->pool);
    if (!output->is_committed || output->remote)
        discard(output);
    for (uint64_t i = 0; i < output->files.count; i++)
        tn_temporary_drop(tn_output_entry_at(output, i)->listed);
    for (uint64_t i = 0; i < output->folders.count; i++)
        tn_temporary_drop(
            tn_list_at(&output->folders, struct tn_output_folder, i)->listed);
    tn_temporary_drop(output->listed_temp);
    tn_output_end(output);
    if (output->pool.folder >= 0 && output->pool.folder != output->parent)
        close(output->pool.folder);
    tn_output_close_remote(output);
    if (output->parent >= 0)
        close(output->parent);
    tn_buffer_done(&output->buffer);
    tn_intern_done(&output->names);
    tn_list_done(&output->files);
    tn_list_done(&output->folders);
    tn_list_done(&output->dead);
    tn_arena_done(&output->arena);
    tn_memory_free(output->memory, output, sizeof *output);
}
