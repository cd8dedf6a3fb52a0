/* dialect_facts.c - what is special about a dialect, as data */
#include "ir/dialect_facts.h"

#include "base/byte_view.h"

/* rules/compile.c writes these. */
#define VOCABULARY(dialect)                                                    \
    extern const unsigned char tn_vocab_##dialect##_packed[];                  \
    extern const size_t        tn_vocab_##dialect##_packed_size;
VOCABULARY(nd4j)
VOCABULARY(onnx)
VOCABULARY(paddle)
VOCABULARY(tensorflow)
VOCABULARY(tflite)

/* ONNX is read from opset 7 on, and written as the opset that every runtime of
 * the last years has. */
static const struct tn_dialect_facts dialects[] = {
    { .name                   = "nd4j",
      .title                  = "SameDiff",
      .vocabulary             = tn_vocab_nd4j_packed,
      .vocabulary_size        = &tn_vocab_nd4j_packed_size,
      .identity               = "identity",
      .main_graph             = "",
      .node_list              = "nodes",
      .counterpart            = "onnx",
      .can_be_built           = true,
      .names_io               = true,
      .names_everything       = true,
      .has_training           = true,
      .has_doubles            = true,
      .has_examples           = true,
      .is_mapped_to           = true },
    { .name                   = "onnx",
      .title                  = "ONNX",
      .vocabulary             = tn_vocab_onnx_packed,
      .vocabulary_size        = &tn_vocab_onnx_packed_size,
      .identity               = "Identity",
      .main_graph             = "graph",
      .node_list              = "node",
      .own_domain             = "ai.onnx",
      .counterpart            = "samediff",
      .function_format        = "onnx",
      .oldest_version         = 7,
      .rule_version           = 18,
      .can_be_built           = true,
      .lists_io               = true,
      .types_structures       = true,
      .has_sequences          = true,
      .wants_ranks            = true,
      .is_mapped_from         = true },
    { .name                   = "paddle",
      .title                  = "PaddlePaddle",
      .vocabulary             = tn_vocab_paddle_packed,
      .vocabulary_size        = &tn_vocab_paddle_packed_size,
      .identity               = "Identity",
      .main_graph             = "",
      .node_list              = "node",
      .counterpart            = "samediff",
      .has_inputs_as_ops      = true },
    { .name                   = "tensorflow",
      .title                  = "TensorFlow",
      .vocabulary             = tn_vocab_tensorflow_packed,
      .vocabulary_size        = &tn_vocab_tensorflow_packed_size,
      .identity               = "Identity",
      .main_graph             = "",
      .node_list              = "node",
      .counterpart            = "samediff",
      .function_format        = "tf-graph",
      .has_function_outputs   = true,
      .has_constant_ops       = true,
      .has_array_ops          = true,
      .is_mapped_from         = true },
    { .name                   = "tflite",
      .title                  = "TFLite",
      .vocabulary             = tn_vocab_tflite_packed,
      .vocabulary_size        = &tn_vocab_tflite_packed_size,
      .identity               = "Identity",
      .main_graph             = "subgraphs[0]",
      .node_list              = "operators",
      .counterpart            = "onnx",
      .names_io               = true },
};

static const struct tn_dialect_facts unknown = { .name        = "",
                                                 .title       = "this format",
                                                 .identity    = "Identity",
                                                 .main_graph  = "",
                                                 .node_list   = "node",
                                                 .counterpart = "samediff" };

const struct tn_dialect_facts *tn_dialect_facts_of(struct tn_bytes dialect)
{
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (tn_bytes_is(dialect, dialects[i].name))
            return &dialects[i];
    return &unknown;
}

const struct tn_dialect_facts *tn_dialect_facts(const char *dialect)
{
    return tn_dialect_facts_of(tn_text(dialect));
}
