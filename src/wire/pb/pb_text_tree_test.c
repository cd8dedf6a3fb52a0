/* pb_text_tree_test.c - text as a tree, and where broken text is refused */
#include "wire/pb/pb_text_tree.h"

#include "support/hostile.h"

static const char sample[] =
    "# a comment\n"
    "a: 1 b { c: 'x' \"y\" d: [1, -2.5] } b: <e: true>\n"
    "f: - inf; g: WORD,\n";

static enum tn_status read_tree(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct tn_text_field root;
    struct tn_arena      arena;

    tn_arena_init(&arena, memory);
    tn_text_tree_read(&root, &arena, input, error);
    tn_arena_done(&arena);
    return error->status;
}

static void test_fields_have_values_and_places(void **state)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_text_field root;
    struct tn_bytes      text;
    int64_t              number;
    double               real;
    bool                 truth;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(tn_text_tree_read(&root, &arena, tn_text(sample), &error),
                     TN_OK);
    assert_int_equal(tn_text_count(&root, "b"), 2);
    const struct tn_text_field *b = root.fields->next;
    assert_int_equal(b->line, 2);
    assert_int_equal(b->column, 6);
    tn_text_int(root.fields, &number, &error);
    assert_int_equal(number, 1);
    tn_text_string(tn_text_find(b, "c"), &text, &error);
    assert_true(tn_bytes_is(text, "xy"));
    tn_text_double(tn_text_find(b, "d"), &real, &error);
    assert_true(real == -2.5);
    tn_text_bool(tn_text_find(tn_text_find(&root, "b"), "e"), &truth, &error);
    assert_true(truth);
    tn_text_double(tn_text_find(&root, "f"), &real, &error);
    assert_true(real < -1e308);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_text_int(tn_text_find(&root, "g"), &number, &error),
                     TN_MALFORMED);
    assert_string_equal(
        error.what, "line 3, column 11: 'g' takes a whole number of 64 bits");
    tn_arena_done(&arena);
}

static const struct {
    const char    *text;
    enum tn_status status;
    uint64_t       offset;
} refused[] = {
    { "a", TN_MALFORMED, 1 },          { "a: ", TN_MALFORMED, 3 },
    { "a {", TN_TRUNCATED, 3 },        { "a: [1 2]", TN_MALFORMED, 6 },
    { "a: -'x'", TN_MALFORMED, 4 },    { "}", TN_MALFORMED, 0 },
    { "a { b: 1 >", TN_MALFORMED, 9 }, { "7: 1", TN_MALFORMED, 0 },
};

static void test_broken_text_is_refused_where_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        assert_int_equal(read_tree(tn_text(refused[i].text), &memory, &error),
                         refused[i].status);
        assert_int_equal(error.offset, refused[i].offset);
    }
}

static void test_depth_is_limited(void **state)
{
    char             deep[600];
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;

    (void)state;
    for (size_t i = 0; i + 1 < sizeof deep; i += 2)
        memcpy(deep + i, "a{", 2);
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(read_tree(tn_bytes(deep, sizeof deep), &memory, &error),
                     TN_LIMIT);
}

static void test_hostility(void **state)
{
    (void)state;
    tn_survives_every_flip(read_tree, tn_text(sample));
    tn_survives_no_memory(read_tree, tn_text(sample));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_have_values_and_places),
        cmocka_unit_test(test_broken_text_is_refused_where_it_is),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
