/* javaser.c - reading Java object streams; javaser.h has the map */
#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/intern.h"
#include "base/utf8.h"
#include "wire/javaser/javaser.h"

#define TN_JAVA_MAGIC        UINT32_C(0xaced0005)
#define TN_JAVA_FIRST_HANDLE UINT32_C(0x7e0000)

enum tn_java_code {
    TN_JAVA_NULL        = 0x70,
    TN_JAVA_REFERENCE   = 0x71,
    TN_JAVA_CLASS       = 0x72,
    TN_JAVA_OBJECT      = 0x73,
    TN_JAVA_STRING      = 0x74,
    TN_JAVA_BLOCK       = 0x77,
    TN_JAVA_END         = 0x78,
    TN_JAVA_LONG_STRING = 0x7c,
};

struct tn_java_field {
    char        type;
    const char *name;
};

struct tn_java_class {
    const char                 *name;
    uint64_t                    uid;
    uint8_t                     flags; /* 2: serializable, 1: with own data   */
    uint8_t                     field_count;
    struct tn_java_field        fields[2];
    const struct tn_java_class *super;
};

extern const struct tn_java_class tn_java_map, tn_java_pair, tn_java_long;

/* What every field of type 'L' is declared as. */
#define TN_JAVA_OBJECT_TYPE "Ljava/lang/Object;"

/* ---- the five classes that a table of places is made of ----------------- */

static const struct tn_java_class hash_map = {
    .name        = "java.util.HashMap",
    .uid         = UINT64_C(0x0507dac1c31660d1),
    .flags       = 3,
    .field_count = 2,
    .fields      = { { 'F', "loadFactor" }, { 'I', "threshold" } },
};

const struct tn_java_class tn_java_map = {
    .name        = "java.util.LinkedHashMap",
    .uid         = UINT64_C(0x34c04e5c106cc0fb),
    .flags       = 2,
    .field_count = 1,
    .fields      = { { 'Z', "accessOrder" } },
    .super       = &hash_map,
};

const struct tn_java_class tn_java_pair = {
    .name        = "org.nd4j.common.primitives.Pair",
    .uid         = UINT64_C(0x77),
    .flags       = 2,
    .field_count = 2,
    .fields      = { { 'L', "key" }, { 'L', "value" } },
};

static const struct tn_java_class number_class = {
    .name  = "java.lang.Number",
    .uid   = UINT64_C(0x86ac951d0b94e08b),
    .flags = 2,
};

const struct tn_java_class tn_java_long = {
    .name        = "java.lang.Long",
    .uid         = UINT64_C(0x3b8be490cc8f23df),
    .flags       = 2,
    .field_count = 1,
    .fields      = { { 'J', "value" } },
    .super       = &number_class,
};

/* What a handle names. */
enum kind { KIND_CLASS, KIND_STRING, KIND_MAP, KIND_PAIR, KIND_LONG };

struct handle {
    enum kind kind;
    const struct tn_java_class *class;
    struct tn_bytes text;          /* as UTF-8                             */
    int64_t         first, second; /* a Long has but the first    */
};

struct reader {
    struct tn_cursor *c;
    struct tn_arena  *arena;
    struct tn_list    handles; /* struct handle                               */
    struct tn_intern  keys;
    struct tn_list   *entries;
    struct handle     nothing; /* to write to after a failure                 */
};

/* Bytes of the least entry: an empty key, and a handle for its value. */
#define ENTRY_MIN 8

/* ---- numbers ------------------------------------------------------------ */

static uint64_t big(struct tn_cursor *c, unsigned size)
{
    const uint8_t *p     = tn_take(c, size);
    uint64_t       value = 0;

    for (unsigned i = 0; p && i < size; i++)
        value = value << 8 | p[i];
    return value;
}

/* ---- type codes --------------------------------------------------------- */

static const char *const code_names[] = {
    "null",          "a handle",      "a class",         "an object",
    "a string",      "an array",      "a class itself",  "block data",
    "an end mark",   "a reset",       "long block data", "an exception",
    "a long string", "a proxy class", "an enum",
};

#define CODE_COUNT (sizeof code_names / sizeof code_names[0])

/* A code of Java's that this stream should not have, or an unknown one. */
static void refuse_code(struct tn_cursor *c, uint64_t offset, uint8_t code,
                        const char *wanted)
{
    unsigned index = code - (unsigned)TN_JAVA_NULL;

    if (index < CODE_COUNT)
        tn_fail_at(c, offset, TN_UNSUPPORTED,
                   "%s (type code 0x%02x) where %s was expected",
                   code_names[index], code, wanted);
    else
        tn_fail_at(c, offset, TN_MALFORMED,
                   "byte 0x%02x, no type code, where %s was expected", code,
                   wanted);
}

static uint8_t read_code(struct reader *r, uint64_t *offset)
{
    *offset = r->c->offset;
    return tn_u8(r->c);
}

static void expect_code(struct reader *r, uint8_t wanted, const char *what)
{
    uint64_t offset;
    uint8_t  code = read_code(r, &offset);

    if (code != wanted && !tn_failed(r->c->error))
        refuse_code(r->c, offset, code, what);
}

/* ---- handles ------------------------------------------------------------ */

static struct handle *add_handle(struct reader *r, enum kind kind)
{
    if (tn_failed(r->c->error))
        return &r->nothing;
    struct handle *handle =
        tn_list_push(&r->handles, struct handle, r->c->error);
    if (!handle)
        return &r->nothing;
    handle->kind = kind;
    return handle;
}

/* The object of the handle that comes next; NULL if it is of another kind. */
static const struct handle *read_handle(struct reader *r, enum kind wanted,
                                        const char *what)
{
    uint64_t offset = r->c->offset;
    uint64_t number = big(r->c, 4);
    uint64_t index  = number - TN_JAVA_FIRST_HANDLE;

    if (tn_failed(r->c->error))
        return NULL;
    if (number < TN_JAVA_FIRST_HANDLE || index >= r->handles.count) {
        tn_fail_at(r->c, offset, TN_MALFORMED,
                   "handle 0x%" PRIx64 ", of %" PRIu64 " from 0x%x on", number,
                   r->handles.count, (unsigned)TN_JAVA_FIRST_HANDLE);
        return NULL;
    }
    const struct handle *handle = tn_list_at(&r->handles, struct handle, index);
    if (handle->kind == wanted)
        return handle;
    tn_fail_at(r->c, offset, TN_MALFORMED,
               "handle 0x%" PRIx64 " where %s was expected", number, what);
    return NULL;
}

/* ---- text --------------------------------------------------------------- */

/* The 16-bit unit that begins here, and how many bytes it takes; 0: none. */
static unsigned read_unit(const uint8_t *at, const uint8_t *end, uint32_t *unit)
{
    size_t left = (size_t)(end - at);

    if (at[0] > 0 && at[0] < 0x80) {
        *unit = at[0];
        return 1;
    }
    if ((at[0] & 0xe0) == 0xc0 && left >= 2 && (at[1] & 0xc0) == 0x80) {
        *unit = (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
        return *unit == 0 || *unit >= 0x80 ? 2 : 0;
    }
    if ((at[0] & 0xf0) == 0xe0 && left >= 3 && (at[1] & 0xc0) == 0x80 &&
        (at[2] & 0xc0) == 0x80) {
        *unit = (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
        return *unit >= 0x800 ? 3 : 0;
    }
    return 0;
}

static bool is_high(uint32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* One character; bytes taken, 0 when there is none.  Half of a surrogate pair
 * is valid in Java and cannot be written in UTF-8. */
static unsigned read_character(const uint8_t *at, const uint8_t *end,
                               uint32_t *code)
{
    uint32_t low;
    unsigned size = read_unit(at, end, code);

    if (size == 0 || is_low(*code))
        return 0;
    if (!is_high(*code))
        return size;
    if (at + size == end || read_unit(at + size, end, &low) != 3 ||
        !is_low(low))
        return 0;
    *code = 0x10000 + ((*code - 0xd800) << 10 | (low - 0xdc00));
    return 6;
}

/* The result is never longer: only zeros and pairs become shorter. */
static struct tn_bytes to_utf8(struct reader *r, struct tn_bytes java,
                               uint64_t offset)
{
    const uint8_t *at = java.data, *end = at + java.size;
    uint8_t       *text = tn_arena_alloc(r->arena, java.size, 1, r->c->error);
    size_t         used = 0;

    while (text && at < end) {
        uint32_t code;
        unsigned size = read_character(at, end, &code);
        if (size == 0) {
            tn_fail_at(r->c, offset + (uint64_t)(at - java.data), TN_MALFORMED,
                       "byte 0x%02x begins no character of modified UTF-8",
                       *at);
            return tn_bytes(NULL, 0);
        }
        used += tn_utf8_put(text + used, code);
        at += size;
    }
    return tn_bytes(text, used);
}

/* After the type code of a string. */
static struct tn_bytes read_text(struct reader *r, unsigned length_size)
{
    uint64_t        length = big(r->c, length_size);
    uint64_t        offset = r->c->offset;
    struct tn_bytes java   = tn_take_bytes(r->c, length);

    if (tn_failed(r->c->error))
        return tn_bytes(NULL, 0);
    struct handle *handle = add_handle(r, KIND_STRING);
    if (tn_failed(r->c->error))
        return tn_bytes(NULL, 0);
    return handle->text = to_utf8(r, java, offset);
}

static struct tn_bytes read_string(struct reader *r)
{
    const struct handle *handle;
    uint64_t             offset;
    uint8_t              code = read_code(r, &offset);

    switch (code) {
    case TN_JAVA_STRING: return read_text(r, 2);
    case TN_JAVA_LONG_STRING: return read_text(r, 8);
    case TN_JAVA_REFERENCE:
        handle = read_handle(r, KIND_STRING, "a string");
        return handle ? handle->text : tn_bytes(NULL, 0);
    default:
        if (!tn_failed(r->c->error))
            refuse_code(r->c, offset, code, "a string");
        return tn_bytes(NULL, 0);
    }
}

/* ---- classes ------------------------------------------------------------ */

/* Reads a name without a handle, which must be this one. */
static void expect_name(struct reader *r, const char *wanted, const char *what)
{
    uint64_t        offset = r->c->offset;
    struct tn_bytes name   = tn_take_bytes(r->c, big(r->c, 2));

    if (!tn_failed(r->c->error) && !tn_bytes_is(name, wanted))
        tn_fail_at(r->c, offset, TN_UNSUPPORTED,
                   "%s '%.*s' where '%s' was expected", what, TN_FMT(name),
                   wanted);
}

static void expect_number(struct reader *r, unsigned size, uint64_t wanted,
                          const char *what)
{
    uint64_t offset = r->c->offset;
    uint64_t number = big(r->c, size);

    if (!tn_failed(r->c->error) && number != wanted)
        tn_fail_at(r->c, offset, TN_UNSUPPORTED,
                   "%s 0x%" PRIx64 ", only 0x%" PRIx64 " is known", what,
                   number, wanted);
}

/* All but the superclass. */
static void read_description(struct reader *r,
                             const struct tn_java_class *class)
{
    expect_name(r, class->name, "class");
    expect_number(r, 8, class->uid, "serialVersionUID");
    add_handle(r, KIND_CLASS)->class = class;
    expect_number(r, 1, class->flags, "class flags");
    expect_number(r, 2, class->field_count, "a count of fields of");
    for (unsigned i = 0; i < class->field_count && tn_more(r->c); i++) {
        const struct tn_java_field *field = &class->fields[i];
        expect_number(r, 1, (uint8_t)field->type, "a field of type");
        expect_name(r, field->name, "a field");
        if (field->type != 'L')
            continue;
        uint64_t        offset = r->c->offset;
        struct tn_bytes type   = read_string(r);
        if (!tn_failed(r->c->error) && !tn_bytes_is(type, TN_JAVA_OBJECT_TYPE))
            tn_fail_at(r->c, offset, TN_UNSUPPORTED, "a field of class '%.*s'",
                       TN_FMT(type));
    }
    expect_code(r, TN_JAVA_END, "an end mark");
}

/* The class and what it is made of, or a handle for both. */
static void read_class(struct reader *r, const struct tn_java_class *class)
{
    uint64_t offset;

    for (; class && !tn_failed(r->c->error); class = class->super) {
        uint8_t code = read_code(r, &offset);
        if (code == TN_JAVA_REFERENCE) {
            const struct handle *handle = read_handle(r, KIND_CLASS, "a class");
            if (handle && handle->class != class)
                tn_fail_at(r->c, offset + 1, TN_UNSUPPORTED,
                           "class '%s' where '%s' was expected",
                           handle->class->name, class->name);
            return; /* its superclasses came with it */
        }
        if (code != TN_JAVA_CLASS) {
            if (!tn_failed(r->c->error))
                refuse_code(r->c, offset, code, "a class");
            return;
        }
        read_description(r, class);
    }
    expect_code(r, TN_JAVA_NULL, "no superclass");
}

/* ---- objects ------------------------------------------------------------ */

/* False if it was a handle; then *known is its object. */
static bool begins_object(struct reader *r, enum kind kind, const char *what,
                          const struct tn_java_class *class,
                          const struct handle **known)
{
    uint64_t offset;
    uint8_t  code = read_code(r, &offset);

    *known = NULL;
    if (code == TN_JAVA_REFERENCE) {
        *known = read_handle(r, kind, what);
        return false;
    }
    if (code != TN_JAVA_OBJECT && !tn_failed(r->c->error))
        refuse_code(r->c, offset, code, what);
    read_class(r, class);
    return !tn_failed(r->c->error);
}

static int64_t read_long(struct reader *r)
{
    const struct handle *known;

    if (!begins_object(r, KIND_LONG, "a Long", &tn_java_long, &known))
        return known ? known->first : 0;
    struct handle *handle = add_handle(r, KIND_LONG);
    return handle->first  = (int64_t)big(r->c, 8);
}

/* The pair has its number before its parts, which move the list. */
static void read_pair(struct reader *r, struct tn_javaser_entry *entry)
{
    const struct handle *known;

    if (!begins_object(r, KIND_PAIR, "a Pair", &tn_java_pair, &known)) {
        entry->first  = known ? known->first : 0;
        entry->second = known ? known->second : 0;
        return;
    }
    uint64_t index = r->handles.count;
    add_handle(r, KIND_PAIR);
    entry->first  = read_long(r);
    entry->second = read_long(r);
    if (tn_failed(r->c->error))
        return;
    struct handle *handle = tn_list_at(&r->handles, struct handle, index);
    handle->first         = entry->first;
    handle->second        = entry->second;
}

static void read_entry(struct reader *r)
{
    struct tn_javaser_entry entry = { .offset = r->c->offset };
    uint32_t                known = tn_intern_count(&r->keys);

    entry.key = read_string(r);
    if (tn_failed(r->c->error))
        return;
    if (tn_intern_borrow(&r->keys, entry.key, r->c->error) != known)
        tn_fail_at(r->c, entry.offset, TN_MALFORMED, "the key '%.*s' twice",
                   TN_FMT(entry.key));
    read_pair(r, &entry);
    if (tn_failed(r->c->error))
        return;
    struct tn_javaser_entry *row =
        tn_list_push(r->entries, struct tn_javaser_entry, r->c->error);
    if (row)
        *row = entry;
}

/* As in Java: a number above zero. */
static void read_load_factor(struct reader *r)
{
    uint64_t offset = r->c->offset;
    uint64_t bits   = big(r->c, 4);

    if (!tn_failed(r->c->error) && (bits == 0 || bits > 0x7f800000))
        tn_fail_at(r->c, offset, TN_MALFORMED, "a load factor of bits 0x%08x",
                   (unsigned)bits);
}

static uint64_t read_count(struct reader *r)
{
    expect_code(r, TN_JAVA_BLOCK, "block data");
    expect_number(r, 1, 8, "block data of length");
    big(r->c, 4); /* buckets: a hint, which no reader uses */
    uint64_t offset = r->c->offset;
    uint64_t count  = big(r->c, 4);
    if (!tn_failed(r->c->error) && count > tn_left(r->c) / ENTRY_MIN) {
        tn_fail_at(r->c, offset, TN_MALFORMED,
                   "%" PRIu64 " entries in %" PRIu64 " bytes", count,
                   tn_left(r->c));
        return 0;
    }
    return count;
}

static void read_map(struct reader *r)
{
    expect_code(r, TN_JAVA_OBJECT, "a map");
    read_class(r, &tn_java_map);
    add_handle(r, KIND_MAP);
    read_load_factor(r);
    big(r->c, 4); /* threshold: every reader computes it again */
    uint64_t count = read_count(r);
    for (uint64_t i = 0; i < count && !tn_failed(r->c->error); i++)
        read_entry(r);
    expect_code(r, TN_JAVA_END, "the end of the map");
    uint64_t offset = r->c->offset;
    uint8_t  order  = tn_u8(r->c);
    if (!tn_failed(r->c->error) && order > 1)
        tn_fail_at(r->c, offset, TN_MALFORMED, "a truth of %u", order);
    if (tn_more(r->c))
        tn_fail(r->c, TN_MALFORMED, "%" PRIu64 " bytes after the map",
                tn_left(r->c));
}

enum tn_status tn_javaser_read(struct tn_cursor *c, struct tn_arena *arena,
                               struct tn_list *entries)
{
    struct reader r      = { .c = c, .arena = arena, .entries = entries };
    uint64_t      offset = c->offset, magic = big(c, 4);

    if (!tn_failed(c->error) && magic != TN_JAVA_MAGIC)
        tn_fail_at(c, offset, TN_MALFORMED,
                   "not a Java object stream of version 5");
    tn_list_init(&r.handles, arena->memory, sizeof(struct handle));
    tn_intern_init(&r.keys, arena);
    read_map(&r);
    tn_intern_done(&r.keys);
    tn_list_done(&r.handles);
    return c->error->status;
}

/* ---- writing Java object streams; javaser.h has the map ----------------- */

/*
 * The bytes are those of Java's own writer for a map that was filled with
 * boxed numbers: those from -128 to 127 are one object each, wherever they
 * occur, and all others are new ones.
 */

#define SHARED_LOW  (-128)
#define SHARED_SIZE 256

struct writer {
    struct tn_buffer *to;
    uint32_t          next; /* handle                                         */
    uint32_t          object_type, pair_class, long_class; /* 0: not yet      */
    uint32_t          shared[SHARED_SIZE]; /* Longs that Java keeps           */
};

static void put_big(struct writer *w, uint64_t value, unsigned size)
{
    while (size-- > 0)
        tn_buffer_byte(w->to, (uint8_t)(value >> 8 * size));
}

static void put_code(struct writer *w, enum tn_java_code code)
{
    tn_buffer_byte(w->to, (uint8_t)code);
}

static void put_handle(struct writer *w, uint32_t handle)
{
    put_code(w, TN_JAVA_REFERENCE);
    put_big(w, handle, 4);
}

static void put_name(struct writer *w, const char *name)
{
    put_big(w, strlen(name), 2);
    tn_buffer_text(w->to, name);
}

/* ---- text --------------------------------------------------------------- */

static unsigned java_size(const uint8_t *at, unsigned size)
{
    return size == 1 && at[0] == 0 ? 2 : size == 4 ? 6 : size;
}

static void put_unit(struct writer *w, uint32_t unit)
{
    tn_buffer_byte(w->to, (uint8_t)(0xe0 | unit >> 12));
    tn_buffer_byte(w->to, (uint8_t)(0x80 | (unit >> 6 & 0x3f)));
    tn_buffer_byte(w->to, (uint8_t)(0x80 | (unit & 0x3f)));
}

static void put_character(struct writer *w, const uint8_t *at, unsigned size)
{
    if (size == 1 && at[0] == 0) {
        tn_buffer_add(w->to, tn_bytes("\xc0\x80", 2));
    } else if (size == 4) {
        uint32_t code = tn_utf8_code(at, size) - 0x10000;
        put_unit(w, 0xd800 | code >> 10);
        put_unit(w, 0xdc00 | (code & 0x3ff));
    } else {
        tn_buffer_add(w->to, tn_bytes(at, size));
    }
}

static enum tn_status put_string(struct writer *w, struct tn_bytes text)
{
    const uint8_t *end    = text.data + text.size;
    uint64_t       length = 0;
    unsigned       size;

    if (!tn_utf8_is_valid(text))
        return tn_error_set(w->to->error, TN_INVALID, TN_NOWHERE,
                            "a key that is not UTF-8: '%.*s'", TN_FMT(text));
    for (const uint8_t *at = text.data; at < end; at += size) {
        size = tn_utf8_size(*at);
        length += java_size(at, size);
    }
    bool is_long = length > UINT16_MAX;
    put_code(w, is_long ? TN_JAVA_LONG_STRING : TN_JAVA_STRING);
    put_big(w, length, is_long ? 8 : 2);
    for (const uint8_t *at = text.data; at < end; at += size) {
        size = tn_utf8_size(*at);
        put_character(w, at, size);
    }
    w->next++;
    return w->to->error->status;
}

/* ---- classes ------------------------------------------------------------ */

static void put_field(struct writer *w, const struct tn_java_field *field)
{
    tn_buffer_byte(w->to, (uint8_t)field->type);
    put_name(w, field->name);
    if (field->type != 'L')
        return;
    if (w->object_type) {
        put_handle(w, w->object_type);
        return;
    }
    w->object_type = w->next;
    put_string(w, tn_text(TN_JAVA_OBJECT_TYPE));
}

/* The class with its superclasses; returns its handle. */
static uint32_t put_class(struct writer *w, const struct tn_java_class *class)
{
    uint32_t handle = w->next;

    for (; class; class = class->super) {
        put_code(w, TN_JAVA_CLASS);
        put_name(w, class->name);
        put_big(w, class->uid, 8);
        w->next++;
        put_big(w, class->flags, 1);
        put_big(w, class->field_count, 2);
        for (unsigned i = 0; i < class->field_count; i++)
            put_field(w, &class->fields[i]);
        put_code(w, TN_JAVA_END);
    }
    put_code(w, TN_JAVA_NULL);
    return handle;
}

/* ---- objects ------------------------------------------------------------ */

/* An object begins: its class, in full the first time, and its own number. */
static uint32_t put_object(struct writer *w, const struct tn_java_class *class,
                           uint32_t      *handle)
{
    put_code(w, TN_JAVA_OBJECT);
    if (*handle)
        put_handle(w, *handle);
    else
        *handle = put_class(w, class);
    return w->next++;
}

static void put_long(struct writer *w, int64_t value)
{
    bool is_shared = value >= SHARED_LOW && value < SHARED_LOW + SHARED_SIZE;
    uint32_t *kept = is_shared ? &w->shared[value - SHARED_LOW] : NULL;

    if (kept && *kept) {
        put_handle(w, *kept);
        return;
    }
    uint32_t handle = put_object(w, &tn_java_long, &w->long_class);
    put_big(w, (uint64_t)value, 8);
    if (kept)
        *kept = handle;
}

/* Buckets as Java makes them: a power of two, three quarters of it full. */
static uint32_t bucket_count(uint64_t count)
{
    uint32_t buckets = 16;

    while ((uint64_t)buckets / 4 * 3 < count)
        buckets *= 2;
    return buckets;
}

static void put_map(struct writer *w, uint64_t count)
{
    uint32_t buckets = bucket_count(count), map_class = 0;

    put_object(w, &tn_java_map, &map_class);
    put_big(w, UINT32_C(0x3f400000), 4); /* 0.75 */
    put_big(w, count ? buckets / 4 * 3 : 0, 4);
    put_code(w, TN_JAVA_BLOCK);
    put_big(w, 8, 1);
    put_big(w, buckets, 4);
    put_big(w, count, 4);
}

enum tn_status tn_javaser_write(struct tn_buffer              *to,
                                const struct tn_javaser_entry *entries,
                                uint64_t                       count)
{
    struct writer w = { .to = to, .next = TN_JAVA_FIRST_HANDLE };

    if (count > INT32_MAX / 2)
        return tn_error_set(to->error, TN_LIMIT, TN_NOWHERE,
                            "%" PRIu64 " entries in a Java map", count);
    put_big(&w, TN_JAVA_MAGIC, 4);
    put_map(&w, count);
    for (uint64_t i = 0; i < count && !tn_failed(to->error); i++) {
        put_string(&w, entries[i].key);
        put_object(&w, &tn_java_pair, &w.pair_class);
        put_long(&w, entries[i].first);
        put_long(&w, entries[i].second);
    }
    put_code(&w, TN_JAVA_END);
    put_big(&w, 0, 1); /* in the order of insertion */
    return to->error->status;
}
