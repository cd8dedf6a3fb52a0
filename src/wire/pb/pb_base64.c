/* pb_base64.c - base64 as protobuf's JSON reads it */
#include "wire/pb/pb_base64.h"

/* A multiple of four letters. */
#define PIECE 4096

static int letter_value(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

/* By letter: its six bits, or 0xff. */
static void fill_table(uint8_t table[256])
{
    for (unsigned c = 0; c < 256; c++)
        table[c] = (uint8_t)letter_value((uint8_t)c);
}

/* Letters before the padding. */
static size_t letter_count(struct tn_bytes text)
{
    size_t count = text.size;

    for (int i = 0; i < 2 && count && text.data[count - 1] == '='; i++)
        count--;
    return count;
}

bool tn_base64_size(struct tn_bytes text, uint64_t *size, size_t *bad)
{
    size_t  count = letter_count(text);
    uint8_t table[256];

    fill_table(table);
    for (size_t i = 0; i < count; i++)
        if (table[text.data[i]] == 0xff) {
            *bad = i;
            return false;
        }
    *bad  = count;
    *size = (uint64_t)(count / 4) * 3 + (count % 4 ? count % 4 - 1 : 0);
    return count % 4 != 1 && (count == text.size || text.size % 4 == 0);
}

static size_t decode_piece(uint8_t *to, const uint8_t *letters, size_t count,
                           const uint8_t table[256])
{
    uint32_t bits = 0;
    size_t   size = 0;

    for (size_t i = 0; i < count; i++) {
        bits = bits << 6 | table[letters[i]];
        if (i % 4 != 0)
            to[size++] = (uint8_t)(bits >> (6 - i % 4 * 2));
    }
    return size;
}

enum tn_status tn_base64_decode(struct tn_bytes text, struct tn_sink *to,
                                struct tn_error *error)
{
    uint8_t bytes[PIECE / 4 * 3];
    uint8_t table[256];
    size_t  count = letter_count(text);

    fill_table(table);
    for (size_t at = 0; at < count; at += PIECE) {
        size_t part = count - at < PIECE ? count - at : PIECE;
        size_t size = decode_piece(bytes, text.data + at, part, table);
        TN_TRY(tn_sink_write(to, tn_bytes(bytes, size), error));
    }
    return TN_OK;
}
