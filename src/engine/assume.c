/* assume.c - ordinary assumptions about inputs of a node */
#include "engine/assume.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "engine/bare_node.h"
#include "engine/known_inputs.h"

enum { RANK_MAX = 8, VALUE_MAX = 16, USUAL_SIZE = 8, IMAGE_RANK = 4 };

enum tn_dtype tn_assumed_type(uint64_t types, enum tn_framework framework)
{
    bool                is_tensorflow = framework == TN_FRAMEWORK_TENSORFLOW;
    const enum tn_dtype usual[]       = {
              TN_FLOAT32, is_tensorflow ? TN_INT32 : TN_INT64,
              TN_INT32,   TN_UINT8,
              TN_INT8,    TN_BOOL,
              TN_STRING
    };

    for (size_t i = 0; types && i < sizeof usual / sizeof usual[0]; i++)
        if (types & TN_VOCAB_TYPE(usual[i]))
            return usual[i];
    for (unsigned i = 1; types && i < TN_DTYPE_COUNT; i++)
        if (types & TN_VOCAB_TYPE(i))
            return (enum tn_dtype)i;
    return TN_FLOAT32;
}

/* ---- ranks that attributes tell ----------------------------------------- */

static uint32_t length_of(const struct tn_node_known *known, const char *name)
{
    const struct tn_attr_value *value = tn_node_value(known, tn_text(name));

    return value && value->is_list && value->kind == TN_ATTR_INT ? value->count
                                                                 : 0;
}

/* For ONNX and Paddle: kernels have no axes of batch and channels. */
static uint32_t told_rank(const struct tn_node_known *known)
{
    static const char *const kernels[] = { "kernel_shape", "strides",
                                           "dilations", "ksize" };
    bool     is_tensorflow = known->node->framework == TN_FRAMEWORK_TENSORFLOW;
    uint32_t rank          = length_of(known, "perm");

    for (size_t i = 0; !rank && i < sizeof kernels / sizeof kernels[0]; i++) {
        rank = length_of(known, kernels[i]);
        if (rank && !is_tensorflow)
            rank += 2;
    }
    if (!rank && !is_tensorflow)
        rank = length_of(known, "pads") / 2;
    return rank <= RANK_MAX ? rank : 0;
}

/* An axis requires at least as many dimensions. */
static uint32_t least_rank(const struct tn_node_known *known)
{
    static const char *const names[] = { "axis", "axes", "dim", "batch_dims" };
    uint32_t                 least   = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct tn_map_attr *attr =
            tn_map_node_attr(known->node, tn_text(names[i]));
        if (!attr || attr->value.kind != TN_ATTR_INT)
            continue;
        for (uint32_t k = 0; k < attr->value.count; k++) {
            int64_t axis = attr->value.of.ints[k];
            if (axis < -RANK_MAX || axis >= RANK_MAX)
                continue;
            uint32_t need = (uint32_t)(axis < 0 ? -axis : axis + 1);
            if (need > least)
                least = need;
        }
    }
    return least;
}

/* ---- which guesses ------------------------------------------------------ */

struct guessing {
    struct tn_guess *to;
    uint32_t         count;
    uint32_t         ranks[RANK_MAX];
    uint32_t         rank_count;
};

static void add(struct guessing *g, struct tn_guess guess)
{
    if (g->count < TN_GUESS_MAX)
        g->to[g->count++] = guess;
}

static void add_rank(struct guessing *g, uint32_t rank)
{
    for (uint32_t i = 0; i < g->rank_count; i++)
        if (g->ranks[i] == rank)
            return;
    g->ranks[g->rank_count++] = rank;
}

/* Arrays of three or more dimensions are first tried as images. */
static void fill_ranks(struct guessing *g, const struct tn_node_known *known)
{
    static const uint32_t usual[] = { 2, IMAGE_RANK, 3, 5, 1, 0 };
    uint32_t              told = told_rank(known), least = least_rank(known);
    const struct tn_vocab_op *op = known->definition;

    for (uint32_t i = 0; op && i < op->input_count; i++)
        if (op->inputs[i].rank.is_said && op->inputs[i].rank.is_variable &&
            op->inputs[i].rank.least > least)
            least = op->inputs[i].rank.least;
    if (told)
        add_rank(g, told);
    if (least > 2 && least <= IMAGE_RANK)
        add_rank(g, IMAGE_RANK);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (usual[i] >= least)
            add_rank(g, usual[i]);
    if (least > 5)
        add_rank(g, least);
}

static void add_values(struct guessing *g, uint32_t rank)
{
    const uint32_t counts[] = { 0, 1, rank, 2 };

    for (int64_t value = 0; value < 2; value++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            add(g, (struct tn_guess){ .kind   = TN_GUESS_VALUES,
                                      .rank   = rank,
                                      .others = (int32_t)rank,
                                      .value  = value,
                                      .count  = counts[i] });
}

uint32_t tn_guesses(const struct tn_node_known *known,
                    struct tn_guess             guesses[TN_GUESS_MAX])
{
    struct guessing g = { .to = guesses };

    fill_ranks(&g, known);
    add(&g, (struct tn_guess){ .kind = TN_GUESS_TYPES });
    add(&g, (struct tn_guess){ .kind = TN_GUESS_USUAL });
    for (int kind = TN_GUESS_RANKS; kind <= TN_GUESS_SIZES; kind++)
        for (uint32_t i = 0; i < g.rank_count; i++) {
            int32_t others[] = { (int32_t)g.ranks[i], 1, 0, -1 };
            for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
                add(&g, (struct tn_guess){ .kind   = kind,
                                           .rank   = g.ranks[i],
                                           .others = others[k] });
        }
    for (uint32_t i = 0; i < g.rank_count; i++)
        add_values(&g, g.ranks[i]);
    return g.count;
}

/* ---- applying one ------------------------------------------------------- */

struct applying {
    const struct tn_guess      *guess;
    const struct tn_node_known *known;
    struct tn_arena            *arena;
    struct tn_error            *error;
};

static void guess_types(const struct applying *a, struct tn_node_input *to)
{
    for (uint32_t i = 0; i < a->known->node->input_count; i++) {
        if (to[i].type.dtype != TN_UNDEFINED || !a->known->node->inputs[i].size)
            continue;
        to[i].type.dtype =
            tn_assumed_type(to[i].arg ? tn_node_types(a->known, to[i].arg) : 0,
                            a->known->node->framework);
        tn_node_share_types(a->known, to);
    }
}

static void set_dims(const struct applying *a, struct tn_native_type *type,
                     uint32_t rank, int64_t size)
{
    int64_t *dims = tn_new(a->arena, int64_t, rank, a->error);

    for (uint32_t i = 0; dims && i < rank; i++)
        dims[i] = size;
    type->has_rank = dims != NULL;
    type->rank     = dims ? rank : 0;
    type->dims     = dims;
}

/* The definition of the operator limits the rank of an input. */
static int32_t rank_for(const struct applying      *a,
                        const struct tn_node_input *input, bool is_first)
{
    const struct tn_vocab_rank *said = input->arg ? &input->arg->rank : NULL;
    int32_t rank = is_first ? (int32_t)a->guess->rank : a->guess->others;

    if (!said || !said->is_said)
        return rank;
    if (rank < 0 || said->is_variable)
        rank = (int32_t)a->guess->rank;
    if (rank < said->least)
        rank = said->least;
    if (rank > said->most)
        rank = said->most;
    return rank;
}

static void guess_shape(const struct applying *a, struct tn_node_input *to,
                        bool is_first)
{
    bool    has_sizes = a->guess->kind >= TN_GUESS_SIZES;
    int32_t rank      = rank_for(a, to, is_first);

    if (to->type.has_rank || to->tensor.data || rank < 0)
        return;
    set_dims(a, &to->type, (uint32_t)rank, has_sizes ? USUAL_SIZE : -1);
}

/* `items` has as many elements as the type. */
static void set_value(const struct applying *a, struct tn_node_input *to,
                      const struct tn_attr_value *items)
{
    struct tn_map_elements from = { to->type.dtype, to->type.rank,
                                    to->type.dims, items };
    struct tn_error        none = TN_ERROR_INIT;
    struct tn_bytes        tensor;

    if (tn_bare_tensor_write(&from, a->known->node->framework, a->arena,
                             &tensor, &none) == TN_OK)
        to->tensor = tensor;
}

static const char *list_text(const struct applying      *a,
                             const struct tn_attr_value *items, bool is_scalar)
{
    const char *text = is_scalar ? "" : "[";

    for (uint32_t i = 0; text && i < items->count; i++)
        text = items->kind == TN_ATTR_DOUBLE
                   ? tn_text_format(a->arena, a->error, "%s%s%g", text,
                                    i ? "," : "", items->of.doubles[i])
                   : tn_text_format(a->arena, a->error, "%s%s%" PRId64, text,
                                    i ? "," : "", items->of.ints[i]);
    return is_scalar || !text ? text
                              : tn_text_format(a->arena, a->error, "%s]", text);
}

static void guess_value(const struct applying *a, struct tn_node_input *to)
{
    const struct tn_vocab_rank *said = to->arg ? &to->arg->rank : NULL;
    uint32_t count = a->guess->count < VALUE_MAX ? a->guess->count : VALUE_MAX;
    bool     is_scalar = count == 0;
    int64_t  items[VALUE_MAX];

    if (said && said->is_said && said->most == 0)
        is_scalar = true;
    else if (said && said->is_said && said->least == 1 && is_scalar)
        return; /* a list, and the guess is none */
    if (to->tensor.data || to->type.dtype == TN_STRING)
        return;
    count = is_scalar ? 1 : count;
    for (uint32_t i = 0; i < count; i++)
        items[i] = a->guess->value;
    struct tn_attr_value value = {
        .kind = TN_ATTR_INT, .is_list = true, .count = count, .of.ints = items
    };
    if (to->type.has_rank && to->type.rank != (is_scalar ? 0 : 1))
        return; /* the caller knows better */
    set_dims(a, &to->type, is_scalar ? 0 : 1, count);
    to->value = list_text(a, &value, is_scalar);
    set_value(a, to, &value);
}

/* ---- operators whose inputs depend on each other ------------------------ */

static const struct {
    const char *framework, *op, *inputs;
} usual[] = {
    { "onnx", "Attention", "Q:float32[1,8,16,64] K:float32[1,8,16,64]" },
    { "onnx", "CenterCropPad", "input_data:float32[8,8] shape:int64=[4,4]" },
    { "onnx", "Col2Im",
      "input:float32[1,9,16] image_shape:int64=[6,6] block_shape:int64=[3,3]" },
    { "onnx", "Conv", "X:float32[?,8,?,?] W:float32[8,8,3,3]" },
    { "onnx", "ConvInteger", "x:uint8[?,8,?,?] w:uint8[8,8,3,3]" },
    { "onnx", "ConvTranspose", "X:float32[?,8,?,?] W:float32[8,8,3,3]" },
    { "onnx", "DFT", "input:float32[?,8,1]" },
    { "onnx", "DeformConv",
      "X:float32[1,8,8,8] W:float32[8,8,3,3] offset:float32[1,18,6,6]" },
    { "onnx", "DequantizeLinear", "x:int8[?,?] x_scale:float32[]" },
    { "onnx", "GRU", "X:float32[8,1,8] W:float32[1,24,8] R:float32[1,24,8]" },
    { "onnx", "GatherND", "data:float32[?,?] indices:int64[?,2]" },
    { "onnx", "GlobalAveragePool", "X:float32[?,?,?,?]" },
    { "onnx", "GlobalLpPool", "X:float32[?,?,?,?]" },
    { "onnx", "GlobalMaxPool", "X:float32[?,?,?,?]" },
    { "onnx", "GroupNormalization", "X:float32[?,?,?,?]" },
    { "onnx", "InstanceNormalization", "input:float32[?,?,?,?]" },
    { "onnx", "LSTM", "X:float32[8,1,8] W:float32[1,32,8] R:float32[1,32,8]" },
    { "onnx", "MaxRoiPool", "X:float32[1,8,32,32] rois:float32[4,5]" },
    { "onnx", "MaxUnpool", "X:float32[1,8,8,8]" },
    { "onnx", "NonMaxSuppression",
      "boxes:float32[1,8,4] scores:float32[1,1,8] "
      "max_output_boxes_per_class:int64=4" },
    { "onnx", "OneHot", "indices:int64[?,?] depth:int64[]" },
    { "onnx", "QLinearConv",
      "x:uint8[?,8,?,?] x_scale:float32[] x_zero_point:uint8[] "
      "w:uint8[8,8,3,3] w_scale:float32[] w_zero_point:uint8[] "
      "y_scale:float32[] y_zero_point:uint8[]" },
    { "onnx", "QLinearMatMul",
      "a:uint8[?,?] a_scale:float32[] a_zero_point:uint8[] b:uint8[?,?] "
      "b_scale:float32[] b_zero_point:uint8[] y_scale:float32[] "
      "y_zero_point:uint8[]" },
    { "onnx", "QuantizeLinear", "x:float32[?,?] y_scale:float32[]" },
    { "onnx", "RNN", "X:float32[8,1,8] W:float32[1,8,8] R:float32[1,8,8]" },
    { "onnx", "Resize", "X:float32[?,?,?,?]" },
    { "onnx", "RotaryEmbedding", "X:float32[1,8,16,64]" },
    { "onnx", "STFT",
      "signal:float32[1,64,1] frame_step:int64=8 window:float32[16] "
      "frame_length:int64=16" },
    { "onnx", "ScatterND", "data:float32[?,?] indices:int64[?,2]" },
    { "onnx", "TensorScatter",
      "past_cache:float32[1,8,32,64] update:float32[1,8,1,64]" },
    { "onnx", "TfIdfVectorizer", "X:int64[?,8]" },
    { "onnx", "Upsample", "X:float32[?,?,?,?]" },
    { "tensorflow", "BatchNormWithGlobalNormalization", "t:float32[?,?,?,?]" },
    { "tensorflow", "MatrixDiagPartV2", "input:float32[8,8] k:int32=0" },
    { "tensorflow", "MatrixDiagPartV3", "input:float32[8,8] k:int32=0" },
    { "tensorflow", "MatrixDiagV2",
      "diagonal:float32[8] k:int32=0 num_rows:int32=-1 "
      "num_cols:int32=-1 padding_value:float32=0" },
    { "tensorflow", "MatrixDiagV3",
      "diagonal:float32[8] k:int32=0 num_rows:int32=-1 "
      "num_cols:int32=-1 padding_value:float32=0" },
    { "tensorflow", "MatrixSetDiagV2",
      "input:float32[8,8] diagonal:float32[8] k:int32=0" },
    { "tensorflow", "MatrixSetDiagV3",
      "input:float32[8,8] diagonal:float32[8] k:int32=0" },
    { "tensorflow", "MaxPoolV2",
      "ksize:int32=[1,2,2,1] strides:int32=[1,2,2,1]" },
    { "tensorflow", "Multinomial", "logits:float32[8,8] num_samples:int32=1" },
    { "tensorflow", "NonMaxSuppressionWithOverlaps",
      "overlaps:float32[8,8] scores:float32[8] "
      "max_output_size:int32=4" },
    { "tensorflow", "Reverse", "tensor:float32[?,?] dims:bool=[true,true]" },
    { "tensorflow", "ScatterNdMax",
      "ref:float32[8,8] indices:int32[8,2] updates:float32[8]" },
    { "tensorflow", "ScatterNdMin",
      "ref:float32[8,8] indices:int32[8,2] updates:float32[8]" },
    { "tensorflow", "TensorScatterMax",
      "tensor:float32[8,8] indices:int32[8,2] updates:float32[8]" },
    { "tensorflow", "TensorScatterMin",
      "tensor:float32[8,8] indices:int32[8,2] updates:float32[8]" },
    { "tensorflow", "BlockLSTM",
      "x:float32[8,1,8] cs_prev:float32[1,8] h_prev:float32[1,8] "
      "w:float32[16,32] wci:float32[8] wcf:float32[8] wco:float32[8] "
      "b:float32[32]" },
    { "tensorflow", "BlockLSTMV2",
      "x:float32[8,1,8] cs_prev:float32[1,8] h_prev:float32[1,8] "
      "w:float32[16,32] wci:float32[8] wcf:float32[8] wco:float32[8] "
      "b:float32[32]" },
    { "tensorflow", "Concat", "concat_dim:int32=0 values:float32[?,?]" },
    { "tensorflow", "ConcatOffset", "concat_dim:int32=0 shape:int32=[4,4]" },
    { "tensorflow", "Conv3DBackpropInputV2",
      "input_sizes:int32=[8,8,8,8,8] filter:float32[1,1,1,8,8] "
      "out_backprop:float32[8,8,8,8,8]" },
    { "tensorflow", "DataFormatVecPermute", "x:int32[4]" },
    { "tensorflow", "DrawBoundingBoxes",
      "images:float32[1,8,8,3] boxes:float32[1,2,4]" },
    { "tensorflow", "RaggedRange",
      "starts:int32=[0] limits:int32=[4] deltas:int32=[1]" },
    { "paddle", "channel_shuffle", "X:float32[8,8,8,8]" },
    { "paddle", "conv2d", "Input:float32[?,8,?,?] Filter:float32[8,8,3,3]" },
    { "paddle", "conv2d_fusion",
      "Input:float32[?,8,?,?] Filter:float32[8,8,3,3]" },
    { "paddle", "conv2d_transpose",
      "Input:float32[?,8,?,?] Filter:float32[8,8,3,3]" },
    { "paddle", "conv3d",
      "Input:float32[?,8,?,?,?] Filter:float32[8,8,3,3,3]" },
    { "paddle", "conv3d_transpose",
      "Input:float32[?,8,?,?,?] Filter:float32[8,8,3,3,3]" },
    { "paddle", "cross", "X:float32[2,3] Y:float32[2,3]" },
    { "paddle", "deformable_conv",
      "Input:float32[1,8,8,8] Offset:float32[1,18,6,6] "
      "Filter:float32[8,8,3,3]" },
    { "paddle", "deformable_conv_v1",
      "Input:float32[1,8,8,8] Offset:float32[1,18,6,6] "
      "Filter:float32[8,8,3,3]" },
    { "paddle", "depthwise_conv2d",
      "Input:float32[?,8,?,?] Filter:float32[8,8,3,3]" },
    { "paddle", "depthwise_conv2d_transpose",
      "Input:float32[?,8,?,?] Filter:float32[8,8,3,3]" },
    { "paddle", "fused_conv2d",
      "Input:float32[?,8,?,?] Filter:float32[8,8,3,3]" },
    { "paddle", "fused_conv2d_add_act",
      "Input:float32[?,8,?,?] Filter:float32[8,8,3,3]" },
    { "paddle", "fusion_gru",
      "X:float32[8,8] WeightX:float32[8,24] WeightH:float32[8,24]" },
    { "paddle", "fusion_lstm",
      "X:float32[8,8] WeightX:float32[8,32] WeightH:float32[8,32] "
      "Bias:float32[1,32]" },
    { "paddle", "gather_nd", "X:float32[?,?] Index:int64[?,2]" },
    { "paddle", "gru", "Input:float32[8,24] Weight:float32[8,24]" },
    { "paddle", "gru_unit",
      "Input:float32[?,24] HiddenPrev:float32[?,8] "
      "Weight:float32[8,24]" },
    { "paddle", "instance_norm", "X:float32[8,8,8,8]" },
    { "paddle", "lstm",
      "Input:float32[8,32] Weight:float32[8,32] Bias:float32[1,32]" },
    { "paddle", "matrix_nms", "BBoxes:float32[1,8,4] Scores:float32[1,2,8]" },
    { "paddle", "maxout", "X:float32[8,8,8,8]" },
    { "paddle", "multiclass_nms",
      "BBoxes:float32[1,8,4] Scores:float32[1,2,8]" },
    { "paddle", "multiclass_nms2",
      "BBoxes:float32[1,8,4] Scores:float32[1,2,8]" },
    { "paddle", "multiclass_nms3",
      "BBoxes:float32[1,8,4] Scores:float32[1,2,8]" },
    { "paddle", "multihead_matmul",
      "Input:float32[1,8,8] W:float32[8,3,1,8] Bias:float32[3,1,8]" },
    { "paddle", "polygon_box_transform", "Input:float32[1,8,8,8]" },
    { "paddle", "roi_pool", "X:float32[1,8,32,32] ROIs:float32[4,4]" },
    { "paddle", "row_conv", "X:float32[1,8,8] Filter:float32[3,8]" },
    { "paddle", "scatter_nd_add",
      "X:float32[?,?] Index:int64[?,2] Updates:float32[?]" },
    { "paddle", "shuffle_channel", "X:float32[8,8,8,8]" },
    { "paddle", "temporal_shift", "X:float32[8,8,8,8]" },
    { "paddle", "generate_proposals",
      "Scores:float32[1,3,8,8] BboxDeltas:float32[1,12,8,8] "
      "ImInfo:float32[1,3] Anchors:float32[8,8,3,4] "
      "Variances:float32[8,8,3,4]" },
    { "paddle", "generate_proposals_v2",
      "Scores:float32[1,3,8,8] BboxDeltas:float32[1,12,8,8] "
      "ImShape:float32[1,2] Anchors:float32[8,8,3,4] "
      "Variances:float32[8,8,3,4]" },
};

static void use_value(const struct applying       *a,
                      const struct tn_known_input *from,
                      struct tn_node_input        *to)
{
    to->value = list_text(a, &from->value, from->type.rank == 0);
    set_value(a, to, &from->value);
}

static void use_row(const struct applying *a, const char *text,
                    struct tn_node_input *to)
{
    struct tn_known_inputs rows;

    if (tn_known_inputs_read(&rows, a->arena, tn_text(text), a->error) != TN_OK)
        return;
    for (uint32_t i = 0; i < a->known->node->input_count; i++)
        for (uint32_t k = 0; to[i].arg && k < rows.count; k++) {
            if (!tn_bytes_equal(rows.items[k].name, to[i].arg->name) ||
                to[i].type.has_rank || to[i].tensor.data)
                continue;
            if (to[i].type.dtype == TN_UNDEFINED)
                to[i].type.dtype = rows.items[k].type.dtype;
            to[i].type.has_rank = true;
            to[i].type.rank     = rows.items[k].type.rank;
            to[i].type.dims     = rows.items[k].type.dims;
            if (rows.items[k].has_value)
                use_value(a, &rows.items[k], &to[i]);
        }
}

static void guess_usual(const struct applying *a, struct tn_node_input *to)
{
    const struct tn_map_node *node = a->known->node;

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (!strcmp(usual[i].framework, tn_framework_name(node->framework)) &&
            tn_bytes_is(node->op_type, usual[i].op))
            use_row(a, usual[i].inputs, to);
}

enum tn_status tn_guess_apply(const struct tn_guess      *guess,
                              const struct tn_node_known *known,
                              const struct tn_node_input *told,
                              struct tn_node_input *to, struct tn_arena *arena,
                              struct tn_error *error)
{
    struct applying a     = { guess, known, arena, error };
    uint32_t        count = known->node->input_count;

    if (count)
        memcpy(to, told, count * sizeof *to);
    if (guess->kind == TN_GUESS_USUAL)
        guess_usual(&a, to);
    guess_types(&a, to);
    for (uint32_t i = 0; i < count; i++) {
        if (guess->kind == TN_GUESS_VALUES && i > 0)
            guess_value(&a, &to[i]);
        else if (guess->kind >= TN_GUESS_RANKS)
            guess_shape(&a, &to[i], i == 0);
    }
    return error->status;
}

static bool is_same(const struct tn_node_input *a,
                    const struct tn_node_input *b)
{
    return a->type.dtype == b->type.dtype &&
           a->type.has_rank == b->type.has_rank &&
           a->type.dims == b->type.dims && a->tensor.data == b->tensor.data;
}

bool tn_guess_less(const struct tn_node_input *told,
                   const struct tn_node_input *guessed, unsigned how,
                   struct tn_node_input *to, struct tn_arena *arena,
                   struct tn_error *error)
{
    struct applying a = { .arena = arena, .error = error };

    *to = *told;
    if (how > 0)
        to->type.dtype = guessed->type.dtype;
    if (how == 2 && guessed->type.has_rank && !told->type.has_rank)
        set_dims(&a, &to->type, guessed->type.rank, -1);
    if (how == 3)
        to->type = guessed->type;
    return !is_same(to, guessed);
}

/* ---- telling it --------------------------------------------------------- */

static bool is_plain(struct tn_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] <= ' ' || strchr("\"\\,=[]:", name.data[i]))
            return false;
    return name.size > 0;
}

static void put_name(struct tn_buffer *to, struct tn_bytes name)
{
    if (is_plain(name)) {
        tn_buffer_add(to, name);
        return;
    }
    tn_buffer_byte(to, '"');
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '"' || name.data[i] == '\\')
            tn_buffer_byte(to, '\\');
        tn_buffer_byte(to, name.data[i]);
    }
    tn_buffer_byte(to, '"');
}

static void put_input(struct tn_buffer *to, struct tn_bytes name,
                      const struct tn_node_input *input)
{
    put_name(to, name);
    tn_buffer_format(to, ":%s", tn_dtype_name(input->type.dtype));
    if (input->type.has_rank) {
        tn_buffer_byte(to, '[');
        for (uint32_t i = 0; i < input->type.rank; i++) {
            if (i)
                tn_buffer_byte(to, ',');
            if (input->type.dims[i] < 0)
                tn_buffer_byte(to, '?');
            else
                tn_buffer_format(to, "%" PRId64, input->type.dims[i]);
        }
        tn_buffer_byte(to, ']');
    }
    if (input->value)
        tn_buffer_format(to, "=%s", input->value);
}

static bool is_before(const struct tn_map_node *node, uint32_t input)
{
    for (uint32_t i = 0; i < input; i++)
        if (tn_bytes_equal(node->inputs[i], node->inputs[input]))
            return true;
    return false;
}

/* Only the type is assumed: that of an earlier input. */
static bool follows(const struct tn_node_input *told,
                    const struct tn_node_input *used, uint32_t input)
{
    struct tn_node_input typed = told[input];

    typed.type.dtype = used[input].type.dtype;
    if (!is_same(&typed, &used[input]) || !typed.arg || typed.arg->is_mixed ||
        !typed.arg->variable.size)
        return false;
    for (uint32_t i = 0; i < input; i++)
        if (used[i].arg &&
            tn_bytes_equal(used[i].arg->variable, typed.arg->variable) &&
            used[i].type.dtype == typed.type.dtype)
            return true;
    return false;
}

struct tn_bytes tn_guess_text(const struct tn_node_known *known,
                              const struct tn_node_input *told,
                              const struct tn_node_input *used,
                              struct tn_arena *arena, struct tn_error *error)
{
    struct tn_bytes  kept = tn_bytes(NULL, 0);
    struct tn_buffer text;

    tn_buffer_init(&text, arena->memory, error);
    for (uint32_t i = 0; i < known->node->input_count; i++) {
        if (is_same(&told[i], &used[i]) || is_before(known->node, i) ||
            follows(told, used, i))
            continue;
        if (text.size)
            tn_buffer_byte(&text, ' ');
        put_input(&text, known->node->inputs[i], &used[i]);
    }
    if (!tn_failed(error) && text.size)
        kept = tn_bytes_dup(arena, tn_buffer_bytes(&text), error);
    tn_buffer_done(&text);
    return kept;
}
