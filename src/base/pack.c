/* pack.c - trees of structs as bytes, and back */
#include "base/pack.h"
#include "base/sort.h"

#include "base/varint.h"

/* ---- texts -------------------------------------------------------------- */

/* By its id. */
struct item {
    uint32_t id, place, uses;
};

void tn_pack_texts_init(struct tn_pack_texts *texts, struct tn_arena *arena,
                        struct tn_error *error)
{
    tn_intern_init(&texts->known, arena);
    tn_list_init(&texts->items, arena->memory, sizeof(struct item));
    tn_buffer_init(&texts->bytes, arena->memory, error);
    tn_buffer_init(&texts->part, arena->memory, error);
    tn_buffer_init(&texts->trees, arena->memory, error);
}

void tn_pack_texts_done(struct tn_pack_texts *texts)
{
    tn_intern_done(&texts->known);
    tn_list_done(&texts->items);
    tn_buffer_done(&texts->bytes);
    tn_buffer_done(&texts->part);
    tn_buffer_done(&texts->trees);
}

static struct item *item_at(const struct tn_pack_texts *texts, uint64_t id)
{
    return tn_list_at(&texts->items, struct item, id);
}

static void add_text(struct tn_pack_texts *texts, struct item *item)
{
    struct tn_bytes text = tn_intern_text(&texts->known, item->id);

    item->place = (uint32_t)texts->bytes.size;
    tn_buffer_varint(&texts->bytes, text.size);
    tn_buffer_add(&texts->bytes, text);
}

static uint32_t place_of(struct tn_pack_texts *texts, uint32_t id)
{
    struct tn_error *error = texts->bytes.error;

    if (!tn_failed(error) && id == texts->items.count) {
        struct item *item = tn_list_push(&texts->items, struct item, error);

        if (item) {
            *item = (struct item){ .id = id };
            add_text(texts, item);
        }
    }
    if (tn_failed(error))
        return 0;
    item_at(texts, id)->uses++;
    return item_at(texts, id)->place;
}

uint32_t tn_pack_text_place(struct tn_pack_texts *texts, struct tn_bytes text)
{
    return place_of(texts,
                    tn_intern_borrow(&texts->known, text, texts->bytes.error));
}

static int by_uses(const void *a, const void *b, void *context)
{
    const struct item *x = a, *y = b;

    (void)context;
    if (x->uses != y->uses)
        return x->uses > y->uses ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_id(const void *a, const void *b, void *context)
{
    const struct item *x = a, *y = b;

    (void)context;
    return x->id < y->id ? -1 : x->id > y->id;
}

void tn_pack_texts_rank(struct tn_pack_texts *texts)
{
    struct tn_list *items = &texts->items;

    tn_buffer_clear(&texts->trees);
    tn_buffer_clear(&texts->bytes);
    tn_sort_items(items->items, items->count, sizeof(struct item), by_uses,
                  NULL);
    for (uint64_t i = 0; i < items->count; i++)
        add_text(texts, item_at(texts, i));
    tn_sort_items(items->items, items->count, sizeof(struct item), by_id, NULL);
}

/* ---- beginning and end -------------------------------------------------- */

#define END_SIZE 8

struct tn_pack tn_pack_writer(struct tn_buffer     *out,
                              struct tn_pack_texts *texts)
{
    return (
        struct tn_pack){ .out = out, .texts = texts, .in.error = out->error };
}

uint32_t tn_pack_tree(struct tn_pack *p)
{
    uint32_t at = (uint32_t)p->out->size;

    tn_buffer_u32(&p->texts->trees, at);
    return at;
}

void tn_pack_end(struct tn_buffer *out, const struct tn_pack_texts *texts,
                 const struct tn_buffer *outline, struct tn_buffer *cuts)
{
    uint32_t begin = (uint32_t)out->size;

    tn_buffer_add(out, tn_buffer_bytes(&texts->bytes));
    uint32_t end = (uint32_t)out->size;
    tn_buffer_add(out, tn_buffer_bytes(outline));
    tn_buffer_u32(out, end);
    tn_buffer_u32(out, begin);
    if (!cuts)
        return;
    tn_buffer_add(cuts, tn_buffer_bytes(&texts->trees));
    struct tn_cursor in =
        tn_cursor_bytes(tn_buffer_bytes(&texts->bytes), 0, out->error);
    while (tn_more(&in)) {
        tn_buffer_u32(cuts, begin + (uint32_t)in.offset);
        tn_skip(&in, tn_varint(&in));
    }
    tn_buffer_u32(cuts, end);
}

/* Asks only for bytes that exist, because a reader detects the end by itself.
 */
static enum tn_status need(const struct tn_packed *packed, uint64_t from,
                           uint64_t to, struct tn_error *error)
{
    return packed->blocks && from < to && to <= packed->bytes.size
               ? packed->blocks->need(packed->blocks, from, to, error)
               : TN_OK;
}

static size_t texts_begin(const struct tn_packed *packed)
{
    return (size_t)(packed->texts.data - packed->bytes.data);
}

enum tn_status tn_packed_need_texts(const struct tn_packed *packed, uint32_t to,
                                    struct tn_error *error)
{
    size_t begin = texts_begin(packed);

    return need(packed, begin, begin + (uint64_t)to, error);
}

enum tn_status tn_packed_open(struct tn_packed *packed, struct tn_bytes bytes,
                              struct tn_pack_blocks *blocks,
                              struct tn_error       *error)
{
    *packed = (struct tn_packed){ .bytes = bytes, .blocks = blocks };
    if (bytes.size < END_SIZE)
        return tn_error_set(error, TN_TRUNCATED, TN_NOWHERE, "%zu packed bytes",
                            bytes.size);
    TN_TRY(need(packed, bytes.size - END_SIZE, bytes.size, error));
    const uint8_t *end   = bytes.data + bytes.size - END_SIZE;
    uint32_t       begin = tn_load32(end + 4);
    packed->outline      = tn_load32(end);
    if (packed->outline > bytes.size - END_SIZE || begin > packed->outline)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "packed texts past the end");
    packed->texts = tn_bytes(bytes.data + begin, packed->outline - begin);
    return TN_OK;
}

struct tn_pack tn_pack_reader(const struct tn_packed *packed, uint64_t at,
                              struct tn_arena *arena, struct tn_error *error)
{
    struct tn_pack p = { .in     = tn_cursor_bytes(packed->bytes, 0, error),
                         .packed = packed,
                         .arena  = arena };

    if (need(packed, at, at + 1, error) == TN_OK)
        tn_skip(&p.in, at);
    return p;
}

static struct tn_bytes text_at(const struct tn_packed *packed, uint64_t place,
                               struct tn_error *error)
{
    struct tn_cursor in = tn_cursor_bytes(packed->texts, 0, error);
    uint64_t         at = texts_begin(packed) + place;

    tn_skip(&in, place);
    if (tn_failed(error) || need(packed, at, at + 1, error) != TN_OK)
        return tn_bytes(NULL, 0);
    struct tn_bytes text = tn_take_bytes(&in, tn_varint(&in));
    return tn_failed(error) ? tn_bytes(NULL, 0) : text;
}

struct tn_bytes tn_packed_text(const struct tn_packed *packed, uint32_t place,
                               struct tn_error *error)
{
    return text_at(packed, place, error);
}

/* ---- fields ------------------------------------------------------------- */

uint64_t tn_pack_number(struct tn_pack *p, uint64_t value)
{
    if (!p->out)
        return tn_varint(&p->in);
    tn_buffer_varint(p->out, value);
    return value;
}

uint32_t tn_pack_u32(struct tn_pack *p, uint32_t value)
{
    return (uint32_t)tn_pack_number(p, value);
}

int64_t tn_pack_signed(struct tn_pack *p, int64_t value)
{
    return tn_zigzag_decode(tn_pack_number(p, tn_zigzag_encode(value)));
}

double tn_pack_real(struct tn_pack *p, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (p->out)
        tn_buffer_u64(p->out, bits);
    else
        bits = tn_u64(&p->in);
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool tn_pack_bool(struct tn_pack *p, bool value)
{
    return tn_pack_number(p, value) != 0;
}

/* 0: none; else one more than its place. */
struct tn_bytes tn_pack_text(struct tn_pack *p, struct tn_bytes text)
{
    if (p->out) {
        tn_pack_number(p, text.data
                              ? (uint64_t)tn_pack_text_place(p->texts, text) + 1
                              : 0);
        return text;
    }
    uint64_t place = tn_varint(&p->in);
    return place ? text_at(p->packed, place - 1, p->in.error)
                 : tn_bytes(NULL, 0);
}

struct tn_pack tn_pack_part(struct tn_pack *p)
{
    struct tn_pack part = *p;

    if (p->out) {
        tn_buffer_clear(&p->texts->part);
        part.out = &p->texts->part;
    } else {
        part.in = tn_cursor_bytes(
            text_at(p->packed, tn_varint(&p->in), p->in.error), 0, p->in.error);
    }
    return part;
}

void tn_pack_part_end(struct tn_pack *p, const struct tn_pack *part)
{
    if (!p->out)
        return;
    struct tn_pack_texts *texts = p->texts;
    struct tn_bytes       bytes = tn_buffer_bytes(part->out);

    tn_pack_number(p, place_of(texts, tn_intern_copy(&texts->known, bytes,
                                                     texts->bytes.error)));
}
