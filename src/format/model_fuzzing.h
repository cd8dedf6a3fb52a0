/* model_fuzzing.h - what fuzzers of formats do with a model that opened */
#ifndef TN_FORMAT_MODEL_FUZZING_H
#define TN_FORMAT_MODEL_FUZZING_H

#include <assert.h>

#include "format/format.h"

static inline enum tn_status fuzz_drop(struct tn_sink  *sink,
                                       struct tn_bytes  bytes,
                                       struct tn_error *error)
{
    (void)sink;
    (void)bytes;
    (void)error;
    return TN_OK;
}

/* Findings must have texts. */
static inline int fuzz_see_finding(void *context, enum tn_finding_level level,
                                   const char            *rule,
                                   const struct tn_error *finding)
{
    (void)context;
    (void)level;
    assert(rule[0] && finding->what[0]);
    return 0;
}

/* Zeros that are not stored can be endless: the first megabyte will do. */
#define FUZZ_READ_LIMIT (UINT64_C(1) << 20)

/* Elements are inside of their source, and their number is right. */
static inline void fuzz_read_tensor(const struct tn_tensor *tensor,
                                    bool has_source, struct tn_memory *memory)
{
    static const struct tn_sink_ops drop  = { .write = fuzz_drop };
    struct tn_error                 error = TN_ERROR_INIT;
    struct tn_sink                  sink  = { .ops = &drop };
    struct tn_span                  span  = tensor->elements.payload.span;
    uint64_t                        count = tn_tensor_count(tensor);
    uint64_t size = tn_dtype_size(tn_tensor_dtype(tensor));

    if (has_source && span.source)
        assert(span.offset <= span.source->size &&
               span.length <= span.source->size - span.offset);
    if (count > FUZZ_READ_LIMIT)
        count = FUZZ_READ_LIMIT;
    if (tn_payload_check(&tensor->elements, &error) == TN_OK && size &&
        tn_payload_stream(&tensor->elements, 0, count, memory, &sink, &error) ==
            TN_OK)
        assert(sink.offset == count * size);
}

static inline void fuzz_decode_attributes(const struct tn_model *model)
{
    struct tn_attr *attr;

    for (uint32_t op = 0; op < model->ops.count; op++) {
        uint32_t count = tn_op_attr_count(model, op);
        for (uint32_t i = 0; i < count && i < 64; i++) {
            struct tn_error error = TN_ERROR_INIT;
            if (tn_attr_open(&attr, model, op, i, &error) == TN_OK)
                tn_attr_close(attr);
        }
    }
}

/* What a fuzzer does with a model that could be opened. */
typedef void fuzz_use(void *context, struct tn_bundle *bundle,
                      struct tn_model *model);

/* Opens any bytes as a model of the format.  A refusal must have a message. */
static inline enum tn_status fuzz_open(const struct tn_format *format,
                                       const char *name, struct tn_bytes bytes,
                                       struct tn_memory *memory,
                                       bool wants_graph, fuzz_use *use,
                                       void *context)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_source source;
    struct tn_bundle bundle;
    struct tn_model  model;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, name, &error) != TN_OK)
        return error.status;
    tn_model_init(&model, memory);
    model.wants_graph = wants_graph;
    model.format      = format->name;
    if (format->open(&bundle, &model, &error) == TN_OK &&
        tn_model_finish(&model, &error) == TN_OK)
        use(context, &bundle, &model);
    assert(error.status == TN_OK || error.what[0]);
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error.status;
}

#endif
