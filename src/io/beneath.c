/* beneath.c - names that a file gives us, and the one folder they may reach */
#include "io/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/byte_view.h"
#include "base/utf8.h"
#include "io/os.h"

/* How deep folders are removed. */
#define DEPTH_LIMIT 64

static bool has_drive(struct tn_bytes name)
{
    uint8_t letter = name.size >= 2 ? name.data[0] | 0x20 : 0;

    return letter >= 'a' && letter <= 'z' && name.data[1] == ':';
}

/* The rule that the whole name breaks, or NULL. */
static const char *broken_rule(struct tn_bytes name)
{
    if (name.size == 0)
        return "is empty";
    if (name.size > 4096)
        return "is longer than 4096 bytes";
    if (tn_bytes_find(name, '\0'))
        return "contains a zero byte";
    if (!tn_utf8_is_valid(name))
        return "is not UTF-8";
    if (name.data[0] == '/')
        return "is absolute";
    if (tn_bytes_find(name, '\\'))
        return "contains a backslash";
    if (has_drive(name))
        return "begins with a drive letter";
    return NULL;
}

/* The next component, without the slashes around it; empty at the end. */
static struct tn_bytes next_component(struct tn_bytes *rest)
{
    while (rest->size && rest->data[0] == '/')
        *rest = tn_bytes(rest->data + 1, rest->size - 1);
    size_t size = 0;
    while (size < rest->size && rest->data[size] != '/')
        size++;
    struct tn_bytes component = tn_bytes(rest->data, size);
    *rest                     = tn_bytes(rest->data + size, rest->size - size);
    return component;
}

/* Writes the components with one slash between them; NULL or a broken rule. */
static const char *shorten(struct tn_bytes name, char *to)
{
    char *begin = to;

    for (;;) {
        struct tn_bytes component = next_component(&name);
        if (component.size == 0)
            break;
        if (tn_bytes_is(component, ".."))
            return "contains \"..\"";
        if (component.size > 255)
            return "has a component of more than 255 bytes";
        if (tn_bytes_is(component, "."))
            continue;
        if (to != begin)
            *to++ = '/';
        memcpy(to, component.data, component.size);
        to += component.size;
    }
    *to = '\0';
    return to == begin ? "names no file" : NULL;
}

const char *tn_beneath_name(struct tn_arena *arena, struct tn_bytes name,
                            struct tn_error *error)
{
    const char *rule  = broken_rule(name);
    char       *clean = NULL;

    if (!rule) {
        clean = tn_arena_alloc(arena, (uint64_t)name.size + 1, 1, error);
        if (!clean)
            return NULL;
        rule = shorten(name, clean);
    }
    if (!rule)
        return clean;
    tn_error_set(error, TN_INVALID, TN_NOWHERE, "the file name \"%.*s\" %s",
                 (int)(name.size > 100 ? 100 : name.size),
                 name.size ? (const char *)name.data : "", rule);
    return NULL;
}

/* Reports ELOOP for a symlink whatever the flags are: O_PATH would open the
 * link, and O_DIRECTORY would report "not a directory". */
static int open_component(int at, const char *name, int flags)
{
    struct stat about;

    if (!fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) &&
        S_ISLNK(about.st_mode)) {
        errno = ELOOP;
        return -1;
    }
    return openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int tn_beneath_walk(int folder, const char *name, int flags)
{
    struct tn_bytes rest = tn_text(name[0] ? name : ".");
    char            component[256];
    int at = openat(folder, ".", tn_os->look | O_DIRECTORY | O_CLOEXEC);

    while (at >= 0) {
        struct tn_bytes next    = next_component(&rest);
        bool            is_last = rest.size == 0;
        size_t          size    = tn_min_size(next.size, sizeof component - 1);
        memcpy(component, next.data, size);
        component[size] = '\0';
        int down        = open_component(at, component,
                                  is_last ? flags : tn_os->look | O_DIRECTORY);
        int kept        = errno;
        close(at);
        errno = kept;
        if (is_last)
            return down;
        at = down;
    }
    return -1;
}

int tn_beneath_open(int folder, const char *name, int flags)
{
    int file =
        tn_os->open_beneath(folder, name[0] ? name : ".", flags | O_CLOEXEC);

    if (file < 0 && errno == ENOSYS)
        return tn_beneath_walk(folder, name, flags);
    return file;
}

static int remove_inside(int folder, unsigned depth);

static int remove_entry(int folder, const char *name, unsigned depth)
{
    if (unlinkat(folder, name, 0) == 0)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    if (depth == DEPTH_LIMIT) {
        errno = ELOOP;
        return -1;
    }
    int inner =
        openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0 || remove_inside(inner, depth + 1) != 0)
        return -1;
    return unlinkat(folder, name, AT_REMOVEDIR);
}

/* Takes the descriptor over. */
static int remove_inside(int folder, unsigned depth)
{
    DIR           *entries = fdopendir(folder);
    struct dirent *entry;
    int            result = 0;

    if (!entries) {
        close(folder);
        return -1;
    }
    while ((entry = readdir(entries)) != NULL) {
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, ".."))
            continue;
        if (remove_entry(folder, name, depth) != 0)
            result = -1;
    }
    closedir(entries);
    return result;
}

int tn_beneath_remove(int folder, const char *name)
{
    return remove_entry(folder, name, 0);
}

enum tn_status tn_beneath_check(struct tn_arena *arena, const char *folder,
                                struct tn_bytes name, struct tn_error *error)
{
    const char *clean = tn_beneath_name(arena, name, error);

    if (!clean)
        return error->status;
    int at   = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = at < 0 ? -1 : tn_beneath_open(at, clean, O_RDONLY | O_NONBLOCK);
    if (at >= 0 && file < 0 && errno == ELOOP)
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "'%s' is a symbolic link, or behind one", clean);
    if (file >= 0)
        close(file);
    if (at >= 0)
        close(at);
    return error->status;
}
