/* text_test.c - what people see of numbers, sizes and strangers' names */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "text.h"
#include "unicode.h"

static void expect(struct cli_text *text, const char *wanted)
{
    cli_text_put(text, "", 1);
    assert_string_equal(text->data, wanted);
    cli_text_clear(text);
}

static const struct {
    uint64_t    size;
    const char *text;
} sizes[] = {
    { 0, "0 B" },
    { 1023, "1023 B" },
    { 1024, "1.0 KiB" },
    { 1536, "1.5 KiB" },
    { 5632, "5.5 KiB" }, /* these four as TensorFlow has them in its logs */
    { 53432, "52.2 KiB" },
    { 76493281, "72.9 MiB" },
    { 16493342281, "15.4 GiB" },
    { 1048524, "1023.9 KiB" },
    { 1048575, "1.0 MiB" }, /* not 1024.0 KiB */
    { UINT64_C(6) << 30, "6.0 GiB" },
    { UINT64_MAX, "16.0 EiB" },
};

static void sizes_have_units(void **state)
{
    struct cli_text text = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        cli_text_bytes(&text, sizes[i].size);
        expect(&text, sizes[i].text);
    }
    cli_text_done(&text);
}

static void words_can_be_typed(void **state)
{
    static const struct {
        const char *word, *typed;
    } cases[] = {
        { "a/b-1.onnx", "a/b-1.onnx" },
        { "mod\u00e8le.onnx", "mod\u00e8le.onnx" },
        { "my model.onnx", "\"my model.onnx\"" },
        { "it's", "\"it's\"" },
        { "a\"b$c`d\\e", "\"a\\\"b\\$c\\`d\\\\e\"" },
        { "bell\a me", "\"bell\\x07 me\"" }, /* harmless, if not typed */
        { "", "\"\"" },
    };
    struct cli_text text = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cli_text_shell(&text, cases[i].word);
        expect(&text, cases[i].typed);
    }
    cli_text_done(&text);
}

static void numbers_have_separators(void **state)
{
    struct cli_text text = { 0 };

    (void)state;
    cli_text_number(&text, 0);
    expect(&text, "0");
    cli_text_number(&text, 999);
    expect(&text, "999");
    cli_text_number(&text, 1000);
    expect(&text, "1,000");
    cli_text_number(&text, UINT64_MAX);
    expect(&text, "18,446,744,073,709,551,615");
    cli_text_done(&text);
}

static const struct {
    const char *name, *text;
} names[] = {
    { "conv1/weight:0", "conv1/weight:0" },
    { "\xe6\xa8\xa1\xe5\x9e\x8b", "\xe6\xa8\xa1\xe5\x9e\x8b" },
    { "\033[31mred", "\\x1b[31mred" },
    { "a\tb\nc\rd", "a\\tb\\nc\\rd" },
    { "\x7f", "\\x7f" },
    { "back\\slash", "back\\\\slash" },
    { "\xff\xfe", "\\xff\\xfe" },
    { "\xc2\x9b", "\\u{9b}" }, /* C1: another escape            */
    { "\xe2\x80\xaegpj.exe", "\\u{202e}gpj.exe" }, /* right to left          */
    { "\xc0\xaf", "\\xc0\\xaf" },          /* overlong                      */
    { "\xed\xa0\x80", "\\xed\\xa0\\x80" }, /* surrogate                     */
    { "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* past the last one     */
    { "cut\xe6\xa8", "cut\\xe6\\xa8" },
};

static void names_are_harmless(void **state)
{
    struct cli_text text = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cli_text_safe(&text, cli_bytes(names[i].name));
        expect(&text, names[i].text);
    }
    cli_text_done(&text);
}

/* Whatever the bytes, what is printed is printable UTF-8. */
static void no_bytes_get_through(void **state)
{
    struct cli_text text = { 0 };

    (void)state;
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++) {
            uint8_t bytes[] = { (uint8_t)first, (uint8_t)second, 0xbf };

            cli_text_clear(&text);
            cli_text_safe(&text, (struct tn_bytes){ bytes, sizeof(bytes) });
            for (size_t i = 0; i < text.size;) {
                uint32_t point  = 0;
                size_t   length = cli_utf8((const uint8_t *)text.data + i,
                                           text.size - i, &point);
                assert_true(length > 0 && cli_is_safe(point));
                i += length;
            }
        }
    cli_text_done(&text);
}

static void width_counts_columns(void **state)
{
    struct cli_text text = { 0 };

    (void)state;
    cli_text_add(&text, "abc");
    assert_int_equal(cli_text_width(&text), 3);
    cli_text_add(&text, "\xe6\xa8\xa1"); /* wide */
    assert_int_equal(cli_text_width(&text), 5);
    cli_text_add(&text, "e\xcc\x81"); /* e and a combining accent */
    assert_int_equal(cli_text_width(&text), 6);
    cli_text_done(&text);
}

static const struct {
    const char *text;
    size_t      columns;
    const char *shortened;
} shortened[] = {
    { "short", 5, "short" },
    { "encoder/layer_7/weight", 12, "enc…7/weight" },
    { "encoder/layer_7/weight", 1, "…" },
    { "encoder/layer_7/weight", 0, "…" },
    { "", 0, "" },
    { "漢字漢字漢字", 8, "漢…漢字" },   /* two columns each */
    { "漢字漢字漢字", 7, "漢…漢字" },
    { "e\u0301a\u0301o\u0301u\u0301", 3, "…o\u0301u\u0301" }, /* accents stay */
    { "ab\xff\xfe\xfd" "c", 4, "a…\xfd" "c" }, /* bytes that are no text */
};

static void middles_are_left_out(void **state)
{
    struct cli_text text = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(shortened) / sizeof(shortened[0]); i++) {
        cli_text_add(&text, shortened[i].text);
        cli_text_shorten(&text, shortened[i].columns);
        expect(&text, shortened[i].shortened);
    }
    cli_text_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(words_can_be_typed),
        cmocka_unit_test(numbers_have_separators),
        cmocka_unit_test(names_are_harmless),
        cmocka_unit_test(no_bytes_get_through),
        cmocka_unit_test(width_counts_columns),
        cmocka_unit_test(middles_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
