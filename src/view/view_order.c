/* view_order.c - an order of nodes in which producers come first */
#include "view/view_order.h"

#include "base/sort.h"

enum { NEW, OPEN, DONE };

void tn_view_sorter_init(struct tn_view_sorter *sorter,
                         struct tn_picture     *picture)
{
    *sorter = (struct tn_view_sorter){ .picture = picture };
}

/* Most files are in order and do not need this. */
static bool prepare(struct tn_view_sorter *sorter)
{
    uint64_t         count = sorter->picture->nodes.count + 1;
    struct tn_arena *arena = &sorter->picture->arena;
    struct tn_error *error = sorter->picture->error;

    if (sorter->states)
        return true;
    sorter->levels = tn_new(arena, uint32_t, count, error);
    sorter->fans   = tn_new(arena, uint32_t, count, error);
    sorter->lows   = tn_new(arena, uint32_t, count, error);
    sorter->highs  = tn_new(arena, uint32_t, count, error);
    sorter->stack  = tn_new(arena, uint32_t, count, error);
    sorter->next   = tn_new(arena, uint32_t, count, error);
    sorter->states = tn_new(arena, uint8_t, count, error);
    return !tn_failed(error);
}

struct walk {
    struct tn_view_sorter *s;
    uint32_t               first, end; /* nodes of the graph                  */
    uint32_t              *order;
    uint32_t               count;
};

static bool is_inside(const struct walk *w, uint32_t node)
{
    return node >= w->first && node < w->end;
}

/* Whether the order of the file is good as it is. */
static bool is_sorted(const struct walk *w)
{
    for (uint32_t i = w->first; i < w->end; i++) {
        uint32_t uses = tn_picture_use_count(w->s->picture, i);
        for (uint32_t k = 0; k < uses; k++) {
            uint32_t from = tn_picture_use(w->s->picture, i, k)->from;
            if (is_inside(w, from) && from >= i)
                return false;
        }
    }
    return true;
}

/* Emits `root` after everything that it needs and that is not yet there. */
static void visit(struct walk *w, uint32_t root)
{
    struct tn_view_sorter *s     = w->s;
    uint32_t               depth = 0;

    if (s->states[root] != NEW)
        return;
    s->stack[depth++] = root;
    s->states[root]   = OPEN;
    s->next[root]     = 0;
    while (depth) {
        uint32_t node = s->stack[depth - 1];
        uint32_t uses = tn_picture_use_count(s->picture, node);
        uint32_t from = TN_NONE;
        while (s->next[node] < uses) {
            uint32_t at =
                tn_picture_use(s->picture, node, s->next[node]++)->from;
            if (is_inside(w, at) && s->states[at] == NEW) {
                from = at;
                break;
            }
        }
        if (from != TN_NONE) {
            s->stack[depth++] = from;
            s->states[from]   = OPEN;
            s->next[from]     = 0;
        } else {
            s->states[node]      = DONE;
            w->order[w->count++] = node;
            depth--;
        }
    }
}

static void restart(struct walk *w)
{
    memset(w->s->states + w->first, NEW, w->end - w->first);
    w->count = 0;
}

/* Levels in the order found, and how far the users of each node are apart. */
static uint32_t measure(struct walk *w)
{
    struct tn_view_sorter *s    = w->s;
    uint32_t               most = 0;

    for (uint32_t i = w->first; i < w->end; i++) {
        s->levels[i] = s->fans[i] = s->highs[i] = 0;
        s->lows[i]                              = TN_NONE;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t node  = w->order[i];
        uint32_t uses  = tn_picture_use_count(s->picture, node);
        uint32_t level = 0;
        for (uint32_t k = 0; k < uses; k++) {
            uint32_t from = tn_picture_use(s->picture, node, k)->from;
            if (is_inside(w, from) && s->levels[from] >= level)
                level = s->levels[from] + 1;
        }
        s->levels[node] = level;
        most            = level > most ? level : most;
        for (uint32_t k = 0; k < uses; k++) {
            uint32_t from = tn_picture_use(s->picture, node, k)->from;
            if (!is_inside(w, from))
                continue;
            s->fans[from]++;
            s->lows[from]  = level < s->lows[from] ? level : s->lows[from];
            s->highs[from] = level > s->highs[from] ? level : s->highs[from];
        }
    }
    return most;
}

static int by_level(const void *left, const void *right, void *context)
{
    const struct tn_view_sorter *s = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    if (s->levels[a] != s->levels[b])
        return s->levels[a] < s->levels[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/* Finds nodes whose many users are far from each other, those nearest to the
 * inputs first.  `lows` is overwritten with the list of them; each value in it
 * is read before that. */
static void visit_wide(struct walk *w, uint32_t depth)
{
    struct tn_view_sorter *s     = w->s;
    uint32_t              *found = s->lows + w->first;
    uint32_t               count = 0;

    for (uint32_t i = w->first; i < w->end; i++)
        if (s->fans[i] >= 4 && s->highs[i] - s->lows[i] > depth / 4)
            found[count++] = i;
    tn_sort_items(found, count, sizeof *found, by_level, s);
    for (uint32_t i = 0; i < count; i++)
        visit(w, found[i]);
}

static bool is_of_kind(const struct walk *w, uint32_t node, int kind)
{
    return tn_picture_node(w->s->picture, node)->kind == kind;
}

void tn_view_sort(struct tn_view_sorter *sorter, uint32_t graph,
                  uint32_t *order)
{
    const uint32_t *firsts = sorter->picture->first_nodes;
    struct walk     w = { sorter, firsts[graph], firsts[graph + 1], order, 0 };

    if (w.first == w.end)
        return;
    if (is_sorted(&w)) {
        for (uint32_t i = w.first; i < w.end; i++)
            order[w.count++] = i;
        return;
    }
    if (!prepare(sorter))
        return;
    restart(&w);
    for (uint32_t i = w.first; i < w.end; i++)
        visit(&w, i);
    uint32_t depth = measure(&w);

    restart(&w);
    for (uint32_t i = w.first; i < w.end; i++)
        if (is_of_kind(&w, i, TN_VIEW_INPUT))
            visit(&w, i);
    visit_wide(&w, depth);
    for (uint32_t i = w.first; i < w.end; i++)
        if (is_of_kind(&w, i, TN_VIEW_OUTPUT))
            for (uint32_t k = 0; k < tn_picture_use_count(sorter->picture, i);
                 k++) {
                uint32_t from = tn_picture_use(sorter->picture, i, k)->from;
                if (is_inside(&w, from))
                    visit(&w, from);
            }
    for (uint32_t i = w.first; i < w.end; i++)
        if (sorter->fans[i] == 0 && !is_of_kind(&w, i, TN_VIEW_OUTPUT))
            visit(&w, i);
    for (uint32_t i = w.first; i < w.end; i++)
        if (!is_of_kind(&w, i, TN_VIEW_OUTPUT))
            visit(&w, i);
    for (uint32_t i = w.first; i < w.end; i++)
        visit(&w, i);
}
