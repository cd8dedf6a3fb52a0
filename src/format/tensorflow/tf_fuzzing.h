/* tf_fuzzing.h - what both fuzzers do with a model */
#ifndef TN_FORMAT_TF_FUZZING_H
#define TN_FORMAT_TF_FUZZING_H

#include "format/model_fuzzing.h"
#include "format/tensorflow/tf.h"

/* Writes it as it is, and as if an edit had touched everything. */
static inline void write_model(struct tn_model        *model,
                               const struct tn_format *format,
                               struct tn_bytes         bytes)
{
    uint64_t                moved   = 0;
    struct tn_error         error   = TN_ERROR_INIT;
    struct tn_output       *output  = NULL;
    struct tn_write_options options = { .tensors_moved = &moved };

    if (format->is_folder)
        return;
    if (tn_output_memory(&output, model->memory, &error) == TN_OK &&
        format->write(model, &options, output, &error) == TN_OK &&
        tn_output_flush(output, &error) == TN_OK)
        assert(tn_bytes_equal(tn_output_memory_bytes(output), bytes));
    tn_output_close(output);
    output           = NULL;
    error            = (struct tn_error)TN_ERROR_INIT;
    model->is_edited = true;
    for (uint64_t i = 0; i < model->graphs.count; i++)
        tn_model_graph_at(model, (uint32_t)i)->is_touched = true;
    if (tn_output_memory(&output, model->memory, &error) == TN_OK)
        format->write(model, &options, output, &error);
    tn_output_close(output);
}

struct fuzz_job {
    const struct tn_format *format;
    struct tn_bytes         bytes;
    uint64_t                nodes;
};

static inline void fuzz_use_model(void *context, struct tn_bundle *bundle,
                                  struct tn_model *model)
{
    struct fuzz_job *job    = context;
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_report report = { .each = fuzz_see_finding, .limit = 100 };

    if (model->wire.source != bundle->main)
        return;
    job->nodes = model->node_count;
    for (uint64_t i = 0; i < model->tensors.count; i++)
        fuzz_read_tensor(tn_model_tensor(model, i), true, model->memory);
    if (!model->wants_graph)
        return;
    job->format->check(bundle, model, &report, &error);
    assert(error.status == TN_OK || error.what[0]);
    fuzz_decode_attributes(model);
    write_model(model, job->format, job->bytes);
}

static inline void fuzz_model(const struct tn_format *format,
                              struct tn_bytes         bytes)
{
    struct fuzz_job with = { .format = format, .bytes = bytes }, without = with;
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, (bytes.size + 256) * 4096);
    fuzz_open(format, "fuzz", bytes, &memory, true, fuzz_use_model, &with);
    fuzz_open(format, "fuzz", bytes, &memory, false, fuzz_use_model, &without);
    assert(with.nodes == without.nodes || with.nodes == 0);
    assert(memory.used == 0);
}

#endif
