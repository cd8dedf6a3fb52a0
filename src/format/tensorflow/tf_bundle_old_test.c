/* tf_bundle_old_test.c - checkpoints of version 1, whose tables hold the data
 */
#include "codec/crc32c.h"
#include "codec/snappy.h"
#include "format/tensorflow/tf_bundle_testing.h"
#include "wire/sstable/sstable_write.h"

/* SavedTensorSlices { data { data } } of a slice; no type, no shape. */
static void put_old_slice(struct tn_sstable_writer *w, const char *name,
                          const struct tn_tf_extent *extents, unsigned rank,
                          const char *tensor_hex)
{
    struct tn_bytes  tensor = tn_hex(tensor_hex);
    struct tn_buffer key, value;

    tn_buffer_init(&key, &memory, &error);
    tn_buffer_init(&value, &memory, &error);
    tn_tf_slice_key_put(&key, tn_text(name), extents, rank);
    tn_buffer_byte(&value, 0x12);
    tn_buffer_byte(&value, (uint8_t)(tensor.size + 2));
    tn_buffer_byte(&value, 0x1a);
    tn_buffer_byte(&value, (uint8_t)tensor.size);
    tn_buffer_add(&value, tensor);
    tn_sstable_add(w, tn_buffer_bytes(&key), tn_buffer_bytes(&value));
    tn_buffer_done(&key);
    tn_buffer_done(&value);
    free((void *)(uintptr_t)tensor.data);
}

/* One SavedSliceMeta. */
static void put_old_tensor(struct tn_buffer *to, const char *name, uint8_t type,
                           uint8_t dim, const struct tn_tf_extent *extents,
                           unsigned count)
{
    struct tn_buffer tensor;

    tn_buffer_init(&tensor, &memory, &error);
    tn_buffer_byte(&tensor, 0x0a);
    tn_buffer_byte(&tensor, (uint8_t)strlen(name));
    tn_buffer_text(&tensor, name);
    tn_buffer_add(&tensor, tn_bytes("\x12\x04\x12\x02\x08", 5));
    tn_buffer_byte(&tensor, dim);
    tn_buffer_byte(&tensor, 0x18);
    tn_buffer_byte(&tensor, type);
    for (unsigned i = 0; i < count; i++)
        put_extents(&tensor, 4, &extents[i], 1);
    tn_buffer_byte(to, 0x0a);
    tn_buffer_varint(to, tensor.size);
    tn_buffer_add(to, tn_buffer_bytes(&tensor));
    tn_buffer_done(&tensor);
}

static void write_old(void)
{
    static const struct tn_tf_extent halves[] = { { 0, 2 }, { 2, 1 } };
    static const struct tn_tf_extent whole[]  = { ALL };
    struct tn_sstable_writer         w;
    struct tn_buffer                 meta, value;

    tn_buffer_init(&meta, &memory, &error);
    tn_buffer_init(&value, &memory, &error);
    put_old_tensor(&meta, "w", 1, 3, halves, 2);
    put_old_tensor(&meta, "b", 3, 2, whole, 1); /* not sorted */
    put_old_tensor(&meta, "s", 7, 2, whole, 1);
    tn_buffer_byte(&value, 0x0a);
    tn_buffer_varint(&value, meta.size);
    tn_buffer_add(&value, tn_buffer_bytes(&meta));
    tn_sstable_writer_init(&w, &add_file("x.index")->sink, &memory, &error);
    tn_sstable_add(&w, tn_bytes("", 0), tn_buffer_bytes(&value));
    put_old_slice(&w, "b", whole, 1, "3a 0b 07 ff ff ff ff ff ff ff ff ff 01");
    put_old_slice(&w, "s", whole, 1, "42 02 68 69 42 00");
    put_old_slice(&w, "w", &halves[0], 1, "2a 08 00000000 0000803f");
    put_old_slice(&w, "w", &halves[1], 1, "2d 00000040");
    tn_sstable_finish(&w);
    assert_int_equal(error.status, TN_OK);
    tn_sstable_writer_done(&w);
    tn_buffer_done(&meta);
    tn_buffer_done(&value);
}

/* The same table with its only data block packed: what is before the trailer
 * of a table of one block. */
static void pack_table(void)
{
    static const uint8_t empty[] = { 0, 0, 0, 0, 1, 0, 0, 0 };
    struct tn_source     source;
    struct tn_sstable    table;
    struct tn_buffer     packed, *file = &files.file[0].bytes;
    uint8_t              index[32] = { 0, 1, 0, 0xff }, footer[48] = { 0 };

    tn_source_memory(&source, &memory, tn_buffer_bytes(file));
    tn_sstable_open(&table, &source, &error);
    tn_buffer_init(&packed, &memory, &error);
    size_t block = (size_t)table.metaindex.offset - TN_SSTABLE_TRAILER_SIZE;
    tn_snappy_encode(tn_bytes(file->data, block), &packed, &error);
    tn_source_close(&source);
    index[2] = (uint8_t)(1 + tn_varint_put(index + 5, packed.size));
    memcpy(index + 4 + index[2], empty, sizeof empty);
    tn_buffer_clear(file);
    struct {
        struct tn_bytes bytes;
        uint8_t         type;
    } blocks[]  = { { tn_buffer_bytes(&packed), 1 },
                    { tn_bytes(empty, sizeof empty), 0 },
                    { tn_bytes(index, 4u + index[2] + sizeof empty), 0 } };
    unsigned at = 0;
    for (unsigned i = 0; i < 3; i++) {
        size_t begin = file->size;
        if (i > 0) {
            at += tn_varint_put(footer + at, begin);
            at += tn_varint_put(footer + at, blocks[i].bytes.size);
        }
        tn_buffer_add(file, blocks[i].bytes);
        tn_buffer_byte(file, blocks[i].type);
        uint32_t crc = tn_crc32c(0, file->data + begin, file->size - begin);
        tn_buffer_u32(file, tn_crc32c_mask(crc));
    }
    memcpy(footer + 40, tn_sstable_magic, 8);
    tn_buffer_add(file, tn_bytes(footer, sizeof footer));
    tn_buffer_done(&packed);
}

static void expect_old(void)
{
    struct tn_tf_bundle index;
    struct tn_source    table;

    open_table(&index, &table);
    if (tn_failed(&error))
        fail_msg("%s", error.what);
    assert_int_equal(index.version, 1);
    assert_int_equal(index.count, 3);
    expect_counting(&index, "w", 3);
    const struct tn_tf_bundle_entry *b =
        tn_tf_bundle_find(&index, tn_text("b"));
    assert_int_equal(b->elements.shape.dtype, TN_INT32);
    struct tn_buffer bytes = streamed(b);
    assert_int_equal(bytes.size, 8);
    assert_memory_equal(bytes.data, "\7\0\0\0\xff\xff\xff\xff", 8);
    tn_buffer_done(&bytes);
    assert_int_equal(data_crc(tn_tf_bundle_find(&index, tn_text("s"))),
                     tn_crc32(0, "hi\0", 3));
    for (uint64_t i = 0; i < index.count; i++)
        assert_int_equal(
            tn_tf_bundle_check_entry(index.entries[i], &memory, &error), TN_OK);
    tn_tf_bundle_close(&index);
    tn_source_close(&table);
}

static void reads_version_1(void **state)
{
    (void)state;
    write_old();
    expect_old();
    tn_survives_hostility(read_bytes, file_bytes("x.index"));
    pack_table();
    expect_old();
    tn_survives_hostility(read_bytes, file_bytes("x.index"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_version_1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
