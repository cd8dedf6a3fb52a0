/* remote_stride.c - where a walk that jumps over weights will land next */
#include "io/remote_stride.h"

#include <stdbool.h>

/* How many distances must be the same as before; longer is surer. */
#define LONGEST_MATCH 8

static uint64_t distance(const struct tn_strides *s, uint64_t index)
{
    return s->jumps[index % TN_STRIDES].distance;
}

/* Names and small numbers before weights differ by a few bytes. */
static bool are_alike(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= 16;
}

static unsigned match_length(const struct tn_strides *s, uint64_t oldest,
                             uint64_t end)
{
    unsigned n = 0;

    while (n < LONGEST_MATCH && end > oldest + n &&
           are_alike(distance(s, end - 1 - n), distance(s, s->count - 1 - n)))
        n++;
    return n;
}

/* The newest place in the past where the last distances were the same, for as
 * many as possible; 0 if there is none.  What followed is at that index. */
static uint64_t find_match(const struct tn_strides *s)
{
    uint64_t oldest = s->count > TN_STRIDES ? s->count - TN_STRIDES : 0;
    uint64_t best   = 0;
    unsigned length = 0;

    for (uint64_t end = s->count - 1; end > oldest; end--) {
        unsigned n = match_length(s, oldest, end);
        if (n > length) {
            length = n;
            best   = end;
        }
        if (length == LONGEST_MATCH)
            break;
    }
    return best;
}

/* What was predicted first is what happened, more or less. */
static bool was_hit(const struct tn_strides *s, uint64_t offset)
{
    uint64_t first = s->next_count ? s->next[0] : 0;

    return first && offset + TN_STRIDE_SLACK > first &&
           offset < first + TN_STRIDE_SLACK;
}

void tn_strides_jump(struct tn_strides *s, uint64_t end, uint64_t offset)
{
    bool is_forward = offset > s->last && s->last;

    s->depth = was_hit(s, offset) ? s->depth * 2 : 2;
    if (s->depth > TN_STRIDE_MOST)
        s->depth = TN_STRIDE_MOST;
    if (s->count && end > s->last)
        s->jumps[(s->count - 1) % TN_STRIDES].stay = end - s->last;
    if (is_forward) {
        s->jumps[s->count % TN_STRIDES].distance = offset - s->last;
        s->jumps[s->count++ % TN_STRIDES].stay   = 0;
    }
    s->last       = offset;
    s->next_count = 0;
    s->here       = 0;
    if (!is_forward || s->count < 2)
        return;
    uint64_t at = find_match(s);
    if (!at)
        return;
    s->here = s->jumps[(at - 1) % TN_STRIDES].stay;
    /* Past the last distance what is predicted goes on with itself. */
    for (uint64_t last = s->count, i = at; s->next_count < s->depth; i++) {
        uint64_t from = i < last ? i : at + (i - at) % (last - at);
        uint64_t step = distance(s, from);
        if (step > UINT64_MAX - offset)
            return;
        offset += step;
        s->stays[s->next_count]  = s->jumps[from % TN_STRIDES].stay;
        s->next[s->next_count++] = offset;
    }
}
