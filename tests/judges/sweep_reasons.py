"""sweep_reasons.py - what sweep_coverage.py must know that no vocabulary tells

Enumerations and ranks of definitions, and why no case meets some of what is
demanded: (operators, demands, reason), with * for anything.
"""
NUMBERS = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16"
           " float32 float64 string").split()
# Element types that are tried.
TYPES = {
    "onnx": NUMBERS + ("float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz"
                       " int4 uint4").split(),
    "tensorflow": NUMBERS + "complex64 complex128 qint8 quint8 qint16 quint16 qint32".split(),
    "paddle": NUMBERS,
    "nd4j": NUMBERS,
}
HALVES, WHOLE = "float16 float32 float64", "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
# What kernels of libnd4j take whose inputs nd4j.ops lets be of any type.
KINDS = {
    "adjust_* betainc digamma lgamma igamma igammac polygamma zeta cholesky matrix_band_part matrix_determinant solve"
    " triangular_solve lu hsv_to_rgb rgb_to_hsv fake_quant_* l2_loss tf_atan2 standardize check_numerics reduce_logsumexp": HALVES + " bfloat16",
    "lstsq qr svd lstm* log_loss mean_sqerr_loss softmax_cross_entropy_loss_with_logits in_top_k draw_bounding_boxes"
    " non_max_suppression*": HALVES,
    "boolean_* all any": "bool int32 float32", "select": "bool", "toggle_bits rshift_bits shift_bits": WHOLE,
    "Where": "bool float32", "bincount broadcast_dynamic_shape sparse_softmax_* randomnormal randomuniform fill": "int32 int64",
    "compare_and_bitpack": HALVES + " bool int8 int16 int32 int64", "histogram_fixed_width": HALVES + " int32 int64",
    "dilation2d": HALVES + " bfloat16 int8 int32 int64 uint8", "unique*": HALVES + " " + WHOLE,
    "listdiff": HALVES + " " + WHOLE, "onehot": "int32 int64 uint8 float32", "dynamic_stitch": "int32 int64",
    "range eye lin_space": "", "greater* less*": HALVES + " bfloat16 bool " + WHOLE,
    "bitcast": HALVES + " " + WHOLE,
    "copy assign identity_n rank size shape_of shapes_of size_at equals not_equals split": HALVES + " bfloat16 bool string " + WHOLE,
    "ones_as zeros_as cast space_to_batch_nd batch_to_space_nd diag diag_part matrix_*diag* reverse_sequence": HALVES + " bfloat16 bool " + WHOLE,
    "*": HALVES + " bfloat16 " + WHOLE,
}
# Attributes that count axes, from the end as well.
AXES = ("axis axes dim dimensions concat_dim split_dim start_axis stop_axis axis1 axis2"
        " squeeze_dims dimension dimC seqDim batchDim permuteDims reverseDims _a classesDim"
        " concatDimension").split()

FLAG = ["0", "1"]
UP_TO_2, UP_TO_3 = ["0", "1", "2"], ["0", "1", "2", "3"]
AUTO_PAD = ["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]
ENUMS = {
    "onnx": {
        "approximate": ["none", "tanh"], "auto_pad": AUTO_PAD,
        "case_change_action": ["NONE", "LOWER", "UPPER"],
        "Resize.coordinate_transformation_mode": [
            "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
            "asymmetric", "tf_crop_and_resize"],
        "RoiAlign.coordinate_transformation_mode": ["half_pixel", "output_half_pixel"],
        "direction": ["forward", "reverse", "bidirectional"],
        "BitShift.direction": ["LEFT", "RIGHT"],
        "keep_aspect_ratio_policy": ["stretch", "not_larger", "not_smaller"],
        "DepthToSpace.mode": ["DCR", "CRD"], "GridSample.mode": ["linear", "nearest", "cubic"],
        "Pad.mode": ["constant", "reflect", "edge", "wrap"],
        "Resize.mode": ["nearest", "linear", "cubic"], "Upsample.mode": ["nearest", "linear"],
        "RoiAlign.mode": ["avg", "max"], "TensorScatter.mode": ["linear", "circular"],
        "TfIdfVectorizer.mode": ["TF", "IDF", "TFIDF"],
        "nearest_mode": ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"],
        "padding_mode": ["zeros", "border", "reflection"],
        "NegativeLogLikelihoodLoss.reduction": ["none", "sum", "mean"],
        "SoftmaxCrossEntropyLoss.reduction": ["none", "sum", "mean"],
        "reduction": ["none", "add", "mul", "max", "min"],
        "qk_matmul_output_mode": ["0", "1", "2", "3"],
        **dict.fromkeys((
            "align_corners allowzero antialias ceil_mode center_point_box count_include_pad"
            " detect_negative detect_positive exclude_outside exclusive fmod input_forget"
            " interleaved inverse is_case_sensitive is_causal keepdims largest layout"
            " linear_before_reset new_axis noop_with_empty_axes onesided periodic reverse"
            " saturate select_last_index sorted storage_order training_mode transA transB"
            " upper").split(), FLAG),
    },
    "nd4j": {
        **dict.fromkeys((
            "isNCHW isNCW isNCDHW isNHWC isSameMode exclusive reverse method transX transY transZ"
            " aTranspose bTranspose cTranspose applyScale applyOffset isTraining peephole fullUV"
            " calcUV mirror_pad.mode avgpool2d.extraParam0 avgpool3dnew.extraParam0").split(), FLAG),
        **dict.fromkeys(("wFormat paddingMode pad.mode conv2d.isSameMode depthwise_conv2d.isSameMode"
                         " lstmBlock.dataFormat").split(), UP_TO_2),
        "lossReduce": UP_TO_3, "lstmLayer.dataFormat": UP_TO_3, "fused_batch_norm.dataFormat": FLAG,
        "directionMode": [*UP_TO_3, "4"],
        **dict.fromkeys("gateAct cellAct outAct".split(), [str(i) for i in range(11)]),
        **dict.fromkeys(("cast.dst", "bitcast.newType"), "3 5 6 7 8 9 10 11 12 13 14".split()),
        "begin_mask": [str(i) for i in range(8)], "end_mask": [str(i) for i in range(8)],
        "new_axis_mask": [str(i) for i in range(8)], "shrink_axis_mask": [str(i) for i in range(8)],
        "ellipsis_mask": ["0", "1", "2", "4"],
    },
}
SCALAR, VECTOR, MATRIX, FROM_1, FROM_2, FROM_3 = (
    (0,), (1,), (2,), range(1, 6), range(2, 6), range(3, 6))
# Ranks that a definition allows, of operators that do not take every one.
RANKS = {
    "onnx": {
        "ArgM* Concat CumProd CumSum Gather GatherND Hardmax LayerNormalization LogSoftmax"
        " LpNormalization MatMul MatMulInteger RMSNormalization Resize Slice Softmax Split"
        " Compress GatherElements Scatter* TopK CenterCropPad SplitToSequence": FROM_1,
        "AveragePool Conv* GlobalAveragePool GlobalLpPool GlobalMaxPool GroupNormalization"
        " InstanceNormalization LRN LpPool MaxPool": FROM_3,
        "AffineGrid Col2Im GRU LSTM RNN NonMaxSuppression STFT": (3,),
        "Attention RotaryEmbedding": (3, 4), "MaxUnpool QLinearConv": (3, 4),
        "DFT": FROM_2, "TensorScatter": FROM_2, "Trilu": FROM_2, "Det": FROM_2,
        "BlackmanWindow HammingWindow HannWindow MelWeightMatrix Range": SCALAR,
        "DeformConv MaxRoiPool RoiAlign Upsample DepthToSpace SpaceToDepth": (4,),
        "BatchNormalization NegativeLogLikelihoodLoss ReverseSequence"
        " SoftmaxCrossEntropyLoss QLinearMatMul": FROM_2,
        "Multinomial EyeLike Gemm": MATRIX, "ConstantOfShape": VECTOR,
        "StringNormalizer TfIdfVectorizer": (1, 2), "GridSample": (4, 5),
        "MeanVarianceNormalization": FROM_1,
        "StringConcat StringSplit RegexFullMatch": (1, 2),
    },
    "tensorflow": {
        "ArgM* ConcatV2 Cum* Gather GatherNd GatherV2 HSVToRGB RGBToHSV LogSoftmax Softmax MirrorPad Pad PadV2 Reverse"
        " ReverseV2 Roll SplitV StridedSlice Unpack Cross DynamicPartition Inplace* MatrixDiag MatrixDiagV2 MatrixDiagV3"
        " BatchMatrixDiag NthElement Scatter[A-Z]* TensorScatter* TopK* Segment* SparseSegment* UnsortedSegment*"
        " RandomShuffle": FROM_1,
        "BatchCholesky BatchMatMul* BatchMatrix[!D]* BatchMatrixDeterminant BatchMatrixDiagPart BiasAdd* Cholesky"
        " CompareAndBitpack LogMatrixDeterminant Lu Matrix[BST]* MatrixDe* MatrixDiagPart* MatrixInverse Qr ReverseSequence"
        " Svd ParallelConcat": FROM_2,
        "AvgPool BatchNormWithGlobalNormalization BatchToSpace Conv2D CropAndResize DepthToSpace DepthwiseConv2dNative"
        " Dilation2D DrawBoundingBoxes* ExtractImagePatches FusedDepthwiseConv2dNative FusedPadConv2D"
        " FusedResizeAndPadConv2D LRN MaxPool MaxPoolGrad MaxPoolV2 MaxPoolWithArgmax Resize* SpaceToBatch SpaceToDepth"
        " _Fused[BCD]* FusedBatchNorm FusedBatchNormV2": (4,),
        "AvgPool3D Conv3D MaxPool3D": (5,), "FusedBatchNormV3": (4, 5), "BatchToSpaceND SpaceToBatchND": FROM_3,
        "AdjustContrastv2 AdjustHue AdjustSaturation": FROM_3,
        "GRUBlockCell InTopK* LSTMBlockCell Multinomial NonMaxSuppression* SparseSoftmaxCrossEntropyWithLogits"
        " SparseTensorDense* _FusedMatMul MatMul SoftmaxCrossEntropyWithLogits": MATRIX,
        "FakeQuantWithMinMaxVarsPerChannel": (1, 2, 4),
        "BroadcastArgs Empty Fill InvertPermutation ListDiff Random[SU]* StatelessRandomUniform* Unique*"
        " Conv2DBackpropInput Conv3DBackpropInputV2": VECTOR,
        "ConcatOffset LinSpace Range": SCALAR, "BlockLSTM BlockLSTMV2": (3,), "Concat Split": FROM_1,
        "RaggedRange": (0, 1), "DataFormatDimMap": range(6), "DataFormatVecPermute": (1, 2),
        "DenseBincount": (1, 2), "Diag": (1, 2, 3), "DiagPart": (2, 4), "HistogramFixedWidth": range(6),
        "SparseToDense": (0, 1, 2), "ScatterNd": FROM_1, "Einsum": range(6),
    },
    "paddle": {
        "bicubic_interp* bilinear_interp_v2 nearest_interp_v2 conv2d depthwise_conv2d density_prior_box fused_conv2d_add_act"
        " fused_softmax_mask* generate_proposals* instance_norm lrn maxout pixel_unshuffle polygon_box_transform pool2d"
        " roi_pool sync_batch_norm temporal_shift unpool": (4,),
        "max_pool3d_with_index pool3d trilinear_interp_v2": (5,),
        "affine_grid linear_interp_v2 matrix_nms multihead_matmul row_conv skip_layernorm": (3,),
        "batch_norm": (2, 4), "layer_norm": (2, 3, 4),
        "split": FROM_1,
        "collect_fpn_proposals cos_sim data_norm fused_embedding_eltwise_layernorm fused_fc_elementwise_layernorm"
        " fused_gemm_epilogue fusion_* lookup_table lstm lstm_unit mv one_hot sequence_expand sequence_pad"
        " sequence_softmax": MATRIX,
        "fill_constant linspace range": VECTOR, "diag_v2": (1, 2),
    },
    "nd4j": {
        "cumsum cumprod flatten_2d gather gather_nd biasadd reverse roll size_at slice split split_v standardize strided_slice"
        " scatter_* segment_* unsorted_segment_* dynamic_* embedding_lookup top_k nth_element unstack concat argm* matrix_diag"
        " softmax_cross_entropy_loss_with_logits cross rgb_to_hsv hsv_to_rgb adjust_hue adjust_saturation compare_and_bitpack"
        " fake_quant_with_min_max_vars_per_channel matmul softmax log_softmax": FROM_1,
        "prelu batchnorm layer_norm reverse_sequence matrix_diag_part matrix_set_diag matrix_band_part cholesky lstsq lu"
        " matrix_determinant matrix_inverse qr solve svd triangular_solve": FROM_2,
        "sparse_softmax_cross_entropy_loss_with_logits": FROM_1, "adjust_contrast*": FROM_3,
        "avgpool2d batch_to_space conv2d deconv2d deconv2d_tf depth_to_space depthwise_conv2d dilation2d extract_image_patches"
        " fused_batch_norm lrn maxpool2d space_to_batch space_to_depth upsampling2d crop_and_resize draw_bounding_boxes": (4,),
        "avgpool3dnew conv3dnew deconv3d maxpool3dnew upsampling3d": (5,), "resize_*": (3, 4), "conv1d lstmBlock lstmLayer": (3,),
        "space_to_batch_nd batch_to_space_nd": FROM_2,
        "gruCell lstmBlockCell xw_plus_b in_top_k non_max_suppression*": MATRIX, "diag": range(4), "diag_part": (2, 4),
        "broadcast_dynamic_shape fill randomnormal randomuniform invert_permutation listdiff": VECTOR,
        "unique* bincount": (1, 2), "range lin_space eye": SCALAR,
    },
}
# Which of its inputs an operator computes on, if not the first.
SUBJECTS = {"tensorflow BlockLSTM": 1, "tensorflow BlockLSTMV2": 1, "tensorflow Concat": 1,
            "tensorflow Split": 1, "nd4j deconv2d_tf": 2, "nd4j scatter_nd": 1, "nd4j lstmBlock": 1,
            "nd4j sparse_softmax_cross_entropy_loss_with_logits": 1}
# Operators without cases of their own, and why.
ELSEWHERE = {"onnx": {"ImageDecoder": "every conversion refuses it"},
             "tensorflow": {
                 **dict.fromkeys("Switch Merge Enter Exit NextIteration LoopCond".split(),
                                 "control flow: tensorflow_suite.py and saved_models.py"),
                 **dict.fromkeys(("TensorArrayV3 TensorArrayWriteV3 TensorArrayReadV3 TensorArrayGatherV3"
                                  " TensorArrayScatterV3 TensorArraySplitV3 TensorArrayConcatV3"
                                  " TensorArraySizeV3").split(), "lists: tensorflow_lists.py")},
             "paddle": {
                 **dict.fromkeys("array_erase create_array lod_array_length read_from_array write_to_array"
                                 " tensor_array_to_tensor".split(), "arrays: paddle_flows.py"),
                 **dict.fromkeys("crf_back crf_best crf_edges crf_path crf_step".split(),
                                 "parts of crf_decoding, made when a program is loaded"),
                 **dict.fromkeys("gaussian_random randint uniform_random truncated_gaussian_random".split(),
                                 "take no arrays and give what chance does: paddle_onnx.py holds their dims")},
             "nd4j": dict.fromkeys("create_list gather_list read_list scatter_list size_list split_list stack_list"
                                   " write_list".split(), "lists: tensorflow_lists.py, and the sequences of onnx_sweep.py")}



def kinds(use):
    return {str(array.dtype) for arrays in use.inputs.values() for array in arrays}


def first_shape(use):
    return next((arrays[0].shape for arrays in use.inputs.values() if arrays), ())


def is_padded(use):
    words = (use.attributes.get(name, "") for name in ("auto_pad", "padding", "padding_algorithm"))
    return any(str(word).startswith("SAME") for word in words)


def has_one_channel(axis):
    return lambda use: len(first_shape(use)) > 3 and first_shape(use)[axis] == 1


def is_unsorted(use):
    return use.attributes.get("sorted") in (0, False)


# What was wrong once, and is easily forgotten: (operators, words, whether a case has it).
PARTICULAR = {
    "onnx": [
        ("Equal And Or Xor Not", "of truth values", lambda use: "bool" in kinds(use)),
        ("MaxPool", "integers, padded as SAME", lambda use: is_padded(use) and kinds(use) & {"int8", "uint8"}),
        ("AveragePool Conv ConvInteger ConvTranspose DeformConv GlobalAveragePool GlobalLpPool GlobalMaxPool GridSample"
         " InstanceNormalization LRN LpPool MaxPool MaxRoiPool MaxUnpool QLinearConv Resize RoiAlign SpaceToDepth Upsample",
         "one channel", has_one_channel(1)),
        ("TopK Unique", "not sorted", is_unsorted),
    ],
    "tensorflow": [
        ("Equal NotEqual LogicalAnd LogicalOr LogicalNot", "of truth values", lambda use: "bool" in kinds(use)),
        ("MaxPool MaxPoolV2", "integers, padded as SAME", lambda use: is_padded(use) and kinds(use) & {"int32", "int64"}),
        ("AvgPool Conv2D CropAndResize DepthwiseConv2dNative Dilation2D DrawBoundingBoxes DrawBoundingBoxesV2"
         " ExtractImagePatches FusedBatchNormV3 LRN MaxPool ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor"
         " SpaceToDepth", "one channel", has_one_channel(-1)),
        ("TopK TopKV2", "not sorted", is_unsorted),
        ("ArgMax ArgMin Gather GatherV2 GatherNd ScatterNd SegmentSum UnsortedSegmentSum Tile Reshape Sum Mean Max Pad"
         " StridedSlice SplitV Range OneHot InTopK", "int64 beside it", lambda use: "int64" in use.types.values()),
    ],
    "paddle": [
        ("equal not_equal less_than less_equal greater_than greater_equal bitwise_and bitwise_or bitwise_xor bitwise_not"
         " logical_and logical_or logical_xor logical_not", "of truth values", lambda use: "bool" in kinds(use)),
        ("pool2d conv2d", "padded as SAME", is_padded),
        ("affine_channel bicubic_interp_v2 bilinear_interp_v2 conv2d grid_sampler instance_norm nearest_interp_v2 pad2d"
         " pool2d unfold", "one channel", has_one_channel(1)),
        ("top_k_v2", "not sorted", is_unsorted),
        ("gather gather_nd index_select top_k_v2 argsort lookup_table_v2 scatter", "int64 beside it",
         lambda use: "int64" in kinds(use)),
    ],
    "nd4j": [
        ("equals not_equals greater greater_equal less less_equal boolean_and boolean_or boolean_xor boolean_not",
         "of truth values", lambda use: "bool" in kinds(use)),
        ("maxpool2d maxpool3dnew", "integers, padded as SAME",
         lambda use: use.attributes.get("isSameMode") == 1 and kinds(use) & {"int8", "uint8", "int32", "int64"}),
        ("avgpool2d conv2d crop_and_resize dilation2d extract_image_patches lrn maxpool2d resize_area resize_bicubic"
         " resize_bilinear resize_nearest_neighbor space_to_depth", "one channel",
         lambda use: 1 in (first_shape(use)[-1:] + first_shape(use)[1:2])),
        ("top_k", "not sorted", lambda use: use.attributes.get("needSort") is False),
        ("argmax argmin", "several axes", lambda use: len(use.attributes.get("dimensions", [])) > 1),
        ("reduce_sum reduce_max reduce_min reduce_prod reduce_mean reduce_norm1 reduce_norm2 reduce_sqnorm argmax argmin all any",
         "an input of no axes", lambda use: any(array.shape == (0,) for array in use.inputs["dimensions"] + use.inputs.get("y", []))),
        ("gather gather_nd scatter_add scatter_upd segment_sum unsorted_segment_sum onehot embedding_lookup in_top_k",
         "int64 beside it", lambda use: "int64" in kinds(use)),
    ],
}
REASONS = {
    "onnx": [
        ("BlackmanWindow HammingWindow HannWindow MelWeightMatrix Range", "empty",
         "takes scalars, which are never empty"),
        ("Cast CastLike", "round_mode = *",
         "is for float8e8m0, which ONNX Runtime does not run and nd4j does not have"),
        ("ConstantOfShape", "T2 float8*; T2 int4; T2 uint4",
         "no constant of it can be written with numpy; Cast and Shape show the refusal"),
        ("Resize", "coordinate_transformation_mode = tf_half_pixel_for_nn", "is of opsets 11 and 12 alone, and the sweep is of newer ones"),
        ("SplitToSequence", "T bfloat16", "numpy has no bfloat16 for lists to be fed with"),
    ],
    "tensorflow": [
        ("*", "N given; T given; num_args given", "counts the inputs, and is always there"),
        ("Empty", "init left out; init = false", "what is in the array is not said"),
        ("ClipByValue FloorDiv ScatterNdMax ScatterNdMin TruncateDiv", "T complex*",
         "complex numbers have no order; TensorFlow has no kernel for them"),
        ("BlockLSTM BlockLSTMV2", "empty", "a step of time there must be"),
        ("ConcatOffset Conv2DBackpropInput Conv3DBackpropInputV2 LinSpace RandomUniformInt Range"
         " DataFormatVecPermute", "empty", "takes scalars and sizes, which are never empty"),
        ("ApproximateEqual", "broadcast", "TensorFlow demands the same dims of both"),
        ("MaxPoolV2", "data_format = NCHW_VECT_C", "a layout of 8-bit kernels of GPUs"),
    ],
    "paddle": [
        ("*", "*_count given", "counts arrays of a slot; no file has it"),
        ("*", "Offsets; no Offsets; Length; no Length; Label; no Label",
         "offsets of sequences, which the program has and no slot: paddle_flows.py"),
        ("*", "is_test = false; is_test left out; fuse_brelu = true; fuse_relu_before_depthwise_conv = true;"
         " fuse_with_relu = true; fuse_relu = true; fuse_activation left out; save_intermediate_out = true;"
         " use_seq = false; fuse_activation given; fuse_alpha given; fuse_beta given",
         "training, and kernels of phones: what they compute is not of the model"),
        ("bernoulli broadcast_tensors clip_by_norm cos_sim crop_tensor cross cumprod data_norm density_prior_box diag_v2"
         " diagonal elementwise_fmax elementwise_fmin elementwise_heaviside equal_all fill fused_conv2d_add_act"
         " fused_elemwise_* fused_embedding_* fused_fc_* fused_gemm_epilogue fused_softmax_mask* fusion_* index_add index_put"
         " isclose kron kthvalue l1_norm label_smooth lerp logcumsumexp logit max_pool3d_with_index maxout"
         " moving_average_abs_max_scale multihead_matmul mv pad_constant_like polygon_box_transform print put_along_axis"
         " reduce_amax reduce_amin repeat_interleave roi_pool row_conv rrelu searchsorted select_output shape64"
         " skip_layernorm squared_l2_norm temporal_shift trace tril_indices triu_indices trunc unique unpool", "*",
         "the evaluator does not know it: expected values are computed for the arrays of its cases"),
        ("affine_grid collect_fpn_proposals fill_constant linspace lookup_table lstm lstm_unit matrix_nms meshgrid range"
         " sequence_expand sequence_pad sequence_softmax top_k top_k_v2 expand_as", "empty",
         "sizes, weights and places, of which there must be some"),
        ("reduce_max reduce_min", "empty", "Paddle refuses the largest of nothing"),
        ("dot expand expand_as fake_quantize_* frobenius_norm logsumexp meshgrid one_hot_v2 top_k tril_triu where_index",
         "rank *", "wants axes that a scalar, or other ranks, do not have"),
        ("*_interp *_interp_v2", "out_d given; out_h given; out_w given; OutSize",
         "sizes of axes that the images of this operator do not have; the evaluator takes sizes from attributes alone"),
        ("conv2d_fusion", "activation left out", "the evaluator takes the default for none"),
        ("conv*_transpose depthwise_conv2d_transpose conv3d depthwise_conv2d",
         "Bias; ResidualData; strides left out; paddings left out; padding_algorithm = *; dilations *; groups *;"
         " output_padding given; output_size given",
         "added by passes for kernels of CPUs, or not known to the evaluator for this operator"),
        ("atan2", "broadcast", "Paddle's atan2 takes arrays of the same dims"),
        ("dropout", "Seed", "training"),
        ("fake_channel_wise_quantize_abs_max", "is_test = true", "reads scales of a training that the evaluator does not have"),
        ("fill_constant_batch_size_like", "is_one_sequence = *", "sequences: paddle_flows.py"),
        ("im2sequence", "Y", "sizes of single images, which the evaluator does not take"),
        ("lod_reset", "Y", "sequences: paddle_flows.py"),
        ("multiclass_nms3", "RoisNum", "regions of several images in one array, which the evaluator does not take"),
        ("prelu", "mode left out", "Paddle demands it"),
        ("rnn", "*", "attributes that Paddle always writes, which fit the weights of a case"),
        ("sequence_conv", "PaddingData", "trained paddings are refused"),
        ("set_value assign_value", "*", "one list of values for each type: those that Paddle writes are tried"),
        ("transpose transpose2", "axis < 0", "the axes are an order, which Paddle counts from the front"),
        ("where", "broadcast", "Paddle's where takes arrays of the same dims"),
    ],
    "nd4j": [
        ("bitwise_* invert_permutation", "T float*; T bfloat16", "whole numbers alone"),
        ("*", "T string", "no kernel of libnd4j computes with texts"),
        ("ClipByValue Pow Reciprocal abs biasadd bitwise_* ceil clipbyvalue cube cum* divide* extract_image_patches floor*"
         " invert_permutation leakyrelu matmul merge* minimum mod neg realdiv reduce_* relu* reverse[ds]* round scatter_*"
         " segment_* sign square* subtract truncatediv unsorted_segment_*", "T bool", "counts with numbers"),
        ("*", "dtype string; dataType *; dataType given; dataType_t given; dtype_d *; outputType *; dtype given",
         "an announcement: the kernel takes the type from elsewhere, or has no such type"),
        ("argmax argmin ones_as range zeros_as", "dtype *", "a type that no place can be told in; others show what becomes of it"),
        ("fused_batch_norm", "U bfloat16", "numbers of channels are of float32 beside such images"),
        ("igamma igammac polygamma zeta pow_pairwise", "broadcast", "libnd4j demands the same dims of both"),
        ("eye lin_space range", "empty", "takes numbers, which are never empty"),
        ("gruCell lstm* deconv2d_tf", "empty", "a step, and something in it, there must be"),
        ("lstmBlock", "maxTSLength float*", "a length"),
        ("bincount", "empty", "of nothing libnd4j looks for the largest all the same"),
        ("tile", "dimensions < 0", "how often, not which axes"),
        ("compare_and_bitpack top_k", "threshold given; k_t given", "an argument that no kernel reads"),
        ("solve maxpool3dnew fused_batch_norm", "adjoint; arrayOutput; batchMeanVar", "an input that no kernel reads"),
        ("adjust_contrast embedding_lookup lstsq", "no factor; no indices; no b", "the kernel demands it"),
        ("dynamic_stitch", "rank *", "libnd4j handles vectors of places alone"),
    ],
}
