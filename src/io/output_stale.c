/*
 * output_stale.c - the lock of a live writer, and the files that dead ones left
 *
 *   .NAME.tenon-XXXXXXXX         a file or folder before it gets its name
 *   .NAME.tenon-XXXXXXXX-YYYYYY  the same, if that name was taken
 *   .NAME.tenon-XXXXXXXX-old     what a commit replaces
 *   .NAME.tenon-XXXXXXXX-lock    locked from before the first of them exists
 *                                until the last is gone; empty
 *
 * Process ids prove nothing: they are reused, and name another process in a
 * container or on another machine.  A lock ends with its holder.  If a writer
 * made its lock file and did not get the lock, or got it after the name was
 * gone, another process was cleaning up: the writer makes a new one.
 */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/beneath.h"
#include "io/os.h"
#include "io/output_state.h"

#define MARK     ".tenon-"
#define TRIES    100
#define LETTERS  "abcdefghijklmnopqrstuvwxyz012345"
#define MARK_END (sizeof MARK - 1)

void tn_output_letters(char *to, size_t count)
{
    uint8_t bytes[TN_OUTPUT_TOKEN] = { 0 };

    tn_os->random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < count; i++)
        to[i] = LETTERS[bytes[i] % 32];
    to[count] = '\0';
}

/* The parts of one of our names. */
struct leftover {
    const char *name;
    const char *token;
    const char *suffix; /* "", "-lock", "-old" or another */
};

static bool take_apart(const char *name, struct leftover *l)
{
    const char *mark = NULL;

    for (const char *at = name; (at = strstr(at, MARK)) != NULL; at++)
        mark = at;
    if (name[0] != '.' || !mark || mark == name)
        return false;
    *l = (struct leftover){ name, mark + MARK_END,
                            mark + MARK_END + TN_OUTPUT_TOKEN };
    return strspn(l->token, LETTERS) == TN_OUTPUT_TOKEN &&
           (*l->suffix == '\0' || *l->suffix == '-');
}

/* All our names in a folder of the output; "." is the target's own. */
static void list_leftovers(struct tn_output *output, int base,
                           const char *folder, struct tn_list *list)
{
    struct tn_error ignored = TN_ERROR_INIT;
    struct leftover found;
    int  file = openat(base, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir  = file < 0 ? NULL : fdopendir(file);

    if (!dir && file >= 0)
        close(file);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        if (!take_apart(entry->d_name, &found))
            continue;
        const char *name = tn_text_dup(&output->arena, entry->d_name, &ignored);
        struct leftover *slot =
            name ? tn_list_push(list, struct leftover, &ignored) : NULL;
        if (slot)
            (void)take_apart(name, slot);
    }
    if (dir)
        closedir(dir);
}

/* The lock of a writer that is gone, held now; -1 if it lives, if the file is
 * not ours, or if that is unknown. */
static int lock_of_the_dead(int folder, const char *name)
{
    struct stat about;
    int         file =
        openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (file < 0)
        return -1;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_uid == geteuid() && about.st_size == 0 &&
        flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &about) == 0 &&
        about.st_nlink > 0)
        return file;
    close(file);
    return -1;
}

/* An -old folder is the only copy of a model until there is a new one. */
static bool is_needed(const struct tn_output *output, const struct leftover *l)
{
    size_t      size = (size_t)(l->token - MARK_END - l->name) - 1;
    char        name[256];
    struct stat about;

    if (strcmp(l->suffix, "-old") != 0)
        return false;
    memcpy(name, l->name + 1, size);
    name[size] = '\0';
    return size > TN_OUTPUT_LONG_NAME - 4 ||
           fstatat(output->parent, name, &about, AT_SYMLINK_NOFOLLOW) != 0;
}

/* False if something has to stay. */
static bool remove_run(struct tn_output *output, const struct tn_list *list,
                       const struct leftover *lock)
{
    struct tn_error ignored = TN_ERROR_INIT;
    bool            is_gone = true;

    for (uint64_t i = 0; i < list->count; i++) {
        const struct leftover *l = tn_list_at(list, struct leftover, i);
        if (memcmp(l->token, lock->token, TN_OUTPUT_TOKEN) != 0 || l == lock)
            continue;
        if (is_needed(output, l) ||
            tn_output_step(output, "remove", l->name, &ignored) != TN_OK ||
            tn_beneath_remove(output->parent, l->name) != 0)
            is_gone = false;
    }
    return is_gone;
}

static void remember(struct tn_output *output, const struct leftover *dead)
{
    struct tn_error        ignored = TN_ERROR_INIT;
    struct tn_output_dead *slot =
        tn_list_push(&output->dead, struct tn_output_dead, &ignored);

    if (slot)
        memcpy(slot->token, dead->token, TN_OUTPUT_TOKEN);
}

static void remove_stale(struct tn_output *output)
{
    struct tn_list list;

    tn_list_init(&list, output->memory, sizeof(struct leftover));
    list_leftovers(output, output->parent, ".", &list);
    for (uint64_t i = 0; i < list.count; i++) {
        const struct leftover *l    = tn_list_at(&list, struct leftover, i);
        int                    file = strcmp(l->suffix, "-lock") == 0
                                          ? lock_of_the_dead(output->parent, l->name)
                                          : -1;
        if (file < 0)
            continue;
        remember(output, l);
        if (remove_run(output, &list, l))
            unlinkat(output->parent, l->name, 0);
        close(file);
    }
    tn_list_done(&list);
}

void tn_output_tidy_folder(struct tn_output *output, const char *folder)
{
    struct tn_error ignored = TN_ERROR_INIT;
    struct tn_list  list;

    if (output->dead.count == 0 || output->kind != TN_TO_FILE)
        return;
    tn_list_init(&list, output->memory, sizeof(struct leftover));
    list_leftovers(output, output->pool.folder, folder, &list);
    for (uint64_t i = 0; i < list.count * output->dead.count; i++) {
        const struct leftover *l =
            tn_list_at(&list, struct leftover, i % list.count);
        const struct tn_output_dead *dead =
            tn_list_at(&output->dead, struct tn_output_dead, i / list.count);
        const char *path = memcmp(l->token, dead->token, TN_OUTPUT_TOKEN) == 0
                               ? tn_text_format(&output->arena, &ignored,
                                                "%s/%s", folder, l->name)
                               : NULL;
        if (path && tn_output_step(output, "remove", path, &ignored) == TN_OK)
            unlinkat(output->pool.folder, path, 0);
    }
    tn_list_done(&list);
}

/* A new lock file, locked; -1 with an errno. */
static int make_lock(struct tn_output *output, const char *name)
{
    struct stat about;
    int         file = openat(output->parent, name,
                              O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (file < 0)
        return -1;
    /* Where locks do not work, no other process gets one, either. */
    bool is_lost = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!is_lost && fstat(file, &about) == 0 && about.st_nlink > 0)
        return file;
    close(file);
    errno = EEXIST;
    return -1;
}

enum tn_status tn_output_begin(struct tn_output *output, struct tn_error *error)
{
    if (output->lock_name || (output->remote && output->token[0]))
        return TN_OK;
    if (output->remote) { /* nobody else writes into its folder */
        tn_output_letters(output->token, TN_OUTPUT_TOKEN);
        return TN_OK;
    }
    remove_stale(output);
    for (int i = 0; i < TRIES && output->lock < 0; i++) {
        tn_output_letters(output->token, TN_OUTPUT_TOKEN);
        const char *name =
            tn_output_temporary(output, output->name, "-lock", error);
        if (!name)
            return error->status;
        TN_TRY(tn_output_step(output, "create", name, error));
        output->listed_lock = tn_output_list(output, TN_TEMPORARY_LOCK, name);
        output->lock        = make_lock(output, name);
        if (output->lock >= 0) {
            output->lock_name = name;
            break;
        }
        int number = errno;
        tn_temporary_drop(output->listed_lock);
        output->listed_lock = NULL;
        errno               = number;
        if (number != EEXIST)
            break;
    }
    if (output->lock >= 0)
        return TN_OK;
    if (output->kind == TN_TO_FOLDER)
        return tn_error_errno(error, errno, "cannot make the folder %s",
                              output->name);
    return tn_output_fail_errno(output, "create", output->name, error);
}

void tn_output_end(struct tn_output *output)
{
    if (output->lock < 0)
        return;
    if (!output->leaves_old)
        unlinkat(output->parent, output->lock_name, 0);
    tn_temporary_drop(output->listed_lock);
    close(output->lock);
    output->lock = -1;
}
