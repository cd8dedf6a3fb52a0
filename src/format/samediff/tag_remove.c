/*
 * tag_remove.c - removing a tag
 *
 * An array that others share gets a new home: the oldest tag that names it has
 * a copy, and all lines that named the old place name the new one.
 */
#include <stdio.h>

#include "format/samediff/tag_edit.h"

/* Where an array of the tag went. */
struct home {
    struct tn_bytes tag; /* .data NULL: nowhere yet                           */
    struct tn_bytes id;
};

struct removing {
    struct tn_tag_edit    *e;
    struct tn_memory      *memory;
    uint32_t               tag; /* its number in the list                     */
    bool                   is_dry;
    struct home           *homes; /* by entry                                 */
    uint64_t               next[2]; /* number of the next file of the tag     */
    struct tn_tag_summary *summary;
    struct tn_error       *error;
};

static struct tn_zip_writer *writer_of(struct removing *r)
{
    return &r->e->edit.writer;
}

static const char *name_file(struct removing *r, struct tn_bytes tag,
                             enum tn_tag_file which, struct tn_bytes id,
                             const char *suffix)
{
    return tn_text_format(&r->e->box.arena, r->error, "%.*s/%s/%.*s%s",
                          TN_FMT(tag), tn_tagged_folder(which), TN_FMT(id),
                          suffix);
}

/* What describes elements of another file names it, so it is made anew. */
static void copy_long(struct removing *r, struct tn_bytes tag,
                      enum tn_tag_file which, const struct tn_tag_ref *ref,
                      const struct home *home)
{
    struct tn_tagged_array array;
    struct tn_rope         rope;
    struct tn_arena        arena;
    const char            *external = tn_text_format(&r->e->box.arena, r->error,
                                                     "%.*s.bin", TN_FMT(home->id));
    const char *name = name_file(r, home->tag, which, home->id, ".fb");
    const char *data = name_file(r, home->tag, which, home->id, ".bin");

    tn_arena_init(&arena, r->memory);
    tn_rope_init(&rope, &arena, r->error);
    if (external && name && data &&
        tn_tagged_array_read(&r->e->box, tag, which, ref, &arena, &array,
                             r->error) == TN_OK &&
        tn_tagged_array_rope(&array.array.elements, external, &arena, r->memory,
                             &rope, r->error) == TN_OK &&
        tn_zip_add(writer_of(r), tn_text(name), &rope) == TN_OK)
        tn_zip_copy(writer_of(r), tn_text(data), r->e->zip, array.data);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void give_home(struct removing *r, struct tn_bytes tag,
                      enum tn_tag_file which, const struct tn_tag_ref *ref,
                      const struct tn_zip_entry *entry, struct home *home)
{
    const struct tn_zip_entry *data =
        tn_tagged_ref(&r->e->box, tag, which, ref, ".bin");
    const char *id = tn_text_format(&r->e->box.arena, r->error, "%" PRIu64,
                                    r->next[which]++);
    const char *name;

    if (!id)
        return;
    *home = (struct home){ tag, tn_text(id) };
    r->summary->copied++;
    r->summary->new_bytes += entry->size + (data ? data->size : 0);
    if (r->is_dry)
        return;
    if (data) {
        copy_long(r, tag, which, ref, home);
        return;
    }
    name = name_file(r, tag, which, home->id, ".fb");
    if (name)
        tn_zip_copy(writer_of(r), tn_text(name), r->e->zip, entry);
}

/* Whether the line named something of the tag. */
static bool move_refs(struct removing *r, struct tn_bytes tag,
                      enum tn_tag_file which, const struct tn_tag_line *line)
{
    struct tn_bytes gone     = r->e->box.tags[r->tag];
    bool            is_moved = false;

    for (uint32_t i = 0; i < line->ref_count && !tn_failed(r->error); i++) {
        struct tn_tag_ref *ref = (struct tn_tag_ref *)(uintptr_t)&line->refs[i];
        const struct tn_zip_entry *entry;
        if (!ref->tag.size || !tn_tag_equal(ref->tag, gone))
            continue;
        entry = tn_tagged_ref(&r->e->box, tag, which, ref, ".fb");
        if (!entry)
            continue; /* a line that was broken before stays so */
        struct home *home = &r->homes[entry - tn_zip_at(r->e->zip, 0)];
        if (!home->tag.data)
            give_home(r, tag, which, ref, entry, home);
        *ref     = (struct tn_tag_ref){ home->tag, home->id };
        is_moved = true;
    }
    return is_moved;
}

static void put_lines(struct removing *r, struct tn_bytes tag,
                      enum tn_tag_file which, const struct tn_tag_lines *lines)
{
    struct tn_buffer text;
    const char *name = tn_text_format(&r->e->box.arena, r->error, "%.*s/%s",
                                      TN_FMT(tag), tn_tagged_text_name(which));

    tn_buffer_init(&text, r->memory, r->error);
    for (uint32_t i = 0; i < lines->count; i++)
        tn_tag_text_put(&text, &lines->items[i], tag);
    if (name && !tn_failed(r->error)) {
        tn_zip_drop(writer_of(r), tn_text(name)); /* in whatever spelling */
        tn_zip_add_bytes(writer_of(r), tn_text(name), tn_buffer_bytes(&text));
    }
    tn_buffer_done(&text);
}

/* One tag that stays. */
static void move_tag(struct removing *r, struct tn_bytes tag)
{
    struct tn_tagged *t = &r->e->box;

    for (int f = TN_TAG_PARAMS; f <= TN_TAG_UPDATER && !tn_failed(r->error);
         f++) {
        enum tn_tag_file    which = (enum tn_tag_file)f;
        struct tn_tag_lines lines;
        bool                is_moved = false;
        if (tn_tagged_lines(t, tag, which, &t->arena, &lines, r->error) !=
            TN_OK)
            return;
        r->next[which] = tn_tag_next_id(t, tag, which);
        for (uint32_t i = 0; i < lines.count; i++)
            is_moved |= move_refs(r, tag, which, &lines.items[i]);
        if (is_moved && !r->is_dry && !tn_failed(r->error))
            put_lines(r, tag, which, &lines);
    }
}

static void drop_tag(struct removing *r)
{
    struct tn_tagged *t = &r->e->box;
    struct tn_bytes  *tags =
        tn_new(&t->arena, struct tn_bytes, t->tag_count, r->error);
    uint32_t count = 0;

    for (uint32_t i = 0; tags && i < t->tag_count; i++)
        if (i != r->tag)
            tags[count++] = t->tags[i];
    for (uint64_t i = 0; i < tn_zip_count(t->zip); i++)
        if (tn_tag_is_below(tn_zip_at(t->zip, i), t->tags[r->tag]))
            tn_zip_drop(writer_of(r), tn_zip_at(t->zip, i)->name);
    if (!tn_failed(r->error))
        tn_tag_put_list(writer_of(r), tags, count, r->memory, r->error);
}

static void remove_tag(struct removing *r)
{
    struct tn_tagged *t = &r->e->box;

    r->homes = tn_new(&t->arena, struct home, tn_zip_count(t->zip), r->error);
    for (uint32_t i = 0; i < t->tag_count && !tn_failed(r->error); i++)
        if (i != r->tag)
            move_tag(r, t->tags[i]);
    if (tn_failed(r->error) || r->is_dry)
        return;
    drop_tag(r);
    if (!tn_failed(r->error))
        tn_zip_commit(&r->e->edit);
}

enum tn_status tn_tagged_remove(struct tn_memory *memory, const char *path,
                                struct tn_bytes          tag,
                                const struct tn_tag_how *how,
                                struct tn_tag_summary   *summary,
                                struct tn_error         *error)
{
    struct tn_tag_edit e;
    struct removing    r = { .e       = &e,
                             .memory  = memory,
                             .is_dry  = how->is_dry,
                             .summary = summary,
                             .error   = error };

    if (tn_tag_edit_open(&e, memory, path, how, error) == TN_OK) {
        r.tag = tn_tagged_find(&e.box, tag);
        if (r.tag == TN_NONE)
            tn_tagged_no_tag(&e.box, tag, error);
        else if (e.box.tag_count == 1)
            tn_error_set(error, TN_INVALID, TN_NOWHERE,
                         "'%.*s' is the last tag: remove the file instead",
                         TN_FMT(tag));
        else
            remove_tag(&r);
        summary->size_before = e.zip->source->size;
        summary->size_after  = how->is_dry || tn_failed(error)
                                   ? e.zip->source->size + summary->new_bytes
                                   : tn_zip_writer_offset(&e.edit.writer);
    }
    tn_tag_edit_close(&e);
    return error->status;
}
