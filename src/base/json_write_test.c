/* json_write_test.c - commas, indentation, escapes */
#include "support/hostile.h"

#include <math.h>

#include "base/buffer.h"
#include "base/json_write.h"

static void write_sample(struct tn_json_writer *w)
{
    tn_json_object_begin(w);
    tn_json_key(w, "name");
    tn_json_text(w, "a\"b\\c\n\x01\u00e9");
    tn_json_key(w, "list");
    tn_json_array_begin(w);
    tn_json_put_int64(w, -5);
    tn_json_put_uint64(w, UINT64_MAX);
    tn_json_put_double(w, 0.1);
    tn_json_put_double(w, (double)-INFINITY);
    tn_json_bool(w, true);
    tn_json_null(w);
    tn_json_raw(w, tn_text("[0]"));
    tn_json_array_end(w);
    tn_json_key_bytes(w, tn_bytes("k\0y", 3));
    tn_json_object_begin(w);
    tn_json_object_end(w);
    tn_json_key(w, "none");
    tn_json_array_begin(w);
    tn_json_array_end(w);
    tn_json_object_end(w);
}

static enum tn_status write_with(struct tn_bytes   unused,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_buffer      out;
    struct tn_json_writer w;

    (void)unused;
    tn_buffer_init(&out, memory, error);
    tn_json_writer_init(&w, &out.sink, true, error);
    write_sample(&w);
    tn_buffer_done(&out);
    return error->status;
}

static void writes(bool is_pretty, const char *expected)
{
    struct tn_memory      memory;
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_buffer      out;
    struct tn_json_writer w;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    tn_json_writer_init(&w, &out.sink, is_pretty, &error);
    write_sample(&w);
    assert_string_equal(tn_buffer_string(&out), expected);
    tn_buffer_done(&out);
}

static void one_line(void **state)
{
    (void)state;
    writes(false, "{\"name\": \"a\\\"b\\\\c\\n\\u0001\u00e9\", \"list\": [-5, "
                  "18446744073709551615, 0.1, \"-Infinity\", true, null, [0]], "
                  "\"k\\u0000y\": {}, \"none\": []}");
}

static void pretty(void **state)
{
    (void)state;
    writes(true, "{\n  \"name\": \"a\\\"b\\\\c\\n\\u0001\u00e9\",\n"
                 "  \"list\": [\n    -5,\n    18446744073709551615,\n"
                 "    0.1,\n    \"-Infinity\",\n    true,\n    null,\n"
                 "    [0]\n  ],\n  \"k\\u0000y\": {},\n  \"none\": []\n}");
}

static void bytes_that_are_not_text_are_replaced(void **state)
{
    struct tn_memory      memory;
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_buffer      out;
    struct tn_json_writer w;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    tn_json_writer_init(&w, &out.sink, false, &error);
    tn_json_string_begin(&w);
    tn_json_string_piece(&w, tn_text("a\xff\xe2\x82z"));
    tn_json_string_piece(&w, tn_text("\n"));
    tn_json_string_end(&w);
    assert_string_equal(tn_buffer_string(&out), "\"a\ufffd\ufffd\ufffdz\\n\"");
    tn_buffer_done(&out);
}

static void what_steers_a_terminal_goes_by_number(void **state)
{
    struct tn_memory      memory;
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_buffer      out;
    struct tn_json_writer w;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    tn_json_writer_init(&w, &out.sink, false, &error);
    tn_json_string(&w, tn_text("\x1b\x7f\xc2\x80\xc2\x9b\xc2\xa0\xd8\x9c"
                               "\xe2\x80\x8e\xe2\x80\xae\xe2\x81\xa6"
                               "\xf3\xa0\x80\x81\xf0\x9f\x8e\x89"));
    assert_string_equal(tn_buffer_string(&out),
                        "\"\\u001b\\u007f\\u0080\\u009b\xc2\xa0\\u061c"
                        "\\u200e\\u202e\\u2066\\udb40\\udc01"
                        "\xf0\x9f\x8e\x89\"");
    tn_buffer_done(&out);
}

static void minus_zero_keeps_its_sign(void **state)
{
    struct tn_memory      memory;
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_buffer      out;
    struct tn_json_writer w;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    tn_json_writer_init(&w, &out.sink, false, &error);
    tn_json_put_double(&w, -0.0);
    assert_string_equal(tn_buffer_string(&out), "-0.0");
    tn_buffer_done(&out);
}

static void failures_stick(void **state)
{
    (void)state;
    tn_survives_no_memory(write_with, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line),
        cmocka_unit_test(pretty),
        cmocka_unit_test(bytes_that_are_not_text_are_replaced),
        cmocka_unit_test(what_steers_a_terminal_goes_by_number),
        cmocka_unit_test(minus_zero_keeps_its_sign),
        cmocka_unit_test(failures_stick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
