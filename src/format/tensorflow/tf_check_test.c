/* tf_check_test.c - every rule of the checks, with a model that breaks it */
#include "format/tensorflow/tf_testing.h"

#define A                 "node { name: 'a' op: 'NoOp' }"
#define CONST(attrs)      "node { name: 'c' op: 'Const' " attrs " }"
#define DTYPE(t)          "attr { key: 'dtype' value { type: " t " } }"
#define VALUE(t)          "attr { key: 'value' value { tensor { " t " } } }"
#define NODE(name, attrs) "node { name: '" name "' op: 'X' " attrs " }"
#define SHAPE(dim)        "attr { key: 'k' value { shape { dim { size: " dim " } } } }"
#define K1                "attr { key: 'k' value { i: 1 } }"
#define KNOWN             NODE("b", K1)
#define FUNCTION(name, body)                                                   \
    "function { signature { name: '" name "' input_arg { name: 'x' type: "     \
    "DT_FLOAT } } " body " }"
#define LIBRARY(functions) "library { " functions " }"
#define CALL(name)                                                             \
    "node_def { name: 'n' op: 'PartitionedCall' input: 'x' attr { key: 'f' "   \
    "value { func { name: '" name "' } } } }"

/* clang-format off */
static const struct {
    const char *name, *text, *rules; /* rules without their offsets           */
} graphs[] = {
    { "clean", A "node { name: 'b' op: 'NoOp' input: '^a' }", "" },
    { "loop", "node { name: 'm' op: 'Merge' input: 'n' } node { name: 'n' op: 'NextIteration' input: 'm' }", "" },
    { "input of nowhere", "node { name: 'b' op: 'X' input: 'a:1' }", "dangling-input" },
    { "control input of nowhere", "node { name: 'b' op: 'X' input: '^a' }", "dangling-input" },
    { "twice the same name", A A, "duplicate-name" },
    { "cycle", "node { name: 'a' op: 'X' input: 'b' } node { name: 'b' op: 'X' input: 'a' }", "cycle" },
    { "no name", "node { op: 'X' }", "bad-name" },
    { "a name with a space", "node { name: 'a b' op: 'X' }", "bad-name" },
    { "parts of a name", "node { name: 'a>b/c-d.e_f' op: 'X' }", "" },
    { "a name that ends in a part", "node { name: 'a>' op: 'X' }", "bad-name" },
    { "a name after a longer one", "node { name: 'abcdefg>b' op: 'X' } node { name: 'abcdefg>' op: 'X' }", "bad-name" },
    { "a part that begins badly", "node { name: 'abcdefg>b' op: 'X' } node { name: 'abcdefg>/b' op: 'X' }", "bad-name" },
    { "a name beside a good one", "node { name: 'abcdefg/b' op: 'X' } node { name: 'abcdefg/b c' op: 'X' }", "bad-name" },
    { "no operator", "node { name: 'a' }", "bad-name" },
    { "data after control", A "node { name: 'b' op: 'X' input: '^a' input: 'a' }", "control-input-order" },
    { "attribute twice", "node { name: 'a' op: 'X' attr { key: 'k' value { i: 1 } } attr { key: 'k' value { i: 2 } } }", "duplicate-attribute" },
    { "attribute twice, good before", KNOWN "node { name: 'a' op: 'X' " K1 K1 " }", "duplicate-attribute" },
    { "attribute again, good before", KNOWN "node { name: 'a' op: 'X' attr { key: 'k' value { i: 2 } } " K1 " }", "duplicate-attribute" },
    { "attribute of nothing", "node { name: 'a' op: 'X' attr { key: 'k' } }", "empty-attribute" },
    { "empty list", "node { name: 'a' op: 'X' attr { key: 'k' value { list { } } } }", "" },
    { "two types", CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT16")), "type-mismatch" },
    { "no such type", CONST(DTYPE("99") VALUE("dtype: DT_INT8")), "unknown-type type-mismatch" },
    { "tensor of no such type", CONST(DTYPE("DT_INT8") VALUE("dtype: 99")), "unknown-type type-mismatch" },
    { "list with no such type", "node { name: 'a' op: 'X' attr { key: 'k' value { list { type: [DT_INT8, 77] } } } }", "unknown-type" },
    { "negative dimension", CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT8 tensor_shape { dim { size: -1 } }")), "bad-shape" },
    { "shape below -1", "node { name: 'a' op: 'X' attr { key: 'k' value { shape { dim { size: -2 } } } } }", "bad-shape" },
    { "the same bad shape", NODE("a", SHAPE("-2")) NODE("b", SHAPE("-2")), "bad-shape bad-shape" },
    { "a type known from elsewhere", NODE("a", DTYPE("DT_INT8")) CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT16")), "type-mismatch" },
    { "a value known from elsewhere", NODE("a", VALUE("dtype: DT_INT16")) CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT16")), "type-mismatch" },
    { "too little content", CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT8 tensor_shape { dim { size: 3 } } tensor_content: 'ab'")), "wrong-size" },
    { "too much content", CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT8 tensor_shape { dim { size: 1 } } tensor_content: 'ab'")), "wrong-size" },
    { "strings that do not fit", CONST(DTYPE("DT_STRING") VALUE("dtype: DT_STRING tensor_content: '\\3ab'")), "wrong-size" },
    { "terabytes of zeros", CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT8 tensor_shape { dim { size: 1099511627776 } }")), "huge-constant" },
    { "unknown function", "node { name: 'a' op: 'X' attr { key: 'f' value { func { name: 'g' } } } }", "unknown-function" },
    { "functions of a list", "node { name: 'a' op: 'X' attr { key: 'f' value { list { func { name: 'g' } } } } }", "unknown-function" },
    { "call", A "node { name: 'b' op: 'f' input: 'a' }" LIBRARY(FUNCTION("f", "")), "" },
    { "call with too few", "node { name: 'b' op: 'f' }" LIBRARY(FUNCTION("f", "")), "argument-count" },
    { "PartitionedCall with too many", A "node { name: 'b' op: 'PartitionedCall' input: 'a' input: 'a' attr { key: 'f' value { func { name: 'f' } } } }" LIBRARY(FUNCTION("f", "")), "argument-count" },
    { "the same call with too many", A "node { name: 'b' op: 'PartitionedCall' input: 'a' attr { key: 'f' value { func { name: 'f' } } } } node { name: 'c' op: 'PartitionedCall' input: 'a' input: 'a' attr { key: 'f' value { func { name: 'f' } } } }" LIBRARY(FUNCTION("f", "")), "argument-count" },
    { "If keeps one input", A "node { name: 'b' op: 'If' input: 'a' input: 'a' attr { key: 'then_branch' value { func { name: 'f' } } } }" LIBRARY(FUNCTION("f", "")), "" },
    { "recursion", LIBRARY(FUNCTION("f", CALL("f"))), "recursion" },
    { "recursion by way of another", LIBRARY(FUNCTION("f", CALL("g")) FUNCTION("g", CALL("f"))), "recursion" },
    { "recursion after the same call", LIBRARY(FUNCTION("e", CALL("f")) FUNCTION("f", CALL("f"))), "recursion" },
    { "twice, not recursive", LIBRARY(FUNCTION("f", CALL("h") ) FUNCTION("g", CALL("h")) FUNCTION("h", "")), "" },
    { "function twice", LIBRARY(FUNCTION("f", "") FUNCTION("f", "")), "duplicate-function" },
    { "returns nothing known", "library { function { signature { name: 'f' output_arg { name: 'y' } } ret { key: 'y' value: 'n:o:0' } } }", "undefined-return" },
    { "dangling in a function", LIBRARY(FUNCTION("f", "node_def { name: 'n' op: 'X' input: 'z:0' }")), "dangling-input" },
    { "older than its readers", A "versions { producer: 5 min_consumer: 9 }", "bad-version" },
};

#define TYPE(key, t)  "attr { key: '" key "' value { type: " t " } }"
#define TYPES(key, t) "attr { key: '" key "' value { list { type: [" t "] } } }"
#define FUNC(key, f)  "attr { key: '" key "' value { func { name: '" f "' } } }"
#define PLACE(t, dims) \
    "node { name: 'x' op: 'Placeholder' " TYPE("dtype", t) " attr { key: 'shape' value { shape { " dims " } } } }"
#define X(t)   PLACE(t, "unknown_rank: true")
#define ROW    PLACE("DT_FLOAT", "dim { size: 2 }")
#define IMAGE  PLACE("DT_FLOAT", "dim { size: 1 } dim { size: 2 } dim { size: 2 } dim { size: 1 }")
#define C      "node { name: 'c' op: 'Placeholder' " TYPE("dtype", "DT_BOOL") " }"
#define PARTED(in, out) \
    "node { name: 'b' op: 'PartitionedCall' input: 'x' " TYPES("Tin", in) TYPES("Tout", out) FUNC("f", "f") " }"
#define NAMED  "node { name: 'b' op: 'f' input: 'x' }"
#define USED(t) "node { name: 'u' op: 'Relu' input: 'b' " TYPE("T", t) " }"
#define IF(out) \
    "node { name: 'b' op: 'If' input: 'c' input: 'x' " TYPE("Tcond", "DT_BOOL") TYPES("Tin", "DT_FLOAT") \
    TYPES("Tout", out) FUNC("then_branch", "f") FUNC("else_branch", "g") " }"
#define CASE(f, g) \
    "node { name: 'i' op: 'Placeholder' " TYPE("dtype", "DT_INT32") " } node { name: 'b' op: 'StatelessCase' " \
    "input: 'i' input: 'x' " TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT") \
    " attr { key: 'branches' value { list { func { name: '" f "' } func { name: '" g "' } } } } }"
#define WHILE  "node { name: 'b' op: 'StatelessWhile' input: 'x' " TYPES("T", "DT_FLOAT") FUNC("cond", "p") FUNC("body", "f") " }"
#define MAKES(name, in, out, says, op, type) /* a function of one node        */ \
    "function { signature { name: '" name "' input_arg { name: 'a' type: " in " } output_arg { name: 'y' type: " says " } } " \
    "node_def { name: 'n' op: '" op "' input: 'a' " type " } ret { key: 'y' value: 'n:" out ":0' } }"
#define RELU(name, in, says) MAKES(name, in, "activations", says, "Relu", TYPE("T", in))
#define HALVES(name, says) MAKES(name, "DT_FLOAT", "y", says, "Cast", TYPE("SrcT", "DT_FLOAT") TYPE("DstT", "DT_HALF"))
#define POOLS(name) MAKES(name, "DT_FLOAT", "output", "DT_FLOAT", "MaxPool", \
    "attr { key: 'ksize' value { list { i: [1, 1, 1, 1] } } } attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } } " \
    "attr { key: 'padding' value { s: 'VALID' } }")
#define CALLS(name, callee) MAKES(name, "DT_FLOAT", "y", "DT_FLOAT", callee, "")
#define ASKS(name) /* a condition                                          */ \
    "function { signature { name: '" name "' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'y' type: DT_BOOL } } " \
    "node_def { name: 'n' op: 'Const' " DTYPE("DT_BOOL") VALUE("dtype: DT_BOOL tensor_shape { } bool_val: true") " } " \
    "ret { key: 'y' value: 'n:output:0' } }"

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
    { "a branch for another rank", ROW C IF("DT_FLOAT") LIBRARY(RELU("f", "DT_FLOAT", "DT_FLOAT") POOLS("g")), "" },
    { "a rank through Switch", ROW C "node { name: 's' op: 'Switch' input: 'x' input: 'c' " TYPE("T", "DT_FLOAT") " } node { name: 'p' op: 'MaxPool' input: 's:1' "
      "attr { key: 'ksize' value { list { i: [1, 1, 1, 1] } } } attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } } attr { key: 'padding' value { s: 'VALID' } } }", "rank-not-allowed" },
    { "Switch by another than a scalar", ROW "node { name: 'b' op: 'Less' input: 'x' input: 'x' " TYPE("T", "DT_FLOAT") " } node { name: 's' op: 'Switch' input: 'x' input: 'b' " TYPE("T", "DT_FLOAT") " }", "rank-not-allowed" },
    { "functions that call each other", X("DT_FLOAT") NAMED LIBRARY(CALLS("f", "g") CALLS("g", "f")), "recursion" },
};

#define SIGNED(says) \
    "saved_model_schema_version: 1 meta_graphs { graph_def { " ROW "node { name: 'y' op: 'Relu' input: 'x' " TYPE("T", "DT_FLOAT") " } } " \
    "signature_def { key: 'k' value { inputs { key: 'i' value { name: 'x:0' dtype: DT_FLOAT } } outputs { key: 'o' value { name: 'y:0' " says " } } } } }"

static const struct {
    const char *name, *text, *rules;
} saved_models[] = {
    { "what a signature says", SIGNED("dtype: DT_FLOAT tensor_shape { dim { size: 2 } }"), "" },
    { "a signature of no shape", SIGNED("dtype: DT_FLOAT tensor_shape { unknown_rank: true }"), "" },
    { "a signature of another type", SIGNED("dtype: DT_HALF"), "type-mismatch" },
    { "a signature of another rank", SIGNED("dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 1 } }"), "rank-mismatch" },
    { "clean", "saved_model_schema_version: 1 meta_graphs { graph_def { " A " } }", "" },
    { "another schema", "saved_model_schema_version: 2 meta_graphs { graph_def { " A " } }", "schema-version" },
    { "no graph", "saved_model_schema_version: 1", "no-meta-graph" },
    { "the same tags", "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 's' } } meta_graphs { meta_info_def { tags: 's' } }", "duplicate-tags" },
    { "other tags", "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 's' } } meta_graphs { meta_info_def { tags: 't' } }", "" },
    { "signature of nothing", "saved_model_schema_version: 1 meta_graphs { signature_def { key: 'k' value { outputs { key: 'o' value { name: 'z:0' } } } } }", "unknown-signature-tensor" },
    { "signature", "saved_model_schema_version: 1 meta_graphs { graph_def { " A " } signature_def { key: 'k' value { outputs { key: 'o' value { name: 'a:0' } } } } }", "" },
    { "variable without a value", "saved_model_schema_version: 1 meta_graphs { object_graph_def { nodes { variable { dtype: DT_FLOAT name: 'v' } } } }", "uninitialized-variable" },
};

/* clang-format on */

/* "cycle@3 bad-name" without the offsets. */
static void drop_offsets(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        if (*from == '@')
            while (*from && *from != ' ')
                from++;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

static void expect(const struct tn_format *format, const char *name,
                   const char *text, const char *rules)
{
    struct opened   o;
    struct findings findings;

    open_text(&o, format, text);
    check_model(&o, format, &findings);
    drop_offsets(findings.text);
    if (strcmp(findings.text, rules))
        fail_msg("%s: '%s', not '%s'", name, findings.text, rules);
    close_model(&o);
}

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        expect(&tn_format_tf_graph, graphs[i].name, graphs[i].text,
               graphs[i].rules);
}

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        expect(&tn_format_tf_graph, calls[i].name, calls[i].text,
               calls[i].rules);
}

static void test_saved_models(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof saved_models / sizeof *saved_models; i++)
        expect(&tn_format_tf_saved_model, saved_models[i].name,
               saved_models[i].text, saved_models[i].rules);
}

/* A complaint names the byte: of the node, or of what is wrong in it. */
static void test_offsets(void **state)
{
    static const char *const rows[][2] = {
        { A "node { name: 'b' op: 'X' input: 'z' }", "dangling-input@13" },
        { A "node { name: 'b' op: 'X' input: '^a' input: 'a' }",
          "control-input-order@23" },
        { CONST(DTYPE("DT_INT8") VALUE("dtype: DT_INT16")), "type-mismatch@2" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opened   o;
        struct findings findings;
        open_text(&o, &tn_format_tf_graph, rows[i][0]);
        check_model(&o, &tn_format_tf_graph, &findings);
        assert_string_equal(findings.text, rows[i][1]);
        close_model(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_saved_models),
        cmocka_unit_test(test_offsets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
