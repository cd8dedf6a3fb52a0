/*
 * view_treemap.c - areas for tensors
 *
 * Rows of boxes that are as square as they can be: a row takes another box as
 * long as that makes its worst one more square (Bruls, Huizing and van Wijk,
 * "Squarified treemaps").
 */
#include "view/view_treemap.h"

#include "base/sort.h"

enum { WIDTH = 960, HEIGHT = 600, FINE = 4 };

struct area {
    double   bytes;
    uint32_t item;
};

struct job {
    uint32_t block, start;
    int32_t  width, height;
};

struct mapper {
    struct tn_picture *picture;
    struct tn_error   *error;
    double            *bytes; /* by position: of all nodes before it          */
    uint8_t           *is_done;
    struct tn_list     areas, jobs;
};

static int by_bytes(const void *left, const void *right, void *context)
{
    const struct area *a = left, *b = right;

    (void)context;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

/* How far the worst box of a row is from a square. */
static double worst(double largest, double smallest, double sum, double side)
{
    double a = side * side * largest / (sum * sum);
    double b = sum * sum / (side * side * smallest);

    return a > b ? a : b;
}

static int32_t px(double value)
{
    return (int32_t)(value + 0.5);
}

struct room {
    double x, y, w, h;
};

static void place_row(struct mapper *m, const struct tn_view_block *block,
                      const struct area *row, uint64_t count, double sum,
                      struct room *room)
{
    bool   is_tall = room->h < room->w; /* the row stands at the left side    */
    double side    = is_tall ? room->h : room->w;
    double depth   = side > 0 ? sum / side : 0;
    double at      = is_tall ? room->y : room->x;

    for (uint64_t i = 0; i < count; i++) {
        double               length = depth > 0 ? row[i].bytes / depth : 0;
        struct tn_view_item *item =
            tn_picture_item(m->picture, block->first_item + row[i].item);
        double x = is_tall ? room->x : at, y = is_tall ? at : room->y;
        double right = x + (is_tall ? depth : length);
        double low   = y + (is_tall ? length : depth);
        item->x      = px(x);
        item->y      = px(y);
        item->w      = px(right) - item->x;
        item->h      = px(low) - item->y;
        at += length;
    }
    if (is_tall) {
        room->x += depth;
        room->w -= depth;
    } else {
        room->y += depth;
        room->h -= depth;
    }
}

static void place_areas(struct mapper *m, const struct tn_view_block *block,
                        struct room room)
{
    const struct area *areas = m->areas.items;
    uint64_t           count = m->areas.count;

    for (uint64_t first = 0; first < count;) {
        double   side = room.h < room.w ? room.h : room.w;
        double   sum  = areas[first].bytes;
        uint64_t next = first + 1;
        while (next < count && side > 0 &&
               worst(areas[first].bytes, areas[next].bytes,
                     sum + areas[next].bytes, side) <=
                   worst(areas[first].bytes, areas[next - 1].bytes, sum, side))
            sum += areas[next++].bytes;
        place_row(m, block, areas + first, next - first, sum, &room);
        first = next;
    }
}

static void map_block(struct mapper *m, const struct job *job)
{
    struct tn_view_block *block = tn_picture_block(m->picture, job->block);
    double                total = 0;

    block->width   = job->width;
    block->height  = job->height;
    m->areas.count = 0;
    for (uint32_t i = 0; i < block->item_count; i++) {
        const struct tn_view_item *item =
            tn_picture_item(m->picture, block->first_item + i);
        uint32_t     at   = job->start + item->offset;
        struct area *area = tn_list_push(&m->areas, struct area, m->error);
        if (!area)
            return;
        *area = (struct area){ m->bytes[at + item->size] - m->bytes[at], i };
        if (area->bytes < 1)
            area->bytes = 1; /* nothing is invisible */
        total += area->bytes;
    }
    tn_sort_items(m->areas.items, m->areas.count, sizeof(struct area), by_bytes,
                  NULL);
    double scale = total > 0 ? (double)job->width * job->height / total : 0;
    for (uint64_t i = 0; i < m->areas.count; i++)
        tn_list_at(&m->areas, struct area, i)->bytes *= scale;
    place_areas(m, block, (struct room){ 0, 0, job->width, job->height });
}

static void push_inner(struct mapper *m, const struct job *job)
{
    const struct tn_view_block *block =
        tn_picture_block(m->picture, job->block);

    for (uint32_t i = 0; i < block->item_count; i++) {
        const struct tn_view_item *item =
            tn_picture_item(m->picture, block->first_item + i);
        if (!item->block || m->is_done[item->block])
            continue;
        struct job *next = tn_list_push(&m->jobs, struct job, m->error);
        if (!next)
            return;
        m->is_done[item->block] = 1;
        int32_t w = item->w > 0 ? item->w : 1, h = item->h > 0 ? item->h : 1;
        while (w < WIDTH && h < WIDTH) {
            w *= 2;
            h *= 2;
        }
        *next = (struct job){ item->block, job->start + item->offset, w, h };
    }
}

static void map_all(struct mapper *m)
{
    struct tn_picture *p     = m->picture;
    uint32_t           count = tn_picture_node_count(p);
    struct job        *first = tn_list_push(&m->jobs, struct job, m->error);

    m->bytes   = tn_new(&p->arena, double, count + UINT64_C(1), m->error);
    m->is_done = tn_new(&p->arena, uint8_t, p->blocks.count + 1, m->error);
    if (tn_failed(m->error))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_tensor *tensor =
            tn_model_tensor(p->model, tn_picture_node(p, p->order[i])->what);
        m->bytes[i + 1] =
            m->bytes[i] + (double)tn_picture_tensor_bytes(tensor);
    }
    *first = (struct job){ 0, 0, WIDTH * FINE, HEIGHT * FINE };
    while (m->jobs.count && !tn_failed(m->error)) {
        struct job job = *tn_list_at(&m->jobs, struct job, --m->jobs.count);
        map_block(m, &job);
        push_inner(m, &job);
    }
}

enum tn_status tn_view_layout_treemap(struct tn_picture *picture)
{
    struct mapper m = { .picture = picture, .error = picture->error };

    tn_list_init(&m.areas, picture->memory, sizeof(struct area));
    tn_list_init(&m.jobs, picture->memory, sizeof(struct job));
    map_all(&m);
    tn_list_done(&m.jobs);
    tn_list_done(&m.areas);
    return picture->error->status;
}
