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

/* Findings have words. */
static inline int fuzz_see_finding(void *context, enum tn_finding_level level,
                                   const char            *rule,
                                   const struct tn_error *finding)
{
    (void)context;
    (void)level;
    assert(rule[0] && finding->what[0]);
    return 0;
}

/* Zeros out of nothing can be endless: the first megabyte will do. */
#define FUZZ_READ_LIMIT (UINT64_C(1) << 20)

/* Elements lie inside of their source, and are as many as there should be. */
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

#endif
