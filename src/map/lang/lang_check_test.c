/* lang_check_test.c - rules that drop, invent or forget something are found */
#include "map/lang/lang_check.h"

#include <stdio.h>

#include "map/lang/rule_sets.h"
#include "support/hostile.h"
#include "support/rules_text.h"

/* Every finding, with its place, one a line. */
struct findings {
    char     text[80000];
    size_t   size;
    unsigned count;
};

static void note(void *context, const struct tn_location *place,
                 const char *what)
{
    struct findings *to = context;

    to->count++;
    if (to->size < sizeof to->text - 400)
        to->size += (size_t)snprintf(to->text + to->size, 400, "%s%u:%u: %s",
                                     to->size ? "\n" : "", place->line,
                                     place->column, what);
}

static enum tn_status check(struct tn_bytes text, const char *name,
                            struct tn_memory *memory, struct findings *found,
                            struct tn_error *error)
{
    struct tn_arena     arena;
    struct tn_lang_file file;
    struct tn_vocab     vocabs[2];
    struct tn_lang_side from, to;

    tn_arena_init(&arena, memory);
    if (tn_lang_parse(&file, &arena, name, text, error) == TN_OK &&
        tn_lang_side_open(&from, &vocabs[0], &arena, file.from, error) ==
            TN_OK &&
        tn_lang_side_open(&to, &vocabs[1], &arena, file.to, error) == TN_OK)
        tn_lang_check(&file, &from, &to, found ? note : NULL, found, error);
    tn_lang_done(&file);
    tn_arena_done(&arena);
    return error->status;
}

#define N "rules onnx -> nd4j 1\n"
#define O "rules nd4j -> onnx 1\nignore inPlace dtype dataType\n"
#define T "rules tensorflow -> nd4j 1\n"
#define S "rules onnx -> onnx 1 simplify\n\n"

static const struct {
    const char *text, *found;
} cases[] = {
    /* rules that simplify come to an end */
    { S "Neg(Neg(X)) -> (Y) { Y <- X }", "" },
    { S "Where(Not(c), X, Y) => Where(c, Y, X)", "" },
    { S
      "Reshape(X, s; -allowzero) when not is_const(s) and known(value(s)) =>\n"
      "    Reshape(X, const(value(s), int64))",
      "" },
    { S "Relu(once Neg(X)) => Neg(Relu(X))",
      "3:1: could go on for ever: it may make 2 nodes, and takes away 2 for "
      "sure" },
    { S "Add(A, B) => Add(B, A)",
      "3:1: could go on for ever: it may make 1 nodes, and takes away 1 for "
      "sure" },
    { S "Relu(Neg(_X) as y) => Abs(y)",
      "3:1: could go on for ever: it may make 1 nodes, and takes away 1 for "
      "sure" },
    { S "Add(Neg(X), _B) => Add(X, X)",
      "3:1: could go on for ever: it may make 1 nodes, and takes away 1 for "
      "sure" },
    { S "Relu(maybe Neg(X)) => Abs(X)",
      "3:1: could go on for ever: it may make 1 nodes, and takes away 1 for "
      "sure" },
    { S "macro twice(X) -> (Y) { Y <- Neg(Neg(X)) }\n"
        "Relu(once Neg(X)) => twice(X)",
      "4:1: could go on for ever: it may make 2 nodes, and takes away 2 for "
      "sure" },
    { S "Sum(xs...) -> (Y) {\n    Y <- xs[0]\n"
        "    for x in xs { Y <- Add(Y, x) }\n}",
      "3:1: could go on for ever: nobody knows how many nodes it makes" },

    /* what is right */
    { N "Relu(X) => relu(X; cutoff: 0.0)", "" },
    { N "LeakyRelu(X; alpha) => lrelu(X; alpha)", "" },
    { N "Softmax@1..12(input; -axis) -> (output) { output <- input }", "" },
    { T "Relu(features; -T) => relu(features)", "" },
    { T "Relu(features) => relu(features)", "" },
    { O "abs(input) => Abs(input)", "" },
    { N "com.microsoft::Gelu(X; any) => lrelu(X; alpha: any)", "" },
    { N "Split@18..(x, s?; axis, -num_outputs) -> (ys...) {\n"
        "    if given(s) { refuse \"no\" } else { ys... <- split(x; numSplit: "
        "2, axis) }\n}",
      "" },

    /* heads */
    { N "Rely(X) => relu(X)", "2:1: onnx has no op 'Rely' in these versions" },
    { N "Gelu@..19(X; -approximate) => relu(X)",
      "2:1: onnx has no op 'Gelu' in these versions" },
    { N "LeakyRelu(X) => lrelu(X)",
      "2:1: 'LeakyRelu' has an attribute 'alpha': use it, or say -alpha" },
    { N "LeakyRelu(X; alpha) => lrelu(X)",
      "2:14: 'alpha' is not used: say -alpha if that is meant" },
    { N "Relu(X; alpha) => lrelu(X; alpha)",
      "2:9: 'Relu' has no attribute 'alpha'" },
    { N "Relu(X, _Y) => relu(X)", "2:1: 'Relu' never has that many inputs" },
    { N "Relu(X) -> (a, b) { a <- X\n b <- X }",
      "2:1: 'Relu' never has that many outputs" },
    { N "LeakyRelu(X; alpha: \"s\") => lrelu(X)",
      "2:21: 'alpha' is of type float" },
    { N "LeakyRelu(X; alpha as X) => lrelu(X; alpha: X)",
      "2:14: 'X' is there already: say alpha as ANOTHER\n"
      "2:35: 'X' is an attribute, not a value" },

    /* bodies */
    { N "Relu(X) => rely(X)", "2:12: nd4j has no op 'rely'" },
    { N "Relu(X) => relu(X; slope: 1)",
      "2:20: 'relu' has no attribute 'slope'" },
    { N "Relu(X) => lrelu(X; alpha: \"s\")", "2:28: 'alpha' is of type float" },
    { N "Relu(X) => lrelu(X, X)", "2:12: 2 inputs for 'lrelu', which takes 1" },
    { N "Relu(_X) => lrelu()", "2:13: 0 inputs for 'lrelu', which needs 1" },
    { N "Add(A, B) => abs(A)",
      "2:8: input 'B' is not used: call it _B if that is meant" },
    { N "LeakyRelu(X; alpha) -> (Y) { refuse \"to be written\" }", "" },
    { N "Dropout@13..(X, _r?, _t?; -seed) -> (Y, m?) => lrelu(X)",
      "2:48: 2 outputs of 'lrelu', which has 1" },
    { O "abs(input) => Cast(input)", "3:15: 'Cast' needs an attribute 'to'" },
    { O "abs(input) => Gelu(input)", "" }, /* it came later */
    { O "abs(input) => Upsample(input, input)",
      "3:15: onnx has no op 'Upsample'" },

    /* names */
    { N "Relu(_X) => relu(Y)", "2:18: there is no 'Y' here" },
    { N "LeakyRelu(_X; alpha) => relu(alpha)",
      "2:30: 'alpha' is an attribute, not a value" },
    { N "Relu(X) -> (Y) { if rank(X) == 1 { Y <- X } }",
      "2:13: 'Y' is not bound on every way to the end" },
    { N "Relu(X) -> (Y) { if rank(X) == 1 { Z <- X } else { }\n  Y <- Z }",
      "3:8: 'Z' is not bound on every way that leads here" },
    { N "Relu(X) -> (Y) { for i, d in shape(X) {\n"
        "    if i == 0 { Y <- X } else { Y <- relu(Y) }\n} }",
      "" },
    { N "Relu(X) -> (Y) { Y <- Z\n for d in shape(X) { Z <- X } }",
      "2:23: there is no 'Z' here" },
    { N "Split@18..(x, _s?; axis, -num_outputs) -> (ys...) =>\n"
        "    split(x; numSplit: len(ys), axis)",
      "" },
    { N
      "Relu(X) -> (Y) { for d in shape(X) { Y <- X }\n Y <- relu(X; cutoff: d) "
      "}",
      "3:23: there is no 'd' here" },
    { N "Relu(X) -> (Y) { Y <- lrelu(X; alpha: sum([d for d in shape(X)]) + d) "
        "}",
      "2:68: there is no 'd' here" },
    { N "Relu(X) -> (Y) { if wanted(X) { Y <- X } else { Y <- X } }",
      "2:28: wanted() is asked of an output" },

    /* definitions */
    { N "def f(x, y) = x\nRelu(X) => relu(X; cutoff: f(1))",
      "3:28: 1 arguments for 'f', which takes 2" },
    { N "def f(x) = y", "2:12: there is no 'y' here" },
    { N "table t { 1: 2, 2: 3, 1: 4 }",
      "2:23: table 't' has this key already" },
    { N "table t { 1: 2 }\nRelu(X) => relu(X; cutoff: t(1, 2))",
      "3:28: 2 arguments for 't', which takes 1" },
    { N "macro m(x; k, j = 1) -> (y) { y <- relu(x; cutoff: k + j) }\n"
        "Relu(X) => m(X, X; l: 1)",
      "3:12: 2 arguments for 'm', which takes 1\n"
      "3:20: 'm' has no parameter 'l'\n3:12: 'm' needs its parameter 'k'" },
    { N "macro m(x; k) -> (y) { z <- relu(x) }",
      "2:12: 'k' is not used: say -k if that is meant\n"
      "2:19: 'y' is not bound on every way to the end" },
    { N "Relu(_X) => relu(const(1))",
      "2:18: 1 arguments for 'const', which takes at least 2" },

    { N "LeakyRelu(X; alpha) => native magic",
      "2:1: no function in C is called 'magic'" },

    /* order */
    { N "Relu(X) => relu(X)\nRelu(X) => exp(X)",
      "3:1: never tried: the rule of line 2 takes all there is" },
    { N "Relu@13..(X) => relu(X)\nRelu(X) => exp(X)\n"
        "Exp(X) when rank(X) == 1 => exp(X)\nExp(X) => exp(X)\n"
        "Abs(X) => lrelu(X; alpha: 1 / rank(X))\nAbs(X) => abs(X)",
      "" },

    /* there and back */
    { "rules onnx <-> nd4j 1\nignore inPlace dataType\n"
      "LeakyRelu(X; alpha) <=> lrelu(X; alpha)\nExp(X) <=> exp(X)",
      "" },
    { "rules onnx <-> nd4j 1\nRelu(X) <=> lrelu(X)",
      "2:13: 'lrelu' has an attribute 'alpha': use it, or say -alpha" },
    { "rules onnx <-> nd4j 1\nRelu(X) <= lrelu(X; alpha: 0)", "" },

    /* shapes need not name what does not matter to them */
    { "shapes onnx 1\nLeakyRelu(X) : dtype(X) shape(X)", "" },
    { "shapes onnx 1\nLeakyRelu(X; beta) : dtype(X) shape(Y)",
      "2:14: 'LeakyRelu' has no attribute 'beta'\n"
      "2:37: there is no 'Y' here\n"
      "2:14: 'beta' is not used: say -beta if that is meant" },
};

static void test_what_is_wrong_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct findings  found = { 0 };
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        check(tn_text(cases[i].text), "a.rules", &memory, &found, &error);
        if (strcmp(found.text, cases[i].found) != 0)
            print_error("%s\n", cases[i].text);
        assert_string_equal(found.text, cases[i].found);
        assert_int_equal(error.status,
                         cases[i].found[0] ? TN_MALFORMED : TN_OK);
        assert_int_equal(memory.used, 0);
    }
}

static void assert_clean(struct tn_bytes text, const char *name)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct findings  found = { 0 };
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 0);
    check(text, name, &memory, &found, &error);
    if (tn_failed(&error))
        print_error("%s: %u findings, %s\n", name, found.count, error.what);
    for (char *line = strtok(found.text, "\n"); line; line = strtok(NULL, "\n"))
        print_error("%s:%s\n", name, line);
    assert_int_equal(error.status, TN_OK);
}

/* Dropping an attribute silently breaks the build. */
static void test_the_rules_we_carry_drop_nothing(void **state)
{
    struct tn_rule_text text;

    (void)state;
    for (uint32_t i = 0; tn_rules_builtin_at(i, &text); i++)
        assert_clean(rules_text(text.name), text.name);
}

static void test_the_shapes_we_carry_are_of_ops_that_exist(void **state)
{
    static const char *const files[] = { "onnx.shapes", "nd4j.shapes",
                                         "tensorflow.shapes", "paddle.shapes",
                                         "tflite.shapes" };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_clean(rules_text(files[i]), files[i]);
}

static enum tn_status check_any(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    return check(input, "a.rules", memory, NULL, error);
}

static void test_hostility(void **state)
{
    (void)state;
    tn_survives_no_memory(
        check_any,
        tn_text(N "macro m(x; k) -> (y) { y <- relu(x; cutoff: k) }\n"
                  "LeakyRelu(X; alpha) => m(X; k: alpha)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_wrong_is_found),
        cmocka_unit_test(test_the_rules_we_carry_drop_nothing),
        cmocka_unit_test(test_the_shapes_we_carry_are_of_ops_that_exist),
        cmocka_unit_test(test_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
