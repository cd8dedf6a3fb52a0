/*
 * registry.h - every format this build knows, by name
 *
 * For code that has to tell one format from all others: formats are compared by
 * their address, never by name.
 */
#ifndef TN_FORMAT_REGISTRY_H
#define TN_FORMAT_REGISTRY_H

#include "format/format.h"

extern const struct tn_format tn_format_tf_saved_model;
extern const struct tn_format tn_format_tf_checkpoint;
extern const struct tn_format tn_format_onnx;
extern const struct tn_format tn_format_tf_meta_graph;
extern const struct tn_format tn_format_tf_graph;
extern const struct tn_format tn_format_onnx_tensor;
extern const struct tn_format tn_format_riegeli;
extern const struct tn_format tn_format_safetensors;
extern const struct tn_format tn_format_gguf;
extern const struct tn_format tn_format_tflite;
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
extern const struct tn_format tn_format_pytorch;
extern const struct tn_format tn_format_npz;
extern const struct tn_format tn_format_npy;

/* Whether the model was read from a file of that format, or will be written as
 * one. */
static inline bool tn_is_of_format(const struct tn_model  *model,
                                   const struct tn_format *format)
{
    return model->format == format->name;
}

#endif
