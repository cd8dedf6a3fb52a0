/*
 * sstable_fuzz.c - any bytes as a table, and as the only block of a good one
 *
 * Checksums keep random bytes away from the entries, so the input is also put
 * into a file whose checksums are right, plain and as snappy.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/varint.h"
#include "codec/crc32c.h"
#include "wire/sstable/sstable_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is read can be written, and reads back as the same entries. */
static void walk_and_copy(struct tn_source *source, struct tn_memory *memory,
                          struct tn_buffer *copy, uint64_t *count)
{
    struct tn_error          error = TN_ERROR_INIT, ignored = TN_ERROR_INIT;
    struct tn_sstable        table;
    struct tn_sstable_walk   walk;
    struct tn_sstable_entry  e;
    struct tn_sstable_writer w;

    if (tn_sstable_open(&table, source, &error) != TN_OK)
        return;
    tn_sstable_walk_init(&walk, &table, memory, &error);
    tn_sstable_writer_init(&w, &copy->sink, memory, &ignored);
    while (tn_sstable_next(&walk, &e)) {
        assert(tn_left(&e.value) <= 64 * source->size);
        tn_sstable_add(&w, e.key, tn_take_bytes(&e.value, tn_left(&e.value)));
        ++*count;
    }
    assert(error.status == TN_OK || error.what[0]);
    assert(tn_sstable_finish(&w) == TN_OK);
    tn_sstable_writer_done(&w);
    tn_sstable_walk_done(&walk);
}

static void read_table(struct tn_bytes bytes)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_source source, again;
    struct tn_buffer copy, second;
    uint64_t         count = 0, count_again = 0;

    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    tn_source_memory(&source, &memory, bytes);
    tn_buffer_init(&copy, &memory, &error);
    tn_buffer_init(&second, &memory, &error);
    walk_and_copy(&source, &memory, &copy, &count);
    if (copy.size) {
        tn_source_memory(&again, &memory, tn_buffer_bytes(&copy));
        walk_and_copy(&again, &memory, &second, &count_again);
        assert(count == count_again);
        assert(
            tn_bytes_equal(tn_buffer_bytes(&copy), tn_buffer_bytes(&second)));
        tn_source_close(&again);
    }
    tn_buffer_done(&copy);
    tn_buffer_done(&second);
    tn_source_close(&source);
    assert(memory.used == 0);
}

static void put_block(struct tn_buffer *to, struct tn_bytes stored,
                      uint8_t type)
{
    size_t begin = to->size;

    tn_buffer_add(to, stored);
    tn_buffer_byte(to, type);
    uint32_t crc = tn_crc32c(0, to->data + begin, to->size - begin);
    tn_buffer_u32(to, tn_crc32c_mask(crc));
}

/* One data block at 0, an index that sends every key below ff there. */
static void read_as_block(struct tn_bytes stored, uint8_t type)
{
    static const uint8_t empty[]    = { 0, 0, 0, 0, 1, 0, 0, 0 };
    uint8_t              index[64]  = { 0, 1, 0, 0xff };
    uint8_t              footer[48] = { 0 };
    struct tn_error      error      = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_buffer     file;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    put_block(&file, stored, type);
    unsigned at = tn_varint_put(footer, file.size);
    at += tn_varint_put(footer + at, sizeof empty);
    put_block(&file, tn_bytes(empty, sizeof empty), 0);
    at += tn_varint_put(footer + at, file.size);
    index[2]      = (uint8_t)(1 + tn_varint_put(index + 5, stored.size));
    unsigned size = 4u + index[2];
    memcpy(index + size, empty, sizeof empty);
    tn_varint_put(footer + at, size + sizeof empty);
    put_block(&file, tn_bytes(index, size + sizeof empty), 0);
    memcpy(footer + 40, tn_sstable_magic, 8);
    tn_buffer_add(&file, tn_bytes(footer, sizeof footer));
    read_table(tn_buffer_bytes(&file));
    tn_buffer_done(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_table(tn_bytes(data, size));
    read_as_block(tn_bytes(data, size), 0);
    read_as_block(tn_bytes(data, size), 1);
    return 0;
}
