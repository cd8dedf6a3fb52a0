/*
 * onnx_forms.h - the same operators in forms that more readers know
 *
 * ONNX lets a file say many things in several ways, and there are readers that
 * know only the usual one:
 *
 *   Conv     kernel_shape follows from the weights; some look for it alone
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
