/* zip_open.c - opening a zip: the end, the directory, every local header */
#include "base/arith.h"
#include "base/expand.h"
#include "base/sort.h"
#include "codec/deflate.h"
#include "io/file_source.h"
#include "wire/zip/zip_records.h"

/* Fails with a number, `at` bytes into the entry's record of the directory. */
static enum tn_status fail_record(const struct tn_zip_entry *e, unsigned at,
                                  enum tn_status status, const char *what,
                                  uint64_t number, struct tn_error *error)
{
    tn_error_set(error, status, e->record_offset + at, "%s %" PRIu64, what,
                 number);
    tn_zip_where(e, error);
    return error->status;
}

/* ---- where entries are: local headers, data, gaps ---------------------- */

/*
 * Entries in the order of the file, each compared with what the directory says
 * about it; between them only what was replaced and directories of older
 * commits.
 *
 * A lazy zip does not read a local header if the data is where our writer
 * puts it and ends where the next thing begins.  Then no byte can belong to
 * anything else, and the header is compared when the entry is used.
 */

/* ---- their order -------------------------------------------------------- */

static struct tn_zip_entry *entry_in_order(const struct tn_zip *zip,
                                           uint64_t             rank)
{
    return tn_list_at(&zip->entries, struct tn_zip_entry,
                      *tn_list_at(&zip->order, uint32_t, rank));
}

static uint64_t offset_of(const struct tn_zip *zip, uint64_t rank)
{
    return entry_in_order(zip, rank)->offset;
}

/* Two records of one header are refused at the later record, which has the
 * wrong name: so that one comes first. */
static int by_offset(const void *a, const void *b, void *context)
{
    const uint32_t *one = a, *two = b;
    uint64_t        left  = tn_zip_at(context, *one)->offset;
    uint64_t        right = tn_zip_at(context, *two)->offset;

    if (left == right)
        return (*one < *two) - (*one > *two);
    return left < right ? -1 : 1;
}

static enum tn_status sort_entries(struct tn_zip *zip, struct tn_error *error)
{
    uint64_t count     = zip->entries.count;
    bool     is_sorted = true;

    zip->order.count = 0;
    if (count && !tn_list_grow(&zip->order, count, error))
        return error->status;
    uint32_t *order = zip->order.items;
    for (uint64_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
        is_sorted &= i == 0 || offset_of(zip, i - 1) < offset_of(zip, i);
    }
    if (!is_sorted)
        tn_sort_items(order, count, sizeof *order, by_offset, zip);
    return TN_OK;
}

/* ---- local headers ------------------------------------------------------ */

static bool is_or_later(uint64_t local, uint64_t wanted, bool has_descriptor)
{
    return local == wanted ||
           (has_descriptor && (local == 0 || local == UINT32_MAX));
}

static enum tn_status compare_local(const struct tn_zip_entry *e,
                                    const struct zip_local    *l,
                                    struct tn_error           *error)
{
    bool     has_descriptor = e->flags & ZIP_FLAG_DESCRIPTOR;
    unsigned same           = ZIP_FLAG_DESCRIPTOR | ZIP_FLAG_ENCRYPTED;

    if (!tn_bytes_equal(l->name, e->name))
        return tn_error_set(error, TN_MALFORMED, e->offset + ZIP_LOCAL_SIZE,
                            "the local header has another name");
    if ((l->flags ^ e->flags) & same)
        return tn_error_set(error, TN_MALFORMED, e->offset + 6,
                            "flags %04x, but %04x in the directory", l->flags,
                            e->flags);
    if (l->method != e->method)
        return tn_error_set(error, TN_MALFORMED, e->offset + 8,
                            "method %u, but %u in the directory", l->method,
                            e->method);
    if (!is_or_later(l->crc, e->crc, has_descriptor))
        return tn_error_set(error, TN_MALFORMED, e->offset + 14,
                            "crc %08" PRIx32 ", the directory says %08" PRIx32,
                            l->crc, e->crc);
    if (!is_or_later(l->packed_size, e->packed_size, has_descriptor) ||
        !is_or_later(l->size, e->size, has_descriptor))
        return tn_error_set(error, TN_MALFORMED, e->offset + 18,
                            "%" PRIu64 " bytes for %" PRIu64
                            ", the directory says %" PRIu64 " for %" PRIu64,
                            l->packed_size, l->size, e->packed_size, e->size);
    return TN_OK;
}

uint64_t tn_zip_descriptor_size(struct tn_zip             *zip,
                                const struct tn_zip_entry *e, uint64_t at,
                                uint64_t limit, struct tn_error *error)
{
    uint64_t       most = tn_min(limit - at, 24);
    const uint8_t *d    = tn_zip_peek(zip, at, most, error);
    uint64_t       skip =
        d && most >= 4 && tn_load32(d) == ZIP_DESCRIPTOR && most >= 16 ? 4 : 0;

    if (!d || most < skip + 12 || tn_load32(d + skip) != e->crc)
        return 0;
    d += skip + 4;
    if (tn_load32(d) == e->packed_size && tn_load32(d + 4) == e->size)
        return skip + 12;
    if (most >= skip + 20 && tn_load64(d) == e->packed_size &&
        tn_load64(d + 8) == e->size)
        return skip + 20;
    return 0;
}

/* ---- one entry ---------------------------------------------------------- */

/* The entry lies where our writer would put it, and ends exactly where the next
 * thing begins. */
static bool is_foreseen(const struct tn_zip *zip, struct tn_zip_entry *e,
                        uint64_t limit)
{
    uint64_t at = tn_zip_foreseen_offset(e);

    if (!zip->options.is_lazy || e->flags & ZIP_FLAG_DESCRIPTOR || at > limit ||
        e->packed_size != limit - at)
        return false;
    e->data_offset = at;
    return true;
}

/* Where the entry ends, descriptor included; `limit` is where the next thing
 * begins that it must not reach. */
static enum tn_status place_entry(struct tn_zip *zip, struct tn_zip_entry *e,
                                  uint64_t limit, uint64_t *end,
                                  struct tn_error *error)
{
    struct zip_local local;

    if (is_foreseen(zip, e, limit)) {
        *end = limit;
        return TN_OK;
    }
    TN_TRY(tn_zip_read_local(zip, e->offset, &local, error));
    TN_TRY(compare_local(e, &local, error));
    e->data_offset = local.data_offset;
    e->is_placed   = true;
    if (local.data_offset > limit || e->packed_size > limit - local.data_offset)
        return tn_error_set(error, TN_MALFORMED, e->offset,
                            "data of %" PRIu64 " bytes at %" PRIu64
                            " overlaps what begins at %" PRIu64,
                            e->packed_size, local.data_offset, limit);
    *end = e->data_offset + e->packed_size;
    if (!(e->flags & ZIP_FLAG_DESCRIPTOR))
        return TN_OK;
    uint64_t size = tn_zip_descriptor_size(zip, e, *end, limit, error);
    if (!size)
        return tn_error_set(error, TN_MALFORMED, *end,
                            "no descriptor that fits the directory");
    *end += size;
    return TN_OK;
}

enum tn_status tn_zip_settle(struct tn_zip *zip, const struct tn_zip_entry *e,
                             struct tn_error *error)
{
    struct zip_local local;

    if (e->is_placed)
        return TN_OK;
    if (tn_zip_read_local(zip, e->offset, &local, error) == TN_OK &&
        compare_local(e, &local, error) == TN_OK &&
        local.data_offset != e->data_offset)
        tn_error_set(error, TN_MALFORMED, e->offset + 28,
                     "data at %" PRIu64 ", but only from %" PRIu64
                     " on it would end where it has to",
                     local.data_offset, e->data_offset);
    if (tn_failed(error))
        tn_zip_where(e, error);
    return error->status;
}

struct tn_bytes tn_zip_head(struct tn_zip *zip, const struct tn_zip_entry *e,
                            uint64_t most, struct tn_error *error)
{
    uint64_t       size  = tn_min(most, e->packed_size);
    const uint8_t *bytes = tn_zip_peek(zip, e->data_offset, size, error);

    return tn_bytes(bytes, bytes ? (size_t)size : 0);
}

/* ---- all of them -------------------------------------------------------- */

/* Whether [at, end) is nothing but entries that were replaced and directories
 * of older commits. */
static bool is_history(struct tn_zip *zip, uint64_t at, uint64_t end,
                       struct tn_error *error)
{
    struct zip_end ignored;

    while (at < end &&
           tn_zip_walk(zip, &at, end, &ignored, error) != ZIP_STEP_NONE)
        ;
    return at == end;
}

static enum tn_status place_entries(struct tn_zip *zip, uint64_t *gap,
                                    struct tn_error *error)
{
    uint64_t at = 0, count = zip->entries.count;

    *gap = TN_NOWHERE;
    TN_TRY(sort_entries(zip, error));
    for (uint64_t i = 0; i < count; i++) {
        struct tn_zip_entry *e = entry_in_order(zip, i);
        uint64_t             limit =
            i + 1 < count ? offset_of(zip, i + 1) : zip->directory_offset;
        uint64_t end = 0;
        if (e->offset >= zip->directory_offset)
            return fail_record(e, 42, TN_MALFORMED,
                               "a local header not before the directory, at",
                               e->offset, error);
        if (*gap == TN_NOWHERE && !is_history(zip, at, e->offset, error))
            *gap = at;
        if (tn_failed(error) ||
            place_entry(zip, e, tn_min(limit, zip->directory_offset), &end,
                        error) != TN_OK) {
            tn_zip_where(e, error);
            return error->status;
        }
        at = end;
    }
    if (*gap == TN_NOWHERE &&
        !is_history(zip, at, zip->directory_offset, error))
        *gap = at;
    return error->status;
}

/* ---- from the first byte on, entry by entry and commit by commit -------- */

/*
 * Never from the end: a tensor may hold a zip, and a search for end records
 * would find that one's.  A walk steps over data by the sizes in the local
 * headers, so entries with descriptors, whose sizes come after them, end it.
 */

/* Damaged bytes are not an error here: the walk just ends there. */
static enum zip_step settle(enum zip_step step, const struct tn_error *inner,
                            struct tn_error *error)
{
    if (!tn_failed(inner))
        return step;
    if (zip_is_final(inner))
        *error = *inner;
    return ZIP_STEP_NONE;
}

static enum zip_step step_over_entry(struct tn_zip *zip, uint64_t *at,
                                     uint64_t limit, struct tn_error *error)
{
    struct tn_error  inner = TN_ERROR_INIT;
    struct zip_local local;

    if (tn_zip_read_local(zip, *at, &local, &inner) != TN_OK)
        return settle(ZIP_STEP_NONE, &inner, error);
    if (local.flags & ZIP_FLAG_DESCRIPTOR || local.data_offset > limit ||
        local.packed_size > limit - local.data_offset)
        return ZIP_STEP_NONE;
    *at = local.data_offset + local.packed_size;
    return ZIP_STEP_ENTRY;
}

/* Where the directory ends that begins at `at`, by its records; 0: it does not
 * before `limit`. */
static uint64_t end_of_records(struct tn_zip *zip, uint64_t at, uint64_t limit,
                               struct tn_error *error)
{
    while (tn_inside(at, ZIP_RECORD_SIZE, limit)) {
        const uint8_t *record = tn_zip_peek(zip, at, ZIP_RECORD_SIZE, error);
        if (!record)
            return 0;
        if (tn_load32(record) != ZIP_RECORD)
            break;
        at += ZIP_RECORD_SIZE + (uint64_t)tn_load16(record + 28) +
              tn_load16(record + 30) + tn_load16(record + 32);
    }
    if (tn_zip_signature(zip, at, error) == ZIP_END64)
        at += ZIP_END64_SIZE + ZIP_LOCATOR_SIZE;
    return tn_inside(at, ZIP_END_SIZE, limit) ? at : 0;
}

/* The end at `offset` closes the directory that begins at `at`. */
static bool closes(struct tn_zip *zip, uint64_t at, uint64_t offset,
                   uint64_t limit, struct zip_end *end, struct tn_error *inner)
{
    return tn_zip_read_end(zip, offset, end, inner) == TN_OK &&
           end->directory_offset == at && end->end <= limit;
}

static enum zip_step step_over_directory(struct tn_zip *zip, uint64_t *at,
                                         uint64_t limit, struct zip_end *end,
                                         struct tn_error *error)
{
    struct tn_error inner = TN_ERROR_INIT;

    /* Mostly nothing follows it: then its records need not be visited. */
    if (limit - *at >= ZIP_END_SIZE &&
        closes(zip, *at, limit - ZIP_END_SIZE, limit, end, &inner)) {
        *at = end->end;
        return ZIP_STEP_END;
    }
    if (zip_is_final(&inner))
        return settle(ZIP_STEP_NONE, &inner, error);
    inner           = (struct tn_error)TN_ERROR_INIT;
    uint64_t offset = end_of_records(zip, *at, limit, &inner);
    if (!offset || !closes(zip, *at, offset, limit, end, &inner))
        return settle(ZIP_STEP_NONE, &inner, error);
    *at = end->end;
    return ZIP_STEP_END;
}

enum zip_step tn_zip_walk(struct tn_zip *zip, uint64_t *at, uint64_t limit,
                          struct zip_end *end, struct tn_error *error)
{
    if (*at >= limit)
        return ZIP_STEP_NONE;
    switch (tn_zip_signature(zip, *at, error)) {
    case ZIP_LOCAL: return step_over_entry(zip, at, limit, error);
    case ZIP_RECORD:
    case ZIP_END64:
    case ZIP_END: return step_over_directory(zip, at, limit, end, error);
    }
    return ZIP_STEP_NONE;
}

/* All ends that a walk from the first byte meets, struct zip_end each. */
static enum tn_status zip_walk_ends(struct tn_zip *zip, struct tn_list *ends,
                                    struct tn_error *error)
{
    struct zip_end end;
    enum zip_step  step;
    uint64_t       at = 0;

    while ((step = tn_zip_walk(zip, &at, zip->source->size, &end, error)) !=
           ZIP_STEP_NONE) {
        if (step == ZIP_STEP_ENTRY)
            continue;
        struct zip_end *slot = tn_list_push(ends, struct zip_end, error);
        if (!slot)
            break;
        *slot = end;
    }
    return error->status;
}

/* The most names that may be alike but for case; a list of them is searched. */
#define MOST_ALIKE 16

/* The most end records that are tried; each may cost a walk over the
 * directory. */
#define MOST_ENDS 16

#define NO_ENTRY UINT32_MAX

void tn_zip_where(const struct tn_zip_entry *entry, struct tn_error *error)
{
    tn_error_where(error, "%.*s",
                   (int)tn_min(entry->name.size, sizeof error->where - 1),
                   (const char *)entry->name.data);
}

static struct tn_zip_entry *entry_at(const struct tn_zip *zip, uint64_t index)
{
    return tn_list_at(&zip->entries, struct tn_zip_entry, index);
}

static void find_level(const struct tn_zip *zip, enum tn_finding_level level,
                       const char *rule, uint64_t offset,
                       const struct tn_zip_entry *entry, const char *what)
{
    struct tn_error finding = TN_ERROR_INIT;

    if (!zip->options.report)
        return;
    tn_error_set(&finding, TN_MALFORMED, offset, "%s", what);
    if (entry)
        tn_zip_where(entry, &finding);
    tn_report_add(zip->options.report, level, rule, &finding);
}

static void find(const struct tn_zip *zip, const char *rule, uint64_t offset,
                 const struct tn_zip_entry *entry, const char *what)
{
    find_level(zip, TN_LEVEL_WARNING, rule, offset, entry, what);
}

/* ---- one record of the directory ---------------------------------------- */

struct record {
    struct tn_zip_entry *entry;
    uint32_t             external;
    uint16_t             disk;
};

static enum tn_status check_kind(const struct record *r, struct tn_error *error)
{
    const struct tn_zip_entry *e    = r->entry;
    unsigned                   type = r->external >> 28;
    unsigned                   wrong =
        ZIP_FLAG_ENCRYPTED | ZIP_FLAG_PATCH | ZIP_FLAG_STRONG | ZIP_FLAG_MASKED;

    if (e->flags & wrong)
        return fail_record(e, 8, TN_UNSUPPORTED, "encrypted or patched: flags",
                           e->flags, error);
    if (e->method != TN_ZIP_STORED && e->method != TN_ZIP_DEFLATED)
        return fail_record(e, 10, TN_UNSUPPORTED, "compression method",
                           e->method, error);
    if (r->disk)
        return fail_record(e, 34, TN_UNSUPPORTED, "an entry on disk", r->disk,
                           error);
    if (type && type != 4 && type != 8)
        return fail_record(e, 38, TN_MALFORMED, "a link or a device: file type",
                           type, error);
    return TN_OK;
}

static enum tn_status check_sizes(struct tn_zip             *zip,
                                  const struct tn_zip_entry *e,
                                  struct tn_error           *error)
{
    uint64_t ratio = zip->options.max_ratio;

    if (e->method == TN_ZIP_STORED && e->packed_size != e->size)
        return fail_record(e, 20, TN_MALFORMED,
                           "stored bytes are not as many as there are:",
                           e->packed_size, error);
    if (tn_zip_is_folder(e) && e->size)
        return fail_record(e, 24, TN_MALFORMED, "a folder with a size of",
                           e->size, error);
    if (e->method == TN_ZIP_DEFLATED &&
        e->size / TN_DEFLATE_MOST > e->packed_size)
        return fail_record(e, 24, TN_MALFORMED,
                           "more than deflate can hold: a size of", e->size,
                           error);
    if (ratio && e->size / ratio > e->packed_size)
        return fail_record(e, 24, TN_LIMIT, "expands more than the limit of",
                           ratio, error);
    if (!tn_add(zip->total_size, e->size, &zip->total_size))
        zip->total_size = UINT64_MAX;
    if (zip->options.max_total && zip->total_size > zip->options.max_total) {
        tn_expand_refuse(zip->total_size, zip->options.max_total,
                         e->record_offset + 24, error);
        tn_zip_where(e, error);
    }
    return error->status;
}

static void parse_record(struct tn_cursor *c, struct record *r,
                         struct tn_bytes *extra)
{
    struct tn_zip_entry *e = r->entry;

    e->record_offset = c->offset;
    if (tn_u32(c) != ZIP_RECORD)
        tn_fail_at(c, e->record_offset, TN_MALFORMED,
                   "no record of the directory");
    tn_skip(c, 4); /* made by, version needed */
    e->flags              = tn_u16(c);
    e->method             = tn_u16(c);
    e->time               = tn_u16(c);
    e->date               = tn_u16(c);
    e->crc                = tn_u32(c);
    e->packed_size        = tn_u32(c);
    e->size               = tn_u32(c);
    uint16_t name_size    = tn_u16(c);
    uint16_t extra_size   = tn_u16(c);
    uint16_t comment_size = tn_u16(c);
    r->disk               = tn_u16(c);
    tn_skip(c, 2); /* internal attributes */
    r->external = tn_u32(c);
    e->offset   = tn_u32(c);
    e->name     = tn_take_bytes(c, name_size);
    *extra      = tn_take_bytes(c, extra_size);
    tn_skip(c, comment_size);
}

static enum tn_status read_record(struct tn_zip *zip, struct tn_cursor *c)
{
    struct record   r = { .entry = tn_list_push(&zip->entries,
                                                struct tn_zip_entry, c->error) };
    struct tn_bytes extra;

    if (!r.entry)
        return c->error->status;
    struct tn_zip_entry *e = r.entry;
    e->next_alike          = NO_ENTRY;
    parse_record(c, &r, &extra);
    if (tn_failed(c->error))
        return c->error->status;
    TN_TRY((zip->options.has_keys ? tn_zip_check_key : tn_zip_check_name)(
        e->name, e->record_offset + ZIP_RECORD_SIZE, c->error));
    uint64_t offset = e->record_offset + ZIP_RECORD_SIZE + e->name.size;
    if (tn_zip_read_extra64(extra, offset, &e->size, &e->packed_size,
                            &e->offset, c->error) != TN_OK) {
        tn_zip_where(e, c->error);
        return c->error->status;
    }
    TN_TRY(check_kind(&r, c->error));
    return check_sizes(zip, e, c->error);
}

static enum tn_status read_directory(struct tn_zip        *zip,
                                     const struct zip_end *end,
                                     struct tn_error      *error)
{
    struct tn_span span = { zip->source, end->directory_offset,
                            end->directory_size };

    if (end->count >= NO_ENTRY ||
        (zip->options.max_entries && end->count > zip->options.max_entries))
        return tn_error_set(error, TN_LIMIT, end->offset,
                            "%" PRIu64 " entries, more than the limit",
                            end->count);
    tn_source_expect(span.source, span.offset, span.length);
    struct tn_cursor c = tn_cursor_span(span, error);
    for (uint64_t i = 0; i < end->count && !tn_failed(error); i++)
        if (read_record(zip, &c) != TN_OK && !error->where[0])
            tn_error_where(error, "entry[%" PRIu64 "]", i);
    if (!tn_failed(error) && tn_more(&c))
        tn_fail(&c, TN_MALFORMED,
                "%" PRIu64 " bytes behind the last of %" PRIu64 " entries",
                tn_left(&c), end->count);
    return error->status;
}

/* ---- names -------------------------------------------------------------- */

/* Appends the entry to those alike, unless it is one of them. */
static enum tn_status join_alike(struct tn_zip *zip, uint32_t first,
                                 uint32_t index, struct tn_error *error)
{
    struct tn_zip_entry *e     = entry_at(zip, index);
    struct tn_zip_entry *other = entry_at(zip, first);

    for (int count = 0;; other = entry_at(zip, other->next_alike)) {
        if (tn_bytes_equal(other->name, e->name))
            return fail_record(
                e, ZIP_RECORD_SIZE, TN_MALFORMED,
                "another entry has this name; its record is at byte",
                other->record_offset, error);
        if (++count == MOST_ALIKE || !zip->options.is_foreign)
            return fail_record(
                e, ZIP_RECORD_SIZE, TN_MALFORMED,
                "a name like another but for case or Unicode form, at",
                other->record_offset, error);
        if (other->next_alike == NO_ENTRY)
            break;
    }
    other->next_alike = index;
    find(zip, "zip-alike-names", e->record_offset, e,
         "a name like another but for case or Unicode form");
    return TN_OK;
}

static enum tn_status add_name(struct tn_zip *zip, uint32_t index,
                               struct tn_error *error)
{
    struct tn_bytes name  = entry_at(zip, index)->name;
    uint32_t        known = tn_intern_count(&zip->folded);

    if (!zip->options.has_keys)
        name = zip_alike_copy(&zip->arena, name, error);
    if (tn_failed(error))
        return error->status;
    uint32_t id = tn_intern_borrow(&zip->folded, name, error);
    if (id == TN_NO_NAME)
        return error->status;
    if (id < known)
        return join_alike(zip, *tn_list_at(&zip->firsts, uint32_t, id), index,
                          error);
    uint32_t *slot = tn_list_push(&zip->firsts, uint32_t, error);
    if (slot)
        *slot = index;
    return error->status;
}

/* The folder that a name is in, with its '/'. */
static size_t folder_size(struct tn_bytes name)
{
    size_t size = name.size;

    while (size && name.data[size - 1] != '/')
        size--;
    return size;
}

/* No folder on the way to the entry is a file.  Neighbours mostly are in the
 * same one: `checked` is that of the entry before. */
static enum tn_status check_folders(struct tn_zip             *zip,
                                    const struct tn_zip_entry *e,
                                    struct tn_bytes           *checked,
                                    struct tn_error           *error)
{
    struct tn_bytes folder = tn_bytes(e->name.data, folder_size(e->name));

    if (tn_bytes_equal(folder, *checked) || zip->options.has_keys)
        return TN_OK;
    *checked               = folder;
    struct tn_bytes folded = zip_alike_copy(&zip->arena, folder, error);
    if (tn_failed(error))
        return error->status;
    for (size_t i = 0; i < folded.size; i++)
        if (folded.data[i] == '/' &&
            tn_intern_find(&zip->folded, tn_bytes(folded.data, i)) !=
                TN_NO_NAME)
            return fail_record(e, ZIP_RECORD_SIZE, TN_MALFORMED,
                               "another entry is a file where this needs a "
                               "folder, up to byte",
                               i, error);
    return TN_OK;
}

static enum tn_status index_names(struct tn_zip *zip, struct tn_error *error)
{
    struct tn_bytes checked = tn_bytes(NULL, 0);

    for (uint64_t i = 0; i < zip->entries.count; i++)
        TN_TRY(add_name(zip, (uint32_t)i, error));
    for (uint64_t i = 0; i < zip->entries.count; i++)
        TN_TRY(check_folders(zip, entry_at(zip, i), &checked, error));
    return TN_OK;
}

/* ---- the whole ---------------------------------------------------------- */

/* The state that an end record describes. */
static enum tn_status read_state(struct tn_zip *zip, const struct zip_end *end,
                                 uint64_t *gap, struct tn_error *error)
{
    zip->entries.count = zip->order.count = zip->firsts.count = 0;
    zip->total_size                                           = 0;
    tn_intern_done(&zip->folded);
    tn_arena_done(&zip->arena);
    tn_intern_init(&zip->folded, &zip->arena);
    zip->directory_offset = end->directory_offset;
    zip->end_offset       = end->end;
    TN_TRY(read_directory(zip, end, error));
    TN_TRY(index_names(zip, error));
    return place_entries(zip, gap, error);
}

static enum tn_status try_end(struct tn_zip *zip, uint64_t offset,
                              uint64_t *gap, struct tn_error *error)
{
    struct zip_end end;

    TN_TRY(tn_zip_read_end(zip, offset, &end, error));
    if (end.end != zip->source->size)
        return tn_error_set(error, TN_MALFORMED, end.end,
                            "bytes behind the end record");
    return read_state(zip, &end, gap, error);
}

/* The last valid commit that a walk finds. */
static enum tn_status recover(struct tn_zip *zip, bool *has_state,
                              struct tn_error *error)
{
    struct tn_list ends;

    *has_state = false;
    tn_list_init(&ends, zip->memory, sizeof(struct zip_end));
    zip_walk_ends(zip, &ends, error);
    for (uint64_t i = ends.count;
         i-- > 0 && !*has_state && !tn_failed(error);) {
        struct tn_error inner = TN_ERROR_INIT;
        uint64_t        gap   = TN_NOWHERE;
        *has_state = read_state(zip, tn_list_at(&ends, struct zip_end, i), &gap,
                                &inner) == TN_OK &&
                     gap == TN_NOWHERE;
        if (zip_is_final(&inner))
            *error = inner;
    }
    tn_list_done(&ends);
    return error->status;
}

/* Backwards from the end, since a comment may follow.  It may contain something
 * like an end record, so the next one is tried if a directory does not parse;
 * the error about the last one is the one that is reported. */
static enum tn_status find_end(struct tn_zip *zip, uint64_t *gap,
                               struct tn_error *error)
{
    struct tn_error first = TN_ERROR_INIT;
    uint64_t        size  = zip->source->size;
    uint64_t        most  = tn_min(size, ZIP_END_SIZE + UINT16_MAX);
    int             tried = 0;

    for (uint64_t n = ZIP_END_SIZE; n <= most && tried < MOST_ENDS; n++) {
        struct tn_error inner = TN_ERROR_INIT;
        if (tn_zip_signature(zip, size - n, &inner) != ZIP_END &&
            !tn_failed(&inner))
            continue;
        if (!tn_failed(&inner) && try_end(zip, size - n, gap, &inner) == TN_OK)
            return TN_OK;
        if (tried++ == 0 || zip_is_final(&inner))
            first = inner;
        if (zip_is_final(&inner))
            break;
    }
    tn_error_because(&first, TN_MALFORMED, TN_REASON_CUT_SHORT, size,
                     "no end record of a zip: the file was cut short, or "
                     "is something else");
    *error = first;
    return error->status;
}

static enum tn_status open_foreign(struct tn_zip *zip, struct tn_error *error)
{
    uint64_t gap = TN_NOWHERE;

    TN_TRY(find_end(zip, &gap, error));
    if (gap != TN_NOWHERE) {
        zip->state = TN_ZIP_BROKEN;
        find(zip, "zip-stray-bytes", gap, NULL,
             "bytes that belong to no entry");
    }
    return TN_OK;
}

static void tell_state(struct tn_zip *zip)
{
    zip->is_growing = zip->state == TN_ZIP_TORN &&
                      zip->options.looks_for_writers &&
                      tn_source_is_growing(zip->source);
    if (zip->is_growing)
        find_level(
            zip, TN_LEVEL_NOTE, "zip-growing", zip->end_offset, NULL,
            "a commit is being written here; the one before it is shown");
    else if (zip->state == TN_ZIP_TORN)
        find(zip, "zip-torn-tail", zip->end_offset, NULL,
             "a commit was cut short here; the one before it is shown");
    if (zip->state == TN_ZIP_BROKEN)
        find(zip, "zip-broken-chain", zip->end_offset, NULL,
             "rewritten by another tool: what the last whole commit holds is "
             "shown");
}

/* The state before a torn tail, or the reason why there is none. */
static enum tn_status open_own(struct tn_zip *zip, struct tn_error *error)
{
    struct tn_error last = TN_ERROR_INIT;
    uint64_t        end = zip->source->size - ZIP_END_SIZE, gap = TN_NOWHERE;
    bool            has_state = false;

    bool has_end = try_end(zip, end, &gap, &last) == TN_OK;
    if (has_end && gap == TN_NOWHERE)
        return TN_OK;
    if (zip_is_final(&last)) {
        *error = last;
        return error->status;
    }
    TN_TRY(recover(zip, &has_state, error));
    if (has_state && !has_end && zip->end_offset == zip->source->size)
        return TN_OK; /* with a comment */
    zip->state = has_end ? TN_ZIP_BROKEN : TN_ZIP_TORN;
    if (!has_state && has_end)
        TN_TRY(try_end(zip, end, &gap, error));
    else if (!has_state) {
        *error = last;
        return error->status;
    }
    tell_state(zip);
    return TN_OK;
}

void tn_zip_init(struct tn_zip *zip, struct tn_source *source,
                 struct tn_memory *memory)
{
    *zip = (struct tn_zip){ .source       = source,
                            .memory       = memory,
                            .window_error = TN_ERROR_INIT };
    tn_list_init(&zip->entries, memory, sizeof(struct tn_zip_entry));
    tn_list_init(&zip->order, memory, sizeof(uint32_t));
    tn_list_init(&zip->firsts, memory, sizeof(uint32_t));
    tn_arena_init(&zip->arena, memory);
    tn_intern_init(&zip->folded, &zip->arena);
    tn_buffer_init(&zip->window, memory, &zip->window_error);
}

enum tn_status tn_zip_open(struct tn_zip *zip, struct tn_source *source,
                           struct tn_memory            *memory,
                           const struct tn_zip_options *options,
                           struct tn_error             *error)
{
    tn_zip_init(zip, source, memory);
    if (options)
        zip->options = *options;
    if (source->size < ZIP_END_SIZE)
        tn_error_set(error, TN_TRUNCATED, source->size,
                     "%" PRIu64 " bytes, a zip has at least %d", source->size,
                     ZIP_END_SIZE);
    else if (zip->options.is_foreign)
        open_foreign(zip, error);
    else
        open_own(zip, error);
    tn_error_file(error, source->name);
    return error->status;
}

void tn_zip_close(struct tn_zip *zip)
{
    tn_list_done(&zip->entries);
    tn_list_done(&zip->order);
    tn_list_done(&zip->firsts);
    tn_intern_done(&zip->folded);
    tn_buffer_done(&zip->window);
    tn_arena_done(&zip->arena);
}

/* ---- finding ------------------------------------------------------------ */

/* The first of those alike; NULL: none. */
static const struct tn_zip_entry *find_alike(const struct tn_zip *zip,
                                             struct tn_bytes      name)
{
    uint8_t  key[ZIP_ALIKE_MOST * TN_ALIKE_GROWTH];
    uint32_t id;

    if (zip->options.has_keys || name.size > ZIP_ALIKE_MOST)
        id = tn_intern_find(&zip->folded, name);
    else
        id = tn_intern_find(&zip->folded,
                            tn_bytes(key, tn_alike_key(key, name)));
    if (id == TN_NO_NAME)
        return NULL;
    return entry_at(zip, *tn_list_at(&zip->firsts, uint32_t, id));
}

static const struct tn_zip_entry *exact_of(const struct tn_zip       *zip,
                                           const struct tn_zip_entry *e,
                                           struct tn_bytes            name)
{
    while (e && !tn_bytes_equal(e->name, name))
        e = e->next_alike == NO_ENTRY ? NULL : entry_at(zip, e->next_alike);
    return e;
}

const struct tn_zip_entry *tn_zip_find(const struct tn_zip *zip,
                                       struct tn_bytes      name)
{
    return exact_of(zip, find_alike(zip, name), name);
}

const struct tn_zip_entry *tn_zip_find_folded(const struct tn_zip *zip,
                                              struct tn_bytes      name)
{
    const struct tn_zip_entry *first = find_alike(zip, name);
    const struct tn_zip_entry *exact = exact_of(zip, first, name);

    if (exact || !first || first->next_alike == NO_ENTRY)
        return exact ? exact : first;
    return NULL;
}
