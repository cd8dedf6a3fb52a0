/*
 * fb_json_write_fuzz.c - any bytes as a FlatBuffer: verify, dump, and back
 *
 * The first byte chooses the type.  What is verified can be dumped, but for
 * what is shared too often; what was dumped strictly can be read and is dumped
 * as the same again.
 */
#include <assert.h>
#include <stdlib.h>

#include "support/fb_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void come_back(const struct fb_sample    *sample,
                      const struct tn_fb_object *type, struct tn_bytes json,
                      struct tn_memory *memory)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer bytes, again, third, last;

    tn_buffer_init(&bytes, memory, &error);
    tn_buffer_init(&again, memory, &error);
    tn_buffer_init(&third, memory, &error);
    tn_buffer_init(&last, memory, &error);
    fb_sample_parse(sample, type, json, &bytes, &error);
    fb_sample_print(type, tn_buffer_bytes(&bytes), &again, &error);
    if (!tn_failed(&error)) { /* defaults are gone now, and stay so */
        fb_sample_parse(sample, type, tn_buffer_bytes(&again), &third, &error);
        fb_sample_print(type, tn_buffer_bytes(&third), &last, &error);
        assert(!tn_failed(&error));
        assert(tn_bytes_equal(tn_buffer_bytes(&again), tn_buffer_bytes(&last)));
    }
    tn_buffer_done(&last);
    tn_buffer_done(&third);
    tn_buffer_done(&again);
    tn_buffer_done(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fb_sample                *sample = fb_sample_kept();
    static const struct tn_fb_json_options strict = { .is_strict = true };
    struct tn_error                        error  = TN_ERROR_INIT;
    struct tn_memory                       memory;
    struct tn_buffer                       json;

    if (!sample || size < 1)
        return 0;
    const struct tn_fb_object *type =
        &sample->schema.objects[data[0] % sample->schema.object_count];
    if (type->is_struct)
        type = sample->all;
    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    tn_buffer_init(&json, &memory, &error);
    if (fb_sample_print_as(type, &strict, tn_bytes(data + 1, size - 1), &json,
                           &error) == TN_OK)
        come_back(sample, type, tn_buffer_bytes(&json), &memory);
    else
        assert(error.what[0] &&
               (error.offset == TN_NOWHERE || error.offset <= size));
    tn_buffer_done(&json);
    assert(memory.used == 0);
    return 0;
}
