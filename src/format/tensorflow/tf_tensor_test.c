/* tf_tensor_test.c - TensorProto in all its storage forms */
#include "format/tensorflow/tf_testing.h"

#define CONST(tensor)                                                          \
    "node { name: 'c' op: 'Const' attr { key: 'value' value { tensor "         \
    "{ " tensor " } } } }"
#define DIM(n) " tensor_shape { dim { size: " #n " } } "

/* clang-format off */
static const struct {
    const char   *name, *tensor;
    enum tn_dtype dtype;
    const char   *elements; /* hex, little-endian                             */
    const char   *storage;
} forms[] = {
    { "content", CONST("dtype: DT_INT16" DIM(2) "tensor_content: '\\1\\2\\3\\4'"),
      TN_INT16, "01 02 03 04", "raw" },
    { "content wins", CONST("dtype: DT_INT8" DIM(1) "tensor_content: '\\7' int_val: 9"),
      TN_INT8, "07", "raw" },
    { "scalar", CONST("dtype: DT_FLOAT tensor_shape {} float_val: 1"),
      TN_FLOAT32, "00 00 80 3f", "typed" },
    { "no shape is a scalar", CONST("dtype: DT_FLOAT float_val: 1"),
      TN_FLOAT32, "00 00 80 3f", "typed" },
    { "splat", CONST("dtype: DT_FLOAT" DIM(3) "float_val: 1"),
      TN_FLOAT32, "00 00 80 3f 00 00 80 3f 00 00 80 3f", "splat" },
    { "cut tail", CONST("dtype: DT_UINT8" DIM(4) "int_val: [1, 2]"),
      TN_UINT8, "01 02 02 02", "splat" },
    { "zeros", CONST("dtype: DT_INT32" DIM(2)),
      TN_INT32, "00 00 00 00 00 00 00 00", "zeros" },
    { "excess is ignored", CONST("dtype: DT_INT8" DIM(1) "int_val: [5, 6]"),
      TN_INT8, "05", "typed" },
    { "no elements", CONST("dtype: DT_INT8" DIM(0) "int_val: 5"),
      TN_INT8, "", "empty" },
    { "values before the type", CONST(DIM(2) "int_val: [3, 4] dtype: DT_INT8"),
      TN_INT8, "03 04", "typed" },
    { "double", CONST("dtype: DT_DOUBLE" DIM(1) "double_val: -2"),
      TN_FLOAT64, "00 00 00 00 00 00 00 c0", "typed" },
    { "negative zero splat", CONST("dtype: DT_FLOAT" DIM(2) "float_val: -0.0"),
      TN_FLOAT32, "00 00 00 80 00 00 00 80", "splat" },
    { "int64", CONST("dtype: DT_INT64" DIM(2) "int64_val: [-1, 258]"),
      TN_INT64, "ff ff ff ff ff ff ff ff 02 01 00 00 00 00 00 00", "typed" },
    { "uint32", CONST("dtype: DT_UINT32" DIM(1) "uint32_val: 4294967295"),
      TN_UINT32, "ff ff ff ff", "typed" },
    { "uint64", CONST("dtype: DT_UINT64" DIM(1) "uint64_val: 18446744073709551615"),
      TN_UINT64, "ff ff ff ff ff ff ff ff", "typed" },
    { "uint16", CONST("dtype: DT_UINT16" DIM(1) "int_val: 65535"),
      TN_UINT16, "ff ff", "typed" },
    { "int8 below zero", CONST("dtype: DT_INT8" DIM(1) "int_val: -2"),
      TN_INT8, "fe", "typed" },
    { "bool", CONST("dtype: DT_BOOL" DIM(3) "bool_val: [true, false, true]"),
      TN_BOOL, "01 00 01", "typed" },
    { "half", CONST("dtype: DT_HALF" DIM(2) "half_val: [15360, 49152]"),
      TN_FLOAT16, "00 3c 00 c0", "typed" },
    { "bfloat16", CONST("dtype: DT_BFLOAT16" DIM(1) "half_val: 16256"),
      TN_BFLOAT16, "80 3f", "typed" },
    { "complex64 pairs", CONST("dtype: DT_COMPLEX64" DIM(2) "scomplex_val: [1, 2]"),
      TN_COMPLEX64, "00 00 80 3f 00 00 00 40 00 00 80 3f 00 00 00 40", "splat" },
    { "complex128", CONST("dtype: DT_COMPLEX128" DIM(1) "dcomplex_val: [0, -2]"),
      TN_COMPLEX128, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 c0", "typed" },
    { "float8", CONST("dtype: DT_FLOAT8_E5M2" DIM(3) "float8_val: '\\1\\2'"),
      TN_FLOAT8E5M2, "01 02 02", "splat" },
    { "float4, a byte each", CONST("dtype: DT_FLOAT4_E2M1FN" DIM(2) "float8_val: '\\1\\2'"),
      TN_FLOAT4E2M1, "01 02", "raw" },
    { "int4, a byte each", CONST("dtype: DT_INT4" DIM(2) "tensor_content: '\\1\\7'"),
      TN_INT4, "01 07", "raw" },
    { "int4 values", CONST("dtype: DT_INT4" DIM(2) "int_val: [-8, 7]"),
      TN_INT4, "f8 07", "typed" },
    { "uint2", CONST("dtype: DT_UINT2" DIM(2) "int_val: [3, 1]"),
      TN_UINT2, "03 01", "typed" },
    { "qint32", CONST("dtype: DT_QINT32" DIM(1) "int_val: -1"),
      TN_QINT32, "ff ff ff ff", "typed" },
};

/* clang-format on */

static void check_elements(const struct tn_tensor *tensor, const char *hex)
{
    struct tn_bytes want  = tn_hex(hex);
    struct tn_error error = TN_ERROR_INIT;
    uint8_t         have[64];

    assert_int_equal(tn_tensor_size(tensor), want.size);
    if (tn_tensor_read(tensor, 0, have, want.size, &error) != TN_OK)
        fail_msg("%s", error.what);
    if (want.size)
        assert_memory_equal(have, want.data, want.size);
    free((void *)(uintptr_t)want.data);
}

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct opened o;
        open_text(&o, &tn_format_tf_graph, forms[i].tensor);
        const struct tn_tensor *tensor = tn_model_tensor(&o.model, 0);
        if (tn_tensor_dtype(tensor) != forms[i].dtype ||
            strcmp(tn_tensor_storage(tensor), forms[i].storage))
            fail_msg("%s: %s, stored %s", forms[i].name,
                     tn_dtype_name(tn_tensor_dtype(tensor)),
                     tn_tensor_storage(tensor));
        check_elements(tensor, forms[i].elements);
        close_model(&o);
    }
}

/* What a writer gives must read back as the same elements. */
static void test_written_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct opened   o;
        struct tn_bytes once = binary_of(&tn_format_tf_graph, forms[i].tensor);
        assert_int_equal(open_bytes(&o, &tn_format_tf_graph, once, true),
                         TN_OK);
        o.model.is_edited       = true;
        struct tn_op        *op = tn_model_op_at(&o.model, 0);
        struct tn_attr_slot *slot =
            tn_list_push(&o.model.attrs, struct tn_attr_slot, &o.error);
        struct tn_tensor        plain  = *tn_model_tensor(&o.model, 0);
        const struct tn_tensor *list[] = { &plain };
        struct tn_attr_value    value  = { .kind       = TN_ATTR_TENSOR,
                                           .count      = 1,
                                           .of.tensors = list };
        plain.wire.length = 0; /* from elements, not from its old bytes */
        slot->name = tn_intern_copy(&o.model.names, tn_text("value"), &o.error);
        slot->value           = &value;
        op->first_attr        = 0;
        op->attr_count        = 1;
        struct tn_bytes twice = write_bytes(&o.model, &tn_format_tf_graph);
        close_model(&o);
        assert_int_equal(open_bytes(&o, &tn_format_tf_graph, twice, true),
                         TN_OK);
        check_elements(tn_model_tensor(&o.model, 0), forms[i].elements);
        close_model(&o);
        free((void *)(uintptr_t)once.data);
        free((void *)(uintptr_t)twice.data);
    }
}

/* ---- strings ------------------------------------------------------------ */

static enum tn_status join(void *context, uint64_t index, struct tn_span text,
                           struct tn_error *error)
{
    char *to = context;

    if (index)
        strcat(to, "|");
    to += strlen(to);
    if (text.length)
        tn_source_read(text.source, text.offset, to, (size_t)text.length,
                       error);
    to[text.length] = '\0';
    return error->status;
}

static void test_strings(void **state)
{
    static const char *const rows[][2] = {
        { CONST("dtype: DT_STRING string_val: 'one'"), "one" },
        { CONST("dtype: DT_STRING" DIM(3) "string_val: ['a', 'bc']"),
          "a|bc|bc" },
        { CONST("dtype: DT_STRING" DIM(2)), "|" },
        { CONST("dtype: DT_STRING" DIM(2) "tensor_content: '\\1\\2abc'"),
          "a|bc" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opened o;
        char          text[100] = "";
        open_text(&o, &tn_format_tf_graph, rows[i][0]);
        const struct tn_tensor *tensor = tn_model_tensor(&o.model, 0);
        assert_int_equal(tn_payload_strings(&tensor->elements, 0,
                                            tn_tensor_count(tensor), join, text,
                                            &o.error),
                         TN_OK);
        assert_string_equal(text, rows[i][1]);
        close_model(&o);
    }
}

/* Types and shapes that no tensor has: the rest of the model opens. */
static void test_impossible(void **state)
{
    static const char *const rows[] = {
        CONST("dtype: DT_FLOAT" DIM(-1) "float_val: 1"),
        CONST("dtype: DT_FLOAT tensor_shape { unknown_rank: true }"),
        CONST("dtype: 77 int_val: 1"),
        CONST("dtype: DT_FLOAT_REF float_val: 1"),
        CONST("int_val: 1"),
        CONST("dtype: DT_INT8 tensor_shape { dim { size: 4294967296 } dim { "
              "size: 4294967296 } }"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opened o;
        uint8_t       byte;
        open_text(&o, &tn_format_tf_graph, rows[i]);
        const struct tn_tensor *tensor = tn_model_tensor(&o.model, 0);
        assert_int_equal(tn_tensor_dtype(tensor), TN_UNDEFINED);
        assert_int_not_equal(tn_tensor_read(tensor, 0, &byte, 1, &o.error),
                             TN_OK);
        close_model(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_written_again),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_impossible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
