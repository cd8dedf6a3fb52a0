/*
 * sd_fuzz.c - any bytes as a SameDiff file: open, check, decode, read, write
 *
 * Claims: payloads lie inside their source, findings have words, memory is
 * bounded by the input, an unchanged model is written as the bytes it was, and
 * what is written in another container can be read again.
 */
#include "format/model_fuzzing.h"
#include "format/samediff/sd_graph.h"

extern const struct tn_format tn_format_samediff_fb;
extern const struct tn_format tn_format_sdnb;
extern const struct tn_format tn_format_sdz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_model(struct tn_bytes bytes, const struct tn_format *format,
                       struct tn_memory *memory, bool writes);

static void write_model(const struct tn_model *model, struct tn_bytes bytes,
                        const struct tn_format *format, uint64_t shard_size)
{
    uint64_t                moved   = 0;
    struct tn_error         error   = TN_ERROR_INIT;
    struct tn_output       *output  = NULL;
    struct tn_write_options options = { .shard_size    = shard_size,
                                        .tensors_moved = &moved };

    if (tn_output_memory(&output, model->memory, &error) == TN_OK &&
        format->write(model, &options, output, &error) == TN_OK &&
        tn_output_flush(output, &error) == TN_OK) {
        struct tn_bytes again = tn_output_memory_bytes(output);
        if (model->format == format->name && !shard_size)
            assert(tn_bytes_equal(again, bytes));
        else
            read_model(again, format, model->memory, false);
    }
    tn_output_close(output);
}

struct job {
    const struct tn_format *format;
    struct tn_bytes         bytes;
    bool                    writes;
};

static void use_model(void *context, struct tn_bundle *bundle,
                      struct tn_model *model)
{
    const struct job *job    = context;
    struct tn_error   error  = TN_ERROR_INIT;
    struct tn_report  report = { .each = fuzz_see_finding, .limit = 100 };

    job->format->check(bundle, model, &report, &error);
    for (uint64_t i = 0; i < model->tensors.count; i++)
        fuzz_read_tensor(tn_model_tensor(model, i), true, model->memory);
    fuzz_decode_attributes(model);
    if (!job->writes)
        return;
    write_model(model, job->bytes, &tn_format_samediff_fb, 0);
    write_model(model, job->bytes, &tn_format_sdnb, 0);
    write_model(model, job->bytes, &tn_format_sdz, 8);
}

static void read_model(struct tn_bytes bytes, const struct tn_format *format,
                       struct tn_memory *memory, bool writes)
{
    struct job     job = { format, bytes, writes };
    enum tn_status status =
        fuzz_open(format, "fuzz", bytes, memory, false, use_model, &job);

    /* What we wrote ourselves can be opened. */
    assert(status == TN_OK || writes || status == TN_LIMIT ||
           status == TN_NO_MEMORY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tn_format *format = &tn_format_samediff_fb;
    struct tn_memory        memory;

    if (size >= 4 && !memcmp(data, "SDNB", 4))
        format = &tn_format_sdnb;
    else if (size >= 4 && !memcmp(data, "PK\3\4", 4))
        format = &tn_format_sdz;
    tn_memory_init(&memory, NULL, (size + 4096) * 4096);
    read_model(tn_bytes(data, size), format, &memory, true);
    assert(memory.used == 0);
    return 0;
}
