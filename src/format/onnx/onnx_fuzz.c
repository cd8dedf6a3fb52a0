/*
 * onnx_fuzz.c - any bytes as a model: open, check, decode, read, write
 *
 * Claims: payloads lie inside the file, findings have words, memory is bounded
 * by the input, and an unchanged model is written as the bytes it was.
 */
#include <assert.h>

#include "format/format.h"
#include "format/onnx/onnx.h"
#include "io/file_source.h"

extern const struct tn_format tn_format_onnx;
extern const struct tn_format tn_format_onnx_tensor;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sink that counts. */
static enum tn_status drop(struct tn_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    (void)sink;
    (void)bytes;
    (void)error;
    return TN_OK;
}

static const struct tn_sink_ops drop_ops = { .write = drop };

static int see_finding(void *context, enum tn_finding_level level,
                       const char *rule, const struct tn_error *finding)
{
    (void)context;
    (void)level;
    assert(rule[0] && finding->what[0]);
    return 0;
}

static void read_tensor(const struct tn_tensor *tensor, uint64_t size,
                        struct tn_memory *memory)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_sink  sink  = { .ops = &drop_ops };
    struct tn_span  span  = tensor->elements.payload.span;
    uint64_t        count = tn_tensor_count(tensor);

    if (!tn_onnx_absent_of(span.source))
        assert(span.offset <= size && span.length <= size - span.offset);
    if (tn_payload_check(&tensor->elements, &error) != TN_OK ||
        tn_dtype_size(tn_tensor_dtype(tensor)) == 0)
        return;
    if (tn_payload_stream(&tensor->elements, 0, count, memory, &sink, &error) ==
        TN_OK)
        assert(sink.offset == tn_tensor_size(tensor));
}

static void decode_attributes(const struct tn_model *model)
{
    struct tn_attr *attr;

    for (uint32_t op = 0; op < model->ops.count; op++) {
        uint32_t count = tn_op_attr_count(model, op);
        for (uint32_t i = 0; i < count; i++) {
            struct tn_error error = TN_ERROR_INIT;
            if (tn_attr_open(&attr, model, op, i, &error) == TN_OK)
                tn_attr_close(attr);
        }
    }
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

static void read_model(struct tn_bytes bytes, const struct tn_format *format,
                       struct tn_memory *memory)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_report report = { .each = see_finding, .limit = 100 };
    struct tn_source source;
    struct tn_bundle bundle;
    struct tn_model  model;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "fuzz", &error) !=
        TN_OK)
        return;
    tn_model_init(&model, memory);
    model.wants_graph = true;
    if (format->open(&bundle, &model, &error) == TN_OK &&
        tn_model_finish(&model, &error) == TN_OK &&
        model.wire.source == &source) {
        format->check(&bundle, &model, &report, &error);
        for (uint64_t i = 0; i < model.tensors.count; i++)
            read_tensor(tn_model_tensor(&model, i), bytes.size, memory);
        decode_attributes(&model);
        if (format->write)
            write_model(&model, bytes);
    }
    tn_model_done(&model);
    tn_bundle_close(&bundle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, (size + 256) * 4096);
    read_model(tn_bytes(data, size), &tn_format_onnx, &memory);
    read_model(tn_bytes(data, size), &tn_format_onnx_tensor, &memory);
    assert(memory.used == 0);
    return 0;
}
