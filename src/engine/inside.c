/*
 * inside.c - the models in a folder
 *
 * Files come first: if a folder has a model file, its subfolders are looked into
 * only for a list.  Among files a single graph is the model, and sets of tensors beside it
 * are its weights or examples.
 *
 * A list of models has links to files, too, and marks broken ones.  Opening a
 * folder does not follow links: the author of the folder must not choose files
 * elsewhere.  Links to folders are never followed, so there are no loops.
 */
#include "base/sized.h"
#include "engine/inside.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/sort.h"
#include "engine/foreign.h"
#include "io/meter.h"
#include "io/path.h"
#include "io/remote_url.h"

/* Folders in folders, as model servers have them: name/1/model.onnx. */
#define MOST_DEPTH 2

/* At most this many entries of a folder are examined. */
#define MOST_ENTRIES 4096

/* A model in a folder. */
struct inside {
    const char             *path;   /* below the folder that was named        */
    const struct tn_format *format; /* NULL: a folder of several models       */
};

struct looking {
    struct tn_memory               *memory;
    struct tn_arena                *arena; /* of paths                        */
    const struct tn_bundle_options *how;
    struct tn_list                  found; /* struct inside                   */
    struct tn_list                  broken; /* struct inside: links           */
    bool                            follows; /* links to files                */
    bool                            lists; /* folders beside files, too       */
    bool                            has_links; /* that were not followed      */
    struct tn_error                *error;
};

static void look_into(struct looking *l, struct tn_bundle *folder,
                      const char *below, int depth);

static void begin(struct looking *l, struct tn_memory *memory,
                  struct tn_arena *arena, const struct tn_bundle_options *how,
                  struct tn_error *error)
{
    *l = (struct looking){
        .memory = memory, .arena = arena, .how = how, .error = error
    };
    tn_list_init(&l->found, memory, sizeof(struct inside));
    tn_list_init(&l->broken, memory, sizeof(struct inside));
}

static void done(struct looking *l)
{
    tn_list_done(&l->found);
    tn_list_done(&l->broken);
}

static const struct inside *found_at(const struct looking *l, uint64_t index)
{
    return tn_list_at(&l->found, struct inside, index);
}

static void add(struct looking *l, const char *path,
                const struct tn_format *format)
{
    struct inside *slot = tn_list_push(&l->found, struct inside, l->error);

    if (slot)
        *slot = (struct inside){ path, format };
}

static const char *join(struct looking *l, const char *folder, const char *name)
{
    size_t size = strlen(folder);

    if (tn_url_is(folder) && size && folder[size - 1] == '/')
        return tn_url_beside(l->arena, folder, name, l->error);
    return tn_text_format(l->arena, l->error, "%s%s%s", folder,
                          size && folder[size - 1] != '/' ? "/" : "", name);
}

static bool is_folder_name(const char *name)
{
    return name[0] && name[strlen(name) - 1] == '/';
}

/* ---- one entry ---------------------------------------------------------- */

/* Damaged files are no reason to stop; failures of the machine are. */
static void absorb(struct looking *l, const struct tn_error *own)
{
    if (own->status == TN_NO_MEMORY || own->status == TN_LIMIT ||
        own->status == TN_CANCELLED)
        *l->error = *own;
}

/* Text is a model only if its name has such a suffix: other text may be
 * prose. */
static bool may_be_text(const char *name)
{
    return tn_text_ends_with(name, ".pbtxt") ||
           tn_text_ends_with(name, ".prototxt") ||
           tn_text_ends_with(name, ".textproto") ||
           tn_text_ends_with(name, ".pdmodel.txt");
}

static const struct tn_format *format_of(struct looking *l, const char *path,
                                         const char *name)
{
    struct tn_error         own    = TN_ERROR_INIT;
    const struct tn_format *format = NULL;
    struct tn_bundle        file;

    if (tn_bundle_open(&file, l->memory, path, l->how, &own) == TN_OK) {
        tn_find_kind(&file, may_be_text(name), &format, &own);
        tn_bundle_close(&file);
    }
    absorb(l, &own);
    return tn_failed(&own) ? NULL : format;
}

/* ---- files -------------------------------------------------------------- */

static bool is_graph(const struct inside *model)
{
    return model->format && model->format->dialect[0];
}

/* "model-00001-of-00003.safetensors": a part of what another file names. */
static bool is_numbered_part(const struct inside *model)
{
    const char *of = strstr(model->path, "-of-");

    return of && of > model->path && of[-1] >= '0' && of[-1] <= '9' &&
           of[4] >= '0' && of[4] <= '9';
}

static bool is_whole(const struct inside *model)
{
    return !is_numbered_part(model);
}

/* Keeps the wanted ones from `first` on; if none is wanted, keeps all. */
static void keep_only(struct looking *l, uint64_t first,
                      bool (*is_wanted)(const struct inside *))
{
    uint64_t kept = first;

    for (uint64_t i = first; i < l->found.count; i++)
        if (is_wanted(found_at(l, i)))
            *tn_list_at(&l->found, struct inside, kept++) = *found_at(l, i);
    if (kept > first)
        l->found.count = kept;
}

static bool is_part(const struct looking *l, uint64_t first, uint64_t index)
{
    const struct inside *model = found_at(l, index);

    if (!model->format->is_part_of)
        return false;
    for (uint64_t i = first; i < l->found.count; i++)
        if (i != index &&
            model->format->is_part_of(model->path, found_at(l, i)->path))
            return true;
    return false;
}

static bool has_suffix_of_its_own(const struct inside *model)
{
    for (const char *const *s = model->format->suffixes; *s; s++)
        if (tn_text_ends_with(model->path, *s))
            return true;
    return false;
}

static bool have_one_name(const char *a, const char *b)
{
    size_t size = strcspn(a, ".");

    return size == strcspn(b, ".") && memcmp(a, b, size) == 0;
}

/* Whether a set of tensors has a graph in the folder: the only one, or one of
 * its name.  Files that have no suffix are weights of some graph. */
static bool has_graph(const struct looking *l, uint64_t first, uint64_t index)
{
    const struct inside *model        = found_at(l, index);
    uint64_t             graphs       = 0;
    bool                 has_namesake = false;

    if (is_graph(model))
        return false;
    for (uint64_t i = first; i < l->found.count; i++) {
        bool is_one = is_graph(found_at(l, i));
        graphs += is_one;
        has_namesake |=
            is_one && have_one_name(model->path, found_at(l, i)->path);
    }
    return graphs == 1 || has_namesake ||
           (graphs && !has_suffix_of_its_own(model));
}

/* Marks first: a part may belong to another part. */
static void drop_parts(struct looking *l, uint64_t first,
                       bool (*is_dropped)(const struct looking *, uint64_t,
                                          uint64_t))
{
    uint64_t count = l->found.count - first, kept = first;
    bool    *marks = tn_new(l->arena, bool, count, l->error);

    if (!marks)
        return;
    for (uint64_t i = 0; i < count; i++)
        marks[i] = is_dropped(l, first, first + i);
    for (uint64_t i = 0; i < count; i++)
        if (!marks[i])
            *tn_list_at(&l->found, struct inside, kept++) =
                *found_at(l, first + i);
    l->found.count = kept;
}

/* Whether an entry that is not a plain file is to be looked at: a link to a
 * file, if links are followed. */
static bool is_followed(struct looking *l, const char *path, const char *name)
{
    if (l->follows && tn_path_is_file(path))
        return true;
    l->has_links = true;
    if (l->follows && tn_path_is_broken_link(path)) {
        struct inside *slot = tn_list_push(&l->broken, struct inside, l->error);
        if (slot)
            *slot = (struct inside){ name, NULL };
    }
    return false;
}

static void look_at_files(struct looking *l, struct tn_bundle *folder,
                          const char *below, const char *const *names,
                          uint64_t count)
{
    uint64_t first = l->found.count;

    for (uint64_t i = 0; i < count && !tn_failed(l->error); i++) {
        if (names[i][0] == '.' || is_folder_name(names[i]))
            continue;
        const char *path = join(l, folder->path, names[i]);
        const char *name = join(l, below, names[i]);
        if (path && name && !tn_bundle_has(folder, names[i]) &&
            !is_followed(l, path, name))
            continue;
        const struct tn_format *format =
            path && name ? format_of(l, path, names[i]) : NULL;
        if (format)
            add(l, name, format);
    }
    drop_parts(l, first, is_part);
    keep_only(l, first, is_whole);
    drop_parts(l, first, has_graph);
}

/* ---- folders ------------------------------------------------------------ */

/* A folder with exactly one model is replaced by that model. */
static void look_at_folder(struct looking *l, struct tn_bundle *folder,
                           const char *name, int depth)
{
    struct tn_error         own    = TN_ERROR_INIT;
    const struct tn_format *format = NULL;
    uint64_t                first  = l->found.count;

    tn_find_kind(folder, false, &format, &own);
    absorb(l, &own);
    if (tn_failed(l->error))
        return;
    if (!tn_failed(&own) && format) {
        add(l, name, format);
        return;
    }
    if (depth < MOST_DEPTH)
        look_into(l, folder, name, depth + 1);
    if (l->found.count > first + 1 && !tn_failed(l->error)) {
        l->found.count = first;
        add(l, name, NULL);
    }
}

static void look_at_folders(struct looking *l, struct tn_bundle *folder,
                            const char *below, const char *const *names,
                            uint64_t count, int depth)
{
    for (uint64_t i = 0; i < count && !tn_failed(l->error); i++) {
        struct tn_error  own = TN_ERROR_INIT;
        struct tn_bundle inner;
        if (names[i][0] == '.' || !is_folder_name(names[i]))
            continue;
        const char *path = join(l, folder->path, names[i]);
        const char *name = join(l, below, names[i]);
        if (!path || !name)
            return;
        if (tn_bundle_open(&inner, l->memory, path, l->how, &own) == TN_OK) {
            look_at_folder(l, &inner, name, depth);
            tn_bundle_close(&inner);
        }
        absorb(l, &own);
    }
}

static void look_into(struct looking *l, struct tn_bundle *folder,
                      const char *below, int depth)
{
    struct tn_error    own   = TN_ERROR_INIT;
    uint64_t           first = l->found.count, count;
    const char *const *names;

    if (tn_bundle_list(folder, "", &names, &count, &own) != TN_OK) {
        absorb(l, &own);
        return;
    }
    count = tn_min(count, MOST_ENTRIES);
    look_at_files(l, folder, below, names, count);
    if ((l->found.count == first || (l->lists && depth == 0)) &&
        !tn_failed(l->error))
        look_at_folders(l, folder, below, names, count, depth);
}

/* ---- versions ----------------------------------------------------------- */

/* Numbered folders are versions of one model, as model servers keep them. */
static bool is_version(const struct inside *model)
{
    const char *c = model->path;

    while (*c >= '0' && *c <= '9')
        c++;
    return c > model->path && *c == '/';
}

static bool are_versions(const struct looking *l)
{
    for (uint64_t i = 0; i < l->found.count; i++)
        if (!is_version(found_at(l, i)))
            return false;
    return l->found.count > 0;
}

/* By number: 2 is older than 10. */
static bool is_older(const void *left, const void *right)
{
    const struct inside *a = left, *b = right;
    const char          *x = a->path, *y = b->path;

    while (*x == '0')
        x++;
    while (*y == '0')
        y++;
    size_t m = strspn(x, "0123456789"), n = strspn(y, "0123456789");
    return m != n ? m < n : strcmp(x, y) < 0;
}

static void sort_versions(struct looking *l)
{
    uint64_t              count = l->found.count;
    const struct inside **order =
        tn_new(l->arena, const struct inside *, count, l->error);
    struct inside *copy = tn_new(l->arena, struct inside, count, l->error);

    if (!are_versions(l) || tn_failed(l->error))
        return;
    for (uint64_t i = 0; i < count; i++) {
        copy[i]  = *found_at(l, i);
        order[i] = &copy[i];
    }
    tn_sort((const void **)order, count, is_older);
    for (uint64_t i = 0; i < count; i++)
        *tn_list_at(&l->found, struct inside, i) = *order[i];
}

/* ---- opening ------------------------------------------------------------ */

/* TensorFlow names a checkpoint by the prefix of its files. */
static enum tn_status open_named(struct tn_bundle *bundle,
                                 struct tn_memory *memory, const char *path,
                                 const struct tn_bundle_options *how,
                                 struct tn_error                *error)
{
    struct tn_error first = TN_ERROR_INIT, second = TN_ERROR_INIT;
    struct tn_arena arena;

    if (tn_bundle_open(bundle, memory, path, how, &first) == TN_OK)
        return TN_OK;
    tn_arena_init(&arena, memory);
    const char *index = tn_text_format(&arena, &second, "%s.index", path);
    if (first.status == TN_IO && index && tn_path_is_file(index))
        tn_bundle_open(bundle, memory, index, how, &second);
    else
        second = first;
    tn_arena_done(&arena);
    if (tn_failed(&second))
        *error = first;
    return error->status;
}

static enum tn_status open_only(struct tn_bundle *bundle, struct looking *l,
                                struct tn_error *error)
{
    const char *path = join(l, bundle->path, found_at(l, 0)->path);

    tn_bundle_close(bundle);
    if (path && is_folder_name(path) && !bundle->is_remote)
        path = tn_text_format(l->arena, error, "%.*s", (int)strlen(path) - 1,
                              path);
    if (!path)
        return error->status;
    return tn_bundle_open(bundle, l->memory, path, l->how, error);
}

enum tn_status tn_inside_open(struct tn_bundle *bundle,
                              struct tn_memory *memory, const char *path,
                              const struct tn_bundle_options *how,
                              const char *from, struct tn_error *error)
{
    struct tn_error         own    = TN_ERROR_INIT;
    const struct tn_format *format = NULL;
    struct tn_arena         arena;
    struct looking          l;

    TN_TRY(open_named(bundle, memory, path, how, error));
    if (bundle->main || from ||
        tn_find_kind(bundle, false, &format, &own) != TN_OK || format)
        return TN_OK; /* opening it fails in the same way */
    tn_arena_init(&arena, memory);
    begin(&l, memory, &arena, how, error);
    look_into(&l, bundle, "", 0);
    if (tn_failed(error))
        tn_bundle_close(bundle);
    else if (l.found.count == 1 && found_at(&l, 0)->format)
        open_only(bundle, &l, error);
    done(&l);
    tn_arena_done(&arena);
    return error->status;
}

/* ---- telling ------------------------------------------------------------ */

/* For a version, its number is enough. */
static size_t name_size(const struct looking *l, const char *path)
{
    size_t size = are_versions(l) ? strcspn(path, "/") : strlen(path);

    return size - (size && path[size - 1] == '/');
}

/* "1, 2 and 9 more", as many as fit in a line. */
static void list_some(const struct looking *l, char *to, size_t room)
{
    uint64_t count = l->found.count;
    size_t   used  = 0;

    for (uint64_t i = 0; i < count; i++) {
        const char *path = found_at(l, i)->path;
        size_t      size = name_size(l, path);
        if (size + sizeof " and 18446744073709551615 more" > room - used) {
            snprintf(to + used, room - used, " and %" PRIu64 " more",
                     count - i);
            return;
        }
        used += (size_t)snprintf(to + used, room - used, "%s%.*s",
                                 i ? ", " : "", (int)size, path);
    }
}

static void tell(const struct looking *l, struct tn_error *error)
{
    char        list[120] = "";
    const char *last =
        l->found.count ? found_at(l, l->found.count - 1)->path : "";

    list_some(l, list, sizeof list);
    if (l->found.count == 0)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "this folder has no model in it%s",
                     l->broken.count ? "; it has broken links"
                     : l->has_links  ? "; links to folders are not followed"
                                     : "");
    else if (l->found.count == 1 && found_at(l, 0)->format)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "the model in this folder is a link: open %s itself",
                     list);
    else if (l->found.count == 1)
        tn_error_because(
            error, TN_NOT_FOUND, TN_REASON_SEVERAL_MODELS, TN_NOWHERE,
            "several models in the folder %s: open one of them", list);
    else if (are_versions(l))
        tn_error_because(
            error, TN_NOT_FOUND, TN_REASON_SEVERAL_MODELS, TN_NOWHERE,
            "%" PRIu64 " versions of a model in this folder: %s; open "
            "one of them, such as %.*s, the newest",
            l->found.count, list, (int)name_size(l, last), last);
    else
        tn_error_because(
            error, TN_NOT_FOUND, TN_REASON_SEVERAL_MODELS, TN_NOWHERE,
            "%" PRIu64 " models in this folder: %s; open one of them",
            l->found.count, list);
}

enum tn_status tn_inside_refuse(struct tn_bundle *folder,
                                struct tn_error  *error)
{
    struct tn_bundle_options how = { .keep_unmapped = !folder->prefers_map };
    struct looking           l;

    begin(&l, folder->memory, &folder->arena, &how, error);
    l.follows = true;
    look_into(&l, folder, "", 0);
    sort_versions(&l);
    if (!tn_failed(error))
        tell(&l, error);
    done(&l);
    return error->status;
}

enum tn_status tn_folder_models(const char              *path,
                                const struct tn_options *options,
                                tn_on_folder_model *each, void *context,
                                struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    struct tn_bundle_options how = {
        .keep_unmapped = options && options->keep_unmapped,
    };
    struct tn_opened *opened;
    struct tn_asking  asking;
    struct looking    l;
    int               stop = 0;

    TN_TRY(tn_opened_new(&opened, options, error));
    tn_asking_begin(&asking, options, "looking", &opened->memory);
    if (tn_bundle_open(&opened->bundle, &opened->memory, path, &how, error) !=
        TN_OK) {
        tn_asking_end(&asking);
        opened->bundle.memory = NULL; /* it closed itself */
        tn_opened_release(opened);
        return error->status;
    }
    begin(&l, &opened->memory, &opened->bundle.arena, &how, error);
    l.follows = true;
    l.lists   = true;
    if (!opened->bundle.main)
        look_into(&l, &opened->bundle, "", 0);
    sort_versions(&l);
    for (uint64_t i = 0; i < l.found.count && !tn_failed(error) && !stop; i++) {
        const struct tn_format *format = found_at(&l, i)->format;
        struct tn_folder_model  model  = {
              .path   = found_at(&l, i)->path,
              .format = format ? format->name : "",
              .title  = format ? format->title : "",
        };
        stop = each && each(context, &model);
    }
    for (uint64_t i = 0; i < l.broken.count && !tn_failed(error) && !stop;
         i++) {
        struct tn_folder_model model = {
            .path   = tn_list_at(&l.broken, struct inside, i)->path,
            .format = "",
            .title  = "a link that leads nowhere",
        };
        stop = each && each(context, &model);
    }
    done(&l);
    tn_asking_end(&asking);
    tn_opened_release(opened);
    return error->status;
}
