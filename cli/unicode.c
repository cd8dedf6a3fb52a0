/* unicode.c - untrusted UTF-8: decoding, characters that are safe to print,
 * widths */
#include "unicode.h"

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t point)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    return false;
}

#include "width_tables.h"

#define IS_IN(ranges, point)                                                   \
    is_in(ranges, sizeof(ranges) / sizeof(ranges)[0], point)

/* How long the sequence claims to be; 0 for a byte that cannot begin one. */
static size_t claimed_length(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

size_t cli_utf8(const uint8_t *at, size_t left, uint32_t *point)
{
    static const uint8_t  masks[]   = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    static const uint32_t minimum[] = { 0, 0, 0x80, 0x800, 0x10000 };

    size_t length = left > 0 ? claimed_length(at[0]) : 0;
    if (length == 0 || length > left)
        return 0;
    uint32_t value = at[0] & masks[length];
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < minimum[length] || value > 0x10ffff || is_surrogate)
        return 0;
    *point = value;
    return length;
}

bool cli_is_safe(uint32_t point)
{
    static const struct range unsafe[] = {
        { 0x0000, 0x001f },   /* C0 controls: escape sequences begin here     */
        { 0x007f, 0x009f },   /* delete, C1 controls                          */
        { 0x00ad, 0x00ad },   /* soft hyphen                                  */
        { 0x061c, 0x061c },   /* Arabic letter mark                           */
        { 0x200b, 0x200f },   /* zero width and direction marks               */
        { 0x2028, 0x202e },   /* line ends, direction overrides               */
        { 0x2060, 0x206f },   /* invisible operators, direction isolates      */
        { 0xfeff, 0xfeff },   /* byte order mark                              */
        { 0xfff9, 0xfffb },   /* annotation marks                             */
        { 0xe0000, 0xe0fff }, /* tags and variation selectors                 */
    };

    if (point >= 0x20 && point < 0x7f) /* nearly always */
        return true;
    return !IS_IN(unsafe, point);
}

/* In a table that is sorted. */
static bool has(const struct range *ranges, size_t count, uint32_t point)
{
    size_t first = 0;

    while (count > 0) {
        size_t middle = first + count / 2;
        if (point > ranges[middle].last) {
            first = middle + 1;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return ranges[first].first <= point && point <= ranges[first].last;
}

#define HAS(ranges, point)                                                     \
    (point <= ranges[sizeof(ranges) / sizeof(ranges)[0] - 1].last &&           \
     has(ranges, sizeof(ranges) / sizeof(ranges)[0], point))

unsigned cli_point_width(uint32_t point)
{
    if (point < 0x300) /* nearly always */
        return 1;
    if (HAS(combining, point))
        return 0;
    return HAS(wide, point) ? 2 : 1;
}

/* Nearly all names are ASCII: those bytes need no decoding. */
static size_t safe_length(const uint8_t *at, size_t left)
{
    uint32_t point = 0;

    if (at[0] >= 0x20 && at[0] < 0x7f)
        return 1;
    size_t length = cli_utf8(at, left, &point);
    return length > 0 && cli_is_safe(point) ? length : 0;
}

size_t cli_safe_prefix(const uint8_t *at, size_t left, char stop)
{
    size_t size = 0;

    while (size < left && at[size] != '\\' && at[size] != (uint8_t)stop) {
        size_t length = safe_length(at + size, left - size);
        if (length == 0)
            break;
        size += length;
    }
    return size;
}
