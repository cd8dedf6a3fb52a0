/* lang_example_test.c - examples under rules hold, or say how they do not */
#include "map/lang/lang_example.h"

#include <stdio.h>

#include "map/lang/rule_sets.h"
#include "support/hostile.h"
#include "support/rules_text.h"

static enum tn_status run_all(struct tn_bytes text, const char *name,
                              struct tn_memory *memory, char *whys, size_t room,
                              struct tn_error *error)
{
    struct tn_arena          arena, scratch;
    struct tn_lang_file      file;
    struct tn_example_shapes both = { 0 };

    tn_arena_init(&arena, memory);
    if (tn_lang_parse(&file, &arena, name, text, error) == TN_OK)
        tn_example_shapes_open(&both, &file, &arena, error);
    for (uint64_t i = 0; i < file.examples.count && !tn_failed(error); i++) {
        const struct tn_lang_example *example =
            tn_list_at(&file.examples, struct tn_lang_example, i);
        const char *why;

        tn_arena_init(&scratch, memory);
        if (tn_lang_example_run(&file, &both, example, &scratch, &why, error) ==
                TN_OK &&
            why && whys)
            snprintf(whys + strlen(whys), room - strlen(whys), "%u: %s\n",
                     (unsigned)example->place.line, why);
        tn_arena_done(&scratch);
    }
    tn_example_shapes_done(&both);
    tn_lang_done(&file);
    tn_arena_done(&arena);
    return error->status;
}

#define N "rules onnx <-> nd4j 1\nignore inPlace dtype dataType\n"

static const struct {
    const char *text, *whys;
} cases[] = {
    { N "Relu(X) => relu(X; cutoff: 0.0)\n"
        "  example Relu(x) => relu(x; cutoff: 0)\n"
        "  example Relu@13(y:float32[2,?]) => relu(y; cutoff: 0.0)\n",
      "" },
    { N "Relu(X) => relu(X; cutoff: 0.0)\n"
        "  example Relu(x) => relu(x; cutoff: 1)\n"
        "  example Relu(x) => relu(x)\n"
        "  example Relu(x) => lrelu(x; cutoff: 0)\n",
      "4: makes relu(x; cutoff: 0), not relu(x; cutoff: 1)\n"
      "5: makes relu(x; cutoff: 0), not relu(x)\n"
      "6: makes relu(x; cutoff: 0), not lrelu(x; cutoff: 0)\n" },
    { N
      "Softmax@..12(X; axis) -> (Y) {\n"
      "  let n = prod(shape(X)[:axis])\n"
      "  Y <- reshape(softmax(reshape(X, const([n, -1], int64));\n"
      "               dimension: 1), shape_of(X)) }\n"
      "  example Softmax@11(x:float32[2,3,4]; axis: 2) =>\n"
      "    reshape(softmax(reshape(x, const([6, -1], int64)); dimension: 1),\n"
      "            shape_of(x))\n",
      "" },
    { N "Relu(X) when rank(X) == 2 => relu(X)\nRelu(X) => exp(X)\n"
        "  example Relu(x:float32[2,2]) => exp(x)\n"
        "  example Relu(x:float32[2]) => exp(x)\n",
      "5: the rule of line 3 takes it before\n" },
    { N "Relu(X) when rank(X) == 2 => relu(X)\n"
        "  example Relu(x:float32[2]) => relu(x)\n"
        "  example Exp(x) => relu(x)\n",
      "4: the rule does not take it: line 3, column 22: the rule's condition "
      "does not hold\n5: the rule does not take it\n" },
    { N "LeakyRelu(X; alpha) <=> lrelu(X; alpha)\n"
        "  example LeakyRelu(x; alpha: 0.5) => lrelu(x; alpha: 0.5)\n"
        "  example LeakyRelu(x) => lrelu(x; alpha: 0.01)\n",
      "" },
    { N "LeakyRelu(X; alpha: a) <= lrelu(X; alpha as a)\n"
        "  example LeakyRelu(x; alpha: 0.5) <= lrelu(x; alpha: 0.5)\n",
      "" },
    { N "Reshape@14..(X, s; -allowzero) => reshape(X; shapeArr: value(s))\n"
        "  example Reshape(x:float32[2,3], s:int64[2] = [-1, 2]) =>\n"
        "      reshape(x; shapeArr: [-1, 2])\n",
      "" },
    /* patterns: a node and those before it */
    { N "Exp(Log(x)) => identity(x)\n"
        "  example Exp(Log(x)) => identity(x)\n"
        "  example Exp(x) => identity(x)\n"
        "  example Exp(Abs(x)) => identity(x)\n",
      "5: the rule does not take it: line 3, column 5: the input is not made "
      "by "
      "a 'Log'\n"
      "6: the rule does not take it: line 3, column 5: the input is not made "
      "by "
      "a 'Log'\n" },
    /* a name that stands twice is one value, in any order */
    { N "Mul{x, Sigmoid(x)} => swish(x)\n"
        "  example Mul(x, Sigmoid(x)) => swish(x)\n"
        "  example Mul(Sigmoid(x), x) => swish(x)\n"
        "  example Mul(Sigmoid(x), y) => swish(x)\n",
      "6: the rule does not take it: line 3, column 16: two values are called "
      "'x'\n" },
    { N "Mul(x, x) => square(x)\n  example Mul(a, a) => square(a)\n"
        "  example Mul(a, b) => square(a)\n",
      "5: the rule does not take it: line 3, column 8: two values are called "
      "'x'\n" },
    /* the guard is asked of every order */
    { N "Mul{x, c} when is_const(c) => scalar_multiply(x; scalar: scalar(c))\n"
        "  example Mul(x, c:float32[] = 2.0) => scalar_multiply(x; scalar: 2)\n"
        "  example Mul(c:float32[] = 2.0, x) => scalar_multiply(x; scalar: "
        "2)\n",
      "" },
    /* constants by what they are */
    { N "Mul{x, 1.0} => identity(x)\n"
        "  example Mul(x, a:float32[2] = [1.0, 1.0]) => identity(x)\n"
        "  example Mul(x, a:float32[2] = [1.0, 2.0]) => identity(x)\n"
        "  example Mul(x, y:float32[2]) => identity(x)\n",
      "5: the rule does not take it: line 3, column 8: another constant is an "
      "input of 'Mul'\n"
      "6: the rule does not take it: line 3, column 8: another constant is an "
      "input of 'Mul'\n" },
    /* nodes that may be missing, attributes of inner nodes, other outputs */
    { N "Relu(maybe Cast(x; to as t, -saturate, -round_mode)) =>\n"
        "    relu(x; cutoff: if t == none then 0 else t)\n"
        "  example Relu(Cast(x; to: 3)) => relu(x; cutoff: 3)\n"
        "  example Relu(x) => relu(x; cutoff: 0)\n",
      "" },
    /* what is behind one that is missing must be there all the same */
    { N "Relu(maybe Neg(Exp(x))) => relu(x; cutoff: 0)\n"
        "  example Relu(Neg(Exp(x))) => relu(x; cutoff: 0)\n"
        "  example Relu(Exp(x)) => relu(x; cutoff: 0)\n"
        "  example Relu(x) => relu(x; cutoff: 0)\n",
      "6: the rule does not take it: line 3, column 16: the input is not made "
      "by a 'Exp'\n" },
    { N "Neg(TopK@11..(x, k; -axis, -largest, -sorted)[1]) => argmax(x, k)\n"
        "  example Neg(TopK@11(x, k) -> (v, i)[1]) => argmax(x, k)\n"
        "  example Neg(TopK@11(x, k) -> (v, i)[0]) => argmax(x, k)\n",
      "5: the rule does not take it: line 3, column 5: the input is not made "
      "by "
      "a 'TopK'\n" },
    /* a node that somebody else uses, too */
    { N "Mul(once Exp(x), y) => add(x, y)\nExp(x) => exp(x)\n"
        "Mul(x, y) => multiply(x, y)\n"
        "  example Mul(Exp(x) -> (e), e) => multiply(exp(x), exp(x))\n",
      "" },
    { N "TopK@11..(X, k; -axis, -largest, sorted) -> (v, i) =>\n"
        "    top_k(X, k; needSort: sorted == 1)\n"
        "  example TopK(x, k) -> (v, i) => top_k(x, k; needSort: true)\n"
        "  example TopK(x, k) -> (v, i) => [top_k(x, k; needSort: true), x]\n",
      "6: makes top_k(x, k; needSort: true), top_k(x, k; needSort: true)[1], "
      "not top_k(x, k; needSort: true), x\n" },
};

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        char             whys[2000] = "";

        tn_memory_init(&memory, NULL, 0);
        run_all(tn_text(cases[i].text), "a.rules", &memory, whys, sizeof whys,
                &error);
        assert_string_equal(error.what, "");
        assert_string_equal(whys, cases[i].whys);
        assert_int_equal(memory.used, 0);
    }
}

static const struct {
    const char *example, *what;
} refused[] = {
    { "Relu(x:floaty)", "line 4, column 18: expected a type, not 'floaty'" },
    { "Relu(x:float32[x])", "line 4, column 26: expected a dim, not 'x'" },
    { "Relu(x = 1)", "line 4, column 20: expected a type before a value, not "
                     "'1'" },
    { "Relu(x:int64[2] = [1]) => relu(x)",
      "line 4, column 29: 1 numbers, and dims for another count" },
    { "Relu(x)", "line 4, column 18: expected '=>', not the end of the file" },
    { "Relu(x) =>\n    relu(x) y",
      "line 5, column 13: expected the end of the example, not 'y'" },
    { "Relu(x; alpha) => relu(x)", "line 4, column 24: expected ':', not ')'" },
};

static void test_broken_examples_are_refused_where_they_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        char             text[400];

        snprintf(text, sizeof text, N "Relu(X) => relu(X)\n  example %s",
                 refused[i].example);
        tn_memory_init(&memory, NULL, 0);
        run_all(tn_text(text), "a.rules", &memory, NULL, 0, &error);
        assert_string_equal(error.what, refused[i].what);
        assert_int_equal(memory.used, 0);
    }
}

static void test_the_examples_we_carry_hold(void **state)
{
    struct tn_rule_text text;

    (void)state;
    for (uint32_t i = 0; tn_rules_builtin_at(i, &text); i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        char             whys[2000] = "";

        tn_memory_init(&memory, NULL, 0);
        run_all(rules_text(text.name), text.name, &memory, whys, sizeof whys, &error);
        assert_string_equal(error.what, "");
        assert_string_equal(whys, "");
    }
}

static enum tn_status run_any(struct tn_bytes input, struct tn_memory *memory,
                              struct tn_error *error)
{
    return run_all(input, "a.rules", memory, NULL, 0, error);
}

static void test_hostility(void **state)
{
    (void)state;
    tn_survives_every_flip(run_any, tn_text(cases[2].text));
    tn_survives_no_memory(run_any, tn_text(cases[7].text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_broken_examples_are_refused_where_they_stand),
        cmocka_unit_test(test_the_examples_we_carry_hold),
        cmocka_unit_test(test_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
