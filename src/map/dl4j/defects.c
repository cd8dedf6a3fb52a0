/* defects.c - mistakes of the rules that Deeplearning4j ships */
#include "map/dl4j/explain.h"

/* clang-format off */
/* What tells a conversion of a mistake. */
enum sight {
    ALWAYS, /* unconditional: reported for every node                         */
    SEEN,   /* the node at hand: a value that makes no difference, an output of
               another type or shape (unmapped.h, lang_dl4j.h)               */
    IDLE,   /* nothing, and it changes no result                              */
};

static const struct {
    const char *framework, *op_type, *what;
    enum sight  sight;
} defects[] = {
    { "onnx", "MatMul", "alpha is 0 and beta 1: the product is multiplied by zero", ALWAYS },
    { "onnx", "MatMul", "two sets of flags are given the places 0 to 2", ALWAYS },
    { "onnx", "Conv", "auto_pad is compared with SAME, which ONNX does not have: SAME_UPPER and SAME_LOWER are lost", SEEN },
    { "onnx", "Conv", "padding is taken from pads[0] and pads[1] alone: asymmetric pads are lost", SEEN },
    { "onnx", "AveragePool", "auto_pad is never seen as SAME_UPPER or SAME_LOWER", SEEN },
    { "onnx", "AveragePool", "padding is taken from pads[2] and pads[3] alone: asymmetric pads are lost", SEEN },
    { "onnx", "AveragePool", "count_include_pad and ceil_mode are dropped", SEEN },
    { "onnx", "MaxPool", "auto_pad and ceil_mode are dropped", SEEN },
    { "onnx", "MaxPool", "padding is taken from pads[2] and pads[3] alone: asymmetric pads are lost", SEEN },
    { "onnx", "MaxPool", "the default strides go to places 6 and 7 instead of 2 and 3", ALWAYS },
    { "onnx", "ReduceLogSumExp", "keepdims is given a second time, as a number without a place", ALWAYS },
    { "onnx", "DepthToSpace", "isNHWC is set although ONNX is NCHW; mode is dropped", ALWAYS },
    { "onnx", "SpaceToDepth", "isNHWC is set although ONNX is NCHW", ALWAYS },
    { "onnx", "Xor", "becomes a bitwise op, while And, Or and Not become others", ALWAYS },
    { "onnx", "And", "becomes a boolean op, while Xor becomes a bitwise one", SEEN },
    { "onnx", "Or", "becomes 'or', of another family than And and Xor", SEEN },
    { "onnx", "Not", "becomes 'not', of another family than And and Xor", IDLE },
    { "onnx", "Pad", "pads are not rearranged from begins and ends to pairs; the value to pad with is dropped", ALWAYS },
    { "onnx", "Pad", "mode edge lands on nd4j's SYMMETRIC", ALWAYS },
    { "onnx", "RandomNormal", "mean, scale, seed and dtype are dropped", SEEN },
    { "onnx", "RandomUniform", "bounds, seed and dtype are dropped", SEEN },
    { "onnx", "ScatterND", "inputs stay in ONNX's order, which is not nd4j's", ALWAYS },
    { "onnx", "ScatterElements", "inputs stay in ONNX's order; axis is dropped", ALWAYS },
    { "onnx", "TopK", "axis and largest are dropped", SEEN },
    { "onnx", "GatherND", "batch_dims is dropped", SEEN },
    { "onnx", "Mod", "fmod is dropped; the remainder of a negative number has the sign of the other kind", ALWAYS },
    { "onnx", "HardSigmoid", "alpha and beta are dropped", SEEN },
    { "onnx", "Round", "halves are rounded away from zero, not to the even number", ALWAYS },
    { "onnx", "LSTM", "the flags for optional inputs are set even when those are missing; weights keep ONNX's layout", ALWAYS },
    { "tensorflow", "Softmax", "always along dimension 1, not the last", ALWAYS },
    { "tensorflow", "LogSoftmax", "no dimension is given", ALWAYS },
    { "tensorflow", "MaxPoolWithArgmax", "ksize, strides and padding are dropped: all are 1", SEEN },
    { "tensorflow", "NonMaxSuppression", "iou_threshold goes to an output", ALWAYS },
    { "tensorflow", "NonMaxSuppression", "an argument that nd4j does not declare is given at place 1", ALWAYS },
    { "tensorflow", "NonMaxSuppressionV2", "an argument that nd4j does not declare is given at place 1", ALWAYS },
    { "tensorflow", "MaxPool", "explicit_paddings is dropped", SEEN },
    { "tensorflow", "MaxPool", "dW and dH are named at each other's places; both are 1", IDLE },
    { "tensorflow", "MaxPoolV2", "dW and dH are named at each other's places; both are 1", IDLE },
    { "tensorflow", "AvgPool", "dW and dH are named at each other's places; both are 1", IDLE },
    { "tensorflow", "Conv2D", "explicit_paddings is dropped", SEEN },
    { "tensorflow", "Conv3D", "pW is given twice and pD never; dilations are mixed up", ALWAYS },
    { "tensorflow", "BlockLSTM", "two numbers are given place 0", ALWAYS },
    { "tensorflow", "BlockLSTMV2", "two numbers are given place 0", ALWAYS },
    { "tensorflow", "SplitV", "the axis is given twice", ALWAYS },
    { "tensorflow", "AvgPool3D", "height and width are swapped", ALWAYS },
    { "tensorflow", "MaxPool3D", "height and width are swapped", ALWAYS },
    { "tensorflow", "ApproximateEqual", "becomes an exact comparison: tolerance is dropped", ALWAYS },
    { "tensorflow", "BatchMatrixDeterminant", "the rule names a sibling op; without effect", IDLE },
    { "tensorflow", "MatrixSetDiag", "the rule names a sibling op; without effect", IDLE },
    { "tensorflow", "MatrixInverse", "the rule names a sibling op; adjoint is dropped", SEEN },
    { "tensorflow", "GatherV2", "batch_dims is dropped", SEEN },
    { "tensorflow", "If", "both branches are lost", SEEN },
    { "tensorflow", "While", "condition and body are lost", SEEN },
    { "tensorflow", "ScatterUpdate", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
    { "tensorflow", "TensorScatterUpdate", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
    { "tensorflow", "Bincount", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
    { "tensorflow", "CTCLoss", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
};
/* clang-format on */

static bool is_of(size_t i, struct tn_bytes framework, struct tn_bytes op_type)
{
    return tn_bytes_is(framework, defects[i].framework) &&
           tn_bytes_is(op_type, defects[i].op_type);
}

const char *tn_map_unseen_defect(struct tn_bytes framework,
                                 struct tn_bytes op_type, unsigned index)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        if (defects[i].sight == ALWAYS && is_of(i, framework, op_type) &&
            index-- == 0)
            return defects[i].what;
    return NULL;
}

const char *tn_map_defect(struct tn_bytes framework, struct tn_bytes op_type,
                          unsigned index)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        if (is_of(i, framework, op_type) && index-- == 0)
            return defects[i].what;
    return NULL;
}
