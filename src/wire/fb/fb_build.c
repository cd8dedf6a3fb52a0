/*
 * fb_build.c - building a FlatBuffer, weights by reference
 *
 * A place is counted from the end of the buffer, which does not move while it
 * grows at its beginning: the place of an object is the size when its first
 * byte was written.  Padding is put behind an object so that its place comes
 * out even; the whole is padded to the largest alignment at last, and then the
 * places are even from the beginning as well.
 *
 * Since a place depends on nothing that comes later, a run of tables is made
 * again, byte by byte the same, from the size that the buffer had before it.
 * What is shared between runs is vtables: one whose place is past the size was
 * written in this run or in a later one.
 */
#include "wire/fb/fb_build.h"

#include "base/arith.h"
#include "base/little.h"
#include "base/mix.h"
#include "wire/fb/fb.h"

#define FIRST_BLOCK UINT64_C(4096)
#define LAST_BLOCK  (UINT64_C(1) << 20)
#define RUN_SIZE    (UINT64_C(256) << 10)
#define ALIGN_LIMIT 4096u
#define TABLE_LIMIT 65535u

struct pending {
    uint16_t       slot;
    uint16_t       place; /* in the table, once it is laid out */
    uint32_t       size;
    uint32_t       align;
    uint32_t       ref;   /* what it refers to, or 0           */
    uint64_t       bits;  /* of a scalar                       */
    const uint8_t *bytes; /* of a struct, else NULL            */
};

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
    tn_list_init(&b->pending, arena->memory, sizeof(struct pending));
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

/* What was written since the last piece becomes one. */
static void close_piece(struct tn_fb_builder *b)
{
    struct tn_piece piece = { .kind     = TN_PIECE_BYTES,
                              .length   = (uint64_t)(b->end - b->at),
                              .at.bytes = b->at };

    if (piece.length > 0)
        add_piece(b, &piece);
    b->end = b->at;
}

/* The next `size` bytes towards the beginning, zeroed; NULL after a failure. */
static uint8_t *take_room(struct tn_fb_builder *b, uint64_t size)
{
    if (!has_space(b, size))
        return NULL;
    if (size > (uint64_t)(b->at - b->begin)) {
        b->block      = tn_min(tn_max(2 * b->block, FIRST_BLOCK), LAST_BLOCK);
        uint64_t room = tn_max(size, b->block);
        close_piece(b);
        b->begin = tn_arena_alloc(b->arena, room, 1, b->error);
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
    return gap ? take_room(b, gap) != NULL : !tn_failed(b->error);
}

/* ---- strings and vectors ---------------------------------------------- */

uint32_t tn_fb_put_string(struct tn_fb_builder *b, struct tn_bytes text)
{
    if (!has_space(b, text.size) || !pad(b, (uint64_t)text.size + 1, 4, 0))
        return 0;
    uint8_t *to = take_room(b, (uint64_t)text.size + 5);
    if (!to)
        return 0;
    tn_store_little(to, text.size, 4);
    if (text.size)
        memcpy(to + 4, text.data, text.size);
    return (uint32_t)b->size;
}

/* Room for elements with their count in front; NULL after a failure. */
static uint8_t *put_elements(struct tn_fb_builder *b, uint64_t count,
                             uint32_t element, uint32_t align)
{
    uint64_t size;

    if (!tn_mul(count, element, &size) || !has_space(b, size) ||
        !pad(b, size, align < 4 ? 4 : align, 0))
        return NULL;
    uint8_t *to = take_room(b, size + 4);
    if (!to)
        return NULL;
    tn_store_little(to, count, 4);
    return to + 4;
}

uint32_t tn_fb_put_refs(struct tn_fb_builder *b, const uint32_t *refs,
                        uint32_t count)
{
    uint8_t *to = put_elements(b, count, 4, 4);

    if (!to)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i] == 0) {
            tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                         "a vector of references with nothing in it");
            return 0;
        }
        tn_store_little(to + 4 * (size_t)i,
                        b->size - 4 - 4 * (uint64_t)i - refs[i], 4);
    }
    return (uint32_t)b->size;
}

uint32_t tn_fb_put_i32s(struct tn_fb_builder *b, const int32_t *values,
                        uint32_t count)
{
    uint8_t *to = put_elements(b, count, 4, 4);

    for (uint32_t i = 0; to && i < count; i++)
        tn_store_little(to + 4 * (size_t)i, (uint32_t)values[i], 4);
    return to ? (uint32_t)b->size : 0;
}

uint32_t tn_fb_put_i64s(struct tn_fb_builder *b, const int64_t *values,
                        uint32_t count)
{
    uint8_t *to = put_elements(b, count, 8, 8);

    for (uint32_t i = 0; to && i < count; i++)
        tn_store_little(to + 8 * (size_t)i, (uint64_t)values[i], 8);
    return to ? (uint32_t)b->size : 0;
}

uint32_t tn_fb_put_f64s(struct tn_fb_builder *b, const double *values,
                        uint32_t count)
{
    uint8_t *to = put_elements(b, count, 8, 8);

    for (uint32_t i = 0; to && i < count; i++)
        tn_store_little(to + 8 * (size_t)i, tn_double_bits(values[i]), 8);
    return to ? (uint32_t)b->size : 0;
}

/* Whole elements, and an alignment that can be had. */
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

static void add_field(struct tn_fb_builder *b, const struct pending *field)
{
    struct pending *new;

    if (tn_failed(b->error))
        return;
    new = tn_list_push(&b->pending, struct pending, b->error);
    if (new)
        *new = *field;
}

void tn_fb_add(struct tn_fb_builder *b, uint16_t slot, uint64_t bits,
               uint32_t size)
{
    struct pending field = { slot, 0, size, size, 0, bits, NULL };

    add_field(b, &field);
}

void tn_fb_add_ref(struct tn_fb_builder *b, uint16_t slot, uint32_t ref)
{
    struct pending field = { slot, 0, 4, 4, ref, 0, NULL };

    if (ref)
        add_field(b, &field);
}

void tn_fb_add_struct(struct tn_fb_builder *b, uint16_t slot,
                      struct tn_bytes bytes, uint32_t align)
{
    struct pending field = { slot, 0,         (uint32_t)bytes.size, align, 0,
                             0,    bytes.data };

    if (bytes.size > TABLE_LIMIT)
        tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                     "a struct of %zu bytes in a table", bytes.size);
    else if (is_sound(b, bytes.size, align, align))
        add_field(b, &field);
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

/* Where the vtable is: an equal one, or this one, written now. */
static uint32_t put_vtable(struct tn_fb_builder *b, const uint8_t *bytes,
                           uint32_t size)
{
    struct vtable want = { bytes, size, 0, hash_vtable(bytes, size) };

    if (b->vtables->count >= b->vtables->room / 2 && !grow_vtables(b))
        return 0;
    struct vtable *place = find_vtable(b->vtables, &want);
    if (place->size && place->at <= b->size)
        return place->at;
    uint8_t *to = take_room(b, size);
    if (!to)
        return 0;
    memcpy(to, bytes, size);
    want.at = (uint32_t)b->size;
    if (place->size) /* made again */
        return want.at;
    want.bytes =
        tn_bytes_dup(b->vtables->arena, tn_bytes(bytes, size), b->error).data;
    if (!want.bytes)
        return 0;
    *place = want;
    b->vtables->count++;
    return want.at;
}

/* ---- tables ----------------------------------------------------------- */

/* Behind the four bytes that lead to the vtable, the largest alignment first:
 * no gaps.  Gives the size of the table, 0 after a failure. */
static uint32_t lay_out(struct tn_fb_builder *b, uint32_t *align,
                        uint32_t *slots)
{
    uint64_t        size   = 4;
    struct pending *fields = b->pending.items;

    *align = 4;
    *slots = 0;
    for (uint64_t i = 0; i < b->pending.count; i++) {
        *align = fields[i].align > *align ? fields[i].align : *align;
        *slots = fields[i].slot >= *slots ? fields[i].slot + 1u : *slots;
    }
    for (uint32_t step = *align; step > 0; step /= 2)
        for (uint64_t i = 0; i < b->pending.count; i++) {
            if (fields[i].align != step)
                continue;
            fields[i].place = (uint16_t)size;
            size += fields[i].size;
            if (size > TABLE_LIMIT)
                break;
        }
    if (size <= TABLE_LIMIT && 4 + 2 * *slots <= TABLE_LIMIT)
        return (uint32_t)size;
    tn_error_set(b->error, TN_LIMIT, TN_NOWHERE,
                 "a table of more than 65535 bytes or 32765 slots");
    return 0;
}

/* The table begins at b->size, and at `to`. */
static void fill_table(struct tn_fb_builder *b, uint8_t *to)
{
    for (uint64_t i = 0; i < b->pending.count; i++) {
        const struct pending *f = tn_list_at(&b->pending, struct pending, i);
        if (f->bytes)
            memcpy(to + f->place, f->bytes, f->size);
        else if (f->ref)
            tn_store_little(to + f->place, b->size - f->place - f->ref, 4);
        else
            tn_store_little(to + f->place, f->bits, f->size);
    }
}

static bool fill_vtable(struct tn_fb_builder *b, uint8_t *vtable,
                        uint32_t vtable_size, uint32_t table_size)
{
    tn_store_little(vtable, vtable_size, 2);
    tn_store_little(vtable + 2, table_size, 2);
    for (uint64_t i = 0; i < b->pending.count; i++) {
        const struct pending *f = tn_list_at(&b->pending, struct pending, i);
        uint8_t              *entry = vtable + 4 + 2 * (size_t)f->slot;
        if (tn_load16(entry)) {
            tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                         "slot %" PRIu16 " was added twice", f->slot);
            return false;
        }
        tn_store_little(entry, f->place, 2);
    }
    return true;
}

uint32_t tn_fb_end(struct tn_fb_builder *b)
{
    uint32_t align, slots, size, table;
    uint8_t  small[256], *vtable = small;

    if (tn_failed(b->error) || !(size = lay_out(b, &align, &slots)) ||
        !pad(b, size, align, 4 % align))
        return 0;
    uint8_t *to = take_room(b, size);
    if (!to)
        return 0;
    fill_table(b, to);
    table = (uint32_t)b->size;
    if (4 + 2 * slots > sizeof small)
        vtable = tn_arena_alloc(b->arena, 4 + 2 * slots, 2, b->error);
    if (!vtable)
        return 0;
    memset(vtable, 0, 4 + 2 * (size_t)slots);
    if (!fill_vtable(b, vtable, 4 + 2 * slots, size))
        return 0;
    uint32_t at = put_vtable(b, vtable, 4 + 2 * slots);
    tn_store_little(to, (uint64_t)at - table, 4);
    b->pending.count = 0;
    return at ? table : 0;
}

/* ---- runs of tables --------------------------------------------------- */

struct run {
    struct tn_producer    producer; /* first */
    struct tn_memory     *memory;
    struct tn_fb_vtables *vtables;
    tn_fb_make           *make;
    void                 *context;
    uint32_t              first, count;
    uint64_t              size; /* of the buffer before it */
};

static void run_begin(const struct run *run, struct tn_fb_builder *inner,
                      struct tn_arena *scratch, struct tn_error *error)
{
    *inner = (struct tn_fb_builder){ .arena   = scratch,
                                     .error   = error,
                                     .vtables = run->vtables,
                                     .size    = run->size,
                                     .align   = 4 };
    tn_list_init(&inner->pieces, run->memory, sizeof(struct tn_piece));
    tn_list_init(&inner->pending, run->memory, sizeof(struct pending));
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

static void write_run(struct tn_fb_builder *b, uint64_t length,
                      struct tn_sink *to)
{
    struct tn_rope rope;

    tn_rope_init(&rope, b->arena, b->error);
    close_piece(b);
    hand_over(b, &rope);
    if (!tn_failed(b->error) && rope.length != length)
        tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                     "tables of %" PRIu64 " bytes, made again of %" PRIu64,
                     length, rope.length);
    if (!tn_failed(b->error))
        tn_rope_write(&rope, to, b->error);
    tn_rope_done(&rope);
}

static enum tn_status make_again(const struct tn_producer *producer,
                                 struct tn_sink *to, struct tn_error *error)
{
    const struct run    *run = (const struct run *)producer;
    struct tn_arena      scratch;
    struct tn_fb_builder b;

    tn_arena_init(&scratch, run->memory);
    run_begin(run, &b, &scratch, error);
    b.is_again = true;
    for (uint32_t i = 0; i < run->count && !tn_failed(error); i++)
        run->make(&b, run->context, run->first + i);
    if (!tn_failed(error))
        write_run(&b, producer->length, to);
    tn_fb_build_done(&b);
    tn_arena_done(&scratch);
    return error->status;
}

/* Makes as many as fill a run, and keeps where they are, not what they are. */
static void make_run(struct tn_fb_builder *b, struct run *run, uint32_t most,
                     uint32_t *refs, struct tn_arena *scratch)
{
    struct tn_fb_builder inner;

    tn_arena_rewind(scratch);
    run_begin(run, &inner, scratch, b->error);
    while (run->count < most && inner.size - run->size < RUN_SIZE &&
           !tn_failed(b->error)) {
        refs[run->count] =
            run->make(&inner, run->context, run->first + run->count);
        run->count++;
    }
    run->producer.produce = make_again;
    run->producer.length  = inner.size - run->size;
    struct tn_piece piece = { .kind        = TN_PIECE_PRODUCER,
                              .length      = run->producer.length,
                              .at.producer = &run->producer };
    if (!tn_failed(b->error))
        add_piece(b, &piece);
    b->size  = inner.size;
    b->align = inner.align > b->align ? inner.align : b->align;
    tn_fb_build_done(&inner);
}

static void make_runs(struct tn_fb_builder *b, uint32_t count, tn_fb_make *make,
                      void *context, uint32_t *refs)
{
    struct tn_arena scratch;

    tn_arena_init(&scratch, b->arena->memory);
    close_piece(b);
    for (uint32_t at = 0; at < count && !tn_failed(b->error);) {
        struct run *run = tn_new(b->arena, struct run, 1, b->error);
        if (!run)
            break;
        *run = (struct run){ .memory  = b->arena->memory,
                             .vtables = b->vtables,
                             .make    = make,
                             .context = context,
                             .first   = at,
                             .size    = b->size };
        make_run(b, run, count - at, refs + at, &scratch);
        at += run->count;
    }
    tn_arena_done(&scratch);
}

uint32_t tn_fb_put_tables(struct tn_fb_builder *b, uint32_t count,
                          tn_fb_make *make, void *context)
{
    struct tn_list refs;
    uint32_t       ref = 0;

    if (tn_failed(b->error))
        return 0;
    tn_list_init(&refs, b->arena->memory, sizeof(uint32_t));
    if (!count || tn_list_grow(&refs, count, b->error)) {
        make_runs(b, count, make, context, refs.items);
        ref = tn_fb_put_refs(b, refs.items, count);
    }
    tn_list_done(&refs);
    return ref;
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
