/* tf_check_test.c - every rule of the checks, with a model that breaks it */
#include "format/tensorflow/tf_check_testing.h"

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

/* Sizes: an input of [?,4] or an image, small constants, a node. */
#define ANY4   PLACE("DT_FLOAT", "dim { size: -1 } dim { size: 4 }")
#define RGB    PLACE("DT_FLOAT", "dim { size: -1 } dim { size: 8 } dim { size: 8 } dim { size: 3 }")
#define INTS(dims, values) CONST(DTYPE("DT_INT32") VALUE("dtype: DT_INT32 tensor_shape { " dims " } int_val: [" values "]"))
#define ONE_INT(value) INTS("", value)
#define WEIGHTS(dims) "node { name: 'w' op: 'Const' " DTYPE("DT_FLOAT") VALUE("dtype: DT_FLOAT tensor_shape { " dims " } float_val: 0") " }"
#define D(n) "dim { size: " n " } "
#define MAKE(op, inputs, attrs) "node { name: 'y' op: '" op "' input: [" inputs "] " TYPE("T", "DT_FLOAT") attrs " }"
#define NUMBER(key, n) "attr { key: '" key "' value { i: " n " } }"
#define NUMBERS(key, n) "attr { key: '" key "' value { list { i: [" n "] } } }"
#define FLAG(key) "attr { key: '" key "' value { b: true } }"
#define SAME   "attr { key: 'padding' value { s: 'SAME' } }"

static const struct {
    const char *name, *text, *rules;
} sized[] = {
    { "sum", ANY4 ONE_INT("-1") MAKE("Sum", "'x', 'c'", ""), "" },
    { "sum of another axis", ANY4 ONE_INT("5") MAKE("Sum", "'x', 'c'", ""), "bad-axis" },
    { "concat", ANY4 ONE_INT("1") MAKE("ConcatV2", "'x', 'x', 'c'", NUMBER("N", "2")), "" },
    { "concat along another axis", ANY4 ONE_INT("2") MAKE("ConcatV2", "'x', 'x', 'c'", NUMBER("N", "2")), "bad-axis" },
    { "concat of other sizes", ANY4 ONE_INT("0") WEIGHTS(D("2") D("5")) MAKE("ConcatV2", "'x', 'w', 'c'", NUMBER("N", "2")), "size-mismatch" },
    { "an axis more", ANY4 ONE_INT("2") MAKE("ExpandDims", "'x', 'c'", ""), "" },
    { "an axis too far", ANY4 ONE_INT("4") MAKE("ExpandDims", "'x', 'c'", ""), "bad-axis" },
    { "transposed", ANY4 INTS(D("2"), "1, 0") MAKE("Transpose", "'x', 'c'", ""), "" },
    { "transposed twice the same", ANY4 INTS(D("2"), "0, 0") MAKE("Transpose", "'x', 'c'", ""), "bad-axis" },
    { "product", ANY4 WEIGHTS(D("4") D("5")) MAKE("MatMul", "'x', 'w'", ""), "" },
    { "product of other sizes", ANY4 WEIGHTS(D("5") D("4")) MAKE("MatMul", "'x', 'w'", ""), "size-mismatch" },
    { "transposed product", ANY4 WEIGHTS(D("5") D("4")) MAKE("MatMul", "'x', 'w'", FLAG("transpose_b")), "" },
    { "transposed product of other sizes", ANY4 WEIGHTS(D("4") D("5")) MAKE("MatMul", "'x', 'w'", FLAG("transpose_b")), "size-mismatch" },
    { "products", ANY4 WEIGHTS(D("3") D("5") D("4")) MAKE("BatchMatMulV2", "'x', 'w'", ""), "size-mismatch" },
    { "bias", ANY4 WEIGHTS(D("4")) MAKE("BiasAdd", "'x', 'w'", ""), "" },
    { "bias of another size", ANY4 WEIGHTS(D("5")) MAKE("BiasAdd", "'x', 'w'", ""), "size-mismatch" },
    { "broadcast", ANY4 WEIGHTS(D("7") D("1")) MAKE("AddV2", "'x', 'w'", ""), "" },
    { "no broadcast", ANY4 WEIGHTS(D("5")) MAKE("AddV2", "'x', 'w'", ""), "size-mismatch" },
    { "not equal, and no matter", ANY4 WEIGHTS(D("5")) MAKE("Equal", "'x', 'w'", "attr { key: 'incompatible_shape_error' value { b: false } }"), "" },
    { "convolution", RGB WEIGHTS(D("3") D("3") D("3") D("5")) MAKE("Conv2D", "'x', 'w'", SAME NUMBERS("strides", "1, 1, 1, 1")), "" },
    { "two strides", RGB WEIGHTS(D("3") D("3") D("3") D("5")) MAKE("Conv2D", "'x', 'w'", SAME NUMBERS("strides", "1, 1")), "wrong-length" },
    { "other channels", RGB WEIGHTS(D("3") D("3") D("4") D("5")) MAKE("Conv2D", "'x', 'w'", SAME NUMBERS("strides", "1, 1, 1, 1")), "size-mismatch" },
    { "pools", RGB MAKE("MaxPool", "'x'", SAME NUMBERS("ksize", "2, 2") NUMBERS("strides", "1, 1, 1, 1")), "wrong-length" },
    { "tiles", ANY4 INTS(D("3"), "1, 2, 3") MAKE("Tile", "'x', 'c'", ""), "wrong-length" },
    { "reshaped", WEIGHTS(D("3") D("4")) INTS(D("2"), "2, -1") MAKE("Reshape", "'w', 'c'", ""), "" },
    { "reshaped to more", WEIGHTS(D("3") D("4")) INTS(D("2"), "5, 2") MAKE("Reshape", "'w', 'c'", ""), "size-mismatch" },
    { "three parts of four", ANY4 ONE_INT("1") MAKE("Split", "'c', 'x'", NUMBER("num_split", "3")), "size-mismatch" },
    { "squeezed", ANY4 MAKE("Squeeze", "'x'", NUMBERS("squeeze_dims", "1")), "size-mismatch" },
    { "added up", ANY4 WEIGHTS(D("2") D("5")) MAKE("AddN", "'x', 'w'", NUMBER("N", "2")), "size-mismatch" },
    { "what follows", ANY4 WEIGHTS(D("4") D("5")) MAKE("MatMul", "'x', 'w'", "") "node { name: 'z' op: 'MatMul' input: ['y', 'w'] " TYPE("T", "DT_FLOAT") " }", "size-mismatch" },
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
    { "variable without a value", "saved_model_schema_version: 1 meta_graphs { object_graph_def { nodes { variable { dtype: DT_FLOAT name: 'v' } } } }", "(uninitialized-variable)" },
};

/* clang-format on */

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        expect(&tn_format_tf_graph, graphs[i].name, graphs[i].text,
               graphs[i].rules);
}

static void test_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++)
        expect(&tn_format_tf_graph, sized[i].name, sized[i].text,
               sized[i].rules);
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
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_saved_models),
        cmocka_unit_test(test_offsets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
