/*
 * scan_archives.c - zips and tars: their headers, and all members
 *
 * Programs disagree about damaged archives: some read the directory at the end,
 * others the headers before the data.  So both are read, contradictions are
 * reported, and every member is scanned, whatever its flags are.
 */
#include <stdio.h>

#include "base/arith.h"
#include "base/sort.h"
#include "scan/scan.h"
#include "wire/zip/zip_records.h"

#define END_SEARCH     (UINT64_C(22) + UINT16_MAX)
#define NOTHING_PACKED 8 /* bytes are enough for a deflated nothing */

/* Where a member is: its local header, and the end of its data; 0: nobody
 * knows. */
struct member {
    uint64_t offset, end;
};

struct walk {
    struct tn_scan  *scan;
    struct tn_zip    zip;
    struct tn_arena  arena;
    struct tn_intern names;   /* of members                                   */
    struct tn_list   members; /* struct member: those that are listed         */
    uint64_t         base;    /* bytes before the archive                     */
};

/* ---- names ---------------------------------------------------------------- */

static bool is_slash(uint8_t c)
{
    return c == '/' || c == '\\';
}

/* A name that leads out of the folder that an archive is unpacked to, on some
 * system, or that programs see different parts of. */
static void judge_name(struct tn_scan *scan, struct tn_bytes name,
                       uint64_t offset)
{
    const char *what = NULL;

    if (name.size && is_slash(name.data[0]))
        what = "is absolute";
    else if (name.size > 1 && name.data[1] == ':')
        what = "is absolute on Windows";
    else if (tn_bytes_find(name, 0))
        what = "has a zero byte, where it ends for some";
    for (size_t i = 0; i + 2 <= name.size && !what; i++)
        if (name.data[i] == '.' && name.data[i + 1] == '.' &&
            (i == 0 || is_slash(name.data[i - 1])) &&
            (i + 2 == name.size || is_slash(name.data[i + 2])))
            what = "leads out of the folder";
    if (what)
        tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "archive-path", offset,
                     "the name '%.*s' %s", TN_FMT(name), what);
}

static bool is_below_code(struct tn_bytes name)
{
    const uint8_t *slash = name.size ? memchr(name.data, '/', name.size) : NULL;
    size_t         at    = slash ? (size_t)(slash - name.data) : name.size;

    return tn_bytes_starts_with(tn_bytes(name.data + at, name.size - at),
                                "/code/__torch__");
}

/* Programs run what they find under such names in an archive.  TorchScript's
 * NAME/code/__torch__ has Python's syntax, but no interpreter of Python reads
 * it. */
static void judge_code(struct tn_scan *scan, struct tn_bytes name,
                       uint64_t offset)
{
    const char *what = NULL;

    if (tn_bytes_ends_with(name, ".data/extern_modules"))
        what = "a package of PyTorch: loading it runs the Python code that is "
               "in it";
    else if (tn_bytes_is(name, "MAR-INF/MANIFEST.json"))
        what = "an archive of TorchServe: serving it runs the Python code that "
               "is in it";
    else if ((tn_bytes_ends_with(name, ".py") ||
              tn_bytes_ends_with(name, ".pyc")) &&
             !is_below_code(name))
        what = "Python code in an archive, which some programs run";
    if (what)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "python-package", offset, "%s",
                     what);
}

/* ---- members of a zip ---------------------------------------------------- */

/* Small archives can unpack to any size, one in another even more so. */
static bool may_unpack(struct tn_scan *scan, const struct tn_zip_entry *entry)
{
    if (entry->method == TN_ZIP_STORED)
        return true;
    if (entry->size > scan->most - scan->unpacked) {
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "closed", entry->offset,
                     "'%.*s' and others unpack to more than %" PRIu64
                     " bytes: not looked into",
                     TN_FMT(entry->name), scan->most);
        return false;
    }
    scan->unpacked += entry->size;
    return true;
}

static void scan_entry(struct walk *w, const struct tn_zip_entry *listed)
{
    struct tn_error      own    = TN_ERROR_INIT;
    struct tn_zip_entry  placed = *listed, *entry = &placed;
    struct tn_source    *source;
    uint64_t told = w->scan->totals->findings[TN_VERDICT_DANGEROUS];

    /* A stored member is scanned up to the end of its data, whatever size is
     * given for it. */
    if (entry->method == TN_ZIP_STORED && entry->size != entry->packed_size) {
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-disagrees",
                     entry->offset,
                     "'%.*s' is stored, and has two sizes",
                     TN_FMT(entry->name));
        entry->size = entry->packed_size;
    }

    /* An empty member that is packed takes a few bytes. */
    if (entry->method == TN_ZIP_DEFLATED && entry->size == 0 &&
        (entry->crc != 0 || entry->packed_size > NOTHING_PACKED))
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-disagrees",
                     entry->offset,
                     "'%.*s' is said to be empty, and is packed into %" PRIu64
                     " bytes: not looked into",
                     TN_FMT(entry->name), entry->packed_size);

    judge_name(w->scan, entry->name, entry->offset);
    judge_code(w->scan, entry->name, entry->offset);
    /* A member with the name of a folder may have data all the same. */
    if (entry->name.size && tn_zip_is_folder(entry) && !entry->packed_size)
        return;
    if (entry->method != TN_ZIP_STORED && entry->method != TN_ZIP_DEFLATED) {
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-method", entry->offset,
                     "'%.*s' is packed by method %u: not looked into",
                     TN_FMT(entry->name), entry->method);
        return;
    }
    if (entry->data_offset > w->zip.source->size ||
        entry->packed_size > w->zip.source->size - entry->data_offset) {
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-broken", entry->offset,
                     "'%.*s' is not inside of the file", TN_FMT(entry->name));
        return;
    }
    if (!may_unpack(w->scan, entry))
        return;
    if (tn_zip_source(&w->zip, entry, &source, &own) == TN_OK)
        tn_scan_member(w->scan, source, entry->name);
    tn_scan_absorb(w->scan, &own);
    /* Some readers ignore these bits: then it is what was just scanned. */
    if (entry->flags & (ZIP_FLAG_ENCRYPTED | ZIP_FLAG_STRONG | ZIP_FLAG_PATCH) &&
        told == w->scan->totals->findings[TN_VERDICT_DANGEROUS])
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-encrypted",
                     entry->offset,
                     "'%.*s' is marked as encrypted: not looked into",
                     TN_FMT(entry->name));
}

/* A second name, in UTF-8, which counts for some programs. */
static void judge_extra(struct walk *w, struct tn_bytes extra,
                        const struct tn_zip_entry *entry)
{
    enum { UNICODE_PATH = 0x7075, HEAD = 5 };

    for (size_t at = 0; extra.size - at >= 4;) {
        unsigned        id   = tn_load16(extra.data + at);
        size_t          size = tn_load16(extra.data + at + 2);
        const uint8_t  *data = extra.data + at + 4;
        if (size > extra.size - at - 4)
            break;
        at += 4 + size;
        if (id != UNICODE_PATH || size < HEAD)
            continue;
        struct tn_bytes name = tn_bytes(data + HEAD, size - HEAD);
        if (tn_bytes_equal(name, entry->name))
            continue;
        judge_name(w->scan, name, entry->record_offset);
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-disagrees",
                     entry->record_offset,
                     "'%.*s' has a second name, which some programs use: "
                     "'%.*s'",
                     TN_FMT(entry->name), TN_FMT(name));
    }
}

/* Programs that read an archive from its beginning take the extra fields of the
 * headers for those of the directory. */
static void judge_local_extra(struct walk *w, const struct tn_zip_entry *entry,
                              const struct zip_local *local)
{
    struct tn_error own   = TN_ERROR_INIT;
    uint64_t        begin = entry->offset + ZIP_LOCAL_SIZE + local->name.size;
    size_t          size  = (size_t)(local->data_offset - begin);
    const uint8_t  *extra = tn_zip_peek(&w->zip, begin, size, &own);

    if (extra)
        judge_extra(w, tn_bytes(extra, size), entry);
}

static void compare_local(struct walk *w, const struct tn_zip_entry *entry,
                          const struct zip_local *local)
{
    const char *what = NULL;

    if (!tn_bytes_equal(entry->name, local->name))
        what = "name";
    else if (entry->method != local->method)
        what = "method";
    else if ((entry->flags ^ local->flags) & ZIP_FLAG_ENCRYPTED)
        what = "encryption";
    else if (!(local->flags & ZIP_FLAG_DESCRIPTOR) &&
             (entry->crc != local->crc || entry->size != local->size ||
              entry->packed_size != local->packed_size))
        what = "size or checksum";
    if (what)
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-disagrees",
                     entry->offset,
                     "header and directory disagree about the %s of '%.*s'",
                     what, TN_FMT(entry->name));
}

/* A record of the directory; false: it is none, and nothing after it is. */
static bool read_record(struct walk *w, uint64_t *at, uint64_t limit,
                        struct tn_zip_entry *entry)
{
    struct tn_error own = TN_ERROR_INIT;
    const uint8_t  *r   = tn_zip_peek(&w->zip, *at, ZIP_RECORD_SIZE, &own);

    if (!r || tn_load32(r) != ZIP_RECORD)
        return false;
    uint64_t name = tn_load16(r + 28), extra = tn_load16(r + 30),
             comment = tn_load16(r + 32);
    *entry           = (struct tn_zip_entry){ .flags       = tn_load16(r + 8),
                                              .method      = tn_load16(r + 10),
                                              .crc         = tn_load32(r + 16),
                                              .packed_size = tn_load32(r + 20),
                                              .size        = tn_load32(r + 24),
                                              .offset      = tn_load32(r + 42),
                                              .record_offset = *at };
    uint64_t whole = ZIP_RECORD_SIZE + name + extra + comment;
    /* The mode of the file, as Unix has it. */
    bool is_link = tn_load16(r + 40) >> 12 == 0xa;
    if (limit - *at < whole ||
        !(r = tn_zip_peek(&w->zip, *at + ZIP_RECORD_SIZE, name + extra, &own)))
        return false;
    entry->name = tn_bytes_dup(&w->arena, tn_bytes(r, (size_t)name),
                               w->scan->error);
    tn_zip_read_extra64(tn_bytes(r + name, (size_t)extra), *at, &entry->size,
                        &entry->packed_size, &entry->offset, &own);
    judge_extra(w, tn_bytes(r + name, (size_t)extra), entry);
    if (is_link)
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-link", *at,
                     "'%.*s' is a link", TN_FMT(entry->name));
    *at += whole;
    return !tn_failed(w->scan->error);
}

static void scan_record(struct walk *w, struct tn_zip_entry *entry)
{
    struct tn_error  own = TN_ERROR_INIT;
    struct zip_local local;
    uint32_t         before = tn_intern_count(&w->names);
    struct member   *row;

    entry->offset += w->base;
    if (tn_intern_borrow(&w->names, entry->name, w->scan->error) < before)
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-twice",
                     entry->record_offset, "two members are called '%.*s'",
                     TN_FMT(entry->name));
    row = tn_list_push(&w->members, struct member, w->scan->error);
    if (row)
        *row = (struct member){ entry->offset, 0 };
    if (tn_zip_read_local(&w->zip, entry->offset, &local, &own) != TN_OK) {
        tn_scan_absorb(w->scan, &own);
        return;
    }
    compare_local(w, entry, &local);
    judge_local_extra(w, entry, &local);
    entry->data_offset = local.data_offset;
    if (row && entry->packed_size <= w->zip.source->size - local.data_offset)
        row->end = local.data_offset + entry->packed_size;
    scan_entry(w, entry);
}

/* Takes the end record alone if it contradicts the file: there may be other
 * bytes before the archive. */
static bool read_end_plainly(struct walk *w, uint64_t at, struct zip_end *end)
{
    struct tn_error own = TN_ERROR_INIT;
    const uint8_t  *r   = tn_zip_peek(&w->zip, at, ZIP_END_SIZE, &own);

    if (!r)
        return false;
    *end = (struct zip_end){ .directory_offset = tn_load32(r + 16),
                             .directory_size   = tn_load32(r + 12),
                             .count            = tn_load16(r + 10),
                             .offset           = at,
                             .end = at + ZIP_END_SIZE + tn_load16(r + 20) };
    return end->directory_size <= at &&
           end->directory_offset <= at - end->directory_size;
}

/* The last end record that can be read; false: there is none. */
static bool find_end(struct walk *w, struct zip_end *end)
{
    uint64_t size = w->zip.source->size, last = size - tn_min(size, END_SEARCH);

    if (size < ZIP_END_SIZE)
        return false;
    for (uint64_t at = size - ZIP_END_SIZE + 1; at-- > last;) {
        struct tn_error own = TN_ERROR_INIT;
        if (tn_zip_signature(&w->zip, at, &own) == ZIP_END &&
            (tn_zip_read_end(&w->zip, at, end, &own) == TN_OK ||
             read_end_plainly(w, at, end)))
            return true;
        if (tn_machine_failed(&own)) {
            *w->scan->error = own;
            return false;
        }
    }
    return false;
}

static int compare_members(const void *a, const void *b, void *context)
{
    uint64_t x = ((const struct member *)a)->offset,
             y = ((const struct member *)b)->offset;

    (void)context;
    return x < y ? -1 : x > y;
}

/* Where the member ends whose header is at an offset, by the directory; 0 if it
 * does not list it.  Offsets are asked for in order, *next is where the list
 * is. */
static uint64_t end_of_listed(const struct walk *w, uint64_t offset,
                              uint64_t *next)
{
    while (*next < w->members.count &&
           tn_list_at(&w->members, struct member, *next)->offset < offset)
        ++*next;
    if (*next == w->members.count)
        return 0;
    const struct member *member =
        tn_list_at(&w->members, struct member, *next);
    return member->offset == offset ? member->end : 0;
}

/* A member that the directory does not list. */
static void scan_unlisted(struct walk *w, uint64_t at,
                          const struct zip_local *local, uint64_t limit)
{
    bool is_open = local->flags & ZIP_FLAG_DESCRIPTOR && !local->packed_size;
    uint64_t            left  = limit - tn_min(limit, local->data_offset);
    struct tn_zip_entry entry = { .name        = tn_bytes_dup(&w->arena,
                                                              local->name,
                                                              w->scan->error),
                                  .offset      = at,
                                  .data_offset = local->data_offset,
                                  .packed_size = local->packed_size,
                                  .size        = local->size,
                                  .crc         = local->crc,
                                  .method      = local->method,
                                  .flags       = local->flags };

    tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-hidden", at,
                 "the directory does not list the member '%.*s'",
                 TN_FMT(entry.name));
    /* Its size comes after its data: a stored one is looked at up to the
     * directory, which is more than it is. */
    if (is_open && entry.method == TN_ZIP_STORED)
        entry.packed_size = entry.size = left;
    if (!is_open || entry.method == TN_ZIP_STORED)
        scan_entry(w, &entry);
}

/* Bytes that belong to two members are read as both, and a small archive can
 * unpack to any size that way.  Members are in the order of their offsets. */
static void tell_overlap(struct walk *w)
{
    for (uint64_t i = 1; i < w->members.count; i++) {
        const struct member *a = tn_list_at(&w->members, struct member, i - 1),
                            *b = tn_list_at(&w->members, struct member, i);
        if (a->end <= b->offset && a->offset < b->offset)
            continue;
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-overlap", b->offset,
                     "a member begins in another one");
        return;
    }
}

/* The first member that the directory lists after an offset; the limit, if
 * there is none.  Offsets are asked for in order, too. */
static uint64_t next_listed(const struct walk *w, uint64_t offset,
                            uint64_t limit, uint64_t *next)
{
    while (*next < w->members.count &&
           tn_list_at(&w->members, struct member, *next)->offset <= offset)
        ++*next;
    return *next < w->members.count
               ? tn_min(tn_list_at(&w->members, struct member, *next)->offset,
                        limit)
               : limit;
}

/* Bytes that belong to no member.  After the last one there may be a
 * descriptor; zeros are not reported. */
static void tell_gap(struct walk *w, uint64_t from, uint64_t to,
                     struct tn_error *error)
{
    enum { STEP = 4096, DESCRIPTOR = 24 };
    bool is_first = from == w->base;

    if (!is_first && to - from <= DESCRIPTOR && (to - from) % 4 == 0)
        return;
    for (uint64_t at = from; at < to;) {
        size_t         n = (size_t)tn_min(to - at, STEP), i = 0;
        const uint8_t *bytes = tn_zip_peek(&w->zip, at, n, error);
        while (bytes && i < n && bytes[i] == 0)
            i++;
        if (!bytes)
            return;
        if (i < n) {
            tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN,
                         is_first ? "zip-prefix" : "zip-gap", at + i,
                         "bytes %s that belong to none: another program may "
                         "see another file",
                         is_first ? "before the members" : "between members");
            return;
        }
        at += n;
    }
}

/* Members that the directory does not list, but headers show.  After data there
 * may be a descriptor, of four sizes. */
static void scan_hidden(struct walk *w, uint64_t limit)
{
    static const uint8_t gaps[] = { 0, 12, 16, 20, 24 };
    struct tn_error      own    = TN_ERROR_INIT;
    struct zip_local     local;
    uint64_t             at = w->base, next = 0;

    if (w->members.count)
        tn_sort_items(w->members.items, w->members.count,
                      sizeof(struct member), compare_members, NULL);
    tell_overlap(w);
    while (at < limit && !w->scan->is_stopped && !tn_failed(&own)) {
        size_t gap = 0;
        while (gap < sizeof gaps &&
               tn_zip_signature(&w->zip, at + gaps[gap], &own) != ZIP_LOCAL)
            gap++;
        if (gap == sizeof gaps ||
            tn_zip_read_local(&w->zip, at + gaps[gap], &local, &own) != TN_OK) {
            uint64_t to = next_listed(w, at, limit, &next);
            if (!tn_failed(&own))
                tell_gap(w, at, to, &own);
            at = to;
            continue;
        }
        at += gaps[gap];
        uint64_t end = end_of_listed(w, at, &next);
        if (end == 0) {
            scan_unlisted(w, at, &local, limit);
            if (local.flags & ZIP_FLAG_DESCRIPTOR ||
                local.packed_size > w->zip.source->size - local.data_offset)
                break;
            end = local.data_offset + local.packed_size;
        }
        if (end <= at)
            break;
        at = end;
    }
    if (tn_machine_failed(&own))
        *w->scan->error = own;
}

/* The comment of the archive, and bytes after it: readers of zips do not look
 * there. */
static void scan_after(struct walk *w, const struct zip_end *end)
{
    struct tn_source *source  = w->zip.source;
    uint64_t          last    = tn_min(end->end, source->size);
    struct tn_error   own     = TN_ERROR_INIT;
    uint64_t          comment = last;

    if (end->end < source->size)
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-trailing", last,
                     "%" PRIu64 " bytes after the zip: another program may see "
                     "another file",
                     source->size - last);
    /* The end record is the last of up to three. */
    for (uint64_t at = end->offset; at < last; at++)
        if (tn_zip_signature(&w->zip, at, &own) == ZIP_END) {
            comment = tn_min(at + ZIP_END_SIZE, last);
            break;
        }
    tn_scan_pickles(w->scan, (struct tn_span){ source, comment,
                                               last - comment });
    tn_scan_pickles(w->scan, (struct tn_span){ source, last,
                                               source->size - last });
}

static void scan_directory(struct walk *w, const struct zip_end *end)
{
    struct tn_zip_entry entry;
    uint64_t            at = end->directory_offset, count = 0;

    /* Offsets count from the first byte of the archive, wherever that is. */
    if (end->directory_size <= end->offset &&
        at < end->offset - end->directory_size) {
        w->base = end->offset - end->directory_size - at;
        at += w->base;
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-prefix", 0,
                     "%" PRIu64 " bytes before the zip: another program may "
                     "see another file",
                     w->base);
    }
    for (; count < end->count && !w->scan->is_stopped &&
           read_record(w, &at, end->offset, &entry);
         count++)
        scan_record(w, &entry);
    if (count < end->count)
        tn_scan_tell(w->scan, TN_VERDICT_UNKNOWN, "zip-broken", at,
                     "the directory ends after %" PRIu64 " of %" PRIu64
                     " members",
                     count, end->count);
    scan_hidden(w, tn_min(end->directory_offset + w->base, end->offset));
    scan_after(w, end);
}

void tn_scan_zip(struct tn_scan *scan, struct tn_source *source)
{
    struct walk    w = { .scan = scan };
    struct zip_end end;

    tn_zip_init(&w.zip, source, scan->memory);
    tn_arena_init(&w.arena, scan->memory);
    tn_intern_init(&w.names, &w.arena);
    tn_list_init(&w.members, scan->memory, sizeof(struct member));
    if (find_end(&w, &end)) {
        scan_directory(&w, &end);
    } else {
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "zip-broken", TN_NOWHERE,
                     "a zip without a directory");
        scan_hidden(&w, source->size);
    }
    tn_list_done(&w.members);
    tn_intern_done(&w.names);
    tn_arena_done(&w.arena);
    tn_zip_close(&w.zip);
}

/* ---- tars ---------------------------------------------------------------- */

#define BLOCK 512

/* A number in octal, ended by a zero or a blank, or in binary after 0x80; false:
 * another form. */
static bool read_number(const uint8_t *text, size_t size, uint64_t *value)
{
    size_t i = 0;

    *value = 0;
    if (text[0] == 0x80) {
        for (i = 1; i < size; i++) {
            if (*value >> 55)
                return false;
            *value = *value << 8 | text[i];
        }
        return true;
    }
    while (i < size && text[i] == ' ')
        i++;
    for (; i < size && text[i] && text[i] != ' '; i++) {
        if (text[i] < '0' || text[i] > '7' || *value >> 60)
            return false;
        *value = *value * 8 + (uint64_t)(text[i] - '0');
    }
    return true;
}

/* The number of a header's sum.  Python reads it as an int of base 8, with
 * blanks around it, a sign, a prefix and underscores. */
static bool read_sum(const uint8_t text[8], int64_t *sum)
{
    size_t   i = 0;
    uint64_t value;

    if (text[0] & 0x80) {
        bool is_read = read_number(text, 8, &value) && value <= INT32_MAX;
        *sum         = is_read ? (int64_t)value : 0;
        return is_read;
    }
    while (i < 8 && text[i] && strchr(" \t\n\v\f\r", text[i]))
        i++;
    bool is_negative = i < 8 && text[i] == '-';
    if (i < 8 && (text[i] == '+' || text[i] == '-'))
        i++;
    if (i + 1 < 8 && text[i] == '0' && (text[i + 1] | 0x20) == 'o')
        i += 2;
    for (*sum = 0;
         i < 8 && ((text[i] >= '0' && text[i] <= '7') || text[i] == '_'); i++)
        if (text[i] != '_')
            *sum = *sum * 8 + (text[i] - '0');
    if (is_negative)
        *sum = -*sum;
    while (i < 8 && text[i] && strchr(" \t\n\v\f\r", text[i]))
        i++;
    return i == 8 || text[i] == 0;
}

/* The sum of the header's bytes, in which its own place counts as blanks.  Old
 * programs added bytes with signs, and what reads tars allows for both. */
static bool has_checksum(const uint8_t header[BLOCK])
{
    int64_t sum = 8 * ' ', with_signs = 8 * ' ', said;

    for (size_t i = 0; i < BLOCK; i++)
        if (i < 148 || i >= 156) {
            sum += header[i];
            with_signs += (int8_t)header[i];
        }
    return sum > 8 * ' ' && read_sum(header + 148, &said) &&
           (sum == said || with_signs == said);
}

/* The oldest tars have no magic, and are recognized by their sum. */
bool tn_scan_is_tar(struct tn_bytes head)
{
    return head.size >= BLOCK && (memcmp(head.data + 257, "ustar", 5) == 0 ||
                                  has_checksum(head.data));
}

/* Records "LENGTH KEY=VALUE\n" that replace fields of the next header. */
static void judge_extended(struct tn_scan *scan, struct tn_bytes text,
                           uint64_t offset)
{
    for (size_t at = 0; at < text.size && text.data[at];) {
        const uint8_t *line = text.data + at;
        size_t         size = 0, left = text.size - at, i = 0;
        for (; i < left && line[i] >= '0' && line[i] <= '9' && size < left; i++)
            size = size * 10 + (size_t)(line[i] - '0');
        const uint8_t *is =
            size <= left ? memchr(line, '=', size) : NULL;
        if (!is || i == 0 || line[i] != ' ' || line[size - 1] != '\n') {
            tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "tar-broken", offset,
                         "an extended header that is none, or is very long");
            return;
        }
        at += size;
        const uint8_t  *key   = line + i;
        struct tn_bytes name  = tn_bytes(key + 1, (size_t)(is - key - 1));
        struct tn_bytes value = tn_bytes(is + 1, (size_t)(line + size - is - 2));
        if (tn_bytes_is(name, "path") || tn_bytes_is(name, "linkpath"))
            judge_name(scan, value, offset);
        else if (tn_bytes_is(name, "size") ||
                 tn_bytes_starts_with(name, "GNU.sparse."))
            tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "tar-disagrees", offset,
                         "a member has a second size, which not all programs "
                         "read");
    }
}

/* What a header has besides the data that follow: names, links, devices; and
 * members that consist of a long name. */
static void judge_header(struct tn_scan *scan, const uint8_t header[BLOCK],
                         struct tn_source *source,
                         const struct tn_zip_entry *entry)
{
    enum { LONG = 4096 };
    uint8_t         text[LONG];
    size_t          size = (size_t)tn_min(entry->size, LONG);
    struct tn_error own  = TN_ERROR_INIT;
    char            type = (char)header[156];

    judge_name(scan, entry->name, entry->offset);
    judge_code(scan, entry->name, entry->offset);
    judge_name(scan,
               tn_bytes(header + 345, strnlen((const char *)header + 345, 155)),
               entry->offset);
    if (type == '1' || type == '2')
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "tar-link", entry->offset,
                     "'%.*s' is a link", TN_FMT(entry->name));
    else if (type && !strchr("05LKxgX7", type))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "tar-special", entry->offset,
                     "'%.*s' is neither a file nor a folder (type '%c')",
                     TN_FMT(entry->name),
                     type >= ' ' && type < 0x7f ? type : '?');
    if (!type || !strchr("LKxgX", type))
        return;
    if (tn_source_read(source, entry->data_offset, text, size, &own) != TN_OK)
        tn_scan_absorb(scan, &own);
    else if (entry->size > LONG && (type == 'L' || type == 'K'))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "tar-broken", entry->offset,
                     "a name of %" PRIu64 " bytes", entry->size);
    else if (type == 'L' || type == 'K')
        judge_name(scan, tn_bytes(text, strnlen((const char *)text, size)),
                   entry->offset);
    else
        judge_extended(scan, tn_bytes(text, size), entry->offset);
}

/* The first form of torch.save() is a tar in which pickles and elements take
 * turns. */
static void scan_tar_member(struct tn_scan *scan, struct tn_source *member,
                            struct tn_bytes name)
{
    if (tn_bytes_is(name, "storages") || tn_bytes_is(name, "tensors"))
        tn_scan_pickles_anywhere(scan, member);
    tn_scan_member(scan, member, name);
}

static bool is_zero(const uint8_t block[BLOCK])
{
    return block[0] == 0 && memcmp(block, block + 1, BLOCK - 1) == 0;
}

/* After the end there are zeros, or bytes that only some programs read. */
static void scan_after_tar(struct tn_scan *scan, struct tn_source *source,
                           uint64_t at)
{
    struct tn_error own = TN_ERROR_INIT;
    uint8_t         block[BLOCK];

    while (at < source->size) {
        size_t size = (size_t)tn_min(source->size - at, BLOCK);
        if (tn_source_read(source, at, block, size, &own) != TN_OK)
            break;
        size_t zeros = 0;
        while (zeros < size && block[zeros] == 0)
            zeros++;
        at += zeros;
        if (zeros == size)
            continue;
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "tar-trailing", at,
                     "bytes after the end of the tar: another program may see "
                     "another file");
        tn_scan_pickles(scan, (struct tn_span){ source, at,
                                                source->size - at });
        break;
    }
    tn_scan_absorb(scan, &own);
}

bool tn_scan_tar(struct tn_scan *scan, struct tn_source *source,
                 uint64_t zip_end)
{
    struct tn_zip zip; /* for views of parts of a source */
    uint64_t      at     = 0;
    bool          is_own = false;

    tn_zip_init(&zip, source, scan->memory);
    while (source->size - at >= BLOCK && !scan->is_stopped &&
           !tn_failed(scan->error)) {
        struct tn_error   own = TN_ERROR_INIT;
        struct tn_source *member;
        uint8_t           header[BLOCK];
        uint64_t          size;
        if (tn_source_read(source, at, header, BLOCK, &own) != TN_OK) {
            tn_scan_absorb(scan, &own);
            break;
        }
        if (is_zero(header)) {
            scan_after_tar(scan, source, at);
            break;
        }
        size_t name = strnlen((const char *)header, 100);
        if (!read_number(header + 124, 12, &size) ||
            size > source->size - at - BLOCK) {
            tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "tar-broken", at,
                         "a member of a size that cannot be");
            break;
        }
        struct tn_zip_entry entry = { .name = tn_bytes(header, name),
                                      .offset      = at,
                                      .data_offset = at + BLOCK,
                                      .packed_size = size,
                                      .size        = size,
                                      .method      = TN_ZIP_STORED };
        judge_header(scan, header, source, &entry);
        if (size && tn_zip_source(&zip, &entry, &member, &own) == TN_OK) {
            if (zip_end >= entry.data_offset &&
                zip_end - entry.data_offset < size)
                is_own = tn_scan_find_zip(scan, member) ==
                         zip_end - entry.data_offset;
            scan_tar_member(scan, member, entry.name);
        }
        tn_scan_absorb(scan, &own);
        at += BLOCK + tn_min((size + BLOCK - 1) / BLOCK * BLOCK,
                             source->size - at - BLOCK);
    }
    tn_zip_close(&zip);
    return is_own;
}
