/* tag_edit.c - a container that is being changed, and adding a tag to it */
#define _DEFAULT_SOURCE
#include "format/samediff/tag_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "format/registry.h"
#include "io/file_source.h"

/* ---- opening ------------------------------------------------------------ */

static enum tn_status open_dry(struct tn_tag_edit *e, struct tn_memory *memory,
                               const char *path, struct tn_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return tn_error_errno(error, errno, "cannot open");
    TN_TRY(tn_source_file(&e->source, memory, file, "", true, error));
    e->zip = &e->dry;
    return tn_zip_open(&e->dry, e->source, memory, NULL, error);
}

enum tn_status tn_tag_edit_open(struct tn_tag_edit *e, struct tn_memory *memory,
                                const char *path, const struct tn_tag_how *how,
                                struct tn_error *error)
{
    *e = (struct tn_tag_edit){ .is_dry = how->is_dry };
    if (how->is_dry) {
        TN_TRY(open_dry(e, memory, path, error));
    } else {
        e->zip = &e->edit.zip;
        TN_TRY(tn_zip_grow(&e->edit, memory, path, &how->append, error));
    }
    e->has_box = true;
    return tn_tagged_begin(&e->box, e->zip, memory, NULL, NULL, error);
}

void tn_tag_edit_close(struct tn_tag_edit *e)
{
    if (e->has_box)
        tn_tagged_end(&e->box);
    if (!e->is_dry)
        tn_zip_edit_close(&e->edit);
    else if (e->zip)
        tn_zip_close(&e->dry);
    tn_source_close(e->source);
}

/* ---- who names what ----------------------------------------------------- */

static void mark_entry(const struct tn_tagged    *t,
                       const struct tn_zip_entry *entry, bool *is_named)
{
    if (entry)
        is_named[entry - tn_zip_at(t->zip, 0)] = true;
}

enum tn_status tn_tag_mark(struct tn_tagged *t, struct tn_bytes tag,
                           bool *is_named, struct tn_error *error)
{
    struct tn_tag_lines lines;
    struct tn_arena     arena;

    tn_arena_init(&arena, t->memory);
    for (int f = TN_TAG_PARAMS; f <= TN_TAG_UPDATER && !tn_failed(error); f++) {
        enum tn_tag_file which = (enum tn_tag_file)f;
        if (tn_tagged_lines(t, tag, which, &arena, &lines, error) != TN_OK)
            break;
        for (uint32_t i = 0; i < lines.count; i++)
            for (uint32_t k = 0; k < lines.items[i].ref_count; k++) {
                const struct tn_tag_ref *ref = &lines.items[i].refs[k];
                mark_entry(t, tn_tagged_ref(t, tag, which, ref, ".fb"),
                           is_named);
                mark_entry(t, tn_tagged_ref(t, tag, which, ref, ".bin"),
                           is_named);
            }
    }
    tn_arena_done(&arena);
    return error->status;
}

/* ---- adding ------------------------------------------------------------- */

struct adding {
    struct tn_tag_edit      *e;
    struct tn_memory        *memory;
    struct tn_bytes          tag;
    const struct tn_tag_how *how;
    struct tn_tag_summary   *summary;
    struct tn_error         *error;
    struct tn_tagged_writer  w;
    uint32_t                 replaced; /* its number in the list, or TN_NONE  */
    uint64_t                 replaced_count; /* variables with new elements   */
};

/* What others share of a tag that is replaced stays, and what its new version
 * shares of the old one. */
static void drop_old(struct adding *a)
{
    struct tn_tagged *t        = &a->e->box;
    uint64_t          count    = tn_zip_count(t->zip);
    bool             *is_named = tn_new(&t->arena, bool, count, a->error);

    for (uint32_t i = 0; is_named && i < t->tag_count && !tn_failed(a->error);
         i++)
        if (i != a->replaced)
            tn_tag_mark(t, t->tags[i], is_named, a->error);
    for (int which = TN_TAG_PARAMS; is_named && which <= TN_TAG_UPDATER;
         which++) {
        struct tn_tagged_list *list = &a->w.lists[which];
        for (uint64_t i = 0; i < list->files.count; i++) {
            struct tn_tag_ref *ref =
                tn_list_at(&list->refs, struct tn_tag_ref, i);
            if (!tn_list_at(&list->files, struct tn_tagged_file, i)->is_shared)
                continue;
            mark_entry(
                t,
                tn_tagged_ref(t, a->tag, (enum tn_tag_file)which, ref, ".fb"),
                is_named);
            mark_entry(
                t,
                tn_tagged_ref(t, a->tag, (enum tn_tag_file)which, ref, ".bin"),
                is_named);
        }
    }
    for (uint64_t i = 0; i < count && !tn_failed(a->error); i++)
        if (!is_named[i] && tn_tag_is_below(tn_zip_at(t->zip, i), a->tag))
            tn_zip_drop(&a->e->edit.writer, tn_zip_at(t->zip, i)->name);
}

static void put_list(struct adding *a)
{
    struct tn_tagged *t     = &a->e->box;
    struct tn_bytes  *tags  = tn_new(&t->arena, struct tn_bytes,
                                     (uint64_t)t->tag_count + 1, a->error);
    uint32_t          count = 0;

    for (uint32_t i = 0; tags && i < t->tag_count; i++)
        if (i != a->replaced)
            tags[count++] = t->tags[i];
    if (!tags)
        return;
    tags[count++] = a->tag;
    tn_tag_put_list(&a->e->edit.writer, tags, count, a->memory, a->error);
}

static void share_and_put(struct adding *a)
{
    struct tn_tag_shares shares;

    if (tn_tag_shares_init(&shares, &a->e->box, a->how->meter, a->error) ==
        TN_OK)
        tn_tag_share_all(&shares, &a->w, a->summary);
    tn_tag_shares_done(&shares);
    if (tn_failed(a->error) || a->how->is_dry)
        return;
    if (a->replaced != TN_NONE)
        drop_old(a);
    if (!tn_failed(a->error))
        put_list(a);
    if (!tn_failed(a->error) &&
        tn_tagged_writer_put(&a->w, &a->e->edit.writer) == TN_OK)
        tn_zip_commit(&a->e->edit);
}

static void begin_writer(struct adding *a, const struct tn_model *model)
{
    uint64_t next[2] = { tn_tag_next_id(&a->e->box, a->tag, TN_TAG_PARAMS),
                         tn_tag_next_id(&a->e->box, a->tag, TN_TAG_UPDATER) };

    tn_tagged_writer_init(&a->w, model, a->tag, a->how->write, next, a->error);
}

static void add_model(struct adding *a, const struct tn_model *model)
{
    begin_writer(a, model);
    if (!tn_failed(a->error))
        share_and_put(a);
    tn_tagged_writer_done(&a->w);
}

static void tell_stranger(const struct adding *a, struct tn_bytes name)
{
    char where[160];

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    if (a->how->write->loss)
        a->how->write->loss(a->how->write->loss_context, TN_NOWHERE, where,
                            "left behind: no variable of the graph has the "
                            "name");
}

/* A set of tensors may hold more than variables: bookkeeping of a checkpoint,
 * which is nobody's parameter, and constants of attributes, which are told. */
static void replace(struct adding *a, const struct tn_tensor *tensor)
{
    struct tn_error own = TN_ERROR_INIT;

    a->w.error = &own;
    tn_tagged_writer_replace(&a->w, tn_tensor_name(tensor), &tensor->elements);
    a->w.error = a->error;
    a->replaced_count += own.status == TN_OK;
    if (own.status == TN_NOT_FOUND) {
        if (tensor->role != TN_ROLE_STATE)
            tell_stranger(a, tn_tensor_name(tensor));
        return;
    }
    if (tn_failed(&own))
        *a->error = own;
}

static void add_tensors(struct adding *a, const struct tn_model *tensors)
{
    struct tn_model base;

    tn_model_init(&base, a->memory);
    base.format = tn_format_samediff.name;
    if (tn_tagged_read(&a->e->box, tn_bytes(NULL, 0), &base, a->error) ==
        TN_OK) {
        begin_writer(a, &base);
        for (uint64_t i = 0; i < tensors->tensors.count && !tn_failed(a->error);
             i++)
            replace(a, tn_list_at(&tensors->tensors, struct tn_tensor, i));
        if (!tn_failed(a->error) && !a->replaced_count)
            tn_error_set(a->error, TN_NOT_FOUND, TN_NOWHERE,
                         "no tensor has the name of a variable of the graph");
        if (!tn_failed(a->error))
            share_and_put(a);
        tn_tagged_writer_done(&a->w);
    }
    tn_model_done(&base);
}

/* The tag that is there keeps its spelling: entries of it may stay. */
static enum tn_status claim_tag(struct adding *a)
{
    TN_TRY(tn_tag_refuse_new(a->tag, a->error));
    a->replaced = tn_tagged_find(&a->e->box, a->tag);
    if (a->replaced == TN_NONE) {
        if (tn_tagged_entry(&a->e->box, a->tag, "graph.fb") &&
            !a->how->can_replace)
            return tn_error_set(a->error, TN_EXISTS, TN_NOWHERE,
                                "the tag '%.*s' is there, though not listed",
                                TN_FMT(a->tag));
        return TN_OK;
    }
    a->tag = a->e->box.tags[a->replaced];
    if (!a->how->can_replace)
        return tn_error_set(a->error, TN_EXISTS, TN_NOWHERE,
                            "the tag '%.*s' is there already", TN_FMT(a->tag));
    return TN_OK;
}

enum tn_status tn_tagged_add(struct tn_memory *memory, const char *path,
                             struct tn_bytes tag, const struct tn_model *model,
                             bool tensors_only, const struct tn_tag_how *how,
                             struct tn_tag_summary *summary,
                             struct tn_error       *error)
{
    struct tn_tag_edit e;
    struct adding      a = { .e       = &e,
                             .memory  = memory,
                             .tag     = tag,
                             .how     = how,
                             .summary = summary,
                             .error   = error };

    if (tn_tag_edit_open(&e, memory, path, how, error) == TN_OK &&
        claim_tag(&a) == TN_OK) {
        summary->size_before = e.zip->source->size;
        if (tensors_only)
            add_tensors(&a, model);
        else
            add_model(&a, model);
        summary->size_after = how->is_dry
                                  ? e.zip->source->size + summary->new_bytes
                                  : tn_zip_writer_offset(&e.edit.writer);
    }
    tn_tag_edit_close(&e);
    return error->status;
}
