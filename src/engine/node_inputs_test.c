/* node_inputs_test.c - what is known of the inputs of one node */
#include "engine/node_testing.h"

#include "base/buffer.h"

/* clang-format off */
static const char tensorflow[] =
    "vocabulary tensorflow 1\n"
    "types ints = {int32 int64}\n"
    "domain \"\"\n"
    "op Both (x $T, y $T) -> (z $T)\n"
    "    T type\n"
    "op Joined (values N*$T, axis $I) -> (z $T)\n"
    "    N int >= 1\n"
    "    T type\n"
    "    I type = int32 in {ints}\n"
    "op Listed (values *T) -> (z *T)\n"
    "    T list(type) >= 1\n"
    "op Pairs (left N*int32, right N*$T) -> (z $T)\n"
    "    N int >= 1\n"
    "    T type\n"
    "op Shaped (x $T, shape int32[1]) -> (z $T)\n"
    "    T type = float64\n"
    "op TwoLists (left N*int32, right M*int64) -> (z int32)\n"
    "    N int >= 1\n"
    "    M int >= 1\n";
static const char onnx[] =
    "vocabulary onnx 1\n"
    "domain ai.onnx \"\"\n"
    "op Both@1 (x $T, y $T) -> (z $T)\n"
    "    $T in {float32 float64}\n"
    "op Most@1 (x int64, rest* $T) -> (z $T)\n"
    "    $T in {float32 float64}\n"
    "op Only@1 (x $T, y? int64) -> (z $T)\n"
    "    $T in {int8}\n";
static const char paddle[] =
    "vocabulary paddle 1\n"
    "domain paddle \"\"\n"
    "op both (X $T, Y $T) -> (Out $T)\n"
    "    $T in {float32 float64}\n";

/* Of each input: how it is declared, and its type. */
static const struct {
    const char *words, *node, *told, *inputs;
} rows[] = {
    /* the caller */
    { NULL, "op: 'Both' input: 'a' input: 'b'", NULL, "? undefined; ? undefined; " },
    { NULL, "op: 'Both' input: 'a' input: 'b'", "b:int8", "? undefined; ? int8; " },
    { NULL, "op: 'Both' input: 'a'", "a:int32=[4,5]", "? int32 is told; " },
    { NULL, "op_type: 'Both' input: 'a' output: 'c'", "a:float64=1", "? float64 is told; " },
    /* what is of one variable is of one type */
    { tensorflow, "op: 'Both' input: 'a' input: 'b'", "b:int8", "x int8; y int8; " },
    { onnx, "op_type: 'Both' input: 'a' input: 'b' output: 'c'", "a:float64", "x float64; y float64; " },
    { onnx, "op_type: 'Both' input: 'a' input: 'b' output: 'c'", NULL, "x undefined; y undefined; " },
    /* the node's own attributes, and their defaults */
    { tensorflow, "op: 'Both' input: 'a' input: 'b' attr { key: 'T' value { type: DT_HALF } }", NULL, "x float16; y float16; " },
    { tensorflow, "op: 'Shaped' input: 'a' input: 'b'", NULL, "x float64; shape int32; " },
    { tensorflow, "op: 'Shaped' input: 'a' input: 'b'", "a:int8", "x int8; shape int32; " },
    /* the only type that there is */
    { onnx, "op_type: 'Only' input: 'a' input: 'b' output: 'c'", NULL, "x int8; y int64; " },
    /* lists */
    { tensorflow, "op: 'Joined' input: 'a' input: 'b' input: 'c'", "a:int8", "values int8; values int8; axis int32; " },
    { tensorflow, "op: 'Pairs' input: 'a' input: 'b' input: 'c' input: 'd'", "d:int8", "left int32; left int32; right int8; right int8; " },
    { tensorflow, "op: 'Listed' input: 'a' input: 'b' attr { key: 'T' value { list { type: DT_INT8 type: DT_BOOL } } }", NULL, "values int8; values bool; " },
    { onnx, "op_type: 'Most' input: 'a' input: 'b' input: 'c' output: 'd'", "c:float32", "x int64; rest float32; rest float32; " },
    /* too many: the rest is declared by nobody */
    { onnx, "op_type: 'Both' input: 'a' input: 'b' input: 'c' output: 'd'", NULL, "x undefined; y undefined; ? undefined; " },
    /* Paddle's go by their slots, in any order */
    { paddle, "type: 'both' inputs { parameter: 'Y' arguments: 'b' } inputs { parameter: 'X' arguments: 'a' } "
      "outputs { parameter: 'Out' arguments: 'c' }", "a:float64", "Y float64; X float64; " },
    { paddle, "type: 'both' inputs { parameter: 'Odd' arguments: 'b' } outputs { parameter: 'Out' arguments: 'c' }", NULL, "? undefined; " },
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct testing_known t;
        struct tn_buffer     out;

        testing_know(&t, rows[row].node, rows[row].words, rows[row].told);
        tn_buffer_init(&out, &t.memory, &t.error);
        for (uint32_t i = 0; i < t.bare.node.input_count; i++) {
            struct tn_bytes name =
                t.inputs[i].arg ? t.inputs[i].arg->name : tn_text("?");
            tn_buffer_format(&out, "%.*s %s%s; ", TN_FMT(name),
                             tn_dtype_name(t.inputs[i].type.dtype),
                             t.inputs[i].tensor.data ? " is told" : "");
        }
        if (strcmp(tn_buffer_string(&out), rows[row].inputs))
            fail_msg("row %zu: %s", row, tn_buffer_string(&out));
        tn_buffer_done(&out);
        testing_forget(&t);
    }
}

/* -1: that does not follow. */
static const struct {
    const char *node, *attr;
    int         count;
} counts[] = {
    { "op: 'Joined' input: 'a' input: 'b' input: 'c'", "N", 2 },
    { "op: 'Joined' input: 'a' input: 'b' input: 'c' "
      "attr { key: 'N' value { i: 1 } }",
      "N", 1 },
    { "op: 'Joined' input: 'a' attr { key: 'N' value { i: -1 } }", "N", 0 },
    { "op: 'Joined'", "N", -1 },
    { "op: 'Pairs' input: 'a' input: 'b' input: 'c' input: 'd'", "N", 2 },
    { "op: 'Pairs' input: 'a' input: 'b' input: 'c'", "N", -1 },
    { "op: 'TwoLists' input: 'a' input: 'b' input: 'c'", "N", -1 },
    { "op: 'TwoLists' input: 'a' input: 'b' input: 'c' "
      "attr { key: 'M' value { i: 1 } }",
      "N", 2 },
    { "op: 'Both' input: 'a' input: 'b'", "N", -1 },
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof counts / sizeof counts[0]; row++) {
        struct testing_known t;
        uint32_t             count = 0;
        bool                 is_known;

        testing_know(&t, counts[row].node, tensorflow, NULL);
        is_known = tn_node_count(&t.known, tn_text(counts[row].attr), &count);
        if (counts[row].count != (is_known ? (int)count : -1))
            fail_msg("row %zu: %s%u", row, is_known ? "" : "not known, ",
                     (unsigned)count);
        testing_forget(&t);
    }
}

static void test_types_that_may_be(void **state)
{
    struct testing_known t;

    (void)state;
    testing_know(&t, "op: 'Joined' input: 'a' input: 'b'", tensorflow, NULL);
    assert_int_equal(tn_node_types(&t.known, t.inputs[0].arg), 0);
    assert_int_equal(tn_node_types(&t.known, t.inputs[1].arg),
                     TN_VOCAB_TYPE(TN_INT32) | TN_VOCAB_TYPE(TN_INT64));
    testing_forget(&t);
    testing_know(&t, "op_type: 'Both' input: 'a' output: 'b'", onnx, NULL);
    assert_int_equal(tn_node_types(&t.known, t.inputs[0].arg),
                     TN_VOCAB_TYPE(TN_FLOAT32) | TN_VOCAB_TYPE(TN_FLOAT64));
    testing_forget(&t);
}

static void test_values_of_attributes(void **state)
{
    struct testing_known t;

    (void)state;
    testing_know(&t, "op: 'Joined' input: 'a' attr { key: 'N' value { i: 7 } }",
                 tensorflow, NULL);
    assert_int_equal(tn_node_value(&t.known, tn_text("N"))->of.ints[0], 7);
    assert_int_equal(tn_node_value(&t.known, tn_text("I"))->of.ints[0],
                     TN_INT32);
    assert_null(tn_node_value(&t.known, tn_text("T"))); /* no default */
    assert_null(tn_node_value(&t.known, tn_text("no such")));
    testing_forget(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_types_that_may_be),
        cmocka_unit_test(test_values_of_attributes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
