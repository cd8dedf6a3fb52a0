/* unused_ops.c - the outputs of a graph that does not list them */
#include "ir/unused_ops.h"

#include <string.h>

#include "base/arith.h"
#include "base/intern.h"

static uint8_t *mark_used(const struct tn_model *model, uint32_t first,
                          uint64_t count, struct tn_error *error)
{
    uint8_t *used = tn_memory_resize(model->memory, NULL, 0, count, error);

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

struct tn_io_list tn_unused_ops(struct tn_model *model, uint32_t graph,
                                struct tn_error *error)
{
    const struct tn_graph *row     = tn_model_graph_at(model, graph);
    uint64_t               count   = row->op_count;
    uint64_t               found   = 0;
    struct tn_io          *io_list = NULL;

    if (count == 0)
        return (struct tn_io_list){ 0, NULL };
    uint8_t *used = mark_used(model, row->first_op, count, error);
    for (uint64_t i = 0; used && i < count; i++)
        found += !used[i];
    found = tn_min(found, TN_UNUSED_OPS_LIMIT);
    if (used)
        io_list = tn_new(&model->arena, struct tn_io, found, error);
    for (uint64_t i = 0, n = 0; io_list && n < found; i++) {
        if (used[i])
            continue;
        uint32_t op = row->first_op + (uint32_t)i;
        io_list[n++] =
            (struct tn_io){ .name = tn_model_op(model, op).name, .note = "" };
    }
    tn_memory_free(model->memory, used, used ? count : 0);
    return (struct tn_io_list){ io_list ? (uint32_t)found : 0, io_list };
}

void tn_unused_ops_refresh(struct tn_model *model, uint32_t graph,
                           struct tn_error *error)
{
    struct tn_graph  *row = tn_model_graph_at(model, graph);
    struct tn_io_list old = row->outputs, now;
    struct tn_intern  names;
    struct tn_arena   scratch;

    now = tn_unused_ops(model, graph, error);
    tn_arena_init(&scratch, model->memory);
    tn_intern_init(&names, &scratch);
    for (uint32_t i = 0; i < now.count && !tn_failed(error); i++)
        tn_intern_borrow(&names, now.items[i].name, error);
    bool is_plain = tn_intern_count(&names) == now.count; /* no name twice */
    for (uint32_t i = 0; i < old.count && !tn_failed(error); i++) {
        uint32_t id = tn_intern_find(&names, old.items[i].name);
        if (id != TN_NO_NAME && is_plain)
            ((struct tn_io *)(uintptr_t)now.items)[id] = old.items[i];
    }
    if (!tn_failed(error))
        row->outputs = now;
    tn_intern_done(&names);
    tn_arena_done(&scratch);
}
