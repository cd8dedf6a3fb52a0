/* tired.h - a file that is not mapped, and whose reads run out */
#ifndef TN_SUPPORT_TIRED_H
#define TN_SUPPORT_TIRED_H

#include "base/source.h"
#include "support/hostile.h"

struct tn_tired {
    struct tn_source source; /* first */
    struct tn_bytes  bytes;
    uint64_t         reads_left;
};

static inline enum tn_status tn_tired_read(struct tn_source *source,
                                           uint64_t offset, void *to,
                                           size_t size, struct tn_error *error)
{
    struct tn_tired *tired = (struct tn_tired *)source;

    if (tired->reads_left == 0)
        return tn_error_set(error, TN_IO, offset, "the disk is tired");
    tired->reads_left--;
    memcpy(to, tired->bytes.data + offset, size);
    return TN_OK;
}

static inline void tn_tired_close(struct tn_source *source)
{
    tn_arena_done(&source->pins);
}

/* The n-th read fails, for all n until there are enough: IO each time, and
 * everything is given back.  The reader closes the source. */
static inline void tn_survives_failing_reads(
    enum tn_status (*read)(struct tn_source *source, struct tn_memory *memory,
                           struct tn_error *error),
    struct tn_bytes bytes)
{
    static const struct tn_source_ops ops    = { tn_tired_read, tn_tired_close };
    enum tn_status                    status = TN_IO;

    for (uint64_t n = 0; status != TN_OK; n++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        tn_memory_init(&memory, NULL, 0);
        struct tn_tired tired = { .source     = { .ops    = &ops,
                                                  .size   = bytes.size,
                                                  .name   = "tired",
                                                  .memory = &memory },
                                  .bytes      = bytes,
                                  .reads_left = n };
        assert_true(n < 10000);
        tn_arena_init(&tired.source.pins, &memory);
        status = read(&tired.source, &memory, &error);
        if (status != TN_OK && status != TN_IO)
            fail_msg("read %llu: status %d: %s", (unsigned long long)n, status,
                     error.what);
        assert_int_equal(memory.used, 0);
    }
}

#endif
