/*
 * fb_json_read_fuzz.c - any text as a FlatBuffer's JSON
 *
 * What is read makes a buffer that verifies and prints, and whose print gives
 * a buffer that prints the same.
 */
#include <assert.h>

#include "support/fb_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct fb_sample *sample, struct tn_bytes bytes,
                  struct tn_memory *memory)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer json, again, last;

    tn_buffer_init(&last, memory, &error);
    tn_buffer_init(&json, memory, &error);
    tn_buffer_init(&again, memory, &error);
    fb_sample_print(sample->all, bytes, &json, &error);
    assert(!tn_failed(&error));
    fb_sample_parse(sample, sample->all, tn_buffer_bytes(&json), &again,
                    &error);
    fb_sample_print(sample->all, tn_buffer_bytes(&again), &last, &error);
    assert(!tn_failed(&error));
    assert(tn_bytes_equal(tn_buffer_bytes(&json), tn_buffer_bytes(&last)));
    tn_buffer_done(&last);
    tn_buffer_done(&again);
    tn_buffer_done(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fb_sample *sample = fb_sample_kept();
    struct tn_error         error  = TN_ERROR_INIT;
    struct tn_memory        memory;
    struct tn_buffer        bytes;

    if (!sample)
        return 0;
    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    tn_buffer_init(&bytes, &memory, &error);
    fb_sample_parse(sample, sample->all, tn_bytes(data, size), &bytes, &error);
    if (!tn_failed(&error))
        check(sample, tn_buffer_bytes(&bytes), &memory);
    else
        assert(error.offset == TN_NOWHERE || error.offset <= size);
    tn_buffer_done(&bytes);
    assert(memory.used == 0);
    return 0;
}
