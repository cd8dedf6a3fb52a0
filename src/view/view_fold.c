/*
 * view_fold.c - repeated parts of a list, in nearly linear time
 *
 * For each of a few lengths, every member is compared with the last place where
 * the same looks followed each other.  Where that place is equally far away for
 * many members in a row, the list repeats with that period.  The longest
 * repetition wins, then the one with the smallest period.
 */
#include "view/view_fold.h"

#include "base/sort.h"
#include "view/picture.h"

/* Shorter lists are not folded; longer grams find nothing more. */
enum { LEAST = 2, MOST_GRAM = 128 };

struct candidate {
    uint32_t start, length, period;
};

void tn_view_folder_init(struct tn_view_folder *folder,
                         struct tn_memory *memory, struct tn_error *error)
{
    *folder = (struct tn_view_folder){ .memory = memory, .error = error };
    tn_list_init(&folder->grams, memory, sizeof(uint64_t));
    tn_list_init(&folder->table, memory, sizeof(uint32_t));
    tn_list_init(&folder->live, memory, sizeof(int32_t));
    tn_list_init(&folder->taken, memory, sizeof(uint8_t));
    tn_list_init(&folder->candidates, memory, sizeof(struct candidate));
}

void tn_view_folder_done(struct tn_view_folder *folder)
{
    tn_list_done(&folder->grams);
    tn_list_done(&folder->table);
    tn_list_done(&folder->live);
    tn_list_done(&folder->taken);
    tn_list_done(&folder->candidates);
}

static bool set_size(struct tn_list *list, uint64_t count,
                     struct tn_error *error)
{
    list->count = 0;
    return tn_list_reserve(list, count, error) &&
           tn_list_grow(list, count, error) != NULL;
}

/* ---- candidates --------------------------------------------------------- */

struct search {
    struct tn_view_folder         *f;
    const struct tn_view_sequence *s;
    uint32_t                       low, high;
};

static void close_stretch(struct search *x, uint32_t first, uint32_t end,
                          uint32_t period, uint32_t gram)
{
    uint32_t start  = first - period;
    uint32_t length = end - 1 + gram - start;

    if (period == 0 || length < 2 * period)
        return;
    struct candidate *c =
        tn_list_push(&x->f->candidates, struct candidate, x->f->error);
    if (c)
        *c = (struct candidate){ x->low + start, length, period };
}

/* Places are counted from `low` here. */
static void find_stretches(struct search *x, uint32_t gram)
{
    const uint64_t *grams = x->f->grams.items;
    uint32_t       *table = x->f->table.items;
    uint64_t        mask  = x->f->table.count - 1;
    uint32_t        count = x->high - x->low - gram + 1;
    uint32_t        first = 0, period = 0;

    memset(table, 0xff, (size_t)x->f->table.count * sizeof *table);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *slot = &table[(grams[i] ^ grams[i] >> 29) & mask];
        uint32_t  gap =
            *slot != TN_NONE && grams[*slot] == grams[i] ? i - *slot : 0;
        *slot = i;
        if (gap != period) {
            close_stretch(x, first, i, period, gram);
            first  = i;
            period = gap;
        }
    }
    close_stretch(x, first, count, period, gram);
}

static bool find_candidates(struct search *x)
{
    uint32_t count = x->high - x->low;
    uint64_t room  = 4;

    while (room < 2 * (uint64_t)count)
        room *= 2;
    x->f->candidates.count = 0;
    if (!set_size(&x->f->grams, count, x->f->error) ||
        !set_size(&x->f->table, room, x->f->error))
        return false;
    uint64_t *grams = x->f->grams.items;
    memcpy(grams, x->s->looks + x->low, count * sizeof *grams);
    for (uint32_t i = 0; i < count; i++) /* no two of these are equal */
        if (x->s->bars[x->low + i])
            grams[i] = tn_view_mix(UINT64_MAX, i);
    for (uint32_t gram = 1; gram <= MOST_GRAM && gram <= count; gram *= 2) {
        find_stretches(x, gram);
        for (uint32_t i = 0; i + 2 * gram <= count; i++)
            grams[i] = tn_view_mix(grams[i], grams[i + gram]);
    }
    return !tn_failed(x->f->error);
}

static int by_length(const void *left, const void *right, void *context)
{
    const struct candidate *a = left, *b = right;

    (void)context;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    if (a->period != b->period)
        return a->period < b->period ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* ---- where the parts begin ---------------------------------------------- */

/* How many edges cross the place before each member. */
static bool count_live(struct search *x)
{
    uint32_t count = x->high - x->low;

    if (!set_size(&x->f->live, count + UINT64_C(2), x->f->error))
        return false;
    int32_t *live = x->f->live.items;
    for (uint32_t i = x->low; i < x->high; i++)
        for (uint32_t k = x->s->first_preds[i]; k < x->s->first_preds[i + 1];
             k++) {
            uint32_t from = x->s->preds[k];
            if (from < x->low || from >= i)
                continue;
            live[from - x->low + 1]++;
            live[i - x->low + 1]--;
        }
    for (uint32_t i = 1; i <= count; i++)
        live[i] += live[i - 1];
    return true;
}

static int32_t cost(const struct search *x, const struct candidate *c,
                    uint32_t start)
{
    const int32_t *live = x->f->live.items;

    return 2 * live[start + c->period - x->low] -
           (x->s->starts ? x->s->starts[start] : 0);
}

/* A list that repeats can be cut anywhere; we cut where the fewest edges are,
 * as late as possible. */
static uint32_t best_start(const struct search *x, const struct candidate *c)
{
    uint32_t slack = c->length % c->period;
    uint32_t best  = c->start;

    for (uint32_t i = c->start; i <= c->start + slack; i++)
        if (cost(x, c, i) <= cost(x, c, best))
            best = i;
    return best;
}

/* ---- equal wiring ------------------------------------------------------- */

/* The next of a member's inputs that comes from its own part. */
static uint32_t next_inside(const struct tn_view_sequence *s, uint32_t *at,
                            uint32_t end, uint32_t start, uint32_t period)
{
    while (*at < end) {
        uint32_t from = s->preds[(*at)++];
        if (from >= start && from < start + period)
            return from - start;
    }
    return TN_NONE;
}

/* Whether `member`, in the part that begins at `start`, takes the same from its
 * part as the member one period before takes from its own.  Where the rest
 * comes from does not matter: the first layer takes from something else than
 * the others. */
static bool is_wired_alike(const struct tn_view_sequence *s, uint32_t member,
                           uint32_t start, uint32_t period)
{
    uint32_t a = s->first_preds[member - period], b = s->first_preds[member];
    uint32_t a_end = s->first_preds[member - period + 1];
    uint32_t b_end = s->first_preds[member + 1];

    for (;;) {
        uint32_t was = next_inside(s, &a, a_end, start - period, period);
        uint32_t is  = next_inside(s, &b, b_end, start, period);
        if (was != is)
            return false;
        if (is == TN_NONE)
            return true;
    }
}

static bool is_part_alike(const struct tn_view_sequence *s, uint32_t start,
                          uint32_t period)
{
    for (uint32_t i = 0; i < period; i++)
        if (!is_wired_alike(s, start + i, start, period))
            return false;
    return true;
}

/* Whether it is worth a box of its own. */
static bool keep_run(struct search *x, uint32_t start, uint32_t period,
                     uint32_t count, struct tn_list *runs)
{
    uint64_t size = 0;

    for (uint32_t i = 0; i < period && size < 64; i++)
        size += x->s->sizes[start + i] ? x->s->sizes[start + i] : 1;
    if (count < 2 || (size < 8 && count < 3) || (size < 2 && count < 4) ||
        (period > 1 && (uint64_t)period * 2 > x->high - x->low))
        return false;
    struct tn_view_run *run =
        tn_list_push(runs, struct tn_view_run, x->f->error);
    if (run)
        *run = (struct tn_view_run){ start, period, count };
    return run != NULL;
}

static void accept_candidate(struct search *x, const struct candidate *c,
                             struct tn_list *runs)
{
    uint32_t start = best_start(x, c);
    uint32_t count = (c->start + c->length - start) / c->period;
    uint32_t first = start, alike = 1;
    bool     has_kept = false;

    for (uint32_t i = 1; i < count; i++) {
        uint32_t next = start + i * c->period;
        if (is_part_alike(x->s, next, c->period)) {
            alike++;
            continue;
        }
        has_kept |= keep_run(x, first, c->period, alike, runs);
        first = next;
        alike = 1;
    }
    has_kept |= keep_run(x, first, c->period, alike, runs);
    if (has_kept) /* all of it: a shorter candidate is then free at both ends,
                     or not at all */
        memset((uint8_t *)x->f->taken.items + (c->start - x->low), 1,
               c->length);
}

static int by_start(const void *left, const void *right, void *context)
{
    const struct tn_view_run *a = left, *b = right;

    (void)context;
    return (a->start > b->start) - (a->start < b->start);
}

void tn_view_fold(struct tn_view_folder         *folder,
                  const struct tn_view_sequence *sequence, uint32_t low,
                  uint32_t high, struct tn_list *runs)
{
    struct search x     = { folder, sequence, low, high };
    uint64_t      first = runs->count;

    if (high - low < LEAST || !find_candidates(&x) ||
        !folder->candidates.count || !count_live(&x) ||
        !set_size(&folder->taken, high - low, folder->error))
        return;
    tn_sort_items(folder->candidates.items, folder->candidates.count,
                  sizeof(struct candidate), by_length, NULL);
    const uint8_t *taken = folder->taken.items;
    for (uint64_t i = 0; i < folder->candidates.count; i++) {
        const struct candidate *c =
            tn_list_at(&folder->candidates, struct candidate, i);
        if (!taken[c->start - low] && !taken[c->start - low + c->length - 1])
            accept_candidate(&x, c, runs);
    }
    if (runs->count > first)
        tn_sort_items(tn_list_at(runs, struct tn_view_run, first),
                      runs->count - first, sizeof(struct tn_view_run), by_start,
                      NULL);
}
