/* st_header_test.c - headers and layouts, friendly and hostile */
#define _GNU_SOURCE
#include "format/safetensors/st_header.h"
#include "format/weight_map.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"

/* Length, header, and `data` zero bytes; the caller frees it. */
static struct tn_bytes make_file(const char *header, size_t data)
{
    size_t   length = strlen(header);
    uint8_t *all    = calloc(1, 8 + length + data);

    assert_non_null(all);
    for (unsigned i = 0; i < 8; i++)
        all[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(all + 8, header, length);
    return tn_bytes(all, 8 + length + data);
}

/* What was found: the status, where, and the rules a report was given. */
struct outcome {
    struct tn_error error;
    uint64_t        tensors, metadata;
    char            rules[200];
    bool            is_strict; /* no report */
};

static int note_rule(void *context, enum tn_finding_level level,
                     const char *rule, const struct tn_error *finding)
{
    struct outcome *o    = context;
    size_t          used = strlen(o->rules);

    (void)level;
    assert_true(finding->what[0] != '\0');
    snprintf(o->rules + used, sizeof o->rules - used, "%s%s", used ? " " : "",
             rule);
    return 0;
}

static enum tn_status read_bytes(struct tn_bytes   bytes,
                                 struct tn_memory *memory, struct outcome *o)
{
    struct tn_report  report = { .each = note_rule, .context = o };
    struct tn_source  source;
    struct tn_arena   arena;
    struct tn_st_file file;

    tn_source_memory(&source, memory, bytes);
    tn_arena_init(&arena, memory);
    tn_st_file_init(&file, memory);
    tn_st_file_read(&file, &source, &arena, o->is_strict ? NULL : &report,
                    &o->error);
    o->tensors  = file.tensors.count;
    o->metadata = file.metadata.count;
    tn_st_file_done(&file);
    tn_arena_done(&arena);
    tn_source_close(&source);
    return o->error.status;
}

#define T(name, type, shape, range)                                            \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape                    \
    ",\"data_offsets\":" range "}"

/* clang-format off */
static const struct {
    const char    *name, *header;
    size_t         data;
    enum tn_status status;
    uint64_t       offset; /* of the complaint */
    const char    *rules;  /* what check says; "!" when the header is unreadable */
} cases[] = {
    { "nothing inside", "{}", 0, TN_OK, 0, "" },
    { "one", "{" T("a", "F32", "[2,2]", "[0,16]") "}", 16, TN_OK, 0, "unaligned" },
    { "padded", "{" T("a", "F32", "[2,2]", "[0,16]") "}       ", 16, TN_OK, 0, "" },
    { "metadata", "{\"__metadata__\":{\"k\":\"v\"}}", 0, TN_OK, 0, "" },
    { "a scalar", "{" T("a", "U8", "[]", "[0,1]") "}", 1, TN_OK, 0, "" },
    { "an empty one", "{" T("a", "U8", "[0,9]", "[0,0]") "}", 0, TN_OK, 0, "" },
    { "two, backwards", "{" T("a", "I8", "[1]", "[1,2]") "," T("b", "I8", "[1]", "[0,1]") "}", 2, TN_OK, 0, "" },
    { "4 bits", "{" T("a", "F4", "[2,3]", "[0,3]") "}", 3, TN_OK, 0, "" },
    { "an unknown key", "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":[{}]}}", 1, TN_OK, 0, "unknown-key" },
    { "half a byte", "{" T("a", "F4", "[3]", "[0,2]") "}", 2, TN_MALFORMED, 9, "wrong-size" },
    { "6 bits", "{" T("a", "F6_E2M3", "[4]", "[0,3]") "}", 3, TN_UNSUPPORTED, 22, "unsupported-dtype" },
    { "no such type", "{" T("a", "F33", "[4]", "[0,3]") "}", 3, TN_UNSUPPORTED, 22, "unknown-dtype trailing-data" },
    { "no header", "", 0, TN_TRUNCATED, 8, "!" },
    { "an array", "[]", 0, TN_MALFORMED, 8, "!" },
    { "a space first", " {}", 0, TN_MALFORMED, 8, "!" },
    { "something after", "{}{}", 0, TN_MALFORMED, 10, "!" },
    { "zeros after", "{}\" \"", 0, TN_MALFORMED, 10, "!" },
    { "unclosed", "{" T("a", "U8", "[1]", "[0,1]"), 1, TN_TRUNCATED, 60, "!" },
    { "a comma too much", "{" T("a", "U8", "[1]", "[0,1]") ",}", 1, TN_MALFORMED, 61, "!" },
    { "not UTF-8", "{\"\xff\":{}}", 0, TN_MALFORMED, 10, "!" },
    { "no object", "{\"a\":7}", 0, TN_MALFORMED, 13, "!" },
    { "metadata of numbers", "{\"__metadata__\":{\"k\":1}}", 0, TN_MALFORMED, 29, "!" },
    { "metadata twice", "{\"__metadata__\":{},\"__metadata__\":{}}", 0, TN_MALFORMED, 27, "duplicate-key" },
    { "a name twice", "{" T("a", "I8", "[1]", "[0,1]") "," T("a", "I8", "[1]", "[1,2]") "}", 2, TN_MALFORMED, 61, "duplicate-name trailing-data" },
    { "the same name escaped", "{" T("a", "I8", "[1]", "[0,1]") "," T("\\u0061", "I8", "[1]", "[1,2]") "}", 2, TN_MALFORMED, 61, "duplicate-name trailing-data" },
    { "a key twice", "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, TN_MALFORMED, 27, "duplicate-key" },
    { "no shape", "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, TN_MALFORMED, 9, "missing-key trailing-data" },
    { "negative", "{" T("a", "U8", "[-1]", "[0,1]") "}", 1, TN_MALFORMED, 36, "!" },
    { "a float", "{" T("a", "U8", "[1.0]", "[0,1]") "}", 1, TN_MALFORMED, 36, "!" },
    { "an exponent", "{" T("a", "U8", "[1e0]", "[0,1]") "}", 1, TN_MALFORMED, 36, "!" },
    { "a text", "{" T("a", "U8", "[\"1\"]", "[0,1]") "}", 1, TN_MALFORMED, 36, "!" },
    { "past 2^64", "{" T("a", "U8", "[18446744073709551616]", "[0,1]") "}", 1, TN_MALFORMED, 36, "!" },
    { "a dimension past 2^63", "{" T("a", "U8", "[0,9223372036854775808]", "[0,0]") "}", 0, TN_MALFORMED, 9, "wrong-size" },
    { "a large dimension", "{" T("a", "U8", "[0,9223372036854775807]", "[0,0]") "}", 0, TN_OK, 0, "" },
    { "a product past 2^64", "{" T("a", "U8", "[4294967296,4294967296]", "[0,0]") "}", 0, TN_MALFORMED, 9, "wrong-size" },
    { "bytes past 2^64", "{" T("a", "F64", "[2305843009213693952]", "[0,0]") "}", 0, TN_MALFORMED, 9, "wrong-size" },
    { "one offset", "{" T("a", "U8", "[1]", "[0]") "}", 1, TN_MALFORMED, 56, "!" },
    { "three offsets", "{" T("a", "U8", "[1]", "[0,1,2]") "}", 1, TN_MALFORMED, 59, "!" },
    { "too short", "{" T("a", "U8", "[2]", "[0,1]") "}", 1, TN_MALFORMED, 9, "wrong-size" },
    { "too long", "{" T("a", "U8", "[1]", "[0,2]") "}", 2, TN_MALFORMED, 9, "wrong-size" },
    { "reversed", "{" T("a", "U8", "[1]", "[1,0]") "}", 1, TN_MALFORMED, 9, "reversed-range hole trailing-data" },
    { "a hole", "{" T("a", "U8", "[1]", "[0,1]") "," T("b", "U8", "[1]", "[2,3]") "}", 3, TN_MALFORMED, 61, "hole" },
    { "a hole in front", "{" T("a", "U8", "[1]", "[1,2]") "}", 2, TN_MALFORMED, 9, "hole" },
    { "an overlap", "{" T("a", "U8", "[2]", "[0,2]") "," T("b", "U8", "[2]", "[1,3]") "}", 3, TN_MALFORMED, 61, "overlap" },
    { "twice the same bytes", "{" T("a", "U8", "[2]", "[0,2]") "," T("b", "U8", "[2]", "[0,2]") "}", 2, TN_MALFORMED, 61, "overlap" },
    { "something at the end", "{" T("a", "U8", "[1]", "[0,1]") "}", 3, TN_MALFORMED, 62, "trailing-data" },
    { "cut off", "{" T("a", "U8", "[9]", "[0,9]") "}", 8, TN_TRUNCATED, 69, "truncated-data" },
    { "far away", "{" T("a", "U8", "[1]", "[18446744073709551614,18446744073709551615]") "}", 1, TN_MALFORMED, 9, "hole truncated-data" },
};
/* clang-format on */

static void headers_are_read_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes   file    = make_file(cases[i].header, cases[i].data);
        struct tn_guarded guarded = tn_guard(file);
        struct tn_memory  memory;
        struct outcome    o = { .error = TN_ERROR_INIT, .is_strict = true };
        tn_memory_init(&memory, NULL, 0);
        read_bytes(guarded.bytes, &memory, &o);
        if (o.error.status != cases[i].status ||
            (o.error.status && o.error.offset != cases[i].offset))
            fail_msg("%s: status %d at %d: %s", cases[i].name, o.error.status,
                     (int)o.error.offset, o.error.what);
        tn_unguard(&guarded);
        free((void *)(uintptr_t)file.data);
    }
}

static void a_report_names_every_defect(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes  file = make_file(cases[i].header, cases[i].data);
        struct tn_memory memory;
        struct outcome   o = { .error = TN_ERROR_INIT };
        tn_memory_init(&memory, NULL, 0);
        bool is_readable = read_bytes(file, &memory, &o) == TN_OK;
        if (is_readable == (cases[i].rules[0] == '!') ||
            (is_readable && strcmp(o.rules, cases[i].rules) != 0))
            fail_msg("%s: '%s', status %d: %s", cases[i].name, o.rules,
                     o.error.status, o.error.what);
        free((void *)(uintptr_t)file.data);
    }
}

static void lengths_are_believed_last(void **state)
{
    static const struct {
        const char    *hex;
        enum tn_status status;
        uint64_t       offset;
    } files[] = {
        { "", TN_TRUNCATED, 0 },
        { "02 00 00 00 00 00 00", TN_TRUNCATED, 0 },
        { "02 00 00 00 00 00 00 00 7b 7d", TN_OK, 0 },
        { "03 00 00 00 00 00 00 00 7b 7d", TN_TRUNCATED, 8 },
        { "00 e1 f5 05 00 00 00 00 7b 7d", TN_TRUNCATED, 8 },
        { "01 e1 f5 05 00 00 00 00 7b 7d", TN_LIMIT, 0 },
        { "ff ff ff ff ff ff ff ff 7b 7d", TN_LIMIT, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct tn_bytes  file = tn_hex(files[i].hex);
        struct tn_memory memory;
        struct outcome   o = { .error = TN_ERROR_INIT, .is_strict = true };
        tn_memory_init(&memory, NULL, 0);
        read_bytes(file, &memory, &o);
        assert_int_equal(o.error.status, files[i].status);
        if (o.error.status)
            assert_int_equal(o.error.offset, files[i].offset);
        free((void *)(uintptr_t)file.data);
    }
}

static void rank_has_a_limit(void **state)
{
    char             header[1000], *at = header;
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (int rank = 64; rank <= 65; rank++) {
        struct outcome o = { .error = TN_ERROR_INIT, .is_strict = true };
        at = header + sprintf(header, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1");
        for (int i = 1; i < rank; i++)
            at += sprintf(at, ",1");
        sprintf(at, "],\"data_offsets\":[0,1]}}");
        struct tn_bytes file = make_file(header, 1);
        assert_int_equal(read_bytes(file, &memory, &o),
                         rank == 64 ? TN_OK : TN_LIMIT);
        free((void *)(uintptr_t)file.data);
    }
}

static void every_type_has_its_size(void **state)
{
    char             header[200];
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(tn_st_type_count, 22);
    for (unsigned i = 0; i < tn_st_type_count; i++) {
        const struct tn_st_type *type = &tn_st_types[i];
        struct outcome o = { .error = TN_ERROR_INIT, .is_strict = true };
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"%s\",\"shape\":[4],\"data_offsets\":"
                 "[0,%u]}}",
                 type->name, type->bits / 2);
        struct tn_bytes file = make_file(header, type->bits / 2);
        assert_int_equal(read_bytes(file, &memory, &o),
                         type->dtype ? TN_OK : TN_UNSUPPORTED);
        if (type->dtype)
            assert_int_equal(tn_dtype_bits(type->dtype), type->bits);
        free((void *)(uintptr_t)file.data);
    }
}

static enum tn_status under_test(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct outcome o = { .error = TN_ERROR_INIT, .is_strict = true };

    read_bytes(input, memory, &o);
    *error = o.error;
    return o.error.status;
}

static void survives_hostility(void **state)
{
    struct tn_bytes good =
        make_file("{\"__metadata__\":{\"fo\\u0072mat\":\"pt\"}," T(
                      "a.b", "BF16", "[2,3]", "[0,12]") "," T("c", "F4", "[4]",
                                                              "[12,14]") "} ",
                  14);

    (void)state;
    tn_survives_hostility(under_test, good);
    free((void *)(uintptr_t)good.data);
}

/* ---- the index ---------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char    *name, *text;
    enum tn_status status;
    uint64_t       offset;
    uint64_t       entries;
} indices[] = {
    { "two", "{\"metadata\":{\"total_size\":3},\"weight_map\":{\"a\":\"x\",\"b\":\"y\"}}", TN_OK, 0, 2 },
    { "more keys", "{\"weight_map\":{\"a\":\"x\"},\"z\":[[{}]],\"metadata\":{\"q\":{}}}", TN_OK, 0, 1 },
    { "a float", "{\"weight_map\":{},\"metadata\":{\"total_size\":1.5e9}}", TN_OK, 0, 0 },
    { "no map", "{\"metadata\":{}}", TN_MALFORMED, 15, 0 },
    { "two maps", "{\"weight_map\":{},\"weight_map\":{}}", TN_MALFORMED, 17, 0 },
    { "a name twice", "{\"weight_map\":{\"a\":\"x\",\"a\":\"y\"}}", TN_MALFORMED, 23, 0 },
    { "a number for a file", "{\"weight_map\":{\"a\":1}}", TN_MALFORMED, 19, 0 },
    { "a text for a sum", "{\"metadata\":{\"total_size\":\"3\"}}", TN_MALFORMED, 26, 0 },
    { "an array", "[]", TN_MALFORMED, 0, 0 },
    { "nothing", "", TN_TRUNCATED, 0, 0 },
};
/* clang-format on */

static enum tn_status read_index(struct tn_bytes text, struct tn_memory *memory,
                                 uint64_t *entries, struct tn_error *error)
{
    struct tn_weight_map index;
    struct tn_source   source;
    struct tn_arena    arena;

    tn_source_memory(&source, memory, text);
    tn_arena_init(&arena, memory);
    tn_weight_map_init(&index, memory);
    tn_weight_map_read(&index, &source, &arena, error);
    *entries = index.places.count;
    tn_weight_map_done(&index);
    tn_arena_done(&arena);
    tn_source_close(&source);
    return error->status;
}

static void indices_are_read_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        struct tn_guarded guarded = tn_guard(tn_text(indices[i].text));
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_memory  memory;
        uint64_t          entries;
        tn_memory_init(&memory, NULL, 0);
        read_index(guarded.bytes, &memory, &entries, &error);
        if (error.status != indices[i].status ||
            (error.status ? error.offset != indices[i].offset
                          : entries != indices[i].entries))
            fail_msg("%s: status %d at %d: %s", indices[i].name, error.status,
                     (int)error.offset, error.what);
        tn_unguard(&guarded);
    }
}

static enum tn_status index_under_test(struct tn_bytes   input,
                                       struct tn_memory *memory,
                                       struct tn_error  *error)
{
    uint64_t entries;

    return read_index(input, memory, &entries, error);
}

static void an_index_survives_hostility(void **state)
{
    (void)state;
    tn_survives_hostility(index_under_test, tn_text(indices[0].text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read_strictly),
        cmocka_unit_test(a_report_names_every_defect),
        cmocka_unit_test(lengths_are_believed_last),
        cmocka_unit_test(rank_has_a_limit),
        cmocka_unit_test(every_type_has_its_size),
        cmocka_unit_test(survives_hostility),
        cmocka_unit_test(indices_are_read_strictly),
        cmocka_unit_test(an_index_survives_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
