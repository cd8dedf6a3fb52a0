/* output_steps.c - names and folders on the way, and what to say of them */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/beneath.h"
#include "io/os.h"
#include "io/output_state.h"

/* What fits into an error beside the words around it. */
#define MOST_OF_A_TITLE 90

enum tn_status tn_output_step(struct tn_output *output, const char *what,
                              const char *name, struct tn_error *error)
{
    int number = tn_file_pool_step(&output->pool, what, name);

    if (number)
        tn_error_errno(error, number, "cannot %s %s", what, name);
    return error->status;
}

/* A path that is too long for a message would lose the name at its end. */
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

/* In a new folder by the way from its parent: when it has got its name, nothing
 * in it is found any more. */
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

/* Folders on the way to `name`.  Each is looked at before the next is made in
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
