/* vocab_words.c - reads the words of a vocabulary's lines */
#include "ir/vocab_lines.h"

void tn_vocab_spaces(struct tn_cursor *c)
{
    while (tn_vocab_peek(c) == ' ')
        tn_skip(c, 1);
}

bool tn_vocab_accept(struct tn_cursor *c, const char *mark)
{
    size_t size = strlen(mark);

    if ((size_t)(c->end - c->at) < size || memcmp(c->at, mark, size) != 0)
        return false;
    tn_skip(c, size);
    tn_vocab_spaces(c);
    return true;
}

bool tn_vocab_expect(struct tn_cursor *c, const char *mark)
{
    if (tn_vocab_accept(c, mark))
        return true;
    tn_fail(c, TN_MALFORMED, "'%s' is missing here", mark);
    return false;
}

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '.';
}

struct tn_bytes tn_vocab_glued_name(struct tn_cursor *c, const char *what)
{
    const uint8_t *p = c->at;

    while (p < c->end && is_letter(*p))
        p++;
    if (p == c->at)
        tn_fail(c, TN_MALFORMED, "%s is missing here", what);
    return tn_take_bytes(c, (uint64_t)(p - c->at));
}

struct tn_bytes tn_vocab_name(struct tn_cursor *c, const char *what)
{
    struct tn_bytes name = tn_vocab_glued_name(c, what);

    tn_vocab_spaces(c);
    return name;
}

uint32_t tn_vocab_number(struct tn_cursor *c)
{
    uint64_t at     = c->offset;
    uint32_t number = 0;
    unsigned digits = 0;

    for (; tn_vocab_peek(c) >= '0' && tn_vocab_peek(c) <= '9'; digits++) {
        if (number > (INT32_MAX - 9) / 10) {
            tn_fail_at(c, at, TN_LIMIT, "a number past 2^31");
            return 0;
        }
        number = number * 10 + (tn_u8(c) - (uint32_t)'0');
    }
    if (digits == 0)
        tn_fail(c, TN_MALFORMED, "a number is missing here");
    tn_vocab_spaces(c);
    return number;
}

void tn_vocab_end_line(struct tn_cursor *c)
{
    if (tn_more(c) && tn_vocab_peek(c) != '#')
        tn_fail(c, TN_MALFORMED, "the line should end here");
}

/* ---- types -------------------------------------------------------------- */

static enum tn_dtype find_dtype(struct tn_bytes name)
{
    for (unsigned i = 1; i < TN_DTYPE_COUNT; i++)
        if (tn_bytes_is(name, tn_dtype_name((enum tn_dtype)i)))
            return (enum tn_dtype)i;
    return TN_UNDEFINED;
}

uint64_t tn_vocab_plain_types(const struct tn_vocab *vocab, struct tn_cursor *c)
{
    uint64_t        at    = c->offset;
    struct tn_bytes name  = tn_vocab_glued_name(c, "a type");
    enum tn_dtype   dtype = find_dtype(name);

    if (dtype != TN_UNDEFINED)
        return TN_VOCAB_TYPE(dtype);
    for (uint32_t i = 0; i < vocab->set_count; i++)
        if (tn_bytes_equal(vocab->sets[i].name, name))
            return vocab->sets[i].types;
    tn_fail_at(c, at, TN_MALFORMED, "'%.*s' is neither a type nor a set",
               TN_FMT(name));
    return 0;
}

/* "int64,float32)" after "map(". */
static void read_map(const struct tn_vocab *vocab, struct tn_cursor *c,
                     uint64_t maps[2])
{
    uint64_t at  = c->offset;
    uint64_t key = tn_vocab_plain_types(vocab, c);

    if (key != TN_VOCAB_TYPE(TN_INT64) && key != TN_VOCAB_TYPE(TN_STRING))
        tn_fail_at(c, at, TN_MALFORMED, "a map from neither int64 nor string");
    tn_vocab_expect(c, ",");
    maps[key != TN_VOCAB_TYPE(TN_INT64)] |= tn_vocab_plain_types(vocab, c);
    tn_vocab_expect(c, ")");
}

void tn_vocab_type_read(const struct tn_vocab *vocab, struct tn_cursor *c,
                        struct tn_vocab_types *types)
{
    if (tn_vocab_accept(c, "seq(map(")) {
        read_map(vocab, c, types->map_sequences);
        tn_vocab_expect(c, ")");
    } else if (tn_vocab_accept(c, "map(")) {
        read_map(vocab, c, types->maps);
    } else if (tn_vocab_accept(c, "optional(seq(")) {
        types->optional_sequences |= tn_vocab_plain_types(vocab, c);
        tn_vocab_expect(c, "))");
    } else if (tn_vocab_accept(c, "optional(")) {
        types->optionals |= tn_vocab_plain_types(vocab, c);
        tn_vocab_expect(c, ")");
    } else if (tn_vocab_accept(c, "seq(")) {
        types->sequences |= tn_vocab_plain_types(vocab, c);
        tn_vocab_expect(c, ")");
    } else {
        types->tensors |= tn_vocab_plain_types(vocab, c);
    }
    tn_vocab_spaces(c);
}

void tn_vocab_types_read(const struct tn_vocab *vocab, struct tn_cursor *c,
                         struct tn_vocab_types *types)
{
    tn_vocab_expect(c, "{");
    while (!tn_failed(c->error) && !tn_vocab_accept(c, "}"))
        tn_vocab_type_read(vocab, c, types);
}
