/*
 * scan_harmless.c - pickles that are harmless, found as fast as they can be
 * read
 *
 * Nearly all pickles are: they hold data, or call names of the allow-list
 * alone. Nothing is reported about those, so only the kind of each value has to
 * be known.  Anything else ends this look, and the machine of wire/pickle,
 * which follows every value, examines the pickle.
 */
#include "scan/scan.h"

#include "base/arith.h"
#include "base/little.h"

/* What is known about a value: its kind, and more in the bits above.  A name
 * has there what a call of it makes, a text the offset of its opcode. */
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

#define KIND_BITS      4
#define KIND_OF(value) ((enum kind)((value) & ((1u << KIND_BITS) - 1)))
#define MORE_OF(value) ((value) >> KIND_BITS)

/* There are as many of these calls as opcodes. */
#define INLINE static inline __attribute__((always_inline))

#define NAME_LIMIT 256
#define MEMO_SLACK 256
#define NAME_ROOM  (2 * NAME_LIMIT + 16) /* for any opcode but long lines   */
enum { WINDOW = 1 << 17, PADDING = 512 };

/* The bytes of pickles, through a window.  It stays where it is for a pickle
 * that follows in it. */
struct reader {
    struct tn_span    span;
    uint64_t          begin; /* of the pickle, in the span                    */
    uint64_t          at;    /* of the window, in the span                    */
    uint8_t          *window;
    size_t            size;
    struct tn_memory *memory;
    struct tn_error  *error;
};

static bool open_window(struct reader *r)
{
    if (!r->window)
        r->window =
            tn_memory_resize(r->memory, NULL, 0, WINDOW + PADDING, r->error);
    return r->window != NULL;
}

/* Moves the window to a place in the span; false at the end. */
static bool move_to(struct reader *r, uint64_t at)
{
    r->at   = at;
    r->size = (size_t)tn_min(r->span.length - at, WINDOW);
    memset(r->window + r->size, 0, PADDING);
    if (r->size && tn_source_read(r->span.source, r->span.offset + at,
                                  r->window, r->size, r->error) == TN_OK)
        return true;
    r->size = 0;
    return false;
}

/* Moves the window to what follows the first `used` bytes of it and `skip`
 * bytes more; false at the end. */
static bool move_on(struct reader *r, size_t used, uint64_t skip)
{
    return skip <= r->span.length - r->at - used &&
           move_to(r, r->at + used + skip);
}

static bool has_more(const struct reader *r)
{
    return r->span.length - r->at > r->size;
}

/* The first byte of the pickle, in the window; NULL at the end. */
static const uint8_t *find_begin(struct reader *r)
{
    bool is_inside = r->begin >= r->at && r->begin < r->at + r->size &&
                     (r->begin + 2 <= r->at + r->size || !has_more(r));

    if (!is_inside && !move_to(r, r->begin))
        return NULL;
    return r->window + (r->begin - r->at);
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

/* The same of a line after its opcode: bytes between quotes, or bytes as text.
 * There is padding behind it. */
INLINE bool may_nest_in_line(uint8_t opcode, const uint8_t *line)
{
    if (opcode == 'S')
        return line[1] == 'c' || line[1] == '(' ||
               (line[1] == '\\' && ((line[2] == 'x' && line[3] == '8') ||
                                    (line[2] == '2' && line[3] == '0')));
    return opcode == 'V' && (line[0] == 0x80 || line[0] == '\\');
}

/* Protocols 0 and 1 begin without saying so. */
static size_t protocol_size(const struct reader *r, const uint8_t *begin)
{
    return begin + 2 <= r->window + r->size && begin[0] == 0x80 && begin[1] <= 5
               ? 2
               : 0;
}

/* ---- data alone -----------------------------------------------------------
 */

/* What opcodes of data are followed by: so many bytes, a length of so many
 * bytes and as many as it says, or a line.  All others need a stack. */
enum {
    OTHER,
    PLAIN,
    STOP  = 0x0f,
    SIZED = 0x10,
    LINE  = 0x20,
    BYTES = 0x40,
    WIDTH = 0x0f,
};

/* clang-format off */
static const uint8_t followed[256] = {
    ['('] = PLAIN,      ['.'] = STOP,       ['N'] = PLAIN,      ['}'] = PLAIN,
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

/* An opcode with a line, or with as many bytes as it says; false if it ends the
 * stride. */
static bool step_over_run(struct stride *s, uint8_t kind)
{
    const uint8_t *at = s->at, *end = s->end;
    unsigned       width = kind & WIDTH;

    if (kind & LINE) {
        const uint8_t *line = memchr(at, '\n', (size_t)(end - at));
        s->is_other         = line && may_nest_in_line(*at, at + 1);
        s->at               = line && !s->is_other ? line + 1 : at;
        return s->at > at;
    }
    s->is_other = kind == OTHER;
    if (s->is_other || (size_t)(end - at) < 1 + width)
        return false;
    uint64_t       size = tn_load_little(at + 1, width);
    const uint8_t *run  = at + 1 + width;
    size_t         here = (size_t)tn_min(size, (uint64_t)(end - run));
    if (kind & BYTES && here < TN_SCAN_NEST_LEAST && here < size)
        return false; /* the next window shows what they are */
    s->is_other = kind & BYTES && tn_scan_could_nest(tn_bytes(run, here));
    if (s->is_other)
        return false;
    s->at   = run + here;
    s->skip = size - here;
    return s->skip == 0;
}

/* A branch for each length, not a sum with the length out of the table: what is
 * next can be guessed, and is read before it is known. */
static void step_over(struct stride *s)
{
    const uint8_t *at = s->at, *end = s->end;

    while (at < end) {
        uint8_t kind = followed[*at];
        switch (kind) {
        case PLAIN: at += 1; continue;
        case PLAIN + 1: at += 2; continue;
        case PLAIN + 2: at += 3; continue;
        case PLAIN + 4: at += 5; continue;
        case PLAIN + 8: at += 9; continue;
        case SIZED + 1:
            if (at + 1 == end)
                break;
            at += 2 + at[1];
            continue;
        case STOP:
            s->at      = at + 1;
            s->is_done = true;
            return;
        }
        s->at = at;
        if (!step_over_run(s, kind))
            return;
        at = s->at;
    }
    s->skip = (uint64_t)(at - end);
    s->at   = end;
}

/* Whether a pickle is data alone, of which nothing has to be remembered.  Where
 * no protocol says that this is a pickle, that is not enough to call it one. */
static bool is_data(struct reader *r, uint64_t *length)
{
    const uint8_t *begin = find_begin(r);
    size_t         used;

    if (!begin || protocol_size(r, begin) == 0)
        return false;
    for (const uint8_t *at = begin + 2;; at = r->window) {
        struct stride s = { .at = at, .end = r->window + r->size };
        step_over(&s);
        used    = (size_t)(s.at - r->window);
        *length = r->at + used - r->begin;
        if (s.is_done || s.is_other || (used == 0 && s.skip == 0) ||
            !move_on(r, used, s.skip))
            return s.is_done;
    }
}

/* ---- data and harmless names ----------------------------------------------
 */

struct values {
    union {
        void     *items;
        uint64_t *wide;
        uint32_t *narrow;
    };
    uint64_t count, room;
    unsigned size; /* of one                                                  */
};

struct tn_scan_follower {
    struct reader r;
    struct values stack; /* wide; struct stand has its top, not `count`       */
    struct values memo;  /* narrow: there are many, and memory takes time; its
                            count, too, is in struct stand                     */
    struct values marks; /* wide: the floors before them, as heights          */
    uint64_t      gaps;  /* slots of the memo that are not in use             */
    bool          is_done;
    bool          has_names; /* the last pickle: the next one will, too       */
};

/* Where the follower is, in its window and on its stack.  There are as many
 * steps as opcodes: this stays in registers, and what is called for rare
 * opcodes gets a copy. */
struct stand {
    const uint8_t *at, *end;
    uint64_t      *next;  /* above the top of the stack                       */
    uint64_t      *floor; /* the top at the last mark                         */
    uint32_t      *slot;  /* after the last one of the memo                   */
    uint64_t       skip; /* bytes after the window that belong to an opcode   */
};

static bool make_room(struct tn_scan_follower *f, struct values *v,
                      uint64_t count)
{
    uint64_t room = tn_max(tn_max(count, 2 * v->room), 1024);

    if (count <= v->room)
        return true;
    void *items = tn_memory_resize(f->r.memory, v->items, v->room * v->size,
                                   room * v->size, f->r.error);
    if (!items)
        return false;
    v->items = items;
    v->room  = room;
    return true;
}

/* The slots of the memo, up to the last one that was used. */
INLINE uint64_t slots(const struct tn_scan_follower *f, const struct stand *s)
{
    return (uint64_t)(s->slot - f->memo.narrow);
}

/* Makes the memo larger, which may move it.  Each opcode of a window takes no
 * more than one slot and one place on the stack: room for as many as the window
 * has bytes is made once for all of them. */
static bool make_memo_room(struct tn_scan_follower *f, struct stand *s,
                           uint64_t count)
{
    uint64_t used = slots(f, s);

    if (!make_room(f, &f->memo, count + f->r.size))
        return false;
    s->slot = f->memo.narrow + used;
    return true;
}

/* The same for the stack. */
static bool make_stack_room(struct tn_scan_follower *f, struct stand *s)
{
    uint64_t height = (uint64_t)(s->next - f->stack.wide);
    uint64_t floor  = (uint64_t)(s->floor - f->stack.wide);

    if (!make_room(f, &f->stack, height + f->r.size))
        return false;
    s->next  = f->stack.wide + height;
    s->floor = f->stack.wide + floor;
    return true;
}

INLINE bool push(struct stand *s, uint64_t value)
{
    *s->next++ = value;
    return true;
}

/* Values above the last mark. */
INLINE uint64_t above(const struct stand *s)
{
    return (uint64_t)(s->next - s->floor);
}

INLINE bool push_mark(struct tn_scan_follower *f, struct stand *s)
{
    if (f->marks.count == f->marks.room &&
        !make_room(f, &f->marks, f->marks.count + 1))
        return false;
    f->marks.wide[f->marks.count++] = (uint64_t)(s->floor - f->stack.wide);
    s->floor                        = s->next;
    return true;
}

INLINE void drop_mark(struct tn_scan_follower *f, struct stand *s)
{
    s->floor = f->stack.wide + f->marks.wide[--f->marks.count];
}

/* Takes what was pushed since the last mark; false if there is none. */
INLINE bool close_mark(struct tn_scan_follower *f, struct stand *s,
                       uint64_t *count)
{
    if (f->marks.count == 0)
        return false;
    *count  = above(s);
    s->next = s->floor;
    drop_mark(f, s);
    return true;
}

/* Python drops a mark when there is nothing above it. */
INLINE bool drop(struct tn_scan_follower *f, struct stand *s)
{
    if (above(s))
        s->next--;
    else if (f->marks.count)
        drop_mark(f, s);
    else
        return false;
    return true;
}

/* Items for a container on top. */
INLINE bool add_items(const struct stand *s, enum kind kind, uint64_t count)
{
    return above(s) &&
           (KIND_OF(s->next[-1]) == kind || KIND_OF(s->next[-1]) == OBJECT) &&
           !(kind == DICT && count % 2);
}

/* The memo does not keep places of texts that are far away: a name that is made
 * of such a text is left to the machine. */
INLINE uint32_t narrow(uint64_t value)
{
    return value <= UINT32_MAX ? (uint32_t)value : DATA;
}

/* A slot that is not the next one. At most MEMO_SLACK slots are unused. */
static bool put_anywhere(struct tn_scan_follower *f, struct stand *s,
                         uint64_t slot)
{
    uint64_t count = slots(f, s);

    if (slot >= count) {
        if (slot > count - f->gaps + MEMO_SLACK ||
            !make_memo_room(f, s, slot + 1))
            return false;
        memset(s->slot, UNUSED, (size_t)(slot + 1 - count) * sizeof *s->slot);
        s->slot += slot + 1 - count;
        f->gaps += slot + 1 - count;
    }
    f->gaps -= KIND_OF(f->memo.narrow[slot]) == UNUSED;
    f->memo.narrow[slot] = narrow(s->next[-1]);
    return true;
}

INLINE bool put(struct tn_scan_follower *f, struct stand *s, uint64_t slot)
{
    struct stand copy;

    if (s->next == s->floor)
        return false;
    if (slot != slots(f, s)) {
        copy         = *s;
        bool is_fine = put_anywhere(f, &copy, slot);
        *s           = copy;
        return is_fine;
    }
    *s->slot++ = narrow(s->next[-1]);
    return true;
}

/* That many slots are in use before the next one. */
INLINE bool put_next(struct tn_scan_follower *f, struct stand *s)
{
    return put(f, s, slots(f, s) - f->gaps);
}

INLINE bool get(const struct tn_scan_follower *f, struct stand *s,
                uint64_t slot)
{
    return slot < slots(f, s) && KIND_OF(f->memo.narrow[slot]) != UNUSED &&
           push(s, f->memo.narrow[slot]);
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

/* What TorchScript's functions get counts, which is not known here. */
static bool push_name(struct stand *s, struct tn_bytes module,
                      struct tn_bytes name)
{
    return !tn_bytes_is(module, "torch.jit._pickle") &&
           tn_scan_judge_name(module, name) == TN_NAME_HARMLESS &&
           push(s, NAME | (uint64_t)made_by(module, name) << KIND_BITS);
}

/* Two lines. */
static bool take_global(struct stand *s)
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
    return push_name(s, tn_bytes(at, (size_t)(first - at)),
                     tn_bytes(first + 1, (size_t)(second - first - 1)));
}

/* Bytes of the span that were passed: in the window, if they are still there,
 * or read again. */
static const uint8_t *look_back(struct reader *r, uint64_t at, uint8_t *room,
                                size_t size)
{
    if (at >= r->at && size <= r->at + r->size - at)
        return r->window + (at - r->at);
    return tn_source_read(r->span.source, r->span.offset + at, room, size,
                          r->error) == TN_OK
               ? room
               : NULL;
}

/* The text that an opcode pushed. */
static bool find_text(struct tn_scan_follower *f, uint64_t value,
                      uint8_t room[NAME_LIMIT + 16], struct tn_bytes *out)
{
    uint64_t at   = f->r.begin + MORE_OF(value);
    size_t   size = (size_t)tn_min(f->r.span.length - at, NAME_LIMIT + 16);
    const uint8_t *text =
        KIND_OF(value) == TEXT ? look_back(&f->r, at, room, size) : NULL;

    if (!text)
        return false;
    unsigned width = followed[text[0]] & WIDTH;
    uint64_t taken = size > width ? tn_load_little(text + 1, width) : size;
    if (size <= width || taken > size - 1 - width)
        return false;
    *out = tn_bytes(text + 1 + width, (size_t)taken);
    return true;
}

static bool take_stack_global(struct tn_scan_follower *f, struct stand *s)
{
    uint8_t         rooms[2][NAME_LIMIT + 16];
    struct tn_bytes module, name;

    if (above(s) < 2)
        return false;
    s->next -= 2;
    return find_text(f, s->next[0], rooms[0], &module) &&
           find_text(f, s->next[1], rooms[1], &name) &&
           push_name(s, module, name);
}

INLINE bool call(struct stand *s)
{
    if (above(s) < 2)
        return false;
    uint64_t *callee = s->next - 2;
    if (KIND_OF(callee[1]) != TUPLE || KIND_OF(callee[0]) != NAME)
        return false;
    s->next--;
    callee[0] = MORE_OF(callee[0]);
    return true;
}

INLINE bool build(struct stand *s)
{
    if (above(s) < 2)
        return false;
    s->next--;
    enum kind kind = KIND_OF(s->next[-1]);
    return kind == OBJECT || kind == DICT || kind == ARRAY;
}

/* Text or bytes after a length of `width` bytes. */
INLINE bool push_run(struct tn_scan_follower *f, struct stand *s,
                     unsigned width, enum kind kind)
{
    uint64_t size  = width == 1   ? s->at[0]
                     : width == 4 ? tn_load32(s->at)
                                  : tn_load64(s->at);
    uint64_t value = f->r.at - f->r.begin + (uint64_t)(s->at - 1 - f->r.window);

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
           push(s, kind | value << KIND_BITS);
}

INLINE bool close_into(struct tn_scan_follower *f, struct stand *s,
                       enum kind kind)
{
    uint64_t count;

    return close_mark(f, s, &count) && !(kind == DICT && count % 2) &&
           push(s, kind);
}

INLINE bool add_marked(struct tn_scan_follower *f, struct stand *s,
                       enum kind kind)
{
    uint64_t count;

    return close_mark(f, s, &count) && add_items(s, kind, count);
}

INLINE bool add_top(struct stand *s, enum kind kind, uint64_t count)
{
    if (above(s) <= count)
        return false;
    s->next -= count;
    return add_items(s, kind, count);
}

INLINE bool push_short_tuple(struct stand *s, uint64_t count)
{
    if (above(s) < count)
        return false;
    s->next -= count;
    return push(s, TUPLE);
}

/* Replaces an id by the object outside the pickle that it stands for. */
INLINE bool take_outside(struct stand *s)
{
    if (!above(s))
        return false;
    s->next[-1] = DATA;
    return true;
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
static bool take_line(struct tn_scan_follower *f, struct stand *s,
                      uint8_t opcode)
{
    const uint8_t *line = s->at,
                  *end  = s->at < s->end
                              ? memchr(line, '\n', (size_t)(s->end - line))
                              : NULL;

    if (!end || may_nest_in_line(opcode, line))
        return false;
    s->at = end + 1;
    return opcode == 'p'   ? put(f, s, read_slot(line, end))
           : opcode == 'g' ? get(f, s, read_slot(line, end))
                           : push(s, DATA);
}

/* Opcodes of names and lines, and STOP.  All others need the machine. */
static bool follow_rare(struct tn_scan_follower *f, struct stand *s,
                        uint8_t opcode)
{
    switch (opcode) {
    case 'I':
    case 'L':
    case 'F':
    case 'S':
    case 'V':
    case 'p':
    case 'g': return take_line(f, s, opcode);
    case 'c': return take_global(s);
    case 0x93: return take_stack_global(f, s);
    case '.':
        f->is_done = s->next == f->stack.wide + 1 && f->marks.count == 0;
        return f->is_done;
    }
    return false;
}

/* Follows one opcode, as follow_window() describes.  False if the machine would
 * report something about it. */
INLINE bool follow(struct tn_scan_follower *f, struct stand *s)
{
    struct stand copy;
    uint64_t     count;
    uint8_t      opcode = *s->at++;
    bool         is_fine;

#define DATA_OF(size) (s->at += (size), push(s, DATA))
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
    case '}': return push(s, DICT);
    case ']': return push(s, LIST);
    case ')': return push(s, TUPLE);
    case 0x8f: return push(s, SET);
    case '(': return push_mark(f, s);
    case 0x85: return push_short_tuple(s, 1);
    case 0x86: return push_short_tuple(s, 2);
    case 0x87: return push_short_tuple(s, 3);
    case 't': return close_into(f, s, TUPLE);
    case 'd': return close_into(f, s, DICT);
    case 'l': return close_into(f, s, LIST);
    case 0x91: return close_into(f, s, SET);
    case 's': return add_top(s, DICT, 2);
    case 'a': return add_top(s, LIST, 1);
    case 'u': return add_marked(f, s, DICT);
    case 'e': return add_marked(f, s, LIST);
    case 0x90: return add_marked(f, s, SET);
    case '0': return drop(f, s);
    case '1': return close_mark(f, s, &count);
    case '2': return above(s) && push(s, s->next[-1]);
    case 'q': return s->at += 1, put(f, s, s->at[-1]);
    case 'r': return s->at += 4, put(f, s, tn_load32(s->at - 4));
    case 0x94: return put_next(f, s);
    case 'h': return s->at += 1, get(f, s, s->at[-1]);
    case 'j': return s->at += 4, get(f, s, tn_load32(s->at - 4));
    case 'R':
    case 0x81: return call(s);
    case 'b': return build(s);
    case 'Q': return take_outside(s);
    case 0x95: return s->at += 8, true;
    }
#undef DATA_OF
    copy    = *s;
    is_fine = follow_rare(f, &copy, opcode);
    *s      = copy;
    return is_fine && !f->is_done;
}

/* Opcodes in the window; false if one needs the machine.  One that could reach
 * over the end of the window waits for the next window; there are zeros after
 * the last. */
static bool follow_window(struct tn_scan_follower *f, struct stand *stand,
                          size_t *used)
{
    if (!make_stack_room(f, stand) ||
        !make_memo_room(f, stand, slots(f, stand)))
        return false;

    struct stand s = *stand;

    s.end  = f->r.window + f->r.size;
    s.skip = 0;
    const uint8_t *last =
        f->r.size > NAME_ROOM && has_more(&f->r) ? s.end - NAME_ROOM : s.end;
    bool is_fine = true;

    while (is_fine && s.at < last)
        is_fine = follow(f, &s);
    *stand = s;
    *used  = (size_t)(s.at - f->r.window);
    return s.at <= s.end && (is_fine || f->is_done);
}

static bool follow_all(struct tn_scan_follower *f, uint64_t *length)
{
    const uint8_t *begin = find_begin(&f->r);
    struct stand   s     = { .next  = f->stack.wide,
                             .floor = f->stack.wide,
                             .slot  = f->memo.narrow };
    size_t         used;

    if (!begin)
        return false;
    f->marks.count = f->gaps = 0;
    f->is_done               = false;
    for (s.at = begin + protocol_size(&f->r, begin);; s.at = f->r.window) {
        if (!follow_window(f, &s, &used))
            return false;
        if (f->is_done) {
            *length = f->r.at + used - f->r.begin;
            return true;
        }
        if ((!used && !s.skip) || !move_on(&f->r, used, s.skip))
            return false;
    }
}

struct tn_scan_follower *tn_scan_follower_new(struct tn_span    span,
                                              struct tn_memory *memory,
                                              struct tn_error  *error)
{
    struct tn_scan_follower *f =
        tn_memory_resize(memory, NULL, 0, sizeof *f, error);

    if (f)
        *f = (struct tn_scan_follower){
            .r     = { .span = span, .memory = memory },
            .stack = { .size = sizeof(uint64_t) },
            .memo  = { .size = sizeof(uint32_t) },
            .marks = { .size = sizeof(uint64_t) },
        };
    return f;
}

static void free_values(struct tn_scan_follower *f, struct values *v)
{
    if (v->items)
        tn_memory_free(f->r.memory, v->items, v->room * v->size);
}

void tn_scan_follower_free(struct tn_scan_follower *f)
{
    if (!f)
        return;
    if (f->r.window)
        tn_memory_free(f->r.memory, f->r.window, WINDOW + PADDING);
    free_values(f, &f->stack);
    free_values(f, &f->marks);
    free_values(f, &f->memo);
    tn_memory_free(f->r.memory, f, sizeof *f);
}

bool tn_scan_is_harmless(struct tn_scan_follower *f, uint64_t at,
                         uint64_t *length, struct tn_error *error)
{
    f->r.error = error;
    f->r.begin = at;
    if (!open_window(&f->r))
        return false;
    if (!f->has_names && is_data(&f->r, length))
        return true;
    f->has_names = !tn_failed(error) && follow_all(f, length);
    return f->has_names && !tn_failed(error);
}
