/* tf_dtype_test.c - all of TensorFlow's types, both directions */
#include "format/tensorflow/tf_dtype.h"
#include "support/hostile.h"

static void every_number_comes_back(void **state)
{
    (void)state;
    for (uint32_t number = 1; number <= 33; number++) {
        enum tn_dtype dtype = tn_tf_dtype(number);
        assert_int_not_equal(dtype, TN_UNDEFINED);
        assert_int_equal(tn_tf_dtype_number(dtype), number);
        assert_int_equal(tn_tf_dtype(number + TN_TF_REF), dtype);
        assert_int_not_equal(tn_tf_value_field(dtype), 0);
    }
}

static void other_numbers_are_no_types(void **state)
{
    static const uint64_t numbers[] = { 0, 34, 99, 100, 134, 201, UINT64_MAX };

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(tn_tf_dtype(numbers[i]), TN_UNDEFINED);
    assert_int_equal(tn_tf_dtype_number(TN_FLOAT8E8M0), 0);
    assert_int_equal(tn_tf_dtype_number(TN_UNDEFINED), 0);
    assert_int_equal(tn_tf_value_field(TN_FLOAT8E8M0), 0);
}

static void names_are_those_of_text_protos(void **state)
{
    (void)state;
    assert_string_equal(tn_tf_dtype_name(0), "DT_INVALID");
    assert_string_equal(tn_tf_dtype_name(1), "DT_FLOAT");
    assert_string_equal(tn_tf_dtype_name(19), "DT_HALF");
    assert_string_equal(tn_tf_dtype_name(33), "DT_FLOAT4_E2M1FN");
    assert_string_equal(tn_tf_dtype_name(107), "DT_STRING_REF");
    assert_null(tn_tf_dtype_name(34));
    assert_null(tn_tf_dtype_name(100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(other_numbers_are_no_types),
        cmocka_unit_test(names_are_those_of_text_protos),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
