/* size_list.c - numbers, and lists of them, of which some are not known */
#include "ir/size_list.h"

#include <string.h>

#define UNKNOWN    TN_SIZE_UNKNOWN
#define ITEM_LIMIT TN_SIZE_LIST_LIMIT

/* Nothing that is computed from sizes is as large. */
#define SIZE_LIMIT (INT64_C(1) << 62)

void tn_size_set(struct tn_size_list *to, int64_t number)
{
    to->is_known = number != UNKNOWN;
    to->is_list  = false;
    to->count    = 1;
    to->items[0] = number;
}

void tn_size_set_all(struct tn_size_list *to, const int64_t *items,
                     uint32_t count)
{
    to->is_known = count <= ITEM_LIMIT;
    to->is_list  = true;
    to->count    = count;
    if (to->is_known && count)
        memcpy(to->items, items, count * sizeof *items);
}

/* Not even how many they are. */
void tn_size_forget(struct tn_size_list *to)
{
    tn_size_set(to, UNKNOWN);
    to->is_list = true;
}

static int64_t bounded(int64_t number)
{
    return number > -SIZE_LIMIT && number < SIZE_LIMIT ? number : UNKNOWN;
}

static int64_t compute(enum tn_vocab_term_kind kind, int64_t a, int64_t b)
{
    int64_t result = UNKNOWN;

    if (a == UNKNOWN || b == UNKNOWN)
        return UNKNOWN;
    switch (kind) {
    case TN_TERM_ADD:
        if (__builtin_add_overflow(a, b, &result))
            return UNKNOWN;
        break;
    case TN_TERM_SUBTRACT:
        if (__builtin_sub_overflow(a, b, &result))
            return UNKNOWN;
        break;
    case TN_TERM_MULTIPLY:
        if (__builtin_mul_overflow(a, b, &result))
            return UNKNOWN;
        break;
    case TN_TERM_DIVIDE: result = b > 0 ? a / b : UNKNOWN; break;
    case TN_TERM_REMAINDER: result = b > 0 ? a % b : UNKNOWN; break;
    default: break;
    }
    return bounded(result);
}

/* Item by item; a number goes with each item of a list. */
void tn_size_compute(enum tn_vocab_term_kind kind, struct tn_size_list *a,
                     const struct tn_size_list *b)
{
    if (!a->is_known || !b->is_known ||
        (a->is_list && b->is_list && a->count != b->count)) {
        a->is_list |= b->is_list;
        a->is_known = false;
        return;
    }
    if (!a->is_list && b->is_list) {
        for (uint32_t i = 1; i < b->count; i++)
            a->items[i] = a->items[0];
        a->is_list = true;
        a->count   = b->count;
    }
    for (uint32_t i = 0; i < a->count; i++)
        a->items[i] = compute(kind, a->items[i], b->items[b->is_list ? i : 0]);
    if (!a->is_list)
        tn_size_set(a, a->items[0]);
}

void tn_size_fold(struct tn_size_list *a, enum tn_vocab_term_kind kind,
                  int64_t start)
{
    int64_t result = a->is_known ? start : UNKNOWN;

    for (uint32_t i = 0; i < a->count && a->is_known; i++)
        result = compute(kind, result, a->items[i]);
    tn_size_set(a, result);
}

void tn_size_least(struct tn_size_list *a)
{
    int64_t least = a->is_known && a->count ? a->items[0] : UNKNOWN;

    for (uint32_t i = 0; a->is_known && i < a->count; i++) /* UNKNOWN is less */
        least = a->items[i] < least ? a->items[i] : least;
    tn_size_set(a, least);
}

void tn_size_reverse(struct tn_size_list *a)
{
    for (uint32_t i = 0; a->is_known && i < a->count / 2; i++) {
        int64_t item               = a->items[i];
        a->items[i]                = a->items[a->count - 1 - i];
        a->items[a->count - 1 - i] = item;
    }
}

/* The item at a place, counted from the end below 0; UNKNOWN: there is none. */
static int64_t item_at(const struct tn_size_list *list, int64_t place)
{
    if (place < 0 && place != UNKNOWN)
        place += list->count;
    return place >= 0 && place < list->count ? list->items[place] : UNKNOWN;
}

void tn_size_pick(struct tn_size_list *a, const struct tn_size_list *places)
{
    struct tn_size_list result = { .is_known = a->is_known && places->is_known,
                                   .is_list  = places->is_list,
                                   .count    = places->count };

    for (uint32_t i = 0; result.is_known && i < places->count; i++)
        result.items[i] = item_at(a, places->items[i]);
    if (!result.is_list)
        tn_size_set(&result, result.is_known ? result.items[0] : UNKNOWN);
    *a = result;
}

/* A bound of a slice, as a place in the list. */
uint32_t tn_size_bound(const struct tn_size_list *list,
                       const struct tn_size_list *bound)
{
    int64_t place = bound->items[0];

    if (place < 0)
        place += list->count;
    return place < 0 ? 0 : place > list->count ? list->count : (uint32_t)place;
}

void tn_size_join(struct tn_size_list *a, const struct tn_size_list *b)
{
    a->is_known = a->is_known && (b->is_known || !b->is_list) &&
                  a->count + b->count <= ITEM_LIMIT;
    for (uint32_t i = 0; a->is_known && i < b->count; i++)
        a->items[a->count++] = b->items[i];
}

/* Dims that two shapes have in common; where they differ, UNKNOWN. */
void tn_size_broadcast(struct tn_size_list *a, const struct tn_size_list *b)
{
    struct tn_size_list result = { .is_known = a->is_known && b->is_known,
                                   .is_list  = true };

    if (result.is_known)
        result.count = a->count > b->count ? a->count : b->count;
    for (uint32_t i = 1; i <= result.count; i++) {
        int64_t x   = i <= a->count ? a->items[a->count - i] : 1;
        int64_t y   = i <= b->count ? b->items[b->count - i] : 1;
        int64_t one = x == 1 ? y : y == 1 ? x : x == y ? x : UNKNOWN;
        if (one == UNKNOWN && x > 1 && y == UNKNOWN)
            one = x; /* the other is 1 or the same */
        if (one == UNKNOWN && y > 1 && x == UNKNOWN)
            one = y;
        result.items[result.count - i] = one;
    }
    *a = result;
}

/* Places as bits, of a list of so many; false: not all are known or inside. */
static bool places_of(const struct tn_size_list *places, uint32_t count,
                      uint64_t *bits)
{
    *bits = 0;
    for (uint32_t i = 0; places->is_known && i < places->count; i++) {
        int64_t place = places->items[i];
        if (place == UNKNOWN)
            return false;
        if (place < 0)
            place += count;
        if (place < 0 || place >= count || count > ITEM_LIMIT)
            return false;
        *bits |= UINT64_C(1) << place;
    }
    return places->is_known;
}

/* Squeeze, Unsqueeze and reductions. */
void tn_size_move(enum tn_vocab_term_kind kind, struct tn_size_list *a,
                  const struct tn_size_list *places, int64_t in_place)
{
    struct tn_size_list result = { .is_known = true, .is_list = true };
    uint32_t            count = a->count, from = 0;
    uint64_t            bits;

    if (kind == TN_TERM_INSERT)
        count += places->count;
    if (!a->is_known || !places->is_known || count > ITEM_LIMIT ||
        !places_of(places, count, &bits)) {
        tn_size_forget(a);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = bits >> i & 1;
        if (kind == TN_TERM_INSERT && is_there) {
            result.items[result.count++] = 1;
        } else {
            int64_t item = from < a->count ? a->items[from] : UNKNOWN;
            from++;
            if (kind == TN_TERM_REMOVE && is_there)
                continue;
            result.items[result.count++] =
                kind == TN_TERM_REPLACE && is_there ? in_place : item;
        }
    }
    *a = result;
}
