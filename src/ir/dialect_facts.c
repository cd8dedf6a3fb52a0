/* dialect_facts.c - what is special about a dialect, as data */
#include "ir/dialect_facts.h"

#include "base/byte_view.h"

/* rules/compile.c writes these. */
#define VOCABULARY(dialect) extern const struct tn_stored tn_vocab_##dialect;
VOCABULARY(nd4j)
VOCABULARY(onnx)
VOCABULARY(paddle)
VOCABULARY(tensorflow)
VOCABULARY(tflite)

/* ONNX is read from opset 7 on, and written as the opset that every runtime of
 * the last years has. */
static const struct tn_dialect_facts dialects[TN_DIALECT_COUNT] = {
    [TN_DIALECT_OTHER]      = { .name        = "",
                                .title       = "this format",
                                .identity    = "Identity",
                                .main_graph  = "",
                                .node_list   = "node",
                                .counterpart = "samediff" },
    [TN_DIALECT_ND4J]       = { .id               = TN_DIALECT_ND4J,
                                .name             = "nd4j",
                                .title            = "SameDiff",
                                .vocabulary       = &tn_vocab_nd4j,
                                .identity         = "identity",
                                .main_graph       = "",
                                .node_list        = "nodes",
                                .counterpart      = "onnx",
                                .can_be_built     = true,
                                .names_io         = true,
                                .names_everything = true,
                                .has_training     = true,
                                .has_doubles      = true,
                                .has_examples     = true,
                                .is_mapped_to     = true },
    [TN_DIALECT_ONNX]       = { .id               = TN_DIALECT_ONNX,
                                .name             = "onnx",
                                .title            = "ONNX",
                                .vocabulary       = &tn_vocab_onnx,
                                .identity         = "Identity",
                                .main_graph       = "graph",
                                .node_list        = "node",
                                .own_domain       = "ai.onnx",
                                .counterpart      = "samediff",
                                .function_format  = "onnx",
                                .oldest_version   = 7,
                                .rule_version     = 18,
                                .can_be_built     = true,
                                .lists_io         = true,
                                .types_values     = true,
                                .types_structures = true,
                                .has_sequences    = true,
                                .wants_ranks      = true,
                                .is_mapped_from   = true },
    [TN_DIALECT_PADDLE]     = { .id                = TN_DIALECT_PADDLE,
                                .name              = "paddle",
                                .title             = "PaddlePaddle",
                                .vocabulary        = &tn_vocab_paddle,
                                .identity          = "Identity",
                                .main_graph        = "",
                                .node_list         = "node",
                                .counterpart       = "samediff",
                                .has_nameless_ops  = true,
                                .has_inputs_as_ops = true,
                                .types_values      = true },
    [TN_DIALECT_TENSORFLOW] = { .id                   = TN_DIALECT_TENSORFLOW,
                                .name                 = "tensorflow",
                                .title                = "TensorFlow",
                                .vocabulary           = &tn_vocab_tensorflow,
                                .identity             = "Identity",
                                .main_graph           = "",
                                .node_list            = "node",
                                .counterpart          = "samediff",
                                .function_format      = "tf-graph",
                                .has_function_outputs = true,
                                .has_constant_ops     = true,
                                .has_array_ops        = true,
                                .is_mapped_from       = true },
    [TN_DIALECT_TFLITE]     = { .id               = TN_DIALECT_TFLITE,
                                .name             = "tflite",
                                .title            = "TFLite",
                                .vocabulary       = &tn_vocab_tflite,
                                .identity         = "Identity",
                                .main_graph       = "subgraphs[0]",
                                .node_list        = "operators",
                                .counterpart      = "onnx",
                                .has_nameless_ops = true,
                                .names_io         = true,
                                .types_values     = true },
};

const struct tn_dialect_facts *tn_dialect_facts_of(struct tn_bytes dialect)
{
    for (size_t i = 0; i < TN_DIALECT_COUNT; i++)
        if (tn_bytes_is(dialect, dialects[i].name))
            return &dialects[i];
    return &dialects[TN_DIALECT_OTHER];
}

const struct tn_dialect_facts *tn_dialect_facts(const char *dialect)
{
    return tn_dialect_facts_of(tn_text(dialect));
}
