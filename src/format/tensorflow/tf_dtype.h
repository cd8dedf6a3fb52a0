/* tf_dtype.h - TensorFlow's DataType numbers, and what they mean */
#ifndef TN_FORMAT_TF_DTYPE_H
#define TN_FORMAT_TF_DTYPE_H

#include <stdbool.h>

#include <tenon/dtype.h>

/* Type number N + 100 is a reference to a variable of type N. */
#define TN_TF_REF 100

/* TN_UNDEFINED for 0 and for numbers that are not types.  For a reference: the
 * type that it refers to. */
enum tn_dtype tn_tf_dtype(uint64_t number);

/* 0, DT_INVALID, for types that TensorFlow does not have. */
uint32_t tn_tf_dtype_number(enum tn_dtype dtype);

/* "DT_FLOAT", "DT_FLOAT_REF"; NULL for numbers that are not types. */
const char *tn_tf_dtype_name(uint64_t number);

/* The field of TensorProto that holds values of that type, one by one; 0 if
 * there is none.  float8_val is a bytes field, the others are repeated. */
uint32_t tn_tf_value_field(enum tn_dtype dtype);

/* Numbers of TensorProto's fields that hold data. */
enum {
    TN_TF_TENSOR_CONTENT = 4,
    TN_TF_FLOAT_VAL      = 5,
    TN_TF_DOUBLE_VAL     = 6,
    TN_TF_INT_VAL        = 7,
    TN_TF_STRING_VAL     = 8,
    TN_TF_SCOMPLEX_VAL   = 9,
    TN_TF_INT64_VAL      = 10,
    TN_TF_BOOL_VAL       = 11,
    TN_TF_DCOMPLEX_VAL   = 12,
    TN_TF_HALF_VAL       = 13,
    TN_TF_RESOURCE_VAL   = 14,
    TN_TF_VARIANT_VAL    = 15,
    TN_TF_UINT32_VAL     = 16,
    TN_TF_UINT64_VAL     = 17,
    TN_TF_FLOAT8_VAL     = 18,
};

#endif
