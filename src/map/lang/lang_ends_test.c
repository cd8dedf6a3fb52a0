/* lang_ends_test.c - what rules make and take away at least */
#include "map/lang/lang_ends.h"

#include <stdio.h>

#include "map/lang/lang_check.h"
#include "map/lang/rule_sets.h"
#include "support/hostile.h"

static const struct {
    const char *rule;
    uint32_t    makes, takes;
    bool        shortens;
} cases[] = {
    { "Neg(Neg(X)) -> (Y) { Y <- X }", 0, 1, false },
    { "Neg(once Neg(X)) -> (Y) { Y <- X }", 0, 2, false },
    { "Neg(once Neg(once Neg(X))) => Neg(X)", 1, 3, true },
    { "Relu(once Neg(X)) => Neg(Relu(X))", 2, 2, false },
    { "Relu(Neg(X)) => Abs(X)", 1, 1, true },
    /* a node that has a name may stay; one that may not be there, too */
    { "Relu(once Neg(_X) as y) => Abs(y)", 1, 1, false },
    { "Relu(maybe Neg(X)) => Abs(X)", 1, 1, false },
    { "Add(Neg(X), _B) => Add(X, X)", 1, 1, false },
    { "Add(Neg(X), _B) => Add(X, const(1, int64))", 1, 1, true },
    { "Add(A, B) when not is_const(B) => Relu(A)", 1, 1, true },
    { "Add(A, B) when not is_const(B) => Add(B, A)", 1, 1, false },
    /* the larger branch counts, and any number of times is too often */
    { "Neg(X) -> (Y) { if is_const(X) { Y <- Neg(Neg(X)) } else { Y <- X } }",
      2, 1, false },
    { "Sum(xs...) -> (Y) {\n Y <- xs[0]\n for x in xs { Y <- Add(Y, x) }\n}",
      UINT32_MAX, 1, false },
};

static void ignore(void *context, const struct tn_location *place,
                   const char *what)
{
    (void)context;
    (void)place;
    (void)what;
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;
        struct tn_vocab     vocabs[2];
        struct tn_lang_side from, to;
        char                text[300];

        snprintf(text, sizeof text, "rules onnx -> onnx 1 simplify\n%s",
                 cases[i].rule);
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        assert_int_equal(
            tn_lang_parse(&file, &arena, "r", tn_text(text), &error), TN_OK);
        assert_int_equal(
            tn_lang_side_open(&from, &vocabs[0], &arena, file.from, &error),
            TN_OK);
        assert_int_equal(
            tn_lang_side_open(&to, &vocabs[1], &arena, file.to, &error), TN_OK);
        /* It finds out what names mean. */
        tn_lang_check(&file, &from, &to, ignore, NULL, &error);
        const struct tn_lang_rule *rule =
            tn_list_at(&file.rules, struct tn_lang_rule, 0);
        if (tn_lang_makes(&file, rule) != cases[i].makes ||
            tn_lang_takes(&rule->head) != cases[i].takes ||
            tn_lang_shortens(rule) != cases[i].shortens)
            fail_msg("%s: makes %u, takes %u, shortens %d", cases[i].rule,
                     tn_lang_makes(&file, rule), tn_lang_takes(&rule->head),
                     tn_lang_shortens(rule));
        tn_lang_done(&file);
        tn_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rules) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
