/* pack.c - trees of structs as bytes, and back */
#include "base/pack.h"

#include "base/varint.h"

struct tn_pack tn_pack_writer(struct tn_buffer *out, struct tn_bytes text)
{
    return (struct tn_pack){ .out = out, .in.error = out->error, .text = text };
}

struct tn_pack tn_pack_reader(struct tn_bytes packed, uint64_t at,
                              struct tn_bytes text, struct tn_arena *arena,
                              struct tn_error *error)
{
    struct tn_pack p = { .in    = tn_cursor_bytes(packed, 0, error),
                         .text  = text,
                         .arena = arena };

    tn_skip(&p.in, at);
    return p;
}

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

/* A text begins with one of these, or with FIRST_STEP and the step, zigzag,
 * from the place of the last one to its own. */
enum { IS_NULL, IS_HERE, FIRST_STEP };

static void write_text(struct tn_pack *p, struct tn_bytes text)
{
    uintptr_t begin = (uintptr_t)p->text.data, at = (uintptr_t)text.data;

    if (!text.data) {
        tn_pack_number(p, IS_NULL);
    } else if (at >= begin && at - begin <= p->text.size &&
               text.size <= p->text.size - (at - begin)) {
        int64_t step = (int64_t)(at - begin) - (int64_t)p->text_at;

        tn_pack_number(p, tn_zigzag_encode(step) + FIRST_STEP);
        tn_pack_number(p, text.size);
        p->text_at = at - begin;
    } else {
        tn_pack_number(p, IS_HERE);
        tn_pack_number(p, text.size);
        tn_buffer_add(p->out, text);
    }
}

static struct tn_bytes read_text(struct tn_pack *p)
{
    uint64_t step = tn_varint(&p->in);

    if (step == IS_NULL)
        return tn_bytes(NULL, 0);
    uint64_t size = tn_varint(&p->in);
    if (step == IS_HERE)
        return tn_take_bytes(&p->in, size);
    uint64_t place = p->text_at + (uint64_t)tn_zigzag_decode(step - FIRST_STEP);
    p->text_at     = place;
    if (place > p->text.size || size > p->text.size - place) {
        tn_fail(&p->in, TN_MALFORMED, "a text past the end of its source");
        return tn_bytes(NULL, 0);
    }
    return tn_bytes(p->text.data + place, (size_t)size);
}

struct tn_bytes tn_pack_text(struct tn_pack *p, struct tn_bytes text)
{
    if (!p->out)
        return read_text(p);
    write_text(p, text);
    return text;
}
