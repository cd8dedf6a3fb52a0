/* byte_view.h - views of bytes: making and comparing them */
#ifndef TN_BASE_BYTE_VIEW_H
#define TN_BASE_BYTE_VIEW_H

#include <stdbool.h>
#include <string.h>

#include <tenon/bytes.h>

static inline struct tn_bytes tn_bytes(const void *data, size_t size)
{
    return (struct tn_bytes){ (const uint8_t *)data, size };
}

static inline struct tn_bytes tn_text(const char *text)
{
    return tn_bytes(text, strlen(text));
}

static inline bool tn_bytes_equal(struct tn_bytes a, struct tn_bytes b)
{
    return a.size == b.size && (a.size == 0 || !memcmp(a.data, b.data, a.size));
}

static inline bool tn_bytes_is(struct tn_bytes a, const char *text)
{
    return tn_bytes_equal(a, tn_text(text));
}

/* Compares by unsigned bytes; a text comes before longer ones that begin with
 * it.  Below 0, 0 or above 0. */
static inline int tn_bytes_compare(struct tn_bytes a, struct tn_bytes b)
{
    size_t size  = a.size < b.size ? a.size : b.size;
    int    order = size ? memcmp(a.data, b.data, size) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* How many bytes both begin with. */
static inline size_t tn_bytes_shared(struct tn_bytes a, struct tn_bytes b)
{
    size_t most = a.size < b.size ? a.size : b.size, at = 0;

    while (at + 8 <= most && memcmp(a.data + at, b.data + at, 8) == 0)
        at += 8;
    while (at < most && a.data[at] == b.data[at])
        at++;
    return at;
}

static inline bool tn_bytes_starts_with(struct tn_bytes a, const char *start)
{
    size_t size = strlen(start);

    return a.size >= size && (size == 0 || !memcmp(a.data, start, size));
}

static inline bool tn_bytes_ends_with(struct tn_bytes a, const char *end)
{
    size_t size = strlen(end);

    return a.size >= size &&
           (size == 0 || !memcmp(a.data + a.size - size, end, size));
}

static inline bool tn_bytes_contains(struct tn_bytes a, struct tn_bytes part)
{
    for (size_t i = 0; i + part.size <= a.size; i++)
        if (tn_bytes_equal(tn_bytes(a.data + i, part.size), part))
            return true;
    return false;
}

static inline bool tn_text_ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);

    return size >= tail && strcmp(text + size - tail, end) == 0;
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int tn_hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* For printf's "%.*s": pass TN_FMT(view). */
#define TN_FMT(view)                                                           \
    (int)((view).size > 4096 ? 4096 : (view).size),                            \
        (view).size ? (const char *)(view).data : ""

/* The first such byte, or NULL.  Unlike memchr() it accepts a view whose data
 * is NULL, as that of every empty view may be. */
static inline const uint8_t *tn_bytes_find(struct tn_bytes a, int byte)
{
    return a.size ? memchr(a.data, byte, a.size) : NULL;
}

#endif
