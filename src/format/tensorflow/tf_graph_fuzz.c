/*
 * tf_graph_fuzz.c - any bytes as a GraphDef: open, check, decode, read, write
 *
 * Claims: payloads lie inside the file, findings have words, memory is bounded
 * by the input, with and without the graph the same is counted, and an
 * unchanged model is written as the bytes it was.
 */
#include "format/tensorflow/tf_fuzzing.h"

extern const struct tn_format tn_format_tf_graph;
extern const struct tn_format tn_format_tf_meta_graph;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_model(&tn_format_tf_graph, tn_bytes(data, size));
    fuzz_model(&tn_format_tf_meta_graph, tn_bytes(data, size));
    return 0;
}
