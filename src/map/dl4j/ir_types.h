/* ir_types.h - names and numbers of element types in the import IR, nd4j and
 * TensorFlow */
#ifndef TN_MAP_IR_TYPES_H
#define TN_MAP_IR_TYPES_H

#include <tenon/dtype.h>

#include "base/byte_view.h"

/* org.nd4j.ir.DataType; 0 if it has no such type. */
int64_t       tn_ir_type(enum tn_dtype dtype);
enum tn_dtype tn_ir_dtype(int64_t ir);
const char   *tn_ir_type_name(int64_t ir);
bool          tn_ir_type_named(struct tn_bytes name, int64_t *ir);

/* libnd4j's own number; -1 if it has no such type. */
int64_t tn_nd4j_type(enum tn_dtype dtype);

/* By TensorFlow's name: "DT_FLOAT". */
enum tn_dtype tn_ir_of_tensorflow_name(struct tn_bytes name);

#endif
