/* registry.c - every format this build knows, cheapest probe first */
#include "format/registry.h"

const struct tn_format *const tn_formats[] = {
    &tn_format_tf_saved_model,
    &tn_format_tf_checkpoint,
    &tn_format_onnx,
    &tn_format_tf_meta_graph,
    &tn_format_tf_graph,
    &tn_format_onnx_tensor,
    &tn_format_riegeli,
    &tn_format_safetensors,
    &tn_format_gguf,
    &tn_format_tflite,
    &tn_format_pytorch,
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
