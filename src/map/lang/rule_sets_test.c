/* rule_sets_test.c - the rule files that the library carries can be read */
#include "map/lang/rule_sets.h"

#include "support/hostile.h"
#include "support/rules_text.h"

static const char *const dialects[] = { "onnx", "nd4j", "tensorflow",
                                        "paddle" };

static void test_every_file_is_what_its_name_says(void **state)
{
    struct tn_rule_text text;

    (void)state;
    for (uint32_t i = 0; tn_rules_builtin_at(i, &text); i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_lang_parse(&file, &arena, text.name, rules_text(text.name), &error);
        assert_string_equal(error.what, "");
        assert_true(tn_bytes_is(file.from, text.from));
        assert_true(tn_bytes_is(file.to, text.to));
        assert_int_equal(file.is_both_ways, text.is_both_ways);
        assert_true(!file.is_shapes && file.rules.count > 0);
        tn_lang_done(&file);
        tn_arena_done(&arena);
    }
}

static void test_every_dialect_has_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_shapes_read(&file, &arena, dialects[i], &error);
        assert_string_equal(error.what, "");
        assert_true(file.is_shapes && tn_bytes_is(file.from, dialects[i]));
        tn_lang_done(&file);
        tn_arena_done(&arena);
    }
}

/* A cache, and what it needs. */
struct fixture {
    struct tn_error      error;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_rule_cache cache;
};

static void open_fixture(struct fixture *fixture)
{
    fixture->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&fixture->memory, NULL, 0);
    tn_arena_init(&fixture->arena, &fixture->memory);
    tn_rule_cache_init(&fixture->cache, &fixture->arena, &fixture->error);
    assert_string_equal(fixture->error.what, "");
}

static void close_fixture(struct fixture *fixture)
{
    tn_rule_cache_done(&fixture->cache);
    tn_arena_done(&fixture->arena);
    assert_int_equal(fixture->memory.used, 0);
}

/* The set with one file of the user's; the error says how it went. */
static void read_own(struct fixture *fixture, struct tn_rule_set *set,
                     const char *from, const char *to, const char *rules)
{
    const struct tn_rule_text own = { .name = "own.rules",
                                      .text = tn_text(rules) };

    tn_rule_set_read(set, &fixture->arena, &fixture->cache, from, to, &own, 1,
                     &fixture->error);
}

/* A set has the user's files first, and ours of both directions. */
static void test_own_rules_come_first(void **state)
{
    struct tn_rule_set set;
    struct fixture     fixture;

    (void)state;
    open_fixture(&fixture);
    read_own(&fixture, &set, "nd4j", "onnx",
             "rules nd4j -> onnx 1\nignore inPlace dataType\n"
             "abs(input) => Neg(input)");
    assert_string_equal(fixture.error.what, "");
    assert_int_equal(set.count, 3);
    assert_string_equal(set.files[0]->name, "own.rules");
    assert_string_equal(set.files[1]->name, "nd4j_onnx.rules");
    assert_string_equal(set.files[2]->name, "onnx_nd4j.rules");
    tn_rule_set_done(&set);
    close_fixture(&fixture);
}

/* What was read once is there; what could not be read may be tried again. */
static void test_a_rule_cache_reads_once(void **state)
{
    struct tn_error       none = TN_ERROR_INIT;
    struct fixture        fixture;
    struct tn_rule_cache *cache = &fixture.cache;

    (void)state;
    open_fixture(&fixture);
    fixture.memory.limit = fixture.memory.used + (1 << 10);
    assert_null(tn_rule_cache_shapes(cache, "onnx", &fixture.error));
    assert_int_equal(fixture.error.status, TN_LIMIT);
    fixture.error = none;
    assert_null(tn_rule_cache_rules(cache, 1, &fixture.error));
    fixture.memory.limit = UINT64_MAX;
    fixture.error        = none;
    const struct tn_lang_file *rules =
        tn_rule_cache_rules(cache, 1, &fixture.error);
    const struct tn_lang_file *shapes =
        tn_rule_cache_shapes(cache, "onnx", &fixture.error);
    assert_string_equal(rules->name, "onnx_nd4j.rules");
    assert_string_equal(shapes->name, "onnx.shapes");
    uint64_t used = fixture.memory.used;
    assert_ptr_equal(tn_rule_cache_rules(cache, 1, &fixture.error), rules);
    assert_ptr_equal(tn_rule_cache_shapes(cache, "onnx", &fixture.error),
                     shapes);
    assert_int_equal(fixture.memory.used, used);
    close_fixture(&fixture);
}

static void test_other_dialects_have_empty_shapes(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    const struct tn_lang_file *shapes =
        tn_rule_cache_shapes(&fixture.cache, "x", &fixture.error);
    assert_int_equal(shapes->rules.count, 0);
    assert_ptr_equal(tn_rule_cache_shapes(&fixture.cache, "y", &fixture.error),
                     shapes);
    close_fixture(&fixture);
}

static void refuse_own(const char *rules, const char *what)
{
    struct tn_rule_set set;
    struct fixture     fixture;

    open_fixture(&fixture);
    read_own(&fixture, &set, "onnx", "nd4j", rules);
    assert_string_equal(fixture.error.file, "own.rules");
    assert_string_equal(fixture.error.what, what);
    tn_rule_set_done(&set);
    close_fixture(&fixture);
}

static void test_wrong_rules_of_the_user_are_refused(void **state)
{
    (void)state;
    refuse_own("rules x", "line 1, column 8: expected '->', not the end of the "
                          "file");
    refuse_own("rules onnx -> nd4j 1\nLeakyRelu(X) => relu(X)",
               "line 2, column 1: 'LeakyRelu' has an attribute 'alpha': use "
               "it, or say -alpha");
}

static void assert_few_natives(const struct tn_rule_text *text,
                               const struct tn_list      *rules)
{
    uint64_t natives = 0;

    for (uint64_t i = 0; i < rules->count; i++)
        natives += tn_list_at(rules, struct tn_lang_rule, i)->native.size > 0;
    if (natives * 100 > rules->count * 15)
        fail_msg("%s: %u of %u rules are native", text->name, (unsigned)natives,
                 (unsigned)rules->count);
}

/* Rules stay data: of the rules of a set and direction at most 15 % are C. */
static void test_few_rules_are_native(void **state)
{
    struct tn_rule_text text;

    (void)state;
    for (uint32_t i = 0; tn_rules_builtin_at(i, &text); i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_lang_parse(&file, &arena, text.name, rules_text(text.name), &error);
        assert_few_natives(&text, &file.rules);
        assert_few_natives(&text, &file.back);
        tn_lang_done(&file);
        tn_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_is_what_its_name_says),
        cmocka_unit_test(test_every_dialect_has_shapes),
        cmocka_unit_test(test_own_rules_come_first),
        cmocka_unit_test(test_a_rule_cache_reads_once),
        cmocka_unit_test(test_other_dialects_have_empty_shapes),
        cmocka_unit_test(test_few_rules_are_native),
        cmocka_unit_test(test_wrong_rules_of_the_user_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
