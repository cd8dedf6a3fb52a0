/* utf8.h - UTF-8, strictly: no overlong forms, no surrogates, no U+110000 */
#ifndef TN_BASE_UTF8_H
#define TN_BASE_UTF8_H

#include "base/byte_view.h"

/* Length of a character by its first byte; 0 if no character begins so. */
static inline unsigned tn_utf8_size(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Length of the character that begins here; 0 if it is cut short or invalid. */
static inline unsigned tn_utf8_check(const uint8_t *at, const uint8_t *end)
{
    unsigned size = at < end ? tn_utf8_size(*at) : 0;

    if (size == 0 || size > (size_t)(end - at))
        return 0;
    for (unsigned i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if (size == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || /* overlong */
                      (at[0] == 0xed && at[1] > 0x9f)))  /* surrogate */
        return 0;
    if (size == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || /* overlong */
                      (at[0] == 0xf4 && at[1] > 0x8f)))  /* past the end */
        return 0;
    return size;
}

static inline bool tn_utf8_has_eight_ascii(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return !(word & UINT64_C(0x8080808080808080));
}

/* Names in model files are nearly always ASCII: eight bytes at a time; the last
 * eight overlap the ones before. */
static inline size_t tn_utf8_skip_ascii(struct tn_bytes text, size_t at)
{
    while (text.size - at >= 8) {
        if (!tn_utf8_has_eight_ascii(text.data + at))
            return at;
        at += 8;
    }
    if (text.size >= 8 && tn_utf8_has_eight_ascii(text.data + text.size - 8))
        return text.size;
    return at;
}

static inline bool tn_utf8_is_valid(struct tn_bytes text)
{
    for (size_t at = tn_utf8_skip_ascii(text, 0); at < text.size;) {
        unsigned size = tn_utf8_check(text.data + at, text.data + text.size);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

/* The character of `size` bytes that begins here; it must be valid. */
static inline uint32_t tn_utf8_code(const uint8_t *at, unsigned size)
{
    uint32_t code = size == 1 ? at[0] : at[0] & (0x7fu >> size);

    for (unsigned i = 1; i < size; i++)
        code = code << 6 | (at[i] & 0x3fu);
    return code;
}

/* Whether a character controls a terminal, or affects the text around it,
 * instead of being shown.  Code that prints names from files escapes these.
 * The command has the same list, in unicode.c. */
static inline bool tn_utf8_is_harmful(uint32_t code)
{
    if (code >= 0x20 && code < 0x7f) /* nearly always */
        return false;
    return code <= 0x9f ||                       /* C0, delete, C1            */
           code == 0xad ||                       /* soft hyphen               */
           code == 0x61c ||                      /* Arabic letter mark        */
           (code >= 0x200b && code <= 0x200f) || /* zero width, directions    */
           (code >= 0x2028 && code <= 0x202e) || /* line ends, overrides      */
           (code >= 0x2060 && code <= 0x206f) || /* invisible, isolates       */
           code == 0xfeff ||                     /* byte order mark           */
           (code >= 0xfff9 && code <= 0xfffb) || /* annotations               */
           (code >= 0xe0000 && code <= 0xe0fff); /* tags                      */
}

/* As much of the text as `most` bytes hold, without half a character. */
static inline struct tn_bytes tn_utf8_cut(struct tn_bytes text, size_t most)
{
    if (text.size <= most)
        return text;
    while (most > 0 && (text.data[most] & 0xc0) == 0x80)
        most--;
    return tn_bytes(text.data, most);
}

/* Writes at most four bytes; returns how many.  `code` is a character. */
static inline unsigned tn_utf8_put(uint8_t *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (uint8_t)code;
        return 1;
    }
    unsigned size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (unsigned i = size - 1; i > 0; i--, code >>= 6)
        to[i] = (uint8_t)(0x80 | (code & 0x3f));
    to[0] = (uint8_t)(0xf00u >> size | code);
    return size;
}

#endif
