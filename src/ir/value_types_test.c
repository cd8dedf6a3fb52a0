/* value_types_test.c - types of producers and consumers, edge by edge */
#include "ir/value_types.h"

#include "ir/vocab_testing.h"

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

/* ---- a graph ------------------------------------------------------------ */

struct claim {
    const char *name;
    const char *declared; /* "af": a is float32                               */
    struct testing_node nodes[3];
    const char *rule, *where, *what; /* "": nothing is wrong                  */
};

struct scene {
    const struct claim  *claim;
    struct tn_model      model;
    struct testing_file  file;
    struct testing_heard heard;
};

static void declare(void *context, uint8_t *types)
{
    struct scene   *s     = context;
    struct tn_error error = TN_ERROR_INIT;

    for (const char *p = s->claim->declared; *p; p += 2) {
        uint32_t value = testing_value(&s->model, 0, p[0], &error);
        if (value != TN_NONE)
            types[value] = TN_TYPE(testing_dtype(p[1]), TN_WRAP_NONE);
    }
}

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

static enum tn_status judge(struct scene *s, struct tn_memory *memory,
                            const struct tn_dialect *dialect, const char *words,
                            struct tn_error *error)
{
    struct tn_report    report = { .each = testing_hear, .context = &s->heard };
    struct tn_vocab     vocab;
    struct tn_vocab_use use = { .vocab          = &vocab,
                                .context        = s,
                                .declare        = declare,
                                .made           = made,
                                .compares_types = true,
                                .file           = "",
                                .free_prefix    = "_",
                                .unknown        = TN_LEVEL_ERROR,
                                .deprecated     = TN_LEVEL_ERROR };

    testing_file_init(&s->file);
    tn_model_init(&s->model, memory);
    s->model.dialect = dialect;
    tn_model_add_graph(&s->model, TN_GRAPH_MAIN, "graph", "node", error);
    for (const char *p = s->claim->declared; *p; p += 2)
        testing_value(&s->model, 0, *p, error);
    for (uint64_t i = 0; i < 3 && s->claim->nodes[i].type; i++)
        if (!tn_failed(error))
            testing_add(&s->model, 0, &s->file, &s->claim->nodes[i],
                        10 + 50 * i, error);
    if (!tn_failed(error) &&
        tn_vocab_load(&vocab, &s->model.arena, tn_text(words), error) == TN_OK)
        tn_vocab_check(&s->model, &use, &report, error);
    tn_model_done(&s->model);
    return error->status;
}

/* ---- claims ------------------------------------------------------------- */

static const struct claim values_say[] = {
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
    { "each of its own", "afbhci", { { "", "Any", "abc", "d", "" } }, "", "", "" },
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

static const struct claim attrs_say[] = {
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
      { { "", "Pack", "aa", "xyzuv", "N=i2;T=df" }, { "", "Add", "vv", "i", "T=df" } },
      "missing-attribute",
      "graph.node[0]",
      "Pack without 'Ts'" },
};

static void hold(const struct claim *claims, size_t count,
                 const struct tn_dialect *dialect, const char *words)
{
    for (size_t i = 0; i < count; i++) {
        struct scene     s     = { .claim = &claims[i] };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        assert_int_equal(judge(&s, &memory, dialect, words, &error), TN_OK);
        assert_int_equal(memory.used, 0);
        if (strcmp(s.heard.rule, claims[i].rule) ||
            strcmp(s.heard.where, claims[i].where) ||
            strcmp(s.heard.what, claims[i].what))
            fail_msg("%s: %d findings, first %s at %s: %s", claims[i].name,
                     s.heard.count, s.heard.rule, s.heard.where, s.heard.what);
        if (s.heard.count)
            assert_int_equal(s.heard.level, TN_LEVEL_ERROR);
    }
}

static void values_are_compared(void **state)
{
    (void)state;
    hold(values_say, sizeof values_say / sizeof *values_say, &testing_by_values,
         vocabulary);
}

static void attributes_are_compared(void **state)
{
    (void)state;
    hold(attrs_say, sizeof attrs_say / sizeof *attrs_say, &testing_by_attrs,
         said_by_attrs);
}

static enum tn_status judge_values(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    struct scene s = { .claim = &values_say[5] };

    (void)input;
    return judge(&s, memory, &testing_by_values, vocabulary, error);
}

static enum tn_status judge_attrs(struct tn_bytes   input,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct scene s = { .claim = &attrs_say[5] };

    (void)input;
    return judge(&s, memory, &testing_by_attrs, said_by_attrs, error);
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
