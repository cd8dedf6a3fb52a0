/* edit_value_test.c - values of attributes as words, and back */
#include "engine/edit_value.h"

#include "support/hostile.h"

/* `hint`: the kind that the attribute has, as "int" or "ints"; NULL: it is new.
 * `back`: the words that the value is written as; NULL: it is refused. */
static const struct {
    const char *words, *hint, *back;
} cases[] = {
    { "2", NULL, "int 2" },
    { "-7", NULL, "int -7" },
    { "0.5", NULL, "float 0.5" },
    { "2,3", NULL, "ints 2 3" },
    { "0.5,1", NULL, "floats 0.5 1" },
    { "linear", NULL, "string linear" },
    { "a,b", NULL, "string a,b" },
    { "int", NULL, "string int" },
    { "ints", NULL, "ints" },
    { "a b", NULL, "strings a b" },
    { "int 2", NULL, "int 2" },
    { "ints 2 2", NULL, "ints 2 2" },
    { "float nan", NULL, "float nan" },
    { "doubles 1 -inf", NULL, "doubles 1 -inf" },
    { "bool true", NULL, "bool true" },
    { "type float32", NULL, "type float32" },
    { "shape 2,-1,3", NULL, "shape 2,-1,3" },
    { "shape ?", NULL, "shape ?" },
    { "shape \"\"", NULL, "shape \"\"" },
    { "strings \"a b\" \"\"", NULL, "strings \"a b\" \"\"" },
    { "other 0x0aff", NULL, "other 0x0aff" },
    { "hex 0x6100", NULL, "hex 0x6100" },
    { "hexes 0x 0x00ff", NULL, "hexes 0x 0x00ff" },
    { "hex 0x61", NULL, "string a" },
    { "none", NULL, "none" },
    { "nones", NULL, "nones" },
    { "none x", NULL, NULL },
    { "nones x", NULL, NULL },
    { "2", "float", "float 2" },
    { "2", "ints", "ints 2" },
    { "2,2", "ints", "ints 2 2" },
    { "2", "string", "string 2" },
    { "true", "bool", "bool true" },
    { "int two", NULL, NULL },
    { "int 2 3", NULL, NULL },
    { "float x", NULL, NULL },
    { "bool 2", NULL, NULL },
    { "type float33", NULL, NULL },
    { "shape 2,x", NULL, NULL },
    { "shape -2", NULL, NULL },
    { "other 0x0", NULL, NULL },
    { "other 12", NULL, NULL },
    { "hex a", NULL, NULL },
    { "two", "int", NULL },
};

static struct tn_value_hint hint_of(const char *word)
{
    static const struct {
        const char          *word;
        struct tn_value_hint hint;
    } known[] = {
        { "int", { true, TN_ATTR_INT, false } },
        { "ints", { true, TN_ATTR_INT, true } },
        { "float", { true, TN_ATTR_FLOAT, false } },
        { "bool", { true, TN_ATTR_BOOL, false } },
        { "string", { true, TN_ATTR_STRING, false } },
    };

    for (size_t i = 0; word && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].word, word) == 0)
            return known[i].hint;
    return (struct tn_value_hint){ .is_known = false };
}

static bool read_words(const char *text, const char *hint,
                       struct tn_arena *arena, struct tn_attr_value *value,
                       struct tn_error *error)
{
    struct tn_words_reader reader;
    struct tn_words        words;
    struct tn_value_hint   known = hint_of(hint);

    tn_words_init(&reader, arena->memory, tn_text(text));
    assert_true(tn_words_next(&reader, arena, &words, error));
    bool is_good =
        tn_edit_value_read(NULL, arena, &words, &known, value, error) == TN_OK;
    tn_words_done(&reader);
    return is_good;
}

static void test_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error      error = TN_ERROR_INIT, own = TN_ERROR_INIT;
        struct tn_attr_value value;
        struct tn_memory     memory;
        struct tn_buffer     text;
        struct tn_arena      arena;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_buffer_init(&text, &memory, &own);
        bool is_good =
            read_words(cases[i].words, cases[i].hint, &arena, &value, &error);
        if (is_good != (cases[i].back != NULL))
            fail_msg("'%s': %s", cases[i].words, error.what);
        if (is_good) {
            assert_int_equal(tn_edit_value_put(&text, &value, &error), TN_OK);
            assert_string_equal(tn_buffer_string(&text), cases[i].back);
        } else {
            assert_int_equal(error.status, TN_INVALID);
        }
        tn_buffer_done(&text);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
