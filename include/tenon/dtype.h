/*
 * dtype.h - element types, across all formats
 *
 * Elements of less than a byte are returned as one byte each: codes in the
 * low bits, signed ones sign-extended.
 */
#ifndef TENON_DTYPE_H
#define TENON_DTYPE_H

#include <tenon/status.h>

/* X(NAME, text, bits of one element).  Append only: positions are ABI.
 * Bits 0: elements of no fixed size. */
#define TN_DTYPE_MAP(X)                                                        \
    X(UNDEFINED, "undefined", 0)                                               \
    X(FLOAT32, "float32", 32)                                                  \
    X(FLOAT64, "float64", 64)                                                  \
    X(FLOAT16, "float16", 16)                                                  \
    X(BFLOAT16, "bfloat16", 16)                                                \
    X(FLOAT8E4M3FN, "float8e4m3fn", 8)                                         \
    X(FLOAT8E4M3FNUZ, "float8e4m3fnuz", 8)                                     \
    X(FLOAT8E4M3B11FNUZ, "float8e4m3b11fnuz", 8)                               \
    X(FLOAT8E5M2, "float8e5m2", 8)                                             \
    X(FLOAT8E5M2FNUZ, "float8e5m2fnuz", 8)                                     \
    X(FLOAT8E8M0, "float8e8m0", 8)                                             \
    X(FLOAT4E2M1, "float4e2m1", 4)                                             \
    X(INT8, "int8", 8)                                                         \
    X(INT16, "int16", 16)                                                      \
    X(INT32, "int32", 32)                                                      \
    X(INT64, "int64", 64)                                                      \
    X(INT4, "int4", 4)                                                         \
    X(INT2, "int2", 2)                                                         \
    X(UINT8, "uint8", 8)                                                       \
    X(UINT16, "uint16", 16)                                                    \
    X(UINT32, "uint32", 32)                                                    \
    X(UINT64, "uint64", 64)                                                    \
    X(UINT4, "uint4", 4)                                                       \
    X(UINT2, "uint2", 2)                                                       \
    X(BOOL, "bool", 8)                                                         \
    X(COMPLEX64, "complex64", 64)                                              \
    X(COMPLEX128, "complex128", 128)                                           \
    X(STRING, "string", 0)                                                     \
    X(QINT8, "qint8", 8)                                                       \
    X(QUINT8, "quint8", 8)                                                     \
    X(QINT16, "qint16", 16)                                                    \
    X(QUINT16, "quint16", 16)                                                  \
    X(QINT32, "qint32", 32)                                                    \
    X(RESOURCE, "resource", 0)                                                 \
    X(VARIANT, "variant", 0)

enum tn_dtype {
#define X(name, text, bits) TN_##name,
    TN_DTYPE_MAP(X)
#undef X
    TN_DTYPE_COUNT
};

/* "float32"; "undefined" for a number that is not a type. */
TN_API const char *tn_dtype_name(enum tn_dtype dtype);

/* The type of that name, or TN_UNDEFINED. */
TN_API enum tn_dtype tn_dtype_find(const char *name);

/* Bits of one element; 0 when elements have no fixed size. */
TN_API unsigned tn_dtype_bits(enum tn_dtype dtype);

/* Bytes of one element as the library returns it; 0 as above. */
TN_API unsigned tn_dtype_size(enum tn_dtype dtype);

#endif
