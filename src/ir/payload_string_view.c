/*
 * payload_string_view.c - the strings of views
 *
 * Strings have no place that could be computed, so where they lie is loaded
 * first, input by input, and then put into the view's order.
 */
#include "ir/payload_strings.h"

#include <inttypes.h>

#include "base/arith.h"
#include "ir/payload_gather.h"
#include "ir/payload_view.h"

/* Strings that a view may have without a stored byte each. */
#define FREE_STRINGS 65536

/* Where all strings of a tensor lie. */
struct places {
    struct tn_memory *memory;
    struct tn_span   *spans;
    uint64_t          count;
};

static enum tn_status load_places(const struct tn_elements *e, unsigned depth,
                                  struct tn_memory *memory,
                                  struct places    *places,
                                  struct tn_error  *error);

static void places_done(struct places *places)
{
    tn_memory_free(places->memory, places->spans,
                   places->count * sizeof *places->spans);
    places->spans = NULL;
    places->count = 0;
}

/* A budget to pay with: that of the first source below, or NULL. */
static struct tn_memory *find_memory(const struct tn_elements *e,
                                     unsigned                  depth)
{
    const struct tn_view *view   = e->payload.view;
    struct tn_memory     *memory = NULL;

    if (e->payload.encoding != TN_ENCODING_VIEW)
        return e->payload.span.source ? e->payload.span.source->memory : NULL;
    for (uint64_t i = 0; view && depth < TN_VIEW_DEPTH_LIMIT && !memory &&
                         i < view->input_count;
         i++)
        memory = find_memory(&view->inputs[i], depth + 1);
    return memory;
}

static enum tn_status places_init(struct places            *places,
                                  const struct tn_elements *e,
                                  struct tn_memory         *memory,
                                  struct tn_error          *error)
{
    uint64_t count, size;

    *places = (struct places){ .memory = memory };
    if (!tn_shape_count(&e->shape, &count) ||
        !tn_mul(count, sizeof *places->spans, &size))
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "a shape of more than 2^64 strings");
    if (count > FREE_STRINGS && count > tn_stored_bytes(e, 0))
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "a view of %" PRIu64 " strings of which %" PRIu64
                            " bytes are stored",
                            count, tn_stored_bytes(e, 0));
    if (count == 0)
        return TN_OK;
    places->spans = tn_memory_resize(memory, NULL, 0, size, error);
    if (!places->spans)
        return error->status;
    memset(places->spans, 0, (size_t)size);
    places->count = count;
    return TN_OK;
}

static enum tn_status note_place(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct places *places = context;

    (void)error;
    places->spans[index] = text;
    return TN_OK;
}

/* The strides of a permutation or slice over the dense input. */
static void view_strides(const struct tn_elements *e, uint64_t *strides,
                         uint64_t *start)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              dense[TN_VIEW_RANK_LIMIT], stride = 1;

    *start = 0;
    for (uint32_t i = e->shape.rank; i-- > 0;) {
        dense[i] = stride;
        stride *= view->inputs[0].shape.dims[i];
    }
    for (uint32_t i = 0; i < e->shape.rank; i++) {
        if (view->kind == TN_VIEW_PERMUTE) {
            strides[i] = dense[view->axes[i]];
        } else {
            strides[i] = dense[i] * (uint64_t)view->step[i];
            *start += dense[i] * view->begin[i];
        }
    }
}

/* to[] in the view's order out of from[], all of which exist: checked. */
static void reorder(const struct tn_elements *e, const struct places *from,
                    struct places *to)
{
    uint64_t strides[TN_VIEW_RANK_LIMIT], at[TN_VIEW_RANK_LIMIT] = { 0 };
    uint64_t index;

    view_strides(e, strides, &index);
    for (uint64_t k = 0; k < to->count; k++) {
        to->spans[k] = from->spans[index];
        for (uint32_t i = e->shape.rank; i-- > 0;) {
            index += strides[i];
            if (++at[i] < e->shape.dims[i])
                break;
            index -= strides[i] * e->shape.dims[i];
            at[i] = 0;
        }
    }
}

static enum tn_status load_reordered(const struct tn_elements *e,
                                     unsigned depth, struct places *places,
                                     struct tn_error *error)
{
    struct places input;

    if (load_places(&e->payload.view->inputs[0], depth + 1, places->memory,
                    &input, error) == TN_OK &&
        places->count > 0)
        reorder(e, &input, places);
    places_done(&input);
    return error->status;
}

static uint64_t row_size(const struct tn_shape *shape, uint32_t axis)
{
    uint64_t size = 1;

    for (uint32_t i = axis; i < shape->rank; i++)
        size *= shape->dims[i];
    return size;
}

static enum tn_status load_concat(const struct tn_elements *e, unsigned depth,
                                  struct places *places, struct tn_error *error)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              row = row_size(&e->shape, view->axis), begin = 0;

    for (uint64_t i = 0; i < view->input_count && places->count > 0; i++) {
        const struct tn_elements *input = &view->inputs[i];
        uint64_t                  size  = row_size(&input->shape, view->axis);
        struct places             piece;
        if (load_places(input, depth + 1, places->memory, &piece, error) ==
            TN_OK) {
            for (uint64_t k = 0; k < piece.count; k++)
                places->spans[k / size * row + begin + k % size] =
                    piece.spans[k];
        }
        places_done(&piece);
        TN_TRY(error->status);
        begin += size;
    }
    return TN_OK;
}

static enum tn_status load_view(const struct tn_elements *e, unsigned depth,
                                struct places *places, struct tn_error *error)
{
    switch (e->payload.view->kind) {
    case TN_VIEW_CONCAT: return load_concat(e, depth, places, error);
    case TN_VIEW_PERMUTE:
    case TN_VIEW_SLICE: return load_reordered(e, depth, places, error);
    default:
        places_done(places);
        return load_places(&e->payload.view->inputs[0], depth + 1,
                           places->memory, places, error);
    }
}

/* The places are to be done with whatever the status. */
static enum tn_status load_places(const struct tn_elements *e, unsigned depth,
                                  struct tn_memory *memory,
                                  struct places *places, struct tn_error *error)
{
    bool is_view = e->payload.encoding == TN_ENCODING_VIEW;

    *places = (struct places){ .memory = memory };
    if (depth > TN_VIEW_DEPTH_LIMIT ||
        (is_view && depth == TN_VIEW_DEPTH_LIMIT))
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "views nested deeper than %d", TN_VIEW_DEPTH_LIMIT);
    if (is_view)
        TN_TRY(tn_view_check_one(e, error));
    TN_TRY(places_init(places, e, memory, error));
    if (is_view)
        return load_view(e, depth, places, error);
    return tn_payload_strings(e, 0, places->count, note_place, places, error);
}

static enum tn_status visit(const struct tn_span *spans, uint64_t first,
                            uint64_t count, tn_string_visitor *each,
                            void *context, struct tn_error *error)
{
    static const struct tn_span nothing;

    for (uint64_t i = first; i < first + count; i++) {
        enum tn_status status =
            each(context, i, spans ? spans[i] : nothing, error);
        if (status != TN_OK)
            return tn_error_set(error, status, TN_NOWHERE, "stopped");
    }
    return TN_OK;
}

enum tn_status tn_string_view(const struct tn_elements *elements,
                              uint64_t first, uint64_t count,
                              tn_string_visitor *each, void *context,
                              struct tn_error *error)
{
    struct tn_memory *memory = find_memory(elements, 0);
    struct places     places = { .memory = memory };

    if (!memory) { /* nothing is stored anywhere: any order is the same */
        TN_TRY(tn_view_check(elements, error));
        return visit(NULL, first, count, each, context, error);
    }
    if (load_places(elements, 0, memory, &places, error) == TN_OK)
        visit(places.spans, first, count, each, context, error);
    places_done(&places);
    return error->status;
}
