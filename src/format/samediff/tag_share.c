/*
 * tag_share.c - arrays that are in a container already
 *
 * An array is the bytes of its entry, which the same writer makes of the same
 * elements.  Entries of that size and checksum are looked for, whatever their
 * tag and name, and then compared byte by byte: a checksum alone proves
 * nothing.  Elements that lie in the container itself are there, of course.
 */
#include "base/arith.h"
#include "base/byte_find.h"
#include "format/samediff/tag_edit.h"
#include "wire/zip/zip_sum.h"

/* ---- names of entries --------------------------------------------------- */

/* The array that an entry is: its tag, its id; false: it is none. */
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

uint64_t tn_tag_next_id(const struct tn_tagged *t, struct tn_bytes tag,
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
    static const uint8_t zeros[4096];
    struct comparing    *c      = (struct comparing *)sink;
    struct tn_source    *source = c->with.source;

    if (count > c->with.length - c->at)
        return stop_at_difference(c, error);
    while (count) {
        bool     is_hole = false;
        uint64_t run     = count;
        if (source->run)
            run = source->run(source, c->with.offset + c->at, count, &is_hole);
        if (is_hole) {
            c->at += run;
        } else {
            run = tn_min(run, sizeof zeros);
            TN_TRY(compare_bytes(sink, tn_bytes(zeros, (size_t)run), error));
        }
        count -= run;
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

enum tn_status tn_tag_shares_init(struct tn_tag_shares *s, struct tn_tagged *t,
                                  struct tn_meter *meter,
                                  struct tn_error *error)
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

void tn_tag_shares_done(struct tn_tag_shares *s)
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

    zip_sum_init(&sum, NULL, memory);
    TN_TRY(tn_rope_write(rope, &sum.sink, error));
    *crc = sum.crc;
    return TN_OK;
}

/* The entry with the bytes of the rope; NULL: there is none. */
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
    uint64_t low = 0, high = tn_zip_count(zip);

    while (low < high) {
        uint64_t                   middle = low + (high - low) / 2;
        const struct tn_zip_entry *entry  = tn_zip_in_order(zip, middle);
        if (entry->data_offset + entry->packed_size <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tn_zip_count(zip))
        return NULL;
    const struct tn_zip_entry *entry = tn_zip_in_order(zip, low);
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

enum tn_status tn_tag_share_all(struct tn_tag_shares    *s,
                                struct tn_tagged_writer *w,
                                struct tn_tag_summary   *summary)
{
    for (int which = TN_TAG_PARAMS; which <= TN_TAG_UPDATER; which++)
        for (uint64_t i = 0;
             i < w->lists[which].files.count && !tn_failed(w->error); i++)
            share(s, w, (enum tn_tag_file)which, i, summary);
    return w->error->status;
}
