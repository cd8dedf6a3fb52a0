/* lang_code_test.c - every rule that the library carries can be made ready */
#include "map/lang/lang_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "map/lang/rule_sets.h"
#include "map/net/net_build.h"
#include "support/hostile.h"
#include "support/rules_text.h"

/* Asks for every op of a list of rules; returns how many are broken. */
static unsigned prepare_all(const struct tn_lang_file *file,
                            const struct tn_list *rules, const char *from,
                            const char *to, struct tn_memory *memory)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_arena    arena;
    struct tn_net      net;
    struct tn_code_set set;
    unsigned           broken = 0;

    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, from, &error);
    tn_code_init(&set, memory, &net, to, to && !strcmp(to, "onnx") ? 18 : 0,
                 &error);
    assert_int_equal(tn_code_add(&set, file, &error), TN_OK);
    for (uint64_t i = 0; i < rules->count; i++) {
        const struct tn_lang_rule *rule =
            tn_list_at(rules, struct tn_lang_rule, i);
        tn_code_find(&set, rule->head.op, rule->head.domain, &error);
        if (tn_failed(&error)) {
            print_error("%s: %s: %s\n", file->name, error.where, error.what);
            broken++;
        }
        error = (struct tn_error)TN_ERROR_INIT;
    }
    tn_code_done(&set);
    tn_net_done(&net);
    tn_arena_done(&arena);
    return broken;
}

static void test_all_rules_can_be_made_ready(void **state)
{
    struct tn_rule_text text;
    unsigned            broken = 0;

    (void)state;
    for (uint32_t i = 0; tn_rules_builtin_at(i, &text); i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        assert_int_equal(
            tn_lang_parse(&file, &arena, text.name, rules_text(text.name), &error), TN_OK);
        broken += prepare_all(&file, &file.rules, text.from, text.to, &memory);
        broken += prepare_all(&file, &file.back, text.to, text.from, &memory);
        tn_lang_done(&file);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
    assert_int_equal(broken, 0);
}

static void test_all_shapes_can_be_made_ready(void **state)
{
    static const char *const dialects[] = { "onnx", "nd4j", "tensorflow",
                                            "paddle" };
    unsigned                 broken     = 0;

    (void)state;
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_shapes_read(&file, &arena, dialects[i], &error);
        if (tn_failed(&error))
            print_error("%s: %s\n", error.where, error.what);
        assert_int_equal(error.status, TN_OK);
        broken += prepare_all(&file, &file.rules, dialects[i], NULL, &memory);
        tn_lang_done(&file);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
    assert_int_equal(broken, 0);
}

/* Rules that contradict themselves, and where. */
static const struct {
    const char *text, *where, *what;
} broken_rules[] = {
    { "Relu(X) : dtype(X) nosuch(X)", "line 2, column 20",
      "no such function: 'nosuch'" },
    { "Relu(X) : dtype(X) shape(X, 1)", "line 2, column 20",
      "wrong number of arguments for 'shape'" },
    { "Relu(X) : dtype(X) shape(Y)", "line 2, column 26", "no such name: 'Y'" },
    { "def two(a, b) = a\nRelu(X) : dtype(X) two(X)", "line 3, column 20",
      "wrong number of arguments for 'two'" },
    { "Relu(X) : dtype(X) [wanted(X)]", "line 2, column 21",
      "not an output: 'X'" },
    { "Relu(X) : dtype(X) shape(X) = calc(\"sum\", X, X)", "line 2, column 31",
      "no such operation: 'sum'" },
    { "Relu(X) : dtype(X) shape(X) = reduced(\"less\", value(X), shape(X), [0])",
      "line 2, column 31", "no such operation: 'less'" },
};

static void test_what_contradicts_itself_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken_rules / sizeof *broken_rules; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;
        struct tn_net       net;
        struct tn_code_set  set;
        char                text[200];
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_net_init(&net, &arena, "onnx", &error);
        snprintf(text, sizeof text, "shapes onnx 1\n%s", broken_rules[i].text);
        assert_int_equal(
            tn_lang_parse(&file, &arena, "a.shapes", tn_text(text), &error),
            TN_OK);
        tn_code_init(&set, &memory, &net, NULL, 0, &error);
        tn_code_add(&set, &file, &error);
        assert_null(tn_code_find(&set, tn_text("Relu"), tn_text(""), &error));
        assert_int_equal(error.status, TN_INVALID);
        assert_string_equal(error.what, broken_rules[i].what);
        assert_string_equal(error.where, broken_rules[i].where);
        tn_code_done(&set);
        tn_lang_done(&file);
        tn_net_done(&net);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_rules_can_be_made_ready),
        cmocka_unit_test(test_all_shapes_can_be_made_ready),
        cmocka_unit_test(test_what_contradicts_itself_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
