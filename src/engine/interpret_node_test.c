/* interpret_node_test.c - what is assumed of nodes, and that it is told */
#include "support/hostile.h"

#include <stdio.h>
#include <string.h>

#include <tenon/interpret.h>

#include "base/byte_view.h"

static struct tn_interpreter *open_builtin(void)
{
    const struct tn_interpreter_options none  = { .file_count = 0 };
    struct tn_error                     error = TN_ERROR_INIT;
    struct tn_interpreter              *i;

    assert_int_equal(tn_interpreter_open(&i, &none, NULL, &error), TN_OK);
    return i;
}

static const struct {
    const char *node, *inputs, *op, *assumed;
} bare[] = {
    { "op_type: 'Relu' input: 'x'", NULL, "relu", "" },
    { "op_type: 'MatMul' input: 'a' input: 'b'", NULL, "matmul",
      "a:float32[?,?] b:float32[?,?]" },
    { "op_type: 'MatMul' input: 'a' input: 'b'", "a:float64[?,?]", "matmul",
      "b:float64[?,?]" },
    { "op_type: 'Transpose' input: 'x' attribute { name: 'perm' type: INTS "
      "ints: 2 ints: 0 ints: 1 }",
      NULL, "permute", "" },
    { "op_type: 'GlobalMaxPool' input: 'x'", NULL, "reduce_max",
      "x:float32[?,?,?,?]" },
    { "op: 'Cast' input: 'x'", NULL, "cast", "x:float32 DstT=float32" },
    { "op: 'Pack' input: 'x' input: 'y'", NULL, "stack", "x:float32" },
    { "op: 'BitwiseAnd' input: 'x' input: 'y'", NULL, "bitwise_and",
      "x:int32" },
    { "type: 'relu' inputs { parameter: 'X' arguments: 'x' } "
      "outputs { parameter: 'Out' arguments: 'y' }",
      NULL, "relu", "" },
};

static void test_what_is_assumed_is_told(void **state)
{
    struct tn_interpreter *i = open_builtin();

    (void)state;
    for (size_t row = 0; row < sizeof bare / sizeof bare[0]; row++) {
        struct tn_interpret_context context = { .inputs = bare[row].inputs };
        struct tn_error             error   = TN_ERROR_INIT;
        struct tn_op_descriptor    *op;
        if (tn_interpret_node(&op, i, tn_text(bare[row].node), &context,
                              &error) != TN_OK)
            fail_msg("row %zu: %s", row, error.what);
        assert_true(tn_bytes_is(op->name, bare[row].op));
        if (!tn_bytes_is(op->assumed, bare[row].assumed))
            fail_msg("row %zu: %.*s", row, TN_FMT(op->assumed));
        tn_op_descriptor_close(op);
    }
    tn_interpreter_close(i);
}

static void test_strict_callers_get_no_assumptions(void **state)
{
    struct tn_interpreter *i = open_builtin();

    (void)state;
    for (size_t row = 0; row < sizeof bare / sizeof bare[0]; row++) {
        struct tn_interpret_context context = { .inputs    = bare[row].inputs,
                                                .is_strict = true };
        struct tn_error             error   = TN_ERROR_INIT;
        struct tn_op_descriptor    *op;
        bool is_taken = tn_interpret_node(&op, i, tn_text(bare[row].node),
                                          &context, &error) == TN_OK;
        assert_int_equal(is_taken, bare[row].assumed[0] == '\0');
        tn_op_descriptor_close(op);
    }
    tn_interpreter_close(i);
}

static void test_opsets_begin_at_one(void **state)
{
    struct tn_interpret_context context = { .opset = -1 };
    struct tn_error             error   = TN_ERROR_INIT;
    struct tn_interpreter      *i       = open_builtin();
    struct tn_op_descriptor    *op;

    (void)state;
    assert_int_equal(
        tn_interpret_node(&op, i, tn_text(bare[0].node), &context, &error),
        TN_INVALID);
    assert_null(op);
    tn_interpreter_close(i);
}

/* Sums over such axes are none; that is told, and nothing overflows. */
static void test_axes_may_be_any_number(void **state)
{
    static const char *const axes[] = { "-9223372036854775808",
                                        "9223372036854775807", "-9", "8" };
    struct tn_interpreter   *i      = open_builtin();

    (void)state;
    for (size_t row = 0; row < sizeof axes / sizeof axes[0]; row++) {
        struct tn_interpret_context context = { .opset = 11 };
        struct tn_error             error   = TN_ERROR_INIT;
        struct tn_op_descriptor    *op;
        char                        node[200];
        snprintf(node, sizeof node,
                 "op_type: 'GatherElements' input: 'x' input: 'at' "
                 "attribute { name: 'axis' type: INT i: %s } "
                 "attribute { name: 'axes' type: INTS ints: %s }",
                 axes[row], axes[row]);
        tn_interpret_node(&op, i, tn_text(node), &context, &error);
        assert_int_equal(op == NULL, error.status != TN_OK);
        tn_op_descriptor_close(op);
    }
    tn_interpreter_close(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_assumed_is_told),
        cmocka_unit_test(test_strict_callers_get_no_assumptions),
        cmocka_unit_test(test_opsets_begin_at_one),
        cmocka_unit_test(test_axes_may_be_any_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
