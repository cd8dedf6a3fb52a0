/* view_layout.c - layers, places in them, lanes for long edges */
#include "view/view_layout.h"

#include "base/bisect.h"
#include "base/sort.h"

enum {
    GAP       = 24, /* between boxes of a layer                               */
    LEVEL_GAP = 44, /* between layers                                         */
    LANE_GAP  = 12,
    SWEEPS    = 4,
    FAN_SPAN  = 12, /* layers that one edge of many from a box may pass      */
    LONG_ROW  = 14, /* boxes of a layer before it is wrapped                  */
    MOST_ASKED  = 64, /* lanes that another must not be on                    */
    MOST_BESIDE = 6   /* places that are tried on each side                   */
};

/* ---- the size of a box -------------------------------------------------- */

/* Widths of the characters from 32 to 126 in the page's fonts, which are as
 * wide as any in use: bold at 13 px, and regular at 11 px; tenths of a px. */
/* clang-format off */
static const uint8_t bold[95] = {
    45, 59, 68, 109, 90, 130, 113, 40, 59, 59, 68, 109, 49, 54, 49, 47, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 52, 52, 109, 109, 109, 75,
    130, 101, 99, 95, 108, 89, 89, 107, 109, 48, 48, 101, 83, 129, 109, 111, 95, 111, 100, 94, 89, 106, 101, 143, 100, 94, 94, 59, 47, 59, 109, 65,
    65, 88, 93, 77, 93, 88, 57, 93, 93, 45, 45, 86, 45, 135, 93, 89, 93, 93, 64, 77, 62, 93, 85, 120, 84, 85, 76, 93, 47, 93, 109,
};
static const uint8_t regular[95] = {
    35, 44, 51, 92, 70, 105, 86, 30, 43, 43, 55, 92, 35, 40, 35, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 37, 37, 92, 92, 92, 58,
    110, 75, 75, 77, 85, 70, 63, 85, 83, 32, 32, 72, 61, 95, 82, 87, 66, 87, 76, 70, 67, 81, 75, 109, 75, 67, 75, 43, 37, 43, 92, 55,
    55, 67, 70, 60, 70, 68, 39, 70, 70, 31, 31, 64, 31, 107, 70, 67, 70, 70, 45, 57, 43, 70, 65, 90, 65, 65, 58, 70, 37, 70, 92,
};
/* clang-format on */

int32_t tn_view_text_width(struct tn_bytes text, bool is_label)
{
    const uint8_t *widths = is_label ? bold : regular;
    int32_t        other = is_label ? 109 : 92, width = 0;

    for (size_t i = 0; i < text.size && width < 40000; i++) {
        uint8_t c = text.data[i];
        if ((c & 0xc0) == 0x80)
            continue; /* the rest of a character */
        width += c >= 32 && c < 127 ? widths[c - 32] : other;
    }
    return (width + 9) / 10;
}

/* Room for "x 24" at the right end of a box. */
static int32_t badge_width(uint32_t repeat)
{
    int32_t width = repeat > 1 ? 42 : 0;

    for (uint32_t left = repeat > 1 ? repeat : 0; left > 0; left /= 10)
        width += left >= 100 && left < 1000 ? 7 : left >= 1000 ? 8 : 5;
    return width;
}

/* w and h of a closed box. */
static void measure(const struct tn_picture *picture, struct tn_view_item *item)
{
    struct tn_bytes label  = tn_picture_text(picture, item->label);
    struct tn_bytes detail = tn_picture_text(picture, item->detail);
    int32_t         first  = tn_view_text_width(label, true);
    int32_t         second = tn_view_text_width(detail, false);
    bool is_block = item->block != 0 && item->class == TN_VIEW_CLASS_BLOCK;

    int32_t beside = badge_width(item->repeat) + (item->block ? 12 : 0);
    int32_t width  = (first > second ? first : second) + beside + 24;
    width          = (width + 3) / 4 * 4;
    if (width < TN_VIEW_LEAST_BOX)
        width = TN_VIEW_LEAST_BOX;
    if (width > TN_VIEW_MOST_BOX)
        width = TN_VIEW_MOST_BOX;
    item->w = width;
    item->h = detail.size || is_block ? TN_VIEW_ROWS : TN_VIEW_ROW;
}

/* ---- one sheet ---------------------------------------------------------- */

struct sheet {
    struct tn_view_sheet *s;
    struct tn_arena      *arena;
    struct tn_error      *error;
    uint32_t              count;
    uint32_t *first_out, *outs; /* by item: edges that leave it               */
    uint32_t *first_in, *ins;
    uint32_t *order; /* items, producers first                               */
    uint32_t *ranks; /* by item: place in that order                         */
    uint32_t  layer_count;
    uint32_t *first_at, *at; /* by layer: items, from left to right           */
    double   *centers;       /* by item                                       */
    double   *wishes, *weights;
    int32_t  *tops, *lefts, *rights; /* by layer                              */
    uint32_t *lanes; /* edges that have one, as they were placed */
    uint32_t  lane_count;
};

static struct tn_view_item *item_at(const struct sheet *x, uint32_t item)
{
    return &x->s->items[item];
}

static bool is_inside(const struct tn_view_edge *edge)
{
    return edge->from != TN_NONE && edge->to != TN_NONE;
}

/* Edges by item, in both directions. */
static void index_edges(struct sheet *x)
{
    uint32_t n = x->count;

    x->first_out = tn_new(x->arena, uint32_t, n + UINT64_C(2), x->error);
    x->first_in  = tn_new(x->arena, uint32_t, n + UINT64_C(2), x->error);
    x->outs =
        tn_new(x->arena, uint32_t, x->s->edge_count + UINT64_C(1), x->error);
    x->ins =
        tn_new(x->arena, uint32_t, x->s->edge_count + UINT64_C(1), x->error);
    if (tn_failed(x->error))
        return;
    for (uint32_t i = 0; i < x->s->edge_count; i++)
        if (is_inside(&x->s->edges[i])) {
            x->first_out[x->s->edges[i].from + 2]++;
            x->first_in[x->s->edges[i].to + 2]++;
        }
    for (uint32_t i = 1; i <= n; i++) {
        x->first_out[i + 1] += x->first_out[i];
        x->first_in[i + 1] += x->first_in[i];
    }
    for (uint32_t i = 0; i < x->s->edge_count; i++)
        if (is_inside(&x->s->edges[i])) {
            x->outs[x->first_out[x->s->edges[i].from + 1]++] = i;
            x->ins[x->first_in[x->s->edges[i].to + 1]++]     = i;
        }
}

/* Producers first; in a cycle the first item is taken as if it needed
 * nothing. */
static void sort_items(struct sheet *x)
{
    uint32_t  n     = x->count;
    uint32_t *needs = tn_new(x->arena, uint32_t, n + UINT64_C(1), x->error);
    uint32_t  head = 0, tail = 0, next = 0;

    x->order = tn_new(x->arena, uint32_t, n + UINT64_C(1), x->error);
    x->ranks = tn_new(x->arena, uint32_t, n + UINT64_C(1), x->error);
    if (tn_failed(x->error))
        return;
    for (uint32_t i = 0; i < n; i++) {
        needs[i]    = x->first_in[i + 1] - x->first_in[i];
        x->ranks[i] = TN_NONE;
        if (!needs[i]) {
            x->ranks[i]      = tail;
            x->order[tail++] = i;
        }
    }
    while (head < n) {
        if (head == tail) {
            while (x->ranks[next] != TN_NONE)
                next++;
            x->ranks[next]   = tail;
            x->order[tail++] = next;
        }
        uint32_t item = x->order[head++];
        for (uint32_t k = x->first_out[item]; k < x->first_out[item + 1]; k++) {
            uint32_t to = x->s->edges[x->outs[k]].to;
            if (--needs[to] == 0 && x->ranks[to] == TN_NONE) {
                x->ranks[to]     = tail;
                x->order[tail++] = to;
            }
        }
    }
}

static bool is_back(const struct sheet *x, const struct tn_view_edge *edge)
{
    return x->ranks[edge->from] >= x->ranks[edge->to];
}

static bool is_loose(const struct sheet *x, uint32_t item)
{
    return x->first_in[item] == x->first_in[item + 1] &&
           x->first_out[item] == x->first_out[item + 1];
}

static void find_layers(struct sheet *x)
{
    for (uint32_t i = 0; i < x->count; i++) {
        uint32_t item  = x->order[i];
        uint32_t layer = 0;
        for (uint32_t k = x->first_in[item]; k < x->first_in[item + 1]; k++) {
            const struct tn_view_edge *edge = &x->s->edges[x->ins[k]];
            if (!is_back(x, edge) && item_at(x, edge->from)->layer >= layer)
                layer = item_at(x, edge->from)->layer + 1;
        }
        item_at(x, item)->layer = layer;
    }
    /* Moves items without inputs down to the items that use them. */
    for (uint32_t i = x->count; i-- > 0;) {
        uint32_t item = x->order[i], least = TN_NONE;
        bool     has_pred = false;
        for (uint32_t k = x->first_in[item]; k < x->first_in[item + 1]; k++)
            has_pred |= !is_back(x, &x->s->edges[x->ins[k]]);
        for (uint32_t k = x->first_out[item]; k < x->first_out[item + 1]; k++) {
            const struct tn_view_edge *edge = &x->s->edges[x->outs[k]];
            if (!is_back(x, edge) && item_at(x, edge->to)->layer < least)
                least = item_at(x, edge->to)->layer;
        }
        if (!has_pred && least != TN_NONE && least > 0)
            item_at(x, item)->layer = least - 1;
    }
}

static uint32_t row_length(uint32_t count)
{
    uint32_t row = LONG_ROW;

    while (row < 64 && row * row < 2 * (uint64_t)count)
        row *= 2;
    return row;
}

/* Items without edges go below the others; data goes above, because unused data
 * is nearly always an input. */
static void drop_loose(struct sheet *x)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < x->count; i++)
        if (item_at(x, i)->layer >= last && !is_loose(x, i))
            last = item_at(x, i)->layer + 1;
    for (uint32_t i = 0; i < x->count; i++)
        if (is_loose(x, i))
            item_at(x, i)->layer =
                item_at(x, i)->class == TN_VIEW_CLASS_DATA ? 0 : last;
}

/* Lists the items of each layer; layers of many become several. */
static void fill_layers(struct sheet *x)
{
    uint32_t  layers = 0, total = 0;
    uint32_t *sizes, *starts, *seen;

    for (uint32_t i = 0; i < x->count; i++)
        if (item_at(x, i)->layer >= layers)
            layers = item_at(x, i)->layer + 1;
    sizes  = tn_new(x->arena, uint32_t, layers + UINT64_C(1), x->error);
    starts = tn_new(x->arena, uint32_t, layers + UINT64_C(1), x->error);
    seen   = tn_new(x->arena, uint32_t, layers + UINT64_C(1), x->error);
    if (tn_failed(x->error))
        return;
    for (uint32_t i = 0; i < x->count; i++)
        sizes[item_at(x, i)->layer]++;
    for (uint32_t i = 0; i < layers; i++) {
        uint32_t row = row_length(sizes[i]);
        starts[i]    = total;
        total += (sizes[i] + row - 1) / row + (sizes[i] == 0);
    }
    x->layer_count = total;
    x->first_at    = tn_new(x->arena, uint32_t, total + UINT64_C(2), x->error);
    x->at = tn_new(x->arena, uint32_t, x->count + UINT64_C(1), x->error);
    if (tn_failed(x->error))
        return;
    for (uint32_t i = 0; i < x->count; i++) {
        struct tn_view_item *item = item_at(x, i);
        uint32_t             of   = item->layer;
        item->layer = starts[of] + seen[of]++ / row_length(sizes[of]);
        x->first_at[item->layer + 2]++;
    }
    for (uint32_t i = 1; i <= total; i++)
        x->first_at[i + 1] += x->first_at[i];
    for (uint32_t i = 0; i < x->count; i++)
        x->at[x->first_at[item_at(x, i)->layer + 1]++] = i;
}

/* ---- from left to right ------------------------------------------------- */

/* The mean of where its neighbours are; near ones count more. */
static void wish(struct sheet *x, uint32_t item, bool is_down)
{
    const uint32_t *firsts = is_down ? x->first_in : x->first_out;
    const uint32_t *edges  = is_down ? x->ins : x->outs;
    double          sum = 0, weight = 0;

    for (uint32_t k = firsts[item]; k < firsts[item + 1]; k++) {
        const struct tn_view_edge *edge  = &x->s->edges[edges[k]];
        uint32_t                   other = is_down ? edge->from : edge->to;
        double                     span =
            (double)item_at(x, item)->layer - (double)item_at(x, other)->layer;
        span = span < 0 ? -span : span;
        if (span == 0)
            continue;
        double w =
            (edge->kind == TN_VIEW_CONTROL_LINE ? 0.1 : 1) / (span * span);
        sum += w * x->centers[other];
        weight += w;
    }
    x->wishes[item]  = weight > 0 ? sum / weight : x->centers[item];
    x->weights[item] = weight > 0 ? weight : 0.01;
}

static int by_wish(const void *left, const void *right, void *context)
{
    const struct sheet *x = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    if (x->wishes[a] < x->wishes[b])
        return -1;
    if (x->wishes[a] > x->wishes[b])
        return 1;
    return (a > b) - (a < b);
}

/* Places the items of a layer as near to their wishes as their order and
 * widths allow: neighbours that would overlap become a group, which is where
 * its members want to be on average.  Groups are kept in the arrays of their
 * first members. */
static void settle(struct sheet *x, uint32_t layer, double *places,
                   double *sums, double *offsets, uint32_t *starts)
{
    uint32_t        count  = x->first_at[layer + 1] - x->first_at[layer];
    const uint32_t *items  = x->at + x->first_at[layer];
    uint32_t        groups = 0;
    double          offset = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct tn_view_item *item = item_at(x, items[i]);
        if (i)
            offset += (item_at(x, items[i - 1])->w + item->w) / 2.0 + GAP;
        offsets[i]     = offset;
        starts[groups] = i;
        sums[groups]   = x->weights[items[i]];
        places[groups] = x->wishes[items[i]] - offset;
        groups++;
        while (groups > 1 && places[groups - 2] > places[groups - 1]) {
            double a = sums[groups - 2], b = sums[groups - 1];
            places[groups - 2] =
                (places[groups - 2] * a + places[groups - 1] * b) / (a + b);
            sums[groups - 2] = a + b;
            groups--;
        }
    }
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t end = g + 1 < groups ? starts[g + 1] : count;
        for (uint32_t i = starts[g]; i < end; i++)
            x->centers[items[i]] = places[g] + offsets[i];
    }
}

static void place_in_layers(struct sheet *x)
{
    uint64_t  n       = x->count + UINT64_C(1);
    double   *places  = tn_new(x->arena, double, n, x->error);
    double   *sums    = tn_new(x->arena, double, n, x->error);
    double   *offsets = tn_new(x->arena, double, n, x->error);
    uint32_t *starts  = tn_new(x->arena, uint32_t, n, x->error);

    x->centers = tn_new(x->arena, double, n, x->error);
    x->wishes  = tn_new(x->arena, double, n, x->error);
    x->weights = tn_new(x->arena, double, n, x->error);
    if (tn_failed(x->error))
        return;
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        bool is_down = sweep % 2 == 0;
        for (uint32_t i = 0; i < x->layer_count; i++) {
            uint32_t  layer = is_down ? i : x->layer_count - 1 - i;
            uint32_t *items = x->at + x->first_at[layer];
            uint32_t  count = x->first_at[layer + 1] - x->first_at[layer];
            for (uint32_t k = 0; k < count; k++)
                wish(x, items[k], is_down);
            if (sweep < 3 && count > 1)
                tn_sort_items(items, count, sizeof *items, by_wish, x);
            settle(x, layer, places, sums, offsets, starts);
        }
    }
}

static int32_t round_px(double value)
{
    return (int32_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Rounds to whole px, from 0 on. */
static void place_boxes(struct sheet *x)
{
    double  least = 0;
    int32_t y     = TN_VIEW_MARGIN;

    x->tops = tn_new(x->arena, int32_t, x->layer_count + UINT64_C(1), x->error);
    x->lefts =
        tn_new(x->arena, int32_t, x->layer_count + UINT64_C(1), x->error);
    x->rights =
        tn_new(x->arena, int32_t, x->layer_count + UINT64_C(1), x->error);
    if (tn_failed(x->error))
        return;
    for (uint32_t i = 0; i < x->count; i++) {
        double left = x->centers[i] - item_at(x, i)->w / 2.0;
        if (i == 0 || left < least)
            least = left;
    }
    for (uint32_t layer = 0; layer < x->layer_count; layer++) {
        int32_t height = 0;
        for (uint32_t k = x->first_at[layer]; k < x->first_at[layer + 1]; k++)
            if (item_at(x, x->at[k])->h > height)
                height = item_at(x, x->at[k])->h;
        x->tops[layer] = y;
        for (uint32_t k = x->first_at[layer]; k < x->first_at[layer + 1]; k++) {
            struct tn_view_item *item = item_at(x, x->at[k]);
            item->x = round_px(x->centers[x->at[k]] - item->w / 2.0 - least);
            item->y = y + (height - item->h) / 2;
            if (k == x->first_at[layer] || item->x < x->lefts[layer])
                x->lefts[layer] = item->x;
            if (item->x + item->w > x->rights[layer])
                x->rights[layer] = item->x + item->w;
        }
        y += height + (height ? LEVEL_GAP : 0);
    }
    x->s->height = y - (y > TN_VIEW_MARGIN ? LEVEL_GAP : 0) + TN_VIEW_MARGIN;
}

/* ---- ends and lanes of edges -------------------------------------------- */

/* Scanning the layers that an edge passes must not cost more than a constant
 * for each item of the sheet. */
static uint32_t longest_span(const struct sheet *x)
{
    uint32_t span = 400000 / (x->s->edge_count + 1);

    return span < 12 ? 12 : span > 400 ? 400 : span;
}

static uint32_t span_of(const struct sheet *x, uint32_t edge)
{
    uint32_t a = item_at(x, x->s->edges[edge].from)->layer;
    uint32_t b = item_at(x, x->s->edges[edge].to)->layer;

    return a < b ? b - a : a - b;
}

/* Edges that are too long for a line. */
static void mark_stubs(struct sheet *x)
{
    uint32_t most = longest_span(x);

    for (uint32_t i = 0; i < x->s->edge_count; i++) {
        struct tn_view_edge *edge = &x->s->edges[i];
        if (!is_inside(edge))
            continue;
        uint32_t outs = x->first_out[edge->from + 1] - x->first_out[edge->from];
        uint32_t span = span_of(x, i);
        if (span > most || (outs > 4 && span > FAN_SPAN))
            edge->kind = TN_VIEW_STUB;
    }
}

struct port {
    uint32_t edge;
    double   wish;
};

static int by_port(const void *left, const void *right, void *context)
{
    const struct port *a = left, *b = right;

    (void)context;
    if (a->wish != b->wish)
        return a->wish < b->wish ? -1 : 1;
    return (a->edge > b->edge) - (a->edge < b->edge);
}

/* Edges of one side of a box end beside each other, in the order of their
 * other ends; those that are drawn as stubs share the last place. */
static void spread_ports(struct sheet *x, uint32_t item, bool is_out,
                         struct port *ports)
{
    const uint32_t *firsts = is_out ? x->first_out : x->first_in;
    const uint32_t *edges  = is_out ? x->outs : x->ins;
    uint32_t        count  = firsts[item + 1] - firsts[item];
    int32_t         width  = item_at(x, item)->w;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t                   edge = edges[firsts[item] + i];
        const struct tn_view_edge *row  = &x->s->edges[edge];
        ports[i] =
            (struct port){ edge, x->centers[is_out ? row->to : row->from] };
    }
    if (count > 1)
        tn_sort_items(ports, count, sizeof *ports, by_port, NULL);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < count; i++)
        lines += x->s->edges[ports[i].edge].kind != TN_VIEW_STUB;
    uint32_t ends = lines + (lines < count), next = 0;
    double   step = ends > 1 ? (width - 24.0) / (ends - 1) : 0;
    step          = step > 16 ? 16 : step;
    for (uint32_t i = 0; i < count; i++) {
        bool     is_stub = x->s->edges[ports[i].edge].kind == TN_VIEW_STUB;
        uint32_t place   = is_stub ? lines : next++;
        int32_t  at = round_px(width / 2.0 + (place - (ends - 1) / 2.0) * step);
        if (is_out)
            x->s->edges[ports[i].edge].out = at;
        else
            x->s->edges[ports[i].edge].in = at;
    }
}

static void place_ports(struct sheet *x)
{
    struct port *ports =
        tn_new(x->arena, struct port, x->s->edge_count + UINT64_C(1), x->error);

    for (uint32_t i = 0; ports && i < x->count; i++) {
        spread_ports(x, i, true, ports);
        spread_ports(x, i, false, ports);
    }
    for (uint32_t i = 0; i < x->s->edge_count; i++) {
        struct tn_view_edge *edge = &x->s->edges[i];
        if (edge->from == TN_NONE && edge->to != TN_NONE)
            edge->in = item_at(x, edge->to)->w / 2;
        else if (edge->to == TN_NONE && edge->from != TN_NONE)
            edge->out = item_at(x, edge->from)->w / 2;
    }
}

/* The box of a layer that covers x, or TN_NONE: the last that begins before
 * its end. */
static uint32_t box_at(const struct sheet *x, uint32_t layer, int32_t place)
{
    const uint32_t end = x->first_at[layer + 1];
    uint64_t       at;

    TN_BISECT(at, x->first_at[layer], end,
              item_at(x, x->at[at])->x + item_at(x, x->at[at])->w +
                      LANE_GAP / 2 <
                  place);
    return at < end && item_at(x, x->at[at])->x - LANE_GAP / 2 < place
               ? x->at[at]
               : TN_NONE;
}

/* The first layer between the two in which a box is in the way. */
static uint32_t blocked_at(const struct sheet *x, uint32_t from, uint32_t to,
                           int32_t place)
{
    for (uint32_t layer = from + 1; layer < to; layer++)
        if (box_at(x, layer, place) != TN_NONE)
            return layer;
    return TN_NONE;
}

#define NO_LANE INT32_MIN

/* A free vertical line near `place`; NO_LANE if there is none between boxes. */
static int32_t free_line(const struct sheet *x, uint32_t from, uint32_t to,
                         int32_t place)
{
    int32_t left = place, right = place;

    for (unsigned tries = 0; tries < 3; tries++) {
        uint32_t layer = blocked_at(x, from, to, right);
        if (layer == TN_NONE)
            return right;
        const struct tn_view_item *item = item_at(x, box_at(x, layer, right));
        right                           = item->x + item->w + LANE_GAP;
        layer                           = blocked_at(x, from, to, left);
        if (layer == TN_NONE)
            return left;
        item = item_at(x, box_at(x, layer, left));
        left = item->x - LANE_GAP;
    }
    return NO_LANE;
}

/* Beside all boxes and lanes of these layers, on the nearer side. */
static int32_t side_lane(struct sheet *x, uint32_t from, uint32_t to,
                         int32_t place)
{
    int32_t  left = INT32_MAX, right = INT32_MIN;
    uint32_t low = from < to ? from : to, high = from < to ? to : from;

    if (from < to) { /* not beside the ends themselves */
        low++;
        high--;
    }
    for (uint32_t i = low; i <= high; i++) {
        left  = x->lefts[i] < left ? x->lefts[i] : left;
        right = x->rights[i] > right ? x->rights[i] : right;
    }
    bool    is_left = place - left < right - place;
    int32_t lane    = is_left ? left - LANE_GAP : right + LANE_GAP;
    for (uint32_t i = low; i <= high; i++) {
        if (is_left)
            x->lefts[i] = lane;
        else
            x->rights[i] = lane;
    }
    return lane;
}

/* Whether the lane of another box's edge is there, between the same layers.
 * Only those that were placed lately are asked: they are the near ones. */
static bool is_taken(const struct sheet *x, const struct tn_view_edge *edge,
                     int32_t lane)
{
    uint32_t low  = item_at(x, edge->from)->layer;
    uint32_t high = item_at(x, edge->to)->layer;
    uint32_t end  = x->lane_count < MOST_ASKED ? x->lane_count : MOST_ASKED;

    for (uint32_t i = 1; i <= end; i++) {
        const struct tn_view_edge *other =
            &x->s->edges[x->lanes[x->lane_count - i]];
        uint32_t a = item_at(x, other->from)->layer;
        uint32_t b = item_at(x, other->to)->layer;
        if (other->from != edge->from && other->lane - lane < LANE_GAP / 2 &&
            lane - other->lane < LANE_GAP / 2 && low < (a < b ? b : a) &&
            (a < b ? a : b) < high)
            return true;
    }
    return false;
}

/* A free line near that is not another box's lane, if there is one: lines on
 * top of each other cannot be told apart. */
static int32_t own_line(const struct sheet *x, const struct tn_view_edge *edge,
                        int32_t place)
{
    uint32_t from = item_at(x, edge->from)->layer;
    uint32_t to   = item_at(x, edge->to)->layer;
    int32_t  lane = free_line(x, from, to, place);

    for (int32_t i = 0; lane != NO_LANE && i < 2 * MOST_BESIDE; i++) {
        int32_t other = lane + (i % 2 ? -1 : 1) * ((i + 1) / 2) * LANE_GAP;
        if (!is_taken(x, edge, other) &&
            blocked_at(x, from, to, other) == TN_NONE)
            return other;
    }
    return lane;
}

static void place_lane(struct sheet *x, struct tn_view_edge *edge)
{
    const struct tn_view_item *a       = item_at(x, edge->from);
    const struct tn_view_item *b       = item_at(x, edge->to);
    bool                       is_down = b->layer > a->layer;
    uint32_t span = is_down ? b->layer - a->layer : a->layer - b->layer;
    int32_t  out = a->x + edge->out, in = b->x + edge->in;

    edge->lane = NO_LANE;
    if (is_down && span == 1)
        return;
    if (edge->kind == TN_VIEW_STUB)
        return;
    if (!is_down) {
        edge->lane = side_lane(x, a->layer, b->layer, out);
        return;
    }
    edge->lane = own_line(x, edge, in);
    if (edge->lane == NO_LANE)
        edge->lane = own_line(x, edge, out);
    if (edge->lane == NO_LANE)
        edge->lane = side_lane(x, a->layer, b->layer, (out + in) / 2);
}

static int by_span(const void *left, const void *right, void *context)
{
    const uint32_t *a = left, *b = right;
    uint32_t        x = span_of(context, *a), y = span_of(context, *b);

    return x != y ? (x > y) - (x < y) : (*a > *b) - (*a < *b);
}

/* Edges that need a lane, the short ones first: they are inside of the long
 * ones then. */
static uint32_t *edges_with_lanes(struct sheet *x, uint32_t *count)
{
    uint32_t *edges =
        tn_new(x->arena, uint32_t, x->s->edge_count + UINT64_C(1), x->error);

    *count = 0;
    for (uint32_t i = 0; edges && i < x->s->edge_count; i++) {
        x->s->edges[i].lane = NO_LANE;
        if (is_inside(&x->s->edges[i]) &&
            (span_of(x, i) != 1 || item_at(x, x->s->edges[i].to)->layer <
                                       item_at(x, x->s->edges[i].from)->layer))
            edges[(*count)++] = i;
    }
    if (*count > 1)
        tn_sort_items(edges, *count, sizeof *edges, by_span, x);
    return edges;
}

static void place_lanes(struct sheet *x)
{
    int32_t   least = 0;
    uint32_t  count;
    uint32_t *edges = edges_with_lanes(x, &count);

    x->lanes = tn_new(x->arena, uint32_t, count + UINT64_C(1), x->error);
    if (tn_failed(x->error))
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct tn_view_edge *edge = &x->s->edges[edges[i]];
        place_lane(x, edge);
        if (edge->lane == NO_LANE)
            continue;
        x->lanes[x->lane_count++] = edges[i];
        least                     = edge->lane < least ? edge->lane : least;
    }
    for (uint32_t i = 0; i < x->count; i++) {
        struct tn_view_item *item = item_at(x, i);
        item->x += TN_VIEW_MARGIN - least;
        if (item->x + item->w > x->s->width)
            x->s->width = item->x + item->w;
    }
    for (uint32_t i = 0; i < x->s->edge_count; i++) {
        struct tn_view_edge *edge = &x->s->edges[i];
        if (edge->lane == NO_LANE)
            edge->lane = -1;
        else
            edge->lane += TN_VIEW_MARGIN - least;
        if (edge->lane > x->s->width)
            x->s->width = edge->lane;
    }
    x->s->width += TN_VIEW_MARGIN;
}

/* ---- all ---------------------------------------------------------------- */

void tn_view_layouter_init(struct tn_view_layouter *layouter,
                           struct tn_memory *memory, struct tn_error *error)
{
    tn_arena_init(&layouter->arena, memory);
    layouter->error = error;
}

void tn_view_layouter_done(struct tn_view_layouter *layouter)
{
    tn_arena_done(&layouter->arena);
}

void tn_view_layout(struct tn_view_layouter *layouter,
                    struct tn_view_sheet    *sheet)
{
    struct sheet x                               = { .s     = sheet,
                                                     .arena = &layouter->arena,
                                                     .error = layouter->error,
                                                     .count = sheet->item_count };
    static void (*const steps[])(struct sheet *) = {
        index_edges,     sort_items,  find_layers, drop_loose,  fill_layers,
        place_in_layers, place_boxes, mark_stubs,  place_ports, place_lanes,
    };

    sheet->width = sheet->height = 0;
    tn_arena_rewind(&layouter->arena);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!tn_failed(x.error))
            steps[i](&x);
}

enum tn_status tn_view_layout_all(struct tn_picture *picture)
{
    struct tn_view_layouter layouter;

    tn_view_layouter_init(&layouter, picture->memory, picture->error);
    for (uint64_t i = 0; i < picture->items.count; i++)
        measure(picture, tn_picture_item(picture, i));
    for (uint32_t i = 0; i < picture->blocks.count; i++) {
        struct tn_view_block *block = tn_picture_block(picture, i);
        struct tn_view_sheet  sheet = {
             .items      = tn_picture_item(picture, block->first_item),
             .item_count = block->item_count,
             .edges      = tn_picture_edge(picture, block->first_edge),
             .edge_count = block->edge_count,
        };
        tn_view_layout(&layouter, &sheet);
        block->width  = sheet.width;
        block->height = sheet.height;
        if (tn_failed(picture->error))
            break;
    }
    tn_view_layouter_done(&layouter);
    return picture->error->status;
}
