/* output_remote.c - outputs whose target is on a server */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/beneath.h"
#include "io/output_state.h"
#include "io/remote_list.h"
#include "io/remote_upload.h"

/* ---- opening ------------------------------------------------------------- */

/* "%20" is a space in the name of a file; in place. */
static void decode(char *name)
{
    char *to = name;

    for (; *name; name++) {
        int high = name[0] == '%' ? tn_hex_digit((uint8_t)name[1]) : -1;
        int low  = high >= 0 ? tn_hex_digit((uint8_t)name[2]) : -1;
        *to++    = (char)(low >= 0 ? high << 4 | low : *name);
        name += low >= 0 ? 2 : 0;
    }
    *to = '\0';
}

/* The last component of the URL: names beside it are derived from it. */
static enum tn_status take_name(struct tn_output *output, const char *url,
                                struct tn_error *error)
{
    bool  is_folder = output->kind == TN_TO_FOLDER;
    char *shown = (char *)(uintptr_t)tn_url_shown(url, &output->arena, error);

    if (!shown)
        return error->status;
    size_t size = strlen(shown);
    while (is_folder && size && shown[size - 1] == '/')
        shown[--size] = '\0';
    char *place    = strstr(shown, "://") + 3;
    char *slash    = strrchr(place, '/');
    char *name     = slash ? slash + 1 : place + strlen(place);
    output->folder = tn_text_format(&output->arena, error, "%.*s",
                                    (int)(name - shown), shown);
    if (is_folder) {
        output->folder = tn_text_format(&output->arena, error, "%s/", shown);
        output->url    = output->folder;
        name           = name[0] ? name : place;
    }
    if (tn_place_kind_of(url) == TN_PLACE_WEB)
        decode(name);
    output->name = output->given_name = name;
    if (!name[0])
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the URL names a folder; add the name of a file");
    if (strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..") ||
        strlen(name) > 255)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the URL does not end in the name of a file");
    return error->status;
}

/* Makes a folder that only we may enter. */
static enum tn_status make_spool(struct tn_output *output,
                                 struct tn_error  *error)
{
    const char *wanted = getenv("TMPDIR");
    const char *base   = wanted && wanted[0] ? wanted : "/tmp";
    char *path = tn_text_format(&output->arena, error, "%s/tenon-XXXXXX", base);

    if (!path)
        return error->status;
    output->spool_parent = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (output->spool_parent < 0 || !mkdtemp(path))
        return tn_error_errno(error, errno, "cannot make a folder in %s", base);
    output->spool = strrchr(path, '/') + 1;
    if (output->memory->temporaries)
        output->listed_spool =
            tn_temporary_add(output->memory->temporaries, TN_TEMPORARY_FOLDER,
                             output->spool_parent, output->spool);
    output->parent = openat(output->spool_parent, output->spool,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (output->parent < 0)
        return tn_error_errno(error, errno, "cannot open the folder %s", path);
    output->pool.folder = output->parent;
    return TN_OK;
}

static enum tn_status check_server(struct tn_output *output,
                                   struct tn_error  *error)
{
    if (!output->options.is_dry || !output->options.can_replace)
        TN_TRY(tn_upload_check_bucket(output->remote, output->url, error));
    if (!output->options.can_replace)
        TN_TRY(tn_upload_check_target(output->remote, output->url, error));
    return TN_OK;
}

/* Does something that takes as long as a server wants, unless the caller wants
 * to stop. */
static enum tn_status watched(struct tn_output *output,
                              enum tn_status (*step)(struct tn_output *,
                                                     struct tn_error *),
                              struct tn_error *error)
{
    struct tn_watch watch;

    if (!output->options.meter)
        return step(output, error);
    tn_meter_watch(output->options.meter, &watch, output->memory);
    enum tn_status status = step(output, error);
    tn_watch_end(&watch);
    return status;
}

enum tn_status tn_output_open_remote(struct tn_output *output, const char *url,
                                     struct tn_error *error)
{
    TN_TRY(tn_upload_check_place(url, error));
    output->url = tn_text_dup(&output->arena, url, error);
    TN_TRY(take_name(output, url, error));
    TN_TRY(tn_remote_open(&output->remote, output->memory,
                          output->memory->remote, error));
    TN_TRY(watched(output, check_server, error));
    return make_spool(output, error);
}

void tn_output_close_remote(struct tn_output *output)
{
    if (output->spool)
        unlinkat(output->spool_parent, output->spool, AT_REMOVEDIR);
    tn_temporary_drop(output->listed_spool);
    if (output->spool_parent >= 0)
        close(output->spool_parent);
    tn_remote_close(output->remote);
}

/* ---- names --------------------------------------------------------------- */

/* The main file has the URL that was given, with its query, unless it was
 * called something else later. */
static const char *url_of(const struct tn_output *output, const char *name,
                          struct tn_arena *arena, struct tn_error *error)
{
    if (output->kind == TN_TO_FILE && !strcmp(name, output->given_name))
        return output->url;
    return tn_url_beside(arena, output->url, name, error);
}

bool tn_output_is_remote_of(const struct tn_output *output, const char *name,
                            const struct tn_bundle *bundle, bool *is_main)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_arena arena;
    bool            is_met = false;

    *is_main = false;
    if (!bundle->is_remote)
        return false;
    tn_arena_init(&arena, output->memory);
    const char *url = url_of(output, name, &arena, &own);
    url             = url ? tn_url_shown(url, &arena, &own) : NULL;
    if (url && !strcmp(url, bundle->path))
        is_met = *is_main = true;
    for (uint64_t i = 0; url && !is_met && i < bundle->opened.count; i++) {
        struct tn_bytes text = tn_intern_text(&bundle->names, (uint32_t)i);
        const char     *sibling =
            (const char *)tn_bytes_dup(&arena, text, &own).data;
        const char *other =
            sibling ? tn_url_beside(&arena, bundle->path, sibling, &own) : NULL;
        is_met = other && !strcmp(url, other);
    }
    tn_arena_done(&arena);
    return is_met;
}

bool tn_output_meets_remote(const struct tn_output *output,
                            const struct tn_output *other)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_arena arena;
    bool            is_met = false;

    if (!output->remote || !other->remote)
        return false;
    tn_arena_init(&arena, output->memory);
    const char *target     = url_of(other, other->name, &arena, &own);
    const char *own_target = url_of(output, output->name, &arena, &own);
    if (target && own_target)
        is_met = output->kind == TN_TO_FILE && !strcmp(target, own_target);
    for (uint64_t i = 0; target && i < output->files.count && !is_met; i++) {
        const char *url =
            url_of(output, tn_output_entry_at(output, i)->name, &arena, &own);
        is_met = url && !strcmp(url, target);
    }
    tn_arena_done(&arena);
    return is_met;
}

/* ---- committing ---------------------------------------------------------- */

/* Files that name others come after those; 2 is the file that identifies the
 * folder. */
static int rank_of(const struct tn_output       *output,
                   const struct tn_output_entry *file)
{
    if (output->kind == TN_TO_FILE)
        return file == output->main ? 2 : 0;
    if (strchr(file->name, '/'))
        return 0;
    return !strncmp(file->name, "saved_model", 11) ||
                   tn_text_ends_with(file->name, ".json") ||
                   tn_text_ends_with(file->name, ".index") ||
                   tn_text_ends_with(file->name, ".pdmodel") ||
                   !strcmp(file->name, "__model__") ||
                   !strcmp(file->name, "checkpoint")
               ? 2
               : 1;
}

static enum tn_status map_file(struct tn_output *output, const char *name,
                               struct tn_bytes *bytes, struct tn_error *error)
{
    struct stat about = { 0 };
    int         file  = tn_beneath_open(output->pool.folder, name, O_RDONLY);
    void       *data  = NULL;

    if (file < 0 || fstat(file, &about) != 0)
        return tn_output_fail_errno(output, "read", name, error);
    if (about.st_size)
        data =
            mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    int number = errno;
    close(file);
    if (data == MAP_FAILED)
        return tn_error_errno(error, number, "cannot map %s", name);
    *bytes = tn_bytes(data, (size_t)about.st_size);
    return TN_OK;
}

static enum tn_status on_old(void *context, const struct tn_listed *listed,
                             struct tn_error *error)
{
    const struct tn_output *output = context;

    if (tn_intern_find(&output->names, tn_text(listed->name)) != TN_NO_NAME)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "%.200s has other files, such as %.100s; remove them "
                        "first",
                        output->url, listed->name);
}

/* Older files of the folder would become part of the new model. */
static enum tn_status check_old(struct tn_output *output,
                                struct tn_error  *error)
{
    if (output->kind != TN_TO_FOLDER || !output->options.can_replace ||
        tn_place_kind_of(output->url) != TN_PLACE_S3)
        return TN_OK;
    return tn_remote_list(output->remote, output->url, true, on_old, output,
                          error);
}

static enum tn_status collect(struct tn_output      *output,
                              struct tn_upload_file *files, uint64_t *count,
                              struct tn_error *error)
{
    for (int rank = 0; rank < 3; rank++)
        for (uint64_t i = 0; i < output->files.count; i++) {
            const struct tn_output_entry *e = tn_output_entry_at(output, i);
            if (rank_of(output, e) != rank)
                continue;
            files[*count].url = url_of(output, e->name, &output->arena, error);
            if (!files[*count].url)
                return error->status;
            TN_TRY(map_file(output, e->file.name, &files[*count].bytes, error));
            (*count)++;
        }
    return TN_OK;
}

static enum tn_status upload(struct tn_output *output, struct tn_error *error)
{
    uint64_t               count = 0;
    struct tn_upload_file *files = tn_new(&output->arena, struct tn_upload_file,
                                          output->files.count, error);

    if (!files)
        return error->status;
    enum tn_status status = check_old(output, error);
    if (status == TN_OK)
        status = collect(output, files, &count, error);
    if (status == TN_OK)
        status = tn_upload(output->remote, files, count,
                           output->options.can_replace, error);
    for (uint64_t i = 0; i < count; i++)
        if (files[i].bytes.size)
            munmap((void *)(uintptr_t)files[i].bytes.data, files[i].bytes.size);
    output->is_committed = status == TN_OK;
    return status;
}

enum tn_status tn_output_commit_remote(struct tn_output *output,
                                       struct tn_error  *error)
{
    return watched(output, upload, error);
}
