/*
 * tfl_tables.c - operators of TFLite and their options
 *
 * Made by tools/make_tflite_tables.py from schemas/tflite.fbs.
 */
#include "format/tflite/tfl_tables.h"

/* ---- enumerations ------------------------------------------------------- */

enum {
    TN_TFL_NO_NAMES,
    TN_TFL_StablehloPrecisionConfig,
    TN_TFL_StablehloComparisonDirection,
    TN_TFL_StablehloComparisonType,
    TN_TFL_RngAlgorithm,
    TN_TFL_Padding,
    TN_TFL_ActivationFunctionType,
    TN_TFL_LSHProjectionType,
    TN_TFL_FullyConnectedOptionsWeightsFormat,
    TN_TFL_LSTMKernelType,
    TN_TFL_CombinerType,
    TN_TFL_MirrorPadMode,
    TN_TFL_ReduceWindowFunction,
    TN_TFL_CustomOptionsFormat,
};

static const char *const names_StablehloPrecisionConfig[] = {
    "DEFAULT",
    "HIGH",
    "HIGHEST",
};

static const char *const names_StablehloComparisonDirection[] = {
    "STABLEHLO_COMPARISON_DIRECTION_EQ",
    "STABLEHLO_COMPARISON_DIRECTION_NE",
    "STABLEHLO_COMPARISON_DIRECTION_GE",
    "STABLEHLO_COMPARISON_DIRECTION_GT",
    "STABLEHLO_COMPARISON_DIRECTION_LE",
    "STABLEHLO_COMPARISON_DIRECTION_LT",
};

static const char *const names_StablehloComparisonType[] = {
    "STABLEHLO_COMPARISON_TYPE_NOTYPE",
    "STABLEHLO_COMPARISON_TYPE_FLOAT",
    "STABLEHLO_COMPARISON_TYPE_FLOAT_TOTAL_ORDER",
    "STABLEHLO_COMPARISON_TYPE_SIGNED",
    "STABLEHLO_COMPARISON_TYPE_UNSIGNED",
};

static const char *const names_RngAlgorithm[] = {
    "DEFAULT",
    "PHILOX",
    "THREEFRY",
};

static const char *const names_Padding[] = {
    "SAME",
    "VALID",
};

static const char *const names_ActivationFunctionType[] = {
    "NONE",
    "RELU",
    "RELU_N1_TO_1",
    "RELU6",
    "TANH",
    "SIGN_BIT",
};

static const char *const names_LSHProjectionType[] = {
    "UNKNOWN",
    "SPARSE",
    "DENSE",
};

static const char *const names_FullyConnectedOptionsWeightsFormat[] = {
    "DEFAULT",
    "SHUFFLED4x16INT8",
};

static const char *const names_LSTMKernelType[] = {
    "FULL",
    "BASIC",
};

static const char *const names_CombinerType[] = {
    "SUM",
    "MEAN",
    "SQRTN",
};

static const char *const names_MirrorPadMode[] = {
    "REFLECT",
    "SYMMETRIC",
};

static const char *const names_ReduceWindowFunction[] = {
    "UNSUPPORTED",
    "ADD",
    "MUL",
    "MINIMUM",
    "MAXIMUM",
    "ALL",
    "ANY",
};

static const char *const names_CustomOptionsFormat[] = {
    "FLEXBUFFERS",
};

const struct tn_tfl_names tn_tfl_names[] = {
    { NULL, 0, 0 },
    { names_StablehloPrecisionConfig, 3, 4 },
    { names_StablehloComparisonDirection, 6, 4 },
    { names_StablehloComparisonType, 5, 4 },
    { names_RngAlgorithm, 3, 1 },
    { names_Padding, 2, 1 },
    { names_ActivationFunctionType, 6, 1 },
    { names_LSHProjectionType, 3, 1 },
    { names_FullyConnectedOptionsWeightsFormat, 2, 1 },
    { names_LSTMKernelType, 2, 1 },
    { names_CombinerType, 3, 1 },
    { names_MirrorPadMode, 2, 1 },
    { names_ReduceWindowFunction, 7, 4 },
    { names_CustomOptionsFormat, 1, 1 },
};

/* ---- tables of options -------------------------------------------------- */

static const struct tn_tfl_field fields_Conv2DOptions[] = {
    { "padding", 0, TN_TFL_ENUM, TN_TFL_Padding, 0 },
    { "stride_w", 1, TN_TFL_I32, 0, 0 },
    { "stride_h", 2, TN_TFL_I32, 0, 0 },
    { "fused_activation_function", 3, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "dilation_w_factor", 4, TN_TFL_I32, 0, 1 },
    { "dilation_h_factor", 5, TN_TFL_I32, 0, 1 },
    { "quantized_bias_type", 6, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_DepthwiseConv2DOptions[] = {
    { "padding", 0, TN_TFL_ENUM, TN_TFL_Padding, 0 },
    { "stride_w", 1, TN_TFL_I32, 0, 0 },
    { "stride_h", 2, TN_TFL_I32, 0, 0 },
    { "depth_multiplier", 3, TN_TFL_I32, 0, 0 },
    { "fused_activation_function", 4, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "dilation_w_factor", 5, TN_TFL_I32, 0, 1 },
    { "dilation_h_factor", 6, TN_TFL_I32, 0, 1 },
};

static const struct tn_tfl_field fields_ConcatEmbeddingsOptions[] = {
    { "num_channels", 0, TN_TFL_I32, 0, 0 },
    { "num_columns_per_channel", 1, TN_TFL_I32S, 0, 0 },
    { "embedding_dim_per_channel", 2, TN_TFL_I32S, 0, 0 },
};

static const struct tn_tfl_field fields_LSHProjectionOptions[] = {
    { "type", 0, TN_TFL_ENUM, TN_TFL_LSHProjectionType, 0 },
};

static const struct tn_tfl_field fields_Pool2DOptions[] = {
    { "padding", 0, TN_TFL_ENUM, TN_TFL_Padding, 0 },
    { "stride_w", 1, TN_TFL_I32, 0, 0 },
    { "stride_h", 2, TN_TFL_I32, 0, 0 },
    { "filter_width", 3, TN_TFL_I32, 0, 0 },
    { "filter_height", 4, TN_TFL_I32, 0, 0 },
    { "fused_activation_function", 5, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
};

static const struct tn_tfl_field fields_SVDFOptions[] = {
    { "rank", 0, TN_TFL_I32, 0, 0 },
    { "fused_activation_function", 1, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "asymmetric_quantize_inputs", 2, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_RNNOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "asymmetric_quantize_inputs", 1, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_FullyConnectedOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "weights_format", 1, TN_TFL_ENUM, TN_TFL_FullyConnectedOptionsWeightsFormat, 0 },
    { "keep_num_dims", 2, TN_TFL_BOOL, 0, 0 },
    { "asymmetric_quantize_inputs", 3, TN_TFL_BOOL, 0, 0 },
    { "quantized_bias_type", 4, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_SoftmaxOptions[] = {
    { "beta", 0, TN_TFL_F32, 0, 0 },
};

static const struct tn_tfl_field fields_ConcatenationOptions[] = {
    { "axis", 0, TN_TFL_I32, 0, 0 },
    { "fused_activation_function", 1, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
};

static const struct tn_tfl_field fields_AddOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "pot_scale_int16", 1, TN_TFL_BOOL, 0, 1 },
};

static const struct tn_tfl_field fields_L2NormOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
};

static const struct tn_tfl_field fields_LocalResponseNormalizationOptions[] = {
    { "radius", 0, TN_TFL_I32, 0, 0 },
    { "bias", 1, TN_TFL_F32, 0, 0 },
    { "alpha", 2, TN_TFL_F32, 0, 0 },
    { "beta", 3, TN_TFL_F32, 0, 0 },
};

static const struct tn_tfl_field fields_LSTMOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "cell_clip", 1, TN_TFL_F32, 0, 0 },
    { "proj_clip", 2, TN_TFL_F32, 0, 0 },
    { "kernel_type", 3, TN_TFL_ENUM, TN_TFL_LSTMKernelType, 0 },
    { "asymmetric_quantize_inputs", 4, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_ResizeBilinearOptions[] = {
    { "align_corners", 2, TN_TFL_BOOL, 0, 0 },
    { "half_pixel_centers", 3, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_CallOptions[] = {
    { "subgraph", 0, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_ReshapeOptions[] = {
    { "new_shape", 0, TN_TFL_I32S, 0, 0 },
};

static const struct tn_tfl_field fields_SkipGramOptions[] = {
    { "ngram_size", 0, TN_TFL_I32, 0, 0 },
    { "max_skip_size", 1, TN_TFL_I32, 0, 0 },
    { "include_all_ngrams", 2, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_SpaceToDepthOptions[] = {
    { "block_size", 0, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_EmbeddingLookupSparseOptions[] = {
    { "combiner", 0, TN_TFL_ENUM, TN_TFL_CombinerType, 0 },
};

static const struct tn_tfl_field fields_MulOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
};

static const struct tn_tfl_field fields_GatherOptions[] = {
    { "axis", 0, TN_TFL_I32, 0, 0 },
    { "batch_dims", 1, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_ReducerOptions[] = {
    { "keep_dims", 0, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_SubOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "pot_scale_int16", 1, TN_TFL_BOOL, 0, 1 },
};

static const struct tn_tfl_field fields_DivOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
};

static const struct tn_tfl_field fields_SqueezeOptions[] = {
    { "squeeze_dims", 0, TN_TFL_I32S, 0, 0 },
};

static const struct tn_tfl_field fields_SequenceRNNOptions[] = {
    { "time_major", 0, TN_TFL_BOOL, 0, 0 },
    { "fused_activation_function", 1, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "asymmetric_quantize_inputs", 2, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_StridedSliceOptions[] = {
    { "begin_mask", 0, TN_TFL_I32, 0, 0 },
    { "end_mask", 1, TN_TFL_I32, 0, 0 },
    { "ellipsis_mask", 2, TN_TFL_I32, 0, 0 },
    { "new_axis_mask", 3, TN_TFL_I32, 0, 0 },
    { "shrink_axis_mask", 4, TN_TFL_I32, 0, 0 },
    { "offset", 5, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_SplitOptions[] = {
    { "num_splits", 0, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_CastOptions[] = {
    { "in_data_type", 0, TN_TFL_TYPE, 0, 0 },
    { "out_data_type", 1, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_ArgMaxOptions[] = {
    { "output_type", 0, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_TransposeConvOptions[] = {
    { "padding", 0, TN_TFL_ENUM, TN_TFL_Padding, 0 },
    { "stride_w", 1, TN_TFL_I32, 0, 0 },
    { "stride_h", 2, TN_TFL_I32, 0, 0 },
    { "fused_activation_function", 3, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "quantized_bias_type", 4, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_SparseToDenseOptions[] = {
    { "validate_indices", 0, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_ShapeOptions[] = {
    { "out_type", 0, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_ArgMinOptions[] = {
    { "output_type", 0, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_FakeQuantOptions[] = {
    { "min", 0, TN_TFL_F32, 0, 0 },
    { "max", 1, TN_TFL_F32, 0, 0 },
    { "num_bits", 2, TN_TFL_I32, 0, 0 },
    { "narrow_range", 3, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_PackOptions[] = {
    { "values_count", 0, TN_TFL_I32, 0, 0 },
    { "axis", 1, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_OneHotOptions[] = {
    { "axis", 0, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_UnpackOptions[] = {
    { "num", 0, TN_TFL_I32, 0, 0 },
    { "axis", 1, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_BidirectionalSequenceLSTMOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "cell_clip", 1, TN_TFL_F32, 0, 0 },
    { "proj_clip", 2, TN_TFL_F32, 0, 0 },
    { "merge_outputs", 3, TN_TFL_BOOL, 0, 0 },
    { "time_major", 4, TN_TFL_BOOL, 0, 1 },
    { "asymmetric_quantize_inputs", 5, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_BidirectionalSequenceRNNOptions[] = {
    { "time_major", 0, TN_TFL_BOOL, 0, 0 },
    { "fused_activation_function", 1, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "merge_outputs", 2, TN_TFL_BOOL, 0, 0 },
    { "asymmetric_quantize_inputs", 3, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_UnidirectionalSequenceLSTMOptions[] = {
    { "fused_activation_function", 0, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "cell_clip", 1, TN_TFL_F32, 0, 0 },
    { "proj_clip", 2, TN_TFL_F32, 0, 0 },
    { "time_major", 3, TN_TFL_BOOL, 0, 0 },
    { "asymmetric_quantize_inputs", 4, TN_TFL_BOOL, 0, 0 },
    { "diagonal_recurrent_tensors", 5, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_ResizeNearestNeighborOptions[] = {
    { "align_corners", 0, TN_TFL_BOOL, 0, 0 },
    { "half_pixel_centers", 1, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_LeakyReluOptions[] = {
    { "alpha", 0, TN_TFL_F32, 0, 0 },
};

static const struct tn_tfl_field fields_MirrorPadOptions[] = {
    { "mode", 0, TN_TFL_ENUM, TN_TFL_MirrorPadMode, 0 },
};

static const struct tn_tfl_field fields_SplitVOptions[] = {
    { "num_splits", 0, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_UniqueOptions[] = {
    { "idx_out_type", 0, TN_TFL_TYPE, 0, 2 },
};

static const struct tn_tfl_field fields_ReverseSequenceOptions[] = {
    { "seq_dim", 0, TN_TFL_I32, 0, 0 },
    { "batch_dim", 1, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_IfOptions[] = {
    { "then_subgraph_index", 0, TN_TFL_SUBGRAPH, 0, 0 },
    { "else_subgraph_index", 1, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_WhileOptions[] = {
    { "cond_subgraph_index", 0, TN_TFL_SUBGRAPH, 0, 0 },
    { "body_subgraph_index", 1, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_DepthToSpaceOptions[] = {
    { "block_size", 0, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_BatchMatMulOptions[] = {
    { "adj_x", 0, TN_TFL_BOOL, 0, 0 },
    { "adj_y", 1, TN_TFL_BOOL, 0, 0 },
    { "asymmetric_quantize_inputs", 2, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_CumsumOptions[] = {
    { "exclusive", 0, TN_TFL_BOOL, 0, 0 },
    { "reverse", 1, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_CallOnceOptions[] = {
    { "init_subgraph_index", 0, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_Conv3DOptions[] = {
    { "padding", 0, TN_TFL_ENUM, TN_TFL_Padding, 0 },
    { "stride_d", 1, TN_TFL_I32, 0, 0 },
    { "stride_w", 2, TN_TFL_I32, 0, 0 },
    { "stride_h", 3, TN_TFL_I32, 0, 0 },
    { "fused_activation_function", 4, TN_TFL_ENUM, TN_TFL_ActivationFunctionType, 0 },
    { "dilation_d_factor", 5, TN_TFL_I32, 0, 1 },
    { "dilation_w_factor", 6, TN_TFL_I32, 0, 1 },
    { "dilation_h_factor", 7, TN_TFL_I32, 0, 1 },
};

static const struct tn_tfl_field fields_HashtableOptions[] = {
    { "table_id", 0, TN_TFL_I32, 0, 0 },
    { "key_dtype", 1, TN_TFL_TYPE, 0, 0 },
    { "value_dtype", 2, TN_TFL_TYPE, 0, 0 },
};

static const struct tn_tfl_field fields_VarHandleOptions[] = {
    { "container", 0, TN_TFL_STRING, 0, 0 },
    { "shared_name", 1, TN_TFL_STRING, 0, 0 },
};

static const struct tn_tfl_field fields_RandomOptions[] = {
    { "seed", 0, TN_TFL_I64, 0, 0 },
    { "seed2", 1, TN_TFL_I64, 0, 0 },
};

static const struct tn_tfl_field fields_BucketizeOptions[] = {
    { "boundaries", 0, TN_TFL_F32S, 0, 0 },
};

static const struct tn_tfl_field fields_GeluOptions[] = {
    { "approximate", 0, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloConcatenateOptions[] = {
    { "dimension", 0, TN_TFL_I64, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloBroadcastInDimOptions[] = {
    { "broadcast_dimensions", 0, TN_TFL_I64S, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloSliceOptions[] = {
    { "start_indices", 0, TN_TFL_I64S, 0, 0 },
    { "limit_indices", 1, TN_TFL_I64S, 0, 0 },
    { "strides", 2, TN_TFL_I64S, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloConvolutionOptions[] = {
    { "window_strides", 0, TN_TFL_I64S, 0, 0 },
    { "padding", 1, TN_TFL_I64S, 0, 0 },
    { "lhs_dilation", 2, TN_TFL_I64S, 0, 0 },
    { "rhs_dilation", 3, TN_TFL_I64S, 0, 0 },
    { "window_reversal", 4, TN_TFL_BOOLS, 0, 0 },
    { "input_batch_dimension", 5, TN_TFL_I64, 0, 0 },
    { "input_feature_dimension", 6, TN_TFL_I64, 0, 0 },
    { "input_spatial_dimensions", 7, TN_TFL_I64S, 0, 0 },
    { "kernel_input_feature_dimension", 8, TN_TFL_I64, 0, 0 },
    { "kernel_output_feature_dimension", 9, TN_TFL_I64, 0, 0 },
    { "kernel_spatial_dimensions", 10, TN_TFL_I64S, 0, 0 },
    { "output_batch_dimension", 11, TN_TFL_I64, 0, 0 },
    { "output_feature_dimension", 12, TN_TFL_I64, 0, 0 },
    { "output_spatial_dimensions", 13, TN_TFL_I64S, 0, 0 },
    { "feature_group_count", 14, TN_TFL_I64, 0, 0 },
    { "batch_group_count", 15, TN_TFL_I64, 0, 0 },
    { "precision_config", 16, TN_TFL_ENUMS, TN_TFL_StablehloPrecisionConfig, 0 },
};

static const struct tn_tfl_field fields_StablehloCustomCallOptions[] = {
    { "call_target_name", 0, TN_TFL_STRING, 0, 0 },
    { "has_side_effect", 1, TN_TFL_BOOL, 0, 0 },
    { "backend_config", 2, TN_TFL_STRING, 0, 0 },
    { "api_version", 3, TN_TFL_I32, 0, 0 },
    { "called_computations", 4, TN_TFL_SUBGRAPHS, 0, 0 },
    { "custom_attributes", 5, TN_TFL_BYTES, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloReduceOptions[] = {
    { "dimensions", 0, TN_TFL_I64S, 0, 0 },
    { "body_subgraph_index", 1, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloScatterOptions[] = {
    { "indices_are_sorted", 0, TN_TFL_BOOL, 0, 0 },
    { "update_window_dims", 1, TN_TFL_I64S, 0, 0 },
    { "inserted_window_dims", 2, TN_TFL_I64S, 0, 0 },
    { "scatter_dims_to_operand_dims", 3, TN_TFL_I64S, 0, 0 },
    { "index_vector_dim", 4, TN_TFL_I64, 0, 0 },
    { "unique_indices", 5, TN_TFL_BOOL, 0, 0 },
    { "update_computation_subgraph_index", 6, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloCompareOptions[] = {
    { "comparison_direction", 0, TN_TFL_ENUM, TN_TFL_StablehloComparisonDirection, 0 },
    { "compare_type", 1, TN_TFL_ENUM, TN_TFL_StablehloComparisonType, 0 },
};

static const struct tn_tfl_field fields_StablehloDynamicSliceOptions[] = {
    { "slice_sizes", 0, TN_TFL_I64S, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloPadOptions[] = {
    { "edge_padding_low", 0, TN_TFL_I64S, 0, 0 },
    { "edge_padding_high", 1, TN_TFL_I64S, 0, 0 },
    { "interior_padding", 2, TN_TFL_I64S, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloIotaOptions[] = {
    { "iota_dimension", 0, TN_TFL_I64, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloDotGeneralOptions[] = {
    { "lhs_batching_dimensions", 0, TN_TFL_I64S, 0, 0 },
    { "rhs_batching_dimensions", 1, TN_TFL_I64S, 0, 0 },
    { "lhs_contracting_dimensions", 2, TN_TFL_I64S, 0, 0 },
    { "rhs_contracting_dimensions", 3, TN_TFL_I64S, 0, 0 },
    { "precision_config", 4, TN_TFL_ENUMS, TN_TFL_StablehloPrecisionConfig, 0 },
};

static const struct tn_tfl_field fields_StablehloReduceWindowOptions[] = {
    { "window_dimensions", 0, TN_TFL_I64S, 0, 0 },
    { "window_strides", 1, TN_TFL_I64S, 0, 0 },
    { "base_dilations", 2, TN_TFL_I64S, 0, 0 },
    { "window_dilations", 3, TN_TFL_I64S, 0, 0 },
    { "padding", 4, TN_TFL_I64S, 0, 0 },
    { "body_subgraph_index", 5, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloSortOptions[] = {
    { "dimension", 0, TN_TFL_I64, 0, 0 },
    { "is_stable", 1, TN_TFL_BOOL, 0, 0 },
    { "comparator_subgraph_index", 2, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloWhileOptions[] = {
    { "cond_subgraph_index", 0, TN_TFL_SUBGRAPH, 0, 0 },
    { "body_subgraph_index", 1, TN_TFL_SUBGRAPH, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloGatherOptions[] = {
    { "offset_dims", 0, TN_TFL_I64S, 0, 0 },
    { "collapsed_slice_dims", 1, TN_TFL_I64S, 0, 0 },
    { "start_index_map", 2, TN_TFL_I64S, 0, 0 },
    { "index_vector_dim", 3, TN_TFL_I64, 0, 0 },
    { "slice_sizes", 4, TN_TFL_I64S, 0, 0 },
    { "indices_are_sorted", 5, TN_TFL_BOOL, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloTransposeOptions[] = {
    { "permutation", 0, TN_TFL_I64S, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloRngBitGeneratorOptions[] = {
    { "algorithm", 0, TN_TFL_ENUM, TN_TFL_RngAlgorithm, 0 },
};

static const struct tn_tfl_field fields_ReduceWindowOptions[] = {
    { "reduce_function", 0, TN_TFL_ENUM, TN_TFL_ReduceWindowFunction, 0 },
};

static const struct tn_tfl_field fields_StableHLOCompositeOptions[] = {
    { "name", 0, TN_TFL_STRING, 0, 0 },
    { "decomposition_subgraph_index", 1, TN_TFL_SUBGRAPH, 0, 0 },
    { "composite_attributes", 2, TN_TFL_BYTES, 0, 0 },
    { "composite_attributes_format", 3, TN_TFL_ENUM, TN_TFL_CustomOptionsFormat, 0 },
    { "version", 4, TN_TFL_I32, 0, 0 },
};

static const struct tn_tfl_field fields_StablehloCaseOptions[] = {
    { "branch_subgraph_indices", 0, TN_TFL_SUBGRAPHS, 0, 0 },
};

/* The first is that of operators without options. */
const struct tn_tfl_options tn_tfl_options[] = {
    { "", 0, 0, 0, NULL },
    { "Conv2DOptions", 1, 1, 7, fields_Conv2DOptions },
    { "DepthwiseConv2DOptions", 1, 2, 7, fields_DepthwiseConv2DOptions },
    { "ConcatEmbeddingsOptions", 1, 3, 3, fields_ConcatEmbeddingsOptions },
    { "LSHProjectionOptions", 1, 4, 1, fields_LSHProjectionOptions },
    { "Pool2DOptions", 1, 5, 6, fields_Pool2DOptions },
    { "SVDFOptions", 1, 6, 3, fields_SVDFOptions },
    { "RNNOptions", 1, 7, 2, fields_RNNOptions },
    { "FullyConnectedOptions", 1, 8, 5, fields_FullyConnectedOptions },
    { "SoftmaxOptions", 1, 9, 1, fields_SoftmaxOptions },
    { "ConcatenationOptions", 1, 10, 2, fields_ConcatenationOptions },
    { "AddOptions", 1, 11, 2, fields_AddOptions },
    { "L2NormOptions", 1, 12, 1, fields_L2NormOptions },
    { "LocalResponseNormalizationOptions", 1, 13, 4, fields_LocalResponseNormalizationOptions },
    { "LSTMOptions", 1, 14, 5, fields_LSTMOptions },
    { "ResizeBilinearOptions", 1, 15, 2, fields_ResizeBilinearOptions },
    { "CallOptions", 1, 16, 1, fields_CallOptions },
    { "ReshapeOptions", 1, 17, 1, fields_ReshapeOptions },
    { "SkipGramOptions", 1, 18, 3, fields_SkipGramOptions },
    { "SpaceToDepthOptions", 1, 19, 1, fields_SpaceToDepthOptions },
    { "EmbeddingLookupSparseOptions", 1, 20, 1, fields_EmbeddingLookupSparseOptions },
    { "MulOptions", 1, 21, 1, fields_MulOptions },
    { "PadOptions", 1, 22, 0, NULL },
    { "GatherOptions", 1, 23, 2, fields_GatherOptions },
    { "BatchToSpaceNDOptions", 1, 24, 0, NULL },
    { "SpaceToBatchNDOptions", 1, 25, 0, NULL },
    { "TransposeOptions", 1, 26, 0, NULL },
    { "ReducerOptions", 1, 27, 1, fields_ReducerOptions },
    { "SubOptions", 1, 28, 2, fields_SubOptions },
    { "DivOptions", 1, 29, 1, fields_DivOptions },
    { "SqueezeOptions", 1, 30, 1, fields_SqueezeOptions },
    { "SequenceRNNOptions", 1, 31, 3, fields_SequenceRNNOptions },
    { "StridedSliceOptions", 1, 32, 6, fields_StridedSliceOptions },
    { "ExpOptions", 1, 33, 0, NULL },
    { "TopKV2Options", 1, 34, 0, NULL },
    { "SplitOptions", 1, 35, 1, fields_SplitOptions },
    { "LogSoftmaxOptions", 1, 36, 0, NULL },
    { "CastOptions", 1, 37, 2, fields_CastOptions },
    { "DequantizeOptions", 1, 38, 0, NULL },
    { "MaximumMinimumOptions", 1, 39, 0, NULL },
    { "ArgMaxOptions", 1, 40, 1, fields_ArgMaxOptions },
    { "LessOptions", 1, 41, 0, NULL },
    { "NegOptions", 1, 42, 0, NULL },
    { "PadV2Options", 1, 43, 0, NULL },
    { "GreaterOptions", 1, 44, 0, NULL },
    { "GreaterEqualOptions", 1, 45, 0, NULL },
    { "LessEqualOptions", 1, 46, 0, NULL },
    { "SelectOptions", 1, 47, 0, NULL },
    { "SliceOptions", 1, 48, 0, NULL },
    { "TransposeConvOptions", 1, 49, 5, fields_TransposeConvOptions },
    { "SparseToDenseOptions", 1, 50, 1, fields_SparseToDenseOptions },
    { "TileOptions", 1, 51, 0, NULL },
    { "ExpandDimsOptions", 1, 52, 0, NULL },
    { "EqualOptions", 1, 53, 0, NULL },
    { "NotEqualOptions", 1, 54, 0, NULL },
    { "ShapeOptions", 1, 55, 1, fields_ShapeOptions },
    { "PowOptions", 1, 56, 0, NULL },
    { "ArgMinOptions", 1, 57, 1, fields_ArgMinOptions },
    { "FakeQuantOptions", 1, 58, 4, fields_FakeQuantOptions },
    { "PackOptions", 1, 59, 2, fields_PackOptions },
    { "LogicalOrOptions", 1, 60, 0, NULL },
    { "OneHotOptions", 1, 61, 1, fields_OneHotOptions },
    { "LogicalAndOptions", 1, 62, 0, NULL },
    { "LogicalNotOptions", 1, 63, 0, NULL },
    { "UnpackOptions", 1, 64, 2, fields_UnpackOptions },
    { "FloorDivOptions", 1, 65, 0, NULL },
    { "SquareOptions", 1, 66, 0, NULL },
    { "ZerosLikeOptions", 1, 67, 0, NULL },
    { "FillOptions", 1, 68, 0, NULL },
    { "BidirectionalSequenceLSTMOptions", 1, 69, 6, fields_BidirectionalSequenceLSTMOptions },
    { "BidirectionalSequenceRNNOptions", 1, 70, 4, fields_BidirectionalSequenceRNNOptions },
    { "UnidirectionalSequenceLSTMOptions", 1, 71, 6, fields_UnidirectionalSequenceLSTMOptions },
    { "FloorModOptions", 1, 72, 0, NULL },
    { "RangeOptions", 1, 73, 0, NULL },
    { "ResizeNearestNeighborOptions", 1, 74, 2, fields_ResizeNearestNeighborOptions },
    { "LeakyReluOptions", 1, 75, 1, fields_LeakyReluOptions },
    { "SquaredDifferenceOptions", 1, 76, 0, NULL },
    { "MirrorPadOptions", 1, 77, 1, fields_MirrorPadOptions },
    { "AbsOptions", 1, 78, 0, NULL },
    { "SplitVOptions", 1, 79, 1, fields_SplitVOptions },
    { "UniqueOptions", 1, 80, 1, fields_UniqueOptions },
    { "ReverseV2Options", 1, 81, 0, NULL },
    { "AddNOptions", 1, 82, 0, NULL },
    { "GatherNdOptions", 1, 83, 0, NULL },
    { "CosOptions", 1, 84, 0, NULL },
    { "WhereOptions", 1, 85, 0, NULL },
    { "RankOptions", 1, 86, 0, NULL },
    { "ReverseSequenceOptions", 1, 87, 2, fields_ReverseSequenceOptions },
    { "MatrixDiagOptions", 1, 88, 0, NULL },
    { "QuantizeOptions", 1, 89, 0, NULL },
    { "MatrixSetDiagOptions", 1, 90, 0, NULL },
    { "HardSwishOptions", 1, 91, 0, NULL },
    { "IfOptions", 1, 92, 2, fields_IfOptions },
    { "WhileOptions", 1, 93, 2, fields_WhileOptions },
    { "DepthToSpaceOptions", 1, 94, 1, fields_DepthToSpaceOptions },
    { "NonMaxSuppressionV4Options", 1, 95, 0, NULL },
    { "NonMaxSuppressionV5Options", 1, 96, 0, NULL },
    { "ScatterNdOptions", 1, 97, 0, NULL },
    { "SelectV2Options", 1, 98, 0, NULL },
    { "DensifyOptions", 1, 99, 0, NULL },
    { "SegmentSumOptions", 1, 100, 0, NULL },
    { "BatchMatMulOptions", 1, 101, 3, fields_BatchMatMulOptions },
    { "CumsumOptions", 1, 102, 2, fields_CumsumOptions },
    { "CallOnceOptions", 1, 103, 1, fields_CallOnceOptions },
    { "BroadcastToOptions", 1, 104, 0, NULL },
    { "Rfft2dOptions", 1, 105, 0, NULL },
    { "Conv3DOptions", 1, 106, 8, fields_Conv3DOptions },
    { "HashtableOptions", 1, 107, 3, fields_HashtableOptions },
    { "HashtableFindOptions", 1, 108, 0, NULL },
    { "HashtableImportOptions", 1, 109, 0, NULL },
    { "HashtableSizeOptions", 1, 110, 0, NULL },
    { "VarHandleOptions", 1, 111, 2, fields_VarHandleOptions },
    { "ReadVariableOptions", 1, 112, 0, NULL },
    { "AssignVariableOptions", 1, 113, 0, NULL },
    { "RandomOptions", 1, 114, 2, fields_RandomOptions },
    { "BucketizeOptions", 1, 115, 1, fields_BucketizeOptions },
    { "GeluOptions", 1, 116, 1, fields_GeluOptions },
    { "DynamicUpdateSliceOptions", 1, 117, 0, NULL },
    { "UnsortedSegmentProdOptions", 1, 118, 0, NULL },
    { "UnsortedSegmentMaxOptions", 1, 119, 0, NULL },
    { "UnsortedSegmentMinOptions", 1, 120, 0, NULL },
    { "UnsortedSegmentSumOptions", 1, 121, 0, NULL },
    { "ATan2Options", 1, 122, 0, NULL },
    { "SignOptions", 1, 123, 0, NULL },
    { "BitcastOptions", 1, 124, 0, NULL },
    { "BitwiseXorOptions", 1, 125, 0, NULL },
    { "RightShiftOptions", 1, 126, 0, NULL },
    { "StablehloConcatenateOptions", 2, 1, 1, fields_StablehloConcatenateOptions },
    { "StablehloBroadcastInDimOptions", 2, 2, 1, fields_StablehloBroadcastInDimOptions },
    { "StablehloSliceOptions", 2, 3, 3, fields_StablehloSliceOptions },
    { "StablehloConvolutionOptions", 2, 4, 17, fields_StablehloConvolutionOptions },
    { "StablehloCustomCallOptions", 2, 5, 6, fields_StablehloCustomCallOptions },
    { "StablehloReduceOptions", 2, 6, 2, fields_StablehloReduceOptions },
    { "StablehloScatterOptions", 2, 7, 7, fields_StablehloScatterOptions },
    { "StablehloCompareOptions", 2, 8, 2, fields_StablehloCompareOptions },
    { "StablehloDynamicSliceOptions", 2, 9, 1, fields_StablehloDynamicSliceOptions },
    { "StablehloPadOptions", 2, 10, 3, fields_StablehloPadOptions },
    { "StablehloIotaOptions", 2, 11, 1, fields_StablehloIotaOptions },
    { "StablehloDotGeneralOptions", 2, 12, 5, fields_StablehloDotGeneralOptions },
    { "StablehloReduceWindowOptions", 2, 13, 6, fields_StablehloReduceWindowOptions },
    { "StablehloSortOptions", 2, 14, 3, fields_StablehloSortOptions },
    { "StablehloWhileOptions", 2, 15, 2, fields_StablehloWhileOptions },
    { "StablehloGatherOptions", 2, 16, 6, fields_StablehloGatherOptions },
    { "StablehloTransposeOptions", 2, 17, 1, fields_StablehloTransposeOptions },
    { "DilateOptions", 2, 18, 0, NULL },
    { "StablehloRngBitGeneratorOptions", 2, 19, 1, fields_StablehloRngBitGeneratorOptions },
    { "ReduceWindowOptions", 2, 20, 1, fields_ReduceWindowOptions },
    { "StableHLOCompositeOptions", 2, 21, 5, fields_StableHLOCompositeOptions },
    { "StablehloShiftLeftOptions", 2, 22, 0, NULL },
    { "StablehloCaseOptions", 2, 23, 1, fields_StablehloCaseOptions },
};

const uint32_t tn_tfl_options_count =
    sizeof tn_tfl_options / sizeof *tn_tfl_options;

/* ---- operators ---------------------------------------------------------- */

const struct tn_tfl_builtin tn_tfl_builtins[] = {
    { "ADD", 11 }, /* AddOptions */
    { "AVERAGE_POOL_2D", 5 }, /* Pool2DOptions */
    { "CONCATENATION", 10 }, /* ConcatenationOptions */
    { "CONV_2D", 1 }, /* Conv2DOptions */
    { "DEPTHWISE_CONV_2D", 2 }, /* DepthwiseConv2DOptions */
    { "DEPTH_TO_SPACE", 94 }, /* DepthToSpaceOptions */
    { "DEQUANTIZE", 38 }, /* DequantizeOptions */
    { "EMBEDDING_LOOKUP", 0 },
    { "FLOOR", 0 },
    { "FULLY_CONNECTED", 8 }, /* FullyConnectedOptions */
    { "HASHTABLE_LOOKUP", 0 },
    { "L2_NORMALIZATION", 12 }, /* L2NormOptions */
    { "L2_POOL_2D", 5 }, /* Pool2DOptions */
    { "LOCAL_RESPONSE_NORMALIZATION", 13 }, /* LocalResponseNormalizationOptions */
    { "LOGISTIC", 0 },
    { "LSH_PROJECTION", 4 }, /* LSHProjectionOptions */
    { "LSTM", 14 }, /* LSTMOptions */
    { "MAX_POOL_2D", 5 }, /* Pool2DOptions */
    { "MUL", 21 }, /* MulOptions */
    { "RELU", 0 },
    { "RELU_N1_TO_1", 0 },
    { "RELU6", 0 },
    { "RESHAPE", 17 }, /* ReshapeOptions */
    { "RESIZE_BILINEAR", 15 }, /* ResizeBilinearOptions */
    { "RNN", 7 }, /* RNNOptions */
    { "SOFTMAX", 9 }, /* SoftmaxOptions */
    { "SPACE_TO_DEPTH", 19 }, /* SpaceToDepthOptions */
    { "SVDF", 6 }, /* SVDFOptions */
    { "TANH", 0 },
    { "CONCAT_EMBEDDINGS", 3 }, /* ConcatEmbeddingsOptions */
    { "SKIP_GRAM", 18 }, /* SkipGramOptions */
    { "CALL", 16 }, /* CallOptions */
    { "CUSTOM", 0 },
    { "EMBEDDING_LOOKUP_SPARSE", 20 }, /* EmbeddingLookupSparseOptions */
    { "PAD", 22 }, /* PadOptions */
    { "UNIDIRECTIONAL_SEQUENCE_RNN", 31 }, /* SequenceRNNOptions */
    { "GATHER", 23 }, /* GatherOptions */
    { "BATCH_TO_SPACE_ND", 24 }, /* BatchToSpaceNDOptions */
    { "SPACE_TO_BATCH_ND", 25 }, /* SpaceToBatchNDOptions */
    { "TRANSPOSE", 26 }, /* TransposeOptions */
    { "MEAN", 27 }, /* ReducerOptions */
    { "SUB", 28 }, /* SubOptions */
    { "DIV", 29 }, /* DivOptions */
    { "SQUEEZE", 30 }, /* SqueezeOptions */
    { "UNIDIRECTIONAL_SEQUENCE_LSTM", 71 }, /* UnidirectionalSequenceLSTMOptions */
    { "STRIDED_SLICE", 32 }, /* StridedSliceOptions */
    { "BIDIRECTIONAL_SEQUENCE_RNN", 70 }, /* BidirectionalSequenceRNNOptions */
    { "EXP", 33 }, /* ExpOptions */
    { "TOPK_V2", 34 }, /* TopKV2Options */
    { "SPLIT", 35 }, /* SplitOptions */
    { "LOG_SOFTMAX", 36 }, /* LogSoftmaxOptions */
    { "DELEGATE", 0 },
    { "BIDIRECTIONAL_SEQUENCE_LSTM", 69 }, /* BidirectionalSequenceLSTMOptions */
    { "CAST", 37 }, /* CastOptions */
    { "PRELU", 0 },
    { "MAXIMUM", 39 }, /* MaximumMinimumOptions */
    { "ARG_MAX", 40 }, /* ArgMaxOptions */
    { "MINIMUM", 39 }, /* MaximumMinimumOptions */
    { "LESS", 41 }, /* LessOptions */
    { "NEG", 42 }, /* NegOptions */
    { "PADV2", 43 }, /* PadV2Options */
    { "GREATER", 44 }, /* GreaterOptions */
    { "GREATER_EQUAL", 45 }, /* GreaterEqualOptions */
    { "LESS_EQUAL", 46 }, /* LessEqualOptions */
    { "SELECT", 47 }, /* SelectOptions */
    { "SLICE", 48 }, /* SliceOptions */
    { "SIN", 0 },
    { "TRANSPOSE_CONV", 49 }, /* TransposeConvOptions */
    { "SPARSE_TO_DENSE", 50 }, /* SparseToDenseOptions */
    { "TILE", 51 }, /* TileOptions */
    { "EXPAND_DIMS", 52 }, /* ExpandDimsOptions */
    { "EQUAL", 53 }, /* EqualOptions */
    { "NOT_EQUAL", 54 }, /* NotEqualOptions */
    { "LOG", 0 },
    { "SUM", 27 }, /* ReducerOptions */
    { "SQRT", 0 },
    { "RSQRT", 0 },
    { "SHAPE", 55 }, /* ShapeOptions */
    { "POW", 56 }, /* PowOptions */
    { "ARG_MIN", 57 }, /* ArgMinOptions */
    { "FAKE_QUANT", 58 }, /* FakeQuantOptions */
    { "REDUCE_PROD", 27 }, /* ReducerOptions */
    { "REDUCE_MAX", 27 }, /* ReducerOptions */
    { "PACK", 59 }, /* PackOptions */
    { "LOGICAL_OR", 60 }, /* LogicalOrOptions */
    { "ONE_HOT", 61 }, /* OneHotOptions */
    { "LOGICAL_AND", 62 }, /* LogicalAndOptions */
    { "LOGICAL_NOT", 63 }, /* LogicalNotOptions */
    { "UNPACK", 64 }, /* UnpackOptions */
    { "REDUCE_MIN", 27 }, /* ReducerOptions */
    { "FLOOR_DIV", 65 }, /* FloorDivOptions */
    { "REDUCE_ANY", 27 }, /* ReducerOptions */
    { "SQUARE", 66 }, /* SquareOptions */
    { "ZEROS_LIKE", 67 }, /* ZerosLikeOptions */
    { "FILL", 68 }, /* FillOptions */
    { "FLOOR_MOD", 72 }, /* FloorModOptions */
    { "RANGE", 73 }, /* RangeOptions */
    { "RESIZE_NEAREST_NEIGHBOR", 74 }, /* ResizeNearestNeighborOptions */
    { "LEAKY_RELU", 75 }, /* LeakyReluOptions */
    { "SQUARED_DIFFERENCE", 76 }, /* SquaredDifferenceOptions */
    { "MIRROR_PAD", 77 }, /* MirrorPadOptions */
    { "ABS", 78 }, /* AbsOptions */
    { "SPLIT_V", 79 }, /* SplitVOptions */
    { "UNIQUE", 80 }, /* UniqueOptions */
    { "CEIL", 0 },
    { "REVERSE_V2", 81 }, /* ReverseV2Options */
    { "ADD_N", 82 }, /* AddNOptions */
    { "GATHER_ND", 83 }, /* GatherNdOptions */
    { "COS", 84 }, /* CosOptions */
    { "WHERE", 85 }, /* WhereOptions */
    { "RANK", 86 }, /* RankOptions */
    { "ELU", 0 },
    { "REVERSE_SEQUENCE", 87 }, /* ReverseSequenceOptions */
    { "MATRIX_DIAG", 88 }, /* MatrixDiagOptions */
    { "QUANTIZE", 89 }, /* QuantizeOptions */
    { "MATRIX_SET_DIAG", 90 }, /* MatrixSetDiagOptions */
    { "ROUND", 0 },
    { "HARD_SWISH", 91 }, /* HardSwishOptions */
    { "IF", 92 }, /* IfOptions */
    { "WHILE", 93 }, /* WhileOptions */
    { "NON_MAX_SUPPRESSION_V4", 95 }, /* NonMaxSuppressionV4Options */
    { "NON_MAX_SUPPRESSION_V5", 96 }, /* NonMaxSuppressionV5Options */
    { "SCATTER_ND", 97 }, /* ScatterNdOptions */
    { "SELECT_V2", 98 }, /* SelectV2Options */
    { "DENSIFY", 99 }, /* DensifyOptions */
    { "SEGMENT_SUM", 100 }, /* SegmentSumOptions */
    { "BATCH_MATMUL", 101 }, /* BatchMatMulOptions */
    { "PLACEHOLDER_FOR_GREATER_OP_CODES", 0 },
    { "CUMSUM", 102 }, /* CumsumOptions */
    { "CALL_ONCE", 103 }, /* CallOnceOptions */
    { "BROADCAST_TO", 104 }, /* BroadcastToOptions */
    { "RFFT2D", 105 }, /* Rfft2dOptions */
    { "CONV_3D", 106 }, /* Conv3DOptions */
    { "IMAG", 0 },
    { "REAL", 0 },
    { "COMPLEX_ABS", 0 },
    { "HASHTABLE", 107 }, /* HashtableOptions */
    { "HASHTABLE_FIND", 108 }, /* HashtableFindOptions */
    { "HASHTABLE_IMPORT", 109 }, /* HashtableImportOptions */
    { "HASHTABLE_SIZE", 110 }, /* HashtableSizeOptions */
    { "REDUCE_ALL", 27 }, /* ReducerOptions */
    { "CONV_3D_TRANSPOSE", 106 }, /* Conv3DOptions */
    { "VAR_HANDLE", 111 }, /* VarHandleOptions */
    { "READ_VARIABLE", 112 }, /* ReadVariableOptions */
    { "ASSIGN_VARIABLE", 113 }, /* AssignVariableOptions */
    { "BROADCAST_ARGS", 0 },
    { "RANDOM_STANDARD_NORMAL", 114 }, /* RandomOptions */
    { "BUCKETIZE", 115 }, /* BucketizeOptions */
    { "RANDOM_UNIFORM", 114 }, /* RandomOptions */
    { "MULTINOMIAL", 114 }, /* RandomOptions */
    { "GELU", 116 }, /* GeluOptions */
    { "DYNAMIC_UPDATE_SLICE", 117 }, /* DynamicUpdateSliceOptions */
    { "RELU_0_TO_1", 0 },
    { "UNSORTED_SEGMENT_PROD", 118 }, /* UnsortedSegmentProdOptions */
    { "UNSORTED_SEGMENT_MAX", 119 }, /* UnsortedSegmentMaxOptions */
    { "UNSORTED_SEGMENT_SUM", 121 }, /* UnsortedSegmentSumOptions */
    { "ATAN2", 122 }, /* ATan2Options */
    { "UNSORTED_SEGMENT_MIN", 120 }, /* UnsortedSegmentMinOptions */
    { "SIGN", 123 }, /* SignOptions */
    { "BITCAST", 124 }, /* BitcastOptions */
    { "BITWISE_XOR", 125 }, /* BitwiseXorOptions */
    { "RIGHT_SHIFT", 126 }, /* RightShiftOptions */
    { "STABLEHLO_LOGISTIC", 0 },
    { "STABLEHLO_ADD", 0 },
    { "STABLEHLO_DIVIDE", 0 },
    { "STABLEHLO_MULTIPLY", 0 },
    { "STABLEHLO_MAXIMUM", 0 },
    { "STABLEHLO_RESHAPE", 0 },
    { "STABLEHLO_CLAMP", 0 },
    { "STABLEHLO_CONCATENATE", 127 }, /* StablehloConcatenateOptions */
    { "STABLEHLO_BROADCAST_IN_DIM", 128 }, /* StablehloBroadcastInDimOptions */
    { "STABLEHLO_CONVOLUTION", 130 }, /* StablehloConvolutionOptions */
    { "STABLEHLO_SLICE", 129 }, /* StablehloSliceOptions */
    { "STABLEHLO_CUSTOM_CALL", 131 }, /* StablehloCustomCallOptions */
    { "STABLEHLO_REDUCE", 132 }, /* StablehloReduceOptions */
    { "STABLEHLO_ABS", 0 },
    { "STABLEHLO_AND", 0 },
    { "STABLEHLO_COSINE", 0 },
    { "STABLEHLO_EXPONENTIAL", 0 },
    { "STABLEHLO_FLOOR", 0 },
    { "STABLEHLO_LOG", 0 },
    { "STABLEHLO_MINIMUM", 0 },
    { "STABLEHLO_NEGATE", 0 },
    { "STABLEHLO_OR", 0 },
    { "STABLEHLO_POWER", 0 },
    { "STABLEHLO_REMAINDER", 0 },
    { "STABLEHLO_RSQRT", 0 },
    { "STABLEHLO_SELECT", 0 },
    { "STABLEHLO_SUBTRACT", 0 },
    { "STABLEHLO_TANH", 0 },
    { "STABLEHLO_SCATTER", 133 }, /* StablehloScatterOptions */
    { "STABLEHLO_COMPARE", 134 }, /* StablehloCompareOptions */
    { "STABLEHLO_CONVERT", 0 },
    { "STABLEHLO_DYNAMIC_SLICE", 135 }, /* StablehloDynamicSliceOptions */
    { "STABLEHLO_DYNAMIC_UPDATE_SLICE", 0 },
    { "STABLEHLO_PAD", 136 }, /* StablehloPadOptions */
    { "STABLEHLO_IOTA", 137 }, /* StablehloIotaOptions */
    { "STABLEHLO_DOT_GENERAL", 138 }, /* StablehloDotGeneralOptions */
    { "STABLEHLO_REDUCE_WINDOW", 139 }, /* StablehloReduceWindowOptions */
    { "STABLEHLO_SORT", 140 }, /* StablehloSortOptions */
    { "STABLEHLO_WHILE", 141 }, /* StablehloWhileOptions */
    { "STABLEHLO_GATHER", 142 }, /* StablehloGatherOptions */
    { "STABLEHLO_TRANSPOSE", 143 }, /* StablehloTransposeOptions */
    { "DILATE", 144 }, /* DilateOptions */
    { "STABLEHLO_RNG_BIT_GENERATOR", 145 }, /* StablehloRngBitGeneratorOptions */
    { "REDUCE_WINDOW", 146 }, /* ReduceWindowOptions */
    { "STABLEHLO_COMPOSITE", 147 }, /* StableHLOCompositeOptions */
    { "STABLEHLO_SHIFT_LEFT", 148 }, /* StablehloShiftLeftOptions */
    { "STABLEHLO_CBRT", 0 },
    { "STABLEHLO_CASE", 149 }, /* StablehloCaseOptions */
};

const uint32_t tn_tfl_builtin_count =
    sizeof tn_tfl_builtins / sizeof *tn_tfl_builtins;
