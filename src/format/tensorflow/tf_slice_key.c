/* tf_slice_key.c - the keys of slices in the tables of checkpoints */
#include "format/tensorflow/tf_slice_key.h"

#define SNUM_MAX 10

void tn_tf_num_put(struct tn_buffer *to, uint64_t value)
{
    unsigned n = 0;

    while (n < 8 && value >> 8 * n)
        n++;
    tn_buffer_byte(to, (uint8_t)n);
    while (n-- > 0)
        tn_buffer_byte(to, (uint8_t)(value >> 8 * n));
}

uint64_t tn_tf_num(struct tn_cursor *c)
{
    uint64_t begin = c->offset, value = 0;
    uint8_t  n = tn_u8(c);

    if (n > 8)
        tn_fail_at(c, begin, TN_MALFORMED, "a number of %u bytes", n);
    for (unsigned i = 0; i < n && !tn_failed(c->error); i++) {
        value = value << 8 | tn_u8(c);
        if (value == 0)
            tn_fail_at(c, begin, TN_MALFORMED, "a number with leading zeros");
    }
    return value;
}

/* Byte i of k, counted from the front, of v extended by its sign. */
static uint8_t snum_byte(int64_t v, unsigned k, unsigned i)
{
    unsigned from_end = k - 1 - i;

    if (from_end >= 8)
        return v < 0 ? 0xff : 0;
    return (uint8_t)((uint64_t)v >> 8 * from_end);
}

/* The first k of the bits in front of a number of k bytes are set. */
static uint8_t snum_head(unsigned k, unsigned i)
{
    uint32_t ones = UINT32_C(0xffff0000) >> k;

    return i == 0 ? (uint8_t)(ones >> 8) : i == 1 ? (uint8_t)ones : 0;
}

static unsigned snum_size(int64_t v)
{
    unsigned k = 1;

    while (k < SNUM_MAX &&
           (v < 0 ? ~v : v) >> (7 * k - 1 > 63 ? 63 : 7 * k - 1))
        k++;
    return k;
}

void tn_tf_snum_put(struct tn_buffer *to, int64_t value)
{
    unsigned k = snum_size(value);

    for (unsigned i = 0; i < k; i++)
        tn_buffer_byte(to, snum_byte(value, k, i) ^ snum_head(k, i));
}

/* Bits equal to the first one, at most SNUM_MAX: that many bytes. */
static unsigned snum_length(struct tn_cursor c)
{
    uint8_t  first = tn_u8(&c);
    uint32_t bits  = (uint32_t)first << 8;
    unsigned k     = 0;

    if (first == 0 || first == 0xff)
        bits |= tn_u8(&c);
    if (!(first & 0x80))
        bits = ~bits;
    while (k < SNUM_MAX && bits & 0x8000u >> k)
        k++;
    return k;
}

int64_t tn_tf_snum(struct tn_cursor *c)
{
    uint64_t       begin = c->offset, value = 0;
    unsigned       k     = snum_length(*c);
    const uint8_t *bytes = tn_take(c, k);

    if (!bytes)
        return 0;
    for (unsigned i = 0; i < k; i++) {
        uint8_t byte = bytes[i] ^ snum_head(k, i);
        if (i == 0)
            value = byte & 0x80 ? UINT64_MAX : 0;
        value = value << 8 | byte;
    }
    /* Only the shortest form is valid. */
    bool is_same = snum_size((int64_t)value) == k;
    for (unsigned i = 0; i < k && is_same; i++)
        is_same =
            bytes[i] == (snum_byte((int64_t)value, k, i) ^ snum_head(k, i));
    if (!is_same)
        tn_fail_at(c, begin, TN_MALFORMED,
                   "a signed number that is too long for its value");
    return (int64_t)value;
}

void tn_tf_slice_key_put(struct tn_buffer *to, struct tn_bytes name,
                         const struct tn_tf_extent *extents, uint32_t rank)
{
    tn_buffer_byte(to, 0);
    for (size_t i = 0; i < name.size; i++) {
        tn_buffer_byte(to, name.data[i]);
        if (name.data[i] == 0)
            tn_buffer_byte(to, 0xff);
        if (name.data[i] == 0xff)
            tn_buffer_byte(to, 0);
    }
    tn_buffer_add(to, tn_bytes("\0\1", 2));
    tn_tf_num_put(to, rank);
    for (uint32_t i = 0; i < rank; i++) {
        tn_tf_snum_put(to, extents[i].start);
        tn_tf_snum_put(to, extents[i].length);
    }
}

/* Up to the mark 00 01; any other byte after 00 or ff is not an escape. */
static void read_name(struct tn_cursor *c, struct tn_buffer *name)
{
    while (!tn_failed(c->error)) {
        uint8_t byte = tn_u8(c);
        if (byte == 0 || byte == 0xff) {
            uint8_t next = tn_u8(c);
            if (byte == 0 && next == 1)
                return;
            if (next != 0xff - byte)
                tn_fail(c, TN_MALFORMED, "%02x %02x in a name", byte, next);
        }
        tn_buffer_byte(name, byte);
    }
}

bool tn_tf_slice_key_read(struct tn_bytes key, struct tn_buffer *name,
                          struct tn_tf_extent extents[TN_TF_RANK_LIMIT],
                          uint32_t           *rank)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(key, 0, &error);

    if (key.size == 0 || tn_u8(&c) != 0)
        return false;
    read_name(&c, name);
    uint64_t count = tn_tf_num(&c);
    if (tn_failed(&error) || count > TN_TF_RANK_LIMIT)
        return false;
    *rank = (uint32_t)count;
    for (uint32_t i = 0; i < *rank; i++) {
        extents[i].start  = tn_tf_snum(&c);
        extents[i].length = tn_tf_snum(&c);
    }
    return !tn_failed(&error) && !tn_more(&c);
}
