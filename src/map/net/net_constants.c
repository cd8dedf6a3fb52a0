/*
 * net_constants.c - whether values are made by a node, constants, or neither
 *
 * A constant refers to a payload, of a file or of bytes in the net's arena.
 */
#include "map/net/net_build.h"

#include "base/varint.h"
#include "ir/element.h"

static void set_maker(struct tn_net *net, uint32_t value, uint32_t maker,
                      bool is_constant)
{
    struct tn_net_value_row *row = tn_net_value_row(net, value);

    row->maker       = maker;
    row->is_constant = is_constant;
    row->output      = 0;
}

/* Elements of a tensor stay where they are; NULL on failure. */
static const struct tn_elements *keep_elements(
    struct tn_net *net, const struct tn_elements *elements,
    const struct tn_tensor *origin)
{
    if (origin && elements == &origin->elements)
        return elements;
    struct tn_elements *kept =
        tn_new(net->arena, struct tn_elements, 1, net->error);
    if (kept)
        *kept = *elements;
    return kept;
}

void tn_net_set_constant(struct tn_net *net, uint32_t value,
                         const struct tn_elements *elements,
                         const struct tn_tensor   *origin)
{
    struct tn_list         *constants = &net->pool->constants;
    struct tn_net_constant *row =
        tn_list_push(constants, struct tn_net_constant, net->error);

    if (!row)
        return;
    *row = (struct tn_net_constant){ keep_elements(net, elements, origin),
                                     origin };
    if (!row->elements)
        return;
    set_maker(net, value, (uint32_t)constants->count - 1, true);
    tn_net_set_shape(net, value, &elements->shape);
}

void tn_net_copy_constant(struct tn_net *net, uint32_t value, uint32_t like)
{
    const struct tn_net_value_row *row = tn_net_value_row(net, like);

    set_maker(net, value, row->maker, row->is_constant);
    tn_net_value_row(net, value)->type = row->type;
}

void tn_net_set_trained(struct tn_net *net, uint32_t value, bool is_trained)
{
    tn_net_value_row(net, value)->is_trained = is_trained;
}

uint32_t tn_net_add_constant(struct tn_net *net, uint32_t graph,
                             struct tn_bytes           wish,
                             const struct tn_elements *elements,
                             const struct tn_tensor   *origin)
{
    uint32_t id = tn_net_add_value(net, graph, wish);

    if (id != TN_NONE)
        tn_net_set_constant(net, id, elements, origin);
    return tn_failed(net->error) ? TN_NONE : id;
}

/* Bytes in the arena that a payload can refer to. */
static struct tn_span keep_span(struct tn_net *net, struct tn_bytes bytes)
{
    struct tn_source *source =
        tn_new(net->arena, struct tn_source, 1, net->error);

    if (!source)
        return (struct tn_span){ NULL, 0, 0 };
    tn_source_memory(source, net->arena->memory, bytes);
    return (struct tn_span){ source, 0, bytes.size };
}

/* A shape whose elements all fit in memory; false with the error set. */
static bool keep_shape(struct tn_net *net, struct tn_shape *shape,
                       const uint64_t *dims, uint64_t *count)
{
    uint64_t *kept = tn_new(net->arena, uint64_t, shape->rank, net->error);

    if (!kept)
        return false;
    if (shape->rank)
        memcpy(kept, dims, shape->rank * sizeof *kept);
    shape->dims = kept;
    if (tn_shape_count(shape, count) && *count <= SIZE_MAX)
        return true;
    tn_error_set(net->error, TN_LIMIT, TN_NOWHERE,
                 "a constant of that shape does not fit in memory");
    return false;
}

/* Room for the elements, or NULL. */
static uint8_t *new_elements(struct tn_net *net, struct tn_elements *elements,
                             const uint64_t *dims, uint64_t *count)
{
    unsigned size = tn_dtype_size(elements->shape.dtype);

    if (!size) {
        tn_error_set(net->error, TN_INVALID, TN_NOWHERE, "no numbers are %s",
                     tn_dtype_name(elements->shape.dtype));
        return NULL;
    }
    if (!keep_shape(net, &elements->shape, dims, count))
        return NULL;
    uint8_t *bytes = tn_arena_array(net->arena, *count, size, 16, net->error);
    if (bytes)
        elements->payload = tn_payload_raw(
            &elements->shape,
            keep_span(net, tn_bytes(bytes, (size_t)*count * size)), 1);
    return tn_failed(net->error) ? NULL : bytes;
}

/* Numbers of one of the two kinds. */
static uint32_t add_numbers(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, struct tn_elements *elements,
                            const uint64_t *dims, const int64_t *ints,
                            const double *doubles)
{
    enum tn_dtype dtype = elements->shape.dtype;
    uint64_t      count;
    uint8_t      *at = new_elements(net, elements, dims, &count);

    if (!at)
        return TN_NONE;
    for (uint64_t i = 0; i < count; i++, at += tn_dtype_size(dtype))
        if (ints)
            tn_element_from_int64(dtype, ints[i], at);
        else
            tn_element_from_double(dtype, doubles[i], at);
    return tn_net_add_constant(net, graph, wish, elements, NULL);
}

uint32_t tn_net_add_ints(struct tn_net *net, uint32_t graph,
                         struct tn_bytes wish, enum tn_dtype dtype,
                         const int64_t *items, uint32_t rank,
                         const uint64_t *dims)
{
    struct tn_elements elements = { .shape = { dtype, rank, NULL } };

    return add_numbers(net, graph, wish, &elements, dims, items, NULL);
}

uint32_t tn_net_add_doubles(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, enum tn_dtype dtype,
                            const double *items, uint32_t rank,
                            const uint64_t *dims)
{
    struct tn_elements elements = { .shape = { dtype, rank, NULL } };

    return add_numbers(net, graph, wish, &elements, dims, NULL, items);
}

/* Lengths as varints, then all the bytes. */
static struct tn_bytes join_strings(struct tn_net         *net,
                                    const struct tn_bytes *items,
                                    uint64_t               count)
{
    uint64_t size = 0, at = 0;

    for (uint64_t i = 0; i < count; i++)
        size += TN_VARINT_MAX + items[i].size;
    uint8_t *bytes = tn_arena_array(net->arena, size, 1, 1, net->error);
    if (!bytes)
        return tn_bytes(NULL, 0);
    for (uint64_t i = 0; i < count; i++)
        at += tn_varint_put(bytes + at, items[i].size);
    for (uint64_t i = 0; i < count; at += items[i++].size)
        if (items[i].size)
            memcpy(bytes + at, items[i].data, items[i].size);
    return tn_bytes(bytes, (size_t)at);
}

uint32_t tn_net_add_strings(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, const struct tn_bytes *items,
                            uint32_t rank, const uint64_t *dims)
{
    struct tn_elements elements = { .shape = { TN_STRING, rank, NULL } };
    uint64_t           count;

    if (!keep_shape(net, &elements.shape, dims, &count))
        return TN_NONE;
    elements.payload = (struct tn_payload){
        .span     = keep_span(net, join_strings(net, items, count)),
        .stored   = count,
        .encoding = TN_ENCODING_LENGTHS,
    };
    return tn_net_add_constant(net, graph, wish, &elements, NULL);
}

bool tn_net_try_read(const struct tn_net      *net,
                     const struct tn_elements *elements, uint64_t count,
                     struct tn_sink *to)
{
    struct tn_error own = TN_ERROR_INIT;

    tn_payload_stream(elements, 0, count, net->arena->memory, to, &own);
    bool is_short = tn_call_ended(&own) || own.reason == TN_REASON_MEMORY_LIMIT;
    if (is_short && !tn_failed(net->error))
        *net->error = own;
    return !tn_failed(&own);
}
