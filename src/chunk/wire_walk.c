/* wire_walk.c - the fields of wire of any length, in little memory */
#include "chunk/wire_walk.h"

#include "base/arith.h"

/* At least this much is kept before it is freed. */
#define KEPT_SIZE ((uint64_t)1 << 20)

static struct tn_wire_walk *walk_of(struct tn_source *window)
{
    return (struct tn_wire_walk *)(void *)window; /* its first member */
}

static enum tn_status window_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    return tn_source_read(walk_of(source)->wire.source, offset, to, size,
                          error);
}

static void window_close(struct tn_source *source)
{
    (void)source;
}

static const uint8_t *window_look(struct tn_source *source, uint64_t offset,
                                  uint64_t *got)
{
    return tn_source_look(walk_of(source)->wire.source, offset, got);
}

static const struct tn_source_ops window_ops = { window_read_at, window_close };

/* Begins at the cursor's place with nothing kept. */
static void open_window(struct tn_wire_walk *walk, uint64_t offset,
                        struct tn_error *error)
{
    struct tn_source *from = walk->wire.source;
    struct tn_span    rest = walk->wire;

    walk->window = (struct tn_source){ .ops    = &window_ops,
                                       .size   = from->size,
                                       .map    = from->map,
                                       .name   = from->name,
                                       .memory = from->memory,
                                       .look   = window_look };
    tn_arena_init(&walk->window.pins, from->memory);
    rest.source = &walk->window;
    rest.length -= offset - rest.offset;
    rest.offset  = offset;
    walk->begin  = offset;
    walk->cursor = tn_cursor_span(rest, error);
}

void tn_wire_walk_init(struct tn_wire_walk *walk, struct tn_span wire,
                       struct tn_error *error)
{
    walk->wire = wire;
    if (wire.source)
        open_window(walk, wire.offset, error);
    else
        walk->cursor = tn_cursor_bytes(tn_bytes(NULL, 0), 0, error);
}

void tn_wire_walk_done(struct tn_wire_walk *walk)
{
    if (walk->wire.source)
        tn_source_close(&walk->window);
}

/* The processor cannot predict where heads of fields are, because each head
 * tells where the next one is: a walk over memory would wait for every one of
 * them.  So the memory as far ahead as the last step is prefetched. */
#define AHEAD     2048
#define LINE      64
#define MOST_STEP 1024

__attribute__((always_inline)) /* gcc removes calls that only prefetch */
static inline void
fetch_ahead(const uint8_t *at, const uint8_t *end, uint64_t step)
{
    if (step > MOST_STEP || end - at < AHEAD)
        return;
    for (uint64_t i = 0; i < step; i += LINE)
        __builtin_prefetch(at + (AHEAD - MOST_STEP) + i);
}

static void forget(struct tn_wire_walk *walk)
{
    struct tn_cursor *c = &walk->cursor;

    if (walk->wire.source && !walk->window.map && !tn_failed(c->error) &&
        c->offset - walk->begin > KEPT_SIZE) {
        uint64_t at = c->offset;
        tn_source_close(&walk->window);
        open_window(walk, at, c->error);
    }
}

/* The length of a field with a tag of one byte, if the length takes at most
 * three bytes.  *head is the size of tag and length together; 0 if the length
 * takes more. */
static inline uint32_t short_length(const uint8_t *at, uint32_t *head)
{
    uint32_t length = at[1] & 0x7fu;

    *head = 2;
    if (at[1] < 0x80)
        return length;
    length |= (at[2] & 0x7fu) << 7;
    *head = 3;
    if (at[2] < 0x80)
        return length;
    *head = at[3] < 0x80 ? 4 : 0;
    return length | (uint32_t)at[3] << 14;
}

#define LONGEST_HEAD 4

/* How long the field at `at` is, whose tag is one byte; 0: longer than this way
 * knows, or than the wire. */
static inline uint64_t row_size(const uint8_t *at, const uint8_t *end,
                                uint32_t *head)
{
    if (end - at < LONGEST_HEAD)
        return 0;
    uint64_t whole = short_length(at, head);
    whole += *head;
    return *head == 0 || whole > (uint64_t)(end - at) ? 0 : whole;
}

static bool is_row_tag(uint8_t tag)
{
    return tag < 0x80 && tag >= 8 && (tag & 7) == TN_WIRE_LEN;
}

/* Whether the cursor stands at a field whose neighbours may be like it. */
static bool is_at_row(const struct tn_cursor *c)
{
    return !tn_failed(c->error) && c->at != c->end && is_row_tag(*c->at);
}

uint64_t tn_wire_walk_rows(struct tn_wire_walk *walk, uint32_t *number,
                           struct tn_wire_row *rows, uint64_t most)
{
    struct tn_cursor *c     = &walk->cursor;
    uint64_t          count = 0, whole;
    uint32_t          head;

    forget(walk);
    if (!is_at_row(c))
        return 0;
    const uint8_t *at  = c->at;
    uint8_t        tag = *at;
    while (count < most && at < c->end && *at == tag &&
           (whole = row_size(at, c->end, &head))) {
        rows[count++] =
            (struct tn_wire_row){ c->offset + (uint64_t)(at - c->at), whole,
                                  head };
        at += whole;
        fetch_ahead(at, c->end, whole);
    }
    c->offset += (uint64_t)(at - c->at);
    c->at   = at;
    *number = tag >> 3;
    return count;
}

struct tn_row_sum tn_wire_sum(const uint8_t *at, const uint8_t *stop,
                              const uint8_t *end, uint64_t most)
{
    struct tn_row_sum sum   = { 0 };
    const uint8_t    *begin = at;
    uint8_t           tag   = *at;
    uint64_t          whole;
    uint32_t          head;

    while (sum.count < most && at < stop && *at == tag &&
           (whole = row_size(at, end, &head))) {
        at += whole;
        fetch_ahead(at, end, whole);
        sum.count++;
        sum.bodies += whole - head;
        sum.largest = tn_max(sum.largest, whole - head);
    }
    sum.size = (uint64_t)(at - begin);
    return sum;
}

static inline void step(struct tn_wire_strip *strip, uint8_t tag,
                        const uint8_t *end)
{
    uint64_t whole;
    uint32_t head;

    if (strip->at >= strip->stop || *strip->at != tag ||
        !(whole = row_size(strip->at, end, &head)))
        return;
    strip->at += whole;
    __builtin_prefetch(strip->at);
    strip->sum.count++;
    strip->sum.size += whole;
    strip->sum.bodies += whole - head;
    strip->sum.largest = tn_max(strip->sum.largest, whole - head);
}

void tn_wire_sum_strips(struct tn_wire_strip *strips, unsigned count,
                        uint8_t tag, const uint8_t *end, uint64_t most)
{
    for (unsigned i = 0; i < count; i++)
        strips[i].sum = (struct tn_row_sum){ 0 };
    for (uint64_t turn = 0; turn < most; turn++)
        for (unsigned i = 0; i < count; i++)
            step(&strips[i], tag, end);
}

struct tn_row_sum tn_wire_walk_sum(struct tn_wire_walk *walk, uint32_t *number,
                                   uint64_t most)
{
    struct tn_cursor *c   = &walk->cursor;
    struct tn_row_sum sum = { 0 };

    forget(walk);
    if (!is_at_row(c))
        return sum;
    *number = *c->at >> 3;
    sum     = tn_wire_sum(c->at, c->end, c->end, most);
    c->at += sum.size;
    c->offset += sum.size;
    return sum;
}

bool tn_wire_walk_next(struct tn_wire_walk *walk, struct tn_pb_field *field,
                       struct tn_span *whole)
{
    struct tn_cursor *c = &walk->cursor;

    forget(walk);
    if (!tn_pb_next(c, field))
        return false;
    *whole        = tn_pb_field_span(c, field);
    whole->source = walk->wire.source;
    fetch_ahead(c->at, c->end, whole->length);
    return true;
}
