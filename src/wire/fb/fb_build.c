/*
 * fb_build.c - building a FlatBuffer, weights by reference
 *
 * A place is counted from the end of the buffer, which does not move while it
 * grows at its beginning: the place of an object is the size when its first
 * byte was written.  Padding is put after an object so that its place is
 * aligned; in the end the whole buffer is padded to the largest alignment, and
 * then all objects are aligned from its beginning as well.
 *
 * Since a place depends on nothing that comes later, a run of tables is made
 * again, byte by byte the same, from the size that the buffer had before it.
 * Runs share only vtables: one whose place is past the size was written in this
 * run or in a later one.
 *
 * Several threads can learn how long tables are when each begins at an even
 * size: then a stretch of tables depends on those before it by its vtables
 * alone.  A stretch that needs a vtable that is not there yet is made again, in
 * its turn.
 */
#include "wire/fb/fb_build.h"

#include "base/arith.h"
#include "base/little.h"
#include "base/mix.h"
#include "io/pipeline.h"
#include "wire/fb/fb.h"

#define FIRST_BLOCK UINT64_C(4096)
#define LAST_BLOCK  (UINT64_C(1) << 20)
#define RUN_SIZE    (UINT64_C(64) << 10)
#define ROOM_SIZE   (RUN_SIZE + (UINT64_C(16) << 10))
#define ALIGN_LIMIT 4096u
#define TABLE_LIMIT 65535u
#define AHEAD_LIMIT 16
#define EVEN        64u
#define LONGEST     (4 * RUN_SIZE)

struct vtable {
    const uint8_t *bytes;
    uint32_t       size;
    uint32_t       at;
    uint64_t       hash;
};

struct tn_fb_vtables {
    struct tn_arena *arena;
    struct vtable   *places; /* open addressing; size 0 is empty */
    uint64_t         room;
    uint64_t         count;
};

/* ---- life ------------------------------------------------------------- */

void tn_fb_build_init(struct tn_fb_builder *b, struct tn_arena *arena,
                      struct tn_error *error)
{
    *b = (struct tn_fb_builder){ .arena = arena, .error = error, .align = 4 };
    tn_list_init(&b->pieces, arena->memory, sizeof(struct tn_piece));
    tn_list_init(&b->pending, arena->memory, sizeof(struct tn_fb_pending));
    b->vtables = tn_new(arena, struct tn_fb_vtables, 1, error);
    if (b->vtables)
        b->vtables->arena = arena;
}

void tn_fb_build_done(struct tn_fb_builder *b)
{
    tn_list_done(&b->pieces);
    tn_list_done(&b->pending);
}

/* ---- bytes, back to front --------------------------------------------- */

/* Space for more in a buffer that has its limit. */
static bool has_space(struct tn_fb_builder *b, uint64_t size)
{
    if (tn_failed(b->error))
        return false;
    if (tn_inside(b->size, size, TN_FB_SIZE_LIMIT))
        return true;
    tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                 "a FlatBuffer of more than 2 GiB");
    return false;
}

static void add_piece(struct tn_fb_builder *b, const struct tn_piece *piece)
{
    struct tn_piece *new = tn_list_push(&b->pieces, struct tn_piece, b->error);

    if (new)
        *new = *piece;
}

/* Makes a piece of what was written since the last one. */
static void close_piece(struct tn_fb_builder *b)
{
    struct tn_piece piece = { .kind     = TN_PIECE_BYTES,
                              .length   = (uint64_t)(b->end - b->at),
                              .at.bytes = b->at };

    if (piece.length > 0)
        add_piece(b, &piece);
    b->end = b->at;
}

/* The next `size` bytes towards the beginning, for the caller to fill; NULL
 * after a failure. */
static uint8_t *take_room(struct tn_fb_builder *b, uint64_t size)
{
    if (!has_space(b, size))
        return NULL;
    if (size > (uint64_t)(b->at - b->begin)) {
        b->block      = tn_min(tn_max(2 * b->block, FIRST_BLOCK), LAST_BLOCK);
        uint64_t room = tn_max(size, b->block);
        close_piece(b);
        b->begin = tn_arena_take(b->arena, room, 1, b->error);
        b->at = b->end = b->begin ? b->begin + room : NULL;
        if (!b->begin)
            return NULL;
    }
    b->at -= size;
    b->size += size;
    return b->at;
}

/* Zeros, so that what follows, `size` bytes long, begins at a multiple of
 * `align` plus `rest`. */
static bool pad(struct tn_fb_builder *b, uint64_t size, uint32_t align,
                uint32_t rest)
{
    uint64_t gap = (rest - (b->size + size)) & (align - 1);

    if (align > b->align)
        b->align = align;
    if (!gap)
        return !tn_failed(b->error);
    uint8_t *to = take_room(b, gap);
    if (to)
        memset(to, 0, (size_t)gap);
    return to != NULL;
}

/* Room for `body` bytes that begin as above, with `head` bytes before them. */
static uint8_t *take_padded(struct tn_fb_builder *b, uint64_t body,
                            uint32_t head, uint32_t align, uint32_t rest)
{
    uint64_t gap = (rest - (b->size + body)) & (align - 1);
    uint8_t *to  = take_room(b, gap + body + head);

    if (align > b->align)
        b->align = align;
    if (to && gap)
        memset(to + head + body, 0, (size_t)gap);
    return to;
}

/* The same if tables are only measured: nothing is filled, and texts, which are
 * not in the processor's cache, are not read.  0 after a failure. */
static uint32_t skip_padded(struct tn_fb_builder *b, uint64_t body,
                            uint32_t head, uint32_t align, uint32_t rest)
{
    uint64_t gap = (rest - (b->size + body)) & (align - 1);

    if (!has_space(b, gap + body + head))
        return 0;
    if (align > b->align)
        b->align = align;
    b->size += gap + body + head;
    return (uint32_t)b->size;
}

/* ---- strings and vectors ---------------------------------------------- */

uint32_t tn_fb_put_string(struct tn_fb_builder *b, struct tn_bytes text)
{
    if (!has_space(b, text.size))
        return 0;
    if (b->is_ahead)
        return skip_padded(b, (uint64_t)text.size + 1, 4, 4, 0);
    uint8_t *to = take_padded(b, (uint64_t)text.size + 1, 4, 4, 0);
    if (!to)
        return 0;
    tn_store_little(to, text.size, 4);
    if (text.size)
        memcpy(to + 4, text.data, text.size);
    to[4 + text.size] = 0;
    return (uint32_t)b->size;
}

/* Room for elements with their count in front; NULL after a failure. */
static uint8_t *put_elements(struct tn_fb_builder *b, uint64_t count,
                             uint32_t element, uint32_t align)
{
    uint64_t size;

    if (!tn_mul(count, element, &size) || !has_space(b, size))
        return NULL;
    uint8_t *to = take_padded(b, size, 4, align < 4 ? 4 : align, 0);
    if (!to)
        return NULL;
    tn_store_little(to, count, 4);
    return to + 4;
}

static uint32_t skip_elements(struct tn_fb_builder *b, uint64_t count,
                              uint32_t element, uint32_t align)
{
    uint64_t size;

    if (!tn_mul(count, element, &size) || !has_space(b, size))
        return 0;
    return skip_padded(b, size, 4, align < 4 ? 4 : align, 0);
}

static bool are_there(struct tn_fb_builder *b, const uint32_t *refs,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (refs[i] == 0)
            tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                         "a vector of references with nothing in it");
    return !tn_failed(b->error);
}

uint32_t tn_fb_put_refs(struct tn_fb_builder *b, const uint32_t *refs,
                        uint32_t count)
{
    if (tn_failed(b->error) || !are_there(b, refs, count))
        return 0;
    if (b->is_ahead)
        return skip_elements(b, count, 4, 4);
    uint8_t *to = put_elements(b, count, 4, 4);
    if (!to)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        tn_store_little(to + 4 * (size_t)i,
                        b->size - 4 - 4 * (uint64_t)i - refs[i], 4);
    return (uint32_t)b->size;
}

uint32_t tn_fb_put_i32s(struct tn_fb_builder *b, const int32_t *values,
                        uint32_t count)
{
    if (b->is_ahead)
        return skip_elements(b, count, 4, 4);
    uint8_t *to = put_elements(b, count, 4, 4);
    for (uint32_t i = 0; to && i < count; i++)
        tn_store_little(to + 4 * (size_t)i, (uint32_t)values[i], 4);
    return to ? (uint32_t)b->size : 0;
}

uint32_t tn_fb_put_i64s(struct tn_fb_builder *b, const int64_t *values,
                        uint32_t count)
{
    if (b->is_ahead)
        return skip_elements(b, count, 8, 8);
    uint8_t *to = put_elements(b, count, 8, 8);
    for (uint32_t i = 0; to && i < count; i++)
        tn_store_little(to + 8 * (size_t)i, (uint64_t)values[i], 8);
    return to ? (uint32_t)b->size : 0;
}

uint32_t tn_fb_put_f64s(struct tn_fb_builder *b, const double *values,
                        uint32_t count)
{
    if (b->is_ahead)
        return skip_elements(b, count, 8, 8);
    uint8_t *to = put_elements(b, count, 8, 8);
    for (uint32_t i = 0; to && i < count; i++)
        tn_store_little(to + 8 * (size_t)i, tn_double_bits(values[i]), 8);
    return to ? (uint32_t)b->size : 0;
}

/* Whether these are whole elements, and the alignment is possible. */
static bool is_sound(struct tn_fb_builder *b, uint64_t size, uint32_t element,
                     uint32_t align)
{
    if (tn_failed(b->error))
        return false;
    if (element > 0 && size % element == 0 && align > 0 &&
        align <= ALIGN_LIMIT && (align & (align - 1)) == 0)
        return true;
    tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                 "%" PRIu64 " bytes as elements of %" PRIu32
                 ", aligned to %" PRIu32,
                 size, element, align);
    return false;
}

uint32_t tn_fb_put_vector(struct tn_fb_builder *b, struct tn_bytes bytes,
                          uint32_t element, uint32_t align)
{
    if (!is_sound(b, bytes.size, element, align))
        return 0;
    if (b->is_ahead)
        return skip_elements(b, bytes.size / element, element, align);
    uint8_t *to = put_elements(b, bytes.size / element, element, align);
    if (to && bytes.size)
        memcpy(to, bytes.data, bytes.size);
    return to ? (uint32_t)b->size : 0;
}

static uint32_t put_pieces(struct tn_fb_builder  *b,
                           const struct tn_piece *pieces, uint64_t count,
                           uint64_t length, uint32_t element, uint32_t align)
{
    if (!is_sound(b, length, element, align) || !has_space(b, length) ||
        !pad(b, length, align < 4 ? 4 : align, 0))
        return 0;
    close_piece(b);
    for (uint64_t i = count; i > 0; i--)
        if (pieces[i - 1].length > 0)
            add_piece(b, &pieces[i - 1]);
    b->size += length;
    uint8_t *to = take_room(b, 4);
    if (!to)
        return 0;
    tn_store_little(to, length / element, 4);
    return (uint32_t)b->size;
}

uint32_t tn_fb_put_span(struct tn_fb_builder *b, struct tn_span span,
                        uint32_t element, uint32_t align)
{
    struct tn_piece piece = { .kind    = TN_PIECE_SPAN,
                              .length  = span.length,
                              .at.span = span };

    return put_pieces(b, &piece, 1, span.length, element, align);
}

uint32_t tn_fb_put_producer(struct tn_fb_builder     *b,
                            const struct tn_producer *producer,
                            uint32_t element, uint32_t align)
{
    struct tn_piece piece = { .kind        = TN_PIECE_PRODUCER,
                              .length      = producer->length,
                              .at.producer = producer };

    return put_pieces(b, &piece, 1, producer->length, element, align);
}

uint32_t tn_fb_put_rope(struct tn_fb_builder *b, const struct tn_rope *rope,
                        uint32_t element, uint32_t align)
{
    if (tn_failed(rope->error) && !tn_failed(b->error))
        *b->error = *rope->error;
    return put_pieces(b, rope->pieces.items, rope->pieces.count, rope->length,
                      element, align);
}

uint32_t tn_fb_put_struct(struct tn_fb_builder *b, struct tn_bytes bytes,
                          uint32_t align)
{
    /* References are to multiples of four. */
    if (!is_sound(b, bytes.size, 1, align) ||
        !pad(b, bytes.size, align < 4 ? 4 : align, 0))
        return 0;
    uint8_t *to = take_room(b, bytes.size);
    if (!to)
        return 0;
    if (bytes.size)
        memcpy(to, bytes.data, bytes.size);
    return (uint32_t)b->size;
}

/* ---- fields ----------------------------------------------------------- */

void tn_fb_begin(struct tn_fb_builder *b)
{
    b->pending.count = 0;
}

void tn_fb_add_pending(struct tn_fb_builder *b, struct tn_fb_pending field)
{
    struct tn_fb_pending *new =
        tn_list_push(&b->pending, struct tn_fb_pending, b->error);

    if (new)
        *new = field;
}

void tn_fb_add_struct(struct tn_fb_builder *b, uint16_t slot,
                      struct tn_bytes bytes, uint32_t align)
{
    if (bytes.size > TABLE_LIMIT) {
        tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                     "a struct of %zu bytes in a table", bytes.size);
        return;
    }
    if (!is_sound(b, bytes.size, align, align))
        return;
    tn_fb_add_pending(b, (struct tn_fb_pending){
                             .shape = tn_fb_shape(slot, (uint32_t)bytes.size,
                                                  align, TN_FB_PENDING_STRUCT),
                             .bytes = bytes.data });
}

/* ---- vtables ---------------------------------------------------------- */

static uint64_t hash_vtable(const uint8_t *bytes, uint32_t size)
{
    uint64_t hash = size;

    for (uint32_t i = 0; i < size; i += 2)
        hash =
            tn_mix(hash ^ tn_load16(bytes + i), UINT64_C(0x9fb21c651e98df25)) +
            i;
    return hash;
}

/* Its own place, or an empty one. */
static struct vtable *find_vtable(const struct tn_fb_vtables *v,
                                  const struct vtable        *like)
{
    uint64_t at = like->hash & (v->room - 1);

    for (; v->places[at].size; at = (at + 1) & (v->room - 1))
        if (v->places[at].hash == like->hash &&
            v->places[at].size == like->size &&
            !memcmp(v->places[at].bytes, like->bytes, like->size))
            break;
    return &v->places[at];
}

static bool grow_vtables(struct tn_fb_builder *b)
{
    struct tn_fb_vtables *old = b->vtables;
    struct tn_fb_vtables new  = *old;

    new.room   = old->room ? old->room * 2 : 64;
    new.places = tn_new(old->arena, struct vtable, new.room, b->error);
    if (!new.places)
        return false;
    for (uint64_t i = 0; i < old->room; i++)
        if (old->places[i].size)
            *find_vtable(&new, &old->places[i]) = old->places[i];
    *old = new;
    return true;
}

/* For those that come later. */
static bool keep_vtable(struct tn_fb_builder *b, struct vtable want)
{
    struct tn_fb_vtables *v = b->vtables;

    if (v->count >= v->room / 2 && !grow_vtables(b))
        return false;
    want.bytes =
        tn_bytes_dup(v->arena, tn_bytes(want.bytes, want.size), b->error).data;
    if (!want.bytes)
        return false;
    *find_vtable(v, &want) = want;
    v->count++;
    return true;
}

/* Where the vtable is: an equal one, or this one, written now. */
static uint32_t put_vtable(struct tn_fb_builder *b, const uint8_t *bytes,
                           uint32_t size)
{
    struct vtable  want = { bytes, size, 0, hash_vtable(bytes, size) };
    struct vtable *place =
        b->vtables->room ? find_vtable(b->vtables, &want) : NULL;
    bool is_known = place && place->size;

    if (is_known && (b->is_ahead || place->at <= b->size))
        return place->at;
    b->is_lost |= b->is_ahead;
    uint8_t *to = take_room(b, size);
    if (!to)
        return 0;
    memcpy(to, bytes, size);
    want.at = (uint32_t)b->size;
    if (is_known || b->is_ahead) /* made again, or only to be measured */
        return want.at;
    return keep_vtable(b, want) ? want.at : 0;
}

/* ---- tables ----------------------------------------------------------- */

/* Tables have the same few shapes again and again: fields in this order, of
 * these sizes.  The layout of such a table is computed once. */
struct layout {
    uint64_t  hash;
    uint64_t *shape;  /* by field, see tn_fb_shape()                          */
    uint16_t *places; /* by field, in the table                               */
    uint8_t  *vtable;
    uint32_t  count, room;            /* of fields; none: nobody has it       */
    uint32_t  slots, slot_room;       /* of the vtable                        */
    uint32_t  size, align, vtable_at; /* the last is 0 until it is written    */
};

enum { LAYOUTS = 16, FEW_FIELDS = 24 };

struct tn_fb_layouts {
    struct layout items[LAYOUTS]; /* by hash                                  */
};

static uint32_t slot_of(const struct tn_fb_pending *field)
{
    return field->shape & UINT16_MAX;
}

static uint32_t size_of(const struct tn_fb_pending *field)
{
    return field->shape >> 16 & UINT16_MAX;
}

static uint32_t align_of(const struct tn_fb_pending *field)
{
    return field->shape >> 32 & UINT16_MAX;
}

static uint64_t hash_fields(const struct tn_fb_builder *b)
{
    const struct tn_fb_pending *fields = b->pending.items;
    uint64_t                    hash   = b->pending.count;

    for (uint64_t i = 0; i < b->pending.count; i++)
        hash = (hash << 7 | hash >> 57) ^ fields[i].shape;
    return (hash * UINT64_C(0x9fb21c651e98df25)) >> 32;
}

static bool has_shape(const struct layout *l, const struct tn_fb_builder *b,
                      uint64_t hash)
{
    const struct tn_fb_pending *fields = b->pending.items;

    if (!l->align || l->hash != hash || l->count != b->pending.count)
        return false;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->shape[i] != fields[i].shape)
            return false;
    return true;
}

/* Room for the pending fields, whatever their types are. */
static bool make_room(struct layout *l, struct tn_fb_builder *b)
{
    const struct tn_fb_pending *fields = b->pending.items;
    uint64_t                    count  = b->pending.count;

    l->align = l->slots = 0;
    for (uint64_t i = 0; i < count; i++)
        l->slots = (uint32_t)tn_max(slot_of(&fields[i]) + 1, l->slots);
    if (count > l->room || !l->room) {
        l->room   = (uint32_t)tn_max(2 * count, FEW_FIELDS);
        l->shape  = tn_arena_take(b->arena, l->room * sizeof *l->shape,
                                  sizeof *l->shape, b->error);
        l->places = tn_arena_take(b->arena, l->room * sizeof *l->places,
                                  sizeof *l->places, b->error);
    }
    if (l->slots > l->slot_room || !l->slot_room) {
        l->slot_room = (uint32_t)tn_max(2 * l->slots, FEW_FIELDS);
        l->vtable = tn_arena_take(b->arena, 4 + 2 * l->slot_room, 2, b->error);
    }
    return !tn_failed(b->error);
}

/* After the four bytes that lead to the vtable, in descending order of
 * alignment: so there are no gaps. */
static bool place_fields(struct layout *l, struct tn_fb_builder *b)
{
    const struct tn_fb_pending *fields = b->pending.items;
    uint32_t                    align  = 4;
    uint64_t                    size   = 4;

    l->count = (uint32_t)b->pending.count;
    for (uint32_t i = 0; i < l->count; i++) {
        l->shape[i] = fields[i].shape;
        align       = (uint32_t)tn_max(align_of(&fields[i]), align);
    }
    l->align = align;
    for (; align > 0; align /= 2)
        for (uint32_t i = 0; i < l->count && size <= TABLE_LIMIT; i++)
            if (align_of(&fields[i]) == align) {
                l->places[i] = (uint16_t)size;
                size += size_of(&fields[i]);
            }
    l->size = (uint32_t)size;
    if (size <= TABLE_LIMIT && 4 + 2 * l->slots <= TABLE_LIMIT)
        return true;
    tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                 "a table of more than 65535 bytes or 32765 slots");
    return false;
}

static bool fill_vtable(struct layout *l, struct tn_fb_builder *b)
{
    const struct tn_fb_pending *fields = b->pending.items;

    memset(l->vtable, 0, 4 + 2 * (size_t)l->slots);
    tn_store_little(l->vtable, 4 + 2 * l->slots, 2);
    tn_store_little(l->vtable + 2, l->size, 2);
    for (uint32_t i = 0; i < l->count; i++) {
        uint8_t *entry = l->vtable + 4 + 2 * (size_t)slot_of(&fields[i]);
        if (tn_load16(entry)) {
            tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                         "slot %" PRIu32 " was added twice",
                         slot_of(&fields[i]));
            return false;
        }
        tn_store_little(entry, l->places[i], 2);
    }
    return true;
}

/* The layout of the pending fields; NULL after a failure. */
static struct layout *find_layout(struct tn_fb_builder *b)
{
    if (!b->layouts && !tn_failed(b->error))
        b->layouts = tn_new(b->arena, struct tn_fb_layouts, 1, b->error);
    if (tn_failed(b->error))
        return NULL;
    uint64_t       hash = hash_fields(b);
    struct layout *l    = &b->layouts->items[hash % LAYOUTS];
    if (has_shape(l, b, hash))
        return l;
    l->hash      = hash;
    l->vtable_at = 0;
    if (make_room(l, b) && place_fields(l, b) && fill_vtable(l, b))
        return l;
    l->align = 0;
    return NULL;
}

static void store(uint8_t *to, uint64_t bits, uint32_t size)
{
    switch (size) {
    case 1: *to = (uint8_t)bits; break;
    case 2: tn_store_little(to, bits, 2); break;
    case 4: tn_store_little(to, bits, 4); break;
    default: tn_store_little(to, bits, 8);
    }
}

/* The table begins at b->size, and at `to`. */
static void fill_table(const struct tn_fb_builder *b, const struct layout *l,
                       uint8_t *to)
{
    const struct tn_fb_pending *fields = b->pending.items;

    for (uint32_t i = 0; i < l->count; i++) {
        const struct tn_fb_pending *f     = &fields[i];
        uint32_t                    place = l->places[i];
        switch ((enum tn_fb_pending_kind)(f->shape >> 48)) {
        case TN_FB_PENDING_REF:
            tn_store_little(to + place, b->size - place - f->bits, 4);
            break;
        case TN_FB_PENDING_STRUCT:
            memcpy(to + place, f->bytes, size_of(f));
            break;
        case TN_FB_PENDING_SCALAR:
            store(to + place, f->bits, size_of(f));
            break;
        }
    }
}

uint32_t tn_fb_end(struct tn_fb_builder *b)
{
    struct layout *l = find_layout(b);

    if (!l)
        return 0;
    uint8_t *to = NULL;
    if (b->is_ahead)
        skip_padded(b, l->size, 0, l->align, 4 % l->align);
    else
        to = take_padded(b, l->size, 0, l->align, 4 % l->align);
    if (tn_failed(b->error))
        return 0;
    if (to)
        fill_table(b, l, to);
    uint32_t table = (uint32_t)b->size;
    if (!l->vtable_at)
        l->vtable_at = put_vtable(b, l->vtable, 4 + 2 * l->slots);
    if (to)
        tn_store_little(to, (uint64_t)l->vtable_at - table, 4);
    b->pending.count = 0;
    return l->vtable_at ? table : 0;
}

/* ---- runs of tables --------------------------------------------------- */

/* A few tables, next to each other in the buffer. */
struct run {
    uint32_t first, count;
    uint64_t size, length; /* of the buffer before it, and its own            */
    bool     is_even;      /* it begins at a multiple of EVEN                 */
};

/* All runs of a vector. */
struct runs {
    struct tn_producer    producer; /* first */
    struct tn_memory     *memory;
    struct tn_fb_vtables *vtables;
    tn_fb_make           *make;
    void                 *context;
    const struct run     *items;
    uint64_t              count;
    const bool           *is_solo; /* see tn_fb_put_tables()                  */
};

/* Whether several threads may make tables of it. */
static bool is_shared(const struct runs *runs)
{
    return runs->is_solo && !*runs->is_solo;
}

static uint32_t slots_ahead(const struct tn_memory *memory)
{
    return (uint32_t)tn_min(2 * tn_pipeline_workers(memory->workers),
                            AHEAD_LIMIT);
}

/* Makes one part of a vector after the other, with the same memory. */
struct maker {
    struct tn_fb_builder b;
    struct tn_arena      scratch;
    uint8_t             *room; /* for a run; NULL: not yet                    */
    struct tn_error      error;
};

static void maker_init(struct maker *maker, struct tn_memory *memory)
{
    *maker = (struct maker){ .error = TN_ERROR_INIT };
    tn_arena_init(&maker->scratch, memory);
}

static void maker_done(struct maker *maker)
{
    tn_memory_free(maker->scratch.memory, maker->room, ROOM_SIZE);
    tn_arena_done(&maker->scratch);
}

/* If there is only one run, which may be short, memory is allocated as
 * needed. */
static void maker_begin(struct maker *maker, const struct runs *runs,
                        uint64_t size, bool is_only, struct tn_error *error)
{
    struct tn_fb_builder *b = &maker->b;

    tn_arena_rewind(&maker->scratch);
    if (!maker->room && !is_only)
        maker->room = tn_memory_resize(runs->memory, NULL, 0, ROOM_SIZE, error);
    *b = (struct tn_fb_builder){ .arena   = &maker->scratch,
                                 .error   = error,
                                 .vtables = runs->vtables,
                                 .size    = size,
                                 .align   = 4,
                                 .begin   = maker->room };
    if (maker->room)
        b->at = b->end = maker->room + ROOM_SIZE;
    tn_list_init(&b->pieces, runs->memory, sizeof(struct tn_piece));
    tn_list_init(&b->pending, runs->memory, sizeof(struct tn_fb_pending));
}

/* Zeros up to a multiple of EVEN; nothing has to be aligned like that. */
static void make_even(struct tn_fb_builder *b)
{
    uint64_t gap = (0 - b->size) & (EVEN - 1);
    uint8_t *to  = gap ? take_room(b, gap) : NULL;

    if (to)
        memset(to, 0, (size_t)gap);
}

static void hand_over(struct tn_fb_builder *b, struct tn_rope *rope)
{
    for (uint64_t i = b->pieces.count; i > 0; i--) {
        const struct tn_piece *p =
            tn_list_at(&b->pieces, struct tn_piece, i - 1);
        struct tn_span span;
        switch (p->kind) {
        case TN_PIECE_BYTES:
            tn_rope_borrow(rope, tn_bytes(p->at.bytes, (size_t)p->length));
            break;
        case TN_PIECE_SPAN:
            span        = p->at.span;
            span.length = p->length;
            tn_rope_span(rope, span);
            break;
        case TN_PIECE_PRODUCER: tn_rope_producer(rope, p->at.producer); break;
        }
    }
}

static void make_again(struct maker *maker, const struct runs *runs,
                       const struct run *run)
{
    maker_begin(maker, runs, run->size, runs->count == 1, &maker->error);
    maker->b.is_again = true;
    if (run->is_even)
        make_even(&maker->b);
    for (uint32_t i = 0; i < run->count && !tn_failed(&maker->error); i++)
        runs->make(&maker->b, runs->context, run->first + i);
}

/* Copies what was made to its place. */
static enum tn_status write_run(struct maker *maker, const struct run *run,
                                struct tn_sink *to)
{
    struct tn_fb_builder *b     = &maker->b;
    struct tn_error      *error = &maker->error;
    struct tn_rope        rope;

    tn_rope_init(&rope, b->arena, error);
    close_piece(b);
    hand_over(b, &rope);
    if (!tn_failed(error) && rope.length != run->length)
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "tables of %" PRIu64 " bytes, made again of %" PRIu64,
                     run->length, rope.length);
    if (!tn_failed(error))
        tn_rope_write(&rope, to, error);
    tn_rope_done(&rope);
    tn_fb_build_done(b);
    return error->status;
}

/* Runs that are made while others are written. */
struct ahead {
    const struct runs *runs;
    uint32_t           count; /* of slots                                     */
    struct maker       makers[AHEAD_LIMIT];
    uint64_t           which[AHEAD_LIMIT]; /* run of each slot                */
};

static void make_ahead(void *context, uint32_t slot)
{
    struct ahead *a = context;

    make_again(&a->makers[slot], a->runs, &a->runs->items[a->which[slot]]);
}

/* The last run comes first in the file. */
static enum tn_status write_ahead(struct ahead *a, struct tn_sink *to,
                                  struct tn_error *error)
{
    struct tn_pipeline p;
    uint64_t           left = a->runs->count;

    tn_pipeline_open(&p, a->runs->memory->workers, a->count, make_ahead, a);
    tn_pipeline_watches(&p, a->runs->memory);
    while ((left || tn_pipeline_count(&p)) && !tn_failed(error)) {
        for (; left && !tn_pipeline_is_full(&p); tn_pipeline_add(&p))
            a->which[tn_pipeline_next(&p)] = --left;
        uint32_t slot = tn_pipeline_take(&p);
        if (write_run(&a->makers[slot], &a->runs->items[a->which[slot]], to) !=
            TN_OK)
            *error = a->makers[slot].error;
    }
    while (tn_failed(error) && tn_pipeline_count(&p))
        tn_fb_build_done(&a->makers[tn_pipeline_take(&p)].b);
    tn_pipeline_close(&p);
    return error->status;
}

static enum tn_status write_on_threads(const struct runs *runs,
                                       struct tn_sink    *to,
                                       struct tn_error   *error)
{
    struct tn_arena arena;

    tn_arena_init(&arena, runs->memory);
    struct ahead *a = tn_new(&arena, struct ahead, 1, error);
    if (a) {
        a->runs  = runs;
        a->count = slots_ahead(runs->memory);
        for (uint32_t i = 0; i < a->count; i++)
            maker_init(&a->makers[i], runs->memory);
        write_ahead(a, to, error);
        for (uint32_t i = 0; i < a->count; i++)
            maker_done(&a->makers[i]);
    }
    tn_arena_done(&arena);
    return error->status;
}

static enum tn_status write_runs(const struct tn_producer *producer,
                                 struct tn_sink *to, struct tn_error *error)
{
    const struct runs *runs = (const struct runs *)producer;
    struct maker       maker;

    if (runs->is_solo && !*runs->is_solo && runs->count >= AHEAD_LIMIT)
        return write_on_threads(runs, to, error);
    maker_init(&maker, runs->memory);
    for (uint64_t i = runs->count; i > 0 && !tn_failed(error); i--) {
        make_again(&maker, runs, &runs->items[i - 1]);
        if (write_run(&maker, &runs->items[i - 1], to) != TN_OK)
            *error = maker.error;
    }
    maker_done(&maker);
    return error->status;
}

/* Makes as many tables as fill a run, and keeps their places but not their
 * bytes. */
static void make_run(struct tn_fb_builder *b, const struct runs *runs,
                     struct maker *maker, struct run *run, uint32_t most,
                     uint32_t *refs)
{
    struct tn_fb_builder *inner = &maker->b;

    maker_begin(maker, runs, run->size, run->first == 0, b->error);
    if (run->is_even)
        make_even(inner);
    while (run->count < most && inner->size - run->size < RUN_SIZE &&
           !tn_failed(b->error)) {
        refs[run->count] =
            runs->make(inner, runs->context, run->first + run->count);
        run->count++;
    }
    run->length = inner->size - run->size;
    b->size     = inner->size;
    b->align    = inner->align > b->align ? inner->align : b->align;
    tn_fb_build_done(inner);
}

/* Learning where tables are. */
struct learning {
    struct tn_fb_builder *b;
    struct runs          *runs;
    struct tn_list        items; /* struct run                                */
    uint32_t              count; /* of tables                                 */
    uint32_t             *refs;  /* of each                                   */
};

static struct run *new_run(struct learning *l, uint32_t first)
{
    struct run *run = tn_list_push(&l->items, struct run, l->b->error);

    if (run) {
        run->first = first;
        run->size  = l->b->size;
    }
    return run;
}

/* Makes one run after the other, up to `end` or up to `most` runs.  Returns
 * where it ended. */
static uint32_t learn_in_order(struct learning *l, struct maker *maker,
                               uint32_t at, uint32_t end, uint64_t most,
                               bool is_even)
{
    for (; at < end && most && !tn_failed(l->b->error); most--) {
        struct run *run = new_run(l, at);
        if (!run)
            break;
        run->is_even = is_even;
        is_even      = false;
        make_run(l->b, l->runs, maker, run, end - at, l->refs + at);
        at += run->count;
        l->runs->producer.length += run->length;
    }
    return at;
}

/* Measures stretches of that many tables while earlier ones are still being
 * made. */
struct learning_ahead {
    struct learning *l;
    uint64_t         size; /* at which stretches begin, as if they did        */
    uint32_t         slots;
    struct stretch {
        struct maker maker;
        uint32_t     first, count;
        uint64_t     length;
        bool         is_turn; /* all before it are made                       */
        bool         is_made; /* and so it would be in its turn               */
    } stretches[AHEAD_LIMIT];
};

/* Errors are reported when the run is made in its turn. */
static void measure(const struct learning_ahead *a, struct stretch *s)
{
    const struct runs    *runs  = a->l->runs;
    struct tn_fb_builder *b     = &s->maker.b;
    struct tn_error       error = TN_ERROR_INIT;
    uint32_t              i     = 0;

    maker_begin(&s->maker, runs, a->size, false, &error);
    b->is_ahead = true;
    for (; i < s->count && !b->is_lost && !tn_failed(&error) &&
           b->size - a->size < LONGEST;
         i++)
        a->l->refs[s->first + i] =
            runs->make(b, runs->context, s->first + i) - (uint32_t)a->size;
    s->length = b->size - a->size;
    s->is_made =
        i == s->count && !b->is_lost && !tn_failed(&error) && b->align <= EVEN;
    tn_fb_build_done(b);
}

static void learn_stretch(void *context, uint32_t slot)
{
    struct learning_ahead *a = context;
    struct stretch        *s = &a->stretches[slot];

    if (s->is_turn)
        learn_in_order(a->l, &s->maker, s->first, s->first + s->count,
                       UINT64_MAX, true);
    else
        measure(a, s);
}

/* In its turn: moves the measured places to where the stretch really begins. */
static void take_measured(struct learning *l, const struct stretch *s)
{
    struct tn_fb_builder *b   = l->b;
    uint64_t              gap = (0 - b->size) & (EVEN - 1);
    struct run           *run =
        has_space(b, gap + s->length) ? new_run(l, s->first) : NULL;

    if (!run)
        return;
    run->count   = s->count;
    run->length  = gap + s->length;
    run->is_even = true;
    for (uint32_t i = 0; i < s->count; i++)
        l->refs[s->first + i] += (uint32_t)(b->size + gap);
    b->size += run->length;
    b->align = s->maker.b.align > b->align ? s->maker.b.align : b->align;
    l->runs->producer.length += run->length;
}

static void learn_stretches(struct learning_ahead *a, uint32_t at,
                            uint32_t each)
{
    struct learning   *l = a->l;
    struct tn_pipeline p;

    tn_pipeline_open(&p, l->runs->memory->workers, a->slots, learn_stretch, a);
    tn_pipeline_watches(&p, l->runs->memory);
    while ((at < l->count || tn_pipeline_count(&p)) &&
           !tn_failed(l->b->error)) {
        for (; at < l->count && !tn_pipeline_is_full(&p); tn_pipeline_add(&p)) {
            struct stretch *next = &a->stretches[tn_pipeline_next(&p)];
            next->first          = at;
            next->is_turn        = false;
            next->count          = (uint32_t)tn_min(each, l->count - at);
            at += next->count;
        }
        uint32_t slot = tn_pipeline_take(&p);
        if (a->stretches[slot].is_made) {
            take_measured(l, &a->stretches[slot]);
            continue;
        }
        a->stretches[slot].is_turn = true;
        tn_pipeline_again(&p, slot);
    }
    tn_pipeline_close(&p);
}

static void learn_on_threads(struct learning *l, uint32_t at, uint32_t each)
{
    struct tn_arena arena;

    tn_arena_init(&arena, l->runs->memory);
    struct learning_ahead *a =
        tn_new(&arena, struct learning_ahead, 1, l->b->error);
    if (a) {
        a->l     = l;
        a->size  = l->b->size + ((0 - l->b->size) & (EVEN - 1));
        a->slots = slots_ahead(l->runs->memory);
        for (uint32_t i = 0; i < a->slots; i++)
            maker_init(&a->stretches[i].maker, l->runs->memory);
        learn_stretches(a, at, each);
        for (uint32_t i = 0; i < a->slots; i++)
            maker_done(&a->stretches[i].maker);
    }
    tn_arena_done(&arena);
}

/* The first run determines how many tables are a stretch. */
static void make_runs(struct tn_fb_builder *b, struct runs *runs,
                      uint32_t count, uint32_t *refs)
{
    struct learning l = { .b = b, .runs = runs, .count = count, .refs = refs };
    struct maker    maker;

    maker_init(&maker, runs->memory);
    tn_list_init(&l.items, runs->memory, sizeof(struct run));
    uint32_t at = learn_in_order(&l, &maker, 0, count, 1, false);
    if (is_shared(runs) && at && (count - at) / at >= AHEAD_LIMIT &&
        !tn_failed(b->error))
        learn_on_threads(&l, at, at);
    else
        learn_in_order(&l, &maker, at, count, UINT64_MAX, false);
    runs->items = tn_list_keep(&l.items, struct run, b->arena, b->error);
    runs->count = l.items.count;
    tn_list_done(&l.items);
    maker_done(&maker);
}

static void put_runs(struct tn_fb_builder *b, const struct runs *like,
                     uint32_t count, uint32_t *refs)
{
    struct runs *runs = tn_new(b->arena, struct runs, 1, b->error);

    if (!runs)
        return;
    *runs = *like;
    close_piece(b);
    make_runs(b, runs, count, refs);
    struct tn_piece piece = { .kind        = TN_PIECE_PRODUCER,
                              .length      = runs->producer.length,
                              .at.producer = &runs->producer };
    if (!tn_failed(b->error))
        add_piece(b, &piece);
}

/* A vector of references that becomes what is written of it: they are as many
 * as the tables. */
static uint32_t put_own_refs(struct tn_fb_builder *b, uint32_t *refs,
                             uint32_t count)
{
    uint8_t        *bytes = (uint8_t *)refs;
    uint64_t        size  = 4 * (uint64_t)count;
    struct tn_piece piece = { .kind     = TN_PIECE_BYTES,
                              .length   = size,
                              .at.bytes = bytes };
    uint32_t        place = put_pieces(b, &piece, 1, size, 4, 4);

    for (uint32_t i = 0; place && i < count; i++)
        tn_store_little(bytes + 4 * (size_t)i,
                        place - 4 - 4 * (uint64_t)i - refs[i], 4);
    return place;
}

uint32_t tn_fb_put_tables(struct tn_fb_builder *b, uint32_t count,
                          tn_fb_make *make, void *context, const bool *is_solo)
{
    struct runs like = { .producer = { .produce = write_runs },
                         .memory   = b->arena->memory,
                         .vtables  = b->vtables,
                         .make     = make,
                         .context  = context,
                         .is_solo  = is_solo };

    if (!count || tn_failed(b->error))
        return tn_fb_put_refs(b, NULL, 0);
    uint32_t *refs = tn_new(b->arena, uint32_t, count, b->error);
    if (refs)
        put_runs(b, &like, count, refs);
    return put_own_refs(b, refs, count);
}

/* ---- the whole -------------------------------------------------------- */

enum tn_status tn_fb_finish(struct tn_fb_builder *b, uint32_t root,
                            const char *identifier, struct tn_rope *rope)
{
    uint32_t head = identifier ? 8 : 4;

    if (!tn_failed(b->error) && root == 0)
        tn_error_set(b->error, TN_INVALID, TN_NOWHERE, "a buffer of no root");
    if (!pad(b, head, b->align, 0))
        return b->error->status;
    uint8_t *to = take_room(b, head);
    if (!to)
        return b->error->status;
    tn_store_little(to, b->size - root, 4);
    if (identifier)
        memcpy(to + 4, identifier, 4);
    close_piece(b);
    if (!tn_failed(b->error))
        hand_over(b, rope);
    return tn_failed(b->error) ? b->error->status : rope->error->status;
}
