/*
 * tf_check_calls_test.c - types and ranks that go into functions and come out
 * of them
 *
 * A rule in parentheses is a note.
 */
#include "format/tensorflow/tf_check_testing.h"

/* clang-format off */
#define POOLING \
    TYPE("T", "DT_FLOAT") "attr { key: 'ksize' value { list { i: [1, 1, 1, 1] } } } attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } } " \
    "attr { key: 'padding' value { s: 'VALID' } }"
#define POOL(x)  "node { name: 'p' op: 'MaxPool' input: '" x "' " POOLING " }"
#define POOL2(x) "node { name: 'p2' op: 'MaxPool' input: '" x "' " POOLING " }"
#define ADDS(x)  "node { name: 'q' op: 'BiasAdd' input: '" x "' input: '" x "' " TYPE("T", "DT_FLOAT") " }"
#define SHAPES(name) /* gives its argument, of a rank that nobody knows     */ \
    "function { signature { name: '" name "' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } " \
    "node_def { name: 'n' op: 'Rank' input: 'a' " TYPE("T", "DT_FLOAT") " } " \
    "node_def { name: 'm' op: 'ExpandDims' input: 'a' input: 'n:output:0' " TYPE("T", "DT_FLOAT") " } ret { key: 'y' value: 'm:output:0' } }"
#define BROKEN(name) /* pools a scalar                                     */ \
    "function { signature { name: '" name "' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } " \
    "node_def { name: 'n' op: 'Const' " DTYPE("DT_FLOAT") VALUE("dtype: DT_FLOAT tensor_shape { } float_val: 1") " } " \
    "node_def { name: 'm' op: 'MaxPool' input: 'n:output:0' " POOLING " } ret { key: 'y' value: 'm:output:0' } }"
#define ASKS_POOL(name) \
    "function { signature { name: '" name "' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'y' type: DT_BOOL } } " \
    "node_def { name: 'm' op: 'MaxPool' input: 'a' " POOLING " } " \
    "node_def { name: 'n' op: 'Cast' input: 'm:output:0' " TYPE("SrcT", "DT_FLOAT") TYPE("DstT", "DT_BOOL") " } ret { key: 'y' value: 'n:y:0' } }"
#define INTEGER(name) "node { name: '" name "' op: 'Const' " DTYPE("DT_INT32") VALUE("dtype: DT_INT32 tensor_shape { } int_val: 1") " }"
#define FOR \
    INTEGER("i") "node { name: 'b' op: 'For' input: 'i' input: 'i' input: 'i' input: 'x' " TYPES("T", "DT_FLOAT") FUNC("body", "f") " }"
#define COUNTS(count, value) \
    "function { signature { name: 'f' input_arg { name: 'i' type: " count " } input_arg { name: 'a' type: " value " } " \
    "output_arg { name: 'y' type: " value " } } node_def { name: 'n' op: 'Relu' input: 'a' " TYPE("T", value) " } ret { key: 'y' value: 'n:activations:0' } }"
#define ROUND(step) /* Enter, Merge, Switch, a step, NextIteration, Exit   */ \
    "node { name: 'e' op: 'Enter' input: 'x' " TYPE("T", "DT_FLOAT") " attr { key: 'frame_name' value { s: 'f' } } } " \
    "node { name: 'o' op: 'Exit' input: 's' " TYPE("T", "DT_FLOAT") " } " \
    "node { name: 'm' op: 'Merge' input: 'e' input: 't' " TYPE("T", "DT_FLOAT") " attr { key: 'N' value { i: 2 } } } " \
    "node { name: 's' op: 'Switch' input: 'm' input: 'c0' " TYPE("T", "DT_FLOAT") " } " \
    "node { name: 'c0' op: 'Const' " DTYPE("DT_BOOL") VALUE("dtype: DT_BOOL tensor_shape { } bool_val: true") " } " step \
    " node { name: 't' op: 'NextIteration' input: 'k' " TYPE("T", "DT_FLOAT") " }"
#define KEEPS  "node { name: 'k' op: 'Relu' input: 's:1' " TYPE("T", "DT_FLOAT") " }"
#define WIDENS INTEGER("z") "node { name: 'k' op: 'ExpandDims' input: 's:1' input: 'z' " TYPE("T", "DT_FLOAT") " }"
#define MERGED(a, b) "node { name: 'm' op: 'Merge' input: '" a "' input: '" b "' " TYPE("T", "DT_FLOAT") " attr { key: 'N' value { i: 2 } } }"
#define CHOSEN \
    "node { name: 'c0' op: 'Const' " DTYPE("DT_BOOL") VALUE("dtype: DT_BOOL tensor_shape { } bool_val: true") " } " \
    "node { name: 's' op: 'Switch' input: 'x' input: 'c0' " TYPE("T", "DT_FLOAT") " } "
#define SWITCHED  CHOSEN "node { name: 'k' op: 'Relu' input: 's:1' " TYPE("T", "DT_FLOAT") " } " MERGED("s", "k")
#define SWITCHED2 CHOSEN WIDENS MERGED("s", "k")
#define SET(t) /* elements of one component                                */ \
    "node { name: 'n' op: 'Placeholder' " TYPE("dtype", t) " } node { name: 'd0' op: 'TensorSliceDataset' input: 'n' " TYPES("Toutput_types", t) \
    " attr { key: 'output_shapes' value { list { shape { } } } } } " \
    "node { name: 'd' op: 'RepeatDataset' input: 'd0' input: 'one' " TYPES("output_types", t) " attr { key: 'output_shapes' value { list { shape { } } } } } " \
    "node { name: 'one' op: 'Const' " DTYPE("DT_INT64") VALUE("dtype: DT_INT64 tensor_shape { } int64_val: 1") " } "
#define GIVING(t) TYPES("output_types", t) " attr { key: 'output_shapes' value { list { shape { } } } }"
#define MAP(gives) \
    "node { name: 'b' op: 'MapDataset' input: 'd' input: 'x' " TYPES("Targuments", "DT_HALF") FUNC("f", "f") GIVING(gives) " }"
#define TWO(one, two) /* gives the first of two arguments                  */ \
    "function { signature { name: 'f' input_arg { name: 'a' type: " one " } input_arg { name: 'b' type: " two " } output_arg { name: 'y' type: " one " } } " \
    "node_def { name: 'n' op: 'Identity' input: 'a' " TYPE("T", one) " } ret { key: 'y' value: 'n:output:0' } }"
#define FILTER "node { name: 'b' op: 'FilterDataset' input: 'd' " TYPES("Targuments", "") FUNC("predicate", "f") GIVING("DT_FLOAT") " }"
#define GROUP \
    "node { name: 'b' op: 'GroupByWindowDataset' input: 'd' " TYPES("Tkey_func_other_arguments", "") TYPES("Treduce_func_other_arguments", "") \
    TYPES("Twindow_size_func_other_arguments", "") FUNC("key_func", "f") FUNC("reduce_func", "r") FUNC("window_size_func", "w") GIVING("DT_VARIANT") " }"
#define WINDOW(name, key) \
    "function { signature { name: '" name "' input_arg { name: 'k' type: " key " } input_arg { name: 'a' type: DT_VARIANT } output_arg { name: 'y' type: DT_VARIANT } } " \
    "node_def { name: 'n' op: 'Identity' input: 'a' " TYPE("T", "DT_VARIANT") " } ret { key: 'y' value: 'n:output:0' } } " ABS("w", "DT_INT64")
#define ABS(name, t) MAKES(name, t, "y", t, "Abs", TYPE("T", t))
#define REDUCE \
    "node { name: 'b' op: 'ReduceDataset' input: 'd' input: 'x' " TYPES("Tstate", "DT_HALF") TYPES("Targuments", "") FUNC("f", "f") GIVING("DT_HALF") " }"
#define REMOTE \
    "node { name: 'w' op: 'Placeholder' " TYPE("dtype", "DT_STRING") " } node { name: 'b' op: 'RemoteCall' input: 'w' input: 'x' " \
    TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT") FUNC("f", "f") " }"
#define ROWS \
    "node { name: 'b' op: 'MapDefun' input: 'x' " TYPES("Targuments", "DT_FLOAT") FUNC("f", "f") GIVING("DT_FLOAT") " }"

/* Types and ranks of calls. */
static const struct {
    const char *name, *text, *rules;
} calls[] = {
    { "call", X("DT_FLOAT") PARTED("DT_FLOAT", "DT_FLOAT") USED("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "" },
    { "an argument of another type", X("DT_HALF") PARTED("DT_HALF", "DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "type-mismatch" },
    { "a result of another type", X("DT_FLOAT") PARTED("DT_FLOAT", "DT_HALF") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "type-mismatch" },
    { "a body of another type", LIBRARY(HALVES("f", "DT_HALF")), "" },
    { "returned as another type", LIBRARY(HALVES("f", "DT_FLOAT")), "type-mismatch" },
    { "called by name", X("DT_FLOAT") NAMED USED("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "" },
    { "by name, another type", X("DT_HALF") NAMED LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "type-mismatch" },
    { "by name, used as another type", X("DT_FLOAT") NAMED USED("DT_HALF") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "type-mismatch" },
    { "by name, in a function", LIBRARY(RELU("g", "DT_FLOAT", "DT_FLOAT") CALLS("f", "g")), "" },
    { "by name, in a function, another type", LIBRARY(HALVES("g", "DT_HALF") CALLS("f", "g")), "type-mismatch" },
    { "branches", X("DT_FLOAT") C IF("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") RELU("g", "DT_FLOAT", "DT_FLOAT")), "" },
    { "a branch that takes another type", X("DT_FLOAT") C IF("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") MAKES("g", "DT_HALF", "y", "DT_FLOAT", "Cast", TYPE("SrcT", "DT_HALF") TYPE("DstT", "DT_FLOAT"))), "type-mismatch" },
    { "a branch that gives another type", X("DT_FLOAT") C IF("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") HALVES("g", "DT_HALF")), "type-mismatch" },
    { "branches that give another type", X("DT_FLOAT") C IF("DT_FLOAT") LIBRARY(HALVES("f", "DT_HALF") HALVES("g", "DT_HALF")), "type-mismatch" },
    { "the last case gives another type", X("DT_FLOAT") CASE("f", "g") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") HALVES("g", "DT_HALF")), "type-mismatch" },
    { "cases", X("DT_FLOAT") CASE("f", "f") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "" },
    { "a loop", X("DT_FLOAT") WHILE LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") ASKS("p")), "" },
    { "a loop that changes its type", X("DT_FLOAT") WHILE LIBRARY(HALVES("f", "DT_HALF") ASKS("p")), "type-mismatch type-mismatch" },
    { "a rank that fits", IMAGE PARTED("DT_FLOAT", "DT_FLOAT") LIBRARY(POOLS("f")), "" },
    { "a rank that does not", ROW PARTED("DT_FLOAT", "DT_FLOAT") LIBRARY(POOLS("f")), "rank-not-allowed" },
    { "through two calls", ROW NAMED LIBRARY(POOLS("g") CALLS("f", "g")), "rank-not-allowed" },
    { "out of a call", ROW NAMED "node { name: 'q' op: 'BiasAdd' input: 'b' input: 'b' " TYPE("T", "DT_FLOAT") " }" LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "rank-not-allowed" },
    { "a branch for another rank", ROW C IF("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") POOLS("g")), "(rank-not-allowed)" },
    { "a rank through Switch", ROW C "node { name: 's' op: 'Switch' input: 'x' input: 'c' " TYPE("T", "DT_FLOAT") " } node { name: 'p' op: 'MaxPool' input: 's:1' "
      "attr { key: 'ksize' value { list { i: [1, 1, 1, 1] } } } attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } } attr { key: 'padding' value { s: 'VALID' } } }", "rank-not-allowed" },
    { "Switch by another than a scalar", ROW "node { name: 'b' op: 'Less' input: 'x' input: 'x' " TYPE("T", "DT_FLOAT") " } node { name: 's' op: 'Switch' input: 'x' input: 'b' " TYPE("T", "DT_FLOAT") " }", "rank-not-allowed" },
    { "functions that call each other", X("DT_FLOAT") NAMED LIBRARY(CALLS("f", "g") CALLS("g", "f")), "recursion" },
    { "no branch for the rank", ROW C IF("DT_FLOAT") LIBRARY(POOLS("f") POOLS("g")), "(rank-not-allowed) (rank-not-allowed) rank-not-allowed" },
    { "out of branches", ROW C IF("DT_FLOAT") ADDS("b") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") RELU("g", "DT_FLOAT", "DT_FLOAT")), "rank-not-allowed" },
    { "out of branches that fit", IMAGE C IF("DT_FLOAT") POOL("b") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") POOLS("g")), "" },
    { "one branch of any rank", ROW C IF("DT_FLOAT") ADDS("b") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") SHAPES("g")), "" },
    { "a branch that is wrong for every rank", ROW C IF("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") BROKEN("g")), "rank-not-allowed" },
    { "a loop for another rank", ROW WHILE LIBRARY(POOLS("f") ASKS("p")), "rank-not-allowed" },
    { "a loop that asks another rank", ROW WHILE LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") ASKS_POOL("p")), "rank-not-allowed" },
    { "out of a loop", ROW WHILE ADDS("b") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") ASKS("p")), "rank-not-allowed" },
    { "a loop that may change its rank", ROW WHILE ADDS("b") LIBRARY(SHAPES("f") ASKS("p")), "" },
    { "For", ROW FOR LIBRARY(COUNTS("DT_INT32", "DT_FLOAT")), "" },
    { "For that counts otherwise", ROW FOR LIBRARY(COUNTS("DT_INT64", "DT_FLOAT")), "type-mismatch" },
    { "For with another value", ROW FOR LIBRARY(COUNTS("DT_INT32", "DT_HALF")), "type-mismatch type-mismatch" },
    { "a loop of the first version", ROW C ROUND(KEEPS), "" },
    { "a loop of the first version, another rank", ROW C ROUND(KEEPS) POOL("s:1"), "rank-not-allowed" },
    { "a loop of the first version, out of it", ROW C ROUND(KEEPS) POOL("o"), "rank-not-allowed" },
    { "a loop of the first version that changes its rank", ROW C ROUND(WIDENS) POOL("o") POOL2("s:1"), "" },
    { "branches of the first version", ROW C SWITCHED POOL("m"), "rank-not-allowed" },
    { "branches of the first version, of two ranks", ROW C SWITCHED2 POOL("m"), "" },
    { "a data set", X("DT_HALF") SET("DT_FLOAT") MAP("DT_FLOAT") LIBRARY(TWO("DT_FLOAT", "DT_HALF")), "" },
    { "a data set of other elements", X("DT_HALF") SET("DT_INT32") MAP("DT_FLOAT") LIBRARY(TWO("DT_FLOAT", "DT_HALF")), "type-mismatch" },
    { "a data set, captured otherwise", X("DT_HALF") SET("DT_FLOAT") MAP("DT_FLOAT") LIBRARY(TWO("DT_FLOAT", "DT_FLOAT")), "type-mismatch" },
    { "a data set that gives otherwise", X("DT_HALF") SET("DT_FLOAT") MAP("DT_INT32") LIBRARY(TWO("DT_FLOAT", "DT_HALF")), "type-mismatch" },
    { "a data set of elements that nobody knows", X("DT_HALF") "node { name: 'd' op: 'Placeholder' " TYPE("dtype", "DT_VARIANT") " }" MAP("DT_FLOAT") LIBRARY(TWO("DT_INT8", "DT_FLOAT")), "type-mismatch type-mismatch" },
    { "a filter", SET("DT_FLOAT") FILTER LIBRARY(ASKS("f")), "" },
    { "a filter that does not ask", SET("DT_FLOAT") FILTER LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "type-mismatch" },
    { "a key of another type", SET("DT_FLOAT") GROUP LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") WINDOW("r", "DT_INT64")), "type-mismatch" },
    { "a window of another type", SET("DT_INT64") GROUP LIBRARY(ABS("f", "DT_INT64") WINDOW("r", "DT_INT32")), "type-mismatch" },
    { "a window", SET("DT_INT64") GROUP LIBRARY(ABS("f", "DT_INT64") WINDOW("r", "DT_INT64")), "" },
    { "a reduction", X("DT_HALF") SET("DT_FLOAT") REDUCE LIBRARY(TWO("DT_HALF", "DT_FLOAT")), "" },
    { "a reduction of another state", X("DT_HALF") SET("DT_FLOAT") REDUCE LIBRARY(TWO("DT_FLOAT", "DT_FLOAT")), "type-mismatch type-mismatch" },
    { "a remote call", X("DT_FLOAT") REMOTE LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "" },
    { "a remote call with another type", X("DT_FLOAT") REMOTE LIBRARY(HALVES("f", "DT_HALF")), "type-mismatch" },
    { "row by row", IMAGE ROWS LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT")), "" },
    { "row by row, of an axis less", IMAGE ROWS LIBRARY(POOLS("f")), "rank-not-allowed" },
};
/* clang-format on */

static void types_and_ranks_of_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        expect(&tn_format_tf_graph, calls[i].name, calls[i].text,
               calls[i].rules);
}

/* Each loop is tried before it is walked: loops in loops would be walked 2^40
 * times. */
static void loops_in_loops_cost_their_number(void **state)
{
    enum { DEPTH = 40 };
    static char     text[DEPTH * 1000];
    size_t          size = 0;
    struct opened   o;
    struct findings findings;

    (void)state;
    size += (size_t)snprintf(
        text, sizeof text,
        ROW "node { name: 'b' op: 'StatelessWhile' input: 'x' " TYPES(
            "T", "DT_FLOAT") FUNC("cond", "p")
            FUNC("body", "f0") " } library { " ASKS("p"));
    for (int i = 0; i < DEPTH; i++)
        size += (size_t)snprintf(
            text + size, sizeof text - size,
            "function { signature { name: 'f%d' input_arg { name: 'a' type: "
            "DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } node_def { "
            "name: 'n' op: 'StatelessWhile' input: 'a' " TYPES("T", "DT_FLOAT")
                FUNC("cond", "p") "attr { key: 'body' value { "
                                  "func { name: 'f%d' } } } "
                                  "} ret { key: 'y' value: "
                                  "'n:output:0' } } ",
            i, i + 1);
    snprintf(text + size, sizeof text - size, "%s } ",
             RELU("f40", "DT_FLOAT", "DT_FLOAT"));
    open_text(&o, &tn_format_tf_graph, text);
    check_model(&o, &tn_format_tf_graph, &findings);
    assert_string_equal(findings.text, "");
    close_model(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_ranks_of_calls),
        cmocka_unit_test(loops_in_loops_cost_their_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
