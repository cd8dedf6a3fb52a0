/*
 * pb_again.h - what a reader of messages accepts, it accepts again
 *
 * For the fuzzers of text and JSON: bytes that came out of a spelling are
 * spelt, and read again; when no loss is reported they are the same.
 */
#ifndef TN_TESTS_PB_AGAIN_H
#define TN_TESTS_PB_AGAIN_H

#include <assert.h>

#include "support/pb_sample.h"

static inline void pb_accepted_again(const struct pb_sample     *sample,
                                     const struct tn_pb_message *type,
                                     enum tn_pb_spelling         spelling,
                                     struct tn_bytes             bytes,
                                     struct tn_memory           *memory)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer text, again, losses;

    tn_buffer_init(&text, memory, &error);
    tn_buffer_init(&again, memory, &error);
    tn_buffer_init(&losses, memory, &error);
    assert(pb_sample_print(sample, type, spelling, bytes, &text, &error) ==
           TN_OK);
    assert(pb_sample_losses(sample, type, spelling, bytes, &losses, &error) ==
           TN_OK);
    assert(pb_sample_parse(sample, type, spelling, tn_buffer_bytes(&text),
                           &again, &error) == TN_OK);
    if (losses.size == 0)
        assert(tn_bytes_equal(bytes, tn_buffer_bytes(&again)));
    tn_buffer_done(&text);
    tn_buffer_done(&again);
    tn_buffer_done(&losses);
}

/* A stranger's text, from beginning to end. */
static inline void pb_fuzz_spelling(const struct pb_sample     *sample,
                                    const struct tn_pb_message *type,
                                    enum tn_pb_spelling         spelling,
                                    struct tn_bytes             text)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer bytes;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    if (pb_sample_parse(sample, type, spelling, text, &bytes, &error) == TN_OK)
        pb_accepted_again(sample, type, spelling, tn_buffer_bytes(&bytes),
                          &memory);
    else
        assert(error.offset == TN_NOWHERE || error.offset <= text.size);
    tn_buffer_done(&bytes);
    assert(memory.used == 0);
}

#endif
