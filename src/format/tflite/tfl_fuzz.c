/*
 * tfl_fuzz.c - whatever the bytes are: opened as TFLite or refused, checked, and
 * what is opened can be read and described
 */
#include "format/model_fuzzing.h"
#include "format/registry.h"
#include "format/tflite/tflite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every attribute of every operator, and what the file says of values. */
static void use_graph(struct tn_model *model)
{
    struct tn_arena arena;
    struct tn_list  attrs;

    tn_arena_init(&arena, model->memory);
    tn_list_init(&attrs, model->memory, sizeof(struct tn_attr_named));
    for (uint32_t i = 0; i < tn_model_op_count(model); i++) {
        struct tn_error error = TN_ERROR_INIT;
        assert(tn_attr_list(model, i, &arena, &attrs, &error) == TN_OK ||
               error.what[0]);
    }
    for (uint32_t i = 0; i < tn_model_value_count(model); i++) {
        struct tn_error       error = TN_ERROR_INIT;
        struct tn_value_info  value = tn_model_value_info(model, i);
        struct tn_value_about about;
        assert(model->dialect->describe_value(model, value.graph, value.name,
                                              &arena, &about, &error) ||
               error.what[0]);
    }
    tn_list_done(&attrs);
    tn_arena_done(&arena);
}

static void use_model(void *context, struct tn_bundle *bundle,
                      struct tn_model *model)
{
    struct tn_report report = { .each = fuzz_see_finding };
    struct tn_error  error  = TN_ERROR_INIT;

    (void)context;
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        fuzz_read_tensor(tn_model_tensor(model, i), true, model->memory);
    use_graph(model);
    tn_tfl_check(bundle, model, &report, &error);
}

static void check_bytes(struct tn_bytes bytes, struct tn_memory *memory)
{
    struct tn_report report = { .each = fuzz_see_finding };
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_source source;
    struct tn_bundle bundle;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "a.tflite", &error) !=
        TN_OK)
        return;
    tn_tfl_check_bytes(&bundle, &report, &error);
    tn_bundle_close(&bundle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 64 << 20);
    fuzz_open(&tn_format_tflite, "a.tflite", tn_bytes(data, size), &memory,
              true, use_model, NULL);
    check_bytes(tn_bytes(data, size), &memory);
    assert(memory.used == 0);
    return 0;
}
