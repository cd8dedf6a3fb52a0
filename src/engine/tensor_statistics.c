/*
 * tensor_statistics.c - statistics of many tensors, on several workers
 *
 * A slot of the pipeline is a few small tensors, or a part of a large one.
 * Parts have a fixed size, whatever the number of workers: mean and deviation
 * are joined in the same order and have the same last digits.
 */
#include <tenon/statistics.h>

#include "base/arith.h"
#include "base/expand.h"
#include "base/given.h"
#include "base/sized.h"
#include "engine/opened.h"
#include "io/meter.h"
#include "io/pipeline.h"
#include "ir/tally.h"

/* Elements of a part; a tensor with fewer is small. */
#define PART (UINT64_C(1) << 20)

/* Tensors in a slot. */
#define FEW 16

struct slot {
    uint64_t        index; /* of the first tensor                             */
    unsigned        tensor_count;
    uint64_t        first, count; /* elements; of each tensor if several      */
    bool            is_last;      /* part of the tensor                       */
    struct tn_error error;
    struct tn_tally tallies[FEW];
};

struct statistics_work {
    const struct tn_tensor *const *tensors;
    uint64_t                       count;
    tn_on_statistics              *on_tensor;
    void                          *context;
    struct tn_meter                meter;
    struct slot                   *slots;
    struct tn_tally                whole; /* of the tensor in parts so far   */
    uint64_t index, first; /* where the next slot begins                     */
    bool     is_stopped;   /* by the caller                                  */
};

/* ---- what a slot is ------------------------------------------------------ */

/* Only if a part can be found without reading the elements before it. */
static bool has_parts(const struct tn_tensor *tensor)
{
    struct tn_span span;

    return tn_tensor_count(tensor) > PART &&
           tn_dtype_bits(tensor->elements.shape.dtype) > 0 &&
           tn_payload_is_plain(&tensor->elements, true, &span);
}

static void take_part(struct statistics_work *work, struct slot *slot,
                      uint64_t count)
{
    slot->tensor_count = 1;
    slot->first        = work->first;
    slot->count        = tn_min(PART, count - work->first);
    work->first += slot->count;
    slot->is_last = work->first == count;
    if (slot->is_last) {
        work->first = 0;
        work->index++;
    }
}

static void take_few(struct statistics_work *work, struct slot *slot)
{
    uint64_t elements = 0;

    slot->tensor_count = 0;
    while (work->index < work->count && slot->tensor_count < FEW &&
           elements < PART && !has_parts(work->tensors[work->index])) {
        elements += tn_tensor_count(work->tensors[work->index]);
        slot->tensor_count++;
        work->index++;
    }
}

static void take_slot(struct statistics_work *work, struct slot *slot)
{
    const struct tn_tensor *tensor = work->tensors[work->index];

    slot->index   = work->index;
    slot->first   = 0;
    slot->error   = (struct tn_error)TN_ERROR_INIT;
    slot->is_last = true;
    if (has_parts(tensor))
        take_part(work, slot, tn_tensor_count(tensor));
    else
        take_few(work, slot);
}

static bool is_part(const struct slot *slot)
{
    return slot->first > 0 || !slot->is_last;
}

/* ---- reading ------------------------------------------------------------- */

static enum tn_status add_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    (void)index;
    (void)error;
    tn_tally_add_length(context, text.length);
    return TN_OK;
}

static void read_tensor(struct statistics_work *work, struct slot *slot,
                        unsigned i)
{
    const struct tn_tensor   *tensor   = work->tensors[slot->index + i];
    const struct tn_elements *elements = &tensor->elements;
    struct tn_tally          *tally    = &slot->tallies[i];
    uint64_t                  first = 0, count = tn_tensor_count(tensor);
    struct tn_metered_sink    sink;

    if (is_part(slot)) {
        first = slot->first;
        count = slot->count;
    }
    tn_tally_init(tally, elements->shape.dtype);
    tn_metered_sink_init(&sink, &tally->sink, &work->meter);
    if (tn_dtype_bits(elements->shape.dtype) == 0)
        tn_payload_strings(elements, first, count, add_string, tally,
                           &slot->error);
    else
        tn_payload_stream(elements, first, count, tensor->model->memory,
                          &sink.sink, &slot->error);
    if (tn_failed(&slot->error))
        tn_error_where(&slot->error, "tensor '%.*s'",
                       TN_FMT(tn_tensor_name(tensor)));
}

static void read_slot(void *context, uint32_t index)
{
    struct statistics_work *work = context;
    struct slot            *slot = &work->slots[index];

    for (unsigned i = 0; i < slot->tensor_count; i++) {
        tn_meter_add(&work->meter, 0, &slot->error);
        if (tn_failed(&slot->error))
            return;
        read_tensor(work, slot, i);
    }
}

/* ---- reporting ----------------------------------------------------------- */

static void report(struct statistics_work *work, uint64_t index,
                   struct tn_tally *tally)
{
    struct tn_statistics statistics;

    if (work->is_stopped)
        return;
    tn_tally_finish(tally, &statistics);
    work->is_stopped = work->on_tensor &&
                       work->on_tensor(work->context, index, &statistics) != 0;
}

static enum tn_status use_slot(struct statistics_work *work, struct slot *slot,
                               struct tn_error *error)
{
    if (tn_failed(&slot->error)) {
        *error = slot->error;
    } else if (is_part(slot)) {
        if (slot->first == 0)
            work->whole = slot->tallies[0];
        else
            tn_tally_join(&work->whole, &slot->tallies[0]);
        if (slot->is_last)
            report(work, slot->index, &work->whole);
    } else {
        for (unsigned i = 0; i < slot->tensor_count; i++)
            report(work, slot->index + i, &slot->tallies[i]);
    }
    return error->status;
}

/* Shows progress; a "stop" reaches the workers through the meter. */
static void look_around(void *context)
{
    struct statistics_work *work    = context;
    struct tn_error         ignored = TN_ERROR_INIT;

    (void)tn_meter_add(&work->meter, 0, &ignored);
}

static enum tn_status run(struct statistics_work *work,
                          struct tn_pipeline *pipeline, struct tn_error *error)
{
    while (!work->is_stopped && !tn_failed(error) &&
           (work->index < work->count || tn_pipeline_count(pipeline) > 0)) {
        if (tn_pipeline_is_full(pipeline) || work->index == work->count) {
            use_slot(work, &work->slots[tn_pipeline_take(pipeline)], error);
        } else {
            take_slot(work, &work->slots[tn_pipeline_next(pipeline)]);
            tn_pipeline_add(pipeline);
        }
    }
    return error->status;
}

static enum tn_status check_expansion(const struct statistics_work *work,
                                      const struct tn_model        *model,
                                      const struct tn_options      *options,
                                      uint64_t *total, struct tn_error *error)
{
    uint64_t most = tn_opened_may_expand(tn_opened_of(model), options);

    *total = 0;
    for (uint64_t i = 0; i < work->count; i++) {
        const struct tn_tensor *tensor = work->tensors[i];

        TN_TRY(tn_opened_check_tensor(tensor, most - *total, error));
        *total += tn_tensor_size(tensor);
    }
    return TN_OK;
}

enum tn_status tn_statistics_compute(const struct tn_model         *model,
                                     const struct tn_tensor *const *tensors,
                                     uint64_t                       count,
                                     const struct tn_options       *options,
                                     tn_on_statistics *on_tensor, void *context,
                                     struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(model, "model", error);
    for (uint64_t i = 0; i < count; i++)
        TN_EXPECT_TENSOR(tensors[i], error);
    unsigned workers = tn_pipeline_workers(options ? options->workers : 0);
    uint32_t room    = workers == 1 ? 1 : 2 * workers;
    uint64_t size    = room * sizeof(struct slot), total;
    struct statistics_work work = {
        .tensors   = tensors,
        .count     = count,
        .on_tensor = on_tensor,
        .context   = context,
    };
    struct tn_pipeline pipeline;
    struct tn_watch    watch;

    TN_TRY(check_expansion(&work, model, options, &total, error));
    work.slots = tn_memory_resize(model->memory, NULL, 0, size, error);
    if (!work.slots)
        return error->status;
    tn_meter_init(&work.meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "reading", total);
    tn_meter_watch(&work.meter, &watch, model->memory);
    tn_pipeline_open(&pipeline, workers, room, read_slot, &work);
    tn_pipeline_looks(&pipeline, look_around);
    run(&work, &pipeline, error);
    tn_pipeline_close(&pipeline);
    tn_watch_end(&watch);
    tn_memory_free(model->memory, work.slots, size);
    return error->status;
}
