/* pt_types.c - PyTorch's names for types of elements */
#include "format/pytorch/pt.h"

static const struct {
    const char   *storage; /* class in the module torch; NULL: untyped only   */
    const char   *name;    /* torch.NAME                                      */
    enum tn_dtype dtype;
    uint8_t       per_byte;
} types[] = {
    { "DoubleStorage", "float64", TN_FLOAT64, 1 },
    { "FloatStorage", "float32", TN_FLOAT32, 1 },
    { "HalfStorage", "float16", TN_FLOAT16, 1 },
    { "BFloat16Storage", "bfloat16", TN_BFLOAT16, 1 },
    { "LongStorage", "int64", TN_INT64, 1 },
    { "IntStorage", "int32", TN_INT32, 1 },
    { "ShortStorage", "int16", TN_INT16, 1 },
    { "CharStorage", "int8", TN_INT8, 1 },
    { "ByteStorage", "uint8", TN_UINT8, 1 },
    { "BoolStorage", "bool", TN_BOOL, 1 },
    { "ComplexFloatStorage", "complex64", TN_COMPLEX64, 1 },
    { "ComplexDoubleStorage", "complex128", TN_COMPLEX128, 1 },
    { "QInt8Storage", "qint8", TN_QINT8, 1 },
    { "QUInt8Storage", "quint8", TN_QUINT8, 1 },
    { "QInt32Storage", "qint32", TN_QINT32, 1 },
    { "QUInt4x2Storage", "quint4x2", TN_UINT4, 2 },
    { "QUInt2x4Storage", "quint2x4", TN_UINT2, 4 },
    { NULL, "float8_e4m3fn", TN_FLOAT8E4M3FN, 1 },
    { NULL, "float8_e5m2", TN_FLOAT8E5M2, 1 },
    { NULL, "float8_e4m3fnuz", TN_FLOAT8E4M3FNUZ, 1 },
    { NULL, "float8_e5m2fnuz", TN_FLOAT8E5M2FNUZ, 1 },
    { NULL, "float8_e8m0fnu", TN_FLOAT8E8M0, 1 },
    { NULL, "uint16", TN_UINT16, 1 },
    { NULL, "uint32", TN_UINT32, 1 },
    { NULL, "uint64", TN_UINT64, 1 },
    /* Bits and pairs: shown as the integers that they are stored in. */
    { NULL, "float4_e2m1fn_x2", TN_UINT8, 1 },
    { NULL, "bits8", TN_UINT8, 1 },
    { NULL, "bits16", TN_UINT16, 1 },
    { NULL, "bits1x8", TN_UINT8, 1 },
    { NULL, "bits2x4", TN_UINT8, 1 },
    { NULL, "bits4x2", TN_UINT8, 1 },
    { NULL, "complex32", TN_FLOAT16, 1 }, /* pairs: pt_tree.c */
    { NULL, "chalf", TN_FLOAT16, 1 },
    /* A few bits of a byte. */
    { NULL, "uint1", TN_UINT8, 1 },
    { NULL, "uint2", TN_UINT8, 1 },
    { NULL, "uint3", TN_UINT8, 1 },
    { NULL, "uint4", TN_UINT8, 1 },
    { NULL, "uint5", TN_UINT8, 1 },
    { NULL, "uint6", TN_UINT8, 1 },
    { NULL, "uint7", TN_UINT8, 1 },
    { NULL, "int1", TN_INT8, 1 },
    { NULL, "int2", TN_INT8, 1 },
    { NULL, "int3", TN_INT8, 1 },
    { NULL, "int4", TN_INT8, 1 },
    { NULL, "int5", TN_INT8, 1 },
    { NULL, "int6", TN_INT8, 1 },
    { NULL, "int7", TN_INT8, 1 },
    /* Other names of the same types. */
    { NULL, "double", TN_FLOAT64, 1 },
    { NULL, "float", TN_FLOAT32, 1 },
    { NULL, "half", TN_FLOAT16, 1 },
    { NULL, "long", TN_INT64, 1 },
    { NULL, "int", TN_INT32, 1 },
    { NULL, "short", TN_INT16, 1 },
    { NULL, "cfloat", TN_COMPLEX64, 1 },
    { NULL, "cdouble", TN_COMPLEX128, 1 },
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

bool tn_pt_find_type(struct tn_bytes name, enum tn_dtype *dtype,
                     uint8_t *per_byte)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (!tn_bytes_is(name, types[i].name) &&
            !(types[i].storage && tn_bytes_is(name, types[i].storage)))
            continue;
        *dtype    = types[i].dtype;
        *per_byte = types[i].per_byte;
        return true;
    }
    return false;
}

const char *tn_pt_dtype_name(enum tn_dtype dtype)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype && types[i].per_byte == 1)
            return types[i].name;
    return NULL;
}

const char *tn_pt_storage_class(enum tn_dtype dtype)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype && types[i].per_byte == 1)
            return types[i].storage;
    return NULL;
}
