/* pickle.c - reading the data in a pickle; pickle.h says what is refused */
#include "wire/pickle/pickle.h"

#include "base/number.h"
#include "wire/pickle/pickle_machine.h"

#define NAME_LIMIT 256

/* ---- values that stand in the file -------------------------------------- */

static void push_run(struct tn_pickle_machine *m, enum tn_pickle_kind kind,
                     uint64_t length)
{
    struct tn_pickle *value = tn_pickle_make(m, kind);

    if (!value)
        return;
    value->as.run.span = (struct tn_span){ m->c->source, m->c->offset, length };
    if (length <= TN_PICKLE_TEXT_LIMIT)
        value->as.run.text = tn_take_bytes(m->c, length);
    else
        tn_skip(m->c, length);
    tn_pickle_push(m, value);
}

static void push_text(struct tn_pickle_machine *m, uint64_t length)
{
    push_run(m, TN_PICKLE_TEXT, length);
}

static void push_bytes(struct tn_pickle_machine *m, uint64_t length)
{
    push_run(m, TN_PICKLE_BYTES, length);
}

/* A container without items, or None. */
static void push_empty(struct tn_pickle_machine *m, uint64_t kind)
{
    tn_pickle_push_new(m, (enum tn_pickle_kind)kind);
}

static void push_int(struct tn_pickle_machine *m, uint64_t integer)
{
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_INT);

    if (value)
        value->as.integer = (int64_t)integer;
}

static void push_int32(struct tn_pickle_machine *m, uint64_t bits)
{
    push_int(m, (uint64_t)(int32_t)(uint32_t)bits);
}

/* Little-endian, two's complement, of any length; Python's longs. */
static void push_long(struct tn_pickle_machine *m, uint64_t size)
{
    const uint8_t *bytes = tn_take(m->c, size);
    uint64_t       value = 0;

    if (!bytes)
        return;
    if (size > 8) {
        tn_fail_at(m->c, m->at, TN_LIMIT, "an integer of %" PRIu64 " bytes",
                   size);
        return;
    }
    if (size > 0 && bytes[size - 1] & 0x80)
        value = UINT64_MAX;
    for (uint64_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    push_int(m, value);
}

/* Reals are big-endian, unlike everything else. */
static void push_real(struct tn_pickle_machine *m, uint64_t swapped)
{
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_REAL);

    if (value)
        value->as.real = tn_double_of_bits(__builtin_bswap64(swapped));
}

static void push_bool(struct tn_pickle_machine *m, uint64_t truth)
{
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_BOOL);

    if (value)
        value->as.truth = truth;
}

/* ---- names -------------------------------------------------------------- */

/* Byte by byte: a source that is not mapped hands out no more at once. */
static struct tn_bytes read_line(struct tn_pickle_machine *m,
                                 char                      line[NAME_LIMIT])
{
    size_t size = 0;

    while (tn_more(m->c)) {
        uint8_t byte = tn_u8(m->c);
        if (byte == '\n' || tn_failed(m->error))
            return tn_bytes(line, size);
        if (size == NAME_LIMIT) {
            tn_pickle_refuse(m, TN_LIMIT, "a name of more than 256 bytes");
            break;
        }
        line[size++] = (char)byte;
    }
    if (!tn_failed(m->error))
        tn_fail(m->c, TN_TRUNCATED, "the name has no end");
    return tn_bytes(line, 0);
}

static void push_global(struct tn_pickle_machine *m)
{
    char            module[NAME_LIMIT], name[NAME_LIMIT];
    struct tn_bytes first = read_line(m, module);

    tn_pickle_push_name(m, first, read_line(m, name));
}

static void push_stack_global(struct tn_pickle_machine *m)
{
    struct tn_pickle *name = tn_pickle_pop(m), *module = tn_pickle_pop(m);

    if (!name || !module)
        return;
    if (name->kind != TN_PICKLE_TEXT || module->kind != TN_PICKLE_TEXT)
        tn_pickle_refuse(m, TN_MALFORMED, "a name that is not text");
    tn_pickle_push_name(m, module->as.run.text, name->as.run.text);
}

/* ---- the opcodes -------------------------------------------------------- */

/* Into the slot that comes next. */
static void memoize_next(struct tn_pickle_machine *m)
{
    tn_pickle_memoize(m, m->memoized);
}

/* Where a frame begins says nothing that the opcodes do not say. */
static void skip_frame(struct tn_pickle_machine *m, uint64_t length)
{
    (void)m;
    (void)length;
}

static void stop(struct tn_pickle_machine *m)
{
    m->is_done = true;
}

/* An opcode runs on what is on the stack, or takes an argument: `size` bytes of
 * the file, little-endian, or `given` when that is 0.  Neither: it is refused.
 */
struct opcode {
    const char *name; /* Python's */
    void (*run)(struct tn_pickle_machine *m);
    void (*take)(struct tn_pickle_machine *m, uint64_t argument);
    uint8_t size, given;
};

/* Begins a pickle, and stands nowhere else. */
#define PROTO 0x80

/* clang-format off */
#define RUN(function)         .run = function
#define GIVE(value, function) .take = function, .given = value
#define READ(bytes, function) .take = function, .size = bytes
#define REFUSE(text)          { .name = text }

static const struct opcode opcodes[256] = {
    ['(']  = { "MARK",             RUN(tn_pickle_push_mark) },
    ['.']  = { "STOP",             RUN(stop) },
    ['N']  = { "NONE",             GIVE(TN_PICKLE_NONE, push_empty) },
    [0x88] = { "NEWTRUE",          GIVE(true, push_bool) },
    [0x89] = { "NEWFALSE",         GIVE(false, push_bool) },
    ['K']  = { "BININT1",          READ(1, push_int) },
    ['M']  = { "BININT2",          READ(2, push_int) },
    ['J']  = { "BININT",           READ(4, push_int32) },
    [0x8a] = { "LONG1",            READ(1, push_long) },
    ['G']  = { "BINFLOAT",         READ(8, push_real) },
    [0x8c] = { "SHORT_BINUNICODE", READ(1, push_text) },
    ['X']  = { "BINUNICODE",       READ(4, push_text) },
    [0x8d] = { "BINUNICODE8",      READ(8, push_text) },
    ['C']  = { "SHORT_BINBYTES",   READ(1, push_bytes) },
    ['B']  = { "BINBYTES",         READ(4, push_bytes) },
    [0x8e] = { "BINBYTES8",        READ(8, push_bytes) },
    [0x96] = { "BYTEARRAY8",       READ(8, push_bytes) },
    ['U']  = { "SHORT_BINSTRING",  READ(1, push_bytes) },
    ['T']  = { "BINSTRING",        READ(4, push_bytes) },
    ['}']  = { "EMPTY_DICT",       GIVE(TN_PICKLE_DICT, push_empty) },
    ['s']  = { "SETITEM",          RUN(tn_pickle_set_item) },
    ['u']  = { "SETITEMS",         RUN(tn_pickle_set_items) },
    [']']  = { "EMPTY_LIST",       GIVE(TN_PICKLE_LIST, push_empty) },
    ['a']  = { "APPEND",           RUN(tn_pickle_append_item) },
    ['e']  = { "APPENDS",          RUN(tn_pickle_append_items) },
    [')']  = { "EMPTY_TUPLE",      GIVE(TN_PICKLE_TUPLE, push_empty) },
    [0x85] = { "TUPLE1",           GIVE(1, tn_pickle_push_short_tuple) },
    [0x86] = { "TUPLE2",           GIVE(2, tn_pickle_push_short_tuple) },
    [0x87] = { "TUPLE3",           GIVE(3, tn_pickle_push_short_tuple) },
    ['t']  = { "TUPLE",            RUN(tn_pickle_push_tuple) },
    [0x94] = { "MEMOIZE",          RUN(memoize_next) },
    ['q']  = { "BINPUT",           READ(1, tn_pickle_memoize) },
    ['r']  = { "LONG_BINPUT",      READ(4, tn_pickle_memoize) },
    ['h']  = { "BINGET",           READ(1, tn_pickle_fetch) },
    ['j']  = { "LONG_BINGET",      READ(4, tn_pickle_fetch) },
    ['c']  = { "GLOBAL",           RUN(push_global) },
    [0x93] = { "STACK_GLOBAL",     RUN(push_stack_global) },
    ['R']  = { "REDUCE",           RUN(tn_pickle_reduce) },
    [0x81] = { "NEWOBJ",           RUN(tn_pickle_reduce) },
    ['b']  = { "BUILD",            RUN(tn_pickle_build) },
    [0x95] = { "FRAME",            READ(8, skip_frame) },

    /* Data does not need these. */
    ['0']  = REFUSE("POP"),       ['1']  = REFUSE("POP_MARK"),
    ['2']  = REFUSE("DUP"),       ['F']  = REFUSE("FLOAT"),
    ['I']  = REFUSE("INT"),       ['L']  = REFUSE("LONG"),
    [0x8b] = REFUSE("LONG4"),     ['S']  = REFUSE("STRING"),
    ['V']  = REFUSE("UNICODE"),   ['d']  = REFUSE("DICT"),
    ['l']  = REFUSE("LIST"),      [0x8f] = REFUSE("EMPTY_SET"),
    [0x90] = REFUSE("ADDITEMS"),  [0x91] = REFUSE("FROZENSET"),
    ['g']  = REFUSE("GET"),       ['p']  = REFUSE("PUT"),
    ['P']  = REFUSE("PERSID"),    ['Q']  = REFUSE("BINPERSID"),
    [0x82] = REFUSE("EXT1"),      [0x83] = REFUSE("EXT2"),
    [0x84] = REFUSE("EXT4"),      ['i']  = REFUSE("INST"),
    ['o']  = REFUSE("OBJ"),       [0x92] = REFUSE("NEWOBJ_EX"),
    [0x97] = REFUSE("NEXT_BUFFER"), [0x98] = REFUSE("READONLY_BUFFER"),
};
/* clang-format on */

static TN_COLD void refuse_opcode(struct tn_pickle_machine *m, uint8_t opcode)
{
    if (opcodes[opcode].name)
        tn_fail_at(m->c, m->at, TN_UNSUPPORTED,
                   "the opcode %s, which data does not need",
                   opcodes[opcode].name);
    else
        tn_fail_at(m->c, m->at, TN_MALFORMED, "0x%02x is not an opcode",
                   opcode);
}

static uint64_t read_argument(struct tn_cursor *c, unsigned size)
{
    const uint8_t *bytes = tn_take(c, size);

    return bytes ? tn_load_little(bytes, size) : 0;
}

static void step(struct tn_pickle_machine *m)
{
    m->at                       = m->c->offset;
    uint8_t              opcode = tn_u8(m->c);
    const struct opcode *op     = &opcodes[opcode];
    uint64_t argument = op->size ? read_argument(m->c, op->size) : op->given;

    if (tn_failed(m->error))
        return;
    if (op->run)
        op->run(m);
    else if (op->take)
        op->take(m, argument);
    else
        refuse_opcode(m, opcode);
}

static void expect_protocol(struct tn_pickle_machine *m)
{
    m->at            = m->c->offset;
    uint8_t opcode   = tn_u8(m->c);
    uint8_t protocol = tn_u8(m->c);

    if (tn_failed(m->error))
        return;
    if (opcode != PROTO)
        tn_pickle_refuse(m, TN_MALFORMED,
                         "not a pickle of protocol 2 or later");
    else if (protocol < 2 || protocol > 5)
        tn_fail_at(m->c, m->at, TN_UNSUPPORTED, "pickle protocol %u", protocol);
}

static struct tn_pickle *finish(struct tn_pickle_machine *m)
{
    if (m->stack.count != 1 || m->marks.count != 0) {
        tn_pickle_refuse(m, TN_MALFORMED,
                         "the pickle ends with other than one value");
        return NULL;
    }
    struct tn_pickle *result = tn_pickle_pop(m);
    if (result && result->kind == TN_PICKLE_NAME)
        tn_pickle_refuse(m, TN_UNSUPPORTED, "a name as a value");
    return result;
}

enum tn_status tn_pickle_read(struct tn_cursor *c, struct tn_arena *arena,
                              const struct tn_pickle **result)
{
    struct tn_pickle_machine m = { .c = c, .arena = arena, .error = c->error };

    *result = NULL;
    tn_list_init(&m.stack, arena->memory, sizeof(struct tn_pickle *));
    tn_list_init(&m.marks, arena->memory, sizeof(uint64_t));
    tn_list_init(&m.memo, arena->memory, sizeof(struct tn_pickle *));
    expect_protocol(&m);
    while (!m.is_done && !tn_failed(m.error))
        step(&m);
    if (!tn_failed(m.error))
        *result = finish(&m);
    tn_list_done(&m.stack);
    tn_list_done(&m.marks);
    tn_list_done(&m.memo);
    return c->error->status;
}

/* ---- looking at the result ---------------------------------------------- */

struct tn_bytes tn_pickle_text(const struct tn_pickle *value)
{
    bool is_run =
        value->kind == TN_PICKLE_BYTES || value->kind == TN_PICKLE_TEXT;

    return is_run ? value->as.run.text : tn_bytes(NULL, 0);
}

const struct tn_pickle *tn_pickle_find_key(const struct tn_pickle *dict,
                                           struct tn_bytes         key)
{
    if (dict->kind != TN_PICKLE_DICT)
        return NULL;
    for (uint64_t i = 0; i + 1 < dict->as.list.count; i += 2) {
        const struct tn_pickle *item = dict->as.list.items[i];
        if ((item->kind == TN_PICKLE_TEXT || item->kind == TN_PICKLE_BYTES) &&
            tn_bytes_equal(tn_pickle_text(item), key))
            return dict->as.list.items[i + 1];
    }
    return NULL;
}

const struct tn_pickle *tn_pickle_find(const struct tn_pickle *dict,
                                       const char             *key)
{
    return tn_pickle_find_key(dict, tn_text(key));
}
