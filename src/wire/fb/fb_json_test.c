/*
 * fb_json_test.c - JSON to FlatBuffers and back, every kind of field
 *
 * flatc's opinion on the same texts is in tests/judges/flatc_json.sh.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "support/fb_sample.h"
#include "support/hostile.h"
#include "wire/fb/fb_build.h"

static struct fb_sample sample;

static int open_sample(void **state)
{
    (void)state;
    return fb_sample_open(&sample) == TN_OK ? 0 : -1;
}

static int close_sample(void **state)
{
    (void)state;
    fb_sample_close(&sample);
    assert_int_equal(sample.memory.used, 0);
    return 0;
}

/* What comes back is the text without its white space, or what `again` says. */
static const struct {
    const char *type, *json, *again;
} good[] = {
    { "All", "{}", NULL },
    { "All", "{\"a_bool\": true, \"a_byte\": -128, \"a_ubyte\": 255}", NULL },
    { "All", "{\"a_short\": -32768, \"a_ushort\": 65535, \"an_int\": 0}",
      NULL },
    { "All", "{\"a_long\": -9223372036854775808}", NULL },
    { "All", "{\"a_ulong\": 18446744073709551615}", NULL },
    { "All", "{\"an_int\": -3, \"a_float\": 1.5, \"far\": \"Zero\"}", "{}" },
    { "All", "{\"maybe\": 0, \"maybe_bool\": false}", NULL },
    { "All", "{\"maybe\": null, \"text\": null}", "{}" },
    { "All", "{\"a_float\": 0.1, \"a_double\": 0.1}", NULL },
    { "All", "{\"a_float\": 1e+30, \"a_double\": 1e-300}", NULL },
    { "All", "{\"a_float\": \"nan\", \"a_double\": \"-inf\"}", NULL },
    { "All", "{\"a_float\": \"-Infinity\", \"a_double\": \"+inf\"}",
      "{\"a_float\": \"-inf\", \"a_double\": \"inf\"}" },
    { "All", "{\"a_float\": -0.0, \"floats\": [-0.0, -1.5]}", NULL },
    { "All", "{\"a_colour\": \"Blue\", \"far\": \"Low\"}", NULL },
    { "All", "{\"a_colour\": 8, \"far\": \"sample.flat.Far.High\"}",
      "{\"a_colour\": \"Blue\", \"far\": \"High\"}" },
    { "All", "{\"a_colour\": 77}", NULL },
    { "All", "{\"some_bits\": \"One Four\"}", NULL },
    { "All", "{\"some_bits\": 9}", NULL },
    { "All", "{\"a_bool\": \"true\", \"a_long\": \"12\"}",
      "{\"a_bool\": true, \"a_long\": 12}" },
    { "All", "{\"text\": \"\"}", NULL },
    { "All", "{\"text\": \"a\\u0000\\u0001\\\"\\\\\xc3\xa9\xf0\x9f\x98\x80\"}",
      NULL },
    { "All", "{\"point\": {\"x\": 1.5, \"y\": -2, \"n\": 3}}", NULL },
    { "All", "{\"point\": {\"n\": 3, \"y\": -2, \"x\": 1.5}}",
      "{\"point\": {\"x\": 1.5, \"y\": -2, \"n\": 3}}" },
    { "All",
      "{\"deep\": {\"mark\": 1, \"points\": [{\"x\": 1, \"y\": 2, \"n\": 3}, "
      "{\"x\": 4, \"y\": 5, \"n\": 6}], \"marks\": [7, 8, 9], \"colour\": "
      "\"Red\", \"inner\": {\"x\": 1, \"y\": 2, \"n\": 3}}}",
      NULL },
    { "All",
      "{\"wide\": {\"bytes\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
      "15, -16]}}",
      NULL },
    { "All", "{\"leaf\": {\"text\": \"x\"}, \"again\": {\"again\": {}}}",
      NULL },
    { "All", "{\"any_type\": \"Leaf\", \"any\": {\"number\": 1}}", NULL },
    { "All", "{\"any\": {\"number\": 1}, \"any_type\": \"Leaf\"}",
      "{\"any_type\": \"Leaf\", \"any\": {\"number\": 1}}" },
    { "All",
      "{\"any\": {\"any\": {\"text\": \"in\"}, \"any_type\": \"Leaf\"}, "
      "\"text\": \"t\", \"any_type\": \"All\"}",
      "{\"text\": \"t\", \"any_type\": \"All\", \"any\": {\"any_type\": "
      "\"Leaf\", \"any\": {\"text\": \"in\"}}}" },
    { "All", "{\"bools\": [true, false], \"bytes\": [-1, 2]}", NULL },
    { "All", "{\"ubytes\": [], \"shorts\": [1], \"ints\": [-1, 2, 3]}", NULL },
    { "All", "{\"longs\": [1, 2, 3], \"ulongs\": [18446744073709551615]}",
      NULL },
    { "All", "{\"doubles\": [1.5, \"nan\"], \"colours\": [\"Red\", 3]}", NULL },
    { "All", "{\"texts\": [\"a\", \"\"], \"leaves\": [{}, {\"number\": 8}]}",
      NULL },
    { "All",
      "{\"points\": [{\"x\": 1, \"y\": 2, \"n\": 3}, {\"x\": 4, \"y\": "
      "5, \"n\": 6}]}",
      NULL },
    { "All", "{\"needy\": [{\"name\": \"b\", \"id\": 2}]}", NULL },
    { "All", "{\"nested\": {\"text\": \"inside\", \"number\": 9}}", NULL },
    { "Mixed", "{\"one_type\": \"Words\", \"one\": \"hello\"}", NULL },
    { "Mixed",
      "{\"one_type\": \"Point\", \"one\": {\"x\": 1, \"y\": 2, \"n\": 3}}",
      NULL },
    { "Mixed",
      "{\"many_type\": [\"Leaf\", \"Point\", \"Words\", \"Mixed\"], \"many\": "
      "[{\"text\": \"q\"}, {\"x\": 1, \"y\": 2, \"n\": 3}, \"w\", "
      "{\"one_type\": \"Leaf\", \"one\": {}}]}",
      NULL },
    { "Mixed", "{\"many\": [\"w\"], \"many_type\": [\"Words\"]}",
      "{\"many_type\": [\"Words\"], \"many\": [\"w\"]}" },
};

static const struct {
    const char    *json;
    enum tn_status status;
    uint64_t       offset;
    const char    *where;
} bad[] = {
    { "", TN_TRUNCATED, 0, "" },
    { "[]", TN_MALFORMED, 0, "" },
    { "{\"nope\": 1}", TN_MALFORMED, 1, "" },
    { "{\"gone\": 1}", TN_MALFORMED, 1, "" },
    { "{\"a_byte\": 128}", TN_MALFORMED, 11, "a_byte" },
    { "{\"a_ubyte\": -1}", TN_MALFORMED, 12, "a_ubyte" },
    { "{\"an_int\": 1.5}", TN_MALFORMED, 11, "an_int" },
    { "{\"a_float\": true}", TN_MALFORMED, 12, "a_float" },
    { "{\"a_float\": \"nanny\"}", TN_MALFORMED, 12, "a_float" },
    { "{\"a_colour\": \"Pink\"}", TN_MALFORMED, 13, "a_colour" },
    { "{\"a_colour\": \"\"}", TN_MALFORMED, 13, "a_colour" },
    { "{\"some_bits\": \"One Nine\"}", TN_MALFORMED, 14, "some_bits" },
    { "{\"text\": 1}", TN_MALFORMED, 9, "text" },
    { "{\"text\": \"a\", \"text\": \"b\"}", TN_MALFORMED, 14, "" },
    { "{\"point\": {\"x\": 1, \"y\": 2}}", TN_MALFORMED, 25, "point" },
    { "{\"point\": {\"x\": 1, \"x\": 2, \"n\": 3}}", TN_MALFORMED, 19,
      "point" },
    { "{\"point\": {\"x\": 1, \"z\": 2}}", TN_MALFORMED, 19, "point" },
    { "{\"wide\": {\"bytes\": [1]}}", TN_MALFORMED, 21, "wide.bytes" },
    { "{\"leaf\": []}", TN_MALFORMED, 9, "leaf" },
    { "{\"texts\": [\"a\", 2]}", TN_MALFORMED, 16, "texts[1]" },
    { "{\"texts\": \"a\"}", TN_MALFORMED, 10, "texts" },
    { "{\"any\": {}}", TN_MALFORMED, 8, "any" },
    { "{\"any_type\": \"NONE\", \"any\": {}}", TN_MALFORMED, 28, "any" },
    { "{\"needy\": [{\"id\": 2}]}", TN_MALFORMED, 19, "needy[0]" },
    { "{\"nested\": {\"a\": 2}}", TN_MALFORMED, 12, "nested" },
    { "{} {}", TN_MALFORMED, 3, "" },
};

static void gives_back_what_it_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct tn_error            error = TN_ERROR_INIT;
        struct tn_buffer           bytes, again;
        const struct tn_fb_object *type =
            tn_fb_schema_find(&sample.schema, good[i].type);
        tn_buffer_init(&bytes, &sample.memory, &error);
        tn_buffer_init(&again, &sample.memory, &error);
        fb_sample_parse(&sample, type, tn_text(good[i].json), &bytes, &error);
        fb_sample_print(type, tn_buffer_bytes(&bytes), &again, &error);
        const char *want = good[i].again ? good[i].again : good[i].json;
        if (error.status)
            fail_msg("%s: %s: %s", good[i].json, error.where, error.what);
        again.size -= again.size > 0; /* the line's end */
        assert_string_equal(tn_buffer_string(&again), want);
        tn_buffer_done(&again);
        tn_buffer_done(&bytes);
    }
}

static void points_at_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_buffer bytes;
        tn_buffer_init(&bytes, &sample.memory, &error);
        fb_sample_parse(&sample, sample.all, tn_text(bad[i].json), &bytes,
                        &error);
        if (error.status != bad[i].status || error.offset != bad[i].offset ||
            strcmp(error.where, bad[i].where) != 0)
            fail_msg("%s: status %d at %d in '%s': %s", bad[i].json,
                     error.status, (int)error.offset, error.where, error.what);
        tn_buffer_done(&bytes);
    }
}

/* ---- hostility -------------------------------------------------------- */

static const char everything[] =
    "{\"a_bool\": true, \"text\": \"hello\", \"point\": {\"x\": 1, \"y\": 2, "
    "\"n\": 3}, \"leaf\": {\"text\": \"x\"}, \"any\": {\"number\": 1}, "
    "\"any_type\": \"Leaf\", \"longs\": [1, 2], \"texts\": [\"a\", \"\"], "
    "\"leaves\": [{}, {}], \"needy\": [{\"name\": \"b\"}], \"nested\": "
    "{\"text\": \"in\"}}";

static enum tn_status parse(struct tn_bytes input, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_buffer out;

    tn_buffer_init(&out, memory, error);
    fb_sample_parse(&sample, sample.all, input, &out, error);
    tn_buffer_done(&out);
    return error->status;
}

static enum tn_status print(struct tn_bytes input, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_buffer out;

    tn_buffer_init(&out, memory, error);
    fb_sample_print(sample.all, input, &out, error);
    tn_buffer_done(&out);
    return error->status;
}

static void survives_hostility(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer bytes;

    (void)state;
    tn_survives_hostility(parse, tn_text(everything));
    tn_buffer_init(&bytes, &sample.memory, &error);
    parse(tn_text(everything), &sample.memory, &error);
    fb_sample_parse(&sample, sample.all, tn_text(everything), &bytes, &error);
    assert_string_equal(error.what, "");
    tn_survives_every_flip(print, tn_buffer_bytes(&bytes));
    tn_survives_no_memory(print, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

static enum tn_status load(struct tn_bytes input, struct tn_memory *memory,
                           struct tn_error *error)
{
    struct tn_fb_schema schema;
    struct tn_arena     arena;

    tn_arena_init(&arena, memory);
    tn_fb_schema_load(&schema, &arena, input, error);
    tn_arena_done(&arena);
    return error->status;
}

static void schemas_survive_hostility(void **state)
{
    struct tn_bytes bfbs = tn_bytes(sample_flat, sizeof sample_flat);

    (void)state;
    tn_survives_every_flip(load, bfbs);
    tn_survives_no_memory(load, bfbs);
}

/* Eight levels of hundred references each to the next: a text of 100^8. */
static void bounds_what_is_shared(void **state)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_fb_builder b;
    struct tn_arena      arena;
    struct tn_rope       rope;
    struct tn_buffer     bytes, out;
    uint32_t             refs[100], table = 0;

    (void)state;
    tn_arena_init(&arena, &sample.memory);
    tn_rope_init(&rope, &arena, &error);
    tn_fb_build_init(&b, &arena, &error);
    uint32_t kinds =
        tn_fb_put_vector(&b, tn_bytes(memset(refs, 4, sizeof refs), 100), 1, 1);
    for (int level = 0; level < 8; level++) {
        tn_fb_begin(&b);
        if (level > 0) {
            for (int i = 0; i < 100; i++)
                refs[i] = table;
            uint32_t many = tn_fb_put_refs(&b, refs, 100);
            tn_fb_add_ref(&b, 2, kinds); /* Mixed.many_type, all Mixed */
            tn_fb_add_ref(&b, 3, many);
        }
        table = tn_fb_end(&b);
    }
    tn_fb_finish(&b, table, NULL, &rope);
    tn_buffer_init(&bytes, &sample.memory, &error);
    tn_buffer_init(&out, &sample.memory, &error);
    tn_rope_write(&rope, &bytes.sink, &error);
    assert_int_equal(error.status, TN_OK);
    fb_sample_print(sample.mixed, tn_buffer_bytes(&bytes), &out, &error);
    assert_int_equal(error.status, TN_LIMIT);
    assert_true(out.size < 100000000);
    tn_buffer_done(&out);
    tn_buffer_done(&bytes);
    tn_fb_build_done(&b);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

/* A strict dump tells what would be lost. */
static void refuses_to_lose(void **state)
{
    struct tn_fb_json_options strict = { .is_strict = true };
    struct tn_error           error  = TN_ERROR_INIT;
    struct tn_buffer          bytes, out;

    (void)state;
    tn_buffer_init(&bytes, &sample.memory, &error);
    tn_buffer_init(&out, &sample.memory, &error);
    fb_sample_parse(&sample, sample.all, tn_text("{\"text\": \"abc\"}"), &bytes,
                    &error);
    bytes.data[(uint8_t *)memmem(bytes.data, bytes.size, "abc", 3) -
               bytes.data] = 0xff;
    fb_sample_print_as(sample.all, &strict, tn_buffer_bytes(&bytes), &out,
                       &error);
    assert_int_equal(error.status, TN_UNSUPPORTED);
    assert_string_equal(error.where, "text");
    error = (struct tn_error)TN_ERROR_INIT;
    fb_sample_print(sample.all, tn_buffer_bytes(&bytes), &out, &error);
    assert_int_equal(error.status, TN_OK);

    /* Slot 17 means nothing to a Leaf. */
    const struct tn_fb_object *leaf = tn_fb_schema_find(&sample.schema, "Leaf");
    fb_sample_print_as(leaf, &strict, tn_buffer_bytes(&bytes), &out, &error);
    assert_int_equal(error.status, TN_UNSUPPORTED);
    tn_buffer_done(&out);
    tn_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_it_read),
        cmocka_unit_test(points_at_what_is_wrong),
        cmocka_unit_test(survives_hostility),
        cmocka_unit_test(schemas_survive_hostility),
        cmocka_unit_test(bounds_what_is_shared),
        cmocka_unit_test(refuses_to_lose),
    };

    return cmocka_run_group_tests(tests, open_sample, close_sample);
}
