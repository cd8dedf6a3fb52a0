/*
 * tf_tiling.c - composes a tensor of the slices that cover it
 *
 * A box of tiles is cut along an axis where no tile is in the way, into as many
 * boxes as there are such places; each is cut along another axis, until one
 * tile is left.  In a tiling where tiles block every cut (five of them can make
 * a pinwheel) those in the way are cut too, by views.
 */
#include "format/tensorflow/tf_tiling.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/sort.h"

/* Each level adds a view to the way to some element; payloads stop at 32. */
#define DEPTH_LIMIT 30

struct box {
    const uint64_t *begin;
    const uint64_t *dims;
};

struct tiler {
    struct tn_arena *arena;
    struct tn_error *error;
    enum tn_dtype    dtype;
    uint32_t         rank;
    uint64_t         offset; /* for complaints                               */
    uint64_t         budget; /* tiles that may still be cut out of others    */
};

static enum tn_status tile_box(struct tiler *t, struct box box,
                               struct tn_tf_tile **tiles, uint64_t count,
                               unsigned depth, struct tn_elements *out);

static enum tn_status gap(struct tiler *t)
{
    return tn_error_set(t->error, TN_MALFORMED, t->offset,
                        "the slices leave a part of the tensor out");
}

static bool begins_before(const void *a, const void *b)
{
    const struct tn_tf_tile *left = a, *right = b;

    return left->low < right->low;
}

static void sort_along(struct tn_tf_tile **tiles, uint64_t count, uint32_t axis)
{
    for (uint64_t i = 0; i < count; i++) {
        tiles[i]->low  = tiles[i]->begin[axis];
        tiles[i]->high = tiles[i]->low + tiles[i]->elements.shape.dims[axis];
    }
    tn_sort((const void **)(void *)tiles, count, begins_before);
}

/* How many of the sorted tiles are before the next free cut, and where that
 * is. */
static uint64_t next_group(struct tn_tf_tile **tiles, uint64_t count,
                           uint64_t *high)
{
    uint64_t n = 0;

    *high = tiles[0]->high;
    while (n < count && (n == 0 || tiles[n]->low < *high)) {
        *high = tn_max(*high, tiles[n]->high);
        n++;
    }
    return n;
}

/* Groups of sorted tiles, or 0 when they do not reach from end to end. */
static uint64_t count_groups(struct tn_tf_tile **tiles, uint64_t count,
                             uint64_t begin, uint64_t length)
{
    uint64_t groups = 0, at = begin;

    for (uint64_t i = 0; i < count; groups++) {
        if (tiles[i]->low != at)
            return 0;
        i += next_group(tiles + i, count - i, &at);
    }
    return at == begin + length ? groups : 0;
}

static uint64_t *copy_dims(struct tiler *t, const uint64_t *dims)
{
    uint64_t *copy = tn_new(t->arena, uint64_t, t->rank, t->error);

    if (copy)
        memcpy(copy, dims, t->rank * sizeof *copy);
    return copy;
}

static struct tn_shape box_shape(const struct tiler *t, struct box box)
{
    return (struct tn_shape){ t->dtype, t->rank, box.dims };
}

/* The box between two cuts. */
static enum tn_status tile_group(struct tiler *t, struct box box, uint32_t axis,
                                 struct tn_tf_tile **tiles, uint64_t count,
                                 uint64_t high, unsigned depth,
                                 struct tn_elements *out)
{
    uint64_t *begin = copy_dims(t, box.begin);
    uint64_t *dims  = begin ? copy_dims(t, box.dims) : NULL;

    if (!dims)
        return t->error->status;
    begin[axis] = tiles[0]->low;
    dims[axis]  = high - begin[axis];
    return tile_box(t, (struct box){ begin, dims }, tiles, count, depth + 1,
                    out);
}

/* Concatenates the groups of tiles that are sorted along the axis. */
static enum tn_status concatenate(struct tiler *t, struct box box,
                                  uint32_t axis, struct tn_tf_tile **tiles,
                                  uint64_t count, uint64_t groups,
                                  unsigned depth, struct tn_elements *out)
{
    struct tn_elements *inputs =
        tn_new(t->arena, struct tn_elements, groups, t->error);
    struct tn_view *view = tn_new(t->arena, struct tn_view, 1, t->error);
    uint64_t        high;

    if (!inputs || !view)
        return t->error->status;
    *view = (struct tn_view){ .kind        = TN_VIEW_CONCAT,
                              .inputs      = inputs,
                              .input_count = groups,
                              .axis        = axis };
    for (uint64_t i = 0, n; i < count; i += n, inputs++) {
        n = next_group(tiles + i, count - i, &high);
        TN_TRY(tile_group(t, box, axis, tiles + i, n, high, depth, inputs));
    }
    *out = (struct tn_elements){
        .shape   = box_shape(t, box),
        .payload = { .encoding = TN_ENCODING_VIEW, .view = view },
    };
    return TN_OK;
}

/* The part of a tile in [low, high) along an axis. */
static struct tn_tf_tile *cut_tile(struct tiler *t, struct tn_tf_tile *tile,
                                   uint32_t axis, uint64_t low, uint64_t high)
{
    struct tn_tf_tile  *part = tn_new(t->arena, struct tn_tf_tile, 1, t->error);
    struct tn_view     *view = tn_new(t->arena, struct tn_view, 1, t->error);
    struct tn_elements *input =
        tn_new(t->arena, struct tn_elements, 1, t->error);
    uint64_t *begin = tn_new(t->arena, uint64_t, t->rank, t->error);
    int64_t  *step  = tn_new(t->arena, int64_t, t->rank, t->error);

    if (!part || !view || !input || !begin || !step)
        return NULL;
    uint64_t *at   = copy_dims(t, tile->begin);
    uint64_t *dims = at ? copy_dims(t, tile->elements.shape.dims) : NULL;
    if (!dims)
        return NULL;
    for (uint32_t i = 0; i < t->rank; i++)
        step[i] = 1;
    begin[axis] = low - tile->begin[axis];
    at[axis]    = low;
    dims[axis]  = high - low;
    *input      = tile->elements;
    *view       = (struct tn_view){ .kind        = TN_VIEW_SLICE,
                                    .inputs      = input,
                                    .input_count = 1,
                                    .begin       = begin,
                                    .step        = step };
    *part       = (struct tn_tf_tile){
              .begin    = at,
              .elements = { .shape   = { t->dtype, t->rank, dims },
                            .payload = { .encoding = TN_ENCODING_VIEW,
                                         .view     = view } },
    };
    return part;
}

/* The first place inside the box where a tile begins or ends. */
static bool find_edge(const struct tiler *t, struct box box,
                      struct tn_tf_tile **tiles, uint64_t count, uint32_t *axis,
                      uint64_t *edge)
{
    for (*axis = 0; *axis < t->rank; ++*axis)
        for (uint64_t i = 0; i < count; i++) {
            uint64_t low  = tiles[i]->begin[*axis];
            uint64_t high = low + tiles[i]->elements.shape.dims[*axis];
            uint64_t end  = box.begin[*axis] + box.dims[*axis];
            *edge         = low > box.begin[*axis] ? low : high;
            if (*edge > box.begin[*axis] && *edge < end)
                return true;
        }
    return false;
}

/* Cuts every tile that is in the way of one edge, and goes on. */
static enum tn_status cut_through(struct tiler *t, struct box box,
                                  struct tn_tf_tile **tiles, uint64_t count,
                                  unsigned depth, struct tn_elements *out)
{
    uint32_t axis;
    uint64_t edge, n = 0;

    if (!find_edge(t, box, tiles, count, &axis, &edge))
        return tn_error_set(t->error, TN_MALFORMED, t->offset,
                            "two slices overlap");
    if (t->budget < 2 * count)
        return tn_error_set(t->error, TN_LIMIT, t->offset,
                            "the slices are cut in too entangled a way");
    t->budget -= 2 * count;
    struct tn_tf_tile **parts =
        tn_new(t->arena, struct tn_tf_tile *, 2 * count, t->error);
    for (uint64_t i = 0; parts && i < count; i++) {
        uint64_t low  = tiles[i]->begin[axis];
        uint64_t high = low + tiles[i]->elements.shape.dims[axis];
        if (low >= edge || high <= edge) {
            parts[n++] = tiles[i];
            continue;
        }
        parts[n++] = cut_tile(t, tiles[i], axis, low, edge);
        parts[n++] = cut_tile(t, tiles[i], axis, edge, high);
    }
    if (tn_failed(t->error))
        return t->error->status;
    return tile_box(t, box, parts, n, depth + 1, out);
}

static bool fills(const struct tiler *t, struct box box,
                  const struct tn_tf_tile *tile)
{
    size_t size = t->rank * sizeof(uint64_t);

    return size == 0 || (!memcmp(box.begin, tile->begin, size) &&
                         !memcmp(box.dims, tile->elements.shape.dims, size));
}

static enum tn_status tile_box(struct tiler *t, struct box box,
                               struct tn_tf_tile **tiles, uint64_t count,
                               unsigned depth, struct tn_elements *out)
{
    if (count == 1 && fills(t, box, tiles[0])) {
        *out = tiles[0]->elements;
        return TN_OK;
    }
    if (depth > DEPTH_LIMIT)
        return tn_error_set(t->error, TN_LIMIT, t->offset,
                            "slices within slices, deeper than %d",
                            DEPTH_LIMIT);
    for (uint32_t axis = 0; axis < t->rank; axis++) {
        sort_along(tiles, count, axis);
        uint64_t groups =
            count_groups(tiles, count, box.begin[axis], box.dims[axis]);
        if (groups == 0)
            return gap(t);
        if (groups > 1)
            return concatenate(t, box, axis, tiles, count, groups, depth, out);
    }
    return cut_through(t, box, tiles, count, depth, out);
}

/* Elements of all tiles; when they are as many as the tensor has, a gap
 * implies an overlap. */
static enum tn_status compare_counts(const struct tn_shape *shape,
                                     struct tn_tf_tile **tiles, uint64_t count,
                                     uint64_t offset, struct tn_error *error)
{
    uint64_t whole = 0, sum = 0, part;
    bool     fits = true;

    if (!tn_shape_count(shape, &whole))
        return tn_error_set(error, TN_MALFORMED, offset,
                            "a shape too large to count");
    for (uint64_t i = 0; i < count; i++)
        fits = fits && tn_shape_count(&tiles[i]->elements.shape, &part) &&
               tn_add(sum, part, &sum);
    if (!fits)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "%" PRIu64 " slices too large to count", count);
    if (sum == whole)
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, offset,
                        "%" PRIu64 " slices hold %" PRIu64
                        " elements, the tensor has %" PRIu64,
                        count, sum, whole);
}

enum tn_status tn_tf_join_tiles(const struct tn_shape *shape,
                                struct tn_tf_tile **tiles, uint64_t count,
                                struct tn_arena *arena, uint64_t offset,
                                struct tn_payload *payload,
                                struct tn_error   *error)
{
    struct tiler       t = { .arena  = arena,
                             .error  = error,
                             .dtype  = shape->dtype,
                             .rank   = shape->rank,
                             .offset = offset,
                             .budget = 16 * count + 1024 };
    struct tn_elements whole;

    TN_TRY(compare_counts(shape, tiles, count, offset, error));
    uint64_t *zeros = tn_new(arena, uint64_t, shape->rank, error);
    if (!zeros)
        return error->status;
    struct box box = { zeros, shape->dims };
    if (count == 0)
        return gap(&t);
    TN_TRY(tile_box(&t, box, tiles, count, 0, &whole));
    *payload = whole.payload;
    return TN_OK;
}
