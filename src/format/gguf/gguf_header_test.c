/* gguf_header_test.c - headers of GGUF files: read, refused, survived */
#include "format/gguf/gguf_header.h"

#include <stdlib.h>

#include "format/gguf/gguf_testing.h"
#include "support/tired.h"

static enum tn_status read_bytes(struct tn_bytes bytes,
                                 struct tn_memory *memory,
                                 struct tn_report *report,
                                 struct tn_error  *error)
{
    struct tn_source    source;
    struct tn_gguf_file file;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    tn_gguf_file_init(&file, memory);
    tn_gguf_file_read(&file, &source, memory, report, error);
    tn_gguf_file_done(&file);
    tn_source_close(&source);
    return error->status;
}

static enum tn_status read_plainly(struct tn_bytes   bytes,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    return read_bytes(bytes, memory, NULL, error);
}

static int drop_finding(void *context, enum tn_finding_level level,
                        const char *rule, const struct tn_error *finding)
{
    (void)context;
    (void)level;
    assert_true(rule[0] && finding->what[0]);
    return 0;
}

static enum tn_status read_reporting(struct tn_bytes   bytes,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_report report = { .each = drop_finding };

    return read_bytes(bytes, memory, &report, error);
}

/* ---- what is read --------------------------------------------------------- */

static void every_version_and_order_is_read(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++)
        for (unsigned is_big = 0; is_big < 2; is_big++) {
            struct tn_error     error = TN_ERROR_INIT;
            struct tn_memory    memory;
            struct tn_buffer    bytes;
            struct tn_source    source;
            struct tn_gguf_file file;
            tn_memory_init(&memory, NULL, 0);
            tn_buffer_init(&bytes, &memory, &error);
            struct gguf_making m = { &bytes, version, is_big };
            gguf_sample(&m);
            tn_source_memory(&source, &memory, tn_buffer_bytes(&bytes));
            source.name = "";
            tn_gguf_file_init(&file, &memory);
            if (tn_gguf_file_read(&file, &source, &memory, NULL, &error) !=
                TN_OK)
                fail_msg("version %u: %s", version, error.what);
            assert_int_equal(file.version, version);
            assert_int_equal(file.is_big, is_big);
            assert_int_equal(file.alignment, 64);
            assert_int_equal(file.pairs.count, 7);
            assert_int_equal(tn_gguf_find(&file, "a.u8")->bits, 200);
            assert_int_equal(tn_gguf_find(&file, "a.numbers")->count, 3);
            assert_int_equal(tn_gguf_find(&file, "a.texts")->value.length,
                             version == 1 ? 9 : 17);
            const struct tn_gguf_tensor *t =
                tn_list_at(&file.tensors, struct tn_gguf_tensor, 0);
            assert_int_equal(t->size, 4 * 34);
            assert_int_equal(t->dims[0], 2);
            assert_int_equal(t->dims[1], 64);
            assert_int_equal(file.data % 64, 0);
            tn_gguf_file_done(&file);
            tn_source_close(&source);
            tn_buffer_done(&bytes);
            assert_int_equal(memory.used, 0);
        }
}

/* ---- what is refused, and where ------------------------------------------- */

typedef void maker(struct gguf_making *m);

static void make_magic(struct gguf_making *m)
{
    tn_buffer_text(m->to, "GGUG");
}

static void make_version_4(struct gguf_making *m)
{
    m->version = 4;
    gguf_head(m, 0, 0);
}

static void make_many_tensors(struct gguf_making *m)
{
    gguf_head(m, UINT64_C(1) << 62, 0);
}

static void make_many_pairs(struct gguf_making *m)
{
    gguf_head(m, 0, UINT64_MAX);
}

static void make_long_key(struct gguf_making *m)
{
    gguf_head(m, 0, 1);
    gguf_size(m, UINT64_MAX);
    gguf_pad(m, 64);
}

static void make_long_text(struct gguf_making *m)
{
    gguf_head(m, 0, 1);
    gguf_pair(m, "k", TN_GGUF_STRING);
    gguf_size(m, UINT64_MAX - 7);
}

static void make_value_type(struct gguf_making *m)
{
    gguf_head(m, 0, 1);
    gguf_pair(m, "k", 13);
    gguf_pad(m, 64);
}

static void make_array_wraps(struct gguf_making *m)
{
    gguf_head(m, 0, 1);
    gguf_pair(m, "k", TN_GGUF_ARRAY);
    gguf_number(m, TN_GGUF_UINT64, 4);
    gguf_size(m, UINT64_C(1) << 61);
}

static void make_deep_arrays(struct gguf_making *m)
{
    gguf_head(m, 0, 1);
    gguf_pair(m, "k", TN_GGUF_ARRAY);
    for (unsigned i = 0; i < 20000; i++) {
        gguf_number(m, TN_GGUF_ARRAY, 4);
        gguf_size(m, 1);
    }
}

static void make_two_keys(struct gguf_making *m)
{
    gguf_head(m, 0, 2);
    gguf_pair_number(m, "k", TN_GGUF_UINT8, 1);
    gguf_pair_number(m, "k", TN_GGUF_UINT8, 1);
}

static void make_alignment_3(struct gguf_making *m)
{
    gguf_head(m, 0, 1);
    gguf_pair_number(m, "general.alignment", TN_GGUF_UINT32, 3);
}

static void make_alignment_type(struct gguf_making *m)
{
    gguf_head(m, 0, 1);
    gguf_pair_number(m, "general.alignment", TN_GGUF_UINT64, 32);
}

/* The largest power of two that the type holds: padding must not wrap. */
static void make_large_alignment(struct gguf_making *m)
{
    gguf_head(m, 1, 1);
    gguf_pair_number(m, "general.alignment", TN_GGUF_UINT32, 1u << 31);
    gguf_tensor(m, "t", 1, 4, 0, 0, 0);
    gguf_data(m, 64);
}

static void make_one(struct gguf_making *m, uint32_t rank, uint64_t ne0,
                     uint64_t ne1, uint32_t type, uint64_t offset)
{
    gguf_head(m, 1, 0);
    gguf_tensor(m, "t", rank, ne0, ne1, type, offset);
    gguf_pad(m, 32);
    gguf_data(m, 64);
}

static void make_rank_5(struct gguf_making *m)
{
    make_one(m, 5, 1, 1, 0, 0);
}

static void make_rank_huge(struct gguf_making *m)
{
    make_one(m, UINT32_MAX, 1, 1, 0, 0);
}

static void make_negative(struct gguf_making *m)
{
    make_one(m, 1, UINT64_MAX - 15, 1, 0, 0);
}

/* The product is zero modulo 2^64. */
static void make_product_zero(struct gguf_making *m)
{
    make_one(m, 2, UINT64_C(1) << 32, UINT64_C(1) << 32, 0, 0);
}

static void make_product_small(struct gguf_making *m)
{
    make_one(m, 2, (UINT64_C(1) << 60) + 1, 16, 24, 0);
}

static void make_bytes_wrap(struct gguf_making *m)
{
    make_one(m, 1, UINT64_C(1) << 62, 1, 0, 0);
}

static void make_odd_row(struct gguf_making *m)
{
    make_one(m, 1, 16, 1, 8, 0);
}

static void make_scalar_block(struct gguf_making *m)
{
    make_one(m, 0, 0, 0, 8, 0);
}

static void make_type_removed(struct gguf_making *m)
{
    make_one(m, 1, 32, 1, 4, 0);
}

static void make_type_unknown(struct gguf_making *m)
{
    make_one(m, 1, 32, 1, 43, 0);
}

static void make_misaligned(struct gguf_making *m)
{
    make_one(m, 1, 4, 1, 0, 4);
}

static void make_outside(struct gguf_making *m)
{
    make_one(m, 1, 17, 1, 0, 0);
}

static void make_offset_wraps(struct gguf_making *m)
{
    make_one(m, 1, 16, 1, 0, UINT64_MAX - 31);
}

static void make_overlap(struct gguf_making *m)
{
    gguf_head(m, 3, 0);
    gguf_tensor(m, "t", 1, 16, 0, 0, 0);
    gguf_tensor(m, "empty", 1, 0, 0, 0, 32);
    gguf_tensor(m, "u", 1, 4, 0, 0, 32);
    gguf_pad(m, 32);
    gguf_data(m, 64);
}

static void make_two_names(struct gguf_making *m)
{
    gguf_head(m, 2, 0);
    gguf_tensor(m, "t", 1, 4, 0, 0, 0);
    gguf_tensor(m, "t", 1, 4, 0, 0, 32);
    gguf_pad(m, 32);
    gguf_data(m, 64);
}

#define NAME_AT 24 /* of the first tensor of a file without pairs */

static const struct {
    const char    *name;
    maker         *make;
    enum tn_status status;
    uint64_t       offset;
} bad[] = {
    { "another magic", make_magic, TN_MALFORMED, 0 },
    { "version 4", make_version_4, TN_UNSUPPORTED, 4 },
    { "2^62 tensors", make_many_tensors, TN_MALFORMED, 8 },
    { "2^64 - 1 pairs", make_many_pairs, TN_MALFORMED, 16 },
    { "a long key", make_long_key, TN_TRUNCATED, 24 },
    { "a long text", make_long_text, TN_TRUNCATED, 37 },
    { "a value of type 13", make_value_type, TN_MALFORMED, 33 },
    { "an array whose bytes wrap", make_array_wraps, TN_TRUNCATED, 49 },
    { "arrays in arrays", make_deep_arrays, TN_LIMIT, 37 + 12 * 8 },
    { "a key twice", make_two_keys, TN_MALFORMED, 38 },
    { "alignment 3", make_alignment_3, TN_MALFORMED, 53 },
    { "alignment of another type", make_alignment_type, TN_MALFORMED, 53 },
    { "alignment 2^31", make_large_alignment, TN_TRUNCATED, 57 },
    { "5 dimensions", make_rank_5, TN_MALFORMED, NAME_AT + 9 },
    { "2^32 - 1 dimensions", make_rank_huge, TN_MALFORMED, NAME_AT + 9 },
    { "a negative dimension", make_negative, TN_MALFORMED, NAME_AT },
    { "a product of 0 modulo 2^64", make_product_zero, TN_MALFORMED, NAME_AT },
    { "a product of 16 modulo 2^64", make_product_small, TN_MALFORMED,
      NAME_AT },
    { "bytes that wrap", make_bytes_wrap, TN_MALFORMED, NAME_AT },
    { "half a block", make_odd_row, TN_MALFORMED, NAME_AT },
    { "a scalar of blocks", make_scalar_block, TN_MALFORMED, NAME_AT },
    { "a type that was removed", make_type_removed, TN_UNSUPPORTED,
      NAME_AT + 21 },
    { "an unknown type", make_type_unknown, TN_UNSUPPORTED, NAME_AT + 21 },
    { "a misaligned offset", make_misaligned, TN_MALFORMED, NAME_AT },
    { "past the end", make_outside, TN_TRUNCATED, NAME_AT },
    { "an offset that wraps", make_offset_wraps, TN_TRUNCATED, NAME_AT },
    { "overlapping tensors", make_overlap, TN_MALFORMED, 94 },
    { "a name twice", make_two_names, TN_MALFORMED, 57 },
};

static void hostile_headers_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer bytes;
        tn_memory_init(&memory, NULL, 1 << 20);
        tn_buffer_init(&bytes, &memory, &error);
        struct gguf_making m = { &bytes, 3, false };
        bad[i].make(&m);
        struct tn_guarded guarded = tn_guard(tn_buffer_bytes(&bytes));
        read_plainly(guarded.bytes, &memory, &error);
        if (error.status != bad[i].status || error.offset != bad[i].offset)
            fail_msg("%s: status %d at %llu: %s", bad[i].name, error.status,
                     (unsigned long long)error.offset, error.what);
        tn_unguard(&guarded);
        tn_buffer_done(&bytes);
        assert_int_equal(memory.used, 0);
    }
}

/* ---- hostility ------------------------------------------------------------ */

/* Without the padding of the last tensor a file still opens. */
static bool is_whole(struct tn_bytes prefix)
{
    return prefix.size >= 64 * 6 + 192 + 12;
}

static void headers_survive_hostility(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;

    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        struct tn_buffer bytes;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&bytes, &memory, &error);
        struct gguf_making m = { &bytes, version, version == 2 };
        gguf_sample(&m);
        struct tn_bytes good = tn_buffer_bytes(&bytes);
        if (version == 3)
            tn_refuses_every_prefix(read_plainly, good, is_whole);
        tn_survives_every_flip(read_plainly, good);
        tn_survives_every_flip(read_reporting, good);
        tn_survives_no_memory(read_plainly, good);
        tn_survives_no_memory(read_reporting, good);
        tn_buffer_done(&bytes);
    }
}

static enum tn_status read_tired(struct tn_source *source,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_gguf_file file;

    tn_gguf_file_init(&file, memory);
    tn_gguf_file_read(&file, source, memory, NULL, error);
    tn_gguf_file_done(&file);
    tn_source_close(source);
    return error->status;
}

static void headers_survive_failing_reads(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer bytes;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    struct gguf_making m = { &bytes, 3, false };
    gguf_sample(&m);
    tn_survives_failing_reads(read_tired, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_and_order_is_read),
        cmocka_unit_test(hostile_headers_are_refused),
        cmocka_unit_test(headers_survive_hostility),
        cmocka_unit_test(headers_survive_failing_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
