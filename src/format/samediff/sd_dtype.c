/* sd_dtype.c - numbers that SameDiff files use, and their names */
#include "format/samediff/samediff.h"

/* ---- names of custom operations, and the numbers that they may have ----- */

/* Names that people write, and the kernels that run. */
static const char *const aliases[][2] = {
    { "mmul", "matmul" },
    { "stridedslice", "strided_slice" },
    { "tensorarrayv3", "create_list" },
    { "tensorarraywritev3", "write_list" },
    { "tensorarrayreadv3", "read_list" },
    { "tensorarraysizev3", "size_list" },
    { "tensorarraysplitv3", "split_list" },
    { "tensorarrayscatterv3", "scatter_list" },
    { "tensorarraygatherv3", "gather_list" },
};

bool tn_sd_hash_is(const struct tn_nd4j_hasher *hasher, struct tn_bytes op_name,
                   int64_t number)
{
    if (tn_nd4j_hash(hasher, op_name) == number)
        return true;
    for (unsigned i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (tn_bytes_is(op_name, aliases[i][0]))
            return tn_nd4j_hash(hasher, tn_text(aliases[i][1])) == number;
    return false;
}

#define UNSIGNED (INT64_C(1) << 23)

static const struct type {
    int8_t        code;
    enum tn_dtype dtype; /* TN_UNDEFINED: no reader knows it                  */
    int64_t       flags; /* in a shape record                                 */
    const char   *name;
} types[] = {
    { 0, TN_UNDEFINED, 0, "INHERIT" },
    { 1, TN_BOOL, 524288, "BOOL" },
    { 2, TN_UNDEFINED, 0, "FLOAT8" },
    { 3, TN_FLOAT16, 4096, "HALF" },
    { 4, TN_UNDEFINED, 0, "HALF2" },
    { 5, TN_FLOAT32, 8192, "FLOAT" },
    { 6, TN_FLOAT64, 16384, "DOUBLE" },
    { 7, TN_INT8, 32768, "INT8" },
    { 8, TN_INT16, 65536, "INT16" },
    { 9, TN_INT32, 131072, "INT32" },
    { 10, TN_INT64, 262144, "INT64" },
    { 11, TN_UINT8, UNSIGNED | 32768, "UINT8" },
    { 12, TN_UINT16, UNSIGNED | 65536, "UINT16" },
    { 13, TN_UINT32, UNSIGNED | 131072, "UINT32" },
    { 14, TN_UINT64, UNSIGNED | 262144, "UINT64" },
    { 15, TN_QINT8, 0, "QINT8" },
    { 16, TN_QINT16, 0, "QINT16" },
    { 17, TN_BFLOAT16, 2048, "BFLOAT16" },
    { 50, TN_STRING, 1048576, "UTF8" },
    { 51, TN_UNDEFINED, 4194304, "UTF16" },
    { 52, TN_UNDEFINED, 16777216, "UTF32" },
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

/* Every bit that says a type. */
#define TYPE_FLAGS                                                             \
    (UNSIGNED | 2048 | 4096 | 8192 | 16384 | 32768 | 65536 | 131072 | 262144 | \
     524288 | 1048576 | 4194304 | 16777216)

static const struct type *find_code(int code)
{
    for (unsigned i = 0; i < TYPE_COUNT; i++)
        if (types[i].code == code)
            return &types[i];
    return NULL;
}

static const struct type *find_dtype(enum tn_dtype dtype)
{
    for (unsigned i = 0; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

enum tn_dtype tn_sd_dtype(int code)
{
    const struct type *type = find_code(code);

    return type ? type->dtype : TN_UNDEFINED;
}

int8_t tn_sd_dtype_code(enum tn_dtype dtype)
{
    const struct type *type = find_dtype(dtype);

    return type ? type->code : TN_SD_INHERIT;
}

const char *tn_sd_dtype_name(int code)
{
    const struct type *type = find_code(code);

    return type ? type->name : NULL;
}

int64_t tn_sd_dtype_flags(enum tn_dtype dtype)
{
    const struct type *type = find_dtype(dtype);

    return type ? type->flags : 0;
}

enum tn_dtype tn_sd_flags_dtype(int64_t flags)
{
    for (unsigned i = 0; i < TYPE_COUNT; i++)
        if (types[i].flags && (flags & TYPE_FLAGS) == types[i].flags)
            return types[i].dtype;
    return TN_UNDEFINED;
}

static const struct op_type {
    int         number;
    const char *name;
} op_types[] = {
    { 0, "TRANSFORM_FLOAT" }, { 1, "TRANSFORM_SAME" },
    { 2, "TRANSFORM_BOOL" },  { 3, "TRANSFORM_STRICT" },
    { 4, "TRANSFORM_ANY" },   { 5, "REDUCE_FLOAT" },
    { 6, "REDUCE_SAME" },     { 7, "REDUCE_LONG" },
    { 8, "REDUCE_BOOL" },     { 9, "INDEX_REDUCE" },
    { 10, "SCALAR" },         { 11, "SCALAR_BOOL" },
    { 12, "BROADCAST" },      { 13, "BROADCAST_BOOL" },
    { 14, "PAIRWISE" },       { 15, "PAIRWISE_BOOL" },
    { 16, "REDUCE_3" },       { 17, "SUMMARYSTATS" },
    { 18, "SHAPE" },          { 19, "AGGREGATION" },
    { 20, "RANDOM" },         { TN_SD_CUSTOM, "CUSTOM" },
    { 22, "GRAPH" },          { 40, "VARIABLE" },
    { 60, "BOOLEAN" },        { TN_SD_LOGIC, "LOGIC" },
    { TN_SD_UDF, "UDF" },
};

#define OP_TYPE_COUNT (sizeof op_types / sizeof op_types[0])

const char *tn_sd_op_type_name(int op_type)
{
    for (unsigned i = 0; i < OP_TYPE_COUNT; i++)
        if (op_types[i].number == op_type)
            return op_types[i].name;
    return NULL;
}

int tn_sd_op_type_find(struct tn_bytes name)
{
    int number = 0;

    for (unsigned i = 0; i < OP_TYPE_COUNT; i++)
        if (tn_bytes_is(name, op_types[i].name))
            return op_types[i].number;
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] < '0' || name.data[i] > '9' || number > 127)
            return -1;
        number = number * 10 + (name.data[i] - '0');
    }
    return name.size && number <= 127 ? number : -1;
}
