/* pack.c - trees of structs as bytes, and back */
#include "base/pack.h"

#include "base/varint.h"

/* ---- texts -------------------------------------------------------------- */

void tn_pack_texts_init(struct tn_pack_texts *texts, struct tn_arena *arena,
                        struct tn_error *error)
{
    tn_intern_init(&texts->known, arena);
    tn_buffer_init(&texts->places, arena->memory, error);
    tn_buffer_init(&texts->bytes, arena->memory, error);
    tn_buffer_init(&texts->part, arena->memory, error);
}

void tn_pack_texts_done(struct tn_pack_texts *texts)
{
    tn_intern_done(&texts->known);
    tn_buffer_done(&texts->places);
    tn_buffer_done(&texts->bytes);
    tn_buffer_done(&texts->part);
}

static uint32_t place_of(struct tn_pack_texts *texts, struct tn_bytes text,
                         uint32_t count, uint32_t id)
{
    if (id == count) {
        tn_buffer_u32(&texts->places, (uint32_t)texts->bytes.size);
        tn_buffer_varint(&texts->bytes, text.size);
        tn_buffer_add(&texts->bytes, text);
    }
    return tn_failed(texts->bytes.error)
               ? 0
               : tn_load32(texts->places.data + (size_t)id * 4);
}

uint32_t tn_pack_text_place(struct tn_pack_texts *texts, struct tn_bytes text)
{
    uint32_t count = tn_intern_count(&texts->known);

    return place_of(
        texts, text, count,
        tn_intern_borrow(&texts->known, text, texts->bytes.error));
}

/* ---- the ends ----------------------------------------------------------- */

#define END_SIZE 8

struct tn_pack tn_pack_writer(struct tn_buffer     *out,
                              struct tn_pack_texts *texts)
{
    return (struct tn_pack){ .out      = out,
                             .texts    = texts,
                             .in.error = out->error };
}

void tn_pack_end(struct tn_buffer *out, const struct tn_pack_texts *texts,
                 uint64_t outline)
{
    uint64_t begin = out->size;

    tn_buffer_add(out, tn_buffer_bytes(&texts->bytes));
    tn_buffer_u32(out, (uint32_t)outline);
    tn_buffer_u32(out, (uint32_t)begin);
}

enum tn_status tn_packed_open(struct tn_packed *packed, struct tn_bytes bytes,
                              struct tn_error *error)
{
    *packed = (struct tn_packed){ .bytes = bytes };
    if (bytes.size < END_SIZE)
        return tn_error_set(error, TN_TRUNCATED, TN_NOWHERE,
                            "%zu packed bytes", bytes.size);
    const uint8_t *end   = bytes.data + bytes.size - END_SIZE;
    uint32_t       begin = tn_load32(end + 4);
    packed->outline      = tn_load32(end);
    if (begin > bytes.size - END_SIZE || packed->outline > begin)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "packed texts past the end");
    packed->texts =
        tn_bytes(bytes.data + begin, bytes.size - END_SIZE - begin);
    return TN_OK;
}

struct tn_pack tn_pack_reader(const struct tn_packed *packed, uint64_t at,
                              struct tn_arena *arena, struct tn_error *error)
{
    struct tn_pack p = { .in         = tn_cursor_bytes(packed->bytes, 0, error),
                         .read_texts = packed->texts,
                         .arena      = arena };

    tn_skip(&p.in, at);
    return p;
}

static struct tn_bytes text_at(struct tn_bytes texts, uint64_t place,
                               struct tn_error *error)
{
    struct tn_cursor in = tn_cursor_bytes(texts, 0, error);

    tn_skip(&in, place);
    struct tn_bytes text = tn_take_bytes(&in, tn_varint(&in));
    return tn_failed(error) ? tn_bytes(NULL, 0) : text;
}

struct tn_bytes tn_packed_text(const struct tn_packed *packed, uint32_t place,
                               struct tn_error *error)
{
    return text_at(packed->texts, place, error);
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
    return place ? text_at(p->read_texts, place - 1, p->in.error)
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
            text_at(p->read_texts, tn_varint(&p->in), p->in.error), 0,
            p->in.error);
    }
    return part;
}

void tn_pack_part_end(struct tn_pack *p, const struct tn_pack *part)
{
    if (!p->out)
        return;
    struct tn_pack_texts *texts = p->texts;
    struct tn_bytes       bytes = tn_buffer_bytes(part->out);
    uint32_t              count = tn_intern_count(&texts->known);

    tn_pack_number(p, place_of(texts, bytes, count,
                               tn_intern_copy(&texts->known, bytes,
                                              texts->bytes.error)));
}
