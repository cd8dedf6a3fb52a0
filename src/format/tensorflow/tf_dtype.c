/* tf_dtype.c - TensorFlow's DataType numbers, and what they mean */
#include "format/tensorflow/tf_dtype.h"

#include <stddef.h>

/* By number. */
static const struct tf_type {
    const char   *name, *ref_name;
    enum tn_dtype dtype;
    uint32_t      value_field;
} types[] = {
#define TYPE(name) "DT_" #name, "DT_" #name "_REF"
    { "DT_INVALID", NULL, TN_UNDEFINED, 0 },
    { TYPE(FLOAT), TN_FLOAT32, TN_TF_FLOAT_VAL },
    { TYPE(DOUBLE), TN_FLOAT64, TN_TF_DOUBLE_VAL },
    { TYPE(INT32), TN_INT32, TN_TF_INT_VAL },
    { TYPE(UINT8), TN_UINT8, TN_TF_INT_VAL },
    { TYPE(INT16), TN_INT16, TN_TF_INT_VAL },
    { TYPE(INT8), TN_INT8, TN_TF_INT_VAL },
    { TYPE(STRING), TN_STRING, TN_TF_STRING_VAL },
    { TYPE(COMPLEX64), TN_COMPLEX64, TN_TF_SCOMPLEX_VAL },
    { TYPE(INT64), TN_INT64, TN_TF_INT64_VAL },
    { TYPE(BOOL), TN_BOOL, TN_TF_BOOL_VAL },
    { TYPE(QINT8), TN_QINT8, TN_TF_INT_VAL },
    { TYPE(QUINT8), TN_QUINT8, TN_TF_INT_VAL },
    { TYPE(QINT32), TN_QINT32, TN_TF_INT_VAL },
    { TYPE(BFLOAT16), TN_BFLOAT16, TN_TF_HALF_VAL },
    { TYPE(QINT16), TN_QINT16, TN_TF_INT_VAL },
    { TYPE(QUINT16), TN_QUINT16, TN_TF_INT_VAL },
    { TYPE(UINT16), TN_UINT16, TN_TF_INT_VAL },
    { TYPE(COMPLEX128), TN_COMPLEX128, TN_TF_DCOMPLEX_VAL },
    { TYPE(HALF), TN_FLOAT16, TN_TF_HALF_VAL },
    { TYPE(RESOURCE), TN_RESOURCE, TN_TF_RESOURCE_VAL },
    { TYPE(VARIANT), TN_VARIANT, TN_TF_VARIANT_VAL },
    { TYPE(UINT32), TN_UINT32, TN_TF_UINT32_VAL },
    { TYPE(UINT64), TN_UINT64, TN_TF_UINT64_VAL },
    { TYPE(FLOAT8_E5M2), TN_FLOAT8E5M2, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E4M3FN), TN_FLOAT8E4M3FN, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E4M3FNUZ), TN_FLOAT8E4M3FNUZ, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E4M3B11FNUZ), TN_FLOAT8E4M3B11FNUZ, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E5M2FNUZ), TN_FLOAT8E5M2FNUZ, TN_TF_FLOAT8_VAL },
    { TYPE(INT4), TN_INT4, TN_TF_INT_VAL },
    { TYPE(UINT4), TN_UINT4, TN_TF_INT_VAL },
    { TYPE(INT2), TN_INT2, TN_TF_INT_VAL },
    { TYPE(UINT2), TN_UINT2, TN_TF_INT_VAL },
    { TYPE(FLOAT4_E2M1FN), TN_FLOAT4E2M1, TN_TF_FLOAT8_VAL },
#undef TYPE
};

#define TYPE_COUNT (sizeof types / sizeof *types)

enum tn_dtype tn_tf_dtype(uint64_t number)
{
    if (number > TN_TF_REF)
        number -= TN_TF_REF;
    return number < TYPE_COUNT ? types[number].dtype : TN_UNDEFINED;
}

uint32_t tn_tf_dtype_number(enum tn_dtype dtype)
{
    for (uint32_t i = 1; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype)
            return i;
    return 0;
}

const char *tn_tf_dtype_name(uint64_t number)
{
    if (number < TYPE_COUNT)
        return types[number].name;
    if (number > TN_TF_REF && number - TN_TF_REF < TYPE_COUNT)
        return types[number - TN_TF_REF].ref_name;
    return NULL;
}

uint32_t tn_tf_value_field(enum tn_dtype dtype)
{
    return types[tn_tf_dtype_number(dtype)].value_field;
}
