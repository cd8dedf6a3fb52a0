/* alike.c - names compared by NFC and simple case folding */
#include "base/alike.h"

#include "base/alike_tables.h"
#include "base/bisect.h"
#include "base/utf8.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Characters that are reordered and composed together; the longest sequences
 * of real scripts have a dozen. */
#define SEGMENT 62

/* The longest canonical decomposition has four characters. */
#define MOST_PARTS 4

/* A byte that is no UTF-8 is a character past the last one. */
#define STRAY_BYTE 0x110000u

/* Hangul syllables are computed: leading, vowel, trailing consonant. */
enum {
    L_BASE = 0x1100,
    V_BASE = 0x1161,
    T_BASE = 0x11a7,
    S_BASE = 0xac00,

    L_COUNT = 19,
    V_COUNT = 21,
    T_COUNT = 28,
    S_COUNT = L_COUNT * V_COUNT * T_COUNT,
};

/* ---- tables ------------------------------------------------------------- */

static const struct alike_class *find_run(const struct alike_class *rows,
                                          size_t count, uint32_t code)
{
    uint64_t at;

    TN_BISECT(at, 0, count, rows[at].last < code);
    return at < count && code >= rows[at].first ? &rows[at] : NULL;
}

static unsigned class_of(uint32_t code)
{
    const struct alike_class *row =
        code < 0x300 ? NULL : find_run(classes, COUNT(classes), code);

    return row ? row->value : 0;
}

/* Whether the character never joins those before it. */
static bool is_boundary(uint32_t code)
{
    if (code < 0x300)
        return true;
    return class_of(code) == 0 && !find_run(joining, COUNT(joining), code) &&
           !(code >= V_BASE && code < V_BASE + V_COUNT) &&
           !(code > T_BASE && code < T_BASE + T_COUNT);
}

static const struct alike_pair *find_pair(uint32_t code)
{
    uint64_t at;

    TN_BISECT(at, 0, COUNT(pairs), pairs[at].code < code);
    return at < COUNT(pairs) && pairs[at].code == code ? &pairs[at] : NULL;
}

/* The composition of two characters; 0 if there is none. */
static uint32_t compose(uint32_t first, uint32_t second)
{
    uint64_t at;

    if (first >= L_BASE && first < L_BASE + L_COUNT && second >= V_BASE &&
        second < V_BASE + V_COUNT)
        return S_BASE +
               ((first - L_BASE) * V_COUNT + second - V_BASE) * T_COUNT;
    if (first >= S_BASE && first < S_BASE + S_COUNT &&
        (first - S_BASE) % T_COUNT == 0 && second > T_BASE &&
        second < T_BASE + T_COUNT)
        return first + second - T_BASE;
    TN_BISECT(at, 0, COUNT(composed),
              pairs[composed[at]].first < first ||
                  (pairs[composed[at]].first == first &&
                   pairs[composed[at]].second < second));
    if (at == COUNT(composed))
        return 0;
    const struct alike_pair *pair = &pairs[composed[at]];
    return pair->first == first && pair->second == second ? pair->code : 0;
}

static uint32_t fold_code(uint32_t code)
{
    uint64_t at;

    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + 32 : code;
    TN_BISECT(at, 0, COUNT(folds), folds[at].last < code);
    if (at == COUNT(folds) || code < folds[at].first ||
        (code - folds[at].first) % (uint32_t)folds[at].step)
        return code;
    return (uint32_t)((int32_t)code + folds[at].delta);
}

/* ---- a segment ---------------------------------------------------------- */

struct reader {
    const uint8_t *at, *end;
    uint32_t       codes[SEGMENT]; /* of the segment, composed                */
    unsigned       count, next;
};

static unsigned decompose(uint32_t code, uint32_t *to)
{
    unsigned tail = MOST_PARTS;
    uint32_t parts[MOST_PARTS];

    if (code >= S_BASE && code < S_BASE + S_COUNT) {
        uint32_t s = code - S_BASE;
        to[0]      = L_BASE + s / (V_COUNT * T_COUNT);
        to[1]      = V_BASE + s / T_COUNT % V_COUNT;
        to[2]      = T_BASE + s % T_COUNT;
        return s % T_COUNT ? 3 : 2;
    }
    for (const struct alike_pair *pair; (pair = find_pair(code)) != NULL;) {
        if (pair->second)
            parts[--tail] = pair->second; /* which never decomposes */
        code = pair->first;
    }
    to[0] = code;
    for (unsigned i = tail; i < MOST_PARTS; i++)
        to[1 + i - tail] = parts[i];
    return 1 + MOST_PARTS - tail;
}

/* Orders the marks of a run by their class; marks of the same class keep their
 * order. */
static void order(uint32_t *codes, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        uint32_t code  = codes[i];
        unsigned class = class_of(code), k = i;
        if (class == 0)
            continue;
        for (; k > 0 && class_of(codes[k - 1]) > class; k--)
            codes[k] = codes[k - 1];
        codes[k] = code;
    }
}

/* Returns how many are left. */
static unsigned compose_all(uint32_t *codes, unsigned count)
{
    unsigned starter = 0, left = 1;
    unsigned last = class_of(codes[0]) ? 256 : 0;

    for (unsigned i = 1; i < count; i++) {
        unsigned class = class_of(codes[i]);
        uint32_t joined =
            last < class || last == 0 ? compose(codes[starter], codes[i]) : 0;
        if (joined) {
            codes[starter] = joined;
            continue;
        }
        if (class == 0)
            starter = left;
        last          = class;
        codes[left++] = codes[i];
    }
    return left;
}

static uint32_t take_code(const struct reader *r, unsigned *size)
{
    *size = tn_utf8_check(r->at, r->end);
    if (*size)
        return tn_utf8_code(r->at, *size);
    *size = 1;
    return STRAY_BYTE + *r->at;
}

static void fill(struct reader *r)
{
    unsigned count = 0, size;

    while (r->at < r->end && count + MOST_PARTS <= SEGMENT) {
        uint32_t parts[MOST_PARTS + 1];
        uint32_t code = take_code(r, &size);
        unsigned many = decompose(code, parts);
        if (count && is_boundary(parts[0]))
            break;
        memcpy(r->codes + count, parts, many * sizeof *parts);
        count += many;
        r->at += size;
    }
    r->next  = 0;
    r->count = 0;
    if (count == 0)
        return;
    order(r->codes, count);
    r->count = compose_all(r->codes, count);
}

/* The next character of the key; false if there is none. */
static bool next_code(struct reader *r, uint32_t *code)
{
    if (r->next == r->count)
        fill(r);
    if (r->next == r->count)
        return false;
    *code = fold_code(r->codes[r->next++]);
    return true;
}

static struct reader read_name(struct tn_bytes name)
{
    return (struct reader){ .at = name.data,
                            .end =
                                name.size ? name.data + name.size : name.data };
}

/* ---- names -------------------------------------------------------------- */

static bool is_ascii(struct tn_bytes name)
{
    for (size_t i = tn_utf8_skip_ascii(name, 0); i < name.size; i++)
        if (name.data[i] >= 0x80)
            return false;
    return true;
}

bool tn_alike(struct tn_bytes a, struct tn_bytes b)
{
    if (is_ascii(a) && is_ascii(b)) {
        for (size_t i = 0; a.size == b.size && i < a.size; i++)
            if (fold_code(a.data[i]) != fold_code(b.data[i]))
                return false;
        return a.size == b.size;
    }
    struct reader left = read_name(a), right = read_name(b);
    uint32_t      x, y;
    for (;;) {
        bool has_x = next_code(&left, &x), has_y = next_code(&right, &y);
        if (has_x != has_y || !has_x)
            return has_x == has_y;
        if (x != y)
            return false;
    }
}

size_t tn_alike_key(uint8_t *to, struct tn_bytes name)
{
    struct reader r;
    size_t        size = 0;
    uint32_t      code;

    if (is_ascii(name)) {
        for (; size < name.size; size++)
            to[size] = (uint8_t)fold_code(name.data[size]);
        return size;
    }
    r = read_name(name);
    while (next_code(&r, &code)) {
        if (code >= STRAY_BYTE)
            to[size++] = (uint8_t)(code - STRAY_BYTE);
        else
            size += tn_utf8_put(to + size, code);
    }
    return size;
}

static bool is_own_key(struct tn_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] >= 0x80 ||
            (name.data[i] >= 'A' && name.data[i] <= 'Z'))
            return false;
    return true;
}

struct tn_bytes tn_alike_copy(struct tn_arena *arena, struct tn_bytes name,
                              struct tn_error *error)
{
    if (is_own_key(name))
        return name;
    uint64_t most = is_ascii(name) ? name.size : name.size * TN_ALIKE_GROWTH;
    uint8_t *copy = tn_new(arena, uint8_t, most, error);
    return tn_bytes(copy, copy ? tn_alike_key(copy, name) : 0);
}
