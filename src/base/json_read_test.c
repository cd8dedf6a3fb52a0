/* json_read_test.c - what JSON is, what it is not, and where it stops being */
#include "support/hostile.h"

#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"

/* Events as letters, texts in parentheses: {k(a)n(1)} */
static void spell(struct tn_json_reader *r, enum tn_json_event event,
                  struct tn_buffer *out)
{
    static const char letters[] = ".{}[]ksntf0";

    tn_buffer_byte(out, (uint8_t)letters[event]);
    if (event == TN_JSON_KEY || event == TN_JSON_STRING ||
        event == TN_JSON_NUMBER) {
        tn_buffer_byte(out, '(');
        tn_buffer_add(out, r->text);
        tn_buffer_byte(out, ')');
    }
}

static enum tn_status read_all(struct tn_cursor *c, struct tn_memory *memory,
                               struct tn_buffer *out)
{
    struct tn_json_reader r;
    enum tn_json_event    event;

    tn_json_open(&r, c, memory);
    while ((event = tn_json_next(&r)) != TN_JSON_END)
        spell(&r, event, out);
    tn_json_close(&r);
    return c->error->status;
}

static enum tn_status read_bytes(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_cursor c = tn_cursor_bytes(input, 0, error);
    struct tn_buffer out;

    tn_buffer_init(&out, memory, error);
    read_all(&c, memory, &out);
    tn_buffer_done(&out);
    return error->status;
}

/* A source that is not mapped: every token may straddle pinned blocks. */
struct slow {
    struct tn_source source;
    struct tn_bytes  bytes;
};

static enum tn_status slow_read(struct tn_source *source, uint64_t offset,
                                void *to, size_t size, struct tn_error *error)
{
    (void)error;
    memcpy(to, ((struct slow *)source)->bytes.data + offset, size);
    return TN_OK;
}

static void slow_close(struct tn_source *source)
{
    (void)source;
}

static const struct tn_source_ops slow_ops = { slow_read, slow_close };

static const struct {
    const char    *name, *text, *events;
    enum tn_status status;
    uint64_t       offset; /* where the complaint must point */
} cases[] = {
    { "object", "{}", "{}", TN_OK, 0 },
    { "array", " [ ] ", "[]", TN_OK, 0 },
    { "scalar", "\t\r\n12 ", "n(12)", TN_OK, 0 },
    { "words", "[true,false,null]", "[tf0]", TN_OK, 0 },
    { "nest", "{\"a\":[1,{\"b\":\"c\"}],\"d\":{}}",
      "{k(a)[n(1){k(b)s(c)}]k(d){}}", TN_OK, 0 },
    { "numbers", "[0,-0,1.5,-1e5,1E+2,2e-3,123456789012345678901234567890]",
      "[n(0)n(-0)n(1.5)n(-1e5)n(1E+2)n(2e-3)n(123456789012345678901234567890)]",
      TN_OK, 0 },
    { "escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "s(\"\\/\b\f\n\r\tz)",
      TN_OK, 0 },
    { "unicode", "\"\\u00e9\\u20AC\\ud83d\\ude00\"",
      "s(\u00e9\u20ac\U0001f600)", TN_OK, 0 },
    { "raw UTF-8", "\"\u00e9\u20ac\U0001f600\\n\"",
      "s(\u00e9\u20ac\U0001f600\n)", TN_OK, 0 },
    { "escaped key", "{\"\\u0061b\": 1}", "{k(ab)n(1)}", TN_OK, 0 },
    { "delete is fine", "\"\x7f\"", "s(\x7f)", TN_OK, 0 },

    { "nothing", "", "", TN_TRUNCATED, 0 },
    { "space only", "  ", "", TN_TRUNCATED, 2 },
    { "two values", "1 2", "n(1)", TN_MALFORMED, 2 },
    { "open array", "[1", "[n(1)", TN_TRUNCATED, 2 },
    { "trailing comma", "[1,]", "[n(1)", TN_MALFORMED, 3 },
    { "leading comma", "[,1]", "[", TN_MALFORMED, 1 },
    { "trailing comma in object", "{\"a\":1,}", "{k(a)n(1)", TN_MALFORMED, 7 },
    { "no colon", "{\"a\" 1}", "{", TN_MALFORMED, 5 },
    { "no value", "{\"a\":}", "{k(a)", TN_MALFORMED, 5 },
    { "bare key", "{a:1}", "{", TN_MALFORMED, 1 },
    { "single quotes", "'a'", "", TN_MALFORMED, 0 },
    { "wrong bracket", "[1}", "[n(1)", TN_MALFORMED, 2 },
    { "wrong bracket, empty", "{]", "{", TN_MALFORMED, 1 },
    { "comment", "[1/*x*/]", "[n(1)", TN_MALFORMED, 2 },
    { "byte order mark", "\xef\xbb\xbf 1", "", TN_MALFORMED, 0 },
    { "leading zero", "01", "n(0)", TN_MALFORMED, 1 },
    { "plus", "+1", "", TN_MALFORMED, 0 },
    { "minus alone", "-", "", TN_TRUNCATED, 1 },
    { "no digit after the point", "[1.]", "[", TN_MALFORMED, 3 },
    { "no digit before the point", ".5", "", TN_MALFORMED, 0 },
    { "no exponent", "1e", "", TN_TRUNCATED, 2 },
    { "hex", "0x10", "n(0)", TN_MALFORMED, 1 },
    { "NaN", "NaN", "", TN_MALFORMED, 0 },
    { "Infinity", "-Infinity", "", TN_MALFORMED, 1 },
    { "half a word", "tru", "", TN_TRUNCATED, 3 },
    { "wrong word", "trux", "", TN_MALFORMED, 3 },
    { "two words in one", "truefalse", "t", TN_MALFORMED, 4 },
    { "open string", "\"abc", "", TN_TRUNCATED, 4 },
    { "newline in a string", "\"a\nb\"", "", TN_MALFORMED, 2 },
    { "unknown escape", "\"\\x41\"", "", TN_MALFORMED, 2 },
    { "short unicode", "\"\\u12\"", "", TN_MALFORMED, 5 },
    { "high half alone", "\"a\\ud83d\"", "", TN_MALFORMED, 2 },
    { "high half, then another", "\"\\ud83d\\u0041\"", "", TN_MALFORMED, 1 },
    { "low half alone", "\"\\ude00\"", "", TN_MALFORMED, 1 },
    { "overlong UTF-8", "\"\xc0\x80\"", "", TN_MALFORMED, 1 },
    { "overlong UTF-8 of three", "\"\xe0\x9f\xbf\"", "", TN_MALFORMED, 1 },
    { "surrogate in UTF-8", "\"\xed\xa0\x80\"", "", TN_MALFORMED, 1 },
    { "past U+10FFFF", "\"\xf4\x90\x80\x80\"", "", TN_MALFORMED, 1 },
    { "cut UTF-8", "\"\xe2\x82\"", "", TN_MALFORMED, 1 },
    { "lone continuation", "\"ab\x80\"", "", TN_MALFORMED, 3 },
};

static void check_case(size_t i, struct tn_cursor *c, struct tn_memory *memory)
{
    struct tn_buffer out;
    struct tn_error  unused = TN_ERROR_INIT;

    tn_buffer_init(&out, memory, &unused);
    enum tn_status status = read_all(c, memory, &out);
    if (status != cases[i].status ||
        strcmp(tn_buffer_string(&out), cases[i].events) != 0)
        fail_msg("%s: %s gave %s, %s", cases[i].name, cases[i].text,
                 tn_buffer_string(&out), c->error->what);
    if (status != TN_OK && c->error->offset != cases[i].offset)
        fail_msg("%s: complaint at %d, not %d", cases[i].name,
                 (int)c->error->offset, (int)cases[i].offset);
    tn_buffer_done(&out);
}

static void every_text_gives_its_events(void **state)
{
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_guarded text  = tn_guard(tn_text(cases[i].text));
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_cursor  c     = tn_cursor_bytes(text.bytes, 0, &error);
        check_case(i, &c, &memory);
        tn_unguard(&text);
    }
    assert_int_equal(memory.used, 0);
}

static void a_source_that_is_not_mapped_gives_the_same(void **state)
{
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct slow      slow  = { .bytes = tn_text(cases[i].text) };
        struct tn_source plain;
        tn_source_memory(&plain, &memory, slow.bytes);
        slow.source        = plain;
        slow.source.ops    = &slow_ops;
        slow.source.map    = NULL;
        struct tn_cursor c = tn_cursor_span(
            (struct tn_span){ &slow.source, 0, plain.size }, &error);
        check_case(i, &c, &memory);
        tn_source_close(&slow.source);
    }
    assert_int_equal(memory.used, 0);
}

/* 64 KiB is a pinned block: a long string crosses several, and so do its
 * characters of three bytes. */
static void strings_cross_windows(void **state)
{
    enum { COUNT = 70001 };
    static char      text[COUNT * 3 + 3];
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer out;

    (void)state;
    text[0] = '"';
    for (int i = 0; i < COUNT; i++)
        memcpy(text + 1 + i * 3, "\u20ac", 3);
    text[COUNT * 3 + 1] = '"';
    tn_memory_init(&memory, NULL, 0);
    struct slow slow = { .bytes = tn_bytes(text, COUNT * 3 + 2) };
    tn_source_memory(&slow.source, &memory, slow.bytes);
    slow.source.ops = &slow_ops;
    slow.source.map = NULL;
    tn_buffer_init(&out, &memory, &error);
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){ &slow.source, 0, slow.bytes.size }, &error);
    assert_int_equal(read_all(&c, &memory, &out), TN_OK);
    assert_int_equal(out.size, COUNT * 3 + 3);
    assert_memory_equal(out.data + 2, text + 1, COUNT * 3);
    tn_buffer_done(&out);
    tn_source_close(&slow.source);
}

static void brackets_have_a_depth_limit(void **state)
{
    static char      text[2 * TN_JSON_DEPTH_LIMIT + 3];
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    memset(text, '[', TN_JSON_DEPTH_LIMIT);
    memset(text + TN_JSON_DEPTH_LIMIT, ']', TN_JSON_DEPTH_LIMIT);
    struct tn_error error = TN_ERROR_INIT;
    assert_int_equal(
        read_bytes(tn_bytes(text, 2 * TN_JSON_DEPTH_LIMIT), &memory, &error),
        TN_OK);
    memset(text, '[', TN_JSON_DEPTH_LIMIT + 1);
    assert_int_equal(read_bytes(tn_bytes(text, sizeof text), &memory, &error),
                     TN_LIMIT);
    assert_int_equal(error.offset, TN_JSON_DEPTH_LIMIT);
}

static void skip_steps_over_whole_values(void **state)
{
    static const char     text[] = "{\"a\":[1,{\"b\":[]}],\"c\":2}";
    struct tn_memory      memory;
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_cursor      c     = tn_cursor_bytes(tn_text(text), 0, &error);
    struct tn_json_reader r;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_json_open(&r, &c, &memory);
    assert_int_equal(tn_json_next(&r), TN_JSON_OBJECT_BEGIN);
    assert_int_equal(tn_json_next(&r), TN_JSON_KEY);
    tn_json_skip(&r);
    assert_int_equal(tn_json_next(&r), TN_JSON_KEY);
    assert_true(tn_bytes_is(r.text, "c"));
    assert_int_equal(r.offset, 18);
    tn_json_skip(&r);
    assert_int_equal(tn_json_next(&r), TN_JSON_OBJECT_END);
    assert_int_equal(tn_json_next(&r), TN_JSON_END);
    assert_int_equal(error.status, TN_OK);
    tn_json_close(&r);
}

static void numbers_fit_or_are_refused_where_they_stand(void **state)
{
    static const struct {
        const char *text;
        char        kind; /* i: int64, u: uint64, d: double */
        bool        is_good;
        double      value;
    } rows[] = {
        { " 12", 'i', true, 12 },
        { " \"-12\"", 'i', true, -12 },
        { " 1.0", 'i', true, 1 },
        { " 1.5", 'i', false, 0 },
        { " 9223372036854775808", 'i', false, 0 },
        { " -1", 'u', false, 0 },
        { " 1e3", 'u', true, 1000 },
        { " \"0.25\"", 'd', true, 0.25 },
        { " \"-Infinity\"", 'd', true, -1.0 / 0.0 },
        { " 1e400", 'd', false, 0 },
        { " \"inf\"", 'd', false, 0 },
        { " \"\"", 'd', false, 0 },
        { " true", 'i', false, 0 },
    };
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_cursor c = tn_cursor_bytes(tn_text(rows[i].text), 0, &error);
        struct tn_json_reader r;
        tn_json_open(&r, &c, &memory);
        tn_json_next(&r);
        double value = rows[i].kind == 'i'   ? (double)tn_json_int64(&r)
                       : rows[i].kind == 'u' ? (double)tn_json_uint64(&r)
                                             : tn_json_double(&r);
        if ((error.status == TN_OK) != rows[i].is_good ||
            value != rows[i].value)
            fail_msg("%s: %g, %s", rows[i].text, value, error.what);
        if (!rows[i].is_good)
            assert_int_equal(error.offset, 1);
        assert_int_equal(tn_json_next(&r), TN_JSON_END);
        tn_json_close(&r);
    }
}

static void hostile_texts_do_no_harm(void **state)
{
    static const char good[] =
        "{\"a\": [1, -2.5e3, \"x\\ud83d\\ude00\\n\"], \"b\\u00e9\": {\"c\": "
        "[true, false, null, []]}}";

    (void)state;
    tn_survives_hostility(read_bytes, tn_text(good));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_gives_its_events),
        cmocka_unit_test(a_source_that_is_not_mapped_gives_the_same),
        cmocka_unit_test(strings_cross_windows),
        cmocka_unit_test(brackets_have_a_depth_limit),
        cmocka_unit_test(skip_steps_over_whole_values),
        cmocka_unit_test(numbers_fit_or_are_refused_where_they_stand),
        cmocka_unit_test(hostile_texts_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
