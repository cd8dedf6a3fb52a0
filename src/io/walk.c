/* walk.c - the files below a folder, in the order of their paths */
#define _DEFAULT_SOURCE
#include "io/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/utf8.h"

struct name {
    const char     *raw;
    struct tn_bytes shown; /* of a folder with a '/' at the end               */
    bool            is_folder;
};

/* A folder that is open. */
struct level {
    struct tn_arena arena;
    const char     *path;  /* ends in '/', unless it is empty                 */
    struct tn_bytes shown; /* likewise                                        */
    struct name    *names;
    uint64_t        count, next;
    const char     *except; /* a name that is left out; NULL: none */
};

struct tn_walk {
    struct tn_memory *memory;
    struct tn_arena   own;  /* the root                                       */
    struct tn_arena   each; /* the entry                                      */
    struct level      levels[TN_WALK_DEPTH];
    unsigned          depth;
    struct tn_bytes   root;
    const char       *except; /* a name in the folder below; NULL: none       */
    dev_t             except_device;
    ino_t             except_folder;
};

/* ---- names as text -------------------------------------------------------- */

static bool is_plain(struct tn_bytes name)
{
    if (!tn_utf8_is_valid(name) || tn_bytes_find(name, 0))
        return false;
    for (size_t i = 0; i + 1 < name.size; i++)
        if (name.data[i] == '\\' && name.data[i + 1] == 'x')
            return false;
    return true;
}

struct tn_bytes tn_walk_show(struct tn_arena *arena, struct tn_bytes name,
                             struct tn_error *error)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t    *end      = name.data + name.size;

    if (is_plain(name))
        return tn_bytes_dup(arena, name, error);
    uint8_t *text = tn_new(arena, uint8_t, name.size * 4 + 1, error), *to = text;
    if (!text)
        return tn_bytes(NULL, 0);
    for (const uint8_t *at = name.data; at < end;) {
        unsigned size = *at ? tn_utf8_check(at, end) : 0;
        if (*at == '\\' && at + 1 < end && at[1] == 'x')
            size = 0;
        if (size) {
            memcpy(to, at, size);
            to += size;
            at += size;
            continue;
        }
        *to++ = '\\';
        *to++ = 'x';
        *to++ = (uint8_t)digits[*at >> 4];
        *to++ = (uint8_t)digits[*at++ & 15];
    }
    return tn_bytes(text, (size_t)(to - text));
}

/* ---- one folder ----------------------------------------------------------- */

static int by_shown(const void *a, const void *b, void *context)
{
    (void)context;
    return tn_bytes_compare(((const struct name *)a)->shown,
                            ((const struct name *)b)->shown);
}

/* A folder itself, not a link to one. */
static bool is_folder(int folder, const struct dirent *entry)
{
    struct stat about;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(about.st_mode);
}

static bool is_left_out(const char *except, const char *name)
{
    static const char *const suffixes[] = {
        "",     ".part",    ".lock", "-journal", ".part-journal",
        "-wal", ".part-wal", "-shm",  ".part-shm"
    };
    size_t size = except ? strlen(except) : 0;

    if (!except || strncmp(name, except, size) != 0)
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (strcmp(name + size, suffixes[i]) == 0)
            return true;
    return false;
}

static void add_name(struct level *level, struct tn_list *found, DIR *entries,
                     const struct dirent *entry, struct tn_error *error)
{
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
        is_left_out(level->except, entry->d_name))
        return;
    struct name *name = tn_list_push(found, struct name, error);
    if (!name)
        return;
    name->is_folder = is_folder(dirfd(entries), entry);
    name->raw = tn_text_format(&level->arena, error, "%s%s", entry->d_name,
                               name->is_folder ? "/" : "");
    if (name->raw)
        name->shown = tn_walk_show(&level->arena, tn_text(name->raw), error);
}

/* The next entry; at the end NULL and no errno. */
static const struct dirent *next_entry(DIR *entries)
{
    errno = 0;
    return readdir(entries);
}

/* Returns the errno of a folder that could be listed only in part, or 0. */
static int list_folder(struct level *level, DIR *entries,
                       struct tn_memory *memory, struct tn_error *error)
{
    struct tn_list       found;
    const struct dirent *entry;
    int                  number = 0;

    tn_list_init(&found, memory, sizeof(struct name));
    while (!tn_failed(error) && (entry = next_entry(entries)))
        add_name(level, &found, entries, entry, error);
    if (!tn_failed(error))
        number = errno;
    level->names = tn_list_keep(&found, struct name, &level->arena, error);
    level->count = tn_failed(error) ? 0 : found.count;
    tn_list_done(&found);
    if (level->count)
        tn_sort_items(level->names, level->count, sizeof(struct name),
                      by_shown, NULL);
    return number;
}

/* The '/' at the end of a path would follow a link. */
static int open_folder(const char *path, int flags)
{
    char   bare[PATH_MAX];
    size_t size = strlen(path);

    if (size >= sizeof bare) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(bare, path, size + 1);
    if (size > 1)
        bare[size - 1] = '\0';
    return open(bare, flags);
}

/* False with errno if it cannot be listed.  `how` is O_NOFOLLOW, except for the
 * root: a folder that became a link meanwhile is not followed. */
static bool enter(struct tn_walk *walk, const char *path, struct tn_bytes shown,
                  int how, struct tn_error *error)
{
    struct level *level = &walk->levels[walk->depth];
    int           folder =
        open_folder(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | how);
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;

    if (!entries) {
        int number = errno;
        if (folder >= 0)
            close(folder);
        errno = number;
        return false;
    }
    struct stat about;
    *level = (struct level){ 0 };
    if (walk->except && fstat(folder, &about) == 0 &&
        about.st_dev == walk->except_device &&
        about.st_ino == walk->except_folder)
        level->except = walk->except;
    tn_arena_init(&level->arena, walk->memory);
    walk->depth++;
    level->path  = tn_text_dup(&level->arena, path, error);
    level->shown = tn_bytes_dup(&level->arena, shown, error);
    int number = 0;
    if (!tn_failed(error))
        number = list_folder(level, entries, walk->memory, error);
    closedir(entries);
    if (!number)
        return true;
    tn_arena_done(&level->arena);
    walk->depth--;
    errno = number;
    return false;
}

/* ---- the walk ------------------------------------------------------------- */

/* "a//" is "a/". */
static char *with_slash(struct tn_arena *arena, const char *path,
                        struct tn_error *error)
{
    size_t size = strlen(path);

    while (size > 1 && path[size - 1] == '/')
        size--;
    return tn_text_format(arena, error, "%.*s%s", (int)size, path,
                          size && path[size - 1] == '/' ? "" : "/");
}

static enum tn_status take_except(struct tn_walk *walk, const char *path,
                                  struct tn_error *error)
{
    const char *slash  = strrchr(path, '/');
    const char *folder = tn_text_format(
        &walk->own, error, "%.*s", slash ? (int)(slash - path) + 1 : 1,
        slash ? path : ".");
    struct stat about;

    if (!folder || stat(folder, &about) != 0)
        return error->status;
    walk->except        = tn_text_dup(&walk->own, slash ? slash + 1 : path,
                                      error);
    walk->except_device = about.st_dev;
    walk->except_folder = about.st_ino;
    return error->status;
}

static enum tn_status begin(struct tn_walk *walk, const char *root,
                            const char *except, struct tn_error *error)
{
    if (except)
        TN_TRY(take_except(walk, except, error));
    char *path = with_slash(&walk->own, root, error);
    if (!path)
        return error->status;
    walk->root = tn_walk_show(&walk->own, tn_text(path), error);
    if (!tn_failed(error) && !enter(walk, path, walk->root, 0, error))
        return tn_error_errno(error, errno, "cannot list the folder");
    return error->status;
}

enum tn_status tn_walk_open(struct tn_walk **out, struct tn_memory *memory,
                            const char *root, const char *except,
                            struct tn_error *error)
{
    struct tn_walk *walk =
        tn_memory_resize(memory, NULL, 0, sizeof *walk, error);

    *out = NULL;
    if (!walk)
        return error->status;
    walk->memory = memory;
    walk->depth  = 0;
    walk->except = NULL;
    tn_arena_init(&walk->own, memory);
    tn_arena_init(&walk->each, memory);
    if (begin(walk, root, except, error) == TN_OK)
        *out = walk;
    else
        tn_walk_close(walk);
    return error->status;
}

enum tn_walk_kind tn_walk_kind(const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return lstat(path, &about) == 0 && S_ISLNK(about.st_mode)
                   ? TN_WALK_BROKEN
                   : TN_WALK_FILE; /* opening it says what is wrong */
    return S_ISREG(about.st_mode) ? TN_WALK_FILE : TN_WALK_SPECIAL;
}

static bool is_link_to_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Takes the next name; false if there is nothing to tell about it. */
static bool take(struct tn_walk *walk, struct tn_walk_entry *entry,
                 struct tn_error *error)
{
    struct level      *level = &walk->levels[walk->depth - 1];
    const struct name *name  = &level->names[level->next++];

    tn_arena_rewind(&walk->each);
    entry->path = tn_text_format(&walk->each, error, "%s%s", level->path,
                                 name->raw);
    uint8_t *shown = tn_new(&walk->each, uint8_t,
                            level->shown.size + name->shown.size + 1, error);
    if (!entry->path || !shown)
        return false;
    memcpy(shown, level->shown.data, level->shown.size);
    memcpy(shown + level->shown.size, name->shown.data, name->shown.size);
    entry->shown  = tn_bytes(shown, level->shown.size + name->shown.size);
    entry->number = 0;
    if (!name->is_folder) {
        entry->kind = tn_walk_kind(entry->path);
        return entry->kind != TN_WALK_SPECIAL ||
               !is_link_to_folder(entry->path);
    }
    entry->kind = TN_WALK_DEEP;
    if (walk->depth == TN_WALK_DEPTH)
        return true;
    entry->kind = TN_WALK_FAILED;
    if (enter(walk, entry->path, entry->shown, O_NOFOLLOW, error))
        return false;
    entry->number = errno;
    return true;
}

struct tn_bytes tn_walk_root(const struct tn_walk *walk)
{
    return walk->root;
}

bool tn_walk_next(struct tn_walk *walk, struct tn_walk_entry *entry,
                  struct tn_error *error)
{
    *entry = (struct tn_walk_entry){ 0 };
    while (walk->depth > 0 && !tn_failed(error)) {
        struct level *level = &walk->levels[walk->depth - 1];
        if (level->next < level->count) {
            if (take(walk, entry, error))
                return true;
            continue;
        }
        tn_arena_done(&level->arena);
        walk->depth--;
    }
    return false;
}

void tn_walk_close(struct tn_walk *walk)
{
    if (!walk)
        return;
    while (walk->depth > 0)
        tn_arena_done(&walk->levels[--walk->depth].arena);
    tn_arena_done(&walk->each);
    tn_arena_done(&walk->own);
    tn_memory_free(walk->memory, walk, sizeof *walk);
}

bool tn_walk_identity(const char *path, char to[TN_WALK_IDENTITY],
                      uint64_t *size)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return false;
    if (!S_ISREG(about.st_mode)) {
        errno = EINVAL;
        return false;
    }
    snprintf(to, TN_WALK_IDENTITY, "%" PRIx64 "-%" PRIx64 "-%" PRIx64,
             (uint64_t)about.st_ino, (uint64_t)about.st_size,
             (uint64_t)about.st_mtim.tv_sec * UINT64_C(1000000000) +
                 (uint64_t)about.st_mtim.tv_nsec);
    *size = (uint64_t)about.st_size;
    return true;
}
