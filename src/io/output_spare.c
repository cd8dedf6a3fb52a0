/*
 * output_spare.c - files that an output must not take the place of
 *
 * Names are compared by the folder that they are in and files by what the
 * system calls them, so that no link and no other spelling leads around it.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/os.h"
#include "io/output_state.h"

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- files of a bundle -------------------------------------------------- */

/* What the output would replace under that name is the main file of the bundle
 * (*is_main), or one beside it that was opened. */
static bool is_of_bundle(const struct tn_output *output, const char *name,
                         const struct tn_bundle *bundle, bool *is_main)
{
    struct stat there, about;

    *is_main = false;
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

/* Whether the file that is read lies in the folder that is replaced, however
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

enum tn_status tn_output_spare(const struct tn_output *output,
                               const struct tn_bundle *bundle,
                               enum tn_output_place    place,
                               struct tn_error        *error)
{
    bool is_main;

    if (output && output->kind == TN_TO_FOLDER &&
        is_in_replaced(output, bundle))
        return refuse(bundle->path, error);
    if (!output || output->kind != TN_TO_FILE)
        return TN_OK;
    if (is_of_bundle(output, output->name, bundle, &is_main)) {
        if ((place != TN_PLACE_OTHER && is_main) || place == TN_PLACE_ANEW)
            return TN_OK; /* the whole model anew, with what is beside it */
        return refuse(output->name, error);
    }
    for (uint64_t i = 0; i < output->files.count; i++) {
        const char *name = tn_output_entry_at(output, i)->name;
        if (is_of_bundle(output, name, bundle, &is_main) &&
            (is_main || place != TN_PLACE_ANEW))
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

/* Whether the other's target lies in the folder that is replaced. */
static bool is_inside(const struct tn_output *output,
                      const struct tn_output *other)
{
    struct stat here, there;

    return fstatat(output->parent, output->name, &here, 0) == 0 &&
           fstat(other->parent, &there) == 0 && is_same_file(&here, &there);
}

enum tn_status tn_output_apart(const struct tn_output *output,
                               const struct tn_output *other,
                               struct tn_error        *error)
{
    bool is_met;

    if (!output || !other || other->kind != TN_TO_FILE ||
        (output->kind != TN_TO_FILE && output->kind != TN_TO_FOLDER))
        return TN_OK;
    is_met = is_target(output, output->name, other) ||
             (output->kind == TN_TO_FOLDER && is_inside(output, other));
    for (uint64_t i = 0; output->kind == TN_TO_FILE && i < output->files.count;
         i++)
        is_met |= is_target(output, tn_output_entry_at(output, i)->name, other);
    if (!is_met)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "%.150s is given for two outputs", other->name);
}
