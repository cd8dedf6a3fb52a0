/*
 * paddle_fuzz.c - whatever the bytes are: a program, records or a state is
 * opened or refused, and what is opened lies inside, can be read, checked and
 * written again
 *
 * The first byte chooses the format.
 */
#include "format/model_fuzzing.h"
#include "format/paddle/paddle.h"

extern const struct tn_format tn_format_paddle_params, tn_format_paddle_state;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_tensors(const struct tn_model *model)
{
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        struct tn_error         error  = TN_ERROR_INIT;
        uint8_t                 bytes[64];
        uint64_t                length = tn_tensor_size(tensor);
        if (length)
            tn_tensor_read(
                tensor, 0, bytes,
                length < sizeof bytes ? (size_t)length : sizeof bytes, &error);
        assert(error.status == TN_OK || error.what[0]);
    }
}

/* A program comes out as it went in. */
static void write_again(const struct tn_model *model, struct tn_bytes bytes)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, model->memory);
    tn_rope_init(&rope, &arena, &error);
    tn_paddle_encode(model, &arena, &rope, &error);
    assert(error.status != TN_OK || rope.length <= bytes.size);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void use_model(void *context, struct tn_bundle *bundle,
                      struct tn_model *model)
{
    const struct tn_bytes *bytes  = context;
    struct tn_error        error  = TN_ERROR_INIT;
    struct tn_report       report = { .each = fuzz_see_finding };

    read_tensors(model);
    tn_paddle_check(bundle, model, &report, &error);
    assert(error.status == TN_OK || error.what[0]);
    if (model->dialect)
        write_again(model, *bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tn_format *const formats[] = {
        &tn_format_paddle, &tn_format_paddle_params, &tn_format_paddle_state
    };
    struct tn_memory memory;

    if (size == 0)
        return 0;
    struct tn_bytes bytes = tn_bytes(data + 1, size - 1);
    tn_memory_init(&memory, NULL, 64 << 20);
    fuzz_open(formats[data[0] % 3], "a", bytes, &memory, true, use_model,
              &bytes);
    assert(memory.used == 0);
    return 0;
}
