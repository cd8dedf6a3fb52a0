/* ir_types.c - names and numbers of element types in the import IR, nd4j and
 * TensorFlow */
#include "map/dl4j/ir_types.h"

#include <string.h>

/* The import IR numbers its types as ONNX does. */
/* clang-format off */
static const struct {
    int64_t       ir;
    const char   *name;
    enum tn_dtype dtype;
    int64_t       nd4j;
    const char   *tensorflow;
} types[] = {
    {  0, "UNDEFINED",  TN_UNDEFINED,  100, "DT_INVALID" },
    {  1, "FLOAT",      TN_FLOAT32,      5, "DT_FLOAT" },
    {  2, "UINT8",      TN_UINT8,       11, "DT_UINT8" },
    {  3, "INT8",       TN_INT8,         7, "DT_INT8" },
    {  4, "UINT16",     TN_UINT16,      12, "DT_UINT16" },
    {  5, "INT16",      TN_INT16,        8, "DT_INT16" },
    {  6, "INT32",      TN_INT32,        9, "DT_INT32" },
    {  7, "INT64",      TN_INT64,       10, "DT_INT64" },
    {  8, "STRING",     TN_STRING,      50, "DT_STRING" },
    {  9, "BOOL",       TN_BOOL,         1, "DT_BOOL" },
    { 10, "FLOAT16",    TN_FLOAT16,      3, "DT_HALF" },
    { 11, "DOUBLE",     TN_FLOAT64,      6, "DT_DOUBLE" },
    { 12, "UINT32",     TN_UINT32,      13, "DT_UINT32" },
    { 13, "UINT64",     TN_UINT64,      14, "DT_UINT64" },
    { 14, "COMPLEX64",  TN_COMPLEX64,   -1, "DT_COMPLEX64" },
    { 15, "COMPLEX128", TN_COMPLEX128,  -1, "DT_COMPLEX128" },
    { 16, "BFLOAT16",   TN_BFLOAT16,    17, "DT_BFLOAT16" },
};

/* TensorFlow's that neither the IR nor libnd4j can say. */
static const struct {
    enum tn_dtype dtype;
    const char   *name;
} others[] = {
    { TN_QINT8,          "DT_QINT8" },
    { TN_QUINT8,         "DT_QUINT8" },
    { TN_QINT32,         "DT_QINT32" },
    { TN_QINT16,         "DT_QINT16" },
    { TN_QUINT16,        "DT_QUINT16" },
    { TN_RESOURCE,       "DT_RESOURCE" },
    { TN_VARIANT,        "DT_VARIANT" },
    { TN_FLOAT8E5M2,     "DT_FLOAT8_E5M2" },
    { TN_FLOAT8E4M3FN,   "DT_FLOAT8_E4M3FN" },
    { TN_FLOAT8E4M3FNUZ, "DT_FLOAT8_E4M3FNUZ" },
    { TN_FLOAT8E4M3B11FNUZ, "DT_FLOAT8_E4M3B11FNUZ" },
    { TN_FLOAT8E5M2FNUZ, "DT_FLOAT8_E5M2FNUZ" },
    { TN_INT4,           "DT_INT4" },
    { TN_UINT4,          "DT_UINT4" },
    { TN_INT2,           "DT_INT2" },
    { TN_UINT2,          "DT_UINT2" },
    { TN_FLOAT4E2M1,     "DT_FLOAT4_E2M1FN" },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

int64_t tn_ir_type(enum tn_dtype dtype)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (types[i].dtype == dtype)
            return types[i].ir;
    return 0;
}

enum tn_dtype tn_ir_dtype(int64_t ir)
{
    return ir > 0 && ir < (int64_t)COUNT(types) ? types[ir].dtype
                                                : TN_UNDEFINED;
}

const char *tn_ir_type_name(int64_t ir)
{
    return ir >= 0 && ir < (int64_t)COUNT(types) ? types[ir].name : "UNDEFINED";
}

bool tn_ir_type_named(struct tn_bytes name, int64_t *ir)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (tn_bytes_is(name, types[i].name)) {
            *ir = types[i].ir;
            return true;
        }
    return false;
}

int64_t tn_nd4j_type(enum tn_dtype dtype)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (types[i].dtype == dtype)
            return types[i].nd4j;
    return -1;
}

enum tn_dtype tn_ir_of_tensorflow_name(struct tn_bytes name)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (tn_bytes_is(name, types[i].tensorflow))
            return types[i].dtype;
    for (size_t i = 0; i < COUNT(others); i++)
        if (tn_bytes_is(name, others[i].name))
            return others[i].dtype;
    return TN_UNDEFINED;
}
