/*
 * dl4j_write_test.c - op descriptors and rules as messages say what their text
 * says
 *
 * The text, put into bytes by the schema alone, is what must come out of what
 * was read of it.
 */
#include "map/dl4j/dl4j_write.h"

#include "support/import_bench.h"
#include "support/node_text.h"

static void write_all(struct import_bench *b, bool is_ops, struct tn_buffer *to)
{
    if (tn_failed(&b->error))
        return;
    if (is_ops)
        tn_dl4j_ops_write(&b->ops, &b->arena, to, &b->error);
    else
        tn_dl4j_rules_write(&b->mappers, &b->arena, to, &b->error);
}

/* `written` NULL: the same text. */
static const struct {
    const char *name, *text, *written;
} rows[] = {
    { "an op with arguments of every kind",
      "opList { name: 'a' "
      "argDescriptor { name: 'x' argType: INPUT_TENSOR } "
      "argDescriptor { name: 'y' argType: INPUT_TENSOR argIndex: 1 } "
      "argDescriptor { name: 'z' argType: OUTPUT_TENSOR } "
      "argDescriptor { name: 'i' int64Value: -3 argType: INT64 } "
      "argDescriptor { name: 'k' int32Value: 7 argType: INT32 argIndex: 1 } "
      "argDescriptor { name: 'd' doubleValue: 0.25 argType: DOUBLE } "
      "argDescriptor { name: 'b' boolValue: true argType: BOOL } "
      "argDescriptor { name: 't' dataTypeValue: FLOAT argType: DATA_TYPE } "
      "argDescriptor { name: 's' argType: STRING stringValue: 'so' } "
      "opDeclarationType: OP_IMPL }",
      NULL },
    { "ops by name, and no more than is said",
      "opList { name: 'b' } opList { name: 'a' "
      "argDescriptor { name: 'f' floatValue: 0.5 } "
      "argDescriptor { name: 'n' int64Value: 0 argType: INT64 argOptional: "
      "true } }",
      "opList { name: 'a' argDescriptor { name: 'f' doubleValue: 0.5 } "
      "argDescriptor { name: 'n' argType: INT64 argOptional: true } } "
      "opList { name: 'b' }" },
    { "no ops at all", "", NULL },
    { "a mapper with all that one has",
      "mappings { frameworkName: 'tensorflow' opName: 'op' "
      "inputFrameworkOpName: 'Op' "
      "rule { ruleName: 'ndarraymapping' functionName: 'ndarraymapping' "
      "inputToOutput { key: 'a' value: 'x' } "
      "inputToOutput { key: 'b' value: 'y' } ruleType: 'tensor' } "
      "rule { ruleName: 'stringequals' functionName: 'stringequals' "
      "inputToOutput { key: 'flag' value: 's' } ruleType: 'attribute' "
      "transformerArgs { key: 'flag' "
      "transformerArgs { name: 'w' argIndex: 3 stringValue: 'SAME' } } } "
      "indexOverrides { key: 0 value: 1 } indexOverrides { key: 1 value: 0 } "
      "variableResolutionType: OVERRIDE }",
      NULL },
    { "functions by the name that we have for them, tensors first",
      "mappings { frameworkName: 'onnx' opName: 'op' inputFrameworkOpName: 'P' "
      "rule { ruleName: 'StringEqualsConversion' } "
      "rule { ruleName: 'ndarraymapping' } }",
      "mappings { frameworkName: 'onnx' opName: 'op' inputFrameworkOpName: 'P' "
      "rule { ruleName: 'ndarraymapping' functionName: 'ndarraymapping' "
      "ruleType: 'tensor' } "
      "rule { ruleName: 'stringequals' functionName: 'stringequals' "
      "ruleType: 'attribute' } }" },
    { "a sketch becomes the language that it grew into",
      "op { tensorflow_mapping { input_mappings { a: 'x' } "
      "attribute_mapping_functions { n: 'i' } } }",
      "mappings { frameworkName: 'tensorflow' opName: 'op' "
      "inputFrameworkOpName: 'Op' "
      "rule { ruleName: 'ndarraymapping' functionName: 'ndarraymapping' "
      "inputToOutput { key: 'a' value: 'x' } ruleType: 'tensor' } "
      "rule { ruleName: 'valuemapping' functionName: 'valuemapping' "
      "inputToOutput { key: 'n' value: 'i' } ruleType: 'attribute' } }" },
};

static bool is_ops(size_t row)
{
    return strncmp(rows[row].text, "opList", 6) == 0 || !*rows[row].text;
}

static void read_row(struct import_bench *b, size_t row)
{
    (is_ops(row) ? import_read_ops : import_read_rules)(b, rows[row].text);
}

static void what_is_written_says_what_was_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct import_bench b;
        struct tn_buffer    out;
        struct tn_bytes     want =
            encode(TN_PB_IMPORT_IR,
                   is_ops(i) ? "org.nd4j.ir.OpDescriptorList"
                             : "org.nd4j.ir.MappingDefinitionSet",
                   rows[i].written ? rows[i].written : rows[i].text);
        import_set_up(&b, NULL);
        read_row(&b, i);
        tn_buffer_init(&out, &b.memory, &b.error);
        write_all(&b, is_ops(i), &out);
        if (tn_failed(&b.error))
            fail_msg("%s: %s", rows[i].name, b.error.what);
        if (!tn_bytes_equal(tn_buffer_bytes(&out), want))
            fail_msg("%s: other bytes", rows[i].name);
        tn_buffer_done(&out);
        import_tear_down(&b);
        encoded_free(want);
    }
}

static void constants_of_descriptors_go_along(void **state)
{
    struct tn_arg           arg = { .name   = tn_text("a"),
                                    .type   = TN_ARG_INPUT_TENSOR,
                                    .tensor = tn_text("\x0a\x01\x03") };
    struct tn_op_descriptor op  = { .name = tn_text("c"), .args = { 1, &arg } };
    struct tn_bytes         want = encode(
                TN_PB_IMPORT_IR, "org.nd4j.ir.OpDescriptorList",
                "opList { name: 'c' argDescriptor { name: 'a' inputValue { dims: 3 } "
                        "argType: INPUT_TENSOR } }");
    struct import_bench b;
    struct tn_buffer    out;

    (void)state;
    import_set_up(&b, NULL);
    assert_int_equal(tn_dl4j_ops_add(&b.ops, &op, &b.error), TN_OK);
    tn_buffer_init(&out, &b.memory, &b.error);
    write_all(&b, true, &out);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&out), want));
    tn_buffer_done(&out);
    import_tear_down(&b);
    encoded_free(want);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum tn_status status = TN_NO_MEMORY;
        for (uint64_t n = 0; status != TN_OK; n++) {
            struct tn_budget    budget    = { .left = n };
            struct tn_allocator allocator = { tn_budget_resize, &budget };
            struct import_bench b;
            struct tn_buffer    out;
            import_set_up(&b, &allocator);
            read_row(&b, i);
            tn_buffer_init(&out, &b.memory, &b.error);
            write_all(&b, is_ops(i), &out);
            status = b.error.status;
            assert_true(status == TN_OK || status == TN_NO_MEMORY);
            tn_buffer_done(&out);
            import_tear_down(&b);
            assert_int_equal(budget.blocks, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_says_what_was_read),
        cmocka_unit_test(constants_of_descriptors_go_along),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
