/*
 * onnx_fuzz.c - any bytes as a model: open, check, decode, read, write
 *
 * Claims: payloads lie inside the file, findings have words, memory is bounded
 * by the input, and an unchanged model is written as the bytes it was.
 */
#include "format/model_fuzzing.h"
#include "format/onnx/onnx.h"
#include "io/file_source.h"

extern const struct tn_format tn_format_onnx;
extern const struct tn_format tn_format_onnx_tensor;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* External data is not there. */
static void read_tensor(const struct tn_tensor *tensor,
                        struct tn_memory       *memory)
{
    struct tn_source *source = tensor->elements.payload.span.source;

    fuzz_read_tensor(tensor, !tn_onnx_absent_of(source), memory);
}

/* Written unchanged it is the same; with all weights out it can be read. */
static void write_model(const struct tn_model *model, struct tn_bytes bytes)
{
    uint64_t                moved   = 0;
    struct tn_error         error   = TN_ERROR_INIT;
    struct tn_output       *output  = NULL;
    struct tn_write_options options = { .threshold     = 1,
                                        .tensors_moved = &moved };

    if (tn_output_memory(&output, model->memory, &error) == TN_OK &&
        tn_format_onnx.write(model, &options, output, &error) == TN_OK &&
        tn_output_flush(output, &error) == TN_OK) {
        struct tn_bytes again = tn_output_memory_bytes(output);
        assert(tn_bytes_equal(again, bytes));
    }
    tn_output_close(output);
}

struct job {
    const struct tn_format *format;
    struct tn_bytes         bytes;
};

static void use_model(void *context, struct tn_bundle *bundle,
                      struct tn_model *model)
{
    const struct job *job    = context;
    struct tn_error   error  = TN_ERROR_INIT;
    struct tn_report  report = { .each = fuzz_see_finding, .limit = 100 };

    if (model->wire.source != bundle->main)
        return;
    job->format->check(bundle, model, &report, &error);
    for (uint64_t i = 0; i < model->tensors.count; i++)
        read_tensor(tn_model_tensor(model, i), model->memory);
    fuzz_decode_attributes(model);
    if (job->format->write)
        write_model(model, job->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct job       jobs[] = { { &tn_format_onnx, tn_bytes(data, size) },
                                { &tn_format_onnx_tensor, tn_bytes(data, size) } };
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, (size + 256) * 4096);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        fuzz_open(jobs[i].format, "fuzz", jobs[i].bytes, &memory, true,
                  use_model, &jobs[i]);
    assert(memory.used == 0);
    return 0;
}
