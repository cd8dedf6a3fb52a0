/* edit_words_test.c - the grammar of scripts, in a table of lines */
#include "engine/edit_words.h"

#include <inttypes.h>
#include <stdio.h>

#include "support/hostile.h"

/* The words that are read, as "a|b;c": a bar after each but the last of a
 * line. */
static const struct {
    const char *text, *words;
    const char *complaint; /* NULL: it is good */
} cases[] = {
    { "", "", NULL },
    { "\n\n  \t\n", "", NULL },
    { "# nothing\n", "", NULL },
    { "rename a=b", "rename|a|b;", NULL },
    { "rename a = b\n", "rename|a|b;", NULL },
    { "rename a b # why\nx", "rename|a|b;x;", NULL },
    { "a#b", "a#b;", NULL },
    { "x \"\"", "x|;", NULL },
    { "x \"a b\" \"=\" \"#\"", "x|a b|=|#;", NULL },
    { "x \"\\\"\\\\\\n\\x41\\xc3\\xA9\"", "x|\"\\\nA\xc3\xa9;", NULL },
    { "x\ta\r\ny", "x|a;y;", NULL },
    { "a=b=c", "a|b|c;", NULL },
    { "a==b", "", "line 1, column 3: '=' separates two words" },
    { "=a", "", "line 1, column 1: '=' separates two words" },
    { "x\n a=", "x;", "line 2, column 4: nothing follows the '='" },
    { "x \"a", "", "line 1, column 3: this quote is not closed" },
    { "x \"a\n\"", "", "line 1, column 3: this quote is not closed" },
    { "x a\"b\"", "", "line 1, column 4: a quote inside a word" },
    { "x \"a\"b", "", "line 1, column 6: expected a blank" },
    { "x \"\\q\"", "", "line 1, column 4: after '\\'" },
    { "x \"\\x4\"", "", "line 1, column 4: after '\\x' expected two" },
    { "x \"\\x00\"", "", "line 1, column 4: a word cannot contain a zero" },
    { "x \"\\", "", "line 1, column 4: after '\\'" },
    { "x \x01", "", "line 1, column 3: a control character" },
};

static void read_all(struct tn_bytes text, struct tn_buffer *seen,
                     struct tn_error *error)
{
    struct tn_words_reader reader;
    struct tn_words        words;
    struct tn_arena        arena;

    tn_arena_init(&arena, seen->memory);
    tn_words_init(&reader, seen->memory, text);
    while (tn_words_next(&reader, &arena, &words, error))
        for (uint32_t i = 0; i < words.count; i++)
            tn_buffer_format(seen, "%s%s", words.items[i],
                             i + 1 < words.count ? "|" : ";");
    tn_words_done(&reader);
    tn_arena_done(&arena);
}

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT, own = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer seen;

        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&seen, &memory, &own);
        read_all(tn_text(cases[i].text), &seen, &error);
        assert_string_equal(tn_buffer_string(&seen), cases[i].words);
        if (cases[i].complaint) {
            assert_int_equal(error.status, TN_INVALID);
            assert_memory_equal(error.what, cases[i].complaint,
                                strlen(cases[i].complaint));
        } else {
            assert_int_equal(error.status, TN_OK);
        }
        tn_buffer_done(&seen);
        assert_int_equal(memory.used, 0);
    }
}

/* What is put is read back: every byte but zero, in every place. */
static void test_put_and_read(void **state)
{
    (void)state;
    for (unsigned first = 1; first < 256; first++) {
        char             word[4] = { (char)first, 'b', (char)(256 - first), 0 };
        struct tn_error  error   = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer text, seen;
        char             expected[32];

        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&text, &memory, &error);
        tn_buffer_init(&seen, &memory, &error);
        tn_words_put(&text, tn_text("x"));
        tn_words_put(&text, tn_text(word));
        tn_words_put(&text, tn_text(""));
        tn_buffer_text(&text, "\n");
        read_all(tn_buffer_bytes(&text), &seen, &error);
        snprintf(expected, sizeof expected, "x|%s|;", word);
        assert_int_equal(error.status, TN_OK);
        assert_string_equal(tn_buffer_string(&seen), expected);
        tn_buffer_done(&seen);
        tn_buffer_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_put_and_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
