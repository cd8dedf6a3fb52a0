/* value_types_test.c - types of producers and consumers, edge by edge */
#include "ir/value_types.h"

#include "ir/value_testing.h"

static const char vocabulary[] = "vocabulary test 1\n"
                                 "types two = {float32 float16}\n"
                                 "types any = {two int64}\n"
                                 "domain \"\"\n"
                                 "op Add (A $T, B $T) -> (C $T)\n"
                                 "    $T in {two}\n"
                                 "op Any (X* ~$T) -> (Y int64)\n"
                                 "    $T in {two int64 bool}\n"
                                 "op Cast (X $T) -> (Y $U)\n"
                                 "    $T in {two int64}\n"
                                 "    $U in {two int64}\n"
                                 "op Cat (X+ $T) -> (Y $T)\n"
                                 "    $T in {two int64}\n"
                                 "op Maths (X $F|any, Z? $F|any)"
                                 " -> (Y $F|any)\n"
                                 "    $F in {two}\n"
                                 "op Mul (A $T, B $T) -> (C $T) promotes\n"
                                 "    $T in {two int64}\n"
                                 "op Seq (X $T) -> (Y $S)\n"
                                 "    $T in {two}\n"
                                 "    $S in {seq(float32)}\n";

static const char said_by_attrs[] =
    "vocabulary test 1\n"
    "domain \"\"\n"
    "op Add (a $T, b $T) -> (c $T)\n"
    "    T type\n"
    "op Cast (a $S) -> (c $D)\n"
    "    S type\n"
    "    D type = float32\n"
    "op Pack (v N*$T, w *Ts) -> (x *Ts, y N*$T)\n"
    "    N int\n"
    "    T type\n"
    "    Ts list(type)\n"
    "op Read () -> (c $T)\n"
    "    T type\n";

/* What Cast makes; of others nothing is known. */
static uint8_t made(void *context, uint32_t op, const struct tn_vocab_op *kind,
                    uint32_t output)
{
    (void)context;
    (void)op;
    (void)output;
    return tn_bytes_is(kind->name, "Cast") ? TN_TYPE(TN_INT64, TN_WRAP_NONE)
                                           : 0;
}

/* ---- claims ------------------------------------------------------------- */

static const struct testing_claim values_say[] = {
    { "one type", "afbf", { { "", "Add", "ab", "c", "" } }, "", "", "" },
    { "nothing is known", "", { { "", "Add", "ab", "c", "" } }, "", "", "" },
    { "one is known", "af", { { "", "Add", "ab", "c", "" } }, "", "", "" },
    { "two types",
      "afbh",
      { { "", "Add", "ab", "c", "" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32 and 'b' is float16; Add takes them in one type" },
    { "a type that it does not take",
      "ai",
      { { "", "Add", "ab", "c", "" } },
      "type-not-allowed",
      "graph.node[0]",
      "'a' is int64, which Add does not take as 'A'" },
    { "types follow",
      "afbfdh",
      { { "", "Add", "ab", "c", "" }, { "", "Add", "cd", "e", "" } },
      "type-mismatch",
      "graph.node[1]",
      "'c' is float32 and 'd' is float16; Add takes them in one type" },
    { "through what nobody knows",
      "dh",
      { { "", "Add", "ab", "c", "" }, { "", "Add", "cd", "e", "" } },
      "",
      "",
      "" },
    { "each of its own",
      "afbhci",
      { { "", "Any", "abc", "d", "" } },
      "",
      "",
      "" },
    { "the last of many",
      "afbfch",
      { { "", "Cat", "abc", "d", "" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32 and 'c' is float16; Cat takes them in one type" },
    { "what an attribute makes",
      "afbf",
      { { "", "Cast", "a", "c", "" }, { "", "Add", "bc", "d", "" } },
      "type-not-allowed",
      "graph.node[1]",
      "'c' is int64, which Add does not take as 'B'" },
    { "declared otherwise",
      "afbfch",
      { { "", "Add", "ab", "c", "" } },
      "type-mismatch",
      "graph.node[0]",
      "'c' is float32, and declared as float16" },
    { "floats follow",
      "afbh",
      { { "", "Maths", "a", "c", "" }, { "", "Add", "bc", "d", "" } },
      "type-mismatch",
      "graph.node[1]",
      "'b' is float16 and 'c' is float32; Add takes them in one type" },
    { "floats are compared",
      "afbh",
      { { "", "Maths", "ab", "c", "" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32 and 'b' is float16; Maths takes them in one type" },
    { "others do not follow",
      "aibf",
      { { "", "Maths", "a", "c", "" }, { "", "Add", "bc", "d", "" } },
      "",
      "",
      "" },
    { "nor what stands beside them",
      "aibfdh",
      { { "", "Maths", "ba", "c", "" }, { "", "Add", "cd", "e", "" } },
      "",
      "",
      "" },
    { "declared as another",
      "afci",
      { { "", "Maths", "a", "c", "" } },
      "",
      "",
      "" },
    { "neither the variable's nor another",
      "ab",
      { { "", "Maths", "a", "c", "" } },
      "type-not-allowed",
      "graph.node[0]",
      "'a' is bool, which Maths does not take as 'X'" },
    { "one is promoted",
      "afbhdi",
      { { "", "Mul", "ab", "c", "" }, { "", "Cat", "cd", "e", "" } },
      "",
      "",
      "" },
    { "neither is",
      "afbfdi",
      { { "", "Mul", "ab", "c", "" }, { "", "Cat", "cd", "e", "" } },
      "type-mismatch",
      "graph.node[1]",
      "'c' is float32 and 'd' is int64; Cat takes them in one type" },
    { "one is not known, and may decide",
      "afdi",
      { { "", "Mul", "ab", "c", "" }, { "", "Cat", "cd", "e", "" } },
      "",
      "",
      "" },
    { "a sequence is no tensor",
      "af",
      { { "", "Seq", "a", "b", "" }, { "", "Add", "bb", "c", "" } },
      "type-not-allowed",
      "graph.node[1]",
      "'b' is sequence of float32, which Add does not take as 'A'" },
};

static const struct testing_claim attrs_say[] = {
    { "one type",
      "",
      { { "", "Read", "", "a", "T=dh" }, { "", "Add", "aa", "b", "T=dh" } },
      "",
      "",
      "" },
    { "the consumer says another",
      "",
      { { "", "Read", "", "a", "T=df" }, { "", "Add", "aa", "b", "T=dh" } },
      "type-mismatch",
      "graph.node[1]",
      "'a' is float32, Add takes float16 there" },
    { "the producer comes later",
      "",
      { { "", "Add", "aa", "b", "T=dh" }, { "", "Read", "", "a", "T=df" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32, Add takes float16 there" },
    { "the default of an attribute",
      "",
      { { "", "Read", "", "a", "T=dh" },
        { "", "Cast", "a", "b", "S=dh" },
        { "", "Add", "bb", "c", "T=dh" } },
      "type-mismatch",
      "graph.node[2]",
      "'b' is float32, Add takes float16 there" },
    { "an argument of a function",
      "af",
      { { "", "Add", "aa", "b", "T=dh" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32, Add takes float16 there" },
    { "lists",
      "afbfchdi",
      { { "", "Pack", "abcd", "efgh", "N=i2;T=df;Ts=dhi" },
        { "", "Add", "gh", "i", "T=df" } },
      "",
      "",
      "" },
    { "in a list of types",
      "afbfcf",
      { { "", "Pack", "abcc", "e", "N=i2;T=df;Ts=dhf" } },
      "type-mismatch",
      "graph.node[0]",
      "'c' is float32, Pack takes float16 there" },
    { "out of a list of types",
      "afbfchdi",
      { { "", "Pack", "abcd", "efgh", "N=i2;T=df;Ts=dhi" },
        { "", "Add", "fg", "i", "T=df" } },
      "type-mismatch",
      "graph.node[1]",
      "'f' is int64, Add takes float32 there" },
    { "past the end of a list",
      "af",
      { { "", "Pack", "aa", "xyzuv", "N=i2;T=df" },
        { "", "Add", "vv", "i", "T=df" } },
      "missing-attribute",
      "graph.node[0]",
      "Pack without 'Ts'" },
};

static void values_are_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof values_say / sizeof *values_say; i++)
        testing_hold(&values_say[i], NULL, &testing_by_values, vocabulary,
                     (struct tn_vocab_use){ .made = made });
}

static void attributes_are_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof attrs_say / sizeof *attrs_say; i++)
        testing_hold(&attrs_say[i], NULL, &testing_by_attrs, said_by_attrs,
                     (struct tn_vocab_use){ .made = made });
}

static enum tn_status judge_values(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    struct testing_scene s = { .claim = &values_say[5] };

    (void)input;
    return testing_judge(&s, memory, &testing_by_values, vocabulary,
                         (struct tn_vocab_use){ .made = made }, error);
}

static enum tn_status judge_attrs(struct tn_bytes   input,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct testing_scene s = { .claim = &attrs_say[5] };

    (void)input;
    return testing_judge(&s, memory, &testing_by_attrs, said_by_attrs,
                         (struct tn_vocab_use){ .made = made }, error);
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(judge_values, tn_text("x"));
    tn_survives_no_memory(judge_attrs, tn_text("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_compared),
        cmocka_unit_test(attributes_are_compared),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
