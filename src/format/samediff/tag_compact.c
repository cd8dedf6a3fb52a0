/*
 * tag_compact.c - writing a container anew, and mending one
 *
 * All that a tag names, in the order of a new container: the list, then tag by
 * tag its graph, texts, arrays and what nobody knows; then what belongs to no
 * tag of the list.  Old commits and arrays that no tag names stay behind.
 */
#include "base/sort.h"
#include "base/byte_find.h"
#include "format/samediff/tag_edit.h"

/* Where an entry comes in a new container. */
struct place {
    const struct tn_zip_entry *entry;
    uint32_t                   tag; /* in the list; TN_NONE: of no tag there  */
    uint32_t                   rank;
};

enum { RANK_PARAMS = 4, RANK_UPDATER, RANK_STRANGER };

static bool is_earlier(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->tag != b->tag)
        return a->tag < b->tag;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->entry < b->entry;
}

static uint32_t rank_of(struct tn_bytes name)
{
    static const char *const files[] = { "graph.fb", "params.txt",
                                         "trainingConfig.fb", "updater.txt" };

    for (uint32_t i = 0; i < RANK_PARAMS; i++)
        if (tn_tag_equal(name, tn_text(files[i])))
            return i;
    if (tn_tagged_is_in(name, TN_TAG_PARAMS))
        return RANK_PARAMS;
    if (tn_tagged_is_in(name, TN_TAG_UPDATER))
        return RANK_UPDATER;
    return RANK_STRANGER;
}

struct compacting {
    struct tn_zip_edit  *edit;
    struct tn_tagged    *t;
    struct tn_memory    *memory;
    struct tn_intern     tags; /* of the list; ids are numbers                */
    bool                *is_named;
    struct place        *places;
    const struct place **order;
    uint64_t             count;
    struct tn_error     *error;
};

/* The part before the slash, if that is in the list. */
static uint32_t tag_of(struct compacting *c, struct tn_bytes name,
                       struct tn_bytes *rest)
{
    const uint8_t *slash = tn_bytes_find(name, '/');

    *rest = name;
    if (!slash)
        return TN_NONE;
    struct tn_bytes tag = tn_bytes(name.data, (size_t)(slash - name.data));
    uint32_t        id  = tn_intern_find(&c->tags, tag);
    if (id == TN_NO_NAME)
        id = tn_tagged_find(c->t, tag); /* spelled otherwise */
    if (id != TN_NONE)
        *rest = tn_bytes(slash + 1, name.size - tag.size - 1);
    return id;
}

static void place_entry(struct compacting *c, uint64_t index)
{
    const struct tn_zip_entry *entry = tn_zip_at(c->t->zip, index);
    struct tn_bytes            rest;
    struct place               place = { .entry = entry };

    if (tn_zip_is_folder(entry) ||
        tn_tag_equal(entry->name, tn_text("tags.txt")))
        return;
    place.tag  = tag_of(c, entry->name, &rest);
    place.rank = place.tag == TN_NONE ? RANK_STRANGER : rank_of(rest);
    if ((place.rank == RANK_PARAMS || place.rank == RANK_UPDATER) &&
        !c->is_named[index])
        return;
    c->places[c->count] = place;
    c->order[c->count]  = &c->places[c->count];
    c->count++;
}

static void find_named(struct compacting *c)
{
    const struct tn_zip *zip = c->t->zip;

    for (uint32_t i = 0; i < c->t->tag_count && !tn_failed(c->error); i++) {
        tn_intern_borrow(&c->tags, c->t->tags[i], c->error);
        tn_tag_mark(c->t, c->t->tags[i], c->is_named, c->error);
    }
    for (uint64_t i = 0; i < tn_zip_count(zip) && !tn_failed(c->error); i++) {
        struct tn_bytes name  = tn_zip_at(zip, i)->name;
        const uint8_t  *slash = tn_bytes_find(name, '/');
        struct tn_bytes tag;
        if (!slash ||
            !tn_tag_equal(
                tn_bytes(slash, name.size - (size_t)(slash - name.data)),
                tn_text("/graph.fb")))
            continue;
        tag = tn_bytes(name.data, (size_t)(slash - name.data));
        if (tn_tagged_find(c->t, tag) == TN_NONE) /* it may share, too */
            tn_tag_mark(c->t, tag, c->is_named, c->error);
    }
}

static void copy_all(struct compacting *c)
{
    uint64_t count = tn_zip_count(c->t->zip);

    c->is_named = tn_new(&c->t->arena, bool, count, c->error);
    c->places   = tn_new(&c->t->arena, struct place, count, c->error);
    c->order    = tn_new(&c->t->arena, const struct place *, count, c->error);
    if (!tn_failed(c->error))
        find_named(c);
    for (uint64_t i = 0; i < count && !tn_failed(c->error); i++)
        place_entry(c, i);
    if (tn_failed(c->error))
        return;
    tn_sort((const void **)c->order, c->count, is_earlier);
    tn_tag_put_list(&c->edit->writer, c->t->tags, c->t->tag_count, c->memory,
                    c->error);
    for (uint64_t i = 0; i < c->count && !tn_failed(c->error); i++)
        tn_zip_copy(&c->edit->writer, tn_bytes(NULL, 0), c->t->zip,
                    c->order[i]->entry);
}

enum tn_status tn_tagged_compact(struct tn_memory *memory, const char *path,
                                 const struct tn_tag_how *how,
                                 struct tn_tag_summary   *summary,
                                 struct tn_error         *error)
{
    struct tn_zip_edit edit;
    struct tn_tagged   box;
    struct compacting  c = {
         .edit = &edit, .t = &box, .memory = memory, .error = error
    };

    if (tn_zip_rewrite(&edit, memory, path, &how->append, error) == TN_OK) {
        if (tn_tagged_begin(&box, &edit.zip, memory, NULL, NULL, error) ==
            TN_OK) {
            tn_intern_init(&c.tags, &box.arena);
            copy_all(&c);
            tn_intern_done(&c.tags);
        }
        summary->size_before = edit.zip.source->size;
        if (!tn_failed(error) && !how->is_dry)
            tn_zip_commit(&edit);
        summary->size_after = tn_zip_writer_offset(&edit.writer);
        tn_tagged_end(&box);
    }
    tn_zip_edit_close(&edit);
    return error->status;
}

/* ---- mending ------------------------------------------------------------ */

static bool needs_rebuild(struct tn_memory *memory, const char *path,
                          const struct tn_tag_how *how, bool *is_torn,
                          struct tn_error *error)
{
    struct tn_zip_edit edit;
    struct tn_error    own = TN_ERROR_INIT;

    *is_torn = false;
    if (tn_zip_grow(&edit, memory, path, &how->append, &own) == TN_OK)
        *is_torn = edit.zip.state == TN_ZIP_TORN; /* and is so no longer */
    tn_zip_edit_close(&edit);
    if (!tn_failed(&own))
        return false;
    if (own.status == TN_MALFORMED || own.status == TN_TRUNCATED)
        return true;
    *error = own;
    return false;
}

enum tn_status tn_tagged_repair(struct tn_memory *memory, const char *path,
                                const struct tn_tag_how *how,
                                struct tn_report *report, bool *is_changed,
                                struct tn_error *error)
{
    bool is_torn;
    bool is_broken = needs_rebuild(memory, path, how, &is_torn, error);

    if (is_changed)
        *is_changed = is_torn || is_broken;
    if (tn_failed(error) || !is_broken)
        return error->status;
    return tn_zip_rebuild(memory, path, &how->append, report, NULL, error);
}
