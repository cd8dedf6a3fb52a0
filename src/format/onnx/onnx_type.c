/* onnx_type.c - element types: their numbers, and where they are kept */
#include "format/onnx/onnx.h"

static const struct tn_onnx_type types[] = {
#define FLOATS  TENSOR_FLOAT_DATA, TN_WIRE_FIXED32
#define DOUBLES TENSOR_DOUBLE_DATA, TN_WIRE_FIXED64
#define INT32S  TENSOR_INT32_DATA, TN_WIRE_VARINT
#define INT64S  TENSOR_INT64_DATA, TN_WIRE_VARINT
#define UINT64S TENSOR_UINT64_DATA, TN_WIRE_VARINT
    [1]  = { "FLOAT", TN_FLOAT32, FLOATS, 1, 1 },
    [2]  = { "UINT8", TN_UINT8, INT32S, 1, 1 },
    [3]  = { "INT8", TN_INT8, INT32S, 1, 1 },
    [4]  = { "UINT16", TN_UINT16, INT32S, 1, 1 },
    [5]  = { "INT16", TN_INT16, INT32S, 1, 1 },
    [6]  = { "INT32", TN_INT32, INT32S, 1, 1 },
    [7]  = { "INT64", TN_INT64, INT64S, 1, 1 },
    [8]  = { "STRING", TN_STRING, TENSOR_STRING_DATA, TN_WIRE_LEN, 1, 1 },
    [9]  = { "BOOL", TN_BOOL, INT32S, 1, 1 },
    [10] = { "FLOAT16", TN_FLOAT16, INT32S, 1, 1 },
    [11] = { "DOUBLE", TN_FLOAT64, DOUBLES, 1, 1 },
    [12] = { "UINT32", TN_UINT32, UINT64S, 1, 1 },
    [13] = { "UINT64", TN_UINT64, UINT64S, 1, 1 },
    [14] = { "COMPLEX64", TN_COMPLEX64, FLOATS, 1, 1 },
    [15] = { "COMPLEX128", TN_COMPLEX128, DOUBLES, 1, 1 },
    [16] = { "BFLOAT16", TN_BFLOAT16, INT32S, 1, 4 },
    [17] = { "FLOAT8E4M3FN", TN_FLOAT8E4M3FN, INT32S, 1, 9 },
    [18] = { "FLOAT8E4M3FNUZ", TN_FLOAT8E4M3FNUZ, INT32S, 1, 9 },
    [19] = { "FLOAT8E5M2", TN_FLOAT8E5M2, INT32S, 1, 9 },
    [20] = { "FLOAT8E5M2FNUZ", TN_FLOAT8E5M2FNUZ, INT32S, 1, 9 },
    [21] = { "UINT4", TN_UINT4, INT32S, 2, 10 },
    [22] = { "INT4", TN_INT4, INT32S, 2, 10 },
    [23] = { "FLOAT4E2M1", TN_FLOAT4E2M1, INT32S, 2, 11 },
    [24] = { "FLOAT8E8M0", TN_FLOAT8E8M0, INT32S, 1, 12 },
    [25] = { "UINT2", TN_UINT2, INT32S, 4, 13 },
    [26] = { "INT2", TN_INT2, INT32S, 4, 13 },
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

const struct tn_onnx_type *tn_onnx_type(uint64_t number)
{
    return number > 0 && number < TYPE_COUNT ? &types[number] : NULL;
}

uint32_t tn_onnx_type_number(enum tn_dtype dtype)
{
    for (uint32_t i = 1; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype)
            return i;
    return 0;
}
