/* registry.c - every format this build knows, cheapest probe first */
#include "format/format.h"

extern const struct tn_format tn_format_tf_saved_model;
extern const struct tn_format tn_format_tf_checkpoint;
extern const struct tn_format tn_format_onnx;
extern const struct tn_format tn_format_tf_meta_graph;
extern const struct tn_format tn_format_tf_graph;
extern const struct tn_format tn_format_onnx_tensor;
extern const struct tn_format tn_format_riegeli;
extern const struct tn_format tn_format_safetensors;
extern const struct tn_format tn_format_paddle;
extern const struct tn_format tn_format_paddle_text;
extern const struct tn_format tn_format_paddle_params;
extern const struct tn_format tn_format_paddle_state;
extern const struct tn_format tn_format_samediff;
extern const struct tn_format tn_format_samediff_fb;
extern const struct tn_format tn_format_sd_checkpoints;
extern const struct tn_format tn_format_sdnb;
extern const struct tn_format tn_format_sdz;
extern const struct tn_format tn_format_paddle_pir;
extern const struct tn_format tn_format_npz;
extern const struct tn_format tn_format_npy;

const struct tn_format *const tn_formats[] = {
    &tn_format_tf_saved_model,
    &tn_format_tf_checkpoint,
    &tn_format_onnx,
    &tn_format_tf_meta_graph,
    &tn_format_tf_graph,
    &tn_format_onnx_tensor,
    &tn_format_riegeli,
    &tn_format_safetensors,
    &tn_format_npz,
    &tn_format_npy,
    &tn_format_paddle,
    &tn_format_paddle_text,
    &tn_format_paddle_params,
    &tn_format_paddle_state,
    &tn_format_paddle_pir,
    &tn_format_samediff,
    &tn_format_samediff_fb,
    &tn_format_sd_checkpoints,
    &tn_format_sdnb,
    &tn_format_sdz,
    NULL,
};
