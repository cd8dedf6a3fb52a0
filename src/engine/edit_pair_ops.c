/* edit_pair_ops.c - names of the operators that change little or nothing */
#include "engine/edit_pair_ops.h"

#include "format/onnx/onnx.h"
#include "ir/dialect_facts.h"
#include "wire/lod/lod.h"

static const struct tn_pair_ops ops[TN_DIALECT_COUNT] = {
    [TN_DIALECT_ONNX]       = { "Identity",
                                "Cast",
                                "QuantizeLinear",
                                "DequantizeLinear",
                                { NULL } },
    [TN_DIALECT_TENSORFLOW] = { "Identity",
                                "Cast",
                                NULL,
                                NULL,
                                { "FakeQuantWithMinMaxArgs",
                                  "FakeQuantWithMinMaxVars",
                                  "FakeQuantWithMinMaxVarsPerChannel",
                                  "QuantizeAndDequantizeV2",
                                  "QuantizeAndDequantizeV3",
                                  "QuantizeAndDequantizeV4" } },
    [TN_DIALECT_PADDLE]     = { "assign",
                                "cast",
                                "quantize_linear",
                                "dequantize_linear",
                                { NULL } },
    [TN_DIALECT_ND4J]       = { "identity",
                                "cast",
                                NULL,
                                NULL,
                                { "fake_quant_with_min_max_vars",
                                  "fake_quant_with_min_max_vars_per_channel" } },
    [TN_DIALECT_TFLITE] = { NULL, "CAST", "QUANTIZE", "DEQUANTIZE", { NULL } },
};

const struct tn_pair_ops *tn_pair_ops_of(const struct tn_dialect *dialect)
{
    return &ops[tn_dialect_facts(dialect ? dialect->name : "")->id];
}

static enum tn_status set(struct tn_draft *draft, uint32_t op, const char *name,
                          enum tn_attr_kind kind, bool is_list, int64_t number,
                          struct tn_error *error)
{
    const struct tn_attr_value value = {
        .kind = kind, .is_list = is_list, .count = 1, .of.ints = &number
    };

    return tn_draft_set_attr(draft, op, name, &value, error);
}

static bool is_cast(const struct tn_draft *draft, uint32_t op)
{
    return tn_bytes_is(tn_draft_op_at(draft, op)->change->type,
                       tn_pair_ops_of(draft->dialect)->cast);
}

enum tn_status tn_pair_describe(struct tn_draft *draft, uint32_t op,
                                enum tn_dtype from, enum tn_dtype to,
                                struct tn_error *error)
{
    switch (tn_dialect_facts(draft->dialect->name)->id) {
    case TN_DIALECT_ONNX:
        return is_cast(draft, op) ? set(draft, op, "to", TN_ATTR_INT, false,
                                        (int64_t)tn_onnx_type_number(to), error)
                                  : TN_OK;
    case TN_DIALECT_TENSORFLOW:
        if (!is_cast(draft, op))
            return set(draft, op, "T", TN_ATTR_DTYPE, false, to, error);
        TN_TRY(set(draft, op, "SrcT", TN_ATTR_DTYPE, false, from, error));
        return set(draft, op, "DstT", TN_ATTR_DTYPE, false, to, error);
    case TN_DIALECT_PADDLE:
        if (!is_cast(draft, op))
            return TN_OK;
        TN_TRY(set(draft, op, "in_dtype", TN_ATTR_INT, false, tn_lod_type(from),
                   error));
        return set(draft, op, "out_dtype", TN_ATTR_INT, false, tn_lod_type(to),
                   error);
    case TN_DIALECT_ND4J:
        return is_cast(draft, op)
                   ? set(draft, op, "dArgs", TN_ATTR_DTYPE, true, to, error)
                   : TN_OK;
    case TN_DIALECT_TFLITE:
        TN_TRY(
            set(draft, op, "in_data_type", TN_ATTR_DTYPE, false, from, error));
        return set(draft, op, "out_data_type", TN_ATTR_DTYPE, false, to, error);
    case TN_DIALECT_OTHER:
    case TN_DIALECT_COUNT: break;
    }
    return TN_OK;
}
