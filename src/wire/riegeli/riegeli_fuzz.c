/*
 * riegeli_fuzz.c - any bytes as a file, and as the data of chunks
 *
 * Hashes keep random bytes away from the chunks, so the input is also laid into
 * a file whose hashes are right: its first byte is the number of records, the
 * second their size.
 */
#include <assert.h>
#include <stdlib.h>

#include "wire/riegeli/riegeli_put.h"
#include "wire/riegeli/riegeli_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note_loss(void *context, uint64_t begin, uint64_t end,
                      const struct tn_error *why)
{
    uint64_t *after = context;

    assert(begin >= *after && begin < end && tn_failed(why));
    *after = end;
}

/* Walks a file, over damage too, and writes its records anew. */
static uint64_t copy_records(struct tn_source *source, struct tn_memory *memory,
                             bool skips, const struct tn_riegeli_options *how,
                             struct tn_buffer *copy)
{
    struct tn_error          error = TN_ERROR_INIT, ignored = TN_ERROR_INIT;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    struct tn_riegeli_record record;
    struct tn_riegeli_writer w;
    uint64_t                 after = 0, count = 0, last = 0;

    if (tn_riegeli_open(&file, source, memory, &error) != TN_OK && !skips)
        return 0;
    error      = (struct tn_error)TN_ERROR_INIT;
    file.limit = UINT64_C(1) << 20;
    tn_riegeli_walk_init(&walk, &file, &error);
    walk.skipped = skips ? note_loss : NULL;
    walk.context = &after;
    tn_riegeli_writer_init(&w, &copy->sink, how, memory, &ignored);
    for (; tn_riegeli_next(&walk, &record) && count < 1000; count++) {
        struct tn_arena arena;
        struct tn_rope  rope;
        assert(tn_riegeli_position(&record) >= last);
        last = tn_riegeli_position(&record) + 1;
        assert(last <= source->size);
        tn_arena_init(&arena, memory);
        tn_rope_init(&rope, &arena, &ignored);
        tn_rope_span(&rope, record.bytes);
        tn_riegeli_add_rope(&w, &rope);
        tn_rope_done(&rope);
        tn_arena_done(&arena);
    }
    assert(error.status == TN_OK || error.what[0]);
    assert(tn_riegeli_finish(&w) == TN_OK);
    tn_riegeli_writer_done(&w);
    (void)tn_riegeli_seek(&walk, last);
    (void)tn_riegeli_last(&walk, &record);
    tn_riegeli_walk_done(&walk);
    return count;
}

/* What is read can be written, transposed and back, and stays the same. */
static void read_file(struct tn_bytes bytes, bool skips)
{
    static const struct tn_riegeli_options simple     = { .workers = 1 };
    static const struct tn_riegeli_options transposed = {
        .is_transposed = true, .bucket_fraction = 0.5, .workers = 1
    };
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_source source[3];
    struct tn_buffer copy[3];

    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    for (unsigned i = 0; i < 3; i++)
        tn_buffer_init(&copy[i], &memory, &error);
    tn_source_memory(&source[0], &memory, bytes);
    uint64_t count =
        copy_records(&source[0], &memory, skips, &simple, &copy[0]);
    if (copy[0].size) {
        tn_source_memory(&source[1], &memory, tn_buffer_bytes(&copy[0]));
        assert(count ==
               copy_records(&source[1], &memory, false, &transposed, &copy[1]));
        tn_source_memory(&source[2], &memory, tn_buffer_bytes(&copy[1]));
        assert(count ==
               copy_records(&source[2], &memory, false, &simple, &copy[2]));
        assert(tn_bytes_equal(tn_buffer_bytes(&copy[0]),
                              tn_buffer_bytes(&copy[2])));
        tn_source_close(&source[1]);
        tn_source_close(&source[2]);
    }
    tn_source_close(&source[0]);
    for (unsigned i = 0; i < 3; i++)
        tn_buffer_done(&copy[i]);
    assert(memory.used == 0);
}

static void read_as_chunk(struct tn_bytes data, uint8_t type)
{
    struct tn_riegeli_frame frame = { .type = type };
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_memory        memory;
    struct tn_buffer        file;
    struct tn_arena         arena;
    struct tn_rope          rope;

    if (data.size < 2)
        return;
    frame.record_count = data.data[0];
    frame.decoded_size = data.data[1];
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    tn_sink_write(&file.sink, tn_bytes(tn_riegeli_signature, 64), &error);
    tn_rope_borrow(&rope, tn_bytes(data.data + 2, data.size - 2));
    assert(tn_riegeli_put_chunk(&file.sink, 0, &frame, &rope, &error) == TN_OK);
    read_file(tn_buffer_bytes(&file), false);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    tn_buffer_done(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_file(tn_bytes(data, size), false);
    read_file(tn_bytes(data, size), true);
    read_as_chunk(tn_bytes(data, size), TN_RIEGELI_SIMPLE);
    read_as_chunk(tn_bytes(data, size), TN_RIEGELI_TRANSPOSED);
    return 0;
}
