/*
 * gguf_fuzz.c - whatever the bytes are: opened as GGUF or refused, checked, and
 * what is opened can be read, described and dumped
 */
#include "format/gguf/gguf.h"

#include "format/model_fuzzing.h"
#include "format/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_model(void *context, struct tn_bundle *bundle,
                      struct tn_model *model)
{
    static const struct tn_sink_ops drop   = { .write = fuzz_drop };
    struct tn_sink                  sink   = { .ops = &drop };
    struct tn_report                report = { .each = fuzz_see_finding };
    struct tn_error                 error  = TN_ERROR_INIT;

    (void)context;
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        fuzz_read_tensor(tn_model_tensor(model, i), true, model->memory);
    assert(tn_gguf_dump(model, &sink, &error) == TN_OK || error.what[0]);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_gguf_check(bundle, model, &report, &error);
}

static void check_bytes(struct tn_bytes bytes, struct tn_memory *memory)
{
    struct tn_report report = { .each = fuzz_see_finding };
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_source source;
    struct tn_bundle bundle;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "a.gguf", &error) !=
        TN_OK)
        return;
    tn_format_gguf.check_bytes(&bundle, &report, &error);
    tn_bundle_close(&bundle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 64 << 20);
    fuzz_open(&tn_format_gguf, "a.gguf", tn_bytes(data, size), &memory, false,
              use_model, NULL);
    check_bytes(tn_bytes(data, size), &memory);
    assert(memory.used == 0);
    return 0;
}
