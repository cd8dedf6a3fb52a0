/* assume_test.c - ordinary assumptions about inputs of a node */
#include "engine/assume.h"

#include "engine/node_testing.h"
#include "map/dl4j/map_tensor.h"

static const char words[] =
    "vocabulary onnx 1\n"
    "domain ai.onnx \"\"\n"
    "op Any@1 (x $T, y? $T, k? int64) -> (z $T)\n"
    "    $T in {float32 float64}\n"
    "    axis? int\n"
    "    kernel_shape? list(int)\n"
    "    perm? list(int)\n"
    "op Image@1 (x $T[r 3..], k int64[1]) -> (z $T[r])\n"
    "    $T in {uint8 int64}\n"
    "op OneHot@1 (indices $I, depth $D) -> (z $T)\n"
    "    $I in {int32 int64}\n"
    "    $D in {int32 int64}\n"
    "    $T in {float32}\n";

#define ANY "op_type: 'Any' input: 'x' input: 'y' output: 'z'"

static void test_types(void **state)
{
    const enum tn_framework onnx = TN_FRAMEWORK_ONNX;
    const enum tn_framework tf   = TN_FRAMEWORK_TENSORFLOW;
    uint64_t ints = TN_VOCAB_TYPE(TN_INT32) | TN_VOCAB_TYPE(TN_INT64);

    (void)state;
    assert_int_equal(tn_assumed_type(0, onnx), TN_FLOAT32);
    assert_int_equal(tn_assumed_type(UINT64_MAX, onnx), TN_FLOAT32);
    assert_int_equal(tn_assumed_type(ints, onnx), TN_INT64);
    assert_int_equal(tn_assumed_type(ints, tf), TN_INT32);
    assert_int_equal(tn_assumed_type(TN_VOCAB_TYPE(TN_COMPLEX64), onnx),
                     TN_COMPLEX64);
}

/* The rank that is tried first. */
static const struct {
    const char *node;
    uint32_t    first, least; /* and none is below                            */
} ranks[] = {
    { ANY, 2, 0 },
    { ANY " attribute { name: 'perm' type: INTS ints: 2 ints: 0 ints: 1 }", 3,
      0 },
    { ANY " attribute { name: 'kernel_shape' type: INTS ints: 2 }", 3, 0 },
    { ANY " attribute { name: 'axis' type: INT i: 2 }", 4, 3 },
    { ANY " attribute { name: 'axis' type: INT i: -5 }", 5, 5 },
    { ANY " attribute { name: 'axis' type: INT i: 6 }", 7, 7 },
    { ANY " attribute { name: 'axis' type: INT i: 99 }", 2, 0 },
    { "op_type: 'Image' input: 'x' input: 'k' output: 'z'", 4, 3 },
};

static void test_guesses_begin_with_what_is_usual(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof ranks / sizeof ranks[0]; row++) {
        struct testing_known t;
        struct tn_guess      g[TN_GUESS_MAX];
        uint32_t             count, least = UINT32_MAX;

        testing_know(&t, ranks[row].node, words, NULL);
        count = tn_guesses(&t.known, g);
        assert_in_range(count, 3, TN_GUESS_MAX);
        assert_int_equal(g[0].kind, TN_GUESS_TYPES);
        assert_int_equal(g[1].kind, TN_GUESS_USUAL);
        assert_int_equal(g[2].kind, TN_GUESS_RANKS);
        if (g[2].rank != ranks[row].first)
            fail_msg("row %zu: rank %u first", row, (unsigned)g[2].rank);
        for (uint32_t i = 2; i < count; i++) {
            assert_true(g[i].kind >= g[i - 1].kind); /* little, then much */
            least = g[i].rank < least ? g[i].rank : least;
        }
        if (least != ranks[row].least)
            fail_msg("row %zu: least rank %u", row, (unsigned)least);
        testing_forget(&t);
    }
}

/* What is assumed under a guess, as text. */
static const struct {
    const char     *node, *told;
    struct tn_guess guess;
    const char     *text;
} guesses[] = {
    { ANY, NULL, { .kind = TN_GUESS_TYPES }, "x:float32" },
    { ANY, "y:float64", { .kind = TN_GUESS_TYPES }, "" },
    { ANY, "x:float64 y:float64", { .kind = TN_GUESS_TYPES }, "" },
    { "op_type: 'Any' input: 'x' input: 'x' output: 'z'",
      NULL,
      { .kind = TN_GUESS_TYPES },
      "x:float32" },
    { "op_type: 'Any' input: 'x' input: '' output: 'z'",
      NULL,
      { .kind = TN_GUESS_TYPES },
      "x:float32" },
    { "op_type: 'Any' input: 'a b' output: 'z'",
      NULL,
      { .kind = TN_GUESS_TYPES },
      "\"a b\":float32" },
    { ANY,
      NULL,
      { .kind = TN_GUESS_RANKS, .rank = 3, .others = 1 },
      "x:float32[?,?,?] y:float32[?]" },
    { ANY,
      "x:float64[2,4]",
      { .kind = TN_GUESS_RANKS, .rank = 3, .others = 1 },
      "y:float64[?]" },
    { ANY,
      NULL,
      { .kind = TN_GUESS_SIZES, .rank = 2, .others = 0 },
      "x:float32[8,8] y:float32[]" },
    { ANY,
      NULL,
      { .kind = TN_GUESS_RANKS, .rank = 2, .others = -1 },
      "x:float32[?,?]" },
    { "op_type: 'Image' input: 'x' input: 'k' output: 'z'",
      NULL,
      { .kind = TN_GUESS_RANKS, .rank = 1, .others = 0 },
      "x:int64[?,?,?] k:int64[?]" },
    { "op_type: 'Image' input: 'x' input: 'k' output: 'z'",
      NULL,
      { .kind = TN_GUESS_VALUES, .rank = 4, .value = 1, .count = 2 },
      "x:int64[8,8,8,8] k:int64[2]=[1,1]" },
    { "op_type: 'Image' input: 'x' input: 'k' output: 'z'",
      "k:int64=[3]",
      { .kind = TN_GUESS_VALUES, .rank = 4, .value = 1, .count = 2 },
      "x:int64[8,8,8,8]" },
    { "op_type: 'OneHot' input: 'i' input: 'd' output: 'z'",
      NULL,
      { .kind = TN_GUESS_USUAL },
      "i:int64[?,?] d:int64[]" },
    { "op_type: 'OneHot' input: 'i' input: 'd' output: 'z'",
      "i:int32[7]",
      { .kind = TN_GUESS_USUAL },
      "d:int64[]" },
};

static void test_only_what_is_not_told_is_assumed(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof guesses / sizeof guesses[0]; row++) {
        struct testing_known  t;
        struct tn_node_input *used;
        struct tn_bytes       text;

        testing_know(&t, guesses[row].node, words, guesses[row].told);
        used = tn_new(&t.arena, struct tn_node_input, t.bare.node.input_count,
                      &t.error);
        assert_int_equal(tn_guess_apply(&guesses[row].guess, &t.known, t.inputs,
                                        used, &t.arena, &t.error),
                         TN_OK);
        text = tn_guess_text(&t.known, t.inputs, used, &t.arena, &t.error);
        if (!tn_bytes_is(text, guesses[row].text))
            fail_msg("row %zu: %.*s", row, TN_FMT(text));
        testing_forget(&t);
    }
}

static void test_assumed_values_are_tensors(void **state)
{
    const struct tn_guess guess = {
        .kind = TN_GUESS_VALUES, .rank = 4, .value = 1, .count = 3
    };
    struct tn_node_input used[2];
    struct tn_map_tensor tensor;
    struct testing_known t;

    (void)state;
    testing_know(&t, "op_type: 'Image' input: 'x' input: 'k' output: 'z'",
                 words, NULL);
    tn_guess_apply(&guess, &t.known, t.inputs, used, &t.arena, &t.error);
    assert_null(used[0].tensor.data);
    assert_int_equal(tn_bare_tensor_read(&tensor, TN_FRAMEWORK_ONNX,
                                         used[1].tensor, &t.arena, &t.error),
                     TN_OK);
    assert_int_equal(tensor.dtype, TN_INT64);
    assert_int_equal(tensor.count, 3);
    assert_int_equal(tensor.ints[2], 1);
    testing_forget(&t);
}

/* A guess that helped is taken back as far as it was not needed. */
static void test_less_of_a_guess(void **state)
{
    static const char *const texts[] = { "", "x:float32", "x:float32[?,?]",
                                         "x:float32[8,8]" };
    const struct tn_guess    guess   = { .kind   = TN_GUESS_SIZES,
                                         .rank   = 2,
                                         .others = -1 };
    struct tn_node_input     used, less;
    struct testing_known     t;

    (void)state;
    testing_know(&t, "op_type: 'Any' input: 'x' output: 'z'", words, NULL);
    tn_guess_apply(&guess, &t.known, t.inputs, &used, &t.arena, &t.error);
    for (unsigned how = 0; how < 4; how++) {
        bool is_less =
            tn_guess_less(t.inputs, &used, how, &less, &t.arena, &t.error);
        struct tn_bytes text =
            tn_guess_text(&t.known, t.inputs, &less, &t.arena, &t.error);
        assert_int_equal(is_less, how < 3);
        if (!tn_bytes_is(text, texts[how]))
            fail_msg("%u: %.*s", how, TN_FMT(text));
    }
    testing_forget(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_guesses_begin_with_what_is_usual),
        cmocka_unit_test(test_only_what_is_not_told_is_assumed),
        cmocka_unit_test(test_assumed_values_are_tensors),
        cmocka_unit_test(test_less_of_a_guess),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
