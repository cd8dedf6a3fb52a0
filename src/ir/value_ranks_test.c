/* value_ranks_test.c - ranks of producers and consumers, edge by edge */
#include "ir/value_ranks.h"

#include "ir/value_testing.h"

static const char vocabulary[] =
    "vocabulary test 1\n"
    "domain \"\"\n"
    "op Add (A int8[..r], B int8[..r]) -> (C int8[r])\n"
    "op Cat (X+ int8[r 1..]) -> (Y int8[r])\n"
    "op Conv (X int8[r 3..], W int8[r], B? int8[1]) -> (Y int8[r])\n"
    "op Flat (X int8) -> (Y int8[2])\n"
    "op Mul (A int8[2], B int8[2..3]) -> (C int8[2])\n"
    "op Relu (X int8[r]) -> (Y int8[r])\n"
    "op Turn (X int8) -> (Y int8)\n";

static const struct tn_vocab_use only_these = { .half = TN_VOCAB_VALUES };

/* clang-format off */
static const struct testing_claim claims[] = {
    { "one rank", "a4b4c1", { { "", "Conv", "abc", "y", "" } }, "", "", "" },
    { "nothing is known", "", { { "", "Conv", "abc", "y", "" } }, "", "", "" },
    { "one is known", "a4", { { "", "Conv", "ab", "y", "" } }, "", "", "" },
    { "two ranks", "a4b3", { { "", "Conv", "ab", "y", "" } },
      "rank-mismatch", "graph.node[0]",
      "'b' has rank 3, and 'a' has rank 4; Conv takes them in one rank" },
    { "too few", "a2", { { "", "Conv", "ab", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'a' has rank 2, Conv takes 'X' of rank at least 3" },
    { "another than the only one", "c2", { { "", "Conv", "abc", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'c' has rank 2, Conv takes 'B' of rank 1" },
    { "neither of two", "b4", { { "", "Mul", "ab", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'b' has rank 4, Mul takes 'B' of rank 2 to 3" },
    { "one of two", "a2b3", { { "", "Mul", "ab", "y", "" } }, "", "", "" },
    { "the last of many", "a2b2c3", { { "", "Cat", "abc", "y", "" } },
      "rank-mismatch", "graph.node[0]",
      "'c' has rank 3, and 'a' has rank 2; Cat takes them in one rank" },
    { "a scalar", "a0", { { "", "Cat", "a", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'a' has rank 0, Cat takes 'X' of rank at least 1" },
    { "it follows", "a4", { { "", "Relu", "a", "b", "" }, { "", "Mul", "bc", "y", "" } },
      "rank-not-allowed", "graph.node[1]", "'b' has rank 4, Mul takes 'A' of rank 2" },
    { "out of order", "a4", { { "", "Mul", "cd", "y", "" }, { "", "Relu", "b", "c", "" }, { "", "Relu", "a", "b", "" } },
      "rank-not-allowed", "graph.node[0]", "'c' has rank 4, Mul takes 'A' of rank 2" },
    { "round and round", "", { { "", "Relu", "b", "a", "" }, { "", "Relu", "a", "b", "" } }, "", "", "" },
    { "what it always makes", "", { { "", "Flat", "a", "b", "" }, { "", "Conv", "bc", "y", "" } },
      "rank-not-allowed", "graph.node[1]", "'b' has rank 2, Conv takes 'X' of rank at least 3" },
    { "through what nobody knows", "a4", { { "", "Turn", "a", "b", "" }, { "", "Mul", "bc", "y", "" } }, "", "", "" },
    { "the larger of two", "a1b4", { { "", "Add", "ab", "c", "" }, { "", "Mul", "cd", "y", "" } },
      "rank-not-allowed", "graph.node[1]", "'c' has rank 4, Mul takes 'A' of rank 2" },
    { "one of them is not known", "b4", { { "", "Add", "ab", "c", "" }, { "", "Mul", "cd", "y", "" } }, "", "", "" },
    { "declared otherwise", "a4y2", { { "", "Relu", "a", "y", "" } },
      "rank-mismatch", "graph.node[0]", "'y' has rank 2, and Relu makes it of rank 4" },
    { "declared otherwise than always", "y4", { { "", "Flat", "a", "y", "" } },
      "rank-mismatch", "graph.node[0]", "'y' has rank 4, and Flat makes it of rank 2" },
    { "an operator that nobody knows", "a4y2", { { "", "My", "a", "y", "" } }, "", "", "" },
};
/* clang-format on */

static void ranks_are_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        assert_true(testing_hold(&claims[i], NULL, &testing_by_values,
                                 vocabulary, only_these) <= 1);
}

static enum tn_status judge_one(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct testing_scene s = { .claim = &claims[10] };

    (void)input;
    return testing_judge(&s, memory, &testing_by_values, vocabulary, only_these,
                         error);
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(judge_one, tn_text("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_compared),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
