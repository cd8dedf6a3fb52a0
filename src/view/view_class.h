/* view_class.h - what kind of work an operator does: its colour in a picture */
#ifndef TN_VIEW_VIEW_CLASS_H
#define TN_VIEW_VIEW_CLASS_H

#include "base/byte_view.h"

/* The page has the same numbers (viewer/palette.js). */
#define TN_VIEW_CLASSES(X)                                                     \
    X(OTHER, "other")                                                          \
    X(DATA, "data")                                                            \
    X(CONSTANT, "constant")                                                    \
    X(PRODUCT, "convolution and product")                                      \
    X(NORM, "normalization")                                                   \
    X(ACTIVATION, "activation")                                                \
    X(POOL, "pooling and reduction")                                           \
    X(SHAPE, "shape and order")                                                \
    X(MATH, "arithmetic")                                                      \
    X(CONTROL, "control flow")                                                 \
    X(QUANTIZE, "quantization")                                                \
    X(BLOCK, "block")

enum tn_view_class {
#define TN_VIEW_CLASS_ID(name, text) TN_VIEW_CLASS_##name,
    TN_VIEW_CLASSES(TN_VIEW_CLASS_ID)
#undef TN_VIEW_CLASS_ID
        TN_VIEW_CLASS_COUNT
};

extern const char *const tn_view_class_names[TN_VIEW_CLASS_COUNT];

/* By the operator's name, whatever the dialect: "Conv", "conv2d",
 * "DepthwiseConv2dNative" are all products. */
enum tn_view_class tn_view_class_of(struct tn_bytes op);

/* Whether an operator takes no data and gives a constant, or only looks at the
 * shape of its input: its results are small, and belong to what uses them. */
bool tn_view_is_constant_op(struct tn_bytes op);
bool tn_view_is_shape_op(struct tn_bytes op);

#endif
