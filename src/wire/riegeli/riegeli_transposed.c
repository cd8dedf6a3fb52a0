/*
 * riegeli_transposed.c - reading transposed chunks
 *
 *   data   := u8 compression  varint n  header[n]  bucket*  transitions
 *   header := varint bucket_count, buffer_count
 *             varint bucket_size[bucket_count]   -- as stored
 *             varint buffer_size[buffer_count]   -- plain
 *             varint state_count
 *             varint tag[state_count], next[state_count]
 *             u8     subtype[]       -- of varint states
 *             varint buffer_index[]  -- of states that read a buffer
 *             varint first_state
 *
 * The header, each bucket and the transitions are packed.  The plain buckets,
 * one after the other, are cut into buffers: a column of values each.  The
 * states are a machine that takes values off the buffers and builds the
 * records, the last byte first.  The machine goes from a state to its `next`,
 * plus what a transition byte says; a state whose next is state_count or more
 * is implicit: after it, no byte is needed.
 */
#include "wire/riegeli/riegeli_transposed.h"

#include "base/arith.h"
#include "base/cursor.h"
#include "base/varint.h"

/* Tags below 8 are not of fields. */
enum { NO_OP = 0, NON_PROTO = 1, SUBMESSAGE_START = 2, MESSAGE_START = 3 };

/* Google's writer keeps messages as plain bytes from depth 100 on. */
#define MOST_OPEN 256
/* A state machine that makes no progress is stopped. */
#define NO_OPS_PER_TRANSITION 64

#define WIRE_SUBMESSAGE_END 6
#define FIRST_INLINE        10
#define LAST_SUBTYPE        137

struct state {
    uint32_t tag;
    uint32_t base;
    uint32_t buffer;
    uint8_t  subtype;
    bool     is_implicit;
};

struct submessage {
    uint64_t length; /* of the output when its end was met                   */
    uint32_t tag;
};

struct machine {
    enum tn_riegeli_compression compression;
    uint64_t                    count, size; /* what must come out            */
    struct tn_memory           *memory;
    struct tn_error            *error;

    struct tn_cursor body;   /* what is left of the chunk data                */
    struct tn_arena  arena;  /* owns the tables                               */
    struct tn_buffer header; /* plain                                         */
    struct tn_buffer pool;   /* all plain buckets                             */
    struct tn_buffer moves;  /* the transitions                               */

    uint32_t          state_count, buffer_count, bucket_count;
    uint32_t          first;
    struct state     *states;
    struct tn_cursor *buffers;

    struct tn_list            open;   /* struct submessage                    */
    struct tn_list           *starts; /* output length at each record's start */
    struct tn_riegeli_joined *out;
    uint64_t                  made; /* bytes of output                        */
};

/* ---- the header --------------------------------------------------------- */

static uint32_t varint32(struct tn_cursor *c)
{
    uint64_t begin = c->offset;
    uint64_t value = tn_varint(c);

    if (value > UINT32_MAX || c->offset - begin > 5)
        tn_fail_at(c, begin, TN_MALFORMED, "a number of more than 32 bits");
    return (uint32_t)value;
}

/* A count of things that take at least `least` bytes each in what is left. */
static uint32_t read_count(struct tn_cursor *c, uint64_t least,
                           const char *things)
{
    uint64_t begin = c->offset;
    uint32_t count = varint32(c);

    if (count > tn_left(c) / least) {
        tn_fail_at(c, begin, TN_MALFORMED,
                   "%" PRIu32 " %s in %" PRIu64 " bytes", count, things,
                   tn_left(c));
        return 0;
    }
    return count;
}

static bool has_subtype(uint32_t tag)
{
    return tag >= 8 && tag % 8 == TN_WIRE_VARINT;
}

static bool reads_buffer(const struct state *state)
{
    if (state->tag == NON_PROTO)
        return true;
    if (state->tag < 8)
        return false;
    switch (state->tag % 8) {
    case TN_WIRE_VARINT: return state->subtype < FIRST_INLINE;
    case TN_WIRE_FIXED32:
    case TN_WIRE_FIXED64:
    case TN_WIRE_LEN: return true;
    default: return false;
    }
}

static void read_tags(struct machine *m, struct tn_cursor *c)
{
    for (uint32_t i = 0; i < m->state_count && !tn_failed(m->error); i++) {
        uint64_t at  = c->offset;
        uint32_t tag = m->states[i].tag = varint32(c);
        if ((tag > MESSAGE_START && tag < 8) || tag % 8 == 7)
            tn_fail_at(c, at, TN_MALFORMED,
                       "state %" PRIu32 " has tag %" PRIu32, i, tag);
    }
}

static void read_nexts(struct machine *m, struct tn_cursor *c)
{
    for (uint32_t i = 0; i < m->state_count && !tn_failed(m->error); i++) {
        uint64_t at              = c->offset;
        uint32_t next            = varint32(c);
        m->states[i].is_implicit = next >= m->state_count;
        if (m->states[i].is_implicit)
            next -= m->state_count;
        m->states[i].base = next;
        if (next >= m->state_count)
            tn_fail_at(c, at, TN_MALFORMED,
                       "state %" PRIu32 " goes to %" PRIu32 " of %" PRIu32, i,
                       next, m->state_count);
    }
}

static void read_subtypes(struct machine *m, struct tn_cursor *c)
{
    for (uint32_t i = 0; i < m->state_count && !tn_failed(m->error); i++) {
        if (!has_subtype(m->states[i].tag))
            continue;
        uint64_t at          = c->offset;
        m->states[i].subtype = tn_u8(c);
        if (m->states[i].subtype > LAST_SUBTYPE)
            tn_fail_at(c, at, TN_MALFORMED, "state %" PRIu32 " has subtype %u",
                       i, m->states[i].subtype);
    }
}

static void read_buffer_indices(struct machine *m, struct tn_cursor *c)
{
    for (uint32_t i = 0; i < m->state_count && !tn_failed(m->error); i++) {
        if (!reads_buffer(&m->states[i]))
            continue;
        uint64_t at         = c->offset;
        m->states[i].buffer = varint32(c);
        if (m->states[i].buffer >= m->buffer_count)
            tn_fail_at(c, at, TN_MALFORMED,
                       "state %" PRIu32 " reads buffer %" PRIu32 " of %" PRIu32,
                       i, m->states[i].buffer, m->buffer_count);
    }
}

static void read_states(struct machine *m, struct tn_cursor *c)
{
    m->state_count = read_count(c, 2, "states");
    m->states      = tn_new(&m->arena, struct state, m->state_count, m->error);
    read_tags(m, c);
    read_nexts(m, c);
    read_subtypes(m, c);
    read_buffer_indices(m, c);
    uint64_t at = c->offset;
    m->first    = varint32(c);
    if (!tn_failed(m->error) && m->first >= m->state_count)
        tn_fail_at(c, at, TN_MALFORMED,
                   "the first state is %" PRIu32 " of %" PRIu32, m->first,
                   m->state_count);
    if (tn_more(c))
        tn_fail(c, TN_MALFORMED, "%" PRIu64 " bytes behind the states",
                tn_left(c));
}

/* ---- buckets and buffers ------------------------------------------------ */

/* What the buffers hold goes into the records, save for a length each of those
 * that are not messages. */
static uint64_t most_in_buckets(const struct machine *m)
{
    uint64_t lengths, most;

    if (!tn_mul(m->count, TN_VARINT_MAX, &lengths) ||
        !tn_add(m->size, lengths, &most))
        return UINT64_MAX;
    return most;
}

/* Unpacks all of them into the pool; ends[i] is where bucket i ends there. */
static void read_buckets(struct machine *m, struct tn_cursor *sizes,
                         uint64_t *ends)
{
    uint64_t most = most_in_buckets(m);

    for (uint32_t i = 0; i < m->bucket_count && !tn_failed(m->error); i++) {
        uint64_t       size   = tn_varint(sizes);
        struct tn_span bucket = tn_span(&m->body, size);
        tn_riegeli_unpack(m->compression, bucket, most - m->pool.size, &m->pool,
                          m->error);
        ends[i] = m->pool.size;
    }
}

/* Cuts the pool into buffers, none of them over the end of a bucket. */
static void cut_buffers(struct machine *m, struct tn_cursor *sizes,
                        const uint64_t *ends)
{
    uint64_t at     = 0;
    uint32_t bucket = 0;

    for (uint32_t i = 0; i < m->buffer_count && !tn_failed(m->error); i++) {
        uint64_t offset = sizes->offset;
        uint64_t size   = tn_varint(sizes);
        while (bucket < m->bucket_count && size && ends[bucket] == at)
            bucket++;
        uint64_t left = bucket < m->bucket_count ? ends[bucket] - at : 0;
        if (size > left) {
            tn_fail_at(sizes, offset, TN_MALFORMED,
                       "a buffer of %" PRIu64 " bytes, %" PRIu64
                       " are left in its bucket",
                       size, left);
            return;
        }
        m->buffers[i] = tn_cursor_bytes(
            tn_bytes(m->pool.data ? m->pool.data + at : NULL, (size_t)size),
            sizes->offset, m->error);
        at += size;
    }
    if (!tn_failed(m->error) && at != m->pool.size)
        tn_fail(sizes, TN_MALFORMED,
                "the buffers take %" PRIu64 " of %zu bytes", at, m->pool.size);
}

static void read_header(struct machine *m, struct tn_cursor *c)
{
    m->bucket_count = read_count(c, 1, "buckets");
    m->buffer_count = read_count(c, 1, "buffers");
    uint64_t *ends  = tn_new(&m->arena, uint64_t, m->bucket_count, m->error);
    m->buffers = tn_new(&m->arena, struct tn_cursor, m->buffer_count, m->error);
    if (m->bucket_count == 0 && m->buffer_count > 0)
        tn_fail(c, TN_MALFORMED, "buffers without a bucket");
    if (tn_failed(m->error))
        return;
    read_buckets(m, c, ends);
    cut_buffers(m, c, ends);
    read_states(m, c);
}

/* Every step gives at least a byte, ends or starts a message, or moves on to
 * where the next step is found. */
static uint64_t most_transitions(const struct machine *m)
{
    uint64_t most;

    if (!tn_add(m->size, m->count, &most) || !tn_mul(most, 8, &most) ||
        !tn_add(most, 64, &most))
        return UINT64_MAX;
    return most;
}

/* Every state and buffer must contribute to the output. */
static uint64_t most_in_header(const struct machine *m)
{
    uint64_t most;

    if (!tn_add(m->size, m->count, &most) || !tn_mul(most, 32, &most) ||
        !tn_add(most, 1024, &most))
        return UINT64_MAX;
    return most;
}

/* Complaints about plain bytes point at the packed ones. */
static void settle(const struct machine *m, uint64_t offset)
{
    if (tn_failed(m->error) && m->compression != TN_RIEGELI_NONE &&
        m->error->offset != TN_NOWHERE)
        m->error->offset = offset;
}

static void read_parts(struct machine *m)
{
    uint64_t at   = m->body.offset;
    uint8_t  type = tn_u8(&m->body);

    if (tn_failed(m->error) ||
        tn_riegeli_check_compression(type, at, m->error) != TN_OK)
        return;
    m->compression        = type;
    struct tn_span header = tn_span(&m->body, tn_varint(&m->body));
    tn_riegeli_unpack(m->compression, header, most_in_header(m), &m->header,
                      m->error);
    struct tn_cursor c =
        tn_cursor_bytes(tn_buffer_bytes(&m->header), header.offset, m->error);
    if (!tn_failed(m->error))
        read_header(m, &c);
    settle(m, header.offset);
    if (!tn_failed(m->error))
        tn_riegeli_unpack(m->compression, tn_span(&m->body, tn_left(&m->body)),
                          most_transitions(m), &m->moves, m->error);
}

/* ---- output, the last byte first ---------------------------------------- */

static void complain(struct machine *m, const char *what)
{
    tn_error_set(m->error, TN_MALFORMED, m->body.offset, "%s", what);
}

static bool grow_output(struct machine *m, uint64_t needed)
{
    struct tn_riegeli_joined *out = m->out;
    uint64_t                  room =
        tn_min(tn_max(needed, out->room * 2), tn_max(m->size, needed));
    uint8_t *data = tn_memory_resize(m->memory, NULL, 0, room, m->error);

    if (!data)
        return false;
    if (m->made)
        memcpy(data + (room - m->made), out->data + (out->room - m->made),
               (size_t)m->made);
    tn_memory_free(m->memory, out->data, out->room);
    *out = (struct tn_riegeli_joined){ data, room };
    return true;
}

static void put(struct machine *m, const uint8_t *bytes, size_t size)
{
    if (size > m->size - m->made) {
        complain(m, "the records are longer than the chunk's header says");
        return;
    }
    if (size > m->out->room - m->made && !grow_output(m, m->made + size))
        return;
    m->made += size;
    if (size)
        memcpy(m->out->data + (m->out->room - m->made), bytes, size);
}

static void put_varint(struct machine *m, uint64_t value)
{
    uint8_t bytes[TN_VARINT_MAX];

    put(m, bytes, tn_varint_put(bytes, value));
}

/* ---- what the states do ------------------------------------------------- */

static void start_message(struct machine *m)
{
    if (m->open.count > 0) {
        complain(m, "a record starts inside a submessage");
        return;
    }
    if (m->starts->count == m->count) {
        complain(m, "more records than the chunk says");
        return;
    }
    uint64_t *start = tn_list_push(m->starts, uint64_t, m->error);
    if (start)
        *start = m->made;
}

static void put_from(struct machine *m, struct tn_cursor *buffer, uint64_t size)
{
    const uint8_t *bytes = tn_take(buffer, size);

    if (bytes)
        put(m, bytes, (size_t)size);
}

static void non_proto(struct machine *m, const struct state *s)
{
    uint32_t length = varint32(&m->buffers[m->buffer_count - 1]);

    if (!tn_failed(m->error))
        put_from(m, &m->buffers[s->buffer], length);
    if (!tn_failed(m->error))
        start_message(m);
}

static void submessage_start(struct machine *m)
{
    if (m->open.count == 0) {
        complain(m, "a submessage starts that did not end");
        return;
    }
    struct submessage inner =
        *tn_list_at(&m->open, struct submessage, --m->open.count);
    put_varint(m, m->made - inner.length);
    put_varint(m, inner.tag);
}

static void submessage_end(struct machine *m, const struct state *s)
{
    if (m->open.count == MOST_OPEN) {
        tn_error_set(m->error, TN_LIMIT, m->body.offset,
                     "submessages nested more than %d deep", MOST_OPEN);
        return;
    }
    struct submessage *inner =
        tn_list_push(&m->open, struct submessage, m->error);
    if (inner)
        *inner = (struct submessage){ m->made, s->tag - 4 };
}

static void put_varint_field(struct machine *m, const struct state *s)
{
    uint8_t bytes[FIRST_INLINE];
    size_t  size = 1;

    if (s->subtype >= FIRST_INLINE) {
        bytes[0] = (uint8_t)(s->subtype - FIRST_INLINE);
    } else {
        size                 = (size_t)s->subtype + 1;
        const uint8_t *taken = tn_take(&m->buffers[s->buffer], size);
        if (!taken)
            return;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(i + 1 < size ? taken[i] | 0x80 : taken[i]);
    }
    put(m, bytes, size);
}

/* The length stays as it was written, shortest or not. */
static void put_string(struct machine *m, const struct state *s)
{
    struct tn_cursor *buffer = &m->buffers[s->buffer];
    struct tn_cursor  ahead  = *buffer;
    uint32_t          length = varint32(&ahead);

    if (!tn_failed(m->error))
        put_from(m, buffer, ahead.offset - buffer->offset + length);
}

static void put_field(struct machine *m, const struct state *s)
{
    switch (s->tag % 8) {
    case TN_WIRE_VARINT: put_varint_field(m, s); break;
    case TN_WIRE_FIXED32: put_from(m, &m->buffers[s->buffer], 4); break;
    case TN_WIRE_FIXED64: put_from(m, &m->buffers[s->buffer], 8); break;
    case TN_WIRE_LEN: put_string(m, s); break;
    case WIRE_SUBMESSAGE_END: submessage_end(m, s); return;
    default: break; /* groups are their tags */
    }
    if (!tn_failed(m->error))
        put_varint(m, s->tag);
}

static void act(struct machine *m, const struct state *s)
{
    switch (s->tag) {
    case NO_OP: break;
    case NON_PROTO: non_proto(m, s); break;
    case SUBMESSAGE_START: submessage_start(m); break;
    case MESSAGE_START: start_message(m); break;
    default: put_field(m, s);
    }
}

/* ---- the walk ----------------------------------------------------------- */

/* The state after `s`.  A transition byte is offset << 2 | repeats: how many
 * of the next explicit steps need no byte.  NULL: no byte is left. */
static const struct state *step(struct machine *m, const struct state *s,
                                struct tn_cursor *moves, unsigned *again)
{
    uint64_t next = s->base;

    if (*again == 0) {
        if (!tn_more(moves))
            return NULL;
        uint8_t move = tn_u8(moves);
        next += move >> 2;
        if (next >= m->state_count) {
            complain(m, "a transition to a state that is not there");
            return NULL;
        }
        *again = move & 3u;
        *again += m->states[next].is_implicit;
    } else {
        *again -= !m->states[next].is_implicit;
    }
    return &m->states[next];
}

static void run(struct machine *m)
{
    struct tn_cursor moves =
        tn_cursor_bytes(tn_buffer_bytes(&m->moves), 0, m->error);
    const struct state *s      = &m->states[m->first];
    unsigned            again  = s->is_implicit;
    uint64_t            no_ops = 0;
    uint64_t patience = ((uint64_t)m->moves.size + 1) * NO_OPS_PER_TRANSITION;

    while (s && !tn_failed(m->error)) {
        act(m, s);
        no_ops += s->tag == NO_OP;
        if (no_ops > patience)
            complain(m, "the states go in circles");
        if (!tn_failed(m->error))
            s = step(m, s, &moves, &again);
    }
}

static void expect_result(struct machine *m)
{
    uint64_t start = 0;

    if (m->starts->count)
        start = *tn_list_at(m->starts, uint64_t, m->starts->count - 1);
    if (m->open.count > 0)
        complain(m, "a submessage does not start");
    else if (m->starts->count != m->count)
        tn_error_set(m->error, TN_MALFORMED, m->body.offset,
                     "%" PRIu64 " records, the chunk says %" PRIu64,
                     m->starts->count, m->count);
    else if (m->made != m->size || start != m->size)
        tn_error_set(m->error, TN_MALFORMED, m->body.offset,
                     "records of %" PRIu64 " bytes, but %" PRIu64
                     " in the chunk's header",
                     start, m->size);
}

/* starts[] has the output length at the start of each record, the last record
 * first; from the front that is where the one before it ends. */
static void starts_to_ends(struct tn_list *list, uint64_t size)
{
    uint64_t *at = list->items, count = list->count;

    for (uint64_t i = 0; i < count / 2; i++) {
        uint64_t kept     = at[i];
        at[i]             = at[count - 1 - i];
        at[count - 1 - i] = kept;
    }
    for (uint64_t i = 0; i < count; i++)
        at[i] = i + 1 < count ? size - at[i + 1] : size;
}

enum tn_status tn_riegeli_transposed_read(struct tn_span data, uint64_t count,
                                          uint64_t                  size,
                                          struct tn_memory         *memory,
                                          struct tn_riegeli_joined *records,
                                          struct tn_list           *ends,
                                          struct tn_error          *error)
{
    struct machine m = { .count  = count,
                         .size   = size,
                         .memory = memory,
                         .error  = error,
                         .starts = ends,
                         .out    = records };

    *records = (struct tn_riegeli_joined){ NULL, 0 };
    tn_list_init(ends, memory, sizeof(uint64_t));
    tn_list_init(&m.open, memory, sizeof(struct submessage));
    tn_arena_init(&m.arena, memory);
    tn_buffer_init(&m.header, memory, error);
    tn_buffer_init(&m.pool, memory, error);
    tn_buffer_init(&m.moves, memory, error);
    m.body = tn_cursor_span(data, error);
    read_parts(&m);
    if (!tn_failed(error))
        run(&m);
    if (!tn_failed(error))
        expect_result(&m);
    settle(&m, data.offset);
    if (!tn_failed(error))
        starts_to_ends(ends, size);
    tn_arena_done(&m.arena);
    tn_buffer_done(&m.header);
    tn_buffer_done(&m.pool);
    tn_buffer_done(&m.moves);
    tn_list_done(&m.open);
    return error->status;
}
