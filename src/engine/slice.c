/* slice.c - Python's slices of a tensor, as a view */
#include "engine/slice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define MAX_PARTS 64

/* One part between commas. */
struct part {
    bool    has_begin, has_end, is_index, is_ellipsis;
    int64_t begin, end, step;
};

static bool read_number(const char **at, int64_t *value, bool *has)
{
    char *end;

    errno  = 0;
    *value = strtoll(*at, &end, 10);
    *has   = end != *at;
    *at    = end;
    return errno == 0;
}

/* "3", "1:5", "::2", "-4:", "...": what is between two commas. */
static bool read_part(const char **at, struct part *part)
{
    bool has;

    *part = (struct part){ .step = 1 };
    if (strncmp(*at, "...", 3) == 0) {
        part->is_ellipsis = true;
        *at += 3;
        return true;
    }
    if (!read_number(at, &part->begin, &part->has_begin))
        return false;
    if (**at != ':') {
        part->is_index = true;
        return part->has_begin;
    }
    ++*at;
    if (!read_number(at, &part->end, &part->has_end))
        return false;
    if (**at != ':')
        return true;
    ++*at;
    if (!read_number(at, &part->step, &has))
        return false;
    if (!has)
        part->step = 1;
    return part->step != 0;
}

static enum tn_status read_parts(const char *text, struct part *parts,
                                 uint32_t *count, struct tn_error *error)
{
    const char *at = text;

    for (*count = 0; *count < MAX_PARTS; at++) {
        if (!read_part(&at, &parts[(*count)++]))
            break;
        if (*at == '\0')
            return TN_OK;
        if (*at != ',')
            break;
    }
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "'%s' is not a slice; write it as in 0:10,::2,-1",
                        text);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* As in Python: negative indices count from the end, those out of range are
 * cut. */
static void take_range(const struct part *part, uint64_t dim, uint64_t *begin,
                       uint64_t *count)
{
    int64_t size = (int64_t)dim, step = part->step;
    int64_t low   = step > 0 ? 0 : -1;
    int64_t high  = step > 0 ? size : size - 1;
    int64_t first = part->has_begin ? part->begin : (step > 0 ? 0 : size - 1);
    int64_t last  = part->has_end ? part->end : (step > 0 ? size : -1 - size);

    first =
        clamp(first < 0 && part->has_begin ? first + size : first, low, high);
    last = clamp(last < 0 ? last + size : last, low, high);
    if (step > 0)
        *count = first < last ? (uint64_t)((last - first - 1) / step + 1) : 0;
    else
        *count = first > last ? (uint64_t)((first - last - 1) / -step + 1) : 0;
    *begin = *count ? (uint64_t)first : 0;
}

static enum tn_status take_index(const struct part *part, uint32_t axis,
                                 uint64_t dim, uint64_t *begin,
                                 struct tn_error *error)
{
    int64_t index = part->begin < 0 ? part->begin + (int64_t)dim : part->begin;

    if (index < 0 || (uint64_t)index >= dim)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "index %" PRId64 " is out of range: axis %" PRIu32
                            " has size %" PRIu64,
                            part->begin, axis, dim);
    *begin = (uint64_t)index;
    return TN_OK;
}

/* "..." becomes as many whole axes as are missing. */
static enum tn_status expand(struct part *parts, uint32_t *count, uint32_t rank,
                             struct tn_error *error)
{
    struct part all   = { .step = 1 };
    uint32_t    named = 0, at = UINT32_MAX;

    for (uint32_t i = 0; i < *count; i++) {
        if (parts[i].is_ellipsis && at != UINT32_MAX)
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "a slice has at most one '...'");
        if (parts[i].is_ellipsis)
            at = i;
        else
            named++;
    }
    if (named > rank || rank > MAX_PARTS)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%" PRIu32 " parts for a tensor of rank %" PRIu32,
                            named, rank);
    uint32_t missing = rank - named;
    if (at == UINT32_MAX)
        at = (*count)++;
    memmove(parts + at + missing, parts + at + 1,
            (*count - at - 1) * sizeof *parts);
    for (uint32_t i = 0; i < missing; i++)
        parts[at + i] = all;
    *count = rank;
    return TN_OK;
}

/* Indexed axes have one element; this drops them from the shape. */
static enum tn_status drop_axes(const struct part  *parts,
                                struct tn_elements *sliced,
                                struct tn_arena *arena, struct tn_elements *out,
                                struct tn_error *error)
{
    uint32_t            rank = sliced->shape.rank, kept = 0;
    uint64_t           *dims = tn_new(arena, uint64_t, rank, error);
    struct tn_view     *view = tn_new(arena, struct tn_view, 1, error);
    struct tn_elements *base = tn_new(arena, struct tn_elements, 1, error);

    if (!dims || !view || !base)
        return error->status;
    for (uint32_t i = 0; i < rank; i++)
        if (!parts[i].is_index)
            dims[kept++] = sliced->shape.dims[i];
    *base = *sliced;
    *view = (struct tn_view){ .kind        = TN_VIEW_RESHAPE,
                              .inputs      = base,
                              .input_count = 1 };
    *out  = (struct tn_elements){
         .shape   = { sliced->shape.dtype, kept, dims },
         .payload = { .encoding = TN_ENCODING_VIEW,
                      .per_byte = 1,
                      .view     = view },
    };
    return TN_OK;
}

enum tn_status tn_slice_parse(const char *text, const struct tn_elements *from,
                              struct tn_arena *arena, struct tn_elements *out,
                              struct tn_error *error)
{
    struct part parts[MAX_PARTS + 1];
    uint32_t    count, rank = from->shape.rank;

    TN_TRY(read_parts(text, parts, &count, error));
    TN_TRY(expand(parts, &count, rank, error));
    uint64_t       *dims  = tn_new(arena, uint64_t, rank, error);
    uint64_t       *begin = tn_new(arena, uint64_t, rank, error);
    int64_t        *step  = tn_new(arena, int64_t, rank, error);
    struct tn_view *view  = tn_new(arena, struct tn_view, 1, error);
    if (!dims || !begin || !step || !view)
        return error->status;
    for (uint32_t i = 0; i < rank; i++) {
        step[i] = parts[i].step;
        dims[i] = 1;
        if (parts[i].is_index)
            TN_TRY(take_index(&parts[i], i, from->shape.dims[i], &begin[i],
                              error));
        else
            take_range(&parts[i], from->shape.dims[i], &begin[i], &dims[i]);
    }
    *view                     = (struct tn_view){ .kind        = TN_VIEW_SLICE,
                                                  .inputs      = from,
                                                  .input_count = 1,
                                                  .begin       = begin,
                                                  .step        = step };
    struct tn_elements sliced = {
        .shape   = { from->shape.dtype, rank, dims },
        .payload = { .encoding = TN_ENCODING_VIEW,
                     .per_byte = 1,
                     .view     = view },
    };
    return drop_axes(parts, &sliced, arena, out, error);
}
