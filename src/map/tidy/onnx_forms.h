/*
 * onnx_forms.h - writes operators in forms that more readers accept
 *
 * ONNX has several forms for many things, and some readers accept only the
 * usual one:
 *
 *   Conv     kernel_shape follows from the weights, but some readers need it
 *   Gemm     weights of constants have a row for each output, as frameworks
 *            that train write them: transB is 1
 *   Squeeze  its axes are an input since opset 13; a new shape says the same
 */
#ifndef TN_MAP_ONNX_FORMS_H
#define TN_MAP_ONNX_FORMS_H

#include "map/net/net.h"

/* Types must have been inferred. */
enum tn_status tn_onnx_forms(struct tn_net *net);

#endif
