/*
 * tf_bundle_test.c - checkpoints of TensorFlow, of ours, and ones that lie
 *
 * Version 1 has a test of its own: tf_bundle_old_test.c.
 */
#include <glob.h>
#include <unistd.h>

#include "codec/crc32c.h"
#include "format/tensorflow/tf_bundle_testing.h"
#include "format/tensorflow/tf_bundle_write.h"
#include "format/tensorflow/tf_dtype.h"
#include "wire/sstable/sstable_write.h"

/* ---- what TensorFlow wrote ---------------------------------------------- */

/* "key type dims shard offset size crc32c crc32", as the expected values are
 * written down. */
static void describe(const struct tn_tf_bundle_entry *e, char *to, size_t room)
{
    char                   dims[200] = "-";
    size_t                 at        = 0;
    const struct tn_shape *shape     = &e->elements.shape;

    for (uint32_t i = 0; i < shape->rank; i++)
        at += (size_t)snprintf(dims + at, sizeof dims - at, "%s%" PRIu64,
                               i ? "," : "", shape->dims[i]);
    snprintf(
        to, room,
        "%.*s\t%s\t%s\t%u\t%" PRIu64 "\t%" PRIu64 "\t%08" PRIx32 "\t%08" PRIx32,
        TN_FMT(e->key), tn_tf_dtype_name(tn_tf_dtype_number(shape->dtype)),
        dims, e->shard, e->data.offset, e->data.length, e->crc, data_crc(e));
}

static unsigned compare_rows(FILE *expected, const struct tn_tf_bundle *index)
{
    char     line[2048], found[2048];
    unsigned rows = 0;

    while (fgets(line, sizeof line, expected)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || !line[0])
            continue;
        const struct tn_tf_bundle_entry *e =
            tn_tf_bundle_find(index, tn_bytes(line, strcspn(line, "\t")));
        if (!e)
            fail_msg("not found: %s", line);
        describe(e, found, sizeof found);
        assert_string_equal(found, line);
        tn_tf_bundle_check_entry(e, &memory, &error);
        if (tn_failed(&error))
            fail_msg("%s: %s", error.where, error.what);
        rows++;
    }
    return rows;
}

/* NAME of ".../NAME.variables.tsv", with "__" for a folder. */
static void sample_folder(const char *tsv, char *folder, size_t room)
{
    const char *name = strrchr(tsv, '/') + 1;
    const char *mark = strstr(name, "__");
    int         size = (int)(strstr(name, ".variables.tsv") - name);

    if (mark)
        snprintf(folder, room, "%s/tensorflow/saved_model/%.*s/%.*s",
                 TN_SHARED_DATA, (int)(mark - name), name,
                 size - (int)(mark - name) - 2, mark + 2);
    else
        snprintf(folder, room, "%s/tensorflow/saved_model/%.*s", TN_SHARED_DATA,
                 size, name);
}

static void each_sample(unsigned (*use)(const char             *tsv,
                                        struct tn_tf_bundle    *index,
                                        const struct tn_bundle *bundle),
                        const char *what)
{
    glob_t   found = { 0 };
    unsigned total = 0;

    glob(TN_SHARED_DATA "/tensorflow/expected/*.variables.tsv", 0, NULL,
         &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char                     folder[1024];
        struct tn_bundle         bundle;
        struct tn_tf_bundle      index;
        struct tn_bundle_options options = { .keep_unmapped = i % 2 };
        sample_folder(found.gl_pathv[i], folder, sizeof folder);
        tn_bundle_open(&bundle, &memory, folder, &options, &error);
        tn_tf_bundle_open(&index, &bundle, "variables/variables", &error);
        if (tn_failed(&error))
            fail_msg("%s: %s", folder, error.what);
        total += use(found.gl_pathv[i], &index, &bundle);
        tn_tf_bundle_close(&index);
        tn_bundle_close(&bundle);
        files_done();
    }
    printf("%s: %u in %zu real checkpoints\n", what, total, found.gl_pathc);
    bool is_absent = found.gl_pathc == 0;
    globfree(&found);
    if (is_absent) {
        printf("skipped: wants real models\n");
        skip();
    }
    assert_true(total > 0);
}

static unsigned check_sample(const char *tsv, struct tn_tf_bundle *index,
                             const struct tn_bundle *bundle)
{
    FILE *expected = fopen(tsv, "r");

    (void)bundle;
    assert_non_null(expected);
    unsigned rows = compare_rows(expected, index);
    assert_int_equal(rows, tn_tf_bundle_count(index));
    assert_int_equal(index->version, 2);
    fclose(expected);
    return rows;
}

static void reads_real_checkpoints(void **state)
{
    (void)state;
    each_sample(check_sample, "tensors compared");
}

static int by_place(const void *a, const void *b)
{
    const struct tn_tf_bundle_entry *const *left = a, *const *right = b;

    if ((*left)->shard != (*right)->shard)
        return (*left)->shard < (*right)->shard ? -1 : 1;
    return ((*left)->data.offset > (*right)->data.offset) -
           ((*left)->data.offset < (*right)->data.offset);
}

/* Data in the order of the sample; its first shard is the largest. */
static void write_again(const struct tn_tf_bundle *index)
{
    uint64_t                          count   = index->count;
    struct tn_tf_bundle_options       options = { 0 };
    const struct tn_tf_bundle_entry **order =
        malloc((size_t)count * sizeof *order);
    struct tn_tf_bundle_tensor *tensors =
        malloc((size_t)count * sizeof *tensors);

    memcpy(order, index->entries, (size_t)count * sizeof *order);
    qsort(order, (size_t)count, sizeof *order, by_place);
    for (uint64_t i = 0; i < count; i++)
        tensors[i] =
            (struct tn_tf_bundle_tensor){ order[i]->key, &order[i]->elements };
    if (index->shard_count > 1)
        options.shard_size = order[0]->data.source->size;
    tn_tf_bundle_write_to(make_file, &files, "v", tensors, count, &options,
                          &memory, &error);
    assert_int_equal(error.status, TN_OK);
    free(order);
    free(tensors);
}

static void expect_same_file(struct tn_source *source, const char *name)
{
    uint8_t *bytes = malloc((size_t)source->size + 1);

    tn_source_read(source, 0, bytes, (size_t)source->size, &error);
    struct tn_bytes ours = file_bytes(name);
    if (!tn_bytes_equal(ours, tn_bytes(bytes, (size_t)source->size)))
        fail_msg("%s differs when rewritten", name);
    free(bytes);
}

static unsigned rewrite_sample(const char *tsv, struct tn_tf_bundle *index,
                               const struct tn_bundle *bundle)
{
    char name[40];

    (void)bundle;
    (void)tsv;
    write_again(index);
    for (uint64_t i = 0; i < index->count; i++) {
        snprintf(name, sizeof name, "v.data-%05u-of-%05u",
                 index->entries[i]->shard, index->shard_count);
        expect_same_file(index->entries[i]->data.source, name);
    }
    if (!index->is_packed)
        expect_same_file(index->index, "v.index");
    return !index->is_packed;
}

static void rewrites_real_checkpoints_byte_for_byte(void **state)
{
    (void)state;
    each_sample(rewrite_sample, "index files rewritten");
}

/* ---- ours, there and back ----------------------------------------------- */

static struct tn_source plain; /* bytes that payloads point at */

static struct tn_elements floats(uint32_t rank, const uint64_t *dims,
                                 uint64_t count)
{
    struct tn_elements e    = { .shape = { TN_FLOAT32, rank, dims } };
    struct tn_span     span = { &plain, 0, 4 * count };

    e.payload = tn_payload_raw(&e.shape, span, 1);
    return e;
}

/* Field 8 of a message, one string each. */
static struct tn_elements texts(enum tn_dtype dtype, const uint64_t *dims,
                                uint64_t offset, uint64_t size)
{
    struct tn_elements e    = { .shape = { dtype, 1, dims } };
    struct tn_span     span = { &plain, offset, size };

    e.payload          = tn_payload_raw(&e.shape, span, 1);
    e.payload.encoding = TN_ENCODING_FIELD;
    e.payload.field    = 8;
    return e;
}

static const uint64_t two_by_three[] = { 2, 3 }, four[] = { 4 }, none[] = { 0 };

/* Two shards: numbers and strings in the first, variants in the second. */
static void write_mixed(uint8_t *source)
{
    static const char  strings[] = "\x42\3one\x42\0\x42\5three\x42\4four";
    struct tn_elements e[4];

    for (unsigned i = 0; i < 6; i++) {
        float value = (float)i;
        memcpy(source + 4 * i, &value, sizeof value);
    }
    memcpy(source + 24, strings, sizeof strings - 1);
    tn_source_memory(&plain, &memory,
                     tn_bytes(source, 24 + sizeof strings - 1));
    e[0] = floats(2, two_by_three, 6);
    e[1] = texts(TN_STRING, four, 24, sizeof strings - 1);
    e[2] = floats(1, none, 0);
    e[3] = texts(TN_VARIANT, four, 24, sizeof strings - 1);
    struct tn_tf_bundle_tensor tensors[] = {
        { tn_text("numbers"), &e[0] },
        { tn_text("b/strings"), &e[1] },
        { tn_text("none"), &e[2] },
        { tn_text("a/variants"), &e[3] },
    };
    struct tn_tf_bundle_options options = { .shard_size = 45 };
    tn_tf_bundle_write_to(make_file, &files, "x", tensors, 4, &options, &memory,
                          &error);
    assert_int_equal(error.status, TN_OK);
    tn_source_close(&plain);
}

static void what_we_write_comes_back(void **state)
{
    struct tn_tf_bundle index;
    struct tn_source    table;
    uint8_t             source[64];

    (void)state;
    write_mixed(source);
    assert_int_equal(open_table(&index, &table), TN_OK);
    assert_int_equal(index.count, 4);
    assert_int_equal(index.shard_count, 2);
    assert_false(index.is_big_endian);
    expect_counting(&index, "numbers", 6);
    for (uint64_t i = 0; i < index.count; i++)
        assert_int_equal(
            tn_tf_bundle_check_entry(index.entries[i], &memory, &error), TN_OK);
    assert_null(tn_tf_bundle_find(&index, tn_text("b")));
    assert_null(tn_tf_bundle_find(&index, tn_text("")));
    const struct tn_tf_bundle_entry *e =
        tn_tf_bundle_find(&index, tn_text("b/strings"));
    assert_int_equal(e->data.offset, 24);
    assert_int_equal(e->data.length, 4 + 4 + 12);
    assert_int_equal(data_crc(e), tn_crc32(0, "one\0\0three\0four", 15));
    e = tn_tf_bundle_find(&index, tn_text("a/variants"));
    assert_int_equal(e->shard, 1);
    assert_int_equal(e->data.length, 4 * 5 + 12);
    assert_int_equal(data_crc(e), tn_crc32(0, "one\0\0three\0four", 15));
    tn_tf_bundle_close(&index);
    tn_source_close(&table);
}

/* A check finds each flipped bit of the data, and says in which file. */
static void checks_find_every_flip(void **state)
{
    struct tn_tf_bundle index;
    struct tn_source    table;
    uint8_t             source[64];

    (void)state;
    write_mixed(source);
    assert_int_equal(open_table(&index, &table), TN_OK);
    for (unsigned f = 0; f < 2; f++)
        for (size_t bit = 0; bit < 8 * files.file[f].bytes.size; bit++) {
            unsigned found = 0;
            files.file[f].bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            for (uint64_t i = 0; i < index.count; i++) {
                struct tn_error e = TN_ERROR_INIT;
                if (tn_tf_bundle_check_entry(index.entries[i], &memory, &e) ==
                    TN_OK)
                    continue;
                found++;
                assert_string_equal(e.file, files.file[f].name);
                assert_true(e.where[0] != '\0');
                assert_true(e.offset <= files.file[f].bytes.size);
            }
            if (found != 1)
                fail_msg("bit %zu of file %u: %u complaints", bit, f, found);
            files.file[f].bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    tn_tf_bundle_close(&index);
    tn_source_close(&table);
}

static void refuses_what_no_checkpoint_can_hold(void **state)
{
    static const struct {
        enum tn_dtype  dtype;
        const char    *key;
        enum tn_status status;
    } rows[] = {
        { TN_FLOAT8E8M0, "x", TN_UNSUPPORTED },
        { TN_RESOURCE, "x", TN_UNSUPPORTED },
        { TN_FLOAT32, "", TN_INVALID },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_elements          e       = floats(1, none, 0);
        struct tn_tf_bundle_tensor  tensor  = { tn_text(rows[i].key), &e };
        struct tn_tf_bundle_options options = { 0 };
        e.shape.dtype                       = rows[i].dtype;
        error                               = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(tn_tf_bundle_write_to(make_file, &files, "x", &tensor,
                                               1, &options, &memory, &error),
                         rows[i].status);
    }
    struct tn_elements         e       = floats(1, none, 0);
    struct tn_tf_bundle_tensor twice[] = { { tn_text("a"), &e },
                                           { tn_text("a"), &e } };
    error                              = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_tf_bundle_write_to(make_file, &files, "x", twice, 2,
                                           &(struct tn_tf_bundle_options){ 0 },
                                           &memory, &error),
                     TN_INVALID);
}

/* Through real files, with the index as the main one. */
static void goes_through_the_disk(void **state)
{
    char                folder[] = "/tmp/tf_bundle_test_XXXXXX", path[64];
    struct tn_output   *output   = NULL;
    struct tn_bundle    bundle;
    struct tn_tf_bundle index;
    float               numbers[6] = { 0, 1, 2, 3, 4, 5 };

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.ckpt.index", folder);
    tn_source_memory(&plain, &memory, tn_bytes(numbers, sizeof numbers));
    struct tn_elements          e       = floats(2, two_by_three, 6);
    struct tn_tf_bundle_tensor  tensor  = { tn_text("n"), &e };
    struct tn_tf_bundle_options options = { .is_main = true };
    tn_output_file(&output, &memory, path, &(struct tn_output_options){ 0 },
                   &error);
    assert_int_equal(error.status, TN_OK);
    tn_tf_bundle_write(output, "x.ckpt", &tensor, 1, &options, &memory, &error);
    tn_output_commit(output, &error);
    tn_output_close(output);
    assert_int_equal(error.status, TN_OK);
    tn_bundle_open(&bundle, &memory, path, &(struct tn_bundle_options){ 0 },
                   &error);
    tn_tf_bundle_open(&index, &bundle, NULL, &error);
    assert_int_equal(error.status, TN_OK);
    expect_counting(&index, "n", 6);
    tn_tf_bundle_close(&index);
    tn_bundle_close(&bundle);
    unlink(path);
    snprintf(path, sizeof path, "%s/x.ckpt.data-00000-of-00001", folder);
    assert_int_equal(unlink(path), 0);
    rmdir(folder);
    tn_source_close(&plain);
}

/* ---- slices ------------------------------------------------------------- */

struct slice {
    struct tn_tf_extent extents[2];
    unsigned            shard;
};

/* float, and a shape of small dims. */
static void put_type(struct tn_buffer *to, const uint64_t *dims, unsigned rank)
{
    tn_buffer_add(to, tn_bytes("\x08\x01\x12", 3));
    tn_buffer_byte(to, (uint8_t)(4 * rank));
    for (unsigned i = 0; i < rank; i++) {
        tn_buffer_add(to, tn_bytes("\x12\x02\x08", 3));
        tn_buffer_byte(to, (uint8_t)dims[i]);
    }
}

static void slice_range(const struct tn_tf_extent *e, uint64_t dim,
                        uint64_t *begin, uint64_t *length)
{
    *begin  = e->length == TN_TF_WHOLE ? 0 : (uint64_t)e->start;
    *length = e->length == TN_TF_WHOLE ? dim : (uint64_t)e->length;
}

/* Elements of the slice of a matrix that counts from 0. */
static void put_slice_data(struct tn_buffer *to, const struct slice *s,
                           const uint64_t *dims, bool is_big)
{
    uint64_t top, height, left, width;

    slice_range(&s->extents[0], dims[0], &top, &height);
    slice_range(&s->extents[1], dims[1], &left, &width);
    for (uint64_t row = 0; row < height; row++)
        for (uint64_t column = 0; column < width; column++) {
            float    value = (float)((top + row) * dims[1] + left + column);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            tn_buffer_u32(to, is_big ? __builtin_bswap32(bits) : bits);
        }
}

/* The table key and entry of one slice, its data appended to its shard. */
static void put_slice(struct tn_sstable_writer *w, struct tn_buffer *shards[],
                      const struct slice *s, const uint64_t *dims, bool is_big)
{
    struct tn_buffer  key, value;
    struct tn_buffer *shard = shards[s->shard];
    size_t            begin = shard->size;
    uint64_t          ignored, own[2];

    tn_buffer_init(&key, &memory, &error);
    tn_buffer_init(&value, &memory, &error);
    put_slice_data(shard, s, dims, is_big);
    slice_range(&s->extents[0], dims[0], &ignored, &own[0]);
    slice_range(&s->extents[1], dims[1], &ignored, &own[1]);
    put_type(&value, own, 2);
    tn_buffer_add(&value, tn_bytes("\x18", 1));
    tn_buffer_varint(&value, s->shard);
    tn_buffer_byte(&value, 0x20);
    tn_buffer_varint(&value, begin);
    tn_buffer_byte(&value, 0x28);
    tn_buffer_varint(&value, shard->size - begin);
    tn_buffer_byte(&value, 0x35);
    tn_buffer_u32(&value, tn_crc32c_mask(tn_crc32c(0, shard->data + begin,
                                                   shard->size - begin)));
    tn_tf_slice_key_put(&key, tn_text("w"), s->extents, 2);
    tn_sstable_add(w, tn_buffer_bytes(&key), tn_buffer_bytes(&value));
    tn_buffer_done(&key);
    tn_buffer_done(&value);
}

/* A checkpoint of two shards with one matrix "w", in slices that are sorted as
 * their keys are. */
static void write_sliced(const struct slice *slices, unsigned count,
                         const uint64_t *dims, bool is_big)
{
    struct tn_buffer        *shards[2] = { add_file("x.data-00000-of-00002"),
                                           add_file("x.data-00001-of-00002") };
    struct tn_sstable_writer w;
    struct tn_buffer         value, *table = add_file("x.index");

    tn_sstable_writer_init(&w, &table->sink, &memory, &error);
    tn_sstable_add(&w, tn_bytes("", 0),
                   is_big ? tn_bytes("\x08\x02\x10\x01", 4)
                          : tn_bytes("\x08\x02", 2));
    for (unsigned i = 0; i < count; i++)
        put_slice(&w, shards, &slices[i], dims, is_big);
    tn_buffer_init(&value, &memory, &error);
    put_type(&value, dims, 2);
    for (unsigned i = 0; i < count; i++)
        put_extents(&value, 7, slices[i].extents, 2);
    tn_sstable_add(&w, tn_text("w"), tn_buffer_bytes(&value));
    tn_sstable_finish(&w);
    assert_int_equal(error.status, TN_OK);
    tn_sstable_writer_done(&w);
    tn_buffer_done(&value);
}

static const struct {
    const char  *name;
    uint64_t     dims[2];
    struct slice slices[10];
    unsigned     count;
    const char  *complaint; /* NULL: it is good */
} tilings[] = {
    { "one slice", { 4, 6 }, { { { ALL, ALL }, 1 } }, 1, NULL },
    { "rows",
      { 4, 6 },
      { { { { 0, 1 }, ALL }, 0 }, { { { 1, 3 }, ALL }, 1 } },
      2,
      NULL },
    { "columns",
      { 4, 6 },
      { { { ALL, { 0, 2 } }, 1 },
        { { ALL, { 2, 1 } }, 0 },
        { { ALL, { 3, 3 } }, 1 } },
      3,
      NULL },
    { "grid",
      { 4, 6 },
      { { { { 0, 2 }, { 0, 1 } }, 0 },
        { { { 0, 2 }, { 1, 3 } }, 1 },
        { { { 0, 2 }, { 4, 2 } }, 0 },
        { { { 2, 2 }, { 0, 1 } }, 1 },
        { { { 2, 2 }, { 1, 3 } }, 0 },
        { { { 2, 2 }, { 4, 2 } }, 0 } },
      6,
      NULL },
    { "pinwheel",
      { 3, 3 },
      { { { { 0, 1 }, { 0, 2 } }, 0 },
        { { { 0, 2 }, { 2, 1 } }, 0 },
        { { { 1, 1 }, { 1, 1 } }, 1 },
        { { { 1, 2 }, { 0, 1 } }, 1 },
        { { { 2, 1 }, { 1, 2 } }, 0 } },
      5,
      NULL },
    { "gap",
      { 4, 6 },
      { { { { 0, 1 }, ALL }, 0 }, { { { 2, 2 }, ALL }, 1 } },
      2,
      "2 slices hold 18 elements, the tensor has 24" },
    { "overlap as large as the gap",
      { 4, 6 },
      { { { { 0, 2 }, ALL }, 0 }, { { { 1, 2 }, ALL }, 1 } },
      2,
      "the slices leave a part of the tensor out" },
    { "overlap and gap inside",
      { 3, 3 },
      { { { { 0, 1 }, { 0, 2 } }, 0 },
        { { { 0, 2 }, { 1, 2 } }, 0 },
        { { { 1, 2 }, { 0, 1 } }, 1 },
        { { { 2, 1 }, { 2, 1 } }, 0 } },
      4,
      "two slices overlap" },
    { "past the end",
      { 4, 6 },
      { { { { 0, 1 }, ALL }, 0 }, { { { 2, 3 }, ALL }, 1 } },
      2,
      "a slice of 3 at 2 in a dimension of 4" },
    { "before the beginning",
      { 4, 6 },
      { { { { -1, 1 }, ALL }, 0 }, { { { 0, 4 }, ALL }, 1 } },
      2,
      "a slice of 1 at -1 in a dimension of 4" },
};

static void slices_become_one_tensor(void **state)
{
    struct tn_tf_bundle index;
    struct tn_source    table;

    (void)state;
    for (size_t i = 0; i < 2 * sizeof tilings / sizeof *tilings; i++) {
        const uint64_t *dims = tilings[i / 2].dims;
        start(NULL);
        write_sliced(tilings[i / 2].slices, tilings[i / 2].count, dims, i % 2);
        open_table(&index, &table);
        const char *complaint = tilings[i / 2].complaint;
        if (complaint) {
            assert_string_equal(error.what, complaint);
            assert_int_equal(error.status, TN_MALFORMED);
            assert_string_equal(error.where, "w");
            error = (struct tn_error)TN_ERROR_INIT;
        } else {
            if (tn_failed(&error))
                fail_msg("%s: %s", tilings[i / 2].name, error.what);
            assert_int_equal(index.count, 1);
            assert_int_equal(index.unused, 0);
            assert_int_equal(index.is_big_endian, i % 2);
            assert_int_equal(index.entries[0]->piece_count,
                             tilings[i / 2].count);
            expect_counting(&index, "w", (unsigned)(dims[0] * dims[1]));
            tn_tf_bundle_check_entry(index.entries[0], &memory, &error);
            assert_int_equal(error.status, TN_OK);
            tn_tf_bundle_close(&index);
        }
        tn_source_close(&table);
        files_done();
        assert_int_equal(memory.used, 0);
    }
}

/* ---- entries that lie --------------------------------------------------- */

#define HEADER "08 01"
#define F32_2  "08 01 12 04 12 02 08 02 " /* float, [2] */

static const struct {
    const char    *name, *header, *entry;
    enum tn_status status;
    const char    *complaint;
} lies[] = {
    { "good", HEADER, F32_2 "28 08", TN_OK, "" },
    { "good, out of order", HEADER, "28 08" F32_2, TN_OK, "" },
    { "unknown field", HEADER, F32_2 "28 08 98 06 01", TN_OK, "" },
    { "no header", NULL, F32_2 "28 08", TN_MALFORMED,
      "the table of a checkpoint begins with an empty key" },
    { "negative shards", "08 ff ff ff ff ff ff ff ff ff 01", F32_2 "28 08",
      TN_MALFORMED, "-1 shards" },
    { "byte order 2", HEADER "10 02", F32_2 "28 08", TN_MALFORMED,
      "byte order 2" },
    { "no type", HEADER, "28 08", TN_MALFORMED, "a tensor without a type" },
    { "type 34", HEADER, "08 22", TN_MALFORMED, "type 34" },
    { "a reference", HEADER, "08 65", TN_MALFORMED, "type 101" },
    { "a resource", HEADER, "08 14", TN_UNSUPPORTED,
      "a handle of a resource has no data" },
    { "negative dim", HEADER,
      "08 01 12 0d 12 0b 08 ff ff ff ff ff ff ff ff ff 01", TN_MALFORMED,
      "dimension -1" },
    { "unknown rank", HEADER, "08 01 12 02 18 01", TN_MALFORMED,
      "a tensor of unknown rank" },
    { "too many elements", HEADER,
      "08 01 12 18 12 0a 08 ff ff ff ff ff ff ff ff 7f"
      "12 0a 08 ff ff ff ff ff ff ff ff 7f",
      TN_MALFORMED, "a shape of too many elements to count" },
    { "size for another type", HEADER, F32_2 "28 10", TN_MALFORMED,
      "16 bytes of data, type and shape need 8" },
    { "shard 1 of 1", HEADER, F32_2 "18 01 28 08", TN_MALFORMED,
      "shard 1 of 1" },
    { "no shards", "10 00", F32_2 "28 08", TN_MALFORMED, "shard 0 of 0" },
    { "a shard that is not there", "08 02", F32_2 "28 08", TN_NOT_FOUND,
      "no such file" },
    { "past the end", HEADER, F32_2 "20 01 28 08", TN_TRUNCATED,
      "need 8 bytes at 1, the file has 8" },
    { "negative offset", HEADER, F32_2 "20 ff ff ff ff ff ff ff ff ff 01 28 08",
      TN_TRUNCATED, "need 8 bytes at 18446744073709551615, the file has 8" },
    { "strings without room", HEADER, "08 07 12 04 12 02 08 09 28 08",
      TN_MALFORMED, "9 strings in 8 bytes" },
    { "no strings but bytes", HEADER, "08 07 12 02 12 00 28 08", TN_MALFORMED,
      "0 strings in 8 bytes" },
    { "slice of another rank", HEADER, F32_2 "3a 00", TN_MALFORMED,
      "slice 0 has 0 dimensions, the tensor 1" },
    { "slice of length 0", HEADER, F32_2 "3a 04 0a 02 10 00", TN_MALFORMED,
      "a slice of length 0" },
    { "slice that is not there", HEADER, F32_2 "3a 04 0a 02 10 02",
      TN_MALFORMED, "a slice that is listed is not in the table" },
    { "slice listed twice", HEADER, F32_2 "3a 04 0a 02 10 01 3a 04 0a 02 10 01",
      TN_MALFORMED, "a slice is listed twice" },
    { "varint for a message", HEADER, "08 01 10 01", TN_MALFORMED,
      "field 2 is a varint, it should be length-prefixed" },
    { "cut short", HEADER, "08 01 12 7f", TN_TRUNCATED,
      "need 127 bytes, 0 left" },
};

/* "name", element 0: float, [1]. */
static void put_first_slice(struct tn_sstable_writer *w)
{
    static const struct tn_tf_extent first = { 0, 1 };
    struct tn_bytes  entry = tn_hex("08 01 12 04 12 02 08 01 28 04");
    struct tn_buffer key;

    tn_buffer_init(&key, &memory, &error);
    tn_tf_slice_key_put(&key, tn_text("name"), &first, 1);
    tn_sstable_add(w, tn_buffer_bytes(&key), entry);
    tn_buffer_done(&key);
    free((void *)(uintptr_t)entry.data);
}

static void complains_about_each_lie(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct tn_tf_bundle      index;
        struct tn_source         table;
        struct tn_sstable_writer w;
        struct tn_bytes          entry = tn_hex(lies[i].entry);
        struct tn_bytes header = tn_hex(lies[i].header ? lies[i].header : "");
        start(NULL);
        tn_buffer_add(add_file("x.data-00000-of-00001"),
                      tn_bytes("\0\0\0\0\0\0\x80\x3f", 8));
        tn_sstable_writer_init(&w, &add_file("x.index")->sink, &memory, &error);
        if (lies[i].header)
            tn_sstable_add(&w, tn_bytes("", 0), header);
        put_first_slice(&w);
        tn_sstable_add(&w, tn_text("name"), entry);
        tn_sstable_finish(&w);
        tn_sstable_writer_done(&w);
        if (open_table(&index, &table) != lies[i].status ||
            strcmp(error.what, lies[i].complaint))
            fail_msg("%s: %s", lies[i].name, error.what);
        if (!tn_failed(&error))
            tn_tf_bundle_close(&index);
        else
            assert_true(error.file[0] != '\0');
        error = (struct tn_error)TN_ERROR_INIT;
        tn_source_close(&table);
        files_done();
        free((void *)(uintptr_t)entry.data);
        free((void *)(uintptr_t)header.data);
    }
}

/* ---- hostility ---------------------------------------------------------- */

static void survives_hostility(void **state)
{
    uint8_t source[64];

    (void)state;
    write_mixed(source);
    tn_survives_hostility(read_bytes, file_bytes("x.index"));
}

static void survives_hostility_with_slices(void **state)
{
    (void)state;
    write_sliced(tilings[4].slices, tilings[4].count, tilings[4].dims, true);
    tn_survives_hostility(read_bytes, file_bytes("x.index"));
}

static enum tn_status write_with(struct tn_bytes   input,
                                 struct tn_memory *budget,
                                 struct tn_error  *complaint)
{
    struct tn_source            table;
    struct tn_tf_bundle         index;
    struct tn_tf_bundle_tensor  tensors[8];
    struct tn_tf_bundle_options options = { 0 };

    tn_source_memory(&table, budget, input);
    files.memory   = budget;
    unsigned count = files.count;
    if (tn_tf_bundle_read(&index, &table, "x", open_file, &files, complaint) ==
        TN_OK) {
        for (uint64_t i = 0; i < index.count; i++)
            tensors[i] =
                (struct tn_tf_bundle_tensor){ index.entries[i]->key,
                                              &index.entries[i]->elements };
        tn_tf_bundle_write_to(make_file, &files, "y", tensors, index.count,
                              &options, budget, complaint);
        tn_tf_bundle_close(&index);
    }
    while (files.count > count)
        tn_buffer_done(&files.file[--files.count].bytes);
    tn_source_close(&table);
    return complaint->status;
}

static void writing_survives_no_memory(void **state)
{
    uint8_t source[64];

    (void)state;
    write_mixed(source);
    tn_survives_no_memory(write_with, file_bytes("x.index"));
}

/* A source of the disk that refuses the n-th read. */
struct failing {
    struct tn_source source; /* first */
    struct tn_bytes  bytes;
    unsigned        *left;
};

static enum tn_status fail_read_at(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size, struct tn_error *e)
{
    struct failing *f = (struct failing *)source;

    if (*f->left == 0)
        return tn_error_set(e, TN_IO, TN_NOWHERE, "the disk is gone");
    --*f->left;
    memcpy(to, f->bytes.data + offset, size);
    return TN_OK;
}

static void fail_close(struct tn_source *source)
{
    (void)source;
}

static const struct tn_source_ops failing_ops = { fail_read_at, fail_close };

static void failing_init(struct failing *f, const char *name, unsigned *left)
{
    struct tn_bytes bytes = file_bytes(name);

    tn_source_memory(&f->source, &memory, bytes);
    f->source.ops  = &failing_ops;
    f->source.map  = NULL;
    f->source.name = name;
    f->bytes       = bytes;
    f->left        = left;
}

static enum tn_status open_failing(void *context, const char *name,
                                   struct tn_source **source,
                                   struct tn_error   *e)
{
    struct failing *shards = context;

    (void)e;
    *source = &shards[!strcmp(name, shards[1].source.name)].source;
    return TN_OK;
}

static void survives_failing_reads(void **state)
{
    uint8_t        source[64];
    enum tn_status status = TN_IO;

    (void)state;
    write_mixed(source);
    for (unsigned n = 0; status != TN_OK; n++) {
        struct failing      table, shards[2];
        struct tn_tf_bundle index;
        unsigned            left = n;
        error                    = (struct tn_error)TN_ERROR_INIT;
        failing_init(&table, "x.index", &left);
        failing_init(&shards[0], "x.data-00000-of-00002", &left);
        failing_init(&shards[1], "x.data-00001-of-00002", &left);
        if (tn_tf_bundle_read(&index, &table.source, "x", open_failing, shards,
                              &error) == TN_OK) {
            for (uint64_t i = 0; i < index.count && !tn_failed(&error); i++)
                tn_tf_bundle_check_entry(index.entries[i], &memory, &error);
            tn_tf_bundle_close(&index);
        }
        status = error.status;
        assert_true(status == TN_OK || status == TN_IO);
        assert_true(status == TN_OK || error.file[0]);
        tn_source_close(&table.source);
        tn_source_close(&shards[0].source);
        tn_source_close(&shards[1].source);
        assert_true(n < 100);
    }
}

/* ---- past 4 GiB --------------------------------------------------------- */

#define FAR (UINT64_C(5) << 30)

/* uint8 [5 GiB], all zeros, which nobody has time to read. */
static void put_hole(struct tn_sstable_writer *w)
{
    struct tn_buffer value;

    tn_buffer_init(&value, &memory, &error);
    tn_buffer_add(&value, tn_bytes("\x08\x04\x12\x08\x12\x06\x08", 7));
    tn_buffer_varint(&value, FAR);
    tn_buffer_byte(&value, 0x28);
    tn_buffer_varint(&value, FAR);
    tn_buffer_byte(&value, 0x35);
    tn_buffer_u32(&value, tn_crc32c_mask(tn_crc32c_zeros(0, FAR)));
    tn_sstable_add(w, tn_text("hole"), tn_buffer_bytes(&value));
    tn_buffer_done(&value);
}

/* A sparse data file, and an index that points far into it. */
static void write_far(const char *folder)
{
    static const float       numbers[6] = { 0, 1, 2, 3, 4, 5 };
    static const uint64_t    six[]      = { 6 };
    char                     path[80];
    struct tn_sstable_writer w;
    struct tn_buffer         value, table;

    snprintf(path, sizeof path, "%s/x.data-00000-of-00001", folder);
    FILE *data = fopen(path, "wb");
    assert_non_null(data);
    assert_int_equal(fseeko(data, (off_t)FAR, SEEK_SET), 0);
    assert_int_equal(fwrite(numbers, sizeof numbers, 1, data), 1);
    fclose(data);
    tn_buffer_init(&value, &memory, &error);
    tn_buffer_init(&table, &memory, &error);
    put_type(&value, six, 1);
    tn_buffer_byte(&value, 0x20);
    tn_buffer_varint(&value, FAR);
    tn_buffer_add(&value, tn_bytes("\x28\x18\x35", 3));
    tn_buffer_u32(&value,
                  tn_crc32c_mask(tn_crc32c(0, numbers, sizeof numbers)));
    tn_sstable_writer_init(&w, &table.sink, &memory, &error);
    tn_sstable_add(&w, tn_bytes("", 0), tn_bytes("\x08\x01", 2));
    tn_sstable_add(&w, tn_text("far"), tn_buffer_bytes(&value));
    put_hole(&w);
    tn_sstable_finish(&w);
    snprintf(path, sizeof path, "%s/x.index", folder);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(table.data, table.size, 1, file), 1);
    fclose(file);
    tn_sstable_writer_done(&w);
    tn_buffer_done(&value);
    tn_buffer_done(&table);
}

static void reads_past_4_gib(void **state)
{
    char folder[] = "/tmp/tf_bundle_far_XXXXXX", path[80];

    (void)state;
    assert_non_null(mkdtemp(folder));
    write_far(folder);
    for (int is_unmapped = 0; is_unmapped < 2; is_unmapped++) {
        struct tn_bundle_options options = { .keep_unmapped = is_unmapped };
        struct tn_bundle         bundle;
        struct tn_tf_bundle      index;
        tn_bundle_open(&bundle, &memory, folder, &options, &error);
        tn_tf_bundle_open(&index, &bundle, "x", &error);
        assert_int_equal(error.status, TN_OK);
        expect_counting(&index, "far", 6);
        assert_int_equal(index.count, 2);
        tn_tf_bundle_check_entry(index.entries[0], &memory, &error);
        tn_tf_bundle_check_entry(index.entries[1], &memory, &error);
        if (tn_failed(&error))
            fail_msg("%s: %s", error.where, error.what);
        tn_tf_bundle_close(&index);
        tn_bundle_close(&bundle);
    }
    snprintf(path, sizeof path, "%s/x.index", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/x.data-00000-of-00001", folder);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_real_checkpoints),
        TEST(rewrites_real_checkpoints_byte_for_byte),
        TEST(what_we_write_comes_back),
        TEST(checks_find_every_flip),
        TEST(refuses_what_no_checkpoint_can_hold),
        TEST(goes_through_the_disk),
        TEST(slices_become_one_tensor),
        TEST(complains_about_each_lie),
        TEST(survives_hostility),
        TEST(survives_hostility_with_slices),
        TEST(writing_survives_no_memory),
        TEST(survives_failing_reads),
        TEST(reads_past_4_gib),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
