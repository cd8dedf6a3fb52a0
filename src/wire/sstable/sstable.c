/* sstable.c - reading sorted tables; the map of the bytes is in sstable.h */
#include "wire/sstable/sstable.h"

#include "base/arith.h"
#include "base/varint.h"
#include "codec/crc32c.h"
#include "codec/snappy.h"

enum { BLOCK_PLAIN = 0, BLOCK_SNAPPY = 1 };

const uint8_t tn_sstable_magic[8] = { 0x57, 0xfb, 0x80, 0x8b,
                                      0x24, 0x75, 0x47, 0xdb };

void tn_sstable_where(const struct tn_sstable_entry *entry,
                      struct tn_error               *error)
{
    if (tn_failed(error) && entry->is_packed && error->offset != TN_NOWHERE)
        error->offset = entry->offset;
}

/* The footer has no checksum.  Damage is found because there is only one way to
 * write a handle. */
static struct tn_sstable_handle read_handle(struct tn_cursor *c)
{
    uint64_t                 begin  = c->offset;
    struct tn_sstable_handle handle = { tn_varint(c), 0 };

    handle.size = tn_varint(c);
    if (!tn_failed(c->error) &&
        c->offset - begin !=
            tn_varint_size(handle.offset) + tn_varint_size(handle.size))
        tn_fail_at(c, begin, TN_MALFORMED,
                   "a handle takes %" PRIu64 " bytes, more than it needs",
                   c->offset - begin);
    return handle;
}

/* ---- one block ---------------------------------------------------------- */

static void place_init(struct tn_sstable_place *p, struct tn_memory *memory,
                       struct tn_error *error)
{
    *p = (struct tn_sstable_place){
        .entries = tn_cursor_bytes(tn_bytes(NULL, 0), 0, error),
    };
    tn_buffer_init(&p->key, memory, error);
    tn_buffer_init(&p->unpacked, memory, error);
}

static void place_done(struct tn_sstable_place *p)
{
    tn_buffer_done(&p->key);
    tn_buffer_done(&p->unpacked);
}

/* Contents and trailer, the checksum verified; NULL on failure. */
static const uint8_t *checked_block(struct tn_source        *source,
                                    struct tn_sstable_handle h,
                                    struct tn_error         *error)
{
    const uint8_t *bytes = tn_source_pin(
        source, h.offset, (size_t)h.size + TN_SSTABLE_TRAILER_SIZE, error);

    if (!bytes)
        return NULL;
    uint32_t stored = tn_load32(bytes + h.size + 1);
    uint32_t found  = tn_crc32c_mask(tn_crc32c(0, bytes, (size_t)h.size + 1));
    if (stored == found)
        return bytes;
    tn_error_set(error, TN_MALFORMED, h.offset,
                 "a block of %" PRIu64 " bytes has checksum %08" PRIx32
                 ", its trailer says %08" PRIx32,
                 h.size, found, stored);
    return NULL;
}

/* A cursor over the unpacked contents. */
static struct tn_cursor block_contents(struct tn_sstable_place *p,
                                       struct tn_source        *source,
                                       struct tn_sstable_handle h,
                                       struct tn_error         *error)
{
    struct tn_cursor c     = tn_cursor_bytes(tn_bytes(NULL, 0), 0, error);
    const uint8_t   *bytes = checked_block(source, h, error);

    if (!bytes)
        return c;
    struct tn_bytes stored = tn_bytes(bytes, (size_t)h.size);
    uint8_t         type   = bytes[h.size];
    p->is_packed           = type == BLOCK_SNAPPY;
    c                      = tn_cursor_bytes(stored, h.offset, error);
    c.source               = source;
    if (type > BLOCK_SNAPPY)
        tn_fail_at(&c, h.offset + h.size, TN_UNSUPPORTED,
                   "a block of compression type %u", type);
    if (type != BLOCK_SNAPPY)
        return c;
    tn_buffer_clear(&p->unpacked);
    tn_snappy_decode(stored, h.offset, &p->unpacked, error);
    if (tn_failed(error))
        return tn_cursor_bytes(tn_bytes(NULL, 0), 0, error);
    return tn_cursor_bytes(tn_buffer_bytes(&p->unpacked), h.offset, error);
}

/* Cuts the restart array off the end of the contents. */
static void split_restarts(struct tn_sstable_place *p, struct tn_cursor c)
{
    uint64_t size = tn_left(&c);

    p->entries       = c;
    p->begin         = c.offset;
    p->next_restart  = 0;
    p->restart_count = size >= 4 ? tn_load32(c.end - 4) : 0;
    if (p->restart_count == 0 || p->restart_count > size / 4 - 1) {
        tn_fail(&p->entries, TN_MALFORMED,
                "a block of %" PRIu64 " bytes with %" PRIu64 " restarts", size,
                p->restart_count);
        return;
    }
    p->restarts    = c.end - 4 - 4 * p->restart_count;
    p->entries.end = p->restarts;
    if (tn_load32(p->restarts) != 0)
        tn_fail_at(&p->entries, p->begin + (uint64_t)(p->restarts - c.at),
                   TN_MALFORMED, "the first restart is %" PRIu32 ", not 0",
                   tn_load32(p->restarts));
}

/* Keeps the last key: keys ascend across blocks too. */
static void place_load(struct tn_sstable_place *p, struct tn_source *source,
                       struct tn_sstable_handle h, uint64_t complaint,
                       struct tn_error *error)
{
    uint64_t limit = source->size - TN_SSTABLE_FOOTER_SIZE;

    p->offset = h.offset;
    if (!tn_inside(h.offset, h.size, limit) ||
        limit - h.offset - h.size < TN_SSTABLE_TRAILER_SIZE) {
        tn_error_set(error, TN_MALFORMED, complaint,
                     "a block of %" PRIu64 " bytes at %" PRIu64
                     " does not end before the footer at %" PRIu64,
                     h.size, h.offset, limit);
        return;
    }
    struct tn_cursor contents = block_contents(p, source, h, error);
    if (!tn_failed(error))
        split_restarts(p, contents);
}

/* Whether restart[] says that an entry begins here. */
static bool is_at_restart(struct tn_sstable_place *p)
{
    uint64_t at = p->entries.offset - p->begin;

    if (p->next_restart == p->restart_count)
        return false;
    uint32_t restart = tn_load32(p->restarts + 4 * p->next_restart);
    if (restart > at)
        return false;
    if (restart < at)
        tn_fail(&p->entries, TN_MALFORMED,
                "restart %" PRIu64 " is %" PRIu32 ", where no entry begins",
                p->next_restart, restart);
    p->next_restart++;
    return true;
}

/* All restarts were met; an empty block keeps its only one. */
static void expect_end(struct tn_sstable_place *p)
{
    uint64_t size = p->entries.offset - p->begin;

    if (tn_failed(p->entries.error) || p->next_restart == p->restart_count)
        return;
    if (size > 0 || p->restart_count > 1)
        tn_fail(&p->entries, TN_MALFORMED,
                "restart %" PRIu64 " is past the %" PRIu64 " bytes of entries",
                p->next_restart, size);
}

static uint64_t read_u32_varint(struct tn_cursor *c)
{
    uint64_t begin = c->offset;
    uint64_t value = tn_varint(c);

    if (value > UINT32_MAX)
        tn_fail_at(c, begin, TN_MALFORMED,
                   "length %" PRIu64 " has more than 32 bits", value);
    return value;
}

/* The bytes without the first n; the pointer may be NULL. */
static struct tn_bytes tail(struct tn_bytes bytes, size_t n)
{
    if (n == bytes.size)
        return tn_bytes(NULL, 0);
    return tn_bytes(bytes.data + n, bytes.size - n);
}

/* Turns the key before into this one.  The shared part is equal, so the rest
 * decides the order. */
static void take_key(struct tn_sstable_place *p, uint64_t begin,
                     uint64_t shared, uint64_t unshared)
{
    struct tn_bytes rest = tn_take_bytes(&p->entries, unshared);

    if (tn_failed(p->entries.error))
        return;
    if (shared > p->key.size) {
        tn_fail_at(&p->entries, begin, TN_MALFORMED,
                   "a key shares %" PRIu64 " bytes with one of %zu", shared,
                   p->key.size);
        return;
    }
    struct tn_bytes before = tail(tn_buffer_bytes(&p->key), (size_t)shared);
    if (p->has_key && tn_bytes_compare(before, rest) >= 0) {
        tn_fail_at(&p->entries, begin, TN_MALFORMED,
                   "a key does not come after the one before it");
        return;
    }
    p->key.size = (size_t)shared;
    tn_buffer_add(&p->key, rest);
    p->has_key = true;
}

static bool place_next(struct tn_sstable_place *p, struct tn_sstable_entry *e)
{
    struct tn_cursor *c     = &p->entries;
    uint64_t          begin = c->offset;

    if (!tn_more(c)) {
        expect_end(p);
        return false;
    }
    bool     is_restart = is_at_restart(p);
    uint64_t shared     = read_u32_varint(c);
    uint64_t unshared   = read_u32_varint(c);
    uint64_t value_size = read_u32_varint(c);

    if (is_restart && shared > 0)
        tn_fail_at(c, begin, TN_MALFORMED,
                   "a key shares %" PRIu64 " bytes at a restart", shared);
    take_key(p, begin, shared, unshared);
    *e = (struct tn_sstable_entry){
        .value     = tn_sub(c, value_size),
        .key       = tn_buffer_bytes(&p->key),
        .offset    = p->is_packed ? p->offset : begin,
        .is_packed = p->is_packed,
    };
    return !tn_failed(c->error);
}

/* A packed block has no offsets of its own in the file. */
static void settle(const struct tn_sstable_place *p, struct tn_error *error)
{
    struct tn_sstable_entry e = { .offset    = p->offset,
                                  .is_packed = p->is_packed };

    tn_sstable_where(&e, error);
}

/* ---- the table ---------------------------------------------------------- */

static enum tn_status read_footer(struct tn_sstable *table,
                                  struct tn_error   *error)
{
    uint64_t size = table->source->size;

    if (size < TN_SSTABLE_FOOTER_SIZE)
        return tn_error_set(error, TN_TRUNCATED, size,
                            "%" PRIu64 " bytes, a table has at least %d", size,
                            TN_SSTABLE_FOOTER_SIZE);
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){ table->source, size - TN_SSTABLE_FOOTER_SIZE,
                          TN_SSTABLE_FOOTER_SIZE },
        error);
    struct tn_cursor handles = tn_sub(&c, 40);
    struct tn_bytes  magic   = tn_take_bytes(&c, sizeof tn_sstable_magic);
    if (!tn_failed(error) &&
        memcmp(magic.data, tn_sstable_magic, sizeof tn_sstable_magic))
        tn_fail_at(&c, size - 8, TN_MALFORMED,
                   "the last eight bytes are not those of a table");
    table->metaindex = read_handle(&handles);
    table->index     = read_handle(&handles);
    while (tn_more(&handles))
        if (tn_u8(&handles) != 0)
            tn_fail(&handles, TN_MALFORMED,
                    "the footer is not padded by zeros");
    return error->status;
}

/* Walks a whole block whose values we do not need. */
static enum tn_status check_metaindex(struct tn_sstable *table,
                                      struct tn_error   *error)
{
    struct tn_sstable_place p;
    struct tn_sstable_entry e;
    uint64_t footer = table->source->size - TN_SSTABLE_FOOTER_SIZE;

    place_init(&p, table->source->memory, error);
    place_load(&p, table->source, table->metaindex, footer, error);
    while (place_next(&p, &e))
        continue;
    settle(&p, error);
    place_done(&p);
    return error->status;
}

/* The handle in the value of an index entry, above the block before it. */
static struct tn_sstable_handle next_handle(struct tn_sstable_walk  *walk,
                                            struct tn_sstable_entry *e)
{
    struct tn_sstable_handle h = read_handle(&e->value);

    if (tn_more(&e->value))
        tn_fail(&e->value, TN_MALFORMED, "%" PRIu64 " bytes after a handle",
                tn_left(&e->value));
    if (h.offset < walk->floor)
        tn_fail_at(&e->value, e->offset, TN_MALFORMED,
                   "a block at %" PRIu64
                   ", but the one before ends at %" PRIu64,
                   h.offset, walk->floor);
    if (!tn_inside(h.offset, h.size, walk->table->source->size))
        tn_fail_at(&e->value, e->offset, TN_MALFORMED,
                   "a block of %" PRIu64 " bytes at %" PRIu64
                   " in a file of %" PRIu64,
                   h.size, h.offset, walk->table->source->size);
    if (!tn_failed(walk->error))
        walk->floor = h.offset + h.size + TN_SSTABLE_TRAILER_SIZE;
    return h;
}

static enum tn_status count_blocks(struct tn_sstable *table,
                                   struct tn_error   *error)
{
    struct tn_sstable_walk  walk;
    struct tn_sstable_entry e;

    tn_sstable_walk_init(&walk, table, table->source->memory, error);
    while (place_next(&walk.index, &e)) {
        next_handle(&walk, &e);
        table->block_count++;
    }
    settle(&walk.index, error);
    table->has_packed_index = walk.index.is_packed;
    tn_sstable_walk_done(&walk);
    return error->status;
}

enum tn_status tn_sstable_open(struct tn_sstable *table,
                               struct tn_source *source, struct tn_error *error)
{
    *table = (struct tn_sstable){ .source = source };
    if (read_footer(table, error) == TN_OK &&
        check_metaindex(table, error) == TN_OK)
        count_blocks(table, error);
    tn_error_file(error, source->name);
    return error->status;
}

/* ---- walking ------------------------------------------------------------ */

static void rewind_walk(struct tn_sstable_walk *walk)
{
    const struct tn_sstable *table = walk->table;

    walk->floor         = 0;
    walk->has_below     = false;
    walk->index.has_key = walk->data.has_key = false;
    tn_buffer_clear(&walk->index.key);
    tn_buffer_clear(&walk->data.key);
    walk->data.entries.end  = walk->data.entries.at;
    walk->data.next_restart = walk->data.restart_count;
    place_load(&walk->index, table->source, table->index,
               table->source->size - TN_SSTABLE_FOOTER_SIZE, walk->error);
}

void tn_sstable_walk_init(struct tn_sstable_walk  *walk,
                          const struct tn_sstable *table,
                          struct tn_memory *memory, struct tn_error *error)
{
    *walk = (struct tn_sstable_walk){ .table = table, .error = error };
    place_init(&walk->index, memory, error);
    place_init(&walk->data, memory, error);
    tn_buffer_init(&walk->below, memory, error);
    rewind_walk(walk);
}

void tn_sstable_walk_done(struct tn_sstable_walk *walk)
{
    place_done(&walk->index);
    place_done(&walk->data);
    tn_buffer_done(&walk->below);
}

/* Steps the index, without reading the block it names. */
static bool next_index_entry(struct tn_sstable_walk   *walk,
                             struct tn_sstable_entry  *e,
                             struct tn_sstable_handle *h)
{
    walk->has_below = walk->index.has_key;
    tn_buffer_clear(&walk->below);
    tn_buffer_add(&walk->below, tn_buffer_bytes(&walk->index.key));
    if (!place_next(&walk->index, e)) {
        settle(&walk->index, walk->error);
        return false;
    }
    *h = next_handle(walk, e);
    settle(&walk->index, walk->error);
    return !tn_failed(walk->error);
}

static bool next_block(struct tn_sstable_walk *walk)
{
    struct tn_sstable_entry  e;
    struct tn_sstable_handle h;

    if (!next_index_entry(walk, &e, &h))
        return false;
    place_load(&walk->data, walk->table->source, h, e.offset, walk->error);
    settle(&walk->data, walk->error);
    return !tn_failed(walk->error);
}

/* Between the index keys before and after its block. */
static void check_bounds(struct tn_sstable_walk        *walk,
                         const struct tn_sstable_entry *e)
{
    struct tn_bytes below = tn_buffer_bytes(&walk->below);
    struct tn_bytes above = tn_buffer_bytes(&walk->index.key);

    if ((walk->has_below && tn_bytes_compare(e->key, below) <= 0) ||
        tn_bytes_compare(e->key, above) > 0)
        tn_fail_at(&walk->data.entries, e->offset, TN_MALFORMED,
                   "a key is not in the block where the index puts it");
}

bool tn_sstable_next(struct tn_sstable_walk  *walk,
                     struct tn_sstable_entry *entry)
{
    bool has_entry = false;

    while (!tn_failed(walk->error)) {
        has_entry = place_next(&walk->data, entry);
        if (has_entry)
            check_bounds(walk, entry);
        settle(&walk->data, walk->error);
        if (has_entry || tn_failed(walk->error) || !next_block(walk))
            break;
    }
    tn_error_file(walk->error, walk->table->source->name);
    return has_entry && !tn_failed(walk->error);
}
