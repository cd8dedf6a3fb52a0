/* flex.c - maps of FlexBuffers: names and numbers */
#include "wire/fb/flex.h"

#include <string.h>

#include "base/byte_view.h"

enum {
    TYPE_INT   = 1,
    TYPE_UINT  = 2,
    TYPE_FLOAT = 3,
    TYPE_STRING = 5,
    TYPE_INDIRECT_INT,
    TYPE_INDIRECT_UINT,
    TYPE_INDIRECT_FLOAT,
    TYPE_MAP  = 9,
    TYPE_BOOL = 26,
};

static bool is_width(unsigned width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

/* Whether `size` bytes are at `at`. */
static bool is_inside(struct tn_bytes bytes, uint64_t at, uint64_t size)
{
    return at <= bytes.size && size <= bytes.size - at;
}

static bool read_uint(struct tn_bytes bytes, uint64_t at, unsigned width,
                      uint64_t *number)
{
    *number = 0;
    if (!is_inside(bytes, at, width))
        return false;
    for (unsigned i = 0; i < width; i++)
        *number |= (uint64_t)bytes.data[at + i] << (8 * i);
    return true;
}

static bool read_int(struct tn_bytes bytes, uint64_t at, unsigned width,
                     int64_t *number)
{
    uint64_t raw;

    if (!read_uint(bytes, at, width, &raw))
        return false;
    if (width < 8 && raw >> (8 * width - 1))
        raw |= UINT64_MAX << (8 * width);
    memcpy(number, &raw, sizeof raw);
    return true;
}

static bool read_float(struct tn_bytes bytes, uint64_t at, unsigned width,
                       double *number)
{
    uint64_t raw;

    if ((width != 4 && width != 8) || !read_uint(bytes, at, width, &raw))
        return false;
    if (width == 8) {
        memcpy(number, &raw, sizeof raw);
    } else {
        uint32_t short_raw = (uint32_t)raw;
        float    one;
        memcpy(&one, &short_raw, sizeof one);
        *number = (double)one;
    }
    return true;
}

/* Where the offset at `at` leads to. */
static bool follow(struct tn_bytes bytes, uint64_t at, unsigned width,
                   uint64_t *to)
{
    uint64_t back;

    if (!read_uint(bytes, at, width, &back) || back > at)
        return false;
    *to = at - back;
    return true;
}

bool tn_flex_open(struct tn_flex_map *map, struct tn_bytes bytes)
{
    uint64_t key_width, ends;
    unsigned root;

    *map = (struct tn_flex_map){ .bytes = bytes };
    if (bytes.size < 3)
        return false;
    root       = bytes.data[bytes.size - 1];
    map->width = 1u << (bytes.data[bytes.size - 2] & 3);
    if (!is_width(root) || bytes.data[bytes.size - 2] >> 2 != TYPE_MAP ||
        bytes.size < 2 + (uint64_t)root ||
        !follow(bytes, bytes.size - 2 - root, root, &map->begin) ||
        map->begin < 3 * (uint64_t)map->width ||
        !read_uint(bytes, map->begin - map->width, map->width, &map->count) ||
        !read_uint(bytes, map->begin - 2 * (uint64_t)map->width, map->width,
                   &key_width) ||
        !follow(bytes, map->begin - 3 * (uint64_t)map->width, map->width,
                &map->keys) ||
        key_width > 8 || !is_width((unsigned)key_width))
        return false;
    map->key_width = (unsigned)key_width;
    ends           = map->width + UINT64_C(1); /* a value and its type */
    return map->count <= (bytes.size - map->begin) / ends &&
           map->count <= (bytes.size - map->keys) / map->key_width;
}

/* Texts end with a zero that is not counted. */
static bool read_key(const struct tn_flex_map *map, uint64_t index,
                     struct tn_bytes *key)
{
    uint64_t at;

    if (!follow(map->bytes, map->keys + index * map->key_width, map->key_width,
                &at))
        return false;
    const uint8_t *end =
        memchr(map->bytes.data + at, 0, (size_t)(map->bytes.size - at));
    if (!end)
        return false;
    *key = tn_bytes(map->bytes.data + at,
                    (size_t)(end - (map->bytes.data + at)));
    return true;
}

static bool read_text(const struct tn_flex_map *map, uint64_t at,
                      unsigned width, struct tn_bytes *text)
{
    uint64_t size;

    if (at < width || !read_uint(map->bytes, at - width, width, &size) ||
        !is_inside(map->bytes, at, size))
        return false;
    *text = tn_bytes(map->bytes.data + at, (size_t)size);
    return true;
}

bool tn_flex_at(const struct tn_flex_map *map, uint64_t index,
                struct tn_flex_item *item)
{
    uint64_t at    = map->begin + index * map->width;
    unsigned width = map->width;
    unsigned type =
        map->bytes.data[map->begin + map->count * map->width + index];

    *item = (struct tn_flex_item){ .kind = TN_FLEX_OTHER };
    if (!read_key(map, index, &item->key))
        return false;
    switch (type >> 2) {
    case TYPE_INDIRECT_INT:
    case TYPE_INDIRECT_UINT:
    case TYPE_INDIRECT_FLOAT:
    case TYPE_STRING:
        if (!follow(map->bytes, at, width, &at))
            return false;
        width = 1u << (type & 3);
        break;
    default:
        break;
    }
    switch (type >> 2) {
    case TYPE_INT:
    case TYPE_INDIRECT_INT:
        item->kind = TN_FLEX_INT;
        return read_int(map->bytes, at, width, &item->number);
    case TYPE_UINT:
    case TYPE_INDIRECT_UINT: {
        uint64_t raw;
        item->kind = TN_FLEX_INT;
        if (!read_uint(map->bytes, at, width, &raw) || raw > INT64_MAX)
            return false;
        item->number = (int64_t)raw;
        return true;
    }
    case TYPE_FLOAT:
    case TYPE_INDIRECT_FLOAT:
        item->kind = TN_FLEX_FLOAT;
        return read_float(map->bytes, at, width, &item->real);
    case TYPE_BOOL:
        item->kind = TN_FLEX_BOOL;
        return read_int(map->bytes, at, width, &item->number);
    case TYPE_STRING:
        item->kind = TN_FLEX_STRING;
        return read_text(map, at, width, &item->text);
    default:
        return true;
    }
}
