/* lod_fuzz.c - records that are read lie inside, and are written as they were
 */
#include "wire/lod/lod.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const struct tn_lod_record *record,
                        struct tn_memory *memory, struct tn_bytes was)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer again;

    tn_buffer_init(&again, memory, &error);
    tn_lod_write_head(&again, record);
    assert(error.status == TN_OK);
    if (record->data.length > 0)
        tn_sink_splice(&again.sink, record->data, &error);
    tn_lod_write_tail(&again, record);
    assert(error.status == TN_OK && again.size == was.size);
    assert(memcmp(again.data, was.data, was.size) == 0);
    tn_buffer_done(&again);
}

static void read_all(struct tn_source *source, struct tn_memory *memory,
                     enum tn_lod_layout layout)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ source, 0, source->size }, &error);
    struct tn_lod_record record;

    while (tn_more(&c) && tn_lod_read(&c, layout, &record) == TN_OK) {
        assert(record.data.length <= source->size);
        assert(record.begin < record.end && record.end == c.offset);
        write_again(&record, memory,
                    tn_bytes(source->map + record.begin,
                             (size_t)(record.end - record.begin)));
    }
    assert(!tn_failed(&error) || error.offset <= source->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory memory;
    struct tn_source source;

    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(data, size));
    for (int layout = TN_LOD_SHIPPED; layout <= TN_LOD_ROWS; layout++)
        read_all(&source, &memory, (enum tn_lod_layout)layout);
    tn_source_close(&source);
    return 0;
}
