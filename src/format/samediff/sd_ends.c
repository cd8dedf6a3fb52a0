/*
 * sd_ends.c - inputs and outputs of a FlatGraph
 *
 * The list of outputs in files of Deeplearning4j is empty.  Then outputs are
 * what is minimised, and what operations make and none takes; as Deeplearning4j
 * has it, not what only steers: the side of a switch that nobody uses never
 * comes to be.  Ours lists all outputs in their order.  A list of inputs alone,
 * as we wrote it before, says what is an output, too.
 */
#include "format/samediff/sd_graph.h"

bool tn_sd_makes_results(struct tn_bytes op)
{
    return !tn_bytes_is(op, "switch") && !tn_bytes_is(op, "Switch") &&
           !tn_bytes_is(op, "Assert") && !tn_bytes_is(op, "noop");
}

struct tn_io tn_sd_end_of(struct tn_sd_reader         *r,
                          const struct tn_sd_variable *v)
{
    struct tn_io end = { .name  = v->name,
                         .dtype = tn_sd_dtype(v->dtype),
                         .note  = "" };

    end.has_default = v->kind == TN_SD_PLACEHOLDER && v->tensor != TN_NONE;
    /* empty, and nothing else said: a scalar, or not known */
    if (!v->has_shape || (v->rank == 0 && !v->has_dim_names))
        return end;
    struct tn_dim *dims = tn_new(r->arena, struct tn_dim, v->rank, r->error);
    end.has_rank        = true;
    end.rank            = dims ? v->rank : 0;
    end.dims            = dims;
    for (uint32_t i = 0; i < end.rank; i++) {
        dims[i].value = v->shape[i] < 0 ? -1 : v->shape[i];
        if (v->has_dim_names)
            dims[i].symbol = v->dim_names.items[i];
    }
    return end;
}

static void add_inputs(struct tn_sd_reader *r, struct tn_graph *graph)
{
    uint32_t      count = 0, at = 0;
    struct tn_io *ends;

    for (uint32_t i = 0; i < r->variable_count; i++)
        count += r->variables[i].kind == TN_SD_PLACEHOLDER;
    ends = tn_new(r->arena, struct tn_io, count, r->error);
    for (uint32_t i = 0; ends && i < r->variable_count; i++)
        if (r->variables[i].kind == TN_SD_PLACEHOLDER)
            ends[at++] = tn_sd_end_of(r, &r->variables[i]);
    graph->inputs = (struct tn_io_list){ at, ends };
}

static struct tn_sd_variable *find(struct tn_sd_reader *r, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&r->names, name);

    return id == TN_NO_NAME
               ? NULL
               : &r->variables[*tn_list_at(&r->by_name, uint32_t, id)];
}

/* A list that names a result names all of them. */
static bool is_listing_all(const struct tn_sd_reader *r)
{
    for (uint32_t i = 0; i < r->listed_count; i++)
        if (r->variables[r->listed[i]].kind != TN_SD_PLACEHOLDER)
            return true;
    return false;
}

static void take_listed(struct tn_sd_reader *r, struct tn_graph *graph)
{
    struct tn_io *ends =
        tn_new(r->arena, struct tn_io, r->listed_count, r->error);

    for (uint32_t i = 0; ends && i < r->listed_count; i++)
        ends[i] = tn_sd_end_of(r, &r->variables[r->listed[i]]);
    graph->outputs = (struct tn_io_list){ ends ? r->listed_count : 0, ends };
}

static void add_outputs(struct tn_sd_reader *r, struct tn_graph *graph)
{
    const struct tn_sd_names *loss = &r->row->loss;
    uint32_t                  at   = 0;
    uint64_t                  most = (uint64_t)r->variable_count + loss->count;
    struct tn_io *ends = tn_new(&r->scratch, struct tn_io, most, r->error);
    bool *is_out       = tn_new(&r->scratch, bool, r->variable_count, r->error);

    if (!ends || !is_out)
        return;
    for (uint32_t i = 0; i < loss->count; i++) {
        struct tn_sd_variable *v = find(r, loss->items[i]);
        if (!v || is_out[v - r->variables])
            continue;
        is_out[v - r->variables] = true;
        ends[at++]               = tn_sd_end_of(r, v);
    }
    for (uint32_t i = 0; i < r->variable_count; i++)
        if (!is_out[i] && (r->variables[i].is_listed ||
                           (r->variables[i].is_result && !r->is_used[i]))) {
            ends[at]              = tn_sd_end_of(r, &r->variables[i]);
            ends[at++].is_guessed = !r->variables[i].is_listed;
        }
    struct tn_io *kept = tn_new(r->arena, struct tn_io, at, r->error);
    if (kept && at)
        memcpy(kept, ends, at * sizeof *kept);
    graph->outputs = (struct tn_io_list){ kept ? at : 0, kept };
}

void tn_sd_add_io(struct tn_sd_reader *r)
{
    struct tn_graph *graph = tn_model_graph_at(r->model, r->graph);

    add_inputs(r, graph);
    if (tn_failed(r->error))
        return;
    if (is_listing_all(r))
        take_listed(r, graph);
    else
        add_outputs(r, graph);
}
