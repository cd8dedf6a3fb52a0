/* pb_text_write_fuzz.c - bytes that print are read back, and when no loss is
 * reported they are the same bytes; as text and as JSON */
#include <assert.h>

#include "support/pb_sample.h"

static void check(const struct pb_sample     *sample,
                  const struct tn_pb_message *type,
                  enum tn_pb_spelling spelling, struct tn_bytes bytes)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT, limit = TN_ERROR_INIT;
    struct tn_buffer text, again, losses;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&text, &memory, &error);
    tn_buffer_init(&again, &memory, &limit);
    tn_buffer_init(&losses, &memory, &error);
    if (pb_sample_print(sample, type, spelling, bytes, &text, &error) ==
            TN_OK &&
        pb_sample_losses(sample, type, spelling, bytes, &losses, &error) ==
            TN_OK) {
        enum tn_status status = pb_sample_parse(
            sample, type, spelling, tn_buffer_bytes(&text), &again, &limit);
        assert(status == TN_OK || status == TN_LIMIT);
        if (losses.size == 0 && status == TN_OK)
            assert(tn_bytes_equal(bytes, tn_buffer_bytes(&again)));
    } else {
        assert(error.offset == TN_NOWHERE || error.offset <= bytes.size);
    }
    tn_buffer_done(&text);
    tn_buffer_done(&again);
    tn_buffer_done(&losses);
    assert(memory.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pb_sample *sample = pb_sample_kept();

    if (size == 0)
        return 0;
    assert(sample);
    check(sample, data[0] & 1 ? sample->three : sample->two,
          data[0] & 2 ? TN_PB_AS_JSON : TN_PB_AS_TEXT,
          tn_bytes(data + 1, size - 1));
    return 0;
}
