/*
 * riegeli_transpose.c - writing transposed chunks
 *
 * The map of the bytes is in riegeli_transposed.c.  A record that reads as a
 * message is taken apart into events, one per field; a length-delimited field
 * that reads as a message is taken apart too.  An event is of a node: a field
 * of a certain message, known by the tags that lead there.  Nothing needs a
 * schema, and any bytes come back as they were: what does not read as a message
 * in its shortest form is kept whole.
 *
 * The reader builds the last byte first, so it meets the events in reverse.
 * States are the kinds of events.  One that has a single successor is implicit:
 * it costs no transition.  Another gets a table of implicit no-ops, one per
 * successor, the most frequent first: a step is then one byte, and a run of
 * four most frequent ones is one byte too.
 */
#include "wire/riegeli/riegeli_transposed.h"

#include "base/arith.h"
#include "base/cursor.h"
#include "base/sort.h"
#include "base/varint.h"

#define MOST_DEPTH   100
#define MOST_INLINE  3
#define FIRST_INLINE 10
#define TABLE_SIZE   64u /* as far as a transition reaches */
#define TABLE_DIRECT 32u
#define TABLE_HUBS   (TABLE_SIZE - TABLE_DIRECT)
#define NO_BUFFER    UINT32_MAX

/* Kinds of events besides the subtypes of varints. */
enum {
    KIND_PLAIN = 200, /* fixed, string, group tag                             */
    KIND_START,       /* of a submessage                                      */
    KIND_END,
    KIND_MESSAGE,
    KIND_NON_PROTO,
};

struct event {
    const uint8_t *at; /* what goes into the buffer                           */
    uint32_t       size;
    uint32_t       node;
    uint32_t       kind;
};

struct node {
    uint32_t tag;
    uint32_t buffer; /* NO_BUFFER: none yet                                   */
};

struct state {
    uint32_t tag;
    uint32_t next;   /* a state; see is_implicit                              */
    uint32_t buffer; /* NO_BUFFER: reads none                                 */
    uint32_t edge_count, first_edge;
    uint8_t  subtype;
    bool     is_implicit;
};

/* From one state to the one the reader meets after it. */
struct edge {
    uint32_t from, to;
    uint32_t id;   /* as in the map                                           */
    uint32_t rank; /* in the table of `from`                                  */
    uint64_t count;
};

/* ---- small numbers for pairs of numbers --------------------------------- */

struct pairing {
    struct tn_list slots; /* struct slot, a power of two of them              */
    uint32_t       count;
};

struct slot {
    uint64_t key;
    uint32_t number; /* plus one; 0: free                                     */
};

struct transposer {
    struct tn_memory *memory;
    struct tn_error  *error;
    struct tn_list    events, nodes, states, edges, path;
    struct pairing    node_of, state_of, edge_of;
    struct tn_buffer  pool, header, moves;
    struct tn_list    buffer_sizes; /* uint64_t                               */
};

static struct slot *find_slot(struct pairing *pairing, uint64_t key)
{
    uint64_t mask = pairing->slots.count - 1;
    uint64_t at   = key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & mask;

    for (;; at = (at + 1) & mask) {
        struct slot *slot = tn_list_at(&pairing->slots, struct slot, at);
        if (slot->number == 0 || slot->key == key)
            return slot;
    }
}

static bool grow_pairing(struct pairing *pairing, struct tn_error *error)
{
    struct pairing larger = { .count = pairing->count };
    uint64_t       room   = tn_max(64, pairing->slots.count * 2);

    tn_list_init(&larger.slots, pairing->slots.memory, sizeof(struct slot));
    if (!tn_list_grow(&larger.slots, room, error))
        return false;
    for (uint64_t i = 0; i < pairing->slots.count; i++) {
        struct slot *old = tn_list_at(&pairing->slots, struct slot, i);
        if (old->number)
            *find_slot(&larger, old->key) = *old;
    }
    tn_list_done(&pairing->slots);
    *pairing = larger;
    return true;
}

/* The number of a pair; *is_new when it is the next unused one. */
static uint32_t number_of(struct pairing *pairing, uint32_t a, uint32_t b,
                          bool *is_new, struct tn_error *error)
{
    uint64_t key = (uint64_t)a << 32 | b;

    *is_new = false;
    if (pairing->count >= pairing->slots.count / 2 &&
        !grow_pairing(pairing, error))
        return 0;
    struct slot *slot = find_slot(pairing, key);
    if (!slot->number) {
        *slot   = (struct slot){ key, ++pairing->count };
        *is_new = true;
    }
    return slot->number - 1;
}

/* ---- records to events -------------------------------------------------- */

static uint32_t node_of(struct transposer *t, uint32_t parent, uint32_t tag)
{
    bool     is_new;
    uint32_t number = number_of(&t->node_of, parent, tag, &is_new, t->error);

    if (is_new) {
        struct node *node = tn_list_push(&t->nodes, struct node, t->error);
        if (node)
            *node = (struct node){ tag, NO_BUFFER };
    }
    return number;
}

static void add_event(struct transposer *t, uint32_t node, uint32_t kind,
                      const uint8_t *at, uint64_t size)
{
    struct event *event = tn_list_push(&t->events, struct event, t->error);

    if (event)
        *event = (struct event){ at, (uint32_t)size, node, kind };
}

/* A number of at most `most` bytes; its bytes, 0: none is there. */
static unsigned take_number(const uint8_t *at, const uint8_t *end,
                            unsigned most, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < most && at + i < end; i++) {
        *value |= (uint64_t)(at[i] & 0x7f) << 7 * i;
        if (at[i] < 0x80)
            return i + 1;
    }
    return 0;
}

static bool take_message(struct transposer *t, struct tn_bytes bytes,
                         uint32_t node, unsigned depth);

/* A length-delimited field from its length on; its bytes, 0: it is none. */
static uint64_t take_delimited(struct transposer *t, const uint8_t *at,
                               const uint8_t *end, uint32_t node,
                               unsigned depth)
{
    uint64_t length, mark = t->events.count;
    unsigned prefix = take_number(at, end, 5, &length);

    if (!prefix || length > UINT32_MAX ||
        length > (uint64_t)(end - at) - prefix)
        return 0;
    if (length && depth < MOST_DEPTH && prefix == tn_varint_size(length)) {
        add_event(t, node, KIND_START, NULL, 0);
        if (take_message(t, tn_bytes(at + prefix, (size_t)length), node,
                         depth + 1)) {
            add_event(t, node, KIND_END, NULL, 0);
            return prefix + length;
        }
        t->events.count = mark; /* it is a string */
    }
    if (prefix + length > UINT32_MAX)
        return 0;
    add_event(t, node, KIND_PLAIN, at, prefix + length);
    return prefix + length;
}

static uint64_t take_varint(struct transposer *t, const uint8_t *at,
                            const uint8_t *end, uint32_t node)
{
    uint64_t value;
    unsigned size = take_number(at, end, TN_VARINT_MAX, &value);

    if (size == 1 && value <= MOST_INLINE)
        add_event(t, node, FIRST_INLINE + (uint32_t)value, NULL, 0);
    else if (size)
        add_event(t, node, size - 1, at, size);
    return size;
}

/* What comes after a tag; its bytes in *size.  False: it is not a field. */
static bool take_value(struct transposer *t, const uint8_t *at,
                       const uint8_t *end, uint32_t tag, uint32_t node,
                       unsigned depth, uint64_t *size)
{
    *size = 0;
    switch (tag % 8) {
    case TN_WIRE_VARINT: return (*size = take_varint(t, at, end, node)) > 0;
    case TN_WIRE_LEN:
        return (*size = take_delimited(t, at, end, node, depth)) > 0;
    case TN_WIRE_FIXED32: *size = 4; break;
    case TN_WIRE_FIXED64: *size = 8; break;
    case TN_WIRE_GROUP_BEGIN:
    case TN_WIRE_GROUP_END: break;
    default: return false;
    }
    if (*size > (uint64_t)(end - at))
        return false;
    add_event(t, node, KIND_PLAIN, at, *size);
    return true;
}

/* Whether these bytes are fields, all of them; their events are added then,
 * and perhaps some when they are not. */
static bool take_message(struct transposer *t, struct tn_bytes bytes,
                         uint32_t parent, unsigned depth)
{
    const uint8_t *at = bytes.data, *end = at + bytes.size;

    while (at < end && !tn_failed(t->error)) {
        uint64_t tag, size;
        unsigned prefix = take_number(at, end, 5, &tag);
        if (!prefix || tag < 8 || tag > UINT32_MAX ||
            prefix != tn_varint_size(tag))
            return false;
        at += prefix;
        if (!take_value(t, at, end, (uint32_t)tag,
                        node_of(t, parent, (uint32_t)tag), depth, &size))
            return false;
        at += size;
    }
    return !tn_failed(t->error);
}

/* Node 0 is the record itself: as a message, or as nothing we know. */
static void take_record(struct transposer *t, struct tn_bytes record)
{
    uint64_t mark = t->events.count;

    add_event(t, 0, KIND_MESSAGE, NULL, 0);
    if (tn_failed(t->error) || (record.size && take_message(t, record, 0, 0)) ||
        record.size == 0)
        return;
    t->events.count = mark;
    add_event(t, 0, KIND_NON_PROTO, record.data, record.size);
}

static void take_records(struct transposer *t, uint64_t count,
                         struct tn_bytes sizes, struct tn_bytes values)
{
    struct tn_cursor size_at  = tn_cursor_bytes(sizes, TN_NOWHERE, t->error);
    struct tn_cursor value_at = tn_cursor_bytes(values, TN_NOWHERE, t->error);

    (void)node_of(t, UINT32_MAX, 0);
    for (uint64_t i = 0; i < count && !tn_failed(t->error); i++) {
        uint64_t size = tn_varint(&size_at);
        if (size > UINT32_MAX)
            tn_error_set(t->error, TN_LIMIT, TN_NOWHERE,
                         "a record of %" PRIu64
                         " bytes is too long to be transposed",
                         size);
        take_record(t, tn_take_bytes(&value_at, size));
    }
}

/* ---- events to states --------------------------------------------------- */

static uint32_t new_buffer(struct transposer *t)
{
    uint32_t number = (uint32_t)t->buffer_sizes.count;

    (void)tn_list_push(&t->buffer_sizes, uint64_t, t->error);
    return number;
}

static void init_state(struct transposer *t, struct state *state,
                       const struct event *event)
{
    struct node *node = tn_list_at(&t->nodes, struct node, event->node);

    *state = (struct state){ .tag = node->tag, .buffer = NO_BUFFER };
    switch (event->kind) {
    case KIND_START: state->tag = 2; break;
    case KIND_END: state->tag = node->tag + 4; break;
    case KIND_MESSAGE: state->tag = 3; break;
    case KIND_NON_PROTO: state->tag = 1; break;
    case KIND_PLAIN: break;
    default: state->subtype = (uint8_t)event->kind;
    }
    if (!event->at)
        return;
    if (event->kind == KIND_PLAIN && node->tag % 8 != TN_WIRE_LEN &&
        event->size == 0)
        return; /* the tag of a group */
    if (node->buffer == NO_BUFFER)
        node->buffer = new_buffer(t);
    state->buffer = node->buffer;
}

static uint32_t state_of(struct transposer *t, const struct event *event)
{
    bool     is_new;
    uint32_t number =
        number_of(&t->state_of, event->node, event->kind, &is_new, t->error);

    if (is_new) {
        struct state *state = tn_list_push(&t->states, struct state, t->error);
        if (state)
            init_state(t, state, event);
    }
    return number;
}

static void add_edge(struct transposer *t, uint32_t from, uint32_t to)
{
    bool     is_new;
    uint32_t number = number_of(&t->edge_of, from, to, &is_new, t->error);

    if (is_new) {
        struct edge *edge = tn_list_push(&t->edges, struct edge, t->error);
        if (edge)
            *edge = (struct edge){ from, to, number, 0, 0 };
    }
    if (!tn_failed(t->error))
        tn_list_at(&t->edges, struct edge, number)->count++;
}

/* The path of the reader: the state of each event, the last one first. */
static void make_path(struct transposer *t)
{
    uint64_t  count = t->events.count;
    uint32_t *path  = NULL;

    if (!tn_failed(t->error) && count)
        path = tn_list_grow(&t->path, count, t->error);
    for (uint64_t i = 0; path && i < count && !tn_failed(t->error); i++) {
        struct event *event =
            tn_list_at(&t->events, struct event, count - 1 - i);
        path[i] = state_of(t, event);
        if (tn_failed(t->error))
            return;
        uint32_t buffer = tn_list_at(&t->states, struct state, path[i])->buffer;
        if (buffer != NO_BUFFER)
            *tn_list_at(&t->buffer_sizes, uint64_t, buffer) += event->size;
        if (i > 0)
            add_edge(t, path[i - 1], path[i]);
    }
}

/* ---- edges to tables ---------------------------------------------------- */

static int by_use(const void *left, const void *right, void *context)
{
    const struct edge *a = left, *b = right;

    (void)context;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static int by_id(const void *left, const void *right, void *context)
{
    const struct edge *a = left, *b = right;

    (void)context;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void add_no_op(struct transposer *t, uint32_t next, bool is_implicit)
{
    struct state *state = tn_list_push(&t->states, struct state, t->error);

    if (state)
        *state = (struct state){ .next        = next,
                                 .buffer      = NO_BUFFER,
                                 .is_implicit = is_implicit };
}

/* If there are too many successors for one table, the most frequent ones stay
 * in it, and the others are divided among tables after it. */
static uint32_t per_hub(uint32_t count)
{
    return (count - TABLE_DIRECT + TABLE_HUBS - 1) / TABLE_HUBS;
}

/* Adds a no-op for each of these edges, and the tables after it. */
static void add_table(struct transposer *t, const struct edge *edges,
                      uint32_t count)
{
    uint32_t direct = count > TABLE_SIZE ? TABLE_DIRECT : count;
    uint64_t hub    = t->states.count + direct;

    for (uint32_t i = 0; i < direct; i++)
        add_no_op(t, edges[i].to, true);
    if (direct == count)
        return;
    for (uint32_t i = 0; i < TABLE_HUBS; i++)
        add_no_op(t, 0, false);
    uint32_t share = per_hub(count);
    for (uint32_t at = direct; at < count && !tn_failed(t->error);
         at += share, hub++) {
        tn_list_at(&t->states, struct state, hub)->next =
            (uint32_t)t->states.count;
        add_table(t, edges + at, count - at < share ? count - at : share);
    }
}

/* `last` is where the reader stops, which an implicit state cannot. */
static void link_state(struct transposer *t, uint32_t number, uint32_t last)
{
    struct state *state = tn_list_at(&t->states, struct state, number);

    if (state->edge_count == 0)
        return;
    struct edge *edges = tn_list_at(&t->edges, struct edge, state->first_edge);
    if (state->edge_count == 1) {
        state->next        = edges[0].to;
        state->is_implicit = number != last;
        return;
    }
    state->next = (uint32_t)t->states.count;
    add_table(t, edges, state->edge_count); /* `state` has moved */
}

static void link_states(struct transposer *t)
{
    uint32_t     count = (uint32_t)t->states.count;
    struct edge *edges = t->edges.items;

    if (t->edges.count)
        tn_sort_items(edges, t->edges.count, sizeof *edges, by_use, NULL);
    for (uint64_t i = 0; i < t->edges.count; i++) {
        struct state *from =
            tn_list_at(&t->states, struct state, edges[i].from);
        if (from->edge_count == 0)
            from->first_edge = (uint32_t)i;
        edges[i].rank = from->edge_count++;
    }
    uint32_t last = 0;
    if (t->path.count)
        last = *tn_list_at(&t->path, uint32_t, t->path.count - 1);
    for (uint32_t i = 0; i < count && !tn_failed(t->error); i++)
        link_state(t, i, last);
    if (t->edges.count)
        tn_sort_items(edges, t->edges.count, sizeof *edges, by_id, NULL);
}

/* ---- transitions -------------------------------------------------------- */

static void add_move(struct transposer *t, uint32_t offset)
{
    struct tn_buffer *moves = &t->moves;

    if (offset == 0 && moves->size && (moves->data[moves->size - 1] & 3) < 3)
        moves->data[moves->size - 1]++;
    else
        tn_buffer_byte(moves, (uint8_t)(offset << 2));
}

/* Writes the transition to the successor of that rank, through the tables that
 * add_table() made. */
static void move_to(struct transposer *t, uint32_t rank, uint32_t count)
{
    while (count > TABLE_SIZE && rank >= TABLE_DIRECT) {
        uint32_t share = per_hub(count);
        uint32_t hub   = (rank - TABLE_DIRECT) / share;
        uint32_t first = TABLE_DIRECT + hub * share;
        add_move(t, TABLE_DIRECT + hub);
        count = count - first < share ? count - first : share;
        rank -= first;
    }
    add_move(t, rank);
}

static void make_moves(struct transposer *t)
{
    const uint32_t *path = t->path.items;

    for (uint64_t i = 0; i + 1 < t->path.count && !tn_failed(t->error); i++) {
        const struct state *from =
            tn_list_at(&t->states, struct state, path[i]);
        bool is_new;
        if (from->is_implicit)
            continue;
        uint32_t number =
            number_of(&t->edge_of, path[i], path[i + 1], &is_new, t->error);
        move_to(t, tn_list_at(&t->edges, struct edge, number)->rank,
                from->edge_count);
    }
}

/* ---- buffers ------------------------------------------------------------ */

/* A varint's top bits are in its subtype already. */
static void copy_value(uint8_t *to, const struct event *event)
{
    if (event->size)
        memcpy(to, event->at, event->size);
    for (uint32_t i = 0; event->kind < KIND_PLAIN && i < event->size; i++)
        to[i] &= 0x7f;
}

/* Where each buffer begins in the pool; the sizes stay. */
static uint64_t *buffer_places(struct transposer *t, struct tn_arena *arena,
                               uint64_t *total)
{
    uint64_t *at = tn_new(arena, uint64_t, t->buffer_sizes.count, t->error);

    *total = 0;
    for (uint64_t i = 0; at && i < t->buffer_sizes.count; i++) {
        at[i] = *total;
        *total += *tn_list_at(&t->buffer_sizes, uint64_t, i);
    }
    return at;
}

static void fill_pool(struct transposer *t)
{
    struct tn_arena arena;
    uint64_t        total, count = t->events.count;

    tn_arena_init(&arena, t->memory);
    uint64_t *at   = buffer_places(t, &arena, &total);
    uint8_t  *pool = at ? tn_buffer_room(&t->pool, (size_t)total) : NULL;
    for (uint64_t i = 0; pool && i < t->path.count; i++) {
        const struct event *event =
            tn_list_at(&t->events, struct event, count - 1 - i);
        uint32_t state  = *tn_list_at(&t->path, uint32_t, i);
        uint32_t buffer = tn_list_at(&t->states, struct state, state)->buffer;
        if (buffer == NO_BUFFER)
            continue;
        copy_value(pool + at[buffer], event);
        at[buffer] += event->size;
    }
    if (pool)
        t->pool.size += (size_t)total;
    tn_arena_done(&arena);
}

/* The lengths of records that are not messages: the last buffer of all. */
static void add_lengths(struct transposer *t)
{
    size_t before      = t->pool.size;
    bool   has_lengths = false;

    for (uint64_t i = t->events.count; i-- > 0 && !tn_failed(t->error);) {
        const struct event *event = tn_list_at(&t->events, struct event, i);
        if (event->kind != KIND_NON_PROTO)
            continue;
        tn_buffer_varint(&t->pool, event->size);
        has_lengths = true;
    }
    if (!has_lengths || tn_failed(t->error))
        return;
    uint64_t *size = tn_list_push(&t->buffer_sizes, uint64_t, t->error);
    if (size)
        *size = t->pool.size - before;
}

/* ---- the chunk ---------------------------------------------------------- */

/* Packs the pool in buckets of whole buffers.  Stored sizes go to `sizes`, the
 * buckets to `packed`; returns how many. */
static uint32_t make_buckets(struct transposer             *t,
                             const struct tn_riegeli_codec *codec,
                             double fraction, struct tn_buffer *sizes,
                             struct tn_buffer *packed)
{
    uint64_t wanted = (uint64_t)((double)t->pool.size * fraction);
    uint64_t from = 0, to = 0;
    uint32_t count = 0;

    for (uint64_t i = 0; i < t->buffer_sizes.count && !tn_failed(t->error);
         i++) {
        to += *tn_list_at(&t->buffer_sizes, uint64_t, i);
        bool is_last = i + 1 == t->buffer_sizes.count;
        if (!is_last && (to - from < wanted || to == from))
            continue;
        size_t before = packed->size;
        tn_riegeli_pack(codec,
                        tn_bytes(t->pool.data ? t->pool.data + from : NULL,
                                 (size_t)(to - from)),
                        packed, t->error);
        tn_buffer_varint(sizes, packed->size - before);
        from = to;
        count++;
    }
    return count;
}

static void write_states(struct transposer *t)
{
    struct tn_buffer   *to     = &t->header;
    const struct state *states = t->states.items;
    uint64_t            count  = t->states.count;

    tn_buffer_varint(to, count);
    for (uint64_t i = 0; i < count; i++)
        tn_buffer_varint(to, states[i].tag);
    for (uint64_t i = 0; i < count; i++)
        tn_buffer_varint(to,
                         states[i].next + (states[i].is_implicit ? count : 0));
    for (uint64_t i = 0; i < count; i++)
        if (states[i].tag >= 8 && states[i].tag % 8 == TN_WIRE_VARINT)
            tn_buffer_byte(to, states[i].subtype);
    for (uint64_t i = 0; i < count; i++)
        if (states[i].buffer != NO_BUFFER)
            tn_buffer_varint(to, states[i].buffer);
    tn_buffer_varint(to,
                     t->path.count ? *tn_list_at(&t->path, uint32_t, 0) : 0);
}

static void write_chunk(struct transposer             *t,
                        const struct tn_riegeli_codec *codec, double fraction,
                        struct tn_buffer *to)
{
    struct tn_buffer sizes, packed, header;

    tn_buffer_init(&sizes, t->memory, t->error);
    tn_buffer_init(&packed, t->memory, t->error);
    tn_buffer_init(&header, t->memory, t->error);
    uint32_t buckets = make_buckets(t, codec, fraction, &sizes, &packed);
    tn_buffer_varint(&t->header, buckets);
    tn_buffer_varint(&t->header, t->buffer_sizes.count);
    tn_buffer_add(&t->header, tn_buffer_bytes(&sizes));
    for (uint64_t i = 0; i < t->buffer_sizes.count; i++)
        tn_buffer_varint(&t->header,
                         *tn_list_at(&t->buffer_sizes, uint64_t, i));
    write_states(t);
    if (!tn_failed(t->error))
        tn_riegeli_pack(codec, tn_buffer_bytes(&t->header), &header, t->error);
    tn_buffer_byte(to, (uint8_t)codec->type);
    tn_buffer_varint(to, header.size);
    tn_buffer_add(to, tn_buffer_bytes(&header));
    tn_buffer_add(to, tn_buffer_bytes(&packed));
    if (!tn_failed(t->error))
        tn_riegeli_pack(codec, tn_buffer_bytes(&t->moves), to, t->error);
    tn_buffer_done(&sizes);
    tn_buffer_done(&packed);
    tn_buffer_done(&header);
}

static void init(struct transposer *t, struct tn_memory *memory,
                 struct tn_error *error)
{
    *t = (struct transposer){ .memory = memory, .error = error };
    tn_list_init(&t->events, memory, sizeof(struct event));
    tn_list_init(&t->nodes, memory, sizeof(struct node));
    tn_list_init(&t->states, memory, sizeof(struct state));
    tn_list_init(&t->edges, memory, sizeof(struct edge));
    tn_list_init(&t->path, memory, sizeof(uint32_t));
    tn_list_init(&t->buffer_sizes, memory, sizeof(uint64_t));
    tn_list_init(&t->node_of.slots, memory, sizeof(struct slot));
    tn_list_init(&t->state_of.slots, memory, sizeof(struct slot));
    tn_list_init(&t->edge_of.slots, memory, sizeof(struct slot));
    tn_buffer_init(&t->pool, memory, error);
    tn_buffer_init(&t->header, memory, error);
    tn_buffer_init(&t->moves, memory, error);
}

static void done(struct transposer *t)
{
    tn_list_done(&t->events);
    tn_list_done(&t->nodes);
    tn_list_done(&t->states);
    tn_list_done(&t->edges);
    tn_list_done(&t->path);
    tn_list_done(&t->buffer_sizes);
    tn_list_done(&t->node_of.slots);
    tn_list_done(&t->state_of.slots);
    tn_list_done(&t->edge_of.slots);
    tn_buffer_done(&t->pool);
    tn_buffer_done(&t->header);
    tn_buffer_done(&t->moves);
}

enum tn_status tn_riegeli_transposed_write(const struct tn_riegeli_codec *codec,
                                           double fraction, uint64_t count,
                                           struct tn_bytes   sizes,
                                           struct tn_bytes   values,
                                           struct tn_buffer *to,
                                           struct tn_error  *error)
{
    struct transposer t;

    init(&t, to->memory, error);
    take_records(&t, count, sizes, values);
    make_path(&t);
    if (!tn_failed(error) && t.states.count == 0)
        add_no_op(&t, 0, false); /* the reader begins somewhere */
    if (!tn_failed(error))
        link_states(&t);
    if (!tn_failed(error))
        make_moves(&t);
    if (!tn_failed(error))
        fill_pool(&t);
    add_lengths(&t);
    if (!tn_failed(error))
        write_chunk(&t, codec, fraction, to);
    done(&t);
    if (tn_failed(to->error) && !tn_failed(error))
        *error = *to->error;
    return error->status;
}
