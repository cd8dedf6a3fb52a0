/*
 * scan_harmless.c - pickles that are harmless, found as fast as they can be read
 *
 * Nearly all pickles are: they hold data, or call names of the allow-list alone.
 * Of those nothing is told, so that nothing has to be known about their values
 * but what kind they are.  Whatever else is met ends the look, and the machine of
 * wire/pickle, which follows every value, says what it is.
 */
#include "scan/scan.h"

#include "base/arith.h"
#include "base/little.h"

/* What is known about a value: its kind, and more in the bits above.  A name has
 * there what a call of it makes, a text the offset of its opcode. */
enum kind {
    UNUSED, /* of slots of the memo                                           */
    DATA,
    TEXT,
    TUPLE,
    LIST,
    DICT,
    SET,
    NAME,
    ARRAY,  /* of numpy, or a type of it: takes a state                       */
    OBJECT, /* takes items and a state                                        */
};

#define KIND_BITS 4
#define KIND_OF(value) ((enum kind)((value) & ((1u << KIND_BITS) - 1)))
#define MORE_OF(value) ((value) >> KIND_BITS)

/* There are as many of these calls as opcodes. */
#define INLINE static inline __attribute__((always_inline))

#define NAME_LIMIT 256
#define MEMO_SLACK 256
#define NAME_ROOM  (2 * NAME_LIMIT + 16) /* for any opcode but long lines   */
enum { WINDOW = 1 << 17, PADDING = 16 };

/* The bytes of a pickle, through a window. */
struct reader {
    struct tn_span    span;
    uint64_t          at; /* of the window, in the span                       */
    uint8_t          *window;
    size_t            size;
    struct tn_memory *memory;
    struct tn_error  *error;
};

static bool open_reader(struct reader *r)
{
    r->window =
        tn_memory_resize(r->memory, NULL, 0, WINDOW + PADDING, r->error);
    return r->window != NULL;
}

static void close_reader(struct reader *r)
{
    if (r->window)
        tn_memory_free(r->memory, r->window, WINDOW + PADDING);
}

/* Moves the window to what follows the first `used` bytes of it and `skip` bytes
 * more; false at the end. */
static bool move_on(struct reader *r, size_t used, uint64_t skip)
{
    if (skip > r->span.length - r->at - used)
        return false;
    r->at += used + skip;
    r->size = (size_t)tn_min(r->span.length - r->at, WINDOW);
    memset(r->window + r->size, 0, PADDING);
    return r->size &&
           tn_source_read(r->span.source, r->span.offset + r->at, r->window,
                          r->size, r->error) == TN_OK;
}

static bool has_more(const struct reader *r)
{
    return r->span.length - r->at > r->size;
}

/* Whether bytes may be a pickle again; if most are after the window, too. */
INLINE bool may_nest(struct tn_bytes bytes, uint64_t skip)
{
    return bytes.size < TN_SCAN_NEST_LEAST ? skip > 0
                                           : tn_scan_could_nest(bytes);
}

/* The same of bytes that are written as text, with the protocol that they begin
 * with. */
INLINE bool may_nest_as_text(struct tn_bytes text)
{
    return text.size >= TN_SCAN_NEST_LEAST && text.data[0] == 0xc2 &&
           text.data[1] == 0x80;
}

/* Protocols 0 and 1 begin without saying so. */
static bool skip_protocol(struct reader *r)
{
    return move_on(r, 0, 0) &&
           (r->size < 2 || r->window[0] != 0x80 || r->window[1] > 5 ||
            move_on(r, 2, 0));
}

/* ---- data alone ----------------------------------------------------------- */

/* What opcodes of data are followed by: so many bytes, a length of so many bytes
 * and as many as it says, or a line.  All others need a stack. */
enum { OTHER, PLAIN, SIZED = 0x10, LINE = 0x20, BYTES = 0x40, WIDTH = 0x0f };

/* clang-format off */
static const uint8_t followed[256] = {
    ['('] = PLAIN,      ['.'] = PLAIN,      ['N'] = PLAIN,      ['}'] = PLAIN,
    [']'] = PLAIN,      [')'] = PLAIN,      ['a'] = PLAIN,      ['e'] = PLAIN,
    ['s'] = PLAIN,      ['u'] = PLAIN,      ['t'] = PLAIN,      ['d'] = PLAIN,
    ['l'] = PLAIN,      ['0'] = PLAIN,      ['1'] = PLAIN,      ['2'] = PLAIN,
    [0x85] = PLAIN,     [0x86] = PLAIN,     [0x87] = PLAIN,     [0x88] = PLAIN,
    [0x89] = PLAIN,     [0x8f] = PLAIN,     [0x90] = PLAIN,     [0x91] = PLAIN,
    [0x94] = PLAIN,     ['K'] = PLAIN + 1,  ['h'] = PLAIN + 1,  ['q'] = PLAIN + 1,
    ['M'] = PLAIN + 2,  ['J'] = PLAIN + 4,  ['j'] = PLAIN + 4,  ['r'] = PLAIN + 4,
    ['G'] = PLAIN + 8,  [0x95] = PLAIN + 8, [0x8c] = SIZED + 1, [0x8a] = SIZED + 1,
    ['X'] = SIZED + 4,  [0x8b] = SIZED + 4, [0x8d] = SIZED + 8,
    ['U'] = BYTES + SIZED + 1,   ['C'] = BYTES + SIZED + 1,
    ['B'] = BYTES + SIZED + 4,   ['T'] = BYTES + SIZED + 4,
    [0x8e] = BYTES + SIZED + 8,  [0x96] = BYTES + SIZED + 8,
    ['I'] = LINE,       ['L'] = LINE,       ['F'] = LINE,       ['S'] = LINE,
    ['V'] = LINE,       ['p'] = LINE,       ['g'] = LINE,
};
/* clang-format on */

/* Steps over opcodes of data in a window; stops at its end, after STOP, or at
 * another opcode. */
struct stride {
    const uint8_t *at, *end;
    uint64_t       skip; /* bytes after the window that belong to an opcode   */
    bool           is_done, is_other;
};

static void step_over(struct stride *s)
{
    const uint8_t *at = s->at, *end = s->end;

    while (at < end) {
        uint8_t  opcode = *at, kind = followed[opcode];
        uint64_t size;
        if (kind & LINE) {
            const uint8_t *line = memchr(at, '\n', (size_t)(end - at));
            if (!line)
                break;
            at = line + 1;
            continue;
        }
        unsigned width = kind & SIZED ? kind & WIDTH : 0;
        if (kind == OTHER) {
            s->is_other = true;
            break;
        }
        if ((size_t)(end - at) < 1 + width)
            break;
        size = width ? tn_load_little(at + 1, width) : (uint64_t)(kind - PLAIN);
        const uint8_t *run  = at + 1 + width;
        size_t         here = (size_t)tn_min(size, (uint64_t)(end - run));
        if (kind & BYTES && here < TN_SCAN_NEST_LEAST && here < size)
            break; /* the next window shows what they are */
        if (kind & BYTES && tn_scan_could_nest(tn_bytes(run, here))) {
            s->is_other = true;
            break;
        }
        at = run + here;
        if (here < size) {
            s->skip = size - here;
            break;
        }
        if (opcode == '.') {
            s->is_done = true;
            break;
        }
    }
    s->at = at;
}

/* Whether a pickle is data alone, of which nothing has to be remembered.  Where
 * no protocol says that this is a pickle, that is not enough to call it one. */
static bool is_data(struct reader *r, uint64_t *length)
{
    if (!skip_protocol(r) || r->at == 0)
        return false;
    for (;;) {
        struct stride s = { .at = r->window, .end = r->window + r->size };
        step_over(&s);
        size_t used = (size_t)(s.at - r->window);
        *length     = r->at + used;
        if (s.is_done || s.is_other || (used == 0 && s.skip == 0) ||
            !move_on(r, used, s.skip))
            return s.is_done;
    }
}

/* ---- data and harmless names ---------------------------------------------- */

struct values {
    uint64_t *items;
    uint64_t  count, room;
};

struct follower {
    struct reader r;
    struct values stack, memo;
    struct values marks; /* the floors before them                            */
    uint64_t      floor; /* the height of the stack at the last mark          */
    uint64_t      memoized;
    bool          is_done;
};

/* Where the follower is in its window. */
struct stand {
    const uint8_t *at, *end;
    uint64_t       skip; /* bytes after the window that belong to an opcode   */
};

static bool make_room(struct follower *f, struct values *v, uint64_t count)
{
    uint64_t room = tn_max(tn_max(count, 2 * v->room), 1024);

    if (count <= v->room)
        return true;
    uint64_t *items = tn_memory_resize(f->r.memory, v->items, v->room * 8,
                                       room * 8, f->r.error);
    if (!items)
        return false;
    v->items = items;
    v->room  = room;
    return true;
}

INLINE bool push(struct follower *f, struct values *v, uint64_t value)
{
    if (v->count == v->room && !make_room(f, v, v->count + 1))
        return false;
    v->items[v->count++] = value;
    return true;
}

/* Values above the last mark. */
INLINE uint64_t above(const struct follower *f)
{
    return f->stack.count - f->floor;
}

INLINE uint64_t *top(struct follower *f)
{
    return above(f) ? &f->stack.items[f->stack.count - 1] : NULL;
}

INLINE bool push_mark(struct follower *f)
{
    if (!push(f, &f->marks, f->floor))
        return false;
    f->floor = f->stack.count;
    return true;
}

INLINE void drop_mark(struct follower *f)
{
    f->floor = f->marks.items[--f->marks.count];
}

/* Takes what was pushed since the last mark; false if there is none. */
INLINE bool close_mark(struct follower *f, uint64_t *count)
{
    if (f->marks.count == 0)
        return false;
    *count         = above(f);
    f->stack.count = f->floor;
    drop_mark(f);
    return true;
}

/* Python drops a mark when there is nothing above it. */
static bool drop(struct follower *f)
{
    if (above(f))
        f->stack.count--;
    else if (f->marks.count)
        drop_mark(f);
    else
        return false;
    return true;
}

/* Items for a container on top. */
INLINE bool add_items(struct follower *f, enum kind kind, uint64_t count)
{
    const uint64_t *to = top(f);

    return to && (KIND_OF(*to) == kind || KIND_OF(*to) == OBJECT) &&
           !(kind == DICT && count % 2);
}

INLINE bool put(struct follower *f, uint64_t slot)
{
    const uint64_t *value = top(f);

    if (!value || (slot >= f->memo.count && slot > f->memoized + MEMO_SLACK))
        return false;
    if (slot >= f->memo.count) {
        if (!make_room(f, &f->memo, slot + 1))
            return false;
        memset(f->memo.items + f->memo.count, UNUSED,
               (size_t)(slot + 1 - f->memo.count) * 8);
        f->memo.count = slot + 1;
    }
    f->memoized += KIND_OF(f->memo.items[slot]) == UNUSED;
    f->memo.items[slot] = *value;
    return true;
}

INLINE bool get(struct follower *f, uint64_t slot)
{
    return slot < f->memo.count && KIND_OF(f->memo.items[slot]) != UNUSED &&
           push(f, &f->stack, f->memo.items[slot]);
}

/* What a call of a harmless name makes, as the machine has it. */
static enum kind made_by(struct tn_bytes module, struct tn_bytes name)
{
    if (tn_bytes_starts_with(module, "numpy"))
        return ARRAY;
    if (tn_bytes_is(name, "OrderedDict"))
        return DICT;
    return tn_bytes_is(module, "_codecs") || tn_bytes_is(name, "bytes") ||
                   tn_bytes_is(name, "tuple")
               ? DATA
               : OBJECT;
}

static bool push_name(struct follower *f, struct tn_bytes module,
                      struct tn_bytes name)
{
    return tn_scan_judge_name(module, name) == TN_NAME_HARMLESS &&
           push(f, &f->stack,
                NAME | (uint64_t)made_by(module, name) << KIND_BITS);
}

/* Two lines. */
static bool take_global(struct follower *f, struct stand *s)
{
    const uint8_t *at    = s->at;
    size_t         left  = at < s->end ? (size_t)(s->end - at) : 0;
    const uint8_t *first = left ? memchr(at, '\n', left) : NULL;
    const uint8_t *second =
        first && s->end - first > 1
            ? memchr(first + 1, '\n', (size_t)(s->end - first - 1))
            : NULL;

    if (!second)
        return false;
    s->at = second + 1;
    return push_name(f, tn_bytes(at, (size_t)(first - at)),
                     tn_bytes(first + 1, (size_t)(second - first - 1)));
}

/* The text that an opcode pushed, read again. */
static bool read_text(struct follower *f, uint64_t value,
                      uint8_t text[NAME_LIMIT + 16], struct tn_bytes *out)
{
    uint64_t at   = MORE_OF(value);
    size_t   size = (size_t)tn_min(f->r.span.length - at, NAME_LIMIT + 16);

    if (KIND_OF(value) != TEXT ||
        tn_source_read(f->r.span.source, f->r.span.offset + at, text, size,
                       f->r.error) != TN_OK)
        return false;
    unsigned width = followed[text[0]] & WIDTH;
    uint64_t taken = size > width ? tn_load_little(text + 1, width) : size;
    if (size <= width || taken > size - 1 - width)
        return false;
    *out = tn_bytes(text + 1 + width, (size_t)taken);
    return true;
}

static bool take_stack_global(struct follower *f)
{
    uint8_t         texts[2][NAME_LIMIT + 16];
    struct tn_bytes module, name;

    if (above(f) < 2)
        return false;
    f->stack.count -= 2;
    return read_text(f, f->stack.items[f->stack.count], texts[0], &module) &&
           read_text(f, f->stack.items[f->stack.count + 1], texts[1], &name) &&
           push_name(f, module, name);
}

INLINE bool call(struct follower *f)
{
    if (above(f) < 2)
        return false;
    uint64_t *callee = &f->stack.items[f->stack.count - 2];
    if (KIND_OF(callee[1]) != TUPLE || KIND_OF(callee[0]) != NAME)
        return false;
    f->stack.count--;
    callee[0] = MORE_OF(callee[0]);
    return true;
}

static bool build(struct follower *f)
{
    if (above(f) < 2)
        return false;
    f->stack.count--;
    enum kind kind = KIND_OF(f->stack.items[f->stack.count - 1]);
    return kind == OBJECT || kind == DICT || kind == ARRAY;
}

/* Text or bytes after a length of `width` bytes. */
INLINE bool push_run(struct follower *f, struct stand *s, unsigned width,
                     enum kind kind)
{
    uint64_t size  = width == 1   ? s->at[0]
                     : width == 4 ? tn_load32(s->at)
                                  : tn_load64(s->at);
    uint64_t value = f->r.at + (uint64_t)(s->at - 1 - f->r.window);

    s->at += width;
    if (s->at > s->end)
        return false;
    if (size > (uint64_t)(s->end - s->at)) {
        s->skip = size - (uint64_t)(s->end - s->at);
        size    = (uint64_t)(s->end - s->at);
    }
    struct tn_bytes run = tn_bytes(s->at, (size_t)size);
    s->at += size;
    return !(kind == TEXT ? may_nest_as_text(run) : may_nest(run, s->skip)) &&
           push(f, &f->stack, kind | value << KIND_BITS);
}

INLINE bool close_into(struct follower *f, enum kind kind)
{
    uint64_t count;

    return close_mark(f, &count) && !(kind == DICT && count % 2) &&
           push(f, &f->stack, kind);
}

INLINE bool add_marked(struct follower *f, enum kind kind)
{
    uint64_t count;

    return close_mark(f, &count) && add_items(f, kind, count);
}

INLINE bool add_top(struct follower *f, enum kind kind, uint64_t count)
{
    if (above(f) <= count)
        return false;
    f->stack.count -= count;
    return add_items(f, kind, count);
}

INLINE bool push_short_tuple(struct follower *f, uint64_t count)
{
    if (above(f) < count)
        return false;
    f->stack.count -= count;
    return push(f, &f->stack, TUPLE);
}

/* Something outside of the pickle, instead of its id. */
INLINE bool take_outside(struct follower *f)
{
    if (above(f))
        *top(f) = DATA;
    return above(f);
}

/* The number of a slot in a line; UINT64_MAX if it is not written plainly. */
static uint64_t read_slot(const uint8_t *at, const uint8_t *end)
{
    uint64_t slot = 0;

    if (at == end || end - at > 9)
        return UINT64_MAX;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return UINT64_MAX;
        slot = slot * 10 + (uint64_t)(*at - '0');
    }
    return slot;
}

/* A line of data, or the number of a slot.  False if it goes on after the
 * window, too: such pickles are rare. */
static bool take_line(struct follower *f, struct stand *s, uint8_t opcode)
{
    const uint8_t *line = s->at,
                  *end  = s->at < s->end
                              ? memchr(line, '\n', (size_t)(s->end - line))
                              : NULL;

    if (!end)
        return false;
    s->at = end + 1;
    return opcode == 'p'   ? put(f, read_slot(line, end))
           : opcode == 'g' ? get(f, read_slot(line, end))
                           : push(f, &f->stack, DATA);
}

/* One opcode, as follow_window() says; whether the machine would tell nothing
 * about it.  Opcodes that are not here need the machine. */
INLINE bool follow(struct follower *f, struct stand *s)
{
    uint64_t count;
    uint8_t  opcode = *s->at++;

#define DATA_OF(size) (s->at += (size), push(f, &f->stack, DATA))
    switch (opcode) {
    case 'N':
    case 0x88:
    case 0x89: return DATA_OF(0);
    case 'K': return DATA_OF(1);
    case 'M': return DATA_OF(2);
    case 'J': return DATA_OF(4);
    case 'G': return DATA_OF(8);
    case 0x8a: return push_run(f, s, 1, DATA);
    case 0x8c: return push_run(f, s, 1, TEXT);
    case 'X': return push_run(f, s, 4, TEXT);
    case 0x8d: return push_run(f, s, 8, TEXT);
    case 'C':
    case 'U': return push_run(f, s, 1, DATA);
    case 'B':
    case 'T':
    case 0x8b: return push_run(f, s, 4, DATA);
    case 0x8e:
    case 0x96: return push_run(f, s, 8, DATA);
    case 'I': case 'L': case 'F': case 'S': case 'V': case 'p':
    case 'g': return take_line(f, s, opcode);
    case '}': return push(f, &f->stack, DICT);
    case ']': return push(f, &f->stack, LIST);
    case ')': return push(f, &f->stack, TUPLE);
    case 0x8f: return push(f, &f->stack, SET);
    case '(': return push_mark(f);
    case 0x85: return push_short_tuple(f, 1);
    case 0x86: return push_short_tuple(f, 2);
    case 0x87: return push_short_tuple(f, 3);
    case 't': return close_into(f, TUPLE);
    case 'd': return close_into(f, DICT);
    case 'l': return close_into(f, LIST);
    case 0x91: return close_into(f, SET);
    case 's': return add_top(f, DICT, 2);
    case 'a': return add_top(f, LIST, 1);
    case 'u': return add_marked(f, DICT);
    case 'e': return add_marked(f, LIST);
    case 0x90: return add_marked(f, SET);
    case '0': return drop(f);
    case '1': return close_mark(f, &count);
    case '2': return above(f) && push(f, &f->stack, *top(f));
    case 'q': return s->at += 1, put(f, s->at[-1]);
    case 'r': return s->at += 4, put(f, tn_load32(s->at - 4));
    case 0x94: return put(f, f->memoized);
    case 'h': return s->at += 1, get(f, s->at[-1]);
    case 'j': return s->at += 4, get(f, tn_load32(s->at - 4));
    case 'c': return take_global(f, s);
    case 0x93: return take_stack_global(f);
    case 'R':
    case 0x81: return call(f);
    case 'b': return build(f);
    case 'Q': return take_outside(f);
    case 0x95: return s->at += 8, true;
    case '.':
        f->is_done = f->stack.count == 1 && f->marks.count == 0;
        return f->is_done;
    }
#undef DATA_OF
    return false;
}

/* Opcodes in the window; false if one needs the machine.  One that could reach
 * over the end of the window waits for the next window; there are zeros after
 * the last. */
static bool follow_window(struct follower *f, size_t *used, uint64_t *skip)
{
    struct stand   s = { .at = f->r.window, .end = f->r.window + f->r.size };
    const uint8_t *last = f->r.size > NAME_ROOM && has_more(&f->r)
                              ? s.end - NAME_ROOM
                              : s.end;
    bool           is_fine = true;

    while (is_fine && s.at < last && !f->is_done)
        is_fine = follow(f, &s);
    if (s.at > s.end)
        return false;
    *used = (size_t)(s.at - f->r.window);
    *skip = s.skip;
    return is_fine;
}

static bool follow_all(struct follower *f, uint64_t *length)
{
    size_t   used;
    uint64_t skip;

    if (!skip_protocol(&f->r))
        return false;
    for (;;) {
        if (!follow_window(f, &used, &skip))
            return false;
        if (f->is_done) {
            *length = f->r.at + used;
            return true;
        }
        if ((!used && !skip) || !move_on(&f->r, used, skip))
            return false;
    }
}

static void free_values(struct follower *f, struct values *v)
{
    if (v->items)
        tn_memory_free(f->r.memory, v->items, v->room * 8);
}

bool tn_scan_is_harmless(struct tn_span span, struct tn_memory *memory,
                         uint64_t *length, struct tn_error *error)
{
    struct follower f = { .r = { .span   = span,
                                 .memory = memory,
                                 .error  = error } };
    bool            is_harmless = open_reader(&f.r) && is_data(&f.r, length);

    f.r.at = 0;
    if (!is_harmless && !tn_failed(error))
        is_harmless = follow_all(&f, length);
    close_reader(&f.r);
    free_values(&f, &f.stack);
    free_values(&f, &f.marks);
    free_values(&f, &f.memo);
    return is_harmless && !tn_failed(error);
}
