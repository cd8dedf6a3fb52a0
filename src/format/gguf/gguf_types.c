/* gguf_types.c - the numbers of types in GGUF files */
#include "format/gguf/gguf_header.h"
#include "ir/blocks.h"

static const struct {
    const char *name;
    unsigned    size;
} values[TN_GGUF_VALUE_TYPES] = {
    [TN_GGUF_UINT8] = { "uint8", 1 },     [TN_GGUF_INT8] = { "int8", 1 },
    [TN_GGUF_UINT16] = { "uint16", 2 },   [TN_GGUF_INT16] = { "int16", 2 },
    [TN_GGUF_UINT32] = { "uint32", 4 },   [TN_GGUF_INT32] = { "int32", 4 },
    [TN_GGUF_FLOAT32] = { "float32", 4 }, [TN_GGUF_BOOL] = { "bool", 1 },
    [TN_GGUF_STRING] = { "string", 0 },   [TN_GGUF_ARRAY] = { "array", 0 },
    [TN_GGUF_UINT64] = { "uint64", 8 },   [TN_GGUF_INT64] = { "int64", 8 },
    [TN_GGUF_FLOAT64] = { "float64", 8 },
};

const char *tn_gguf_value_name(uint32_t type)
{
    return type < TN_GGUF_VALUE_TYPES ? values[type].name : NULL;
}

unsigned tn_gguf_value_size(uint32_t type)
{
    return type < TN_GGUF_VALUE_TYPES ? values[type].size : 0;
}

/* ---- tensors -------------------------------------------------------------- */

#define PLAIN(name, dtype)                                                     \
    {                                                                          \
        name, dtype, TN_BLOCK_COUNT                                            \
    }
#define BLOCKS(name, kind)                                                     \
    {                                                                          \
        name, TN_FLOAT32, TN_BLOCK_##kind                                      \
    }
#define REMOVED(name)                                                          \
    {                                                                          \
        name, TN_UNDEFINED, TN_BLOCK_COUNT                                     \
    }

/* clang-format off */
static const struct tn_gguf_type types[] = {
    [0]  = PLAIN("f32", TN_FLOAT32),
    [1]  = PLAIN("f16", TN_FLOAT16),
    [2]  = BLOCKS("q4_0", Q4_0),
    [3]  = BLOCKS("q4_1", Q4_1),
    [4]  = REMOVED("q4_2"),
    [5]  = REMOVED("q4_3"),
    [6]  = BLOCKS("q5_0", Q5_0),
    [7]  = BLOCKS("q5_1", Q5_1),
    [8]  = BLOCKS("q8_0", Q8_0),
    [9]  = BLOCKS("q8_1", Q8_1),
    [10] = BLOCKS("q2_K", Q2_K),
    [11] = BLOCKS("q3_K", Q3_K),
    [12] = BLOCKS("q4_K", Q4_K),
    [13] = BLOCKS("q5_K", Q5_K),
    [14] = BLOCKS("q6_K", Q6_K),
    [15] = BLOCKS("q8_K", Q8_K),
    [16] = BLOCKS("iq2_xxs", IQ2_XXS),
    [17] = BLOCKS("iq2_xs", IQ2_XS),
    [18] = BLOCKS("iq3_xxs", IQ3_XXS),
    [19] = BLOCKS("iq1_s", IQ1_S),
    [20] = BLOCKS("iq4_nl", IQ4_NL),
    [21] = BLOCKS("iq3_s", IQ3_S),
    [22] = BLOCKS("iq2_s", IQ2_S),
    [23] = BLOCKS("iq4_xs", IQ4_XS),
    [24] = PLAIN("i8", TN_INT8),
    [25] = PLAIN("i16", TN_INT16),
    [26] = PLAIN("i32", TN_INT32),
    [27] = PLAIN("i64", TN_INT64),
    [28] = PLAIN("f64", TN_FLOAT64),
    [29] = BLOCKS("iq1_m", IQ1_M),
    [30] = PLAIN("bf16", TN_BFLOAT16),
    [31] = REMOVED("q4_0_4_4"),
    [32] = REMOVED("q4_0_4_8"),
    [33] = REMOVED("q4_0_8_8"),
    [34] = BLOCKS("tq1_0", TQ1_0),
    [35] = BLOCKS("tq2_0", TQ2_0),
    [36] = REMOVED("iq4_nl_4_4"),
    [37] = REMOVED("iq4_nl_4_8"),
    [38] = REMOVED("iq4_nl_8_8"),
    [39] = BLOCKS("mxfp4", MXFP4),
    [40] = BLOCKS("nvfp4", NVFP4),
    [41] = BLOCKS("q1_0", Q1_0),
    [42] = BLOCKS("q2_0", Q2_0),
};
/* clang-format on */

#define TYPE_COUNT (sizeof types / sizeof types[0])

const struct tn_gguf_type *tn_gguf_type(uint32_t number)
{
    return number < TYPE_COUNT ? &types[number] : NULL;
}

static uint32_t find(enum tn_dtype dtype, unsigned kind)
{
    for (uint32_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype && types[i].kind == kind &&
            dtype != TN_UNDEFINED)
            return i;
    return UINT32_MAX;
}

uint32_t tn_gguf_type_of(enum tn_dtype dtype)
{
    return find(dtype, TN_BLOCK_COUNT);
}

uint32_t tn_gguf_type_of_blocks(unsigned kind)
{
    return find(TN_FLOAT32, kind);
}

uint32_t tn_gguf_type_of_elements(const struct tn_elements *elements)
{
    return tn_payload_is_blocks(&elements->payload)
               ? tn_gguf_type_of_blocks(elements->payload.field)
               : tn_gguf_type_of(elements->shape.dtype);
}
