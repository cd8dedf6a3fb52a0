/* zip_write.c - writing ZIP files; the map of the bytes is in zip.h */
#include "wire/zip/zip_write.h"

#include "base/arith.h"
#include "base/varint.h"
#include "codec/crc32.h"
#include "codec/deflate.h"
#include "io/spool.h"
#include "wire/zip/zip_records.h"

#define EXTRA_ALIGNMENT 0xd935
#define LEAST_ALIGNMENT 6 /* id, size, alignment */
#define PAGE_SIZE       4096u
#define WORTH_A_PAGE    (UINT64_C(1) << 20)
#define LONG_SIZES      20 /* the field of ZIP64 */

#define MADE_BY      0x032d /* Unix, version 4.5 */
#define REGULAR_FILE (0100644u << 16)
#define DOS_1980     0x0021 /* the first of January */

/* Up to this size, input and output of deflate are held in memory. */
#define MOST_AT_ONCE (UINT64_C(16) << 20)

static void put16(struct tn_buffer *to, unsigned value)
{
    tn_buffer_byte(to, (uint8_t)value);
    tn_buffer_byte(to, (uint8_t)(value >> 8));
}

static void put32(struct tn_buffer *to, uint64_t value)
{
    put16(to, (uint16_t)value);
    put16(to, (uint16_t)(value >> 16));
}

static void put64(struct tn_buffer *to, uint64_t value)
{
    put32(to, (uint32_t)value);
    put32(to, value >> 32);
}

/* The 32-bit value that refers to a number stored elsewhere in 64 bits. */
static uint64_t short_form(bool is_elsewhere, uint64_t value)
{
    return is_elsewhere ? UINT32_MAX : value;
}

static bool is_long(uint64_t value)
{
    return value >= UINT32_MAX;
}

static bool has_long_size(const struct tn_zip_entry *e)
{
    return is_long(e->size) || is_long(e->packed_size);
}

void tn_zip_writer_init(struct tn_zip_writer *w, struct tn_sink *to,
                        struct tn_memory *memory, struct tn_error *error)
{
    *w = (struct tn_zip_writer){
        .to = to, .error = error, .memory = memory, .base = to->offset
    };
    tn_arena_init(&w->arena, memory);
    tn_list_init(&w->entries, memory, sizeof(struct tn_zip_entry));
    tn_intern_init(&w->names, &w->arena);
    tn_list_init(&w->alive, memory, sizeof(uint32_t));
    tn_buffer_init(&w->header, memory, error);
}

void tn_zip_writer_done(struct tn_zip_writer *w)
{
    tn_list_done(&w->entries);
    tn_list_done(&w->alive);
    tn_intern_done(&w->names);
    tn_buffer_done(&w->header);
    tn_arena_done(&w->arena);
}

/* ---- names -------------------------------------------------------------- */

/* A copy of the key that names which are alike have in common. */
static struct tn_bytes key_of(struct tn_zip_writer *w, struct tn_bytes name)
{
    struct tn_bytes key = name;

    if (!w->has_keys)
        key = zip_alike_copy(&w->arena, name, w->error);
    return key.data == name.data ? tn_bytes_dup(&w->arena, name, w->error)
                                 : key;
}

/* The slot of the name; NULL on failure. */
static uint32_t *slot_of(struct tn_zip_writer *w, struct tn_bytes name)
{
    struct tn_bytes folded = key_of(w, name);

    if (!folded.data)
        return NULL;
    uint32_t id = tn_intern_borrow(&w->names, folded, w->error);
    if (id == TN_NO_NAME)
        return NULL;
    if (id == w->alive.count && !tn_list_push(&w->alive, uint32_t, w->error))
        return NULL;
    return tn_list_at(&w->alive, uint32_t, id);
}

static enum tn_status check_name(struct tn_zip_writer *w, struct tn_bytes name)
{
    struct tn_error inner = TN_ERROR_INIT;

    if (name.size > UINT16_MAX)
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "a name of %zu bytes, limit %d", name.size,
                            UINT16_MAX);
    if (name.size && name.data[name.size - 1] == '/')
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "a name of a folder");
    if ((w->has_keys ? tn_zip_check_key : tn_zip_check_name)(name, 0, &inner) !=
        TN_OK)
        return tn_error_because(w->error, TN_INVALID, inner.reason, TN_NOWHERE,
                                "%s", inner.what);
    return TN_OK;
}

/* The entry becomes the one of its name. */
static enum tn_status list_entry(struct tn_zip_writer *w,
                                 struct tn_zip_entry   entry)
{
    uint32_t *slot = slot_of(w, entry.name);

    if (!slot)
        return w->error->status;
    if (*slot &&
        !tn_bytes_equal(
            tn_list_at(&w->entries, struct tn_zip_entry, *slot - 1)->name,
            entry.name)) {
        tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                     "a name like another but for case or Unicode form");
        tn_zip_where(&entry, w->error);
        return w->error->status;
    }
    struct tn_zip_entry *e =
        tn_list_push(&w->entries, struct tn_zip_entry, w->error);
    if (!e)
        return w->error->status;
    *e            = entry;
    e->next_alike = (uint32_t)(slot - (uint32_t *)w->alive.items);
    *slot         = (uint32_t)w->entries.count;
    return TN_OK;
}

enum tn_status tn_zip_keep(struct tn_zip_writer      *w,
                           const struct tn_zip_entry *entry)
{
    struct tn_zip_entry kept = *entry;

    if (tn_failed(w->error))
        return w->error->status;
    kept.name = tn_bytes_dup(&w->arena, entry->name, w->error);
    return kept.name.data ? list_entry(w, kept) : w->error->status;
}

bool tn_zip_drop(struct tn_zip_writer *w, struct tn_bytes name)
{
    uint32_t *slot = tn_failed(w->error) ? NULL : slot_of(w, name);

    if (!slot || !*slot)
        return false;
    *slot = 0;
    return true;
}

/* ---- local headers ------------------------------------------------------ */

static unsigned alignment_of(const struct tn_zip_entry *e)
{
    return e->size >= WORTH_A_PAGE ? PAGE_SIZE : TN_ZIP_ALIGNMENT;
}

/* The place after all parts of the header that do not depend on where the data
 * begins. */
static uint64_t end_of_header(const struct tn_zip_entry *e)
{
    return e->offset + ZIP_LOCAL_SIZE + e->name.size +
           (has_long_size(e) ? LONG_SIZES : 0);
}

/* Bytes of the field that moves the data from `at` to where it should be. */
static uint64_t padding(const struct tn_zip_entry *e, uint64_t at)
{
    uint64_t alignment = alignment_of(e);

    if (e->method != TN_ZIP_STORED || e->size == 0)
        return 0;
    uint64_t size = (0 - at) & (alignment - 1);
    return size && size < LEAST_ALIGNMENT ? size + alignment : size;
}

uint64_t tn_zip_foreseen_offset(const struct tn_zip_entry *e)
{
    uint64_t at = end_of_header(e);

    return at + padding(e, at);
}

static void put_padding(struct tn_buffer *to, uint64_t size, unsigned alignment)
{
    if (size == 0)
        return;
    put16(to, EXTRA_ALIGNMENT);
    put16(to, (unsigned)size - 4);
    put16(to, alignment);
    uint8_t *room = tn_buffer_room(to, (size_t)size - LEAST_ALIGNMENT);
    if (!room)
        return;
    memset(room, 0, (size_t)size - LEAST_ALIGNMENT);
    to->size += (size_t)size - LEAST_ALIGNMENT;
}

static unsigned version_of(const struct tn_zip_entry *e)
{
    return has_long_size(e) || is_long(e->offset) ? 45
           : e->method == TN_ZIP_DEFLATED         ? 20
                                                  : 10;
}

/* What a local header and a record of the directory have in common. */
static void put_common(struct tn_buffer *to, const struct tn_zip_entry *e,
                       bool is_elsewhere_packed, bool is_elsewhere)
{
    put16(to, version_of(e));
    put16(to, e->flags);
    put16(to, e->method);
    put16(to, e->time);
    put16(to, e->date);
    put32(to, e->crc);
    put32(to, short_form(is_elsewhere_packed, e->packed_size));
    put32(to, short_form(is_elsewhere, e->size));
    put16(to, (unsigned)e->name.size);
}

static enum tn_status write_local(struct tn_zip_writer *w,
                                  struct tn_zip_entry  *e)
{
    struct tn_buffer *to    = &w->header;
    bool              is_64 = has_long_size(e);

    e->offset      = tn_zip_writer_offset(w);
    e->data_offset = tn_zip_foreseen_offset(e);
    uint64_t more  = e->data_offset - end_of_header(e);
    tn_buffer_clear(to);
    put32(to, ZIP_LOCAL);
    put_common(to, e, is_64, is_64);
    put16(to, (is_64 ? LONG_SIZES : 0) + (unsigned)more);
    tn_buffer_add(to, e->name);
    if (is_64) {
        put16(to, ZIP_EXTRA_64);
        put16(to, 16);
        put64(to, e->size);
        put64(to, e->packed_size);
    }
    put_padding(to, more, alignment_of(e));
    if (tn_failed(w->error))
        return w->error->status;
    return tn_sink_write(w->to, tn_buffer_bytes(to), w->error);
}

/* A new entry of that name, with nothing known about its bytes. */
static enum tn_status new_entry(struct tn_zip_writer *w, struct tn_bytes name,
                                struct tn_zip_entry *e)
{
    bool is_ascii = true;

    if (tn_failed(w->error))
        return w->error->status;
    TN_TRY(check_name(w, name));
    for (size_t i = 0; i < name.size; i++)
        is_ascii &= name.data[i] < 0x80;
    *e = (struct tn_zip_entry){
        .name  = tn_bytes_dup(&w->arena, name, w->error),
        .flags = is_ascii ? 0 : ZIP_FLAG_UTF8,
        .date  = DOS_1980,
    };
    return w->error->status;
}

/* ---- stored ------------------------------------------------------------- */

static enum tn_status sum_rope(struct tn_zip_writer *w,
                               const struct tn_rope *rope, uint32_t *crc)
{
    struct zip_sum sum;

    tn_zip_sum_init(&sum, NULL, w->memory);
    TN_TRY(tn_rope_write(rope, &sum.sink, w->error));
    *crc = sum.crc;
    return TN_OK;
}

static enum tn_status patch_crc(struct tn_zip_writer      *w,
                                const struct tn_zip_entry *e)
{
    uint8_t crc[4] = { (uint8_t)e->crc, (uint8_t)(e->crc >> 8),
                       (uint8_t)(e->crc >> 16), (uint8_t)(e->crc >> 24) };

    return tn_sink_patch(w->to, tn_zip_writer_offset(w) - (e->offset + 14),
                         tn_bytes(crc, sizeof crc), w->error);
}

/* In one pass: the checksum is patched into the header afterwards. */
static enum tn_status write_and_sum(struct tn_zip_writer *w,
                                    struct tn_zip_entry  *e,
                                    const struct tn_rope *rope)
{
    struct zip_sum sum;

    TN_TRY(write_local(w, e));
    tn_zip_sum_init(&sum, w->to, w->memory);
    TN_TRY(tn_rope_write(rope, &sum.sink, w->error));
    e->crc = sum.crc;
    return e->crc ? patch_crc(w, e) : TN_OK;
}

static enum tn_status write_stored(struct tn_zip_writer *w,
                                   struct tn_zip_entry  *e,
                                   const struct tn_rope *rope)
{
    e->method = TN_ZIP_STORED;
    e->size = e->packed_size = rope->length;
    if (!w->skip_crc && tn_sink_can_patch(w->to))
        return write_and_sum(w, e, rope);
    if (!w->skip_crc)
        TN_TRY(sum_rope(w, rope, &e->crc));
    TN_TRY(write_local(w, e));
    return tn_rope_write(rope, w->to, w->error);
}

/* A rope that is longer or shorter than announced would make every offset
 * wrong. */
static enum tn_status finish_entry(struct tn_zip_writer      *w,
                                   const struct tn_zip_entry *e)
{
    uint64_t written = tn_zip_writer_offset(w) - e->data_offset;

    if (!tn_failed(w->error) && written != e->packed_size)
        tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                     "%" PRIu64 " bytes came where %" PRIu64 " were announced",
                     written, e->packed_size);
    if (tn_failed(w->error)) {
        tn_zip_where(e, w->error);
        return w->error->status;
    }
    return list_entry(w, *e);
}

enum tn_status tn_zip_add(struct tn_zip_writer *w, struct tn_bytes name,
                          const struct tn_rope *rope)
{
    struct tn_zip_entry e;

    TN_TRY(new_entry(w, name, &e));
    (void)write_stored(w, &e, rope);
    return finish_entry(w, &e);
}

enum tn_status tn_zip_add_bytes(struct tn_zip_writer *w, struct tn_bytes name,
                                struct tn_bytes bytes)
{
    struct tn_zip_entry e;

    TN_TRY(new_entry(w, name, &e));
    e.size = e.packed_size = bytes.size;
    e.crc                  = tn_crc32(0, bytes.data, bytes.size);
    if (write_local(w, &e) == TN_OK)
        (void)tn_sink_write(w->to, bytes, w->error);
    return finish_entry(w, &e);
}

/* ---- deflated ----------------------------------------------------------- */

static enum tn_status write_small(struct tn_zip_writer *w,
                                  struct tn_zip_entry  *e,
                                  const struct tn_rope *rope, int level,
                                  struct tn_buffer *plain,
                                  struct tn_buffer *packed)
{
    TN_TRY(tn_rope_write(rope, &plain->sink, w->error));
    TN_TRY(tn_deflate_encode(tn_buffer_bytes(plain), level, packed, w->error));
    if (packed->size >= plain->size)
        packed = plain;
    e->method      = packed == plain ? TN_ZIP_STORED : TN_ZIP_DEFLATED;
    e->size        = plain->size;
    e->packed_size = packed->size;
    e->crc         = tn_crc32(0, plain->data, plain->size);
    TN_TRY(write_local(w, e));
    return tn_sink_write(w->to, tn_buffer_bytes(packed), w->error);
}

static enum tn_status pack_rope(struct tn_zip_writer *w, struct zip_sum *sum,
                                const struct tn_rope *rope, int level,
                                struct tn_sink *to)
{
    struct tn_stream *stream;
    struct tn_filter  filter;

    TN_TRY(tn_deflate_packer(&stream, w->memory, level, w->error));
    tn_filter_to_sink(&filter, stream, to, UINT64_MAX);
    tn_zip_sum_init(sum, &filter.sink, w->memory);
    if (tn_rope_write(rope, &sum->sink, w->error) == TN_OK)
        (void)tn_filter_last(&filter, tn_bytes(NULL, 0), w->error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return w->error->status;
}

/* The packed size is known only afterwards, and the header comes first: so the
 * data goes through an unnamed file. */
static enum tn_status write_large(struct tn_zip_writer *w,
                                  struct tn_zip_entry  *e,
                                  const struct tn_rope *rope, int level)
{
    struct tn_spool   spool;
    struct zip_sum    sum;
    struct tn_source *packed = NULL;

    TN_TRY(tn_spool_open(&spool, w->memory, w->error));
    if (pack_rope(w, &sum, rope, level, &spool.sink) != TN_OK) {
        tn_spool_drop(&spool);
        return w->error->status;
    }
    TN_TRY(tn_spool_finish(&spool, &packed, "", w->error));
    e->method           = TN_ZIP_DEFLATED;
    e->size             = rope->length;
    e->packed_size      = packed->size;
    e->crc              = sum.crc;
    struct tn_span span = { packed, 0, packed->size };
    if (packed->size >= rope->length)
        (void)write_stored(w, e, rope);
    else if (write_local(w, e) == TN_OK)
        (void)tn_sink_splice(w->to, span, w->error);
    tn_source_close(packed);
    return w->error->status;
}

enum tn_status tn_zip_add_deflated(struct tn_zip_writer *w,
                                   struct tn_bytes       name,
                                   const struct tn_rope *rope, int level)
{
    struct tn_buffer    plain, packed;
    struct tn_zip_entry e;

    TN_TRY(new_entry(w, name, &e));
    level = level ? level : TN_ZIP_LEVEL;
    if (rope->length > MOST_AT_ONCE) {
        (void)write_large(w, &e, rope, level);
        return finish_entry(w, &e);
    }
    tn_buffer_init(&plain, w->memory, w->error);
    tn_buffer_init(&packed, w->memory, w->error);
    (void)write_small(w, &e, rope, level, &plain, &packed);
    tn_buffer_done(&plain);
    tn_buffer_done(&packed);
    return finish_entry(w, &e);
}

/* ---- copied ------------------------------------------------------------- */

enum tn_status tn_zip_copy(struct tn_zip_writer *w, struct tn_bytes name,
                           const struct tn_zip       *from,
                           const struct tn_zip_entry *entry)
{
    struct tn_zip_entry e;

    TN_TRY(new_entry(w, name.data ? name : entry->name, &e));
    e.method      = entry->method;
    e.size        = entry->size;
    e.packed_size = entry->packed_size;
    e.crc         = entry->crc;
    if (write_local(w, &e) == TN_OK)
        (void)tn_sink_splice(w->to, tn_zip_span(from, entry), w->error);
    return finish_entry(w, &e);
}

/* ---- the directory ------------------------------------------------------ */

static void put_record(struct tn_buffer *to, const struct tn_zip_entry *e)
{
    bool     has_size = is_long(e->size), has_packed = is_long(e->packed_size);
    bool     has_offset = is_long(e->offset);
    unsigned values =
        (unsigned)has_size + (unsigned)has_packed + (unsigned)has_offset;

    put32(to, ZIP_RECORD);
    put16(to, MADE_BY);
    put_common(to, e, has_packed, has_size);
    put16(to, values ? 4 + 8 * values : 0);
    put16(to, 0); /* comment */
    put16(to, 0); /* disk */
    put16(to, 0); /* internal attributes */
    put32(to, REGULAR_FILE);
    put32(to, short_form(has_offset, e->offset));
    tn_buffer_add(to, e->name);
    if (!values)
        return;
    put16(to, ZIP_EXTRA_64);
    put16(to, 8 * values);
    if (has_size)
        put64(to, e->size);
    if (has_packed)
        put64(to, e->packed_size);
    if (has_offset)
        put64(to, e->offset);
}

static void forget_the_dead(struct tn_zip_writer *w)
{
    struct tn_zip_entry *entries = w->entries.items;
    uint64_t             count   = 0;

    for (uint64_t i = 0; i < w->entries.count; i++) {
        uint32_t *slot = tn_list_at(&w->alive, uint32_t, entries[i].next_alike);
        if (*slot != i + 1)
            continue;
        entries[count] = entries[i];
        *slot          = (uint32_t)++count;
    }
    w->entries.count = count;
}

enum tn_status tn_zip_write_directory(struct tn_zip_writer *w, uint64_t *offset,
                                      uint64_t *size)
{
    forget_the_dead(w);
    *offset = tn_zip_writer_offset(w);
    for (uint64_t i = 0; i < w->entries.count && !tn_failed(w->error); i++) {
        tn_buffer_clear(&w->header);
        put_record(&w->header, tn_list_at(&w->entries, struct tn_zip_entry, i));
        if (!tn_failed(w->error))
            (void)tn_sink_write(w->to, tn_buffer_bytes(&w->header), w->error);
    }
    *size = tn_zip_writer_offset(w) - *offset;
    return w->error->status;
}

static void put_end64(struct tn_buffer *to, uint64_t count, uint64_t offset,
                      uint64_t size)
{
    put32(to, ZIP_END64);
    put64(to, ZIP_END64_SIZE - 12);
    put16(to, MADE_BY);
    put16(to, 45);
    put32(to, 0); /* disks */
    put32(to, 0);
    put64(to, count);
    put64(to, count);
    put64(to, size);
    put64(to, offset);
    put32(to, ZIP_LOCATOR);
    put32(to, 0);
    put64(to, offset + size);
    put32(to, 1);
}

enum tn_status tn_zip_write_end(struct tn_zip_writer *w, uint64_t offset,
                                uint64_t size)
{
    struct tn_buffer *to      = &w->header;
    uint64_t          count   = w->entries.count;
    bool              is_many = count >= UINT16_MAX;

    tn_buffer_clear(to);
    if (is_many || is_long(offset) || is_long(size))
        put_end64(to, count, offset, size);
    put32(to, ZIP_END);
    put32(to, 0); /* disks */
    put16(to, is_many ? UINT16_MAX : (unsigned)count);
    put16(to, is_many ? UINT16_MAX : (unsigned)count);
    put32(to, short_form(is_long(size), size));
    put32(to, short_form(is_long(offset), offset));
    put16(to, 0); /* comment */
    if (tn_failed(w->error))
        return w->error->status;
    return tn_sink_write(w->to, tn_buffer_bytes(to), w->error);
}

enum tn_status tn_zip_finish(struct tn_zip_writer *w)
{
    uint64_t offset, size;

    TN_TRY(tn_zip_write_directory(w, &offset, &size));
    return tn_zip_write_end(w, offset, size);
}
