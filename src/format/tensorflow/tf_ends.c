/*
 * tf_ends.c - what a GraphDef takes and gives
 *
 * It does not say so itself: placeholders are taken, and what no node uses is
 * given.
 */
#include "base/arith.h"
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_reader.h"

/* ---- what it takes ------------------------------------------------------- */

/* dtype and shape of a Placeholder, out of its attributes. */
static void read_placeholder(struct tn_tf_reader            *reader,
                             const struct tn_tf_placeholder *from,
                             struct tn_io                   *to)
{
    struct tn_cursor   node = tn_cursor_span(from->wire, reader->error);
    struct tn_tf_entry entry;
    struct tn_pb_field field;

    *to = (struct tn_io){ .name = from->name, .note = "" };
    while (tn_tf_entry_next(&node, 5, &entry)) {
        uint32_t kind = tn_tf_attr_kind(entry.value, &field);
        if (kind == 6 && tn_bytes_is(entry.key, "dtype"))
            to->dtype = tn_tf_dtype(field.value);
        else if (kind == 7 && tn_bytes_is(entry.key, "shape") &&
                 tn_pb_expect(&node, &field, TN_WIRE_LEN))
            tn_tf_io_shape(to, &field.body, &reader->model->arena);
    }
}

static struct tn_io_list read_placeholders(struct tn_tf_reader *reader)
{
    uint64_t      count = reader->ends.count;
    struct tn_io *ends =
        tn_new(&reader->model->arena, struct tn_io, count, reader->error);

    if (!ends)
        return (struct tn_io_list){ 0, NULL };
    for (uint64_t i = 0; i < count && !tn_failed(reader->error); i++)
        read_placeholder(reader,
                         tn_list_at(&reader->ends, struct tn_tf_placeholder, i),
                         &ends[i]);
    return (struct tn_io_list){ (uint32_t)count, ends };
}

void tn_tf_io_shape(struct tn_io *end, struct tn_cursor *c,
                    struct tn_arena *arena)
{
    struct tn_tf_shape shape;

    tn_tf_shape_init(&shape);
    tn_tf_shape_read(c, &shape);
    end->has_rank = !shape.unknown_rank;
    end->rank     = shape.unknown_rank ? 0 : shape.rank;
    if (end->rank == 0 || tn_failed(c->error))
        return;
    struct tn_dim *dims = tn_new(arena, struct tn_dim, end->rank, c->error);
    for (uint32_t i = 0; dims && i < end->rank; i++)
        dims[i].value = shape.dims[i] < 0 ? -1 : shape.dims[i];
    end->dims = dims;
    if (!dims)
        end->rank = 0;
}

/* ---- what it gives ------------------------------------------------------- */

/* What nobody uses is what the graph gives: marks of the ops' consumers. */
static uint8_t *mark_used(struct tn_tf_reader *reader, uint32_t first,
                          uint64_t count)
{
    const struct tn_model *model = reader->model;
    uint8_t               *used =
        tn_memory_resize(model->memory, NULL, 0, count, reader->error);

    if (!used)
        return NULL;
    memset(used, 0, (size_t)count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t op = first + (uint32_t)i;
        for (uint32_t k = 0; k < tn_model_op_at(model, op)->input_count; k++) {
            uint32_t value    = tn_op_input(model, op, k);
            uint32_t producer = value == TN_NONE
                                    ? TN_NONE
                                    : tn_model_value_at(model, value)->producer;
            if (producer != TN_NONE && producer != op)
                used[producer - first] = 1;
        }
    }
    return used;
}

static struct tn_io_list unused_ops(struct tn_tf_reader *reader)
{
    const struct tn_graph *graph =
        tn_model_graph_at(reader->model, reader->graph);
    uint64_t      count = graph->op_count;
    uint64_t      found = 0;
    struct tn_io *ends  = NULL;

    if (count == 0)
        return (struct tn_io_list){ 0, NULL };
    uint8_t *used = mark_used(reader, graph->first_op, count);
    for (uint64_t i = 0; used && i < count; i++)
        found += !used[i];
    found = tn_min(found, TN_TF_IO_LIMIT);
    if (used)
        ends =
            tn_new(&reader->model->arena, struct tn_io, found, reader->error);
    for (uint64_t i = 0, n = 0; ends && n < found; i++) {
        if (used[i])
            continue;
        uint32_t op = graph->first_op + (uint32_t)i;
        ends[n++] = (struct tn_io){ .name = tn_model_op(reader->model, op).name,
                                    .note = "" };
    }
    tn_memory_free(reader->model->memory, used, used ? count : 0);
    return (struct tn_io_list){ ends ? (uint32_t)found : 0, ends };
}

/* ---- both ---------------------------------------------------------------- */

void tn_tf_find_io(struct tn_tf_reader *reader)
{
    struct tn_io_list inputs  = read_placeholders(reader);
    struct tn_io_list outputs = { 0, NULL };

    if (tn_failed(reader->error))
        return;
    if (reader->model->wants_graph)
        outputs = unused_ops(reader);
    else if (reader->uses)
        outputs = tn_tf_uses_io(reader->uses, &reader->model->arena,
                                TN_TF_IO_LIMIT, reader->error);
    struct tn_graph *graph = tn_model_graph_at(reader->model, reader->graph);
    graph->inputs          = inputs;
    graph->outputs         = outputs;
}
