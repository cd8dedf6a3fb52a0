/*
 * javaser_write.c - writing Java object streams; javaser.h has the map
 *
 * The bytes are those of Java's own writer for a map that was filled with
 * boxed numbers: those from -128 to 127 are one object each, wherever they
 * occur, and all others are new ones.
 */
#include "base/utf8.h"
#include "wire/javaser/javaser.h"
#include "wire/javaser/javaser_class.h"

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

static uint32_t code_at(const uint8_t *at, unsigned size)
{
    uint32_t code = size == 1 ? at[0] : at[0] & (0x7fu >> size);

    for (unsigned i = 1; i < size; i++)
        code = code << 6 | (at[i] & 0x3fu);
    return code;
}

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
        uint32_t code = code_at(at, size) - 0x10000;
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
