/* bundle.c - the files of one model */
#define _DEFAULT_SOURCE
#include "io/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/expect.h"
#include "base/sort.h"
#include "io/beneath.h"
#include "io/file_source.h"
#include "io/os.h"
#include "io/path.h"
#include "io/remote_list.h"
#include "io/remote_place.h"
#include "io/remote_source.h"

/* Exporters write one file per tensor, and a process may have 1024 descriptors.
 * Siblings beyond this number keep their mapping and give up their
 * descriptor. */
#define MOST_DESCRIPTORS 256

/* Opening a pipe must not wait for its other end, and a terminal must not
 * become the one that controls us: fstat then tells what they are, and both are
 * refused. */
#define PLAIN (O_RDONLY | O_NONBLOCK | O_NOCTTY)

/* The query of a URL may be a secret.  Other files get it only if it is made
 * for them as well. */
static enum tn_status take_query(struct tn_bundle *bundle, const char *url,
                                 struct tn_error *error)
{
    if (!tn_url_covers_folder(url)) {
        bundle->is_signed = tn_url_is_signed(url);
        return TN_OK;
    }
    url += strcspn(url, "?");
    bundle->query = (const char *)tn_bytes_dup(
                        &bundle->arena, tn_bytes(url, strcspn(url, "#")), error)
                        .data;
    return error->status;
}

static enum tn_status init(struct tn_bundle *bundle, struct tn_memory *memory,
                           const char *path, struct tn_error *error)
{
    *bundle = (struct tn_bundle){ .memory = memory, .folder = -1, .query = "" };
    tn_arena_init(&bundle->arena, memory);
    tn_intern_init(&bundle->names, &bundle->arena);
    tn_list_init(&bundle->opened, memory, sizeof(struct tn_source *));
    tn_list_init(&bundle->kept, memory, sizeof(struct tn_source *));
    tn_list_init(&bundle->missing, memory, sizeof(bool));
    TN_EXPECT_PATH(path, error);

    bundle->is_remote = tn_url_is(path);
    path              = tn_place_whole(&bundle->arena, path, error);
    if (!path)
        return error->status;
    if (tn_place_kind_of(path) == TN_PLACE_WEB && bundle->is_remote)
        TN_TRY(take_query(bundle, path, error));
    bundle->path = bundle->is_remote ? tn_url_shown(path, &bundle->arena, error)
                                     : tn_text_dup(&bundle->arena, path, error);
    if (!bundle->path)
        return error->status;
    struct tn_bytes name = tn_text(bundle->path);
    while (name.size > 1 && name.data[name.size - 1] == '/')
        name.size--;
    size_t begin = name.size > 1 ? name.size : 0;
    while (begin && name.data[begin - 1] != '/')
        begin--;
    name         = tn_bytes(name.data + begin, name.size - begin);
    name         = tn_bytes_dup(&bundle->arena, name, error);
    bundle->name = (const char *)name.data;
    return error->status;
}

void tn_bundle_close(struct tn_bundle *bundle)
{
    tn_source_close(bundle->main);
    for (uint64_t i = 0; i < bundle->kept.count; i++)
        tn_source_close(*tn_list_at(&bundle->kept, struct tn_source *, i));
    tn_list_done(&bundle->kept);
    for (uint64_t i = 0; i < bundle->opened.count; i++)
        tn_source_close(*tn_list_at(&bundle->opened, struct tn_source *, i));
    tn_list_done(&bundle->opened);
    tn_list_done(&bundle->missing);
    tn_remote_close(bundle->remote);
    tn_intern_done(&bundle->names);
    tn_arena_done(&bundle->arena);
    if (bundle->folder >= 0)
        close(bundle->folder);
    bundle->main   = NULL;
    bundle->remote = NULL;
    bundle->folder = -1;
}

/* The folder that the path, as given, is in.  A folder that may be entered but
 * not listed still has siblings; one that may not be entered has none. */
static int open_parent(struct tn_bundle *bundle, struct tn_error *error)
{
    size_t      size   = strlen(bundle->path) - strlen(bundle->name);
    const char *parent = ".";

    if (size)
        parent = (const char *)tn_bytes_dup(&bundle->arena,
                                            tn_bytes(bundle->path, size), error)
                     .data;
    if (!parent)
        return -1;
    int folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        folder = open(parent, tn_os->look | O_DIRECTORY | O_CLOEXEC);
    return folder;
}

/* Takes the descriptor over. */
static enum tn_status open_main(struct tn_bundle *bundle, int file,
                                bool has_siblings, struct tn_error *error)
{
    struct stat about;

    if (fstat(file, &about) != 0) {
        int number = errno;
        close(file);
        return tn_error_errno(error, number, "cannot open %s", bundle->path);
    }
    if (S_ISDIR(about.st_mode)) {
        bundle->folder = file;
        return TN_OK;
    }
    if (!S_ISREG(about.st_mode)) {
        enum tn_status status =
            tn_source_spool(&bundle->main, bundle->memory, file, "", error);
        close(file);
        return status;
    }
    if (has_siblings)
        bundle->folder = open_parent(bundle, error);
    if (tn_failed(error)) {
        close(file);
        return error->status;
    }
    return tn_source_file(&bundle->main, bundle->memory, file, "",
                          bundle->prefers_map, error);
}

/* `tenon info - <file` needs no spooling, unless another program read from it
 * before us and the model begins in the middle. */
static enum tn_status open_input(struct tn_bundle *bundle,
                                 struct tn_error  *error)
{
    struct stat about;

    if (fstat(STDIN_FILENO, &about) != 0)
        return tn_error_errno(error, errno, "cannot read standard input");
    if (S_ISDIR(about.st_mode))
        return tn_error_errno(error, EISDIR, "cannot read standard input");
    if (!S_ISREG(about.st_mode) || lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
        return tn_source_spool(&bundle->main, bundle->memory, STDIN_FILENO, "",
                               error);
    int file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (file < 0)
        return tn_error_errno(error, errno, "cannot open standard input");
    return open_main(bundle, file, false, error);
}

/* `url` has a query, which the path of the bundle leaves out. */
static enum tn_status open_url(struct tn_bundle *bundle, const char *url,
                               struct tn_error *error)
{
    TN_TRY(tn_remote_open(&bundle->remote, bundle->memory,
                          bundle->memory->remote, error));
    if (tn_text_ends_with(bundle->path, "/"))
        return TN_OK;
    return tn_remote_source(&bundle->main, bundle->remote, url, "", true,
                            error);
}

static enum tn_status open_path(struct tn_bundle *bundle, const char *path,
                                struct tn_error *error)
{
    if (bundle->is_remote)
        return open_url(bundle, path, error);
    if (!strcmp(bundle->path, "-"))
        return open_input(bundle, error);
    if (!bundle->path[0])
        return tn_error_set(error, TN_IO, TN_NOWHERE,
                            "cannot open a file without a name");
    int file = tn_path_open(bundle->path, O_RDONLY | O_NOCTTY);
    if (file < 0 && errno == ENOENT && tn_url_is_any(tn_text(path)))
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "URLs of this kind are not supported; use https://, "
            "http://, s3:// or hf://");
    if (file < 0 && errno == ENOENT && tn_url_is_cut(path))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "there is no such file, and a URL has \"//\" "
                            "behind its scheme");
    if (file < 0)
        return tn_error_errno(error, errno, "cannot open %s", bundle->path);
    return open_main(bundle, file, true, error);
}

enum tn_status tn_bundle_open(struct tn_bundle *bundle,
                              struct tn_memory *memory, const char *path,
                              const struct tn_bundle_options *options,
                              struct tn_error                *error)
{
    enum tn_status status = init(bundle, memory, path, error);

    bundle->prefers_map = !options || !options->keep_unmapped;
    if (status == TN_OK)
        status = open_path(bundle, path, error);
    if (status != TN_OK)
        tn_bundle_close(bundle);
    return status;
}

enum tn_status tn_bundle_from_source(struct tn_bundle *bundle,
                                     struct tn_memory *memory,
                                     struct tn_source *source, const char *name,
                                     struct tn_error *error)
{
    enum tn_status status = init(bundle, memory, name, error);

    bundle->main      = source;
    bundle->is_remote = false;
    if (status != TN_OK)
        tn_bundle_close(bundle);
    return status;
}

static enum tn_status fail_open(struct tn_bundle *bundle, const char *name,
                                int number, struct tn_error *error)
{
    if (!tn_bundle_has_folder(bundle))
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "cannot open \"%.100s\": %s has no folder", name,
                            strcmp(bundle->name, "-") ? bundle->name
                                                      : "standard input");
    if (number == ENOENT || number == ENOTDIR)
        return tn_error_because(error, TN_NOT_FOUND, TN_REASON_MISSING_FILE,
                                TN_NOWHERE,
                                "the file \"%.100s\" does not exist", name);
    if (number == ELOOP)
        return tn_error_because(
            error, TN_INVALID, TN_REASON_SYMBOLIC_LINK, TN_NOWHERE,
            "\"%.100s\" is reached through a symbolic link", name);
    return tn_error_errno(error, number, "cannot open \"%.100s\"", name);
}

/* The rule that an opened file breaks, or NULL.  A second link would let a
 * model read a file that lives elsewhere under another name. */
static const char *broken_rule(int file)
{
    struct stat about;

    if (fstat(file, &about) != 0)
        return "cannot be examined";
    if (S_ISDIR(about.st_mode))
        return "is a folder";
    if (!S_ISREG(about.st_mode))
        return "is not a regular file";
    return about.st_nlink > 1 ? "has more than one hard link" : NULL;
}

static struct tn_source **sibling_slot(struct tn_bundle *bundle,
                                       const char *name, uint64_t *id,
                                       struct tn_error *error);

/* ---- siblings on a server ----------------------------------------------- */

static bool *missing_slot(struct tn_bundle *bundle, uint64_t id,
                          struct tn_error *error)
{
    while (bundle->missing.count <= id)
        if (!tn_list_push(&bundle->missing, bool, error))
            return NULL;
    return tn_list_at(&bundle->missing, bool, id);
}

static const char *sibling_url(struct tn_bundle *bundle, const char *name,
                               struct tn_error *error)
{
    const char *url = tn_url_beside(&bundle->arena, bundle->path, name, error);

    return url && bundle->query[0] ? tn_text_format(&bundle->arena, error,
                                                    "%s%s", url, bundle->query)
                                   : url;
}

/* The signature of a link to one file is not valid for the files beside it. */
static void explain_denial(const struct tn_bundle *bundle,
                           struct tn_error        *error)
{
    size_t size = strlen(error->what);

    if (error->reason == TN_REASON_ACCESS_DENIED && bundle->is_signed)
        snprintf(error->what + size, sizeof error->what - size,
                 "; the signature in the URL is for one file, and this model "
                 "has several");
}

static enum tn_status open_remote_sibling(struct tn_bundle *bundle,
                                          const char *name, uint64_t id,
                                          struct tn_source **source,
                                          struct tn_error   *error)
{
    bool *is_missing = missing_slot(bundle, id, error);

    if (!is_missing)
        return error->status;
    const char *url = sibling_url(bundle, name, error);
    if (!url)
        return error->status;
    if (!*is_missing)
        tn_remote_source(source, bundle->remote, url, name, true, error);
    explain_denial(bundle, error);
    *is_missing = *is_missing || error->reason == TN_REASON_MISSING_FILE;
    if (!*is_missing)
        return error->status;
    tn_error_clear(error);
    return fail_open(bundle, name, ENOENT, error);
}

/* A URL that a file names is not requested unless the user allows it.
 * Credentials are sent only for what the user named. */
static enum tn_status open_named_url(struct tn_bundle *bundle,
                                     struct tn_bytes name, uint64_t *id,
                                     struct tn_source **source,
                                     struct tn_error   *error)
{
    const struct tn_remote_options *options = bundle->memory->remote;

    if (!options || !options->allows_external)
        return tn_error_because(
            error, TN_INVALID, TN_REASON_URL_IN_FILE, TN_NOWHERE,
            "the model names the URL \"%.*s\", which is not opened; "
            "--allow-remote-external allows that",
            (int)(name.size < 200 ? name.size : 200), (const char *)name.data);
    struct tn_bytes url = tn_bytes_dup(&bundle->arena, name, error);
    if (!url.data)
        return error->status;
    struct tn_source **slot =
        sibling_slot(bundle, (const char *)url.data, id, error);
    if (!slot)
        return error->status;
    if (!*slot && !bundle->remote)
        TN_TRY(tn_remote_open(&bundle->remote, bundle->memory, options, error));
    if (!*slot)
        TN_TRY(tn_remote_source(slot, bundle->remote, (const char *)url.data,
                                (const char *)url.data, false, error));
    *source = *slot;
    return TN_OK;
}

static enum tn_status open_sibling(struct tn_bundle *bundle, const char *name,
                                   uint64_t position, struct tn_source **source,
                                   struct tn_error *error)
{
    if (bundle->is_remote)
        return open_remote_sibling(bundle, name, position, source, error);
    int file = tn_beneath_open(bundle->folder, name, PLAIN);

    if (file < 0)
        return fail_open(bundle, name, errno, error);
    const char *rule = broken_rule(file);
    if (rule) {
        close(file);
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "\"%.100s\" %s",
                            name, rule);
    }
    TN_TRY(tn_source_file(source, bundle->memory, file, name,
                          bundle->prefers_map, error));
    if (position >= MOST_DESCRIPTORS)
        tn_source_close_file(*source);
    return TN_OK;
}

/* The slot of a name, which holds its source once that is open. */
static struct tn_source **sibling_slot(struct tn_bundle *bundle,
                                       const char *name, uint64_t *id,
                                       struct tn_error *error)
{
    *id = tn_intern_borrow(&bundle->names, tn_text(name), error);
    if (*id == TN_NO_NAME)
        return NULL;
    while (bundle->opened.count <= *id)
        if (!tn_list_push(&bundle->opened, struct tn_source *, error))
            return NULL;
    return tn_list_at(&bundle->opened, struct tn_source *, *id);
}

enum tn_status tn_bundle_sibling(struct tn_bundle *bundle, struct tn_bytes name,
                                 struct tn_source **source,
                                 struct tn_error   *error)
{
    uint64_t id;

    *source = NULL;
    /* Most names are in their shortest form already, and are asked for many
     * times. */
    uint32_t known = tn_intern_find(&bundle->names, name);
    if (known < bundle->opened.count)
        *source = *tn_list_at(&bundle->opened, struct tn_source *, known);
    if (*source)
        return TN_OK;

    if (tn_url_is_any(name))
        return open_named_url(bundle, name, &id, source, error);
    const char *clean = tn_beneath_name(&bundle->arena, name, error);
    if (!clean)
        return error->status;
    struct tn_source **slot = sibling_slot(bundle, clean, &id, error);
    if (!slot)
        return error->status;
    if (!*slot)
        TN_TRY(open_sibling(bundle, clean, id, slot, error));
    *source = *slot;
    return TN_OK;
}

bool tn_bundle_has(struct tn_bundle *bundle, const char *name)
{
    struct tn_error   ignored = TN_ERROR_INIT;
    struct tn_source *source;
    struct tn_arena   arena;

    if (bundle->is_remote)
        return tn_bundle_sibling(bundle, tn_text(name), &source, &ignored) ==
               TN_OK;
    tn_arena_init(&arena, bundle->memory);
    const char *clean = tn_beneath_name(&arena, tn_text(name), &ignored);
    int         file  = -1;
    if (clean && bundle->folder >= 0)
        file = tn_beneath_open(bundle->folder, clean, tn_os->look);
    tn_arena_done(&arena);
    if (file < 0)
        return false;
    bool is_plain = !broken_rule(file);
    close(file);
    return is_plain;
}

static bool is_folder(int folder, const struct dirent *entry)
{
    struct stat about;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return !fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) &&
           S_ISDIR(about.st_mode);
}

static enum tn_status collect(struct tn_bundle *bundle, DIR *entries,
                              struct tn_list *names, struct tn_error *error)
{
    for (;;) {
        errno                = 0;
        struct dirent *entry = readdir(entries);
        if (!entry && errno)
            return tn_error_errno(error, errno, "cannot list %s", bundle->path);
        if (!entry)
            return TN_OK;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        const char **name = tn_list_push(names, const char *, error);
        if (!name)
            return error->status;
        *name = tn_text_format(&bundle->arena, error, "%s%s", entry->d_name,
                               is_folder(dirfd(entries), entry) ? "/" : "");
        if (!*name)
            return error->status;
    }
}

static int by_name(const void *a, const void *b, void *context)
{
    (void)context;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum tn_status sort_names(struct tn_bundle   *bundle,
                                 struct tn_list     *found,
                                 const char *const **names,
                                 struct tn_error    *error)
{
    const char **kept =
        tn_list_keep(found, const char *, &bundle->arena, error);

    if (!kept)
        return error->status;
    tn_sort_items(kept, found->count, sizeof *kept, by_name, NULL);
    *names = kept;
    return TN_OK;
}

static enum tn_status list_entries(struct tn_bundle *bundle, DIR *entries,
                                   struct tn_list     *found,
                                   const char *const **names,
                                   struct tn_error    *error)
{
    TN_TRY(collect(bundle, entries, found, error));
    return sort_names(bundle, found, names, error);
}

static DIR *open_folder(struct tn_bundle *bundle, const char *folder,
                        struct tn_error *error)
{
    const char *clean = folder;

    if (folder[0])
        clean = tn_beneath_name(&bundle->arena, tn_text(folder), error);
    if (!clean)
        return NULL;
    int  inner   = -1;
    DIR *entries = NULL;
    if (bundle->folder >= 0)
        inner = tn_beneath_open(bundle->folder, clean, O_RDONLY | O_DIRECTORY);
    if (inner >= 0)
        entries = fdopendir(inner);
    if (entries)
        return entries;
    fail_open(bundle, folder, errno, error);
    if (inner >= 0)
        close(inner);
    return NULL;
}

/* ---- folders on a server ------------------------------------------------ */

struct remote_names {
    struct tn_bundle *bundle;
    struct tn_list    found; /* const char *                                  */
};

static enum tn_status on_listed(void *context, const struct tn_listed *listed,
                                struct tn_error *error)
{
    struct remote_names *r    = context;
    const char         **name = tn_list_push(&r->found, const char *, error);

    if (name)
        *name = tn_text_dup(&r->bundle->arena, listed->name, error);
    return error->status;
}

static enum tn_status list_on_server(struct tn_bundle   *bundle,
                                     const char         *folder,
                                     const char *const **names, uint64_t *count,
                                     struct tn_error *error)
{
    struct remote_names r   = { .bundle = bundle };
    const char         *end = tn_text_ends_with(folder, "/") ? "" : "/";
    const char         *url = folder[0]
                                  ? tn_text_format(&bundle->arena, error, "%s%s%s",
                                                   bundle->path, folder, end)
                                  : bundle->path;

    if (!url)
        return error->status;
    tn_list_init(&r.found, bundle->memory, sizeof(const char *));
    enum tn_status status =
        tn_remote_list(bundle->remote, url, false, on_listed, &r, error);
    if (status == TN_OK)
        status = sort_names(bundle, &r.found, names, error);
    if (status == TN_OK)
        *count = r.found.count;
    tn_list_done(&r.found);
    return status;
}

/* Usual names of models in a folder; the first one that exists is taken. */
static const char *const known_names[] = {
    "saved_model.pb",    "model.safetensors.index.json",
    "model.safetensors", "model.onnx",
    "saved_model.pbtxt", "inference.pdmodel",
};

/* Web servers may list only some of their files, or none: so the usual names of
 * models are tried first. */
static enum tn_status list_web(struct tn_bundle   *bundle,
                               const char *const **names, uint64_t *count,
                               struct tn_error *error)
{
    struct tn_error   own = TN_ERROR_INIT;
    struct tn_source *source;

    for (size_t i = 0; i < sizeof known_names / sizeof known_names[0]; i++) {
        tn_error_clear(&own);
        if (tn_bundle_sibling(bundle, tn_text(known_names[i]), &source, &own) ==
            TN_OK) {
            *names = &known_names[i];
            *count = 1;
            return TN_OK;
        }
        if (own.reason != TN_REASON_MISSING_FILE) {
            *error = own;
            return own.status;
        }
    }
    tn_error_clear(&own);
    if (list_on_server(bundle, "", names, count, &own) == TN_OK && *count)
        return TN_OK;
    if (tn_failed(&own) && own.reason != TN_REASON_MISSING_FILE &&
        own.reason != TN_REASON_ACCESS_DENIED) {
        *error = own;
        return own.status;
    }
    return tn_error_because(
        error, TN_NOT_FOUND, TN_REASON_MISSING_FILE, TN_NOWHERE,
        "cannot read %.300s: no saved_model.pb, model.safetensors.index.json, "
        "model.safetensors, model.onnx or inference.pdmodel is there, and the "
        "server does not list its files; name the file",
        bundle->path);
}

static enum tn_status list_remote(struct tn_bundle *bundle, const char *folder,
                                  const char *const **names, uint64_t *count,
                                  struct tn_error *error)
{
    bool is_web = tn_place_kind_of(bundle->path) == TN_PLACE_WEB;

    *names = known_names;
    if (bundle->main || (is_web && folder[0]))
        return TN_OK;
    if (is_web)
        return list_web(bundle, names, count, error);
    TN_TRY(list_on_server(bundle, folder, names, count, error));
    if (*count)
        return TN_OK;
    return tn_error_because(error, TN_NOT_FOUND, TN_REASON_MISSING_FILE,
                            TN_NOWHERE, "cannot read %.300s: it has no files",
                            bundle->path);
}

enum tn_status tn_bundle_list(struct tn_bundle *bundle, const char *folder,
                              const char *const **names, uint64_t *count,
                              struct tn_error *error)
{
    struct tn_list found;

    *names = NULL;
    *count = 0;
    if (bundle->is_remote)
        return list_remote(bundle, folder, names, count, error);
    DIR *entries = open_folder(bundle, folder, error);
    if (!entries)
        return error->status;
    tn_list_init(&found, bundle->memory, sizeof(const char *));
    enum tn_status status = list_entries(bundle, entries, &found, names, error);
    if (status == TN_OK)
        *count = found.count;
    tn_list_done(&found);
    closedir(entries);
    return status;
}

bool tn_bundle_lists_all(const struct tn_bundle *bundle)
{
    if (!bundle->is_remote)
        return bundle->folder >= 0;
    return !bundle->main && tn_place_kind_of(bundle->path) != TN_PLACE_WEB;
}

enum tn_status tn_bundle_keep(struct tn_bundle *bundle,
                              struct tn_source *source, struct tn_error *error)
{
    struct tn_source **slot =
        tn_list_push(&bundle->kept, struct tn_source *, error);

    if (slot)
        *slot = source;
    else
        tn_source_close(source);
    return error->status;
}
