/* defects.c - mistakes of the rules that Deeplearning4j ships */
#include "map/dl4j/explain.h"

/* clang-format off */
static const struct {
    const char *framework, *op_type, *what;
} defects[] = {
    { "onnx", "MatMul", "alpha is 0 and beta 1: the product is multiplied by zero" },
    { "onnx", "MatMul", "two sets of flags are given the places 0 to 2" },
    { "onnx", "Conv", "auto_pad is compared with SAME, which ONNX does not have: SAME_UPPER and SAME_LOWER are lost" },
    { "onnx", "Conv", "padding is taken from pads[0] and pads[1] alone: asymmetric pads are lost" },
    { "onnx", "AveragePool", "auto_pad is never seen as SAME_UPPER or SAME_LOWER" },
    { "onnx", "AveragePool", "padding is taken from pads[2] and pads[3] alone: asymmetric pads are lost" },
    { "onnx", "AveragePool", "count_include_pad and ceil_mode are dropped" },
    { "onnx", "MaxPool", "auto_pad and ceil_mode are dropped" },
    { "onnx", "MaxPool", "padding is taken from pads[2] and pads[3] alone: asymmetric pads are lost" },
    { "onnx", "MaxPool", "the default strides go to places 6 and 7 instead of 2 and 3" },
    { "onnx", "ReduceLogSumExp", "keepdims is given a second time, as a number without a place" },
    { "onnx", "DepthToSpace", "isNHWC is set although ONNX is NCHW; mode is dropped" },
    { "onnx", "SpaceToDepth", "isNHWC is set although ONNX is NCHW" },
    { "onnx", "Xor", "becomes a bitwise op, while And, Or and Not become others" },
    { "onnx", "And", "becomes a boolean op, while Xor becomes a bitwise one" },
    { "onnx", "Or", "becomes 'or', of another family than And and Xor" },
    { "onnx", "Not", "becomes 'not', of another family than And and Xor" },
    { "onnx", "Pad", "pads are not rearranged from begins and ends to pairs; the value to pad with is dropped" },
    { "onnx", "Pad", "mode edge lands on nd4j's SYMMETRIC" },
    { "onnx", "RandomNormal", "mean, scale, seed and dtype are dropped" },
    { "onnx", "RandomUniform", "bounds, seed and dtype are dropped" },
    { "onnx", "ScatterND", "inputs stay in ONNX's order, which is not nd4j's" },
    { "onnx", "ScatterElements", "inputs stay in ONNX's order; axis is dropped" },
    { "onnx", "TopK", "axis and largest are dropped" },
    { "onnx", "GatherND", "batch_dims is dropped" },
    { "onnx", "Mod", "fmod is dropped" },
    { "onnx", "HardSigmoid", "alpha and beta are dropped" },
    { "onnx", "LSTM", "the flags for optional inputs are set even when those are missing; weights keep ONNX's layout" },
    { "tensorflow", "Softmax", "always along dimension 1, not the last" },
    { "tensorflow", "LogSoftmax", "no dimension is given" },
    { "tensorflow", "MaxPoolWithArgmax", "ksize, strides and padding are dropped: all are 1" },
    { "tensorflow", "NonMaxSuppression", "iou_threshold goes to an output" },
    { "tensorflow", "NonMaxSuppression", "an argument that nd4j does not declare is given at place 1" },
    { "tensorflow", "NonMaxSuppressionV2", "an argument that nd4j does not declare is given at place 1" },
    { "tensorflow", "MaxPool", "explicit_paddings is dropped" },
    { "tensorflow", "MaxPool", "dW and dH are named at each other's places; both are 1" },
    { "tensorflow", "MaxPoolV2", "dW and dH are named at each other's places; both are 1" },
    { "tensorflow", "AvgPool", "dW and dH are named at each other's places; both are 1" },
    { "tensorflow", "Conv2D", "explicit_paddings is dropped" },
    { "tensorflow", "Conv3D", "pW is given twice and pD never; dilations are mixed up" },
    { "tensorflow", "BlockLSTM", "two numbers are given place 0" },
    { "tensorflow", "BlockLSTMV2", "two numbers are given place 0" },
    { "tensorflow", "SplitV", "the axis is given twice" },
    { "tensorflow", "AvgPool3D", "height and width are swapped" },
    { "tensorflow", "MaxPool3D", "height and width are swapped" },
    { "tensorflow", "ApproximateEqual", "becomes an exact comparison: tolerance is dropped" },
    { "tensorflow", "BatchMatrixDeterminant", "the rule names a sibling op; without effect" },
    { "tensorflow", "MatrixSetDiag", "the rule names a sibling op; without effect" },
    { "tensorflow", "MatrixInverse", "the rule names a sibling op; adjoint is dropped" },
    { "tensorflow", "GatherV2", "batch_dims is dropped" },
    { "tensorflow", "If", "both branches are lost" },
    { "tensorflow", "While", "condition and body are lost" },
    { "tensorflow", "ScatterUpdate", "inputs stay in TensorFlow's order, which is not nd4j's" },
    { "tensorflow", "TensorScatterUpdate", "inputs stay in TensorFlow's order, which is not nd4j's" },
    { "tensorflow", "Bincount", "inputs stay in TensorFlow's order, which is not nd4j's" },
    { "tensorflow", "CTCLoss", "inputs stay in TensorFlow's order, which is not nd4j's" },
};
/* clang-format on */

const char *tn_map_defect(struct tn_bytes framework, struct tn_bytes op_type,
                          unsigned index)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        if (tn_bytes_is(framework, defects[i].framework) &&
            tn_bytes_is(op_type, defects[i].op_type) && index-- == 0)
            return defects[i].what;
    return NULL;
}
