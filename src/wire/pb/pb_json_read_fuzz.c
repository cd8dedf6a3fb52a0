/* pb_json_read_fuzz.c - JSON that is accepted is written and accepted again,
 * and when no loss is reported, with the same bytes */
#include <assert.h>

#include "support/pb_sample.h"

static void check_again(const struct pb_sample     *sample,
                        const struct tn_pb_message *type,
                        struct tn_buffer *bytes, struct tn_memory *memory)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer text, again, losses;

    tn_buffer_init(&text, memory, &error);
    tn_buffer_init(&again, memory, &error);
    tn_buffer_init(&losses, memory, &error);
    assert(pb_sample_print(sample, type, TN_PB_AS_JSON, tn_buffer_bytes(bytes),
                           &text, &error) == TN_OK);
    assert(pb_sample_losses(sample, type, TN_PB_AS_JSON, tn_buffer_bytes(bytes),
                            &losses, &error) == TN_OK);
    assert(pb_sample_parse(sample, type, TN_PB_AS_JSON, tn_buffer_bytes(&text),
                           &again, &error) == TN_OK);
    if (losses.size == 0)
        assert(tn_bytes_equal(tn_buffer_bytes(bytes), tn_buffer_bytes(&again)));
    tn_buffer_done(&text);
    tn_buffer_done(&again);
    tn_buffer_done(&losses);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pb_sample *sample = pb_sample_kept();
    struct tn_memory        memory;
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_buffer        bytes;

    assert(sample);
    const struct tn_pb_message *type =
        size && data[0] == ' ' ? sample->two : sample->three;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    if (pb_sample_parse(sample, type, TN_PB_AS_JSON, tn_bytes(data, size),
                        &bytes, &error) == TN_OK)
        check_again(sample, type, &bytes, &memory);
    else
        assert(error.offset == TN_NOWHERE || error.offset <= size);
    tn_buffer_done(&bytes);
    assert(memory.used == 0);
    return 0;
}
