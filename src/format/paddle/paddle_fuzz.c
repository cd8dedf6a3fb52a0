/*
 * paddle_fuzz.c - whatever the bytes are: a program, records or a state is
 * opened or refused, and what is opened lies inside, can be read, checked and
 * written again
 *
 * The first byte chooses the format.
 */
#include <assert.h>

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

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    (void)context;
    (void)level;
    assert(rule[0] && finding->what[0]);
    return 0;
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

static void look(struct tn_bundle *bundle, const struct tn_model *model,
                 struct tn_bytes bytes)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_report report = { .each = hear };

    read_tensors(model);
    tn_paddle_check(bundle, model, &report, &error);
    assert(error.status == TN_OK || error.what[0]);
    if (model->dialect)
        write_again(model, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tn_format *const formats[] = {
        &tn_format_paddle, &tn_format_paddle_params, &tn_format_paddle_state
    };
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_source source;
    struct tn_model  model;

    if (size == 0)
        return 0;
    const struct tn_format *format = formats[data[0] % 3];
    struct tn_bytes         bytes  = tn_bytes(data + 1, size - 1);
    tn_memory_init(&memory, NULL, 64 << 20);
    tn_source_memory(&source, &memory, bytes);
    struct tn_bundle bundle = { .memory = &memory,
                                .main   = &source,
                                .name   = "a",
                                .path   = "a",
                                .folder = -1 };
    tn_arena_init(&bundle.arena, &memory);
    tn_list_init(&bundle.kept, &memory, sizeof(struct tn_source *));
    tn_model_init(&model, &memory);
    model.wants_graph = true;
    model.format      = format->name;
    if (format->open(&bundle, &model, &error) == TN_OK)
        look(&bundle, &model, bytes);
    else
        assert(error.what[0]);
    tn_model_done(&model);
    for (uint64_t i = 0; i < bundle.kept.count; i++)
        tn_source_close(*tn_list_at(&bundle.kept, struct tn_source *, i));
    tn_list_done(&bundle.kept);
    tn_arena_done(&bundle.arena);
    tn_source_close(&source);
    return 0;
}
