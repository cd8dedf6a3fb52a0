/*
 * tf_bundle_fuzz.c - any bytes as a checkpoint, and as the entries of one
 *
 * Checksums keep random bytes away from the messages, so the input is also read
 * as a list of entries (u8 key size, u8 value size, key, value) and made into a
 * table whose checksums are right.  All data files are the same few bytes.
 */
#include <assert.h>
#include <stdlib.h>

#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_bundle_write.h"
#include "wire/sstable/sstable_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SMALL 4096

static enum tn_status open_data(void *context, const char *name,
                                struct tn_source **source,
                                struct tn_error   *error)
{
    (void)name;
    (void)error;
    *source = context;
    return TN_OK;
}

static enum tn_status make_nothing(void *context, const char *name,
                                   struct tn_sink **sink,
                                   struct tn_error *error)
{
    struct tn_buffer *buffer = context;

    (void)name;
    (void)error;
    tn_buffer_clear(buffer);
    *sink = &buffer->sink;
    return TN_OK;
}

/* What was opened has data inside its file, and can be streamed. */
static void use_entry(const struct tn_tf_bundle_entry *e,
                      struct tn_memory                *memory)
{
    struct tn_error  error = TN_ERROR_INIT, checked = TN_ERROR_INIT;
    struct tn_buffer bytes;
    uint64_t         size;

    assert(!e->data.source ||
           (e->data.offset <= e->data.source->size &&
            e->data.length <= e->data.source->size - e->data.offset));
    assert(e->key.data);
    tn_tf_bundle_check_entry(e, memory, &checked);
    if (!tn_shape_bytes(&e->elements.shape, &size) || size > SMALL)
        return;
    uint64_t count = 0;
    assert(tn_shape_count(&e->elements.shape, &count));
    tn_buffer_init(&bytes, memory, &error);
    tn_payload_stream(&e->elements, 0, count, memory, &bytes.sink, &error);
    assert(error.status != TN_OK || bytes.size == size);
    tn_buffer_done(&bytes);
}

static void write_again(const struct tn_tf_bundle *index,
                        struct tn_memory          *memory)
{
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_buffer            bytes;
    struct tn_tf_bundle_options options = { .shard_size = 64 };
    struct tn_tf_bundle_tensor  tensors[16];
    uint64_t                    count = index->count < 16 ? index->count : 16;

    for (uint64_t i = 0; i < count; i++) {
        const struct tn_tf_bundle_entry *e = index->entries[i];
        uint64_t                         size;
        if (tn_shape_count(&e->elements.shape, &size) && size > SMALL)
            return;
        tensors[i] = (struct tn_tf_bundle_tensor){ e->key, &e->elements };
    }
    tn_buffer_init(&bytes, memory, &error);
    tn_tf_bundle_write_to(make_nothing, &bytes, "x", tensors, count, &options,
                          memory, &error);
    assert(error.status == TN_OK || error.what[0]);
    tn_buffer_done(&bytes);
}

static void read_checkpoint(struct tn_bytes table)
{
    static const uint8_t numbers[256] = { 1, 2, 3, 0, 0, 0, 0, 1, 2, 3, 4, 5 };
    struct tn_error      error        = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_source     source, data;
    struct tn_tf_bundle  index;

    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    tn_source_memory(&source, &memory, table);
    tn_source_memory(&data, &memory, tn_bytes(numbers, sizeof numbers));
    if (tn_tf_bundle_read(&index, &source, "x", open_data, &data, &error) ==
        TN_OK) {
        for (uint64_t i = 0; i < index.count; i++)
            use_entry(index.entries[i], &memory);
        write_again(&index, &memory);
        tn_tf_bundle_close(&index);
    } else {
        assert(error.what[0]);
    }
    tn_source_close(&source);
    tn_source_close(&data);
    assert(memory.used == 0);
}

/* Entries whose keys do not ascend are left out. */
static void add_entries(struct tn_sstable_writer *w, const uint8_t *at,
                        size_t left)
{
    struct tn_bytes last     = tn_bytes("", 0);
    bool            has_last = false;

    while (left >= 2 && left - 2 >= (size_t)at[0] + at[1]) {
        struct tn_bytes key   = tn_bytes(at + 2, at[0]);
        struct tn_bytes value = tn_bytes(at + 2 + at[0], at[1]);
        size_t          size  = 2 + key.size + value.size;
        if (!has_last || tn_bytes_compare(key, last) > 0) {
            tn_sstable_add(w, key, value);
            last     = key;
            has_last = true;
        }
        at += size;
        left -= size;
    }
}

static void read_as_entries(const uint8_t *data, size_t size)
{
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_memory         memory;
    struct tn_buffer         file;
    struct tn_sstable_writer w;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_sstable_writer_init(&w, &file.sink, &memory, &error);
    add_entries(&w, data, size);
    assert(tn_sstable_finish(&w) == TN_OK);
    tn_sstable_writer_done(&w);
    read_checkpoint(tn_buffer_bytes(&file));
    tn_buffer_done(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_checkpoint(tn_bytes(data, size));
    read_as_entries(data, size);
    return 0;
}
