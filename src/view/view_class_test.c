/* view_class_test.c - operators of all dialects have a kind of work */
#include "view/view_class.h"

#include "support/hostile.h"

static const struct {
    const char        *op;
    enum tn_view_class is;
} cases[] = {
    { "Conv", TN_VIEW_CLASS_PRODUCT },
    { "DepthwiseConv2dNative", TN_VIEW_CLASS_PRODUCT },
    { "conv2d", TN_VIEW_CLASS_PRODUCT },
    { "pd_op.matmul", TN_VIEW_CLASS_PRODUCT },
    { "Gemm", TN_VIEW_CLASS_PRODUCT },
    { "BatchNormalization", TN_VIEW_CLASS_NORM },
    { "FusedBatchNormV3", TN_VIEW_CLASS_NORM },
    { "layer_norm", TN_VIEW_CLASS_NORM },
    { "Relu6", TN_VIEW_CLASS_ACTIVATION },
    { "Softmax", TN_VIEW_CLASS_ACTIVATION },
    { "hard_swish", TN_VIEW_CLASS_ACTIVATION },
    { "MaxPool", TN_VIEW_CLASS_POOL },
    { "ReduceMean", TN_VIEW_CLASS_POOL },
    { "Reshape", TN_VIEW_CLASS_SHAPE },
    { "GatherV2", TN_VIEW_CLASS_SHAPE },
    { "elementwise_add", TN_VIEW_CLASS_MATH },
    { "Add", TN_VIEW_CLASS_MATH },
    { "StatefulPartitionedCall", TN_VIEW_CLASS_CONTROL },
    { "Loop", TN_VIEW_CLASS_CONTROL },
    { "QuantizeLinear", TN_VIEW_CLASS_QUANTIZE },
    { "Const", TN_VIEW_CLASS_CONSTANT },
    { "Placeholder", TN_VIEW_CLASS_DATA },
    { "LOGISTIC", TN_VIEW_CLASS_ACTIVATION },
    { "FULLY_CONNECTED", TN_VIEW_CLASS_PRODUCT },
    { "RESIZE_BILINEAR", TN_VIEW_CLASS_SHAPE },
    { "STABLEHLO_DOT_GENERAL", TN_VIEW_CLASS_PRODUCT },
    { "VAR_HANDLE", TN_VIEW_CLASS_CONSTANT },
    { "pixel_unshuffle", TN_VIEW_CLASS_SHAPE },
    { "silu", TN_VIEW_CLASS_ACTIVATION },
    { "RandomNormal", TN_VIEW_CLASS_OTHER },
    { "RaggedTensorToSparse", TN_VIEW_CLASS_OTHER },
    { "Acosh", TN_VIEW_CLASS_MATH },
    { "", TN_VIEW_CLASS_OTHER },
    { "SomethingThatNobodyHasEverHeardOfAndThatIsLongerThanAnyName",
      TN_VIEW_CLASS_OTHER },
};

static void test_classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (tn_view_class_of(tn_text(cases[i].op)) != cases[i].is)
            fail_msg(
                "%s is %s", cases[i].op,
                tn_view_class_names[tn_view_class_of(tn_text(cases[i].op))]);
}

static void test_constants(void **state)
{
    (void)state;
    assert_true(tn_view_is_constant_op(tn_text("Constant")));
    assert_true(tn_view_is_constant_op(tn_text("fill_constant")));
    assert_false(tn_view_is_constant_op(tn_text("ConstantOfShape")));
    assert_true(tn_view_is_shape_op(tn_text("Shape")));
    assert_false(tn_view_is_shape_op(tn_text("Reshape")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
