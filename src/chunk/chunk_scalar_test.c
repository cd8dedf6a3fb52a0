/*
 * chunk_scalar_test.c - numbers as chunks: what writers may give, what readers
 * take, and what a number becomes
 */
#include "chunk/chunk_scalar.h"

#include "chunk/chunk_judge.h"

static struct judge                judge;
static const struct tn_pb_message *all;

static int begin(void **state)
{
    (void)state;
    judge_open(&judge);
    all = tn_pb_schema_find(&judge.new, "new.Everything");
    return 0;
}

static int end(void **state)
{
    (void)state;
    judge_close(&judge);
    return 0;
}

/* good: every merger reads it; read: ours does; made: what the number is then,
 * NULL: the same text. */
static const struct {
    const char *field, *text;
    bool        is_good, is_read;
    const char *made;
} texts[] = {
    { "f_int32", "-2147483648", true, true, NULL },
    { "f_int32", "2147483648", false, false, NULL },
    { "f_int32", "", false, false, NULL },
    { "f_int32", "12x", false, false, NULL },
    { "f_int32", " 12", false, false, NULL },
    { "f_int32", "1e3", false, true, "1000" },
    { "f_int32", "True", false, false, NULL },
    { "f_uint32", "4294967295", true, true, NULL },
    { "f_uint32", "-1", false, false, NULL },
    { "f_int64", "-9223372036854775808", true, true, NULL },
    { "f_uint64", "18446744073709551615", true, true, NULL },
    { "f_uint64", "18446744073709551616", false, false, NULL },
    { "f_sint32", "-7", true, true, NULL },
    { "f_sfixed64", "-7", true, true, NULL },
    { "f_fixed32", "7", true, true, NULL },
    { "f_bool", "true", true, true, NULL },
    { "f_bool", "false", true, true, NULL },
    { "f_bool", "True", false, true, "false" },
    { "f_bool", "1", false, true, "false" },
    { "f_enum", "TWO", true, true, NULL },
    { "f_enum", "2", false, false, NULL },
    { "f_enum", "NONE", false, false, NULL },
    { "f_float", "0.1", true, true, NULL },
    { "f_float", "inf", true, true, NULL },
    { "f_float", "-inf", true, true, NULL },
    { "f_float", "nan", true, true, NULL },
    { "f_float", "1e39", false, true, "inf" },
    { "f_float", "0.10000000149011612", true, true, "0.1" },
    { "f_double", "1e39", true, true, "1e+39" },
    { "f_double", "1e400", false, true, "inf" },
    { "f_double", "abc", false, false, NULL },
};

static void assert_chunk(const char *name, enum tn_scalar_form form,
                         struct tn_bytes chunk, bool is_good, bool is_read,
                         struct tn_bytes made)
{
    const struct tn_pb_field_type *field =
        tn_pb_message_field_named(all, tn_text(name));
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_source source;
    uint64_t         bits = 0;

    assert_non_null(field);
    assert_int_equal(tn_scalar_check(field, form, chunk, &error),
                     is_good ? TN_OK : TN_INVALID);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_source_memory(&source, &judge.memory, chunk);
    assert_int_equal(tn_scalar_read(field, form,
                                    (struct tn_span){ &source, 0, chunk.size },
                                    &bits, &error),
                     is_read ? TN_OK : TN_MALFORMED);
    if (is_read) {
        struct tn_bytes now =
            tn_scalar_make(field, form, bits, &judge.arena, &error);
        assert_int_equal(now.size, made.size);
        assert_memory_equal(now.data, made.data, made.size);
    }
    tn_source_close(&source);
}

static void test_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        print_message("%s: %s\n", texts[i].field, texts[i].text);
        assert_chunk(texts[i].field, TN_SCALARS_TEXT, tn_text(texts[i].text),
                     texts[i].is_good, texts[i].is_read,
                     tn_text(texts[i].made ? texts[i].made : texts[i].text));
    }
}

/* What numpy's tobytes() gives on a little-endian machine. */
static const struct {
    const char *field, *bytes;
    size_t      size;
    bool        is_good;
} binaries[] = {
    { "f_int32", "\xfe\xff\xff\xff", 4, true },
    { "f_int32", "12", 2, false },
    { "f_int32", "1234567", 8, false },
    { "f_sint32", "\xfe\xff\xff\xff", 4, true },
    { "f_uint32", "\xff\xff\xff\xff", 4, true },
    { "f_int64", "\xfe\xff\xff\xff\xff\xff\xff\xff", 8, true },
    { "f_fixed64", "\x01\0\0\0\0\0\0\x80", 8, true },
    { "f_float", "\0\0\x80\x3f", 4, true },
    { "f_double", "\0\0\0\0\0\0\xf0\x3f", 8, true },
    { "f_double", "\0\0\x80\x3f", 4, false },
    { "f_bool", "\1", 1, true },
    { "f_bool", "true", 4, false },
    { "f_enum", "\2\0\0\0", 4, true },
};

static void test_binary(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        struct tn_bytes bytes =
            tn_bytes((const uint8_t *)binaries[i].bytes, binaries[i].size);
        assert_chunk(binaries[i].field, TN_SCALARS_BINARY, bytes,
                     binaries[i].is_good, binaries[i].is_good, bytes);
    }
}

/* Nobody asked for the binary form: it is text that makes no sense.  To other
 * mergers every text but "true" is false. */
static void test_binary_is_not_guessed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        struct tn_bytes bytes =
            tn_bytes((const uint8_t *)binaries[i].bytes, binaries[i].size);
        bool is_bool = !strcmp(binaries[i].field, "f_bool");
        if (binaries[i].is_good)
            assert_chunk(binaries[i].field, TN_SCALARS_TEXT, bytes, false,
                         is_bool, tn_text("false"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_binary_is_not_guessed),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
