/*
 * view_svg.c - the first picture of a model as SVG
 *
 * Blocks that are open at first are laid out again with what is in them, from
 * the inside out, and drawn as frames.
 */
#include "view/view_svg.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "view/view_layout.h"
#include "view/view_types.h"

enum {
    PADDING = 12, /* between a frame and the block in it                     */
    CAPTION = 60, /* height of the lines above the picture                   */
    EDGE    = 20, /* around everything                                       */
    DEEPEST = 16, /* frames in frames                                        */
    LEAST_WIDTH = 360
};

/* A block as it is drawn: its items, with places for open ones. */
struct sheet {
    const struct tn_view_block *block;
    struct tn_view_item        *items;
    struct tn_view_edge        *edges;
    struct sheet              **inner; /* by item; NULL: closed               */
    int32_t  *tops, *bottoms;          /* by layer                            */
    uint32_t *stubs[2]; /* by item: edges out and in whose stub is not drawn  */
    uint32_t  layer_count;
    uint32_t start; /* position of its first node                             */
    int32_t  width, height;
};

struct drawer {
    const struct tn_picture    *p;
    const struct tn_view_about *about;
    struct tn_arena             arena;
    struct tn_buffer            out;
    struct tn_list              types; /* of a map: struct tn_view_type       */
    struct tn_error            *error;
};

/* ---- sheets ------------------------------------------------------------- */

static void open_item(struct drawer *d, struct sheet *s, uint32_t index,
                      unsigned depth);

static struct sheet *make_sheet(struct drawer *d, uint32_t block,
                                uint32_t start, unsigned depth)
{
    const struct tn_view_block *row = tn_picture_block(d->p, block);
    struct sheet *s     = tn_new(&d->arena, struct sheet, 1, d->error);
    uint64_t      items = row->item_count + UINT64_C(1);
    uint64_t      edges = row->edge_count + UINT64_C(1);

    if (!s)
        return NULL;
    s->block = row;
    s->start = row->home == TN_NONE ? start : row->home;
    s->items = tn_new(&d->arena, struct tn_view_item, items, d->error);
    s->edges = tn_new(&d->arena, struct tn_view_edge, edges, d->error);
    s->inner = tn_new(&d->arena, struct sheet *, items, d->error);
    if (!s->items || !s->edges || !s->inner)
        return NULL;
    if (row->item_count)
        memcpy(s->items, tn_picture_item(d->p, row->first_item),
               row->item_count * sizeof *s->items);
    if (row->edge_count)
        memcpy(s->edges, tn_picture_edge(d->p, row->first_edge),
               row->edge_count * sizeof *s->edges);
    for (uint32_t i = 0; i < row->item_count && !tn_failed(d->error); i++)
        if (s->items[i].is_open && depth < DEEPEST)
            open_item(d, s, i, depth);
    return s;
}

static void open_item(struct drawer *d, struct sheet *s, uint32_t index,
                      unsigned depth)
{
    struct tn_view_item *item = &s->items[index];

    s->inner[index] =
        make_sheet(d, item->block, s->start + item->offset, depth + 1);
}

/* From the inside out. */
static void lay_out(struct drawer *d, struct sheet *s)
{
    struct tn_view_layouter layouter;
    struct tn_view_sheet    sheet = { .items      = s->items,
                                      .item_count = s->block->item_count,
                                      .edges      = s->edges,
                                      .edge_count = s->block->edge_count };

    for (uint32_t i = 0; i < s->block->item_count; i++) {
        struct sheet *inner = s->inner[i];
        if (!inner)
            continue;
        lay_out(d, inner);
        int32_t width = inner->width + 2 * PADDING;
        int32_t title = s->items[i].w + 24;
        s->items[i].w = width > title ? width : title;
        s->items[i].h = inner->height + TN_VIEW_HEADER + PADDING;
    }
    tn_view_layouter_init(&layouter, d->p->memory, d->error);
    tn_view_layout(&layouter, &sheet);
    tn_view_layouter_done(&layouter);
    s->width  = sheet.width;
    s->height = sheet.height;
}

/* Where each layer begins and ends. */
static void measure_layers(struct drawer *d, struct sheet *s)
{
    for (uint32_t i = 0; i < s->block->item_count; i++)
        if (s->items[i].layer >= s->layer_count)
            s->layer_count = s->items[i].layer + 1;
    s->tops =
        tn_new(&d->arena, int32_t, s->layer_count + UINT64_C(1), d->error);
    s->bottoms =
        tn_new(&d->arena, int32_t, s->layer_count + UINT64_C(1), d->error);
    for (int i = 0; i < 2; i++)
        s->stubs[i] = tn_new(&d->arena, uint32_t,
                             s->block->item_count + UINT64_C(1), d->error);
    if (tn_failed(d->error))
        return;
    for (uint32_t i = 0; i < s->block->edge_count; i++) {
        const struct tn_view_edge *edge = &s->edges[i];
        if (edge->kind != TN_VIEW_STUB || edge->from == TN_NONE ||
            edge->to == TN_NONE)
            continue;
        s->stubs[0][edge->from]++;
        s->stubs[1][edge->to]++;
    }
    for (uint32_t i = 0; i < s->layer_count; i++)
        s->tops[i] = INT32_MAX;
    for (uint32_t i = 0; i < s->block->item_count; i++) {
        const struct tn_view_item *item = &s->items[i];
        if (item->y < s->tops[item->layer])
            s->tops[item->layer] = item->y;
        if (item->y + item->h > s->bottoms[item->layer])
            s->bottoms[item->layer] = item->y + item->h;
    }
}

/* ---- text --------------------------------------------------------------- */

/* Escaped for XML, which has no way to write control characters. */
static void put_text(struct drawer *d, struct tn_bytes text)
{
    struct tn_buffer *to = &d->out;

    for (size_t at = 0; at < text.size;) {
        unsigned size = tn_utf8_check(text.data + at, text.data + text.size);
        uint32_t code = size ? tn_utf8_code(text.data + at, size) : 0xfffd;
        if (code == '<')
            tn_buffer_text(to, "&lt;");
        else if (code == '&')
            tn_buffer_text(to, "&amp;");
        else if (code == '>')
            tn_buffer_text(to, "&gt;");
        else if (code == '"')
            tn_buffer_text(to, "&quot;");
        else if (tn_utf8_is_harmful(code) || code >= 0xfffe || code == 0xfffd)
            tn_buffer_text(to, "\xef\xbf\xbd");
        else
            tn_buffer_add(to, tn_bytes(text.data + at, size));
        at += size ? size : 1;
    }
}

/* The text, or as much of its beginning and end as fits. */
static void put_fitting(struct drawer *d, struct tn_bytes text, int32_t room,
                        bool is_label)
{
    if (tn_view_text_width(text, is_label) <= room) {
        put_text(d, text);
        return;
    }
    size_t keep = text.size;
    while (keep > 2) {
        keep -= keep > 64 ? keep / 8 : 1;
        struct tn_bytes head = tn_utf8_cut(text, (keep + 1) / 2);
        size_t          tail = text.size - keep / 2;
        while (tail < text.size && (text.data[tail] & 0xc0) == 0x80)
            tail++;
        struct tn_bytes end = tn_bytes(text.data + tail, text.size - tail);
        if (tn_view_text_width(head, is_label) +
                tn_view_text_width(end, is_label) + 12 >
            room)
            continue;
        put_text(d, head);
        tn_buffer_text(&d->out, "\xe2\x80\xa6");
        put_text(d, end);
        return;
    }
    tn_buffer_text(&d->out, "\xe2\x80\xa6");
}

static void begin_text(struct drawer *d, const char *class, int32_t x,
                       int32_t y, const char *anchor)
{
    tn_buffer_format(
        &d->out, "<text class=\"%s\" x=\"%" PRId32 "\" y=\"%" PRId32 "\"%s>",
        class, x, y, anchor);
}

#define MIDDLE " text-anchor=\"middle\""
#define LAST   " text-anchor=\"end\""

static void end_text(struct drawer *d)
{
    tn_buffer_text(&d->out, "</text>\n");
}

/* ---- boxes -------------------------------------------------------------- */

static void put_rect(struct drawer *d, const char *class, unsigned number,
                     int32_t x, int32_t y, int32_t w, int32_t h, int32_t round)
{
    tn_buffer_format(&d->out,
                     "<rect class=\"%s%u\" x=\"%" PRId32 "\" y=\"%" PRId32
                     "\" width=\"%" PRId32 "\" height=\"%" PRId32
                     "\" rx=\"%" PRId32 "\"/>\n",
                     class, number, x, y, w, h, round);
}

/* The number of a node as a colour from yellow to red, above the box. */
static void put_heat(struct drawer *d, const struct sheet *s,
                     const struct tn_view_item *item, int32_t x, int32_t y)
{
    const struct tn_picture *p   = d->p;
    double                   sum = 0;
    bool                     has = false;
    uint64_t                 end = (uint64_t)item->size * item->repeat;

    if (!p->numbers)
        return;
    for (uint64_t i = 0; i < end; i++) {
        float number = p->numbers[p->order[s->start + item->offset + i]];
        if (number == number) {
            sum += number;
            has = true;
        }
    }
    double range = p->most - p->least;
    double part  = range > 0 ? (sum - p->least) / range : 1;
    part         = part < 0 ? 0 : part > 1 ? 1 : part;
    if (!has)
        return;
    tn_buffer_format(&d->out,
                     "<rect x=\"%" PRId32 "\" y=\"%" PRId32
                     "\" width=\"%" PRId32 "\" height=\"%" PRId32
                     "\" rx=\"6\" fill=\"hsl(%d,85%%,50%%)\" "
                     "fill-opacity=\"0.45\"/>\n",
                     x, y, item->w, item->h, (int)(50 - 50 * part));
}

static void put_badge(struct drawer *d, const struct tn_view_item *item,
                      int32_t x, int32_t y)
{
    struct tn_buffer *to = &d->out;

    if (item->repeat < 2)
        return;
    int32_t digits = 1;
    for (uint32_t n = item->repeat; n >= 10; n /= 10)
        digits++;
    int32_t width = 18 + 7 * digits;
    put_rect(d, "badge", 0, x + item->w - width - 6, y - 9, width, 18, 9);
    begin_text(d, "count", x + item->w - 6 - width / 2, y + 4, MIDDLE);
    tn_buffer_format(to, "\xc3\x97 %" PRIu32, item->repeat);
    end_text(d);
}

static void put_box(struct drawer *d, const struct sheet *s,
                    const struct tn_view_item *item, int32_t x, int32_t y)
{
    struct tn_bytes label      = tn_picture_text(d->p, item->label);
    struct tn_bytes detail     = tn_picture_text(d->p, item->detail);
    int32_t         middle     = x + item->w / 2;
    bool            has_detail = detail.size > 0;

    tn_buffer_text(&d->out, "<g>");
    if (item->block || item->label) {
        tn_buffer_text(&d->out, "<title>");
        put_text(d, label);
        tn_buffer_text(&d->out, has_detail ? ", " : "");
        put_text(d, detail);
        tn_buffer_text(&d->out, "</title>\n");
    }
    if (item->repeat > 1) {
        put_rect(d, "c", item->class, x + 6, y + 6, item->w, item->h, 6);
        put_rect(d, "c", item->class, x + 3, y + 3, item->w, item->h, 6);
    }
    put_rect(d, "c", item->class, x, y, item->w, item->h,
             item->class == TN_VIEW_CLASS_DATA ? item->h / 2 : 6);
    put_heat(d, s, item, x, y);
    if (item->state)
        put_rect(d, "state s", item->state, x - 1, y - 1, item->w + 2,
                 item->h + 2, 7);
    begin_text(d, "op", middle, y + item->h / 2 + (has_detail ? -3 : 5),
               MIDDLE);
    put_fitting(d, label, item->w - 20, true);
    end_text(d);
    if (has_detail) {
        begin_text(d, "detail", middle, y + item->h / 2 + 13, MIDDLE);
        put_fitting(d, detail, item->w - 16, false);
        end_text(d);
    }
    put_badge(d, item, x, y);
    tn_buffer_text(&d->out, "</g>\n");
}

/* ---- lines -------------------------------------------------------------- */

/* From one point down to another, turning between them. */
static void put_turn(struct drawer *d, int32_t x, int32_t from, int32_t to_x,
                     int32_t to)
{
    int32_t half = (to - from) / 2;

    if (x == to_x)
        tn_buffer_format(&d->out, "V%" PRId32, to);
    else
        tn_buffer_format(&d->out,
                         "C%" PRId32 " %" PRId32 " %" PRId32 " %" PRId32
                         " %" PRId32 " %" PRId32,
                         x, from + half, to_x, to - half, to_x, to);
}

/* The label is beside the end that is away from the box.  room_left > 0: a line
 * is right of it; the label is left if it fits there, else behind the line. */
static void put_stub(struct drawer *d, int32_t x, int32_t y, int32_t length,
                     struct tn_bytes label, uint32_t count, int32_t room_left)
{
    int32_t width   = tn_view_text_width(label, false) + (count > 1 ? 50 : 0);
    bool    is_left = room_left > 0 && width + 8 <= room_left;

    tn_buffer_format(&d->out,
                     "<path class=\"stub\" d=\"M%" PRId32 " %" PRId32
                     "v%" PRId32 "\"/><circle class=\"dot\" cx=\"%" PRId32
                     "\" cy=\"%" PRId32 "\" r=\"2.5\"/>\n",
                     x, y, length, x, y + length);
    if (!label.size)
        return;
    begin_text(d, "hint", is_left ? x - 6 : x + (room_left > 0 ? 14 : 6),
               y + length + (length < 0 ? 2 : 5), is_left ? LAST : "");
    put_fitting(d, label, 90, false);
    if (count > 1)
        tn_buffer_format(&d->out, ", %" PRIu32 " more", count - 1);
    end_text(d);
}

/* Stubs of one side of a box are one, which names the first. */
static void put_long(struct drawer *d, const struct sheet *s,
                     const struct tn_view_edge *edge, int32_t x, int32_t y)
{
    const struct tn_view_item *a = &s->items[edge->from];
    const struct tn_view_item *b = &s->items[edge->to];

    if (s->stubs[0][edge->from])
        put_stub(d, x + a->x + edge->out, y + a->y + a->h, 14,
                 tn_picture_text(d->p, b->label), s->stubs[0][edge->from], 0);
    if (s->stubs[1][edge->to])
        put_stub(d, x + b->x + edge->in, y + b->y, -14,
                 tn_picture_text(d->p, a->label), s->stubs[1][edge->to], 0);
    s->stubs[0][edge->from] = s->stubs[1][edge->to] = 0;
}

static void put_line(struct drawer *d, const struct sheet *s,
                     const struct tn_view_edge *edge, int32_t x, int32_t y)
{
    const struct tn_view_item *a = &s->items[edge->from];
    const struct tn_view_item *b = &s->items[edge->to];
    int32_t out = x + a->x + edge->out, in = x + b->x + edge->in;
    int32_t low = y + s->bottoms[a->layer], top = y + s->tops[b->layer] - 1;

    if (edge->kind == TN_VIEW_STUB) {
        put_long(d, s, edge, x, y);
        return;
    }
    tn_buffer_format(
        &d->out, "<path class=\"%s\" d=\"M%" PRId32 " %" PRId32 "V%" PRId32,
        edge->kind == TN_VIEW_CONTROL_LINE ? "wire control" : "wire", out,
        y + a->y + a->h, low);
    if (edge->lane < 0) {
        put_turn(d, out, low, in, top);
    } else if (b->layer > a->layer) {
        int32_t lane = x + edge->lane;
        int32_t next = y + s->tops[a->layer + 1];
        int32_t last = y + s->bottoms[b->layer - 1];
        if (s->tops[a->layer + 1] == INT32_MAX)
            next = low + 40; /* an empty layer */
        if (s->bottoms[b->layer - 1] == 0)
            last = top - 40;
        put_turn(d, out, low, lane, next);
        if (last > next)
            tn_buffer_format(&d->out, "V%" PRId32, last);
        put_turn(d, lane, last > next ? last : next, in, top);
    } else { /* up again, beside everything */
        int32_t lane = x + edge->lane;
        tn_buffer_format(&d->out,
                         "C%" PRId32 " %" PRId32 " %" PRId32 " %" PRId32
                         " %" PRId32 " %" PRId32 "V%" PRId32 "C%" PRId32
                         " %" PRId32 " %" PRId32 " %" PRId32 " %" PRId32
                         " %" PRId32,
                         out, low + 20, lane, low + 20, lane, low, top, lane,
                         top - 20, in, top - 20, in, top);
    }
    if (y + b->y - 1 > top)
        tn_buffer_format(&d->out, "V%" PRId32, y + b->y - 1);
    tn_buffer_text(&d->out, "\"/>\n");
}

/* What goes on outside the frame: a line to its border if nothing is between,
 * else a stub. */
static void put_crossing(struct drawer *d, const struct sheet *s,
                         const struct tn_view_edge *edge, int32_t x, int32_t y)
{
    if (edge->from == TN_NONE) {
        const struct tn_view_item *b  = &s->items[edge->to];
        int32_t                    at = x + b->x + edge->in, top = y + b->y;
        if (b->layer == 0)
            tn_buffer_format(&d->out,
                             "<path class=\"wire\" d=\"M%" PRId32 " %" PRId32
                             "V%" PRId32 "\"/>\n",
                             at, y - 2, top - 1);
        else
            put_stub(d, at - 8, top, -14, tn_picture_text(d->p, edge->label),
                     edge->weight, at - 8 - x + PADDING);
        return;
    }
    const struct tn_view_item *a   = &s->items[edge->from];
    int32_t                    at  = x + a->x + edge->out;
    int32_t                    low = y + a->y + a->h;
    if (a->layer + 1 == s->layer_count)
        tn_buffer_format(&d->out,
                         "<path class=\"plain\" d=\"M%" PRId32 " %" PRId32
                         "V%" PRId32 "\"/>\n",
                         at, low, y + s->height + PADDING);
    else
        put_stub(d, at + 8, low, 14, tn_picture_text(d->p, edge->label),
                 edge->weight, 0);
}

static void put_sheet(struct drawer *d, struct sheet *s, int32_t x, int32_t y,
                      unsigned depth);

static void put_frame(struct drawer *d, struct sheet *s, uint32_t index,
                      int32_t x, int32_t y, unsigned depth)
{
    const struct tn_view_item *item   = &s->items[index];
    struct tn_bytes            label  = tn_picture_text(d->p, item->label);
    struct tn_bytes            detail = tn_picture_text(d->p, item->detail);
    int32_t                    width  = s->inner[index]->width + 2 * PADDING;
    int32_t                    count  = tn_view_text_width(detail, false) + 12;

    put_rect(d, "frame f", depth % 2, x, y, item->w, item->h, 8);
    begin_text(d, "op", x + PADDING, y + 20, "");
    put_fitting(d, label, item->w - 2 * PADDING - count, true);
    end_text(d);
    begin_text(d, "detail", x + item->w - PADDING, y + 20, LAST);
    put_fitting(d, detail, item->w / 2, false);
    end_text(d);
    put_sheet(d, s->inner[index], x + PADDING + (item->w - width) / 2,
              y + TN_VIEW_HEADER, depth + 1);
}

static void put_sheet(struct drawer *d, struct sheet *s, int32_t x, int32_t y,
                      unsigned depth)
{
    measure_layers(d, s);
    if (tn_failed(d->error))
        return;
    for (uint32_t i = 0; i < s->block->item_count; i++)
        if (s->inner[i])
            put_frame(d, s, i, x + s->items[i].x, y + s->items[i].y, depth);
    for (uint32_t i = 0; i < s->block->edge_count; i++) {
        const struct tn_view_edge *edge = &s->edges[i];
        if (edge->from != TN_NONE && edge->to != TN_NONE)
            put_line(d, s, edge, x, y);
        else if (depth > 0)
            put_crossing(d, s, edge, x, y);
    }
    for (uint32_t i = 0; i < s->block->item_count; i++)
        if (!s->inner[i])
            put_box(d, s, &s->items[i], x + s->items[i].x, y + s->items[i].y);
}

/* ---- areas of tensors --------------------------------------------------- */

enum {
    MAP_WIDTH  = 960,
    MAP_HEIGHT = 600,
    MAP_TITLE  = 18,
    MAP_LEAST  = 32,
    KEY_ROW    = 22
};

struct place {
    double x, y, w, h;
};

static void put_area_text(struct drawer *d, const struct tn_view_item *item,
                          struct place at, bool is_scope)
{
    int32_t x = (int32_t)at.x, y = (int32_t)at.y, w = (int32_t)at.w;

    if (w < 36 || at.h < 16)
        return;
    begin_text(d, "op small", x + 6, y + 13, "");
    put_fitting(d, tn_picture_text(d->p, item->label), (w - 10) * 7 / 6, true);
    end_text(d);
    if (is_scope || at.h < 32)
        return;
    begin_text(d, "detail", x + 6, y + 27, "");
    put_fitting(d, tn_picture_text(d->p, item->detail), w - 10, false);
    end_text(d);
}

/* Of the tensors from that position on, the type that takes most room. */
static enum tn_view_class class_of(const struct drawer *d, uint32_t start,
                                   uint32_t size)
{
    double             bytes[TN_VIEW_CLASS_COUNT] = { 0 };
    enum tn_view_class most                       = TN_VIEW_CLASS_OTHER;

    for (uint32_t i = 0; i < size; i++) {
        uint32_t                node = d->p->order[start + i];
        const struct tn_tensor *tensor =
            tn_model_tensor(d->p->model, tn_picture_node(d->p, node)->what);
        bytes[tn_view_type_class(&d->types, tensor)] +=
            (double)tn_picture_tensor_bytes(tensor) + 1;
    }
    for (unsigned i = 0; i < TN_VIEW_CLASS_COUNT; i++)
        if (bytes[i] > bytes[most])
            most = (enum tn_view_class)i;
    return most;
}

/* An area has the colour of its type, and a scope that is too small to show
 * what is in it that of most of it; others have that of their depth. */
static void put_area(struct drawer *d, const struct tn_view_item *item,
                     struct place at, uint32_t start, bool opens,
                     unsigned depth)
{
    tn_buffer_format(&d->out,
                     "<rect class=\"%s%u\" x=\"%d\" y=\"%d\" width=\"%d\" "
                     "height=\"%d\" rx=\"2\"/>\n",
                     opens ? "frame f" : "c",
                     opens ? depth % 2 : class_of(d, start, item->size),
                     (int)at.x + 1, (int)at.y + 1,
                     (int)(at.x + at.w) - (int)at.x - 2,
                     (int)(at.y + at.h) - (int)at.y - 2);
    put_area_text(d, item, at, item->block != 0);
}

static void put_areas(struct drawer *d, uint32_t block, struct place in,
                      uint32_t start, unsigned depth)
{
    const struct tn_view_block *row = tn_picture_block(d->p, block);

    for (uint32_t i = 0; i < row->item_count; i++) {
        const struct tn_view_item *item =
            tn_picture_item(d->p, row->first_item + i);
        double       sx = row->width ? in.w / row->width : 0;
        double       sy = row->height ? in.h / row->height : 0;
        struct place at = { in.x + item->x * sx, in.y + item->y * sy,
                            item->w * sx, item->h * sy };
        if (at.w < 1.5 || at.h < 1.5)
            continue;
        bool opens = item->block && depth < DEEPEST && at.w > MAP_LEAST &&
                     at.h > MAP_LEAST;
        put_area(d, item, at, start + item->offset, opens, depth);
        if (item->state && !opens)
            put_rect(d, "state s", item->state, (int32_t)at.x + 1,
                     (int32_t)at.y + 1, (int32_t)at.w - 2, (int32_t)at.h - 2,
                     3);
        if (opens)
            put_areas(d, item->block,
                      (struct place){ at.x + 3, at.y + MAP_TITLE, at.w - 6,
                                      at.h - MAP_TITLE - 3 },
                      start + item->offset, depth + 1);
    }
}

/* "float32 (12)": what the colours mean, in rows. */
static int32_t put_key(struct drawer *d, int32_t top, bool is_drawn)
{
    int32_t x = EDGE, y = top;

    for (uint64_t i = 0; i < d->types.count; i++) {
        const struct tn_view_type *type =
            tn_list_at(&d->types, struct tn_view_type, i);
        char text[80];
        snprintf(text, sizeof text, "%s (%" PRIu64 ")", type->name,
                 type->count);
        int32_t width = 18 + tn_view_text_width(tn_text(text), false) + 16;
        if (x > EDGE && x + width > EDGE + MAP_WIDTH) {
            x = EDGE;
            y += KEY_ROW;
        }
        if (is_drawn) {
            put_rect(d, "c", type->class, x, y, 12, 12, 3);
            begin_text(d, "detail", x + 18, y + 10, "");
            put_text(d, tn_text(text));
            end_text(d);
        }
        x += width;
    }
    return y + KEY_ROW;
}

/* ---- the file ----------------------------------------------------------- */

struct colours {
    const char *fill, *stroke;
};

/* The same as in viewer/palette.js. */
static const struct colours light[TN_VIEW_CLASS_COUNT] = {
    { "#eef0f4", "#98a1b3" }, { "#dcf5e7", "#2f9e67" },
    { "#f3eee5", "#a68f69" }, { "#dfe8fd", "#4f74d9" },
    { "#ebe4fb", "#8560d0" }, { "#fde5e2", "#d1604f" },
    { "#fdeed6", "#c98a1e" }, { "#e6ebf0", "#7488a0" },
    { "#e0f2fa", "#3f98c4" }, { "#fbe3f1", "#c2529a" },
    { "#f0f3d2", "#8a9a1f" }, { "#ffffff", "#8b95a8" },
};
static const struct colours dark[TN_VIEW_CLASS_COUNT] = {
    { "#2a2f3a", "#6d778c" }, { "#163528", "#46b582" },
    { "#352e20", "#b39b72" }, { "#1f2c52", "#6f92f0" },
    { "#2f2450", "#a584ea" }, { "#47221d", "#e8806f" },
    { "#41300f", "#dfa544" }, { "#26313d", "#8aa0ba" },
    { "#17384a", "#5fb4de" }, { "#431b37", "#dc74b6" },
    { "#32380f", "#acbe3b" }, { "#1f242e", "#737e93" },
};

static void put_classes(struct drawer *d, const struct colours *colours)
{
    for (unsigned i = 0; i < TN_VIEW_CLASS_COUNT; i++)
        tn_buffer_format(&d->out, ".c%u{fill:%s;stroke:%s}", i, colours[i].fill,
                         colours[i].stroke);
}

static void put_style(struct drawer *d)
{
    struct tn_buffer *to = &d->out;

    tn_buffer_text(
        to,
        "<style>\n"
        "text{font:11px system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\","
        "sans-serif;fill:#1c2230}\n"
        ".op{font-size:13px;font-weight:600}.small{font-size:11px}\n"
        ".title{font-size:15px;font-weight:600}\n"
        ".detail,.hint{fill:#566074}.hint{font-size:10px;paint-order:stroke;"
        "stroke:#f1f3f7;stroke-width:3px}\n"
        ".count{font-weight:600;fill:#ffffff}.badge0{fill:#4a5468}\n"
        ".paper{fill:#f6f7f9}\n"
        ".wire,.plain{fill:none;stroke:#8b95a8;stroke-width:1.4}"
        ".wire{marker-end:url(#a)}.control{stroke-dasharray:4 3}\n"
        ".stub{fill:none;stroke:#8b95a8;stroke-width:1.2;"
        "stroke-dasharray:2 2}.dot,.tip{fill:#8b95a8}\n"
        ".state{fill:none;stroke-width:3}.s1{stroke:#2f9e67}"
        ".s2{stroke:#d1604f}.s3,.s4{stroke:#c98a1e}"
        ".s4{stroke-dasharray:6 4}\n"
        ".frame{stroke:#c3cad6}.f0{fill:#eceff4}.f1{fill:#f6f7f9}\n");
    put_classes(d, light);
    tn_buffer_text(
        to, "\n@media(prefers-color-scheme:dark){text{fill:#eceff6}"
            ".detail,.hint{fill:#a5aec0}.hint{stroke:#161a21}"
            ".badge0{fill:#a5aec0}"
            ".count{fill:#12151b}.paper{fill:#12151b}"
            ".wire,.plain,.stub{stroke:#737e93}.dot,.tip{fill:#737e93}"
            ".frame{stroke:#3a4252}.f0{fill:#191d25}.f1{fill:#12151b}\n");
    put_classes(d, dark);
    tn_buffer_text(to, "}\n</style>\n"
                       "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" "
                       "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
                       "orient=\"auto\"><path class=\"tip\" "
                       "d=\"M0 1L7.5 4L0 7Z\"/></marker></defs>\n");
}

/* "1,234" */
static void put_count(struct drawer *d, uint64_t number)
{
    char     text[32];
    unsigned at = sizeof text, digits = 0;

    do {
        if (digits && digits % 3 == 0)
            text[--at] = ',';
        text[--at] = (char)('0' + number % 10);
        digits++;
    } while (number /= 10);
    tn_buffer_add(&d->out, tn_bytes(text + at, sizeof text - at));
}

static void put_facts(struct drawer *d)
{
    const struct tn_model *model = d->p->model;

    put_text(d, tn_text(model->title));
    if (model->ops.count) {
        tn_buffer_text(&d->out, " \xc2\xb7 ");
        put_count(d, model->ops.count);
        tn_buffer_text(&d->out,
                       model->ops.count == 1 ? " operator" : " operators");
    }
    if (model->tensors.count) {
        tn_buffer_text(&d->out, " \xc2\xb7 ");
        put_count(d, model->tensors.count);
        tn_buffer_text(&d->out,
                       model->tensors.count == 1 ? " tensor" : " tensors");
    }
}

static void begin_file(struct drawer *d, int32_t width, int32_t height)
{
    tn_buffer_format(&d->out,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                     "width=\"%" PRId32 "\" height=\"%" PRId32
                     "\" viewBox=\"0 0 %" PRId32 " %" PRId32
                     "\" role=\"img\">\n<title>",
                     width, height, width, height);
    put_text(d, tn_text(d->about->name));
    tn_buffer_text(&d->out, "</title>\n");
    put_style(d);
    put_rect(d, "paper p", 0, 0, 0, width, height, 0);
    begin_text(d, "title", EDGE, EDGE + 14, "");
    put_fitting(d, tn_text(d->about->name), (width - 2 * EDGE) * 4 / 5, true);
    end_text(d);
    begin_text(d, "detail", EDGE, EDGE + 31, "");
    put_facts(d);
    end_text(d);
}

/* The legend of a comparison: the borders that occur.  Returns its width. */
static int32_t put_states_key(struct drawer *d, int32_t y, bool is_drawn)
{
    static const char *const words[] = { NULL, "added", "removed", "changed",
                                         "something inside" };
    uint64_t                 counts[TN_VIEW_DIFFERS_INSIDE + 1] = { 0 };
    int32_t                  x                                  = EDGE;

    for (uint32_t i = 0; i < tn_picture_node_count(d->p); i++)
        counts[tn_picture_node(d->p, i)->state]++;
    for (uint64_t i = 0; i < d->p->items.count; i++)
        counts[TN_VIEW_DIFFERS_INSIDE] +=
            tn_picture_item(d->p, (uint32_t)i)->state == TN_VIEW_DIFFERS_INSIDE;
    for (unsigned i = 1; i <= TN_VIEW_DIFFERS_INSIDE; i++) {
        char text[60];
        if (!counts[i])
            continue;
        if (i == TN_VIEW_DIFFERS_INSIDE)
            snprintf(text, sizeof text, "%s", words[i]);
        else
            snprintf(text, sizeof text, "%s (%" PRIu64 ")", words[i],
                     counts[i]);
        if (is_drawn) {
            put_rect(d, "state s", i, x, y, 12, 12, 3);
            begin_text(d, "detail", x + 20, y + 10, "");
            put_text(d, tn_text(text));
            end_text(d);
        }
        x += 20 + tn_view_text_width(tn_text(text), false) + 16;
    }
    return x;
}

/* "ms  0.3 [colours] 4.9" */
static void put_numbers_key(struct drawer *d, int32_t y)
{
    enum { STEPS = 16, STEP = 6 };
    struct tn_bytes label = tn_picture_text(d->p, d->p->number_label);
    int32_t         x     = EDGE;
    char            low[32], high[32];

    snprintf(low, sizeof low, "%.4g", d->p->least);
    snprintf(high, sizeof high, "%.4g", d->p->most);
    begin_text(d, "detail", x, y + 10, "");
    put_fitting(d, label, 120, false);
    tn_buffer_format(&d->out, "  %s", low);
    end_text(d);
    int32_t width = tn_view_text_width(label, false);
    x += (width < 120 ? width : 120) + 16 +
         tn_view_text_width(tn_text(low), false);
    for (int i = 0; i < STEPS; i++)
        tn_buffer_format(&d->out,
                         "<rect x=\"%" PRId32 "\" y=\"%" PRId32
                         "\" width=\"%d\" height=\"12\" "
                         "fill=\"hsl(%d,85%%,50%%)\" fill-opacity=\"0.45\"/>\n",
                         x + i * STEP, y, STEP, 50 - 50 * i / (STEPS - 1));
    begin_text(d, "detail", x + STEPS * STEP + 8, y + 10, "");
    put_text(d, tn_text(high));
    end_text(d);
}

static void draw_map(struct drawer *d)
{
    const int32_t bottom = CAPTION + MAP_HEIGHT + 12;

    d->types     = tn_view_types_of(d->p, d->error);
    int32_t low  = put_key(d, bottom, false);
    int32_t more = d->p->op_states ? KEY_ROW : 0;
    begin_file(d, MAP_WIDTH + 2 * EDGE, low + more + EDGE / 2);
    put_areas(d, 0, (struct place){ EDGE, CAPTION, MAP_WIDTH, MAP_HEIGHT }, 0,
              0);
    put_key(d, bottom, true);
    if (d->p->op_states)
        put_states_key(d, low, true);
    tn_list_done(&d->types);
}

static void draw_graph(struct drawer *d)
{
    struct sheet *root = make_sheet(d, 0, 0, 0);

    if (!root || tn_failed(d->error))
        return;
    lay_out(d, root);
    int32_t least  = d->p->op_states ? put_states_key(d, 0, false) : 0;
    int32_t bottom = root->height + CAPTION + EDGE / 2;
    int32_t keys   = (d->p->op_states ? KEY_ROW : 0) +
                   (d->p->numbers && d->p->number_count ? KEY_ROW : 0);
    if (least < LEAST_WIDTH)
        least = LEAST_WIDTH;
    int32_t inner = root->width < least ? least : root->width;
    int32_t width = inner + 2 * EDGE - 2 * TN_VIEW_MARGIN;
    begin_file(d, width, root->height + CAPTION + EDGE + keys);
    put_sheet(d, root, EDGE - TN_VIEW_MARGIN + (inner - root->width) / 2,
              CAPTION, 0);
    if (d->p->op_states)
        put_states_key(d, bottom, true);
    if (d->p->numbers && d->p->number_count)
        put_numbers_key(d, bottom + keys - KEY_ROW);
}

enum tn_status tn_view_write_svg(const struct tn_picture    *picture,
                                 const struct tn_view_about *about,
                                 struct tn_sink *to, struct tn_error *error)
{
    struct drawer d = { .p = picture, .about = about, .error = error };

    tn_arena_init(&d.arena, picture->memory);
    tn_buffer_init(&d.out, picture->memory, error);
    if (picture->is_treemap)
        draw_map(&d);
    else
        draw_graph(&d);
    tn_buffer_text(&d.out, "</svg>\n");
    if (!tn_failed(error))
        tn_sink_write(to, tn_buffer_bytes(&d.out), error);
    tn_buffer_done(&d.out);
    tn_arena_done(&d.arena);
    return error->status;
}
