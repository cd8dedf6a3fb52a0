/* sstable_write.c - writing sorted tables, byte for byte as TensorFlow does */
#include "wire/sstable/sstable_write.h"

#include "base/arith.h"
#include "base/varint.h"
#include "codec/crc32c.h"

#define BLOCK_SIZE       262144
#define RESTART_INTERVAL 16
/* An entry of that many blocks begins a block of its own. */
#define LARGE_ENTRY 2

/* ---- one block ---------------------------------------------------------- */

static void block_clear(struct tn_sstable_block *b)
{
    tn_buffer_clear(&b->contents);
    tn_buffer_clear(&b->restarts);
    tn_buffer_clear(&b->last_key);
    tn_buffer_u32(&b->restarts, 0);
    b->since = 0;
}

static void block_init(struct tn_sstable_block *b, uint32_t interval,
                       struct tn_memory *memory, struct tn_error *error)
{
    tn_buffer_init(&b->contents, memory, error);
    tn_buffer_init(&b->restarts, memory, error);
    tn_buffer_init(&b->last_key, memory, error);
    b->interval = interval;
    block_clear(b);
}

static void block_done(struct tn_sstable_block *b)
{
    tn_buffer_done(&b->contents);
    tn_buffer_done(&b->restarts);
    tn_buffer_done(&b->last_key);
}

/* As it would be stored, restarts and their count included. */
static uint64_t block_size(const struct tn_sstable_block *b)
{
    return (uint64_t)b->contents.size + b->restarts.size + 4;
}

static size_t common_prefix(struct tn_bytes a, struct tn_bytes b)
{
    size_t n = 0;

    while (n < a.size && n < b.size && a.data[n] == b.data[n])
        n++;
    return n;
}

static void block_add(struct tn_sstable_block *b, struct tn_bytes key,
                      struct tn_bytes value)
{
    size_t shared = 0;

    if (b->since < b->interval) {
        shared = common_prefix(tn_buffer_bytes(&b->last_key), key);
    } else {
        tn_buffer_u32(&b->restarts, (uint32_t)b->contents.size);
        b->since = 0;
    }
    tn_buffer_varint(&b->contents, shared);
    tn_buffer_varint(&b->contents, key.size - shared);
    tn_buffer_varint(&b->contents, value.size);
    if (key.size > shared)
        tn_buffer_add(&b->contents,
                      tn_bytes(key.data + shared, key.size - shared));
    tn_buffer_add(&b->contents, value);
    tn_buffer_clear(&b->last_key);
    tn_buffer_add(&b->last_key, key);
    b->since++;
}

/* Contents, type and checksum; the block is empty afterwards. */
static struct tn_sstable_handle block_write(struct tn_sstable_writer *w,
                                            struct tn_sstable_block  *b)
{
    uint32_t count = (uint32_t)(b->restarts.size / 4);

    tn_buffer_add(&b->contents, tn_buffer_bytes(&b->restarts));
    tn_buffer_u32(&b->contents, count);
    struct tn_sstable_handle h = { w->to->offset - w->base, b->contents.size };
    tn_buffer_byte(&b->contents, 0); /* plain */
    uint32_t crc = tn_crc32c(0, b->contents.data, b->contents.size);
    tn_buffer_u32(&b->contents, tn_crc32c_mask(crc));
    if (!tn_failed(w->error))
        tn_sink_write(w->to, tn_buffer_bytes(&b->contents), w->error);
    block_clear(b);
    return h;
}

/* ---- index keys --------------------------------------------------------- */

/* Shortens `key` to something not below it and still below `next`. */
static void shorten_below(struct tn_buffer *key, struct tn_bytes next)
{
    size_t n = common_prefix(tn_buffer_bytes(key), next);

    if (n < key->size && n < next.size && key->data[n] != 0xff &&
        key->data[n] + 1 < next.data[n]) {
        key->data[n]++;
        key->size = n + 1;
    }
}

/* Shortens `key` to something not below it. */
static void shorten(struct tn_buffer *key)
{
    for (size_t n = 0; n < key->size; n++)
        if (key->data[n] != 0xff) {
            key->data[n]++;
            key->size = n + 1;
            return;
        }
}

static void add_to_index(struct tn_sstable_writer *w)
{
    uint8_t  value[2 * TN_VARINT_MAX];
    unsigned size = tn_varint_put(value, w->pending.offset);

    size += tn_varint_put(value + size, w->pending.size);
    block_add(&w->index, tn_buffer_bytes(&w->last_key), tn_bytes(value, size));
    w->has_pending = false;
}

/* ---- the table ---------------------------------------------------------- */

void tn_sstable_writer_init(struct tn_sstable_writer *w, struct tn_sink *to,
                            struct tn_memory *memory, struct tn_error *error)
{
    *w = (struct tn_sstable_writer){
        .to = to, .error = error, .base = to->offset, .block_size = BLOCK_SIZE
    };
    block_init(&w->data, RESTART_INTERVAL, memory, error);
    block_init(&w->index, 1, memory, error);
    tn_buffer_init(&w->last_key, memory, error);
}

void tn_sstable_writer_done(struct tn_sstable_writer *w)
{
    block_done(&w->data);
    block_done(&w->index);
    tn_buffer_done(&w->last_key);
}

static void flush(struct tn_sstable_writer *w)
{
    if (w->data.contents.size == 0)
        return;
    w->pending     = block_write(w, &w->data);
    w->has_pending = true;
}

static bool accepts(struct tn_sstable_writer *w, struct tn_bytes key,
                    struct tn_bytes value)
{
    if (tn_failed(w->error))
        return false;
    if (key.size > UINT32_MAX || value.size > UINT32_MAX - key.size)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "a table entry of more than 4 GiB");
    else if (w->entry_count &&
             tn_bytes_compare(key, tn_buffer_bytes(&w->last_key)) <= 0)
        tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                     "the keys of a table must ascend");
    return !tn_failed(w->error);
}

void tn_sstable_add(struct tn_sstable_writer *w, struct tn_bytes key,
                    struct tn_bytes value)
{
    if (!accepts(w, key, value))
        return;
    if (key.size + value.size >= LARGE_ENTRY * w->block_size)
        flush(w);
    if (w->has_pending) {
        shorten_below(&w->last_key, key);
        add_to_index(w);
    }
    tn_buffer_clear(&w->last_key);
    tn_buffer_add(&w->last_key, key);
    w->entry_count++;
    block_add(&w->data, key, value);
    if (block_size(&w->data) >= w->block_size)
        flush(w);
}

static void write_footer(struct tn_sstable_writer *w,
                         struct tn_sstable_handle  metaindex,
                         struct tn_sstable_handle  index)
{
    uint8_t  footer[TN_SSTABLE_FOOTER_SIZE] = { 0 };
    unsigned size = tn_varint_put(footer, metaindex.offset);

    size += tn_varint_put(footer + size, metaindex.size);
    size += tn_varint_put(footer + size, index.offset);
    tn_varint_put(footer + size, index.size);
    memcpy(footer + sizeof footer - sizeof tn_sstable_magic, tn_sstable_magic,
           sizeof tn_sstable_magic);
    tn_sink_write(w->to, tn_bytes(footer, sizeof footer), w->error);
}

enum tn_status tn_sstable_finish(struct tn_sstable_writer *w)
{
    flush(w);
    /* The metaindex is an empty block; the data block just became one. */
    struct tn_sstable_handle metaindex = block_write(w, &w->data);
    if (w->has_pending) {
        shorten(&w->last_key);
        add_to_index(w);
    }
    struct tn_sstable_handle index = block_write(w, &w->index);
    if (!tn_failed(w->error))
        write_footer(w, metaindex, index);
    return w->error->status;
}
