/* tag_edit.c - a container that is being changed, and adding a tag to it */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "base/byte_view.h"
#include "base/sort.h"
#include "format/registry.h"
#include "format/samediff/tag_edit.h"
#include "io/file_source.h"
#include "wire/zip/zip_write.h"

/* ---- arrays that are in a container already ----------------------------- */

/*
 * An array is the bytes of its entry, which the same writer makes of the same
 * elements.  Entries of that size and checksum are looked for, whatever their
 * tag and name, and then compared byte by byte: a checksum alone proves
 * nothing.  Elements that are in the container itself are there, of course.
 */

/* ---- names of entries --------------------------------------------------- */

/* The array that an entry is: its tag, its id; false if it is not one. */
static bool entry_ref(const struct tn_zip_entry *entry, enum tn_tag_file which,
                      const char *suffix, struct tn_tag_ref *ref)
{
    struct tn_bytes name  = entry->name;
    size_t          size  = strlen(tn_tagged_folder(which));
    const uint8_t  *slash = tn_bytes_find(name, '/');

    if (!slash || !tn_bytes_ends_with(name, suffix))
        return false;
    ref->tag = tn_bytes(name.data, (size_t)(slash - name.data));
    ref->id  = tn_bytes(slash + 1, name.size - ref->tag.size - 1);
    if (!tn_tagged_is_in(ref->id, which) ||
        ref->id.size <= size + 1 + strlen(suffix))
        return false;
    ref->id = tn_bytes(ref->id.data + size + 1,
                       ref->id.size - size - 1 - strlen(suffix));
    return tn_bytes_find(ref->id, '/') == NULL;
}

/* One more than the largest number of a file of the tag. */
static uint64_t tag_next_id(const struct tn_tagged *t, struct tn_bytes tag,
                            enum tn_tag_file which)
{
    uint64_t next = 0;

    for (uint64_t i = 0; i < tn_zip_count(t->zip); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(t->zip, i);
        struct tn_tag_ref          ref;
        uint64_t                   id = 0;
        if (!tn_tag_is_below(entry, tag) ||
            !entry_ref(entry, which, ".fb", &ref) || ref.id.size > 18)
            continue;
        for (size_t k = 0; k < ref.id.size; k++)
            id = id * 10 + (uint64_t)(ref.id.data[k] & 15);
        if (id >= next)
            next = id + 1;
    }
    return next;
}

/* ---- comparing ---------------------------------------------------------- */

/* Takes bytes and compares them with those of a span. */
struct comparing {
    struct tn_sink   sink; /* first */
    struct tn_span   with;
    uint64_t         at;
    struct tn_meter *meter;
    bool             is_same;
};

static enum tn_status stop_at_difference(struct comparing *c,
                                         struct tn_error  *error)
{
    c->is_same = false;
    return tn_error_set(error, TN_CANCELLED, TN_NOWHERE, "they differ");
}

/* What the span has there: in memory already, or read into the room. */
static const uint8_t *look(struct comparing *c, size_t size, uint8_t *room,
                           struct tn_error *error)
{
    uint64_t       at = c->with.offset + c->at, got = 0;
    const uint8_t *there = tn_source_look(c->with.source, at, &got);

    if (there && got >= size)
        return there;
    if (tn_source_read(c->with.source, at, room, size, error) != TN_OK)
        return NULL;
    return room;
}

static enum tn_status compare_bytes(struct tn_sink *sink, struct tn_bytes bytes,
                                    struct tn_error *error)
{
    struct comparing *c = (struct comparing *)sink;
    uint8_t           room[16384];

    if (bytes.size > c->with.length - c->at)
        return stop_at_difference(c, error);
    for (size_t at = 0; at < bytes.size;) {
        size_t         step  = tn_min_size(bytes.size - at, sizeof room);
        const uint8_t *there = look(c, step, room, error);
        if (!there)
            return error->status;
        if (memcmp(there, bytes.data + at, step) != 0)
            return stop_at_difference(c, error);
        at += step;
        c->at += step;
    }
    return c->meter ? tn_meter_add(c->meter, bytes.size, error) : TN_OK;
}

/* A hole against a hole is not read. */
static enum tn_status compare_zeros(struct tn_sink *sink, uint64_t count,
                                    struct tn_error *error)
{
    static uint8_t    zeros[4096];
    struct comparing *c      = (struct comparing *)sink;
    struct tn_source *source = c->with.source;

    if (count > c->with.length - c->at)
        return stop_at_difference(c, error);
    while (count) {
        bool     is_hole = false;
        uint64_t length  = count;
        if (source->extent)
            length =
                source->extent(source, c->with.offset + c->at, count, &is_hole);
        if (is_hole) {
            c->at += length;
        } else {
            length = tn_min(length, sizeof zeros);
            TN_TRY(compare_bytes(sink, tn_bytes(zeros, (size_t)length), error));
        }
        count -= length;
    }
    return TN_OK;
}

static const struct tn_sink_ops comparing_ops = { .write = compare_bytes,
                                                  .zeros = compare_zeros };

/* Whether a rope and an entry are the same bytes. */
static enum tn_status same_bytes(struct tn_tagged          *t,
                                 const struct tn_rope      *rope,
                                 const struct tn_zip_entry *entry,
                                 struct tn_meter *meter, bool *is_same,
                                 struct tn_error *error)
{
    struct tn_error  own = TN_ERROR_INIT;
    struct comparing c   = { .sink    = { .ops = &comparing_ops },
                             .meter   = meter,
                             .is_same = rope->length == entry->size };

    *is_same = false;
    TN_TRY(tn_tagged_span(t, entry, &c.with, error));
    if (c.is_same)
        tn_rope_write(rope, &c.sink, &own);
    if (tn_failed(&own) && c.is_same)
        *error = own; /* something else than a difference */
    *is_same = c.is_same && !tn_failed(&own);
    return error->status;
}

/* ---- an index by size --------------------------------------------------- */

static bool is_array(const struct tn_zip_entry *entry)
{
    struct tn_tag_ref ref;

    for (int which = TN_TAG_PARAMS; which <= TN_TAG_UPDATER; which++)
        if (entry_ref(entry, (enum tn_tag_file)which, ".fb", &ref) ||
            entry_ref(entry, (enum tn_tag_file)which, ".bin", &ref))
            return true;
    return false;
}

static enum tn_status tag_shares_init(struct tn_tag_shares *s,
                                      struct tn_tagged     *t,
                                      struct tn_meter      *meter,
                                      struct tn_error      *error)
{
    uint64_t count = tn_zip_count(t->zip);

    *s = (struct tn_tag_shares){ .t = t, .meter = meter };
    tn_pairs_init(&s->by_size, t->memory);
    s->next = tn_new(&t->arena, uint32_t, count, error);
    for (uint64_t i = 0; s->next && i < count && !tn_failed(error); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(t->zip, i);
        if (!is_array(entry))
            continue;
        uint32_t low   = (uint32_t)entry->size,
                 high  = (uint32_t)(entry->size >> 32);
        uint32_t first = tn_pairs_find(&s->by_size, low, high);
        if (first == UINT32_MAX) {
            tn_pairs_add(&s->by_size, low, high, (uint32_t)i, error);
            continue;
        }
        s->next[i]     = s->next[first];
        s->next[first] = (uint32_t)i + 1;
    }
    return error->status;
}

static void tag_shares_done(struct tn_tag_shares *s)
{
    tn_pairs_done(&s->by_size);
}

/* ---- one array ---------------------------------------------------------- */

static bool is_listed(const struct tn_tag_shares *s, struct tn_bytes tag)
{
    return tn_tagged_find(s->t, tag) != TN_NONE;
}

static enum tn_status sum_of(const struct tn_rope *rope,
                             struct tn_memory *memory, uint32_t *crc,
                             struct tn_error *error)
{
    struct zip_sum sum;

    tn_zip_sum_init(&sum, NULL, memory);
    TN_TRY(tn_rope_write(rope, &sum.sink, error));
    *crc = sum.crc;
    return TN_OK;
}

/* The entry with the bytes of the rope; NULL if there is none. */
static const struct tn_zip_entry *find_bytes(struct tn_tag_shares *s,
                                             enum tn_tag_file      which,
                                             const struct tn_rope *rope,
                                             const char           *suffix,
                                             struct tn_error      *error)
{
    uint32_t          at  = tn_pairs_find(&s->by_size, (uint32_t)rope->length,
                                          (uint32_t)(rope->length >> 32));
    uint32_t          crc = 0;
    bool              has_crc = false, is_same = false;
    struct tn_tag_ref ref;

    for (; at != UINT32_MAX && !tn_failed(error);
         at = s->next[at] ? s->next[at] - 1 : UINT32_MAX) {
        const struct tn_zip_entry *entry = tn_zip_at(s->t->zip, at);
        if (!entry_ref(entry, which, suffix, &ref) || !is_listed(s, ref.tag))
            continue;
        if (!has_crc && sum_of(rope, s->t->memory, &crc, error) != TN_OK)
            return NULL;
        has_crc = true;
        if (crc == entry->crc &&
            same_bytes(s->t, rope, entry, s->meter, &is_same, error) == TN_OK &&
            is_same)
            return entry;
    }
    return NULL;
}

/* The entry that holds a place of the container. */
static const struct tn_zip_entry *entry_around(const struct tn_zip *zip,
                                               uint64_t             offset)
{
    uint64_t at;

    TN_BISECT(at, 0, tn_zip_count(zip),
              tn_zip_in_order(zip, at)->data_offset +
                      tn_zip_in_order(zip, at)->packed_size <=
                  offset);
    if (at == tn_zip_count(zip))
        return NULL;
    const struct tn_zip_entry *entry = tn_zip_in_order(zip, at);
    return entry->data_offset <= offset && entry->method == TN_ZIP_STORED
               ? entry
               : NULL;
}

static bool is_in_container(const struct tn_tag_shares  *s,
                            enum tn_tag_file             which,
                            const struct tn_tagged_file *file,
                            struct tn_tag_ref           *ref)
{
    struct tn_span span =
        file->elements ? file->elements->payload.span : file->verbatim;

    if (span.source != s->t->zip->source || span.length == 0)
        return false;
    const struct tn_zip_entry *entry = entry_around(s->t->zip, span.offset);
    return entry &&
           (entry_ref(entry, which, ".fb", ref) ||
            entry_ref(entry, which, ".bin", ref)) &&
           is_listed(s, ref->tag);
}

/* Elements in a file of their own: that is compared, and what describes it. */
static bool find_long(struct tn_tag_shares *s, enum tn_tag_file which,
                      const struct tn_elements *elements,
                      struct tn_arena *arena, struct tn_tag_ref *ref,
                      uint64_t *size, struct tn_error *error)
{
    struct tn_tagged_array     there;
    struct tn_rope             rope;
    const struct tn_zip_entry *entry = NULL;

    tn_rope_init(&rope, arena, error);
    if (tn_sd_rope_elements(&rope, elements, s->t->memory) == TN_OK)
        entry = find_bytes(s, which, &rope, ".bin", error);
    *size = rope.length;
    tn_rope_done(&rope);
    return entry && entry_ref(entry, which, ".bin", ref) &&
           tn_tagged_array_read(s->t, ref->tag, which, ref, arena, &there,
                                error) == TN_OK &&
           tn_shape_equal(&there.array.elements.shape, &elements->shape);
}

static bool find_short(struct tn_tag_shares *s, enum tn_tag_file which,
                       const struct tn_tagged_file *file,
                       struct tn_arena *arena, struct tn_tag_ref *ref,
                       uint64_t *size, struct tn_error *error)
{
    struct tn_rope             rope;
    const struct tn_zip_entry *entry = NULL;

    tn_rope_init(&rope, arena, error);
    if (file->elements)
        tn_tagged_array_rope(file->elements, NULL, arena, s->t->memory, &rope,
                             error);
    else if (file->verbatim.source)
        tn_rope_span(&rope, file->verbatim);
    if (!tn_failed(error))
        entry = find_bytes(s, which, &rope, ".fb", error);
    *size = rope.length;
    tn_rope_done(&rope);
    return entry && entry_ref(entry, which, ".fb", ref);
}

static void share(struct tn_tag_shares *s, struct tn_tagged_writer *w,
                  enum tn_tag_file which, uint64_t index,
                  struct tn_tag_summary *summary)
{
    struct tn_tagged_list *list = &w->lists[which];
    struct tn_tagged_file *file =
        tn_list_at(&list->files, struct tn_tagged_file, index);
    struct tn_tag_ref *ref = tn_list_at(&list->refs, struct tn_tag_ref, index);
    struct tn_arena    arena;
    uint64_t           size = 0;

    summary->arrays++;
    tn_arena_init(&arena, w->memory);
    if (is_in_container(s, which, file, ref))
        file->is_shared = true;
    else if (file->elements && tn_tagged_is_long(file->elements))
        file->is_shared =
            find_long(s, which, file->elements, &arena, ref, &size, w->error);
    else
        file->is_shared =
            find_short(s, which, file, &arena, ref, &size, w->error);
    tn_arena_done(&arena);
    if (file->is_shared)
        summary->shared++;
    else
        summary->new_bytes += size;
}

/* Points every file whose bytes are there at where they are.  Tells how many
 * are new and their bytes. */
static enum tn_status tag_share_all(struct tn_tag_shares    *s,
                                    struct tn_tagged_writer *w,
                                    struct tn_tag_summary   *summary)
{
    for (int which = TN_TAG_PARAMS; which <= TN_TAG_UPDATER; which++)
        for (uint64_t i = 0;
             i < w->lists[which].files.count && !tn_failed(w->error); i++)
            share(s, w, (enum tn_tag_file)which, i, summary);
    return w->error->status;
}

#define _DEFAULT_SOURCE

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

static enum tn_status tag_edit_open(struct tn_tag_edit *e,
                                    struct tn_memory *memory, const char *path,
                                    const struct tn_tag_how *how,
                                    struct tn_error         *error)
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

static void tag_edit_close(struct tn_tag_edit *e)
{
    if (e->has_box)
        tn_tagged_end(&e->box);
    if (!e->is_dry)
        tn_zip_edit_close(&e->edit);
    else if (e->zip)
        tn_zip_close(&e->dry);
    tn_source_close(e->source);
}

/* ---- references --------------------------------------------------------- */

static void mark_entry(const struct tn_tagged    *t,
                       const struct tn_zip_entry *entry, bool *is_named)
{
    if (entry)
        is_named[entry - tn_zip_at(t->zip, 0)] = true;
}

/* Marks (by number of the entry) the arrays that the tag names, its own and
 * others'. */
static enum tn_status tag_mark(struct tn_tagged *t, struct tn_bytes tag,
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
            tag_mark(t, t->tags[i], is_named, a->error);
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

    if (tag_shares_init(&shares, &a->e->box, a->how->meter, a->error) == TN_OK)
        tag_share_all(&shares, &a->w, a->summary);
    tag_shares_done(&shares);
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
    uint64_t next[2] = { tag_next_id(&a->e->box, a->tag, TN_TAG_PARAMS),
                         tag_next_id(&a->e->box, a->tag, TN_TAG_UPDATER) };

    tn_tagged_writer_init(&a->w, model, a->tag, a->how->write, next, a->error);
}

static void add_model(struct adding *a, const struct tn_model *model)
{
    begin_writer(a, model);
    if (!tn_failed(a->error))
        share_and_put(a);
    tn_tagged_writer_done(&a->w);
}

/* A set of tensors may hold more than variables: bookkeeping of a checkpoint,
 * which belongs to no parameter, and constants of attributes, which are
 * reported. */
static void replace(struct adding *a, const struct tn_tensor *tensor)
{
    struct tn_error own = TN_ERROR_INIT;

    a->w.error = &own;
    tn_tagged_writer_replace(&a->w, tn_tensor_name(tensor), &tensor->elements);
    a->w.error = a->error;
    a->replaced_count += own.status == TN_OK;
    if (own.status == TN_NOT_FOUND) {
        if (tensor->role != TN_ROLE_STATE)
            tn_lose_named(a->how->write, tn_tensor_name(tensor),
                          "left behind: no variable of the graph has the name");
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

    if (tag_edit_open(&e, memory, path, how, error) == TN_OK &&
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
    tag_edit_close(&e);
    return error->status;
}

/* ---- writing a container anew, and mending one -------------------------- */

/*
 * All that a tag names, in the order of a new container: the list, then tag by
 * tag its graph, texts, arrays and what nobody knows; then what belongs to no
 * tag of the list.  Old commits and arrays that no tag names stay behind.
 */

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
        tag_mark(c->t, c->t->tags[i], c->is_named, c->error);
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
            tag_mark(c->t, tag, c->is_named, c->error);
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

/* ---- removing a tag ----------------------------------------------------- */

/*
 * An array that others share gets a new home: the oldest tag that names it has
 * a copy, and all lines that named the old place name the new one.
 */

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
        r->next[which] = tag_next_id(t, tag, which);
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

    if (tag_edit_open(&e, memory, path, how, error) == TN_OK) {
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
    tag_edit_close(&e);
    return error->status;
}
