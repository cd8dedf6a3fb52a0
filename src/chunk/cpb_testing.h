/* cpb_testing.h - for tests: chunks as they are given, into one file */
#ifndef TN_CHUNK_CPB_TESTING_H
#define TN_CHUNK_CPB_TESTING_H

#include "chunk/cpb.h"
#include "chunk/splitter.h"
#include "support/hostile.h"

static enum tn_status give_sink(void *context, const char *member,
                                struct tn_sink **sink, struct tn_error *error)
{
    (void)member; /* there is one file only */
    (void)error;
    *sink = context;
    return TN_OK;
}

static void write_chunks(struct tn_sink *to, struct tn_chunk *const *chunks,
                         uint64_t count, const struct tn_chunked *message,
                         const struct tn_riegeli_options *options,
                         struct tn_arena *arena, struct tn_error *error)
{
    const struct tn_cpb_job job = { .chunks  = chunks,
                                    .count   = count,
                                    .message = message,
                                    .format  = { .version = 1 },
                                    .options = options,
                                    .arena   = arena,
                                    .open    = give_sink,
                                    .context = to };

    assert_int_equal(tn_cpb_write_files(&job, error), TN_OK);
}

#endif
